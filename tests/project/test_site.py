"""What checks the built site finds what is wrong with it."""

import importlib.util
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "check_site.py"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="tests run outside a checkout")

GOOD = '<h1 id="top">x</h1><a href="other.html#there">go</a><a href="https://far.example">far</a>'


@pytest.fixture
def problems():
    spec = importlib.util.spec_from_file_location("check_site", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.problems


@pytest.fixture
def site(tmp_path):
    (tmp_path / "index.html").write_text(GOOD)
    (tmp_path / "other.html").write_text('<p id="there">y</p><img src="a.png"><a href="#there">')
    (tmp_path / "a.png").write_bytes(b"")
    return tmp_path


def test_a_site_in_order(site, problems):
    assert problems(site) == []


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ('<a href="gone.html">x</a>', "gone.html does not exist"),
        ('<a href="other.html#nowhere">x</a>', "no such place"),
        ('<a href="#nowhere">x</a>', "no such place"),
        ('<img src="gone.png">', "gone.png does not exist"),
        ('<script src="https://far.example/x.js"></script>', "loads https://far.example/x.js"),
        ('<link rel="stylesheet" href="//far.example/x.css">', "loads //far.example/x.css"),
        ('<iframe src="http://far.example"></iframe>', "loads http://far.example"),
    ],
)
def test_what_is_wrong_is_found(site, problems, added, said):
    (site / "index.html").write_text(GOOD + added)
    (line,) = problems(site)
    assert said in line


@pytest.mark.parametrize(
    "style", ["p { background: url('https://far.example/a') }", '@import "https://far.example/a";']
)
def test_styles_load_nothing_from_elsewhere(site, problems, style):
    (site / "a.css").write_text(style)
    assert "loads https://far.example/a" in problems(site)[0]
