"""
False edges in a network
========================

A third as many random edges as there are games are added to the football network.
How far can each edge be trusted, by the triangles that hold it? The edges that were
added are known, so the answer can be checked, beside a classical score.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from sklearn.metrics import roc_auc_score

import cellapse as cl

clean = cl.datasets.load("football").graph
rng = np.random.default_rng(0)
missing = np.array(list(nx.non_edges(clean)))
chosen = rng.choice(len(missing), clean.number_of_edges() // 3, replace=False)
noisy = clean.copy()
noisy.add_edges_from(missing[chosen].tolist())

K = cl.clique_complex(noisy)
trust = cl.edge_trust(K)
K

# %%
# Jaccard's coefficient, the share of common neighbours, is the usual score for the
# same question. Both are judged by the area under the ROC curve: the probability that
# a real edge gets the higher score.

is_false = np.array([not clean.has_edge(*edge) for edge in trust.edges])
jaccard = np.array([p for *_, p in nx.jaccard_coefficient(noisy, trust.edges)])
print(f"trust    {roc_auc_score(~is_false, trust.values):.3f}")
print(f"Jaccard  {roc_auc_score(~is_false, jaccard):.3f}")

# %%
# The network as it is given, and with edges as strong as their trust. What was added
# at random is orange.

figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
place = nx.spring_layout(clean, seed=3, iterations=200)
strengths = {"as given": np.full(len(trust), 0.6), "as far as trusted": trust.values}
for ax, (title, strength) in zip(axes, strengths.items(), strict=False):
    for wrong, colour in ((False, "#0072B2"), (True, "#D55E00")):
        some = [trust.edges[e] for e in np.flatnonzero(is_false == wrong)]
        alpha = 0.8 * strength[is_false == wrong]
        nx.draw_networkx_edges(noisy, place, some, ax=ax, edge_color=colour, alpha=alpha)
    nx.draw_networkx_nodes(noisy, place, ax=ax, node_size=18, node_color="#333")
    ax.set_title(title)
    ax.axis("off")
axes[2].hist(
    [trust.values[~is_false], trust.values[is_false]],
    np.linspace(0, 1, 31),
    stacked=True,
    color=["#0072B2", "#D55E00"],
    label=["games", "added at random"],
)
axes[2].set(xlabel="trust", ylabel="edges")
axes[2].legend(frameon=False)

# %%
# When not to
# -----------
# Trust goes by cells. A tree, a grid or a road network has no triangles, and every edge
# gets a trust of 0: lift to squares with :func:`cellapse.lifts.cycle_complex` there, or
# use something else. A bridge between two groups is real and looks like noise: trust
# finds edges that are out of place, not edges that are wrong.
