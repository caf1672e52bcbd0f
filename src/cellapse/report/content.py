"""What a report shows, as plain lists and numbers ready for JSON.

A large complex is drawn by samples, and every sample comes with a sentence that says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.analysis import Analysis
from cellapse.plot.layout import arrange, neighbourhood
from cellapse.plot.spectra import compression
from cellapse.report.colourings import colourings, colours_like, reference_of
from cellapse.report.protein import chain, is_protein
from cellapse.tasks.signatures import heat_kernel_signature

NETWORK = 1000  # vertices drawn at most
CLOUD = 1500  # points of the embedding at most
EDGES = 6000
CELLS = 3000
VECTORS = 6  # eigenvectors shown, beginning with the second
TIMES = 24
MATTER = 12  # cells listed and drawn
_NOTHING = 1e-12  # of the largest influence: what is rounding
_POWERS = np.array([float(f"1e{k}") for k in range(23)])  # all that are exact


def content(analysis: Analysis, rng: int = 0) -> dict[str, Any]:
    """Everything the drawings need: network, colourings, spectra, embedding, signatures."""
    near = neighbourhood(analysis.complex, NETWORK, analysis.chosen.numbers)
    some = _some(np.arange(analysis.complex.n_vertices), CLOUD, rng)
    kept = np.union1d(near, some)
    if is_protein(analysis):
        kept = np.arange(analysis.complex.n_vertices)  # the chain is drawn whole
    return {
        "title": analysis.title,
        "labels": [str(analysis.complex.labels[i]) for i in kept.tolist()],
        "network": {
            **network(analysis.complex, near, analysis.shares, np.searchsorted(kept, near), rng),
            "doubted": _doubted(analysis, near, rng),
            "matter": _that_matter(analysis, near),
        },
        "colourings": colourings(analysis, kept, VECTORS),
        "spectra": [
            {"name": name, "values": numbers(s.values)}
            for name, s in zip("SL", analysis.spectra, strict=True)
        ],
        "compression": _ratios(analysis),
        "embedding": embedding(analysis, some, np.searchsorted(kept, some)),
        "signatures": signatures(analysis, kept),
        "trust": trust_histogram(analysis),
        "protein": chain(analysis) if is_protein(analysis) else None,
    }


def network(
    K: Complex, near: IntArray, shares: FloatArray, places: IntArray, rng: int
) -> dict[str, Any]:
    """Return the drawn vertices, the edges and cells between them, and where they go.

    `places` are the positions of the drawn vertices in the list of labels.
    """
    at = _places(K, near)
    edges = at[K.cells[1].as_array(2)] if K.max_rank else np.empty((0, 2), np.int64)
    inside = np.flatnonzero((edges >= 0).all(axis=1))
    strength = shares[inside] / max(float(shares[inside].mean()) if len(inside) else 1.0, 1e-12)
    xy = arrange(len(near), edges[inside], strength, rng)
    lines = drawn_edges(K, near, rng)
    cells = [at[c] for rank in K.cells[2:] for c in _within(rank, at)]
    faces = [cells[i] for i in _some(np.arange(len(cells)), CELLS, rng).tolist()]
    drawn = [
        [int(i), int(j), round(float(s), 3)]
        for (i, j), s in zip(edges[lines], shares[lines], strict=True)
    ]
    note = _note(K.n_vertices, len(near), len(inside), len(lines), len(cells), len(faces))
    return {
        "nodes": places.tolist(),
        "xy": [[round(float(x), 4), round(float(y), 4)] for x, y in xy],
        "edges": drawn,
        "cells": [c.tolist() for c in faces],
        "note": note,
        "label": f"{len(near)} vertices, {len(lines)} edges and {len(faces)} cells. {note}",
    }


def drawn_edges(K: Complex, near: IntArray, rng: int) -> IntArray:
    """Return which edges are drawn: those between drawn vertices, or some of them."""
    if not K.max_rank:
        return np.empty(0, np.int64)
    both = (_places(K, near)[K.cells[1].as_array(2)] >= 0).all(axis=1)
    return _some(np.flatnonzero(both), EDGES, rng)


def _places(K: Complex, near: IntArray) -> IntArray:
    """Return the number of every vertex in the drawing, or -1."""
    at = np.full(K.n_vertices, -1)
    at[near] = np.arange(len(near))
    return at


def _within(rank: Any, at: IntArray) -> list[IntArray]:
    """Return the cells of one rank all of whose vertices are drawn."""
    outside = np.zeros(len(rank), dtype=np.int64)
    if len(rank):
        outside = np.add.reduceat(at[rank.indices] < 0, rank.indptr[:-1])
    return [rank[i] for i in np.flatnonzero(outside == 0).tolist()]


def _some(which: IntArray, limit: int, rng: int) -> IntArray:
    if len(which) <= limit:
        return which
    return np.sort(np.random.default_rng(rng).choice(which, limit, replace=False))


def _note(n: int, drawn: int, edges: int, lines: int, cells: int, faces: int) -> str:
    parts = []
    if drawn < n:
        parts.append(f"Drawn: {drawn:,} of {n:,} vertices, around the ones with most neighbours")
    if lines < edges:
        parts.append(f"{lines:,} of their {edges:,} edges, drawn at random")
    if faces < cells:
        parts.append(f"{faces:,} of their {cells:,} cells, drawn at random")
    return "; ".join(parts) + "." if parts else ""


def _ratios(analysis: Analysis) -> list[float | None]:
    """lambda_k(S) / lambda_k(L), or None where the latter is zero."""
    ratios = compression(*(spectrum.values for spectrum in analysis.spectra))
    return [round(r, 5) if np.isfinite(r) else None for r in ratios.tolist()]


def embedding(analysis: Analysis, some: IntArray, places: IntArray) -> dict[str, Any]:
    """The first eigenvectors of S u = lambda D u at the vertices shown, D the diagonal of S."""
    n, first = analysis.complex.n_vertices, analysis.telling
    vectors = analysis.cut.vectors[some, first : first + VECTORS]
    notes = []
    if first > 1:
        notes.append(
            f"Up to eigenvector {first} they only separate components, so those after it are shown."
        )
    if len(some) < n:
        notes.append(f"A random sample of {len(some):,} of {n:,} vertices.")
    return {
        "nodes": places.tolist(),
        "vectors": numbers(vectors),
        "first": first + 1,
        "note": " ".join(notes),
    }


def signatures(analysis: Analysis, kept: IntArray) -> dict[str, Any]:
    """Heat-kernel signatures: per cluster the median and the 10-90 % band, and every kept vertex.

    h_t(v) = sum_k exp(-lambda_k t) phi_k(v)^2.
    """
    spectrum = analysis.spectra[0]
    positive = spectrum.values[analysis.n_zeros :]
    slow, fast = (positive[0], positive[-1]) if len(positive) else (1.0, 1.0)
    times = np.geomspace(0.1 / fast, 4.0 / slow, TIMES)
    heat = heat_kernel_signature(spectrum, times).features
    numbers_ = analysis.chosen.numbers
    bands, colours = [], colours_like(numbers_, reference_of(analysis))
    for c in range(analysis.n_clusters):
        low, middle, high = np.quantile(heat[numbers_ == c], [0.1, 0.5, 0.9], axis=0)
        bands.append(
            {
                "name": f"cluster {c}",
                "colour": colours[c],
                "low": numbers(low),
                "middle": numbers(middle),
                "high": numbers(high),
            }
        )
    k, n = len(spectrum.values), analysis.complex.n_vertices
    note = "" if k == n else f"From the {k} smallest of {n:,} eigenvalues: short times are a bound."
    return {
        "times": numbers(times),
        "groups": bands,
        "nodes": numbers(heat[kept]),
        "note": note,
    }


def _doubted(analysis: Analysis, near: IntArray, rng: int) -> list[int]:
    """Return the places of the edges to doubt first among those drawn."""
    if analysis.doubt is None:
        return []
    lines = drawn_edges(analysis.complex, near, rng)
    return np.flatnonzero(analysis.doubt.first_break_even()[1][lines]).tolist()


def _that_matter(analysis: Analysis, near: IntArray) -> list[dict[str, Any]]:
    """The cells that matter most, as far as they are drawn: their vertices in the drawing."""
    at = _places(analysis.complex, near)
    cells = [(at[analysis.complex.cells[k][i]], k) for k, i, _ in matter_most(analysis)]
    return [{"cell": c.tolist(), "rank": k} for c, k in cells if (c >= 0).all()]


def matter_most(analysis: Analysis, count: int = MATTER) -> list[tuple[int, int, float]]:
    """Rank, number and influence of the cells that matter most."""
    if analysis.influence is None:
        return []
    by_rank = analysis.influence.by_rank
    values = np.concatenate([*by_rank.values(), np.empty(0)])
    places = [(k, i) for k, part in by_rank.items() for i in range(len(part))]
    least = _NOTHING * abs(values).max(initial=0.0)
    first = np.argsort(-abs(values), kind="stable")[:count].tolist()
    return [(*places[at], float(values[at])) for at in first if abs(values[at]) > least]


def trust_histogram(analysis: Analysis) -> dict[str, Any]:
    """Return how many edges have which trust, in twenty steps; and as many random pairs as can be.

    Up to the threshold are the edges to doubt first.
    """
    steps = np.linspace(0.0, 1.0, 21)
    doubt = analysis.doubt
    chance = threshold = None
    if doubt is not None and len(doubt.decoys):
        share = np.histogram(doubt.decoys, steps)[0] / len(doubt.decoys)
        chance = numbers(share * doubt.largest_share * len(doubt.trust))
        first = doubt.first_break_even()[1]
        threshold = float(doubt.trust.values[first].max()) if first.any() else None
    return {
        "counts": np.histogram(analysis.trust.values, steps)[0].tolist(),
        "edges": numbers(steps),
        "chance": chance,
        "threshold": threshold,
    }


def numbers(values: FloatArray) -> list[Any]:
    """Five digits of every number, or all whole ones, enough for a drawing; zero below 1e-22.

    >>> numbers(np.array([[0.123456789, -1234.5678], [12345678.9, 0.0]]))
    [[0.12346, -1234.6], [12345679.0, 0.0]]
    """
    values = np.asarray(values, dtype=np.float64)
    with np.errstate(divide="ignore"):
        places = np.nan_to_num(4.0 - np.floor(np.log10(np.abs(values))), nan=0.0)
    # A whole number over a power of ten that is one is the number nearest to its five digits.
    scale = _POWERS[np.clip(places, 0, len(_POWERS) - 1).astype(np.int64)]
    rounded: list[Any] = (np.rint(values * scale) / scale + 0.0).tolist()  # no -0.0
    return rounded
