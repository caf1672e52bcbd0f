r"""What the cells above the edges amount to at each edge, where that is one number.

Unfolded. Every edge has its own tree of cells, so from the top rank down, per cell,

    m_K = eps,   m_k = eps + beta_{k+1} d_k - gamma_k^2 g_k / (1 + beta_{k+1} g_k),

with d_k the (weighted) number of cofaces and g_k the sum of weight / m_{k+1} over them. The edges'
m_1 is the diagonal matrix M_1 of the collapse.

Screened. Every edge has mass 1 + eps and is supported by its cells: the edge keeps the share
f = 1 - theta^2 / (1 + eps + sum_k beta_k d_k) of its weight. Renormalized, a cell supports an edge
by as much as its own other edges are supported, self-consistently.

Both take `upper`, the containment matrices above the edges, whose entries squared are the weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cellapse._complex.cells import IntArray

FloatArray = NDArray[np.float64]

_UNIT = 2.0**-53


def unfolded_sigmas(
    upper: list[sparse.csr_array], owners: Sequence[IntArray] | None = None, count: int = 1
) -> FloatArray:
    """sigma_min+ of the unfolded B_2..B_K, without unfolding them: one row for each owner.

    B_k of flags has orthogonal rows of squared length d(cell), over the cells that flags reach.
    `owners` say which of `count` complexes the rows of each matrix belong to; one, by default.
    """
    sigmas = np.full((count, len(upper)), np.inf)
    reached = np.ones(upper[0].shape[0] if upper else 0, dtype=bool)
    for k, B in enumerate(upper):
        d = np.asarray(_square(B).sum(axis=1)).ravel()
        counted = np.flatnonzero(reached & (d > 0))
        owner = np.zeros(len(counted), np.int64) if owners is None else owners[k][counted]
        np.minimum.at(sigmas[:, k], owner, np.sqrt(d[counted]))
        reached = np.asarray(B.T @ reached.astype(float)).ravel() > 0
    return sigmas


def unfolded_masses(
    upper: list[sparse.csr_array],
    n_edges: int,
    beta: FloatArray,
    gamma: Sequence[FloatArray] | FloatArray,
    eps: float,
) -> list[FloatArray]:
    """m_1, ..., m_K per cell; `beta` and `gamma` are those above the edges.

    gamma holds one number a rank, or one array with a number for each cell of the rank.
    """
    masses = [np.full(upper[-1].shape[1] if upper else n_edges, eps)]
    for B, b, c in zip(reversed(upper), beta[::-1], gamma[::-1], strict=True):
        weight = _square(B)
        with np.errstate(divide="ignore"):
            g = weight @ (1.0 / masses[0])
            h = 1.0 / (1.0 / g + b)  # g / (1 + b g), also where g is infinite (eps = 0)
        d = np.asarray(weight.sum(axis=1)).ravel()
        # b d - c^2 h, with what cancels taken out: at the bound b d / (1 + b g) is all of it.
        rest = b**2 * d - c**2
        rest[abs(rest) < 16 * _UNIT * b**2 * d] = 0.0
        t = b * d / (1.0 + b * g) + rest * h
        masses.insert(0, eps + t)
    return masses


def supports(upper: list[sparse.csr_array], n_cells: Sequence[int]) -> list[sparse.csr_array]:
    """(edges x cells) matrices of weights of the cells around each edge, one for each rank >= 2.

    Of the elements of a rank, the first of `n_cells` are cells. The formal ones after them lead
    from an edge to a cell of a higher rank, but support nothing themselves.
    """
    around: list[sparse.csr_array] = []
    reach = None
    for B, n in zip(upper, n_cells, strict=True):
        pattern = (abs(B) > 0).astype(np.float64)
        reach = pattern if reach is None else ((reach @ pattern) > 0).astype(np.float64)
        weight = np.zeros(B.shape[1])
        columns = sparse.csc_array(_square(B))
        filled = np.diff(columns.indptr) > 0
        weight[filled] = columns.data[columns.indptr[:-1][filled]]  # one weight a cell
        around.append(sparse.csr_array((reach @ sparse.diags_array(weight))[:, :n]))
    return around


def screened_shares(
    ends: sparse.csr_array,
    around: list[sparse.csr_array],
    beta: FloatArray,
    theta: float,
    eps: float,
    renormalize: int,
) -> FloatArray:
    """The share of its weight that every edge keeps; `ends` is |B_1| as a pattern of ones."""
    share = np.ones(ends.shape[1])
    if not renormalize:
        support = sum((b * A.sum(axis=1) for A, b in zip(around, beta, strict=True)), 0.0 * share)
        return 1.0 - theta**2 / (1.0 + eps + support)
    for _ in range(renormalize):
        degree = ends @ share
        log_degree = ends.T @ np.log(np.maximum(degree, 1e-300))
        support = sum(
            (b * _mean_support(A, share) for A, b in zip(around, beta, strict=True)), 0.0 * share
        )
        support = support * np.exp(-0.5 * log_degree)
        share = 1.0 - theta**2 / (1.0 + eps + support)
    return share


def _mean_support(around: sparse.csr_array, share: FloatArray) -> FloatArray:
    """Sum over the cells around an edge of the squared geometric mean of its other edges' shares.

    In a triangle this is the product of the two other shares; the mean lets larger cells count on
    the same scale.
    """
    pattern = (around > 0).astype(np.float64)
    log_share = np.log(np.maximum(share, 1e-300))
    size = np.asarray(pattern.sum(axis=0)).ravel()
    total = pattern.T @ log_share
    entries = around.tocoo()
    others = total[entries.col] - log_share[entries.row]
    value = entries.data * np.exp(2.0 * others / np.maximum(size[entries.col] - 1, 1))
    return np.bincount(entries.row, weights=value, minlength=len(share)).astype(np.float64)


def _square(B: sparse.csr_array) -> sparse.csr_array:
    return sparse.csr_array((B.data**2, B.indices, B.indptr), shape=B.shape)
