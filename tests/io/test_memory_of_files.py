"""What a reader is about to make is asked of the budget first, for as much as it will take."""

import io
import re

import networkx as nx
import numpy as np
import pytest
import scipy.io
from scipy import sparse

import cellapse as cl
from cellapse._shared.memory import _BUDGET, memory_budget
from cellapse.io import FORMATS, _source
from cellapse.io.npz import pack, text_array


def path_matrix(n):
    """The adjacency of a path on the first four of n vertices: six entries."""
    ends = np.arange(3)
    places = (np.r_[ends, ends + 1], np.r_[ends + 1, ends])
    return sparse.csr_array((np.ones(6), places), shape=(n, n))


def npz_of(matrix):
    file = io.BytesIO()
    sparse.save_npz(file, matrix, compressed=False)
    return file.getvalue()


def mat_of(**arrays):
    file = io.BytesIO()
    scipy.io.savemat(file, arrays, do_compression=True)
    return file.getvalue()


def defaults(n_keys, n_nodes):
    keys = "".join(f"<key id='k{i}' for='node'><default>x</default></key>" for i in range(n_keys))
    nodes = "".join(f"<node id='{i}'/>" for i in range(n_nodes))
    return f"<graphml>{keys}<graph>{nodes}</graph></graphml>"


def mtx(n, kind="symmetric", layout="coordinate"):
    return f"%%MatrixMarket matrix {layout} pattern {kind}\n{n} {n} 1\n2 1\n"


ASKED = {
    "matrix market, one half": (
        "matrix market",
        mtx(1500),
        "a graph of 1,500 vertices needs 150.0 kB",
    ),
    "matrix market, all": (
        "matrix market",
        mtx(1500, "general"),
        "a graph of 1,500 vertices needs 150.1 kB",
    ),
    "matrix": ("matrix", "\n".join(["0 " * 40] * 40), "a matrix of 40 rows needs 160.0 kB"),
    "npz": ("npz", npz_of(path_matrix(1200)), "a graph of 1,200 vertices needs 120.6 kB"),
    "mat": ("mat", mat_of(A=np.zeros((90, 90))), "unpacking 64.8 kB needs 259.4 kB"),
    "graph6": ("graph6", nx.to_graph6_bytes(nx.empty_graph(120)), "the 7,140 pairs needs 119.0 kB"),
    "sparse6": (
        "graph6",
        nx.to_sparse6_bytes(nx.path_graph(1100)),
        "a graph of 1,100 vertices needs 110.0 kB",
    ),
    "ucinet": (
        "ucinet",
        "dl n=100\ndata:\n" + "0 " * 10_000,
        "a matrix of 100 rows needs 160.0 kB",
    ),
    "stl": (
        "stl",
        b"x" * 80 + (300).to_bytes(4, "little") + bytes(50 * 300),
        "300 triangles needs 120.0 kB",
    ),
    "graphml": ("graphml", defaults(40, 30), "40 defaults for each of 30 nodes needs 120.0 kB"),
    "dot": (
        "dot",
        f"graph {{ node [{' '.join(f'a{i}=1' for i in range(1100))}]; x }}",
        "the attributes of all nodes needs 110.0 kB",
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_made_is_asked_for(name):
    format_, data, words = ASKED[name]
    data = data if isinstance(data, bytes) else data.encode()
    with memory_budget(100_000), pytest.raises(cl.SizeError, match=f"^{re.escape(words)}"):
        FORMATS[format_].read(data)


def test_words_of_an_array_are_asked_for():
    with memory_budget(1), pytest.raises(cl.SizeError, match=r"20 .*160\.0 kB"):
        text_array(["x" * 1000] * 19 + ["y"])


def test_an_npz_takes_six_times_its_arrays():
    held = pack({"a": np.zeros(20_000, np.uint8)})
    with memory_budget(120_000), pytest.raises(cl.SizeError, match=r"of 20\.1 kB needs 120\.8 kB"):
        FORMATS["npz"].read(held)
    with memory_budget(121_000), pytest.raises(cl.InputError, match="neither a complex"):
        FORMATS["npz"].read(held)


@pytest.mark.parametrize(
    ("size", "packed", "limit"),
    [(0, False, 10**9), (10**7, False, 5 * 10**9), (10**7, True, 2 * 10**10)],
)
def test_how_much_reading_a_file_may_take(size, packed, limit):
    with _source.reading("x", size, packed=packed):
        _source.draw_memory(1.0, "a", "b")
        budget = _BUDGET.get()
        assert (budget.limit, budget.left) == (limit, limit - 1)


def test_reading_takes_no_more_than_the_caller_allows():
    with _source.reading("x", 10**7):
        assert _BUDGET.get().limit == 5 * 10**9
    with _source.reading("x", 10**7, 1):
        assert _BUDGET.get().limit == 1
    with pytest.raises(cl.InputError, match="max_memory=0"), _source.reading("x", 0, 0):
        pass


def test_a_stream_may_have_as_much_as_half_the_memory_holds(monkeypatch):
    monkeypatch.setattr(_source, "available_memory", lambda: 6000)
    assert _source.stream_bytes(io.BytesIO(b"x" * 300), 10) == b"x" * 300
    with pytest.raises(cl.SizeError, match="300 bytes"):
        _source.stream_bytes(io.BytesIO(b"x" * 301), 10)


def test_a_file_may_have_as_much_as_half_the_memory_holds(tmp_path):
    (tmp_path / "x").write_bytes(b"x" * 300)
    assert _source.raw_bytes(tmp_path / "x", 10, 6000) == b"x" * 300
    (tmp_path / "x").write_bytes(b"x" * 301)
    with pytest.raises(cl.SizeError, match="300 bytes"):
        _source.raw_bytes(tmp_path / "x", 10, 6000)
