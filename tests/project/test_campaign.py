"""A fixed slice of the campaign: the same complexes and graphs in every run.

`make campaign MINUTES=10` goes further.
"""

import json

import networkx as nx
import pytest
from everyday import everyday

pytest.importorskip("flint")

from campaign import complexes, run, zoo
from campaign.book import Book

SEEDS = 400
PER_TEST = 25
QUICK = 150  # every day; the others are slow
# Weights over many orders, eps = 0 or next to it: wrong before sigma kept all its digits, residuals
# were computed in extended precision, and small eigenvalues were told from zero.
ONCE_WRONG = (300161, 300922, 301520, 304471, 304640, 305322, 311292, 317654, 320231, 321575)
ONCE_WRONG += (334953, 504056, 1035025, 1040817)
GROUPS = (
    ("nx.star_graph(40 - 1)", "unfolded"),
    ("nx.star_graph(301 - 1)", "unfolded"),
    ("nx.path_graph(402)", "unfolded"),
    ("nx.hypercube_graph(8)", "unfolded"),
    ("nx.grid_2d_graph(15, 20, periodic=True)", "unfolded"),
    ("nx.kneser_graph(8, 3)", "unfolded"),
    ("nx.paley_graph(61).to_undirected()", "unfolded"),
    ("nx.ring_of_cliques(33, 9)", "unfolded"),
    ("nx.barbell_graph(20, 301 - 40)", "unfolded"),
    ("nx.disjoint_union_all([nx.cycle_graph(10)] * 12)", "unfolded"),
    ("nx.line_graph(nx.complete_graph(9))", "mixed"),
    ("nx.ring_of_cliques(8, 5)", "incidence"),
    ("nx.hypercube_graph(7)", "boundary"),
    ("nx.ring_of_cliques(8, 5)", "renormalized"),
    ("nx.complete_bipartite_graph(20 // 2, 20 - 20 // 2)", "screened"),
)
SLOW = ("nx.complete_multipartite_graph(1, 1, 300)", "incidence")


def assert_right(book):
    wrong = [
        f"{key}: {one['problem']}\n{one['reproducer']}"
        for key, kept in sorted(book.shown.items())
        for one in kept[:1]
    ]
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("first", everyday(range(0, SEEDS, PER_TEST), quick=range(QUICK)))
def test_random_complexes(first):
    book = Book()
    for seed in range(first, first + PER_TEST):
        complexes.run_seed(seed, book)
    assert_right(book)
    assert sum(book.checks.values()) > 3 * PER_TEST


def test_random_complexes_by_dense_algebra_on_faces(monkeypatch):
    """The way of cliques, whose complexes are too large for this campaign, on those it has."""
    monkeypatch.setattr("cellapse._collapse.eliminated.has_large_cliques", lambda *_: True)
    book = Book()
    for seed in range(900_000, 900_050):
        complexes.run_seed(seed, book)
    assert_right(book)


@pytest.mark.parametrize("seed", ONCE_WRONG)
def test_complexes_that_were_wrong_once(seed):
    book = Book()
    complexes.run_seed(seed, book)
    assert_right(book)


@pytest.mark.parametrize(
    "group", [*GROUPS, pytest.param(SLOW, marks=pytest.mark.slow)], ids=" ".join
)
def test_the_zoo(group):
    if "kneser" in group[0] and not hasattr(nx, "kneser_graph"):
        pytest.skip("kneser_graph came with networkx 3.3")
    book = Book()
    zoo.run_group(group, 0, book)
    assert_right(book)
    assert book.checks


def test_what_is_mended_counts_no_longer(monkeypatch):
    """Seeds and groups that were wrong are run again; those that are right move to `mended`."""
    book = Book(source="seed 5")
    book.check("apply", "mixed", 1.0, lambda: "S @ x")
    book.source = "seed 6"
    book.check("apply", "mixed", 1.0, lambda: "S @ x")
    book = Book.from_dict(book.as_dict())

    def run_seed(seed, new):
        if seed == 6:
            new.violation("apply", "mixed", "still", lambda: "S @ x")

    monkeypatch.setattr(complexes, "run_seed", run_seed)
    run.again(book, 0)
    assert book.wrong == book.mended == {"apply | mixed": 1}
    assert book.sources == {"apply | mixed": ["seed 6"]}
    assert [one["reproducer"] for one in book.shown["apply | mixed"]] == ["S @ x\n# seed 6"]
    assert sum(book.checks.values()) == 2


def test_figures_of_several_runs_are_added_up(tmp_path, monkeypatch):
    """Seeds go on where the last run ended, ranges that touch become one, groups count once."""

    def campaign(options, first, done):
        yield Book(complexes=4), first + 4, []
        yield Book(complexes=6), first + 10, [["a path", "unfolded"]][len(done) :]

    monkeypatch.setattr(run, "campaign", campaign)
    one, two, both = (str(tmp_path / name) for name in ("one.json", "two.json", "both.json"))
    for given in (["--seed", "50", "--output", one], ["--append", "--output", one]):
        assert run.main(given) == 0
    run.main(["--seed", "90", "--output", two])
    assert run.main(["--join", one, two, "--output", both]) == 0
    found = json.loads((tmp_path / "both.json").read_text())
    assert found["seeds"] == [[50, 70], [90, 100]]
    assert (found["complexes"], found["runs"]) == (30, 3)
    assert found["groups_done"] == [["a path", "unfolded"]]
