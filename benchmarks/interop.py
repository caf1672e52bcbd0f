"""From and to TopoNetX, XGI and GUDHI: what cellapse adds to the time the library itself takes.

The triangles of a random geometric graph, about 134,000 cells in all. "construct" is the library
building its object from a finished list of cells; "from" is `as_complex`, of which "list" is what
the library takes to list its own cells; "to" is the whole `to_...`, its construction included.
Our part is "from" less "list", and "to" less "construct", each over "construct".

    python -m benchmarks.interop
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

import cellapse as cl
from benchmarks.lifts import geometric_edges
from benchmarks.timing import save, seconds


def with_gudhi(K: cl.Complex) -> Any:
    import gudhi

    tree = gudhi.SimplexTree()
    for cells in K.cells:
        tree.insert_batch(np.ascontiguousarray(cells.as_array().T), np.zeros(len(cells)))
    return tree


def with_xgi(cells: list[tuple[int, ...]]) -> Any:
    import xgi

    H = xgi.Hypergraph()
    H.add_edges_from([(cell, i, {"rank": len(cell) - 1}) for i, cell in enumerate(cells)])
    return H


def with_toponetx(cells: list[tuple[int, ...]]) -> Any:
    import toponetx

    return toponetx.SimplicialComplex(cells)


def compare(
    name: str,
    construct: Callable[[], Any],
    listing: Callable[[Any], Any],
    write: Callable[[], Any],
    ranks: str | None = None,
) -> dict[str, object]:
    """One row of the table."""
    theirs = seconds(construct, 5)
    built = construct()
    list_ = seconds(lambda: listing(built))
    read = seconds(lambda: cl.as_complex(built, ranks=ranks))
    to = seconds(write, 5)
    return {
        "library": name,
        "construct [s]": theirs,
        "list [s]": list_,
        "from [s]": read,
        "to [s]": to,
        "ours / construct, from": max(read - list_, 0.0) / theirs,
        "ours / construct, to": max(to - theirs, 0.0) / theirs,
    }


def main() -> None:
    K = cl.clique_complex(geometric_edges(12_000, 8))
    print(K, sum(K.n_cells), "cells")
    above = list(chain.from_iterable(K.cell_labels(k) for k in (1, 2)))
    every = [(v,) for v in K.labels] + above
    rows = [
        compare(
            "GUDHI",
            lambda: with_gudhi(K),
            lambda tree: list(tree.get_simplices()),
            lambda: cl.interop.to_gudhi(K),
        ),
        compare(
            "XGI",
            lambda: with_xgi(above),
            lambda H: (H.edges.members(dtype=dict), H.edges.attrs.aslist()),
            lambda: cl.interop.to_xgi(K),
            ranks="size",  # without it the pairs within hyperedges are found, too
        ),
        compare(
            "TopoNetX",
            lambda: with_toponetx(every),
            lambda C: [list(C._simplex_trie.skeleton(k)) for k in range(3)],
            lambda: cl.interop.to_toponetx(K, kind="simplicial"),
        ),
    ]
    save("interop", rows)


if __name__ == "__main__":
    main()
