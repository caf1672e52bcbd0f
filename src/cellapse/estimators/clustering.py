"""Clusters of points or vertices."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.base import ClusterMixin
from sklearn.utils import check_random_state

from cellapse._collapse.realizations import USUAL, Realization
from cellapse._errors import InputError
from cellapse.estimators._graph import OnGraph
from cellapse.tasks.clustering import cluster, warn_of_hubs


class CollapsedSpectralClustering(ClusterMixin, OnGraph):
    """Spectral clustering with the cells of a complex.

    Parameters
    ----------
    n_clusters : int
    n_neighbors : int
        Of the graph of points; a point counts among its own neighbours, as in scikit-learn.
    affinity : {"nearest_neighbors", "precomputed"}
    operator : name or Realization
        A collapse: "renormalized", "screened", "unfolded", "boundary", "incidence" or "mixed"; or
        an operator to compare with: "laplacian" (of the graph), "signless", "multiorder",
        "motif", "projection" or "zhou".
    max_rank : int
        Cliques of up to `max_rank` + 1 vertices are cells.
    assign_labels : {"kmeans", "discretize"}
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : array of int
    complex_ : Complex
    n_features_in_ : int

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> CollapsedSpectralClustering(2, n_neighbors=3).fit_predict(X).tolist()
    [0, 0, 0, 1, 1, 1]
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 10,
        affinity: str = "nearest_neighbors",
        operator: str | Realization = USUAL,
        max_rank: int = 2,
        assign_labels: str = "kmeans",
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.operator = operator
        self.max_rank = max_rank
        self.assign_labels = assign_labels
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> CollapsedSpectralClustering:
        """Group the rows of X."""
        X = self._checked(X)
        try:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        except (ValueError, TypeError) as error:
            raise InputError(f"random_state={self.random_state!r:.80} ({error})") from None
        S = self._lift(X)
        self.labels_ = cluster(
            S, self.n_clusters, assign_labels=self.assign_labels, rng=seed
        ).numbers
        if self.operator == USUAL:
            again = partial(cluster, assign_labels=self.assign_labels, rng=seed)
            warn_of_hubs(self.complex_, self.labels_, lambda L, k: again(L, k).numbers)
        return self
