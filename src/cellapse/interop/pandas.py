"""pandas: a table with one row per cell, both ways; tables of edges in."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.attributes import columns_of
from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.graph import graph_of, string_named
from cellapse._complex.labels import positions, vertex_order
from cellapse._complex.weights import weighted_by
from cellapse._errors import InputError, extra
from cellapse._shared.memory import Fitting
from cellapse._shared.notes import fact
from cellapse.interop._build import Wanted, ranked_complex, records_of
from cellapse.interop._ends import has_arcs, known_ends
from cellapse.interop._hyperedges import hyperedge_complex
from cellapse.interop.matrices import labelled_adjacency

_GROUPS = (list, tuple, set, frozenset)


def read(table: Any, wanted: Wanted) -> Complex:
    """A table of cells ("rank" and "cell"), of edges, or an adjacency or incidence matrix."""
    wanted.check_ranked("a table")
    table = _as_frame(table)
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        raise InputError(f"a table that names a column twice, {names[:12]}; rename one of them")
    if {"rank", "cell"} <= set(names):
        wanted.check_simple("a table of cells")
        return _from_cells(table, wanted)
    ends = known_ends(names)
    if ends is not None:
        return _from_edges(table, ends, wanted)
    if names and all(table[name].dtype.kind in "biuf" for name in table.columns):
        return _from_matrix(table, wanted)
    labels = table.columns.tolist()
    if set(table.index.tolist()) == set(labels) != set(range(len(labels))):
        raise InputError("an adjacency of words; pass table.astype(float)")
    raise InputError(
        f"a table with the columns {sorted(names)[:12]}; name two of them source and target "
        '(edges), or rank and cell (as to_pandas does): table.rename(columns={"a": "source", '
        '"b": "target"}). If a row says who is in which hyperedge, give '
        'hypergraph_complex(table.groupby("hyperedge")["member"].agg(list))'
    )


def _as_frame(table: Any) -> Any:
    """Return a frame, with the ends of edges as columns where they are its index."""
    if not hasattr(table, "index"):
        raise InputError(f"a pandas {type(table).__name__}; pass it as a list: list(...)")
    if table.index.nlevels == 2 and known_ends([str(name) for name in table.index.names]):
        values = table if hasattr(table, "columns") else table.rename(table.name or "weight")
        return values.reset_index()
    if hasattr(table, "columns") and table.index.nlevels == 1:
        return table
    if not hasattr(table, "columns") and all(isinstance(v, _GROUPS) for v in table):
        raise InputError("a pandas Series of hyperedges, it seems; pass it to hypergraph_complex")
    raise InputError(
        f"a pandas {type(table).__name__} with the index {list(table.index.names)}; edges are a "
        'table with columns for both ends: table.rename_axis(["source", "target"]).reset_index()'
    )


def _from_cells(table: Any, wanted: Wanted) -> Complex:
    by_rank: dict[int, list[Any]] = {}
    records: dict[int, list[Any]] = {}
    rows = zip(
        table["rank"].tolist(), table["cell"].tolist(), _facts(table, ["rank", "cell"]), strict=True
    )
    for rank, cell, fact_of_cell in rows:
        by_rank.setdefault(int(rank), []).append(cell)
        records.setdefault(int(rank), []).append(fact_of_cell)
    listed = by_rank.pop(0, None)
    named = (v for k in sorted(by_rank) for cell in by_rank[k] for v in cell)
    return ranked_complex(
        vertex_order(named) if listed is None else listed,
        by_rank,
        records,
        wanted.weight,
        table.attrs,
        walks=True,
    )


def _facts(table: Any, used: list[Any]) -> list[dict[Any, Any]]:
    """Return what every row says beside the columns that are used, without empty places."""
    from pandas import isna
    from pandas.api.types import is_scalar

    others = table.drop(columns=used)
    rows = others.to_dict(orient="records") if len(others.columns) else [{} for _ in others.index]
    return [{name: v for name, v in row.items() if not (is_scalar(v) and isna(v))} for row in rows]


def _from_edges(table: Any, ends: tuple[int, int], wanted: Wanted) -> Complex:
    used = [table.columns[c] for c in ends]
    if table[used].isna().to_numpy().any():
        raise InputError(f"the columns {used[0]!r} and {used[1]!r} have empty places; drop them")
    fact(f"columns {used[0]!r} and {used[1]!r} are the ends of edges")
    labels, edges = _numbered(*(table[name] for name in used))
    columns = {n: c for n in table.columns.difference(used, sort=False) if (c := _column(table[n]))}
    if has_arcs(columns):
        wanted.rules.check_direction("the table of edges")
    graph = graph_of(labels, edges, {1: string_named(columns)}, wanted.rules)
    return weighted_by(graph.with_cells({}, string_named(table.attrs)), wanted.weight)


def _numbered(sources: Any, targets: Any) -> tuple[list[Any], Any]:
    """Return the labels in their order, and edges as their positions."""
    from pandas import factorize

    whole = sources.dtype == targets.dtype == np.int64
    ends = [c.to_numpy(np.int64 if whole else object) for c in (sources, targets)]
    try:
        places, labels = factorize(np.column_stack(ends).ravel())
    except TypeError as error:
        raise InputError(
            f"a label that cannot be hashed ({error}); use strings or numbers"
        ) from None
    order = vertex_order(labels.tolist())
    position = positions(order)
    place = np.array([position[v] for v in labels.tolist()], dtype=np.int64)
    return list(order), place[places].reshape(-1, 2)


def _column(series: Any) -> Any:
    """Return a column by rows, None in empty places; nothing where all are empty."""
    empty = series.isna().to_numpy()
    if empty.all():
        return None
    if not empty.any():
        return series.tolist()
    return [None if gone else v for v, gone in zip(series.tolist(), empty.tolist(), strict=True)]


def _from_matrix(table: Any, wanted: Wanted) -> Complex:
    """Square with the same labels: an adjacency; of zeros and ones: vertices by hyperedges."""
    values = table.to_numpy(dtype=np.float64)
    rows, columns = table.index.tolist(), table.columns.tolist()
    counted = rows == list(range(len(rows))) and columns == list(range(len(columns)))
    if counted and len(columns) == 2:
        raise InputError(
            "a table of numbers with two columns that have no names; call them source and target "
            'if it lists edges: table.set_axis(["source", "target"], axis=1)'
        )
    if len(rows) == len(columns) and set(rows) == set(columns):
        fact("the same labels in rows and columns: an adjacency")
        matrix = sparse.csr_array(np.nan_to_num(table[rows].to_numpy(dtype=np.float64), nan=0.0))
        return labelled_adjacency(matrix, rows, wanted, {}, string_named(table.attrs))
    shared = set(rows) & set(columns)
    if shared and not counted:
        raise InputError(
            f"a table of numbers that has {sorted(map(str, shared))[:3]} in rows and columns, but "
            "not all labels in both; an adjacency has: labels = table.index.union(table.columns), "
            "table.reindex(index=labels, columns=labels, fill_value=0)"
        )
    if not np.isin(values, (0, 1)).all() or len(set(rows)) < len(rows):
        raise InputError(
            f"a table of numbers with the columns {columns[:8]}; an adjacency has the same labels "
            "in rows and columns, an incidence matrix zeros and ones, and edges columns called "
            "source and target; points go into lifts.nearest_neighbour_complex(table, n_neighbors)"
        )
    wanted.check_simple("an incidence matrix")
    fact("zeros and ones: rows are vertices, columns hyperedges")
    members = [[rows[i] for i in np.flatnonzero(column).tolist()] for column in values.T]
    full = [i for i, group in enumerate(members) if group]
    K = hyperedge_complex(rows, [members[i] for i in full], names=[columns[i] for i in full])
    return weighted_by(K, wanted.weight)


@Fitting("the object of the other library", "take a smaller complex")
def to_pandas(K: Complex, *, weight: str = "weight") -> Any:
    """Return a table with one row per cell: its rank, labels, weight and attributes.

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
    """Return numbers and truth values as such, though some cells lack them; all else as it is."""
    from pandas import array

    given = [v for v in values if v is not None]
    kinds = set(map(type, given))
    if len(given) == len(values) or not kinds <= {int, bool} or len(kinds) != 1:
        return values
    if kinds == {bool}:
        return array(values, dtype="boolean")
    return array(values, dtype="Int64" if max(map(abs, given)) < 2**63 else object)
