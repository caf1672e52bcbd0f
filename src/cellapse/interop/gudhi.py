"""GUDHI: simplex trees, both ways; filtration values are an attribute."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.weights import weighted_by
from cellapse._errors import InputError, extra
from cellapse._shared.checks import word
from cellapse._shared.memory import Fitting
from cellapse.interop._build import Wanted

_NO_SIMPLICES = (
    "a SimplexTree holds simplices with all their faces, and this complex is not made of those; "
    "use clique_complex, or to_toponetx, which takes any complex"
)


def read(tree: Any, wanted: Wanted) -> Complex:
    """Return a `gudhi.SimplexTree`; values other than zero become the attribute "filtration"."""
    wanted.check_ranked("a SimplexTree")
    if not hasattr(tree, "get_simplices"):
        raise InputError(f"a gudhi {type(tree).__name__} was given; pass its create_simplex_tree()")
    by_rank: dict[int, tuple[list[int], list[float]]] = {}
    for simplex, value in tree.get_simplices():
        members, values = by_rank.setdefault(len(simplex) - 1, ([], []))
        members.extend(simplex)
        values.append(value)
    tables = {k: np.array(members).reshape(-1, k + 1) for k, (members, _) in by_rank.items()}
    if not tables:
        raise InputError("an empty SimplexTree; a complex needs at least one vertex")
    listed = tables.pop(0).ravel()
    ascending = np.argsort(listed)
    labels = listed[ascending]
    cells = {k: np.searchsorted(labels, t) for k, t in tables.items()}
    attributes: dict[int, dict[Any, Any]] = {}
    if any(any(values) for _, values in by_rank.values()):
        attributes = {k: {"filtration": np.array(v)} for k, (_, v) in by_rank.items()}
        attributes[0] = {"filtration": attributes[0]["filtration"][ascending]}
    counted = np.array_equal(labels, np.arange(len(labels)))
    names = None if counted else labels.tolist()
    K = Complex.from_arrays(len(labels), cells, names, attributes=attributes)
    return weighted_by(K, wanted.weight)


@Fitting("the object of the other library", "take a smaller complex")
def to_gudhi(K: Complex, *, filtration: str = "filtration") -> Any:
    """Return the simplex tree of a simplicial complex.

    Parameters
    ----------
    K : Complex
        Made of simplices with all their faces. Vertices keep labels that are whole numbers from
        0 up; others become their positions.
    filtration : str
        Name of the attribute that holds the filtration values; cells without it get zero.

    Returns
    -------
    gudhi.SimplexTree

    Examples
    --------
    >>> import cellapse as cl
    >>> K = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> cl.interop.to_gudhi(K).num_simplices()
    7
    """
    require_complex(K, "to_gudhi")
    word("filtration", filtration)
    with extra("gudhi", "topology"):
        from gudhi import SimplexTree
    if not K.is_simplicial:
        raise InputError(_NO_SIMPLICES)
    counted = K.labels == range(K.n_vertices)
    whole = not counted and all(type(v) is int and 0 <= v < 2**31 - 1 for v in K.labels)
    labels = np.array(K.labels, dtype=np.int64) if whole else np.arange(K.n_vertices)
    tree = SimplexTree()
    for rank, cells in enumerate(K.cells):
        if len(cells):
            values = K.attributes[rank].get(filtration, np.zeros(len(cells)))
            table = np.ascontiguousarray(labels[cells.as_array()].T)
            tree.insert_batch(table, np.asarray(values, dtype=np.float64))
    if tree.num_simplices() > sum(K.n_cells):  # GUDHI has added faces that were missing
        raise InputError(_NO_SIMPLICES)
    return tree
