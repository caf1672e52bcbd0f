"""Transforms of PyTorch Geometric, with the mistakes of their peers as tests."""

import copy
import pickle
import warnings

import networkx as nx
import numpy as np
import pytest
from toys import karate

import cellapse as cl

torch = pytest.importorskip("torch", reason="transforms need the extra torch")
pyg = pytest.importorskip("torch_geometric", reason="transforms need the extra torch")

from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset  # noqa: E402
from torch_geometric.transforms import AddLaplacianEigenvectorPE, Compose  # noqa: E402
from torch_geometric.utils import from_networkx  # noqa: E402

from cellapse.torch import (  # noqa: E402
    AddCollapsedPE,
    AddHeatKernelSignature,
    data_to_complex,
    transform_all,
    transforms,
)
from cellapse.torch.transforms import _laplacian  # noqa: E402


def graph(g):
    return Data(edge_index=from_networkx(g).edge_index, num_nodes=len(g))


GRAPHS = {
    "smaller than k": nx.path_graph(3),
    "disconnected": nx.disjoint_union(nx.cycle_graph(4), nx.complete_graph(5)),
    "isolated": nx.disjoint_union(nx.cycle_graph(5), nx.empty_graph(3)),
    "one node": nx.empty_graph(1),
    "no edges": nx.empty_graph(4),
    "empty": nx.empty_graph(0),
    "karate": karate(),
}


@pytest.mark.parametrize("realization", ["unfolded", "boundary", "incidence", "mixed", "screened"])
@pytest.mark.parametrize("name", GRAPHS)
def test_always_k_columns_finite_and_the_same_twice(name, realization):
    data = graph(GRAPHS[name])
    for transform, count in (
        (AddCollapsedPE(8, attr_name="out", operator=realization), 8),
        (AddHeatKernelSignature([0.1, 1.0], attr_name="out", operator=realization), 2),
    ):
        first, second = transform(data).out, transform(data).out
        assert first.shape == (len(GRAPHS[name]), count)
        assert first.dtype == torch.float32
        assert torch.isfinite(first).all()
        torch.testing.assert_close(first, second)
    assert "out" not in data


def test_columns_are_the_first_vectors_that_vary():
    data = AddCollapsedPE(8)(graph(GRAPHS["karate"]))
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    spectrum = cl.collapse(K).spectrum(9, mass="diagonal")
    np.testing.assert_allclose(data.collapsed_pe, spectrum.vectors[:, 1:], atol=1e-6)
    assert (data.collapsed_pe.abs().sum(0) > 0).all()  # TopoBench has a zero column here


def test_trivial_vectors_are_left_out_for_every_component():
    data = AddCollapsedPE(8)(graph(GRAPHS["disconnected"]))
    pe = data.collapsed_pe.numpy()
    assert (np.abs(pe).sum(axis=0) > 0).tolist() == [True] * 7 + [False]  # 9 - 2 vectors
    for part in (slice(0, 4), slice(4, 9)):
        assert np.abs(pe[part].sum(axis=0)).max() < 1e-6


def test_where_the_laplacian_encoding_raises_ours_pads():
    small = graph(nx.path_graph(5))
    with pytest.raises(Exception):  # noqa: B017, PT011  whatever it raises
        AddLaplacianEigenvectorPE(8, is_undirected=True)(small)
    assert AddCollapsedPE(8)(small).collapsed_pe.shape == (5, 8)


def test_directed_edges_and_loops_are_read_as_a_plain_graph():
    both = torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]])
    once = torch.tensor([[0, 1, 2, 1, 0], [1, 2, 0, 1, 1]])
    encode = AddCollapsedPE(2)
    expected = encode(Data(edge_index=both, num_nodes=3)).collapsed_pe
    found = encode(Data(edge_index=once, num_nodes=3)).collapsed_pe
    torch.testing.assert_close(found, expected)


def triangle(**attributes):
    """Four nodes, a triangle and an edge that closes none; three of the edges one way only."""
    edges = torch.tensor([[0, 1, 2, 0, 3], [1, 2, 0, 3, 0]])
    return Data(edge_index=edges, num_nodes=4, **attributes)


def test_without_a_name_the_columns_go_to_x_as_those_of_pyg_do():
    expected = AddCollapsedPE(2)(triangle()).collapsed_pe
    encode = AddCollapsedPE(2, attr_name=None)
    torch.testing.assert_close(encode(triangle()).x, expected)
    for x, dtype in ((torch.ones(4, 3).double(), torch.float64), (torch.ones(4).long(), None)):
        found = encode(triangle(x=x)).x
        assert found.dtype == (dtype or torch.float32)  # whole numbers would cut the columns off
        torch.testing.assert_close(found[:, -2:].float(), expected)
        assert (found[:, :-2] == 1).all()


