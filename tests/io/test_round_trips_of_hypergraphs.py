"""What came in as a hypergraph goes out as the same hypergraph, whatever the way."""

import json
import warnings
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cellapse as cl
from cellapse import interop
from cellapse.cli import main

xgi = pytest.importorskip("xgi")

HYPEREDGES = [("a", "b", "c", "d"), ("c", "d"), ("d", "e", "f")]


def counted(H, weight="weight"):
    """The hyperedges of an XGI hypergraph as a multiset, with their weights."""
    return Counter((frozenset(H.edges.members(e)), H.edges[e].get(weight)) for e in H.edges)


def through_file(extension):
    def way(K, folder):
        cl.write(K, folder / f"x.{extension}")
        return cl.read(folder / f"x.{extension}")

    return way


def through(library, to, **options):
    def way(K, folder):
        pytest.importorskip(library)
        return cl.as_complex(to(K, **options))

    return way


def xgi_file(K, folder):
    """Its own format, which XGI 0.9 wrote."""
    H = interop.to_xgi(K)
    document = {
        "type": "hypergraph",
        "node-data": {v: H.nodes[v] for v in H.nodes},
        "edge-data": {e: H.edges[e] for e in H.edges},
        "edge-dict": {e: list(H.edges.members(e)) for e in H.edges},
    }
    (folder / "xgi.json").write_text(json.dumps(document))
    return cl.read(folder / "xgi.json")


def hif_of_xgi(K, folder):
    xgi.write_hif(interop.to_xgi(K), folder / "hif.json")
    return cl.read(folder / "hif.json")


def read_by_xgi(K, folder):
    cl.write(K, folder / "ours.json")
    return cl.as_complex(xgi.read_hif(folder / "ours.json"))


WAYS = {
    "json": through_file("json"),
    "hif": through_file("hif"),
    "npz": through_file("npz"),
    "hyperedges": through_file("hyperedges"),
    "xgi": through("xgi", interop.to_xgi),
    "hypernetx": through("hypernetx", interop.to_hypernetx),
    "hypergraphx": through("hypergraphx", interop.to_hypergraphx),
    "toponetx": through("toponetx", interop.to_toponetx),
    "json of xgi": xgi_file,
    "hif of xgi": hif_of_xgi,
    "json read by xgi": read_by_xgi,
}


@st.composite
def hypergraphs(draw, words=True):
    """XGI hypergraphs: names, attributes, copies, hyperedges of one vertex, lonely vertices."""
    n = draw(st.integers(1, 6))
    nodes = draw(st.permutations([f"v{i}" for i in range(n)] if words else list(range(n))))
    H = xgi.Hypergraph()
    for v in nodes:
        H.add_node(v, **({"age": draw(st.integers(0, 9))} if words else {}))
    members = st.sets(st.sampled_from(nodes), min_size=1)
    groups = draw(st.lists(members, min_size=1, max_size=7))
    names = draw(st.booleans())
    for i, group in enumerate([*groups, set(nodes)]):
        weight = draw(st.sampled_from([0.5, 1.0, 3.0]))
        H.add_edge(group, f"e{i}" if names else i, weight=weight, kind=draw(st.sampled_from("xy")))
    return H


def equal(H, G, what):
    """Nodes, and the multiset of hyperedges with everything known of them, by name."""
    assert set(G.nodes) == set(H.nodes)
    of = [
        {e: (frozenset(N.edges.members(e)), {k: N.edges[e].get(k) for k in what}) for e in N.edges}
        for N in (H, G)
    ]
    assert of[0] == of[1]


@settings(max_examples=40, deadline=None)
@given(hypergraphs(), st.sampled_from(["json", "npz", "xgi", "json of xgi", "hif of xgi",
                                       "json read by xgi"]))  # fmt: skip
def test_nothing_at_all_is_lost(tmp_path_factory, H, way):
    K = cl.as_complex(H)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        back = interop.to_xgi(WAYS[way](K, tmp_path_factory.mktemp("x")))
    equal(H, back, ["weight", "kind"])
    equal(H, interop.to_xgi(K), ["weight", "kind"])
    assert {v: back.nodes[v]["age"] for v in back.nodes} == {v: H.nodes[v]["age"] for v in H.nodes}
    known = {name for e in back.edges for name in back.edges[e]}
    assert known == {"weight", "kind"}


