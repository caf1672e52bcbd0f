"""Labels and attributes as files hold them: words of text, or values of JSON.

In text a column is of whole numbers if all its words are, else of numbers if all are, else of
words; so are labels. JSON keeps its types; a tuple is written as a list and comes back as a tuple.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from cellapse._complex.attributes import as_table, columns_of
from cellapse._complex.labels import vertex_order
from cellapse._errors import InputError
from cellapse.io._numbers import numbers_or_none, real

_NO_LETTERS = frozenset("nNiI")  # of nan, inf and infinity
_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,17})\Z")  # "007" is a word: as a number it would change


def text_labels(words: Sequence[str]) -> list[Hashable]:
    """Return labels read from text: whole numbers if all are, else the words themselves.

    >>> text_labels(["1", "20"]), text_labels(["1", "a"])
    ([1, 20], ['1', 'a'])
    """
    return [int(w) for w in words] if all(map(_WHOLE.match, words)) else list(words)


def word_labels(named: Iterable[str], listed: Collection[str] = ()) -> dict[str, Hashable]:
    """Every word of a text once, with its label, in the order of the vertices (`vertex_order`).

    >>> word_labels(["10", "9", "10"]), word_labels(["10", "9"], ["10", "9"])
    ({'9': 9, '10': 10}, {'10': 10, '9': 9})
    """
    words = list(dict.fromkeys(chain(named, listed)))
    word = dict(zip(text_labels(words), words, strict=True))
    label = {w: v for v, w in word.items()}
    return {word[v]: v for v in vertex_order(word, [label[w] for w in listed])}


def text_column(words: Sequence[str]) -> list[Any]:
    """Return an attribute read from text; an empty word is None.

    >>> text_column(["1", "2.5"]), text_column(["x", ""])
    ([1.0, 2.5], ['x', None])
    """
    given = [w for w in words if w != ""]
    convert: Any = str
    if given and all(map(_WHOLE.match, given)):
        convert = int
    elif given and is_number(given[0]):
        full = len(given) == len(words)  # with gaps, words are looked at one by one
        numbers = numbers_or_none(words) if full else None
        if numbers is not None:  # by far the quickest
            return numbers.tolist()
        convert = float if all(map(is_number, given)) else str
    return [convert(w) if w != "" else None for w in words]


def is_number(word: str) -> bool:
    """Return whether a word reads as a number.

    >>> is_number("1e-3"), is_number("1_000")
    (True, False)
    """
    if word[:1].isalpha() and word[0] not in _NO_LETTERS:  # quicker than the error of float
        return False
    try:
        real(word)
    except ValueError:
        return False
    return True


def json_columns(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One column per name, from one JSON object per cell; None where a cell has no such value.

    >>> json_columns([{"at": [0.0, 1.0]}, {"at": [2.0, 3.0]}])["at"].shape
    (2, 2)
    """
    return {name: column(values) for name, values in columns_of(records).items()}


def column(values: list[Any]) -> Any:
    """Return a column of JSON values: rows of numbers become a table, other lists tuples.

    >>> column([[1.0, 2.0], [3.0, 4.0]]).shape, column([[1], ["a", 2]])
    ((2, 2), [(1,), ('a', 2)])
    """
    if not any(isinstance(v, list) for v in values):
        return values
    table = as_table(values)
    return [from_json(v) for v in values] if table is None else table


def from_json(value: Any) -> Any:
    """Return the value with lists as tuples, so that it can be a label."""
    return tuple(from_json(v) for v in value) if isinstance(value, list) else value


def to_json(value: Any, strict: bool = True) -> Any:
    """Return the value in the types of JSON, numpy's among them as Python's.

    Strict JSON has no NaN, which becomes null, and no infinite numbers, which are refused; Python's
    own has both.

    >>> to_json(("A", np.int64(3), np.nan))
    ['A', 3, None]
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and np.isfinite(value).all():
        return value.tolist()
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [to_json(v, strict) for v in value]
    if isinstance(value, Mapping):
        if not all(isinstance(k, str) for k in value):
            raise InputError(f"{value!r} has keys that are not strings; JSON has no others")
        return {k: to_json(v, strict) for k, v in value.items()}
    if strict and isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return None
        raise InputError(f"JSON has no number {value}; write an .npz file, which holds it")
    if value is None or isinstance(value, str | int | float):
        return value
    raise InputError(
        f"{value!r} is a {type(value).__name__}, which no file format holds; "
        "use strings, numbers or tuples of them"
    )


def has_nan(value: Any) -> bool:
    """Return whether there is a NaN among the values, at any depth.

    >>> has_nan([(1.0, "a"), (np.nan, "b")]), has_nan(np.ones(3))
    (True, False)
    """
    if isinstance(value, np.ndarray):
        return bool(np.isnan(value).any()) if value.dtype.kind == "f" else has_nan(value.tolist())
    if isinstance(value, list | tuple):
        return any(map(has_nan, value))
    return isinstance(value, float) and math.isnan(value)


def null_as_nan(value: Any) -> Any:
    """Return the value of JSON with NaN in the place of null, at any depth.

    >>> null_as_nan([1.0, None])
    [1.0, nan]
    """
    if isinstance(value, list):
        return [null_as_nan(v) for v in value]
    return math.nan if value is None else value


def is_plain(label: Any) -> bool:
    """Return whether a label is a string or a whole number, which every format holds."""
    return isinstance(label, str) or (
        isinstance(label, int | np.integer) and not isinstance(label, bool)
    )


def label_words(labels: Iterable[Hashable]) -> list[str]:
    """Return the labels as different words: strings as they are, all else as JSON.

    >>> label_words(["a", 1, ("A", "52")])
    ['a', '1', '["A", "52"]']
    """
    words = [v if isinstance(v, str) else json.dumps(to_json(v)) for v in labels]
    if len(set(words)) < len(words):
        raise InputError("two labels look the same as text, such as 1 and '1'; rename one of them")
    return words
