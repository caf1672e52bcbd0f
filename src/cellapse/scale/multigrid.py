"""PETSc matrices and preconditioners as functions of blocks of vectors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from cellapse._shared.arrays import FloatArray
from cellapse.scale.libraries import PETSc

# Classical interpolation of long range, truncated: few levels, sparse ones, on meshes of any kind.
_HYPRE = {
    "coarsen_type": "HMIS",
    "interp_type": "ext+i",
    "P_max": 4,
    "strong_threshold": 0.25,
    "agg_nl": 0,
}
_number = itertools.count()


class Product:
    """x -> M x for the columns of a block."""

    def __init__(self, M: Any) -> None:
        self.matrix = M
        self._x, self._y = M.createVecs()

    def __call__(self, X: FloatArray) -> FloatArray:
        return _columns(self.matrix.mult, self._x, self._y, X)


class Preconditioner:
    """x -> about M^-1 x by one cycle of multigrid or, where a graph expands, by the diagonal."""

    def __init__(self, M: Any, kind: str) -> None:
        self._pc = PETSc.PC().create(M.getComm())
        self._pc.setOperators(M)
        prefix = f"cellapse{next(_number)}_"
        if kind == "multigrid" and _has_hypre():
            self._pc.setType("hypre")
            self._pc.setHYPREType("boomeramg")
            options = PETSc.Options()
            for name, value in _HYPRE.items():
                options[f"{prefix}pc_hypre_boomeramg_{name}"] = value
        else:
            self._pc.setType("gamg" if kind == "multigrid" else "jacobi")
        self._pc.setOptionsPrefix(prefix)
        self._pc.setFromOptions()
        self._pc.setUp()
        self._x, self._y = M.createVecs()

    def __call__(self, X: FloatArray) -> FloatArray:
        return _columns(self._pc.apply, self._x, self._y, X)


def _columns(act: Any, x: Any, y: Any, X: FloatArray) -> FloatArray:
    Y = np.empty_like(X, order="F")
    for j in range(X.shape[1]):
        x.getArray()[:] = X[:, j]
        act(x, y)
        Y[:, j] = y.getArray()
    return Y


def _has_hypre() -> bool:
    return bool(PETSc.Sys.hasExternalPackage("hypre"))


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
