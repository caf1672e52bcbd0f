"""One list of operator names, the same for the command line, estimators, explorer, experiments."""

import inspect

import networkx as nx
import numpy as np
import pytest
from everyday import everyday

import cellapse as cl
from cellapse import estimators
from cellapse._operators.names import describe_operator, make_operator, operator_names
from cellapse.cli.options import complete_operator
from cellapse.experiments.protocol.operators import FAIR
from cellapse.report.explorer import Explorer

K = cl.clique_complex(nx.karate_club_graph(), weight=None)


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
@pytest.mark.parametrize("name", operator_names())
def test_every_name_makes_an_operator_and_says_what_it_is(name):
    S = make_operator(K, name)
    assert S.shape == (34, 34)
    assert np.linalg.eigvalsh(S.toarray())[0] > -1e-10
    assert describe_operator(name).endswith(".")
    assert len(describe_operator(name)) < 100


def test_names_mean_what_the_functions_are_called():
    pairs = {
        "laplacian": cl.graph_laplacian(K),
        "signless": cl.signless_laplacian(K),
        "unfolded": cl.collapse(K, "unfolded"),
        "screened": cl.collapse(K, realization="screened"),
    }
    for name, wanted in pairs.items():
        assert np.array_equal(make_operator(K, name).toarray(), wanted.toarray())
    changed = make_operator(K, "renormalized").toarray() - pairs["screened"].toarray()
    assert np.abs(changed).max() > 0.01


def test_weights_reach_a_collapse_and_are_refused_elsewhere():
    S = make_operator(K, "unfolded", eps=0.5, beta=2.0)
    assert np.array_equal(S.toarray(), cl.collapse(K, "unfolded", eps=0.5, beta=2.0).toarray())
    with pytest.raises(cl.InputError, match=r'eps=0\.5.*"motif"'):
        make_operator(K, "motif", eps=0.5)
    with pytest.raises(cl.InputError, match=r"graph.*renormalized"):
        make_operator(K, "graph")


def test_the_names_are_the_same_everywhere():
    assert complete_operator("") == list(operator_names())
    assert set(FAIR) - set(operator_names()) == {"face-free"}
    assert set(Explorer(K).start()["realizations"]) < set(operator_names())
    for name in cl.__all__:
        made = getattr(cl, name)
        if inspect.isclass(made) and made.__module__.startswith(estimators.__name__):
            default = inspect.signature(made).parameters["operator"].default
            assert default == "renormalized"


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
@pytest.mark.parametrize("name", cl.operator_names())
def test_a_name_that_is_no_collapse_is_refused_with_what_makes_it(name):
    made = cl.make_operator(K, name)
    if isinstance(made, cl.CollapsedOperator):
        assert np.array_equal(made.toarray(), cl.collapse(K, name).toarray())
        return
    with pytest.raises(cl.InputError, match=rf'cl.make_operator\(K, "{name}"\)'):
        cl.collapse(K, name)


def test_realizations_and_whatever_can_be_lifted_are_taken():
    wanted = cl.collapse(K, cl.Screened(rounds=3)).toarray()
    assert np.array_equal(cl.make_operator(K, cl.Screened(rounds=3)).toarray(), wanted)
    lifted = cl.make_operator(nx.karate_club_graph(), "laplacian")
    assert np.array_equal(lifted.toarray(), cl.graph_laplacian(nx.karate_club_graph()).toarray())
    with pytest.raises(cl.InputError, match=r"Screened\(\)"):
        cl.make_operator(K, cl.Screened)


EVERY = [*cl.operator_names(), cl.Screened(rounds=2), cl.Unfolded()]
G = nx.karate_club_graph()


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
@pytest.mark.parametrize("operator", EVERY, ids=str)
def test_one_list_is_taken_wherever_an_operator_is_chosen(operator):
    S = cl.make_operator(K, operator)
    values = S.spectrum(5).values
    assert np.allclose(cl.batch.spectra([K, K], operator=operator, k=5).values[1], values)
    assert np.allclose(
        cl.analyze(K, 2, operator=operator, quick=True).spectra[0].values[:5], values
    )
    adjacency = nx.to_scipy_sparse_array(G, weight=None)
    model = cl.CollapsedSpectralClustering(2, affinity="precomputed", operator=operator)
    assert len(model.fit_predict(adjacency)) == 34


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
@pytest.mark.parametrize("operator", EVERY, ids=str)
@pytest.mark.parametrize("n", everyday((34, 400), quick=(34,)))  # as stacks, alone
def test_transforms_of_graphs_take_the_same_list(operator, n):
    pytest.importorskip("torch_geometric")
    from torch_geometric.utils import from_networkx

    from cellapse.torch import AddCollapsedPE, AddHeatKernelSignature

    graph = nx.Graph(G.edges) if n == 34 else nx.random_geometric_graph(n, 0.09, seed=0)
    for node in graph.nodes.values():
        node.clear()
    data = from_networkx(graph)
    found = AddCollapsedPE(3, operator=operator)(data).collapsed_pe.numpy()
    S = cl.make_operator(cl.clique_complex(graph), operator)
    expected = np.asarray(cl.positional_encoding(S, 3))
    assert np.allclose(np.abs(found), np.abs(expected), atol=1e-5)
    sign = AddHeatKernelSignature([1.0], operator=operator)(data).heat_kernel_signature
    assert np.allclose(sign.numpy(), np.asarray(cl.heat_kernel_signature(S, [1.0])), atol=1e-5)


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_a_grid_search_tries_them_all():
    from sklearn.model_selection import GridSearchCV

    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(12, 2)), rng.normal(size=(12, 2)) + 5.0])
    y = np.repeat([0, 1], 12)
    search = GridSearchCV(cl.CollapsedLabelSpreading(n_neighbors=4), {"operator": EVERY}, cv=2)
    assert np.isfinite(search.fit(X, y).cv_results_["mean_test_score"]).all()
    assert search.best_score_ == 1.0


def test_a_baseline_has_no_weights_anywhere():
    with pytest.raises(cl.InputError, match="eps"):
        cl.batch.spectra([K], operator="laplacian", eps=1e-3)
    with pytest.raises(cl.InputError, match="gamma"):
        cl.batch.spectra([K], operator="motif", gamma="bound")
