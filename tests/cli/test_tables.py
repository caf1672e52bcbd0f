"""Tables beside the network: what the command line takes, and what it refuses, verb by verb.

The rule: one row a node; columns by their names, or exactly two; nothing twice and different, no
unknown node, nothing missing where every node needs a value, and nothing that is no table.
"""

import gzip
import json
import os
import re
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Annotated, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from typer.models import OptionInfo

import cellapse as cl
from cellapse.cli.verbs import VERBS

NODES = "abcdef"
EDGES = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("d", "f")]
VALUES = dict(zip(NODES, (3, 1, 4, 1, 5, 9), strict=True))
CLASS = dict.fromkeys("abc", "x") | dict.fromkeys("def", "y")

# (verb, option): further words, the key of what was read in its JSON, and which values it takes.
READERS = {
    ("label", "--labels"): ((), "label", CLASS),
    ("smooth", "--signal"): (("--strength", "1"), "value", VALUES),
    ("cluster", "--groups"): (("-k", "2"), "accuracy", CLASS),
    ("compare", "--groups"): (("-k", "2"), "known", CLASS),
    ("analyze", "--groups"): (("-k", "2", "--quick", "--nodes"), "nodes", CLASS),
}
# Options whose words are files to write, or networks; all other options of text are no files.
WRITTEN = {"--output", "--clean"}
WORDS = {
    *(
        "--evidence",
        "--decoys",
        "--confidence",
        "--beta",
        "--columns",
        "--column",
        "--cycles",
        "--directed",
        "--format",
        "--gamma",
        "--how",
        "--method",
    ),
    *("--install-completion", "--loops", "--mass", "--operator", "--repeats", "--sep", "--times"),
    *(
        "--show-completion",
        "--weight",
        "--window",
        "--pair",
        "--scale",
    ),
    *("--keep", "--rule", "--width", "--step", "--time", "--end", "--unit"),
}
FULL = {("smooth", "--signal"), ("cluster", "--groups"), ("compare", "--groups")}
FULL |= {("analyze", "--groups")}  # where every node needs a value


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.csv").write_text("source,target\n" + "".join(f"{u},{v}\n" for u, v in EDGES))
    return tmp_path


def rows(values, sep=",", swap=False):
    pairs = [(v, k) if swap else (k, v) for k, v in values.items()]
    return "".join(sep.join(map(str, pair)) + "\n" for pair in pairs)


def wide(values, last):
    """The same with a third column."""
    return "".join(f"{k},{v},{last}\n" for k, v in values.items())


def usual(option):
    return {"--labels": "label", "--signal": "value", "--groups": "group"}[option]


# Name: the content for the name of the column and its values, and further options.
TAKEN = {
    "header": lambda name, v: f"node,{name}\n{rows(v)}",
    "no header": lambda name, v: rows(v),
    "the other way round": lambda name, v: f"{name},node\n{rows(v, swap=True)}",
    "another word for nodes": lambda name, v: f"{name},Vertex ID\n{rows(v, swap=True)}",
    "id, of three columns": lambda name, v: f"ID,rank,{name}\n"
    + "".join(f"{k},{i},{x}\n" for i, (k, x) in enumerate(v.items())),
    "row numbers, as pandas writes": lambda name, v: f",node,{name}\n"
    + "".join(f"{i},{k},{x}\n" for i, (k, x) in enumerate(v.items())),
    "an index, as pandas writes": lambda name, v: f",{name}\n{rows(v)}",
    "names of rows, as R writes": lambda name, v: f"{name}\n{rows(v)}",
    "a header in a comment": lambda name, v: f"# {name},node\n{rows(v, swap=True)}",
    "BOM": lambda name, v: f"\ufeffnode,{name}\n{rows(v)}",
    "tabs": lambda name, v: f"node\t{name}\n" + rows(v, "\t"),
    "semicolons": lambda name, v: f"node;{name}\n" + rows(v, ";"),
    "spaces": lambda name, v: f"node {name}\n" + rows(v, " "),
    "quotes": lambda name, v: f"'node','{name}'\n{rows(v)}".replace("'", '"'),
    "ends of lines of Windows": lambda name, v: f"node,{name}\n{rows(v)}".replace("\n", "\r\n"),
    "comments and empty lines": lambda name, v: f"# made today\n\nnode,{name}\n{rows(v)}\n\n",
    "other columns": lambda name, v: f"node,age,{name},town\n"
    + "".join(f"{k},30,{x},B\n" for k, x in v.items()),
    "exact repeats": lambda name, v: f"node,{name}\n{rows(v)}{rows(v)}",
    "an odd name": lambda name, v: f"node,q\n{rows(v)}",
    "gzip": lambda name, v: gzip.compress(f"node,{name}\n{rows(v)}".encode()),
    "ids and names": lambda name, v: f"id,name,{name}\n"
    + "".join(f"{i},{k},{x}\n" for i, (k, x) in enumerate(v.items())),
}  # fmt: skip


