"""A slice of `make fuzz`: no raw exception, no crash, not much memory or time."""

import os

import pytest

from tests.fuzz.run import make, run

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("first", [0, 1000])
def test_odd_files_are_read_or_refused(first):
    pytest.importorskip("rdkit")
    pytest.importorskip("gemmi")
    counts, bad, _ = run(first, 200)
    assert not bad
    assert counts["read"] + counts["refused"] == 200
    assert counts["read"] > 20  # odd, not only broken


def test_the_same_seed_makes_the_same_file():
    assert make(5) == make(5)
