"""Collapses of windows that are made from one another: operators, groups, changes."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_windows import spans, temporal

import cellapse as cl
from cellapse import temporal as over_time
from cellapse.temporal import TemporalComplex, collapse_over_time, find_changes

TWO = [*combinations("abcd", 2), *combinations("efgh", 2)]


@given(temporal(), spans, spans, st.sampled_from(["renormalized", "screened"]))
def test_operators_made_from_one_another_are_those_made_alone(T, width, step, name):
    for moment in collapse_over_time(T, width, step, operator=name, k=2):
        K = T.between(moment.window.start, moment.window.end)
        S = cl.make_operator(K, name)
        assert moment.operator.toarray() == pytest.approx(S.toarray(), abs=1e-12)
        assert moment.shares == pytest.approx(S.shares, abs=1e-13)
        if T.weights is None or not len(moment.shares):
            assert moment.trust == pytest.approx(np.asarray(cl.edge_trust(S)), abs=1e-9)
        n = moment.operator.kernel.shape[1]
        assert n == K.components().max() + 1
        assert abs(moment.operator @ moment.operator.kernel.toarray()).max() < 1e-12


def test_shares_change_only_where_cells_did_and_exactly_so():
    """On a long chain of triangles an edge at one end changes nothing at the other."""
    chain = [
        e
        for i in range(400)
        for e in ((2 * i, 2 * i + 1), (2 * i, 2 * i + 2), (2 * i + 1, 2 * i + 2))
    ]
    T = TemporalComplex.from_cells([*chain, (0, 3)], [0.0] * 1200 + [1.0], [2.0] * 1201)
    first, second = collapse_over_time(T, 1, operator="renormalized", k=1)
    assert second.window.entered == (1, 1)
    alone = cl.collapse(T.between(1, 2)).shares
    assert second.shares == pytest.approx(alone, abs=1e-14)
    before = dict(zip(first.window.edges.tolist(), first.shares.tolist(), strict=True))
    now = dict(zip(second.window.edges.tolist(), second.shares.tolist(), strict=True))
    changed = {tuple(T.pairs.ends[e].tolist()) for e in now if before.get(e) != now[e]}
    assert (0, 3) in changed
    assert max(max(edge) for edge in changed) <= 3 + 2 * 6


@pytest.mark.parametrize("name", ["laplacian", "unfolded", "multiorder"])
def test_any_operator_can_be_followed(name):
    T = TemporalComplex.from_cells([*TWO, ("d", "e"), ("y", "z")] * 2, [0] * 14 + [1] * 14)
    first, second = collapse_over_time(T, 1, operator=name, n_clusters=2, k=3)
    S = cl.make_operator(T.between(0, 1), name)
    assert first.operator.toarray() == pytest.approx(S.toarray())
    assert first.groups.tolist() == second.groups.tolist() == [0] * 4 + [1] * 4 + [-1] * 2
    assert second.by_groups == pytest.approx(0.0, abs=1e-6)


def test_vectors_are_eigenvectors_of_the_scaled_operator_and_turned_alike():
    rng = np.random.default_rng(3)
    pairs = [
        (u, v)
        for u, v in combinations(range(40), 2)
        if rng.random() < (0.6 if u // 10 == v // 10 else 0.03)
    ]
    start = rng.uniform(0, 4, len(pairs))
    T = TemporalComplex.from_cells(pairs, [0.0] * len(pairs), 4 + start, vertices=range(40))
    last = None
    for moment in collapse_over_time(T, 0.5, 0.25, n_clusters=4, k=6):
        d = moment.operator.diagonal()
        if moment.window.end > 4:
            break
        S = moment.operator.toarray() / np.sqrt(np.outer(d, d))
        V = moment.vectors
        assert pytest.approx(np.eye(6), abs=1e-8) == V.T @ V
        projected = V.T @ S @ V
        assert np.linalg.eigvalsh(projected) == pytest.approx(moment.values, abs=1e-8)
        assert abs(S @ V - V @ projected).max() < 1e-6
        if last is not None:
            overlap = np.diag(V[:, :4].T @ last[:, :4])
            assert (overlap > 0).all()
        last = V


def test_a_group_keeps_its_number_while_others_come_and_go():
    cells = [*TWO, *TWO[:6], *TWO, *TWO[6:]]
    times = [0] * 12 + [1] * 6 + [2] * 12 + [3] * 6
    T = TemporalComplex.from_cells(cells, times, vertices="abcdefgh")
    groups = [m.groups.tolist() for m in collapse_over_time(T, 1, n_clusters=1)]
    a, b, none = [groups[0][0]] * 4, [groups[0][4]] * 4, [-1] * 4
    assert a != b
    assert groups == [a + b, a + none, a + b, none + b]


def test_a_table_of_edges_with_their_trust():
    T = TemporalComplex.from_cells([*TWO, ("d", "e")], [0] * 13, weights=[2.0] * 13)
    weighted = next(collapse_over_time(T, 1)).to_frame()
    assert weighted["weight"].tolist() == [2.0] * 13
    T = TemporalComplex.from_cells([*TWO, ("d", "e")], [0] * 13)
    moment = next(collapse_over_time(T, 1))
    table = moment.to_frame().set_index(["source", "target"])
    trust = cl.edge_trust(cl.collapse(moment.window.complex))
    assert [*table.index] == [*trust.edges]
    assert table["trust"].to_numpy() == pytest.approx(trust.values)
    assert table["trust"].idxmin() == ("d", "e")
    plain = next(collapse_over_time(T, 1, operator="laplacian")).to_frame()
    assert [*plain.columns] == ["source", "target", "weight"]


def test_distances_of_windows():
    T = TemporalComplex.from_cells([*TWO, *TWO[:6], *TWO[:6]], [0] * 12 + [1] * 6 + [2] * 6)
    moments = list(collapse_over_time(T, 1, n_clusters=1))
    assert [m.by_edges for m in moments] == pytest.approx([0.0, 0.5, 0.0])
    assert moments[2].by_groups == pytest.approx(0.0, abs=1e-7)
    assert moments[1].by_groups > 0.5


def test_windows_without_cells_are_moments_without_groups():
    T = TemporalComplex.from_cells([("a", "b"), *TWO, ("a", "b")], [0] + [10] * 12 + [20])
    moments = list(collapse_over_time(T, 2))
    assert len(moments) == 11
    assert [m.n_groups for m in moments if m.window.start != 10] == [0] * 10
    assert all(np.isfinite([m.by_groups, m.by_edges]).all() for m in moments)
    assert moments[3].operator.toarray().tolist() == np.zeros((8, 8)).tolist()


def test_planted_changes_are_found_where_edges_and_laplacians_see_none():
    T = over_time.moving_triangles(n_windows=30, moves=(10, 20), rng=5)
    moments = list(collapse_over_time(T, 1, n_clusters=3, k=3))
    found = find_changes(moments)
    assert found.times[found.places].tolist() == [10.0, 20.0]
    assert found.p_values.min() == pytest.approx(1 / 126)
    plain = find_changes(collapse_over_time(T, 1, n_clusters=3, k=3, operator="laplacian"))
    assert not {10.0, 20.0} & set(plain.times[plain.places].tolist())
    degrees = [
        np.bincount(m.window.complex.cells[1].indices, minlength=300).mean() for m in moments
    ]
    assert np.std(degrees) < 0.1 * np.mean(degrees)


def test_more_eigenpairs_do_not_change_what_groups_say():
    T = over_time.moving_triangles(n_windows=14, moves=(7,), rng=0)
    few, more = (
        find_changes(collapse_over_time(T, 1, n_clusters=3, k=k)).statistics for k in (3, 10)
    )
    assert more == pytest.approx(few, abs=1e-6)


def test_a_p_value_is_uniform_where_nothing_changes():
    T = over_time.moving_triangles(60, 60, (), degree=10, meeting=3, rng=1)
    p = find_changes(collapse_over_time(T, 1, n_clusters=2, k=2), around=3).p_values
    assert len(p) == 55
    assert 0.3 < p.mean() < 0.7
    assert (p <= 0.1).mean() < 0.35


def test_moments_come_one_at_a_time():
    T = over_time.moving_triangles(60, 200, (), degree=6, meeting=3, rng=1)
    moments = collapse_over_time(T, 1, k=2)
    assert next(moments).window.number == 0
    assert next(moments).window.number == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda T: collapse_over_time(T, 1, operator="nothing"),
        lambda T: collapse_over_time(T, 1, operator="laplacian", eps=1.0),
        lambda T: collapse_over_time(T, 1, eps=-1.0),
        lambda T: collapse_over_time(T, 1, n_clusters=0),
        lambda T: collapse_over_time(T, 1, n_clusters=99),
        lambda T: collapse_over_time(T, 1, k=0),
        lambda T: collapse_over_time(T, -1),
        lambda T: collapse_over_time(T, 1, 0),
        lambda T: collapse_over_time(3, 1),
        lambda T: find_changes([1, 2]),
        lambda T: find_changes([], distance="nothing"),
        lambda T: find_changes([], around=1),
        lambda T: find_changes([], level=2.0),
        lambda T: over_time.moving_triangles(n=3),
        lambda T: over_time.moving_triangles(n_windows=5, moves=(9,)),
        lambda T: over_time.moving_triangles(n=20, degree=30.0),
    ],
)
def test_what_cannot_be_followed_is_refused_at_once(call):
    with pytest.raises(cl.CellapseError):
        call(TemporalComplex.from_cells(TWO, range(12)))


def test_contacts_with_their_times():
    pytest.importorskip("hypergraphx")
    T = over_time.load_timed_contacts("workplace")
    assert (T.n_vertices, len(T), T.dated) == (92, 9827, False)
    assert len(set(T.attributes["group"].tolist())) == 5
    day = T.between(28800, 28800 + 86400)
    assert day.attributes[0]["group"].tolist() == T.attributes["group"].tolist()
    assert "2013-12-02" in repr(over_time.load_timed_contacts("highschool"))
