r"""The collapse of a complex over time: an operator for each window, made from the last one.

The eigenvectors of S u = lambda D u, D the diagonal of S, group the vertices of every window; what
is close to the last window's is called the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.realizations import USUAL
from cellapse._complex.cells import star_graph
from cellapse._errors import extra
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._operators.names import make_operator
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import generator, whole_number
from cellapse._shared.memory import require_memory
from cellapse._shared.pictures import bars
from cellapse.tasks.clustering import clusters_by, cut_mass
from cellapse.temporal.alignment import Numbering, aligned, distance
from cellapse.temporal.complex import TemporalComplex
from cellapse.temporal.shares import Shares, operator_of
from cellapse.temporal.sources import as_temporal
from cellapse.temporal.times import shown
from cellapse.temporal.windows import Window

_LEAST = 3  # vertices of a component that may be a group


@dataclass(frozen=True, eq=False, repr=False)
class Moment(Shown):
    """What the collapse says of one window.

    Attributes
    ----------
    window : Window
        Its times and its complex.
    operator : Operator
        On all vertices.
    values : (k,) array
        The smallest eigenvalues of S u = lambda D u on the vertices that have a group.
    vectors : (n, k) array
        D^(1/2) u, orthonormal columns, turned like those of the last window; zero elsewhere.
    spectrum : Spectrum or None
        The eigenpairs as they were found, with their evidence; None where components say it all.
    groups : (n,) array of int
        A number for each vertex, the same for what is the same group; -1 for vertices in no
        component of three or more.
    n_groups : int
    shares : (m,) array or None
        The share of its weight that every edge keeps, where S is a reweighted Laplacian.
    trust : (m,) array or None
        Of every edge, as `edge_trust`; `window.complex.cells[1]` are the edges.
    weights : (m,) array
        Of every edge, in the operator.
    by_groups : float
        How far its space of eigenvectors is from that of the last window, from 0 to 1.
    by_edges : float
        One less the weight that both windows share over the weight in either, from 0 to 1.

    Examples
    --------
    >>> import cellapse as cl
    >>> T = cl.TemporalComplex.from_cells([("a", "b"), ("b", "c"), ("a", "c")], [0, 1, 2])
    >>> next(cl.collapse_over_time(T, 5))
    <Moment: 0 to 5, 1 group of 3 vertices>
    """

    window: Window
    operator: Operator = field(repr=False)
    values: FloatArray = field(repr=False)
    vectors: FloatArray = field(repr=False)
    spectrum: Spectrum | None = field(repr=False)
    groups: IntArray = field(repr=False)
    n_groups: int
    shares: FloatArray | None = field(repr=False)
    by_groups: float
    by_edges: float
    trust: FloatArray | None = field(repr=False)
    weights: FloatArray = field(repr=False)

    def _card(self) -> Card:
        w = self.window
        sizes = np.bincount(self.groups[self.groups >= 0])
        rows = (
            ("cells", ", ".join(f"{n:,} of rank {k}" for k, n in enumerate(w.n_cells))),
            ("groups", ", ".join(f"{i}: {n}" for i, n in enumerate(sizes.tolist()) if n) or "none"),
            ("change", f"{self.by_groups:.3f} by groups, {self.by_edges:.3f} by edges"),
        )
        calls = (
            ("moment.groups", "is the group of every vertex"),
            ("moment.to_frame()", "is a table of edges and their trust"),
            ("moment.operator", "is the operator, for any task"),
        )
        groups = f"{self.n_groups:,} group{'s' if self.n_groups != 1 else ''}"
        span = f"{shown(w.start, w.source.dated)} to {shown(w.end, w.source.dated)}"
        title = f"Moment: {span}, {groups} of {int(sizes.sum()):,} vertices"
        return Card(title, rows, lambda: bars(sizes.tolist() or [0.0]), calls)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row per edge: its ends, weight, share and trust."""
        with extra("pandas", "pandas"):
            import pandas as pd
        labels, w = self.window.source.labels, self.window
        first, second = ([labels[i] for i in ends] for ends in w.ends.T.tolist())
        given = np.ones(len(w.edges)) if w.weights is None else w.weights
        table = {"source": first, "target": second, "weight": given}
        for name, column in (("share", self.shares), ("trust", self.trust)):
            if column is not None:
                table[name] = column
        return pd.DataFrame(table)

    def row(self) -> dict[str, Any]:
        """Return the window as one row of a table."""
        n = self.window.n_cells
        return {
            "start": shown(self.window.start, self.window.source.dated),
            "end": shown(self.window.end, self.window.source.dated),
            "edges": n[1],
            "cells": sum(n[2:]),
            "edges entered": self.window.entered[0],
            "edges left": self.window.left[0],
            "grouped": int((self.groups >= 0).sum()),
            "groups": self.n_groups,
            "change by groups": self.by_groups,
            "change by edges": self.by_edges,
            "mean trust": None if self.trust is None or not len(self.trust) else self.trust.mean(),
        }


