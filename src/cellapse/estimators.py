"""scikit-learn estimators: points (or a precomputed graph) in, a task of cellapse out.

Points become the graph of their nearest neighbours, as in scikit-learn's SpectralClustering; its
cliques become cells, and these are collapsed. `operator` is a name, the same as on the command
line: "renormalized" by default, the best all-rounder measured so far; "laplacian" is the graph
Laplacian without any cells. With `affinity="precomputed"` X is the graph itself: a symmetric
adjacency whose entries are weights.

A new point takes the values of its nearest neighbours among the points fitted, weighted by one over
the distance; a fitted point keeps its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    MultiOutputMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsRegressor, kneighbors_graph
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.names import make_operator, operator_names
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import one_of, own_csr, whole_number
from cellapse.lifts import clique_complex
from cellapse.tasks.clustering import cluster
from cellapse.tasks.embedding import embed
from cellapse.tasks.signatures import heat_kernel_signature, wave_kernel_signature
from cellapse.tasks.smoothing import smooth

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn before 1.6

    def validate_data(estimator: Any, *args: Any, **checks: Any) -> Any:
        """The method that the function of the same name has replaced."""
        return estimator._validate_data(*args, **checks)


class _WrongTypeError(InputError, TypeError):
    """What scikit-learn calls a TypeError, and users of cellapse an InputError."""


class _UnfittedError(InputError, NotFittedError):
    """Both kinds again."""


def _validated(estimator: Any, *args: Any, **checks: Any) -> Any:
    """What scikit-learn's own check gives, or its complaint as an error of ours."""
    try:
        return validate_data(estimator, *args, **checks)
    except TypeError as error:
        raise _WrongTypeError(str(error)) from error
    except (ValueError, OverflowError) as error:
        raise InputError(str(error)) from error


