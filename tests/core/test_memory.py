"""What cannot fit is refused in words before it is begun, and limits of the process count."""

import io
import sys
import time
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse._complex.graph import as_graph
from cellapse._shared import memory
from cellapse._shared.memory import available_memory, draw_memory, memory_budget, require_memory
from cellapse.io import understand_stream
from cellapse.io._options import PLAIN
from cellapse.lifts import cliques, cycles

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

HUGE = 10**12
PAIRS = np.array(np.triu_indices(3000, 1)).T


def path(n=50):
    return cl.as_complex(nx.path_graph(n))


TOO_MUCH = {
    "vertices": lambda: cl.Complex.from_arrays(HUGE, {1: [[0, 1]]}),
    "more vertices than a machine word": lambda: cl.Complex.from_arrays(2**61, {}),
    "cliques of a complete graph": lambda: cl.clique_complex(PAIRS),
    "cliques of rank 9": lambda: cl.clique_complex(nx.complete_graph(100), 9),
    "cliques of a dense part": lambda: cl.clique_complex(nx.lollipop_graph(300, 5000), 6),
    "pairs of a hyperedge": lambda: cl.hypergraph_complex([range(200_000)]),
    "heat": lambda: cl.heat_kernel_signature(
        cl.graph_laplacian(path(3000)), np.linspace(0, 1, 1_000_000)
    ),
    "heat of a spectrum": lambda: cl.heat_kernel_signature(
        cl.graph_laplacian(path(1000)).spectrum(2), np.linspace(0, 1, 1_000_000)
    ),
    "waves": lambda: cl.tasks.wave_kernel_signature(
        cl.graph_laplacian(path(1000)), np.linspace(0, 1, 1_000_000)
    ),
    "diffusion": lambda: cl.tasks.diffuse(
        cl.graph_laplacian(path(1000)), np.ones(1000), np.linspace(0, 1, 2_000_000)
    ),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_what_cannot_fit_is_refused_before_it_is_begun(name, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 20_000_000_000)
    begun = time.process_time()
    with pytest.raises(cl.SizeError, match=r"fewer|lower|thin|leave out"):
        TOO_MUCH[name]()
    assert time.process_time() - begun < 10


def test_cycles_that_would_take_long_are_refused(monkeypatch):
    """A ladder whose two rings are sums of many squares; with the limit lower, not in seconds."""
    assert cl.lifts.cycle_complex(nx.circular_ladder_graph(50)).n_cells == (100, 150, 52)
    monkeypatch.setattr(cycles, "_MOST_STEPS", 1000)
    with pytest.raises(cl.SizeError, match=r"1,000 .*max_length"):
        cl.lifts.cycle_complex(nx.circular_ladder_graph(50))
    assert cl.lifts.cycle_complex(nx.circular_ladder_graph(50), max_length=8).n_cells[2] == 50


@pytest.mark.slow
def test_the_limit_of_cycles_is_met_within_seconds():
    begun = time.process_time()
    with pytest.raises(cl.SizeError, match=r"1,000,000 steps.*max_length"):
        cl.lifts.cycle_complex(nx.circular_ladder_graph(1000))
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("density", [0.02, 0.1, 0.2])
def test_sampled_numbers_of_cliques_are_close(seed, density):
    graph = as_graph(nx.gnp_random_graph(300, density, seed=seed))
    tables = cliques.cliques(graph, 5)
    place = np.argsort(np.argsort(np.bincount(graph.edges.ravel()), kind="stable"))
    forward = np.sort(place[graph.edges], axis=1)
    forward = forward[np.lexsort(forward.T[::-1])]
    expected = list(cliques._expected(forward, cliques._Later(forward, 300), 5))
    for table, count in zip(tables[1:], expected, strict=False):
        if len(table) > 1000:
            assert 0.5 < count / len(table) < 2


def test_long_rings_are_found_in_time():
    begun = time.process_time()
    rings = nx.disjoint_union(nx.cycle_graph(5000), nx.cycle_graph(40))
    assert cl.lifts.cycle_complex(rings).n_cells == (5040, 5040, 2)
    theta = nx.Graph()
    for p in range(3):
        nx.add_path(theta, ["s", *((p, i) for i in range(1500 + p)), "t"])
    K = cl.lifts.cycle_complex(theta)
    assert sorted(K.cells[2].sizes.tolist()) == [3003, 3004]  # the longest is their sum
    assert time.process_time() - begun < 10


def test_a_budget_is_drawn_on_and_ends_with_its_block():
    with memory_budget(10_000_000):
        draw_memory(6e6, "a table", "take less")
        require_memory(4e6, "a table", "take less")
        with pytest.raises(cl.SizeError, match=r"4\.0 MB.*10\.0 MB.*max_memory"):
            draw_memory(5e6, "a table", "take less")
    require_memory(11e6, "a table", "take less")


def test_max_memory_of_read(tmp_path):
    file = tmp_path / "x.hyperedges"
    file.write_text(" ".join(map(str, range(1000))))
    assert cl.read(file).n_cells == (1000, 499_500, 1)
    with pytest.raises(cl.SizeError, match="max_memory="):
        cl.read(file, max_memory=1_000_000)
    with pytest.raises(cl.InputError, match="max_memory=0"):
        cl.read(file, max_memory=0)


def in_little_memory(answer):
    """What little memory has to refuse in words."""
    # Views: an array of so many columns takes no memory before it is copied.
    grid, columns = cl.graph_laplacian(path(20_000)), np.broadcast_to(1.0, (20_000, 4000))
    complete = cl.clique_complex(nx.complete_graph(90), 3)
    tasks = (
        cl.smooth,
        partial(cl.smooth, method="heat"),
        partial(cl.smooth, strength="gcv"),
        partial(cl.tasks.diffuse, times=[1.0, 2.0]),
        partial(cl.tasks.spectral_filter, response=np.exp),
        cl.tasks.dirichlet_energy,
        cl.tasks.total_variation,
        type(grid).energy,
        type(grid).solve,
        lambda S, x: S @ x,
        lambda S, x: cl.collapse(path(20_000), "unfolded").complete(x),
        lambda S, x: cl.embed(S, x.shape[1]),
        lambda S, x: cl.cluster(S, x.shape[1]),
    )
    import resource

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 500_000_000,) * 2)
    assert available_memory() <= 500_000_000
    for number, work in enumerate(
        (
            lambda: cl.Complex.from_arrays(20_000_000, {}),
            lambda: cl.clique_complex(PAIRS[::4], 3),
            lambda: cl.hypergraph_complex([range(5000)]),
            lambda: cl.graph_laplacian(path(3000)).toarray(),
            lambda: cl.graph_laplacian(path(20_000)).spectrum(2000),
            lambda: cl.effective_resistance(path(3000)),
            lambda: cl.collapse(complete, "incidence"),
            lambda: cl.tasks.spread_labels(grid, np.arange(20_000) % 5000, method="harmonic"),
            lambda: cl.tasks.spread_labels(grid, np.arange(20_000) % 5000),
            *(partial(task, grid, columns) for task in tasks),
        )
    ):
        try:
            work()
        except cl.SizeError:
            continue
        answer.put(f"number {number} was not refused")
        return
    answer.put("all refused")


