"""The command line: verbs over the library, one sentence and a remedy where something is wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from cellapse import datasets
from cellapse._errors import CellapseError, InputError
from cellapse.analysis import Analysis, analyze
from cellapse.lifts import clique_complex
from cellapse.tasks.cluster import clustering_accuracy

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, add_completion=True)
console = Console(highlight=False, soft_wrap=True)

Name = Annotated[str, typer.Argument(help="Name of a bundled network; see `cellapse datasets`.")]


@app.callback()
def cellapse() -> None:
    """Collapse the higher-order cells of a network onto its nodes."""


@app.command("datasets")
def list_datasets() -> None:
    """List the bundled networks."""
    table = Table("name", "nodes", "edges", "groups", "title", box=None)
    for name in datasets.available():
        d = datasets.load(name)
        counts = (len(d.graph), d.graph.number_of_edges(), len(d.group_names))
        table.add_row(name, *map(str, counts), d.title)
    console.print(table)


@app.command()
def info(name: Name) -> None:
    """Say what a network is and where it comes from."""
    console.print(str(datasets.load(name)))


@app.command("analyze")
def analyze_network(
    name: Name,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for nodes.csv.")
    ] = None,
    clusters: Annotated[
        int | None, typer.Option("--clusters", "-k", help="Number of clusters.")
    ] = None,
    max_rank: Annotated[int, typer.Option(help="Largest rank of the cliques lifted.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of the clustering.")] = 0,
) -> None:
    """Lift, collapse, cluster and compare with the graph Laplacian: the main job in one go.

    Example: cellapse analyze football -o out
    """
    data = datasets.load(name)
    K = clique_complex(data.graph, max_rank)
    k = len(data.group_names) if clusters is None else clusters
    found = analyze(K, k, seed)
    _summary(f"{data.title}", found, data.groups)
    if output is not None:
        try:
            output.mkdir(parents=True, exist_ok=True)
            found.write_nodes(output / "nodes.csv")
        except OSError as error:
            raise InputError(f"cannot write to {output} ({error}); choose another folder") from None
        console.print(f"\nWrote {output / 'nodes.csv'}: one row a node, with its cluster.")


def _summary(title: str, found: Analysis, groups: np.ndarray) -> None:
    K, S = found.complex, found.collapsed
    names = {0: "vertices", 1: "edges", 2: "triangles", 3: "tetrahedra"}
    cells = ", ".join(f"{n} {names.get(k, f'cells of rank {k}')}" for k, n in enumerate(K.n_cells))
    console.print(f"[bold]{title}[/bold]")
    console.print(f"\n[bold]Lift[/bold]      {cells}; {K.components().max() + 1} component(s)")
    console.print(
        "[bold]Collapse[/bold]  screened, renormalized 5 times (the all-round default; "
        "the paper's own is collapse(K))"
    )
    lost = 100 * (1 - found.shares)
    console.print(
        f"          edges lose {lost.min():.0f} to {lost.max():.0f} % of their weight, "
        "the less the more cells hold them"
    )
    for edge, share in found.weakest_edges(3):
        console.print(f"          weakest: {' - '.join(edge)} keeps {100 * share:.0f} %")
    table = Table("", *(f"{i}" for i in range(1, 7)), box=None, padding=(0, 1))
    for name, spectrum in zip(("S", "L"), found.spectra, strict=True):
        table.add_row(f"lambda({name})", *(f"{v:.3f}" for v in spectrum.values[:6]))
    console.print("[bold]Spectrum[/bold]  smallest eigenvalues of S and of the graph Laplacian L")
    console.print(table)
    accuracy = [clustering_accuracy(c, groups) for c in found.clusters]
    sizes = ", ".join(map(str, np.bincount(found.clusters[0].numbers).tolist()))
    console.print(f"[bold]Clusters[/bold]  {found.clusters[0].numbers.max() + 1} of sizes {sizes}")
    console.print(
        f"          {100 * accuracy[0]:.1f} % of the nodes agree with the known groups "
        f"(graph Laplacian: {100 * accuracy[1]:.1f} %)"
    )
    measured = [c for c in found.report.checks if c.holds is not None]
    verdict = "all hold" if found.report.holds else "some FAIL, see theory.check(S)"
    counted = f"{len(measured)} statements of the paper measured"
    console.print(f"[bold]Theory[/bold]    {counted}: {verdict}")
    console.print(f"          S is {S.tocsr().nnz} entries, as sparse as L")


def main() -> None:
    """Run the command line; user errors are one line on standard error and exit code 2."""
    try:
        app()
    except CellapseError as error:
        Console(stderr=True, highlight=False).print(f"[red]error:[/red] {error}")
        sys.exit(2)
