"""The five scripts of docs/your_own_data.md: run as written, print what they show, type-check."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "your_own_data.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"## ([^\n]+)\n\n```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.S)
NUMBER = r"-?\d+\.\d+"


def test_the_page_has_five_scripts_with_what_they_print():
    assert len(SCRIPTS) == PAGE.count("```python") == PAGE.count("```text") == 5


@pytest.mark.filterwarnings("error::cellapse.CellapseWarning")
@pytest.mark.parametrize(("title", "code", "printed"), SCRIPTS, ids=[s[0] for s in SCRIPTS])
def test_a_script_prints_what_the_page_shows(title, code, printed, capsys, tmp_path, monkeypatch):
    for name in re.findall(r"^(?:import|from) (\w+)", code, re.M):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, title, "exec"), {"__name__": "__main__"})
    found = capsys.readouterr().out
    assert re.sub(NUMBER, "#", found).split() == re.sub(NUMBER, "#", printed).split()
    numbers, shown = ([float(x) for x in re.findall(NUMBER, text)] for text in (found, printed))
    assert numbers == pytest.approx(shown, abs=0.015)


@pytest.mark.slow
def test_scripts_of_users_type_check(tmp_path):
    """`mypy --strict`, but for calls of libraries that have no types, such as XGI."""
    pytest.importorskip("mypy")
    pytest.importorskip("torch_geometric")
    files = [*sorted((Path(__file__).parent / "scripts").glob("*.py"))]
    for i, (_, code, _) in enumerate(SCRIPTS):
        files.append(tmp_path / f"script_{i}.py")
        files[-1].write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--allow-untyped-calls", *map(str, files)]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
