"""Hyperedge lists: the labels of one hyperedge per line, with the delimiters of an edge list."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._matrices.containment import containment
from cellapse.interop._hyperedges import hyperedge_complex
from cellapse.io._one_table import refuse_titles
from cellapse.io._options import PLAIN, Options
from cellapse.io._rows import split_rows
from cellapse.io._same import require_same
from cellapse.io._source import as_text
from cellapse.io._values import text_labels
from cellapse.io.edges import check_words, write_rows


def read_hyperedges(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read a hyperedge list.

    >>> read_hyperedges(b"a b c\nc d")
    Complex(n_cells=(4, 4, 1))
    """
    table = split_rows(as_text(data), options.sep)
    refuse_titles(table)
    rows = [[word for word in row if word] for row in table.rows]
    words = dict.fromkeys(word for row in rows for word in row)
    label = dict(zip(words, text_labels(list(words)), strict=True))
    members = [[label[word] for word in row] for row in rows]
    return hyperedge_complex(list(label.values()), members)


def write_hyperedges(K: Complex) -> bytes:
    r"""The cells, one per line, and the vertices in none, without ranks, weights and attributes.

    Pairs within a cell of higher rank are left out, too, since reading finds them again.

    >>> write_hyperedges(read_hyperedges(b"a b c\nc d\ne"))
    b'c,d\na,b,c\ne\n'
    """
    rows: list[Any] = []
    for rank in range(1, K.max_rank + 1):
        sizes = K.cells[rank].sizes
        covered = np.zeros(len(sizes), dtype=bool)
        for higher in range(rank + 1, K.max_rank + 1) if (sizes == 2).any() else ():
            covered |= containment(K, rank, higher).sum(axis=1) > 0
        kept = (sizes > 2) | ((sizes == 2) & ~covered)
        rows += [cell for cell, keep in zip(K.cell_labels(rank), kept, strict=True) if keep]
    if not rows:
        raise InputError("a hyperedge list needs a cell of two vertices at least; write .json")
    check_words(K)
    met = set(chain.from_iterable(rows))
    data = write_rows([*rows, *([v] for v in K.labels if v not in met)])
    require_same(hyperedge_complex(K.labels, rows), data, read_hyperedges, "hypergraph")
    return data
