"""Small meshes and matrices, written by hand: what each holds, or what is wrong with it."""

import io
import struct

import networkx as nx
import numpy as np
import pytest
import scipy.io
from by_hand import understood
from scipy import sparse

import cellapse as cl
from cellapse.io import graph6


def read(name, text):
    return understood(name, text).complex


def shape(K):
    """The places of the vertices, the edges and the faces, by the places of their vertices."""
    points = [tuple(map(float, p)) for p in K.attributes[0]["position"].tolist()]
    cells = [sorted(tuple(sorted(points[v] for v in c.tolist())) for c in K.cells[k])
             for k in range(1, K.max_rank + 1)]  # fmt: skip
    return sorted(points), cells


P = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 1.0, 0.0)]
LINES = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n"
FACES = [(P[0], P[1], P[2]), (P[1], P[2], P[3])]
SIDES = [(P[0], P[1]), (P[0], P[2]), (P[1], P[2]), (P[1], P[3]), (P[2], P[3])]
TWO = (
    sorted(P),
    [sorted(tuple(sorted(s)) for s in SIDES), sorted(tuple(sorted(f)) for f in FACES)],
)

MSH2 = (
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n7 0 0 0\n5 1 0 0\n9 0 1 0\n2 1 1 0\n"
    "$EndNodes\n$Elements\n{}\n$EndElements\n"
)
MSH4 = (
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 4 1 4\n2 1 0 1\n7\n0 0 0\n2 2 0 3\n5\n9\n2\n"
    "1 0 0\n0 1 0\n1 1 0\n$EndNodes\n$Elements\n{}\n$EndElements\n"
)
VTK = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET {}\nPOINTS 4 float\n" + LINES
VTU = (
    "<VTKFile type='UnstructuredGrid'><UnstructuredGrid><Piece><PointData><DataArray Name='x'>1 2"
    "</DataArray></PointData><Points><DataArray NumberOfComponents='3'>" + LINES + "</DataArray>"
    "</Points><Cells><DataArray Name='connectivity'>{}</DataArray><DataArray Name='offsets'>{}"
    "</DataArray><DataArray Name='types'>{}</DataArray></Cells></Piece></UnstructuredGrid>"
    "</VTKFile>"
)
OFF = "OFF\n4 2 0\n" + LINES
OBJ = "".join(f"v {line}\n" for line in LINES.splitlines())
PLY = (
    "ply\nformat {} 1.0\ncomment x\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
)


def facet(face):
    corners = "".join(f"vertex {x} {y} {z}\n" for x, y, z in face)
    return f"facet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\n"


def binary_stl(*faces):
    triangles = b"".join(struct.pack("<12fH", 0, 0, 1, *np.ravel(face), 0) for face in faces)
    return b"x".ljust(80) + struct.pack("<I", len(faces)) + triangles


def binary_ply(order):
    word = "binary_little_endian" if order == "<" else "binary_big_endian"
    body = struct.pack(f"{order}12f", *np.ravel(P))
    return PLY.format(word).encode() + body + struct.pack(f"{order}B3iB3i", 3, 0, 1, 2, 3, 3, 2, 1)


