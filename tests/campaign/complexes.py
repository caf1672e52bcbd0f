"""Random complexes: everything an operator can do, against the oracle."""

import warnings
from functools import cached_property

import numpy as np

import cellapse as cl

from . import checks, draw, formulas, uses
from .chains import Plain, matrices
from .oracle import Truth

_ULP = 2.0**-51


class Subject:
    """A case, its truth, and the library's operator for it."""

    def __init__(self, case):
        self.case, plain = case, case.plain
        self.n_ranks = max(plain.top, 1)
        usual = 5.0 if case.rounds else 1.0
        given = case.beta
        self.beta = [1.0, *[usual] * (self.n_ranks - 1)] if given is None else given
        if case.realization == "screened":
            self.gamma = self._theta()
            self.truth = None
            theta = {None: 0.95**0.5 if case.rounds else 0.9**0.5, "bound": 1.0}
            theta["regularized"] = (1.0 + case.eps) ** 0.5
            named = not isinstance(case.gamma, list)
            self.theta = theta[case.gamma] if named else self.gamma
            self.S, self.A = formulas.screened(plain, self.beta, self.theta, case.eps, case.rounds)
        else:
            self.truth = self.solve(plain)
            self.gamma = case.gamma
            if isinstance(case.gamma, list):
                self.gamma = self.truth.gamma
            self.S, self.A = self.truth.S, self.truth.A
        self.norm = (float(np.linalg.norm(self.A, 2)) if self.A.size else 0.0) or 1.0
        self.values = np.linalg.eigvalsh((self.S + self.S.T) / 2) if len(self.S) else np.zeros(0)

    def _theta(self):
        gamma = self.case.gamma
        return gamma[0] if isinstance(gamma, list) else gamma

    def solve(self, plain, factor=1.0):
        """The truth for a complex with the arguments of this case."""
        case = self.case
        chain = matrices(plain, case.realization)
        gamma = case.gamma or "bound"
        if isinstance(gamma, list):
            sigma = Truth(chain, self.beta).sigmas(288)
            parts = zip(gamma, self.beta, sigma, strict=True)
            gamma = [p * b * (float(s) if s is not None else 1.0) for p, b, s in parts]
        return Truth(chain, self.beta, gamma, case.eps, case.onto, factor)

    @cached_property
    def nearby(self):
        """The truth for data that differ in their last digit."""
        found, plain = [], self.case.plain
        for trial in range(4 if self.truth else 0):
            rng = draw.generator([trial, 7])
            weights = {
                k: [x * (1 + _ULP * (2 * rng.random() - 1)) for x in plain.weight(k)]
                for k in range(plain.top + 1)
            }
            near = Plain(plain.n, plain.cells, weights)
            found.append(self.solve(near, 1.0 - _ULP * (trial + 1) * rng.random()))
        return found

    @cached_property
    def allowance(self):
        """How far S moves, relative to ||A||, when its data move in their last digit.

        No computation in doubles can promise more; it is asked for only when a check fails.
        """
        moved = [float(np.abs(other.S - self.S).max(initial=0.0)) for other in self.nearby]
        return 30.0 * max(moved, default=0.0) / self.norm

    def arguments(self):
        """The arguments of `collapse`, those that differ from the defaults."""
        case = self.case
        named = {"realization": case.realization}
        if case.beta is not None:
            named["beta"] = case.beta
        if self.gamma is not None:
            named["gamma"] = self.gamma
        if case.eps != 1e-4:
            named["eps"] = case.eps
        if case.onto:
            named["onto"] = case.onto
        if case.rounds:
            named["realization"] = cl.Screened(rounds=case.rounds)
        return named

    def build(self, **more):
        return cl.collapse(library_complex(self.case.plain), **{**self.arguments(), **more})

    def header(self):
        """The lines that make the operator."""
        return f"{complex_code(self.case.plain)}\nS = cl.collapse(K{self.named()})"

    def named(self):
        """The arguments of `collapse` as code."""
        return "".join(f", {k}={code_of(v)}" for k, v in self.arguments().items())

    def reproducer(self, code, true):
        """A few lines to paste, with the truth behind them."""
        return lambda: (
            "import cellapse as cl, numpy as np, networkx as nx\n"
            f"{self.header()}\n{code}  # true: {true() if callable(true) else true}"
        )


def library_complex(plain):
    cells = {0: list(range(plain.n)), **{k: list(c) for k, c in plain.cells.items()}}
    return cl.Complex.from_cells(cells, weights=plain.weights or None)


def complex_code(plain):
    """The complex as a line of code."""
    cells = ", ".join(f"{k}: {list(c)!r}" for k, c in sorted(plain.cells.items()))
    weights = f", weights={plain.weights!r}" if plain.weights else ""
    vertices = f"0: range({plain.n})"
    return f"K = cl.Complex.from_cells({{{vertices}, {cells}}}{weights})"


def run_seed(seed, book, how_many=3):
    """All that one seed says: a complex, an operator, and a few of the checks."""
    book.source = f"seed {seed}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        subject = Subject(draw.case(seed))
        book.complexes += 1
        rng = draw.generator([seed, 2])
        where = subject.case.realization
        try:
            operator = subject.build()
        except cl.ConvergenceError as error:
            book.decline("collapse", where, error)
            return
        except Exception as error:
            code = subject.reproducer("S", "an operator")
            book.violation("collapse", where, f"{type(error).__name__}: {error}", code)
            return
        chosen = [uses.ALWAYS, *(draw.pick(rng, uses.CHECKS) for _ in range(how_many))]
        for check in dict.fromkeys(chosen):
            run_check(check, subject, operator, rng, book)


def run_check(check, subject, operator, rng, book):
    """One kind of check; what it raises is a violation, unless the library says it cannot."""
    where, name = subject.case.realization, check.__name__
    code = [name]
    try:
        for result in check(subject, operator, rng, code):
            told = subject.reproducer(code[-1], result.true)

            def excuse(result=result):
                return result.excuse * subject.allowance

            book.check(result.kind, where, result.error, told, excuse, result.limit)
    except cl.ConvergenceError as error:
        book.decline(code[-1].split("(")[0], where, error)
    except checks.Refused as refusal:
        book.decline(name, where, refusal.__cause__)
    except Exception as error:
        told = subject.reproducer(code[-1], "no exception")
        book.violation(f"exception in {name}", where, f"{type(error).__name__}: {error}", told)


def code_of(value):
    """A value as it is written in a reproducer."""
    return f"cl.{value!r}" if isinstance(value, cl.Screened) else repr(value)
