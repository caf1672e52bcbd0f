"""Every way to the eigenpairs and every factorization, on the hard cases, against dense LAPACK."""

import warnings
from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse
from scipy.sparse.linalg import splu
from threadpoolctl import ThreadpoolController
from toys import karate, small_world

import cellapse as cl
from cellapse._linalg.cg import System, conjugate_gradients, rough_solution
from cellapse._linalg.eigen import auto, inertia, krylov
from cellapse._linalg.eigen import spectrum as spectra
from cellapse._linalg.eigen.auto import Choice
from cellapse._linalg.eigen.krylov import nothing_below
from cellapse._linalg.eigen.problem import EigenSolver, eigenproblem, has_hubs
from cellapse._linalg.eigen.spectrum import solve_eigenproblem
from cellapse._linalg.factor import FACTORIZATIONS, best_direct, expands, fill_in
from cellapse._linalg.preconditioner import Preconditioner
from cellapse._shared.progress import Bar

GRAPHS = {
    "clique": nx.complete_graph(50),
    "expander": nx.random_regular_graph(4, 60, seed=1),
    "hypercube": nx.convert_node_labels_to_integers(nx.hypercube_graph(6)),
    "three equal pieces": nx.disjoint_union_all([nx.circular_ladder_graph(9)] * 3),
    "tree and lonely vertices": nx.disjoint_union(nx.balanced_tree(2, 4), nx.empty_graph(4)),
    "triangles along a path": nx.power(nx.path_graph(50), 2),
}
SOLVERS = [cl.ShiftInvert(), cl.Lanczos(), cl.Davidson(), cl.Davidson(None)]


def check(S, spectrum, mass=None):
    """Values, residuals and D-orthonormal vectors agree with the dense problem."""
    D = np.eye(S.shape[0]) if mass is None else np.diag(mass)
    expected = linalg.eigvalsh(S.toarray(), D)[: len(spectrum)]
    scale = float(abs(S.A).sum(axis=1).max()) / D.diagonal().min()
    np.testing.assert_allclose(spectrum.values, expected, atol=1e-8 * scale)
    assert spectrum.residuals.max() <= 1e-7 * scale
    np.testing.assert_allclose(
        spectrum.vectors.T @ D @ spectrum.vectors, np.eye(len(spectrum)), atol=1e-7
    )


@pytest.mark.parametrize("solver", SOLVERS, ids=str)
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_every_solver_on_hard_cases(name, solver):
    """Repeated eigenvalues, many components, expanders: nothing is missed."""
    K = cl.clique_complex(GRAPHS[name], 2)
    for eps in (1e-5, 1e-1):
        S = cl.collapse(K, "unfolded", eps=eps)
        check(S, S.spectrum(8, solver=solver))


@pytest.mark.parametrize("solver", [cl.ShiftInvert(), cl.Lanczos(), cl.Davidson()], ids=str)
@pytest.mark.parametrize("realization", ["incidence", "mixed", "boundary"])
@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_other_realizations_and_masses(realization, solver):
    """Bipartite graphs with an unsigned B_1, and masses with tiny entries."""
    graph = nx.disjoint_union(nx.grid_2d_graph(5, 6), karate())
    S = cl.collapse(cl.clique_complex(graph), realization=realization, eps=1e-3)
    mass = np.random.default_rng(0).uniform(0.5, 2.0, S.shape[0])
    mass[3] = 1e-3
    check(S, S.spectrum(6, solver=solver))
    check(S, S.spectrum(6, mass, solver=solver), mass)


@pytest.mark.parametrize("solver", SOLVERS[:4], ids=str)
@pytest.mark.parametrize("which", ["smallest", "largest"])
@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_nothing_is_missed_where_nearly_all_are_wanted(solver, which):
    """With hardly a dimension left an iteration has no room to search; every k is tried."""
    for graph in (nx.complete_multipartite_graph(*[2] * 5), nx.wheel_graph(9)):
        S = cl.collapse(cl.clique_complex(graph), "mixed")
        n, D = S.shape[0], S.diagonal()
        expected = linalg.eigvalsh(S.toarray(), np.diag(D))
        for k in range(1, n + 1):
            try:
                values = S.spectrum(k, "diagonal", which=which, solver=solver).values
            except cl.InputError:  # so many, or this end, is not for this solver
                assert k > n - 3 or which == "largest"
                continue
            wanted = expected[:k] if which == "smallest" else expected[n - k :]
            np.testing.assert_allclose(values, wanted, atol=1e-9)


