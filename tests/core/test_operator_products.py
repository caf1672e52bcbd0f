"""Every operator is real and symmetric, and acts on complex signals part by part."""

import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse
from scipy.sparse.linalg import aslinearoperator, expm_multiply

import cellapse as cl

K = cl.clique_complex(nx.karate_club_graph(), 3, weight=None)
OPERATORS = {
    "unfolded": lambda: cl.collapse(K, "unfolded"),
    "unfolded, by conjugate gradients": lambda: cl.collapse(
        K, "unfolded", solver=cl.CG(rtol=1e-13)
    ),
    "boundary": lambda: cl.collapse(K, realization="boundary"),
    "incidence onto the edges": lambda: cl.collapse(K, realization="incidence", onto=1),
    "mixed": lambda: cl.collapse(K, realization="mixed", eps=0),
    "screened": lambda: cl.collapse(K, realization="renormalized"),
    "graph": lambda: cl.graph_laplacian(K),
    "signless": lambda: cl.signless_laplacian(K),
    "multiorder": lambda: cl.multiorder_laplacian(K),
    "motif": lambda: cl.motif_laplacian(K),
    "Zhou": lambda: cl.zhou_laplacian(K),
    "Hodge": lambda: cl.hodge_laplacian(K, 1),
    "Dirac": lambda: cl.dirac_operator(K),
    "a matrix": lambda: cl.as_operator(np.diag([1.0, 2.0, 3.0])),
    "a LinearOperator": lambda: cl.as_operator(aslinearoperator(cl.graph_laplacian(K).toarray())),
}
PRODUCTS = {
    "S @ x": lambda S, x: S @ x,
    "S.dot(x)": lambda S, x: S.dot(x),
    "S(x)": lambda S, x: S(x),
    "S * x": lambda S, x: S * x,
    "S.T @ x": lambda S, x: S.T @ x,
    "S.H @ x": lambda S, x: S.H @ x,
    "x.T @ S": lambda S, x: (x.T @ S).T,
    "matmat": lambda S, x: S.matmat(x) if x.ndim == 2 else S.matvec(x),
    "rmatmat": lambda S, x: S.rmatmat(x) if x.ndim == 2 else S.rmatvec(x),
    "(2j S) @ x": lambda S, x: (2j * S) @ x / 2j,
    "columns": lambda S, x: S @ x[:, None] if x.ndim == 1 else S @ x,
}


def signals(n):
    rng = np.random.default_rng(1)
    real, imaginary = rng.standard_normal((2, n, 3))
    return real + 1j * imaginary


@pytest.mark.filterwarnings("error::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("name", OPERATORS)
def test_products_with_complex_signals(name, product):
    S = OPERATORS[name]()
    M, X = S.toarray(), signals(S.shape[0])
    scale = np.abs(M).sum(axis=1).max() * np.abs(X).max()
    for x in (X, X[:, 0], 1j * X.imag, X.astype(np.complex64)):
        found = PRODUCTS[product](S, x)
        np.testing.assert_allclose(found.reshape(x.shape), M @ x, atol=1e-10 * scale)
    assert S.dtype == np.float64
    if "2j" not in product:
        assert PRODUCTS[product](S, X.real).dtype == np.float64


@pytest.mark.parametrize("name", OPERATORS)
def test_the_energy_of_a_complex_signal(name):
    S = OPERATORS[name]()
    u = signals(S.shape[0])[:, 0]
    expected = (u.conj() @ S.toarray() @ u).real
    assert S.energy(u) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert isinstance(S.energy(u), float)


@pytest.mark.parametrize("name", OPERATORS)
def test_the_wave_equation(name):
    """expm_multiply(-1j t S, b) is exp(-1j t S) b, and keeps the length of b."""
    S = OPERATORS[name]()
    M, b = S.toarray(), signals(S.shape[0])[:, 0]
    found = expm_multiply(-0.3j * S, b, traceA=-0.3j * np.trace(M))
    np.testing.assert_allclose(found, linalg.expm(-0.3j * M) @ b, atol=1e-9)
    assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(b), rel=1e-9)


def test_a_sparse_factor():
    S = cl.collapse(K, "unfolded")
    X = np.random.default_rng(0).standard_normal((34, 5))
    X = sparse.csc_array(np.where(np.abs(X) > 1.3, X, 0.0))
    np.testing.assert_allclose(S @ X, S @ X.toarray())


@pytest.mark.parametrize("name", OPERATORS)
def test_what_cannot_be_multiplied(name):
    S = OPERATORS[name]()
    n = S.shape[0]
    bad = [None, "signal", np.ones(n + 1), np.ones((1, n, 1)), [["a"]] * n, object(), 2.0, {}, []]
    for x in bad:
        for apply in (S.__matmul__, S.matvec, S.matmat, S.rmatvec, S.rmatmat, S.energy):
            with pytest.raises(cl.InputError):
                apply(x)
    with pytest.raises(cl.InputError, match="columns"):
        S.matmat(np.ones(n))
    with pytest.raises(cl.InputError, match="column"):
        S.matvec(np.ones((n, 2)))
    with pytest.raises(cl.InputError, match="NaN"):
        S.energy(np.full(n, np.nan))


@pytest.mark.parametrize("name", OPERATORS)
def test_functions_of_real_signals_refuse_complex_ones(name):
    S = OPERATORS[name]()
    u = signals(S.shape[0])[:, 0]
    refusing = [lambda: S.solve(u, 1.0), lambda: S._mass(u)]
    if S.definite:
        refusing += [
            lambda: cl.smooth(S, u),
            lambda: cl.tasks.diffuse(S, u, [1.0]),
            lambda: cl.tasks.spectral_filter(S, u, np.cos),
            lambda: cl.tasks.dirichlet_energy(S, u),
            lambda: cl.tasks.total_variation(S, u),
        ]
    if isinstance(S, cl.CollapsedOperator):
        refusing.append(lambda: S.complete(u))
    for call in refusing:
        with pytest.raises(cl.InputError, match="complex"):
            call()


def test_an_operator_is_an_array_where_numpy_wants_one():
    L = cl.collapse(nx.path_graph(3), "unfolded")
    assert np.asarray(L).tolist() == L.toarray().tolist()
    assert np.asarray(L).dtype == np.float64
    assert np.asarray(L, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match=r"cop(y|ies)"):
        L.__array__(copy=False)  # what NumPy 2 calls; NumPy 1 asks for copies if there have to be
