r"""A screened operator whose edges come and go one at a time, each in microseconds.

    S = beta_1 sum_e f_e b_e b_e^T,    f_e = 1 - theta^2 / (1 + eps + beta_2 d_e),

with b_e the difference of both ends and d_e the number of triangles at e. An edge (u, v) that comes
or goes changes d of itself and of the edges from u and v to their common neighbours, and no other.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._linalg.operators import SparseOperator
from cellapse._operators.names import make_operator
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.labelled import LabelledOperator
from cellapse._shared.pictures import bars
from cellapse._sources import complex_from
from cellapse.lifts.cliques import clique_complex

_MOST = 10  # times fewer changes than edges are kept beside the matrix

Edge = tuple[int, int]


class LiveOperator(Shown, LabelledOperator):
    """The screened operator of a graph that changes edge by edge.

    Parameters
    ----------
    source : object
        A graph without weights, or whatever can be lifted to one: its edges count, and their
        triangles are cells. All vertices are there from the start.
    eps : float, optional
        As for `collapse`.

    Examples
    --------
    >>> import networkx as nx
    >>> live = LiveOperator(nx.path_graph(4))
    >>> live.trust(0, 1)
    0.0
    >>> live.add(0, 2)  # edges whose share is another one now
    3
    >>> round(live.trust(0, 1), 3)
    0.5
    >>> live.remove(0, 2)
    3
    """

    def __init__(self, source: Any, *, eps: float | None = None) -> None:
        K = complex_from(source)
        if any(w is not None for w in K.weights):
            raise InputError("the edges have weights, which a LiveOperator leaves out; drop them")
        edges = K.cells[1].as_array(2) if K.max_rank else np.empty((0, 2), dtype=np.int64)
        self.labels = K.labels
        K = clique_complex(Complex.from_arrays(K.n_vertices, {1: edges}), 2)
        S: Any = make_operator(K, "screened", eps=eps)
        rounds = S.realization.in_rounds(S.chain, S.weights)
        self._beta, self._each = float(S.beta[0]), float(rounds.beta[0])
        self._square, self._unit = float(rounds.square), 1.0 + float(S.eps)
        self._position = {v: i for i, v in enumerate(self.labels)}
        pairs = list(map(tuple, edges.tolist()))
        held = rounds.around[0].degree.round().astype(int).tolist()
        self._triangles: dict[Edge, int] = dict(zip(pairs, held, strict=True))
        self._neighbours: list[set[int]] = [set() for _ in self.labels]
        for u, v in pairs:
            self._neighbours[u].add(v)
            self._neighbours[v].add(u)
        self._matrix = S.tocsr()
        self._moved: dict[Edge, float] = {}  # weights that differ from those in the matrix
        super().__init__(np.dtype(np.float64), self._matrix.shape)

    def _card(self) -> Card:
        rows = (
            ("edges", f"{len(self._triangles):,}"),
            ("triangles", f"{sum(self._triangles.values()) // 3:,}"),
        )
        calls = (
            ("live.add(a, b)", "adds an edge"),
            ("live.trust(a, b)", "is the trust of one"),
            ("live.operator()", "is an operator for any task, as it is now"),
        )
        counts = np.bincount(list(self._triangles.values()), minlength=1)
        title = f"LiveOperator on {len(self.labels):,} vertices"
        return Card(title, rows, lambda: bars(counts.astype(float).tolist()), calls)

    def add(self, first: Hashable, second: Hashable) -> int:
        """Add an edge, and return how many edges have another share by it."""
        edge = self._edge(first, second)
        if edge in self._triangles:
            raise InputError(f"the edge ({first!r:.40}, {second!r:.40}) is there already")
        common = self._common(edge)
        self._triangles[edge] = len(common)
        self._move(edge, self._weight(len(common)))
        self._neighbours[edge[0]].add(edge[1])
        self._neighbours[edge[1]].add(edge[0])
        return 1 + self._around(edge, common, 1)

    def remove(self, first: Hashable, second: Hashable) -> int:
        """Remove an edge, and return how many edges have another share by it."""
        edge = self._present(first, second)
        self._move(edge, -self._weight(self._triangles.pop(edge)))
        self._neighbours[edge[0]].remove(edge[1])
        self._neighbours[edge[1]].remove(edge[0])
        return 1 + self._around(edge, self._common(edge), -1)

    def trust(self, first: Hashable, second: Hashable) -> float:
        """Return the trust s / (1 + eps + s) of an edge, with s its support by triangles."""
        support = self._each * self._triangles[self._present(first, second)]
        return support / (self._unit + support)

    def operator(self) -> SparseOperator:
        """Return the operator as it is now: later changes do not reach it."""
        self._merge()
        return SparseOperator(self._matrix.copy(), self.labels, None, "screened")

    def _matvec(self, x: FloatArray) -> FloatArray:
        return self._matmat(np.reshape(x, (-1, 1))).ravel()

    def _matmat(self, x: FloatArray) -> FloatArray:
        if _MOST * len(self._moved) > len(self._triangles):
            self._merge()
        result = self._matrix @ x
        if self._moved:
            u, v, by = self._changes()
            flow = by[:, None] * (x[u] - x[v])
            np.add.at(result, u, flow)
            np.subtract.at(result, v, flow)
        return result

    def _adjoint(self) -> LiveOperator:
        return self

    def _changes(self) -> tuple[Any, Any, FloatArray]:
        u, v = np.array(list(self._moved), dtype=np.int64).reshape(-1, 2).T
        return u, v, np.fromiter(self._moved.values(), float, len(self._moved))

    def _merge(self) -> None:
        """Put the changes into the matrix."""
        if self._moved:
            u, v = np.array(list(self._triangles), dtype=np.int64).reshape(-1, 2).T
            held = np.fromiter(self._triangles.values(), float, len(self._triangles))
            W = sparse.coo_array((self._weight(held), (u, v)), shape=self.shape).tocsr()
            W = W + W.T
            self._matrix = sparse.csr_array(sparse.diags_array(W.sum(axis=1)) - W)
            self._moved.clear()

    def _weight(self, triangles: Any) -> Any:
        """beta_1 f of an edge in so many triangles."""
        return self._beta * (1.0 - self._square / (self._unit + self._each * triangles))

    def _move(self, edge: Edge, by: float) -> None:
        self._moved[edge] = self._moved.get(edge, 0.0) + by

    def _common(self, edge: Edge) -> set[int]:
        return self._neighbours[edge[0]] & self._neighbours[edge[1]]

    def _around(self, edge: Edge, common: set[int], by: int) -> int:
        """One triangle more or less at the edges to common neighbours."""
        for w in common:
            for end in edge:
                other = (end, w) if end < w else (w, end)
                before = self._triangles[other]
                self._triangles[other] = before + by
                self._move(other, self._weight(before + by) - self._weight(before))
        return 2 * len(common)

    def _edge(self, first: Hashable, second: Hashable) -> Edge:
        try:
            i, j = self._position[first], self._position[second]
        except (KeyError, TypeError):
            raise InputError(
                f"({first!r:.40}, {second!r:.40}) has an end that is no vertex; all vertices are "
                "there from the start"
            ) from None
        if i == j:
            raise InputError(f"({first!r:.40}, {second!r:.40}) has one end; an edge needs two")
        return (i, j) if i < j else (j, i)

    def _present(self, first: Hashable, second: Hashable) -> Edge:
        edge = self._edge(first, second)
        if edge not in self._triangles:
            raise InputError(f"there is no edge ({first!r:.40}, {second!r:.40})")
        return edge
