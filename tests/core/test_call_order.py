"""The core calls downwards only: what a file calls does not call that file back.

`test_layout.py` sees imports. Functions that are handed over are called without one, so three usual
calls are traced. A method that a contract declares counts as the contract's: who calls it knows the
abstract class, and not the file of whoever implements it. A function handed over has no such place.
"""

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from types import FrameType

import networkx as nx
import pytest

import cellapse as cl

CORE = ("cellapse._matrices", "cellapse._linalg", "cellapse._collapse")
MADE = ("__init__", "__post_init__", "__new__")  # who makes an object names its class
# Ceilings, only ever lowered.
FILES_IN_CYCLES = 0
FILES_OF_A_SPECTRUM = 24  # of the package, for karate; to 20

Call = tuple[str, str]  # the module that calls and the module that is called


def in_core(module: str) -> bool:
    return module.startswith(CORE)


def owner(frame: FrameType) -> str:
    """The module of the function that a frame runs, or of the contract that declares it."""
    module, code = frame.f_globals.get("__name__", ""), frame.f_code
    if code.co_varnames[:1] != ("self",) or code.co_name in MADE:
        return module
    declare = [
        each.__module__
        for each in type(frame.f_locals["self"]).__mro__
        if in_core(each.__module__)
        and code.co_name in vars(each).keys() | inspect.get_annotations(each)
    ]
    return declare[-1] if module in declare else module


def traced(run: Callable[[], object]) -> tuple[set[str], set[Call]]:
    """The modules of the package that a call enters, and which of the core call which."""
    entered: set[str] = set()
    calls: set[Call] = set()

    def see(frame: FrameType, event: str, _: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event != "call" or not module.startswith("cellapse."):
            return
        entered.add(module)
        back = frame.f_back
        while back is not None and not in_core(back.f_globals.get("__name__", "")):
            back = back.f_back  # what lies between belongs to SciPy, or to a room below
        if in_core(module) and back is not None:
            calls.add((back.f_globals["__name__"], owner(frame)))

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        run()
    finally:
        sys.setprofile(before)
    return entered, {(source, target) for source, target in calls if source != target}


def cycles(calls: set[Call]) -> list[list[str]]:
    """The sets of more than one module that all call each other, through others or not."""
    groups = nx.strongly_connected_components(nx.DiGraph(calls))
    return sorted(sorted(group) for group in groups if len(group) > 1)


def drawn(n: int, n_edges: int) -> nx.Graph:
    """A network without structure, the same on every machine."""

    def ends() -> Iterator[tuple[int, int]]:
        number = 0
        while True:
            digest = hashlib.sha256(str(number).encode()).digest()
            yield int.from_bytes(digest[:8], "big") % n, int.from_bytes(digest[8:16], "big") % n
            number += 1

    G = nx.empty_graph(n)
    for a, b in ends():
        if a != b:
            G.add_edge(a, b)
        if G.number_of_edges() == n_edges:
            return G


RUNS = {
    "renormalized": (nx.karate_club_graph, "renormalized"),
    "unfolded": (nx.karate_club_graph, "unfolded"),
    "iterative": (lambda: drawn(600, 6_000), "unfolded"),  # too many fill-ins for a factor
}


@pytest.fixture(scope="module")
def traces() -> dict[str, tuple[set[str], set[Call]]]:
    found = {}
    for name, (graph, realization) in RUNS.items():
        for _ in range(2):  # the first imports what is imported when it is needed
            K = cl.clique_complex(graph())
            found[name] = traced(lambda K=K, r=realization: cl.collapse(K, r).spectrum(4))
    return found


def test_no_file_of_the_core_is_called_back(traces):
    found = cycles(set().union(*(calls for _, calls in traces.values())))
    assert sum(map(len, found)) <= FILES_IN_CYCLES, found


def test_a_spectrum_of_a_small_network_crosses_few_files(traces):
    entered, _ = traces["renormalized"]
    assert len(entered) <= FILES_OF_A_SPECTRUM, sorted(entered)


def test_the_third_run_takes_iterations(traces):
    assert "cellapse._linalg.cg" in traces["iterative"][0]


def test_functions_handed_over_are_seen_and_contracts_are_no_cycles():
    assert cycles({("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")}) == [["a", "b", "c"]]
    assert not cycles({("a", "b"), ("b", "c"), ("a", "c")})
    K = cl.clique_complex(nx.karate_club_graph())
    S = cl.collapse(K, "renormalized")
    own, contract = type(S).__module__, "cellapse._linalg.symmetric"
    _, calls = traced(lambda: S.spectrum(2))
    assert any(target == contract for _, target in calls)
    assert not any(target == own for _, target in calls)
