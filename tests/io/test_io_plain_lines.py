"""Lines are plain exactly where a regular expression says so, which is slower."""

import re

import numpy as np
import pytest

from cellapse.io import _plain_lines
from cellapse.io._plain_lines import count_plain_lines

VALUE = rb"-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?"
PLAIN = {
    2: re.compile(rb"(?:[0-9]+ [0-9]+\n)*"),
    3: re.compile(rb"(?:[0-9]+ [0-9]+ " + VALUE + rb"\n)*"),
}
LINES = {2: [b"1 2\n", b"30 4\n"], 3: [b"1 2 -1.5e-3\n", b"30 4 5.\n", b"7 8 9E+1\n", b"1 1 0\n"]}
LETTERS = b"0123 \n-+.eE,x\t"


@pytest.mark.parametrize("columns", [2, 3])
def test_plain_lines_are_those_of_a_regular_expression(columns):
    rng = np.random.default_rng(columns)
    seen = set()
    for _ in range(20_000):
        picked = rng.integers(len(LINES[columns]), size=rng.integers(1, 4))
        text = bytearray(b"".join(LINES[columns][i] for i in picked))
        for _ in range(rng.integers(3)):
            at = int(rng.integers(len(text)))
            letter = LETTERS[rng.integers(len(LETTERS))]
            text[at : at + int(rng.integers(2))] = bytes([letter])
        expected = text.count(b"\n") if PLAIN[columns].fullmatch(text) else None
        assert count_plain_lines(bytes(text), columns) == expected, text
        seen.add(expected)
    assert {None, 1, 2, 3} <= seen


@pytest.mark.parametrize("at_once", [14, 20, 100])
def test_the_parts_in_which_they_are_looked_at_make_no_difference(at_once, monkeypatch):
    monkeypatch.setattr(_plain_lines, "_AT_ONCE", at_once)
    text = b"".join(LINES[3]) * 5
    assert count_plain_lines(text, 3) == 20
    assert count_plain_lines(b"x y\n" + text, 3, 4) == 20
    for at in range(0, len(text), 7):
        assert count_plain_lines(text[:at] + b"x" + text[at:], 3) is None
    assert count_plain_lines(text[:-1], 3) is None
