r"""The eigenproblem as the solvers see it, and their contract.

    S u = lambda D u    becomes    D^{-1/2} S D^{-1/2} v = lambda v,    u = D^{-1/2} v.

The problem is symmetric, and scaled by the mass. The kernel, if it is known, is projected out, and
so are vectors that have been found: Krylov methods miss repeated zeros. The largest eigenpairs are
the smallest of norm - S.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import linalg, sparse

from cellapse._errors import InputError
from cellapse._linalg.blas import remove_span, symmetric_eigenpairs, times
from cellapse._linalg.eigen.inertia import count_below, shift_inverse
from cellapse._linalg.factor import Direct, Solve
from cellapse._linalg.kernel import Projector, scaled_kernel
from cellapse._linalg.symmetric import Deficit, SymmetricOperator
from cellapse._linalg.tuning import HUBS
from cellapse._shared.arrays import Entries, FloatArray, row_sum

Pairs = tuple[FloatArray, FloatArray]  # eigenvalues, and eigenvectors as columns

_ABOVE = 1e-6  # relative to the bound of the spectrum: how far a shift is above it


class FirstPairs(NamedTuple):
    """The first eigenpairs off the kernel, none missing.

    Attributes
    ----------
    values, vectors : arrays
    certain : bool
        Whether it was counted that none is missing, or only searched for.
    more : (n, any) array
        Orthonormal columns close to the eigenvectors that come next: a start for more.
    """

    values: FloatArray
    vectors: FloatArray
    certain: bool
    more: FloatArray

    def first(self, k: int) -> FirstPairs:
        """Take the first k eigenpairs, and count the others among `more`."""
        more = np.hstack([self.vectors[:, k:], self.more])
        return FirstPairs(self.values[:k], self.vectors[:, :k], self.certain, more)


class Base(NamedTuple):
    """A sparse eigenproblem beside that of S: S <= scale * A, and scale * A - c <= S."""

    problem: Problem
    scale: float
    c: float


@dataclass(frozen=True, eq=False)
class Problem:
    """An operator with a mass, and which of its eigenpairs to find; made by `eigenproblem`.

    Attributes
    ----------
    operator : SymmetricOperator
        S.
    k : int
        Number of eigenpairs to find besides the kernel.
    tol : float
        Residual to reach, relative to `norm`.
    norm : float
        An upper bound of the largest eigenvalue.
    root : (n,) array
        Square roots of the masses.
    kernel : Entries or None
        Orthonormal columns that the scaled operator maps to zero, if they are known.
    deflated : (n, any) array
        Orthonormal columns that have been found already, and are left out like the kernel.
    largest : bool
        Whether to find the largest eigenpairs: then `apply` is norm - S.
    certify : bool
        Whether eigenvalues may be counted by factorizations.
    seed : int
        Of random starts.
    start : FirstPairs or None
        Eigenpairs of the base to start from, for solvers that ask for them.
    found : dict
        Factors and pairs so far; of a whole problem without masses its operator keeps them.
    """

    operator: SymmetricOperator
    k: int
    tol: float
    norm: float
    root: FloatArray
    kernel: Entries | None
    deflated: FloatArray
    largest: bool
    certify: bool
    seed: int = 0
    start: FirstPairs | None = None
    found: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        return len(self.root)

    @property
    def n_kernel(self) -> int:
        """Dimension of the kernel, as far as it is known."""
        return 0 if self.kernel is None else self.kernel.shape[1]

    @property
    def count(self) -> int:
        """Number of eigenpairs to find, the kernel among them."""
        return self.k + self.n_kernel

    @property
    def dimension(self) -> int:
        """Dimension of the space that is left."""
        return self.n - self.n_kernel - self.deflated.shape[1]

    @cached_property
    def unit_mass(self) -> bool:
        """Whether all masses are 1."""
        return bool((self.root == 1.0).all())

    @cached_property
    def onto_kernel(self) -> Projector:
        """The projector onto the kernel, as far as it is known."""
        return Projector(self.kernel)

    @cached_property
    def error(self) -> float:
        """The error of a product that does not show in the residual."""
        return 0.05 * self.tol * self.norm * float(self.root.min())

    def apply(self, x: FloatArray, slack: float = 1.0) -> FloatArray:
        """Multiply the scaled operator by one vector or many columns.

        If S x takes iterations, its error may be `slack` times what the tolerance asks for.
        """
        error, by = max(slack, 1.0) * self.error, self._scale(x)
        image = self.operator.apply(x if by is None else x / by, error)
        if by is not None:
            image = image / by
        return self.norm * x - image if self.largest else image

    def _scale(self, x: FloatArray) -> FloatArray | None:
        """D^{1/2} as it multiplies x; None if that is 1."""
        if self.unit_mass:
            return None
        return self.root if x.ndim == 1 else self.root[:, None]

    def dense(self) -> FloatArray:
        """Make the scaled operator an array."""
        S = self.operator.toarray(self.error)
        if not self.unit_mass:
            S = S / self.root
            S /= self.root[:, None]
        return self.norm * np.eye(self.n) - S if self.largest else S

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """The scaled operator as a sparse matrix, if it is one, or else A."""
        matrix = self.operator.A if self.operator.matrix is None else self.operator.matrix
        if self.unit_mass:
            return matrix
        scale = sparse.diags_array(1.0 / self.root)
        return sparse.csr_array(scale @ matrix @ scale)

    @cached_property
    def has_hubs(self) -> bool:
        """Whether some rows are so heavy that a polynomial of the matrix mainly sees those."""
        return has_hubs(self.matrix)

    @cached_property
    def base(self) -> Base | None:
        """The same problem for A without its weight, if S is a collapse of A.

        With masses for its lower bound instead, whose eigenvectors are closer to those of S; unless
        it has hubs, and no factor to solve with despite them.
        """
        deficit = self.operator.deficit
        if deficit is None or self.largest:
            return None
        masses = self.root**2
        if not self.unit_mass:
            if "lower bound" not in self.found:
                lower = lower_bound(deficit, masses)
                hubs = lower is not None and deficit.iterative and has_hubs(lower.A)
                self.found["lower bound"] = None if hubs else lower
            lower = self.found["lower bound"]
            if lower is not None:
                return Base(eigenproblem(lower, self.count, tol=self.tol), deficit.scale, 0.0)
        problem = replace(
            self,
            operator=deficit.base,
            norm=deficit.base.norm_bound(masses),
            deflated=self.deflated[:, :0],
            certify=True,
            seed=0,
            start=None,
            found=deficit.base.found if self.unit_mass else self.found.setdefault("of base", {}),
        )
        return Base(problem, deficit.scale, deficit.c / float(masses.min(initial=np.inf)))

    def factor(self, direct: Direct) -> tuple[float, Solve]:
        """Give a shift s below the spectrum and x -> (S - s)^-1 x; of norm - S for the largest."""
        if self.found.get("factorization") != direct:
            factor = self._factor(direct)
            if factor is None:
                raise InputError(
                    "there is nothing to factorize for this operator (eps = 0, or several ranks "
                    "at once); use Dense() or Lanczos()"
                )
            self.found.update(factorization=direct, factor=factor)
        kept: tuple[float, Solve] = self.found["factor"]
        return kept

    def _factor(self, direct: Direct) -> tuple[float, Solve] | None:
        above, masses = None, self.root**2
        if self.largest:  # a matrix may be far below the A it is made of
            matrix = self.operator.matrix
            above = self.norm if matrix is None else row_sum(matrix, masses) or 1.0
            above *= 1.0 + _ABOVE
        pair = shift_inverse(self.operator, masses, direct, above)
        if pair is None or (self.unit_mass and not self.largest):
            return pair
        shift, solve = pair
        sign = -1.0 if self.largest else 1.0

        def scaled(x: FloatArray) -> FloatArray:
            by = self._scale(x)
            return sign * (solve(x) if by is None else by * solve(by * x))

        # (norm - S - s)^-1 = -(S - shift)^-1 for s = norm - shift
        return (self.norm - shift if self.largest else shift), scaled

    def count_below(self, value: float) -> int | None:
        """Count the eigenvalues besides the kernel below a value; None if nothing can count."""
        at = self.norm - value if self.largest else value
        below = count_below(self.operator, at, self.root**2)
        if below is None:
            return None
        if self.largest:
            return self.n - below
        return below - (self.n_kernel if value > 0 else 0)

    def project(self, x: FloatArray) -> FloatArray:
        """Remove the part of x in the kernel, and along what is deflated."""
        return self.project_in_place(np.array(x, order="C"))

    def project_in_place(self, x: FloatArray) -> FloatArray:
        """Project, written over x."""
        self.onto_kernel.remove_from(x)
        return remove_span(x, self.deflated) if self.deflated.shape[1] else x

    def random(self, columns: int | None = None) -> FloatArray:
        """Draw a random start without a part in the kernel; the same in every run."""
        shape = (self.n,) if columns is None else (self.n, columns)
        rng = np.random.default_rng(self.seed)
        return self.project(rng.standard_normal(shape))

    def without(self, vectors: FloatArray, seed: int) -> Problem:
        """Deflate some vectors.

        With another start: the last one holds one vector of every eigenspace, and once that is
        deflated, nothing of the others.
        """
        basis = linalg.qr(np.hstack([self.deflated, vectors]), mode="economic")[0]
        return replace(self, deflated=basis, seed=seed)


def eigenproblem(
    operator: SymmetricOperator,
    count: int,
    mass: FloatArray | None = None,
    *,
    largest: bool = False,
    tol: float = 1e-10,
    certify: bool = True,
) -> Problem:
    """Make the problem of `count` eigenpairs, the kernel among them, of S u = lambda D u."""
    n = operator.shape[0]
    root = np.ones(n) if mass is None else np.sqrt(mass)
    kernel = None
    if operator.definite and not largest:  # only then the kernel is at the end to be found
        kernel = operator.zeros
    if kernel is not None and mass is not None:
        kernel = scaled_kernel(root, kernel)
    return Problem(
        operator=operator,
        k=count - (0 if kernel is None else kernel.shape[1]),
        tol=tol,
        norm=operator.norm_bound(mass),
        root=root,
        kernel=kernel,
        deflated=np.empty((n, 0)),
        largest=largest,
        certify=certify,
        found=operator.found if mass is None and not largest else {},
    )


def has_hubs(matrix: sparse.csr_array) -> bool:
    """Return whether a few rows are so heavy that a polynomial of A mainly sees those."""
    diagonal = matrix.diagonal()
    diagonal = diagonal[diagonal > 0]
    return len(diagonal) > 0 and bool(diagonal.max() > HUBS * np.median(diagonal))


def only_below(pairs: Pairs, value: float) -> Pairs:
    """Take the eigenpairs whose value is smaller."""
    values, vectors = pairs
    return values[values < value], vectors[:, values < value]


def no_pairs(n: int) -> Pairs:
    """No eigenpairs of an operator of size n."""
    return np.empty(0), np.empty((n, 0))


SUPERLU = Direct()
_MORE = 4  # eigenpairs that a start for others is given besides


class EigenSolver(ABC):
    """A way to the smallest eigenpairs of a symmetric operator, as a small frozen object.

    Attributes
    ----------
    complete : bool
        Whether all eigenpairs are computed, so that none can be missed.
    finds_largest : bool
        Whether it also finds the other end of the spectrum.
    starts_from_base : bool
        Whether `problem.start` is to hold the eigenpairs of A, if S is a collapse of A.
    factorizes : bool
        Whether it needs a factorization; if one is an option, counting by one is, too.
    """

    complete: ClassVar[bool] = False
    finds_largest: ClassVar[bool] = True
    starts_from_base: ClassVar[bool] = False

    @property
    def factorizes(self) -> bool:
        return False

    @abstractmethod
    def find(self, problem: Problem) -> Pairs:
        """Find the k smallest eigenpairs off the kernel; copies of an eigenvalue may be missed."""

    def find_more(self, problem: Problem) -> Pairs:
        """Find the k smallest eigenpairs and a few more that cost little; those may be rough."""
        more = min(_MORE, problem.dimension - problem.k - 2)
        return self.find(replace(problem, k=problem.k + more) if more > 0 else problem)

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        """Find eigenpairs below a value, if there are any, from a random start."""
        return only_below(self.find(replace(problem, k=block)), below)

    def plan(self, problem: Problem) -> tuple[Problem, list[EigenSolver]]:
        """Choose the solvers to try in turn, and the problem that they are given."""
        return problem, [self]


@dataclass(frozen=True)
class Dense(EigenSolver):
    """All eigenpairs of the dense matrix by LAPACK: complete, for up to a few thousand cells.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K)
    >>> S.spectrum(3, solver=cl.Dense()).certified
    True
    """

    complete: ClassVar[bool] = True

    def find(self, problem: Problem) -> Pairs:
        S = problem.dense()
        if problem.n_kernel:  # moved to the other end, instead of trusting rounding with it
            S = problem.onto_kernel.add_to(S, 2.0 * problem.norm)
        return symmetric_eigenpairs(S, 0, problem.k)


def check_factorization(given: object) -> None:
    """Refuse what is no `Direct(...)`, such as its name."""
    if not isinstance(given, Direct):
        raise InputError(f'factorization={given!r:.80}; give Direct() or such as Direct("pardiso")')


_COMPONENTS = 20  # at most so many columns of P: each is a dense row of the shifted system
_BELOW = 0.1  # how far below 0 a shift is, relative to c over the mean mass


class LowerBound(SymmetricOperator):
    r"""A sparse operator below S that is closer to it than A, for masses that differ.

    K is I on the kernel of A, onto which P projects, and at least I elsewhere, so that

        S = A - c (I - K^-1)  >=  A - c (I - P),    c <= lambda_1(A).

    With one mass for all, that has the eigenvectors of A. With others, c / mass is another shift
    for every cell, and of the size of the smallest eigenvalues: those of A are a poor start. Here
    masses are part of the operator, D^{-1/2} (A - c (I - P)) D^{-1/2}; its `A` is without P.
    """

    cheap = True

    def __init__(
        self, A: sparse.csr_array, kernel: sparse.csr_array, c: float, mass: FloatArray
    ) -> None:
        super().__init__(A.shape[0], ())
        root = np.sqrt(mass)
        scale = sparse.diags_array(1.0 / root)
        self.A = sparse.csr_array(scale @ (A - c * sparse.eye_array(A.shape[0])) @ scale)
        self.kernel = scaled_kernel(root, Entries.of(kernel)).csr
        self._P = sparse.csr_array(np.sqrt(c) * (scale @ kernel))
        self._shift = -_BELOW * c / float(mass.mean())
        self._bound = row_sum(A, mass) or 1.0

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return times(self.A, x) + self._P @ (self._P.T @ x)

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        return self._bound if mass is None else self._bound / float(mass.min(initial=np.inf))

    def shifted_system(self, shift: float, mass: FloatArray) -> tuple[sparse.csr_array, int] | None:
        H = self.A - shift * sparse.diags_array(mass)
        count = self._P.shape[1]
        system = sparse.block_array([[H, self._P], [self._P.T, -sparse.eye_array(count)]])
        return sparse.csr_array(system), count

    def safe_shift(self, mass: FloatArray) -> float:
        return self._shift / float(mass.max())


def lower_bound(deficit: Deficit, mass: FloatArray) -> LowerBound | None:
    """Make the lower bound of S / scale with masses; None if there is none that would help."""
    kernel, c = deficit.base.kernel, deficit.c
    if kernel is None or not deficit.lower_is_definite or not 0.0 < c < np.inf:
        return None
    if not 0 < kernel.shape[1] <= _COMPONENTS:
        return None
    return LowerBound(deficit.base.A, kernel, c / deficit.scale, mass)
