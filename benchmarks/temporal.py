"""Over time: windows made from the last one next to fresh ones, change points, memory.

Windows share 95 % of their cells: edges at random leave, and others of the same kind enter.

python -m benchmarks.temporal
"""

from __future__ import annotations

import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg, eigsh, splu

import cellapse as cl
from benchmarks.timing import save, seconds
from cellapse.temporal.changes import _peaks, _splits, _test
from cellapse.temporal.shares import Shares, operator_of

WINDOWS = 6


def geometric(n: int, rng: np.random.Generator) -> Any:
    """Six nearest neighbours of points in the plane: a graph that can be cut."""
    return cl.lifts.nearest_neighbour_complex(rng.random((n, 2)), 6).cells[1].as_array()


def meetings(n: int, rng: np.random.Generator) -> Any:
    """Meetings of five at random, four for each person: a graph that expands."""
    met = np.sort(rng.integers(0, n, (4 * n // 5, 5)), axis=1)
    i, j = np.triu_indices(5, 1)
    pairs = np.column_stack([met[:, i].ravel(), met[:, j].ravel()])
    return np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)


def changing(edges: Any, n: int, moved: float, rng: np.random.Generator) -> cl.TemporalComplex:
    """In each window some edges are away, and in the next others are."""
    count = len(edges)
    away = rng.permutation(count)[: int(moved * count) * WINDOWS].reshape(WINDOWS, -1)
    cells, start, end = [np.delete(edges, away.ravel(), axis=0)], [0], [WINDOWS]
    lengths = [len(cells[0])]
    for window, gone in enumerate(away):
        for first, last in ((0, window), (window + 1, WINDOWS)):
            if first < last:
                cells.append(edges[gone])
                start.append(first)
                end.append(last)
                lengths.append(len(gone))
    times = (np.repeat(np.array(t, dtype=float), lengths) for t in (start, end))
    return cl.TemporalComplex.from_arrays(n, np.concatenate(cells), *times)


def followed(T: cl.TemporalComplex, name: str) -> Iterator[tuple[float, Any, Any]]:
    """Seconds, window and operator, made from the last one."""
    shares = None
    windows = T.windows(1)
    while True:
        start = time.process_time()
        window = next(windows, None)
        if window is None:
            return
        if shares is None:
            shares = Shares(cl.make_operator(window.complex, name), len(T.pairs.ends))
        S = operator_of(window, shares.update(window), shares.beta, name)[0]
        yield time.process_time() - start, window, S


def side_by_side(kind: Callable[..., Any], n: int, name: str) -> dict[str, Any]:
    """Seconds of lift and collapse, of windows after the first."""
    rng = np.random.default_rng(0)
    T = changing(kind(n, rng), n, 0.024, rng)
    fresh, made, apart, shared, last = [], [], 0.0, [], None
    for taken, window, S in followed(T, name):
        start = time.process_time()
        K = T.between(window.start, window.end)
        alone = cl.make_operator(K, name)
        kernel = alone.kernel  # of which followed operators know, too
        fresh.append(time.process_time() - start)
        made.append(taken)
        assert kernel.shape == S.kernel.shape
        apart = max(apart, float(abs(alone.matrix - S.matrix).max()))
        now = sum(K.n_cells[1:])
        if last is not None:
            shared.append(1.0 - sum(window.entered) / now)
        last = now
    ratio = [a / b for a, b in zip(made[1:], fresh[1:], strict=True)]
    return {
        "network": kind.__name__,
        "vertices": n,
        "operator": name,
        "cells shared": float(np.mean(shared)),
        "fresh": float(np.median(fresh[1:])),
        "followed": float(np.median(made[1:])),
        "followed / fresh": float(np.median(ratio)),
        "difference": apart,
    }


# Change points


def deltacon(window: Any) -> Any:
    """The root of the belief propagation matrix of DeltaCon: [I + e^2 D - e A]^-1."""
    K = window.complex
    edges = K.cells[1].as_array(2)
    A = np.zeros((K.n_vertices, K.n_vertices))
    A[edges[:, 0], edges[:, 1]] = A[edges[:, 1], edges[:, 0]] = 1.0
    degree = A.sum(axis=1)
    e = 1.0 / (1.0 + degree.max())
    return np.sqrt(np.linalg.inv(np.eye(len(A)) + e**2 * np.diag(degree) - e * A))


def squared(features: list[Any]) -> Any:
    """The squared Euclidean distances of some arrays."""
    flat = np.array([np.ravel(f) for f in features], dtype=float)
    squares = (flat**2).sum(axis=1)
    return np.maximum(squares[:, None] + squares[None, :] - 2.0 * flat @ flat.T, 0.0)


def places(squares: Any, around: int = 5) -> list[int]:
    """Where the permutation test of `find_changes` finds changes, by any distances."""
    splits = _splits(around, np.random.default_rng(0))
    tests = [
        _test(squares[i - around : i + around, i - around : i + around], splits)
        for i in range(around, len(squares) - around + 1)
    ]
    t, p = (np.array(column) for column in zip(*tests, strict=True))
    return (around + _peaks(t, p, 0.05, around)).tolist()


def found_by(T: cl.TemporalComplex) -> dict[str, list[int]]:
    """Changes by each of several distances, in the same test."""
    moments = list(cl.collapse_over_time(T, 1, n_clusters=3))
    plain = list(cl.collapse_over_time(T, 1, operator="laplacian", n_clusters=3))
    found = {
        "collapse, eigenvectors": cl.temporal.find_changes(moments),
        "collapse, eigenvalues": cl.temporal.find_changes(moments, distance="values"),
        "graph Laplacian, eigenvectors": cl.temporal.find_changes(plain),
        "graph Laplacian, eigenvalues": cl.temporal.find_changes(plain, distance="values"),
        "edges in common": cl.temporal.find_changes(plain, distance="edges"),
    }
    result = {k: [int(t) for t in c.times[c.places]] for k, c in found.items()}
    result["DeltaCon"] = places(squared([deltacon(m.window) for m in plain]))
    result["number of edges"] = places(squared([[len(m.window.edges)] for m in plain]))
    return result


def changes(networks: int = 20) -> list[dict[str, Any]]:
    """How many of three planted changes are found, of networks where only triangles move."""
    truth = (10, 20, 30)
    total: dict[str, Any] = {}
    for seed in range(networks):
        T = cl.temporal.moving_triangles(n_windows=40, moves=truth, rng=seed)
        for name, times in found_by(T).items():
            right = sum(any(abs(t - c) <= 1 for t in times) for c in truth)
            false = sum(all(abs(t - c) > 1 for c in truth) for t in times)
            total.setdefault(name, []).append((right, false))
    return [
        {
            "distance of windows": name,
            "found": f"{sum(r for r, _ in rows)} of {3 * networks}",
            "false": sum(f for _, f in rows),
        }
        for name, rows in total.items()
    ]


# Single edges, memory, and starting from the last window's eigenvectors


def one_edge(kind: Callable[..., Any], n: int) -> dict[str, Any]:
    """Milliseconds until the screened operator knows of an edge."""
    rng = np.random.default_rng(0)
    edges = kind(n, rng)
    live = cl.temporal.LiveOperator(cl.Complex.from_arrays(n, {1: edges}))
    times = []
    for u, v in edges[rng.permutation(len(edges))[:2000]].tolist():
        for change in (live.remove, live.add):
            start = time.perf_counter()
            change(u, v)
            times.append(1e3 * (time.perf_counter() - start))
    median, most = np.percentile(times, [50, 99])
    return {
        "work": f"one edge, {kind.__name__}, {n:,} vertices",
        "figure": float(median),
        "unit": f"ms (99 %: {most:.2g})",
    }


def memory() -> Iterator[dict[str, Any]]:
    """Megabytes that following one record takes at most, in few windows and in many."""
    T = cl.temporal.moving_triangles(n_windows=50, moves=(), rng=0)
    _ = T.pairs.by_second
    for step in (1.0, 0.125):
        tracemalloc.start()
        count = sum(1 for _ in cl.collapse_over_time(T, 1, step, n_clusters=3))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        yield {"work": f"following {count} windows", "figure": most / 1e6, "unit": "MB"}


def products(rtol: float, warm: bool) -> dict[str, Any]:
    """How many products SciPy's Lanczos takes for ten eigenvectors, from a random start or not."""
    rng = np.random.default_rng(0)
    n = 20_000
    met = np.sort(12 * rng.integers(0, n // 12, (2 * n, 5)) + rng.integers(0, 12, (2 * n, 1)))
    i, j = np.triu_indices(5, 1)
    inside = np.column_stack([met[:, i].ravel(), met[:, j].ravel()])
    pairs = np.concatenate([inside, np.sort(rng.integers(0, n, (2 * n, 2)))])
    pairs = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    operators = [S for _, _, S in followed(changing(pairs, n, 0.024, rng), "renormalized")]
    start, count = None, 0
    for S in operators[:2]:
        M = scaled(S).tocsr()
        counter = [0]

        def product(x: Any, M: Any = M, counter: list[int] = counter) -> Any:
            counter[0] += 1
            return M @ x

        A = LinearOperator(M.shape, matvec=product, dtype=np.float64)
        vectors = eigsh(A, 12, which="SA", v0=start, tol=rtol)[1]
        start, count = (vectors.sum(axis=1) if warm else None), counter[0]
    return {
        "work": f"eigenvectors to {rtol:g}, from {'the last ones' if warm else 'nothing'}",
        "figure": float(count),
        "unit": "products",
    }


def last_factor() -> Iterator[dict[str, Any]]:
    """The factor of the last window as a preconditioner, where the graph can be cut."""
    rng = np.random.default_rng(0)
    n = 20_000
    T = changing(geometric(n, rng), n, 0.024, rng)
    first, second = (scaled(S) for _, _, S in islice(followed(T, "renormalized"), 2))
    last, b = direct(first), rng.standard_normal(n)
    factorize = seconds(lambda: direct(second))
    solve = seconds(lambda: last.solve(b))
    steps = []
    with_last = LinearOperator(second.shape, matvec=last.solve, dtype=np.float64)
    cg(second, b, rtol=1e-10, M=with_last, callback=steps.append)
    yield {"work": "a new factor", "figure": factorize / solve, "unit": "solves"}
    yield {"work": "one solve with the last factor", "figure": float(len(steps)), "unit": "solves"}


def scaled(S: Any) -> Any:
    """The operator with masses, and a shift of 1e-5."""
    root = 1.0 / np.sqrt(np.maximum(S.diagonal(), 1e-3))
    M = S.matrix.multiply(root[:, None]).multiply(root[None, :])
    return (M + 1e-5 * sparse.eye_array(len(root))).tocsc()


def direct(matrix: Any) -> Any:
    options = {"SymmetricMode": True}
    return splu(matrix, permc_spec="MMD_AT_PLUS_A", options=options, diag_pivot_thresh=0.0)


def main() -> None:
    warnings.simplefilter("ignore", cl.CellapseWarning)
    rows = [
        side_by_side(kind, n, name)
        for kind in (geometric, meetings)
        for n in (20_000, 100_000)
        for name in ("screened", "renormalized")
    ]
    save("temporal", rows)
    save("temporal_changes", changes())
    single = [one_edge(kind, 100_000) for kind in (geometric, meetings)]
    starts = [products(rtol, warm) for rtol in (1e-10, 1e-6) for warm in (False, True)]
    save("temporal_more", [*single, *memory(), *starts, *last_factor()])


if __name__ == "__main__":
    main()