def test_every_graph_of_a_batch_gets_its_own():
    graphs = [triangle(), graph(GRAPHS["karate"]), graph(GRAPHS["empty"])]
    encode = AddCollapsedPE(3)
    found = encode(Batch.from_data_list(graphs))
    assert torch.equal(found.collapsed_pe, torch.cat([encode(g).collapsed_pe for g in graphs]))
    assert found.num_graphs == 3


def test_weights_of_edges_count_by_their_name_and_by_default():
    weights = torch.tensor([1.0, 2.0, 3.0, 4.0, 4.0])
    encode = AddHeatKernelSignature([1.0], weight="edge_weight")
    K = data_to_complex(triangle(edge_weight=weights), weight="edge_weight")
    assert K.cells[1].as_array().tolist() == [[0, 1], [0, 2], [0, 3], [1, 2]]
    assert K.weights[1].tolist() == [1.0, 3.0, 4.0, 2.0]
    spectrum = cl.collapse(K).spectrum()
    expected = spectrum.vectors**2 @ np.exp(-spectrum.values)[:, None]
    found = encode(triangle(edge_weight=weights)).heat_kernel_signature
    np.testing.assert_allclose(found, expected, atol=1e-6)
    usual = AddHeatKernelSignature([1.0])(triangle(edge_weight=weights)).heat_kernel_signature
    assert torch.equal(usual, found)  # under the name that PyG gives them they count
    plain = AddHeatKernelSignature([1.0], weight=None)(triangle(edge_weight=weights))
    assert (plain.heat_kernel_signature - found).abs().max() > 1e-3


def test_the_repr_tells_settings_apart_as_pyg_asks():
    """A processed dataset is compared with the transform by its repr."""
    assert repr(AddCollapsedPE(8)) == "AddCollapsedPE(k=8)"
    variants = [
        AddCollapsedPE(8),
        AddCollapsedPE(9),
        AddCollapsedPE(8, eps=0.1),
        AddCollapsedPE(8, operator="screened"),
        AddCollapsedPE(8, attr_name=None),
        AddHeatKernelSignature([1.0, 2.0]),
        AddHeatKernelSignature(np.array([1.0, 3.0])),
        AddHeatKernelSignature([1.0, 2.0], n_probes=16),
    ]
    assert len({repr(v) for v in variants}) == len(variants)
    for v in variants:
        v(triangle())  # having been used leaves no trace
        for twin in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
            assert repr(twin) == repr(v)
            name = v.attr_name or "x"
            torch.testing.assert_close(twin(triangle())[name], v(triangle())[name])


@pytest.mark.slow
def test_large_signatures_have_the_error_they_state():
    sign = AddHeatKernelSignature([1.0], n_probes=64, operator="screened")
    g = nx.random_geometric_graph(2100, 0.03, seed=0)
    found = sign(graph(g)).heat_kernel_signature.double().numpy()[:, 0]
    spectrum = cl.collapse(cl.clique_complex(g), realization="screened").spectrum()
    exact = spectrum.vectors**2 @ np.exp(-spectrum.values)
    measured = np.sqrt(np.mean((found / exact - 1) ** 2))
    assert sign.error == pytest.approx((2 / 64) ** 0.5)
    assert 0.8 * sign.error < measured < 1.2 * sign.error


def test_signature_is_that_of_the_operator():
    data = AddHeatKernelSignature([0.5, 4.0])(graph(GRAPHS["karate"]))
    spectrum = cl.collapse(cl.clique_complex(nx.karate_club_graph(), weight=None)).spectrum()
    expected = spectrum.vectors**2 @ np.exp(-np.outer(spectrum.values, [0.5, 4.0]))
    np.testing.assert_allclose(data.heat_kernel_signature, expected, atol=1e-6)


@pytest.mark.parametrize("realization", ["as they are", "unfolded", "screened", "renormalized"])
def test_incidence_matrices_as_topobench_stores_them(realization):
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    B = cl.boundary_matrices(K)
    data = Data(num_nodes=34)
    for k in (1, 2):
        data[f"incidence_{k}"] = torch.from_numpy(B[k - 1].toarray()).to_sparse()
    named = {} if realization == "as they are" else {"operator": realization}
    encode = AddCollapsedPE(4, lift="incidence", **named)
    reference = cl.collapse(K, named.get("operator", "boundary")).spectrum(5, mass="diagonal")
    np.testing.assert_allclose(encode(data).collapsed_pe, reference.vectors[:, 1:], atol=1e-5)
    del data.num_nodes  # the matrices know
    assert encode(data).collapsed_pe.shape == (34, 4)
    with pytest.raises(cl.InputError, match="incidence_1"):
        encode(Data(num_nodes=3))


