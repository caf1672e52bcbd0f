"""PETSc matrices and preconditioners as functions of blocks of vectors."""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import Any

import numpy as np

from cellapse._shared.arrays import FloatArray
from cellapse.scale.libraries import PETSc

# Classical interpolation of long range, truncated: few levels, sparse ones, on meshes of any kind.
# Gauss-Seidel forward on the way down and backward on the way up: a symmetric cycle at half the
# price of symmetric sweeps both ways, and nearly as good. Rows with a large diagonal need no other
# level: only what is held together by heavy edges gets one.
_HYPRE = {
    "coarsen_type": "HMIS",
    "interp_type": "ext+i",
    "P_max": 4,
    "strong_threshold": 0.25,
    "agg_nl": 0,
    "max_row_sum": 0.1,
    "relax_type_down": "SOR/Jacobi",
    "relax_type_up": "backward-SOR/Jacobi",
    "relax_type_coarse": "Gaussian-elimination",
}
NUDGE = 1e-8  # relative to the norm: a shift that makes a Laplacian definite
_number = itertools.count()


class Product:
    """x -> M x for the columns of a block."""

    def __init__(self, M: Any) -> None:
        self.matrix = M
        self._x, self._y = M.createVecs()

    def __call__(self, X: FloatArray) -> FloatArray:
        return _columns(self.matrix.mult, self._x, self._y, X)


class Multigrid:
    """x -> about M^-1 x by one cycle of multigrid, for symmetric positive definite M."""

    def __init__(self, M: Any) -> None:
        self._pc = PETSc.PC().create(M.getComm())
        self._pc.setOperators(M)
        prefix = f"cellapse{next(_number)}_"
        if PETSc.Sys.hasExternalPackage("hypre"):
            self._pc.setType("hypre")
            self._pc.setHYPREType("boomeramg")
            options = PETSc.Options()
            for name, value in _HYPRE.items():
                options[f"{prefix}pc_hypre_boomeramg_{name}"] = value
        else:
            self._pc.setType("gamg")
        self._pc.setOptionsPrefix(prefix)
        self._pc.setFromOptions()
        self._pc.setUp()
        self._x, self._y = M.createVecs()

    def __call__(self, X: FloatArray) -> FloatArray:
        return _columns(self._pc.apply, self._x, self._y, X)


class Diagonal:
    """x -> x over the diagonal of M: enough where a graph expands."""

    def __init__(self, M: Any) -> None:
        diagonal = M.getDiagonal().getArray()
        self._inverse = (1.0 / np.where(diagonal > 0, diagonal, 1.0))[:, None]

    def __call__(self, X: FloatArray) -> FloatArray:
        return np.asfortranarray(self._inverse * X)


class Cycle:
    """x -> about (M + shift)^-1 x, made when it is first needed and then kept.

    Parameters
    ----------
    M : PETSc matrix
    shift : float
    kind : Multigrid or Diagonal
    """

    def __init__(self, M: Any, shift: float, kind: type[Multigrid] | type[Diagonal]) -> None:
        self._matrix, self._shift, self._kind = M, shift, kind

    @cached_property
    def _ready(self) -> Multigrid | Diagonal:
        return self._kind(shifted(self._matrix, self._shift))

    def __call__(self, X: FloatArray) -> FloatArray:
        return self._ready(X)


def _columns(act: Any, x: Any, y: Any, X: FloatArray) -> FloatArray:
    X, Y = np.asfortranarray(X), np.empty(X.shape, order="F")
    for j in range(X.shape[1]):
        x.placeArray(X[:, j])  # without copies
        y.placeArray(Y[:, j])
        act(x, y)
        x.resetArray()
        y.resetArray()
    return Y


def shifted(M: Any, shift: float) -> Any:
    """M + shift I, as a matrix of its own."""
    N = M.copy()
    N.shift(shift)
    return N


def scaled(M: Any, factor: FloatArray) -> Any:
    """diag(factor) M diag(factor), as a matrix of its own."""
    N = M.copy()
    d = N.createVecLeft()
    d.getArray()[:] = factor
    N.diagonalScale(d, d)
    return N
