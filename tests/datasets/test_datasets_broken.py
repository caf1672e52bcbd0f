"""Files of datasets that are cut off, changed or of another kind are errors in words."""

import gzip
import json
import random

import numpy as np
import pytest

import cellapse as cl
from cellapse.datasets import load_cora, load_mantra

SPHERE = {
    "triangulation": [[1, 2, 3], [1, 2, 4], [1, 3, 4], [2, 3, 4]],
    "n_vertices": 4,
    "betti_numbers": [1, 0, 1],
    "orientable": True,
}
RECORDS = [
    None, 1, "x", [], {}, {"triangulation": None}, {"triangulation": []}, {"triangulation": 5},
    {"triangulation": [[1, 2]]}, {"triangulation": [[1, 2, "3"]]}, {"triangulation": [[1, 2, 3.5]]},
    {"triangulation": [[1, 2, 3], [1]]}, {"triangulation": [[10**30, 2, 3]]},
    {"triangulation": [[-1, 2, 3]]}, {"triangulation": [[0, 0, 0]]}, {"triangulation": [[1, 2, 3]]},
    {"triangulation": {"a": 1}}, {"triangulation": [[[1, 2, 3]]]}, {"triangulation": [[True] * 3]},
    {**SPHERE, "n_vertices": None}, {**SPHERE, "n_vertices": 10**9}, {**SPHERE, "n_vertices": "4"},
    {**SPHERE, "n_vertices": True}, {**SPHERE, "n_vertices": 3}, {**SPHERE, "n_vertices": -1},
    {**SPHERE, "betti_numbers": 3}, {**SPHERE, "orientable": "x"}, {**SPHERE, "betti_numbers": {}},
    {**SPHERE, "triangulation": SPHERE["triangulation"] * 2},
]  # fmt: skip


@pytest.mark.parametrize("record", RECORDS, ids=range(len(RECORDS)))
def test_mantra_records_that_are_none(record, tmp_path):
    for records in ([record], [SPHERE, record], record):
        path = tmp_path / "x.json"
        path.write_text(json.dumps(records))
        with pytest.raises(cl.CellapseError):
            load_mantra(path)


CONTENTS = {
    "empty": b"",
    "no JSON": b"{",
    "deep": b"[" * 100_000,
    "no text": b"\xff\xfe",
    "half a gzip": gzip.compress(b"[" * 1000)[:-5],
    "zeros": bytes(1000),
    "a long number": b"[" + b"9" * 10_000 + b"]",
}


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_mantra_files_that_are_broken(name, suffix, tmp_path):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(CONTENTS[name])
    with pytest.raises(cl.CellapseError):
        load_mantra(path)


@pytest.mark.parametrize("path", ["a\0b", "x" * 300, "", "no/such", None, 7])
def test_paths_that_are_none(path, tmp_path):
    for load in (load_mantra, load_cora):
        if load is load_cora and path is None:
            continue
        with pytest.raises(cl.CellapseError):
            load(path)


def test_a_gzip_bomb_of_surfaces(tmp_path):
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(b" " * 50_000_000))
    with pytest.raises(cl.CellapseError):
        load_mantra(path)


@pytest.fixture(scope="module")
def cora_folder(tmp_path_factory):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    folder = tmp_path_factory.mktemp("cora")
    tables = cora_tables(pa)
    for name, table in tables.items():
        parquet.write_table(table, folder / f"cora_{name}.parquet.gzip")
    return folder


def cora_tables(pa, **changes):
    nodes = {"nodeId": [7, 3, 5], "subject": [0, 1, 2], "features": [[0, 1], [1, 1], [0, 0]]}
    links = {"sourceNodeId": [7, 3], "targetNodeId": [3, 5]}
    for name, values in changes.items():
        table = nodes if name in nodes else links
        if values is None:
            del table[name]
        else:
            table[name] = values
    return {"nodes": pa.table(nodes), "rels": pa.table(links)}


def test_cora_is_read(cora_folder):
    assert load_cora(cora_folder).complex().n_cells[:2] == (3, 2)


CHANGES = [
    {"nodeId": None}, {"nodeId": ["a", "b", "c"]}, {"nodeId": [1, 1, 1]}, {"nodeId": [7, 3, None]},
    {"nodeId": [[1], [2], [3]]}, {"subject": [0, 1, 9]}, {"subject": ["a", "b", "c"]},
    {"subject": [None] * 3}, {"features": [[0], [1, 1], []]}, {"features": [["a"], ["b"], ["c"]]},
    {"features": [[300], [-1], [0]]}, {"features": [1, 2, 3]}, {"features": [None] * 3},
    {"sourceNodeId": [99, 3]}, {"sourceNodeId": [None, 3]}, {"sourceNodeId": ["a", "b"]},
    {"sourceNodeId": [7.5, 3.0]}, {"targetNodeId": None}, {"subject": [0.5, 1.0, 2.0]},
    {"nodeId": [], "subject": [], "features": []},
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
def test_cora_tables_that_are_none(change, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for name, table in cora_tables(pa, **change).items():
        parquet.write_table(table, tmp_path / f"cora_{name}.parquet.gzip")
    with pytest.raises(cl.CellapseError):
        load_cora(tmp_path)


def test_cora_files_with_changed_bytes(cora_folder, tmp_path):
    rng = random.Random(0)
    for name in ("nodes", "rels"):
        whole = (cora_folder / f"cora_{name}.parquet.gzip").read_bytes()
        for other in ("nodes", "rels"):
            file = f"cora_{other}.parquet.gzip"
            (tmp_path / file).write_bytes((cora_folder / file).read_bytes())
        for i in range(150):
            data = bytearray(whole[: rng.randrange(len(whole))] if i % 3 == 0 else whole)
            for _ in range(rng.randrange(4) if data else 0):
                data[rng.randrange(len(data))] = rng.randrange(256)
            (tmp_path / f"cora_{name}.parquet.gzip").write_bytes(bytes(data))
            try:
                found = load_cora(tmp_path)
            except cl.CellapseError:
                continue
            assert np.isfinite(found.citations).all()
