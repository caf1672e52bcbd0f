"""Cliques have far more triangles than edges: they are eliminated without a row for each."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from everyday import everyday
from oracles import assert_close, blocks, dense, graded, schur
from scipy import sparse

import cellapse as cl
from cellapse._collapse import eliminated, woodbury
from cellapse._collapse.graded import GradedLaplacian
from cellapse._collapse.woodbury import Woodbury
from cellapse._matrices.incidence import Incidence

pytestmark = pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")


def chain(sizes, seed=0):
    """Random matrices between ranks of these sizes, every second entry zero."""
    rng = np.random.default_rng(seed)
    shapes = pairwise(sizes)
    return [sparse.csr_array(rng.standard_normal(s) * rng.integers(0, 2, s)) for s in shapes]


@pytest.mark.parametrize("sizes", [(3, 4, 9), (3, 4, 9, 20), (2, 5, 6, 7, 8)])
@pytest.mark.parametrize("columns", [(), (3,)])
def test_all_ranks_are_solved_at_once(sizes, columns):
    """Against a dense solution with every cell a row; masses of different sizes."""
    B, *rest = chain(sizes)
    beta, gamma = np.linspace(0.5, 2.0, len(rest)), np.linspace(0.1, 0.3, len(rest))
    incidence = Incidence(tuple(rest), "given", None, (0,) * len(sizes))
    m = sum(sizes[1:])
    masses = np.linspace(5.0, 9.0, m)
    wide = sparse.csr_array(sparse.hstack([B, sparse.csr_array((sizes[0], m - sizes[1]))]))
    H = graded(rest, beta, gamma)[0] + np.diag(masses) + 0.7 * dense(wide).T @ dense(wide)
    r = np.random.default_rng(1).standard_normal((m, *columns))
    solved = Woodbury(wide, 0.7, GradedLaplacian(incidence, beta, gamma), masses)
    assert_close(solved.solve(r), np.linalg.solve(H, r), 1e-12)


def test_what_is_left_of_the_first_rank_by_hand():
    """One edge with one cell, entry 2, masses 1 and 3: G = 4/3, N = 1 + 4 - (1 + 4/3)^-1 4/3."""
    cell = Incidence((sparse.csr_array([[2.0]]),), "given", None, (0, 0))
    above = GradedLaplacian(cell, np.array([1.0]), np.array([1.0]))
    left = Woodbury(sparse.csr_array([[1.0, 0.0]]), 1.0, above, np.array([1.0, 3.0])).nearest
    assert left == pytest.approx(5.0 - 4.0 / 7.0)


@pytest.mark.parametrize("realization", ["mixed", "incidence"])
@pytest.mark.parametrize(
    ("clique", "max_rank", "eps"),
    everyday([(22, 2, 1e-2), (22, 2, 1e-4), (22, 2, 1e-8), (17, 3, 1e-4)], quick=[(22, 2, 1e-4)]),
)
def test_a_clique_with_a_tail(realization, clique, max_rank, eps):
    """Large enough that nothing has to be told to take the dense way; against the formula."""
    K = cl.clique_complex(nx.lollipop_graph(clique, 4), max_rank=max_rank)
    S = cl.collapse(K, realization, eps=eps)
    assert "faces" in str(S)
    B = S.chain.incidence
    L, start = graded(list(B), S.beta, S.gamma)
    truth = schur(*blocks(L, start), eps)
    assert_close(S.toarray(), truth, 1e-9)
    if eps < 1e-6:  # rounding of 1 / eps may change a count, and values of cells
        return
    assert S.count_below(0.5 * S.spectrum(3).values[2]) == 2
    u = np.linspace(0.0, 1.0, S.shape[0])
    values = S.complete(u)
    z = np.concatenate([values[k] for k in sorted(values)])
    _, X, C = blocks(L, start)
    assert_close((C + eps * np.eye(len(C))) @ z, -X.T @ u, 1e-9)


def test_a_large_clique_takes_seconds():
    """14,190 triangles on 990 edges: a factorization with a row for each never ended."""
    S = cl.collapse(cl.clique_complex(nx.complete_graph(45), max_rank=2), "incidence")
    # All vertices are alike: S = a I + b J, and the constant signal is an eigenvector.
    values = S.spectrum().values
    assert values[:44] == pytest.approx(values[0], rel=1e-9)
    assert values[44] == pytest.approx(S.energy(np.ones(45)) / 45.0, rel=1e-9)


def test_a_solver_that_is_asked_for_is_used():
    K = cl.clique_complex(nx.lollipop_graph(22, 4), max_rank=2)
    assert "faces" in str(cl.collapse(K, "mixed"))
    assert "Direct" in str(cl.collapse(K, "mixed", solver=cl.Direct()))


def test_meshes_are_factorized():
    S = cl.collapse(cl.clique_complex(nx.triangular_lattice_graph(30, 30), max_rank=2), "mixed")
    assert "Direct" in str(S)


def test_the_dense_way_is_taken_for_what_fits_only(monkeypatch):
    """And never where the cells are no more than twice their faces."""
    many = sparse.csr_array(np.ones((1500, 1500)))
    assert woodbury.has_large_cliques((100, 1400), many)
    assert not woodbury.has_large_cliques((800, 700), many)
    assert not woodbury.has_large_cliques((100, 800), many[:900, :900])
    monkeypatch.setattr(woodbury, "available_memory", lambda: 1)
    assert not woodbury.has_large_cliques((100, 1400), many)


def test_where_rounding_takes_the_masses_all_cells_are_factorized(monkeypatch):
    def fails(*_):
        raise np.linalg.LinAlgError

    K = cl.clique_complex(nx.lollipop_graph(22, 4), max_rank=2)
    x = np.arange(26.0)
    expected = cl.collapse(K, "mixed") @ x
    monkeypatch.setattr(eliminated, "Woodbury", fails)
    S = cl.collapse(K, "mixed")
    assert "Direct" in str(S)
    assert_close(S @ x, expected, 1e-12)
