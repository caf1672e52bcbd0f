r"""Clusters of vertices by the normalized cut.

The first eigenvectors of S u = lambda D u embed the vertices; k-means groups the rows, scaled to
unit length.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cellapse._checks import whole_number
from cellapse._errors import InputError
from cellapse.operator import Operator
from cellapse.spectrum import Spectrum


@dataclass(frozen=True, eq=False)
class Clusters:
    """A cluster number for every vertex, and the spectrum it came from.

    >>> Clusters(np.array([0, 0, 1]), ("a", "b", "c"), None).as_dict()
    {'a': 0, 'b': 0, 'c': 1}
    """

    numbers: NDArray[np.int64]
    labels: Sequence[Hashable] = field(repr=False)
    spectrum: Spectrum | None = field(repr=False)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.numbers, dtype=dtype)

    def __len__(self) -> int:
        return len(self.numbers)

    def as_dict(self) -> dict[Hashable, int]:
        """Cluster number by vertex label."""
        return dict(zip(self.labels, self.numbers.tolist(), strict=True))


def cluster(
    operator: Operator,
    n_clusters: int,
    *,
    mass: str | ArrayLike | None = "diagonal",
    n_vectors: int | None = None,
    rng: int | np.random.Generator = 0,
) -> Clusters:
    """Group the vertices by the normalized cut of an operator.

    Parameters
    ----------
    operator : Operator
        Collapsed or baseline.
    n_clusters : int
    mass : "diagonal", "degree", n numbers or None
        D of the generalized eigenproblem.
    n_vectors : int, optional
        Eigenvectors used, `n_clusters` by default; 1 is the Fiedler vector alone, as in the paper.
    rng : seed or numpy Generator
        For the starts of k-means.

    Returns
    -------
    Clusters

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.barbell_graph(4, 0))
    >>> cluster(cl.collapse(K, realization="screened"), 2).numbers.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    from sklearn.cluster import KMeans  # slow to import, and not needed by the operators

    n = operator.shape[0]
    whole_number("n_clusters", n_clusters, 1, n)
    if n_vectors is not None:
        whole_number("n_vectors", n_vectors, 1, n - 1)
    D = operator._mass(mass)
    if n_vectors is None:
        spectrum = operator.spectrum(int(n_clusters), D)
        rows = spectrum.vectors
        if D is not None:
            rows = np.sqrt(D)[:, None] * rows
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = rows / np.where(length > 0, length, 1.0)
    else:
        spectrum = operator.spectrum(n_vectors + 1, D)
        rows = (
            spectrum.vectors[:, 1:] if D is None else np.sqrt(D)[:, None] * spectrum.vectors[:, 1:]
        )
    seed = int(np.random.default_rng(rng).integers(2**31))
    numbers = KMeans(int(n_clusters), n_init=10, random_state=seed).fit_predict(rows)
    _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    # Numbered in the order in which the vertices meet them, whatever k-means called them.
    order = np.argsort(np.argsort(first))
    return Clusters(order[inverse].astype(np.int64), operator.labels, spectrum)


def suggest_n_clusters(
    operator: Operator, max_clusters: int = 20, mass: str | ArrayLike | None = "diagonal"
) -> int:
    """The number of clusters before the largest gap of the first eigenvalues.

    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.connected_caveman_graph(4, 6))
    >>> suggest_n_clusters(cl.collapse(K, realization="screened"))
    4
    """
    n = operator.shape[0]
    values = operator.spectrum(min(max_clusters + 1, n), mass).values
    return 1 if n < 3 else 2 + int(np.argmax(np.diff(values[1:])))


def clustering_accuracy(found: ArrayLike, known: ArrayLike) -> float:
    """Share of vertices in the right group, after the best matching of clusters to groups.

    >>> clustering_accuracy([1, 1, 0], ["a", "a", "a"])
    0.6666666666666666
    """
    from scipy.optimize import linear_sum_assignment

    _, i = np.unique(np.asarray(found), return_inverse=True)
    _, j = np.unique(np.asarray(known), return_inverse=True)
    if len(i) != len(j) or not len(i):
        raise InputError(f"{len(i)} clusters numbers for {len(j)} groups; give one each per vertex")
    table = np.zeros((i.max() + 1, j.max() + 1), dtype=np.int64)
    np.add.at(table, (i, j), 1)
    rows, columns = linear_sum_assignment(-table)
    return float(table[rows, columns].sum() / len(i))