def test_fifty_components_have_exactly_fifty_zeros():
    K = cl.clique_complex(nx.disjoint_union_all([nx.cycle_graph(40)] * 50))
    for operator in (cl.graph_laplacian(K), cl.collapse(K, "unfolded")):
        spectrum = operator.spectrum(60)
        assert spectrum.n_zeros == 50
        assert (spectrum.values[:50] == 0).all()
        assert spectrum.values[50] > 0
        assert spectrum.certified
        # Fifty equal pieces: the next value is there fifty times (twice fifty on a circle).
        np.testing.assert_allclose(spectrum.values[50:], spectrum.values[50], rtol=1e-6)


def test_counting_can_be_left_out(monkeypatch):
    L = cl.graph_laplacian(cl.clique_complex(nx.grid_2d_graph(40, 40)))
    counted = L.spectrum(6, solver=cl.ShiftInvert())
    assert counted.certified is True
    monkeypatch.setattr(inertia, "inertia", None)  # what is not called may be anything
    searched = L.spectrum(6, solver=cl.ShiftInvert(), certify=False)
    assert searched.certified is None
    np.testing.assert_allclose(searched.values, counted.values, atol=1e-10)


def test_few_of_many_zeros_take_little_memory():
    """Of 200,000 kernel vectors three are made: all of them would be 320 GB."""
    L = cl.graph_laplacian(cl.Complex.from_arrays(200_000, {}))
    spectrum = L.spectrum(3)
    assert spectrum.vectors.shape == (200_000, 3)
    assert spectrum.n_zeros == 200_000
    assert spectrum.certified


def test_auto_explains_itself():
    def choice(graph, operator=lambda K: cl.collapse(K, "unfolded")):
        return cl.Auto().select(operator(cl.clique_complex(graph, 1)))

    assert choice(nx.path_graph(20)).solver == cl.Dense()
    expander = nx.random_regular_graph(6, 1300, seed=0)
    assert choice(expander).solver == cl.Davidson(None)
    mesh = nx.convert_node_labels_to_integers(nx.grid_2d_graph(36, 36))
    assert choice(mesh).solver == cl.Davidson()
    assert choice(mesh, cl.graph_laplacian).solver == cl.ShiftInvert()
    assert "expands" in str(choice(expander, cl.graph_laplacian))
    S = cl.collapse(cl.clique_complex(mesh, 1), "unfolded")
    assert S.spectrum(4).solver == cl.Davidson()
    assert S.spectrum().solver == cl.Dense()


def scattered(i):
    """A number in [0, 1) that looks random."""
    return i * 2654435761 % 2**32 / 2**32


def power_law(n):
    """Every vertex has edges to three earlier ones, the earlier the likelier."""
    edges = [(i, int(i * scattered(7 * i + d) ** 2)) for i in range(4, n) for d in (1, 2, 3)]
    return nx.Graph(edges)


def test_hubs_are_rows_that_outweigh_most_others():
    assert has_hubs(cl.graph_laplacian(nx.star_graph(11)).A)
    assert not has_hubs(cl.graph_laplacian(nx.star_graph(10)).A)  # ten times as heavy: not more
    assert not has_hubs(cl.graph_laplacian(nx.complete_graph(30)).A)
    assert not has_hubs(cl.graph_laplacian(nx.empty_graph(3)).A)


@pytest.mark.parametrize("k", [2, 10, 40])
def test_with_hubs_the_degrees_precondition(k):
    """Of A from a random start, of S from there: both as dense LAPACK says."""
    K = cl.clique_complex(power_law(700))
    for operator in (cl.graph_laplacian(K), cl.collapse(K, "unfolded")):
        spectrum = operator.spectrum(k)
        assert spectrum.solver == cl.Davidson(None)
        check(operator, spectrum)
    assert "hubs" in str(cl.Auto().select(cl.graph_laplacian(K)))