@settings(max_examples=60, deadline=None)
@given(hypergraphs(), st.sampled_from([*WAYS]), st.booleans())
def test_the_same_hyperedges_come_back(tmp_path_factory, H, way, weighted):
    """Sets of vertices as often as they were given, where the target has a place for copies."""
    K = cl.as_complex(H, weight="weight" if weighted else None)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        back = WAYS[way](K, tmp_path_factory.mktemp("x"))
        found = interop.to_xgi(back)
    ours, theirs = (Counter(frozenset(N.edges.members(e)) for e in N.edges) for N in (H, found))
    lost = any(issubclass(w.category, cl.CellapseWarning) for w in told)
    if way == "toponetx":
        several = {e for e in ours if len(e) > 1}
        assert set(theirs) == several
        assert lost or (several == set(ours) and max(ours.values()) == 1)
    else:
        assert theirs == ours
    total, again = (Counter(), Counter())
    for N, sums in ((H, total), (found, again)):
        for e in N.edges:
            sums[frozenset(N.edges.members(e))] += N.edges[e].get("weight", 0)
    if weighted and way not in ("hyperedges", "toponetx"):
        assert {e: pytest.approx(w) for e, w in total.items()} == again


@settings(max_examples=30, deadline=None)
@given(hypergraphs(words=False))
def test_numbers_keep_their_positions(tmp_path_factory, H):
    K = cl.as_complex(H)
    assert list(K.labels) == list(H.nodes)
    for way in ("json", "npz"):
        L = WAYS[way](K, tmp_path_factory.mktemp("x"))
        assert list(L.labels) == list(H.nodes)
        equal(H, interop.to_xgi(L), ["weight", "kind"])


def test_a_file_of_three_hyperedges_is_three_to_others(tmp_path, monkeypatch):
    def convert(source, target):
        monkeypatch.setattr("sys.argv", ["cellapse", "convert", *map(str, (source, target))])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code

    (tmp_path / "h.hyperedges").write_text("a b c d\nc d\nd e f\n")
    convert(tmp_path / "h.hyperedges", tmp_path / "h2.json")
    H = xgi.read_hif(tmp_path / "h2.json")
    assert list(H.edges.members()) == [set(e) for e in HYPEREDGES]
    document = json.loads((tmp_path / "h2.json").read_text())
    assert [edge["attrs"] for edge in document["edges"]] == [{}, {}, {}]
    K, L = cl.read(tmp_path / "h.hyperedges"), cl.read(tmp_path / "h2.json")
    assert K.n_cells == L.n_cells == (6, 9, 2)
    convert(tmp_path / "h2.json", tmp_path / "h3.hyperedges")
    assert (tmp_path / "h3.hyperedges").read_text() == "a,b,c,d\nc,d\nd,e,f\n"


MADE = {
    "list": lambda: cl.as_complex(HYPEREDGES),
    "lift": lambda: cl.hypergraph_complex(HYPEREDGES),
    "lift with names": lambda: cl.hypergraph_complex(dict(zip("xyz", HYPEREDGES, strict=True))),
    "weights": lambda: cl.hypergraph_complex(HYPEREDGES, weights=[0.1, 0.2, 0.3]),
    "multiplicity": lambda: cl.hypergraph_complex(HYPEREDGES, multiplicity="weight"),
    "with results": lambda: cl.as_complex(HYPEREDGES).with_attributes({0: {"age": range(6)}}),
    "with weights of vertices": lambda: cl.as_complex(HYPEREDGES).with_attributes(
        {}, {0: np.arange(1.0, 7.0)}
    ),
}


