"""How a file is read, said on the command line."""

import io
import json

import pytest

import cellapse as cl
from cellapse.cli.sources import load

TABLE = "id;person;friend;w;t\n" + "".join(
    f"r{i};p{i % 4};p{(i + 1) % 4};1,5;{i}\n" for i in range(8)
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "friends.csv"
    path.write_text(TABLE)
    return path


def test_info_says_what_was_understood_and_how_to_say_otherwise(run, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("from,to,weight\na,b,2\nb,c,1\nc,c,1\n")
    with pytest.warns(cl.CellapseWarning, match="1 self-loop"):  # of every verb, not only info
        load(str(path))
    code, out, _ = run("info", path)
    assert code == 0
    assert "columns 'from' and 'to' are the ends of edges" in out
    assert "1 self-loop, the first at vertex 'c'" in out
    assert "--columns" in out
    facts = json.loads(run("info", path, "--json", "--loops", "keep")[1])
    assert facts["format"] == "edges"
    assert "loop" in facts["attributes"]


def test_errors_name_the_options_as_they_are_typed(run, table):
    code, _, err = run("info", table)
    assert code == 2
    assert "--columns" in err
    assert "columns=" not in err
    table.write_text("person,friend\na,b\nb,c\n")
    assert "pass --header or --no-header" in run("info", table)[2]


def test_options_say_which_columns_and_rows_are_meant(run, table):
    chosen = ("--columns", "person,friend,w", "--repeats", "first")
    facts = json.loads(run("info", table, *chosen, "--json")[1])
    assert facts["cells"][:2] == [4, 4]
    assert facts["attributes"] == ["w"]
    numbers = json.loads(run("info", table, "--columns", "2,3,5", "--window", "0,2", "--json")[1])
    assert numbers["cells"][1] == 2
    weighted = run("info", table, *chosen, "--weight", "w", "--json")[1]
    assert json.loads(weighted)["weighted_ranks"] == [1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--window", "a,b"), "--window"),
        (("--loops", "maybe"), "--loops"),
        (("--format", "nonsense"), "--format"),
        (("--columns", "one"), "--columns"),
    ],
)
def test_wrong_options_are_told(run, table, options, words):
    code, _, err = run("info", table, *options)
    assert code == 2
    assert words in err


def test_options_about_files_mean_nothing_to_what_is_bundled(run):
    code, _, err = run("info", "karate", "--sep", ";")
    assert code == 2
    assert "bundled" in err


def test_a_pipe_takes_the_same_options(run, monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(b"digraph { a -> b }"))
    monkeypatch.setattr("sys.stdin", stream)
    code, out, _ = run("info", "-", "--format", "dot", "--directed", "ignore")
    assert code == 0
    assert "directions are ignored" in out


def test_convert_takes_them_too(run, table, tmp_path):
    target = tmp_path / "friends.gexf"
    options = ("--columns", "person,friend", "--repeats", "count")
    code, out, _ = run("convert", table, target, *options)
    assert code == 0
    assert "4 edges" in out
