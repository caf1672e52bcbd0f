"""What a reader makes one of is said, and how often it came is kept: edges, hyperedges, cells."""

import json

import pytest
from io_seeds import MSH_2, STL, VTK

import cellapse as cl
from cellapse.io import understand

GROUPS = ["abc", "abd", "ab", "cd"]


def hif(groups, **more):
    pairs = [{"edge": e, "node": v} for e, group in enumerate(groups) for v in group]
    return json.dumps({"incidences": pairs, **more})


def xgi(groups):
    edges = {str(i): list(group) for i, group in enumerate(groups)}
    return json.dumps({"node-data": {}, "edge-data": {}, "edge-dict": edges})


def simplices(groups, folder):
    numbers = [str("abcd".index(v) + 1) for group in groups for v in group]
    (folder / "x-simplices.txt").write_text("\n".join(numbers))
    return "\n".join(str(len(group)) for group in groups)


HYPERGRAPHS = {
    "x.hyperedges": lambda groups, _: "\n".join(" ".join(group) for group in groups),
    "hif.json": lambda groups, _: hif(groups),
    "xgi.json": lambda groups, _: xgi(groups),
    "x-nverts.txt": simplices,
}


def understood(name, text, folder, **options):
    path = folder / name
    path.write_text(text)
    return understand(path, **options)


def multiplicities(K, rank):
    cells = ("".join("abcd"[i] for i in cell.tolist()) for cell in K.cells[rank])
    return dict(zip(cells, K.attributes[rank]["multiplicity"].tolist(), strict=True))


@pytest.mark.parametrize("name", HYPERGRAPHS)
def test_a_hyperedge_within_a_larger_one_is_not_lost(name, tmp_path):
    what = understood(name, HYPERGRAPHS[name](GROUPS, tmp_path), tmp_path)
    own = multiplicities(what.complex, 1)
    assert own == {"ab": 1, "cd": 1, "ac": None, "bc": None, "ad": None, "bd": None}
    assert any("1 pairs are in several hyperedges" in fact for fact in what.facts)
    alone = understood(name, HYPERGRAPHS[name](["abc", "cd"], tmp_path), tmp_path)
    assert not alone.complex.attributes[1]
    assert not any("several" in fact for fact in alone.facts)


@pytest.mark.parametrize("name", HYPERGRAPHS)
def test_repeated_hyperedges_are_counted_and_told(name, tmp_path):
    text = HYPERGRAPHS[name]([*GROUPS, "bca", "ba", "d"], tmp_path)
    what = understood(name, text, tmp_path)
    assert multiplicities(what.complex, 1)["ab"] == 2
    assert multiplicities(what.complex, 2) == {"abc": 2, "abd": 1}
    assert "2 repeated hyperedges are one cell with a `multiplicity`" in what.facts
    assert any("of one vertex" in fact for fact in what.facts)
    assert not what.losses


def test_nothing_is_lost_that_a_projection_needs(tmp_path):
    """From what is kept, the number of hyperedges around each pair can be found again."""
    groups = [*GROUPS, "ab", "abc"]
    K = understood("x.hyperedges", "\n".join(" ".join(g) for g in groups), tmp_path).complex
    counts = dict.fromkeys(multiplicities(K, 1), 0)
    for rank in (1, 2):
        for cell, times in multiplicities(K, rank).items():
            for pair in counts:
                counts[pair] += (times or 0) * (set(pair) <= set(cell))
    weights = cl.hypergraph_complex(map(tuple, groups), multiplicity="weight").weights[1]
    assert list(counts.values()) == weights.tolist()


def test_data_that_repeated_hyperedges_lose_is_told(tmp_path):
    edges = [{"edge": e, "weight": w} for e, w in enumerate([1, 2, 3])]
    text = hif(["abc", "bca", "cd"], edges=edges)
    what = understood("hif.json", text, tmp_path, weight=None)
    assert len(what.losses) == 1
    assert what.losses[0].startswith("1 repeated hyperedges have other data")
    summed = understood("hif.json", text, tmp_path)
    assert not summed.losses
    assert summed.complex.weights[2].tolist() == [3]


FACET = (
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet"
)
TWICE = {
    "x.off": "OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n3 0 1 2\n3 1 2 3\n3 2 1 0\n",
    "x.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\nf 3 2 1\n",
    "x.stl": STL.replace("endsolid", f"{FACET}\nendsolid"),
    "x.msh": MSH_2.replace("$Elements\n3\n", "$Elements\n4\n").replace(
        "$EndE", "4 2 2 0 1 3 2 1\n$EndE"
    ),
    "x.vtk": VTK.replace("CELLS 2 9", "CELLS 3 13")
    .replace("4 0 1 2 3\n", "4 0 1 2 3\n3 2 1 0\n")
    .replace("CELL_TYPES 2\n5\n10", "CELL_TYPES 3\n5\n10\n5"),
    "x.gml": "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] "
    "edge [ source 2 target 1 ] ]",
    "x.dot": "graph { a -- b; b -- a }",
    "x.sif": "a pp b\nb pp a\n",
    "x.graph": "2 2\n2 2\n1 1\n",
    "x.col": "p edge 3 2\ne 1 2\ne 2 1\n",
    "x.net": "*Vertices 3\n*Edges\n1 2\n2 1\n2 3\n",
    "x.gdf": "nodedef>name VARCHAR\na\nb\nedgedef>node1,node2\na,b\nb,a\n",
    "x.dl": "dl n=3 format=edgelist1\ndata:\n1 2 5\n2 1 5\n2 3 1\n",
    "x.mtx": "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 0.5\n2 1 0.5\n3 2 1.5\n",
    "x.adjlist": "a b b c\nb a\n",
    "x.json": '{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2}, '
    '{"source": 2, "target": 1}]}',
    "x.graphml": '<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
    '<edge source="a" target="b"/><edge source="b" target="a"/></graph></graphml>',
    "x.gexf": '<gexf><graph><nodes><node id="a"/><node id="b"/></nodes><edges>'
    '<edge source="a" target="b"/><edge source="b" target="a"/></edges></graph></gexf>',
    "out.x": "% sym\n1 2\n2 1\n2 3\n",
    "x.csv": "a,b\nb,a\nb,c\n",
    "x.edges": "1 2\n2 1\n2 3\n",
}


@pytest.mark.parametrize("name", TWICE)
def test_every_reader_says_what_it_merged(name, tmp_path):
    what = understood(name, TWICE[name], tmp_path)
    assert any("repeated" in fact for fact in what.facts), what.facts


def test_a_pajek_vertex_listed_twice_is_refused(tmp_path):
    with pytest.raises(cl.InputError, match="vertex 1 twice"):
        understood("x.net", '*Vertices 2\n1 "a"\n2 "b"\n1 "z"\n*Edges\n1 2\n', tmp_path)
