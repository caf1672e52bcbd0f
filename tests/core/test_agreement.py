"""Every quick way of computing something against a slow one, and against other libraries."""

import pickle
from itertools import combinations

import gudhi
import networkx as nx
import numpy as np
import pytest
import toponetx as tnx
import xgi
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles import (
    assert_close,
    blocks,
    contained,
    dense,
    eigenvalues,
    flags,
    graded,
    norm,
    schur,
    simplicial_boundary,
    smallest_positive_singular_value,
)
from scipy import linalg, sparse
from scipy.spatial import Delaunay
from strategies import (
    BLOCKS,
    REALIZATIONS,
    cases,
    clique_complexes,
    closed,
    closed_or_weighted,
    combinatorial_complexes,
    hypergraphs,
    operators,
    plain_graphs,
    polygon_complexes,
    rebuilt,
    seeds,
    weighted,
)
from toys import karate

import cellapse as cl
from cellapse._linalg.eigen.inertia import shift_inverse
from cellapse._linalg.kernel import left_kernel, left_kernel_in_rounds
from cellapse._linalg.sigma import sigma_min

BUILD = {
    "unfolded": cl.unfolded_matrices,
    "boundary": cl.boundary_matrices,
    "incidence": cl.incidence_matrices,
    "mixed": cl.mixed_matrices,
}
SMALL_TO_LARGE = (1e-8, 1e-6, 1e-4, 1e-2, 1.0)


def scale_of(S):
    return max(norm(S.A), 1e-300)


# ---------------------------------------------------------------- the block formula


@settings(max_examples=150)
@given(operators(eps=SMALL_TO_LARGE))
def test_block_formula(S):
    """S = A - X (C + eps I)^-1 X^T, with the blocks the operator says it has."""
    assert_close(S.toarray(), schur(*S.split(), S.eps), 1e-10, scale_of(S))


@settings(max_examples=100)
@given(cases(BLOCKS), st.sampled_from(SMALL_TO_LARGE), st.integers(0, 4))
def test_block_formula_from_the_definition(case, eps, onto):
    """The same on every rank, with L* put together from the matrices by other code."""
    K, realization = case
    B = BUILD[realization](K)
    assume(len(B) and onto <= K.max_rank and (onto == 0 or B.n_formal[onto] == 0))
    S = cl.collapse(K, realization=realization, eps=eps, onto=onto)
    L, start = graded(B, S.beta, S.gamma)
    A, X, C = blocks(L, start, onto)
    assert_close(S.A, A, 1e-13)
    assert_close(S.toarray(), schur(A, X, C, eps), 1e-10, max(norm(A), 1e-300))
    assert len(S.labels) == S.shape[0] == len(A)


@given(operators(BLOCKS, eps=[0], gamma=("bound", "less")))
def test_pseudo_inverse_limit(S):
    """eps = 0 is A - X C^+ X^T."""
    A, X, C = S.split()
    values = eigenvalues(C)
    top = max(values.max(initial=0.0), 1e-300)
    assume(not ((values > 1e-12 * top) & (values < 1e-5 * top)).any())
    assert_close(S.toarray(), schur(A, X, C, 0), 1e-9, scale_of(S))


def test_pseudo_inverse_limit_is_reached_slowly():
    """C with eigenvalues from 1e-5 to 40: refinement gains little a step, but gets there."""
    weights = [1.753, 1.227, 1.296, 1.311, 2.966, 2.008, 2.121, 1.191]
    weights += [2.136, 0.632, 0.44, 2.596, 0.324, 2.943, 2.533]
    faces = ["013", "014", "023", "024", "025", "034", "124", "134", "234", "245"]
    cells = {1: list(combinations("012345", 2)), 2: [tuple(face) for face in faces]}
    K = cl.Complex.from_cells({0: "012345", **cells}, weights={1: weights})
    kwargs = {"realization": "mixed", "beta": (2.5, 1.0)}
    gamma = 0.9 * cl.collapse(K, **kwargs).bound
    S = cl.collapse(K, **kwargs, gamma=gamma, eps=0)
    assert 1e-6 < eigenvalues(S.split()[2])[0] < 1e-5
    assert_close(S.toarray(), schur(*S.split(), 0), 1e-9, scale_of(S))


