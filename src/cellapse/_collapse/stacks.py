r"""Many small complexes, collapsed as stacks of dense matrices.

The complexes are laid side by side as one, whose matrices are made in one go and cut into stacks of
small dense ones, all of one shape. With B from one rank to the next lower one and
M = V diag(m) V^T the effective operator of the ranks above plus eps, one level of the collapse is

    T = beta B B^T - gamma^2 U diag(s^2 / (1 + beta s^2)) U^T,   U diag(s) W^T = B V diag(m)^{-1/2},

free of cancellation also for small eps. LAPACK takes the matrices of a stack one after the other,
so that the result of a complex does not depend on its company.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cellapse._collapse.chain import EdgeSquares
from cellapse._collapse.edges import Cofaces, unfolded_masses, unfolded_sigmas
from cellapse._collapse.inverse import GOOD, diagonals, one_less_inverse
from cellapse._collapse.weights import check_beta, check_gamma, psd_bound, with_eps
from cellapse._complex.complex import Complex
from cellapse._linalg.eigen.spectrum import fix_signs
from cellapse._linalg.kernel import kernel_entries
from cellapse._shared.arrays import ROUNDOFF, BoolArray, Entries, FloatArray, IntArray

_ZERO = 1e-10  # relative to the largest: an eigenvalue of B B^T that is taken for zero


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
    """Where the elements of each rank are, and which complexes have the same shape."""

    def __init__(self, complexes: list[Complex], matrices: list[Entries]) -> None:
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
        group = np.zeros(1, dtype=np.int64)
        if n > 1:  # one alone has its own shape
            shapes = np.stack([p.count for p in self.places], axis=1)
            group = np.unique(shapes, axis=0, return_inverse=True)[1]
        self.order = np.argsort(group.ravel(), kind="stable")  # equal shapes next to each other
        cuts = [0, *np.cumsum(np.bincount(group.ravel())).tolist()]
        # The numbers of the complexes of one shape, one shape after the other.
        self.groups = [self.order[start:stop] for start, stop in pairwise(cuts)]

    def stacks(self, B: Entries, low: Places, high: Places) -> list[FloatArray]:
        """The blocks of a matrix between two ranks, one (complexes, rows, columns) a group."""
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
        """Where the block of every complex starts, with one group after the other, and the end."""
        size = (low.count * high.count)[self.order]
        start = np.empty(len(size), dtype=np.int64)
        start[self.order] = np.cumsum(size) - size
        return start, int(size.sum())

    def cut(self, flat: FloatArray, low: Places, high: Places) -> list[FloatArray]:
        """Such blocks as one stack for each group."""
        shapes = [(len(g), int(low.count[g[0]]), int(high.count[g[0]])) for g in self.groups]
        ends = np.cumsum([n * rows * columns for n, rows, columns in shapes])
        parts = np.split(flat, ends[:-1])
        return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]

    def kernels(self, kernel: Entries | None) -> tuple[list[FloatArray], IntArray]:
        """Kernel vectors of every complex (as many columns as the richest has) and their number."""
        vertices = self.places[0]
        n = len(vertices.count)
        if kernel is None:
            none = np.empty(0, dtype=np.int64)
            kernel = Entries(none, none, np.empty(0), (len(vertices.owner), 0))
        any_ = np.zeros(kernel.shape[1], dtype=np.int64)
        any_[kernel.columns] = kernel.rows  # each is of one complex
        places = Places.of(vertices.owner[any_], n)
        width = np.full(n, places.count.max(initial=0))
        padded = Places(places.owner, places.local, width)
        return self.stacks(kernel, vertices, padded), places.count

    def rows(self, values: FloatArray, places: Places) -> list[FloatArray]:
        """One number per element of a rank, as one (complexes, elements) array a group."""
        one = Places(*(np.zeros(0, np.int64),) * 2, np.ones(len(self.order), np.int64))
        start, total = self._starts(one, places)
        flat = np.empty(total)
        flat[start[places.owner] + places.local] = values
        return [part[:, 0] for part in self.cut(flat, one, places)]


class Stacks(ABC):
    """Complexes side by side, cut into stacks of dense matrices, which are collapsed all at once.

    Attributes
    ----------
    layout : Layout
    kernel : Entries or None
        What all operators map to zero, of the complexes side by side.
    """

    layout: Layout
    kernel: Entries | None

    @cached_property
    def kernels(self) -> tuple[list[FloatArray], IntArray]:
        """The kernels as stacks, and how many vectors that of every complex has."""
        return self.layout.kernels(self.kernel)

    @abstractmethod
    def collapsed(self, eps: float) -> tuple[list[FloatArray], BoolArray]:
        """The operators of all groups, and which complexes' are sure to be semi-definite."""

    @abstractmethod
    def norms(self) -> list[FloatArray]:
        """Bounds of the norms of A, one array for each group."""


