"""The verb demo: a network whose false edges are known, and what finds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from cellapse._complex.complex import Complex
from cellapse._operators.names import make_operator
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse._shared.files import make_folder
from cellapse.analysis import STEPS, Analysis, analyze
from cellapse.cli.app import app
from cellapse.cli.console import Console
from cellapse.cli.options import grouped
from cellapse.cli.output import AsJson, Out, Quiet
from cellapse.cli.progress import Steps
from cellapse.datasets.bundled import load
from cellapse.lifts.cliques import clique_complex
from cellapse.report.page import write_report
from cellapse.tasks.false_edges import Doubt, likely_false
from cellapse.tasks.labels import spread_labels

# Of the five bundled networks the one with the median gain in labels: .011, .070, .100, .132, .140.
NETWORK, PERCENT, KIND = "dolphins", 50, "uniform"
_DRAWS = 10  # of the labels that are known
_BAR = 30


@dataclass(frozen=True, eq=False)
class Findings:
    """What the demo measures: areas under the curve, edges doubted, labels spread."""

    title: str
    real: int
    false: int
    areas: dict[str, float]
    among_lowest: dict[str, int]
    doubted: int
    caught: int
    real_said: float | None
    real_is: float | None
    labels: dict[str, float]

    def sentences(self) -> list[str]:
        """Return the figures in words."""
        best = max((n for n in self.areas if n != "trust"), key=lambda n: self.areas[n])
        doubt = "No edge is doubted."
        if self.real_said is not None and self.real_is is not None:
            doubt = (
                f"Given that a third are false, it doubts {self.doubted} edges and expects "
                f"{100 * self.real_said:.0f} % of them to be real ({100 * self.real_is:.0f} % "
                f"are); {self.caught} of the false ones are among them. Model of errors: false "
                "edges are like random pairs drawn by degree."
            )
        return [
            f"{self.false} of these {self.real + self.false} edges are false: random pairs, added "
            "on purpose.",
            f"Of the {self.false} edges of least trust {self.among_lowest['trust']} are false "
            f"({best}, the best of ten classical scores: {self.among_lowest[best]}).",
            doubt,
            f"Three labels a group, spread over S, give {100 * self.labels['renormalized']:.1f} % "
            f"of the others; over L {100 * self.labels['laplacian']:.1f} %.",
        ]


@app.command()
@grouped
def demo(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for nodes.csv, edges.csv, report.html."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """What the collapse is good for, on a network with false edges.

    Half as many random pairs as there are edges are added to a bundled network; the trust of edges
    and ten classical scores look for them.

    \b
    cellapse demo -o out
    """
    if output is not None:
        make_folder(output)
    steps = ["reading", "scores", "labels", *STEPS, "report"]
    with Steps(steps, quiet or as_json) as step:
        step("reading")
        data = load(NETWORK)
        K, true, _, said = measured(step)
        title = f"{data.title}, with {said.false} false edges"
        groups = [data.group_names[g] for g in data.groups]
        analysis = analyze(K, title=title, groups=groups, on_step=step)
        written: list[Path] = []
        if output is not None:
            step("report")
            written = _write(analysis, output, true, said)
    out = Out(None, as_json, quiet)
    if as_json:
        out.json(vars(said) | {"files": [str(path) for path in written]})
    elif not quiet:
        _show(said)
    for path in written:
        out.say(f"Wrote {path}.")


def measured(
    step: Callable[[str], object] = lambda name: None,
) -> tuple[Complex, BoolArray, FloatArray, Findings]:
    """Return the network, which of its edges are true, their trust, and all figures."""
    data = load(NETWORK)
    K, noisy, true = _with_false_edges()
    step("scores")
    share = float((~true).mean())
    scores = _scores(K, noisy)
    doubt = likely_false(K, false_share=share, evidence="cells", decoys="degree")
    step("labels")
    labels = _labels(K, np.asarray(data.groups))
    return K, true, scores["trust"], _findings(data.title, scores, true, doubt, labels)


def _write(analysis: Analysis, folder: Path, true: BoolArray, said: Findings) -> list[Path]:
    assert analysis.doubt is not None  # the cells are cliques
    nodes, edges, page = (folder / name for name in ("nodes.csv", "edges.csv", "report.html"))
    analysis.write_nodes(nodes)
    Out(edges, False, True).table({**analysis.doubt.columns(), "false": ~true}, {})
    return [nodes, edges, write_report(analysis, page, remarks=said.sentences())]


def _with_false_edges() -> tuple[Complex, Any, BoolArray]:
    """The complex of the network with false edges, its adjacency, and which edges are true."""
    from cellapse.experiments.protocol.noise import draw, true_edges, with_false_edges

    A, _ = draw(NETWORK, 0)
    noisy = with_false_edges(A, PERCENT, KIND, 0)
    K = clique_complex(noisy)
    labels = tuple(load(NETWORK).graph)
    K = Complex(labels, K.cells, K.weights, K.attributes)
    return K, noisy, true_edges(A, K.cells[1].as_array())


def _scores(K: Complex, noisy: Any) -> dict[str, FloatArray]:
    from cellapse.experiments.protocol.noise import classical_scores
    from cellapse.tasks.trust import edge_trust

    return {"trust": edge_trust(K).values} | classical_scores(noisy, K.cells[1].as_array())


def _labels(K: Complex, groups: Any) -> dict[str, float]:
    """Return the share of the other vertices that get their group from three labels a group."""
    from cellapse.experiments.protocol.labels import few_labels

    shares = {}
    for name in ("renormalized", "laplacian"):
        S = make_operator(K, name)
        right = []
        for seed in range(_DRAWS):
            known = few_labels(groups, seed)
            right.append((spread_labels(S, known).numbers == groups)[known < 0].mean())
        shares[name] = float(np.mean(right))
    return shares


def _findings(
    title: str,
    scores: dict[str, FloatArray],
    true: BoolArray,
    doubt: Doubt,
    labels: dict[str, float],
) -> Findings:
    from cellapse.experiments.protocol.noise import auc

    false = int((~true).sum())
    lowest = {n: np.argsort(x, kind="stable")[:false] for n, x in scores.items()}
    areas = {name: auc(x, true) for name, x in scores.items()}
    return Findings(
        title,
        int(true.sum()),
        false,
        dict(sorted(areas.items(), key=lambda pair: -pair[1])),
        {name: int((~true)[at].sum()) for name, at in lowest.items()},
        int(doubt.doubted.sum()),
        int((~true)[doubt.doubted].sum()),
        doubt.wrong,
        float(true[doubt.doubted].mean()) if doubt.doubted.any() else None,
        labels,
    )


def _show(said: Findings) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{said.title}[/bold], {said.real} edges and {said.false} false ones\n")
    table = Table("what finds the false edges", "area", "", "found", box=None, padding=(0, 1))
    for name, area in said.areas.items():
        bar = "█" * round(_BAR * max(2.0 * area - 1.0, 0.0))
        style = "bold" if name == "trust" else ""
        table.add_row(name, f"{area:.3f}", bar, str(said.among_lowest[name]), style=style)
    console.print(table)
    console.print(
        "area: under the curve, 1 finds all and 0.5 is chance; found: so many of the "
        f"{said.false} edges of lowest score are false.\n"
        "`cellapse reproduce trust spread` does the same for nine networks.\n"
    )
    for text in said.sentences()[1:]:
        console.print(text)
