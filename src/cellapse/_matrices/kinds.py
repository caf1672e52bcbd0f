r"""The matrices B_1, ..., B_K that stand for a complex: B_k maps rank k to rank k - 1.

* `boundary_matrices`:  signed cellular boundaries, B_k B_{k+1} = 0;
* `incidence_matrices`: unsigned containment, 1 where a cell lies inside a cell of the next rank;
* `mixed_matrices`:     signed B_1, unsigned above;
* `unfolded_matrices`:  signed B_1; above it every edge has its own tree of cells.

Weights w_k per cell enter as B_k -> W_{k-1}^{-1/2} B_k W_k^{1/2} (a diagonal Hodge star), which
keeps B_k B_{k+1} = 0 and makes B_1 B_1^T the weighted graph Laplacian. In the unfolded matrices,
where there is no such product to keep, a cell above the edges simply counts w times.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import CellapseWarning, InputError
from cellapse._matrices.boundary import signed_boundary, signed_edges
from cellapse._matrices.containment import adjacent_containment, contained_above_edges
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import Entries, csr_from_entries

DEPENDS_ON_ORDER = (
    "the mixed realization depends on the order of the vertices: signed edges meet unsigned faces. "
    'Use "unfolded" or "screened" for results that do not.'
)


def boundary_matrices(source: Any) -> Incidence:
    """Signed boundary matrices of a closed simplicial or cell complex.

    Simplices are oriented by ascending vertex position, polygons by the walk in which their
    vertices were listed, larger cells so that B_{k-1} B_k = 0.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes

    Returns
    -------
    Incidence
        The matrices B_1, ..., B_K.

    Examples
    --------
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> boundary_matrices(K)[1].toarray().ravel().tolist()
    [1.0, 1.0, -1.0]
    """
    K = to_complex(source)
    matrices: list[sparse.csr_array] = []
    for k in range(1, K.max_rank + 1):
        matrices.append(signed_boundary(K, k, matrices[-1] if matrices else None))
    return Incidence(_hodge(K, matrices), "boundary", K, (0,) * (K.max_rank + 1))


def incidence_matrices(source: Any) -> Incidence:
    """Unsigned incidence matrices between adjacent ranks, with rank completion.

    Where a cell lies inside a cell two or more ranks higher with no cell of a rank between them, a
    chain of formal elements joins the two (the paper's appendix on rank completion); they are the
    last elements of their ranks.

    B_k[x, y] = 1 where the cell x of rank k - 1 lies in the cell y of rank k.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes

    Returns
    -------
    Incidence
        The matrices B_1, ..., B_K.

    Examples
    --------
    >>> K = Complex.from_cells({0: ["a", "b", "c"], 2: [("a", "b", "c")]})
    >>> incidence_matrices(K)
    Incidence(kind='incidence', n_cells=(3, 3, 1), n_formal=(0, 3, 0))
    """
    K = to_complex(source)
    matrices, n_formal = adjacent_containment(K)
    return Incidence(_hodge(K, matrices), "incidence", K, n_formal)


def mixed_matrices(source: Any) -> Incidence:
    """Signed B_1 and unsigned incidence above it, with rank completion above the edges.

    Depends on the orientation of the edges (from the lower to the higher vertex position) as soon
    as there are cells above them, and says so in a warning.

    B_1[v, e] = +-1; above it B_k[x, y] = 1 where x lies in y.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes

    Returns
    -------
    Incidence
        The matrices B_1, ..., B_K.

    Examples
    --------
    >>> import warnings
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     mixed_matrices(K)[1].toarray().ravel().tolist()
    [1.0, 1.0, 1.0]
    """
    K = to_complex(source)
    B = signed_below_unsigned(K)
    if any(M.nnz for M in B.matrices[1:]):
        warnings.warn(DEPENDS_ON_ORDER, CellapseWarning, stacklevel=2)
    return B


def signed_below_unsigned(K: Complex) -> Incidence:
    """The mixed matrices, for those who say themselves what they depend on."""
    upper, n_formal = _above_edges(K, "mixed")
    signed = [signed_boundary(K, 1, None)] if K.max_rank else []
    return Incidence(_hodge(K, [*signed, *(B.csr for B in upper)]), "mixed", K, n_formal)


def unfolded_matrices(source: Any) -> Incidence:
    """Signed B_1; above it every edge has its own copies of its cells, one per flag.

    An element of rank k >= 2 is a flag edge < face < ... < cell of rank k; B_k has one entry a
    column, from the flag to the flag without its last cell. Independent of orientation.

    B_k[f, g] = 1 where the flag g of rank k is f and one more cell.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes

    Returns
    -------
    Incidence
        The matrices B_1, ..., B_K.

    Examples
    --------
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> unfolded_matrices(K)
    Incidence(kind='unfolded', n_cells=(3, 3, 3), n_formal=(0, 0, 3))
    """
    K = to_complex(source)
    B1, upper = edges_and_cofaces(K)
    matrices = unfold(B1.csr, [B.csr for B in upper])
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


def edges_and_cofaces(K: Complex) -> tuple[Entries, list[Entries]]:
    """Signed B_1, and above it containment with every cell's column scaled by its weight^(1/2)."""
    upper, _ = _above_edges(K, "unfolded")
    scaled = [_scale(B, None, _padded(K, k, B.shape[1])) for k, B in enumerate(upper, start=2)]
    return edge_boundary(K), scaled


def edge_boundary(K: Complex) -> Entries:
    """The signed, weighted B_1 alone: B_1 B_1^T is the weighted graph Laplacian."""
    if not K.max_rank:
        none = np.empty(0, np.int64)
        return Entries(none, none, np.empty(0), (K.n_vertices, 0))
    return _scale(signed_edges(K), *K.weights[:2])


def _above_edges(K: Complex, kind: str) -> tuple[list[Entries], tuple[int, ...]]:
    matrices, n_formal = contained_above_edges(K)
    if len(n_formal) > 2 and n_formal[1]:
        # A formal element below a cell and above one vertex has no second end to sign.
        row = K.n_cells[1]
        for rank, B in enumerate(matrices, start=2):  # up the chain to a cell with a name
            row = int(B.csr.indices[B.csr.indptr[row]])
            if row < K.n_cells[rank]:
                break
        raise InputError(
            f"cell {K.cell_label(rank, row)!r} of rank {rank} holds a vertex that no edge inside "
            f"it holds, and the {kind} realization goes through edges; add the edges "
            '(hypergraph_complex does), or use realization="incidence"'
        )
    return matrices, n_formal


def _hodge(K: Complex, matrices: list[sparse.csr_array]) -> tuple[sparse.csr_array, ...]:
    scaled = []
    for k, B in enumerate(matrices, start=1):
        low, high = (_padded(K, j, n) for j, n in zip((k - 1, k), B.shape, strict=True))
        weighted = low is not None or high is not None
        scaled.append(_scale(Entries.of(B), low, high).csr if weighted else B)
    return tuple(scaled)


def _padded(K: Complex, rank: int, n: int) -> Any:
    """The weights of a rank, with ones for its formal elements."""
    w = K.weights[rank]
    return None if w is None else np.concatenate([w, np.ones(n - len(w))])


def _scale(B: Entries, low: Any, high: Any) -> Entries:
    if low is None and high is None:
        return B
    return B.scaled(None if low is None else low**-0.5, None if high is None else high**0.5)
