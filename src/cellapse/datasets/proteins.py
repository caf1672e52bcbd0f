"""Backbones of real proteins, and the complex of residues that a backbone gives.

Vertices are residues. Edges join neighbours along the chain, and residues whose backbones share a
hydrogen bond: N of one closer than 3.5 Angstrom to O of the other, at least three residues apart.
Cliques of these edges are the cells above.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cellapse._complex.complex import Complex
from cellapse._complex.graph import Graph
from cellapse._complex.labels import steady
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import listed, number, one_of, real_array, whole_number
from cellapse.datasets._card import Described
from cellapse.datasets._names import unknown_name
from cellapse.lifts.backbones import FARTHEST, HYDROGEN_BOND, backbone_bonds, hydrogen_bonds, pieces
from cellapse.lifts.cliques import cliques

SCALE = 100  # coordinates are stored in hundredths of an Angstrom
_EDGES = ("backbone", "hbond")


@dataclass(frozen=True, eq=False)
class Protein(Described):
    """The backbone of one protein chain.

    Attributes
    ----------
    name, title : str
        Its id in the Protein Data Bank, and what it is.
    chain : str
    residues : tuple of str
        Three-letter names.
    numbers : tuple of str
        Residue numbers as the file gives them.
    coordinates : (n, 4, 3) array
        N, CA, C and O of every residue, in Angstrom.
    dssp : (n,) array of "H", "E", "C"
        Helix, sheet or coil, by mdtraj; empty strings where it was not computed.
    provenance : str

    Examples
    --------
    >>> lysozyme = load_protein("1HEL")
    >>> lysozyme
    Protein(name='1HEL', title='HEN EGG-WHITE LYSOZYME')
    >>> len(lysozyme), lysozyme.labels[0], lysozyme.complex()
    (129, 'A:LYS1', Complex(n_cells=(129, 232, 65)))
    """

    name: str
    title: str
    chain: str = field(repr=False)
    residues: tuple[str, ...] = field(repr=False)
    numbers: tuple[str, ...] = field(repr=False)
    coordinates: FloatArray = field(repr=False)
    dssp: NDArray[np.str_] = field(repr=False)
    provenance: str = field(repr=False)

    @classmethod
    def from_backbone(cls, name: str, residues: Sequence[str], coordinates: ArrayLike) -> Protein:
        """Return a protein from its residue names and (n, 4, 3) coordinates alone."""
        xyz = _check_backbone(coordinates)
        if len(residues) != len(xyz):
            raise InputError(
                f"{len(residues)} residue names for {len(xyz)} residues; give one for each"
            )
        numbers = tuple(str(i) for i in range(1, len(xyz) + 1))
        blank = np.full(len(xyz), "", dtype="<U1")
        return cls(name, name, "A", tuple(residues), numbers, xyz, blank, "given")

    def __len__(self) -> int:
        return len(self.residues)

    @property
    def labels(self) -> tuple[str, ...]:
        """One label per residue: chain, name and number."""
        pairs = zip(self.residues, self.numbers, strict=True)
        return tuple(f"{self.chain}:{residue}{number}" for residue, number in pairs)

    @property
    def segments(self) -> IntArray:
        """The unbroken stretch of chain that every residue belongs to, numbered from 0."""
        return pieces(self.coordinates)

    def complex(
        self, edges: Sequence[str] = _EDGES, *, max_rank: int = 2, min_separation: int = 3
    ) -> Complex:
        """Return the complex of residues; see `backbone_complex`."""
        return backbone_complex(
            self.coordinates,
            labels=self.labels,
            edges=edges,
            max_rank=max_rank,
            min_separation=min_separation,
        )

    _calls = (("protein.complex()", "is its complex"), ("protein.coordinates", "are its atoms"))

    def _head(self) -> tuple[str, str]:
        return self.title, self.name

    def _sizes(self) -> list[int]:
        return [int((self.dssp == c).sum()) for c in "HEC"]

    def _facts(self) -> dict[str, Any]:
        count = {c: int((self.dssp == c).sum()) for c in "HEC"}
        rows: dict[str, Any] = {
            "residues": f"{len(self)} of chain {self.chain}",
            "cells": ", ".join(
                f"{m} {what}"
                for m, what in zip(
                    self.complex().n_cells, ("residues", "edges", "triangles"), strict=True
                )
            ),
            "groups": f"helix {count['H']}, sheet {count['E']}, coil {count['C']} (DSSP by mdtraj)",
            "source": f"Protein Data Bank, entry {self.name}",
            "licence": "CC0 1.0: the archive's data are free of copyright.",
            "provenance": self.provenance,
            "notes": "Backbone atoms only, rounded to 0.01 Angstrom, the centre at the origin.",
        }
        return rows


def available_proteins() -> tuple[str, ...]:
    """Return name the bundled proteins by their PDB ids.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> len(available_proteins()), available_proteins()[-4:]
    (50, ('1UBQ', '1BTA', '2QWO', '1HEL'))
    """
    return tuple(record["name"] for record in _index())


def load_protein(name: str) -> Protein:
    """Read a bundled protein.

    Parameters
    ----------
    name : str
        One of `available_proteins()`, in capitals or not. Any other entry of the Protein Data Bank:
        `fetch_pdb`.

    Returns
    -------
    Protein

    Examples
    --------
    >>> load_protein("1ubq").dssp[:10].tolist()
    ['C', 'E', 'E', 'E', 'E', 'E', 'E', 'C', 'C', 'C']
    """
    wanted = name.upper() if isinstance(name, str) else name
    names = available_proteins()
    if not isinstance(wanted, str) or wanted not in names:
        raise InputError(
            unknown_name("protein", wanted, names, "load_protein")
            + "; fetch_pdb downloads any other"
        )
    place = names.index(wanted)
    record = dict(_index()[place])
    sizes = [4 * len(r["dssp"]) for r in _index()]
    start = sum(sizes[:place])
    steps = _steps()[:, start : start + sizes[place]].astype(np.int64)
    xyz = np.cumsum(steps, axis=1).T.reshape(-1, 4, 3) / SCALE
    dssp = np.array(list(record.pop("dssp")))
    for array in (xyz, dssp):
        array.setflags(write=False)
    residues, numbers = (tuple(record.pop(key).split()) for key in ("residues", "numbers"))
    return Protein(residues=residues, numbers=numbers, coordinates=xyz, dssp=dssp, **record)


def backbone_complex(
    coordinates: ArrayLike,
    *,
    labels: Sequence[Hashable] | None = None,
    edges: Sequence[str] = _EDGES,
    max_rank: int = 2,
    min_separation: int = 3,
    cutoff: float = HYDROGEN_BOND,
) -> Complex:
    """Return the complex of the residues of a backbone.

    Parameters
    ----------
    coordinates : (n, 4, 3) array
        N, CA, C and O of every residue, in Angstrom, chains one after the other.
    labels : sequence of hashable, optional
        One for each residue; 0, 1, ... by default.
    edges : "backbone", "hbond" or both
        Neighbours along the chain (C - N within 2.5 Angstrom) and hydrogen bonds.
    max_rank : int
        Cliques of up to `max_rank` + 1 residues are cells.
    min_separation : int
        Hydrogen bonds between residues closer than this along the same stretch of chain are left
        out: they hold in almost any conformation.
    cutoff : float
        Largest distance of N and O in a hydrogen bond, in Angstrom.

    Returns
    -------
    Complex

    Examples
    --------
    >>> backbone_complex(load_protein("1UBQ").coordinates, edges=("backbone",)).n_cells
    (76, 75, 0)
    """
    xyz = _check_backbone(coordinates)
    max_rank = whole_number("max_rank", max_rank, 1, 1000)
    min_separation = whole_number("min_separation", min_separation, 1)
    kinds = [edges] if isinstance(edges, str) else listed(steady(edges), "edges")
    if not kinds:
        raise InputError(f"edges={edges!r}; choose from {', '.join(map(repr, _EDGES))}")
    for kind in kinds:
        one_of("a kind of edges", kind, _EDGES)
    cutoff = number("cutoff", cutoff, "a positive distance, like 3.5", lambda x: x > 0)
    n, piece = len(xyz), pieces(xyz)
    names: Sequence[Hashable] = range(n) if labels is None else listed(labels, "labels")
    if len(names) != n:
        raise InputError(f"{len(names)} labels for {n} residues; give one for each")
    pairs: list[IntArray] = [np.empty((0, 2), dtype=np.int64)]
    if "backbone" in kinds:
        pairs.append(backbone_bonds(piece))
    if "hbond" in kinds:
        pairs.append(hydrogen_bonds(xyz, piece, min_separation, cutoff))
    contacts = np.unique(np.concatenate(pairs), axis=0)
    tables = cliques(Graph(names, contacts, None), max_rank + 1)
    return Complex.from_arrays(n, dict(enumerate(tables, start=1)), labels=names)


def _check_backbone(coordinates: ArrayLike) -> FloatArray:
    xyz = real_array(coordinates, "the coordinates")
    if xyz.ndim != 3 or xyz.shape[1:] != (4, 3) or not len(xyz):
        raise InputError(
            f"coordinates of shape {xyz.shape}; give numbers of shape (n, 4, 3): N, CA, C and O of "
            "every residue"
        )
    if not (np.abs(xyz) < FARTHEST).all():
        raise InputError(f"coordinates that are no numbers below {FARTHEST:g}; give Angstrom")
    return xyz


@cache
def _index() -> list[dict[str, Any]]:
    file = resources.files("cellapse.datasets") / "structures" / "index.json"
    return json.loads(file.read_text(encoding="utf-8"))


@cache
def _steps() -> NDArray[np.int16]:
    file = resources.files("cellapse.datasets") / "structures" / "coordinates.npz"
    with file.open("rb") as opened, np.load(opened) as arrays:
        return arrays["steps"]
