"""Effective resistance and conductance, against closed forms and brute minimization."""

from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from oracles import conductance
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator
from strategies import operators, rebuilt
from toys import karate

import cellapse as cl
from cellapse.tasks import resistance
from cellapse.tasks.resistance import (
    Coordinates,
    _by_eigenvectors,
    _grounds,
    _is_laplacian,
    _root,
    _sizes,
    all_squares,
    exact_coordinates,
    group_sums,
    groups,
    sketched_coordinates,
    squares,
)


def unfolded(K, **options):
    return cl.collapse(K, "unfolded", **options)


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


@pytest.mark.parametrize("eps", [0.0, 1e-8, 1.0])
def test_edges_that_keep_nothing_part_their_ends(eps):
    """theta^2 = 1 + eps takes all of an edge outside of triangles, and the pendant is alone."""
    K = cl.clique_complex(nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (4, 5)]))
    S = cl.collapse(K, "screened", gamma="regularized", eps=eps)
    R = cl.effective_resistance(S)
    assert np.isinf(R[3, [0, 1, 2, 4, 5]]).all()
    assert np.isinf(R[4, 5])
    share = 1.0 - (1.0 + eps) / (2.0 + eps)
    np.testing.assert_allclose(R[[0, 0, 1], [1, 2, 2]], 2 / 3 / share, rtol=1e-9)
    assert (cl.tasks.effective_conductance(S)[4] == [0, 0, 0, 0, np.inf, 0]).all()
    pairs = [(0, 1), (2, 3), (4, 5), (1, 4)]
    np.testing.assert_array_equal(np.isinf(cl.effective_resistance(S, pairs)), [0, 1, 1, 1])


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
    limit = cl.collapse(K, "unfolded", beta=beta, gamma="regularized", eps=eps).gamma
    for share in (1 - 1e-2, 1 - 1e-6, 1 - 1e-9):
        S = cl.collapse(K, "unfolded", beta=beta, gamma=share * limit, eps=eps)
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
    S = cl.collapse(K, "unfolded", beta=0.3, gamma="regularized", eps=eps)
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
@pytest.mark.parametrize("make", [cl.graph_laplacian, unfolded, cl.signless_laplacian])
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
    if make is unfolded:
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
    graph = karate()
    L = laplacian(graph)
    theirs = nx.resistance_distance(graph)
    found = cl.effective_resistance(L)
    np.testing.assert_allclose(found, [[theirs[u][v] for v in graph] for u in graph], atol=1e-10)
    closeness = nx.current_flow_closeness_centrality(graph)
    ours = cl.tasks.resistance_centrality(L)
    np.testing.assert_allclose(ours, 33 * np.array([closeness[v] for v in graph]), rtol=1e-9)


@pytest.mark.parametrize("make", [cl.collapse, unfolded, cl.graph_laplacian])
def test_solving_pair_by_pair_agrees_with_the_dense_inverse(make, monkeypatch):
    S = make(cl.clique_complex(nx.disjoint_union(karate(), nx.path_graph(3))))
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
    exact, rough = (cl.effective_resistance(S, rtol=e) for e in (None, 0.1))
    np.testing.assert_array_equal(np.isinf(exact), np.isinf(rough))
    i, j = np.triu_indices(300, 1)
    finite = np.isfinite(exact[i, j])
    deviation = rough[i, j][finite] / exact[i, j][finite] - 1
    assert np.sqrt((deviation**2).mean()) == pytest.approx(0.1, rel=0.3)
    pairs = [(0, 1), (5, 9)]
    np.testing.assert_allclose(
        cl.effective_resistance(S, pairs, rtol=0.1), rough[[0, 5], [1, 9]], rtol=1e-6
    )


def test_permuting_the_vertices_permutes_the_result():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    order = np.random.default_rng(0).permutation(34)
    one, two = (cl.collapse(C, "unfolded") for C in (K, rebuilt(K, order=order)))
    found = cl.effective_resistance(one)[np.ix_(order, order)]
    np.testing.assert_allclose(cl.effective_resistance(two), found, atol=1e-9)
    centrality = cl.tasks.resistance_centrality(one)[order]
    np.testing.assert_allclose(cl.tasks.resistance_centrality(two), centrality, atol=1e-9)
    pairs = [(0, 33), (7, 21)]  # by label, so the order does not matter
    np.testing.assert_allclose(*(cl.effective_resistance(S, pairs) for S in (one, two)))