def test_hubs_take_few_products(monkeypatch):
    """327 with the degrees as a preconditioner; with a wrong one ten times as many."""
    products = []

    def counted(system, rhs, left):
        apply = system.apply
        system.apply = lambda p: products.append(1) or apply(p)
        return rough_solution(system, rhs, left)

    monkeypatch.setattr("cellapse._linalg.eigen.davidson.rough_solution", counted)
    L = cl.graph_laplacian(cl.clique_complex(power_law(3000), 1))
    L.spectrum(10)
    assert len(products) < 700


def test_a_look_that_crawls_leaves_the_question_open():
    """A path: its Ritz values are far from where they go, with residuals that look small."""
    L = cl.graph_laplacian(nx.path_graph(600))
    problem = eigenproblem(L, 6)
    values, vectors = cl.Dense().find(problem)
    assert not nothing_below(problem.without(vectors[:, 1:], 1), values[-1] - 1e-8)


@pytest.mark.parametrize("missing", [0, 1, 3])
def test_a_look_sees_what_is_below(missing):
    """On a grid, where Lanczos crawls, it is not fooled when a pair was left out."""
    L = cl.graph_laplacian(nx.convert_node_labels_to_integers(nx.grid_2d_graph(20, 31)))
    problem = eigenproblem(L, 6)
    values, vectors = cl.Dense().find(problem)
    assert nothing_below(problem.without(vectors, 1), values[-1] - 1e-8)
    known = np.delete(vectors, missing, axis=1)
    assert not nothing_below(problem.without(known, 1), values[-1] - 1e-8)


def test_auto_factorizes_only_what_can_be():
    """Ranks on both sides of the kept one: no matrix holds the inverse of S - s."""
    S = cl.collapse(cl.clique_complex(nx.triangular_lattice_graph(20, 40)), "unfolded", onto=1)
    assert S.shape[0] > 1200
    assert S.shifted_system(-1.0, np.ones(S.shape[0])) is None
    assert S.spectrum(4).solver == cl.Lanczos()


def test_auto_is_a_solver_like_the_others():
    S = cl.collapse(cl.clique_complex(nx.grid_2d_graph(36, 36), 1), "unfolded")
    assert S.spectrum(4, solver=cl.Auto()).solver == cl.Davidson()
    spectrum = S.spectrum(3, which="largest", solver=cl.Auto())
    assert spectrum.solver == cl.ShiftInvert()
    problem = eigenproblem(S, 4)
    values = cl.Auto().find(problem)[0]
    np.testing.assert_allclose(values, S.spectrum(4).values[1:], atol=1e-9)
    more, _ = cl.Auto().search(problem, 1.5 * values[0], 3)
    np.testing.assert_allclose(more, values[values < 1.5 * values[0]], atol=1e-8)


def test_large_graphs_of_both_kinds():
    for graph in (nx.random_regular_graph(6, 1500, seed=0), nx.grid_2d_graph(38, 40)):
        S = cl.collapse(cl.clique_complex(graph), "unfolded", eps=1e-3)
        check(S, S.spectrum(6))


def test_count_below_is_sylvesters_law():
    S = cl.collapse(cl.clique_complex(nx.karate_club_graph(), weight=None), "unfolded")
    values = linalg.eigvalsh(S.toarray())
    for i in (0, 4, 20, 33):
        between = (values[i - 1] + values[i]) / 2 if i else -0.1
        assert S.count_below(between) == i
    assert cl.collapse(S.source, "unfolded", eps=0).count_below(1.0) is None


def test_largest():
    for graph in (karate(), nx.random_regular_graph(6, 700, seed=0)):
        S = cl.collapse(cl.clique_complex(graph), "unfolded")
        values = S.spectrum(3, which="largest").values
        np.testing.assert_allclose(values, linalg.eigvalsh(S.toarray())[-3:], rtol=1e-8)


@pytest.mark.parametrize("realization", ["unfolded", "mixed", "screened", "boundary"])
def test_the_largest_of_a_long_path(realization):
    """They differ in the eighth digit, so that Lanczos took minutes: lambda = 2 - 2 cos(pi k/n)."""
    n = 3000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        S = cl.collapse(cl.clique_complex(nx.path_graph(n)), realization)
    expected = 2.0 - 2.0 * np.cos(np.pi * np.arange(n - 3, n) / n)
    if realization == "screened":
        expected *= S.shares[0]
    else:
        gamma2, eps = S.gamma[0] ** 2, S.eps
        expected -= gamma2 * expected / (expected + eps)
    for mass in (None, "degree"):
        spectrum = S.spectrum(3, mass, which="largest")
        assert spectrum.certified
        assert spectrum.solver == cl.ShiftInvert()
        if mass is None:
            np.testing.assert_allclose(spectrum.values, expected, atol=1e-12)