class _OnGraph(BaseEstimator):
    """What all share: from X to an operator on its rows."""

    n_neighbors: int
    affinity: str
    operator: str
    max_rank: int

    def _lift(self, X: Any) -> Operator:
        """Keep the complex of the rows of X, and collapse it."""
        one_of("operator", self.operator, operator_names())
        if self.affinity == "precomputed":
            graph = _adjacency(X)
        else:
            graph = self._neighbours(X)
        self.complex_ = clique_complex(graph, self.max_rank, weight="weight")
        return make_operator(self.complex_, self.operator)

    def _neighbours(self, X: FloatArray) -> sparse.csr_array:
        """The graph of scikit-learn's SpectralClustering: a point counts among its neighbours."""
        k = min(whole_number("n_neighbors", self.n_neighbors, 1), len(X))
        directed = _without_loops(kneighbors_graph(X, k, include_self=True))
        return sparse.csr_array(0.5 * (directed + directed.T))

    def _checked(self, X: Any, *y: Any, **checks: Any) -> Any:
        one_of("affinity", self.affinity, ("nearest_neighbors", "precomputed"))
        formats = ["csr", "csc", "coo"] if self.affinity == "precomputed" else False
        return _validated(
            self, X, *y, accept_sparse=formats, dtype=np.float64, ensure_min_samples=2, **checks
        )

    def _remember(self, X: Any, values: FloatArray) -> None:
        """Keep what new points will take their values from."""
        self._nearest = None
        if self.affinity != "precomputed":
            k = min(self.n_neighbors, len(X))
            self._nearest = KNeighborsRegressor(k, weights="distance").fit(X, values)

    def _recall(self, X: Any) -> FloatArray:
        try:
            check_is_fitted(self)
        except NotFittedError as error:
            raise _UnfittedError(str(error)) from None
        if self._nearest is None:
            raise InputError(
                "a precomputed graph says nothing about new vertices; use fit_transform, or the "
                "attributes of the fitted estimator"
            )
        return self._nearest.predict(_validated(self, X, dtype=np.float64, reset=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.sparse = self.affinity == "precomputed"
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"pairwise": self.affinity == "precomputed"}


class _Features(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _OnGraph):
    """A transformer: one row of features for each row of X, kept as `embedding_`."""

    def _features(self, operator: Operator) -> FloatArray:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Any:
        """Compute the features of the rows of X."""
        X = self._checked(X)
        self.embedding_ = self._features(self._lift(X))
        self._n_features_out = self.embedding_.shape[1]
        self._remember(X, self.embedding_)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> FloatArray:
        """Compute and return the features of the rows of X."""
        return self.fit(X).embedding_

    def transform(self, X: Any) -> FloatArray:
        """The features of points: those fitted keep theirs, others take their neighbours'."""
        return self._recall(X)


class CollapsedSpectralClustering(ClusterMixin, _OnGraph):
    """Spectral clustering with the cells of a complex.

    Parameters
    ----------
    n_clusters : int
    n_neighbors : int
        Of the graph of points; a point counts among its own neighbours, as in scikit-learn.
    affinity : {"nearest_neighbors", "precomputed"}
    operator : str
        A collapse: "renormalized", "screened", "unfolded", "boundary", "incidence" or "mixed"; or
        an operator to compare with: "laplacian" (of the graph), "signless", "multiorder", "motif"
        or "zhou".
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
        operator: str = "renormalized",
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
        found = cluster(self._lift(X), self.n_clusters, assign=self.assign_labels, rng=seed)
        self.labels_ = found.numbers
        return self


class CollapsedSpectralEmbedding(_Features):
    """Laplacian eigenmaps with the cells of a complex.

    Parameters
    ----------
    n_components : int
    n_neighbors, affinity, operator, max_rank
        As for `CollapsedSpectralClustering`.

    Attributes
    ----------
    embedding_ : (n, n_components) array
    complex_ : Complex
    n_features_in_ : int

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> CollapsedSpectralEmbedding(1, n_neighbors=2).fit_transform(X).shape
    (4, 1)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 10,
        affinity: str = "nearest_neighbors",
        operator: str = "renormalized",
        max_rank: int = 2,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.operator = operator
        self.max_rank = max_rank

    def _features(self, operator: Operator) -> FloatArray:
        return embed(operator, self.n_components).coordinates


class HeatKernelSignature(_Features):
    """The heat kernel signature of points or vertices.

    Parameters
    ----------
    times : numbers, optional
        By default 16 from 0.1 to 24, evenly spaced on a logarithmic scale.
    scale : {"raw", "log", "logz"}
    n_neighbors, affinity, operator, max_rank
        As for `CollapsedSpectralClustering`.

    Attributes
    ----------
    embedding_ : (n, number of times) array
    complex_ : Complex
    n_features_in_ : int
    """

    def __init__(
        self,
        times: Any = None,
        *,
        scale: str = "raw",
        n_neighbors: int = 10,
        affinity: str = "nearest_neighbors",
        operator: str = "renormalized",
        max_rank: int = 2,
    ) -> None:
        self.times = times
        self.scale = scale
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.operator = operator
        self.max_rank = max_rank

    def _features(self, operator: Operator) -> FloatArray:
        return heat_kernel_signature(operator, self.times, scale=self.scale).features


class WaveKernelSignature(_Features):
    """The wave kernel signature of points or vertices.

    Parameters
    ----------
    n_energies : int
    scale : {"raw", "log", "logz"}
    n_neighbors, affinity, operator, max_rank
        As for `CollapsedSpectralClustering`.

    Attributes
    ----------
    embedding_ : (n, n_energies) array
    complex_ : Complex
    n_features_in_ : int
    """

    def __init__(
        self,
        n_energies: int = 16,
        *,
        scale: str = "raw",
        n_neighbors: int = 10,
        affinity: str = "nearest_neighbors",
        operator: str = "renormalized",
        max_rank: int = 2,
    ) -> None:
        self.n_energies = n_energies
        self.scale = scale
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.operator = operator
        self.max_rank = max_rank

    def _features(self, operator: Operator) -> FloatArray:
        found = wave_kernel_signature(operator, n_energies=self.n_energies, scale=self.scale)
        return found.features


class SignalSmoother(MultiOutputMixin, RegressorMixin, _OnGraph):
    """A regressor: the values y, smoothed over the graph of the rows of X.

    Parameters
    ----------
    strength : float or "gcv"
        "gcv" chooses it from the data.
    method : {"tikhonov", "heat", "wiener"}
    n_neighbors, affinity, operator, max_rank
        As for `CollapsedSpectralClustering`.

    Attributes
    ----------
    smoothed_ : array
        y after smoothing, for the rows fitted.
    complex_ : Complex
    n_features_in_ : int

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 3.0, 0.0]
    >>> smoother = SignalSmoother(1.0, n_neighbors=3, operator="laplacian").fit(X, y)
    >>> smoother.smoothed_.round(3).tolist()
    [0.75, 1.5, 0.75]
    """

    def __init__(
        self,
        strength: float | str = 1.0,
        *,
        method: str = "tikhonov",
        n_neighbors: int = 10,
        affinity: str = "nearest_neighbors",
        operator: str = "renormalized",
        max_rank: int = 2,
    ) -> None:
        self.strength = strength
        self.method = method
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.operator = operator
        self.max_rank = max_rank

    def fit(self, X: Any, y: Any) -> SignalSmoother:
        """Smooth y over the rows of X."""
        X, y = self._checked(X, y, multi_output=True, y_numeric=True)
        self.smoothed_ = smooth(self._lift(X), y, method=self.method, strength=self.strength)
        self._remember(X, self.smoothed_)
        return self

    def predict(self, X: Any) -> FloatArray:
        """The smoothed values at points: those fitted keep theirs, others take neighbours'."""
        return self._recall(X)


def _without_loops(X: Any) -> sparse.csr_array:
    graph = own_csr(X, "the graph")
    graph.setdiag(0.0)
    graph.eliminate_zeros()
    return graph


def _adjacency(X: Any) -> sparse.csr_array:
    if X.shape[0] != X.shape[1]:
        raise InputError(
            f'affinity="precomputed", but X has shape {X.shape}; give a square adjacency'
        )
    graph = _without_loops(X)
    if (graph.data < 0).any():
        raise InputError("the precomputed graph has negative weights; they must be positive")
    return graph
