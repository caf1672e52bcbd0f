"""The one-file report: what it holds, and what a browser shows of it."""

import json
import re

import networkx as nx
import numpy as np
import pytest
from browser import keep, opened

import cellapse as cl
from cellapse.analysis import analyze
from cellapse.cli.sources import load_protein
from cellapse.report import write_report
from cellapse.report.colourings import matched
from cellapse.report.content import content
from cellapse.report.layout import arrange, neighbourhood
from cellapse.report.markup import as_json
from cellapse.report.protein import chain


@pytest.fixture(scope="module")
def football():
    data = cl.datasets.load("football")
    groups = [data.group_names[g] for g in data.groups]
    return analyze(cl.clique_complex(data.graph), title=data.title, groups=groups)


@pytest.fixture(scope="module")
def file(football, tmp_path_factory):
    return write_report(football, tmp_path_factory.mktemp("report") / "report.html")


def embedded(file):
    text = file.read_text(encoding="utf-8")
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', text)[1]
    )


def test_the_file_holds_no_address(file):
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]", text)
    assert "default-src 'none'" in text.replace("&#x27;", "'")


def test_the_numbers_are_those_of_the_library(file, football):
    data = embedded(file)
    S = cl.collapse(football.complex, realization="screened", renormalize=5)
    assert np.allclose(data["spectra"][0]["values"], S.spectrum().values, atol=1e-4)
    L = cl.graph_laplacian(football.complex).spectrum().values
    assert np.allclose(data["spectra"][1]["values"], L, atol=1e-3)
    assert data["colourings"][0]["values"] == cl.cluster(S, 12).numbers.tolist()
    assert len(data["network"]["edges"]) == 613
    assert len(data["network"]["cells"]) == 810
    heat = cl.heat_kernel_signature(S, data["signatures"]["times"]).features
    assert np.allclose(data["signatures"]["nodes"], heat, rtol=1e-3, atol=1e-6)
    assert sum(data["shares"]["counts"]) == 613


def test_hostile_labels_are_words(tmp_path):
    bad = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"
    graph = nx.relabel_nodes(nx.karate_club_graph(), {0: bad, 1: "a&b\u2028'\"${x}"})
    found = analyze(cl.clique_complex(graph), 2, title=f"<b>{bad}", groups=[bad] * 17 + ["x"] * 17)
    file = write_report(found, tmp_path / "report.html")
    text = file.read_text(encoding="utf-8")
    assert "<script>document" not in text
    assert "<img" not in text
    with opened(file.as_uri()) as page:
        assert page.title().startswith("<b></script>")
        page.get_by_label("Colour vertices by").select_option(label="Known groups")
        page.get_by_label("labels").check()
        assert page.locator("text.label").first.text_content() == bad
        assert page.locator("img").count() == 0


def test_a_reader_clicks_through_it(file, football):
    with opened(file.as_uri()) as page:
        page.wait_for_selector("#network .node")
        keep(page, "report-light")
        circles = page.locator("#network .node")
        assert circles.count() == 115
        fills = "nodes => nodes.map(n => n.getAttribute('fill'))"
        by_cluster = circles.evaluate_all(fills)
        numbers = football.clusters[0].numbers
        forms = circles.evaluate_all(
            "nodes => nodes.map(n => n.getAttribute('d').split('a').length)"
        )
        look = [(f, d > 1) for f, d in zip(by_cluster, forms, strict=True)]
        for i, j in [(0, 4), (0, 1), (5, 9)]:  # the same look is the same cluster
            assert (look[i] == look[j]) == (numbers[i] == numbers[j])

        page.get_by_label("Colour vertices by").select_option(label="Eigenvector 2 of S")
        by_vector = circles.evaluate_all(fills)
        assert by_vector != by_cluster
        vector = football.spectra[0].vectors[:, 1]
        assert by_vector[int(np.argmax(abs(vector)))] in ("#b35806", "#2166ac")
        red = [int(f[1:3], 16) - int(f[5:7], 16) for f in by_vector]
        assert np.corrcoef(red, vector)[0, 1] > 0.95

        points = page.locator("#spectrum .mark[data-series=S]")
        assert points.count() == 30
        shown = points.evaluate_all("marks => marks.map(m => Number(m.dataset.y))")
        assert np.allclose(shown, football.spectra[0].values[:30], atol=1e-4)
        slider = page.get_by_label("Eigenvalues shown")
        slider.focus()
        page.keyboard.press("End")
        assert points.count() == 115

        before = page.locator("#flat .mark").first.get_attribute("data-x")
        page.get_by_label("Across").select_option(label="eigenvector 5")
        assert page.locator("#flat .mark").first.get_attribute("data-x") != before

        picture = "canvas => canvas.toDataURL()"
        cloud = page.locator("#cloud canvas")
        flat = cloud.evaluate(picture)
        cloud.focus()
        page.keyboard.press("ArrowRight")
        assert cloud.evaluate(picture) != flat

        assert page.locator("#heat .one").count() == 0
        page.get_by_label("Find a vertex").fill("Nevada")
        page.keyboard.press("Enter")
        assert page.locator("#heat .one").count() == 1
        assert page.locator("#network .node.chosen").count() == 1
        assert "Nevada" in page.locator("#chosen").text_content()

        page.get_by_label("cells", exact=True).uncheck()
        assert page.locator("#network .cell").count() == 0
        moved = page.locator("#network svg > g").get_attribute("transform")
        page.locator("#network svg").focus()
        page.keyboard.press("+")
        assert page.locator("#network svg > g").get_attribute("transform") != moved


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1200, "dark")])
def test_phone_and_dark(file, width, scheme):
    with opened(file.as_uri(), width, scheme) as page:
        page.wait_for_selector("#network .node")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        card = page.evaluate("getComputedStyle(document.querySelector('section')).backgroundColor")
        assert card == "rgb(26, 32, 41)"
        keep(page, f"report-{scheme}-{width}")
        page.get_by_text("Light / dark").click()
        card = page.evaluate("getComputedStyle(document.querySelector('section')).backgroundColor")
        assert card == "rgb(255, 255, 255)"


