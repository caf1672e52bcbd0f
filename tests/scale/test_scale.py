"""`cellapse.scale` on 1, 2 and 4 ranks, each a run of its own under mpirun: `make test-scale`."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
SECONDS = 240  # a run that takes longer hangs

pytestmark = pytest.mark.skipif(
    "CELLAPSE_SCALE" not in os.environ, reason="cellapse.scale is tested by `make test-scale`"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("scale")


def mpirun(ranks: int, *command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a module on some ranks, from the root of the repository."""
    return subprocess.run(
        ["mpirun", "-n", str(ranks), sys.executable, "-m", "mpi4py", "-m", *command],
        cwd=REPOSITORY,
        env={**os.environ, "CELLAPSE_REFERENCE": str(folder)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def test_everything_that_is_needed_is_installed():
    assert shutil.which("mpirun")
    for library in ("mpi4py", "petsc4py", "slepc4py", "dask", "distributed"):
        assert importlib.util.find_spec(library)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_many_ranks_agree_with_one_machine(ranks, folder):
    result = mpirun(ranks, "tests.scale.agree", folder=folder)
    print(result.stdout)
    assert result.returncode == 0, result.stdout + result.stderr
