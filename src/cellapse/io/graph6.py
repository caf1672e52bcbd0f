"""graph6 and sparse6: one graph in one line of printable characters.

After the number of vertices, graph6 has a bit for every pair, column by column of the upper
triangle; sparse6 a list of edges. Both are decoded with NumPy, once the size is known to fit.
"""

from __future__ import annotations

import re

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse._shared.memory import require_memory
from cellapse.io._graphs import check_declared, graph_complex
from cellapse.io._options import PLAIN, Options

_HEADS = (b">>graph6<<", b">>sparse6<<")
_LONG = 100_000
_LINE = re.compile(r":?[?-~]+")


def read_graph6(data: bytes, options: Options = PLAIN) -> Complex:
    """Read a graph in either of the two codes.

    >>> read_graph6(b"Bw"), read_graph6(b":An")
    (Complex(n_cells=(3, 3)), Complex(n_cells=(2, 1)))
    """
    lines = [line for line in data.splitlines() if line.strip()]
    if len(lines) != 1:
        raise InputError(f"holds {len(lines)} graphs; keep one line")
    line = lines[0].strip()
    for head in _HEADS:
        line = line.removeprefix(head)
    sparse = line[:1] == b":"
    codes = np.frombuffer(line[sparse:], dtype=np.uint8).astype(np.int64) - 63
    if not len(codes) or codes.min() < 0 or codes.max() > 63:
        raise InputError("has characters that neither graph6 nor sparse6 has; it may be cut off")
    n, rest = _size(codes)
    if sparse:
        check_declared(n, len(rest))
    require_memory(100.0 * n, f"a graph of {n:,} vertices", "take a smaller one")
    edges = _sparse6(n, rest) if sparse else _graph6(n, rest)
    return graph_complex(range(n), edges, {}, {}, rules=options.rules)


def is_graph6(text: str) -> bool:
    r"""Return whether every line is one word of these codes, the first as long as needed.

    >>> is_graph6("DQc\nD|s\n"), is_graph6("a|b\nb|c\n")
    (True, False)
    """
    if not _LINE.fullmatch(text[:_LONG].lstrip().partition("\n")[0].strip()):
        return False  # without a look at the rest
    lines = list(filter(None, map(str.strip, text.splitlines())))
    if not all(map(_LINE.fullmatch, lines)):
        return False
    if lines[0][0] == ":":
        return True
    if lines[0][0] == "~":  # more than 62 vertices: no word of a table
        return True
    n, rest = _size(np.frombuffer(lines[0].encode(), dtype=np.uint8).astype(np.int64) - 63)
    return len(rest) == -(-(n * (n - 1) // 2) // 6)


def _size(codes: IntArray) -> tuple[int, IntArray]:
    """Return the number of vertices in 1, 4 or 8 characters, and those that follow."""
    if codes[0] < 63:
        return int(codes[0]), codes[1:]
    skip, length = (2, 8) if len(codes) > 1 and codes[1] == 63 else (1, 4)
    if len(codes) < length:
        raise InputError("ends within the number of vertices; it may be cut off")
    number = 0
    for code in codes[skip:length].tolist():
        number = (number << 6) | code
    return number, codes[length:]


def _bits(codes: IntArray) -> IntArray:
    return ((codes[:, None] >> np.arange(5, -1, -1)) & 1).ravel()


def _graph6(n: int, codes: IntArray) -> IntArray:
    n_pairs = n * (n - 1) // 2
    if len(codes) != -(-n_pairs // 6):
        raise InputError(
            f"declares {n} vertices, which take {-(-n_pairs // 6)} characters, and has {len(codes)}"
        )
    require_memory(100.0 * len(codes), f"the {n_pairs:,} pairs", "write .mtx")
    place = np.flatnonzero(_bits(codes)[:n_pairs])
    column = ((1 + np.sqrt(1 + 8.0 * place)) // 2).astype(np.int64)
    # Where the root was rounded up.
    column -= column * (column - 1) // 2 > place  # once is enough below a hundred million vertices
    return np.column_stack([place - column * (column - 1) // 2, column])


def _sparse6(n: int, codes: IntArray) -> IntArray:
    """Return steps of one bit, which moves on to the next vertex, and a number x."""
    width = max((n - 1).bit_length(), 1)
    bits = _bits(codes)
    steps = bits[: len(bits) // (width + 1) * (width + 1)].reshape(-1, width + 1)
    numbers = steps[:, 1:] @ (1 << np.arange(width - 1, -1, -1))
    edges, v = [], 0
    for step, x in zip(steps[:, 0].tolist(), numbers.tolist(), strict=True):
        v += step
        if x >= n or v >= n:  # what fills the last character
            break
        if x > v:
            v = x
        else:
            edges.append((x, v))
    return np.array(edges, dtype=np.int64).reshape(-1, 2)
