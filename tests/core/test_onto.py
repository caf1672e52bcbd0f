"""`onto=k` is on the k-cells, in their order and with their labels, or names what can be."""

import re
import warnings

import networkx as nx
import numpy as np
import pytest
from everyday import everyday

import cellapse as cl

K = cl.clique_complex(nx.karate_club_graph(), 3)
COMPLEXES = {
    "cliques": K,
    "hypergraph": cl.hypergraph_complex([(0, 1, 2, 3), (3, 4), (4, 5, 6)]),
    "rings": cl.lifts.cycle_complex(nx.cubical_graph()),
    "labels": cl.clique_complex([("z", "b"), ("b", "a"), ("a", "z"), ("a", "q")]),
    "without triangles": cl.clique_complex(nx.path_graph(4)),
    "an edge is missing": cl.Complex.from_cells({1: [(0, 1)], 2: [(0, 1, 2)]}),
    "edges are missing": cl.Complex.from_cells({2: [(0, 1, 2), (2, 3, 4)]}),
    "ranks are skipped": cl.Complex.from_cells({1: [(0, 1), (0, 2), (1, 2)], 3: [(0, 1, 2, 3)]}),
}
HOW = ["renormalized", "screened", "unfolded", "boundary", "incidence", "mixed"]

pytestmark = pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")


def on_cells(S, K, rank):
    assert S.onto == rank
    assert S.shape == (K.n_cells[rank],) * 2
    assert list(S.labels) == list(K.cell_labels(rank))
    assert S.n_cells[: K.max_rank + 1] == K.n_cells


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(
    "name", everyday(COMPLEXES, quick=("hypergraph", "labels", "an edge is missing"))
)
def test_every_rank_is_on_its_cells_or_an_error_that_says_what_can(name, how):
    K = COMPLEXES[name]
    for rank in range(1, K.max_rank + 1):
        try:
            S = cl.collapse(K, how, onto=rank)
        except cl.InputError as error:
            able = re.findall(r'"(\w+)"', str(error))
            assert how not in able
            for other in able:
                on_cells(cl.collapse(K, other, onto=rank), K, rank)
            for other in set(HOW) - set(able):  # and none is left out
                with pytest.raises(cl.InputError):
                    cl.collapse(K, other, onto=rank)
        else:
            on_cells(S, K, rank)


@pytest.mark.parametrize("how", [(), ("renormalized",), ("screened",), ("unfolded",)])
def test_triangles_are_refused_with_the_three_that_can(how):
    with pytest.raises(cl.InputError) as error:
        cl.collapse(K, *how, onto=2)
    assert re.findall(r'"(\w+)"', str(error.value)) == ["boundary", "incidence", "mixed"]


def test_the_block_of_the_true_edges_by_hand():
    S = cl.collapse(K, "unfolded", onto=1, eps=0.5)
    A, X, C = (M.toarray() for M in S.split())
    on_cells(S, K, 1)
    by_hand = A - X @ np.linalg.inv(C + 0.5 * np.eye(len(C))) @ X.T
    np.testing.assert_allclose(S.toarray(), by_hand, atol=1e-9)


@pytest.mark.parametrize("make", [cl.unfolded_matrices, cl.incidence_matrices])
def test_matrices_of_a_complex_are_held_to_the_same(make):
    skipped = COMPLEXES["edges are missing"]
    B = make(K if make is cl.unfolded_matrices else skipped)
    rank = 2 if make is cl.unfolded_matrices else 1
    with pytest.raises(cl.InputError):
        cl.collapse(B, onto=rank)
    on_cells(cl.collapse(cl.incidence_matrices(skipped), onto=2), skipped, 2)


def test_matrices_of_others_have_every_rank():
    B = list(cl.boundary_matrices(K))
    for rank in range(4):
        S = cl.collapse(B, onto=rank)
        assert (S.shape[0], list(S.labels)) == (K.n_cells[rank], list(range(K.n_cells[rank])))
    for how in ("unfolded", "screened"):
        with pytest.raises(cl.InputError):
            cl.collapse(B, how, onto=2)


def test_no_solver_where_none_is_needed():
    with pytest.raises(cl.InputError):
        cl.collapse(K, "renormalized", solver=cl.CG())


@pytest.mark.parametrize("how", ["boundary", "incidence", "mixed"])
@pytest.mark.parametrize("name", ["cliques", "hypergraph", "rings"])
def test_completed_values_are_those_of_the_cells(name, how):
    K = COMPLEXES[name]
    for onto in range(K.max_rank + 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            S = cl.collapse(K, how, onto=onto)
        sizes = {k: len(values) for k, values in S.complete(np.ones(S.shape[0])).items()}
        assert sizes == {k: n for k, n in enumerate(K.n_cells) if k != onto}


def test_completed_values_begin_with_the_cells_and_end_with_formal_elements():
    skipped = COMPLEXES["an edge is missing"]
    B = cl.incidence_matrices(skipped)
    values = cl.collapse(skipped, "incidence").complete(np.arange(3.0))
    assert [len(values[k]) for k in (1, 2)] == list(B.n_cells[1:]) == [2, 1]
    assert B.labels(1) == ((0, 1), ("formal", 1, 0))


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_hodge_laplacians_are_on_the_same_cells(rank):
    on_cells_of = cl.hodge_laplacian(K, rank)
    assert list(on_cells_of.labels) == list(K.cell_labels(rank))
    assert on_cells_of.shape == (K.n_cells[rank],) * 2


def test_matrices_have_one_rank_more_than_there_are():
    path = [[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]]
    assert cl.collapse([path], onto=1).shape == (2, 2)
    for onto in (2, -1):
        with pytest.raises(cl.InputError, match=r"in 0\.\.1"):
            cl.collapse([path], onto=onto)


@pytest.mark.parametrize("solver", [None, cl.CG(rtol=1e-13)], ids=str)
@pytest.mark.parametrize("onto", [0, 1, 2, 3])
def test_values_of_all_other_ranks_by_the_formula(onto, solver):
    """z = -(C + eps I)^-1 X^T u, rank by rank, from every rank of a filled tetrahedron."""
    K = cl.clique_complex(nx.complete_graph(4), 3)
    S = cl.collapse(
        K, realization="incidence", eps=0.5, onto=onto, solver=solver, beta=[1.0, 2.0, 3.0]
    )
    A, X, C = (M.toarray() for M in S.split())
    u = np.arange(1.0, 1.0 + S.shape[0])
    z = -np.linalg.solve(C + 0.5 * np.eye(len(C)), X.T @ u)
    values = S.complete(u)
    others = [k for k in range(4) if k != onto]
    assert list(values) == others
    np.testing.assert_allclose(np.concatenate([values[k] for k in others]), z, atol=1e-9)
    np.testing.assert_allclose(S @ u, A @ u + X @ z, atol=1e-9)
