"""Histograms of the trust in edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse.plot.axes import PALETTE, axes_for
from cellapse.tasks.false_edges import Doubt
from cellapse.tasks.trust import EdgeTrust


def plot_trust(trust: EdgeTrust | Doubt, *, ax: Any = None) -> Any:
    """Draw how many edges have how much trust, and of `likely_false` its random pairs.

    trust = s / (1 + s), with s the support of an edge by its cells.

    Parameters
    ----------
    trust : EdgeTrust or Doubt
        What `edge_trust` or `likely_false` gives.
    ax : matplotlib axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> cl.plot.plot_trust(cl.edge_trust(K)).get_xlabel()
    'trust'
    """
    if not isinstance(trust, EdgeTrust | Doubt):
        raise InputError(
            f"plot_trust of a {type(trust).__name__}; give what edge_trust or likely_false returns"
        )
    ax, steps = axes_for(ax), np.linspace(0, 1, 41)
    values = trust.trust.values if isinstance(trust, Doubt) else trust.values
    ax.hist(values, steps, color=PALETTE[0], label=f"the {len(values):,} edges")
    if isinstance(trust, Doubt) and len(trust.decoys):
        share = np.full(len(trust.decoys), len(values) / len(trust.decoys))
        ax.hist(
            trust.decoys,
            steps,
            weights=share,
            histtype="step",
            color=PALETTE[3],
            lw=1.5,
            label="random pairs, as many",
        )
    if isinstance(trust, Doubt) and trust.threshold is not None:
        ax.axvline(trust.threshold, ls="--", color="#555", label="in doubt up to here")
    ax.set(xlabel="trust", ylabel="edges", xlim=(0, 1))
    ax.legend(frameon=False)
    return ax
