r"""What a differentiable collapse needs to know of its complexes, as tensors.

A `Structure` joins the matrices of many complexes block-diagonally, so that a batch of them is one
(disconnected) complex with a bound on gamma of its own for each part. Learnable weights multiply
those of the complex: with w_k -> w_k exp(d_k) the entries become

    B_k[i, j] -> B_k[i, j] exp((d_k[j] - d_{k-1}[i]) / 2),

above the edges of the unfolded and screened realizations without the d_{k-1} (see `incidence`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn

from cellapse._errors import InputError
from cellapse.torch.blueprint import Blueprint


class Exact(nn.Module):
    """A module whose buffers move between devices but stay in float64.

    Rounded by `.float()`, a matrix and the bound that belongs to it would no longer fit.
    """

    def _apply(self, fn: Any, recurse: bool = True) -> Exact:
        before = {n: b for n, b in self._buffers.items() if b is not None and b.is_floating_point()}
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        for name, buffer in before.items():
            moved = self.get_buffer(name)
            self._buffers[name] = moved.double() if buffer.is_meta else buffer.to(moved.device)
        return self


class Entries(Exact):
    """The entries of a sparse matrix as tensors."""

    rows: Tensor
    columns: Tensor
    values: Tensor

    def __init__(self, matrix: sparse.csr_array) -> None:
        super().__init__()
        self.shape = matrix.shape
        coo = sparse.coo_array(matrix)
        for name, values in (
            ("rows", coo.row.astype(np.int64)),
            ("columns", coo.col.astype(np.int64)),
            ("values", coo.data.astype(np.float64)),
        ):
            self.register_buffer(name, torch.from_numpy(values), persistent=False)

    def scaled(self, low: Tensor | None, high: Tensor | None) -> Tensor:
        """Return the entries with rows and columns scaled by exp(-low / 2) and exp(high / 2)."""
        values = self.values
        if low is not None:
            values = values * torch.exp(-0.5 * low)[self.rows]
        if high is not None:
            values = values * torch.exp(0.5 * high)[self.columns]
        return values

    def matmul(self, values: Tensor, x: Tensor) -> Tensor:
        """Return the matrix with these values times the columns of x."""
        products = values[:, None] * x[self.columns]
        return products.new_zeros(self.shape[0], x.shape[1]).index_add(0, self.rows, products)

    def rmatmul(self, values: Tensor, x: Tensor) -> Tensor:
        """Return the transposed matrix times the columns of x."""
        products = values[:, None] * x[self.rows]
        return products.new_zeros(self.shape[1], x.shape[1]).index_add(0, self.columns, products)


class Structure(Exact):
    """Complexes of one realization, joined block-diagonally.

    Parameters
    ----------
    blueprints : sequence of Blueprint

    Attributes
    ----------
    edges : Entries
        B_1.
    sigma : (K, n_complexes) tensor
    n_cells : tuple of int
        Elements of each rank, in all complexes together.
    """

    sigma: Tensor

    def __init__(self, blueprints: Sequence[Blueprint]) -> None:
        super().__init__()
        if not blueprints:
            raise InputError("no complexes; give at least one")
        kinds = {b.realization for b in blueprints}
        if len(kinds) > 1:
            names = sorted(str(kind) for kind in kinds)
            raise InputError(f"realizations {', '.join(names)} in one batch; use one")
        (self.realization,) = kinds
        K = max(len(b.upper) for b in blueprints)
        self.n_complexes = len(blueprints)
        self.diagonal = all(b.diagonal for b in blueprints)
        self.edges = Entries(_joined([b.nearest for b in blueprints]))
        self._upper = nn.ModuleList(
            Entries(_joined([_matrix(b, k) for b in blueprints])) for k in range(K)
        )
        self.n_cells = (*self.edges.shape, *(B.shape[1] for B in self.upper))
        sigma = np.full((max(len(b.sigma) for b in blueprints), len(blueprints)), np.inf)
        for i, b in enumerate(blueprints):
            sigma[: len(b.sigma), i] = b.sigma
        self.register_buffer("sigma", torch.from_numpy(sigma))  # `tighten` changes it
        for rank in range(K + 2):
            sizes = [b.n_cells[rank] if rank < len(b.n_cells) else 0 for b in blueprints]
            owner = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
            self.register_buffer(f"complex_{rank}", owner, persistent=False)
            n_real = [b.n_real[rank] if rank < len(b.n_real) else 0 for b in blueprints]
            within = np.concatenate([np.arange(size) for size in sizes])
            real = torch.from_numpy(np.flatnonzero(within < np.repeat(n_real, sizes)))
            self.register_buffer(f"real_{rank}", real, persistent=False)

    @property
    def upper(self) -> list[Entries]:
        """The matrices above the edges."""
        return cast(list[Entries], list(self._upper))

    def owner(self, rank: int) -> Tensor:
        """Return which of the complexes each element of a rank belongs to."""
        return self.get_buffer(f"complex_{rank}")

    def real(self, rank: int) -> Tensor:
        """Return the positions of the elements of a rank that are not formal."""
        return self.get_buffer(f"real_{rank}")

    def weighted(self, logs: Sequence[Tensor | None]) -> tuple[Tensor, list[Tensor]]:
        """The entries of B_1 and of the matrices above it, under weights exp(logs) per rank."""
        hodge = self.realization.hodge
        edges = self.edges.scaled(logs[0], logs[1])
        upper = [
            B.scaled(logs[k - 1] if hodge else None, logs[k])
            for k, B in enumerate(self.upper, start=2)
        ]
        return edges, upper


def _matrix(b: Blueprint, k: int) -> sparse.csr_array:
    if k < len(b.upper):
        return b.upper[k]
    if b.realization.edgewise:
        return sparse.csr_array((b.nearest.shape[1], 0))
    return sparse.csr_array((b.n_cells[-1] if k == len(b.upper) else 0, 0))


def _joined(matrices: list[sparse.csr_array]) -> sparse.csr_array:
    # block_diag drops empty shapes in some versions of SciPy: put the entries in place by hand.
    shapes = np.array([M.shape for M in matrices])
    start = np.cumsum(shapes, axis=0) - shapes
    parts = [sparse.coo_array(M) for M in matrices]
    rows = np.concatenate([p.row + s for p, s in zip(parts, start[:, 0], strict=True)])
    columns = np.concatenate([p.col + s for p, s in zip(parts, start[:, 1], strict=True)])
    values = np.concatenate([p.data for p in parts])
    shape = tuple(shapes.sum(axis=0).tolist())
    return sparse.csr_array((values, (rows, columns)), shape=shape)
