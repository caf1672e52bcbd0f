"""What results say of themselves: in a notebook, by print, in IPython; and plots one call away."""

import re
import xml.dom.minidom as xml

import matplotlib as mpl
import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator
from toys import karate

import cellapse as cl
from cellapse._shared.card import Card

mpl.use("Agg")


def things():
    graph = karate()
    K = cl.clique_complex(graph)
    S = cl.collapse(K, "unfolded")
    hyper = cl.hypergraph_complex([("a", "b", "c", "d"), ("d", "e"), ("e", "f", "g")])
    return {
        "Complex": K,
        "hypergraph": hyper,
        "one vertex": cl.Complex.from_arrays(1, {}),
        "no edge": cl.Complex.from_arrays(3, {1: np.empty((0, 2), int), 2: [[0, 1, 2]]}),
        "large": cl.clique_complex(nx.path_graph(21_000)),
        "unfolded": S,
        "renormalized": cl.collapse(K, "renormalized"),
        "of matrices": cl.collapse(list(cl.boundary_matrices(K)), eps=1e-2),
        "onto edges": cl.collapse(K, "unfolded", onto=1),
        "L": cl.graph_laplacian(K),
        "someone else's": cl.as_operator(aslinearoperator(sparse.eye_array(4).tocsr())),
        "Spectrum": S.spectrum(5),
        "Clusters": cl.cluster(S, 3),
        "check": cl.theory.check(S),
        "Analysis": cl.analysis.analyze(K, 2),
    }


THINGS = things()


@pytest.mark.parametrize("name", THINGS)
def test_a_notebook_shows_what_it_is_its_size_a_picture_and_what_to_call_next(name):
    thing = THINGS[name]
    html, text = thing._repr_html_(), str(thing)
    page = xml.parseString(html.replace("<br>", "<br/>"))
    shown = " ".join(page.documentElement.toxml().split())
    card = thing._card()
    assert all((card.title, card.rows, card.calls))
    for piece in (card.title, *(v for row in card.rows for v in row)):
        assert re.sub(r"\s+", " ", piece) in _unescaped(shown)
        if name != "check":  # a table of its own
            assert piece in text
    assert name == "someone else's" or page.getElementsByTagName("svg")
    assert len(html) < 100_000


def _unescaped(text):
    for name, sign in (("lt", "<"), ("gt", ">"), ("quot", '"'), ("#x27", "'"), ("amp", "&")):
        text = text.replace(f"&{name};", sign)
    return text


def test_the_table_of_checks_has_a_line_for_each():
    report = THINGS["check"]
    assert all(c.statement in str(report) for c in report.checks)
    assert len(repr(report)) < 80


def test_ipython_shows_the_text():
    class Printer:
        def text(self, text):
            self.shown = text

    printer = Printer()
    THINGS["Spectrum"]._repr_pretty_(printer, False)
    assert printer.shown == str(THINGS["Spectrum"])


def test_names_of_users_are_escaped():
    K = cl.Complex.from_cells({1: [("<b>", "&")]}, metadata={"name": "<script>alert(1)</script>"})
    assert "<script>" not in K._repr_html_()
    clusters = cl.cluster(cl.graph_laplacian(K), 1)
    assert "'<b>'" not in clusters._repr_html_()


def test_a_picture_that_is_too_large_is_left_out():
    card = Card("title", (), lambda: "<svg/>" + " " * 100_000, ())
    assert "svg" not in card.html()


@pytest.mark.parametrize("name", ["Complex", "unfolded", "L", "Spectrum", "Clusters"])
def test_plot_gives_the_axes_of_pyplot_which_a_notebook_shows(name):
    from matplotlib import pyplot

    ax = THINGS[name].plot()
    assert pyplot.fignum_exists(ax.figure.number)
    before = pyplot.get_fignums()
    _, given = pyplot.subplots()
    assert THINGS[name].plot(ax=given) is given
    assert len(pyplot.get_fignums()) == len(before) + 1


def test_two_clusters_are_drawn_by_one_vector():
    ax = cl.cluster(cl.graph_laplacian(THINGS["Complex"]), 2).plot()
    assert ax.get_ylabel() == "eigenvector 2"
    with pytest.raises(cl.InputError, match="eigenvectors"):
        cl.cluster(cl.graph_laplacian(THINGS["Complex"]), 1).plot()


def test_trust_is_drawn_with_its_threshold():
    doubt = cl.tasks.likely_false(cl.clique_complex(nx.connected_caveman_graph(10, 6)))
    ax = cl.plot.plot_trust(doubt)
    assert (doubt.threshold is not None) == bool(ax.lines)
    with pytest.raises(cl.InputError, match="edge_trust"):
        cl.plot.plot_trust([0.5])
