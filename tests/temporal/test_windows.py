"""Complexes over time: where they come from, and windows that are made from one another."""

import datetime as dt

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cellapse as cl
from cellapse.temporal import TemporalComplex, as_temporal

CELLS = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]


def by_hand(events, start, end):
    """Which pairs and triangles are there, from the definition alone."""
    edges = {
        frozenset(cell)
        for cell, (s, e) in events
        if (start <= s < end if s == e else s < end and start < e) and len(set(cell)) == 2
    }
    vertices = sorted({v for edge in edges for v in edge})
    triangles = {
        frozenset((u, v, w))
        for u in vertices
        for v in vertices
        for w in vertices
        if u < v < w and {frozenset(p) for p in ((u, v), (v, w), (u, w))} <= edges
    }
    return edges, triangles


def sets(K, rank):
    return {frozenset(c) for c in K.cell_labels(rank)} if rank <= K.max_rank else set()


def the_same(A, B):
    assert A.labels == B.labels
    assert A.n_cells == B.n_cells
    for a, b in zip(A.cells, B.cells, strict=True):
        assert a.indptr.tolist() == b.indptr.tolist()
        assert a.indices.tolist() == b.indices.tolist()
    for a, b in zip(A.weights, B.weights, strict=True):
        assert (a is None) == (b is None)
        assert a is None or a == pytest.approx(b)


def test_a_cell_with_a_time_is_there_from_the_start_of_a_window_up_to_its_end():
    T = TemporalComplex.from_cells(CELLS, [0, 1, 2, 7])
    assert [w.start for w in T.windows(2)] == [0, 2, 4, 6]
    first, second, empty, third = T.windows(2)
    assert empty.complex.n_edges == 0
    assert sets(first.complex, 1) == {frozenset("ab"), frozenset("bc")}
    assert sets(second.complex, 1) == {frozenset("ac")}
    assert sets(third.complex, 1) == {frozenset("cd")}
    assert (second.entered, second.left) == ((1, 0), (2, 0))


def test_a_cell_with_an_interval_is_there_where_both_overlap():
    T = TemporalComplex.from_cells([("a", "b")], [1], [3])
    there = {w.start: w.complex.n_edges for w in T.windows(1, 1)}
    assert {start for start, n in there.items() if n} == {1, 2}
    assert T.between(0, 1).n_edges == 0
    assert T.between(2.5, 10).n_edges == 1
    assert T.between(3, 10).n_edges == 0


def test_triangles_come_with_their_last_edge_and_go_with_their_first():
    T = TemporalComplex.from_cells(CELLS[:3], [0, 1, 2], [5, 6, 7])
    counts = {w.start: (w.complex.n_cells[1:], w.entered[1], w.left[1]) for w in T.windows(1, 1)}
    assert counts[1.0] == ((2, 0), 0, 0)
    assert counts[2.0] == ((3, 1), 1, 0)
    assert counts[4.0] == ((3, 1), 0, 0)
    assert counts[5.0] == ((2, 0), 0, 1)


def test_weights_of_edges_are_sums_over_what_is_there():
    T = TemporalComplex.from_cells(
        [("a", "b"), ("b", "a"), ("b", "c")], [0, 1, 1], weights=[1, 2, 4]
    )
    weights = [w.complex.weights[1].tolist() for w in T.windows(2, 1)]
    assert weights == [[1.0], [3.0, 4.0], [2.0, 4.0]]


def test_larger_sets_are_cells_of_rank_2_with_their_pairs():
    T = TemporalComplex.from_cells([("a", "b", "c"), ("c", "d"), ("c", "b", "a")], [0, 0, 1])
    first, second = T.windows(1)
    assert first.complex.n_cells == (4, 4, 1)
    assert second.complex.n_cells == (4, 3, 1)
    assert (second.entered, second.left) == ((0, 0), (1, 0))
    the_same(first.complex, T.between(0, 1))


