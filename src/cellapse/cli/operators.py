"""Verbs on operators: collapse, spectrum, compare."""

from __future__ import annotations

import time
import warnings
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.realizations import DEFAULT
from cellapse._errors import CellapseError, CellapseWarning
from cellapse._operators.baselines import graph_laplacian
from cellapse._operators.fair import without_cells
from cellapse._operators.names import make_operator, operator_names
from cellapse.cli.app import app
from cellapse.cli.options import Column, Groups, NetworkChoice, OperatorChoice, Seed, grouped
from cellapse.cli.output import Out
from cellapse.cli.progress import Steps, working
from cellapse.cli.sources import with_groups
from cellapse.cli.words import in_words
from cellapse.tasks.clustering import cluster, clustering_accuracy
from cellapse.tasks.selection import modularity
from cellapse.tasks.verdict import judge
from cellapse.theory import check

Count = Annotated[int, typer.Option("-k", help="How many eigenvalues.")]


@app.command("collapse")
@grouped
def collapse_network(
    *,
    choice: OperatorChoice,
    out: Out,
) -> None:
    """Collapse a network and check the paper's statements on it.

    -o writes the entries of S on and above the diagonal as rows i, j, value.

    \b
    cellapse collapse karate
    cellapse collapse karate --operator unfolded -o matrix.csv
    """
    with working("reading", "collapsing", "checking", quiet=out.silent) as step:
        step("reading")
        K = choice.load().complex
        step("collapsing")
        S = choice.make(K)
        step("checking")
        report = check(S) if isinstance(S, CollapsedOperator) else None
    out.card(S, "spectrum", "cluster", "embed")
    if report is not None:
        out.say(escape(in_words("\n".join(str(report).splitlines()[1:]))))
    facts = {"operator": repr(S), "holds": None if report is None else report.holds}
    if out.file is not None or out.as_json:
        M = S.toarray()
        i, j = np.nonzero(np.triu(M))
        rows, columns = ([K.labels[v] for v in at.tolist()] for at in (i, j))
        out.table({"i": rows, "j": columns, "value": M[i, j]}, facts)


@app.command()
@grouped
def spectrum(
    *,
    k: Count = 10,
    choice: OperatorChoice,
    out: Out,
) -> None:
    """Print the smallest eigenvalues, beside the graph Laplacian's.

    \b
    cellapse spectrum karate -k 6
    cellapse spectrum karate --operator unfolded --json
    """
    with working("reading", "spectrum of S", "spectrum of L", quiet=out.silent) as step:
        step("reading")
        K = choice.load().complex
        S, L = choice.make(K), graph_laplacian(K)
        step("spectrum of S")
        mine = S.spectrum(min(k, K.n_vertices))
        step("spectrum of L")
        plain = L.spectrum(min(k, K.n_vertices))
    out.operator(S)
    columns: dict[str, Any] = {
        "index": list(range(1, len(mine) + 1)),
        choice.name: mine.values,
        "laplacian": plain.values,
        "residual": mine.residuals,
    }
    if choice.name == "laplacian":
        columns = {
            "index": columns["index"],
            "laplacian": plain.values,
            "residual": plain.residuals,
        }
    out.table(columns, {"operator": repr(S)})


@app.command()
@grouped
def compare(
    *,
    clusters: Annotated[
        int | None, typer.Option("--clusters", "-k", help="Number of clusters.")
    ] = None,
    groups: Groups = None,
    column: Column = None,
    data: NetworkChoice,
    out: Out,
    seed: Seed = 0,
) -> None:
    """All operators side by side: low spectrum, clusters, time.

    First of all: do the cells matter here? Then agree is the share of nodes in the clusters that
    the graph Laplacian finds (on a hypergraph, the weighted projection); known, in the groups that
    --groups says or that come with a bundled network.

    \b
    cellapse compare football
    cellapse compare karate -k 2 --json
    """
    rows: list[dict[str, Any]] = []
    steps = ["reading", *operator_names(), "verdict"]
    with Steps(steps, out.silent) as step:
        step("reading")
        source = with_groups(data.load(), groups, column)
        K = source.complex
        known = None if source.groups is None else [str(g) for g in source.groups]
        count = clusters or (min(2, K.n_vertices) if known is None else len(set(known)))
        plain = cluster(without_cells(K), count, rng=seed)
        for name in operator_names():
            step(name)
            rows.append(_measured(K, name, count, plain, known, seed))
        step("verdict")
        why = (
            "as asked for"
            if clusters
            else "by default; -k takes another number"
            if known is None
            else "as many as known groups"
        )
        mine = cluster(make_operator(K), count, rng=seed)
        said = judge(K, mine, plain, why, seed, name=DEFAULT)
    out.say(escape("\n".join(said.sentences())))
    columns = {head: [row[head] for row in rows] for head in rows[0]}
    facts = {"network": source.title, "clusters": count, "verdict": said.as_dict()}
    out.table(columns, facts)


def _measured(
    K: Any, name: str, count: int, plain: Any, known: list[str] | None, seed: int
) -> dict[str, Any]:
    begun = time.perf_counter()
    row: dict[str, Any] = {"operator": name, "lambda_2": None, "lambda_3": None}
    row |= {"modularity": None, "agree": None}
    if known is not None:
        row["known"] = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CellapseWarning)  # the table compares; docs explain
            S = make_operator(K, name)
            values = S.spectrum(min(3, K.n_vertices)).values
            clusters = cluster(S, count, rng=seed)
    except CellapseError as error:
        return row | {"seconds": None, "note": str(error)}
    row["lambda_2"], row["lambda_3"] = (*values[1:3].tolist(), None, None)[:2]
    row["modularity"] = modularity(K, clusters) if K.max_rank and K.n_cells[1] else 0.0
    row["agree"] = clustering_accuracy(clusters, plain)
    if known is not None:
        row["known"] = clustering_accuracy(clusters, known)
    return row | {"seconds": round(time.perf_counter() - begun, 3), "note": ""}
