"""Small GEXF, GML, GraphML, JSON and NPZ files, written by hand, and molecules."""

import io
import json
import math

import numpy as np
import pytest
from by_hand import understood

import cellapse as cl
from cellapse.io import FORMATS, gexf, gml, graphml, molecules, npz
from cellapse.io.json_files import read_json
from cellapse.io.results import as_table


def read(name, text, weight=None, **rules):
    """The labels, the edges, what is known of vertices and edges, and what was told."""
    found = understood(name, text, weight=weight, **rules)
    K = found.complex
    edges = list(K.cell_labels(1)) if K.max_rank else []
    columns = [{n: v.tolist() for n, v in of.items()} for of in K.attributes]
    return list(K.labels), edges, *columns[:2], found


def gexf_of(nodes, edges="", head="", kind=""):
    return f"<gexf><graph {kind}>{head}<nodes>{nodes}</nodes><edges>{edges}</edges></graph></gexf>"


TWO = "<node id='0' label='a'/><node id='1' label='b'/>"
JOINED = "<edge source='0' target='1'/>"
DECLARED = (
    "<attributes class='node'><attribute id='0' title='ok' type='boolean'/>"
    "<attribute id='1' title='n' type='integer'><default>7</default></attribute>"
    "<attribute id='2' type='string'/></attributes>"
    "<attributes class='edge'><attribute id='0' title='f' type='double'/></attributes>"
)


def valued(node, *pairs):
    values = "".join(f"<attvalue for='{k}' value='{v}'/>" for k, v in pairs)
    return f"<node id='{node}'><attvalues>{values}</attvalues></node>"


def test_gexf():
    labels, edges, *columns, notes = read("gexf", gexf_of(TWO, JOINED))
    assert (labels, edges, columns) == (["a", "b"], [("a", "b")], [{}, {}])
    assert (notes.facts, notes.losses) == ((), ())
    nodes = valued("x", (0, "true"), (1, "5"), (2, "u")) + valued("y", (0, "0"), (2, ""))
    edge = "<edge source='x' target='y' weight='2.5' label='l' kind=''><attvalues>"
    edge += "<attvalue for='0' value='.5'/></attvalues></edge>"
    labels, edges, of_nodes, of_edges, _ = read("gexf", gexf_of(nodes, edge, DECLARED))
    assert (labels, edges) == (["x", "y"], [("x", "y")])
    assert of_nodes == {"ok": [True, False], "n": [5, 7], "2": ["u", ""]}
    assert of_edges == {"label": ["l"], "weight": [2.5], "f": [0.5]}
    nodes = valued("x", (0, "1"), (1, "null")) + valued("y", (0, "False"), (1, ""))
    of_nodes = read("gexf", gexf_of(nodes, "", DECLARED))[2]
    assert of_nodes == {"ok": [True, False], "n": [7, 7]}
    placed = "".join(f"<node id='{i}'><position x='{i}' y='2' z='3'/></node>" for i in range(2))
    assert np.array(read("gexf", gexf_of(placed))[2]["position"]).tolist() == [[0, 2, 3], [1, 2, 3]]
    assert read("gexf", gexf_of(TWO.replace("'b'", "'a'"), JOINED))[0] == ["0", "1"]


def test_times_in_gexf_are_told_of():
    for word in ("start", "end", "timestamp", "spells"):
        nodes = TWO.replace("/>", f" {word}='1'/>", 1)
        notes = read("gexf", gexf_of(nodes, JOINED.replace("/>", f" {word}='2'/>")))[-1]
        assert notes.losses[0].startswith("2 nodes, edges or values have times")
    value = "<attvalue for='0' value='1' start='2'/>"
    notes = read("gexf", gexf_of(f"<node id='0'>{value}</node>", "", DECLARED))[-1]
    assert notes.losses[0].startswith("1 nodes, edges")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<gexf/>", "<graph>"),
        (gexf_of(TWO, JOINED, kind="defaultedgetype='directed'"), "directed"),
        (gexf_of(TWO, JOINED.replace("/>", " type='directed'/>")), "directed"),
        (gexf_of(TWO + TWO), "'0'"),
        (gexf_of(TWO).replace("</graph>", "</graph><graph/>"), "several"),
        (gexf_of(TWO).replace("</graph>", "<graph/></graph>"), "several"),
        (gexf_of("<node/>"), "<node>.*id="),
        (gexf_of(TWO, "<edge source='0'/>"), "<edge>.*target="),
        (
            gexf_of(TWO, "<edge source='0' target='1' weight='x'/>"),
            "'x'",
        ),
        (gexf_of(valued("x", (9, "1"))), "'9'"),
        (gexf_of(valued("x", (1, "u")), "", DECLARED), "'u'.*'n'"),
        (gexf_of(valued("x", (0, "u")), "", DECLARED), "'u'.*'ok'"),
    ],
)
def test_what_gexf_is_refused_for(text, words):
    with pytest.raises(cl.InputError, match=words):
        read("gexf", text)


