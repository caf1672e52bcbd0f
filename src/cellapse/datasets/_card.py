"""The card of a dataset: a title and aligned rows of plain text."""

import textwrap
from collections.abc import Mapping


def card(title: str, name: str, rows: Mapping[str, object]) -> str:
    r"""Lay out a card of at most 100 columns.

    >>> print(card("Zachary's karate club", "karate", {"nodes": 34}))
    Zachary's karate club (karate)
      nodes       34
    """
    return "\n".join([f"{title} ({name})", *(_row(*row) for row in rows.items())])


def _row(key: str, value: object) -> str:
    # page ranges and names must not break at their hyphens
    return textwrap.fill(
        str(value),
        width=100,
        initial_indent=f"  {key:<12}",
        subsequent_indent=" " * 14,
        break_on_hyphens=False,
    )
