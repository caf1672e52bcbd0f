"""The contracts within `_linalg.eigen`: problems, solvers, and why their results can be trusted."""

import pickle
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse
from toys import Toy, small_world

import cellapse as cl
from cellapse._linalg.eigen import auto, davidson, inertia, krylov
from cellapse._linalg.eigen import spectrum as spectra
from cellapse._linalg.eigen.problem import (
    Base,
    EigenSolver,
    FirstPairs,
    LowerBound,
    eigenproblem,
    no_pairs,
)
from cellapse._linalg.eigen.spectrum import first_pairs, fix_signs, solve_eigenproblem
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.symmetric import Deficit
from cellapse._linalg.tuning import DENSE, DENSE_IF_NOTHING_ELSE

SOLVERS = [
    *(cl.Dense(), cl.Lanczos(), cl.Lanczos(n_basis=30), cl.ShiftInvert()),
    *(cl.Davidson(), cl.Davidson(None)),
]
GRAPHS = {
    "path": nx.path_graph(60),
    "copies": nx.circulant_graph(60, [1, 2]),  # nearly all eigenvalues twice
    "hubs": nx.barabasi_albert_graph(90, 2, seed=0),
    "expander": nx.random_regular_graph(4, 80, seed=1),
    "two parts": nx.disjoint_union(nx.grid_2d_graph(5, 8), nx.path_graph(33)),
}


def diagonal(values, k, **options):
    return eigenproblem(SparseOperator(np.diag(values), range(len(values))), k, **options)


def operators(name):
    K = cl.clique_complex(GRAPHS[name])
    return cl.graph_laplacian(K), cl.collapse(K, "unfolded", eps=1e-2), cl.collapse(K)


def problems(name):
    for S in operators(name):
        for mass in (None, S.A.diagonal() + 1.0):
            yield eigenproblem(S, 6, mass)


def truth(problem):
    """The eigenvalues off the kernel, of the dense matrix scaled by hand."""
    S = problem.operator.toarray() / np.outer(problem.root, problem.root)
    return np.linalg.eigvalsh(S)[problem.n_kernel :]


# Problems


@pytest.mark.parametrize("name", GRAPHS)
def test_a_problem_is_the_scaled_operator_off_its_kernel(name):
    for given in problems(name):
        S = given.operator.toarray() / np.outer(given.root, given.root)
        eye = np.eye(given.n)
        np.testing.assert_allclose(given.apply(eye), S, atol=1e-9 * given.norm)
        np.testing.assert_allclose(given.apply(eye[0]), S[0], atol=1e-9 * given.norm)
        np.testing.assert_allclose(given.dense(), S, atol=1e-9 * given.norm)
        assert truth(given)[-1] <= given.norm
        P = given.kernel.toarray()
        np.testing.assert_allclose(P.T @ P, np.eye(given.n_kernel), atol=1e-12)
        known = given.without(given.project(np.cos(np.outer(np.arange(given.n), [1.0, 2.0]))), 5)
        assert (known.dimension, given.dimension) == (
            given.n - P.shape[1] - 2,
            given.n - P.shape[1],
        )
        for x in (known.random(3), known.random()[:, None], known.project(eye[:, :2])):
            np.testing.assert_allclose(P.T @ x, 0.0, atol=1e-12)
            np.testing.assert_allclose(known.deflated.T @ x, 0.0, atol=1e-12)


@pytest.mark.parametrize("name", GRAPHS)
def test_its_factor_inverts_and_its_count_is_that_of_the_dense_matrix(name):
    for problem in problems(name):
        for given in (problem, eigenproblem(problem.operator, 6, problem.root**2, largest=True)):
            S = given.dense()
            shift, solve = given.factor(cl.Direct())
            assert np.linalg.eigvalsh(S)[0] > shift
            x = np.cos(np.outer(np.arange(given.n), [1.0, 2.0]))
            shifted = S - shift * np.eye(given.n)
            np.testing.assert_allclose(solve(shifted @ x), x, rtol=0, atol=1e-6)
            np.testing.assert_allclose(solve(shifted @ x[:, 0]), x[:, 0], rtol=0, atol=1e-6)
            assert given.factor(cl.Direct())[1] is solve  # made once
            values = np.linalg.eigvalsh(S)[0 if given.largest else given.n_kernel :]
            gap = int(np.argmax(np.diff(values)))
            assert given.count_below(float(values[gap : gap + 2].mean())) in (gap + 1, None)


