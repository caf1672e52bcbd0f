r"""Which edges look like random pairs, and what can be promised about the others.

Random pairs of vertices that are not joined are added to the network as decoys, a few at a time,
and get their cells and their trust as everything else does. With F the share of the edges, and F_d
the share of the decoys, of trust at most t, and p the share of the edges that are random pairs,

    F(t) = p F_d(t) + (1 - p) F_real(t)     so that     p <= F(t) / F_d(t).

Where p is not known, that bound at the median of the decoys takes its place. Among the edges of
more trust than t,

    missed(t) = p (1 - F_d(t)) / (1 - F(t))

are random pairs, at most where p is the bound. The threshold is so high that this is at most
`level`: **of the edges that are kept, at most that share are random pairs**. This is the false
discovery rate of the statement "this edge is no random pair", and it can be promised whatever the
network is like. How many of the edges in doubt are false cannot: an edge that is real but closes no
cell, such as a bridge between groups, looks like a random pair to every method that goes by cells.
The share 1 - p F_d(t) / F(t) of them are no random pairs, where p is known; otherwise that many at
least. And the threshold is at least so high that all but `level` of the edges in doubt may be
random pairs.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import InputError, extra
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse._shared.checks import generator, one_of, share
from cellapse.tasks._decoys import Lift, decoy_trust, own_lift
from cellapse.tasks._rates import rates_of, separation
from cellapse.tasks._thinning import without_edges
from cellapse.tasks.trust import EdgeTrust, edge_trust


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
    level : float
        The share of random pairs that was accepted among the edges that are kept.
    missed : float
        That share as it is expected, or at most where `false_share` was not given.
    caught : float
        The share of all random pairs that is in doubt.
    false_share : float
        The share of all edges that are random pairs: as given, or the largest possible.
    wrong : float
        The share of the doubted edges that are no random pairs as it is expected, or at least where
        `false_share` was not given: it can be anything above.
    given : bool
        Whether the share of false edges was given.
    separation : float
        The probability that an edge has more trust than a random pair: 0.5 tells nothing.
    decoys : array
        The trust of the random pairs.
    reason : str
        Why nothing can be said, or empty.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> doubt = cl.tasks.likely_false(cl.clique_complex(nx.path_graph(9)))
    >>> str(doubt)[:16]
    'nothing to go by'
    """

    trust: EdgeTrust = field(repr=False)
    doubted: BoolArray = field(repr=False)
    threshold: float | None
    level: float
    missed: float
    caught: float
    false_share: float
    wrong: float
    given: bool
    separation: float
    decoys: FloatArray = field(repr=False)
    reason: str
    complex: Complex = field(repr=False)

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """What was found, a line each."""
        if self.reason:
            return [f"nothing to go by: {self.reason}"]
        most, least = ("", "") if self.given else ("at most ", "at least ")
        below = "" if self.threshold is None else f": trust up to {self.threshold:.4g}"
        wrong = f"{least}{100 * self.wrong:.0f} % of these edges are real"
        if self.threshold is None:
            wrong = "no edge needs to be doubted at this level"
        return [
            f"{int(self.doubted.sum()):,} of {len(self.trust):,} edges in doubt{below}",
            f"  the others     {most}{100 * self.missed:.0f} % are random pairs",
            f"  in doubt       {100 * self.caught:.0f} % of all random pairs; {wrong}",
            f"  random pairs   {most}{100 * self.false_share:.0f} % of all edges",
            f"  in no cell     {100 * (1 - self.trust.held):.0f} % of all edges",
            f"  evidence       an edge has more trust than a random pair with probability "
            f"{self.separation:.3f} ({len(self.decoys):,} pairs)",
        ]

    def knowing(self, false_share: float) -> Doubt:
        """The same at the same level where the share of false edges is known."""
        known = share("false_share", false_share)
        if not len(self.decoys):
            return self
        return _decide(self.complex, self.trust, self.decoys, self.separation, self.level, known)

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
    source: Any,
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
    source : Complex, or whatever `collapse` takes
    level : float
        The share of random pairs that is accepted among the edges that are kept.
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
    K = to_complex(source)
    level = share("level", level)
    known = None if false_share is None else share("false_share", false_share)
    one_of("pairs", pairs, ("degree", "uniform"))
    generate = generator(rng)
    if lift is not None and not callable(lift):
        raise InputError(f"lift={lift!r:.80}; give a function from a complex to a complex")
    trust = edge_trust(K)
    if not trust.held:
        return _silent(K, trust, level, _no_cells(K))
    decoys = decoy_trust(K, own_lift(K) if lift is None else lift, pairs, generate)
    if not len(decoys):
        return _silent(
            K, trust, level, "all pairs of vertices are joined, so there are no random ones"
        )
    above, spread = separation(trust.values, decoys)
    if above < 0.5 + 2.0 * spread:
        reason = f"an edge has more trust than a random pair with probability {above:.3f} only"
        return _silent(K, trust, level, reason, decoys, above)
    return _decide(K, trust, decoys, above, level, known)


def _decide(
    K: Complex,
    trust: EdgeTrust,
    decoys: FloatArray,
    above: float,
    level: float,
    known: float | None,
) -> Doubt:
    """The threshold, and what it promises."""
    rates = rates_of(trust.values, decoys, known)
    at = rates.place(level)
    if at is None:
        reason = (
            f"no threshold keeps edges of which at most {100 * level:.0f} % can be random pairs; "
            "raise level, or give false_share if it is known"
        )
        return _silent(K, trust, level, reason, decoys, above)
    t = None if at == 0 else float(rates.t[at])
    doubted = np.zeros(len(trust), dtype=bool) if t is None else trust.values <= t
    shares = (float(rates.missed[at]), float(rates.caught[at]), rates.p, float(rates.wrong[at]))
    return Doubt(trust, doubted, t, level, *shares, known is not None, above, decoys, "", K)


def _silent(
    K: Complex,
    trust: EdgeTrust,
    level: float,
    reason: str,
    decoys: FloatArray | None = None,
    separation: float = 0.5,
) -> Doubt:
    none = np.zeros(len(trust), dtype=bool)
    chance = np.empty(0) if decoys is None else decoys
    return Doubt(trust, none, None, level, 1.0, 0.0, 1.0, 0.0, False, separation, chance, reason, K)


def _no_cells(K: Complex) -> str:
    if K.max_rank < 1 or not K.n_cells[1]:
        return "there are no edges"
    if K.n_cells[1] == K.n_vertices - (int(K.components().max()) + 1):
        return "there are no cycles, so that no cell can hold an edge"
    remedy = "take cells that there are, such as lifts.cycle_complex(..., max_length=4) finds"
    if K.max_rank < 2:
        remedy = "lift the graph, by clique_complex or lifts.cycle_complex"
    return f"no cell holds any of the {K.n_cells[1]:,} edges; {remedy}"
