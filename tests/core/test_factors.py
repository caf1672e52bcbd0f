"""The laws of a sparse factorization, for every library that makes one."""

import sys
from types import ModuleType

import numpy as np
import pytest
from scipy import sparse

import cellapse as cl


class Ldl:
    """What CHOLMOD gives, by LAPACK."""

    def cholesky_inplace(self, matrix):
        self.dense = matrix.toarray()

    def __call__(self, rhs):
        return np.linalg.solve(self.dense, rhs)

    def D(self):
        return np.linalg.eigvalsh(self.dense)


@pytest.fixture(params=["superlu", "pardiso", "qdldl", "cholmod"])
def library(request, monkeypatch):
    """CHOLMOD has no wheels: LAPACK stands in for it."""
    if request.param == "cholmod":
        package, module = ModuleType("sksparse"), ModuleType("sksparse.cholmod")
        module.analyze = lambda matrix, mode: Ldl() if mode == "simplicial" else None
        monkeypatch.setitem(sys.modules, "sksparse", package)
        monkeypatch.setitem(sys.modules, "sksparse.cholmod", module)
    else:
        needed = {"superlu": "scipy", "pardiso": "pypardiso", "qdldl": "qdldl"}
        pytest.importorskip(needed[request.param])
    return request.param


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("columns", [None, 1, 3, 24, 25, 60])
def test_a_factor_solves_for_any_number_of_columns(library, columns, unit):
    M = unit * (np.diag([4.0, -3.0, 2.0, -5.0]) + 0.5 * np.ones((4, 4)))
    factor = cl.Direct(library).prepare(sparse.csc_array(M))
    x = np.arange(4.0) if columns is None else np.arange(4.0 * columns).reshape(4, columns)
    np.testing.assert_allclose(factor(M @ x), x, rtol=1e-10, atol=1e-9)


def test_a_factor_counts_negative_eigenvalues_or_says_that_it_cannot(library):
    M = np.diag([4.0, -3.0, 2.0, -5.0]) + 0.5 * np.ones((4, 4))
    below = (np.linalg.eigvalsh(M) < 0).sum()
    factor = cl.Direct(library).prepare(sparse.csc_array(M))
    assert factor.n_negative() == (None if library == "qdldl" else below)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_the_growth_of_superlu_by_hand(unit):
    factor = cl.Direct().prepare(unit * sparse.csc_array([[1.0, 2.0], [2.0, 1.0]]))
    assert factor.growth() == pytest.approx((2 * 3 + 3) / 3)  # L = [1, 0; 2, 1], U = [1, 2; 0, -3]
    assert cl.Direct().prepare(sparse.diags_array([1.0, 3.0], format="csc")).growth() == 1.0