def test_the_errors_that_products_are_allowed_do_not_show_in_residuals():
    operator = Toy([2.0, 8.0, 18.0])
    given = eigenproblem(operator, 2, np.array([1.0, 4.0, 9.0]), tol=1e-6)  # a norm of 2
    for slack in (1.0, 0.5, 7.0):
        given.apply(np.ones(3), slack)
    assert max(operator.errors[:2]) <= 0.1 * given.tol * given.norm
    assert operator.errors[2] == pytest.approx(7.0 * operator.errors[0])


def test_without_a_system_nothing_is_factorized():
    given = eigenproblem(Toy([1.0, 2.0]), 1)
    assert given.count_below(1.5) is None
    with pytest.raises(cl.InputError, match="factorize"):
        given.factor(cl.Direct())


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("masses", [False, True])
def test_the_base_bounds_s_from_both_sides(name, masses):
    S = operators(name)[1]
    given = eigenproblem(S, 6, S.A.diagonal() + 1.0 if masses else None)
    base = given.base
    assert isinstance(base.problem.operator, LowerBound) is masses
    off = linalg.null_space(given.kernel.toarray().T)
    own = off.T @ given.dense() @ off
    other = base.scale * off.T @ base.problem.apply(np.eye(given.n)) @ off
    assert linalg.eigvalsh(own - other)[0] >= -base.c - 1e-9 * given.norm
    assert given.without(off[:, :1], 3).base.problem.dimension == base.problem.dimension
    assert eigenproblem(S, 6, largest=True).base is None
    assert eigenproblem(operators(name)[0], 6).base is None


# Solvers


@pytest.mark.parametrize("solver", SOLVERS, ids=str)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_solver_finds_the_first_pairs_off_the_kernel(solver, name):
    for given in problems(name):
        if solver == cl.Davidson():
            if given.base is None:
                continue
            given = replace(given, start=first_pairs(given.base.problem, given.k))
        for values, vectors in (solver.find(given), solver.find_more(given)):
            assert vectors.shape[1] == len(values) >= given.k
            values, vectors = values[: given.k], vectors[:, : given.k]
            gram = vectors.T @ vectors
            np.testing.assert_allclose(gram, np.eye(given.k), atol=1e-7)
            np.testing.assert_allclose(given.kernel.csr.T @ vectors, 0.0, atol=1e-7)
            residuals = np.linalg.norm(given.apply(vectors) - vectors * values, axis=0)
            assert residuals.max() <= 1e-9 * given.norm
            if name != "copies":  # of which some may be missed: `search` is for those
                np.testing.assert_allclose(values, truth(given)[: given.k], atol=1e-8 * given.norm)


@pytest.mark.parametrize("solver", SOLVERS, ids=str)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_search_finds_something_if_and_only_if_it_is_there(solver, name):
    for given in problems(name):
        if solver == cl.Dense() or (solver == cl.Davidson() and given.base is None):
            continue
        values, vectors = np.linalg.eigh(given.dense())
        values, vectors = values[given.n_kernel :], vectors[:, given.n_kernel :]
        for missing in (0, 2):
            below = values[4] + 1e-6 * given.norm
            kept = [i for i in range(len(values)) if values[i] < below and i != missing]
            found = solver.search(given.without(vectors[:, kept], 1), below, 1)
            assert found[0].tolist() == pytest.approx([values[missing]], abs=1e-8 * given.norm)
            everything = given.without(np.hstack([vectors[:, kept], found[1]]), 2)
            assert not len(solver.search(everything, below - 2e-6 * given.norm, 1)[0])
            assert no_pairs(given.n)[1].shape == (given.n, 0)


@pytest.mark.parametrize("solver", [cl.Dense(), cl.Lanczos(), cl.ShiftInvert()], ids=str)
@pytest.mark.parametrize("name", GRAPHS)
def test_the_other_end_is_that_of_the_dense_matrix(solver, name):
    for S in operators(name):
        for mass in (None, "degree"):
            found = S.spectrum(5, mass, which="largest", solver=solver)
            dense = S.spectrum(5, mass, which="largest", solver=cl.Dense())
            np.testing.assert_allclose(found.values, dense.values, atol=1e-9 * found.norm)


