"""Protein positional encodings: what a graph network gains from each of them.

Residues are classified by secondary structure (helix, sheet, coil), by the number of residues
around them (terciles of C-alpha atoms within 8 Angstrom) and by kind (non-polar, polar, charged).
Every network sees the degree; encodings add the first eigenvectors of an operator or a heat kernel
signature. Each seed draws proteins and trains on three fifths: of their residues, the paper's
protocol, or of the proteins, which asks for something that carries over. Needs the extra `torch`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from cellapse._collapse.collapsed import collapse
from cellapse._complex.complex import Complex
from cellapse._errors import extra
from cellapse._linalg.operators import Operator
from cellapse._operators.baselines import graph_laplacian
from cellapse._operators.names import make_operator
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray
from cellapse.datasets.proteins import Protein, available_proteins, load_protein
from cellapse.experiments.protocol.operators import mixed_collapse
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure, compare
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table, pick
from cellapse.experiments.tables.proteins import signature
from cellapse.tasks.embedding import positional_encoding

TASKS = ("secondary structure", "contacts", "residue kind")
NETWORKS = ("GCN", "transformer")
SPLITS = {"residues": 12, "proteins": 20}  # how many proteins: both train on about as many residues
PAPER = {
    "contacts, GCN": "none .471, LaplacePE .480, SchurPE .494",
    "contacts, transformer": "none .463, LaplacePE .551, SchurPE .573",
}
N_VECTORS = 8
_KINDS = ("ALA GLY ILE LEU MET PHE PRO TRP VAL", "ASN CYS GLN SER THR TYR", "ARG ASP GLU HIS LYS")

OPERATORS: dict[str, Callable[[Complex], Operator]] = {
    "LaplacePE": graph_laplacian,
    "SchurPE, mixed": mixed_collapse,
    "SchurPE, unfolded": lambda K: collapse(K, "unfolded"),
    "SchurPE, unfolded, regularized": lambda K: collapse(
        K, "unfolded", gamma="regularized", eps=0.1
    ),
    "SchurPE, incidence": lambda K: collapse(K, "incidence"),
    "SchurPE, renormalized": lambda K: make_operator(K, "renormalized"),
}
ENCODINGS = ("none", *OPERATORS, "HKS of L", "HKS of S, unfolded")


class Batch(NamedTuple):
    """Proteins side by side: tensors with a row for each residue, edges in both directions."""

    x: Any
    edges: Any
    y: Any
    owner: Any  # which protein
    n_signs: int  # columns of x, the last ones, whose sign is arbitrary


def arguments(quick: bool) -> list[Arguments]:
    common = {"epochs": 60}
    return [
        {"task": task, "network": network, "split": split, "n_proteins": n, "seed": seed, **common}
        for network in NETWORKS[: 1 if quick else None]
        for split, n in SPLITS.items()
        for seed in range(1 if quick else 10)
        for task in TASKS
    ]


def run(task: str, network: str, split: str, n_proteins: int, seed: int, epochs: int) -> Result:
    """Test accuracy with every encoding, on one split of the residues or proteins."""
    rng = np.random.default_rng(seed)
    names = rng.permutation(available_proteins()).tolist()[:n_proteins]
    if split == "proteins":
        cut = 3 * len(names) // 5
        groups = [names[:cut], names[cut:]]
        train, test = (np.ones(_n_residues(group), dtype=bool) for group in groups)
    else:
        groups = [names, names]
        train = rng.random(_n_residues(names)) < 0.6
        test = ~train
    accuracies = {}
    for encoding in ENCODINGS:
        model = _trained(_batch(groups[0], encoding, task), train, split, network, seed, epochs)
        accuracies[encoding] = _accuracy(model, _batch(groups[1], encoding, task), test)
    labels = np.concatenate([_labels(load_protein(name), task) for name in groups[1]])[test]
    return {"accuracy": accuracies, "majority": float(np.bincount(labels).max() / len(labels))}


def _n_residues(names: list[str]) -> int:
    return sum(len(load_protein(name)) for name in names)


def _labels(protein: Protein, task: str) -> IntArray:
    if task == "secondary structure":
        return np.array(["HEC".index(c) for c in protein.dssp])
    if task == "contacts":
        alpha = protein.coordinates[:, 1]
        near = [len(close) - 1 for close in cKDTree(alpha).query_ball_point(alpha, 8.0)]
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
        S = graph_laplacian(K) if encoding.endswith("L") else collapse(K, "unfolded")
        return np.hstack([degree, signature(S)]), 0
    S = OPERATORS[encoding](K)
    scaled = np.sqrt(K.n_vertices) * np.asarray(positional_encoding(S, N_VECTORS, mass=None))
    return np.hstack([degree, scaled]), N_VECTORS


def _batch(names: list[str], encoding: str, task: str) -> Batch:
    with extra("torch", "torch"):
        import torch

    proteins = [load_protein(n) for n in names]
    sizes = np.array([len(p) for p in proteins])
    start = np.cumsum(sizes) - sizes
    features, n_signs = zip(*(_features(n, encoding) for n in names), strict=True)
    pairs = [p.complex().cells[1].as_array() + s for p, s in zip(proteins, start, strict=True)]
    edges = np.concatenate(pairs).T
    return Batch(
        torch.from_numpy(np.concatenate(features)).float(),
        torch.from_numpy(np.hstack([edges, edges[::-1]])),
        torch.from_numpy(np.concatenate([_labels(p, task) for p in proteins])),
        torch.from_numpy(np.repeat(np.arange(len(names)), sizes)),
        n_signs[0],
    )


def _trained(
    batch: Batch, known: BoolArray, split: str, network: str, seed: int, epochs: int
) -> Any:
    import torch

    torch.manual_seed(seed)
    n_plain = batch.x.shape[1] - batch.n_signs
    model = _network(network, batch.x.shape[1]).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=1e-4)
    shown = batch.x
    for _ in range(epochs):
        optimizer.zero_grad()
        if split == "proteins":  # a sign means nothing in the next protein: unlearn it
            flips = 2.0 * torch.randint(0, 2, (int(batch.owner[-1]) + 1, batch.n_signs)) - 1.0
            signed = batch.x[:, n_plain:] * flips[batch.owner]
            shown = torch.cat([batch.x[:, :n_plain], signed], 1)
        scores = model(shown, batch.edges)[known]
        loss: Any = torch.nn.functional.cross_entropy(scores, batch.y[known])
        loss.backward()
        optimizer.step()
    return model.eval()


def _accuracy(model: Any, batch: Batch, asked: BoolArray) -> float:
    import torch

    with torch.no_grad():
        right = model(batch.x, batch.edges).argmax(1) == batch.y
    return float(right[asked].float().mean())


def _network(name: str, n_features: int) -> Any:
    """Return three layers of 32 channels: GCN, or attention along the edges."""
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
    for network in {a["network"]: None for a, _ in results}:
        for task in {a["task"]: None for a, _ in results}:
            figures, meaning = dict.fromkeys(SPLITS, ""), []
            for split in {a["split"]: None for a, _ in results}:
                runs = pick(results, task=task, network=network, split=split)
                score = {e: [r["accuracy"][e] for r in runs] for e in ENCODINGS}
                best = max(ENCODINGS, key=lambda e: float(np.mean(score[e])))
                shown = ("none", "LaplacePE", "SchurPE, mixed", best)
                figures[split] = "; ".join(f"{e} {Figure.of(score[e])}" for e in shown)
                meaning += [
                    f"{split}: {_against_laplace(score, 'SchurPE, mixed')}; "
                    f"best, {_against_laplace(score, best)}."
                ]
                details += [
                    (split, task, network, e, str(Figure.of(score[e])), _against_laplace(score, e))
                    for e in ENCODINGS
                ]
            label = f"{task}, {network}"
            paper = PAPER.get(label, "not in the paper")
            here, fair = figures["residues"], figures["proteins"]
            rows.append(Row(label, paper, here, fair, " ".join(meaning)))
    majority = float(np.mean([r["majority"] for _, r in results]))
    head = ("split", "task", "network", "encoding", "accuracy", "against LaplacePE")
    return Table(
        "Table 6: positional encodings of proteins in graph networks",
        "Accuracy on unseen residues of the same proteins (the paper's protocol) and on unseen "
        "proteins (the fair one), spread over seeds. Residues are of three kinds here, of 23 in "
        f"the paper. The largest class has {majority:.2f}.",
        tuple(rows),
        (Detail("All encodings", head, tuple(details)),),
    )


def _against_laplace(score: dict[str, list[float]], encoding: str) -> str:
    return compare(score[encoding], score["LaplacePE"]).sentence(encoding, "LaplacePE")


EXPERIMENT = Experiment("node-classification", arguments, run, summarize, extra="torch")