def taken_values(reader, out):
    """What was read, as far as the JSON of a verb says it."""
    found = json.loads(out)
    _, key, _ = READERS[reader]
    if key == "nodes":
        return dict(zip(found["nodes"]["node"], found["nodes"]["known_group"], strict=True))
    if key in ("accuracy", "known"):
        return key
    return dict(zip(found["node"], found[key], strict=True))


def expected(reader):
    _, key, values = READERS[reader]
    return key if key in ("accuracy", "known") else values


SLOW = ("analyze", "compare")  # the same reader as of cluster
FEW = ("header", "the other way round", "no header")


@pytest.mark.parametrize(
    ("reader", "kind"), [(r, k) for r in READERS for k in (FEW if r[0] in SLOW else TAKEN)]
)
def test_one_row_a_node_is_read_however_it_is_written(run, folder, reader, kind):
    verb, option = reader
    more, _, values = READERS[reader]
    content = TAKEN[kind](usual(option), values)
    (folder / "t.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    code, out, err = run(verb, "net.csv", option, "t.csv", *more, "--json")
    assert code == 0, err
    assert taken_values(reader, out) == expected(reader)
    if verb == "cluster":  # two triangles, and the groups that were given
        assert json.loads(out)["accuracy"] == 1.0


# Name: the content for the name of the column and its values, and a word the error must have.
REFUSED = {
    "a node twice, with different values": (lambda name, v: f"node,{name}\n{rows(v)}b,7\n", "'b'"),
    "an unknown node": (lambda name, v: f"node,{name}\n{rows(v)}zoe,1\n", "'zoe'"),
    "an unknown node in the first row": (lambda name, v: f"zoe,1\n{rows(v)}", "'zoe'"),
    "a list of edges": (lambda name, v: rows(dict(EDGES[1:])), "edges"),
    "its header": (lambda name, v: f"source,target\n{rows(dict(EDGES))}", "edges"),
    "edges with weights": (lambda name, v: f"source,target,w\n{wide(dict(EDGES), 1)}", "edges"),
    "three columns without names": (lambda name, v: wide(v, 1), "--column"),
    "none of them usual": (lambda name, v: f"node,q,r\n{wide(v, 1)}", "--column"),
    "no column of nodes": (lambda name, v: f"who,{name},r\n{wide(v, 1)}", "node"),
    "one column": (lambda name, v: "node\n" + "\n".join(v), "column"),
    "a row too short": (lambda name, v: f"node,{name}\n{rows(v)}f\n", "row 8"),
    "a name twice": (lambda name, v: f"node,{name},{name}\n{wide(v, 1)}", "twice"),
    "empty": (lambda name, v: "", "row"),
    "a header and no more": (lambda name, v: f"node,{name}\n", "row"),
    "a long word in quotes": (lambda name, v: f'node,{name}\na,"{"9" * 200_000}"\n', "131"),
    "a long word": (lambda name, v: f"node,{name}\na,{'9' * 200_000}\n", "131"),
    "UTF-16": (lambda name, v: f"node,{name}\n{rows(v)}".encode("utf-16"), "UTF-8"),
    "binary": (lambda name, v: bytes(range(256)) * 50, "UTF-8"),
    "zero bytes": (lambda name, v: bytes(1000), "zero bytes"),
    "half a gzip": (lambda name, v: gzip.compress(rows(v).encode())[:-9], "gzip"),
    "JSON": (lambda name, v: json.dumps({"node": list(v), name: list(v.values())}), "json"),
    "a page": (lambda name, v: "<!DOCTYPE html><html></html>", "web"),
}
OF_NUMBERS = {
    "words": ("a,many", "'many'"),
    "nan": ("a,nan", "nan"),
    "inf": ("a,inf", "inf"),
    "too large": ("a,1e999", "1e999"),
    "underscores": ("a,1_000", "1_000"),
    "full-width digits": ("a,\uff11\uff12", "\uff11\uff12"),
    "dates": ("a,2024-01-01", "2024-01-01"),
    "nothing": ("a,", "'a'"),
    "thousands": ('a,"1,500"', "1,500"),
}
OF_CLASSES = {"NA": ("a,NA", "'NA'"), "nan": ("a,nan", "'nan'")}


def refused(reader):
    own = OF_NUMBERS if reader[0] == "smooth" else OF_CLASSES
    return [*REFUSED, *own, *(["a node is missing"] if reader in FULL else [])]


@pytest.mark.parametrize(("reader", "kind"), [(r, k) for r in READERS for k in refused(r)])
def test_whatever_could_mean_something_else_is_refused(run, folder, reader, kind):
    verb, option = reader
    more, _, values = READERS[reader]
    name, below = usual(option), rows(values).splitlines()[1:]
    if kind in REFUSED:
        make, word = REFUSED[kind]
        content = make(name, values)
    elif kind == "a node is missing":
        content, word = f"node,{name}\n" + "\n".join(below), "'a'"
    else:
        first, word = (OF_NUMBERS if verb == "smooth" else OF_CLASSES)[kind]
        content = "\n".join([f"node,{name}", first, *below])
    (folder / "t.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    code, out, err = run(verb, "net.csv", option, "t.csv", *more, "--json")
    assert (code, out) == (2, "")
    assert err.startswith("error: t.csv: ")
    assert word in err
    assert len(err) < 1000


@pytest.mark.parametrize("reader", READERS, ids=" ".join)
def test_columns_are_chosen_by_name_or_number(run, folder, reader):
    verb, option = reader
    more, _, values = READERS[reader]
    wide = "node,label,value,group,mine\n" + "".join(f"{k},1,1,1,{x}\n" for k, x in values.items())
    (folder / "t.csv").write_text(wide)
    for column in ("mine", "5"):
        code, out, err = run(verb, "net.csv", option, "t.csv", "--column", column, *more, "--json")
        assert code == 0, err
        assert taken_values(reader, out) == expected(reader)
    for column in ("age", "6", "1", "node", "0", "-1"):
        assert run(verb, "net.csv", option, "t.csv", "--column", column, *more)[0] == 2


def test_a_column_without_a_table_is_refused(run, folder):
    for verb in ("cluster", "compare", "analyze"):
        assert run(verb, "net.csv", "--column", "q")[0] == 2
    assert run("smooth", "net.csv", "--signal", "degree", "--column", "q")[0] == 2


def test_decimal_commas_and_signs_are_numbers(run, folder):
    (folder / "t.csv").write_text("node;value\na;1,5\nb;-2\nc;+3e-1\nd;.5\ne;5.\nf;0\n")
    out = run("smooth", "net.csv", "--signal", "t.csv", "--strength", "1", "--json")[1]
    assert json.loads(out)["value"] == [1.5, -2.0, 0.3, 0.5, 5.0, 0.0]


def test_no_row_is_dropped_and_words_of_a_header_count(run, tmp_path, monkeypatch):
    """The two tables of the karate club with which this began."""
    monkeypatch.chdir(tmp_path)
    tables = {"bare": "0,a\n33,b\n32,b", "header": "node,label\n0,a\n33,b\n32,b",
              "swapped": "label,node\na,0\nb,33\nb,32"}  # fmt: skip
    found = {}
    for name, content in tables.items():
        (tmp_path / f"{name}.csv").write_text(content)
        out = json.loads(run("label", "karate", "--labels", f"{name}.csv", "--json")[1])
        assert out["known"] == 3
        found[name] = out["label"]
    assert found["bare"] == found["header"] == found["swapped"]
    assert set(found["bare"]) == {"a", "b"}
    (tmp_path / "age.csv").write_text("node,age,label\n0,30,a\n33,40,b\n")
    out = json.loads(run("label", "karate", "--labels", "age.csv", "--json")[1])
    assert set(out["label"]) == {"a", "b"}


def test_edges_of_numbered_nodes_are_no_labels(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.csv").write_text("0,1\n2,3\n33,32\n")  # every node once, as labels would be
    assert run("label", "karate", "--labels", "e.csv")[0] == 2
    (tmp_path / "n.csv").write_text("0,0\n16,0\n33,1\n")  # classes 0 and 1, which are nodes, too
    assert run("label", "karate", "--labels", "n.csv")[0] == 0
    (tmp_path / "h.csv").write_text("node,label\n0,1\n2,3\n33,32\n")
    assert run("label", "karate", "--labels", "h.csv")[0] == 0


def test_nodes_whose_names_are_usual_words(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.csv").write_text("source,target\nnode,label\nlabel,c\nnode,c\nc,d\n")
    (tmp_path / "t.csv").write_text("node,x\nd,y\n")  # a header, or the row of a node?
    assert run("label", "net.csv", "--labels", "t.csv")[0] == 2
    (tmp_path / "t.csv").write_text("node,label\nnode,x\nd,y\n")
    out = run("label", "net.csv", "--labels", "t.csv", "--json")[1]
    assert json.loads(out)["known"] == 2


def test_nodes_whose_names_begin_as_comments_do(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cl.write(cl.Complex.from_cells({1: [("#a", "b"), ("b", "c"), ("#a", "c")]}), "net.json")
    for head in ("", "node,label\n"):
        (tmp_path / "t.csv").write_text(f"#a,y\n{head}b,x\nc,y\n")
        assert run("label", "net.json", "--labels", "t.csv")[0] == 2
        (tmp_path / "t.csv").write_text(f'{head}"#a",y\nb,x\nc,y\n')
        out = run("label", "net.json", "--labels", "t.csv", "--json")[1]
        assert json.loads(out)["known"] == 3


def test_what_a_verb_writes_another_reads(run, folder):
    run("cluster", "net.csv", "-k", "2", "-o", "clusters.csv")
    out = run("cluster", "net.csv", "--groups", "clusters.csv", "--json")[1]
    assert json.loads(out)["accuracy"] == 1.0
    assert run("label", "net.csv", "--labels", "clusters.csv", "-o", "spread.csv")[0] == 0
    assert run("label", "net.csv", "--labels", "spread.csv")[0] == 0
    assert run("smooth", "net.csv", "--signal", "degree", "--strength", "1", "-o", "s.csv")[0] == 0
    again = run("smooth", "net.csv", "--signal", "s.csv", "--strength", "1", "--json")[1]
    assert json.loads(again)["value"] == [2, 2, 3, 3, 2, 2]


# Tables of points. Name: the file, its content, further options; the points that are read.
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
POINTS = {
    "bare": ("p.csv", "0,0\n1,0\n1,1\n0,1\n", ()),
    "header": ("p.csv", "x,y\n0,0\n1,0\n1,1\n0,1\n", ()),
    "chosen columns": ("p.csv", "id,y,x\n7,0,0\n8,1,0\n9,1,1\n6,0,1\n", ("--columns", "y,x")),
    "chosen by number": ("p.csv", "7,0,0\n8,1,0\n9,1,1\n6,0,1\n", ("--columns", "2,3")),
    "spaces": ("p.txt", "0 0\n1 0\n1 1\n0 1\n", ()),
    "tabs and a BOM": ("p.tsv", "\ufeff0\t0\n1\t0\n1\t1\n0\t1\n", ()),
    "decimal commas": ("p.csv", "0;0,0\n1;0\n1,0;1\n0;1\n", ()),
    "another delimiter": ("p.csv", "0/0\n1/0\n1/1\n0/1\n", ("--sep", "/")),
    "no header, said so": ("p.csv", "0,1\n0,0\n1,0\n1,1\n", ("--no-header",)),
    "gzip": ("p.csv.gz", gzip.compress(b"0,0\n1,0\n1,1\n0,1\n"), ()),
}
NO_POINTS = {
    "numbers of columns, or a point": ("p.csv", "0,1\n0,0\n1,0\n1,1\n", ()),
    "numbers of points": ("p.csv", "id,x,y\n7,0,0\n8,1,0\n", ()),
    "numbers of rows": ("p.csv", ",x,y\n0,0,0\n1,1,0\n", ()),
    "words": ("p.csv", "0,0\n1,a\n", ()),
    "nan": ("p.csv", "0,0\n1,nan\n", ()),
    "inf": ("p.csv", "0,0\n1,inf\n", ()),
    "nothing": ("p.csv", "0,0\n1,\n", ()),
    "too large": ("p.csv", "0,0\n1,1e999\n", ()),
    "underscores": ("p.csv", "0,0\n1,1_0\n", ()),
    "a row too short": ("p.csv", "0,0\n1\n", ()),
    "empty": ("p.csv", "", ()),
    "a header and no more": ("p.csv", "x,y\n", ()),
    "UTF-16": ("p.csv", "0,0\n1,1\n".encode("utf-16"), ()),
    "a long word": ("p.csv", f'0,0\n1,"{"1" * 200_000}"\n', ()),
    "a column that is none": ("p.csv", "x,y\n0,0\n1,0\n", ("--columns", "x,z")),
    "what is said of edges": ("p.csv", "0,0\n1,0\n", ("--directed", "ignore")),
    "weights": ("p.csv", "0,0\n1,0\n", ("--weight", "w")),
    "a pickle": ("p.npy", np.array([[{}]], dtype=object), ()),
    "complex numbers": ("p.npy", np.ones((3, 2)) * 1j, ()),
    "words of an array": ("p.npy", np.array([["a", "b"]]), ()),
    "one axis": ("p.npy", np.arange(3.0), ()),
    "an array of nan": ("p.npy", np.full((3, 2), np.nan), ()),
    "no array": ("p.npy", b"no array", ()),
    "a size that lies": (
        "p.npy", b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': "
        b"(1000000000000, 2), }".ljust(117) + b"\n", (),
    ),
}  # fmt: skip


def written(folder, name, content):
    if isinstance(content, np.ndarray):
        np.save(folder / name, content, allow_pickle=True)
    else:
        data = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(data)
    return name


@pytest.mark.parametrize("kind", [*POINTS, "an array"])
def test_tables_of_points(run, folder, kind):
    name, content, options = POINTS.get(kind, ("p.npy", SQUARE, ()))
    file = written(folder, name, content)
    rips = ("--how", "rips", "--distance", "1.1")
    code, out, err = run("lift", file, "o.json", *rips, *options, "--json")
    assert code == 0, err
    assert json.loads(out)["cells"][:2] == [4, 4]  # the sides of the square


@pytest.mark.parametrize("kind", NO_POINTS)
def test_what_is_no_table_of_points(run, folder, kind):
    name, content, options = NO_POINTS[kind]
    file = written(folder, name, content)
    code, _, err = run("lift", file, "o.json", "--how", "rips", "--distance", "1.1", *options)
    assert code == 2, err
    assert not (folder / "o.json").exists()


# Where files come in: all of the above, networks, proteins, points.
DOORS = {
    **{f"{verb} {option}": (verb, "net.csv", option, None) for verb, option in READERS},
    "a network": ("info", None),
    "a network of a format": ("info", None, "--format", "edges"),
    "points": ("lift", None, "o.json", "--how", "rips", "--distance", "1"),
    "a protein": ("protein", None),
}


def no_files(folder):
    os.mkfifo(folder / "pipe.csv")
    os.mkfifo(folder / "pipe")
    (folder / "zero.csv").symlink_to("/dev/zero")
    (folder / "folder.csv").mkdir()
    return ["pipe.csv", "pipe", "zero.csv", "/dev/zero", "folder.csv", "."]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
@pytest.mark.parametrize("door", DOORS)
def test_pipes_devices_and_folders_are_refused_at_once(run, folder, door):
    for name in no_files(folder):
        begun = time.monotonic()
        code, _, err = run(*(name if word is None else word for word in DOORS[door]))
        assert code == 2, (name, err)
        assert time.monotonic() - begun < 5


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
@pytest.mark.parametrize("option", ["label --labels", "smooth --signal"])
def test_a_huge_file_is_refused_in_little_memory(folder, option):
    with (folder / "huge.csv").open("wb") as file:
        file.truncate(3_000_000_000)  # a hole, which takes no space on the disk
    verb, name = option.split()
    # Its own peak as the process sees it: what its parent is told includes the parent's memory.
    script = (
        "import atexit, runpy\n"
        "atexit.register(lambda: print(open('/proc/self/status').read()))\n"
        "runpy.run_module('cellapse', run_name='__main__')"
    )
    command = [sys.executable, "-c", script, verb, "net.csv", name, "huge.csv"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode in (2, 4), done.stderr
    assert "huge.csv" in done.stderr
    assert int(re.search(r"VmHWM:\s*(\d+) kB", done.stdout)[1]) < 600_000


def text_options():
    """Every option of a verb whose value is text or a path."""
    for verb in VERBS.values():
        program = import_module(f"cellapse.cli.{verb.module}").app
    for command in program.registered_commands:
        verb = command.name or command.callback.__name__
        for name, hint in get_type_hints(command.callback, include_extras=True).items():
            kind, *infos = get_args(hint) if get_origin(hint) is Annotated else (hint,)
            kinds = {kind, *get_args(kind)}
            if kinds & {str, Path, list[str]} and infos and isinstance(infos[0], OptionInfo):
                given = (infos[0].default, *(infos[0].param_decls or ()))
                declared = [d for d in given if str(d).startswith("--")]
                yield verb, (declared or [f"--{name.replace('_', '-')}"])[0]


def test_every_option_that_takes_a_file_is_in_the_table():
    """A new option of text says here whether it is a file that is read."""
    options = set(text_options())
    assert {option for _, option in options} > WRITTEN
    assert options >= set(READERS), sorted(options)
    left = {o for o in options if o not in READERS and o[1] not in WRITTEN | WORDS}
    assert not left