TWO_TRIANGLES = {
    "msh 2": ("msh", MSH2.format("3\n1 15 2 0 1 7\n2 2 2 0 1 7 5 9\n3 2 0 5 9 2")),
    "msh 4": ("msh", MSH4.format("2 2 1 2\n2 1 2 1\n1 7 5 9\n2 2 2 1\n2 5 9 2")),
    "msh 4, one block": ("msh", MSH4.format("1 2 1 2\n2 1 2 2\n1 7 5 9\n2 5 9 2")),
    "msh of windows": ("msh", MSH2.format("2\n1 2 0 7 5 9\n2 2 1 4 5 9 2").replace("\n", "\r\n")),
    "off": ("off", OFF + "3 0 1 2\n3 1 2 3 255 0 0\n"),
    "off with comments": ("off", "# x\n OFF # y\n\n4 2\n" + LINES + "3 0 1 2\n\n3 3 2 1\n"),
    "coff": ("off", "COFF\n4 2 0\n" + LINES.replace("\n", " 1 1 1 1\n") + "3 0 1 2\n3 1 2 3\n"),
    "obj": ("obj", OBJ + "f 1 2 3\nf 2/5 3//7 4/1/2\n"),
    "obj from the end": ("obj", "# x\n" + OBJ + "vn 0 0 1\nf -4 -3 -2\nf 2 3 \\\n4\n"),
    "obj as it goes": ("obj", "v 0 0 0\nv 1 0 0 1\nv 0 1 0\nf -3 -2 -1\nv 1 1 0\nf -3 -2 -1\n"),
    "stl": ("stl", f"solid\n{facet(FACES[0])}{facet(FACES[1])}endsolid\n"),
    "stl, binary": ("stl", binary_stl(*FACES)),
    "ply": ("ply", PLY.format("ascii") + LINES + "3 0 1 2\n3 3 2 1\n"),
    "ply, little": ("ply", binary_ply("<")),
    "ply, big": ("ply", binary_ply(">")),
    "vtk, polygons": ("vtk", VTK.format("POLYDATA") + "POLYGONS 2 8\n3 0 1 2\n3 1 2 3\n"),
    "vtk, cells": (
        "vtk",
        VTK.format("UNSTRUCTURED_GRID")
        + "CELLS 3 10\n1 0\n3 0 1 2\n3 1 2 3\nCELL_TYPES 3\n1 5 5\nPOINT_DATA 4\nSCALARS x\n9 9",
    ),
    "vtk 5": (
        "vtk",
        VTK.format("POLYDATA")
        + "POLYGONS 3 6\nOFFSETS vtktypeint64\n0 3 6\nCONNECTIVITY vtktypeint64\n0 1 2 1 2 3\n",
    ),
    "vtu": ("vtu", VTU.format("0 1 2 1 2 3", "3 6", "5 5")),
}


@pytest.mark.parametrize("name", TWO_TRIANGLES)
def test_two_triangles_are_the_same_in_every_format(name):
    assert shape(read(*TWO_TRIANGLES[name])) == TWO


@pytest.mark.parametrize(
    ("kind", "vtk", "size", "rank"),
    [(1, 3, 2, 1), (2, 5, 3, 2), (3, 9, 4, 2), (4, 10, 4, 3), (5, 12, 8, 3), (6, 13, 6, 3),
     (7, 14, 5, 3)],
)  # fmt: skip
def test_cells_of_every_kind(kind, vtk, size, rank):
    points = [f"{i} {i * i} {i**3}" for i in range(8)]
    nodes = "".join(f"{i + 1} {point}\n" for i, point in enumerate(points))
    corners = range(size)
    gmsh = (
        f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n{nodes}$EndNodes\n$Elements\n1\n"
        f"1 {kind} 0 {' '.join(str(i + 1) for i in corners)}\n$EndElements\n"
    )
    legacy = (
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n"
        + "\n".join(points)
        + f"\nCELLS 1 {size + 1}\n{size} {' '.join(map(str, corners))}\nCELL_TYPES 1\n{vtk}\n"
    )
    for K in (read("msh", gmsh), read("vtk", legacy)):
        assert [sorted(c.tolist()) for c in K.cells[rank]] == [list(corners)]
        assert not any(K.n_cells[rank + 1 :])


def test_lines_of_meshes_are_edges():
    line = (sorted(P), [[(P[0], P[3])], []])
    assert shape(read("msh", MSH2.format("1\n1 1 2 0 1 7 2"))) == line
    assert shape(read("vtk", VTK.format("POLYDATA") + "LINES 1 3\n2 0 3\n")) == line
    points, (edges, _) = shape(read("obj", OBJ + "l 1 4\nl 1 2\n"))
    assert (points, edges) == (sorted(P), [(P[0], P[1]), (P[0], P[3])])
    points, (edges, _) = shape(read("obj", OBJ + "l 1 2 4\nl 3 1\n"))
    assert edges == [(P[0], P[2]), (P[0], P[1]), (P[1], P[3])]


