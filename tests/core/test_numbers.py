"""Numbers that were wrong once, each with others of its kind; truth by hand or by dense LAPACK."""

import contextlib
from functools import partial
from math import comb

import networkx as nx
import numpy as np
import pytest
from everyday import everyday
from scipy import linalg, sparse
from scipy.sparse.linalg import aslinearoperator
from toys import karate

import cellapse as cl
from cellapse._collapse.chain import Chain
from cellapse._collapse.edges import Cofaces, Masses
from cellapse._collapse.eliminated import EliminatedSystem, Level
from cellapse._linalg.sigma import sigma_min, smallest_positive_eigenvalue
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import Entries

# Triangle-free graphs: only the edges act, so S = f(L), f(x) = beta x - gamma^2 x / (beta x + eps),
# with gamma at its bound: gamma^2 is the smallest positive eigenvalue of L.


def collapsed_values(laplacian, eps=1e-4):
    first = laplacian[laplacian > 1e-9].min()
    return np.sort(laplacian - first * laplacian / (laplacian + eps))


def hypercube_values(d):
    return np.concatenate([np.full(comb(d, j), 2.0 * j) for j in range(d + 1)])


def unfolded(graph, **options):
    return cl.collapse(cl.clique_complex(graph), "unfolded", **options)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 11, 40, 80, 200])
