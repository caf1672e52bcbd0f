"""Positional encodings and signatures as transforms of PyTorch Geometric.

Each graph becomes a complex (by a lift, or from the `incidence_k` matrices it carries), is
collapsed, and gets one more tensor with a row for each node.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from scipy import sparse

from cellapse._checks import real_array, whole_number
from cellapse._errors import InputError, extra
from cellapse.collapse import CollapsedOperator, collapse
from cellapse.lifts import clique_complex

with extra("torch_geometric", "torch"):
    from torch_geometric.data.datapipes import functional_transform
    from torch_geometric.transforms import BaseTransform

Lift = str | Callable[[Any], Any]


def data_to_complex(data: Any, lift: Lift = "clique", max_rank: int = 2) -> Any:
    """A graph of PyTorch Geometric as something `collapse` takes.

    Parameters
    ----------
    data : torch_geometric.data.Data
    lift : "clique", "incidence" or a function
        Cliques of the graph become cells; or the matrices `incidence_1`, `incidence_2`, ... of the
        data are used (as TopoBench stores them); or the function turns the data into a `Complex`
        or a list of matrices.
    max_rank : int
        Of the cells.

    Returns
    -------
    Complex or list of scipy.sparse.csr_array

    Examples
    --------
    >>> from torch_geometric.data import Data
    >>> triangle = torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]])
    >>> data_to_complex(Data(edge_index=triangle, num_nodes=4))
    Complex(n_cells=(4, 3, 1))
    """
    if callable(lift):
        return lift(data)
    if lift == "incidence":
        return _incidence(data, max_rank)
    if lift != "clique":
        raise InputError(f'lift={lift!r}; choose "clique", "incidence" or give a function')
    n, edges = data.num_nodes, data.edge_index
    if edges is None:
        raise InputError("data without edge_index has no cliques; give a function as lift")
    i, j = edges.cpu().numpy()
    keep = i != j
    ones = np.ones(int(keep.sum()))
    pattern = sparse.coo_array((ones, (i[keep], j[keep])), shape=(n, n)).tocsr()
    return clique_complex(sparse.csr_array((pattern + pattern.T) > 0), max_rank)


def _incidence(data: Any, max_rank: int) -> list[sparse.csr_array]:
    matrices: list[sparse.csr_array] = []
    while len(matrices) < max_rank and f"incidence_{len(matrices) + 1}" in data:
        given = data[f"incidence_{len(matrices) + 1}"]
        if isinstance(given, torch.Tensor):
            given = given.detach().cpu()
            coo = given.to_sparse().coalesce() if not given.is_sparse else given.coalesce()
            entries = (coo.values().double().numpy(), tuple(coo.indices().numpy()))
            given = sparse.coo_array(entries, shape=tuple(coo.shape))
        matrices.append(sparse.csr_array(given))
    if not matrices:
        raise InputError('lift="incidence" needs data.incidence_1, ...; use lift="clique"')
    return matrices


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

    def operator(self, data: Any) -> CollapsedOperator:
        """The collapsed operator of a graph."""
        return collapse(data_to_complex(data, self.lift, self.max_rank), **self.options)

    def columns(self, S: CollapsedOperator) -> np.ndarray:
        """One row for each node."""
        raise NotImplementedError

    @property
    def n_columns(self) -> int:
        """How many columns there always are."""
        raise NotImplementedError

    def forward(self, data: Any) -> Any:
        data = copy.copy(data)
        if data.num_nodes:
            values = self.columns(self.operator(data))
        else:
            values = np.zeros((0, self.n_columns))
        node = data.edge_index if data.x is None else data.x
        device = None if node is None else node.device
        data[self.attr_name] = torch.as_tensor(values, dtype=torch.float32, device=device)
        return data


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

    def columns(self, S: CollapsedOperator) -> np.ndarray:
        return positional_encoding(S, self.k)


@functional_transform("add_heat_kernel_signature")
class AddHeatKernelSignature(_Collapsing):
    """Add the heat kernel signature of the collapsed operator to each node.

    Column t is the diagonal of exp(-t S): how much heat stays at a node. Independent of signs and
    bases of eigenvectors.

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
        self.times = real_array(times, "times").ravel()
        if not len(self.times) or not (np.isfinite(self.times) & (self.times >= 0)).all():
            raise InputError(f"times={times!r}; give finite numbers of at least 0")

    def __repr__(self) -> str:
        return f"AddHeatKernelSignature({len(self.times)} times)"

    @property
    def n_columns(self) -> int:
        return len(self.times)

    def columns(self, S: CollapsedOperator) -> np.ndarray:
        spectrum = S.spectrum()
        return spectrum.vectors**2 @ np.exp(-np.outer(spectrum.values, self.times))


def positional_encoding(S: CollapsedOperator, k: int) -> np.ndarray:
    """The first k eigenvectors that are not constant on components, padded with zeros."""
    n = S.shape[0]
    known = 0 if S.kernel is None else S.kernel.shape[1]
    found = S.spectrum(min(n, known + k)).vectors[:, known:]
    return np.pad(found, ((0, 0), (0, k - found.shape[1])))


def transform_all(
    graphs: Iterable[Any],
    transform: Callable[[Any], Any],
    n_jobs: int = -1,
    progress: bool = False,
) -> list[Any]:
    """Apply a transform to every graph, on all cores; the order is kept.

    Parameters
    ----------
    graphs : iterable of Data
        A dataset, for instance.
    transform : callable
    n_jobs : int
        Processes; -1 for one a core, 1 for none but this one.
    progress : bool
        Show a bar.
    """
    from joblib import Parallel, delayed  # comes with scikit-learn
    from rich.progress import track

    items = list(graphs)
    chunks = [items[i : i + 64] for i in range(0, len(items), 64)]
    work = Parallel(n_jobs, return_as="generator")(delayed(_each)(transform, c) for c in chunks)
    shown = track(work, "graphs", total=len(chunks), disable=not progress)
    return [data for chunk in shown for data in chunk]


def _each(transform: Callable[[Any], Any], graphs: list[Any]) -> list[Any]:
    return [transform(data) for data in graphs]
