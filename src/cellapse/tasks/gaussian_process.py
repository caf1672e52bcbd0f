r"""Gaussian process regression on vertices: values known at some, mean and deviation at all.

    y = m + f + e,    f ~ N(0, a K),    e ~ N(0, a r I),    K of mean variance 1

with a Matern or diffusion kernel K of an operator. For known vertices T and K_TT = Q diag(k) Q^T,
z = Q^T (y - m), the logarithm of the marginal likelihood is

    -1/2 sum_i (z_i^2 / (a (k_i + r)) + log(a (k_i + r)) + log 2 pi),

so that for one length all noises r cost one decomposition; the amplitude a is the best one. The
posterior (Rasmussen and Williams, Gaussian processes for machine learning, 2006):

    mean = m + K_*T (K_TT + r I)^-1 (y - m),   var = a (K_** - K_*T (K_TT + r I)^-1 K_T*).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg

from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._shared.align import align, is_missing, one_column
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import listed, number, one_of, real_array, whole_number
from cellapse._shared.memory import Fitting, require_memory
from cellapse._shared.pictures import bars
from cellapse._shared.tables import to_frame
from cellapse.tasks.filters import Response
from cellapse.tasks.kernels import Diffusion, Matern

_ALL = 2000  # vertices up to which all eigenpairs are used
_SOME = 300  # eigenpairs above
_TRIED = 22  # lengths, and noises, before the best is refined
_LEAST_NOISE, _MOST_NOISE = 1e-6, 1e3  # over the amplitude
_LARGEST = 1e100  # known value: variances are squares
_FAINT = 1e-10  # of the variance of the values: a noise that is rounding
_FLAT = 1e-24  # of the squared values: an amplitude that is rounding
_ROWS = 4096  # of variances computed at once


@dataclass(frozen=True, eq=False, repr=False)
class GaussianProcess(Shown):
    """Values at all vertices, with their standard deviation.

    Attributes
    ----------
    mean, deviation : (n,) arrays
        Of the values without noise, in the order of `labels`.
    given : (n,) boolean array
        The vertices whose value was known.
    kernel : str
    length, amplitude, noise : float
        The hyperparameters: amplitude and noise are variances.
    log_likelihood : float
        Marginal, of the known values.
    left_out : float
        The root mean square error of the known values, each left out in turn, over their standard
        deviation: 1 is no better than their mean.
    rest : float
        At most so much of the prior variance is missing, as not all eigenpairs are used.
    labels : sequence

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> known = {v: v / 10 for v in (0, 5, 11, 20, 26, 29)}
    >>> process = cl.tasks.gaussian_process(cl.graph_laplacian(nx.path_graph(30)), known)
    >>> float(process.mean[15].round(1)), bool(process.deviation[15] > process.deviation[20])
    (1.5, True)
    """

    mean: FloatArray = field(repr=False)
    deviation: FloatArray = field(repr=False)
    given: BoolArray = field(repr=False)
    kernel: str
    length: float
    amplitude: float
    noise: float
    log_likelihood: float
    left_out: float
    rest: float
    labels: Sequence[Hashable] = field(repr=False)

    def _card(self) -> Card:
        rows = [
            ("known", f"{int(self.given.sum()):,} of {len(self.mean):,} vertices"),
            ("kernel", f"{self.kernel}, length {self.length:.4g}"),
            ("variances", f"{self.amplitude:.4g} of the values, {self.noise:.4g} of the noise"),
            ("likelihood", f"{self.log_likelihood:.4g}, the logarithm"),
            ("left out", f"error {self.left_out:.3g}, where the mean of all has 1"),
        ]
        if self.rest:
            rows.append(("left away", f"up to {self.rest:.2g} of the prior variance"))
        calls = (
            ("process.mean", "are the values, in the order of process.labels"),
            ("process.to_frame()", "is a table with deviations"),
        )
        title = f"Gaussian process on {len(self.mean):,} vertices"
        return Card(title, tuple(rows), lambda: bars(np.sort(self.deviation)[:40].tolist()), calls)

    def __array__(self, dtype: Any = None, copy: Any = None) -> FloatArray:
        return np.array(self.mean, dtype=dtype)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with the columns mean and deviation, indexed by label."""
        columns = np.column_stack([self.mean, self.deviation])
        return to_frame(columns, self.labels, ["mean", "deviation"])


