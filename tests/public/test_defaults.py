"""What is used where nothing was asked for: one operator, one mass, resistances of the graph."""

import inspect
import json
import pickle
from contextlib import suppress
from importlib import import_module

import networkx as nx
import numpy as np
import pytest
from public_calls import public_names
from typer.main import get_group

import cellapse as cl
from cellapse.cli.app import app
from cellapse.cli.verbs import VERBS

KARATE = nx.Graph()
KARATE.add_nodes_from(range(34))
KARATE.add_edges_from(nx.karate_club_graph().edges)
for one in VERBS.values():
    import_module(f"cellapse.cli.{one.module}")
WITH_OPERATOR = {
    name: verb
    for name, verb in get_group(app).commands.items()
    if any("--operator" in option.opts for option in verb.params)
}
NEEDED = {
    "smooth": ["--signal", "degree", "--strength", "0.5"],
    "label": ["--labels", "club"],
    "resistance": ["--pair", "0,33"],
    "reduce": ["--keep", "4"],
    "analyze": ["--quick"],
    "track": ["--width", "40"],
}


@pytest.fixture
def printed(run):
    """What a command prints that ends well."""

    def command(*words):
        code, out, err = run(*words)
        assert not code, err
        return out

    return command


def karate_file(tmp_path):
    """Karate with the side that two members are known to be on."""
    path = tmp_path / "karate.graphml"
    graph = KARATE.copy()
    graph.nodes[0]["club"], graph.nodes[33]["club"] = "Hi", "Officer"
    nx.write_graphml(graph, path)
    return str(path)


def timed_file(tmp_path):
    """Karate, one friendship after the other."""
    path = tmp_path / "karate.csv"
    rows = [f"{u},{v},{i}" for i, (u, v) in enumerate(KARATE.edges)]
    path.write_text("\n".join(["source,target,time", *rows]))
    return str(path)


def public_parameters():
    for _, name, thing in public_names():
        if callable(thing):
            with suppress(ValueError):  # of a class written in C
                yield name, inspect.signature(thing).parameters


# One operator


def test_the_default_is_renormalized_wherever_there_is_one():
    K = cl.clique_complex(KARATE)
    expected = cl.collapse(K, "renormalized")
    made = {
        "collapse": cl.collapse(K).toarray(),
        "of a graph": cl.collapse(KARATE).toarray(),
        "make_operator": cl.make_operator(K).toarray(),
        "analyze": cl.analyze(K, quick=True).collapsed.toarray(),
    }
    for name, S in made.items():
        assert np.array_equal(S, expected.toarray()), name
    values = expected.spectrum().values
    np.testing.assert_allclose(cl.batch.spectra([K]).values[0], values, atol=1e-12)
    x = np.arange(34.0)
    for given in (KARATE, K):
        smoothed = cl.smooth(given, x, strength=0.5)
        np.testing.assert_array_equal(smoothed, cl.smooth(expected, x, strength=0.5))


def test_the_layer_starts_from_the_same_operator():
    torch = pytest.importorskip("torch")
    from cellapse.torch import Collapse

    K = cl.clique_complex(KARATE)
    x = torch.arange(34, dtype=torch.float64)
    np.testing.assert_allclose(Collapse(K)(x).detach().numpy(), cl.collapse(K) @ x.numpy())


def test_matrices_stay_as_they_are_unless_asked_otherwise():
    K = cl.clique_complex(KARATE)
    B = list(cl.boundary_matrices(K))
    usual, asked = cl.collapse(B), cl.collapse(B, "renormalized")
    assert str(usual.realization) == "given"
    A, X, C = usual.split()
    inner = np.linalg.inv(C.toarray() + usual.eps * np.eye(C.shape[0]))
    np.testing.assert_allclose(usual.toarray(), A - X @ inner @ X.T, atol=1e-7)
    np.testing.assert_allclose(asked.toarray(), cl.collapse(K).toarray(), atol=1e-12)
    assert inspect.signature(cl.collapse).parameters["realization"].default == "renormalized"
    default = pickle.loads(pickle.dumps(inspect.signature(cl.collapse).parameters["realization"]))
    assert str(cl.collapse(B, default.default).realization) == "given"  # whatever became of it


def test_every_public_default_of_an_operator_is_the_same():
    found = {}
    for name, parameters in public_parameters():
        for word in ("operator", "realization"):
            if word in parameters and parameters[word].default is not inspect.Parameter.empty:
                found[name] = parameters[word].default
    assert {"collapse", "make_operator", "spectra", "analyze", "AddCollapsedPE"} <= set(found)
    assert set(found.values()) == {"renormalized"}


