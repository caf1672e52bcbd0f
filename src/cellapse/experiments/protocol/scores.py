"""How good a clustering is, and whether two methods differ: figures with their spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from cellapse.tasks.clustering import clustering_accuracy


def scores(clusters: ArrayLike, known: ArrayLike) -> dict[str, float]:
    """Return accuracy, balanced accuracy, adjusted Rand index and normalized mutual information.

    Clusters are matched to groups one to one, as well as possible; balanced accuracy is the mean
    share of each group that is found, so large groups do not outweigh small ones.

    >>> scores([0, 0, 0, 1], [0, 0, 0, 0])["accuracy"]
    0.75
    """
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    a, b = np.asarray(clusters), np.asarray(known)
    return {
        "accuracy": clustering_accuracy(a, b),
        "balanced": _balanced(a, b),
        "ari": float(adjusted_rand_score(b, a)),
        "nmi": float(normalized_mutual_info_score(b, a)),
    }


def _balanced(clusters: np.ndarray, known: np.ndarray) -> float:
    from scipy.optimize import linear_sum_assignment

    _, i = np.unique(clusters, return_inverse=True)
    _, j = np.unique(known, return_inverse=True)
    size = max(i.max(), j.max()) + 1
    together = np.zeros((size, size))
    np.add.at(together, (i, j), 1.0)
    share = together / np.maximum(together.sum(axis=0), 1.0)
    return float(share[linear_sum_assignment(-share)].sum() / (j.max() + 1))


@dataclass(frozen=True)
class Figure:
    """A mean over repetitions and their standard deviation; prints as `.812 +- .010`."""

    mean: float
    spread: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Figure:
        spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        return cls(float(np.mean(values)), spread, len(values))

    def __str__(self) -> str:
        if self.count == 1:
            return f"{self.mean:.3f}"
        return f"{self.mean:.3f} ± {self.spread:.3f}"


@dataclass(frozen=True)
class Comparison:
    """How much larger the first of two paired lists is, with the p-value of a signed-rank test."""

    difference: float
    p_value: float
    count: int

    @property
    def differs(self) -> bool:
        return self.p_value < 0.05

    def sentence(self, first: str, second: str, *, higher_is_better: bool = True) -> str:
        """In words, which of the two is better."""
        if not self.differs:
            return f"{first} and {second} do not differ significantly ({self._evidence})"
        if abs(self.difference) < 0.0005:
            return f"{first} and {second} differ by less than .0005"
        better = (self.difference > 0) == higher_is_better
        word = "better" if better else "worse"
        return f"{first} is {word} than {second} ({self._evidence})"

    @property
    def _evidence(self) -> str:
        p = "p < .001" if self.p_value < 0.001 else f"p = {self.p_value:.2g}"
        return f"{self.difference:+.3f}, {p}, n = {self.count}"


def compare(first: Sequence[float], second: Sequence[float]) -> Comparison:
    """Compare two methods on the same repetitions, by Wilcoxon's signed-rank test.

    >>> compare([0.9, 0.8, 0.7], [0.9, 0.8, 0.7]).sentence("S", "L")
    'S and L do not differ significantly (+0.000, p = 1, n = 3)'
    """
    from scipy.stats import wilcoxon

    delta = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    p = float(wilcoxon(delta).pvalue) if (abs(delta) > 1e-12).any() and len(delta) > 1 else 1.0
    return Comparison(float(delta.mean()), p, len(delta))
