"""Meshes, proteins and molecules: OFF, OBJ, PLY, STL, MSH, VTK, PDB, mmCIF, SMILES, SDF, ..."""

import struct

from tests.fuzz import draw


def _faces(rng, n):
    def corners():
        count = rng.choice([3, 3, 3, 4, 2, 1, 7])
        if rng.calm:
            return rng.sample(range(n), 3)
        return [rng.randrange(max(n, 1)) for _ in range(count)]

    faces = [corners() for _ in range(draw.some(rng) if n > 2 or not rng.calm else 0)]
    return list({frozenset(f): f for f in faces}.values()) if rng.calm else faces


def _point(rng):
    return " ".join(draw.number(rng, 0.05) for _ in range(2 if draw.odd(rng, 0.02) else 3))


def off(rng):
    n = draw.some(rng)
    faces = _faces(rng, n)
    head = f"OFF\n{draw.size(rng, n)} {draw.size(rng, len(faces))} 0\n"
    rows = [_point(rng) for _ in range(n)]
    rows += [f"{draw.size(rng, len(f), 0.03)} {' '.join(map(str, f))}" for f in faces]
    return "off", (head + "\n".join(rows) + "\n").encode(errors="replace")


def obj(rng):
    n = draw.some(rng)
    rows = [f"v {_point(rng)}" for _ in range(n)]
    for face in _faces(rng, n):
        sign = draw.pick(rng, [1, 1, 1, -1])
        kind = draw.pick(rng, ["f", "f", "l", "vt", "usemtl"])
        rows.append(f"{kind} {' '.join(f'{sign * (v + 1)}/1' for v in face)}")
    return "obj", ("\n".join(rows) + "\n").encode(errors="replace")


def ply(rng):
    n = draw.some(rng)
    faces = [f[:3] for f in _faces(rng, n) if len(f) >= 3]
    layout = rng.choice(["ascii", "binary_little_endian", "binary_big_endian"])
    lines = [f"ply\nformat {layout} 1.0", f"element vertex {draw.size(rng, n)}"]
    lines += [f"property {draw.pick(rng, ['float'] * 9 + ['double', 'int'])} {a}" for a in "xyz"]
    count = draw.pick(rng, ["uchar"] * 8 + ["int", "float", "double"])
    lines += [f"element face {draw.size(rng, len(faces))}"]
    lines += [f"property list {count} int vertex_indices", "end_header", ""]
    body = b""
    if layout == "ascii":
        rows = [_point(rng) for _ in range(n)] + [f"3 {' '.join(map(str, f))}" for f in faces]
        body = "\n".join(rows).encode(errors="replace")
    else:
        end = "<" if "little" in layout else ">"
        body = b"".join(struct.pack(end + "3f", *(rng.uniform(-1, 1),) * 3) for _ in range(n))
        body += b"".join(struct.pack(end + "B3i", 3, *f) for f in faces)
    return "ply", "\n".join(lines).encode() + body


def pdb(rng):
    rows = []
    for i in range(draw.some(rng, 8)):
        for j, atom in enumerate(["N", "CA", "C", "O"]):
            x = [1e9 if draw.odd(rng, 0.03) else rng.uniform(-9, 9) for _ in range(3)]
            place = "".join(f"{c:8.3f}"[:8] for c in x)
            name = draw.pick(rng, ["ALA", "GLY", "UNK", "   "])
            start = f"ATOM  {4 * i + j:5d}  {atom:<3s} {name} A{i + 1:4d}    {place}"
            rows.append(f"{start}  1.00  0.00          {atom[0]:>2s}")
    return "pdb", ("\n".join([*rows, "END"]) + "\n").encode()


def mmcif(rng):
    names = ["group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id"]
    names += [
        "label_comp_id",
        "label_asym_id",
        "label_seq_id",
        "Cartn_x",
        "Cartn_y",
        "Cartn_z",
        "auth_seq_id",
    ]
    names += ["auth_asym_id"]
    chain = draw.word(rng) if draw.odd(rng, 0.1) else "A"
    head = "data_X\nloop_\n" + "".join(f"_atom_site.{name}\n" for name in names)
    rows = [
        f"ATOM {4 * i + j} {a[0]} {a} . ALA A {i + 1} {_point(rng)} {i + 1} {chain}"
        for i in range(draw.some(rng, 8))
        for j, a in enumerate(["N", "CA", "C", "O"])
    ]
    return "cif", (head + "\n".join(rows) + "\n#\n").encode(errors="replace")


