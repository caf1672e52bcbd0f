"""Verbs for networks with errors and few labels: trust, label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._operators.hyperedges import is_hypergraph
from cellapse._shared.checks import one_of
from cellapse.cli.app import app
from cellapse.cli.options import Column, NetworkChoice, OperatorChoice, Seed, grouped
from cellapse.cli.output import Out
from cellapse.cli.progress import working
from cellapse.cli.sources import known_labels
from cellapse.io import write
from cellapse.lifts.cycles import cycle_complex
from cellapse.tasks.false_edges import Doubt, likely_false
from cellapse.tasks.labels import Spread, spread_labels
from cellapse.tasks.trust import EVIDENCE, EdgeTrust, edge_trust

_HYPERGRAPH = "a hypergraph: which hyperedges a random pair would be part of is not known"

Level = Annotated[
    float,
    typer.Option(help="False discovery rate of the edges distinguished from random pairs."),
]
Cycles = Annotated[
    int | None,
    typer.Option(help="Chordless cycles up to this length as cells, instead of cliques."),
]
Evidence = Annotated[
    str,
    typer.Option(
        help="What edges are judged by: learned (against random pairs), cells, or both, which only "
        "ranks them."
    ),
]
Decoys = Annotated[
    str,
    typer.Option(
        help="The model of errors: false edges are like random pairs drawn uniform, by degree or "
        "near; mixed, the worst of the three."
    ),
]
Confidence = Annotated[
    str | None,
    typer.Option(help="The attribute of edges, from 0 to 1, that says how sure each is."),
]


@app.command()
@grouped
def trust(
    *,
    level: Level = 0.05,
    false_share: Annotated[
        float | None,
        typer.Option(help="The share of false edges; without it none is doubted, only ranked."),
    ] = None,
    evidence: Evidence = "learned",
    decoys: Decoys = "mixed",
    confidence: Confidence = None,
    cycles: Cycles = None,
    clean: Annotated[
        Path | None, typer.Option(help="Write the network without the doubted edges to this file.")
    ] = None,
    data: NetworkChoice,
    out: Out,
    seed: Seed = 0,
) -> None:
    """How far each edge can be trusted; which are probably false.

    \b
    cellapse trust football -o edges.csv
    cellapse trust karate --false-share 0.3
    cellapse trust polbooks --evidence both
    cellapse trust network.gml --cycles 4 --false-share 0.1 --clean clean.csv
    """
    with working("reading", "computing", quiet=out.silent) as step:
        step("reading")
        K = data.load().complex
        step("computing")
        one_of("--evidence", evidence, EVIDENCE)
        if cycles is None and is_hypergraph(K):
            _only_trust(edge_trust(K), _HYPERGRAPH, clean, out)
            return
        if evidence == "both" or confidence is not None:
            alone = cycles is None and false_share is None
            scores = _ranked(K, evidence, decoys, confidence, seed, alone)
            _only_trust(scores, "evidence that only ranks edges", clean, out)
            return
        if cycles is None:
            options: dict[str, Any] = {"evidence": evidence, "decoys": decoys, "rng": seed}
            doubt = likely_false(K, level=level, false_share=false_share, **options)
        else:
            doubt = _by_cycles(K, cycles, level, false_share, decoys, seed)
    out.say(escape(str(doubt).replace("false_share=", "--false-share ")))
    if clean is not None:
        _write_clean(doubt, clean, out)
    out.table(doubt.columns(), _facts(doubt), lowest="trust")


def _write_clean(doubt: Doubt, clean: Path, out: Out) -> None:
    """Write the network without the doubted edges."""
    left = doubt.network()
    write(left.skeleton(min(1, left.max_rank)), clean)
    all_left = ", all of them: without --false-share none is doubted"
    why = all_left if doubt.false_share is None else ""
    out.say(f"Wrote {escape(str(clean))}: {sum(left.n_cells[1:2]):,} edges{why}.")


def _ranked(
    K: Complex, evidence: str, decoys: str, confidence: str | None, seed: int, alone: bool
) -> EdgeTrust:
    """Return the trust by evidence that doubts no edge."""
    if not alone:
        raise InputError(
            "--evidence both and --confidence rank edges and doubt none; leave out --cycles and "
            "--false-share"
        )
    sure = None if confidence is None else _attribute(K, confidence)
    return edge_trust(K, evidence=evidence, decoys=decoys, confidence=sure, rng=seed)


def _attribute(K: Complex, name: str) -> Any:
    """Return an attribute of the edges, or their weights."""
    columns = K.attributes[1] if K.max_rank else {}
    if name in columns:
        return columns[name]
    if name == "weight" and K.max_rank and K.weights[1] is not None:
        return K.weights[1]
    known = ", ".join(columns) or "none"
    raise InputError(f"--confidence {name}: no attribute of the edges; there are {known}")


def _only_trust(scores: EdgeTrust, why: str, clean: Path | None, out: Out) -> None:
    """The trust of edges where there is no threshold."""
    if clean is not None:
        raise InputError(f"--clean needs a threshold, but this is {why}; leave --clean out")
    if scores.model:
        out.say(f"model of errors: {scores.model}")
    out.say(f"No threshold, since this is {why}. {100 * (1 - scores.held):.0f} % are in no cell.")
    out.table(scores.columns(), {"in no cell": 1.0 - scores.held}, lowest="trust")


@app.command()
@grouped
def label(
    *,
    labels: Annotated[
        str, typer.Option(help="A table of known labels, node,label; or an attribute of the nodes.")
    ],
    column: Column = None,
    method: Annotated[str, typer.Option(help="poisson, harmonic or regularized.")] = "poisson",
    strength: Annotated[
        float | None,
        typer.Option(help="Of regularized: how far; chosen by leaving labels out if not given."),
    ] = None,
    choice: OperatorChoice,
    out: Out,
    seed: Seed = 0,
) -> None:
    """Spread a few known labels over all nodes.

    \b
    cellapse label network.gml --labels known.csv -o labels.csv
    cellapse label network.gml --labels people.csv --column team
    cellapse label network.gml --labels known.csv --method regularized --strength 10
    """
    with choice.prepared(out.silent) as (source, S):
        K = source.complex
        known = known_labels(K, labels, column)
        how = "auto" if strength is None else strength
        spread = spread_labels(S, known, method=method, strength=how, rng=seed)
    out.operator(S)
    how = method if spread.strength is None else f"{method}, strength {spread.strength:.4g}"
    out.say(f"{how}; {_found_again(spread)}")
    columns = {
        "node": K.labels,
        "label": spread.predicted(),
        "probability": spread.probabilities.max(axis=1),
        "given": spread.given,
    }
    facts = {
        "operator": repr(S),
        "method": method,
        "strength": spread.strength,
        "known": int(spread.given.sum()),
        "found again": spread.accuracy,
    }
    out.table(columns, facts)


def _found_again(spread: Spread) -> str:
    """Return what leaving out known labels says, or why it cannot."""
    known = int(spread.given.sum())
    if len(spread.classes) < 2:
        return "only one class is known, so every node is given it"
    if spread.accuracy is None:
        return "no class has a second known label that could be left out to test it"
    return f"of {known} known labels found again when left out: {100 * spread.accuracy:.0f} %"


def _by_cycles(
    K: Any, length: int, level: float, false_share: float | None, decoys: str, seed: int
) -> Doubt:
    if length < 3:
        raise InputError(f"--cycles {length}; give a whole number of at least 3")

    def lift(graph: Any) -> Any:
        return cycle_complex(graph, cycles="chordless", max_length=length)

    return likely_false(
        lift(K),
        level=level,
        false_share=false_share,
        evidence="cells",
        decoys=decoys,
        lift=lift,
        rng=seed,
    )


def _facts(doubt: Doubt) -> dict[str, Any]:
    return {
        "doubted edges": int(doubt.doubted.sum()),
        "doubted but real": doubt.wrong,
        "false share": doubt.false_share,
        "largest false share": doubt.largest_share,
        "first break even": doubt.first_break_even()[0],
        "distinguishable edges": int(doubt.distinguishable.sum()),
        "threshold": doubt.threshold,
        "missed": doubt.missed,
        "caught": doubt.caught,
        "in no cell": 1.0 - doubt.trust.held,
        "separation": doubt.separation,
        "reason": doubt.reason,
    }
