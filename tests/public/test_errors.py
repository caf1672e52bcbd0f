"""Hostile input ends in an error of ours that names the culprit; extremes that are fine work."""

import inspect
import warnings

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse import Complex, clique_complex, collapse, hypergraph_complex

TRIANGLE = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
NAN = float("nan")


def attributed(**data):
    graph = nx.Graph()
    graph.add_edge("u", "v", **data)
    return graph


def sums(*rows):
    return sparse.csr_array(np.array(rows, dtype=float))


def check(function, pattern):
    """The call fails with an error of ours whose message matches."""
    with pytest.raises(cl.CellapseError, match=pattern) as caught:
        function()
    assert isinstance(caught.value, ValueError | MemoryError | RuntimeError)
    assert len(str(caught.value)) > 20  # given, needed, remedy do not fit into less


# ---------------------------------------------------------------- complexes

BAD_COMPLEXES = {
    "duplicate cell": (
        lambda: Complex.from_cells({1: [("a", "b"), ("b", "c"), ("b", "a")]}),
        r"\('a', 'b'\).*rank 1.*twice",
    ),
    "duplicate walk": (
        lambda: Complex.from_cells({0: "abcd", 2: [tuple("abcd"), tuple("badc")]}),
        r"\('b', 'a', 'd', 'c'\) of rank 2 is given twice",
    ),
    "duplicate across ranks": (
        lambda: Complex.from_cells({1: [("a", "b")], 2: [("b", "a")]}),
        r"\('a', 'b'\) of rank 2.*twice.*rank 1",
    ),
    "a vertex as an edge": (
        lambda: Complex.from_cells({0: ["a", "b"], 1: [("b",)]}),
        r"\('b',\) of rank 1.*twice.*rank 0",
    ),
    "empty cell": (
        lambda: Complex.from_cells({0: ["a", "b"], 1: [("a", "b"), ()]}),
        "cell number 1 of rank 1 is empty",
    ),
    "unknown vertex": (
        lambda: Complex.from_cells({0: ["a", "b"], 1: [("a", "zoe")]}),
        r"\('a', 'zoe'\) of rank 1.*'zoe'.*not among the vertices",
    ),
    "unknown vertex among numpy numbers": (
        lambda: Complex.from_cells({0: [1, 2], 1: [(np.int64(1), np.int64(2)), (1, 77)]}),
        r"names 77",
    ),
    "unknown position": (
        lambda: Complex.from_arrays(3, {1: [[0, 1], [1, 3]]}),
        r"\(1, 3\) of rank 1 names vertex 3",
    ),
    "negative position": (
        lambda: Complex.from_arrays(3, {1: [[0, -1]]}),
        "rank 1 names vertex -1",
    ),
    "position 10^9": (
        lambda: Complex.from_arrays(3, {1: [[0, 10**9]]}),
        "names vertex 1000000000",
    ),
    "repeated vertex": (
        lambda: Complex.from_cells({2: [("a", "b", "a")]}),
        r"\('a', 'b', 'a'\) of rank 2.*'a' twice",
    ),
    "repeated vertex, ragged": (
        lambda: Complex.from_cells({2: [("a", "b", "c"), ("d", "c", "b", "d")]}),
        r"\('d', 'c', 'b', 'd'\) of rank 2.*'d' twice",
    ),
    "repeated label": (lambda: Complex.from_cells({0: ["a", "b", "a"]}), "'a'.*twice"),
    "repeated label of an array": (
        lambda: Complex.from_arrays(3, {}, labels=["x", "y", "y"]),
        "'y'.*twice",
    ),
    "wrong number of labels": (
        lambda: Complex.from_arrays(3, {}, labels=["x", "y"]),
        "2 labels for 3 vertices",
    ),
    "unhashable label": (lambda: Complex.from_cells({1: [(["q"], "b")]}), "hashed.*list"),
    "unhashable vertex": (lambda: Complex.from_cells({0: [["q"], "b"]}), "hashed.*list"),
    "unhashable in a cell": (
        lambda: Complex.from_cells({0: ["a", "b"], 1: [("a", ["q"])]}),
        r"\['q'\]",
    ),
    "rank not order-preserving": (
        lambda: Complex.from_cells({1: [("a", "b", "c")], 2: [("a", "b")]}),
        r"\('a', 'b'\) of rank 2 lies inside \('a', 'b', 'c'\) of rank 1",
    ),
    "rank not order-preserving, two apart": (
        lambda: Complex.from_cells({2: [("a", "b", "c", "d")], 4: [("d", "b", "a")]}),
        r"\('d', 'b', 'a'\) of rank 4|\('a', 'b', 'd'\) of rank 4",
    ),
    "negative rank": (lambda: Complex.from_cells({-1: [("a", "b")]}), "-1"),
    "rank that is no number": (lambda: Complex.from_cells({"one": [("a", "b")]}), "'one'"),
    "rank that is a bool": (lambda: Complex.from_cells({True: [("a", "b")]}), "True"),
    "rank 10^6": (lambda: Complex.from_arrays(2, {10**6: [[0, 1]]}), "1000000"),
    "no mapping": (lambda: Complex.from_cells([("a", "b")]), "list.*mapping"),
    "cell that is a string": (lambda: Complex.from_cells({1: ["ab"]}), "'ab' of rank 1"),
    "cell that is a number": (lambda: Complex.from_cells({1: [7]}), "7 of rank 1"),
    "cells that are a number": (lambda: Complex.from_cells({1: 7}), "rank 1"),
    "vertices that are a number": (lambda: Complex.from_cells({0: 7}), "rank 0|vertices|cells"),
    "no vertices": (lambda: Complex.from_cells({}), "at least one vertex"),
    "zero vertices": (lambda: Complex.from_arrays(0, {}), "at least one vertex"),
    "minus one vertex": (lambda: Complex.from_arrays(-1, {}), "vert"),
    "half a vertex": (lambda: Complex.from_arrays(2.5, {}), "2.5"),
    "vertices by name": (lambda: Complex.from_arrays("three", {}), "three"),
    "floats as positions": (lambda: Complex.from_arrays(2, {1: [[0.0, 1.0]]}), "rank 1.*float64"),
    "ragged table": (lambda: Complex.from_arrays(4, {2: [[0, 1, 2], [0, 3]]}), "rank 2.*sizes"),
    "flat list": (lambda: Complex.from_arrays(4, {1: [0, 1]}), r"rank 1.*shape \(2,\)"),
    "cells that are None": (lambda: Complex.from_arrays(4, {1: None}), "rank 1"),
    "indptr that falls": (
        lambda: Complex.from_arrays(4, {1: (np.array([0, 3, 2]), np.array([0, 1]))}),
        "indptr of rank 1",
    ),
    "vertices counted twice": (
        lambda: Complex.from_arrays(4, {0: [0, 1, 2]}),
        "3 vertices.*n_vertices is 4",
    ),
}  # fmt: skip

