"""How many atoms, bonds and rings a text declares, known before RDKit parses it.

RDKit finds rings in C++, while it parses. On dense graphs that takes exponential time and memory,
and ends the whole process: 80 atoms, each bonded to all others, are enough. With n atoms, m bonds
and c parts there are r = m - n + c independent rings; measured, r n <= 1.5e6 with r <= n / 2 (the
bonds of a graphene sheet) or r <= 200 stays below ten seconds and 2 GB.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from cellapse._errors import SizeError

MOST_ATOMS = 10_000
_RINGS, _RINGS_TIMES_ATOMS = 200, 1_500_000
_CONTINUED = re.compile(r"-[ \t]*\nM  V30 ?")
_BOND = re.compile(r"^M  V30[ \t]+[0-9]+[ \t]+[0-9]+[ \t]+([0-9]+)[ \t]+([0-9]+)(?:[ \t]|$)", re.M)
_ATOM = re.compile(r"^M  V30[ \t]+([0-9]+)[ \t]+[^ \t0-9]", re.M)
_SMILES_ATOM = re.compile(r"\[[^\]]*\]|Br|Cl|[BCNOPSFIbcnops*]")
_CLOSURE = re.compile(r"\[[^\]]*\]|%\([0-9]+\)|%[0-9]{2}|[0-9]")


def check_mol_block(record: str) -> None:
    """Refuse a record of an SDF or MOL file that RDKit could not take."""
    lines = record.split("\n")
    if len(lines) > 3 and "V3000" in lines[3]:
        text = _CONTINUED.sub("", record)
        bonds = [(int(u[:9]), int(v[:9])) for u, v in _BOND.findall(text)]
        check_bonds(len(_ATOM.findall(text)), bonds)
        return
    counts = lines[3] if len(lines) > 3 else ""
    n, m = _whole(counts[:3]), _whole(counts[3:6])  # three columns each: at most 999
    ends = (line for line in lines[4 + n : 4 + n + m])
    check_bonds(n, [(_whole(line[:3]), _whole(line[3:6])) for line in ends])


def check_smiles(text: str) -> None:
    """Refuse a SMILES with more rings than RDKit could take: each is opened and closed once."""
    closures = [word for word in _CLOSURE.findall(text) if not word.startswith("[")]
    _refuse_rings(len(_SMILES_ATOM.findall(text)), len(closures) // 2)


def _whole(word: str) -> int:
    digits = word.strip()
    return int(digits) if digits.isascii() and digits.isdigit() else 0


def check_bonds(n: int, bonds: Sequence[Sequence[int]]) -> None:
    """Refuse a molecule with more rings than RDKit could take."""
    if n > MOST_ATOMS or len(bonds) > 4 * MOST_ATOMS:
        raise SizeError(
            f"a molecule of {n:,} atoms and {len(bonds):,} bonds; at most {MOST_ATOMS:,} atoms are "
            "read as one"
        )
    _refuse_rings(n, _n_rings(bonds))


def _refuse_rings(n: int, rings: int) -> None:
    if rings > max(_RINGS, n // 2) or rings * n > _RINGS_TIMES_ATOMS:
        raise SizeError(
            f"a molecule of {n:,} atoms with {rings:,} rings; RDKit could take all memory to find "
            "them, so build the complex from the bonds with cycle_complex"
        )


def _n_rings(bonds: Iterable[Sequence[int]]) -> int:
    """Independent cycles of a graph: the bonds that join what is joined already.

    >>> _n_rings([(1, 2), (2, 3), (3, 1), (4, 5)])
    1
    """
    above: dict[int, int] = {}

    def root(v: int) -> int:
        while above.get(v, v) != v:
            above[v] = above.get(above[v], above[v])
            v = above[v]
        return v

    rings = 0
    for u, v in {(min(bond), max(bond)) for bond in bonds}:
        a, b = root(u), root(v)
        if a == b:
            rings += 1
        above[a] = b
    return rings