@st.composite
def temporal(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(3, 9))
    most = draw(st.sampled_from([2, 2, 4]))
    cells = [
        tuple(rng.choice(n, min(n, rng.integers(2, most + 1)), replace=False).tolist())
        for _ in range(draw(st.integers(1, 40)))
    ]
    times = rng.integers(0, 20, len(cells)).astype(float)
    ends = times + rng.integers(0, 6, len(cells)) if draw(st.booleans()) else None
    weights = rng.random(len(cells)) + 0.1 if draw(st.booleans()) else None
    return TemporalComplex.from_cells(cells, times, ends, weights=weights, vertices=range(n))


spans = st.sampled_from([0.5, 1, 2, 3, 7])


@given(temporal(), spans, spans, st.integers(1, 3))
def test_windows_made_from_one_another_are_those_made_alone(T, width, step, max_rank):
    before = None
    for w in T.windows(width, step, max_rank=max_rank):
        if max_rank == 2 or not T.is_graph:
            the_same(w.complex, T.between(w.start, w.end))
        elif max_rank == 3:
            the_same(w.complex, T.between(w.start, w.end, max_rank=3))
        for rank, (more, fewer) in enumerate(zip(w.entered, w.left, strict=True), 1):
            now, then = sets(w.complex, rank), set() if before is None else sets(before, rank)
            assert (more, fewer) == (len(now - then), len(then - now))
        before = w.complex


@given(temporal(), spans, spans)
def test_windows_hold_what_the_definition_says(T, width, step):
    if not T.is_graph:
        return
    times = zip(T.start.tolist(), T.end.tolist(), strict=True)
    events = list(zip((tuple(c.tolist()) for c in T.cells), times, strict=True))
    for w in T.windows(width, step):
        edges, triangles = by_hand(events, w.start, w.end)
        assert sets(w.complex, 1) == edges
        assert sets(w.complex, 2) == triangles


def test_no_window_is_empty_at_either_end_and_those_between_may_be():
    T = TemporalComplex.from_cells([("a", "b"), ("a", "b")], [3, 17])
    counts = [(w.start, w.complex.n_edges) for w in T.windows(2, 2)]
    assert counts[0] == (2, 1)
    assert counts[-1] == (16, 1)
    assert sum(n for _, n in counts) == 2
    assert len(counts) == 8


# What users have


def test_a_table_of_pandas_with_dates():
    table = pd.DataFrame(
        {
            "source": ["b", "a"],
            "target": ["c", "b"],
            "when": pd.to_datetime(["2024-01-01 10:00", "2024-01-01 10:30"]),
            "weight": [2.0, 3.0],
        }
    )
    T = as_temporal(table, time="when")
    assert T.dated
    assert T.labels == ("b", "c", "a")
    assert T.weights.tolist() == [2.0, 3.0]
    assert [w.complex.n_edges for w in T.windows("30min")] == [1, 1]
    zoned = table.assign(when=table["when"].dt.tz_localize("Europe/Berlin"))
    assert as_temporal(zoned, time="when").first == T.first - 3600
    assert as_temporal(table, time="when", weight=None).weights is None


def test_a_column_of_ends_counts_unless_it_is_left_out(tmp_path):
    table = pd.DataFrame(
        {"source": ["a", "b"], "target": ["b", "c"], "time": [1.0, 2.0], "end": [5.0, 3.0]}
    )
    table.to_csv(tmp_path / "meetings.csv", index=False)
    graph = nx.from_pandas_edgelist(table, edge_attr=True)
    for source in (table, graph, tmp_path / "meetings.csv"):
        assert as_temporal(source).end.tolist() == [5.0, 3.0]
        assert as_temporal(source, end=None).end.tolist() == [1.0, 2.0]


def test_what_a_graph_knows_of_its_nodes_is_kept():
    G = nx.MultiDiGraph(place="a school")
    G.add_nodes_from([("z", {"age": 9}), ("a", {"age": 8}), ("b", {"age": 7})])
    G.add_edge("a", "b", time=1)
    T = as_temporal(G, directed="ignore")
    assert T.labels == ("z", "a", "b")
    assert T.attributes["age"].tolist() == [9, 8, 7]
    assert T.metadata["place"] == "a school"


