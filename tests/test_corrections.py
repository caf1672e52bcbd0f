"""Corrections of approximate eigenvectors, on diagonal matrices, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse._linalg.eigen.corrections import (
    Ritz,
    by_factor,
    by_factor_off_known_vectors,
    summed_series,
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


def left(most: float) -> float:
    """What Chebyshev's polynomial of degree four leaves at most, when values go up to `most`."""
    return 1.0 / np.cosh(4.0 * np.arccosh(2.0 / most - 1.0))


@pytest.mark.parametrize(("of", "shift"), [(0, 1.0), (1, 2.0), (2, 2.5)])
def test_off_known_vectors_it_sees_the_eigenvalue(of, shift):
    """1/(a - s), and along the known vectors 1/a: the last of them is at 3."""
    correct = by_factor_off_known_vectors(plain(), cl.Direct(), np.eye(6)[:, :3], 2.5)
    t = correct(ritz(of))
    assert t.shape == (6, 1)
    error = 1.01 * left(shift / 3.0) + 1e-4
    np.testing.assert_allclose(t[3:, 0], 1.0 / (A[3:] - shift), rtol=error)
    np.testing.assert_allclose(t[:3, 0], 1.0 / A[:3], rtol=error)


def test_the_mass_is_seen():
    mass = np.array([1.0, 1.0, 1.0, 2.0, 2.5, 1.0])
    values = A / mass
    correct = by_factor_off_known_vectors(plain(mass), cl.Direct(), np.eye(6)[:, :3], 2.5)
    error = 1.01 * left(1.0 / 3.0) + 1e-4
    np.testing.assert_allclose(correct(ritz(0))[3:, 0], 1.0 / (values[3:] - 1.0), rtol=error)


def test_a_series_is_summed_as_well_as_a_polynomial_can():
    """What is left of b at every value is Chebyshev's polynomial, the least there is."""
    most = np.array([0.2, 0.7, 0.95])
    X = np.linspace(0.0, 1.0, 201)[:, None] * most
    y = summed_series(lambda v: X * v, np.ones_like(X), most)
    worst = abs(1.0 - (1.0 - X) * y).max(axis=0)
    np.testing.assert_allclose(worst, [left(m) for m in most], rtol=1e-3)
