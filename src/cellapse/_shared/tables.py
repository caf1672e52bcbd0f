"""Rows as a pandas frame, or as CSV text that a spreadsheet shows and never runs.

A cell that begins with = + - or @ and is no number is a formula to a spreadsheet. It is written
with a ' in front, as spreadsheets themselves mark text; `plain_word` takes it away again.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal

from numpy.typing import NDArray

from cellapse._errors import InputError, extra

_LONGEST = 131_072  # characters of a word that Python's reader takes
_FORMULA = re.compile(r"'*[=+\-@]")
_MARKED = re.compile(r"'+[=+\-@]")
_NUMBER = re.compile(r"[+-](?:[0-9]|\.[0-9]|inf\b|nan\b)[0-9.eE+-]*\Z")


def safe_word(word: str) -> str:
    """Return the word, with a ' in front where a spreadsheet would compute it.

    >>> safe_word("=1+1"), safe_word("-1.5e-3"), safe_word("a=b")
    ("'=1+1", '-1.5e-3', 'a=b')
    """
    return f"'{word}" if _FORMULA.match(word) and not _NUMBER.match(word) else word


def plain_word(word: str) -> str:
    """Return what `safe_word` was given.

    >>> plain_word("'=1+1"), plain_word("'tis")
    ('=1+1', "'tis")
    """
    return word[1:] if _MARKED.match(word) else word


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    r"""Return rows of words and numbers as CSV; None is an empty cell.

    >>> csv_text([["node", "x"], ["=a", -1.5]])
    "node,x\n'=a,-1.5\n"
    """
    words = [[safe_word(v) if isinstance(v, str) else v for v in row] for row in rows]
    longest = max((len(v) for row in words for v in row if isinstance(v, str)), default=0)
    if longest > _LONGEST:
        raise InputError(
            f"a word of {longest:,} characters, and readers of CSV take {_LONGEST:,}; write JSON"
        )
    returns = any(isinstance(v, str) and "\r" in v for row in words for v in row)
    # Older versions of Python leave a carriage return without quotes, where it would end the row.
    quoting: Literal[0, 1] = csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n", quoting=quoting).writerows(words)
    return file.getvalue()


def to_frame(values: NDArray[Any], labels: Sequence[Hashable], columns: Sequence[Any]) -> Any:
    """Return a pandas DataFrame with one row for each label; tuples stay single labels."""
    with extra("pandas", "pandas"):
        import pandas as pd
    every = isinstance(labels, range)
    index = pd.RangeIndex(len(labels)) if every else pd.Index(list(labels), tupleize_cols=False)
    return pd.DataFrame(values, index=index, columns=list(columns))
