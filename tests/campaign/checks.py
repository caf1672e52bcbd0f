"""The checks of one operator: each yields results, with the truth as text for the reproducer.

Before a call to the library its code is appended to `code`, so that a failure can show it.
"""

import pickle
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from scipy import linalg

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


class Lazy:
    """A list that is made when it is looked at."""

    def __init__(self, make):
        self.make, self.made = make, None

    def __iter__(self):
        if self.made is None:
            self.made = self.make()
        return iter(self.made)


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
    lonely = ~(s.A != 0).any(axis=1)
    options = {
        "None": (None, np.ones(len(s.S))),
        "degree": ("'degree'", np.where(lonely, 1.0, s.A.diagonal())),
        "diagonal": ("'diagonal'", np.where(lonely, 1.0, s.S.diagonal())),
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
    "cl.LOBPCG()",
)


def spectrum(s, S, rng, code):
    n = len(s.S)
    given, mass, text = masses(s, rng)
    k = draw.pick(rng, (None, 1, 2, 10, max(n // 4, 1), n - 1, n))
    k = None if k is None or not 1 <= k <= n else k
    if n == 0:
        return
    which, name = draw.pick(rng, ("smallest", "smallest", "largest")), draw.pick(rng, SOLVERS)
    if name == "cl.LOBPCG()" and n < 20:
        name = "None"  # it says that it is for larger ones
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
    for kind, error, limit in spectra.judge(found, s.S.__matmul__, mass, norm, bound, **known):
        yield Result(f"{kind}:{label}", error, short(true), limit)


def complete(s, S, rng, code):
    if s.truth is None:
        return
    u = normal(rng, len(s.S))
    code.append(f"S.complete({u.tolist()})")
    true, found = s.truth.completion(u), S.complete(u)
    scale = max((float(np.abs(z).max(initial=0.0)) for z in true.values()), default=0.0)
    if set(found) != set(true):
        yield Result("complete", np.inf, f"the ranks {sorted(true)}")
        return
    near = Lazy(lambda: [other.completion(u) for other in s.nearby])
    # Where C is next to singular, what rounding adds to X^T u comes back divided by eps.
    blurred = 1e-17 * s.truth.size_of_C / s.case.eps if s.case.eps else 0.0
    for rank, z in true.items():
        error = float(np.abs(found[rank] - z).max(initial=0.0)) / max(scale, 1e-300)
        moved = max((size(other[rank] - z) for other in near), default=0.0) if error > 1e-7 else 0.0
        limit = 1e-7 + blurred + 30 * moved / max(scale, 1e-300)
        yield Result("complete", error, f"{rank}: {short(z)}", limit)


def solve(s, S, rng, code):
    n = len(s.S)
    shift = draw.pick(rng, (0.0, 1.0, 10.0 ** (8 * rng.random() - 6))) * s.norm
    if not S.definite or n == 0:
        return
    kernel = linalg.orth(s.truth.kernel) if s.truth is not None else None
    lowest = float(s.values.min()) + shift
    b = normal(rng, n)
    if shift == 0.0:
        if kernel is None:
            return
        if int(np.sum(np.abs(s.values) < 1e-8 * s.norm)) != kernel.shape[1]:
            return
        b_in = b - kernel @ (kernel.T @ b)
        x = linalg.solve(s.S + s.norm * kernel @ kernel.T, b_in)
        x -= kernel @ (kernel.T @ x)
        lowest = float(np.min(s.values[np.abs(s.values) >= 1e-8 * s.norm], initial=s.norm))
    else:
        x = linalg.solve(s.S + shift * np.eye(n), b)
    if lowest < 1e-8 * s.norm:
        return
    code.append(f"S.solve({b.tolist()}, {shift!r})")
    hard = s.norm / lowest
    error = size(S.solve(b, shift) - x) / max(size(x), 1e-300)
    yield Result("solve", error, short(x), 1e-8 + 1e-12 * hard, 10 * hard)


def count(s, S, rng, code):
    n = len(s.S)
    given, mass, text = masses(s, rng)
    values = spectra.true_values(s.S, mass)
    norm, _ = spectra.scale_of(s.A, mass)
    v = draw.pick(rng, (0.0, norm * rng.random(), norm * 1.5, *values[:2].tolist()))
    code.append(f"S.count_below({v!r}, {text})")
    got = S.count_below(v, given)
    slack = 1e-9 * norm + 1e-13 * s.norm / float(mass.min(initial=1.0))
    low, high = int(np.sum(values < v - slack)), int(np.sum(values < v + slack))
    good = got is None or low <= got <= high
    yield Result("count", 0.0 if good else 1.0, f"{low}" if low == high else f"{low} to {high}")
    if n and got is None:
        yield Result("count:none", 0.0, "", 1.0)


def resistance(s, S, rng, code):
    n = len(s.S)
    if n < 2 or s.truth is None or (s.case.onto and 0 < s.case.onto < s.case.plain.top):
        return
    i, j = int(rng.integers(n)), int(rng.integers(n))
    if i == j:
        return
    true = s.truth.resistance(i, j)
    if true is None:
        return
    pairs = [(S.labels[i], S.labels[j])]
    code.append(f"cl.effective_resistance(S, {pairs!r})")
    one = float(cl.effective_resistance(S, pairs)[0])
    code.append(f"cl.effective_resistance(S)[{i}, {j}]")
    table = float(cl.effective_resistance(S)[i, j])
    lowest = np.min(np.abs(s.values[np.abs(s.values) >= 1e-9 * s.norm]), initial=s.norm)
    hard = s.norm / lowest
    for got, which in ((one, "pair"), (table, "all")):
        off = 0.0 if got == true else abs(got - true) / true if np.isfinite(true) else np.inf
        yield Result(f"resistance:{which}", off, true, 1e-8 + 1e-12 * hard, hard)


def smooth(s, S, rng, code):
    n = len(s.S)
    if n == 0 or not S.definite:
        return
    y = normal(rng, n) if rng.random() < 0.8 else np.ones(n)
    a = 10.0 ** (8 * rng.random() - 4) / s.norm
    method = draw.pick(rng, ("tikhonov", "heat", "wiener"))
    strength = a / s.norm if method == "wiener" else a
    values, U = np.linalg.eigh((s.S + s.S.T) / 2)
    values = np.maximum(values, 0.0)
    response = {
        "tikhonov": 1.0 / (1.0 + a * values),
        "heat": np.exp(-a * values),
        "wiener": 1.0 / (1.0 + strength * values**2),
    }[method]
    true = U @ (response * (U.T @ y))
    code.append(f"cl.smooth(S, {y.tolist()}, method={method!r}, strength={strength!r})")
    got = cl.smooth(S, y, method=method, strength=strength)
    hard = a * s.norm
    yield Result(
        f"smooth:{method}", size(got - true) / size(y), short(true), 1e-6 + 1e-13 * hard, hard
    )


def pickled(s, S, rng, code):
    x = normal(rng, len(s.S))
    code.append(f"import pickle; pickle.loads(pickle.dumps(S)) @ np.array({x.tolist()})")
    got = pickle.loads(pickle.dumps(S)) @ x
    yield Result("same:pickle", size(got - s.S @ x) / (s.norm * max(size(x), 1e-300)), "")


def by_other_solvers(s, S, rng, code):
    if s.truth is None or not len(s.S):
        return
    name = draw.pick(rng, ("cl.Direct()", "cl.CG(rtol=1e-12)", "cl.Direct('qdldl')"))
    if "CG" in name and s.case.eps < 1e-6 * s.norm:
        return  # rtol speaks of C + eps, and S inherits it only where that is well-conditioned
    x = normal(rng, len(s.S))
    code.append(f"cl.collapse(K{s.named()}, solver={name}) @ np.array({x.tolist()})")
    got = s.build(solver=eval(name, {"cl": cl})) @ x
    error = size(got - s.S @ x) / (s.norm * max(size(x), 1e-300))
    yield Result(f"apply:{name[3:].split('(')[0]}", error, short(s.S @ x))


def batch(s, S, rng, code):
    if s.case.onto:
        return
    named = {k: v for k, v in s.arguments().items() if k != "onto"}
    eps = [s.case.eps, 0.5]
    text = "".join(f", {k}={v!r}" for k, v in named.items() if k != "eps")
    code.append(f"cl.batch.spectra([K, K]{text}, eps={eps}).values[1][0]")
    K = S.source
    found = cl.batch.spectra([K, K], **{**named, "eps": eps}, n_jobs=1, show_progress=False)
    got = found.values[1][0]
    yield Result(
        "values:batch", float(np.abs(got - s.values).max(initial=0.0)) / s.norm, short(s.values)
    )
    zeros = int(np.sum(np.abs(s.values) <= 1e-9 * s.norm))
    yield Result("zeros:batch", float(found.n_zeros[1] > zeros), zeros)


def baselines(s, S, rng, code):
    plain, K = s.case.plain, S.source
    options = ["graph_laplacian", "signless_laplacian", "multiorder_laplacian", "zhou_laplacian"]
    options += ["motif_laplacian", "hodge_laplacian", "dirac_operator"]
    name, extra = draw.pick(rng, options), ()
    edges = all(len(c) == 2 for c in plain.cells.get(1, []))
    if name == "hodge_laplacian":
        extra = (int(rng.integers(plain.top + 1)),)
    if name == "motif_laplacian":
        extra = (0.1,)
    needs = {"hodge_laplacian": "boundary", "dirac_operator": "boundary"}.get(name)
    if name == "motif_laplacian":
        needs = "unfolded"
    if not edges and name not in ("multiorder_laplacian", "zhou_laplacian"):
        return
    if needs and not draw.applies(plain, needs):
        return
    true = getattr(formulas, name)(plain, *extra)
    code.append(f"cl.{name}(K{''.join(f', {x}' for x in extra)}).toarray()")
    got = getattr(cl, name)(K, *extra)
    scale = float(np.abs(true).max(initial=0.0)) or 1.0
    yield Result(
        f"baseline:{name}",
        float(np.abs(got.toarray() - true).max(initial=0.0)) / scale,
        short(true),
    )
    code[-1] = code[-1].replace("toarray()", "spectrum().values")
    values = np.linalg.eigvalsh(true) if len(true) else np.zeros(0)
    off = np.abs(got.spectrum().values - values).max(initial=0.0) / scale
    yield Result(f"values:{name}", float(off), short(values), 1e-9)


ALWAYS = applied
# Those that build a second operator are dear, and drawn less often.
_CHEAP = (apply_block, apply_complex, dense, weights, complete, solve, count, resistance, smooth)
CHECKS = _CHEAP * 2 + (spectrum,) * 6 + (pickled, by_other_solvers, batch, baselines)
