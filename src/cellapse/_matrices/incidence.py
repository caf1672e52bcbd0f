r"""The matrices B_1, ..., B_K that stand for a complex: B_k maps rank k to rank k - 1.

* `boundary_matrices`:  signed cellular boundaries, B_k B_{k+1} = 0;
* `incidence_matrices`: unsigned containment, 1 where a cell lies inside a cell of the next rank;
* `mixed_matrices`:     signed B_1, unsigned above;
* `unfolded_matrices`:  signed B_1; above it every edge has its own tree of cells.

Weights w_k per cell enter as B_k -> W_{k-1}^{-1/2} B_k W_k^{1/2} (a diagonal Hodge star), which
keeps B_k B_{k+1} = 0 and makes B_1 B_1^T the weighted graph Laplacian. In the unfolded matrices,
where there is no such product to keep, a cell above the edges simply counts w times.

Nothing after this file knows where the matrices came from: `Incidence.from_matrices` takes those of
any other library, weighted as one likes.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex, to_complex
from cellapse._errors import CellapseWarning, InputError
from cellapse._matrices.boundary import signed_boundary
from cellapse._matrices.containment import adjacent_containment
from cellapse._matrices.given import as_csr, looks_like_adjacency
from cellapse._shared.arrays import csr_from_entries
from cellapse._shared.checks import listed, whole_number

DEPENDS_ON_ORDER = (
    "the mixed realization depends on the order of the vertices: signed edges meet unsigned faces. "
    'Use "unfolded" or "screened" for results that do not.'
)


@dataclass(frozen=True, eq=False)
class Incidence:
    """A chain of sparse matrices; `B[k - 1]` is B_k, of shape (n_{k-1}, n_k).

    Attributes
    ----------
    matrices : tuple of scipy.sparse.csr_array
    kind : str
        "boundary", "incidence", "mixed", "unfolded" or "given".
    source : Complex or None
        The complex the matrices were made from.
    n_formal : tuple of int
        How many of the elements of each rank, the last ones, are formal: added by rank completion
        (or, for unfolded matrices above the edges, all: they are copies of cells, one per edge).

    Examples
    --------
    >>> B = incidence_matrices(Complex.from_cells({1: [("a", "b")]}))
    >>> B
    Incidence(kind='incidence', n_cells=(2, 1))
    >>> B[0].toarray().tolist()
    [[1.0], [1.0]]
    """

    matrices: tuple[sparse.csr_array, ...]
    kind: str
    source: Complex | None
    n_formal: tuple[int, ...]

    @classmethod
    def from_matrices(cls, matrices: Iterable[Any]) -> Incidence:
        """Check a list of matrices B_1, ..., B_K from anywhere and take it as it is.

        >>> Incidence.from_matrices([[[-1, 0], [1, -1], [0, 1]]])
        Incidence(kind='given', n_cells=(3, 2))
        """
        checked: list[sparse.csr_array] = []
        if sparse.issparse(matrices):
            raise InputError("one matrix was given; put it into a list: [B_1]")
        matrices = listed(matrices, "the list of matrices")
        for k, given in enumerate(matrices, start=1):
            matrix = as_csr(k, given)
            if checked and checked[-1].shape[1] != matrix.shape[0]:
                raise InputError(
                    f"B_{k} has {matrix.shape[0]} rows, but B_{k - 1} has {checked[-1].shape[1]} "
                    "columns; both number the cells of the same rank and must agree"
                )
            checked.append(matrix)
        if not checked or checked[0].shape[0] == 0:
            raise InputError(
                "no matrices, or no vertices; give at least B_1, with a row per vertex"
            )
        if len(checked) == 1 and looks_like_adjacency(checked[0]):
            raise InputError(
                f"B_1 of shape {checked[0].shape} is square, symmetric and has no negative entry: "
                "an adjacency, it seems; pass it as it is, without the list, or lift it with "
                "clique_complex"
            )
        return cls(tuple(checked), "given", None, (0,) * (len(checked) + 1))

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

    @property
    def of_flags(self) -> bool:
        """Whether the elements above the edges are flags, copies of cells: one for each edge."""
        return self.kind == "unfolded"

    def labels(self, rank: int) -> Sequence[Hashable]:
        """What the elements of a rank are called: the user's labels, then formal ones numbered."""
        rank = whole_number("rank", rank, 0, len(self.n_cells) - 1)
        n, formal = self.n_cells[rank], self.n_formal[rank]
        if self.source is None or rank > self.source.max_rank:
            return range(n)
        if not formal:
            return self.source.cell_labels(rank)
        real = () if formal == n else self.source.cell_labels(rank)
        return (*real, *(("formal", rank, i) for i in range(formal)))


def is_chain_complex(matrices: Incidence | Iterable[Any]) -> bool:
    """Whether B_k B_{k+1} = 0 for all k, to rounding.

    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> is_chain_complex(boundary_matrices(K)), is_chain_complex(incidence_matrices(K))
    (True, False)
    """
    B = matrices if isinstance(matrices, Incidence) else Incidence.from_matrices(matrices)
    for low, high in zip(B.matrices[:-1], B.matrices[1:], strict=True):
        product = low @ high
        scale = (abs(low) @ abs(high)).max() if product.nnz else 0.0
        if product.nnz and abs(product).max() > 1e-12 * scale:
            return False
    return True


def boundary_matrices(K: Complex) -> Incidence:
    """Signed boundary matrices of a closed simplicial or cell complex.

    Simplices are oriented by ascending vertex position, polygons by the walk in which their
    vertices were listed, larger cells so that B_{k-1} B_k = 0.

    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> boundary_matrices(K)[1].toarray().ravel().tolist()
    [1.0, 1.0, -1.0]
    """
    K = to_complex(K)
    matrices: list[sparse.csr_array] = []
    for k in range(1, K.max_rank + 1):
        matrices.append(signed_boundary(K, k, matrices[-1] if matrices else None))
    return Incidence(_hodge(K, matrices), "boundary", K, (0,) * (K.max_rank + 1))


