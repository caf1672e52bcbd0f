"""An operator whose edges come and go one at a time is the one made of what is left."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cellapse as cl
from cellapse.temporal import LiveOperator


def test_a_triangle_by_hand():
    """theta^2 = .9 and one triangle: f = 1 - .9 / 2 = .55 at its edges, .1 without it."""
    live = LiveOperator(nx.path_graph(3), eps=0.0)
    assert live @ np.array([1.0, 0.0, 0.0]) == pytest.approx([0.1, -0.1, 0.0])
    assert live.add(0, 2) == 3
    assert live @ np.array([1.0, 0.0, 0.0]) == pytest.approx([1.1, -0.55, -0.55])
    assert live.trust(2, 0) == pytest.approx(0.5)
    assert live.remove(1, 0) == 3
    assert live.operator().toarray()[2] == pytest.approx([-0.1, -0.1, 0.2])


@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([1e-4, 0.5]))
def test_it_is_the_collapse_of_the_graph_as_it_is_now(seed, changes, eps):
    rng = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(9, 0.4, seed=seed)
    live = LiveOperator(graph, eps=eps)
    x = rng.standard_normal((9, 3))
    for _ in range(changes):
        u, v = rng.choice(9, 2, replace=False).tolist()
        before = cl.collapse(cl.clique_complex(graph), "screened", eps=eps).toarray()
        there = graph.has_edge(u, v)
        moved = (live.remove if there else live.add)(u, v)
        (graph.remove_edge if there else graph.add_edge)(u, v)
        S = cl.collapse(cl.clique_complex(graph), "screened", eps=eps)
        differs = np.triu(abs(S.toarray() - before) > 1e-12, 1).sum()
        assert moved == differs
        assert live @ x == pytest.approx(S @ x, abs=1e-12)
        assert live @ x[:, 0] == pytest.approx(S @ x[:, 0], abs=1e-12)
    trust = cl.edge_trust(S)
    assert live.operator().toarray() == pytest.approx(S.toarray(), abs=1e-12)
    pairs = dict(zip(map(frozenset, trust.edges), trust.values, strict=True))
    for u, v in graph.edges:
        assert live.trust(u, v) == pytest.approx(pairs[frozenset((u, v))], abs=1e-9)


def test_an_operator_that_was_asked_for_stays():
    live = LiveOperator(nx.cycle_graph(5))
    kept = live.operator()
    before = kept.toarray()
    live.add(0, 2)
    assert kept.toarray() == pytest.approx(before)
    assert live.operator().spectrum(2).values[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda live: live.add(0, 1),
        lambda live: live.add(0, 9),
        lambda live: live.add(0, 0),
        lambda live: live.add(0, [1]),
        lambda live: live.remove(0, 2),
        lambda live: live.trust(0, 2),
        lambda live: LiveOperator(nx.path_graph(3), eps=-1.0),
        lambda live: LiveOperator(nx.Graph([(0, 1, {"weight": 2.0})])),
        lambda live: LiveOperator(3),
    ],
)
def test_what_cannot_change_is_refused(call):
    with pytest.raises(cl.CellapseError):
        call(LiveOperator(nx.path_graph(4)))