def test_bad_arguments():
    L = laplacian(nx.path_graph("abcd"))
    with pytest.raises(cl.InputError, match="'z'"):
        cl.effective_resistance(L, [("a", "z")])
    with pytest.raises(cl.InputError, match="pair"):
        cl.effective_resistance(L, [("a", "b", "c")])
    with pytest.raises(cl.InputError, match="pair"):
        cl.effective_resistance(L, np.arange(4))
    with pytest.raises(cl.InputError, match="rtol"):
        cl.effective_resistance(L, rtol=0.0)
    S = cl.collapse(cl.clique_complex(nx.karate_club_graph(), weight=None), "unfolded")
    with pytest.raises(cl.InputError, match="dominant"):
        cl.tasks.kirchhoff_index(S, rtol=0.1)


# The parts, by hand


def coordinates(points, errors, group):
    return Coordinates(np.array(points, float), np.array(errors, float), np.array(group))


def test_the_first_coordinates_that_know_the_answer_are_taken(monkeypatch):
    """An error of 1e-5 of the resistance is the most; inf and a vertex by itself have none."""
    points, far = [[0.0], [2.0], [9.0]], 4.0
    rough = coordinates(points, [[0.0], [(1.01e-5 * far) ** 0.5], [50.0]], [0, 0, 1])
    good = coordinates([[0.0], [2.0], [8.0]], [[0.0], [(0.99e-5 * far) ** 0.5], [50.0]], [0, 0, 1])
    S = cl.as_operator(np.diag([1.0, 2.0, 3.0]))
    monkeypatch.setattr(resistance, "exact_coordinates", lambda S: iter([rough, good]))
    R = cl.effective_resistance(S)
    assert R.tolist() == [[0.0, 4.0, np.inf], [4.0, 0.0, np.inf], [np.inf, np.inf, 0.0]]
    assert cl.effective_resistance(S, [(0, 2), (0, 1), (2, 2)]).tolist() == [np.inf, 4.0, 0.0]
    monkeypatch.setattr(resistance, "exact_coordinates", lambda S: iter([rough]))
    with pytest.raises(cl.ConvergenceError, match="rounding"):
        cl.effective_resistance(S)
    # A conductance is known next to the smaller diagonal entry: here 1 of 1/4.
    C = cl.tasks.effective_conductance(S, [(0, 1), (2, 2)])
    assert C.tolist() == [0.25, np.inf]


@pytest.mark.parametrize(("error", "fine"), [(0.99e-5, True), (1.01e-5, False)])
def test_a_conductance_is_known_next_to_the_diagonal(monkeypatch, error, fine):
    """dC = dR / R^2, with R = 4, and S_ii = 2 at least: 1e-5 of it is the most."""
    given = coordinates([[0.0], [2.0]], [[0.0], [(error * 4.0**2 * 2.0) ** 0.5]], [0, 0])
    S = cl.as_operator(np.diag([3.0, 2.0]))
    monkeypatch.setattr(resistance, "exact_coordinates", lambda S: iter([given]))
    if fine:
        assert cl.tasks.effective_conductance(S, [(0, 1)]).tolist() == [0.25]
    else:
        with pytest.raises(cl.ConvergenceError, match="rounding"):
            cl.tasks.effective_conductance(S, [(0, 1)])


def test_sums_over_groups_by_hand():
    x, group = np.array([[0.0], [1.0], [3.0], [7.0]]), np.array([0, 0, 0, 1])
    assert group_sums(x, group).tolist() == pytest.approx([10.0, 5.0, 13.0, 0.0])
    L = cl.graph_laplacian(cl.Complex.from_cells({0: "abcd", 1: [("a", "b"), ("b", "c")]}))
    assert cl.tasks.kirchhoff_index(L) == np.inf
    np.testing.assert_allclose(cl.tasks.resistance_centrality(L), [2 / 3, 1.0, 2 / 3, 0.0])
    path = cl.graph_laplacian(cl.clique_complex(nx.path_graph(4)))
    assert cl.tasks.kirchhoff_index(path) == pytest.approx(3 * 1 + 2 * 2 + 3)