def test_the_command_line_says_its_default():
    shown = {
        name: next(o for o in verb.params if "--operator" in o.opts).show_default
        for name, verb in WITH_OPERATOR.items()
    }
    assert shown.pop("resistance").startswith("laplacian")
    assert len(shown) >= 9
    assert set(shown.values()) == {"renormalized"}


@pytest.mark.parametrize("verb", sorted(set(WITH_OPERATOR) - {"bench", "explore"}))
def test_every_result_of_the_command_line_names_its_operator(printed, verb, tmp_path):
    file = timed_file(tmp_path) if verb == "track" else karate_file(tmp_path)
    words = [verb, file, *NEEDED.get(verb, [])]
    usual = "laplacian" if verb == "resistance" else "renormalized"
    for more, name in (([], usual), (["--operator", "unfolded"], "unfolded")):
        assert name in json.loads(printed(*words, *more, "--json"))["operator"].lower()
        assert name in printed(*words, *more).lower()


# What the bound of gamma leaves


def caution(S):
    return [line for line in str(S).splitlines() if line.startswith("  caution")]


SMALL = {
    "triangle": nx.complete_graph(3),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(10, 10)),
    "icosahedron": nx.icosahedral_graph(),
}


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
@pytest.mark.parametrize("realization", ["unfolded", "boundary", "incidence", "mixed"])
@pytest.mark.parametrize("name", SMALL)
def test_an_eigenvalue_of_the_size_of_eps_is_said_and_its_remedies_work(name, realization):
    K = cl.clique_complex(SMALL[name])
    S = cl.collapse(K, realization)
    zeros = S.kernel.shape[1]
    least, A = S.spectrum().values[zeros], np.linalg.eigvalsh(S.A.toarray())[zeros]
    assert least < 0.01 * A  # so the card says it, and the report
    (said,) = caution(S)
    assert f"{least:.2g}" in said
    assert f"{A:.3g}" in said
    note = cl.theory.check(S)["eigenvalue_compression"].note
    assert f"{least:.2g}" in note
    for better in (
        cl.collapse(K, realization, gamma=0.9 * S.gamma),
        cl.collapse(K, realization, eps=float(said.split("eps=")[1].split()[0])),
    ):
        assert better.spectrum().values[zeros] > 0.08 * A
        assert not caution(better)
        assert "gamma=" not in cl.theory.check(better)["eigenvalue_compression"].note
    assert not caution(cl.collapse(K))


def test_nothing_is_said_where_the_cells_keep_the_eigenvalue():
    S = cl.collapse(cl.clique_complex(KARATE), "unfolded")  # .127 of .469 at the bound
    assert not caution(S)
    assert "gamma=" not in cl.theory.check(S)["eigenvalue_compression"].note


def test_of_a_large_operator_the_card_says_what_is_possible_and_computes_no_eigenvalue(monkeypatch):
    S = cl.collapse(nx.grid_2d_graph(30, 30), "unfolded")
    monkeypatch.setattr(type(S), "toarray", None)
    monkeypatch.setattr(type(S), "spectrum", None)
    x, eps = float(S.sigma[0] ** 2), S.eps
    assert f"{x * eps / (x + eps):.2g}" in caution(S)[0]


def test_edges_that_keep_no_more_than_eps_are_counted():
    S = cl.collapse(cl.clique_complex(KARATE), "screened", gamma=1.0)
    alone = int((S.shares < 0.01).sum())
    assert f"{alone} of 78" in caution(S)[0]
    assert not caution(cl.collapse(S.source, "screened", gamma=0.9 * S.gamma))


def test_a_solver_and_a_rank_with_the_default_name_a_realization_that_takes_them():
    for argument in ({"solver": cl.CG()}, {"onto": 1}):
        with pytest.raises(cl.InputError, match="unfolded"):
            cl.collapse(KARATE, **argument)
        assert cl.collapse(KARATE, "unfolded", **argument).shape


# Whose resistance?


def networks():
    K = cl.clique_complex(KARATE)
    yield KARATE
    yield K
    yield nx.to_scipy_sparse_array(KARATE, weight=None)
    yield nx.to_numpy_array(KARATE, weight=None)
    yield list(KARATE.edges)
    yield "karate"


