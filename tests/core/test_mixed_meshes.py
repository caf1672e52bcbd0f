"""Mixed and incidence complexes of meshes, where edges outnumber triangles, against the formula."""

import networkx as nx
import numpy as np
import pytest
from oracles import assert_close, blocks, dense, graded, schur

import cellapse as cl

pytestmark = pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")


def lattice(size=14):
    return cl.clique_complex(nx.triangular_lattice_graph(size, size), max_rank=2)


@pytest.mark.parametrize("realization", ["mixed", "incidence"])
@pytest.mark.parametrize("eps", [1e-2, 1e-4, 1e-6, 1e-8])
def test_meshes_against_the_formula(realization, eps):
    S = cl.collapse(lattice(), realization, eps=eps)
    L, start = graded(list(S.chain.incidence), S.beta, S.gamma)
    truth = schur(*blocks(L, start), eps)
    assert_close(S @ np.eye(S.shape[0]), truth, 1e-9)


def test_cofaces_with_a_kernel():
    """A torus whose triangles have two colours: B_2 maps their difference to zero."""
    torus = nx.grid_2d_graph(12, 12, periodic=True)
    torus.add_edges_from(((i, j), ((i + 1) % 12, (j + 1) % 12)) for i, j in list(torus))
    S = cl.collapse(cl.clique_complex(torus, max_rank=2), "mixed", eps=1e-4)
    B = list(S.chain.incidence)
    assert np.linalg.matrix_rank(dense(B[1])) == B[1].shape[1] - 1
    L, start = graded(B, S.beta, S.gamma)
    assert_close(S @ np.eye(S.shape[0]), schur(*blocks(L, start), 1e-4), 1e-9)


def test_a_solver_that_is_asked_for_factorizes_all_cells():
    S = cl.collapse(lattice(), "mixed", solver=cl.Direct("qdldl"))
    x = np.arange(float(S.shape[0]))
    assert_close(S @ x, cl.collapse(lattice(), "mixed") @ x, 1e-11)
    assert "qdldl" in str(S)
