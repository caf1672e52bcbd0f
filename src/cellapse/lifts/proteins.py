r"""Proteins: residues at rank 0, backbone and hydrogen bonds at rank 1. Needs gemmi.

`lifts.backbones` says which residues share a hydrogen bond. Rank 2 holds the triangles of that
graph, or helices and strands as DSSP labels them.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._complex.complex import Complex
from cellapse._complex.labels import steady
from cellapse._errors import CellapseWarning, InputError, extra
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import listed, one_of, whole_number
from cellapse._shared.memory import Fitting
from cellapse.lifts.backbones import ATOMS, FARTHEST, backbone_bonds, hydrogen_bonds, pieces
from cellapse.lifts.cliques import clique_complex

_SHORTEST = 4  # residues of a helix or strand that becomes a cell
_ABOUT = {"name": "_entry.id", "title": "_struct.title"}  # as gemmi calls them


@dataclass(frozen=True, eq=False)
class _Chain:
    """The residues with a complete backbone, in order."""

    labels: list[Hashable]
    names: list[str]
    backbone: FloatArray  # (n, 4, 3): N, CA, C, O
    piece: IntArray  # the number of the unbroken stretch that a residue belongs to
    about: dict[str, str]  # name and title
    dssp: NDArray[np.str_] | None = None  # where it is known already


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def protein_complex(
    source: Any,
    edges: Sequence[str] = ("backbone", "hbond"),
    cells: str | None = "cliques",
    min_separation: int = 3,
) -> Complex:
    """Return the residue complex of a protein.

    The first model counts, with the first of alternative conformations. Chains are all read, and
    non-standard residues are vertices like others. Residues without a complete backbone are left
    out, with a warning; where residues are missing the backbone has a gap.

    Parameters
    ----------
    source : path of a PDB or mmCIF file (or a gzip of it), or gemmi.Structure
        Or the name of a bundled protein, such as "1UBQ", which needs no gemmi.
    edges : some of "backbone", "hbond"
    cells : "cliques", "sse" or None
        Rank 2: triangles of the graph, or helices and strands of at least four residues. The
        latter are DSSP's labels: do not use them to predict secondary structure. "sse" needs
        mdtraj.
    min_separation : int
        Fewest steps along the sequence between two residues with a hydrogen bond.

    Returns
    -------
    Complex
        Labels are (chain, number), such as ("A", "52") or ("A", "52B") with an insertion code.
        Residues have the attributes `residue` (name) and `position` (of the CA atom), edges
        `kind`, and helices and strands `dssp` ("H" or "E"). Name and title are metadata.

    Examples
    --------
    >>> import cellapse as cl
    >>> cl.protein_complex("1ubq.pdb")  # doctest: +SKIP
    Complex(n_cells=(76, 133, 36))
    """
    kinds = listed(steady(edges), "edges")
    if isinstance(edges, str) or not kinds:
        raise InputError(f'edges={edges!r}; give one or both of "backbone" and "hbond" in a tuple')
    for kind in kinds:
        one_of("a kind of edges", kind, ("backbone", "hbond"))
    one_of("cells", cells, ("cliques", "sse", None))
    min_separation = whole_number("min_separation", min_separation, 1)
    chain = _chain(source)
    kind_of: dict[tuple[int, int], str] = {}
    if "backbone" in kinds:
        kind_of |= dict.fromkeys(map(tuple, backbone_bonds(chain.piece).tolist()), "backbone")
    if "hbond" in kinds:
        bonds = hydrogen_bonds(chain.backbone, chain.piece, min_separation).tolist()
        kind_of |= {(i, j): "hbond" for i, j in bonds if (i, j) not in kind_of}
    pairs = np.array(list(kind_of), dtype=np.int64).reshape(-1, 2)
    attributes: dict[int, dict[str, Any]] = {
        0: {"residue": chain.names, "position": chain.backbone[:, 1]},
        1: {"kind": list(kind_of.values())},
    }
    tables: dict[int, Any] = {1: pairs}
    n = len(chain.labels)
    if cells == "cliques":
        graph = Complex.from_arrays(n, {1: pairs})
        tables[2] = clique_complex(graph, max_rank=2).cells[2].as_array()
    elif cells == "sse":
        runs = _elements(_dssp(chain), chain.piece)
        tables[2] = _flat([run for run, _ in runs])
        attributes[2] = {"dssp": [letter for _, letter in runs]}
    return Complex.from_arrays(n, tables, chain.labels, attributes=attributes, metadata=chain.about)


def secondary_structure(source: Any) -> NDArray[np.str_]:
    """DSSP's label of every residue of `protein_complex(source)`: H (helix), E (strand), C.

    Computed from the backbone by mdtraj's `compute_dssp`.

    Parameters
    ----------
    source : path of a PDB or mmCIF file (or a gzip of it), or gemmi.Structure

    Returns
    -------
    (n,) array of str

    Examples
    --------
    >>> import cellapse as cl
    >>> cl.secondary_structure("1ubq.pdb")[:3].tolist()  # doctest: +SKIP
    ['C', 'E', 'E']
    """
    return _dssp(_chain(source))


def backbone_coordinates(source: Any) -> FloatArray:
    """N, CA, C and O of every residue of `protein_complex(source)`, in Angstrom: (n, 4, 3)."""
    return np.asarray(_chain(source).backbone, dtype=np.float64)


def _chain(source: Any) -> _Chain:
    """Return the residues of a file, a structure or a bundled protein."""
    from cellapse.datasets.proteins import available_proteins, load_protein  # come further down

    name = source.upper() if isinstance(source, str) and not os.path.exists(source) else ""
    if name not in available_proteins():
        return _residues(_structure(source))
    known = load_protein(name)
    labels: list[Hashable] = [(known.chain, number) for number in known.numbers]
    about = {"name": known.name, "title": known.title}
    xyz, dssp = known.coordinates, known.dssp
    return _Chain(labels, list(known.residues), xyz, known.segments, about, dssp)


def _structure(source: Any) -> Any:
    if isinstance(source, str | os.PathLike):
        from cellapse.io.structures import load_structure  # files are read further down

        return load_structure(source)
    with extra("gemmi", "protein"):
        import gemmi
    if not isinstance(source, gemmi.Structure):
        raise InputError(
            f"a {type(source).__name__} is no protein; give a gemmi.Structure or the path of a PDB "
            "or mmCIF file"
        )
    return source.clone()


def _residues(structure: Any) -> _Chain:
    """Return the residues of all chains of the first model; `structure` is ours to change."""
    if not len(structure):
        raise InputError("holds no atoms, so it is no protein structure")
    structure.setup_entities()
    structure.remove_alternative_conformations()
    labels: list[Hashable] = []
    names: list[str] = []
    backbone: list[Any] = []
    number: list[int] = []
    left_out: list[str] = []
    for i, chain in enumerate(structure[0]):
        for residue in chain.get_polymer():
            atoms = [residue.find_atom(name, "*") for name in ATOMS]
            label = (chain.name, str(residue.seqid))
            if None not in atoms:
                labels.append(label)
                names.append(residue.name)
                number.append(i)
                backbone.append([atom.pos.tolist() for atom in atoms])
            elif atoms[1] is not None:  # with a CA, an amino acid; without, perhaps DNA
                left_out.append(" ".join(label))
    if not labels:
        raise InputError(
            "holds no residue with the atoms N, CA, C and O; hydrogen bonds need a full backbone"
        )
    xyz = np.array(backbone, dtype=np.float64)
    if not (np.abs(xyz) < FARTHEST).all():
        raise InputError(
            f"has coordinates that are no numbers below {FARTHEST:g} Angstrom; repair or remove "
            "those residues"
        )
    if left_out:
        warnings.warn(
            f"{len(left_out)} residues without a complete backbone are left out: "
            f"{', '.join(left_out[:5])}{', ...' if len(left_out) > 5 else ''}",
            CellapseWarning,
            stacklevel=4,
        )
    return _Chain(labels, names, xyz, pieces(xyz, np.diff(number) != 0), _about(structure))


def _about(structure: Any) -> dict[str, str]:
    known = dict(structure.info)
    return {name: known[key] for name, key in _ABOUT.items() if key in known}


def _dssp(chain: _Chain) -> NDArray[np.str_]:
    if chain.dssp is not None:
        return chain.dssp
    with extra("mdtraj", "protein"):
        import mdtraj
    elements = mdtraj.element
    topology = mdtraj.Topology()
    kinds = (elements.nitrogen, elements.carbon, elements.carbon, elements.oxygen)
    part = None
    for i, piece in enumerate(chain.piece.tolist()):
        if part is None or piece != chain.piece[i - 1]:
            part = topology.add_chain()
        # DSSP asks only whether it is proline, which has no hydrogen to give; a name that mdtraj
        # does not know would be no protein to it.
        name = "PRO" if chain.names[i] == "PRO" else "ALA"
        residue = topology.add_residue(name, part)
        for atom, kind in zip(ATOMS, kinds, strict=True):
            topology.add_atom(atom, kind, residue)
    nanometres = chain.backbone.reshape(1, -1, 3) / 10.0
    trajectory = mdtraj.Trajectory(nanometres, topology)
    return np.array(mdtraj.compute_dssp(trajectory, simplified=True)[0], dtype=str)


def _elements(letters: NDArray[np.str_], piece: IntArray) -> list[tuple[range, str]]:
    """Return the unbroken runs of H and E that are long enough."""
    change = (letters[1:] != letters[:-1]) | (piece[1:] != piece[:-1])
    starts = np.concatenate([[0], np.flatnonzero(change) + 1, [len(letters)]]).tolist()
    runs = [(range(a, b), str(letters[a])) for a, b in pairwise(starts)]
    return [(run, letter) for run, letter in runs if letter in "HE" and len(run) >= _SHORTEST]


def _flat(runs: Sequence[range]) -> tuple[IntArray, IntArray]:
    """Runs of residues as the `indptr` and `indices` of cells."""
    indptr = np.concatenate([[0], np.cumsum([len(run) for run in runs])]).astype(np.int64)
    return indptr, np.concatenate([*map(np.array, runs), np.empty(0, np.int64)])
