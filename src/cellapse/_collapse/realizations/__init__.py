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


class Default(str):
    """A name that stands where a user gives none, so that matrices can stay as they are."""


# The one default of every argument that chooses an operator, here and on the command line; the
# plain word for estimators, of which scikit-learn asks it, and which are given no matrices.
DEFAULT = Default("renormalized")
USUAL = str(DEFAULT)

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
    """Return the realization that was asked for; by default matrices are their own."""
    matrices = not isinstance(source, Complex)
    if matrices and isinstance(given, Default):
        kind = source.kind if isinstance(source, Incidence) else "given"
        return REALIZATIONS.get(kind, Given())
    chosen = as_realization(given)
    if matrices and not chosen.takes_matrices:
        raise refuse_matrices(chosen)
    return chosen


__all__ = [
    "BASELINES",
    "DEFAULT",
    "REALIZATIONS",
    "USUAL",
    "Boundary",
    "Default",
    "Given",
    "Mixed",
    "Realization",
    "Screened",
    "Unfolded",
    "Unsigned",
    "as_realization",
    "realization_of",
]
