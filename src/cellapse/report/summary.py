"""What a report says first: the findings in sentences, and the handful of numbers behind them."""

from __future__ import annotations

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._complex.complex import Complex
from cellapse._complex.counts import cells_in_words
from cellapse.analysis import Analysis


def cell_counts(K: Complex) -> str:
    """Return the number of cells of every rank in words.

    >>> cell_counts(Complex.from_arrays(2, {1: [[0, 1]]}))
    '2 vertices, 1 edge; 1 component'
    """
    pieces = _pieces(K)
    return f"{cells_in_words(K)}; {pieces:,} component{'' if pieces == 1 else 's'}"


def findings(analysis: Analysis) -> list[str]:
    """Return what came out, a sentence each: the verdict on the cells, then what is known besides.

    >>> import networkx as nx, cellapse as cl
    >>> from cellapse.analysis import analyze
    >>> findings(analyze(cl.clique_complex(nx.path_graph(5)), 2))[0]
    'The cells make no difference here: no cell holds any edge.'
    """
    if not len(analysis.shares):
        return ["There are no edges, so there is nothing to collapse."]
    said = [*analysis.verdict.sentences(), doubt_in_words(analysis)]
    same = analysis.agreement()
    if same is not None:
        mine, plain = (_percent(share, 1) for share in same)
        versus = "as many as with L" if mine == plain else f"against {plain} with L"
        right = analysis.projected()
        fair = "" if right is None else f", {_percent(right, 1)} with the weighted projection"
        said.append(f"With S {mine} of the vertices are in their known group, {versus}{fair}.")
    pieces = _pieces(analysis.complex)
    if pieces > 1:
        said.append(f"There are {pieces:,} components; the collapse never links them.")
    return said


def operators_in_words(analysis: Analysis) -> str:
    """Explain the letters that the findings use.

    >>> import networkx as nx, cellapse as cl
    >>> from cellapse.analysis import analyze
    >>> operators_in_words(analyze(cl.clique_complex(nx.path_graph(5)), 2))[:30]
    'S is the collapsed operator, i'
    """
    S = analysis.collapsed
    mine = "the collapsed operator, in which the cells count"
    if not isinstance(S, CollapsedOperator):
        mine = repr(S)
    said = f"S is {mine}; L is the graph Laplacian, which sees the edges alone"
    if analysis.projection is not None:
        said += "; the weighted projection is L with each hyperedge as a clique of small weights"
    return f"{said}."


def doubt_in_words(analysis: Analysis) -> str:
    """Say which edges are doubted, and how many are distinguishable from random pairs."""
    doubt, edges = analysis.doubt, len(analysis.trust)
    bare = round((1.0 - analysis.trust.held) * edges)
    if doubt is None:
        return f"{bare:,} of {edges:,} edges are in no cell."
    if doubt.reason:
        return f"Which edges to doubt cannot be decided: {doubt.reason}."
    most = f"at most {_percent(doubt.largest_share)} of all can be random pairs"
    return (
        f"{doubt.headline()} {doubt.distinguishable_text()}; {most}. "
        f"{doubt.model[0].upper()}{doubt.model[1:]}."
    )


def figures(analysis: Analysis) -> list[tuple[str, str]]:
    """Return the numbers that sum it up, each with what it is."""
    many = "cluster" if analysis.n_clusters == 1 else "clusters"
    boxes = [(str(analysis.n_clusters), f"{many} of {analysis.verdict.best.operator}")]
    if len(analysis.shares) and analysis.reweights:
        low, high = (f"{100 * v:.0f}" for v in (analysis.shares.min(), analysis.shares.max()))
        kept = f"{low} %" if low == high else f"{low} to {high} %"
        boxes.append((kept, "of its weight is what an edge keeps"))
    gap = analysis.n_zeros
    if gap < len(analysis.spectra[0]):
        left = analysis.spectra[0].values[gap] / analysis.spectra[1].values[gap]
        boxes.append((_percent(left), "of L's first positive eigenvalue is left in S"))
    boxes.append(
        (
            _percent(1.0 - analysis.verdict.agreement),
            f"of the vertices cluster otherwise with {analysis.verdict.plain.operator}",
        )
    )
    if analysis.doubt is not None and not analysis.doubt.reason:
        apart = int(analysis.doubt.distinguishable.sum())
        of = f"{apart:,} of {len(analysis.trust):,}"
        boxes.append((of, "edges are distinguishable from random pairs"))
    same = analysis.agreement()
    if same is not None:
        fair = analysis.projected()
        plain = f"L: {_percent(same[1], 1)}"
        if fair is not None:
            plain = f"weighted projection: {_percent(fair, 1)}"
        boxes.append((_percent(same[0], 1), f"with S in their known group ({plain})"))
    measured = [c for c in analysis.report.checks if c.holds is not None]
    holding = sum(c.holds is True for c in measured)
    boxes.append((f"{holding} of {len(measured)}", "statements of the theory hold"))
    return boxes


def bare_edges(analysis: Analysis) -> tuple[int, float]:
    """Return how many edges close no cell, and the share of its weight that such an edge keeps."""
    S = analysis.collapsed
    if not isinstance(S, CollapsedOperator) or not analysis.reweights:
        return 0, 1.0
    floor = 1.0 - float(S.gamma[0]) ** 2 / (1.0 + S.eps)
    return int((analysis.shares <= floor + 1e-6).sum()), floor


def edges_in_words(analysis: Analysis) -> str:
    """Return what the collapse leaves of the edges.

    >>> import networkx as nx, cellapse as cl
    >>> from cellapse.analysis import analyze
    >>> edges_in_words(analyze(cl.clique_complex(nx.path_graph(5)), 2))
    'No edge closes a cell, so all keep 5 % of their weight: S is L times 0.05.'
    """
    edges = len(analysis.shares)
    if not edges:
        return "There are no edges, so there is nothing to collapse."
    if not analysis.reweights:
        return "This operator does not reweigh edges, so that all are drawn alike."
    bare, floor = bare_edges(analysis)
    least, most = _percent(analysis.shares.min()), _percent(analysis.shares.max())
    if bare == edges:
        same = f"all keep {_percent(floor)} of their weight"
        return f"No edge closes a cell, so {same}: S is L times {floor:.2g}."
    K = analysis.complex
    triangles = K.is_simplicial and K.max_rank == 2
    one, many = ("triangle", "triangles") if triangles else ("cell", "cells")
    if not bare:
        span = f"between {least} and {most}" if least != most else most
        return f"Every edge is in a {one} and keeps {span} of its weight, more with more {many}."
    return (
        f"Edges supported by {many} keep up to {most} of their weight; the {bare:,} of {edges:,} "
        f"in no {one} keep {_percent(floor)}."
    )


def _pieces(K: Complex) -> int:
    return int(K.components().max()) + 1


def _percent(share: float, digits: int = 0) -> str:
    """Return a share in per cent; what is not quite nothing or everything does not read so.

    >>> _percent(0.112), _percent(0.001), _percent(0.9996), _percent(1.0)
    ('11 %', '<1 %', '>99 %', '100 %')
    """
    least = 0.5 * 10.0**-digits
    if 0 < 100 * share < least:
        return f"<{10.0**-digits:g} %"
    if 100 - least < 100 * share < 100:
        return f">{100 - 10.0**-digits:g} %"
    return f"{100 * share:.{digits}f} %"
