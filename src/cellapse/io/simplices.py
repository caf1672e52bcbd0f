"""Timestamped simplices: `-nverts`, `-simplices` and `-times`, three files of whole numbers.

The sizes of the simplices, all their vertices one after the other, and the times. Opened by the
name of any of the three. Simplices that come again are one cell with a `multiplicity`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cellapse._complex.cells import Cells
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.memory import available_memory
from cellapse._shared.notes import fact
from cellapse.interop._hyperedges import hyperedge_complex
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text, raw_bytes

PARTS = ("-nverts.txt", "-simplices.txt", "-times.txt")
BETWEEN = b"\0"  # the files, in this order, when they come as one


def read_simplices(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read the sizes, the vertices and, if there are any, the times.

    >>> read_simplices(b"3\n2\n\0a".replace(b"a", b"1\n2\n3\n3\n4\n"))
    Complex(n_cells=(4, 4, 1))
    """
    labels, cells, times = timed_simplices(data)
    if options.window is not None:
        if times is None:
            raise InputError("window= needs the file of times, and there is none")
        chosen = np.flatnonzero((options.window[0] <= times) & (times < options.window[1]))
        fact(f"{len(chosen):,} of {len(cells):,} simplices are within the window")
        used, places = np.unique(cells.take(chosen).indices, return_inverse=True)
        labels, cells = labels[used], Cells(cells.take(chosen).indptr, places)
    if times is not None:
        fact("times choose simplices by window=, and are left out of the complex")
    return hyperedge_complex(labels.tolist(), cells)


def timed_simplices(data: bytes) -> tuple[np.ndarray, Cells, np.ndarray | None]:
    """Return the labels of the vertices, the simplices as they were listed, and their times."""
    parts = [_numbers(part) for part in data.split(BETWEEN)]
    if len(parts) not in (2, 3):
        raise InputError(f"comes in {len(parts)} parts; it takes {' and '.join(PARTS[:2])} beside")
    sizes, vertices = parts[:2]
    times = parts[2] if len(parts) == 3 else None
    if sizes.min(initial=1) < 1 or sizes.sum() != len(vertices):
        raise InputError(
            f"has sizes that add up to {sizes.sum()}, and {len(vertices)} vertices; one of the "
            "files may be cut off"
        )
    if times is not None and len(times) != len(sizes):
        raise InputError(f"has {len(times)} times for {len(sizes)} simplices")
    labels, members = np.unique(vertices, return_inverse=True)
    cells = Cells(np.concatenate([[0], np.cumsum(sizes)]), members.astype(np.int64))
    return labels, cells, times


def with_parts(file: Path, data: bytes) -> bytes:
    """Return the three files, of which one is given, as one."""
    ending = next((part for part in PARTS if file.name.endswith(part)), None)
    if ending is None:
        raise InputError(f"has a name that ends in none of {', '.join(PARTS)}")
    parts = []
    for part in PARTS:
        sibling = file.with_name(file.name.removesuffix(ending) + part)
        if part == ending:
            parts.append(data)
        elif sibling.is_file() or part != PARTS[2]:
            parts.append(raw_bytes(sibling, 100, available_memory()))  # an estimate
    return BETWEEN.join(parts)


def _numbers(part: bytes) -> np.ndarray:
    words = as_text(part).split()
    if not all(word.isdecimal() and len(word) < 16 for word in words):
        raise InputError("holds what is no whole number")
    return np.array(words, dtype=np.int64)
