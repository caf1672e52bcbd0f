"""The main job in one go: lift, collapse, spectrum, clusters, and what the cells changed."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cellapse import theory
from cellapse.baselines import graph_laplacian
from cellapse.collapse import ScreenedOperator, collapse
from cellapse.complex import Complex
from cellapse.operator import Operator
from cellapse.spectrum import Spectrum
from cellapse.tasks.cluster import Clusters, cluster, suggest_n_clusters


@dataclass(frozen=True, eq=False)
class Analysis:
    """Everything `analyze` found, for a summary or a table of nodes."""

    complex: Complex
    collapsed: ScreenedOperator
    plain: Operator
    spectra: tuple[Spectrum, Spectrum]  # of the collapsed operator and of the graph Laplacian
    clusters: tuple[Clusters, Clusters]
    shares: NDArray[np.float64]
    report: theory.Report

    def weakest_edges(self, count: int) -> list[tuple[tuple[str, str], float]]:
        """The edges that keep least of their weight, with the share they keep."""
        order = np.argsort(self.shares, kind="stable")[:count].tolist()
        ends = (self.complex.cells[1][e].tolist() for e in order)
        names = ((str(self.complex.labels[i]), str(self.complex.labels[j])) for i, j in ends)
        return [(pair, float(self.shares[e])) for pair, e in zip(names, order, strict=True)]

    def write_nodes(self, path: Path) -> None:
        """One row a node: label, cluster, cluster by the graph Laplacian, eigenvectors."""
        spectrum, clusters = self.spectra[0], self.clusters
        names = [f"vector_{i}" for i in range(2, len(spectrum) + 1)]
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["node", "cluster", "cluster_graph_laplacian", *names])
            for i, label in enumerate(self.complex.labels):
                vector = [f"{v:.10g}" for v in spectrum.vectors[i, 1:]]
                numbers = (int(c.numbers[i]) for c in clusters)
                writer.writerow([label, *numbers, *vector])


def analyze(K: Complex, n_clusters: int | None = None, rng: int = 0) -> Analysis:
    """Collapse a complex, take its spectrum and clusters, and compare with the graph Laplacian.

    Uses the screened realization with five rounds of renormalization: the best all-rounder of the
    family so far, and a sparse matrix.

    Parameters
    ----------
    K : Complex
    n_clusters : int, optional
        By default the number before the largest gap between eigenvalues.
    rng : seed

    Examples
    --------
    >>> import networkx as nx
    >>> from cellapse.lifts import clique_complex
    >>> found = analyze(clique_complex(nx.barbell_graph(5, 0)))
    >>> found.weakest_edges(1)[0][0]
    ('4', '5')
    """
    S = collapse(K, realization="screened", renormalize=5)
    assert isinstance(S, ScreenedOperator)
    L = graph_laplacian(K)
    k = suggest_n_clusters(S) if n_clusters is None else n_clusters
    several = min(K.n_vertices, max(k, 6))
    spectra = (S.spectrum(several), L.spectrum(several))
    clusters = (cluster(S, k, rng=rng), cluster(L, k, rng=rng))
    return Analysis(K, S, L, spectra, clusters, S.shares, theory.check(S))
