"""One rule for whatever can be lifted, in every public function that takes it.

What says the same gives the same, however it is held. What has gaps, or is something else than it
looks like, is refused everywhere: masked and missing entries, labels that mean a missing value,
points and matrices where hyperedges are wanted, several networks at once.
"""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from public_calls import ALL, arguments_of
from scipy import sparse

import cellapse as cl
from cellapse import lifts

EDGES = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5), (5, 6), (6, 0)]
GRAPH = nx.Graph(EDGES)
ADJACENCY = nx.to_numpy_array(GRAPH, range(7))
NAMES = ("source", "graph", "hyperedges", "operator")
# These take other things under the same name: words, or several complexes.
NOT_HERE = {"make_operator", "AddCollapsedPE", "AddHeatKernelSignature", "analyze"}
PLACES = [
    (name, key)
    for name in ALL
    for key in arguments_of(name)
    if key in NAMES and name.rpartition(".")[2] not in NOT_HERE
]


def masked(array, *places):
    made = np.ma.masked_array(array, mask=False)
    for place in places:
        made[place] = np.ma.masked
    return made


def with_one(array, value, *places):
    made = np.array(array, dtype=complex if np.iscomplexobj(value) else float)
    for place in places:
        made[place] = value
    return made


def labelled(missing):
    return [(missing, v) if u == 3 else (u, v) for u, v in EDGES]


