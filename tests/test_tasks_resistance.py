"""Effective resistance and conductance, against closed forms and brute minimization."""

from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from oracles import conductance
from scipy.sparse.linalg import aslinearoperator
from strategies import operators, rebuilt

import cellapse as cl
from cellapse.tasks import resistance
from cellapse.tasks._distances import all_squares


def laplacian(graph):
    return cl.graph_laplacian(cl.clique_complex(graph, max_rank=1))


@pytest.mark.parametrize("n", [2, 3, 10, 40])
def test_closed_forms(n):
    d = abs(np.arange(n)[:, None] - np.arange(n))
    path, complete = nx.path_graph(n), nx.complete_graph(n)
    cases = [(path, d, n**2 * n / 6 - n / 6), (complete, 2 / n * (d > 0), n - 1)]
    if n > 2:
        cases.append((nx.cycle_graph(n), d * (n - d) / n, (n**3 - n) / 12))
    for graph, expected, kirchhoff in cases:
        L = laplacian(graph)
        np.testing.assert_allclose(cl.effective_resistance(L), expected, rtol=1e-12, atol=1e-12)
        pairs = list(combinations(range(n), 2))
        found = cl.effective_resistance(L, pairs)
        np.testing.assert_allclose(found, [expected[p] for p in pairs], rtol=1e-12)
        assert cl.tasks.kirchhoff_index(L) == pytest.approx(kirchhoff, rel=1e-12)


@given(operators())
def test_the_conductance_is_the_least_energy_of_a_unit_difference(S):
    M = S.toarray()
    C = cl.tasks.effective_conductance(S)
    for i, j in list(combinations(range(S.shape[0]), 2))[:10]:
        least, x = conductance(M, i, j)
        if abs(x[i] - x[j] - 1) < 1e-6:  # the oracle reached its constraint
            assert C[i, j] == pytest.approx(least, rel=1e-5, abs=1e-6)


def exact_resistances(M):
    """R of all pairs of a matrix of fractions: min x^T M x over x_i - x_j = 1, by elimination."""
    n = len(M)
    R = np.full((n, n), np.inf)
    for i, j in combinations(range(n), 2):
        # Ground j, put a current of one in at i and take the potential there, if there is one.
        b = [Fraction(int(k == i)) - Fraction(int(k == j)) for k in range(n)]
        x = exact_solution([list(row) for row in M], b)
        if x is not None:
            R[i, j] = R[j, i] = float(x[i] - x[j])
    np.fill_diagonal(R, 0.0)
    return R


def exact_solution(rows, b):
    """A solution of the singular system rows x = b, or None where there is none."""
    n, pivots = len(b), []
    system = [[*row, value] for row, value in zip(rows, b, strict=True)]
    for column in range(n):
        at = next((r for r in range(len(pivots), n) if system[r][column] != 0), None)
        if at is None:
            continue
        top = len(pivots)
        system[top], system[at] = system[at], system[top]
        system[top] = [v / system[top][column] for v in system[top]]
        for r in range(n):
            factor = system[r][column]
            if r != top and factor != 0:
                system[r] = [v - factor * p for v, p in zip(system[r], system[top], strict=True)]
        pivots.append(column)
    if any(row[-1] != 0 for row in system[len(pivots) :]):
        return None
    x = [Fraction(0)] * n
    for row, column in zip(system, pivots, strict=False):
        x[column] = row[-1]
    return x


def exact_laplacian(edges, weights, n):
    M = [[Fraction(0)] * n for _ in range(n)]
    for (i, j), w in zip(edges, weights, strict=True):
        w = Fraction(float(w))
        M[i][i] += w
        M[j][j] += w
        M[i][j] -= w
        M[j][i] -= w
    return M


def weighted_graph(seed, decades, n=9):
    rng = np.random.default_rng(seed)
    edges = [e for e in combinations(range(n), 2) if rng.random() < 0.45]
    weights = 10.0 ** rng.uniform(-decades, decades, len(edges))
    return cl.Complex.from_arrays(n, {1: edges}, weights={1: weights}), edges, weights


@pytest.mark.parametrize("decades", [0, 2, 6])
@pytest.mark.parametrize("seed", range(6))
def test_weights_of_all_sizes_against_fractions(seed, decades):
    K, edges, weights = weighted_graph(seed, decades)
    L = cl.graph_laplacian(K)
    expected = exact_resistances(exact_laplacian(edges, weights, 9))
    found = cl.effective_resistance(L)
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    pairs = list(combinations(range(9), 2))
    alone = cl.effective_resistance(L, pairs)
    np.testing.assert_allclose(alone, [expected[p] for p in pairs], rtol=1e-8)
    total = np.sum(alone)
    assert cl.tasks.kirchhoff_index(L) == pytest.approx(total, rel=1e-8)
    with np.errstate(divide="ignore"):
        conductance = cl.tasks.effective_conductance(L)
        np.testing.assert_allclose(conductance, 1 / expected, rtol=1e-8)


