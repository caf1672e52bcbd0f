"""Pack the bundled proteins out of the packages they come from.

    python tools/pack_proteins.py FOLDER

FOLDER holds, unpacked, the wheel of vermouth 0.15.0, the npm package bio-pv 1.8.1 and the source
distribution of MDAnalysisTests 2.11.0, wherever inside. Needs gemmi and mdtraj. One chain a file;
kept are 75 to 450 residues with at least 3 % helix and 3 % sheet, all four backbone atoms present.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import gemmi
import mdtraj
import numpy as np

from cellapse.datasets.proteins import SCALE, Protein

TARGET = Path(__file__).parents[1] / "src/cellapse/datasets/structures"
FROM = {
    "MDAnalysisTests 2.11.0, data/dssp": ["**/data/dssp/????[A-Z].pdb.gz"],
    "npm bio-pv 1.8.1, pdbs": [
        f"**/pdbs/{x}.pdb" for x in ("1ake", "1r6a", "1rb8", "2por", "4UBB")
    ],
    "vermouth 0.15.0, tests/data": [
        "**/tests/data/1UBQ.cif",
        "**/tests/data/2QWO.pdb",
        "**/tests/data/1bta.pdb",
        "**/tier-1/lysozyme/aa.pdb",
    ],
}
TITLES = {"1HEL": "HEN EGG-WHITE LYSOZYME"}  # its own title is that of the paper


def read(path: Path) -> dict | None:
    """The longest protein chain of a file."""
    structure = gemmi.read_structure(str(path))
    structure.setup_entities()
    structure.remove_alternative_conformations()
    best: list = []
    for chain in structure[0]:
        found = []
        for residue in chain.get_polymer():
            atoms = [residue.find_atom(name, "*") for name in ("N", "CA", "C", "O")]
            if all(atom is not None for atom in atoms):
                positions = [atom.pos.tolist() for atom in atoms]
                found.append((chain.name, residue.name, str(residue.seqid), positions))
        best = max(best, found, key=len)
    name = path.name[:5] if path.name.endswith(".gz") else path.stem
    name = name[:4].upper() if name != "aa" else "1HEL"
    xyz = np.array([row[3] for row in best])
    packed = np.round((xyz - xyz.mean(axis=(0, 1))) * SCALE).astype(np.int16)
    titles = {"_struct.title": f"CHAIN {best[0][0]} OF PDB ENTRY {name}", **dict(structure.info)}
    title = TITLES.get(name, titles["_struct.title"])
    record = {
        "name": name,
        "title": title,
        "chain": best[0][0],
        "residues": " ".join(row[1] for row in best),
        "numbers": " ".join(row[2] for row in best),
    }
    record["dssp"] = dssp(record, packed / SCALE)
    share = {c: record["dssp"].count(c) / len(best) for c in "HE"}
    if not 75 <= len(best) <= 450 or min(share.values()) < 0.03:
        return None
    return {**record, "packed": packed}


def dssp(record: dict, xyz: np.ndarray) -> str:
    """H, E or C for every residue, by mdtraj from the coordinates as they are stored."""
    names = record["residues"].split()
    protein = Protein.from_backbone(record["name"], names, xyz)
    topology, last, chain = mdtraj.Topology(), None, None
    elements = mdtraj.element
    for name, segment in zip(names, protein.segments.tolist(), strict=True):
        if segment != last:
            chain, last = topology.add_chain(), segment
        residue = topology.add_residue(name if gemmi.find_tabulated_residue(name) else "ALA", chain)
        for atom, element in (
            ("N", elements.nitrogen),
            ("CA", elements.carbon),
            ("C", elements.carbon),
            ("O", elements.oxygen),
        ):
            topology.add_atom(atom, element, residue)
    trajectory = mdtraj.Trajectory(xyz.reshape(1, -1, 3) / 10, topology)
    codes = mdtraj.compute_dssp(trajectory, simplified=True)[0]
    return "".join(c if c in "HE" else "C" for c in codes)


def main() -> None:
    folder = Path(sys.argv[1])
    records, coordinates = [], []
    for source, patterns in FROM.items():
        for path in sorted({p for pattern in patterns for p in folder.glob(pattern)}):
            record = read(path)
            if record is None or record["name"] in {r["name"] for r in records}:
                continue
            flat = record.pop("packed").reshape(-1, 3)
            coordinates.append(np.diff(flat, axis=0, prepend=0).astype(np.int16))
            records.append({**record, "provenance": f"{source}, {path.name}"})
            print(record["name"], len(record["dssp"]), record["title"])
    index = "[\n" + ",\n".join(json.dumps(r) for r in records) + "\n]\n"
    (TARGET / "index.json").write_text(index, encoding="utf-8")
    # Steps from atom to atom are short, so they compress well.
    steps = np.ascontiguousarray(np.concatenate(coordinates).T)
    np.savez_compressed(TARGET / "coordinates.npz", steps=steps)


if __name__ == "__main__":
    main()
