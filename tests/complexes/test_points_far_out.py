"""Coordinates whose squares are no numbers are refused, wherever points are taken."""

import numpy as np
import pytest

import cellapse as cl
from cellapse.datasets import backbone_complex, load_protein


@pytest.mark.parametrize("far", [1e308, -1e200, np.inf, np.nan])
def test_coordinates_far_out(far):
    xyz = load_protein("1UBQ").coordinates.copy()
    xyz[3, 0, 0] = far
    with pytest.raises(cl.InputError, match="below"):
        backbone_complex(xyz)
    points = np.random.default_rng(0).normal(size=(20, 3))
    points[2, 1] = far
    for lift, size in ((cl.lifts.nearest_neighbour_complex, 3), (cl.lifts.rips_complex, 1.0)):
        with pytest.raises(cl.InputError, match="below"):
            lift(points, size)


LIFTS = {
    "nearest neighbours": lambda x: cl.lifts.nearest_neighbour_complex(x, 3),
    "Rips": lambda x: cl.lifts.rips_complex(x, 0.5 * np.ptp(x)),
    "alpha": lambda x: cl.lifts.alpha_complex(x),
    "collapse": lambda x: cl.collapse(x),
    "clusters": lambda x: cl.CollapsedSpectralClustering(2).fit(x),
    "embedding": lambda x: cl.CollapsedSpectralEmbedding(2).fit(x),
    "labels": lambda x: cl.CollapsedLabelSpreading().fit(x, [0, 1] + [-1] * 18),
    "signatures": lambda x: cl.HeatKernelSignature().fit(x),
    "smoothing": lambda x: cl.SignalSmoother().fit(x, np.arange(20.0)),
}


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e160, 1e300])
@pytest.mark.parametrize("name", LIFTS)
def test_points_of_sizes_without_squares(name, size):
    points = np.random.default_rng(0).random((20, 2))
    with pytest.raises(cl.InputError):
        LIFTS[name](points * size)


@pytest.mark.parametrize("size", [2.0**-480, 2.0**480])
def test_neighbours_do_not_depend_on_the_unit(size):
    points = np.random.default_rng(0).random((20, 2))
    edges = cl.lifts.nearest_neighbour_complex(points, 3).edges
    assert cl.lifts.nearest_neighbour_complex(points * size, 3).edges == edges
    model = cl.CollapsedSpectralClustering(2).fit(points * size)
    assert (model.labels_ == cl.CollapsedSpectralClustering(2).fit(points).labels_).all()


def test_new_points_far_out_are_refused():
    points = np.random.default_rng(0).random((20, 2))
    model = cl.SignalSmoother().fit(points, points[:, 0])
    with pytest.raises(cl.InputError):
        model.predict(points * 1e200)
    assert np.isfinite(model.predict(np.zeros((3, 2)))).all()
