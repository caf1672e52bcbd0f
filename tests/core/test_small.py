"""Small complexes: dense algebra from index arrays, and sparse matrices only when asked for."""

import pickle

import networkx as nx
import numpy as np
import pytest
from oracles import assert_close, blocks, flags, graded, schur, simplicial_boundary
from scipy import sparse
from toys import karate

import cellapse as cl
from cellapse import batch
from cellapse._collapse import stacks
from cellapse._collapse.inverse import DenseInverse, FactoredInverse
from cellapse._linalg import kernel
from cellapse._matrices import matrices
from cellapse._shared import rows
from cellapse._shared.arrays import Entries

GRAPHS = {
    "karate": karate(),
    "two parts and a lonely vertex": nx.disjoint_union_all(
        [nx.complete_graph(5), nx.path_graph(6), nx.empty_graph(1)]
    ),
    "tree": nx.balanced_tree(2, 3),
    "dense": nx.gnp_random_graph(15, 0.7, seed=3),
}


def by_the_formula(S):
    """S_eps from the definition, of an unweighted complex."""
    B = [simplicial_boundary(S.source, 1), *flags(S.source)]
    L, start = graded(B, S.beta, S.gamma)
    return schur(*blocks(L, start), S.eps)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("eps", [1e-8, 1e-4, 1e-2, 1.0, 1e3])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_small_operator_is_that_of_the_formula(name, eps, rank):
    S = cl.collapse(cl.clique_complex(GRAPHS[name], rank), "unfolded", eps=eps)
    truth = by_the_formula(S)
    scale = S.norm_bound()
    assert_close(S.toarray(), truth, 1e-9 if eps < 1e-6 else 1e-12, scale)
    assert_close(S @ np.eye(len(truth)), S.toarray(), 1e-12, scale)
    spectrum = S.spectrum()
    assert_close(spectrum.values, np.linalg.eigvalsh(S.toarray()), 1e-13, scale)
    n_parts = nx.number_connected_components(GRAPHS[name])
    assert spectrum.n_zeros == n_parts
    assert (spectrum.values[:n_parts] == 0.0).all()
    assert spectrum.residuals.max() <= 1e-10 * spectrum.norm


def weighted(graph, seed):
    K, rng = cl.clique_complex(graph), np.random.default_rng(seed)
    return K.with_attributes(
        {}, {k: 10.0 ** rng.uniform(-2, 2, n) for k, n in enumerate(K.n_cells)}
    )


@pytest.mark.parametrize("gamma", ["bound", "regularized", 0.0])
@pytest.mark.parametrize("name", GRAPHS)
def test_weights_of_every_rank_count_as_on_the_way_of_large_complexes(name, gamma):
    K = weighted(GRAPHS[name], 0)
    small, large = (
        cl.collapse(K, "unfolded", gamma=gamma),
        cl.collapse(K, "unfolded", gamma=gamma, solver=cl.Direct()),
    )
    assert isinstance(small.elimination.inverse, DenseInverse) or gamma == 0.0
    assert isinstance(large.elimination.inverse, FactoredInverse)
    np.testing.assert_array_equal(small.gamma, large.gamma)
    scale = small.norm_bound()
    columns = np.random.default_rng(1).standard_normal((len(small.labels), 3))
    assert_close(small @ columns, large @ columns, 1e-12, scale)
    assert_close(small.spectrum().values, large.spectrum().values, 1e-11, scale)
    mass = np.arange(1.0, len(columns) + 1)
    here, there = small.spectrum(5, mass), large.spectrum(5, mass)
    assert_close(here.values, there.values, 1e-10, here.norm)
    assert here.norm == pytest.approx((abs(large.A).sum(axis=1) / mass).max(), rel=1e-12)


