"""The card of a dataset: a title and aligned rows of plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any, ClassVar

from cellapse._shared.card import Card, Shown
from cellapse._shared.pictures import bars


class Described(Shown):
    """A dataset that says what it is, as text and in a notebook."""

    _calls: ClassVar[tuple[tuple[str, str], ...]] = ()

    def _head(self) -> tuple[str, str]:
        """Return the title, and the name that it is loaded by."""
        raise NotImplementedError

    def _facts(self) -> dict[str, Any]:
        """Return what there is to say: counts, source, licence, provenance, notes."""
        raise NotImplementedError

    def _sizes(self) -> list[int]:
        """Return what is drawn: the sizes of groups."""
        raise NotImplementedError

    def card(self) -> str:
        r"""Describe it in plain text: counts, source, licence, provenance, notes.

        Returns
        -------
        str

        Examples
        --------
        >>> import cellapse as cl
        >>> print("\n".join(cl.datasets.load("karate").card().splitlines()[:5]))
        Zachary's karate club (karate)
          nodes       34
          edges       78, weighted
          triangles   45
          groups      2, of 17 to 17 nodes
        """
        return card(*self._head(), self._facts())

    def __str__(self) -> str:
        return self.card()

    def _card(self) -> Card:
        title, name = self._head()
        rows = tuple((key, str(value)) for key, value in self._facts().items())
        return Card(f"{title} ({name})", rows, lambda: bars(self._sizes()), self._calls)


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
