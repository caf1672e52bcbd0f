"""What defines a collapse: the matrices of a realization, its weights beta and gamma, and eps."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._collapse.graded import (
    GradedLaplacian,
    check_beta,
    check_gamma,
    psd_bound,
    regularized_bound,
)
from cellapse._collapse.masses import unfolded_sigmas
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.singular import smallest_singular_value
from cellapse._matrices.incidence import (
    Incidence,
    boundary_matrices,
    edges_and_cofaces,
    incidence_matrices,
    mixed_matrices,
    unfold,
)
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import one_of

_START = 14  # eigenpairs of A computed with the first: enough for ten of S
_SURE = 1e-5  # a residual so small next to the eigenvalue leaves it ten digits

REALIZATIONS = ("unfolded", "boundary", "incidence", "mixed", "screened")


@dataclass(frozen=True, eq=False)
class Model:
    """Everything that defines L*: matrices, weights and eps."""

    realization: str
    source: Complex | None
    n_cells: tuple[int, ...]
    # B_1..B_K, made when asked for: the unfolded ones can be large and are rarely needed.
    incidence: Callable[[], Incidence]
    nearest: sparse.csr_array
    plain: SparseOperator  # B_1 B_1^T, with a factor to share
    upper: list[sparse.csr_array]
    beta: FloatArray
    gamma: FloatArray
    sigma: FloatArray
    eps: float
    # Whether the weights are within the bounds, so that S is sure to be positive semi-definite.
    definite: bool

    def labels(self, rank: int) -> Sequence[Hashable]:
        """What the cells of a rank are called."""
        if rank == 0:
            return range(self.n_cells[0]) if self.source is None else self.source.labels
        return self.incidence().labels(rank)

    def graded(self) -> GradedLaplacian:
        """L* of these matrices and weights."""
        return GradedLaplacian(self.incidence(), self.beta, self.gamma)


def check_realization(source: Any, realization: str | None) -> str:
    """The name of the realization, which depends on what was given."""
    one_of("realization", realization, (*REALIZATIONS, None))
    if isinstance(source, Complex):
        return realization or "unfolded"
    if realization not in (None, "unfolded", "screened"):
        raise InputError(
            f"realization={realization!r} with matrices, which already are a realization; leave it "
            'out, or choose "unfolded" or "screened"'
        )
    return realization or (source.kind if isinstance(source, Incidence) else "given")


def edges_and_upper(
    source: Any,
) -> tuple[sparse.csr_array, list[sparse.csr_array], tuple[int, ...]]:
    """Signed B_1, containment above it with the weights of the cells, and how many cells there are.

    The elements of a rank that are no cells, but formal, are its last ones.
    """
    if isinstance(source, Incidence) and source.kind == "unfolded" and source.source is not None:
        source = source.source  # flags are copies of cells; the complex has the cells themselves
    if isinstance(source, Complex):
        return *edges_and_cofaces(source), source.n_cells
    B = source if isinstance(source, Incidence) else Incidence.from_matrices(source)
    return B[0], [abs(M) for M in B.matrices[1:]], B.n_real


def build_model(source: Any, name: str, beta: Any, gamma: Any, eps: float) -> Model:
    """Matrices and weights of L* for every realization but the screened one."""
    complex_ = source if isinstance(source, Complex) else getattr(source, "source", None)
    explicit = isinstance(source, Incidence) and source.kind == "unfolded"
    if name == "unfolded" and not explicit:
        B1, upper, n_cells = edges_and_upper(source)
        further = unfolded_sigmas(upper)[0]

        def incidence() -> Incidence:
            matrices = tuple(unfold(B1, upper))
            n_formal = (0, 0, *(B.shape[1] for B in matrices[1:]))
            return Incidence(matrices, name, complex_, n_formal)

    else:
        B = _matrices(source, name)
        B1, upper, n_cells = B[0], list(B.matrices[1:]), B.n_real
        further = np.array([smallest_singular_value(M) for M in upper])

        def incidence() -> Incidence:
            return B

    plain = SparseOperator(B1 @ B1.T, (), left_kernel(B1))
    sigma = np.array([_first_sigma(B1, plain), *further])
    nothing = np.zeros(len(sigma))
    model = Model(
        realization=name,
        source=complex_,
        n_cells=n_cells,
        incidence=incidence,
        nearest=B1,
        plain=plain,
        upper=upper,
        beta=nothing,
        gamma=nothing,
        sigma=sigma,
        eps=eps,
        definite=True,
    )
    return reweighted(model, beta, gamma, eps)


def reweighted(model: Model, beta: Any, gamma: Any, eps: float) -> Model:
    """The same matrices with other weights, once those are known to fit."""
    sigma = model.sigma
    weights = check_beta(1.0 if beta is None else beta, len(sigma))
    bound, limit = psd_bound(weights, sigma), regularized_bound(weights, sigma, eps)
    coupling = check_gamma("bound" if gamma is None else gamma, bound, limit)
    if ((weights == 0) & (coupling > 0) & np.isfinite(bound)).any():
        raise InputError(
            f"beta={weights.tolist()} with gamma={coupling.tolist()}: where beta is 0, nothing "
            "balances the coupling; set that gamma to 0"
        )
    definite = bool((coupling <= limit * (1 + 1e-9)).all())
    return replace(model, beta=weights, gamma=coupling, eps=eps, definite=definite)


def _matrices(source: Any, name: str) -> Incidence:
    """The matrices of a realization, or those given; at least B_1, if without columns."""
    build = {
        "boundary": boundary_matrices,
        "incidence": incidence_matrices,
        "mixed": mixed_matrices,
    }
    if isinstance(source, Complex):
        B = build[name](source)
    else:
        B = source if isinstance(source, Incidence) else Incidence.from_matrices(source)
    if len(B):
        return B
    return Incidence((sparse.csr_array((B.n_cells[0], 0)),), B.kind, B.source, (0, 0))


def _first_sigma(B: sparse.csr_array, plain: SparseOperator) -> float:
    """sigma_min+(B_1) from the first positive eigenvalue of B_1 B_1^T."""
    n, kernel = B.shape[0], plain.kernel
    if n <= 400 or kernel is None or kernel.shape[1] > n // 8 or not B.nnz:
        return smallest_singular_value(B)
    # The first eigenvectors of A cost little more than one, and are where `spectrum` starts. They
    # are accurate relative to ||A||: what is small next to it is found by other means.
    values, vectors = plain.lowest(_START)
    first, v = float(values[0]), vectors[:, 0]
    sure = np.linalg.norm(plain.A @ v - first * v) <= _SURE * first
    return float(np.sqrt(first)) if sure else smallest_singular_value(B)
