"""
Onto a few vertices
===================

A thousand places and forty stations among them: which network do the stations see, once
everything between them has settled? The reduction onto the stations keeps all resistances
between them. It has one more use: values known at the stations alone are carried to all
places by the energy that was left out.
"""

import matplotlib.pyplot as plt
import numpy as np

import cellapse as cl

rng = np.random.default_rng(3)
places = rng.random((1000, 2))
S = cl.collapse(cl.lifts.nearest_neighbour_complex(places, 7))
R = cl.reduce(S, 40)  # far apart, by k-centres
R

# %%
# A smooth field, measured at the stations, and completed: values of least energy.

field = np.sin(5 * places[:, 0]) + np.cos(4 * places[:, 1])
completed = R.complete(field[R.vertices])
error = np.sqrt(np.mean((completed - field) ** 2)) / field.std()

# %%
# The reduced network is dense, but most of its edges are weak.

W = -R.toarray()
a, b = np.nonzero(np.triu(W, 1) > 1e-3 * W.max())
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
for u, v in zip(a, b, strict=True):
    ends = places[R.vertices[[u, v]]]
    axes[0].plot(*ends.T, color="#0072B2", lw=4 * W[u, v] / W.max())
axes[0].plot(*places[R.vertices].T, "o", color="#D55E00", ms=5)
axes[0].set(title="what the stations see", xticks=[], yticks=[])
for ax, values, name in (
    (axes[1], field, "the field"),
    (axes[2], completed, f"from forty values, error {100 * error:.0f} %"),
):
    ax.scatter(*places.T, c=values, s=12, cmap="viridis")
    ax.set(title=name, xticks=[], yticks=[])

# %%
# Onto more stations, most of these weak edges can go: `sparse` is the factor that energies
# may change by. What is left is measured against the exact one.

few = cl.reduce(S, 300, sparse=0.5)
print(f"{few.matrix.nnz / 300**2:.0%} of all pairs, energies {few.lower:.2f} to {few.upper:.2f}")

# %%
# When not to
# -----------
# A reduced network is dense: onto many vertices of a graph that has no small cuts, it has
# more edges than the whole, and a sparse one within a small factor has nearly as many.
# Distances along edges and counts of cells do not survive, only energies and resistances do.
