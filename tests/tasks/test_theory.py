"""The checks a user calls: they hold where the theory says so, and can fail."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from toys import karate

import cellapse as cl
from cellapse import theory

REALIZATIONS = ("unfolded", "boundary", "incidence", "mixed", "screened")


@pytest.mark.parametrize("realization", REALIZATIONS)
@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_everything_holds_on_real_and_disconnected_networks(realization):
    for graph in (
        karate(),
        nx.disjoint_union(nx.complete_graph(5), nx.lollipop_graph(4, 3)),
        nx.empty_graph(3),
        nx.path_graph(2),
        nx.empty_graph(1),
    ):
        S = cl.collapse(cl.clique_complex(graph, 3), realization=realization, eps=1e-3)
        report = theory.check(S)
        assert report.holds, report
        assert len(report.checks) == 9
        assert str(report).count("\n") == 10


@pytest.mark.parametrize("realization", ["screened", "unfolded"])
def test_what_the_cells_move_is_the_largest_eigenvalue_of_the_difference(realization):
    n = 600  # too many for dense matrices there
    S = cl.collapse(
        cl.clique_complex(nx.connected_watts_strogatz_graph(n, 6, 0.1, seed=0)), realization
    )
    exact = np.linalg.eigvalsh(S.A.toarray() - S.toarray())
    report = theory.check(S)
    assert report["cells_matter"].measured == pytest.approx(exact[-1], rel=1e-3)
    assert report["loewner_bounds"].measured == pytest.approx(0, abs=1e-3 * exact[-1])
    assert report["loewner_bounds"].holds


def test_an_indefinite_operator_is_found_out():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    with pytest.warns(cl.CellapseWarning, match="indefinite"):
        S = cl.collapse(K, "unfolded", gamma=cl.Unchecked((3.0, 0.5)))
    report = theory.check(S)
    assert not report.holds
    assert report["loewner_bounds"].holds is False
    assert report["psd_condition"].measured < 0


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_faces_drop_out_of_signed_boundaries_and_only_there():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    notes = {
        r: theory.cells_matter(cl.collapse(K, realization=r)).note
        for r in ("boundary", "mixed", "unfolded")
    }
    assert "change S by 0 %" in notes["boundary"]
    assert "change S by 0 %" not in notes["mixed"]
    assert "change S by 0 %" not in notes["unfolded"]


def test_the_move_stays_below_its_ceiling_and_reaches_it():
    K = cl.clique_complex(nx.path_graph(6))
    moved = theory.cells_matter(cl.collapse(K, "unfolded", eps=1e-6))
    second = np.linalg.eigvalsh(cl.graph_laplacian(K).toarray())[1]
    assert moved.bound == pytest.approx(second)
    assert moved.measured == pytest.approx(second, rel=1e-4)


def test_regularization_error_is_measured_and_below_its_bound():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    for eps in (1e-4, 1e-2, 1.0):
        S = cl.collapse(K, "unfolded", eps=eps)
        measured = theory.regularization_error(S)
        dense = np.linalg.norm(S.toarray() - cl.collapse(K, "unfolded", eps=0).toarray(), 2)
        assert measured.holds
        assert measured.measured == pytest.approx(dense, rel=1e-6)


def test_large_complexes_are_checked_by_lanczos(monkeypatch):
    monkeypatch.setattr("cellapse.theory.bounds.DENSE", 1000)
    monkeypatch.setattr("cellapse.theory.known.DENSE", 1000)
    points = np.random.default_rng(0).random((1300, 2))  # too many for a dense spectrum as well
    graph = nx.random_geometric_graph(1300, 0.055, pos=dict(enumerate(points)))
    S = cl.collapse(cl.clique_complex(graph), "unfolded", eps=1e-2)
    report = theory.check(S)
    assert report.holds
    assert report["loewner_bounds"].measured is not None
    assert report["conductance_reduction"].holds is None


def test_print_says_what_was_built():
    S = cl.collapse(cl.clique_complex(nx.karate_club_graph(), weight=None), "unfolded")
    text = str(S)
    for part in ("34 vertices", "Unfolded()", "beta (1, 1)", "bound", "theory.check", "Direct("):
        assert part in text
    screened = str(cl.collapse(cl.clique_complex(nx.cycle_graph(4)), "renormalized"))
    assert "Screened(theta=None, rounds=5)" in screened
    assert "none needed" in screened


def test_print_costs_no_solve(monkeypatch):
    S = cl.collapse(cl.clique_complex(nx.karate_club_graph(), weight=None), "unfolded")
    monkeypatch.setattr(type(S.elimination), "apply", lambda *_: 1 / 0)
    assert str(S)


@pytest.mark.parametrize("n", [20, 501])  # by dense algebra, and by Lanczos
@pytest.mark.parametrize("realization", ["unfolded", "mixed", "screened"])
def test_an_operator_that_moves_nothing_is_checked_as_any_other(n, realization):
    K = cl.clique_complex(nx.circulant_graph(n, [1, 2]))
    empty = cl.collapse(cl.Complex.from_cells({0: range(n)}), "unfolded")
    for S in (cl.collapse(K, realization=realization, gamma=0.0), empty):
        for statement in (theory.cells_matter, theory.loewner_bounds, theory.regularization_error):
            assert statement(S).holds
        assert theory.cells_matter(S).measured == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_verdicts_and_their_figures_do_not_depend_on_scale(scale):
    K = cl.clique_complex(nx.house_x_graph())
    usual = cl.collapse(K, realization="incidence", beta=[1.0, 2.0], eps=1e-4)
    beta = [scale * 1.0, scale * 2.0]
    scaled = cl.collapse(K, realization="incidence", beta=beta, eps=scale * 1e-4)
    norm = abs(usual.A).sum(axis=1).max()
    for one, other in zip(theory.check(usual).checks, theory.check(scaled).checks, strict=True):
        assert one.holds == other.holds
        assert one.note == other.note
        if one.measured is None:
            continue
        expected = pytest.approx(scale * one.measured, rel=1e-4, abs=1e-9 * scale * norm)
        assert other.measured == expected


def test_rounding_reads_as_zero_whatever_the_scale():
    for size in (1e-9, 1.0, 1e9):
        assert "  0 " in str(theory.Check("name", "claim", True, 1e-15 * size, size, "", size))
        assert "  0 " not in str(theory.Check("name", "claim", True, 1e-6 * size, size, "", size))


def test_a_report_is_a_collection_of_its_checks():
    report = cl.theory.check(cl.collapse(nx.complete_graph(4)))
    assert len(report) == len(list(report)) == len(report.checks)
    assert [report[check.name] for check in report] == list(report.checks)


def test_signals_that_no_cell_is_coupled_to_keep_their_image():
    """A pair of triangles: X = -gamma B_1, so the indicators of both are such signals."""
    K = cl.clique_complex(nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(3)))
    check = theory.unaffected_signals(cl.collapse(K, "unfolded", eps=1e-2))
    assert check.holds
    assert check.note.startswith("2 ")
    unsigned = theory.unaffected_signals(cl.collapse(K, "incidence", eps=1e-2))
    assert unsigned.holds  # an odd cycle has no such signal
    assert unsigned.note.startswith("no ")


def test_an_operator_that_moves_uncoupled_signals_is_found_out():
    """With unsigned edges between two vertices (1, -1) is such a signal; constants are not."""
    S = cl.collapse(nx.path_graph(2), "incidence", eps=1e-2)
    assert theory.unaffected_signals(S).holds
    S.A.data[:] = 1.0 + np.arange(4)  # no longer the A that S was made from
    assert theory.unaffected_signals(S).holds is False


@pytest.mark.parametrize("graph", [nx.path_graph(2), nx.complete_graph(5), nx.cycle_graph(7)])
def test_cheegers_lower_bound_is_that_of_the_graph_where_gamma_is_zero(graph):
    S = cl.collapse(cl.clique_complex(graph), "unfolded", gamma=0.0)
    check = theory.cheeger_lower_bound(S)
    normalized = np.linalg.eigvalsh(nx.normalized_laplacian_matrix(graph).toarray())[1]
    assert check.holds
    assert check.measured == pytest.approx(normalized)
    halves = (
        set(half) for size in range(1, len(graph)) for half in combinations(graph.nodes, size)
    )
    h = min(nx.conductance(graph, half) for half in halves)
    assert check.bound == pytest.approx(h**2 / 2)


def test_one_edge_is_a_counterexample_to_cheegers_lower_bound():
    """At the bound lambda_2(S) = eps / (1 + eps / 2) / 1, with h = 1."""
    S = cl.collapse(nx.path_graph(2), "unfolded", eps=1e-3)
    check = theory.cheeger_lower_bound(S)
    assert check.holds is False
    assert check.bound == pytest.approx(0.5)
    assert check.measured == pytest.approx(np.linalg.eigvalsh(S.toarray())[-1])


def test_cheegers_lower_bound_of_many_vertices_is_decided_where_it_can_be():
    graph = nx.barbell_graph(15, 0)
    holds = theory.cheeger_lower_bound(cl.collapse(graph, "unfolded", gamma=0.0))
    assert holds.holds is True
    complete = theory.cheeger_lower_bound(cl.collapse(nx.complete_graph(30), "unfolded"))
    assert complete.holds is False  # lambda_2 of about eps, h of the graph at least 1/2
    assert theory.cheeger_lower_bound(cl.collapse(graph, "incidence")).holds is None