def test_a_small_spectrum_makes_no_sparse_matrix():
    S = cl.collapse(cl.clique_complex(nx.karate_club_graph(), weight=None), "unfolded")
    S.spectrum()
    S.spectrum(3)
    S @ np.ones(34)
    assert "system" not in S.elimination.inverse.__dict__
    assert not {"A", "kernel"} & S.__dict__.keys()
    assert not {"kernel", "upper", "plain", "incidence"} & S.chain.__dict__.keys()
    assert all("csr" not in B.__dict__ for B in (S.chain.edges, *S.chain.above, S.chain.zeros))


def test_all_that_is_sparse_comes_when_asked_for():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    S = cl.collapse(K, "unfolded")
    S.spectrum()
    L = nx.laplacian_matrix(nx.karate_club_graph(), weight=None).toarray()
    assert isinstance(S.A, sparse.csr_array)
    assert S.A is S.A
    np.testing.assert_array_equal(S.A.toarray(), L)
    np.testing.assert_allclose(S.kernel.toarray(), 34**-0.5)
    assert [B.shape for B in S.chain.above] == [(78, 45)]
    assert {k: len(z) for k, z in S.complete(np.arange(34.0)).items()} == {1: 78, 2: 135}
    assert "superlu" in str(S)
    again = pickle.loads(pickle.dumps(S))
    np.testing.assert_array_equal(again.spectrum().values, S.spectrum().values)


def test_beyond_the_bounds_and_at_eps_zero_there_are_other_ways():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    with pytest.warns(cl.CellapseWarning, match="exceeds"):
        beyond = cl.collapse(K, "unfolded", gamma=cl.Unchecked(2.0))
    with pytest.warns(cl.CellapseWarning, match="exceeds"):  # with masses that are positive
        first = cl.collapse(K, "unfolded", gamma=cl.Unchecked((1.0, 0.5)))
    limit = cl.collapse(K, "unfolded", eps=0.0)
    for S in (beyond, first, limit):
        assert isinstance(S.elimination.inverse, FactoredInverse)
        assert_close(S.spectrum().values, np.linalg.eigvalsh(S.toarray()), 1e-12, S.norm_bound())
    assert beyond.spectrum().values[0] < 0
    assert beyond.spectrum().n_zeros is None


def test_in_company_of_what_is_hard_nothing_changes(monkeypatch):
    """Complexes of one shape, of which at some eps not all are known well enough by inverses."""
    asked, one_less_inverse = [], stacks.one_less_inverse

    def remembered(*given):
        asked.append(one_less_inverse(*given))
        return asked[-1]

    monkeypatch.setattr(stacks, "one_less_inverse", remembered)
    edges = [[0, 1], [1, 2], [0, 2], [2, 3]]
    given = [
        cl.Complex.from_arrays(4, {1: edges, 2: [[0, 1, 2]]}, weights={1: w})
        for w in ([1, 1, 1, 1], [1, 2, 3, 4], [1, 1, 30, 90])
    ]
    for eps in (2e-8, 1e-7, 1e-6, 1e-4, 10.0):
        together = batch.spectra(given, operator="unfolded", eps=eps, vectors=True)
        for i, K in enumerate(given):
            alone = batch.spectra([K], operator="unfolded", eps=eps, vectors=True)
            np.testing.assert_array_equal(alone.values[0], together.values[i])
            np.testing.assert_array_equal(alone.vectors[0], together.vectors[i])
            S = cl.collapse(K, "unfolded", eps=eps)
            assert_close(alone.values[0], S.spectrum().values, 1e-11, S.norm_bound())
    assert any(error.max() > 3.0 * error.min() for _, error in asked)


def test_the_kernel_of_three_in_a_column_is_not_known():
    B = Entries(np.array([0, 1, 2]), np.array([0, 0, 0]), np.ones(3), (3, 1))
    assert kernel.kernel_entries(B) is None
    apart = Entries(np.array([0, 2, 1]), np.array([0, 1, 0]), np.array([1.0, 1, -1]), (3, 2))
    assert kernel.kernel_entries(apart).toarray().round(3).tolist() == [[0.707], [0.707], [0.0]]


