"""The statements of the paper and the facts the design rests on, each on random complexes."""

import warnings
from functools import reduce
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import (
    assert_close,
    blocks,
    conductance,
    contained,
    dense,
    edge_expansion,
    eigenvalues,
    graded,
    is_psd,
    norm,
    schur,
    simplicial_boundary,
)
from scipy import linalg
from strategies import (
    BLOCKS,
    cases,
    clique_complexes,
    closed_or_weighted,
    combinatorial_complexes,
    graphs,
    hypergraphs,
    operators,
    plain_graphs,
    seeds,
    weighted,
    weights_beta,
)

import cellapse as cl
from cellapse._linalg.eigen.inertia import shift_inverse

BUILD = {
    "unfolded": cl.unfolded_matrices,
    "boundary": cl.boundary_matrices,
    "incidence": cl.incidence_matrices,
    "mixed": cl.mixed_matrices,
}
# Signed B_1: constants lie in the kernel.
SIGNED = ("unfolded", "boundary", "mixed", "screened")


@st.composite
def graded_laplacians(draw):
    """L* of any realization, with random beta and gamma at the bound or below."""
    K, realization = draw(cases(BLOCKS))
    B = BUILD[realization](K)
    assume(len(B) > 0)
    beta = draw(st.lists(weights_beta, min_size=len(B), max_size=len(B)))
    L = cl.graded_laplacian(B, beta=beta)
    if draw(st.booleans()):
        L = cl.graded_laplacian(
            B, beta=beta, gamma=L.gamma * draw(st.sampled_from([0.0, 0.3, 0.9]))
        )
    return L


def assume_gap(S):
    """Leave out the rare C whose least positive eigenvalue is hard to tell from zero."""
    values = eigenvalues(S.split()[2])
    scale = max(values.max(initial=0.0), 1e-300)
    assume(not ((values > 1e-11 * scale) & (values < 1e-5 * scale)).any())


# ---------------------------------------------------------------- the graded Laplacian


@given(graded_laplacians())
def test_def_graded_laplacian(L):
    """L* is what its definition says, block by block, and symmetric."""
    expected, start = graded(L.incidence, L.beta, L.gamma)
    assert_close(L.matrix, expected, 1e-14)
    assert_close(L.matrix, L.matrix.T, 1e-15)
    for onto in range(len(L.incidence) + 1):
        for given_block, block in zip(L.split(onto), blocks(expected, start, onto), strict=True):
            assert_close(given_block, block, 1e-14)


@given(clique_complexes())
def test_def_graded_laplacian_has_hodge_blocks(K):
    """D_k is the Hodge Laplacian when all beta are 1."""
    assume(K.is_simplicial)
    L = cl.graded_laplacian(cl.boundary_matrices(K))
    B = [simplicial_boundary(K, k) for k in range(1, K.max_rank + 1)]
    for k in range(K.max_rank + 1):
        hodge = np.zeros((K.n_cells[k], K.n_cells[k]))
        if k > 0:
            hodge += B[k - 1].T @ B[k - 1]
        if k < K.max_rank:
            hodge += B[k] @ B[k].T
        assert_close(L.block(k, k), hodge, 1e-15)


@given(graded_laplacians())
def test_thm_psd(L):
    """L* >= 0 when gamma_k <= beta_{k+1} sigma_min+(B_{k+1})."""
    assert is_psd(L.matrix)


@given(graphs(min_vertices=2), st.sampled_from(BLOCKS), weights_beta)
def test_thm_psd_is_sharp_for_one_matrix(K, realization, beta):
    """One percent beyond the bound a graph has an indefinite L*."""
    assume(K.n_cells[1] > 0)
    B = BUILD[realization](K)
    bound = cl.graded_laplacian(B, beta=beta).gamma
    with pytest.warns(cl.CellapseWarning, match="indefinite"):
        L = cl.graded_laplacian(B, beta=beta, gamma=cl.Unchecked(1.01 * bound))
    assert eigenvalues(L.matrix)[0] < -1e-4 * beta * norm(L.block(0, 0)) * 1e-2


