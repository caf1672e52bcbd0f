r"""Which edges look like random pairs, and how sure that is.

Random pairs of vertices that are not joined are added to the network as decoys, a few at a time,
and get their cells and their trust as everything else does. With F the share of the edges, and F_d
the share of the decoys, of trust at most t, and p the share of the edges that are random pairs,

    F(t) = p F_d(t) + (1 - p) F_real(t)     so that     p <= min over t of F(t) / F_d(t),

which is taken for p where it is not known: the largest share that the network allows. Among the
edges of trust at most t, the share

    1 - p F_d(t) / F(t)

are no random pairs; the threshold is the largest t for which that is at most `level`. It is an
estimate where p is known, and a lower bound where p is that largest share: an edge that is real but
closes no cell, such as a bridge between groups, cannot be told from a random pair by any cell.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cellapse._collapse.realizations import Screened
from cellapse._complex.complex import Complex, to_complex
from cellapse._errors import InputError, extra
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse._shared.checks import generator, one_of, share
from cellapse.tasks._decoys import Lift, decoy_trust, own_lift
from cellapse.tasks.trust import EdgeTrust, edge_trust

_ENOUGH = 0.2  # of the decoys below a threshold from which the share of random pairs is read off


@dataclass(frozen=True, eq=False)
class Doubt:
    """The edges that look like random pairs, and the evidence.

    Attributes
    ----------
    trust : EdgeTrust
    doubted : (m,) boolean array
        The edges that look like random pairs.
    threshold : float or None
        The largest trust of a doubted edge; None if there is none.
    false_share : float
        The share of all edges that are random pairs: as given, or the largest possible.
    given : bool
        Whether it was given.
    wrong : float
        The share of the doubted edges that are no random pairs: expected if `false_share` was
        given, else at least. Where no edge is doubted, the least that a threshold could have.
    missed : float
        The share of the other edges that are random pairs: expected, else at most.
    separation : float
        The probability that an edge has more trust than a random pair: 0.5 tells nothing.
    decoys : array
        The trust of the random pairs.
    reason : str
        Why nothing can be said, or empty.
    """

    trust: EdgeTrust = field(repr=False)
    doubted: BoolArray = field(repr=False)
    threshold: float | None
    false_share: float
    given: bool
    wrong: float
    missed: float
    separation: float
    decoys: FloatArray = field(repr=False)
    reason: str
    complex: Complex = field(repr=False)

    def __str__(self) -> str:
        if self.reason:
            return f"nothing to go by: {self.reason}"
        most, least = ("", "") if self.given else ("at most ", "at least ")
        below = "" if self.threshold is None else f": trust up to {self.threshold:.4g}"
        wrong = "of those in doubt" if below else "at any threshold, more than the level allows"
        return "\n".join(
            [
                f"{int(self.doubted.sum()):,} of {len(self.trust):,} edges in doubt{below}",
                f"  random pairs   {most}{100 * self.false_share:.0f} % of all edges, "
                f"{most}{100 * self.missed:.0f} % of those not in doubt",
                f"  wrongly so     {least}{100 * self.wrong:.0f} % {wrong}",
                f"  in no cell     {100 * (1 - self.trust.held):.0f} % of all edges",
                f"  evidence       an edge has more trust than a random pair with probability "
                f"{self.separation:.3f} ({len(self.decoys):,} pairs)",
            ]
        )

    def edges(self) -> list[Hashable]:
        """The doubted edges, least trusted first."""
        order = np.argsort(self.trust.values, kind="stable")
        return [self.trust.edges[e] for e in order[self.doubted[order]].tolist()]

    def network(self) -> Complex:
        """The complex without the doubted edges, and without the cells that hold one of them."""
        return without_edges(self.complex, self.doubted)

    def columns(self) -> dict[str, Any]:
        """A row per edge as lists by name: its ends, trust, cells, share of weight, doubted."""
        return {**self.trust.columns(), "doubted": self.doubted}

    def to_frame(self) -> Any:
        """The same as a pandas DataFrame."""
        with extra("pandas", "pandas"):
            import pandas as pd
        return pd.DataFrame(self.columns())


def likely_false(
    K: Complex,
    *,
    level: float = 0.1,
    false_share: float | None = None,
    pairs: str = "degree",
    lift: Lift | None = None,
    rng: int | np.random.Generator = 0,
) -> Doubt:
    """The edges that look like random pairs, by a threshold that the network itself gives.

    Parameters
    ----------
    K : Complex
    level : float
        The share of wrongly doubted edges that is accepted.
    false_share : float, optional
        The share of the edges that are false, where it is known from the way they were measured;
        by default the largest share that the network allows, which counts every edge that looks
        like a random pair.
    pairs : {"degree", "uniform"}
        How random pairs are drawn: both ends in proportion to their degrees, or all alike.
    lift : function, optional
        From a complex of vertices and edges to one with cells, in the same order of edges: what
        cells a random pair closes. By default the cliques, where K is a complex of cliques.
    rng : seed or numpy Generator
        For the random pairs.

    Returns
    -------
    Doubt

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> groups = nx.planted_partition_graph(3, 20, 0.6, 0.0, seed=0)
    >>> groups.add_edges_from([(0, 20), (1, 45), (25, 50), (7, 33)])
    >>> doubt = likely_false(cl.clique_complex(groups))
    >>> {(0, 20), (1, 45), (7, 33), (25, 50)} <= set(doubt.edges())
    True
    >>> int(doubt.network().components().max()) + 1
    3
    """
    K = to_complex(K)
    level = share("level", level)
    known = None if false_share is None else share("false_share", false_share)
    one_of("pairs", pairs, ("degree", "uniform"))
    generate = generator(rng)
    if lift is not None and not callable(lift):
        raise InputError(f"lift={lift!r:.80}; give a function from a complex to a complex")
    trust = edge_trust(K)
    if not trust.held:
        return _silent(K, trust, _no_cells(K))
    decoys = decoy_trust(K, own_lift(K) if lift is None else lift, pairs, generate)
    if not len(decoys):
        return _silent(K, trust, "all pairs of vertices are joined, so there are no random ones")
    above, spread = _separation(trust.values, decoys)
    if above < 0.5 + 2.0 * spread:
        reason = f"an edge has more trust than a random pair with probability {above:.3f} only"
        return _silent(K, trust, reason, decoys, above)
    t, p, wrong, missed = _rates(trust.values, decoys, level, known)
    doubted = np.zeros(len(trust), dtype=bool) if t is None else trust.values <= t
    return Doubt(trust, doubted, t, p, known is not None, wrong, missed, above, decoys, "", K)


def _rates(
    values: FloatArray, decoys: FloatArray, level: float, known: float | None
) -> tuple[float | None, float, float, float]:
    """The threshold, the share of random pairs, of wrong doubts, and of random pairs missed."""
    t = np.unique(values)
    F = np.searchsorted(np.sort(values), t, side="right") / len(values)
    F_d = np.searchsorted(np.sort(decoys), t, side="right") / len(decoys)
    enough = F_d >= min(_ENOUGH, F_d[-1])
    p = min(1.0, float((F / np.maximum(F_d, 1e-300))[enough].min())) if known is None else known
    wrong = np.clip(1.0 - p * F_d / F, 0.0, 1.0)
    fits = np.flatnonzero((wrong <= level) & (F_d > 0))
    if not len(fits):
        return None, p, float(wrong[enough].min()), p
    at = int(fits[-1])
    missed = p * (1.0 - F_d[at]) / (1.0 - F[at]) if F[at] < 1.0 else 0.0
    return float(t[at]), p, float(wrong[at]), min(1.0, float(missed))


def without_edges(K: Complex, dropped: BoolArray) -> Complex:
    """The complex without some edges, and without the cells above that hold one of them."""
    if not dropped.any():
        return K
    kept = [np.arange(K.n_cells[0]), np.flatnonzero(~dropped)]
    for around in Screened().chain(K).upper:
        kept.append(np.flatnonzero(np.asarray(around.T @ dropped.astype(float)).ravel() == 0))
    return replace(
        K,
        cells=tuple(c.take(at) for c, at in zip(K.cells, kept, strict=True)),
        weights=tuple(None if w is None else w[at] for w, at in zip(K.weights, kept, strict=True)),
        attributes=tuple(
            {name: column[at] for name, column in columns.items()}
            for columns, at in zip(K.attributes, kept, strict=True)
        ),
    )


def _silent(
    K: Complex,
    trust: EdgeTrust,
    reason: str,
    decoys: FloatArray | None = None,
    separation: float = 0.5,
) -> Doubt:
    none = np.zeros(len(trust), dtype=bool)
    chance = np.empty(0) if decoys is None else decoys
    return Doubt(trust, none, None, 1.0, False, 0.0, 1.0, separation, chance, reason, K)


def _no_cells(K: Complex) -> str:
    if K.max_rank < 1 or not K.n_cells[1]:
        return "there are no edges"
    remedy = "take cells that there are, such as lifts.cycle_complex(..., max_length=4) finds"
    if K.max_rank < 2:
        remedy = "lift the graph, by clique_complex or lifts.cycle_complex"
    return f"no cell holds any of the {K.n_cells[1]:,} edges; {remedy}"


def _separation(values: FloatArray, decoys: FloatArray) -> tuple[float, float]:
    """P(edge above decoy), ties by halves, and its standard error if they were alike."""
    order = np.sort(decoys)
    below = np.searchsorted(order, values, side="left")
    upto = np.searchsorted(order, values, side="right")
    m, d = len(values), len(decoys)
    above = float((below + upto).mean() / (2.0 * d))
    return above, float(np.sqrt((m + d + 1.0) / (12.0 * m * d)))
