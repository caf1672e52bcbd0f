r"""Krylov methods: Lanczos on S, on a Chebyshev polynomial of it, and on its shifted inverse.

    Lanczos       norm - S       nothing is factorized; tolerances are relative to ||S||
    filtered      p(S)           p a Chebyshev polynomial, if a product with S is a sparse one
    ShiftInvert   (S - s)^-1     s below the spectrum: the largest mu are lambda = s + 1 / mu

ARPACK restarts them. The filter: for an interval [cut, top] that holds all eigenvalues but those to
find, and the Chebyshev polynomial T of odd degree,

    p(S) = T((middle - S) / half),    middle = (top + cut) / 2,    half = (top - cut) / 2,

is between -1 and 1 on the interval, above 1 below it, and below -1 above it: the eigenvectors of
the smallest eigenvalues of S are those of the largest of p(S), which are further apart (Zhou and
Saad, A Chebyshev-Davidson algorithm for large symmetric eigenproblems, 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.eigen.problem import (
    SUPERLU,
    EigenSolver,
    Pairs,
    Problem,
    check_factorization,
    no_pairs,
)
from cellapse._linalg.factor import Direct, Solve
from cellapse._linalg.tuning import FILTER_DEGREE
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import whole_number
from cellapse._shared.progress import Bar

_PRODUCTS = 10_000  # that an iteration takes at most: with a collapse about a minute
_WORK = 4e10  # multiplications that a sparse matrix may take: about a minute, too
_CHECK = 1000  # steps of a check whether anything is below a value
_CONVERGED = 0.05  # of the distance from that value: a residual as small is that of an eigenvector
_GUARD = 4  # Ritz values beyond those to find: those close to the cut are hardly amplified
_SAME = 1e-6  # of the norm: closer Ritz values are copies
_WIDE = 0.5  # a cut above this part of the spectrum amplifies nothing
_EXACT, _ROUGH = 1e-12, 1e-5  # relative to 1 / (lambda - shift): a result, and a first check
_RESTARTS = 500  # if the shift is too far from the eigenvalues more do not help


@dataclass(frozen=True)
class Lanczos(EigenSolver):
    """Lanczos on S itself: nothing is factorized; for graphs that expand (random, small-world).

    Parameters
    ----------
    n_basis : int, optional
        Size of the Krylov basis of S between restarts. By default that of a polynomial of S, if S
        is a sparse matrix, which takes less time.

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
        tol, pairs = 0.3 * problem.tol, None
        if self.n_basis is None:
            pairs = filtered_pairs(problem, tol, _most_products(problem, 2 * problem.k))
        return self._by_reflection(problem, tol) if pairs is None else pairs

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        if nothing_below(problem, below):
            return no_pairs(problem.n)
        values, vectors = super().search(problem, below, block)
        # Rounding brings copies of an eigenvalue, which may not have converged.
        residuals = np.linalg.norm(problem.apply(vectors) - vectors * values, axis=0)
        good = residuals <= max(
            0.5 * problem.tol * problem.norm, float(residuals.min(initial=np.inf))
        )
        return values[good], vectors[:, good]

    def _by_reflection(self, problem: Problem, tol: float) -> Pairs:
        """Find the smallest as the largest of norm - S."""
        top, start = problem.norm, problem.random()

        def reflected(x: FloatArray) -> FloatArray:
            return top * x - problem.apply(x)

        size = np.linalg.norm(problem.project(reflected(start)))
        if size <= 1e-14 * top * np.linalg.norm(start) and problem.k <= problem.dimension:
            # Zero on what is left, which ARPACK stops at: everything is an eigenvector.
            basis = linalg.qr(problem.random(problem.k), mode="economic")[0]
            return np.full(problem.k, top), basis
        n_basis = self.n_basis or max(40, 2 * problem.k + 20)
        restarts = _most_products(problem, n_basis) // max(n_basis - problem.k, 1)
        mu, vectors = largest_pairs(problem, reflected, n_basis, tol, restarts)
        return top - mu, vectors


