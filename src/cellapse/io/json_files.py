"""JSON files, by what they hold: HIF, XGI's own format, or a graph."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._complex.simple import SIMPLE
from cellapse._complex.weights import weighted_by
from cellapse._errors import InputError
from cellapse._shared.files import as_bytes
from cellapse.interop import plain
from cellapse.interop._build import Wanted
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text
from cellapse.io.graph_json import is_graph, read_graph_json
from cellapse.io.hif import hif_document, read_hif
from cellapse.io.xgi_json import read_xgi_json


def read_json(data: bytes, options: Options = PLAIN) -> Complex:
    """Read a complex or hypergraph from JSON, with an attribute as weights (see `read`).

    >>> read_json(b'{"incidences": [{"edge": 0, "node": "a"}, {"edge": 0, "node": "b"}]}')
    Complex(n_cells=(2, 1, 0))
    >>> read_json(b'[["a", "b"], ["b", "c"]]')
    Complex(n_cells=(3, 2))
    """
    try:
        document = json.loads(as_text(data))
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"is not valid JSON ({error}); it may be cut off") from None
    if isinstance(document, Mapping):
        if "incidences" in document:
            _check_rules(options, directed=options.rules.directed)
            return read_hif(dict(document), options.weight, options.rules)
        if "edge-dict" in document:
            _check_rules(options)
            return read_xgi_json(document, options.weight)
        if is_graph(document):
            return weighted_by(read_graph_json(document, options), options.weight)
        if document.get("type") == "collection":
            raise InputError("is a list of other files; read those one by one")
    if isinstance(document, list) and all(isinstance(cell, list) for cell in document):
        return plain.read(document, Wanted(options.weight, None, options.rules))
    raise InputError(
        "is JSON, but neither HIF (with `incidences`), XGI's (with `edge-dict`), a graph (with "
        "`nodes` and `links`, `edges`, `adjacency` or `elements`) nor a list of edges or "
        "hyperedges; read it with json.load, and pass the edges as a list to as_complex"
    )


def _check_rules(options: Options, **used: str) -> None:
    """Raise if something was said of loops and repeats, which hypergraphs do not have."""
    if options.rules != replace(SIMPLE, **used):
        raise InputError("directed=, loops= and repeats= are for graphs, and it holds none")


def write_json(document: Any) -> bytes:
    """Return a document in strict JSON."""
    return as_bytes(json.dumps(document, allow_nan=False, ensure_ascii=False) + "\n")


def write_hif(K: Complex) -> bytes:
    """Return a complex as HIF."""
    return write_json(hif_document(K))
