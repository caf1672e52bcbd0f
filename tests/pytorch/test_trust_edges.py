"""The transform that weighs edges by trust or leaves them out, and the table that tries it."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl

torch = pytest.importorskip("torch", reason="transforms need the extra torch")
pyg = pytest.importorskip("torch_geometric", reason="transforms need the extra torch")

from torch_geometric.data import Batch, Data, HeteroData  # noqa: E402
from torch_geometric.utils import from_networkx  # noqa: E402

from cellapse.experiments.protocol.featured import Featured  # noqa: E402
from cellapse.experiments.tables import gcn  # noqa: E402
from cellapse.torch import AddCollapsedPE, SpreadTrust, TrustEdges  # noqa: E402

BARBELL = nx.barbell_graph(5, 0)  # the bridge is 4 - 5


def graph(g, **more):
    return Data(edge_index=from_networkx(g).edge_index, num_nodes=len(g), **more)


def by_pair(data, name="edge_weight"):
    pairs = data.edge_index.T.tolist()
    return {tuple(pair): value for pair, value in zip(pairs, data[name].tolist(), strict=True)}


def test_weights_go_from_a_twentieth_to_one_with_trust():
    data = graph(BARBELL)
    weights = by_pair(TrustEdges()(data))
    trust = cl.edge_trust(cl.clique_complex(BARBELL)).as_dict()
    assert "edge_weight" not in data
    assert len(weights) == 2 * len(trust)
    for (i, j), t in trust.items():
        assert weights[i, j] == weights[j, i] == pytest.approx(0.05 + 0.95 * t)
    assert weights[4, 5] == pytest.approx(0.05)


def test_the_edges_of_least_trust_go_in_both_directions_with_what_they_carry():
    data = graph(BARBELL)
    data.edge_attr = torch.arange(data.num_edges)[:, None]
    cut = TrustEdges(drop=1 / 21, weight=False)(data)
    left = cut.edge_index.T.tolist()
    assert len(left) == 40
    assert [4, 5] not in left
    assert [5, 4] not in left
    columns = data.edge_index[:, cut.edge_attr[:, 0]]
    assert torch.equal(columns, cut.edge_index)
    assert "edge_weight" not in cut
    assert cut.num_nodes == 10
    assert TrustEdges(drop=1 / 21)(data).edge_weight.min() > 0.05
    assert TrustEdges(drop=1.0)(data).num_edges == 0
    assert TrustEdges(drop=0.0)(data).num_edges == 42


def test_loops_and_copies_and_nodes_without_edges():
    edges = torch.tensor([[0, 1, 1, 2, 2, 0, 3, 0, 0], [1, 0, 2, 1, 0, 2, 3, 1, 0]])
    found = TrustEdges()(Data(edge_index=edges, num_nodes=5))
    weights = found.edge_weight
    assert weights[[6, 8]].tolist() == [1.0, 1.0]
    assert weights[0] == weights[7]
    assert found.num_nodes == 5
    assert TrustEdges(drop=1.0)(Data(edge_index=edges, num_nodes=5)).edge_index.tolist() == [
        [3, 0],
        [3, 0],
    ]
    empty = Data(edge_index=torch.empty((2, 0), dtype=torch.long), num_nodes=3)
    assert TrustEdges()(empty).edge_weight.shape == (0,)
    assert TrustEdges(drop=0.5)(empty).num_nodes == 3


def test_weights_that_are_there_count_and_are_multiplied():
    data = graph(nx.complete_graph(4))
    pairs = data.edge_index
    data.edge_weight = torch.where((pairs == 0).any(0), 4.0, 1.0)
    K = cl.clique_complex(nx.complete_graph(4))
    K = K.with_attributes({}, {1: [4.0 if 0 in pair else 1.0 for pair in K.cell_labels(1)]})
    trust = cl.edge_trust(K).as_dict()
    found = by_pair(TrustEdges()(data))
    plain = by_pair(data)
    factor = {pair: found[pair] / plain[pair] for pair in found}
    assert factor[0, 1] > factor[1, 2]
    assert trust[0, 1] > trust[1, 2]


def test_a_column_of_attributes_and_a_name_of_ones_own():
    data = graph(BARBELL, edge_attr=torch.zeros(42, 2))
    assert TrustEdges(attr_name=None)(data).edge_attr.shape == (42, 3)
    assert TrustEdges(attr_name=None)(graph(BARBELL)).edge_attr.shape == (42, 1)
    named = TrustEdges(attr_name="trusted")(data)
    assert torch.equal(named.trusted, TrustEdges()(data).edge_weight)


def test_graphs_of_a_batch_are_by_themselves_and_twice_is_the_same():
    graphs = [graph(BARBELL), graph(nx.karate_club_graph())]
    batch = TrustEdges(drop=0.1)(Batch.from_data_list(graphs))
    for alone, part in zip(graphs, batch.to_data_list(), strict=True):
        expected = TrustEdges(drop=0.1)(alone)
        assert torch.equal(part.edge_index, expected.edge_index)
        assert torch.equal(part.edge_weight, expected.edge_weight)


def test_the_order_of_the_nodes_does_not_matter():
    g = nx.karate_club_graph()
    order = np.random.default_rng(0).permutation(34).tolist()
    plain, renamed = nx.empty_graph(34), nx.empty_graph(34)
    plain.add_edges_from(g.edges)
    renamed.add_edges_from((order[i], order[j]) for i, j in g.edges)
    one, two = (by_pair(TrustEdges()(graph(each))) for each in (plain, renamed))
    for (i, j), weight in one.items():
        assert two[order[i], order[j]] == pytest.approx(weight, rel=1e-6)


@pytest.mark.parametrize("evidence", ["learned", "both"])
def test_other_evidence_weighs_the_same_way(evidence):
    weights = by_pair(TrustEdges(evidence=evidence)(graph(BARBELL)))
    trust = cl.edge_trust(cl.clique_complex(BARBELL), evidence=evidence).as_dict()
    for (i, j), t in trust.items():
        assert weights[i, j] == weights[j, i] == pytest.approx(0.05 + 0.95 * t)


@pytest.mark.parametrize(
    "more",
    [
        {"drop": -0.1},
        {"drop": 1.5},
        {"drop": "half"},
        {"weight": False},
        {"weight": "yes"},
        {"attr_name": 5},
        {"evidence": "triangles"},
    ],
    ids=repr,
)
def test_hostile_arguments(more):
    with pytest.raises(cl.InputError):
        TrustEdges(**more)


@pytest.mark.parametrize(
    "data",
    [
        HeteroData(),
        Data(num_nodes=3),
        Data(edge_index=torch.tensor([[0], [7]]), num_nodes=3),
    ],
    ids=["several kinds", "no edges given", "a node that is not there"],
)
def test_hostile_data(data):
    with pytest.raises(cl.InputError):
        TrustEdges()(data)


def test_the_table_of_a_graph_network_on_papers_of_ones_own(monkeypatch):
    """Three groups that share words; as reproducible as all tables."""
    rng = np.random.default_rng(0)
    A, groups = cl.datasets.block_model([120] * 3, 0.05, 0.002, rng=0)
    words = (rng.random((360, 30)) < np.where(np.arange(30) % 3 == groups[:, None], 0.3, 0.05)) * 1
    papers = Featured(A, sparse.csr_array(words.astype(float)), groups, 20, 100, 200)
    monkeypatch.setattr(gcn, "featured", lambda name: papers)
    assert len(gcn.arguments(True)) < len(gcn.arguments(False))
    case = {"network": "papers", "percent": 50, "seed": 0, "epochs": 30}
    result = gcn.run(**case)
    assert result == gcn.run(**case)
    assert all(0.4 < accuracy <= 1.0 for accuracy in result.values())
    table = gcn.summarize([(case, result)])
    assert len(table.rows) == 1
    assert all(len(row) == len(table.details[0].head) for row in table.details[0].rows)


def papers_and_authors():
    """A barbell of papers that cite each other, and authors who wrote them."""
    data = HeteroData()
    data["paper"].x = torch.ones(10, 2)
    data["author"].x = torch.zeros(3, 1)
    data["paper", "cites", "paper"].edge_index = graph(BARBELL).edge_index
    data["paper", "cites", "paper"].year = torch.arange(42)
    data["author", "wrote", "paper"].edge_index = torch.tensor([[0, 1, 2], [0, 5, 9]])
    return data


def test_one_kind_of_nodes_among_several():
    data, alone = papers_and_authors(), graph(BARBELL)
    found = TrustEdges(drop=1 / 21)(data)
    expected = TrustEdges(drop=1 / 21)(alone)
    cites = found["paper", "cites", "paper"]
    assert torch.equal(cites.edge_index, expected.edge_index)
    assert torch.equal(cites.edge_weight, expected.edge_weight)
    assert cites.year.tolist() == [k for k in range(42) if set(by_ends(alone, k)) != {4, 5}]
    assert found["author", "wrote", "paper"].edge_index.shape == (2, 3)
    assert data["paper", "cites", "paper"].edge_index.shape == (2, 42)
    assert "edge_weight" not in data["paper", "cites", "paper"]
    encoded = AddCollapsedPE(3)(data)
    torch.testing.assert_close(encoded["paper"].collapsed_pe, AddCollapsedPE(3)(alone).collapsed_pe)
    assert AddCollapsedPE(3, attr_name=None)(data)["paper"].x.shape == (10, 5)
    batch = AddCollapsedPE(3)(Batch.from_data_list([data, data]))
    assert batch["paper"].collapsed_pe.shape == (20, 3)


def by_ends(data, k):
    return data.edge_index[:, k].tolist()


@pytest.mark.parametrize("transform", [AddCollapsedPE, TrustEdges])
def test_which_edges_count_is_never_guessed(transform):
    first = {"k": 2} if transform is AddCollapsedPE else {}
    data = papers_and_authors()
    data["paper", "extends", "paper"].edge_index = torch.tensor([[0, 1], [1, 0]])
    with pytest.raises(cl.InputError, match="extends"):
        transform(**first)(data)
    for kind in ("cites", "extends"):
        transform(**first, edge_type=("paper", kind, "paper"))(data)
    with pytest.raises(cl.InputError, match="extends"):
        transform(**first, edge_type=("author", "wrote", "paper"))(data)
    with pytest.raises(cl.InputError, match="leave it out"):
        transform(**first, edge_type=("paper", "cites", "paper"))(graph(BARBELL))
    with pytest.raises(cl.InputError, match="three names"):
        transform(**first, edge_type="cites")


def test_features_spread_less_across_an_edge_without_trust():
    data = graph(BARBELL, x=torch.zeros(10, 1))
    data.x[:5] = 1.0
    spread = SpreadTrust(strength=2.0)(data).x.ravel()
    alike = SpreadTrust(strength=2.0, operator="laplacian")(data).x.ravel()
    expected = cl.smooth(cl.collapse(BARBELL), data.x.double().numpy(), strength=2.0)
    np.testing.assert_allclose(spread[:, None], expected, rtol=1e-6)
    assert spread[4] - spread[5] > alike[4] - alike[5] > 0
    assert data.x.sum() == spread.sum().round() == 5
    batch = SpreadTrust(strength=2.0)(Batch.from_data_list([data, data]))
    torch.testing.assert_close(batch.x.ravel(), spread.repeat(2))


def test_spread_features_keep_their_shape_and_dtype():
    edge = torch.tensor([[0, 1], [1, 0]])
    for x, dtype in (
        (torch.tensor([0.0, 3.0], dtype=torch.float64), torch.float64),
        (torch.tensor([[0, 1], [3, 1]]), torch.float32),
        (torch.ones(2, 0), torch.float32),
    ):
        found = SpreadTrust()(Data(x=x, edge_index=edge)).x
        assert (found.shape, found.dtype) == (x.shape, dtype)
    data = papers_and_authors()
    assert SpreadTrust()(data)["paper"].x.shape == (10, 2)
    for bad in ({"strength": -1.0}, {"attr_name": None}, {"operator": "other"}):
        with pytest.raises(cl.InputError):
            SpreadTrust(**bad)
    for wrong in (Data(edge_index=edge, num_nodes=2), Data(x=torch.ones(3), edge_index=edge, y=1)):
        wrong.num_nodes = 2
        with pytest.raises(cl.InputError, match="features of 2 nodes"):
            SpreadTrust()(wrong)


def test_weights_of_whole_numbers_are_not_cut_off():
    edges = torch.tensor([[0, 1, 1, 2, 2, 0, 2, 3], [1, 0, 2, 1, 0, 2, 3, 2]])
    found = [
        TrustEdges(evidence="cells")(
            Data(edge_index=edges, num_nodes=4, edge_weight=torch.full((8,), 3, dtype=kind))
        ).edge_weight
        for kind in (torch.int64, torch.int8, torch.float32, torch.float64)
    ]
    for weights in found:
        assert torch.allclose(weights.double(), found[-1].double())
    assert 0 < found[0].min() < 1
    for name, wrong in (("edge_weight", 3), ("edge_weight", (8, 2)), ("edge_attr", 3)):
        graph = Data(edge_index=edges, num_nodes=4, **{name: torch.ones(wrong)})
        with pytest.raises(cl.InputError, match="8 edges"):
            TrustEdges(attr_name=None if name == "edge_attr" else name, evidence="cells")(graph)