@linux
@pytest.mark.slow
def test_limits_of_the_process_count_as_memory():
    """In a process of its own: this one may keep freed memory, which no limit of it counts."""
    fresh = get_context("spawn")
    answer = fresh.SimpleQueue()
    child = fresh.Process(target=in_little_memory, args=(answer,))
    child.start()
    child.join()
    assert child.exitcode == 0
    assert answer.get() == "all refused"


@pytest.mark.parametrize("version", [0, 1])
def test_limits_of_a_container_count_as_memory(version, tmp_path, monkeypatch):
    limit, used, idle = memory._CGROUP_FILES[version]
    (tmp_path / limit).write_text("3000000\n")
    (tmp_path / used).write_text("2500000\n")
    (tmp_path / "memory.stat").write_text(f"anon 1000\n{idle} 400000\n")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    assert available_memory() == 900_000
    (tmp_path / used).write_text("9000000\n")
    assert available_memory() == 0
    (tmp_path / limit).write_text("max\n")
    assert available_memory() > 10**7


def test_windows_is_asked_for_its_free_memory(monkeypatch):
    """It has neither /proc nor sysconf; what it would answer is put into its structure here."""
    import ctypes

    def answer(status):
        assert ctypes.sizeof(status._obj) == status._obj.length == 64  # as its documentation says
        status._obj.free, status._obj.free_pages = 3_000_000_000, 2_000_000_000
        return 1

    def missing(path):
        raise FileNotFoundError(path)

    monkeypatch.setattr(memory, "_content", missing)
    monkeypatch.delattr(memory.os, "sysconf", raising=False)
    assert available_memory() > 10**15  # a system that says nothing refuses nothing
    kernel = SimpleNamespace(kernel32=SimpleNamespace(GlobalMemoryStatusEx=answer))
    monkeypatch.setattr(ctypes, "windll", kernel, raising=False)
    assert available_memory() == 2_000_000_000
    with pytest.raises(cl.SizeError, match=r"2\.0 GB are available"):
        require_memory(2e9, "a table", "take less")