def test_stars_have_many_equal_eigenvalues(n):
    """LAPACK's driver for a few eigenpairs fails on them."""
    S = unfolded(nx.star_graph(n))
    truth = collapsed_values(np.r_[0.0, np.ones(n - 1), n + 1.0])
    for k in sorted({1, 2, (n + 1) // 2, n, n + 1} - {0}):
        np.testing.assert_allclose(S.spectrum(k).values, truth[:k], atol=1e-10 * n)
    cl.positional_encoding(S, 4)


@pytest.mark.parametrize(("a", "b"), [(8, 8), (3, 9), (20, 50)])
def test_complete_bipartite_graphs(a, b):
    S = unfolded(nx.complete_bipartite_graph(a, b))
    laplacian = np.r_[0.0, np.full(b - 1, a), np.full(a - 1, b), a + b]
    np.testing.assert_allclose(S.spectrum(8).values, collapsed_values(laplacian)[:8], atol=1e-9)


@pytest.mark.parametrize(("d", "k"), [(8, 9), (8, 37), (9, 10), (9, 37), (11, 12)])
def test_hypercubes_repeat_their_eigenvalues(d, k):
    """Dense below 1,200 vertices, and by products where they expand."""
    S = unfolded(nx.convert_node_labels_to_integers(nx.hypercube_graph(d)))
    truth = collapsed_values(hypercube_values(d))
    np.testing.assert_allclose(S.spectrum(k).values, truth[:k], atol=1e-9 * 2 * d)
    np.testing.assert_allclose(S.spectrum(k, which="largest").values, truth[-k:], atol=1e-9 * 2 * d)


@pytest.mark.parametrize(
    "solver", [cl.ShiftInvert(), cl.Davidson(), cl.Davidson(None), cl.Lanczos()], ids=str
)
def test_every_solver_finds_every_copy(solver):
    """On a torus, where most eigenvalues come four times, at both sides of a threshold."""
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(16, 16, periodic=True))
    S = unfolded(graph, eps=1e-2)
    turns = 2.0 - 2.0 * np.cos(2.0 * np.pi * np.arange(16) / 16)
    truth = collapsed_values(np.add.outer(turns, turns).ravel(), 1e-2)
    for k in (2, 4, 11, 20):
        found = S.spectrum(k, solver=solver)
        np.testing.assert_allclose(found.values, truth[:k], atol=1e-9)
        assert found.solver == solver


@pytest.mark.parametrize("k", [2, 10, 17])
def test_four_copies_take_several_looks(k):
    """Every look begins at random anew: the same start would hold what was found already."""
    L = cl.graph_laplacian(cl.clique_complex(nx.grid_2d_graph(30, 41, periodic=True)))
    a, b = (2.0 - 2.0 * np.cos(2.0 * np.pi * np.arange(n) / n) for n in (30, 41))
    truth = np.sort(np.add.outer(a, b).ravel())
    for which, values in (("smallest", truth[:k]), ("largest", truth[-k:])):
        found = L.spectrum(k, which=which, solver=cl.Lanczos())
        np.testing.assert_allclose(found.values, values, atol=1e-9)


def barbell_truth(clique, path, eps, k):
    """Dense, with masses from the triangles counted by hand and K from its definition."""
    graph = nx.barbell_graph(clique, path)
    n, edges = graph.number_of_nodes(), np.array(graph.edges)
    B = np.zeros((n, len(edges)))
    B[edges[:, 0], np.arange(len(edges))] = -1.0
    B[edges[:, 1], np.arange(len(edges))] = 1.0
    inside = (edges.max(axis=1) < clique) | (edges.min(axis=1) >= clique + path)
    d = np.where(inside, clique - 2.0, 0.0)
    least = clique - 2.0
    # m = eps + d - gamma_1^2 g / (1 + g), g = d / eps, gamma_1^2 = the least number of triangles
    mass = np.where(d > 0, eps + d - least * d / (d + eps), eps)
    L = B @ B.T
    c = linalg.eigvalsh(L, subset_by_index=(1, 1))[0]
    K = np.eye(n) + (B / mass) @ B.T
    return linalg.eigvalsh(L - c * (np.eye(n) - np.linalg.inv(K)), subset_by_index=(0, k - 1))


def test_a_long_path_between_cliques():
    """Its eigenvalues are small next to the cliques'; it expands, as seen from the cliques."""
    S = unfolded(nx.barbell_graph(60, 400))
    truth = barbell_truth(60, 400, 1e-4, 10)
    for options in ({}, {"solver": cl.Davidson()}, {"solver": cl.ShiftInvert()}):
        found = S.spectrum(10, **options)
        np.testing.assert_allclose(found.values, truth, atol=1e-10 * found.norm)
        assert found.values[1] == pytest.approx(truth[1], rel=1e-4)
        true = S.toarray() @ found.vectors - found.vectors * found.values
        assert (np.linalg.norm(true, axis=0) <= 2 * found.residuals + 1e-11 * found.norm).all()
    assert set(np.bincount(cl.cluster(S, 2)).tolist()) == {260}


def test_the_ring_of_cliques_from_above():
    S = unfolded(nx.ring_of_cliques(60, 9))
    truth = linalg.eigvalsh(S.toarray())[-9:]
    for solver in (None, cl.Lanczos(), cl.Dense(), cl.ShiftInvert()):
        found = S.spectrum(9, which="largest", solver=solver)
        np.testing.assert_allclose(found.values, truth, atol=1e-8)
        assert solver is None or found.solver == solver
    for solver in (cl.Davidson(), cl.Davidson(None)):
        with pytest.raises(cl.InputError, match="smallest"):
            S.spectrum(9, which="largest", solver=solver)


@pytest.mark.parametrize("eps", [0.0, 1e-12, 1e-9, 1e-4])
@pytest.mark.parametrize("beta", [1e-3, 1.0, 20.0, 700.0])
def test_tiny_eps_with_any_beta(eps, beta):
    """On a cycle S = f(L); nothing may blow up between eps = 0 and 1e-9."""
    n = 12
    S = cl.collapse(cl.clique_complex(nx.cycle_graph(n)), "unfolded", eps=eps, beta=beta)
    laplacian = beta * (2.0 - 2.0 * np.cos(2.0 * np.pi * np.arange(n) / n))
    first = np.sort(laplacian)[1]
    share = np.where(laplacian > 1e-9 * beta, laplacian / np.maximum(laplacian + eps, 1e-300), 0.0)
    np.testing.assert_allclose(
        linalg.eigvalsh(S.toarray()), np.sort(laplacian - first * share), atol=1e-12 * 4 * beta
    )


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
def test_everything_scales(scale):
    """With all weights of the edges and eps: the operator, its spectrum and its solutions."""
    graph = nx.karate_club_graph()
    K = cl.clique_complex(graph, weight="weight")
    other = graph.copy()
    for _, _, data in other.edges(data=True):
        data["weight"] *= scale
    K2 = cl.clique_complex(other, weight="weight")
    L, L2 = cl.graph_laplacian(K), cl.graph_laplacian(K2)
    for solver in (None, cl.ShiftInvert(), cl.Lanczos()):
        one, two = L.spectrum(5, solver=solver), L2.spectrum(5, solver=solver)
        np.testing.assert_allclose(two.values, scale * one.values, rtol=1e-9, atol=1e-12 * scale)
    S = cl.collapse(K, realization="boundary", eps=1e-4)
    T = cl.collapse(K2, realization="boundary", eps=1e-4 * scale)
    np.testing.assert_allclose(T.toarray(), scale * S.toarray(), atol=1e-11 * scale * S.A.max())
    np.testing.assert_allclose(T.sigma[0], np.sqrt(scale) * S.sigma[0], rtol=1e-10)
    pairs = [(0, 33), (5, 16)]
    R, R2 = cl.effective_resistance(S, pairs), cl.effective_resistance(T, pairs)
    np.testing.assert_allclose(R2 * scale, R, rtol=1e-7)


@pytest.mark.parametrize("spread", [0, 5, 10])
def test_sigma_has_digits_of_its_own(spread):
    """A path whose edges weigh 10^-spread and 10^spread: two singular values, by hand."""
    a, b = 10.0**-spread, 10.0**spread
    B = sparse.csr_array([[-np.sqrt(a), 0.0], [np.sqrt(a), -np.sqrt(b)], [0.0, np.sqrt(b)]])
    # The squares solve x^2 - 2 (a + b) x + 3 a b = 0.
    half = a + b
    small = 3.0 * a * b / (half + np.sqrt(half**2 - 3.0 * a * b))
    assert sigma_min(B) == pytest.approx(np.sqrt(small), rel=1e-9)
    assert sigma_min(B.T) == pytest.approx(np.sqrt(small), rel=1e-9)


def test_a_diagonal_that_is_rounding_is_no_mass():
    """Regularized, nothing is left of complete graphs: S is zero, and 0 / 0 no eigenvalue."""
    K = cl.clique_complex(nx.disjoint_union_all([nx.complete_graph(5)] * 8))
    S = cl.collapse(K, "unfolded", gamma="regularized")
    assert np.abs(S.toarray()).max() < 1e-12
    with pytest.raises(cl.ConvergenceError, match="rounding"):
        S.spectrum(3, "diagonal")
    np.testing.assert_allclose(S.spectrum(10, "degree").values, 0.0, atol=1e-12)
    C = cl.tasks.effective_conductance(S)
    np.testing.assert_allclose(C[~np.eye(len(C), dtype=bool)], 0.0, atol=1e-12)


@pytest.mark.parametrize("n", [10, 24, 34, 40, 60])
def test_sigma_of_sets_that_nearly_cancel(n):
    """Sets {i, i + 1, i + 3}: sigma falls like 1.47^-n, and is neither zero nor to be skipped."""
    B = (np.eye(n) + np.eye(n, k=1) + np.eye(n, k=3)).T
    inverse = np.zeros((n, n), dtype=object)  # of B^T, in whole numbers
    for row in range(n - 1, -1, -1):
        inverse[row] = -sum(inverse[k] for k in (row + 1, row + 3) if k < n)
        inverse[row, row] += 1
    sigma = 1.0 / float(np.linalg.norm(inverse.astype(float), 2))
    for copies in (1, 2):
        S = cl.collapse([linalg.block_diag(*[B] * copies)], eps=1e-13)
        assert S.sigma[0] == pytest.approx(sigma, rel=max(1e-10, 1e-15 / sigma))
        assert S.definite
        assert np.linalg.eigvalsh(S.toarray())[0] > -1e-12


def test_a_sigma_that_cannot_be_told_is_not_given_out():
    """Too large for a dense matrix, and the smallest value is next to the limit of the filter."""
    small, n = (np.eye(30) + np.eye(30, k=1) + np.eye(30, k=3)).T, 500
    B = sparse.block_diag([small, sparse.eye_array(n) + sparse.eye_array(n, k=1)], format="csr")
    with pytest.raises(cl.ConvergenceError, match="gamma"):
        cl.collapse([B])


@pytest.mark.parametrize(
    "operator", [cl.graph_laplacian, cl.collapse, partial(cl.collapse, realization="unfolded")]
)
def test_counts_at_an_eigenvalue(operator):
    graph = nx.disjoint_union(nx.complete_graph(5), nx.empty_graph(3))
    S = operator(cl.clique_complex(graph))
    assert S.count_below(0.0) == 0
    values = S.spectrum().values
    assert S.count_below(float(values[-1])) in (4, 5, 6, 7)
    assert S.count_below(1e-3) == int((values < 1e-3).sum())
    assert S.count_below(1e9) == 8


@pytest.mark.parametrize("m", range(3, 10))
@pytest.mark.parametrize("copies", [1, 80])  # with pivots, and without
def test_counts_are_right_or_not_given(m, copies):
    """L - m I is minus ones on a clique: without pivots, all but the first pivot are noise."""
    graph = nx.disjoint_union_all([nx.complete_graph(m)] * copies + [nx.empty_graph(3)])
    S = cl.collapse(cl.clique_complex(graph), "unfolded")
    lowest = float(
        np.linalg.eigvalsh(
            cl.collapse(cl.clique_complex(nx.complete_graph(m)), "unfolded").toarray()
        )[1]
    )
    for value, truth in ((0.0, 0), (0.5 * lowest, copies + 3), (2.0 * lowest, m * copies + 3)):
        assert S.count_below(value) in (truth, None)


@pytest.mark.parametrize("realization", ["unfolded", "boundary", "incidence", "mixed"])
@pytest.mark.parametrize("eps", [1e-7, 1e-6, 3e-6, 1e-5])
def test_counts_between_tiny_eigenvalues(realization, eps):
    """Cells of rank 2 and 3 in blocks: whatever inverts them, the count between values is known."""
    K = cl.Complex.from_cells(
        {
            0: range(5),
            1: [(2, 4), (1, 4), (3, 4), (0, 4), (0, 1), (2, 3), (0, 3), (1, 2)],
            2: [(0, 3, 4), (2, 3, 4), (0, 1, 4), (0, 1, 2, 3), (1, 2, 4)],
            3: [(0, 1, 2, 3, 4)],
        }
    )
    given = 0
    for beta in ([1.0, 1.0, 1.0], [0.9, 2.3, 0.75], [0.1, 1.0, 3.0], [2.0, 0.3, 0.2]):
        S = cl.collapse(K, realization, beta=beta, gamma="regularized", eps=eps)
        values = S.spectrum(mass="degree").values
        norm = S.norm_bound(S.A.diagonal())
        for i in np.flatnonzero(np.diff(values) > 3e-8 * norm):
            count = S.count_below(float(0.5 * (values[i] + values[i + 1])), "degree")
            assert count in (i + 1, None)
            given += count is not None
    assert given or eps < 1e-5  # what rounding of 1 / eps may change is not given


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("outside", [0.0, 1e-15, 1e-13, 1e-9, 1e-3])
def test_solving_in_and_next_to_the_kernel(seed, outside):
    """(S + shift) x = b with b constant on a component, or nearly so: x = b / shift, or nearly."""
    rng = np.random.default_rng(seed)
    pieces = [nx.gnp_random_graph(12, 0.5, seed=seed), nx.cycle_graph(7)]
    graph = nx.disjoint_union_all(pieces)
    nx.set_edge_attributes(graph, {e: float(rng.uniform(0.1, 5)) for e in graph.edges}, "weight")
    K = cl.clique_complex(graph, weight="weight")
    b = (K.components() == 0) * rng.uniform(0.1, 3) + outside * rng.standard_normal(19)
    for S in (cl.graph_laplacian(K), cl.collapse(K, "unfolded"), cl.collapse(K, "renormalized")):
        for shift in (1e-6, 1e-3, 1.0):
            x = S.solve(b, shift)
            rounding = 1e-15 * float(abs(S.A).sum(axis=1).max()) * np.abs(x).max()
            assert np.abs(S @ x + shift * x - b).max() <= 1e-8 + rounding


def test_resistances_do_not_cancel():
    K = cl.clique_complex(nx.Graph([(0, 1), (0, 2), (0, 3), (1, 2)]))
    S = cl.collapse(K, "unfolded", beta=0.3, gamma="regularized", eps=1e-8)
    alone = cl.effective_resistance(S, [(1, 2)])[0]
    assert cl.effective_resistance(S)[1, 2] == pytest.approx(alone, rel=1e-6)
    assert alone == pytest.approx(10 / 3, rel=1e-6)


def test_solve_meets_what_it_promises():
    rng = np.random.default_rng(0)
    S = unfolded(nx.barbell_graph(40, 120))
    x = rng.standard_normal((200, 2))
    x -= x.mean(axis=0)
    np.testing.assert_allclose(S.solve(S @ x), x, rtol=0, atol=1e-5 * np.abs(x).max())
    for shift in (1e-8, 1e-3, 1.0, 1e4):
        b = rng.standard_normal(200)
        y = S.solve(b, shift)
        # S 1 = 0 exactly, but not to rounding, which counts 1 / shift times: the mean is known, and
        # the rest is solved for where the mean costs as much as everything else.
        mean = b.mean()
        M = S.toarray() + shift * np.eye(200) + np.full((200, 200), 0.05)
        truth = mean / shift + np.linalg.solve(M, b - mean)
        np.testing.assert_allclose(y, truth, rtol=0, atol=1e-9 * np.abs(truth).max())
    assert (S.solve(np.zeros(200), 1.0) == 0).all()
    np.testing.assert_allclose(S.solve(np.ones(200), 2.0), 0.5, rtol=1e-12)


def test_a_kernel_that_nobody_knows_is_not_walked_into():
    """One hyperedge of three: S is singular, b is not in its range, and no kernel is known."""
    S = cl.collapse(cl.hypergraph_complex([[0, 1, 2]]), realization="incidence")
    if S.kernel is None:
        with pytest.raises(cl.ConvergenceError, match="singular"):
            S.solve([1.0, -2.0, 0.5])


def test_only_known_solvers_run():
    S = cl.graph_laplacian(cl.clique_complex(nx.path_graph(9)))
    for wrong in ("dense", cl.Dense, 3, cl.Direct()):
        with pytest.raises(cl.InputError, match=r"Dense\(\)"):
            S.spectrum(3, solver=wrong)
    outside = cl.as_operator(aslinearoperator(S.toarray()))
    for solver in (cl.ShiftInvert(), cl.Davidson()):
        with pytest.raises(cl.InputError):
            outside.spectrum(3, solver=solver)


def test_a_tolerance_that_cannot_be_kept_is_refused():
    S = unfolded(karate())
    with pytest.raises(cl.ConvergenceError, match="reached a residual"):
        S.spectrum(5, rtol=1e-18)
    found = S.spectrum(5, rtol=1e-12)
    assert (found.residuals <= 1e-12 * found.norm).all()


@pytest.mark.parametrize("light", [1.0, 1e-4, 1e-7, 3e-9, 1e-10, 1e-14])
def test_completion_without_eps_keeps_what_light_cells_carry(light):
    """On a path the flows are sums by hand; weights on the cells as far apart as doubles allow."""
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=1.0)
    graph.add_edge(1, 2, weight=light)
    K = cl.clique_complex(graph, weight="weight")
    S = cl.collapse(K, realization="boundary", eps=0.0)
    x = np.array([1.0, 2.0, 4.0])
    below = np.cumsum(x - x.mean())[:2]  # B_1 z = x without its mean, in units of gamma / beta
    truth = -S.gamma[0] * below / np.sqrt([1.0, light])
    if light < 1e-9:
        with pytest.raises(cl.ConvergenceError, match="eps"):
            S.complete(x)
    else:
        np.testing.assert_allclose(S.complete(x)[1], truth, rtol=0, atol=1e-6 * np.abs(truth).max())


