"""Backbones of proteins: unbroken pieces, and the hydrogen bonds between residues.

Two residues share a hydrogen bond when the N of one and the O of the other are closer than 3.5
Angstrom, and they are `min_separation` apart in the sequence or in different pieces of it.
"""

from __future__ import annotations

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray

ATOMS = ("N", "CA", "C", "O")  # of a residue, in the order of a backbone's second axis
HYDROGEN_BOND = 3.5  # Angstrom from N to O
FARTHEST = 1e9  # Angstrom from the origin: further out a coordinate is a mistake
_PEPTIDE_BOND = 2.5  # Angstrom from C to the next N; further apart, residues are missing
_MOST_BONDS = 30  # per residue; only atoms on top of each other have more


def pieces(backbone: FloatArray, breaks: BoolArray | None = None) -> IntArray:
    """Return the number of the unbroken piece of the chain that each residue belongs to.

    `breaks` says after which residues another chain begins, whatever the distance.
    """
    gap = np.linalg.norm(backbone[1:, 0] - backbone[:-1, 2], axis=1) > _PEPTIDE_BOND
    if breaks is not None:
        gap = gap | breaks
    return np.concatenate([[0], np.cumsum(gap)]).astype(np.int64)


def backbone_bonds(piece: IntArray) -> IntArray:
    """Return pairs of neighbours within a piece, one row per bond.

    >>> backbone_bonds(np.array([0, 0, 1])).tolist()
    [[0, 1]]
    """
    i = np.flatnonzero(piece[1:] == piece[:-1])
    return np.column_stack([i, i + 1])


def hydrogen_bonds(
    backbone: FloatArray, piece: IntArray, min_separation: int, cutoff: float = HYDROGEN_BOND
) -> IntArray:
    """Return pairs i < j of residues with a hydrogen bond, one row per pair, in ascending order."""
    from scipy.spatial import cKDTree  # slow to import

    n = len(backbone)
    donors, acceptors = cKDTree(backbone[:, 0]), cKDTree(backbone[:, 3])
    if donors.count_neighbors(acceptors, HYDROGEN_BOND) > _MOST_BONDS * n:
        raise InputError(
            f"has more than {_MOST_BONDS * n} pairs of N and O within {HYDROGEN_BOND} Angstrom: "
            "its atoms lie on top of each other; check the coordinates"
        )
    near = donors.sparse_distance_matrix(acceptors, cutoff, output_type="coo_matrix")
    i, j = np.minimum(near.row, near.col), np.maximum(near.row, near.col)
    distant = (i != j) & ((j - i >= min_separation) | (piece[i] != piece[j]))
    pairs = np.column_stack([i, j])[distant & (near.data < cutoff)]
    return np.unique(pairs, axis=0).astype(np.int64)