@pytest.mark.parametrize("option", ["time", "end", "weight", "columns", "sep", "header"])
def test_options_that_do_not_apply_are_refused(option):
    value = {"columns": (1, 2), "header": True}.get(option, "x")
    array = np.array([[0, 1, 10], [1, 2, 20]])
    for source in (array, as_temporal(array)):
        with pytest.raises(cl.InputError, match=option):
            as_temporal(source, **{option: value})


def test_a_graph_of_networkx_with_times():
    G = nx.MultiGraph()
    G.add_nodes_from(["z", "a"])
    G.add_edge("a", "b", time=1, until=4)
    G.add_edge("a", "b", time=9, until=11)
    T = as_temporal(G, end="until")
    assert T.labels == ("z", "a", "b")
    assert T.end.tolist() == [4, 11]
    with pytest.raises(cl.InputError, match="time"):
        as_temporal(nx.path_graph(3))
    with pytest.raises(cl.InputError, match="directed"):
        as_temporal(nx.DiGraph(G))


def test_temporal_data_of_pyg():
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data").TemporalData(
        src=torch.tensor([0, 1]), dst=torch.tensor([1, 3]), t=torch.tensor([5, 6])
    )
    T = as_temporal(data)
    assert (T.n_vertices, T.start.tolist()) == (4, [5.0, 6.0])


def test_files_with_a_column_of_times(tmp_path):
    csv = tmp_path / "contacts.csv"
    csv.write_text("from,to,time,place\na,b,2024-01-01 10:00,x\nb,c,2024-01-01 12:00,y\n")
    T = as_temporal(csv)
    assert (T.labels, T.last - T.first) == (("a", "b", "c"), 7200.0)
    snap = tmp_path / "snap.txt"
    snap.write_text("9 8 1082040961\n3 4 1082155839\n3 4 1082155840\n3 3 1082155841\n")
    with pytest.warns(cl.CellapseWarning, match="self-loop"):
        T = as_temporal(snap)
    assert (T.labels, len(T)) == ((3, 4, 8, 9), 3)
    konect = tmp_path / "out.net"
    konect.write_text("% sym unweighted\n1 2 1 10\n2 3 1 20\n1 2 1 30\n")
    assert as_temporal(konect).start.tolist() == [10, 20, 30]
    for part, text in (("nverts", "3\n2\n"), ("simplices", "7\n8\n9\n9\n8\n"), ("times", "4\n5\n")):
        (tmp_path / f"tags-{part}.txt").write_text(text)
    T = as_temporal(tmp_path / "tags-nverts.txt")
    assert (T.labels, T.cells.sizes.tolist(), T.start.tolist()) == ((7, 8, 9), [3, 2], [4, 5])
    bare = tmp_path / "tij.dat"
    bare.write_text("20 1 2 A B\n40 2 3 B B\n60 1 3 A B\n")
    T = as_temporal(bare, columns=(2, 3, 1))
    assert (T.labels, T.start.tolist()) == ((1, 2, 3), [20, 40, 60])
    (tmp_path / "uvt.txt").write_text("1 2 3\n2 3 4\n3 1 5\n")
    with pytest.raises(cl.InputError, match="columns"):
        as_temporal(tmp_path / "uvt.txt")


@pytest.mark.parametrize(
    "times",
    [
        [None, 1],
        [float("nan"), 1],
        ["soon", "later"],
        [1, "2024-01-01"],
        [True, False],
        pd.Series(pd.to_datetime(["2024-01-01", None])),
        np.array(["2024-01-01", "NaT"], dtype="datetime64[s]"),
        [float("inf"), 1],
        [1],
        [[1, 2], [3, 4]],
        3,
        [1 + 2j, 1],
    ],
)
def test_what_is_no_time_is_refused(times):
    with pytest.raises(cl.CellapseError):
        TemporalComplex.from_cells([("a", "b"), ("b", "c")], times)