def test_a_factor_that_is_exactly_singular_is_not_the_end():
    """Two edges that share a very light vertex: I + A / eps rounds to a singular matrix."""
    weights = {0: [1e8, 1e-8, 1e8]}
    K = cl.Complex.from_cells({0: range(3), 1: [(0, 1), (1, 2)]}, weights=weights)
    for eps in (1e-8, 1e-11, 1e-14):
        S = cl.collapse(K, realization="boundary", onto=1, eps=eps)
        along, across = S @ np.array([1.0, 1.0]), S @ np.array([1.0, -1.0])
        np.testing.assert_allclose(along, 0.0, atol=1e-9 * 2e8)
        np.testing.assert_allclose(across, [2e8, -2e8], rtol=1e-9)


@pytest.mark.parametrize("n", [600, 30_000])
def test_completion_without_eps_on_a_long_path(n):
    """The slowest wave has an eigenvalue of 3e-9 of the largest: small, and not zero."""
    S = cl.collapse(cl.clique_complex(nx.path_graph(n)), realization="boundary", eps=0.0)
    x = np.cos(np.pi * (np.arange(n) + 0.5) / n)
    truth = -S.gamma[0] * np.cumsum(x)[:-1]
    np.testing.assert_allclose(S.complete(x)[1], truth, rtol=0, atol=1e-6 * np.abs(truth).max())


