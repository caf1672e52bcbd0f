r"""Signatures: what each vertex sees of the complex at several scales.

    heat   HKS(i, t) = sum_k exp(-t lambda_k) u_k(i)^2, the heat that stays at i for a time t
    wave   WKS(i, e) = sum_k g_k(e) u_k(i)^2 / sum_k g_k(e),  g_k(e) = exp(-(e - log lambda_k)^2
           / 2 sigma^2), over lambda_k > 0: the chance to meet a particle of energy e at i

Neither depends on the signs or bases of eigenvectors, so that they compare between complexes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cellapse._errors import InputError
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse._shared.card import Card, Shown, few
from cellapse._shared.checks import generator, number, one_of, real_array, whole_number
from cellapse._shared.memory import Fitting, require_memory
from cellapse._shared.pictures import points
from cellapse._shared.tables import to_frame
from cellapse.tasks.embedding import n_trivial, operator_size
from cellapse.tasks.filters import Response, apply_responses
from cellapse.tasks.smoothing import checked_times

_FULL = 2000  # up to this many vertices all eigenpairs are computed
_BLOCK = 32  # probes handled at once
SCALES = ("raw", "log", "logz")


@dataclass(frozen=True, eq=False, repr=False)
class Signature(Shown):
    """One row of features for each vertex; `np.asarray(signature)` is the array of them.

    Attributes
    ----------
    features : (n, m) array
        On the scale asked for.
    at : (m,) array
        The times, or the energies (logarithms of eigenvalues).
    error : float
        Of the raw values, relative: 0 for all eigenpairs, a bound for some of them, the standard
        error for random probes; nan where nothing is known.
    labels : sequence
        What the rows are.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> signature = cl.heat_kernel_signature(cl.collapse(K), [0.1, 1.0])
    >>> signature.features.shape, signature.at.tolist()
    ((34, 2), [0.1, 1.0])
    """

    features: FloatArray = field(repr=False)
    at: FloatArray
    error: float
    labels: Sequence[Hashable] = field(repr=False)

    def _card(self) -> Card:
        n, m = self.features.shape
        known = {True: "exact", False: f"relative, {self.error:.2g}"}[self.error == 0.0]
        rows = (
            ("at", f"{few(self.at.tolist())} ({m:,} times or energies)"),
            ("error", "not known" if np.isnan(self.error) else known),
            (
                "first row",
                f"{self.labels[0]!r:.40}: {few(self.features[0].tolist(), 4)}" if n else "none",
            ),
        )
        calls = (
            ("np.asarray(signature)", "is the array, in the order of signature.labels"),
            ("signature.to_frame()", "is a table with a row per vertex"),
        )
        mean = self.features.mean(axis=0) if n else np.zeros(0)
        title = f"Signature of {n:,} vertices in {m:,} columns"
        return Card(title, rows, lambda: points(mean), calls)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.features, dtype=dtype)

    def __len__(self) -> int:
        return len(self.features)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one column for each time or energy, indexed by label."""
        return to_frame(self.features, self.labels, self.at.tolist())


def default_times() -> FloatArray:
    """16 times from 0.1 to 24, evenly spaced on a logarithmic scale.

    >>> default_times().round(2)[[0, 1, -1]].tolist()
    [0.1, 0.14, 24.0]
    """
    return np.geomspace(0.1, 24.0, 16)