@given(cases(("unfolded", "boundary", "incidence")), seeds)
def test_block_diagonalization(case, seed):
    """L* of a complex in several components is the direct sum of theirs, up to order."""
    K, realization = case
    B = BUILD[realization](K)
    assume(len(B) > 0)
    L = cl.graded_laplacian(B)
    expected, start = graded(B, L.beta, L.gamma)
    component = _components_of_elements(B, K.components(), start)
    apart = component[:, None] != component[None, :]
    assert (dense(L.matrix)[apart] == 0).all()
    # Each block is the graded Laplacian of the component alone, with the weights of the whole.
    for c in range(K.components().max() + 1):
        keep = component == c
        parts = [keep[start[k] : start[k + 1]] for k in range(len(B) + 1)]
        alone = [dense(M)[np.ix_(parts[k], parts[k + 1])] for k, M in enumerate(B)]
        assert_close(expected[np.ix_(keep, keep)], graded(alone, L.beta, L.gamma)[0], 1e-13)
    # The collapsed operator falls apart in the same way.
    S = cl.collapse(K, realization=realization).toarray()
    vertices = K.components()
    assert np.abs(S[vertices[:, None] != vertices[None, :]]).max(initial=0.0) <= 1e-12 * norm(S)


def _components_of_elements(B, vertices, start):
    """Component of every element of every rank, handed up from the rank below."""
    component = [vertices]
    for M in B:
        entries = M.tocoo()
        above = np.full(M.shape[1], -1)
        above[entries.col] = component[-1][entries.row]
        component.append(above)
    return np.concatenate(component)


@given(closed_or_weighted)
def test_boundaries_are_a_chain_complex(K):
    """B_k B_{k+1} = 0, weighted or not."""
    B = cl.boundary_matrices(K)
    assert not len(B) or cl.is_chain_complex(B)
    for low, high in zip(B.matrices[:-1], B.matrices[1:], strict=True):
        assert norm(low @ high) <= 1e-13 * max(norm(low) * norm(high), 1.0)


# ---------------------------------------------------------------- rank completion


@given(combinatorial_complexes())
def test_def_rank_completion_preserves_reachability(K):
    """x lies inside y if and only if a chain of adjacent relations leads from x to y."""
    B = [dense(M) for M in cl.incidence_matrices(K)]
    for low, high in combinations(range(K.max_rank + 1), 2):
        chains = reduce(np.matmul, B[low:high])
        reached = chains[: K.n_cells[low], : K.n_cells[high]] > 0
        assert (reached == (contained(K, low, high) > 0)).all()


@given(combinatorial_complexes())
def test_def_rank_completion_keeps_adjacent_relations(K):
    """Real cells keep their entries; a formal element has one element below and one above."""
    B = cl.incidence_matrices(K)
    for k in range(1, K.max_rank + 1):
        M = dense(B[k - 1])
        low, high = K.n_cells[k - 1], K.n_cells[k]
        assert (M[:low, :high] == contained(K, k - 1, k)).all()
        assert set(np.unique(M)) <= {0.0, 1.0}
        assert (M[:, high:].sum(axis=0) == 1).all()
        assert (M[low:].sum(axis=1) == 1).all()
    assert B.n_formal[0] == B.n_formal[-1] == 0
    assert B.n_cells == tuple(np.add(K.n_cells, B.n_formal))


@given(combinatorial_complexes())
def test_def_rank_completion_adds_no_more_than_needed(K):
    """A chain for each relation that skips ranks with nothing between, and for no other."""
    expected = [0] * (K.max_rank + 1)
    for low, high in combinations(range(K.max_rank + 1), 2):
        if high == low + 1:
            continue
        direct = contained(K, low, high) > 0
        for between in range(low + 1, high):
            direct &= ~(contained(K, low, between) @ contained(K, between, high) > 0)
        for k in range(low + 1, high):
            expected[k] += int(direct.sum())
    assert cl.incidence_matrices(K).n_formal == tuple(expected)


# ---------------------------------------------------------------- the collapsed operator


@given(operators())
def test_prop_spectral_bounds(S):
    """0 <= S <= A in the Loewner order."""
    A, M = dense(S.A), S.toarray()
    assert is_psd(M, norm(A))
    assert is_psd(A - M, norm(A))


@given(operators(BLOCKS, eps=[0], gamma=("bound", "less")))
def test_prop_spectral_bounds_without_eps(S):
    """The same for the pseudo-inverse limit, at the bound of thm:psd."""
    assume_gap(S)
    A, M = dense(S.A), S.toarray()
    assert is_psd(M, norm(A), 1e-9)
    assert is_psd(A - M, norm(A), 1e-9)


