r"""The system of the eliminated cells, solved to full accuracy for any eps.

With B from the first eliminated rank to the kept one and M the effective operator of the eliminated
ranks plus eps, the values that minimize the energy of a signal x on the kept rank are w in

    H w = B^T x,    H = M + beta B^T B.

B^T B is never formed. Where M falls into small blocks, M^-1 is sparse, and solutions come from
K = I + beta B M^-1 B^T, like a graph Laplacian; elsewhere from the joint quasi-definite matrix

    | -I / beta   B |
    |  B^T        M |,

whose large cliques go first by Woodbury's identity. Both hold 1 / M, and with masses close to zero
lose all digits. So tiny masses are raised to a floor before the factorization, and conjugate
gradients on H, which see M as it is, take the difference back. That reaches the limit eps = 0.
"""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np
from scipy import sparse

from cellapse._collapse.chain import Chain
from cellapse._collapse.graded import GradedLaplacian
from cellapse._collapse.woodbury import Woodbury, has_large_cliques
from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import times
from cellapse._linalg.cg import System, conjugate_gradients
from cellapse._linalg.factor import (
    Direct,
    Solve,
    best_direct,
    can_complement,
    inverse_by_blocks,
    schur_complement,
)
from cellapse._linalg.kernel import Projector
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import ROUNDOFF, FloatArray, diagonal_matrix, row_sum, square

_FLOOR = 1e-9  # masses are raised to this, relative to the diagonal of H, before a factorization
_FLOOR_AT_ZERO = 1e-7  # with eps = 0 nothing else keeps rounding in the kernel of H small
# At eps = 0: where H is so small relative to H + floor, it is zero. Weights of different sizes make
# eigenvalues that are small but not zero: the square of their range is left for those.
_NULL = 1e-3
_LEAST_NULL = 1e-9
_MAX_STEPS = 300  # what falls short by then is said
_LOST = 0.1  # of eps: what rounding of M may take of it
_HIDDEN = 4.0  # times the energy that a residual shows; in tests up to 3.6 times were there


class Level:
    """One chain of eliminated ranks: K = I + beta B M^-1 B^T, T = A - c (I - K^-1).

    The chain leads outwards from the kept rank. `eps` of 0 asks for the limit of the
    pseudo-inverse. `definite` says whether M is at least eps, so that K is at least I. `masses` are
    M where it is known to be diagonal; otherwise it is the graded Laplacian of the eliminated ranks
    (`graded`) plus eps.
    """

    def __init__(
        self,
        chain: Chain,
        beta: FloatArray,
        gamma: FloatArray,
        eps: float,
        definite: bool = True,
        masses: FloatArray | None = None,
    ) -> None:
        self.chain, self.eps, self.definite, self.masses = chain, eps, definite, masses
        self.beta, self.gamma = float(beta[0]), float(gamma[0])
        self.c = self.gamma**2 / self.beta if self.beta > 0 else 0.0  # how far T may be below A
        self.n = chain.edges.shape[0]
        self.graded: GradedLaplacian | None = None
        if masses is None:
            further = Incidence.given(B.csr for B in chain.above)
            self.graded = GradedLaplacian(further, beta[1:], gamma[1:])

    @cached_property
    def M(self) -> sparse.csr_array:
        """The effective operator of the eliminated ranks plus eps."""
        if self.graded is None:
            assert self.masses is not None
            return diagonal_matrix(self.masses)
        n = self.graded.matrix.shape[0]
        return sparse.csr_array(self.graded.matrix + self.eps * sparse.eye_array(n))

    @cached_property
    def diagonal(self) -> bool:
        """Whether M is."""
        return bool(self.M.nnz == np.count_nonzero(self.M.diagonal()))

    @cached_property
    def B(self) -> sparse.csr_array:
        """To all eliminated cells, with empty columns for those of further ranks."""
        B = self.chain.nearest
        more = self.M.shape[0] - B.shape[1]
        return sparse.csr_array(sparse.hstack([B, sparse.csr_array((self.n, more))])) if more else B

    @cached_property
    def A(self) -> sparse.csr_array:
        """beta B B^T."""
        return self.beta * self.chain.base.A

    @cached_property
    def norm(self) -> float:
        """A bound of the norm of A."""
        edges = self.chain.edge_squares
        return row_sum(self.A) if edges is None else self.beta * edges.norm_bound()

    @cached_property
    def fixed(self) -> Projector:
        """The part of a signal that costs nothing: there K is I."""
        return Projector(self.chain.zeros)

    def size(self, x: FloatArray) -> FloatArray:
        """Compute ||A|| |x| / c for every column: what rounding of A x is in K^-1 x."""
        length = np.atleast_1d(np.linalg.norm(x, axis=0))
        return self.norm / self.c * np.maximum(length, 1e-300)

    def lost(self, error: float, what: str) -> ConvergenceError:
        """Make the error for what cannot be known well enough."""
        return ConvergenceError(
            f"(C + eps I)^-1 is known only to an error of {error:.1e} of {what}: with "
            f"eps={self.eps:g} and weights of such different sizes C is next to singular; "
            "give a larger eps, or rescale the weights of the cells"
        )