@pytest.mark.parametrize("realization", ["unfolded", "mixed", "incidence"])
@pytest.mark.parametrize("beta", [None, [3.0, 0.5, 2.0]])
@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_completion_without_eps_is_the_shortest_of_all_cells(realization, beta):
    """z* = -C^+ X^T u: cells of every rank count for its length, not the nearest alone."""
    graph = nx.Graph([*nx.complete_graph(5).edges, (4, 5), (5, 6), (4, 6), (6, 7), (0, 8), (7, 8)])
    S = cl.collapse(cl.clique_complex(graph, max_rank=3), realization, beta=beta, eps=0.0)
    _, X, C = (block.toarray() for block in S.split())
    u = np.cos(np.arange(S.shape[0]))
    truth = -np.linalg.pinv(C, rcond=1e-10, hermitian=True) @ X.T @ u
    got = np.concatenate(list(S.complete(u).values()))
    np.testing.assert_allclose(got, truth, rtol=0, atol=1e-7 * np.abs(truth).max())
    both = S.complete(np.stack([u, 2.0 * u], axis=1))
    np.testing.assert_allclose(np.vstack(list(both.values()))[:, 1], 2.0 * got, atol=1e-7)


@pytest.mark.parametrize(("eps", "known"), [(1e-4, True), (1e-7, True), (1e-11, False)])
@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_completion_knows_what_rounding_of_the_data_costs(eps, known):
    """gamma at the bound is a root: its last digit, over eps, is in the values of a triangle."""
    beta = [0.009, 0.437]
    K = cl.Complex.from_cells({0: range(3), 1: [(0, 1), (0, 2), (1, 2)], 2: [(0, 1, 2)]})
    S = cl.collapse(K, "mixed", beta=beta, eps=eps)
    u = np.array([0.3, -1.0, 2.0])
    if not known:
        with pytest.raises(cl.ConvergenceError, match="eps"):
            S.complete(u)
        return
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        one, half = (mpmath.mpf(b) for b in beta)
        B1 = mpmath.matrix([[-1, -1, 0], [1, 0, -1], [0, 1, 1]])
        B2 = mpmath.matrix([[1], [1], [1]])
        gamma, root = one * mpmath.sqrt(3), mpmath.sqrt(3)
        C = mpmath.eye(4) * mpmath.mpf(eps)
        C[:3, :3] += one * (B1.T * B1) + half * (B2 * B2.T)
        C[:3, 3] = -half * root * B2
        C[3, :3] = (-half * root * B2).T
        C[3, 3] += 3 * half
        rhs = mpmath.matrix(4, 1)
        rhs[:3, 0] = gamma * (B1.T * mpmath.matrix(u.tolist()))
        truth = np.array([float(z) for z in mpmath.lu_solve(C, rhs)])
    got = np.concatenate(list(S.complete(u).values()))
    np.testing.assert_allclose(got, truth, rtol=0, atol=1e-6 * np.abs(truth).max())


