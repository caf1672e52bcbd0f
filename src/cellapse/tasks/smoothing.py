r"""Smoothing of signals on the vertices.

    tikhonov   (I + a S)^-1 y      the minimizer of |x - y|^2 + a x^T S x
    heat       exp(-a S) y         the heat equation after time a
    wiener     (I + a S^2)^-1 y    the best linear estimate of a signal whose power falls like
                                   1 / lambda^2, in white noise; a is noise over signal

all for any number of columns, without a dense matrix. The strength a may be chosen from the data
by generalized cross-validation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._shared.align import unpack
from cellapse._shared.arrays import FloatArray, Numbers
from cellapse._shared.card import Card, Shown, few
from cellapse._shared.checks import generator, number, one_of, real_array
from cellapse._shared.memory import Fitting, require_memory
from cellapse._shared.pictures import points
from cellapse._shared.scaling import exponents, homogeneous, times_two
from cellapse.tasks.filters import DENSE, Response, apply_responses, upper_bound

METHODS = ("tikhonov", "heat", "wiener")
_STEPS = 80  # of Lanczos for one quadrature
_PROBES = 16


@overload
def smooth(
    operator: Any, signal: Numbers, *, method: str = ..., strength: float | str = ...
) -> FloatArray: ...


@overload
def smooth(
    operator: Any, signal: Any, *, method: str = ..., strength: float | str = ...
) -> Any: ...


@Fitting("the smoothed signal", "take fewer columns at a time")
def smooth(
    operator: Any, signal: Any, *, method: str = "tikhonov", strength: float | str = 1.0
) -> Any:
    """Smooth one signal or many columns over the vertices.

    x = (I + a S)^-1 y, exp(-a S) y or (I + a S^2)^-1 y, with a the strength.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    signal : n numbers, (n, m) array, or pandas Series or DataFrame indexed by label
    method : {"tikhonov", "heat", "wiener"}
        (I + a S)^-1, exp(-a S) or (I + a S^2)^-1.
    strength : float or "gcv"
        a, at least 0; "gcv" takes the one of `choose_strength`, the same for all columns.

    Returns
    -------
    array, Series or DataFrame
        Of the shape and with the index of the signal.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(3)))
    >>> smooth(L, [0.0, 3.0, 0.0], strength=1.0).round(3).tolist()
    [0.75, 1.5, 0.75]
    """
    one_of("method", method, METHODS)
    S = as_operator(operator)
    y, pack = unpack(signal, S)
    if isinstance(strength, str):
        if strength != "gcv":
            raise InputError(f'strength={strength!r}; give a number of at least 0, or "gcv"')
        a = choose_strength(S, y, method=method).strength
    else:
        a = _checked(strength)
    if a == 0.0 or not y.size:
        return pack(y.copy())
    if method == "tikhonov":
        return pack(homogeneous(lambda y: relaxed(S, y, a), y))
    return pack(apply_responses(S, y, [_response(method, a)])[0])


def relaxed(S: Operator, y: FloatArray, a: float) -> FloatArray:
    """(I + a S)^-1 y."""
    try:
        return S.solve(y / a, shift=1.0 / a, rtol=1e-8)
    except ConvergenceError:
        raise ConvergenceError(
            f"(I + a S)^-1 is not found to eight digits for a strength of a={a:g}: beside "
            "1 / a, S is large and nearly singular; give a smaller strength, or collapse with a "
            "larger eps"
        ) from None


@overload
def diffuse(operator: Any, signal: Numbers, times: ArrayLike) -> list[FloatArray]: ...


@overload
def diffuse(operator: Any, signal: Any, times: ArrayLike) -> list[Any]: ...


@Fitting("the signal at all times", "take fewer columns or times at a time")
def diffuse(operator: Any, signal: Any, times: ArrayLike) -> list[Any]:
    """Return the heat equation started at a signal, at several times for the price of one.

    x(t) = exp(-t S) x.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    signal : n numbers, (n, m) array, or pandas Series or DataFrame indexed by label
    times : numbers of at least 0

    Returns
    -------
    list
        One result for each time, of the shape and with the index of the signal.

    Examples
    --------
    >>> [x.round(3).tolist() for x in diffuse([[1.0, -1.0], [-1.0, 1.0]], [1.0, 0.0], [0.0, 9.0])]
    [[1.0, 0.0], [0.5, 0.5]]
    """
    S = as_operator(operator)
    x, pack = unpack(signal, S)
    t = checked_times(times)
    require_memory(24.0 * x.size * len(t), f"the signal at {len(t):,} times", "give fewer times")
    responses = [_response("heat", time) for time in t.tolist()]
    return [pack(result) for result in apply_responses(S, x, responses)]


@dataclass(frozen=True, eq=False, repr=False)
class Strength(Shown):
    """The strength that generalized cross-validation picks, and the scores it was picked from.

    Attributes
    ----------
    strength : float
    strengths : array
        What was tried.
    scores : array
        The score of each, the least of which was taken.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(50)))
    >>> chosen = cl.tasks.choose_strength(L, np.linspace(0, 1, 50), strengths=[1.0, 10.0])
    >>> len(chosen.scores)
    2
    """

    strength: float
    strengths: FloatArray = field(repr=False)
    scores: FloatArray = field(repr=False)

    def _card(self) -> Card:
        rows = (
            ("tried", few(self.strengths.tolist())),
            ("scores", f"{few(self.scores.tolist())}; the least is taken"),
        )
        calls = (("cl.smooth(S, signal, strength=chosen.strength)", "smooths with it"),)
        title = f"Strength {self.strength:.4g}, of {len(self.strengths)} that were tried"
        return Card(title, rows, lambda: points(self.scores), calls)


@Fitting("the choice of a strength", "take fewer columns")
def choose_strength(
    operator: Any,
    signal: Any,
    *,
    method: str = "tikhonov",
    strengths: Sequence[float] | None = None,
    rng: int | np.random.Generator = 0,
) -> Strength:
    """Return the strength with the least score of generalized cross-validation (Craven and Wahba).

    n |(I - H) y|^2 / tr(I - H)^2 with H the smoother, summed over the columns of y. Exact up to
    500 vertices; above, both terms by Lanczos quadrature, the trace with 16 random probes.

    GCV(a) = n |(I - H_a) y|^2 / tr(I - H_a)^2.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    signal : as for `smooth`
    method : {"tikhonov", "heat", "wiener"}
    strengths : numbers above 0, optional
        Where to look; by default 61 from weak to strong, four to a decade.
    rng : seed or numpy Generator
        For the probes.

    Returns
    -------
    Strength

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(100)))
    >>> noisy = np.linspace(0, 1, 100) + 0.1 * np.random.default_rng(0).standard_normal(100)
    >>> choose_strength(L, noisy).strength > 10
    True
    """
    one_of("method", method, METHODS)
    S = as_operator(operator)
    y, _ = unpack(signal, S)
    k = exponents(y.ravel())  # one for all columns, whose scores are added up
    Y = times_two(y[:, None] if y.ndim == 1 else y, -k)
    b = upper_bound(S)
    if strengths is None:
        power = 2 if method == "wiener" else 1
        grid = np.logspace(-4, 11, 61) / b**power
    else:
        grid = np.array([_checked(a) for a in real_array(strengths, "strengths").ravel()])
    if not Y.size or not len(grid):
        raise InputError(f"a signal of shape {y.shape} and {len(grid)} strengths; give some")
    values, weights, traces = _quadratures(S, Y, generator(rng))
    scores = np.empty(len(grid))
    for i, a in enumerate(grid.tolist()):
        left = _removed(method, a)(values)
        left /= left.max() or 1.0  # of a weak smoother it is small, and its square smaller still
        trace = float((left * traces).sum())
        residual = float((left**2 * weights).sum())
        scores[i] = S.shape[0] * residual / trace**2 if trace > 0 else np.inf
    return Strength(float(grid[np.argmin(scores)]), grid, times_two(scores, 2 * k))


def _quadratures(
    S: Operator, Y: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Nodes and weights with sum_j y_j^T f(S) y_j = sum f(nodes) weights, and those of the trace.

    A sum over columns does not care which column a node belongs to, so that they are pooled.
    """
    n = S.shape[0]
    if n <= DENSE:
        spectrum = S.spectrum()
        return spectrum.values, ((spectrum.vectors.T @ Y) ** 2).sum(axis=1), np.ones(n)
    probes = rng.choice([-1.0, 1.0], (n, _PROBES))
    nodes, weights = _lanczos_quadrature(S, np.hstack([Y, probes]))
    m = Y.shape[1]
    none = np.zeros_like(weights[:, :m]), np.zeros_like(weights[:, m:])
    of_signal = np.hstack([weights[:, :m], none[1]])
    of_trace = np.hstack([none[0], weights[:, m:] / _PROBES])
    return nodes.ravel(), of_signal.ravel(), of_trace.ravel()


