"""What a statement of the theory came to, and all of them as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import one_of
from cellapse._shared.pictures import PALETTE, bars


@dataclass(frozen=True, repr=False)
class Check(Shown):
    """One statement of the theory, held against one operator.

    `holds` is None where the statement does not apply or was not measured; `note` says why.

    Attributes
    ----------
    name, statement : str
    holds : bool or None
    measured, bound : float or None
    note : str
    size : float
        What the figures are to be compared with: far below it they read as zero.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K, "unfolded")
    >>> check = cl.theory.loewner_bounds(S)
    >>> check.name, check.holds
    ('loewner_bounds', True)
    """

    name: str
    statement: str
    holds: bool | None
    measured: float | None = None
    bound: float | None = None
    note: str = ""
    size: float = 1.0  # what the figures are to be compared with: far below it they read as zero

    def _card(self) -> Card:
        said = {True: "holds", False: "FAILS", None: "does not apply, or was not measured"}
        figures = {"measured": self.measured, "bound": self.bound}
        rows = [
            ("statement", self.statement),
            *((name, f"{value:.4g}") for name, value in figures.items() if value is not None),
            *([("note", self.note)] if self.note else []),
        ]
        calls = (("cl.theory.check(S)", "checks all statements"),)
        parts = [abs(value) for value in figures.values() if value is not None]
        title = f"Check of {self.name}: {said[self.holds]}"
        return Card(title, tuple(rows), lambda: bars(parts), calls)

    def __str__(self) -> str:
        verdict = {True: "holds", False: "FAILS", None: "-"}[self.holds]
        figures = [
            "" if f is None else f"{f if abs(f) > 1e-12 * self.size else 0.0:.3g}"
            for f in (self.measured, self.bound)
        ]
        line = f"{self.statement:<42} {verdict:<6} {figures[0]:>10} {figures[1]:>10}  {self.note}"
        return line.rstrip()


@dataclass(frozen=True)
class Report(Shown):
    """All checks of one operator.

    Attributes
    ----------
    operator : str
        What was checked.
    checks : tuple of Check
        `report["cells_matter"]` is the one of that name.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> report = cl.theory.check(cl.collapse(cl.clique_complex(nx.karate_club_graph())))
    >>> report.holds, report["loewner_bounds"].holds
    (True, True)
    """

    operator: str
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether no check fails."""
        return all(c.holds is not False for c in self.checks)

    def __getitem__(self, name: str) -> Check:
        known = {c.name: c for c in self.checks}
        return known[one_of("the name of a check", name, tuple(known))]

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def __repr__(self) -> str:
        held = sum(c.holds is True for c in self.checks)
        fail = sum(c.holds is False for c in self.checks)
        return f"<Report of {len(self.checks)} statements: {held} hold, {fail} fail>"

    def _card(self) -> Card:
        rows = tuple(
            (c.statement, " ".join(str(c)[len(c.statement) :].split())) for c in self.checks
        )
        known = [c for c in self.checks if c.measured is not None and c.bound]
        parts = [abs(c.measured / c.bound) for c in known]  # type: ignore[operator]
        colours = [PALETTE[2] if c.holds else PALETTE[3] for c in known] or PALETTE
        calls = (("report[name]", "is one check, with its figures"), ("report.holds", "sums it up"))
        return Card(self.operator, rows, lambda: bars(parts, colours), calls)

    def __str__(self) -> str:
        head = f"{'statement':<42} {'':<6} {'measured':>10} {'bound':>10}"
        return "\n".join([self.operator, head, *map(str, self.checks)])
