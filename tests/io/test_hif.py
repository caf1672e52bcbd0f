"""HIF: what we write, the schema accepts; what it refuses, our reader refuses, with our error."""

import copy
import json
import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import closed_or_weighted, combinatorial_complexes, seeds, weighted

import cellapse as cl
from cellapse.io import hif_schema
from cellapse.io._options import Options
from cellapse.io.hif import hif_document, read_hif
from cellapse.io.json_files import read_json, write_hif

jsonschema = pytest.importorskip("jsonschema")
VALIDATOR = jsonschema.Draft202012Validator(hif_schema())

DOCUMENTS = {
    "ours": hif_document(
        cl.Complex.from_cells(
            {0: ["a", 2, ("c", 3)], 1: [("a", 2), (2, ("c", 3))], 2: [("a", 2, ("c", 3))]},
            weights={0: [1, 2, 3], 1: [1.0, 2.0]},
            attributes={0: {"x": [1.5, None, "y"]}, 2: {"tags": [("p", 1)]}},
            metadata={"name": "K"},
        )
    ),
    "foreign": {
        "network-type": "undirected",
        "metadata": {"name": "calls"},
        "nodes": [{"node": "a", "weight": 2, "attrs": {"age": 3}}, {"node": 7}],
        "edges": [{"edge": 0, "weight": 1.5}, {"edge": "e", "attrs": {}}],
        "incidences": [
            {"edge": 0, "node": "a", "weight": 1},
            {"edge": 0, "node": "b", "attrs": {}},
            {"edge": 0, "node": 7, "direction": "head"},
            {"edge": "e", "node": "a"},
            {"edge": "e", "node": "b"},
        ],
    },
    "simplicial": {
        "network-type": "asc",
        "incidences": [{"edge": e, "node": v} for e, v in [(0, 1), (0, 2), (1, 2), (1, 3)]],
    },
    "least": {"incidences": []},
}
ODD = [None, True, 0, 1, -1.5, "x", "head", "directed", [], [1], [{}], {}, {"rank": "x"}, {"a": []}]


def places(value, path=()):
    """The paths to all parts of a document."""
    yield path
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, key))


def changed(document, rng):
    """The document with a part replaced, removed or added."""
    result = copy.deepcopy(document)
    _, *paths = places(result)
    path = paths[rng.integers(len(paths))]
    owner = result
    for key in path[:-1]:
        owner = owner[key]
    kind = rng.integers(4)
    odd = copy.deepcopy(ODD[rng.integers(len(ODD))])
    if kind == 0:
        del owner[path[-1]]
    elif kind == 1 and isinstance(owner, dict):
        owner[["rank", "weight", "attrs", "direction", "edge", "color"][rng.integers(6)]] = odd
    elif kind == 1:
        owner.append(odd)
    else:
        owner[path[-1]] = odd
    return result


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_documents_here_are_valid(name):
    VALIDATOR.validate(DOCUMENTS[name])


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(max_examples=50)
@given(seed=seeds)
def test_what_the_schema_refuses_we_refuse(name, seed):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        document = changed(DOCUMENTS[name], rng)
        valid = VALIDATOR.is_valid(document)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cl.CellapseWarning)
            try:
                read_hif(document)
            except cl.InputError:
                continue
        assert valid, document


@given(
    K=st.one_of(closed_or_weighted, combinatorial_complexes(), weighted(combinatorial_complexes()))
)
def test_what_we_write_is_valid(K):
    VALIDATOR.validate(json.loads(write_hif(K)))


def test_files_of_xgi_are_valid(tmp_path):
    xgi = pytest.importorskip("xgi")
    H = xgi.Hypergraph({"x": [1, 2, 3], "y": [3, 4]}, name="H")
    H.add_node(9, color="red")
    S = xgi.SimplicialComplex([["a", "b", "c"], ["c", "d"]])
    for network in (H, S, xgi.DiHypergraph([({1, 2}, {3})])):
        xgi.write_hif(network, str(tmp_path / "x.json"))
        VALIDATOR.validate(json.loads((tmp_path / "x.json").read_text()))