@pytest.mark.parametrize("gap", [1e-3, 1e-8, 1e-10, 1e-12])
def test_nearly_singular_is_not_singular(gap):
    """1 and 1 - gap: the eigenvalues are gap and 2 - gap, however small the first."""
    M = sparse.csr_array([[1.0, 1.0 - gap], [1.0 - gap, 1.0]])
    assert smallest_positive_eigenvalue(M) == pytest.approx(gap, rel=1e-3)


@pytest.mark.parametrize(
    ("spread", "seed"), [(1, 0), (3, 2), (3, 7), (3, 19), (5, 2), (5, 7), (6, 1), (6, 2)]
)
def test_relaxed_values_know_their_error(spread, seed):
    """Entries over many orders, against 80 digits: a residual carried along says 1e-19 too soon."""
    mpmath = pytest.importorskip("mpmath")
    rng, n, m, eps = np.random.default_rng(seed), 4, 6, 1e-12
    B = np.where(rng.random((n, m)) < 0.6, rng.standard_normal((n, m)), 0.0)
    B = B * 10.0 ** (spread * rng.uniform(-1, 1, m)) * 10.0 ** (spread * rng.uniform(-1, 1, (n, 1)))
    chain, one = Chain.of(Incidence.from_matrices([B]), None), np.ones(1)
    system = EliminatedSystem(Level(chain, one, one, eps, masses=np.full(m, eps)))
    x = rng.standard_normal(n)
    goal = 1e-14 * system.energy_of(system.B.T @ x)
    w, bound = system.values(x, goal)
    with mpmath.workdps(80):
        exact = mpmath.matrix(B.tolist())
        H = exact.T * exact + mpmath.mpf(eps) * mpmath.eye(m)
        truth = mpmath.lu_solve(H, exact.T * mpmath.matrix(x.tolist()))
        high = w.astype(np.float64)  # and the digits beyond a double
        e = mpmath.matrix(high.tolist()) + mpmath.matrix((w - high).astype(float).tolist()) - truth
        error = float(mpmath.sqrt((e.T * H * e)[0]))
    assert error <= bound[0]


