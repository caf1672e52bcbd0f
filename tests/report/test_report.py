"""The one-file report: what it holds, and what a browser shows of it."""

import json
import re

import networkx as nx
import numpy as np
import pytest
from browser import keep, opened, settled, until

import cellapse as cl
from cellapse._sources import load_protein
from cellapse.analysis import analyze
from cellapse.plot.layout import arrange, neighbourhood
from cellapse.report import write_report
from cellapse.report.colourings import colours_like, natural
from cellapse.report.content import content
from cellapse.report.markup import as_json
from cellapse.report.protein import chain
from cellapse.report.summary import edges_in_words, figures, findings


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
    S = cl.collapse(football.complex, realization="renormalized")
    assert np.allclose(data["spectra"][0]["values"], S.spectrum().values, atol=1e-4)
    L = cl.graph_laplacian(football.complex).spectrum().values
    assert np.allclose(data["spectra"][1]["values"], L, atol=1e-3)
    assert data["colourings"][0]["values"] == cl.cluster(S, 12).numbers.tolist()
    assert len(data["network"]["edges"]) == 613
    assert len(data["network"]["cells"]) == 810
    heat = cl.heat_kernel_signature(S, data["signatures"]["times"]).features
    assert np.allclose(data["signatures"]["nodes"], heat, rtol=1e-3, atol=1e-6)
    trust = cl.edge_trust(football.complex).values
    assert data["trust"]["counts"] == np.histogram(trust, np.linspace(0, 1, 21))[0].tolist()
    doubt = cl.tasks.likely_false(football.complex, evidence="cells", decoys="degree")
    first = doubt.first_break_even()[1]
    assert data["trust"]["threshold"] == doubt.trust.values[first].max()
    assert sum(data["trust"]["chance"]) == pytest.approx(613 * doubt.largest_share, rel=1e-3)
    assert data["network"]["doubted"] == np.flatnonzero(first).tolist()
    rank, cell, _ = cl.tasks.cell_influence(S).strongest(1)[0]
    first = data["network"]["matter"][0]
    labels = [data["labels"][data["network"]["nodes"][v]] for v in first["cell"]]
    assert (first["rank"], set(labels)) == (rank, set(cell))
    middle = np.quantile(heat[football.clusters[0].numbers == 3], [0.1, 0.5, 0.9], axis=0)
    band = data["signatures"]["groups"][3]
    assert np.allclose([band["low"], band["middle"], band["high"]], middle, rtol=1e-3)
    ratios = S.spectrum().values[1:] / L[1:]
    assert data["compression"][0] is None
    assert np.allclose(data["compression"][1:], ratios, atol=1e-4)


def test_the_same_colour_is_the_same_cluster():
    analysis = analyze(cl.clique_complex(cl.datasets.load("dolphins").graph), 4)
    mine, plain = (
        [c["colours"][v] for v in c["values"]] for c in content(analysis)["colourings"][:2]
    )
    assert np.mean(np.equal(mine, plain)) == cl.clustering_accuracy(*analysis.clusters)


def test_hostile_labels_are_words(tmp_path):
    bad = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"
    graph = nx.relabel_nodes(nx.karate_club_graph(), {0: bad, 1: "a&b\u2028'\"${x}"})
    analysis = analyze(
        cl.clique_complex(graph), 2, title=f"<b>{bad}", groups=[bad] * 17 + ["x"] * 17
    )
    file = write_report(analysis, tmp_path / "report.html")
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
        heights = points.evaluate_all("marks => marks.map(m => m.getBBox().y)")
        assert np.corrcoef(heights, shown)[0, 1] < -0.999  # larger is higher up
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
        rim = """canvas => {
            const { width, height } = canvas, copy = document.createElement("canvas");
            Object.assign(copy, { width, height });
            const pen = copy.getContext("2d", { willReadFrequently: true });
            pen.drawImage(canvas, 0, 0);
            const strips = [[0, 0, width, 1], [0, height - 1, width, 1],
                            [0, 0, 1, height], [width - 1, 0, 1, height]];
            return strips.some(s => pen.getImageData(...s).data.some(v => v > 0));
        }"""
        for _ in range(14):  # however it is turned, no point is cut off
            page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowUp")
            assert not cloud.evaluate(rim)

        assert page.locator("#heat .one").count() == 0
        page.get_by_label("Find a vertex").fill("Nevada")
        page.keyboard.press("Enter")
        assert page.locator("#heat .one").count() == 1
        assert page.locator("#network .node.chosen").count() == 1
        assert "Nevada" in page.locator("#chosen").text_content()

        edges = page.locator("#network .edge")
        assert edges.count() > 4  # as strong as what they keep
        page.get_by_label("edges by what they keep").uncheck()
        assert edges.count() == 1
        assert page.locator("#network .doubted").count() == 1
        page.get_by_label("edges to doubt first").uncheck()
        assert page.locator("#network .doubted").count() == 0
        page.get_by_label("cells that matter").check()
        assert page.locator("#network .matter").count() == 12
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
        cut = "boxes => boxes.filter(b => b.scrollWidth > b.clientWidth).length"
        assert page.locator("#theory .scroll, #edges .scroll").evaluate_all(cut) == 0
        card = page.evaluate("getComputedStyle(document.querySelector('section')).backgroundColor")
        assert card == "rgb(26, 32, 41)"
        keep(page, f"report-{scheme}-{width}")
        page.get_by_label("Light or dark").click()
        card = page.evaluate("getComputedStyle(document.querySelector('section')).backgroundColor")
        assert card == "rgb(255, 255, 255)"


