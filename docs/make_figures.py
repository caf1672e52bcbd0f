"""Draw the pictures of the README and the docs: `python docs/make_figures.py`."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

import cellapse as cl

IMAGES = Path(__file__).parent / "images"


def football() -> None:
    """The same network twice: as the graph sees it, and with what its triangles support."""
    data = cl.datasets.load("football")
    K = cl.clique_complex(data.graph)
    S = cl.collapse(K, realization="renormalized")
    graph = nx.relabel_nodes(data.graph, {v: i for i, v in enumerate(data.graph)})
    edges, triangles = K.cells[1].as_array(), K.cells[2].as_array()
    nx.set_edge_attributes(
        graph,
        {(int(i), int(j)): float(s) for (i, j), s in zip(edges, S.shares, strict=True)},
        "share",
    )
    layouts = [
        ("What the graph Laplacian sees", None, np.full(len(edges), S.shares.mean())),
        ("What is left after the collapse", "share", S.shares),
    ]
    figure, axes = plt.subplots(1, 2, figsize=(11, 5.4), facecolor="white")
    colours = plt.get_cmap("tab20")(np.linspace(0, 1, 20))[[0, 2, 4, 6, 8, 10, 12, 16, 18, 1, 3, 5]]
    for ax, (title, weight, shares) in zip(axes, layouts, strict=True):
        start = nx.kamada_kawai_layout(graph, weight=None)
        place = nx.spring_layout(graph, weight=weight, pos=start, iterations=300, seed=1, k=0.16)
        xy = np.array([place[i] for i in range(len(graph))])
        if weight is not None:
            ax.add_collection(PolyCollection(xy[triangles], facecolor="#3b6fb6", alpha=0.035))
        ax.add_collection(
            LineCollection(
                xy[edges],
                colors=[(0.25, 0.28, 0.33, 0.08 + 0.6 * s) for s in shares],
                linewidths=0.3 + 1.3 * shares,
            )
        )
        ax.scatter(*xy.T, s=46, c=colours[data.groups], edgecolor="white", linewidth=0.7, zorder=3)
        ax.set_title(title, fontsize=13)
        ax.axis("off")
    figure.suptitle(
        "American college football: 115 teams, 613 games, 810 triangles; colours are conferences",
        y=0.03,
        fontsize=10,
        color="#555",
    )
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(IMAGES / "football.png", dpi=100, pil_kwargs={"optimize": True})


def report() -> None:
    """The upper part of the report of the football network, as a browser shows it."""
    from cellapse.analysis import analyze
    from cellapse.report import write_report

    data = cl.datasets.load("football")
    groups = [data.group_names[g] for g in data.groups]
    found = analyze(cl.clique_complex(data.graph), title=data.title, groups=groups)
    with tempfile.TemporaryDirectory() as folder:
        file = write_report(found, Path(folder) / "report.html")
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
    football()
    report()
    modes()
