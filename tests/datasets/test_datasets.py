"""The bundled networks, recounted from what `load` returns."""

import doctest
from collections import Counter
from itertools import combinations, islice

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
import cellapse.datasets.bundled as bundled
from cellapse._errors import CellapseError, InputError
from cellapse.datasets import available, load, load_scenes

# name: (nodes, edges, triangles, tetrahedra), groups, weighted
FACTS = {
    "karate": ((34, 78, 45, 11), 2, True),
    "football": ((115, 613, 810, 732), 12, False),
    "lesmis": ((77, 254, 467, 639), 11, True),
    "polbooks": ((105, 441, 560, 319), 3, False),
    "dolphins": ((62, 159, 95, 27), 2, False),
}


@pytest.fixture(params=FACTS)
def data(request):
    return load(request.param)


def partition(data):
    nodes = np.array(list(data.graph), dtype=object)
    return {frozenset(nodes[data.groups == code]) for code in np.unique(data.groups)}


def test_available_lists_every_network():
    assert set(available()) == set(FACTS)


def test_cells_by_clique_enumeration(data):
    sizes = Counter(map(len, nx.enumerate_all_cliques(data.graph)))
    assert tuple(sizes[n] for n in (1, 2, 3, 4)) == FACTS[data.name][0]


def test_graph_is_simple_and_connected(data):
    assert nx.number_of_selfloops(data.graph) == 0
    assert nx.is_connected(data.graph)


def test_labels_are_unique(data):
    # networkx merges equal labels, so a repeated one would show as a missing node
    assert data.graph.number_of_nodes() == len(set(data.graph)) == FACTS[data.name][0][0]


def test_groups_are_codes_aligned_with_nodes(data):
    assert len(data.groups) == len(data.graph)
    assert np.issubdtype(data.groups.dtype, np.integer)
    assert np.array_equal(np.unique(data.groups), np.arange(FACTS[data.name][1]))
    named = [data.group_names[code] for code in data.groups]
    assert named == [group for _, group in data.graph.nodes(data="group")]


def test_weights_only_where_the_source_has_them(data):
    weights = [attributes.get("weight") for *_, attributes in data.graph.edges(data=True)]
    assert data.weighted is FACTS[data.name][2]
    assert all(w >= 1 for w in weights) if data.weighted else set(weights) == {None}


@pytest.mark.parametrize(
    ("name", "reference"),
    [("karate", nx.karate_club_graph), ("lesmis", nx.les_miserables_graph)],
)
def test_weighted_graphs_equal_those_of_networkx(name, reference):
    ours, theirs = load(name).graph, reference()
    assert list(ours) == list(theirs)
    assert (nx.to_numpy_array(ours) == nx.to_numpy_array(theirs)).all()


def test_football_groups_are_the_conferences():
    data = load("football")
    members = {
        "FloridaState": "Atlantic Coast", "MiamiFlorida": "Big East", "Michigan": "Big Ten",
        "Oklahoma": "Big Twelve", "Louisville": "Conference USA", "NotreDame": "Independents",
        "Toledo": "Mid-American", "BrighamYoung": "Mountain West", "UCLA": "Pacific Ten",
        "Alabama": "Southeastern", "NorthTexas": "Sun Belt", "Hawaii": "Western Athletic",
    }  # fmt: skip
    assert data.group_names == tuple(members.values())
    assert {v: data.graph.nodes[v]["group"] for v in members} == members
    assert np.bincount(data.groups).tolist() == [9, 8, 11, 12, 10, 5, 13, 8, 10, 12, 7, 10]


def test_dolphins_are_the_first_girvan_newman_split_with_sn89_moved():
    data = load("dolphins")
    small = min(next(nx.community.girvan_newman(data.graph)), key=len)
    assert len(small) == 21
    assert frozenset(small - {"SN89"}) in partition(data)
    assert np.bincount(data.groups).tolist() == [42, 20]


def test_lesmis_groups_are_the_girvan_newman_split_into_eleven():
    data = load("lesmis")
    bare = nx.Graph(data.graph.edges)
    eleven = next(islice(nx.community.girvan_newman(bare), 9, None))
    assert {frozenset(part) for part in eleven} == partition(data)


def test_papers_are_complete(data):
    for text in (data.title, data.source, data.licence, data.provenance, data.notes):
        assert text.strip() == text != ""


def test_card_names_counts_source_and_licence(data):
    card = str(data)
    (nodes, edges, triangles, _), groups, _ = FACTS[data.name]
    counts = f"nodes {nodes}", f"edges {edges}", f"triangles {triangles}", f"groups {groups},"
    words = " ".join(card.split())
    for part in (data.title, data.name, *counts, data.source, data.licence):
        assert part in words
    assert max(map(len, card.splitlines())) <= 100


def test_every_load_is_fresh_and_groups_are_frozen():
    first = load("karate")
    first.graph.remove_node(0)
    assert 0 in load("karate").graph
    with pytest.raises(ValueError, match="read-only"):
        first.groups[0] = 1


@pytest.mark.parametrize("name", ["footbal", "Football", " football"])
def test_unknown_name_suggests_the_nearest(name):
    with pytest.raises(InputError, match=r"load\('football'\)") as error:
        load(name)
    assert repr(name) in str(error.value)
    assert isinstance(error.value, CellapseError)
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize("name", ["zzz", "", None, 3, ["karate"]])
def test_unknown_name_lists_what_exists(name):
    with pytest.raises(InputError) as error:
        load(name)
    assert all(known in str(error.value) for known in available())


def test_examples_in_the_docstrings():
    result = doctest.testmod(bundled)
    assert result.attempted > 0
    assert result.failed == 0


def test_scenes_are_those_behind_the_network():
    """The pairs within scenes are the edges of lesmis, and as often as their weights say."""
    scenes, network = load_scenes(), load("lesmis").graph
    pairs = Counter(frozenset(p) for s in scenes.hyperedges for p in combinations(s, 2))
    assert pairs == {frozenset((a, b)): w for a, b, w in network.edges(data="weight")}
    assert scenes.nodes == tuple(network)
    assert len(scenes.hyperedges) == 297
    assert Counter(map(len, scenes.hyperedges))[2] == 221
    assert scenes.complex("weight").weights[1].sum() == sum(pairs.values())
    assert "297, 221 of 2 nodes" in str(scenes)


def test_scenes_on_the_command_line(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from cellapse.cli.app import app

    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    assert "hypergraph" in run(app, ["datasets"]).stdout
    said = run(app, ["trust", "scenes"])
    assert said.exit_code == 0
    assert "hypergraph" in said.stdout + said.stderr
    refused = run(app, ["trust", "scenes", "--clean", "clean.csv"])
    assert refused.exit_code != 0
    assert not (tmp_path / "clean.csv").exists()


@pytest.mark.parametrize("name", ["karate", "1HEL", "scenes"])
def test_the_name_of_bundled_data_leads_to_it(name):
    assert len(cl.clique_complex(name)) == len(cl.as_complex(name)) == cl.collapse(name).shape[0]
    with pytest.raises(cl.InputError, match="file"):  # instead of forty formats
        cl.read(name)
