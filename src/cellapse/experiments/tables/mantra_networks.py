"""Table 5, the rows of graph networks: Betti numbers of surfaces by GCN and GAT.

A surface is seen as the graph of its edges. The paper's .31 and .92 are the shares of the largest
classes: with random features a network learns little. Given the degrees, the mean of which is the
Euler characteristic in disguise, the same network is as good as counting cells. Needs the extra
`torch`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._errors import extra
from cellapse._shared.arrays import BoolArray
from cellapse.datasets.surfaces import Surfaces, triangulated_surfaces
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure
from cellapse.experiments.protocol.table import Experiment, Results, Row, Table, pick
from cellapse.experiments.tables.mantra import stacked_incidence

NETWORKS = ("GCN", "GAT")
FEATURES = ("random", "degree")
PAPER = "b1 0.31\nb2 0.92"
_WIDTH, _BATCH = 64, 256


def arguments(quick: bool) -> list[Arguments]:
    n, epochs, seeds = (2000, 80, 1) if quick else (43_138, 20, 5)
    return [
        {"network": g, "features": f, "n_surfaces": n, "epochs": epochs, "seed": s}
        for s in range(seeds)
        for g in NETWORKS
        for f in FEATURES
    ]


def run(network: str, features: str, n_surfaces: int, epochs: int, seed: int) -> Result:
    """Test accuracy on b_1 and b_2 of one network; 80 % of the surfaces are for training."""
    with extra("torch", "torch"):
        import torch
    rng = np.random.default_rng(seed)
    surfaces = triangulated_surfaces()
    surfaces = surfaces.select(rng.permutation(len(surfaces))[:n_surfaces])
    adjacency, mask = (torch.from_numpy(a) for a in graphs(surfaces))
    x = adjacency.sum(2, keepdim=True) - 5.0  # about the mean
    if features == "random":
        x = torch.from_numpy(rng.standard_normal((*x.shape[:2], 8)).astype(np.float32))
    y = torch.from_numpy(surfaces.betti_numbers[:, 1:].astype(np.int64))
    cut = int(0.8 * n_surfaces)
    torch.manual_seed(seed)
    model = _network(network, x.shape[2], int(y[:, 0].max()) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    loss_of = torch.nn.functional.cross_entropy
    for _ in range(epochs):
        for part in torch.split(torch.randperm(cut), _BATCH):
            optimizer.zero_grad()
            first, second = model(x[part], adjacency[part], mask[part])
            loss: Any = loss_of(first, y[part, 0]) + loss_of(second, y[part, 1])
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        guesses = model(x[cut:], adjacency[cut:], mask[cut:])
    hits = [(g.argmax(1) == y[cut:, k]).float().mean() for k, g in enumerate(guesses)]
    largest = [np.bincount(y[cut:, k]).max() / (n_surfaces - cut) for k in (0, 1)]
    return {
        "accuracy": {"b1": float(hits[0]), "b2": float(hits[1])},
        "majority": {"b1": float(largest[0]), "b2": float(largest[1])},
    }


def graphs(surfaces: Surfaces) -> tuple[NDArray[np.float32], BoolArray]:
    """Adjacency matrices of the edges, filled up to ten vertices, and which vertices are real."""
    adjacency = np.zeros((len(surfaces), 10, 10), dtype=np.float32)
    for n, where, T in surfaces.stacks():
        B1, _ = stacked_incidence(n, T)
        product = B1 @ B1.transpose(0, 2, 1)
        adjacency[where, :n, :n] = product * (1 - np.eye(n))
    return adjacency, np.arange(10) < surfaces.n_vertices[:, None]


def _network(name: str, n_features: int, n_first: int) -> Any:
    """Three layers of 64 channels, the mean over the vertices, and an answer for each number."""
    import torch

    with extra("torch_geometric", "torch"):
        from torch_geometric.nn import DenseGATConv, DenseGCNConv

    def layer(width: int) -> Any:
        if name == "GCN":
            return DenseGCNConv(width, _WIDTH)
        return DenseGATConv(width, _WIDTH // 4, heads=4)

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList(map(layer, (n_features, _WIDTH, _WIDTH)))
            self.first = torch.nn.Linear(_WIDTH, n_first)
            self.second = torch.nn.Linear(_WIDTH, 2)

        def forward(self, x: Any, adjacency: Any, mask: Any) -> tuple[Any, Any]:
            for conv in self.layers:
                x = conv(x, adjacency, mask).relu()
            mean = (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            return self.first(mean), self.second(mean)

    return Network()


def summarize(results: Results) -> Table:
    size = results[0][0]["n_surfaces"]
    majority = {b: Figure.of([r["majority"][b] for _, r in results]) for b in ("b1", "b2")}
    rows = []
    for network in NETWORKS:
        figures = {}
        for features in FEATURES:
            accuracies = [r["accuracy"] for r in pick(results, network=network, features=features)]
            b1, b2 = (Figure.of([f[b] for f in accuracies]) for b in ("b1", "b2"))
            figures[features] = f"b1 {b1}\nb2 {b2}"
        rows.append(
            Row(
                network,
                PAPER,
                f"random features\n{figures['random']}",
                f"given the degrees\n{figures['degree']}",
                "Given the degrees it counts cells: what a network is given matters most.",
            )
        )
    return Table(
        "Table 5, graph networks: Betti numbers of triangulated surfaces",
        f"{size:,} surfaces, 80 % for training. Naming the most frequent class gives b1 "
        f"{majority['b1']}, b2 {majority['b2']}.",
        tuple(rows),
    )


EXPERIMENT = Experiment("mantra-networks", arguments, run, summarize, extra="torch")
