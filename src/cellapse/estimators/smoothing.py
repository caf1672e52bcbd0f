"""A regressor that smooths the values of points or vertices."""

from __future__ import annotations

from typing import Any

from sklearn.base import MultiOutputMixin

from cellapse._collapse.realizations import USUAL, Realization
from cellapse._shared.arrays import FloatArray
from cellapse.estimators._graph import Regressor
from cellapse.tasks.smoothing import smooth


class SignalSmoother(MultiOutputMixin, Regressor):
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
        operator: str | Realization = USUAL,
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
        """Return smoothed values: of points fitted their own, of others their neighbours'."""
        return self._recall(X)
