"""A weight that is given counts, or is refused, in every public function that takes a network."""

import dataclasses
from collections.abc import Iterable, Mapping

import networkx as nx
import numpy as np
import pytest
from public_calls import ALL, arguments_of

import cellapse as cl

NAMES = ("source", "graph", "operator")
GRAPH = nx.relabel_nodes(nx.ring_of_cliques(4, 5), {0: 19, 19: 0})
EDGES = sorted(GRAPH.edges)
HEAVY = dict(zip(EDGES, 10.0 ** np.random.default_rng(0).uniform(-2, 2, len(EDGES)), strict=True))
DECIDES = "makes a choice, which may be the same"
DRAWS = "draws, and gives no numbers"
NOT_HERE = {
    **dict.fromkeys(["suggest_n_clusters", "choose_operator"], DECIDES),
    **dict.fromkeys(
        ["plot_complex", "plot_compression", "plot_embedding", "plot_signatures"], DRAWS
    ),
    "block_diagonalization": "what couples components is zero whatever they weigh",
    "unaffected_signals": "what no edge changes is the same whatever they weigh",
    "analyze": "its call here gives the shares that edges keep; tested below",
}


def places():
    for name in ALL:
        last = name.rpartition(".")[2]
        for key in arguments_of(name):
            if key in NAMES and name not in NOT_HERE and last not in NOT_HERE:
                yield name, key


def weighted(weights):
    made = nx.Graph()
    made.add_nodes_from(range(20))
    for (u, v), w in zip(EDGES, weights, strict=True):
        made.add_edge(u, v, weight=w)
    return made


def numbers(found, depth=0):
    """All numbers of a result, in the order in which it holds them."""
    if depth > 6 or found is None or isinstance(found, str | bytes | type):
        return []
    if hasattr(found, "detach"):  # a tensor
        found = (found.to_dense() if found.is_sparse else found).detach().numpy()
    if hasattr(found, "toarray"):  # an operator or a sparse matrix
        found = found.toarray()
    if isinstance(found, cl.Complex):
        return [w for w in found.weights if w is not None]
    if isinstance(found, bool | int | float | np.ndarray | np.number):
        array = np.asarray(found)
        return [array.ravel().astype(complex)] if array.dtype.kind in "biufc" else []
    if isinstance(found, Mapping):
        found = list(found.values())
    elif dataclasses.is_dataclass(found):
        found = [getattr(found, f.name, None) for f in dataclasses.fields(found)]
    elif hasattr(found, "to_numpy"):
        return numbers(found.to_numpy(), depth + 1)
    elif not isinstance(found, Iterable):
        return []
    return [a for part in found for a in numbers(part, depth + 1)]


def result(name, key, graph):
    function, arguments = ALL[name]()
    arguments.pop("weight", None)
    arguments[key] = graph
    for other, value in arguments.items():  # what goes by the vertices of another network
        if other != key and isinstance(value, np.ndarray) and value.ndim and len(value) > 3:
            arguments[other] = np.resize(value, (20, *value.shape[1:]))
    return np.concatenate([np.empty(0), *numbers(function(**arguments))])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "key"), list(places()))
def test_weights_change_the_result_or_are_refused(name, key):
    try:
        heavy = result(name, key, weighted(HEAVY.values()))
    except cl.CellapseError:
        return
    plain = result(name, key, weighted(np.ones(len(EDGES))))
    assert heavy.shape != plain.shape or not np.allclose(heavy, plain)


@pytest.mark.filterwarnings("ignore")
def test_weights_change_an_analysis():
    heavy, plain = (
        cl.analyze(weighted(w), 4, quick=True) for w in (HEAVY.values(), np.ones(len(EDGES)))
    )
    for one, other in zip(heavy.spectra, plain.spectra, strict=True):
        assert not np.allclose(one.values, other.values)


@pytest.mark.parametrize("evidence", ["learned", "cells"])
def test_light_edges_are_doubted_more_in_any_unit(evidence):
    def trust(weights):
        made = nx.Graph()
        made.add_weighted_edges_from((*e, w) for e, w in zip(edges, weights, strict=True))
        return cl.likely_false(made, evidence=evidence).trust.as_dict()

    edges = list(nx.karate_club_graph().edges)
    usual = np.random.default_rng(1).uniform(0.5, 2.0, len(edges))
    before = trust(usual)
    for light in (0, 20, 40):  # all of them in triangles
        after = trust(np.where(np.arange(len(edges)) == light, 1e-3, usual))
        assert after[edges[light]] < before[edges[light]]
    assert trust(2.0**20 * usual) == pytest.approx(before, rel=1e-5)
    assert trust(np.full(len(edges), 7.0)) == pytest.approx(trust(np.ones(len(edges))))
