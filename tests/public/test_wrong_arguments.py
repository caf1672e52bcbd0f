"""Whatever a user gives to anything public, the answer is a result or an error of ours."""

import tempfile
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from public_calls import ALL, TORCH_CALLS, arguments_of
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import cellapse as cl


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # a wrong path may still be one that can be written


class Odd:
    """Has nothing that anybody could ask for."""

    def __repr__(self):
        return "Odd()"


def ones(x):
    return np.ones(3)


WRONG = {
    "None": lambda: None,
    "a word": lambda: "dense",
    "a letter in a list": lambda: ["a"],
    "bytes": lambda: b"bytes",
    "minus one": lambda: -1,
    "zero": lambda: 0,
    "a fraction": lambda: 3.7,
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "a complex number": lambda: 1j,
    "a huge number": lambda: 10**14,
    "a number beyond floats": lambda: 10**400,
    "a truth": lambda: True,
    "an empty list": list,
    "a list of an empty list": lambda: [[]],
    "lists of several lengths": lambda: [[1, 2], [3]],
    "a list of None": lambda: [None, None],
    "an empty dict": dict,
    "a dict": lambda: {"a": 1},
    "a dict of ranks": lambda: {1: None, 2: 3},
    "an object": Odd,
    "a class": lambda: Odd,
    "a function": lambda: ones,
    "a generator": lambda: (i for i in range(3)),
    "a set": lambda: {1, 2},
    "an array too short": lambda: np.ones(3),
    "an array of nan": lambda: np.full(7, np.nan),
    "an array of three dimensions": lambda: np.ones((2, 2, 2)),
    "an empty array": lambda: np.empty((0, 0)),
    "an array of words": lambda: np.array(["a", "b"]),
    "a complex array": lambda: np.ones(7) * 1j,
    "huge entries": lambda: np.full(7, 1e300),
    "a sparse matrix": lambda: sparse.csr_array(np.ones((2, 3))),
    "a sparse vector": lambda: sparse.coo_array(np.ones(3)),
    "an empty graph": nx.Graph,
    "a directed graph": lambda: nx.DiGraph([(0, 1)]),
    "edges of a graph": lambda: nx.path_graph(4).edges,
    "a solver of systems": lambda: cl.Direct(),
    "a solver of eigenproblems": lambda: cl.ShiftInvert(),
    "an operator without a matrix": lambda: cl.as_operator(aslinearoperator(np.eye(7))),
    "an operator that fails": lambda: LinearOperator((7, 7), matvec=ones, dtype=float),
    "a path": lambda: Path(tempfile.gettempdir()) / "there is no such file",
    "a Complex": lambda: cl.Complex.from_arrays(1, {}),
    "a year": lambda: np.datetime64("2026-01-01"),
}
# What a call is about when these are wrong is Python's own, or the wish of whoever called it.
THEIRS = {
    *(("lift", "cells"), ("lift", "graph"), ("spectral_filter", "response")),
    ("likely_false", "lift"),
    *(("transform_all", "transform"), ("torch.spectral_filter", "response")),
    *((name, "lift") for name in TORCH_CALLS),
}


def may_be_wrong(name):
    return [key for key in arguments_of(name) if key != "self" and (name, key) not in THEIRS]


CASES = [(name, key) for name in ALL for key in may_be_wrong(name)]
# These find nearly all mistakes; each argument is given a third of them, the rest takes minutes.
FEW = ("None", "a word", "minus one", "a fraction", "nan", "a huge number", "an empty list")
FEW += ("lists of several lengths", "a dict", "an object", "an array of nan", "a complex array")
FEW += ("an array of three dimensions", "a sparse matrix", "a solver of systems")


def answers(name, key, chosen):
    """What came instead of a result or of an error of ours, by the value given."""
    unexpected = {}
    for wrong in chosen:
        function, arguments = ALL[name]()
        try:
            function(**arguments | {key: WRONG[wrong]()})
        except cl.CellapseError as error:
            if len(str(error)) < 10:  # says neither what was given nor what is needed
                unexpected[wrong] = str(error)
        except Exception as error:
            unexpected[wrong] = f"{type(error).__name__}: {error}"[:200]
    return unexpected


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "key"), CASES)
def test_an_answer_or_an_error_of_ours(name, key):
    assert not answers(name, key, FEW[CASES.index((name, key)) % 3 :: 3])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "key"), CASES)
def test_an_answer_or_an_error_of_ours_to_everything(name, key):
    assert not answers(name, key, WRONG)


G = nx.path_graph(4)
LISTED = {  # what users have met
    "solver of eigenproblems by name": lambda: cl.graph_laplacian(as_K()).spectrum(
        3, solver="dense"
    ),
    "no matrix to factorize": lambda: cl.as_operator(aslinearoperator(np.eye(7))).spectrum(
        3, solver=cl.ShiftInvert()
    ),
    "weights of words": lambda: cl.multiorder_laplacian(as_K(), weights=["a"]),
    "a rank that is a word": lambda: cl.hodge_laplacian(as_K(), "a"),
    "ranks that are one number": lambda: cl.zhou_laplacian(as_K(), ranks=3),
}


def as_K():
    return cl.clique_complex(G)


@pytest.mark.parametrize("name", LISTED)
def test_listed_cases(name):
    with pytest.raises(cl.InputError):
        LISTED[name]()


def test_the_edges_of_a_graph_are_a_list_of_pairs():
    assert cl.as_complex(G.edges).n_cells == (4, 3)
