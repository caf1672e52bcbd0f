"""The zoo of graphs: eigenpairs by every solver, of both ends, for every mass, against the truth.

A group is a graph and an operator; the requests of a group run in a child process with a limit on
its processor time, and one that takes longer is a violation like a wrong number.
"""

import os
import pickle
import signal
import struct
import time
import warnings
import zlib

import numpy as np

import cellapse as cl

from . import dense, draw, graphs, spectra
from .book import Book
from .large import LargeTruth

LIMIT = 120.0  # seconds of processor time for one request
REALIZATIONS = ("mixed", "screened", "incidence", "graph", "boundary", "renormalized")
_CLOSED = ("unfolded", "boundary", "screened", "graph")
_REQUESTS = 8


def groups():
    """All groups: every graph unfolded, and with two other operators in turn.

    In an order that mixes families and sizes, so that a short run sees some of everything; the
    large graphs, which take minutes each, come last.
    """
    found, big = [], set()
    for i, (_, code, large) in enumerate(graphs.zoo()):
        others = [REALIZATIONS[(2 * i + k) % len(REALIZATIONS)] for k in (0, 1)]
        if large:
            big.add(code)
            others = [r for r in _CLOSED if r != "unfolded"][i % 3 :][:2]
        found += [(code, realization) for realization in ("unfolded", *others)]
    return sorted(found, key=lambda group: (group[0] in big, zlib.crc32(" ".join(group).encode())))


class DenseTruth:
    """S as a dense matrix."""

    def __init__(self, S, A):
        self.S, self.A, self.n = S, A, len(S)
        self.size = float(np.linalg.norm(A, 2)) or 1.0
        held = (A != 0).any(axis=1)
        self.diagonals = {
            "degree": spectra.usual(A.diagonal(), held),
            "diagonal": spectra.usual(S.diagonal(), held),
        }
        self._values = {}

    def product(self, U):
        return self.S @ U

    def values(self, name):
        if name not in self._values:
            mass = np.ones(self.n) if name is None else self.diagonals[name]
            self._values[name] = spectra.true_values(self.S, mass)
        return self._values[name]

    def scales(self, mass):
        return spectra.scale_of(self.A, mass)


def settings(code, realization, seed):
    """eps and whether gamma is regularized, from the seed and the name."""
    rng = draw.generator([seed, zlib.crc32(f"{code} {realization}".encode())])
    eps = draw.pick(rng, (1e-4, 1e-4, 1e-4, 1e-2, 1e-5, 1.0))
    return rng, eps, rng.random() < 0.25


def truth_of(family, code, realization, eps, regularized, large):
    graph = graphs.make(code)
    data = dense.Graph(graph)
    if large:
        return graph, LargeTruth(family, graph, data, realization, eps, regularized)
    found = dense.collapsed(data, realization, eps, regularized)
    return graph, None if found is None else DenseTruth(*found)


def library_code(realization, eps, regularized):
    """The line that makes the operator."""
    if realization == "graph":
        return "S = cl.graph_laplacian(K)"
    named = f", realization={realization!r}"
    if regularized and realization not in ("screened", "renormalized"):
        named += ", gamma='regularized'"
    return f"S = cl.collapse(K{named}{'' if eps == 1e-4 else f', eps={eps}'})"