def collapse_over_time(
    source: Any,
    width: Any,
    step: Any = None,
    *,
    operator: str = USUAL,
    eps: float | None = None,
    n_clusters: int | None = None,
    k: int = 10,
    max_rank: int = 2,
    rng: int | np.random.Generator = 0,
) -> Iterator[Moment]:
    """Collapse the windows of a complex over time, one after the other.

    Each is made from the last one: cells enter and leave, and the shares of edges change only where
    cells did. Nothing is kept but the last window, so that memory does not grow with their number.

    S_t u = lambda D_t u, with D_t the diagonal of S_t; groups by the first eigenvectors.

    Parameters
    ----------
    source : TemporalComplex, or whatever `as_temporal` takes
    width, step
        Of windows, as for `TemporalComplex.windows`.
    operator : str
        "renormalized" and "screened" are updated from window to window; any other name of
        `operator_names` is made anew for each.
    eps : float, optional
        Of a collapse, as for `collapse`.
    n_clusters : int, optional
        How many groups; more where a window falls into more components. By default the number
        before the largest gap of the first `k` eigenvalues, window by window.
    k : int
        Eigenpairs of each window, at least as many as groups.
    max_rank : int
        Cliques of pairs of up to `max_rank` + 1 vertices are cells.
    rng : seed or numpy Generator
        For the starts of k-means.

    Returns
    -------
    iterator of Moment

    Examples
    --------
    >>> from itertools import combinations
    >>> import cellapse as cl
    >>> met = [*combinations("abcd", 2), *combinations("efgh", 2), ("d", "e")] * 2
    >>> T = cl.TemporalComplex.from_cells(met, [0] * 13 + [1] * 13)
    >>> for moment in collapse_over_time(T, 1, n_clusters=2):
    ...     print(moment.groups.tolist(), round(moment.by_groups, 6))
    [0, 0, 0, 0, 1, 1, 1, 1] 0.0
    [0, 0, 0, 0, 1, 1, 1, 1] 0.0
    """
    T = as_temporal(source)
    if n_clusters is not None:
        n_clusters = whole_number("n_clusters", n_clusters, 1, T.n_vertices)
    k = max(whole_number("k", k, 1, 1000), n_clusters or 1)
    require_memory(64.0 * k * T.n_vertices, f"{k} vectors of {T.n_vertices:,} vertices", "lower k")
    windows = T.windows(width, step, max_rank=max_rank)
    seed = generator(rng)
    make_operator(T.between(T.first, np.nextafter(T.first, np.inf)), operator, eps=eps)  # checked
    return _moments(T, windows, _Following(T, operator, eps, n_clusters, k, seed))


def _moments(T: TemporalComplex, windows: Iterator[Window], state: _Following) -> Iterator[Moment]:
    for window in windows:
        yield state.moment(window)