def test_every_control_is_reached_by_the_tab_key(file):
    with opened(file.as_uri()) as page:
        page.wait_for_selector("#network .node")
        wanted = page.locator("button, select, input, canvas, #network svg").count()
        reached = set()
        for _ in range(wanted + 5):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.outerHTML.slice(0, 80)"))
        assert len(reached) >= wanted


def test_a_large_complex_says_that_it_is_a_sample():
    points = nx.random_geometric_graph(3000, 0.04, seed=0)
    found = analyze(cl.clique_complex(points), 5)
    drawn = content(found)
    assert len(drawn["network"]["nodes"]) == 1000
    assert "1,000 of 3,000 vertices" in drawn["network"]["note"]
    assert "1,500 of 3,000" in drawn["embedding"]["note"]
    assert "30 smallest of 3,000" in drawn["signatures"]["note"]
    edges = {tuple(sorted(e)) for e in found.complex.cells[1].as_array().tolist()}
    place = {label: i for i, label in enumerate(found.complex.labels)}
    names = [place[int(v)] for v in drawn["labels"]]
    at = [names[i] for i in drawn["network"]["nodes"]]
    for i, j, _ in drawn["network"]["edges"][:200]:
        assert tuple(sorted((at[i], at[j]))) in edges


@pytest.mark.parametrize(
    "K",
    [
        cl.Complex.from_arrays(1, {}),
        cl.Complex.from_arrays(3, {}),
        cl.Complex.from_arrays(2, {1: [[0, 1]]}),
        cl.Complex.from_arrays(6, {1: [[0, 1], [0, 2], [3, 4]], 2: [[0, 1, 2]]}),
        cl.Complex.from_cells(
            {1: [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")], 2: [tuple("abcd")]}
        ),
    ],
    ids=["one vertex", "no edges", "one edge", "components", "square"],
)
def test_small_and_odd_complexes(K, tmp_path):
    file = write_report(analyze(K), tmp_path / "report.html")
    with opened(file.as_uri()) as page:
        page.wait_for_selector("html[data-ready]")


def test_layout_by_hand():
    K = cl.Complex.from_arrays(6, {1: [[0, 1], [1, 2], [3, 4]]})
    assert neighbourhood(K, 4).tolist()[:3] == [0, 1, 2]
    assert len(neighbourhood(K, 5)) == 5
    barbell = nx.barbell_graph(6, 0)
    edges = np.array(barbell.edges)
    place = arrange(12, edges, np.ones(len(edges)))
    assert place.min() >= -1e-9
    assert place.max() <= 1 + 1e-9
    left, right = place[:6].mean(axis=0), place[6:].mean(axis=0)
    inner = np.linalg.norm(place[:6] - left, axis=1).mean()
    assert np.linalg.norm(left - right) > 2 * inner


def test_matching_numbers():
    assert matched(np.array([2, 2, 0, 1]), np.array([0, 0, 1, 1])).tolist()[:2] == [0, 0]
    assert sorted(set(matched(np.array([0, 1, 2, 3]), np.zeros(4, int)).tolist())) == [0, 1, 2, 3]


def test_json_within_a_script():
    assert "<" not in as_json({"</script>": "<!--&\u2028"})
    assert json.loads(as_json({"</script>": "<!--&\u2028"})) == {"</script>": "<!--&\u2028"}


def test_a_protein_in_three_dimensions(tmp_path):
    source = load_protein("1HEL")
    found = analyze(source.complex, 4, title=source.title)
    file = write_report(found, tmp_path / "report.html")
    drawn = embedded(file)["protein"]
    assert len(drawn["backbone"]) == 129
    assert drawn["dssp"].count("helix") == int((cl.datasets.load_protein("1HEL").dssp == "H").sum())
    with opened(file.as_uri()) as page:
        page.wait_for_selector("#by-cluster[data-colouring]")
        page.wait_for_timeout(300)
        keep(page, "protein")
        assert page.locator(".molecule canvas").count() == 3
        assert page.locator("#by-dssp").get_attribute("data-colouring") == "Attribute dssp"
        rows = page.locator("#protein tbody tr")
        assert rows.count() == 129
        assert "LYS" in rows.first.text_content()
        shot = page.locator("#by-mode").screenshot()
        assert len(set(shot)) > 50  # something is drawn
        page.get_by_label("Mode").select_option(label="Eigenvector 5 of S")
        page.wait_for_timeout(300)
        assert page.locator("#by-mode").get_attribute("data-colouring") == "Eigenvector 5 of S"
        assert page.locator("#by-mode").screenshot() != shot


def test_a_broken_chain_jumps(tmp_path):
    source = load_protein("1HEL")
    columns = dict(source.complex.attributes[0])
    columns["backbone"] = np.array(columns["backbone"])
    columns["backbone"][60:] += 10.0
    K = source.complex
    cells = {k: (c.indptr, c.indices) for k, c in enumerate(K.cells) if k}
    broken = cl.Complex.from_arrays(K.n_vertices, cells, K.labels, attributes={0: columns})
    numbers = chain(analyze(broken, 3))["numbers"]
    assert np.flatnonzero(np.diff(numbers) == 2).tolist() == [59]
