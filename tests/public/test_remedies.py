"""Every call that a message names as a remedy exists where users find it."""

import ast
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse import datasets, interop, io, lifts, plot, report, tasks, theory, weights

PACKAGE = Path(cl.__file__).parent
PLACES = (cl, lifts, tasks, interop, theory, io, datasets, plot, report, weights)
# Methods of objects that the message names before them, and what is Python's own.
OTHERS = {"create_simplex_tree", "extract_surface", "select", "to_frame", "tocsr"}
OTHERS |= {"float", "list", "range"}


def named():
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).parts[0] in ("scale", "torch", "cli"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(getattr(node, "func", None), "id", "")
            if name in ("InputError", "SizeError", "ConvergenceError", "loss", "warn_user"):
                constants = (c.value for c in ast.walk(node) if isinstance(c, ast.Constant))
                text = " ".join(c for c in constants if isinstance(c, str))
                for call in re.findall(r"(?<![\w.])([a-z_]{4,}[a-z0-9_]*)\(", text):
                    yield call, path.name


def test_every_call_in_a_message_is_public():
    found = set(named())
    assert len(found) > 20
    public = {name for place in PLACES for name in dir(place)} | OTHERS
    assert not {(call, file) for call, file in found if call not in public}


def test_tables_that_are_no_edges_name_the_lift_that_takes_them():
    pd = pytest.importorskip("pandas")
    members = pd.DataFrame({"hyperedge": list("xxxyy"), "member": [5, 1, 9, 2, 5]})
    points = pd.DataFrame([[0.1, 2.0], [3.5, 1.0], [0.0, 0.4]], list("abc"))
    lists = members.groupby("hyperedge")["member"].agg(list)
    for call in (cl.as_complex, cl.collapse, cl.clique_complex):
        with pytest.raises(cl.InputError, match=r"hyperedge.*agg"):
            call(members)
        with pytest.raises(cl.InputError, match="hypergraph_complex"):
            call(lists)
        with pytest.raises(cl.InputError, match="nearest_neighbour_complex"):
            call(points)
    assert cl.hypergraph_complex(lists).hyperedges.names == ("x", "y")
    assert tuple(lifts.nearest_neighbour_complex(points, 1).labels) == ("a", "b", "c")


def test_matrices_of_a_complex_are_made_first():
    K = cl.clique_complex([(0, 1), (1, 2)])
    for call in (cl.graded_laplacian, cl.is_chain_complex):
        with pytest.raises(cl.InputError, match="boundary_matrices"):
            call(K)
        call(cl.boundary_matrices(K))


def test_datasets_name_the_graph_or_complex_that_they_have():
    for data, said in ((datasets.load("karate"), ".graph"), (datasets.load("1ubq"), ".complex()")):
        for call in (cl.as_complex, cl.collapse, cl.clique_complex):
            with pytest.raises(cl.InputError, match=re.escape(said)):
                call(data)
    assert cl.collapse(datasets.load("karate").graph).shape == (34, 34)
    assert cl.collapse(datasets.load("1ubq").complex()).shape == (76, 76)


def test_edges_that_are_no_simple_graph_name_the_call_that_reads_them():
    """Lifts have no options for them: `as_complex` has, and lifts take what it gives."""
    given = {
        "repeats": [("a", "b", 1.0), ("b", "a", 2.0)],
        "directed": nx.DiGraph([(0, 1), (1, 2)]),
        "directed ": np.triu(np.ones((4, 4)), 1) > 0,
    }
    for what, source in given.items():
        for call in (cl.as_complex, cl.collapse, cl.clique_complex, lifts.cycle_complex):
            with pytest.raises(cl.InputError) as caught:
                call(source)
        said = re.search(r"as_complex\(\.\.\., ([^()]*)\)", str(caught.value))[1]
        options = dict(re.findall(r'(\w+)="(\w+)"', said))
        assert what.strip() in options
        assert cl.clique_complex(cl.as_complex(source, **options)).n_edges
