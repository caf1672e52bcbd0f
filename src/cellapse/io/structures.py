"""Structures of proteins: PDB and mmCIF, parsed by gemmi."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._errors import InputError, extra
from cellapse._shared.checks import file_path
from cellapse.io._source import reading_file
from cellapse.lifts.proteins import protein_complex


def read_pdb(data: bytes) -> Complex:
    """Return the residue complex of the content of a PDB file."""
    return protein_complex(_parsed(data, "Pdb"))


def read_mmcif(data: bytes) -> Complex:
    """Return the residue complex of the content of an mmCIF file."""
    return protein_complex(_parsed(data, "Mmcif"))


def load_structure(path: str | os.PathLike[str]) -> Any:
    """Return the gemmi.Structure of a PDB or mmCIF file, or of a gzip of it."""
    file = file_path(path)
    mmcif = Path(file.name.lower().removesuffix(".gz")).suffix in (".cif", ".mmcif")
    with reading_file(file, 20) as data:  # an estimate
        return _parsed(data, "Mmcif" if mmcif else "Pdb")


def _parsed(data: bytes, kind: str) -> Any:
    with extra("gemmi", "protein"):
        import gemmi
    # Both formats are ASCII; a column of half a letter would be no text later.
    text = data.decode("ascii", errors="replace").replace("\ufffd", "?")
    try:
        if kind == "Pdb":
            return gemmi.read_pdb_string(text)
        return gemmi.make_structure_from_block(gemmi.cif.read_string(text)[0])
    except Exception as error:  # gemmi raises several kinds
        raise InputError(f"is not a valid {kind} file ({error}); it may be cut off") from None
