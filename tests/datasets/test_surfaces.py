"""The triangulated surfaces: enumerated again, recognized by independent ways, hostile files."""

import gzip
import json
from importlib import resources
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cellapse as cl
from cellapse.datasets import enumerate_surfaces, load_mantra, triangulated_surfaces
from cellapse.datasets.mantra import recognize
from cellapse.datasets.surfaces import pack, unpack

BY_VERTICES = {4: 1, 5: 1, 6: 3, 7: 9, 8: 43, 9: 655, 10: 42_426}
BY_NAME = {
    "S^2": 306,
    "T^2": 2229,
    "#^2 T^2": 865,
    "#^3 T^2": 20,
    "RP^2": 1364,
    "Klein bottle": 4655,
    "#^3 RP^2": 11917,
    "#^4 RP^2": 13694,
    "#^5 RP^2": 7052,
    "#^6 RP^2": 1022,
    "#^7 RP^2": 14,
}
TETRAHEDRON = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]


@pytest.fixture(scope="module")
def surfaces():
    return triangulated_surfaces()


def recognized(found):
    return recognize(
        [n for n, _ in found], [len(t) for _, t in found], np.concatenate([t for _, t in found])
    )


def invariant(triangles):
    """What does not depend on names: sorted degrees, and sorted degrees along each triangle."""
    degree = np.bincount(np.ravel(triangles))
    return tuple(sorted(degree)), tuple(sorted(tuple(sorted(degree[list(t)])) for t in triangles))


def canonical(triangles, n):
    """The smallest relabelling by brute force."""
    return min(
        tuple(sorted(tuple(sorted(p[v] for v in t)) for t in triangles))
        for p in permutations(range(n))
    )


def test_counts_by_vertices_and_by_name(surfaces):
    n, count = np.unique(surfaces.n_vertices, return_counts=True)
    assert dict(zip(n.tolist(), count.tolist(), strict=True)) == BY_VERTICES
    assert surfaces.counts() == BY_NAME


def test_small_ones_differ_under_every_relabelling(surfaces):
    small = surfaces.select(surfaces.n_vertices <= 7)
    forms = {canonical(small[i].tolist(), int(small.n_vertices[i])) for i in range(len(small))}
    assert len(forms) == 14


def test_bundled_equal_enumerated_up_to_nine_vertices():
    again = recognized([(n, t) for n in range(4, 10) for t in enumerate_surfaces(n)])
    assert (triangulated_surfaces(9).triangles == unpack(pack(again)).triangles).all()


@pytest.mark.slow
def test_bundled_equal_enumerated_at_ten_vertices(surfaces):
    again = recognized([(10, t) for t in enumerate_surfaces(10)])
    bundled = surfaces.select(surfaces.n_vertices == 10)
    assert (bundled.triangles == unpack(pack(again)).triangles).all()


def test_stored_orientability_is_that_of_the_triangles(surfaces):
    again = recognize(surfaces.n_vertices, np.diff(surfaces.indptr), surfaces.triangles)
    assert (again.orientable == surfaces.orientable).all()


def test_betti_numbers_are_those_of_the_boundary_matrices(surfaces):
    rng = np.random.default_rng(0)
    for i in rng.choice(len(surfaces), 60, replace=False):
        K = surfaces.complex(i)
        assert K.betti_numbers() == tuple(surfaces.betti_numbers[i])
        assert K.euler_characteristic() == surfaces.euler_characteristic[i]


def test_torsion_is_that_of_the_ranks_modulo_two(surfaces):
    # H_1 with coefficients Z/2 has one more dimension for every Z/2, and so has H_2
    for i in range(0, 700, 13):
        B2 = abs(cl.boundary_matrices(surfaces.complex(i))[1].toarray()).astype(int) % 2
        void = B2.shape[1] - rank_modulo_two(B2)
        assert void - surfaces.betti_numbers[i, 2] == surfaces.torsion[i] - 1


def rank_modulo_two(M):
    M, rank = M.copy(), 0
    for column in range(M.shape[1]):
        pivots = np.flatnonzero(M[rank:, column])
        if len(pivots):
            M[[rank, rank + pivots[0]]] = M[[rank + pivots[0], rank]]
            others = np.flatnonzero(M[:, column])
            M[others[others != rank]] ^= M[rank]
            rank += 1
            if rank == len(M):
                break
    return rank


def test_file_is_small():
    assert len((resources.files("cellapse.datasets") / "surfaces.xz").read_bytes()) < 200_000


def test_stacks_hold_every_surface_once(surfaces):
    seen = np.zeros(len(surfaces), dtype=int)
    for n, where, T in surfaces.stacks():
        seen[where] += 1
        assert (surfaces.n_vertices[where] == n).all()
        assert (T[0] == surfaces[where[0]]).all()
        assert (T[-1] == surfaces[where[-1]]).all()
    assert (seen == 1).all()


def test_arrays_are_read_only(surfaces):
    with pytest.raises(ValueError, match="read-only"):
        surfaces.triangles[0, 0] = 5


def test_index_errors_and_negative_positions(surfaces):
    assert (surfaces[-1] == surfaces[len(surfaces) - 1]).all()
    with pytest.raises(IndexError):
        surfaces[len(surfaces)]


def test_card_says_counts_source_and_licence(surfaces):
    words = " ".join(str(surfaces).split())
    for part in ("43,138", "10: 42,426", "#^7 RP^2: 14", "Sulanke", "BSD-3-Clause"):
        assert part in words
    assert max(map(len, str(surfaces).splitlines())) <= 100


