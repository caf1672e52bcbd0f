"""What several statements ask of an operator, and how their figures become checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg, sparse

from cellapse._collapse.collapsed import CollapsedOperator, as_collapsed
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.sigma import largest_eigenpair
from cellapse._shared.arrays import FloatArray, row_sum
from cellapse.theory.report import Check

DENSE = 2000  # up to this size eigenvalues are all computed
SMALL = 500  # and up to this one whatever else is asked, too
LARGE = 20_000  # from here on norms are known to a thousandth
ROUNDING = 1e-9  # relative to ||A||: what counts as zero


@dataclass(frozen=True, eq=False)
class Known:
    """What several statements ask of an operator, computed once."""

    S: CollapsedOperator
    given: tuple[Spectrum, Spectrum] | None = None

    @cached_property
    def spectra(self) -> tuple[Spectrum, Spectrum]:
        """The first eigenpairs of S and of A, or all of them."""
        if self.given is not None:
            return self.given
        n = self.S.shape[0]
        k = n if n <= DENSE else 20
        plain = SparseOperator(self.S.A, self.S.labels, self.S.kernel)
        return self.S.spectrum(k), plain.spectrum(k)

    @cached_property
    def moved(self) -> tuple[float, float]:
        """The smallest and the largest eigenvalue of A - S."""
        S, n = self.S, self.S.shape[0]
        if n <= SMALL:
            M = S.A.toarray() - S.toarray()
            values = linalg.eigvalsh((M + M.T) / 2)
            return float(values[0]), float(values[-1])
        change = self._change()
        return -largest_of(S, change, row_sum(S.A)), largest_of(S, lambda x: -change(x))

    def _change(self) -> Callable[[FloatArray], FloatArray]:
        """x -> (S - A) x: one product where S is a sparse matrix, otherwise two."""
        S, matrix = self.S, self.S.matrix
        if matrix is None:
            return lambda x: S @ x - S.A @ x
        difference = matrix - S.A
        return lambda x: difference @ x


def as_known(S: CollapsedOperator | Known) -> Known:
    if isinstance(S, Known):
        return S
    return Known(as_collapsed(S))


def measured_check(
    S: CollapsedOperator,
    name: str,
    statement: str,
    holds: bool | None,
    measured: float,
    bound: float,
    note: str = "",
) -> Check:
    """Return a check whose figures are compared with ||A||."""
    return Check(name, statement, holds, measured, bound, note, row_sum(S.A))


def within_bound(S: CollapsedOperator) -> bool:
    """Return whether no gamma is above the bound of L*."""
    return bool(S.weights.within_bound.all())


def tolerance(S: CollapsedOperator) -> float:
    return ROUNDING * row_sum(S.A)


def norm_of(M: sparse.csr_array) -> float:
    """||M|| of a semi-definite matrix, rounded up by a millionth; if it is large, a thousandth."""
    tol = 1e-6 if M.shape[0] <= LARGE else 1e-3  # on a mesh Lanczos takes long to be exact
    return largest_eigenpair(M.__matmul__, M.shape[0], tol=tol)[0] * (1 + tol)


def largest_of(
    S: CollapsedOperator, apply: Callable[[FloatArray], FloatArray], scale: float = 0.0
) -> float:
    """Return the largest eigenvalue of an operator given by its action."""
    n = S.shape[0]
    if n <= SMALL:
        M = apply(np.eye(n))
        return float(linalg.eigvalsh((M + M.T) / 2)[-1])
    return largest_eigenpair(apply, n, tol=1e-4, scale=scale)[0]
