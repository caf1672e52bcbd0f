r"""Find the edges that are probably false, by random pairs of vertices to compare with.

Random pairs that are not joined are added to the network as decoys and get their trust as every
edge does (`_learned_edges`; of evidence "cells" a few at a time, with their cells). With f and f_d
the densities of the trust of edges and of decoys, and p the share of the edges that are false,
where false edges are like decoys,

    P(false | trust t) = p f_d(t) / f(t),

the local false discovery rate; f_d / f never grows with t (isotonic regression). Decoys are of
three kinds: drawn uniformly, by degree, and near, with a common neighbour. Nobody knows of which
kind false edges are, so **every number is that of the worst kind**: the largest probability, share
and expectation. An edge is doubted where its probability is above one half. As
F = p F_d + (1 - p) F_real, the network gives a bound

    p <= F(t) / F_d(t)   for every t, here at the median of the decoys of each kind,

but nothing below it can be excluded: edges between groups close few cells, too, and a network of
groups with edges at random between them looks like one with false edges. If all shares up to the
bound are equally plausible, p is half of it on average, and the edges that look like random pairs
are as likely real as false. So **none is doubted before p is given**; until then `break_even`,
f / (2 f_d), says from which p on an edge is more likely false than real.

Which edges are *distinguishable* from random pairs needs no p. Of the edges of more trust than t,

    p (1 - F_d(t)) / (1 - F(t))

are false, at most where p is the bound. Above the first t where this is at most `level`, an edge is
distinguishable with that false discovery rate.

Efron, Large-Scale Inference (2010), chapters 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cellapse._complex.cells import Cells
from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.given import to_complex
from cellapse._errors import InputError, extra
from cellapse._operators.hyperedges import is_hypergraph
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import generator, one_of, share
from cellapse._shared.memory import Fitting
from cellapse._shared.notes import warn_user
from cellapse._shared.pictures import PALETTE, bars
from cellapse.lifts.cliques import clique_complex
from cellapse.tasks._against_decoys import Comparison, largest_share, learned_comparisons
from cellapse.tasks._learned_edges import FEWEST
from cellapse.tasks._random_pairs import KINDS, random_pairs
from cellapse.tasks._subsample import without_edges
from cellapse.tasks._trust_by_cells import trust_by_cells, unequal_weights
from cellapse.tasks.trust import (
    DECOYS,
    EdgeTrust,
    edge_trust,
    learn_from,
    learned_trust,
    model_of_errors,
)

_AT_ONCE = (
    0.05  # decoys in one draw, as a share of the edges: few enough to leave the network as it is
)
_WANTED = 1000  # decoys in all
_MOST_GOES = 100

Lift = Callable[[Complex], Complex]


@dataclass(frozen=True, eq=False, repr=False)
class Doubt(Shown):
    """The edges that are probably false, and the evidence.

    Attributes
    ----------
    trust : EdgeTrust
    doubted : (m,) boolean array
        The edges that are more likely false than real; none where `false_share` is not known.
    wrong : float or None
        The share of the doubted edges that is expected to be real; None if none is doubted.
    probability : (m,) array or None
        How likely each edge is false, where `false_share` is known.
    break_even : (m,) array
        The share of false edges from which on the edge is more likely false than real; at most 1.
    false_share : float or None
        The share of all edges that are false, as given.
    largest_share : float
        The largest share of all edges that can be random pairs.
    missed : float
        The share of the other edges that is expected to be false, or can be at most where
        `false_share` is not known.
    caught : float
        The share of the random pairs of the worst kind that is doubted.
    threshold : float or None
        The largest trust of a doubted edge; None if there is none.
    distinguishable : (m,) boolean array
        The edges that are distinguishable from random pairs with a false discovery rate of `level`.
    level : float
    separation : float
        The probability that an edge has more trust than a random pair of the worst kind: 0.5 tells
        nothing.
    compared : list of Comparison
        What every edge was compared with, one for each kind of random pairs: the model of errors.
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
    wrong: float | None
    probability: FloatArray | None = field(repr=False)
    break_even: FloatArray = field(repr=False)
    false_share: float | None
    largest_share: float
    missed: float
    caught: float
    threshold: float | None
    distinguishable: BoolArray = field(repr=False)
    level: float
    separation: float
    compared: Sequence[Comparison] = field(repr=False)
    reason: str
    complex: Complex = field(repr=False)

    @property
    def decoys(self) -> FloatArray:
        """The trust of all random pairs."""
        return np.concatenate([np.empty(0), *(c.decoys for c in self.compared)])

    @property
    def kinds(self) -> tuple[str, ...]:
        """How they were drawn, "uniform", "degree" or "near"."""
        return tuple(c.kind for c in self.compared)

    def _card(self) -> Card:
        first, *others = self.sentences()
        parts = [text.strip().partition("  ") for text in others]
        rows = [(name, said.strip()) for name, _, said in parts]
        calls: tuple[tuple[str, str], ...] = (
            ("doubt.to_frame()", "is a table with a row per edge"),
            ("doubt.network()", "is the complex without the doubted edges"),
            ("cl.plot.plot_trust(doubt)", "draws the evidence"),
        )
        if self.false_share is None:  # and nothing is doubted until there is one
            share_, first_ = self.first_break_even()
            known = (f"doubt.knowing({share_:g})", f"doubts some, if {_percent(share_)} are false")
            ranked = ("doubt.trust.lowest(10)", "are the edges to look at first")
            calls = (ranked, *([known] if first_.any() else []), calls[0], calls[2])
        rows += [] if rows else [("edges", f"{len(self.trust):,}")]
        counts = np.histogram(self.trust.values, 20, (0.0, 1.0))[0].tolist()
        return Card(f"Doubt: {first}", tuple(rows), lambda: bars(counts, PALETTE[:1]), calls)

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """Say what was found, a line each; what may be wrong with it comes first."""
        if self.reason:
            return [f"nothing to go by: {self.reason}"]
        return [
            self.headline(),
            *self._about_share(),
            f"  distinguishable  {self.distinguishable_text()}",
            f"  in no cell       {_percent(1.0 - self.trust.held)} of all edges",
            f"  evidence         an edge has more trust than a random pair with probability "
            f"{self.separation:.3f} ({len(self.decoys):,} pairs)",
            f"  model of errors  {self.model}",
        ]

    @property
    def model(self) -> str:
        """What false edges are taken to be like: the model of errors."""
        worst = ", whichever is worse" if len(self.kinds) > 1 else ""
        return f"{model_of_errors(set(self.kinds))}{worst}"

    def headline(self) -> str:
        """Say how many edges are doubted, and first how many of these are expected to be real."""
        count, m = int(self.doubted.sum()), len(self.trust)
        if self.false_share is None:
            return (
                f"No edge is doubted: all {m:,} may be real, as the network alone cannot say how "
                "many are false."
            )
        given = f"if {_percent(self.false_share)} of all edges are false (as given)"
        if self.wrong is None:
            return f"None of {m:,} edges is more likely false than real, {given}."
        return (
            f"{_percent(self.wrong)} of the {count:,} doubted edges are expected to be real: "
            f"{count:,} of {m:,} are more likely false than real, {given}."
        )

    def distinguishable_text(self) -> str:
        """Say how many edges are distinguishable from random pairs."""
        return (
            f"{int(self.distinguishable.sum()):,} of {len(self.trust):,} edges are distinguishable "
            f"from random pairs (false discovery rate <= {_percent(self.level)})"
        )

    def _about_share(self) -> list[str]:
        most = f"  false            at most {_percent(self.largest_share)} of all edges"
        if self.false_share is None:
            share_, first = self.first_break_even()
            count = int(first.sum())
            lines = [f"{most} can be random pairs, and perhaps none is"]
            if count:
                lines.append(
                    f"  break-even       if {_percent(share_)} of all edges are false, {count:,} "
                    "are more likely false than real"
                )
                lines.append(
                    "  to doubt them    say how many are false, as known from the way they were "
                    f"measured: from false_share={share_:g} on, edges are doubted"
                )
            return lines
        lines = []
        if self.wrong is not None:
            lines = [f"  doubted          trust up to {self.threshold:.4g}"]
        lines.append(f"  not doubted      {_percent(self.missed)} are expected to be false")
        if self.false_share > self.largest_share:
            lines.append(f"{most} can be random pairs: some false ones are closer than these")
        return lines

    def first_break_even(self) -> tuple[float, BoolArray]:
        """Return the least share of false edges, in whole per cent, at which edges are doubted.

        And which these are: the edges to look at first.
        """
        least = float(self.break_even.min(initial=1.0))
        share_ = min(1.0, (np.floor(100.0 * least) + 1.0) / 100.0)
        return share_, self.break_even < share_

    def knowing(self, false_share: float) -> Doubt:
        """Return the same where the share of false edges is known."""
        known = share("false_share", false_share)
        if self.reason:
            return self
        found = self.compared
        return _decide(self.complex, self.trust, found, self.separation, self.level, known)

    def edges(self) -> list[Hashable]:
        """Return the doubted edges, least trusted first."""
        order = np.argsort(self.trust.values, kind="stable")
        return [self.trust.edges[e] for e in order[self.doubted[order]].tolist()]

    def network(self) -> Complex:
        """Return the complex without the doubted edges, and without the cells that hold one.

        All vertices stay. A warning says where fewer of them are connected than before.
        """
        left = without_edges(self.complex, self.doubted)
        before, after = (np.bincount(K.components()) for K in (self.complex, left))
        if len(after) > len(before):
            warn_user(
                f"without the {int(self.doubted.sum()):,} doubted edges the network falls into "
                f"{len(after):,} components, the largest of {after.max():,} vertices, instead of "
                f"{len(before):,} with {before.max():,}; {_percent(self.wrong or 0.0)} of these "
                "edges are expected to be real; give a smaller false_share to keep more"
            )
        return left

    def columns(self) -> dict[str, Any]:
        """Return a row per edge as lists by name: ends, trust, cells, share, doubt."""
        columns: dict[str, Any] = {"break_even": self.break_even}
        if self.probability is not None:
            columns["probability"] = self.probability
        return {**self.trust.columns(), **columns, "doubted": self.doubted}

    def to_frame(self) -> Any:
        """Return the same as a pandas DataFrame."""
        with extra("pandas", "pandas"):
            import pandas as pd
        return pd.DataFrame(self.columns())


