"""
Molecules with rings as cells
=============================

Atoms are vertices, bonds are edges, and rings are cells of rank 2. Bonds in rings are
held by a cell, those in chains are not: the collapse keeps the first and damps the others,
which splits a molecule into its rigid parts.
"""

import matplotlib.pyplot as plt
import numpy as np
from rdkit import Chem
from rdkit.Chem import AllChem

import cellapse as cl

SMILES = {
    "caffeine": "CN1C=NC2=C1C(=O)N(C(=O)N2C)C",
    "ibuprofen": "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
    "quinine": "COc1ccc2nccc(c2c1)C(C3CC4CCN3CC4C=C)O",
}

# %%
# Bonds are as wide as the share of their weight that the collapse leaves them; what is
# left of a bond in a chain is dotted.

figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for ax, (name, smiles) in zip(axes, SMILES.items(), strict=True):
    molecule = Chem.MolFromSmiles(smiles)
    AllChem.Compute2DCoords(molecule)
    place = np.array(molecule.GetConformer().GetPositions())[:, :2]
    K = cl.molecule_complex(molecule)
    S = cl.collapse(K, "screened")
    elements = [atom.GetSymbol() for atom in molecule.GetAtoms()]
    cl.plot.plot_complex(S, elements, positions=place, ax=ax)
    for bond in K.cells[1].as_array()[S.shares < 0.2]:
        ax.plot(*place[bond].T, ":", color="#555", lw=1.5, zorder=1)
    ax.set_title(f"{name}: {K.n_cells[2]} rings")
axes[0].legend(frameon=False, loc="lower right")

# %%
# As numbers, the same that a model would get: one row per atom.

signature = cl.heat_kernel_signature(S, scale="logz")
print(signature.features.shape)

# %%
# When not to
# -----------
# A chemist's own descriptors know elements, charges and bond orders, of which nothing is
# used here. Rings as cells add to a graph what many networks for molecules cannot see by
# themselves; whether that helps is a question for a held-out set.