def test_the_largest_where_no_bound_is_known():
    K = cl.clique_complex(nx.path_graph(600))
    with pytest.warns(cl.CellapseWarning):
        S = cl.collapse(K, "unfolded", gamma=cl.Unchecked(1.0))
    with pytest.raises(cl.InputError):
        S.spectrum(3, which="largest", solver=cl.ShiftInvert())


def test_lanczos_by_name_gives_up_on_a_long_path(monkeypatch):
    """Its products are counted, also those with a sparse matrix."""
    monkeypatch.setattr(krylov, "_PRODUCTS", 300)
    monkeypatch.setattr(krylov, "_WORK", 1e6)
    L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(3000)))
    for which in ("smallest", "largest"):
        with pytest.raises(cl.ConvergenceError, match="solver"):
            L.spectrum(3, which=which, solver=cl.Lanczos())


def test_solve_with_and_without_shift():
    graph = nx.disjoint_union(karate(), nx.path_graph(5))
    S = cl.collapse(cl.clique_complex(graph), "unfolded", eps=1e-3)
    B = np.random.default_rng(0).standard_normal((39, 3))
    shifted = linalg.solve(S.toarray() + 0.3 * np.eye(39), B)
    np.testing.assert_allclose(S.solve(B, shift=0.3), shifted, atol=1e-9)
    np.testing.assert_allclose(S.solve(B[:, 0]), linalg.pinvh(S.toarray()) @ B[:, 0], atol=1e-6)
    with pytest.raises(cl.InputError, match="shift"):
        S.solve(B, shift=-1.0)


@pytest.mark.parametrize("name", [n for n in FACTORIZATIONS if n != "cholmod"])
def test_every_factorization_solves_and_counts(name):
    """CHOLMOD has no wheels: it is tried where scikit-sparse is installed, below."""
    factorization(name)


def test_cholmod_where_it_is_installed():
    pytest.importorskip("sksparse", reason="scikit-sparse has no wheels and is not installed here")
    factorization("cholmod")


def factorization(name):
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    S = cl.collapse(K, "unfolded", solver=cl.Direct(name))
    np.testing.assert_allclose(S.toarray(), cl.collapse(K, "unfolded").toarray(), atol=1e-10)
    check(S, S.spectrum(5, solver=cl.ShiftInvert(cl.Direct(name))))
    matrix = sparse.diags_array([2.0, -1.0, 3.0, -4.0], format="csc")
    factor = cl.Direct(name).prepare(matrix)
    np.testing.assert_allclose(factor(np.ones(4)), [0.5, -1.0, 1 / 3, -0.25])
    assert factor.n_negative() in (2, None)


def test_expanding_graphs_are_distinguished():
    adjacency = nx.to_scipy_sparse_array
    assert expands(adjacency(nx.random_regular_graph(5, 1000, seed=0)))
    assert expands(adjacency(nx.watts_strogatz_graph(2000, 10, 0.1, seed=0)))
    assert not expands(adjacency(nx.random_regular_graph(5, 300, seed=0)))  # a small dense block
    assert not expands(adjacency(nx.barbell_graph(150, 1100)))
    assert not expands(adjacency(nx.grid_2d_graph(30, 30)))
    assert not expands(adjacency(nx.star_graph(500)))
    assert not expands(adjacency(nx.path_graph(500)))


def test_a_solver_that_cannot_converge_says_so():
    S = cl.collapse(cl.clique_complex(nx.karate_club_graph(), weight=None), "unfolded")
    with pytest.raises(cl.ConvergenceError, match="max_steps"):
        S.spectrum(6, rtol=1e-14, solver=cl.Davidson(max_steps=1))
    with pytest.raises(cl.InputError, match="A itself"):
        cl.graph_laplacian(S.source).spectrum(3, solver=cl.Davidson())
    with pytest.raises(cl.InputError, match="factorize"):
        cl.collapse(S.source, "unfolded", eps=0).spectrum(3, solver=cl.ShiftInvert())
    with pytest.raises(cl.InputError, match="superlu"):
        cl.Direct("umfpack")
    for solver in (cl.ShiftInvert, cl.Davidson):
        with pytest.raises(cl.InputError, match=r"'pardiso'; give Direct\(\)"):
            solver("pardiso")
    with pytest.raises(cl.InputError, match="which"):
        S.spectrum(2, which="middle")
    with pytest.raises(cl.InputError, match="tol"):
        S.spectrum(2, rtol=0.0)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pypardiso", None)
    with pytest.raises(cl.MissingExtraError, match=r"cellapse\[fast\]"):
        cl.Direct("pardiso").prepare(sparse.eye_array(2, format="csc"))