@pytest.mark.parametrize("eps", [1e-4, 1e-9, 1e-12])
@pytest.mark.parametrize("beta", [1.0, 1e3])
def test_masses_at_the_bound_keep_eps(beta, eps):
    """d = s: m = eps + beta d - beta^2 d^2 / (eps + beta d) = eps + beta d eps / (eps + beta d)."""
    B = sparse.csr_array(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]))  # d = 1 and 2, s = 1
    cells = [Cofaces.of(Entries.of(B).squared)]
    mass, top = Masses(cells, 2, np.array([beta]), np.array([beta]), eps).of_rank
    second = 2.0 * beta - beta**2 * 2.0 / (eps + 2.0 * beta)
    np.testing.assert_allclose(mass, [eps + beta * eps / (eps + beta), eps + second], rtol=1e-3)
    np.testing.assert_allclose(top, eps)


@pytest.mark.parametrize("theta", [1.0, 1e-3, 1e-8, 1e-12, 1e-200])
@pytest.mark.parametrize("rounds", [0, 1])
def test_screened_values_do_not_depend_on_the_size_of_theta(theta, rounds):
    """z = theta beta_1^{1/2} B_1^T u / m with m = 1 + eps + support: no digit of m is theta's."""
    K = cl.clique_complex([(0, 1), (1, 2), (0, 2), (2, 3)])
    S = cl.collapse(K, realization=cl.Screened(theta, rounds), beta=[4.0, 3.0], eps=0.5)
    u = np.array([0.0, 1.0, 3.0, 7.0])
    # With a round the triangle counts for sqrt(1 / (d_i d_j)) of each of its edges.
    support = 3.0 * (np.array([1 / 2, 6**-0.5, 6**-0.5]) if rounds else np.ones(3))
    mass = 1.5 + np.r_[support, 0.0]
    truth = theta * 2.0 * np.array([1.0, 2.0, 3.0, 4.0]) / mass
    np.testing.assert_allclose(np.abs(S.complete(u)[1]), truth, rtol=1e-12)