def plain(K):
    return [{n: v.tolist() for n, v in of.items()} for of in K.attributes]


def sample(weight=(1.5, 2.0), **nodes):
    columns = {0: nodes, 1: {"weight": weight}}
    return cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2]]}, list("abc"), None, columns)


def test_gexf_and_graphml_are_written_with_their_types():
    K = sample(ok=[True, None, False], n=[1, 2, 3], f=[0.5, None, 1.0], s=["x", "", None],
               m=[1, "x", (1, 2)])  # fmt: skip
    for module, write, reader in (
        (gexf, gexf.write_gexf, "gexf"), (graphml, graphml.write_graphml, "graphml"),
    ):  # fmt: skip
        text = write(K).decode()
        word = "type" if module is gexf else "attr.type"
        for name, kind in (("ok", "boolean"), ("n", "long"), ("f", "double"), ("s", "string")):
            assert f'"{name}" {word}="{kind}"' in text
        of_nodes = read(reader, text)[2]
        assert of_nodes == {"ok": [True, None, False], "n": [1, 2, 3], "f": [0.5, None, 1.0],
                            "s": ["x", "", None], "m": ["1", "x", "[1, 2]"]}  # fmt: skip
    text = gexf.write_gexf(K).decode()
    assert '<edge id="1" source="b" target="c" weight="2.0">' in text
    assert (
        "weight"
        not in gexf.write_gexf(sample(["x", "y"])).decode().split("<edges>")[0].split("title")[0]
    )
    assert read("gexf", gexf.write_gexf(sample(["x", "y"])))[3] == {"weight": ["x", "y"]}
    assert read("gexf", gexf.write_gexf(sample([1, 2])))[3] == {"weight": [1.0, 2.0]}
    with pytest.raises(cl.InputError, match="`label`"):
        gexf.write_gexf(sample(label=["x", "y", "z"]))
    plain_graph = cl.Complex.from_cells({1: [("a", "b")]})
    assert b"weight" not in gexf.write_gexf(plain_graph)


NODE = 'node [ id {} label "{}" ] '
GML = "graph [ " + NODE.format(7, "a") + NODE.format(9, "b") + "%s ]"


@pytest.mark.parametrize(
    ("text", "labels", "nodes", "edges"),
    [
        (GML % "edge [ source 7 target 9 w 2 ]", "ab", {}, {"w": [2]}),
        (GML.replace('"b"', '"a"') % "", [7, 9], {"label": ["a", "a"]}, {}),
        ("graph [ node [ id 1 g [ x 1.5 y .5 ] ] ]", [1], {"g.x": [1.5], "g.y": [0.5]}, {}),
        ("graph [ node [ id 1 t 1 t 2 ] ]", [1], {"t": [(1, 2)]}, {}),
        ("graph [ node [ id 1 t 1 t \"_networkx_list_start\" ] ]", [1], {"t": [1]}, {}),
        ("graph [ node [ id 1 t 1e3 u -INF v +7 ] ]", [1], {"t": [1e3], "u": [-math.inf],
     "v": [7]}, {}),
        ("# x\ngraph [\n# y\nnode [ id 1 t \"a &amp; b\" ]\n]", [1], {"t": ["a & b"]}, {}),
        ("Creator \"x\" graph [ directed 0 node [ id 1 ] ]", [1], {}, {}),
    ],
)  # fmt: skip
def test_gml(text, labels, nodes, edges):
    found, _, of_nodes, *rest = read("gml", text)
    assert (found, of_nodes) == (list(labels), nodes)
    if edges:
        assert rest[0] == edges


def test_what_is_known_of_a_whole_gml_is_its_metadata():
    K = FORMATS["gml"].read(b'graph [ name "x" y 2 z [ u 1 ] directed 0 node [ id 1 ] ]')
    assert dict(K.metadata) == {"name": "x", "y": 2}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x 1", r"`graph \[ ... \]`"),
        ("graph 1", r"`graph \[ ... \]`"),
        (GML % "directed 1", "directed"),
        (GML.replace("9", "7") % "", "nodes"),
        (GML % "edge [ source 7 target 8 ]", "8"),
        (GML % "edge [ source 7 ]", "without"),
        (GML % "edge [ source 7 source 9 target 7 ]", "without"),
        ("graph [ node [ label 1 ] ]", "without"),
        ("graph [ node 1 ]", "1"),
        ("\ngraph [\nnode [ id 1 ]\n!x ]", "4.*'!x'"),
        ("graph [ ] ]", r"1.*'\]'"),
        (GML % "" + GML % "", "2 graphs"),
        ("graph [ node [ id 1 ]", "closed"),
        ("graph [ node [ id 1 x " + "9" * 4001 + " ] ]", "4001"),
        ("graph [ node [ id 1 " + "x [ " * 21 + "y 1 " + "] " * 21 + "] ]", "20"),
    ],
)
def test_what_gml_is_refused_for(text, words):
    with pytest.raises(cl.InputError, match=words):
        read("gml", text)


