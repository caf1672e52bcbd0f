"""A missing library names the extra that brings it, and the page of extras lists them all."""

import ast
import re
import tomllib
from pathlib import Path

import cellapse as cl

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def bare(requirement):
    """The name of a requirement, as package indexes compare names."""
    return re.split(r"[<>=\[ ]", requirement)[0].lower().replace("_", "-")


def promised():
    """Every `extra(library, name)` of the package."""
    for path in Path(cl.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "extra":
                words = [a.value for a in node.args if isinstance(a, ast.Constant)]
                if len(words) == 2:
                    yield path.name, *words


def test_a_missing_library_names_the_extra_that_brings_it():
    calls = list(promised())
    assert len(calls) > 20
    for file, library, name in calls:
        brought = {bare(r) for r in EXTRAS[name]}
        assert library.lower().replace("_", "-").partition(".")[0] in brought, (file, library, name)
        assert name != "dev", (file, library)


def test_all_is_all_that_installs_by_itself():
    (requirement,) = EXTRAS["all"]
    inside = set(re.search(r"\[(.*)\]", requirement)[1].split(","))
    assert inside == set(EXTRAS) - {"all", "check", "cholmod", "scale", "dev", "docs", "release"}


def test_the_page_of_extras_lists_them_all():
    page = (ROOT / "docs" / "extras.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(listed) == sorted(EXTRAS)
