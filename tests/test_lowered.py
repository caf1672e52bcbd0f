"""A - c off its kernel, with the masses in it: below S, next to it, and a start for its pairs."""

import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse

import cellapse as cl
from cellapse._collapse import elimination
from cellapse._collapse.lowered import Lowered
from cellapse._linalg.eigen import davidson, evidence
from cellapse._linalg.eigen.problem import eigenproblem
from cellapse._linalg.factor import Direct

SEED = 3


def blocks(n=600):
    chances = (np.full((4, 4), 0.005) + 0.05 * np.eye(4)) * 1000 / n
    return nx.stochastic_block_model([n // 4] * 4, chances, seed=SEED)


GRAPHS = {
    "expands": blocks,
    "geometric": lambda: nx.random_geometric_graph(600, 0.09, seed=SEED),
    "two parts": lambda: nx.disjoint_union(nx.grid_2d_graph(20, 15), nx.grid_2d_graph(18, 18)),
}


def collapsed(name, **options):
    return cl.collapse(
        cl.clique_complex(GRAPHS[name]()), **{"realization": "unfolded", **options}, eps=1e-3
    )


def masses(S, kind):
    n = S.shape[0]
    given = {
        "degree": S.A.diagonal() + (S.A.diagonal() == 0),
        "alike": np.full(n, 2.0),
        "wide": 10.0 ** np.linspace(-2, 2, n),
    }
    return given[kind]


def dense(operator):
    return operator.apply(np.eye(operator.shape[0]))


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("kind", ["degree", "alike", "wide"])
def test_it_is_below_s_and_has_its_kernel(name, kind):
    S = collapsed(name)
    mass = masses(S, kind)
    lowered = S.shortcuts.lowered(mass)
    scaled = S.toarray() / np.sqrt(np.outer(mass, mass))
    low = S.shortcuts.scale * dense(lowered)
    size = lowered.norm_bound()
    assert linalg.eigvalsh(scaled - low)[0] >= -1e-12 * size
    assert linalg.eigvalsh(low)[-1] <= size
    assert abs(low @ lowered.kernel).max() <= 1e-12 * size
    P = lowered.kernel.toarray()
    np.testing.assert_allclose(P.T @ P, np.eye(P.shape[1]), atol=1e-12)


@pytest.mark.parametrize("name", GRAPHS)
def test_its_solutions_and_counts_are_those_of_the_dense_matrix(name):
    S = collapsed(name)
    mass = masses(S, "degree")
    lowered = S.shortcuts.lowered(mass)
    M = dense(lowered)
    shift, solve = lowered.shortcuts.factor(Direct())
    x = np.cos(np.outer(np.arange(len(M)), [1.0, 2.0]))
    left = M @ solve(x) - shift * solve(x) - x
    assert np.linalg.norm(left) <= 1e-8 * np.linalg.norm(x)
    values = linalg.eigvalsh(M)
    for i in (2, 5, 30, len(values) - 2):
        if values[i + 1] - values[i] > 1e-6 * values[-1]:
            between = float(values[i : i + 2].mean())
            assert lowered.count_below(between) == i + 1


def test_it_is_not_made_where_it_would_not_help(monkeypatch):
    S = collapsed("geometric")
    assert eigenproblem(S, 5).lowered is None  # one mass for all
    assert eigenproblem(S, 5, masses(S, "degree")).lowered is not None
    assert eigenproblem(S, 5, masses(S, "degree"), largest=True).lowered is None
    assert cl.collapse(S.chain.origin, "unfolded", gamma=0.0).shortcuts.lowered is None  # S is A
    assert cl.collapse(S.chain.origin, "screened").shortcuts.lowered is None
    assert collapsed("geometric", gamma="regularized").shortcuts.lowered is None  # A - c is not
    hubs = collapsed("expands")
    assert eigenproblem(hubs, 5, masses(hubs, "degree")).lowered is not None
    assert eigenproblem(hubs, 5, masses(hubs, "wide")).lowered is None
    monkeypatch.setattr(elimination, "_FEW", S.kernel.shape[1] - 1)
    assert collapsed("geometric").shortcuts.lowered is None


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("kind", ["degree", "wide"])
@pytest.mark.parametrize("solver", [cl.Davidson(), cl.Davidson(None)])
def test_the_spectrum_is_that_of_the_dense_matrix(name, kind, solver):
    S = collapsed(name)
    mass = masses(S, kind)
    found = S.spectrum(8, mass, solver=solver)
    true = linalg.eigh(S.toarray(), np.diag(mass), eigvals_only=True)[:8]
    np.testing.assert_allclose(found.values, true, atol=1e-9 * found.norm)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("realization", ["unfolded", "mixed"])
def test_masses_take_few_corrections_and_no_other_search(name, realization, monkeypatch):
    """From the eigenvectors of A they took ten times as many, and all cells were factorized."""
    steps = []
    extended = davidson._extended
    monkeypatch.setattr(davidson, "_extended", lambda *a: steps.append(1) or extended(*a))
    S = collapsed(name, realization=realization)
    follows, said = evidence._follows_from_plain, []

    def told(problem, *rest):
        said.append(follows(problem, *rest))
        return said[-1]

    monkeypatch.setattr(evidence, "_follows_from_plain", told)
    expands = cl.Auto().select(S, 6).solver == cl.Davidson(None)
    S.spectrum(6, "degree", solver=cl.Davidson(None) if expands else cl.Davidson())
    assert len(steps) <= 25
    assert said[-1] is not None  # nothing was counted or searched for S itself


def test_without_a_kernel_there_is_none():
    S = cl.collapse([[[1.0, 1.0], [0.0, 1.0]]], eps=0.1)
    assert S.shortcuts.lowered is None
    values = S.spectrum(mass=np.array([1.0, 3.0])).values
    true = linalg.eigh(S.toarray(), np.diag([1.0, 3.0]), eigvals_only=True)
    np.testing.assert_allclose(values, true, atol=1e-12)


def test_by_hand():
    """An edge with masses 1 and 4, and c = 1: [1 - 1 + 1/2, -1 + 1/2; ., 1/2] scaled."""
    A = sparse.csr_array([[1.0, -1.0], [-1.0, 1.0]])
    kernel = sparse.csr_array(np.full((2, 1), 0.5**0.5))
    lowered = Lowered(A, kernel, 1.0, np.array([1.0, 4.0]))
    np.testing.assert_allclose(dense(lowered), [[0.5, -0.25], [-0.25, 0.125]])
    np.testing.assert_allclose(lowered.kernel.toarray().ravel(), [0.2**0.5, 0.8**0.5])
    assert lowered.norm_bound() == 2.0
    assert lowered.count_below(0.6) == 1
    assert lowered.count_below(0.7) == 2


def test_where_the_sparse_part_is_singular_nothing_is_counted():
    """A - c is [0, -1; -1, 0]: of the shift 1 it is singular."""
    A = sparse.csr_array([[1.0, -1.0], [-1.0, 1.0]])
    kernel = sparse.csr_array(np.full((2, 1), 0.5**0.5))
    lowered = Lowered(A, kernel, 1.0, np.ones(2))
    assert lowered.shortcuts.shifted(1.0, np.ones(2)) is None
    assert lowered.shortcuts.shifted(0.5, np.ones(2))[1] == 0