@given(operators(), st.integers(0, 3))
def test_prop_spectral_bounds_on_any_rank(S, onto):
    """0 <= S <= A holds for whichever rank is kept."""
    assume(not S.realization.edgewise and 0 < onto <= S.source.max_rank)
    assume(S.chain.incidence.n_formal[onto] == 0)
    T = cl.collapse(S.source, realization=S.realization, eps=S.eps, onto=onto)
    A, M = dense(T.A), T.toarray()
    assert is_psd(M, norm(A))
    assert is_psd(A - M, norm(A))


@given(operators())
def test_cor_eigenvalue_interlacing(S):
    """lambda_k(S) <= lambda_k(A); vectors that X^T maps to zero feel no correction."""
    A, X, _ = S.split()
    scale = max(norm(A), 1e-300)
    assert (eigenvalues(S.toarray()) <= eigenvalues(A) + 1e-12 * scale).all()
    unaffected = linalg.null_space(dense(X).T) if X.shape[1] else np.eye(len(S.labels))
    assert_close(S @ unaffected, A @ unaffected, 1e-12, scale)


@given(operators(SIGNED, eps=[0.1]), seeds)
def test_cor_effective_resistance(S, seed):
    """The conductance min {x^T S x : x_i - x_j = 1} between two vertices is at most that of A."""
    A, M = dense(S.A), S.toarray()
    rng = np.random.default_rng(seed)
    assume(len(A) > 1)
    i, j = rng.choice(len(A), 2, replace=False)
    through_S, x = conductance(M, i, j)
    through_A, y = conductance(A, i, j)
    tol = 1e-9 * max(norm(A), 1.0)
    assert x[i] - x[j] == pytest.approx(1.0)
    assert y[i] - y[j] == pytest.approx(1.0)
    assert through_S <= through_A + tol
    other = rng.standard_normal(len(A))  # what was found is indeed the least
    other /= other[i] - other[j]
    assert through_S <= other @ M @ other + tol
    assert through_A <= other @ A @ other + tol


@given(plain_graphs(min_vertices=2, max_vertices=7), st.sampled_from(SIGNED), st.booleans())
def test_rem_cheeger(graph, realization, small):
    """lambda_2(S) <= lambda_2(A) <= 2 h(G), with h by trying every set of vertices."""
    S = cl.collapse(
        cl.clique_complex(graph, max_rank=3), realization=realization, eps=1e-4 if small else 1.0
    )
    second_S, second_A = eigenvalues(S.toarray())[1], eigenvalues(S.A)[1]
    assert second_S <= second_A + 1e-12
    assert second_A <= 2 * edge_expansion(graph) + 1e-12


@given(graded_laplacians())
def test_kernel_of_C_lies_in_kernel_of_X(L):
    """ker C is contained in ker X, so that holes do not contribute at the vertices."""
    _, X, C = (dense(M) for M in L.split())
    assume(len(C))
    values, vectors = linalg.eigh(C)
    kernel = vectors[:, values <= 1e-12 * max(values[-1], 1e-300)]
    assert norm(X @ kernel) <= 1e-5 * max(norm(X), 1e-300)


@given(operators(BLOCKS, eps=[0], gamma=("bound", "less")), st.sampled_from([1e-6, 1e-3, 0.1, 1.0]))
def test_prop_regularization_error(limit, eps):
    """||S_eps - S_dagger|| <= eps ||X||^2 / (lambda_+ (lambda_+ + eps))."""
    assume_gap(limit)
    S = cl.collapse(
        limit.source, realization=limit.realization, beta=limit.beta, gamma=limit.gamma, eps=eps
    )
    _, X, C = S.split()
    values = eigenvalues(C)
    positive = values[values > 1e-10 * max(norm(C), 1e-300)]
    error = norm(S.toarray() - limit.toarray())
    tol = 1e-10 * max(norm(S.A), 1e-300)
    if not len(positive):
        assert norm(X) == 0
        assert error <= tol
        return
    least = positive[0]
    assert error <= eps * norm(X) ** 2 / (least * (least + eps)) + tol


@given(operators(BLOCKS, eps=[0], gamma=("less",)))
def test_prop_regularization_error_vanishes(limit):
    """S_eps -> S_dagger as eps -> 0, and S_eps only falls on the way."""
    assume_gap(limit)
    A, X, C = limit.split()
    assert_close(limit.toarray(), schur(A, X, C, 0), 1e-8, max(norm(A), 1e-300))
    kwargs = {"realization": limit.realization, "beta": limit.beta, "gamma": limit.gamma}
    below = limit.toarray()
    for eps in (1e-6, 1e-3, 1.0):
        S = cl.collapse(limit.source, eps=eps, **kwargs).toarray()
        assert is_psd(S - below, max(norm(A), 1e-300), 1e-9)
        below = S


