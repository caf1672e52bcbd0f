r"""Eigenpairs S u = lambda D u and why they can be trusted, by whatever solver.

A known kernel is removed before and put back after. Nothing is missed if the eigenvalues of A leave
no room for more of S; if a factorization counts as many below the last one (Sylvester's law of
inertia); or, without a certificate, once a search from a random block finds nothing smaller.
Residuals

    || S u - lambda D u ||  <=  tol * norm

come from products whose error is bounded, and far smaller.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import linalg

from cellapse._errors import ConvergenceError, InputError, SizeError, extra
from cellapse._linalg.blas import symmetric_eigenpairs
from cellapse._linalg.eigen.auto import Auto
from cellapse._linalg.eigen.problem import Base, EigenSolver, FirstPairs, Pairs, Problem, no_pairs
from cellapse._linalg.tuning import CERTIFY
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import whole_number
from cellapse._shared.pictures import points
from cellapse._shared.threads import one_thread_of_openblas

KEPT = 1e-8  # relative to the norm: the residuals of eigenpairs that are kept
_MORE = 4  # eigenvectors of A beside those of S that show whether one is missed
_SAME = 1e-9  # relative to the norm: eigenvalues closer than this are the same
_FEW = 20  # dimensions that are left: all of them at once, as an iteration has no room


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
        """Take its first k eigenpairs."""
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
    found, certain = complete_pairs(problem, pairs, solver)
    if certain is None and len(found[0]) > len(pairs[0]):  # of those that were missed, too
        certain = _excluded(problem, found) or None
    return found, certain


def _excluded(problem: Problem, pairs: Pairs) -> bool | None:
    """Return whether eigenvalues of A make it certain that none is missed; None: not known.

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
            pairs, counted = complete_pairs(problem, (_quotients(problem, sure), sure), solver)
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


# The evidence


def complete_pairs(
    problem: Problem, pairs: Pairs, solver: EigenSolver
) -> tuple[Pairs, bool | None]:
    """Give the k smallest eigenpairs in order, once no smaller one is left.

    More pairs may be given, and come back: less is left to search then. Also whether that is
    certain, by a count. A number that cannot be is no certificate; then, and if nothing can count,
    what is left is searched.
    """
    values, vectors = in_order(pairs)
    counts = problem.certify and problem.n <= CERTIFY and solver.factorizes
    block, counted = 1, None  # how many are looked for at once
    for attempt in itertools.count(1):  # any seed but 0, which the first start had
        below = threshold(problem, values)
        smaller = int((values < below).sum())
        counted = problem.count_below(below) if counts else None
        if counted == smaller:
            return (values, vectors), True
        rest = problem.without(vectors, attempt)
        missing = counted - smaller if counted is not None and counted > smaller else block
        if rest.dimension <= _FEW:
            more = _all_below(rest, below)
        else:
            more = solver.search(rest, below, min(missing, rest.dimension - 1))
        if not len(more[0]):
            break
        values = np.concatenate([values, more[0]])
        values, vectors = in_order((values, np.hstack([vectors, more[1]])))
        block = min(2 * block, 16)
    if counted is not None and 0 < counted - smaller <= rest.dimension:
        raise ConvergenceError(
            f"{counted - smaller} eigenvalues below {below:.6g} exist but were not found; use "
            "solver=Dense()"
        )
    return (values, vectors), None


def threshold(problem: Problem, values: FloatArray) -> float:
    """Give a value below the k-th eigenvalue that its copies do not fall below."""
    return float(values[problem.k - 1]) - max(_SAME, 2.0 * problem.tol) * problem.norm


def in_order(pairs: Pairs) -> Pairs:
    """Sort eigenpairs by their values."""
    order = np.argsort(pairs[0])
    return pairs[0][order], pairs[1][:, order]


def _all_below(problem: Problem, below: float) -> Pairs:
    """Find all eigenpairs below a value, from a basis of everything that is left."""
    if not problem.dimension:
        return np.empty(0), np.empty((problem.n, 0))
    basis = linalg.qr(problem.random(problem.dimension), mode="economic")[0]
    basis = problem.project(basis)
    H = basis.T @ problem.apply(basis)
    values, rotation = symmetric_eigenpairs((H + H.T) / 2)
    return values[values < below], basis @ rotation[:, values < below]