# Format, text, what is wrong with it.
REFUSED = [
    ("msh", b"\0", "binary"),
    ("msh", MSH2.format("").replace("2.2", "3.0"), "'3.0'"),
    ("msh", MSH2.format("").replace("2.2", "4.0"), "'4.0'"),
    ("msh", MSH2.format("0").replace("Elements", "Parts"), ".Nodes.*.Elements"),
    ("msh", MSH2.format("0").replace("Nodes", "Points"), ".Nodes.*.Elements"),
    ("msh", "$Nodes\n1\n$EndNodes\n$Elements\n1\n$EndElements\n", "''"),
    ("msh", MSH2.format("1\n1 2 0 7 5 3"), r"\[7.*5.*3\]"),
    ("msh", MSH2.format("1\n1 2 0 7 5 99"), r"\[7.*5.*99\]"),
    ("msh", MSH2.format("1\n1 2 0 7 5"), "3"),
    ("msh", MSH2.format("1\n1 2 0 7 5 9 2"), "3"),
    ("msh", MSH2.format("1\n1 9 0 7 5 9"), "9"),
    ("msh", MSH2.format("2\n1 2 0 7 5 9"), "2.*1"),
    ("msh", MSH2.format("1\n1 2 0 7 5 -9"), "0"),
    ("msh", MSH2.format("1\n1 2 0 7 5 9.5"), "0"),
    ("msh", MSH2.format("1\n1 2"), "3"),
    ("msh", MSH2.format("1\n1 2 0 7 5 9").replace("\n5 1", "\n7 1"), "lists"),
    ("msh", MSH2.format("1\n1 2 0 7 5 9").replace("\n5 1 0 0", "\n5 1 0"), "4"),
    ("msh", MSH4.format("1 1 1 1\n2 1 2 2\n1 7 5 9"), "2.*1"),
    ("msh", MSH2.format("0").replace("4\n7 0 0 0\n5 1 0 0\n9 0 1 0\n2 1 1 0", "0"), "points"),
    ("msh", 2 * MSH2.format("1\n1 2 0 7 5 9"), "several"),
    ("msh", 2 * MSH4.format("1 1 1 1\n2 1 2 1\n1 7 5 9"), "several"),
    ("off", "", "OFF"),
    ("off", "OFX\n4 2 0\n", "OFF"),
    ("off", "OFF\n4\n", r"\[4.0\]"),
    ("off", "OFF\n4 -1\n", r"\[4.0.*-1.0\]"),
    ("off", "OFF\n4 1.5\n", r"\[4.0.*1.5\]"),
    ("off", "OFF\n", r"\[\]"),
    ("off", OFF + "3 0 1 2\n", "4.*2.*5"),
    ("off", OFF.replace("1 1 0", "1 1") + "3 0 1 2\n3 1 2 3\n", "coordinates"),
    ("off", OFF.replace("\n0 0 0", "\n0 0") + "3 0 1 2\n3 1 2 3\n", "coordinates"),
    ("off", OFF + "3 0 1 2\n3 1 2\n", "corners"),
    ("off", OFF + "3 0 1 2\n-1 1 2\n", "corners"),
    ("off", OFF + "3 0 1 2\n1.5 1 2\n", "corners"),
    ("off", OFF + "3 0 1 2\n3 1 2 -1\n", "vertices"),
    ("off", OFF + "3 0 1 2\n3 1 2 0.5\n", "vertices"),
    ("obj", "f 1 2 3\n", "vertices"),
    ("obj", "v 0 0\n", "coordinates"),
    ("obj", OBJ + "f 0 1 2\n", "1"),
    ("obj", OBJ + "f 1 2 -5\n", "vertices"),
    ("obj", OBJ + "f 1 2 1.5\n", "vertices"),
    ("obj", OBJ + "f 1 2 5\n", "4"),
    ("stl", "solid\nendsolid\n", "has 0 corners"),
    ("stl", f"solid\n{facet(FACES[0][:2])}", "2"),
    ("stl", f"solid\n{facet(FACES[0])}outer loop\nendloop\n", "has 3 corners"),
    ("stl", f"solid\n{facet(FACES[0])}".replace("1.0", "x", 1), "corner"),
    ("stl", f"solid\n{facet(FACES[0])}".replace("1.0", "nan", 1), "positions"),
    ("stl", binary_stl(*FACES)[:-1], "2.*184.*183"),
    ("stl", b"x" * 50, "84.*50"),
    ("ply", "plx\n", "PLY"),
    ("ply", PLY.format("ascii").replace("end_header", ""), "header"),
    ("ply", PLY.format("utf8"), "PLY"),
    ("ply", PLY.format("ascii").replace("format ascii 1.0\n", ""), "`format"),
    ("ply", PLY.format("ascii").replace("float y", "float x"), "property"),
    ("ply", PLY.format("ascii").replace("float y", "float w") + LINES + "3 0 1 2\n3 1 2 3\n",
     "`vertex`"),
    ("ply", PLY.format("ascii") + LINES + "3 0 1 2\n3 1 2\n", "cut"),
    ("ply", PLY.format("ascii") + LINES + "3 0 1 2\n3 1 2 -3\n", "negative"),
    ("ply", PLY.format("ascii") + LINES + "3 0 1 2\n-3 1 2 3\n", "-3"),
    ("ply", PLY.format("ascii") + LINES + "3 0 1 2\n9 1 2 3\n", "9.*3"),
    ("ply", binary_ply("<")[:-1], "cut"),
    ("ply", PLY.format("ascii").replace("vertex 4", "vertex 99999") + LINES, "declares 99999 of"),
    ("ply", PLY.format("ascii") + LINES + "3 0 1 2\n3 1 2 3\n3 0 2 3\n", "4 words"),
    ("vtk", 2 * (VTK.format("POLYDATA") + "POLYGONS 1 4\n3 0 1 2\n"), "several"),
    ("vtk", 2 * (VTK.format("POLYDATA") + "POINT_DATA 4\n"), "several"),
    ("vtk", "vtk\n", "#.*DataFile"),
    ("vtk", "# vtk DataFile Version 3.0\nx\n", "#.*DataFile"),
    ("vtk", VTK.format("POLYDATA").replace("ASCII", "BINARY"), "binary"),
    ("vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n", "POLYDATA"),
    ("vtk", VTK.format("STRUCTURED_GRID"), "STRUCTURED_GRID"),
    ("vtk", VTK.format("POLYDATA") + "TRIANGLE_STRIPS 1 4\n3 0 1 2\n", "triangles"),
    ("vtk", VTK.format("POLYDATA").replace("POINTS 4", "POINTS 5"), "15"),
    ("vtk", VTK.format("POLYDATA") + "POLYGONS 1 4\n3 0 1\n", "4.*3"),
    ("vtk", VTK.format("POLYDATA") + "POLYGONS 2 4\n3 0 1 2\n", "2.*4"),
    ("vtk", VTK.format("POLYDATA") + "POLYGONS 1 4\n3 0 1 x\n",
     "'x'"),
    ("vtk", VTK.format("POLYDATA") + "POLYGONS 2 3\nOFFSETS a\n1 3\nCONNECTIVITY b\n0 1 2\n",
     "0.*3"),
    ("vtk", VTK.format("POLYDATA") + "POLYGONS 2 3\nOFFSETS a\n0 2\nCONNECTIVITY b\n0 1 2\n",
     "0.*3"),
    ("vtk", VTK.format("POLYDATA") + "POLYGONS 4 3\nOFFSETS a\n0 2 1 3\nCONNECTIVITY b\n0 1 2\n",
     "offsets"),
    ("vtk", VTK.format("POLYDATA") + "POLYGONS 2 3\nOFFSETS a\n0 3\nCONNECTIVITY b\n0 1\n",
     "2.*3"),
    ("vtu", VTU.format("0 1 2", "3", "5").replace("Name='types'", "Name='kinds'"),
     "lacks"),
    ("vtu", VTU.format("0 1 2", "4", "5"), "'4'.*0.*3"),
    ("vtu", VTU.format("0 1 2", "2", "5"), "0.*3"),
    ("vtu", VTU.format("0 1 2", "3", "5").replace("1 1 0", "1 1"),
     "9.*11"),
    ("vtu", VTU.format("0 1 2", "3", "5").replace("'Unstr", "'Str"), "holds a 'StructuredGrid'"),
    ("vtu", VTU.format("0 1 2", "3", "5").replace("='3'", "='3' format='binary'"), "binary"),
    ("vtu", VTU.format("0 1 2", "3", "5").replace("</Piece>", "</Piece><Piece/>"),
     "several"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "words"), REFUSED)
