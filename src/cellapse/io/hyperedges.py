"""Hyperedge lists: the labels of one hyperedge per line, with the delimiters of an edge list."""

from __future__ import annotations

from itertools import chain
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._complex.hyperedges import given_hyperedges
from cellapse._errors import InputError
from cellapse._shared.notes import loss
from cellapse.interop._hyperedges import hyperedge_complex
from cellapse.io._one_table import refuse_titles
from cellapse.io._options import PLAIN, Options
from cellapse.io._rows import split_rows
from cellapse.io._same import require_same, tell_left_out
from cellapse.io._source import as_text
from cellapse.io._values import word_labels
from cellapse.io.edges import check_words, write_rows


def read_hyperedges(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read a hyperedge list.

    >>> read_hyperedges(b"a b c\nc d")
    Complex(n_cells=(4, 4, 1))
    """
    table = split_rows(as_text(data), options.sep)
    refuse_titles(table)
    rows = [[word for word in row if word] for row in table.rows]
    label = word_labels(chain.from_iterable(rows))
    members = [[label[word] for word in row] for row in rows]
    return hyperedge_complex(list(label.values()), members)


def write_hyperedges(K: Complex) -> bytes:
    r"""The cells, one per line, and the vertices in none, without ranks, weights and attributes.

    Of a hypergraph, the hyperedges that were given.

    >>> write_hyperedges(read_hyperedges(b"a b c\nc d\ne"))
    b'a,b,c\nc,d\ne\n'
    """
    given = given_hyperedges(K)
    cells: list[Any] = list(chain.from_iterable(map(K.cell_labels, range(1, K.max_rank + 1))))
    if given is not None:
        cells = [*((v,) for v in K.labels), *cells]
        cells = [cells[i] for i in given.cells.tolist()]
    if not cells:
        raise InputError("a hyperedge list needs a cell besides the vertices; write .json")
    check_words(K)
    met = set(chain.from_iterable(cells))
    alone = [(v,) for v in K.labels if v not in met]
    tell_left_out(K, range(K.max_rank + 1), ("multiplicity",))
    if alone:
        loss(
            f"{len(alone):,} vertices in no cell are written as hyperedges of one vertex, the only "
            "way to name them in such a list; .json keeps them apart"
        )
    data = write_rows([*cells, *alone])
    require_same(hyperedge_complex(K.labels, [*cells, *alone]), data, read_hyperedges, "hypergraph")
    return data
