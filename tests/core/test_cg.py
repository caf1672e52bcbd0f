"""Conjugate gradients and the error they promise."""

import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse._linalg.cg import System, conjugate_gradients, rough_solution
from cellapse._linalg.preconditioner import Preconditioner


class By(System):
    """H x = b by two functions."""

    def __init__(self, apply, precondition=lambda r: r):
        self.apply, self.precondition = apply, precondition


def system(n=60, low=1.0, high=1e6, seed=0):
    """A dense definite matrix with eigenvalues over a wide range, and right-hand sides."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    return (Q * np.geomspace(low, high, n)) @ Q.T, rng.standard_normal((n, 3))


def energy(H, e):
    return np.sqrt(np.einsum("ij,ij->j", e, H @ e)).astype(float)


def solution(H, b):
    """H^-1 b, refined in extended precision: LAPACK alone loses as many digits as is judged."""
    x = np.zeros(b.shape, np.longdouble)
    for _ in range(6):
        x += np.linalg.solve(H, (b - H.astype(np.longdouble) @ x).astype(float))
    return x


@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-8])
@pytest.mark.parametrize(
    ("lower", "maxiter"), [(1e-8, 7), (1e-8, 30), (1e-8, 4000), (1e-7, 4000), (None, 4000)]
)
def test_the_error_is_a_bound(tol, lower, maxiter):
    """Of the energy norm, whether the iteration arrived or not, whatever the preconditioner.

    Without a lower bound it is an estimate, which needs the iteration to arrive.
    """
    H, b = system()
    d = np.diag(H)[:, None]
    x, error = conjugate_gradients(By(H.__matmul__, lambda r: r / d), b, tol, lower, maxiter)
    if lower is None:
        assert (error <= tol).all()
    truth = energy(H, x - solution(H, b))
    assert (truth <= error * (1 + 1e-6) + 1e-14 * 1e6 * np.linalg.norm(x, axis=0)).all()
    if lower is not None and maxiter == 4000:  # and not far too large, when it arrived
        assert (error <= 1e4 * truth + 1e-14 * 1e6 * np.linalg.norm(x, axis=0)).all()
    if maxiter == 4000:
        assert (error <= tol).all()


def test_a_residual_is_no_error_and_is_not_taken_for_one():
    """The preconditioned residual is 1e-6 after no step, where the error is 1."""
    H = np.diag([1.0, 1e6])
    b = np.array([1.0, 0.0])
    x, error = conjugate_gradients(By(H.__matmul__, lambda r: r / 1e6), b, 1e-5, lower=1e-6)
    np.testing.assert_allclose(x, [1.0, 0.0], atol=1e-5)
    assert error <= 1e-5


def test_nothing_is_promised_beyond_rounding():
    H, b = system(high=1e12)
    x, error = conjugate_gradients(By(H.__matmul__), b, 1e-30, 0.5)
    truth = energy(H, x - solution(H, b))
    assert (error > 1e-30).all()
    assert (truth <= 2.0 * error).all()


def test_directions_of_the_kernel_are_left_alone():
    """A singular matrix with rounding in its kernel: the solution off it is found."""
    H, _ = system(low=1.0, high=100.0)
    v = np.ones(60) / np.sqrt(60)
    off = np.eye(60) - np.outer(v, v)
    H = off @ H @ off
    b = off @ np.random.default_rng(1).standard_normal(60) + 1e-16 * v
    near = np.linalg.inv(H + 1e-9 * np.outer(v, v) * 100)
    x, error = conjugate_gradients(By(H.__matmul__, near.__matmul__), b, 1e-10, null=1e-5)
    np.testing.assert_allclose(H @ x, b, atol=1e-8)
    assert error < 1e-8
    # What b has of the kernel has no answer, and must not lead there: it would be 1e8 times v.
    near = np.linalg.inv(H + 1e-3 * np.outer(v, v))
    for lower in (None, 1e-3):
        x, _ = conjugate_gradients(
            By(H.__matmul__, near.__matmul__), b + 1e-6 * v, 1e-10, lower, null=1e-5
        )
        assert abs(v @ x) < 0.1
        np.testing.assert_allclose(off @ (H @ x - b), 0.0, atol=1e-8)


def test_what_is_not_definite_is_not_followed():
    H = np.diag([1.0, -1.0, 2.0])
    _, error = conjugate_gradients(By(H.__matmul__), np.ones(3), 1e-10, lower=0.5)
    assert error > 1e-10
    assert np.isfinite(rough_solution(By(H.__matmul__), np.ones((3, 1)))).all()
    assert not np.isfinite(np.full(3, np.nan)).any()
    _, error = conjugate_gradients(By(lambda x: np.nan * x), np.ones(3), 1e-10, 0.5)
    assert not error <= 1e-10


def test_columns_do_not_disturb_each_other():
    H, b = system()
    b[:, 1] = 0.0
    both, _ = conjugate_gradients(By(H.__matmul__), b, 1e-7, 0.9)
    assert (both[:, 1] == 0.0).all()
    one, _ = conjugate_gradients(By(H.__matmul__), b[:, 2], 1e-7, 0.9)
    np.testing.assert_allclose(both[:, 2], one, atol=1e-6)


def test_algorithm_one_looks_at_the_true_residual():
    matrix = sparse.diags_array(np.geomspace(1.0, 1e14, 30))
    with pytest.raises(cl.ConvergenceError, match="residual"):
        cl.CG(rtol=1e-13, max_steps=5).prepare(matrix)(np.ones(30))
    assert (cl.CG().prepare(matrix)(np.zeros(30)) == 0.0).all()
    # Its own recursion says 1e-15; one digit is what the matrix leaves of it.
    wide = sparse.diags_array(np.geomspace(1.0, 1e14, 30)) + sparse.csr_array(
        np.full((30, 30), 1.0)
    )
    for rtol in (1e-3, 1e-15):
        try:
            x = cl.CG(rtol=rtol, max_steps=3000).prepare(wide)(np.ones(30))
        except cl.ConvergenceError:
            assert rtol == 1e-15
        else:
            assert np.linalg.norm(np.ones(30) - wide @ x) <= 2.0 * rtol * np.sqrt(30)


def test_what_gets_nowhere_ends_soon():
    """Rounding of 1e-9 in the products: the goal is out of reach, with or without a bound.

    Whether it was reached is for the caller to say, who knows the rounding of the products.
    """
    H = np.diag([1e-6, 1.0, 2.0, 3.0])
    products, rng = [], np.random.default_rng(0)

    def apply(x):
        products.append(x)
        return H @ x + 1e-9 * rng.standard_normal(x.shape)

    for lower in (None, 1e-7):
        products.clear()
        conjugate_gradients(By(apply), np.ones(4), 1e-30, lower)
        assert len(products) <= 6 * 300 + 6


@pytest.mark.parametrize("precondition", [lambda r: r, lambda r: 1.0 * r], ids=["same", "copy"])
@pytest.mark.parametrize("steps", [6, 8, 10, 12])
def test_the_bound_is_close(steps, precondition):
    """The one of Gauss and Radau, with a lower bound close to the smallest eigenvalue.

    A preconditioner may hand back the very array that it was given.
    """
    d = np.linspace(1.0, 100.0, 50)[:, None]
    b = np.random.default_rng(0).standard_normal((50, 2))
    x, error = conjugate_gradients(By(lambda x: d * x, precondition), b, 1e-10, 0.99, steps)
    truth = energy(np.diag(d[:, 0]), x - b / d)
    assert (truth <= error).all()
    assert (error <= 1.2 * truth).all()


def test_a_rough_solution_takes_as_many_steps_as_there_are_eigenvalues():
    H, b = np.diag([1.0, 10.0, 100.0, 1000.0]), np.ones((4, 2))
    steps = []
    x = rough_solution(By(lambda x: steps.append(1) or H @ x), b)
    assert len(steps) <= 4
    assert np.linalg.norm(b - H @ x) <= 0.02 * np.linalg.norm(b)


def test_heavy_groups_are_followed_by_a_forest():
    """Pairs tied by heavy edges in a ring of light ones: the diagonal alone would crawl."""
    n = 400
    near = sparse.diags_array([np.where(np.arange(n - 1) % 2, 1.0, 1e8)], offsets=[1])
    edges = sparse.csr_array(near + near.T)
    K = sparse.csr_array(sparse.eye_array(n) + sparse.diags_array(edges.sum(axis=1)) - edges)
    P = Preconditioner(K, None)
    steps = []
    b = np.random.default_rng(0).standard_normal(n)
    x, error = conjugate_gradients(
        By(lambda x: steps.append(1) or K @ x, P.precondition), b, 1e-8, P.lower
    )
    assert error <= 1e-8
    assert len(steps) <= 20
    assert np.linalg.norm(b - K @ x) <= 1e-6 * np.linalg.norm(b)


def test_one_iteration_is_allowed_and_none_is_not():
    assert cl.CG(max_steps=1).prepare(2 * sparse.eye_array(3))(np.ones(3)).tolist() == [0.5] * 3
    with pytest.raises(cl.InputError, match="max_steps"):
        cl.CG(max_steps=0)
