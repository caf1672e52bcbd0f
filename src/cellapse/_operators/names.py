"""The one list of operators by name.

    make_operator(K, "renormalized"), make_operator(K, "unfolded", eps=1e-2), ...

The command line, the estimators, the explorer, comparisons and experiments all take their names
from here. A name belongs to a collapse, which has weights, or to a baseline, which has none; a new
baseline is one line in `_BASELINES`, and its name in the `BASELINES` that `collapse` points to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cellapse._collapse.collapsed import collapse
from cellapse._collapse.realizations import BASELINES, DEFAULT, REALIZATIONS, Realization
from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
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
    """Return all names that `make_operator` and every argument `operator` take, collapses first.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> operator_names()[:3]
    ('renormalized', 'unfolded', 'boundary')
    """
    return (*REALIZATIONS, *BASELINES)


def describe_operator(name: str) -> str:
    """Say in one sentence what the operator of that name is.

    >>> describe_operator("laplacian")
    'The graph Laplacian L of the edges alone.'
    """
    one_of("operator", name, operator_names())
    return _BASELINES[name][1] if name in _BASELINES else REALIZATIONS[name].summary


def check_operator(given: Any) -> str | Realization:
    """Return a name of `operator_names()` or a realization as it is, and refuse all else."""
    if isinstance(given, Realization):
        return given
    if isinstance(given, type) and issubclass(given, Realization):
        raise InputError(f"operator={given.__name__}, a class; give an object: {given.__name__}()")
    if not isinstance(given, str) or given not in operator_names():
        names = ", ".join(f'"{name}"' for name in operator_names())
        raise InputError(
            f"operator={given!r:.80}; choose one of {names}, or a realization such as "
            "cl.Screened(rounds=3)"
        )
    return given


def make_operator(
    source: Any,
    operator: str | Realization = DEFAULT,
    *,
    beta: float | Sequence[float] | None = None,
    gamma: Any = None,
    eps: float | None = None,
) -> Operator:
    """Make the operator of that name: a collapse, or one of the baselines to compare it with.

    S = A - X (C + eps I)^-1 X^T of a collapse; of "laplacian", for instance, L = B_1 B_1^T.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    operator : name or Realization
        A collapse: "renormalized", "unfolded", "boundary", "incidence", "mixed", "screened", or an
        object such as `Screened(rounds=3)`. A baseline: "laplacian", "signless", "multiorder",
        "motif", "projection", "reliable", "zhou".
    beta, gamma, eps
        Weights of a collapse, as `collapse` takes them; None is its default. A baseline has none.

    Returns
    -------
    Operator

    Examples
    --------
    >>> make_operator([("a", "b")], "signless").toarray().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    >>> make_operator([("a", "b")], "laplacian", eps=1.0)
    Traceback (most recent call last):
        ...
    cellapse._errors.InputError: eps=1.0 with the operator "laplacian", but only a collapse has \
weights; leave it out
    """
    operator = check_operator(operator)
    weights = {"beta": beta, "gamma": gamma, "eps": eps}
    given: dict[str, Any] = {key: value for key, value in weights.items() if value is not None}
    if operator not in _BASELINES:
        return collapse(source, operator, **given)
    for key, value in given.items():
        raise InputError(
            f'{key}={value!r:.80} with the operator "{operator}", but only a collapse has weights; '
            "leave it out"
        )
    return _BASELINES[operator][0](to_complex(source))
