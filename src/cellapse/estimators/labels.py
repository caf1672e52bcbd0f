"""A classifier for points or vertices of which few have labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from cellapse._collapse.realizations import USUAL, Realization
from cellapse._errors import InputError
from cellapse._shared.align import align_one_each, is_missing
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import plain_array
from cellapse.estimators._graph import OnGraph, require_same_rows
from cellapse.tasks.labels import spread_labels


class CollapsedLabelSpreading(ClassifierMixin, OnGraph):
    """Labels of a few rows, spread to the others over the cells of a complex.

    Takes the place of scikit-learn's `LabelSpreading`: -1 stands for a label that is not known (or
    None, among words). A given label is kept. `score` leaves out the rows whose label is -1, so
    that a grid search over few labels counts these alone.

    Parameters
    ----------
    method : {"poisson", "harmonic", "regularized"}
        As for `spread_labels`.
    strength : float or "auto"
        Of "regularized": "auto" chooses it by leaving out the known labels one by one.
    n_neighbors, affinity, operator, max_rank
        As for `CollapsedSpectralClustering`.

    Attributes
    ----------
    classes_ : array
    label_distributions_ : (n, number of classes) array
    transduction_ : array
        The class of every row fitted.
    strength_ : float or None
    complex_ : Complex
    n_features_in_ : int

    Examples
    --------
    >>> X, y = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]], [0, -1, -1, -1, -1, 1]
    >>> CollapsedLabelSpreading(n_neighbors=3).fit(X, y).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    def __init__(
        self,
        method: str = "poisson",
        *,
        strength: float | str = "auto",
        n_neighbors: int = 10,
        affinity: str = "nearest_neighbors",
        operator: str | Realization = USUAL,
        max_rank: int = 2,
    ) -> None:
        self.method = method
        self.strength = strength
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.operator = operator
        self.max_rank = max_rank

    def fit(self, X: Any, y: Any) -> CollapsedLabelSpreading:
        """Spread the labels y over the rows of X."""
        X, y = self._checked(X, y)
        known = [v for v in y.tolist() if not is_missing(v) and v != -1]
        try:
            check_classification_targets(np.array(known) if known else y)
        except (ValueError, TypeError) as error:
            raise InputError(
                f"y is no list of classes ({error}); -1 is for unknown ones"
            ) from error
        spread = spread_labels(self._lift(X), y, method=self.method, strength=self.strength)
        self.classes_ = np.array(spread.classes, dtype=None if y.dtype.kind == "O" else y.dtype)
        self.label_distributions_ = spread.probabilities
        self.strength_ = spread.strength
        self.transduction_ = self.classes_[spread.numbers]
        self._remember(X, spread.probabilities)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return probabilities of the classes: rows fitted keep theirs, others take neighbours'."""
        return self._recall(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable classes."""
        probabilities = self._recall(X)
        return self.classes_[np.argmax(probabilities, axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of right classes among the rows whose label is known (not -1)."""
        require_same_rows(X, y, sample_weight)
        given = plain_array(y, "y")
        if given.ndim != 1:
            raise InputError(f"y of shape {given.shape}; give one label for each row")
        lost = [i for i, v in enumerate(given.tolist()) if v is not None and is_missing(v)]
        if lost:
            raise InputError(f"y of row {lost[0]} is missing; write -1 for a label not known")
        predicted = self.predict(X)
        if len(predicted) != len(given):
            raise InputError(f"{len(given)} labels for {len(predicted)} rows; give one per row")
        known = np.array([v is not None and v != -1 for v in given.tolist()], dtype=bool)
        if not known.any():
            raise InputError(
                "all labels are -1, which is for unknown ones, so that there is nothing to score; "
                "give rows of which some have labels"
            )
        each = np.ones(len(given))
        if sample_weight is not None:
            each = align_one_each(np.asarray(sample_weight), range(len(given)), "sample_weight")
        if not (each >= 0).all() or not each[known].any():
            raise InputError("sample_weight is negative or all zero; give positive numbers")
        right = np.array([a == b for a, b in zip(predicted, given, strict=True)])
        return float(np.average(right[known], weights=each[known]))
