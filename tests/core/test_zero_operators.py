"""Operators that are zero, or on next to nothing, work or say clearly why not.

Every task on every degenerate operator: no weights at all, a single vertex, no edges, isolated
vertices beside an edge; of every realization and baseline.
"""

import warnings
from functools import cache

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse import tasks, theory
from cellapse._collapse.realizations import REALIZATIONS
from cellapse._operators.names import make_operator, operator_names

TWO_TRIANGLES = nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4)])
SOURCES = {
    "no weights": TWO_TRIANGLES,
    "one vertex": nx.empty_graph(1),
    "no edges": nx.empty_graph(4),
    "isolated": nx.disjoint_union(nx.path_graph(2), nx.empty_graph(3)),
}


@cache
def made(source, name):
    K = cl.clique_complex(SOURCES[source])
    nothing = {"beta": 0.0, "gamma": 0.0} if source == "no weights" else {}
    return make_operator(K, name, **(nothing if name in REALIZATIONS else {}))


def numbers(S):
    return np.linspace(-1.0, 2.0, S.shape[0])


def two(S):
    return np.column_stack([numbers(S), numbers(S) ** 2])


TASKS = {
    "spectrum": lambda S: S.spectrum().values,
    "diagonal": lambda S: S.spectrum(1, mass="diagonal").values,
    "degree": lambda S: S.spectrum(1, mass="degree").values,
    "largest": lambda S: S.spectrum(1, which="largest").values,
    "count_below": lambda S: S.count_below(0.5),
    "count_below 0": lambda S: S.count_below(0.0),
    "solve": lambda S: S.solve(numbers(S)),
    "solve shifted": lambda S: S.solve(two(S), shift=0.5),
    "energy": lambda S: S.energy(numbers(S)),
    "complete": lambda S: S.complete(numbers(S)) if hasattr(S, "complete") else None,
    "norm": lambda S: S.norm_bound(),
    "card": lambda S: S._repr_html_(),
    "str": str,
    "theory": lambda S: str(theory.check(S)) if hasattr(S, "weights") else None,
    "sigma": lambda S: getattr(S, "sigma", None),
    "cluster 1": lambda S: tasks.cluster(S, 1).numbers,
    "cluster 2": lambda S: tasks.cluster(S, 2).numbers,
    "cluster": lambda S: tasks.cluster(S).numbers,
    "cluster, one vector": lambda S: tasks.cluster(S, 2, n_eigenpairs=1).numbers,
    "discretize": lambda S: tasks.cluster(S, 2, mass=None).numbers,
    "suggest_n_clusters": tasks.suggest_n_clusters,
    "embed": lambda S: tasks.embed(S, 1).coordinates,
    "positional_encoding": lambda S: tasks.positional_encoding(S, 1).coordinates,
    "fiedler": tasks.fiedler,
    "sweep_cut": tasks.sweep_cut,
    "smooth": lambda S: tasks.smooth(S, numbers(S), strength=0.5),
    "smooth auto": lambda S: tasks.smooth(S, numbers(S), strength="gcv"),
    "diffuse": lambda S: tasks.diffuse(S, numbers(S), [0.5])[0],
    "spectral_filter": lambda S: tasks.spectral_filter(S, numbers(S), np.exp),
    "choose_strength": lambda S: tasks.choose_strength(S, numbers(S)),
    "dirichlet_energy": lambda S: tasks.dirichlet_energy(S, numbers(S)),
    "total_variation": lambda S: tasks.total_variation(S, numbers(S)),
    "heat": lambda S: tasks.heat_kernel_signature(S, [0.5, 1.0]).features,
    "wave": lambda S: tasks.wave_kernel_signature(S, 4).features,
    "resistance": lambda S: tasks.effective_resistance(S),
    "conductance": lambda S: tasks.effective_conductance(S),
    "kirchhoff": tasks.kirchhoff_index,
    "centrality": lambda S: tasks.resistance_centrality(S),
    "spread_labels": lambda S: tasks.spread_labels(S, {0: "a"}).labels,
    "cell_influence": lambda S: tasks.cell_influence(S, numbers(S)),
}
# Infinite where two vertices hang together by nothing, or a matrix has no singular value.
MAY_BE_INFINITE = {"sigma", "resistance", "kirchhoff", "conductance", "centrality"}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("task", TASKS)
def test_zero_operators_work_or_say_why_not(source, task):
    for name in operator_names():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cl.CellapseWarning)
            try:
                S = made(source, name)
            except cl.InputError:
                assert name == "reliable"  # which has nothing to predict
                continue
            warnings.simplefilter("error", RuntimeWarning)
            try:
                result = TASKS[task](S)
            except cl.CellapseError:  # in words of its own
                continue
        if isinstance(result, np.ndarray) and result.dtype.kind == "f":
            assert not np.isnan(result).any(), name
            assert task in MAY_BE_INFINITE or np.isfinite(result).all(), name


@pytest.mark.parametrize("name", REALIZATIONS)
@pytest.mark.parametrize("source", ["no weights", "no edges", "one vertex"])
def test_what_is_zero_has_all_in_its_kernel(source, name):
    """So the solution without a part in the kernel is zero, and a shift alone is divided by."""
    S = made(source, name)
    assert not S.solve(numbers(S)).any()
    assert not S.solve(two(S)).any()
    np.testing.assert_allclose(S.solve(two(S), shift=0.5), 2.0 * two(S))
