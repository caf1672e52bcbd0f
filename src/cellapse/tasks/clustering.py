r"""Clusters of vertices by the normalized cut.

The first eigenvectors of S u = lambda D u embed the vertices; k-means groups the rows, scaled to
unit length.

On networks with hubs and few triangles a handful of triangles can look like a group of its own, and
all the rest becomes one cluster. Whoever was given that operator by default is warned.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._complex.complex import Complex
from cellapse._errors import CellapseWarning, InputError, SizeError
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._operators.fair import weighted_edges, without_cells
from cellapse._shared.align import align_groups, own_labels
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import generator, listed, one_of, whole_number
from cellapse._shared.memory import Fitting
from cellapse._shared.notes import warn_user
from cellapse._shared.pictures import bars
from cellapse._shared.tables import to_frame
from cellapse.tasks._kmeans import by_kmeans

Mass = str | ArrayLike | None

_NO_GAP = 1e-9  # of the largest eigenvalue
MOST_CLUSTERS = 20  # that are suggested
_MANY = 10_000  # beyond, one product with the operator for each vertex takes minutes
_SEVERAL = 3_000  # beyond, they take far longer than the eigenvectors
_MOST_IN_ONE = 0.6  # of the vertices in one cluster: only then is L asked at all
_BEHIND = 0.02  # of modularity


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
        """Return a pandas DataFrame with the column `cluster`, indexed by label."""
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


@Fitting("the clustering", "take fewer clusters")
def cluster(
    operator: Any,
    n_clusters: int | None = None,
    *,
    mass: Mass = "auto",
    n_eigenpairs: int | None = None,
    assign_labels: str = "kmeans",
    rng: int | np.random.Generator = 0,
) -> Clusters:
    """Group the vertices by the normalized cut of an operator.

    Where there are at least as many components as clusters, any grouping of whole components cuts
    nothing: they are shared out by mass, the heaviest first, with a warning. Fewer components than
    clusters are no case of their own; an isolated vertex is a component.

    The first eigenvectors of S u = lambda D u are coordinates of the vertices; k-means groups them.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
        Collapsed, baseline or any other, see `as_operator`. Of a graph or complex itself it is
        "renormalized", with a warning where that puts nearly all into one cluster and the graph
        Laplacian does better, as with hubs.
    n_clusters : int, optional
        By default the number before the largest gap of the first eigenvalues, as
        `suggest_n_clusters` gives it.
    mass : "auto", "diagonal", "degree", n numbers or None
        D of the generalized eigenproblem: the diagonal of S, that of A, as given, or the identity.
        "auto" is the diagonal of S where it is cheap, and that of A, which is close to it, for
        more than 3,000 vertices where S is no sparse matrix; the result says which.
    n_eigenpairs : int, optional
        Eigenvectors used, `n_clusters` by default; 1 is the Fiedler vector alone, as in the paper.
    assign_labels : {"kmeans", "discretize"}
        How rows become clusters: k-means with ten starts, or the rotation of Yu and Shi that
        brings them closest to indicators.
    rng : seed or numpy Generator
        For the starts of k-means, or the first rotation.

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
    S = as_operator(operator)
    n = S.shape[0]
    if n_clusters is not None:
        n_clusters = whole_number("n_clusters", n_clusters, 1, n)
    one_of("assign_labels", assign_labels, ("kmeans", "discretize"))
    D, gaps = cut_mass(S, mass), None
    if n_clusters is None:
        several = S.spectrum(min(MOST_CLUSTERS + 1, n), D)
        n_clusters, gaps = _before_the_gap(several), np.diff(several.values)
        spectrum = several.first(n_clusters)
    elif n_eigenpairs is None:
        spectrum = S.spectrum(n_clusters, D)
    if n_eigenpairs is None:
        numbers = group_rows(S, spectrum.vectors, D, n_clusters, assign_labels, rng)
    else:
        n_eigenpairs = whole_number("n_eigenpairs", n_eigenpairs, 1, n - 1)
        spectrum = S.spectrum(n_eigenpairs + 1, D)
        rows = _scaled(spectrum.vectors[:, 1:], D)
        _require_as_many(n_eigenpairs, n_clusters, assign_labels)
        numbers = _in_order(assigned(rows, n_clusters, assign_labels, rng))
    by_default = S is not operator and isinstance(S, CollapsedOperator)
    if by_default and S.source is not None:
        warn_of_hubs(S.source, numbers, lambda L, k: cluster(L, k, rng=rng).numbers)
    return Clusters(numbers, S.labels, spectrum, _resolved(S, mass), gaps)


