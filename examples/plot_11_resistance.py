"""
Effective resistance
====================

Two vertices are close where many short ways join them. Effective resistance measures that,
for the graph as it is and after the collapse, under which ways that no cell holds count for
less. It grows for every pair, and most across the gaps between groups.
"""

import matplotlib.pyplot as plt
import numpy as np

import cellapse as cl

data = cl.datasets.load("dolphins")
K = cl.clique_complex(data.graph)
L, S = cl.graph_laplacian(K), cl.collapse(K)
n = K.n_vertices
pairs = [(K.labels[a], K.labels[b]) for a in range(n) for b in range(n) if a < b]
upper = np.triu_indices(n, 1)
matrices = []
for operator in (L, S):
    R = np.zeros((n, n))
    R[upper] = cl.effective_resistance(operator, pairs)
    matrices.append(R + R.T)

# %%
# All pairs, in the order of the Fiedler vector, so that groups are blocks.

order = np.argsort(S.spectrum(2).vectors[:, 1])
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
for ax, R, name in zip(axes, matrices, ("graph", "after the collapse"), strict=False):
    drawn = ax.imshow(np.log10(R[np.ix_(order, order)] + 1e-2), cmap="magma_r")
    ax.set_title(f"resistance, {name} (log10)")
    ax.set(xticks=[], yticks=[])
    figure.colorbar(drawn, ax=ax, shrink=0.7)
same = np.equal.outer(data.groups, data.groups)[upper]
for inside, colour, name in ((True, "#0072B2", "same group"), (False, "#D55E00", "two groups")):
    some = same == inside
    before, after = (R[upper][some] for R in matrices)
    axes[2].plot(np.log10(before), np.log10(after), ".", ms=3, color=colour, label=name)
axes[2].set(xlabel="resistance, graph (log10)", ylabel="after the collapse (log10)")
axes[2].legend(frameon=False, markerscale=3)

# %%
# When not to
# -----------
# On large dense graphs the resistance between two vertices says little more than their
# degrees, collapsed or not. All pairs are n^2 numbers: for many vertices ask for the pairs
# you need, or pass ``rtol=0.1`` for a random sketch.