FAR_OUT = {
    "eps": [5e-324, 1e-308, 1e-61, 1e61, 1e308],
    "beta": [5e-324, 1e-31, 1e31, 1e155, [1.0, 1e308]],
    "gamma": [cl.Unchecked(1e101), cl.Unchecked(1e155), cl.Unchecked([0.0, 1e308])],
}


@pytest.mark.parametrize("realization", ["unfolded", "boundary", "incidence", "mixed", "screened"])
def test_weights_whose_squares_are_no_numbers_are_refused(realization):
    K = cl.clique_complex([(0, 1), (1, 2), (0, 2), (2, 3)])
    for name, values in FAR_OUT.items():
        for value in values:
            with pytest.raises(cl.InputError, match=rf"{name}.*(from .* to|shape)"):
                cl.collapse(K, realization=realization, **{name: value})


@pytest.mark.parametrize("weight", [5e-324, 1e-101, 1e61, 1e308])
def test_so_are_such_weights_of_cells_and_entries_of_matrices(weight):
    with pytest.raises(cl.InputError, match=r"rank 1.*1e-100.*1e\+60"):
        cl.Complex.from_cells({1: [(0, 1), (1, 2)]}, weights={1: [1.0, weight]})
    with pytest.raises(cl.InputError, match="entries"):
        cl.collapse([[[weight, 0.0], [-weight, 1.0], [0.0, -1.0]]])


@pytest.mark.parametrize(
    "realization",
    everyday(
        ("unfolded", "boundary", "incidence", "mixed", "screened"), quick=("unfolded", "mixed")
    ),
)
@pytest.mark.parametrize(
    "weights",
    [{1: [1e-100, 1e60, 1.0, 1.0]}, {2: [1e60]}, {2: [1e-100]}, {0: [1e-100, 1.0, 1.0, 1e60]}],
    ids=str,
)
def test_what_is_within_the_ranges_has_a_result_or_an_error_in_words(realization, weights):
    cells = {1: [(0, 1), (1, 2), (0, 2), (2, 3)], 2: [(0, 1, 2)]}
    K = cl.Complex.from_cells(cells, weights=weights)
    x = np.array([1.0, 2.0, -1.0, 0.5])
    for beta, eps in (([1e30, 1e-30], 1e-4), (0.0, 0.0), (1e-30, 0.0), (1.0, 0.0), (1.0, 1e60)):
        S = cl.collapse(K, realization=realization, beta=beta, eps=eps)
        for ask in (S.__matmul__, lambda _, S=S: S.spectrum(2).values, S.complete):
            with contextlib.suppress(cl.ConvergenceError):
                answer = ask(x)
                parts = answer.values() if isinstance(answer, dict) else [answer]
                assert all(np.isfinite(part).all() for part in parts)


