"""NPZ: arrays in a zip. Ours hold a complex without loss; those of `scipy.sparse` an adjacency.

Arrays of objects are pickles, which can run any program: they are neither written nor read. What
is no number (labels, words) is stored as JSON text in an array of bytes. All sizes are checked
against what the file declares, and nothing is unpacked further than that.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._complex.hyperedges import GivenHyperedges, given_hyperedges
from cellapse._complex.weights import AUTO, weighted_by
from cellapse._errors import InputError, SizeError
from cellapse._shared.memory import draw_memory, readable, require_memory
from cellapse._shared.notes import fact
from cellapse.io._adjacency import adjacency_complex
from cellapse.io._options import PLAIN, Options
from cellapse.io._values import from_json, is_plain, to_json

Array = NDArray[Any]

_FORMAT = "cellapse complex 1"
_MANY_ARRAYS = 10_000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LONGEST_NAME = 65_535  # bytes that ZIP has for the name of a member
_GROWTH = 6  # memory for a byte of an array: the cells, and what checks them


def read_npz(data: bytes, options: Options = PLAIN) -> Complex:
    """Read a complex that `write_npz` wrote, or an adjacency of `scipy.sparse.save_npz`.

    >>> K = Complex.from_cells({1: [("a", ("b", 2))]}, weights={1: [0.5]})
    >>> read_npz(write_npz(K)).labels
    ('a', ('b', 2))
    """
    arrays = _arrays(data)
    if "about" in arrays:
        K = _complex(arrays)
        return K if options.weight == AUTO else weighted_by(K, options.weight)
    if {"format", "shape", "data"} <= set(arrays):
        K = adjacency_complex(_matrix(arrays), weighted=True, rules=options.rules)
        return weighted_by(K, options.weight)
    square = {n: a for n, a in arrays.items() if a.ndim == 2 and len(a) == a.shape[1] > 2}
    if len(arrays) == len(square) == 1:
        ((name, matrix),) = square.items()
        fact(f"the matrix {name!r} is the adjacency")
        K = adjacency_complex(matrix, weighted=True, rules=options.rules)
        return weighted_by(K, options.weight)
    raise InputError(
        f"holds the arrays {sorted(arrays)[:8]}, neither a complex written by cellapse.write nor "
        "one adjacency, of numpy.savez or scipy.sparse.save_npz; pass the right one of "
        "numpy.load(path) to as_complex"
    )


def _arrays(data: bytes) -> dict[str, Array]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            members = file.infolist()
            _check_members(members)
            return {m.filename.removesuffix(".npy"): _array(_member(file, m)) for m in members}
    except (InputError, SizeError):
        raise
    except Exception as error:  # zipfile and numpy raise a dozen kinds on broken files
        raise InputError(f"is not a valid NPZ file ({error}); it may be cut off") from None


def _check_members(members: Sequence[zipfile.ZipInfo]) -> None:
    if len(members) > _MANY_ARRAYS:
        raise SizeError(f"{len(members):,} arrays; at most {_MANY_ARRAYS:,} are read")
    # The other methods unpack as much as the data say, whatever size was declared.
    other = [m for m in members if m.compress_type not in _METHODS]
    if other:
        raise InputError(
            f"{other[0].filename!r:.80} is packed by method {other[0].compress_type}; NumPy writes "
            "stored and deflated arrays, and only those are read"
        )
    size = sum(member.file_size for member in members)
    draw_memory(
        float(_GROWTH) * size,
        f"unpacking {len(members)} arrays of {readable(size)}",
        "build it with Complex.from_arrays",
    )


def _member(file: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a member, as many as it declares and no more."""
    with file.open(member) as opened:
        return opened.read(member.file_size)


def read_array(data: bytes) -> Array:
    """Return the array of a file of `numpy.save`."""
    try:
        return _array(data)
    except InputError:
        raise
    except Exception as error:  # as above
        raise InputError(f"is not a valid NPY file ({error}); it may be cut off") from None


def _array(raw: bytes) -> Array:
    """Return one array, its declared size compared with the bytes there are."""
    file = io.BytesIO(raw)
    version = np.lib.format.read_magic(file)
    read: Callable[..., Any] = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, fortran, dtype = read(file)
    if dtype.hasobject:
        raise InputError("holds an array of Python objects (a pickle), which is never read")
    if any(n < 0 for n in shape) or math.prod(shape) * dtype.itemsize != len(raw) - file.tell():
        raise InputError(f"has an array of shape {shape} that its bytes do not fill")
    flat = np.frombuffer(raw, dtype=dtype, offset=file.tell())
    return flat.reshape(shape, order="F" if fortran else "C")