@pytest.mark.parametrize(
    "span",
    [
        0,
        -1,
        float("nan"),
        float("inf"),
        "an hour",
        "-1h",
        "1 fortnight",
        None,
        True,
        [1],
        np.timedelta64("NaT"),
    ],
)
def test_what_is_no_span_is_refused(span):
    T = TemporalComplex.from_cells(CELLS, range(4))
    with pytest.raises(cl.CellapseError):
        T.windows(span, 1)
    if span is not None:
        with pytest.raises(cl.CellapseError):
            T.windows(1, span)


def test_spans_are_numbers_words_and_objects():
    T = TemporalComplex.from_cells(CELLS, ["2024-01-01", "2024-01-02", "2024-01-02", "2024-01-03"])
    counts = [
        [w.complex.n_edges for w in T.windows(width)]
        for width in (
            "1d",
            "24 h",
            86400,
            dt.timedelta(days=1),
            np.timedelta64(1, "D"),
            pd.Timedelta("1D"),
        )
    ]
    assert counts == [[1, 2, 1]] * 6


@pytest.mark.parametrize(
    "call",
    [
        lambda: TemporalComplex.from_cells([], []),
        lambda: TemporalComplex.from_cells([("a", "a")], [1]),
        lambda: TemporalComplex.from_cells([("a", "b")], [1], [0]),
        lambda: TemporalComplex.from_cells([("a", "b")], [1], ["2024-01-01"]),
        lambda: TemporalComplex.from_cells([("a", "b")], [1], [1, 2]),
        lambda: TemporalComplex.from_cells([("a", "b")], [1], weights=[0]),
        lambda: TemporalComplex.from_cells([("a", "b")], [1], weights=[1, 2]),
        lambda: TemporalComplex.from_cells([("a", "b")], [1], vertices=["a"]),
        lambda: TemporalComplex.from_cells(CELLS, range(4)).windows(1e-9),
        lambda: TemporalComplex.from_cells(CELLS, range(4)).between(3, 1),
        lambda: TemporalComplex.from_cells(CELLS, range(4)).between(1, float("nan")),
        lambda: as_temporal(3),
        lambda: as_temporal("no such file.csv"),
        lambda: as_temporal(np.zeros((3, 2))),
        lambda: as_temporal(np.array([[0.5, 1, 2]])),
        lambda: as_temporal(pd.DataFrame({"x": [1]})),
        lambda: as_temporal(pd.DataFrame({"source": [1], "target": [2]})),
        lambda: as_temporal(pd.DataFrame({"source": [1], "target": [2], "time": [3]}), end="no"),
    ],
)
def test_what_makes_no_temporal_complex_is_refused(call):
    with pytest.raises(cl.CellapseError):
        call()


def test_unsorted_times_are_the_same_as_sorted_ones():
    order = [2, 0, 3, 1]
    T = TemporalComplex.from_cells(CELLS, range(4), vertices="abcd")
    U = TemporalComplex.from_cells([CELLS[i] for i in order], order, vertices="abcd")
    for a, b in zip(T.windows(2, 1), U.windows(2, 1), strict=True):
        the_same(a.complex, b.complex)


def test_numbers_that_count_from_1970_are_dates():
    cells, half = np.array([[0, 1, 1500], [1, 2, 4000]]), ["1.5s", "1500ms", 1.5]
    T = as_temporal(cells, unit="ms")
    assert T.dated
    assert T.start.tolist() == [1.5, 4.0]
    starts = [[w.start for w in T.windows(width) if w.complex.n_edges] for width in half]
    assert starts == [[1.5, 3.0]] * 3
    assert repr(next(T.windows(1.5))).endswith("1970-01-01 00:00:01.5 to 1970-01-01 00:00:03>")
    assert as_temporal(T).dated
    with pytest.raises(cl.InputError, match="unit"):
        as_temporal(T, unit="s")
    with pytest.raises(cl.InputError, match="unit"):
        as_temporal(cells, unit="fortnight")


def test_times_far_from_now_are_shown():
    T = TemporalComplex.from_cells([("a", "b")], np.array(["20000-01-01"], dtype="datetime64[D]"))
    assert "20000-01-01" in repr(T)
    assert "Window" in repr(next(T.windows("100000000d")))