def test_values_come_from_products_and_not_from_a_factor():
    """Of the edges of K9 alone S is 9 b eps / (9 b + eps) off the constants, far below A.

    The factor of the shifted system, with entries of 1 / eps, tells them to 2e-8 only.
    """
    beta, eps = 92.88066763699656, 3.9626597744957965e-06
    K = cl.clique_complex(nx.complete_graph(9), max_rank=1)
    S = cl.collapse(K, "unfolded", beta=beta, eps=eps)
    wanted = 9 * beta * eps / (9 * beta + eps) / (8 * beta)
    for solver in (cl.ShiftInvert(), cl.Lanczos(), cl.Dense()):
        found = S.spectrum(8, "degree", solver=solver, which="largest").values
        np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.skipif(
    np.finfo(np.longdouble).eps == np.finfo(float).eps,
    reason="long doubles are doubles here, as on Windows: it may decline",
)
def test_one_pass_keeps_the_digits_of_a_residual_in_extended_precision():
    """A clique with eps = 1e-8: the first pass is enough, and said to be so."""
    S = cl.collapse(cl.clique_complex(nx.complete_graph(8)), "mixed", beta=0.3, eps=1e-8)
    x = np.random.default_rng(0).standard_normal((8, 2))
    exact = S @ x
    for error in (1e-6, 1e-9, 1e-12):
        np.testing.assert_allclose(S.apply(x, error), exact, atol=error)


def test_an_eps_that_rounding_takes_is_no_evidence():
    """C has entries of 1e12 next to eps = 1e-4: its factor is that of another matrix.

    So is what conjugate gradients with it say of their error: right, or refused.
    """
    weights = {2: [1.2066923710883554e-05, 3.0238338936797104, 0.0014170179771139876]}
    weights[2] += [0.0001449401601493663, 1.6342814109903667e-06]
    edges = [(3, 4), (1, 4), (0, 3), (2, 4), (2, 3), (0, 4), (1, 2), (0, 1)]
    faces = [(0, 3, 4), (0, 1, 2, 3), (1, 2, 4), (0, 1, 4), (2, 3, 4)]
    cells = {0: range(5), 1: edges, 2: faces, 3: [(0, 1, 2, 3, 4)]}
    K = cl.Complex.from_cells(cells, weights=weights | {3: [3950.7744752870963]})
    beta = [0.47507122988260164, 1.6242372270858683, 361.4367396550355]
    with pytest.warns(cl.CellapseWarning, match="order"):
        S = cl.collapse(K, "mixed", beta=beta)
    x = [-3.060172171649884, -2.3350343991301057, 2.005083431009531]
    x += [0.4558287554843208, -0.9445956518467264]
    true = [0.23511921554, -0.155861157481, 0.23626225652, -0.155298445361, -0.160221869218]
    with contextlib.suppress(cl.ConvergenceError):
        np.testing.assert_allclose(S @ np.array(x), true, atol=1e-8)


@pytest.mark.parametrize(
    ("entries", "said"),
    [([np.inf, -np.inf], "NaN"), ([1.0, np.nan], "NaN"),
     ([1e308, 1e308], "NaN"), ([0.0, 2e70], r"from 2e\+70 to 2e\+70"),
     ([3e-70, 0.0], "from 3e-70 to 3e-70")],
)  # fmt: skip
def test_entries_of_a_matrix_that_are_no_use_are_refused_added_up_too(entries, said):
    places = ([0, 0, 1, 1], [1, 1, 0, 0])
    with pytest.raises(cl.InputError, match=said):
        cl.as_complex(sparse.coo_array((entries * 2, places), shape=(2, 2)))


def test_zeros_and_what_adds_up_to_zero_are_no_entries():
    places = ([0, 1, 0, 1, 0, 2], [1, 0, 1, 0, 2, 0])
    K = cl.as_complex(sparse.coo_array(([1.0, 1.0, -1.0, -1.0, 2.0, 2.0], places), shape=(3, 3)))
    assert K.cell_labels(1) == ((0, 2),)
    assert cl.as_complex(sparse.csr_array((3, 3))).n_cells == (3, 0)
