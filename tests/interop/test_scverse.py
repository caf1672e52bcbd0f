"""Tasks on an AnnData: what is written where, and that cells keep their order and names."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import cellapse as cl
from cellapse import scverse

anndata = pytest.importorskip("anndata", reason="AnnData needs the extra scverse")

WAYS = {
    "collapse": (scverse.collapse, {}, {"obsp": "collapsed_connectivities", "uns": "collapsed"}),
    "trust": (scverse.trust, {}, {"obsp": "trust", "obs": "trust"}),
    "spread": (
        scverse.spread_labels,
        {"labels": "known"},
        {"obs": "known_spread", "obsm": "known_spread"},
    ),
    "cluster": (scverse.cluster, {"n_clusters": 3}, {"obs": "collapsed_clusters"}),
    "embed": (scverse.embed, {"k": 2}, {"obsm": "X_collapsed"}),
    "smooth": (scverse.smooth, {}, {"layers": "smoothed"}),
}


def cells(n=30, weights=True):
    """Three groups, with names that are in no order, and a known label for every tenth cell."""
    G = nx.planted_partition_graph(3, n // 3, 0.6, 0.05, seed=4)
    A = sparse.csr_array(nx.to_scipy_sparse_array(G, dtype=float))
    if weights:
        A = A + A.multiply(A @ A).tocsr()
    names = [f"cell{7 * v % n:02d}" for v in range(n)]
    groups = np.arange(n) // (n // 3)
    known = pd.Categorical([f"group {g}" if v % 5 == 0 else None for v, g in enumerate(groups)])
    X = groups[:, None] + 0.1 * np.cos(np.arange(4.0 * n)).reshape(n, 4)
    adata = anndata.AnnData(X.astype(np.float32), obs=pd.DataFrame({"known": known}, index=names))
    adata.obsp["connectivities"] = sparse.csr_matrix(A)
    adata.obsp["mine"] = sparse.csr_matrix(A.sign())
    return adata


@pytest.mark.parametrize("way", WAYS)
def test_results_are_where_scanpy_keeps_them_and_cells_stay(way):
    function, given, written = WAYS[way]
    adata = cells()
    before = adata.copy()
    assert function(adata, **given) is None
    assert list(adata.obs_names) == list(before.obs_names)
    assert adata.shape == before.shape
    assert (adata.obsp["connectivities"] != before.obsp["connectivities"]).nnz == 0
    assert (adata.X == before.X).all()
    for place, key in written.items():
        assert key in getattr(adata, place)
        assert key not in getattr(before, place)


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_leaves_what_was_given(way):
    function, given, written = WAYS[way]
    adata = cells()
    found = function(adata, **given, copy=True, key_added="mine")
    assert isinstance(found, anndata.AnnData)
    for place in written:
        assert set(getattr(found, place)) > set(getattr(adata, place)) or place == "obsp"
        assert not any("mine" in key for key in getattr(adata, place) if key != "mine")


@pytest.mark.parametrize("way", WAYS)
def test_another_graph_counts(way):
    function, given, written = WAYS[way]
    usual, other = cells(), cells()
    function(usual, **given)
    function(other, **given, obsp="mine")
    if way != "cluster":  # the groups are the same
        place, key = next(iter(written.items()))
        here, there = getattr(usual, place)[key], getattr(other, place)[key]
        dense = [np.asarray(M.todense() if sparse.issparse(M) else M) for M in (here, there)]
        assert dense[0].dtype.kind in "OU" or abs(dense[0] - dense[1]).max() > 1e-6


def test_functions_of_cellapse_take_an_anndata():
    adata = cells()
    K = cl.as_complex(adata)
    assert K.labels == tuple(adata.obs_names)
    A = adata.obsp["connectivities"].toarray()
    i, j = K.cells[1].as_array().T
    np.testing.assert_allclose(K.weights[1], A[i, j])
    assert (
        cl.as_complex(adata, weight="mine").weights[1] is None
        or (cl.as_complex(adata, weight="mine").weights[1] == 1.0).all()
    )
    lifted = cl.clique_complex(K)
    np.testing.assert_allclose(cl.collapse(adata).toarray(), cl.collapse(lifted).toarray())
    assert cl.edge_trust(adata).as_dict() == cl.edge_trust(lifted).as_dict()


def test_what_is_written_is_what_the_functions_give():
    adata = cells()
    K = cl.clique_complex(cl.as_complex(adata))
    S = cl.collapse(K)
    scverse.collapse(adata)
    W = adata.obsp["collapsed_connectivities"].toarray()
    np.testing.assert_allclose(np.diag(W.sum(axis=1)) - W, S.toarray(), atol=1e-12)
    scverse.trust(adata)
    for (u, v), value in cl.edge_trust(K).as_dict().items():
        at = adata.obs_names.get_loc(u), adata.obs_names.get_loc(v)
        assert adata.obsp["trust"][at] == pytest.approx(value)
    scverse.smooth(adata, strength=2.0)
    np.testing.assert_allclose(
        adata.layers["smoothed"], cl.smooth(S, adata.X, strength=2.0), rtol=1e-5
    )
    scverse.spread_labels(adata, "known")
    spread = cl.tasks.spread_labels(S, adata.obs["known"].dropna().to_dict())
    assert adata.obs["known_spread"].tolist() == spread.predicted()
    assert (adata.obs["known_spread"].cat.categories == adata.obs["known"].cat.categories).all()
    np.testing.assert_allclose(adata.obsm["known_spread"].sum(axis=1), 1.0)


def test_trust_of_a_cell_by_hand():
    """A triangle and a cell that hangs on it; one more without edges."""
    G = nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3)])
    G.add_node(4)
    adata = anndata.AnnData(np.zeros((5, 1)))
    adata.obsp["connectivities"] = sparse.csr_matrix(nx.to_scipy_sparse_array(G, range(5)))
    scverse.trust(adata)
    trust = adata.obsp["trust"].toarray()
    assert trust[2, 3] == 0.0 < trust[0, 1]
    assert adata.obs["trust"].iloc[2] == pytest.approx((trust[2, 0] + trust[2, 1]) / 3)
    assert np.isnan(adata.obs["trust"].iloc[4])


def test_cells_of_the_same_name_go_by_position():
    adata = cells()
    adata.obs_names = ["same"] * adata.n_obs
    assert cl.as_complex(adata).labels == tuple(range(adata.n_obs))
    scverse.spread_labels(adata, "known")
    assert adata.obs["known_spread"].notna().all()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda a: scverse.trust(a, obsp="gone"), "sc.pp.neighbors"),
        (lambda a: cl.collapse(anndata.AnnData(np.zeros((3, 2)))), "empty"),
        (lambda a: scverse.spread_labels(a, "gone"), "known"),
        (lambda a: scverse.smooth(a, layer="gone"), "gone"),
        (lambda a: scverse.trust(a.obs), "AnnData"),
        (lambda a: scverse.cluster(a, 3, key_added=3), "key_added"),
    ],
)
def test_what_is_missing_is_named(call, said):
    with pytest.raises(cl.InputError, match=said):
        call(cells())


def test_tools_of_scanpy_take_the_collapsed_graph():
    scanpy = pytest.importorskip("scanpy", reason="its tools are tried on its own cells")
    adata = scanpy.datasets.pbmc68k_reduced()
    scverse.collapse(adata)
    scanpy.tl.leiden(
        adata, neighbors_key="collapsed", flavor="igraph", n_iterations=2, directed=False
    )
    assert 2 <= adata.obs["leiden"].nunique() <= 40
    scanpy.tl.diffmap(adata, n_comps=4, neighbors_key="collapsed")
    assert adata.obsm["X_diffmap"].shape == (700, 4)