BAD_WEIGHTS = {
    "negative": ({1: [1.0, -2.0, 1.0]}, "weight -2.0 of cell number 1 of rank 1"),
    "zero": ({2: [0.0]}, "weight 0.0 of cell number 0 of rank 2"),
    "nan": ({0: [1.0, 1.0, NAN]}, "weight nan of cell number 2 of rank 0"),
    "infinite": ({1: [1.0, float("inf"), 1.0]}, "weight inf of cell number 1 of rank 1"),
    "too few": ({1: [1.0, 2.0]}, r"rank 1.*\(2,\).*3 cells"),
    "one number": ({1: 1.0}, r"rank 1.*\(\).*3 cells"),
    "table": ({1: [[1.0, 2.0, 3.0]]}, r"rank 1.*\(1, 3\).*3 cells"),
    "no such rank": ({5: [1.0]}, "rank 5"),
    "words": ({1: ["heavy", "heavy", "light"]}, "rank 1|heavy"),
    "no mapping": ([1.0, 2.0, 3.0], "weights"),
}


@pytest.mark.parametrize("name", BAD_COMPLEXES)
def test_bad_complexes(name):
    check(*BAD_COMPLEXES[name])


@pytest.mark.parametrize("name", BAD_WEIGHTS)
def test_bad_weights(name):
    weights, pattern = BAD_WEIGHTS[name]
    cells = {k: c.as_array() for k, c in enumerate(TRIANGLE.cells) if k}
    check(lambda: Complex.from_arrays(3, cells, weights=weights), pattern)


@pytest.mark.parametrize("rank", [-1, 3, 1.5, "one", None])
def test_bad_skeleton(rank):
    check(lambda: TRIANGLE.skeleton(rank), str(rank))


# ---------------------------------------------------------------- lifts

