"""The parts of the collapse one by one, on cases small enough to work out by hand."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse._collapse.chain import Chain
from cellapse._collapse.edges import (
    Cofaces,
    mass_errors,
    total_changes,
    unfolded_masses,
    unfolded_sigmas,
)
from cellapse._collapse.elimination import _by_rank
from cellapse._collapse.realizations import as_realization
from cellapse._collapse.stacks import Layout, Places, row_sums, smallest_positive
from cellapse._collapse.weights import (
    Unchecked,
    Weights,
    check_beta,
    check_gamma,
    regularized_bound,
)
from cellapse._linalg.eigen.problem import FirstPairs
from cellapse._matrices.homology import betti_numbers
from cellapse._matrices.incidence import are_matrices, looks_like_adjacency
from cellapse._shared.arrays import Entries

UNIT = 2.0**-53


# Weights, chains, ranks, stacks


def test_bounds_of_gamma_by_hand():
    beta, sigma = np.array([2.0, 3.0, 1.0]), np.array([1.5, 2.0, np.inf])
    weights = Weights.choose(beta, "regularized", 0.5, sigma)
    np.testing.assert_allclose(weights.bound, [3.0, 6.0, np.inf])
    # gamma^2 = beta (beta sigma^2 + eps)
    np.testing.assert_allclose(weights.gamma, [10.0**0.5, 37.5**0.5, 0.0])
    assert weights.definite
    np.testing.assert_allclose(regularized_bound(beta, sigma, 0.5)[:2] ** 2, [10.0, 37.5])
    limit = np.array([1.0, 2.0])
    np.testing.assert_allclose(check_gamma([1.0 + 0.9e-9, 2.0], limit, limit), limit)
    with pytest.raises(cl.InputError, match="exceeds"):
        check_gamma([1.0 + 1.1e-9, 2.0], limit, limit)
    with pytest.warns(cl.CellapseWarning, match="exceeds"):
        check_gamma(Unchecked([1.0, 2.1]), limit, limit)
    for gamma, definite in (([3.0, 6.0, 0.0], True), (Unchecked([3.2, 6.0, 0.0]), False)):
        assert Weights.choose(beta, gamma, 0.5, sigma).definite is definite
    assert not weights.with_eps(0.4).definite
    for shape in ([[1.0]], [1.0, 2.0], [[[1.0]]]):
        with pytest.raises(
            cl.InputError, match=r"beta has shape .*; give one number, or 1 of them"
        ):
            check_beta(shape, 1)
    assert check_beta(2, 3).tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(cl.InputError, match="nothing balances"):
        Weights.choose(np.zeros(1), Unchecked(1.0), 1.0, np.ones(1))


@pytest.mark.parametrize("n", [500, 501])
def test_sigma_of_the_edges_comes_from_the_eigenpairs_of_a(n):
    """A cycle, at both sides of the size from which they are used."""
    K = cl.clique_complex(nx.cycle_graph(n), 1)
    chain = as_realization("unfolded").chain(K)
    assert chain._first_sigma() == pytest.approx(2.0 * np.sin(np.pi / n), rel=1e-9)
    assert ("pairs" in chain.base.found) is (n > 500)


def test_small_eigenvalues_are_not_trusted_for_sigma(monkeypatch):
    monkeypatch.setattr("cellapse._collapse.chain.PAIRS_WITH_SIGMA", 1)
    chain = as_realization("unfolded").chain(cl.clique_complex(nx.path_graph(510), 1))
    v = np.cos(np.pi * (np.arange(510) + 0.5) / 510)
    v /= np.linalg.norm(v)
    first = 2.0 - 2.0 * np.cos(np.pi / 510)
    # A vector with too large a residual, or a value that is not its own: by other means.
    noise = np.random.default_rng(0).standard_normal(510) / 510**0.5
    for value, u in ((first, v + 1e-3 * noise), (4.0 * first, v)):
        pair = FirstPairs(np.array([value]), u[:, None], True, np.empty((510, 0)))
        chain.base.found["pairs"] = pair
        assert chain._first_sigma() == pytest.approx(first**0.5, rel=1e-6)
    pair = FirstPairs(np.array([first]), v[:, None], True, np.empty((510, 0)))
    chain.base.found["pairs"] = pair
    monkeypatch.setattr("cellapse._collapse.chain.sigma_min", lambda B: -1.0)
    assert chain._first_sigma() == pytest.approx(first**0.5)


def test_a_complex_without_edges_has_an_empty_chain():
    chain = as_realization("boundary").chain(cl.Complex.from_arrays(3, {}))
    assert (chain.nearest.shape, chain.n_cells, chain.above) == ((3, 0), (3, 0), [])
    assert isinstance(chain, Chain)
    assert list(chain.labels(0)) == [0, 1, 2]


def test_matrices_have_one_rank_more_than_there_are():
    path = [[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]]
    assert cl.collapse([path], onto=1).shape == (2, 2)
    for onto in (2, -1):
        with pytest.raises(cl.InputError, match=r"in 0\.\.1"):
            cl.collapse([path], onto=onto)


def test_values_by_rank_are_cut_at_the_ends_of_the_ranks():
    values = _by_rank(np.arange(5.0), (1, 0), (2, 3, 9))
    assert {k: v.tolist() for k, v in values.items()} == {0: [3.0, 4.0], 1: [0.0, 1.0, 2.0]}
    assert list(values) == [0, 1]
    short = _by_rank(np.ones((3, 2)), (1, 2), (2, 3, 4))
    assert short[1].all()
    assert short[2].shape == (4, 2)
    assert not short[2].any()


def test_how_far_s_may_be_below_a():
    weights = SimpleNamespace(beta=np.array([2.0, 0.0, 4.0]), gamma=np.array([3.0, 1.0, 2.0]))
    unfolded = as_realization("unfolded")
    assert [unfolded.ceiling(weights, onto, 7.0) for onto in range(4)] == [4.5, 4.5, 1.0, 1.0]
    screened = SimpleNamespace(gamma=np.array([0.5]), eps=0.25)
    assert as_realization("screened").ceiling(screened, 0, 7.0) == pytest.approx(0.2 * 7.0)


def test_elements_are_numbered_in_every_complex():
    places = Places.of(np.array([0, 2, 0, 2, 2]), 4)
    assert places.local.tolist() == [0, 0, 1, 1, 2]
    assert places.count.tolist() == [2, 0, 3, 0]


def test_complexes_of_one_shape_are_cut_into_one_stack():
    path, edge = cl.clique_complex(nx.path_graph(3), 1), cl.clique_complex(nx.path_graph(2), 1)
    complexes = [edge, path, edge]
    blocks = [[[-1.0], [1.0]], [[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]], [[-2.0], [2.0]]]
    matrix = Entries.of(sparse.csr_array(sparse.block_diag([np.array(b) for b in blocks])))
    layout = Layout(complexes, [matrix])
    assert [group.tolist() for group in layout.groups] == [[0, 2], [1]]
    twice, once = layout.stacks(matrix, *layout.places)
    assert twice.tolist() == [blocks[0], blocks[2]]
    assert once.tolist() == [blocks[1]]
    rows = layout.rows(np.arange(7.0), layout.places[0])
    assert [r.tolist() for r in rows] == [[[0.0, 1.0], [5.0, 6.0]], [[2.0, 3.0, 4.0]]]


def test_the_largest_row_of_each_matrix():
    stack = np.array([[[0.1, -0.2], [0.0, 0.1]], [[0.0, 3.0], [-1.0, -5.0]]])
    np.testing.assert_allclose(row_sums(stack), [0.3, 6.0])
    assert row_sums(np.empty((2, 0, 0))).tolist() == [0.0, 0.0]


def test_the_smallest_positive_number_of_each_row():
    rows = np.array([[0.0, 4.0, 9.0], [0.9e-10, 1.0, 1.0], [1.1e-10, 1.0, 1.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(smallest_positive(rows), [2.0, 1.0, 1.1e-10**0.5, np.inf])
    assert smallest_positive(np.empty((2, 0))).tolist() == [np.inf, np.inf]


@pytest.mark.parametrize("solver", [None, cl.CG(rtol=1e-13)], ids=str)
@pytest.mark.parametrize("onto", [0, 1, 2, 3])
def test_values_of_all_other_ranks_by_the_formula(onto, solver):
    """z = -(C + eps I)^-1 X^T u, rank by rank, from every rank of a filled tetrahedron."""
    K = cl.clique_complex(nx.complete_graph(4), 3)
    S = cl.collapse(
        K, realization="incidence", eps=0.5, onto=onto, solver=solver, beta=[1.0, 2.0, 3.0]
    )
    A, X, C = (M.toarray() for M in S.split())
    u = np.arange(1.0, 1.0 + S.shape[0])
    z = -np.linalg.solve(C + 0.5 * np.eye(len(C)), X.T @ u)
    values = S.complete(u)
    others = [k for k in range(4) if k != onto]
    assert list(values) == others
    np.testing.assert_allclose(np.concatenate([values[k] for k in others]), z, atol=1e-9)
    np.testing.assert_allclose(S @ u, A @ u + X @ z, atol=1e-9)


def test_one_gamma_for_all_is_within_the_narrowest_bound():
    """A path of three has sigma 1, an edge sqrt 2: the first decides."""
    complexes = [cl.clique_complex(nx.path_graph(n), 1) for n in (3, 2)]
    stacks = as_realization("unfolded").stacks(complexes, 1.0, 0.9)
    gamma, definite = stacks._couplings(0.0)
    assert gamma.tolist() == [[0.9], [0.9]]
    assert definite.all()
    for given in (complexes, complexes[::-1]):
        with pytest.raises(cl.InputError, match=r"exceeds the PSD bound \(1,\)"):
            as_realization("unfolded").stacks(given, 1.0, 1.2)._couplings(0.0)
    bound, _ = as_realization("unfolded").stacks(complexes, 2.0, None)._couplings(0.0)
    np.testing.assert_allclose(bound, [[2.0], [8.0**0.5]])


@pytest.mark.parametrize("realization", ["unfolded", "boundary", "incidence", "mixed", "screened"])
def test_stacks_are_the_operators(realization):
    complexes = [
        cl.clique_complex(g) for g in (nx.complete_graph(4), nx.cycle_graph(3), nx.path_graph(4))
    ]
    stacks = as_realization(realization).stacks(complexes, None, None)
    for eps in (0.5, 1e-4):
        blocks, definite = stacks.collapsed(eps)
        norms = stacks.norms()
        assert definite.all()
        for g, group in enumerate(stacks.layout.groups):
            for i, number in enumerate(group):
                S = cl.collapse(complexes[number], realization=realization, eps=eps)
                np.testing.assert_allclose(blocks[g][i], S.toarray(), atol=1e-9)
                assert norms[g][i] >= np.linalg.norm(S.toarray(), 2) - 1e-9


# Realizations


def test_what_realizations_say_of_themselves():
    filled, flat = cl.clique_complex(nx.complete_graph(3)), cl.clique_complex(nx.path_graph(3), 1)
    for name in ("unfolded", "boundary", "incidence", "mixed", "screened", "renormalized"):
        realization = as_realization(name)
        assert str(realization) == realization.name == name
        cautious = realization.caution(realization.chain(filled))
        assert (cautious is not None) == (name in ("boundary", "mixed"))
        assert realization.caution(realization.chain(flat)) is None
        assert realization.takes_matrices == (name not in ("boundary", "incidence", "mixed"))
        assert realization.edgewise == (name in ("screened", "renormalized"))
        assert realization.exact == (name == "boundary")
        assert realization.hodge == (name in ("boundary", "incidence", "mixed"))
        if not realization.takes_matrices:
            with pytest.raises(cl.InputError, match="already are a realization"):
                cl.collapse([[[-1.0], [1.0]]], realization=name)
    assert cl.collapse([[[-1.0], [1.0]]]).realization.name == "given"
    assert [as_realization(n).usual_beta for n in ("unfolded", "screened", "renormalized")] == [
        1,
        1,
        5,
    ]
    shares = [as_realization(n).usual_share ** 2 for n in ("unfolded", "screened", "renormalized")]
    np.testing.assert_allclose(shares, [1.0, 0.9, 0.95])
    assert cl.Screened(theta=0.3, rounds=2).usual_share == 0.3
    assert cl.Screened(rounds=2).name == "screened, 2 rounds"


def test_theta_and_rounds_have_ranges():
    for theta in (0.0, 1.0, 0.5):
        assert cl.Screened(theta).theta == theta
    for theta in (-0.1, 1.1, 1.9):
        with pytest.raises(cl.InputError, match="from 0 to 1"):
            cl.Screened(theta)
    assert cl.Screened(rounds=1000).rounds == 1000
    for rounds in (-1, 1001):
        with pytest.raises(cl.InputError, match=r"in 0\.\.1000"):
            cl.Screened(rounds=rounds)


def test_unfolded_chains_count_their_flags():
    K = cl.clique_complex(nx.complete_graph(4), 3)
    for source in (K, cl.unfolded_matrices(K)):
        chain = as_realization("unfolded").chain(source)
        B = chain.incidence
        assert (B.kind, B.n_cells) == ("unfolded", (4, 6, 12, 12))
        assert B.n_formal == (0, 0, 12, 12)
        assert chain.n_cells == (4, 6, 4, 1)
        np.testing.assert_allclose(chain.sigma, [2.0, 2.0**0.5, 1.0])
    assert chain.of_edges().n_cells == (4, 6)


def test_masses_of_flags_by_hand():
    """Two triangles on an edge, one of weight 3; the squares of their entries are the weights."""
    B = sparse.csr_array(np.sqrt([[1.0, 3.0], [0.0, 3.0], [0.0, 0.0]]))
    beta, gamma, eps = 2.0, 1.5, 0.5
    B = Entries.of(B)
    cells = [Cofaces.of(B.squared)]
    mass, top = unfolded_masses(cells, 3, np.array([beta]), np.array([gamma]), eps)
    d = np.array([4.0, 3.0, 0.0])
    g = d / eps
    np.testing.assert_allclose(mass, eps + beta * d - gamma**2 * g / (1.0 + beta * g))
    assert top.tolist() == [0.5, 0.5]
    np.testing.assert_allclose(unfolded_sigmas([B]), [[3.0**0.5]])
    owners = [np.array([0, 1, 1])]
    np.testing.assert_allclose(unfolded_sigmas([B], owners, 2), [[2.0], [3.0**0.5]])
    limit = unfolded_masses(cells, 3, np.array([beta]), np.array([gamma]), 0.0)[0]
    np.testing.assert_allclose(limit, beta * d - gamma**2 / beta * (d > 0))
    assert unfolded_masses(cells, 3, np.zeros(1), np.zeros(1), 0.25)[0].tolist() == [0.25] * 3


def test_how_masses_grow_with_eps():
    """Against differences: three edges, two triangles, one cell above them."""
    upper = [
        sparse.csr_array([[1.0, 2.0], [0.0, 1.0], [0.0, 0.0]]),
        sparse.csr_array([[1.0], [3.0]]),
    ]
    upper = [Cofaces.of(Entries.of(B).squared) for B in upper]
    beta, gamma = np.array([1.0, 2.0, 0.5]), np.array([1.0, 1.2, 0.4])

    def masses(eps):
        return unfolded_masses(upper, 3, beta[1:], gamma[1:], eps)

    weights = SimpleNamespace(beta=beta, gamma=gamma)
    growth = total_changes(upper, masses(0.5), weights, [np.ones(3), np.ones(2), np.ones(1)])
    for grown, more, less in zip(growth, masses(0.5 + 1e-6), masses(0.5 - 1e-6), strict=True):
        np.testing.assert_allclose(grown, (more - less) / 2e-6, rtol=1e-8)
    weights.gamma = np.array([1.0, 0.0, 0.4])
    still = total_changes(upper, masses(0.5), weights, [np.full(3, 7.0), np.ones(2), np.ones(1)])
    assert still[0].tolist() == [7.0, 7.0, 7.0]  # nothing above is coupled
    known = mass_errors(upper, masses(0.5), SimpleNamespace(beta=beta, gamma=gamma))
    np.testing.assert_allclose(known.growth, growth[0])
    d = np.array([5.0, 1.0, 0.0])
    blurs = [4 * UNIT * 2.0 * d, 4 * UNIT * 0.5 * np.array([1.0, 9.0]), np.zeros(1)]
    expected = total_changes(upper, masses(0.5), SimpleNamespace(beta=beta, gamma=gamma), blurs)[0]
    np.testing.assert_allclose(known.rounding, expected, rtol=1e-12)
    at_bound = SimpleNamespace(beta=beta, gamma=np.array([1.0, 2.0 * 5.0**0.5, 0.0]))
    blurs[0][0] = 0.0  # nothing cancels at the bound but what is taken out
    expected = total_changes(upper, masses(0.5), at_bound, blurs)[0]
    np.testing.assert_allclose(
        mass_errors(upper, masses(0.5), at_bound).rounding, expected, rtol=1e-12
    )


# Matrices


def test_which_lists_are_matrices():
    edges = sparse.csr_array([[1.0], [-1.0]])
    for matrices in ([], [edges], (edges, np.ones((1, 1))), [[[-1.0], [1.0]]], iter([edges])):
        assert are_matrices(matrices) is True
    for other in ([(0, 1)], [[0, 1]], [edges, (0, 1)], [[]], edges, {1: [(0, 1)]}, "ab"):
        assert are_matrices(other) is False


def test_which_matrix_looks_like_an_adjacency():
    def looks(M):
        return looks_like_adjacency(sparse.csr_array(np.array(M, dtype=float)))

    assert looks([[0, 1], [1, 0]])
    assert looks([[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]])
    assert looks([[0, 1, 1], [1, 0, 1], [1, 1, 0]])  # pairs, but no column holds its own row
    assert not looks([[1, 0, 1], [0, 1, 1], [1, 1, 0]])  # edges around a triangle
    assert looks([[1, 1, 1], [1, 1, 1], [1, 1, 1]])
    assert not looks([[0, 1], [0.5, 0]])
    assert not looks([[0, -1], [-1, 0]])
    assert not looks([[0, 1, 1], [1, 0, 1]])
    assert not looks([[0, 0], [0, 0]])


def test_polygons_need_their_edges():
    square = {1: [(0, 1), (1, 2), (2, 3), (0, 3)], 2: [(0, 1, 2, 3)]}
    signs = cl.boundary_matrices(cl.Complex.from_cells(square))[1].toarray().ravel()
    assert signs.tolist() == [1.0, 1.0, 1.0, -1.0]
    for edges, cell in (
        (square[1][:3], (0, 1, 2, 3)),
        (square[1], (0, 2, 1, 3)),
        ([(0, 1), (1, 2)], (0, 2)),
    ):
        with pytest.raises(cl.InputError, match="is not bounded by cells of rank 1"):
            cl.boundary_matrices(cl.Complex.from_cells({0: range(4), 1: edges, 2: [cell]}))


def test_betti_numbers_by_hand():
    def betti(graph, max_rank=2):
        return betti_numbers(cl.clique_complex(graph, max_rank))

    assert betti(nx.cycle_graph(5), 1) == (1, 1)
    assert betti(nx.complete_graph(4)) == (1, 0, 1)  # the surface of a tetrahedron
    assert betti(nx.complete_graph(4), 3) == (1, 0, 0, 0)
    assert betti(nx.octahedral_graph()) == (1, 0, 1)
    two = nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(6))
    assert betti(two) == (2, 2, 0)
