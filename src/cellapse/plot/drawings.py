"""Drawings of vertices: with their cells, or at their eigenvectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._complex.given import to_complex
from cellapse._errors import InputError, extra
from cellapse._shared.align import align_numbers
from cellapse._shared.checks import whole_number
from cellapse.plot.axes import PALETTE, axes_for, scatter
from cellapse.plot.layout import around, arrange
from cellapse.tasks.clustering import Clusters
from cellapse.tasks.embedding import embed


def plot_complex(
    source: Any,
    values: Any = None,
    *,
    positions: Any = None,
    rng: int = 0,
    ax: Any = None,
) -> Any:
    """Draw the complex with its cells; for a screened operator, edges as wide as what they keep.

    The layout is by forces: an edge of weight w pulls with w d^2 / r, all vertices push each other
    away with r^2 / d, at distance d, with r the length of an edge at rest.

    Parameters
    ----------
    source : CollapsedOperator, Complex, or what `collapse` makes one of
    values : one whole number or word (a category) or one real number per vertex, optional
        The colours; `Clusters` are fine. A Series or mapping goes by label.
    positions : (n, 2) array, DataFrame or {vertex: (x, y)}, optional
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
    >>> ax = cl.plot.plot_complex(S, cl.cluster(S, 2))
    >>> len(ax.collections)  # cells, edges, and one for each cluster
    4
    """
    with extra("matplotlib", "plot"):
        from matplotlib.collections import LineCollection, PolyCollection
    K = source.source if isinstance(source, CollapsedOperator) else to_complex(source)
    if K is None:
        raise InputError("this operator was made of matrices; give the Complex to draw")
    edges = K.cells[1].as_array(2) if K.max_rank else np.empty((0, 2), np.int64)
    kept = source.shares if isinstance(source, CollapsedOperator) else None
    shares = np.full(len(edges), 0.5) if kept is None else kept
    if positions is None:
        whole_number("number of vertices to lay out", K.n_vertices, 1, 200_000)
        strength = shares / shares.mean() if len(shares) else shares
        xy = arrange(K.n_vertices, edges, strength, whole_number("rng", rng, 0))
    else:
        xy = align_numbers(positions, K.labels, "positions")
        if xy.shape != (K.n_vertices, 2):
            raise InputError(f"positions of shape {xy.shape}; give ({K.n_vertices}, 2) numbers")
    ax = axes_for(ax)
    cells = [around(xy[c]) for rank in K.cells[2:] for c in rank]
    opacity = min(0.3, max(0.03, 12 / max(len(cells), 1)))
    ax.add_collection(PolyCollection(cells, facecolor=PALETTE[0], alpha=opacity, zorder=1))
    colours = [(0.25, 0.28, 0.33, 0.1 + 0.6 * s) for s in shares]
    width = 0.3 + 1.5 * shares
    ax.add_collection(LineCollection(list(xy[edges]), colors=colours, linewidths=width, zorder=2))
    scatter(ax, xy, values, K.labels, zorder=3)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax


def plot_embedding(operator: Any, values: Any = None, *, mass: Any = "auto", ax: Any = None) -> Any:
    """Draw every vertex at the second and third eigenvector of S u = lambda D u.

    Parameters
    ----------
    operator : Operator, or what makes one
    values : one whole number or word (a category) or one real number per vertex, optional
        The colours; `Clusters` are fine. A Series or mapping goes by label.
    mass : "auto", "diagonal", "degree", n numbers or None
        D, as in `cluster`.
    ax : matplotlib axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.karate_club_graph()))
    >>> cl.plot.plot_embedding(S).get_xlabel()
    'eigenvector 2'
    """
    ax = axes_for(ax)
    coordinates = embed(operator, 2, mass=mass)
    scatter(ax, np.asarray(coordinates), values, coordinates.labels)
    ax.set(xlabel="eigenvector 2", ylabel="eigenvector 3")
    return ax


def plot_clusters(clusters: Clusters, *, ax: Any = None) -> Any:
    """Draw every vertex at the eigenvectors that the clusters came from, coloured by cluster.

    Two clusters come from one eigenvector of S u = lambda D u: it is drawn over its rank.

    Parameters
    ----------
    clusters : Clusters
        What `cluster` gives.
    ax : matplotlib axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.karate_club_graph()), "renormalized")
    >>> len(cl.plot.plot_clusters(cl.cluster(S, 3)).collections)
    3
    """
    if not isinstance(clusters, Clusters):
        raise InputError(f"plot_clusters of a {type(clusters).__name__}; give what cluster returns")
    vectors = None if clusters.spectrum is None else clusters.spectrum.vectors
    if vectors is None or vectors.shape[1] < 2:
        raise InputError(
            "these clusters have no eigenvectors to draw; plot_complex(K, clusters) draws the "
            "complex in their colours"
        )
    ax = axes_for(ax)
    if vectors.shape[1] == 2:
        rank = np.argsort(np.argsort(vectors[:, 1], kind="stable"))
        scatter(ax, np.column_stack([rank, vectors[:, 1]]), clusters.numbers, clusters.labels)
        ax.set(xlabel="vertices, by their value", ylabel="eigenvector 2")
    else:
        scatter(ax, vectors[:, 1:3], clusters.numbers, clusters.labels)
        ax.set(xlabel="eigenvector 2", ylabel="eigenvector 3")
    ax.legend(title="cluster", frameon=False)
    return ax