def test_squares_of_pairs_come_in_parts(monkeypatch):
    x = np.arange(14.0).reshape(7, 2) ** 2
    i, j = np.triu_indices(7, 1)
    truth = ((x[i] - x[j]) ** 2).sum(axis=1)
    for entries in (1, 4, 2**21):
        monkeypatch.setattr("cellapse.tasks.resistance._ENTRIES", entries)
        np.testing.assert_allclose(squares(x, i, j), truth)
    np.testing.assert_allclose(all_squares(x)[i, j], truth)
    np.testing.assert_allclose(all_squares(x)[j, i], truth)


@pytest.mark.parametrize("block", [1, 2, 64])
def test_pair_by_pair_with_components_and_an_error(monkeypatch, block):
    monkeypatch.setattr(resistance, "_DENSE", 0)
    monkeypatch.setattr(resistance, "_BLOCK", block)
    L = cl.graph_laplacian(cl.Complex.from_cells({1: [("a", "b"), ("b", "c"), ("d", "e")]}))
    pairs = [("a", "c"), ("a", "d"), ("e", "d"), ("c", "c"), ("b", "c")]
    truth = [2.0, np.inf, 1.0, 0.0, 1.0]
    np.testing.assert_allclose(cl.effective_resistance(L, pairs), truth, atol=1e-9)
    no_kernel = cl.as_operator(np.diag([1.0, 2.0]))
    assert cl.effective_resistance(no_kernel, [(0, 1)])[0] == pytest.approx(1.5)
    # |x| over R is sqrt 2 / 2 from a to c: known to so many times what `solve` promises.
    for solved, fine in (
        (0.99e-5 / (2**0.5 * 0.5**0.5), True),
        (1.01e-5 / (2**0.5 * 0.5**0.5), False),
    ):
        monkeypatch.setattr(resistance, "_SOLVED", solved)
        if fine:
            assert cl.effective_resistance(L, [("a", "c")])[0] == pytest.approx(2.0)
        else:
            with pytest.raises(cl.ConvergenceError, match="rounding"):
                cl.effective_resistance(L, [("a", "c")])


def test_vertices_alike_in_the_kernel_are_one_group():
    kernel = np.array([[1.0, 0.0], [1.0 + 1e-13, 0.0], [0.0, 2.0], [1.0, 1e-9], [0.0, 2.0]])
    first = groups(kernel)
    assert len(set(first.tolist())) == 3
    assert first[0] == first[1] != first[3]
    assert first[2] == first[4]
    rough = groups(kernel, 1e-6)  # known no better
    assert rough[0] == rough[1] == rough[3] != rough[2]
    assert groups(np.zeros((3, 0))).tolist() == [0, 0, 0]
    assert groups(np.zeros((0, 0))).tolist() == []


def test_grounds_are_the_largest_entries_of_the_kernel():
    apart = sparse.csr_array([[0.6, 0.0], [-0.8, 0.0], [0.0, 0.8], [0.0, 0.6]])
    assert _grounds(apart).tolist() == [1, 2]
    shared = sparse.csr_array([[0.1, 0.1], [0.9, 0.5], [0.3, 0.9]])
    assert _grounds(shared).tolist() == [1, 2]
    assert _grounds(sparse.csr_array((3, 0))).tolist() == []


def test_sizes_belong_to_components():
    A = sparse.csr_array([[1.0, -1, 0, 0], [-1, 3.0, 0, 0], [0, 0, 0.5, 0], [0, 0, 0, 0]])
    assert _sizes(A).tolist() == [4.0, 4.0, 0.5, 1.0]


def test_a_laplacian_is_told_by_its_kernel_and_signs():
    L = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    kernel = sparse.csr_array([[0.5**0.5, 0.0], [0.5**0.5, 0.0], [0.0, 1.0]])
    assert _is_laplacian(L, kernel)
    assert not _is_laplacian(-L, kernel)
    assert not _is_laplacian(L, sparse.csr_array([[0.6, 0.0], [0.8, 0.0], [0.0, 1.0]]))
    assert not _is_laplacian(L, kernel[:, :1])  # a vertex that the kernel does not know