def excluded_by_base(
    problem: Problem, vectors: FloatArray, base: Base, kept: FirstPairs, below: float
) -> bool:
    r"""Return whether the eigenvalues of A exclude that S has others below a value.

    With eigenpairs (a_i, v_i) of A, the first m of them and the next value a, every y has

        y^T A y  >=  a |y|^2 - sum_i (a - a_i) (v_i^T y)^2,

    and S is at least A - c. Off the vectors X that were found and Q, which adds what they lack of
    the v_i, little of these is left: S is at least `gap` above the value there. In Q itself S is
    known. With E = S Q off X and Q, nothing off X is left below if

        Q^T (S - below) Q - E^T E / gap     is positive definite.

    All but the last of the eigenpairs of A that are `kept` serve as v_i.
    """
    X = linalg.qr(vectors, mode="economic")[0]
    V = kept.vectors[:, :-1]
    more = V.shape[1] - X.shape[1]
    Q = linalg.svd(V - X @ (X.T @ V), full_matrices=False)[0][:, :more]
    gap = bound_off(base, kept, np.hstack([X, Q])) - below
    return gap > 0.0 and _least(problem, X, Q, gap) > below + _SAME * problem.norm


def bound_off(base: Base, kept: FirstPairs, U: FloatArray) -> float:
    """Bound S from below off U, which is close to as many of the first eigenvectors of A."""
    m = U.shape[1]
    V, values = kept.vectors[:, :m], kept.values
    error = float(np.linalg.norm(base.problem.apply(V) - V * values[:m]))
    next_ = float(values[m]) - error - 2.0 * KEPT * base.problem.norm
    C, D = U.T @ V, np.sqrt(np.maximum(next_ - values[:m], 0.0))
    outside = float(symmetric_eigenpairs((np.eye(m) - C.T @ C) * D * D[:, None])[0][-1])
    return base.scale * (next_ - max(outside, 0.0) - error) - base.c


def _least(problem: Problem, X: FloatArray, Q: FloatArray, gap: float) -> float:
    """Find the smallest eigenvalue of Q^T S Q - E^T E / gap, with E = S Q off X and Q."""
    if not Q.shape[1]:
        return np.inf
    U, W = np.hstack([X, Q]), problem.apply(Q)
    E = W - U @ (U.T @ W)
    H = Q.T @ W - E.T @ E / gap
    return float(symmetric_eigenpairs((H + H.T) / 2)[0][0])


def orthonormal(problem: Problem, vectors: FloatArray) -> FloatArray:
    """Find an orthonormal basis of what an iteration found, off the kernel."""
    basis, R = linalg.qr(problem.project(vectors), mode="economic")
    if not abs(R.diagonal()).min(initial=np.inf) > 1e-4:
        raise ConvergenceError("an eigenvector was found twice; use solver=Dense()")
    return basis


def pairs_and_residuals(
    problem: Problem, pairs: Pairs, exact: bool
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Give eigenvalues, D-orthonormal vectors u and ||S u - lambda D u||, the kernel first.

    From one product with orthonormal vectors, whose error is far below the tolerance. Unless they
    are `exact`, as those of a dense solver, the Ritz vectors of their space are taken: on repeated
    eigenvalues an iteration may be less strict. Also the largest residual of the scaled problem,
    relative to its norm: what `tol` is about.
    """
    root, norm = problem.root, problem.norm
    error = 0.02 * problem.tol * norm * float(root.min(initial=np.inf))
    u = pairs[1] / root[:, None]
    image = problem.operator.apply(u, error)
    if not exact:
        first = problem.n_kernel
        H = u[:, first:].T @ image[:, first:]
        rotation = symmetric_eigenpairs((H + H.T) / 2)[1]  # vectors have no scale
        u = np.hstack([u[:, :first], u[:, first:] @ rotation])
        image = np.hstack([image[:, :first], image[:, first:] @ rotation])
    values = np.einsum("ij,ij->j", u, image)
    values[: problem.n_kernel] = 0.0
    # What is at least zero is not below it, whatever the products say.
    known = problem.tol if problem.operator.definite and not problem.largest else 1e-13
    values[(values < 0) & (values > -known * norm)] = 0.0
    residual = image - root[:, None] ** 2 * u * values
    residuals = np.linalg.norm(residual, axis=0)
    scaled = residuals if problem.unit_mass else np.linalg.norm(residual / root[:, None], axis=0)
    return values, u, residuals, float(scaled.max(initial=0.0)) / norm
