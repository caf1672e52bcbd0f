"""Every result says what it is: a card in a notebook, one line as its repr, and no array dumped."""

import re
import xml.dom.minidom as xml

import matplotlib as mpl
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from public_calls import ALL, RESULTS, changes, contacts, live, moments, public_names, timeline

import cellapse as cl
from cellapse import datasets, io, tasks

mpl.use("Agg")
K = cl.clique_complex(nx.karate_club_graph(), weight=None)
S = cl.make_operator(K, "renormalized")
SIGNAL = np.arange(34.0)


def torch_operator():
    torch = pytest.importorskip("torch")
    from cellapse.torch import Collapse

    del torch
    return Collapse(K).operator()


def torch_blueprint():
    pytest.importorskip("torch")
    from cellapse.torch import blueprint

    return blueprint(K)


# One of each class in `RESULTS`, as functions make them.
MADE = {
    "Analysis": lambda: cl.analyze(K, 2, quick=True),
    "Blueprint": torch_blueprint,
    "Check": lambda: cl.theory.psd_condition(S),
    "Choice": lambda: tasks.choose_operator(K, 2),
    "Clusters": lambda: cl.cluster(S, 2),
    "CollapsedOperator": lambda: S,
    "Complex": lambda: K,
    "TemporalComplex": contacts,
    "Window": lambda: next(contacts().windows(3.0)),
    "Moment": lambda: moments()[0],
    "Changes": changes,
    "Timeline": timeline,
    "LiveOperator": live,
    "Cora": lambda: datasets.Cora(
        np.arange(2), np.array([[0, 1]]), np.array([0, 6]), np.ones((2, 3), dtype=np.uint8)
    ),
    "Cut": lambda: tasks.sweep_cut(S),
    "Dataset": lambda: datasets.load("karate"),
    "DifferentiableOperator": torch_operator,
    "Doubt": lambda: tasks.likely_false(K),
    "EdgeTrust": lambda: cl.edge_trust(K),
    "Embedding": lambda: cl.positional_encoding(S, 40),
    "GaussianProcess": lambda: cl.gaussian_process(S, {0: 1.0, 5: 2.0, 33: 0.0}),
    "HermitianOperator": lambda: cl.magnetic_laplacian(nx.DiGraph([(0, 1), (1, 2)])),
    "Incidence": lambda: cl.boundary_matrices(K),
    "Influence": lambda: tasks.cell_influence(S),
    "KernelOperator": lambda: cl.matern_kernel(S),
    "LabelledHypergraph": datasets.load_scenes,
    "Operator": lambda: cl.graph_laplacian(K),
    "Protein": lambda: datasets.load_protein("1HEL"),
    "Pyramid": lambda: cl.reduction.pyramid(S, 2),
    "ReducedOperator": lambda: cl.reduce(S, 5),
    "SparseReduction": lambda: cl.reduce(S, 5, sparse=0.5),
    "Reliability": lambda: tasks.rank_reliability(K),
    "Report": lambda: cl.theory.check(S),
    "ReportView": lambda: cl.report.show_report(cl.analyze(K, 2, quick=True)),
    "Signature": lambda: cl.heat_kernel_signature(S),
    "Spectra": lambda: cl.batch.spectra([K, K], eps=[1e-4, 1e-2], k=3),
    "Spectrum": lambda: S.spectrum(30),
    "Spread": lambda: tasks.spread_labels(S, {0: "a", 5: "a", 33: "b", 32: "b"}),
    "Strength": lambda: tasks.choose_strength(S, SIGNAL),
    "Surfaces": lambda: datasets.triangulated_surfaces(6),
    "Understood": lambda: io.understand([("a", "b"), ("b", "c")]),
    "Verdict": lambda: tasks.verdict(K),
    "Weights": lambda: S.weights,
}
# Small and odd ones: nothing to divide by, nothing to draw.
ODD = {
    "no edge": lambda: cl.edge_trust(cl.Complex.from_arrays(3, {})),
    "no complexes": lambda: cl.batch.spectra([]),
    "no influence": lambda: tasks.cell_influence(
        cl.make_operator(cl.Complex.from_arrays(3, {}), "screened"), "energy", np.ones(3)
    ),
    "long names": lambda: cl.edge_trust([("x" * 500, "y" * 500)]),
    "nothing to go by": lambda: tasks.likely_false(cl.clique_complex(nx.path_graph(9))),
    "one vertex": lambda: cl.analyze(cl.Complex.from_arrays(1, {}), 1, quick=True),
    "a long title": lambda: cl.analyze(K, 2, quick=True, title="karate " * 60),
    "the second eigenpair": lambda: tasks.fiedler(S),
    "one class": lambda: tasks.spread_labels(S, {0: "a"}),
    "a forest": lambda: tasks.verdict(nx.path_graph(6)),
}


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
@pytest.mark.parametrize("name", [*MADE, *ODD])
def test_a_result_has_a_card_and_a_line(name):
    thing = {**MADE, **ODD}[name]()
    line = repr(thing)
    assert "\n" not in line
    assert 10 < len(line) < 200
    assert not re.search(r"array\(|\[[^\]]*\d\.? +\d", line)
    assert type(thing).__name__.removeprefix("Sparse") in line or line.startswith("<")
    html = thing._repr_html_()
    if name in ("ReportView", "Timeline"):  # a page in a frame of its own
        assert html.startswith("<iframe srcdoc=")
        return
    page = xml.parseString(html.replace("<br>", "<br/>"))
    assert page.getElementsByTagName("svg")
    outside = html.replace('xmlns="http://www.w3.org/2000/svg"', "")
    words = re.sub(r"<td.*?</td>", "", outside)  # users and sources may write addresses
    assert not re.search(r"https?://|<script|<link|src=|url\(", words)
    rows = thing._card().rows
    assert rows
    assert re.search(r"\d", thing._card().title + " ".join(value for _, value in rows))
    assert all(isinstance(v, str) and v for row in rows for v in row)