BAD_GRAPHS = {
    "DiGraph": (lambda: clique_complex(nx.DiGraph([(0, 1)])), "DiGraph.*to_undirected"),
    "MultiGraph": (lambda: clique_complex(nx.MultiGraph(2 * [(0, 1)])), r"MultiGraph.*nx\.Graph"),
    "MultiDiGraph": (lambda: clique_complex(nx.MultiDiGraph([(0, 1)])), "MultiDiGraph"),
    "non-symmetric": (lambda: clique_complex(sums([0, 1], [0, 0])), "not symmetric"),
    "unequal weights": (lambda: clique_complex(sums([0, 1], [2, 0]), weight="w"), "not symmetric"),
    "nan in the adjacency": (lambda: clique_complex(sums([0, NAN], [NAN, 0])), "NaN|nan|finite"),
    "not square": (lambda: clique_complex(sums([0, 1, 0], [1, 0, 0])), r"\(2, 3\).*square"),
    "dense matrix": (lambda: clique_complex(np.eye(3)[:, [1, 2, 0]]), "not symmetric"),
    "float edges": (lambda: clique_complex(np.array([[0.0, 1.0]])), "float64"),
    "negative vertex": (lambda: clique_complex(np.array([[0, -4]])), "vertex -4"),
    "vertex 10^9": (lambda: clique_complex(np.array([[0, 10**9]])), "1000000000"),
    "triple as an edge": (lambda: clique_complex([(1, 2, 3)]), r"\(1, 2, 3\).*hypergraph_complex"),
    "unhashable end": (lambda: clique_complex([(["q"], 2)]), "list"),
    "number": (lambda: clique_complex(5), "int"),
    "None": (lambda: clique_complex(None), "NoneType"),
    "word": (lambda: clique_complex("karat"), "did you mean karate"),
    "empty": (lambda: clique_complex(nx.Graph()), "at least one vertex"),
    "no edges in a list": (lambda: clique_complex([]), "at least one vertex"),
    "missing weight": (
        lambda: clique_complex(attributed(), weight="strength"),
        r"\('u', 'v'\).*'strength'",
    ),
    "negative weight": (lambda: clique_complex(attributed(w=-3), weight="w"), "-3"),
    "nan weight": (lambda: clique_complex(attributed(w=NAN), weight="w"), "nan"),
    "weight that is a word": (lambda: clique_complex(attributed(w="x"), weight="w"), "'w'|'x'"),
    "weight of a list": (lambda: clique_complex([(0, 1)], weight="w"), "'w'.*no attributes"),
    "max_rank 0": (lambda: clique_complex([(0, 1)], 0), "max_rank=0"),
    "max_rank 1.5": (lambda: clique_complex([(0, 1)], 1.5), "max_rank=1.5"),
    "max_rank True": (lambda: clique_complex([(0, 1)], True), "max_rank=True"),
    "max_rank 1001": (lambda: clique_complex([(0, 1)], 1001), "1001"),
}  # fmt: skip

BAD_HYPERGRAPHS = {
    "empty hyperedge": (lambda: hypergraph_complex([("a", "b"), ()]), "number 1.*empty"),
    "no hyperedges": (lambda: hypergraph_complex([]), "at least one vertex"),
    "repeated vertex": (lambda: hypergraph_complex([("a", "b", "a")]), "'a' twice"),
    "unknown vertex": (lambda: hypergraph_complex([("a", "zoe")], vertices=["a"]), "'zoe'"),
    "repeated label": (lambda: hypergraph_complex([("a", "b")], vertices="aba"), "'a'.*twice"),
    "unhashable": (lambda: hypergraph_complex([(["q"], "b")]), "list"),
    "words": (lambda: hypergraph_complex("abc"), "'abc'"),
    "number": (lambda: hypergraph_complex(5), "int|5"),
    "vertices by number": (lambda: hypergraph_complex([("a", "b")], vertices=5), "vertices|5"),
    "multiplicity": (lambda: hypergraph_complex([("a", "b")], multiplicity="sum"), "'sum'"),
}


@pytest.mark.parametrize("name", BAD_GRAPHS)
def test_bad_graphs(name):
    check(*BAD_GRAPHS[name])


@pytest.mark.parametrize("name", BAD_HYPERGRAPHS)
def test_bad_hypergraphs(name):
    check(*BAD_HYPERGRAPHS[name])


def test_a_label_of_10_to_the_9_is_only_a_label():
    K = clique_complex([(10**9, 7), (7, 3)])
    assert K.labels == (3, 7, 10**9)


# ---------------------------------------------------------------- matrices

BAD_MATRICES = {
    "shapes": ([np.ones((3, 2)), np.ones((3, 1))], "B_2 has 3 rows.*B_1 has 2 columns"),
    "nan": ([np.array([[1.0, NAN]])], "B_1.*NaN"),
    "nan further up": ([np.ones((2, 1)), np.array([[NAN]])], "B_2.*NaN"),
    "infinite": ([np.array([[np.inf]])], "B_1.*infinite"),
    "words": ([np.array([["a"]])], "B_1"),
    "three dimensions": ([np.ones((2, 2, 2))], "B_1"),
    "one dimension": ([np.ones(3)], "B_1"),
    "a matrix instead of a list": (np.ones((3, 2)), "B_1"),
    "a sparse matrix instead of a list": (sparse.csr_array(np.ones((3, 2))), "B_1"),
    "an adjacency in a list": ([np.ones((3, 3)) - np.eye(3)], "an adjacency, it seems"),
    "an adjacency with loops in a list": ([np.ones((3, 3))], "an adjacency, it seems"),
    "no matrices": ([], "no matrices"),
    "no vertices": ([np.ones((0, 3))], "no vertices"),
    "a number": (5, "int|5"),
    "None": (None, "None"),
    "a word": ("karat", "karate"),
    "complex numbers": ([np.array([[1j], [1.0]])], "B_1"),
}


