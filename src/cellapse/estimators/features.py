"""Transformers: an embedding and signatures of points or vertices."""

from __future__ import annotations

from typing import Any

from cellapse._collapse.realizations import USUAL, Realization
from cellapse._linalg.operators import Operator
from cellapse._shared.arrays import FloatArray
from cellapse.estimators._graph import Features
from cellapse.tasks.embedding import embed
from cellapse.tasks.signatures import heat_kernel_signature, wave_kernel_signature


class CollapsedSpectralEmbedding(Features):
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
        operator: str | Realization = USUAL,
        max_rank: int = 2,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.operator = operator
        self.max_rank = max_rank

    def _features(self, operator: Operator) -> FloatArray:
        return embed(operator, self.n_components).coordinates


class HeatKernelSignature(Features):
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

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> import cellapse as cl
    >>> points, _ = make_moons(60, random_state=0)
    >>> cl.HeatKernelSignature().fit_transform(points).shape
    (60, 16)
    """

    def __init__(
        self,
        times: Any = None,
        *,
        scale: str = "raw",
        n_neighbors: int = 10,
        affinity: str = "nearest_neighbors",
        operator: str | Realization = USUAL,
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


class WaveKernelSignature(Features):
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

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> import cellapse as cl
    >>> points, _ = make_moons(60, random_state=0)
    >>> cl.WaveKernelSignature(n_energies=8).fit_transform(points).shape
    (60, 8)
    """

    def __init__(
        self,
        n_energies: int = 16,
        *,
        scale: str = "raw",
        n_neighbors: int = 10,
        affinity: str = "nearest_neighbors",
        operator: str | Realization = USUAL,
        max_rank: int = 2,
    ) -> None:
        self.n_energies = n_energies
        self.scale = scale
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.operator = operator
        self.max_rank = max_rank

    def _features(self, operator: Operator) -> FloatArray:
        signature = wave_kernel_signature(operator, n_energies=self.n_energies, scale=self.scale)
        return signature.features