def _require_as_many(n_eigenpairs: int, n_clusters: int, assign_labels: str) -> None:
    if assign_labels == "discretize" and n_eigenpairs != n_clusters:
        raise InputError(
            f'n_eigenpairs={n_eigenpairs} with assign_labels="discretize"; it turns one vector '
            f'into one cluster: leave n_eigenpairs out, or use "kmeans"'
        )


def group_rows(
    S: Operator,
    vectors: FloatArray,
    D: FloatArray | None,
    n_clusters: int,
    assign_labels: str = "kmeans",
    rng: int | np.random.Generator = 0,
) -> IntArray:
    """Return the clusters of `cluster` from known eigenvectors of S u = lambda D u."""
    if n_clusters > 1 and (S.kernel is not None and S.kernel.shape[1] > n_clusters):
        return _share_out(S, n_clusters, D)
    rows = unit_rows(_scaled(vectors[:, :n_clusters], D))
    return _in_order(assigned(rows, n_clusters, assign_labels, rng))


def clusters_by(
    S: Operator,
    spectrum: Spectrum,
    D: FloatArray | None,
    n_clusters: int | None = None,
    rng: int | np.random.Generator = 0,
) -> Clusters:
    """Return what `cluster(S, n_clusters)` gives, from known eigenpairs of S u = lambda D u."""
    gaps = None
    if n_clusters is None:
        several = spectrum.first(min(MOST_CLUSTERS + 1, len(spectrum)))
        n_clusters, gaps = _before_the_gap(several), np.diff(several.values)
    numbers = group_rows(S, spectrum.vectors, D, n_clusters, rng=rng)
    return Clusters(numbers, S.labels, spectrum.first(n_clusters), _resolved(S, "auto"), gaps)


def cut_mass(S: Operator, mass: Mass) -> FloatArray | None:
    """The masses of a cut; refused where the diagonal would take one solve for each vertex."""
    if isinstance(mass, str) and mass == "diagonal" and _expensive(S, _MANY):
        raise SizeError(
            f'mass="diagonal" for {S!r} takes {S.shape[0]:,} products with the operator; pass '
            'mass="degree" (the diagonal of A, close to it), or use realization="screened", '
            "which is a sparse matrix"
        )
    return S._mass(_resolved(S, mass) if isinstance(mass, str) else mass)


def _resolved(S: Operator, mass: Mass) -> str | None:
    """Return the name of the masses that are used."""
    if isinstance(mass, str):
        return mass if mass != "auto" else "degree" if _expensive(S, _SEVERAL) else "diagonal"
    return None if mass is None else "given"


def _expensive(S: Operator, most: int) -> bool:
    """Return whether the diagonal would take more than so many products."""
    return S.matrix is None and S.shape[0] > most


def _scaled(vectors: FloatArray, D: FloatArray | None) -> FloatArray:
    return vectors if D is None else np.sqrt(D)[:, None] * vectors


def _share_out(S: Operator, n_clusters: int, D: FloatArray | None) -> IntArray:
    """Return whole components, the heaviest first, each to the cluster that is lightest so far."""
    assert S.kernel is not None
    parts = S.kernel.tocoo()
    component = np.full(S.shape[0], S.kernel.shape[1])  # what no zero belongs to stays together
    component[parts.row] = parts.col
    warnings.warn(
        f"{S.kernel.shape[1]} components for {n_clusters} clusters: whole components were put "
        "together, which cuts nothing; to split the largest one, keep only its vertices",
        CellapseWarning,
        stacklevel=4,
    )
    weight = np.bincount(component, weights=D)
    number, load = np.zeros(len(weight), dtype=np.int64), np.zeros(n_clusters)
    for c in np.argsort(-weight, kind="stable"):
        number[c] = np.argmin(load)
        load[number[c]] += weight[c]
    return _in_order(number[component])


def _in_order(numbers: IntArray) -> IntArray:
    """Numbered in the order in which the vertices meet them, whatever k-means called them."""
    _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)


def suggest_n_clusters(
    operator: Any, max_clusters: int = MOST_CLUSTERS, mass: Mass = "auto"
) -> int:
    """Return the number of clusters before the largest gap of the first eigenvalues.

    The k <= max_clusters with the largest lambda_{k+1} - lambda_k of S u = lambda D u.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    max_clusters : int
        The most that are suggested.
    mass : "auto", "diagonal", "degree", n numbers or None
        D, as in `cluster`.

    Returns
    -------
    int

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.connected_caveman_graph(4, 6))
    >>> suggest_n_clusters(cl.collapse(K, realization="screened"))
    4
    """
    S = as_operator(operator)
    n = S.shape[0]
    whole_number("max_clusters", max_clusters, 1)
    return _before_the_gap(S.spectrum(min(max_clusters + 1, n), cut_mass(S, mass)))


