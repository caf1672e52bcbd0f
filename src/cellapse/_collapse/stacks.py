r"""Many small complexes, collapsed as stacks of dense matrices.

The complexes are laid side by side as one, whose matrices are cut into stacks of small dense ones,
all of one shape. With B from one rank to the next lower one and M = V diag(m) V^T the effective
operator of the ranks above plus eps, one level of the collapse is

    T = beta B B^T - gamma^2 U diag(s^2 / (1 + beta s^2)) U^T,   U diag(s) W^T = B V diag(m)^{-1/2},

free of cancellation also for small eps. LAPACK takes the matrices of a stack one by one, so that no
result depends on the others of a stack.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cellapse._collapse.chain import EdgeSquares
from cellapse._collapse.edges import Cofaces, Masses, unfolded_sigmas
from cellapse._collapse.inverse import GOOD, diagonals, one_less_inverse
from cellapse._collapse.weights import check_beta, check_gamma, psd_bound, with_eps, within
from cellapse._complex.complex import Complex
from cellapse._linalg.eigen.spectrum import fix_signs
from cellapse._linalg.factor import Solve
from cellapse._linalg.kernel import kernel_entries
from cellapse._shared.arrays import ROUNDOFF, BoolArray, Entries, FloatArray, IntArray

_ZERO = 1e-10  # relative to the largest: an eigenvalue of B B^T that is taken for zero
_LEVEL_ZERO = 1e-13  # the same of an effective operator, whose small eigenvalues are accurate


class Collapsed(NamedTuple):
    """The operators of all groups, and bounds of the norms of A."""

    blocks: list[FloatArray]
    norms: list[FloatArray]
    definite: BoolArray  # which complexes' are sure to be semi-definite


@dataclass(frozen=True, eq=False)
class Places:
    """To which complex the elements of one rank belong, and their number there."""

    owner: IntArray
    local: IntArray
    count: IntArray  # of elements of every complex

    @classmethod
    def of(cls, owner: IntArray, n_complexes: int) -> Places:
        """Number the elements of every complex in their order."""
        count = np.bincount(owner, minlength=n_complexes)
        local = np.arange(len(owner))
        if n_complexes > 1:  # of one alone they are numbered already
            order = np.argsort(owner, kind="stable")
            local[order] = local - np.repeat(np.cumsum(count) - count, count)
        return cls(owner, local, count)


class Layout:
    """Where the elements of each rank are, and the numbers of complexes of one shape (`groups`)."""

    def __init__(self, complexes: list[Complex], matrices: Sequence[Entries]) -> None:
        n = len(complexes)
        counts = np.array([K.n_cells for K in complexes])
        owner = np.repeat(np.arange(n), counts[:, 0])
        self.places = [Places.of(owner, n)]
        for rank, B in enumerate(matrices, start=1):
            real, below = counts[:, rank].sum(), owner
            owner = np.repeat(np.arange(n), counts[:, rank])
            if real < B.shape[1]:
                formal = B.columns >= real
                last = np.zeros(B.shape[1] - real, dtype=np.int64)
                last[B.columns[formal] - real] = B.rows[formal]  # each above one of its owner's
                owner = np.concatenate([owner, below[last]])
            self.places.append(Places.of(owner, n))
        shapes = np.stack([p.count for p in self.places], axis=1)
        group = np.unique(shapes, axis=0, return_inverse=True)[1].ravel() if n > 1 else shapes[:, 0]
        self.order = np.argsort(group, kind="stable")  # equal shapes next to each other
        cuts = np.cumsum(np.unique(group, return_counts=True)[1]).tolist()
        self.groups = [self.order[start:stop] for start, stop in pairwise([0, *cuts])]

    def stacks(self, B: Entries, low: Places, high: Places) -> list[FloatArray]:
        """Cut a matrix between two ranks into one (complexes, rows, columns) array a group."""
        if len(self.order) == 1:  # the matrix is its only block
            return [B.toarray()[None]]
        start, total = self._starts(low, high)
        flat = np.zeros(total)
        owner = low.owner[B.rows]
        row, column = low.local[B.rows], high.local[B.columns]
        flat[start[owner] + row * high.count[owner] + column] = B.values
        return self.cut(flat, low, high)

    def edge_squares(self, B: Entries) -> EdgeSquares:
        """B diag(w) B^T of all complexes, one block after the other, for the signed B_1."""
        vertices, rows = self.places[0], B.rows.reshape(-1, 2)
        start, total = self._starts(vertices, vertices)
        owner = vertices.owner[rows[:, 0]]
        local, n = vertices.local[rows], vertices.count[owner][:, None, None]
        values, start = B.values.reshape(-1, 2), start[owner][:, None, None]
        return EdgeSquares(local, values, n, (total,), start)

    def _starts(self, low: Places, high: Places) -> tuple[IntArray, int]:
        """Find where the block of every complex starts, one group after the other, and the end."""
        size = (low.count * high.count)[self.order]
        start = np.empty(len(size), dtype=np.int64)
        start[self.order] = np.cumsum(size) - size
        return start, int(size.sum())

    def cut(self, flat: FloatArray, low: Places, high: Places) -> list[FloatArray]:
        """Cut such blocks into one stack for each group."""
        shapes = [(len(g), int(low.count[g[0]]), int(high.count[g[0]])) for g in self.groups]
        ends = np.cumsum([n * rows * columns for n, rows, columns in shapes])
        parts = np.split(flat, ends[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]

    def kernels(self, kernel: Entries | None) -> tuple[list[FloatArray], IntArray]:
        """Give kernel vectors of every complex, in columns for the richest, and their number."""
        vertices = self.places[0]
        if kernel is None:
            none = np.empty(0, dtype=np.int64)
            kernel = Entries(none, none, np.empty(0), (len(vertices.owner), 0))
        any_ = np.zeros(kernel.shape[1], dtype=np.int64)
        any_[kernel.columns] = kernel.rows  # each is of one complex
        places = Places.of(vertices.owner[any_], len(vertices.count))
        width = np.full(len(vertices.count), places.count.max(initial=0))
        padded = Places(places.owner, places.local, width)
        return self.stacks(kernel, vertices, padded), places.count


class Stacks(ABC):
    """Complexes side by side, cut into stacks of dense matrices, which are collapsed all at once.

    `kernel` is what all operators map to zero, of the complexes side by side.
    """

    layout: Layout
    kernel: Entries | None

    @cached_property
    def kernels(self) -> tuple[list[FloatArray], IntArray]:
        """The kernels as stacks, and how many vectors that of every complex has."""
        return self.layout.kernels(self.kernel)

    @abstractmethod
    def collapsed(self, eps: float) -> Collapsed:
        """Return the operators for one eps."""


class ChainStacks(Stacks):
    """Stacks of a chain of matrices B_1..B_K of the complexes, all of one largest rank.

    `exact` says whether B_k B_{k+1} = 0, so that only the edges have an effect.
    """

    def __init__(
        self, complexes: list[Complex], matrices: list[Entries], beta: Any, gamma: Any, exact: bool
    ) -> None:
        self.layout, self._exact = Layout(complexes, matrices), exact
        self.kernel = kernel_entries(matrices[0])
        self._beta = check_beta(1.0 if beta is None else beta, len(matrices))
        self._gamma = "bound" if gamma is None else gamma
        self._sigma = np.full((len(complexes), len(matrices)), np.inf)
        self._prepare(matrices)

    def _prepare(self, matrices: list[Entries]) -> None:
        """Make what does not depend on eps."""
        places = self.layout.places
        self._B = [self.layout.stacks(B, *places[k : k + 2]) for k, B in enumerate(matrices)]
        self._H = [[B @ B.transpose(0, 2, 1) for B in stack] for stack in self._B]
        # Eigenpairs of the top rank's B B^T serve every eps.
        self._top: list[Any] = [np.linalg.eigh(H) for H in self._H[-1]]
        for k, stack in enumerate(self._H):
            for g, group in enumerate(self.layout.groups):
                if k or self.kernel is None:  # any matrix: squares would hide small values
                    self._sigma[group, k] = smallest_singular_values(self._B[k][g])
                else:
                    h = self._top[g][0] if stack is self._H[-1] else np.linalg.eigvalsh(stack[g])
                    self._sigma[group, k] = smallest_positive(h)

    @cached_property
    def _norms(self) -> list[FloatArray]:
        return [self._beta[0] * row_sums(H) for H in self._H[0]]

    def collapsed(self, eps: float) -> Collapsed:
        gamma, definite = self._couplings(eps)
        groups = enumerate(self.layout.groups)
        blocks = [self._descend(g, gamma[group], eps) for g, group in groups]
        held = [_held(T, H) for T, H in zip(blocks, self._H[0], strict=True)]
        return Collapsed(held, self._norms, definite)

    def _couplings(self, eps: float) -> tuple[FloatArray, BoolArray]:
        """Choose gamma for every complex, and say whether it is within the bound."""
        bound = psd_bound(self._beta, self._sigma)
        limit = with_eps(bound, self._beta, eps)
        most = bound, limit
        if not isinstance(self._gamma, str):  # the same for all: the narrowest bound decides
            most = bound.min(axis=0), limit.min(axis=0)
        gamma = np.broadcast_to(check_gamma(self._gamma, *most), bound.shape)
        return gamma, np.all(within(gamma, limit), axis=1)

    def _descend(self, g: int, gamma: FloatArray, eps: float) -> FloatArray:
        """Eliminate from the top rank down to the vertices."""
        top = len(self._beta) - 1
        if self._exact:
            return self._level(0, g, self._B[0][g] / np.sqrt(eps), gamma[:, 0])
        h, V = self._top[g]
        h = _without_rounding(h, _ZERO)
        b, c = self._beta[top], gamma[:, top, None]
        t = h * (b * eps + b**2 * h - c**2) / (eps + b * h)
        for k in range(top - 1, -1, -1):
            F = (self._B[k][g] @ V) / np.sqrt(eps + t)[:, None, :]
            T = self._level(k, g, F, gamma[:, k])
            if k:
                t, V = np.linalg.eigh(T)
                t = _without_rounding(t, _LEVEL_ZERO)
        return T if top else (V * t[:, None, :]) @ V.transpose(0, 2, 1)

    def _level(self, k: int, g: int, F: FloatArray, gamma: FloatArray) -> FloatArray:
        """T of rank k, from F = B M^{-1/2}."""
        A = self._beta[k] * self._H[k][g]
        if not F.size:
            return A
        U, s, _ = np.linalg.svd(F, full_matrices=False)
        share = gamma[:, None] ** 2 * s**2 / (1.0 + self._beta[k] * s**2)
        return A - (U * share[:, None, :]) @ U.transpose(0, 2, 1)


def _without_rounding(t: FloatArray, zero: float) -> FloatArray:
    """Eigenvalues with zeros where they are that small, relative to the largest of each matrix."""
    return np.where(abs(t) > zero * abs(t).max(axis=1, initial=0.0, keepdims=True), t, 0.0)


def _held(T: FloatArray, H: FloatArray) -> FloatArray:
    """T without the rounding that a factorization leaves at vertices of no edge."""
    held = diagonals(H) > 0.0
    return T if held.all() else np.where(held[:, :, None] & held[:, None, :], T, 0.0)


class EdgeMassStacks(ChainStacks):
    """Stacks of the vertices alone, with one mass for every edge, as `DenseInverse` has it."""

    def _prepare(self, matrices: list[Entries]) -> None:
        vertices, (self._edges, *upper) = self.layout.places[0], matrices
        self._squares = self.layout.edge_squares(self._edges)
        self._H = [self.layout.cut(self._squares.all, vertices, vertices)]
        self._cofaces = [Cofaces.of(B.squared) for B in upper]
        owners = [places.owner for places in self.layout.places[1:]]
        self._sigma[:, 1:] = unfolded_sigmas(upper, owners, len(self._sigma))
        for H, group in zip(self._H[0], self.layout.groups, strict=True):
            self._sigma[group, 0] = smallest_positive(np.linalg.eigvalsh(H))

    def collapsed(self, eps: float) -> Collapsed:
        """Collapse by inverses, and where digits are lost by singular values of each complex."""
        gamma, definite = self._couplings(eps)
        beta, (vertices, edges, *_) = self._beta, self.layout.places
        spread = [gamma[p.owner, k + 1] for k, p in enumerate(self.layout.places[1 : len(beta)])]
        masses = Masses(self._cofaces, len(edges.owner), beta[1:], spread, eps).of_rank[0]
        G = self.layout.cut(self._squares.weighted(beta[0] / masses), vertices, vertices)
        T, known = [beta[0] * H for H in self._H[0]], definite & (beta[0] > 0)
        for g, (group, A, P) in enumerate(zip(self.layout.groups, T, self.kernels[0], strict=True)):
            D, error = one_less_inverse(G[g], _off(P), G[g].__matmul__)
            c = gamma[group, 0] ** 2 / (beta[0] or 1.0)
            known[group] &= c * error <= 0.3 * GOOD * self._norms[g]
            T[g] = A - c[:, None, None] * D
        if not known.all():
            roots = self._edges.scaled(None, masses**-0.5)
            for g, F in enumerate(self.layout.stacks(roots, vertices, edges)):
                group = self.layout.groups[g]
                level = self._level(0, g, F, gamma[group, 0])
                T[g] = np.where(known[group][:, None, None], T[g], level)
        return Collapsed(T, self._norms, definite)


def _off(P: FloatArray) -> Solve:
    """Make x -> x without its part in the span of P, for every matrix of a stack."""
    # Every entry is one product: the same, however many columns of zeros there are.
    projection = P @ P.transpose(0, 2, 1)
    return lambda x: x - projection @ x


class SparseStacks(Stacks):
    """Sparse operators of all complexes side by side, cut into dense ones.

    `operator` is eps -> the operator of all, and whether it is sure to be semi-definite.
    """

    def __init__(
        self,
        complexes: list[Complex],
        kernel: Entries | None,
        operator: Callable[[float], tuple[sparse.csr_array, bool]],
    ) -> None:
        self.layout, self.kernel = Layout(complexes, ()), kernel
        self._operator, self._n = operator, len(complexes)

    def collapsed(self, eps: float) -> Collapsed:
        S, definite = self._operator(eps)
        vertices = self.layout.places[0]
        blocks = self.layout.stacks(Entries.of(S), vertices, vertices)
        norms = [row_sums(block) for block in blocks]
        return Collapsed(blocks, norms, np.full(self._n, definite))


def eigenpairs_of_stack(
    T: FloatArray, norm: FloatArray, P: FloatArray, n_zeros: IntArray, vectors: bool
) -> tuple[FloatArray, FloatArray]:
    """Find ascending eigenvalues (and vectors) of symmetric matrices with a known kernel.

    `norm` is what rounding in T is relative to: the size of A, which T may be much smaller than.
    `P` holds the kernel vectors as columns, of which every matrix has its own number; they are
    lifted out of the way instead of trusting rounding with them.
    """
    n, P = T.shape[1], P[:, :, : T.shape[1]]
    lift = np.where(norm > 0, 2.0 * norm, 1.0)[:, None, None]
    S = (T + T.transpose(0, 2, 1)) / 2 + lift * (P @ P.transpose(0, 2, 1))
    w: Any
    V: Any
    w, V = np.linalg.eigh(S) if vectors else (np.linalg.eigvalsh(S), S[:, :, :0])
    at, source = np.arange(len(w))[:, None], np.arange(n) - n_zeros[:, None]
    w = w[at, source]  # the lifted ones are the last, from where they come first
    w[(source < 0) | ((w < 0) & (w > -1e-13 * norm[:, None]))] = 0.0
    if vectors:
        V = V.transpose(0, 2, 1)[at, source].transpose(0, 2, 1)
        width = P.shape[2]
        first = np.arange(width) < n_zeros[:, None]
        V[:, :, :width] = np.where(first[:, None, :], P, V[:, :, :width])
    if (w[:, 1:] < w[:, :-1]).any():  # a value below zero, which comes before the zeros
        order = np.argsort(w, axis=1, kind="stable")
        w = np.take_along_axis(w, order, axis=1)
        V = np.take_along_axis(V, order[:, None, :], axis=2) if vectors else V
    return w, fix_signs(V)


def row_sums(stack: FloatArray) -> FloatArray:
    """Find the largest sum of sizes along a row, for every matrix of a stack."""
    return abs(stack).sum(axis=2).max(axis=1, initial=0.0)


def smallest_singular_values(B: NDArray[Any]) -> FloatArray:
    """Find sigma_min+ of every matrix of a stack, infinite where it is zero."""
    if not B.size:
        return np.full(len(B), np.inf)
    s = np.linalg.svd(B, compute_uv=False)
    rounding = 4 * max(B.shape[1:]) * ROUNDOFF * s[:, :1]
    return np.where(s > rounding, s, np.inf).min(axis=1)


def smallest_positive(h: NDArray[Any]) -> FloatArray:
    """Find the square root of the smallest positive number of each row; infinite without one."""
    h = _without_rounding(h, _ZERO)
    return np.sqrt(np.where(h > 0.0, h, np.inf).min(axis=1, initial=np.inf))