def test_what_a_mesh_is_refused_for(name, text, words):
    with pytest.raises(cl.InputError, match=words):
        read(name, text)


def test_triangles_with_corners_at_one_place_are_left_out():
    flat = (P[0], P[1], P[1])
    found = understood("stl", binary_stl(FACES[0], flat))
    assert found.complex.n_cells == (3, 3, 1)
    assert len(found.losses) == 1
    found = understood("stl", binary_stl(*FACES))
    assert shape(found.complex) == TWO
    assert found.losses == ()
    for flat in ((P[0], P[0], P[1]), (P[0], P[1], P[0])):
        assert read("stl", binary_stl(FACES[0], flat)).n_cells == (3, 3, 1)


def test_faces_of_several_sizes_and_their_colours_in_binary_ply():
    head = PLY.replace("vertex_indices\n", "vertex_index\nproperty uchar red\n").format(
        "binary_little_endian"
    )
    points = struct.pack("<12f", *np.ravel(P))
    body = struct.pack("<B3iBB4iB", 3, 0, 1, 2, 7, 4, 0, 1, 3, 2, 9)
    K = read("ply", head.encode() + points + body)
    assert (K.n_cells, K.cells[2].sizes.tolist()) == ((4, 5, 2), [3, 4])
    assert K.attributes[2]["red"].tolist() == [7, 9]
    same = struct.pack("<B3iBB3iB", 3, 0, 1, 2, 7, 3, 2, 1, 0, 9)  # a face twice
    K = read("ply", head.encode() + points + same)
    assert (K.n_cells, K.attributes[2]["red"].tolist()) == ((4, 3, 1), [7])


