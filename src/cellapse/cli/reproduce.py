"""Verbs that repeat what the paper did, and measure on one's own data: reproduce, bench."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from cellapse._errors import CellapseError, CellapseWarning
from cellapse._operators.baselines import graph_laplacian
from cellapse._operators.names import make_operator, operator_names
from cellapse.batch import cores
from cellapse.cli.app import app
from cellapse.cli.options import NetworkChoice, grouped
from cellapse.cli.output import AsJson, Out, Quiet
from cellapse.cli.progress import Steps


@app.command()
@grouped
def reproduce(
    tables: Annotated[
        list[str] | None, typer.Argument(help="Names of tables; all if left out.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick/--full", help="Minutes with fewer repetitions, or hours.")
    ] = True,
    folder: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for results/ and report.html.")
    ] = Path(),
    n_jobs: Annotated[
        int | None, typer.Option(help="Processes at once; by default one per core.")
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Run the tables of the paper, by its protocol and a fair one.

    Goes on where it stopped.

    \b
    cellapse reproduce --quick
    cellapse reproduce networks blocks --full -o tables
    """
    from cellapse.experiments import reproduce as run

    at_once = cores() if n_jobs is None else n_jobs
    report = run(tables or None, quick, folder, at_once, progress=not quiet and not as_json)
    out = Out(None, as_json, quiet)
    out.say(f"Wrote {escape(str(report))} and {escape(str(report.parent))}/results.")
    out.json({"report": str(report), "results": str(report.parent / "results")})


@app.command()
@grouped
def bench(
    *,
    k: Annotated[int, typer.Option("-k", help="How many eigenpairs.")] = 10,
    data: NetworkChoice,
    out: Out,
) -> None:
    """Time every operator on a network, beside the graph Laplacian.

    Seconds for building it and for its eigenpairs, and the ratio of both to L.

    \b
    cellapse bench football
    cellapse bench network.npz -k 20 -o times.csv
    """
    order = ("laplacian", *(name for name in operator_names() if name != "laplacian"))
    steps = ["reading", *order]
    rows: list[dict[str, Any]] = []
    with Steps(steps, out.silent) as step, warnings.catch_warnings():
        warnings.simplefilter("ignore", CellapseWarning)
        step("reading")
        K = data.load().complex
        count = min(k, K.n_vertices)
        graph_laplacian(K).spectrum(count)  # not counted: whatever is imported at first use
        for name in order:
            step(name)
            rows.append(_timed(K, name, count))
    base = rows[0]["build"] + rows[0]["eigenpairs"]
    for row in rows:
        total = None if row["build"] is None else row["build"] + row["eigenpairs"]
        row["ratio"] = None if total is None else round(total / base, 2)
    heads = ("operator", "build", "eigenpairs", "ratio", "solver", "note")
    columns = {head: [row[head] for row in rows] for head in heads}
    out.table(columns, {"cells": list(K.n_cells), "k": count})


def _timed(K: Any, name: str, k: int) -> dict[str, Any]:
    row: dict[str, Any] = {"operator": name, "build": None, "eigenpairs": None}
    try:
        begun = time.perf_counter()
        S = make_operator(K, name)
        built = time.perf_counter()
        spectrum = S.spectrum(k)
        row["build"], row["eigenpairs"] = built - begun, time.perf_counter() - built
        return row | {"solver": type(spectrum.solver).__name__, "note": ""}
    except CellapseError as error:
        return row | {"solver": "", "note": str(error)}
