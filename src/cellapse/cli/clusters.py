"""The verb that groups the nodes: cluster."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from cellapse._errors import InputError
from cellapse.cli import options
from cellapse.cli.app import app
from cellapse.cli.making import prepared, steps
from cellapse.cli.output import Out
from cellapse.tasks.clustering import cluster, clustering_accuracy, suggest_n_clusters
from cellapse.tasks.selection import choose_operator


@app.command("cluster")
def cluster_nodes(
    network: options.Network,
    count: Annotated[
        int | None,
        typer.Option("-k", help="Number of clusters; by default of known groups, or by the gap."),
    ] = None,
    choose: Annotated[
        bool,
        typer.Option("--choose", help="Try nine operators; keep the one of most modular clusters."),
    ] = False,
    operator: options.OperatorName = "renormalized",
    eps: options.Eps = None,
    beta: options.Beta = None,
    gamma: options.Gamma = None,
    max_rank: options.MaxRank = 2,
    weight: options.Weight = None,
    output: options.Output = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
    seed: options.Seed = 0,
) -> None:
    """Group the nodes by the normalized cut of an operator.

    \b
    cellapse cluster karate -k 2 -o labels.csv
    cellapse cluster polbooks -k 3 --choose
    cellapse cluster network.gml --json
    """
    if choose and (operator, eps, beta, gamma) != ("renormalized", None, None, None):
        raise InputError(
            "--choose tries operators of its own; leave out --operator, --eps, --beta and --gamma"
        )
    out = Out(output, as_json, quiet)
    with steps(quiet or as_json) as step:
        source, S = prepared(step, network, max_rank, weight, (operator, eps, beta, gamma))
        known = None if source.groups is None else [str(g) for g in source.groups]
        if count is None:
            count = suggest_n_clusters(S) if known is None else len(set(known))
        if choose:
            choice = choose_operator(source.complex, count, rng=seed)
            S, found = choice.operator, choice.clusters
        else:
            found = cluster(S, count, rng=seed)
    sizes = np.bincount(found.numbers)
    out.say(escape(str(choice) if choose else repr(S)))
    out.say(f"{len(sizes)} clusters of {', '.join(map(str, sizes.tolist()))} nodes")
    facts: dict[str, Any] = {"operator": repr(S), "sizes": sizes}
    if choose:
        facts |= {"chosen": choice.name, "modularity": choice.modularity}
    if known is not None:
        facts["accuracy"] = clustering_accuracy(found, known)
        out.say(f"{100 * facts['accuracy']:.1f} % of the nodes agree with the known groups")
    out.table({"node": source.complex.labels, "cluster": found.numbers}, facts)
