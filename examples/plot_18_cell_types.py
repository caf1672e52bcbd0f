"""
Cell types from three cells each, on a noisy neighbour graph
============================================================

Seven hundred blood cells, the type of three cells of each kind, and the neighbour graph
that comes with scanpy. Batches, doublets and dropouts join cells that are not alike:
here random edges stand for them. Labels are spread along the graph Laplacian, along the
collapse, and by scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
import scanpy as sc
from scipy import sparse
from sklearn.semi_supervised import LabelSpreading

from cellapse import scverse

cells = sc.datasets.pbmc68k_reduced()
types = cells.obs["bulk_labels"].astype(str).to_numpy()


def with_false_edges(share, rng):
    """The cells, with random pairs joined by edges as strong as the others."""
    A = sparse.coo_array(sparse.triu(cells.obsp["connectivities"], 1))
    count = int(share * A.nnz)
    i, j = rng.integers(len(types), size=(2, count))
    strength = rng.choice(A.data, count)
    row, column = np.r_[A.row, i], np.r_[A.col, j]
    B = sparse.coo_array((np.r_[A.data, strength], (row, column)), shape=A.shape).tocsr()
    B = B.maximum(B.T)
    B.setdiag(0.0)
    B.eliminate_zeros()
    noisy = cells.copy()
    noisy.obsp["connectivities"] = sparse.csr_matrix(B)
    return noisy


def three_of_each(rng):
    known = np.full(len(types), None, dtype=object)
    for kind in np.unique(types):
        known[rng.choice(np.flatnonzero(types == kind), 3, replace=False)] = kind
    return known


def by_sklearn(adata, known):
    graph = adata.obsp["connectivities"].toarray()
    names, numbers = np.unique(types, return_inverse=True)
    given = np.where(known == None, -1, numbers)  # noqa: E711
    model = LabelSpreading(kernel=lambda x, y: graph, alpha=0.9, max_iter=200, tol=1e-4)
    return names[model.fit(np.arange(len(types))[:, None], given).transduction_]


# %%
# Every level of noise is drawn five times.

shares = [0.0, 0.5, 1.0, 2.0]
ways = {"LabelSpreading": "#999999", "graph Laplacian": "#E69F00", "collapse": "#0072B2"}
right = {way: np.zeros((len(shares), 5)) for way in ways}
for s, share in enumerate(shares):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        adata, known = with_false_edges(share, rng), three_of_each(rng)
        adata.obs["known"] = known
        rest = adata.obs["known"].isna().to_numpy()
        scverse.spread_labels(adata, "known", operator="laplacian", key_added="graph Laplacian")
        scverse.spread_labels(adata, "known", key_added="collapse")
        found = {way: adata.obs[way].to_numpy() for way in ("graph Laplacian", "collapse")}
        found["LabelSpreading"] = by_sklearn(adata, known)
        for way, labels in found.items():
            right[way][s, seed] = (labels == types)[rest].mean()

# %%

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
for way, colour in ways.items():
    ax.plot(shares, right[way].mean(axis=1), "o-", color=colour, label=way)
    low, high = right[way].min(axis=1), right[way].max(axis=1)
    ax.fill_between(shares, low, high, color=colour, alpha=0.15, lw=0)
ax.set(xlabel="random edges, as a share of the neighbour graph", ylabel="cells of the right type")
ax.legend(frameon=False, title="mean, and least to most of five draws")

# %%
# When not to
# -----------
# On the graph as it comes there is nothing to choose between them: three cells of a type
# say little about subtypes of T cells, whatever they are spread along. The collapse is
# for graphs whose edges are in doubt.
