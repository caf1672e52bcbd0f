"""The one door for whatever a user has where a complex is wanted."""

from __future__ import annotations

import os
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._complex.simple import SIMPLE, Rules
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError


def to_complex(given: Any, weight: str | None = AUTO) -> Complex:
    """Return whatever a user has as a complex, lifted as the command line does."""
    if isinstance(given, Complex) and weight == AUTO:
        return given
    # Readers and lifts come further down; this is the one door to them.
    from cellapse._sources import complex_from

    return complex_from(given, weight)


def read_graph(given: Any, weight: str | None, rules: Rules) -> Complex:
    """Vertices and edges of what is neither a graph here nor a list of pairs, or of a name."""
    from cellapse._sources import named_complex
    from cellapse.interop.reading import as_complex

    if isinstance(given, str | bytes | os.PathLike):
        return named_complex(given, weight, rules)
    K = as_complex(given, weight=weight, **vars(rules))
    groups = isinstance(given, list | tuple | set | frozenset) and all(
        isinstance(group, list | tuple | set | frozenset) for group in given
    )
    if groups and K.max_rank > 1:
        wrong = next(group for group in given if len(group) != 2)
        raise InputError(
            f"edge {wrong!r:.80} has {len(wrong)} vertices, not two; hyperedges go through "
            "hypergraph_complex"
        )
    return K


def refuse_networks(given: Any) -> None:
    """A list of networks is no list of cells."""
    from cellapse.interop.reading import refuse_many

    refuse_many(given)


def read_hypergraph(given: Any, weight: str | None) -> Complex:
    """Return an object of another library, or the file of a name, as `as_complex` and `read` do."""
    from cellapse._sources import named_complex
    from cellapse.interop.reading import as_complex

    if isinstance(given, str | bytes | os.PathLike):
        return named_complex(given, weight, SIMPLE)
    return as_complex(given, weight=weight)