def test_what_solvers_cannot_do_they_refuse():
    given = diagonal(np.arange(1.0, 31.0), 2)
    for call in (cl.Davidson().find, lambda p: cl.Davidson().search(p, 2.0, 1)):
        with pytest.raises(cl.InputError, match=r"Davidson\(None\)"):
            call(given)  # there is no A beside it
    with pytest.raises(cl.InputError, match="7 of 8"):
        cl.Davidson(None).find(diagonal(np.arange(1.0, 9.0), 7))
    for k, deflated in ((6, 0), (4, 3)):
        crowded = diagonal(np.arange(1.0, 7.0), k)
        crowded = replace(crowded, deflated=np.eye(6)[:, :deflated])
        with pytest.raises(cl.InputError, match=rf"{k} .*6"):
            cl.ShiftInvert().find(crowded)
    for make in (
        lambda: cl.Lanczos(n_basis="many"),
        lambda: cl.Lanczos(n_basis=1),
        lambda: cl.Davidson(max_steps=0),
    ):
        with pytest.raises(cl.InputError, match=r"n_basis|max_steps"):
            make()


def test_lanczos_on_what_is_zero_gives_what_there_is():
    values, vectors = cl.Lanczos().find(eigenproblem(Toy(np.full(5, 2.0)), 5))
    np.testing.assert_allclose(values, 2.0)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-12)


@pytest.mark.parametrize("name", ["expander", "hubs"])
@pytest.mark.parametrize("largest", [False, True])
def test_the_filter_lifts_the_wanted_values_alone(name, largest):
    """p is at most 1 on [cut, top], and above it below: for a matrix, and by products alone."""
    L = operators(name)[0]
    given = eigenproblem(L, 6, largest=largest)
    values = np.sort(np.linalg.eigvalsh(given.dense()))[given.n_kernel :]
    bounds = krylov._interval(given)
    if bounds is None:  # nothing to lift
        return
    cut, top = bounds
    assert values[given.k - 1] <= cut < top
    assert top >= 0.9 * values[-1]
    by_products = Toy(np.ones(given.n), apply=L.apply, A=L.A)
    inside = np.sort((cut + top - 2.0 * values) / (top - cut) * 2.0)
    for problem in (given, replace(given, operator=by_products)):
        eye = np.eye(given.n)
        step = krylov._chebyshev_step(problem, 0.5 * (cut + top), 0.5 * (top - cut))
        turned = step(0.0 * eye, eye)
        found = np.linalg.eigvalsh(turned)
        np.testing.assert_allclose(found[: len(values)], inside, atol=1e-10)


@pytest.mark.parametrize("graph", [nx.complete_graph(90), nx.star_graph(90), nx.path_graph(9)])
def test_where_there_is_nothing_to_lift_the_filter_says_so(graph):
    given = eigenproblem(cl.graph_laplacian(cl.clique_complex(graph)), 4)
    assert krylov.filtered_pairs(given, 1e-10, 1000) is None


def test_a_filter_is_for_sparse_products_and_as_many_as_allowed():
    S, T = (cl.collapse(small_world(400), name) for name in ("unfolded", "renormalized"))
    assert krylov.filtered_pairs(eigenproblem(S, 8), 1e-10, 1000) is None
    assert krylov.filtered_pairs(eigenproblem(T, 8), 1e-12, 50) is None
    assert krylov.filtered_pairs(eigenproblem(T, 8), 1e-10, 10_000) is not None


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_check_says_that_nothing_is_below_only_where_it_has_seen_it(unit):
    given = diagonal(unit * np.linspace(1.0, 2.0, 200), 1)
    assert krylov.nothing_below(given, unit * 0.5) is True
    assert krylov.nothing_below(given, unit * 1.5) is False
    few = diagonal(unit * np.array([1.0, 2.0, 3.0]), 1)
    assert krylov.nothing_below(few, unit * 0.5) is False  # no room to look


