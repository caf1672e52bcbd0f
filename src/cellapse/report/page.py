"""The report people show to colleagues: one HTML file that needs nothing else."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.files import write_whole
from cellapse._version import __version__
from cellapse.analysis import Analysis
from cellapse.report.colourings import colours_like, reference_of
from cellapse.report.content import content
from cellapse.report.markup import as_json, page, table
from cellapse.report.protein import is_protein, protein_section
from cellapse.report.summary import bare_edges, cell_counts, figures, findings

SCRIPTS = ("base.js", "charts.js", "network.js", "cloud.js", "report.js")
_LETTERS = {"lambda": "λ", "gamma": "γ", "beta": "β", "eps": "ε", "theta": "θ"}  # noqa: RUF001
_PARTS = ("complex", "spectra", "embedding", "signatures", "edges", "clusters", "theory")
_EDGES = 12

CITATION = """@inproceedings{krahn2026collapsed,
  title     = {Collapsed Effective Operators for Higher-order Structures},
  author    = {Krahn, Maximilian and Bastian, Lennart and Garg, Vikas and
               Schuller, Bj{\\"o}rn and Birdal, Tolga},
  booktitle = {Proceedings of the 43rd International Conference on Machine Learning},
  year      = {2026}
}"""


def write_report(analysis: Analysis, path: str | Path) -> Path:
    """Write what `analyze` found as one self-contained HTML file.

    Parameters
    ----------
    analysis : Analysis
        From `cellapse.analysis.analyze`.
    path : path of the file, ending in .html

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
    if not isinstance(analysis, Analysis):
        raise InputError(
            f"write_report takes an Analysis, not a {type(analysis).__name__}; "
            "cellapse.analysis.analyze(K) makes one out of a Complex"
        )
    # Half a character in a label is shown as a question mark: a report is for people.
    return write_whole(path, report_html(analysis).encode(errors="replace"))


def report_html(analysis: Analysis) -> str:
    """The report as text."""
    parts = {
        "title": escape(analysis.title),
        "subtitle": escape(cell_counts(analysis.complex)),
        "findings": escape(" ".join(findings(analysis))),
        "figures": _cards(analysis),
        "links": _links(analysis),
        "protein": protein_section(analysis) if is_protein(analysis) else "",
        "edges": _edges(analysis),
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


def _edges(analysis: Analysis) -> str:
    if not len(analysis.shares):
        return "<p>There are no edges.</p>"
    rows = [
        (escape(a), escape(b), f"{100 * share:.1f} %")
        for (a, b), share in analysis.weakest_edges(_EDGES)
    ]
    bare, floor = bare_edges(analysis)
    note = (
        f"{bare:,} of {len(analysis.shares):,} edges close no cell; "
        f"those keep {100 * floor:.1f} %, the least an edge can."
    )
    shown = table(("from", "to", "keeps"), rows, numbers=[2])
    return f'{shown}<p class="quiet">{escape(note)}</p>'


def _clusters(analysis: Analysis) -> str:
    K, numbers = analysis.complex, analysis.clusters[0].numbers
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
            _figure(c.measured),
            _figure(c.bound),
        )
        for c in analysis.report.checks
    ]
    return table(("statement", "verdict", "measured", "bound"), rows, numbers=[2, 3])


def _formula(text: str) -> str:
    """A formula in plain letters, set as in a paper.

    >>> _formula("lambda_2(S) <= gamma^2 / beta")
    'λ<sub>2</sub>(S) ≤ γ² / β'
    """
    signs = {">=": "≥", "<=": "≤", "||": "‖", "^2": "²", " - ": " − "}  # noqa: RUF001
    for plain, sign in (signs | _LETTERS).items():
        text = text.replace(plain, sign)
    return re.sub(r"_(\w)", r"<sub>\1</sub>", escape(text))


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value if abs(value) > 1e-12 else 0.0:.3g}"  # rounding reads as zero


def _parameters(analysis: Analysis) -> str:
    S = analysis.collapsed
    rows = [
        ("realization", f"{S.realization}: {S.realization.summary}"),
        ("beta", ", ".join(f"{b:g}" for b in S.beta)),
        ("theta", f"{S.gamma[0]:.4g} (theta² = {S.gamma[0] ** 2:.4g}, bound 1)"),
        ("eps", f"{S.eps:g}"),
        (
            "clusters",
            f"{analysis.n_clusters}, normalized cut of S u = λ D u with D the diagonal of S",
        ),
        ("eigenpairs", f"{len(analysis.spectra[0])} of {analysis.complex.n_vertices:,}"),
        ("largest residual", f"{max(float(s.residuals.max()) for s in analysis.spectra):.1e}"),
    ]
    return table(("parameter", "value"), [(escape(a), escape(b)) for a, b in rows])
