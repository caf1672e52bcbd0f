"""Transforms in the way TopoBench makes them: from an entry of its configuration.

TopoBench is on no package index, so its `DataTransform` stands here as it is written there; with an
installed one its own is taken, and its `LapPE` is compared with.
"""

import networkx as nx
import pytest

import cellapse as cl

torch = pytest.importorskip("torch", reason="transforms need the extra torch")
pyg = pytest.importorskip("torch_geometric", reason="transforms need the extra torch")

from torch_geometric.data import Data  # noqa: E402
from torch_geometric.transforms import BaseTransform, Compose  # noqa: E402
from torch_geometric.utils import from_networkx  # noqa: E402

from cellapse.torch import AddCollapsedPE, TrustEdges, topobench  # noqa: E402

KARATE = nx.Graph(nx.karate_club_graph().edges)
MANIPULATION = {"transform_type": "data manipulation"}


def karate(**more):
    return Data(x=torch.ones(34, 3), edge_index=from_networkx(KARATE).edge_index, **more)


@pytest.fixture
def data_transform():
    """The class of TopoBench that makes a transform of an entry, with ours registered."""
    try:
        from topobench.transforms import TRANSFORMS
        from topobench.transforms.data_transform import DataTransform
    except ImportError:
        TRANSFORMS = {}

        class DataTransform(BaseTransform):
            def __init__(self, transform_name, **kwargs):
                kwargs["transform_name"] = transform_name
                self.parameters = kwargs
                self.transform = TRANSFORMS[transform_name](**kwargs)

            def forward(self, data):
                return self.transform(data)

    topobench.register(TRANSFORMS)
    return DataTransform


def test_an_entry_of_the_configuration_is_appended_as_lappe_is(data_transform):
    entry = {"transform_name": "CollapsedPE", **MANIPULATION, "max_pe_dim": 8, "concat_to_x": True}
    found = data_transform(**entry)(karate())
    assert torch.equal(found.x, AddCollapsedPE(8, attr_name=None)(karate()).x)
    assert set(found.keys()) == {"x", "edge_index"}
    apart = data_transform(**entry | {"concat_to_x": False})(karate())
    assert apart.x.shape == (34, 3)
    assert torch.equal(apart.CollapsedPE, AddCollapsedPE(8)(karate()).collapsed_pe)


def test_edges_are_left_out_before_a_lifting(data_transform):
    entry = {"transform_name": "TrustedEdges", **MANIPULATION, "drop": 0.1}
    found = data_transform(**entry)(karate())
    expected = TrustEdges(drop=0.1, weight=False)(karate())
    assert torch.equal(found.edge_index, expected.edge_index)


def test_after_a_lifting_its_cells_are_read_and_the_features_of_its_nodes_grow(data_transform):
    boundary = cl.boundary_matrices(cl.clique_complex(KARATE))
    lifted = karate(x_0=torch.ones(34, 5))
    for k, B in enumerate(boundary, start=1):
        lifted[f"incidence_{k}"] = torch.from_numpy(B.toarray()).to_sparse()
    entry = {"transform_name": "CollapsedPE", **MANIPULATION, "max_pe_dim": 4, "lift": "incidence"}
    found = data_transform(**entry)(lifted)
    assert found.x_0.shape == (34, 9)
    assert found.x.shape == lifted.x.shape
    both = Compose([data_transform(**entry), data_transform(**entry)])(lifted)
    torch.testing.assert_close(both.x_0[:, 9:], both.x_0[:, 5:9])
    with pytest.raises(cl.InputError, match="after a lifting"):
        data_transform(**entry)(karate())


@pytest.mark.parametrize(
    "wrong", [{"max_pe_dim": 0}, {"concat_to_x": "yes"}, {"operator": "other"}, {"lift": "ring"}]
)
def test_wrong_entries_are_named(data_transform, wrong):
    entry = {"transform_name": "CollapsedPE", **MANIPULATION, "max_pe_dim": 4}
    with pytest.raises(cl.InputError):
        data_transform(**entry | wrong)(karate())
