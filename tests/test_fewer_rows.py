"""On meshes edges outnumber triangles: they are eliminated by hand, without a row for each."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from oracles import assert_close, blocks, dense, graded, schur
from scipy import sparse

import cellapse as cl
from cellapse._collapse import fewer_rows, raised
from cellapse._collapse.fewer_rows import FewerRows, saves_rows
from cellapse._collapse.graded import GradedLaplacian
from cellapse._collapse.raised import Raised
from cellapse._matrices.incidence import Incidence

pytestmark = pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")


@pytest.fixture
def small_ones_too(monkeypatch):
    monkeypatch.setattr(fewer_rows, "_SMALL", 0)


def lattice(size=14):
    return cl.clique_complex(nx.triangular_lattice_graph(size, size), max_rank=2)


def by_fewer_rows(S):
    """Whether cells were solved for without their rows."""
    return S.elimination.ladder.relaxation.raised._by_fewer_rows is not None


@pytest.mark.parametrize("sizes", [(3, 9, 4), (3, 20, 9, 4), (2, 8, 7, 6, 5)])
@pytest.mark.parametrize("columns", [(), (3,)])
def test_all_ranks_are_solved_at_once(sizes, columns):
    """Against a dense solution with every cell a row; masses of different sizes."""
    rng = np.random.default_rng(0)
    shapes = pairwise(sizes)
    B, *rest = [sparse.csr_array(rng.standard_normal(s) * rng.integers(0, 2, s)) for s in shapes]
    beta, gamma = np.linspace(0.5, 2.0, len(rest)), np.linspace(0.1, 0.3, len(rest))
    above = GradedLaplacian(Incidence(tuple(rest), "given", None, (0,) * len(sizes)), beta, gamma)
    m = sum(sizes[1:])
    masses = np.linspace(0.5, 0.9, m)
    wide = sparse.csr_array(sparse.hstack([B, sparse.csr_array((sizes[0], m - sizes[1]))]))
    H = graded(rest, beta, gamma)[0] + np.diag(masses) + 0.7 * dense(wide).T @ dense(wide)
    r = rng.standard_normal((m, *columns))
    fewer = FewerRows(wide, 0.7, above, masses)
    assert fewer.matrix.shape[0] == m - sizes[1] + sizes[2] + sizes[0]
    factor = cl.Direct().prepare(fewer.matrix)
    assert fewer.keeps_digits(factor)
    assert_close(fewer.solve(factor, r), np.linalg.solve(H, r), 1e-11)


def test_the_matrix_by_hand():
    """One vertex, one edge with one coface, entries 2 and 3; masses 4 and 5; beta_1 = 1/2.

    The unit is the root of the edge's mass, 2: with beta = 2 and gamma = 1 above,
    v: -4 (2 + 2^2 / 4), v and s: -4 (2 * 3 / 4), s: -4 (1/2 + 3^2 / 4), s and t: -2 / 2, and
    t: 5 + 2 * 3^2 - 1/2.
    """
    cell = Incidence((sparse.csr_array([[3.0]]),), "given", None, (0, 0))
    above = GradedLaplacian(cell, np.array([2.0]), np.array([1.0]))
    fewer = FewerRows(sparse.csr_array([[2.0, 0.0]]), 0.5, above, np.array([4.0, 5.0]))
    expected = [[-12.0, -6.0, 0.0], [-6.0, -11.0, -1.0], [0.0, -1.0, 22.5]]
    assert fewer.matrix.toarray().tolist() == expected
    assert fewer.matrix.nnz == 9  # v and t meet by a zero: s and t have the same neighbours


@pytest.mark.parametrize("realization", ["mixed", "incidence"])
@pytest.mark.parametrize("eps", [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.usefixtures("small_ones_too")
def test_meshes_against_the_formula(realization, eps):
    S = cl.collapse(lattice(), realization, eps=eps)
    L, start = graded(list(S.chain.incidence), S.beta, S.gamma)
    truth = schur(*blocks(L, start), eps)
    assert_close(S @ np.eye(S.shape[0]), truth, 1e-9)
    assert by_fewer_rows(S)


@pytest.mark.usefixtures("small_ones_too")
def test_cofaces_with_a_kernel():
    """A torus whose triangles have two colours: B_2 maps their difference to zero."""
    torus = nx.grid_2d_graph(12, 12, periodic=True)
    torus.add_edges_from(((i, j), ((i + 1) % 12, (j + 1) % 12)) for i, j in list(torus))
    S = cl.collapse(cl.clique_complex(torus, max_rank=2), "mixed", eps=1e-4)
    B = list(S.chain.incidence)
    assert np.linalg.matrix_rank(dense(B[1])) == B[1].shape[1] - 1
    L, start = graded(B, S.beta, S.gamma)
    assert_close(S @ np.eye(S.shape[0]), schur(*blocks(L, start), 1e-4), 1e-9)
    assert by_fewer_rows(S)


def test_large_meshes_have_fewer_rows_and_the_same_spectrum(monkeypatch):
    K = lattice(105)
    S = cl.collapse(K, "mixed")
    values = S.spectrum(5).values
    assert by_fewer_rows(S)
    monkeypatch.setattr(raised, "saves_rows", lambda *_: False)
    S = cl.collapse(K, "mixed")
    assert_close(S.spectrum(5).values, values, 1e-10)
    assert not by_fewer_rows(S)


def test_where_cofaces_are_more_nothing_is_saved(monkeypatch):
    assert saves_rows(10, (20_000, 19_999, 19_998))
    assert not saves_rows(10, (20_000, 20_000))
    assert not saves_rows(10, (20_000, 9, 10))
    assert not saves_rows(10, (20, 10))
    monkeypatch.setattr(fewer_rows, "_SMALL", 39)
    assert saves_rows(10, (20, 10))


@pytest.mark.usefixtures("small_ones_too")
def test_a_solver_that_is_asked_for_factorizes_fewer_rows():
    S = cl.collapse(lattice(), "mixed", solver=cl.Direct("qdldl"))
    x = np.arange(float(S.shape[0]))
    assert_close(S @ x, cl.collapse(lattice(), "mixed") @ x, 1e-11)
    assert by_fewer_rows(S)
    assert "qdldl" in str(S)


@pytest.mark.parametrize("lost", ["pivot", "digits"])
@pytest.mark.usefixtures("small_ones_too")
def test_where_digits_are_lost_all_cells_are_factorized(monkeypatch, lost):
    """A factor of another matrix, or none at all, is noticed."""
    expected = cl.collapse(lattice(), "mixed") @ np.arange(float(lattice().n_vertices))
    prepare = cl.Direct.prepare

    def damaged(self, matrix):
        if (matrix.diagonal() < 0).sum() == lattice().n_vertices:  # all cells have rows
            return prepare(self, matrix)
        if lost == "pivot":
            raise cl.ConvergenceError("a pivot of zero")
        return prepare(self, matrix + 1e-9 * sparse.eye_array(matrix.shape[0]))

    S = cl.collapse(lattice(), "mixed")
    monkeypatch.setattr(cl.Direct, "prepare", damaged)
    assert_close(S @ np.arange(float(S.shape[0])), expected, 1e-11)
    assert not by_fewer_rows(S)


@pytest.mark.usefixtures("small_ones_too")
def test_one_refinement_is_enough_for_full_accuracy(monkeypatch):
    """Where one solution falls short, a second one is all that products ask for."""
    solved = []
    near = Raised.near
    monkeypatch.setattr(Raised, "near", lambda self, r: solved.append(r) or near(self, r))
    S = cl.collapse(lattice(20), "mixed", eps=1e-4)
    S @ np.random.default_rng(0).standard_normal((S.shape[0], 3))
    assert len(solved) == 2
