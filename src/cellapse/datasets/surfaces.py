"""All 43,138 triangulated closed surfaces of 4 to 10 vertices, and what is known of each.

By the classification, a connected closed surface is known by its Euler characteristic chi and by
whether it can be oriented: genus g = (2 - chi)/2 and Betti numbers (1, 2g, 1), or g = 2 - chi
and (1, g - 1, 0) with torsion Z/2 in H_1.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cellapse._complex.complex import Complex
from cellapse._errors import InputError, PositionError
from cellapse._shared.arrays import BoolArray, IntArray
from cellapse._shared.checks import plain_array, whole_number
from cellapse.datasets._card import Described

_FILE = "surfaces.xz"
# Triangles are stored as their place in this list.
_TRIPLES = np.array(list(combinations(range(10), 3)), dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Surfaces(Described):
    """Triangulated surfaces as arrays, one entry each; made by `triangulated_surfaces`.

    Attributes
    ----------
    n_vertices : integer array
    orientable : boolean array
    indptr : integer array
        Surface i has the triangles `triangles[indptr[i]:indptr[i + 1]]`.
    triangles : (total, 3) integer array
        Vertices 0, 1, ... of each triangle, ascending.

    Examples
    --------
    >>> surfaces = triangulated_surfaces(max_vertices=7)
    >>> len(surfaces), str(surfaces.names[-1]), surfaces.betti_numbers[-1].tolist()
    (14, 'T^2', [1, 2, 1])
    >>> surfaces[0].tolist()
    [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    >>> surfaces.complex(0)
    Complex(n_cells=(4, 6, 4))
    """

    n_vertices: IntArray = field(repr=False)
    orientable: BoolArray = field(repr=False)
    indptr: IntArray = field(repr=False)
    triangles: NDArray[np.uint8] = field(repr=False)

    def __len__(self) -> int:
        return len(self.n_vertices)

    def __repr__(self) -> str:
        return f"Surfaces({len(self):,} triangulated surfaces)"

    def __getitem__(self, i: int) -> NDArray[np.uint8]:
        """Return the triangles of one surface."""
        n, i = len(self), whole_number("i", i, -(2**62))
        if not -n <= i < n:
            raise PositionError(f"surface number {i}; there are {n:,}, from 0 to {n - 1}")
        i %= n
        return self.triangles[self.indptr[i] : self.indptr[i + 1]]

    def complex(self, i: int) -> Complex:
        """Return one surface as a complex of vertices, edges and triangles."""
        triangles = self[i]
        return surface_complex(int(self.n_vertices[i]), triangles)

    def select(self, which: ArrayLike) -> Surfaces:
        """Return the surfaces at some positions, or where a mask is true, in that order.

        >>> surfaces = triangulated_surfaces(max_vertices=8)
        >>> len(surfaces.select(surfaces.names == "T^2"))
        8
        """
        chosen = plain_array(which, "which")
        try:
            places = np.arange(len(self))[chosen]
        except IndexError as error:
            raise InputError(f"which={which!r:.80} ({error}); give positions or a mask") from None
        if places.ndim != 1:
            raise InputError(f"which has shape {chosen.shape}; give a list of positions or a mask")
        parts = [self[i] for i in places]
        sizes = np.array([len(part) for part in parts], dtype=np.int64)
        joined = np.concatenate([np.empty((0, 3), np.uint8), *parts])
        return make_surfaces(self.n_vertices[places], self.orientable[places], sizes, joined)

    def stacks(self) -> Iterator[tuple[int, IntArray, NDArray[np.uint8]]]:
        """Yield surfaces of equal size together: (n_vertices, positions, (m, f, 3) triangles).

        For computing with many at once, as with stacked arrays in NumPy.
        """
        sizes = np.diff(self.indptr)
        for n, f in sorted(set(zip(self.n_vertices.tolist(), sizes.tolist(), strict=True))):
            where = np.flatnonzero((self.n_vertices == n) & (sizes == f))
            yield n, where, self.triangles[self.indptr[where][:, None] + np.arange(f)]

    @cached_property
    def euler_characteristic(self) -> IntArray:
        """n_0 - n_1 + n_2, where n_1 = 3 n_2 / 2 on a closed surface."""
        return self.n_vertices - np.diff(self.indptr) // 2

    @cached_property
    def genus(self) -> IntArray:
        """Number of handles, or of crosscaps where the surface cannot be oriented."""
        lost = 2 - self.euler_characteristic
        return np.where(self.orientable, lost // 2, lost)

    @cached_property
    def betti_numbers(self) -> IntArray:
        """(N, 3): components, independent loops and voids, over the rationals."""
        loops = np.where(self.orientable, 2 * self.genus, self.genus - 1)
        return np.column_stack([np.ones_like(loops), loops, self.orientable.astype(np.int64)])

    @cached_property
    def torsion(self) -> IntArray:
        """Order of the torsion of H_1: 2 where the surface cannot be oriented, else 1."""
        return np.where(self.orientable, 1, 2)

    @cached_property
    def names(self) -> NDArray[np.str_]:
        """S^2, T^2, #^2 T^2, ..., RP^2, Klein bottle, #^3 RP^2, ..."""
        kinds = np.column_stack([self.orientable, self.genus])
        distinct, inverse = np.unique(kinds, axis=0, return_inverse=True)
        return np.array([_name(*kind) for kind in distinct.tolist()])[inverse.ravel()]

    def counts(self) -> dict[str, int]:
        """Return how many surfaces there are of each name."""
        names, counts = np.unique(self.names, return_counts=True)
        return dict(sorted(zip(names.tolist(), counts.tolist(), strict=True)))

    _calls = (
        ("surfaces.complex(i)", "is one of them"),
        ("surfaces.select(...)", "are some of them"),
    )

    def _head(self) -> tuple[str, str]:
        return "Triangulated surfaces", "surfaces"

    def _sizes(self) -> list[int]:
        return np.bincount(self.n_vertices).tolist()

    def _facts(self) -> dict[str, Any]:
        sizes, how_many = np.unique(self.n_vertices, return_counts=True)
        rows: dict[str, Any] = {
            "surfaces": f"{len(self):,}",
            "by vertices": ", ".join(
                f"{n}: {m:,}" for n, m in zip(sizes.tolist(), how_many.tolist(), strict=True)
            ),
            "by name": ", ".join(f"{name}: {m:,}" for name, m in self.counts().items()),
            "source": "T. Sulanke and F. H. Lutz, Isomorphism-free lexicographic enumeration of "
            "triangulated surfaces and 3-manifolds, European J. Combin. 30, 1965-1979 (2009), "
            "counted them; R. Ballester et al., MANTRA: the manifold triangulations assemblage, "
            "ICLR 2025, made them a benchmark.",
            "licence": "BSD-3-Clause, like the rest of cellapse.",
            "provenance": "enumerated by cellapse.datasets.enumeration; every count is regenerated "
            "by the tests.",
            "notes": "The same 43,138 surfaces as the 2-manifolds of MANTRA, one of each kind up "
            "to the names of the vertices, with names of our own. `load_mantra` reads its file.",
        }
        return rows


def triangulated_surfaces(max_vertices: int = 10) -> Surfaces:
    """Return all triangulated closed surfaces of up to 10 vertices, one of each kind.

    Parameters
    ----------
    max_vertices : int
        4 to 10.

    Returns
    -------
    Surfaces
        Ordered by vertices, triangles, orientable first, then by the triangles themselves.

    Examples
    --------
    >>> triangulated_surfaces()
    Surfaces(43,138 triangulated surfaces)
    """
    max_vertices = whole_number("max_vertices", max_vertices, 4, 10)
    packed = (resources.files("cellapse.datasets") / _FILE).read_bytes()
    return unpack(packed, max_vertices)


def surface_complex(n_vertices: int, triangles: ArrayLike) -> Complex:
    """Return vertices, edges and triangles as a complex."""
    T = np.asarray(triangles, dtype=np.int64)
    edges = np.unique(np.sort(T[:, [0, 1, 1, 2, 0, 2]].reshape(-1, 2), axis=1), axis=0)
    return Complex.from_arrays(n_vertices, {1: edges, 2: T})


def pack(surfaces: Surfaces) -> bytes:
    """Return the surfaces as compressed bytes: a header and columns of triangle numbers a stack."""
    place = {tuple(t): i for i, t in enumerate(_TRIPLES.tolist())}
    chunks = []
    for n, where, T in surfaces.stacks():
        ids = np.array([[place[tuple(t)] for t in one] for one in T.tolist()], dtype=np.uint8)
        ids.sort(axis=1)
        for orientable in (True, False):
            rows = ids[surfaces.orientable[where] == orientable]
            rows = rows[np.lexsort(rows.T[::-1])]
            header = np.array([n, T.shape[1], orientable, len(rows)], dtype="<u4")
            # Columns change slowly in lexicographic order, so they compress best.
            chunks += [header.tobytes(), np.ascontiguousarray(rows.T).tobytes()]
    return lzma.compress(b"".join(chunks), preset=9 | lzma.PRESET_EXTREME)


def unpack(packed: bytes, max_vertices: int = 10) -> Surfaces:
    """Return the surfaces that `pack` wrote, those of up to `max_vertices` vertices."""
    raw = lzma.decompress(packed)
    start, n_vertices, orientable, sizes, tables = 0, [], [], [], []
    while start < len(raw):
        n, f, oriented, m = (int(x) for x in np.frombuffer(raw, "<u4", 4, start))
        ids = np.frombuffer(raw, np.uint8, m * f, start + 16).reshape(f, m).T
        start += 16 + m * f
        if n <= max_vertices:
            n_vertices.append(np.full(m, n))
            orientable.append(np.full(m, bool(oriented)))
            sizes.append(np.full(m, f))
            tables.append(_TRIPLES[ids].reshape(-1, 3))
    return make_surfaces(
        *(np.concatenate(parts) for parts in (n_vertices, orientable, sizes, tables))
    )


def make_surfaces(n_vertices: Any, orientable: Any, sizes: Any, triangles: Any) -> Surfaces:
    """Return surfaces with read-only arrays, from the number of triangles of each."""
    arrays = (
        np.asarray(n_vertices, np.int64),
        np.asarray(orientable, np.bool_),
        np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64),
        np.asarray(triangles, np.uint8),
    )
    for array in arrays:
        array.setflags(write=False)
    return Surfaces(*arrays)


def _name(orientable: int, genus: int) -> str:
    if orientable:
        return {0: "S^2", 1: "T^2"}.get(genus, f"#^{genus} T^2")
    return {1: "RP^2", 2: "Klein bottle"}.get(genus, f"#^{genus} RP^2")