REFUSED = {
    "a masked adjacency": lambda: masked(ADJACENCY, (0, 1), (1, 0)),
    "masked edges": lambda: masked(np.array(EDGES), (3, 1)),
    "an adjacency with NaN": lambda: with_one(ADJACENCY, np.nan, (0, 1), (1, 0)),
    "a complex adjacency": lambda: with_one(ADJACENCY, 1j, (0, 1), (1, 0)),
    "a vertex called NaN": lambda: labelled(float("nan")),
    "a vertex called None": lambda: labelled(None),
    "a vertex called NA": lambda: labelled(pd.NA),
    "a vertex called NaT": lambda: labelled(pd.NaT),
    "several graphs": lambda: [GRAPH, GRAPH],
    "several complexes": lambda: [cl.clique_complex(EDGES)] * 2,
    "an index of pandas": lambda: pd.MultiIndex.from_tuples(EDGES[:1]).unique().levels[0],
    "categories": lambda: pd.Categorical(["a", "b"]),
    "an empty frame": pd.DataFrame,
    "edges with an empty place": lambda: pd.DataFrame(
        {"source": ["a", "b"], "target": ["b", None]}
    ),
    "weights with an empty place": lambda: pd.DataFrame(
        {"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, None]}
    ),
    "dates as weights": lambda: pd.DataFrame(
        {
            "source": ["a", "b"],
            "target": ["b", "c"],
            "weight": pd.date_range("2020", periods=2),
        }
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize(("name", "key"), PLACES)
def test_gaps_are_refused(name, key, kind):
    function, arguments = ALL[name]()
    arguments.pop("weight", None)
    with pytest.raises(cl.CellapseError):
        function(**arguments | {key: REFUSED[kind]()})


SAME = {
    "a tuple": lambda: tuple(EDGES),
    "a set": lambda: set(EDGES),
    "a generator": lambda: (edge for edge in EDGES),
    "turned": lambda: [edge[::-1] for edge in EDGES[::-1]],
    "an array": lambda: np.array(EDGES),
    "an array without a masked entry": lambda: masked(np.array(EDGES)),
    "an adjacency": lambda: ADJACENCY,
    "a sparse adjacency": lambda: sparse.csr_array(ADJACENCY),
    "an adjacency of objects": lambda: ADJACENCY.astype(object),
    "an adjacency of truths": lambda: ADJACENCY > 0,
    "an adjacency without a masked entry": lambda: masked(ADJACENCY),
    "a frame": lambda: pd.DataFrame(EDGES, columns=["source", "target"]),
    "a dict of neighbours": lambda: {v: list(GRAPH[v]) for v in range(7)},
}


@pytest.mark.parametrize("kind", SAME)
def test_the_same_edges_give_the_same(kind):
    for call in (
        cl.collapse,
        cl.graph_laplacian,
        cl.as_operator,
        lambda edges: cl.collapse(cl.as_complex(edges)),
        lambda edges: cl.collapse(cl.clique_complex(edges)),
    ):
        expected, made = call(EDGES), call(SAME[kind]())
        assert list(made.labels) == list(expected.labels)
        np.testing.assert_allclose(made.toarray(), expected.toarray(), atol=1e-12)


POINTS = np.random.default_rng(0).random((5, 3))
FACES = np.array([[0, 1, 2], [2, 3, 4]])
TABLE = np.array([[0, 1], [1, 2]])
ONE = float("nan")
GAPS = {
    "faces of a mesh": lambda: lifts.mesh_complex(POINTS, masked(FACES, (0, 1))),
    "positions of a mesh": lambda: lifts.mesh_complex(masked(POINTS, (0, 1)), FACES),
    "a mesh": lambda: cl.as_complex((POINTS, masked(FACES, (0, 1)))),
    "cells of arrays": lambda: cl.Complex.from_arrays(5, {1: masked(TABLE, (0, 1))}),
    "cells": lambda: cl.Complex.from_cells({1: masked(TABLE, (0, 1))}),
    "rows": lambda: cl.clique_complex(list(masked(TABLE, (0, 1)))),
    "labels": lambda: cl.Complex.from_arrays(3, {1: TABLE}, labels=masked([5, 6, 7], 1)),
    "labels with NaN": lambda: cl.Complex.from_arrays(3, {1: TABLE}, labels=[0.5, ONE, 1.5]),
    "vertices with NaN": lambda: cl.Complex.from_cells({0: [0, ONE, 1], 1: [(0, 1)]}),
    "vertices of hyperedges": lambda: cl.hypergraph_complex([["a"]], vertices=["a", None]),
    "a graph with NaN": lambda: cl.as_complex(nx.Graph([(0, ONE)])),
    "hyperedges": lambda: cl.hypergraph_complex(masked(FACES, (0, 1))),
    "matrices": lambda: cl.collapse([masked([[1, 0], [-1, 1], [0, -1]], (0, 0))]),
    "pairs": lambda: cl.effective_resistance(EDGES, masked(TABLE, (0, 1))),
}


@pytest.mark.parametrize("kind", GAPS)
def test_gaps_are_refused_in_parts_too(kind):
    with pytest.raises(cl.InputError):
        GAPS[kind]()


MATRIX = np.array([[1, 0], [1, 0], [1, 1], [0, 1.0]])
NO_HYPEREDGES = {
    "points": lambda: np.random.default_rng(0).random((5, 2)),
    "a list of points": lambda: np.random.default_rng(0).random((5, 2)).tolist(),
    "an incidence matrix": lambda: MATRIX,
    "a matrix of truths": lambda: MATRIX > 0,
    "complex numbers": lambda: MATRIX * 1j,
    "gaps": lambda: np.array([[0.0, np.nan], [1.0, 2.0]]),
}


@pytest.mark.parametrize("kind", NO_HYPEREDGES)
def test_numbers_are_no_hyperedges(kind):
    with pytest.raises(cl.InputError):
        cl.hypergraph_complex(NO_HYPEREDGES[kind]())


def test_what_the_errors_of_matrices_and_points_advise():
    members = [MATRIX[:, j].nonzero()[0] for j in range(MATRIX.shape[1])]
    assert cl.hypergraph_complex(members).hyperedges is not None
    with pytest.raises(cl.InputError, match="nearest_neighbour_complex"):
        cl.clique_complex([(0.5, 0.2), (0.1, 0.3)])
    for lift in (
        lifts.alpha_complex,
        lambda x: lifts.rips_complex(x, 1.0),
        lambda x: lifts.nearest_neighbour_complex(x, 1),
    ):
        with pytest.raises(cl.InputError, match="Graph"):
            lift(GRAPH)
