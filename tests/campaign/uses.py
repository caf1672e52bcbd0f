"""More checks: what is done with an operator, and other ways to the same numbers."""

import pickle

import numpy as np
from scipy import linalg

import cellapse as cl

from . import draw, formulas
from .checks import (
    Result,
    applied,
    apply_block,
    apply_complex,
    count,
    dense,
    normal,
    short,
    size,
    spectrum,
    weights,
)


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
    for rank, z in true.items():
        error = float(np.abs(found[rank] - z).max(initial=0.0)) / max(scale, 1e-300)
        yield Result("complete", error, f"{rank}: {short(z)}", excuse=0.0)


def solve(s, S, rng, code):
    n = len(s.S)
    shift = draw.pick(rng, (0.0, 1.0, 10.0 ** (8 * rng.random() - 6))) * s.norm
    if not S.definite or n == 0:
        return
    kernel = s.truth.kernel if s.truth is not None else None
    if kernel is not None and kernel.size:  # SciPy 1.13 takes no singular values of nothing
        kernel = linalg.orth(kernel)
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
        yield Result(f"resistance:{which}", off, true, min(1e-8 + 1e-12 * hard, 1e-5), hard)


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
    if "realization" in named:
        named["operator"] = named.pop("realization")
    eps = [s.case.eps, 0.5]
    text = "".join(f", {k}={v!r}" for k, v in named.items() if k != "eps")
    code.append(f"cl.batch.spectra([K, K]{text}, eps={eps}).values[1][0]")
    K = S.source
    found = cl.batch.spectra([K, K], **{**named, "eps": eps}, n_jobs=1, progress=False)
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
# Those that build a second operator are expensive, and drawn less often.
_CHEAP = (apply_block, apply_complex, dense, weights, complete, solve, count, resistance, smooth)
CHECKS = _CHEAP * 2 + (spectrum,) * 6 + (pickled, by_other_solvers, batch, baselines)