def test_gml_up_to_its_limits():
    assert read("gml", "graph [ node [ id 1 x " + "9" * 4000 + " ] ]")[0] == [1]
    deep = "graph [ node [ id 1 " + "x [ " * 20 + "y 1 " + "] " * 20 + "] ]"
    assert read("gml", deep)[2] == {"x." * 20 + "y": [1]}


def test_numbers_and_words_in_gml():
    values = [(1, "1"), (0.5, "0.5"), (1e300, "1.0e+300"), (math.nan, "NAN"), (math.inf, "+INF"),
              (-math.inf, "-INF"), ('a"b\'&', '"a&quot;b\'&amp;"')]  # fmt: skip
    for value, text in values:
        assert gml._written(value) == text
    for value in (True, None, (1,)):
        with pytest.raises(cl.InputError, match="GML"):
            gml._written(value)
    K = sample(n=[1, None, 3]).with_attributes({})
    assert b'node [ id 1 label "b" ]' in gml.write_gml(K)
    for columns in ({0: {"id": [1, 2, 3]}}, {0: {"label": [1, 2, 3]}}, {1: {"source": [1, 2]}},
                    {1: {"target": [1, 2]}}, {0: {"a b": [1, 2, 3]}},
     {0: {"_x": [1, 2, 3]}}):  # fmt: skip
        with pytest.raises(cl.InputError, match="GML"):
            gml.write_gml(sample().with_attributes(columns))
    assert b" source 1" in gml.write_gml(sample().with_attributes({0: {"source": [1, 2, 3]}}))


def graphml_of(inner, keys="", kind="edgedefault='undirected'"):
    return f"<graphml>{keys}<graph {kind}>{inner}</graph></graphml>"


KEYS = (
    "<key id='k' for='all' attr.name='n' attr.type='int'><default>3</default></key>"
    "<key id='b' for='node' attr.name='ok' attr.type='boolean'/><key id='s'/>"
    "<key id='g' for='graph' attr.name='title'><default>x</default></key>"
)
PAIR = "<node id='a'/><node id='b'/><edge source='a' target='b'/>"


def test_graphml():
    labels, edges, *columns, notes = read("graphml", graphml_of(PAIR))
    assert (labels, edges, columns) == (["a", "b"], [("a", "b")], [{}, {}])
    inner = (
        "<data key='g'>t</data><node id='a'><data key='k'> 5 </data><data key='b'>1</data></node>"
        "<node id='b'><data key='b'>FALSE</data><data key='s'> u </data></node>"
        "<edge source='a' target='b'><data key='s'>v</data></edge>"
    )
    found = read("graphml", graphml_of(inner, KEYS))
    assert found[2] == {"n": [5, 3], "ok": [True, False], "s": [None, " u "]}
    assert found[3] == {"n": [3], "s": ["v"]}
    assert dict(FORMATS["graphml"].read(graphml_of(inner, KEYS).encode()).metadata) == {
        "title": "t"
    }
    yed = "<node id='a'><data key='s'><y><z>1</z></y></data></node>"
    assert read("graphml", graphml_of(yed, KEYS))[2] == {"n": [3]}
    notes = read("graphml", graphml_of("<node id='a'/><edge source='a' target='b'/>"))[-1]
    assert notes.facts[0].startswith("1 ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<graphml/>", "<graph>"),
        (graphml_of(PAIR, kind="edgedefault='directed'"), "directed"),
        (graphml_of(PAIR.replace("<edge", "<edge directed='true'")), "directed"),
        (graphml_of(PAIR + "<node id='a'/>"), "'a'"),
        (graphml_of("<hyperedge/>"), "hyperedges"),
        (
            graphml_of("<node id='a'><data key='x'>1</data></node>"),
            "'x'",
        ),
        (
            graphml_of("<node id='a'><data key='k'>x</data></node>", KEYS),
            "'x'.*'n'",
        ),
        (graphml_of("<node id='a'><data key='b'>x</data></node>", KEYS), "'ok'"),
        (graphml_of("<graph/>"), "several"),
    ],
)
def test_what_graphml_is_refused_for(text, words):
    with pytest.raises(cl.InputError, match=words):
        read("graphml", text)


