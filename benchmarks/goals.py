"""What we aimed at, beside what was measured: one row for each goal, from benchmarks/results/."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benchmarks.timing import RESULTS

Row = dict[str, Any]
Figure = Callable[[list[Row]], float]


class Goal(NamedTuple):
    """A figure of one of the results, and what it should be at most (or at least)."""

    work: str
    result: str
    figure: Figure
    goal: float
    unit: str = ""
    at_least: bool = False


def worst(column: str, **wanted: str) -> Figure:
    """The largest figure of a column among the rows whose values contain these words."""

    def figure(rows: list[Row]) -> float:
        chosen = [row for row in rows if all(word in str(row[k]) for k, word in wanted.items())]
        return max(float(re.sub("^>", "", str(row[column]))) for row in chosen)

    return figure


def next_to_laplacian(network: str, realization: str) -> Figure:
    return worst("ours / Laplacian", network=network, realization=realization)


def one_over(figure: Figure) -> Figure:
    return lambda rows: 1.0 / figure(rows)


SCIPY = one_over(worst("SciPy / Laplacian", network="block model, 3,000"))
READER = one_over(worst("ratio (above 1: cellapse is quicker)", file="graph.mtx"))
PAPER = worst("paper's / ours", realization="unfolded")
SIZES = worst("ours / SciPy's Laplacian", realization="unfolded")
MILLION = worst("ours / Laplacian", realization="unfolded")
LARGE = worst("ours / Laplacian", kind="watts_strogatz", n_cells="(100000,")
HEAT = worst("seconds", graph="random", operator="unfolded", method="heat")
GROUP = "block model, 1,100"

GOALS = [
    Goal("paper's method / unfolded, 3,000", "runtime_largest", PAPER, 150, "", at_least=True),
    Goal("unfolded / SciPy's eigsh on L, the paper's ten sizes", "runtime", SIZES, 5),
    Goal("our Laplacian, nothing missed / SciPy's, block model, 3,000", "speed", SCIPY, 1.2),
    *(
        Goal(f"{name} / Laplacian, {mesh}", "speed", next_to_laplacian(mesh, name), goal)
        for mesh in ("mesh, 10,000", "mesh, 100,000")
        for name, goal in (("unfolded", 2.2), ("screened", 1.0), ("mixed", 8.0))
    ),
    Goal("unfolded / Laplacian, mesh, 1,000,000", "scale_1000000", MILLION, 2.2),
    *(
        Goal(f"unfolded / Laplacian, {name}", "speed", next_to_laplacian(name, "unfolded"), goal)
        for name, goal in (("Holme-Kim, 20,000", 2), ("LFR, 20,000", 2), ("small world, 50,000", 5))
    ),
    Goal("unfolded / Laplacian, small world, 100,000", "scale", LARGE, 5),
    Goal(
        "collapse alone, Barabasi-Albert, 40,000",
        "speed",
        worst("collapse alone [s]", network="Barabasi"),
        5,
        "s",
    ),
    Goal(
        "Laplacian, Holme-Kim, 50,000",
        "speed",
        worst("Laplacian [s]", network="Holme-Kim, 50,000"),
        15,
        "s",
    ),
    Goal(f"Laplacian, {GROUP}", "speed", worst("Laplacian [s]", network=GROUP), 0.015, "s"),
    *(
        Goal(f"{r}, {GROUP}", "speed", worst("ours [s]", network=GROUP, realization=r), goal, "s")
        for r, goal in (("unfolded", 0.055), ("mixed", 0.2))
    ),
    Goal("one graph of 20 vertices", "small", worst("ms", work="one graph of 20"), 0.5, "ms"),
    Goal(
        "PyG transform, graph by graph",
        "torch_preprocessing",
        worst("ms a graph", encoding="unfolded", way="alone"),
        1,
        "ms",
    ),
    *(
        Goal(f"explorer, {r}", "explorer", worst("weights_ms", realization=r), 200, "ms")
        for r in ("incidence", "mixed")
    ),
    Goal("analyze, mesh, 100,000", "analyze", worst("seconds", network="mesh"), 20, "s"),
    Goal("analyze, power law, 25,000", "analyze", worst("seconds", network="power law"), 60, "s"),
    Goal("heat, unfolded, 32 signals, random graph, 100,000", "smooth", HEAT, 8, "s"),
    Goal("our reader / SciPy's, Matrix Market", "files", READER, 2),
    Goal("import, first use", "small", worst("ms", work="import collapse"), 450, "ms"),
    Goal("cellapse --help", "small", worst("ms", work="--help"), 600, "ms"),
]


def rows() -> Iterator[Row]:
    """One row for each goal."""
    for goal in GOALS:
        figure = goal.figure(json.loads((RESULTS / f"{goal.result}.json").read_text()))
        reached = figure >= goal.goal if goal.at_least else figure <= goal.goal
        unit = f" {goal.unit}".rstrip()
        yield {
            "work": goal.work,
            "goal": f"at {'least' if goal.at_least else 'most'} {goal.goal:g}{unit}",
            "measured": f"{figure:.3g}{unit}" if figure < 10 else f"{figure:.0f}{unit}",
            "reached": "yes" if reached else "no",
            "table": goal.result,
        }
