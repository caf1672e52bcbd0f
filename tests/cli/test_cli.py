"""The command line, as a user runs it."""

import csv
import gzip
import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import urllib.request
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from browser import HANG
from everyday import everyday

import cellapse as cl
from cellapse import cli, datasets, operator_names
from cellapse.cli.progress import Steps
from cellapse.experiments.main import TABLES

ROOT = Path(__file__).parents[2]
# Words of Python, which a shell has no use for.
PYTHON = re.compile(r"\b[A-Za-z]\.[a-z_]+\(|\bcellapse\.[a-z_]+|theory\.check|\w=(None|True|False)")
CONTACTS = "source,target,time\na,b,0\nb,c,60\na,c,120\nc,d,7200\n"
VERBS = [
    "info",
    "lift",
    "collapse",
    "reduce",
    "spectrum",
    "embed",
    "cluster",
    "smooth",
    "hks",
    "encode",
    "resistance",
    "trust",
    "label",
    "track",
    "compare",
    "convert",
    "datasets",
    "reproduce",
    "bench",
    "protein",
    "analyze",
    "explore",
    "demo",
]
OF_NODES = {
    "cluster": ("-k", "3"),
    "embed": ("-k", "3"),
    "encode": ("-k", "3"),
    "hks": ("--times", "0.1,1"),
    "smooth": ("--signal", "degree", "--strength", "0.5"),
}


def program_text(*arguments):
    return [sys.executable, "-c", "from cellapse.cli import main; main()", *arguments]


