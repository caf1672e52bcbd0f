"""The cost of a layer: higher-order message passing against layers on the collapsed operator.

The paper: a layer of higher-order message passing costs O(M d^2) for M cells, one of a graph
network O(m d^2) on the graph alone; the collapse moves the difference to preprocessing, so a
forward pass is O(M/m) times faster. Here all layers see the same complex, a clique complex of a
denser and denser geometric graph, forwards and backwards, on one thread; times are those of the
processor. Needs the extra `torch`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import extra
from cellapse._matrices.matrices import incidence_matrices
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table
from cellapse.lifts import clique_complex

LAYERS = ("message passing", "vertices only", "screened", "unfolded")


def arguments(quick: bool) -> list[Arguments]:
    sizes = (500,) if quick else (500, 2000)
    return [
        {"n": n, "degree": degree, "channels": 64, "seed": 0}
        for n in sizes
        for degree in (6, 12, 18, 24)
    ]


def run(n: int, degree: int, channels: int, seed: int) -> Result:
    """Milliseconds of each layer, forwards and backwards, and of preparing each operator."""
    with extra("torch", "torch"):
        import torch
    torch.manual_seed(seed)
    graph = nx.random_geometric_graph(n, float(np.sqrt(degree / (np.pi * n))), seed=seed)
    K = clique_complex(graph, max_rank=3)
    x = [torch.randn(m, channels, requires_grad=True) for m in K.n_cells]
    layers, prepared = _layers(K, channels)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        times = {name: 1000 * _seconds(layer, x) for name, layer in layers.items()}
    finally:
        torch.set_num_threads(before)
    return {
        "n_cells": list(K.n_cells),
        "cells per vertex": sum(K.n_cells) / n,
        "cells per edge or vertex": sum(K.n_cells) / sum(K.n_cells[:2]),
        "milliseconds": times,
        "preparation": {name: 1000 * s for name, s in prepared.items()},
    }


def _layers(K: Complex, channels: int) -> tuple[dict[str, Callable[..., Any]], dict[str, float]]:
    import torch

    from cellapse.torch import Collapse, CollapsedConv

    conv = CollapsedConv(channels, channels, order=2)
    operators, prepared = {}, {}
    for name, source, realization in (
        ("vertices only", K.skeleton(1), "screened"),
        ("screened", K, "screened"),
        ("unfolded", K, "unfolded"),
    ):
        start = time.process_time()
        layer = Collapse(source, realization=realization).requires_grad_(False)
        operators[name] = layer.operator()
        operators[name] @ torch.ones(K.n_vertices)  # factorizes
        prepared[name] = time.process_time() - start
    start = time.process_time()
    passing = _message_passing(K, channels)
    prepared["message passing"] = time.process_time() - start
    layers: dict[str, Callable[..., Any]] = {"message passing": passing}
    for name, operator in operators.items():
        layers[name] = lambda x, op=operator: [conv(x[0], op).relu()]
    return layers, prepared


def _message_passing(K: Complex, channels: int) -> Callable[..., Any]:
    """Return every cell hears from its faces, its cofaces and itself, with weights of its rank."""
    import torch

    links = []
    for B in incidence_matrices(K).matrices:
        both = []
        for M in (B, B.T):
            coo = M.tocoo()
            index = torch.from_numpy(np.stack([coo.row, coo.col]).astype(np.int64))
            values = torch.from_numpy(coo.data).float()
            entries = torch.sparse_coo_tensor(index, values, M.shape, check_invariants=True)
            both.append(entries.coalesce())
        links.append(both)
    top = len(links)
    own = torch.nn.ModuleList(torch.nn.Linear(channels, channels) for _ in range(top + 1))
    other = torch.nn.ModuleList(torch.nn.Linear(channels, channels) for _ in range(2 * top))

    def layer(x: list[Any]) -> list[Any]:
        out = [f(h) for f, h in zip(own, x, strict=True)]
        for k, (down, up) in enumerate(links):
            out[k] = out[k] + torch.sparse.mm(down, other[2 * k](x[k + 1]))
            out[k + 1] = out[k + 1] + torch.sparse.mm(up, other[2 * k + 1](x[k]))
        return [h.relu() for h in out]

    return layer


def _seconds(layer: Callable[..., Any], x: list[Any], repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        sum(h.square().sum() for h in layer(x)).backward()
        times.append(time.process_time() - start)
    return min(times)


def summarize(results: Results) -> Table:
    rows, detail = [], []
    for a, r in results:
        cost = r["milliseconds"]
        times = {name: cost["message passing"] / cost[name] for name in LAYERS}
        ratio = r["cells per edge or vertex"]
        rows.append(
            Row(
                f"{a['n']} vertices, {sum(r['n_cells']):,} cells",
                f"O(M/m), M/m = {ratio:.1f}",
                f"vertices only: {times['vertices only']:.1f} times faster",
                f"screened {times['screened']:.1f}, unfolded {times['unfolded']:.2f} times",
                "The sparse operator costs as much as the graph alone; the unfolded one solves a "
                "system in each layer, and pays off where cells are many.",
            )
        )
        cells = ", ".join(f"{m:,}" for m in r["n_cells"])
        detail += [
            (cells, n, f"{cost[n]:.2f}", f"{r['preparation'][n]:.0f}", f"{times[n]:.2f}")
            for n in LAYERS
        ]
    head = ("cells by rank", "layer", "ms forwards and backwards", "ms prepared once", "speedup")
    return Table(
        "The cost of a layer",
        "Clique complexes of geometric graphs up to rank 3, 64 channels, one thread.",
        tuple(rows),
        (Detail("All layers", head, tuple(detail)),),
    )


EXPERIMENT = Experiment("message-passing-cost", arguments, run, summarize, extra="torch")
