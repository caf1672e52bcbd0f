"""The command line on the smallest networks, by default options alone, and numbers as options.

A default that nobody typed is no reason to refuse a network; sentences are true on four nodes, too.
"""

import json
import subprocess
import sys

import networkx as nx
import pytest
from typer.main import get_command

import cellapse as cl
from cellapse.cli.app import app
from cellapse.cli.verbs import VERBS

NETWORKS = {
    "one edge": [("a", "b")],
    "a path": [("a", "b"), ("b", "c")],
    "a triangle": [("a", "b"), ("b", "c"), ("a", "c")],
    "a triangle and a leaf": [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")],
    "a square": [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")],
    "two edges": [("a", "b"), ("c", "d")],
    "all pairs": [("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")],
}
WHAT = {
    "smooth": ("--signal", "degree"),
    "label": ("--labels", "known.csv"),
}
OF_NETWORKS = (
    *("analyze", "cluster", "embed", "encode", "hks", "smooth", "resistance", "trust", "label"),
    *("collapse", "spectrum", "compare", "info"),
)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def write(tmp_path, name):
    rows = "".join(f"{u},{v}\n" for u, v in NETWORKS[name])
    (tmp_path / "net.csv").write_text(f"source,target\n{rows}")
    (tmp_path / "known.csv").write_text("node,label\na,one\nb,two\n")


SLOW = ("a path", "a triangle", "a square", "all pairs")  # between the others


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in NETWORKS],
)
@pytest.mark.parametrize("verb", OF_NETWORKS)
def test_every_verb_takes_the_smallest_networks(run, tmp_path, verb, name):
    write(tmp_path, name)
    code, out, err = run(verb, "net.csv", *WHAT.get(verb, ()), "--json")
    assert code == 0, err
    json.loads(out)
    code, out, err = run(verb, "net.csv", *WHAT.get(verb, ()))
    assert code == 0, err
    assert not any(
        word in out + err for word in ("1 clusters", "e-16 is", "1 vertices", "1 nodes in")
    )


