"""Data flows one way: a file of the core calls what it imports, or through a contract of that.

A contract is a method of a class that others override (an operator's products, a solver's search);
a function that is handed over, as x -> S x to an iteration, is an argument and no call back.
"""

import ast
import inspect
import sys
from functools import cache
from types import FrameType

import networkx as nx
import numpy as np
import pytest
from test_layout import CORE, MODULES, PACKAGE, imports
from toys import small_world

import cellapse as cl

pytestmark = pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
FILES_OF_A_SMALL_NETWORK = 18
FILES = {str(path): module for module, path in MODULES.items() if module.split(".")[0] in CORE}


@cache
def below(module):
    """What a module imports, at once or through others."""
    graph = nx.DiGraph((found.source, found.target) for found in imports())
    return nx.descendants(graph, module) | {module} if module in graph else {module}


def of_a_contract(frame: FrameType, caller: str) -> bool:
    """Whether a call is one of a method that a base class known to the caller has, too."""
    owner = frame.f_locals.get("self", frame.f_locals.get("cls"))
    owner = owner if inspect.isclass(owner) else type(owner)
    name = frame.f_code.co_name
    known = below(caller) | {"_linalg.symmetric"}
    classes = [kind for kind in owner.__mro__ if name in vars(kind) or name in _fields(kind)]
    return any(kind.__module__.removeprefix("cellapse.") in known for kind in classes)


def handed_over(frame):
    """Whether a function came to its caller as an argument: a closure, or a bound method."""
    if "<" in frame.f_code.co_qualname:
        return True
    given = () if frame.f_back is None else frame.f_back.f_locals.values()
    return any(getattr(value, "__code__", None) is frame.f_code for value in given)


def _fields(kind):
    return vars(kind).get("__annotations__", {})


def calls(work):
    """(caller's module, the module called, function) of all calls between files of the core."""
    found = set()

    def seen(frame, event, _):
        module = FILES.get(frame.f_code.co_filename) if event == "call" else None
        if module is None or handed_over(frame):
            return
        back = frame.f_back
        while back is not None and back.f_code.co_filename not in FILES:
            if back.f_code.co_filename.startswith(str(PACKAGE)):
                return  # from outside of the core
            back = back.f_back
        caller = FILES[back.f_code.co_filename] if back is not None else module
        if module not in below(caller) and not of_a_contract(frame, caller):
            found.add((caller, module, frame.f_code.co_qualname))

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


WORK = {
    "karate": lambda: cl.collapse(nx.karate_club_graph()).spectrum(4),
    "dense": lambda: cl.collapse(nx.karate_club_graph(), "unfolded").spectrum(),
    "mesh": lambda: cl.collapse(nx.triangular_lattice_graph(30, 44), "unfolded").spectrum(4),
    "masses": lambda: cl.collapse(nx.triangular_lattice_graph(30, 44), "mixed", eps=0.1).spectrum(
        4, "degree"
    ),
    "expander": lambda: cl.collapse(small_world(1300), "unfolded").spectrum(4),
    "largest": lambda: cl.collapse(small_world(700)).spectrum(4, which="largest"),
    "solve": lambda: cl.collapse(small_world(700), "unfolded").solve(np.arange(700.0), shift=0.1),
    "complete": lambda: cl.collapse(small_world(300), "mixed").complete(np.arange(300.0)),
}


@pytest.mark.parametrize("name", WORK)
def test_nothing_calls_back(name):
    WORK[name]()  # what is made once is made
    assert calls(WORK[name]) == set()


@pytest.mark.parametrize("realization", ["renormalized", "unfolded"])
def test_a_small_network_passes_through_few_files(realization):
    """Of the core; only ever lowered."""
    K, found = cl.clique_complex(nx.karate_club_graph()), set()

    def work():
        cl.collapse(K, realization).spectrum(4)

    work()  # what is made once is made
    sys.setprofile(lambda frame, event, _: found.add(FILES.get(frame.f_code.co_filename)))
    try:
        work()
    finally:
        sys.setprofile(None)
    assert len(found - {None}) <= FILES_OF_A_SMALL_NETWORK


def test_operators_hold_no_optional_functions():
    """What only some operators know they say by a method, not by a function in a field."""
    optional = []
    for module, path in MODULES.items():
        if module.split(".")[0] not in CORE:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                for part in node.body:
                    if isinstance(part, ast.AnnAssign):
                        kind = ast.unparse(part.annotation)
                        if kind.endswith("| None") and kind.startswith(("Callable", "Solve")):
                            optional.append(f"{module}.{node.name}.{ast.unparse(part.target)}")
    assert not optional
