"""Draw the pictures of the README and the docs: `python docs/make_figures.py`."""

from __future__ import annotations

import runpy
import shutil
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.collections import LineCollection

import cellapse as cl

IMAGES = Path(__file__).parent / "images"


def false_edges() -> None:
    """The network of `cellapse demo`: what it is given, what trust makes of it, and the figures."""
    from cellapse.cli.demo import NETWORK, measured

    K, true, trust, said = measured()
    data = cl.datasets.load(NETWORK)
    edges = K.cells[1].as_array()
    graph = nx.Graph([tuple(e) for e in edges[true].tolist()])
    graph.add_nodes_from(range(K.n_vertices))
    start = nx.kamada_kawai_layout(graph)
    place = nx.spring_layout(graph, pos=start, iterations=60, seed=1, k=0.13)
    xy = np.array([place[i] for i in range(K.n_vertices)])
    xy = (xy - xy.mean(axis=0)) @ np.linalg.svd(xy - xy.mean(axis=0))[2].T[:, ::-1]  # upright
    figure, axes = plt.subplots(1, 3, figsize=(11.6, 5.2), width_ratios=(1, 1, 1.05))
    colours = np.array(["#0072B2", "#E69F00", "#999999"])[data.groups]
    panels = [
        (f"{said.real} true edges and {said.false} false", np.full(len(true), 0.5)),
        ("Edges as strong as their trust", trust),
    ]
    for ax, (title, shown) in zip(axes[:2], panels, strict=True):
        for real, colour in ((True, (0.2, 0.24, 0.3)), (False, (0.835, 0.37, 0.0))):
            at = np.flatnonzero(true == real)
            lines = LineCollection(
                xy[edges[at]],
                colors=[(*colour, 0.05 + 0.85 * s) for s in shown[at]],
                linewidths=0.3 + 1.5 * shown[at],
            )
            ax.add_collection(lines)
        ax.scatter(*xy.T, s=34, c=colours, edgecolor="white", linewidth=0.6, zorder=3)
        ax.set_xlim(xy[:, 0].min() - 0.05, xy[:, 0].max() + 0.05)
        ax.set_title(title, fontsize=12)
        ax.axis("off")
    _bars(axes[2], said)
    figure.tight_layout(w_pad=0.5)
    figure.savefig(IMAGES / "false_edges.png", dpi=100, pil_kwargs={"optimize": True})


def _bars(ax: plt.Axes, said: object) -> None:
    """How well the scores find false edges, and how many labels are right."""
    names = ("trust", "hub promoted", "topological overlap", "Jaccard", "common neighbours")
    values = [said.areas[n] for n in names]
    labels = [said.labels["renormalized"], said.labels["laplacian"]]
    places = [*range(len(names)), len(names) + 1.2, len(names) + 2.2]
    look = ["#0072B2", *["#b8c4d0"] * (len(names) - 1), "#0072B2", "#b8c4d0"]
    ax.barh(places, [*values, *labels], color=look)
    ax.set_yticks(places, [*names, "spread over S", "spread over L"], fontsize=9)
    for y, v in zip(places, [*values, *labels], strict=True):
        ax.text(
            v + 0.01,
            y,
            f"{v:.3f}" if y < len(names) else f"{100 * v:.0f} %",
            va="center",
            fontsize=9,
        )
    ax.text(0.0, -0.85, "finds the false edges (area under the curve)", fontsize=9, color="#444")
    ax.text(0.0, len(names) + 0.35, "three labels a group: right for", fontsize=9, color="#444")
    ax.set_xlim(0, 1.1)
    ax.invert_yaxis()
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    ax.set_xticks([])


