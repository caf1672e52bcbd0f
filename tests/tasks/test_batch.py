"""Many complexes at once: the same as one at a time, whatever their company."""

from __future__ import annotations

import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import closed_or_weighted, combinatorial_complexes

import cellapse as cl
from cellapse._complex.union import separate, side_by_side
from cellapse.batch import spectra

REALIZATIONS = ("unfolded", "screened", "boundary", "incidence", "mixed")
EPS = (1e-8, 1e-4, 1.0)

pytestmark = pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")


def mixed_bag() -> list[cl.Complex]:
    """Graphs of several sizes: disconnected, bipartite, dense, without edges, repeated."""
    graphs = [
        nx.path_graph(2),
        nx.complete_graph(6),
        nx.disjoint_union(nx.cycle_graph(4), nx.complete_graph(3)),
        nx.empty_graph(5),
        nx.hypercube_graph(3),
        nx.gnp_random_graph(9, 0.6, seed=1),
        nx.gnp_random_graph(9, 0.6, seed=2),
        nx.complete_graph(6),
        nx.star_graph(7),
    ]
    ranks = [(1, 2), (2, 3), (1, 3)] * 3
    lifted = [cl.clique_complex(g, k) for g, two in zip(graphs, ranks, strict=True) for k in two]
    weighted = cl.Complex.from_arrays(
        4, {1: [[0, 1], [1, 2], [0, 2], [2, 3]], 2: [[0, 1, 2]]}, weights={1: [1, 2, 3, 4]}
    )
    return [*lifted, weighted, cl.Complex.from_arrays(3, {})]


@pytest.mark.parametrize("realization", REALIZATIONS)
def test_same_as_one_at_a_time(realization: str) -> None:
    bag = mixed_bag()
    found = spectra(bag, operator=realization, eps=EPS, vectors=True)
    assert found.vectors is not None
    for K, values, vectors, n_zeros in zip(
        bag, found.values, found.vectors, found.n_zeros, strict=True
    ):
        for eps, w, V in zip(EPS, values, vectors, strict=True):
            S = cl.collapse(K, realization=realization, eps=eps)
            alone = S.spectrum()
            scale = 1.0 + abs(S.A).sum(axis=1).max(initial=0.0)
            np.testing.assert_allclose(w, alone.values, atol=1e-12 * scale, rtol=0)
            np.testing.assert_allclose(S @ V, V * w, atol=1e-11 * scale, rtol=0)
            np.testing.assert_allclose(V.T @ V, np.eye(len(w)), atol=1e-11)
            assert n_zeros == (alone.n_zeros or 0)
            assert (w[:n_zeros] == 0).all()


@pytest.mark.parametrize("realization", REALIZATIONS)
def test_company_does_not_change_a_bit(realization: str) -> None:
    bag = mixed_bag()
    together = spectra(bag, operator=realization, eps=EPS)
    for K, values in zip(bag, together.values, strict=True):
        assert np.array_equal(spectra([K], operator=realization, eps=EPS).values[0], values)
    again = spectra(bag, operator=realization, eps=EPS, n_jobs=1)
    assert all(np.array_equal(a, b) for a, b in zip(together.values, again.values, strict=True))


@pytest.mark.parametrize(
    ("realization", "gamma"),
    [("unfolded", "regularized"), ("mixed", "regularized"), ("incidence", 0.1), ("screened", 0.5)],
)
def test_weights_as_in_collapse(realization: str, gamma: object) -> None:
    graphs = [nx.gnp_random_graph(8, 0.7, seed=s) for s in range(4)]
    bag = [cl.clique_complex(g) for g in graphs]
    found = spectra(bag, operator=realization, beta=(1.0, 2.0), gamma=gamma)
    for K, w in zip(bag, found.values, strict=True):
        S = cl.collapse(K, realization=realization, beta=(1.0, 2.0), gamma=gamma)
        np.testing.assert_allclose(w, S.spectrum().values, atol=1e-11)


def test_weights_out_of_bounds_lose_the_zeros_as_in_collapse() -> None:
    K = cl.clique_complex(nx.path_graph(5))
    found = spectra([K], operator="boundary", gamma=cl.Unchecked(1.5))
    alone = cl.collapse(K, realization="boundary", gamma=cl.Unchecked(1.5)).spectrum()
    assert alone.values[0] < -0.1
    np.testing.assert_allclose(found.values[0], alone.values, atol=1e-12)
    assert found.n_zeros[0] == 0


def test_renormalized_in_one_go() -> None:
    bag = [cl.clique_complex(nx.gnp_random_graph(12, 0.5, seed=s)) for s in range(5)]
    found = spectra(bag, operator="renormalized")
    for K, w in zip(bag, found.values, strict=True):
        S = cl.collapse(K, realization="renormalized")
        np.testing.assert_allclose(w, S.spectrum().values, atol=1e-12)


