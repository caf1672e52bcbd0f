"""What the report shows of a protein: its chain in three dimensions and a table of residues.

A complex is a protein when its vertices have the attributes `backbone` (N, CA, C and O as twelve
numbers), `dssp` and `residue`.
"""

from __future__ import annotations

from html import escape
from string import Template
from typing import Any

import numpy as np

from cellapse.analysis import Analysis
from cellapse.report.markup import asset, table

_NEEDED = ("backbone", "dssp", "residue")
_BOND = 2.5  # Angstrom: farther apart, C and the next N are not bound


def is_protein(analysis: Analysis) -> bool:
    """Return whether the vertices are residues with a backbone."""
    return all(name in analysis.complex.attributes[0] for name in _NEEDED)


def chain(analysis: Analysis) -> dict[str, Any]:
    """Return the backbone as atoms, with numbers that jump where the chain is broken."""
    columns = analysis.complex.attributes[0]
    xyz = np.asarray(columns["backbone"], dtype=np.float64).reshape(-1, 4, 3)
    broken = np.linalg.norm(xyz[1:, 0] - xyz[:-1, 2], axis=1) > _BOND
    numbers = np.arange(1, len(xyz) + 1) + np.concatenate([[0], np.cumsum(broken)])
    return {
        "numbers": numbers.tolist(),
        "names": [str(name) for name in columns["residue"]],
        "dssp": [str(word) for word in columns["dssp"]],
        "backbone": [[round(float(v), 2) for v in row] for row in xyz.reshape(-1, 12)],
    }


def protein_section(analysis: Analysis) -> str:
    """Return the part of the page with the three views and the table of residues."""
    K, columns = analysis.complex, analysis.complex.attributes[0]
    vectors = analysis.spectra[0].vectors
    modes = range(1, min(4, vectors.shape[1]))
    rows = []
    for i, label in enumerate(K.labels):
        word = label if isinstance(label, str) else ":".join(map(str, label))  # type: ignore[call-overload]
        rows.append(
            (
                escape(word),
                escape(str(columns["residue"][i])),
                escape(str(columns["dssp"][i])),
                str(analysis.chosen.numbers[i]),
                *(f"{vectors[i, m]:.4f}" for m in modes),
            )
        )
    head = ("residue", "name", "DSSP", "cluster", *(f"mode {m + 1}" for m in modes))
    residues = table(head, rows, numbers=range(3, len(head)))
    return Template(asset("protein.html")).substitute(residues=residues)
