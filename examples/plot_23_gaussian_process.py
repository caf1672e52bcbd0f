"""
Gaussian processes on vertices
==============================

Values are measured at a fifth of the vertices of a network, with noise. A Gaussian process
with a Matern kernel of an operator gives a value to every other vertex, and says how far it
can be off. Do the cells help? That depends on the edges: here they are true at first, and
then more and more false ones are added.
"""

import matplotlib.pyplot as plt
import numpy as np

import cellapse as cl

rng = np.random.default_rng(0)
n = 500
places = rng.random((n, 2))
edges = cl.lifts.nearest_neighbour_complex(places, 8).cells[1].as_array()
field = np.sin(6 * places[:, 0]) + np.cos(5 * places[:, 1])
known = np.full(n, np.nan)
measured = rng.permutation(n)[: n // 5]
known[measured] = field[measured] + 0.1 * rng.standard_normal(len(measured))
hidden = np.isnan(known)

# %%
# The error at hidden vertices, over the spread of the field, with so many false edges.

shares, errors = (0.0, 0.1, 0.2, 0.4, 0.8), {"laplacian": [], "renormalized": []}
shown = {}
for share in shares:
    false = rng.choice(n, (int(share * len(edges)), 2))
    pairs = np.concatenate([edges, false[false[:, 0] != false[:, 1]]])
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    K = cl.clique_complex(cl.Complex.from_arrays(n, {1: pairs}))
    for name, found in errors.items():
        process = cl.gaussian_process(cl.make_operator(K, name), known)
        off = (process.mean - field)[hidden]
        found.append(float(np.sqrt(np.mean(off**2)) / field.std()))
        shown[name] = process
errors

# %%
# On the right: how large the errors are beside the deviations that the process states.

figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
for name, found in errors.items():
    axes[0].plot([100 * s for s in shares], found, "o-", label=name)
axes[0].set(xlabel="false edges, % of the true ones", ylabel="error at hidden vertices")
axes[0].legend(frameon=False)
process = shown["renormalized"]
axes[1].scatter(*places.T, c=process.mean, s=14, cmap="viridis")
axes[1].set(title=f"mean with {100 * shares[-1]:.0f} % false edges", xticks=[], yticks=[])
for name, process in shown.items():
    scores = (process.mean - field)[hidden] / process.deviation[hidden]
    axes[2].hist(scores, np.linspace(-4, 4, 33), histtype="step", label=name)
axes[2].set(title="errors over deviations")
axes[2].legend(frameon=False)

# %%
# When not to
# -----------
# On a clean graph the graph Laplacian is as good or better: the cells say nothing new there.
# Where the vertices are points with coordinates, a process on the coordinates themselves
# (scikit-learn's ``GaussianProcessRegressor``) knows more than any graph of them.
