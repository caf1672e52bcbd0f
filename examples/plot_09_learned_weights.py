"""
Learning the weights of cells
=============================

The collapse is a layer with gradients: here it learns one weight for each edge and
triangle of a graph with false edges, so that noisy signals become clean. Nothing says
which edges are false.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import torch

import cellapse as cl
from cellapse.torch import Collapse

rng = np.random.default_rng(0)
graph = nx.random_geometric_graph(80, 0.2, seed=1)
place = np.array([graph.nodes[v]["pos"] for v in graph])
missing = np.array(list(nx.non_edges(graph)))
false = missing[rng.choice(len(missing), 40, replace=False)]
graph.add_edges_from(false.tolist())
K = cl.clique_complex(graph)

# %%
# Sixteen smooth signals to learn from, with noise.

waves = rng.uniform(-4, 4, (2, 16))
clean = torch.tensor(np.sin(place @ waves + rng.uniform(0, 6, 16)))
noisy = clean + 0.5 * torch.randn(clean.shape, generator=torch.Generator().manual_seed(0))

layer = Collapse(K, realization="screened", learn_weights=[1, 2])
strength = torch.nn.Parameter(torch.tensor(0.0))
optimizer = torch.optim.Adam([*layer.parameters(), strength], lr=0.05)
losses = []
for _ in range(60):
    optimizer.zero_grad()
    loss = (layer.solve(noisy, strength.exp()) - clean).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(float(loss.detach()))

# %%
# What was learned: the wider an edge, the more it counts; false ones are orange.

weights = layer.log_weights["1"].detach().numpy()
edges = K.cells[1].as_array()
wrong = {tuple(sorted(e)) for e in false.tolist()}
is_false = np.array([tuple(sorted(e)) in wrong for e in edges.tolist()])
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
axes[0].plot(losses, color="#0072B2")
axes[0].set(xlabel="step", ylabel="mean squared error")
for (a, b), w, f in zip(edges, weights, is_false, strict=True):
    width = 3 * (w - weights.min()) / np.ptp(weights)
    axes[1].plot(*place[[a, b]].T, color="#D55E00" if f else "#0072B2", lw=width, alpha=0.7)
axes[1].scatter(*place.T, s=10, color="#333", zorder=3)
axes[1].set_aspect("equal")
axes[1].axis("off")
both = [weights[~is_false], weights[is_false]]
axes[2].hist(both, 30, stacked=True, color=["#0072B2", "#D55E00"], label=["real", "false"])
axes[2].set(xlabel="logarithm of the learned weight of an edge", ylabel="edges")
axes[2].legend(frameon=False)

# %%
# When not to
# -----------
# One weight per edge is a lot to learn: on the citations of Cora such weights learn by
# heart and lose on what they have not seen. Share weights between cells that are alike,
# or learn only beta, gamma and eps, unless there is as much to learn from as here.
