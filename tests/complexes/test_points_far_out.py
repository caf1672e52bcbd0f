"""Coordinates whose squares are no numbers are refused, not an error of SciPy's tree."""

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
