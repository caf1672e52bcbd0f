"""Lifts that fill a graph with sets of vertices: neighbourhoods, maximal cliques, or your own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.cells import Cells, build_cells
from cellapse._complex.complex import Complex
from cellapse._complex.graph import as_graph
from cellapse._complex.labels import as_tuples, numbered, positions
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError
from cellapse._shared.checks import whole_number
from cellapse._shared.memory import Fitting, require_memory
from cellapse.lifts.hyperedges import merge_copies


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def lift(graph: Any, cells: Callable[[Any], Any], *, weight: str | None = AUTO) -> Complex:
    """Return a graph and the cells that a function of yours finds in it.

    Parameters
    ----------
    graph : networkx.Graph, adjacency, edges, Complex, ...
        As for `clique_complex`.
    cells : function
        Called with `graph`; returns a collection of cells, which get rank 2, or {rank: cells} for
        ranks of 2 and above. A cell is a collection of vertex labels. Sets found several times
        are one cell; those of one or two vertices are left to the graph.
    weight : str or None
        As for `clique_complex`.

    Returns
    -------
    Complex

    Examples
    --------
    >>> import networkx as nx
    >>> lift(nx.cycle_graph(5), lambda graph: [list(graph)])
    Complex(n_cells=(5, 5, 1))
    """
    if not callable(cells):
        raise InputError(f"cells={cells!r:.80}; give a function of the graph")
    g = as_graph(graph, weight)
    chosen = cells(graph)
    by_rank = chosen if isinstance(chosen, Mapping) else {2: chosen}
    position = positions(g.labels)
    tables = {}
    for rank in sorted(whole_number("rank", k, 2, 1000) for k in by_rank):
        given = numbered(rank, as_tuples(rank, by_rank[rank]), position)
        checked = build_cells(rank, given, g.n_vertices, g.labels)
        tables[rank] = _distinct(checked, g.n_vertices)
    return g.with_cells(tables)


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def neighbourhood_complex(graph: Any, hops: int = 1, *, weight: str | None = AUTO) -> Complex:
    """Return a graph and, as cells of rank 2, what lies within some steps of each vertex.

    The cell of v is {u : at most `hops` edges from v to u}. Equal neighbourhoods are one cell;
    those of one or two vertices add nothing to the graph and are left out.

    Parameters
    ----------
    graph : networkx.Graph, adjacency, edges, Complex, ...
        As for `clique_complex`.
    hops : int
    weight : str or None
        As for `clique_complex`.

    Returns
    -------
    Complex

    Examples
    --------
    >>> import networkx as nx
    >>> K = neighbourhood_complex(nx.path_graph(4))
    >>> K.cell_labels(2)
    ((0, 1, 2), (1, 2, 3))
    """
    hops = whole_number("hops", hops, 1)
    g = as_graph(graph, weight)
    n = g.n_vertices
    i, j = g.edges.T
    ones = np.ones(2 * len(i), dtype=bool)
    step = sparse.csr_array((ones, (np.r_[i, j], np.r_[j, i])), shape=(n, n))
    step = (step + sparse.eye_array(n, dtype=bool)).tocsr()
    within = step
    for _ in range(hops - 1):
        size = within.nnz
        # The product takes at most one entry for every path of one more step.
        paths = float(np.diff(step.indptr)[within.indices].sum())
        require_memory(
            24.0 * min(paths, float(n) * n),
            f"the neighbourhoods of {hops} hops of {n:,} vertices",
            "take fewer hops or a sparser graph",
        )
        within = (within @ step).tocsr()
        if within.nnz == size:  # every component is reached
            break
    within.sort_indices()
    cells = Cells(within.indptr.astype(np.int64), within.indices.astype(np.int64))
    return g.with_cells({2: _distinct(cells, n)})


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def maximal_clique_complex(graph: Any, *, weight: str | None = AUTO) -> Complex:
    """Return a graph and its maximal cliques of three and more vertices, each one cell of rank 2.

    A clique counts once, as a whole; `clique_complex` has all its triangles instead.

    Parameters
    ----------
    graph : networkx.Graph, adjacency, edges, Complex, ...
        As for `clique_complex`.
    weight : str or None
        As for `clique_complex`.

    Returns
    -------
    Complex

    Examples
    --------
    >>> import networkx as nx
    >>> maximal_clique_complex(nx.complete_graph(5))
    Complex(n_cells=(5, 10, 1))
    """
    import networkx as nx

    g = as_graph(graph, weight)
    positioned = nx.Graph(g.edges.tolist())
    cliques = sorted(sorted(clique) for clique in nx.find_cliques(positioned) if len(clique) > 2)
    sizes = np.array([len(clique) for clique in cliques], dtype=np.int64)
    members = np.array([v for clique in cliques for v in clique], dtype=np.int64)
    return g.with_cells({2: (np.concatenate([[0], np.cumsum(sizes)]), members)})


def _distinct(cells: Cells, n: int) -> tuple[Any, Any]:
    first, _ = merge_copies(cells, n, np.ones(len(cells)))
    kept = cells.take(first)
    return kept.indptr, kept.indices
