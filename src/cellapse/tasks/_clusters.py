"""What a clustering gives: a number per vertex, and what it came from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.pictures import bars
from cellapse.tasks._frames import to_frame


@dataclass(frozen=True, eq=False, repr=False)
class Clusters(Shown):
    """A cluster number for every vertex, and what it came from.

    Attributes
    ----------
    numbers : (n,) array of int
        From 0, in the order in which the vertices meet them: the same in files, JSON, the report
        and the explorer.
    labels : sequence
        What the vertices are called.
    spectrum : Spectrum or None
        The eigenpairs in use.
    mass : str or None
        Which masses were in use: "diagonal", "degree", "given" or None.
    gaps : array or None
        Between the first eigenvalues, where the number of clusters was chosen by the largest.

    Examples
    --------
    >>> Clusters(np.array([0, 0, 1]), ("a", "b", "c"), None).as_dict()
    {'a': 0, 'b': 0, 'c': 1}
    """

    numbers: IntArray
    labels: Sequence[Hashable] = field(repr=False)
    spectrum: Spectrum | None = field(repr=False)
    mass: str | None = None
    gaps: FloatArray | None = field(default=None, repr=False)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.numbers, dtype=dtype)

    def __len__(self) -> int:
        return len(self.numbers)

    def _card(self) -> Card:
        sizes = np.bincount(self.numbers)
        few = ", ".join(f"{n:,}" for n in sizes[:12].tolist()) + (
            ", ..." if len(sizes) > 12 else ""
        )
        rows = [
            ("sizes", few),
            ("first", ", ".join(f"{v!r}: {c}" for v, c in list(self.as_dict().items())[:5])),
            ("mass", "none" if self.mass is None else self.mass),
        ]
        calls = (
            ("clusters.numbers", "is the array, in the order of clusters.labels"),
            ("clusters.plot()", "draws the vertices at their eigenvectors"),
            ("K.plot(clusters)", "draws the complex in their colours"),
        )
        title = f"Clusters: {len(self):,} vertices in {len(sizes)} clusters"
        return Card(title, tuple(rows), lambda: bars(sizes.tolist()), calls)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the vertices at their eigenvectors: see `cellapse.plot.plot_clusters`."""
        from cellapse.plot import plot_clusters

        return plot_clusters(self, ax=ax)

    def as_dict(self) -> dict[Hashable, int]:
        """Cluster number by vertex label."""
        return dict(zip(self.labels, self.numbers.tolist(), strict=True))

    def to_frame(self) -> Any:
        """A pandas DataFrame with the column `cluster`, indexed by label."""
        return to_frame(self.numbers, self.labels, ["cluster"])


def modularity_by(edges: sparse.coo_array, numbers: IntArray) -> float:
    """Newman's modularity of clusters by weighted edges, each once; 0 where there are none."""
    total = edges.data.sum()
    if not total > 0:
        return 0.0
    ends = [numbers[at] for at in (edges.row, edges.col)]
    inside = edges.data[ends[0] == ends[1]].sum() / total
    count = numbers.max() + 1
    degree = sum(np.bincount(at, edges.data, count) for at in ends)
    return float(inside - ((degree / (2 * total)) ** 2).sum())