class Forgetful(EigenSolver):
    """One that finds some of the first eigenpairs only; the search is that of another."""

    def __init__(self, solver, kept):
        self.solver, self.kept = solver, kept

    @property
    def factorizes(self):
        return self.solver.factorizes

    def find(self, problem):
        values, vectors = cl.Dense().find(replace(problem, k=8))
        return values[self.kept], vectors[:, self.kept]

    def search(self, problem, below, block):
        return self.solver.search(problem, below, block)


@pytest.mark.parametrize("solver", SOLVERS, ids=str)
@pytest.mark.parametrize("kept", [[0, 2, 3, 4], [3, 4, 5, 6]])
def test_a_search_finds_what_was_missed(solver, kept):
    """Handed pairs 1, 3, 4 and 5 (or 4 to 7) instead of 1 to 4, it comes back with the others."""
    S = cl.collapse(cl.clique_complex(nx.grid_2d_graph(9, 13)), "unfolded")
    found = solve_eigenproblem(eigenproblem(S, 5), Forgetful(solver, kept))
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(S.toarray())[:5], atol=1e-8)
    assert found.certified is True  # by a count, or the eigenvalues of A


def test_a_search_is_not_saved_by_the_weight_of_the_edges():
    """beta_1 < 1 moves the eigenvalues of S below those of A without its weight."""
    S = cl.collapse(small_world(700), "unfolded", beta=0.05, eps=1e-3)
    solver = Forgetful(cl.Davidson(None), [0, 2, 3, 5])
    found = solve_eigenproblem(eigenproblem(S, 5), solver)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(S.toarray())[:5], atol=1e-8)


@pytest.mark.parametrize("counted", [-2, 0, None, 3, 6])
def test_a_count_that_cannot_be_is_no_certificate(monkeypatch, counted):
    S = cl.collapse(cl.clique_complex(nx.grid_2d_graph(9, 13)), "mixed", solver=cl.Direct())
    problem = eigenproblem(S, 5)
    pairs = cl.Dense().find(problem)
    monkeypatch.setattr(type(problem), "count_below", lambda *_: counted)
    if counted == 6:
        with pytest.raises(cl.ConvergenceError, match="found"):
            spectra.complete_pairs(problem, pairs, cl.ShiftInvert())
    else:
        certain = spectra.complete_pairs(problem, pairs, cl.ShiftInvert())[1]
        assert certain is (True if counted == 3 else None)


def test_forest_preconditioner_follows_heavy_groups():
    """Few steps where the diagonal alone needs hundreds, and the same solution."""
    G = cl.collapse(small_world(1500), "unfolded", eps=1e-4).elimination.inverse.system.reduced[0]
    K = sparse.csr_array(G + sparse.eye_array(1500))
    rhs = np.random.default_rng(0).standard_normal(K.shape[0])
    rhs -= rhs.mean()
    steps = {}
    for name, near in (
        ("forest", Preconditioner(K, None).precondition),
        ("diagonal", lambda r: r / K.diagonal()[:, None]),
    ):
        products = []
        system = System(K)
        system.apply = lambda x, products=products: products.append(1) or K @ x
        system.precondition = near
        x, error = conjugate_gradients(system, rhs, 1e-8, 1e-6, maxiter=20_000)
        np.testing.assert_allclose(K @ x, rhs, atol=1e-5)
        assert error.max() <= 1e-8
        steps[name] = len(products)
    assert 5 * steps["forest"] < steps["diagonal"]


@cache
def by_a_factor():
    K = small_world(1300)
    return K, cl.collapse(K, "unfolded", eps=1e-4, solver=cl.Direct())


