"""`analyze` solves each eigenproblem once, and all parts of the result take those eigenpairs."""

import numpy as np
import pytest

import cellapse as cl
from cellapse._linalg.eigen.spectrum import solve_eigenproblem
from cellapse.report import write_report


@pytest.fixture
def solved(monkeypatch):
    """The operators of all eigenproblems, as they are solved."""
    operators = []

    def counting(problem, solver):
        operators.append(problem.operator)
        return solve_eigenproblem(problem, solver)

    monkeypatch.setattr("cellapse._linalg.operators.solve_eigenproblem", counting)
    return operators


@pytest.mark.parametrize(("source", "n_clusters"), [("football", None), ("karate", 2)])
def test_each_eigenproblem_of_s_and_l_is_solved_once(source, n_clusters, solved, tmp_path):
    """S u = lambda u, S u = lambda D u and the same of L, for clusters, theory and pictures."""
    analysis = cl.analyze(source, n_clusters)
    write_report(analysis, tmp_path / "report.html")
    of_both = [sum(one is operator for one in solved) for operator in operators(analysis)]
    assert of_both == [2, 2]
    # The others are of networks with other edges, which the verdict compares with.
    for other in (one for one in solved if not any(one is S for S in operators(analysis))):
        assert abs(other.A - analysis.plain.A).max() > 0.0


def operators(analysis):
    return analysis.collapsed, analysis.plain


def test_the_clusters_are_those_of_cluster():
    K = cl.clique_complex(cl.datasets.load("football").graph)
    for n_clusters in (None, 5):
        analysis = cl.analyze(K, n_clusters, quick=True)
        clusters = cl.cluster(cl.collapse(K), n_clusters)
        assert np.array_equal(analysis.clusters[0].numbers, clusters.numbers)
        assert analysis.clusters[0].mass == clusters.mass
        assert (analysis.clusters[0].gaps is None) == (clusters.gaps is None)


def test_there_are_eigenvectors_to_draw_behind_those_of_components():
    K = cl.clique_complex([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (5, 6), (7, 8), (8, 9)])
    analysis = cl.analyze(K, 2, n_eigenpairs=6)
    assert analysis.n_zeros == 3
    assert analysis.cut.vectors.shape == (10, 6)
    assert np.allclose(analysis.cut.values[:3], 0.0)