@given(operators(), seeds)
def test_minimal_energy(S, seed):
    """u^T S u is the energy of (u, z) once z has relaxed, and complete(u) is that z."""
    rng = np.random.default_rng(seed)
    A, X, C = S.split()
    C = dense(C) + S.eps * np.eye(C.shape[0])
    u = rng.standard_normal(A.shape[0])

    def energy(z):
        return u @ (A @ u) + 2 * u @ (X @ z) + z @ (C @ z)

    by_rank = S.complete(u)
    z = np.concatenate([by_rank[k] for k in sorted(by_rank)] or [np.zeros(0)])
    scale = max(u @ (A @ u), 1e-300)
    assert energy(z) == pytest.approx(S.energy(u), abs=1e-9 * scale)
    assert np.linalg.norm(C @ z + X.T @ u) <= 1e-9 * max(np.linalg.norm(X.T @ u), 1e-300)
    for size in (1e-3, 1.0):
        other = z + size * rng.standard_normal(len(z))
        assert energy(other) >= energy(z) - 1e-9 * max(scale, size**2)


@given(operators(SIGNED, eps=[1e-2], gamma=("bound", "less")))
def test_multiplicity_of_zero_is_the_number_of_components(S):
    """With signed edges and eps > 0 nothing but the components lies in the kernel."""
    n_components = S.source.components().max() + 1
    values = eigenvalues(S.toarray())
    assert int((values < 1e-9).sum()) == n_components
    spectrum = S.spectrum()
    assert spectrum.n_zeros == n_components
    assert (spectrum.values[:n_components] == 0).all()


# ---------------------------------------------------------------- FINDINGS, section 1


@given(operators(BLOCKS, eps=[1e-4, 1e-2, 1.0]))
def test_recursion(S):
    """T_k = beta B B^T - gamma^2 G (I + beta G)^-1 from the top rank down ends in S."""
    B = [dense(M) for M in S.chain.incidence]
    T = np.zeros((B[-1].shape[1],) * 2)
    for M, beta, gamma in zip(B[::-1], S.beta[::-1], S.gamma[::-1], strict=True):
        if not M.size:
            T = np.zeros((len(M), len(M)))
            continue
        G = M @ linalg.solve(S.eps * np.eye(len(T)) + T, M.T, assume_a="sym")
        T = beta * M @ M.T - gamma**2 * G @ np.linalg.inv(np.eye(len(G)) + beta * G)
        T = (T + T.T) / 2
    assert_close(S.toarray(), T, 1e-10, max(norm(S.A), 1e-300))


@given(operators(("boundary",)))
def test_signed_boundaries_faces_drop_out(S):
    """S = f(L) with f(x) = x - gamma_0^2 x / (beta_1 x + eps) for x of beta_1 L, faces or not."""
    L, beta, gamma = dense(S.A) / S.beta[0], S.beta[0], S.gamma[0]
    x, V = linalg.eigh(L)
    x[x < 1e-12 * x[-1]] = 0.0
    f = beta * x - gamma**2 * x / (beta * x + S.eps)
    scale = max(norm(S.A), 1e-300)
    assert_close(S.toarray(), (V * f) @ V.T, 1e-12, scale)
    edges = S.source.skeleton(min(1, S.source.max_rank))
    bare = cl.collapse(edges, realization="boundary", beta=beta, gamma=gamma, eps=S.eps)
    assert_close(S.toarray(), bare.toarray(), 1e-13, scale)


@pytest.mark.parametrize("realization", BLOCKS)
def test_signed_boundaries_are_announced(realization):
    """Only who asks for signed boundaries of faces is told that faces drop out."""
    K = cl.clique_complex(nx.complete_graph(4))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cl.collapse(K, realization=realization)
    told = any("signed boundaries" in str(w.message) for w in caught)
    assert told == (realization == "boundary")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cl.collapse(K.skeleton(1), realization=realization)