def exact_collapse(S):
    """A - X (C + eps I)^-1 X^T of the numbers that S has, in fractions."""
    A, X, C = ([[Fraction(float(v)) for v in row] for row in M.toarray()] for M in S.split())
    for k in range(len(C)):
        C[k][k] += Fraction(S.eps)
    M = [list(row) for row in A]
    for j in range(len(A)):
        z = exact_solution([list(row) for row in C], list(X[j]))
        for i in range(len(A)):
            M[i][j] -= sum(a * b for a, b in zip(X[i], z, strict=True))
    return M


@pytest.mark.parametrize("eps", [1e-12, 1e-8, 1e-5, 1e-2])
@pytest.mark.parametrize("beta", [0.3, 1.0, 20.0])
def test_a_collapse_that_is_almost_singular(beta, eps):
    """All pairs, single pairs and exact fractions agree, or the numbers are not known and say so.

    gamma is just below what makes S singular at the vector (0, 1, 1, -2).
    """
    K = cl.clique_complex([(0, 1), (0, 2), (0, 3), (1, 2)])
    limit = cl.collapse(K, beta=beta, gamma="regularized", eps=eps).gamma
    for share in (1 - 1e-2, 1 - 1e-6, 1 - 1e-9):
        S = cl.collapse(K, beta=beta, gamma=share * limit, eps=eps)
        expected = exact_resistances(exact_collapse(S))
        try:
            found = cl.effective_resistance(S)
        except cl.ConvergenceError:
            assert expected.max() * beta > 1e7
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-5)  # what is promised
            pairs = list(combinations(range(4), 2))
            alone = cl.effective_resistance(S, pairs)
            np.testing.assert_allclose(alone, [found[p] for p in pairs], rtol=1e-9)
        close = cl.effective_resistance(S, [(1, 2)])[0]  # does not see that vector
        assert close == pytest.approx(expected[1, 2], rel=1e-9)
        C = cl.tasks.effective_conductance(S)
        i, j = np.triu_indices(4, 1)
        np.testing.assert_allclose(C[i, j], 1 / expected[i, j], rtol=1e-6, atol=1e-9 * beta)


@pytest.mark.parametrize("eps", [1e-14, 1e-10, 1e-8, 1e-4, 1.0])
def test_a_collapse_that_is_singular(eps):
    """gamma = "regularized": (0, 1, 1, -2) has no energy, 1 and 2 are alike in it."""
    K = cl.clique_complex([(0, 1), (0, 2), (0, 3), (1, 2)])
    S = cl.collapse(K, beta=0.3, gamma="regularized", eps=eps)
    R = cl.effective_resistance(S)
    alone = cl.effective_resistance(S, list(combinations(range(4), 2)))
    np.testing.assert_allclose(alone, R[np.triu_indices(4, 1)], rtol=1e-12)
    assert R[1, 2] == pytest.approx(1 / 0.3, rel=10 * eps + 1e-12)
    others = np.triu(np.ones((4, 4), dtype=bool), 1)
    others[1, 2] = False
    assert np.isinf(R[others]).all()
    assert cl.tasks.kirchhoff_index(S) == np.inf
    C = cl.tasks.effective_conductance(S)
    assert abs(C[others]).max() < 1e-14


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("make", [cl.graph_laplacian, cl.collapse, cl.signless_laplacian])
def test_resistances_scale_with_the_weights(make, scale):
    """Two components of scales far apart do not see each other."""
    graph = nx.disjoint_union(nx.wheel_graph(6), nx.cycle_graph(4))
    edges = np.array(graph.edges)
    weights = np.where(edges[:, 0] < 6, 1.0, 1e-9) * scale
    K = cl.Complex.from_arrays(10, {1: edges}, weights={1: weights})
    parts = [
        cl.Complex.from_arrays(6, {1: edges[:10]}),
        cl.Complex.from_arrays(4, {1: edges[10:] - 6}),
    ]
    options = [{}, {}, {}]
    if make is cl.collapse:
        gamma = make(K, eps=1e-9 * scale).gamma
        options = [
            {"gamma": gamma / u**0.5, "eps": 1e-9 * scale / u} for u in (1, scale, 1e-9 * scale)
        ]
    R = cl.effective_resistance(make(K, **options[0]))
    for part, at, unit, more in zip(
        parts, (slice(6), slice(6, 10)), (scale, 1e-9 * scale), options[1:], strict=True
    ):
        expected = cl.effective_resistance(make(part, **more))
        np.testing.assert_allclose(R[at, at] * unit, expected, rtol=1e-8)
    assert np.isinf(R[:6, 6:]).all() or make is cl.signless_laplacian


