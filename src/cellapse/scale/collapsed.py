r"""The collapsed operator over ranks: the same as on one machine, on this rank's rows.

S x,   (S + shift)^-1 b,   (I + strength S)^-1 y,   S u = lambda D u.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from cellapse._collapse.realizations import DEFAULT, Realization, as_realization
from cellapse._collapse.weights import Weights, check_eps
from cellapse._errors import ConvergenceError, InputError
from cellapse._shared.align import own_labels
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import at_least_zero, finite_rows, real_array, share, whole_number
from cellapse.scale.blocks import conjugate_gradients, norms
from cellapse.scale.checkpoint import Checkpoint
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.davidson import Problem
from cellapse.scale.edges import Kernel
from cellapse.scale.eigensolve import DistributedSpectrum, Eigensolve, LaplacianPairs, with_evidence
from cellapse.scale.elimination import ScreenedElimination, UnfoldedElimination, unfolded_sigmas
from cellapse.scale.exchange import same_everywhere, together
from cellapse.scale.libraries import MPI
from cellapse.scale.multigrid import NUDGE, Cycle, Diagonal, Multigrid, scaled
from cellapse.scale.output import Report


class DistributedOperator:
    """S on the vertices of a distributed complex; made by `cellapse.scale.collapse`.

    Vectors are this rank's rows, `complex.vertices.low` to `complex.vertices.high`; every method is
    called on all ranks together.

    Attributes
    ----------
    complex : DistributedComplex
    realization : Realization
    weights : Weights
        beta, gamma, eps and their bounds.
    """

    def __init__(
        self,
        complex_: DistributedComplex,
        realization: Realization,
        weights: Weights,
        elimination: UnfoldedElimination | ScreenedElimination,
        laplacian: LaplacianPairs | None,
        report: Report,
    ) -> None:
        self.complex, self.realization, self.weights = complex_, realization, weights
        self._elimination, self._laplacian, self._report = elimination, laplacian, report
        self.comm, self.norm = complex_.comm, elimination.norm
        self._kernel = complex_.kernel
        self._cycles: dict[float, Cycle] = {}

    def __repr__(self) -> str:
        size = f"{self.complex.n_vertices:,} vertices on {self.comm.size} ranks"
        cells = f"n_cells={self.complex.n_cells}, eps={self.weights.eps:g}"
        return f"<DistributedOperator {self.realization} on {size}: {cells}>"

    @property
    def shape(self) -> tuple[int, int]:
        return self.complex.n_vertices, self.complex.n_vertices

    @property
    def is_sparse(self) -> bool:
        """Return whether S is a sparse matrix, so that its diagonal is known."""
        return self._elimination.matrix is not None

    @property
    def work(self) -> dict[str, int]:
        """Conjugate gradients on K so far: steps, and right-hand sides."""
        return {"inner": self._elimination.inner, "solves": self._elimination.solves}

    @property
    def expands(self) -> bool:
        """Whether the graph has no small cuts."""
        return self.complex.expands

    @property
    def _preconditioner(self) -> type[Multigrid] | type[Diagonal]:
        return Diagonal if self.expands else Multigrid

    def __matmul__(self, x: Any) -> FloatArray:
        """S x for this rank's rows of one vector or of many columns."""
        X = self._rows(x, "what S is applied to")
        return self.apply(_block(X)).reshape(X.shape)

    def apply(self, X: FloatArray, error: float = 0.0) -> FloatArray:
        """S X for an (n, k) block, within an absolute error where one is allowed."""
        return self._elimination.apply(X, error)

    def diagonal(self) -> FloatArray:
        """Return the diagonal of S, on this rank."""
        return self._elimination.diagonal()

    def degree(self) -> FloatArray:
        """Return the diagonal of A = beta_1 L, on this rank."""
        edges, beta = self.complex.edges, float(self.weights.beta[0])
        return beta * edges.add_at_ends(edges.weights, edges.weights)

    def solve(self, b: Any, shift: float = 0.0, *, rtol: float = 1e-10) -> FloatArray:
        """Solve (S + shift I) x = b; for shift=0 without a part in the kernel."""
        same_everywhere(self.comm, "shift", (shift, rtol))
        shift, rtol = at_least_zero("shift", shift), share("rtol", rtol)
        rows = self._rows(b, "the right-hand side")
        B = _block(rows)
        off = self._kernel.project(B)
        X = self._solve_off_kernel(off, shift, rtol)
        if shift > 0.0:
            X = X + (B - off) / shift
        return X.reshape(rows.shape)

    def _cycle_of(self, shift: float) -> Cycle:
        """About (A + shift)^-1, up to a factor; the last one is kept."""
        if shift == 0.0 and self._laplacian is not None:
            return self._laplacian.cycle
        if shift not in self._cycles:
            nudged = shift + NUDGE * self.norm
            self._cycles = {shift: Cycle(self._elimination.A, nudged, self._preconditioner)}
        return self._cycles[shift]

    def _solve_off_kernel(self, B: FloatArray, shift: float, rtol: float) -> FloatArray:
        """Conjugate gradients, preconditioned with A + shift, until the true residual is small."""
        comm, project = self.comm, self._kernel.project
        cycle = self._cycle_of(shift)
        size = norms(comm, B)
        goal = np.maximum(0.1 * rtol * size, 1e-15 * size)
        X, R = np.zeros_like(B, order="F"), B

        def apply(P: FloatArray, _: IntArray) -> FloatArray:
            error = 1e-9 * self.norm * float(norms(comm, P).min(initial=np.inf))
            return project(self.apply(P, error) + shift * P)

        for _ in range(12):
            wanted = np.maximum(0.5 * goal, 1e-6 * norms(comm, R))
            X = X + conjugate_gradients(comm, apply, R, lambda r: project(cycle(r)), wanted)[0]
            R = project(B - self.apply(X) - shift * X)
            if (norms(comm, R) <= goal).all():
                return X
        raise ConvergenceError(
            f"solve reached a residual of {float(norms(comm, R).max()):.1e}, short of "
            f"{float(goal.min()):.1e}; raise rtol"
        )

    def smooth(self, signal_: Any, strength: float = 1.0) -> FloatArray:
        """(I + strength S)^-1 times this rank's rows of a signal."""
        strength = at_least_zero("strength", strength)
        y = self._rows(signal_, "the signal")
        if strength == 0.0:
            return y
        return self.solve(y / strength, 1.0 / strength)

    def spectrum(
        self,
        k: int = 10,
        mass: Any = None,
        *,
        rtol: float = 1e-10,
        checkpoint: str | Path | None = None,
    ) -> DistributedSpectrum:
        """Return the k smallest eigenpairs of S u = lambda D u.

        Parameters
        ----------
        k : int
        mass : None, "degree", "diagonal" or this rank's positive numbers
            D: the identity, the diagonal of A or S, or as given.
        rtol : float
            Residual to reach, relative to an upper bound of ||A||. It is also small relative to
            the k-th eigenvalue.
        checkpoint : path, optional
            A .npy file that every rank can reach. Where it exists, the search begins with it; every
            few steps it is written anew.
        """
        same_everywhere(self.comm, "k, rtol and checkpoint", (k, rtol, str(checkpoint)))
        k = whole_number("k", k, 1, max(self.complex.n_vertices, 1))
        rtol = share("rtol", rtol)
        D = self.masses(mass)
        problem, uncollapsed = self._problems(D)
        solve = Eigensolve(problem, uncollapsed, self._elimination, self._laplacian, D, rtol)
        place = None if checkpoint is None else Checkpoint(checkpoint, self.complex.numbering)
        pairs, steps, solver = solve.pairs(k, self.expands, place, self._report)
        root = np.ones(self.complex.vertices.count) if D is None else np.sqrt(D)
        return with_evidence(problem, pairs, k, root, rtol, steps, solver)

    def _problems(self, D: FloatArray | None) -> tuple[Problem, Problem]:
        """Return the eigenproblems of S and of A, scaled by the masses."""
        A, norm, kernel, cycle = self._elimination.A, self.norm, self._kernel, self._cycle_of(0.0)
        applies = [self.apply, self._elimination.apply_uncollapsed]
        if D is not None:
            root = np.sqrt(D)[:, None]
            A = scaled(A, 1.0 / root[:, 0])
            norm = 2.0 * float(
                self.comm.allreduce(float((self.degree() / D).max(initial=0.0)), MPI.MAX)
            )
            kernel = Kernel(self.complex.vertices, self.complex.first_vertices, root[:, 0])
            cycle = Cycle(A, NUDGE * norm, self._preconditioner)
            least = float(np.sqrt(_least(self.comm, D)))
            applies = [_between(apply, root, least) for apply in applies]
        none = np.empty((self.complex.vertices.count, 0))
        S, uncollapsed = (
            Problem(self.complex.vertices, apply, A, kernel, norm, cycle, none) for apply in applies
        )
        return S, uncollapsed

    def masses(self, mass: Any) -> Any:
        """Return the masses D of an eigenproblem, on this rank."""
        if mass is None:
            return None
        if isinstance(mass, str):
            if mass not in ("diagonal", "degree"):
                raise InputError(f'mass={mass!r}; choose "diagonal", "degree" or give numbers')
            values = self.diagonal() if mass == "diagonal" else self.degree()
            # A vertex without edges has no mass of its own: the mean of the others, as elsewhere.
            held = self.complex.edges.degree > 0
            total, count = self.comm.allreduce(np.array([values[held].sum(), held.sum()]))
            values = np.where(held, values, total / count if count else 1.0)
        else:
            values = self._rows(mass, "mass")
        with together(self.comm):
            if values.ndim != 1 or (values <= 0).any():
                raise InputError('masses must be positive, one for each vertex: use mass="degree"')
        return values

    def _rows(self, x: Any, name: str) -> FloatArray:
        with together(self.comm):
            rows = _by_position(x, self.complex.vertices.count, f"{name}, on this rank,")
        same_everywhere(self.comm, f"the number of columns of {name}", rows.shape[1:])
        return rows


