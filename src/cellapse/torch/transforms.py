"""Positional encodings and signatures as transforms of PyTorch Geometric.

Each graph becomes a complex (by a lift, or from the `incidence_k` matrices it carries), is
collapsed, and gets one more tensor with a row for each node. Small graphs are collapsed as stacks
of dense matrices, alone or with others of a dataset: the result is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._errors import InputError, extra
from cellapse._linalg.operators import Operator
from cellapse._matrices.matrices import contained
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import flag, listed, one_of, whole_number
from cellapse._shared.progress import progress as shown
from cellapse.batch import cores
from cellapse.tasks.embedding import first_modes, positional_encoding, surroundings
from cellapse.tasks.signatures import heat_kernel_signature
from cellapse.tasks.smoothing import checked_times
from cellapse.torch.transform_base import Collapsing

with extra("torch_geometric", "torch"):
    from torch_geometric.data.datapipes import functional_transform
    from torch_geometric.transforms import Compose


_CHUNK = 1000  # graphs lifted and collapsed at once
_FEW = 1_000_000  # products of numbers that take less time than a sparse array


def _laplacian(K: Complex) -> Any:
    """B_1 B_1^T, up to the signs of its entries."""
    if K.max_rank == 0:
        return sparse.csr_array((K.n_vertices, K.n_vertices))
    low, high = K.weights[:2]
    ends = contained(K, 0, 1).scaled(
        None if low is None else low**-0.5, None if high is None else high**0.5
    )
    if K.n_vertices**2 * K.n_cells[1] < _FEW:  # a dense array is quicker
        dense = ends.toarray()
        return dense @ dense.T
    return ends.csr @ ends.csr.T


@functional_transform("add_collapsed_pe")
@dataclass(eq=False, repr=False)
class AddCollapsedPE(Collapsing):
    """Add the first `k` eigenvectors of an operator to each node.

    Always exactly `k` columns, the same at every call: vectors that are constant on components are
    left out, and graphs with fewer than `k` others are padded with zeros. In a `Batch` every graph
    gets its own. Edges have no direction; loops and copies of edges do not count.

    Parameters
    ----------
    k : int
    attr_name : str or None
        Where the (n, k) tensor goes; None appends it to `data.x`.
    lift : "clique", "incidence" or a function
        How a graph becomes a complex; see `data_to_complex`.
    max_rank : int
        Of the cells.
    weight : str, optional
        The attribute with the weights of the edges, as for `data_to_complex`: by default
        "edge_weight" or "weight" counts. For cliques only.
    operator, beta, gamma, eps
        As for `cellapse.make_operator`: a collapse, or a baseline such as "laplacian".
    mass : "auto", "diagonal", "degree" or None
        D of S u = lambda D u, as for `cellapse.positional_encoding`: the diagonal of S by default,
        None the identity. The columns have u^T D u = 1.
    edge_type : three names, optional
        Of a `HeteroData`: the edges that count, such as ("paper", "cites", "paper"), whose nodes
        get the tensor. May be left out where only one kind of edges joins nodes of one kind.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> AddCollapsedPE(k=3)(Data(edge_index=path, num_nodes=3)).collapsed_pe.shape
    torch.Size([3, 3])
    """

    k: int
    attr_name: str | None = "collapsed_pe"
    mass: str | None = field(default="auto", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mass is not None:
            one_of("mass", self.mass, ("auto", "diagonal", "degree"))
        self.k = whole_number("k", self.k, 1, 10**6)

    @property
    def n_columns(self) -> int:
        return self.k

    def of_operator(self, S: Operator) -> FloatArray:
        return np.asarray(positional_encoding(S, self.k, mass=self.mass))

    def of_pairs(
        self, values: FloatArray, vectors: FloatArray, n_zeros: int, K: Complex
    ) -> FloatArray:
        rest = values[n_zeros:], vectors[:, n_zeros:]
        # All vectors are here, and V V^T = D^-1.
        D = None if self.mass is None else 1.0 / (vectors**2).sum(axis=1)
        columns = first_modes(*rest, self.k, lambda: surroundings(_laplacian(K), D), D)[1]
        padded = np.zeros((len(columns), self.k))
        padded[:, : columns.shape[1]] = columns
        return padded


@functional_transform("add_heat_kernel_signature")
@dataclass(eq=False, repr=False)
class AddHeatKernelSignature(Collapsing):
    """Add the heat kernel signature of an operator to each node.

    Column t is the diagonal of exp(-t S): how much heat stays at a node. Independent of signs and
    bases of eigenvectors. Exact on up to 2,000 nodes. On more it is the mean over random probes,
    the same at every call, and each number has a relative standard error of `error`.

    Parameters
    ----------
    times : sequence of float
    attr_name, lift, max_rank, weight, operator, beta, gamma, eps, edge_type
        As for `AddCollapsedPE`.
    n_probes : int
        Only used above 2,000 nodes; four times as many halve the error.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> sign = AddHeatKernelSignature([0.0, 1.0])
    >>> edge = torch.tensor([[0, 1], [1, 0]])
    >>> sign(Data(edge_index=edge, num_nodes=2)).heat_kernel_signature[:, 0].tolist()
    [1.0, 1.0]
    >>> round(sign.error, 3)
    0.088
    """

    times: Sequence[float]
    attr_name: str | None = "heat_kernel_signature"
    n_probes: int = field(default=256, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.times = tuple(checked_times(self.times).tolist())
        self.n_probes = whole_number("n_probes", self.n_probes, 2)

    @property
    def error(self) -> float:
        """The relative standard error above 2,000 nodes: (2 / n_probes)^(1/2)."""
        return float(np.sqrt(2.0 / self.n_probes))

    @property
    def n_columns(self) -> int:
        return len(self.times)

    def of_operator(self, S: Operator) -> FloatArray:
        return np.asarray(heat_kernel_signature(S, self.times, n_probes=self.n_probes))

    def of_pairs(
        self, values: FloatArray, vectors: FloatArray, n_zeros: int, K: Complex
    ) -> FloatArray:
        return vectors**2 @ np.exp(-np.outer(values, self.times))


def transform_all(
    graphs: Iterable[Any],
    transform: Callable[[Any], Any],
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> list[Any]:
    """Apply a transform to every graph, on all cores; the order is kept.

    `AddCollapsedPE` and `AddHeatKernelSignature`, also within `Compose`, work on many graphs at
    once, in threads; the result is the same as one at a time. Others run in processes.

    Parameters
    ----------
    graphs : iterable of Data
        A dataset, for instance.
    transform : callable
    n_jobs : int, optional
        Threads or processes; by default one for each core.
    progress : bool, optional
        By default where standard error is a terminal.

    Returns
    -------
    list of Data

    Examples
    --------
    >>> import networkx as nx
    >>> from torch_geometric.utils import from_networkx
    >>> graphs = [from_networkx(nx.cycle_graph(n)) for n in (5, 6)]
    >>> [data.collapsed_pe.shape[1] for data in transform_all(graphs, AddCollapsedPE(2), n_jobs=1)]
    [2, 2]
    """
    items = listed(graphs, "graphs")
    jobs = cores() if n_jobs is None else whole_number("n_jobs", n_jobs, 1)
    progress = None if progress is None else flag("progress", progress)
    if not callable(transform):
        raise InputError(f"transform={transform!r:.80}; give a function of a graph")
    if isinstance(transform, Compose):
        for step in transform.transforms:
            items = transform_all(items, step, n_jobs, progress)
        return items
    chunks = [items[i : i + _CHUNK] for i in range(0, len(items), _CHUNK)]
    if isinstance(transform, Collapsing):
        work = (transform.many(chunk, jobs) for chunk in chunks)
    else:
        from joblib import Parallel, delayed  # comes with scikit-learn

        work = Parallel(jobs, return_as="generator")(delayed(_each)(transform, c) for c in chunks)
    done = shown(work, len(chunks), "graphs", progress)
    return [data for chunk in done for data in chunk]


def _each(transform: Callable[[Any], Any], graphs: list[Any]) -> list[Any]:
    return [transform(data) for data in graphs]