def test_corrections_are_solutions_off_the_vectors_that_are_there():
    """(A - s)^-1 r of a diagonal A, roughly: s by hand."""
    given, axes = diagonal([0.0, 1.0, 2.0, 3.0, 4.0], 1), np.eye(5)
    pairs = axes[:, [0, 2]], axes[:, [1, 4]], np.array([False, True])
    step = davidson.BySinglePrecision(given).correct(*pairs)  # s = 2 - .3 at the third axis
    np.testing.assert_allclose(step, axes[:, [4]] / 2.3, atol=1e-6)  # only what is open
    positive = diagonal([1.0, 2.0, 4.0], 1)
    pairs = np.eye(3)[:, :1], np.ones((3, 1)), np.array([True])
    step = davidson.ByFactor(positive, cl.Direct()).correct(*pairs)
    np.testing.assert_allclose(step.ravel(), [1.0, 0.5, 0.25], rtol=1e-4)


def test_a_factor_corrects_next_to_each_eigenvalue_off_the_start():
    """(A - s)^-1 r with s at the first value; ten times as close to it as A^-1 r is."""
    values, axes = np.array([1.0, 2.0, 4.0, 5.0, 8.0]), np.eye(5)
    given = diagonal(values, 1)
    start = FirstPairs(values[:1], axes[:, :1], True, axes[:, 1:3])
    pairs = axes[:, :1], axes[:, [3]] + axes[:, [4]], np.array([True])
    exact = np.array([0.0, 0.0, 0.0, 1 / 4, 1 / 7])
    plain = davidson.ByFactor(given, cl.Direct()).correct(*pairs).ravel()
    closer = davidson.ByFactor(given, cl.Direct(), start).correct(*pairs).ravel()
    assert abs(closer - exact).max() < 0.1 * abs(plain - exact).max()


# The choice


def choice(n, k=10, definite=True, slow=False, **attributes):
    operator = Toy(np.ones(n), definite=definite, slow=slow, **attributes)
    return auto.Auto().select(operator, k).solver


