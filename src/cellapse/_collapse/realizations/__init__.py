"""The realizations by their names: the one registry behind every list of choices.

A new realization is one file next to this one, and one line here.
"""

from __future__ import annotations

from typing import Any

from cellapse._collapse.realizations.base import Realization, refuse_matrices
from cellapse._collapse.realizations.boundary import Boundary
from cellapse._collapse.realizations.given import Given
from cellapse._collapse.realizations.mixed import Mixed
from cellapse._collapse.realizations.screened import RENORMALIZED, Screened
from cellapse._collapse.realizations.unfolded import Unfolded
from cellapse._collapse.realizations.unsigned import Unsigned
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._matrices.incidence import Incidence

REALIZATIONS: dict[str, Realization] = {
    "renormalized": Screened(rounds=RENORMALIZED),
    "unfolded": Unfolded(),
    "boundary": Boundary(),
    "incidence": Unsigned(),
    "mixed": Mixed(),
    "screened": Screened(),
}

# What is no collapse, but may be asked for as one: `make_operator` has them.
BASELINES = ("laplacian", "signless", "multiorder", "motif", "projection", "reliable", "zhou")


def as_realization(given: Any) -> Realization:
    """A realization by its name, or as it is.

    >>> as_realization("renormalized")
    Screened(theta=None, rounds=5)
    """
    if isinstance(given, Realization):
        return given
    if isinstance(given, str) and given in REALIZATIONS:
        return REALIZATIONS[given]
    if isinstance(given, type) and issubclass(given, Realization):
        raise InputError(
            f"realization={given.__name__}, a class; give an object: {given.__name__}()"
        )
    names = ", ".join(f'"{name}"' for name in REALIZATIONS)
    if isinstance(given, str) and given in BASELINES:
        raise InputError(
            f'realization="{given}", which is no collapse; use cl.make_operator(K, "{given}"), '
            f"or choose one of {names}"
        )
    raise InputError(f"realization={given!r:.80}; choose one of {names}, or Screened(rounds=...)")


def realization_of(source: Any, given: Any) -> Realization:
    """The realization to use: as asked for, or what fits the source."""
    matrices = not isinstance(source, Complex)
    if given is not None:
        chosen = as_realization(given)
        if matrices and not chosen.takes_matrices:
            raise refuse_matrices(chosen)
        return chosen
    if not matrices:
        return REALIZATIONS["unfolded"]
    kind = source.kind if isinstance(source, Incidence) else "given"
    return REALIZATIONS.get(kind, Given())


__all__ = [
    "BASELINES",
    "REALIZATIONS",
    "Boundary",
    "Given",
    "Mixed",
    "Realization",
    "Screened",
    "Unfolded",
    "Unsigned",
    "as_realization",
    "realization_of",
]