def document(**parts):
    return json.dumps(parts)


def listed(*ids, **more):
    return [{"id": v, **{k: x[i] for k, x in more.items()}} for i, v in enumerate(ids)]


def links(*pairs, **more):
    return [{"source": u, "target": v, **more} for u, v in pairs]


@pytest.mark.parametrize(
    ("text", "labels", "edges", "nodes", "of_edges"),
    [
        (document(nodes=listed("a", "b"), links=links("ab", w=2)), "ab", ["ab"], {}, {"w": [2]}),
        (document(nodes=listed("a", "b"), edges=links("ab")), "ab", ["ab"], {}, {}),
        (document(nodes=["a", "b"], links=[["a", "b"]]), "ab", ["ab"], {}, {}),
        (document(nodes=[{"name": "a"}, {"name": "b"}], links=links("ab")), "ab", ["ab"], {}, {}),
        (document(nodes=[{"key": "a", "id": 1}, {"key": "b"}], links=links("ab")), "ab", ["ab"],
         {"id": [1, None]}, {}),
        (document(nodes=[{}, {}], links=links((0, 1))), [0, 1], [(0, 1)], {}, {}),
        (document(nodes=listed("a", "b", index=[0, 1]), links=links((0, 1))), "ab", ["ab"], {}, {}),
        (document(nodes=listed("a", "b", index=[1, 0]), links=links("ab")), "ab", ["ab"],
         {"index": [1, 0]}, {}),
        (document(nodes=listed("a", "b"), links=[{"source": {"id": "a"}, "target": {"name": "b"}}]),
         "ab", ["ab"], {}, {}),
        (document(nodes=listed("a", "b"), links=links("ab", key=0), multigraph=True), "ab",
     ["ab"], {}, {}),
        (document(nodes=listed("a", "b"), links=links("ab", key=0)), "ab", ["ab"], {},
     {"key": [0]}),
        (document(nodes=listed([1, 2], "b"), links=links(([1, 2], "b"))), [(1, 2), "b"],
         [((1, 2), "b")], {}, {}),
        (document(nodes=[], links=links("ab")), "ab", ["ab"], {}, {}),
        (document(nodes=listed(1, 2, 0), links=links((0, 1), (1, 2))), [1, 2, 0], [(1, 0), (1, 2)],
         {}, {}),
        (document(nodes=listed(1, 2, 3), links=links((0, 1), (1, 2))), [1, 2, 3], [(1, 2), (2, 3)],
         {}, {}),
        (document(nodes=listed("a", "b"), adjacency=[[{"id": "b", "w": 2}], [{"id": "a", "w": 2}]]),
         "ab", ["ab"], {}, {"w": [2]}),
        (document(elements=[{"data": {"id": "a"}}, {"data": {"id": "b"}},
                            {"data": {"id": "e", "source": "a", "target": "b"}}]), "ab", ["ab"],
     {}, {}),
        (document(elements={"nodes": [{"data": {"id": "a"}, "position": {"x": 1, "y": 2}}]}), "a",
     [],
         {"position": [[1.0, 2.0]]}, None),
    ],
)  # fmt: skip
def test_graphs_in_json(text, labels, edges, nodes, of_edges):
    found, pairs, of_nodes, *rest = read("json", text)
    assert (found, pairs) == (list(labels), [tuple(e) for e in edges])
    assert of_nodes == nodes
    if of_edges is not None:
        assert rest[0] == of_edges


def test_what_is_known_of_a_whole_json_graph():
    for whole in ({"a": [1, 2], "b": 3}, [["a", [1, 2]], ["b", 3], ["c"], 7]):
        text = document(nodes=["x"], links=[], graph=whole)
        assert dict(read_json(text.encode()).metadata) == {"a": (1, 2), "b": 3}
    assert dict(
        read_json(document(elements=[{"data": {"id": 1}}], data={"t": 1}).encode()).metadata
    ) == {"t": 1}
    assert dict(read_json(document(nodes=["x"], links=[], graph=7).encode()).metadata) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1, 2]", "JSON.*HIF"),
        ("{", "JSON"),
        (document(type="collection"), "files"),
        (document(nodes=["a"], links=[], directed=True), "directed"),
        (document(nodes=listed("a", "a"), links=[]), "'id'"),
        (document(nodes=listed("a"), links=[{"source": "a"}]), "without"),
        (document(nodes=listed("a", "b"), links=links("ac")), "'c'"),
        (document(nodes=listed("a", "b"), links=links((0, 2))), "0"),
        (document(nodes=listed("a", "b"), links=links((-1, 0))), "-1"),
        (document(nodes=[["a"]], links=[]), "objects"),
        (document(nodes=listed({"x": {}}), links=[]), "without"),
        (document(nodes=listed(None), links=[]), "without"),
        (document(nodes=listed(True), links=[["a", "b", "c"]]), "objects"),
        (document(elements=7), "elements"),
        (document(elements=[{"data": 1}]), "elements"),
        (document(nodes=listed("a"), adjacency=[]), "1.*0"),
        (document(**{"edge-dict": 7}), "object"),
        (document(**{"edge-dict": {"0": "ab", "1": 7}}), "object"),
        (document(**{"edge-dict": {"0": ["a", 1]}}), "object"),
        (document(**{"edge-dict": {}, "type": "dihypergraph"}), "'dihypergraph'"),
        (document(**{"edge-dict": {}, "node-data": []}), "object"),
        (
            document(**{"edge-dict": {}, "edge-data": {"0": 1}}),
            "object",
        ),
    ],
)
def test_what_json_is_refused_for(text, words):
    with pytest.raises(cl.InputError, match=words):
        read("json", text)


