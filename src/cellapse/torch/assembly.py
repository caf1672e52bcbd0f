r"""The sparse systems of a collapse: where their entries are, and what they are.

With B = B_1, M = eps + the effective operator of the ranks above the edges, and c = gamma^2 / beta,

    apply:  | -I/beta  B |        solve:  | I/s + beta B B^T - c I   gamma/beta I       |
            |  B^T     M |                | gamma/beta I             -I/beta         B  |
                                          |                          B^T             M  |

The first gives K^-1 x (see `_collapse.inverse`), the second (I + s S)^-1 b. M is diagonal where all
that remains of the higher ranks is one number at each edge, else the graded Laplacian of the ranks
above the vertices without its part in B_1.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn

from cellapse._shared.arrays import IntArray
from cellapse.torch.structure import Entries, Structure
from cellapse.torch.system import Pattern


class Pairs(nn.Module):
    """Pairs of entries of a matrix that meet in a product B B^T (same column) or B^T B (same row).

    The product's entries are values[first] * values[second] at (`rows`, `columns`).
    """

    first: Tensor
    second: Tensor

    def __init__(self, B: Entries, by: str) -> None:
        super().__init__()
        rows, columns = B.rows.cpu().numpy(), B.columns.cpu().numpy()
        shared, other = (columns, rows) if by == "column" else (rows, columns)
        n = len(rows)
        E = sparse.csr_array(
            (np.ones(n), (np.arange(n), shared)), shape=(n, int(shared.max(initial=-1)) + 1)
        )
        meet = sparse.coo_array(E @ E.T)
        first, second = meet.row.astype(np.int64), meet.col.astype(np.int64)
        self.rows, self.columns = other[first], other[second]
        self.register_buffer("first", torch.from_numpy(first), persistent=False)
        self.register_buffer("second", torch.from_numpy(second), persistent=False)

    def products(self, values: Tensor) -> Tensor:
        """Return the contributions to the product's entries."""
        return values[self.first] * values[self.second]


class Assembly(nn.Module):
    """Patterns of both systems for one structure; `entries_*` fill them."""

    def __init__(self, structure: Structure) -> None:
        super().__init__()
        self.structure = structure
        self.n = structure.n_cells[0]
        self.edge_pairs = Pairs(structure.edges, "column")
        self._low, self._high = nn.ModuleList(), nn.ModuleList()
        if structure.realization.edgewise:
            places = [_diagonal(0, self.n), (self.edge_pairs.rows, self.edge_pairs.columns)]
            self.solve_pattern = _pattern(places, self.n, (0, 0))
            return
        if not structure.diagonal:
            self._low.extend(Pairs(B, "column") for B in structure.upper)
            self._high.extend(Pairs(B, "row") for B in structure.upper)
        n, B = self.n, structure.edges
        rows, columns = B.rows.numpy(), B.columns.numpy()
        inner, n_inner = self._inner_places()
        self.n_inner = n_inner
        places = [_diagonal(0, n), *_mirrored(rows, columns + n), *_moved(inner, n)]
        n_diagonal = n_inner if structure.diagonal else 0
        self.apply_pattern = _pattern(places, n + n_inner, (0, n), n_diagonal)
        each = np.arange(n)
        places = [
            _diagonal(0, n),
            (self.edge_pairs.rows, self.edge_pairs.columns),
            *_mirrored(each, each + n),
            *_moved(places, n),
        ]
        self.solve_pattern = _pattern(places, 2 * n + n_inner, (n, 2 * n), n_diagonal)

    @property
    def _products(self) -> list[tuple[Entries, Pairs, Pairs]]:
        """Each matrix above the edges with the pairs of B B^T and of B^T B."""
        low, high = (cast(list[Pairs], list(pairs)) for pairs in (self._low, self._high))
        return list(zip(self.structure.upper, low, high, strict=True))

    def entries_to_apply(
        self, edges: Tensor, upper: list[Tensor], mass: Tensor, beta: Tensor, gamma: Tensor
    ) -> list[Tensor]:
        """Return contributions to the system that applies K^-1.

        `mass` is the diagonal of M at the edges (or eps, where M is more than a diagonal).
        """
        head = (-1.0 / beta[0]).expand(self.n)
        return [head, edges, edges, *self._inner_entries(upper, mass, beta, gamma)]

    def entries_to_solve(
        self, edges: Tensor, rest: list[Tensor], beta: Tensor, gamma: Tensor, strength: Tensor
    ) -> list[Tensor]:
        """Contributions to the system that solves with I + strength S; `rest` applies K^-1."""
        coupling = gamma[0][self.structure.owner(0)]
        head = 1.0 / strength - coupling**2 / beta[0]
        link = coupling / beta[0]
        return [head, beta[0] * self.edge_pairs.products(edges), link, link, *rest]

    def _inner_places(self) -> tuple[list[tuple[IntArray, IntArray]], int]:
        structure = self.structure
        if structure.diagonal:
            return [_diagonal(0, structure.n_cells[1])], structure.n_cells[1]
        start = np.concatenate([[0], np.cumsum(structure.n_cells[1:])])
        places = [_diagonal(0, int(start[-1]))]
        for (B, low, high), i, j in zip(self._products, start, start[1:], strict=False):
            places.append((low.rows + i, low.columns + i))
            places.append((high.rows + j, high.columns + j))
            places += _mirrored(B.rows.numpy() + i, B.columns.numpy() + j)
        return places, int(start[-1])

    def _inner_entries(
        self, upper: list[Tensor], mass: Tensor, beta: Tensor, gamma: Tensor
    ) -> list[Tensor]:
        if self.structure.diagonal:
            return [mass]
        entries = [mass.expand(self.n_inner)]
        for k, ((B, low, high), values) in enumerate(
            zip(self._products, upper, strict=True), start=1
        ):
            coupling = -gamma[k][self.structure.owner(k)][B.rows] * values
            entries += [beta[k] * low.products(values), beta[k] * high.products(values)]
            entries += [coupling, coupling]
        return entries


def _diagonal(start: int, count: int) -> tuple[IntArray, IntArray]:
    each = np.arange(start, start + count)
    return each, each


def _mirrored(rows: IntArray, columns: IntArray) -> list[tuple[IntArray, IntArray]]:
    return [(rows, columns), (columns, rows)]


def _moved(places: list[tuple[Any, Any]], by: int) -> list[tuple[Any, Any]]:
    return [(rows + by, columns + by) for rows, columns in places]


def _pattern(
    places: list[tuple[Any, Any]], size: int, negative: tuple[int, int], n_diagonal: int = 0
) -> Pattern:
    rows, columns = (np.concatenate([place[i] for place in places]) for i in (0, 1))
    return Pattern(rows, columns, size, negative, n_diagonal)
