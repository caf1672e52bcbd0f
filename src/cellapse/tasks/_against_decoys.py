"""Scores of edges beside those of random pairs: densities, bounds, distinguishable edges.

The formulas and their reasons are in `false_edges`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse.tasks._learned_edges import Draw

_FEW_NEAR = 50  # pairs with a common neighbour that stand for all that are near


@dataclass(frozen=True, eq=False)
class Comparison:
    """The scores of edges beside those of random pairs of one kind.

    Attributes
    ----------
    kind : str
    edges : (r, m) array
        In every draw of random pairs.
    decoys : (d,) array
        Of all draws.
    """

    kind: str
    edges: FloatArray = field(repr=False)
    decoys: FloatArray = field(repr=False)

    @property
    def ratio(self) -> FloatArray:
        """The densities' f_d / f at every edge, the mean over the draws."""
        ratio = density_ratio(self.edges.ravel(), self.decoys)
        mean: FloatArray = ratio.reshape(self.edges.shape).mean(axis=0)
        return mean

    @property
    def separation(self) -> tuple[float, float]:
        """P(edge above decoy), and its standard error in one draw: draws have the same edges."""
        above = separation(self.edges.ravel(), self.decoys)[0]
        one = separation(self.edges[0], self.decoys[:: len(self.edges)])[1]
        return above, one

    def distinguishable(self, p: float, level: float) -> BoolArray:
        """Return which edges are distinguishable from random pairs in most draws."""
        apart = distinguishable(self.edges.ravel(), self.decoys, p, level)
        most: BoolArray = apart.reshape(self.edges.shape).mean(axis=0) > 0.5
        return most


def learned_comparisons(K: Complex, draws: Sequence[Draw]) -> list[Comparison]:
    """The scores of edges and of decoys of each kind; of those near, with a common neighbour.

    Pairs at distance three are farther than many a false edge that is near: what is promised by
    them does not hold.
    """
    n, edges = K.n_vertices, K.cells[1].as_array(2)
    ends = np.concatenate([edges, edges[:, ::-1]]).T
    A = sparse.csr_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(n, n))
    found = []
    for kind in dict.fromkeys(draw.kind for draw in draws):
        own = [draw for draw in draws if draw.kind == kind]
        values = np.concatenate([draw.decoys for draw in own])
        if kind == "near":
            i, j = np.concatenate([draw.pairs for draw in own]).T
            common = np.asarray(A[i].multiply(A[j]).sum(axis=1)).ravel() > 0
            values = values[common] if common.sum() >= _FEW_NEAR else values
        found.append(Comparison(kind, np.array([draw.edges for draw in own]), values))
    return found


def density_ratio(values: FloatArray, decoys: FloatArray) -> FloatArray:
    """Return f_d / f at the trust of every edge, never growing with it.

    Isotonic regression of "is a decoy" on trust, where decoys weigh as much as edges in all.
    """
    from scipy.optimize import isotonic_regression

    t, at = np.unique(np.concatenate([values, decoys]), return_inverse=True)
    m, d = len(values), len(decoys)
    edges = np.bincount(at[:m], minlength=len(t))
    chance = np.bincount(at[m:], minlength=len(t)) * (m / d)
    both = edges + chance
    decoy = isotonic_regression(chance / both, weights=both, increasing=False).x[at[:m]]
    ratio: FloatArray = decoy / (1.0 - decoy)
    return ratio


def largest_share(values: FloatArray, decoys: FloatArray) -> float:
    """Return F / F_d at the median of the decoys: no larger share of random pairs is possible."""
    middle = np.sort(decoys)[(len(decoys) - 1) // 2]
    return float(min(1.0, (values <= middle).mean() / (decoys <= middle).mean()))


def distinguishable(values: FloatArray, decoys: FloatArray, p: float, level: float) -> BoolArray:
    """Tell which edges have more trust than the first t with p (1 - F_d) / (1 - F) <= level.

    One more decoy is counted above t than were drawn, and a standard error: the first t that
    promises enough, of many, would otherwise promise it by luck.
    """
    t = np.concatenate([[-np.inf], np.unique(values)[:-1]])
    F = np.searchsorted(np.sort(values), t, side="right") / len(values)
    above = len(decoys) - np.searchsorted(np.sort(decoys), t, side="right") + 1.0
    left = np.minimum(1.0, (above + np.sqrt(above)) / (1 + len(decoys)))
    enough = np.flatnonzero(p * left / (1.0 - F) <= level)
    return values > t[enough[0]] if len(enough) else np.zeros(len(values), dtype=bool)


def separation(values: FloatArray, decoys: FloatArray) -> tuple[float, float]:
    """P(edge above decoy), ties by halves, and its standard error if they were alike."""
    order = np.sort(decoys)
    below = np.searchsorted(order, values, side="left")
    upto = np.searchsorted(order, values, side="right")
    m, d = len(values), len(decoys)
    above = float((below + upto).mean() / (2.0 * d))
    return above, float(np.sqrt((m + d + 1.0) / (12.0 * m * d)))
