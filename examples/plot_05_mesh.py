"""
Denoising on a mesh
===================

A smooth function on a torus is measured with noise, and the mesh has a few false edges
that join places far from each other, as scanned meshes do. Smoothing along the graph
Laplacian carries values across them; the collapse damps edges that close no triangle.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import colormaps

import cellapse as cl

# %%
# The mesh: a grid of 48 times 24 places around a torus, two triangles a square.

n, m = 48, 24
i, j = np.divmod(np.arange(n * m), m)
right, up = (i + 1) % n * m + j, i * m + (j + 1) % m
both = (i + 1) % n * m + (j + 1) % m
here = np.arange(n * m)
triangles = np.concatenate(
    [np.column_stack([here, right, both]), np.column_stack([here, both, up])]
)
angle, turn = 2 * np.pi * i / n, 2 * np.pi * j / m
ring = 2 + np.cos(turn)
points = np.column_stack([ring * np.cos(angle), ring * np.sin(angle), np.sin(turn)])

# %%
# Two hundred false edges, and a noisy signal.

rng = np.random.default_rng(0)
false = rng.choice(n * m, (200, 2))
K = cl.lifts.mesh_complex(points, triangles, false[false[:, 0] != false[:, 1]])
signal = np.sin(2 * angle) + np.cos(turn)
noisy = signal + 0.6 * rng.standard_normal(n * m)

operators = {"graph Laplacian": cl.graph_laplacian(K), "collapse": cl.collapse(K)}
shown = {"noisy": noisy}
for name, S in operators.items():
    shown[name] = np.asarray(cl.smooth(S, noisy, strength="gcv"))
errors = {name: np.mean((values - signal) ** 2) for name, values in shown.items()}
K

# %%
# The strength is chosen from the noisy values alone, for each operator its own.

figure, axes = plt.subplots(
    1, 3, figsize=(12, 4), layout="constrained", subplot_kw={"projection": "3d"}
)
for ax, (name, values) in zip(axes, shown.items(), strict=True):
    drawn = ax.plot_trisurf(*points.T, triangles=triangles, antialiased=False)
    shade = (values[triangles].mean(axis=1) + 2) / 4
    drawn.set_facecolor(colormaps["viridis"](shade))
    ax.set_box_aspect(np.ptp(points, axis=0), zoom=1.7)
    ax.set(title=f"{name}: mean squared error {errors[name]:.3f}")
    ax.view_init(50, 30)
    ax.set_axis_off()

# %%
# When not to
# -----------
# On a mesh without false edges nothing is gained: all edges are in two triangles, and the
# collapse is a multiple of the graph Laplacian. There, use cotangent weights, which know
# lengths and angles; cellapse knows which cells there are, not their shape.
