"""The verb lift: a graph or points as a complex, by any of the lifts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer

from cellapse import lifts
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray
from cellapse._sources import exists
from cellapse.cli.app import app
from cellapse.cli.options import NetworkChoice, Target, grouped
from cellapse.cli.output import AsJson, Out, Quiet
from cellapse.cli.progress import working
from cellapse.io import write
from cellapse.io.point_tables import EXTENSIONS, is_point_table, read_points


@dataclass(frozen=True)
class Sizes:
    """The numbers that lifts take; each is an option."""

    max_length: Annotated[
        int | None, typer.Option(help="Of cycles: the most edges of one; no limit if left out.")
    ] = None
    hops: Annotated[int, typer.Option(help="Of neighbourhoods: how many steps away.")] = 1
    neighbours: Annotated[
        int | None,
        typer.Option(help="Of nearest: how many each point has; 10, or all others, if left out."),
    ] = None
    distance: Annotated[
        float | None, typer.Option(help="Of rips: the largest distance within a cell.")
    ] = None
    radius: Annotated[
        float | None, typer.Option(help="Of alpha: the largest radius; no limit if left out.")
    ] = None


def _cycles(kind: str) -> Callable[[Complex, Sizes, int], Complex]:
    return lambda K, by, _: lifts.cycle_complex(K, cycles=kind, max_length=by.max_length)


def _rips(x: FloatArray, by: Sizes, rank: int) -> Complex:
    if by.distance is None:
        raise InputError("--how rips needs --distance, the largest distance within a cell")
    return lifts.rips_complex(x, by.distance, rank)


def _nearest(x: FloatArray, by: Sizes, rank: int) -> Complex:
    usual = max(1, min(10, len(x) - 1))
    count = usual if by.neighbours is None else by.neighbours
    return lifts.nearest_neighbour_complex(x, count, rank)


# Lifts of a graph: from its vertices and edges, the options and --max-rank.
GRAPHS: dict[str, Callable[[Complex, Sizes, int], Complex]] = {
    "cliques": lambda K, by, rank: lifts.clique_complex(K, rank),
    "maximal-cliques": lambda K, by, _: lifts.maximal_clique_complex(K),
    "cycles": _cycles("minimum"),
    "chordless-cycles": _cycles("chordless"),
    "neighbourhoods": lambda K, by, _: lifts.neighbourhood_complex(K, by.hops),
}
# Lifts of points: from their coordinates.
POINTS: dict[str, Callable[[FloatArray, Sizes, int], Complex]] = {
    "nearest": _nearest,
    "rips": _rips,
    "alpha": lambda x, by, _: lifts.alpha_complex(x, by.radius),
}


@app.command()
@grouped
def lift(
    *,
    data: NetworkChoice,
    target: Target,
    how: Annotated[
        str, typer.Option(help=f"{', '.join(GRAPHS)}; of points {', '.join(POINTS)}.")
    ] = "cliques",
    by: Sizes,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Lift a graph or points to a complex and write that.

    Points are a table of coordinates (.csv, .tsv, .txt, .npy; --columns x,y says which), or the
    vertices of a mesh. Hyperedges, meshes, molecules and proteins are lifted as their files are
    read.

    \b
    cellapse lift football football.json --max-rank 3
    cellapse lift network.gml rings.json --how cycles --max-length 6
    cellapse lift points.csv points.json --how rips --distance 0.5
    """
    if how not in (*GRAPHS, *POINTS):
        raise InputError(f"--how {how}; choose one of {', '.join((*GRAPHS, *POINTS))}")
    with working("reading and lifting", "writing", quiet=quiet or as_json) as step:
        step("reading and lifting")
        if how in POINTS:
            K = POINTS[how](_points(data), by, data.max_rank)
        elif how == "cliques":
            K = data.load().complex
        else:
            graph = data.load().complex
            K = GRAPHS[how](graph.skeleton(min(1, graph.max_rank)), by, data.max_rank)
        step("writing")
        write(K, target)
    Out(None, as_json, quiet).written(target, K)


def _points(data: NetworkChoice) -> FloatArray:
    """Return the coordinates in a table of numbers, or of the vertices of a file."""
    if is_point_table(data.network) and exists(data.network) and data.format is None:
        if data.weight != NetworkChoice.weight:  # the default
            raise InputError(f"weight={data.weight!r} means nothing to points; leave it out")
        return read_points(data.network, data.options())
    K: Any = data.load().complex
    position = K.attributes[0].get("position") if K.attributes else None
    if position is None:
        raise InputError(
            f"{data.network} has no coordinates; give a table of numbers ({', '.join(EXTENSIONS)}) "
            "or a mesh, or a lift of graphs: " + ", ".join(GRAPHS)
        )
    return np.asarray(position, dtype=np.float64)
