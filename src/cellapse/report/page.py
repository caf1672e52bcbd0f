"""The report people show to colleagues: one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._errors import InputError
from cellapse._shared.checks import listed, word
from cellapse._shared.files import write_whole
from cellapse._version import __version__
from cellapse.analysis import Analysis
from cellapse.report.colourings import colours_like, reference_of
from cellapse.report.content import content, matter_most
from cellapse.report.markup import as_json, page, table
from cellapse.report.protein import is_protein, protein_section
from cellapse.report.summary import (
    cell_counts,
    doubt_in_words,
    edges_in_words,
    figures,
    findings,
    operators_in_words,
)

SCRIPTS = ("base.js", "charts.js", "network.js", "cloud.js", "report.js")
_LETTERS = {"lambda": "λ", "gamma": "γ", "beta": "β", "eps": "ε", "theta": "θ"}  # noqa: RUF001
_PARTS = (
    *("complex", "edges", "cells", "clusters", "spectra", "embedding", "signatures", "theory"),
)
_EDGES, _MEMBERS = 12, 8

CITATION = """@inproceedings{krahn2026collapsed,
  title     = {Collapsed Effective Operators for Higher-order Structures},
  author    = {Krahn, Maximilian and Bastian, Lennart and Garg, Vikas and
               Schuller, Bj{\\"o}rn and Birdal, Tolga},
  booktitle = {Proceedings of the 43rd International Conference on Machine Learning},
  year      = {2026}
}"""


def write_report(analysis: Analysis, path: str | Path, *, remarks: Sequence[str] = ()) -> Path:
    """Write what `analyze` found as one self-contained HTML file.

    Parameters
    ----------
    analysis : Analysis
        From `cellapse.analysis.analyze`.
    path : path of the file, ending in .html
    remarks : list of str
        Sentences of your own, to stand right under the verdict.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile, networkx as nx, cellapse as cl
    >>> from cellapse.analysis import analyze
    >>> analysis = analyze(cl.clique_complex(nx.karate_club_graph()), 2, title="Karate club")
    >>> file = write_report(analysis, Path(tempfile.mkdtemp()) / "report.html")
    >>> "Karate club" in file.read_text(encoding="utf-8")
    True
    """
    require_analysis(analysis, "write_report")
    said = [word("a remark", text) for text in listed(remarks, "remarks")]
    # Half a character in a label is shown as a question mark: a report is for people.
    return write_whole(path, report_html(analysis, said).encode(errors="replace"))


def require_analysis(given: Any, who: str) -> None:
    """Refuse what is no analysis, and say how to get one."""
    if not isinstance(given, Analysis):
        raise InputError(
            f"{who} takes an Analysis, not a {type(given).__name__}; "
            "cellapse.analyze(...) makes one out of a Complex, a graph or a name"
        )


def report_html(analysis: Analysis, remarks: Sequence[str] = ()) -> str:
    """Return the report as text."""
    parts = {
        "title": escape(analysis.title),
        "subtitle": escape(cell_counts(analysis.complex)),
        "findings": _findings(analysis, remarks),
        "collapse": escape(edges_in_words(analysis)),
        "figures": _cards(analysis),
        "links": _links(analysis),
        "protein": protein_section(analysis) if is_protein(analysis) else "",
        "edges": _edges(analysis),
        "evidence": escape(_evidence(analysis)),
        "influence": _influence(analysis),
        "clusters": _clusters(analysis),
        "checks": _checks(analysis),
        "parameters": _parameters(analysis),
        "citation": f"<pre>{escape(CITATION)}</pre>",
        "version": escape(__version__),
        "data": as_json(content(analysis)),
    }
    if is_protein(analysis):
        return page("report.html", (*SCRIPTS, "protein.js"), parts, library="3Dmol-min.js")
    return page("report.html", SCRIPTS, parts)


def _links(analysis: Analysis) -> str:
    parts = ("protein", *_PARTS) if is_protein(analysis) else _PARTS
    return "".join(f'<a href="#{name}">{name.capitalize()}</a>' for name in parts)


def _cards(analysis: Analysis) -> str:
    cards = ((escape(a), escape(b)) for a, b in figures(analysis))
    return "".join(f"<div><b>{a}</b><span>{b}</span></div>" for a, b in cards)


def _findings(analysis: Analysis, remarks: Sequence[str]) -> str:
    """Return the verdict large, a caution marked, remarks, the rest in plain sentences."""
    first, *rest = findings(analysis)
    caution = analysis.verdict.caution
    marked = f'<p class="warning">{escape(caution)}</p>' if caution in rest else ""
    others = escape(" ".join(text for text in rest if text != caution))
    own = "".join(f"<li>{escape(text)}</li>" for text in remarks)
    own = f'<ul class="said">{own}</ul>' if own else ""
    letters = f'<p class="quiet">{escape(operators_in_words(analysis))}</p>'
    return f'<p class="lead">{escape(first)}</p>{letters}{marked}{own}<p class="said">{others}</p>'


def _edges(analysis: Analysis) -> str:
    if not len(analysis.trust):
        return "<p>There are no edges.</p>"
    if not analysis.trust.held:
        return "<p>No cell holds any edge, so there is nothing to go by.</p>"
    order = np.argsort(analysis.trust.values, kind="stable")[:_EDGES].tolist()
    pairs = (pair for pair, _ in analysis.least_trusted(_EDGES))
    rows = [
        (escape(a), escape(b), f"{analysis.trust.values[e]:.3f}", f"{analysis.trust.n_cells[e]:,}")
        for (a, b), e in zip(pairs, order, strict=True)
    ]
    return table(("from", "to", "trust", "cells"), rows, numbers=[2, 3]) + _ties(analysis)


def _ties(analysis: Analysis) -> str:
    """Return why these edges are listed, where others are trusted as little."""
    last = np.sort(analysis.trust.values)[:_EDGES][-1]
    equal = int((analysis.trust.values == last).sum())
    shown = int((np.sort(analysis.trust.values)[:_EDGES] == last).sum())
    if equal == shown:
        return ""
    why = f"{equal:,} edges have a trust of {last:.3f}; listed are the first {shown} in the order"
    return f'<p class="quiet">{why} of the network.</p>'


def _evidence(analysis: Analysis) -> str:
    """Return what the threshold rests on, or why there is none."""
    doubt = analysis.doubt
    said = [doubt_in_words(analysis)]
    if doubt is not None and len(doubt.decoys):
        said.insert(0, "The line shows random pairs of vertices, put into the network to compare.")
    if doubt is None:
        said.append("Random pairs are compared where the cells are the cliques of a graph.")
    elif not doubt.reason:
        said.append(
            f"An edge has more trust than a random pair with probability {doubt.separation:.3f}."
        )
        share, first = doubt.first_break_even()
        if first.any():
            said.append(
                f"If {100 * share:.0f} % of all edges or more are false, {int(first.sum()):,} of "
                "them are more likely false than real (drawn dashed). Whether so many are false, "
                "only the way they were measured can show: an edge between two groups closes few "
                "cells as well."
            )
    return " ".join(said)


def _influence(analysis: Analysis) -> str:
    K = analysis.complex
    rows = [
        (escape(_members(K.cells[k][i].tolist(), K.labels)), str(k), f"{value:.3g}")
        for k, i, value in matter_most(analysis)
    ]
    if analysis.influence is None:
        return "<p>Not known for this operator.</p>"
    if not rows:
        return "<p>No cell changes it.</p>"
    return table(("cell", "rank", "influence"), rows, numbers=[1, 2])


def _members(cell: list[int], labels: Sequence[Hashable]) -> str:
    names = ", ".join(str(labels[v]) for v in cell[:_MEMBERS])
    return names + (f" and {len(cell) - _MEMBERS} more" if len(cell) > _MEMBERS else "")


def _clusters(analysis: Analysis) -> str:
    K, numbers = analysis.complex, analysis.chosen.numbers
    rows, colours = [], colours_like(numbers, reference_of(analysis))
    for c in range(analysis.n_clusters):
        members = np.flatnonzero(numbers == c)
        shown = ", ".join(str(K.labels[i]) for i in members[:12].tolist())
        rest = f" and {len(members) - 12:,} more" if len(members) > 12 else ""
        sign = f'<span class="sign" data-colour="{colours[c]}"></span> {c}'
        rows.append((sign, f"{len(members):,}", escape(shown + rest)))
    return table(("cluster", "size", "members"), rows, numbers=[1])


def _checks(analysis: Analysis) -> str:
    words = {
        True: '<span class="holds">holds</span>',
        False: '<span class="fails">fails</span>',
        None: "not measured",
    }
    rows = [
        (
            f'{_formula(c.statement)}<br><span class="quiet">{_formula(c.note)}</span>',
            words[c.holds],
            _figure(c.measured, c.size),
            _figure(c.bound, c.size),
        )
        for c in analysis.report.checks
    ]
    return table(("statement", "verdict", "measured", "bound"), rows, numbers=[2, 3])


def _formula(text: str) -> str:
    """Return a formula in plain letters, set as in a paper.

    >>> _formula("lambda_2(S) <= gamma^2 / beta")
    'λ<sub>2</sub>(S) ≤ γ² / β'
    """
    signs = {">=": "≥", "<=": "≤", "||": "‖", "^2": "²", " - ": " − "}  # noqa: RUF001
    for plain, sign in (signs | _LETTERS).items():
        text = text.replace(plain, sign)
    return re.sub(r"_(\w)", r"<sub>\1</sub>", escape(text))


def _figure(value: float | None, size: float) -> str:
    if value is None:
        return ""
    return f"{value if abs(value) > 1e-12 * size else 0.0:.3g}"  # rounding reads as zero


def _parameters(analysis: Analysis) -> str:
    S = analysis.collapsed
    rows = [("operator", repr(S))]
    if isinstance(S, CollapsedOperator):
        name = "theta" if analysis.reweights else "gamma"
        rows = [
            ("realization", f"{S.realization}: {S.realization.summary}"),
            ("beta", ", ".join(f"{b:g}" for b in S.beta)),
            (name, ", ".join(f"{g:.4g}" for g in S.gamma)),
            ("eps", f"{S.eps:g}"),
        ]
    rows += [
        (
            "clusters",
            f"{analysis.n_clusters} ({analysis.verdict.why}), normalized cut of "
            f"{analysis.chosen_by}, M u = λ D u with D its diagonal",
        ),
        ("eigenpairs", f"{len(analysis.spectra[0])} of {analysis.complex.n_vertices:,}"),
        ("largest residual", f"{max(float(s.residuals.max()) for s in analysis.spectra):.1e}"),
    ]
    return table(("parameter", "value"), [(escape(a), escape(b)) for a, b in rows])
