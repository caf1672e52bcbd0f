"""No reader crashes, hangs or raises anything but a CellapseError, whatever the bytes.

21 files x (20 x 25 spoiled + 50 of junk + about 100 cut off): more than 13,000 inputs.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from io_seeds import SEEDS, spoiled
from strategies import seeds

import cellapse as cl

FOLDER = Path(tempfile.mkdtemp(prefix="cellapse-fuzz-"))
EXTRAS = {"pdb": "gemmi", "cif": "gemmi", "smi": "rdkit", "sdf": "rdkit"}


def attempt(name, data):
    """Read the bytes; what is read is a complex that can be written again or says why not."""
    path = FOLDER / name
    path.write_bytes(data)
    start = time.process_time()
    try:
        K = cl.read(path)
    except cl.CellapseError as error:
        assert str(path) in str(error)  # noqa: PT017
        return
    finally:
        assert time.process_time() - start < 5
    assert K.n_vertices == len(K.labels)


@pytest.mark.parametrize("name", SEEDS)
@settings(max_examples=20)
@given(seed=seeds)
def test_spoiled_files(name, seed):
    pytest.importorskip(EXTRAS.get(name.rpartition(".")[2], "numpy"))
    rng = np.random.default_rng(seed)
    for _ in range(25):
        attempt(name, spoiled(SEEDS[name], rng))


@pytest.mark.parametrize("name", SEEDS)
@settings(max_examples=50)
@given(data=st.binary(max_size=300))
def test_junk(name, data):
    pytest.importorskip(EXTRAS.get(name.rpartition(".")[2], "numpy"))
    attempt(name, data)


@pytest.mark.parametrize("name", SEEDS)
def test_every_truncation(name):
    """A file cut off anywhere; up to 100 places."""
    pytest.importorskip(EXTRAS.get(name.rpartition(".")[2], "numpy"))
    data = SEEDS[name]
    for end in range(0, len(data), max(len(data) // 100, 1)):
        attempt(name, data[:end])
