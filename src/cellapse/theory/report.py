"""What a statement of the theory came to, and all of them as a table."""

from __future__ import annotations

from dataclasses import dataclass

from cellapse._shared.checks import one_of


@dataclass(frozen=True)
class Check:
    """One statement of the theory, held against one operator.

    `holds` is None where the statement does not apply or was not measured; `note` says why.
    """

    name: str
    statement: str
    holds: bool | None
    measured: float | None = None
    bound: float | None = None
    note: str = ""
    size: float = 1.0  # what the figures are to be compared with: far below it they read as zero

    def __str__(self) -> str:
        verdict = {True: "holds", False: "FAILS", None: "-"}[self.holds]
        figures = [
            "" if f is None else f"{f if abs(f) > 1e-12 * self.size else 0.0:.3g}"
            for f in (self.measured, self.bound)
        ]
        line = f"{self.statement:<42} {verdict:<6} {figures[0]:>10} {figures[1]:>10}  {self.note}"
        return line.rstrip()


@dataclass(frozen=True)
class Report:
    """All checks of one operator."""

    operator: str
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether no check fails."""
        return all(c.holds is not False for c in self.checks)

    def __getitem__(self, name: str) -> Check:
        known = {c.name: c for c in self.checks}
        return known[one_of("the name of a check", name, tuple(known))]

    def __str__(self) -> str:
        head = f"{'statement':<42} {'':<6} {'measured':>10} {'bound':>10}"
        return "\n".join([self.operator, head, *map(str, self.checks)])
