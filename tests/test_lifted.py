"""Lanczos on a polynomial of a sparse matrix, next to dense eigenpairs."""

from copy import copy
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse._linalg.eigen import lifted
from cellapse._linalg.eigen.problem import eigenproblem
from cellapse._linalg.operators import SparseOperator

GRAPHS = {
    "expander": nx.random_regular_graph(6, 300, seed=1),
    "small world": nx.watts_strogatz_graph(400, 8, 0.1, seed=2),
    "groups": nx.planted_partition_graph(4, 80, 0.2, 0.005, seed=3),
    "two parts": nx.disjoint_union(nx.random_regular_graph(5, 150, seed=4), nx.cycle_graph(180)),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("which", ["smallest", "largest"])
@pytest.mark.parametrize("mass", [None, "degree"])
def test_the_pairs_are_those_of_a_dense_matrix(name, which, mass):
    L = cl.graph_laplacian(cl.clique_complex(GRAPHS[name]))
    found = L.spectrum(8, mass, which=which, solver=cl.Lanczos())
    dense = L.spectrum(8, mass, which=which, solver=cl.Dense())
    np.testing.assert_allclose(found.values, dense.values, atol=1e-10 * found.norm)
    assert found.residuals.max() <= 1e-9 * found.norm


@pytest.mark.parametrize("name", ["expander", "small world"])
@pytest.mark.parametrize("largest", [False, True])
def test_the_interval_leaves_the_wanted_values_out(name, largest):
    L = cl.graph_laplacian(cl.clique_complex(GRAPHS[name]))
    given = eigenproblem(L, 8, largest=largest)
    values = np.sort(np.linalg.eigvalsh(given.dense()))[given.n_kernel :]
    cut, top = lifted._interval(given)
    assert values[given.k - 1] <= cut < top
    assert top >= 0.9 * values[-1]
    inside = (cut + top - 2.0 * values) / (top - cut)
    for known in (given, without_matrix(given)):
        eye = np.eye(given.n)
        H = lifted._turned(known, 0.5 * (cut + top), 0.5 * (top - cut))(0.0 * eye, eye)
        turned = np.linalg.eigvalsh(H)
        np.testing.assert_allclose(turned[: len(values)], np.sort(2.0 * inside), atol=1e-10)


def without_matrix(problem):
    """The same, by its products alone."""
    operator = copy(problem.operator)
    operator.__class__ = ByProducts
    return replace(problem, operator=operator)


class ByProducts(SparseOperator):
    matrix = None
    cheap = True


def test_a_polynomial_takes_fewer_steps_of_lanczos(monkeypatch):
    """Otherwise it would cost more products for nothing."""
    L = cl.graph_laplacian(cl.clique_complex(GRAPHS["small world"]))
    largest_pairs, count = lifted.largest_pairs, {1: 0, 5: 0}

    def counted(problem, apply, *others, **options):
        def one_more(x):
            count[lifted._DEGREE] += 1
            return apply(x)

        return largest_pairs(problem, one_more, *others, **options)

    monkeypatch.setattr(lifted, "largest_pairs", counted)
    for degree in count:
        monkeypatch.setattr(lifted, "_DEGREE", degree)
        L.spectrum(8, solver=cl.Lanczos())
    assert 0 < 2 * count[5] < count[1]


@pytest.mark.parametrize("graph", [nx.complete_graph(90), nx.star_graph(90), nx.path_graph(9)])
def test_where_there_is_nothing_to_lift_it_says_so(graph):
    given = eigenproblem(cl.graph_laplacian(cl.clique_complex(graph)), 4)
    assert lifted.lifted_pairs(given, 1e-10, 1000) is None


def test_an_operator_that_is_no_matrix_is_left_alone():
    S = cl.collapse(cl.clique_complex(GRAPHS["small world"]), "unfolded")
    assert lifted.lifted_pairs(eigenproblem(S, 8), 1e-10, 1000) is None


def test_products_are_limited():
    given = eigenproblem(cl.graph_laplacian(cl.clique_complex(GRAPHS["two parts"])), 8)
    assert lifted.lifted_pairs(given, 1e-12, 100) is None


def test_what_is_hardly_lifted_is_not_taken(monkeypatch):
    """With the cut at a wanted value others come as close to 1: their vectors get into it."""
    given = eigenproblem(cl.graph_laplacian(cl.clique_complex(GRAPHS["small world"])), 8)
    value, top = np.sort(np.linalg.eigvalsh(given.dense()))[[given.k, -1]]
    monkeypatch.setattr(lifted, "_interval", lambda _: (value + 1e-7, top))
    pairs = lifted.lifted_pairs(given, 3e-11, 10_000)
    if pairs is not None:
        left = given.apply(pairs[1]) - pairs[1] * pairs[0]
        assert np.linalg.norm(left, axis=0).max() <= 1.5 * 3e-11 * given.norm
