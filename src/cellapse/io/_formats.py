"""The formats: how each is read and written, what it takes, and the extensions of its files.

A format is one file with its reader (and writer) and one line here. Files are imported when they
are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from cellapse._complex.complex import Complex
from cellapse.io._options import OF_GRAPHS, OF_TABLES

# Bytes of memory that readers take for a byte of their files.
_ARRAYS = 4
_ATOMS = 20  # an estimate
_TREES = 50  # an estimate; of XML, JSON and numbers
_WORDS = 100  # an estimate; of lines and their words
_TOKENS = 200  # an estimate
_BITS = 400  # an estimate; every letter holds six


def _function(where: str) -> Any:
    """Return the function `file:name` of this folder."""
    module, _, name = where.partition(":")
    return getattr(import_module(f"cellapse.io.{module}"), name)


class Format(NamedTuple):
    """How a format is read, how much memory a byte of it takes, its extensions and options."""

    reader: str
    growth: int
    extensions: tuple[str, ...]
    takes: tuple[str, ...] = ()
    keeps: str = ""  # what becomes of it, for the table in the documentation
    weighs: bool = False  # takes `weight` itself: where cells have weights of their own, or sums

    @property
    def read(self) -> Callable[..., Complex]:
        """From the bytes of a file, and options where it takes any, to a complex."""
        reader: Callable[..., Complex] = _function(self.reader)
        return reader


FORMATS: Mapping[str, Format] = {
    "edges": Format(
        "edges:read_edges",
        _WORDS,
        ("edges", "edgelist", "csv", "tsv", "txt", "dat"),
        (*OF_TABLES, *OF_GRAPHS),
        "a graph; further columns are attributes of edges, a line with one label is a lonely "
        "vertex; a square of numbers is an adjacency matrix",
    ),
    "matrix": Format(
        "matrix_text:read_matrix",
        _WORDS,
        ("adj",),
        ("sep", "header", *OF_GRAPHS),
        "a graph; labels in the first row and column, or none",
    ),
    "hyperedges": Format(
        "hyperedges:read_hyperedges",
        _WORDS,
        ("hyperedges", "hyperedgelist"),
        ("sep",),
        "one hyperedge per line; lifted as by `hypergraph_complex`",
    ),
    "gml": Format(
        "gml:read_gml",
        _WORDS,
        ("gml",),
        OF_GRAPHS,
        "a graph; labels, or ids where labels repeat; lists within a node as `graphics.x`",
    ),
    "graphml": Format(
        "graphml:read_graphml",
        _TREES,
        ("graphml", "xml"),
        OF_GRAPHS,
        "a graph; types and defaults as declared",
    ),
    "json": Format(
        "json_files:read_json",
        _TREES,
        ("json", "hif"),
        OF_GRAPHS,
        "[HIF](#hif): cells of the rank in `attrs.rank`, else a hypergraph; XGI's own "
        "JSON; graphs as node-link (networkx, D3), adjacency (networkx) or Cytoscape",
        weighs=True,
    ),
    "matrix market": Format(
        "matrix_market:read_matrix_market",
        _WORDS,
        ("mtx", "mm"),
        OF_GRAPHS,
        "a graph; the values of a symmetric matrix are `weight`",
    ),
    "npz": Format(
        "npz:read_npz",
        _ARRAYS,
        ("npz",),
        OF_GRAPHS,
        "a complex of `write`, or an adjacency of `scipy.sparse.save_npz`",
        weighs=True,
    ),
    "gexf": Format(
        "gexf:read_gexf",
        _TREES,
        ("gexf",),
        OF_GRAPHS,
        "a graph; attributes, weights, positions; not times",
    ),
    "pajek": Format(
        "pajek:read_pajek", _WORDS, ("net", "paj"), OF_GRAPHS, "a graph; labels, positions, weights"
    ),
    "adjlist": Format(
        "adjlist:read_adjlist",
        _WORDS,
        ("adjlist",),
        ("sep", *OF_GRAPHS),
        "a graph, without attributes",
    ),
    "dot": Format(
        "dot:read_dot", _TOKENS, ("dot", "gv"), OF_GRAPHS, "a graph; attributes of nodes and edges"
    ),
    "konect": Format(
        "konect:read_konect",
        _WORDS,
        ("konect",),
        ("window", *OF_GRAPHS),
        "a graph; edges that come again are added up, the two sides of a bipartite one "
        "kept from each other",
    ),
    "simplices": Format(
        "simplices:read_simplices",
        _WORDS,
        (),
        ("window",),
        "a hypergraph in three files of numbers; simplices that come again are counted",
    ),
    "graph6": Format(
        "graph6:read_graph6",
        _BITS,
        ("g6", "s6", "graph6", "sparse6"),
        OF_GRAPHS,
        "a graph, numbered from 0",
    ),
    "metis": Format(
        "metis:read_metis",
        _WORDS,
        ("graph", "metis"),
        OF_GRAPHS,
        "a graph, numbered from 1; weights",
    ),
    "dimacs": Format(
        "dimacs:read_dimacs",
        _WORDS,
        ("col", "clq", "dimacs", "gr"),
        OF_GRAPHS,
        "a graph, numbered from 1; weights",
    ),
    "sif": Format(
        "sif:read_sif", _WORDS, ("sif",), OF_GRAPHS, "a graph; the relation is `interaction`"
    ),
    "ncol": Format("edges:read_ncol", _WORDS, ("ncol",), OF_GRAPHS, "a graph; `weight`"),
    "gdf": Format(
        "gdf:read_gdf", _WORDS, ("gdf",), OF_GRAPHS, "a graph; attributes of nodes and edges"
    ),
    "ucinet": Format("ucinet:read_ucinet", _WORDS, ("dl",), OF_GRAPHS, "a graph; labels, `weight`"),
    "mat": Format(
        "mat:read_mat",
        _TREES,
        ("mat",),
        OF_GRAPHS,
        "a graph: the one square matrix in it, such as `Problem.A`",
    ),
    "stl": Format(
        "stl:read_stl", _TREES, ("stl",), (), "a mesh; corners at the same place are one vertex"
    ),
    "msh": Format(
        "gmsh:read_msh", _WORDS, ("msh",), (), "a mesh, with volumes at rank 3; as text, 2.2 or 4.1"
    ),
    "vtk": Format("vtk:read_vtk", _WORDS, ("vtk",), (), "a mesh, with volumes at rank 3; as text"),
    "vtu": Format("vtk:read_vtu", _WORDS, ("vtu",), (), "a mesh, with volumes at rank 3; as text"),
    "off": Format("meshes:read_off", _TREES, ("off",), (), "a mesh"),
    "obj": Format("meshes:read_obj", _TREES, ("obj",), (), "a mesh, with lines"),
    "ply": Format("ply:read_ply", _TREES, ("ply",), (), "a mesh; attributes of vertices"),
    "pdb": Format(
        "structures:read_pdb",
        _ATOMS,
        ("pdb", "ent"),
        (),
        "residues, as `protein_complex(path)`; needs `cellapse[protein]`",
    ),
    "mmcif": Format(
        "structures:read_mmcif",
        _ATOMS,
        ("cif", "mmcif"),
        (),
        "residues, as `protein_complex(path)`; needs `cellapse[protein]`",
    ),
    "smiles": Format(
        "molecules:read_smiles",
        _WORDS,
        ("smi", "smiles"),
        (),
        "atoms, bonds and rings, as `molecule_complex(path)`; needs `cellapse[molecule]`",
    ),
    "sdf": Format(
        "molecules:read_sdf",
        _TREES,
        ("sdf", "mol"),
        (),
        "atoms, bonds and rings; data and positions; needs `cellapse[molecule]`",
    ),
    "mol2": Format(
        "molecules:read_mol2",
        _TREES,
        ("mol2",),
        (),
        "atoms, bonds and rings; needs `cellapse[molecule]`",
    ),
    "xyz": Format(
        "molecules:read_xyz",
        _TREES,
        ("xyz",),
        (),
        "atoms, bonds by their distances, rings; needs `cellapse[molecule]`",
    ),
}
BY_EXTENSION = {e: name for name, format_ in FORMATS.items() for e in format_.extensions}


class Writer(NamedTuple):
    """How a complex is written, and, where that can be compared, read back: see `require_same`."""

    writer: str
    reader: str = ""
    kind: str = ""

    @property
    def write(self) -> Callable[[Complex], bytes]:
        """From a complex to the bytes of a file."""
        writer: Callable[[Complex], bytes] = _function(self.writer)
        return writer

    @property
    def read(self) -> Callable[[bytes], Complex]:
        """From these back to the complex."""
        reader: Callable[[bytes], Complex] = _function(self.reader)
        return reader


WRITERS: Mapping[str, Writer] = {
    "json": Writer("json_files:write_hif", "json_files:read_json", "full"),
    "hif": Writer("json_files:write_hif", "json_files:read_json", "full"),
    "npz": Writer("npz:write_npz", "npz:read_npz", "full"),
    "graphml": Writer("graphml:write_graphml", "graphml:read_graphml", "graph"),
    "gexf": Writer("gexf:write_gexf", "gexf:read_gexf", "graph"),
    "gml": Writer("gml:write_gml", "gml:read_gml", "graph"),
    "mtx": Writer("matrix_market:write_matrix_market", "matrix_market:read_matrix_market", "table"),
    "csv": Writer("edges:write_edges", "edges:read_edges", "table"),
    "tsv": Writer("edges:write_tabs", "edges:read_edges", "table"),
    "edges": Writer("edges:write_tabs", "edges:read_edges", "table"),
    "hyperedges": Writer("hyperedges:write_hyperedges"),
    "off": Writer("meshes:write_off"),
}