def smiles(rng):
    parts = ["C", "c", "N", "O", "=", "#", "(", ")", "1", "2", "3", "%10", "[U]", "[nH]", "[C@@H]"]
    parts += [".", "[Na+]", "Cl", "*", "/", "\\", "[13C]", "c1ccccc1", "C1CC1", "[H]", "%(100)"]
    if rng.calm:
        parts = ["C", "N", "O", "[Na+].", "Cl.", "c1ccccc1", "C1CC1", "C(C)", "C=C", "[13C]"]
    text = "".join(rng.choice(parts) for _ in range(draw.some(rng, 40)))
    return "smi", (text + draw.pick(rng, ["", " name", "\tname", "\n", "\nCC"])).encode()


def sdf(rng):
    n = min(draw.some(rng), 300)
    if rng.random() < 0.05:  # dense
        n = rng.randrange(5, 90)
        pairs = [(i, j) for i in range(n) for j in range(i) if rng.random() < rng.choice([0.2, 1])]
    else:
        pairs = [(u, v) for u, v in draw.edges(rng, n) if u != v]
    symbol = lambda: rng.choice(["U"] if rng.calm else ["C", "N", "U", "U", "*", "H", "X", "R#"])  # noqa: E731
    if rng.random() < 0.5 and n < 1000 and len(pairs) < 1000:
        atoms = [f"    0.0000    0.0000    0.0000 {symbol():<3s} 0  0" for _ in range(n)]
        bonds = [f"{u + 1:3d}{v + 1:3d}{rng.choice([1, 1, 2, 4, 9]):3d}  0" for u, v in pairs]
        counts = f"{draw.size(rng, n, 0.05) % 1000:3d}{draw.size(rng, len(bonds), 0.05) % 1000:3d}"
        lines = ["", "  x", "", f"{counts}  0  0  0  0            999 V2000", *atoms, *bonds]
    else:
        atoms = [f"M  V30 {i + 1} {symbol()} 0 0 0 0" for i in range(n)]
        bonds = [f"M  V30 {k + 1} 1 {u + 1} {v + 1}" for k, (u, v) in enumerate(pairs)]
        counts = f"M  V30 COUNTS {draw.size(rng, n, 0.05)} {draw.size(rng, len(bonds), 0.05)} 0 0 0"
        lines = ["", "  x", "", "  0  0  0     0  0            999 V3000", "M  V30 BEGIN CTAB"]
        lines += [counts, "M  V30 BEGIN ATOM", *atoms, "M  V30 END ATOM", "M  V30 BEGIN BOND"]
        lines += [*bonds, "M  V30 END BOND", "M  V30 END CTAB"]
    fields = [f">  <{draw.word(rng)}>\n{draw.word(rng)}\n" for _ in range(rng.randrange(3))]
    text = "\n".join([*lines, "M  END", *fields, "$$$$", ""])
    return rng.choice(["sdf", "mol"]), text.encode(errors="replace")


def stl(rng):
    n = draw.some(rng)
    places = [[rng.randrange(4) for _ in range(3)] for _ in range(3 * n)]
    if rng.random() < 0.5:
        rows = [f"vertex {' '.join(map(str, p))}" for p in places]
        loops = ["facet\nouter loop\n" + "\n".join(rows[i : i + 3]) for i in range(0, len(rows), 3)]
        return "stl", ("solid x\n" + "\nendloop\nendfacet\n".join(loops) + "\nendsolid").encode()
    rows = [
        struct.pack("<12fH", 0, 0, 1, *places[i], *places[i + 1], *places[i + 2], 0)
        for i in range(0, len(places), 3)
    ]
    head = b"\0" * 80 + struct.pack("<I", draw.size(rng, n) % 2**32)
    return "stl", head + b"".join(rows)


def _tetrahedra(rng, n):
    count = draw.some(rng) if n > 3 else 0
    return [rng.sample(range(n), 4) for _ in range(count)]


