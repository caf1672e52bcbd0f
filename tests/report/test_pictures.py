"""Small pictures, worked out by hand; progress bars; the histogram of trust."""

import re
import sys
from typing import ClassVar

import matplotlib as mpl
import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse._shared.pictures import PALETTE, bars, grid, network, points
from cellapse._shared.progress import Bar, progress
from cellapse.plot.small import small_drawing

mpl.use("Agg")


def numbers(svg, tag, *names):
    """The attributes of all elements of a kind, as tuples of numbers or words."""
    found = []
    for element in re.findall(rf"<{tag} [^>]*>", svg):
        given = dict(re.findall(r' ([-a-z]+)="([^"]*)"', element))
        if set(names) <= set(given):
            values = [given[name] for name in names]
            found.append(tuple(float(v) if re.fullmatch(r"[-.\d]+", v) else v for v in values))
    return found


# A picture is 180 x 120 with a margin of 8; points keep 4 more.


def test_points_over_their_index():
    drawn = numbers(points(np.array([0.0, 1.0, 4.0])), "circle", "cx", "cy", "r", "fill")
    assert drawn == [
        (12.0, 108.0, 2.2, PALETTE[0]),
        (90.0, 84.0, 2.2, PALETTE[0]),
        (168.0, 12.0, 2.2, PALETTE[0]),
    ]
    below = numbers(points(np.array([-1.0, 1.0])), "circle", "cy")
    assert below == [(108.0,), (12.0,)]
    assert numbers(points(np.array([np.nan, 1.0])), "circle", "cy") == [(108.0,), (12.0,)]
    assert points(np.arange(1000.0)).count("<circle") == 200
    assert "M8 8V112H172" in points(np.zeros(1))


def test_bars_stand_on_the_margin():
    drawn = numbers(bars([4, 2, 0, 1]), "rect", "x", "y", "width", "height", "fill")
    assert drawn == [
        (8.0, 8.0, 34.9, 104.0, PALETTE[0]),
        (49.0, 60.0, 34.9, 52.0, PALETTE[1]),
        (90.0, 112.0, 34.9, 0.0, PALETTE[2]),
        (131.0, 86.0, 34.9, 26.0, PALETTE[3]),
    ]
    assert numbers(bars([1, 1], ["red"]), "rect", "fill") == [("red",), ("red",)]
    assert bars([]).count("<rect") == 0


def test_a_grid_has_a_square_where_there_are_entries():
    drawn = numbers(grid(np.array([0, 1]), np.array([0, 0]), 2), "rect", "x", "y", "width")
    assert drawn == [(38.0, 8.0, 52.0), (38.0, 60.0, 52.0)]
    many = grid(np.array([0, 0, 0, 79]), np.array([0, 1, 1, 79]), 80)  # two by two in a square
    assert numbers(many, "rect", "x", "y", "opacity") == [(38.0, 8.0, 1.0), (139.4, 109.4, 0.6)]


def test_a_network_fills_its_frame_and_keeps_its_proportions():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    edges = np.array([[0, 1], [1, 2]])
    svg = network(square, edges, [square[:3]], np.array([0.1, 0.9]), np.array([0, 1, 2, 8]))
    dots = numbers(svg, "circle", "cx", "cy", "r", "fill")
    assert [d[:2] for d in dots] == [(38.0, 8.0), (142.0, 8.0), (142.0, 112.0), (38.0, 112.0)]
    assert [d[3] for d in dots] == [PALETTE[i] for i in (0, 1, 2, 1)]
    assert {d[2] for d in dots} == {3.0}
    lines = {d: (w, o) for d, w, o in numbers(svg, r"path", "d", "stroke-width", "opacity") if d}
    assert lines == {
        "M38.0 8.0L142.0 8.0": (0.4, 0.2),
        "M142.0 8.0L142.0 112.0": (1.15, 0.7),
    }
    assert (
        '<g fill="#0072B2" fill-opacity="0.30"><path d="M38.0 8.0L142.0 8.0L142.0 112.0Z"/>' in svg
    )
    wide = network(np.array([[0.0, 0.0], [4.0, 1.0]]), np.empty((0, 2), int))
    assert numbers(wide, "circle", "cx", "cy") == [(8.0, 39.5), (172.0, 80.5)]
    one = network(np.zeros((1, 2)), np.empty((0, 2), int))
    assert numbers(one, "circle", "cx", "cy") == [(90.0, 60.0)]
    many = network(np.arange(120.0).reshape(60, 2), np.empty((0, 2), int))
    assert {r for (r,) in numbers(many, "circle", "r")} == {2.0}