@dataclass(frozen=True)
class ShiftInvert(EigenSolver):
    """Lanczos on (S - s)^-1, from one sparse factorization; for graphs that can be cut cheaply.

    Parameters
    ----------
    factorization : Direct

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K)
    >>> S.spectrum(3, solver=cl.ShiftInvert()).values.round(3).tolist()
    [0.0, 0.145, 0.158]
    """

    factorization: Direct = SUPERLU

    def __post_init__(self) -> None:
        check_factorization(self.factorization)

    @property
    def factorizes(self) -> bool:
        return True

    def find(self, problem: Problem) -> Pairs:
        vectors = self._nearest(problem, _EXACT)[1]
        # Products are more accurate than a factor whose entries reach 1 / eps.
        values = np.einsum("ij,ij->j", vectors, problem.apply(vectors))
        order = np.argsort(values, kind="stable")
        return values[order], vectors[:, order]

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        shift = problem.factor(self.factorization)[0]
        roughly = float(self._nearest(replace(problem, k=block), _ROUGH)[0].min())
        if shift + (roughly - shift) / (1.0 + 2.0 * _ROUGH) > below:
            return no_pairs(problem.n)
        return super().search(problem, below, block)

    def _nearest(self, problem: Problem, tol: float) -> Pairs:
        """Find the eigenpairs closest to the shift; `tol` is relative to 1 / (lambda - shift)."""
        if problem.largest and not problem.operator.definite:
            raise InputError(
                f"{self} needs a bound above the spectrum, and {problem.operator!r} may have "
                "eigenvalues of any size; use Lanczos() or Dense()"
            )
        shift, solve = problem.factor(self.factorization)
        mu, vectors = largest_pairs(problem, solve, 2 * problem.k + 10, tol, _RESTARTS)
        return shift + 1.0 / mu, vectors


def largest_pairs(problem: Problem, apply: Solve, n_basis: int, tol: float, restarts: int) -> Pairs:
    """Find the k largest eigenpairs of an operator off the kernel, in descending order."""
    n, k = problem.n, problem.k
    if k >= n or k > problem.dimension:
        raise InputError(f"an iteration for {k} of {n} eigenpairs; use Dense() for so many")
    bar = Bar("Lanczos", unit="products")

    def matvec(x: FloatArray) -> FloatArray:
        bar.step()
        # All that follows a start off the kernel is off the kernel: one projection is enough.
        return problem.project(apply(x.ravel()))

    operator = LinearOperator((n, n), matvec=matvec, dtype=np.float64)
    options = {"v0": problem.random(), "ncv": min(n, n_basis), "maxiter": max(restarts, 1)}
    try:
        mu, vectors = eigsh(operator, k=k, which="LA", tol=tol, **options)
    except ArpackNoConvergence as error:
        raise ConvergenceError(
            f"{len(error.eigenvalues)} of {k} eigenpairs converged to a relative residual of "
            f"{tol:.0e}; raise rtol or eps, or use another solver"
        ) from None
    except ArpackError as error:
        raise ConvergenceError(f"ARPACK gave up on {k} eigenpairs ({error})") from None
    finally:
        bar.end()
    order = np.argsort(-mu)
    return mu[order], problem.project(vectors[:, order])


def _most_products(problem: Problem, n_basis: int) -> int:
    """Limit the products of an iteration: a problem that needs more is no task for it."""
    if not problem.operator.cheap:
        return _PRODUCTS
    return max(_PRODUCTS, int(_WORK / (problem.matrix.nnz + 2 * problem.n * n_basis + 1)))


