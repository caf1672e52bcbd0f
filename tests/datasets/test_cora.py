"""Cora: recounted where its package is installed, and read from small files of the same kind."""

from importlib import metadata

import numpy as np
import pytest

import cellapse as cl
from cellapse.datasets import load_cora

pyarrow = pytest.importorskip("pyarrow", reason="Cora comes as parquet files")

from pyarrow import parquet  # noqa: E402


def write(folder, ids=(7, 3, 5), subjects=(0, 6, 0), ends=((7, 3), (3, 7), (3, 5), (5, 7), (5, 5))):
    words = [[1, 0], [0, 1], [1, 1]]
    nodes = {"nodeId": list(ids), "subject": list(subjects), "features": words}
    links = {f"{end}NodeId": [e[i] for e in ends] for i, end in enumerate(("source", "target"))}
    for name, table in (("nodes", nodes), ("rels", links)):
        parquet.write_table(pyarrow.table(table), folder / f"cora_{name}.parquet.gzip")
    return folder


def test_papers_keep_their_order_and_citations_become_edges(tmp_path):
    data = load_cora(write(tmp_path))
    assert data.papers.tolist() == [7, 3, 5]
    assert data.citations.tolist() == [[0, 1], [1, 0], [1, 2], [2, 0], [2, 2]]
    assert data.groups.tolist() == [0, 6, 0]
    assert data.words.tolist() == [[1, 0], [0, 1], [1, 1]]
    K = data.complex()
    assert K.n_cells == (3, 3, 1)  # neither loops nor second directions count
    assert list(K.labels) == [7, 3, 5]
    for line in ("papers      3, of 0 to 2 a subject", "citations   5", "licence     Not bundled"):
        assert line in str(data)


def test_without_the_package_it_says_what_to_do(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    with pytest.raises(cl.MissingExtraError, match="graphdatascience"):
        load_cora()


def test_bad_files_are_named(tmp_path):
    with pytest.raises(cl.InputError, match="folder"):
        load_cora(tmp_path)
    with pytest.raises(cl.InputError, match="papers"):
        load_cora(write(tmp_path, ends=((7, 4),)))
    with pytest.raises(cl.InputError, match="subjects"):
        load_cora(write(tmp_path, subjects=(0, 1, 9)))
    (tmp_path / "cora_nodes.parquet.gzip").write_bytes(b"no parquet")
    with pytest.raises(cl.InputError):
        load_cora(tmp_path)


def test_counts_of_the_real_one():
    try:
        data = load_cora()
    except cl.MissingExtraError:
        pytest.skip("graphdatascience, which brings Cora, is not installed")
    assert len(data.papers) == 2708
    assert len(data.citations) == 5429
    assert np.bincount(data.groups).tolist() == [818, 180, 217, 426, 351, 418, 298]
    assert data.words.shape == (2708, 1433)
    assert data.complex().n_cells == (2708, 5278, 1630)
