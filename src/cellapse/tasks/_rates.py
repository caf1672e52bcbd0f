"""What decoys say of edges, by threshold: shares of random pairs missed, caught, and doubted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cellapse._shared.arrays import FloatArray

_MIDDLE = 0.5  # of the decoys: where the largest possible share of random pairs is read off


class Rates(NamedTuple):
    """By threshold, from none at all to the one below the most trusted edges."""

    t: FloatArray
    missed: FloatArray
    caught: FloatArray
    wrong: FloatArray
    p: float

    def place(self, level: float) -> int | None:
        """Where `missed` is at most the level, and up to where nearly all may be random pairs."""
        kept = np.flatnonzero(self.missed <= level)
        if not len(kept):
            return None
        free = np.flatnonzero((self.wrong <= level) & (self.missed <= level))
        last = free[-1] if len(free) else 0  # equivalent: then kept[0] is above any of these
        return int(max(kept[0], last))


def rates_of(values: FloatArray, decoys: FloatArray, known: float | None) -> Rates:
    t = np.concatenate([[-np.inf], np.unique(values)[:-1]])
    F = np.searchsorted(np.sort(values), t, side="right") / len(values)
    order = np.sort(decoys)
    F_d = np.searchsorted(order, t, side="right") / len(decoys)
    # One more decoy above the threshold than were drawn, and a standard error: the threshold is
    # the first that promises enough, and few draws would promise it by luck.
    above = len(decoys) * (1.0 - F_d) + 1.0
    left = np.minimum(1.0, (above + np.sqrt(above)) / (1 + len(decoys)))
    middle = order[int(np.ceil(_MIDDLE * len(order))) - 1]
    share = float((values <= middle).mean() / (decoys <= middle).mean())
    p = min(1.0, share) if known is None else known
    wrong = np.where(F > 0, np.clip(1.0 - p * F_d / np.maximum(F, 1e-300), 0.0, 1.0), 0.0)
    return Rates(t, np.minimum(1.0, p * left / (1.0 - F)), F_d, wrong, p)


def separation(values: FloatArray, decoys: FloatArray) -> tuple[float, float]:
    """P(edge above decoy), ties by halves, and its standard error if they were alike."""
    order = np.sort(decoys)
    below = np.searchsorted(order, values, side="left")
    upto = np.searchsorted(order, values, side="right")
    m, d = len(values), len(decoys)
    above = float((below + upto).mean() / (2.0 * d))
    return above, float(np.sqrt((m + d + 1.0) / (12.0 * m * d)))