def test_arcs_of_an_adjacency_are_distinguished_where_they_are_directed():
    text = document(nodes=listed("a", "b"), directed=True,
                    adjacency=[[{"id": "b", "w": 2}], [{"id": "a", "w": 3}]])  # fmt: skip
    with pytest.raises(cl.InputError, match="twice"):
        read("json", text, directed="ignore")
    assert read("json", text, directed="ignore", repeats="sum")[3]["w"] == [5.0]
    for name in ("loops", "repeats"):
        with pytest.raises(cl.InputError, match="graphs"):
            read("json", '{"incidences": []}', **{name: "keep" if name == "loops" else "sum"})


def incidences(*groups):
    return [{"edge": i, "node": v} for i, group in enumerate(groups) for v in group]


def hif_of(**parts):
    found = understood("json", json.dumps(parts), weight="auto")
    return found.complex, found


def test_hif():
    K, notes = hif_of(incidences=incidences("abc", "cd"))
    assert (K.n_cells, notes.facts, notes.losses) == ((4, 4, 1), (), ())
    K, _ = hif_of(incidences=incidences("abc", "ab"), **{"network-type": "asc"})
    assert K.n_cells == (3, 1, 1)
    ranked = [
        {"edge": 0, "attrs": {"rank": 2, "x": 7}, "weight": 2.5},
        {"edge": 1, "attrs": {"rank": 1}},
    ]
    K, _ = hif_of(incidences=incidences("abc", "ab"), edges=ranked)
    assert (K.n_cells, K.weights[2].tolist(), K.weights[1]) == ((3, 1, 1), [2.5], None)
    assert plain(K)[2] == {"x": [7]}
    K, notes = hif_of(incidences=incidences("ab") * 2)
    assert notes.facts[0].startswith("2 ")
    more = [{**r, "weight": 2} for r in incidences("ab")]
    assert hif_of(incidences=more)[1].losses[0].startswith("2 ")
    same = [{**r, "weight": 1, "attrs": {}} for r in incidences("ab")]
    assert hif_of(incidences=same)[1].losses == ()
    K, _ = hif_of(incidences=incidences("ab"), nodes=[{"node": v} for v in "xba"])
    assert list(K.labels) == ["x", "b", "a"]
    K, _ = hif_of(incidences=incidences("ab"), nodes=[{"node": "b", "attrs": {"t": 1}}])
    assert list(K.labels) == ["a", "b"]
    assert plain(K)[0] == {"t": [None, 1]}
    weighted = [{"edge": 0, "weight": 3}, {"edge": 1}]
    K, _ = hif_of(incidences=incidences("abc", "bcd"), edges=weighted)
    assert K.weights[2].tolist() == [3, 1]
    K, _ = hif_of(incidences=incidences("abc"), edges=[{"edge": 0, "weight": 1}])
    assert "weight" not in plain(K)[2]
    K, _ = hif_of(incidences=incidences("abc"), edges=[{"edge": 7}, {"edge": 0}])
    assert K.n_cells == (3, 3, 1)  # an edge without members


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"network-type": "x"}, "'x'"),
        ({"network-type": "directed"}, "hypergraph"),
        ({"x": 1}, "'x'.*HIF"),
        ({"metadata": 1}, "1"),
        ({"incidences": {}}, "incidences"),
        ({"incidences": [{"edge": 0}]}, "HIF.*'node'"),
        ({"incidences": [{"edge": 0, "node": 1.5}]}, "HIF.*'node'"),
        ({"incidences": [7]}, "HIF.*'edge'"),
        ({"nodes": [{"node": 0, "x": 1}]}, "'x'"),
        ({"nodes": [{"node": 0, "attrs": 1}]}, "1.*HIF"),
        ({"nodes": [{"node": 0, "weight": "x"}]}, "'x'.*HIF"),
        ({"nodes": [{"node": 0, "weight": True}]}, "True.*HIF"),
        ({"incidences": [{"edge": 0, "node": 1, "direction": "up"}]}, "'up'"),
        ({"edges": [{"edge": 0, "attrs": {"rank": -1}}]}, "0.*-1"),
        ({"edges": [{"edge": 0, "attrs": {"rank": 1001}}]}, "0.*1001"),
        ({"edges": [{"edge": 0, "attrs": {"rank": True}}]}, "0.*True"),
        ({"metadata": {"cellapse": {"max_rank": 1001}}}, "max_rank.*1001"),
        ({"metadata": {"cellapse": {"max_rank": -1}}}, "max_rank.*-1"),
        ({"metadata": {"cellapse": {"max_rank": True}}}, "max_rank.*True"),
        ({"metadata": {"cellapse": {"labels": "json"}}}, "'a'.*JSON"),
    ],
)
def test_what_hif_is_refused_for(parts, words):
    with pytest.raises(cl.InputError, match=words):
        hif_of(**{"incidences": incidences("ab"), **parts})


