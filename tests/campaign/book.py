"""What was checked, how far off the worst was, and what is wrong: counts that can be added up."""

from collections import Counter
from dataclasses import dataclass, field

# How large an error may be, relative to the natural scale of the check: ||A|| for S, ||x|| for x.
TOLERANCES = {
    "weights": 1e-9,  # sigma, gamma: relative to themselves
    "apply": 1e-9,  # S @ x, relative to ||A|| ||x||
    "dense": 1e-9,  # toarray, diagonal, blocks
    "energy": 1e-9,
    "values": 1e-9,  # eigenvalues, relative to ||D^-1/2 A D^-1/2||
    "vectors": 1e-8,  # U^T D U - I
    "residual kept": 1.0,  # true residual over what `tol` promises
    "residual claimed": 1e-11,  # by how much the true residual exceeds twice the claimed one
    "definite": 1e-9,  # how far below zero an eigenvalue of a definite operator is
    "zeros": 0.5,  # values said to be exactly zero that are not
    "complete": 1e-6,  # relative to the largest value at any rank; what the library promises
    "solve": 1e-8,
    "count": 0.5,  # a count is right or wrong
    "resistance": 1e-5,  # what the library promises where S is next to singular
    "smooth": 1e-6,
    "same": 1e-9,  # a pickled copy
    "baseline": 1e-12,
}
_SHOWN = 3  # violations of one kind that are kept with their reproducer


@dataclass
class Book:
    """Counts of one run; `add` joins those of another."""

    complexes: int = 0
    groups: int = 0
    checks: Counter = field(default_factory=Counter)
    excused: Counter = field(default_factory=Counter)
    declined: Counter = field(default_factory=Counter)
    worst: dict = field(default_factory=dict)
    wrong: Counter = field(default_factory=Counter)
    shown: dict = field(default_factory=dict)
    sources: dict = field(default_factory=dict)  # of all that is wrong: seeds and groups
    mended: Counter = field(default_factory=Counter)  # wrong once, right when run again
    source: str = ""  # of what is being checked, to find it again

    def check(self, name, where, error, reproducer, excuse=None, tolerance=None):
        """Record one comparison; `excuse()` gives what the problem's own condition allows."""
        kind = name.split(":")[0]
        limit = TOLERANCES[kind] if tolerance is None else tolerance
        self.checks[name] += 1
        if not error <= limit:  # also catches nan
            if excuse is not None and error <= limit + excuse():
                self.excused[name] += 1
                return True
            self.violation(name, where, f"error {error:.2e}, allowed {limit:.0e}", reproducer)
            return False
        key = f"{kind} | {where}"
        self.worst[key] = max(self.worst.get(key, 0.0), float(error))
        return True

    def violation(self, name, where, problem, reproducer):
        key = f"{name} | {where}"
        self.wrong[key] += 1
        self.sources.setdefault(key, []).append(self.source)
        kept = self.shown.setdefault(key, [])
        if len(kept) < _SHOWN:
            code = f"{reproducer()}\n# {self.source}" if self.source else reproducer()
            kept.append({"problem": problem, "reproducer": code})

    def mend(self, source):
        """What came from there is right on the present code."""
        for key, sources in self.sources.items():
            times = sources.count(source)
            self.mended[key] += times
            self.wrong[key] -= times
            self.sources[key] = [s for s in sources if s != source]
            kept = self.shown.get(key, [])
            self.shown[key] = [k for k in kept if not k["reproducer"].endswith(f"# {source}")]
        for counts in (self.wrong, self.mended, self.sources, self.shown):
            for key in [k for k, v in counts.items() if not v]:
                del counts[key]

    def decline(self, name, where, error):
        """The library says that it cannot; the reason without its figures."""
        words = " ".join(w for w in str(error).split() if not any(c.isdigit() for c in w))
        self.declined[f"{name} | {where} | {type(error).__name__}: {words[:80]}"] += 1

    def add(self, other):
        self.complexes += other.complexes
        self.groups += other.groups
        for mine, theirs in (
            (self.checks, other.checks),
            (self.excused, other.excused),
            (self.declined, other.declined),
            (self.wrong, other.wrong),
            (self.mended, other.mended),
        ):
            mine.update(theirs)
        for key, error in other.worst.items():
            self.worst[key] = max(self.worst.get(key, 0.0), error)
        for key, kept in other.shown.items():
            mine = self.shown.setdefault(key, [])
            mine.extend(kept[: _SHOWN - len(mine)])
        for key, sources in other.sources.items():
            self.sources.setdefault(key, []).extend(sources)

    def as_dict(self):
        """For JSON; in a fixed order."""
        return {
            "complexes": self.complexes,
            "groups": self.groups,
            "checks": dict(sorted(self.checks.items())),
            "excused": dict(sorted(self.excused.items())),
            "declined": dict(sorted(self.declined.items())),
            "worst": {k: float(f"{v:.2e}") for k, v in sorted(self.worst.items())},
            "wrong": dict(sorted(self.wrong.items())),
            "violations": dict(sorted(self.shown.items())),
            "sources": dict(sorted(self.sources.items())),
            "mended": dict(sorted(self.mended.items())),
        }

    @classmethod
    def from_dict(cls, data):
        return cls(
            data["complexes"],
            data["groups"],
            Counter(data["checks"]),
            Counter(data["excused"]),
            Counter(data["declined"]),
            dict(data["worst"]),
            Counter(data["wrong"]),
            {k: list(v) for k, v in data["violations"].items()},
            {k: list(v) for k, v in data.get("sources", {}).items()},
            Counter(data.get("mended", {})),
        )