class EliminatedSystem:
    """H w = B^T x of one level, by one factorization.

    `floor` is added to the masses for the factorization: to tiny ones by default. Given for all of
    them, the solution of a singular H is the shortest one; a thousandth of it is taken for zero.
    `largest` is the largest entry of the diagonal of H.
    """

    def __init__(
        self, level: Level, floor: FloatArray | None = None, solver: Direct | None = None
    ) -> None:
        self.level, self.solver = level, solver
        self.B, self.beta, self.M, self.eps = level.B, level.beta, level.M, level.eps
        masses = self.M.diagonal()
        size = masses + self.beta * np.bincount(self.B.indices, self.B.data**2, len(masses))
        self.largest = largest = float(size.max(initial=0.0)) or 1.0
        self._size = size = np.where(size > 0, size, largest)  # a cell that nothing holds: any mass
        # What is not diagonal can be close to singular whatever its diagonal: only eps is sure.
        sure = masses if level.diagonal else np.full(len(size), self.eps)
        self._null, self._shortest = 0.0, floor is not None
        if floor is not None:
            self._null = _NULL  # the solution is to have no part there
        else:
            if self.eps == 0.0:
                range_ = float(size.min(initial=largest) / largest)
                self._null = max(_LEAST_NULL, _NULL * range_**2)
            least = (_FLOOR if self.eps > 0.0 else _FLOOR_AT_ZERO) * size
            floor = np.where(sure < least, least, 0.0)
        self.floor = floor
        # H is at least this: at eps = 0 on all but its kernel.
        self._low = np.maximum(sure, self._null * self.floor)

    # The factorization, of K or of the joint matrix

    @property
    def exact(self) -> bool:
        """Whether M is factorized as it is."""
        return not self.floor.any()

    @cached_property
    def _raised(self) -> sparse.csr_array:
        return self.M if self.exact else self.M + diagonal_matrix(self.floor)

    @cached_property
    def reduced(self) -> tuple[sparse.csr_array, sparse.csr_array] | None:
        """K - I and M^-1, where the latter is sparse; of the masses that are raised."""
        inverse = inverse_by_blocks(self._raised)
        if inverse is None:
            return None
        diagonal = inverse.diagonal()
        if inverse.nnz == np.count_nonzero(diagonal):
            return self.beta * square(self.B, diagonal), inverse
        return sparse.csr_array(self.beta * (self.B @ inverse @ self.B.T)), inverse

    @cached_property
    def woodbury(self) -> Woodbury | None:
        """Dense algebra on few faces, where that is quicker and works."""
        graded = self.level.graded
        if graded is None or self.solver is not None or self.reduced is not None:
            return None  # a solver that was asked for is used
        if not has_large_cliques(graded.incidence.n_cells, self._joint(self._raised)):
            return None
        try:
            return Woodbury(self.B, self.beta, graded, self.eps + self.floor)
        except np.linalg.LinAlgError:  # rounding has taken what masses close to zero give
            return None

    def joint(self) -> sparse.csr_array:
        """Make the quasi-definite matrix; of the nearest cells alone where cliques are large.

        Both have the same inverse there, and as many negative eigenvalues: those eliminated are
        positive.
        """
        nearest = None if self.woodbury is None else sparse.csr_array(self.woodbury.nearest)
        return self._joint(self._raised if nearest is None else nearest)

    def _joint(self, M: sparse.csr_array) -> sparse.csr_array:
        B = self.B[:, : M.shape[0]]
        D = diagonal_matrix(np.full(self.level.n, -1.0 / self.beta))
        return sparse.csr_array(sparse.block_array([[D, B], [B.T, M]]))

    @cached_property
    def largest_of_k(self) -> float:
        """The largest entry of K - I."""
        return np.inf if self.reduced is None else float(self.reduced[0].diagonal().max(initial=0))

    @cached_property
    def _direct(self) -> Direct:
        rows = self.level.n + (0 if self.reduced is not None else len(self.floor))
        return self.solver or best_direct(rows)

    @property
    def method(self) -> str:
        """How it is solved, in words."""
        if self.woodbury is not None:
            return "dense algebra on the faces, which are few for their cells"
        return str(self._direct)

    @cached_property
    def factor(self) -> Solve:
        """Solve with K, or with the joint matrix."""
        reduced = self.reduced
        system = self.joint() if reduced is None else sparse.eye_array(self.level.n) + reduced[0]
        try:
            return self._direct.prepare(system)
        except ConvergenceError as error:
            raise ConvergenceError(
                f"{error}; give a larger eps than {self.eps:g}, or rescale the weights of the cells"
            ) from None

    def precondition(self, r: FloatArray) -> FloatArray:
        """Compute (H + floor)^-1 r, for one vector or many columns."""
        if self.reduced is not None:
            inverse = self.reduced[1]
            v = self.factor(-self.beta * (self.B @ (inverse @ r)))
            return inverse @ (self.B.T @ v + r)
        if self.woodbury is not None:
            return self.woodbury.solve(r)
        n = self.level.n
        return self.factor(np.concatenate([np.zeros((n, *r.shape[1:])), r]))[n:]

    # K - I = beta B M^-1 B^T

    @cached_property
    def knows_k(self) -> bool:
        """Whether the residual of K v = x bounds the error of v: M^-1 is exact, or nearly so."""
        if not self.exact or self.reduced is None:
            return False
        if self.level.diagonal:
            return True
        x = np.random.default_rng(0).standard_normal(self.level.n)
        return bool(np.isfinite(self.less_identity(x)).all())

    def less_identity(self, v: FloatArray) -> FloatArray:
        """Compute (K - I) v, where M falls into small blocks."""
        assert self.reduced is not None
        G, inverse = self.reduced
        return times(G, v) if self.level.diagonal else self._by_inverse(inverse.__matmul__, v)

    def dense(self) -> tuple[FloatArray, Solve] | None:
        """Make K - I an array, and the function v -> (K - I) v; None where K is not known."""
        if self.knows_k:
            assert self.reduced is not None
            return self.reduced[0].toarray(), self.less_identity
        if not self.exact or self.reduced is not None or self.solver is not None:
            return None
        if self.woodbury is not None or not can_complement():
            return None
        n = self.level.n
        places = np.arange(n + 1)  # PARDISO wants an entry for all of the diagonal
        nothing = sparse.csr_array((np.zeros(n), places[:-1], places), shape=(n, n))
        upper = sparse.block_array([[nothing, self.B], [None, sparse.triu(self.M)]], format="csr")
        complement, inverse = schur_complement(upper, n)
        complement *= -self.beta
        return complement, partial(self._by_inverse, inverse)

    def _by_inverse(self, inverse: Solve, v: FloatArray) -> FloatArray:
        """Compute (K - I) v by an inverse of M, refined once; nan where that is not enough."""
        y = self.B.T @ v
        q = inverse(y)
        step = inverse(y - self._product(q))
        good = np.linalg.norm(step) <= 1e-8 * np.linalg.norm(q)
        return self.beta * (self.B @ (q + step)) if good else np.full_like(v, np.nan)

    # H w = B^T x

    def values(
        self, x: FloatArray, energy: FloatArray, enough: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Find w, and bound the energy (e^T H e)^{1/2} of its error for every column.

        It is at least beta^{1/2} |B e|, and eps^{1/2} |e|. What a solve leaves may be `enough`.
        """
        enough = energy if enough is None else enough
        rhs = self.B.T @ x
        if self.eps > 0.0:  # H is at least eps: what a solve leaves bounds its error
            w = self.precondition(rhs)
            left, bound = self._left(x, w)
            if not (bound <= enough).all():  # refined once, before steps of many digits
                w = w + self.precondition(left)
                bound = self._left(x, w)[1]
            if (bound <= enough).all():
                return w, bound
        w, bound = self.solve(rhs, energy, x)
        w = w.astype(np.longdouble, copy=False)  # as its residual was computed
        left = self.residual(x, w)
        if not self.level.diagonal and ROUNDOFF * row_sum(self.M) > _LOST * self.eps > 0.0:
            # The factor is not one of H: only that H is at least eps bounds the error.
            return w, self._most(left) + self._most(self._noise(x, w))
        # Steps in double precision may end further off than they say: the residual shows it.
        shown = _HIDDEN * self.energy_of(left.astype(np.float64))
        return w, np.maximum(bound, shown) + self._unseen(x, w, energy)

    def refine(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Find w by iterative refinement where H is not definite, with the last change."""
        w = self.precondition(self.B.T @ x)
        error = np.full(x.shape[1:] or (1,), np.inf)
        for _ in range(_MAX_STEPS):
            left = self.residual(x, w.astype(np.longdouble))
            step = self.precondition(left.astype(np.float64))
            change = np.atleast_1d(np.linalg.norm(np.sqrt(self.beta) * (self.B @ step), axis=0))
            if not (change < 0.5 * error).any():
                break
            w, error = w + step, np.minimum(change, error)
        return w, error

    def solve(
        self, rhs: FloatArray, energy: FloatArray, x: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Solve H w = rhs by conjugate gradients, and bound the energy of the error.

        If rhs = B^T x, its residuals are computed in extended precision.
        """
        system = _Hessian(self) if x is None else _OfSignal(self, x)
        lower = self._lower
        return conjugate_gradients(system, rhs, energy, lower, _MAX_STEPS, self._null)

    def product(self, w: FloatArray) -> FloatArray:
        """Compute H w."""
        return self._product(w) + self.beta * (self.B.T @ (self.B @ w))

    def energy_of(self, rhs: FloatArray) -> FloatArray:
        """Estimate the energy (w^T H w)^{1/2} of the solution for a right-hand side, per column."""
        products = np.einsum("i...,i...->...", rhs, self.precondition(rhs))
        return np.sqrt(np.atleast_1d(np.maximum(products, 0.0)))

    def residual(self, x: FloatArray, w: FloatArray) -> FloatArray:
        """Compute the residual of H w = B^T x, in the precision of w.

        In this order rounding errors are backward errors in x.
        """
        return self.B.T @ (x - self.beta * (self.B @ w)) - self._product(w)

    def _product(self, w: FloatArray) -> FloatArray:
        """M w, with as little rounding as can be."""
        graded = self.level.graded
        return self.M @ w if graded is None else graded.apply(w) + self.eps * w

    # What is known of the error

    def _left(self, x: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute the residual, and bound the energy of the error by it and by rounding."""
        left = self.residual(x, w)
        return left, self._most(left) + self._most(self._noise(x, w))

    def _most(self, r: FloatArray) -> FloatArray:
        """Bound (r^T H^-1 r)^{1/2}, per column, as if all of it went where H is smallest."""
        return np.sqrt(np.atleast_1d(np.einsum("i,i...->...", 1.0 / self._low, r**2)))

    def _unseen(self, x: FloatArray, w: FloatArray, energy: FloatArray) -> FloatArray:
        """Bound the energy of an error that rounding may hide from the residual, per column.

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
        """Bound what rounding hides in every entry of the residual, in the precision of w."""
        unit = float(np.finfo(w.dtype).eps)
        w = w.astype(np.float64)
        outside = np.abs(x - self.beta * (self.B @ w))
        return unit * (abs(self.B).T @ outside + abs(self.M) @ np.abs(w))

    @property
    def _lower(self) -> float | None:
        """A number below the eigenvalues of (H + floor)^-1 H that do not count as zero.

        Unknown where the factor is not close to H + floor.
        """
        if self._inaccuracy > 1e-3 or self._shortest:
            return None
        if self.eps == 0.0:
            return 0.5 * self._null
        return 0.5 * self.eps / (self.eps + float(self.floor.max(initial=0.0)))  # half for rounding

    @cached_property
    def _inaccuracy(self) -> float:
        """How far `precondition` is from inverting what it should, on a random vector."""
        scale = np.sqrt(self._size)  # every row counts alike, whatever its weights
        r = scale * np.random.default_rng(0).standard_normal(self.M.shape[0])
        z = self.precondition(r)
        image = self.product(z) + self.floor * z
        size = float(np.linalg.norm(r / scale))
        left = float(np.linalg.norm((image - r) / scale)) / size if size else 0.0
        if not left <= 0.5:
            raise ConvergenceError(
                f"{self.method} loses all digits of a matrix with eps={self.eps:g} beside "
                f"entries of {self.largest:.0e}; give a larger eps, or use solver=Direct()"
            )
        return left


class _Hessian(System):
    """H, preconditioned by (H + floor)^-1."""

    def __init__(self, system: EliminatedSystem) -> None:
        self._system = system

    def apply(self, x: FloatArray) -> FloatArray:
        return self._system.product(x)

    def precondition(self, r: FloatArray) -> FloatArray:
        return self._system.precondition(r)


class _OfSignal(_Hessian):
    """H w = B^T x."""

    extended = True

    def __init__(self, system: EliminatedSystem, x: FloatArray) -> None:
        super().__init__(system)
        self._x = x if x.ndim == 2 else x[:, None]

    def residual(self, rhs: FloatArray, x: FloatArray) -> FloatArray:
        return self._system.residual(self._x, x.astype(np.longdouble))