def test_nodes_listed_again_are_merged():
    parts = {
        "incidences": incidences("ab"),
        "nodes": [
            {"node": "a", "attrs": {"x": 1, "y": 2}},
            {"node": "b"},
            {"node": "a", "attrs": {"x": 5}},
        ],
    }
    K, notes = hif_of(**parts)
    assert plain(K)[0] == {"x": [5, None], "y": [2, None]}
    assert len(notes.facts) == 1
    assert hif_of(nodes=[], incidences=incidences("ab"))[0].n_cells == (2, 1, 0)


def saved(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


MATRIX = {"format": np.array(b"coo"), "shape": np.array([2, 2]), "data": np.array([3.0, 3.0]),
          "row": np.array([0, 1]), "col": np.array([1, 0])}  # fmt: skip


def test_matrices_in_npz():
    for arrays in (MATRIX, {"A": np.array([[0, 3.0, 0], [3, 0, 0], [0, 0, 0]])}):
        _, edges, _, of_edges, _ = read("npz", saved(**arrays))
        assert (edges, of_edges) == ([(0, 1)], {"weight": [3.0]})
    assert read("npz", saved(**{**MATRIX, "shape": np.array([100_200] * 2)}))[1] == [(0, 1)]
    csr = {
        **MATRIX,
        "format": np.array(b"csr"),
        "indices": np.array([1, 0]),
        "indptr": np.arange(3),
    }
    for kind in (b"csr", b"csc"):
        assert read("npz", saved(**{**csr, "format": np.array(kind)}))[1] == [(0, 1)]


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"A": np.eye(2)}, r"\['A'\]"),
        ({"A": np.eye(3), "B": np.eye(3)}, r"\['A'.*'B'.*\]"),
        ({"A": np.ones((3, 4))}, "arrays"),
        ({"A": np.ones(3)}, "arrays"),
        ({**MATRIX, "shape": np.array([2, 3])}, "2.*3.*2"),
        ({**MATRIX, "shape": np.array([100_201, 100_201])}, "of 100201 x 100201 with 2 entries"),
        ({**MATRIX, "shape": np.array([-2, -2])}, r"\[-2.*-2\]"),
        ({**MATRIX, "shape": np.array([2.0, 2.0])}, "numbers"),
        ({**MATRIX, "shape": np.array([2])}, "numbers"),
        ({**MATRIX, "format": np.array(b"bsr")}, "matrix"),
        ({**MATRIX, "format": np.array(7)}, "nameless"),
        ({k: MATRIX[k] for k in ("format", "shape", "data")}, "consistent"),
        ({**MATRIX, "row": np.array([0, 2])}, "consistent"),
        ({**MATRIX, "data": np.array([1j, 1j])}, "complex128"),
        ({"about": np.frombuffer(b"{}", np.uint8)}, "format"),
        ({"about": np.frombuffer(b"[", np.uint8)}, "JSON"),
    ],
)
def test_what_npz_is_refused_for(arrays, words):
    with pytest.raises(cl.InputError, match=words):
        read("npz", saved(**arrays))


def about(**parts):
    return np.frombuffer(json.dumps({"format": npz._FORMAT, **parts}).encode(), np.uint8)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"about": about()}, "attributes"),
        ({"about": about(attributes=[])}, "attributes"),
        ({"about": about(attributes=[[]] * 1002)}, "attributes"),
        ({"about": about(attributes=[[]])}, "complex"),
        ({"about": about(attributes=[[["x", "array"]]]), "labels": np.arange(2)}, "lacks a part"),
        ({"about": about(attributes=[[]]), "labels": np.ones(2)}, "float64"),
        ({"about": about(attributes=[[]]), "labels": np.ones((2, 2), int)}, ".2.*2."),
        ({"about": about(attributes=[[]]), "labels": np.frombuffer(b"7", np.uint8)}, "list"),
    ],
)
def test_parts_of_a_complex_in_npz(arrays, words):
    with pytest.raises(cl.InputError, match=words):
        read("npz", saved(**arrays))


