"""Results as pandas frames, one row for each vertex, indexed by label."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from numpy.typing import NDArray

from cellapse._errors import extra


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
