"""A chain of matrices B_1, ..., B_K: what a realization makes of a complex, before any weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._linalg.eigen.problem import eigenproblem
from cellapse._linalg.eigen.spectrum import first_pairs
from cellapse._linalg.kernel import kernel_entries
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.sigma import sigma_min, sigma_of_square
from cellapse._linalg.tuning import DENSE, DENSE_SIGMA, PAIRS_WITH_SIGMA
from cellapse._matrices.incidence import Incidence, is_chain_complex
from cellapse._matrices.matrices import edges_and_cofaces
from cellapse._shared.arrays import Entries, FloatArray, IntArray, square

_SURE = 1e-5  # a residual so small next to the eigenvalue leaves it ten digits


class EdgeSquares:
    """Dense B diag(w) B^T for a B with two entries in every column.

    >>> B = Entries(np.array([0, 1]), np.array([0, 0]), np.array([-1.0, 1.0]), (2, 1))
    >>> EdgeSquares.of(B).weighted(np.array([3.0])).tolist()
    [[3.0, -3.0], [-3.0, 3.0]]
    """

    def __init__(
        self, rows: IntArray, values: FloatArray, n: Any, shape: tuple[int, ...], start: Any = 0
    ) -> None:
        """Take the rows and values of both entries of every column, of a matrix with n rows.

        Squares of many matrices fill one array of this shape: then n, and where its square starts,
        are given for every column.
        """
        self._places = (start + rows[:, :, None] * n + rows[:, None, :]).ravel()
        self._products = (values[:, :, None] * values[:, None, :]).reshape(-1, 4)
        self._shape, self._size = shape, prod(shape)

    @classmethod
    def of(cls, B: Entries) -> EdgeSquares | None:
        """Make those of a matrix; None where not every column has two entries."""
        rows, values, columns = B.rows, B.values, np.arange(B.shape[1]).repeat(2)
        if not np.array_equal(B.columns, columns):
            order = np.argsort(B.columns, kind="stable")
            rows, values = rows[order], values[order]
            if not np.array_equal(B.columns[order], columns):
                return None
        return cls(rows.reshape(-1, 2), values.reshape(-1, 2), B.shape[0], (B.shape[0],) * 2)

    @cached_property
    def all(self) -> FloatArray:
        """B B^T."""
        return self._sum(self._products)

    @cached_property
    def _sums(self) -> FloatArray:
        return np.abs(self.all).sum(axis=1)

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        """Find the largest sum of sizes along a row of B B^T, over a mass of each."""
        return float((self._sums if mass is None else self._sums / mass).max(initial=0.0))

    def weighted(self, weights: FloatArray) -> FloatArray:
        """B diag(w) B^T, symmetric to the last bit."""
        return self._sum(self._products * weights[:, None])

    def _sum(self, products: FloatArray) -> FloatArray:
        entries = np.bincount(self._places, products.ravel(), self._size)
        return entries.reshape(self._shape).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Chain:
    """B_1, ..., B_K and what is known of them; what is expensive is made when asked for."""

    origin: Any  # what was given: a Complex, an Incidence or a list of matrices
    n_cells: tuple[int, ...]  # of each rank; formal elements and copies do not count
    edges: Entries  # B_1
    above: Sequence[Entries]  # B_2, ..., B_K, or containment where the B_k are made when asked for
    make: Callable[[], Incidence]  # all of them; the unfolded ones are large and rarely needed
    sigma_above: FloatArray | None = None  # of B_2, ..., B_K, where it is known without them

    @classmethod
    def of(cls, B: Incidence, origin: Any = None) -> Chain:
        """Take the matrices as they are; at least B_1, if without columns."""
        if not len(B):
            empty = sparse.csr_array((B.n_cells[0], 0))
            B = Incidence((empty,), B.kind, B.source, (0, 0))
        edges, *above = map(Entries.of, B)
        return cls(B if origin is None else origin, B.n_real, edges, above, lambda: B)

    @property
    def source(self) -> Complex | None:
        """The complex behind the matrices, where there is one."""
        origin = self.origin
        return origin if isinstance(origin, Complex) else getattr(origin, "source", None)

    @cached_property
    def incidence(self) -> Incidence:
        """B_1, ..., B_K."""
        return self.make()

    @cached_property
    def exact(self) -> bool:
        """Whether B_k B_{k+1} = 0."""
        return is_chain_complex(self.incidence)

    @property
    def nearest(self) -> sparse.csr_array:
        """B_1."""
        return self.edges.csr

    @cached_property
    def kernel(self) -> sparse.csr_array | None:
        """What B_1^T maps to zero, where that is known."""
        return None if self.zeros is None else self.zeros.csr

    @cached_property
    def zeros(self) -> Entries | None:
        """The same by its entries."""
        return kernel_entries(self.edges)

    @cached_property
    def edge_squares(self) -> EdgeSquares | None:
        """B_1 diag(w) B_1^T as dense arrays, where there are few vertices."""
        return EdgeSquares.of(self.edges) if self.edges.shape[0] <= DENSE else None

    @cached_property
    def base(self) -> SparseOperator:
        """B_1 B_1^T, with a factor and eigenpairs to share."""
        return SparseOperator(square(self.edges), (), self.kernel)

    @cached_property
    def sigma(self) -> FloatArray:
        """sigma_min+ of B_1, ..., B_K."""
        above = self.sigma_above
        if above is None:
            above = np.array([sigma_min(M) for M in self.incidence.matrices[1:]])
        return np.array([self._first_sigma(), *above])

    def _first_sigma(self) -> float:
        """Find sigma_min+(B_1) from the first positive eigenvalue of B_1 B_1^T."""
        n, zeros = self.edges.shape[0], self.zeros
        if self.edge_squares is not None and zeros is not None and n <= DENSE_SIGMA:
            values: FloatArray = np.asarray(np.linalg.eigvalsh(self.edge_squares.all))
            return sigma_of_square(values, zeros.shape[1], lambda: self.nearest.toarray())
        B, base = self.nearest, self.base
        if n <= DENSE or zeros is None or zeros.shape[1] > n // 8 or not B.nnz:
            return sigma_min(B, self.kernel)
        # The first eigenvectors of A cost little more than one, and are where `spectrum` starts.
        # They are accurate relative to ||A||: what is small next to it is found by other means.
        pairs = first_pairs(eigenproblem(base, PAIRS_WITH_SIGMA), PAIRS_WITH_SIGMA)
        first, v = float(pairs.values[0]), pairs.vectors[:, 0]
        sure = np.linalg.norm(base.A @ v - first * v) <= _SURE * first
        return float(np.sqrt(first)) if sure else sigma_min(B)

    def labels(self, rank: int) -> Sequence[Hashable]:
        """Return the names of the cells of a rank."""
        if rank == 0:
            return range(self.n_cells[0]) if self.source is None else self.source.labels
        return self.incidence.labels(rank)


def edges_and_upper(source: Any) -> tuple[Entries, list[Entries], tuple[int, ...]]:
    """Signed B_1, containment above it with weights of the cells, and how many cells there are."""
    if isinstance(source, Incidence) and source.kind == "unfolded" and source.source is not None:
        source = source.source  # flags are copies of cells; the complex has the cells themselves
    if isinstance(source, Complex):
        return *edges_and_cofaces(source), source.n_cells
    B = Incidence.of(source)
    edges, *above = map(Entries.of, B)
    if B.source is not None and not any(B.n_formal):  # its weights of edges divide those above
        return edges, edges_and_cofaces(B.source)[1], B.n_real
    return edges, [abs(M) for M in above], B.n_real
