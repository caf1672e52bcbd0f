"""The report people show to colleagues: one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np

from cellapse._errors import InputError
from cellapse.analysis import Analysis
from cellapse.report.content import content
from cellapse.report.markup import as_json, page, table
from cellapse.report.protein import is_protein, protein_section

SCRIPTS = ("base.js", "charts.js", "network.js", "cloud.js", "report.js")
_NAMES = {0: "vertices", 1: "edges", 2: "cells of rank 2"}
_SIMPLICES = {2: "triangles", 3: "tetrahedra"}
_EDGES = 12

CITATION = """@inproceedings{krahn2026collapsed,
  title     = {Collapsed Effective Operators for Higher-order Structures},
  author    = {Krahn, Maximilian and Bastian, Lennart and Garg, Vikas and
               Schuller, Bj{\\"o}rn and Birdal, Tolga},
  booktitle = {Proceedings of the 43rd International Conference on Machine Learning},
  year      = {2026}
}"""


def write_report(found: Analysis, path: str | Path) -> Path:
    """Write what `analyze` found as one self-contained HTML file.

    Parameters
    ----------
    found : Analysis
        From `cellapse.analysis.analyze`.
    path : path of the file, ending in .html

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile, networkx as nx, cellapse as cl
    >>> from cellapse.analysis import analyze
    >>> found = analyze(cl.clique_complex(nx.karate_club_graph()), 2, title="Karate club")
    >>> file = write_report(found, Path(tempfile.mkdtemp()) / "report.html")
    >>> "Karate club" in file.read_text(encoding="utf-8")
    True
    """
    file = Path(path)
    text = report_html(found)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {file} ({error}); choose another place") from None
    return file


def report_html(found: Analysis) -> str:
    """The report as text."""
    from cellapse import __version__

    parts = {
        "title": escape(found.title),
        "subtitle": escape(cell_counts(found)),
        "figures": _figures(found),
        "protein": protein_section(found) if is_protein(found) else "",
        "edges": _edges(found),
        "clusters": _clusters(found),
        "checks": _checks(found),
        "parameters": _parameters(found),
        "citation": f"<pre>{escape(CITATION)}</pre>",
        "version": escape(__version__),
        "data": as_json(content(found)),
    }
    if is_protein(found):
        return page("report.html", (*SCRIPTS, "protein.js"), parts, library="3Dmol-min.js")
    return page("report.html", SCRIPTS, parts)


def cell_counts(found: Analysis) -> str:
    """The number of cells of every rank in words."""
    K = found.complex
    names = _NAMES | _SIMPLICES if K.is_simplicial else _NAMES
    parts = [f"{n:,} {names.get(k, f'cells of rank {k}')}" for k, n in enumerate(K.n_cells)]
    pieces = int(K.components().max()) + 1
    return ", ".join(parts) + f"; {pieces} component{'s' if pieces > 1 else ''}"


def _figures(found: Analysis) -> str:
    """The handful of numbers that sum it up."""
    same = found.agreement()
    boxes = [(str(found.n_clusters), "clusters of S")]
    if len(found.shares):
        low, high = 100 * found.shares.min(), 100 * found.shares.max()
        boxes.append((f"{low:.0f} to {high:.0f} %", "of its weight is what an edge keeps"))
    mine, plain = (s.values for s in found.spectra)
    gap = next((i for i, v in enumerate(plain) if v > 1e-9 * max(plain[-1], 1e-300)), None)
    if gap is not None:
        boxes.append((f"{100 * mine[gap] / plain[gap]:.0f} %", "of L's first positive eigenvalue"))
    moved = _moved(found)
    boxes.append((f"{100 * moved:.0f} %", "of the vertices cluster differently under L"))
    if same is not None:
        boxes.append((f"{100 * same[0]:.1f} %", f"in their known group (L: {100 * same[1]:.1f} %)"))
    measured = [c for c in found.report.checks if c.holds is not None]
    holding = sum(c.holds is True for c in measured)
    boxes.append((f"{holding} of {len(measured)}", "statements of the theory hold"))
    return "".join(f"<div><b>{escape(a)}</b><span>{escape(b)}</span></div>" for a, b in boxes)


def _moved(found: Analysis) -> float:
    from cellapse.tasks.cluster import clustering_accuracy

    mine, plain = found.clusters
    return 1.0 - clustering_accuracy(mine, plain)


def _edges(found: Analysis) -> str:
    if not len(found.shares):
        return "<p>There are no edges.</p>"
    rows = [
        (escape(a), escape(b), f"{100 * share:.1f} %")
        for (a, b), share in found.weakest_edges(_EDGES)
    ]
    S = found.collapsed
    floor = 1.0 - S.theta**2 / (1.0 + S.eps)
    bare = int((found.shares <= floor + 1e-6).sum())
    note = (
        f"{bare:,} of {len(found.shares):,} edges close no cell; those keep {100 * floor:.1f} %, "
        "the least an edge can."
    )
    shown = table(("from", "to", "keeps"), rows, numbers=[2])
    return f'{shown}<p class="quiet">{escape(note)}</p>'


def _clusters(found: Analysis) -> str:
    K, numbers = found.complex, found.clusters[0].numbers
    rows = []
    for c in range(found.n_clusters):
        members = np.flatnonzero(numbers == c)
        shown = ", ".join(str(K.labels[i]) for i in members[:12].tolist())
        rest = f" and {len(members) - 12:,} more" if len(members) > 12 else ""
        rows.append((f"{c + 1}", f"{len(members):,}", escape(shown + rest)))
    return table(("cluster", "size", "members"), rows, numbers=[1])


def _checks(found: Analysis) -> str:
    words = {
        True: '<span class="holds">holds</span>',
        False: '<span class="fails">fails</span>',
        None: "not measured",
    }
    rows = [
        (escape(c.statement), words[c.holds], _figure(c.measured), _figure(c.bound), escape(c.note))
        for c in found.report.checks
    ]
    return table(("statement", "", "measured", "bound", "note"), rows, numbers=[2, 3])


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value if abs(value) > 1e-12 else 0.0:.3g}"  # rounding reads as zero


def _parameters(found: Analysis) -> str:
    S = found.collapsed
    rows = [
        ("realization", "screened, renormalized 5 times: the all-round default of analyze"),
        ("beta", ", ".join(f"{b:g}" for b in S.beta)),
        ("theta", f"{S.theta:.4g} (theta² = {S.theta**2:.4g}, bound 1)"),
        ("eps", f"{S.eps:g}"),
        ("clusters", f"{found.n_clusters}, normalized cut of S u = λ D u with D the diagonal of S"),
        ("eigenpairs", f"{len(found.spectra[0])} of {found.complex.n_vertices:,}"),
        ("largest residual", f"{max(float(s.residuals.max()) for s in found.spectra):.1e}"),
    ]
    return table(("parameter", "value"), [(escape(a), escape(b)) for a, b in rows])