def _matrix(arrays: Mapping[str, Array]) -> Any:
    shape, values = arrays["shape"], arrays["data"]
    kind = str(np.char.decode(arrays["format"]) if arrays["format"].dtype.kind == "S" else "")
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or not (shape >= 0).all():
        raise InputError(f"has a matrix of shape {shape.tolist()}; give two whole numbers")
    n_rows, n_columns = map(int, shape)
    if n_rows != n_columns or n_rows > 100 * (values.size + 1000):
        raise InputError(
            f"has a matrix of {n_rows} x {n_columns} with {values.size} entries; an adjacency is "
            "square and most vertices have edges"
        )
    if kind not in ("coo", "csr", "csc"):
        raise InputError(f"has a {kind or 'nameless'} matrix; save matrix.tocsr() instead")
    try:
        if kind == "coo":
            parts: Any = (values, (arrays["row"], arrays["col"]))
        else:
            parts = (values, arrays["indices"], arrays["indptr"])
        maker = {"coo": sparse.coo_array, "csr": sparse.csr_array, "csc": sparse.csc_array}[kind]
        matrix = maker(parts, shape=(n_rows, n_columns))
        matrix.check_format(full_check=True) if kind != "coo" else None
    except Exception as error:
        raise InputError(f"has a {kind} matrix that is not consistent ({error})") from None
    return matrix


def _complex(arrays: dict[str, Array]) -> Complex:
    about = _from_bytes(arrays["about"])
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        raise InputError(f"is not of the format {_FORMAT!r} that this version of cellapse reads")
    names = about.get("attributes")
    if not isinstance(names, list) or not 0 < len(names) <= 1001:
        raise InputError("has no list of the attributes of each rank")
    try:
        labels = _values(arrays["labels"])
        cells: dict[int, Any] = {}
        weights, attributes = {}, {}
        for k, columns in enumerate(names):
            if k:
                cells[k] = arrays[f"indptr {k}"], arrays[f"indices {k}"]
            if f"weights {k}" in arrays:
                weights[k] = arrays[f"weights {k}"]
            stored = [arrays[f"attribute {k} {i}"] for i in range(len(columns))]
            attributes[k] = {
                name: _from_bytes(a) if kind == "json" else a
                for (name, kind), a in zip(columns, stored, strict=True)
            }
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"lacks a part of the complex ({error}); write it again") from None
    metadata = about.get("metadata", {})
    whole = {n: from_json(v) for n, v in metadata.items()} if isinstance(metadata, dict) else {}
    K = Complex.from_arrays(len(labels), cells, labels, weights, attributes, whole)
    return replace(K, hyperedges=_hyperedges(arrays, about, sum(K.n_cells)))


def _hyperedges(arrays: Mapping[str, Array], about: Any, n_cells: int) -> GivenHyperedges | None:
    """Return which cells are the hyperedges that the complex was lifted from."""
    known, cells = about.get("hyperedges"), arrays.get("hyperedges")
    if known is None or cells is None:
        return None
    weights = arrays.get("hyperedge weights")
    names = known.get("names") if isinstance(known, dict) else ()
    records = known.get("records") if isinstance(known, dict) else None
    fits = cells.ndim == 1 and cells.dtype.kind == "i" and isinstance(records, list)
    fits &= weights is None or (weights.shape == cells.shape and weights.dtype.kind == "f")
    fits &= names is None or (isinstance(names, list) and len(names) == len(cells))
    if not fits or not 0 <= cells.min(initial=0) <= cells.max(initial=0) < n_cells:
        raise InputError("has hyperedges that are no cells of its complex; write it again")
    try:
        listed: Any = records
        of = {int(i): {n: from_json(v) for n, v in record.items()} for i, record in listed}
    except (TypeError, ValueError, AttributeError):
        raise InputError("has hyperedges with data that are no objects; write it again") from None
    called = None if names is None else tuple(map(from_json, names))
    return GivenHyperedges(cells.astype(np.int64), weights, called, of, bool(known.get("counted")))


def _values(stored: Array) -> Sequence[Hashable]:
    """Return the labels; whole numbers are stored as such."""
    if stored.dtype != np.uint8:
        if stored.ndim != 1 or stored.dtype.kind != "i":
            raise InputError(f"has labels of type {stored.dtype} and shape {stored.shape}")
        n = len(stored)
        return range(n) if np.array_equal(stored, np.arange(n)) else tuple(stored.tolist())
    labels = _from_bytes(stored)
    if not isinstance(labels, list):
        raise InputError("has labels that are no list")
    return tuple(labels)


