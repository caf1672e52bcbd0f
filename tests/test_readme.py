"""What the README shows is what happens."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.skipif(not README.exists(), reason="tests run outside a checkout: no README here")
def test_the_example_prints_what_the_readme_says(capsys):
    text = README.read_text()
    code, output = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.S).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.split() == output.split()
