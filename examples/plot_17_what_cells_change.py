"""
How much do the cells change?
=============================

Before comparing results, compare operators. The statements of the theory are measured on
your complex: by how much the collapse moves the Laplacian, and how much of that is due to
cells beyond the edges. Often the answer is: not much.
"""

import matplotlib.pyplot as plt

import cellapse as cl

K = cl.clique_complex(cl.datasets.load("polbooks").graph)
unfolded = cl.collapse(K, "unfolded")
check = cl.theory.check(unfolded)
check

# %%
# Eigenvalues of S over those of A: the unfolded realization, which is the paper's, bends
# the lower end only; the renormalized one reweights every edge.

figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
cl.plot.plot_compression(unfolded, 60, ax=axes[0])
axes[0].set_title("unfolded")
renormalized = cl.collapse(K)
cl.plot.plot_compression(renormalized, 60, ax=axes[1])
axes[1].set_title("renormalized")
axes[2].hist(renormalized.shares, 30, color="#0072B2")
axes[2].set(xlabel="share of its weight that an edge keeps", ylabel="edges")

# %%
# When not to
# -----------
# That S moves the spectrum says nothing about whether its results are better: a tree, in
# which no edge is held by a cell, becomes a multiple of its Laplacian, and all its
# eigenvalues fall without any change in the eigenvectors. Look at results, not at norms.
