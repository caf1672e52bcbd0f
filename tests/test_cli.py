"""The command line, run as a user runs it."""

import csv
import subprocess
import sys

import pytest


def run(*arguments, cwd=None):
    command = [sys.executable, "-c", "from cellapse.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_analyze_writes_one_row_a_node(tmp_path):
    done = run("analyze", "karate", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    for word in ("34 vertices", "78 edges", "45 triangles", "lambda(S)", "97.1 %", "all hold"):
        assert word in done.stdout
    with (tmp_path / "out" / "nodes.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 34
    assert {row["cluster"] for row in rows} == {"0", "1"}


def test_options_change_the_result():
    assert "3 of sizes" in run("analyze", "karate", "-k", "3").stdout
    assert "tetrahedra" in run("analyze", "karate", "--max-rank", "3").stdout


def test_errors_are_one_sentence_without_a_traceback(tmp_path):
    done = run("analyze", "footbal")
    assert done.returncode == 2
    assert "did you mean" in done.stderr
    assert "Traceback" not in done.stderr
    (tmp_path / "file").write_text("")
    blocked = run("analyze", "karate", "-o", str(tmp_path / "file"))
    assert blocked.returncode == 2
    assert "Traceback" not in blocked.stderr


@pytest.mark.parametrize("name", ["karate", "football", "lesmis", "polbooks", "dolphins"])
def test_datasets_and_info(name):
    assert name in run("datasets").stdout
    assert "licence" in run("info", name).stdout
