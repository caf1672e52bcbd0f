"""The spectra of many small complexes at once, on all cores.

Small ones of one kind are collapsed together as stacks of dense matrices, larger ones one at a
time; both give what `collapse(K, ...).spectrum(k)` gives.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cellapse._collapse.realizations import BASELINES, DEFAULT, Realization, realization_of
from cellapse._collapse.stacks import eigenpairs_of_stack, row_sums
from cellapse._collapse.weights import check_eps
from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._complex.union import parts_of_one_kind
from cellapse._errors import CellapseError, CellapseWarning, InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.names import make_operator
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.card import Card, Shown, few
from cellapse._shared.checks import flag, listed, real_array, whole_number
from cellapse._shared.memory import Fitting
from cellapse._shared.names import showing
from cellapse._shared.pictures import points
from cellapse._shared.progress import progress as shown
from cellapse._shared.threads import one_thread
from cellapse._shared.workers import on_workers

__all__ = ["Spectra", "spectra"]
__dir__ = showing(__all__)

_KNOWN = 1e-10  # relative to the norm of A: a mass below is rounding
LARGE = 300  # from this many vertices on a complex is better off alone


@dataclass(frozen=True, eq=False, repr=False)
class Spectra(Shown):
    """The spectra of many complexes.

    Attributes
    ----------
    values : list of arrays
        For every complex its eigenvalues in ascending order; one row for each eps, where several
        were given.
    vectors : list of arrays or None
        Eigenvectors as columns, (n, k) or (number of eps, n, k), where asked for.
    n_zeros : array
        For every complex the number of eigenvalues that are exactly zero.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> found = cl.batch.spectra([cl.clique_complex(nx.path_graph(n)) for n in (3, 4)], k=2)
    >>> found.table().shape, found.n_zeros.tolist()
    ((2, 2), [1, 1])
    """

    values: list[FloatArray] = field(repr=False)
    vectors: list[FloatArray] | None = field(repr=False)
    n_zeros: IntArray = field(repr=False)

    def _card(self) -> Card:
        sizes = [v.shape[-1] for v in self.values]
        settings = {v.shape[0] for v in self.values if v.ndim > 1}
        rows = [
            ("values", f"{min(sizes)} to {max(sizes)} of each" if sizes else "none"),
            ("eps", f"{max(settings)} values, a row for each" if settings else ""),
            ("zeros", f"{int(self.n_zeros.sum()):,} in all, exactly"),
            ("first", few(np.ravel(self.values[0]).tolist()) if sizes else ""),
            ("vectors", "not kept" if self.vectors is None else "kept"),
        ]
        calls = (
            ("spectra.values[i]", "are the eigenvalues of complex i"),
            ("spectra.table()", "is one array, a row for each complex"),
        )
        title = f"Spectra of {len(self):,} complexes"
        first = np.ravel(self.values[0]) if sizes else np.zeros(0)
        return Card(title, tuple(r for r in rows if r[1]), lambda: points(first), calls)

    def __len__(self) -> int:
        return len(self.values)

    def table(self, fill: float = np.nan) -> FloatArray:
        """Return the eigenvalues as one array, rows of smaller complexes filled up."""
        if not isinstance(fill, int | float | np.number):
            raise InputError(f"fill={fill!r:.80}; give one number")
        width = max((v.shape[-1] for v in self.values), default=0)
        lead = self.values[0].shape[:-1] if self.values else ()
        table = np.full((len(self.values), *lead, width), fill)
        for row, values in zip(table, self.values, strict=True):
            row[..., : values.shape[-1]] = values
        return table


@Fitting("the spectra of all", "take fewer at a time")
def spectra(
    complexes: Iterable[Any],
    *,
    operator: str | Realization = DEFAULT,
    beta: float | Sequence[float] | None = None,
    gamma: Any = None,
    eps: float | Sequence[float] | None = None,
    k: int | None = None,
    vectors: bool = False,
    n_jobs: int | None = None,
    progress: bool | None = None,
    client: Any = None,
) -> Spectra:
    """Return the spectra of many complexes, on all cores.

    The same as `make_operator(K, operator, ...).spectrum(k)` for each of them, to rounding.

    Parameters
    ----------
    complexes : iterable of Complex, or of whatever `collapse` lifts to one
    operator : name or Realization, optional
        A collapse, or a baseline such as "laplacian": what `make_operator` takes.
    beta, gamma
        As in `collapse`.
    eps : number or several numbers, optional
        1e-4 of a collapse. Several share most of the work. A baseline has none.
    k : int, optional
        How many of the smallest eigenvalues; all by default, and all there are in complexes with
        fewer vertices.
    vectors : bool
        Whether to keep the eigenvectors, too.
    n_jobs : int, optional
        Threads; by default one for each core.
    progress : bool, optional
        By default where standard error is a terminal.
    client : dask.distributed.Client, optional
        Its workers instead of threads, with the same results; needs the extra `scale`.

    Returns
    -------
    Spectra

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> cycles = [cl.clique_complex(nx.cycle_graph(n)) for n in (3, 4, 5)]
    >>> result = spectra(cycles, eps=[1e-4, 1e-2])
    >>> result.values[1].shape, result.table().shape
    ((2, 4), (3, 2, 5))
    """
    given = [to_complex(K) for K in listed(complexes, "complexes")]
    if k is not None:
        whole_number("k", k, 1)
    jobs = whole_number("n_jobs", n_jobs, 1) if n_jobs is not None else cores()
    if client is not None and n_jobs is not None:
        raise InputError(f"n_jobs={n_jobs} with a client, whose workers count; leave it out")
    given_eps = None if eps is None else real_array(eps, "eps")
    several = given_eps is not None and given_eps.ndim > 0
    all_eps = [] if given_eps is None else [check_eps(e) for e in given_eps.ravel()]
    if not all_eps and given_eps is not None:
        raise InputError("eps is empty; give at least one number")
    if not given:
        return Spectra([], [] if vectors else None, np.zeros(0, dtype=np.int64))
    settings = Settings.of(operator, beta, gamma, all_eps)
    settings.check(given)
    vectors = flag("vectors", vectors)
    if progress is not None:
        progress = flag("progress", progress)
    solved = solve_all(given, settings, vectors, jobs, progress, client)
    all_values, all_vectors, n_zeros = zip(*solved, strict=True)
    values, kept = ([_cut(a, k, several) for a in each] for each in (all_values, all_vectors))
    return Spectra(values, kept if vectors else None, np.array(n_zeros))


@dataclass(frozen=True)
class Settings:
    """The arguments of `make_operator`, with several eps."""

    operator: str | Realization
    beta: Any
    gamma: Any
    eps: tuple[Any, ...]  # numbers; of a baseline None
    mass: str | None = None  # D of S u = lambda D u: "diagonal" or "degree"

    @classmethod
    def of(
        cls,
        operator: str | Realization,
        beta: Any,
        gamma: Any,
        eps: Sequence[float],
        mass: str | None = None,
    ) -> Settings:
        """Return settings as they were given, the usual eps where there is none."""
        baseline = isinstance(operator, str) and operator in BASELINES
        return cls(operator, beta, gamma, tuple(eps) or (None if baseline else 1e-4,), mass)

    def check(self, complexes: Sequence[Complex]) -> None:
        """Collapse one of them alone: bad arguments are refused and warnings said, once."""
        self.alone(max(complexes, key=lambda K: K.n_cells[::-1]), self.eps[0])

    @property
    def stacks(self) -> bool:
        """Whether small complexes are solved as stacks; those of a baseline go one by one."""
        baseline = isinstance(self.operator, str) and self.operator in BASELINES
        return not baseline and self.mass != "degree"

    def alone(self, K: Any, eps: float | None) -> Operator:
        """Return the operator of one complex (or of several, laid side by side)."""
        weights: dict[str, Any] = {"beta": self.beta, "gamma": self.gamma, "eps": eps}
        return make_operator(K, self.operator, **weights)


One = tuple[FloatArray, FloatArray, int]  # values and vectors for all eps, number of zeros


def solve_all(
    given: list[Complex],
    settings: Settings,
    vectors: bool,
    jobs: int = 1,
    progress: bool | None = False,
    client: Any = None,
) -> list[One]:
    """Return all eigenpairs of the complexes, in their order, under settings that were checked."""
    parts = list(parts_of_one_kind(given, LARGE))
    if client is not None:
        sent = [({i: given[i] for i in part}, settings, vectors) for part in parts]
        arrived = shown(on_workers(client, _on_worker, sent), len(parts), "spectra", progress)
        every = {i: one for p, results in arrived for i, one in zip(parts[p], results, strict=True)}
        return [every[i] for i in range(len(given))]
    pool = ThreadPoolExecutor(jobs) if min(jobs, len(parts)) > 1 else None
    solved: dict[int, One] = {}
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", CellapseWarning)
        try:
            each = pool.map if pool else map
            done = each(lambda part: (part, _solve(given, part, settings, vectors)), parts)
            for part, results in shown(done, len(parts), "spectra", progress):
                solved |= zip(part, results, strict=True)
        finally:  # after an error or an interrupt, what has not begun does not begin
            if pool:
                pool.shutdown(cancel_futures=True)
    return [solved[i] for i in range(len(given))]


def _on_worker(given: dict[int, Complex], settings: Settings, vectors: bool) -> list[One]:
    """Solve one part in another process; vectors are sent back only where asked for."""
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore", CellapseWarning)
        solved = _solve(given, list(given), settings, vectors)
    return solved if vectors else [(w, np.empty((len(w), 0)), zeros) for w, _, zeros in solved]


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cut(values: FloatArray, k: int | None, several: bool) -> FloatArray:
    return values[..., :k] if several else values[0][..., :k]


def _solve(given: Any, part: list[int], settings: Settings, vectors: bool) -> list[One]:
    """Return values, vectors and number of zeros for the complexes of one part."""
    complexes = [given[i] for i in part]
    small = complexes[0].n_vertices <= LARGE and complexes[0].max_rank > 0
    if not (small and settings.stacks):
        return [_one(K, settings) for K in complexes]
    if not all(_well_scaled(K, settings) for K in complexes):
        return [_one(K, settings) for K in complexes]
    try:
        return _together(complexes, settings, vectors)
    except np.linalg.LinAlgError:  # one of them is too hard for LAPACK: alone it has other ways
        return [_one(K, settings) for K in complexes]
    except CellapseError:
        for i in part:  # which one is it?
            try:
                settings.alone(given[i], settings.eps[0])
            except CellapseError as error:
                raise type(error)(f"complex number {i}: {error}") from None
        raise


def _well_scaled(K: Complex, settings: Settings) -> bool:
    """Return whether no weight is so small that a dense level would lose its digits.

    One at a time the digits are kept; three ranks and more lose more of them.
    """
    given = [w for w in K.weights if w is not None and len(w)]
    most = max([1.0, *(float(w.max()) for w in given)])
    least = min([1.0, *(float(w.min()) for w in given)])
    beta = () if settings.beta is None else np.ravel(np.asarray(settings.beta, float)).tolist()
    positive = [1.0, *(b for b in beta if b > 0)]
    largest = most / least * max(positive)
    few_ranks = K.max_rank <= 2
    return (
        largest / min(positive) < 1e3
        and min(settings.eps) > (1e-10 if few_ranks else 1e-6) * largest
    )


def _one(K: Complex, settings: Settings) -> One:
    operators = [settings.alone(K, eps) for eps in settings.eps]
    spectra_of_eps = [S.spectrum(mass=settings.mass) for S in operators]
    values = np.stack([f.values for f in spectra_of_eps])
    return values, np.stack([f.vectors for f in spectra_of_eps]), spectra_of_eps[0].n_zeros or 0


def _together(complexes: list[Complex], settings: Settings, vectors: bool) -> list[One]:
    realization = realization_of(complexes[0], settings.operator)
    stacks = realization.stacks(complexes, settings.beta, settings.gamma)
    layout = stacks.layout
    P, n_zeros = stacks.kernels
    values: list[list[FloatArray]] = [[] for _ in complexes]
    kept: list[list[FloatArray]] = [[] for _ in complexes]
    for eps in settings.eps:
        blocks, norms, definite = stacks.collapsed(eps)
        zeros = np.where(definite, n_zeros, 0)
        for T, norm, Q, group in zip(blocks, norms, P, layout.groups, strict=True):
            Q = np.where(definite[group][:, None, None], Q, 0.0)
            solve = eigenpairs_of_stack if settings.mass is None else _with_masses
            w, V = solve(T, norm, Q, zeros[group], vectors)
            for i, one, columns in zip(group, w, V, strict=True):
                values[i].append(one)
                kept[i].append(columns)
    pairs = zip(values, kept, zeros.tolist(), strict=True)
    return [(np.stack(w), np.stack(V), z) for w, V, z in pairs]


def _with_masses(
    T: FloatArray, norm: FloatArray, P: FloatArray, n_zeros: IntArray, vectors: bool
) -> tuple[FloatArray, FloatArray]:
    """Solve T u = lambda D u, with D the diagonal of T, or its mean without edges."""
    D = np.diagonal(T, axis1=1, axis2=2).copy()
    if ((D != 0.0) & (norm[:, None] * _KNOWN >= D)).any():
        raise np.linalg.LinAlgError("a mass that is rounding")  # alone it is said in words
    held = D > 0.0
    mean = D.sum(axis=1) / np.maximum(held.sum(axis=1), 1)
    root = np.sqrt(np.where(held, D, np.where(mean > 0.0, mean, 1.0)[:, None]))
    scaled = T / root[:, :, None] / root[:, None, :]
    kernel = P * root[:, : P.shape[1], None]
    length = np.sqrt((kernel**2).sum(axis=1, keepdims=True))
    kernel = np.divide(kernel, length, out=np.zeros_like(kernel), where=length > 0.0)
    w, V = eigenpairs_of_stack(scaled, row_sums(scaled), kernel, n_zeros, vectors)
    return w, V / root[:, :, None] if vectors else V
