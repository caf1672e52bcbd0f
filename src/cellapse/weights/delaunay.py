r"""Intrinsic Delaunay: flip edges inside of the surface until no cotangent weight is negative.

An edge whose facing angles add up to more than 180 degrees is replaced by the other diagonal of its
two triangles, laid flat: the surface and its metric stay what they are, only edges change
(Bobenko and Springborn, A discrete Laplace-Beltrami operator for simplicial surfaces, 2007).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._shared.notes import fact
from cellapse.weights.triangles import Triangles

_SLACK = 1e-9  # of the cotangents: so little is no reason to flip
_MOST_FLIPS = 100  # per edge; flips are known to end


def intrinsic_delaunay(source: Any) -> Complex:
    """Flip the edges of a triangle mesh whose cotangent weight is negative.

    cot a_ij + cot b_ij >= 0 afterwards, within the surface; new edges run inside of it, and the
    attribute "length" of all edges says how far. An edge at the boundary cannot be flipped, and
    one whose flip would be an edge that is there already, or whose ends would be one vertex, is
    left.

    Parameters
    ----------
    source : Complex of triangles, or what makes one

    Returns
    -------
    Complex
        With the same vertices. Weights and attributes of edges and faces are not kept.

    Examples
    --------
    >>> from cellapse.lifts import mesh_complex
    >>> kite = mesh_complex([[0, 0], [4, 0], [2, 1], [2, -1]], [[0, 1, 2], [1, 0, 3]])
    >>> intrinsic_delaunay(kite).edges
    ((0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    """
    K = to_complex(source)
    mesh = _Flips(Triangles(K))
    flips = mesh.run()
    if flips:
        fact(f"{flips:,} edges flipped to those of the intrinsic Delaunay triangulation")
    edges = sorted(mesh.length)
    cells = {1: np.array(edges), 2: np.array(mesh.corners)}
    lengths = np.array([mesh.length[e] for e in edges])
    attributes = {0: dict(K.attributes[0]), 1: {"length": lengths}}
    return Complex.from_arrays(
        K.n_vertices, cells, K.labels, {0: K.weights[0]}, attributes, K.metadata
    )


class _Flips:
    """The triangles around every edge, while edges are flipped."""

    def __init__(self, mesh: Triangles) -> None:
        ends = np.sort(mesh.K.cells[1].as_array(), axis=1).tolist()
        self.length = {(u, v): x for (u, v), x in zip(ends, mesh.lengths.tolist(), strict=True)}
        self.corners = mesh.corners.tolist()
        self.around: dict[tuple[int, int], list[int]] = {e: [] for e in self.length}
        for at, corners in enumerate(self.corners):
            for edge in _sides(corners):
                self.around[edge].append(at)
        weights = np.bincount(mesh.sides.ravel(), mesh.cotangents.ravel(), mesh.K.n_edges)
        low = np.flatnonzero(weights < -_SLACK * abs(mesh.cotangents).max())
        self._waiting = [(ends[i][0], ends[i][1]) for i in low.tolist()]

    def run(self) -> int:
        """Flip until nothing is left that should and can be, and count."""
        flips, most = 0, _MOST_FLIPS * len(self.length)
        while self._waiting and flips < most:
            edge = self._waiting.pop()
            if edge in self.length and self._flip(edge):
                flips += 1
        return flips

    def _flip(self, edge: tuple[int, int]) -> bool:
        if len(self.around[edge]) != 2:  # a boundary, or several sheets
            return False
        first, second = self.around[edge]
        u, v = edge
        c, d = (next(w for w in self.corners[at] if w not in edge) for at in (first, second))
        x, (a, b), (e, f) = self.length[edge], self._to(edge, c), self._to(edge, d)
        sharp = _cotangent(a, b, x) + _cotangent(e, f, x)
        other = (min(c, d), max(c, d))
        if sharp >= -_SLACK or c == d or other in self.length:
            return False
        del self.length[edge]
        self.length[other] = _diagonal(x, (a, b), (e, f))
        self.around[other] = [first, second]
        del self.around[edge]
        self.corners[first], self.corners[second] = [c, d, u], [d, c, v]
        self._move((min(u, d), max(u, d)), second, first)
        self._move((min(v, c), max(v, c)), first, second)
        self._waiting += [_pair(u, c), _pair(u, d), _pair(v, c), _pair(v, d)]
        return True

    def _to(self, edge: tuple[int, int], w: int) -> tuple[float, float]:
        return self.length[_pair(edge[0], w)], self.length[_pair(edge[1], w)]

    def _move(self, edge: tuple[int, int], old: int, new: int) -> None:
        around = self.around[edge]
        around[around.index(old)] = new


def _pair(u: int, v: int) -> tuple[int, int]:
    return (u, v) if u < v else (v, u)


def _sides(corners: list[int]) -> list[tuple[int, int]]:
    u, v, w = corners
    return [_pair(u, v), _pair(v, w), _pair(w, u)]


def _height(a: float, b: float, x: float) -> tuple[float, float]:
    """Where the third corner stands over a side of length x from 0, a from there and b beyond."""
    along = (a * a + x * x - b * b) / (2.0 * x)
    return along, max(a * a - along * along, 0.0) ** 0.5


def _cotangent(a: float, b: float, x: float) -> float:
    """The cotangent of the angle between sides of length a and b that face one of length x."""
    _, height = _height(a, b, x)
    return (a * a + b * b - x * x) / (2.0 * x * height) if height else -1.0 / _SLACK


def _diagonal(x: float, one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the distance of the corners on both sides of an edge of length x, laid flat."""
    (p, h), (q, k) = _height(*one, x), _height(*other, x)
    return float(np.hypot(p - q, h + k))
