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


def contacts(weights, **more):
    arrays = np.array(EDGES), np.zeros(len(EDGES))
    return cl.TemporalComplex.from_arrays(20, *arrays, weights=weights, **more)


def timed(weights):
    made = weighted(weights)
    nx.set_edge_attributes(made, 0.0, "time")
    return made


def table(weights):
    import pandas as pd

    return pd.DataFrame(EDGES, columns=["source", "target"]).assign(time=0.0, weight=weights)


def data(weights, name="edge_weight"):
    """As PyTorch Geometric has it, with both directions of every edge."""
    import torch
    from torch_geometric.data import Data

    both = torch.tensor(np.array([*EDGES, *[(v, u) for u, v in EDGES]]).T)
    graph = Data(x=torch.arange(20.0)[:, None] % 3, edge_index=both, num_nodes=20)
    graph[name] = torch.tensor(np.concatenate([weights, weights]))
    return graph


def transformed(name, **more):
    def call(weights):
        import cellapse.torch as ours

        graph = data(weights)
        graph.edge_weight = graph.edge_weight.float()
        given = graph.to_dict()
        made = getattr(ours, name)(**more)(graph).to_dict()
        return [v for k, v in made.items() if k != "edge_weight" or v is not given[k]]

    return call


def cells_of_tissue(weights):
    import anndata
    import pandas as pd

    obs = pd.DataFrame({"known": ["a", *[None] * 18, "b"]}, index=[f"cell{i}" for i in range(20)])
    adata = anndata.AnnData(np.cos(np.arange(40.0)).reshape(20, 2), obs=obs)
    adata.obsp["connectivities"] = nx.to_scipy_sparse_array(weighted(weights), format="csr")
    return adata


def annotated(name, **more):
    def call(weights):
        from cellapse import scverse

        made = getattr(scverse, name)(cells_of_tissue(weights), key_added="new", copy=True, **more)
        kept = {**made.obsm, **made.layers, **made.obs, **made.obsp}
        return [v for k, v in kept.items() if "new" in k]

    return call


def precomputed(estimator, y=None):
    def call(weights):
        A = nx.to_scipy_sparse_array(weighted(weights))
        model = estimator(affinity="precomputed").fit(A, y)
        if hasattr(model, "transform"):
            return model.transform(A)
        return model.predict_proba(A) if hasattr(model, "predict_proba") else model.predict(A)

    return call


FEW = np.where(np.arange(20) % 7 == 0, np.arange(20) % 2, -1)
GIVEN = {
    "windows": lambda w: [v.complex for v in contacts(w).windows(1)],
    "between": lambda w: contacts(w).between(0, 1),
    "collapse_over_time": lambda w: [m.values for m in cl.collapse_over_time(contacts(w), 1, k=5)],
    "as_temporal of a graph": lambda w: cl.as_temporal(timed(w)).weights,
    "as_temporal of a table": lambda w: cl.as_temporal(table(w)).weights,
    "data_to_complex": lambda w: transformed_to_complex(w),
    "AddCollapsedPE": transformed("AddCollapsedPE", k=4),
    "AddHeatKernelSignature": transformed("AddHeatKernelSignature", times=[0.5, 1.0]),
    "TrustEdges": transformed("TrustEdges", evidence="cells"),
    "SpreadTrust": transformed("SpreadTrust"),
    "scverse.collapse": annotated("collapse"),
    "scverse.trust": annotated("trust"),
    "scverse.embed": annotated("embed", k=4),
    "scverse.smooth": annotated("smooth"),
    "scverse.spread_labels": annotated("spread_labels", labels="known"),
    "CollapsedSpectralEmbedding": precomputed(cl.CollapsedSpectralEmbedding),
    "HeatKernelSignature": precomputed(cl.HeatKernelSignature),
    "WaveKernelSignature": precomputed(cl.WaveKernelSignature),
    "CollapsedLabelSpreading": precomputed(cl.CollapsedLabelSpreading, FEW),
    "SignalSmoother": precomputed(cl.SignalSmoother, np.cos(np.arange(20.0))),
    "CollapsedGPRegressor": precomputed(cl.CollapsedGPRegressor, np.cos(np.arange(20.0))),
}
NEEDS = {
    **dict.fromkeys(["AddCollapsedPE", "AddHeatKernelSignature", "TrustEdges"], "torch_geometric"),
    **dict.fromkeys(["SpreadTrust", "data_to_complex"], "torch_geometric"),
    **{name: "anndata" for name in GIVEN if name.startswith("scverse")},
}


def transformed_to_complex(weights):
    import cellapse.torch as ours

    return [ours.data_to_complex(data(weights, name)) for name in ("edge_weight", "weight")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", GIVEN)
def test_weights_count_in_whatever_holds_the_network(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    heavy, plain = (
        np.concatenate([np.empty(0), *numbers(GIVEN[name](w))])
        for w in (np.array(list(HEAVY.values())), np.ones(len(EDGES)))
    )
    assert heavy.size
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
