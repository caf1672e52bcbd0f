"""Drawings of more vertices than push each other pair by pair go through a pyramid."""

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse.plot.layout import arrange


@pytest.mark.parametrize("kind", ["points", "a tree"])
def test_edges_are_short_and_far_vertices_are_far_apart(kind):
    if kind == "points":
        points = np.random.default_rng(3).random((6000, 2))
        K = cl.lifts.nearest_neighbour_complex(points, 6)
    else:
        K = cl.as_complex(nx.random_labeled_tree(6000, seed=1))
    edges = K.cells[1].as_array()
    place = arrange(K.n_vertices, edges, np.ones(len(edges)))
    assert 0.0 <= place.min() + 1e-9 <= place.max() <= 1.0 + 1e-9
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 6000, (2, 3000))
    length = np.linalg.norm(place[edges[:, 0]] - place[edges[:, 1]], axis=1)
    apart = np.linalg.norm(place[a] - place[b], axis=1)
    assert np.median(length) < 0.05 * np.median(apart)
    if kind == "points":
        true = np.linalg.norm(points[a] - points[b], axis=1)
        assert np.corrcoef(true, apart)[0, 1] > 0.9
    np.testing.assert_array_equal(place, arrange(K.n_vertices, edges, np.ones(len(edges))))


def test_a_large_network_is_drawn():
    ax = cl.plot.plot_complex(nx.random_labeled_tree(5500, seed=2))
    xy = np.concatenate([np.asarray(c.get_offsets()) for c in ax.collections])
    assert len(xy) >= 5500
    assert np.isfinite(xy).all()
