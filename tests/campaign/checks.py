"""The checks of one operator: each yields results, with the truth as text for the reproducer.

Before a call to the library its code is appended to `code`, so that a failure can show it.
"""

from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

import cellapse as cl

from . import draw, formulas, spectra


@dataclass
class Result:
    """An error relative to its natural scale, and the truth.

    `limit` replaces the tolerance of the table. `excuse` times the distance that S moves when its
    data move in their last digit is forgiven on top.
    """

    kind: str
    error: float
    true: object = ""
    limit: float | None = None
    excuse: float = 1.0


class Refused(Exception):  # noqa: N818 - not an error: an answer
    """A solver asked for by name that says it does not apply."""


@contextmanager
def may_refuse():
    try:
        yield
    except cl.InputError as error:
        raise Refused from error


def short(values):
    """Numbers as they are printed in a reproducer."""
    return np.array2string(np.asarray(values), precision=12, separator=", ", threshold=40)


def normal(rng, *shape):
    """Numbers of both signs; plain sums of uniform ones."""
    return sum(rng.random(shape) for _ in range(4)) * 3.0 - 6.0


def size(x):
    return float(np.linalg.norm(x))


def applied(s, S, rng, code):
    n = len(s.S)
    x = normal(rng, n)
    code.append(f"S @ np.array({x.tolist()})")
    true = s.S @ x
    yield Result("apply", size(S @ x - true) / (s.norm * max(size(x), 1e-300)), short(true))
    lowest = float(s.values.min(initial=0.0))
    code.append("S.definite")
    wrong = -lowest / s.norm if S.definite else 0.0
    yield Result("definite", wrong, f"an eigenvalue of {lowest:.3e}")


def apply_block(s, S, rng, code):
    X = normal(rng, len(s.S), 3)
    if rng.random() < 0.5:
        X = np.asfortranarray(X)
    code.append(f"S @ np.array({X.tolist()})")
    yield Result("apply:block", size(S @ X - s.S @ X) / (s.norm * max(size(X), 1e-300)), "")


def apply_complex(s, S, rng, code):
    x = normal(rng, len(s.S)) + 1j * normal(rng, len(s.S))
    code.append(f"S @ np.array({x.tolist()})")
    true = s.S @ x
    yield Result("apply:complex", size(S @ x - true) / (s.norm * max(size(x), 1e-300)), short(true))


def dense(s, S, rng, code):
    code.append("S.toarray()")
    M = S.toarray()
    yield Result("dense:toarray", float(np.abs(M - s.S).max(initial=0.0)) / s.norm, short(s.S))
    code.append("S.diagonal()")
    d = s.S.diagonal()
    yield Result(
        "dense:diagonal", float(np.abs(S.diagonal() - d).max(initial=0.0)) / s.norm, short(d)
    )
    code.append("S.A.toarray()")
    yield Result(
        "dense:A", float(np.abs(S.A.toarray() - s.A).max(initial=0.0)) / s.norm, short(s.A)
    )
    x = normal(rng, len(s.S))
    code.append(f"S.energy({x.tolist()})")
    true, scale = x @ s.S @ x, s.norm * max(x @ x, 1e-300)
    yield Result("energy", abs(S.energy(x) - true) / scale, true)


def weights(s, S, rng, code):
    if s.truth is None:
        true = formulas.shares(s.case.plain, s.beta, s.theta, s.case.eps, s.case.rounds)
        code.append("S.shares")
        yield Result("weights:shares", float(np.abs(S.shares - true).max(initial=0.0)), short(true))
        return
    pairs = (("sigma", s.truth.sigmas(288)), ("gamma", s.truth.gammas(288)))
    for name, balls in pairs:
        true = np.array([np.inf if b is None else float(b) for b in balls])
        code.append(f"S.{name}")
        got = getattr(S, name)
        same = (got == true) | (np.abs(got - true) <= 1e-9 * np.abs(true))
        finite = np.isfinite(true) & ~same & np.isfinite(got) & (true > 0)
        error = 0.0 if same.all() else 1.0
        if finite.any() and (finite | same).all():
            error = float((np.abs(got - true)[finite] / true[finite]).max())
        yield Result(f"weights:{name}", error, short(true))


