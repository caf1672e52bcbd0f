"""
Weights with a metric
=====================

A sphere is sampled by uneven points, crowded at the poles. The graph Laplacian of its mesh
knows which points are neighbours, but neither angles nor areas. Cotangent weights and dual
areas do, and the collapse takes them as weights of edges, vertices and triangles.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import ConvexHull

import cellapse as cl
from cellapse import weights

rng = np.random.default_rng(0)
points = rng.standard_normal((1500, 3)) * [1, 1, 3]
points /= np.linalg.norm(points, axis=1)[:, None]
K = weights.intrinsic_delaunay(cl.lifts.mesh_complex(points, ConvexHull(points).simplices))
star = weights.hodge_star(K, least=1e-6)

# %%
# A smooth function with noise, smoothed by each operator with the strength that the noisy
# values choose, and the error of each over the area of the sphere.

signal = points[:, 0] * points[:, 2] + 0.5 * np.sin(3 * points[:, 1])
noisy = signal + 0.4 * rng.standard_normal(len(points))
edges_weighed = K.with_attributes(None, {1: star[1]})
operators = {
    "graph Laplacian": cl.graph_laplacian(K),
    "cotangent Laplacian": cl.graph_laplacian(edges_weighed),
    "collapse": cl.collapse(K),
    "collapse, cotangents": cl.collapse(edges_weighed),
}
shown = {"noisy": noisy}
for name, S in operators.items():
    shown[name] = np.asarray(cl.smooth(S, noisy, strength="gcv"))
area = star[0] / star[0].sum()
errors = {name: np.sqrt(area @ (values - signal) ** 2) for name, values in shown.items()}
errors

# %%
# With the whole Hodge star the eigenvalues are those of the sphere, l (l + 1).

figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
axes[0].barh(list(errors)[::-1], list(errors.values())[::-1], color="#0072B2")
axes[0].set(title="error after smoothing")
exact = np.repeat([0, 2, 6, 12], [1, 3, 5, 7])
found = cl.collapse(K.with_attributes(None, star)).spectrum(16).values
axes[1].plot(exact, "s", ms=9, mfc="none", color="#999999", label="the sphere")
axes[1].plot(found, "o", ms=4, color="#0072B2", label="collapse, Hodge star")
axes[1].set(title="eigenvalues")
axes[1].legend(frameon=False)

# %%
# When not to
# -----------
# Where the mesh is even, or the noise is in its edges, weights of angles gain nothing: false
# edges of a scanned mesh have no triangle and so no angle, and the collapse without a metric
# is what finds them.
