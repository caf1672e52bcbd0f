"""How a collapsed operator is applied: by ladders, or by Algorithm 1 of the paper as it stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from cellapse._collapse.graded import GradedLaplacian
from cellapse._collapse.ladder import Ladder
from cellapse._collapse.masses import unfolded_masses
from cellapse._collapse.model import Model
from cellapse._linalg.cg import CG
from cellapse._linalg.direct import Direct
from cellapse._linalg.kernel import left_kernel
from cellapse._matrices.incidence import Incidence, is_chain_complex
from cellapse._shared.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Engine:
    """How the operator is applied, and how the eliminated values are found."""

    apply: Callable[[FloatArray, float], FloatArray]  # S x, within an absolute error
    complete: Callable[[FloatArray], dict[int, FloatArray]]
    A: sparse.csr_array
    kernel: sparse.csr_array | None
    ladder: Ladder | None


def ladders(model: Model, onto: int, solver: Direct | None = None) -> Engine:
    """One ladder for the ranks above and one for the ranks below."""
    if model.realization == "unfolded" and onto == 0:
        masses = unfolded_masses(
            model.upper, model.nearest.shape[1], model.beta[1:], model.gamma[1:], model.eps
        )
        up = Ladder(
            model.nearest,
            model.beta[0],
            model.gamma[0],
            masses[0],
            model.eps,
            solver,
            model.definite,
        )
        return Engine(up.apply, lambda u: _complete_flags(model, up, u), up.A, up.kernel, up)
    B = model.incidence()
    chain = is_chain_complex(B)
    beta, gamma = model.beta, model.gamma
    sides: list[tuple[Ladder, range]] = []
    if onto < len(B):
        up = _ladder(B.matrices[onto:], beta[onto:], gamma[onto:], model, chain, solver)
        sides.append((up, range(onto + 1, len(B) + 1)))
    if onto > 0:
        below = [M.T.tocsr() for M in reversed(B.matrices[:onto])]
        down = _ladder(below, beta[:onto][::-1], gamma[:onto][::-1], model, chain, solver)
        sides.append((down, range(onto - 1, -1, -1)))

    def apply(x: FloatArray, error: float) -> FloatArray:
        return sum((ladder.apply(x, error) for ladder, _ in sides), np.zeros_like(x))

    def complete(u: FloatArray) -> dict[int, FloatArray]:
        values = {}
        for ladder, ranks in sides:
            z, start = ladder.complete(u), 0
            for rank in ranks:
                n = B.n_cells[rank]
                part = z[start : start + n]
                # Past the nearest rank of a chain complex nothing arrives.
                values[rank] = part if len(part) == n else np.zeros((n, *u.shape[1:]))
                start += n
        return dict(sorted(values.items()))

    A = model.graded().block(onto, onto)
    alone = sides[0][0] if len(sides) == 1 else None
    return Engine(apply, complete, A, left_kernel(_stacked(B, onto)), alone)


def _ladder(
    matrices: Sequence[sparse.csr_array],
    beta: FloatArray,
    gamma: FloatArray,
    model: Model,
    chain: bool,
    solver: Direct | None,
) -> Ladder:
    """The ladder that eliminates a chain of ranks, nearest first."""
    eps = model.eps
    nearest = matrices[0], float(beta[0]), float(gamma[0])
    if len(matrices) == 1 or chain:
        M = np.full(matrices[0].shape[1], eps)
        return Ladder(*nearest, M, eps, solver, model.definite)
    rest = Incidence(tuple(matrices[1:]), "given", None, (0,) * len(matrices))
    further = GradedLaplacian(rest, beta[1:], gamma[1:])
    M = further.matrix + eps * sparse.eye_array(further.matrix.shape[0])

    def product(w: FloatArray) -> FloatArray:
        return further.apply(w) + eps * w

    return Ladder(*nearest, M, eps, solver, model.definite, product)


def _stacked(B: Incidence, onto: int) -> sparse.csr_array:
    """A matrix whose left kernel is the common kernel of both sides of a rank."""
    sides = []
    if onto < len(B):
        sides.append(B[onto])
    if onto > 0:
        sides.append(B[onto - 1].T)
    return sparse.csr_array(sparse.hstack(sides, format="csr"))


def _complete_flags(model: Model, ladder: Ladder, u: FloatArray) -> dict[int, FloatArray]:
    values = {1: ladder.complete(u)}
    flags = list(model.incidence().matrices[1:])
    n_edges = model.nearest.shape[1]
    masses = unfolded_masses(flags, n_edges, model.beta[1:], model.gamma[1:], model.eps)
    for k, B in enumerate(flags, start=1):
        mass = np.maximum(masses[k], 1e-300)  # eps = 0 shares evenly among massless copies
        share = 1.0 + model.beta[k] * (B.multiply(B) @ (1.0 / mass))
        if u.ndim == 2:
            mass, share = mass[:, None], share[:, None]
        values[k + 1] = model.gamma[k] * (B.T @ (values[k] / share)) / mass
    return values


def algorithm_one(model: Model, onto: int, solver: CG) -> Engine:
    """Algorithm 1 of the paper: y = X^T x, z = (C + eps I)^-1 y, S x = A x - X z."""
    B = model.incidence()
    A, X, C = model.graded().split(onto)
    solve = solver.prepare(C + model.eps * sparse.eye_array(C.shape[0]))

    def apply(x: FloatArray, error: float) -> FloatArray:
        return A @ x - X @ solve(X.T @ x)

    def complete(u: FloatArray) -> dict[int, FloatArray]:
        ranks = [k for k in range(len(B) + 1) if k != onto]
        cuts = np.cumsum([B.n_cells[k] for k in ranks])[:-1]
        return dict(zip(ranks, np.split(-solve(X.T @ u), cuts), strict=True))

    return Engine(apply, complete, A, left_kernel(_stacked(B, onto)), None)
