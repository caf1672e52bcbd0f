"""
A million vertices
==================

A triangulated square with a million vertices, three million edges and two million
triangles. The renormalized collapse is a sparse matrix, so that heat spreads on it as
quickly as on the graph itself, and is held up by walls that only the collapse sees.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import cellapse as cl

side = 1000
here = np.arange(side * side).reshape(side, side)
a, b, c, d = here[:-1, :-1], here[:-1, 1:], here[1:, :-1], here[1:, 1:]
triangles = np.concatenate([np.stack(t, axis=-1).reshape(-1, 3) for t in ((a, b, d), (a, c, d))])

# %%
# Edges of all triangles; then the triangles of three walls are taken away. Their edges
# stay: the graph does not see the walls.

pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])
low, high = np.sort(pairs, axis=1).T
edges = np.unique(low * side * side + high)
edges = np.column_stack(np.divmod(edges, side * side))
row, column = np.divmod(triangles.min(axis=1), side)
wall = (abs(column - 180) < 30) & (abs(row - 500) > 60)
wall |= (abs(column - 380) < 30) & (abs(row - 500) < 300)
start = time.process_time()
K = cl.Complex.from_arrays(side * side, {1: edges, 2: triangles[~wall]})
S = cl.collapse(K, "screened")
made = time.process_time() - start
K

# %%
# Heat from the left, after the same time.

heat = np.zeros(side * side)
heat[here[:, :60].ravel()] = 1.0
start = time.process_time()
spread = {
    "graph Laplacian": np.asarray(cl.tasks.diffuse(cl.graph_laplacian(K), heat, 3000.0)),
    "collapse": np.asarray(cl.tasks.diffuse(S, heat, 3000.0)),
}
print(f"complex and operator: {made:.0f} s of one core")
print(f"heat, twice: {time.process_time() - start:.0f} s")

# %%

figure, axes = plt.subplots(1, 2, figsize=(8, 6), layout="constrained")
for ax, (name, values) in zip(axes, spread.items(), strict=True):
    picture = np.log10(values.reshape(side, side)[::2, :600:2].clip(1e-8))
    ax.imshow(picture, cmap="inferno", vmin=-6, vmax=0, extent=(0, 600, 0, 1000))
    for x, y, height in ((150, 560, 440), (150, 0, 440), (350, 200, 600)):
        ax.add_patch(plt.Rectangle((x, y), 60, height, fill=False, ls=":", color="w"))
    ax.set(title=name, xticks=[], yticks=[])

# %%
# When not to
# -----------
# The unfolded operator is no sparse matrix: a product with it takes a solve, which at this
# size is a matter of seconds each. On graphs that expand (social networks), eigenvectors
# beyond the first few take long at this size for any operator; ask for few, or embed a
# sample.
