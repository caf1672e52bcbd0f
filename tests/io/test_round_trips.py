"""What is written reads back the same, or is refused: every format, odd labels and values."""

import csv
import math
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from everyday import everyday
from hypothesis import given, settings
from hypothesis import strategies as st

import cellapse as cl

FULL = ("json", "npz", "json.gz", "hif")
WITH_VALUES = ("graphml", "gexf", "gml")
GRAPHS = (*WITH_VALUES, "csv", "tsv", "edges", "csv.gz")

ODD = (
    *("|", "a|b", "{", "}", "{'x': 1}", "a {b}", "[1]", '["a"]', "(1, 2)", "None", "nan", "NaN"),
    *("\r", "a\rb", "a\r\nb", "\n", "a\nb", "\t", " a", "a ", "a b", "", "\u2028", "\x85", "\x0b"),
    *("1", "01", "1.0", "-1", "+1", "1e3", "1_000", "inf", "-0", "0", "true", "null", "٣"),
    *("=1+1", "=cmd|' /C calc'!A0", "+", "-", "@", "@SUM(A1)", "'=x", "''=x", "'", "-a", "'a"),
    *("#a", "%", "% a", '"', '""', '"a', "a,b", ",", ";", "a;b", "source", "target", "node", "id"),
    *("weight", "u", "file", "<a>", "&amp;", "&", "]]>", "\ufeff", "\ufeffa", "\ufffd", "\ufffe"),
    *("\ud800", "a\udfff", "\0", "a\0", "\x01", "\x7f", "é", "e\u0301", "💩", "x" * 300),
    *("x" * 5001, "x" * 140_000, "\u202e", "a\u200b", "a\xa0"),
)
words = st.sampled_from(ODD) | st.text(max_size=4)
plain = words | st.integers(-5, 5) | st.sampled_from([10**18, 10**19, -(10**30), 2**63])
labels = plain | st.tuples(plain, plain) | st.sampled_from([1.5, -0.0, math.inf, math.nan, True])
values = st.none() | words | st.integers(-3, 3) | st.floats(allow_nan=True) | st.booleans()


@st.composite
def complexes(draw, top):
    n = draw(st.integers(2, 5))
    kind = draw(st.sampled_from([words, plain, labels]))
    names = draw(st.lists(kind, min_size=n, max_size=n, unique_by=lambda v: (type(v), v)))
    try:
        cells = {
            0: names,
            1: [(names[i], names[i + 1]) for i in range(draw(st.integers(0, n - 1)))],
        }
        if top > 1 and n > 2 and draw(st.booleans()):
            cells[2] = [tuple(names[:3])]
        attributes = {}
        for rank in (0, 1):
            count = len(cells[rank])
            column = st.lists(values, min_size=count, max_size=count)
            attributes[rank] = draw(st.dictionaries(words, column, max_size=2))
        metadata = draw(st.dictionaries(words, words, max_size=2))
        return cl.Complex.from_cells(cells, attributes=attributes, metadata=metadata)
    except cl.InputError:  # 1 and True are the same label
        return cl.Complex.from_cells({0: ["a", "b"], 1: [("a", "b")]})


def plainly(value):
    """A value in a form that compares: NaN equal to NaN, and types distinguished."""
    if isinstance(value, np.ndarray):
        return plainly(value.tolist())
    if isinstance(value, np.generic):
        return plainly(value.item())
    if isinstance(value, list | tuple):
        return tuple(map(plainly, value))
    if isinstance(value, float) and math.isnan(value):
        return (float, "nan")
    return type(value), value, math.copysign(1, value) if isinstance(value, float) else 0


def known(K, rank):
    """Attributes of a rank, without those that are None everywhere (which says nothing)."""
    columns = {n: plainly(c) for n, c in K.attributes[rank].items()} if K.max_rank >= rank else {}
    return {n: c for n, c in columns.items() if set(c) - {plainly(None)}}


def cells(K, rank):
    if K.max_rank < rank:
        return set()
    return {frozenset(map(plainly, cell)) for cell in K.cell_labels(rank)}


def there_and_back(K, *extensions):
    """The extensions that K may be written to, and what is read back from each."""
    with TemporaryDirectory() as folder:
        for extension in extensions:
            path = Path(folder) / f"x.{extension}"
            try:
                cl.write(K, path)
            except cl.CellapseError:
                assert not list(path.parent.iterdir()), extension
                continue
            weight = "auto" if any(w is not None for w in K.weights) else None
            yield extension, cl.read(path, weight=weight)
            path.unlink()