@pytest.mark.parametrize("given", networks())
def test_resistances_of_a_network_are_those_of_networkx(given):
    expected = np.array([[nx.resistance_distance(KARATE, 0, v) for v in KARATE]])
    R = cl.effective_resistance(given, [(0, v) for v in range(34)])
    np.testing.assert_allclose(R, expected[0], rtol=1e-9, atol=1e-12)
    C = cl.tasks.effective_conductance(given, [(0, 33)])
    assert C[0] == pytest.approx(1 / nx.resistance_distance(KARATE, 0, 33))
    values = np.linalg.eigvalsh(nx.laplacian_matrix(KARATE, weight=None).toarray())[1:]
    assert cl.tasks.kirchhoff_index(given) == pytest.approx(34 * (1 / values).sum())
    closeness = nx.current_flow_closeness_centrality(KARATE)
    ours = cl.tasks.resistance_centrality(given)
    assert sorted(ours) == pytest.approx(sorted(33 * v for v in closeness.values()))


def test_an_edge_weight_is_a_conductance():
    weighted = nx.karate_club_graph()
    expected = nx.resistance_distance(weighted, 0, 33, weight="weight", invert_weight=False)
    for given in (
        cl.clique_complex(weighted, weight="weight"),
        cl.graph_laplacian(cl.clique_complex(weighted, weight="weight")),
    ):
        assert cl.effective_resistance(given, [(0, 33)])[0] == pytest.approx(expected)


def test_resistances_of_an_operator_are_its_own_and_of_a_hypergraph_those_of_its_projection():
    S = cl.collapse(KARATE)
    inverse = np.linalg.pinv(S.toarray())
    b = np.eye(34)[0] - np.eye(34)[33]
    assert cl.effective_resistance(S, [(0, 33)])[0] == pytest.approx(b @ inverse @ b)
    H = cl.hypergraph_complex([("a", "b", "c", "d"), ("d", "e")])
    # Four vertices with edges of 1/3 between all, and an edge of 1: between two of them 2 / (4/3).
    R = cl.effective_resistance(H, [("a", "b"), ("d", "e"), ("a", "e")])
    np.testing.assert_allclose(R, [1.5, 1.0, 2.5])


# One mass


def on_one_vertex(columns):
    """How many columns have more than half of their square on one vertex."""
    return int(((columns**2).max(axis=0) > 0.5 * (columns**2).sum(axis=0)).sum())


@pytest.mark.parametrize(("name", "most"), [("lesmis", 2), ("dolphins", 0), ("karate", 0)])
def test_embeddings_are_of_groups_and_not_of_leaves(name, most):
    K = cl.clique_complex(cl.datasets.load(name).graph, weight=None)
    S = cl.collapse(K)
    for place in (cl.embed, cl.positional_encoding):
        usual = place(S, 8)
        assert on_one_vertex(np.asarray(usual)) <= most
        assert np.array_equal(usual, place(S, 8, mass="diagonal"))
        assert np.array_equal(usual, place(K, 8))


def test_every_default_of_mass_is_that_of_cluster():
    found = {}
    for name, parameters in public_parameters():
        if "mass" in parameters and name != "Clusters":  # which a function makes
            found[name] = parameters["mass"].default
    assert {"cluster", "embed", "positional_encoding", "fiedler", "sweep_cut"} <= set(found)
    assert {"suggest_n_clusters", "plot_embedding", "AddCollapsedPE"} <= set(found)
    assert set(found.values()) == {"auto"}


@pytest.mark.parametrize("mass", ["auto", "diagonal", "degree", None])
@pytest.mark.parametrize("operator", ["renormalized", "unfolded", "incidence", "laplacian"])
def test_encodings_of_a_dataset_are_those_of_the_task(operator, mass):
    pytest.importorskip("torch_geometric")
    from torch_geometric.utils import from_networkx

    from cellapse.torch import AddCollapsedPE, transform_all

    graphs = []
    for seed in range(4):  # with an isolated vertex or two now and then
        graph = nx.empty_graph(24 + seed % 3)
        graph.add_edges_from(nx.gnp_random_graph(24, 0.22, seed=seed).edges)
        graphs.append(graph)
    encode = AddCollapsedPE(4, operator=operator, mass=mass)
    found = transform_all([from_networkx(g) for g in graphs], encode, n_jobs=1)
    for graph, data in zip(graphs, found, strict=True):
        S = cl.make_operator(cl.clique_complex(graph), operator)
        expected = np.asarray(cl.positional_encoding(S, 4, mass=mass))
        np.testing.assert_allclose(data.collapsed_pe.numpy(), expected, atol=1e-4)


def test_a_mass_that_there_is_not_is_refused():
    pytest.importorskip("torch_geometric")
    from cellapse.torch import AddCollapsedPE

    with pytest.raises(cl.InputError, match="diagonal"):
        AddCollapsedPE(4, mass="weight")
