"""Plain English, one word for one idea: nothing that a reader has to read twice."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = [
    path
    for folder in ("src", "docs", "examples", "benchmarks", "tools", "tests")
    for suffix in ("py", "md", "pyi", "js", "html")
    for path in (ROOT / folder).rglob(f"*.{suffix}")
    if path != Path(__file__) and not {"build", "gallery", "test_layout.py"} & set(path.parts)
] + [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")]

# What was written here once, and what says it.
INSTEAD = {
    r"told apart|told_apart|told from random": "distinguished, distinguishable",
    r"of nothing, too|by then is not worth": "what is empty; after how many steps",
    r"sees? to it that|in no time": "ensure; a figure",
    r"speed only": "a reason, or nothing: exceptions of a tool live in tools",
}
NO_VERB = ("What", "Whether", "How")  # of a function; a property may say whether
HELP_TEXTS = ("src/cellapse/cli", "src/cellapse/scale/verbs.py")  # their first line is the help


@pytest.mark.parametrize("pattern", INSTEAD)
def test_plain_words(pattern):
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()[:80]}"
        for path in TEXTS
        for line in path.read_text("utf-8").splitlines()
        if re.search(pattern, line)
    ]
    assert not found, INSTEAD[pattern]


def test_docstrings_of_functions_say_what_they_do():
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        place = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef) or place.startswith(HELP_TEXTS):
                continue
            decorators = " ".join(map(ast.unparse, node.decorator_list))
            first = (ast.get_docstring(node) or "-").split()[0]
            if first in NO_VERB and "property" not in decorators:
                found.add(f"{place} {node.name}")
    assert not found
