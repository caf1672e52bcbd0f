r"""Which cells matter: the derivative of a result with respect to the weight of every cell.

The energy x^T S x, an eigenvalue and a resistance all change with S by a quadratic form of one
vector y,

    d(x^T S x) = x^T dS x,     d lambda = u^T dS u  (simple, |u| = 1),
    d(b^T S^+ b) = -y^T dS y,  y = S^+ b,

so that one pass from the edges up through the ranks gives the derivatives for all cells at once, at
fixed beta, gamma and eps. With h_e the squared differences (B_1^T y)_e^2,

    screened, renormalized   y^T S y = beta_1 sum f_e h_e, and backwards through the rounds of f,
    unfolded                 y^T dS y = beta_1 y^T dL y - gamma_0^2 z^T dG z,

with z = (I + beta_1 G)^-1 y, and backwards through the masses m of the cells, of which
G = B_1 diag(1/m) B_1^T is made.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._collapse.build import as_collapsed
from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.flags import unfolded_masses
from cellapse._collapse.realizations import Screened, Unfolded
from cellapse._complex.card import drawing
from cellapse._complex.complex import Complex
from cellapse._errors import InputError, extra
from cellapse._shared.align import align_one_each
from cellapse._shared.arrays import FloatArray, squared
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import one_of, whole_number
from cellapse._shared.scaling import exponents, times_two
from cellapse.tasks.resistance import effective_resistance

OF = ("eigenvalue", "energy", "resistance")
_SIMPLE = 1e-7  # of the norm: closer eigenvalues count as one


@dataclass(frozen=True, eq=False, repr=False)
class Influence(Shown):
    """The derivative of a result with respect to the weight of every cell.

    Attributes
    ----------
    of : str
        "eigenvalue", "energy" or "resistance".
    value : float
        The result itself.
    by_rank : {rank: array}
        For ranks 1, ..., K one derivative per cell.
    complex : Complex

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> influence = cl.tasks.cell_influence(cl.collapse(K, "renormalized"), "resistance", (0, 33))
    >>> influence.by_rank[2].shape
    (45,)
    """

    of: str
    value: float
    by_rank: dict[int, FloatArray] = field(repr=False)
    complex: Complex = field(repr=False)

    def _card(self) -> Card:
        rows = [
            (f"rank {k}", f"{len(values):,} cells, {values.min():.3g} to {values.max():.3g}")
            for k, values in self.by_rank.items()
            if len(values)
        ]
        first = [f"{cell!r:.40}: {value:.3g}" for _, cell, value in self.strongest(3)]
        rows += [("strongest", ", ".join(first) or "no cell above the vertices")]
        calls = (
            ("influence.strongest(10)", "lists the cells that matter most"),
            ("influence.to_frame()", "is a table with a row per cell"),
        )
        title = f"Influence of every cell on the {self.of}, which is {self.value:.4g}"
        return Card(title, tuple(rows), lambda: drawing(self.complex), calls)

    def strongest(self, count: int = 10) -> list[tuple[int, Hashable, float]]:
        """The cells that matter most: rank, cell and derivative, the largest first."""
        count = whole_number("count", count, 0)
        cells = [(k, i) for k, values in self.by_rank.items() for i in range(len(values))]
        values = np.concatenate([*self.by_rank.values(), np.empty(0)])
        first = np.argsort(-abs(values), kind="stable")[:count].tolist()
        return [
            (cells[at][0], self.complex.cell_label(*cells[at]), float(values[at])) for at in first
        ]

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per cell: rank, cell, influence."""
        with extra("pandas", "pandas"):
            import pandas as pd
        rows = [
            (rank, cell, value)
            for rank, values in self.by_rank.items()
            for cell, value in zip(self.complex.cell_labels(rank), values.tolist(), strict=True)
        ]
        return pd.DataFrame(rows, columns=["rank", "cell", "influence"])


