"""The report as one HTML file: no script, no other file, readable in print."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from cellapse.experiments.operators import WORDS
from cellapse.experiments.table import Detail, Row, Table

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem;
         border-bottom: 1px solid var(--line); }
thead th { background: var(--soft); position: sticky; top: 0; }
tbody th { font-weight: 600; }
details { margin: .6rem 0; } summary { cursor: pointer; }
svg { max-width: 40rem; width: 100%; background: #fff; margin: .5rem 0; }
nav a { margin-right: 1rem; }
"""
_HEAD = ("", "The paper", "Its protocol here", "A fair protocol", "What it means")


def page(tables: Sequence[Table], quick: bool, left_out: Sequence[str] = ()) -> str:
    """The whole report; the tables left out need the extra `torch`."""
    size = "a quick run: few repetitions" if quick else "a full run"
    links = " ".join(
        f'<a href="#t{i}">{escape(t.title.split(":")[0])}</a>' for i, t in enumerate(tables)
    )
    words = "".join(f"<li><b>{escape(n)}</b>: {escape(w)}</li>" for n, w in WORDS.items())
    body = "".join(_section(i, table) for i, table in enumerate(tables))
    missing = (
        "<p>Left out, because PyTorch and PyTorch Geometric are not installed: "
        f"{escape(', '.join(left_out))}. "
        "<code>pip install 'cellapse[torch]'</code> brings them.</p>"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>The paper's tables, reproduced</title><style>{_STYLE}</style></head><body>"
        "<h1>The paper's tables, reproduced and put to a fair test</h1>"
        "<p>Collapsed Effective Operators for Higher-order Structures, by cellapse; "
        f"{size}. Figures are means with standard deviations; comparisons are paired, by a "
        "signed-rank test, n pairs each, one comparison at a time: of twenty without any "
        "difference one falls below p = .05 by chance, and few pairs find only large differences. "
        "Fair means: the same edges for every operator, the same budget for tuning, as many "
        "eigenvectors as groups (their number is given to all), no other choice that knows the "
        "labels. The best of several operators is named after seeing the figures.</p>"
        f"<nav>{links}</nav>{body}"
        f"<h2>The operators</h2><ul>{words}</ul>{missing if left_out else ''}</body></html>\n"
    )


def _section(i: int, table: Table) -> str:
    return (
        f'<h2 id="t{i}">{escape(table.title)}</h2><p>{escape(table.about)}</p>'
        + _grid(_HEAD, [_cells(row) for row in table.rows])
        + "".join(table.pictures)
        + "".join(_detail(d) for d in table.details)
    )


def _cells(row: Row) -> tuple[str, ...]:
    return row.label, row.paper, row.here, row.fair, row.meaning


def _detail(detail: Detail) -> str:
    inner = _grid(detail.head, detail.rows)
    return f"<details><summary>{escape(detail.caption)}</summary>{inner}</details>"


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{escape(h)}</th>' for h in head)
    lines = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{top}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )
