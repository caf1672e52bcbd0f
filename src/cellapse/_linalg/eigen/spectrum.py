r"""Eigenpairs S u = lambda D u with their evidence, and what every solver of them has in common.

`EigenSolver.run` gives out a `Spectrum`, or raises: the kernel, where it is known, is not computed
but removed before and put back after (Krylov methods miss repeated zeros otherwise), nothing is
missed, and what does not keep `residual <= tol * norm` is not given out. A new solver says only
how to `find` eigenpairs, and how to `search` what they leave for more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from cellapse._errors import ConvergenceError, InputError, extra
from cellapse._linalg.eigen.evidence import nothing_missed, orthonormal, pairs_and_residuals
from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.factor import Direct
from cellapse._linalg.symmetric import Pairs
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import whole_number
from cellapse._shared.pictures import points
from cellapse._shared.threads import one_thread_of_openblas

_BEYOND = 4  # eigenpairs that a start for others is given besides
_CERTIFY = 20_000  # up to this many cells a second factorization is worth the certainty


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
        """A pandas DataFrame with a row per eigenpair, counted from 1: its value and residual."""
        with extra("pandas", "pandas"):
            import pandas as pd
        index = pd.RangeIndex(1, len(self) + 1, name="index")
        return pd.DataFrame({"value": self.values, "residual": self.residuals}, index=index)


class EigenSolver(ABC):
    """A way to the smallest eigenpairs of a symmetric operator, as a small frozen object.

    Attributes
    ----------
    complete : bool
        Whether all eigenpairs are computed, so that none can be missed.
    finds_largest : bool
        Whether it also finds the other end of the spectrum.
    """

    complete: ClassVar[bool] = False
    finds_largest: ClassVar[bool] = True

    @property
    def factorizes(self) -> bool:
        """Whether it needs a factorization; where one is an option, counting by one is, too."""
        return False

    @abstractmethod
    def find(self, problem: Problem) -> Pairs:
        """The k smallest eigenpairs off the kernel; one that is repeated may be missed."""

    @abstractmethod
    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        """Eigenpairs below a value that are not known yet, where there are any.

        The search begins with a random block: a Krylov space of one vector holds one copy of a
        repeated eigenvalue, and rounding brings the others late or never.
        """

    def run(self, problem: Problem) -> Spectrum:
        """The spectrum that is wanted, with its evidence, or a ConvergenceError."""
        if problem.largest and not self.finds_largest:
            raise InputError(
                f'{self} finds the smallest eigenpairs only; for which="largest" use '
                "ShiftInvert(), Lanczos() or Dense()"
            )
        with nullcontext() if self.complete else one_thread_of_openblas():
            vectors, certified = self._complete_vectors(problem)
            exact = self.complete or problem.k <= 0
            values, vectors, residuals, reached = pairs_and_residuals(problem, vectors, exact)
        if not reached <= 0.75 * problem.tol:  # the rest is for the error of the products
            raise ConvergenceError(
                f"{self} reached a residual of {reached:.1e}, relative to the norm, "
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
            solver=self,
        )

    def _complete_vectors(self, problem: Problem) -> tuple[FloatArray, bool | None]:
        """The kernel and the next eigenvectors, none missed, and whether that is certain."""
        if problem.k <= 0:  # of many components only as many columns as are wanted
            if problem.kernel is None:
                return np.empty((problem.n, 0)), True
            return problem.kernel.csr[:, : problem.wanted].toarray(), True
        vectors, certified = self.all_vectors(problem)
        if not self.complete:
            vectors = orthonormal(problem, vectors)
        if problem.kernel is not None:
            vectors = np.hstack([problem.kernel.toarray(), vectors])
        return vectors, certified

    def all_vectors(self, problem: Problem) -> tuple[FloatArray, bool | None]:
        """The k first eigenvectors off the kernel, none missed, and whether that is certain."""
        vectors, certain = self.none_missed(problem, self.find(problem))
        return vectors[:, : problem.k], certain

    def find_more(self, problem: Problem) -> Pairs:
        """The k smallest eigenpairs and a few more that cost little; those may be rough."""
        more = min(_BEYOND, problem.room - problem.k - 2)
        return self.find(replace(problem, k=problem.k + more) if more > 0 else problem)

    def none_missed(self, problem: Problem, pairs: Pairs) -> tuple[FloatArray, bool | None]:
        """The vectors of at least k eigenpairs, once none of the first k is missing."""
        if self.complete:
            return pairs[1], True
        counts = problem.certify and problem.n <= _CERTIFY and self.factorizes
        count = problem.count_below if counts else None
        return nothing_missed(problem, pairs, self.search, count)


def check_factorization(given: object) -> None:
    """Refuse what is no `Direct(...)`, such as its name."""
    if not isinstance(given, Direct):
        raise InputError(f'factorization={given!r:.80}; give Direct() or such as Direct("pardiso")')


def only_below(pairs: Pairs, value: float) -> Pairs:
    """Those of the eigenpairs whose value is smaller."""
    values, vectors = pairs
    return values[values < value], vectors[:, values < value]


def no_pairs(n: int) -> Pairs:
    """No eigenpairs of an operator of size n."""
    return np.empty(0), np.empty((n, 0))


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