@given(operators(BLOCKS, eps=[1e-4, 1e-2, 1.0]), st.integers(0, 3), seeds)
def test_direct_against_conjugate_gradients(S, onto, seed):
    """Ladders and Algorithm 1 of the paper apply the same operator and complete alike."""
    onto = min(onto, S.source.max_rank)
    assume(onto == 0 or S.chain.incidence.n_formal[onto] == 0)
    kwargs = {
        "realization": S.realization, "beta": S.beta, "gamma": S.gamma, "eps": S.eps, "onto": onto,
    }  # fmt: skip
    direct = cl.collapse(S.source, **kwargs, solver=cl.Direct())
    iterative = cl.collapse(S.source, **kwargs, solver=cl.CG(rtol=1e-13))
    scale = scale_of(direct)
    assert_close(direct.toarray(), iterative.toarray(), 1e-9, scale)
    u = np.random.default_rng(seed).standard_normal((direct.shape[0], 2))
    one, other = direct.complete(u), iterative.complete(u)
    assert sorted(one) == sorted(other)
    size = max([np.abs(z).max(initial=0.0) for z in other.values()], default=0.0)
    for rank in one:
        assert_close(one[rank], other[rank], 1e-6, max(size, 1e-300))


@given(operators(), seeds)
def test_vectors_blocks_and_arrays(S, seed):
    """S @ x, S @ X, S.toarray(), S.diagonal(), S.T and S.energy tell the same story."""
    n = S.shape[0]
    X = np.random.default_rng(seed).standard_normal((n, 3))
    M, scale = S.toarray(), 10 * scale_of(S)
    assert (M == M.T).all()
    assert_close(S @ X, M @ X, 1e-11, scale)
    for j in range(3):
        assert_close(S @ X[:, j], M @ X[:, j], 1e-11, scale)
        assert_close(S.matvec(X[:, [j]]), M @ X[:, [j]], 1e-11, scale)
    assert_close(S.T @ X, M @ X, 1e-11, scale)
    assert_close(S.H @ X, M @ X, 1e-11, scale)
    assert_close(S.diagonal(), np.diag(M), 1e-11, scale)
    assert S.energy(X[:, 0]) == pytest.approx(X[:, 0] @ M @ X[:, 0], abs=1e-10 * scale)
    assert S.dtype == np.float64


@given(operators(), seeds)
def test_complete_of_many_columns(S, seed):
    """Columns are completed one by one or all at once with the same result."""
    U = np.random.default_rng(seed).standard_normal((S.shape[0], 3))
    together = S.complete(U)
    for j in range(3):
        alone = S.complete(U[:, j])
        assert sorted(alone) == sorted(together)
        for rank, z in alone.items():
            assert_close(together[rank][:, j], z, 1e-8, max(np.abs(z).max(initial=0.0), 1e-6))


# ---------------------------------------------------------------- two ways to the same matrices


@given(closed_or_weighted, st.sampled_from(SMALL_TO_LARGE))
def test_unfolded_fast_path_against_its_matrices(K, eps):
    """One number per edge, or all flags as given matrices: the same operator."""
    fast = cl.collapse(K, "unfolded", eps=eps)
    B = list(cl.unfolded_matrices(K))
    assume(B)
    slow = cl.collapse(B, eps=eps)
    assert str(slow.realization) == "given"
    assert_close(fast.gamma, slow.gamma, 1e-12)
    assert_close(fast.toarray(), slow.toarray(), 1e-10, scale_of(fast))
    kept = cl.collapse(cl.unfolded_matrices(K), eps=eps)
    assert_close(kept.toarray(), slow.toarray(), 1e-10, scale_of(fast))
    u = np.arange(K.n_vertices) ** 2.0
    for rank, z in slow.complete(u).items():
        assert_close(fast.complete(u)[rank], z, 1e-6, max(np.abs(z).max(initial=0.0), 1e-9))