def cell_influence(operator: Any, of: str = "eigenvalue", at: Any = 1) -> Influence:
    """The exact derivative of a result with respect to the weight of every cell of rank 1 and up.

    d lambda / d w = u^T (dS / dw) u of an eigenpair with u^T u = 1, and alike for the others.

    Parameters
    ----------
    operator : collapsed operator, or whatever `collapse` takes
        Of a Complex, onto its vertices: screened, renormalized or unfolded; beta, gamma and eps
        stay as they are.
    of : {"eigenvalue", "energy", "resistance"}
    at : int, n numbers or pair of vertex labels
        Which eigenvalue (0 is the smallest, 1 the Fiedler value; it has to be simple), the signal
        whose energy it is, or the two vertices of the resistance.

    Returns
    -------
    Influence

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.barbell_graph(4, 0)), "renormalized")
    >>> cell_influence(S).strongest(1)[0][:2]                 # the Fiedler value: the bridge
    (1, (3, 4))
    """
    S = as_collapsed(operator)
    one_of("of", of, OF)
    K = S.source
    if not isinstance(K, Complex) or S.onto != 0:
        raise InputError(
            f"{S!r} of {type(K).__name__}: influence is that of the cells of a Complex on its "
            "vertices; collapse a Complex, with onto=0"
        )
    value, y, sign = _AT[of](S, at)
    k = exponents(y)  # the derivatives are squares of y
    y = times_two(y, -k)
    if isinstance(S.realization, Screened):
        edges, cells = _screened(S, y)
    elif isinstance(S.realization, Unfolded):
        edges, cells = _unfolded(S, y)
    else:
        raise InputError(
            f"the influence of cells in the {S.realization} realization is not known; "
            'collapse with "renormalized", "screened" or "unfolded"'
        )
    if not K.max_rank:
        return Influence(of, value, {}, K)
    weight = K.weights[1]
    by_rank = {1: sign * (edges if weight is None else edges / weight)}
    for rank, slopes in enumerate(cells, start=2):
        by_rank[rank] = sign * slopes[: K.n_cells[rank]]  # formal elements come last
    by_rank = {rank: times_two(slopes, 2 * k) for rank, slopes in by_rank.items()}
    return Influence(of, value, by_rank, K)


def _eigenvalue(S: CollapsedOperator, at: Any) -> tuple[float, FloatArray, float]:
    n = S.shape[0]
    k = whole_number("at", at, 0, n - 1)
    spectrum = S.spectrum(min(k + 2, n))
    values = spectrum.values
    scale = max(float(values[-1]), float(abs(S.A).max()) if S.A.nnz else 0.0, 1e-300)
    if values[k] <= 1e-12 * scale:  # stays zero, whatever the weights are
        return 0.0, np.zeros(n), 1.0
    near = [abs(values[k] - values[j]) for j in (k - 1, k + 1) if 0 <= j < len(values)]
    if min(near, default=np.inf) <= _SIMPLE * scale:
        raise InputError(
            f"eigenvalue {k}, {values[k]:.6g}, is repeated, so that it has no derivative; take a "
            'simple one, or of="energy" with one of its vectors'
        )
    return float(values[k]), spectrum.vectors[:, k], 1.0


def _energy(S: CollapsedOperator, at: Any) -> tuple[float, FloatArray, float]:
    x = align_one_each(at, S.labels, "at, the signal,")
    return S.energy(x), x, 1.0


def _resistance(S: CollapsedOperator, at: Any) -> tuple[float, FloatArray, float]:
    value = float(np.asarray(effective_resistance(S, [at])).ravel()[0])
    if not np.isfinite(value):
        raise InputError(
            f"at={at!r:.80}: the resistance between components is infinite; take vertices of one"
        )
    place = {label: i for i, label in enumerate(S.labels)}
    b = np.zeros(S.shape[0])
    for vertex, current in zip(at, (1.0, -1.0), strict=True):
        b[place[vertex]] += current
    return value, S.solve(b), -1.0


_AT: dict[str, Callable[[CollapsedOperator, Any], tuple[float, FloatArray, float]]] = {
    "eigenvalue": _eigenvalue,
    "energy": _energy,
    "resistance": _resistance,
}


def _screened(S: CollapsedOperator, y: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
    """Per edge W dJ/dW, and per cell of rank 2, 3, ... dJ/dw, of J = y^T S y."""
    assert isinstance(S.realization, Screened)
    B, around, beta = S.chain.nearest, S.chain.upper, S.beta
    h = float(beta[0]) * (B.T @ y) ** 2
    ends = sparse.csr_array((abs(B) > 0).astype(np.float64))
    rounds = Rounds(ends, [a.tocoo() for a in around], beta[1:], float(S.gamma[0]) ** 2, S.eps)
    shares = S.shares
    assert shares is not None
    return shares * h, rounds.backwards(h, S.realization.rounds)


@dataclass(frozen=True, eq=False)
class Rounds:
    """The rounds of the screened shares, forwards and backwards."""

    ends: sparse.csr_array
    around: list[Any]  # (edges x cells) entries by rank
    beta: FloatArray
    theta2: float
    eps: float

    def backwards(self, h: FloatArray, rounds: int) -> list[FloatArray]:
        """dJ/dw of all cells above the edges, where dJ/df = h for the last shares f."""
        weights = [np.zeros(a.shape[1]) for a in self.around]
        share, before = np.ones(self.ends.shape[1]), []
        for _ in range(max(rounds, 1)):
            before.append(share)
            share = 1.0 - self.theta2 / (1.0 + self.eps + self._support(share, rounds)[0])
        grad = h
        for share in reversed(before):
            support, scale, degree = self._support(share, rounds)
            inner = grad * self.theta2 / (1.0 + self.eps + support) ** 2
            grad = np.zeros(len(share))
            if rounds:  # the support is divided by the roots of both degrees
                log_degree = -0.5 * inner * support
                grad = self.ends.T @ ((self.ends @ log_degree) / np.maximum(degree, 1e-300))
            for weight, a, b in zip(weights, self.around, self.beta, strict=True):
                value, others = self._values(a, share, rounds)
                passed = b * inner[a.row] * scale[a.row] * value
                weight += np.bincount(a.col, passed, a.shape[1])
                if rounds:
                    logs = passed * a.data * 2.0 / others
                    total = np.bincount(a.col, logs, a.shape[1])[a.col] - logs
                    grad = grad + np.bincount(a.row, total, len(share)) / share
        return weights

    def _support(self, share: FloatArray, rounds: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The support of every edge, what it is multiplied with, and the degrees."""
        total = np.zeros(len(share))
        for a, b in zip(self.around, self.beta, strict=True):
            value, _ = self._values(a, share, rounds)
            total += b * np.bincount(a.row, a.data * value, len(share))
        degree = self.ends @ share
        scale = np.ones(len(share))
        if rounds:
            scale = np.exp(-0.5 * (self.ends.T @ np.log(np.maximum(degree, 1e-300))))
        return total * scale, scale, degree

    def _values(self, a: Any, share: FloatArray, rounds: int) -> tuple[FloatArray, FloatArray]:
        """Per entry, what a cell of weight 1 gives to an edge, and how many other edges it has."""
        others = np.maximum(np.bincount(a.col, minlength=a.shape[1])[a.col] - 1.0, 1.0)
        if not rounds:
            return np.ones(len(a.data)), others
        logs = np.log(np.maximum(share, 1e-300))[a.row]
        rest = np.bincount(a.col, logs, a.shape[1])[a.col] - logs
        return np.exp(2.0 * rest / others), others


def _unfolded(S: CollapsedOperator, y: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
    """The same for the unfolded realization."""
    if S.eps == 0.0:
        raise InputError("eps=0 leaves cells without mass, and no derivative; give eps above 0")
    B, upper, beta, gamma = S.chain.nearest, S.chain.upper, S.beta, S.gamma
    masses = unfolded_masses(upper, B.shape[1], beta[1:], gamma[1:], S.eps)
    current = S.complete(y)[1] if B.shape[1] else np.zeros(0)  # gamma_0 (B_1^T z) / m
    edges = float(beta[0]) * (B.T @ y) ** 2 - masses[0] * current**2
    grad: FloatArray = current**2
    weights: list[FloatArray] = []
    for k, (above, beta_k, gamma_k) in enumerate(zip(upper, beta[1:], gamma[1:], strict=True)):
        entries = squared(above).tocoo()
        row, col, mass = entries.row, entries.col, masses[k + 1]
        share = np.bincount(row, entries.data / mass[col], len(grad))
        slope = (grad * gamma_k**2 / (1.0 + beta_k * share) ** 2)[row]
        slopes = np.bincount(col, beta_k * grad[row] - slope / mass[col], len(mass))
        weights.append(slopes.astype(np.float64))
        grad = np.bincount(col, slope * entries.data / mass[col] ** 2, len(mass)).astype(np.float64)
    return edges, weights
