"""Beyond the paper: false edges found by the cells that hold an edge, beside classical scores."""

from __future__ import annotations

import warnings

import numpy as np

from cellapse._errors import CellapseWarning
from cellapse._shared.arrays import BoolArray
from cellapse.experiments.protocol.noise import (
    NETWORKS,
    auc,
    classical_scores,
    draw,
    true_edges,
    with_false_edges,
)
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure, compare
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table, pick
from cellapse.lifts import clique_complex
from cellapse.tasks.false_edges import Doubt, likely_false
from cellapse.tasks.trust import edge_trust

KINDS = ("uniform", "degree", "near")
PERCENT = tuple(range(10, 101, 10))
QUICK = (10, 50)
_WORDS = {
    "uniform": "drawn uniformly",
    "degree": "drawn by degree",
    "near": "at distance two or three",
}
_OWN = ("both", "learned", "trust")


def arguments(quick: bool) -> list[Arguments]:
    return [
        {"network": name, "kind": kind, "percent": percent, "seed": seed}
        for seed in range(2 if quick else 4)
        for name in NETWORKS
        for kind in KINDS
        for percent in (QUICK if quick else PERCENT)
    ]


def run(network: str, kind: str, percent: int, seed: int) -> Result:
    """The area under the curve of every score, and what `likely_false` makes of the network."""
    A, _ = draw(network, seed)
    noisy = with_false_edges(A, percent, kind, seed)
    K = clique_complex(noisy)
    edges = K.cells[1].as_array()
    true = true_edges(A, edges)
    areas = {"trust": auc(edge_trust(K).values, true)}
    for evidence in ("learned", "both"):
        areas[evidence] = auc(edge_trust(K, evidence=evidence, rng=seed).values, true)
    areas |= {name: auc(x, true) for name, x in classical_scores(noisy, edges).items()}
    share = float(1.0 - true.mean())
    doubt = likely_false(K, rng=seed)
    doubts = {"not given": _of_doubt(doubt, true), "given": _of_doubt(doubt.knowing(share), true)}
    if (percent, kind) == (QUICK[0], KINDS[0]):  # once for each draw of a network
        clean = likely_false(clique_complex(A), rng=seed)
        every = np.ones(len(clean.trust), dtype=bool)
        doubts["clean, not given"] = _of_doubt(clean, every)
        doubts["clean, 10 % given"] = _of_doubt(clean.knowing(0.1), every)
    return {"auc": areas, "false": share, "doubt": doubts}


def _of_doubt(doubt: Doubt, true: BoolArray) -> Result | None:
    """Return what `likely_false` says, and what is so; None where there is nothing to go by."""
    if doubt.reason:
        return None
    in_doubt, false = doubt.doubted, ~true
    with warnings.catch_warnings(action="ignore", category=CellapseWarning):
        pieces = np.bincount(doubt.network().components())
    return {
        "doubted": float(in_doubt.mean()),
        "of real": float(in_doubt[true].mean()),
        "caught": doubt.caught if in_doubt.any() else None,
        "truly caught": float(in_doubt[false].mean()) if false.any() else None,
        "wrong": doubt.wrong,
        "truly wrong": float(true[in_doubt].mean()) if in_doubt.any() else None,
        "missed": doubt.missed,
        "truly missed": float(false[~in_doubt].mean()) if not in_doubt.all() else None,
        "distinguishable": float(doubt.distinguishable.mean()),
        "falsely": float(false[doubt.distinguishable].mean())
        if doubt.distinguishable.any()
        else None,
        "components": len(pieces),
        "largest": float(pieces.max() / pieces.sum()),
    }


def summarize(results: Results) -> Table:
    rows = []
    for kind in KINDS:
        for percent in dict.fromkeys(a["percent"] for a, _ in results):
            chosen = [(a, r) for a, r in results if a["kind"] == kind and a["percent"] == percent]
            best = _best(chosen)
            rows.append(
                Row(
                    f"{percent} % false edges, {_WORDS[kind]}",
                    "not in the paper",
                    "not in the paper",
                    "\n".join(f"{name} {_figure(chosen, name)}" for name in _OWN)
                    + f"\nbest other: {best} {_figure(chosen, best)}",
                    compare(_by_network(chosen, "both"), _by_network(chosen, best)).sentence(
                        "both", best
                    )
                    + ".",
                )
            )
    details = tuple(_by_score(results, kind) for kind in KINDS)
    return Table(
        "False edges: what finds them",
        "The area under the curve of true against false edges, the mean over five bundled and four "
        "generated networks; paired by network, against the best of ten classical scores, chosen "
        "with hindsight. The formula of trust was chosen on networks of these kinds (other draws): "
        "a confirmation, not an independent test; what learned and both are was chosen on others.",
        tuple(rows),
        (*details, _by_network_detail(results), _doubts(results)),
    )


