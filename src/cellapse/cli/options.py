"""The arguments that many verbs share, each with its one sentence of help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cellapse import datasets
from cellapse._operators.names import operator_names
from cellapse.cli.sources import names


def _names(incomplete: str) -> list[str]:
    return [name for name in names() if name.startswith(incomplete)]


def complete_operator(incomplete: str) -> list[str]:
    return [name for name in operator_names() if name.startswith(incomplete)]


def _proteins(incomplete: str) -> list[str]:
    return [n for n in datasets.available_proteins() if n.startswith(incomplete.upper())]


Network = Annotated[
    str,
    typer.Argument(
        help="A file (GML, GraphML, CSV, JSON, NPZ, MTX, OFF, OBJ, PLY, PDB, SMILES, ...), - "
        "for edges from standard input, or a bundled network or protein, see `cellapse datasets`.",
        autocompletion=_names,
        show_default=False,
    ),
]
ProteinName = Annotated[
    str,
    typer.Argument(
        help="A PDB or mmCIF file, or a bundled protein such as 1HEL.",
        autocompletion=_proteins,
        show_default=False,
    ),
]
MaxRank = Annotated[
    int, typer.Option(help="Lift a graph to its cliques up to this rank; 1 leaves it a graph.")
]
Weight = Annotated[
    str | None, typer.Option(help="Attribute of the file's cells that holds their weights.")
]
OperatorName = Annotated[
    str,
    typer.Option(
        "--operator",
        help=f"One of {', '.join(operator_names())}.",
        autocompletion=complete_operator,
    ),
]
Eps = Annotated[float | None, typer.Option(help="Regularization of a collapse; 1e-4 if left out.")]
Beta = Annotated[float | None, typer.Option(help="Weight of the adjacency of a collapse.")]
Gamma = Annotated[
    str | None,
    typer.Option(help="Coupling of a collapse: a number, bound, or regularized."),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write a .csv, .json or .npz file.")
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Write JSON to standard output, and nothing else.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