def _by_position(x: Any, count: int, name: str) -> FloatArray:
    """Finite numbers, one row for each vertex of this rank; labels have no place here."""
    if own_labels(x, name) is not None:
        raise InputError(f"{name} has labels, and rows go by position; give a plain array")
    return finite_rows(real_array(x, name), count, name)


def _block(X: FloatArray) -> FloatArray:
    return np.array(X[:, None] if X.ndim == 1 else X, order="F")


def _between(apply: Any, root: FloatArray, least: float) -> Any:
    """x -> D^{-1/2} S D^{-1/2} x, and what an error of it is before the scaling."""
    return lambda X, error: np.asfortranarray(
        apply(np.asfortranarray(X / root), error * least) / root
    )


def _least(comm: Any, D: FloatArray) -> float:
    return float(comm.allreduce(float(D.min(initial=np.inf)), MPI.MIN))


@dataclass(frozen=True, eq=False)
class _Known:
    """What the weights of a realization are chosen from: a chain without its matrices."""

    above: list[None]
    sigma: FloatArray = field(default_factory=lambda: np.empty(0))


def collapse(
    complex_: DistributedComplex,
    realization: str | Realization = DEFAULT,
    *,
    beta: Any = None,
    gamma: Any = None,
    eps: float = 1e-4,
    checkpoint: str | Path | None = None,
    progress: bool = False,
) -> DistributedOperator:
    """Collapse all cells of a distributed complex onto its vertices.

    Parameters
    ----------
    complex_ : DistributedComplex
    realization : "renormalized", "screened", "unfolded", Unfolded() or Screened(...)
        The others are not distributed.
    beta, gamma, eps
        As in `cellapse.collapse`.
    checkpoint : path, optional
        A .npy file where the eigenvectors behind the bound of gamma are kept, and looked for.
    progress : bool
        Whether rank 0 shows progress.

    Returns
    -------
    DistributedOperator
    """
    if not isinstance(complex_, DistributedComplex):
        raise InputError(
            f"a {type(complex_).__name__} was given; make a DistributedComplex with from_edges or "
            "from_hyperedges, or use cellapse.collapse on one machine"
        )
    chosen, eps = as_realization(realization), check_eps(eps)
    same_everywhere(complex_.comm, "the choice of operator", (chosen, beta, gamma, eps))
    report = Report(complex_.comm, progress)
    known = _Known([None] * (complex_.max_rank - 1))
    report.say(f"{complex_!r}, n_cells={complex_.n_cells}, vertices {complex_.partition}")
    if chosen.edgewise:
        weights = chosen.weigh(cast(Any, known), beta, gamma, eps)
        shares = ScreenedElimination(complex_, chosen, weights)
        return DistributedOperator(complex_, chosen, weights, shares, None, report)
    if not chosen.diagonal:
        raise InputError(
            f'realization={chosen.name!r} is not distributed; choose "unfolded", "screened" or '
            '"renormalized", or use cellapse.collapse on one machine'
        )
    place = None if checkpoint is None else Checkpoint(checkpoint, complex_.numbering)
    laplacian = LaplacianPairs.of(complex_, place, report)
    known = _Known(known.above, unfolded_sigmas(complex_, laplacian.smallest()))
    weights = chosen.weigh(cast(Any, known), beta, gamma, eps)
    return DistributedOperator(
        complex_, chosen, weights, UnfoldedElimination(complex_, weights), laplacian, report
    )
