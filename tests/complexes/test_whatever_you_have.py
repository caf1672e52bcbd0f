"""A graph, an adjacency, points, a hypergraph, a name: taken wherever a complex or operator is."""

import inspect
import warnings

import networkx as nx
import numpy as np
import pytest
from public_calls import CALLS, arguments_of
from scipy import sparse
from test_inputs import numbers

import cellapse as cl
from cellapse import lifts
from cellapse._operators.fair import without_cells

xgi = pytest.importorskip("xgi")
pd = pytest.importorskip("pandas")

G = nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5), (5, 6)])
GROUPS = [(0, 1, 2), (2, 3), (3, 4, 5), (5, 6)]
A = nx.to_numpy_array(G)
POINTS = np.array([[0.1, 0], [4, 0], [0, 4], [5, 5], [9, 4], [4, 9], [9, 9]])


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """What a user has, with the complex it stands for."""
    file = tmp_path_factory.mktemp("network") / "network.csv"
    cl.write(cl.as_complex(G), file)
    cliques = cl.clique_complex(G)
    numbered = cl.clique_complex(sparse.csr_array(A))  # vertices without labels
    return {
        "a networkx graph": (G, cliques),
        "a dense adjacency": (A, numbered),
        "an integer adjacency": (A.astype(int), numbered),
        "a sparse adjacency": (sparse.csr_array(A), numbered),
        "a sparse matrix of the old kind": (sparse.coo_matrix(A), numbered),
        "a list of edges": (list(G.edges), cliques),
        "an array of edges": (np.array(G.edges), numbered),
        "an XGI hypergraph": (xgi.Hypergraph(GROUPS), cl.hypergraph_complex(GROUPS)),
        "points": (POINTS, lifts.nearest_neighbour_complex(POINTS, 6)),
        "the name of a file": (str(file), cl.clique_complex(cl.read(file))),
        "a path": (file, cl.clique_complex(cl.read(file))),
        "a complex": (cliques, cliques),
    }


# The public calls that take a complex or an operator, and what stands for it by default.
FIRST = {"K": lambda K: K, "S": cl.collapse, "operator": lambda K: cl.collapse(K, "renormalized")}
EXPORTERS = ("to_", "write")  # they take what is there, not what it could be lifted to
OF_ATTRIBUTES = set(cl.weights.__all__)  # a network has neither positions nor bond orders


def takes_a_complex():
    for name in CALLS:
        arguments = arguments_of(name)
        if name.startswith(EXPORTERS) or name in OF_ATTRIBUTES or "self" in arguments:
            continue
        for key, value in arguments.items():
            if key in ("complexes", "source", "operators", *FIRST) and not isinstance(value, str):
                first = value[0] if isinstance(value, list) else value
                if key == "operator" or isinstance(first, cl.Complex | cl.Operator):
                    yield name, key


WALK = list(takes_a_complex())


def test_the_walk_finds_the_functions():
    names = {name for name, _ in WALK}
    wanted = {"collapse", "analyze", "cluster", "embed", "edge_trust", "graph_laplacian", "smooth"}
    wanted |= {"dirac_operator", "likely_false", "check", "spectra", "cell_influence", "modularity"}
    assert wanted <= names
    assert len(names) > 40
    accepting = {
        name
        for space in (cl, cl.tasks, cl.theory)
        for name in space.__all__
        if inspect.isfunction(getattr(space, name))
        and next(iter(inspect.signature(getattr(space, name)).parameters), "") in FIRST
    }
    assert accepting <= names


def on_default(value):
    """What a function makes of a complex that is given in the place of this."""
    if isinstance(value, cl.CollapsedOperator):
        return cl.collapse
    return FIRST["operator"] if isinstance(value, cl.Operator) else FIRST["K"]


def figures(found):
    """The numbers of a result; of a drawing, those drawn."""
    if not hasattr(found, "lines"):
        return numbers(found)
    from matplotlib import pyplot

    lines = [np.asarray(line.get_ydata(), float) for line in found.lines]
    pyplot.close(found.figure)
    return lines + [np.asarray(c.get_offsets(), float) for c in found.collections]