def test_hypernetx_works_with_our_schema_instead_of_a_download(monkeypatch, tmp_path):
    """HyperNetX fetches the schema at every call; ours, compiled by its validator, does as well."""
    module = pytest.importorskip("hypernetx.hif")
    import hypernetx

    class Answer:
        text = json.dumps(hif_schema())

        @staticmethod
        def get(url):
            return Answer

    monkeypatch.setattr(module, "requests", Answer)
    H = hypernetx.Hypergraph({"e": ["a", "b", "c"], "f": ["c", "d"]}, name="H")
    document = module.to_hif(H)
    VALIDATOR.validate(document)
    assert read_hif(json.loads(json.dumps(document))).metadata["name"] == "H"
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    cl.write(K, tmp_path / "x.json")
    assert len(module.from_hif(filename=tmp_path / "x.json").edges) == sum(K.n_cells[1:])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"color": "red"}, "'color'.*metadata"),
        ({"metadata": []}, "metadata"),
        ({"network-type": "mixed"}, "'mixed'"),
        ({"nodes": {}}, "nodes"),
        ({"edges": [{"edge": 0, "color": "red"}]}, "'color'"),
        ({"edges": [{"edge": 0, "weight": "2"}]}, "weight '2'.*number"),
        ({"edges": [{"edge": 0, "weight": True}]}, "weight True.*number"),
        ({"nodes": [{"node": 1.5}]}, "integer"),
        ({"incidences": [{"edge": 0, "node": 1, "direction": "up"}]}, '"head" or "tail"'),
        ({"incidences": [{"edge": 0}]}, "'node'"),
    ],
)
def test_errors_say_where(change, words):
    with pytest.raises(cl.InputError, match=words):
        read_hif({**DOCUMENTS["least"], **change})


def hypergraph(weights, **more):
    groups = ["abc", "ad", "cab"][: len(weights)]
    edges = [{"edge": i, "weight": w} for i, w in enumerate(weights)]
    pairs = [{"edge": i, "node": v} for i, group in enumerate(groups) for v in group]
    return json.dumps({"incidences": pairs, "edges": edges, **more}).encode()


def test_weights_of_hyperedges_are_summed_as_those_of_objects_are():
    """The pairs within a hyperedge get its weight, as by `as_complex` and `hypergraph_complex`."""
    K = read_json(hypergraph([2, 3]), Options(weight="weight"))
    assert (K.weights[1].tolist(), K.weights[2].tolist()) == ([2.0, 2.0, 3.0, 2.0], [2.0])
    K = read_json(hypergraph([1, 3]), Options(weight="weight"))  # one of them is 1
    assert (K.weights[1].tolist(), K.weights[2].tolist()) == ([1.0, 1.0, 3.0, 1.0], [1.0])
    K = read_json(hypergraph([2, 3, 5]), Options(weight="weight"))
    assert (K.weights[1].tolist(), K.weights[2].tolist()) == ([7.0, 7.0, 3.0, 7.0], [7.0])
    K = read_json(hypergraph([2, 3]))  # as it does by default
    assert (K.weights[1].tolist(), K.weights[2].tolist()) == ([2.0, 2.0, 3.0, 2.0], [2.0])
    K = read_json(hypergraph([2, 3]), Options(weight=None))
    assert K.weights == (None, None, None)
    assert K.attributes[1]["weight"].tolist() == [None, None, 3, None]
    nodes = [{"node": "b", "weight": 4}, {"node": "a", "weight": 1}]
    K = read_json(hypergraph([2, 3], nodes=nodes), Options(weight="weight"))
    assert dict(zip(K.labels, K.weights[0], strict=True))["b"] == 4


def test_weights_of_one_count_when_asked_for():
    assert not read_json(hypergraph([1, 1])).attributes[2].keys() - {"id"}
    assert read_json(hypergraph([1, 1]), Options(weight="weight")).weights[2].tolist() == [1.0]


def test_xgi_json_sums_weights_too():
    document = {
        "edge-dict": {"0": ["a", "b", "c"], "1": ["a", "d"]},
        "edge-data": {"0": {"w": 2.0}, "1": {"w": 3.0}},
    }
    K = read_json(json.dumps(document).encode(), Options(weight="w"))
    assert (K.weights[1].tolist(), K.weights[2].tolist()) == ([2.0, 2.0, 3.0, 2.0], [2.0])


def test_weights_that_a_file_holds_as_such_are_called_weight(tmp_path):
    K = cl.Complex.from_cells({1: [("a", "b")]}, weights={1: [2.5]})
    for name in ("x.json", "x.npz"):
        cl.write(K, tmp_path / name)
        assert cl.read(tmp_path / name).weights[1].tolist() == [2.5]
        assert cl.read(tmp_path / name, weight="weight").weights[1].tolist() == [2.5]
        bare = cl.read(tmp_path / name, weight=None)
        assert bare.weights[1] is None
        assert bare.attributes[1]["weight"].tolist() == [2.5]
        with pytest.raises(cl.InputError, match="attribute"):
            cl.read(tmp_path / name, weight="w")


def test_directions_are_not_dropped_in_silence():
    with pytest.warns(cl.CellapseWarning, match="1 incidence.*weights.*directions"):
        read_hif(DOCUMENTS["foreign"])


def test_simplices_of_one_vertex_are_that_vertex():
    pairs = [(0, "a"), (1, "a"), (1, "b")]
    incidences = [{"edge": e, "node": v} for e, v in pairs]
    assert read_hif({"network-type": "asc", "incidences": incidences}).n_cells == (2, 1)


def test_numbers_as_names_of_hyperedges_are_no_attribute():
    document = {"edge-dict": {"0": ["a", "b"], "1": ["b", "c"]}}
    assert not read_json(json.dumps(document).encode()).attributes[1]
