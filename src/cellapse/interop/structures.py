"""Proteins of other libraries in: Biopython, biotite, ProDy, MDAnalysis and mdtraj; atoms of ASE.

Each gives the chain, number and name of the residue, the name and the place of every atom. They
become a gemmi structure, so that `protein_complex` reads them all alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.weights import weighted_by
from cellapse._errors import InputError, extra
from cellapse._shared.notes import fact, loss
from cellapse.interop._build import Wanted
from cellapse.lifts.backbones import ATOMS
from cellapse.lifts.bonds import bonded_complex
from cellapse.lifts.proteins import protein_complex


class Atom(NamedTuple):
    """One atom of a protein."""

    chain: str
    number: str  # of the residue, with an insertion code behind
    residue: str
    name: str
    place: Any  # in Angstrom


def read(source: Any, wanted: Wanted) -> Complex:
    """Return a structure, by the library that its class belongs to."""
    wanted.check_ranked("a structure")
    for base in type(source).__mro__:
        library = base.__module__.partition(".")[0]
        if library == "ase":
            return weighted_by(_ase(source), wanted.weight)
        if library in _READERS:
            K = protein_complex(_structure(_READERS[library](source)))
            return weighted_by(K, wanted.weight)
    raise InputError(f"a {type(source).__name__} is no structure that is known here")


def _structure(atoms: Iterable[Atom]) -> Any:
    """Return the backbone as a gemmi.Structure."""
    with extra("gemmi", "protein"):
        import gemmi
    model = gemmi.Model(1)
    backbone = [atom for atom in atoms if atom.name in ATOMS]
    for chain_name, of_chain in groupby(backbone, lambda atom: atom.chain):
        chain = gemmi.Chain(chain_name or "A")
        for (number, name), of_residue in groupby(of_chain, lambda a: (a.number, a.residue)):
            residue = gemmi.Residue()
            residue.name, residue.seqid = name, gemmi.SeqId(number)
            for atom in of_residue:
                copy = gemmi.Atom()
                copy.name, copy.element = atom.name, gemmi.Element(atom.name[0])
                copy.pos = gemmi.Position(*map(float, atom.place))
                residue.add_atom(copy)
            chain.add_residue(residue)
        model.add_chain(chain)
    structure = gemmi.Structure()
    structure.add_model(model)
    structure.merge_chain_parts()
    return structure


def _biopython(entity: Any) -> Iterable[Atom]:
    if not hasattr(entity, "get_atoms"):
        raise InputError(f"a Biopython {type(entity).__name__} is no Structure, Model or Chain")
    models = list(entity) if entity.get_level() == "S" else [entity]
    if len(models) > 1:
        fact(f"the first of {len(models)} models")
    for atom in models[0].get_atoms():
        residue = atom.get_parent()
        het, number, code = residue.id
        chain = residue.get_parent()
        name = chain.id if chain is not None else "A"
        if not het.strip() or het.startswith("H_MSE"):
            yield Atom(name, f"{number}{code}".strip(), residue.resname, atom.name, atom.coord)


def _biotite(atoms: Any) -> Iterable[Atom]:
    if hasattr(atoms, "stack_depth"):
        fact(f"the first of {atoms.stack_depth()} models")
        atoms = atoms[0]
    codes = getattr(atoms, "ins_code", [""] * atoms.array_length())
    columns = (atoms.chain_id, atoms.res_id, codes, atoms.res_name, atoms.atom_name, atoms.coord)
    return _listed(columns)


def _prody(atoms: Any) -> Iterable[Atom]:
    if not hasattr(atoms, "getCoords"):
        raise InputError(f"a ProDy {type(atoms).__name__} has no coordinates; pass its atoms")
    n = atoms.numAtoms()
    codes = atoms.getIcodes()
    chains = atoms.getChids()
    return _listed(
        (
            chains if chains is not None else ["A"] * n,
            atoms.getResnums(),
            codes if codes is not None else [""] * n,
            atoms.getResnames(),
            atoms.getNames(),
            atoms.getCoords(),
        )
    )


def _mdanalysis(source: Any) -> Iterable[Atom]:
    atoms = source.atoms
    n = len(atoms)
    chains = getattr(atoms, "chainIDs", None)
    chains = atoms.segids if chains is None or not any(chains) else chains
    codes = getattr(atoms, "icodes", [""] * n)
    return _listed((chains, atoms.resids, codes, atoms.resnames, atoms.names, atoms.positions))


def _mdtraj(trajectory: Any) -> Iterable[Atom]:
    if not hasattr(trajectory, "xyz"):
        raise InputError("an mdtraj Topology has no positions; pass the Trajectory")
    if len(trajectory) > 1:
        fact(f"the first of {len(trajectory)} frames")
    for atom, place in zip(trajectory.topology.atoms, trajectory.xyz[0], strict=True):
        chain = atom.residue.chain
        name = getattr(chain, "chain_id", None) or str(chain.index)
        number = str(atom.residue.resSeq)
        yield Atom(str(name), number, atom.residue.name, atom.name, 10.0 * place)


def _listed(columns: tuple[Any, ...]) -> Iterable[Atom]:
    """Yield atoms from columns: chains, numbers, insertion codes, residues, names, places."""
    for chain, number, code, residue, name, place in zip(*columns, strict=True):
        yield Atom(str(chain), f"{number}{code}".strip(), str(residue), str(name), place)


def _ase(atoms: Any) -> Complex:
    if not hasattr(atoms, "get_chemical_symbols"):
        raise InputError(f"an ASE {type(atoms).__name__} is no Atoms; pass those")
    if np.any(atoms.pbc):
        loss("bonds across the sides of a periodic cell are left out")
    return bonded_complex(atoms.get_chemical_symbols(), np.asarray(atoms.get_positions()))


_READERS: dict[str, Callable[[Any], Iterable[Atom]]] = {
    "Bio": _biopython,
    "MDAnalysis": _mdanalysis,
    "biotite": _biotite,
    "mdtraj": _mdtraj,
    "prody": _prody,
}
