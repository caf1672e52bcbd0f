"""The command line, as a user runs it."""

import csv
import subprocess
import sys

import pytest

from cellapse import cli, datasets


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process: exit code, standard output, standard error."""

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["cellapse", *arguments])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        return stopped.value.code or 0, *capsys.readouterr()

    return command


def test_as_a_program():
    command = [sys.executable, "-c", "from cellapse.cli import main; main()", "analyze", "footbal"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "did you mean" in done.stderr
    assert "Traceback" not in done.stderr


def test_analyze_writes_one_row_a_node(run, tmp_path):
    code, out, _ = run("analyze", "karate", "-o", str(tmp_path / "out"))
    assert code == 0
    for word in ("34 vertices", "78 edges", "45 triangles", "lambda(S)", "97.1 %", "all hold"):
        assert word in out
    with (tmp_path / "out" / "nodes.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 34
    assert {row["cluster"] for row in rows} == {"0", "1"}


def test_options_change_the_result(run):
    assert "3 of sizes" in run("analyze", "karate", "-k", "3")[1]
    assert "tetrahedra" in run("analyze", "karate", "--max-rank", "3")[1]


def test_a_folder_that_cannot_be_written(run, tmp_path):
    (tmp_path / "file").write_text("")
    code, _, err = run("analyze", "karate", "-o", str(tmp_path / "file"))
    assert code == 2
    assert "choose another folder" in " ".join(err.split())


def test_datasets_and_info(run):
    listing = run("datasets")[1]
    for name in datasets.available():
        assert name in listing
        assert "licence" in run("info", name)[1]
