"""
Betti numbers and spectra of surfaces
=====================================

All 43,138 triangulated surfaces of up to ten vertices come with cellapse. Their Betti
numbers follow from the boundary matrices; ten eigenvalues of the unsigned collapse tell
every two of them apart, which the graph Laplacian does not.
"""

import matplotlib.pyplot as plt
import numpy as np

import cellapse as cl

surfaces = cl.datasets.triangulated_surfaces(8)
torus = surfaces.complex(int(np.flatnonzero(surfaces.names == "T^2")[0]))
print(surfaces)
print("a torus:", torus.n_cells, "Betti numbers", torus.betti_numbers())

# %%
# The spectra of all with eight vertices, at once.

eight = surfaces.select(surfaces.n_vertices == 8)
complexes = [eight.complex(i) for i in range(len(eight))]
unsigned = cl.batch.spectra(complexes, operator="incidence", k=8).table()
plain = np.array([cl.graph_laplacian(K).spectrum(8).values for K in complexes])
for name, values in (("graph Laplacian", plain), ("unsigned collapse", unsigned)):
    different = len(np.unique(values.round(6), axis=0))
    print(f"{name}: {different} different spectra of {len(complexes)}")

# %%

kinds, codes = np.unique(eight.names, return_inverse=True)
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for ax, values, name in zip(axes, (plain, unsigned), ("L", "S, unsigned"), strict=True):
    for i, kind in enumerate(kinds):
        some = values[codes == i]
        colour = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")[i % 6]
        ax.plot(some[:, 1], some[:, -1], "o", ms=4, alpha=0.6, color=colour, label=kind)
    ax.set(xlabel="second eigenvalue", ylabel="eighth eigenvalue", title=name)
axes[1].legend(frameon=False, fontsize=8)

# %%
# When not to
# -----------
# If you want the Betti numbers, compute them: :meth:`cellapse.Complex.betti_numbers` is
# exact, and so are signed Hodge Laplacians. A classifier on spectra only guesses. The
# collapse is of use where complexes are to be distinguished beyond their topology.
