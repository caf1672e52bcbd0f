"""Operators go to other processes: what comes back is the same operator."""

import pickle

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

import cellapse as cl

GRAPH = nx.karate_club_graph()
K = cl.clique_complex(GRAPH, weight="weight")
MAKE = {
    "unfolded": lambda: cl.collapse(K, "unfolded"),
    "screened": lambda: cl.collapse(K, realization="renormalized"),
    "boundary": lambda: cl.collapse(K, realization="boundary", eps=0.1),
    "incidence": lambda: cl.collapse(K, realization="incidence", beta=(1.0, 2.0)),
    "mixed": lambda: cl.collapse(K, realization="mixed", gamma="regularized"),
    "onto edges": lambda: cl.collapse(K, "unfolded", onto=1, solver=cl.CG()),
    "matrices": lambda: cl.collapse(list(cl.boundary_matrices(K).matrices)),
    "graph": lambda: cl.graph_laplacian(K),
    "multiorder": lambda: cl.multiorder_laplacian(K),
    "matrix": lambda: cl.as_operator(nx.laplacian_matrix(GRAPH)),
    "LinearOperator": lambda: cl.as_operator(
        aslinearoperator(nx.laplacian_matrix(GRAPH).astype(float))
    ),
}


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
@pytest.mark.parametrize("name", MAKE)
def test_an_operator_survives_pickling(name, recwarn):
    S = MAKE[name]()
    S.spectrum(3)  # fills the caches, which cannot be pickled
    recwarn.clear()
    copy = pickle.loads(pickle.dumps(S))
    assert not recwarn.list
    assert type(copy) is type(S)
    assert list(copy.labels) == list(S.labels)
    x = np.random.default_rng(0).standard_normal((S.shape[0], 2))
    np.testing.assert_allclose(copy @ x, S @ x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(copy.spectrum(3).values, S.spectrum(3).values, atol=1e-12)


def test_a_large_operator_with_a_kept_factor():
    L = cl.graph_laplacian(cl.clique_complex(nx.grid_2d_graph(40, 40)))
    values = L.spectrum(3).values
    copy = pickle.loads(pickle.dumps(L))
    np.testing.assert_allclose(copy.spectrum(3).values, values, atol=1e-12)
    np.testing.assert_allclose(L.spectrum(3).values, values, atol=1e-12)


def test_tasks_in_other_processes():
    joblib = pytest.importorskip("joblib")
    operators = [cl.collapse(K, "unfolded"), cl.graph_laplacian(K)]
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(cl.cluster)(S, 2) for S in operators)
    for S, clusters in zip(operators, found, strict=True):
        assert clusters.as_dict() == cl.cluster(S, 2).as_dict()
