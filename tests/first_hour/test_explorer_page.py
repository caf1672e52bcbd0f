"""The explorer in a browser, as on the first day: compare, click, copy, keep; names stay."""

import json
import re
import sys

import numpy as np
import pytest
from browser import opened

import cellapse as cl
from cellapse import cli
from cellapse._sources import source_of
from cellapse.report.explorer import Explorer
from cellapse.report.recipes import Origin
from cellapse.report.server import Server
from cellapse.report.settings import Settings


@pytest.fixture(scope="module")
def explorer():
    source = source_of("football")
    return Explorer(source.complex, source.title, source.groups, Origin.of("football"))


@pytest.fixture(scope="module")
def opened_page(explorer):
    with Server(explorer) as server, opened(server.address) as page:
        page.wait_for_selector("html[data-answers='1']")
        for drawing in ("#network", "#plain-network"):  # drawn once its width is known
            page.wait_for_selector(f"{drawing} .node")
        yield page


@pytest.fixture
def page(opened_page):
    """The page with twelve clusters, whatever a test before has done."""
    if opened_page.evaluate("document.getElementById('clusters').value") != "12":
        move(opened_page, "clusters", 12)
    return opened_page


def move(page, slider, value):
    answers = int(page.evaluate("document.documentElement.dataset.answers"))
    page.evaluate(
        "([id, v]) => { const s = document.getElementById(id); s.value = v;"
        " s.dispatchEvent(new Event('input')); }",
        [slider, value],
    )
    page.wait_for_selector(f"html[data-answers='{answers + 1}']")


def legend(page):
    return page.locator("#legend li").all_text_contents()


def marks(page, drawing="#network"):
    """Colour and form of every vertex."""
    return page.locator(f"{drawing} [data-layer=nodes] .node").evaluate_all(
        "n => n.map(m => m.getAttribute('fill') + m.getAttribute('d').replace(/[-0-9. ]/g, ''))"
    )


def test_names_and_colours_come_back_with_the_slider(page):
    names, colours = legend(page), marks(page)
    assert names == ["Clusters of S", *(f"cluster {c}" for c in range(12))]
    move(page, "clusters", 20)
    assert legend(page)[1:] == [f"cluster {c}" for c in range(20)]
    twenty = marks(page)
    kept = np.mean([a == b for a, b in zip(colours, twenty, strict=True)])
    assert kept > 0.6  # what stays together keeps its colour
    move(page, "clusters", 12)
    assert legend(page) == names
    assert marks(page) == colours


def test_known_groups_have_names_in_natural_order_and_the_same_colours(page):
    clusters = marks(page)
    page.get_by_label("Colour by").select_option(label="Known groups")
    assert legend(page) == ["Known groups", *cl.datasets.load("football").group_names]
    same = np.mean([a == b for a, b in zip(clusters, marks(page), strict=True)])
    assert same > 0.9  # as many as agree
    page.get_by_label("Colour by").select_option(label="Clusters of S")


def test_s_and_l_side_by_side_with_what_is_known(page, explorer):
    text = page.locator("#agreement").text_content()
    mine, plain = explorer.answer(Settings(clusters=12))["accuracy"]
    assert f"{100 * mine:.1f} % of the vertices are in their known group with S" in text
    assert f"{100 * plain:.1f} % with L" in text
    assert len(marks(page, "#plain-network")) == 115


def test_the_clicked_vertex_is_described(page):
    node = list(cl.datasets.load("football").graph).index("NotreDame")
    page.dispatch_event(f"#network [data-node='{node}']", "click")
    words = page.locator("#details").text_content()
    for word in ("NotreDame", "Independents", "cluster of L", "strongest edges"):
        assert word in words
    page.dispatch_event(f"#plain-network [data-node='{node}']", "click")
    assert page.locator("#details").text_content() == ""


def test_what_is_copied_gives_the_same_clusters(page, monkeypatch, capsys):
    answers = int(page.evaluate("document.documentElement.dataset.answers"))
    page.get_by_label("Realization").select_option("unfolded")
    page.wait_for_selector(f"html[data-answers='{answers + 1}']")
    move(page, "gamma", 0.5)
    with page.expect_download() as download:
        page.click("#csv")
    rows = download.value.path().read_text(encoding="utf-8").splitlines()
    assert rows[0] == "node,cluster,cluster_graph_laplacian,known_group"
    kept = [int(row.split(",")[1]) for row in rows[1:]]
    page.click("#copy-python")
    names = {}
    exec(page.locator("#recipe").text_content(), names)
    assert names["clusters"].numbers.tolist() == kept
    page.click("#copy-command")
    command = page.locator("#recipe").text_content()
    assert re.match("cellapse cluster football -k 12 --operator unfolded --beta", command)
    monkeypatch.setattr(sys, "argv", [*command.split(), "--json"])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert not stopped.value.code
    assert json.loads(capsys.readouterr().out)["cluster"] == kept


def test_the_operator_of_the_report_is_the_first_that_is_explored(explorer):
    analysis = cl.analyze("football", quick=True)
    answer = explorer.answer(Settings(clusters=12))
    assert answer["nodes"]["clusters"] == analysis.clusters[0].numbers.tolist()
    assert answer["nodes"]["plain_clusters"] == analysis.clusters[1].numbers.tolist()
