"""Hypothesis strategies: small random complexes of every kind, and operators on them."""

from itertools import combinations

import networkx as nx
import numpy as np
from hypothesis import strategies as st

import cellapse as cl

REALIZATIONS = ("unfolded", "boundary", "incidence", "mixed", "screened")
BLOCKS = REALIZATIONS[:-1]  # those that are the Schur complement of a graded Laplacian

seeds = st.integers(0, 2**32 - 1)
weights_beta = st.sampled_from([0.3, 1.0, 2.5])


def rebuilt(K, weights=None, order=None):
    """The same complex with other weights, its vertices renumbered by `order` (new -> old)."""
    order = np.arange(K.n_vertices) if order is None else order
    new = np.argsort(order)
    cells = {k: (c.indptr, new[c.indices]) for k, c in enumerate(K.cells) if k}
    kept = {k: w for k, w in enumerate(K.weights) if w is not None}
    given = kept if weights is None else weights
    if 0 in given:
        given = {**given, 0: np.asarray(given[0])[order]}
    labels = [K.labels[v] for v in order]
    return cl.Complex.from_arrays(K.n_vertices, cells, labels=labels, weights=given)


@st.composite
def plain_graphs(draw, min_vertices=1, max_vertices=8):
    """networkx graphs, from empty to complete, often disconnected or with lonely vertices."""
    n = draw(st.integers(min_vertices, max_vertices))
    density = draw(st.sampled_from([0.15, 0.4, 0.7, 1.0]))
    rng = np.random.default_rng(draw(seeds))
    graph = nx.empty_graph(n)
    graph.add_edges_from(e for e in combinations(range(n), 2) if rng.random() < density)
    return graph


@st.composite
def graphs(draw, **sizes):
    """Complexes of rank 1."""
    return cl.clique_complex(draw(plain_graphs(**sizes)), max_rank=1)


@st.composite
def clique_complexes(draw, max_rank=4, **sizes):
    """Clique complexes of ranks 1..max_rank, some with all cliques at rank 2, some with holes."""
    graph, top = draw(plain_graphs(**sizes)), draw(st.integers(1, max_rank))
    if draw(st.booleans()):
        return cl.clique_complex(graph, top, cliques_as_rank2=draw(st.booleans()))
    return punctured(cl.clique_complex(graph, top), draw(seeds))


def punctured(K, seed):
    """A closed simplicial complex without some of its cells of highest rank."""
    rng = np.random.default_rng(seed)
    cells = {k: c.as_array() for k, c in enumerate(K.cells) if k and len(c)}
    if len(cells) > 1:
        top = max(cells)
        cells[top] = cells[top][rng.random(len(cells[top])) < 0.6]
    return cl.Complex.from_arrays(K.n_vertices, cells)


@st.composite
def hypergraphs(draw, max_vertices=7):
    """Hypergraph complexes, with hyperedges of one to five vertices, some given twice."""
    n = draw(st.integers(1, max_vertices))
    edge = st.lists(st.integers(0, n - 1), min_size=1, max_size=5, unique=True)
    edges = draw(st.lists(edge, min_size=0, max_size=6))
    multiplicity = draw(st.sampled_from(["merge", "weight"]))
    return cl.hypergraph_complex(edges, vertices=range(n), multiplicity=multiplicity)


@st.composite
def polygon_complexes(draw):
    """Graphs whose cycles are filled with polygons, listed from any vertex in any direction."""
    graph = draw(plain_graphs(min_vertices=3))
    walks = {}
    for cycle in nx.cycle_basis(graph):
        start = draw(st.integers(0, len(cycle) - 1))
        walk = cycle[start:] + cycle[:start]
        walks[frozenset(cycle)] = walk[::-1] if draw(st.booleans()) else walk
    cells = {0: list(graph), 1: list(graph.edges), 2: list(walks.values())}
    return cl.Complex.from_cells(cells)


@st.composite
def combinatorial_complexes(draw, max_vertices=6):
    """Any sets of vertices as cells; ranks grow with the size, leave gaps and may be shared."""
    n = draw(st.integers(1, max_vertices))
    sets = draw(st.sets(st.frozensets(st.integers(0, n - 1), max_size=n), max_size=8))
    rank, cells = {1: 0}, {0: list(range(n))}
    for size in range(2, n + 1):
        step = draw(st.integers(1 if size == 2 else 0, 2))
        rank[size] = rank[size - 1] + step
    for members in sorted((s for s in sets if len(s) > 1), key=sorted):
        cells.setdefault(rank[len(members)], []).append(sorted(members))
    return cl.Complex.from_cells(cells)


@st.composite
def weighted(draw, complexes):
    """The complexes of another strategy, with random weights on some of their ranks."""
    K = draw(complexes)
    rng = np.random.default_rng(draw(seeds))
    ranks = [k for k in range(K.max_rank + 1) if draw(st.booleans())]
    return rebuilt(K, weights={k: rng.uniform(0.3, 3.0, K.n_cells[k]) for k in ranks})


closed = st.one_of(graphs(), clique_complexes(), hypergraphs(), polygon_complexes())
closed_or_weighted = st.one_of(closed, weighted(closed))


@st.composite
def cases(draw, realizations=REALIZATIONS):
    """A complex and a realization that applies to it."""
    realization = draw(st.sampled_from(realizations))
    if realization == "incidence" and draw(st.booleans()):
        some = combinatorial_complexes()
        return draw(st.one_of(some, weighted(some))), realization
    return draw(closed_or_weighted), realization


@st.composite
def operators(
    draw,
    realizations=REALIZATIONS,
    eps=(1e-8, 1e-4, 1e-2, 1.0),
    gamma=("bound", "regularized", "less"),
):
    """Collapsed operators with random weights beta, gamma and eps, inside the bounds."""
    K, realization = draw(cases(realizations))
    kwargs = {"realization": realization, "eps": draw(st.sampled_from(eps))}
    if realization == "screened":
        kwargs["realization"] = cl.Screened(rounds=draw(st.integers(0, 3)))
    n_weights = max(K.max_rank, 1)
    kwargs["beta"] = draw(st.lists(weights_beta, min_size=n_weights, max_size=n_weights))
    kind = draw(st.sampled_from(gamma))
    if kind != "less":
        return cl.collapse(K, gamma=kind, **kwargs)
    if realization == "screened":
        return cl.collapse(K, gamma=draw(st.sampled_from([0.0, 0.5, 1.0])), **kwargs)
    bound = cl.collapse(K, gamma="bound", **kwargs).gamma
    n = len(bound)
    part = draw(st.lists(st.sampled_from([0.0, 0.5, 0.9]), min_size=n, max_size=n))
    return cl.collapse(K, gamma=bound * part, **kwargs)
