r"""Lanczos on the operator itself: nothing is factorized.

It runs on norm - S, whose largest eigenvalues are the smallest of S: tolerances are relative to
||S|| then, and the kernel, at 0, is out of the way. Where S is a sparse matrix, whose products cost
less than a step of Lanczos, on a polynomial of it (`lifted`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from scipy import linalg

from cellapse._linalg.eigen.krylov import largest_pairs, recurrence
from cellapse._linalg.eigen.lifted import lifted_pairs
from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.eigen.spectrum import EigenSolver, no_pairs, only_below
from cellapse._linalg.symmetric import Pairs
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import whole_number

_ARRIVED = 0.05  # of the distance from the value: a residual so small is that of an eigenvector
_LOOK = 1000  # steps of a look at what is left
_PRODUCTS = 10_000  # that an iteration takes at most: with a collapse about a minute
_WORK = 4e10  # multiplications that a sparse matrix may take: about a minute, too


@dataclass(frozen=True)
class Lanczos(EigenSolver):
    """Lanczos on S itself: nothing is factorized; for graphs that expand (random, small-world).

    Parameters
    ----------
    n_basis : int, optional
        Size of the Krylov basis of S between restarts. By default that of a polynomial of S where
        S is a sparse matrix, which takes less time.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K)
    >>> S.spectrum(3, solver=cl.Lanczos()).values.round(3).tolist()
    [0.0, 0.145, 0.158]
    """

    n_basis: int | None = None

    def __post_init__(self) -> None:
        if self.n_basis is not None:
            whole_number("n_basis", self.n_basis, 2)

    def find(self, problem: Problem) -> Pairs:
        tol = 0.3 * problem.tol
        if self.n_basis is None:
            pairs = lifted_pairs(problem, tol, most_products(problem, 2 * problem.k))
            if pairs is not None:
                return pairs
        return self._smallest(problem, tol, problem.start())

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        if nothing_below(problem, below):
            return no_pairs(problem.n)
        problem, start, tol = replace(problem, k=block), problem.start(), 1e-3
        while True:
            values, vectors = self._smallest(problem, tol, start)
            if values[0] - 2.0 * tol * problem.norm > below:
                return no_pairs(problem.n)
            if tol <= problem.tol:
                return _accurate(problem, only_below((values, vectors), below))
            # As much chance as before: what is still hidden must not stay so because it is small.
            again = problem.start()
            start = problem.project(vectors.sum(axis=1)) + again / np.linalg.norm(again)
            tol = max(1e-3 * tol, 0.3 * problem.tol)  # how soon to look again

    def _smallest(self, problem: Problem, tol: float, start: FloatArray) -> Pairs:
        top = problem.norm

        def reflected(x: FloatArray) -> FloatArray:
            return top * x - problem.apply(x)

        size = np.linalg.norm(problem.project(reflected(start)))
        if size <= 1e-14 * top * np.linalg.norm(start) and problem.k <= problem.room:
            # Zero on what is left, which ARPACK stops at: everything is an eigenvector.
            return np.full(problem.k, top), linalg.qr(problem.start(problem.k), mode="economic")[0]
        basis = self.n_basis or max(40, 2 * problem.k + 20)  # of the Krylov space
        restarts = most_products(problem, basis) // max(basis - problem.k, 1)
        mu, vectors = largest_pairs(problem, reflected, basis, tol, start, restarts)
        return top - mu, vectors


def _accurate(problem: Problem, pairs: Pairs) -> Pairs:
    """Those that are accurate, and at least one: the next search finds what is left.

    A Krylov space holds one copy of a repeated eigenvalue; others come from rounding, and may be
    said to have converged when they have not.
    """
    values, vectors = pairs
    if len(values) < 2:
        return pairs
    left = np.linalg.norm(problem.apply(vectors) - vectors * values, axis=0)
    good = (left <= 0.5 * problem.tol * problem.norm) | (left == left.min())
    return values[good], vectors[:, good]


def most_products(problem: Problem, basis: int) -> int:
    """How many products an iteration may take: what needs more is no task for it."""
    products = float(_PRODUCTS)
    if problem.operator.deficit is None:  # a product is no solve
        products = max(products, _WORK / (problem.matrix.nnz + 2 * problem.n * basis + 1))
    return int(products)


def nothing_below(problem: Problem, value: float) -> bool:
    """Whether a look from a random start finds no eigenvalue below a value; False leaves it open.

    Plain Lanczos, without a basis: its smallest Ritz value falls to the smallest eigenvalue. It has
    arrived where its residual is small next to the distance from the value.
    """
    diagonal: list[float] = []
    beside: list[float] = []
    for step, new in enumerate(islice(recurrence(problem), min(_LOOK, problem.room)), start=1):
        diagonal.append(new[0])
        beside.append(new[1])
        if step % 20 == 0:  # how often it is looked at
            theta, s = linalg.eigh_tridiagonal(
                diagonal, beside[:-1], select="i", select_range=(0, 0)
            )
            if theta[0] < value:
                return False
            if beside[-1] * abs(s[-1, 0]) <= _ARRIVED * (theta[0] - value):
                return True
    return False