@pytest.mark.parametrize("bad", [3, 11, 7.0, "9", True])
def test_max_vertices_is_checked(bad):
    with pytest.raises(cl.InputError, match="max_vertices"):
        triangulated_surfaces(bad)


@given(st.randoms(use_true_random=False))
def test_recognition_does_not_depend_on_names_or_order(random):
    surfaces = triangulated_surfaces(8)
    i = random.randrange(len(surfaces))
    n = int(surfaces.n_vertices[i])
    names = list(range(n))
    random.shuffle(names)
    T = [[names[v] for v in random.sample(t, 3)] for t in surfaces[i].tolist()]
    random.shuffle(T)
    again = recognize([n], [len(T)], T)
    assert again.names[0] == surfaces.names[i]
    assert invariant(again[0]) == invariant(surfaces[i])


@pytest.mark.parametrize(
    ("n", "triangles", "what"),
    [
        (4, TETRAHEDRON[:3], "triangles"),
        (4, [*TETRAHEDRON, [0, 1, 2]], "triangles"),
        (3, TETRAHEDRON, "outside"),
        (4, [[0, 1, -1], *TETRAHEDRON[1:]], "outside"),
        (4, [[0, 1, 1], *TETRAHEDRON[1:]], "vertices"),
        (5, TETRAHEDRON, "unused"),
        (8, TETRAHEDRON + [[v + 4 for v in t] for t in TETRAHEDRON], "connected"),
        # two tetrahedra that share vertex 0: closed and connected only through a point
        (7, TETRAHEDRON + [[v and v + 3 for v in t] for t in TETRAHEDRON], "connected"),
    ],
)
def test_what_is_no_surface_is_refused(n, triangles, what):
    with pytest.raises(cl.InputError, match=what):
        recognize([4, n], [4, len(triangles)], TETRAHEDRON + triangles)


def test_a_vertex_whose_link_is_two_cycles_is_refused():
    # a sphere with two far vertices made one: connected, closed, but pinched
    icosahedron = cl.datasets.triangulated_surfaces(10)
    sphere = next(
        icosahedron[i].astype(int)
        for i in np.flatnonzero(icosahedron.names == "S^2")[::-1]
        if far_pair(icosahedron[i]) is not None
    )
    u, v = far_pair(sphere)
    T = np.where(sphere == v, u, sphere)
    T[v < T] -= 1
    with pytest.raises(cl.InputError, match="link"):
        recognize([9], [len(T)], T)


def far_pair(T):
    joined = np.eye(10, dtype=bool)
    for a, b in ((0, 1), (1, 2), (0, 2)):
        joined[T[:, a], T[:, b]] = joined[T[:, b], T[:, a]] = True
    far = np.argwhere((joined.astype(int) @ joined.astype(int)) == 0)
    return None if not len(far) else sorted(far[0].tolist())


def record(triangles, n, **more):
    return {"triangulation": (np.asarray(triangles) + 1).tolist(), "n_vertices": n, **more}


def test_mantra_file_is_read_in_its_order(tmp_path):
    surfaces = triangulated_surfaces(8)
    order = np.random.default_rng(0).permutation(len(surfaces))
    records = [
        record(
            surfaces[i],
            int(surfaces.n_vertices[i]),
            betti_numbers=surfaces.betti_numbers[i].tolist(),
            orientable=bool(surfaces.orientable[i]),
            name=str(surfaces.names[i]),
        )
        for i in order
    ]
    for name, opened in (("2_manifolds.json", open), ("2_manifolds.json.gz", gzip.open)):
        with opened(tmp_path / name, "wt") as file:
            json.dump(records, file)
        found = load_mantra(tmp_path / name)
        assert found.names.tolist() == surfaces.names[order].tolist()
        assert (found[0] == surfaces[order[0]]).all()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[",
        "[]",
        "{}",
        "7",
        "[1]",
        '[{"triangulation": 3}]',
        '[{"triangulation": [[1, 2]]}]',
        '[{"triangulation": [[1, 2, 3, 4]], "n_vertices": 4}]',
        '[{"triangulation": [[1, 2, "3"]], "n_vertices": 4}]',
        '[{"triangulation": [[1, 2, 3], [1, 2]], "n_vertices": 4}]',
        '[{"triangulation": [[1, 2, 1e99]], "n_vertices": 4}]',
        '[{"triangulation": [[1, 2, 3]], "n_vertices": 100000000}]',
        '[{"triangulation": [[1, 2, 3]], "n_vertices": "4"}]',
        "[" * 100_000,
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(cl.InputError, match=r"x\.json"):
        load_mantra(tmp_path / "x.json")


def test_a_record_that_contradicts_its_triangles_is_refused(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([record(TETRAHEDRON, 4, betti_numbers=[1, 2, 1])]))
    with pytest.raises(cl.InputError, match="betti_numbers"):
        load_mantra(path)


def test_missing_or_broken_compressed_file(tmp_path):
    with pytest.raises(cl.InputError, match=r"file|gzip"):
        load_mantra(tmp_path / "none.json")
    (tmp_path / "x.json.gz").write_bytes(b"\x1f\x8b\x08\x00 no gzip")
    with pytest.raises(cl.InputError, match=r"file|gzip"):
        load_mantra(tmp_path / "x.json.gz")
