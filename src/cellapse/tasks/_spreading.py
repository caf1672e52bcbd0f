r"""Three ways from a few labels to all vertices.

With Y the indicators of the labels, one column a class, and y the mean of the m labels,

    poisson       S U = sum over the labels j of e_j (y_j - y)^T,   sum over i of d_i U_i = 0
    harmonic      S F = 0 where there is no label,   F = Y where there is one
    regularized   F = (I + a S)^-1 Y

(J. Calder, B. Cook, M. Thorpe and D. Slepcev, Poisson learning, ICML 2020; X. Zhu, Z. Ghahramani
and J. Lafferty, Semi-supervised learning using Gaussian fields and harmonic functions, ICML 2003).
Rows of exp(U / s), with s the root mean square of U by degree, are scaled to sum 1. Then all
classes of the first two get the same mass, much as Zhu et al. do it: every column is divided by its
sum over the vertices without a label, and rows are scaled to sum 1 again. The shares of the classes
among the labels, in the place of equal ones, cost .08 of the accuracy where labels are drawn at
random: with few labels the values differ by less than these shares.

Without the label of vertex i each is what it was, less a column times a row:

    poisson       S^+ (e_i - mean of e_j) times (y_i - y)^T m / (m - 1)
    harmonic      h times (S F)_i / (S h)_i,   h harmonic, 1 at i and 0 at the other labels
    regularized   (I + a S)^-1 e_i times y_i^T

so that labels can be left out one by one at the price of as many columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from cellapse._errors import ConvergenceError
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray, csr_from_entries
from cellapse.tasks.smoothing import relaxed

_RTOL = 1e-8
_NOTHING = 1e-12  # of what it was: rounding


class Found(NamedTuple):
    """Probabilities of all vertices; and, of labels left out, those of their own vertex."""

    everywhere: FloatArray
    left_out: FloatArray


def regularized(S: Operator, Y: FloatArray, tested: IntArray, strength: float) -> Found:
    """(I + a S)^-1 Y, rows scaled to sum 1."""
    solved = _relaxed(S, np.hstack([Y, _units(tested, len(Y))]), strength)
    F, H = solved[:, : Y.shape[1]], solved[:, Y.shape[1] :]
    own = H[tested, np.arange(len(tested))]
    others = (Y.sum(axis=0) - Y[tested]) / max(Y.sum() - 1.0, 1.0)
    left = _probabilities(F[tested] - own[:, None] * Y[tested], others)
    return Found(_probabilities(F, _shares(Y)), left)


def harmonic(S: Operator, Y: FloatArray, tested: IntArray) -> Found:
    """Harmonic functions with class masses; the shares of the labels where none is in reach."""
    extended = _extended(S, np.hstack([Y, _units(tested, len(Y))]), _given(Y))
    F, H = extended[:, : Y.shape[1]], extended[:, Y.shape[1] :]
    pulled = S.apply(extended)[tested]
    left = np.empty((len(tested), Y.shape[1]))
    for t, i in enumerate(tested.tolist()):
        held = pulled[t, Y.shape[1] + t]  # 0 for the only label of a component
        reached = held > _NOTHING * S.A.diagonal()[i]
        row = pulled[t, : Y.shape[1]] / held if reached else Y[i]
        left[t] = _with_class_masses(F - np.outer(H[:, t], row), _without(Y, i))[i]
    return Found(_with_class_masses(F, Y), left)


def poisson(S: Operator, Y: FloatArray, tested: IntArray) -> Found:
    """Poisson learning with class masses.

    Each component has the mean of its own labels, and no class of which it has no label; without
    any label it gets the shares of the classes. A kernel of other positive vectors x than the
    constants, as normalized Laplacians have, is that of the constants of diag(x) S diag(x).
    """
    x, component, floats = _positive_kernel(S)
    inside = csr_from_entries(
        component, np.arange(len(Y)), np.ones(len(Y)), (component.max() + 1, len(Y))
    )
    labels = inside @ Y  # of every component
    many = np.maximum(labels.sum(axis=1), 1.0)
    mean = (labels / many[:, None])[component]
    at = _given(Y)
    units = _units(tested, len(Y)) - (
        at[:, None] * (component[:, None] == component[tested]) / many[component[tested]]
    )
    degree = x**2 * (S.A if S.matrix is None else S.matrix).diagonal()
    solved = _solved(S, np.hstack([(Y - mean) * at[:, None], units]) / x[:, None]) / x[:, None]
    if floats:
        total = np.maximum(inside @ degree, 1e-300)[:, None]
        solved -= (inside @ (degree[:, None] * solved) / total)[component]
    U, H = solved[:, : Y.shape[1]], solved[:, Y.shape[1] :]
    left = np.empty((len(tested), Y.shape[1]))
    for t, i in enumerate(tested.tolist()):
        m, fewer = many[component[i]], labels.copy()
        fewer[component[i]] -= Y[i]
        step = np.outer(H[:, t], (Y[i] - mean[i]) * (m / max(m - 1.0, 1.0)))
        there = (fewer > 0.0)[component]
        left[t] = _of_potentials(U - step, there, _without(Y, i), degree)[i]
    return Found(_of_potentials(U, (labels > 0.0)[component], Y, degree), left)


def _of_potentials(
    U: FloatArray, there: BoolArray, Y: FloatArray, degree: FloatArray
) -> FloatArray:
    """Return probabilities from the solution of Poisson's equation, of the classes there are."""
    size = np.sqrt((degree @ U**2).mean() / max(float(degree.sum()), 1e-300)) or 1.0
    Z = np.where(there, U / size, -np.inf)
    top = Z.max(axis=1, keepdims=True)
    return _with_class_masses(np.exp(Z - np.where(np.isfinite(top), top, 0.0)), Y)


