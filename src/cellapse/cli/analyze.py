"""Verbs for a whole study: analyze, protein, explore."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.realizations import DEFAULT
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._shared.files import make_folder
from cellapse._sources import Source, load_protein
from cellapse.analysis import STEPS, Analysis, analyze
from cellapse.cli.app import app
from cellapse.cli.console import Console
from cellapse.cli.options import (
    Column,
    Groups,
    NetworkChoice,
    OperatorChoice,
    ProteinName,
    Seed,
    grouped,
)
from cellapse.cli.output import AsJson, Out, Quiet
from cellapse.cli.progress import Steps, working
from cellapse.cli.sources import with_groups
from cellapse.report.page import write_report
from cellapse.report.summary import cell_counts, edges_in_words, findings, operators_in_words
from cellapse.tasks.clustering import suggest_n_clusters
from cellapse.tasks.selection import choose_operator, family_member

Make = Callable[[Complex], Operator]

Folder = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder for nodes.csv and report.html.")
]
Clusters = Annotated[int | None, typer.Option("--clusters", "-k", help="Number of clusters.")]
Eigenpairs = Annotated[
    int | None,
    typer.Option(help="How many are computed; all of up to 1,000 nodes, some 30 of more."),
]
Quick = Annotated[
    bool,
    typer.Option("--quick", help="Without the checks of the theory, and with few eigenpairs."),
]
WithNodes = Annotated[
    bool, typer.Option("--nodes", help="With --json: the clusters of every node, too.")
]


@app.command("analyze")
@grouped
def analyze_network(
    *,
    output: Folder = None,
    clusters: Clusters = None,
    choose: Annotated[
        bool, typer.Option("--choose", help="Experimental: the most modular of nine operators.")
    ] = False,
    eigenpairs: Eigenpairs = None,
    quick: Quick = False,
    groups: Groups = None,
    column: Column = None,
    choice: OperatorChoice,
    nodes: WithNodes = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """The main job: collapse, cluster, compare, write a report.

    Compares with the graph Laplacian and prints a summary; with -o also writes nodes.csv, one row
    a node, and report.html, which needs nothing but a browser.

    \b
    cellapse analyze football -o out
    cellapse analyze network.gml -k 4 --json --nodes
    cellapse analyze network.gml --groups people.csv --column team
    cellapse analyze football --operator unfolded --eps 0.01 --quick
    """
    if choose and not choice.untouched:
        raise InputError(
            "--choose tries operators of its own; leave out --operator, --eps, --beta and --gamma"
        )
    study = Study(output, clusters, eigenpairs, quick, nodes, as_json, quiet, seed)
    with Steps(["reading", *STEPS, "report"], quiet or as_json) as step:
        step("reading")
        source = with_groups(choice.load(), groups, column)
        make = None if choice.untouched else choice.make
        study.run(source, step, _chosen(source, clusters, seed) if choose else make)


@app.command()
@grouped
def protein(
    name: ProteinName,
    output: Folder = None,
    clusters: Clusters = None,
    eigenpairs: Eigenpairs = None,
    quick: Quick = False,
    nodes: WithNodes = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """The same for a protein, shown in three dimensions.

    Residues are nodes, backbone and hydrogen bonds are edges, their triangles are cells.

    \b
    cellapse protein 1HEL -o lysozyme
    cellapse protein structure.cif -k 5 -o out
    """
    study = Study(output, clusters, eigenpairs, quick, nodes, as_json, quiet, seed)
    with Steps(["reading", *STEPS, "report"], quiet or as_json) as step:
        step("reading")
        study.run(load_protein(name), step)


@app.command()
@grouped
def explore(
    *,
    data: NetworkChoice,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    port: Annotated[int, typer.Option(help="Where it is served; 0 is any port that is free.")] = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Open a page with sliders for spectrum and clusters.

    They set eps, gamma, beta, the realization, and the numbers of eigenvectors and clusters. The
    page is served to this machine only, under an address nobody can guess; Ctrl-C ends it. From
    another machine it is reached through an SSH tunnel.

    \b
    cellapse explore football
    cellapse explore network.gml --no-browser --port 8123
    ssh -L 8123:127.0.0.1:8123 there     (then open the address here)
    """
    from cellapse.report.explorer import Explorer
    from cellapse.report.recipes import Origin
    from cellapse.report.server import Server
    from cellapse.report.server import explore as serve

    out = Out(None, as_json, quiet)
    with working("reading", "first answer", quiet=quiet or as_json) as step:
        step("reading")
        source = data.load()
        step("first answer")
        origin = Origin.of(data.network, data.max_rank, data.weight)
        server = Server(Explorer(source.complex, source.title, source.groups, origin), port)
    if "SSH_CONNECTION" in os.environ:
        tunnel = f"ssh -L {server.server_port}:127.0.0.1:{server.server_port}"
        out.say(f"To see it elsewhere: {tunnel} {escape(socket.gethostname())}")
    out.say("Ctrl-C ends the explorer at")
    # The address is the result, so it is printed even with --quiet.
    tell = out.json if as_json else lambda address: print(address["address"], flush=True)
    serve(server, lambda address: tell({"address": address}), browser)


