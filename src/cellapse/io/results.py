"""Results by vertex: a table by label, as CSV, JSON, NPZ or on the graph as GraphML."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._shared.align import align, own_labels
from cellapse._shared.checks import plain_array
from cellapse._shared.files import as_bytes
from cellapse._shared.tables import csv_text
from cellapse.io._values import label_words, to_json
from cellapse.io.graphml import write_graphml
from cellapse.io.json_files import write_json
from cellapse.io.npz import pack, text_array
from cellapse.tasks.clustering import Clusters


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns with one entry a label, and what else belongs to them as a whole."""

    labels: Sequence[Hashable]
    columns: Mapping[str, NDArray[Any]]
    more: Mapping[str, Any]

    def to_csv(self) -> bytes:
        """Return one row a label, header first."""
        columns = [to_json(values) for values in self.columns.values()]
        rows = zip(label_words(self.labels), *columns, strict=True)
        return as_bytes(csv_text([["node", *self.columns], *rows]))

    def to_json(self) -> bytes:
        """Return an object of lists: `node` and one per column."""
        columns = {name: to_json(values) for name, values in self.columns.items()}
        return write_json({"node": to_json(list(self.labels)), **columns, **to_json(self.more)})

    def to_npz(self) -> bytes:
        """Return the columns as arrays; labels other than numbers are stored as text."""
        label_words(self.labels)  # refuses 1 and '1'
        labels = text_array(self.labels)
        objects = [name for name, values in self.columns.items() if values.dtype.hasobject]
        if objects:
            raise InputError(f"{objects[0]!r} holds no numbers, which NPZ needs; write JSON")
        more = {name: np.asarray(v) for name, v in self.more.items() if v is not None}
        return pack({"node": labels, **self.columns, **more})

    def to_graphml(self, K: Complex) -> bytes:
        """Return the graph of a complex, the columns as attributes of its nodes."""
        graph = K.skeleton(min(1, K.max_rank))
        return write_graphml(graph.with_attributes({0: self.columns}))


def as_table(result: Any, on: Any = None) -> Table:
    r"""Return a result as a table; `on` has the labels of plain arrays.

    >>> as_table({"size": [1, 2]}, Complex.from_cells({0: "ab"})).to_csv()
    b'node,size\na,1\nb,2\n'
    """
    parts = result if isinstance(result, Mapping) else _named(result)
    own = (
        part.labels if isinstance(part, Spectrum) else own_labels(part, repr(name))
        for name, part in parts.items()
    )
    labels = next((v for v in own if v is not None), None) if on is None else on.labels
    if labels is None:
        raise InputError(
            "what is to be written has no labels; pass on=K, the complex that it belongs to, or "
            "write as_complex(...) of a network, to_frame() of a result"
        )
    columns: dict[str, NDArray[Any]] = {}
    more: dict[str, Any] = {}
    for name, part in parts.items():
        if isinstance(part, Spectrum):
            more |= {"values": part.values, "residuals": part.residuals}
            more |= {"n_zeros": part.n_zeros, "certified": part.certified}
            if tuple(part.labels) != tuple(labels):
                raise InputError(f"{name!r} is of other vertices than the rest; write it alone")
            part = part.vectors
        columns |= _columns(str(name), align(part, labels, repr(name)))
    for name, values in columns.items():
        if len(values) != len(labels):
            raise InputError(f"{name!r} has {len(values)} entries for {len(labels)} vertices")
    if "node" in columns:
        raise InputError('a column is called "node", where the labels go; rename it')
    return Table(labels, columns, more)


def _named(result: Any) -> Mapping[str, Any]:
    """Return a result alone under a name of its own; the columns of a frame under theirs."""
    if hasattr(result, "columns") and hasattr(result, "items"):
        return {str(name): column for name, column in result.items()}
    if isinstance(result, Spectrum):
        return {"u": result}
    name = "cluster" if isinstance(result, Clusters) else getattr(result, "name", None)
    return {"value" if name is None else str(name): result}


def _columns(name: str, values: Any) -> dict[str, NDArray[Any]]:
    array = plain_array(values, repr(name))
    if array.ndim not in (1, 2) or array.dtype.kind not in "biufUO":
        raise InputError(
            f"{name!r} is a {type(values).__name__} of shape {array.shape}; give a Complex, a "
            "Spectrum, Clusters, an array with one row per vertex, or a dict of those"
        )
    if array.ndim == 1:
        return {name: array}
    return {f"{name}{j}": array[:, j] for j in range(array.shape[1])}
