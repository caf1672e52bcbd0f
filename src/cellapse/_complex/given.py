"""The one door for whatever a user has where a complex is wanted."""

from __future__ import annotations

from typing import Any

from cellapse._complex.complex import Complex


def to_complex(given: Any) -> Complex:
    """Whatever a user has as a complex, lifted as the command line does."""
    if isinstance(given, Complex):
        return given
    # Readers and lifts come further down; this is the one door to them.
    from cellapse._sources import complex_from

    return complex_from(given)
