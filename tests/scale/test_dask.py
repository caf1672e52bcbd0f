"""`batch.spectra` and the tables of the paper over a Dask cluster: `make test-scale`."""

import json
import os
import signal

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse import batch
from cellapse.experiments import reproduce

pytestmark = pytest.mark.skipif(
    "CELLAPSE_SCALE" not in os.environ, reason="cellapse.scale is tested by `make test-scale`"
)


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def complexes():
    graphs = [nx.gnp_random_graph(6 + i % 9, 0.6, seed=i) for i in range(60)]
    large = [nx.random_geometric_graph(330 + i, 0.1, seed=i) for i in range(4)]  # one part each
    return [cl.clique_complex(graph) for graph in graphs + large]


def identical(one: batch.Spectra, two: batch.Spectra) -> bool:
    pairs = zip(one.values, two.values, strict=True)
    return all(np.array_equal(a, b) for a, b in pairs) and np.array_equal(one.n_zeros, two.n_zeros)


def test_workers_give_the_same_numbers_as_threads(client, complexes):
    for options in ({"k": 4}, {"eps": [1e-4, 1e-2], "operator": "renormalized"}):
        expected = batch.spectra(complexes, progress=False, **options)
        assert identical(batch.spectra(complexes, client=client, **options), expected)
    few = complexes[:9]
    mine, theirs = (
        batch.spectra(few, operator="unfolded", vectors=True, client=c).vectors
        for c in (None, client)
    )
    assert all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


def test_what_a_killed_worker_had_is_run_again(client, complexes):
    expected = batch.spectra(complexes, operator="unfolded", progress=False)
    running = client.submit(_kill_once, "batch", pure=False)  # kills its own worker, once
    assert identical(batch.spectra(complexes, operator="unfolded", client=client), expected)
    assert running.result() == "again"


def _kill_once(name: str) -> str:
    from distributed import get_worker

    flag = os.path.join(get_worker().local_directory, "..", f"killed-{name}")
    if os.path.exists(flag):
        return "again"
    with open(flag, "w"):
        pass
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def test_tables_of_the_paper_are_the_same_on_workers(client, tmp_path):
    here, there = (tmp_path / name for name in ("here", "there"))
    reproduce(["compression"], folder=here, quick=True, n_jobs=1, progress=False)
    client.submit(_kill_once, "tables", pure=False)  # one worker is lost on the way
    reproduce(["compression"], folder=there, quick=True, client=client, progress=False)
    assert results(here) == results(there)
    with pytest.raises(cl.InputError):
        reproduce(["compression"], folder=there, quick=True, n_jobs=2, client=client)


def results(folder):
    """What was computed, without the time it took."""
    records = {f.name: json.loads(f.read_text()) for f in (folder / "results").rglob("*.json")}
    assert records
    return {name: (r["arguments"], r["result"], r["code"]) for name, r in records.items()}


def test_an_error_on_a_worker_names_the_complex(client, complexes):
    with pytest.raises(cl.InputError, match="PSD"):
        batch.spectra(complexes[:3], operator="unfolded", gamma=99.0, client=client)
    with pytest.raises(cl.InputError):
        batch.spectra(complexes[:3], operator="unfolded", n_jobs=2, client=client)
    with pytest.raises(cl.InputError, match="dask"):
        batch.spectra(complexes[:3], operator="unfolded", client="tcp://somewhere")
