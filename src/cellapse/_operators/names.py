"""The one list of operators by name.

    make_operator(K, "renormalized"), make_operator(K, "unfolded", eps=1e-2), ...

The command line, the estimators, the explorer, comparisons and experiments all take their names
from here. A name belongs to a collapse, which has weights, or to a baseline, which has none; a new
baseline is one line in `_BASELINES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellapse._collapse.build import collapse
from cellapse._collapse.realizations import REALIZATIONS
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators import baselines
from cellapse._operators.reliability import rank_reliability
from cellapse._shared.checks import one_of

_BASELINES: dict[str, tuple[Callable[[Complex], Operator], str]] = {
    "laplacian": (baselines.graph_laplacian, "The graph Laplacian L of the edges alone."),
    "signless": (baselines.signless_laplacian, "The signless Laplacian D + Adj of the edges."),
    "multiorder": (
        baselines.multiorder_laplacian,
        "The multiorder Laplacian: one Laplacian per size of cells, summed.",
    ),
    "motif": (
        baselines.motif_laplacian,
        "The motif Laplacian, edges weighted by 0.1 plus the number of their cells.",
    ),
    "projection": (
        baselines.projection_laplacian,
        "The projection of a hypergraph, a pair weighing 1/(size - 1) for each cell around it.",
    ),
    "reliable": (
        lambda K: rank_reliability(K).operator(),
        "The projection in which every size of cells weighs what it predicts of hidden cells.",
    ),
    "zhou": (baselines.zhou_laplacian, "Zhou's normalized Laplacian, the cells as hyperedges."),
}


def operator_names() -> tuple[str, ...]:
    """All names, collapses first.

    >>> operator_names()[:3]
    ('renormalized', 'unfolded', 'boundary')
    """
    return (*REALIZATIONS, *_BASELINES)


def describe_operator(name: str) -> str:
    """What the operator of that name is, in one sentence.

    >>> describe_operator("laplacian")
    'The graph Laplacian L of the edges alone.'
    """
    one_of("operator", name, operator_names())
    return _BASELINES[name][1] if name in _BASELINES else REALIZATIONS[name].summary


def make_operator(
    K: Complex, name: str, *, beta: Any = None, gamma: Any = None, eps: float | None = None
) -> Operator:
    """The operator of that name on a complex.

    Parameters
    ----------
    K : Complex
    name : str
        One of `operator_names()`.
    beta, gamma, eps
        Weights of a collapse, as `collapse` takes them; None is its default. A baseline has none.

    >>> K = Complex.from_cells({1: [("a", "b")]})
    >>> make_operator(K, "signless").toarray().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    >>> make_operator(K, "laplacian", eps=1.0)
    Traceback (most recent call last):
        ...
    cellapse._errors.InputError: eps=1.0 with the operator "laplacian", but only a collapse has \
weights; leave it out
    """
    one_of("operator", name, operator_names())
    weights = {"beta": beta, "gamma": gamma, "eps": eps}
    given = {key: value for key, value in weights.items() if value is not None}
    if name in REALIZATIONS:
        return collapse(K, name, **given)
    for key, value in given.items():
        raise InputError(
            f'{key}={value!r:.80} with the operator "{name}", but only a collapse has weights; '
            "leave it out"
        )
    return _BASELINES[name][0](K)