def filtered_pairs(problem: Problem, tol: float, most: int) -> Pairs | None:
    """Find the k smallest eigenpairs by a polynomial of S in at most so many products with S.

    None if products cost more than those of a sparse matrix, or the polynomial does not amplify the
    eigenvalues to find enough.
    """
    bounds = _interval(problem) if problem.operator.cheap else None
    if bounds is None:
        return None
    cut, top = bounds
    step = _chebyshev_step(problem, 0.5 * (top + cut), 0.5 * (top - cut))

    def polynomial(x: FloatArray) -> FloatArray:
        before, now = x, 0.5 * step(np.zeros_like(x), x)
        for _ in range(FILTER_DEGREE - 1):
            before, now = now, step(-before, now)
        return now

    n_basis = max(2 * problem.k + 2, 24)
    restarts = most // (FILTER_DEGREE * max(n_basis - problem.k, 1))
    try:
        vectors = largest_pairs(problem, polynomial, n_basis, tol, restarts)[1]
    except ConvergenceError:
        return None
    image = problem.apply(vectors)
    values = np.einsum("ij,ij->j", vectors, image)
    residual = np.linalg.norm(image - vectors * values, axis=0).max()
    order = np.argsort(values, kind="stable")
    return (values[order], vectors[:, order]) if residual <= 1.5 * tol * problem.norm else None


def _interval(problem: Problem) -> tuple[float, float] | None:
    """Bound the other eigenvalues: from above the k smallest to about the largest.

    The k-th Ritz value is above the k-th eigenvalue, once copies do not count: rounding makes some
    of those that have converged.
    """
    steps = 2 * problem.k + 60
    entries = list(islice(_recurrence(problem), steps)) if steps <= problem.dimension else []
    if len(entries) < steps:
        return None
    diagonal, beside = np.array(entries).T
    values = linalg.eigvalsh_tridiagonal(diagonal, beside[:-1])
    top = min(float(values[-1] + beside[-1]), problem.norm)
    values = values[np.diff(values, prepend=-np.inf) > _SAME * problem.norm]
    at = problem.k + _GUARD
    return (float(values[at]), top) if at < len(values) and values[at] < _WIDE * top else None


def _chebyshev_step(
    problem: Problem, middle: float, half: float
) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Make the function y, x -> y + 2 (middle - S) x / half, which overwrites y."""
    if problem.operator.matrix is None:
        return lambda y, x: y + (2.0 / half) * (middle * x - problem.apply(x))
    A, eye = problem.matrix, sparse.eye_array(problem.n)
    if problem.largest:
        A = problem.norm * eye - A
    H = sparse.csr_array((2.0 / half) * (middle * eye - A))
    return lambda y, x: np.add(y, H @ x, out=y)


def _recurrence(problem: Problem) -> Iterator[tuple[float, float]]:
    """Run Lanczos from a random start without a basis, until the space ends.

    Each step gives an entry of the diagonal, and one beside it.
    """
    v = problem.random()
    v, last, beside = v / np.linalg.norm(v), np.zeros_like(v), 0.0
    while True:
        w = problem.apply(v)
        diagonal = float(v @ w)
        w -= diagonal * v
        w -= beside * last
        # Last, as rounding would bring back what is deflated: it lies below everything else.
        w = problem.project_in_place(w)
        beside = float(np.sqrt(w @ w))
        yield diagonal, beside
        if beside <= 1e-8 * problem.norm:
            return
        w /= beside
        last, v = v, w


def nothing_below(problem: Problem, value: float) -> bool:
    """Return whether Lanczos from a random start finds nothing below; False is not certain.

    Its smallest Ritz value falls to the smallest eigenvalue. It has converged once its residual is
    small beside the distance from the value.
    """
    diagonal: list[float] = []
    beside: list[float] = []
    steps = islice(_recurrence(problem), min(_CHECK, problem.dimension))
    for step, new in enumerate(steps, start=1):
        diagonal.append(new[0])
        beside.append(new[1])
        if step % 20 == 0:
            theta, s = linalg.eigh_tridiagonal(
                diagonal, beside[:-1], select="i", select_range=(0, 0)
            )
            if theta[0] < value:
                return False
            if beside[-1] * abs(s[-1, 0]) <= _CONVERGED * (theta[0] - value):
                return True
    return False
