"""The arguments that many verbs share, each with its one sentence of help.

Those that go together are fields of a dataclass. A verb takes it as one argument, and `grouped`
shows its fields to typer one by one:

    @app.command()
    @grouped
    def embed(*, k: Vectors = 8, choice: OperatorChoice, out: Out) -> None: ...
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from cellapse import datasets
from cellapse._collapse.realizations import DEFAULT
from cellapse._complex.complex import Complex
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.hyperedges import is_hypergraph
from cellapse._operators.names import make_operator, operator_names
from cellapse._sources import Source, bundled_names, warn_of_weights
from cellapse.cli.progress import working
from cellapse.cli.reading import ReadingChoice
from cellapse.io._numbers import number, real


def _names(incomplete: str) -> list[str]:
    return [name for name in bundled_names() if name.startswith(incomplete)]


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
    str,
    typer.Option(
        help="Attribute of the cells that holds their weights; none for no weights. If left out, "
        "the one called weight counts, where a file has it.",
        show_default=False,
    ),
]
OperatorName = Annotated[
    str | None,
    typer.Option(
        "--operator",
        help=f"One of {', '.join(operator_names())}.",
        show_default=DEFAULT,
        autocompletion=complete_operator,
    ),
]
Eps = Annotated[float | None, typer.Option(help="Regularization of a collapse; 1e-4 if left out.")]
Beta = Annotated[
    str | None,
    typer.Option(help="Weight of the adjacency of a collapse: a number, or one per rank, 1,5."),
]
Gamma = Annotated[
    str | None,
    typer.Option(help="Coupling of a collapse: a number, one per rank, bound, or regularized."),
]
Target = Annotated[
    Path,
    typer.Argument(
        help="The file to write; its extension says how: .json (HIF) and .npz hold everything, "
        ".graphml, .csv, .tsv and .edges a graph, .off a mesh, .hyperedges a hypergraph.",
        show_default=False,
    ),
]
Column = Annotated[
    str | None,
    typer.Option(help="Of a table of nodes: the column that counts, by name or number."),
]
Groups = Annotated[
    str | None,
    typer.Option(help="Known groups of all nodes: a table, node,group; or an attribute of them."),
]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]


@dataclass(frozen=True)
class NetworkChoice(ReadingChoice):
    """Which network, and how it is read."""

    network: Network
    max_rank: MaxRank = 2
    weight: Weight = AUTO

    def load(self) -> Source:
        """Read the network."""
        source = self.source(self.network, self.max_rank, self.weight)
        if self.weight == AUTO:
            warn_of_weights(source.complex)
        return source


@dataclass(frozen=True)
class GraphChoice(ReadingChoice):
    """Which network, as the file has it: a graph is not lifted."""

    network: Network
    weight: Weight = AUTO

    def load(self) -> Source:
        """Read the network."""
        return self.source(self.network, 1, self.weight)


@dataclass(frozen=True)
class OperatorChoice(ReadingChoice):
    """Which operator, with which weights, on which network."""

    network: Network
    operator: OperatorName = None
    eps: Eps = None
    beta: Beta = None
    gamma: Gamma = None
    max_rank: MaxRank = 2
    weight: Weight = AUTO

    @property
    def name(self) -> str:
        """The operator that was asked for, or the usual one."""
        return DEFAULT if self.operator is None else self.operator

    @property
    def untouched(self) -> bool:
        """Whether the operator and its weights were left as they are by default."""
        chosen = (self.operator, self.eps, self.beta, self.gamma)
        return chosen == (type(self).operator, None, None, None)

    def load(self) -> Source:
        """Read the network."""
        source = self.source(self.network, self.max_rank, self.weight)
        if self.weight == AUTO:
            warn_of_weights(source.complex)
        return source

    def make(self, K: Complex) -> Operator:
        """Return the operator on a complex."""
        beta = None if self.beta is None else _numbers("--beta", self.beta)
        gamma: Any = self.gamma
        if gamma not in (None, "bound", "regularized"):
            gamma = _numbers("--gamma", gamma, "bound or regularized")
        return make_operator(K, self._named(K), beta=beta, gamma=gamma, eps=self.eps)

    def _named(self, K: Complex) -> str:
        return self.name

    @contextmanager
    def prepared(self, quiet: bool) -> Iterator[tuple[Source, Operator]]:
        """Yield the network and its operator; the block that follows is the step of computing."""
        with working("reading", "collapsing", "computing", quiet=quiet) as step:
            step("reading")
            source = self.load()
            step("collapsing")
            S = self.make(source.complex)
            step("computing")
            yield source, S


@dataclass(frozen=True)
class OfNetworkChoice(OperatorChoice):
    """The same for what is a figure of the network itself, unless an operator is named."""

    operator: Annotated[
        str | None,
        typer.Option(
            "--operator",
            help=f"One of {', '.join(operator_names())}.",
            show_default="laplacian; of a hypergraph projection",
            autocompletion=complete_operator,
        ),
    ] = None

    def _named(self, K: Complex) -> str:
        plain = "projection" if is_hypergraph(K) else "laplacian"
        return plain if self.operator is None else self.operator


def grouped(verb: Callable[..., None]) -> Callable[..., None]:
    """Return the verb with every argument that is a dataclass replaced by its fields.

    Numbers are those of files: `1_000` is none.
    """
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    shown: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(verb).parameters.items():
        if name in groups:
            types = get_type_hints(groups[name], include_extras=True)
            # How a file is read comes after what is done with it.
            ordered = sorted(fields(groups[name]), key=lambda field: bool(field.kw_only))
            shown += [_parameter(field, types[field.name]) for field in ordered]
        else:
            shown.append(parameter.replace(annotation=hints[name]))

    @functools.wraps(verb)
    def run(*named: Any, **given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        verb(*named, **given)

    shown = [p.replace(annotation=_as_in_files(p.annotation)) for p in shown]
    del run.__dict__["__wrapped__"]  # or typer would look at the verb behind it
    run.__dict__["__signature__"] = inspect.Signature(shown)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return run


def _as_in_files(annotation: Any) -> Any:
    """The annotation of an option whose number is read as in files: no 1_000, no other digits."""
    kind, *notes = get_args(annotation) or (annotation,)
    wanted = next((t for t in (int, float) if t in (kind, *get_args(kind))), None)
    if wanted is None or not notes:
        return annotation
    option = copy.copy(notes[0])
    option.metavar = option.metavar or {int: "INTEGER", float: "NUMBER"}[wanted]
    option.parser = functools.partial(_typed, wanted)
    return Annotated[kind, option]


def _typed(wanted: type[int] | type[float], word: Any) -> Any:
    """Return what was typed as a number; a default is one already."""
    if not isinstance(word, str):
        return word
    what = "whole number" if wanted is int else "number"
    try:
        return int(word) if wanted is int and number(word, what) is not None else real(word)
    except (InputError, ValueError):
        raise typer.BadParameter(f"{word!r:.40} is no {what}") from None


def _parameter(field: Field[Any], annotation: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _numbers(option: str, words: str, rule: str = "") -> float | list[float]:
    """Return a number, or several with commas between them."""
    try:
        numbers = [number(word.strip(), option) for word in words.split(",")]
    except InputError:
        also = f", {rule}" if rule else ""
        raise InputError(
            f"{option} {words}; give a number, one per rank with commas between them{also}"
        ) from None
    return numbers if len(numbers) > 1 else numbers[0]
