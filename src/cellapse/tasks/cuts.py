r"""How much a signal varies, the slowest one, and the cut it suggests.

    energy            x^T S x
    total variation   sum_{i<j} |S_ij| |x_i - x_j|
    conductance       phi(U) = cut(U) / min(mass U, mass of the rest),
                      cut(U) = sum_{i in U, j not in U} -S_ij
    sweep cut         the least phi(U)  over  U = {i : x_i <= t}
    Cheeger constant  the least phi(U)  over all U

Cheeger's inequalities bound both for every S with S 1 = 0 and D-centred x. With L the Laplacian of
the entries of S below zero,

    lambda_2 / 2 <= phi,     phi of the sweep <= sqrt(2 (x^T L x / x^T D x) max_i L_ii / D_i),

as phi of S is at most that of L. Where no entry off the diagonal is positive, L = S; for x the
Fiedler vector of S u = lambda D u the quotient is then lambda_2.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._shared.align import align_one_each, unpack
from cellapse._shared.arrays import BoolArray, FloatArray, row_sum
from cellapse._shared.card import Card, Shown, few
from cellapse._shared.memory import Fitting
from cellapse._shared.pictures import bars, points
from cellapse._shared.scaling import homogeneous
from cellapse.tasks.clustering import Mass, cut_mass
from cellapse.tasks.embedding import permutable_signs

EVERY_CUT = 20  # so many vertices have 2^19 cuts, looked at within a tenth of a second


@Fitting("the energy", "take fewer columns at a time")
def dirichlet_energy(operator: Any, signal: Any) -> Any:
    """Return how much a signal varies over the complex; one number per column.

    E(x) = x^T S x.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    signal : (n,) or (n, d) array
        One number per vertex, or several columns.

    Returns
    -------
    float, or d numbers

    Examples
    --------
    >>> dirichlet_energy([[1.0, -1.0], [-1.0, 1.0]], [3.0, 1.0])
    4.0
    """
    S = as_operator(operator)
    x, _ = unpack(signal, S)
    return _one_a_column(homogeneous(lambda x: (x * (S @ x)).sum(axis=0), x, 2), signal)


@Fitting("the variation", "take fewer columns at a time")
def total_variation(operator: Any, signal: Any) -> Any:
    """Return how much a signal varies, where jumps count by their size and not by its square.

    V(x) = sum over i < j of |S_ij| |x_i - x_j|.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    signal : (n,) or (n, d) array
        One number per vertex, or several columns.

    Returns
    -------
    float, or d numbers

    Examples
    --------
    >>> total_variation([[1.0, -1.0], [-1.0, 1.0]], [3.0, 1.0])
    2.0
    """
    S = as_operator(operator)
    x, _ = unpack(signal, S)
    upper = sparse.triu(_matrix(S), k=1, format="coo")

    def of(x: FloatArray) -> FloatArray:
        return np.abs(upper.data) @ np.abs(x[upper.row] - x[upper.col])

    return _one_a_column(homogeneous(of, x), signal)


@dataclass(frozen=True, eq=False, repr=False)
class Fiedler(Shown):
    """The second eigenpair: how well an operator is connected, and its slowest signal.

    Attributes
    ----------
    value : float
        0 for several components.
    vector : (n,) array
    residual : float
    labels : sequence
    """

    value: float
    vector: FloatArray = field(repr=False)
    residual: float
    labels: Sequence[Hashable] = field(repr=False)

    def _card(self) -> Card:
        rows = (
            ("value", f"{self.value:.6g}, with a residual of {self.residual:.1g}"),
            (
                "sides",
                f"{int((self.vector > 0).sum()):,} vertices above zero, "
                f"{int((self.vector < 0).sum()):,} below",
            ),
        )
        calls = (
            ("fiedler.vector", "is the array, in the order of fiedler.labels"),
            ("cl.tasks.sweep_cut(S)", "is the cut that it suggests"),
        )
        title = f"Fiedler value {self.value:.4g} of {len(self.labels):,} vertices"
        return Card(title, rows, lambda: points(np.sort(self.vector)), calls)


def fiedler(operator: Any, *, mass: Mass = "auto") -> Fiedler:
    """Return the second smallest eigenpair of S u = lambda D u.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
        Of a graph, its collapse; the algebraic connectivity of textbooks is the `value` of
        `graph_laplacian(graph)` with mass=None.
    mass : "auto", "diagonal", "degree", n numbers or None
        D, as in `cluster`: the diagonal of S by default, None the identity.

    Returns
    -------
    Fiedler
        With a `value` and a `vector`.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> lowest = fiedler(cl.graph_laplacian(cl.clique_complex(nx.path_graph(4))), mass=None)
    >>> round(lowest.value, 3), lowest.vector.round(2).tolist()
    (0.586, [0.65, 0.27, -0.27, -0.65])
    """
    S = as_operator(operator)
    return _fiedler(S, cut_mass(S, mass))


@dataclass(frozen=True, eq=False, repr=False)
class Cut(Shown):
    """Two sides of a complex.

    Attributes
    ----------
    inside : (n,) boolean array
        The side of less mass.
    conductance : float
        cut / mass of that side.
    lower : float or None
        Cheeger's lower bound lambda_2 / 2 of every conductance; None where lambda_2 was not asked
        for: with scores of one's own.
    upper : float
        Cheeger's upper bound of the best sweep over the scores.
    labels : sequence

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> cut = cl.tasks.sweep_cut(cl.graph_laplacian(cl.clique_complex(nx.barbell_graph(4, 0))))
    >>> int(cut.inside.sum()), round(cut.conductance, 3)
    (4, 0.077)
    """

    inside: BoolArray = field(repr=False)
    conductance: float
    lower: float | None
    upper: float
    labels: Sequence[Hashable] = field(repr=False)

    def _card(self) -> Card:
        below = "at most" if self.lower is None else f"{self.lower:.4g} to"
        rows = [("Cheeger", f"{below} {self.upper:.4g}"), ("inside", few(self.members()))]
        calls = (
            ("cut.members()", "are the labels inside"),
            ("K.plot(cut.inside)", "draws the two sides"),
        )
        n, rest = (int(side.sum()) for side in (self.inside, ~self.inside))
        title = f"Cut of {n:,} from {rest:,} vertices: conductance {self.conductance:.4g}"
        sizes = [n, rest]
        return Card(title, tuple(rows), lambda: bars(sizes), calls)

    def members(self) -> list[Hashable]:
        """Return the labels of the vertices inside."""
        return [self.labels[i] for i in np.flatnonzero(self.inside).tolist()]


def sweep_cut(operator: Any, scores: Any = None, *, mass: Mass = "auto") -> Cut:
    """Return the cut of least conductance among the level sets of a signal.

    conductance(C) = cut(C) / mass(C), the least over all prefixes of the vertices in their order.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
        With S 1 = 0: a Laplacian or its collapse.
    scores : n numbers or pandas Series, optional
        By default the Fiedler vector. Equal scores stay on one side.
    mass : "auto", "diagonal", "degree", n numbers or None
        As in `cluster`, the diagonal of S by default. The mass of a side is the sum of those of its
        vertices; None counts vertices.

    Returns
    -------
    Cut

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> cut = sweep_cut(cl.graph_laplacian(cl.clique_complex(nx.barbell_graph(4, 0))))
    >>> sorted(cut.members()) in ([0, 1, 2, 3], [4, 5, 6, 7]), round(cut.conductance, 4)
    (True, 0.0769)
    """
    S, M, D = _to_cut(operator, mass)
    if scores is None:
        lowest = _fiedler(S, D)
        x, lower = lowest.vector, lowest.value / 2.0
    else:
        x, lower = align_one_each(scores, S.labels, "scores", cells=S.onto > 0), None
    inside, conductance = best_sweep(M, x, D)
    return Cut(inside, conductance, lower, _cheeger_upper_bound(M, x, D), S.labels)


def cheeger_constant(operator: Any, *, mass: Mass = "auto") -> Cut:
    """Find the cut of least conductance among all subsets, for at most 20 vertices.

    h = min cut(U) / min(mass U, mass of the rest) over all U, by looking at every one of the
    2^(n-1) cuts; it is hard to find for many vertices, where `sweep_cut` bounds it.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
        With S 1 = 0: a Laplacian or its collapse.
    mass : "auto", "diagonal", "degree", n numbers or None
        As in `sweep_cut`: None counts vertices, as the Cheeger constant of the plain Laplacian
        does.

    Returns
    -------
    Cut
        Its `conductance` is h, between its `lower` and its `upper`.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.cycle_graph(8)))
    >>> cheeger_constant(L, mass=None).conductance
    0.5
    """
    S, M, D = _to_cut(operator, mass)
    n = S.shape[0]
    if n > EVERY_CUT:
        raise InputError(
            f"{n:,} vertices have 2^{n - 1:,} cuts; give at most {EVERY_CUT}, or take "
            "cl.tasks.sweep_cut, which bounds the constant"
        )
    cut, weight = _every_cut(M.toarray(), D)
    ratio = cut[1:] / np.minimum(weight, D.sum() - weight)[1:]  # the first is the empty set
    best = int(np.argmin(ratio))
    inside = (best + 1) >> np.arange(n) & 1 == 1
    if D[inside].sum() > D.sum() / 2:
        inside = ~inside
    lowest = _fiedler(S, D)
    upper = _cheeger_upper_bound(M, lowest.vector, D)
    return Cut(inside, max(float(ratio[best]), 0.0), lowest.value / 2.0, upper, S.labels)


def _to_cut(operator: Any, mass: Mass) -> tuple[Operator, sparse.csr_array, FloatArray]:
    """Return an operator that maps constants to zero, its matrix and its masses."""
    S = as_operator(operator)
    n = S.shape[0]
    if n < 2 or np.abs(S @ np.ones(n)).max() > 1e-8 * row_sum(S.A):
        raise InputError(
            f"a cut of {S!r}; it needs two vertices and an operator that maps constants to zero: "
            'a Laplacian, or a realization other than "incidence"'
        )
    D = cut_mass(S, mass)
    return S, _matrix(S), np.ones(n) if D is None else D


def _every_cut(M: FloatArray, D: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return cut(U) and the mass of U for every U without the last vertex, in binary order.

    cut(U + i) = cut(U) + M_ii + 2 sum_{j in U} M_ij, as cut(U) = 1_U^T M 1_U.
    """
    cut = np.zeros(1)
    for i in range(len(D) - 1):
        cut = np.concatenate([cut, cut + M[i, i] + 2.0 * _subset_sums(M[i, :i])])
    return cut, _subset_sums(D[:-1])


