"""Positional encodings and signatures as transforms of PyTorch Geometric.

Each graph becomes a complex (by a lift, or from the `incidence_k` matrices it carries), is
collapsed, and gets one more tensor with a row for each node. Small graphs are collapsed as stacks
of dense matrices, alone or with others of a dataset: the result is the same.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from cellapse._checks import whole_number
from cellapse._errors import extra
from cellapse._progress import progress as shown
from cellapse.batch import LARGE, spectra
from cellapse.collapse import CollapsedOperator, collapse
from cellapse.complex import Complex
from cellapse.tasks.encoding import first_modes, positional_encoding, surroundings
from cellapse.tasks.signature import heat_kernel_signature
from cellapse.tasks.smooth import checked_times
from cellapse.torch.data import Lift, data_to_complexes

with extra("torch_geometric", "torch"):
    from torch_geometric.data.datapipes import functional_transform
    from torch_geometric.transforms import BaseTransform, Compose

FloatArray = NDArray[np.float64]

_CHUNK = 1000  # graphs lifted and collapsed at once


class _Collapsing(BaseTransform):
    """What the transforms share: how a graph is collapsed."""

    def __init__(
        self,
        attr_name: str,
        lift: Lift,
        max_rank: int,
        realization: str | None,
        beta: Any,
        gamma: Any,
        eps: float,
        renormalize: int,
    ) -> None:
        self.attr_name, self.lift = attr_name, lift
        self.max_rank = whole_number("max_rank", max_rank, 1)
        self.options = {
            "realization": realization,
            "beta": beta,
            "gamma": gamma,
            "eps": eps,
            "renormalize": renormalize,
        }

    def of_operator(self, S: CollapsedOperator) -> FloatArray:
        """One row for each node, from the operator of a large graph."""
        raise NotImplementedError

    def of_pairs(
        self, values: FloatArray, vectors: FloatArray, n_zeros: int, K: Complex
    ) -> FloatArray:
        """The same from all eigenpairs, of which the first `n_zeros` are zero."""
        raise NotImplementedError

    @property
    def n_columns(self) -> int:
        """How many columns there always are."""
        raise NotImplementedError

    def forward(self, data: Any) -> Any:
        return self.many([data], 1)[0]

    def many(self, graphs: Sequence[Any], n_jobs: int | None = None) -> list[Any]:
        """What `forward` gives for each of the graphs, made for all at once."""
        copies = [copy.copy(data) for data in graphs]
        filled = [data for data in copies if data.num_nodes]
        rows = iter(self._rows(data_to_complexes(filled, self.lift, self.max_rank), n_jobs))
        for data in copies:
            values = next(rows) if data.num_nodes else np.zeros((0, self.n_columns))
            node = data.edge_index if data.x is None else data.x
            device = None if node is None else node.device
            data[self.attr_name] = torch.as_tensor(values, dtype=torch.float32, device=device)
        return copies

    def _rows(self, sources: list[Any], n_jobs: int | None) -> list[FloatArray]:
        small = [isinstance(K, Complex) and K.n_vertices <= LARGE for K in sources]
        together = [K for K, s in zip(sources, small, strict=True) if s]
        found = spectra(together, **self.options, vectors=True, n_jobs=n_jobs, show_progress=False)
        pairs = zip(found.values, found.vectors or (), found.n_zeros.tolist(), strict=True)
        return [
            self.of_pairs(*next(pairs), K) if s else self.of_operator(collapse(K, **self.options))
            for K, s in zip(sources, small, strict=True)
        ]


def _laplacian(K: Complex) -> sparse.csr_array:
    """B_1 B_1^T, up to the signs of its entries."""
    if K.max_rank == 0:
        return sparse.csr_array((K.n_vertices, K.n_vertices))
    ends = K.cells[1].membership(K.n_vertices).T.astype(np.float64)
    for weights, power, axis in ((K.weights[0], -0.5, 0), (K.weights[1], 0.5, 1)):
        if weights is not None:
            scale = sparse.diags_array(weights**power)
            ends = scale @ ends if axis == 0 else ends @ scale
    return sparse.csr_array(ends @ ends.T)


@functional_transform("add_collapsed_pe")
class AddCollapsedPE(_Collapsing):
    """Add the first `k` eigenvectors of the collapsed operator to each node.

    Always exactly `k` columns, the same at every call: vectors that are constant on components are
    left out, and graphs with fewer than `k` others are padded with zeros. `data.x` is left alone.

    Parameters
    ----------
    k : int
    attr_name : str
        Where the (n, k) tensor goes.
    lift : "clique", "incidence" or a function
        How a graph becomes a complex; see `data_to_complex`.
    max_rank : int
        Of the cells.
    realization, beta, gamma, eps, renormalize
        As for `cellapse.collapse`.

    Examples
    --------
    >>> from torch_geometric.data import Data
    >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> AddCollapsedPE(k=3)(Data(edge_index=path, num_nodes=3)).collapsed_pe.shape
    torch.Size([3, 3])
    """

    def __init__(
        self,
        k: int,
        attr_name: str = "collapsed_pe",
        lift: Lift = "clique",
        max_rank: int = 2,
        realization: str | None = None,
        beta: Any = None,
        gamma: Any = None,
        eps: float = 1e-4,
        renormalize: int = 0,
    ) -> None:
        super().__init__(attr_name, lift, max_rank, realization, beta, gamma, eps, renormalize)
        self.k = whole_number("k", k, 1)

    def __repr__(self) -> str:
        return f"AddCollapsedPE(k={self.k}, realization={self.options['realization']!r})"

    @property
    def n_columns(self) -> int:
        return self.k

    def of_operator(self, S: CollapsedOperator) -> FloatArray:
        return np.asarray(positional_encoding(S, self.k))

    def of_pairs(
        self, values: FloatArray, vectors: FloatArray, n_zeros: int, K: Complex
    ) -> FloatArray:
        rest = values[n_zeros:], vectors[:, n_zeros:]
        columns = first_modes(*rest, self.k, lambda: surroundings(_laplacian(K)))[1]
        return np.pad(columns, ((0, 0), (0, self.k - columns.shape[1])))


@functional_transform("add_heat_kernel_signature")
class AddHeatKernelSignature(_Collapsing):
    """Add the heat kernel signature of the collapsed operator to each node.

    Column t is the diagonal of exp(-t S): how much heat stays at a node. Independent of signs and
    bases of eigenvectors. Above 2,000 nodes it is estimated by random probes, always the same.

    Parameters
    ----------
    times : sequence of float
    attr_name, lift, max_rank, realization, beta, gamma, eps, renormalize
        As for `AddCollapsedPE`.
    """

    def __init__(
        self,
        times: Sequence[float],
        attr_name: str = "heat_kernel_signature",
        lift: Lift = "clique",
        max_rank: int = 2,
        realization: str | None = None,
        beta: Any = None,
        gamma: Any = None,
        eps: float = 1e-4,
        renormalize: int = 0,
    ) -> None:
        super().__init__(attr_name, lift, max_rank, realization, beta, gamma, eps, renormalize)
        self.times = checked_times(times)

    def __repr__(self) -> str:
        return f"AddHeatKernelSignature({len(self.times)} times)"

    @property
    def n_columns(self) -> int:
        return len(self.times)

    def of_operator(self, S: CollapsedOperator) -> FloatArray:
        return np.asarray(heat_kernel_signature(S, self.times))

    def of_pairs(
        self, values: FloatArray, vectors: FloatArray, n_zeros: int, K: Complex
    ) -> FloatArray:
        return vectors**2 @ np.exp(-np.outer(values, self.times))


def transform_all(
    graphs: Iterable[Any],
    transform: Callable[[Any], Any],
    n_jobs: int = -1,
    progress: bool = False,
) -> list[Any]:
    """Apply a transform to every graph, on all cores; the order is kept.

    `AddCollapsedPE` and `AddHeatKernelSignature`, also within `Compose`, work on many graphs at
    once, in threads; the result is the same as one at a time. Others run in processes.

    Parameters
    ----------
    graphs : iterable of Data
        A dataset, for instance.
    transform : callable
    n_jobs : int
        Threads or processes; -1 for one a core.
    progress : bool
        Show how far it is.
    """
    items = list(graphs)
    if isinstance(transform, Compose):
        for step in transform.transforms:
            items = transform_all(items, step, n_jobs, progress)
        return items
    chunks = [items[i : i + _CHUNK] for i in range(0, len(items), _CHUNK)]
    if isinstance(transform, _Collapsing):
        jobs = None if n_jobs == -1 else n_jobs
        work = (transform.many(chunk, jobs) for chunk in chunks)
    else:
        from joblib import Parallel, delayed  # comes with scikit-learn

        work = Parallel(n_jobs, return_as="generator")(delayed(_each)(transform, c) for c in chunks)
    done = shown(work, len(chunks), "graphs", progress)
    return [data for chunk in done for data in chunk]


def _each(transform: Callable[[Any], Any], graphs: list[Any]) -> list[Any]:
    return [transform(data) for data in graphs]
