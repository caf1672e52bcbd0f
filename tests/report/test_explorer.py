"""The explorer: its answers, who may ask, and what a browser shows when a slider moves."""

import http.client
import json
import pickle
from urllib.parse import urlencode

import networkx as nx
import numpy as np
import pytest
from browser import HANG, keep, opened, settled

import cellapse as cl
from cellapse._collapse.realizations import REALIZATIONS, as_realization
from cellapse.report.explorer import Explorer
from cellapse.report.server import Server
from cellapse.report.settings import Settings


@pytest.fixture(scope="module")
def explorer():
    data = cl.datasets.load("football")
    groups = [data.group_names[g] for g in data.groups]
    return Explorer(cl.clique_complex(data.graph), data.title, groups)


@pytest.fixture(scope="module")
def server(explorer):
    with Server(explorer) as running:
        yield running


def ask(server, path="", host=None, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=HANG)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", host or server.host)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    reply = connection.getresponse()
    body = reply.read().decode()
    connection.close()
    return reply.status, body


@pytest.mark.parametrize("realization", REALIZATIONS)
def test_answers_are_those_of_the_library(explorer, realization):
    K = explorer.complex
    asked = Settings(realization, eps=1e-3, gamma=0.5, beta=2.0, clusters=3, vectors=6)
    answer = explorer.answer(asked)
    bound = cl.collapse(K, realization, beta=(1, 2), eps=1e-3).bound
    S = cl.collapse(K, realization, beta=(1, 2), eps=1e-3, gamma=0.5 * bound)
    spectrum = S.spectrum(6, "diagonal")
    assert np.allclose(answer["values"], spectrum.values, atol=1e-4)
    assert np.allclose(
        answer["plain"], cl.graph_laplacian(K).spectrum(6, "degree").values, atol=1e-4
    )
    assert np.allclose(answer["vectors"], spectrum.vectors[:, 1:], atol=1e-4)
    assert answer["nodes"]["clusters"] == cl.cluster(S, 3).numbers.tolist()
    plain = cl.cluster(cl.graph_laplacian(K), 3)
    assert answer["nodes"]["plain_clusters"] == plain.numbers.tolist()
    assert answer["same"] == cl.clustering_accuracy(cl.cluster(S, 3), plain)
    known = cl.datasets.load("football").groups
    assert answer["accuracy"][1] == cl.clustering_accuracy(plain, known)
    assert sum(answer["sizes"]) == 115
    assert answer["residual"] < 1e-8
    assert bool(answer["warnings"]) == (realization in ("boundary", "mixed"))


def refused(*_):
    raise AssertionError("computed anew")


def test_an_answer_is_remembered(explorer, monkeypatch):
    first = explorer.answer(Settings(eps=0.0123))
    monkeypatch.setattr("cellapse.report.explorer._spectrum", refused)
    monkeypatch.setattr(Explorer, "operator", refused)
    again = explorer.answer(Settings(eps=0.0123))
    assert again["values"] is first["values"]


def test_the_number_of_vectors_is_no_new_spectrum(explorer, monkeypatch):
    first = explorer.answer(Settings("mixed", eps=0.02, vectors=6, clusters=2))
    monkeypatch.setattr("cellapse.report.explorer._spectrum", refused)
    fewer = explorer.answer(Settings("mixed", eps=0.02, vectors=8, clusters=7))
    assert fewer["values"][:6] == first["values"]
    assert len(fewer["values"]) == 8
    assert fewer["warnings"] == first["warnings"] != []
    monkeypatch.undo()
    S = explorer.operator(Settings("mixed", eps=0.02))
    assert fewer["nodes"]["clusters"] == cl.cluster(S, 7).numbers.tolist()
    other = explorer.answer(Settings("mixed", eps=0.03, vectors=6, clusters=2))
    assert other["values"] != first["values"]


def test_components_are_not_the_embedding():
    scattered = nx.disjoint_union_all([nx.barbell_graph(5, 0), nx.path_graph(4), nx.path_graph(3)])
    explorer = Explorer(cl.clique_complex(scattered))
    for realization in ("screened", "unfolded", "boundary", "mixed"):
        answer = explorer.answer(Settings(realization, vectors=5, clusters=3))
        assert (answer["first"], len(answer["values"])) == (4, 7)
        assert abs(answer["values"][2]) < 1e-9 < answer["values"][3]
        assert np.array(answer["vectors"]).shape == (17, 4)
    signless = explorer.answer(Settings("incidence", vectors=5, clusters=3))
    assert signless["first"] == 3  # two bipartite components, whose colourings are the kernel


def test_what_a_page_asks_first_is_known(explorer, monkeypatch):
    begin = explorer.start()["settings"]
    monkeypatch.setattr(Explorer, "_compute", refused)
    words = {name: f"{v:.14g}" if isinstance(v, float) else str(v) for name, v in begin.items()}
    assert "values" in explorer.answer(Settings.parse(words))