def test_a_function_as_lift():
    def rings(data):
        return cl.Complex.from_cells({1: [(0, 1), (1, 2), (2, 3), (3, 0)], 2: [(0, 1, 2, 3)]})

    square = graph(nx.cycle_graph(4))
    plain = AddHeatKernelSignature([1.0], operator="screened")(square).heat_kernel_signature
    encode = AddHeatKernelSignature([1.0], operator="screened", lift=rings)
    filled = encode(square).heat_kernel_signature
    assert (plain - filled).abs().max() > 1e-3
    assert data_to_complex(square).n_cells == (4, 4, 0)


def test_as_pre_transform_of_a_dataset_and_in_batches(tmp_path):
    class Rings(InMemoryDataset):
        def __init__(self, root, pre_transform=None):
            super().__init__(root, pre_transform=pre_transform)
            self.load(self.processed_paths[0])

        @property
        def processed_file_names(self):
            return ["rings.pt"]

        def process(self):
            graphs = [graph(nx.cycle_graph(n)) for n in range(3, 9)]
            self.save([self.pre_transform(g) for g in graphs], self.processed_paths[0])

    steps = [AddCollapsedPE(4), AddHeatKernelSignature([1.0])]
    dataset = Rings(str(tmp_path), pre_transform=Compose(steps))
    with pytest.warns(UserWarning, match="differs"):
        Rings(str(tmp_path), pre_transform=AddCollapsedPE(4, eps=0.1))
    batch = Batch.from_data_list(list(dataset))
    assert batch.collapsed_pe.shape == (sum(range(3, 9)), 4)
    assert batch.heat_kernel_signature.shape == (sum(range(3, 9)), 1)


@pytest.mark.parametrize("realization", ["unfolded", "boundary", "incidence", "mixed", "screened"])
def test_a_dataset_gets_what_its_graphs_get_alone(realization):
    graphs = [*GRAPHS.values(), *(nx.gnp_random_graph(n, 0.3, seed=n) for n in range(2, 20))]
    encode = AddCollapsedPE(5, operator=realization)
    sign = AddHeatKernelSignature([0.5, 2.0], operator=realization)
    given, compared = [graph(G) for G in graphs], 0
    together = transform_all(given, Compose([encode, sign]))
    for G, data, found in zip(graphs, given, together, strict=True):
        assert "collapsed_pe" not in data
        assert found.num_nodes == data.num_nodes
        signature = sign(data).heat_kernel_signature
        torch.testing.assert_close(found.heat_kernel_signature, signature)
        if eigenvectors_are_unique(G, realization, 5):
            torch.testing.assert_close(found.collapsed_pe, encode(data).collapsed_pe)
            compared += 1
    assert compared >= 5


def eigenvectors_are_unique(G, realization, k):
    """Whether the first k eigenvalues behind the kernel are simple and no vector is its mirror."""
    if len(G) <= k + 1:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values, vectors = np.linalg.eigh(cl.collapse(cl.clique_complex(G), realization).toarray())
    kernel = int((values < 1e-9).sum())
    if kernel > 1:
        return False
    first = vectors[:, kernel:][:, :k]
    ends = np.sort(first, axis=0), np.sort(-first, axis=0)
    mirrored = np.abs(ends[0] - ends[1]).max(axis=0) < 1e-6
    return bool((np.diff(values[kernel:][: k + 1]) > 1e-3).all() and not mirrored.any())


@pytest.mark.parametrize("n", [40, 320])  # in a stack, and too large for one
@pytest.mark.parametrize("realization", ["unfolded", "screened"])
def test_the_encoding_is_that_of_the_tasks(n, realization):
    g = nx.random_geometric_graph(n, 1.6 / n**0.5, seed=3)
    S = cl.collapse(data_to_complex(graph(g)), realization=realization)
    data = transform_all([graph(g)], AddCollapsedPE(6, operator=realization))[0]
    expected = np.asarray(cl.positional_encoding(S, 6))
    np.testing.assert_allclose(data.collapsed_pe, expected, atol=1e-5)


