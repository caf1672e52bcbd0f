"""Relations that skip ranks, as blocks of their own."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cellapse as cl
from cellapse.reduction import collapse_direct, direct_relations


def loose(draw_seed):
    """A few cells of ranks 1 to 3 on six vertices, seldom closed."""
    rng = np.random.default_rng(draw_seed)
    cells = {}
    for rank, size in ((1, 2), (2, 3), (3, 4)):
        every = list(combinations(range(6), size))
        cells[rank] = [every[i] for i in rng.permutation(len(every))[: rng.integers(1, 7)]]
    return cl.Complex.from_cells({0: range(6), **cells})


def by_definition(K):
    """Which cell is directly inside which, from sets alone."""
    cells = [(k, frozenset(c)) for k in range(K.max_rank + 1) for c in sets(K, k)]
    inside = {(i, j) for i, x in enumerate(cells) for j, y in enumerate(cells) if below(x, y)}
    n = range(len(cells))
    return cells, {
        (i, j) for i, j in inside if not any((i, m) in inside and (m, j) in inside for m in n)
    }


def sets(K, rank):
    return [(v,) for v in K.labels] if rank == 0 else K.cell_labels(rank)


def below(x, y):
    return x[0] < y[0] and x[1] < y[1]


def dense(K, beta, eps, gamma):
    """L* and S by dense algebra, of sets alone."""
    cells, direct = by_definition(K)
    L = np.zeros((len(cells), len(cells)))
    for a, b in combinations(range(K.max_rank + 1), 2):
        J = np.zeros_like(L)
        for i, j in direct:
            J[i, j] = float(cells[i][0] == a and cells[j][0] == b)
        values = np.linalg.svd(J, compute_uv=False)
        if values.max() == 0:
            continue
        g = beta * values[values > 1e-9].min() if gamma is None else gamma
        L += beta * (J @ J.T + J.T @ J) - g * (J + J.T)
    n = K.n_vertices
    X, C = L[:n, n:], L[n:, n:] + eps * np.eye(len(L) - n)
    return L, L[:n, :n] - X @ np.linalg.solve(C, X.T)


def test_a_triangle_without_edges_by_hand():
    """J = (1, 1, 1)^T, sigma = 3^(1/2): S = J J^T (1 - gamma^2 / (3 + eps))."""
    K = cl.Complex.from_cells({2: [("a", "b", "c")]})
    ones = np.ones((3, 3))
    S = collapse_direct(K, gamma=1.0, eps=0.5)
    assert S.toarray() == pytest.approx(ones * (1 - 1 / 3.5))
    assert collapse_direct(K, eps=0.5).toarray() == pytest.approx(ones * (1 - 3 / 3.5))
    assert S.labels == ("a", "b", "c")


@given(st.integers(0, 10**6), st.sampled_from([0.3, 1.0, 2.5]), st.sampled_from([1e-4, 0.5]))
def test_it_is_the_schur_complement_of_a_semi_definite_matrix(seed, beta, eps):
    K = loose(seed)
    L, expected = dense(K, beta, eps, None)
    assert np.linalg.eigvalsh(L).min() > -1e-9
    S = collapse_direct(K, beta=beta, eps=eps)
    assert S.toarray() == pytest.approx(expected, abs=1e-7)
    x = np.arange(6.0)
    assert S @ x == pytest.approx(expected @ x, abs=1e-6)


@given(st.integers(0, 10**6))
def test_relations_are_those_that_nothing_joins(seed):
    K = loose(seed)
    cells, direct = by_definition(K)
    begin = np.concatenate([[0], np.cumsum(K.n_cells)])
    found = {
        (begin[a] + i, begin[b] + j)
        for (a, b), J in direct_relations(K).items()
        for i, j in zip(*J.nonzero(), strict=True)
    }
    assert found == direct
    assert len(cells) == begin[-1]


def test_without_skipped_ranks_it_is_the_collapse():
    K = cl.clique_complex([(0, 1), (1, 2), (0, 2), (2, 3)])
    S = cl.collapse(K, "incidence", beta=1.0, eps=0.1)
    assert collapse_direct(K, eps=0.1).toarray() == pytest.approx(S.toarray(), abs=1e-9)
    weighted = K.with_attributes(None, {1: [1.0, 2.0, 3.0, 4.0], 2: [5.0]})
    S = cl.collapse(weighted, "incidence", beta=1.0, eps=0.1)
    assert collapse_direct(weighted, eps=0.1).toarray() == pytest.approx(S.toarray(), abs=1e-9)


def test_with_skipped_ranks_it_is_not_rank_completion():
    K = cl.Complex.from_cells({1: [("a", "b")], 2: [("a", "b", "c")]})
    completed = cl.collapse(K, "incidence", beta=1.0, eps=0.1).toarray()
    assert abs(collapse_direct(K, eps=0.1).toarray() - completed).max() > 1e-3


@pytest.mark.parametrize(
    "call",
    [
        lambda K: collapse_direct(K, gamma=2.0),
        lambda K: collapse_direct(K, gamma=-1.0),
        lambda K: collapse_direct(K, gamma="most"),
        lambda K: collapse_direct(K, beta=0.0),
        lambda K: collapse_direct(K, eps=0.0),
        lambda K: collapse_direct(3),
        lambda K: direct_relations(3),
    ],
)
def test_what_is_no_weight_is_refused(call):
    with pytest.raises(cl.CellapseError):
        call(cl.Complex.from_cells({1: [("a", "b")], 2: [("a", "b", "c")]}))
