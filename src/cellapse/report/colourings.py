"""The ways to colour the vertices of a drawing: clusters, groups, eigenvectors, attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from cellapse._shared.arrays import IntArray
from cellapse.analysis import Analysis

_CATEGORIES = 28  # seven colours times four forms


def colourings(analysis: Analysis, kept: IntArray, n_vectors: int) -> list[dict[str, Any]]:
    """All colourings of the kept vertices, the most telling first.

    Categories get numbers matched to the clusters in use, so that the same colour means nearly the
    same vertices throughout.
    """
    first = analysis.telling
    mine = analysis.chosen.numbers
    names = [f"cluster {c + 1}" for c in range(analysis.n_clusters)]
    partitions = dict(
        zip(("Clusters of S", "Clusters of the graph Laplacian L"), analysis.clusters, strict=True)
    )
    if analysis.projection is not None:
        partitions["Clusters of the weighted projection"] = analysis.projection
    ordered = sorted(partitions.items(), key=lambda pair: pair[1] is not analysis.chosen)
    shown = [category(name, matched(c.numbers, mine)[kept], names) for name, c in ordered]
    if analysis.groups is not None:
        shown += word_colouring("Known groups", analysis.groups, kept, mine)
    for name, spectrum in zip("SL", analysis.spectra, strict=True):
        for i in range(first, min(first + n_vectors, spectrum.vectors.shape[1])):
            values = [float(f"{v:.4g}") for v in spectrum.vectors[kept, i]]
            shown.append(_continuous(f"Eigenvector {i + 1} of {name}", "diverging", values))
    shown += _degrees(analysis, kept)
    for name, column in (
        analysis.complex.attributes[0].items() if analysis.complex.attributes else ()
    ):
        if column.ndim > 1:  # a place in space is no colour
            continue
        if np.issubdtype(column.dtype, np.number) and np.isfinite(column).any():
            known = [float(f"{v:.4g}") if np.isfinite(v) else None for v in column[kept]]
            shown.append(_continuous(f"Attribute {name}", "sequential", known))
        else:
            shown += word_colouring(f"Attribute {name}", column.tolist(), kept)
    return shown


def category(name: str, values: NDArray[Any], names: list[str]) -> dict[str, Any]:
    """A colouring by numbers 0, 1, ... with a name each; -1 is unknown."""
    return {"name": name, "kind": "category", "values": values.tolist(), "names": names}


def _continuous(name: str, kind: str, values: Sequence[float | None]) -> dict[str, Any]:
    return {"name": name, "kind": kind, "values": list(values)}


def word_colouring(
    name: str, values: Sequence[Any], kept: IntArray, clusters: IntArray | None = None
) -> list[dict[str, Any]]:
    """A colouring by words, where there are few enough of them, with numbers like the clusters."""
    words, codes = np.unique([str(v) for v in values], return_inverse=True)
    if len(words) > _CATEGORIES:
        return []
    numbers = codes if clusters is None else matched(codes, clusters)
    names = [""] * (int(numbers.max()) + 1)
    for code, number in zip(codes.tolist(), numbers.tolist(), strict=True):  # "" is a gap
        names[number] = str(words[code])
    return [category(name, numbers[kept], names)]


def matched(codes: IntArray, reference: IntArray) -> IntArray:
    """The same partition, numbered to agree with a reference as far as possible.

    >>> matched(np.array([0, 0, 1, 2]), np.array([1, 1, 0, 0])).tolist()
    [1, 1, 0, 2]
    """
    table = np.zeros((codes.max() + 1, max(reference.max(), codes.max()) + 1), dtype=np.int64)
    np.add.at(table, (codes, reference), 1)
    rows, columns = linear_sum_assignment(-table)
    place = np.empty(len(table), dtype=np.int64)
    place[rows] = columns
    return place[codes]


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
