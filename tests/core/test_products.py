"""Products of sparse matrices with columns, by MKL where it is installed, and what is next to K."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from toys import small_world

import cellapse as cl
from cellapse._linalg import blas
from cellapse._linalg.blas import column_dots, times


def matrix(dtype, rows=700, columns=500, density=0.25):
    """Entries of all sizes, some rows empty, columns out of order."""
    rng = np.random.default_rng(0)
    at = rng.random((rows, columns)) < density
    at[::7] = False
    A = sparse.csr_array(np.where(at, rng.standard_normal((rows, columns)), 0.0).astype(dtype))
    for i in range(rows):
        part = slice(A.indptr[i], A.indptr[i + 1])
        A.indices[part], A.data[part] = A.indices[part][::-1].copy(), A.data[part][::-1].copy()
    A.has_sorted_indices = False
    return A


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("columns", [2, 3, 9, 16, 33])
def test_a_product_is_the_dense_one(dtype, columns):
    A = matrix(dtype)
    assert A.nnz >= blas.MKL_FROM
    x = np.random.default_rng(1).standard_normal((500, columns)).astype(dtype)
    y = times(A, x)
    assert y.dtype == dtype
    assert y.flags.c_contiguous
    for product in (y, times(A, np.asfortranarray(x))):
        np.testing.assert_allclose(product, A.toarray() @ x, atol=200 * np.finfo(dtype).eps)


def test_what_mkl_does_not_take_is_scipys():
    """One vector, few entries, other types; what has the wrong size is refused."""
    A, x = matrix(np.float64), np.ones((500, 4))
    wide = sparse.csr_array((A.data, A.indices.astype(np.int64), A.indptr), shape=A.shape)
    small = sparse.csr_array(A[:40])
    for B, y in (
        (A, x[:, 0]),
        (A, x[:, :1]),
        (A, x.astype(np.longdouble)),
        (A.astype(np.float32), x.astype(np.float32)),
        (A.astype(np.longdouble), x),
        (wide, x),
        (small, x),
    ):
        np.testing.assert_allclose(times(B, y), B.toarray() @ y, atol=1e-4)
    with pytest.raises(ValueError, match=r"dimension mismatch|matmul"):
        times(A, np.ones((499, 4)))  # MKL would read beyond


def test_mkl_multiplies_itself(monkeypatch):
    """Where it fails, SciPy would do it instead, and nobody would know: here it cannot."""
    if blas._mkl() is None:
        pytest.skip("MKL is not installed")
    A, x = matrix(np.float64), np.random.default_rng(1).standard_normal((500, 3))
    expected = A.toarray() @ x
    monkeypatch.setattr(sparse.csr_array, "__matmul__", lambda *_: pytest.fail("SciPy did it"))
    np.testing.assert_allclose(times(A, x), expected, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [0, 1, 129, 5000, 300_001])
def test_products_of_columns_are_those_of_extended_precision(n, dtype):
    rng = np.random.default_rng(n)
    for m in (0, 1, 3):
        x, y = (rng.random((n, m)).astype(dtype) for _ in range(2))
        dots = column_dots(x, y)
        assert dots.shape == (m,)
        assert dots.dtype == np.float64
        exact = (x.astype(np.longdouble) * y).sum(axis=0)
        np.testing.assert_allclose(dots, exact, rtol=1e-12 if dtype == np.float64 else 1e-3)


def test_without_mkl_the_product_is_scipys(monkeypatch):
    A, x = matrix(np.float64), np.ones((500, 3))
    monkeypatch.setattr(blas, "_mkl", lambda: None)
    assert (times(A, x) == A @ x).all()


def test_longer_whole_numbers_are_not_for_us(monkeypatch):
    monkeypatch.setenv("MKL_INTERFACE_LAYER", "ILP64,GNU")
    assert blas._mkl.__wrapped__() is None
    monkeypatch.delenv("MKL_INTERFACE_LAYER")
    monkeypatch.setattr(blas, "mkl_libraries", lambda: [__file__])  # no library
    assert blas._mkl.__wrapped__() is None


def inverse_of(K):
    return cl.collapse(K, "unfolded", eps=1e-4).elimination.inverse


def test_the_coarse_inverse_is_below_the_inverse_and_close_to_it():
    P = inverse_of(small_world()).preconditioner
    inverse, eye = np.linalg.inv(P.matrix.toarray()), np.eye(P.matrix.shape[0], dtype=np.float32)
    about = P.coarse_inverse(1.0)(eye).astype(float)
    values = np.linalg.eigvalsh(inverse - (about + about.T) / 2)
    assert values[0] > -1e-5
    assert values[-1] < 1.0 - 1e-3  # equal to nothing would leave 1
    np.testing.assert_allclose(P.coarse_inverse(2.0)(eye), 2.0 * about, atol=1e-5)
    P.matrix, P.aggregate = sparse.csr_array([[3.0, -2.0], [-2.0, 3.0]]), np.zeros(2, int)
    np.testing.assert_allclose(P.coarse_inverse(1.0)(np.eye(2, dtype=np.float32)), 0.5)


def test_what_is_nearby_is_closer_than_a():
    """On the first eigenvectors of S, where it counts."""
    S = cl.collapse(small_world(), "unfolded", eps=1e-4)
    dense, norm = S.toarray(), 28.0
    near = S.elimination.inverse.approximation(norm)
    X = np.linalg.eigh(dense)[1][:, 1:9]
    product = norm * near(np.ascontiguousarray(X, dtype=np.float32))
    c = S.gamma[0] ** 2

    def left(image):
        return np.linalg.norm(image - X @ (X.T @ image))

    assert left(dense @ X - product) < 0.5 * left(dense @ X - (S.A @ X - c * X))


def test_a_pair_is_exact_however_rough_its_solution():
    S = cl.collapse(small_world(), "unfolded", eps=1e-4)
    x = np.linalg.qr(np.random.default_rng(0).standard_normal((800, 5)))[0]
    x -= x.mean(axis=0)
    x /= np.linalg.norm(x, axis=0)
    u, image = S.elimination.inverse.pair(x)
    assert 1e-6 < np.linalg.norm(u - x, axis=0).max() < 0.01
    direct = cl.collapse(S.source, "unfolded", eps=1e-4, solver=cl.Direct())
    np.testing.assert_allclose(image, direct @ u, atol=1e-11)


def test_without_groups_nothing_is_nearer_than_a(monkeypatch):
    inverse = inverse_of(cl.clique_complex(nx.gnm_random_graph(800, 6000, seed=1)))
    assert inverse.preconditioner.aggregate is None
    assert inverse.approximation(1.0) is None
    assert inverse.pair(np.eye(800)[:, :2]) is None
    inverse = inverse_of(small_world())
    monkeypatch.setattr("cellapse._collapse.inverse.ROUGH_STEPS", 0)
    x = np.eye(800)[:, :2] - 1 / 800
    assert inverse.pair(x) is None  # nothing was solved: u is 0, far from x


@pytest.mark.parametrize("k", [2, 12])
def test_a_small_world_has_the_spectrum_of_a_dense_matrix(k):
    S = cl.collapse(small_world(1500), "unfolded", eps=1e-4)
    spectrum = S.spectrum(k, solver=cl.Davidson(None))
    expected = np.linalg.eigvalsh(
        cl.collapse(S.source, "unfolded", eps=1e-4, solver=cl.Direct()).toarray()
    )
    np.testing.assert_allclose(spectrum.values, expected[:k], atol=1e-9)
    assert spectrum.residuals.max() < 1e-8
