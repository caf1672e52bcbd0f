"""An attribute as the weights of the cells: the same rules for objects, files and lifts.

`weight="auto"`, the default everywhere: what has weights of its own keeps them, and otherwise an
attribute of edges and cells called "weight" counts where there is one, as in networkx, or "Weight",
as Gephi writes it; ones alone do not count. A name has to be there, and counts at every rank that
has it. None: no weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from cellapse._complex.attributes import USUAL, Columns, usual_weight
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import real_array, word
from cellapse._shared.notes import fact

AUTO = "auto"
UNWEIGHTED = "unweighted"  # what a networkx graph says of itself where it does not


def weighted_by(K: Complex, name: str | None, lowest: int = 0) -> Complex:
    """Move the attribute `name` to the weights, at every rank from `lowest` whose cells have it.

    >>> K = Complex.from_cells({1: [("a", "b")]}, attributes={1: {"strength": [2.0]}})
    >>> weighted_by(K, "strength")
    Complex(n_cells=(2, 1), weighted=(1,))
    >>> weighted_by(weighted_by(K, "strength"), None).attributes[1]["weight"].tolist()
    [2.0]
    """
    if name is None:
        return _unweighted(K)
    word("weight", name)
    weighted = any(w is not None for w in K.weights)
    if name == AUTO:
        if weighted:
            return K
        usual = {k: usual_weight(c) for k, c in enumerate(K.attributes) if k}
        names = {k: n for k, n in usual.items() if n and says_something(K.attributes[k][n])}
        if not names:
            return K
        tell_usual(*names.values())
    else:
        names = {k: name for k, c in enumerate(K.attributes) if k >= lowest and name in c}
    if not names and name == USUAL and weighted:
        return K  # they are weights already, which every format calls so
    if not names and any(K.n_cells[1:]):
        known = sorted(
            {str(n) for columns in K.attributes for n in columns} | ({USUAL} if weighted else set())
        )
        raise InputError(
            f"weight={name!r}, but no cell has an attribute of that name (there are: "
            f"{', '.join(known) or 'none'}); name one of them or leave out weight"
        )
    weights = {k: weight_column(K, k, n) for k, n in names.items()}
    kept = tuple(
        {n: column for n, column in columns.items() if n != names.get(k)}
        for k, columns in enumerate(K.attributes)
    )
    return replace(K, attributes=kept).with_attributes({}, weights)


def tell_usual(*names: str) -> None:
    """Note which attribute counts by itself."""
    fact(f"the attribute {names[0]!r} counts as weights; weight=None leaves it an attribute")


def says_something(column: Any) -> bool:
    """Return whether there is a column of weights, and not of ones alone.

    >>> says_something(None), says_something([1, 1.0]), says_something([1, None])
    (False, False, True)
    """
    if column is None or not len(column):
        return False
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return bool((column != 1).any())
    return any(value is None or np.any(value != 1) for value in column)


def weight_column(K: Complex, rank: int, name: str) -> FloatArray:
    """Return the attribute of every cell of a rank as weights."""
    return as_weights(
        K.attributes[rank][name],
        name,
        lambda i: f"cell {K.cell_label(rank, i)!r:.80} of rank {rank}",
    )


def as_weights(column: Any, name: str, cell: Callable[[int], str]) -> FloatArray:
    """The values of an attribute as weights; the first cell that has none is named and refused."""
    if not isinstance(column, np.ndarray) or column.dtype.kind not in "biuf":
        listed = column.tolist() if isinstance(column, np.ndarray) else list(column)
        if None in listed:
            raise InputError(
                f"{cell(listed.index(None))} has no attribute {name!r}; set it on all cells of its "
                "rank, or pass weight=None for no weights"
            )
        try:
            column = real_array(listed, f"the attribute {name!r}")
        except InputError as error:
            raise InputError(
                f"weight={name!r}, but {error}; pass weight=None for no weights"
            ) from None
    if column.ndim != 1:
        raise InputError(
            f"weight={name!r}, but that attribute is of shape {column.shape}; a weight is one "
            "number, pass weight=None for no weights"
        )
    values = column.astype(np.float64)
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if len(wrong):
        raise InputError(
            f"{cell(int(wrong[0]))} has the {name} {values[wrong[0]]:g}, and weights are positive "
            "finite numbers; leave out what should not count, pass weight=None for no weights, or "
            "take signed_boundaries for edges that repel"
        )
    return values


def _unweighted(K: Complex) -> Complex:
    """Return the complex without weights; those it had are an attribute."""
    if all(w is None for w in K.weights):
        return K
    columns: dict[int, Columns] = {
        k: {USUAL: w}
        for k, w in enumerate(K.weights)
        if w is not None and not (K.attributes and USUAL in K.attributes[k])
    }
    given = None if K.hyperedges is None else replace(K.hyperedges, weights=None)
    bare = replace(K, weights=(None,) * len(K.weights), hyperedges=given)
    return bare.with_attributes(columns)
