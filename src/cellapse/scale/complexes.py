"""A complex spread over MPI ranks: no rank ever holds all of it.

Every edge is held once, by the owner of its lower end in the order (degree, number); a vertex then
has at most sqrt(2 m) edges of its own, hubs included. The owner of the other end sees it through
`mirror`. With one weight per edge the Laplacian is

    L = B_1 diag(weight) B_1^T,

of which every rank holds the rows of its vertices.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import whole_number
from cellapse.scale.cliques import Cliques
from cellapse.scale.edges import EdgeTable, Kernel, expands, first_vertices
from cellapse.scale.exchange import Ranges, same_everywhere, together
from cellapse.scale.hyperedges import Hyperedges, hyperedge_pairs
from cellapse.scale.libraries import MPI, PETSc
from cellapse.scale.partition import Partition, check_choice, share_out
from cellapse.scale.reading import (
    Dictionary,
    Source,
    as_labels,
    integer_pairs,
    labelled_pairs,
    positive_numbers,
)


class DistributedComplex:
    """A clique complex or a hypergraph, of which every rank holds its share.

    Made by `from_edges` or `from_hyperedges`, on all ranks together.

    Attributes
    ----------
    comm : mpi4py communicator
    n_vertices : int
    vertices : Ranges
        Which vertices are whose: `vertices.low` to `vertices.high` are here.
    edges : EdgeTable
        The edges held here.
    partition : str
        How vertices were shared out, and why.
    """

    def __init__(
        self, comm: Any, edges: EdgeTable, upper: Cliques | Hyperedges, shared_out: Partition
    ) -> None:
        self.comm, self.edges, self.upper = comm, edges, upper
        self.numbering, self.partition = shared_out.numbering, shared_out.reason
        self.vertices, self.n_vertices = edges.vertices, edges.vertices.total
        self.shared: dict[Any, Any] = {}  # what several operators on it have in common

    @classmethod
    def from_edges(
        cls,
        edges: Source,
        *,
        n_vertices: int | None = None,
        weights: Source = None,
        max_rank: int = 2,
        partition: str = "given",
        comm: Any = None,
    ) -> DistributedComplex:
        """Return the complex of the cliques of a graph, as `clique_complex` on one machine.

        Parameters
        ----------
        edges : path of a .npy or .parquet file, or this rank's (m, 2) array
            Pairs of vertices numbered from 0, each edge once or more, on any rank.
        n_vertices : int, optional
            By default the largest number plus one; more are vertices without edges.
        weights : array, path of a .npy file, or name of a column of the Parquet file
            One positive number for each row; copies of an edge must agree.
        max_rank : int
            Cliques of up to `max_rank` + 1 vertices are cells; at most 3.
        partition : {"given", "auto", "scotch"}
            Ranks hold ranges of the numbers as given; or what PT-Scotch puts together, where that
            leaves far fewer edges between ranks, or always. `labels` says which vertices are here.
        comm : mpi4py communicator, optional
            All ranks by default.
        """
        comm = MPI.COMM_WORLD if comm is None else comm
        given = (max_rank, n_vertices, partition)
        same_everywhere(comm, "max_rank, n_vertices and partition", given)
        with together(comm):
            choice = check_choice(partition)
            max_rank = whole_number("max_rank", max_rank, 1, 3)
            pairs = integer_pairs(edges, comm, "edges")
            held = None
            if weights is not None:
                held = positive_numbers(weights, edges, comm, len(pairs))
            loops = pairs[pairs[:, 0] == pairs[:, 1]]
            if len(loops):
                raise InputError(
                    f"edge ({loops[0, 0]}, {loops[0, 0]}) is a loop; leave such edges out"
                )
        _same_kind(comm, held)
        n = _number_of_vertices(comm, pairs, n_vertices)
        table = EdgeTable.build(Ranges.balanced(comm, n, pairs), pairs, held, "agree")
        shared_out = share_out(table, choice)
        if shared_out.moves:
            pairs = shared_out.numbering.numbers(pairs.ravel()).reshape(-1, 2)
            table = EdgeTable.build(shared_out.numbering.ranges, pairs, held, "agree")
        return cls(comm, table, Cliques(table, max_rank), shared_out)

    @classmethod
    def from_labelled_edges(
        cls,
        edges: Source,
        *,
        alone: Any = (),
        weights: Source = None,
        max_rank: int = 2,
        partition: str = "given",
        comm: Any = None,
    ) -> DistributedComplex:
        """Return the same where vertices have names: words, or whole numbers of any size.

        Vertices are numbered in ascending order of their labels; `labels` has those of this rank.

        Parameters
        ----------
        edges : path of a .npy or .parquet file, or this rank's rows
        alone : labels, optional
            Of vertices that may have no edge, on any rank.
        weights, max_rank, partition, comm
            As in `from_edges`.
        """
        comm = MPI.COMM_WORLD if comm is None else comm
        with together(comm):
            pairs = labelled_pairs(edges, comm, "edges")
            held = None
            if weights is not None:
                held = positive_numbers(weights, edges, comm, len(pairs))
            others = as_labels(alone, "labels")
            if pairs.size and others.size and pairs.dtype.kind != others.dtype.kind:
                raise InputError("edges and `alone` have labels of two kinds; give one")
        known = Dictionary(
            comm,
            np.concatenate([part for part in (pairs.ravel(), others) if part.size] or [others]),
        )
        D = cls.from_edges(
            known.numbers(pairs),
            n_vertices=known.total,
            weights=held,
            max_rank=max_rank,
            partition=partition,
            comm=comm,
        )
        D.shared["dictionary"] = known
        return D

    @classmethod
    def from_hyperedges(
        cls,
        members: Source,
        *,
        n_vertices: int | None = None,
        weights: Source = None,
        partition: str = "given",
        comm: Any = None,
    ) -> DistributedComplex:
        """Return the complex of a hypergraph, as `hypergraph_complex` on one machine.

        Parameters
        ----------
        members : path of a .npy or .parquet file, or this rank's (m, 2) array
            Rows (number of a hyperedge, vertex), in any order, on any rank.
        n_vertices : int, optional
            By default the largest number of a vertex plus one.
        weights : array, path or name of a column, optional
            One positive number for each row: that of its hyperedge, the same in all its rows.
        partition, comm
            As in `from_edges`.
        """
        comm = MPI.COMM_WORLD if comm is None else comm
        same_everywhere(comm, "n_vertices and partition", (n_vertices, partition))
        with together(comm):
            choice = check_choice(partition)
            rows = integer_pairs(members, comm, "hyperedges")
            held = None
            if weights is not None:
                held = positive_numbers(weights, members, comm, len(rows))
        _same_kind(comm, held)
        n = _number_of_vertices(comm, rows[:, 1:], n_vertices)
        groups, pairs, shared = hyperedge_pairs(comm, n, rows, held)
        table = EdgeTable.build(Ranges.balanced(comm, n, pairs), pairs, shared, "add")
        shared_out = share_out(table, choice)
        if shared_out.moves:
            rows[:, 1] = shared_out.numbering.numbers(rows[:, 1])
            groups, pairs, shared = hyperedge_pairs(comm, n, rows, held)
            table = EdgeTable.build(shared_out.numbering.ranges, pairs, shared, "add")
        return cls(comm, table, Hyperedges(table, groups), shared_out)

    def __repr__(self) -> str:
        size = f"{self.n_vertices:,} vertices and {self.edges.ranges.total:,} edges"
        return f"<DistributedComplex of {size} on {self.comm.size} ranks>"

    @cached_property
    def n_cells(self) -> tuple[int, ...]:
        """How many cells there are, by rank."""
        return (self.n_vertices, self.edges.ranges.total, *self.upper.n_cells)

    @cached_property
    def labels(self) -> Any:
        """What the vertices held here are called: their numbers, unless they were given names."""
        return self.names(self.numbering.given_here)

    def names(self, given: IntArray) -> Any:
        """Return what vertices are called that were given, or numbered, so; on any rank."""
        known = self.shared.get("dictionary")
        return given if known is None else known.labels(given)

    @property
    def max_rank(self) -> int:
        return len(self.n_cells) - 1

    def components(self) -> IntArray:
        """For each vertex held here the smallest vertex of its component, as given."""
        first, here = self.first_vertices, self.numbering.given_here
        route = self.vertices.route(first)
        at = route.send(first) - self.vertices.low
        least = np.full(self.vertices.count, self.n_vertices)
        np.minimum.at(least, at, route.send(here))
        return route.back(least[at])

    @cached_property
    def first_vertices(self) -> IntArray:
        """For each vertex held here the first of its component, by the numbers ranks use."""
        return first_vertices(self.edges)

    @cached_property
    def n_components(self) -> int:
        here = np.arange(self.vertices.low, self.vertices.high)
        return int(self.comm.allreduce(int((self.first_vertices == here).sum())))

    @cached_property
    def kernel(self) -> Kernel:
        """What is constant on every component: the kernel of all Laplacians here."""
        return Kernel(self.vertices, self.first_vertices)

    @cached_property
    def expands(self) -> bool:
        """Whether the graph has no small cuts: what decides about solvers."""
        return expands(self.edges)

    def laplacian(self, weight: FloatArray, shift: float = 0.0) -> Any:
        """B_1 diag(weight) B_1^T + shift as a PETSc matrix; one weight for each edge held here."""
        starts, columns, data = self.edges.laplacian_rows(weight, shift)
        kind = PETSc.IntType
        size = (self.vertices.count, self.n_vertices)
        rows = (starts.astype(kind), columns.astype(kind), data)
        return PETSc.Mat().createAIJ((size, size), csr=rows, comm=self.comm)


def _same_kind(comm: Any, weights: FloatArray | None) -> None:
    given = comm.allgather(weights is not None)
    if any(given) and not all(given):
        raise InputError(
            f"weights on rank {given.index(True)} and none on rank {given.index(False)}; give "
            "them on all ranks or on none"
        )


def _number_of_vertices(comm: Any, numbers: IntArray, wanted: int | None) -> int:
    top = comm.allreduce(int(numbers.max(initial=-1)), MPI.MAX)
    rows = comm.allreduce(len(numbers))
    if wanted is not None:
        n = whole_number("n_vertices", wanted, 0)
        if top >= n:
            raise InputError(f"vertex {top} is unknown: n_vertices={n}, numbered from 0")
        return n
    if top > 100 * (rows + 1000):  # as on one machine: labels, not positions
        raise InputError(
            f"vertex {top} in a table of {rows} rows would make {top + 1} vertices, most of them "
            "alone; number the vertices from 0, or pass n_vertices to keep them"
        )
    if top + 1 > np.iinfo(PETSc.IntType).max:
        raise InputError(
            f"{top + 1} vertices; this PETSc counts with {PETSc.IntType}: build it "
            "with 64-bit indices"
        )
    return int(top) + 1