def test_auto_by_the_book(monkeypatch):
    """Every line of the table at the head of `auto`."""
    of_a, many = Deficit(Toy(np.ones(2))), DENSE + 1
    iterates = Deficit(Toy(np.ones(2)), iterative=True)
    monkeypatch.setattr(auto, "expands", lambda A: False)
    assert choice(DENSE, deficit=of_a) == cl.Dense()
    assert choice(many, deficit=of_a) == cl.Davidson()
    assert choice(many, None, deficit=of_a) == choice(many, many // 3, deficit=of_a) == cl.Dense()
    assert choice(DENSE, deficit=of_a, slow=True) == cl.Davidson()
    assert choice(20, 2, deficit=of_a, slow=True) == cl.Dense()
    assert choice(many, definite=False) == cl.Lanczos()
    assert choice(many) == cl.Lanczos()  # nothing to factorize
    assert choice(many, matrix=sparse.eye_array(many, format="csr")) == cl.ShiftInvert()
    monkeypatch.setattr(auto, "expands", lambda A: True)
    assert choice(many, deficit=iterates) == cl.Davidson(None)
    assert choice(many, deficit=of_a) == cl.Davidson()
    assert not auto.Auto().select(Toy(np.ones(many), deficit=of_a)).counts
    assert choice(many, matrix=sparse.eye_array(many, format="csr")) == cl.Lanczos()
    hubs = sparse.diags_array(np.r_[1e3, np.ones(many - 1)], format="csr")
    assert choice(many, matrix=hubs) == cl.Davidson(None)
    with pytest.raises(cl.InputError, match="k=0"):
        choice(many, 0)


def test_a_plan_has_something_to_go_on_with(monkeypatch):
    monkeypatch.setattr(auto, "expands", lambda A: False)

    def plan(n, k, **options):
        operator = Toy(np.ones(n), deficit=Deficit(Toy(np.ones(2))))
        return auto.Auto().plan(eigenproblem(operator, k, **options))[1]

    n = DENSE_IF_NOTHING_ELSE
    assert plan(n, 5) == [cl.Davidson(), cl.Lanczos(), cl.Dense()]
    assert plan(n + 1, 5) == [cl.Davidson(), cl.Lanczos()]
    assert plan(n + 1, 5, largest=True) == [cl.Lanczos()]
    assert plan(30, 30) == [cl.Dense()]
    assert plan(30, 29) == [cl.Dense()]


def test_the_largest_are_found_by_what_can():
    S = operators("two parts")[1]
    plan = auto.Auto().plan
    assert plan(eigenproblem(S, 3, largest=True))[1][0] == cl.Dense()


def test_masses_take_hubs_away():
    K = cl.clique_complex(nx.barabasi_albert_graph(1500, 4, seed=0))
    S = cl.collapse(K, "screened")
    assert S.spectrum(5).solver == cl.Davidson(None)
    assert S.spectrum(5, "diagonal").solver == cl.Lanczos()


# Pairs that are kept


def test_first_pairs_are_kept_and_grow(monkeypatch):
    """A ring of 600: of k + 4 pairs that were found k are sure, the others when asked for."""
    L = cl.graph_laplacian(cl.clique_complex(nx.circulant_graph(600, [1, 2])))
    angles = 2 * np.pi * np.arange(600) / 600
    true = np.sort(4 - 2 * np.cos(angles) - 2 * np.cos(2 * angles))
    first = first_pairs(eigenproblem(L, 5), 5)
    np.testing.assert_allclose(first.values, true[1:6], atol=1e-7)
    assert first.certain
    both = np.hstack([first.vectors, first.more])
    np.testing.assert_allclose(both.T @ both, np.eye(both.shape[1]), atol=1e-9)
    np.testing.assert_allclose(both.sum(axis=0), 0.0, atol=1e-9)
    calls = []
    monkeypatch.setattr(cl.ShiftInvert, "find_more", lambda *_: calls.append("found again"))
    np.testing.assert_allclose(first_pairs(eigenproblem(L, 1), 8).values, true[1:9], atol=1e-7)
    assert first_pairs(eigenproblem(L, 1), 3).more.shape[1] > 3
    assert not calls
    assert pickle.loads(pickle.dumps(L)).found == {}


def test_rough_vectors_are_a_start_and_no_result():
    L = SparseOperator(np.diag(np.arange(1.0, 41.0)), range(40))
    turned = np.eye(40)[:, :4]
    turned[[3, 9], 3] = np.cos(0.1), np.sin(0.1)
    L.found["pairs"] = FirstPairs(np.array([1.0, 2.0]), turned[:, :2], True, turned[:, 2:])
    three = first_pairs(eigenproblem(L, 1), 3)
    np.testing.assert_allclose(three.values, [1.0, 2.0, 3.0], rtol=1e-12)
    np.testing.assert_array_equal(three.more, turned[:, 3:])
    np.testing.assert_allclose(first_pairs(eigenproblem(L, 1), 4).values[3], 4.0, rtol=1e-9)


# Evidence


def test_inertia_is_the_number_of_negative_eigenvalues():
    rng = np.random.default_rng(0)
    dense = [rng.standard_normal((n, n)) for n in (1, 3, 8, 20)]
    for M in (*(M + M.T for M in dense), np.array([[0.0, 1.0], [1.0, 0.0]]), np.zeros((0, 0))):
        found = inertia.inertia(sparse.csc_array(M), 1.0)
        assert found == (np.linalg.eigvalsh(M) < 0).sum()
    assert inertia.inertia(sparse.csc_array(np.diag([1e-30, -1e30, 0.0, -1.0])), 1.0) == 2
    signs = np.where(np.arange(3001) % 3, 1.0, -1.0)
    many = sparse.csc_array(sparse.diags_array(signs))
    assert inertia.inertia(many, 1.0) == 1001
    assert inertia.inertia(many, 0.99) is None  # factors that have grown further than allowed


def test_a_count_moves_off_what_cannot_be_counted_but_not_far(monkeypatch):
    asked = []

    def shifted(shift, mass):
        asked.append(shift)
        return sparse.eye_array(3, format="csc"), 0

    monkeypatch.setattr(inertia, "inertia", lambda matrix, most: None)
    for rounding in (0.0, 1e-10, 1.9e-9):
        asked.clear()
        S = Toy([1.0, 2.0, 4.0], shifted_system=shifted, rounding=rounding)
        assert inertia.count_below(S, 0.0, np.ones(3)) is None
        assert 0.0 > asked[0] >= asked[1] > -1e-7 * 4.0
        assert asked[0] <= -rounding  # beyond what rounding moves
    monkeypatch.undo()
    for mass, known in ((1.0, True), (0.1, False)):  # rounding counts for more at a small mass
        S = Toy([1.0, 2.0, 4.0], shifted_system=shifted, rounding=1.2e-9)
        assert (inertia.count_below(S, 0.5, np.full(3, mass) ** [1, 0, 0]) is not None) is known


class Given(EigenSolver):
    """A solver with its answers given."""

    def __init__(self, pairs=None, searched=(), counts=False):
        self.pairs, self.searched, self.counts, self.asked = pairs, list(searched), counts, []

    @property
    def factorizes(self):
        return self.counts

    def find(self, given):
        return self.pairs

    def search(self, given, below, block):
        self.asked.append((given.dimension, round(below, 3), block))
        return self.searched.pop(0) if self.searched else no_pairs(given.n)


def of_axes(at, n=60):
    return np.arange(1.0, n + 1.0)[at], np.eye(n)[:, at]


def test_as_many_are_searched_as_the_count_says_are_missing():
    """1, 2, 3 and 6 were found; 4 and 5 are below 6."""
    solver = Given(searched=[of_axes([3, 4])], counts=True)
    given = diagonal(np.arange(1.0, 61.0), 4)
    (_, vectors), certain = spectra.complete_pairs(given, of_axes([0, 1, 2, 5]), solver)
    assert solver.asked == [(56, 6.0, 2)]
    assert certain is True
    assert vectors.tolist() == np.eye(60)[:, :6].tolist()  # in order, and none is thrown away


def test_without_a_count_the_rest_is_searched_until_nothing_is_found():
    """3 is missing among 1, 2, 4; 5 and 6 are known, and no room for it."""
    solver = Given(searched=[of_axes([2])])
    given = diagonal(np.arange(1.0, 61.0), 3)
    (_, vectors), certain = spectra.complete_pairs(given, of_axes([0, 1, 3, 4, 5]), solver)
    assert vectors.tolist() == np.eye(60)[:, :6].tolist()
    assert certain is None
    assert [asked[:2] for asked in solver.asked] == [(55, 4.0), (54, 3.0)]
    few = diagonal(np.arange(1.0, 9.0), 3)  # of so few all are looked at
    (_, vectors), _ = spectra.complete_pairs(few, of_axes([0, 1, 3], 8), Given())
    np.testing.assert_allclose(abs(vectors), np.eye(8)[:, :4], atol=1e-12)


def test_what_was_counted_and_not_found_is_no_result():
    given = diagonal(np.arange(1.0, 61.0), 3)
    with pytest.raises(cl.ConvergenceError, match=r"2 .* 5"):
        spectra.complete_pairs(given, of_axes([0, 1, 4]), Given(counts=True))


def excluded(values, found, c, *, scale=1.0, moved=0.0):
    """Of S = diag(values) - moved, scale diag(1..9) - c <= S, with some of the vectors."""
    numbers = np.arange(1.0, 10.0)
    A = eigenproblem(SparseOperator(np.diag(numbers), range(9)), len(found))
    S = SparseOperator(np.diag(values) - moved, range(9))
    given, base = eigenproblem(S, len(found)), Base(A, scale, c)
    below = max(values[i] for i in found) - 1e-6
    for more in range(min(5, 9 - len(found))):
        m = len(found) + more + 1
        kept = FirstPairs(numbers[:m], np.eye(9)[:, :m], True, np.empty((9, 0)))
        if spectra.excluded_by_base(given, np.eye(9)[:, found], base, kept, below):
            return True
    return False


def test_the_eigenvalues_of_a_exclude_others_of_s_by_hand():
    """S is at least A - c off six eigenvectors of A, and known in their space."""
    values = np.arange(1.0, 10.0) - 0.5
    assert excluded(values, [0, 1], 0.5)
    assert not excluded(values, [0, 2], 0.5)  # the second is missed, and in their space
    # The next of A is 7, two below it are found: 7 - c must be above the value, and by more than
    # what S may couple to.
    assert excluded(values, [0, 1], 5.4)
    assert not excluded(values, [0, 1], 5.6)
    hidden = np.array([*values[:8], 0.9])  # the last of S is low, as a c of 8.1 allows
    assert not excluded(hidden, [0, 1], 8.1)
    assert not excluded(values / 10, [0, 1], 0.56, scale=0.1)
    assert excluded(values / 10, [0, 1], 0.54, scale=0.1)
    assert excluded(values, [0, 1, 2, 3], 0.5)
    # S is 1.07 at the second place, but coupled to the sixth: one eigenvalue is below zero.
    u = np.zeros(9)
    u[[1, 5]] = 0.19**0.5, 0.81**0.5
    assert not excluded(np.arange(1.0, 10.0), [0], 4.9, moved=4.9 * np.outer(u, u))
    assert excluded(np.arange(1.0, 10.0), [0], 0.9, moved=0.9 * np.outer(u, u))


@pytest.mark.parametrize("realization", ["unfolded", "mixed", "boundary", "incidence"])
@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_they_never_exclude_what_is_there(realization):
    """On random complexes: right for the first eigenpairs, and None when one of them is missing."""
    certain = 0
    for seed in range(12):
        G = nx.random_geometric_graph(40 + seed, 0.25, seed=seed)
        S = cl.collapse(cl.clique_complex(G, max_rank=2), realization)
        mass = None if seed % 2 else S.A.diagonal() + 1.0
        given = eigenproblem(S, 6 + S.kernel.shape[1], mass)
        values, vectors = cl.Dense().find(replace(given, k=given.k + 6))
        first = values[: given.k], vectors[:, : given.k]
        certain += spectra._excluded(given, first) is True
        for missed in range(given.k):
            kept = [i for i in range(given.k + 1) if i != missed]
            if values[missed] < values[given.k] - 1e-6 * given.norm:
                assert spectra._excluded(given, (values[kept], vectors[:, kept])) is None
    assert certain >= (0 if realization == "incidence" else 6)


def test_a_is_at_least_so_much_off_vectors_close_to_its_first():
    """The smallest eigenvalue of A off a space, by LAPACK, and what is said of it."""
    rng, close = np.random.default_rng(5), []
    for turn in np.geomspace(1e-6, 1.0, 40):
        A = rng.standard_normal((30, 30))
        A = A @ A.T
        values, vectors = np.linalg.eigh(A)
        U = np.linalg.qr(vectors[:, :4] + turn * rng.standard_normal((30, 4)))[0]
        base = Base(eigenproblem(SparseOperator(A, range(30)), 2), 0.5, 0.25)
        kept = FirstPairs(values, vectors, True, vectors[:, :0])
        said = spectra.bound_off(base, kept, U)
        off = np.linalg.svd(U)[0][:, 4:]
        least = 0.5 * np.linalg.eigvalsh(off.T @ A @ off)[0] - 0.25
        assert said <= least
        close.append(said > 0.9 * least)
    assert sum(close) > 20


def test_vectors_found_twice_are_refused():
    given = eigenproblem(Toy([1.0, 2.0, 4.0]), 2)
    V = np.array([[1.0, 1.0], [0.0, 1e-3], [0.0, 0.0]])
    np.testing.assert_allclose(np.abs(spectra.orthonormal(given, V)), np.eye(3)[:, :2], atol=1e-12)
    with pytest.raises(cl.ConvergenceError, match="twice"):
        spectra.orthonormal(given, np.array([[1.0, 1.0], [0.0, 1e-5], [0.0, 0.0]]))


def test_pairs_and_residuals_by_hand():
    kernel = sparse.csr_array(np.eye(3)[:, :1])
    operator = Toy([1e-20, -1e-16, 4.0], kernel)
    given = eigenproblem(operator, 3, np.array([4.0, 1.0, 1.0]), tol=1e-8)
    V = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.6], [0.0, 0.0, 0.8]])
    values, u, residuals, reached = spectra.pairs_and_residuals(given, (np.ones(3), V), True)
    assert max(operator.errors) <= 0.05 * given.tol * given.norm
    assert u[0, 0] == 0.5  # over the root of its mass
    assert values[:2].tolist() == [0.0, 0.0]  # the kernel, and what rounding made negative
    # S v = (0, 0, 3.2), v^T S v = 2.56: left are -1.536 and 3.2 - 2.048
    assert values[2] == pytest.approx(2.56)
    assert residuals[2] == pytest.approx(np.hypot(1.536, 1.152))
    assert reached == pytest.approx(residuals[2] / 4.0)
    first = np.ones(1), np.eye(2)[:, :1]
    for definite, found in ((True, 0.0), (False, -1e-12)):  # within tol of zero, which is known
        negative = eigenproblem(Toy([-1e-12, 1.0], definite=definite), 1)
        assert spectra.pairs_and_residuals(negative, first, True)[0][0] == found
    far = eigenproblem(Toy([-1e-8, 1.0]), 1, tol=1e-9)  # a wrong claim stays visible
    assert spectra.pairs_and_residuals(far, first, True)[0][0] == -1e-8
    turned = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, -0.8], [0.0, 0.8, 0.6]])
    values, u, residuals, reached = spectra.pairs_and_residuals(given, (np.ones(3), turned), False)
    np.testing.assert_allclose(values, [0.0, 0.0, 4.0], atol=1e-14)
    np.testing.assert_allclose(np.abs(u), np.diag([0.5, 1.0, 1.0]), atol=1e-14)
    assert reached < 1e-14