@given(
    st.one_of(clique_complexes(), weighted(clique_complexes()), weighted(hypergraphs())),
    st.sampled_from(SMALL_TO_LARGE),
)
def test_unfolded_against_explicit_flags(K, eps):
    """The flags edge < face < ... listed one by one, in whatever order, give the same operator."""
    assume(K.max_rank > 0)
    B = cl.unfolded_matrices(K)
    listed = [dense(B[0]), *flags(K)]
    for M, expected in zip(B, listed, strict=True):
        assert M.shape == expected.shape
        assert (np.diff(sparse.csc_array(M).indptr) == 1).all() or M is B[0]
        assert_close(np.sort((M @ M.T).diagonal()), np.sort((expected @ expected.T).diagonal()))
    S = cl.collapse(K, "unfolded", eps=eps)
    sigma = [smallest_positive_singular_value(M) for M in listed]
    assert_close(S.gamma, np.where(np.isfinite(sigma), sigma, 0.0), 1e-12)
    L, start = graded(listed, S.beta, S.gamma)
    assert_close(S.toarray(), schur(*blocks(L, start), eps), 1e-10, scale_of(S))


def test_unfolding_leaves_out_what_no_edge_reaches():
    """One edge in the first of two faces; a cell above the second is in no flag."""
    B = [[[-1], [1]], [[1, 0]], [[2, 0], [0, 1]]]
    S = cl.collapse(B, realization="unfolded")
    assert_close(S.sigma, [np.sqrt(2), 1, 2], 1e-14)
    A, X, C = S.split()
    assert C.shape == (3, 3)
    assert_close(S.toarray(), schur(A, X, C, S.eps), 1e-12, 1.0)


@pytest.mark.parametrize("eps", [1e-12, 1e-10, 1e-8, 1e-4, 1.0])
@pytest.mark.parametrize("realization", ["unfolded", "boundary", "mixed", "screened"])
def test_constants_vanish_to_rounding(realization, eps):
    """Where M is as small as eps, only deflation keeps K^-1 1 = 1 to the last digits."""
    graph = nx.disjoint_union(karate(), nx.random_geometric_graph(300, 0.1, seed=1))
    S = cl.collapse(cl.clique_complex(graph, max_rank=3), realization=realization, eps=eps)
    assert np.abs(S @ np.ones(334)).max() < 1e-14


@given(combinatorial_complexes())
def test_incidence_against_pairwise_containment(K):
    B = cl.incidence_matrices(K)
    for k, M in enumerate(B, start=1):
        low, high = K.n_cells[k - 1], K.n_cells[k]
        assert_close(dense(M)[:low, :high], contained(K, k - 1, k))


@given(closed_or_weighted, st.sampled_from(["boundary", "incidence", "mixed"]))
def test_matrices_against_complex(K, realization):
    """A list of the matrices is as good as the complex they came from."""
    assume(K.max_rank > 0)
    B = BUILD[realization](K)
    S = cl.collapse(K, realization=realization)
    for source in (B, list(B), [dense(M) for M in B], tuple(sparse.coo_array(M) for M in B)):
        T = cl.collapse(source)
        assert_close(T.toarray(), S.toarray(), 1e-14, scale_of(S))
        assert T.n_cells == B.n_cells


@given(closed, st.sampled_from(["unfolded", "screened"]))
def test_unfolding_and_screening_of_given_matrices(K, realization):
    """Signed or unsigned matrices above the edges: only their pattern counts.

    A polygon with a chord holds an edge that is not part of its boundary, so simplices only.
    """
    assume(K.max_rank > 0 and K.is_simplicial)
    K = rebuilt(K, weights={})  # weights enter signed matrices in another way
    S = cl.collapse(K, realization=realization)
    for B in (cl.boundary_matrices(K), cl.mixed_matrices(K)):
        T = cl.collapse(list(B), realization=realization)
        assert_close(T.toarray(), S.toarray(), 1e-12, scale_of(S))


@given(clique_complexes())
def test_boundaries_against_the_formula(K):
    assume(K.is_simplicial)
    for k, M in enumerate(cl.boundary_matrices(K), start=1):
        assert_close(M, simplicial_boundary(K, k))


# ---------------------------------------------------------------- order of the vertices


@given(cases(("boundary", "incidence", "unfolded", "screened")), seeds, st.integers(0, 2))
def test_renumbering_permutes_S(case, seed, rounds):
    """Another order of the vertices gives the same operator in that order."""
    K, realization = case
    order = np.random.default_rng(seed).permutation(K.n_vertices)
    if realization == "screened":
        realization = cl.Screened(rounds=rounds)
    S, T = cl.collapse(K, realization), cl.collapse(rebuilt(K, order=order), realization)
    assert tuple(T.labels) == tuple(K.labels[v] for v in order)
    assert_close(T.toarray(), S.toarray()[np.ix_(order, order)], 1e-10, scale_of(S))


