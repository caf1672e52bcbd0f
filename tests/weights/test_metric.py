"""Cotangents, the Hodge star and intrinsic Delaunay, against angles by arccos and the sphere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import linalg
from scipy.spatial import Delaunay

import cellapse as cl
from cellapse import weights
from cellapse.lifts import mesh_complex


def icosphere(refinements):
    """Points and triangles of an icosahedron whose triangles are cut into four, on the sphere."""
    t = (1 + 5**0.5) / 2
    around = [(0, s * 1.0, u * t) for s in (-1, 1) for u in (-1, 1)]
    points = np.array([np.roll(p, k) for k in range(3) for p in around])
    near = np.linalg.norm(points[:, None] - points, axis=2) < 2.1
    faces = [
        (i, j, k)
        for i in range(12)
        for j in range(i)
        for k in range(j)
        if near[i, j] and near[j, k] and near[i, k]
    ]
    points = points / np.linalg.norm(points, axis=1)[:, None]
    for _ in range(refinements):
        middle, new, points = {}, [], list(points)
        for face in faces:
            ends = []
            for i, j in zip(face, np.roll(face, 1).tolist(), strict=True):
                key = (min(i, j), max(i, j))
                if key not in middle:
                    p = points[i] + points[j]
                    points.append(p / np.linalg.norm(p))
                    middle[key] = len(points) - 1
                ends.append(middle[key])
            a, b, c = face
            x, y, z = ends  # between a and c, b and a, c and b
            new += [(a, y, x), (b, z, y), (c, x, z), (x, y, z)]
        points, faces = np.array(points), new
    return points, np.array(faces)


def cotangent_laplacian(points, faces):
    """L and barycentric areas, from angles and cross products; shares no code with the package."""
    n = len(points)
    L, area = np.zeros((n, n)), np.zeros(n)
    for face in faces.tolist():
        for k in range(3):
            a, b, c = (face[(k + s) % 3] for s in range(3))
            u, v = points[b] - points[a], points[c] - points[a]
            angle = np.arccos(u @ v / np.linalg.norm(u) / np.linalg.norm(v))
            w = 0.5 / np.tan(angle)
            L[[b, c], [c, b]] -= w
            L[[b, c], [b, c]] += w
            u3, v3 = (np.append(z, [0.0] * (3 - len(z))) for z in (u, v))
            area[a] += np.linalg.norm(np.cross(u3, v3)) / 6
    return L, area


def planar(n, seed):
    points = np.random.default_rng(seed).random((n, 2))
    return points, Delaunay(points).simplices


@given(st.integers(5, 25), st.integers(0, 1000))
def test_weights_are_the_cotangents_of_the_angles(n, seed):
    points, faces = planar(n, seed)
    L, area = cotangent_laplacian(points, faces)
    K = mesh_complex(points, faces)
    i, j = K.cells[1].as_array().T
    expected = -L[i, j]
    if expected.min() > 1e-6:
        found = weights.hodge_star(K)
        assert found[1] == pytest.approx(expected, rel=1e-6)
        assert found[0] == pytest.approx(area, rel=1e-6)
        assert (1 / found[2]).sum() == pytest.approx(area.sum())
    raised = weights.cotangent(K, least=1e-3)[1]
    assert raised == pytest.approx(np.maximum(expected, 1e-3 * expected.mean()), rel=1e-5)


@pytest.mark.parametrize("realization", ["unfolded", "screened", "renormalized"])
def test_the_collapse_of_a_sphere_has_the_eigenvalues_of_the_sphere(realization):
    """l (l + 1), 2 l + 1 times each: the error falls with the area of the triangles."""
    exact = np.repeat([0.0, 2.0, 6.0, 12.0], [1, 3, 5, 7])
    errors = []
    for refinements in (1, 2, 3, 4):
        K = mesh_complex(*icosphere(refinements))
        K = K.with_attributes(None, weights.hodge_star(K))
        S = cl.collapse(K, realization, eps=1e-8)
        errors.append(abs(S.spectrum(16).values - exact).max())
    assert errors[-1] < 0.35
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert rates[-1] > 1.4  # towards 2: the side of a triangle is halved each time
    assert (np.diff(errors) < 0).all()


def test_the_laplacian_of_a_sphere_is_that_of_finite_elements():
    points, faces = icosphere(2)
    K = mesh_complex(points, faces)
    star = weights.hodge_star(K)
    L, area = cotangent_laplacian(points, faces)
    ours = cl.graph_laplacian(K.with_attributes(None, {1: star[1]}))
    assert abs(ours.toarray() - L).max() < 1e-12
    assert star[0] == pytest.approx(area)
    values = linalg.eigsh(sparse.csc_array(L), 9, sparse.diags_array(area), sigma=-0.1)[0]
    assert ours.spectrum(9, mass=star[0]).values == pytest.approx(np.sort(values), abs=1e-8)


# ---------------------------------------------------------------- obtuse meshes


def stretched(n, seed):
    """A planar mesh whose triangles were Delaunay before it was stretched to four times."""
    points, faces = planar(n, seed)
    return points * [4.0, 1.0], faces


@given(st.integers(6, 40), st.integers(0, 1000))
def test_flipped_edges_are_those_of_the_delaunay_triangulation_of_the_plane(n, seed):
    points, faces = stretched(n, seed)
    flipped = weights.intrinsic_delaunay(mesh_complex(points, faces))
    assert flipped.n_cells[1:] == mesh_complex(points, faces).n_cells[1:]
    i, j = flipped.cells[1].as_array().T
    straight = np.linalg.norm(points[i] - points[j], axis=1)  # flat: lengths are distances
    assert np.asarray(flipped.attributes[1]["length"]) == pytest.approx(straight, rel=1e-6)
    L, area = cotangent_laplacian(points, flipped.cells[2].as_array())
    inside = np.bincount(sides_of(flipped), minlength=flipped.n_edges) == 2
    assert (-L[i, j][inside] > -1e-6).all()
    assert area.sum() == pytest.approx(cotangent_laplacian(points, faces)[1].sum())


def sides_of(K):
    place = {frozenset(e): i for i, e in enumerate(K.cells[1].as_array().tolist())}
    corners = K.cells[2].as_array()
    pairs = corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).tolist()
    return np.array([place[frozenset(pair)] for pair in pairs])


def test_a_thin_ellipsoid_gets_positive_weights_by_flips():
    points, faces = icosphere(3)
    K = mesh_complex(points * [1.0, 1.0, 0.15], faces)
    with pytest.raises(cl.InputError, match="intrinsic_delaunay"):
        weights.cotangent(K)
    flipped = weights.intrinsic_delaunay(K)
    star = weights.hodge_star(flipped, least=1e-9)  # by symmetry some are zero
    assert min(star[1]) > 0
    assert sum(star[0]) == pytest.approx(sum(1 / weights.hodge_star(K, 1e-3)[2]))
    again = weights.intrinsic_delaunay(flipped)
    assert again.n_cells == flipped.n_cells
    assert np.sort(again.cells[1].as_array(), axis=0).tolist() == (
        np.sort(flipped.cells[1].as_array(), axis=0).tolist()
    )


def tufted(points, faces):
    """Eigenvalues of the Laplacian of the package robust_laplacian (Sharp and Crane, 2020)."""
    package = pytest.importorskip("robust_laplacian")
    L, M = package.mesh_laplacian(points, faces, mollify_factor=0.0)
    return linalg.eigsh(L.tocsc(), 16, M.tocsc(), sigma=-0.1)[0]


@pytest.mark.parametrize("height", [1.0, 0.5, 0.15])
def test_the_laplacian_with_a_metric_is_that_of_another_package(height):
    """With obtuse angles it flips edges, too."""
    points, faces = icosphere(3)
    points = points * [1.0, 1.0, height]
    K = weights.intrinsic_delaunay(mesh_complex(points, faces))
    K = K.with_attributes(None, weights.hodge_star(K, least=1e-9))
    ours = cl.graph_laplacian(K).spectrum(16).values
    assert ours == pytest.approx(tufted(points, faces), abs=1e-6 * ours.max())


def test_the_collapse_of_a_sphere_goes_to_the_laplacian_of_another_package():
    """The finer the mesh, the closer: both go to l (l + 1), at the same rate."""
    apart = []
    for refinements in (1, 2, 3, 4):
        points, faces = icosphere(refinements)
        K = mesh_complex(points, faces)
        K = K.with_attributes(None, weights.hodge_star(K))
        found = cl.collapse(K, eps=1e-8).spectrum(16).values
        apart.append(abs(found - tufted(points, faces)).max())
    assert (np.diff(apart) < 0).all()
    assert apart[-1] < 0.03
    assert np.log2(apart[-2] / apart[-1]) > 1.4


def test_the_values_of_a_flat_function_do_not_depend_on_the_flips():
    """The energy of a linear function is the area times its slope, on any triangulation."""
    points, faces = stretched(40, 7)
    before, after = (
        cotangent_laplacian(points, given)[0]
        for given in (
            faces,
            weights.intrinsic_delaunay(mesh_complex(points, faces)).cells[2].as_array(),
        )
    )
    u = points @ [0.3, 2.0]
    assert u @ before @ u == pytest.approx(u @ after @ u)


GRID = [[0, 0], [1, 0], [1, 1], [0, 1]]
SLIT = [[0, 0], [1, 0], [2, 0.0]]
BAD = {
    "a right angle": (lambda: weights.cotangent(mesh_complex(GRID, [[0, 1, 2], [0, 2, 3]])), "180"),
    "squares": (lambda: weights.cotangent(mesh_complex(GRID, [[0, 1, 2, 3]])), "4 vertices"),
    "a graph": (lambda: weights.cotangent([(0, 1), (1, 2)]), "no triangle"),
    "no positions": (
        lambda: weights.cotangent(cl.clique_complex(np.ones((3, 3)) - np.eye(3))),
        "le",
    ),
    "a flat triangle": (lambda: weights.cotangent(mesh_complex(SLIT, [[0, 1, 2]])), "no area"),
    "a lonely vertex": (
        lambda: weights.hodge_star(mesh_complex([[0, 0], [2, 0], [1, 2], [9, 9]], [[0, 1, 2]])),
        "no triangle",
    ),
    "least": (lambda: weights.cotangent(mesh_complex(GRID, [[0, 1, 2]]), least=2.0), "least"),
    "a tetrahedron": (
        lambda: weights.cotangent(
            cl.Complex.from_cells({1: [(0, 1)], 2: [(0, 1, 2)], 3: [(0, 1, 2, 3)]})
        ),
        "rank 3",
    ),
    "negative lengths": (
        lambda: weights.distances(
            cl.Complex.from_cells({1: [(0, 1)]}, attributes={1: {"length": [-1.0]}})
        ),
        "-1",
    ),
    "a side that is missing": (
        lambda: weights.cotangent(
            cl.Complex.from_cells(
                {1: [(0, 1)], 2: [(0, 1, 2)]}, attributes={0: {"position": np.eye(3)}}
            )
        ),
        "no edge",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_meshes_that_have_no_metric_are_refused(case):
    call, named = BAD[case]
    with pytest.raises(cl.InputError, match=named):
        call()


def test_right_angles_are_raised_where_that_is_asked_for():
    K = mesh_complex(GRID, [[0, 1, 2], [0, 2, 3]])
    found = weights.cotangent(K, least=1e-3)[1]
    assert sorted(found.round(6).tolist()) == [0.0004, 0.5, 0.5, 0.5, 0.5]
