"""
When did it change?
===================

In each of forty windows three hundred people meet: in fives within their group, and in pairs
across groups. At three times all of them change groups. Every window has about as many edges
as the last one, and all edges are new anyway; so the number of edges does not tell when it
happens, and the graph Laplacian hardly does. The triangles do: they are within groups, and
the collapse weighs edges by them.
"""

import matplotlib.pyplot as plt

import cellapse as cl

T = cl.temporal.moving_triangles(n=300, n_windows=40, moves=(10, 20, 30), rng=0)
T

# %%
# An operator for each window, and the test: five windows before a time against five after it.

followed = {
    name: list(cl.collapse_over_time(T, 1, operator=name, n_clusters=3))
    for name in ("renormalized", "laplacian")
}
changes = {name: cl.temporal.find_changes(moments) for name, moments in followed.items()}
{name: found.to_words() for name, found in changes.items()}

# %%
# On the right: how many edges and triangles there are. Neither moves at the dotted lines.

figure, axes = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
for ax, (name, found) in zip(axes, changes.items(), strict=False):
    cl.plot.plot_changes(found, ax=ax)
    ax.set(title=name, ylim=(-0.02, 0.06))
counts = [moment.window.complex.n_cells[1:] for moment in followed["laplacian"]]
axes[2].plot(counts, label=["edges", "triangles"])
axes[2].set(title="counts", xlabel="time", ylim=(0, None))
axes[2].legend(frameon=False)
for ax in axes:
    for time in (10, 20, 30):
        ax.axvline(time, color="#999999", ls=":", zorder=0)

# %%
# When not to
# -----------
# Where the number of edges changes, counting them is simpler. Where the cells of a window say
# nothing of its groups, this sees no more than the graph Laplacian. And it takes windows: in
# the first five and the last five no change can be found.
