r"""Functions of an operator applied to signals: y = h(S) x.

For the response h on [0, b], b an upper bound of the spectrum,

    h(S) x = sum_k c_k T_k(2 S / b - I) x

with Chebyshev polynomials T_k: only products with S, for all columns (and all responses) at once.
Terms are added until those left out sum to less than the error asked for: |T_k| <= 1, so their sum
bounds the error of h(S) in the spectral norm. Up to a few hundred vertices the full spectrum is
cheaper, and exact for any response.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.blas import column_blocks
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._shared.align import unpack
from cellapse._shared.arrays import FloatArray, Numbers
from cellapse._shared.checks import number, real_array, share
from cellapse._shared.memory import Fitting
from cellapse._shared.scaling import homogeneous

Response = Callable[[FloatArray], FloatArray]

DENSE = 500  # up to this many vertices the full spectrum is used
_MAX_TERMS = 2**14


@overload
def spectral_filter(
    operator: Any, signal: Numbers, response: Response, *, rtol: float = ...
) -> FloatArray: ...


@overload
def spectral_filter(
    operator: Any, signal: Any, response: Response, *, rtol: float = ...
) -> Any: ...


@Fitting("the filtered signal", "take fewer columns at a time")
def spectral_filter(operator: Any, signal: Any, response: Response, *, rtol: float = 1e-8) -> Any:
    """Apply the function h of an operator to a signal: y = h(S) x.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    signal : n numbers, (n, m) array, or pandas Series or DataFrame indexed by label
    response : function
        h: takes an array of eigenvalues and gives the factor of each, like `np.cos` or
        `band_pass(1, 2, 0.1)`.
    rtol : float
        ||h(S) x - y|| stays below `rtol * max|h| * ||x||`.

    Returns
    -------
    array, Series or DataFrame
        Of the shape and with the index of the signal.

    Examples
    --------
    >>> L = [[1.0, -1.0], [-1.0, 1.0]]
    >>> spectral_filter(L, [3.0, 1.0], lambda x: np.exp(-x)).round(3).tolist()
    [2.135, 1.865]
    """
    S = as_operator(operator)
    x, pack = unpack(signal, S)
    return pack(apply_responses(S, x, [response], rtol)[0])


def band_pass(low: float, high: float, width: float) -> Response:
    """Make a response that keeps eigenvalues between `low` and `high`, with soft edges.

    h(x) = s((x - low) / width) s((high - x) / width) with the logistic s. Narrow edges take more
    terms, about 20 b / width for a spectrum up to b.

    Parameters
    ----------
    low, high : float
        The band of eigenvalues that is kept.
    width : float
        Of its edges, above 0.

    Returns
    -------
    function
        From eigenvalues to factors from 0 to 1, for `spectral_filter`.

    Examples
    --------
    >>> band_pass(1.0, 3.0, 0.1)(np.array([0.0, 2.0, 4.0])).round(3).tolist()
    [0.0, 1.0, 0.0]
    """
    from scipy.special import expit

    low = number("low", low, "a number", lambda x: True)
    high = number("high", high, f"low < high, here above {low:g}", lambda x: x > low)
    width = number("width", width, "a number above 0", lambda x: x > 0)
    return lambda x: expit((x - low) / width) * expit((high - x) / width)


def apply_responses(
    S: Operator, x: FloatArray, responses: Sequence[Response], rtol: float = 1e-8
) -> list[FloatArray]:
    """h(S) x for several responses h at the price of the longest expansion."""
    error = share("rtol", rtol)
    return homogeneous(lambda x: _apply(S, x, responses, error), x)


def _apply(
    S: Operator, x: FloatArray, responses: Sequence[Response], error: float
) -> list[FloatArray]:
    n = S.shape[0]
    if n <= DENSE:
        spectrum = S.spectrum() if n else None
        return [x.copy() if spectrum is None else _by_modes(spectrum, x, h) for h in responses]
    b = upper_bound(S)
    expansions = [expansion(h, b, error) for h in responses]
    if x.ndim == 1:
        return _summed(S, x, b, expansions, error)
    blocks = column_blocks(x, 4 if S.iterative else 8)  # in single precision
    parts = [_summed(S, x[:, block], b, expansions, error) for block in blocks]
    return [np.hstack(columns) for columns in zip(*parts, strict=True)]


def _summed(
    S: Operator, x: FloatArray, b: float, expansions: list[FloatArray], error: float
) -> list[FloatArray]:
    """Return the sums of Chebyshev polynomials of S, all at once."""
    length = max(len(c) for c in expansions)
    results = [c[0] * x for c in expansions]
    size = float(np.linalg.norm(x, axis=0).min(initial=np.inf))
    slack = error * b * size * _largest(expansions) * _slacks(expansions)
    last, now = x, (2.0 / b) * S.apply(x, slack[0]) - x
    for k in range(1, length):
        for c, result in zip(expansions, results, strict=True):
            if k < len(c):
                result += c[k] * now
        if k + 1 < length:
            last, now = now, (4.0 / b) * S.apply(now, slack[k]) - 2.0 * now - last
    return results


def _slacks(expansions: list[FloatArray]) -> FloatArray:
    """The error that each product may have, in parts of b, so that they add up to two fifths.

    One of d in product j is one of at most 4 (k - j) d / b in T_k: the last ones, whose terms are
    small, need few digits.
    """
    length = max(len(c) for c in expansions)
    sizes = np.max([np.pad(np.abs(c), (0, length - len(c))) for c in expansions], axis=0)
    after = np.cumsum(sizes[::-1])[::-1]  # |c_k| of k and beyond
    weight = np.cumsum(np.append(after[1:], 0.0)[::-1])[::-1]  # times k - j
    return 0.1 / (length * np.maximum(weight, 1e-300))


def _largest(expansions: list[FloatArray]) -> float:
    """At most the largest factor of the weakest response: the largest of those at some places."""
    from scipy.fft import dct  # slow to import

    # All but the first count twice; with zeros behind them there are places between the peaks, too.
    halves = [np.pad(c, (0, len(c) + 1)) / 2.0 for c in expansions]
    return min(float(np.abs(dct(h, type=1) + h[0]).max()) for h in halves)


def _by_modes(spectrum: Any, x: FloatArray, h: Response) -> FloatArray:
    V, factor = spectrum.vectors, evaluate(h, spectrum.values)
    return V @ ((factor if x.ndim == 1 else factor[:, None]) * (V.T @ x))


def evaluate(response: Response, values: FloatArray) -> FloatArray:
    """Return the factors of some eigenvalues, checked."""
    if not callable(response):
        raise InputError(f"response={response!r:.80}; give a function of an array, like np.cos")
    factors = real_array(response(values), "the response")
    if factors.shape != values.shape or not np.isfinite(factors).all():
        raise InputError(
            f"the response gave an array of shape {factors.shape} or infinite values for "
            f"{len(values)} eigenvalues from {values.min():.3g} to {values.max():.3g}; "
            "it must give one finite number for each"
        )
    return factors


def upper_bound(S: Operator) -> float:
    """Return an upper bound of the largest eigenvalue.

    S <= A <= |A|, and max (|A| x)_i / x_i bounds |A| for every x > 0 (Collatz and Wielandt): with
    x = 1 by its row sums, and the closer to its first eigenvector the better.
    """
    size, x, bound = abs(S.A), np.ones(S.shape[0]), np.inf
    for _ in range(20):  # each round is a bound, and closer
        y = size @ x
        bound = min(bound, float((y / x).max(initial=0.0)))
        x = y / max(float(y.max(initial=0.0)), 1e-300) + 1e-3  # stays positive
    return bound or 1.0


def expansion(response: Response, upper: float, error: float) -> FloatArray:
    """Chebyshev coefficients of a response on [0, upper], as many as the error needs.

    >>> len(expansion(lambda x: np.exp(-x), 10.0, 1e-8))
    16
    """
    from scipy.fft import dct  # slow to import

    m = 32
    while m <= _MAX_TERMS:
        angle = np.pi * (np.arange(m) + 0.5) / m
        factors = evaluate(response, upper * (np.cos(angle) + 1.0) / 2.0)
        c = dct(factors, type=2) / m
        c[0] /= 2.0
        tail = np.cumsum(np.abs(c[::-1]))[::-1]  # what is lost by stopping before each term
        goal = 0.5 * error * max(float(np.abs(factors).max()), 1e-300)
        # A quarter of the terms already negligible: then those beyond m are, too.
        if tail[3 * m // 4] <= goal:
            return c[: max(1, int(np.argmax(tail <= goal)))]
        m *= 2
    raise ConvergenceError(
        f"the response needs more than {_MAX_TERMS} Chebyshev terms for an error of {error:.0e}; "
        "make it smoother (wider edges, shorter times) or raise rtol"
    )