def test_limits_of_the_groups_around_a_process_count_as_memory(tmp_path, monkeypatch):
    """Such as those that `systemd-run -p MemoryMax=1G` makes."""
    (tmp_path / "groups").write_text("12:cpu,memory:/job\n3:pids:/job\n0::/user/session\n")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    monkeypatch.setattr(memory, "_GROUPS", tmp_path / "groups")
    version = iter((0, 0, 1))
    for group, left in (("user/session", 900), ("user", 800), ("memory/job", 700)):
        limit, used, _ = memory._CGROUP_FILES[next(version)]
        (tmp_path / group).mkdir(parents=True, exist_ok=True)
        (tmp_path / group / limit).write_text("1000")
        (tmp_path / group / used).write_text(f"{1000 - left}")
        (tmp_path / group / "memory.stat").write_text("")
        assert available_memory() == left


# A function deep within, which every call here comes through, and the call.
DEEP = {
    "clique_complex": ("cellapse.lifts.cliques.cliques", lambda: cl.clique_complex("karate")),
    "cycle_complex": (
        "cellapse.lifts.cycles.minimum_cycles",
        lambda: cl.lifts.cycle_complex("karate"),
    ),
    "to_networkx": (
        "cellapse.interop.networkx.require_complex",
        lambda: cl.interop.to_networkx(path()),
    ),
    "to_xgi": ("cellapse.interop.xgi.require_complex", lambda: cl.interop.to_xgi(path())),
    "write": ("cellapse.io._encoded", lambda: cl.write(path(), "x.json")),
    "clustering_accuracy": (
        "cellapse.tasks.clustering.align_groups",
        lambda: cl.tasks.clustering_accuracy([0, 1], [0, 1]),
    ),
    "edge_trust": ("cellapse.tasks.trust.to_complex", lambda: cl.edge_trust(path())),
}


@pytest.mark.parametrize("name", DEEP)
def test_memory_that_runs_out_deep_within_is_said_in_words(name, monkeypatch):
    where, call = DEEP[name]

    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr(where, full)
    with pytest.raises(cl.SizeError, match="memory"):
        call()


@pytest.mark.parametrize(
    "work",
    [
        lambda S: S @ np.ones(34),
        lambda S: S.toarray(),
        lambda S: S.solve(np.ones(34), 1.0),
        lambda S: S.spectrum(3),
        lambda S: cl.effective_resistance(S),
    ],
)
def test_memory_that_runs_out_all_the_same_is_said_in_words(work, monkeypatch):
    S = cl.collapse(nx.karate_club_graph(), "unfolded")

    def full(*_):
        raise MemoryError("Unable to allocate 7 GiB")

    monkeypatch.setattr(type(S), "apply", full)
    monkeypatch.setattr(type(S), "_dense", full)
    with pytest.raises(cl.SizeError, match=r"memory.*7 GiB"):
        work(S)


class Endless(io.RawIOBase):
    """/dev/zero, or a program that never stops writing."""

    def __init__(self, line):
        self.line, self.given = line, 0

    def read(self, size=-1):
        assert size > 0
        self.given += size
        return (self.line * (size // len(self.line) + 1))[:size]


@pytest.mark.parametrize("line", [b"\0", b"a b\n", b"{"])
def test_endless_input_is_refused(line, monkeypatch):
    monkeypatch.setattr("cellapse.io._source.available_memory", lambda: 2_000_000_000)
    stream = Endless(line)
    with pytest.raises(cl.SizeError, match="standard input"):
        understand_stream(stream, "standard input", PLAIN)
    assert stream.given < 20_000_000


def test_a_stream_is_read_as_json_or_edges():
    assert understand_stream(io.BytesIO(b"a b\nb c\n"), "-", PLAIN).complex.n_cells == (3, 2)
    data = b' {"incidences": [{"edge": 0, "node": "a"}, {"edge": 0, "node": "b"}]}'
    assert understand_stream(io.BytesIO(data), "-", PLAIN).complex.n_cells == (2, 1, 0)
    with pytest.raises(cl.InputError, match=r"^standard input"):
        understand_stream(io.BytesIO(b"{"), "standard input", PLAIN)


def test_a_reading_asks_for_the_free_memory_again_when_it_may_run_short(monkeypatch):
    asked = []
    monkeypatch.setattr(memory, "available_memory", lambda: asked.append(1) or 10_000_000_000)
    with memory_budget(10**12):
        for _ in range(5):
            require_memory(1e8, "a table", "thin it out")
        assert len(asked) == 1  # a hundredth of what there is
        require_memory(2e9, "a table", "thin it out")
        assert len(asked) == 2  # a fifth of it
        monkeypatch.setattr(memory, "available_memory", lambda: 100_000_000)
        with pytest.raises(cl.SizeError, match=r"100\.0 MB"):
            require_memory(2e9, "a table", "thin it out")
