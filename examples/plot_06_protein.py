"""
A protein in the colours of its modes
=====================================

Ubiquitin as a complex: residues are vertices, the chain and hydrogen bonds are edges,
what they enclose are cells. The slowest modes of the operator show which parts belong
together.
"""

import matplotlib.pyplot as plt
import numpy as np

import cellapse as cl

protein = cl.datasets.load_protein("1UBQ")
K = protein.complex()
S = cl.collapse(K, "unfolded")
spectrum = S.spectrum(5)
K

# %%
# The trace of the chain, coloured by the first three modes beyond the constant.

trace = protein.coordinates[:, 1]
bonds = K.cells[1].as_array()
figure, axes = plt.subplots(
    1, 3, figsize=(12, 4), layout="constrained", subplot_kw={"projection": "3d"}
)
for k, ax in enumerate(axes, start=1):
    mode = spectrum.vectors[:, k]
    for a, b in bonds:
        ax.plot(*trace[[a, b]].T, color="#888", lw=0.6, alpha=0.7)
    top = abs(mode).max()
    ax.plot(*trace.T, color="#444", lw=1)
    ax.scatter(*trace.T, c=mode, cmap="PuOr", vmin=-top, vmax=top, s=45, depthshade=False)
    ax.set_title(f"mode {k}, eigenvalue {spectrum.values[k]:.3g}")
    ax.set_axis_off()
    ax.set_box_aspect(np.ptp(trace, axis=0), zoom=1.35)

# %%
# Along the chain, with helices (H) and strands (E) as bands: modes change between them.

figure, ax = plt.subplots(figsize=(12, 2.8), layout="constrained")
for k, colour in zip((1, 2, 3), ("#0072B2", "#D55E00", "#009E73"), strict=True):
    ax.plot(spectrum.vectors[:, k], color=colour, label=f"mode {k}")
for letter, colour in (("H", "#CC79A7"), ("E", "#56B4E9")):
    where = protein.dssp == letter
    ax.fill_between(np.arange(len(trace)), *ax.get_ylim(), where=where, color=colour, alpha=0.2)
ax.set(xlabel="residue", ylabel="mode", xlim=(0, len(trace) - 1))
ax.legend(frameon=False, ncols=3, loc="upper center")

# %%
# When not to
# -----------
# The graph Laplacian of the same bonds has nearly the same modes: over fifty proteins,
# features made of either tell helices from strands equally well. What matters is which
# bonds are in the complex. And these are modes of connection, not of motion: for how a
# protein moves, use an elastic network model.