def test_a_large_complex_is_drawn_in_part():
    K = cl.clique_complex(nx.path_graph(400))
    svg = small_drawing(K, np.full(399, 0.9), np.repeat([0, 1], 200))
    assert svg.count("<circle") == 150
    (lines,) = [d for (d, w) in numbers(svg, "path", "d", "stroke-width") if w == 1.15]
    assert lines.count("M") == 149
    dense = small_drawing(cl.clique_complex(nx.complete_graph(40)))
    assert sum(d.count("M") for (d,) in numbers(dense, "path", "d") if "Z" not in d) == 500
    assert dense.count("Z") == 400


def test_groups_and_shares_of_a_drawing_belong_to_its_vertices_and_edges():
    K = cl.Complex.from_arrays(4, {1: [[0, 1], [1, 2], [2, 3]], 2: [[0, 1, 2]]})
    svg = small_drawing(K, np.array([0.0, 1.0, 0.5]), np.array([3, 2, 1, 0]))
    assert [c for (c,) in numbers(svg, "circle", "fill")] == [PALETTE[i] for i in (3, 2, 1, 0)]
    place = numbers(svg, "circle", "cx", "cy")
    strong = [d for d, w in numbers(svg, "path", "d", "stroke-width") if w == 1.15]
    (x, y), (u, v) = place[1], place[2]
    assert strong == [f"M{x:.1f} {y:.1f}L{u:.1f} {v:.1f}"]
    assert svg.count("Z") == 1
    assert small_drawing(K.skeleton(0)).count("<circle") == 4


def test_the_histogram_of_trust_counts_edges():
    trust = cl.edge_trust(cl.clique_complex(nx.barbell_graph(4, 0)))
    ax = cl.plot.plot_trust(trust)
    assert sum(p.get_height() for p in ax.patches) == 13
    assert ax.get_legend_handles_labels()[1] == ["the 13 edges"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xlim()) == ("trust", "edges", (0.0, 1.0))
    rng = np.random.default_rng(0)
    graph = nx.connected_caveman_graph(12, 6)
    graph.add_edges_from(rng.integers(0, 72, (40, 2)).tolist())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    doubt = cl.tasks.likely_false(cl.clique_complex(graph), false_share=0.3)
    assert doubt.threshold is not None
    ax = cl.plot.plot_trust(doubt)
    assert ax.lines[0].get_xdata()[0] == doubt.threshold
    heights = [p.get_height() for p in ax.patches if hasattr(p, "get_height")]
    assert sum(heights) == graph.number_of_edges()
    outline = next(p for p in ax.patches if not hasattr(p, "get_height")).get_xy()[:, 1]
    assert outline.max() * 40 >= graph.number_of_edges()  # as many random pairs as edges
    assert outline.max() <= graph.number_of_edges()


class Recorder:
    """In the place of tqdm: what it was asked for."""

    made: ClassVar[list] = []

    def __init__(self, **options):
        self.options, self.notes, self.closed = options, [], False
        self.made.append(self)

    def set_postfix_str(self, note, refresh):
        self.notes.append(note)

    def update(self):
        self.options["n"] = self.options.get("n", 0) + 1

    def close(self):
        self.closed = True


@pytest.fixture
def bars_made(monkeypatch):
    Recorder.made = []
    monkeypatch.setattr("tqdm.auto.tqdm", Recorder)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    return Recorder.made


def test_a_bar_has_its_title_total_and_unit_and_is_gone_in_the_end(bars_made):
    assert list(progress("abc", 3, "counting", show=True)) == ["a", "b", "c"]
    (bar,) = bars_made
    assert bar.closed
    assert bar.options == {
        "desc": "counting",
        "total": 3,
        "unit": "",
        "delay": 2.0,
        "mininterval": 10.0,
        "leave": False,
        "n": 3,
    }


def test_an_interrupted_bar_is_gone_too(bars_made):
    steps = progress("abc", 3, "counting", show=True)
    next(steps)
    steps.close()
    assert bars_made[0].closed
    assert "n" not in bars_made[0].options


def test_bars_are_shown_in_terminals_and_notebooks_and_nowhere_else(bars_made, monkeypatch):
    Bar("log").step("nothing")
    Bar("log").end()
    assert not bars_made
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    bar = Bar("notebook", unit="steps")
    bar.step("half way")
    assert bars_made[0].notes == ["half way"]
    assert bars_made[0].options["unit"] == " steps"
    assert bars_made[0].options["mininterval"] == 0.1
    Bar("hidden", show=False)
    monkeypatch.delitem(sys.modules, "ipykernel")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    Bar("terminal")
    assert [b.options["desc"] for b in bars_made] == ["notebook", "terminal"]
    assert bars_made[1].options["mininterval"] == 0.1
    assert bars_made[1].options["total"] is None
