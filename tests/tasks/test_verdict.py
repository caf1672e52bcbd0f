"""Do the cells matter here: the verdict on clusters with and without cells."""

import re
import warnings

import networkx as nx
import numpy as np
import pytest
from everyday import everyday
from sklearn.metrics import adjusted_rand_score

import cellapse as cl
from cellapse import tasks
from cellapse.tasks._subsample import shuffled, thinned
from cellapse.tasks.verdict import Judged, Varies, Verdict, judge

HUBS = {
    "Barabasi-Albert": nx.barabasi_albert_graph(400, 4, seed=1),
    "Holme-Kim": nx.powerlaw_cluster_graph(800, 4, 0.3, seed=2),
    "random": nx.gnp_random_graph(600, 0.012, seed=3),
    "dense hubs": nx.barabasi_albert_graph(500, 8, seed=4),
}


@pytest.mark.parametrize("name", everyday(HUBS, quick=list(HUBS)[:2]))
def test_hubs_are_never_clustered_badly_in_silence(name):
    K = cl.clique_complex(HUBS[name])
    verdict = tasks.verdict(K, 8)
    assert verdict.best.modularity >= verdict.plain.modularity - 0.02
    assert "no groups" in verdict.caution


@pytest.mark.parametrize("n", [3500, pytest.param(6000, marks=pytest.mark.slow)])
def test_large_networks_are_judged_by_modularity_alone(n):
    K = cl.clique_complex(nx.powerlaw_cluster_graph(n, 4, 0.3, seed=1))
    verdict = tasks.verdict(K, 8)
    assert verdict.use_plain
    assert verdict.plain.stability is verdict.chance is None
    assert verdict.caution == ""


def test_groups_are_no_reason_for_caution():
    for graph in (
        nx.connected_caveman_graph(6, 8),
        nx.planted_partition_graph(4, 30, 0.4, 0.02, seed=1),
    ):
        verdict = tasks.verdict(cl.clique_complex(graph))
        assert verdict.caution == ""
        assert verdict.same
        assert "make no difference" in str(verdict)


def test_a_tree_has_no_groups_and_a_random_graph_neither():
    for seed in range(3):
        tree = tasks.verdict(cl.clique_complex(nx.random_labeled_tree(60, seed=seed)))
        assert tree.forest
        assert "no cycles" in tree.caution
        assert tree.held == 0.0
        graph = nx.gnp_random_graph(150, 0.07, seed=seed)
        assert "random networks" in tasks.verdict(cl.clique_complex(graph)).caution


def test_the_number_of_clusters_is_explained():
    K = cl.clique_complex(nx.connected_caveman_graph(4, 6))
    assert tasks.verdict(K, 4).why == "as asked for"
    values = cl.collapse(K, "renormalized").spectrum(21, "diagonal").values
    gap = values[4] - values[3]
    assert tasks.verdict(K).why == (
        f"the gap after eigenvalue 4 is the largest of the first 21 ({gap:.3g})"
    )
    unclear = tasks.verdict(cl.clique_complex(nx.path_graph(60)))
    assert "not clearly" in unclear.why


@pytest.mark.parametrize("n", range(1, 5))
def test_tiny_networks_have_a_verdict(n):
    for graph in (nx.path_graph(n), nx.complete_graph(n), nx.empty_graph(n)):
        assert str(tasks.verdict(cl.clique_complex(graph)))


def test_figures_are_those_of_the_definitions():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    verdict = tasks.verdict(K, 2)
    mine, plain = (
        cl.cluster(M, 2) for M in (cl.collapse(K, "renormalized"), cl.graph_laplacian(K))
    )
    assert verdict.mine.modularity == pytest.approx(tasks.modularity(K, mine))
    assert verdict.plain.modularity == pytest.approx(tasks.modularity(K, plain))
    assert verdict.agreement == cl.clustering_accuracy(mine, plain)
    assert not verdict.gain  # one vertex of 34
    rng = np.random.default_rng(0)
    stable, chance, moved, ahead = [], [], [], []
    for draw in range(5):
        part = thinned(K, 0.1, rng)
        stable.append(
            adjusted_rand_score(mine, cl.cluster(cl.collapse(part, "renormalized"), 2, rng=draw))
        )
        there = [
            cl.cluster(M, 2, rng=draw)
            for M in (cl.collapse(part, "renormalized"), cl.graph_laplacian(part))
        ]
        moved += [
            1 - cl.clustering_accuracy(a, b) for a, b in zip((mine, plain), there, strict=True)
        ]
        ahead.append(tasks.modularity(K, there[0]) - tasks.modularity(K, there[1]))
        random = nx.from_scipy_sparse_array(shuffled(K, rng))
        numbers = cl.cluster(nx.laplacian_matrix(random).astype(float), 2, rng=draw).numbers
        parts = [np.flatnonzero(numbers == c).tolist() for c in (0, 1)]
        chance.append(nx.community.modularity(random, parts))
    assert verdict.mine.stability == pytest.approx(np.mean(stable))
    assert verdict.chance == pytest.approx(np.mean(chance))
    assert verdict.varies.moved == pytest.approx(np.mean(moved))
    assert verdict.varies.ahead == pytest.approx(2 * np.std(ahead, ddof=1))