class ChainStacks(Stacks):
    """Stacks of a chain of matrices B_1..B_K.

    Parameters
    ----------
    complexes : list of Complex
        All of one largest rank.
    matrices : list of Entries
        B_1..B_K of the complexes side by side.
    beta, gamma
        As in `collapse`.
    exact : bool
        Whether B_k B_{k+1} = 0, so that only the edges have an effect.
    """

    def __init__(
        self,
        complexes: list[Complex],
        matrices: list[Entries],
        beta: Any,
        gamma: Any,
        exact: bool = False,
    ) -> None:
        self.layout = Layout(complexes, matrices)
        self.kernel = kernel_entries(matrices[0])
        self._exact = exact
        self._beta = check_beta(1.0 if beta is None else beta, len(matrices))
        self._gamma = "bound" if gamma is None else gamma
        self._sigma = np.full((len(complexes), len(matrices)), np.inf)
        self._prepare(matrices)

    def _prepare(self, matrices: list[Entries]) -> None:
        """What does not depend on eps."""
        places = self.layout.places
        stacks = [self.layout.stacks(B, *places[k : k + 2]) for k, B in enumerate(matrices)]
        self._B = stacks
        self._H = [[B @ B.transpose(0, 2, 1) for B in stack] for stack in stacks]
        # Eigenpairs of the top rank's B B^T serve every eps.
        self._top: list[Any] = [np.linalg.eigh(H) for H in self._H[-1]]
        for k, stack in enumerate(self._H):
            top = k == len(self._H) - 1
            for g, group in enumerate(self.layout.groups):
                h = self._top[g][0] if top else np.linalg.eigvalsh(stack[g])
                self._sigma[group, k] = smallest_positive(h)
                if k or self.kernel is None:  # any matrix: squares would hide small values
                    self._sigma[group, k] = smallest_singular_values(self._B[k][g])

    def norms(self) -> list[FloatArray]:
        return [self._beta[0] * row_sums(H) for H in self._H[0]]

    def collapsed(self, eps: float) -> tuple[list[FloatArray], BoolArray]:
        gamma, definite = self._couplings(eps)
        groups = enumerate(self.layout.groups)
        blocks = [self._descend(g, gamma[group], eps) for g, group in groups]
        return [_held(T, H) for T, H in zip(blocks, self._H[0], strict=True)], definite

    def _couplings(self, eps: float) -> tuple[FloatArray, BoolArray]:
        """gamma for every complex, and whether it is within the bound."""
        bound = psd_bound(self._beta, self._sigma)
        limit = with_eps(bound, self._beta, eps)
        if isinstance(self._gamma, str):
            gamma = check_gamma(self._gamma, bound, limit)
        else:  # the same numbers for all: the narrowest bound decides
            given = check_gamma(self._gamma, bound.min(axis=0), limit.min(axis=0))
            gamma = np.broadcast_to(given, bound.shape)
        return gamma, np.all(gamma <= limit * (1 + 1e-9), axis=1)

    def _descend(self, g: int, gamma: FloatArray, eps: float) -> FloatArray:
        """From the top rank down to the vertices."""
        top = len(self._beta) - 1
        if self._exact:
            F = self._B[0][g] / np.sqrt(eps)
            return self._level(0, g, F, gamma[:, 0])
        h, V = self._top[g]
        h = np.where(h > _ZERO * h.max(axis=1, initial=0.0, keepdims=True), h, 0.0)
        b, c = self._beta[top], gamma[:, top, None]
        t = h * (b * eps + b**2 * h - c**2) / (eps + b * h)
        for k in range(top - 1, -1, -1):
            F = (self._B[k][g] @ V) / np.sqrt(eps + t)[:, None, :]
            T = self._level(k, g, F, gamma[:, k])
            if k:
                t, V = np.linalg.eigh(T)
                t = np.where(
                    abs(t) > 1e-13 * abs(t).max(axis=1, initial=0.0, keepdims=True), t, 0.0
                )
        return T if top else (V * t[:, None, :]) @ V.transpose(0, 2, 1)

    def _level(self, k: int, g: int, F: FloatArray, gamma: FloatArray) -> FloatArray:
        """T of rank k, from F = B M^{-1/2}."""
        A = self._beta[k] * self._H[k][g]
        if not F.size:
            return A
        U, s, _ = np.linalg.svd(F, full_matrices=False)
        share = gamma[:, None] ** 2 * s**2 / (1.0 + self._beta[k] * s**2)
        return A - (U * share[:, None, :]) @ U.transpose(0, 2, 1)


