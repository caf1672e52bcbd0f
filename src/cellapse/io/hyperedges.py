"""Hyperedge lists: the labels of one hyperedge a line, with the delimiters of an edge list."""

from __future__ import annotations

from cellapse.complex import Complex
from cellapse.interop._build import hyperedge_complex
from cellapse.io._source import as_text
from cellapse.io._values import text_labels
from cellapse.io.edges import split_rows


def read_hyperedges(data: bytes) -> Complex:
    r"""Read a hyperedge list.

    >>> read_hyperedges(b"a b c\nc d")
    Complex(n_cells=(4, 4, 1))
    """
    rows = [[word for word in row if word] for row in split_rows(as_text(data))]
    words = dict.fromkeys(word for row in rows for word in row)
    label = dict(zip(words, text_labels(list(words)), strict=True))
    members = [[label[word] for word in row] for row in rows]
    return hyperedge_complex(list(label.values()), members)