def msh(rng):
    n = draw.some(rng)
    points = [f"{i + 1} {_point(rng)}" for i in range(n)]
    cells = [f"{i + 1} 4 2 0 1 {' '.join(str(v + 1) for v in c)}" for i, c in
             enumerate(_tetrahedra(rng, n))]  # fmt: skip
    cells += [f"{i + 1} 2 2 0 1 {' '.join(str(v + 1) for v in f)}" for i, f in
              enumerate(_faces(rng, n))]  # fmt: skip
    lines = ["$MeshFormat", draw.pick(rng, ["2.2 0 8", "4.1 0 8", "9"]), "$EndMeshFormat"]
    lines += ["$Nodes", str(draw.size(rng, n)), *points, "$EndNodes"]
    lines += ["$Elements", str(draw.size(rng, len(cells))), *cells, "$EndElements"]
    return "msh", ("\n".join(lines) + "\n").encode(errors="replace")


def vtk(rng):
    n = draw.some(rng)
    faces, volumes = _faces(rng, n), _tetrahedra(rng, n)
    cells = faces + volumes
    kinds = [draw.pick(rng, [7, 7, 5, 9, 99]) for _ in faces] + [10 for _ in volumes]
    if rng.random() < 0.4:
        text = " ".join(draw.number(rng, 0.02) for _ in range(3 * n))
        ends, total = [], 0
        for cell in cells:
            total += len(cell)
            ends.append(draw.size(rng, total, 0.02))
        array = lambda name, values: (  # noqa: E731
            f"<DataArray Name='{name}' format='{draw.pick(rng, ['ascii'] * 9 + ['binary'])}'>"
            f"{' '.join(map(str, values))}</DataArray>"
        )
        body = array("connectivity", [v for cell in cells for v in cell]) + array("offsets", ends)
        return "vtu", (
            "<VTKFile type='UnstructuredGrid'><UnstructuredGrid><Piece><Points>"
            f"<DataArray format='ascii'>{text}</DataArray></Points><Cells>{body}"
            f"{array('types', kinds)}</Cells></Piece></UnstructuredGrid></VTKFile>"
        ).encode()
    size = sum(map(len, cells)) + len(cells)
    lines = ["# vtk DataFile Version 3.0", "x", "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {draw.size(rng, n)} float", *(_point(rng) for _ in range(n))]
    lines += [f"CELLS {draw.size(rng, len(cells))} {draw.size(rng, size)}"]
    lines += [" ".join(map(str, (draw.size(rng, len(c), 0.02), *c))) for c in cells]
    lines += [f"CELL_TYPES {draw.size(rng, len(kinds))}", *map(str, kinds)]
    return "vtk", ("\n".join(lines) + "\n").encode(errors="replace")


def mol2(rng):
    n = min(draw.some(rng), 300)
    kind = lambda: draw.pick(rng, ["C.3", "N.3", "O.2", "H", "Du", "x"])  # noqa: E731
    atoms = [f"{i + 1} X{i} {_point(rng)} {kind()} 1 M 0.0" for i in range(n)]
    pairs = [(u, v) for u, v in draw.edges(rng, n) if u != v]
    bonds = [f"{k + 1} {u + 1} {v + 1} {draw.pick(rng, ['1', '2', 'ar'])}" for k, (u, v) in
             enumerate(pairs)]  # fmt: skip
    head = ["@<TRIPOS>MOLECULE", "x", f"{draw.size(rng, n)} {draw.size(rng, len(bonds))}", "SMALL"]
    lines = [*head, "NO_CHARGES", "", "@<TRIPOS>ATOM", *atoms, "@<TRIPOS>BOND", *bonds]
    return "mol2", ("\n".join(lines) + "\n").encode(errors="replace")


def xyz(rng):
    n = draw.some(rng)
    spread = draw.pick(rng, [3.0, 0.5, 0.0])
    rows = [
        f"{draw.pick(rng, ['C', 'H', 'O', 'Xx', ''])} "
        + (_point(rng) if draw.odd(rng, 0.05) else " ".join(
            f"{rng.uniform(-1, 1) * spread * max(n, 1) ** (1 / 3):.3f}" for _ in range(3)))
        for _ in range(n)
    ]  # fmt: skip
    return "xyz", "\n".join([str(draw.size(rng, n)), "x", *rows, ""]).encode(errors="replace")


STRUCTURES = (off, obj, ply, pdb, mmcif, smiles, sdf, sdf, stl, msh, vtk, mol2, xyz)