def test_further_properties_of_a_ply_are_attributes():
    text = PLY.format("ascii").replace("float z\n", "float z\nproperty double t\n")
    lines = LINES.replace(" 0\n", " 0 0.5\n")
    K = read("ply", text + lines + "3 0 1 2\n3 1 2 3\n")
    assert K.attributes[0]["t"].tolist() == [0.5] * 4
    assert shape(K) == TWO


def matlab(**arrays):
    file = io.BytesIO()
    scipy.io.savemat(file, arrays)
    return file.getvalue()


PATH = np.array([[0, 2.0, 0], [2, 0, 5], [0, 5, 0]])


def test_matrices_of_matlab():
    for given in (PATH, sparse.csc_array(PATH), PATH.astype(np.uint8), PATH.astype(np.int16)):
        for packed in (False, True):
            file = io.BytesIO()
            scipy.io.savemat(file, {"A": given}, do_compression=packed)
            K = read("mat", file.getvalue())
            assert K.cell_labels(1) == ((0, 1), (1, 2))
            assert K.attributes[1]["weight"].tolist() == [2, 5]
    for given in (PATH > 0, sparse.csc_array(PATH > 0), (PATH > 0).astype(float)):
        K = read("mat", matlab(A=given))
        assert K.cell_labels(1) == ((0, 1), (1, 2))
        assert not K.attributes[1]


def test_packed_matrices_of_any_length_follow_each_other():
    for n in range(1, 9):
        file = io.BytesIO()
        scipy.io.savemat(file, {"x": np.arange(n) * 1.1, "A": PATH, "y": 1.0}, do_compression=True)
        assert read("mat", file.getvalue()).n_cells == (3, 2)


def test_the_one_square_matrix_is_taken():
    K = read("mat", matlab(A=PATH, x=np.ones((2, 3)), one=7.0, word="abc", z=np.eye(3) * 1j))
    assert K.n_cells == (3, 2)
    S = sparse.csc_array(np.ones((2, 3)))
    assert read("mat", matlab(A=PATH, S=S, B={"c": {"d": 1.0}})).n_cells == (3, 2)
    with pytest.raises(cl.InputError, match="A, B"):
        read("mat", matlab(A=PATH, B=PATH))
    with pytest.raises(cl.InputError, match="none"):
        read("mat", matlab(x=np.ones((2, 3))))
    deep = {"A": PATH}
    for depth in range(1, 7):
        deep = {"s": deep}
        data = matlab(**deep)
        if depth < 5:
            found = understood("mat", data)
            assert found.complex.n_cells == (3, 2)
            assert repr(".".join(["s"] * depth + ["A"])) in found.facts[0]
        else:
            with pytest.raises(cl.InputError, match="none"):
                read("mat", data)