@pytest.mark.parametrize(
    ("name", "k"), [("karate", 2), ("lesmis", 11), ("football", 12), ("polbooks", 3)]
)
def test_no_verdict_rests_on_what_chance_moves(name, k):
    """Clean networks, where S and L differ by less than leaving out a tenth of the edges does."""
    verdict = tasks.verdict(cl.clique_complex(cl.datasets.load(name).graph), k)
    changed = 1 - verdict.agreement
    assert changed <= max(verdict.varies.moved, 0.05)
    assert not verdict.gain
    assert not verdict.use_plain
    assert re.search("hardly matter|no difference", verdict.sentences()[0])


def test_a_hypergraph_is_compared_with_the_projection():
    rng = np.random.default_rng(0)
    groups = [range(15), range(15, 30)]
    edges = [tuple(rng.choice(groups[i % 2], 4, replace=False).tolist()) for i in range(60)]
    verdict = tasks.verdict(cl.hypergraph_complex(edges), 2)
    assert verdict.plain.operator == "the weighted projection"
    assert verdict.plain.stability > 0.9
    assert verdict.chance < verdict.plain.modularity


def verdict_of(**changes):
    usual = {
        "n_clusters": 3,
        "why": "",
        "agreement": 0.8,
        "chance": 0.1,
        "n_vertices": 1000,
        "varies": None,
        "held": 1.0,
        "forest": False,
        "mine": Judged("S", 0.4, 0.8),
        "plain": Judged("L", 0.4, 0.8),
    }
    return Verdict(**(usual | changes))


def test_words_follow_the_figures():
    assert "neither is clearly better" in str(verdict_of())
    assert "hardly matter" in str(verdict_of(agreement=0.97))
    assert "make no difference" in str(verdict_of(agreement=1.0))
    assert "The cells matter" in str(verdict_of(mine=Judged("S", 0.45, 0.8)))
    assert "The cells matter" in str(verdict_of(mine=Judged("S", 0.4, 0.95)))
    worse = verdict_of(mine=Judged("S", 0.3, 0.8))
    assert worse.use_plain
    assert worse.best.operator == "L"
    steadier = verdict_of(mine=Judged("S", 0.3, 0.8), plain=Judged("L", 0.4, 0.3))
    assert not steadier.use_plain
    assert not steadier.gain
    assert "modularity 0.380" in verdict_of(chance=0.38).caution
    assert "stability 0.40" in verdict_of(mine=Judged("S", 0.4, 0.4)).caution
    assert str(verdict_of(n_clusters=1)).startswith("One cluster")


def test_thinned_complexes_are_parts():
    K = cl.clique_complex(nx.karate_club_graph(), 3, weight=None)
    part = thinned(K, 0.3, np.random.default_rng(1))
    assert part.n_cells == cl.clique_complex(part, 3).n_cells
    assert 0 < part.n_cells[1] < K.n_cells[1]
    H = cl.hypergraph_complex([(0, 1, 2, 3), (3, 4, 5), (5, 6), (6, 7, 8, 9, 10)])
    own = set()
    for seed in range(8):
        part = thinned(H, 0.4, np.random.default_rng(seed))
        pairs = {frozenset(e) for e in part.cell_labels(1)}
        larger = [c for k in range(2, part.max_rank + 1) for c in part.cell_labels(k)]
        inside = {frozenset((u, v)) for c in larger for u in c for v in c if u != v}
        assert pairs - {frozenset((5, 6))} == inside
        own.add(frozenset((5, 6)) in pairs)
    assert own == {True, False}