@Fitting("the doubt of all edges", "take a smaller network")
def likely_false(
    source: Any,
    *,
    false_share: float | None = None,
    level: float = 0.05,
    evidence: str = "learned",
    decoys: str = "mixed",
    lift: Lift | None = None,
    rng: int | np.random.Generator = 0,
) -> Doubt:
    """Find the edges that are more likely false than real, and what is expected of them.

    P(false | trust t) = p f_d(t) / f(t), with p the share of false edges, f and f_d the densities
    of the trust of edges and of random pairs. Of several kinds of random pairs the worst counts.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    false_share : float, optional
        The share of the edges that are false, known from the way they were measured. The network
        itself only gives an upper bound; without it edges are ranked, and none is doubted.
    level : float
        The false discovery rate of the edges that are distinguishable from random pairs.
    evidence : {"learned", "cells"}
        What trust is, as in `edge_trust`. Weights of edges count in the support by cells, which is
        one of the numbers that are learned from; a random pair weighs what any edge does.
    decoys : {"mixed", "uniform", "degree", "near"}
        How random pairs are drawn, which is the model of errors: all alike, in proportion to the
        degrees of their ends, or with a common neighbour. By default all three, and every number is
        that of the worst kind, so that it holds for each; who knows how false edges come about
        learns more with one.
    lift : function, optional
        Of evidence "cells": from a complex of vertices and edges to one with cells, in the same
        order of edges: what cells a random pair closes. By default the cliques, where K is a
        complex of cliques.
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
    >>> K = cl.clique_complex(groups)
    >>> likely_false(K).edges()  # all may be real
    []
    >>> sorted(likely_false(K, false_share=0.01).edges())
    [(0, 20), (1, 45), (7, 33), (25, 50)]
    """
    K = to_complex(source)
    level = share("level", level)
    known = None if false_share is None else share("false_share", false_share)
    one_of("evidence", evidence, ("learned", "cells"))
    one_of("decoys", decoys, DECOYS)
    generate = generator(rng)
    _check_lift(lift, evidence)
    trust = edge_trust(K)
    reason = _nothing_there(K, trust, evidence)
    if reason:
        return _silent(K, trust, level, known, reason)
    if evidence == "cells":
        own = _own_lift(K) if lift is None else lift
        found = _by_cells(K, trust, own, decoys, generate)
    else:
        trust, found = _by_learning(K, trust, decoys, generate)
    found = [c for c in found if len(c.decoys)]
    if not found:
        reason = "all pairs of vertices are joined, so there are no random ones"
        return _silent(K, trust, level, known, reason)
    above, spread = min(c.separation for c in found)
    if above >= 0.5 + 2.0 * spread:
        return _decide(K, trust, found, above, level, known)
    reason = (
        f"an edge has more trust than a random pair with probability {above:.3f}, "
        f"which {len(trust):,} edges do not tell from 0.5"
    )
    return _silent(K, trust, level, known, reason, found, above)


