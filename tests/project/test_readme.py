"""What the README shows is what happens."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
README = Path(__file__).parents[2] / "README.md"


@pytest.mark.skipif(not README.exists(), reason="tests run outside a checkout: no README here")
def test_the_example_prints_what_the_readme_says(capsys):
    text = README.read_text()
    code, output = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.S).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.split() == output.split()


@pytest.mark.skipif(not DOCS.exists(), reason="tests run outside a checkout: no docs here")
def test_what_make_and_benchmarks_are_called():
    """Commands for the shell that are too slow to run here at least exist."""
    root = README.parent
    text = "\n".join(p.read_text() for p in (README, *DOCS.glob("*.md"), root / "CONTRIBUTING.md"))
    targets = set(re.findall(r"^([a-z-]+):", (root / "Makefile").read_text(), re.M))
    asked = re.findall(r"(?:^|`)make ([a-z-]+)", text, re.M)
    assert {"demo", "test", "bench"} <= set(asked) <= targets
    modules = set(re.findall(r"python -m benchmarks\.([a-z_]+)", text))
    assert modules
    for name in modules:
        assert (root / "benchmarks" / f"{name}.py").exists(), name


@pytest.mark.skipif(not README.exists(), reason="tests run outside a checkout: no README here")
def test_the_readme_is_short_and_its_links_lead_somewhere():
    root = README.parent
    assert len(README.read_text().splitlines()) < 120
    for page in (README, root / "CONTRIBUTING.md", root / "SECURITY.md"):
        for link in re.findall(r"\]\(([^)#]+)", page.read_text()):
            assert "://" in link or (root / link).exists(), (page.name, link)