@pytest.mark.parametrize("name", BAD_MATRICES)
def test_bad_matrices(name):
    source, pattern = BAD_MATRICES[name]
    check(lambda: collapse(source, "unfolded"), pattern)


@pytest.mark.parametrize("name", ["shapes", "nan", "no matrices", "a number", "None"])
def test_bad_matrices_of_a_graded_laplacian(name):
    source, pattern = BAD_MATRICES[name]
    check(lambda: cl.graded_laplacian(source), pattern)


@pytest.mark.parametrize("realization", ["boundary", "incidence", "mixed"])
def test_matrices_are_a_realization_already(realization):
    check(
        lambda: collapse([np.ones((2, 1))], realization=realization),
        f"'{realization}'.*already are a realization",
    )


# ---------------------------------------------------------------- collapse

BAD_ARGUMENTS = {
    "eps below zero": ({"eps": -1e-3}, "eps=-0.001"),
    "eps nan": ({"eps": NAN}, "eps=nan"),
    "eps infinite": ({"eps": float("inf")}, "eps=inf"),
    "eps word": ({"eps": "small"}, "eps='small'"),
    "eps None": ({"eps": None}, "eps=None"),
    "eps list": ({"eps": [1.0, 2.0]}, r"eps has shape \(2,\)"),
    "eps imaginary": ({"eps": 1j}, "eps=1j"),
    "beta negative": ({"beta": -2.0}, "beta=-2.0"),
    "beta negative within": ({"beta": (1.0, -2.0)}, r"beta=\(1.0, -2.0\)"),
    "beta nan": ({"beta": NAN}, "beta=nan"),
    "beta too long": ({"beta": (1, 2, 3)}, r"beta has shape \(3,\).*2"),
    "beta word": ({"beta": "one"}, "beta='one'"),
    "gamma word": ({"gamma": "largest"}, "gamma='largest'.*bound.*regularized"),
    "gamma negative": ({"gamma": -0.5}, "gamma=-0.5"),
    "gamma nan": ({"gamma": NAN}, "gamma=nan"),
    "gamma too short": ({"gamma": [0.1]}, r"gamma has shape \(1,\).*2"),
    "gamma unchecked word": ({"gamma": cl.Unchecked("x")}, "gamma='x'"),
    "onto below": ({"onto": -1}, "onto=-1"),
    "onto above": ({"onto": 3}, r"onto=3.*0\.\.2"),
    "onto float": ({"onto": 1.0}, "onto=1.0"),
    "onto bool": ({"onto": True}, "onto=True"),
    "onto word": ({"onto": "edges"}, "onto='edges'"),
    "realization": ({"realization": "signed"}, "'signed'.*unfolded.*screened"),
    "realization number": ({"realization": 5}, "realization=5"),
    "realization class": ({"realization": cl.Screened}, r"an object: Screened\(\)"),
    "solver word": ({"solver": "cg"}, "solver='cg'.*Direct"),
    "solver class": ({"solver": cl.CG}, "solver=.*CG"),
    "theta and gamma": ({"realization": cl.Screened(theta=0.5), "gamma": 0.5}, "theta=0.5.*both"),
    "screened with solver": ({"realization": "screened", "solver": cl.CG()}, "screened.*solver"),
    "screened with Direct": ({"realization": "screened", "solver": cl.Direct()}, "screened"),
    "screened onto edges": ({"realization": "screened", "onto": 1}, "onto.*screened"),
    "screened theta": ({"realization": "screened", "gamma": 1.5}, r"\(1.5,\).*\(1,\)"),
    "screened two thetas": ({"realization": "screened", "gamma": (0.5, 0.5)}, "gamma has shape"),
    "screened beta": ({"realization": "screened", "beta": (1, 1, 1)}, "beta has shape"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_ARGUMENTS)
def test_bad_arguments(name):
    kwargs, pattern = BAD_ARGUMENTS[name]
    check(lambda: collapse(TRIANGLE, **{"realization": "unfolded", **kwargs}), pattern)


@pytest.mark.parametrize("realization", ["unfolded", "boundary", "incidence", "mixed"])
def test_gamma_beyond_the_bound(realization):
    """The message holds what was given and what is allowed; Unchecked turns it into a warning."""
    S = collapse(TRIANGLE, realization=realization, eps=0.25)
    given = 2.0 * S.bound
    allowed = np.sqrt(S.beta * (S.beta * S.sigma**2 + 0.25))

    def numbers(values):
        return r"\(" + ", ".join(f"{v:.4g}".replace(".", r"\.") for v in values) + r"\)"

    pattern = f"{numbers(given)} exceeds.*{numbers(allowed)}"
    check(lambda: collapse(TRIANGLE, realization=realization, gamma=given, eps=0.25), pattern)
    with pytest.warns(cl.CellapseWarning, match=pattern):
        T = collapse(TRIANGLE, realization=realization, gamma=cl.Unchecked(given), eps=0.25)
    assert T.gamma.tolist() == given.tolist()


def test_gamma_beyond_the_bound_of_a_graded_laplacian():
    B = cl.boundary_matrices(TRIANGLE)
    check(lambda: cl.graded_laplacian(B, gamma=2.0), r"\(2, 2\) exceeds.*\(1\.732, 1\.732\)")
    with pytest.warns(cl.CellapseWarning, match=r"\(2, 2\) exceeds"):
        L = cl.graded_laplacian(B, gamma=cl.Unchecked(2.0))
    assert L.gamma.tolist() == [2.0, 2.0]


def test_gamma_within_the_bound_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        S = collapse(TRIANGLE, "unfolded")
        collapse(TRIANGLE, "unfolded", gamma=S.bound)
        collapse(TRIANGLE, "unfolded", gamma=cl.Unchecked(S.bound))
        collapse(TRIANGLE, "unfolded", gamma=0.0)


def test_no_eps_no_regularized_bound():
    """A graded Laplacian has no eps that could pay for a larger gamma."""
    B = cl.boundary_matrices(TRIANGLE)
    check(lambda: cl.graded_laplacian(B, gamma="regularized"), "regularized")


def test_beta_zero_does_not_hide_gamma():
    """Without beta nothing balances gamma: S would be -gamma^2 B_1 B_1^T / eps, never 0."""
    K = Complex.from_arrays(2, {1: [[0, 1]]})
    check(lambda: collapse(K, "unfolded", beta=0.0, gamma=1.0, eps=0.5), r"\(1,\) exceeds.*\(0,\)")
    check(lambda: collapse(K, "unfolded", beta=0.0, gamma=cl.Unchecked(1.0), eps=0.5), "beta")


@pytest.mark.parametrize("realization", ["unfolded", "mixed", "screened"])
@pytest.mark.parametrize(
    "cells",
    [
        {2: [("a", "b", "c")]},
        {1: [("a", "b")], 2: [("a", "b", "c")]},
        {1: [("x", "y")], 2: [("a", "b", "c")]},
    ],
)
def test_cells_without_edges(realization, cells):
    K = Complex.from_cells(cells)
    check(lambda: collapse(K, realization=realization), r"\('a', 'b', 'c'\).*edges.*incidence")


@pytest.mark.parametrize("realization", ["unfolded", "mixed", "screened"])
def test_cells_of_high_rank_without_edges(realization):
    K = Complex.from_cells({1: [("a", "b")], 3: [("a", "b", "c")]})
    check(lambda: collapse(K, realization=realization), "edges.*incidence")


BAD_BOUNDARIES = {
    "a missing edge": ({1: [("a", "b"), ("b", "c")], 2: [("a", "b", "c")]}, "'a', 'b', 'c'"),
    "no edges": ({0: "abcd", 2: [("a", "b", "c", "d")]}, "'a', 'b', 'c', 'd'"),
    "no walk": (
        {1: [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")], 2: [("a", "c", "b", "d")]},
        "'a', 'c', 'b', 'd'.*walk",
    ),
    "no faces": ({1: [("a", "b"), ("b", "c"), ("a", "c")], 3: [("a", "b", "c", "d")]}, "'d'"),
    "two faces of a large cell": (
        {
            1: [(0, 1), (1, 2), (2, 0), (2, 3), (3, 0), (3, 4), (4, 0)],
            2: [(0, 1, 2), (0, 2, 3)],
            3: [(0, 1, 2, 3, 4)],
        },
        r"\(0, 1, 2, 3, 4\) of rank 3",
    ),
    "an edge of three": ({1: [("a", "b", "c")]}, r"\('a', 'b', 'c'\) of rank 1 has 3 vertices"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_BOUNDARIES)
def test_boundary_of_what_is_not_closed(name):
    cells, pattern = BAD_BOUNDARIES[name]
    K = Complex.from_cells(cells)
    check(lambda: collapse(K, realization="boundary"), pattern)
    check(lambda: cl.boundary_matrices(K), pattern)
    check(K.betti_numbers, pattern)
    collapse(K, realization="incidence").toarray()  # which needs no closure


@pytest.mark.parametrize("kwargs", [{"rtol": 0}, {"rtol": 2}, {"rtol": NAN}, {"max_steps": 0}])
def test_bad_solvers(kwargs):
    check(lambda: cl.CG(**kwargs), next(iter(kwargs)))


def test_conjugate_gradients_that_do_not_arrive():
    K = clique_complex(nx.karate_club_graph(), weight=None)
    S = collapse(K, "unfolded", eps=1e-8, solver=cl.CG(rtol=1e-12, max_steps=2))
    with pytest.raises(cl.ConvergenceError, match=r"residual.*rtol.*max_steps"):
        S @ np.arange(34.0)


# ---------------------------------------------------------------- operators

SIGNALS = {
    "too long": (np.ones(4), r"\(4,\).*3"),
    "too short": (np.ones((2, 5)), r"\(2, 5\).*3"),
    "nan": ([1.0, NAN, 1.0], "NaN"),
    "infinite": ([1.0, np.inf, 1.0], "infinite"),
    "words": (["a", "b", "c"], "number|'a'"),
    "None": (None, r"\(\)|None"),
    "three dimensions": (np.ones((3, 1, 1)), r"\(3, 1, 1\)"),
    "complex numbers": (np.ones(3) * 1j, "complex|real|number"),
}
METHODS = {
    "complete": lambda S, u: S.complete(u),
    "energy": lambda S, u: S.energy(u),
    "mass": lambda S, u: S.spectrum(2, mass=u),
}


FINE = {("mass", "None"), ("energy", "complex numbers")}
CALLS = [(m, name) for m in METHODS for name in SIGNALS if (m, name) not in FINE]


@pytest.mark.parametrize(("method", "name"), CALLS)
@pytest.mark.parametrize("realization", ["unfolded", "screened"])
def test_bad_signals(method, name, realization):
    S = collapse(TRIANGLE, realization=realization)
    signal, pattern = SIGNALS[name]
    check(lambda: METHODS[method](S, signal), pattern)


@pytest.mark.parametrize("x", [np.ones(4), np.ones((2, 3)), np.ones((3, 1, 1))])
def test_products_of_the_wrong_shape(x):
    S = collapse(TRIANGLE, "unfolded")
    check(lambda: S @ x, "shape|dimension")


@pytest.mark.parametrize(
    ("mass", "pattern"),
    [
        ([1.0, 0.0, 1.0], "mass 0 at 'b'"),
        ([1.0, 1.0, -2.0], "mass -2 at 'c'"),
        ("volume", "mass='volume'"),
        (np.ones((3, 2)), "mass"),
    ],
)
def test_bad_masses(mass, pattern):
    K = Complex.from_cells({1: [("a", "b"), ("b", "c")]})
    check(lambda: collapse(K, "unfolded").spectrum(1, mass=mass), pattern)


@pytest.mark.parametrize("k", [0, -1, 4, 1.0, True, "two"])
def test_bad_number_of_eigenpairs(k):
    check(lambda: collapse(TRIANGLE, "unfolded").spectrum(k), f"k={k!r}".replace(".", r"\."))


@pytest.mark.parametrize(("i", "j"), [(0, 3), (-1, 0), (3, 3)])
def test_bad_blocks(i, j):
    L = cl.graded_laplacian(cl.boundary_matrices(TRIANGLE))
    check(lambda: L.block(i, j), f"{i}, {j}")


# ---------------------------------------------------------------- memory


def test_dense_operator_too_large(monkeypatch):
    S = collapse(clique_complex(nx.path_graph(200)), "unfolded")
    monkeypatch.setattr("cellapse._shared.memory.available_memory", lambda: 500_000)
    with pytest.raises(cl.SizeError, match=r"200 .*2\.2 MB.*500\.0 kB.*S @ x"):
        S.toarray()
    assert np.isfinite(S @ np.ones(200)).all()


def test_too_many_pairs_in_a_hyperedge(monkeypatch):
    monkeypatch.setattr("cellapse._shared.memory.available_memory", lambda: 100_000)
    with pytest.raises(cl.SizeError, match=r"19,900 pairs.*200 vertices.*1\.3 MB"):
        hypergraph_complex([range(200)])
    assert hypergraph_complex([range(20)]).n_cells == (20, 190, 1)


def test_too_many_cliques(monkeypatch):
    monkeypatch.setattr("cellapse._shared.memory.available_memory", lambda: 100_000)
    with pytest.raises(cl.SizeError, match=r" 3 .*max_rank"):
        clique_complex(nx.complete_graph(100))


# ---------------------------------------------------------------- extremes that are fine

EXTREMES = {
    "one vertex": Complex.from_cells({0: ["a"]}),
    "one vertex, ranks without cells": Complex.from_arrays(1, {1: [], 2: []}),
    "no edges": Complex.from_arrays(3, {}),
    "an empty rank of edges": Complex.from_arrays(3, {1: []}),
    "no cells above the edges": Complex.from_arrays(3, {1: [[0, 1], [1, 2]]}),
    "empty ranks above the edges": Complex.from_arrays(3, {1: [[0, 1]], 2: [], 3: []}),
    "a lonely vertex": Complex.from_arrays(4, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]}),
    "an edge": Complex.from_cells({1: [("a", "b")]}),
}
REALIZATIONS = ("unfolded", "boundary", "incidence", "mixed", "screened")


SETTINGS = [
    {"realization": realization, **kwargs}
    for realization in REALIZATIONS
    for kwargs in ({}, {"eps": 0}, {"gamma": "regularized"}, {"gamma": 0.0}, {"beta": 0.0})
] + [{"realization": realization, "solver": cl.CG()} for realization in REALIZATIONS[:-1]]


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("kwargs", SETTINGS, ids=lambda kwargs: "-".join(map(str, kwargs.values())))
def test_extremes(name, kwargs):
    """Everything an operator can do works on the smallest complexes, and nothing warns."""
    K = EXTREMES[name]
    n = K.n_vertices
    S = collapse(K, **kwargs)
    assert S.shape == (n, n)
    M = S.toarray()
    assert np.isfinite(M).all()
    assert (S @ np.ones(n)).shape == (n,)
    assert (S @ np.ones((n, 2))).shape == (n, 2)
    A, X, C = S.split()
    assert A.shape == (n, n)
    assert X.shape == (n, C.shape[0])
    assert S.energy(np.arange(n)) >= -1e-12
    for u in (np.ones(n), np.ones((n, 2))):
        z = S.complete(u)
        assert all(values.shape[1:] == u.shape[1:] for values in z.values())
    spectrum = S.spectrum()
    assert len(spectrum) == n
    assert np.isfinite(spectrum.vectors).all()
    assert spectrum.values[0] >= -1e-12
    assert S.spectrum(1).vectors.shape == (n, 1)
    assert tuple(S.labels) == tuple(K.labels)
    assert "CollapsedOperator" in repr(S)


@pytest.mark.parametrize("realization", REALIZATIONS[:-1])
@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_on_every_rank(realization, name):
    """Ranks without cells give an operator without rows; ranks that do not exist an error."""
    K = EXTREMES[name]
    for onto in range(K.max_rank + 1):
        if realization == "unfolded" and onto > 1 and K.n_cells[onto]:  # flags, and no cells
            check(lambda onto=onto: collapse(K, realization="unfolded", onto=onto), "mixed")
            continue
        S = collapse(K, realization=realization, onto=onto)
        if K.n_cells[onto]:
            assert S.toarray().shape == S.shape
        assert S.shape[0] == len(S.labels) == K.n_cells[onto]
    check(lambda: collapse(K, realization=realization, onto=K.max_rank + 1), "onto=")


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_of_complexes(name):
    K = EXTREMES[name]
    assert sum(K.betti_numbers()[:1]) == K.components().max() + 1
    assert K.skeleton(0).n_cells == (K.n_vertices,)
    assert len(cl.boundary_matrices(K)) == len(cl.incidence_matrices(K)) == K.max_rank
    assert repr(K).startswith("Complex(n_cells=")


def test_extremes_of_matrices():
    """A matrix without columns, and one without entries, are edges that do not exist."""
    for B in ([np.zeros((3, 0))], [np.zeros((3, 2))], [np.zeros((3, 2)), np.zeros((2, 0))]):
        S = collapse(B)
        assert S.toarray().tolist() == [[0.0] * 3] * 3
        assert S.spectrum().values.tolist() == [0.0] * 3


# ---------------------------------------------------------------- no argument is ignored


def assert_arguments(function, first, tried):
    """Every argument but the first has a value in `tried`, so that new ones cannot be forgotten."""
    names = set(inspect.signature(function).parameters) - {first}
    assert names == set(tried)


def test_every_argument_changes_something():
    """`collapse`: one call for each argument, and no two alike."""
    K = clique_complex(nx.karate_club_graph(), max_rank=3, weight=None)
    calls = {
        "realization": ({}, {"realization": "incidence"}),
        "beta": ({}, {"beta": (1.0, 2.0, 1.0)}),
        "gamma": ({}, {"gamma": 0.1}),
        "eps": ({}, {"eps": 1e-2}),
        "onto": ({"realization": "unfolded"}, {"realization": "unfolded", "onto": 1}),
        "weight": ({}, {"weight": "weight"}),
        "solver": (
            {"realization": "unfolded"},
            {"realization": "unfolded", "solver": cl.CG(rtol=0.5)},
        ),
    }
    assert_arguments(collapse, "source", calls)
    for usual, changed in calls.values():
        S, T = collapse(K, **usual), collapse(K, **changed)
        assert S.shape != T.shape or np.abs(S.toarray() - T.toarray()).max() > 1e-6


@pytest.mark.parametrize("realization", REALIZATIONS)
def test_every_argument_changes_something_in_every_realization(realization):
    """Each beta and gamma counts, except where the theory says that it cannot."""
    K = clique_complex(nx.complete_graph(5), max_rank=3)
    n_weights = 3
    base = collapse(K, realization=realization, eps=0.1, gamma=0.5)
    faces_count = realization != "boundary"
    for k in range(n_weights):
        beta = np.ones(n_weights)
        beta[k] = 2.0
        changed = collapse(K, realization=realization, eps=0.1, gamma=0.5, beta=beta)
        moved = np.abs(changed.toarray() - base.toarray()).max()
        assert (moved > 1e-6) == (k == 0 or faces_count)
    if realization == "screened":
        gammas = [0.6]
    else:
        gammas = [np.where(np.arange(n_weights) == k, 0.6, 0.5) for k in range(n_weights)]
    for k, gamma in enumerate(gammas):
        changed = collapse(K, realization=realization, eps=0.1, gamma=gamma)
        moved = np.abs(changed.toarray() - base.toarray()).max()
        assert (moved > 1e-9) == (k == 0 or faces_count)
    changed = collapse(K, realization=realization, eps=0.2, gamma=0.5)
    assert np.abs(changed.toarray() - base.toarray()).max() > 1e-6


def test_every_argument_of_clique_complex_changes_something():
    graph = nx.complete_graph(4)
    nx.set_edge_attributes(graph, 2.0, "w")
    base = clique_complex(graph, max_rank=3)
    calls = {
        "max_rank": {"max_rank": 2},
        "weight": {"max_rank": 3, "weight": "w"},
        "cliques_as_rank2": {"max_rank": 3, "cliques_as_rank2": True},
    }
    assert_arguments(clique_complex, "graph", calls)
    assert len({repr(clique_complex(graph, **kwargs)) for kwargs in calls.values()}) == 3
    assert all(repr(clique_complex(graph, **kwargs)) != repr(base) for kwargs in calls.values())


def test_every_argument_of_hypergraph_complex_changes_something():
    hyperedges = [("a", "b", "c"), ("a", "b", "c"), ("c", "d")]
    base = hypergraph_complex(hyperedges)
    calls = {
        "vertices": {"vertices": "dcba"},
        "weights": {"weights": [1, 2, 3]},
        "multiplicity": {"multiplicity": "weight"},
        "weight": {"weight": "size"},  # of objects: test_weights.py
    }
    assert_arguments(hypergraph_complex, "hyperedges", calls)
    assert hypergraph_complex(hyperedges, **calls["vertices"]).labels != base.labels
    assert repr(hypergraph_complex(hyperedges, **calls["multiplicity"])) != repr(base)


def test_every_argument_of_graded_laplacian_changes_something():
    B = cl.incidence_matrices(TRIANGLE)
    base = cl.graded_laplacian(B).matrix
    calls = {"beta": {"beta": (1.0, 2.0)}, "gamma": {"gamma": 0.5}}
    assert_arguments(cl.graded_laplacian, "matrices", calls)
    for kwargs in calls.values():
        assert abs(cl.graded_laplacian(B, **kwargs).matrix - base).max() > 0.1
    for k in range(2):
        one = np.where(np.arange(2) == k, 0.5, 0.9)
        assert abs(cl.graded_laplacian(B, gamma=one).matrix - base).max() > 0.01


# ---------------------------------------------------------------- the wrong kind of object


def public_functions():
    """Functions of the public namespaces that take a complex, an operator or a partition first."""
    found = {}
    for space in (cl, cl.tasks, cl.theory, cl.interop, cl.plot):
        own = [n for n, f in vars(space).items() if getattr(f, "__module__", "") == space.__name__]
        for name in getattr(space, "__all__", own):
            function = getattr(space, name)
            if inspect.isfunction(function) and not name.startswith("_"):
                first = next(iter(inspect.signature(function).parameters), "")
                if first in ("K", "S", "operator", "operators", "source", "found"):
                    found[name] = function
    return found


FUNCTIONS = public_functions()


@pytest.mark.parametrize("given", [nx.DiGraph([(0, 1)]), None, 3.5, "karat"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_wrong_kind_of_object_is_named(name, given):
    function = FUNCTIONS[name]
    needed = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind <= parameter.POSITIONAL_OR_KEYWORD
    ]
    with pytest.raises(cl.CellapseError):
        function(given, *[2] * (len(needed) - 1))


def test_the_walk_over_public_functions_finds_them():
    wanted = {
        "collapse",
        "graph_laplacian",
        "check",
        "cluster",
        "to_xgi",
        "plot_complex",
        "modularity",
    }
    assert wanted <= set(FUNCTIONS)
    assert len(FUNCTIONS) > 40


def test_no_message_is_longer_than_a_page_and_its_end_is_kept():
    with pytest.raises(cl.InputError, match=r"^cell \(0, 1, .* \.\.\. ") as raised:
        cl.Complex.from_arrays(2, {1: [[0, 1]], 2: [[0, 1] * 5000]})
    assert len(str(raised.value)) == 2000
    assert str(cl.InputError("x" * 2000)) == "x" * 2000