def element(kind, content, order="<"):
    return struct.pack(f"{order}II", kind, len(content)) + content + bytes(-len(content) % 8)


def matrix_element(order="<", flags=6, sizes=(2, 2), values=(0.0, 1.0, 1.0, 0.0), name=b"A"):
    parts = element(6, struct.pack(f"{order}II", flags, 0), order)
    parts += element(5, struct.pack(f"{order}{len(sizes)}i", *sizes), order)
    if len(name) <= 4:  # type and size in one word
        small = struct.pack(f"{order}I", len(name) << 16 | 1) + name.ljust(4, b"\0")
    else:
        small = element(1, name, order)
    numbers = struct.pack(f"{order}{len(values)}d", *values)
    return element(14, parts + small + element(9, numbers, order), order)


def mat_file(*elements, order="<"):
    mark = b"\x00\x01IM" if order == "<" else b"\x01\x00MI"
    return b"x".ljust(124) + mark + b"".join(elements)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("name", [b"A", b"four", b"a longer name"])
def test_elements_of_matlab_by_hand(order, name):
    found = understood("mat", mat_file(matrix_element(order, name=name), order=order))
    assert found.complex.n_cells == (2, 1)
    assert repr(name.decode()) in found.facts[0]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x89HDF\r\n\x1a\n", "7.3"),
        (b"MATLAB 7.3 MAT-file".ljust(200), "7.3"),
        (b"x" * 200, "MATLAB.*5.*7"),
        (mat_file(matrix_element(values=(0.0, 1.0, 1.0))), r"\[2.*2\].*3"),
        (mat_file(matrix_element(flags=0x0806)), "none"),  # complex numbers
        (mat_file(matrix_element(flags=4)), "none"),  # letters
        (mat_file(matrix_element(sizes=(2, 2, 1))), "none"),
        (mat_file(matrix_element(sizes=(-2, -2))), "none"),
        (mat_file(matrix_element(sizes=(1, 1), values=(1.0,))), "none"),
        (mat_file(matrix_element()[:-8]), "ends"),
        (mat_file(element(15, b"xx")), "compressed"),
        (mat_file(matrix_element(flags=5)), "without"),
        (mat_file(element(14, b"")), "none"),
        (mat_file(element(14, matrix_element()[8:-40])), "none"),  # without its numbers
        (mat_file(), "none"),
    ],
)
def test_what_a_matlab_file_is_refused_for(data, words):
    with pytest.raises(cl.InputError, match=words):
        read("mat", data)


def test_as_many_vertices_as_edges_leave_room_for():
    for n in (100_200, 100_201):
        A = sparse.csc_array((np.ones(2), ([0, 1], [1, 0])), shape=(n, n))
        if n == 100_200:
            assert read("mat", matlab(A=A)).n_cells == (n, 1)
        else:
            with pytest.raises(cl.InputError, match=r"100,201 .* 2 "):
                read("mat", matlab(A=A))


def test_a_matrix_of_kind_fifteen_holds_numbers():
    assert read("mat", mat_file(matrix_element(flags=15))).n_cells == (2, 1)
    with pytest.raises(cl.InputError, match="none"):
        read("mat", mat_file(matrix_element(flags=16)))


MTX = "%%MatrixMarket matrix {}\n"