@pytest.mark.parametrize("made", MADE)
def test_whatever_made_it(made, tmp_path):
    K = MADE[made]()
    weights = {"weights": [0.1, 0.2, 0.3], "multiplicity": [1.0, 1.0, 1.0]}.get(made, [None] * 3)
    expected = Counter(zip(map(frozenset, HYPEREDGES), weights, strict=True))
    for L in (K, WAYS["json"](K, tmp_path), WAYS["npz"](K, tmp_path)):
        H = interop.to_xgi(L)
        assert counted(H) == expected
        assert list(H.edges) == (["x", "y", "z"] if made == "lift with names" else [0, 1, 2])
        assert L.n_cells == K.n_cells
        for ours, theirs in zip(K.weights, L.weights, strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert sum(interop.to_hypernetx(K).shape) == 9
    assert interop.to_hypergraphx(K).num_edges() == 3
    assert interop.to_toponetx(K).shape == (6, 1, 2)


def test_copies_with_their_own_weights():
    K = cl.hypergraph_complex([("a", "b", "c"), ("c", "b", "a"), ("a", "b")], weights=[1, 2, 4])
    assert K.weights[2].tolist() == [3]
    abc, ab = frozenset("abc"), frozenset("ab")
    assert counted(interop.to_xgi(K)) == {(abc, 1.0): 1, (abc, 2.0): 1, (ab, 4.0): 1}
    with pytest.warns(cl.CellapseWarning, match="1 repeated"):
        H = interop.to_hypergraphx(K)
    assert (H.num_edges(), H.get_weight(("a", "b", "c"))) == (2, 3)
    again = interop.to_xgi(cl.as_complex(H, weight="weight"))
    assert counted(again) == {(abc, 1.5): 2, (ab, 4.0): 1}
    with pytest.warns(cl.CellapseWarning, match="1 hyperedges"):
        assert interop.to_toponetx(K).shape == (3, 1, 1)


def test_hyperedges_without_vertices_are_told():
    H = xgi.Hypergraph([("a", "b", "c")])
    H.add_edge([], "nobody")
    with pytest.warns(cl.CellapseWarning, match="1 hyperedge"):
        K = cl.as_complex(H)
    assert counted(interop.to_xgi(K)) == {(frozenset("abc"), None): 1}


def test_lonely_vertices_of_a_list_are_told(tmp_path):
    K = cl.hypergraph_complex([("a", "b", "c")], vertices="abcd")
    with pytest.warns(cl.CellapseWarning, match="1 vert"):
        cl.write(K, tmp_path / "x.hyperedges")
    assert cl.read(tmp_path / "x.hyperedges").labels == ("a", "b", "c", "d")


KNOWN = {
    "weights": ({}, {2: [1.0, 2.0]}),
    "weights of vertices": ({}, {0: np.arange(1.0, 7.0)}),
    "attributes": ({2: {"topic": ["x", "y"]}}, {}),
    "attributes of vertices": ({0: {"age": range(6)}}, {}),
}


@pytest.mark.parametrize("what", KNOWN)
def test_what_a_list_of_hyperedges_has_no_place_for_is_told(what, tmp_path):
    K = cl.hypergraph_complex(HYPEREDGES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cl.write(K, tmp_path / "x.hyperedges")
    with pytest.warns(cl.CellapseWarning):
        cl.write(K.with_attributes(*KNOWN[what]), tmp_path / "x.hyperedges")


@pytest.mark.parametrize("extension", ["csv", "tsv", "edges", "mtx"])
def test_what_a_table_of_edges_has_no_place_for_is_told(extension, tmp_path):
    K = cl.as_complex(nx.path_graph(3)).with_attributes({}, {1: [1.0, 2.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cl.write(K, tmp_path / f"x.{extension}")
    for more in ({0: {"age": [1, 2, 3]}}, {}), ({}, {0: [1.0, 2.0, 3.0]}):
        with pytest.warns(cl.CellapseWarning, match="vertices"):
            cl.write(K.with_attributes(*more), tmp_path / f"x.{extension}")


def test_a_simplicial_complex_goes_out_with_all_its_faces(tmp_path):
    K = cl.clique_complex(nx.complete_graph(4), 3)
    n = sum(K.n_cells[1:])
    assert interop.to_xgi(K).num_edges == interop.to_hypergraphx(K).num_edges() == n == 11
    assert interop.to_hypernetx(K).shape[1] == n
    cl.write(K, tmp_path / "x.json")
    assert xgi.read_hif(tmp_path / "x.json").num_edges == n
    cl.write(K, tmp_path / "x.hyperedges")
    assert len((tmp_path / "x.hyperedges").read_text().split()) == n


def test_what_a_user_adds_to_pairs_goes_out_with_them(tmp_path):
    """Trust of all edges, or other weights of the cells: then the cells count by themselves."""
    K = cl.hypergraph_complex(HYPEREDGES)
    for more in (
        K.with_attributes({1: {"trust": np.linspace(0, 1, K.n_cells[1])}}),
        K.with_attributes({}, {1: np.arange(1.0, 1 + K.n_cells[1])}),
        K.skeleton(2),
    ):
        assert interop.to_xgi(more).num_edges == sum(K.n_cells[1:])
        back = WAYS["json"](more, tmp_path)
        assert back.n_cells == K.n_cells
        assert back.attributes[1].keys() == more.attributes[1].keys()
    of_hyperedges = K.with_attributes({2: {"topic": ["x", "y"]}})
    assert interop.to_xgi(of_hyperedges).edges.attrs("topic").asdict() == {0: "x", 1: None, 2: "y"}


def test_names_that_no_format_has(tmp_path):
    K = cl.hypergraph_complex({("x", 1): ("a", "b", "c"), 2.5: ("c",)})
    for way in ("json", "npz"):
        assert list(interop.to_xgi(WAYS[way](K, tmp_path)).edges.members(dtype=dict)) == [
            ("x", 1), 2.5]  # fmt: skip


@pytest.mark.parametrize("way", ["json", "npz"])
def test_missing_numbers_stay_missing(way, tmp_path):
    H = xgi.Hypergraph()
    H.add_nodes_from([("a", {"age": float("nan")}), ("b", {"age": 3.0}), ("c", {"age": 1.0})])
    H.add_edge("abc", "x", cost=float("nan"))
    H.add_edge("ab", "y", cost=2.0)
    L = WAYS[way](cl.as_complex(H), tmp_path)
    G = interop.to_xgi(L)
    assert list(G.edges) == ["x", "y"]
    np.testing.assert_equal(G.edges.attrs("cost").asdict(), {"x": float("nan"), "y": 2.0})
    np.testing.assert_equal([G.nodes[v]["age"] for v in "abc"], [float("nan"), 3.0, 1.0])


@pytest.mark.parametrize(("name", "count"), [("scenes", 297), ("karate", None)])
def test_info_says_how_many_were_given(name, count, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["cellapse", "info", name, "--json"])
    with pytest.raises(SystemExit):
        main()
    assert json.loads(capsys.readouterr().out).get("hyperedges") == count


def test_weights_of_one_on_pairs_within_larger_hyperedges():
    """They say nothing, and the pairs that were no hyperedges need none."""
    H = xgi.Hypergraph()
    H.add_edge("ab", 0, weight=1.0)
    H.add_edge("abc", 1, weight=1.0)
    K = cl.as_complex(H)
    assert K.weights == (None, None, None)
    equal(H, interop.to_xgi(K), ["weight"])


def with_copies():
    H = xgi.Hypergraph({"p": [*"abc"], "q": [*"cd"], "r": [*"abc"], "t": ["z"]})
    H.set_edge_attributes({e: {"weight": 2.0 + i, "kind": i} for i, e in enumerate("pqrt")})
    return H


RANKS = {"one": 1, "two": 2, "size": "size", "function": lambda cell: len(cell) // 2 or 1}


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("weight", ["auto", None, "kind_"])
def test_what_came_in_with_ranks_goes_out_whole(ranks, weight):
    H = with_copies()
    H.set_edge_attributes({e: {"kind_": 1.0 + i} for i, e in enumerate("pqrt")})
    K = cl.as_complex(H, ranks=RANKS[ranks], weight=weight)
    G = interop.to_xgi(K, weight="kind_" if weight == "kind_" else "weight")
    assert G.edges.members(dtype=dict) == H.edges.members(dtype=dict)
    for name in ("weight", "kind", "kind_"):
        assert G.edges.attrs(name).asdict() == H.edges.attrs(name).asdict()
    again = cl.as_complex(G, weight=weight)  # by the attribute "rank"
    assert again.n_cells == K.n_cells
    assert interop.to_xgi(again).edges.members(dtype=dict) == H.edges.members(dtype=dict)
    assert interop.to_hypergraphx(K).num_edges() == 3  # which has a place for one of the copies
    assert len(interop.to_hypernetx(K).edges) == 4


def test_how_often_hyperedges_were_given_as_weights(tmp_path):
    H = with_copies()
    with pytest.raises(cl.InputError, match="weights"):
        cl.hypergraph_complex(H, multiplicity="weight")
    K = cl.hypergraph_complex(H, weight=None, multiplicity="weight")
    groups = [tuple(H.edges.members(e)) for e in "pqrt"]
    listed = cl.hypergraph_complex(groups, vertices=list(H.nodes), multiplicity="weight")
    (tmp_path / "h.hyperedges").write_text("a b c\nc d\na b c\nz\n", encoding="utf-8")
    read = cl.hypergraph_complex(tmp_path / "h.hyperedges", multiplicity="weight")
    for other in (K, read):
        assert other.weights[1].tolist() == listed.weights[1].tolist() == [2, 2, 2, 1]
        assert other.weights[2].tolist() == [2]
    G = interop.to_xgi(K, weight="times")
    assert G.edges.members(dtype=dict) == H.edges.members(dtype=dict)
    assert G.edges.attrs("kind").asdict() == H.edges.attrs("kind").asdict()
    assert cl.hypergraph_complex(K) is K