@dataclass(frozen=True)
class Study:
    """What a study is to do, and where its results go."""

    folder: Path | None
    clusters: int | None
    eigenpairs: int | None
    quick: bool
    nodes: bool
    as_json: bool
    quiet: bool
    seed: int

    def run(self, source: Source, step: Steps, make: Make | None = None) -> None:
        """Analyze, write and summarize."""
        if self.folder is not None:  # before the work, not after it
            make_folder(self.folder)
        analysis = analyze(
            source.complex,
            self.clusters,
            self.seed,
            operator=DEFAULT if make is None else make,
            n_eigenpairs=self.eigenpairs,
            quick=self.quick,
            title=source.title,
            groups=source.groups,
            on_step=step,
        )
        written: list[Path] = []
        if self.folder is not None:
            step("report")
            written = _write(analysis, self.folder)
        out = Out(None, self.as_json, self.quiet)
        if self.as_json:
            nodes = {"nodes": _nodes(analysis)} if self.nodes else {}
            out.json(_facts(analysis) | nodes | {"files": [str(path) for path in written]})
        elif not self.quiet:
            _summary(analysis)
        for path, what in zip(written, ("one row per node", "open it in a browser"), strict=False):
            out.say(f"Wrote {escape(str(path))}: {what}.")


def _chosen(source: Source, clusters: int | None, seed: int) -> Make:
    """Return the operator with the most modular clusters, as a function of a complex."""
    K = source.complex
    count = clusters
    if count is None:
        known = source.groups
        count = suggest_n_clusters(K) if known is None else len({str(g) for g in known})
    best = choose_operator(K, count, rng=seed)
    return lambda part: family_member(part, best.name)


def _nodes(analysis: Analysis) -> dict[str, list[Any]]:
    """Return the columns of nodes.csv that are clusters."""
    columns = {
        "node": list(analysis.complex.labels),
        "cluster": analysis.chosen.numbers.tolist(),
        "cluster_collapsed": analysis.clusters[0].numbers.tolist(),
        "cluster_graph_laplacian": analysis.clusters[1].numbers.tolist(),
    }
    known = analysis.groups
    return columns if known is None else columns | {"known_group": [str(g) for g in known]}


def _write(analysis: Analysis, folder: Path) -> list[Path]:
    analysis.write_nodes(folder / "nodes.csv")
    return [folder / "nodes.csv", write_report(analysis, folder / "report.html")]


def _facts(analysis: Analysis) -> dict[str, Any]:
    agreement = analysis.agreement()
    return {
        "title": analysis.title,
        "cells": list(analysis.complex.n_cells),
        "operator": repr(analysis.collapsed),
        "clusters": analysis.n_clusters,
        "clusters by": analysis.chosen_by,
        "sizes": np.bincount(analysis.chosen.numbers).tolist(),
        "verdict": analysis.verdict.as_dict(),
        "accuracy": None if agreement is None else agreement[0],
        "accuracy of the graph Laplacian": None if agreement is None else agreement[1],
        "accuracy of the projection": analysis.projected(),
        "eigenvalues": analysis.spectra[0].values[:20].tolist(),
        "eigenvalues of the graph Laplacian": analysis.spectra[1].values[:20].tolist(),
        "distinguishable edges": None
        if analysis.doubt is None
        else int(analysis.doubt.distinguishable.sum()),
        "least trusted edges": [
            {"edge": list(pair), "trust": trust} for pair, trust in analysis.least_trusted(10)
        ],
        "theory holds": analysis.report.holds if analysis.report.checks else None,
    }


def _summary(analysis: Analysis) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{escape(analysis.title)}[/bold]  {cell_counts(analysis.complex)}")
    first, *rest = findings(analysis)
    console.print(f"\n[bold]Verdict[/bold]   {escape(first)}")
    for text in rest:
        console.print(f"          {escape(text)}")
    console.print(f"          {escape(operators_in_words(analysis))}")
    S = analysis.collapsed
    said = f"{S.realization}" if isinstance(S, CollapsedOperator) else repr(S)
    also = "" if analysis.asked else " (--operator unfolded is the paper's own)"
    console.print(f"[bold]Operator[/bold]  {escape(said)}{also}")
    if len(analysis.shares):
        console.print(f"          {edges_in_words(analysis)}")
    supported = analysis.trust.held and not (analysis.doubt and analysis.doubt.reason)
    for edge, trust in analysis.least_trusted(3 if supported else 0):
        console.print(f"          least trusted: {escape(' - '.join(edge))}, trust {trust:.2f}")
    columns = min(6, max(len(spectrum.values) for spectrum in analysis.spectra))
    table = Table("", *(f"{i}" for i in range(1, columns + 1)), box=None, padding=(0, 1))
    for name, spectrum in zip(("S", "L"), analysis.spectra, strict=True):
        table.add_row(f"lambda({name})", *(f"{v:.3g}" for v in spectrum.values[:6]))
    console.print("[bold]Spectrum[/bold]  smallest eigenvalues of S and of the graph Laplacian L")
    console.print(table)
    sizes = ", ".join(map(str, np.bincount(analysis.chosen.numbers).tolist()))
    by = analysis.chosen_by
    console.print(f"[bold]Clusters[/bold]  {analysis.n_clusters} by {by}, of sizes {sizes}")
    measured = [c for c in analysis.report.checks if c.holds is not None]
    if not analysis.report.checks:
        return
    holds = "all hold" if analysis.report.holds else "some FAIL; `cellapse collapse` shows which"
    counted = f"{len(measured)} statements of the paper measured"
    console.print(f"[bold]Theory[/bold]    {counted}: {holds}")
    if analysis.reweights:
        console.print(f"          S has {S.A.nnz:,} entries, as sparse as L")
