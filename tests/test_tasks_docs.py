"""The examples of docs/tasks.md run."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "tasks.md"


@pytest.mark.skipif(not PAGE.exists(), reason="tests run outside a checkout: no docs here")
def test_the_examples_run():
    names = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S):
        exec(compile(code, str(PAGE), "exec"), names)
    assert len(set(names["labels"])) == 2