def masses(s, rng):
    """A choice of mass as given to the library, and as numbers; those that a double can judge."""
    held = (s.A != 0).any(axis=1)
    options = {
        "None": (None, np.ones(len(s.S))),
        "degree": ("'degree'", spectra.usual(s.A.diagonal(), held)),
        "diagonal": ("'diagonal'", spectra.usual(s.S.diagonal(), held)),
        "given": (None, 0.1 + rng.random(len(s.S))),
    }
    name = draw.pick(rng, ("None", "None", "degree", "diagonal", "given"))
    text, mass = options[name]
    if (mass <= 1e-5 * max(s.norm, mass.max(initial=0.0))).any():
        return None, np.ones(len(s.S)), None
    if name == "given":
        return mass, mass, f"np.array({mass.tolist()})"
    return None if name == "None" else name, mass, text


SOLVERS = ("None",) * 4 + (
    "cl.Dense()",
    "cl.ShiftInvert()",
    "cl.Lanczos()",
    "cl.Davidson()",
    "cl.Davidson(None)",
)


def spectrum(s, S, rng, code):
    n = len(s.S)
    given, mass, text = masses(s, rng)
    k = draw.pick(rng, (None, 1, 2, 10, max(n // 4, 1), n - 1, n))
    k = None if k is None or not 1 <= k <= n else k
    if n == 0:
        return
    which, name = draw.pick(rng, ("smallest", "smallest", "largest")), draw.pick(rng, SOLVERS)
    solver = None if name == "None" else eval(name, {"cl": cl})
    named = "" if solver is None else f", solver={name}"
    named += "" if which == "smallest" else ", which='largest'"
    code.append(f"S.spectrum({k}, {text}{named}).values")
    if solver is None:
        found = S.spectrum(k, given, which=which)
    else:
        with may_refuse():
            found = S.spectrum(k, given, which=which, solver=solver)
    wanted = n if k is None else k
    norm, bound = spectra.scale_of(s.A, mass)
    true = spectra.true_values(s.S, mass)
    true = true[:wanted] if which == "smallest" else true[n - wanted :]
    label = "default" if solver is None else name[3:].split("(")[0]
    name = given if isinstance(given, str) else None
    known = {"values": true, "size": s.norm, "blurred": spectra.blur(name, mass, s.norm, norm)}
    # A change of S, relative to ||A||, is so much in units of the check. Where the masses are the
    # diagonal of S, they change with it: by `least` of themselves, and D u lambda as well.
    least = s.norm / float(mass.min())
    turned = 1.0 + norm if name == "diagonal" else 1.0
    excuses = {
        "values": turned * least / norm,
        "residual kept": turned * least / (1e-10 * bound),
        "residual claimed": turned,
        "vectors": least if turned > 1.0 else 1.0,
    }
    for kind, error, limit in spectra.judge(found, s.S.__matmul__, mass, norm, bound, **known):
        yield Result(f"{kind}:{label}", error, short(true), limit, excuses.get(kind, 1.0))


def count(s, S, rng, code):
    n = len(s.S)
    given, mass, text = masses(s, rng)
    values = spectra.true_values(s.S, mass)
    norm, bound = spectra.scale_of(s.A, mass)
    asked = [draw.pick(rng, (0.0, norm * rng.random(), norm * 1.5, *values[:2].tolist()))]
    if n > 1:  # also between two values: tiny ones are where rounding shows
        i = int(rng.integers(n - 1))
        asked.append(float(np.sqrt(np.maximum(values[i : i + 2], 1e-9 * norm).prod())))
    slack = 1e-10 * norm + 1e-13 * s.norm / float(mass.min(initial=1.0))
    for v in asked:  # what is less than 5e-9 of the norm below may not count
        code.append(f"S.count_below({v!r}, {text})")
        got = S.count_below(v, given)
        low, high = int(np.sum(values < v - 5e-9 * bound - slack)), int(np.sum(values < v + slack))
        good = got is None or low <= got <= high
        yield Result("count", 0.0 if good else 1.0, f"{low}" if low == high else f"{low} to {high}")
    if n and got is None:
        yield Result("count:none", 0.0, "", 1.0)
