"""The command line of the first hour: JSON of every verb, options, notes, errors in its words."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import cellapse as cl
from cellapse import lifts
from cellapse.cli.lift import GRAPHS, POINTS

ROOT = Path(__file__).parents[2]
# Verbs that `make test` has tried with --json elsewhere take long or end by Ctrl-C.
VERBS = {
    "analyze": ("karate", "--quick", "--nodes"),
    "info": ("karate",),
    "lift": ("karate", "karate.json"),
    "convert": ("karate", "karate.csv"),
    "collapse": ("karate",),
    "spectrum": ("karate", "-k", "3"),
    "cluster": ("karate", "-k", "2"),
    "embed": ("karate", "-k", "2"),
    "encode": ("karate", "-k", "2"),
    "hks": ("karate", "--times", "0.1,1"),
    "smooth": ("karate", "--signal", "degree", "--strength", "1"),
    "resistance": ("karate", "--pair", "0,33"),
    "bench": ("karate", "-k", "2"),
}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def documented():
    """The keys of each verb on the page."""
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    for verbs, keys in re.findall(r"^\| (`.*?`) \| (.*) \|$", page, re.MULTILINE):
        keys = re.sub(r"\(with.*?\)(?=,|$)", "", keys)
        for verb in re.findall(r"`(\w+)`", verbs):
            yield verb, dict(re.findall(r"`([\w=.]+)`(\??)", keys))


KEYS = dict(documented())


def keys_within(value):
    if isinstance(value, dict):
        yield from value
        for part in value.values():
            yield from keys_within(part)
    elif isinstance(value, list):
        for part in value[:3]:
            yield from keys_within(part)


@pytest.mark.parametrize("verb", VERBS)
def test_json_is_what_the_page_says(run, verb):
    code, out, _ = run(verb, *VERBS[verb], "--json")
    assert code == 0
    facts = json.loads(out)
    assert not [key for key in keys_within(facts) if " " in key]
    known = KEYS[verb]
    own = {"renormalized"} if verb == "spectrum" else {"t=1"} if verb == "hks" else set()
    assert set(facts) - own <= set(known)
    assert {key for key, some in known.items() if not some} <= set(facts)


def test_plain_values_and_one_numbering(run):
    facts = json.loads(run("info", "karate", "--json")[1])
    assert facts["components"] == 1
    assert facts["cells"] == [34, 78, 45]
    facts = json.loads(run("analyze", "karate", "--quick", "--nodes", "--json", "-o", "out")[1])
    rows = [line.split(",") for line in Path("out/nodes.csv").read_text().splitlines()]
    assert facts["nodes"]["cluster"] == [int(row[1]) for row in rows[1:]]
    assert sorted(set(facts["nodes"]["cluster"])) == list(range(facts["clusters"]))
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert '"names":["cluster 0","cluster 1"]' in page
    assert page.count('"name":"Known groups"') == 1
    assert "Attribute group" not in page  # the same once more


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("cluster", "karate", "-k", 0), "-k 0"),
        (("analyze", "karate", "--eigenpairs", 99), "--eigenpairs 99"),
        (("embed", "karate", "-k", 99), "-k 99"),
        (("cluster", "karate", "--operator", "laplacian", "--eps", 1), "--eps 1"),
        (("cluster", "karate", "--beta", "x"), "--beta x"),
        (("lift", "karate", "k.graphml"), "write an HIF .json file"),
        (("lift", "karate", "k.json", "--max-rank", 0), "--max-rank 0"),
        (("lift", "karate", "k.json", "--how", "rips", "--distance", 1), "no coordinates"),
        (("lift", "karate", "k.json", "--how", "x"), "--how x"),
        (("analyze", "karate", "--choose", "--eps", 1), "leave out --operator"),
        (("explore", "karate", "--port", 99999), "--port 99999"),
    ],
)
def test_errors_are_in_the_words_of_the_command_line(run, words, said):
    code, out, err = run(*words)
    assert code == 2
    assert not out
    assert re.search(rf"(?<!-){re.escape(said)}", err), err
    assert not re.search(r"n_clusters|K\.skeleton|\w=\d|cl\.", err), err


@pytest.mark.filterwarnings("always")
def test_weights_that_are_there_and_not_used_are_told(run):
    Path("counts.csv").write_text("from,to,count\na,b,2\nb,c,3\na,c,4\n", encoding="utf-8")
    assert "column count found; use --weight count" in run("cluster", "counts.csv", "-k", 2)[2]
    assert "found" not in run("cluster", "counts.csv", "-k", 2, "--weight", "count")[2]


@pytest.mark.filterwarnings("always")
def test_bundled_networks_are_as_documented_and_nothing_warns(run):
    plain = run("spectrum", "karate", "-k", 3)
    weighted = run("spectrum", "karate", "-k", 3, "--weight", "weight")
    assert plain[0] == weighted[0] == 0
    assert plain[1] != weighted[1]
    assert "found" not in plain[2] + weighted[2]
    assert "found" not in run("cluster", "football", "-k", 2)[2]


def test_every_lift_is_on_the_command_line(run):
    read_from_files = {"hypergraph_complex", "mesh_complex", "molecule_complex", "protein_complex"}
    others = {"lift", "secondary_structure"}  # a function of one's own; no lift
    assert len(GRAPHS) + len(POINTS) - 1 == len(set(lifts.__all__) - read_from_files - others)
    np.savetxt("points.csv", np.random.default_rng(0).random((12, 2)), delimiter=",")
    error = run("lift", "karate", "k.json", "--how", "chordless-cycles")[2]
    assert "--how chordless-cycles without --max-length" in error
    more = {
        "chordless-cycles": ("--max-length", 4),
        "rips": ("--distance", 0.5),
        "nearest": ("--neighbours", 3),
    }
    for how in (*GRAPHS, *POINTS):
        source = "points.csv" if how in POINTS else "karate"
        code, _, err = run("lift", source, f"{how}.json", "--how", how, *more.get(how, ()))
        assert code == 0, err
        assert cl.read(f"{how}.json").max_rank >= 2


@pytest.mark.parametrize("operator", ["unfolded", "multiorder", "mixed"])
def test_analyze_takes_every_operator(run, operator):
    code, out, err = run("analyze", "karate", "--operator", operator, "--quick", "-o", "out")
    assert code == 0, err
    assert operator in out
    assert Path("out/report.html").stat().st_size > 10_000
