"""An attribute as the weights of the cells: the same rules for objects, files and lifts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cellapse._complex.attributes import Columns
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.checks import word


def weighted_by(K: Complex, name: str | None) -> Complex:
    """Move the attribute `name` to the weights, at every rank whose cells have it.

    >>> K = Complex.from_cells({1: [("a", "b")]}, attributes={1: {"strength": [2.0]}})
    >>> weighted_by(K, "strength")
    Complex(n_cells=(2, 1), weighted=(1,))
    """
    if name is None:
        return K
    word("weight", name)
    ranks = [k for k, columns in enumerate(K.attributes) if name in columns]
    if not ranks and name == "weight" and any(w is not None for w in K.weights):
        return K  # they are weights already, which every format calls so
    if not ranks and any(K.n_cells[1:]):
        known = sorted({str(n) for columns in K.attributes for n in columns})
        raise InputError(
            f"weight={name!r}, but no cell has an attribute of that name (there are: "
            f"{', '.join(known) or 'none'}); name one of them or leave out weight"
        )
    weights = {k: weight_column(K, k, name) for k in ranks}
    kept = tuple(_without(columns, name) for columns in K.attributes)
    return replace(K, attributes=kept).with_attributes({}, weights)


def weight_column(K: Complex, rank: int, name: str) -> list[Any]:
    """The attribute of every cell of a rank; the first cell without one is named and refused."""
    values = K.attributes[rank][name].tolist()
    if None in values:
        cell = K.cell_label(rank, values.index(None))
        raise InputError(
            f"cell {cell!r} of rank {rank} has no attribute {name!r}; set it on all cells of that "
            "rank or leave out weight"
        )
    return values


def _without(columns: Columns, name: str) -> Columns:
    return {n: column for n, column in columns.items() if n != name}