def test_shuffled_networks_have_the_same_degrees():
    K = cl.clique_complex(nx.gnp_random_graph(300, 0.03, seed=1))
    W = shuffled(K, np.random.default_rng(0))
    degree = np.bincount(K.cells[1].as_array().ravel(), minlength=300)
    lost = degree - np.asarray(W.sum(axis=1)).ravel()
    assert (lost >= 0).all()
    assert lost.sum() <= 0.02 * degree.sum()


def test_judge_takes_any_operator():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    make = cl.motif_laplacian
    verdict = judge(
        K, cl.cluster(make(K), 2), cl.cluster(cl.graph_laplacian(K), 2), "", 0, make, "motif"
    )
    assert verdict.mine.operator == "motif"
    assert verdict.mine.stability is not None


def test_hubs_do_not_spoil_the_default_in_silence():
    """Whoever gives a graph is warned; whoever asks for an operator gets it."""
    graph = nx.barabasi_albert_graph(500, 4, seed=1)
    A = nx.to_scipy_sparse_array(graph, dtype=float, format="csr")
    for call in (
        lambda: cl.cluster(graph, 6),
        lambda: cl.CollapsedSpectralClustering(6, affinity="precomputed").fit(A),
    ):
        with pytest.warns(cl.CellapseWarning, match="hubs") as said:
            call()
        mine, other = (float(x) for x in re.findall(r"0\.\d+", str(said[0].message))[::-1])
        assert other > mine + 0.02
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cl.cluster(cl.collapse(graph, "renormalized"), 6)
        cl.cluster(nx.connected_caveman_graph(4, 6), 4)
        cl.cluster(nx.path_graph(9), 3)


