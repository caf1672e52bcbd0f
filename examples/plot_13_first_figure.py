"""
The paper's first figure
========================

The paper opens with a protein coloured by the modes of the graph Laplacian L and of the
collapse S, which has helices and strands as cells. Here is the figure again, with the
operator it leaves out: L with the same hydrogen bonds that S may use.
"""

import matplotlib.pyplot as plt
import numpy as np

import cellapse as cl

protein = cl.datasets.load_protein("1HEL")
K = protein.complex()
chain = cl.Complex.from_arrays(
    len(protein), {1: np.column_stack([np.arange(len(protein) - 1), np.arange(1, len(protein))])}
)
operators = {
    "L of the chain alone": cl.graph_laplacian(chain),
    "L with hydrogen bonds": cl.graph_laplacian(K),
    "S with hydrogen bonds": cl.collapse(K, "unfolded"),
}

# %%
# Three modes become red, green and blue. Residues that look alike move together.


def colours(operator):
    """The first three modes beyond the constant, from 0 to 1 each."""
    modes = operator.spectrum(4).vectors[:, 1:]
    return (modes - modes.min(axis=0)) / np.ptp(modes, axis=0)


trace = protein.coordinates[:, 1]
figure, axes = plt.subplots(
    1, 3, figsize=(12, 4.2), layout="constrained", subplot_kw={"projection": "3d"}
)
for ax, (name, operator) in zip(axes, operators.items(), strict=True):
    ax.plot(*trace.T, color="#888", lw=1)
    ax.scatter(*trace.T, c=colours(operator), s=40, depthshade=False)
    ax.set_title(name)
    ax.set_axis_off()
    ax.set_box_aspect(np.ptp(trace, axis=0), zoom=1.35)

# %%
# How far does the collapse move anything? At the paper's weights by no more than the
# smallest positive eigenvalue, whatever the cells are.

check = cl.theory.check(operators["S with hydrogen bonds"])
check

# %%
# When not to
# -----------
# Do not read the difference between the first picture and the last as what the collapse
# does: most of it is the hydrogen bonds, which the graph Laplacian in the middle has, too.
# Compare operators on the same edges.
