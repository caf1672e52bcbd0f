r"""Conjugate gradients in single precision, held to residuals in double.

With D the diagonal of K they go on

    D^{-1/2} K D^{-1/2} y = D^{-1/2} r,    v = D^{-1/2} y,

off the known kernel of K - I: a step moves half as many bytes, and has nothing left to precondition
with. What x - K v is left is computed in double precision, tells the error of v, and is solved for
again where that is too large: up to six digits more each time.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from cellapse._linalg.blas import times
from cellapse._linalg.cg import one_pass
from cellapse._linalg.factor import Solve
from cellapse._linalg.kernel import Projector, scaled_kernel
from cellapse._shared.arrays import Entries, FloatArray

_ROUNDS = 3  # what is not close enough by then is left to double precision
_GAIN = 1e-6  # single precision does not make a residual much smaller at once
_MORE = 0.1  # a round that gains less is the last
_ENOUGH = 0.8  # part of the error allowed, so that rounding does not ask for another round
_STEPS = 300  # more of them lose in single precision what they gain


class Start(NamedTuple):
    """v, what it leaves of x, the energy of its error at most, and how many products that took."""

    v: FloatArray
    left: FloatArray
    energy: FloatArray
    products: int


class Short:
    """Approximate solutions of K v = x off the kernel of K - I, and their errors.

    Parameters
    ----------
    K : (n, n) csr_array
        At least I.
    kernel : csr_array, optional
        Orthonormal columns of disjoint support.
    lower : float
        Below the eigenvalues of D^-1 K off the kernel.
    """

    def __init__(self, K: sparse.csr_array, kernel: sparse.csr_array | None, lower: float) -> None:
        self._root = root = 1.0 / np.sqrt(K.diagonal())
        rows = np.repeat(root, np.diff(K.indptr))
        entries = (K.data * rows * root[K.indices]).astype(np.float32)
        # Copies: SciPy may sort the entries of K later on, in place.
        scaled = sparse.csr_array((entries, K.indices.copy(), K.indptr.copy()), shape=K.shape)
        self._product = partial(times, scaled)
        self._fixed, self._scaled_fixed = Projector(kernel), Projector(None, np.float32)
        if kernel is not None:
            self._scaled_fixed = Projector(scaled_kernel(root, Entries.of(kernel)), np.float32)
        self._lower = lower

    @np.errstate(over="ignore", invalid="ignore")  # then no error is within `tol`
    def refine(self, v: FloatArray, left: FloatArray, residual: Solve, tol: FloatArray) -> Start:
        """v whose error is within `tol`, in the energy norm, or as close as this way leads.

        Parameters
        ----------
        v, left : (n, columns) arrays
            A start off the kernel, and what it leaves of x.
        residual : function
            v -> x - K v.
        tol : array
            Error to reach, for every column.
        """
        now = Start(v, left, self._energy(left), 0)
        for _ in range(_ROUNDS):
            if (now.energy <= tol).all():
                break
            step, products = self._solution(now, tol)
            v = now.v + step
            left = residual(v).astype(np.float64, copy=False)
            energy = self._energy(left)
            if not (energy <= np.maximum(tol, _MORE * now.energy)).all():
                break
            now = Start(v, left, energy, now.products + products)
        return now

    def _energy(self, r: FloatArray) -> FloatArray:
        """At most the energy (e^T K e)^{1/2} of an error that leaves r, off the kernel."""
        return np.sqrt(np.einsum("i,ij,ij->j", self._root**2, r, r) / self._lower)

    def _solution(self, now: Start, tol: FloatArray) -> tuple[FloatArray, int]:
        """What is missing of v, as close as single precision gets; and the products it took."""
        scale, products = float(now.energy.max(initial=0.0)), 0  # keeps all numbers in range
        rhs: Any = np.empty(now.left.shape, np.float32)
        np.multiply(now.left, (self._root / scale)[:, None], out=rhs, casting="same_kind")
        share = np.maximum(_ENOUGH * tol / np.maximum(now.energy, 1e-300), _GAIN)
        goal = self._lower * (share * now.energy / scale) ** 2

        def apply(p: FloatArray) -> FloatArray:
            nonlocal products
            products += 1
            return self._scaled_fixed.remove_from(self._product(p))

        rhs = self._scaled_fixed.remove_from(rhs)
        y = one_pass(apply, rhs, lambda r: r, lambda _, rr: rr <= goal, _STEPS).x
        return self._fixed.remove_from(y * (self._root * scale)[:, None]), products