def test_repeated_eigenvalues_get_the_same_basis_in_a_stack():
    paths = nx.disjoint_union(nx.path_graph(2), nx.path_graph(4))  # both have the eigenvalue 2
    S = cl.collapse(cl.clique_complex(paths), realization="screened")
    expected = cl.positional_encoding(S, 4, mass=None)
    assert np.isclose(*expected.values[1:3])
    found = AddCollapsedPE(4, operator="screened", mass=None)(graph(paths)).collapsed_pe
    np.testing.assert_allclose(found, np.asarray(expected), atol=1e-6)


@pytest.mark.parametrize("ranks", [(), (1,), (0, 1)])
def test_surroundings_are_those_of_the_operator(monkeypatch, ranks):
    K = cl.clique_complex(nx.lollipop_graph(5, 3))
    K = K.with_attributes({}, {k: np.linspace(1, 2, K.n_cells[k]) for k in ranks})
    expected = abs(cl.collapse(K).A).toarray()
    np.testing.assert_allclose(_laplacian(K), expected)
    monkeypatch.setattr(transforms, "_FEW", 0)  # as on many vertices
    np.testing.assert_allclose(_laplacian(K).toarray(), expected)


def plus_one(data):
    data = data.clone()
    data.x = data.x + 1
    return data


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_any_transform_of_many_graphs_in_order(n_jobs):
    graphs = [Data(x=torch.full((1, 1), float(i)), num_nodes=1) for i in range(1300)]
    found = transform_all(graphs, plus_one, n_jobs=n_jobs)
    assert [float(d.x) for d in found] == [i + 1.0 for i in range(1300)]


def test_blueprints_are_batched_by_pyg():
    from cellapse.torch import Collapse

    graphs = [graph(nx.cycle_graph(4)), graph(nx.complete_graph(5))]
    layer = Collapse(data_to_complex(graphs[1]), realization="unfolded")
    for data in graphs:
        data.blueprint = layer.blueprint(data_to_complex(data))
    batch = Batch.from_data_list(graphs)
    op = layer.operator(batch.blueprint)
    assert torch.equal(op.owner, batch.batch)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AddCollapsedPE(0), "k=0"),
        (lambda: AddCollapsedPE(2, lift="other")(graph(nx.path_graph(3))), "lift"),
        (lambda: AddCollapsedPE(2)(Data(num_nodes=3)), "edge_index"),
        (lambda: AddCollapsedPE(2)(Data(edge_index=torch.tensor([[0], [3]]), num_nodes=3)), "3"),
        (lambda: AddCollapsedPE(2)(HeteroData()), "to_homogeneous"),
        (lambda: AddCollapsedPE(2)(Data()), "num_nodes"),
        (lambda: AddCollapsedPE(2)(Data(edge_index=torch.zeros(3, 2).long())), "rows"),
        (lambda: AddCollapsedPE(2)(Data(edge_index=torch.rand(2, 2), num_nodes=2)), "whole"),
        (lambda: AddCollapsedPE(2, eps=-1.0), "eps"),
        (lambda: AddCollapsedPE(2, operator="other")(triangle()), "choose"),
        (lambda: AddCollapsedPE(2, operator="sieved")(triangle()), "screened"),
        (lambda: AddCollapsedPE(2, weight="w")(triangle()), "no 'w'"),
        (lambda: AddCollapsedPE(2, weight="w")(triangle(w=torch.ones(5, 2))), "number"),
        (lambda: AddCollapsedPE(2, weight="w")(triangle(w=torch.arange(1.0, 6))), "directions"),
        (lambda: AddCollapsedPE(2, weight="w", lift="incidence")(triangle()), "clique"),
        (
            lambda: AddCollapsedPE(2, lift=lambda d: cl.clique_complex(nx.path_graph(3)))(
                triangle()
            ),
            "nodes",
        ),
        (lambda: AddCollapsedPE(2, weight="w")(triangle(w=torch.full((5,), torch.nan))), "finite"),
        (lambda: data_to_complex(triangle(), max_rank=0), "max_rank"),
        (lambda: AddHeatKernelSignature([1.0], n_probes=1), "n_probes"),
        (lambda: transform_all([triangle()], AddCollapsedPE(2), n_jobs=0), "n_jobs"),
        (lambda: AddHeatKernelSignature([-1.0]), "times"),
        (lambda: AddHeatKernelSignature([]), "times"),
    ],
)
def test_bad_arguments_are_named(make, message):
    with pytest.raises(cl.InputError, match=message):
        make()
