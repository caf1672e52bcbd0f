"""The examples of the gallery are what the gallery promises; `make docs` runs them."""

import ast
import re
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
pytestmark = pytest.mark.skipif(
    not EXAMPLES, reason="tests run outside a checkout: no examples here"
)


def test_there_are_enough():
    assert len(EXAMPLES) >= 16


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_a_title_a_picture_and_says_when_not_to(path):
    text = path.read_text(encoding="utf-8")
    title, line, *rest = ast.get_docstring(ast.parse(text)).splitlines()
    assert set(line) == {"="}
    assert len(line) == len(title)
    assert len(" ".join(rest)) > 150, "what it is about, before any code"
    assert "cellapse" in text
    assert re.search(r"plt\.subplots|\.plot", text), "no picture"
    last = text.rpartition("# %%")[2]
    assert last.startswith("\n# When not to\n# -----------\n"), (
        "the last paragraph says when not to"
    )
    assert all(line.startswith("#") for line in last.strip().splitlines())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_needs_no_network_and_no_file(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(
        r"fetch_pdb|load_contacts|load_cora|load_mantra|urllib|requests|open\(", text
    )