@pytest.mark.parametrize(("angle", "kept"), [(0.7e-3, True), (1.01e-3, False)])
def test_a_residual_above_its_promise_is_not_given_out(angle, kept):
    """diag(0, 1) and a vector that is turned by t: sin t cos t is left, of a norm of 1."""
    solver = Given((np.zeros(1), np.array([[np.cos(angle)], [np.sin(angle)]])))
    solver.complete = True
    given = eigenproblem(Toy([0.0, 1.0]), 1, tol=1e-3)
    if kept:
        found = solve_eigenproblem(given, solver)
        assert found.residuals[0] == pytest.approx(angle, rel=1e-5)
        assert found.certified is True
    else:
        with pytest.raises(cl.ConvergenceError, match="residual"):
            solve_eigenproblem(given, solver)


def test_vectors_of_any_length_come_out_with_length_one():
    solver = Given((np.array([1.0, 2.0]), np.eye(4)[:, :2] * [2.0, 3.0]))
    found = solve_eigenproblem(diagonal([1.0, 2.0, 3.0, 4.0], 2), solver)
    np.testing.assert_allclose(found.vectors, np.eye(4)[:, :2], atol=1e-12)
    np.testing.assert_allclose(found.values, [1.0, 2.0])


@pytest.mark.parametrize(
    ("certified", "words"), [(True, "certain that none"), (False, "not all"), (None, "not counted")]
)
def test_a_spectrum_says_what_is_certain(certified, words):
    def made(count, n_zeros=None):
        values = np.arange(float(count))
        return cl.Spectrum(
            values, np.eye(9)[:, :count], values / 10, 2.0, n_zeros, certified, range(9), cl.Dense()
        )

    rows = dict(made(7, 1)._card().rows)
    assert rows["zeros"] == "1 exactly"
    assert words in rows["evidence"]
    assert "zeros" not in dict(made(6)._card().rows)
    assert made(2).to_frame().index.tolist() == [1, 2]
    assert made(2).plot() is not None
    assert len(made(3).first(0)) == 0
    assert made(3).first(2).residuals.tolist() == [0.0, 0.1]


