r"""Ways to the smallest eigenpairs of a symmetric operator, as small frozen objects.

Every solver works on the symmetric form D^{-1/2} S D^{-1/2} of S u = lambda D u with the known
kernel projected out, and is chosen by `S.spectrum(k, solver=...)`; `Auto` explains its choice.
`run` finds eigenpairs; `look` searches what they leave for more, from a random block: a Krylov
space of one vector holds one copy of a repeated eigenvalue, and rounding the others late or never.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh, lobpcg

from cellapse._errors import ConvergenceError, InputError, extra
from cellapse._linalg.cg import rough_solution
from cellapse._linalg.direct import Solve
from cellapse._linalg.kernel import Projector
from cellapse._linalg.lapack import symmetric_eigenpairs
from cellapse._shared.checks import one_of
from cellapse._shared.progress import Line

FloatArray = NDArray[np.float64]
Apply = Callable[..., FloatArray]
Pairs = tuple[FloatArray, FloatArray]
Correction = Callable[[FloatArray, FloatArray], FloatArray]

_RESTARTS = 4  # of LOBPCG
_GUARD = 4  # extra vectors of A with which a refinement starts
_PRODUCTS = 10_000  # with a collapse, that Lanczos takes at most: about a minute


@dataclass(frozen=True, eq=False)
class Problem:
    """A symmetric eigenvalue problem, already scaled by the mass and without its known kernel.

    Attributes
    ----------
    n, k : int
        Size, and number of eigenpairs wanted besides the kernel.
    apply : function
        x, slack -> S x, for one vector or many columns. Where S x is found by iterations, `slack`
        allows an error so many times larger than what the tolerance asks for.
    kernel : sparse matrix
        Orthonormal columns that S maps to zero.
    found : (n, any) array
        Orthonormal columns that are known already, and left out like the kernel.
    norm : float
        An upper bound of ||S||.
    tol : float
        Residual to reach, relative to `norm`.
    dense : function
        The operator as an array.
    factor : function
        Name of a factorization -> (shift below the spectrum, x -> (S - shift)^-1 x), or None.
    plain : Problem or None
        The same for A, where S is the collapse of A.
    matrix : sparse matrix
        A.
    lowest : function or None
        k -> the first k eigenpairs, where the operator keeps them.
    drop : float
        How far S may be below A.
    seed : int
        Of random starts.
    """

    n: int
    k: int
    apply: Apply
    kernel: sparse.csr_array
    found: FloatArray
    norm: float
    tol: float
    dense: Callable[[], FloatArray]
    factor: Callable[[str], tuple[float, Solve] | None]
    plain: Problem | None
    matrix: sparse.csr_array
    lowest: Callable[[int], Pairs] | None
    drop: float
    seed: int = 0

    @cached_property
    def _fixed(self) -> Projector:
        return Projector(self.kernel)

    @property
    def room(self) -> int:
        """Dimension of the space that is left."""
        return self.n - self.kernel.shape[1] - self.found.shape[1]

    def project(self, x: FloatArray) -> FloatArray:
        """Remove the part of x in the kernel, and along what is known."""
        x = x - self._fixed(x)
        return x - self.found @ (self.found.T @ x) if self.found.shape[1] else x

    def start(self, columns: int | None = None) -> FloatArray:
        """A random start without a part in the kernel; the same in every run."""
        shape = (self.n,) if columns is None else (self.n, columns)
        rng = np.random.default_rng(self.seed)
        return self.project(rng.standard_normal(shape))

    def without(self, vectors: FloatArray, look: int) -> Problem:
        """The same problem off some vectors, for another look.

        With another start: the last one holds one vector of every eigenspace, and where that is
        found, nothing of the others.
        """
        basis = linalg.qr(np.hstack([self.found, vectors]), mode="economic")[0]
        return replace(self, found=basis, lowest=None, seed=look)

    def upside_down(self) -> Problem:
        """The problem of norm - S, whose smallest eigenpairs are the largest of S."""

        def apply(x: FloatArray, slack: float = 1.0) -> FloatArray:
            return self.norm * x - self.apply(x, slack)

        def dense() -> FloatArray:
            return self.norm * np.eye(self.n) - self.dense()

        return replace(
            self, apply=apply, dense=dense, factor=lambda _: None, plain=None, lowest=None
        )


@dataclass(frozen=True)
class Dense:
    """All eigenpairs of the dense matrix by LAPACK: complete, for up to a few thousand cells."""

    def run(self, problem: Problem) -> Pairs:
        """The smallest eigenpairs."""
        S, P = problem.dense(), problem.kernel
        if P.shape[1]:  # lift the kernel out of the way instead of trusting rounding with it
            S = S + 2.0 * problem.norm * (P @ P.T).toarray()
        return symmetric_eigenpairs(S, 0, problem.k)

    def look(self, problem: Problem, below: float, block: int) -> Pairs:
        """Nothing: a dense solver misses nothing."""
        return np.empty(0), np.empty((problem.n, 0))


@dataclass(frozen=True)
class ShiftInvert:
    """Lanczos on (S - s)^-1, from one sparse factorization; for graphs that can be cut cheaply.

    Parameters
    ----------
    factorization : {"superlu", "pardiso", "cholmod", "qdldl"}
    """

    factorization: str = "superlu"

    def run(self, problem: Problem) -> Pairs:
        """The smallest eigenpairs."""
        shift, solve = _factor(problem, self.factorization)
        mu, vectors = _lanczos(problem, solve, 2 * problem.k + 10, 1e-12)
        return shift + 1.0 / mu, vectors

    def look(self, problem: Problem, below: float, block: int) -> Pairs:
        """Eigenpairs below a value, where there are any."""
        return _below(self.run(replace(problem, k=block)), below)


@dataclass(frozen=True)
class Lanczos:
    """Lanczos on S itself: nothing is factorized; for graphs that expand (random, small-world).

    Parameters
    ----------
    n_basis : int, optional
        Size of the Krylov basis between restarts.
    """

    n_basis: int | None = None

    def run(self, problem: Problem) -> Pairs:
        """The smallest eigenpairs."""
        return self._run(problem, 0.3 * problem.tol, problem.start())

    def look(self, problem: Problem, below: float, block: int) -> Pairs:
        """Eigenpairs below a value, where there are any."""
        problem, start, tol = replace(problem, k=block), problem.start(), 1e-3
        while True:
            values, vectors = self._run(problem, tol, start)
            if values[0] - 2.0 * tol * problem.norm > below:
                return np.empty(0), np.empty((problem.n, 0))
            if tol <= problem.tol:
                return _below((values, vectors), below)
            # As much chance as before: what is still hidden must not stay so because it is small.
            again = problem.start()
            start = problem.project(vectors.sum(axis=1)) + again / np.linalg.norm(again)
            tol = max(1e-3 * tol, 0.3 * problem.tol)

    def _run(self, problem: Problem, tol: float, start: FloatArray) -> Pairs:
        top = problem.norm

        # Reflected, so that tolerances are relative to ||S|| and the kernel is out of the way.
        def reflected(x: FloatArray) -> FloatArray:
            return top * x - problem.apply(x)

        image = problem.project(reflected(start))
        if (
            np.linalg.norm(image) <= 1e-14 * top * np.linalg.norm(start)
            and problem.k <= problem.room
        ):
            # Zero on what is left, which ARPACK stops at: everything is an eigenvector.
            return np.full(problem.k, top), linalg.qr(problem.start(problem.k), mode="economic")[0]
        basis = self.n_basis or max(40, 2 * problem.k + 20)
        # A product with a collapse is a solve: what needs more of them is no task for Lanczos.
        limit = None if problem.plain is None else _PRODUCTS // max(basis - problem.k, 1)
        mu, vectors = _lanczos(problem, reflected, basis, tol, start, limit)
        return top - mu, vectors


@dataclass(frozen=True)
class Davidson:
    """Starts from the eigenvectors of A and corrects them, with A alone.

    The collapse moves A by little in the directions that matter, so a few corrections do; each is
    a Rayleigh-Ritz step in the space of all vectors so far and (A - s)^-1 times the residuals.

    Parameters
    ----------
    factorization : {"superlu", "pardiso", "cholmod", "qdldl"} or None
        How (A - s)^-1 is applied: s = 0 and a factorization, or, with None, s next to each
        eigenvalue and conjugate gradients off the eigenvectors of A, for graphs that expand.
    max_steps : int
    """

    factorization: str | None = "superlu"
    max_steps: int = 60

    def run(self, problem: Problem) -> Pairs:
        """The smallest eigenpairs."""
        if problem.k > problem.room - 2:
            raise InputError(f"{self} for {problem.k} of {problem.n}; use Dense() for so many")
        start = min(problem.k + _GUARD, problem.room - 1)
        V, correct = self._start(self._plain(problem), start, problem.k)
        return self._iterate(problem, V, correct)

    def look(self, problem: Problem, below: float, block: int) -> Pairs:
        """Eigenpairs below a value, where there are any."""
        plain = self._plain(problem)
        if self.factorization is not None:
            solve = _factor(plain, self.factorization)[1]
        else:

            def solve(r: FloatArray) -> FloatArray:
                return rough_solution(lambda p: problem.project(plain.matrix @ p), r)

        def correct(X: FloatArray, R: FloatArray) -> FloatArray:
            return solve(R)

        V = solve(problem.start(block + 2))  # smooth, and still random where it counts
        return _below(self._iterate(replace(problem, k=block), V, correct, below), below)

    def _iterate(
        self, problem: Problem, V: FloatArray, correct: Correction, below: float | None = None
    ) -> Pairs:
        """Until k eigenpairs are found, or, given a value, none can be below it."""
        k = problem.k
        V = linalg.qr(problem.project(V), mode="economic")[0]
        W = problem.apply(V)
        H = _symmetric(V.T @ W)
        room = min(max(8 * k, 80), problem.room)
        goal, line = 0.5 * problem.tol * problem.norm, Line("Davidson")
        for step in range(self.max_steps):
            values, rotation = linalg.eigh(H, driver="evd")
            X, Y = V @ rotation[:, :k], W @ rotation[:, :k]
            R = problem.project(Y - X * values[:k])
            size = np.linalg.norm(R, axis=0)
            nothing = below is not None and step > 2 and values[0] - size[0] > below
            if size.max() <= goal or nothing or V.shape[1] >= problem.room:
                line.end()
                return values[:k], X
            left = f"step {step}, residual {size.max():.1e} on the way to {goal:.1e}"
            line.say(lambda _, left=left: left)  # type: ignore[misc]
            if V.shape[1] + k > room:  # keep the best, forget the way to them
                keep = rotation[:, : 2 * k]
                V, W, H = V @ keep, W @ keep, np.diag(values[: 2 * k])
            open_ = size > 0.1 * goal
            steps = correct(X[:, open_], R[:, open_])
            # A step enters the result with its size: S times it may be as much less accurate, as
            # long as its couplings to what was there come from the older, accurate side.
            slack = 0.1 / max(float(np.linalg.norm(steps, axis=0).max()), 1e-5)
            steps = _off(steps, V, problem)
            if not steps.shape[1]:
                break
            image = problem.apply(steps, slack)
            across = steps.T @ W
            H = np.block([[H, across.T], [across, _symmetric(steps.T @ image)]])
            V, W = np.hstack([V, steps]), np.hstack([W, image])
        line.end()
        raise ConvergenceError(
            f"Davidson() reached a residual of {size.max():.1e} after {step + 1} steps, "
            f"short of {goal:.1e}; allow more max_steps, or use Lanczos()"
        )

    def _plain(self, problem: Problem) -> Problem:
        if problem.plain is None:
            raise InputError(
                "Davidson() starts from the eigenvectors of A, and this operator is A itself; "
                "use ShiftInvert() or Lanczos()"
            )
        return problem.plain

    def _start(self, plain: Problem, count: int, k: int) -> tuple[FloatArray, Correction]:
        """The first eigenvectors of A, and the correction (X, R) -> (A - s)^-1 R."""
        if plain.lowest is not None:
            values, V = plain.lowest(count)
        else:
            solver = ShiftInvert(self.factorization) if self.factorization else Lanczos()
            values, V = solver.run(replace(plain, k=count))
        if self.factorization is not None:
            solve = _factor(plain, self.factorization)[1]
            return V, lambda X, R: solve(R)
        A = plain.matrix

        def off(x: FloatArray) -> FloatArray:
            x = x - V @ (V.T @ x)
            return plain.project(x)

        def correct(X: FloatArray, R: FloatArray) -> FloatArray:
            # Off the eigenvectors known, A - s is positive definite for s up to the k-th value.
            shift = np.minimum(np.einsum("ij,ij->j", X, A @ X), values[k - 1])
            return rough_solution(lambda p: off(A @ p - shift * p), off(R))

        return V, correct


@dataclass(frozen=True)
class LOBPCG:
    """Locally optimal block iteration, for what is too large to factorize.

    Parameters
    ----------
    preconditioner : {"jacobi", "amg"}
        The diagonal of A, or algebraic multigrid on A (needs pyamg, extra `fast`).
    max_steps : int
    """

    preconditioner: str = "jacobi"
    max_steps: int = 500

    def __post_init__(self) -> None:
        one_of("preconditioner", self.preconditioner, ("jacobi", "amg"))

    def run(self, problem: Problem) -> Pairs:
        """The smallest eigenpairs."""
        n, k = problem.n, problem.k
        if problem.room < 5 * (k + _GUARD):
            raise InputError(f"LOBPCG() for {k} of {n} eigenpairs; use Dense() for so many")
        if self.preconditioner == "amg":
            with extra("pyamg", "fast"):
                from pyamg import smoothed_aggregation_solver
            ridge = 1e-6 * problem.norm * sparse.eye_array(n)
            multigrid = smoothed_aggregation_solver(sparse.csr_matrix(problem.matrix + ridge))
            M = multigrid.aspreconditioner()
        else:
            M = sparse.diags_array(1.0 / (problem.matrix.diagonal() + 1e-6 * problem.norm))
        tol = 0.7 * problem.tol * problem.norm
        known = np.hstack([problem.kernel.toarray(), problem.found])
        operator = LinearOperator((n, n), matvec=problem.apply, matmat=problem.apply, dtype=float)
        block = problem.start(k + _GUARD)
        for _ in range(_RESTARTS):  # its last digits get lost in the basis: a new one finds them
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the residual is checked below
                values, block = lobpcg(
                    operator,
                    block,
                    M=M,
                    Y=known if known.shape[1] else None,
                    tol=0.5 * tol,
                    maxiter=self.max_steps,
                    largest=False,
                )
            order = np.argsort(values)
            values, block = values[order], block[:, order]
            vectors = block[:, :k]
            left = np.linalg.norm(problem.apply(vectors) - vectors * values[:k], axis=0).max()
            if left <= tol:
                return values[:k], vectors
            if left > 100.0 * tol:  # more is missing than the last digits
                break
        raise ConvergenceError(
            f"LOBPCG stopped at a residual of {left:.1e}, short of {tol:.1e}, after "
            f"{self.max_steps} steps; raise tol or max_steps, or use another solver"
        )

    def look(self, problem: Problem, below: float, block: int) -> Pairs:
        """Eigenpairs below a value, where there are any."""
        if problem.room < 5 * (block + _GUARD):
            return Lanczos().look(problem, below, block)
        roughly = max(1e-5, problem.tol)
        values, _ = self.run(replace(problem, k=block, tol=roughly))
        if values[0] - roughly * problem.norm > below:
            return np.empty(0), np.empty((problem.n, 0))
        return _below(self.run(replace(problem, k=block)), below)


def _below(pairs: Pairs, value: float) -> Pairs:
    values, vectors = pairs
    return values[values < value], vectors[:, values < value]


def _factor(problem: Problem, name: str) -> tuple[float, Solve]:
    found = problem.factor(name)
    if found is None:
        raise InputError(
            "there is nothing to factorize for this operator (eps = 0, or several ranks at once); "
            "use Dense() or Lanczos()"
        )
    return found


def _lanczos(
    problem: Problem,
    apply: Apply,
    basis: int,
    tol: float,
    start: FloatArray | None = None,
    restarts: int | None = None,
) -> Pairs:
    """The largest eigenpairs of an operator off the kernel, in descending order."""
    n, k = problem.n, problem.k
    if k >= n or k > problem.room:
        raise InputError(f"an iteration for {k} of {n} eigenpairs; use Dense() for so many")

    line, products = Line("Lanczos"), count(1)

    def matvec(x: FloatArray) -> FloatArray:
        done = next(products)
        line.say(lambda passed: f"{done:,} products with the operator in {passed:.0f} s")
        return problem.project(apply(problem.project(x.ravel())))

    operator = LinearOperator((n, n), matvec=matvec, dtype=np.float64)
    try:
        mu, vectors = eigsh(
            operator,
            k=k,
            which="LA",
            v0=problem.start() if start is None else start,
            ncv=min(n, basis),
            tol=tol,
            maxiter=restarts,
        )
    except ArpackNoConvergence as error:
        raise ConvergenceError(
            f"{len(error.eigenvalues)} of {k} eigenpairs converged to a relative residual of "
            f"{tol:.0e}; raise tol or eps, or use another solver"
        ) from None
    except ArpackError as error:
        raise ConvergenceError(f"ARPACK gave up on {k} eigenpairs ({error})") from None
    finally:
        line.end()
    order = np.argsort(-mu)
    return mu[order], problem.project(vectors[:, order])


def _off(steps: FloatArray, V: FloatArray, problem: Problem) -> FloatArray:
    """An orthonormal basis of what the steps add to the space of V, off the kernel."""
    for _ in range(3):  # once is not enough when a step is nearly inside the space
        steps = problem.project(steps)
        steps = steps - V @ (V.T @ steps)
        length = np.linalg.norm(steps, axis=0)
        Q, R, _ = linalg.qr(
            steps / np.where(length > 0, length, 1.0), mode="economic", pivoting=True
        )
        steps = Q[:, abs(R.diagonal()) > 1e-10]
    return steps


def _symmetric(M: FloatArray) -> FloatArray:
    return (M + M.T) / 2


EigenSolver = Dense | ShiftInvert | Lanczos | Davidson | LOBPCG
