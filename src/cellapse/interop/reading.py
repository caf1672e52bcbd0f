"""One door in: `as_complex` looks at what it was given and calls the reader of that library.

No library is imported to find out: whoever holds one of its objects has imported it already.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from scipy.sparse.linalg import LinearOperator

from cellapse._complex.complex import Complex
from cellapse._complex.simple import Rules
from cellapse._complex.weights import AUTO, weighted_by
from cellapse._errors import InputError
from cellapse._shared.memory import Fitting
from cellapse.interop import plain
from cellapse.interop._build import Ranks, Wanted

# The library a class comes from -> the file here that reads it.
_READERS = {
    "Bio": "structures",
    "MDAnalysis": "structures",
    "anndata": "anndata",
    "ase": "structures",
    "biotite": "structures",
    "gemmi": "gemmi",
    "gudhi": "gudhi",
    "hypergraphx": "hypergraphx",
    "hypernetx": "hypernetx",
    "igraph": "igraph",
    "matplotlib": "meshes",
    "mdtraj": "structures",
    "meshio": "meshes",
    "networkit": "networkit",
    "networkx": "networkx",
    "open3d": "meshes",
    "pandas": "pandas",
    "prody": "structures",
    "pygsp": "pygsp",
    "pyvista": "meshes",
    "rdkit": "rdkit",
    "scipy.spatial": "meshes",
    "sknetwork": "sknetwork",
    "toponetx": "toponetx",
    "torch": "matrices",
    "torch_geometric": "pyg",
    "trimesh": "trimesh",
    "vedo": "meshes",
    "xgi": "xgi",
}


# Those of them that read graphs, and so know what to do with directions, loops and repeats.
_GRAPHS = {
    "anndata",
    "igraph",
    "matrices",
    "networkit",
    "networkx",
    "pandas",
    "pyg",
    "pygsp",
    "sknetwork",
}


@Fitting("the complex", "take a smaller one")
def as_complex(
    source: Any,
    *,
    weight: str | None = AUTO,
    ranks: Ranks = None,
    directed: str = "refuse",
    loops: str = "drop",
    repeats: str | None = None,
) -> Complex:
    """Return whatever you have, as a `Complex`: labels, order and attributes are kept.

    Parameters
    ----------
    source : object
        A graph (networkx, square sparse adjacency, (m, 2) or (2, m) integer array, list of pairs),
        a hypergraph (XGI, HyperNetX, hypergraphx, a list of cells, {name: cell} with `ranks`), a
        complex (XGI or TopoNetX, GUDHI SimplexTree, {rank: cells}, the list of its incidence
        matrices), a PyG `Data`, a mesh (trimesh or (vertices, faces)), an RDKit molecule, a
        gemmi protein structure, a pandas table of edges or of cells.
    weight : str or None
        By default an attribute of edges and cells called "weight" counts, where there is one that
        is not one everywhere, and so do the values of an adjacency. Another name has to be there
        and counts at every rank whose cells have it, vertices as well; for an adjacency any name
        takes the values. None: nothing is weighted.
    ranks : "size", int or function, optional
        The ranks of hyperedges: their number of vertices less one, the same number for all, or
        what a function of the members says. By default their attribute "rank" where all have
        one; otherwise pairs within a hyperedge are edges and the hyperedge itself has rank 2, as
        in `hypergraph_complex`. Objects with ranks of their own need none.
    directed : {"refuse", "ignore"}
        What to do with a directed graph: cells have no direction.
    loops : {"drop", "keep", "refuse"}
        What to do with self-loops of a graph: leave them out with a note, make them the vertex
        attribute `loop` (the sum of their weights, or their number), or raise.
    repeats : {None, "count", "sum", "first"}
        What to do with several edges between two vertices: by default those with the same data
        count once, and others are refused. "count" makes them one edge with the attribute
        `multiplicity`, "sum" adds up their numbers besides, "first" takes the first.

    Returns
    -------
    Complex

    Examples
    --------
    >>> as_complex([("a", "b", "c"), ("c", "d")])
    Complex(n_cells=(4, 4, 1))
    >>> as_complex([("a", "b", "c"), ("c", "d")], ranks=1)
    Complex(n_cells=(4, 2))
    >>> import networkx as nx
    >>> as_complex(nx.karate_club_graph())
    Complex(n_cells=(34, 78), weighted=(1,))
    >>> as_complex(nx.karate_club_graph(), weight=None)
    Complex(n_cells=(34, 78))
    """
    wanted = Wanted(weight, ranks, Rules(directed, loops, repeats))
    if isinstance(source, Complex):
        wanted.check_ranked("a Complex")
        wanted.check_simple("a Complex")
        return source if weight == AUTO else weighted_by(source, weight)
    if isinstance(source, LinearOperator):  # which has a matrix, but not one of edges
        raise InputError(
            f"a {type(source).__name__} is an operator; give the complex or graph that it is "
            "made of"
        )
    reader = _reader(type(source))
    if reader is None:
        refuse_many(source)
        return plain.read(source, wanted)
    if reader not in _GRAPHS:
        wanted.check_simple(f"a {type(source).__name__}")
    return import_module(f"cellapse.interop.{reader}").read(source, wanted)


def refuse_many(obj: Any) -> None:
    """A list of graphs is no list of cells, though the vertices of each could be one."""
    members = obj.values() if isinstance(obj, dict) else obj
    first = next(iter(members), None) if isinstance(obj, list | tuple | dict) else None
    if plain.is_mesh(obj):
        return
    whole = _reader(type(first)) not in (None, "matrices") and not isinstance(first, Mapping)
    if isinstance(first, Complex) or (whole and getattr(first, "ndim", 2) > 1):
        kind = type(first).__name__
        raise InputError(
            f"a {type(obj).__name__} of {kind} objects is no list of cells; read one at a time: "
            "[as_complex(each) for each in them]"
        )


def _reader(kind: type) -> str | None:
    """The file for a class: that of the library which it, or a class it inherits from, is in."""
    for base in kind.__mro__:
        parts = base.__module__.split(".")
        for name in (".".join(parts[:2]), parts[0]):
            if name in _READERS:
                return _READERS[name]
    return None