def test_iterative_and_direct_agree_on_a_small_world():
    K, T = by_a_factor()
    S = cl.collapse(K, "unfolded", eps=1e-4)  # each time anew: it counts its steps
    assert S.iterative
    assert not T.iterative
    x = np.random.default_rng(0).standard_normal((K.n_vertices, 3))
    np.testing.assert_allclose(S @ x, T @ x, atol=1e-9)
    spectrum = S.spectrum(6)
    assert isinstance(spectrum.solver, cl.Davidson)
    expected = linalg.eigvalsh(T.toarray(), subset_by_index=(0, 5))
    np.testing.assert_allclose(spectrum.values, expected, atol=1e-9)
    assert spectrum.residuals.max() < 1e-8


@pytest.mark.parametrize("deviation", [0.0, 1e-17, 1e-12, 1e-6])
def test_a_signal_next_to_the_kernel_does_not_end_iterations(deviation):
    """A constant leaves rounding, for which there is nothing to solve; S @ 1 is a usual check."""
    K, T = by_a_factor()
    S = cl.collapse(K, "unfolded", eps=1e-4)  # each time anew: it counts its steps
    beside = deviation * np.random.default_rng(0).standard_normal(K.n_vertices)
    x = 3.0 + beside
    rounding = 1e-14 * np.abs(S.A).sum(axis=1).max() * np.linalg.norm(x)
    np.testing.assert_allclose(S @ x, T @ beside, atol=rounding)
    for rank, values in S.complete(x).items():
        expected = T.complete(beside)[rank]
        np.testing.assert_allclose(values, expected, atol=1e-9 * deviation + 1e-12)
    assert S.iterative


def test_what_factorizes_all_cells_factorizes_a_too_but_does_not_count(monkeypatch):
    """Products of the mixed realization need a factor of all cells."""
    S = cl.collapse(small_world(520), "mixed", eps=1e-3)
    monkeypatch.setattr(auto, "expands", lambda A: True)
    monkeypatch.setattr(inertia, "inertia", None)  # what is not called may be anything
    spectrum = S.spectrum(5)
    assert spectrum.solver == cl.Davidson()
    assert spectrum.certified is None
    left = S @ spectrum.vectors - spectrum.vectors * spectrum.values
    assert abs(left).max() <= 1e-8
    assert cl.collapse(S.source, "unfolded", solver=cl.CG()).iterative


def test_large_systems_go_to_pardiso_where_it_is_installed(monkeypatch):
    assert best_direct(1000) == cl.Direct()
    monkeypatch.setattr("cellapse._linalg.factor.find_spec", lambda name: object())
    assert best_direct(10**6) == cl.Direct("pardiso")
    monkeypatch.setattr("cellapse._linalg.factor.find_spec", lambda name: None)
    assert best_direct(10**6) == cl.Direct()


@pytest.mark.parametrize(
    "graph",
    [nx.gnm_random_graph(3000, 15000, seed=0), nx.watts_strogatz_graph(3000, 10, 0.1, seed=0),
     nx.grid_2d_graph(60, 60)],
    ids=["random", "small world", "grid"],
)  # fmt: skip
def test_the_size_of_a_factor_is_estimated_within_a_factor_of_four(graph):
    L = sparse.csc_array(cl.graph_laplacian(cl.clique_complex(graph, 1)).A)
    L = L + sparse.eye_array(L.shape[0], format="csc")
    factor = splu(
        L, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    true = factor.L.nnz + factor.U.nnz
    assert true / 4 < fill_in(L) < 4 * true


def test_a_factor_that_cannot_fit_is_refused_with_figures(monkeypatch):
    monkeypatch.setattr("cellapse._shared.memory.available_memory", lambda: 2 * 10**7)
    L = cl.graph_laplacian(cl.clique_complex(nx.gnm_random_graph(11_000, 40_000, seed=0), 1))
    with pytest.raises(cl.SizeError, match=r"11,000 rows .* needs .* MB, and 20.0 MB .* Lanczos"):
        L.spectrum(40, solver=cl.ShiftInvert())


def test_where_products_are_expensive_a_few_are_taken_instead_of_a_dense_matrix():
    K = cl.clique_complex(nx.gnp_random_graph(110, 0.2, seed=0))
    with pytest.warns(cl.CellapseWarning):
        S = cl.collapse(K, realization="mixed", eps=1e-3)
    assert S.slow
    spectrum = S.spectrum(5)
    assert isinstance(spectrum.solver, cl.Davidson)
    np.testing.assert_allclose(spectrum.values, S.spectrum().values[:5], atol=1e-8)


@pytest.mark.parametrize("solver", [cl.ShiftInvert(), cl.Lanczos(), cl.Davidson(None)], ids=str)
def test_an_interrupt_leaves_nothing_half_done(monkeypatch, solver):
    """Stopped in the middle and asked again, an operator answers as if nothing had happened."""
    S = cl.collapse(small_world(400), "unfolded", eps=1e-3)
    calls = []

    def interrupt(self, note=""):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Bar, "step", interrupt)
    with pytest.raises(KeyboardInterrupt):
        S.spectrum(5, solver=solver)
    monkeypatch.undo()
    check(S, S.spectrum(5, solver=solver))


