r"""How far an edge can be trusted: by its cells, by what the network itself teaches, or by both.

`evidence` says by what.

"cells"    s / (1 + s), with s the support of the edge by the cells that hold it
           (`_trust_by_cells`); nothing is drawn at random.
"learned"  the probability of an edge against random pairs, by regressions that are learned from the
           network itself (`_learned_edges`), the mean over all kinds of pairs.
"both"     half of the rank of what is learned, and a sixth each of the ranks of the closed Jaccard
           index (both ends are their own neighbours, so that pairs without a common neighbour
           differ, too), of resource allocation and of the topological overlap.

Ranks are shares of the edges, so that no scale matters. "learned" is for false edges that are
random pairs, "both" for those of which nobody knows what they are like: its parts and their weights
were chosen on 7 networks with three kinds of false edges and 6 judgements of real ones
(docs/evidence_false_edges.md).

How sure each edge was when it was measured, its `confidence`, enters as a prior (`_confidence`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import InputError, extra
from cellapse._linalg.operators import SparseOperator
from cellapse._operators.baselines import graph_laplacian
from cellapse._shared.align import align_one_each
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import generator, one_of, whole_number
from cellapse._shared.memory import Fitting
from cellapse._shared.pictures import PALETTE, bars
from cellapse.tasks._confidence import by_confidence, ranks
from cellapse.tasks._edge_features import simple_scores
from cellapse.tasks._learned_edges import Draw, learn, mean_over_draws
from cellapse.tasks._random_pairs import DRAWN, KINDS
from cellapse.tasks._trust_by_cells import count_cells, trust_by_cells

EVIDENCE = ("cells", "learned", "both")
DECOYS = ("mixed", *KINDS)
_LEAST = 0.05  # of the weight of an edge without trust, which may be the only one of a vertex


@dataclass(frozen=True, eq=False, repr=False)
class EdgeTrust(Shown):
    """A number from 0 to 1 for every edge, in the order of the complex.

    Attributes
    ----------
    values : (m,) array
        Of evidence "cells" 0 where no cell holds the edge.
    shares : (m,) array
        The share of its weight that the edge keeps in the operator.
    n_cells : (m,) array of int
        How many cells above rank 1 hold the edge.
    edges : sequence
        What the edges are called: pairs of vertex labels.
    model : str
        The model of errors: what an edge was compared with, or empty.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> trust = cl.edge_trust(cl.clique_complex(nx.barbell_graph(4, 0)))
    >>> trust.lowest(1)  # the bridge
    [((3, 4), 0.0)]
    """

    values: FloatArray
    shares: FloatArray = field(repr=False)
    n_cells: IntArray = field(repr=False)
    edges: Sequence[Any] = field(repr=False)
    model: str = field(default="", repr=False)

    def _card(self) -> Card:
        alone = int((self.n_cells == 0).sum())
        rows = [
            ("median", f"{np.median(self.values):.3f}" if len(self) else "of no edge"),
            (
                "in no cell",
                f"{alone:,} edges: nothing to go by" if alone else "",
            ),
            ("model of errors", self.model),
            ("lowest", ", ".join(f"{edge!r:.40}: {t:.3f}" for edge, t in self.lowest(4))),
        ]
        calls = (
            ("trust.lowest(10)", "lists the edges to doubt first"),
            ("trust.to_frame()", "is a table with a row per edge"),
            ("cl.tasks.likely_false(K, false_share=...)", "says which are probably false"),
        )
        ends = f", {self.values.min():.2f} to {self.values.max():.2f}" if len(self) else ""
        counts = np.histogram(self.values, 20, (0.0, 1.0))[0].tolist()
        title = f"EdgeTrust of {len(self):,} edges{ends}"
        return Card(title, tuple(r for r in rows if r[1]), lambda: bars(counts, PALETTE[:1]), calls)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def held(self) -> float:
        """The share of the edges that some cell holds: for the others there is nothing to go by."""
        return float((self.n_cells > 0).mean()) if len(self) else 0.0

    def as_dict(self) -> dict[Any, float]:
        """Trust by edge."""
        return dict(zip(self.edges, self.values.tolist(), strict=True))

    def lowest(self, count: int | None = None) -> list[tuple[Any, float]]:
        """Return the edges to doubt first, with their trust; all of them by default."""
        count = len(self) if count is None else whole_number("count", count, 0)
        order = np.argsort(self.values, kind="stable")[:count].tolist()
        return [(self.edges[e], float(self.values[e])) for e in order]

    def to_frame(self) -> Any:
        """Return a DataFrame with a row per edge: its ends, trust, cells, share."""
        with extra("pandas", "pandas"):
            import pandas as pd
        return pd.DataFrame(self.columns())

    def columns(self) -> dict[str, Any]:
        """Return the same as lists by name."""
        pairs: dict[str, Any] = {"edge": list(self.edges)}
        if len(self) and isinstance(self.edges[0], tuple):
            pairs = {
                name: [edge[i] for edge in self.edges]
                for i, name in enumerate(("source", "target"))
            }
        return {**pairs, "trust": self.values, "cells": self.n_cells, "share": self.shares}


@Fitting("the trust of all edges", "take a smaller network")
def edge_trust(
    source: Any,
    *,
    evidence: str = "cells",
    decoys: str = "mixed",
    confidence: Any = None,
    rng: int | np.random.Generator = 0,
) -> EdgeTrust:
    """Rate how far every edge can be trusted, by its cells or by what the network teaches.

    On networks with random extra edges these have the least trust, with evidence "learned" and
    "both" clearly less than by the best classical score; on real errors no score is ahead for sure:
    `cellapse reproduce trust` compares them. Time and memory grow in proportion to edges and cells;
    to learn from a million edges takes half a minute and 1.4 GB.

    trust = s / (1 + s) of evidence "cells", with s the support of the edge: 0 without cells.

    Parameters
    ----------
    source : Complex, whatever `collapse` takes, or collapsed operator
        Of a complex, the formula above, with the weights of its edges. Of an operator, screened
        or renormalized, what follows from its own shares: (f - f_0) / (1 - f_0). These do not
        depend on the weights of edges, so that those have to be equal.
    evidence : {"cells", "learned", "both"}
        "learned" compares edges with random pairs that are added to the network, by what
        distinguishes them here: degrees, triangles, squares and a matrix of low rank. "both" is the
        mean rank of that and of three simple scores, for false edges that may be no random pairs.
    decoys : {"mixed", "uniform", "degree", "near"}
        How the random pairs are drawn, which is the model of errors: all alike, in proportion to
        the degrees of their ends, at distance two or three, or of all three kinds.
    confidence : one number from 0 to 1 for each edge, optional
        How sure each edge is by itself, such as a similarity of records; only the order counts.
        It is the prior that cells, weighed by it, and what is learned add to. Unequal weights of
        edges are taken for it where the evidence is "learned" or "both".
    rng : seed or numpy Generator
        For the random pairs.

    Returns
    -------
    EdgeTrust

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> trust = edge_trust(cl.clique_complex(nx.barbell_graph(4, 0)))
    >>> trust.lowest(1)
    [((3, 4), 0.0)]
    >>> round(trust.held, 3)
    0.923
    >>> K = cl.clique_complex(nx.barbell_graph(6, 0))
    >>> edge_trust(K, evidence="learned").lowest(1)[0][0]
    (5, 6)
    """
    one_of("evidence", evidence, EVIDENCE)
    one_of("decoys", decoys, DECOYS)
    generate = generator(rng)
    if evidence == "cells" and decoys != "mixed":
        raise InputError(
            f'decoys="{decoys}" with evidence="cells", which draws none; give evidence="learned"'
        )
    if isinstance(source, CollapsedOperator):
        if evidence != "cells" or confidence is not None:
            raise InputError(
                f"{source!r} says how its cells support an edge, and nothing else; give the "
                "complex itself, edge_trust(K, ...)"
            )
        return _of_operator(source)
    K = to_complex(source)
    names = K.cell_labels(1) if K.max_rank else ()
    values, shares, cells = trust_by_cells(K)
    trust = EdgeTrust(values, shares, cells, names)
    if evidence != "cells":
        trust = learned_trust(K, trust, evidence, learn_from(K, decoys, generate))
    sure = _confidence(K, confidence, evidence, names)
    if sure is None:
        return trust
    learned = None if evidence == "cells" else trust.values
    return replace(trust, values=by_confidence(K, sure, learned))


@Fitting("the trust of all edges", "take a smaller network")
def trusted_laplacian(
    source: Any,
    *,
    evidence: str = "learned",
    decoys: str = "mixed",
    rng: int | np.random.Generator = 0,
) -> SparseOperator:
    """Return the graph Laplacian in which every edge weighs as much as it is trusted.

    L = B_1 diag(w (.05 + .95 trust)) B_1^T, the weights of `cellapse.torch.TrustEdges`. Labels
    spread over it lose little on clean networks and gain on those with false edges:
    `cellapse reproduce spread`.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    evidence, decoys, rng
        As for `edge_trust`.

    Returns
    -------
    SparseOperator

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.tasks.trusted_laplacian(nx.barbell_graph(4, 0), evidence="cells")
    >>> L.toarray()[3, 4].round(2)  # the bridge
    np.float64(-0.05)
    """
    K = to_complex(source)
    if not K.max_rank or not K.n_cells[1]:
        return graph_laplacian(K)
    trust = edge_trust(K, evidence=evidence, decoys=decoys, rng=rng).values
    given = K.weights[1]
    weights = (_LEAST + (1.0 - _LEAST) * trust) * (1.0 if given is None else given)
    return graph_laplacian(K.with_attributes({}, {1: weights}))


def learn_from(
    K: Complex, decoys: str, rng: np.random.Generator, weights: FloatArray | None = None
) -> list[Draw]:
    """Compare the edges of a complex with decoys, in draws; weights may count in their support."""
    edges = K.cells[1].as_array(2) if K.max_rank else np.empty((0, 2), dtype=np.int64)
    return learn(edges, K.n_vertices, decoys, rng, weights)


def learned_trust(K: Complex, by_cells: EdgeTrust, evidence: str, draws: list[Draw]) -> EdgeTrust:
    """Return the trust with evidence "learned" or "both"."""
    values = mean_over_draws(draws)
    if evidence == "both":
        simple = simple_scores(K.cells[1].as_array(2), K.n_vertices)
        values = (ranks(values) + sum(ranks(score) for score in simple) / 3.0) / 2.0
    return replace(by_cells, values=values, model=model_of_errors({draw.kind for draw in draws}))


def model_of_errors(kinds: set[str]) -> str:
    """Say what false edges are taken to be like."""
    words = [DRAWN[kind] for kind in KINDS if kind in kinds]
    *first, last = words
    some = f"{', '.join(first)} or {last}" if first else last
    return f"false edges are taken to be like random pairs, drawn {some}"


def _confidence(K: Complex, given: Any, evidence: str, names: Sequence[Any]) -> FloatArray | None:
    """Return what is known of each edge by itself: the argument, or else unequal weights."""
    if given is None:
        weights = K.weights[1] if K.max_rank and evidence != "cells" else None
        return None if weights is None or weights.min() == weights.max() else weights
    values = align_one_each(given, names, "confidence", cells=True)
    outside = np.flatnonzero((values < 0.0) | (values > 1.0))
    if len(outside):
        raise InputError(
            f"confidence of {names[outside[0]]!r:.80} is {values[outside[0]]:.6g} (and "
            f"{len(outside) - 1} more are outside [0, 1]); give numbers from 0 to 1, such as "
            "values / values.max()"
        )
    return None if not len(values) or values.min() == values.max() else values


def _of_operator(S: CollapsedOperator) -> EdgeTrust:
    _require_shares(S)
    shares, values = _by_shares(S)
    cells = count_cells([B.csr for B in S.chain.above], len(values))
    return EdgeTrust(np.where(cells > 0, values, 0.0), shares, cells, _edges(S))


def _by_shares(S: CollapsedOperator) -> tuple[FloatArray, FloatArray]:
    theta, shares = float(S.gamma[0]), S.shares
    assert shares is not None
    if not theta:
        raise InputError(
            "theta = 0 couples no edge to its cells, so that none loses weight; give gamma above 0"
        )
    kept = 1.0 - (1.0 - shares) * (1.0 + S.eps) / theta**2
    return shares, np.clip(kept, 0.0, 1.0)


def _require_shares(source: CollapsedOperator) -> None:
    if source.shares is None:
        raise InputError(
            f"{source!r} has no share of weight per edge; give the complex itself, or "
            'collapse it with "renormalized" or "screened"'
        )
    edges = source.chain.nearest
    given = np.asarray(abs(edges).power(2).sum(axis=0)).ravel()
    if len(given) and given.max() > given.min() * (1.0 + 1e-9):
        raise InputError(
            f"the edges of {source!r} have weights from {given.min() / 2:.3g} to "
            f"{given.max() / 2:.3g}, on which the shares of an operator do not depend; give the "
            "complex itself, edge_trust(K), whose weights count"
        )


def _edges(S: CollapsedOperator) -> Sequence[Hashable]:
    if S.source is None or S.source.max_rank < 1:
        return range(S.chain.nearest.shape[1])
    return S.source.cell_labels(1)
