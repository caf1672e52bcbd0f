"""Files in and out: `read` takes any of the formats below, `write` those that hold all of it."""

from __future__ import annotations

import gzip
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from cellapse._complex.complex import Complex
from cellapse._complex.simple import Rules
from cellapse._complex.weights import AUTO, weighted_by
from cellapse._errors import CellapseError, CellapseWarning, InputError
from cellapse._shared.checks import file_path, word
from cellapse._shared.files import shown, write_whole
from cellapse._shared.memory import Fitting
from cellapse._shared.names import showing
from cellapse._shared.notes import listening
from cellapse.interop.reading import as_complex
from cellapse.io._formats import BY_EXTENSION, FORMATS, WRITERS, Format
from cellapse.io._hif_records import hif_schema
from cellapse.io._options import Options, options_of
from cellapse.io._same import require_same
from cellapse.io._source import (
    is_packed,
    reading,
    reading_file,
    refuse_no_file,
    stream_bytes,
    unpacked,
)
from cellapse.io._understood import Understood
from cellapse.io.simplices import PARTS, with_parts

__all__ = ["FORMATS", "Understood", "hif_schema", "read", "understand", "write"]
__dir__ = showing(__all__)

# What other libraries read, by its extension.
_ELSEWHERE = {
    "npy": "numpy.load(path)",
    "pt": "what torch.load(path) gives",
    "xlsx": "pandas.read_excel(path)",
    "parquet": "pandas.read_parquet(path)",
    "feather": "pandas.read_feather(path)",
    "leda": "networkx.read_leda(path)",
    "inp": "meshio.read(path)",
    "xdmf": "meshio.read(path)",
    "vtp": "pyvista.read(path)",
}
_OF_OBJECTS = ("weight", "ranks", "directed", "loops", "repeats")


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    weight: str | None = AUTO,
    columns: Sequence[str | int] | None = None,
    sep: str | None = None,
    header: bool | None = None,
    window: tuple[float, float] | None = None,
    directed: str = "refuse",
    loops: str = "drop",
    repeats: str | None = None,
    max_memory: int | None = None,
) -> Complex:
    r"""Read a complex, graph, hypergraph, mesh, protein or molecule from a file.

    The extension decides how, also before `.gz`; JSON is read by what it holds. A graph is
    a complex of rank 1, which `clique_complex` lifts; what is known of its nodes and edges are
    attributes. Whatever is wrong with a file is a `CellapseError`, and what is left out a warning.
    `understand` takes the same arguments and says how the file was read.

    Parameters
    ----------
    path : path of the file
    format : str, optional
        One of `cellapse.io.FORMATS`, when the extension does not say.
    weight : str or None
        By default an attribute of edges and cells called "weight" counts, unless it is one
        everywhere, and so do the weights that HIF and NPZ files hold as such. Another name has to
        be there and counts at every rank that has it; None: nothing is weighted.
    columns : sequence of str or int, optional
        Of a table: the columns of the two ends, then those to keep, by name or counted from 1.
    sep : str, optional
        Of a table: what separates the columns, such as ";" (spaces: " ").
    header : bool, optional
        Of a table: whether its first line has the names of the columns.
    window : (start, end), optional
        Of a table with a column of times: only rows from `start` up to, not including, `end`.
    directed : {"refuse", "ignore"}
        What to do with directed graphs: cells have no direction.
    loops : {"drop", "keep", "refuse"}
        What to do with self-loops: leave them out with a note, make them the vertex attribute
        `loop`, or raise.
    repeats : {None, "count", "sum", "first"}
        What to do with several edges between two vertices: by default those with the same data
        count once, and others are refused. "count" makes them one edge with the attribute
        `multiplicity`, "sum" adds up their numbers besides, "first" takes the first.
    max_memory : int, optional
        Bytes of memory that reading may take; what would need more is a `SizeError`. By default
        1 GB or 500 times the size of the file (2,000 times that of a gzip), whichever is more.

    Returns
    -------
    Complex

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "net.csv"
    >>> _ = path.write_text("source,target,strength\na,b,2\nb,c,1\na,c,3\n")
    >>> read(path)
    Complex(n_cells=(3, 3))
    >>> read(path, weight="strength").weights[1].tolist()
    [2.0, 1.0, 3.0]
    >>> from cellapse import clique_complex
    >>> clique_complex(read(path))
    Complex(n_cells=(3, 3, 1))
    """
    rules = Rules(directed, loops, repeats)
    options = options_of(columns, sep, header, window, weight, rules)
    result = understand_file(path, options, format, max_memory)
    for text in result.losses:
        warnings.warn(f"{shown(file_path(path))}: {text}", CellapseWarning, stacklevel=2)
    return result.complex


def understand(source: Any, **options: Any) -> Understood:
    """Say how a file or an object is understood: what was decided, what was left out.

    Parameters
    ----------
    source : path of a file, or an object
    **options : as of `read` for a file, as of `as_complex` for an object

    Returns
    -------
    Understood

    Examples
    --------
    >>> understand([("a", "b"), ("b", "c"), ("b", "a")]).facts
    ('1 repeated edges are counted once',)
    """
    if not isinstance(source, str | os.PathLike):
        with listening() as notes:
            K = as_complex(source, **options)
        facts, losses = tuple(notes.facts), tuple(notes.losses)
        return Understood(K, type(source).__name__, facts, losses, _OF_OBJECTS)
    rules = Rules(*(options.pop(n, d) for n, d in vars(Rules()).items()))
    format_, limit = options.pop("format", None), options.pop("max_memory", None)
    return understand_file(source, options_of(**options, rules=rules), format_, limit)


