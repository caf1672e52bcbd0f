"""Beyond the paper: a graph network on graphs of which a third of the edges is false.

The networks of `protocol.featured`, with as many random edges as half of their own, or none. A GCN
of two layers (Kipf and Welling 2017: 16 channels, dropout .5, Adam with a rate of .01, weight decay
5e-4 of the first layer) learns from a few vertices a group, stops where some others are best, and
is asked for the rest. It sees the graph

    nothing       as it is,
    GCN-Jaccard   without the edges whose ends share no feature (Wu et al. 2019); where vertices
                  have none, without those whose ends share no neighbour,
    GCN-SVD       as the positive part of its best matrix of rank 50 (Entezari et al. 2020),

and weighed or cut by `TrustEdges`. A network without edges sees the features that `SpreadTrust` has
spread. Needs the extra `torch`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from cellapse._errors import extra
from cellapse._shared.arrays import FloatArray, IntArray, csr_from_entries
from cellapse.experiments.protocol.featured import Featured, featured, installed
from cellapse.experiments.protocol.noise import with_false_edges
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure, compare
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table, pick

PERCENT = (0, 50)
CHANNELS, EPOCHS = 16, 150
RANK = 50
EVIDENCE = ("cells", "learned")
STRENGTH, SPREAD = 5.0, "features spread by trust, no edges"


def arguments(quick: bool) -> list[Arguments]:
    """Return the networks whose data are installed."""
    return [
        {"network": name, "percent": percent, "seed": seed, "epochs": EPOCHS}
        for name in installed()
        for percent in PERCENT
        for seed in range(2 if quick else 10)
    ]


def run(network: str, percent: int, seed: int, epochs: int) -> Result:
    """Test accuracy on the graph as each way leaves it."""
    data = featured(network)
    A = with_false_edges(data.A, percent, "uniform", seed)
    edges, X = sparse.triu(A, 1).tocoo(), _shares(data)
    found = {
        way: _accuracy(data, weighed, X, seed, epochs)
        for way, weighed in _ways(data, edges).items()
    }
    alone = sparse.csr_array(A.shape)
    found[SPREAD] = _accuracy(data, alone, _spread(X, edges), seed, epochs)
    return found


def _ways(data: Featured, edges: Any) -> dict[str, Any]:
    """Return the weights of the graph, by the way they are made."""
    with extra("torch", "torch"):
        import torch
        from torch_geometric.data import Data

        from cellapse.torch import TrustEdges

    i, j = edges.coords
    n = len(data.groups)
    both = torch.from_numpy(np.array([np.r_[i, j], np.r_[j, i]]).astype(np.int64))
    graph = Data(edge_index=both, num_nodes=n)
    A = _matrix(both, np.ones(2 * len(i)), n)

    def trusted(**given: Any) -> sparse.csr_array:
        found = TrustEdges(**given)(graph)
        w = found.edge_weight.numpy() if "edge_weight" in found else np.ones(found.num_edges)
        return _matrix(found.edge_index, w, n)

    alike = A if (data.features.sum(axis=0) <= 1).all() else data.features
    shared = np.asarray(alike[i].multiply(alike[j]).sum(axis=1)).ravel() > 0
    return {
        "nothing": A,
        "GCN-Jaccard": _matrix(both, np.r_[shared, shared].astype(np.float64), n),
        "GCN-SVD": low_rank(A, RANK),
        **{f"weights, {name}": trusted(evidence=name) for name in EVIDENCE},
        "a third left out, learned": trusted(evidence="learned", drop=1 / 3, weight=False),
    }


def _shares(data: Featured) -> Any:
    """Return the features of every vertex as shares of them."""
    size = np.maximum(np.asarray(data.features.sum(axis=1)).ravel(), 1.0)
    return _tensor(sparse.diags_array(1.0 / size) @ data.features)


def _spread(X: Any, edges: Any) -> Any:
    """Return the features, spread along the edges by their trust."""
    with extra("torch", "torch"):
        import torch
        from torch_geometric.data import Data

        from cellapse.torch import SpreadTrust

    i, j = edges.coords
    both = torch.from_numpy(np.array([np.r_[i, j], np.r_[j, i]]).astype(np.int64))
    return SpreadTrust(strength=STRENGTH)(Data(x=X.to_dense(), edge_index=both)).x


def low_rank(A: sparse.csr_array, rank: int) -> FloatArray:
    """Return the positive part of the best matrix of a rank.

    >>> low_rank(sparse.csr_array(np.diag([1.0, 3.0, 2.0, 0.5])), 1).round(6).max(axis=0)
    array([0., 3., 0., 0.])
    """
    n = A.shape[0]
    left, values, right = sparse.linalg.svds(A, min(rank, n - 1), v0=np.ones(n), random_state=0)
    return np.maximum((left * values) @ right, 0.0)


def _matrix(ends: Any, w: FloatArray, n: int) -> sparse.csr_array:
    i, j = ends.numpy()
    return csr_from_entries(i, j, w, (n, n))


def _accuracy(data: Featured, weights: Any, X: Any, seed: int, epochs: int) -> float:
    """On the test vertices, after the epoch that was best on the validation vertices."""
    import torch
    from torch.nn.functional import cross_entropy, dropout

    shown, check, asked = _split(data, seed)
    P, y = _propagation(weights), torch.from_numpy(data.groups.astype(np.int64))

    torch.manual_seed(seed)
    shapes = (X.shape[1], CHANNELS), (CHANNELS, int(data.groups.max()) + 1)
    first, last = (torch.nn.init.xavier_uniform_(torch.empty(*s)).requires_grad_() for s in shapes)
    one, two = (torch.zeros(s[1], requires_grad=True) for s in shapes)
    layers: list[dict[str, Any]] = [
        {"params": [first, one], "weight_decay": 5e-4},
        {"params": [last, two]},
    ]
    optimizer = torch.optim.Adam(layers, lr=0.01)

    def network(x: Any, rate: float) -> Any:
        hidden = (P @ (x @ first) + one).relu()
        return P @ (dropout(hidden, rate) @ last) + two

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
    """Return half of the entries, twice as large."""
    import torch
    from torch.nn.functional import dropout

    if not X.is_sparse:
        return dropout(X, 0.5)
    return torch.sparse_coo_tensor(X.indices(), dropout(X.values(), 0.5), X.shape).coalesce()


def _split(data: Featured, seed: int) -> tuple[IntArray, IntArray, IntArray]:
    """Vertices to learn from, to stop by and to be asked for."""
    rng = np.random.default_rng(seed)
    groups = data.groups
    members = (rng.permutation(np.flatnonzero(groups == c)) for c in np.unique(groups))
    shown = np.concatenate([each[: data.per_class] for each in members])
    rest = rng.permutation(np.setdiff1d(np.arange(len(groups)), shown))
    check, asked = np.split(rest[: data.n_validation + data.n_test], [data.n_validation])
    return shown, check, asked


def _propagation(weights: Any) -> Any:
    """D^-1/2 (W + I) D^-1/2, dense where W is."""
    import torch

    n = weights.shape[0]
    looped = weights + (sparse.eye_array(n) if sparse.issparse(weights) else np.eye(n))
    root = 1.0 / np.sqrt(np.asarray(looped.sum(axis=1)).ravel())
    if not sparse.issparse(weights):
        return torch.from_numpy((looped * root[:, None] * root).astype(np.float32))
    scale = sparse.diags_array(root)
    return _tensor(scale @ looped @ scale)


def _tensor(matrix: Any) -> Any:
    import torch

    entries = sparse.coo_array(matrix)
    places = torch.from_numpy(np.array(entries.coords, dtype=np.int64))
    values = torch.from_numpy(entries.data).float()
    return torch.sparse_coo_tensor(places, values, entries.shape).coalesce()


def summarize(results: Results) -> Table:
    rows, details = [], []
    for network, percent in dict.fromkeys((a["network"], a["percent"]) for a, _ in results):
        chosen = pick(results, network=network, percent=percent)
        label = f"{network}, {percent} % false edges" if percent else f"{network}, no false edges"
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
        "A graph network on graphs with false edges",
        "A GCN of two layers: 20 papers of Cora a subject and 20 movies a genre to learn from, "
        "accuracy on 1,000 others; 3 football teams a conference, accuracy on the others. Spread "
        "over seeds, paired by seed with the graph as it is. The movies, which the keywords of a "
        "plot tell little of, and the papers come with the package graphdatascience.",
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