def test_rows_are_found_by_place_and_by_search(monkeypatch):
    table = np.array([[2, 3], [0, 1], [2, 3], [1, 2]])
    wanted = np.array([[0, 1], [2, 3], [3, 2], [1, 2], [0, 0]])
    for most in (10_000, 0):
        monkeypatch.setattr(rows, "_MOST_KEYS", most)
        assert rows.RowIndex(table, 4).find(wanted).tolist() == [1, 0, -1, 3, -1]
        assert rows.RowIndex(table[:0], 4).find(wanted).tolist() == [-1] * 5
        assert rows.RowIndex(table, 4).first_repeat() == (0, 2)


def test_rows_of_small_integers_are_found_among_many_values():
    table = np.array([[60_000, 1], [60_000, 2], [2, 60_000]], np.int32)  # no 32 bits hold a key
    assert rows.RowIndex(table, 70_000).find(table[::-1].astype(int)).tolist() == [2, 1, 0]
    assert rows.RowIndex(table, 70_000).first_repeat() is None


@pytest.mark.parametrize("repeat", [False, True])
def test_pairs_are_found_in_a_sparse_matrix_where_they_are_in_the_list(repeat, monkeypatch):
    rng = np.random.default_rng(0)
    pairs = np.unique(rng.integers(0, 300, (500, 2)), axis=0)
    table = rng.permutation(pairs)
    if repeat:
        table = np.concatenate([table, table[::-1]])
    wanted = np.concatenate([pairs, rng.integers(0, 300, (500, 2))])
    searched = rows.RowIndex(table, 300).find(wanted)
    monkeypatch.setattr(rows, "_MANY", 10)
    index = rows.RowIndex(table, 300)
    assert np.array_equal(index.find(wanted), searched)
    assert (index._numbers is None) == repeat
    first = {tuple(pair): i for i, pair in reversed(list(enumerate(table.tolist())))}
    assert searched.tolist() == [first.get(tuple(pair), -1) for pair in wanted.tolist()]


def test_subsets_are_looked_up_in_parts(monkeypatch):
    K = cl.clique_complex(nx.complete_graph(6), 3)
    whole = [matrices.containment(K, k - 1, k).toarray() for k in (1, 2, 3)]
    monkeypatch.setattr(matrices, "_AT_ONCE", 7)
    for k in (1, 2, 3):
        np.testing.assert_array_equal(matrices.containment(K, k - 1, k).toarray(), whole[k - 1])


def test_entries_are_the_matrix():
    rng = np.random.default_rng(0)
    B = sparse.csr_array((rng.random((5, 4)) < 0.4) * rng.random((5, 4)))
    entries, x = Entries.of(B), np.arange(4.0)
    assert entries.csr is B
    again = Entries(entries.rows, entries.columns, entries.values, B.shape)
    np.testing.assert_array_equal(again.csr.toarray(), B.toarray())
    np.testing.assert_array_equal(again.toarray(), B.toarray())
    np.testing.assert_allclose(again @ x, B @ x)
    np.testing.assert_allclose(again.T @ np.arange(5.0), B.T @ np.arange(5.0))
    np.testing.assert_allclose(again.sum(axis=0), B.sum(axis=0))
    np.testing.assert_allclose(again.sum(axis=1), B.sum(axis=1))
    np.testing.assert_allclose(again.squared.toarray(), B.toarray() ** 2)
    low, high = np.arange(1.0, 6.0), np.arange(2.0, 6.0)
    np.testing.assert_allclose(again.scaled(low, high).toarray(), low[:, None] * B.toarray() * high)
    assert again.nnz == B.nnz
    nothing = Entries(np.empty(0, int), np.empty(0, int), np.empty(0), (2, 0))
    assert (nothing @ np.empty(0)).tolist() == [0.0, 0.0]
    assert nothing.sum(axis=1).dtype == float
