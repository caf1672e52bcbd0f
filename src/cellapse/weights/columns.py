r"""What files and lifts say of cells, as weights: bond orders, confidences, counts.

bonds         the order, or Pauling's from the length: 10^((d_0 - d) / 0.71 Angstrom)
confidences   p, or the evidence -log(1 - p), which adds up over independent sources
counts        how often a cell was given, or 1 + log of that
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import InputError, extra
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import number, one_of, real_array, word
from cellapse.weights.lengths import edge_lengths

_PAULING = 0.71  # Angstrom per power of ten (Pauling, Atomic radii in metals, 1947)
_COUNTED = "multiplicity"
_CERTAIN = 1e-6  # below 1: what is certain has the evidence of this


def bonds(source: Any, by: str = "order") -> dict[int, FloatArray]:
    """Weights of the bonds of a molecule, by their order or their length.

    n_ij = 10^((r_i + r_j - d_ij) / 0.71) of "length", with covalent radii r in Angstrom (Pauling):
    1 at the usual length of a single bond.

    Parameters
    ----------
    source : Complex of a molecule, or what makes one
        With the attribute "order" of its bonds, or "element" and "position" of its atoms.
    by : {"order", "length"}
        Lengths need RDKit, which knows the radii.

    Returns
    -------
    dict
        {1: one number per bond}.

    Examples
    --------
    >>> from cellapse.lifts import molecule_complex
    >>> bonds(molecule_complex("C=CC"))[1].tolist()
    [2.0, 1.0]
    """
    K = to_complex(source)
    one_of("by", by, ("order", "length"))
    if by == "order":
        return {1: _column(K, 1, "order", "molecule_complex keeps it")}
    if "element" not in K.attributes[0]:
        raise InputError('atoms have no attribute "element"; give a molecule, or by="order"')
    with extra("rdkit", "molecule"):
        from rdkit import Chem
    table, elements = Chem.GetPeriodicTable(), list(K.attributes[0]["element"])
    radius = {e: float(table.GetRcovalent(str(e))) for e in dict.fromkeys(elements)}
    radii = np.array([radius[e] for e in elements])
    i, j = K.cells[1].as_array().reshape(-1, 2).T
    return {1: 10.0 ** ((radii[i] + radii[j] - edge_lengths(K)) / _PAULING)}


def confidences(
    source: Any, name: str, *, largest: float = 1.0, kind: str = "probability"
) -> dict[int, FloatArray]:
    """Weights by how sure cells are, at every rank that has the attribute.

    p, the attribute over `largest`; or -log(1 - p), the evidence, which adds up over independent
    sources.

    Parameters
    ----------
    source : Complex, or what makes one
    name : str
        The attribute, from above 0 to `largest`.
    largest : float
        What is certain: 1 of probabilities, 1000 of the scores of STRING.
    kind : {"probability", "evidence"}
        p, or -log(1 - p).

    Returns
    -------
    dict
        {rank: one number per cell}.

    Examples
    --------
    >>> from cellapse import Complex
    >>> K = Complex.from_cells({1: [("a", "b"), ("b", "c")]}, attributes={1: {"score": [900, 500]}})
    >>> confidences(K, "score", largest=1000)[1].tolist()
    [0.9, 0.5]
    """
    K = to_complex(source)
    one_of("kind", kind, ("probability", "evidence"))
    most = number("largest", largest, "a number above 0", lambda x: x > 0)

    def weigh(values: FloatArray, rank: int) -> FloatArray:
        above = np.flatnonzero(values > most)
        if len(above):
            raise InputError(
                f"cell {K.cell_label(rank, int(above[0]))!r:.80} has the {name} "
                f"{values[above[0]]:g}, above largest={most:g}; give the scale of the attribute, "
                "for instance largest=1000"
            )
        p = values / most
        return -np.log1p(-np.minimum(p, 1.0 - _CERTAIN)) if kind == "evidence" else p

    return _at_every_rank(K, name, weigh)


def counts(source: Any, name: str = _COUNTED, *, kind: str = "number") -> dict[int, FloatArray]:
    """Weights by how often cells were seen, at every rank that has the attribute.

    n, or 1 + log n, where many copies say little more than some.

    Parameters
    ----------
    source : Complex, or what makes one
    name : str
        The attribute. Without one called "multiplicity", the hyperedges that a complex was lifted
        from are counted; cells that no hyperedge is count once.
    kind : {"number", "logarithm"}
        n, or 1 + log n.

    Returns
    -------
    dict
        {rank: one number per cell}.

    Examples
    --------
    >>> from cellapse.lifts import hypergraph_complex
    >>> K = hypergraph_complex([list("abc"), list("abc"), list("cd")], multiplicity="merge")
    >>> counts(K)[2].tolist()
    [2.0]
    """
    K = to_complex(source)
    one_of("kind", kind, ("number", "logarithm"))
    if (
        word("name", name) == _COUNTED
        and K.hyperedges is not None
        and not any(name in c for c in K.attributes)
    ):
        ends = np.cumsum(K.n_cells)
        given = np.split(np.bincount(K.hyperedges.cells, minlength=int(ends[-1])), ends[:-1])
        columns = {k: {name: np.maximum(n, 1)} for k, n in enumerate(given) if k}
        K = K.with_attributes(columns)

    def weigh(n: FloatArray, rank: int) -> FloatArray:
        if kind == "number":
            return n
        few = np.flatnonzero(n < 1.0)
        if len(few):
            raise InputError(
                f"cell {K.cell_label(rank, int(few[0]))!r:.80} has the {name} {n[few[0]]:g}, and "
                '1 + log n is a weight from n = 1 on; take kind="number"'
            )
        return 1.0 + np.log(n)

    return _at_every_rank(K, name, weigh)


def _at_every_rank(
    K: Complex, name: str, weigh: Callable[[FloatArray, int], FloatArray]
) -> dict[int, FloatArray]:
    ranks = [k for k in range(1, K.max_rank + 1) if word("name", name) in K.attributes[k]]
    if not ranks:
        known = sorted({str(n) for columns in K.attributes for n in columns})
        raise InputError(
            f"name={name!r}, but no cell has an attribute of that name (there are: "
            f"{', '.join(known) or 'none'}); name one of them"
        )
    return {k: weigh(_column(K, k, name, "name another attribute"), k) for k in ranks}


def _column(K: Complex, rank: int, name: str, remedy: str) -> FloatArray:
    if K.max_rank < rank or name not in K.attributes[rank]:
        raise InputError(f"no cell of rank {rank} has an attribute {name!r}; {remedy}")
    values = real_array(K.attributes[rank][name], f"the attribute {name!r}")
    if values.ndim != 1:
        raise InputError(f"the attribute {name!r} has shape {values.shape}; a weight is one number")
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if len(wrong):
        raise InputError(
            f"cell {K.cell_label(rank, int(wrong[0]))!r:.80} has the {name} {values[wrong[0]]:g}, "
            "and weights are positive finite numbers; leave out such cells: "
            f"K.without_cells({{{rank}: ...}})"
        )
    return values