def test_long_computations_say_how_far_they_are(monkeypatch, capsys):
    monkeypatch.setattr("cellapse._shared.progress._PATIENCE", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("tqdm.std.time", iter(np.arange(0.0, 1e7, 3.0).tolist()).__next__)
    S = cl.collapse(small_world(1500), "unfolded", eps=1e-3)
    S.spectrum(5, solver=cl.Davidson(None))
    said = capsys.readouterr().err
    assert "Lanczos: " in said
    assert "Davidson: " in said
    assert "on the way to" in said


def test_auto_goes_on_with_lanczos_where_davidson_does_not_converge(monkeypatch):
    S = cl.collapse(small_world(400), "unfolded", eps=1e-3)
    one_step = Choice(cl.Davidson(None, max_steps=1), "to see it fail")
    select = cl.Auto.select
    monkeypatch.setattr(
        cl.Auto, "select", lambda auto, T, k=10: one_step if T is S else select(auto, T, k)
    )
    spectrum = S.spectrum(5)
    assert isinstance(spectrum.solver, cl.Lanczos)
    check(S, spectrum)
    with pytest.raises(cl.ConvergenceError, match="max_steps"):  # asked for by name, it may fail
        S.spectrum(5, solver=cl.Davidson(None, max_steps=1))


@pytest.mark.parametrize("edges", [[], [(0, 2)], [(0, 2), (1, 3)]])
def test_lanczos_looks_where_nothing_is_left(edges):
    """Few edges: what is left beside the kernel is zero, or one number."""
    graph = nx.empty_graph(7)
    graph.add_edges_from(edges)
    K = cl.clique_complex(graph)
    for S in (cl.graph_laplacian(K), cl.collapse(K, "unfolded", eps=1e-9)):
        truth = np.linalg.eigvalsh(S.toarray())
        for k in (1, 2, 5):
            found = S.spectrum(k, which="largest", solver=cl.Lanczos())
            np.testing.assert_allclose(found.values, truth[-k:], atol=1e-9)


def test_lanczos_gives_up_in_time(monkeypatch):
    """On a long path it would take days; a product with a collapse is a solve."""
    monkeypatch.setattr("cellapse._linalg.eigen.krylov._PRODUCTS", 300)
    S = cl.collapse(cl.clique_complex(nx.path_graph(400)), "unfolded")
    with pytest.raises(cl.ConvergenceError, match="solver"):
        S.spectrum(2, solver=cl.Lanczos())
    assert S.spectrum(2).values[0] == 0.0


def test_products_with_few_columns_take_one_thread_and_give_the_others_back(monkeypatch):
    """Of OpenBLAS, which takes longer on two; a dense matrix may have all of them."""
    openblas = ThreadpoolController().select(internal_api="openblas")
    if not openblas.lib_controllers:
        pytest.skip("NumPy and SciPy have no OpenBLAS here")
    seen, pairs_and_residuals = [], spectra.pairs_and_residuals

    def threads():
        return {library.num_threads for library in openblas.lib_controllers}

    def counted(*given):
        seen.append(threads())
        return pairs_and_residuals(*given)

    monkeypatch.setattr("cellapse._linalg.eigen.spectrum.pairs_and_residuals", counted)
    L = cl.graph_laplacian(nx.path_graph(600))
    with openblas.limit(limits=2):
        before = threads()
        for solver in (cl.Lanczos(), cl.ShiftInvert(), cl.Dense()):
            L.spectrum(3, solver=solver)
            assert threads() == before
    assert seen == [{1}, {1}, before]
