"""
Comparing operators on your own data
====================================

Every task takes every operator, so a comparison is a loop. Replace the first lines by
your network, keep the rest: clusters by six operators, how they agree with each other, and
with known groups where there are any.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from sklearn.metrics import adjusted_rand_score

import cellapse as cl

graph = nx.les_miserables_graph()
known = cl.datasets.load("lesmis")
K, n_clusters = cl.clique_complex(graph), 8
groups = dict(zip(known.graph, known.groups, strict=True))
groups = [groups.get(v, -1) for v in K.labels]

# %%

operators = {
    "L": cl.graph_laplacian(K),
    "motif": cl.motif_laplacian(K),
    "multiorder": cl.multiorder_laplacian(K),
    "unfolded": cl.collapse(K, "unfolded"),
    "screened": cl.collapse(K, "screened"),
    "renormalized": cl.collapse(K),
}
clusters = {name: cl.cluster(S, n_clusters).numbers for name, S in operators.items()}
modularity = {name: cl.tasks.modularity(K, numbers) for name, numbers in clusters.items()}
parts = [*clusters.values(), groups]
agreement = np.array([[adjusted_rand_score(a, b) for b in parts] for a in parts])

# %%
# On the left, the eigenvalues; on the right, how far any two agree (1 is the same, 0 is
# chance).

figure, axes = plt.subplots(1, 3, figsize=(13, 3.9), layout="constrained")
cl.plot.plot_spectrum(
    {name: operators[name] for name in ("L", "unfolded", "renormalized")}, 30, ax=axes[0]
)
axes[1].barh(list(modularity), list(modularity.values()), color="#0072B2")
axes[1].set(xlabel="modularity of the clusters")
axes[1].invert_yaxis()
axes[2].imshow(agreement, cmap="Blues", vmin=0, vmax=1)
names = [*clusters, "known"]
axes[2].set_xticks(range(len(names)), names, rotation=60, ha="right")
axes[2].set_yticks(range(len(names)), names)
for (i, j), value in np.ndenumerate(agreement):
    colour = "white" if value > 0.6 else "black"
    axes[2].text(j, i, f"{value:.2f}", ha="center", va="center", color=colour, fontsize=7)
axes[2].set_title("adjusted Rand index")

# %%
# When not to
# -----------
# Do not choose the operator that agrees best with labels and then report that figure: six
# tries find something in noise. Choose on one part of the data and report on another, and
# say how many you tried. High modularity is no proof of groups either: a random graph has
# it, too.
