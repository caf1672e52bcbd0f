"""What a result says of itself: what it is, its size, a small picture, what to call next.

In a notebook as HTML, by `print` and in a terminal of IPython as text, with the same content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any

_LINE = 150  # characters of a repr
_LARGEST = 60_000  # characters of a picture: a notebook keeps every one of them

_FRAME = (
    "display:flex;flex-wrap:wrap;gap:12px;align-items:center;max-width:760px;padding:8px 12px;"
    "border:1px solid rgba(128,128,128,.4);border-radius:6px;font-family:sans-serif;font-size:13px"
)
_NAME = "text-align:left;padding:1px 12px 1px 0;opacity:.7;font-weight:normal;vertical-align:top"
_VALUE = "text-align:left;padding:1px 0"


@dataclass(frozen=True)
class Card:
    """The content that HTML and text share.

    Attributes
    ----------
    title : str
        What it is, in one line.
    rows : pairs of a word and what there is to say of it
    picture : function without arguments that draws an SVG
    calls : pairs of what to call next and what it gives
    """

    title: str
    rows: tuple[tuple[str, str], ...]
    picture: Callable[[], str]
    calls: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """Return the card as lines.

        >>> print(Card("a path", (("vertices", "3"),), str, (("K.plot()", "draws it"),)).text())
        a path
          vertices    3
          next        K.plot(): draws it
        """
        calls = [("next", f"{call}: {gives}") for call, gives in self.calls]
        lines = [f"  {name:<11} {value}" for name, value in (*self.rows, *calls)]
        return "\n".join([self.title, *lines])

    def html(self) -> str:
        """Return the card for a notebook, light or dark: no colour of its own but the picture's."""
        picture = self.picture()
        shown = picture if len(picture) <= _LARGEST else ""
        rows = "".join(
            f'<tr><th style="{_NAME}">{escape(name)}</th>'
            f'<td style="{_VALUE}">{escape(value)}</td></tr>'
            for name, value in self.rows
        )
        calls = "<br>".join(
            f"<code>{escape(call)}</code> {escape(gives)}" for call, gives in self.calls
        )
        return (
            f'<div style="{_FRAME}"><div>{shown}</div><div style="flex:1;min-width:260px">'
            f"<strong>{escape(self.title)}</strong>"
            f'<table style="font-size:13px">{rows}</table>'
            f'<div style="margin-top:4px">{calls}</div></div></div>'
        )


def few(values: Iterable[Any], most: int = 6) -> str:
    """Return the first of the values in words, each cut short.

    >>> few([1.23456, ("a", "b"), 3], 2)
    "1.235, ('a', 'b'), ..."
    """
    first = list(islice(values, most + 1))
    words = [f"{v:.4g}" if isinstance(v, float) else f"{v!r:.40}" for v in first[:most]]
    return ", ".join(words + ["..."] * (len(first) > most))


class Shown:
    """Has a card: shown by notebooks, `print` and IPython; its title is the repr."""

    def _card(self) -> Card:
        raise NotImplementedError

    def __repr__(self) -> str:
        name, title = type(self).__name__, " ".join(self._card().title.split())
        said = title if title.startswith(name) else f"{name}: {title}"
        return f"<{said if len(said) < _LINE else said[:_LINE] + '...'}>"

    def __str__(self) -> str:
        return self._card().text()

    def _repr_html_(self) -> str:
        return self._card().html()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))
