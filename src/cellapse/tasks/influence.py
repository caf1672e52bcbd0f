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

from cellapse._collapse.collapsed import CollapsedOperator, as_collapsed
from cellapse._complex.card import drawing
from cellapse._complex.complex import Complex
from cellapse._errors import InputError, extra
from cellapse._shared.align import align_one_each
from cellapse._shared.arrays import FloatArray
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
        """Return the cells that matter most: rank, cell and derivative, the largest first."""
        count = whole_number("count", count, 0)
        cells = [(k, i) for k, values in self.by_rank.items() for i in range(len(values))]
        values = np.concatenate([*self.by_rank.values(), np.empty(0)])
        first = np.argsort(-abs(values), kind="stable")[:count].tolist()
        return [
            (cells[at][0], self.complex.cell_label(*cells[at]), float(values[at])) for at in first
        ]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row per cell: rank, cell, influence."""
        with extra("pandas", "pandas"):
            import pandas as pd
        rows = [
            (rank, cell, value)
            for rank, values in self.by_rank.items()
            for cell, value in zip(self.complex.cell_labels(rank), values.tolist(), strict=True)
        ]
        return pd.DataFrame(rows, columns=["rank", "cell", "influence"])


def cell_influence(operator: Any, of: str = "eigenvalue", at: Any = 1) -> Influence:
    """Return the exact derivative of a result with respect to the weight of every cell.

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
    if not S.realization.diagonal:
        raise InputError(
            f"the influence of cells in the {S.realization} realization is not known; "
            'collapse with "renormalized", "screened" or "unfolded"'
        )
    edges, cells = S.realization.slopes(S.chain, S.weights, y, lambda: S.complete(y)[1])
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