class _Following:
    """What is known of the last window."""

    def __init__(
        self,
        T: TemporalComplex,
        name: str,
        eps: float | None,
        n_clusters: int | None,
        k: int,
        rng: np.random.Generator,
    ) -> None:
        self._name, self._eps, self._n_clusters, self._k = name, eps, n_clusters, k
        self._rng, self._T = rng, T
        self._shares: Shares | None = None
        self._numbering = Numbering(T.n_vertices)
        self._last: Moment | None = None

    def moment(self, window: Window) -> Moment:
        S, component, shares = self._operator(window)
        sizes = np.bincount(component)
        rows = np.flatnonzero(sizes[component] >= _LEAST)
        spectrum, values, vectors, found = self._grouped(window, S, rows, component)
        last, n = self._last, self._T.n_vertices
        whole = np.zeros((n, len(values)))
        whole[rows] = vectors
        n_groups = int(found.max(initial=-1)) + 1
        if last is not None:
            whole = aligned(whole, values, last.vectors, last.values, n_groups)
        weights = self._weights(window, shares)
        moment = Moment(
            *(window, S, values, whole, spectrum, self._numbering.numbered(found), n_groups),
            shares,
            0.0 if last is None else _by_groups(last, whole, n_groups),
            0.0 if last is None else edge_distance(last.window, last.weights, window, weights),
            None if self._shares is None else self._trust(window, shares),
            weights,
        )
        self._last = moment
        return moment

    def _operator(self, window: Window) -> tuple[Operator, IntArray, FloatArray | None]:
        """The operator, the component of every vertex, and the shares of edges."""
        K, T = window.complex, window.source
        if self._shares is None:
            S = make_operator(K, self._name, eps=self._eps)
            if not isinstance(S, CollapsedOperator) or S.shares is None:
                star = star_graph(K.cells[1:], K.n_vertices)
                return S, connected_components(star, directed=False)[1], None
            self._shares = Shares(S, len(T.pairs.ends))
        shares = self._shares.update(window)
        matrix, component = operator_of(window, shares, self._shares.beta, self._name)
        return matrix, component, shares

    def _grouped(
        self, window: Window, S: Operator, rows: IntArray, component: IntArray
    ) -> tuple[Spectrum | None, FloatArray, FloatArray, IntArray]:
        """Eigenpairs on some of the vertices, and the groups of all."""
        found = np.full(window.source.n_vertices, -1)
        names, inside = np.unique(component[rows], return_inverse=True)
        if not len(rows):
            return None, np.empty(0), np.empty((0, 0)), found
        part = self._part(window, S, rows, inside)
        D = cut_mass(part, "auto")
        if len(names) >= self._k:  # components say it all
            found[rows] = inside
            vectors = _indicators(inside, D)[:, : self._k]
            return None, np.zeros(self._k), vectors, found
        spectrum = part.spectrum(min(self._k, len(rows)), D)
        wanted = self._n_clusters
        if wanted is not None or spectrum.values[-1] <= 0.0:
            wanted = min(max(wanted or 1, len(names)), len(rows))
        clusters = clusters_by(part, spectrum, D, wanted, self._rng)
        numbers = clusters.numbers
        if int(numbers.max()) + 1 < len(names):
            numbers = inside
        found[rows] = numbers
        root = np.ones(len(rows)) if D is None else np.sqrt(D)
        return spectrum, spectrum.values, root[:, None] * spectrum.vectors, found

    def _part(self, window: Window, S: Operator, rows: IntArray, inside: IntArray) -> Operator:
        """The operator on some of the vertices, which are whole components."""
        if len(rows) == S.shape[0]:
            return S
        labels = window.source.labels
        if S.matrix is None:
            K = window.complex.subcomplex([labels[i] for i in rows.tolist()])
            return make_operator(K, self._name, eps=self._eps)
        sizes = np.bincount(inside)
        shape = (len(rows), len(sizes))
        kernel = sparse.csr_array(
            (1.0 / np.sqrt(sizes[inside]), inside, np.arange(len(rows) + 1)), shape=shape
        )
        known = kernel if S.kernel is not None and S.kernel.shape[1] >= len(sizes) else None
        matrix = S.matrix[rows][:, rows]
        return SparseOperator(matrix, range(len(rows)), known, self._name, S.definite)

    def _weights(self, window: Window, shares: FloatArray | None) -> FloatArray:
        """The weight of every edge in the operator."""
        given = np.ones(len(window.edges)) if window.weights is None else window.weights
        return given if shares is None else given * shares

    def _trust(self, window: Window, shares: FloatArray | None) -> FloatArray | None:
        """As `edge_trust` of the operator: of edges in no cell zero."""
        if shares is None or self._shares is None or self._shares.least >= 1.0:
            return None
        least = self._shares.least
        return np.clip((shares - least) / (1.0 - least), 0.0, 1.0)


def _indicators(component: IntArray, D: FloatArray | None) -> FloatArray:
    """Orthonormal indicators of components, scaled by the masses."""
    root = np.ones(len(component)) if D is None else np.sqrt(D)
    vectors = np.zeros((len(component), int(component.max()) + 1))
    vectors[np.arange(len(component)), component] = root
    return vectors / np.linalg.norm(vectors, axis=0)


def _by_groups(last: Moment, vectors: FloatArray, n_groups: int) -> float:
    return distance(
        last.vectors[:, : min(last.n_groups, last.vectors.shape[1])],
        vectors[:, : min(n_groups, vectors.shape[1])],
    )


def edge_distance(a: Window, of_a: FloatArray, b: Window, of_b: FloatArray) -> float:
    """One less the weight that both windows share over the weight in either."""
    _, in_a, in_b = np.intersect1d(a.edges, b.edges, assume_unique=True, return_indices=True)
    least = float(np.minimum(of_a[in_a], of_b[in_b]).sum())
    total = float(of_a.sum() + of_b.sum()) - least
    return 1.0 - least / total if total > 0 else 0.0