def test_as_a_program():
    done = subprocess.run(
        program_text("analyze", "footbal"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "did you mean" in done.stderr
    assert "Traceback" not in done.stderr


def test_all_verbs_are_there_and_show_examples(run):
    code, out, _ = run("--help")
    assert code == 0
    assert (
        re.findall(r"^  ([a-z]+) ", out, re.M)[-len(VERBS)] == "analyze"
    )  # the main job comes first
    assert not re.search(r"[a-z]\.\.\.$", out, re.M)  # every verb is explained in full
    for verb in VERBS:
        assert re.search(rf"^  {verb} ", out, re.M)
        code, text, _ = run(verb, "--help")
        assert code == 0
        assert f"  cellapse {verb}" in text


def test_analyze_writes_one_row_a_node(run, tmp_path):
    code, out, _ = run("analyze", "karate", "-o", tmp_path / "out")
    assert code == 0
    for word in ("34 vertices", "78 edges", "45 triangles", "lambda(S)", "97.1 %", "all hold"):
        assert word in out
    with (tmp_path / "out" / "nodes.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 34
    assert {row["cluster"] for row in rows} == {"0", "1"}
    assert (tmp_path / "out" / "report.html").stat().st_size > 30_000


def test_the_demo_shows_what_is_gained_and_what_is_not(run, tmp_path):
    code, out, _ = run("demo", "-o", tmp_path)
    assert code == 0
    assert "159 edges and 80 false" in out
    with (tmp_path / "edges.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert sum(row["false"] == "True" for row in rows) == 80
    assert "added on purpose" in (tmp_path / "report.html").read_text(encoding="utf-8")
    facts = json.loads(run("demo", "--json")[1])
    assert facts["areas"]["trust"] > max(facts["areas"].values()) - 0.03
    assert facts["labels"]["renormalized"] > facts["labels"]["laplacian"] + 0.05
    assert "degree" in out or not facts["doubted"]


def test_clusters_of_hubs_are_those_of_the_laplacian_unless_asked(run, tmp_path):
    file, small = tmp_path / "hubs.gml", tmp_path / "small.gml"
    nx.write_gml(nx.barabasi_albert_graph(300, 4, seed=1), file)
    nx.write_gml(nx.barabasi_albert_graph(100, 4, seed=1), small)  # enough for a caution
    code, out, _ = run("cluster", file, "-k", "8")
    assert code == 0
    assert "So these are of L" in out
    assert "graph Laplacian of" in out
    assert "Caution" in out
    facts = json.loads(run("cluster", file, "-k", "8", "--operator", "renormalized", "--json")[1])
    assert "renormalized" in facts["operator"]
    assert facts["verdict"]["clusters_by"] == "L"
    assert "Caution" in run("compare", small, "-k", "8")[1]


def test_analyze_as_json(run):
    code, out, _ = run("analyze", "karate", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["cells"] == [34, 78, 45]
    assert facts["theory_holds"] is True
    assert facts["accuracy"] == pytest.approx(33 / 34)
    assert len(facts["least_trusted_edges"]) == 10
    assert 0 < facts["distinguishable_edges"] < 78
    assert facts["verdict"]["words"].startswith("The cells hardly matter here")
    assert facts["clusters_by"] == "S"


def test_options_change_the_result(run):
    assert "3 by S, of sizes" in run("analyze", "karate", "-k", "3")[1]
    assert "tetrahedra" in run("analyze", "karate", "--max-rank", "3")[1]


@pytest.mark.parametrize("verb", OF_NODES)
def test_verbs_of_nodes_write_what_the_library_computes(run, tmp_path, verb):
    arguments = (verb, "karate", *OF_NODES[verb])
    K = cl.clique_complex(datasets.load("karate").graph)
    S = cl.collapse(K, realization="renormalized")
    degree = np.bincount(K.cells[1].indices, minlength=34).astype(float)
    expected = {
        "cluster": lambda: cl.cluster(S, 3).numbers[:, None],
        "embed": lambda: np.asarray(cl.embed(S, 3)),
        "encode": lambda: np.asarray(cl.positional_encoding(S, 3)),
        "hks": lambda: cl.heat_kernel_signature(S, [0.1, 1]).features,
        "smooth": lambda: np.column_stack([degree, cl.smooth(S, degree, strength=0.5)]),
    }[verb]()
    for kind in ("csv", "json", "npz"):
        file = tmp_path / f"out.{kind}"
        code, out, _ = run(*arguments, "-o", file)
        assert code == 0
        assert "34 rows" in out
        if kind == "csv":
            with file.open() as text:
                head, *rows = csv.reader(text)
            columns = dict(zip(head, zip(*rows, strict=True), strict=True))
        elif kind == "json":
            columns = json.loads(file.read_text())
        else:
            columns = dict(np.load(file))
        nodes = columns.pop("node")
        assert [str(v) for v in nodes] == [str(v) for v in K.labels]
        found = np.array([np.asarray(c, dtype=float) for c in columns.values()]).T
        assert np.allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("verb", [*OF_NODES, "spectrum", "resistance", "info", "compare", "bench"])
def test_json_is_all_there_is_on_standard_output(run, verb):
    code, out, _ = run(verb, "karate", *OF_NODES.get(verb, ()), "--json")
    assert code == 0
    assert json.loads(out)
    assert run(verb, "karate", *OF_NODES.get(verb, ()), "--quiet")[1] == ""


def test_spectrum_and_operators(run):
    K = cl.clique_complex(datasets.load("karate").graph)
    facts = json.loads(run("spectrum", "karate", "-k", "4", "--json")[1])
    assert np.allclose(facts["renormalized"], cl.collapse(K).spectrum(4).values)
    assert np.allclose(facts["laplacian"], cl.graph_laplacian(K).spectrum(4).values)
    facts = json.loads(
        run("spectrum", "karate", "--operator", "mixed", "--eps", "0.01", "--json")[1]
    )
    S = cl.collapse(K, realization="mixed", eps=0.01)
    assert np.allclose(facts["mixed"], S.spectrum(10).values)
    facts = json.loads(run("spectrum", "karate", "--operator", "multiorder", "--json")[1])
    assert np.allclose(facts["multiorder"], cl.multiorder_laplacian(K).spectrum(10).values)


def test_resistance_of_pairs(run):
    K = cl.clique_complex(datasets.load("karate").graph)
    pairs = ("--pair", "0,33", "--pair", "0,1", "--operator", "laplacian")
    facts = json.loads(run("resistance", "karate", *pairs, "--json")[1])
    expected = cl.effective_resistance(cl.graph_laplacian(K), [(0, 33), (0, 1)])
    assert np.allclose(facts["resistance"], expected)


def test_trust_writes_a_row_per_edge_and_the_network_without_the_doubted(run, tmp_path):
    edges, clean = tmp_path / "edges.csv", tmp_path / "clean.csv"
    code, out, _ = run("trust", "football", "--clean", clean)
    assert code == 0
    assert cl.read(clean).n_cells[1] == 613
    share = re.search(r"--false-share (0\.\d+)", out)[1]  # the remedy that is named
    code, out, _ = run("trust", "football", "--false-share", share, "-o", edges, "--clean", clean)
    assert code == 0
    assert "doubted" in out
    with edges.open() as file:
        rows = list(csv.DictReader(file))
    K = cl.clique_complex(datasets.load("football").graph)
    doubt = cl.tasks.likely_false(K, false_share=float(share))
    assert len(rows) == 613
    assert doubt.doubted.any()
    np.testing.assert_allclose([float(row["probability"]) for row in rows], doubt.probability)
    assert [row["doubted"] == "True" for row in rows] == doubt.doubted.tolist()
    assert cl.read(clean).n_cells[1] == 613 - doubt.doubted.sum()
    (tmp_path / "tree.csv").write_text("source,target\na,b\nb,c\n")
    code, out, _ = run("trust", tmp_path / "tree.csv", "--evidence", "cells")
    assert code == 0
    assert "there are no cycles" in out


def test_label_spreads_what_a_file_or_an_attribute_says(run, tmp_path):
    known = tmp_path / "known.csv"
    known.write_text("node,label\n0,here\n33,there\n5,\n")
    code, out, _ = run("label", "karate", "--labels", known, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["known"] == 2
    groups = np.asarray(datasets.load("karate").groups)
    agree = np.mean((np.array(found["label"]) == "here") == (groups == groups[0]))
    assert agree > 0.9
    assert found["label"][0] == "here"
    graph = nx.karate_club_graph()
    nx.set_node_attributes(graph, {0: "a", 33: "b"}, "team")
    nx.write_graphml(graph, tmp_path / "teams.graphml")
    code, out, _ = run("label", tmp_path / "teams.graphml", "--labels", "team", "--json")
    assert set(json.loads(out)["label"]) == {"a", "b"}
    for method in ("poisson", "harmonic", "regularized"):
        how = ("--labels", "team", "--method", method, "--json")
        found = json.loads(run("label", tmp_path / "teams.graphml", *how)[1])
        assert found["method"] == method
        assert (found["strength"] is None) == (method != "regularized")
        expected = cl.spread_labels(
            cl.read(tmp_path / "teams.graphml"), {0: "a", 33: "b"}, method=method
        )
        assert found["label"] == expected.predicted()
    for wrong in (("--method", "best"), ("--strength", "2")):
        code, _, error = run("label", tmp_path / "teams.graphml", "--labels", "team", *wrong)
        assert code == 2
        assert "regularized" in error
    known.write_text("node,label\nnobody,here\n")
    code, _, error = run("label", "karate", "--labels", known)
    assert code == 2
    assert "nobody" in error
    assert run("label", "karate", "--labels", tmp_path / "none.csv")[0] == 2
    known.write_text("node\n1\n")
    assert run("label", "karate", "--labels", known)[0] == 2


def test_collapse_writes_the_matrix(run, tmp_path):
    code, out, _ = run("collapse", "karate", "-o", tmp_path / "S.npz")
    assert code == 0
    assert "0 <= S <= A" in out
    found = np.load(tmp_path / "S.npz")
    S = cl.collapse(cl.clique_complex(datasets.load("karate").graph)).toarray()
    M = np.zeros((34, 34))
    M[found["i"], found["j"]] = M[found["j"], found["i"]] = found["value"]
    assert np.allclose(M, S)


def test_files_of_any_format(run, tmp_path):
    graph = nx.karate_club_graph()
    nx.write_gml(graph, tmp_path / "net.gml")
    code, out, _ = run("lift", tmp_path / "net.gml", tmp_path / "net.json")
    assert code == 0
    assert "45 triangles" in out
    assert cl.read(tmp_path / "net.json").n_cells == (34, 78, 45)
    run("convert", tmp_path / "net.json", tmp_path / "net.npz")
    assert json.loads(run("info", tmp_path / "net.npz", "--json")[1])["cells"][2] == 45
    gml = json.loads(run("cluster", tmp_path / "net.gml", "-k", "2", "--json")[1])
    npz = json.loads(run("cluster", tmp_path / "net.npz", "-k", "2", "--json")[1])
    assert gml["cluster"] == npz["cluster"]
    by_weight, named, none = (
        json.loads(run("spectrum", tmp_path / "net.gml", *words, "--json")[1])["laplacian"]
        for words in ((), ("--weight", "weight"), ("--weight", "none"))
    )
    assert by_weight == named
    assert by_weight != none


def test_a_signal_from_a_file(run, tmp_path):
    file = tmp_path / "signal.csv"
    file.write_text("node,value\n" + "".join(f"{i},{i % 3}\n" for i in range(34)))
    code, out, _ = run("smooth", "karate", "--signal", file, "--json")
    assert code == 0
    assert json.loads(out)["value"][:3] == [0, 1, 2]
    file.write_text("node,value\n0,1\n")
    code, _, err = run("smooth", "karate", "--signal", file)
    assert code == 2
    assert "33 of 34" in err


def test_json_is_what_the_standard_says(run, tmp_path):
    """No NaN and no Infinity: strict readers refuse them."""
    (tmp_path / "apart.csv").write_text("source,target\na,b\nc,d\n")
    (tmp_path / "pair.csv").write_text("source,target\na,b\n")

    def refuse(word):
        raise ValueError(word)

    apart = ("resistance", tmp_path / "apart.csv", "--pair", "a,c")
    code, out, _ = run(*apart, "--json", "-o", tmp_path / "r.json")
    assert code == 0
    assert json.loads(out, parse_constant=refuse)["resistance"] == [None]
    text = (tmp_path / "r.json").read_text()
    assert json.loads(text, parse_constant=refuse)["resistance"] == [None]
    run(*apart, "-o", tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text().split()[-1] == "a,c,inf"
    found = json.loads(run("compare", tmp_path / "pair.csv", "--json")[1], parse_constant=refuse)
    assert set(found["lambda_3"]) == {None}


@pytest.mark.parametrize(
    "arguments",
    [
        ("lift", "karate", "K.json"),
        ("convert", "karate", "K.npz"),
        ("info", "karate"),
        ("collapse", "karate"),
        ("bench", "karate"),
        ("protein", "1UBQ"),
        ("trust", "karate"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_json_and_nothing_else(run, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments, "--json")
    assert (code, err) == (0, "")
    assert isinstance(json.loads(out), dict)
    code, out, err = run(*arguments, "--quiet")
    assert (code, out, err) == (0, "", "")


def test_reduce_writes_the_schur_complement_onto_some_nodes(run, tmp_path):
    code, out, _ = run("reduce", "karate", "--keep", "33, 0", "--operator", "laplacian", "--json")
    facts = json.loads(out)
    assert (code, facts["kept"], facts["i"], facts["j"]) == (0, [33, 0], [33, 33, 0], [33, 0, 0])
    graph = nx.Graph(nx.karate_club_graph().edges)
    assert facts["value"][0] == pytest.approx(1 / nx.resistance_distance(graph, 0, 33))
    run("reduce", "karate", "--keep", "5", "--rule", "degree", "-o", tmp_path / "r.csv", "-q")
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 16
    for keep, named in (("0", "--keep 0"), ("0,nobody", "nobody"), ("99", "1..34")):
        code, _, err = run("reduce", "karate", "--keep", keep)
        assert code == 2
        assert named in err


def test_every_verb_writes_arrays_that_load(run, tmp_path):
    for verb in ("info", "collapse", "spectrum", "compare", "bench", "resistance", "trust"):
        assert run(verb, "karate", "-o", tmp_path / f"{verb}.npz", "-q")[0] == 0
        assert np.load(tmp_path / f"{verb}.npz", allow_pickle=False).files


def piped(text, *arguments):
    command = program_text(*arguments)
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def test_standard_input(run, tmp_path, monkeypatch):
    done = piped("a b\nb c\na c\nc d\n", "info", "-", "--json")
    assert json.loads(done.stdout)["cells"][2] == 1
    cl.write(cl.Complex.from_cells({1: [("a", "b")]}), tmp_path / "K.json")
    with (tmp_path / "K.json").open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert json.loads(run("info", "-", "--json")[1])["cells"][1] == 1
    done = piped("", "info", "-")
    assert done.returncode == 2
    assert "standard input: holds no row" in done.stderr
    assert "/" not in done.stderr


def test_a_reader_that_leaves_is_no_error():
    for arguments in (("datasets", "--json"), ("info", "karate")):
        with subprocess.Popen(
            program_text(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as running:
            running.stdout.close()
            assert b"Error" not in running.stderr.read()
            assert running.wait(HANG) == 0


def test_a_terminal_without_the_letters(tmp_path):
    (tmp_path / "net.csv").write_text("source,target\né,b\nb,c\né,c\n", encoding="utf-8")
    done = subprocess.run(
        program_text("hks", tmp_path / "net.csv", "--times", "1"),
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(r"^ \? +0\.", done.stdout, re.M)


def test_interrupted():
    script = (
        "import sys, cellapse.cli.reading as d; from cellapse.cli import main\n"
        "def load(*_, **__): raise KeyboardInterrupt\n"
        "d.load = load; sys.argv = ['cellapse', 'info', 'karate']; main()"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_cells_of_a_file_are_kept(run, tmp_path):
    filled, hollow = ("abc", "cde")
    edges = [pair for corners in (filled, hollow) for pair in itertools.combinations(corners, 2)]
    cl.write(cl.Complex.from_cells({1: edges, 2: [tuple(filled)]}), tmp_path / "K.json")
    facts = json.loads(run("info", tmp_path / "K.json", "--json")[1])
    assert facts["cells"][1:] == [6, 1]


def test_compare_takes_the_number_of_clusters(run):
    facts = json.loads(run("compare", "karate", "-k", "4", "--json")[1])
    row = dict(zip(facts["operator"], facts["agree"], strict=True))
    assert facts["clusters"] == 4
    assert row["laplacian"] == 1.0
    assert row["signless"] < 1.0


def test_bench_compares_with_the_graph_laplacian(run):
    facts = json.loads(run("bench", "karate", "--json")[1])
    total = np.add(facts["build"], facts["eigenpairs"])
    assert facts["operator"][0] == "laplacian"
    assert np.allclose(facts["ratio"], total / total[0], atol=0.006)


def test_weights_of_a_bundled_network(run):
    weighted = json.loads(run("spectrum", "karate", "--weight", "weight", "--json")[1])
    plain = json.loads(run("spectrum", "karate", "--json")[1])
    assert weighted["laplacian"] != plain["laplacian"]


def test_a_signal_that_is_noise(run):
    assert "better give --strength" in run("smooth", "karate", "--signal", "degree")[1]


def test_datasets_and_info(run):
    listing = run("datasets")[1]
    for name in datasets.available():
        assert name in listing
        assert "licence" in run("info", name)[1]
    everything = json.loads(run("datasets", "--json")[1])
    assert "1HEL" in everything["name"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("info", "nowhere.gml"), 2, "see `cellapse datasets`"),
        (("cluster", "karate", "-k", "99"), 2, "-k 99"),
        (("cluster", "karate", "--operator", "magic"), 2, "choose one of"),
        (("spectrum", "karate", "--operator", "laplacian", "--eps", "1"), 2, "leave it out"),
        (("spectrum", "karate", "--gamma", "soup"), 2, "bound or regularized"),
        (("hks", "karate", "--times", "1;2"), 2, "commas"),
        (("resistance", "karate", "--pair", "0,99"), 2, "no node '99'"),
        (("resistance", "karate", "--pair", "0"), 2, "two nodes"),
        (("smooth", "karate", "--signal", "height"), 2, "no signal 'height'"),
        (("cluster", "karate", "-o", "labels.xls"), 2, ".csv, .json or .npz"),
        (("cluster", "karate", "-o", "no/such/folder/labels.csv"), 2, "no such folder"),
        (("convert", "karate", "karate.xls"), 2, "graphml"),
        (("reproduce", "table9"), 2, "no table"),
        (("protein", "1heI"), 2, "did you mean 1HEL?"),
        (("protein", "karate"), 2, "no bundled protein 'karate'"),
        (("info", "."), 2, ". is a folder"),
        (("info", "karate", "--weight", "height"), 2, "height"),
        (("info", "1HEL", "--weight", "height"), 2, "leave it out"),
        (("cluster",), 2, "Missing argument"),
        (("clutser", "karate"), 2, "clutser"),
        (("smooth", "karate", "--signal", "degree", "--strength", "-1"), 2, "leave it out"),
        (("label", "karate", "--labels", "group", "--strength", "-1"), 2, "above 0"),
        (("cluster", "karate", "--mass", "soup"), 2, "auto"),
        (("embed", "karate", "-k", "0"), 2, "-k 0"),
        (("analyze", "karate", "-k", "99"), 2, "-k 99"),
        (("analyze", "karate", "--choose", "--eps", "1"), 2, "--eps"),
        (("analyze", "karate", "--groups", "nowhere"), 2, "nowhere"),
        (("compare", "karate", "--column", "team"), 2, "--groups"),
        (("lift", "karate", "o.json", "--how", "magic"), 2, "rips"),
        (("lift", "karate", "o.json", "--how", "rips", "--distance", "1"), 2, "coordinates"),
        (("trust", "karate", "--level", "2"), 2, "--level"),
        (("lift", "karate", "o.json", "--max-rank", "0"), 2, "--max-rank"),
        (("bench", "karate", "--eps", "-1"), 2, "--eps"),
        (("hks", "karate", "--times", "1_0"), 2, "--times 1_0"),
        (("hks", "karate", "--times", "\uff11"), 2, "--times"),
        (("collapse", "karate", "--beta", "1_0"), 2, "--beta 1_0"),
        (("collapse", "karate", "--gamma", "nan"), 2, "--gamma nan"),
    ],
)
def test_errors_are_a_sentence_and_a_code(run, arguments, code, words):
    found, out, err = run(*arguments)
    assert found == code
    said = " ".join(err.split())
    assert words in said
    assert "Traceback" not in err
    assert not PYTHON.findall(said.replace("cellapse.", ""))
    assert out == ""


def test_files_are_refused_in_words_of_the_command_line(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n")
    (tmp_path / "words.csv").write_text("person,friend\na,b\nb,c\n")
    wrong = (
        ("protein", "edges.csv"),
        ("info", "words.csv"),
        ("info", "edges.csv", "--repeats", "never"),
        ("info", "edges.csv", "--columns", "1,7"),
    )
    for verb, *rest in wrong:
        code, _, err = run(verb, *rest)
        assert code == 2
        assert not PYTHON.findall(err.replace("cellapse.", ""))
    assert run("protein", "edges.csv")[2].startswith("error: edges.csv: ")


def test_pairs_of_nodes_whose_names_have_commas(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.csv").write_text('"Lee, Ann",Bob\nBob,"Lee, Cy"\n"Lee, Ann","Lee, Cy"\n')
    for pair in ("Lee, Ann,Bob", "Lee, Ann,Lee, Cy"):
        columns = ("net.csv", "--columns", "1,2", "--no-header", "--operator", "laplacian")
        out = run("resistance", *columns, "--pair", pair, "--json")[1]
        assert json.loads(out)["resistance"] == [pytest.approx(2 / 3)]


def test_a_folder_that_cannot_be_written(run, tmp_path, monkeypatch):
    def refused(*_, **__):
        raise AssertionError("the work began before the folder was tried")

    monkeypatch.setattr("cellapse.cli.analyze.analyze", refused)
    (tmp_path / "file").write_text("")
    code, _, err = run("analyze", "football", "-o", tmp_path / "file")
    assert code == 2
    assert "choose another folder" in " ".join(err.split())


def test_debug_shows_the_traceback(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["cellapse", "--debug", "info", "nowhere"])
    with pytest.raises(cl.InputError):
        cli.main()
    monkeypatch.setattr("cellapse.cli.app._debug", False)


def test_a_bug_is_told_as_one(run, monkeypatch):
    monkeypatch.setattr("cellapse.cli.reading.load", lambda *_, **__: 1 / 0)
    code, _, err = run("info", "karate")
    assert code == 1
    assert "This is a bug" in err


def test_missing_extra_has_its_own_code(run, monkeypatch, tmp_path):
    (tmp_path / "a.smi").write_text("CCO\n")
    monkeypatch.setitem(sys.modules, "rdkit", None)
    code, _, err = run("info", tmp_path / "a.smi")
    assert code == 3
    assert "cellapse[molecule]" in err


def test_notes_go_to_standard_error():
    command = program_text("spectrum", "karate", "--operator", "boundary", "--json")
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)
    assert "note: with signed boundaries" in done.stderr


class HandMadeTime:
    """Stands for `time` and `threading` of the progress: nothing passes but by `wait`."""

    def __init__(self):
        self.now, self.timers = 0.0, []

    def monotonic(self):
        return self.now

    def Timer(self, seconds, function):
        return Alarm(self, self.now + seconds, function)

    def wait(self, seconds):
        self.now += seconds
        for alarm in [alarm for alarm in self.timers if alarm.due <= self.now]:
            alarm.cancel()
            alarm.function()


class Alarm:
    def __init__(self, time, due, function):
        self.time, self.due, self.function = time, due, function

    def start(self):
        self.time.timers.append(self)

    def cancel(self):
        if self in self.time.timers:
            self.time.timers.remove(self)


def test_progress_is_a_plain_line_in_a_log(capsys, monkeypatch):
    time = HandMadeTime()
    monkeypatch.setattr("cellapse.cli.progress.time", time)
    monkeypatch.setattr("cellapse.cli.progress.threading", time)
    with Steps(["first", "second"], quiet=False) as step:
        step("first")
        time.wait(1.9)
        assert capsys.readouterr().err == ""
        time.wait(1.1)
        assert capsys.readouterr().err == "first (1 of 2)\n"
        step("second")
        assert capsys.readouterr().err == "second (2 of 2)\n"
    with Steps(["first"], quiet=False) as step:
        step("first")
        time.wait(3.0)
        step._show()  # the timer and the step may both come by
    assert capsys.readouterr().err == "first (1 of 1)\n"
    with Steps(["first"], quiet=True) as step:
        step("first")
        time.wait(3.0)
    with Steps(["first"], quiet=False) as step:
        step("first")
    time.wait(3.0)  # what is over in time says nothing, then or later
    assert capsys.readouterr().err == ""


def test_shell_completion_knows_the_names():
    script = (
        "import os; os.environ.update(_CELLAPSE_COMPLETE='complete_bash', "
        "COMP_WORDS='cellapse info foo', COMP_CWORD='2'); "
        "from cellapse.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["football"]


def test_a_protein_from_a_structure_file(run, tmp_path):
    pytest.importorskip("gemmi")
    structure = ROOT / "tests" / "data" / "1ubq.pdb.gz"
    code, out, _ = run("protein", structure, "-k", "3", "-o", tmp_path, "--json")
    assert code == 0
    facts = json.loads(out)
    assert facts["title"] == "1ubq.pdb.gz"
    assert facts["cells"][0] == sum(facts["sizes"]) == 76
    assert facts["theory_holds"] is True
    with (tmp_path / "nodes.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 76
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '"helix"' in text
    assert "3Dmol" in text


def one_run():
    """A table of the paper with only its first run."""
    first = TABLES["compression"].arguments(True)[:1]
    return replace(TABLES["compression"], arguments=lambda quick: first)


def test_reproduce_writes_a_table_and_goes_on_where_it_stopped(run, tmp_path, monkeypatch):
    monkeypatch.setitem(TABLES, "compression", one_run())
    code, out, _ = run("reproduce", "compression", "-o", tmp_path)
    assert code == 0
    assert "report.html" in out
    assert "<table" in (tmp_path / "report.html").read_text(encoding="utf-8")
    results = sorted((tmp_path / "results").rglob("*.json"))
    assert len(results) == 1
    written = results[0].stat().st_mtime_ns
    assert run("reproduce", "compression", "-o", tmp_path, "--quiet")[:2] == (0, "")
    assert results[0].stat().st_mtime_ns == written


# A shell that runs the tests in the background makes all it starts deaf to Ctrl-C.
LISTENING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from cellapse.cli import main
main()
"""


def test_explore_prints_its_address_and_ends():
    command = [sys.executable, "-c", LISTENING, "explore", "karate", "--no-browser", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        try:
            address = running.stdout.readline().strip()
            assert urllib.request.urlopen(address).status == 200
            running.send_signal(signal.SIGINT)
            assert running.wait(HANG) == 0
        finally:
            running.kill()


def documented():
    """Every command in README, docs and --help, as the user would type it."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for page in pages:
        if page.exists():
            yield from re.findall(r"^(?:    )?cellapse (.*)$", page.read_text(), re.M)
            yield from re.findall(r"`cellapse ([a-z].*?)`", page.read_text())
    for file in (ROOT / "src" / "cellapse" / "cli").glob("*.py"):
        yield from re.findall(r"^    cellapse ([a-z].*)$", file.read_text(), re.M)


def commands():
    found = {re.split(r"\s{2,}|\s#", line)[0].strip() for line in documented()}
    return sorted(found - {verb for verb in VERBS if verb not in ("datasets",)})


def may_take_seconds(line):
    return line.startswith("explore") or "--cycles" in line


@pytest.mark.parametrize(
    "line", everyday(commands(), quick=[c for c in commands() if not may_take_seconds(c)])
)
def test_every_documented_command_runs(run, line, tmp_path, monkeypatch):
    verb, *rest = shlex.split(line)
    if verb == "explore":  # until interrupted, which is at once
        monkeypatch.setattr("cellapse.report.server.webbrowser.open", lambda address: None)
        monkeypatch.setattr("cellapse.report.server.wait", lambda: None)
    if verb == "reproduce":  # a single run instead of hours; the tables have tests of their own
        small = one_run()
        for name in TABLES:
            monkeypatch.setitem(TABLES, name, small)
        # Its processes, which take seconds to start, have a test of their own above.
        monkeypatch.setattr("cellapse.cli.reproduce.cores", lambda: 1)
    monkeypatch.chdir(tmp_path)
    graph = nx.karate_club_graph()
    nx.write_gml(graph, "network.gml")
    nx.write_graphml(graph, "network.graphml")
    cl.write(cl.clique_complex(graph), "network.npz")
    cl.write(cl.clique_complex(graph), "network.json")
    Path("contacts.csv").write_text(CONTACTS)
    Path("known.csv").write_text("node,label\n0,here\n33,there\n")
    people = "".join(f"{i},{20 + i},{'red' if i < 17 else 'blue'}\n" for i in graph)
    Path("people.csv").write_text(f"node,age,team\n{people}")
    np.savetxt("points.csv", np.random.default_rng(0).random((12, 2)), delimiter=",")
    Path("measured.csv").write_text("node,value\n" + "".join(f"{i},{i}\n" for i in graph))
    Path("mesh.off").write_text(
        "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3\n3 0 2 3\n3 1 2 3\n"
    )
    if "structure.cif" in rest:
        pytest.importorskip("gemmi")
        packed = ROOT / "tests" / "data" / "1ubq.cif.gz"
        Path("structure.cif").write_bytes(gzip.decompress(packed.read_bytes()))
    code, _, err = run(verb, *rest)
    assert code == 0, err
    assert os.listdir() != []


@pytest.mark.parametrize("verb", [v for v in VERBS if v not in ("explore", "reproduce", "protein")])
def test_a_shell_is_told_of_commands_and_not_of_python(run, tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    more = {
        **OF_NODES,
        "reduce": ("--keep", "4"),
        "track": ("contacts.csv", "--width", "1h"),
        "label": ("--labels", "group"),
        "lift": ("o.json",),
        "convert": ("o.json",),
    }
    network = () if verb in ("datasets", "demo", "track") else ("karate",)
    Path("contacts.csv").write_text(CONTACTS)
    code, out, err = run(verb, *network, *more.get(verb, ()))
    assert code == 0
    assert not PYTHON.findall(out + err)


def test_what_is_named_as_next_runs(run):
    out = run("collapse", "karate", "--operator", "screened", "--eps", "0.01")[1]
    named = re.findall(r"next +cellapse (.*?): ", out)
    assert len(named) == 3
    for line in named:
        code, again, _ = run(*shlex.split(line))
        assert code == 0
        assert "screened" in again
        assert "eps 0.01" in again


def test_tables_of_all_operators_are_shown_whole(run):
    for verb in ("compare", "bench"):
        out = run(verb, "karate")[1]
        assert all(f" {name} " in out for name in operator_names())
        assert "more row" not in out


def test_counts_have_the_names_of_cells(run, tmp_path):
    """Triangles where cells are simplices, nodes as everywhere on the command line."""
    out = run("info", "karate")[1]
    assert "34 nodes, 78 edges, 45 triangles" in out
    assert "weight (of edges)" in out
    (tmp_path / "h.hyperedges").write_text("a b c d\nc e\n")
    out = run("lift", tmp_path / "h.hyperedges", tmp_path / "h.json")[1]
    assert "cell of rank 2" in out
    assert "triangle" not in out
    out = run("info", tmp_path / "h.json")[1]
    assert not re.search(r"^understood +none", out, re.M)


def sessions():
    """Blocks of the documentation with `$ cat FILE` and `$ cellapse ...` and what they print."""
    page = (ROOT / "docs" / "command_line.md").read_text()
    return re.findall(r"```text\n(\$ .*?)```", page, re.S)


@pytest.mark.parametrize("session", sessions())
def test_what_the_documentation_shows_is_what_is_printed(run, session, tmp_path, monkeypatch):
    """A line of three dots stands for any lines."""
    monkeypatch.chdir(tmp_path)
    for part in re.split(r"^\$ ", session, flags=re.M)[1:]:
        line, _, shown = part.partition("\n")
        program, *rest = shlex.split(line)
        if program == "cat":
            Path(rest[0]).write_text(shown)
            continue
        code, out, _ = run(*rest)
        assert code == 0
        printed = "\n".join(row.rstrip() for row in out.splitlines()) + "\n"
        pattern = re.escape(shown).replace(r"\.\.\." + "\\\n", r"(?:.*\n)*?")
        assert re.fullmatch(pattern, printed), printed
