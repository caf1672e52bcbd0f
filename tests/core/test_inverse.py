"""The laws of K^-1, for every implementation, against matrices of 60 digits."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse._collapse import eliminated
from cellapse._collapse import inverse as module
from cellapse._collapse.chain import Chain
from cellapse._collapse.completion import MassErrors, completed
from cellapse._collapse.eliminated import EliminatedSystem, Level
from cellapse._collapse.inverse import (
    DenseInverse,
    FactoredInverse,
    IterativeInverse,
    diagonals,
    inverse_of,
    one_less_inverse,
)
from cellapse._matrices.incidence import Incidence

mpmath = pytest.importorskip("mpmath")

GRAPH = nx.lollipop_graph(4, 2)  # six vertices, eight edges, four triangles
K = cl.clique_complex(GRAPH)
EDGES, TRIANGLES = cl.incidence_matrices(K)
SIGNED = cl.boundary_matrices(K)[0]
RNG = np.random.default_rng(0)
X = RNG.standard_normal((6, 2))
WAYS = {
    "dense": DenseInverse,
    "factored": FactoredInverse,
    "joint": FactoredInverse,
    "cliques": FactoredInverse,
    "iterative": lambda level: IterativeInverse(FactoredInverse(level)),
}


def chain_of(*matrices):
    return Chain.of(Incidence(matrices, "given", None, (0,) * (len(matrices) + 1)), None)


def by_masses(eps, spread=2.0, beta=3.0, gamma=2.0, **options):
    """A level whose M is diagonal, with masses from eps up."""
    masses = np.append(eps, eps * 10.0 ** RNG.uniform(0.0, spread, SIGNED.shape[1] - 1))
    numbers = np.array([beta]), np.array([gamma])
    return Level(chain_of(SIGNED), *numbers, eps, masses=masses, **options)


def by_triangles(eps, beta=(1.0, 0.5), gamma=(1.0, 0.4)):
    """A level with triangles above the edges."""
    return Level(chain_of(SIGNED, TRIANGLES), np.array(beta), np.array(gamma), eps)


CASES = {
    "masses": by_masses(0.5),
    "far from one": by_masses(1e-3),
    "close to one": by_masses(1e3),
    "tiny masses": by_masses(1e-12, 9.0),
    "triangles": by_triangles(1e-2),
    "tiny eps": by_triangles(1e-7),
}
FITS = [
    (way, case)
    for way in WAYS
    for case, level in CASES.items()
    if not (way in ("dense", "iterative") and (level.graded is not None or "tiny" in case))
    and not (way == "cliques" and level.graded is None)
]


@pytest.fixture
def made(request, monkeypatch):
    """An implementation, on the way that its name says."""
    way, case = request.param
    if way in ("joint", "cliques"):
        monkeypatch.setattr(eliminated, "inverse_by_blocks", lambda M: None)
    monkeypatch.setattr(eliminated, "has_large_cliques", lambda *_: way == "cliques")
    return WAYS[way](CASES[case])


def exact(level):
    """I - K^-1 and the values of the eliminated cells for all unit vectors, to 60 digits."""
    with mpmath.workdps(60):
        B, M = (mpmath.matrix(matrix.toarray().tolist()) for matrix in (level.B, level.M))
        if level.graded is not None:  # whose entries are sums that were rounded
            above = chain_of(*level.graded.incidence).incidence
            M = level.eps * mpmath.eye(level.M.shape[0])
            start = 0
            for k, matrix in enumerate(above):
                D, low = mpmath.matrix(matrix.toarray().tolist()), matrix.shape[0]
                b, g = (
                    mpmath.mpf(float(each[k])) for each in (level.graded.beta, level.graded.gamma)
                )
                blocks = ((0, 0, b * D * D.T), (low, low, b * D.T * D), (0, low, -g * D))
                for i, j, block in (*blocks, (low, 0, -g * D.T)):
                    for r in range(block.rows):
                        for s in range(block.cols):
                            M[start + i + r, start + j + s] += block[r, s]
                start += low
        w = (M + level.beta * B.T * B) ** -1 * B.T
        return as_floats(level.beta * B * w), as_floats(level.gamma * w)


def as_floats(matrix):
    return np.array(matrix.tolist(), dtype=float).reshape(matrix.rows, matrix.cols)


@pytest.mark.parametrize("made", FITS, indirect=True, ids="-".join)
@pytest.mark.parametrize("error", [0.0, 1e-6])
def test_products_are_within_their_bound(made, error):
    level, (truth, _) = made.level, exact(made.level)
    for x in (X, X[:, 0], 0.0 * X, level.fixed(X)):
        got, bound = made.apply(x, error)
        wrong = np.atleast_1d(np.linalg.norm(got - truth @ x, axis=0))
        rounding = 1e-15 * np.atleast_1d(np.linalg.norm(x, axis=0))
        assert (wrong <= bound + rounding).all()
        assert (bound <= np.maximum(10.0 * error, 1e-9 * level.size(x))).all()


@pytest.mark.parametrize("made", FITS, indirect=True, ids="-".join)
def test_an_array_is_the_products_with_all_unit_vectors(made):
    array = made.dense()
    if array is None:  # PARDISO is not installed, or the digits are lost
        assert made.system.reduced is None or made.level.eps < 1e-6
        return
    np.testing.assert_allclose(
        array, exact(made.level)[0], atol=1e-12 * made.level.size(np.ones(1))[0]
    )
    assert (array == array.T).all()


@pytest.mark.parametrize("made", FITS, indirect=True, ids="-".join)
def test_values_minimize_the_energy(made):
    truth = exact(made.level)[1] @ X
    got = made.complete(X)
    np.testing.assert_allclose(got, truth, atol=1e-6 * np.linalg.norm(truth))
    np.testing.assert_allclose(made.complete(X[:, 0]), got[:, 0], atol=1e-9 * abs(got).max())
    assert not made.complete(0.0 * X).any()


@pytest.mark.parametrize("made", FITS, indirect=True, ids="-".join)
def test_a_shifted_system_holds_the_inverse_and_the_inertia(made):
    level, mass = made.level, np.linspace(1.0, 2.0, 6)
    assert (made.shifted_system(0.0, mass) is None) == (not made.system.exact)
    if not made.system.exact:
        return
    T = level.A.toarray() - level.c * exact(level)[0]
    values = np.linalg.eigvals(T / mass[:, None]).real
    for shift in (-1.0, 0.3, 5.0, 40.0):
        matrix, others = made.shifted_system(shift, mass)
        first = np.linalg.inv(matrix.toarray())[:6, :6]
        np.testing.assert_allclose(first @ (T - shift * np.diag(mass)), np.eye(6), atol=1e-6)
        assert (np.linalg.eigvalsh(matrix.toarray()) < 0).sum() - others == (values < shift).sum()
    assert made.safe_shift(mass) < values.min()
    assert made.rounding >= 0.0


def test_weights_beyond_their_bounds_are_refined():
    """K is not at least I: nothing bounds the error but what refinement still changes."""
    level = by_triangles(0.1, gamma=(1.0, 1.2))
    level.definite = False
    truth, values = exact(level)
    made = inverse_of(level)
    np.testing.assert_allclose(made.apply(X)[0], truth @ X, atol=1e-11)
    np.testing.assert_allclose(made.complete(X), values @ X, atol=1e-10)
    T = level.A.toarray() - level.c * truth
    matrix, others = made.shifted_system(0.3, np.ones(6))
    below = (np.linalg.eigvalsh(T) < 0.3).sum()
    assert (np.linalg.eigvalsh(matrix.toarray()) < 0).sum() - others == below


def test_without_eps_values_are_the_shortest():
    """Of all that minimize the energy; masses of zero, as they are in the limit."""
    level = Level(chain_of(SIGNED), np.ones(1), np.ones(1), 0.0, masses=np.zeros(SIGNED.shape[1]))
    shortest = np.linalg.pinv(SIGNED.toarray())
    made = inverse_of(level)
    np.testing.assert_allclose(made.complete(X), shortest @ X, atol=1e-9)
    onto = SIGNED.toarray() @ shortest
    np.testing.assert_allclose(made.apply(X)[0], onto @ X, atol=1e-9)
    masses = MassErrors(10.0 ** RNG.uniform(-1, 1, SIGNED.shape[1]), np.zeros(SIGNED.shape[1]))
    root = masses.growth**-0.5
    weighted = root[:, None] * np.linalg.pinv(SIGNED.toarray() * root)
    np.testing.assert_allclose(made.complete(X, masses), weighted @ X, atol=1e-8)
    assert made.rounding == np.inf


def test_values_next_to_an_energy_of_rounding_are_refused():
    light = chain_of(sparse.csr_array(np.diag([1.0, 1e-5])))
    level = Level(light, np.ones(1), np.ones(1), 0.0, masses=np.zeros(2))
    with pytest.raises(cl.ConvergenceError, match=r"of \|z\|"):
        inverse_of(level).complete(np.ones(2))


def test_which_implementation_suits(monkeypatch):
    cut, expands = nx.cycle_graph(1000), nx.random_regular_graph(8, 1000, seed=0)

    def of(graph, solver=None, eps=1.0, definite=True):
        B = cl.boundary_matrices(cl.clique_complex(graph, 1))[0]
        masses = np.full(B.shape[1], eps)
        level = Level(chain_of(B), np.ones(1), np.ones(1), eps, definite, masses)
        return type(inverse_of(level, solver))

    assert of(nx.cycle_graph(100)) is DenseInverse
    assert of(nx.cycle_graph(100), eps=1e-9) is FactoredInverse  # half of the digits are lost
    assert of(cut) is FactoredInverse
    assert of(expands) is IterativeInverse
    assert of(expands, definite=False) is FactoredInverse
    assert of(expands, eps=1e-12) is FactoredInverse  # masses are raised
    for graph in (cut, expands, nx.cycle_graph(100)):
        assert of(graph, cl.Direct()) is FactoredInverse


def test_what_takes_longer_than_a_factor_is_left_to_that():
    graph = nx.random_regular_graph(8, 600, seed=0)
    B = cl.boundary_matrices(cl.clique_complex(graph, 1))[0]
    numbers = np.ones(1), np.ones(1), 1e-3
    level = Level(chain_of(B), *numbers, masses=np.full(B.shape[1], 1e-3))
    made, x = IterativeInverse(FactoredInverse(level)), np.random.default_rng(0).random((600, 3))
    first = made.apply(x)[0]
    assert made.iterative
    made.preconditioner._products = 10**9
    made.apply(x)
    assert not made.iterative
    np.testing.assert_allclose(made.apply(x)[0], first, atol=1e-10)
    assert "Direct" in made.method


def test_a_factor_without_digits_is_noticed():
    class Wrong(cl.Direct):
        def prepare(self, matrix):
            solve = super().prepare(matrix)
            return lambda rhs: -30.0 * solve(rhs)

    with pytest.raises(cl.ConvergenceError, match="digits"):
        inverse_of(by_masses(1e-12, 9.0), Wrong()).apply(X)


def test_a_solve_that_is_not_good_enough_is_improved():
    class Rough(cl.Direct):
        def prepare(self, matrix):
            solve = super().prepare(matrix)
            return lambda rhs: (1.0 + 1e-6) * solve(rhs)

    for name, level in CASES.items():
        if "tiny" not in name:
            got, bound = FactoredInverse(level, Rough()).apply(X)
            assert (np.linalg.norm(got - exact(level)[0] @ X, axis=0) <= bound + 1e-15).all()
            assert (bound <= 1e-9 * level.size(X)).all()


def test_rounding_of_the_data_moves_values():
    """Of an edge held by eps alone: its mass in the last digit, over eps."""
    level = by_masses(1e-9, 0.0)
    rounding = MassErrors(np.ones(8), np.full(8, 1e-12))
    with pytest.raises(cl.ConvergenceError, match=r"of \|z\|"):
        completed(EliminatedSystem(level), level.fixed.off(X), rounding)


def test_what_is_lost_is_not_given_out(monkeypatch):
    made = FactoredInverse(CASES["tiny masses"])
    wrong = 1e-8 * float(made.level.size(X).max())
    monkeypatch.setattr(made.system, "values", lambda x, *_: (np.ones((8, 2)), np.full(2, wrong)))
    monkeypatch.setattr(made, "_by_one_solve", lambda *_: None)
    with pytest.raises(cl.ConvergenceError, match=r"of \|\|A\|\|"):
        made.apply(X)


def test_rounding_of_the_inverse_does_not_reach_the_kernel():
    P = np.full((3, 1), 3**-0.5)
    G = 1e6 * (np.eye(3) - P @ P.T)
    D, _ = one_less_inverse(G, lambda x: x - P @ (P.T @ x), G.__matmul__)
    assert abs(D @ P).max() < 1e-15
    assert abs(P.T @ D).max() < 1e-15


def test_of_a_stack_every_matrix_goes_its_own_way():
    """One is close to I, one is not, one is not known well enough, and one is not definite."""
    G = np.array([np.diag(d) for d in ([1e-9, 2e-9], [4.0, 1.0], [4.0, 1.0], [-4.0, 1.0])])
    known = np.array([1.0, 1.0, 1.1, 1.0])[:, None, None]
    with np.errstate(invalid="ignore"):
        D, error = one_less_inverse(G, lambda x: x, lambda v: known * (G @ v))
    assert (error < 1e-12).tolist() == [True, True, False, False]
    truth = np.array([[1e-9, 2e-9], [0.8, 0.5], [0.8, 0.5]])
    np.testing.assert_allclose(diagonals(D)[:3], truth, rtol=3e-9)


def test_of_no_cells_the_inverse_is_empty():
    empty = Level(
        chain_of(sparse.csr_array((0, 0))), np.ones(1), np.ones(1), 1.0, masses=np.ones(0)
    )
    assert inverse_of(empty).dense().shape == (0, 0)
    assert inverse_of(empty).apply(np.ones((0, 2)))[0].shape == (0, 2)


def test_the_array_is_given_out_only_where_it_is_good_enough(monkeypatch):
    made = FactoredInverse(CASES["masses"])
    array, inverse = made.dense(), module.definite_inverse
    monkeypatch.setattr(module, "definite_inverse", lambda K: inverse(K) * (1.0 + 1e-9))
    assert made.dense() is None
    np.testing.assert_allclose(made.dense(1e-6), array, atol=1e-6)