def _by_cells(
    K: Complex, trust: EdgeTrust, lift: Lift, decoys: str, rng: np.random.Generator
) -> list[Comparison]:
    kinds = KINDS if decoys == "mixed" else (decoys,)
    drawn = ((kind, _decoy_trust(K, lift, kind, rng)) for kind in kinds)
    return [Comparison(kind, trust.values[None], values) for kind, values in drawn]


def _by_learning(
    K: Complex, trust: EdgeTrust, decoys: str, rng: np.random.Generator
) -> tuple[EdgeTrust, list[Comparison]]:
    if 2 * len(trust) == K.n_vertices * (K.n_vertices - 1):
        return trust, []
    draws = learn_from(K, decoys, rng, unequal_weights(K))
    return learned_trust(K, trust, "learned", draws), learned_comparisons(K, draws)


def _check_lift(lift: Any, evidence: str) -> None:
    if lift is not None and not callable(lift):
        raise InputError(f"lift={lift!r:.80}; give a function from a complex to a complex")
    if lift is not None and evidence != "cells":
        raise InputError('lift says which cells random pairs close; give evidence="cells" with it')


def _nothing_there(K: Complex, trust: EdgeTrust, evidence: str) -> str:
    """Say why there is nothing to go by, or nothing."""
    if evidence == "cells":
        return "" if trust.held else _no_cells(K)
    if is_hypergraph(K):
        raise InputError(
            "which hyperedges a random pair would be part of is not known; give "
            'evidence="cells" and lift=..., or take edge_trust(K), which needs neither'
        )
    if not len(trust):
        return "there are no edges"
    few = len(trust) < FEWEST
    return f"{len(trust)} edges are too few to learn from" if few else ""