def test_large_ones_and_the_limit_go_alone() -> None:
    bag = [cl.clique_complex(nx.cycle_graph(n)) for n in (5, 350)]
    found = spectra(bag, operator="unfolded", k=3)
    for K, w in zip(bag, found.values, strict=True):
        np.testing.assert_allclose(w, cl.collapse(K, "unfolded").spectrum(3).values, atol=1e-10)
    limit = spectra(bag[:1], operator="unfolded", eps=0.0).values[0]
    np.testing.assert_allclose(
        limit, cl.collapse(bag[0], "unfolded", eps=0.0).spectrum().values, atol=1e-10
    )


def test_shapes_and_table() -> None:
    bag = [cl.clique_complex(nx.cycle_graph(n)) for n in (3, 5)]
    one = spectra(bag, operator="unfolded", k=4)
    assert [v.shape for v in one.values] == [(3,), (4,)]
    assert one.vectors is None
    assert np.isnan(one.table()[0, 3])
    assert one.table(fill=0.0).shape == (2, 4)
    several = spectra(bag, operator="unfolded", eps=[1e-4, 1e-2], vectors=True)
    assert several.vectors is not None
    assert several.vectors[1].shape == (2, 5, 5)
    assert len(spectra([], operator="unfolded")) == 0


@given(st.lists(st.one_of(closed_or_weighted, combinatorial_complexes()), min_size=1, max_size=4))
def test_incidence_of_any_complexes(bag: list[cl.Complex]) -> None:
    found = spectra(bag, operator="incidence")
    for K, w in zip(bag, found.values, strict=True):
        S = cl.collapse(K, realization="incidence")
        scale = 1.0 + abs(S.A).sum(axis=1).max(initial=0.0)
        np.testing.assert_allclose(w, S.spectrum().values, atol=1e-10 * scale, rtol=0)


def test_the_complex_at_fault_is_named() -> None:
    good = cl.clique_complex(nx.complete_graph(4))
    bad = cl.Complex.from_cells({0: "abc", 1: [("a", "b")], 2: [("a", "b", "c")]})
    with pytest.raises(cl.InputError, match="number 2"):
        spectra([good, good, bad], operator="unfolded")


@pytest.mark.parametrize(
    "arguments",
    [
        {"eps": []},
        {"eps": -1.0},
        {"k": 0},
        {"n_jobs": 0},
        {"operator": "folded"},
        {"operator": "sieved"},
        {"gamma": 50.0},
        {"beta": (1.0, 2.0, 3.0)},
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(cl.InputError):
        spectra([cl.clique_complex(nx.complete_graph(4))], **arguments)  # type: ignore[arg-type]


def test_other_things_than_complexes_are_refused() -> None:
    with pytest.raises(cl.InputError, match="to_undirected"):
        spectra([nx.DiGraph([(0, 1)])], operator="unfolded")
    with pytest.raises(cl.InputError):
        spectra(3, operator="unfolded")  # type: ignore[arg-type]


def test_a_warning_is_said_once() -> None:
    bag = [cl.clique_complex(nx.complete_graph(4))] * 3
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        spectra(bag, operator="mixed")
    assert sum(issubclass(w.category, cl.CellapseWarning) for w in said) == 1


def test_progress_is_shown_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tqdm.std.time", iter(np.arange(0.0, 1e6, 11.0).tolist()).__next__)
    bag = [cl.clique_complex(nx.path_graph(n)) for n in (301, 302, 303)]
    spectra(bag, operator="unfolded", k=2, progress=True)
    said = capsys.readouterr().err
    assert "spectra:  33%" in said
    assert "1/3 [" in said
    spectra(bag, operator="unfolded", k=2)  # not a terminal: silent
    assert capsys.readouterr().err == ""


def test_an_interrupt_stops_what_has_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []

    def solve(given: object, part: list[int], *_: object) -> object:
        begun.extend(part)
        raise KeyboardInterrupt

    monkeypatch.setattr("cellapse.batch._solve", solve)
    bag = [cl.clique_complex(nx.path_graph(301 + n)) for n in range(50)]
    with pytest.raises(KeyboardInterrupt):
        spectra(bag, operator="unfolded", n_jobs=1)
    assert len(begun) < 50


@given(st.lists(closed_or_weighted, min_size=1, max_size=4))
def test_side_by_side_and_apart_again(complexes: list[cl.Complex]) -> None:
    top = max(K.max_rank for K in complexes)
    same = [K for K in complexes if K.max_rank == top]
    again = separate(side_by_side(same), [K.n_vertices for K in same])
    for K, L in zip(same, again, strict=True):
        assert K.n_cells == L.n_cells
        for k in range(top + 1):
            np.testing.assert_array_equal(K.cells[k].indptr, L.cells[k].indptr)
            np.testing.assert_array_equal(K.cells[k].indices, L.cells[k].indices)
            if K.weights[k] is not None:
                np.testing.assert_array_equal(K.weights[k], L.weights[k])
