r"""The eigenproblem as the solvers see it: symmetric, scaled by the mass, without its kernel.

    S u = lambda D u    becomes    D^{-1/2} S D^{-1/2} v = lambda v,    u = D^{-1/2} v.

The kernel, where it is known, is projected out, and so is what is known already. The largest
eigenpairs are the smallest of norm - S.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module

import numpy as np
from scipy import linalg, sparse

from cellapse._errors import InputError
from cellapse._linalg.blas import remove_span
from cellapse._linalg.eigen.lower_bound import lower_bound
from cellapse._linalg.eigen.shifts import count_below, shift_inverse
from cellapse._linalg.factor import Direct, Solve
from cellapse._linalg.kernel import Projector, scaled_kernel
from cellapse._linalg.symmetric import Lowest, SymmetricOperator
from cellapse._shared.arrays import Entries, FloatArray, row_sum

_HUBS = 10.0  # times the median: from there on the largest entry is one of a hub
_ABOVE = 1e-6  # relative to the bound of the spectrum: how far a shift is above it


@dataclass(frozen=True, eq=False)
class Problem:
    """An operator with a mass, and which of its eigenpairs are wanted; made by `eigenproblem`.

    Attributes
    ----------
    operator : SymmetricOperator
        S.
    k : int
        Number of eigenpairs wanted besides the kernel.
    tol : float
        Residual to reach, relative to `norm`.
    norm : float
        An upper bound of the largest eigenvalue.
    root : (n,) array
        Square roots of the masses.
    kernel : Entries or None
        Orthonormal columns that the scaled operator maps to zero, where they are known.
    known : (n, any) array
        Orthonormal columns that are known already, and left out like the kernel.
    largest : bool
        Whether the largest eigenpairs are wanted: then `apply` is norm - S.
    certify : bool
        Whether eigenvalues may be counted by factorizations.
    seed : int
        Of random starts.
    factors : dict
        Factorizations so far, shared by what is left of the problem.
    """

    operator: SymmetricOperator
    k: int
    tol: float
    norm: float
    root: FloatArray
    kernel: Entries | None
    known: FloatArray
    largest: bool
    certify: bool
    seed: int = 0
    factors: dict[Direct, tuple[float, Solve]] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        """Size."""
        return len(self.root)

    @property
    def n_kernel(self) -> int:
        """Dimension of the kernel, as far as it is known."""
        return 0 if self.kernel is None else self.kernel.shape[1]

    @property
    def wanted(self) -> int:
        """Number of eigenpairs wanted, the kernel among them."""
        return self.k + self.n_kernel

    @property
    def room(self) -> int:
        """Dimension of the space that is left."""
        return self.n - self.n_kernel - self.known.shape[1]

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
        """The scaled operator times one vector or many columns.

        Where S x is found by iterations, `slack` allows an error so many times larger than what
        the tolerance asks for.
        """
        error = max(slack, 1.0) * self.error
        if self.unit_mass:
            image = self.operator.apply(x, error)
        else:
            by = self.root if x.ndim == 1 else self.root[:, None]
            image = self.operator.apply(x / by, error) / by
        return self.norm * x - image if self.largest else image

    def dense(self) -> FloatArray:
        """The scaled operator as an array."""
        S = self.operator.toarray(self.error)
        if not self.unit_mass:
            S = S / self.root
            S /= self.root[:, None]
        return self.norm * np.eye(self.n) - S if self.largest else S

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """The operator as a sparse matrix, where it is one, or else A; scaled."""
        matrix = self.operator.matrix
        if matrix is None:
            matrix = self.operator.A
        if self.unit_mass:
            return matrix
        scale = sparse.diags_array(1.0 / self.root)
        return sparse.csr_array(scale @ matrix @ scale)

    @cached_property
    def plain(self) -> Problem | None:
        """The same problem for A without its weight, where S is the collapse of A."""
        deficit = self.operator.deficit
        if deficit is None or self.largest:
            return None
        plain = deficit.base
        norm = plain.norm_bound(self.root**2)
        nothing = self.known[:, :0]
        return replace(self, operator=plain, norm=norm, known=nothing, seed=0, factors={})

    @cached_property
    def lowered(self) -> Problem | None:
        """That of A - drop without its weight, whose eigenvectors are closer, where masses differ.

        The masses are part of it. None where nothing is to be factorized, and masses make hubs,
        whose eigenvectors take longer than corrections.
        """
        deficit = self.operator.deficit
        if deficit is None or self.unit_mass or self.largest:
            return None
        operator = lower_bound(deficit, self.root**2)
        if operator is None or (deficit.iterative and has_hubs(operator.A)):
            return None
        return eigenproblem(operator, self.wanted, tol=self.tol)

    @cached_property
    def nearby(self) -> Solve | None:
        """x -> about S x / norm for columns of float32, where something is closer to S than A."""
        deficit = self.operator.deficit
        if deficit is None or deficit.inverse is None or self.largest or not self.unit_mass:
            return None
        return deficit.inverse.approximation(self.norm)

    def lowest(self, k: int) -> Lowest | None:
        """The first k eigenpairs, where the operator keeps them."""
        if self.largest or self.known.shape[1] or not self.unit_mass or not self.operator.cheap:
            return None
        kept: Lowest = import_module("cellapse._linalg.eigen.auto").kept_pairs(self.operator, k)
        return kept

    @property
    def factorizable(self) -> bool:
        """Whether there is a system to factorize."""
        return self.operator.shifted_system(2.0 * self.norm, self.root**2) is not None

    def factor(self, direct: Direct) -> tuple[float, Solve]:
        """A shift s below the spectrum, and x -> (S - s)^-1 x; of norm - S where that is wanted."""
        if direct not in self.factors:
            pair = self._factor(direct)
            if pair is None:
                raise InputError(
                    "there is nothing to factorize for this operator (eps = 0, or several ranks "
                    "at once); use Dense() or Lanczos()"
                )
            self.factors[direct] = pair
        return self.factors[direct]

    def _factor(self, direct: Direct) -> tuple[float, Solve] | None:
        if self.operator.cheap and self.unit_mass and not self.largest:
            return kept_factor(self.operator, direct)
        above = None
        if self.largest:  # a matrix may be far below the A it is made of
            matrix = self.operator.matrix
            above = self.norm if matrix is None else _norm(matrix, self.root)
            above *= 1.0 + _ABOVE
        pair = shift_inverse(self.operator, self.root**2, direct, above)
        if pair is None:
            return None
        shift, solve = pair

        def scaled(x: FloatArray) -> FloatArray:
            by = self.root if x.ndim == 1 else self.root[:, None]
            return by * solve(by * x)

        if self.largest:  # (norm - S - s)^-1 = -(S - shift)^-1 for s = norm - shift
            return self.norm - shift, lambda x: -scaled(x)
        return shift, scaled

    def count_below(self, value: float) -> int | None:
        """How many eigenvalues besides the kernel are below a value; None where nothing counts."""
        at = self.norm - value if self.largest else value
        below = count_below(self.operator, at, self.root**2)
        if below is None:
            return None
        if self.largest:
            return self.n - below
        return below - (self.n_kernel if value > 0 else 0)

    def project(self, x: FloatArray) -> FloatArray:
        """Remove the part of x in the kernel, and along what is known."""
        return self.project_in_place(np.array(x, order="C"))

    def project_in_place(self, x: FloatArray) -> FloatArray:
        """The same, written over x."""
        self.onto_kernel.remove_from(x)
        return remove_span(x, self.known) if self.known.shape[1] else x

    def start(self, columns: int | None = None) -> FloatArray:
        """A random start without a part in the kernel; the same in every run."""
        shape = (self.n,) if columns is None else (self.n, columns)
        rng = np.random.default_rng(self.seed)
        return self.project(rng.standard_normal(shape))

    def without(self, vectors: FloatArray, seed: int) -> Problem:
        """What is left of the problem when some vectors are known.

        With another start: the last one holds one vector of every eigenspace, and where that is
        known, nothing of the others.
        """
        basis = linalg.qr(np.hstack([self.known, vectors]), mode="economic")[0]
        return replace(self, known=basis, seed=seed)


def eigenproblem(
    operator: SymmetricOperator,
    wanted: int,
    mass: FloatArray | None = None,
    *,
    largest: bool = False,
    tol: float = 1e-10,
    certify: bool = True,
) -> Problem:
    """The problem of `wanted` eigenpairs, the kernel among them, of S u = lambda D u."""
    n = operator.shape[0]
    root = np.ones(n) if mass is None else np.sqrt(mass)
    kernel = None
    if operator.definite and not largest:  # only then the kernel is at the end that is wanted
        kernel = operator.zeros
    if kernel is not None and mass is not None:
        kernel = scaled_kernel(root, kernel)
    return Problem(
        operator=operator,
        k=wanted - (0 if kernel is None else kernel.shape[1]),
        tol=tol,
        norm=operator.norm_bound(mass),
        root=root,
        kernel=kernel,
        known=np.empty((n, 0)),
        largest=largest,
        certify=certify,
    )


def kept_factor(operator: SymmetricOperator, direct: Direct) -> tuple[float, Solve] | None:
    """A shift s and (S - s)^-1, kept: sigma, start and steps use it."""
    if operator.found.get("by") != direct:
        pair = shift_inverse(operator, np.ones(operator.shape[0]), direct)
        operator.found |= {"by": direct, "factor": pair}
    factor: tuple[float, Solve] | None = operator.found["factor"]
    return factor


def has_hubs(matrix: sparse.csr_array) -> bool:
    """Whether some rows are so much heavier than most that a polynomial of A mainly sees those."""
    diagonal = matrix.diagonal()
    diagonal = diagonal[diagonal > 0]
    return len(diagonal) > 0 and bool(diagonal.max() > _HUBS * np.median(diagonal))


def _norm(A: sparse.csr_array, root: FloatArray) -> float:
    """An upper bound of the largest eigenvalue of A u = lambda D u."""
    return row_sum(A, root**2) or 1.0
