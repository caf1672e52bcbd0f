"""Files in and out: `read` takes any of the formats below, `write` those that hold all of it."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from cellapse._complex.complex import Complex
from cellapse._complex.weights import weighted_by
from cellapse._errors import CellapseError, InputError
from cellapse._shared.checks import file_path, word
from cellapse._shared.files import shown, write_whole
from cellapse._shared.names import showing
from cellapse.io._hif_records import hif_schema
from cellapse.io._same import require_same
from cellapse.io._source import is_packed, reading, reading_file, stream_bytes, unpacked
from cellapse.io.edges import read_edges, write_edges
from cellapse.io.gml import read_gml
from cellapse.io.graphml import read_graphml, write_graphml
from cellapse.io.hyperedges import read_hyperedges, write_hyperedges
from cellapse.io.json_files import read_json, write_hif
from cellapse.io.matrix_market import read_matrix_market
from cellapse.io.meshes import read_obj, read_off, write_off
from cellapse.io.molecules import read_sdf, read_smiles
from cellapse.io.npz import read_npz, write_npz
from cellapse.io.ply import read_ply
from cellapse.io.results import as_table
from cellapse.io.structures import read_mmcif, read_pdb

__all__ = ["FORMATS", "hif_schema", "read", "write"]
__dir__ = showing(__all__)


class Format(NamedTuple):
    """How a format is read, how much memory a byte of it takes, and its extensions."""

    read: Callable[..., Complex]
    growth: int
    extensions: tuple[str, ...]
    weighs: bool = False  # takes `weight` itself: pairs within hyperedges get sums of weights


FORMATS: Mapping[str, Format] = {
    "edges": Format(read_edges, 100, ("edges", "edgelist", "csv", "tsv", "txt", "dat")),
    "hyperedges": Format(read_hyperedges, 100, ("hyperedges", "hyperedgelist")),
    "gml": Format(read_gml, 100, ("gml",)),
    "graphml": Format(read_graphml, 50, ("graphml", "xml")),
    "json": Format(read_json, 50, ("json", "hif"), weighs=True),
    "matrix market": Format(read_matrix_market, 100, ("mtx", "mm")),
    "npz": Format(read_npz, 4, ("npz",)),
    "off": Format(read_off, 50, ("off",)),
    "obj": Format(read_obj, 50, ("obj",)),
    "ply": Format(read_ply, 50, ("ply",)),
    "pdb": Format(read_pdb, 20, ("pdb", "ent")),
    "mmcif": Format(read_mmcif, 20, ("cif", "mmcif")),
    "smiles": Format(read_smiles, 100, ("smi", "smiles")),
    "sdf": Format(read_sdf, 50, ("sdf", "mol")),
}
_BY_EXTENSION = {e: name for name, format_ in FORMATS.items() for e in format_.extensions}


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    weight: str | None = None,
    max_memory: int | None = None,
) -> Complex:
    r"""Read a complex, graph, hypergraph, mesh, protein or molecule from a file.

    The extension decides how, also before `.gz`; JSON is told apart by what it holds. A graph is
    a complex of rank 1, which `clique_complex` lifts; what is known of its nodes and edges are
    attributes. Whatever is wrong with a file is a `CellapseError`.

    Parameters
    ----------
    path : path of the file
    format : str, optional
        One of `cellapse.io.FORMATS`, when the extension does not tell.
    weight : str, optional
        Name of the attribute that holds the weights of the cells; by default it stays an
        attribute, and cells have only the weights that HIF and NPZ files hold as such.
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
    file = file_path(path)
    chosen = FORMATS[_format(file, format)]
    with reading_file(file, chosen.growth, max_memory) as data:
        return _parsed(data, chosen, weight)


def read_stream(stream: BinaryIO, name: str, weight: str | None = None) -> Complex:
    """What comes through a pipe: JSON, or a list of edges; `name` is for messages."""
    with reading(name, 0):
        data = stream_bytes(stream, FORMATS["edges"].growth)
        chosen = FORMATS["json" if data.lstrip()[:1] in (b"{", b"[") else "edges"]
    with reading(name, len(data), packed=is_packed(data)):
        return _parsed(unpacked(data, chosen.growth), chosen, weight)


def _parsed(data: bytes, chosen: Format, weight: str | None) -> Complex:
    return chosen.read(data, weight) if chosen.weighs else weighted_by(chosen.read(data), weight)


def _extension(file: Path) -> str:
    return Path(file.name.lower().removesuffix(".gz")).suffix[1:]


def _format(file: Path, given: str | None) -> str:
    name = _BY_EXTENSION.get(_extension(file), "") if given is None else word("format", given)
    if name not in FORMATS:
        what = f"format={given!r}" if given is not None else f"extension {_extension(file)!r}"
        raise InputError(
            f"{shown(file)}: nothing reads {what}; "
            f"pass format=, one of {', '.join(map(repr, FORMATS))}"
        )
    return name


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
        if isinstance(obj, Complex) and _extension(file) in _CHECKED:
            require_same(obj, data, *_CHECKED[_extension(file)])
    except CellapseError as error:
        raise type(error)(f"{shown(file)}: {error}") from None
    if file.name.lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)  # without a date: the same content, the same file
    write_whole(file, data)


_CHECKED: Mapping[str, tuple[Callable[..., Complex], str]] = {
    "json": (read_json, "full"),
    "hif": (read_json, "full"),
    "npz": (read_npz, "full"),
    "graphml": (read_graphml, "graph"),
    "csv": (read_edges, "table"),
    "tsv": (read_edges, "table"),
    "edges": (read_edges, "table"),
}


def _encoded(obj: Any, extension: str, on: Complex | None) -> bytes:
    writers: Mapping[str, Callable[[], bytes]]
    if isinstance(obj, Complex):
        if on is not None:
            raise InputError("on= is for results; a complex stands for itself")
        writers = {
            "json": lambda: write_hif(obj),
            "hif": lambda: write_hif(obj),
            "npz": lambda: write_npz(obj),
            "graphml": lambda: write_graphml(obj),
            "csv": lambda: write_edges(obj),
            "tsv": lambda: write_edges(obj, "\t"),
            "edges": lambda: write_edges(obj, "\t"),
            "hyperedges": lambda: write_hyperedges(obj),
            "off": lambda: write_off(obj),
        }
    else:
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