def test_renumbering_changes_mixed_and_says_so():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    order = np.random.default_rng(0).permutation(34)
    with pytest.warns(cl.CellapseWarning, match="order"):
        S = cl.collapse(K, realization="mixed", eps=0.1)
    with pytest.warns(cl.CellapseWarning, match="order"):
        T = cl.collapse(rebuilt(K, order=order), realization="mixed", eps=0.1)
    moved = norm(T.toarray() - S.toarray()[np.ix_(order, order)])
    assert moved > 1e-3 * norm(S.toarray() - dense(S.A))


@given(closed, seeds)
def test_order_of_cells_does_not_matter(K, seed):
    """Cells listed in another order are the same complex."""
    rng = np.random.default_rng(seed)
    cells = {}
    for k in range(1, K.max_rank + 1):
        listed = [c.tolist() for c in K.cells[k]]
        cells[k] = [listed[i] for i in rng.permutation(len(listed))]
    shuffled = cl.Complex.from_cells({0: range(K.n_vertices), **cells})
    plain = cl.Complex(K.labels, K.cells, (None,) * len(K.cells), ())
    for realization in REALIZATIONS:
        S, T = (cl.collapse(C, realization=realization) for C in (plain, shuffled))
        assert_close(T.toarray(), S.toarray(), 1e-11, scale_of(S))


# ---------------------------------------------------------------- spectra


def check_spectrum(S, spectrum, mass=None):
    """Values and vectors against a dense generalized eigenvalue problem."""
    M = S.toarray()
    D = np.eye(len(M)) if mass is None else np.diag(mass)
    expected = linalg.eigh(M, D, eigvals_only=True)[: len(spectrum)]
    scale = max(np.abs(expected).max(initial=0.0), norm(S.A) / D.diagonal().min(), 1e-300)
    assert_close(spectrum.values, expected, 1e-9, scale)
    V = spectrum.vectors
    assert_close(V.T @ D @ V, np.eye(len(spectrum)), 1e-7)
    left = np.linalg.norm(M @ V - D @ V * spectrum.values, axis=0)
    assert left.max(initial=0.0) <= 1e-6 * scale
    assert_close(spectrum.residuals, left, 1e-9, scale)
    assert (np.diff(spectrum.values) >= 0).all()
    # Signs: the entry of largest size is positive.
    largest = np.abs(V).max(axis=0)
    assert (V.max(axis=0) >= largest * (1 - 1e-5)).all()


@given(operators(), st.integers(1, 8), st.booleans(), seeds)
def test_spectrum_against_dense(S, k, generalized, seed):
    n = S.shape[0]
    k = min(k, n)
    mass = np.random.default_rng(seed).uniform(0.5, 3.0, n) if generalized else None
    spectrum = S.spectrum(k, mass=mass)
    assert len(spectrum) == k
    assert spectrum.vectors.shape == (n, k)
    check_spectrum(S, spectrum, mass)