def test_labels_of_npz():
    for labels in (
        range(3),
        (0, 1, 2),
        (5, 3, 1),
        (2**63 - 1, 0),
        ("a", 1),
        (2**63, 1),
        ((1, "a"), 2.5),
    ):
        K = cl.Complex.from_cells({0: list(labels)})
        L = npz.read_npz(npz.write_npz(K))
        assert list(L.labels) == list(labels)
    assert isinstance(npz.read_npz(npz.write_npz(cl.Complex.from_arrays(3, {}))).labels, range)
    names = npz.text_array
    assert names([1, 2**63 - 1, -(2**63)]).dtype == np.int64
    assert names([1, 2**63]).tolist() == ["1", str(2**63)]
    assert names([1, -(2**63) - 1]).dtype.kind == "U"
    assert names([True, False]).dtype == bool
    assert names([1, 2.5]).tolist() == [1, 2.5]
    assert names([1, True]).tolist() == ["1", "true"]
    with pytest.raises(cl.InputError, match="zero"):
        names(["a\0"])


def test_names_of_arrays():
    longest = "x" * (npz._LONGEST_NAME - 4)
    assert npz.pack({longest: np.arange(2)})
    for name, words in (
        (longest + "x", "array"),
        ("a\n", "name"),
        ("\0", "name"),
    ):
        with pytest.raises(cl.InputError, match=words):
            npz.pack({name: np.arange(2)})


def test_tables_of_results():
    K = cl.Complex.from_cells({1: [("a", "b")]})
    table = as_table({"x": [1.5, 2.5], "v": np.array([[1, 2], [3, 4]])}, K)
    assert table.to_csv() == b"node,x,v0,v1\na,1.5,1,2\nb,2.5,3,4\n"
    assert json.loads(table.to_json()) == {
        "node": ["a", "b"],
        "x": [1.5, 2.5],
        "v0": [1, 3],
        "v1": [2, 4],
    }
    assert as_table(np.array([1, 2]), K).to_csv() == b"node,value\na,1\nb,2\n"
    for given, on, words in (
        ([1, 2], None, "on=K"), ([1, 2, 3],
     K, "3.*2"),
        ({"node": [1, 2]}, K, '"node"'), (np.ones((2, 1, 1)), K, ".2.*1.*1."),
        ({"x": np.array([1j, 2])}, K, "ndarray"),
    ):  # fmt: skip
        with pytest.raises(cl.InputError, match=words):
            as_table(given, on)
    with pytest.raises(cl.InputError, match="NPZ"):
        as_table({"x": np.array(["a", None], object)}, K).to_npz()


def test_simplices_by_hand(tmp_path):
    def found(*texts, **options):
        for part in ("nverts", "simplices", "times"):
            (tmp_path / f"x-{part}.txt").unlink(missing_ok=True)
        for part, text in zip(("nverts", "simplices", "times"), texts, strict=False):
            (tmp_path / f"x-{part}.txt").write_text(text)
        found = cl.io.understand(tmp_path / "x-nverts.txt", **options)
        return list(found.complex.labels), found.complex.n_cells, found.facts

    three = ("3 2", "5 7 9 9 2", "10 20")
    assert found(*three)[:2] == ([2, 5, 7, 9], (4, 4, 1))
    labels, counts, facts = found(*three, window=(10, 20))
    assert (labels, counts) == ([5, 7, 9], (3, 3, 1))
    assert "1 of 2" in facts[0]
    assert found(*three, window=(11, 21))[0] == [2, 9]
    for texts, words in (
        (("1",), "file"), (("0", ""), "0.*0"), (("2", "1"), "2.*1"), (("2", "1 2", "1 2"), "2.*1"),
    ):  # fmt: skip
        with pytest.raises(cl.InputError, match=words):
            found(*texts)
    with pytest.raises(cl.InputError, match="window="):
        found("2", "1 2", window=(0, 1))


def test_three_files_of_simplices(tmp_path):
    for part, text in (("nverts", "3 2"), ("simplices", "5 7 9 9 2"), ("times", "10 20")):
        (tmp_path / f"x-{part}.txt").write_text(text)
    for part in ("nverts", "simplices", "times"):
        path = tmp_path / f"x-{part}.txt"
        assert cl.read(path).n_cells == (4, 4, 1)
        assert cl.read(path, window=(20, 30)).n_cells[:2] == (2, 1)
    (tmp_path / "x-times.txt").unlink()
    assert cl.read(tmp_path / "x-nverts.txt").n_cells == (4, 4, 1)
    (tmp_path / "x-nverts.txt").unlink()
    with pytest.raises(cl.InputError, match="file"):
        cl.read(tmp_path / "x-simplices.txt")


