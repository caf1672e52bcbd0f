r"""Eigenpairs S u = lambda D u with their evidence, by whatever solver.

The kernel, if it is known, is removed before and put back after; nothing is missed; and what does
not keep `residual <= tol * norm` is an error.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cellapse._errors import ConvergenceError, InputError, SizeError, extra
from cellapse._linalg.eigen.auto import Auto
from cellapse._linalg.eigen.evidence import (
    KEPT,
    excluded_by_base,
    in_order,
    nothing_missed,
    orthonormal,
    pairs_and_residuals,
    threshold,
)
from cellapse._linalg.eigen.problem import FirstPairs, Pairs, Problem, no_pairs
from cellapse._linalg.eigen.solver import EigenSolver
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import whole_number
from cellapse._shared.pictures import points
from cellapse._shared.threads import one_thread_of_openblas

_MORE = 4  # eigenvectors of A beside those of S that show whether one is missed


@dataclass(frozen=True, eq=False, repr=False)
class Spectrum(Shown):
    """Eigenvalues in ascending order with their vectors and what is left of the equation.

    S u = lambda D u, with D the identity unless a mass was given.

    Attributes
    ----------
    values : (k,) array
    vectors : (n, k) array
        Columns with u^T D u = 1; the entry of largest size is positive.
    residuals : (k,) array
        Norms ||S u - lambda D u||; with D^{-1/2} in front at most `tol * norm`.
    norm : float
        An upper bound of the largest eigenvalue of A u = lambda D u, which `tol` is relative to.
    n_zeros : int or None
        Dimension of the kernel where it is known in advance; those values are exactly 0.
    certified : bool or None
        True where it is certain that none was missed: a dense solver found all, or the inertia of
        a factorization counted them. None where nothing counted.
    labels : sequence
        What the rows of `vectors` are.
    solver : EigenSolver
        What computed it.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K)
    >>> spectrum = S.spectrum(3)
    >>> spectrum.values.round(3).tolist(), spectrum.n_zeros, spectrum.certified
    ([0.0, 0.145, 0.158], 1, True)
    """

    values: FloatArray
    vectors: FloatArray = field(repr=False)
    residuals: FloatArray = field(repr=False)
    norm: float
    n_zeros: int | None
    certified: bool | None
    labels: Sequence[Hashable] = field(repr=False)
    solver: EigenSolver

    def __len__(self) -> int:
        return len(self.values)

    def _card(self) -> Card:
        few = ", ".join(f"{v:.4g}" for v in self.values[:6])
        certain = {True: "certain that none was missed", False: "not all", None: "not counted"}
        zeros = "" if self.n_zeros is None else f"{self.n_zeros:,} exactly"
        worst = float(self.residuals.max(initial=0.0))
        rows = [
            ("values", few + (", ..." if len(self) > 6 else "")),
            ("zeros", zeros),
            ("residuals", f"at most {worst:.1e}, next to a norm of {self.norm:.4g}"),
            ("evidence", certain[self.certified]),
            ("solver", repr(self.solver)),
        ]
        calls = (
            ("spectrum.plot()", "draws the values"),
            ("spectrum.values, spectrum.vectors", "are the arrays"),
        )
        title = f"Spectrum of {len(self):,} eigenpairs on {len(self.labels):,} cells"
        return Card(title, tuple(r for r in rows if r[1]), lambda: points(self.values), calls)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the eigenvalues, and return the axes: see `cellapse.plot.plot_spectrum`."""
        from cellapse.plot import plot_spectrum

        return plot_spectrum(self, max(len(self), 1), ax=ax)

    def first(self, k: int) -> Spectrum:
        """Its first k eigenpairs."""
        k = whole_number("k", k, 0, len(self))
        return replace(
            self,
            values=self.values[:k],
            vectors=self.vectors[:, :k],
            residuals=self.residuals[:k],
        )

    def to_frame(self) -> Any:
        """Return a DataFrame with a row per eigenpair, counted from 1: value and residual."""
        with extra("pandas", "pandas"):
            import pandas as pd
        index = pd.RangeIndex(1, len(self) + 1, name="index")
        return pd.DataFrame({"value": self.values, "residual": self.residuals}, index=index)


def solve_eigenproblem(problem: Problem, solver: EigenSolver) -> Spectrum:
    """Find the spectrum with its evidence by the first solver of the plan that arrives."""
    problem, (*others, last) = solver.plan(problem)
    for candidate in others:
        try:
            return _spectrum(problem, candidate)
        except (ConvergenceError, SizeError):
            continue
    return _spectrum(problem, last)


def _spectrum(problem: Problem, solver: EigenSolver) -> Spectrum:
    """Find the spectrum by one solver, or raise a ConvergenceError."""
    if problem.largest and not solver.finds_largest:
        raise InputError(
            f'{solver} finds the smallest eigenpairs only; for which="largest" use '
            "ShiftInvert(), Lanczos() or Dense()"
        )
    with nullcontext() if solver.complete else one_thread_of_openblas():
        pairs, certified = _with_kernel(problem, solver)
        exact = solver.complete or problem.k <= 0
        values, vectors, residuals, reached = pairs_and_residuals(problem, pairs, exact)
    if not reached <= 0.75 * problem.tol:  # the rest is for the error of the products
        raise ConvergenceError(
            f"{solver} reached a residual of {reached:.1e}, relative to the norm, "
            f"short of rtol={problem.tol:.0e}; raise rtol, or use another solver"
        )
    order = np.argsort(values, kind="stable")
    return Spectrum(
        values=values[order],
        vectors=fix_signs(vectors[:, order]),
        residuals=residuals[order],
        norm=problem.norm,
        n_zeros=None if problem.kernel is None else problem.kernel.shape[1],
        certified=certified,
        labels=problem.operator.labels,
        solver=solver,
    )


