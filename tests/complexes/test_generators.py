"""Random graphs with the paper's counts, and the contact hypergraphs where they are installed."""

import json

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse.datasets import (
    BLOCK_MODELS,
    add_shortcuts,
    block_model,
    geometric_graph,
    load_contacts,
    paper_block_model,
)

# The paper's N, E, T3, T4
PAPER = {
    "Base": (80, 363, 174, 21),
    "Den": (80, 554, 1580, 2261),
    "+N": (80, 630, 1053, 789),
    "Plt": (80, 385, 941, 2667),
    "SD": (72, 340, 594, 572),
    "LS": (120, 400, 103, 4),
    "Uneq": (90, 597, 899, 556),
    "Br": (80, 452, 940, 859),
}


@pytest.mark.parametrize("name", BLOCK_MODELS)
def test_block_models_have_the_counts_of_the_paper(name):
    counts = [
        cl.clique_complex(paper_block_model(name, seed)[0], max_rank=3).n_cells
        for seed in range(40)
    ]
    mean, spread = np.mean(counts, axis=0), np.std(counts, axis=0)
    # The paper gives one draw: within three deviations, and the planted clique within 15 %.
    allowed = np.maximum(3 * spread, 0.15 * np.array(PAPER[name]) if name == "Plt" else 0)
    assert (abs(mean - PAPER[name]) <= allowed).all()


@pytest.mark.parametrize("name", BLOCK_MODELS)
def test_block_models_are_simple_and_reproducible(name):
    A, groups = paper_block_model(name, 7)
    assert (A != A.T).nnz == 0
    assert A.diagonal().sum() == 0
    assert set(A.data) == {1.0}
    assert np.bincount(groups).tolist() == list(BLOCK_MODELS[name].sizes)
    assert (paper_block_model(name, 7)[0] != A).nnz == 0
    assert (paper_block_model(name, 8)[0] != A).nnz > 0


def test_bridges_join_each_block_to_the_next():
    A, groups = paper_block_model("Br", 3)
    i, j = sparse.triu(A).nonzero()
    across = groups[i] != groups[j]
    assert sorted(zip(groups[i][across], groups[j][across], strict=True)) == [
        (0, 1),
        (1, 2),
        (2, 3),
    ]


def test_block_probabilities():
    A, groups = block_model([150, 150], 0.2, 0.05, rng=1)
    same = groups[:, None] == groups[None]
    dense = A.toarray()
    assert abs(dense[same].mean() - 0.2) < 0.01
    assert abs(dense[~same].mean() - 0.05) < 0.01


def test_geometric_graph_by_brute_force_and_shortcuts():
    points, A = geometric_graph(150, 0.15, rng=2)
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert (A.toarray() == ((distance <= 0.15) & ~np.eye(150, dtype=bool))).all()
    assert nx.is_connected(nx.from_scipy_sparse_array(A))
    more = add_shortcuts(A, 100, rng=3)
    assert more.nnz == A.nnz + 200
    assert (more - A).min() == 0
    assert (more - more.T).nnz == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: block_model([], 0.1, 0.1),
        lambda: block_model([3, -1], 0.1, 0.1),
        lambda: block_model([3], 1.5, 0.1),
        lambda: block_model([3], 0.1, np.nan),
        lambda: paper_block_model("base"),
        lambda: geometric_graph(0, 0.1),
        lambda: geometric_graph(50, -1),
        lambda: geometric_graph(50, 0.01, tries=3),
        lambda: add_shortcuts(block_model([4], 1.0, 0)[0], 1),
    ],
)
def test_bad_arguments_are_refused(call):
    with pytest.raises(cl.InputError):
        call()


@pytest.mark.parametrize(
    ("name", "nodes", "hyperedges", "groups", "n_cells"),
    [
        ("workplace", 92, 788, 5, (92, 755, 46)),
        ("highschool", 327, 7818, 9, (327, 5818, 2320)),
    ],
)
def test_contact_hypergraphs_recounted(name, nodes, hyperedges, groups, n_cells):
    pytest.importorskip("hypergraphx")
    data = load_contacts(name)
    assert len(data.nodes) == nodes == len(set(data.nodes)) == len(data.groups)
    assert len(data.hyperedges) == len({frozenset(e) for e in data.hyperedges}) == hyperedges
    assert len(data.group_names) == groups == data.groups.max() + 1
    assert data.complex().n_cells == n_cells
    for part in (str(nodes), f"{hyperedges:,}", data.source.split(",")[0], "hypergraphx"):
        assert part in str(data)


def test_contacts_from_a_path_and_from_bad_files(tmp_path):
    path = tmp_path / "x.json"
    node = {"type": "node", "metadata": {"class": "a"}}
    edge = {"type": "edge", "interaction": [1, 2]}
    path.write_text(json.dumps([{}, {**node, "idx": 1}, {**node, "idx": 2}, edge]))
    assert load_contacts("workplace", path).hyperedges == ((1, 2),)
    bad_ones = (
        "",
        "[]",
        "[1]",
        "{}",
        json.dumps([edge]),
        json.dumps([{"type": "node", "idx": 1}]),
        json.dumps([{**node, "idx": [1]}]),
        "[" * 100_000,
    )
    for bad in bad_ones:
        path.write_text(bad)
        with pytest.raises(cl.InputError, match=r"x\.json"):
            load_contacts("workplace", path)
    with pytest.raises(cl.InputError):
        load_contacts("workplace", tmp_path / "none.json")
    with pytest.raises(cl.InputError, match="workplace"):
        load_contacts("office")


def test_contacts_without_the_package(monkeypatch):
    from importlib import metadata

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    with pytest.raises(cl.MissingExtraError, match="hypergraphx"):
        load_contacts("workplace")