@pytest.mark.parametrize(
    ("text", "edges", "weights"),
    [
        ("coordinate real general\n% x\n3 3 4\n1 2 5\n2 1 5\n2 3 .5\n3 2 .5\n", [(0, 1), (1, 2)],
     [5, 0.5]),
        ("coordinate integer symmetric\n3 3 2\n2 1 5\n3 2 -7\n", [(0, 1), (1, 2)], [5, -7]),
        ("coordinate pattern symmetric\n3 3 2\n2 1\n3 2", [(0, 1), (1, 2)], None),
        ("coordinate double symmetric\n\n3 3 3\n2 1 5\n1 2 1\n3 2 0\n", [(0, 1)], [6]),
        ("coordinate real symmetric\n3 3 2\n2 1 1e-3\n3 2 +4\n", [(0, 1), (1, 2)], [1e-3, 4]),
        ("array real symmetric\n3 3\n0\n2\n0\n0\n5\n0\n", [(0, 1), (1, 2)], [2, 5]),
        ("array real general\n2 2\n0\n3\n3\n0\n", [(0, 1)], [3]),
        ("coordinate pattern general\r\n2 2 2\r\n1 2\r\n2 1\r\n", [(0, 1)], None),
    ],
)  # fmt: skip
def test_matrix_market_by_hand(text, edges, weights):
    K = read("matrix market", "%%MatrixMarket matrix " + text)
    assert list(K.cell_labels(1)) == edges
    assert K.attributes[1].get("weight", np.array(None)).tolist() == weights


@pytest.mark.parametrize("kind", ["symmetric", "general"])
def test_repeated_entries_of_matrix_market_are_told(kind):
    back = "1 2 5\n" if kind == "general" else ""
    for more, told in (
        ("", []),
        ("2 1 5\n" + back, [f"{1 + bool(back)} repeated entries are added up"]),
    ):
        lines = "2 1 5\n" + back + more
        text = f"{MTX.format(f'coordinate real {kind}')}2 2 {lines.count(chr(10))}\n{lines}"
        found = understood("matrix market", text)
        assert [fact for fact in found.facts if "repeated" in fact] == told
        assert found.complex.attributes[1]["weight"].tolist() == [10.0 if more else 5.0]


def test_data_of_a_vtk_file_may_be_on_one_line():
    text = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA POINTS 1 float 0 0 0"
    assert read("vtk", text).n_vertices == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "%%MatrixMarket"),
        ("%%MatrixMarket vector coordinate real general\n", "begin"),
        ("%%MatrixMarket matrix coordinate real\n", "begin"),
        (MTX.format("coordinate complex general"), "coordinate"),
        (
            MTX.format("coordinate real skew-symmetric"),
            "coordinate",
        ),
        (MTX.format("list real general"), "general"),
        (MTX.format("coordinate real general") + "3 2 1\n1 2 1\n", "3.*2"),
        (MTX.format("coordinate real general") + "3 2 1\n1 2 1", "3.*2"),
        (MTX.format("coordinate real general") + "3 3\n", r"\[3.0.*3.0\].*3"),
        (MTX.format("coordinate real general") + "3 3 -1\n", r"\[3.0.*3.0.*-1.0\]"),
        (MTX.format("coordinate real general") + "3 3 .5\n", r"\[3.0.*3.0.*0.5\]"),
        (
            MTX.format("coordinate real general") + "3 3 2\n1 2 1\n",
            "2.*3.*3",
        ),
        (
            MTX.format("coordinate pattern general") + "3 3 2\n1 2\n",
            "2.*2",
        ),
        (MTX.format("coordinate real general") + "3 3 1\n1 4 1\n", "3"),
        (MTX.format("coordinate real general") + "3 3 1\n0 1 1\n", "3"),
        (MTX.format("coordinate real general") + "3 3 1\n 1 4 1\n", "3"),
        (MTX.format("coordinate real general") + "3 3 1\n 0 1 1\n", "3"),
        (MTX.format("coordinate real general") + "3 3 1\n 1 1.5 1\n", "3"),
        (MTX.format("coordinate real symmetric") + "2 2 1\n2 1 nan\n", "numbers"),
        (MTX.format("array pattern general") + "2 2\n", "0.*2.*2"),
        (MTX.format("array real general") + "2 2\n0 1 1\n", "3.*2.*2"),
        (MTX.format("array real symmetric") + "2 2\n0 1 1 0\n", "4.*2.*2"),
        (MTX.format("array real general") + "2 3\n0 1 1 0 1 1\n", "2.*3"),
        (
            MTX.format("coordinate pattern symmetric") + "100101 100101 1\n2 1\n",
            "declares 100101 v",
        ),
        (MTX.format("coordinate real general") + "2 2 1\n1 2 1\n", "symmetric"),
    ],
)
def test_what_a_matrix_market_file_is_refused_for(text, words):
    with pytest.raises(cl.InputError, match=words):
        read("matrix market", text)


