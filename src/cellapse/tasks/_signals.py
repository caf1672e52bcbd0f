"""Signals on the vertices: numbers in the order of the operator, or pandas objects by label."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._errors import InputError, extra
from cellapse._linalg.operators import Operator
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import signal


def unpack(values: Any, operator: Operator) -> tuple[FloatArray, Callable[[FloatArray], Any]]:
    """A signal in the order of the operator, and the way back to what the user gave.

    A pandas Series or DataFrame is aligned by its index, which must name every vertex once; the
    way back gives the same type with the same index.
    """
    pandas, n = sys.modules.get("pandas"), operator.shape[0]
    if pandas is None or not isinstance(values, pandas.Series | pandas.DataFrame):
        return signal(values, n), lambda result: result
    index = values.index
    order = np.array([-1])  # equivalent: any number below 0
    if index.is_unique:
        order = index.get_indexer(as_index(operator.labels))
    if len(index) != n or (order < 0).any():
        unknown = [v for v in index if v not in set(operator.labels)]
        given = f"{unknown[0]!r} is not among them" if unknown else f"{len(index)} rows were given"
        raise InputError(
            f"the index of the signal does not name each of the {n} vertices once: "
            f"{given}; index it by operator.labels, or pass signal.to_numpy() in their order"
        )
    back = np.argsort(order)

    def pack(result: FloatArray) -> Any:
        if result.ndim == 1:
            return pandas.Series(result[back], index, name=values.name)
        return pandas.DataFrame(result[back], index, values.columns)

    return signal(values.to_numpy()[order], n), pack


def as_index(labels: Sequence[Hashable]) -> Any:
    """Labels as a pandas Index in which tuples stay single labels."""
    with extra("pandas", "pandas"):
        import pandas as pd
    if isinstance(labels, range):
        return pd.RangeIndex(len(labels))
    return pd.Index(list(labels), tupleize_cols=False)


def to_frame(values: NDArray[Any], labels: Sequence[Hashable], columns: Sequence[Any]) -> Any:
    """A pandas DataFrame with one row for each vertex."""
    with extra("pandas", "pandas"):
        import pandas as pd
    return pd.DataFrame(values, index=as_index(labels), columns=list(columns))
