"""Spectra and what is made of them: eigenvalues, their ratios, signatures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cellapse._collapse.collapsed import CollapsedOperator, as_collapsed
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._operators.as_operator import as_operator
from cellapse._shared.align import align_groups
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import whole_number
from cellapse.plot.axes import MARKS, PALETTE, axes_for
from cellapse.tasks.signatures import heat_kernel_signature


def plot_spectrum(operators: Any, k: int = 30, *, ax: Any = None) -> Any:
    """Draw the smallest eigenvalues of one or several operators over their index.

    lambda_1 <= lambda_2 <= ... <= lambda_k of S u = lambda u.

    Parameters
    ----------
    operators : Operator or what makes one, Spectrum, or {name: any of these}
        A collapsed operator alone is drawn with A, what it was before the collapse.
    k : int
        How many eigenvalues; of a spectrum, at most those it has.
    ax : matplotlib axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.karate_club_graph()))
    >>> ax = cl.plot.plot_spectrum(S, 10)
    >>> [line.get_label() for line in ax.lines]
    ['S', 'A']
    """
    k, ax = whole_number("k", k, 1), axes_for(ax)
    for i, (name, given) in enumerate(_named(operators).items()):
        values = _values(given, k)
        colour, mark = PALETTE[i % 7], MARKS[i % 4]
        ax.plot(np.arange(1, len(values) + 1), values, mark, ms=4, color=colour, label=name)
    ax.set(xlabel="index k", ylabel="eigenvalue")
    ax.legend(frameon=False)
    return ax


def plot_compression(operator: Any, k: int = 30, *, ax: Any = None) -> Any:
    """Draw the eigenvalues of S divided by those of A, the operator before the collapse.

    lambda_k(S) / lambda_k(A), which is at most 1 because S <= A.

    Parameters
    ----------
    operator : CollapsedOperator, or what `collapse` makes one of
    k : int
        How many eigenvalues.
    ax : matplotlib axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.karate_club_graph()))
    >>> ax = cl.plot.plot_compression(S, 10)
    >>> bool(np.nanmax(ax.lines[0].get_ydata()) <= 1 + 1e-9)
    True
    """
    S = as_collapsed(operator)
    ax = axes_for(ax)
    k = min(whole_number("k", k, 1), S.shape[0])
    ratios = compression(S.spectrum(k).values, _plain(S).spectrum(k).values)
    ax.plot(np.arange(1, k + 1), ratios, "o", ms=4, color=PALETTE[0])
    ax.axhline(1.0, ls="--", color=PALETTE[1])
    ax.set(xlabel="index k", ylabel="eigenvalue of S / of A", ylim=(0, 1.08))
    return ax


def compression(mine: FloatArray, plain: FloatArray) -> FloatArray:
    """lambda_k(S) / lambda_k(A), or nan where the latter is zero.

    >>> compression(np.array([0.0, 1.0]), np.array([0.0, 2.0])).tolist()
    [nan, 0.5]
    """
    zero = 1e-9 * max(float(plain.max(initial=0.0)), 1e-300)
    return np.divide(mine, plain, out=np.full(len(plain), np.nan), where=plain > zero)


def plot_signatures(
    operator: Any, groups: Any, times: ArrayLike | None = None, *, ax: Any = None
) -> Any:
    """Draw heat-kernel signatures by group: the median and the band from 10 to 90 %.

    h_t(v) = sum over k of exp(-t lambda_k) u_k(v)^2, the heat left at v after the time t.

    Parameters
    ----------
    operator : Operator, or what makes one
    groups : one value per vertex
        `Clusters` are fine. A Series or mapping goes by label.
    times : positive numbers, optional
        By default those of `heat_kernel_signature`.
    ax : matplotlib axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.karate_club_graph()), "screened")
    >>> len(cl.plot.plot_signatures(S, cl.cluster(S, 2)).lines)
    2
    """
    ax = axes_for(ax)
    signature = heat_kernel_signature(operator, times)
    given = align_groups(groups, signature.labels, "groups")
    words = given if given.dtype.kind in "biufU" else np.array(list(map(str, given)))
    names, codes = np.unique(words, return_inverse=True)
    for i, name in enumerate(names):
        low, middle, high = np.quantile(signature.features[codes == i], [0.1, 0.5, 0.9], axis=0)
        style = ("-", "--", ":", "-.")[i // 7 % 4]
        ax.fill_between(signature.at, low, high, color=PALETTE[i % 7], alpha=0.2, lw=0)
        ax.plot(signature.at, middle, style, color=PALETTE[i % 7], label=str(name))
    ax.set(xscale="log", yscale="log", xlabel="time t", ylabel="heat left at the vertex")
    ax.legend(frameon=False)
    return ax


def _named(given: Any) -> Mapping[str, Operator | Spectrum]:
    if isinstance(given, Spectrum):
        return {"eigenvalues": given}
    if isinstance(given, Mapping):
        return {name: _drawable(v) for name, v in given.items()}
    S = _drawable(given)
    if isinstance(S, CollapsedOperator):
        return {"S": S, "A": _plain(S)}
    return {getattr(S, "name", "operator"): S}


def _drawable(given: Any) -> Operator | Spectrum:
    return given if isinstance(given, Operator | Spectrum) else as_operator(given)


def _values(given: Operator | Spectrum, k: int) -> FloatArray:
    if isinstance(given, Spectrum):
        return given.values[:k]
    return given.spectrum(min(k, given.shape[0])).values


def _plain(S: CollapsedOperator) -> Operator:
    return SparseOperator(S.A, S.labels, S.kernel)
