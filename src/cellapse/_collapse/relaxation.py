r"""The values of eliminated cells that relax to a signal, to full accuracy for any eps.

With B from the first eliminated rank to the kept one and M the effective operator of the eliminated
ranks plus eps, they are the solution of

    H w = B^T x,    H = M + beta B^T B.

A factorization holds 1 / M: with masses next to zero it loses all digits. So tiny masses are raised
to a floor before it (`raised`), and conjugate gradients on H, which see M as it is, take the
difference back. That also reaches the limit eps = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, partial

import numpy as np
from scipy import sparse

from cellapse._collapse.graded import GradedLaplacian
from cellapse._collapse.raised import Raised
from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import times
from cellapse._linalg.cg import conjugate_gradients
from cellapse._linalg.factor import Direct, Solve
from cellapse._shared.arrays import FloatArray, row_sum

_FLOOR = 1e-9  # masses are raised to this, relative to the diagonal of H, before a factorization
_FLOOR_AT_ZERO = 1e-7  # with eps = 0 nothing else keeps rounding in the kernel of H small
# At eps = 0: where H is so small next to H + floor, it is zero. Weights of different sizes make
# eigenvalues that are small but not zero: the square of their range is left for those.
_NULL = 1e-3
_LEAST_NULL = 1e-9
_MAX_STEPS = 300  # what falls short by then is told
_UNIT = 2.0**-53
_LOST = 0.1  # of eps: what rounding of M may take of it


class Relaxation:
    """H w = B^T x for one B, beta and M.

    Parameters
    ----------
    B : (n, m) csr_array
        To all eliminated cells, with empty columns for those that are not next to the kept rank.
    beta : float
    M : (m, m) csr_array
    eps : float
        What is part of M on the diagonal, so that M is at least eps where it is semi-definite.
    floor : {"tiny", "none"} or array
        Whether tiny masses are raised; or M is factorized as it is; or what is added to all, so
        that the solution of a singular H is the shortest one: a thousandth of it is taken for zero.
    solver : Direct, optional
    above : GradedLaplacian, optional
        M - eps by its matrices, which give products with less rounding than its entries.
    """

    def __init__(
        self,
        B: sparse.csr_array,
        beta: float,
        M: sparse.csr_array,
        eps: float,
        floor: str | FloatArray = "tiny",
        solver: Direct | None = None,
        above: GradedLaplacian | None = None,
    ) -> None:
        self.B, self.beta, self.M, self._above = B, beta, M, above
        self.eps = eps
        self.n = B.shape[0]
        masses = M.diagonal()
        self.diagonal = M.nnz == np.count_nonzero(masses)
        size = masses + beta * np.bincount(B.indices, B.data**2, len(masses))
        self.largest = largest = float(size.max(initial=0.0)) or 1.0  # entry of the diagonal of H
        size = np.where(size > 0, size, largest)  # a cell that nothing holds can have any mass
        self._size = size
        # What is not diagonal can be next to singular whatever its diagonal: only eps is sure.
        sure = masses if self.diagonal else np.full(len(size), eps)
        self._null = 0.0
        if eps == 0.0:
            self._null = max(_LEAST_NULL, _NULL * float(size.min(initial=largest) / largest) ** 2)
        self._shortest = not isinstance(floor, str)
        if not isinstance(floor, str):
            self._null = _NULL  # the solution is to have no part there
            self.floor = floor
        else:
            least = (_FLOOR if eps > 0.0 else _FLOOR_AT_ZERO) * size
            self.floor = np.where((sure < least) & (floor == "tiny"), least, 0.0)
        # H is at least this: at eps = 0 on all but its kernel.
        self._low = np.maximum(sure, self._null * self.floor)
        self.raised = Raised(B, beta, M, eps, self.floor, solver, above)

    def _product(self, w: FloatArray) -> FloatArray:
        """M w, with as little rounding as can be."""
        return self.M @ w if self._above is None else self._above.apply(w) + self.eps * w

    @property
    def exact(self) -> bool:
        """Whether M is factorized as it is."""
        return not self.floor.any()

    @cached_property
    def tells(self) -> bool:
        """Whether K is known so well that the residual of K v = x is the error of v, or more.

        A diagonal M has an exact inverse. That of blocks has an error, which `moved` takes back
        once: it has to be small for that.
        """
        if not self.exact or self.raised.reduced is None:
            return False
        if self.diagonal:
            return True
        x = np.random.default_rng(0).standard_normal(self.n)
        return bool(np.isfinite(self._moved(self.raised.reduced[1].__matmul__, x)).all())

    def moved(self, v: FloatArray) -> FloatArray:
        """(K - I) v = beta B M^-1 B^T v, where M falls into small blocks."""
        assert self.raised.reduced is not None
        G, inverse = self.raised.reduced
        return times(G, v) if self.diagonal else self._moved(inverse.__matmul__, v)

    @contextmanager
    def dense(self) -> Iterator[tuple[FloatArray, Solve] | None]:
        """K - I as an array, and a function for v -> (K - I) v; None where K is not known."""
        if self.tells:
            assert self.raised.reduced is not None
            yield self.raised.reduced[0].toarray(), self.moved
        elif self.exact and self.raised.complements:
            complement, inverse = self.raised.complement()
            complement *= -self.beta
            yield complement, partial(self._moved, inverse)
        else:
            yield None

    def _moved(self, inverse: Solve, v: FloatArray) -> FloatArray:
        """(K - I) v by an inverse of M that is refined once; nan where that is not enough."""
        y = self.B.T @ v
        q = inverse(y)
        step = inverse(y - self._product(q))
        good = np.linalg.norm(step) <= 1e-8 * np.linalg.norm(q)
        return self.beta * (self.B @ (q + step)) if good else np.full_like(v, np.nan)

    def relax(
        self, x: FloatArray, energy: FloatArray, enough: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """w, and a bound of the energy (e^T H e)^{1/2} of its error for every column.

        It is at least beta^{1/2} |B e|, and eps^{1/2} |e|. What a solve leaves may be `enough`.
        """
        enough = energy if enough is None else enough
        if self.eps > 0.0:  # H is at least eps: what a solve leaves tells its error
            w = self.raised.near(self.B.T @ x)
            left, bound = self._left(x, w, enough)
            if not (bound <= enough).all():  # refined once, before steps of many digits
                w = w + self.raised.near(left)
                bound = self._left(x, w, enough)[1]
            if (bound <= enough).all():
                return w, bound
        w, bound = self.solve(
            self.B.T @ x, energy, lambda w: self.residual(x, w.astype(np.longdouble))
        )
        w = w.astype(np.longdouble, copy=False)  # as its residual was computed
        if not self.diagonal and _UNIT * self._norms[1] > _LOST * self.eps > 0.0:
            # The factor is not one of H: only that H is at least eps tells the error.
            return w, self._most(self.residual(x, w)) + self._most(self._noise(x, w))
        return w, bound + self._unseen(x, w, energy)

    def _left(
        self, x: FloatArray, w: FloatArray, energy: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The residual, and what it and rounding tell at most of the energy of the error."""
        left = self.residual(x, w)
        most = self._most(left)
        bound = most + self._most_noise(x, w)
        if not (bound <= energy).all():  # in every entry it is less
            bound = most + self._most(self._noise(x, w))
        return left, bound

    def _most(self, r: FloatArray) -> FloatArray:
        """At most (r^T H^-1 r)^{1/2}, per column: as if all of it went where H is smallest."""
        return np.sqrt(np.atleast_1d(np.einsum("i,i...->...", 1.0 / self._low, r**2)))

    def solve(
        self, rhs: FloatArray, energy: FloatArray, residual: Solve | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """H w = rhs by conjugate gradients, and a bound of the energy of the error."""

        def apply(w: FloatArray) -> FloatArray:
            return self._product(w) + self.beta * (self.B.T @ (self.B @ w))

        return conjugate_gradients(
            apply,
            rhs,
            self.raised.near,
            energy,
            maxiter=_MAX_STEPS,
            lower=self._lower,
            residual=residual,
            null=self._null,
        )

    def _unseen(self, x: FloatArray, w: FloatArray, energy: FloatArray) -> FloatArray:
        """The energy of an error that rounding may hide from the residual, for every column.

        As if all of it went where H is smallest; where that is too much, as if its signs were
        random, times four.
        """
        noise = self._noise(x, w)
        worst = self._most(noise)
        if (worst <= energy).all():
            return worst
        noise *= np.random.default_rng(0).choice([-1.0, 1.0], size=noise.shape)
        e, left = self.solve(noise, 0.1 * energy)
        products = np.atleast_1d(np.einsum("i...,i...->...", noise, e))
        return np.minimum(worst, 4.0 * (np.sqrt(np.maximum(products, 0.0)) + left))

    def _noise(self, x: FloatArray, w: FloatArray) -> FloatArray:
        """What rounding may hide in every entry of the residual, in the precision of w."""
        unit = float(np.finfo(w.dtype).eps)
        w = w.astype(np.float64)
        outside = np.abs(x - self.beta * (self.B @ w))
        return unit * (abs(self.B).T @ outside + abs(self.M) @ np.abs(w))

    def _most_noise(self, x: FloatArray, w: FloatArray) -> FloatArray:
        """At most `_most` of that, for every column, by norms."""
        B, M = self._norms
        outside = np.linalg.norm(x - self.beta * (self.B @ w), axis=0)
        noise = 2.0 * _UNIT * (B * outside + M * np.linalg.norm(w, axis=0))
        return np.atleast_1d(noise) / np.sqrt(self._low.min(initial=np.inf))

    @cached_property
    def _norms(self) -> tuple[float, float]:
        """Bounds of the norms of |B| and |M|."""
        return float(np.sqrt(row_sum(self.B) * row_sum(self.B.T.tocsr()))), row_sum(self.M)

    @property
    def _lower(self) -> float | None:
        """A number below the eigenvalues of (H + floor)^-1 H, as H is at least eps.

        At eps = 0 below all but those that count as zero. Unknown where the factor is not close to
        H + floor.
        """
        if self._inaccuracy > 1e-3 or self._shortest:
            return None
        if self.eps == 0.0:
            return 0.5 * self._null
        return 0.5 * self.eps / (self.eps + float(self.floor.max(initial=0.0)))  # half for rounding

    def energy_of(self, rhs: FloatArray) -> FloatArray:
        """About the energy (w^T H w)^{1/2} of the solution for a right-hand side, per column."""
        products = np.einsum("i...,i...->...", rhs, self.raised.near(rhs))
        return np.sqrt(np.atleast_1d(np.maximum(products, 0.0)))

    def refine(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same where H is not definite: refined while that helps, with the last change."""
        w = self.raised.near(self.B.T @ x)
        error = np.full(x.shape[1:] or (1,), np.inf)
        for _ in range(_MAX_STEPS):
            left = self.residual(x, w.astype(np.longdouble))
            step = self.raised.near(left.astype(np.float64))
            change = np.atleast_1d(np.linalg.norm(np.sqrt(self.beta) * (self.B @ step), axis=0))
            if not (change < 0.5 * error).any():
                break
            w, error = w + step, np.minimum(change, error)
        return w, error

    def residual(self, x: FloatArray, w: FloatArray) -> FloatArray:
        """What is left of H w = B^T x, in the precision of w.

        In this order rounding is like a change of x: no harm.
        """
        return self.B.T @ (x - self.beta * (self.B @ w)) - self._product(w)

    @cached_property
    def _inaccuracy(self) -> float:
        """How far `raised.near` is from inverting what it should, on a random vector."""
        scale = np.sqrt(self._size)  # every row counts alike, whatever its weights
        r = scale * np.random.default_rng(0).standard_normal(self.M.shape[0])
        z = self.raised.near(r)
        image = self._product(z) + self.floor * z + self.beta * (self.B.T @ (self.B @ z))
        size = float(np.linalg.norm(r / scale))
        left = float(np.linalg.norm((image - r) / scale)) / size if size else 0.0
        if not left <= 0.5:
            raise ConvergenceError(
                f"{self.raised.method} loses all digits of a matrix with eps={self.eps:g} next to "
                f"entries of {self.largest:.0e}; give a larger eps, or use solver=Direct()"
            )
        return left
