"""HTML out of plain values; whatever comes from a user is escaped here and nowhere else."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from string import Template
from typing import Any

# "<" would let a label end the script; the two separators end a line of JavaScript.
_UNSAFE: dict[str, str | int | None] = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def asset(name: str) -> str:
    """Return the text of a file in `assets/`."""
    return (resources.files("cellapse.report") / "assets" / name).read_text(encoding="utf-8")


def as_json(data: Any) -> str:
    r"""JSON that can stand inside a script element.

    >>> print(as_json("</script>"))
    "\u003c/script\u003e"
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.translate(str.maketrans(_UNSAFE))


def table(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """Return an HTML table of safe cells; the columns `numbers` are set flush right."""
    right = set(numbers)

    def line(tag: str, cells: Sequence[str]) -> str:
        kind = (f'<{tag} class="number">' if i in right else f"<{tag}>" for i in range(len(cells)))
        return "<tr>" + "".join(f"{k}{c}</{tag}>" for k, c in zip(kind, cells, strict=True))

    body = "\n".join(line("td", row) for row in rows)
    return (
        f'<div class="scroll"><table><thead>{line("th", [escape(h) for h in header])}</thead>'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def page(
    template: str,
    scripts: Sequence[str],
    parts: dict[str, str],
    library: str = "",
    connect: str = "",
) -> str:
    """Return a page of one file: a template with its style, its parts and its scripts inside.

    The content security policy lets only these very scripts run and nothing be loaded; `library`
    is a bundled script, and `connect` what the page may talk to.
    """
    code = "\n".join(asset(name) for name in scripts)
    bundled = asset(library) if library else ""
    allowed = " ".join(f"'{_digest(text)}'" for text in (code, bundled) if text)
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {allowed}",
            "style-src 'unsafe-inline'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
            *([f"connect-src {connect}"] if connect else []),
        ]
    )
    return Template(asset(template)).substitute(
        parts, policy=escape(policy), style=asset("style.css"), library=bundled, script=code
    )


def _digest(code: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