@given(operators(BLOCKS))
def test_correction_is_at_most_c(S):
    """||S - A|| <= gamma_0^2 / beta_1; at the bound that is the least positive eigenvalue of A."""
    c = S.gamma[0] ** 2 / S.beta[0]
    assert norm(S.toarray() - dense(S.A)) <= c * (1 + 1e-10) + 1e-12 * norm(S.A)


@given(operators(("unfolded", "boundary", "incidence", "mixed"), gamma=("bound",)))
def test_bound_is_the_least_positive_eigenvalue_of_A(S):
    """gamma_0^2 / beta_1 = beta_1 sigma_min+(B_1)^2."""
    values = eigenvalues(S.A)
    positive = values[values > 1e-9 * max(norm(S.A), 1e-300)]
    assume(len(positive))
    assert S.gamma[0] ** 2 / S.beta[0] == pytest.approx(positive[0], rel=1e-9)


@given(operators(gamma=("regularized",)))
def test_regularized_bound_keeps_S_psd(S):
    """gamma_k^2 = beta_{k+1} (beta_{k+1} sigma^2 + eps): the eps in C pays for the larger gamma."""
    if not S.realization.edgewise:
        expected = np.sqrt(S.beta * (S.beta * S.sigma**2 + S.eps))
        assert_close(S.gamma, np.where(np.isfinite(expected), expected, 0.0), 1e-14)
    assert is_psd(S.toarray(), max(norm(S.A), 1e-300))


@given(graphs(min_vertices=2), weights_beta, st.sampled_from([1e-2, 1.0]))
def test_regularized_bound_is_sharp_for_graphs(K, beta, eps):
    """One percent beyond it, S has a negative eigenvalue."""
    assume(K.n_cells[1] > 0)
    S = cl.collapse(K, "unfolded", beta=beta, eps=eps, gamma="regularized")
    T = cl.collapse(K, "unfolded", beta=beta, eps=eps, gamma=cl.Unchecked(1.01 * S.gamma))
    assert eigenvalues(T.toarray())[0] < -1e-3 * S.beta[0] * S.sigma[0] ** 2


@given(operators(("mixed", "unfolded"), gamma=("bound", "less")))
def test_faces_raise_S(S):
    """S(with faces) - S(edges only, same gamma_0) is positive semi-definite."""
    assume(S.source.max_rank > 1)
    edges = cl.collapse(
        S.source.skeleton(1), realization=S.realization,
        beta=S.beta[0], gamma=S.gamma[0], eps=S.eps,
    )  # fmt: skip
    assert is_psd(S.toarray() - edges.toarray(), max(norm(S.A), 1e-300))


@given(operators(("screened",)))
def test_screened_is_a_graph_laplacian_below_A(S):
    """Shares lie between 0 and 1; S has the pattern of A."""
    assert (S.shares >= -1e-15).all()
    assert (S.shares <= 1).all()
    if S.source.weights[0] is None:
        assert np.abs(S @ np.ones(S.shape[0])).max() <= 1e-13 * max(norm(S.A), 1e-300)
    pattern = dense(S.A) != 0
    assert (dense(S.tocsr())[~pattern] == 0).all()


@given(operators(("unfolded", "boundary", "incidence", "mixed"), gamma=("bound",)), seeds)
def test_shift_inverse_is_a_block_of_the_inverse(S, seed):
    """(S - s D)^-1 is the vertex block of (L*_eps - s D_0)^-1."""
    rng = np.random.default_rng(seed)
    mass = rng.uniform(0.5, 2.0, S.shape[0])
    prepared = shift_inverse(S, mass, cl.Direct())
    assume(prepared is not None)
    shift, solve = prepared
    assert shift < 0
    A, X, C = (dense(M) for M in S.split())
    whole = np.block([[A - shift * np.diag(mass), X], [X.T, C + S.eps * np.eye(len(C))]])
    x = rng.standard_normal((len(A), 2))
    expected = linalg.solve(whole, np.vstack([x, np.zeros((len(C), 2))]), assume_a="sym")[: len(A)]
    assert_close(solve(x), expected, 1e-6 if S.eps < 1e-6 else 1e-8)


@given(st.one_of(hypergraphs(), weighted(clique_complexes(max_rank=2))))
def test_unsigned_A_is_signless(K):
    """Unsigned matrices give A = D + Adj (scaled by the vertex weights), without constants."""
    A = dense(cl.collapse(K, realization="incidence").A)
    L = dense(cl.collapse(K, realization="unfolded").A)
    assert_close(A, np.abs(L), 1e-14)