def test_a_lost_hyperedge_takes_its_weight_along():
    """What is left is the hypergraph of the hyperedges that are left."""
    given = [(0, 1, 2, 3), (0, 1, 2, 4), (0, 1, 5, 6), (2, 3, 4, 5), (6, 7), (0, 1)]
    H = cl.hypergraph_complex(given, vertices=range(8), multiplicity="weight")
    lost = 0
    for seed in range(6):
        part = thinned(H, 0.4, np.random.default_rng(seed))
        left = [tuple(part.cells[2][i].tolist()) for i in range(part.n_cells[2])]
        lost += 4 - len(left)
        left += [e for e in given[4:] if e in {tuple(e) for e in part.cells[1].as_array().tolist()}]
        wanted = cl.hypergraph_complex(left, vertices=range(8), multiplicity="weight")
        np.testing.assert_allclose(
            cl.projection_laplacian(part).toarray(), cl.projection_laplacian(wanted).toarray()
        )
    assert lost > 4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"agreement": 0.996}, "make no difference"),  # up to 5 in 1000
        ({"agreement": 0.994}, "hardly matter"),
        ({"agreement": 0.951}, "hardly matter"),  # up to 5 in 100
        ({"agreement": 0.949}, "neither is clearly better"),
        ({"agreement": 0.9, "n_vertices": 30}, "hardly matter"),  # three vertices
        ({"agreement": 0.9, "n_vertices": 40}, "neither is clearly better"),  # four
        ({"agreement": 0.9, "n_vertices": 30, "mine": Judged("S", 0.6, 0.9)}, "hardly matter"),
        ({"agreement": 0.9, "n_vertices": 30, "mine": Judged("S", 0.2, 0.8)}, "hardly matter"),
        ({"varies": Varies(0.21, 0.0, 0.0)}, "hardly matter"),  # as chance moves
        ({"varies": Varies(0.19, 0.0, 0.0)}, "neither is clearly better"),
        ({"varies": Varies(0.1, 0.06, 0.0), "mine": Judged("S", 0.45, 0.8)}, "neither"),
        ({"varies": Varies(0.1, 0.04, 0.0), "mine": Judged("S", 0.45, 0.8)}, "cells matter"),
        ({"varies": Varies(0.1, 0.0, 0.2), "mine": Judged("S", 0.4, 0.95)}, "neither"),
        ({"varies": Varies(0.1, 0.0, 0.14), "mine": Judged("S", 0.4, 0.95)}, "cells matter"),
        ({"varies": Varies(0.9, 0.5, 0.5), "mine": Judged("S", 0.3, 0.8)}, "better use those of L"),
        ({"held": 0.0}, "no cell holds any edge"),
        ({"n_clusters": 2}, "neither is clearly better"),
        ({"mine": Judged("S", 0.419, 0.8)}, "neither"),  # ahead by .02
        ({"mine": Judged("S", 0.421, 0.8)}, "cells matter"),
        ({"mine": Judged("S", 0.02, 0.8), "plain": Judged("L", 0.0, 0.8)}, "neither"),
        ({"mine": Judged("S", 0.0, 0.8), "plain": Judged("L", 0.02, 0.8)}, "neither"),
        ({"mine": Judged("S", 0.421, 0.5)}, "neither"),  # steadier by -.3
        ({"mine": Judged("S", 0.421, 0.5), "plain": Judged("L", 0.4, 0.5)}, "cells matter"),
        ({"mine": Judged("S", 0.421, 0.49), "plain": Judged("L", 0.4, 0.5)}, "neither"),
        ({"mine": Judged("S", 0.421, 0.71)}, "cells matter"),  # not behind by .1
        ({"mine": Judged("S", 0.421, 0.69)}, "neither"),
        ({"mine": Judged("S", 0.4, 0.89)}, "neither"),  # steadier by .1
        ({"mine": Judged("S", 0.4, 0.91)}, "cells matter"),
        ({"mine": Judged("S", 0.379, 0.91)}, "neither"),  # steadier, but behind
        ({"mine": Judged("S", 0.381, 0.8)}, "neither"),
        ({"mine": Judged("S", 0.379, 0.8)}, "better use those of L"),
        ({"mine": Judged("S", 0.379, 0.89)}, "better use those of L"),
        ({"mine": Judged("S", 0.379, 0.5), "plain": Judged("L", 0.4, 0.39)}, "neither"),
        ({"mine": Judged("S", 0.379, 0.49), "plain": Judged("L", 0.4, 0.3)}, "better use"),
        ({"mine": Judged("S", 0.379, None), "plain": Judged("L", 0.4, None)}, "better use"),
        ({"mine": Judged("S", 0.421, None), "plain": Judged("L", 0.4, None)}, "cells matter"),
    ],
)
def test_where_the_words_change(changes, words):
    assert words in verdict_of(**changes).sentences()[0]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"chance": 0.349}, ""),  # less than .05 above chance
        ({"chance": 0.351}, "modularity 0.351"),
        ({"chance": None}, ""),
        ({"mine": Judged("S", 0.4, 0.5)}, ""),
        ({"mine": Judged("S", 0.4, 0.49)}, "stability 0.49"),
        ({"forest": True}, "no cycles"),
        ({"forest": True, "n_clusters": 1}, ""),
        ({"forest": True, "n_clusters": 2}, "no cycles"),
        # Of the better ones of both.
        ({"mine": Judged("S", 0.3, 0.8), "plain": Judged("L", 0.4, 0.3)}, ""),
        ({"mine": Judged("S", 0.1, 0.2), "plain": Judged("L", 0.4, 0.3)}, "stability 0.30"),
    ],
)
def test_where_caution_begins(changes, words):
    caution = verdict_of(**changes).caution
    assert words in caution
    assert bool(caution) == bool(words)


def test_figures_by_name_and_in_words():
    verdict = verdict_of(mine=Judged("S", 0.3, 0.8), why="so it is")
    found = verdict.as_dict()
    assert found["clusters"] == 3
    assert found["clusters by"] == "L"
    assert found["modularity"] == {"S": 0.3, "L": 0.4}
    assert found["stability"] == {"S": 0.8, "L": 0.8}
    assert (found["agreement"], found["chance"], found["caution"]) == (0.8, 0.1, "")
    assert found["words"] == " ".join(verdict.sentences())
    assert verdict.sentences() == [
        "The clusters of S are worse here; better use those of L: 200 of 1,000 vertices are "
        "in other clusters, modularity 0.300 against 0.400 of L, stability 0.80 against 0.80.",
        "3 clusters: so it is.",
    ]
    assert str(verdict).splitlines()[2:] == [
        "  S: modularity 0.300, stability 0.80",
        "  L: modularity 0.400, stability 0.80",
    ]
    one_known = verdict_of(plain=Judged("L", 0.4, None))
    assert "stability" not in one_known.sentences()[0]
    assert one_known.steadier == pytest.approx(0.8)
    assert verdict_of(mine=Judged("S", 0.4, None)).steadier == pytest.approx(-0.8)
