r"""Do the cells matter here? Compare the clusters of S with those of an operator without cells.

Partitions are judged by the network alone, without labels:

    modularity  share of the weight inside clusters - sum over clusters of (share of the ends)^2,
    stability   the adjusted Rand index with the clusters of the same network without a tenth of its
                edges (of a hypergraph, of its hyperedges), the mean of five draws,
    moved       the share of the vertices that are in other clusters in such a draw, the mean of
                both operators: what chance does to clusters,
    chance      the modularity of as many clusters in random networks with the same degrees.

S is compared with the graph Laplacian L, on a hypergraph with the projection in which a pair weighs
1 / (size - 1). Cells matter where they change the clusters of more vertices than chance moves, to
clusters that are more modular, or steadier, by more than that varies between draws; there are
groups where the modularity is above that of chance and the clusters are stable.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from cellapse._collapse.collapsed import collapse
from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import CellapseWarning
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._operators.fair import weighted_edges, without_cells
from cellapse._operators.hyperedges import is_hypergraph
from cellapse._shared.arrays import IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import generator, whole_number
from cellapse._shared.memory import Fitting
from cellapse._shared.pictures import bars
from cellapse.tasks._subsample import shuffled, thinned
from cellapse.tasks.clustering import Clusters, cluster, clustering_accuracy, modularity_by
from cellapse.tasks.trust import edge_trust

Make = Callable[[Complex], Operator]

_MOST = 3000  # vertices up to which networks are drawn and clustered again
_DRAWS = 5
_LEFT_OUT = 0.1
_CLEAR = 1.25  # times the next gap of the eigenvalues

_BEHIND = 0.02  # of modularity: so much less is clearly behind, whatever it varies
_STEADIER = 0.1  # of stability: so much more makes up for it
_ABOVE = 0.05  # of modularity over chance, from which there are groups
_STABLE = 0.5
_SAME = 0.005  # of the vertices elsewhere, up to which clusters are called the same
_LITTLE = 0.05  # of the vertices, a difference that hardly matters whatever chance moves
_MUCH = 0.15  # of the vertices, a difference that cannot be called hardly any
_FEW = 3  # vertices: no verdict rests on them


class Varies(NamedTuple):
    """How much comes about by leaving out a tenth of the edges.

    `moved` is a share of the vertices; `ahead` and `steadier` are twice the standard deviation,
    over the draws, of how far S is ahead in modularity and in stability.
    """

    moved: float
    ahead: float
    steadier: float


@dataclass(frozen=True)
class Judged:
    """The clusters of one operator: how modular and, where it was measured, how stable."""

    operator: str
    modularity: float
    stability: float | None

    def __str__(self) -> str:
        stable = "" if self.stability is None else f", stability {self.stability:.2f}"
        return f"{self.operator}: modularity {self.modularity:.3f}{stable}"


@dataclass(frozen=True, repr=False)
class Verdict(Shown):
    """Whether the cells matter here, in figures and in words.

    Attributes
    ----------
    n_clusters : int
    why : str
        Why that number of clusters.
    mine, plain : Judged
        The clusters of S, and of the operator that sees no cells.
    agreement : float
        The share of the vertices that both put into the same cluster.
    chance : float or None
        The modularity of as many clusters in random networks with the same degrees.
    n_vertices : int
    varies : Varies or None
        What chance does to these figures; None where it was not measured.
    held : float
        The share of the edges that some cell above them holds.
    forest : bool
        Whether there are no cycles at all.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.connected_caveman_graph(4, 6))
    >>> cl.tasks.verdict(K, 4).n_clusters
    4
    """

    n_clusters: int
    why: str
    mine: Judged
    plain: Judged
    agreement: float
    chance: float | None
    n_vertices: int
    varies: Varies | None
    held: float
    forest: bool

    def _card(self) -> Card:
        first, *others = self.sentences()
        rows = [
            *(("and", text) for text in others),
            *((j.operator, str(j).partition(": ")[2]) for j in (self.mine, self.plain)),
            ("agreement", f"{self.agreement:.1%} of the vertices"),
            ("held", f"{self.held:.1%} of the edges are in a cell"),
        ]
        calls = (("cl.analyze(K)", "has the clusters themselves"),)
        parts = [max(j.modularity, 0.0) for j in (self.mine, self.plain)]
        return Card(f"Verdict: {first}", tuple(rows), lambda: bars(parts), calls)

    @property
    def same(self) -> bool:
        """Whether the cells make no difference to the clusters."""
        return self.n_clusters < 2 or not self.held or 1.0 - self.agreement <= _SAME

    @property
    def few(self) -> bool:
        """Whether only a few vertices change their cluster."""
        return (1.0 - self.agreement) * self.n_vertices < _FEW + 0.5

    @property
    def little(self) -> bool:
        """Whether no more vertices change their cluster than chance moves, or only a few."""
        return self.few or not self._beyond_chance

    @property
    def _beyond_chance(self) -> bool:
        moved = _LITTLE if self.varies is None else max(_LITTLE, self.varies.moved)
        return 1.0 - self.agreement > moved

    @property
    def ahead(self) -> float:
        """How much more modular the clusters of S are."""
        return self.mine.modularity - self.plain.modularity

    @property
    def steadier(self) -> float:
        """How much more stable the clusters of S are; 0 where it was not measured."""
        return (self.mine.stability or 0.0) - (self.plain.stability or 0.0)

    @property
    def use_plain(self) -> bool:
        """Whether the clusters of S are clearly behind, and not the only stable ones."""
        stable = self.mine.stability is not None and self.mine.stability >= _STABLE
        behind = self.ahead < -_BEHIND and not (stable and self.steadier >= _STEADIER)
        return behind and not self.same and not self.few

    @property
    def gain(self) -> bool:
        """Whether the clusters of S are clearly ahead by one measure, and not behind by the other.

        Both measures see the network alone: whether the clusters are right, they cannot know.
        """
        ahead, steadier = _BEHIND, _STEADIER
        if self.varies is not None:
            ahead, steadier = max(ahead, self.varies.ahead), max(steadier, self.varies.steadier)
        better = self.ahead > ahead or self.steadier > steadier
        worse = self.ahead < -_BEHIND or self.steadier < -_STEADIER
        stable = self.mine.stability is None or self.mine.stability >= _STABLE
        return not self.same and not self.little and better and stable and not worse

    @property
    def best(self) -> Judged:
        return self.plain if self.use_plain else self.mine

    @property
    def caution(self) -> str:
        """Why these clusters may be no groups, or empty."""
        if self.n_clusters < 2:
            return ""
        said = []
        if self.forest:
            said.append("the network has no cycles, so that few edges cut it anywhere")
        if self.chance is not None and self.best.modularity < self.chance + _ABOVE:
            less = self.best.modularity < self.chance
            said.append(
                "random networks with the same degrees have clusters of modularity "
                f"{self.chance:.3f}, {'more than these' if less else 'nearly as much'}"
            )
        if self.best.stability is not None and self.best.stability < _STABLE:
            said.append(
                "without a tenth of the edges the clusters are others "
                f"(stability {self.best.stability:.2f})"
            )
        return f"Caution, these may be no groups: {'; '.join(said)}." if said else ""

    def sentences(self) -> list[str]:
        """Return the verdict in words: do the cells matter, why so many clusters, and a caution."""
        return [text for text in (self._difference(), self._count(), self.caution) if text]

    def __str__(self) -> str:
        return "\n".join([*self.sentences(), f"  {self.mine}", f"  {self.plain}"])

    def as_dict(self) -> dict[str, Any]:
        """Return the figures by name, and the sentences."""
        return {
            "clusters": self.n_clusters,
            "why": self.why,
            "clusters by": self.best.operator,
            "modularity": {j.operator: j.modularity for j in (self.mine, self.plain)},
            "stability": {j.operator: j.stability for j in (self.mine, self.plain)},
            "agreement": self.agreement,
            "moved by chance": None if self.varies is None else self.varies.moved,
            "chance": self.chance,
            "caution": self.caution,
            "words": " ".join(self.sentences()),
        }

    def _difference(self) -> str:
        mine, other = self.mine.operator, self.plain.operator
        if not self.held:
            return "The cells make no difference here: no cell holds any edge."
        if self.n_clusters < 2:
            return "One cluster: there is nothing to compare."
        if self.same:
            return f"The cells make no difference here: {mine} and {other} find the same clusters."
        changed = round((1.0 - self.agreement) * self.n_vertices)
        other_ones = "is in another cluster" if changed == 1 else "are in other clusters"
        elsewhere = f"{changed:,} of {self.n_vertices:,} vertices {other_ones}"
        if self.varies is not None:
            by_chance = round(self.varies.moved * self.n_vertices)
            elsewhere += f" ({by_chance:,} when a tenth of the edges is left out)"
        figures = f"{self.mine.modularity:.3f} against {self.plain.modularity:.3f} of {other}"
        if self.mine.stability is not None and self.plain.stability is not None:
            figures += f", stability {self.mine.stability:.2f} against {self.plain.stability:.2f}"
        figures = f"{elsewhere}, modularity {figures}"
        if self.use_plain:
            return f"The clusters of {mine} are worse here; better use those of {other}: {figures}."
        if self.gain:
            return f"The cells matter here: {figures}."
        if self.few and self._beyond_chance and 1.0 - self.agreement > _MUCH:
            said = "Too few vertices are elsewhere to say whether the cells matter here"
            return f"{said}: {figures}."
        if self.little:
            return f"The cells hardly matter here: {figures}."
        return f"The cells change the clusters, and neither is clearly better: {figures}."

    def _count(self) -> str:
        return "" if self.n_clusters < 2 else f"{self.n_clusters} clusters: {self.why}."


@Fitting("the verdict", "take a smaller network")
def verdict(
    source: Any, n_clusters: int | None = None, *, rng: int | np.random.Generator = 0
) -> Verdict:
    """Cluster with and without the cells, and say whether they matter.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    n_clusters : int, optional
        By default the number before the largest gap of the eigenvalues of S.
    rng : seed or numpy Generator
        For k-means, and for what is left out or dealt out anew.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> print(verdict(cl.clique_complex(nx.connected_caveman_graph(4, 6))).sentences()[0])
    The cells make no difference here: S and L find the same clusters.
    """
    K = to_complex(source)
    if n_clusters is not None:
        n_clusters = whole_number("n_clusters", n_clusters, 1, K.n_vertices)
    why = "as asked for" if n_clusters is not None else ""
    with quiet():
        mine = cluster(collapse(K), n_clusters, rng=rng)
        plain = cluster(without_cells(K), int(mine.numbers.max()) + 1, rng=rng)
    return judge(K, mine, plain, why or gap_in_words(mine), rng)


def judge(
    K: Complex,
    mine: Clusters,
    plain: Clusters,
    why: str,
    rng: int | np.random.Generator = 0,
    make: Make = collapse,
    name: str = "S",
) -> Verdict:
    """The verdict on clusters of an operator and of `without_cells(K)` that are known already.

    `make` gives the operator of a complex, for the parts of K on which the clusters are compared.
    """
    k = int(mine.numbers.max()) + 1
    ways = ((make, mine), (without_cells, plain))
    edges = K.n_cells[1] if K.max_rank else 0
    worthwhile = k > 1 and edges > 0 and K.n_vertices <= _MOST
    again = _again(K, k, ways, generator(rng)) if worthwhile else None
    names = (name, "the weighted projection" if is_hypergraph(K) else "L")
    W = weighted_edges(K)
    stable = (None, None) if again is None else again.stable
    judged = [
        Judged(operator, modularity_by(W, c.numbers), stability)
        for operator, c, stability in zip(names, (mine, plain), stable, strict=True)
    ]
    return Verdict(
        k,
        why,
        judged[0],
        judged[1],
        clustering_accuracy(mine, plain),
        None if again is None else again.chance,
        K.n_vertices,
        None if again is None else again.varies,
        edge_trust(K).held,
        edges == K.n_vertices - (int(K.components().max()) + 1),
    )


def gap_in_words(clusters: Clusters) -> str:
    """Why `cluster` took that number: the gap after it, and whether another is nearly as large."""
    if clusters.gaps is None:
        return "as asked for"
    k, gaps = int(clusters.numbers.max()) + 1, clusters.gaps
    if k > len(gaps):
        return "there are too few vertices for a gap"
    among = f"the largest of the first {len(gaps) + 1}"
    said = f"the gap after eigenvalue {k} is {among} ({gaps[k - 1]:.3g})"
    others = np.delete(gaps, [0, k - 1])
    if len(others) and gaps[k - 1] < _CLEAR * others.max():
        second = int(np.argsort(-gaps[1:], kind="stable")[1]) + 2
        said += f", but not clearly: after {second} it is {gaps[second - 1]:.3g}"
    return said


class _Again(NamedTuple):
    stable: tuple[float, float]
    chance: float
    varies: Varies


def _agreement(a: IntArray, b: IntArray) -> float:
    """The adjusted Rand index: which pairs are together in both, 1 for all and 0 as by chance.

    >>> _agreement(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    both = np.bincount(a * (b.max() + 1) + b)
    together, first, second = (
        float((n * (n - 1) // 2).sum()) for n in (both, np.bincount(a), np.bincount(b))
    )
    pairs = len(a) * (len(a) - 1) / 2
    by_chance = first * second / pairs if pairs else 0.0
    most = (first + second) / 2
    return (together - by_chance) / (most - by_chance) if most > by_chance else 1.0


def _again(
    K: Complex, k: int, ways: tuple[tuple[Make, Clusters], ...], rng: np.random.Generator
) -> _Again:
    """Cluster parts of the network by both operators, and random networks by L."""
    whole = weighted_edges(K)
    alike, moved, modular = (np.zeros((2, _DRAWS)) for _ in range(3))
    chance = np.zeros(_DRAWS)
    with quiet():
        for draw in range(_DRAWS):
            part = thinned(K, _LEFT_OUT, rng)
            for row, (make, clusters) in enumerate(ways):
                there = cluster(make(part), k, rng=draw).numbers
                alike[row, draw] = _agreement(clusters.numbers, there)
                moved[row, draw] = 1.0 - clustering_accuracy(clusters.numbers, there)
                modular[row, draw] = modularity_by(whole, there)
            W = shuffled(K, rng)
            L = sparse.diags_array(np.asarray(W.sum(axis=1)).ravel()) - W
            chance[draw] = modularity_by(
                sparse.coo_array(sparse.triu(W, 1)), cluster(as_operator(L), k, rng=draw).numbers
            )
    spread = [2.0 * float((x[0] - x[1]).std(ddof=1)) for x in (modular, alike)]
    mine, plain = alike.mean(axis=1).tolist()
    return _Again((mine, plain), float(chance.mean()), Varies(float(moved.mean()), *spread))


def quiet() -> warnings.catch_warnings[None]:
    """Return clusters of a trial, whose warnings would be of no use to anybody."""
    return warnings.catch_warnings(action="ignore", category=CellapseWarning)