@given(operators(), st.integers(1, 2))
def test_spectrum_by_shift_invert_against_dense(S, k):
    """The way of large operators, forced upon small ones."""
    n = S.shape[0]
    assume(n >= 4)
    k = min(k, n // 4)
    can = shift_inverse(S, np.ones(n), cl.Direct()) is not None
    solver = cl.ShiftInvert() if can else cl.Lanczos()
    try:
        spectrum = S.spectrum(k, solver=solver)
    except cl.ConvergenceError:  # by name it may decline: its factor holds 1 / eps
        assert S.eps < 1e-6
        return
    again = S.spectrum(k, solver=solver)
    check_spectrum(S, spectrum)
    # The same again, but for rounding: products of BLAS may depend on where the memory begins.
    assert_close(again.values, spectrum.values, 1e-9, scale_of(S))
    check_spectrum(S, again)


@pytest.mark.parametrize("realization", REALIZATIONS)
@pytest.mark.parametrize("gamma", ["bound", "regularized"])
@pytest.mark.parametrize("eps", [1e-6, 1e-2])
def test_spectrum_by_shift_invert_on_a_network(realization, gamma, eps):
    """Three pieces of different kinds and two lonely vertices: repeated zeros are all found."""
    pieces = [karate(), nx.cycle_graph(9), nx.complete_graph(7), nx.empty_graph(2)]
    K = cl.clique_complex(nx.disjoint_union_all(pieces), max_rank=3)
    S = cl.collapse(K, realization=realization, gamma=gamma, eps=eps)
    rng = np.random.default_rng(1)
    for mass in (None, rng.uniform(0.5, 3.0, 52)):
        spectrum = S.spectrum(12, mass=mass, solver=cl.ShiftInvert())
        assert spectrum.certified
        check_spectrum(S, spectrum, mass)
        # Signed: one zero per component; unsigned: per bipartite component (the lonely vertices).
        zeros = 2 if realization == "incidence" else 5
        assert spectrum.n_zeros == zeros
        assert (spectrum.values[:zeros] == 0).all()
        assert spectrum.values[zeros] > 0 or gamma == "regularized"


@pytest.mark.parametrize("realization", ["unfolded", "incidence", "screened"])
def test_spectrum_of_a_large_operator(realization):
    """1500 vertices in many components, past the size up to which spectra are dense."""
    graph = nx.random_geometric_graph(1500, 0.03, seed=3)
    n_components = nx.number_connected_components(graph)
    S = cl.collapse(cl.clique_complex(graph), realization=realization)
    k = n_components + 6
    spectrum = S.spectrum(k)
    assert spectrum.certified
    assert spectrum.solver != cl.Dense()
    expected = linalg.eigvalsh(S.toarray(), subset_by_index=(0, k - 1))
    scale = abs(S.A).sum(axis=0).max()
    assert_close(spectrum.values, expected, 1e-9, scale)
    assert spectrum.residuals.max() <= 1e-6 * scale
    if realization != "incidence":
        assert n_components > 10
        assert (spectrum.values[:n_components] == 0).all()
        assert spectrum.values[n_components] > 0
        assert (S.spectrum(3).values == 0).all()


@given(operators(("unfolded", "boundary", "screened")))
def test_spectrum_of_disconnected_complexes_has_exact_zeros(S):
    n_components = int(S.source.components().max()) + 1
    for k in {1, n_components, S.shape[0]}:
        spectrum = S.spectrum(k)
        zeros = min(k, n_components)
        assert (spectrum.values[:zeros] == 0).all()
        assert spectrum.n_zeros == n_components
        # Each zero vector is constant on a component and zero elsewhere, up to vertex weights.
        weights = S.source.weights[0]
        constant = np.ones(S.shape[0]) if weights is None else np.sqrt(weights)
        levels = spectrum.vectors[:, :zeros] / constant[:, None]
        component = S.source.components()
        for c in range(n_components):
            assert np.ptp(levels[component == c], axis=0).max(initial=0.0) < 1e-9


def test_spectrum_is_the_same_every_time():
    K = cl.clique_complex(nx.karate_club_graph(), max_rank=3, weight=None)
    first, second = (cl.collapse(K, "unfolded").spectrum(5) for _ in range(2))
    assert_close(first.values, second.values, 1e-12)
    assert_close(first.vectors, second.vectors, 1e-12)


@pytest.mark.parametrize("factor", [0.5, 3.0])
def test_spectrum_by_shift_invert_with_unchecked_gamma(monkeypatch, factor):
    """Beyond the bound S may be indefinite; its smallest eigenvalues are still the smallest."""
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    for realization in BLOCKS:
        bound = cl.collapse(K, realization=realization).gamma
        S = cl.collapse(K, realization=realization, gamma=cl.Unchecked(factor * bound))
        with monkeypatch.context() as patch:
            patch.setattr("cellapse._linalg.eigen.auto.DENSE", 0)
            values = S.spectrum(6).values
        assert_close(values, eigenvalues(S.toarray())[:6], 1e-9, norm(S.A))
    S = cl.collapse(K, realization="screened", gamma=cl.Unchecked(factor))
    monkeypatch.setattr("cellapse._linalg.eigen.auto.DENSE", 0)
    assert_close(S.spectrum(6).values, eigenvalues(S.toarray())[:6], 1e-9, norm(S.A))


# ---------------------------------------------------------------- singular values and kernels


@given(cases(BLOCKS))
def test_smallest_singular_value(case):
    K, realization = case
    for M in BUILD[realization](K):
        expected = smallest_positive_singular_value(M)
        assert sigma_min(M) == pytest.approx(expected, rel=1e-9)


@given(cases(BLOCKS))
def test_smallest_singular_value_by_lanczos(case):
    """The way of large matrices, forced upon small ones."""
    K, realization = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cellapse._linalg.sigma.DENSE_SIGMA", 12)
        for M in BUILD[realization](K):
            expected = smallest_positive_singular_value(M)
            assert sigma_min(M) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n", [4, 9, 18])
@pytest.mark.parametrize("kind", ["boundary", "incidence"])
def test_smallest_singular_value_of_complete_graphs(monkeypatch, n, kind):
    """Signed B_2 of K_n has all its positive singular values at n^1/2, and a large kernel."""
    K = cl.clique_complex(nx.complete_graph(n))
    monkeypatch.setattr("cellapse._linalg.sigma.DENSE_SIGMA", 0)
    for M in BUILD[kind](K):
        expected = smallest_positive_singular_value(M)
        assert sigma_min(M) == pytest.approx(expected, rel=1e-8)
        if kind == "boundary":
            assert expected == pytest.approx(np.sqrt(n))


def test_smallest_singular_value_of_a_network(monkeypatch):
    K = cl.clique_complex(nx.karate_club_graph(), max_rank=4, weight=None)
    monkeypatch.setattr("cellapse._linalg.sigma.DENSE_SIGMA", 12)
    for kind in BUILD:
        for M in BUILD[kind](K):
            expected = smallest_positive_singular_value(M)
            assert sigma_min(M) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("weight", [1e-6, 1e-9, 1e-12])
def test_smallest_singular_value_of_a_faint_edge(weight):
    """Path a - b - c with weights 1 and w << 1: 1 + w - (1 - w + w^2)^1/2 = 3 w/2 + ..."""
    edges = [("a", "b"), ("b", "c")]
    K = cl.Complex.from_cells({1: edges}, weights={1: [1.0, weight]})
    sigma = sigma_min(cl.boundary_matrices(K)[0])
    assert sigma**2 == pytest.approx(1.5 * weight, rel=1e-3, abs=0)
    values = eigenvalues(cl.collapse(K, "unfolded").toarray())
    assert values[0] > -1e-15


def test_smallest_singular_value_of_nothing():
    assert sigma_min(sparse.csr_array((4, 0))) == np.inf
    assert sigma_min(sparse.csr_array((4, 3))) == np.inf
    assert sigma_min(sparse.csr_array(np.zeros((2, 2)))) == np.inf


@st.composite
def two_entry_matrices(draw):
    """Columns with none, one or two entries of any size and sign, repeated columns included."""
    n, m = draw(st.integers(1, 7)), draw(st.integers(0, 9))
    rng = np.random.default_rng(draw(seeds))
    B = np.zeros((n, m))
    for j in range(m):
        ends = rng.choice(n, size=min(n, draw(st.integers(0, 2))), replace=False)
        B[ends, j] = rng.choice([-2.0, -1.0, 1.0, 1.5], size=len(ends))
    return B


@settings(max_examples=150)
@given(two_entry_matrices())
def test_left_kernel(B):
    """Orthonormal columns, disjoint support, mapped to zero, and as many as the rank says."""
    P = dense(left_kernel(sparse.csr_array(B)))
    rank = np.linalg.matrix_rank(B) if B.size else 0
    assert P.shape == (len(B), len(B) - rank)
    assert_close(P.T @ P, np.eye(P.shape[1]), 1e-12)
    assert np.abs(B.T @ P).max(initial=0.0) < 1e-12
    assert ((P != 0).sum(axis=1) <= 1).all()


@given(plain_graphs())
def test_left_kernel_of_graphs(graph):
    """Signed edges: one vector per component. Unsigned: one per bipartite component."""
    K = cl.clique_complex(graph, max_rank=1)
    assume(len(K.cells[1]))
    pieces = [graph.subgraph(c) for c in nx.connected_components(graph)]
    assert left_kernel(cl.boundary_matrices(K)[0]).shape[1] == len(pieces)
    assert left_kernel(cl.incidence_matrices(K)[0]).shape[1] == sum(map(nx.is_bipartite, pieces))


def test_left_kernel_is_unknown_for_larger_columns():
    assert left_kernel(sparse.csr_array(np.ones((3, 1)))) is None


@st.composite
def narrowing_matrices(draw):
    """The same with columns of three and four entries."""
    B = draw(two_entry_matrices())
    rng = np.random.default_rng(draw(seeds))
    for j in range(B.shape[1] // 2):
        ends = rng.choice(len(B), size=min(len(B), draw(st.integers(3, 4))), replace=False)
        B[ends, j] = rng.choice([-1.0, 1.0, 1.5], size=len(ends))
    return B


@settings(max_examples=300)
@given(narrowing_matrices())
def test_left_kernel_in_rounds(B):
    """Where it is told, it is the kernel, by columns of disjoint support."""
    told = left_kernel_in_rounds(sparse.csr_array(B))
    assume(told is not None)
    P, rank = dense(told), np.linalg.matrix_rank(B) if B.size else 0
    assert P.shape == (len(B), len(B) - rank)
    assert_close(P.T @ P, np.eye(P.shape[1]), 1e-12)
    assert np.abs(B.T @ P).max(initial=0.0) < 1e-12
    assert ((P != 0).sum(axis=1) <= 1).all()


def test_left_kernel_in_rounds_by_hand():
    """x + y = 0 and y + z = 0 leave (1, -1, 1); then x + y + z + w = 0 says w = -x."""
    B = sparse.csr_array([[1.0, 0, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1]])
    assert left_kernel(B) is None
    assert_close(dense(left_kernel_in_rounds(B)).ravel(), np.array([1, -1, 1, -1]) / 2, 1e-15)
    assert left_kernel_in_rounds(sparse.csr_array(np.ones((3, 1)))) is None
    assert left_kernel_in_rounds(sparse.csr_array((0, 2))).shape == (0, 0)


def test_smallest_singular_value_of_a_mesh_with_separating_triangles(monkeypatch):
    """A vertex of degree three makes a triangle of its neighbours, whose edges are in three."""
    triangles = Delaunay(np.random.default_rng(2).random((60, 2))).simplices
    K = cl.clique_complex(np.concatenate([triangles[:, [i, i - 1]] for i in range(3)]))
    M = cl.incidence_matrices(K)[1]
    assert np.diff(M.indptr).max() > 2
    expected = smallest_positive_singular_value(M)
    monkeypatch.setattr("cellapse._linalg.sigma.DENSE_SIGMA", 0)
    assert sigma_min(M) == pytest.approx(expected, rel=1e-10)


# ---------------------------------------------------------------- other libraries


@given(clique_complexes())
def test_cliques_against_networkx(K):
    graph = nx.empty_graph(K.n_vertices)
    graph.add_edges_from(c.tolist() for cells in K.cells[1:2] for c in cells)
    lifted = cl.clique_complex(graph, max_rank=4)
    found = {frozenset(c.tolist()) for cells in lifted.cells for c in cells}
    expected = {frozenset(c) for c in nx.enumerate_all_cliques(graph) if len(c) <= 5}
    assert found == expected
    assert sum(lifted.n_cells) == len(expected)


@given(clique_complexes())
def test_betti_numbers_against_gudhi(K):
    assume(K.is_simplicial)
    tree = gudhi.SimplexTree()
    for cells in K.cells:
        for cell in cells:
            tree.insert(cell.tolist())
    tree.compute_persistence(homology_coeff_field=101, persistence_dim_max=True)
    betti = list(tree.betti_numbers())
    assert K.betti_numbers() == tuple(betti + [0] * (K.max_rank + 1 - len(betti)))


def rows_and_columns(K, k, row_cells, column_cells):
    """Where the cells of another library stand in ours, by their vertices."""
    low = {frozenset(c.tolist()): i for i, c in enumerate(K.cells[k - 1])}
    high = {frozenset(c.tolist()): i for i, c in enumerate(K.cells[k])}
    return [low[c] for c in row_cells], [high[c] for c in column_cells]


@settings(max_examples=20)
@given(clique_complexes(max_rank=3))
def test_boundaries_against_toponetx(K):
    """Their simplices ascend as well, so even the signs are the same."""
    assume(K.is_simplicial and K.max_rank > 0 and K.n_cells[1] > 0)
    cells = [c.tolist() for level in K.cells for c in level]
    other = tnx.SimplicialComplex(cells)
    for k, M in enumerate(cl.boundary_matrices(K), start=1):
        if not K.n_cells[k]:
            continue
        rows, columns, theirs = other.incidence_matrix(k, signed=True, index=True)
        at = rows_and_columns(K, k, map(frozenset, rows), map(frozenset, columns))
        assert_close(dense(M)[np.ix_(*at)], theirs)


@settings(max_examples=20)
@given(polygon_complexes())
def test_polygons_against_toponetx(K):
    """Up to the direction in which each of the two walks."""
    assume(K.n_cells[2] > 0)
    other = tnx.CellComplex()
    for v in range(K.n_vertices):
        other.add_node(v)
    for edge in K.cells[1]:
        other.add_edge(*edge.tolist())
    for cell in K.cells[2]:
        other.add_cell(cell.tolist(), rank=2)
    rows, columns, theirs = other.incidence_matrix(2, signed=True, index=True)
    at = rows_and_columns(K, 2, map(frozenset, rows), map(frozenset, columns))
    ours, theirs = dense(cl.boundary_matrices(K)[1])[np.ix_(*at)], dense(theirs)
    same = (ours == theirs).all(axis=0)
    turned = (ours == -theirs).all(axis=0)
    assert (same | turned).all()


@settings(max_examples=20)
@given(combinatorial_complexes())
def test_incidence_against_toponetx(K):
    """Theirs knows containment between any two ranks; ours agrees on adjacent ones."""
    other = tnx.CombinatorialComplex()
    for v in range(K.n_vertices):
        other.add_cell([v], rank=0)
    for k in range(1, K.max_rank + 1):
        other.add_cells_from([c.tolist() for c in K.cells[k]], ranks=k)
    for k, M in enumerate(cl.incidence_matrices(K), start=1):
        if not (K.n_cells[k - 1] and K.n_cells[k]):
            continue
        rows, columns, theirs = other.incidence_matrix(k - 1, k, index=True)
        at = rows_and_columns(K, k, map(frozenset, rows), map(frozenset, columns))
        assert_close(dense(M)[np.ix_(*at)], theirs)


@settings(max_examples=20)
@given(clique_complexes(max_rank=3))
def test_boundaries_against_xgi(K):
    """Up to the orientation of cells: B_k -> R_{k-1} B_k R_k with signs R, found from B_1 up."""
    assume(K.is_simplicial and K.max_rank > 0 and K.n_cells[1] > 0)
    other = xgi.SimplicialComplex()
    other.add_nodes_from(range(K.n_vertices))
    other.add_simplices_from([c.tolist() for level in K.cells[1:] for c in level])
    members = other.edges.members(dtype=dict)
    signs = np.ones(K.n_vertices)
    for k, M in enumerate(cl.boundary_matrices(K), start=1):
        if not K.n_cells[k]:
            break
        theirs, rows, columns = xgi.boundary_matrix(other, order=k, index=True)
        low = [frozenset({v}) for v in rows.values()] if k == 1 else map(members.get, rows.values())
        at = rows_and_columns(K, k, low, map(members.get, columns.values()))
        ours = dense(M)[np.ix_(*at)]
        theirs = np.asarray(theirs) * signs[at[0]][:, None]
        turn = np.sign((ours * theirs).sum(axis=0))
        assert_close(ours, theirs * turn)
        signs = np.ones(K.n_cells[k])
        signs[at[1]] = turn


@given(hypergraphs())
def test_multiplicity_merges_to_the_same_cells(K):
    """A hypergraph given by its own hyperedges again is itself."""
    again = cl.hypergraph_complex(
        [c.tolist() for k in (1, 2) for c in K.cells[k]], vertices=range(K.n_vertices)
    )
    assert [set(map(tuple, c)) for c in again.cells] == [set(map(tuple, c)) for c in K.cells]


@pytest.mark.parametrize("realization", REALIZATIONS)
@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_other_weights_are_another_collapse(realization):
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    screened = realization == "screened"
    gamma = 0.5 if screened else (0.1, 0.05)
    expected = cl.collapse(K, realization=realization, beta=(1, 2), gamma=gamma, eps=1e-2)
    found = cl.collapse(K, realization=realization).reweighted((1, 2), gamma, 1e-2)
    assert np.allclose(found.toarray(), expected.toarray(), atol=1e-12)
    assert np.allclose(pickle.loads(pickle.dumps(found)).toarray(), expected.toarray(), atol=1e-12)
    with pytest.raises(cl.InputError):
        found.reweighted((1, 2), 50.0, 1e-2)
