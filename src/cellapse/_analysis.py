"""What `analyze` gives: everything for a summary, a table of nodes or a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cellapse import theory
from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._complex.card import drawing
from cellapse._complex.complex import Complex
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import Operator
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import whole_number
from cellapse._shared.files import write_whole
from cellapse._shared.tables import csv_text
from cellapse.tasks.clustering import Clusters, clustering_accuracy
from cellapse.tasks.false_edges import Doubt
from cellapse.tasks.influence import Influence
from cellapse.tasks.trust import EdgeTrust
from cellapse.tasks.verdict import Verdict


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Shown):
    """Everything `analyze` found, for a summary, a table of nodes or a report.

    Attributes
    ----------
    title : str
    complex : Complex
    groups : tuple or None
        The known group of every vertex, where there is one.
    collapsed, plain : Operator
        S and the graph Laplacian.
    spectra, clusters : pairs
        Of S and of the graph Laplacian.
    cut : Spectrum
        Of S u = lambda D u, D the masses of a cut: the clusters and the picture are made of it.
    shares : array
        The share of its weight that every edge keeps.
    report : theory.Report
    projection : Clusters or None
        By the weighted projection, where cells are no simplices.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> analysis = cl.analysis.analyze(cl.clique_complex(nx.barbell_graph(5, 0)))
    >>> analysis.n_clusters
    2
    """

    title: str
    complex: Complex
    groups: tuple[Any, ...] | None  # the known group of every vertex, where there is one
    collapsed: Operator
    plain: Operator
    spectra: tuple[Spectrum, Spectrum]  # of the collapsed operator and of the graph Laplacian
    cut: Spectrum  # S u = lambda D u: what the clusters and the picture are made of
    clusters: tuple[Clusters, Clusters]
    shares: FloatArray  # of its weight that each edge keeps; ones where S does not reweigh edges
    report: theory.Report
    projection: Clusters | None  # by the weighted projection, where cells are no simplices
    verdict: Verdict
    trust: EdgeTrust
    doubt: Doubt | None  # None where it is not known which cells a random pair would close
    influence: Influence | None  # of the cells on the first informative eigenvalue
    asked: bool = False  # whether somebody asked for this operator, whatever the verdict says

    @property
    def chosen(self) -> Clusters:
        """The clusters to use: those of S, unless they are clearly worse than without cells."""
        if self.asked or not self.verdict.use_plain:
            return self.clusters[0]
        return self.clusters[1] if self.projection is None else self.projection

    @property
    def chosen_by(self) -> str:
        """The operator that the clusters to use are of."""
        return "S" if self.chosen is self.clusters[0] else self.verdict.best.operator

    @property
    def reweights(self) -> bool:
        """Whether S is L with other weights of the edges, so that each keeps a share of its own."""
        return isinstance(self.collapsed, CollapsedOperator) and self.collapsed.shares is not None

    def _card(self) -> Card:
        K, mine = self.complex, self.chosen.numbers
        known = self.agreement()
        rows = [
            ("verdict", self.verdict.sentences()[0]),
            ("cells", ", ".join(f"{n:,} of rank {k}" for k, n in enumerate(K.n_cells))),
            ("clusters", ", ".join(f"{n:,}" for n in np.bincount(mine).tolist()) + " vertices"),
            ("groups", "" if known is None else "{:.1%} by S, {:.1%} by L".format(*known)),
            ("theory", repr(self.report).strip("<>") if self.report.checks else ""),
        ]
        calls = (
            ('cl.report.write_report(analysis, "report.html")', "writes the page to show"),
            ('analysis.write_nodes("nodes.csv")', "writes a row per vertex"),
            ("analysis.least_trusted(10)", "lists the edges to doubt"),
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
        return zeros_among(self.spectra[0])

    @property
    def telling(self) -> int:
        """Place of the first eigenvector that does more than separate components."""
        return self.n_zeros if self.n_zeros < len(self.spectra[0]) else 1

    def agreement(self) -> tuple[float, float] | None:
        """Return share of the vertices in their known group, by S and by the graph Laplacian."""
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

    def least_trusted(self, count: int) -> list[tuple[tuple[str, str], float]]:
        """Return the edges to doubt first, with their trust."""
        count = whole_number("count", count, 0)
        order = np.argsort(self.trust.values, kind="stable")[:count].tolist()
        ends = (self.complex.cells[1][e].tolist() for e in order)
        names = ((str(self.complex.labels[i]), str(self.complex.labels[j])) for i, j in ends)
        return [(pair, float(self.trust.values[e])) for pair, e in zip(names, order, strict=True)]

    def write_nodes(self, path: str | Path) -> None:
        """Write one row per node: label, cluster, clusters by every operator, eigenvectors."""
        spectrum = self.spectra[0]
        several = min(len(spectrum), max(self.n_clusters, 6))
        columns = {
            "cluster": self.chosen,
            "cluster_collapsed": self.clusters[0],
            "cluster_graph_laplacian": self.clusters[1],
        }
        if self.projection is not None:
            columns["cluster_projection"] = self.projection
        names = [f"vector_{i}" for i in range(2, several + 1)]
        rows: list[list[Any]] = [["node", *columns, *names]]
        for i, label in enumerate(self.complex.labels):
            vector = [f"{v:.10g}" for v in spectrum.vectors[i, 1:several]]
            numbers = (int(c.numbers[i]) for c in columns.values())
            rows.append([str(label), *numbers, *vector])
        write_whole(path, csv_text(rows))


def zeros_among(spectrum: Spectrum) -> int:
    """Return how many of the eigenvalues are 0."""
    return int((spectrum.values <= 1e-9 * max(float(spectrum.values[-1]), 1e-300)).sum())