@Fitting("the Gaussian process", "lower n_eigenpairs, or give fewer known values")
def gaussian_process(
    operator: Any,
    known: Any,
    *,
    kernel: str = "matern",
    nu: float = 1.5,
    length: float | None = None,
    noise: float | None = None,
    n_eigenpairs: int | None = None,
) -> GaussianProcess:
    """Gaussian process regression: values known at some vertices, mean and deviation at all.

    y = m + f + e with f ~ N(0, a K), e ~ N(0, noise), and m the mean of the known values. What is
    not given (length, noise, and always the amplitude a) maximizes the marginal likelihood.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network
    known : {vertex: number}, or one number per vertex with NaN or None where it is not known
        A Series goes by its index, like a mapping: vertices that it does not name are not known.
    kernel : {"matern", "diffusion"}
    nu : float
        Smoothness of "matern".
    length : float, optional
        Of the kernel, in the unit of one over the root of an eigenvalue; time is length^2 / 2.
    noise : float, optional
        Variance of the known values around the true ones.
    n_eigenpairs : int, optional
        All up to 2,000 vertices, 300 above; `rest` says what is missing.

    Returns
    -------
    GaussianProcess

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(nx.barbell_graph(5, 0))
    >>> process = gaussian_process(S, {0: 1.0, 1: 1.1, 2: 0.9, 8: -1.0, 9: -1.1})
    >>> bool(process.mean[3] > 0.5), bool(process.mean[7] < -0.5)
    (True, True)
    """
    one_of("kernel", kernel, ("matern", "diffusion"))
    nu = number("nu", nu, "a number above 0", lambda x: x > 0)
    S = as_operator(operator)
    values, given = _known_values(known, S)
    modes = _modes(S, n_eigenpairs)
    make = _responses(kernel, nu)
    fixed = None if length is None else number("length", length, "above 0", lambda x: x > 0)
    variance = None if noise is None else _noise(noise, float(values.var()))
    chosen = fixed or _best_length(modes, given, values, make, variance)
    fit = _fit(modes, given, values, make(chosen), variance)
    mean, squares = _posterior(modes, fit)
    return GaussianProcess(
        mean,
        np.sqrt(fit.amplitude * squares),
        given,
        f"matern (nu {nu:g})" if kernel == "matern" else kernel,
        chosen,
        fit.amplitude,
        fit.amplitude * fit.ratio,
        fit.likelihood,
        _left_out(fit, values),
        modes.rest(make(chosen)),
        S.labels,
    )


class _Modes(NamedTuple):
    """Eigenvalues and vectors of S, the smallest."""

    values: FloatArray
    vectors: FloatArray

    def rest(self, response: Response) -> float:
        """At most the share of variance that eigenpairs beyond these would have."""
        k, n = len(self.values), len(self.vectors)
        own = response(self.values)
        missing = float(own[-1]) * (n - k)
        return missing / (float(own.sum()) + missing)


class _Fit(NamedTuple):
    """One length: the kernel by modes, and its decomposition at the known vertices."""

    weights: FloatArray  # of modes, of mean variance 1
    rows: FloatArray  # of the vectors, at known vertices
    k: FloatArray
    Q: FloatArray
    z: FloatArray
    centre: float
    ratio: float
    amplitude: float
    likelihood: float


def _known_values(known: Any, S: Operator) -> tuple[FloatArray, BoolArray]:
    """Return the known values, and where they are."""
    aligned = align(one_column(known), S.labels, "known", partial=True)
    entries = listed(aligned, "known")
    if len(entries) != S.shape[0]:
        raise InputError(
            f"known has {len(entries)} values for {S.shape[0]} vertices; give one for each, NaN "
            "where it is not known, or a mapping {vertex: number}"
        )
    given = np.array([not is_missing(v) for v in entries], dtype=bool)
    if given.sum() < 2:
        raise InputError(f"known has {given.sum()} values; give two or more")
    values = real_array([v for v, there in zip(entries, given, strict=True) if there], "known")
    if values.ndim != 1 or not np.isfinite(values).all():
        raise InputError("known holds infinite values, or rows; give one finite number per vertex")
    if np.abs(values).max() > _LARGEST or 0.0 < np.ptp(values) < 1.0 / _LARGEST:
        raise InputError(
            f"known has values from {values.min():.3g} to {values.max():.3g}, whose variance is "
            "beyond all numbers; divide them by their size: values / abs(values).max()"
        )
    return values, given


def _noise(given: Any, variance: float) -> float:
    """Return the variance of the noise, if rounding leaves any beside that of the values."""
    noise = number("noise", given, "a number above 0", lambda x: x > 0)
    if variance and not _FAINT * variance <= noise <= variance / _FAINT:
        raise InputError(
            f"noise={noise:g}, and the known values have a variance of {variance:.3g}; give a "
            f"number from {_FAINT:g} to {1.0 / _FAINT:g} times that"
        )
    return noise