def _with_kernel(problem: Problem, solver: EigenSolver) -> tuple[Pairs, bool | None]:
    """Find the kernel and the next eigenpairs, none missed, and whether that is certain."""
    if problem.k <= 0:  # of many components only as many columns as are asked for
        if problem.kernel is None:
            return no_pairs(problem.n), True
        return (np.zeros(problem.count), problem.kernel.csr[:, : problem.count].toarray()), True
    (values, vectors), certified = _off_kernel(problem, solver)
    if not solver.complete:
        values, vectors = values[: problem.k], orthonormal(problem, vectors[:, : problem.k])
    if problem.kernel is not None:
        values = np.concatenate([np.zeros(problem.n_kernel), values])
        vectors = np.hstack([problem.kernel.toarray(), vectors])
    return (values, vectors), certified


def _off_kernel(problem: Problem, solver: EigenSolver) -> tuple[Pairs, bool | None]:
    """Find at least k eigenpairs off the kernel, none missed, and whether that is certain."""
    if solver.starts_from_base and problem.base is not None:
        problem = replace(problem, start=first_pairs(problem.base.problem, problem.k))
    pairs = solver.find(problem)
    if solver.complete:
        return pairs, True
    excluded = _excluded(problem, in_order(pairs))
    if excluded is not None:
        return in_order(pairs), excluded or None
    found, certain = nothing_missed(problem, pairs, solver)
    if certain is None and len(found[0]) > len(pairs[0]):  # of those that were missed, too
        certain = _excluded(problem, found) or None
    return found, certain


def _excluded(problem: Problem, pairs: Pairs) -> bool | None:
    """Whether it is certain from eigenpairs of A that nothing is missed; None if they cannot say.

    False if none of them is missed as far as a search can tell.
    """
    base, free = problem.base, problem.dimension - problem.k - 1
    if base is None or free < 0 or not problem.operator.definite:
        return None
    below = threshold(problem, pairs[0])
    for more in (0, min(_MORE, free)):  # without more there is no product with S
        try:
            kept = first_pairs(base.problem, problem.k + more + 1)
        except (ConvergenceError, SizeError):
            return None
        if excluded_by_base(problem, pairs[1][:, : problem.k], base, kept, below):
            return kept.certain
    return None


def first_pairs(problem: Problem, k: int) -> FirstPairs:
    """Find the first k eigenpairs off the kernel to 1e-8 of the norm, and keep them.

    Those that are kept are not computed again: more are found only if they are not enough.
    """
    kept: FirstPairs | None = problem.found.get("pairs")
    if kept is None or len(kept.values) < k:
        vectors = np.empty((problem.n, 0)) if kept is None else np.hstack(kept[1::2])
        kept = _first_pairs(replace(problem, k=k, tol=KEPT), vectors)
        problem.found["pairs"] = kept
    return kept.first(k)


def _first_pairs(problem: Problem, vectors: FloatArray) -> FirstPairs:
    """Find them from vectors that are known already."""
    problem, (solver, *_) = Auto().plan(problem)
    with nullcontext() if solver.complete else one_thread_of_openblas():
        if _n_accurate(problem, vectors) < problem.k:
            vectors = solver.find_more(problem)[1]
            vectors = vectors[:, np.argsort(_quotients(problem, vectors), kind="stable")]
        sure = vectors[:, : max(problem.k, _n_accurate(problem, vectors))]
        found, certain = sure, True
        if not solver.complete:
            pairs, counted = nothing_missed(problem, (_quotients(problem, sure), sure), solver)
            found = pairs[1]
            certain = bool(counted)
    more = found[:, problem.k :]
    if found.shape[1] == sure.shape[1]:  # what was missing might not be orthogonal to the rest
        more = np.hstack([more, vectors[:, sure.shape[1] :]])
    first = found[:, : problem.k]
    return FirstPairs(_quotients(problem, first), first, certain, more)


def _quotients(problem: Problem, vectors: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->j", vectors, problem.apply(vectors))


def _n_accurate(problem: Problem, vectors: FloatArray) -> int:
    """Count how many of the first vectors are as accurate as the problem asks for."""
    residuals = problem.apply(vectors) - vectors * _quotients(problem, vectors)
    rough = np.linalg.norm(residuals, axis=0) > problem.tol * problem.norm
    return int(np.argmax(rough)) if rough.any() else len(rough)


def fix_signs(vectors: FloatArray) -> FloatArray:
    """Make the entry of largest size of every column positive; among ties the first decides."""
    if not vectors.size:
        return vectors
    stack = vectors.reshape(-1, *vectors.shape[-2:])
    size = np.abs(stack)
    first = np.argmax(size >= size.max(axis=1, keepdims=True) * (1 - 1e-6), axis=1)
    decides = stack[np.arange(len(stack))[:, None], first, np.arange(stack.shape[2])]
    sign = np.where(decides < 0, -1.0, 1.0)  # a zero has either
    return (stack * sign[:, None, :]).reshape(vectors.shape)
