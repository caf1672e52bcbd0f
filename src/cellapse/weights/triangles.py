r"""The metric of a triangle mesh: cotangents, dual areas, the diagonal Hodge star.

    w_ij = (cot a_ij + cot b_ij) / 2,     a_ij, b_ij the angles that face the edge ij,
    star_0 = dual area of a vertex,  star_1 = w,  star_2 = 1 / area of a triangle

(Pinkall and Polthier, Computing discrete minimal surfaces, 1993; Desbrun, Kanso and Tong, Discrete
differential forms for computational modeling, 2008.) As weights of a complex they make
B_1 B_1^T = M^{-1/2} L_cot M^{-1/2}, whose eigenvalues are those of the Laplace-Beltrami operator.
Angles come from lengths, so that flipped edges, which run inside of the surface, count as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import share
from cellapse._shared.rows import RowIndex
from cellapse.weights.lengths import edge_lengths

_FLAT = 1e-12  # of the longest side squared: a triangle of a smaller area has no angles
_NONE = 1e-12  # of the mean: a weight that is no larger is rounding


def cotangent(source: Any, least: float | None = None) -> dict[int, FloatArray]:
    """Return the cotangent weights of the edges of a triangle mesh.

    w_ij = (cot a_ij + cot b_ij) / 2, with the one or two angles that face the edge.

    Parameters
    ----------
    source : Complex of triangles, or what makes one
        With "position" of the vertices or "length" of the edges.
    least : float, optional
        Weights below this part of their mean are raised to it. By default they are refused: where
        angles facing an edge add up to 180 degrees or more, flip it, `intrinsic_delaunay`.

    Returns
    -------
    dict
        {1: one number per edge}.

    Examples
    --------
    >>> from cellapse.lifts import mesh_complex
    >>> K = mesh_complex([[0, 0], [2, 0], [1, 3**0.5]], [[0, 1, 2]])
    >>> cotangent(K)[1].round(4).tolist()
    [0.2887, 0.2887, 0.2887]
    """
    mesh = Triangles(to_complex(source))
    halves = mesh.cotangents.ravel() / 2.0
    weights = np.bincount(mesh.sides.ravel(), halves, mesh.K.n_edges).astype(np.float64)
    mean = float(weights.mean())
    floor = _NONE * mean if least is None else share("least", least) * mean
    low = np.flatnonzero(weights <= floor)
    if least is not None and mean > 0:
        return {1: np.maximum(weights, floor)}
    if len(low):
        raise InputError(
            f"edge {mesh.K.cell_label(1, int(low[0]))!r:.80} and {len(low) - 1:,} more have a "
            f"cotangent weight of {weights[low[0]]:.3g}, as the angles that face it add up to 180 "
            "degrees or more (on a boundary 90); flip such edges with intrinsic_delaunay(K), or "
            "raise their weights with least=1e-3"
        )
    return {1: weights}


def hodge_star(source: Any, least: float | None = None) -> dict[int, FloatArray]:
    """Return the diagonal Hodge star of a triangle mesh, as weights of all ranks.

    Dual areas of vertices, cotangents of edges, one over the area of triangles. A vertex has a
    third of its triangles: barycentric dual areas, which are never negative.

    Parameters
    ----------
    source, least
        As for `cotangent`.

    Returns
    -------
    dict
        {0: areas, 1: cotangent weights, 2: one over the area}.

    Examples
    --------
    >>> from cellapse.lifts import mesh_complex
    >>> K = mesh_complex([[0, 0], [2, 0], [1, 3**0.5]], [[0, 1, 2]])
    >>> star = hodge_star(K)
    >>> star[0].round(4).tolist(), star[2].round(4).tolist()
    ([0.5774, 0.5774, 0.5774], [0.5774])
    """
    mesh = Triangles(to_complex(source))
    thirds = np.repeat(mesh.areas / 3.0, 3)
    duals = np.bincount(mesh.corners.ravel(), thirds, mesh.K.n_vertices).astype(np.float64)
    lonely = np.flatnonzero(duals == 0.0)
    if len(lonely):
        raise InputError(
            f"vertex {mesh.K.labels[lonely[0]]!r:.80} is in no triangle, so that it has no area; "
            "leave it out: K.subcomplex(...)"
        )
    return {0: duals, **cotangent(mesh.K, least), 2: 1.0 / mesh.areas}


class Triangles:
    """A triangle mesh by its corners, the sides that face them, and lengths.

    Attributes
    ----------
    corners, sides : (m, 3) arrays
        The vertices of every triangle, and the edge that faces each.
    lengths : array
        Of the edges.
    """

    def __init__(self, K: Complex) -> None:
        if K.max_rank < 2 or not K.n_cells[2]:
            raise InputError(f"{K!r:.80} has no triangle; give a mesh, for instance mesh_complex")
        faces = K.cells[2]
        if not faces.is_uniform or faces.sizes[0] != 3:
            at = int(np.argmax(faces.sizes != 3))
            raise InputError(
                f"face {K.cell_label(2, at)!r:.80} has {faces.sizes[at]} vertices; angles are "
                "those of triangles: cut larger faces into triangles"
            )
        if K.max_rank > 2 and any(K.n_cells[3:]):
            raise InputError(
                f"{K!r:.80} has cells of rank 3; cotangents are those of surfaces: K.skeleton(2)"
            )
        self.K, self.corners = K, faces.as_array()
        self.sides = self._sides()
        self.lengths = edge_lengths(K)
        self.areas = _areas(self.lengths[self.sides])
        flat = np.flatnonzero(~(self.areas > _FLAT * (self.lengths[self.sides] ** 2).max(axis=1)))
        if len(flat):
            raise InputError(
                f"triangle {K.cell_label(2, int(flat[0]))!r:.80} has no area (its sides are "
                f"{self.lengths[self.sides[flat[0]]].round(6).tolist()}), so that its angles are "
                "not known; merge its corners or leave it out"
            )

    def _sides(self) -> IntArray:
        edges = np.sort(self.K.cells[1].as_array().reshape(-1, 2), axis=1)
        pairs = self.corners[:, [1, 2, 2, 0, 0, 1]].reshape(-1, 2)
        found = RowIndex(edges, self.K.n_vertices).find(np.sort(pairs, axis=1))
        if (found < 0).any():
            missing = pairs[np.argmax(found < 0)].tolist()
            names = tuple(self.K.labels[v] for v in missing)
            raise InputError(f"the side {names!r:.80} of a triangle is no edge of it; list it")
        return found.reshape(-1, 3)

    @property
    def cotangents(self) -> FloatArray:
        """The cotangent at every corner."""
        squares = self.lengths[self.sides] ** 2
        return (squares.sum(axis=1)[:, None] - 2.0 * squares) / (4.0 * self.areas[:, None])


def _areas(sides: FloatArray) -> FloatArray:
    """Areas by Heron's formula in Kahan's order, which loses no digits of needles."""
    c, b, a = np.sort(sides, axis=1).T
    product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c))
    return np.sqrt(np.maximum(product, 0.0)) / 4.0