@Fitting("the signature", "give fewer times")
def heat_kernel_signature(
    operator: Any,
    times: ArrayLike | None = None,
    *,
    scale: str = "raw",
    n_probes: int = 256,
    rng: int | np.random.Generator = 0,
) -> Signature:
    """Return the heat kernel signature, diag exp(-t S), of every vertex.

    h_t(v) = sum over k of exp(-t lambda_k) u_k(v)^2.

    Parameters
    ----------
    operator : Operator, matrix, LinearOperator, or Spectrum
        Of an operator on up to 2,000 vertices all eigenpairs are used; on more, random probes:
        the mean of (exp(-t S / 2) g)_i^2 over normal g, with a relative standard error of
        sqrt(2 / n_probes). Of a Spectrum, the eigenpairs it has, with a bound on what is missing.
    times : numbers of at least 0, optional
        By default 16 from 0.1 to 24, evenly spaced on a logarithmic scale.
    scale : {"raw", "log", "logz"}
        The values, their logarithms, or these less their mean over the vertices and divided by
        their standard deviation, time by time.
    n_probes : int
        Only used above 2,000 vertices.
    rng : seed or numpy Generator
        For the probes.

    Returns
    -------
    Signature

    Examples
    --------
    >>> hks = heat_kernel_signature([[1.0, -1.0], [-1.0, 1.0]], [0.0, 1.0])
    >>> hks.features.round(3).tolist()
    [[1.0, 0.568], [1.0, 0.568]]
    """
    t = default_times() if times is None else checked_times(times)
    if isinstance(operator, Spectrum):
        _require_memory_for(len(operator.vectors), len(t), "times")
        return _from_spectrum(operator, t, scale)
    S = as_operator(operator)
    _require_memory_for(S.shape[0], len(t), "times")
    if S.shape[0] <= _FULL:
        return _from_spectrum(_all(S), t, scale)
    n_probes = whole_number("n_probes", n_probes, 2)
    values = _by_probes(S, t, n_probes, generator(rng))
    return Signature(_scaled(values, scale), t, float(np.sqrt(2.0 / n_probes)), S.labels)


@Fitting("the signature", "give fewer energies")
def wave_kernel_signature(
    operator: Any,
    energies: ArrayLike | None = None,
    *,
    n_energies: int = 16,
    sigma: float | None = None,
    scale: str = "raw",
) -> Signature:
    """Return the wave kernel signature of every vertex (Aubry, Schlickewei and Cremers).

    w_e(v) = c_e sum over k of exp(-(e - log lambda_k)^2 / (2 sigma^2)) u_k(v)^2.

    Parameters
    ----------
    operator : Operator, matrix, LinearOperator, or Spectrum
        Of an operator on more than 2,000 vertices the 200 smallest eigenpairs are used; pass
        `S.spectrum(k)` for another number.
    energies : numbers, optional
        By default `n_energies` from the logarithm of the smallest positive eigenvalue to that of
        the largest one in use.
    n_energies : int
    sigma : float, optional
        Width of a band; by default seven steps between energies.
    scale : {"raw", "log", "logz"}
        As for `heat_kernel_signature`.

    Returns
    -------
    Signature

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> wks = wave_kernel_signature(cl.graph_laplacian(cl.clique_complex(nx.path_graph(5))))
    >>> wks.features.shape, bool(np.allclose(wks.features.sum(axis=0), 1))
    ((5, 16), True)
    """
    spectrum, positive = _positive(operator)
    log, squares = np.log(spectrum.values[positive]), spectrum.vectors[:, positive] ** 2
    if energies is None:
        n_energies = whole_number("n_energies", n_energies, 1)
        _require_memory_for(len(squares), n_energies, "energies")
        e = np.linspace(log[0], log[-1], n_energies)
    else:
        e = np.atleast_1d(real_array(energies, "energies"))
        if e.ndim != 1 or not len(e) or not (abs(e) <= 1e60).all():
            raise InputError(
                f"energies={energies!r:.80}; give a list of numbers, the logarithms of eigenvalues"
            )
        _require_memory_for(len(squares), len(e), "energies")
    range_ = log[-1] - log[0]
    width = 7.0 * range_ / max(len(e) - 1, 1)
    if range_ <= 1e-6:
        width = 1.0  # of one eigenvalue any will do
    if sigma is not None:
        width = number("sigma", sigma, "a number from 1e-60 to 1e60", lambda x: 1e-60 <= x <= 1e60)
    # Relative to the nearest eigenvalue, so that a narrow band never divides zero by zero.
    exponent = -((e - log[:, None]) ** 2) / (2.0 * width**2)
    g = np.exp(exponent - exponent.max(axis=0))
    complete = len(spectrum) == len(spectrum.vectors)
    features = _scaled(squares @ (g / g.sum(axis=0)), scale)
    return Signature(features, e, 0.0 if complete else float("nan"), spectrum.labels)


