"""No reader crashes, hangs or raises anything but a CellapseError, whatever the bytes.

Every format: 10,000 spoiled files as bytes (750 without the slow tests). Every example, as a file:
50 spoiled ones, 50 of junk and about 100 cut off. In all more than 350,000 inputs.
"""

import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from io_seeds import SEEDS, SIMPLICES, spoiled
from strategies import seeds

import cellapse as cl
from cellapse.io import FORMATS

HANG = 60  # seconds of this process alone, for files of some thousand bytes
_KEPT = tempfile.TemporaryDirectory(prefix="cellapse-fuzz-")  # until the tests are done
FOLDER = Path(_KEPT.name)
EXTRAS = {"pdb": "gemmi", "cif": "gemmi", "mmcif": "gemmi", "smi": "rdkit", "sdf": "rdkit"}
EXTRAS |= {"mol2": "rdkit", "xyz": "rdkit"}
OF_NAME = {"konect": [SEEDS["out.konect"]], "simplices": [SIMPLICES]}  # known by their names
OF_FORMAT = {
    name: OF_NAME.get(name)
    or [data for file, data in SEEDS.items() if file.rpartition(".")[2] in format_.extensions]
    for name, format_ in FORMATS.items()
}


def attempt(name, data):
    """Read the bytes as a file; what is read is a complex, and an error names the file."""
    path = FOLDER / name
    path.unlink(missing_ok=True)  # a new file: whoever writes over one waits for the disk
    path.write_bytes(data)
    start = time.process_time()
    try:
        K = cl.read(path)
    except cl.CellapseError as error:
        assert str(path) in str(error)  # noqa: PT017
        return
    finally:
        assert time.process_time() - start < HANG
    assert K.n_vertices == len(K.labels)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=40)
@given(seed=seeds)
def test_ten_thousand_spoiled_files_of_every_format(name, seed):
    read_spoiled(name, seed)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=1)
@given(seed=seeds)
def test_spoiled_files_of_every_format(name, seed):
    read_spoiled(name, seed)


def read_spoiled(name, seed):
    for extension in FORMATS[name].extensions:
        pytest.importorskip(EXTRAS.get(extension, "numpy"))
    rng = np.random.default_rng(seed)
    examples = OF_FORMAT[name]
    for i in range(250):
        data = spoiled(examples[i % len(examples)], rng)
        start = time.process_time()
        try:
            with warnings.catch_warnings(action="ignore", category=cl.CellapseWarning):
                FORMATS[name].read(data)
        except (cl.CellapseError, RecursionError):  # `read` makes an InputError of the latter
            pass
        assert time.process_time() - start < HANG


def test_every_format_has_an_example():
    assert all(OF_FORMAT.values())


@pytest.mark.parametrize("name", SEEDS)
@settings(max_examples=1)
@given(seed=seeds)
def test_spoiled_files(name, seed):
    pytest.importorskip(EXTRAS.get(name.rpartition(".")[2], "numpy"))
    rng = np.random.default_rng(seed)
    for _ in range(25):
        attempt(name, spoiled(SEEDS[name], rng))


@pytest.mark.parametrize("name", SEEDS)
@settings(max_examples=20)
@given(data=st.binary(max_size=300))
def test_junk(name, data):
    pytest.importorskip(EXTRAS.get(name.rpartition(".")[2], "numpy"))
    attempt(name, data)


@pytest.mark.parametrize("name", SEEDS)
def test_every_truncation(name):
    """A file cut off anywhere; up to 50 places."""
    pytest.importorskip(EXTRAS.get(name.rpartition(".")[2], "numpy"))
    data = SEEDS[name]
    for end in range(0, len(data), max(len(data) // 50, 1)):
        attempt(name, data[:end])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("metis", b"4 2 001\n2 1\n1 1\n4 1\ninf 1\n"),
        ("metis", b"2 1\n1e999\n1\n"),
        ("off", b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n1e999 0 1 2\n"),
        ("off", b"OFF\n1e999 1 0\n0 0 0\n"),
        ("obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 1e999\n"),
        ("obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 1e30\n"),
        ("off", b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 1e30\n"),
        ("matrix market", b"%%MatrixMarket matrix coordinate real general\n1e999 3 1\n1 2 1\n"),
        ("matrix market", b"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1e999 1\n"),
    ],
)
def test_a_number_too_large_is_no_vertex(name, data):
    with pytest.raises(cl.InputError):
        FORMATS[name].read(data)
