"""A complex: cells by rank over labelled vertices, as integer arrays.

Ranks grow with containment (x inside y needs rank x <= rank y); nothing else is asked of the
cells, so graphs, hypergraphs, simplicial, cell and combinatorial complexes are all a `Complex`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from cellapse._complex.attributes import Columns, check_attributes, check_metadata
from cellapse._complex.card import card_of
from cellapse._complex.cells import Cells, build_cells, star_graph
from cellapse._complex.hyperedges import GivenHyperedges
from cellapse._complex.labels import as_tuples, numbered, positions, steady, vertex_order
from cellapse._complex.parts import (
    NO_CELLS,
    all_within,
    both_weights,
    followed,
    joined,
    labelled_cells,
    places_of,
    that_hold,
)
from cellapse._complex.validity import (
    check_labels,
    check_no_duplicates,
    check_order_preserving,
    check_ranks,
    check_weights,
)
from cellapse._errors import InputError
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import listed, whole_number
from cellapse._shared.memory import require_memory


@dataclass(frozen=True, eq=False)
class Complex(Shown):
    """Cells by rank over labelled vertices; made by `from_cells` or `from_arrays`, then frozen.

    Attributes
    ----------
    labels : sequence of hashable
        The vertices in their order, with which everything is aligned: that of the user where
        there is one (a networkx graph, a table's index, positions), numeric for whole numbers in
        bare cells, and else that in which cells name them (the page "In and out" has the whole
        rule, under "The order of the vertices").
    cells : tuple of Cells
        `cells[k]` are the cells of rank k, as vertex positions; `cells[0]` are the vertices.
    weights : tuple of (array or None)
        `weights[k]` is a positive weight per cell of rank k, or None for all ones.
    attributes : tuple of mappings
        `attributes[k]` are named columns with one entry per cell of rank k; nothing computes with
        them, but they survive reading and writing.
    metadata : mapping
        What is known of the whole, such as its name or source; it survives likewise.
    hyperedges : GivenHyperedges, optional
        Where it was lifted from a hypergraph: which cells are the hyperedges that were given.
        These, and not the pairs within them, are written to files and given to other libraries.

    Examples
    --------
    >>> K = Complex.from_cells({1: [("a", "b"), ("b", "c"), ("a", "c")], 2: [("a", "b", "c")]})
    >>> K
    Complex(n_cells=(3, 3, 1))
    >>> K.labels, K.max_rank, K.euler_characteristic()
    (('a', 'b', 'c'), 2, 1)
    """

    labels: Sequence[Hashable]
    cells: tuple[Cells, ...]
    weights: tuple[FloatArray | None, ...] = field(repr=False)
    attributes: tuple[Columns, ...] = field(repr=False)
    metadata: Mapping[str, Any] = field(repr=False, default_factory=dict)
    hyperedges: GivenHyperedges | None = field(repr=False, default=None)

    @classmethod
    def from_cells(
        cls,
        cells: Mapping[int, Iterable[Any]],
        weights: Mapping[int, Any] | None = None,
        attributes: Mapping[int, Mapping[str, Any]] | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Complex:
        """Build a complex from labelled cells.

        Parameters
        ----------
        cells : {rank: cells}
            `cells[0]` lists the vertex labels, in the order results will have; without it the
            vertices are in numeric order where all are whole numbers, and else in the order in
            which the cells name them. Every other cell is a collection of vertex labels. Cells
            need not be closed: a triangle without its edges is fine.
        weights : {rank: one positive number per cell}, optional
            A Series or mapping goes by the cells, `{("a", "b"): 2.0}`, whatever the order of
            their vertices; an array is in the order of the cells.
        attributes : {rank: {name: one value per cell}}, optional
            Each by label or by position alike; a DataFrame is a mapping of its columns.
        metadata : {name: value}, optional

        Returns
        -------
        Complex

        Examples
        --------
        >>> Complex.from_cells({0: ["x", "y", "z"], 1: [("z", "x")]}, weights={1: [2.0]})
        Complex(n_cells=(3, 1), weighted=(1,))
        """
        ranks = check_ranks(cells)
        tuples = {k: as_tuples(k, cells[k]) for k in ranks if k > 0}
        if 0 in ranks:
            labels = tuple(listed(steady(cells[0]), "the list of vertices, cells[0],"))
        else:
            labels = vertex_order(v for k in sorted(tuples) for cell in tuples[k] for v in cell)
        position = positions(labels)
        arrays = {k: numbered(k, group, position) for k, group in tuples.items()}
        return cls.from_arrays(len(labels), arrays, labels, weights, attributes, metadata)

    @classmethod
    def from_arrays(
        cls,
        n_vertices: int,
        cells: Mapping[int, Any],
        labels: Sequence[Hashable] | None = None,
        weights: Mapping[int, Any] | None = None,
        attributes: Mapping[int, Mapping[str, Any]] | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Complex:
        """Build a complex from integer arrays: the quick way for large data.

        Parameters
        ----------
        n_vertices : int
        cells : {rank: (m, size) integer array or (indptr, indices)}
            Vertex positions 0..n_vertices-1; ranks from 1 up.
        labels : sequence of hashable, optional
            Vertex labels; by default the positions themselves.
        weights : {rank: one positive number per cell}, optional
        attributes : {rank: {name: one value per cell}}, optional
        metadata : {name: value}, optional

        Examples
        --------
        >>> Complex.from_arrays(4, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
        Complex(n_cells=(4, 3, 1))
        """
        n_vertices = whole_number("n_vertices", n_vertices, 0)
        if n_vertices < 1:
            raise InputError("a complex needs at least one vertex, and none was given; add one")
        require_memory(64.0 * n_vertices, f"{n_vertices:,} vertices", "take fewer")
        ranks = check_ranks(cells)
        if 0 in ranks and len(cells[0]) != n_vertices:
            raise InputError(
                f"cells[0] lists {len(cells[0])} vertices, but n_vertices is {n_vertices}; "
                "leave out rank 0"
            )
        vertex_labels = check_labels(labels, n_vertices)
        tables = [Cells(np.arange(n_vertices + 1), np.arange(n_vertices))]
        tables += [
            build_cells(k, cells.get(k, ()), n_vertices, vertex_labels)
            for k in range(1, max(ranks, default=0) + 1)
        ]
        n_ranks, known = len(tables), check_metadata(metadata)
        bare = cls(vertex_labels, tuple(tables), (None,) * n_ranks, ({},) * n_ranks, known)
        check_no_duplicates(tables, bare.cell_label)
        check_order_preserving(tables, bare.cell_label)
        return bare.with_attributes(attributes, weights)

    def __repr__(self) -> str:
        weighted = tuple(k for k, w in enumerate(self.weights) if w is not None)
        said = f", {weighted=}" if weighted else ""
        said += f", lift={self.lift!r:.100}" if self.lift else ""
        return f"Complex(n_cells={self.n_cells}{said})"

    def _card(self) -> Card:
        return card_of(self)

    @cached_property
    def n_cells(self) -> tuple[int, ...]:
        """Number of cells of each rank: (n_0, n_1, ..., n_K)."""
        return tuple(len(c) for c in self.cells)

    @property
    def n_vertices(self) -> int:
        """Number of vertices, n_0."""
        return len(self.labels)

    @property
    def n_edges(self) -> int:
        """Number of cells of rank 1, n_1."""
        return len(self.cells[1]) if self.max_rank else 0

    @cached_property
    def edges(self) -> tuple[tuple[Any, ...], ...]:
        """The cells of rank 1 in their order, each as a tuple of labels.

        >>> Complex.from_cells({1: [("b", "a"), ("b", "c")]}).edges
        (('b', 'a'), ('b', 'c'))
        """
        return tuple(self.cell_labels(1)) if self.max_rank else ()

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Any]:
        """Go through the labels of the vertices, in their order."""
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        try:
            return label in self._known_labels
        except TypeError:  # what has no hash is no label
            return False

    @cached_property
    def _known_labels(self) -> frozenset[Hashable] | range:
        return self.labels if isinstance(self.labels, range) else frozenset(self.labels)

    @property
    def lift(self) -> str:
        """How the complex was made of what a user gave, where a function lifted it by itself."""
        return str(self.metadata.get("lift", ""))

    @property
    def max_rank(self) -> int:
        """The largest rank K that has a place in `cells`."""
        return len(self.cells) - 1

    @cached_property
    def is_simplicial(self) -> bool:
        """Whether every cell of rank k has exactly k + 1 vertices."""
        return all(bool((c.sizes == k + 1).all()) for k, c in enumerate(self.cells))

    def cell_labels(self, rank: int) -> Sequence[Any]:
        """Return the cells of a rank by labels: a label, or a tuple of labels above rank 0."""
        rank = whole_number("rank", rank, 0, self.max_rank)
        if rank == 0:
            return self.labels
        cells = self.cells[rank]
        if isinstance(self.labels, range) and self.labels == range(self.n_vertices):
            members: list[Hashable] = cells.indices.tolist()
        else:
            members = [self.labels[v] for v in cells.indices.tolist()]
        if cells.is_uniform and len(cells):
            each = iter(members)
            return tuple(zip(*[each] * int(cells.sizes[0]), strict=True))
        bounds = cells.indptr.tolist()
        return tuple(tuple(members[i:j]) for i, j in pairwise(bounds))

    def cell_label(self, rank: int, i: int) -> Any:
        """Return one cell in the user's words."""
        rank = whole_number("rank", rank, 0, self.max_rank)
        i = whole_number("i", i, 0, self.n_cells[rank] - 1)
        if rank == 0:
            return self.labels[i]
        return tuple(self.labels[v] for v in self.cells[rank][i].tolist())

    def components(self) -> IntArray:
        """Connected component of each vertex, numbered from 0; any shared cell connects.

        >>> Complex.from_arrays(5, {1: [[0, 1]], 2: [[2, 3, 4]]}).components().tolist()
        [0, 0, 1, 1, 1]
        """
        graph = star_graph(self.cells[1:], self.n_vertices)
        return connected_components(graph, directed=False)[1]

    def skeleton(self, rank: int) -> Complex:
        """Return the same complex with only its cells of rank <= `rank`, no longer a hypergraph."""
        n = whole_number("rank", rank, 0, self.max_rank) + 1
        kept = self.cells[:n], self.weights[:n], self.attributes[:n]
        return Complex(self.labels, *kept, self.metadata)

    def subcomplex(self, vertices: Iterable[Hashable]) -> Complex:
        """Return the cells whose vertices are all among those given, with what is known of them.

        The order stays that of the complex, whatever that of the vertices.

        >>> K = Complex.from_cells({1: [("a", "b"), ("b", "c"), ("a", "c")], 2: [("a", "b", "c")]})
        >>> K.subcomplex(["c", "b"])
        Complex(n_cells=(2, 1, 0))
        """
        chosen = tuple(listed(steady(vertices), "the list of vertices"))
        kept = np.zeros(self.n_vertices, dtype=bool)
        kept[numbered(0, [chosen], positions(self.labels))[1]] = True
        if not kept.any():
            raise InputError("a subcomplex of no vertex; give one at least")
        return self._taken([kept, *(all_within(c, kept) for c in self.cells[1:])])

    def with_cells(
        self, cells: Mapping[int, Iterable[Any]], weights: Mapping[int, Any] | None = None
    ) -> Complex:
        """Return the same complex with more cells on its vertices, behind those of their rank.

        Where others of their rank have weights, new ones weigh 1 unless `weights` says otherwise;
        attributes of new cells are None. It is no longer a hypergraph.

        >>> K = Complex.from_cells({1: [("a", "b"), ("b", "c"), ("a", "c")]})
        >>> K.with_cells({2: [("a", "b", "c")]})
        Complex(n_cells=(3, 3, 1))
        """
        new = labelled_cells(cells, self.labels)
        top = max([self.max_rank, *new])
        old = [*self.cells, *[NO_CELLS] * (top - self.max_rank)]
        more = [new.get(k, NO_CELLS) for k in range(top + 1)]
        tables = {k: joined(old[k], more[k]) for k in range(1, top + 1)}
        columns = {
            k: {name: followed(column, len(more[k])) for name, column in known.items()}
            for k, known in enumerate(self.attributes)
        }
        K = Complex.from_arrays(self.n_vertices, tables, self.labels, None, columns, self.metadata)
        numbers = check_weights(weights, more, lambda k: [*map(tuple, cells.get(k, ()))])
        known = (*self.weights, *[None] * (top - self.max_rank))
        pairs = zip(zip(known, old, strict=True), zip(numbers, more, strict=True), strict=True)
        return replace(K, weights=tuple(both_weights(a, b) for a, b in pairs))

    def without_cells(self, cells: Mapping[int, Iterable[Any]]) -> Complex:
        """Return the same complex without some cells, and without the larger cells that hold them.

        >>> K = Complex.from_cells({1: [("a", "b"), ("b", "c"), ("a", "c")], 2: [("a", "b", "c")]})
        >>> K.without_cells({1: [("b", "a")]})
        Complex(n_cells=(3, 2, 0))
        """
        gone = labelled_cells(cells, self.labels)
        kept = [np.ones(n, dtype=bool) for n in self.n_cells]
        for k, group in gone.items():
            table = self.cells[k] if k <= self.max_rank else group[:0]
            places = places_of(group, table, self.n_vertices)
            if len(places) and places.min() < 0:
                first = tuple(self.labels[v] for v in group[int(np.argmin(places))].tolist())
                raise InputError(
                    f"there is no cell {first!r:.80} of rank {k} to leave out; name cells that "
                    "are there"
                )
            kept[k][places] = False
            for rank in range(k + 1, self.max_rank + 1):
                kept[rank] &= ~that_hold(self.cells[rank], group, self.n_vertices)
        return self._taken(kept)

    def _taken(self, kept: Sequence[BoolArray]) -> Complex:
        """The chosen cells of every rank; the vertices of all of them have to be among these."""
        where = [np.flatnonzero(chosen) for chosen in kept]
        place = np.cumsum(kept[0]) - 1
        taken = [cells.take(at) for cells, at in zip(self.cells, where, strict=True)]
        tables = tuple(Cells(c.indptr, place[c.indices]) for c in taken)
        labels = self.labels
        if not kept[0].all():
            labels = tuple(labels[v] for v in where[0].tolist())
        weights = tuple(
            None if w is None else w[at] for w, at in zip(self.weights, where, strict=True)
        )
        attributes = tuple(
            {name: column[at] for name, column in known.items()}
            for known, at in zip(self.attributes, where, strict=True)
        )
        given = self.hyperedges
        hyperedges = None if given is None else given.taken(np.concatenate(kept))
        return Complex(labels, tables, weights, attributes, self.metadata, hyperedges)

    def with_attributes(
        self,
        attributes: Mapping[int, Mapping[str, Any]] | None,
        weights: Mapping[int, Any] | None = None,
    ) -> Complex:
        """Return the same complex with more attributes, such as results, or with other weights.

        >>> K = Complex.from_cells({1: [("a", "b")]}).with_attributes({0: {"cluster": [0, 1]}})
        >>> K.attributes[0]["cluster"].tolist()
        [0, 1]
        """
        new = check_attributes(attributes, self.n_cells, self.cell_labels)
        merged = tuple({**old, **more} for old, more in zip(self.attributes, new, strict=True))
        chosen = check_weights(weights, self.cells, self.cell_labels)
        kept = tuple(
            old if new is None else new for old, new in zip(self.weights, chosen, strict=True)
        )
        hyperedges = None if any(w is not None for w in chosen[1:]) else self.hyperedges
        return replace(self, weights=kept, attributes=merged, hyperedges=hyperedges)

    def plot(self, values: Any = None, *, positions: Any = None, ax: Any = None) -> Any:
        """Draw it with its cells, and return the axes: see `cellapse.plot.plot_complex`."""
        from cellapse.plot import plot_complex

        return plot_complex(self, values, positions=positions, ax=ax)

    def euler_characteristic(self) -> int:
        """Return the alternating sum of the numbers of cells, n_0 - n_1 + n_2 - ..."""
        return sum((-1) ** k * n for k, n in enumerate(self.n_cells))

    def betti_numbers(self) -> tuple[int, ...]:
        """Return number of independent holes of each rank, over the rationals.

        b_k = n_k - rank B_k - rank B_{k+1}, with the signed boundary matrices.

        >>> circle = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]]})
        >>> circle.betti_numbers()
        (1, 1)
        """
        from cellapse._operators.homological import betti_numbers

        return betti_numbers(self)


def require_complex(given: Any, who: str) -> None:
    """Refuse what is no complex, and say how to get one."""
    if not isinstance(given, Complex):
        kind = type(given).__name__
        if hasattr(given, "tocsr") and hasattr(given, "spectrum"):  # an operator
            remedy = "its tocsr() gives a matrix, and interop.to_networkx takes it as it is"
        else:
            remedy = "clique_complex(...) lifts a graph to one, as_complex(...) reads other objects"
        raise InputError(f"{who} takes a Complex, not a {kind}; {remedy}")