def understand_file(
    path: str | os.PathLike[str], options: Options, name: str | None, max_memory: int | None = None
) -> Understood:
    """`understand` for a file, with the options in one object."""
    file = file_path(path)
    name = _format(file, name)
    with reading_file(file, FORMATS[name].growth, max_memory) as data:
        return _understood(with_parts(file, data) if name == "simplices" else data, name, options)


def understand_stream(
    stream: BinaryIO, title: str, options: Options, name: str | None = None
) -> Understood:
    """Return what comes through a pipe: JSON, or a list of edges; `title` is for messages."""
    with reading(title, 0):
        data = stream_bytes(stream, FORMATS["edges"].growth)
        if name is None:
            name = "json" if data.lstrip()[:1] in (b"{", b"[") else "edges"
    with reading(title, len(data), packed=is_packed(data)):
        return _understood(unpacked(data, FORMATS[name].growth), name, options)


def _understood(data: bytes, name: str, options: Options) -> Understood:
    chosen = FORMATS[name]
    options.check(name, chosen.takes)
    with listening() as notes:
        K = _parsed(data, chosen, options)
    if options.weight not in (None, AUTO):
        notes.facts.append(f"the attribute {options.weight!r} as weights")
    taken = ("format", "weight", *chosen.takes)
    return Understood(K, name, tuple(notes.facts), tuple(notes.losses), taken)


def _parsed(data: bytes, chosen: Format, options: Options) -> Complex:
    K = chosen.read(data, options) if chosen.takes else chosen.read(data)
    return K if chosen.weighs else weighted_by(K, options.weight)


def _extension(file: Path) -> str:
    return Path(file.name.lower().removesuffix(".gz")).suffix[1:]


def _by_name(file: Path) -> str:
    """Return the format that the name of a file implies, by its beginning or its end."""
    if file.name.endswith(PARTS):
        return "simplices"
    # KONECT's are called out.<network>, but out.json is what it says.
    konect = "konect" if file.name.startswith("out.") else ""
    return BY_EXTENSION.get(_extension(file), konect)


def _format(file: Path, given: str | None) -> str:
    name = _by_name(file) if given is None else word("format", given)
    if name not in FORMATS:
        with reading(shown(file), 0), suppress(OSError):  # of one without permission
            if file.exists() or (given is None and not _extension(file)):
                refuse_no_file(file)
        if given is None and _extension(file) in _ELSEWHERE:
            way = _ELSEWHERE[_extension(file)]
            raise InputError(f"{shown(file)}: is not read here; pass {way} to cellapse.as_complex")
        what = f"format={given!r}" if given is not None else f"extension {_extension(file)!r}"
        raise InputError(
            f"{shown(file)}: nothing reads {what}; "
            f"pass format=, one of {', '.join(map(repr, FORMATS))}"
        )
    return name


@Fitting("what is written", "write .npz, which takes the least")
def write(obj: Any, path: str | os.PathLike[str], *, on: Complex | None = None) -> None:
    """Write a complex or a result; the extension decides how, and `.gz` behind it packs the file.

    Parameters
    ----------
    obj : Complex, Spectrum, Clusters, array, or dict of named columns
        A complex goes to `.json` (HIF) or `.npz` without loss; a graph also to `.graphml`, `.csv`,
        `.tsv` or `.edges`, a mesh to `.off`, the members of hyperedges to `.hyperedges`.
        A result has one row per vertex and goes to `.csv`, `.json`, `.npz` or `.graphml`; CSV and
        GraphML hold the vectors of a spectrum, the other two its values and residuals as well.
        What would not read back the same, such as the label '1' in a table, is refused.
    path : path of the file
    on : Complex, optional
        The complex that a result belongs to: needed for arrays, which have no labels, and for
        GraphML, which has edges, too.

    Returns
    -------
    None

    Examples
    --------
    >>> import tempfile
    >>> K = Complex.from_cells({1: [("a", "b"), ("b", "c")]})
    >>> folder = Path(tempfile.mkdtemp())
    >>> write(K, folder / "net.json.gz")
    >>> read(folder / "net.json.gz").labels
    ('a', 'b', 'c')
    >>> write({"group": [0, 0, 1]}, folder / "groups.csv", on=K)
    """
    file = file_path(path)
    try:
        data = _encoded(obj, _extension(file), on)
        writer = WRITERS.get(_extension(file))
        if isinstance(obj, Complex) and writer is not None and writer.reader:
            require_same(obj, data, writer.read, writer.kind)
    except CellapseError as error:
        raise type(error)(f"{shown(file)}: {error}") from None
    if file.name.lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # without a date: the same content, the same file
    write_whole(file, data)


def _encoded(obj: Any, extension: str, on: Complex | None) -> bytes:
    writers: Mapping[str, Callable[[], bytes]]
    if isinstance(obj, Complex):
        if on is not None:
            raise InputError("on= is for results; a complex stands for itself")
        writers = {e: partial(writer.write, obj) for e, writer in WRITERS.items()}
    else:
        from cellapse.io.results import as_table  # of spectra and clusters, which readers need not

        table = as_table(obj, on)
        writers = {"csv": table.to_csv, "json": table.to_json, "npz": table.to_npz}
        if on is not None:
            writers = {**writers, "graphml": lambda: table.to_graphml(on)}
        elif extension == "graphml":
            raise InputError("GraphML has edges, too; pass on=K, the complex of the result")
    if extension not in writers:
        what = "a complex" if isinstance(obj, Complex) else "a result"
        raise InputError(
            f"the extension {extension!r} holds no {what[2:]}; write {what} to one of "
            f"{', '.join('.' + e for e in writers)}"
        )
    return writers[extension]()
