"""A Gaussian process on the graph of the rows, with standard deviations."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._collapse.realizations import USUAL, Realization
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import plain_array, real_array
from cellapse.estimators._graph import Regressor, require_same_rows
from cellapse.tasks.gaussian_process import gaussian_process


class CollapsedGPRegressor(Regressor):
    """Gaussian process regression over the cells of a complex of the rows.

    NaN in y stands for a value that is not known: such rows are in the graph, and get a value.

    Parameters
    ----------
    kernel : {"matern", "diffusion"}
    nu, length, noise, n_eigenpairs
        As for `gaussian_process`: by default length and noise maximize the marginal likelihood.
    n_neighbors, affinity, operator, max_rank
        As for `CollapsedSpectralClustering`.

    Attributes
    ----------
    process_ : GaussianProcess
        Mean and deviation of the rows fitted, and the hyperparameters.
    log_marginal_likelihood_value_ : float
    complex_ : Complex
    n_features_in_ : int

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]]
    >>> y = [0.0, 1.0, 2.0, 3.0, float("nan"), 5.0, 6.0, 7.0]
    >>> model = CollapsedGPRegressor(n_neighbors=3).fit(X, y)
    >>> bool(abs(model.predict([[4.0]])[0] - 4.0) < 0.5)
    True
    """

    def __init__(
        self,
        kernel: str = "matern",
        *,
        nu: float = 1.5,
        length: float | None = None,
        noise: float | None = None,
        n_eigenpairs: int | None = None,
        n_neighbors: int = 10,
        affinity: str = "nearest_neighbors",
        operator: str | Realization = USUAL,
        max_rank: int = 2,
    ) -> None:
        self.kernel = kernel
        self.nu = nu
        self.length = length
        self.noise = noise
        self.n_eigenpairs = n_eigenpairs
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.operator = operator
        self.max_rank = max_rank

    def fit(self, X: Any, y: Any) -> CollapsedGPRegressor:
        """Fit the hyperparameters to the known values of y."""
        require_same_rows(X, y)
        filled, unknown = _without_gaps(y)
        X, values = self._checked(X, filled, y_numeric=True)
        values = real_array(values, "y")
        if unknown is not None:
            values = np.where(unknown, np.nan, values)
        self.process_ = gaussian_process(
            self._lift(X),
            values,
            kernel=self.kernel,
            nu=self.nu,
            length=self.length,
            noise=self.noise,
            n_eigenpairs=self.n_eigenpairs,
        )
        self.log_marginal_likelihood_value_ = self.process_.log_likelihood
        self._remember(X, np.column_stack([self.process_.mean, self.process_.deviation]))
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the mean at points, and its deviation where asked.

        Points fitted keep their own, others take those of their neighbours.
        """
        found: FloatArray = self._recall(X)
        return (found[:, 0], found[:, 1]) if return_std else found[:, 0]


def _without_gaps(y: Any) -> tuple[Any, Any]:
    """Return the values with zeros where they are not known, and where that is."""
    if y is None:
        return y, None
    array = plain_array(y, "y")
    if array.ndim != 1 or array.dtype.kind != "f":
        return y, None
    unknown = np.isnan(array)
    if not unknown.any():
        return y, None
    if unknown.all():
        raise InputError("all of y is NaN, which is for unknown values; give some that are known")
    return np.where(unknown, 0.0, array), unknown
