"""Operators by their names on the command line, made from what was read."""

from __future__ import annotations

from typing import Any

from cellapse._collapse.build import collapse
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators import baselines
from cellapse.cli.options import BASELINES, OPERATORS
from cellapse.cli.progress import Steps, working
from cellapse.cli.sources import Source, load

_BASELINES = {
    "laplacian": baselines.graph_laplacian,
    "signless": baselines.signless_laplacian,
    "multiorder": baselines.multiorder_laplacian,
    "motif": baselines.motif_laplacian,
    "zhou": baselines.zhou_laplacian,
}


def make(
    K: Complex,
    name: str,
    eps: float | None = None,
    beta: float | None = None,
    gamma: str | None = None,
) -> Operator:
    """The operator of that name; weights only go with a collapse."""
    given = {"--eps": eps, "--beta": beta, "--gamma": gamma}
    if name not in OPERATORS:
        raise InputError(f"--operator {name}; choose one of {', '.join(OPERATORS)}")
    if name in BASELINES:
        used = [option for option, value in given.items() if value is not None]
        if used:
            raise InputError(f"{used[0]} is for a collapse, not for {name}; leave it out")
        return _BASELINES[name](K)
    usual = 1e-4 if eps is None else eps
    return collapse(K, name, beta=beta, gamma=_gamma(gamma), eps=usual)


def prepared(
    step: Steps, network: str, max_rank: int, weight: str | None, operator: tuple[Any, ...]
) -> tuple[Source, Operator]:
    """Read a network and make its operator; what comes next is computing."""
    step("reading")
    source = load(network, max_rank, weight)
    step("collapsing")
    S = make(source.complex, *operator)
    step("computing")
    return source, S


def steps(quiet: bool) -> Any:
    """The steps of a verb that works with one operator."""
    return working("reading", "collapsing", "computing", quiet=quiet)


def _gamma(word: str | None) -> Any:
    if word in (None, "bound", "regularized"):
        return word
    try:
        return float(str(word))
    except ValueError:
        raise InputError(f"--gamma {word}; give a number, bound or regularized") from None
