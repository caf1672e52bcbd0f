"""Operators by their names on the command line, made from what was read."""

from __future__ import annotations

import re
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.names import make_operator
from cellapse.cli.progress import Steps, working
from cellapse.cli.sources import Source, load


def make(
    K: Complex,
    name: str,
    eps: float | None = None,
    beta: float | None = None,
    gamma: str | None = None,
) -> Operator:
    """The operator of that name; what it complains about is called as on the command line."""
    weights = {"eps": eps, "beta": beta, "gamma": _gamma(gamma)}
    try:
        return make_operator(K, name, **weights)
    except InputError as error:
        words = re.sub(r"^(operator|eps|beta|gamma)=", r"--\1 ", str(error))
        raise InputError(words) from None


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
