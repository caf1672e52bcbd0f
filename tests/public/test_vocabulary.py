"""One word for one idea: the names of arguments and their defaults, over all public functions."""

import inspect
from collections import defaultdict

import networkx as nx
import numpy as np
import pytest
from public_calls import public_names

import cellapse as cl

# What was said in several ways, and the word for it.
INSTEAD = {
    "tol": "rtol",
    "error": "rtol",
    "accuracy": "rtol",
    "seed": "rng",
    "maxiter": "max_steps",
    "max_iter": "max_steps",
    "n_iter": "max_steps",
    "assign": "assign_labels",
    "n_vectors": "n_eigenpairs, or k",
    "neighbours": "n_neighbors",
    "obj": "source",
    "nodes": "vertices",
    "n_nodes": "n_vertices",
    "function": "response",
    "verbose": "progress",
    "show_progress": "progress",
    "jobs": "n_jobs",
    "workers": "n_jobs",
    "label": "labels",
    "order": "rank",
}
# scikit-learn's words belong to estimators, where its tools look for them.
ESTIMATORS_ONLY = {"random_state", "n_components", "X", "y"}
# The matrices of a complex are made by a realization; all else takes whatever can be lifted.
OF_A_COMPLEX = {"matrices", "of_pairs", "of_operator"}
EXCEPTIONS = {
    ("write", "obj"),  # whatever can be written: a complex or a result, which is no source
    ("CollapsedConv", "order"),  # of a polynomial
    ("LabelledHypergraph", "nodes"),  # XGI's word, for its own data
    ("CollapsedOperator.apply", "error"),  # absolute: the contract of all operators
    ("CollapsedOperator.toarray", "error"),
    ("KernelOperator.apply", "error"),
    ("KernelOperator.toarray", "error"),
    ("ReducedOperator.apply", "error"),
    ("ReducedOperator.toarray", "error"),
    ("SparseReduction.apply", "error"),
    ("SparseReduction.toarray", "error"),
    ("Operator.apply", "error"),
    ("Operator.toarray", "error"),
    *(
        (f"{kind}.{name}", "X")
        for kind in (  # SciPy's words
            *(
                "Operator",
                "CollapsedOperator",
                "HermitianOperator",
                "ReducedOperator",
                "SparseReduction",
                "KernelOperator",
                "LiveOperator",
            ),
        )
        for name in ("matmat", "rmatmat")
    ),
}
# The same argument has the same default, but for these, and why.
SEVERAL_DEFAULTS = {
    "evidence": "trust by cells needs no random pairs; doubt draws them anyway",
    "attr_name": "each transform writes to a column of its own name",
    "beta": "graded_laplacian takes matrices: no realization whose weights it could take",
    "count": "all edges are worth a look, ten cells are",
    "eps": "1e-4 of a collapse; None where a baseline may be asked for, which has none",
    "factorization": "a solver of systems has one, those of eigenproblems take a solver of systems",
    "gamma": "graded_laplacian takes matrices: no realization whose weights it could take",
    "k": "all pairs of a spectrum, 30 in a picture, 10 to ask which solver would be used",
    "kernel": "of a process, and of distances",
    "length": "a kernel has one, a process finds it",
    "time": "of a diffusion; contacts have their own",
    "key_added": "each task writes to a place of its own name",
    "kind": "each library has kinds of its own",
    "lift": "likely_false takes that of the complex, transforms cliques",
    "mass": "the spectrum is that of S itself; tasks that cut take auto",
    "max_steps": "iterations of different methods",
    "method": "of smoothing a signal, and of spreading labels",
    "n_clusters": "scikit-learn's 8 in the estimator; the largest gap elsewhere",
    "n_neighbors": "graphs have ten; the local scale of a point is the seventh, as of its authors",
    "rtol": "a solution, a residual, an expansion and an estimate: different promises",
    "scale": "signatures are scaled as asked for; Weights.choose is the inside of a realization",
    "strength": "that of a signal is given, that of labels is found by leaving some out",
    "weight": "read: none unless asked for; written: under that name",
    "weights": "the fair comparison weighs by size",
}


def methods(thing):
    for name, found in inspect.getmembers(thing, callable):
        ours = getattr(found, "__module__", None) or ""
        if name[0] != "_" and ours.startswith("cellapse") and not inspect.isclass(found):
            yield name, found


