"""Protein positional encodings: what a graph network gains from each of them.

Residues are classified by secondary structure (helix, sheet, coil), by the number of residues
around them (terciles of C-alpha atoms within 8 Angstrom) and by kind (non-polar, polar, charged).
Every network sees the degree; encodings add the first eigenvectors of an operator or a heat kernel
signature. Each seed draws proteins, trains on three fifths of them and tests on the others. Needs
the extra `torch`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from cellapse._errors import extra
from cellapse.baselines import graph_laplacian
from cellapse.collapse import collapse
from cellapse.complex import Complex
from cellapse.datasets.proteins import Protein, available_proteins, load_protein
from cellapse.experiments.operators import mixed_collapse
from cellapse.experiments.proteins import signature
from cellapse.experiments.runner import Arguments, Result
from cellapse.experiments.scores import Figure, compare
from cellapse.experiments.table import Detail, Experiment, Results, Row, Table, pick
from cellapse.operator import Operator
from cellapse.tasks.encoding import positional_encoding

FloatArray = NDArray[np.float64]

TASKS = ("secondary structure", "contacts", "residue kind")
NETWORKS = ("GCN", "transformer")
N_VECTORS = 8
_KINDS = ("ALA GLY ILE LEU MET PHE PRO TRP VAL", "ASN CYS GLN SER THR TYR", "ARG ASP GLU HIS LYS")

OPERATORS: dict[str, Callable[[Complex], Operator]] = {
    "LaplacePE": graph_laplacian,
    "SchurPE, mixed": mixed_collapse,
    "SchurPE, unfolded": collapse,
    "SchurPE, unfolded, regularized": lambda K: collapse(K, gamma="regularized", eps=0.1),
    "SchurPE, incidence": lambda K: collapse(K, realization="incidence"),
    "SchurPE, renormalized": lambda K: collapse(K, realization="screened", renormalize=5),
}
ENCODINGS = ("none", *OPERATORS, "HKS of L", "HKS of S, unfolded")


def arguments(quick: bool) -> list[Arguments]:
    return [
        {"task": task, "network": network, "seed": seed, "epochs": 60, "n_proteins": 20}
        for network in NETWORKS[: 1 if quick else None]
        for seed in range(3 if quick else 10)
        for task in TASKS
    ]


def run(task: str, network: str, seed: int, epochs: int, n_proteins: int) -> Result:
    """Test accuracy with every encoding, on one split of the proteins."""
    names = np.random.default_rng(seed).permutation(available_proteins()).tolist()[:n_proteins]
    cut = 3 * len(names) // 5
    found = {e: _accuracy(names, cut, e, task, network, seed, epochs) for e in ENCODINGS}
    labels = np.concatenate([_labels(load_protein(n), task) for n in names[cut:]])
    return {"accuracy": found, "majority": float(np.bincount(labels).max() / len(labels))}


def _labels(protein: Protein, task: str) -> NDArray[np.int64]:
    if task == "secondary structure":
        return np.array(["HEC".index(c) for c in protein.dssp])
    if task == "contacts":
        alpha = protein.coordinates[:, 1]
        near = [len(found) - 1 for found in cKDTree(alpha).query_ball_point(alpha, 8.0)]
        return np.searchsorted(np.quantile(near, [1 / 3, 2 / 3]), near)
    kinds = [group.split() for group in _KINDS]
    return np.array([next((i for i, g in enumerate(kinds) if r in g), 0) for r in protein.residues])


@cache
def _features(name: str, encoding: str) -> tuple[FloatArray, int]:
    """Degree and encoding of the residues, and how many columns have an arbitrary sign."""
    K = load_protein(name).complex()
    degree = np.bincount(K.cells[1].indices, minlength=K.n_vertices)[:, None] / 4.0
    if encoding == "none":
        return degree, 0
    if encoding.startswith("HKS"):
        S = graph_laplacian(K) if encoding.endswith("L") else collapse(K)
        return np.hstack([degree, signature(S)]), 0
    S = OPERATORS[encoding](K)
    scaled = np.sqrt(K.n_vertices) * np.asarray(positional_encoding(S, N_VECTORS))
    return np.hstack([degree, scaled]), N_VECTORS


def _accuracy(
    names: list[str], cut: int, encoding: str, task: str, network: str, seed: int, epochs: int
) -> float:
    with extra("torch", "torch"):
        import torch
    torch.manual_seed(seed)
    parts = [_batch(group, encoding, task) for group in (names[:cut], names[cut:])]
    (x, edges, y, owner), (x_test, edges_test, y_test, _) = parts
    signs = _features(names[0], encoding)[1]
    model = _network(network, x.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-4)
    for _ in range(epochs):
        model.train()
        optimizer.zero_grad()
        flips = 2.0 * torch.randint(0, 2, (cut, signs)) - 1.0  # a sign means nothing: unlearn it
        plain = x.shape[1] - signs
        shown = torch.cat([x[:, :plain], x[:, plain:] * flips[owner]], 1)
        loss: Any = torch.nn.functional.cross_entropy(model(shown, edges), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        return float((model(x_test, edges_test).argmax(1) == y_test).float().mean())


def _batch(names: list[str], encoding: str, task: str) -> tuple[Any, Any, Any, Any]:
    """The proteins side by side: features, edges both ways, labels, and which protein."""
    import torch

    proteins = [load_protein(n) for n in names]
    sizes = np.array([len(p) for p in proteins])
    start = np.cumsum(sizes) - sizes
    x = np.concatenate([_features(n, encoding)[0] for n in names])
    pairs = [p.complex().cells[1].as_array() + s for p, s in zip(proteins, start, strict=True)]
    edges = np.concatenate(pairs).T
    y = np.concatenate([_labels(p, task) for p in proteins])
    return (
        torch.from_numpy(x).float(),
        torch.from_numpy(np.hstack([edges, edges[::-1]])),
        torch.from_numpy(y),
        torch.from_numpy(np.repeat(np.arange(len(names)), sizes)),
    )


def _network(name: str, n_features: int) -> Any:
    """Three layers of 32 channels: GCN, or attention along the edges."""
    import torch

    with extra("torch_geometric", "torch"):
        from torch_geometric.nn import GCNConv, TransformerConv

    def layer() -> Any:
        return GCNConv(32, 32) if name == "GCN" else TransformerConv(32, 8, heads=4)

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Linear(n_features, 32)
            self.layers = torch.nn.ModuleList(layer() for _ in range(3))
            self.last = torch.nn.Linear(32, 3)
            self.drop = torch.nn.Dropout(0.1)

        def forward(self, x: Any, edges: Any) -> Any:
            x = self.first(x).relu()
            for conv in self.layers:
                x = x + self.drop(conv(x, edges).relu())
            return self.last(x)

    return Network()


def summarize(results: Results) -> Table:
    rows, details = [], []
    for task in {a["task"]: None for a, _ in results}:
        for network in {a["network"]: None for a, _ in results}:
            found = [r["accuracy"] for r in pick(results, task=task, network=network)]
            score = {e: [f[e] for f in found] for e in ENCODINGS}
            laplace, mixed = score["LaplacePE"], score["SchurPE, mixed"]
            best = ENCODINGS[int(np.argmax([np.mean(score[e]) for e in ENCODINGS]))]
            rows.append(
                Row(
                    f"{task}, {network}",
                    "SchurPE ahead of LaplacePE",
                    f"none {Figure.of(score['none'])}, LaplacePE {Figure.of(laplace)}, "
                    f"SchurPE {Figure.of(mixed)}",
                    f"best: {best} {Figure.of(score[best])}",
                    f"{compare(mixed, laplace).sentence('SchurPE', 'LaplacePE')}; "
                    f"{compare(score[best], laplace).sentence(best, 'LaplacePE')}.",
                )
            )
            details += [(task, network, e, str(Figure.of(score[e]))) for e in ENCODINGS]
    majority = float(np.mean([r["majority"] for _, r in results]))
    return Table(
        "Table 6: positional encodings of proteins in graph networks",
        f"Accuracy on unseen proteins, spread over seeds; the largest class has {majority:.2f}.",
        tuple(rows),
        (Detail("All encodings", ("task", "network", "encoding", "accuracy"), tuple(details)),),
    )


EXPERIMENT = Experiment("node-classification", arguments, run, summarize, extra="torch")
