"""pandas: a table with one row per cell, both ways; tables of edges in."""

from __future__ import annotations

from typing import Any

from cellapse._complex.attributes import columns_of
from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.labels import in_order
from cellapse._errors import InputError, extra
from cellapse.interop._build import Wanted, ranked_complex, records_of


def read(table: Any, wanted: Wanted) -> Complex:
    """A table with the columns "rank" and "cell", or "source" and "target"."""
    from pandas import isna
    from pandas.api.types import is_scalar

    wanted.check_ranked("a table")
    names = set(getattr(table, "columns", ()))
    if {"rank", "cell"} <= names:
        where, cells = table["rank"].tolist(), table["cell"].tolist()
        used = ["rank", "cell"]
    elif {"source", "target"} <= names:
        cells = list(zip(table["source"].tolist(), table["target"].tolist(), strict=True))
        where, used = [1] * len(cells), ["source", "target"]
    else:
        raise InputError(
            f"a table with the columns {sorted(map(str, names))}; name two of them source and "
            'target (edges), or rank and cell (as to_pandas does): table.rename(columns={"from": '
            '"source", "to": "target"})'
        )
    rest = table.drop(columns=used)
    rows = rest.to_dict(orient="records") if rest.shape[1] else [{}] * len(cells)
    facts = [{name: v for name, v in row.items() if not (is_scalar(v) and isna(v))} for row in rows]
    by_rank: dict[int, list[Any]] = {}
    records: dict[int, list[Any]] = {}
    for rank, cell, fact in zip(where, cells, facts, strict=True):
        by_rank.setdefault(int(rank), []).append(cell)
        records.setdefault(int(rank), []).append(fact)
    listed = by_rank.pop(0, None)
    labels = in_order(v for k in sorted(by_rank) for cell in by_rank[k] for v in cell)
    return ranked_complex(
        labels if listed is None else listed,
        by_rank,
        records,
        wanted.weight,
        table.attrs,
        walks=True,
    )


def to_pandas(K: Complex, *, weight: str = "weight") -> Any:
    """A table with one row per cell: its rank, its label or labels, its weight and attributes.

    Parameters
    ----------
    K : Complex
    weight : str
        Name of the column for the weights, where there are any.

    Returns
    -------
    pandas.DataFrame
        `as_complex` reads it back. Whole numbers that some cells lack are of type Int64; the
        metadata is in `attrs`.

    Examples
    --------
    >>> table = to_pandas(Complex.from_cells({1: [("a", "b")]}, weights={1: [2.0]}))
    >>> table["cell"].tolist(), table["rank"].tolist()
    (['a', 'b', ('a', 'b')], [0, 0, 1])
    """
    require_complex(K, "to_pandas")
    with extra("pandas", "pandas"):
        from pandas import DataFrame
    rows = [
        {"rank": k, "cell": cell, **record}
        for k in range(K.max_rank + 1)
        for cell, record in zip(K.cell_labels(k), records_of(K, k, weight), strict=True)
    ]
    table = DataFrame({name: _series(values) for name, values in columns_of(rows).items()})
    table.attrs = dict(K.metadata)
    return table


def _series(values: list[Any]) -> Any:
    """Numbers and truth values as such, though some cells lack them; all else as it is."""
    from pandas import array

    given = [v for v in values if v is not None]
    kinds = set(map(type, given))
    if len(given) == len(values) or not kinds <= {int, bool} or len(kinds) != 1:
        return values
    if kinds == {bool}:
        return array(values, dtype="boolean")
    return array(values, dtype="Int64" if max(map(abs, given)) < 2**63 else object)
