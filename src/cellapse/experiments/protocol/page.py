"""The report as one HTML file: no script, no other file, readable in print."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from cellapse.experiments.protocol.operators import WORDS
from cellapse.experiments.protocol.table import Detail, Row, Table

_STYLE = """
:root { color-scheme: light dark; --line: #8883; --soft: #8881; --link: #1b62b0; --quiet: #666; }
@media (prefers-color-scheme: dark) { :root { --link: #8bb8ea; --quiet: #aaa; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 78rem; margin: 2.5rem auto;
       padding: 0 1.2rem; }
h1 { font-size: 1.8rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin: 3rem 0 .4rem; }
p { max-width: 62rem; } a { color: var(--link); }
nav ul { columns: 22rem; padding-left: 1.2rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .5rem .8rem .5rem 0;
         border-bottom: 1px solid var(--line); }
thead th { color: var(--quiet); font-weight: 500; font-size: .85rem;
           border-bottom: 2px solid var(--line); }
tbody th { font-weight: 600; }
.main { table-layout: fixed; min-width: 56rem; }
.main th:nth-child(1), .main th:nth-child(2) { width: 13%; } .main th:nth-child(3) { width: 18%; }
.main th:nth-child(4) { width: 26%; }
tbody tr:hover { background: var(--soft); }
details { margin: .6rem 0; } summary { cursor: pointer; color: var(--link); }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr));
            gap: 1rem; margin: 1rem 0; }
svg { width: 100%; max-width: 40rem; background: #fff; border-radius: 6px; }
figure { margin: 0; grid-column: 1 / -1; } figcaption { color: var(--quiet); font-size: .9rem; }
@media (max-width: 50rem) {
  .main { min-width: 0; } .main thead { display: none; }
  .main, .main tbody, .main tr, .main th, .main td { display: block; width: auto !important; }
  .main tbody th { border: 0; padding-top: 1.2rem; } .main td { border: 0; padding: .2rem 0; }
  .main td::before { content: attr(data-head); color: var(--quiet); font-size: .85rem; }
  .main tr { border-bottom: 1px solid var(--line); padding-bottom: .8rem; }
}
@media print { body { font-size: 10px; margin: 0; } h2, tr, figure { break-inside: avoid; } }
"""
_HEAD = ("", "The paper", "Its protocol here", "A fair protocol", "What it means")


def page(tables: Sequence[Table], quick: bool, left_out: Sequence[str] = ()) -> str:
    """Return the whole report; the tables left out need the extra `torch`."""
    size = "a quick run: few repetitions" if quick else "a full run"
    links = "".join(f'<li><a href="#t{i}">{escape(t.title)}</a></li>' for i, t in enumerate(tables))
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
        f"<nav><ul>{links}</ul></nav>{body}"
        f"<h2>The operators</h2><ul>{words}</ul>{missing if left_out else ''}</body></html>\n"
    )


def _section(i: int, table: Table) -> str:
    return (
        f'<h2 id="t{i}">{escape(table.title)}</h2><p>{escape(table.about)}</p>'
        + _grid(_HEAD, [_cells(row) for row in table.rows], "main")
        + f'<div class="pictures">{"".join(table.pictures)}</div>'
        + "".join(_detail(d) for d in table.details)
    )


def _lines(text: str) -> str:
    """Return every line a block of its own, its figures not torn apart."""
    return "".join(
        f"<div>{escape(line).replace(' ± ', '&nbsp;±&nbsp;')}</div>" for line in text.split("\n")
    )


def _cells(row: Row) -> tuple[str, ...]:
    return row.label, row.paper, row.here, row.fair, row.meaning


def _detail(detail: Detail) -> str:
    inner = _grid(detail.head, detail.rows, "detail")
    return f"<details><summary>{escape(detail.caption)}</summary>{inner}</details>"


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]], kind: str) -> str:
    top = "".join(f'<th scope="col">{escape(h)}</th>' for h in head)
    lines = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(
            f'<td data-head="{escape(h)}">{_lines(cell)}</td>'
            for h, cell in zip(head[1:], rest, strict=True)
        )
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<div class="scroll"><table class="{kind}"><thead><tr>{top}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
    )