def _decide(
    K: Complex,
    trust: EdgeTrust,
    found: Sequence[Comparison],
    above: float,
    level: float,
    known: float | None,
) -> Doubt:
    """Return what follows from the scores of edges and of decoys, by the worst kind of these."""
    values = trust.values
    ratios = np.array([c.ratio for c in found])
    most = max(largest_share(c.edges.ravel(), c.decoys) for c in found)
    break_even = np.minimum(1.0, 0.5 / np.maximum(ratios.max(axis=0), 0.5))
    apart = np.all([c.distinguishable(most, level) for c in found], axis=0)
    chances = None if known is None else np.minimum(1.0, known * ratios)
    chance = None if chances is None else chances.max(axis=0)
    doubted = np.zeros(len(values), dtype=bool) if chance is None else chance > 0.5
    wrong = threshold = None
    caught, missed = 0.0, most if known is None else known
    if chance is not None and chances is not None and known is not None and doubted.any():
        wrong = float(1.0 - chances[:, doubted].mean(axis=1).min())
        threshold = float(values[doubted].max())
        caught = min(float((c.decoys <= threshold).mean()) for c in found)
        rest = 1.0 - doubted.mean()
        missed = float(min(chance[~doubted].mean(), known / rest)) if rest else 0.0
    return Doubt(
        trust, doubted, wrong, chance, break_even, known, most, missed, caught, threshold, apart,
        level, above, found, "", K,
    )  # fmt: skip


def _silent(
    K: Complex,
    trust: EdgeTrust,
    level: float,
    known: float | None,
    reason: str,
    found: Sequence[Comparison] = (),
    separation: float = 0.5,
) -> Doubt:
    none = np.zeros(len(trust), dtype=bool)
    return Doubt(
        trust, none, None, None, np.ones(len(trust)), known, 1.0, 1.0 if known is None else known,
        0.0, None, none, level, separation, found, reason, K,
    )  # fmt: skip


def _percent(share_: float) -> str:
    """A share in whole per cent; what is not quite nothing or everything does not read so."""
    if 0.0 < share_ < 0.005 or 0.995 < share_ < 1.0:
        return "<1 %" if share_ < 0.5 else ">99 %"
    return f"{100.0 * share_:.0f} %"


def _no_cells(K: Complex) -> str:
    if K.max_rank < 1 or not K.n_cells[1]:
        return "there are no edges"
    if K.n_cells[1] == K.n_vertices - (int(K.components().max()) + 1):
        return "there are no cycles, so that no cell can hold an edge"
    remedy = "take cells that there are, such as lifts.cycle_complex(..., max_length=4) finds"
    if K.max_rank < 2:
        remedy = "lift the graph, by clique_complex or lifts.cycle_complex"
    return f"no cell holds any of the {K.n_cells[1]:,} edges; {remedy}"


def _own_lift(K: Complex) -> Lift:
    """Return the clique lift, if that is where the cells of K come from."""
    top = K.max_rank

    def cliques(graph: Complex) -> Complex:
        return clique_complex(graph, top)

    weighted = any(w is not None for w in K.weights[2:])
    if not weighted and K.is_simplicial:
        again = cliques(K.skeleton(1))  # only its edges are looked at
        alike = again.n_cells == K.n_cells and all(
            _same(mine, yours) for mine, yours in zip(again.cells[2:], K.cells[2:], strict=True)
        )
        if alike:
            return cliques
    raise InputError(
        "the cells are not all cliques of the edges, so it is not known which cells a random pair "
        "would close; give lift=..., the function that made the cells, such as "
        "lifts.cycle_complex, or take edge_trust(K), which needs none"
    )


def _same(mine: Cells, yours: Cells) -> bool:
    """Return whether these are the same simplices, in any order."""
    if np.array_equal(mine.indices, yours.indices):
        return True
    a, b = (table[np.lexsort(table.T[::-1])] for table in (mine.as_array(), yours.as_array()))
    return np.array_equal(a, b)


def _decoy_trust(K: Complex, lift: Lift, kind: str, rng: np.random.Generator) -> FloatArray:
    """Return the trust that random pairs of vertices have, once they are edges."""
    edges, n = K.cells[1].as_array(), K.n_vertices
    weights = K.weights[1]
    some = max(1, round(_AT_ONCE * len(edges)))
    values: list[FloatArray] = []
    for _ in range(min(_MOST_GOES, -(-_WANTED // some))):
        new = random_pairs(edges, n, some, kind, rng)
        if len(new):
            # A random pair weighs what any of the edges does.
            more = None if weights is None else {1: np.r_[weights, rng.choice(weights, len(new))]}
            given = Complex.from_arrays(n, {1: np.concatenate([edges, new])}, weights=more)
            lifted = lift(given)
            require_complex(lifted, "lift")
            same = lifted.n_cells[1:2] == given.n_cells[1:2]
            if not same or (lifted.cells[1].indices != given.cells[1].indices).any():
                raise InputError(
                    f"lift gave {lifted!r} for {len(edges) + len(new)} edges; it has to keep the "
                    "edges, in their order, and only add cells"
                )
            kept = (*lifted.weights[:1], given.weights[1], *lifted.weights[2:])
            lifted = replace(lifted, weights=kept)  # whatever the lift makes of them
            values.append(trust_by_cells(lifted)[0][len(edges) :])
    return np.concatenate([np.empty(0), *values])