def requests(rng, n, large, kinds=_REQUESTS):
    """Random calls of `spectrum`: (k, mass, solver, which)."""
    found = [(10, None, "None", "smallest")]
    for _ in range(kinds - 1):
        solver = draw.pick(rng, ("None", "None", "None", *_NAMED))
        sizes = [1, 2, 10, 37]
        if not large and (solver in ("None", "cl.Dense()") or n <= 400):
            sizes += [n // 4, n // 4 + 1]
        if not large and solver in ("None", "cl.Dense()"):
            sizes += [n - 1, n]
        if large and solver == "cl.Dense()":
            solver = "None"
        k = max(1, min(draw.pick(rng, sizes), n))
        mass = draw.pick(
            rng, (None, None, "degree") if large else (None, None, "degree", "diagonal")
        )
        found.append((k, mass, solver, draw.pick(rng, ("smallest", "smallest", "largest"))))
    return list(dict.fromkeys(found))


_NAMED = ("cl.Dense()", "cl.ShiftInvert()", "cl.Davidson()", "cl.Davidson(None)", "cl.Lanczos()")


def call_code(request):
    k, mass, solver, which = request
    named = "" if solver == "None" else f", solver={solver}"
    named += "" if which == "smallest" else ", which='largest'"
    return f"S.spectrum({k}, {mass!r}{named}).values"


def run_group(group, seed, book, deadline=float("inf")):
    """All requests of a group, each within its time."""
    code, realization = group
    book.source = f"group {code} | {realization}"
    family, large = next((f, big) for f, c, big in graphs.zoo() if c == code)
    rng, eps, regularized = settings(code, realization, seed)
    graph, truth = truth_of(family, code, realization, eps, regularized, large)
    if truth is None:
        return  # too many triangles for the oracle
    made = library_code(realization, eps, regularized)
    todo = requests(rng, truth.n, large)
    book.groups += 1
    context = Context(code, made, realization, truth, deadline, book.source)
    while todo and time.monotonic() < deadline:
        done, ended = context.child(graph, todo, book)
        if ended is None:
            return
        at = todo[done] if done < len(todo) else None
        what = "collapse" if at is None or done < 0 else call_code(at)
        told = context.reproducer(what)
        book.violation(f"{ended}: {context.solver(at)}", context.where, what, told)
        if done < 0:
            return
        todo = todo[done + 1 :]


class Context:
    """What the requests of a group share."""

    def __init__(self, code, made, realization, truth, deadline, source):
        self.code, self.made, self.where = code, made, f"zoo {realization}"
        self.truth, self.deadline, self.source = truth, deadline, source

    def solver(self, request):
        if request is None:
            return "collapse"
        return "default" if request[2] == "None" else request[2][3:].split("(")[0]

    def reproducer(self, code, true="within the time and without a crash"):
        lines = [
            "import cellapse as cl, numpy as np, networkx as nx",
            *graphs.lines(self.code),
            "K = cl.clique_complex(G, max_rank=2)",
            self.made,
            f"{code}  # true: {true}",
        ]
        return lambda: "\n".join(lines)

    def child(self, graph, todo, book):
        """Run requests in a child; how far it came, and how it ended when not well."""
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            try:
                self._serve(graph, todo, writer)
            finally:
                os._exit(0)
        os.close(writer)
        current = -1
        with os.fdopen(reader, "rb") as stream:
            while True:
                head = stream.read(8)
                if len(head) < 8:
                    break
                kind, payload = pickle.loads(stream.read(struct.unpack("q", head)[0]))
                if kind == "start":
                    current = payload
                else:
                    book.add(payload)
        status = os.waitpid(pid, 0)[1]
        if os.WIFSIGNALED(status):
            slow = os.WTERMSIG(status) == signal.SIGPROF
            return current, "too slow" if slow else f"crash (signal {os.WTERMSIG(status)})"
        return current, None

    def _serve(self, graph, todo, writer):
        def send(*message):
            data = pickle.dumps(message)
            os.write(writer, struct.pack("q", len(data)) + data)

        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        warnings.simplefilter("ignore")
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        book = Book(source=self.source)
        try:
            K = cl.clique_complex(graph, max_rank=2)
            names = {"cl": cl, "K": K}
            exec(self.made, names)
        except cl.SizeError as error:  # said before anything was begun
            book.decline("collapse", self.where, error)
            send("book", book)
            return
        except Exception as error:
            told = self.reproducer("S", "an operator")
            book.violation("collapse", self.where, f"{type(error).__name__}: {error}", told)
            send("book", book)
            return
        for i, request in enumerate(todo):
            if time.monotonic() > self.deadline:
                return
            send("start", i)
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            book = Book(source=self.source)
            self._judge(names["S"], request, book)
            send("book", book)

    def _judge(self, S, request, book):
        k, mass, name, which = request
        label, call = self.solver(request), call_code(request)
        solver = None if name == "None" else eval(name, {"cl": cl})
        try:
            found = S.spectrum(k, mass, which=which, solver=solver)
        except cl.ConvergenceError as error:
            book.decline(f"spectrum:{label}", self.where, error)
            return
        except cl.InputError as error:
            if solver is not None:
                book.decline(f"spectrum:{label}", self.where, error)
                return
            book.violation("refused", self.where, str(error), self.reproducer(call))
            return
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            told = self.reproducer(call)
            book.violation(f"exception: {label}", self.where, problem, told)
            return
        signal.setitimer(signal.ITIMER_PROF, 0.0)  # the judge may take its time
        truth, n = self.truth, self.truth.n
        D = np.ones(n) if mass is None else truth.diagonals[mass]
        values = truth.values(mass)
        if values is not None:
            values = values[:k] if which == "smallest" else values[n - k :]
        norm, bound = truth.scales(D)
        blurred = spectra.blur(mass, D, truth.size, norm)
        known = {"size": truth.size, "values": values, "blurred": blurred}
        for kind, error, limit in spectra.judge(found, truth.product, D, norm, bound, **known):
            true = "" if values is None else np.array2string(values, precision=10, threshold=12)
            told = self.reproducer(call, true)
            right = book.check(f"{kind}:{label}", self.where, error, told, tolerance=limit)
            if kind == "values" and not right and found.certified:
                book.violation(f"certified but wrong: {label}", self.where, call, told)
