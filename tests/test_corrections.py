"""Corrections of approximate eigenvectors, on diagonal matrices, by hand."""

from __future__ import annotations

import numpy as np
from scipy import sparse

import cellapse as cl
from cellapse._linalg.eigen.corrections import (
    Ritz,
    by_factor,
)
from cellapse._linalg.eigen.problem import eigenproblem
from cellapse._linalg.operators import SparseOperator

A = np.array([1.0, 2.0, 3.0, 8.0, 10.0, 20.0])


def plain(mass=None):
    operator = SparseOperator(sparse.diags_array(A), range(6))
    return eigenproblem(operator, 3, mass)


def ritz(of: int) -> Ritz:
    """One eigenvector, whose residual has a part everywhere."""
    return Ritz(np.eye(6)[:, [of, 0]], np.ones((6, 2)), np.array([True, False]))


def test_a_correction_by_a_factor_is_a_solution_with_a():
    t = by_factor(plain(), cl.Direct())(ritz(1))
    np.testing.assert_allclose(t[:, 0], 1.0 / A, rtol=1e-4)
