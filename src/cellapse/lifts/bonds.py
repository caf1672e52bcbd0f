"""Bonds from positions: two atoms are joined where their covalent radii nearly touch.

    0.4 < |x_i - x_j| < r_i + r_j + 0.45        (Angstrom)

For formats and objects that list atoms without bonds. Rings are cells of rank 2, as in
`molecule_complex`. Needs RDKit, which knows the radii.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError, extra
from cellapse._shared.arrays import FloatArray
from cellapse._shared.notes import fact
from cellapse.lifts._molecule_limits import MOST_ATOMS, check_bonds
from cellapse.lifts.molecules import complex_of

_SHORTEST, _SLACK = 0.4, 0.45
_FARTHEST = 1e6
_MOST_NEIGHBOURS = 12


def bonded_complex(symbols: Sequence[str], positions: FloatArray) -> Complex:
    """Return the complex of atoms, the bonds that their distances show, and the rings of these.

    >>> bonded_complex(["O", "H", "H"], np.array([[0, 0, 0], [0.96, 0, 0], [-0.24, 0.93, 0]]))
    Complex(n_cells=(3, 2, 0))
    """
    with extra("rdkit", "molecule"):
        from rdkit import Chem, rdBase
    n = len(symbols)
    if not 0 < n <= MOST_ATOMS:
        raise InputError(f"holds {n:,} atoms; 1 to {MOST_ATOMS:,} are read as one molecule")
    if positions.shape != (n, 3) or not (np.abs(positions) < _FARTHEST).all():
        raise InputError("has atoms without three coordinates that are numbers")
    with rdBase.BlockLogs():
        radii = np.array([_radius(Chem.GetPeriodicTable(), symbol) for symbol in symbols])
    bonds = _bonds(positions, radii)
    check_bonds(n, bonds.tolist())
    molecule = Chem.RWMol()
    for symbol in symbols:
        molecule.AddAtom(Chem.Atom(symbol))
    for u, v in bonds.tolist():
        molecule.AddBond(u, v, Chem.BondType.SINGLE)
    conformer = Chem.Conformer(n)
    conformer.SetPositions(np.ascontiguousarray(positions, dtype=np.float64))
    molecule.AddConformer(conformer)
    fact(f"{len(bonds):,} bonds from the distances of atoms; their orders are not known")
    K = complex_of(molecule)
    # What needs the orders of bonds is not known.
    known = {0: ("element", "position")}
    attributes = tuple(
        {name: values for name, values in columns.items() if name in known.get(rank, ())}
        for rank, columns in enumerate(K.attributes)
    )
    return replace(K, attributes=attributes)


def _radius(table: Any, symbol: str) -> float:
    try:
        return float(table.GetRcovalent(symbol))
    except RuntimeError:
        raise InputError(f"has an atom {symbol!r:.20}, which is no chemical element") from None


def _bonds(positions: FloatArray, radii: FloatArray) -> Any:
    from scipy.spatial import cKDTree  # slow to import

    tree = cKDTree(positions)
    reach = 2 * float(radii.max()) + _SLACK
    if tree.count_neighbors(tree, reach) > 100 * _MOST_NEIGHBOURS * len(radii):
        raise InputError("has far more atoms near each other than any molecule; check the units")
    i, j = tree.query_pairs(reach, output_type="ndarray").reshape(-1, 2).T
    distance = np.linalg.norm(positions[i] - positions[j], axis=1)
    joined = (distance > _SHORTEST) & (distance < radii[i] + radii[j] + _SLACK)
    pairs = np.sort(np.column_stack([i, j])[joined], axis=1)
    return pairs[np.lexsort(pairs.T[::-1])]
