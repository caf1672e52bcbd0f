"""Hypothesis runs the same examples every time; numerical warnings count as failures.

`make test-seeds` runs others, and `--hypothesis-profile=thorough` many more.
"""

import os
import sys
from functools import cache

import pytest
import typer.main
from hypothesis import HealthCheck, settings

settings.register_profile(
    "cellapse",
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
# Without a database a seed alone decides, whatever failed here before.
settings.register_profile(
    "seeded",
    parent=settings.get_profile("cellapse"),
    derandomize=False,
    database=None,
    max_examples=40,
)
settings.register_profile("thorough", parent=settings.get_profile("seeded"), max_examples=1000)
settings.load_profile("cellapse")


if "CELLAPSE_CHECK" in os.environ:  # `make check`, whose environment has no large libraries

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(item):
        try:
            return (yield)
        except ImportError as error:  # cellapse.MissingExtraError, too
            pytest.skip(str(error))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(item):
        try:
            return (yield)
        except ImportError as error:
            pytest.skip(str(error))


def pytest_configure(config):
    # Warnings meant for the user are tested where they matter and are noise elsewhere.
    config.addinivalue_line("filterwarnings", "error::RuntimeWarning")
    config.addinivalue_line("filterwarnings", "ignore::cellapse.CellapseWarning")


@pytest.fixture(autouse=True, scope="session")
def _no_waiting_for_the_disk():
    """No file of a test has to outlast a loss of power; `test_files.py` tests the steps to that."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(autouse=True)
def _no_figure_left_open():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


_made_anew = typer.main.get_command_from_info


@cache
def _made_once(command_info, **options):
    return _made_anew(command_info, **options)


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process: exit code, standard output, standard error."""
    from cellapse import cli

    # A process of a user makes the one verb that is called; all of them, each time, take longer
    # than most tests.
    monkeypatch.setattr(typer.main, "get_command_from_info", _made_once)

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["cellapse", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        return stopped.value.code or 0, *capsys.readouterr()

    return command
