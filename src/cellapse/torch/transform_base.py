"""What the transforms of PyTorch Geometric share: how graphs get a tensor of their nodes."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

import numpy as np
import torch

from cellapse._collapse.realizations import DEFAULT, Realization
from cellapse._collapse.weights import check_eps
from cellapse._complex.complex import Complex
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError, extra
from cellapse._linalg.operators import Operator
from cellapse._operators.names import check_operator
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import whole_number, word
from cellapse.batch import LARGE, Settings, solve_all
from cellapse.torch.data import (
    EdgeType,
    Lift,
    checked_edge_type,
    data_to_complexes,
    n_nodes,
    of_one_kind,
)
from cellapse.torch.graph_transform import GraphTransform

with extra("torch_geometric", "torch"):
    from torch_geometric.data import Batch


@dataclass(eq=False, repr=False, kw_only=True)
class Collapsing(GraphTransform):
    """What the transforms share: how a graph is collapsed, and where the result goes."""

    lift: Lift = "clique"
    max_rank: int = 2
    weight: str | None = AUTO
    operator: str | Realization = DEFAULT
    beta: Any = None
    gamma: Any = None
    eps: float | None = None
    edge_type: EdgeType | None = None
    _checked: int = field(default=-1, init=False, repr=False)  # largest rank tried so far

    def __post_init__(self) -> None:
        self.max_rank = whole_number("max_rank", self.max_rank, 1, 1000)
        if self.attr_name is not None:
            word("attr_name", self.attr_name)
        check_operator(self.operator)
        self.edge_type = checked_edge_type(self.edge_type)
        if self.eps is not None:
            self.eps = check_eps(self.eps)

    def __repr__(self) -> str:
        # PyG compares it with that of the transform a dataset was processed with: what was chosen
        # has to be there.
        values = {f: getattr(self, f.name) for f in fields(self) if f.repr}
        chosen = [f for f, value in values.items() if repr(value) != repr(f.default)]
        chosen.sort(key=lambda f: f.default is not MISSING)
        arguments = ", ".join(f"{f.name}={values[f]!r}" for f in chosen)
        return f"{type(self).__name__}({arguments})"

    @abstractmethod
    def of_operator(self, S: Operator) -> FloatArray:
        """Return one row for each node, from the operator of a large graph."""

    @abstractmethod
    def of_pairs(
        self, values: FloatArray, vectors: FloatArray, n_zeros: int, K: Complex
    ) -> FloatArray:
        """Return the same from all eigenpairs, of which the first `n_zeros` are zero."""

    @property
    @abstractmethod
    def attr_name(self) -> str | None:
        """Where the tensor goes; None for columns of `data.x`."""

    @property
    def mass(self) -> str | None:
        """D of S u = lambda D u."""
        return None

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """How many columns there always are."""

    def forward(self, data: Any) -> Any:
        if isinstance(data, Batch):  # every graph has its own eigenvectors
            return Batch.from_data_list(self.many(data.to_data_list(), 1))
        return self.many([data], 1)[0]

    def many(self, graphs: Sequence[Any], n_jobs: int) -> list[Any]:
        """Return what `forward` gives for each of the graphs, made for all at once."""
        copies = [copy.copy(data) for data in graphs]
        parts = [of_one_kind(data, self.edge_type) for data in copies]
        sizes = [n_nodes(part, self.lift) for part, *_ in parts]
        filled = [part for (part, *_), n in zip(parts, sizes, strict=True) if n]
        complexes = data_to_complexes(
            filled, [n for n in sizes if n], self.lift, self.max_rank, self.weight
        )
        rows = iter(self._rows(complexes, n_jobs))
        for (part, nodes, _), n in zip(parts, sizes, strict=True):
            values = next(rows) if n else np.zeros((0, self.n_columns))
            if len(values) != n:
                raise InputError(
                    f"a complex of {len(values)} vertices for data of {n} nodes; "
                    "the lift has to keep the nodes"
                )
            given = part.x if part.x is not None else part.edge_index
            _attach(nodes, self.attr_name, values, None if given is None else given.device)
        return copies

    def _rows(self, sources: list[Any], n_jobs: int) -> list[FloatArray]:
        small = [isinstance(K, Complex) and K.n_vertices <= LARGE for K in sources]
        together = [K for K, s in zip(sources, small, strict=True) if s]
        settings = Settings.of(
            self.operator,
            self.beta,
            self.gamma,
            () if self.eps is None else (self.eps,),
            "diagonal" if self.mass == "auto" else self.mass,  # of a small graph the same
        )
        highest = max((K.max_rank for K in together), default=-1)
        if highest > self._checked:
            settings.check(together)
            self._checked = highest
        pairs = iter(solve_all(together, settings, True, n_jobs))
        rows = []
        for K, s in zip(sources, small, strict=True):
            if s:
                (values,), (vectors,), n_zeros = next(pairs)
                rows.append(self.of_pairs(values, vectors, n_zeros, K))
            else:
                rows.append(self.of_operator(settings.alone(K, settings.eps[0])))
        return rows


def _attach(nodes: Any, name: str | None, values: FloatArray, device: Any) -> None:
    """Add a tensor of nodes to the data, or columns to its x, as the transforms of PyG do."""
    x = nodes.get("x")
    rows = torch.from_numpy(values.astype(np.float32))
    if device is not None:
        rows = rows.to(device)
    if name is not None:
        nodes[name] = rows
    elif x is None:
        nodes.x = rows
    else:
        x = x.reshape(len(x), -1) if x.is_floating_point() else x.reshape(len(x), -1).to(rows)
        nodes.x = torch.cat([x, rows.to(x)], 1)