def _held(T: FloatArray, H: FloatArray) -> FloatArray:
    """T without the rounding that a factorization leaves at vertices of no edge."""
    held = diagonals(H) > 0.0
    return T if held.all() else np.where(held[:, :, None] & held[:, None, :], T, 0.0)


class EdgeMassStacks(ChainStacks):
    """Stacks of the vertices alone, with one mass for every edge, as `DenseInverse` has it."""

    def _prepare(self, matrices: list[Entries]) -> None:
        vertices = self.layout.places[0]
        self._edges, self._upper = matrices[0], matrices[1:]
        self._squares = self.layout.edge_squares(self._edges)
        self._H = [self.layout.cut(self._squares.all, vertices, vertices)]
        self._cofaces = [Cofaces.of(B.squared) for B in self._upper]
        owners = [places.owner for places in self.layout.places[1:]]
        self._sigma[:, 1:] = unfolded_sigmas(self._upper, owners, len(self._sigma))
        for H, group in zip(self._H[0], self.layout.groups, strict=True):
            self._sigma[group, 0] = smallest_positive(np.linalg.eigvalsh(H))

    def collapsed(self, eps: float) -> tuple[list[FloatArray], BoolArray]:
        """By inverses, and where those are not known well enough by singular values.

        Which way is a matter of every complex alone.
        """
        gamma, definite = self._couplings(eps)
        beta, (vertices, edges) = self._beta, self.layout.places[:2]
        spread = [gamma[p.owner, k + 1] for k, p in enumerate(self.layout.places[1 : len(beta)])]
        numbers = len(edges.owner), beta[1:], spread, eps
        masses = unfolded_masses(self._cofaces, *numbers)[0]
        known = definite & (beta[0] > 0) & (eps > 0)
        T = [beta[0] * H for H in self._H[0]]
        G = self._squares.weighted(beta[0] / masses) if known.any() else np.zeros(0)
        for g, stack in enumerate(self.layout.cut(G, vertices, vertices) if known.any() else ()):
            group, A, P = self.layout.groups[g], T[g], self.kernels[0][g]
            D, error = one_less_inverse(stack, _off(P), stack.__matmul__)
            c = gamma[group, 0] ** 2 / beta[0]
            known[group] &= c * error <= 0.3 * GOOD * row_sums(A)
            T[g] = np.where(known[group][:, None, None], A - c[:, None, None] * D, A)
        return T if known.all() else self._by_singular_values(T, known, masses, gamma), definite

    def _by_singular_values(
        self, T: list[FloatArray], known: BoolArray, masses: FloatArray, gamma: FloatArray
    ) -> list[FloatArray]:
        """The same stacks, with those that are not known replaced."""
        vertices, edges = self.layout.places[:2]
        B, rows = self.layout.stacks(self._edges, vertices, edges), self.layout.rows(masses, edges)
        for g, group in enumerate(self.layout.groups):
            rest = ~known[group]
            if rest.any():
                F = B[g] / np.sqrt(rows[g])[:, None, :]
                T[g][rest] = self._level(0, g, F, gamma[group, 0])[rest]
        return T


