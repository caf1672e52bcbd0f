"""A violation made small: fewer cells, plain weights and numbers, as long as it stays the same.

python -m tests.campaign.shrink SEED "apply"        (the kind as the campaign prints it)
"""

import sys
import warnings
from dataclasses import replace
from math import log10

from . import draw, uses
from .book import Book
from .chains import Plain
from .complexes import Subject, run_check

_TRIALS = 4  # random vectors, masses and solvers that each check is tried with


def violation(case, kind, checks):
    """The reproducer of a violation of this kind and the checks that show it, or None."""
    book, found = Book(), []
    try:
        subject = Subject(case)
        operator = subject.build()
    except Exception:  # another problem than the one looked for
        return None
    for check in checks:
        for trial in range(_TRIALS):
            run_check(check, subject, operator, draw.generator([trial, 3]), book)
            keys = [k for k in book.shown if k.split(" |")[0] == kind]
            if keys:
                found.append(check)
                break
    keys = [k for k in book.shown if k.split(" |")[0] == kind]
    return (book.shown[keys[0]][0], found) if keys else None


def smaller(case):
    """Cases that are simpler in one way, the largest steps first."""
    plain = case.plain
    if plain.weights:
        yield replace(case, plain=Plain(plain.n, plain.cells, {}))
        for k in plain.weights:
            rest = {j: w for j, w in plain.weights.items() if j != k}
            yield replace(case, plain=Plain(plain.n, plain.cells, rest))
    if case.onto:
        yield replace(case, onto=0)
    for name, plain_value in (("beta", None), ("gamma", None), ("eps", 1e-4), ("rounds", 0)):
        if getattr(case, name) != plain_value:
            yield replace(case, **{name: plain_value})
    if plain.top and not plain.cells[plain.top]:
        yield top_removed(case)
    for k in sorted(plain.cells, reverse=True):
        for i in range(len(plain.cells[k])):
            yield replace(case, plain=without(plain, k, i))
    used = {v for k in plain.cells for c in plain.cells[k] for v in c}
    for v in range(plain.n):
        if v not in used and plain.n > 1:
            yield replace(case, plain=without_vertex(plain, v))
    yield from rounded(case)


def top_removed(case):
    """Without its last rank, which holds no cells."""
    plain, top = case.plain, case.plain.top
    cells = {k: c for k, c in plain.cells.items() if k < top}
    weights = {k: w for k, w in plain.weights.items() if k < top}

    def cut(values):
        return values[: max(top - 1, 1)] if isinstance(values, list) else values

    beta = cut(case.beta)
    gamma = case.gamma if case.realization == "screened" else cut(case.gamma)
    onto = min(case.onto, top - 1)
    return replace(case, plain=Plain(plain.n, cells, weights), beta=beta, gamma=gamma, onto=onto)


def without(plain, rank, i):
    cells = {k: [c for j, c in enumerate(g) if (k, j) != (rank, i)] for k, g in plain.cells.items()}
    weights = {
        k: [w for j, w in enumerate(g) if (k, j) != (rank, i)] for k, g in plain.weights.items()
    }
    return Plain(plain.n, cells, weights)


def without_vertex(plain, v):
    cells = {k: [tuple(u - (u > v) for u in c) for c in g] for k, g in plain.cells.items()}
    weights = dict(plain.weights)
    if 0 in weights:
        weights[0] = [w for u, w in enumerate(weights[0]) if u != v]
    return Plain(plain.n - 1, cells, weights)


def rounded(case):
    """Numbers as powers of ten."""

    def power(x):
        return float(f"1e{round(log10(x))}") if x > 0 else x

    if case.eps != power(case.eps):
        yield replace(case, eps=power(case.eps))
    if case.beta is not None and case.beta != [power(b) for b in case.beta]:
        yield replace(case, beta=[power(b) for b in case.beta])
    for k, weights in case.plain.weights.items():
        for i, w in enumerate(weights):
            for new in (1.0, power(w)):
                if w not in (1.0, new):
                    changed = {**case.plain.weights, k: [*weights[:i], new, *weights[i + 1 :]]}
                    yield replace(case, plain=Plain(case.plain.n, case.plain.cells, changed))


def shrink(case, kind):
    """The smallest case found, as its reproducer."""
    found = violation(case, kind, dict.fromkeys([uses.ALWAYS, *uses.CHECKS]))
    if found is None:
        return None
    best, checks = found
    progress = True
    while progress:
        progress = False
        for candidate in smaller(case):
            if not draw.applies(candidate.plain, candidate.realization):
                continue
            found = violation(candidate, kind, checks[:1])
            if found is not None:
                case, best, progress = candidate, found[0], True
                break
    return best


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    small = shrink(draw.case(int(sys.argv[1])), sys.argv[2])
    print("no such violation" if small is None else f"{small['problem']}\n{small['reproducer']}")