def incidence_matrices(K: Complex) -> Incidence:
    """Unsigned incidence matrices between adjacent ranks, with rank completion.

    Where a cell lies inside a cell two or more ranks higher with no cell of a rank between them, a
    chain of formal elements joins the two (the paper's appendix on rank completion); they are the
    last elements of their ranks.

    >>> K = Complex.from_cells({0: ["a", "b", "c"], 2: [("a", "b", "c")]})
    >>> incidence_matrices(K)
    Incidence(kind='incidence', n_cells=(3, 3, 1), n_formal=(0, 3, 0))
    """
    K = to_complex(K)
    matrices, n_formal = adjacent_containment(K)
    return Incidence(_hodge(K, matrices), "incidence", K, n_formal)


def mixed_matrices(K: Complex) -> Incidence:
    """Signed B_1 and unsigned incidence above it, with rank completion above the edges.

    Depends on the orientation of the edges (from the lower to the higher vertex position) as soon
    as there are cells above them, and says so in a warning.
    """
    K = to_complex(K)
    B = signed_below_unsigned(K)
    if any(M.nnz for M in B.matrices[1:]):
        warnings.warn(DEPENDS_ON_ORDER, CellapseWarning, stacklevel=2)
    return B


def signed_below_unsigned(K: Complex) -> Incidence:
    """The mixed matrices, for those who say themselves what they depend on."""
    upper, n_formal = _above_edges(K, "mixed")
    signed = [signed_boundary(K, 1, None)] if K.max_rank else []
    return Incidence(_hodge(K, [*signed, *upper]), "mixed", K, n_formal)


def unfolded_matrices(K: Complex) -> Incidence:
    """Signed B_1; above it every edge has its own copies of its cells, one per flag.

    An element of rank k >= 2 is a flag edge < face < ... < cell of rank k; B_k has one entry a
    column, from the flag to the flag without its last cell. Independent of orientation.

    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> unfolded_matrices(K)
    Incidence(kind='unfolded', n_cells=(3, 3, 3), n_formal=(0, 0, 3))
    """
    K = to_complex(K)
    matrices = unfold(*edges_and_cofaces(K))
    n_formal = (0, 0, *(B.shape[1] for B in matrices[1:]))[: len(matrices) + 1]
    return Incidence(tuple(matrices), "unfolded", K, n_formal)


def unfold(B1: sparse.csr_array, upper: list[sparse.csr_array]) -> list[sparse.csr_array]:
    """B_1 and, above it, the matrices between flags that grow by one cell at a time."""
    matrices, ends = [B1], np.arange(B1.shape[1])
    for B in upper:
        grown = B[ends]  # the cofaces of the cell in which a flag ends, once a flag
        grown.sort_indices()  # flags in the order of their cells, however B was made
        rows = np.repeat(np.arange(len(ends)), np.diff(grown.indptr))
        shape = (len(ends), grown.nnz)
        matrices.append(csr_from_entries(rows, np.arange(grown.nnz), grown.data, shape))
        ends = grown.indices
    return matrices


def edges_and_cofaces(K: Complex) -> tuple[sparse.csr_array, list[sparse.csr_array]]:
    """Signed B_1, and above it containment with every cell's column scaled by its weight^(1/2)."""
    upper, _ = _above_edges(K, "unfolded")
    scaled = [_scale(B, None, _padded(K, k, B.shape[1])) for k, B in enumerate(upper, start=2)]
    return edge_boundary(K), scaled


def edge_boundary(K: Complex) -> sparse.csr_array:
    """The signed, weighted B_1 alone: B_1 B_1^T is the weighted graph Laplacian."""
    if not K.max_rank:
        return sparse.csr_array((K.n_vertices, 0))
    return _hodge(K, [signed_boundary(K, 1, None)])[0]


def _above_edges(K: Complex, kind: str) -> tuple[list[sparse.csr_array], tuple[int, ...]]:
    matrices, n_formal = adjacent_containment(K)
    if len(n_formal) > 2 and n_formal[1]:
        # A formal element below a cell and above one vertex has no second end to sign.
        row = K.n_cells[1]
        for rank, B in enumerate(matrices[1:], start=2):  # up the chain to a cell with a name
            row = int(B.indices[B.indptr[row]])
            if row < K.n_cells[rank]:
                break
        raise InputError(
            f"cell {K.cell_label(rank, row)!r} of rank {rank} holds a vertex that no edge inside "
            f"it holds, and the {kind} realization goes through edges; add the edges "
            '(hypergraph_complex does), or use realization="incidence"'
        )
    return matrices[1:], n_formal


def _hodge(K: Complex, matrices: list[sparse.csr_array]) -> tuple[sparse.csr_array, ...]:
    scaled = []
    for k, B in enumerate(matrices, start=1):
        low, high = (_padded(K, j, n) for j, n in zip((k - 1, k), B.shape, strict=True))
        scaled.append(_scale(B, low, high))
    return tuple(scaled)


def _padded(K: Complex, rank: int, n: int) -> Any:
    """The weights of a rank, with ones for its formal elements."""
    w = K.weights[rank]
    return None if w is None else np.concatenate([w, np.ones(n - len(w))])


def _scale(B: sparse.csr_array, low: Any, high: Any) -> sparse.csr_array:
    if low is None and high is None:
        return B
    if low is not None:
        B = sparse.diags_array(low**-0.5) @ B
    if high is not None:
        B = B @ sparse.diags_array(high**0.5)
    return sparse.csr_array(B)
