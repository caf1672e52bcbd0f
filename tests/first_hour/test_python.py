"""The first hour in Python: from what one has to results, by names that completion shows."""

import inspect
import pickle

import networkx as nx
import numpy as np
import pytest

import cellapse as cl


def test_from_a_graph_to_everything():
    G = nx.les_miserables_graph()
    nx.set_edge_attributes(G, 1, "weight")
    S = cl.collapse(G)
    assert "cliques up to rank 2 of networkx.Graph" in repr(S)
    clusters = cl.cluster(G, 4)
    assert clusters.as_dict()["Valjean"] in range(4)
    trust = cl.edge_trust(G)
    assert len(trust) == G.number_of_edges()
    assert cl.embed(G, 3).coordinates.shape[0] == len(G)
    analysis = cl.analyze(G, 4, quick=True)
    assert analysis.clusters[0].numbers.tolist() == clusters.numbers.tolist()


def test_cells_can_be_sliced():
    K = cl.clique_complex(nx.complete_graph(5))
    assert [cell.tolist() for cell in K.cells[2][:2]] == [[0, 1, 2], [0, 1, 3]]
    assert len(K.cells[2][::3]) == 4
    assert [cell.tolist() for cell in K.cells[1][[0, -1]]] == [[0, 1], [3, 4]]
    assert len(K.cells[1][np.arange(10) > 7]) == 2
    with pytest.raises(IndexError):
        K.cells[2][10]
    with pytest.raises(cl.CellapseError, match="10 cells"):
        K.cells[2][[3, 12]]
    assert repr(K.cells[2][:1]) == "Cells([[0, 1, 2]])"


def test_an_operator_as_an_array_is_its_matrix():
    S = cl.collapse(nx.cycle_graph(5))
    assert np.array_equal(np.asarray(S), S.toarray())
    assert np.asarray(S, dtype=np.float32).dtype == np.float32
    assert (np.ones((2, 5)) @ S).shape == (2, 5)
    assert np.allclose(np.linalg.eigvalsh(S)[0], 0)


def test_a_spectrum_as_a_frame():
    pytest.importorskip("pandas")
    frame = cl.collapse(nx.cycle_graph(5)).spectrum(3).to_frame()
    assert list(frame.columns) == ["value", "residual"]
    assert frame.index.tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", ["1UBQ", "1ubq"])
def test_proteins_by_name(name):
    assert cl.datasets.load(name).name == "1UBQ"
    K = cl.protein_complex(name)
    assert K.n_vertices == len(cl.datasets.load(name)) == len(cl.secondary_structure(name))
    assert cl.collapse(name).shape == (76, 76)
    same = cl.datasets.load(name).complex()
    for mine, theirs in zip(K.cells, same.cells, strict=True):
        assert {tuple(c) for c in mine} == {tuple(c) for c in theirs}


SPACES = (
    *("analysis", "batch", "datasets", "estimators", "interop", "io", "lifts", "plot", "report"),
    *("tasks", "theory"),
)


@pytest.mark.parametrize("space", SPACES)
def test_completion_shows_what_is_public_and_nothing_else(space):
    module = getattr(cl, space)
    assert space in dir(cl)
    for name in dir(module):
        assert not name.startswith("_")
        value = getattr(module, name)
        assert not inspect.ismodule(value), name
        assert not getattr(value, "__module__", "cellapse").startswith(("numpy", "scipy", "typing"))
    assert set(module.__all__) <= set(dir(module))


def test_the_names_of_the_first_hour_are_shown():
    assert {"analyze", "plot", "lifts", "collapse", "cluster", "edge_trust", "read"} <= set(dir(cl))
    for lift in ("clique_complex", "protein_complex", "rips_complex", "cycle_complex"):
        assert lift in dir(cl.lifts)


def test_the_report_in_a_notebook(monkeypatch):
    analysis = cl.analyze("karate", quick=True)
    view = cl.report.show_report(analysis)
    shown = view._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert "<script" not in shown  # escaped, within the frame
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    file = view.open()
    assert opened == [file.as_uri()]
    assert file.read_text(encoding="utf-8") == view.html
    with pytest.raises(cl.InputError, match="Complex"):
        cl.report.show_report("karate")
    assert len(pickle.dumps(analysis.clusters[0])) > 0
