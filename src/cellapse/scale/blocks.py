"""Blocks of vectors of which every rank holds its rows: X^T Y is one sum over all ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.exchange import Ranges
from cellapse.scale.libraries import MPI

Block = Callable[[FloatArray], FloatArray]
Columns = Callable[[FloatArray, IntArray], FloatArray]  # a block, and which columns it has


def dots(comm: Any, X: FloatArray, Y: FloatArray) -> FloatArray:
    """x_j^T y_j of the columns."""
    return several_dots(comm, (X, Y))[0]


def several_dots(comm: Any, *pairs: tuple[FloatArray, FloatArray]) -> FloatArray:
    """Return the same for several pairs of blocks, by one sum over ranks."""
    total = np.stack([np.einsum("ij,ij->j", X, Y) for X, Y in pairs])
    comm.Allreduce(MPI.IN_PLACE, total)
    return total


def norms(comm: Any, X: FloatArray) -> FloatArray:
    """|x_j| of the columns."""
    return np.sqrt(dots(comm, X, X))


def gram(comm: Any, X: FloatArray, Y: FloatArray) -> FloatArray:
    """X^T Y."""
    total = np.ascontiguousarray(X.T @ Y)
    comm.Allreduce(MPI.IN_PLACE, total)
    return total


def small_eigenpairs(comm: Any, H: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenpairs of a small symmetric matrix: of one rank, as others may round differently."""
    pairs: tuple[FloatArray, FloatArray] | None = None
    if comm.rank == 0:
        pairs = linalg.eigh((H + H.T) / 2)
    values, vectors = comm.bcast(pairs)
    return values, vectors


def orthonormal(comm: Any, X: FloatArray) -> FloatArray:
    """An orthonormal basis of the columns, by the eigenvectors of their Gram matrix, twice."""
    for _ in range(2):
        length = norms(comm, X)
        X = X[:, length > 1e-300] / length[length > 1e-300]
        if not X.shape[1]:
            break
        w, Q = small_eigenpairs(comm, gram(comm, X, X))
        good = w > 1e-12 * w[-1]
        X = X @ (Q[:, good] / np.sqrt(w[good]))
    return np.asfortranarray(X)


def random_block(vertices: Ranges, width: int, seed: int) -> FloatArray:
    """Numbers from -1 to 1 that depend on vertex, column and seed, and not on who owns them."""
    row = np.arange(vertices.low, vertices.high, dtype=np.uint64)[:, None]
    x: Any = row * np.uint64(width) + np.arange(width, dtype=np.uint64) + np.uint64(seed << 40)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        x = (x + np.uint64(0x9E3779B97F4A7C15)) ^ (x >> np.uint64(shift))
        x = x * np.uint64(factor)
    return np.asfortranarray((x >> np.uint64(11)).astype(np.float64) / 2.0**52 - 1.0)


def fix_signs(vertices: Ranges, X: FloatArray) -> FloatArray:
    """Make the entry of largest size of every column positive; among ties the first decides."""
    comm = vertices.comm
    size = np.abs(X)
    top = size.max(axis=0, initial=0.0)
    comm.Allreduce(MPI.IN_PLACE, top, MPI.MAX)
    first = np.full(X.shape[1], vertices.total)
    sign = np.zeros(X.shape[1])
    if len(X):
        large = size >= top * (1 - 1e-6)
        here = np.argmax(large, axis=0)
        value = X[here, np.arange(X.shape[1])]
        there = large.any(axis=0)
        first[there] = here[there] + vertices.low
        sign[there] = np.sign(value[there])
    least = first.copy()
    comm.Allreduce(MPI.IN_PLACE, least, MPI.MIN)
    sign[first != least] = 0.0
    comm.Allreduce(MPI.IN_PLACE, sign)
    return X * np.where(sign < 0, -1.0, 1.0)


def conjugate_gradients(
    comm: Any,
    apply: Columns,
    B: FloatArray,
    precondition: Block,
    goal: FloatArray,
    max_steps: int = 3000,
) -> tuple[FloatArray, int]:
    """M X = B for all columns at once, each until its residual is at most its goal.

    Returns the solution and the steps; as many as were allowed mean that it fell short.
    """
    X, R = np.zeros_like(B, order="F"), np.array(B, order="F")
    size, left = norms(comm, R), np.arange(B.shape[1])
    P, rz = R[:, :0], np.empty(0)
    for step in range(max_steps):
        keep = size > goal[left]
        if not keep.all():  # a column that is there costs no more
            R, left = np.asfortranarray(R[:, keep]), left[keep]
            P, rz = (P[:, keep], rz[keep]) if step else (P, rz)
        if not len(left):
            return X, step
        Z = precondition(R)
        last, rz = rz, dots(comm, R, Z)
        P = np.asfortranarray(Z + (rz / last) * P) if step else Z
        Q = apply(P, left)
        pq, rr, rq, qq = several_dots(comm, (P, Q), (R, R), (R, Q), (Q, Q))
        fine = (pq > 0) & (rz > 0)  # rounding is all that is left of the others
        a = np.where(fine, rz / np.where(fine, pq, 1.0), 0.0)
        X[:, left] += a * P
        R -= a * Q
        # |R - a Q| without another sum over ranks; one step does not make it so small that
        # rounding would count.
        squared = np.maximum(rr - 2.0 * a * rq + a**2 * qq, 0.0)
        size = np.where(fine, np.sqrt(squared), 0.0)
    return X, max_steps
