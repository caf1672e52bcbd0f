"""How many eigenvalues of C are zero, and what is said of those that only look like it."""

import warnings

import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse import theory
from cellapse._collapse import completion
from cellapse._collapse.completion import nullity, nullity_around
from cellapse._linalg.sigma import rank_of, smallest_positive_eigenvalue
from tests.campaign import draw
from tests.campaign.complexes import Subject

EDGES = sparse.csr_array([[-1.0, -1.0, 0.0], [1.0, 0.0, -1.0], [0.0, 1.0, 1.0]])
TRIANGLE = sparse.csr_array([[1.0], [-1.0], [1.0]])  # its boundary: sigma is the root of three
UNSIGNED = sparse.csr_array(np.ones((3, 1)))
ROOT = 3.0**0.5


def drawn(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        return Subject(draw.case(seed)).build()


@pytest.mark.parametrize("weight", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize(
    ("face", "beta", "gamma", "expected"),
    [
        (TRIANGLE, 1.0, 0.999 * ROOT, 0),
        (TRIANGLE, 1.0, ROOT, 1),  # at the bound: the cycle and its triangle with the same value
        (TRIANGLE, 2.0, 2.0 * ROOT, 1),
        (TRIANGLE, 0.0, 0.0, 2),  # nothing holds the cycle, and nothing the triangle
        (UNSIGNED, 1.0, ROOT, 1),  # the cycle is seen by the face, and balanced by it
        (UNSIGNED, 1.0, 0.999 * ROOT, 0),
    ],
)
def test_by_hand(face, beta, gamma, expected, weight):
    matrices, gammas = [weight * EDGES, face], [1.0, gamma]
    assert nullity(matrices, [1.0, beta], gammas) == expected
    assert nullity_around(matrices, np.array([1.0, beta]), np.array(gammas), 0) == expected


def test_without_a_cycle_nothing_is_free_at_the_bound():
    assert nullity([EDGES[:, :2], UNSIGNED[:2]], [1.0, 1.0], [1.0, 2.0**0.5]) == 0


def test_ranks_below_count_as_those_above():
    matrices, beta = [EDGES, TRIANGLE], np.ones(2)
    assert nullity_around(matrices, beta, np.array([1.0, 1.0]), 2) == 1  # one value on all vertices
    assert nullity_around(matrices, beta, np.array([1.0, 1.0]), 1) == 1
    assert nullity_around(matrices, beta, np.array([0.0, 0.0]), 1) == 1
    assert nullity_around([UNSIGNED], np.ones(1), np.ones(1), 1) == 2


def test_what_is_empty_holds_nothing():
    assert nullity([], [], []) == 0
    assert nullity([sparse.csr_array((3, 0))], [1.0], [1.0]) == 0
    assert nullity([sparse.csr_array((0, 3))], [1.0], [1.0]) == 3


@pytest.mark.parametrize("spread", [0, 6, 20])
def test_rank_whatever_the_sizes(spread):
    rng = np.random.Generator(np.random.PCG64(spread))
    pattern = rng.integers(-1, 2, size=(9, 4)) @ rng.integers(-1, 2, size=(4, 7))
    true = np.linalg.matrix_rank(pattern.astype(float))
    rows, columns = (10.0 ** (spread * (rng.random(n) - 0.5)) for n in pattern.shape)
    assert rank_of(sparse.csr_array(rows[:, None] * pattern * columns)) == true


# Where the smallest positive eigenvalue is next to rounding of the largest, or what is zero is so
# only because gamma is at its bound; found by a campaign.
@pytest.mark.parametrize(
    "seed",
    [1700112, 1700364, 1701720, 1701729, 1702350, 1708930, 1708968, 1709010, 1709058, 1709088],
)
def test_as_eigenvalues_of_sixty_digits_say(seed):
    S = drawn(seed)
    true = int(np.sum(np.abs(_eigenvalues(S)) < 1e-40))
    assert nullity_around(S.chain.incidence.matrices, S.beta, S.gamma, S.onto) == true


def _eigenvalues(S):
    """Those of C next to the largest, with gamma at its bound where it is next to it."""
    mp = pytest.importorskip("mpmath")
    matrices = [mp.matrix(B.toarray().tolist()) for B in S.chain.incidence.matrices]
    cuts = np.cumsum([0, matrices[0].rows, *(B.cols for B in matrices)]).tolist()
    with mp.workdps(60):
        L = mp.zeros(cuts[-1])
        for k, B in enumerate(matrices):
            if not S.chain.incidence.matrices[k].nnz:
                continue
            values = list(mp.svd_r(B, compute_uv=False))
            sigma = min(s for s in values if s > values[0] * mp.mpf(10) ** -40)
            beta, gamma = mp.mpf(float(S.beta[k])), mp.mpf(float(S.gamma[k]))
            if abs(gamma - beta * sigma) < 1e-9 * gamma:
                gamma = beta * sigma
            low, high, top = cuts[k : k + 3]
            L[low:high, low:high] += beta * B * B.T
            L[high:top, high:top] += beta * B.T * B
            L[low:high, high:top] = -gamma * B
            L[high:top, low:high] = -gamma * B.T
        kept = range(*cuts[S.onto : S.onto + 2])
        others = [i for i in range(cuts[-1]) if i not in kept]
        C = mp.matrix([[L[i, j] for j in others] for i in others])
        values = mp.eigsy(C, eigvals_only=True)
        largest = max(values)
        return np.array([float(v / largest) for v in values])


def test_values_that_rest_on_rounding_are_refused():
    """The shortest minimizer has -440 on vertices; without the eigenvalue next to zero, 1e-12."""
    S = drawn(1709058)
    with pytest.raises(cl.ConvergenceError, match="eps"):
        S.complete([-0.003, -0.346, -1.119, 3.154, -0.854])


@pytest.mark.parametrize("seed", [1708930, 1709010, 1709088])
def test_zeros_at_the_bound_are_no_reason_to_refuse(seed):
    S = drawn(seed)
    assert nullity_around(S.chain.incidence.matrices, S.beta, S.gamma, S.onto) > nullity_around(
        S.chain.incidence.matrices, S.beta, 0.99 * S.gamma, S.onto
    )
    x = np.cos(np.arange(S.shape[0]))
    assert all(np.isfinite(z).all() for z in S.complete(x).values())


@pytest.mark.parametrize("seed", [1700112, 1700364, 1701720, 1701729, 1702350])
def test_a_bound_that_rests_on_rounding_is_not_given(seed):
    S = drawn(seed)
    with pytest.raises(cl.ConvergenceError, match="weights"):
        theory.regularization_bound(S)
    check = theory.regularization_error(S)
    assert check.holds is None
    assert check.bound is None
    assert "rescale" in check.note


def test_an_eigenvalue_below_rounding_is_refused_where_it_is_known_to_be_positive():
    M = sparse.csr_array([[1.0, 1.0], [1.0, 1.0]])
    assert smallest_positive_eigenvalue(M, 1) == pytest.approx(2.0)
    assert smallest_positive_eigenvalue(M, 2) == np.inf
    assert smallest_positive_eigenvalue(sparse.csr_array(sparse.block_diag([M, [[0.0]]])), 2) == (
        pytest.approx(2.0)
    )
    with pytest.raises(cl.ConvergenceError, match="rounding"):
        smallest_positive_eigenvalue(M, 0)


def test_many_cells_of_very_different_weights_are_refused(monkeypatch):
    monkeypatch.setattr(completion, "_DENSE", 3)
    matrices = [EDGES, TRIANGLE]
    assert nullity(matrices, [1.0, 1.0], [1.0, ROOT]) is None  # eigenvalues tell
    scaled = [sparse.csr_array(EDGES * [1.0, 1.0, 1e4]), TRIANGLE]
    with pytest.raises(cl.ConvergenceError, match=r"1e\+04"):
        nullity(scaled, [1.0, 1.0], [1.0, ROOT])
    assert nullity(scaled, [0.0, 1.0], [0.0, ROOT]) is None  # of no weight


def test_a_square_is_known_by_its_root(monkeypatch):
    monkeypatch.setattr(completion, "nullity", lambda *_: pytest.fail("the root tells"))
    K = cl.Complex.from_cells({1: [(0, 1), (1, 2), (0, 2)], 2: [(0, 1, 2)]})
    S = cl.collapse(K, "unfolded", eps=0.0)
    assert set(S.complete(np.array([1.0, 2.0, 4.0]))) == {1, 2}
