"""Which parameters of a test run every day; the others are slow and run with all tests."""

import pytest


def everyday(parameters, quick):
    """The parameters, of which only the quick ones are for every day."""
    slow = pytest.mark.slow
    return [
        one
        if one in quick
        else pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=slow)
        for one in parameters
    ]
