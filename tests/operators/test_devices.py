"""Tensors in, tensors out; arrays of other libraries are refused in words. On the CPU: no GPU here.

The device "meta", which has no values, stands for one that NumPy cannot read.
"""

import networkx as nx
import numpy as np
import pytest

import cellapse as cl

torch = pytest.importorskip("torch", reason="tensors need the extra torch")

S = cl.collapse(nx.karate_club_graph())
X = np.random.default_rng(0).standard_normal((34, 2))


@pytest.mark.parametrize(
    ("dtype", "back"),
    [
        (torch.float64, torch.float64),
        (torch.float32, torch.float32),
        (torch.float16, torch.float16),
        (torch.bfloat16, torch.bfloat16),
        (torch.int64, torch.float32),
        (torch.bool, torch.float32),
        (torch.complex64, torch.complex64),
    ],
)
def test_products_are_tensors_of_the_same_kind(dtype, back):
    x = torch.from_numpy(10 * X).to(dtype)
    found = S @ x
    assert (found.dtype, found.device, found.shape) == (back, x.device, x.shape)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    expected = S @ x.to(wide).numpy()
    scale = abs(expected).max()
    error = abs(found.to(wide).numpy() - expected).max() / scale
    assert error <= torch.finfo(back).eps


@pytest.mark.parametrize("operator", [S, cl.graph_laplacian(nx.karate_club_graph()), 2 * S])
def test_every_way_to_apply_an_operator(operator):
    x = torch.from_numpy(X)
    for found in (operator @ x, operator.matmat(x), operator.dot(x)):
        np.testing.assert_allclose(found.numpy(), operator @ X)
    np.testing.assert_allclose(operator.matvec(x[:, 0]).numpy(), operator @ X[:, 0])


def test_signals_as_rows_come_back_as_rows():
    rows = torch.from_numpy(X.T.copy()).float()
    found = rows @ S
    assert (found.dtype, found.shape) == (torch.float32, (2, 34))
    torch.testing.assert_close(found, (S @ rows.T).T)
    assert isinstance(X.T @ S, np.ndarray)
    with pytest.raises(cl.InputError, match="gradient"):
        rows.clone().requires_grad_() @ S


def test_solutions_and_smoothed_signals_are_tensors_too():
    x = torch.from_numpy(X).float()
    for found, expected in (
        (S.solve(x, shift=1.0), S.solve(X, shift=1.0)),
        (cl.smooth(S, x), cl.smooth(S, X)),
    ):
        assert found.dtype == torch.float32
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_a_hermitian_operator_gives_complex_tensors():
    H = cl.magnetic_laplacian(nx.karate_club_graph())
    assert (H @ torch.from_numpy(X).float()).dtype == torch.complex64
    assert (H @ torch.from_numpy(X)).dtype == torch.complex128


def test_sparse_tensors_and_the_default_dtype():
    x = torch.from_numpy(X)
    np.testing.assert_allclose((S @ x.to_sparse()).numpy(), S @ X)
    torch.set_default_dtype(torch.float64)
    try:
        assert (S @ torch.ones(34, dtype=torch.int32)).dtype == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_gradient_is_sent_to_the_layers_that_have_one():
    x = torch.ones(34, requires_grad=True)
    with pytest.raises(cl.InputError, match=r"cellapse\.torch"):
        S @ x
    assert isinstance(S @ x.detach(), torch.Tensor)


def test_values_that_numpy_cannot_read_are_no_raw_error():
    with pytest.raises(cl.CellapseError):
        S @ torch.ones(34, device="meta")


def array_of(library):
    """One of JAX where it is installed, or a class that says it comes from there."""
    if library == "jax":
        try:
            return __import__("jax").numpy.ones(34)
        except ImportError:
            library = "jaxlib"
    made = type("Array", (), {"__module__": f"{library}._core", "dtype": np.dtype("f8")})()
    made.__class__.__array__ = lambda self, *_, **__: np.ones(34)
    return made


@pytest.mark.parametrize("library", ["jax", "cupy"])
def test_arrays_of_other_libraries_are_refused_with_what_to_do(library):
    x = array_of(library)
    for call in (lambda: S @ x, lambda: cl.smooth(S, x), lambda: S.spectrum(2, mass=x)):
        with pytest.raises(cl.InputError, match=rf"array of {library}.*asarray"):
            call()
