"""
Which cells matter
==================

How much would the distance between the two leaders of the karate club change, if an edge
or a triangle counted a little more? The derivative of a result with respect to the weight
of every cell is exact, and one pass gives it for all of them.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import cellapse as cl

graph = nx.karate_club_graph()
K = cl.clique_complex(graph)
S = cl.collapse(K)
influence = cl.tasks.cell_influence(S, "resistance", (0, 33))
for rank, cell, change in influence.strongest(6):
    print(f"rank {rank}  {cell!s:<14} {change:+.4f}")

# %%
# Edges and triangles in the colour of their influence on the resistance between the two
# (marked); the strongest bring them closer.

place = nx.kamada_kawai_layout(graph)
xy = np.array([place[v] for v in graph])
figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for rank, ax in zip((1, 2), axes, strict=True):
    change = np.asarray(influence.by_rank[rank])
    cells = K.cells[rank].as_array()
    shade = abs(change) / abs(change).max()
    for cell, value, sign in zip(cells, shade, change, strict=True):
        colour = "#0072B2" if sign < 0 else "#D55E00"
        if rank == 1:
            ax.plot(*xy[cell].T, color=colour, lw=0.4 + 5 * value, alpha=0.25 + 0.75 * value)
        else:
            ax.fill(*xy[cell].T, color=colour, alpha=0.03 + 0.6 * value, lw=0)
    ax.scatter(*xy.T, s=18, color="#333", zorder=3)
    ax.scatter(*xy[[0, 33]].T, s=110, color="#E69F00", edgecolor="#333", zorder=4)
    ax.set_title(("edges", "triangles")[rank - 1])
    ax.axis("off")

# %%
# When not to
# -----------
# A derivative speaks of small changes: it does not say what happens when a cell is taken
# away. A repeated eigenvalue has no derivative, and asking for one is an error. For the
# effect of removing a cell, remove it and compute again.