def test_every_class_of_results_is_tried():
    classes = {n for _, n, found in public_names() if n in RESULTS and isinstance(found, type)}
    errors = {n for n in classes if issubclass(getattr(cl, n, object), BaseException | Warning)}
    inside = {"Realization", "Settings"}  # what realizations are, and the inside of `batch`
    assert classes - errors - inside <= set(MADE)


@pytest.mark.parametrize("name", [name for name in ALL if "plot" not in name])
def test_what_a_public_function_gives_has_one_line(name):
    pytest.importorskip("torch") if name.startswith("torch") else None
    function, arguments = ALL[name]()
    ours = type(found := function(**arguments)).__module__.startswith("cellapse")
    if ours and not hasattr(found, "parameters"):  # layers of PyTorch have lines of their own
        assert "\n" not in repr(found)
        assert len(repr(found)) < 200
        assert isinstance(function, type) or hasattr(found, "_repr_html_")  # no solver or layer


def test_names_of_users_are_escaped_and_cut():
    trust = cl.edge_trust(pd.DataFrame({"source": ["<b>"], "target": ["&" * 99]}))
    assert "<b>" not in trust._repr_html_()
    assert "&" * 60 not in trust._repr_html_().replace("&amp;", "&")


def test_the_figures_are_those_of_the_result():
    trust = cl.edge_trust(K)
    html = trust._repr_html_()
    assert f"{np.median(trust.values):.3f}" in html
    cut = tasks.sweep_cut(S)
    assert f"{cut.conductance:.4g}" in repr(cut)
    assert str(int(cut.inside.sum())) in repr(cut)
    assert "34 vertices in 3 columns" in repr(cl.embed(S, 3))


def next_calls(name):
    return [call for call, _ in {**MADE, **ODD}[name]()._card().calls]


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
@pytest.mark.parametrize("name", [name for name in MADE if name not in ("ReportView", "Timeline")])
def test_what_to_call_next_can_be_typed(name):
    """Of the package as `cl`, by the names it has there; anything else is a name of the result."""
    for call in next_calls(name):
        first, *others = re.match(r"[\w.]+", call)[0].split(".")
        assert first != "cellapse"
        if first == "cl":
            found = cl
            for part in others:
                found = getattr(found, part)
        elif others:  # no function of a module that nobody has imported, such as theory.check
            assert not hasattr(getattr(cl, first, None), others[0])


@pytest.mark.parametrize("given", ["karate", "football", "lesmis", "polbooks", "dolphins"])
def test_a_doubt_without_a_share_says_which_would_doubt_edges(given):
    by = {"evidence": "cells", "decoys": "degree"}
    doubt = cl.likely_false(given, **by)
    assert not doubt.doubted.any()
    (call,) = [call for call, _ in doubt._card().calls if "knowing" in call]
    (said,) = re.findall(r"false_share=([\d.]+)", str(doubt))
    least = float(re.search(r"\(([\d.]+)\)", call)[1])
    assert float(said) == least
    assert doubt.knowing(least).doubted.any()
    asked = cl.likely_false(given, false_share=least, **by)
    assert np.array_equal(asked.doubted, doubt.knowing(least).doubted)
    assert not doubt.knowing(least - 0.01 - 1e-9).doubted.any()
    again = [call for call, _ in doubt.knowing(least)._card().calls]
    assert not any("knowing" in call for call in again)
    assert any("network" in call for call in again)