ALL_KINDS = ("collapse", "as_operator", "graph_laplacian", "edge_trust", "cluster")
OF_EDGES = (  # of a network, the figures of its edges
    *("effective_resistance", "effective_conductance"),
    *("kirchhoff_index", "resistance_centrality"),
)
SLOW = ("analyze", "choose_operator", "likely_false", "verdict")  # a second and more each


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "key"), WALK)
def test_taken_as_the_complex_it_stands_for(name, key, objects):
    few = ("a networkx graph", "a dense adjacency", "an XGI hypergraph", "points", "a path")
    for kind in objects if name in ALL_KINDS else few:
        given, K = objects[kind]
        if name in SLOW and kind != few[0]:
            continue
        function, arguments = CALLS[name]()
        value = arguments[key]
        make = FIRST[key] if key in ("K", "operator") else on_default(value)
        made = (without_cells if name in OF_EDGES else make)(K)
        several = isinstance(value, list)
        expected = figures(function(**arguments | {key: [K] if several else made}))
        got = figures(function(**arguments | {key: [given] if several else given}))
        assert len(got) == len(expected), kind
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12, err_msg=kind)


def test_the_repr_says_how_it_was_lifted(objects):
    for given, K in objects.values():
        if given is K:
            continue
        for S in (cl.collapse(given, "unfolded"), cl.graph_laplacian(given), cl.as_operator(given)):
            assert S.shape[0] == K.n_vertices
            assert any(word in repr(S) for word in ("cliques up to rank 2 of", "cells of"))
        assert repr(cl.collapse(K, "unfolded")) != repr(cl.collapse(given, "unfolded"))


def test_an_adjacency_is_never_a_matrix_of_incidences():
    path = nx.to_numpy_array(nx.path_graph(4))
    for given in ([path], [sparse.csr_array(path)], [path.tolist()], [path + np.eye(4)]):
        for function in (cl.collapse, cl.graded_laplacian, cl.is_chain_complex):
            with pytest.raises(cl.InputError, match=r"adjacency|self-loops"):
                function(given)
    unsigned = cl.incidence_matrices(cl.clique_complex(nx.complete_graph(3)))[0]
    assert cl.collapse([unsigned]).shape == (3, 3)  # symmetric, but two ones a column


def test_what_could_be_several_things_is_refused():
    B = cl.boundary_matrices(cl.clique_complex(G))[0]
    for given in (B, B.toarray()):
        with pytest.raises(cl.InputError, match=r"\[B_1\]"):
            cl.collapse(given, "unfolded")
    with pytest.raises(cl.InputError, match="football"):
        cl.collapse("footbal", "unfolded")


@pytest.mark.parametrize("function", [cl.collapse, cl.graph_laplacian, cl.edge_trust])
def test_a_laplacian_is_no_adjacency_and_no_points(function):
    L = nx.laplacian_matrix(G).astype(float)
    for given in (L, L.toarray(), L.toarray().astype(int)):
        with pytest.raises(cl.InputError, match="operator"):
            function(given)
        assert cl.cluster(given, 2).numbers.tolist() == cl.cluster(L, 2).numbers.tolist()


def test_columns_that_may_be_weights_and_are_not_used_are_told():
    valued = nx.Graph()
    valued.add_weighted_edges_from([(0, 1, 2.0), (1, 2, 3.0)], weight="value")
    with pytest.warns(cl.CellapseWarning, match='"value"') as told:
        cl.cluster(valued, 2)
    assert told[0].filename == __file__  # the line of the user, not one of ours
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cl.collapse(G)
        cl.collapse(A)
        cl.collapse(cl.clique_complex(valued, weight="value"))  # as the warning says


def test_a_labelled_frame():
    names = list("abcdefg")
    frame = pd.DataFrame(A, names, names)
    S = cl.as_operator(frame)
    assert list(S.labels) == names
    assert S.n_cells == (7, 8, 2)
    table = pd.DataFrame(list(G.edges), columns=["source", "target"])
    assert cl.collapse(table, "unfolded").n_cells == S.n_cells


def test_bundled_names_bring_title_and_groups():
    analysis = cl.analysis.analyze("karate")
    assert analysis.title == "Zachary's karate club"
    assert analysis.n_clusters == 2
    assert analysis.agreement()[0] > 0.9
    assert cl.collapse("1ubq", "unfolded").shape == (76, 76)