def assert_kept(K, L, extension):
    """L, read back, is K as far as the format goes."""
    assert set(map(plainly, L.labels)) == set(map(plainly, K.labels)), extension
    assert cells(L, 1) == cells(K, 1), extension
    if extension in (*FULL, *WITH_VALUES):
        assert plainly(L.labels) == plainly(K.labels), extension
        assert known(L, 0) == known(K, 0), extension
        assert known(L, 1) == known(K, 1), extension
    if extension in FULL:
        assert L.max_rank == K.max_rank, extension
        assert cells(L, 2) == cells(K, 2), extension
        assert plainly(list(L.metadata.items())) == plainly(list(K.metadata.items())), extension


# To draw a complex takes as long as to write and read it: all formats get the same ones.
@settings(max_examples=150)
@given(K=complexes(top=2))
def test_full_formats_keep_everything(K):
    for extension, L in there_and_back(K, *FULL):
        assert_kept(K, L, extension)


@settings(max_examples=200)
@given(K=complexes(top=1))
def test_other_formats_keep_labels_edges_and_values(K):
    bare = cl.Complex.from_cells({0: K.labels, 1: K.cell_labels(1)})
    for extension, L in (*there_and_back(K, *GRAPHS), *there_and_back(bare, "hyperedges")):
        assert_kept(K, L, extension)


HALVES = {"\ud800", "a\udfff"}  # of a character
NO_JSON = HALVES
NO_GML = {*HALVES, "\0", "a\0"}
NO_XML = {*NO_GML, "\x01", "\x0b", "\ufffe"}
NO_LINE = {*NO_GML, "", " a", "a ", "a\xa0", "\t", "\n", "a\nb", "\r", "a\rb", "a\r\nb"}
NO_LINE |= {"\x0b", "\x85", "\u2028"}
REFUSED = {
    **dict.fromkeys(["json", "json.gz", "hif"], NO_JSON),
    "npz": set(),
    "gml": NO_GML,
    "gexf": NO_XML,
    "graphml": NO_XML | {"\r", "a\rb", "a\r\nb"},
    **dict.fromkeys(["csv", "tsv", "edges", "csv.gz"], NO_LINE | {"source", "target"}),
    "hyperedges": NO_LINE | {"\ufeff", "\ufeffa"},
}


@pytest.mark.parametrize(
    "extension", everyday(REFUSED, quick=("json", "npz", "gml", "graphml", "csv", "hyperedges"))
)
def test_odd_words_are_kept_apart_from_those_a_format_cannot_hold(extension):
    """One at a time, as one that is refused hides the others: as a label and as a value."""
    refused = set()
    for word in ODD:
        tried = [cl.Complex.from_cells({1: [(word, "b"), ("b", "c")]})]
        if extension in (*FULL, *WITH_VALUES):
            values = {0: {"name": ["b", word]}, 1: {"kind": [word]}}
            tried.append(cl.Complex.from_cells({1: [("a", "b")]}, attributes=values))
        for K in tried:
            read = list(there_and_back(K, extension))
            refused |= set() if read else {word}
            for _, L in read:
                assert_kept(K, L, extension)
    assert refused == REFUSED[extension]


@given(K=complexes(top=1), weight=st.floats() | st.integers() | words)
def test_matrix_market_keeps_edges_and_values(K, weight):
    edges = [[K.labels.index(v) for v in cell] for cell in K.cell_labels(1)]
    values = [weight] * len(edges)
    for columns in ({}, {"weight": values}):
        plain = cl.Complex.from_arrays(K.n_vertices, {1: edges}, attributes={1: columns})
        read = list(there_and_back(plain, "mtx"))
        if not read:
            assert not edges or columns
            continue
        ((_, L),) = read
        assert (L.n_vertices, cells(L, 1)) == (K.n_vertices, cells(plain, 1))
        assert [float(v) for v in L.attributes[1].get("weight", [])] == columns.get("weight", [])


@pytest.mark.parametrize("extension", ["csv", "json", "npz", "graphml"])
@given(K=complexes(top=1), name=words)
def test_results_are_written_or_refused(extension, K, name):
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"x.{extension}"
        try:
            cl.write({name: np.arange(K.n_vertices)}, path, on=K)
        except cl.CellapseError:
            assert not path.exists()
            return
        if extension == "npz":
            with np.load(path, allow_pickle=False) as arrays:
                assert arrays[name].tolist() == list(range(K.n_vertices))
        if extension == "csv":
            with path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
            assert [row[-1] for row in rows[1:]] == [str(i) for i in range(K.n_vertices)]
            assert not any(re.match(r"[=@]|[+-][^0-9.in]", cell) for row in rows for cell in row)
