"""What all estimators share: from points or an adjacency to an operator on the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.exceptions import NotFittedError
from sklearn.metrics import r2_score
from sklearn.neighbors import KNeighborsRegressor, kneighbors_graph
from sklearn.utils.validation import check_is_fitted

from cellapse._collapse.realizations import Realization
from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.names import check_operator, make_operator
from cellapse._shared.align import align_one_each
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import (
    one_of,
    own_csr,
    plain_array,
    real_array,
    unmasked,
    usual_coordinates,
    whole_number,
)
from cellapse.lifts import clique_complex

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn before 1.6

    def validate_data(estimator: Any, *args: Any, **checks: Any) -> Any:
        """Return the method that the function of the same name has replaced."""
        return estimator._validate_data(*args, **checks)


class _WrongTypeError(InputError, TypeError):
    """What scikit-learn calls a TypeError, and users of cellapse an InputError."""


class _UnfittedError(InputError, NotFittedError):
    """Both kinds again."""


def validated(estimator: Any, *args: Any, **checks: Any) -> Any:
    """Return what scikit-learn's own check gives, or its complaint as an error of ours."""
    try:
        return validate_data(estimator, *args, **checks)
    except TypeError as error:
        raise _WrongTypeError(str(error)) from error
    except (ValueError, OverflowError) as error:
        raise InputError(str(error)) from error


class OnGraph(BaseEstimator):
    """What all share: from X to an operator on its rows."""

    n_neighbors: int
    affinity: str
    operator: str | Realization
    max_rank: int

    def _lift(self, X: Any) -> Operator:
        """Keep the complex of the rows of X, and collapse it."""
        check_operator(self.operator)
        if self.affinity == "precomputed":
            graph = _adjacency(X)
        else:
            graph = self._neighbours(X)
        self.complex_ = clique_complex(graph, self.max_rank)
        return make_operator(self.complex_, self.operator)

    def _neighbours(self, X: FloatArray) -> sparse.csr_array:
        """The graph of scikit-learn's SpectralClustering: a point counts among its neighbours."""
        k = min(whole_number("n_neighbors", self.n_neighbors, 1), len(X))
        usual_coordinates(X, "X")
        directed = _without_loops(kneighbors_graph(X, k, include_self=True))
        return sparse.csr_array(0.5 * (directed + directed.T))

    def _checked(self, X: Any, *y: Any, **checks: Any) -> Any:
        one_of("affinity", self.affinity, ("nearest_neighbors", "precomputed"))
        require_same_rows(X, *y)
        if self.affinity == "precomputed" and hasattr(X, "columns"):
            _require_same_ends(X)
        for name, given in zip("Xy", (X, *y), strict=False):
            _require_no_dates(unmasked(given, name), name)
        formats = ["csr", "csc", "coo"] if self.affinity == "precomputed" else False
        return validated(
            self, X, *y, accept_sparse=formats, dtype=np.float64, ensure_min_samples=2, **checks
        )

    def _remember(self, X: Any, values: FloatArray) -> None:
        """Keep what new points will take their values from."""
        self._nearest, self._fitted = None, (X, values)
        if self.affinity != "precomputed":
            k = min(self.n_neighbors, len(X))
            self._nearest = KNeighborsRegressor(k, weights="distance").fit(X, values)

    def _recall(self, X: Any) -> FloatArray:
        try:
            check_is_fitted(self)
        except NotFittedError as error:
            raise _UnfittedError(str(error)) from None
        if self._nearest is not None:
            points = validated(self, X, dtype=np.float64, reset=False)
            return self._nearest.predict(usual_coordinates(points, "X"))
        formats = ["csr", "csc", "coo"]
        return self._of_rows(
            validated(self, X, accept_sparse=formats, dtype=np.float64, reset=False)
        )

    def _of_rows(self, X: Any) -> FloatArray:
        """Return values by rows of an adjacency, those fitted or means of neighbours."""
        graph, values = self._fitted
        rows, known = sparse.csr_array(X), sparse.csr_array(graph)
        if rows.shape == known.shape and not (rows != known).nnz:
            return values
        if (rows.data < 0).any():
            raise InputError(
                "the rows of the adjacency have negative weights; leave out what should not count"
            )
        total = np.asarray(rows.sum(axis=1)).ravel()
        lonely = total == 0.0
        mean = (rows @ values).T / np.where(lonely, 1.0, total)
        return np.where(lonely, values.mean(axis=0)[..., None], mean).T

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.sparse = self.affinity == "precomputed"
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"pairwise": self.affinity == "precomputed"}


class Features(ClassNamePrefixFeaturesOutMixin, TransformerMixin, OnGraph):
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
        """Return features of points: of those fitted their own, of others their neighbours'."""
        return self._recall(X)


class Regressor(RegressorMixin, OnGraph):
    """Predicts numbers, and is scored where they are known."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R^2 among the rows whose value is known (not NaN)."""
        require_same_rows(X, y, sample_weight)
        given, predicted = real_array(y, "y"), np.asarray(self.predict(X))
        if (
            given.ndim == 0
            or given.reshape(len(given), -1).shape != predicted.reshape(len(predicted), -1).shape
        ):
            raise InputError(
                f"y of shape {given.shape} for predictions of shape {predicted.shape}; give what "
                "is to be predicted, for each row"
            )
        known = ~np.isnan(given).reshape(len(given), -1).any(axis=1)
        if known.sum() < 2:
            raise InputError(f"y has {known.sum()} known values; give two of them or more")
        each = None
        if sample_weight is not None:
            each = align_one_each(np.asarray(sample_weight), range(len(given)), "sample_weight")
            each = each[known]
        return float(r2_score(given[known], predicted[known], sample_weight=each))


def require_same_rows(X: Any, *y: Any) -> None:
    """Refuse values that have another index than the points: rows are taken by position here."""
    index: Any = getattr(X, "index", None)
    for given in y:
        other = getattr(given, "index", None)
        if hasattr(index, "equals") and hasattr(other, "equals") and not index.equals(other):
            raise InputError(
                "the index of y (or of its weights) is not that of X in its order, and estimators "
                "take rows by position; give y.loc[X.index], or y.to_numpy() where the rows belong "
                "together"
            )


def _require_same_ends(X: Any) -> None:
    """Refuse an adjacency whose columns are its rows in another order."""
    if not X.index.equals(X.columns) and set(X.index) == set(X.columns):
        raise InputError(
            "the columns of the adjacency stand in another order than its rows; give X[X.index]"
        )


def _require_no_dates(values: Any, name: str) -> None:
    """Refuse dates and times, which scikit-learn would turn into numbers of nanoseconds."""
    if sparse.issparse(values) or values is None:
        return
    frame = hasattr(values, "columns")
    several = list(values.dtypes) if frame else [plain_array(values, name).dtype]
    held = [kind for kind in several if getattr(kind, "kind", "") in ("m", "M")]
    if held:
        raise InputError(
            f"{name} holds dates or times ({held[0]}); give numbers, such as days since the first"
        )


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
        raise InputError(
            f"the precomputed graph has the weight {graph.data.min():g}, and weights are positive; "
            "leave out what should not count"
        )
    # A graph of neighbours has directions, and scikit-learn's SpectralEmbedding takes this mean.
    return sparse.csr_array(0.5 * (graph + graph.T))