def _subset_sums(values: FloatArray) -> FloatArray:
    """Return the sum of every subset, in binary order."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums


def _cheeger_upper_bound(M: sparse.csr_array, x: FloatArray, D: FloatArray) -> float:
    """Bound the best sweep over x: sqrt(2 x^T L x / x^T D x max L_ii / D_i), x centred."""
    entries = sparse.triu(M, k=1, format="coo")
    weight = np.maximum(-entries.data, 0.0)
    x = x / np.abs(x).max()
    x = x - (D @ x) / D.sum()
    energy = weight @ (x[entries.row] - x[entries.col]) ** 2
    degree = np.bincount(entries.row, weight, len(x)) + np.bincount(entries.col, weight, len(x))
    return float(np.sqrt(2.0 * energy / (D @ x**2) * (degree / D).max()))


def best_sweep(M: Any, x: FloatArray, D: FloatArray) -> tuple[BoolArray, float]:
    """Return the side of less mass of the best level set of x, and its conductance."""
    n = len(x)
    order = np.argsort(x, kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    entries = sparse.triu(M, k=1, format="coo")
    low = np.minimum(place[entries.row], place[entries.col])
    high = np.maximum(place[entries.row], place[entries.col])
    steps = np.bincount(low, weights=-entries.data, minlength=n)
    steps -= np.bincount(high, weights=-entries.data, minlength=n)
    weight = np.cumsum(D[order])
    smaller = np.minimum(weight, weight[-1] - weight)[:-1]
    distinct = np.diff(x[order]) > 1e-9 * np.abs(x).max()  # no cut between equal scores
    if not distinct.any():
        raise InputError("all scores are equal; give numbers that differ between vertices")
    ratio = np.where(distinct, np.cumsum(steps)[:-1] / smaller, np.inf)
    best = int(np.argmin(ratio))
    below = place <= best
    inside = below if weight[best] <= weight[-1] / 2 else ~below
    return inside, max(float(ratio[best]), 0.0)


def _fiedler(S: Operator, D: FloatArray | None) -> Fiedler:
    if S.shape[0] < 2:
        raise InputError(f"{S!r} has one vertex or none; a second eigenvector needs two")
    spectrum = S.spectrum(2, D)
    vector = permutable_signs(spectrum.vectors[:, 1:])[:, 0]
    return Fiedler(float(spectrum.values[1]), vector, float(spectrum.residuals[1]), S.labels)


def _matrix(S: Operator) -> sparse.csr_array:
    matrix = S.matrix
    return sparse.csr_array(S.toarray()) if matrix is None else matrix


def _one_a_column(values: Any, given: Any) -> Any:
    if np.ndim(values) == 0:
        return float(values)
    if hasattr(given, "columns"):  # a frame: one number for each of its columns
        import pandas as pd

        return pd.Series(values, given.columns)
    return values
