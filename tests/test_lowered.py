"""A - c off its kernel, with the masses in it: below S, next to it, and a start for its pairs."""

import networkx as nx
import numpy as np
import pytest
from scipy import linalg

import cellapse as cl
from cellapse._linalg.eigen import davidson, evidence

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
