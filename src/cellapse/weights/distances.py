r"""From distances to weights: the closer two points are, the larger the weight of their edge.

    "heat"      exp(-d^2 / (s_i s_j)),  s_i the distance from i to its k-th neighbour
    "gaussian"  exp(-d^2 / (2 s^2)),    s the median distance, or as given
    "inverse"   1 / d

"heat" has a scale of its own at every point (Zelnik-Manor and Perona, Self-tuning spectral
clustering, 2004).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import number, one_of, whole_number
from cellapse.weights.lengths import edge_lengths

_LEAST = 1e-30  # an edge that is farther than its weight can say still joins its ends


def distances(
    source: Any, kernel: str = "heat", *, scale: float | None = None, n_neighbors: int = 7
) -> dict[int, FloatArray]:
    """Weights of edges by the distances of their ends.

    w_ij = exp(-d_ij^2 / (s_i s_j)) of "heat", exp(-d_ij^2 / (2 s^2)) of "gaussian", 1 / d_ij.

    Parameters
    ----------
    source : Complex, or what makes one
        With "position" of the vertices or "length" of the edges, as lifts of points have.
    kernel : {"heat", "gaussian", "inverse"}
    scale : float, optional
        s of "gaussian": the median distance along edges by default.
    n_neighbors : int
        Of "heat": s_i is the distance to so manieth of the neighbours in the complex, or to the
        farthest where there are fewer; not counted are, where it would be 0, those at one place.

    Returns
    -------
    dict
        {1: one number per edge}.

    Examples
    --------
    >>> from cellapse.lifts import nearest_neighbour_complex
    >>> K = nearest_neighbour_complex([[0.0], [1.0], [3.0]], 1)
    >>> distances(K, "inverse")[1].tolist()
    [1.0, 0.5]
    """
    K = to_complex(source)
    one_of("kernel", kernel, ("heat", "gaussian", "inverse"))
    k = whole_number("n_neighbors", n_neighbors, 1)
    if scale is not None and kernel != "gaussian":
        raise InputError(f'scale={scale!r} with kernel="{kernel}"; only "gaussian" has one')
    d = edge_lengths(K)
    if kernel == "inverse":
        return {1: 1.0 / _apart(K, d)}
    if kernel == "gaussian":
        usual = float(np.median(d)) if len(d) else 1.0
        s = usual if scale is None else number("scale", scale, "a number above 0", lambda x: x > 0)
        scales = np.full((2, len(d)), 2.0**0.5 * s)
    else:
        i, j = K.cells[1].as_array().reshape(-1, 2).T
        own = _local(K, d, k)
        scales = own[np.stack([i, j])]
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        exponent = np.where(d > 0.0, (d / scales[0]) * (d / scales[1]), 0.0)
    return {1: np.maximum(np.exp(-exponent), _LEAST)}


def _apart(K: Complex, d: FloatArray) -> FloatArray:
    same = np.flatnonzero(d == 0.0)
    if len(same):
        raise InputError(
            f"the ends of {K.cell_label(1, int(same[0]))!r:.80} are at one place, and 1 / 0 is no "
            'weight; merge them, or take kernel="heat"'
        )
    return d


def _local(K: Complex, d: FloatArray, k: int) -> FloatArray:
    """The distance from every vertex to its k-th neighbour that is elsewhere, or to the last."""
    ends = K.cells[1].as_array().reshape(-1, 2)
    at, far = ends.T.ravel(), np.concatenate([d, d])
    order = np.lexsort((far, at))
    degree = np.bincount(at, minlength=K.n_vertices)
    first = np.cumsum(degree) - degree
    same = np.bincount(at[far == 0.0], minlength=K.n_vertices)
    chosen = first + np.minimum(np.maximum(k, same + 1), degree) - 1
    found = np.zeros(K.n_vertices)
    held = degree > 0
    found[held] = far[order[chosen[held]]]
    return found