def collapse() -> None:
    """A complex, its graded Laplacian, and what is left on the vertices."""
    edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4), (4, 5), (5, 6), (4, 6)]
    K = cl.clique_complex(nx.Graph(edges))
    xy = np.array([[0, 0.5], [1, 1.2], [1, -0.2], [2, 0.5], [3.2, 0.5], [4.2, 1.2], [4.2, -0.2]])
    figure, axes = plt.subplots(1, 3, figsize=(11.6, 3.4), width_ratios=(1.25, 0.8, 1.25))
    for members in K.cells[2].as_array():
        axes[0].fill(*xy[members].T, color="#E69F00", alpha=0.35)
    shares = -cl.collapse(K).toarray()
    for ax, width in ((axes[0], lambda i, j: 2.0), (axes[2], lambda i, j: 7.0 * shares[i, j])):
        for i, j in K.cells[1].as_array():
            ax.plot(*xy[[i, j]].T, color="#33475b", linewidth=width(i, j), zorder=1)
        ax.scatter(*xy.T, s=150, color="#0072B2", edgecolor="white", linewidth=1.5, zorder=2)
        ax.set(aspect="equal", xlim=(-0.3, 4.5), ylim=(-0.6, 1.6))
        ax.axis("off")
    _blocks(axes[1], K.n_cells)
    titles = (
        "A complex: vertices, edges, triangles",
        "Its graded Laplacian couples them",
        "Cells eliminated: an operator on the vertices",
    )
    figure.tight_layout(w_pad=2, rect=(0, 0, 1, 0.92))
    for ax, title in zip(axes, titles, strict=True):
        place = ax.get_position()
        figure.text((place.x0 + place.x1) / 2, 0.93, title, ha="center", fontsize=11.5)
    figure.savefig(IMAGES / "collapse.png", dpi=100, pil_kwargs={"optimize": True})


def _blocks(ax: plt.Axes, sizes: tuple[int, ...]) -> None:
    """The blocks A, X and C of the graded Laplacian, as large as they are."""
    n, m = sizes[0], sum(sizes[1:])
    blocks = (("$A$", 0, 0, n, n, "#0072B2"), ("$X$", n, 0, m, n, "#56B4E9"),
              ("$X^T$", 0, n, n, m, "#56B4E9"), ("$C$", n, n, m, m, "#E69F00"))  # fmt: skip
    for name, x, y, width, height, colour in blocks:
        ax.add_patch(plt.Rectangle((x, y), width, height, color=colour, alpha=0.55, ec="white"))
        ax.text(x + width / 2, y + height / 2, name, ha="center", va="center", fontsize=15)
    for at, name in ((n / 2, "vertices"), (n + m / 2, "edges, triangles")):
        ax.text(at, n + m + 0.6, name, ha="center", va="top", fontsize=9.5)
    ax.set(xlim=(-0.5, n + m + 0.5), ylim=(n + m + 2, -0.5), aspect="equal")
    ax.axis("off")


def report() -> None:
    """The upper part of the report of `cellapse demo`, as a browser shows it."""
    from cellapse.cli.demo import demo

    with tempfile.TemporaryDirectory() as folder:
        demo(Path(folder), quiet=True)
        file = Path(folder) / "report.html"
        _photograph(file.as_uri(), "#network .node", "report.png", (1100, 1215))


def modes() -> None:
    """A protein coloured by the modes of several operators."""
    from cellapse.experiments.tables.teaser import SHOWN, picture

    drawn = picture(cl.datasets.load_protein(SHOWN))
    page = f"<body style='margin:0;font:14px sans-serif'>{drawn}"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "modes.html"
        file.write_text(page, encoding="utf-8")
        _photograph(file.as_uri(), "svg", "modes.png", (980, 720))


def metric_weights() -> None:
    """A mesh of uneven density, denoised with and without its metric, and the sphere's spectrum."""
    from scipy.spatial import ConvexHull

    from cellapse import weights

    figure, axes = plt.subplots(1, 2, figsize=(11.6, 4), layout="constrained")
    exact = np.repeat([0, 2, 6, 12, 20], [1, 3, 5, 7, 9])
    axes[0].plot(exact, color="#999999", lw=4, label="the sphere: l (l + 1)")
    rng = np.random.default_rng(0)
    points = rng.standard_normal((2000, 3)) * [1.0, 1.0, 3.0]  # crowded at the poles
    points /= np.linalg.norm(points, axis=1)[:, None]
    K = weights.intrinsic_delaunay(cl.lifts.mesh_complex(points, ConvexHull(points).simplices))
    metric = K.with_attributes(None, weights.hodge_star(K, least=1e-6))
    for source, colour, name in (
        (metric, "#0072B2", "collapse, Hodge star"),
        (K, "#D55E00", "collapse, no weights (scaled)"),
    ):
        values = cl.collapse(source).spectrum(25).values
        scaled = values * (1.0 if source is metric else 2.0 / values[1:4].mean())
        axes[0].plot(scaled, "o", ms=4, color=colour, label=name)
    axes[0].set(xlabel="number of the eigenvalue", title="2,000 uneven points on a sphere")
    axes[0].legend(frameon=False)
    drawn = axes[1].scatter(
        *points[points[:, 1] > 0][:, [0, 2]].T,
        c=metric.weights[0][points[:, 1] > 0],
        s=8,
        cmap="viridis",
    )
    figure.colorbar(drawn, ax=axes[1], label="dual area of a vertex")
    axes[1].set(aspect="equal", title="the mesh from the side", xticks=[], yticks=[])
    figure.savefig(IMAGES / "metric_weights.png", dpi=80, pil_kwargs={"optimize": True})