def _require_memory_for(n: int, count: int, what: str) -> None:
    """A value for every vertex and time or energy, with its copies: exponents, scaled values."""
    require_memory(
        40.0 * n * count, f"a signature of {n:,} vertices at {count:,} {what}", f"give fewer {what}"
    )


def _positive(source: Any) -> tuple[Spectrum, BoolArray]:
    """Return the eigenpairs in use, and which of them have an eigenvalue above zero."""
    if isinstance(source, Spectrum):
        spectrum, size = source, source.values.max(initial=0.0)
        zeros = _zeros(spectrum)
    else:
        S = as_operator(source)
        spectrum = _all(S) if S.shape[0] <= _FULL else S.spectrum(200)
        size, zeros = operator_size(S), n_trivial(S, spectrum)
    # An eigenvalue that is zero up to rounding, relative to A, has no meaningful logarithm.
    positive = spectrum.values > 1e-12 * size
    positive[:zeros] = False
    if not positive.any():
        raise InputError(
            f"{len(spectrum)} eigenvalues, all of them zero; waves need an edge: "
            "leave out the isolated vertices, or take more eigenpairs"
        )
    return spectrum, positive


def _all(S: Operator) -> Spectrum:
    if S.shape[0] == 0:
        raise InputError("the operator has no vertices; there is nothing to describe")
    return S.spectrum()


def _zeros(spectrum: Spectrum) -> int:
    if spectrum.n_zeros is not None:
        return min(spectrum.n_zeros, len(spectrum))
    return int((spectrum.values <= 1e-8 * spectrum.values.max(initial=0.0)).sum())


def _from_spectrum(spectrum: Spectrum, t: FloatArray, scale: str) -> Signature:
    squares = spectrum.vectors**2
    if not np.allclose(squares.sum(axis=0), 1.0, atol=1e-6):
        raise InputError(
            "the spectrum was computed with a mass, so that its vectors are not of unit length; "
            "use S.spectrum(k) without mass"
        )
    values = squares @ np.exp(-np.outer(spectrum.values, t))
    error = 0.0
    if len(spectrum) < len(squares):
        # The squares of a vertex over all vectors sum to 1: what is missing is 1 less those here,
        # and decays at least as fast as the last one.
        missing = np.maximum(1.0 - squares.sum(axis=1), 0.0)[:, None]
        bound = missing * np.exp(-t * spectrum.values[-1])
        error = float((bound / np.maximum(values, 1e-300)).max())
    return Signature(_scaled(values, scale), t, error, spectrum.labels)


def _by_probes(S: Operator, t: FloatArray, n_probes: int, rng: np.random.Generator) -> FloatArray:
    """Var of the mean is 2 / n_probes times the square of the value, whatever the value."""
    responses = [_half(time) for time in t.tolist()]
    total = np.zeros((S.shape[0], len(t)))
    for start in range(0, n_probes, _BLOCK):
        g = rng.standard_normal((S.shape[0], min(_BLOCK, n_probes - start)))
        for j, x in enumerate(apply_responses(S, g, responses)):
            total[:, j] += (x**2).sum(axis=1)
    return total / n_probes


def _half(time: float) -> Response:
    return lambda x: np.exp(-time / 2.0 * x)


def _scaled(values: FloatArray, scale: str) -> FloatArray:
    one_of("scale", scale, SCALES)
    if scale == "raw":
        return values
    logs = np.log(np.maximum(values, 1e-300))
    if scale == "log":
        return logs
    spread = logs.std(axis=0)
    flat = spread <= 1e-12 * np.maximum(np.abs(logs).max(axis=0), 1.0)  # all vertices alike
    return np.where(flat, 0.0, (logs - logs.mean(axis=0)) / np.where(flat, 1.0, spread))