def test_times_of_konect():
    text = b"% sym\n1 2 1 10\n2 3 1 20\n3 1 1 30\n"
    found = understood("konect", text, window=(10, 30))
    assert found.complex.cell_labels(1) == ((1, 2), (2, 3))
    assert any("2 of 3" in fact for fact in found.facts)
    with pytest.raises(cl.InputError, match="window="):
        understood("konect", "% sym\n1 2 1\n", window=(10, 30))
    (loss,) = understood("konect", "% sym\n% 5 3\n1 2\n").losses
    assert loss.startswith("5 ")


def mol2(atoms="1 C1 0 0 0 C.3\n2 C2 1 0 0 C.3\n", bonds="1 1 2 1\n", head="2 1"):
    return f"@<TRIPOS>MOLECULE\nx\n{head}\nSMALL\n@<TRIPOS>ATOM\n{atoms}@<TRIPOS>BOND\n{bonds}"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("mol2", mol2() + mol2(), "@<TRIPOS>MOLECULE"),
        ("mol2", "x", "@<TRIPOS>MOLECULE"),
        ("mol2", mol2("1 C1 0 0 0\n", "", "1 0"), "words"),
        ("mol2", mol2(bonds="1 1 2\n"), "words"),
        ("mol2", mol2("", "", "0 0"), "words"),
        ("mol2", mol2(head="3 1"), r"\['3'.*'1'.*\].*2.*1"),
        ("mol2", mol2(head="2 2"), r"\['2'.*'2'.*\]"),
        ("mol2", mol2(bonds="1 1 3 1\n"), "bond"),
        ("mol2", mol2(bonds="1 0 2 1\n"), "bond"),
        ("xyz", "", "''.*1"),
        ("xyz", "0\nx\n", "'0'"),
        ("xyz", "2\nx\nH 0 0 0\n", "2"),
        ("xyz", "1\nx\nH 0 0\n", "1"),
        ("xyz", "1\nx\nH 0 0 0\nH 0 0 1\n", "structure"),
        ("xyz", "1\nx\nH 0 0 u\n", "'u'"),
        ("smiles", "CC a\nCO b\n", "holds 2 molecules"),
        ("smiles", "# x\n", "holds 0 molecules"),
        ("smiles", "smiles\n", "'smiles'"),
        ("sdf", "x\n$$$$\n", ""),
    ],
)
def test_what_molecules_are_refused_for(name, text, words):
    pytest.importorskip("rdkit")
    with pytest.raises(cl.CellapseError, match=words or "."):
        FORMATS[name].read(text.encode())


def test_molecules_by_hand():
    pytest.importorskip("rdkit")
    assert FORMATS["mol2"].read(mol2().encode()).n_cells[:2] == (2, 1)
    text = mol2("1 C1 0 0 0 C.3\n# x\n\n2 C2 1 0 0 C.3\n")
    assert [row[1] for row in molecules._lines(text, "ATOM")] == ["C1", "C2"]
    assert FORMATS["mol2"].read(mol2("1 C1 0 0 0 C.3\n", "", "1 0").encode()).n_cells[0] == 1
    for text in (
        "CCO",
        "CCO  ethanol x \n",
        "smiles name\nCCO a\n",
        "# x\n\nCanonical_SMILES\nCCO\n",
    ):
        K = FORMATS["smiles"].read(text.encode())
        assert K.n_cells[:2] == (3, 2)
    assert FORMATS["xyz"].read(b"2\nx\nH 0 0 0 9\nH 0 0 0.74\n\n").n_cells[:2] == (2, 1)


MOL = "x\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 C   0  0\n" \
      "    1.5000    0.0000    0.0000 O   0  0\n  1  2  1  0\nM  END\n"  # fmt: skip


def test_data_behind_a_molecule():
    pytest.importorskip("rdkit")
    data = "> <n>\n7\n\n> (1) <f> 5\n1.5\n\n>  <s>\na b\nc\n\n$$$$\n"
    K = FORMATS["sdf"].read((MOL + data).encode())
    assert {k: K.metadata[k] for k in "nfs"} == {"n": 7, "f": 1.5, "s": "a b\nc"}
    with pytest.raises(cl.InputError, match="record 2"):
        FORMATS["sdf"].read(
            (MOL + "$$$$\n" + MOL.replace("M  END", "").replace(" O ", " Qx")).encode()
        )
