"""Cheeger's lower bound for collapses, which the paper leaves open, on every small graph.

For graphs h^2 / 2 <= lambda_2 <= 2 h, with degrees as masses. The collapse keeps the upper bound.
Of every connected graph of up to five vertices (seven in full) the lower one is tried twice:

    with the cuts of the graph        h(G)^2 / 2 <= lambda_2(S),  S u = lambda D u,  D_i = A_ii
    with the cuts of S itself         h(S)^2 / 2 <= lambda_2(S),                     D_i = S_ii
"""

from __future__ import annotations

import networkx as nx
import numpy as np

from cellapse._collapse.collapsed import collapse
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table
from cellapse.lifts import clique_complex
from cellapse.tasks.cuts import cheeger_constant

_ROUNDING = 1e-9  # of eigenvalues that are at most 2

# Realization, gamma as a share of its bound (None: the usual one), and the text for people.
_OPERATORS: tuple[tuple[str, float | None, str], ...] = (
    ("boundary", 1.0, "boundary, gamma at the bound"),
    ("boundary", 0.9, "boundary, .9 of the bound"),
    ("mixed", 1.0, "mixed, gamma at the bound"),
    ("mixed", 0.9, "mixed, .9 of the bound"),
    ("unfolded", 1.0, "unfolded, gamma at the bound"),
    ("unfolded", 0.9, "unfolded, .9 of the bound"),
    ("unfolded", 0.5, "unfolded, half of the bound"),
    ("screened", None, "screened, theta^2 = .9"),
    ("renormalized", None, "renormalized, theta^2 = .95"),
)


def arguments(quick: bool) -> list[Arguments]:
    most = 5 if quick else 7
    return [{"realization": r, "share": s, "vertices": most} for r, s, _ in _OPERATORS]


def run(realization: str, share: float | None, vertices: int) -> Result:
    """Return how far lambda_2 is above h^2 / 2, as their least ratio, and where it is not."""
    graphs = [G for G in nx.graph_atlas_g() if 2 <= len(G) <= vertices and nx.is_connected(G)]
    found = []
    for G in graphs:
        S = collapse(clique_complex(G), realization)
        if share is not None and share < 1.0:
            S = collapse(clique_complex(G), realization, gamma=tuple(share * np.array(S.gamma)))
        graph = SparseOperator(S.A, S.labels, S.kernel)
        found.append((_ratio(S, graph, "degree"), _ratio(S, S, "diagonal")))
    of_graph, own = np.array(found).T
    worst = int(np.argmin(of_graph))
    fails = np.flatnonzero(of_graph < 1.0 - _ROUNDING)
    least = min(fails.tolist(), key=lambda i: (len(graphs[i]), graphs[i].size()), default=None)
    return {
        "graphs": len(graphs),
        "fails": len(fails),
        "least_ratio": float(of_graph[worst]),
        "worst": sorted(map(sorted, graphs[worst].edges)),
        "smallest": None if least is None else sorted(map(sorted, graphs[least].edges)),
        "own_fails": int((own < 1.0 - _ROUNDING).sum()),
        "own_least_ratio": float(own.min()),
    }


def _ratio(S: Operator, cuts: Operator, mass: str) -> float:
    """lambda_2 / (h^2 / 2), h over the cuts of the other operator."""
    h = cheeger_constant(cuts, mass=mass).conductance
    return float(S.spectrum(2, mass).values[1]) / (h**2 / 2)


def summarize(results: Results) -> Table:
    texts = {(r, s): text for r, s, text in _OPERATORS}
    lines = [(texts[a["realization"], a["share"]], r) for a, r in results]
    graphs = lines[0][1]["graphs"]
    detail = Detail(
        f"{graphs} connected graphs of up to {results[0][0]['vertices']} vertices, "
        "their triangles and larger cliques as cells",
        (
            *("operator", "h(G)^2 / 2 > lambda_2", "least ratio", "smallest counterexample"),
            *("h(S)^2 / 2 > lambda_2", "least ratio"),
        ),
        tuple(
            (
                *(text, f"{100 * r['fails'] / graphs:.0f} %", f"{r['least_ratio']:.2g}"),
                _edges(r["smallest"]),
                *(f"{100 * r['own_fails'] / graphs:.0f} %", f"{r['own_least_ratio']:.2g}"),
            )
            for text, r in lines
        ),
    )
    broken = [text for text, r in lines if r["fails"]]
    own = [text for text, r in lines if r["own_fails"]]
    row = Row(
        "h^2 / 2 <= lambda_2",
        "open: may fail, as S <= A",
        f"cuts of the graph: fails for {len(broken)} of {len(lines)} operators",
        f"cuts of S itself: fails for {len(own)} of {len(lines)}"
        + (f" ({'; '.join(own)})" if own else ""),
        "One edge is a counterexample for each that fails: a collapse weakens edges, not the cuts "
        "they are counted in. Measured by its own cuts a screened collapse is the Laplacian of a "
        "graph, so Cheeger's inequalities hold; with f the least share that an edge keeps, "
        "lambda_2(S) >= f h(G)^2 / 2.",
    )
    return Table(
        "Cheeger's lower bound",
        "The paper proves the upper bound of lambda_2 and leaves the lower one open.",
        (row,),
        (detail,),
    )


def _edges(edges: list[list[int]] | None) -> str:
    return "none" if edges is None else " ".join(f"{i}-{j}" for i, j in edges)


EXPERIMENT = Experiment("cheeger", arguments, run, summarize)
