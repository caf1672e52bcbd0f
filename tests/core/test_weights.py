"""A weight that is given counts, or is refused: for whatever holds it, and in whatever uses it."""

import json
import warnings

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse import interop, lifts, tasks, theory

G = nx.Graph()
G.add_weighted_edges_from(
    [("a", "b", 2.0), ("b", "c", 3.0), ("a", "c", 0.5), ("c", "d", 4.0), ("d", "e", 1.5)]
)
L = nx.laplacian_matrix(G).toarray()  # networkx takes "weight" by default, too


def listed(graph=G):
    return [(u, v, w) for u, v, w in graph.edges(data="weight")]


def written(folder, name):
    path = folder / name
    if name.endswith("graphml"):
        nx.write_graphml(G, path)
    elif name.endswith("gml"):
        nx.write_gml(G, path)
    elif name.endswith("csv"):
        nx.to_pandas_edgelist(G).to_csv(path, index=False)
    else:
        path.write_text(json.dumps(listed()))
    return path


OBJECTS = {
    "networkx": lambda: G,
    "adjacency": lambda: nx.to_scipy_sparse_array(G),
    "spmatrix": lambda: sparse.coo_matrix(nx.to_scipy_sparse_array(G)),
    "dense": lambda: nx.to_numpy_array(G),
    "rows": lambda: nx.to_numpy_array(G).tolist(),
    "list": listed,
    "list with data": lambda: list(G.edges(data=True)),
    "dict of edges": lambda: {(u, v): w for u, v, w in listed()},
    "dict of neighbours": lambda: {u: {v: d["weight"] for v, d in G[u].items()} for u in G},
    "table": lambda: nx.to_pandas_edgelist(G),
    "table with labels": lambda: nx.to_pandas_adjacency(G),
    "complex": lambda: cl.as_complex(G),
}


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("call", [cl.as_complex, cl.clique_complex, lifts.cycle_complex])
def test_weights_of_every_object_count_in_every_lift(kind, call):
    K = call(OBJECTS[kind]())
    np.testing.assert_allclose(cl.graph_laplacian(K).toarray(), L)
    plain = call(OBJECTS[kind](), weight=None)
    assert plain.weights[1] is None
    assert sorted(plain.n_cells) == sorted(K.n_cells)