def test_every_control_is_reached_by_the_tab_key(file):
    with opened(file.as_uri()) as page:
        page.wait_for_selector("#network .node")
        wanted = page.locator("a, button, select, input, canvas, #network svg").count()
        reached = set()
        for _ in range(wanted + 5):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.outerHTML.slice(0, 80)"))
            marked = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert marked != "none" or page.evaluate("document.activeElement === document.body")
        assert len(reached) >= wanted
        unnamed = "x => x.filter(e => !e.getAttribute('aria-label')).length"
        assert page.locator("[role=img]").evaluate_all(unnamed) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_and_lines_stand_out_from_the_ground(file, scheme):
    """WCAG AA: 4.5 to 1 for text, 3 to 1 for lines and marks without an outline."""

    def light(colour):
        r, g, b = (
            v / 12.92 if v <= 0.04 else ((v + 0.055) / 1.055) ** 2.4
            for v in (int(part, 16) / 255 for part in (colour[1:3], colour[3:5], colour[5:7]))
        )
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05

    def contrast(one, other):
        return max(light(one), light(other)) / min(light(one), light(other))

    with opened(file.as_uri(), scheme=scheme) as page:
        page.wait_for_selector("#heat path[data-group]")
        for ground in ("--card", "--page"):
            for name in ("--text", "--quiet", "--accent", "--good", "--bad"):
                analysis = page.evaluate(f"[css('{name}'), css('{ground}')]")
                assert contrast(*analysis) >= 4.5, (name, ground)
        card = page.evaluate("css('--card')")
        lines = page.locator("#heat path[data-group]").evaluate_all(
            "paths => paths.map(p => p.getAttribute('stroke'))"
        )
        marks = page.locator("#spectrum .mark").evaluate_all(
            "marks => marks.map(m => m.getAttribute('fill'))"
        )
        assert len(lines) == 12
        assert min(contrast(colour, card) for colour in {*lines, *marks}) >= 3


def test_on_paper_drawings_have_the_width_of_the_page(file):
    with opened(file.as_uri()) as page:
        page.wait_for_selector("#network .node")
        width = "box => Number(document.querySelector(box).getAttribute('width'))"
        screen = page.evaluate(width, "#spectrum svg")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate(width, "#spectrum svg") == 320
        assert page.evaluate(width, "#network svg") == 660
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.evaluate(width, "#spectrum svg") == screen
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 702, "height": 1000})
        until(page, lambda: page.evaluate("document.documentElement.scrollWidth") <= 702)
        heights = page.locator(".figures b").evaluate_all("all => all.map(b => b.clientHeight)")
        assert len(set(heights)) == 1  # none wraps
        keep(page, "report-print")


def test_a_large_complex_says_that_it_is_a_sample():
    points = nx.random_geometric_graph(3000, 0.04, seed=0)
    analysis = analyze(cl.clique_complex(points), 5)
    drawn = content(analysis)
    assert len(drawn["network"]["nodes"]) == 1000
    assert "1,000 of 3,000 vertices" in drawn["network"]["note"]
    assert "1,500 of 3,000" in drawn["embedding"]["note"]
    assert "30 smallest of 3,000" in drawn["signatures"]["note"]
    edges = {tuple(sorted(e)) for e in analysis.complex.cells[1].as_array().tolist()}
    place = {label: i for i, label in enumerate(analysis.complex.labels)}
    names = [place[int(v)] for v in drawn["labels"]]
    at = [names[i] for i in drawn["network"]["nodes"]]
    assert set(analysis.clusters[0].numbers[at]) == {0, 1, 2, 3, 4}  # some of every cluster
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


def test_components_are_not_the_embedding():
    K = cl.clique_complex(
        nx.disjoint_union_all([nx.barbell_graph(5, 0), nx.path_graph(4), nx.empty_graph(3)])
    )
    analysis = analyze(K, 5)
    drawn = content(analysis)["embedding"]
    assert (analysis.n_zeros, drawn["first"]) == (5, 6)
    vectors = np.array(drawn["vectors"])
    assert vectors.shape[1] >= 3
    assert np.allclose(vectors[14:], 0, atol=1e-8)  # nothing to tell on a lone vertex
    assert abs(vectors[:, 0]).max() > 0.1
    names = [c["name"] for c in content(analysis)["colourings"]]
    assert "Eigenvector 6 of S" in names
    assert "Eigenvector 5 of S" not in names
    assert "eigenvector 5" in drawn["note"]


