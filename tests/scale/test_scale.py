"""`cellapse.scale` on 1, 2 and 4 ranks, each a run of its own under mpirun: `make test-scale`."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import cellapse as cl
from tests.scale.families import delaunay

REPOSITORY = Path(__file__).parents[2]
SECONDS = 600  # four ranks on two cores that are busy otherwise take minutes; a hang takes for ever

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


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_is_wrong_on_one_rank_is_said_on_all(ranks, folder):
    result = mpirun(ranks, "tests.scale.refuse", str(folder), folder=folder)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_killed_rank_ends_the_job(folder):
    result = mpirun(2, "tests.scale.killed", folder=folder)
    assert result.returncode != 0
    assert "signal 9" in result.stdout + result.stderr


@pytest.fixture(scope="module")
def mesh(folder):
    edges = delaunay(500)
    np.save(folder / "edges.npy", edges)
    return edges


def scale(ranks: int, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command, in a folder."""
    return subprocess.run(
        ["mpirun", "-n", str(ranks), sys.executable, "-m", "cellapse.scale.main", *words],
        cwd=folder,
        # As Python has it: MPI, once it began in this process, has put into the environment of C
        # that it runs alone, and mpirun would end without a word.
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def test_a_checkpoint_serves_any_number_of_ranks(mesh, folder):
    words = ("spectrum", "edges.npy", "-k", "4", "--checkpoint", "c.npy", "--json")
    first = scale(2, *words, folder=folder)
    assert first.returncode == 0, first.stderr
    assert np.load(folder / "c.npy").shape[0] == 500
    assert not list(folder.glob("*.part"))
    again = scale(1, *words, folder=folder)
    one, two = json.loads(first.stdout), json.loads(again.stdout)
    assert two["steps"] < one["steps"]
    expected = cl.collapse(cl.clique_complex(mesh)).spectrum(4).values
    for facts in (one, two):
        assert np.allclose(facts["values"], expected, rtol=1e-10, atol=1e-12)


def test_what_was_killed_goes_on_from_its_checkpoint(mesh, folder):
    path = folder / "killed.npy"
    killed = mpirun(2, "tests.scale.stopped", str(folder / "edges.npy"), str(path), folder=folder)
    assert killed.returncode != 0
    words = ("spectrum", "edges.npy", "-k", "8", "--operator", "renormalized", "--json")
    first = json.loads(scale(1, *words, folder=folder).stdout)
    after = json.loads(scale(1, *words, "--checkpoint", str(path), folder=folder).stdout)
    assert after["steps"] < first["steps"]
    assert np.allclose(after["values"], first["values"], rtol=1e-10, atol=1e-12)


def test_parts_hold_one_row_per_node_in_the_words_of_the_user(mesh, folder):
    result = scale(2, "cluster", "edges.npy", "-k", "3", "-o", "parts", folder=folder)
    assert result.returncode == 0, result.stderr
    files = sorted((folder / "parts").glob("part-*.csv"))
    assert len(files) == 2
    rows = np.concatenate([np.loadtxt(file, delimiter=",", skiprows=1) for file in files])
    rows = rows[np.argsort(rows[:, 0])]  # a part has the vertices of its rank
    assert rows[:, 0].tolist() == list(range(500))
    expected = cl.cluster(cl.collapse(cl.clique_complex(mesh), "renormalized"), 3)
    assert cl.clustering_accuracy(rows[:, 1].astype(int), expected) > 0.99


def test_vertices_are_shared_out_anew_where_their_numbers_jump_around(folder):
    """The mesh of Delaunay has its points in no order; files and checkpoints keep the numbers."""
    edges = delaunay(500)
    np.save(folder / "jumps.npy", edges)
    result = scale(2, "trust", "jumps.npy", "-o", "trust", "--json", folder=folder)
    assert result.returncode == 0, result.stderr
    parts = sorted((folder / "trust").glob("part-*.csv"))
    rows = np.concatenate([np.loadtxt(file, delimiter=",", skiprows=1) for file in parts])
    expected = cl.edge_trust(cl.clique_complex(edges)).as_dict()
    mine = {(int(u), int(v)): trust for u, v, trust, *_ in rows}
    assert mine.keys() == expected.keys()
    assert max(abs(mine[edge] - expected[edge]) for edge in mine) < 1e-12
    words = ("spectrum", "jumps.npy", "-k", "4", "--checkpoint", "jumps-c.npy")
    first, again = scale(2, *words, folder=folder), scale(1, *words, "--json", folder=folder)
    assert "by PT-Scotch" in first.stderr
    facts = json.loads(again.stdout)
    assert facts["steps"] == 0  # the rows are where they belong, or it would begin anew
    values = cl.collapse(cl.clique_complex(edges)).spectrum(4).values
    assert np.allclose(facts["values"], values, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("info", "cut.npy"), "not a complete .npy file"),
        (("info", "cut.parquet"), "not a complete Parquet file"),
        (("info", "edges.npy", "--n-vertices", "9"), "vertex 499 is unknown"),
        (("smooth", "edges.npy", "--signal", "none.npy", "--strength", "1"), "none.npy"),
    ],
)
def test_wrong_input_is_one_sentence_and_ends(words, said, mesh, folder):
    whole = (folder / "edges.npy").read_bytes()
    (folder / "cut.npy").write_bytes(whole[: len(whole) // 2])
    (folder / "cut.parquet").write_bytes(b"PAR1" + whole[:100])
    result = scale(2, *words, folder=folder)
    assert result.returncode == 2, result.stdout + result.stderr
    assert said in result.stderr
    assert result.stderr.count("error:") == 1
