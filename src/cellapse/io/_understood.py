"""What was understood of a file or an object: the complex, and every decision on the way to it."""

from __future__ import annotations

from dataclasses import dataclass

from cellapse._complex.card import drawing
from cellapse._complex.complex import Complex
from cellapse._shared.card import Card, Shown

_NAMES = {0: ("vertex", "vertices"), 1: ("edge", "edges"), 2: ("cell", "cells")}


@dataclass(frozen=True, eq=False, repr=False)
class Understood(Shown):
    """A complex and how it was read.

    Attributes
    ----------
    complex : Complex
    format : str
        The name of the format, one of `cellapse.io.FORMATS`, or the type of an object.
    facts : tuple of str
        How it was understood: delimiter, header, which columns are what.
    losses : tuple of str
        What was left out, such as self-loops, and how to keep it.
    options : tuple of str
        The arguments of `read` or `as_complex` by which one can say otherwise.

    Examples
    --------
    >>> from cellapse.io import understand
    >>> print(understand([("a", "b", 2.5), ("b", "c", 1.0), ("c", "c", 1.0)]))
    list: 3 vertices, 2 edges
      edges with a number each, the attribute 'weight'
      the attribute 'weight' counts as weights; weight=None leaves it an attribute
      left out: 1 self-loop, the first at vertex 'c', left out; as_complex(..., loops="keep") ...
      to say otherwise: weight=, ranks=, directed=, loops=, repeats=
    """

    complex: Complex
    format: str
    facts: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def _card(self) -> Card:
        rows = [("format", self.format), *(("understood", fact) for fact in self.facts)]
        rows += [("left out", loss) for loss in self.losses]
        options = ", ".join(f"{name}=" for name in self.options)
        calls = [("read.complex", "is the complex")]
        calls += [(options, "say otherwise")] if options else []
        title = f"Understood: {self.counts}"
        return Card(title, tuple(rows), lambda: drawing(self.complex), tuple(calls))

    @property
    def counts(self) -> str:
        """How many cells there are, in words."""
        parts = []
        for rank, n in enumerate(self.complex.n_cells):
            name = _NAMES[min(rank, 2)][n != 1]
            parts.append(f"{n:,} {name}" + (f" of rank {rank}" if rank > 1 else ""))
        return ", ".join(parts)

    def __str__(self) -> str:
        lines = [f"{self.format}: {self.counts}", *self.facts]
        lines += [f"left out: {text}" for text in self.losses]
        if self.options:
            lines.append(f"to say otherwise: {', '.join(f'{name}=' for name in self.options)}")
        return "\n  ".join(lines)