def test_rows_that_are_close_beside_their_length_are_subtracted():
    rng = np.random.default_rng(0)
    near = np.concatenate([1e8 + rng.standard_normal((5, 3)), rng.standard_normal((5, 3))])
    expected = ((near[:, None] - near) ** 2).sum(axis=2)
    np.testing.assert_allclose(all_squares(near), expected, rtol=1e-12)


def test_components():
    L = laplacian(nx.disjoint_union_all([nx.path_graph(2), nx.path_graph(3), nx.empty_graph(1)]))
    R = cl.effective_resistance(L)
    assert R[0].tolist() == pytest.approx([0, 1, np.inf, np.inf, np.inf, np.inf])
    assert cl.tasks.effective_conductance(L, [(0, 2), (2, 4)]).tolist() == pytest.approx([0, 0.5])
    assert cl.tasks.kirchhoff_index(L) == np.inf
    np.testing.assert_allclose(cl.tasks.resistance_centrality(L), [1, 1, 2 / 3, 1, 2 / 3, 0])
    matrix = aslinearoperator(L.toarray())  # the kernel is not known in advance
    np.testing.assert_allclose(cl.effective_resistance(matrix), R, atol=1e-9)


def test_networkx_agrees():
    graph = nx.karate_club_graph()
    L = laplacian(graph)
    theirs = nx.resistance_distance(graph)
    found = cl.effective_resistance(L)
    np.testing.assert_allclose(found, [[theirs[u][v] for v in graph] for u in graph], atol=1e-10)
    closeness = nx.current_flow_closeness_centrality(graph)
    ours = cl.tasks.resistance_centrality(L)
    np.testing.assert_allclose(ours, 33 * np.array([closeness[v] for v in graph]), rtol=1e-9)


@pytest.mark.parametrize("make", [cl.collapse, cl.graph_laplacian])
def test_solving_pair_by_pair_agrees_with_the_dense_inverse(make, monkeypatch):
    S = make(cl.clique_complex(nx.disjoint_union(nx.karate_club_graph(), nx.path_graph(3))))
    pairs = [(0, 33), (4, 4), (2, 35), (34, 36), *zip(range(10), range(20, 30), strict=True)]
    exact = cl.effective_resistance(S, pairs)
    monkeypatch.setattr(resistance, "_DENSE", 5)
    monkeypatch.setattr(resistance, "_BLOCK", 3)
    np.testing.assert_allclose(cl.effective_resistance(S, pairs), exact, rtol=1e-8)


@pytest.mark.parametrize(
    "make",
    [
        cl.graph_laplacian,
        cl.signless_laplacian,
        lambda K: cl.collapse(K, realization="renormalized"),
    ],
)
def test_the_sketch_keeps_the_stated_error(make):
    K = cl.clique_complex(nx.random_geometric_graph(300, 0.12, seed=3))
    S = make(K)
    exact, rough = (cl.effective_resistance(S, error=e) for e in (None, 0.1))
    np.testing.assert_array_equal(np.isinf(exact), np.isinf(rough))
    i, j = np.triu_indices(300, 1)
    finite = np.isfinite(exact[i, j])
    deviation = rough[i, j][finite] / exact[i, j][finite] - 1
    assert np.sqrt((deviation**2).mean()) == pytest.approx(0.1, rel=0.3)
    pairs = [(0, 1), (5, 9)]
    np.testing.assert_allclose(
        cl.effective_resistance(S, pairs, error=0.1), rough[[0, 5], [1, 9]], rtol=1e-6
    )


def test_permuting_the_vertices_permutes_the_result():
    K = cl.clique_complex(nx.karate_club_graph())
    order = np.random.default_rng(0).permutation(34)
    one, two = (cl.collapse(C) for C in (K, rebuilt(K, order=order)))
    found = cl.effective_resistance(one)[np.ix_(order, order)]
    np.testing.assert_allclose(cl.effective_resistance(two), found, atol=1e-9)
    centrality = cl.tasks.resistance_centrality(one)[order]
    np.testing.assert_allclose(cl.tasks.resistance_centrality(two), centrality, atol=1e-9)
    pairs = [(0, 33), (7, 21)]  # by label, so the order does not matter
    np.testing.assert_allclose(*(cl.effective_resistance(S, pairs) for S in (one, two)))


def test_bad_arguments():
    L = laplacian(nx.path_graph("abcd"))
    with pytest.raises(cl.InputError, match="'z' in pairs"):
        cl.effective_resistance(L, [("a", "z")])
    with pytest.raises(cl.InputError, match="no pair"):
        cl.effective_resistance(L, [("a", "b", "c")])
    with pytest.raises(cl.InputError, match="no pair"):
        cl.effective_resistance(L, np.arange(4))
    with pytest.raises(cl.InputError, match="error"):
        cl.effective_resistance(L, error=0.0)
    S = cl.collapse(cl.clique_complex(nx.karate_club_graph()))
    with pytest.raises(cl.InputError, match="diagonally dominant"):
        cl.tasks.kirchhoff_index(S, error=0.1)