def _from_bytes(stored: Array) -> Any:
    try:
        value = json.loads(stored.tobytes())
    except ValueError as error:
        raise InputError(f"has text that is not JSON ({error})") from None
    return [from_json(v) for v in value] if isinstance(value, list) else value


def _to_bytes(value: Any) -> Array:
    return np.frombuffer(json.dumps(to_json(value, strict=False)).encode(), dtype=np.uint8)


def write_npz(K: Complex) -> bytes:
    """Return a complex with everything that it holds."""
    arrays: dict[str, Array] = {"labels": _stored_labels(K.labels)}
    names: list[list[tuple[str, str]]] = []
    for k, cells in enumerate(K.cells):
        if k:
            arrays[f"indptr {k}"], arrays[f"indices {k}"] = cells.indptr, cells.indices
        weights = K.weights[k]
        if weights is not None:
            arrays[f"weights {k}"] = weights
        names.append([])
        for i, (name, values) in enumerate(K.attributes[k].items()):
            as_json = values.dtype.hasobject
            arrays[f"attribute {k} {i}"] = _to_bytes(values) if as_json else values
            names[k].append((name, "json" if as_json else "array"))
    about = {"format": _FORMAT, "attributes": names, "metadata": K.metadata}
    given = given_hyperedges(K)
    if given is not None:
        arrays["hyperedges"] = given.cells
        if given.weights is not None:
            arrays["hyperedge weights"] = given.weights
        about["hyperedges"] = {
            "names": None if given.names is None else list(given.names),
            "records": [[i, record] for i, record in given.records.items() if record],
            "counted": given.counted,
        }
    arrays["about"] = _to_bytes(about)
    return pack(arrays)


def _stored_labels(labels: Sequence[Hashable]) -> Array:
    if isinstance(labels, range):
        return np.arange(labels.start, labels.stop, labels.step)
    whole = all(is_plain(v) and not isinstance(v, str) and abs(v) < 2**63 for v in labels)  # type: ignore[arg-type]
    return np.array(labels, dtype=np.int64) if whole else _to_bytes(list(labels))


def pack(arrays: Mapping[str, Array]) -> bytes:
    """Return the arrays as a compressed NPZ file; the same arrays make the same file.

    Written here, since `numpy.savez` takes the names as arguments, of which `file` is taken.

    >>> arrays = np.load(io.BytesIO(pack({"file": np.arange(3)})))
    >>> arrays["file"].tolist()
    [0, 1, 2]
    """
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, array in arrays.items():
            if "\0" in name or not name.isprintable():
                raise InputError(f"{name!r:.80} is no name for an array; use printable letters")
            if len(f"{name}.npy".encode()) > _LONGEST_NAME:
                raise InputError(
                    f"{name!r:.80} has {len(name):,} letters, too many for an array in NPZ; "
                    "give a shorter name"
                )
            member = zipfile.ZipInfo(f"{name}.npy")  # of 1980, not of today
            member.compress_type = zipfile.ZIP_DEFLATED
            content = io.BytesIO()
            np.lib.format.write_array(content, np.asanyarray(array), allow_pickle=False)
            packed.writestr(member, content.getbuffer())
    return file.getvalue()


def text_array(values: Sequence[Any]) -> Array:
    """Return a column as an array without objects: numbers, truths, or else words.

    >>> text_array([1, 2]).tolist(), text_array([1, "a"]).tolist(), text_array([1.5, None]).tolist()
    ([1, 2], ['1', 'a'], [1.5, nan])
    """
    kinds = {type(v.item() if isinstance(v, np.generic) else v) for v in values}
    if kinds <= {float, type(None)} or kinds == {int, float}:
        return np.array([math.nan if v is None else v for v in values], dtype=np.float64)
    if kinds == {bool} or (kinds == {int} and all(-(2**63) <= v < 2**63 for v in values)):
        return np.array(values)
    words = [v if isinstance(v, str) else json.dumps(to_json(v)) for v in values]
    longest = max(map(len, words), default=0)  # of no words none is long
    require_memory(
        8.0 * longest * len(words),
        f"an array of {len(words):,} words of up to {longest:,} letters",
        "write .json, or shorten the longest",
    )
    if any(word.endswith("\0") for word in words):
        raise InputError("a word ends in a zero byte, which arrays of words drop; write .json")
    return np.array(words, dtype=str)
