"""PARDISO as `pypardiso` brings it: L D L^T of a symmetric matrix.

Large ones are ordered by nested dissection, which takes longer than minimum degree and saves more.
"""

from __future__ import annotations

import os
from copy import copy
from typing import Any
from weakref import finalize

import numpy as np
from scipy import sparse

from cellapse._errors import ConvergenceError, extra
from cellapse._linalg.products import mkl_libraries
from cellapse._shared.arrays import FloatArray

# Nested dissection (2), small pivots raised (10), pivots of two rows (21), and the
# factorization for many cores (24), whose solutions are quick on one core, too. By its own defaults
# PARDISO refines every solution twice, which takes four times as long; how good a solution is, is
# told by those who ask for it.
_SETTINGS = {1: 1, 2: 2, 10: 8, 21: 1, 24: 1}
_NEGATIVE = 23  # where it says how many eigenvalues are negative
_FACTORIZE, _SOLVE = 12, 33  # phases
_ORDERED, _BY_DEGREE = 2, 0  # where it says how an order is found
_ORDER, _ASKED = 5, 2  # PARDISO that is asked for its order takes half the time of one that is not
_LARGE = 75_000  # rows from which nested dissection is worth its time


class Pardiso:
    """A factor of a symmetric matrix, definite or not."""

    def __init__(self, matrix: sparse.csc_array) -> None:
        self._upper = sparse.csr_matrix(sparse.triu(matrix, format="csr"))
        self._upper.sort_indices()
        self._solver = new_solver(self)
        if self._upper.shape[0] < _LARGE:
            self._solver.set_iparm(_ORDERED, _BY_DEGREE)
        self._solver._check_A(self._upper)  # which would end the process
        n = self._upper.shape[0]
        self._solver.set_iparm(_ORDER, _ASKED)
        self._solver.perm = np.zeros(n, np.int32)
        run(self._solver, _FACTORIZE, self._upper, np.zeros(n))

    def solve(self, rhs: FloatArray) -> FloatArray:
        """The solution for one right-hand side or many columns."""
        return run(self._solver, _SOLVE, self._upper, rhs)

    def n_negative(self) -> int:
        """How many eigenvalues are negative."""
        return int(self._solver.get_iparm(_NEGATIVE))


def run(solver: Any, phase: int, upper: sparse.csr_matrix, rhs: FloatArray) -> FloatArray:
    """What a phase of PARDISO makes of a right-hand side."""
    from pypardiso.pardiso_wrapper import PyPardisoError

    solver.set_phase(phase)
    try:
        return solver._call_pardiso(upper, np.asfortranarray(rhs, dtype=np.float64))
    except PyPardisoError as error:
        raise ConvergenceError(f"a matrix of {upper.shape[0]:,} rows: {error}") from None


def new_solver(owner: object) -> Any:
    """A solver without a factor, whose memory is released with its owner.

    A copy, as a new one would search for its library again.
    """
    # Else it looks through all folders of the environment
    for library in mkl_libraries():
        os.environ.setdefault("PYPARDISO_MKL_RT", library)
    with extra("pypardiso", "fast"):
        from pypardiso import ps
    solver = copy(ps)
    solver.pt = np.zeros_like(solver.pt)
    solver.iparm = np.zeros_like(solver.iparm)
    solver.remove_stored_factorization()
    solver.set_matrix_type(-2)  # real symmetric indefinite, from the upper triangle
    for place, value in _SETTINGS.items():
        solver.set_iparm(place, value)
    # Its memory is not Python's, which would keep it; all of it goes at the end of the process.
    finalize(owner, solver.free_memory, everything=True).atexit = False
    return solver