def test_another_process_begins_with_what_is_known(explorer):
    explorer.start()
    copy = pickle.loads(pickle.dumps(explorer))
    assert copy._answers == explorer._answers
    assert copy._reference is not None
    assert not copy._prepared


def test_the_matrices_of_all_realizations_can_be_made_before_they_are_asked_for(monkeypatch):
    explorer = Explorer(cl.clique_complex(nx.karate_club_graph(), weight=None))
    for name in REALIZATIONS:
        explorer.prepare(name)
    assert set(explorer._prepared) == set(REALIZATIONS)
    monkeypatch.setattr(type(as_realization("mixed")), "chain", refused)
    assert "values" in explorer.answer(Settings("mixed"))


def test_only_the_token_opens_the_door(server):
    assert ask(server, f"/{server.token}/")[0] == 200
    assert ask(server, f"/{server.token}/answer?clusters=3")[0] == 200
    assert ask(server, f"/{server.token}/elsewhere")[0] == 404
    for path in (
        "/",
        "/answer?clusters=3",
        "/wrong/",
        f"/{server.token[:-1]}/",
    ):
        status, body = ask(server, path)
        assert status == 403, path
        assert server.token not in body


def test_other_origins_and_hosts_are_refused(server):
    path = f"/{server.token}/answer?clusters=3"
    assert ask(server, path, Origin=f"http://{server.host}")[0] == 200
    assert ask(server, path, Origin="http://example.org")[0] == 403
    assert ask(server, path, Origin="null")[0] == 403
    assert ask(server, path, Sec_Fetch_Site="cross-site")[0] == 403
    assert ask(server, path, host="example.org")[0] == 403  # a name rebound to this machine
    assert ask(server, path, host="127.0.0.1.example.org:80")[0] == 403
    # Through an SSH tunnel this machine is called so, and the port is that of its other end.
    for here in (f"127.0.0.1:{server.server_port + 1}", "localhost:8123"):
        assert ask(server, path, host=here, Origin=f"http://{here}")[0] == 200
        assert ask(server, path, host=here, Origin="http://example.org")[0] == 403
    assert ask(server, path, method="POST")[0] == 501


def test_it_listens_on_this_machine_only(server):
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"eps": "soup"}, "float"),
        ({"eps": "-1"}, "eps"),
        ({"gamma": "2"}, "0 to 1"),
        ({"clusters": "0"}, "clusters"),
        ({"clusters": "100000"}, "clusters"),
        ({"realization": "<script>"}, "choose one of"),
        ({"colour": "red"}, "no setting"),
    ],
)
def test_bad_settings_are_a_sentence(server, given, word):
    status, body = ask(server, f"/{server.token}/answer?{urlencode(given)}")
    assert status == 400
    assert word in json.loads(body)["error"]


def test_a_reader_moves_the_sliders(server, explorer):
    with opened(server.address) as page:
        page.wait_for_selector("html[data-answers='1']")
        keep(page, "explorer")
        marks = page.locator("#spectrum .mark[data-series=S]")
        heights = "marks => marks.map(m => Number(m.dataset.y))"
        start = marks.evaluate_all(heights)
        assert np.allclose(start, explorer.answer(Settings(clusters=12))["values"])
        places = page.locator("#flat .mark").evaluate_all("marks => marks.map(m => m.dataset.x)")
        fills = page.locator("#network .node").evaluate_all(
            "n => n.map(m => m.getAttribute('fill'))"
        )

        page.get_by_label("Realization").select_option("unfolded")
        page.wait_for_selector("html[data-answers='2']")
        unfolded = marks.evaluate_all(heights)
        assert np.allclose(
            unfolded,
            explorer.answer(Settings("unfolded", gamma=1.0, beta=1.0, clusters=12))["values"],
        )
        assert unfolded != start
        now = page.locator("#flat .mark").evaluate_all("marks => marks.map(m => m.dataset.x)")
        assert now != places

        page.get_by_label("eps").focus()
        page.keyboard.press("End")
        page.wait_for_selector("html[data-answers='3']")
        settings = Settings("unfolded", eps=1.0, gamma=1.0, beta=1.0, clusters=12)
        assert np.allclose(marks.evaluate_all(heights), explorer.answer(settings)["values"])

        page.get_by_label("Eigenvectors").focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("html[data-answers='4']")
        assert marks.count() == 9

        page.get_by_role("slider", name="Clusters").focus()
        page.keyboard.press("Home")
        page.wait_for_selector("html[data-answers='5']")
        single = page.locator("#network .node").evaluate_all(
            "n => n.map(m => m.getAttribute('fill'))"
        )
        assert len(set(single)) == 1 < len(set(fills))
        assert "Clusters of 115 vertices" in page.locator("#status").text_content()

        page.get_by_label("Colour by").select_option(label="Eigenvector 2 of S")
        vector = page.locator("#network .node").evaluate_all(
            "n => n.map(m => m.getAttribute('fill'))"
        )
        assert len(set(vector)) > 20


