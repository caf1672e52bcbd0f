"""The ways to colour the vertices of a drawing: clusters, groups, eigenvectors, attributes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._shared.arrays import IntArray
from cellapse.analysis import Analysis

_CATEGORIES = 28  # seven colours times four forms


def colourings(analysis: Analysis, kept: IntArray, n_vectors: int) -> list[dict[str, Any]]:
    """Return all colourings of the kept vertices, the most telling first."""
    first, reference = analysis.telling, reference_of(analysis)
    partitions = dict(
        zip(("Clusters of S", "Clusters of the graph Laplacian L"), analysis.clusters, strict=True)
    )
    if analysis.projection is not None:
        partitions["Clusters of the weighted projection"] = analysis.projection
    ordered = sorted(partitions.items(), key=lambda pair: pair[1] is not analysis.chosen)
    shown = [clusters_colouring(name, c.numbers, kept, reference) for name, c in ordered]
    if analysis.groups is not None:
        shown += word_colouring("Known groups", analysis.groups, kept)
    for name, spectrum in zip("SL", analysis.spectra, strict=True):
        for i in range(first, min(first + n_vectors, spectrum.vectors.shape[1])):
            values = [float(f"{v:.4g}") for v in spectrum.vectors[kept, i]]
            shown.append(_continuous(f"Eigenvector {i + 1} of {name}", "diverging", values))
    shown += _degrees(analysis, kept)
    return shown + _attributes(analysis, kept)


def _attributes(analysis: Analysis, kept: IntArray) -> list[dict[str, Any]]:
    """Return those of the vertices, but for the one that is the known groups."""
    shown: list[dict[str, Any]] = []
    columns = analysis.complex.attributes[0] if analysis.complex.attributes else {}
    known = None if analysis.groups is None else [str(g) for g in analysis.groups]
    for name, column in columns.items():
        if column.ndim > 1:  # a place in space is no colour
            continue
        if known is not None and [str(v) for v in column.tolist()] == known:
            continue
        if np.issubdtype(column.dtype, np.number) and np.isfinite(column).any():
            numbers = [float(f"{v:.4g}") if np.isfinite(v) else None for v in column[kept]]
            shown.append(_continuous(f"Attribute {name}", "sequential", numbers))
        else:
            shown += word_colouring(f"Attribute {name}", column.tolist(), kept)
    return shown


def reference_of(analysis: Analysis) -> IntArray:
    """Return what colours are fixed by: the known groups, or else the clusters in use."""
    codes = None if analysis.groups is None else group_codes(analysis.groups)
    return analysis.chosen.numbers if codes is None else codes


def category(
    name: str, values: NDArray[Any], names: list[str], colours: Sequence[int] | None = None
) -> dict[str, Any]:
    """Return a colouring by numbers 0, 1, ... with a name each; -1 is unknown.

    `colours` are places in the palette, by default the numbers themselves.
    """
    chosen = list(range(len(names))) if colours is None else list(colours)
    return {
        "name": name,
        "kind": "category",
        "values": values.tolist(),
        "names": names,
        "colours": chosen,
    }


def clusters_colouring(
    name: str, clusters: IntArray, kept: IntArray, reference: IntArray
) -> dict[str, Any]:
    """Clusters under their own numbers, in the colours of the groups they agree with most."""
    names = [f"cluster {c}" for c in range(int(clusters.max()) + 1)]
    return category(name, clusters[kept], names, colours_like(clusters, reference))


def _continuous(name: str, kind: str, values: Sequence[float | None]) -> dict[str, Any]:
    return {"name": name, "kind": kind, "values": list(values)}


def word_colouring(name: str, values: Sequence[Any], kept: IntArray) -> list[dict[str, Any]]:
    """Return a colouring by words in their natural order, where there are few enough of them."""
    codes = group_codes(values)
    if codes is None:
        return []
    return [category(name, codes[kept], sorted({str(v) for v in values}, key=natural))]


def group_codes(values: Sequence[Any]) -> IntArray | None:
    """The number of each word in their natural order; None where there are too many for colours."""
    words = [str(v) for v in values]
    place = {word: i for i, word in enumerate(sorted(set(words), key=natural))}
    return None if len(place) > _CATEGORIES else np.array([place[word] for word in words])


def natural(word: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key to sort words by, in which 2 comes before 10.

    >>> sorted(["10", "2", "b1", "a10", "a9"], key=natural)
    ['2', '10', 'a9', 'a10', 'b1']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", word)
    digits = ((p[0] in "0123456789", p.lstrip("0")) for p in parts)  # as long as one likes
    return tuple(
        (0, len(tail), tail) if number else (1, 0, part)
        for part, (number, tail) in zip(parts, digits, strict=True)
    )


def colours_like(codes: IntArray, reference: IntArray) -> list[int]:
    """For each code a place in the palette: that of the reference's code it shares most with.

    What is left over takes the first places that are free.

    >>> colours_like(np.array([0, 0, 1, 2]), np.array([1, 1, 0, 0]))
    [1, 0, 2]
    """
    from scipy.optimize import linear_sum_assignment  # slow to import

    table = np.zeros((codes.max() + 1, reference.max() + 1), dtype=np.int64)
    np.add.at(table, (codes, reference), 1)
    rows, columns = linear_sum_assignment(-table)
    place = {int(r): int(c) for r, c in zip(rows, columns, strict=True) if table[r, c]}
    free = (i for i in itertools.count() if i not in set(place.values()))
    return [place[c] if c in place else next(free) for c in range(len(table))]


def _degrees(analysis: Analysis, kept: IntArray) -> list[dict[str, Any]]:
    degree, left = analysis.collapsed.A.diagonal(), analysis.collapsed.diagonal()
    share = np.divide(left, degree, out=np.ones_like(left), where=degree > 0)
    return [
        _continuous(name, "sequential", [float(f"{v:.4g}") for v in values[kept]])
        for name, values in (
            ("Degree", degree),
            ("Share of its degree that a vertex keeps", share),
        )
    ]