def test_signs_by_the_first_of_the_largest_entries():
    given = np.array([[0.5, -1.0, 0.0], [-1.0, 1.0 - 1e-8, 0.0], [0.2, 0.3, 0.0]])
    turned = np.array([[-0.5, 1.0, 0.0], [1.0, -1.0 + 1e-8, 0.0], [-0.2, -0.3, 0.0]])
    assert fix_signs(given).tolist() == turned.tolist()
    assert fix_signs(turned).tolist() == turned.tolist()


@pytest.mark.parametrize("kind", ["degree", "wide"])
@pytest.mark.parametrize("name", ["two parts", "expander"])
def test_masses_may_spread_over_orders(name, kind):
    graphs = {"expander": nx.random_regular_graph(8, 600, seed=0)}
    graph = graphs.get(name, nx.disjoint_union(nx.grid_2d_graph(20, 15), nx.grid_2d_graph(18, 18)))
    S = cl.collapse(cl.clique_complex(graph), "unfolded", eps=1e-3)
    mass = S.A.diagonal() if kind == "degree" else 10.0 ** np.linspace(-2, 2, S.shape[0])
    found = S.spectrum(8, mass, solver=cl.Davidson(None))
    true = linalg.eigh(S.toarray(), np.diag(mass), eigvals_only=True)[:8]
    np.testing.assert_allclose(found.values, true, atol=1e-9 * found.norm)