def test_no_verb_waits_for_a_library_that_it_does_not_need(tmp_path):
    """Half of the time of `cluster` on four nodes was importing one."""
    write(tmp_path, "a triangle and a leaf")
    script = """
import contextlib, sys
from cellapse.cli import main

for verb in sys.argv[1:]:
    sys.argv = ["cellapse", verb, "net.csv"]
    with contextlib.suppress(SystemExit):
        main()
    assert not {"sklearn", "pandas", "matplotlib"} & {*sys.modules}, verb
"""
    verbs = ("cluster", "compare", "embed", "spectrum", "trust", "analyze")
    done = subprocess.run(
        [sys.executable, "-c", script, *verbs],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") > 6 * 3, done.stderr  # each of them says something


def test_a_network_of_one_node(run, tmp_path):
    (tmp_path / "one.json").write_text('{"nodes": [{"id": "a"}], "links": []}')
    for verb in ("analyze", "cluster", "encode", "hks", "resistance", "trust", "collapse",
                 "spectrum", "compare", "info"):  # fmt: skip
        code, out, err = run(verb, "one.json")
        assert code == 0, err
        assert not any(word in out for word in ("None", "1 nodes", "1 vertices", "n_cells"))


def test_nearest_neighbours_of_few_points(run, tmp_path):
    (tmp_path / "points.csv").write_text("x,y\n0,0\n1,0\n0,1\n")
    assert run("lift", "points.csv", "out.json", "--how", "nearest")[0] == 0
    assert cl.read("out.json").n_cells[1] == 3
    assert run("lift", "points.csv", "out.json", "--how", "nearest", "--neighbours", 0)[0] == 2


@pytest.mark.parametrize("name", ["out.json", "out.csv", "out.gml", "out.npz", "out.csv.gz"])
def test_what_is_written_is_read_whatever_its_name(tmp_path, name):
    K = cl.clique_complex("karate")
    if not name.startswith(("out.json", "out.npz")):
        K = K.skeleton(1)
    cl.write(K, tmp_path / name)
    assert cl.read(tmp_path / name).n_cells[:2] == K.n_cells[:2]


def number_options():
    group = get_command(app)
    context = group.make_context("cellapse", ["info"])
    for verb in VERBS:
        for option in group.get_command(context, verb).params:
            if getattr(option, "metavar", None) in ("INTEGER", "NUMBER"):
                yield verb, option.opts[0], option.metavar


@pytest.mark.parametrize(("verb", "option", "kind"), [*number_options()])
def test_numbers_among_the_options_are_those_of_files(run, verb, option, kind):
    needed = {
        "lift": ("karate", "o.json"),
        "convert": ("karate", "o.json"),
        "reproduce": (),
        "demo": (),
    }
    words = ["1_0", "\uff11", "x", "", "0x10", *(["2.5"] if kind == "INTEGER" else [])]
    for word in words:
        code, out, _ = run(verb, *needed.get(verb, ("karate",)), *WHAT.get(verb, ()), option, word)
        assert (code, out) == (2, "")


def test_no_option_reads_numbers_in_another_way():
    """Every option whose type is a number goes through the reader of files."""
    found = list(number_options())
    assert {"--eps", "--seed", "-k", "--max-rank", "--strength", "--port", "--level"} <= {
        option for _, option, _ in found
    } | {"-k"}
    assert {verb for verb, *_ in found} >= {"protein", "cluster", "lift", "trust", "bench"}


@pytest.mark.parametrize(
    ("arguments", "python"),
    [
        (("collapse", "karate", "--gamma", 9), "Unchecked"),
        (("cluster", "karate", "--seed", -1), "Generator"),
        (("trust", "karate", "--cycles", 2), "max-length"),
        (("resistance", "words.csv"), "float("),
        (("embed", "karate", "-k", 34), "positional_encoding"),
        (("reduce", "karate", "--keep", 3, "--rule", "first"), "rule="),
        (("reduce", "karate", "--keep", 99), "keep="),
        (("track", "times.csv", "--width", 3, "--time", "when"), "time="),
        (("track", "times.csv", "--width", "soon"), "width="),
    ],
)
def test_remedies_are_those_of_a_shell(run, tmp_path, arguments, python):
    (tmp_path / "words.csv").write_text("source,target,weight\na,b,1_000\nb,c,2\n")
    (tmp_path / "times.csv").write_text("source,target,time\na,b,1\nb,c,2\n")
    code, _, said = run(*(tmp_path / a if str(a).endswith(".csv") else a for a in arguments))
    assert code == 2
    assert python not in said


def test_a_reduced_operator_is_named_in_words(run):
    _, said, _ = run("reduce", "karate", "--keep", 3)
    assert said.startswith("3 nodes of the renormalized operator of 34 nodes, 78 edges")
    assert "<" not in said


def test_the_least_trusted_edges_come_first_on_the_screen_and_in_order_in_files(run):
    shown = run("trust", "football")[1].splitlines()
    trust = [float(line.split()[2]) for line in shown if line.endswith("False   ")]
    assert trust == sorted(trust)
    assert len(trust) == 12
    facts = json.loads(run("trust", "football", "--evidence", "cells", "--json")[1])
    K = cl.clique_complex("football")
    assert facts["trust"] == pytest.approx(cl.edge_trust(K).values)


@pytest.mark.parametrize("n", [3, 5, 12, 40])
def test_where_all_eigenvalues_are_alike_there_is_one_cluster(n):
    K = cl.clique_complex(nx.complete_graph(n))
    for operator in (cl.collapse(K), cl.graph_laplacian(K)):
        assert set(cl.cluster(operator).numbers) == {0}
        assert cl.tasks.suggest_n_clusters(operator) == 1


def test_no_verdict_rests_on_one_vertex_of_four():
    K = cl.clique_complex(nx.Graph(NETWORKS["a triangle and a leaf"]))
    said = cl.tasks.verdict(K, 2)
    assert said.agreement == 0.75
    assert not said.gain
    assert "hardly" not in said.sentences()[0]
    assert "make no difference" not in said.sentences()[0]


def test_doubt_names_its_model_of_errors():
    K = cl.clique_complex("karate")
    said = set()
    for decoys in ("mixed", "degree", "uniform", "near"):
        doubt = cl.tasks.likely_false(K, evidence="cells", decoys=decoys)
        kinds = {"uniform", "degree", "near"} if decoys == "mixed" else {decoys}
        assert set(doubt.kinds) == set(doubt.knowing(0.2).kinds) == kinds
        said.add(str(doubt).splitlines()[-1])
    assert len(said) == 4