def _with_class_masses(F: FloatArray, Y: FloatArray) -> FloatArray:
    """Return rows that sum to 1, from columns with equal sums over the vertices without a label."""
    P = _probabilities(F, np.zeros(Y.shape[1]))
    mass = P[~_given(Y)].sum(axis=0)
    return _probabilities(P / np.where(mass > 0.0, mass, 1.0), _shares(Y))


def _probabilities(F: FloatArray, shares: FloatArray) -> FloatArray:
    """Return rows that sum to 1; where no label is in reach, the shares of the classes."""
    F = np.maximum(F, 0.0)  # operators with entries above zero off the diagonal may go below
    total = F.sum(axis=1, keepdims=True)
    reached = total > _NOTHING
    return np.where(reached, F / np.where(reached, total, 1.0), shares)


def _relaxed(S: Operator, B: FloatArray, a: float) -> FloatArray:
    """(I + a S)^-1 B, in which the kernel of S has no part: it stays as it is."""
    fixed = np.zeros_like(B) if S.kernel is None else S.kernel @ (S.kernel.T @ B)
    rest = B - fixed
    rest[:, np.linalg.norm(rest, axis=0) <= 1e-13 * np.linalg.norm(B, axis=0)] = 0.0
    return fixed + relaxed(S, rest, a)


def _extended(S: Operator, values: FloatArray, given: BoolArray) -> FloatArray:
    """Return the columns with S F = 0 off the vertices given, and these values at them."""
    free = np.flatnonzero(~given)
    F = np.where(given[:, None], values, 0.0)
    if len(free):
        F[free] = _solved(_inner(S, free), -S.apply(F)[free])
    return F


def _inner(S: Operator, at: IntArray) -> Operator:
    """The rows and columns of S at some vertices; of its kernel what lives on these alone."""
    kernel = S.kernel
    if kernel is not None:
        outside = np.ones(S.shape[0])
        outside[at] = 0.0
        kernel = sparse.csr_array(kernel[at][:, np.flatnonzero(abs(kernel).T @ outside == 0.0)])
    if S.matrix is not None:
        return SparseOperator(S.matrix[at][:, at], range(len(at)), kernel)
    return _Inner(S, at, kernel)


class _Inner(Operator):
    """The same of an operator known by its products."""

    def __init__(self, S: Operator, at: IntArray, kernel: sparse.csr_array | None) -> None:
        super().__init__(len(at), range(len(at)))
        self.A = sparse.csr_array(S.A[at][:, at])
        self.kernel = kernel
        self._whole, self._at = S, at

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        padded = np.zeros((self._whole.shape[0], *x.shape[1:]))
        padded[self._at] = x
        return self._whole.apply(padded, error)[self._at]

    @property
    def iterative(self) -> bool:
        return self._whole.iterative


def _solved(S: Operator, B: FloatArray) -> FloatArray:
    """S^+ B."""
    try:
        return S.solve(B, rtol=_RTOL)
    except ConvergenceError:
        raise ConvergenceError(
            f"S x = b is not solved to eight digits for {S!r}, which is nearly singular; give "
            'method="regularized", or collapse with a larger eps'
        ) from None


def _positive_kernel(S: Operator) -> tuple[FloatArray, IntArray, bool]:
    """Return a vector of mean 1 on every component that S maps to zero, the components, and True.

    Of an operator without a known kernel ones and a single component, and whether it maps them to
    zero.
    """
    P, n = S.kernel, S.shape[0]
    if P is None or (np.diff(P.indptr) != 1).any() or (P.data <= 0.0).any():
        to_zero = np.abs(S.apply(np.ones(n))).max(initial=0.0) <= _RTOL * S.norm_bound()
        return np.ones(n), np.zeros(n, dtype=np.int64), bool(to_zero)
    size = np.bincount(P.indices, P.data) / np.bincount(P.indices)
    return P.data / size[P.indices], P.indices, True


def _units(at: IntArray, n: int) -> FloatArray:
    columns = np.zeros((n, len(at)))
    columns[at, np.arange(len(at))] = 1.0
    return columns


def _without(Y: FloatArray, i: int) -> FloatArray:
    rest = Y.copy()
    rest[i] = 0.0
    return rest


def _given(Y: FloatArray) -> BoolArray:
    return np.asarray(Y.any(axis=1), dtype=np.bool_)


def _shares(Y: FloatArray) -> FloatArray:
    return Y.sum(axis=0) / Y.sum()
