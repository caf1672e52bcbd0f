"""Beyond the paper: few labels on networks with false edges, by every method and its rivals.

The methods of `spread_labels` on the graph Laplacian, the motif Laplacian, the renormalized
collapse and `trusted_laplacian`, by cells and by what the network teaches; beside them, on the
plain graph, those of `protocol.labels`. Of LabelSpreading the best alpha counts, chosen with
hindsight for every kind of false edges and number of labels.
"""

from __future__ import annotations

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._linalg.operators import Operator
from cellapse._operators.names import make_operator
from cellapse.experiments.protocol.labels import RIVALS, few_labels
from cellapse.experiments.protocol.noise import KINDS, draw, with_false_edges
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure, compare
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table, pick
from cellapse.lifts import clique_complex
from cellapse.tasks.labels import spread_labels
from cellapse.tasks.trust import trusted_laplacian

LABELLED = (
    *("karate", "football", "lesmis", "polbooks", "dolphins"),
    *("blocks", "two groups with hubs"),
)
METHODS = {
    "Poisson, renormalized": ("poisson", "renormalized"),
    "Poisson, trust by cells": ("poisson", "cells"),
    "Poisson, learned trust": ("poisson", "learned"),
    "Poisson, motif": ("poisson", "motif"),
    "Poisson, L": ("poisson", "laplacian"),
    "harmonic, renormalized": ("harmonic", "renormalized"),
    "harmonic, L": ("harmonic", "laplacian"),
    "regularized, renormalized": ("regularized", "renormalized"),
    "regularized, L": ("regularized", "laplacian"),
}
OURS = "Poisson, renormalized"
PERCENT = (0, 25, 50, 100)
QUICK = (0, 50)
PER_CLASS = (1, 3, 5)
TRUSTED = ("cells", "learned")
_SPREADING = "LabelSpreading"


def arguments(quick: bool) -> list[Arguments]:
    return [
        {"network": name, "kind": kind, "percent": percent, "per_class": per_class, "seed": seed}
        for seed in range(2 if quick else 10)
        for name in LABELLED
        for percent in (QUICK if quick else PERCENT)
        for kind in (KINDS if percent else KINDS[:1])
        for per_class in PER_CLASS
    ]


def run(network: str, kind: str, percent: int, per_class: int, seed: int) -> Result:
    """Return the share of the other vertices that get their group, by every method."""
    A, groups = draw(network, seed)
    assert groups is not None
    noisy = with_false_edges(A, percent, kind, seed)
    known = few_labels(groups, seed, per_class)
    rest = known < 0
    K = clique_complex(noisy)
    operators = {name: _operator(K, name) for _, name in METHODS.values()}
    predicted = {
        name: spread_labels(operators[operator], known, method=method).numbers
        for name, (method, operator) in METHODS.items()
    }
    predicted |= {name: rival(noisy, known).argmax(axis=1) for name, rival in RIVALS.items()}
    return {name: float((numbers == groups)[rest].mean()) for name, numbers in predicted.items()}


def _operator(K: Complex, name: str) -> Operator:
    return trusted_laplacian(K, evidence=name) if name in TRUSTED else make_operator(K, name)


def summarize(results: Results) -> Table:
    cells = sorted(dict.fromkeys((a["percent"], a["kind"]) for a, _ in results))
    rows = []
    for percent, kind in cells:
        wanted = {"percent": percent, "kind": kind}
        best = _best_rival(results, wanted)
        figures = [_figure(results, name, wanted) for name in (*METHODS, best)]
        rows.append(
            Row(
                _words(percent, kind),
                "not in the paper",
                "not in the paper",
                "\n".join(figures),
                _verdict(results, wanted, best),
            )
        )
    return Table(
        "Few labels on networks with false edges",
        "One, three and five labels a group, the share of the other vertices that get theirs, the "
        "mean over five bundled and two generated networks, and after the methods of "
        "spread_labels the best of eleven rivals on the plain graph, chosen with hindsight. Paired "
        "by network.",
        tuple(rows),
        (_by_labels(results, cells), _by_network(results)),
    )


def _values(results: Results, name: str, wanted: dict[str, object]) -> list[float]:
    return [r[name] for r in pick(results, **wanted)]


def _mean(results: Results, name: str, wanted: dict[str, object]) -> float:
    return float(np.mean(_values(results, name, wanted)))


def _figure(results: Results, name: str, wanted: dict[str, object]) -> str:
    return f"{name} {Figure.of(_values(results, name, wanted))}"


def _best_rival(results: Results, wanted: dict[str, object]) -> str:
    return max(RIVALS, key=lambda name: _mean(results, name, wanted))


def _words(percent: int, kind: str) -> str:
    if not percent:
        return "no false edges"
    how = {"uniform": "drawn uniformly", "degree": "drawn by degree"}[kind]
    return f"{percent} % false edges, {how}"


def _verdict(results: Results, wanted: dict[str, object], best: str) -> str:
    def by_network(name: str) -> list[float]:
        return [_mean(results, name, wanted | {"network": n}) for n in LABELLED]

    ours = by_network(OURS)
    others = ("Poisson, L", "regularized, renormalized", best)
    return "; ".join(compare(ours, by_network(n)).sentence(OURS, n) for n in others) + "."


def _by_labels(results: Results, cells: list[tuple[int, str]]) -> Detail:
    """Return one line a method, the best first."""
    columns: list[tuple[str, dict[str, object]]] = [
        (f"{_words(percent, kind)}, {m}", {"percent": percent, "kind": kind, "per_class": m})
        for percent, kind in cells
        for m in PER_CLASS
    ]
    alphas = [name for name in RIVALS if name.startswith(_SPREADING)]
    figures = {
        name: [_mean(results, name, wanted) for _, wanted in columns]
        for name in (*METHODS, *RIVALS)
        if name not in alphas
    }
    figures[f"{_SPREADING}, the best alpha"] = [
        max(_mean(results, name, wanted) for name in alphas) for _, wanted in columns
    ]
    first = sorted(figures, key=lambda name: -float(np.mean(figures[name])))
    rivals = np.array([figures[name] for name in figures if name not in METHODS]).max(axis=0)
    return Detail(
        "By the number of labels a group, best first. Behind: by how much at most it is behind the "
        "best rival of a column",
        ("method", *(words for words, _ in columns), "mean", "behind"),
        tuple(
            (
                name,
                *(f"{x:.3f}" for x in figures[name]),
                f"{np.mean(figures[name]):.3f}",
                f"{max(float((rivals - figures[name]).max()), 0.0):.3f}",
            )
            for name in first
        ),
    )


def _by_network(results: Results) -> Detail:
    cases = sorted(dict.fromkeys((a["network"], a["percent"], a["kind"]) for a, _ in results))
    names = (*METHODS, *RIVALS)
    rows = []
    for network, percent, kind in cases:
        wanted = {"network": network, "percent": percent, "kind": kind}
        means = [f"{_mean(results, name, wanted):.3f}" for name in names]
        rows.append((network, _words(percent, kind), *means))
    return Detail("By network", ("network", "false edges", *names), tuple(rows))


EXPERIMENT = Experiment("spread", arguments, run, summarize)