def _lanczos_quadrature(S: Operator, X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gauss nodes and weights of x^T f(S) x for each column x, by Lanczos on all at once.

    Without reorthogonalization: eigenvalues found twice share their weight, which does no harm.
    """
    size, tiny = np.linalg.norm(X, axis=0), 1e-12 * upper_bound(S)
    q = X / np.where(size > 0, size, 1.0)
    last, beta = np.zeros_like(q), np.zeros(X.shape[1])
    alphas, betas = np.empty((2, _STEPS, X.shape[1]))
    for step in range(_STEPS):
        w = S @ q - beta * last
        alphas[step] = np.einsum("ij,ij->j", q, w)
        w -= alphas[step] * q
        beta = np.linalg.norm(w, axis=0)
        done = beta <= tiny  # an invariant subspace: what follows gets no weight
        beta[done] = 0.0
        last, q = q, w / np.where(done, np.inf, beta)
        betas[step] = beta
    nodes, weights = np.empty((2, _STEPS, X.shape[1]))
    for j in range(X.shape[1]):
        nodes[:, j], vectors = linalg.eigh_tridiagonal(alphas[:, j], betas[:-1, j])
        weights[:, j] = (size[j] * vectors[0]) ** 2
    return np.maximum(nodes, 0.0), weights


def _response(method: str, a: float) -> Response:
    one_of("method", method, METHODS)
    if method == "tikhonov":
        return lambda x: 1.0 / (1.0 + a * x)
    if method == "heat":
        return lambda x: np.exp(-a * x)
    return lambda x: 1.0 / (1.0 + a * x**2)  # wiener


def _removed(method: str, a: float) -> Response:
    """1 - H, accurate where it is close to zero."""
    if method == "heat":
        return lambda x: -np.expm1(-a * x)
    power = 2 if method == "wiener" else 1

    def removed(x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(1.0 / (1.0 + 1.0 / (a * x**power)))

    return removed


def _checked(strength: Any) -> float:
    return number("strength", strength, 'a number of at least 0, or "gcv"', lambda x: x >= 0)


def checked_times(times: ArrayLike) -> FloatArray:
    """Times as an array of numbers of at least 0."""
    array = np.atleast_1d(real_array(times, "times"))
    if array.ndim != 1 or not array.size or not np.isfinite(array).all() or (array < 0).any():
        raise InputError(f"times={times!r}; give a list of numbers of at least 0")
    return array
