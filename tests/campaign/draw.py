"""Random complexes and settings, from a seed alone: the same on every machine.

Only `random()` and `integers()` of a numpy Generator are used, whose streams numpy keeps.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .chains import DoesNotApplyError, Plain, matrices

REALIZATIONS = ("unfolded", "mixed", "incidence", "boundary", "screened")
_MOST = 90  # elements of all ranks together: the oracle's matrices are dense
KINDS = ("graph", "simplicial", "polygonal", "solid", "hypergraph", "combinatorial", "pairs")


@dataclass(frozen=True)
class Case:
    """A complex and the arguments of `collapse`."""

    plain: Plain
    kind: str
    realization: str
    beta: object
    gamma: object  # None, "bound", "regularized", or a list of parts of the bound
    eps: float
    onto: int
    rounds: int


def generator(seed):
    return np.random.Generator(np.random.PCG64(seed))


def pick(rng, options):
    return options[int(rng.integers(len(options)))]


def case(seed):
    """The case of a seed."""
    rng = generator([seed, 1])
    while True:
        kind = pick(rng, KINDS)
        plain = weighted(rng, spoiled(rng, complex_of(rng, kind)))
        fitting = [r for r in REALIZATIONS if applies(plain, r)]
        if fitting:
            return settings(rng, plain, kind, pick(rng, fitting))


def applies(plain, realization):
    """Whether the realization is defined, and small enough to be judged."""
    try:
        chain = matrices(plain, "unfolded" if realization == "screened" else realization)
    except DoesNotApplyError:
        return False
    return plain.n + sum(M.shape[1] for M in chain) <= _MOST


def settings(rng, plain, kind, realization):
    """Random arguments of `collapse`."""
    top = max(plain.top, 1)
    beta = None
    if rng.random() < 0.7:
        wide = pick(rng, (0.5, 3.0))
        beta = [10.0 ** (wide * (2 * rng.random() - 1)) for _ in range(top)]
    draw = rng.random()
    eps = 0.0 if draw < 0.12 else 1e-4 if draw < 0.25 else 10.0 ** (16 * rng.random() - 12)
    gamma = pick(rng, (None, "bound", "regularized", "part"))
    rounds = 0
    if realization == "screened":
        rounds = pick(rng, (0, 0, 1, 5))
        if gamma == "part" or rounds:  # theta = 1 leaves nothing of an edge, and no mean of it
            gamma = [pick(rng, (0.0, 0.5, 0.9, 0.99))]
    elif gamma == "part":
        gamma = [pick(rng, (0.0, 0.3, 0.9, 0.999)) for _ in range(top)]
    onto = 0
    if realization != "screened" and rng.random() < 0.4:
        onto = int(rng.integers(plain.top + 1))
        sizes = [plain.n, *(M.shape[1] for M in matrices(plain, realization))]
        if onto and sizes[onto] != len(plain.cells.get(onto, [])):  # flags, or formal elements
            onto = 0
    return Case(plain, kind, realization, beta, gamma, eps, onto, rounds)


def weighted(rng, plain):
    """Half without weights, the others with moderate or very different ones on some ranks."""
    style = pick(rng, ("none", "none", "moderate", "wide"))
    weights = {}
    for k in range(plain.top + 1):
        count = plain.n if k == 0 else len(plain.cells.get(k, []))
        if style == "none" or rng.random() < 0.5:
            continue
        draws = [2 * rng.random() - 1 for _ in range(count)]
        weights[k] = [10.0 ** (d * (6.0 if style == "wide" else 0.5)) for d in draws]
    return Plain(plain.n, plain.cells, weights)


def spoiled(rng, plain):
    """Now and then a second component, lonely vertices, or ranks without cells."""
    n, cells = plain.n, {k: list(c) for k, c in plain.cells.items()}
    if rng.random() < 0.15:
        more = simplicial(rng, int(rng.integers(2, 5)), int(rng.integers(1, 3)))
        for k, group in more.cells.items():
            cells.setdefault(k, []).extend(tuple(v + n for v in c) for c in group)
        n += more.n
    if rng.random() < 0.15:
        n += int(rng.integers(1, 3))
    if rng.random() < 0.08:
        cells[max(cells, default=0) + 1] = []
    cells = {k: cells.get(k, []) for k in range(1, max(cells, default=0) + 1)}
    return Plain(n, cells, {})


def complex_of(rng, kind):
    size = int(rng.integers(1, 9)) if rng.random() < 0.8 else int(rng.integers(9, 13))
    if kind == "graph":
        return simplicial(rng, size, 1)
    if kind == "simplicial":
        return simplicial(rng, min(size, 8), int(rng.integers(2, 5)))
    if kind == "polygonal":
        return polygonal(rng, max(size, 3))
    if kind == "solid":
        return solid(rng)
    if kind == "hypergraph":
        return hypergraph(rng, size)
    if kind == "pairs":
        return over_pairs(rng, max(size, 3))
    return combinatorial(rng, min(size, 7))


def simplicial(rng, n, top):
    """Edges at random, then cells whose faces are all there, most of them."""
    density, keep = pick(rng, (0.2, 0.5, 0.8, 1.0)), pick(rng, (0.5, 0.8, 1.0))
    cells = {1: [e for e in combinations(range(n), 2) if rng.random() < density]}
    for k in range(2, top + 1):
        there = set(cells[k - 1])
        cells[k] = [
            c
            for c in combinations(range(n), k + 1)
            if rng.random() < keep and all(f in there for f in combinations(c, k))
        ]
    return Plain(n, cells, {})


def polygonal(rng, n):
    """Closed walks as faces, with their edges and some more."""
    edges, faces = set(), {}
    for _ in range(int(rng.integers(0, 5))):
        length = int(rng.integers(3, min(n, 6) + 1))
        walk = shuffled(rng, range(n))[:length]
        if frozenset(walk) not in faces:
            faces[frozenset(walk)] = tuple(walk)
            edges |= {tuple(sorted(p)) for p in zip(walk, [*walk[1:], walk[0]], strict=True)}
    edges |= {e for e in combinations(range(n), 2) if rng.random() < 0.15}
    return Plain(n, {1: shuffled(rng, sorted(edges)), 2: list(faces.values())}, {})


def solid(rng):
    """A box, a prism or a pyramid, filled, with some chords outside it."""
    faces, n = pick(
        rng,
        (
            ([(0, 1, 2), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (0, 2, 5, 3)], 6),
            ([(0, 1, 2, 3), (0, 1, 4), (1, 2, 4), (2, 3, 4), (0, 3, 4)], 5),
            (
                [
                    *[(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4)],
                    *[(1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)],
                ],
                8,
            ),
        ),
    )
    edges = {tuple(sorted(p)) for f in faces for p in zip(f, (*f[1:], f[0]), strict=True)}
    cells = {1: shuffled(rng, sorted(edges)), 2: shuffled(rng, faces), 3: [tuple(range(n))]}
    return Plain(n, cells, {})


def hypergraph(rng, n):
    """Sets of any size: all of rank 1, or of rank 2 above all their pairs."""
    sets = random_sets(rng, n, int(rng.integers(0, 6)), 5)
    if rng.random() < 0.4:
        return Plain(n, {1: sets}, {})
    pairs = {p for s in sets for p in combinations(sorted(s), 2)}
    return Plain(n, {1: sorted(pairs), 2: [s for s in sets if len(s) > 2]}, {})


def over_pairs(rng, n):
    """Edges, and above them sets that skip ranks, but not the edges at their vertices."""
    top, sets = int(rng.integers(3, 5)), random_sets(rng, n, int(rng.integers(1, 4)), 5)
    rank = {3: int(rng.integers(2, 4)), 4: 3, 5: top}
    cells = {k: [] for k in range(1, top + 1)}
    for s in sets:
        if len(s) > 2:
            cells[rank[len(s)]].append(s)
    edges = {p for s in sets for p in combinations(sorted(s), 2)}
    cells[1] = sorted(e for e in edges if rng.random() < 0.9)
    return Plain(n, {k: c for k, c in cells.items() if c or k < 3}, {})


def combinatorial(rng, n):
    """Any sets as cells; ranks grow with the size, leave gaps and may be shared."""
    rank, steps = {1: 0}, 0
    for size in range(2, n + 1):
        steps += int(rng.integers(1 if size == 2 else 0, 3))
        rank[size] = min(steps, 4)
    cells = {}
    for s in random_sets(rng, n, int(rng.integers(0, 8)), n):
        cells.setdefault(rank[len(s)], []).append(s)
    return Plain(n, cells, {})


def random_sets(rng, n, count, largest):
    found = {}
    for _ in range(count if n > 1 else 0):
        size = int(rng.integers(2, min(largest, n) + 1))
        members = tuple(sorted(shuffled(rng, range(n))[:size]))
        found[members] = None
    return list(found)


def shuffled(rng, items):
    items = list(items)
    return [
        items[i] for i in sorted(range(len(items)), key=[rng.random() for _ in items].__getitem__)
    ]