@pytest.mark.parametrize("kind", OBJECTS)
def test_weights_of_every_object_count_in_collapse_and_tasks(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = OBJECTS[kind]()
        given = cl.clique_complex(given) if kind == "complex" else given
        S, wanted = cl.collapse(given, "renormalized"), cl.collapse(G, "renormalized")
        trust = cl.edge_trust(given).values
    np.testing.assert_allclose(S.toarray(), wanted.toarray(), atol=1e-12)
    np.testing.assert_allclose(trust, cl.edge_trust(G).values)


@pytest.mark.parametrize("name", ["a.graphml", "a.gml", "a.csv", "a.json"])
def test_weights_of_files_count(tmp_path, name):
    path = written(tmp_path, name)
    for K in (cl.read(path), cl.clique_complex(path), cl.clique_complex(str(path), max_rank=1)):
        np.testing.assert_allclose(cl.graph_laplacian(K).toarray(), L)
    np.testing.assert_allclose(cl.collapse(str(path)).toarray(), cl.collapse(G).toarray())
    for K in (cl.read(path, weight=None), cl.clique_complex(path, weight=None)):
        assert K.weights[1] is None
        assert K.attributes[1]["weight"].tolist() == [w for *_, w in listed()]
        assert cl.clique_complex(K).weights[1] is None  # what was decided stays so


def test_ones_are_no_weights_and_other_numbers_are():
    A = nx.to_scipy_sparse_array(G, weight=None)
    assert cl.as_complex(A).weights[1] is None
    assert cl.as_complex(2 * A).weights[1].tolist() == [2.0] * 5
    two, one = (cl.collapse(M, "renormalized").toarray() for M in (2 * A, A))
    np.testing.assert_allclose(two, 2 * one)
    ones = nx.Graph(G)
    nx.set_edge_attributes(ones, 1, "weight")
    assert cl.as_complex(ones).weights[1] is None
    assert cl.as_complex(ones, weight="weight").weights[1].tolist() == [1.0] * 5


BUNDLED = {
    "name": lambda: "karate",
    "graph": lambda: cl.datasets.load("karate").graph,
    "copy": lambda: cl.datasets.load("karate").graph.copy(),
    "subgraph": lambda: cl.datasets.load("karate").graph.subgraph(range(34)),
}


@pytest.mark.parametrize("kind", BUNDLED)
def test_a_bundled_network_has_no_weights_unless_asked_for(kind):
    weighted = nx.karate_club_graph()
    plain = nx.create_empty_copy(weighted)
    plain.add_edges_from(weighted.edges)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the choice is made, so that there is nothing to warn of
        given = BUNDLED[kind]()
        for call in (cl.as_complex, cl.clique_complex, lifts.cycle_complex):
            assert call(given).weights[1] is None
            assert call(given, weight="weight").weights[1].sum() == 231
        assert [*cl.edge_trust(given).values] == pytest.approx([*cl.edge_trust(plain).values])
        assert cl.effective_resistance(given, [(0, 33)]) == pytest.approx(0.2538, abs=1e-4)
        for weight, same in (("auto", plain), (None, plain), ("weight", weighted)):
            S, other = cl.collapse(given, weight=weight), cl.collapse(same)
            np.testing.assert_allclose(S.toarray(), other.toarray())


def test_what_as_complex_says_of_names():
    assert cl.as_complex("scenes", weight=None).weights[1] is None
    for wrong in ({"ranks": 2}, {"loops": "keep"}, {"weight": "bogus"}):
        with pytest.raises(cl.InputError):
            cl.as_complex("karate", **wrong)
    with pytest.raises(cl.InputError, match="nosuch"):
        cl.as_complex("nosuch.gml")
    with pytest.raises(cl.InputError, match="bogus"):
        cl.collapse("1ubq", weight="bogus")


def test_a_complex_without_weights_stays_without():
    K = cl.as_complex(G, weight=None)
    assert cl.as_complex(K).weights[1] is None
    np.testing.assert_allclose(cl.graph_laplacian(cl.as_complex(K, weight="weight")).toarray(), L)


@pytest.mark.parametrize("kind", OBJECTS)
def test_collapse_takes_the_weight_that_lifts_take(kind):
    plain = cl.collapse(cl.clique_complex(G, weight=None)) if kind != "complex" else None
    S = cl.collapse(OBJECTS[kind](), weight=None)
    if plain is not None:
        np.testing.assert_allclose(S.toarray(), plain.toarray())
    assert S.energy(np.arange(5.0)) < cl.collapse(OBJECTS[kind]()).energy(np.arange(5.0))
    with pytest.raises(cl.InputError, match="no_such"):
        cl.collapse([np.eye(3)], weight="no_such")


def test_an_adjacency_is_no_table_of_points():
    """Rounding and directions: both were taken for points in space, and joined to neighbours."""
    A = nx.to_numpy_array(G)
    rounded = A * (1 + 1e-15 * np.arange(25).reshape(5, 5))
    assert not np.array_equal(rounded, rounded.T)
    for call in (cl.graph_laplacian, lambda x: cl.graph_laplacian(cl.clique_complex(x))):
        np.testing.assert_allclose(call(rounded).toarray(), L, atol=1e-12)
        np.testing.assert_allclose(call(rounded.tolist()).toarray(), L, atol=1e-12)
        np.testing.assert_allclose(call(A.astype(np.float32)).toarray(), L)
        for directed in (np.triu(A), A * np.arange(1.0, 6.0), A / A.sum(axis=1)[:, None]):
            with pytest.raises(cl.InputError):
                call(directed)
    points = np.random.default_rng(0).normal(size=(3, 3))
    for named in ({"a": [0.1, 0.2], "b": [0.3, 0.4]}, {0: (0.1, 0.2), 1: (0.3, 0.4)}):
        for call in (cl.as_complex, cl.collapse, cl.clique_complex):
            with pytest.raises(cl.InputError):  # no hyperedges of coordinates
                call(named)
    assert cl.collapse(points).shape == (3, 3)
    assert cl.collapse(abs(points)).shape == (3, 3)


@pytest.mark.parametrize("wrong", [0, -1.5, np.nan, np.inf, None, "heavy"])
def test_what_is_no_weight_is_refused_with_a_remedy_that_works(wrong, tmp_path):
    bad = nx.Graph(G)
    bad.edges["a", "c"]["weight"] = wrong
    if wrong is None:
        del bad.edges["a", "c"]["weight"]
    calls = [cl.as_complex, cl.clique_complex, lifts.cycle_complex, lifts.neighbourhood_complex]
    for call in calls:
        with pytest.raises(cl.InputError, match="weight=None"):
            call(bad)
        assert call(bad, weight=None).weights[1] is None
    for call in (cl.collapse, cl.edge_trust, cl.cluster):
        with pytest.raises(cl.InputError, match="weight=None"):
            call(bad)
    if isinstance(wrong, str) or wrong is None:
        return
    table = nx.to_pandas_edgelist(bad)
    with pytest.raises(cl.InputError, match="weight"):
        cl.as_complex(table)
    assert cl.as_complex(table, weight=None).weights[1] is None
    if np.isfinite(wrong):
        table.to_csv(tmp_path / "bad.csv", index=False)
        with pytest.raises(cl.InputError, match="weight=None"):
            cl.read(tmp_path / "bad.csv")
        assert cl.read(tmp_path / "bad.csv", weight=None).n_cells == (5, 5)


def test_a_negative_adjacency_is_refused():
    A = nx.to_numpy_array(G)
    A[0, 1] = A[1, 0] = -2.0
    for given in (A, sparse.csr_array(A)):
        with pytest.raises(cl.InputError):
            cl.collapse(given)
        for call in (cl.as_complex, cl.clique_complex, lifts.cycle_complex):
            with pytest.raises(cl.InputError, match="weight=None"):
                call(given)
            assert call(given, weight=None).n_cells[1] == 5


def test_a_vertex_attribute_called_weight_is_no_weight_unless_named():
    people = nx.Graph([("a", "b"), ("b", "c")])
    nx.set_node_attributes(people, {"a": 70.0, "b": 80.0, "c": 60.0}, "weight")
    K = cl.as_complex(people)
    assert K.weights == (None, None)
    assert K.attributes[0]["weight"].tolist() == [70.0, 80.0, 60.0]
    assert cl.as_complex(people, weight="weight").weights[0].tolist() == [70.0, 80.0, 60.0]


def test_what_is_written_here_reads_back_as_it_was(tmp_path):
    for K in (cl.as_complex(G), cl.as_complex(G, weight=None)):
        for name in ("k.json", "k.npz"):
            cl.write(K, tmp_path / name)
            back = cl.read(tmp_path / name)
            assert (back.weights[1] is None) == (K.weights[1] is None)
            assert set(back.attributes[1]) == set(K.attributes[1])
    assert cl.read(tmp_path / "k.npz", weight="weight").weights[1] is not None


def test_of_a_complex_its_weights_count():
    K = cl.as_complex(G)
    assert cl.as_complex(K) is K
    bare = cl.as_complex(K, weight=None)
    assert bare.weights[1] is None
    assert bare.attributes[1]["weight"].tolist() == K.weights[1].tolist()
    assert cl.as_complex(bare, weight="weight").weights[1].tolist() == K.weights[1].tolist()


# ------------------------------------------------------------------------------- hypergraphs, lifts


def test_hypergraphs_of_libraries_have_weights():
    xgi = pytest.importorskip("xgi")
    H = xgi.Hypergraph()
    H.add_edge(("a", "b", "c"), weight=2.0)
    H.add_edge(("c", "d"), weight=3.0)
    for call in (cl.as_complex, cl.hypergraph_complex):
        K = call(H)
        assert K.weights[2].tolist() == [2.0]
        assert dict(zip(K.cell_labels(1), K.weights[1], strict=True))["c", "d"] == 3.0
        assert call(H, weight=None).weights == (None, None, None)
    with pytest.raises(cl.InputError, match="weight=None"):
        cl.hypergraph_complex(H, multiplicity="weight")
    copies = xgi.Hypergraph([("a", "b", "c"), ("a", "b", "c"), ("c", "d")])
    K = cl.hypergraph_complex(copies, multiplicity="weight")
    again = cl.hypergraph_complex([list(e) for e in copies.edges.members()], multiplicity="weight")
    assert K.weights[2].tolist() == again.weights[2].tolist() == [2.0]
    for wrong in ({"weights": [1.0, 2.0]}, {"vertices": "abcd"}):
        with pytest.raises(cl.InputError):
            cl.hypergraph_complex(H, **wrong)
    with pytest.raises(cl.InputError, match="weights="):
        cl.hypergraph_complex([("a", "b", "c")], weight="w")


def test_lifts_of_points_and_molecules_have_weights_by_name():
    points = [[0, 0], [3, 0], [0, 4], [9, 9]]
    K = lifts.nearest_neighbour_complex(points, 1, weight="length")
    assert sorted(K.weights[1].round(3).tolist()) == [3.0, 4.0, 10.296]
    K = lifts.rips_complex(points, 5, weight="filtration")
    assert sorted(K.weights[1].tolist()) == [3.0, 4.0, 5.0]
    assert K.weights[2].tolist() == [5.0]
    with pytest.raises(cl.InputError, match="filtration"):
        lifts.rips_complex(points, 5, weight="length")
    pytest.importorskip("rdkit")
    (K,) = cl.molecule_complexes(["C=CO"], weight="order")
    assert K.weights[1].tolist() == [2.0, 1.0]


# ------------------------------------------------------------------- what is done with the weights

BASE = cl.clique_complex(nx.karate_club_graph(), weight=None)


def weighted(seed, rank=1):
    rng = np.random.default_rng(seed)
    return BASE.with_attributes({}, {rank: np.exp(rng.normal(size=BASE.n_cells[rank]))})


KNOWN = {0: "a", 33: "b", 5: "a", 25: "b"}
SIGNAL = np.random.default_rng(0).standard_normal(34)


def of_estimator(make, *more):
    def call(K):
        return make(affinity="precomputed").fit(interop.to_scipy(K), *more)

    return call


USES = {
    **{
        f"operator {n}": lambda K, n=n: cl.make_operator(K, n).toarray()
        for n in cl.operator_names()
    },
    "collapse": lambda K: cl.collapse(K).toarray(),
    "hodge_laplacian": lambda K: cl.hodge_laplacian(K, 1).toarray(),
    "dirac_operator": lambda K: cl.dirac_operator(K).toarray(),
    "edge_trust": lambda K: cl.edge_trust(K).values,
    "likely_false": lambda K: cl.likely_false(K, evidence="cells").trust.values,
    "likely_false, decoys": lambda K: cl.likely_false(K, evidence="cells").decoys,
    "modularity": lambda K: tasks.modularity(K, np.arange(34) % 2),
    "rank_reliability": lambda K: tasks.rank_reliability(K).operator().toarray(),
    "choose_operator": lambda K: str(tasks.choose_operator(K, 2)),
    "cell_influence": lambda K: tasks.cell_influence(
        cl.collapse(K, "renormalized"), "resistance", (0, 33)
    ).by_rank[1],
    "verdict": lambda K: str(cl.verdict(K, 4)),
    "embed": lambda K: np.abs(np.asarray(cl.embed(K, 2))),
    "positional_encoding": lambda K: np.abs(cl.positional_encoding(K, 2)),
    "heat_kernel_signature": lambda K: np.asarray(cl.heat_kernel_signature(K, [1.0])),
    "wave_kernel_signature": lambda K: np.asarray(cl.wave_kernel_signature(K)),
    "smooth": lambda K: cl.smooth(K, SIGNAL, strength=1.0),
    "diffuse": lambda K: tasks.diffuse(K, SIGNAL, 0.1),
    "effective_resistance": lambda K: cl.effective_resistance(K, [(0, 33)]),
    "kirchhoff_index": lambda K: tasks.kirchhoff_index(K),
    "resistance_centrality": lambda K: tasks.resistance_centrality(K),
    "fiedler": lambda K: np.abs(tasks.fiedler(K).vector),
    "sweep_cut": lambda K: tasks.sweep_cut(K).conductance,
    "spread_labels": lambda K: cl.spread_labels(K, KNOWN).probabilities,
    "dirichlet_energy": lambda K: tasks.dirichlet_energy(K, SIGNAL),
    "total_variation": lambda K: tasks.total_variation(K, SIGNAL),
    "batch.spectra": lambda K: np.asarray(cl.batch.spectra([K]).values[0]),
    "theory.cells_matter": lambda K: str(theory.cells_matter(cl.collapse(K, "unfolded"))),
    "label spreading": lambda K: (
        of_estimator(
            cl.CollapsedLabelSpreading, [{"a": 0, "b": 1}.get(KNOWN.get(v), -1) for v in range(34)]
        )(K).label_distributions_
    ),
    "spectral embedding": lambda K: np.abs(
        of_estimator(lambda affinity: cl.CollapsedSpectralEmbedding(2, affinity=affinity))(
            K
        ).embedding_
    ),
    "smoother": lambda K: of_estimator(cl.SignalSmoother, SIGNAL)(K).smoothed_,
}


@pytest.mark.parametrize("name", USES)
def test_weights_of_edges_count_in(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, two = (USES[name](weighted(seed)) for seed in (1, 2))
    if isinstance(one, str):
        assert one != two
    else:
        one, two = np.asarray(one, dtype=float), np.asarray(two, dtype=float)
        assert one.shape != two.shape or not np.allclose(one, two, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("rank", [0, 2])
@pytest.mark.parametrize("name", cl.operator_names())
def test_weights_of_vertices_count_in_every_operator_and_of_triangles_where_these_do(name, rank):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, two, plain = (cl.make_operator(K, name) for K in (*map(of(rank), (1, 2)), BASE))
    blind = rank == 2 and name in ("laplacian", "signless", "boundary")  # of edges alone
    assert np.allclose(one.toarray(), two.toarray(), rtol=1e-6, atol=1e-9) == blind
    if one.kernel is not None:
        np.testing.assert_allclose(one @ one.kernel.toarray(), 0.0, atol=1e-9)
        assert one.kernel.shape == plain.kernel.shape
        gram = (one.kernel.T @ one.kernel).toarray()
        np.testing.assert_allclose(gram, np.eye(len(gram)), atol=1e-12)


def of(rank):
    return lambda seed: weighted(seed, rank)


def test_on_a_graph_of_weighted_vertices_the_projection_is_the_graph_laplacian():
    """W^{-1/2} L W^{-1/2}: an edge between weights 4 and 1 has the entry -1/2."""
    K = cl.Complex.from_cells({1: [("a", "b")]}, weights={0: [4.0, 1.0]})
    for name in ("laplacian", "projection", "reliable", "multiorder"):
        S = cl.make_operator(K, name)
        np.testing.assert_allclose(S.toarray(), [[0.25, -0.5], [-0.5, 1.0]])
    np.testing.assert_allclose(cl.zhou_laplacian(K).toarray(), [[0.125, -0.25], [-0.25, 0.5]])


# -------------------------------------------------------------------------- other names of a weight


@pytest.mark.parametrize("name", ["Weight", "WEIGHT"])
def test_a_weight_with_capitals_counts_as_gephi_writes_it(name, tmp_path):
    graph = nx.Graph()
    graph.add_edges_from((u, v, {name: w}) for u, v, w in listed())
    table = nx.to_pandas_edgelist(graph, "Source", "Target").assign(Type="Undirected")
    table.to_csv(tmp_path / "gephi.csv", index=False)
    nx.write_graphml(graph, tmp_path / "a.graphml")
    nx.write_gexf(graph, tmp_path / "a.gexf")
    files = [cl.read(tmp_path / n) for n in ("gephi.csv", "a.graphml", "a.gexf")]
    for K in (cl.as_complex(graph), cl.clique_complex(graph), cl.as_complex(table), *files):
        np.testing.assert_allclose(cl.graph_laplacian(K).toarray(), L)
    assert cl.as_complex(graph, weight=None).attributes[1][name].tolist() == [2.0, 0.5, 3, 4, 1.5]
    xgi = pytest.importorskip("xgi")
    H = xgi.Hypergraph()
    H.add_edge(("a", "b", "c"), **{name: 2.0})
    assert cl.as_complex(H).weights[2].tolist() == [2.0]
    graph.edges["a", "b"]["weight"] = 7.0  # on one edge only
    with pytest.raises(cl.InputError, match="weight=None"):
        cl.as_complex(graph)


def test_weights_of_edges_count_as_pyg_makes_them_of_a_graph():
    pytest.importorskip("torch_geometric")
    from torch_geometric.utils import from_networkx

    from cellapse.torch import data_to_complex

    data = from_networkx(G)
    assert "edge_weight" not in data
    order = [list(G).index(v) for v in "abcde"]
    for K in (cl.as_complex(data), cl.clique_complex(data), data_to_complex(data)):
        np.testing.assert_allclose(cl.graph_laplacian(K).toarray()[np.ix_(order, order)], L)
        assert "weight" not in K.metadata
    assert cl.as_complex(data, weight=None).attributes[1]["weight"].shape == (5,)
    assert data_to_complex(data, weight=None).weights[1] is None
    data.edge_weight = data.weight
    with pytest.raises(cl.InputError, match="edge_weight"):
        cl.as_complex(data)


def test_theta_and_rounds_have_ranges():
    for theta in (0.0, 1.0, 0.5):
        assert cl.Screened(theta).theta == theta
    for theta in (-0.1, 1.1, 1.9):
        with pytest.raises(cl.InputError, match="from 0 to 1"):
            cl.Screened(theta)
    assert cl.Screened(rounds=1000).rounds == 1000
    for rounds in (-1, 1001):
        with pytest.raises(cl.InputError, match=r"in 0\.\.1000"):
            cl.Screened(rounds=rounds)