def _off(P: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """x -> x without its part in the span of P, for every matrix of a stack."""
    # Every entry is one product: the same, however many columns of zeros there are.
    projection = P @ P.transpose(0, 2, 1)
    return lambda x: x - projection @ x


class SparseStacks(Stacks):
    """Sparse operators of all complexes side by side, cut into dense ones.

    Parameters
    ----------
    complexes : list of Complex
    kernel : Entries or None
    operator : function
        eps -> the operator of all of them, and whether it is sure to be semi-definite.
    """

    def __init__(
        self,
        complexes: list[Complex],
        kernel: Entries | None,
        operator: Callable[[float], tuple[sparse.csr_array, bool]],
    ) -> None:
        self.layout, self.kernel = Layout(complexes, []), kernel
        self._operator, self._n = operator, len(complexes)
        self._norms: list[FloatArray] = []

    def collapsed(self, eps: float) -> tuple[list[FloatArray], BoolArray]:
        S, definite = self._operator(eps)
        vertices = self.layout.places[0]
        blocks = self.layout.stacks(Entries.of(S), vertices, vertices)
        self._norms = [row_sums(block) for block in blocks]
        return blocks, np.full(self._n, definite)

    def norms(self) -> list[FloatArray]:
        return self._norms


def eigenpairs_of_stack(
    T: FloatArray, norm: FloatArray, P: FloatArray, n_zeros: IntArray, vectors: bool
) -> tuple[FloatArray, FloatArray]:
    """Ascending eigenvalues (and vectors) of symmetric matrices with a known kernel.

    `norm` is what rounding in T is relative to: the size of A, which T may be much smaller than.

    `P` holds the kernel vectors as columns, of which every matrix has its own number; they are
    lifted out of the way instead of trusting rounding with them.
    """
    n, P = T.shape[1], P[:, :, : T.shape[1]]
    S = (T + T.transpose(0, 2, 1)) / 2
    lift = np.where(norm > 0, 2.0 * norm, 1.0)
    S = S + lift[:, None, None] * (P @ P.transpose(0, 2, 1))
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
    """The largest sum of sizes along a row, for every matrix of a stack."""
    return abs(stack).sum(axis=2).max(axis=1, initial=0.0)


def smallest_singular_values(B: NDArray[Any]) -> FloatArray:
    """sigma_min+ of every matrix of a stack, infinite where it is zero."""
    if not B.size:
        return np.full(len(B), np.inf)
    s = np.linalg.svd(B, compute_uv=False)
    rounding = 4 * max(B.shape[1:]) * ROUNDOFF * s[:, :1]
    return np.where(s > rounding, s, np.inf).min(axis=1)


def smallest_positive(h: NDArray[Any]) -> FloatArray:
    """The square root of the smallest positive number of each row, infinite without one."""
    positive = h > _ZERO * h.max(axis=1, initial=0.0, keepdims=True)
    return np.sqrt(np.where(positive, h, np.inf).min(axis=1, initial=np.inf))
