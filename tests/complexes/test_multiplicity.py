"""A cell attached m times around the same cells weighs m^2: its column is m times as large."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cellapse as cl
from cellapse.theory import check

WALK = {1: [("a", "b"), ("b", "c"), ("a", "c")], 2: [("a", "b", "c")]}


def test_the_projective_plane_by_hand():
    """A disc that runs twice around a triangle: B_2 = (2, -2, 2)^T in some orientation."""
    K = cl.Complex.from_cells(WALK, weights={2: [4.0]})
    B1, B2 = cl.boundary_matrices(K)
    assert abs(B2.toarray()).ravel().tolist() == [2.0, 2.0, 2.0]
    assert abs(B1 @ B2).max() == 0.0
    assert np.linalg.svd(B2.toarray(), compute_uv=False) == pytest.approx([2 * 3**0.5])


@given(st.integers(0, 10**6), st.sampled_from(["incidence", "mixed", "boundary"]))
@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_it_is_the_collapse_of_the_matrices_themselves(seed, realization):
    rng = np.random.default_rng(seed)
    triangles = [t for t in combinations(range(5), 3) if rng.random() < 0.4] or [(0, 1, 2)]
    edges = sorted({e for t in triangles for e in combinations(t, 2)})
    times = rng.integers(1, 4, len(triangles)).astype(float)
    cells = {0: range(5), 1: edges, 2: triangles}
    plain = cl.Complex.from_cells(cells)
    weighted = cl.Complex.from_cells(cells, weights={2: times**2})
    matrices = {
        "incidence": cl.incidence_matrices,
        "mixed": cl.mixed_matrices,
        "boundary": cl.boundary_matrices,
    }[realization]
    B1, B2 = (B.toarray() for B in matrices(plain))
    S = cl.collapse(weighted, realization, beta=1.0, eps=0.1)
    given_ = cl.collapse([B1, B2 * times], beta=1.0, eps=0.1)
    assert S.toarray() == pytest.approx(given_.toarray(), abs=1e-9)
    assert check(S).holds