def signatures():
    """(name, the last part of it, class or function, parameter) of all that users may call."""
    seen = set()
    for module, name, found in public_names():
        if not callable(found) or id(found) in seen or module == "cellapse.experiments":
            continue
        seen.add(id(found))
        made = [(name, found)]
        if inspect.isclass(found):
            made += [(f"{name}.{method}", function) for method, function in methods(found)]
        for called, function in made:
            try:
                parameters = inspect.signature(function).parameters.values()
            except ValueError:  # of a class written in C
                continue
            for p in parameters:
                if p.name not in ("self", "cls") and p.kind is not p.VAR_KEYWORD:
                    yield called, found, p


ALL = list(signatures())


def is_estimator(found):
    return inspect.isclass(found) and found.__module__.startswith("cellapse.estimators")


def test_no_word_that_was_given_up_is_back():
    wrong = {
        (name, p.name): INSTEAD[p.name]
        for name, found, p in ALL
        if p.name in INSTEAD and (name, p.name) not in EXCEPTIONS and not a_field(name, found)
    }
    assert not wrong


def test_the_words_of_scikit_learn_are_those_of_estimators():
    wrong = {
        (name, p.name)
        for name, found, p in ALL
        if p.name in ESTIMATORS_ONLY and not is_estimator(found)
    }
    assert wrong <= EXCEPTIONS
    assert not {name for name, found, p in ALL if p.name == "rng" and is_estimator(found)}


def a_field(name, found):
    """Of a result, which a function makes: no user calls the class itself."""
    from public_calls import RESULTS

    return inspect.isclass(found) and name in RESULTS


def test_letters_are_for_what_takes_nothing_else():
    of_complex = {name for name, found, p in ALL if p.name == "K" and not a_field(name, found)}
    allowed = {name for name in of_complex if name.split(".")[-1] in OF_A_COMPLEX}
    assert {name for name in of_complex - allowed if not name.startswith("to_")} == set()
    of_operator = {name for name, found, p in ALL if p.name == "S"}
    assert {name for name in of_operator if name.split(".")[-1] not in OF_A_COMPLEX} == set()


def test_realization_is_asked_for_only_where_no_baseline_can_be():
    asked = {name for name, found, p in ALL if p.name == "realization" and not a_field(name, found)}
    assert asked == {"collapse", "Collapse", "blueprint"} & asked


def test_one_argument_has_one_default():
    defaults = defaultdict(lambda: defaultdict(list))
    for name, found, p in ALL:
        if p.default is not p.empty and not a_field(name, found):
            defaults[p.name][repr(p.default)].append(name)
    several = {name: dict(d) for name, d in defaults.items() if len(d) > 1}
    assert {n: d for n, d in several.items() if n not in SEVERAL_DEFAULTS} == {}
    assert all(SEVERAL_DEFAULTS.values())
    pytest.importorskip("torch", reason="some exceptions are those of layers and transforms")
    assert set(SEVERAL_DEFAULTS) - set(several) == set()  # no exception without need


@pytest.mark.parametrize(
    ("word", "default"),
    [
        *(("n_jobs", None), ("progress", None), ("quick", False), ("rng", 0), ("random_state", 0)),
        *(("operator", "renormalized"), ("realization", "renormalized")),
    ],
)
def test_defaults_that_are_the_same_everywhere(word, default):
    from cellapse.experiments import reproduce

    given = [p.default for _, _, p in ALL if p.name == word and p.default is not p.empty]
    given += [p.default for p in inspect.signature(reproduce).parameters.values() if p.name == word]
    assert given
    assert {repr(d) for d in given} == {repr(default)}


def test_a_complex_is_a_collection_of_its_vertices():
    K = cl.clique_complex(nx.Graph([("c", "a"), ("a", "b"), ("b", "c"), ("c", "d")]))
    assert len(K) == K.n_vertices == 4
    assert list(K) == list(K.labels)
    assert "a" in K
    assert "z" not in K
    assert ["a"] not in K
    assert K.n_edges == len(K.edges) == 4
    assert K.edges == tuple(K.cell_labels(1))
    assert {frozenset(e) for e in K.edges} == {frozenset(e) for e in ("ca", "ab", "bc", "cd")}
    alone = cl.Complex.from_arrays(3, {})
    assert (len(alone), alone.n_edges, alone.edges, 2 in alone) == (3, 0, (), True)
    assert np.int64(2) in alone
    assert 3 not in alone