def test_findings_in_words():
    tree = findings(analyze(cl.clique_complex(nx.balanced_tree(2, 3)), 2))
    assert tree[0] == "The cells make no difference here: no cell holds any edge."
    assert any(text.startswith("Caution") and "no cycles" in text for text in tree)
    kites = findings(analyze(cl.clique_complex(nx.barbell_graph(6, 0)), 2))
    assert kites[0] == "The cells make no difference here: S and L find the same clusters."
    assert edges_in_words(analyze(cl.clique_complex(nx.complete_graph(6)), 1)).startswith(
        "Every edge is in a triangle"
    )
    data = cl.datasets.load("karate")
    karate = analyze(cl.clique_complex(data.graph), 2, groups=data.groups.tolist())
    assert "the 11 of 78 in no triangle keep 5 %" in edges_in_words(karate)
    said = " ".join(findings(karate))
    assert "97.1 % of the vertices are in their known group, against 94.1 % with L" in said
    assert "of 78 edges are distinguishable from random pairs" in said
    assert "random pairs" not in said[: said.index("may be real")]  # what is real comes first
    assert findings(analyze(cl.Complex.from_arrays(3, {})))[0].startswith("There are no edges")
    shown = {what: number for number, what in figures(karate)}
    assert shown["statements of the theory hold"] == "9 of 9"
    assert shown["of L's first positive eigenvalue is left in S"] == "11 %"


def test_where_s_is_worse_the_report_shows_the_clusters_of_l():
    hubs = analyze(cl.clique_complex(nx.barabasi_albert_graph(400, 4, seed=1)), 8)
    assert hubs.verdict.use_plain
    assert hubs.chosen is hubs.clusters[1]
    shown = content(hubs)["colourings"]
    assert shown[0]["name"] == "Clusters of the graph Laplacian L"
    assert shown[0]["values"] == hubs.clusters[1].numbers.tolist()


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
    both = nx.disjoint_union(nx.complete_graph(5), nx.cycle_graph(9))
    place = arrange(14, np.array(both.edges), np.ones(both.number_of_edges()))
    boxes = [(p.min(axis=0), p.max(axis=0)) for p in (place[:5], place[5:])]
    assert any(boxes[0][1][k] < boxes[1][0][k] or boxes[1][1][k] < boxes[0][0][k] for k in (0, 1))


def test_clusters_have_the_colours_of_the_groups_they_agree_with():
    assert colours_like(np.array([2, 2, 0, 1]), np.array([0, 0, 1, 1]))[2] == 0
    assert sorted(colours_like(np.array([0, 1, 2, 3]), np.zeros(4, int))) == [0, 1, 2, 3]
    fewer = colours_like(np.array([0, 0, 0, 1]), np.array([3, 3, 1, 2]))
    assert fewer == [3, 2]
    assert sorted(["10", "9", "b", "a2"], key=natural) == ["9", "10", "a2", "b"]


def test_json_within_a_script():
    assert "<" not in as_json({"</script>": "<!--&\u2028"})
    assert json.loads(as_json({"</script>": "<!--&\u2028"})) == {"</script>": "<!--&\u2028"}


def test_a_protein_in_three_dimensions(tmp_path):
    source = load_protein("1HEL")
    analysis = analyze(source.complex, 4, title=source.title)
    file = write_report(analysis, tmp_path / "report.html")
    drawn = embedded(file)["protein"]
    assert len(drawn["backbone"]) == 129
    assert drawn["dssp"].count("helix") == int((cl.datasets.load_protein("1HEL").dssp == "H").sum())
    with opened(file.as_uri()) as page:
        page.wait_for_selector("#by-cluster[data-colouring]")
        settled(page)
        keep(page, "protein")
        assert page.locator(".molecule canvas").count() == 3
        assert page.locator("#by-dssp").get_attribute("data-colouring") == "Attribute dssp"
        rows = page.locator("#protein tbody tr")
        assert rows.count() == 129
        assert "LYS" in rows.first.text_content()
        shot = page.locator("#by-mode").screenshot()
        assert len(set(shot)) > 50  # something is drawn
        page.get_by_label("Mode").select_option(label="Eigenvector 5 of S")
        until(page, lambda: page.locator("#by-mode").screenshot() != shot)
        assert page.locator("#by-mode").get_attribute("data-colouring") == "Eigenvector 5 of S"
        shot = page.locator("#by-dssp").screenshot()
        page.locator("#by-mode").focus()
        page.keyboard.press("ArrowRight")
        until(page, lambda: page.locator("#by-dssp").screenshot() != shot)  # one turns all


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