def _modes(S: Operator, n_eigenpairs: int | None) -> _Modes:
    n = S.shape[0]
    usual = n if n <= _ALL else _SOME
    k = usual if n_eigenpairs is None else whole_number("n_eigenpairs", n_eigenpairs, 1, n)
    spectrum = S.spectrum(None if k == n else k, rtol=1e-8)
    return _Modes(np.maximum(spectrum.values, 0.0), spectrum.vectors)


def _responses(kernel: str, nu: float) -> Callable[[float], Response]:
    if kernel == "matern":
        return lambda length: Matern(nu, length)
    return lambda length: Diffusion(length**2 / 2.0)


def _best_length(
    modes: _Modes,
    given: BoolArray,
    values: FloatArray,
    make: Callable[[float], Response],
    noise: float | None,
) -> float:
    """Return the length of the largest marginal likelihood."""
    positive = modes.values[modes.values > 1e-9 * modes.values.max(initial=0.0)]
    if not len(positive):
        return 1.0  # a graph without edges: no length says more than another

    def loss(length: float) -> float:
        return -_fit(modes, given, values, make(length), noise).likelihood

    return _best(loss, 0.1 / np.sqrt(positive[-1]), 30.0 / np.sqrt(positive[0]))


def _best(loss: Callable[[float], float], low: float, high: float) -> float:
    """Find the smallest loss between two positive numbers: on a grid, then around its best."""
    from scipy.optimize import minimize_scalar

    tried = np.geomspace(low, high, _TRIED)
    losses = [loss(float(x)) for x in tried]
    best = int(np.argmin(losses))
    ends = np.log(tried[[max(best - 1, 0), min(best + 1, _TRIED - 1)]])
    found = minimize_scalar(
        lambda x: loss(float(np.exp(x))), bounds=ends, method="bounded", options={"xatol": 1e-3}
    )
    return float(np.exp(found.x) if found.fun <= losses[best] else tried[best])


def _fit(
    modes: _Modes, given: BoolArray, values: FloatArray, response: Response, noise: float | None
) -> _Fit:
    """Decompose the kernel of one length at the known vertices, and find its noise."""
    m, n = len(values), len(given)
    require_memory(40.0 * m * m, f"{m:,} known values", "give fewer, such as a sample")
    weights = response(modes.values)
    weights = weights * (n / weights.sum())
    rows = modes.vectors[given]
    k, Q = linalg.eigh((rows * weights) @ rows.T, driver="evd")
    k, centre = np.maximum(k, 0.0), float(values.mean())
    z = Q.T @ (values - centre)
    floor = max(_FLAT * float(values @ values) / m, 1e-300)

    def amplitude(ratio: float) -> float:
        best = float((z**2 / (k + ratio)).mean())
        return max(best if noise is None else noise / ratio, floor)

    def likelihood(ratio: float) -> float:
        variance = amplitude(ratio) * (k + ratio)
        return float(-0.5 * (z**2 / variance + np.log(2.0 * np.pi * variance)).sum())

    low, high = _LEAST_NOISE, _MOST_NOISE
    if noise is not None and (variance := float(values.var())):
        low, high = min(low, 1e-3 * noise / variance), max(high, 1e3 * noise / variance)
    ratio = _best(lambda ratio: -likelihood(ratio), low, high)
    return _Fit(weights, rows, k, Q, z, centre, ratio, amplitude(ratio), likelihood(ratio))


def _posterior(modes: _Modes, fit: _Fit) -> tuple[FloatArray, FloatArray]:
    """Mean, and variance over the amplitude, at all vertices."""
    across = fit.weights[:, None] * (fit.rows.T @ fit.Q)  # modes by directions at known vertices
    mean = fit.centre + modes.vectors @ (across @ (fit.z / (fit.k + fit.ratio)))
    explained = across / np.sqrt(fit.k + fit.ratio)
    variance = np.empty(len(mean))
    for start in range(0, len(mean), _ROWS):
        part = modes.vectors[start : start + _ROWS]
        prior = (part**2) @ fit.weights
        variance[start : start + _ROWS] = prior - ((part @ explained) ** 2).sum(axis=1)
    return mean, np.maximum(variance, 0.0)


def _left_out(fit: _Fit, values: FloatArray) -> float:
    """Return the error of known values left out in turn, over their standard deviation."""
    inverse = fit.Q / (fit.k + fit.ratio)
    errors = (inverse @ fit.z) / (inverse * fit.Q).sum(axis=1)
    spread = float(values.std())
    return float(np.sqrt((errors**2).mean()) / spread) if spread else 0.0
