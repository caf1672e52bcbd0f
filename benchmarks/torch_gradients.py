"""Forward and backward through a collapse, against autograd on dense matrices.

The loss is the energy of smoothed features, the parameters are beta, gamma, eps and one weight for
each edge and triangle. Dense references: the paper's formula A - X (C + eps I)^-1 X^T as it stands,
and the best dense way, which eliminates edges by hand so that only n x n matrices are left. Each
run has a process of its own, so that its peak of memory is its own.

    python -m benchmarks.torch_gradients [--sizes 500 2000]
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial import Delaunay

import cellapse as cl
from benchmarks.timing import save

FEATURES, EPS = 16, 1e-2


def mesh(n: int) -> cl.Complex:
    """A triangulation of random points."""
    faces = np.sort(Delaunay(np.random.default_rng(0).random((n, 2))).simplices, axis=1)
    edges = np.unique(faces[:, [[0, 1], [1, 2], [0, 2]]].reshape(-1, 2), axis=0)
    return cl.Complex.from_arrays(n, {1: edges, 2: faces})


def ours(K: cl.Complex) -> Callable[[], Any]:
    import torch

    from cellapse.torch import Collapse

    layer = Collapse(K, realization="unfolded", eps=EPS, learn_weights=[1, 2])
    x = torch.from_numpy(np.random.default_rng(0).standard_normal((K.n_vertices, FEATURES)))

    def step() -> Any:
        layer.zero_grad()
        layer(x).square().mean().backward()
        return torch.cat([layer.log_weights[k].grad for k in ("1", "2")])

    return step


def dense(K: cl.Complex, reduced: bool) -> Callable[[], Any]:
    """The unfolded collapse with dense matrices and nothing but autograd."""
    import torch

    S = cl.collapse(K, "unfolded", eps=EPS)
    B1 = torch.from_numpy(cl.unfolded_matrices(K)[0].toarray())
    inside = torch.from_numpy(abs(cl.incidence_matrices(K)[1]).tocoo().coords[0].copy())
    cell = torch.from_numpy(cl.incidence_matrices(K)[1].tocoo().coords[1].copy())
    x = torch.from_numpy(np.random.default_rng(0).standard_normal((K.n_vertices, FEATURES)))
    sigma = torch.from_numpy(S.sigma)
    logs = [torch.zeros(K.n_cells[k], dtype=torch.float64, requires_grad=True) for k in (1, 2)]
    others = [torch.zeros(2, dtype=torch.float64, requires_grad=True) for _ in range(3)]

    def step() -> Any:
        for p in (*logs, *others):
            p.grad = None
        beta, share, eps = others[0].exp(), others[1].exp(), EPS * others[2][0].exp()
        least = torch.stack([(0.5 * log.min()).exp() for log in logs])
        gamma = share * beta * sigma * least
        B = B1 * (0.5 * logs[0]).exp()
        w = logs[1].exp()[cell]
        d = torch.zeros(B.shape[1], dtype=torch.float64).index_add(0, inside, w)
        A = beta[0] * B @ B.T
        if reduced:
            mass = eps + beta[1] * d - gamma[1] ** 2 * (d / eps) / (1 + beta[1] * d / eps)
            G = (B / mass) @ B.T
            inner = torch.linalg.solve(torch.eye(len(A)) + beta[0] * G, G)
            applied = A @ x - gamma[0] ** 2 * (inner @ x)
        else:  # rank 2: one copy of a cell for each of its edges
            flags = torch.zeros(B.shape[1], len(w), dtype=torch.float64)
            flags = flags.index_put((inside, torch.arange(len(w))), w.sqrt())
            C = torch.cat([
                torch.cat([beta[0] * B.T @ B + beta[1] * flags @ flags.T, -gamma[1] * flags], 1),
                torch.cat([-gamma[1] * flags.T, beta[1] * flags.T @ flags], 1),
            ])  # fmt: skip
            X = torch.cat([-gamma[0] * B, torch.zeros(len(A), len(w))], 1)
            applied = A @ x - X @ torch.linalg.solve(C + eps * torch.eye(len(C)), X.T @ x)
        applied.square().mean().backward()
        return torch.cat([log.grad for log in logs])

    return step


def measured(make: Callable[[], Callable[[], Any]], repeats: int) -> dict[str, Any]:
    """Best seconds of a step and megabytes beyond those needed to set it up, in a new process."""
    context = multiprocessing.get_context("fork")
    answer = context.Queue()

    def work() -> None:
        import torch

        torch.set_num_threads(1)
        step = make()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            gradient = step()
            times.append(time.perf_counter() - start)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        answer.put((min(times), max(peak, 1024) / 1024, gradient.numpy()))

    process = context.Process(target=work)
    process.start()
    while True:  # a process that dies answers nothing
        if not answer.empty():
            break
        if not process.is_alive() and answer.empty():
            raise SystemExit("a run ended without an answer; is there enough memory?")
        time.sleep(0.05)
    seconds, megabytes, gradient = answer.get()
    process.join()
    return {"seconds": seconds, "megabytes": megabytes, "gradient": gradient}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[500, 2000])
    parser.add_argument(
        "--largest-full", type=int, default=500, help="for the formula as it stands"
    )
    arguments = parser.parse_args()
    rows = []
    for n in arguments.sizes:
        K = mesh(n)
        mine = measured(lambda K=K: ours(K), 5)
        ways = [("dense, edges eliminated", True, 3)]
        if n <= arguments.largest_full:
            ways.append(("dense, the formula as it stands", False, 1))
        for name, reduced, repeats in ways:
            other = measured(lambda K=K, r=reduced: dense(K, r), repeats)
            error = np.abs(other["gradient"] - mine["gradient"]).max()
            rows.append(
                {
                    "n_cells": str(K.n_cells),
                    "against": name,
                    "ours [s]": mine["seconds"],
                    "times faster": other["seconds"] / mine["seconds"],
                    "ours [MB]": mine["megabytes"],
                    "times leaner": other["megabytes"] / mine["megabytes"],
                    "gradients differ by": float(error / np.abs(mine["gradient"]).max()),
                }
            )
    save("torch_gradients", rows)


if __name__ == "__main__":
    main()
