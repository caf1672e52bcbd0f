r"""Effective conductance and resistance between vertices, by the definition of the paper.

    C_ij = min x^T S x  over  x_i - x_j = 1,     R_ij = 1 / C_ij = b^T S^+ b,  b = e_i - e_j

where b lies in the range of S; otherwise (two components of a graph) C_ij = 0 and R_ij = inf. Every
vertex gets coordinates z_i with R_ij = |z_i - z_j|^2: all of S^+ for small complexes, or a random
sketch of it (Spielman and Srivastava) with a stated error for large ones.

Of a network (a graph, a complex, an adjacency, points, a file) the resistances are those of its
edges, each a resistor of conductance w, its weight (networkx: `invert_weight=False`): the operator
is the graph Laplacian, as in textbooks, for a hypergraph the weighted projection. Of an operator or
a matrix they are its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cellapse._complex.labels import positions
from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._operators.fair import without_cells
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import generator, listed
from cellapse._shared.memory import Fitting, require_memory
from cellapse.tasks._coordinates import exact_coordinates, groups_of
from cellapse.tasks._distances import all_squares, group_sums, squares
from cellapse.tasks._sketch import sketched_coordinates

Scale = Callable[[FloatArray, IntArray, IntArray], FloatArray]

_DENSE = 2000  # up to this many vertices pairs are read off the dense inverse
_BLOCK = 64  # right-hand sides solved at once
_SOLVED = 1e-12  # what `solve` promises
_FEWER = "ask for fewer pairs, or give rtol= for estimates"
_TOLERANCE = 1e-5  # relative error up to which a resistance counts as known


@Fitting("the resistances", _FEWER)
def effective_resistance(
    operator: Any,
    pairs: Any = None,
    *,
    rtol: float | None = None,
    rng: int | np.random.Generator = 0,
) -> FloatArray:
    """The effective resistance between pairs of vertices, or all of them.

    Known to a relative error of 1e-5 at worst, or a `ConvergenceError`. A difference whose energy
    is nothing but rounding has none: its resistance is inf.

    R_ij = (e_i - e_j)^T S^+ (e_i - e_j), with S^+ the pseudo-inverse.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network, whatever can be lifted
        Of a network the graph Laplacian with its weights as conductances, whatever its cells are;
        for a hypergraph the weighted projection.
    pairs : list of pairs of labels, or (m, 2) array, optional
        By default all: an (n, n) array in the order of `operator.labels`.
    rtol : float, optional
        By default exact: from the dense inverse up to 2,000 vertices, one solve a pair above. With
        a number, from a random sketch of 2 / rtol^2 solves for any number of pairs, with this
        relative standard error; for diagonally dominant matrices (Laplacians, the screened
        operator).
    rng : seed or numpy Generator
        For the sketch.

    Returns
    -------
    array
        m numbers, or (n, n).

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph("abcd")))
    >>> effective_resistance(L, [("a", "d"), ("b", "c")]).round(6).tolist()
    [3.0, 1.0]
    >>> karate = nx.Graph(nx.karate_club_graph().edges)  # as in networkx; of its collapse
    >>> S = cl.collapse(cl.clique_complex(karate))
    >>> [effective_resistance(given, [(0, 33)]).round(4).tolist() for given in (karate, S)]
    [[0.2538], [1.3222]]
    """
    S = _resisting(operator)
    return _resistances(S, pairs, rtol, rng, lambda R, i, j: R)


@Fitting("the resistances", _FEWER)
def effective_conductance(
    operator: Any,
    pairs: Any = None,
    *,
    rtol: float | None = None,
    rng: int | np.random.Generator = 0,
) -> FloatArray:
    """The effective conductance: one over the resistance; 0 between components, inf to itself.

    C_ij = min x^T S x over x_i - x_j = 1.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network
        As for `effective_resistance`.
    pairs : list of pairs of labels, optional
        As for `effective_resistance`; all pairs by default.
    rtol, rng
        As for `effective_resistance`.

    Returns
    -------
    array
        One number per pair, or an (n, n) array of all.

    Examples
    --------
    >>> effective_conductance([[1.0, -1.0], [-1.0, 1.0]], [(0, 1)]).round(6).tolist()
    [1.0]
    """
    return _conductances(_resisting(operator), pairs, rtol, rng)


@Fitting("the resistances", _FEWER)
def kirchhoff_index(
    operator: Any, *, rtol: float | None = None, rng: int | np.random.Generator = 0
) -> float:
    """The sum of the effective resistances over all pairs; inf for several components.

    sum over i < j of R_ij = n (1 / lambda_2 + ... + 1 / lambda_n).

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network
        As for `effective_resistance`.
    rtol, rng
        As for `effective_resistance`.

    Returns
    -------
    float

    Examples
    --------
    >>> kirchhoff_index([[1.0, -1.0], [-1.0, 1.0]])
    1.0
    """
    S = _resisting(operator)

    def total(x: FloatArray, group: IntArray) -> FloatArray:
        return np.array(np.inf if group.max(initial=0) > 0 else group_sums(x, group).sum() / 2)

    return float(_read(S, rtol, rng, total, lambda R: R))


@Fitting("the resistances", _FEWER)
def resistance_centrality(
    operator: Any, *, rtol: float | None = None, rng: int | np.random.Generator = 0
) -> FloatArray:
    """How close each vertex is to the others: one over its mean resistance to its component.

    c_i = (m - 1) / sum_j R_ij over the m vertices of the component (current-flow closeness); 0 for
    an isolated vertex.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network
        As for `effective_resistance`.
    rtol, rng
        As for `effective_resistance`.

    Returns
    -------
    (n,) array
        In the order of `operator.labels`.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(3)))
    >>> resistance_centrality(L).round(3).tolist()
    [0.667, 1.0, 0.667]
    """
    S = _resisting(operator)
    groups: list[IntArray] = []  # as they were in the end

    def sums(x: FloatArray, group: IntArray) -> FloatArray:
        groups.append(group)
        return group_sums(x, group)

    total = _read(S, rtol, rng, sums, lambda R: R)
    others = np.bincount(groups[-1])[groups[-1]] - 1
    return np.where(others > 0, others / np.where(others > 0, total, 1.0), 0.0)


def _resisting(given: Any) -> Operator:
    """An operator as it is, and of a network that of its edges."""
    return as_operator(given, without_cells)


def conductances(S: Operator) -> FloatArray:
    """C_ij of all pairs i < j, of any symmetric operator."""
    return _conductances(S, None, None, 0)[np.triu_indices(S.shape[0], 1)]


def _conductances(
    S: Operator, pairs: Any, rtol: float | None, rng: int | np.random.Generator
) -> FloatArray:
    diagonal = S.diagonal()

    def scale(R: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
        # C_ij is at most S_ii and S_jj, the energy of a signal at one vertex alone: what is nothing
        # beside them is known well enough, though its inverse may not be.
        # An S that is zero to rounding has no such scale: next to nothing no error is small.
        return R**2 * np.maximum(np.minimum(diagonal[i], diagonal[j]), 1e-300)

    R = _resistances(S, pairs, rtol, rng, scale)
    with np.errstate(divide="ignore"):
        return 1.0 / R


def _pair_positions(pairs: Any, S: Operator) -> IntArray:
    if hasattr(pairs, "columns"):  # a table with a row per pair
        pairs = list(pairs.itertuples(index=False, name=None))
    given = listed(pairs, "pairs")
    if any(not isinstance(pair, tuple | list) or len(pair) != 2 for pair in given):
        raise InputError("pairs holds something that is no pair; give pairs of labels, or (m, 2)")
    place = positions(S.labels)
    try:
        places = [[place[u], place[v]] for u, v in given]
    except (KeyError, TypeError):  # not there, or not to be hashed
        names = list(place)
        unknown = next(v for pair in given for v in pair if v not in names)
        raise InputError(
            f"{unknown!r} in pairs is not among the {S.shape[0]} labels of the operator"
        ) from None
    return np.array(places, dtype=np.int64).reshape(len(given), 2).T


def _resistances(
    S: Operator,
    pairs: Any,
    rtol: float | None,
    rng: int | np.random.Generator,
    scale: Scale,
) -> FloatArray:
    """R of pairs, or of all; `scale` is what errors are relative to."""
    n = S.shape[0]
    if pairs is None:
        require_memory(24.0 * n * n, f"all pairs of {n:,} cells", "give the pairs that you need")
    i, j = np.ogrid[:n, :n] if pairs is None else _pair_positions(pairs, S)
    if rtol is None and n > _DENSE and pairs is not None:
        return _by_solves(S, i, j, scale)

    def distances(x: FloatArray, group: IntArray) -> FloatArray:
        lengths = all_squares(x) if pairs is None else squares(x, i, j)
        return np.where(group[i] == group[j], lengths, np.inf)

    return _read(S, rtol, rng, distances, lambda R: scale(R, i, j))


def _read(
    S: Operator,
    rtol: float | None,
    rng: int | np.random.Generator,
    read: Callable[[FloatArray, IntArray], FloatArray],
    scale: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """A sum of resistances by the first way to coordinates that knows it."""
    if rtol is not None:
        return read(*sketched_coordinates(S, rtol, generator(rng)))
    worst = np.inf
    for coordinates in exact_coordinates(S):
        values = read(coordinates.points, coordinates.group)
        finite = np.isfinite(values) & (values > 0)
        errors = read(coordinates.errors, coordinates.group)[finite]
        with np.errstate(divide="ignore", invalid="ignore"):  # of S = 0 nothing is known
            relative = errors / scale(np.where(finite, values, 1.0))[finite]
        worst = float(relative.max(initial=0.0))
        if worst <= _TOLERANCE:
            return values
    raise _unknown(S, worst)


def _unknown(S: Operator, worst: float) -> ConvergenceError:
    return ConvergenceError(
        f"{S!r} is so close to singular that rounding decides its resistances (relative error up "
        f'to {worst:.1g}); use a larger eps, gamma="bound", or weights that differ less'
    )


def _by_solves(S: Operator, i: IntArray, j: IntArray, scale: Scale) -> FloatArray:
    group = groups_of(S)
    R = np.where(group[i] == group[j], 0.0, np.inf)
    todo = np.flatnonzero((group[i] == group[j]) & (i != j))
    for start in range(0, len(todo), _BLOCK):
        at = todo[start : start + _BLOCK]
        b = np.zeros((S.shape[0], len(at)))
        column = np.arange(len(at))
        b[i[at], column], b[j[at], column] = 1.0, -1.0
        x = S.solve(b)
        R[at] = (b * x).sum(axis=0)
        errors = _SOLVED * np.sqrt(2.0) * np.linalg.norm(x, axis=0)
        worst = float((errors / scale(R[at], i[at], j[at])).max())
        if not worst <= _TOLERANCE:
            raise _unknown(S, worst)
    return R