def _before_the_gap(spectrum: Spectrum) -> int:
    gaps = np.diff(spectrum.values)[1:]
    if not len(gaps) or gaps.max() <= _NO_GAP * spectrum.values[-1]:
        return 1  # all are alike, as in a complete graph: rounding would choose
    return 2 + int(np.argmax(gaps))


@Fitting("all pairs of a cluster and a group", "give fewer of both")
def clustering_accuracy(clusters: Any, groups: Any) -> float:
    """Return share of vertices in the right group, after the best matching of clusters to groups.

    max over matchings m of the share of vertices with m(cluster) = group.

    Parameters
    ----------
    clusters : Clusters or one number per vertex
    groups : one value per vertex
        The group of every vertex. Where both have labels (`Clusters`, Series, mappings) they are
        aligned by them, else by position.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> clustering_accuracy([1, 1, 0], ["a", "a", "a"])
    0.6666666666666666
    """
    from scipy.optimize import linear_sum_assignment

    labels = own_labels(clusters, "clusters")
    labels = own_labels(groups, "groups") if labels is None else labels
    if labels is None:
        labels = range(len(listed(groups, "groups")))
    first = align_groups(clusters, labels, "clusters")
    second = align_groups(groups, labels, "groups")
    if not len(first):
        raise InputError("clusters and groups of no vertex; give one of each for some")
    i, j = _numbered(first, "clusters"), _numbered(second, "groups")
    table = np.zeros((i.max() + 1, j.max() + 1), dtype=np.int64)
    np.add.at(table, (i, j), 1)
    rows, columns = linear_sum_assignment(-table)
    return float(table[rows, columns].sum() / len(i))


def _numbered(values: NDArray[Any], name: str) -> IntArray:
    """Return each value by its number, in order of appearance; words and numbers may be mixed."""
    number_of: dict[Any, int] = {}
    try:
        return np.array([number_of.setdefault(v, len(number_of)) for v in values.tolist()])
    except TypeError as error:
        raise InputError(f"{name} are not comparable ({error}); give words or numbers") from None


def assigned(
    rows: FloatArray, n_clusters: int, assign: str, rng: int | np.random.Generator
) -> IntArray:
    """Return a number for every row, by k-means or by rotation."""
    random = generator(rng)
    if assign == "discretize":
        return _by_rotation(unit_rows(rows), random)
    return by_kmeans(rows, n_clusters, random)


def unit_rows(rows: FloatArray) -> FloatArray:
    """Return rows of length one; zeros stay."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1.0)


def _by_rotation(rows: FloatArray, rng: np.random.Generator) -> IntArray:
    """Alternate between the nearest indicators and the rotation that is best for them."""
    n, k = rows.shape
    R = np.zeros((k, k))
    R[:, 0] = rows[rng.integers(n)]
    overlap = np.zeros(n)
    for j in range(1, k):  # rows as far apart as can be
        overlap += abs(rows @ R[:, j - 1])
        R[:, j] = rows[np.argmin(overlap)]
    best = -np.inf
    for _ in range(100):  # it ends by itself after a few
        numbers = np.argmax(rows @ R, axis=1)
        indicators = np.zeros((n, k))
        indicators[np.arange(n), numbers] = 1.0  # a rotation has no scale
        U, sigma, Vt = linalg.svd(indicators.T @ rows)
        gained = sigma.sum() - best
        if gained <= 1e-12 * n:  # rounding, or a step; never in between
            break
        best, R = float(sigma.sum()), Vt.T @ U.T
    return numbers


def warn_of_hubs(K: Complex, numbers: IntArray, again: Callable[[Operator, int], IntArray]) -> None:
    """Warn where one cluster holds most vertices, and those of L (`again`) are far more modular."""
    sizes = np.bincount(numbers)
    if len(sizes) < 2 or sizes.max() <= _MOST_IN_ONE * len(numbers) or not K.n_cells[1]:
        return
    edges, plain = weighted_edges(K), without_cells(K)
    mine, other = (modularity_by(edges, c) for c in (numbers, again(plain, len(sizes))))
    if other > mine + _BEHIND:
        warn_user(
            f"one cluster holds {sizes.max():,} of {len(numbers):,} vertices, and the clusters of "
            f"the {plain.name} have modularity {other:.3f}, these {mine:.3f}: the network has "
            "hubs and few cells, it seems; better cluster that operator, and see tasks.verdict"
        )
