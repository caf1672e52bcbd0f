r"""Do the cells matter here? The clusters of S next to those of an operator that sees no cells.

Partitions are judged by the network alone, without labels:

    modularity  share of the weight inside clusters - sum over clusters of (share of the ends)^2,
    stability   the adjusted Rand index with the clusters of the same network without a tenth of its
                edges (of a hypergraph, of its hyperedges), the mean of three draws,
    chance      the modularity of as many clusters in random networks with the same degrees.

S is compared with the graph Laplacian L, on a hypergraph with the projection in which a pair weighs
1 / (size - 1). Cells matter where they change the clusters; there are groups where the modularity
is above that of chance and the clusters are stable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_BEHIND = 0.02  # of modularity: so much less is clearly behind
_STEADIER = 0.1  # of stability: so much more makes up for it
_ABOVE = 0.05  # of modularity over chance, from which there are groups
_STABLE = 0.5
_SAME = 0.005  # of the vertices elsewhere, up to which clusters are called the same
_LITTLE = 0.05


@dataclass(frozen=True)
class Judged:
    """The clusters of one operator: how modular and, where it was measured, how stable."""

    operator: str
    modularity: float
    stability: float | None

    def __str__(self) -> str:
        stable = "" if self.stability is None else f", stability {self.stability:.2f}"
        return f"{self.operator}: modularity {self.modularity:.3f}{stable}"


@dataclass(frozen=True)
class Verdict:
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
    held: float
    forest: bool

    @property
    def same(self) -> bool:
        """Whether the cells make no difference to the clusters."""
        return self.n_clusters < 2 or not self.held or 1.0 - self.agreement <= _SAME

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
        return (
            not self.same and self.ahead < -_BEHIND and not (stable and self.steadier >= _STEADIER)
        )

    @property
    def gain(self) -> bool:
        """Whether the clusters of S are clearly ahead by one measure, and not behind by the other.

        Both measures see the network alone: whether the clusters are right, they cannot know.
        """
        better = self.ahead > _BEHIND or self.steadier > _STEADIER
        worse = self.ahead < -_BEHIND or self.steadier < -_STEADIER
        stable = self.mine.stability is None or self.mine.stability >= _STABLE
        return not self.same and better and stable and not worse

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
            said.append(
                f"random networks with the same degrees have clusters of modularity "
                f"{self.chance:.3f}, too"
            )
        if self.best.stability is not None and self.best.stability < _STABLE:
            said.append(
                "without a tenth of the edges the clusters are others "
                f"(stability {self.best.stability:.2f})"
            )
        return f"Caution, these may be no groups: {'; '.join(said)}." if said else ""

    def sentences(self) -> list[str]:
        """The verdict in words: do the cells matter, why so many clusters, and a caution."""
        return [text for text in (self._difference(), self._count(), self.caution) if text]

    def __str__(self) -> str:
        return "\n".join([*self.sentences(), f"  {self.mine}", f"  {self.plain}"])

    def as_dict(self) -> dict[str, Any]:
        """The figures by name, and the sentences."""
        return {
            "clusters": self.n_clusters,
            "why": self.why,
            "clusters by": self.best.operator,
            "modularity": {j.operator: j.modularity for j in (self.mine, self.plain)},
            "stability": {j.operator: j.stability for j in (self.mine, self.plain)},
            "agreement": self.agreement,
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
        elsewhere = f"{100 * (1.0 - self.agreement):.0f} % of the vertices are in other clusters"
        figures = f"{self.mine.modularity:.3f} against {self.plain.modularity:.3f} of {other}"
        if self.mine.stability is not None and self.plain.stability is not None:
            figures += f", stability {self.mine.stability:.2f} against {self.plain.stability:.2f}"
        figures = f"{elsewhere}, modularity {figures}"
        if self.use_plain:
            return f"The clusters of {mine} are worse here; better use those of {other}: {figures}."
        if self.gain:
            return f"The cells matter here: {figures}."
        if 1.0 - self.agreement <= _LITTLE:
            return f"The cells hardly matter here: {figures}."
        return f"The cells change the clusters, and neither is clearly better: {figures}."

    def _count(self) -> str:
        return "" if self.n_clusters < 2 else f"{self.n_clusters} clusters: {self.why}."
