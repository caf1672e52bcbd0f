"""Beyond the paper: a graph network on citations of which a third is false.

Cora, with as many random edges as half of its own, or none. A GCN of two layers (Kipf and Welling
2017: 16 channels, dropout .5, Adam with a rate of .01, weight decay 5e-4 of the first layer) learns
from 20 papers a subject, stops where 500 others are best, and is asked for 1,000. It sees the graph
as it is; without the edges whose papers share no word (GCN-Jaccard, Wu et al. 2019); and weighed or
cut by `TrustEdges`. A network without edges sees the words that `SpreadTrust` has spread. Needs the
extra `torch`, and Cora, which the package graphdatascience brings.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._errors import InputError, MissingExtraError, extra
from cellapse._shared.arrays import FloatArray, IntArray, csr_from_entries
from cellapse.datasets.cora import Cora, load_cora
from cellapse.datasets.generators import join
from cellapse.experiments.protocol.noise import with_false_edges
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure, compare
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table, pick

PERCENT = (0, 50)
PER_CLASS, N_VALIDATION, N_TEST = 20, 500, 1000
CHANNELS, EPOCHS = 16, 150
STRENGTH, SPREAD = 5.0, "words spread by trust, no edges"


def arguments(quick: bool) -> list[Arguments]:
    """None where the package that brings Cora is not installed."""
    with suppress(MissingExtraError, InputError):
        _cora()
        seeds = range(2 if quick else 10)
        return [{"percent": p, "seed": s, "epochs": EPOCHS} for p in PERCENT for s in seeds]
    return []


@cache
def _cora() -> Cora:
    return load_cora()


def run(percent: int, seed: int, epochs: int) -> Result:
    """Test accuracy on the graph as each way leaves it."""
    data = _cora()
    n = len(data.papers)
    ends = data.complex(1).cells[1].as_array(2)
    A = with_false_edges(join(sparse.csr_array((n, n)), ends), percent, "uniform", seed)
    edges = sparse.triu(A, 1).tocoo()
    words = _words(data)
    found = {
        way: _accuracy(data, weighed, words, seed, epochs)
        for way, weighed in _ways(data, edges).items()
    }
    alone = sparse.csr_array((n, n))
    found[SPREAD] = _accuracy(data, alone, _spread(words, edges), seed, epochs)
    return found


def _ways(data: Cora, edges: Any) -> dict[str, sparse.csr_array]:
    """The weights of the graph, by the way they are made."""
    with extra("torch", "torch"):
        import torch
        from torch_geometric.data import Data

        from cellapse.torch import TrustEdges

    i, j = edges.coords
    words = sparse.csr_array(data.words.astype(np.float64))
    shared = np.asarray(words[i].multiply(words[j]).sum(axis=1)).ravel() > 0
    both = torch.from_numpy(np.array([np.r_[i, j], np.r_[j, i]]).astype(np.int64))
    graph = Data(edge_index=both, num_nodes=len(data.papers))

    def trusted(**given: Any) -> sparse.csr_array:
        found = TrustEdges(**given)(graph)
        w = found.edge_weight.numpy() if "edge_weight" in found else np.ones(found.num_edges)
        return _matrix(found.edge_index, w, len(data.papers))

    ones = np.ones(2 * len(i))
    return {
        "nothing": _matrix(both, ones, len(data.papers)),
        "GCN-Jaccard": _matrix(both, np.r_[shared, shared] * ones, len(data.papers)),
        "trust as weights": trusted(),
        "the third of the least trust left out": trusted(drop=1 / 3, weight=False),
    }


def _words(data: Cora) -> Any:
    """The words of every paper, as shares of them."""
    size = np.maximum(data.words.sum(axis=1), 1)
    return _tensor(sparse.csr_array(data.words / size[:, None]))


def _spread(words: Any, edges: Any) -> Any:
    """The words of papers, spread along the edges by their trust."""
    with extra("torch", "torch"):
        import torch
        from torch_geometric.data import Data

        from cellapse.torch import SpreadTrust

    i, j = edges.coords
    both = torch.from_numpy(np.array([np.r_[i, j], np.r_[j, i]]).astype(np.int64))
    return SpreadTrust(strength=STRENGTH)(Data(x=words.to_dense(), edge_index=both)).x


def _matrix(ends: Any, w: FloatArray, n: int) -> sparse.csr_array:
    i, j = ends.numpy()
    return csr_from_entries(i, j, w, (n, n))


def _accuracy(data: Cora, weights: sparse.csr_array, X: Any, seed: int, epochs: int) -> float:
    """On the test papers, after the epoch that was best on the validation papers."""
    import torch
    from torch.nn.functional import cross_entropy, dropout

    shown, check, asked = _split(np.asarray(data.groups), seed)
    looped = weights + sparse.eye_array(len(data.papers))
    root = sparse.diags_array(1.0 / np.sqrt(np.asarray(looped.sum(axis=1)).ravel()))
    P, y = _tensor(root @ looped @ root), torch.from_numpy(np.asarray(data.groups))

    torch.manual_seed(seed)
    shapes = (data.words.shape[1], CHANNELS), (CHANNELS, int(data.groups.max()) + 1)
    first, last = (torch.nn.init.xavier_uniform_(torch.empty(*s)).requires_grad_() for s in shapes)
    one, two = (torch.zeros(s[1], requires_grad=True) for s in shapes)
    layers: list[dict[str, Any]] = [
        {"params": [first, one], "weight_decay": 5e-4},
        {"params": [last, two]},
    ]
    optimizer = torch.optim.Adam(layers, lr=0.01)

    def network(x: Any, rate: float) -> Any:
        hidden = (torch.sparse.mm(P, x @ first) + one).relu()
        return torch.sparse.mm(P, dropout(hidden, rate) @ last) + two

    best, result = -1.0, 0.0
    for _ in range(epochs):
        optimizer.zero_grad()
        loss: Any = cross_entropy(network(_dropped(X), 0.5)[shown], y[shown])
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            right = (network(X, 0.0).argmax(1) == y).double().numpy()
        if right[check].mean() >= best:
            best, result = float(right[check].mean()), float(right[asked].mean())
    return result


def _dropped(X: Any) -> Any:
    """Half of the entries, twice as large."""
    import torch
    from torch.nn.functional import dropout

    if not X.is_sparse:
        return dropout(X, 0.5)
    return torch.sparse_coo_tensor(X.indices(), dropout(X.values(), 0.5), X.shape).coalesce()


def _split(groups: IntArray, seed: int) -> tuple[IntArray, IntArray, IntArray]:
    """Papers to learn from, to stop by and to be asked for."""
    rng = np.random.default_rng(seed)
    each = [rng.permutation(np.flatnonzero(groups == c))[:PER_CLASS] for c in np.unique(groups)]
    shown = np.concatenate(each)
    rest = rng.permutation(np.setdiff1d(np.arange(len(groups)), shown))
    return shown, rest[:N_VALIDATION], rest[N_VALIDATION : N_VALIDATION + N_TEST]


def _tensor(matrix: Any) -> Any:
    import torch

    entries = sparse.coo_array(matrix)
    places = torch.from_numpy(np.array(entries.coords, dtype=np.int64))
    values = torch.from_numpy(entries.data).float()
    return torch.sparse_coo_tensor(places, values, entries.shape).coalesce()


def summarize(results: Results) -> Table:
    rows, details = [], []
    for percent in dict.fromkeys(a["percent"] for a, _ in results):
        chosen = pick(results, percent=percent)
        label = f"{percent} % false edges" if percent else "no false edges"
        score = {way: [r[way] for r in chosen] for way in chosen[0]}
        rows.append(
            Row(
                label,
                "not in the paper",
                "not in the paper",
                "\n".join(f"{way} {Figure.of(values)}" for way, values in score.items()),
                "; ".join(_against(score, way) for way in list(score)[1:]) + ".",
            )
        )
        details += [
            (label, way, str(Figure.of(v)), _against(score, way)) for way, v in score.items()
        ]
    return Table(
        "A graph network on a citation graph with false edges",
        "Cora, a GCN of two layers, 20 papers a subject to learn from, accuracy on 1,000 others; "
        "spread over seeds, paired by seed with the graph as it is.",
        tuple(rows),
        (
            Detail(
                "All ways", ("false edges", "way", "accuracy", "against nothing"), tuple(details)
            ),
        ),
    )


def _against(score: dict[str, list[float]], way: str) -> str:
    if way == "nothing":
        return ""
    return compare(score[way], score["nothing"]).sentence(way, "nothing")


EXPERIMENT = Experiment("gcn", arguments, run, summarize, extra="torch")
