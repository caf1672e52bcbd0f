"""The backend of networkx: its own tests, its own results, and what it refuses or leaves to it.

Entry points are those of the installed package; results are compared through the functions of
networkx, with and without `backend="cellapse"`.
"""

import os
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse._networkx_backend import FUNCTIONS, get_info

OF_NETWORKX = (
    "networkx.linalg.tests.test_algebraic_connectivity",
    "networkx.algorithms.centrality.tests.test_current_flow_closeness",
    "networkx.algorithms.centrality.tests.test_current_flow_betweenness_centrality",
    "networkx.algorithms.tests.test_distance_measures",
)
NUMBERS = (
    *("resistance_distance", "effective_graph_resistance", "current_flow_closeness_centrality"),
    *("current_flow_betweenness_centrality", "edge_current_flow_betweenness_centrality"),
)

pytestmark = pytest.mark.skipif(
    "cellapse" not in nx.config.backends,
    reason="networkx sees backends of installed packages; install cellapse (make test does)",
)


def weighted(n=40, seed=3):
    G = nx.connected_watts_strogatz_graph(n, 4, 0.3, seed=seed)
    for k, (u, v) in enumerate(G.edges):
        G[u][v]["w"] = 0.5 + k % 5
    return nx.relabel_nodes(G, {v: f"node {7 * v % n}" for v in G})


def both(name, G, *args, **options):
    function = getattr(nx, name)
    return function(G, *args, **options), function(G, *args, backend="cellapse", **options)


def assert_same(theirs, ours):
    if isinstance(theirs, dict):
        assert set(theirs) == set(ours)
        for key, value in theirs.items():
            assert_same(value, ours[key])
    else:
        assert type(ours) is type(theirs)
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-11)


@pytest.mark.slow
def test_networkx_tests_pass_with_the_backend_on():
    """Where its tests call other functions, these are networkx's own."""
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull),
            *("--pyargs", *OF_NETWORKX),
            *("-k", "Resistance or Flow or algebraic or Fiedler or spectral or Spectral"),
        ],
        env=os.environ | {"NETWORKX_TEST_BACKEND": "cellapse", "NETWORKX_FALLBACK_TO_NX": "True"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.returncode, run.stdout[-3000:]


def test_what_networkx_shows_of_it():
    assert set(get_info()["functions"]) == set(FUNCTIONS)
    for name in FUNCTIONS:
        assert "cellapse" in getattr(nx, name).backends, name
    heavy = "{'numpy', 'scipy', 'cellapse.tasks'}"
    code = f"import networkx, sys; print(sorted({heavy} & set(sys.modules)))"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert seen.stdout == "[]\n"  # importing networkx loads nothing of it


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_those_of_networkx(name, weight):
    assert_same(*both(name, weighted(), weight=weight))


@pytest.mark.parametrize(
    "options", [{"nodeA": "node 7"}, {"nodeB": "node 7"}, {"invert_weight": False}]
)
def test_resistances_from_one_node_and_of_conductances(options):
    assert_same(*both("resistance_distance", weighted(), weight="w", **options))


def test_resistances_of_one_pair():
    """Two edges in series beside one: 2 * 1 / (2 + 1)."""
    G = nx.cycle_graph(3)
    assert_same(*both("resistance_distance", G, 0, 1))
    assert nx.resistance_distance(G, 0, 1, backend="cellapse") == pytest.approx(2 / 3)
    assert nx.resistance_distance(G, 1, 1, backend="cellapse") == 0.0
    parallel = nx.MultiGraph(
        [("a", "b", {"w": 2.0}), ("a", "b", {"w": 2.0}), ("a", "a", {"w": 1.0})]
    )
    assert_same(*both("resistance_distance", parallel, "a", "b", weight="w"))


def test_a_weight_changed_in_place_counts_though_networkx_caches():
    G = weighted(10)
    nx.effective_graph_resistance(G, weight="w", backend="cellapse")
    u, v = next(iter(G.edges))
    G[u][v]["w"] = 100.0
    with nx.config(warnings_to_ignore={"cache"}):
        assert_same(*both("effective_graph_resistance", G, weight="w"))


@pytest.mark.parametrize("normalized", [False, True])
def test_fiedler_values_and_vectors(normalized):
    G = weighted()
    theirs, ours = both("algebraic_connectivity", G, weight="w", normalized=normalized, tol=1e-12)
    assert ours == pytest.approx(theirs, rel=1e-8)
    theirs, ours = both("fiedler_vector", G, weight="w", normalized=normalized, tol=1e-12, seed=1)
    assert abs(theirs @ ours) == pytest.approx(1.0, rel=1e-8)
    assert np.linalg.norm(ours) == pytest.approx(1.0)
    theirs, ours = both("spectral_ordering", G, weight="w", normalized=normalized, tol=1e-12)
    assert ours in (theirs, theirs[::-1])


def test_components_and_directions_of_an_ordering():
    G = nx.disjoint_union(nx.path_graph(5), nx.path_graph(4))
    order = nx.spectral_ordering(G, backend="cellapse")
    assert order[:5] in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0])
    assert order[5:] in ([5, 6, 7, 8], [8, 7, 6, 5])
    assert nx.spectral_ordering(nx.DiGraph([(1, 0), (1, 2)]), backend="cellapse") in (
        [0, 1, 2],
        [2, 1, 0],
    )


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("weight", [0.0, -1.0, float("nan"), None])
def test_other_weights_are_left_to_networkx(name, weight):
    """None: an edge without its weight."""
    G = nx.cycle_graph(5)
    nx.set_edge_attributes(G, 1.0, "w")
    G.add_edge(0, 1, **({} if weight is None else {"w": weight}))
    if weight is None:
        del G[0][1]["w"]
    theirs, ours = outcomes(name, G, weight="w")
    if isinstance(theirs, tuple) or weight is not None:
        assert str(ours) == str(theirs)
    else:
        assert_same(theirs, ours)


def outcomes(name, G, **options):
    """What networkx gives, or its error, and what the backend gives."""
    found = []
    for backend in ({}, {"backend": "cellapse"}):
        with np.errstate(all="ignore"):
            try:
                found.append(getattr(nx, name)(G, **options, **backend))
            except Exception as error:
                found.append((type(error), str(error)))
    return found


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_errors_are_those_of_networkx(name):
    for G in (nx.Graph(), nx.empty_graph(1), nx.empty_graph(3), nx.Graph([(0, 1), (2, 3)])):
        theirs, ours = outcomes(name, G)
        assert ours == theirs, G


def test_memory_is_asked_for_in_words():
    with pytest.raises(cl.SizeError, match="pair"):
        nx.resistance_distance(nx.path_graph(300_000), backend="cellapse")