def gaussian_processes() -> None:
    """The picture of the example in the gallery."""
    example = IMAGES.parents[1] / "examples" / "plot_23_gaussian_process.py"
    figure = runpy.run_path(str(example))["figure"]
    figure.savefig(IMAGES / "gaussian_processes.png", dpi=80, pil_kwargs={"optimize": True})


def reduction() -> None:
    """Points, what is left of their network on some, whole and sparse, and resistances."""
    points = np.random.default_rng(3).random((900, 2))
    S = cl.collapse(cl.lifts.nearest_neighbour_complex(points, 6))
    R = cl.reduce(S, 120)
    few = cl.reduce(S, R.labels, sparse=0.5)
    kept = points[R.vertices]
    figure, axes = plt.subplots(1, 4, figsize=(13.6, 3.7), layout="constrained")
    i, j = S.tocsr().nonzero()
    axes[0].add_collection(
        LineCollection(points[np.column_stack([i, j])], colors="#9aa7b5", lw=0.4)
    )
    axes[0].set_title("900 vertices, 120 of them kept")
    for ax, M in zip(axes[1:3], (R.toarray(), few.toarray()), strict=True):
        W = np.triu(-M, 1)
        a, b = W.nonzero()
        width = np.maximum(4.0 * W[a, b] / W.max(), 0.15)
        ends = kept[np.column_stack([a, b])]
        ax.add_collection(LineCollection(ends, colors="#0072B2", lw=width))
        ax.set_title(f"{len(a):,} edges" + (", sparse=0.5" if ax is axes[2] else ", exact"))
    for ax in axes[:3]:
        ax.plot(*kept.T, "o", ms=3.5, color="#D55E00")
        ax.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xticks=[], yticks=[], aspect="equal")
    pairs = [(u, v) for u in R.labels for v in R.labels if u < v]
    before, after, about = (cl.effective_resistance(given, pairs) for given in (S, R, few))
    axes[3].plot(before, about, ".", ms=2, color="#9aa7b5", label="sparse")
    axes[3].plot(before, after, ".", ms=2, color="#0072B2", label="exact")
    axes[3].set(xlabel="resistance before", ylabel="after", title="all pairs")
    axes[3].legend(frameon=False, markerscale=5)
    figure.savefig(IMAGES / "reduction.png", dpi=72, pil_kwargs={"optimize": True})


def over_time() -> None:
    """The classes of a high school, day by day, and the changes from hour to hour."""
    T = cl.temporal.load_timed_contacts("highschool")
    figure, axes = plt.subplots(1, 2, figsize=(11.6, 3.9), layout="constrained")
    cl.plot.plot_groups(cl.collapse_over_time(T, "1d"), ax=axes[0])
    axes[0].set_title("groups, day by day")
    hours = cl.collapse_over_time(T, "1h")
    cl.plot.plot_changes(cl.temporal.find_changes(hours), ax=axes[1])
    axes[1].set_title("where hours change")
    figure.savefig(IMAGES / "over_time.png", dpi=80, pil_kwargs={"optimize": True})


def _photograph(address: str, ready: str, name: str, size: tuple[int, int]) -> None:
    """What a browser shows once there is a `ready`, at three quarters of its size."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play, tempfile.TemporaryDirectory() as folder:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        page.goto(address)
        page.wait_for_selector(ready)
        page.screenshot(path=Path(folder) / name)
        browser.close()
        smaller = (3 * size[0] // 4, 3 * size[1] // 4)
        shot = Image.open(Path(folder) / name).convert("RGB").resize(smaller, Image.LANCZOS)
    # Octree keeps all the hues of the palette; the median cut drops those of small marks.
    shot.quantize(256, Image.Quantize.FASTOCTREE).save(IMAGES / name, optimize=True)


if __name__ == "__main__":
    collapse()
    false_edges()
    report()
    modes()
    reduction()
    metric_weights()
    gaussian_processes()
    over_time()
