"""The main job in one go: lift, collapse, spectrum, clusters, and what the cells changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cellapse import theory
from cellapse._collapse.build import collapse
from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._complex.card import drawing
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import Operator
from cellapse._operators.baselines import graph_laplacian, projection_laplacian
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import listed, whole_number, word
from cellapse._shared.files import write_whole
from cellapse._shared.names import showing
from cellapse._shared.tables import csv_text
from cellapse._sources import Source, source_of
from cellapse.tasks._clusters import Clusters
from cellapse.tasks.clustering import cluster, clustering_accuracy

__all__ = ["Analysis", "analyze"]
__dir__ = showing([*__all__, "STEPS"])

_ALL = 1000  # up to this many vertices all eigenpairs are computed
_SOME = 30
_ZEROS = 100  # components beyond the first for which eigenpairs are added

# The steps of `analyze`, with their usual share of the time.
STEPS = (("collapse", 2.0), ("clusters", 10.0), ("spectra", 8.0), ("checks", 10.0))


@dataclass(frozen=True, eq=False)
class Analysis(Shown):
    """Everything `analyze` found, for a summary, a table of nodes or a report."""

    title: str
    complex: Complex
    groups: tuple[Any, ...] | None  # the known group of every vertex, where there is one
    collapsed: CollapsedOperator
    plain: Operator
    spectra: tuple[Spectrum, Spectrum]  # of the collapsed operator and of the graph Laplacian
    clusters: tuple[Clusters, Clusters]
    shares: FloatArray
    report: theory.Report
    projection: Clusters | None = None  # by the weighted projection, where cells are no simplices

    def _card(self) -> Card:
        K, mine = self.complex, self.clusters[0].numbers
        known = self.agreement()
        rows = [
            ("cells", ", ".join(f"{n:,} of rank {k}" for k, n in enumerate(K.n_cells))),
            ("clusters", ", ".join(f"{n:,}" for n in np.bincount(mine).tolist()) + " vertices"),
            ("groups", "" if known is None else "{:.1%} by S, {:.1%} by L".format(*known)),
            ("theory", repr(self.report).strip("<>")),
        ]
        calls = (
            ('report.write_report(analysis, "report.html")', "writes the page to show"),
            ('analysis.write_nodes("nodes.csv")', "writes a row per vertex"),
            ("analysis.weakest_edges(10)", "lists the edges to doubt"),
        )
        title = f"Analysis of {self.title}: {K.n_vertices:,} vertices in {self.n_clusters} clusters"
        shown = tuple(row for row in rows if row[1])
        return Card(title, shown, lambda: drawing(K, self.shares, mine), calls)

    @property
    def n_clusters(self) -> int:
        return int(self.clusters[0].numbers.max()) + 1

    @property
    def n_zeros(self) -> int:
        """How many of the eigenvalues are 0: one for each component, as far as computed."""
        values = self.spectra[0].values
        return int((values <= 1e-9 * max(float(values[-1]), 1e-300)).sum())

    @property
    def telling(self) -> int:
        """Place of the first eigenvector that does more than tell components apart."""
        return self.n_zeros if self.n_zeros < len(self.spectra[0]) else 1

    def agreement(self) -> tuple[float, float] | None:
        """Share of the vertices in their known group, by S and by the graph Laplacian."""
        if self.groups is None:
            return None
        known = np.unique([str(g) for g in self.groups], return_inverse=True)[1]
        mine, plain = (clustering_accuracy(c, known) for c in self.clusters)
        return mine, plain

    def projected(self) -> float | None:
        """Share of the vertices in their known group, by the weighted projection of hyperedges."""
        if self.groups is None or self.projection is None:
            return None
        known = np.unique([str(g) for g in self.groups], return_inverse=True)[1]
        return clustering_accuracy(self.projection, known)

    def weakest_edges(self, count: int) -> list[tuple[tuple[str, str], float]]:
        """The edges that keep least of their weight, with the share they keep."""
        count = whole_number("count", count, 0)
        order = np.argsort(self.shares, kind="stable")[:count].tolist()
        ends = (self.complex.cells[1][e].tolist() for e in order)
        names = ((str(self.complex.labels[i]), str(self.complex.labels[j])) for i, j in ends)
        return [(pair, float(self.shares[e])) for pair, e in zip(names, order, strict=True)]

    def write_nodes(self, path: Path) -> None:
        """One row per node: label, cluster, cluster by the graph Laplacian, eigenvectors."""
        spectrum, clusters = self.spectra[0], self.clusters
        several = min(len(spectrum), max(self.n_clusters, 6))
        names = [f"vector_{i}" for i in range(2, several + 1)]
        rows: list[list[Any]] = [["node", "cluster", "cluster_graph_laplacian", *names]]
        for i, label in enumerate(self.complex.labels):
            vector = [f"{v:.10g}" for v in spectrum.vectors[i, 1:several]]
            rows.append([str(label), *(int(c.numbers[i]) for c in clusters), *vector])
        write_whole(path, csv_text(rows))


def analyze(
    K: Any,
    n_clusters: int | None = None,
    rng: int = 0,
    *,
    title: str | None = None,
    groups: Sequence[Any] | None = None,
    on_step: Callable[[str], object] = lambda step: None,
) -> Analysis:
    """Collapse a complex, take its spectrum and clusters, and compare with the graph Laplacian.

    Uses the renormalized operator, a sparse matrix.

    Parameters
    ----------
    K : Complex, or whatever `collapse` takes
        A graph, an adjacency, a hypergraph, points, the name of a file or of a bundled network.
    n_clusters : int, optional
        By default the number of known groups, or the number before the largest gap between
        eigenvalues.
    rng : seed
    title : str
        What the report calls the complex; by default what its source is called.
    groups : one value per vertex, optional
        Known groups, to compare the clusters with; bundled networks bring theirs.
    on_step : function, optional
        Called with the name of every step of `STEPS` as it begins.

    Examples
    --------
    >>> import networkx as nx
    >>> from cellapse.lifts import clique_complex
    >>> analysis = analyze(clique_complex(nx.barbell_graph(5, 0)))
    >>> analysis.weakest_edges(1)[0][0]
    ('4', '5')
    """
    title = None if title is None else word("title", title)
    source = source_of(K)
    K, known = source.complex, _known_groups(source, groups)
    on_step("collapse")
    S = collapse(K, "renormalized")
    L = graph_laplacian(K)
    if n_clusters is None and known is not None:
        n_clusters = len({str(g) for g in known})
    on_step("clusters")
    mine = cluster(S, n_clusters, rng=rng)
    n_clusters = int(mine.numbers.max()) + 1 if n_clusters is None else n_clusters
    clusters = (mine, cluster(L, n_clusters, rng=rng))
    # A hypergraph: the fair comparison is a projection in which large hyperedges do not drown all.
    simple = K.is_simplicial
    projection = None if simple else cluster(projection_laplacian(K), n_clusters, rng=rng)
    on_step("spectra")
    several = _eigenpairs(K, n_clusters)
    spectra = (S.spectrum(several), L.spectrum(several))
    on_step("checks")
    checks = theory.check(S, spectra)
    assert S.shares is not None  # the renormalized operator is a reweighted A
    title = title or source.title
    return Analysis(title, K, known, S, L, spectra, clusters, S.shares, checks, projection)


def _eigenpairs(K: Complex, n_clusters: int) -> int:
    """How many eigenpairs are computed: all of a small complex, enough of a large one."""
    n = K.n_vertices
    zeros = min(int(K.components().max()), _ZEROS)  # besides the first, which is always there
    return n if n <= _ALL else min(n, max(n_clusters, _SOME) + zeros)


def _known_groups(source: Source, groups: Sequence[Any] | None) -> tuple[Any, ...] | None:
    """The groups that were given, or else those that come with the source."""
    if groups is None:
        return source.groups
    known, n = tuple(listed(groups, "groups")), source.complex.n_vertices
    if len(known) != n:
        raise InputError(f"{len(known)} groups for {n} vertices; give one per vertex")
    return known