def test_the_three_ways_to_coordinates_agree():
    graph = nx.disjoint_union(nx.cycle_graph(5), nx.path_graph(3))
    L = cl.graph_laplacian(cl.clique_complex(graph, 1))
    truth = [(0, 1, 0.8), (0, 2, 1.2), (5, 7, 2.0), (6, 7, 1.0)]
    ways = [*exact_coordinates(L), _by_eigenvectors(L.toarray(), _sizes(L.A))]
    assert len(ways) == 3
    for way in ways:
        for i, j, R in truth:
            assert ((way.points[i] - way.points[j]) ** 2).sum() == pytest.approx(R, rel=1e-12)
            assert ((way.errors[i] - way.errors[j]) ** 2).sum() < 1e-12
        assert (way.group[:5] == way.group[0]).all()
        assert (way.group[5:] == way.group[5]).all()
        assert way.group[0] != way.group[5]
    # |w|^2 ||dS|| with w = S^+ b up to a constant: for the pair (6, 7) of the path, grounded.
    unit = 8 * np.finfo(float).eps
    cholesky = ways[0]
    w = np.linalg.pinv(L.toarray()) @ (np.eye(8)[6] - np.eye(8)[7])
    bound = ((cholesky.errors[6] - cholesky.errors[7]) ** 2).sum()
    assert unit * 1.0 * ((w - w.max()) ** 2).sum() * 0.3 < bound < unit * 2.0 * 9.0


def test_the_root_of_a_dominant_matrix():
    M = np.array([[2.0, -1.0, 0.5], [-1.0, 1.0, 0.0], [0.5, 0.0, 0.5]])
    F = _root(cl.as_operator(M)).toarray()
    np.testing.assert_allclose(F @ F.T, M, atol=1e-15)
    with pytest.raises(cl.InputError, match="dominant"):
        _root(cl.as_operator(np.array([[1.0, 2.0], [2.0, 5.0]])))


def test_a_sketch_takes_two_over_the_square_of_its_error(monkeypatch):
    L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(3)))
    for error, k in ((0.5, 8), (0.1, 200), (0.3, 23)):
        Z, group = sketched_coordinates(L, error, np.random.default_rng(0))
        assert Z.shape == (3, k)
        assert group.tolist() == [0, 0, 0]
    Z, _ = sketched_coordinates(L, 0.02, np.random.default_rng(0))
    assert ((Z[0] - Z[2]) ** 2).sum() == pytest.approx(2.0, rel=0.1)


def test_the_closeness_of_a_pair_is_its_conductance():
    K = cl.Complex.from_arrays(3, {1: [[0, 1]]}, weights={1: [2.0]})
    found = cl.tasks.resistance_centrality(cl.graph_laplacian(K))
    np.testing.assert_allclose(found, [2.0, 2.0, 0.0])


def test_conductances_of_all_pairs_once():
    L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(4)))
    found = resistance.conductances(L)
    np.testing.assert_allclose(found, [1, 1 / 2, 1 / 3, 1, 1 / 2, 1], rtol=1e-12)


def test_the_seed_of_a_sketch_is_used():
    L = laplacian(karate())
    for task in (cl.tasks.kirchhoff_index, cl.tasks.resistance_centrality):
        usual, same, other = (np.asarray(task(L, rtol=0.5, **seed)) for seed in
                              ({}, {"rng": 0}, {"rng": 1}))  # fmt: skip
        assert (usual == same).all()
        assert (usual != other).any()


def test_pairs_may_be_the_rows_of_a_table():
    pd = pytest.importorskip("pandas")
    path = nx.path_graph(["a", "b", "c"])
    pairs = pd.DataFrame({"from": ["a", "b"], "to": ["c", "c"]}, index=[5, 3])
    np.testing.assert_allclose(cl.effective_resistance(path, pairs), [2.0, 1.0])
    with pytest.raises(cl.InputError, match="pair"):
        cl.effective_resistance(path, pairs.assign(more=1))


def test_all_pairs_of_too_many_vertices_name_a_remedy_that_works():
    long = nx.path_graph(300_000)
    with pytest.raises(cl.SizeError, match="pairs"):
        cl.effective_resistance(long)
    np.testing.assert_allclose(cl.effective_resistance(nx.path_graph(3000), [(0, 9)]), [9.0])


def test_a_sketch_of_an_operator_without_a_kernel():
    M = sparse.csr_array(np.array([[3.0, -1.0], [-1.0, 2.0]]))
    S = cl.as_operator(M)
    exact = (2 + 3 - 2) / 5  # of the inverse [[2, 1], [1, 3]] / 5
    assert cl.effective_resistance(S, [(0, 1)]) == pytest.approx([exact])
    assert cl.effective_resistance(S, [(0, 1)], rtol=0.1) == pytest.approx([exact], rel=0.4)
