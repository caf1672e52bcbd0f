"""Figures for papers, with matplotlib: every function draws on the axes given and returns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cellapse._collapse.collapsed import CollapsedOperator, require_collapsed
from cellapse._complex.complex import Complex, require_complex
from cellapse._errors import InputError, extra
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import plain_array, real_array, whole_number
from cellapse.report.content import compression
from cellapse.report.layout import arrange
from cellapse.tasks.embedding import embed
from cellapse.tasks.signatures import heat_kernel_signature

# Okabe and Ito's colours; beyond seven the mark changes, too.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442")
MARKS = ("o", "s", "^", "D")


def plot_spectrum(
    operators: Operator | Mapping[str, Operator], k: int = 30, *, ax: Any = None
) -> Any:
    """The smallest eigenvalues of one or several operators over their index.

    Parameters
    ----------
    operators : Operator or {name: Operator}
        A collapsed operator alone is drawn with A, what it was before the collapse.
    k : int
        How many eigenvalues.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.karate_club_graph()))
    >>> ax = plot_spectrum(S, 10)
    >>> [line.get_label() for line in ax.lines]
    ['S', 'A']
    """
    k, ax = whole_number("k", k, 1), _axes(ax)
    for i, (name, operator) in enumerate(_named(operators).items()):
        if not isinstance(operator, Operator):
            raise InputError(f"{name!r} is a {type(operator).__name__}; give an operator")
        values = operator.spectrum(min(k, operator.shape[0])).values
        colour, mark = PALETTE[i % 7], MARKS[i % 4]
        ax.plot(np.arange(1, len(values) + 1), values, mark, ms=4, color=colour, label=name)
    ax.set(xlabel="index k", ylabel="eigenvalue")
    ax.legend(frameon=False)
    return ax


def plot_compression(S: CollapsedOperator, k: int = 30, *, ax: Any = None) -> Any:
    """Eigenvalues of S divided by those of A, the operator before the collapse.

    >>> import networkx as nx, cellapse as cl
    >>> ax = plot_compression(cl.collapse(cl.clique_complex(nx.karate_club_graph())), 10)
    >>> bool(np.nanmax(ax.lines[0].get_ydata()) <= 1 + 1e-9)
    True
    """
    require_collapsed(S, "plot_compression")
    ax = _axes(ax)
    k = min(whole_number("k", k, 1), S.shape[0])
    ratios = compression(S.spectrum(k).values, _plain(S).spectrum(k).values)
    drawn = np.array([np.nan if r is None else r for r in ratios])
    ax.plot(np.arange(1, k + 1), drawn, "o", ms=4, color=PALETTE[0])
    ax.axhline(1.0, ls="--", color=PALETTE[1])
    ax.set(xlabel="index k", ylabel="eigenvalue of S / of A", ylim=(0, 1.08))
    return ax


def plot_complex(
    source: Complex | CollapsedOperator,
    values: ArrayLike | None = None,
    *,
    positions: ArrayLike | None = None,
    rng: int = 0,
    ax: Any = None,
) -> Any:
    """The complex with its cells; for a screened operator, edges as wide as what they keep.

    Parameters
    ----------
    source : Complex or CollapsedOperator
    values : one whole number or word (a category) or one real number per vertex, optional
        The colours; `Clusters` are fine.
    positions : (n, 2) array, optional
        By default a force layout.
    rng : seed of the layout
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.karate_club_graph()), "screened")
    >>> ax = plot_complex(S, cl.cluster(S, 2))
    >>> len(ax.collections)  # cells, edges, and one for each cluster
    4
    """
    with extra("matplotlib", "plot"):
        from matplotlib.collections import LineCollection, PolyCollection
    K = source.source if isinstance(source, CollapsedOperator) else source
    if K is not None:
        require_complex(K, "plot_complex")
    else:
        raise InputError("this operator was made of matrices; give the Complex to draw")
    edges = K.cells[1].as_array(2) if K.max_rank else np.empty((0, 2), np.int64)
    kept = source.shares if isinstance(source, CollapsedOperator) else None
    shares = np.full(len(edges), 0.5) if kept is None else kept
    if positions is None:
        whole_number("number of vertices to lay out", K.n_vertices, 1, 5000)
        strength = shares / shares.mean() if len(shares) else shares
        xy = arrange(K.n_vertices, edges, strength, whole_number("rng", rng, 0))
    else:
        xy = real_array(positions, "positions")
        if xy.shape != (K.n_vertices, 2):
            raise InputError(f"positions of shape {xy.shape}; give ({K.n_vertices}, 2) numbers")
    ax = _axes(ax)
    cells = [_around(xy[c]) for rank in K.cells[2:] for c in rank]
    opacity = min(0.3, max(0.03, 12 / max(len(cells), 1)))
    ax.add_collection(PolyCollection(cells, facecolor=PALETTE[0], alpha=opacity, zorder=1))
    colours = [(0.25, 0.28, 0.33, 0.1 + 0.6 * s) for s in shares]
    width = 0.3 + 1.5 * shares
    ax.add_collection(LineCollection(list(xy[edges]), colors=colours, linewidths=width, zorder=2))
    _scatter(ax, xy, values, zorder=3)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax


def plot_embedding(
    operator: Operator, values: ArrayLike | None = None, *, mass: Any = "degree", ax: Any = None
) -> Any:
    """Every vertex at the second and third eigenvector of S u = lambda D u.

    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.karate_club_graph()))
    >>> plot_embedding(S).get_xlabel()
    'eigenvector 2'
    """
    ax = _axes(ax)
    _scatter(ax, np.asarray(embed(operator, 2, mass=mass)), values)
    ax.set(xlabel="eigenvector 2", ylabel="eigenvector 3")
    return ax


def plot_signatures(
    operator: Operator, groups: ArrayLike, times: ArrayLike | None = None, *, ax: Any = None
) -> Any:
    """Heat-kernel signatures by group: the median and the band from 10 to 90 %.

    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.karate_club_graph()), "screened")
    >>> len(plot_signatures(S, cl.cluster(S, 2)).lines)
    2
    """
    ax = _axes(ax)
    signature = heat_kernel_signature(operator, times)
    given = plain_array(groups, "groups")
    if given.shape != (len(signature),):
        raise InputError(
            f"groups of shape {given.shape} for {len(signature)} vertices; give one per vertex"
        )
    words = given if given.dtype.kind in "biufU" else np.array(list(map(str, given)))
    names, codes = np.unique(words, return_inverse=True)
    for i, name in enumerate(names):
        low, middle, high = np.quantile(signature.features[codes == i], [0.1, 0.5, 0.9], axis=0)
        style = ("-", "--", ":", "-.")[i // 7 % 4]
        ax.fill_between(signature.at, low, high, color=PALETTE[i % 7], alpha=0.2, lw=0)
        ax.plot(signature.at, middle, style, color=PALETTE[i % 7], label=str(name))
    ax.set(xscale="log", yscale="log", xlabel="time t", ylabel="heat left at the vertex")
    ax.legend(frameon=False)
    return ax


def _axes(ax: Any) -> Any:
    with extra("matplotlib", "plot"):
        from matplotlib.axes import Axes
        from matplotlib.figure import Figure
    if ax is not None and not isinstance(ax, Axes):
        raise InputError(f"ax={ax!r:.80}; give the axes of matplotlib to draw on, or leave it out")
    # A figure of its own, not one of pyplot's: nothing is left open behind the user's back.
    return Figure(layout="constrained").subplots() if ax is None else ax


def _named(operators: Operator | Mapping[str, Operator]) -> Mapping[str, Operator]:
    if isinstance(operators, CollapsedOperator):
        return {"S": operators, "A": _plain(operators)}
    if isinstance(operators, Operator):
        return {getattr(operators, "name", "operator"): operators}
    if not isinstance(operators, Mapping):
        raise InputError(
            f"cannot plot a {type(operators).__name__}; give an operator, such as collapse(...) "
            "makes, or a mapping from names to operators"
        )
    return operators


def _plain(S: CollapsedOperator) -> Operator:
    return SparseOperator(S.A, S.labels, S.kernel)


def _around(points: FloatArray) -> FloatArray:
    """The corners of a cell in the order of a walk around it."""
    x, y = (points - points.mean(axis=0)).T
    return points[np.argsort(np.arctan2(y, x))]


def _scatter(ax: Any, xy: FloatArray, values: Any, zorder: int = 2) -> None:
    look: dict[str, Any] = {"edgecolor": "#1b2430", "linewidth": 0.5, "zorder": zorder}
    if values is None:
        ax.scatter(*xy.T, color=PALETTE[0], **look)
        return
    given = plain_array(values, "values")
    if given.shape != (len(xy),):
        raise InputError(f"values of shape {given.shape}; give one for each of {len(xy)} vertices")
    if given.dtype.kind not in "biufU":
        given = np.array(list(map(str, given)))
    if given.dtype.kind == "f":
        both = given.min() < 0 < given.max()
        top = abs(given).max()
        span = {"vmin": -top, "vmax": top, "cmap": "PuOr_r"} if both else {"cmap": "viridis"}
        ax.figure.colorbar(ax.scatter(*xy.T, c=given, **span, **look), ax=ax, shrink=0.7)
        return
    names: Sequence[Any] = np.unique(given).tolist()
    for i, name in enumerate(names):
        mark, colour = MARKS[i // 7 % 4], PALETTE[i % 7]
        ax.scatter(*xy[given == name].T, marker=mark, color=colour, label=str(name), **look)
