"""Tables whose columns could be taken for the ends of edges, and seem to be something else."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from operator import itemgetter
from typing import Any

from cellapse._errors import InputError
from cellapse.interop._ends import two_kinds
from cellapse.io._values import is_number

Row = list[str]

_FEW, _MUCH = 0.05, 0.2  # shares of labels that two columns have in common


def refuse_other_ends(rows: list[Row], first: int, width: int, names: list[str] | None) -> None:
    """Raise if the ends seem to be other columns than the first two."""
    sets = [set(map(itemgetter(c), rows)) for c in range(first, min(first + 3, width))]
    shown = ", ".join(map(repr, names[:12])) if names else f"there are {width}"
    if len(rows) < 3:
        return
    if len(sets) == 3 and _is_id(rows, sets, first):
        raise InputError(
            f"has a first column of its own kind ({rows[0][first]!r:.40}, {rows[1][first]!r:.40}, "
            "...), as ids or times of rows are, and the next two share labels; name the columns "
            f"({shown}) of the two ends: columns=({first + 2}, {first + 3})"
        )
    if len(sets) == 3 and _is_relation(sets):
        raise InputError(
            f"has a second column of its own kind ({rows[0][first + 1]!r:.40}, ...), as relations "
            "are, between two that share labels; name the columns "
            f"({shown}) of the two ends: columns=({first + 1}, {first + 3}), or pass format='sif'"
        )
    numbers = [all(map(is_number, labels)) for labels in sets[:2]]
    words = [not any(map(is_number, labels)) for labels in sets[:2]]
    if any(numbers) and any(words) and not sets[0] & sets[1]:
        raise InputError(
            "has a column of words beside one of numbers, as a table of values has; name the "
            f"columns ({shown}) of the two ends: columns=({first + 1}, {first + 2}) for these"
        )


def _is_id(rows: list[Row], sets: list[set[str]], first: int) -> bool:
    """Return whether the first column counts the rows, or shares nothing with the next two."""
    numbers = [row[first] for row in rows]
    counts = [[str(i + start) for i in range(len(rows))] for start in (0, 1)]
    if numbers in counts and not any(map(is_number, sets[1] | sets[2])):
        return True
    separate = _share(sets[0], sets[1]) < _FEW and _share(sets[0], sets[2]) < _FEW
    return separate and _share(sets[1], sets[2]) >= _MUCH


def _is_relation(sets: list[set[str]]) -> bool:
    """Return whether the second of three columns has nothing in common with the two beside it."""
    separate = _share(sets[0], sets[1]) < _FEW and _share(sets[1], sets[2]) < _FEW
    shared = separate and _share(sets[0], sets[2]) >= _MUCH
    return shared and not all(map(is_number, sets[2]))  # numbers may be weights


def refuse_words_among_numbers(rows: list[Row], labels: set[str], ends: tuple[int, int]) -> None:
    """The only row of words, where all other labels are numbers, is rather a second header."""
    words = set(islice((w for w in labels if not is_number(w)), 3))
    if len(words) != 2 or len(labels) < 6:
        return
    for i, row in enumerate(rows):
        if {row[c] for c in ends} == words:
            raise InputError(
                f"row {i + 1} of the data, {row[:5]}, has words where all others have numbers, as "
                "the header of another table has; keep one table in the file, or remove the row"
            )


def refuse_signs(sides: list[set[str]], ends: tuple[int, int], width: int) -> None:
    """An arrow between two labels is no label."""
    for c, signs in zip(ends, sides, strict=True):
        sign = min(signs, default="")
        if width > 2 and len(signs) == 1 and sign and not any(map(str.isalnum, sign)):
            others = tuple(i + 1 for i in range(width) if i != c)[:2]
            raise InputError(
                f"has {sign!r:.20} in column {c + 1} of every row; pass columns={others}, or "
                "those that hold the ends"
            )


def refuse_neighbours(rows: list[Row], first: set[str]) -> None:
    """A vertex and its neighbours in every row, each edge at both its ends, are no two columns."""
    if len(first) < max(len(rows), 4) or not all(first.issuperset(row) for row in rows):
        return
    arcs = {(row[0], w) for row in rows for w in row[1:]}
    if len(rows[0]) > 2 and all(u != v and (v, u) in arcs for u, v in arcs):
        raise InputError(
            "has every label once in the first column, and each row seems to go on with all its "
            'neighbours; pass format="adjlist", or columns=(1, 2) if rows are edges'
        )


def refuse_two_kinds(sides: list[set[str]], ends: tuple[int, int], names: list[str]) -> None:
    """User 1 and film 1 are not the same vertex."""
    u, v = (names[c] for c in ends)
    both = sides[0] & sides[1]
    if both and two_kinds(u, v):
        raise InputError(
            f"has {min(both)!r:.40} among {u!r} and among {v!r}, and these seem to be of "
            f"two kinds; write other labels for one of them, or pass columns={(u, v)} if it is the "
            "same vertex"
        )


def refuse_zeros_and_ones(n_rows: int, labels: Collection[Any]) -> None:
    """A table with no labels but 0 and 1 is a matrix, though no square one."""
    if n_rows > 2 and {str(v) for v in labels} <= {"0", "1"}:
        raise InputError(
            "has no labels but 0 and 1, as a matrix of hyperedges has; read it with "
            "numpy.loadtxt and pass [B_1] to as_complex, or pass columns=(1, 2) if it holds edges"
        )


def _share(a: set[str], b: set[str]) -> float:
    """Return the labels in both, of those in either."""
    return len(a & b) / max(len(a | b), 1)