@pytest.mark.parametrize(
    ("lines", "labels", "edges"),
    [
        (",a,b\na,0,2\nb,2,0", "ab", {"ab": 2}),
        (",a,b\nb,2,0\na,0,2", "ab", {"ab": 2}),
        ("a,b\na,0,2\nb,2,0", "ab", {"ab": 2}),
        (",1,2\n1,0,7\n2,7,0", [1, 2], {(1, 2): 7}),
        ("1,1,2\n1,0,7\n2,7,0", [0, 1, 2], {(0, 1): 1, (0, 2): 2, (1, 2): 7}),
        ("a,b,c\n0,1,0\n1,0,1\n0,1,0", "abc", {"ab": 1, "bc": 1}),
        ("0,1,\n1,0,nan\n,nan,0", [0, 1, 2], {(0, 1): 1}),
        ("0 1,5 0\n1,5 0 2,25\n0 2,25 0", [0, 1, 2], {(0, 1): 1.5, (1, 2): 2.25}),
        (",a,a\na,0,2\na,2,0", None, None),
        (",a,b\na,0,x\nb,2,0", None, None),
        ("0,1\n1,0", None, None),
        ("0,1,0\n1,0", None, None),
    ],
)
def test_squares_of_numbers(lines, labels, edges):
    if labels is None:
        with pytest.raises(cl.InputError):
            read("matrix", lines)
        return
    K = understood("matrix", lines, weight="auto").complex
    assert list(K.labels) == list(labels)
    weights = [1] * K.n_cells[1] if K.weights[1] is None else K.weights[1].tolist()
    found = dict(zip(K.cell_labels(1), weights, strict=True))
    assert found == {tuple(pair): value for pair, value in edges.items()}


def test_which_squares_are_adjacencies_unless_one_is_sure():
    """A list of edges may be one, too: where both are likely, it is read as a list."""

    def read_as(matrix, **options):
        text = "\n".join(" ".join(map(str, row)) for row in matrix)
        try:
            facts = understood("edges", text, **options).facts
        except cl.InputError as error:
            return "matrix" if "adjacency" in str(error) else "edges"
        return "matrix" if any("adjacency" in fact for fact in facts) else "edges"

    path = np.eye(4, k=1, dtype=int) + np.eye(4, k=-1, dtype=int)
    assert read_as(path) == "matrix"
    assert read_as(path, header=True) == "edges"
    skew = path.copy()
    skew[0, 1] = 5  # not symmetric, and small
    assert read_as(skew) == "edges"
    loop = path.copy()
    loop[0, 0] = 3
    assert read_as(loop) == "edges"
    assert read_as(path + 3 * np.eye(4, dtype=int)) == "matrix"
    large = np.zeros((5, 5), dtype=int)
    large[0, 1] = 5
    assert read_as(large) == "matrix"


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 61, 62, 63, 64, 70, 4100])
def test_graph6_and_sparse6_are_those_of_networkx(n):
    graph = nx.gnm_random_graph(n, min(2 * n, n * (n - 1) // 6), seed=n)
    for data in (nx.to_graph6_bytes(graph), nx.to_sparse6_bytes(graph)):
        K = read("graph6", data)
        assert K.n_vertices == n
        found = K.cell_labels(1) if K.max_rank else []
        assert sorted(found) == sorted(tuple(sorted(e)) for e in graph.edges)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Bw", True), ("  Bw  \nBw\n", True), ("Bww", False), ("B", False), (":An", True),
     ("~?@?", True),
        ("Bw\na b", False), ("Bw\n!", False), ("", False), ("@", True), ("A_", True), ("A__",
     False),
        ("H" + "?" * 6, True), ("H" + "?" * 5, False), ("F" + "?" * 4, True),
     ("F" + "?" * 3, False),
    ],
)  # fmt: skip
def test_which_words_are_graph6(text, found):
    assert graph6.is_graph6(text) == found
