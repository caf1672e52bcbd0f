r"""The collapse of a complex whose relations skip ranks, through direct blocks.

    L* = sum over ranks a < b of  | beta J J^T  -gamma J   |     on ranks a and b,
                                  | -gamma J^T  beta J^T J |

with J = J_ab the relations of a cell of rank a inside one of rank b that no cell of a rank between
joins. Each term is positive semi-definite for gamma <= beta sigma_min+(J), and so is the sum.
Without skipped ranks it is the graded Laplacian; with them, rank completion puts formal elements in
their place instead, which have a mass and relax as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from cellapse._collapse.weights import check_eps, psd_bound, within
from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import InputError
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.sigma import sigma_min
from cellapse._matrices.matrices import containment
from cellapse._shared.checks import number
from cellapse.reduction.kron import reduce
from cellapse.reduction.reduced import ReducedOperator


def direct_relations(source: Any) -> dict[tuple[int, int], sparse.csr_array]:
    """Find which cells lie inside which larger ones, with no cell of a rank between.

    J_ab[x, y] = 1 where x of rank a lies in y of rank b and in no z that lies in y, scaled by the
    weights: W_a^(-1/2) J_ab W_b^(1/2).

    Parameters
    ----------
    source : Complex, or whatever `as_complex` takes

    Returns
    -------
    {(a, b): sparse matrix}
        Of all ranks a < b that have any; b > a + 1 are those that skip ranks.

    Examples
    --------
    >>> import cellapse as cl
    >>> K = cl.Complex.from_cells({1: [("a", "b")], 2: [("a", "b", "c")]})
    >>> {ranks: J.toarray().tolist() for ranks, J in direct_relations(K).items()}
    {(0, 1): [[1.0], [1.0], [0.0]], (1, 2): [[1.0]], (0, 2): [[0.0], [0.0], [1.0]]}
    """
    K = to_complex(source)
    inside: dict[tuple[int, int], sparse.csr_array] = {}
    found = {}
    for gap in range(1, K.max_rank + 1):
        for a in range(K.max_rank + 1 - gap):
            b = a + gap
            inside[a, b] = J = containment(K, a, b)
            for c in range(a + 1, b):
                joined = sparse.csr_array(inside[a, c] @ inside[c, b]).astype(bool)
                J = J - J.multiply(joined)
            J = sparse.csr_array(J)
            J.eliminate_zeros()
            if J.nnz:
                found[a, b] = _weighted(K, a, b, J)
    return found


def collapse_direct(
    source: Any, *, beta: float = 1.0, gamma: str | float = "bound", eps: float = 1e-4
) -> ReducedOperator:
    """Collapse a complex onto its vertices, where relations that skip ranks have their own blocks.

    S = A - X (C + eps I)^-1 X^T, of the L* that is the sum of a semi-definite term for each pair of
    ranks that are related.

    Parameters
    ----------
    source : Complex, or whatever `as_complex` takes
    beta : float
        Adjacency weight of all pairs of ranks.
    gamma : "bound" or float
        Coupling weight: by default beta sigma_min+(J) of each pair, the largest for which its term
        is semi-definite; a number counts for all, and is at most the smallest of these.
    eps : float
        What is added to eliminated cells, above 0.

    Returns
    -------
    ReducedOperator
        Of all cells onto the vertices: `S.complete(x)` are the values of all of them.

    Examples
    --------
    >>> import cellapse as cl
    >>> K = cl.Complex.from_cells({2: [("a", "b", "c")]})  # a triangle without edges
    >>> collapse_direct(K, gamma=1.0, eps=1.0).toarray().round(3).tolist()
    [[0.75, 0.75, 0.75], [0.75, 0.75, 0.75], [0.75, 0.75, 0.75]]
    """
    K = to_complex(source)
    beta = number("beta", beta, "a positive number", lambda b: b > 0)
    eps = check_eps(eps)
    if not eps:
        raise InputError("eps=0 leaves cells without a solution; give a small positive number")
    relations = direct_relations(K)
    bounds = np.array([sigma_min(J) for J in relations.values()])
    couplings = _couplings(gamma, psd_bound(np.full(len(bounds), beta), bounds), relations)
    cuts = np.concatenate([[0], np.cumsum(K.n_cells)])
    total = sparse.csr_array((cuts[-1], cuts[-1]))
    for ((a, b), J), g in zip(relations.items(), couplings, strict=True):
        whole = sparse.coo_array(J)
        place = (whole.row + cuts[a], whole.col + cuts[b])
        up = sparse.coo_array((whole.data, place), shape=total.shape).tocsr()
        total = total + beta * (up @ up.T + up.T @ up) - g * (up + up.T)
    extra = np.concatenate([np.zeros(cuts[1]), np.full(cuts[-1] - cuts[1], eps)])
    cells = [(k, K.cell_label(k, i)) for k in range(1, K.max_rank + 1) for i in range(K.n_cells[k])]
    L = SparseOperator(
        total + sparse.diags_array(extra), (*K.labels, *cells), None, "direct blocks"
    )
    return reduce(L, list(K.labels))


def _weighted(K: Complex, a: int, b: int, J: sparse.csr_array) -> sparse.csr_array:
    below, above = K.weights[a], K.weights[b]
    if below is not None:
        J = sparse.diags_array(below**-0.5) @ J
    if above is not None:
        J = J @ sparse.diags_array(above**0.5)
    return sparse.csr_array(J)


def _couplings(gamma: Any, bounds: Any, relations: dict[tuple[int, int], Any]) -> Any:
    if isinstance(gamma, str):
        if gamma != "bound":
            raise InputError(f'gamma={gamma!r:.40}; choose "bound" or a number')
        return bounds
    value = number("gamma", gamma, "a number of at least 0", lambda g: g >= 0)
    if not within(np.full(len(bounds), value), bounds).all():
        (a, b), least = list(relations)[int(np.argmin(bounds))], float(bounds.min())
        raise InputError(
            f"gamma={value:g} exceeds {least:.6g}, the bound of ranks {a} and {b}, so L* may be "
            'indefinite; pass gamma="bound"'
        )
    return np.full(len(bounds), value)
