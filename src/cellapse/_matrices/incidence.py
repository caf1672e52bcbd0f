"""A chain of matrices B_1, ..., B_K that stands for a complex: B_k maps rank k to rank k - 1.

Nothing after this file asks where they came from.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import listed, own_csr, whole_number
from cellapse._shared.pictures import bars


@dataclass(frozen=True, eq=False)
class Incidence(Shown):
    """A chain of sparse matrices; `B[k - 1]` is B_k, of shape (n_{k-1}, n_k).

    Attributes
    ----------
    matrices : tuple of scipy.sparse.csr_array
    kind : str
        "boundary", "incidence", "mixed", "unfolded" or "given".
    source : Complex or None
        The complex the matrices were made from.
    n_formal : tuple of int
        How many elements of each rank, the last ones, are formal: added by rank completion, or
        unfolded copies of cells, one per edge.

    Examples
    --------
    >>> import cellapse as cl
    >>> B = cl.incidence_matrices(Complex.from_cells({1: [("a", "b")]}))
    >>> B
    Incidence(kind='incidence', n_cells=(2, 1))
    >>> B[0].toarray().tolist()
    [[1.0], [1.0]]
    """

    matrices: tuple[sparse.csr_array, ...]
    kind: str
    source: Complex | None
    n_formal: tuple[int, ...]

    def _card(self) -> Card:
        sizes = [f"{B.shape[0]:,} x {B.shape[1]:,}, {B.nnz:,} entries" for B in self]
        rows = tuple((f"B_{k}", size) for k, size in enumerate(sizes, start=1))
        calls = (
            ("B[k - 1]", "is B_k, a sparse array"),
            ("cl.collapse(B)", "collapses them, as they are"),
        )
        n_cells = ", ".join(f"{n:,}" for n in self.n_cells)
        title = f"Incidence: {self.kind} matrices of {n_cells} cells"
        return Card(title, rows, lambda: bars([*map(float, self.n_cells)]), calls)

    @classmethod
    def from_matrices(cls, matrices: Iterable[Any]) -> Incidence:
        """Check a list of matrices B_1, ..., B_K from anywhere and take it as it is.

        >>> Incidence.from_matrices([[[-1, 0], [1, -1], [0, 1]]])
        Incidence(kind='given', n_cells=(3, 2))
        """
        if isinstance(matrices, Complex):
            raise InputError(
                f"{matrices!r} has no matrices of its own; boundary_matrices(K) or "
                "incidence_matrices(K) makes them"
            )
        if sparse.issparse(matrices):
            raise InputError("one matrix was given; put it into a list: [B_1]")
        given = listed(matrices, "the list of matrices")
        checked = [_as_csr(k, B) for k, B in enumerate(given, start=1)]
        for k, (low, high) in enumerate(pairwise(checked), start=2):
            if low.shape[1] != high.shape[0]:
                raise InputError(
                    f"B_{k} has {high.shape[0]} rows, but B_{k - 1} has {low.shape[1]} "
                    "columns; both number the cells of the same rank and must agree"
                )
        if not checked or checked[0].shape[0] == 0:
            raise InputError("no matrices or no vertices; give at least B_1, with a row per vertex")
        if len(checked) == 1 and looks_like_adjacency(checked[0]):
            raise InputError(
                f"B_1 of shape {checked[0].shape} is square, symmetric and has no negative entry: "
                "an adjacency, it seems; pass it as it is, without the list, or lift it with "
                "clique_complex"
            )
        return cls.given(checked)

    @classmethod
    def of(cls, given: Any) -> Incidence:
        """Take an Incidence as it is, and check a list of matrices."""
        return given if isinstance(given, cls) else cls.from_matrices(given)

    @classmethod
    def given(cls, matrices: Iterable[sparse.csr_array]) -> Incidence:
        """Take matrices as they are; at least B_1."""
        B = tuple(matrices)
        return cls(B, "given", None, (0,) * (len(B) + 1))

    def __len__(self) -> int:
        return len(self.matrices)

    def __getitem__(self, i: int) -> sparse.csr_array:
        return self.matrices[i]

    def __iter__(self) -> Iterator[sparse.csr_array]:
        return iter(self.matrices)

    def __repr__(self) -> str:
        formal = f", n_formal={self.n_formal}" if any(self.n_formal) else ""
        return f"Incidence(kind={self.kind!r}, n_cells={self.n_cells}{formal})"

    @property
    def n_cells(self) -> tuple[int, ...]:
        """Number of elements of each rank, formal ones included."""
        if not self.matrices:
            return (self.source.n_vertices if self.source else 0,)
        return (self.matrices[0].shape[0], *(B.shape[1] for B in self.matrices))

    @property
    def n_real(self) -> tuple[int, ...]:
        """Number of cells of each rank: formal elements, and copies of a cell, do not count."""
        if self.source is not None:  # which has no rank 1 where it has no edges
            return (*self.source.n_cells, 0)[: len(self.n_cells)]
        return tuple(n - f for n, f in zip(self.n_cells, self.n_formal, strict=True))

    def labels(self, rank: int) -> Sequence[Hashable]:
        """Return the labels of a rank: the user's, then numbered ones of formal elements."""
        rank = whole_number("rank", rank, 0, len(self.n_cells) - 1)
        n, formal = self.n_cells[rank], self.n_formal[rank]
        if self.source is None or rank > self.source.max_rank:
            return range(n)
        real = () if n == formal > 0 else self.source.cell_labels(rank)
        return (*real, *(("formal", rank, i) for i in range(formal))) if formal else real


def is_chain_complex(matrices: Incidence | Iterable[Any]) -> bool:
    """Return whether B_k B_{k+1} = 0 for all k, to rounding.

    Parameters
    ----------
    matrices : Incidence or list of matrices B_1..B_K

    Returns
    -------
    bool

    Examples
    --------
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> import cellapse as cl
    >>> is_chain_complex(cl.boundary_matrices(K)), is_chain_complex(cl.incidence_matrices(K))
    (True, False)
    """
    B = Incidence.of(matrices)
    for low, high in pairwise(B):
        product = low @ high
        scale = (abs(low) @ abs(high)).max() if product.nnz else 0.0
        if product.nnz and abs(product).max() > 1e-12 * scale:
            return False
    return True


def are_matrices(source: Any) -> bool:
    """Return whether this is a list of matrices, and not one of edges, cells or points.

    >>> are_matrices([np.eye(3)]), are_matrices([[[-1], [1]]]), are_matrices([(0, 1), (1, 2)])
    (True, True, False)
    """
    return isinstance(source, list | tuple) and all(map(_is_matrix, source))


def _is_matrix(M: Any) -> bool:
    nested = isinstance(M, list) and bool(M) and isinstance(M[0], list | tuple)
    return nested or sparse.issparse(M) or isinstance(M, np.ndarray)


def looks_like_adjacency(B: sparse.csr_array) -> bool:
    """Square, symmetric, not negative; but columns of two ones may be edges around a cycle."""
    if B.shape[0] != B.shape[1] or (B.data < 0).any() or abs(B - B.T).nnz:
        return False
    pairs = (np.diff(sparse.csc_array(B).indptr) == 2).all()
    return bool(B.nnz) and not (pairs and B.diagonal().any())


def _as_csr(k: int, given: Any) -> sparse.csr_array:
    """Check and copy a matrix B_k of a user."""
    try:
        return own_csr(given, f"B_{k}")
    except InputError as error:
        raise InputError(
            f"{error}; collapse a Complex, such as clique_complex(graph) gives, or a list of "
            "matrices B_1, ..., B_K"
        ) from None
