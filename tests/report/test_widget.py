"""The explorer as a widget: its traits in Python, and its page in a frame that asks the kernel.

The host in the browser is a page with the model of anywidget: get, set, save_changes and events.
"""

import json

import networkx as nx
import pytest
from browser import launched
from toys import karate

import cellapse as cl

pytest.importorskip("anywidget", reason="widgets need the extra notebook")

HOST = """
<div id="cell" style="width: 1000px"></div>
<script type="module">
const source = URL.createObjectURL(new Blob([window.esm], { type: "text/javascript" }));
const { default: widget } = await import(source);
const calls = {}, state = window.state;
const model = {
  get: (name) => state[name],
  set: (name, value) => { state[name] = value; },
  on: (name, call) => { (calls[name] ??= []).push(call); },
  off: (name, call) => { calls[name] = calls[name].filter((other) => other !== call); },
  save_changes: async () => window.told(await window.kernel(JSON.stringify(state))),
};
window.told = (now) => Object.entries(JSON.parse(now)).forEach(([name, value]) => {
  if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
  state[name] = value;
  (calls["change:" + name] ?? []).forEach((call) => call());
});
widget.render({ model, el: document.getElementById("cell") });
</script>
"""
SYNCED = ("settings", "height", "_page", "_key", "_question", "_answer", "_chosen")


@pytest.fixture
def widget():
    return cl.report.explore(karate(), height=700)


def test_value_follows_the_sliders_and_the_kernel_has_the_objects(widget):
    assert len(widget.value) == widget.complex.n_vertices == 34
    widget.settings = {"clusters": 3, "realization": "unfolded"}
    assert set(widget.value) == {0, 1, 2}
    assert "unfolded" in repr(widget.operator)
    seen = []
    widget.observe(lambda change: seen.append(max(change["new"]) + 1), "value")
    widget.settings = {"clusters": 5}
    assert seen == [5]
    assert widget.settings["realization"] == "unfolded"


def test_every_host_can_write_what_is_synchronized(widget):
    """By the types themselves: marimo writes what only inherits from a string as {}."""

    def plain(value):
        if type(value) is dict:
            return all(type(key) is str and plain(each) for key, each in value.items())
        return type(value) in (str, int, float, bool, type(None))

    for _ in range(2):
        assert all(plain(getattr(widget, name)) for name in SYNCED)
        widget.settings = {"clusters": 3}


def test_selection_is_a_label_of_the_user():
    G = nx.relabel_nodes(karate(), {v: f"member {v}" for v in karate()})
    widget = cl.report.explore(G)
    widget._chosen = 7
    assert widget.selection == list(G)[7]
    widget.selection = list(G)[3]
    assert widget._chosen == 3
    widget.selection = None
    assert widget._chosen is None


def test_a_question_of_the_page_is_answered_or_told_why_not(widget):
    widget._question = {"ticket": 0.25, "settings": {**widget.settings, "clusters": 4}}
    answer = json.loads(widget._answer)
    assert answer["ticket"] == 0.25
    assert answer["nodes"]["clusters"] == widget.value
    widget._question = {"ticket": 0.5, "settings": {**widget.settings, "eps": -1}}
    assert "eps" in json.loads(widget._answer)["error"]


@pytest.mark.parametrize(
    "change",
    [
        lambda w: setattr(w, "settings", {"colour": 1}),
        lambda w: setattr(w, "settings", {"eps": "small"}),
        lambda w: setattr(w, "settings", {"clusters": 0}),
        lambda w: setattr(w, "selection", "nobody"),
        lambda w: cl.report.explore(karate(), height=1),
        lambda w: cl.report.explore(karate(), groups=[1, 2]),
    ],
)
def test_what_does_not_fit_is_an_error_of_ours(widget, change):
    with pytest.raises(cl.InputError):
        change(widget)


def test_hosts_without_widgets_show_the_card(widget):
    data, _ = widget._repr_mimebundle_()
    assert data["text/html"] == widget.complex._repr_html_()
    assert "application/vnd.jupyter.widget-view+json" in data


def test_in_a_browser_sliders_ask_the_kernel_and_both_sides_hear_of_each_other(widget):
    context = launched().new_context(viewport={"width": 1100, "height": 800})
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda e: errors.append(str(e)))

    def state():
        return {name: getattr(widget, name) for name in SYNCED}

    def kernel(said):
        given = json.loads(said)
        widget._chosen = given["_chosen"]
        widget._question = given["_question"]
        return json.dumps(state())

    page.expose_function("kernel", kernel)
    given = f"window.esm = {json.dumps(widget._esm)}; window.state = {json.dumps(state())};"
    page.add_init_script(given)
    page.route("http://host.test/", lambda r: r.fulfill(body=HOST, content_type="text/html"))
    page.goto("http://host.test/")
    frame = page.frame_locator("iframe")
    frame.locator("text=Computed by the kernel").wait_for()
    frame.locator("#status", has_text="Clusters of").wait_for()
    frame.locator("#clusters").fill("3")
    frame.locator("#legend", has_text="cluster 2").wait_for()
    page.wait_for_function("window.state.settings.clusters === 3")
    assert set(widget.value) == {0, 1, 2}
    frame.locator("#network path.node").nth(33).dispatch_event("click")
    page.wait_for_function("window.state._chosen === 33")
    assert widget.selection == list(karate())[33]
    widget.settings = {"clusters": 6}
    page.evaluate("now => window.told(now)", json.dumps(state()))
    frame.locator("#legend", has_text="cluster 5").wait_for()
    assert frame.locator("#clusters").input_value() == "6"
    assert not errors
    context.close()