def test_what_takes_too_long_is_refused_at_once_with_what_does_not():
    explorer = Explorer(cl.as_complex(nx.path_graph(10_000)))
    said = explorer.answer(Settings("incidence"))["error"]
    assert "10,000" in said
    named = [name for name in REALIZATIONS if name in said.split(";")[1]]
    assert named
    for name in named:  # the remedies
        usual = as_realization(name)
        answer = explorer.answer(Settings(name, gamma=usual.usual_share, beta=usual.usual_beta))
        assert len(answer["clusters"]["values"]) > 0


SLIDERS = ("eps", "gamma", "beta", "vectors", "clusters")


def test_sliders_say_their_value_and_a_reload_keeps_the_settings(server):
    """Two sliders are logarithms: what is read out is what is written beside them."""
    with opened(server.address) as page:
        page.wait_for_selector("html[data-answers='1']")
        page.get_by_label("Realization").select_option("unfolded")
        page.wait_for_selector("html[data-answers='2']")
        for count, (slider, key) in enumerate(
            (("eps", "End"), ("gamma", "Home"), ("beta", "PageDown"), ("clusters", "ArrowLeft")), 3
        ):
            page.locator(f"#{slider}").focus()
            page.keyboard.press(key)
            page.wait_for_selector(f"html[data-answers='{count}']")
        page.get_by_label("Colour by").select_option(label="Known groups")

        def shown():
            said = [page.locator(f"#{s}").get_attribute("aria-valuetext") for s in SLIDERS]
            assert said == [page.locator(f"output[for={s}]").text_content() for s in SLIDERS]
            return (
                said,
                page.locator("#left-name").text_content(),
                page.locator("#csv").get_attribute("href"),
            )

        before = shown()
        assert before[0][0] == "1"
        assert before[0][1] == "0"
        assert before[0][4] == "11"
        page.reload()
        page.wait_for_selector("html[data-answers='1']")
        assert page.get_by_label("Realization").input_value() == "unfolded"
        assert shown() == before
        assert before[1] == "Known groups"
        page.evaluate("location.hash = '#realization=x&eps=nan&clusters=1e9&colouring=?'")
        page.reload()  # what makes no sense is passed over
        page.wait_for_selector("html[data-answers='1']")
        assert page.get_by_label("Realization").input_value() == "renormalized"
        assert shown()[0][4] == page.locator("#clusters").get_attribute("max")


def test_a_slow_answer_is_waited_for_and_none_overtakes_another(server, explorer):
    held, asked = [], []
    with opened(server.address) as page:
        page.wait_for_selector("html[data-answers='1']")
        marks = page.locator("#spectrum .mark[data-series=S]")
        heights = "marks => marks.map(m => Number(m.dataset.y))"
        before = marks.evaluate_all(heights)
        page.on("request", lambda request: asked.append(request.url))
        page.route("**/answer?*realization=mixed*", lambda route: held.append(route))
        page.get_by_label("Realization").select_option("mixed")
        page.get_by_text("Still computing: mixed").wait_for()
        assert "settings before" in page.locator("#status").text_content()
        assert marks.evaluate_all(heights) == before

        page.get_by_label("Realization").select_option("unfolded")
        page.get_by_label("eps").focus()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        settled(page)
        assert len(held) == len(asked) == 1  # nothing else is asked before the answer
        held[0].continue_()
        page.wait_for_selector("html[data-answers='3']")
        assert len(asked) == 2  # and then all at once
        last = Settings("unfolded", eps=5.62e-4, gamma=1.0, beta=1.0, clusters=12)
        assert np.allclose(marks.evaluate_all(heights), explorer.answer(last)["values"])
        assert "Clusters of" in page.locator("#status").text_content()


def test_a_large_network_is_drawn_in_part():
    explorer = Explorer(cl.clique_complex(nx.random_geometric_graph(1600, 0.05, seed=0)))
    start = explorer.start()
    assert "1,000 of 1,600" in start["network"]["note"]
    assert len(explorer.answer(Settings(clusters=4))["clusters"]["values"]) == 1000


@pytest.mark.parametrize("graph", [nx.random_geometric_graph, nx.gnp_random_graph])
@pytest.mark.parametrize("realization", ["renormalized", "unfolded"])
def test_quick_answers_are_those_of_the_library(graph, realization):
    size = 0.09 if graph is nx.random_geometric_graph else 0.02  # can be cut, and cannot
    K = cl.clique_complex(graph(450, size, seed=1))
    explorer = Explorer(K)
    for beta in (1.0, 2.0):  # the second is made from the matrices of the first
        answer = explorer.answer(Settings(realization, beta=beta, gamma=1.0, vectors=5))
        S = cl.collapse(K, realization, beta=(1.0, beta), gamma="bound")
        assert np.allclose(answer["values"], S.spectrum(5, answer["mass"]).values, atol=1e-5)
        assert answer["residual"] < 1e-4