def _names(results: Results) -> list[str]:
    return list(results[0][1]["auc"])


def _figure(results: Results, name: str) -> str:
    return str(Figure.of([r["auc"][name] for _, r in results]))


def _best(results: Results) -> str:
    others = [name for name in _names(results) if name not in _OWN]
    return max(others, key=lambda name: float(np.mean([r["auc"][name] for _, r in results])))


def _by_network(results: Results, name: str) -> list[float]:
    networks = dict.fromkeys(a["network"] for a, _ in results)
    return [float(np.mean([r["auc"][name] for r in pick(results, network=n)])) for n in networks]


def _by_score(results: Results, kind: str) -> Detail:
    """Return one line per score, the best first."""
    chosen = [(a, r) for a, r in results if a["kind"] == kind]
    percents = list(dict.fromkeys(a["percent"] for a, _ in chosen))
    mean = {n: float(np.mean([r["auc"][n] for _, r in chosen])) for n in _names(results)}
    ours = _by_network(chosen, "trust")
    return Detail(
        f"Area under the curve, false edges {_WORDS[kind]}, best first",
        ("score", *(f"{p} %" for p in percents), "mean", "paired with trust, by network"),
        tuple(
            (
                name,
                *(_short(chosen, name, percent=p) for p in percents),
                f"{mean[name]:.3f}",
                ""
                if name == "trust"
                else compare(_by_network(chosen, name), ours).sentence(name, "trust"),
            )
            for name in sorted(mean, key=lambda n: -mean[n])
        ),
    )


def _short(results: Results, name: str, **wanted: object) -> str:
    return f"{np.mean([r['auc'][name] for r in pick(results, **wanted)]):.3f}"


def _by_network_detail(results: Results) -> Detail:
    shown = ["both", "learned", "trust", "Salton", "hub promoted", "Jaccard", "common neighbours"]
    networks = dict.fromkeys(a["network"] for a, _ in results)
    return Detail(
        "The same by network, mean over the rates",
        ("network", "false edges", *shown),
        tuple(
            (n, _WORDS[k], *(_short(results, name, network=n, kind=k) for name in shown))
            for n in networks
            for k in KINDS
        ),
    )


def _doubts(results: Results) -> Detail:
    """Return whether what `likely_false` says of itself is so."""
    cases: list[tuple[str, dict[str, object], str, str | None]] = [
        (f"clean, {given}", {}, f"clean, {given}", n)
        for given in ("not given", "10 % given")
        for n in [None, *dict.fromkeys(a["network"] for a, _ in results)]
    ]
    percents = dict.fromkeys(a["percent"] for a, _ in results)
    cases += [
        (f"{percent} %, {_WORDS[kind]}, {given}", {"percent": percent, "kind": kind}, given, None)
        for kind in KINDS
        for percent in percents
        for given in ("not given", "given")
    ]
    rows = []
    for name, wanted, key, network in cases:
        only = wanted if network is None else wanted | {"network": network}
        runs = [r["doubt"][key] for r in pick(results, **only) if key in r["doubt"]]
        parts = [part for part in runs if part is not None]
        keys = ("doubted", "wrong", "truly wrong", "of real", "truly caught", "caught")
        more = ("distinguishable", "falsely", "components", "largest")
        silent = f"{1.0 - len(parts) / max(1, len(runs)):.2f}"
        rows.append((name, network or "all", silent, *(_mean(parts, k) for k in (*keys, *more))))
    return Detail(
        "likely_false without and with the share of false edges, means over networks. Real: of the "
        "doubted edges, as expected and as it is; then how many of all real and of all false edges "
        "are doubted, and of the false ones as expected. Told apart: edges distinguishable from "
        "random pairs at a false discovery rate of .05, and how many of these are false. Then the "
        "components of the network without the doubted edges, and the share of the vertices in the "
        "largest. Silent: nothing to go by",
        (
            *("false edges, their share", "network", "silent", "doubted", "real, said", "is"),
            *("of the real", "of the false", "said", "distinguishable", "false", "components"),
            "in the largest",
        ),
        tuple(rows),
    )


def _mean(parts: list[Result], key: str) -> str:
    values = [p[key] for p in parts if p[key] is not None]
    return f"{np.mean(values):.3f}" if values else ""


EXPERIMENT = Experiment("trust", arguments, run, summarize)
