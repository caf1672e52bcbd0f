"""The matrices B_1, ..., B_K of every realization, from plain lists of cells.

A complex is plain data: a number of vertices and, for each rank from 1 up, a list of tuples of
vertices. A matrix is a pattern of integers with a weight for each row and each column:
B = rows^-1/2 N columns^1/2. The pattern is exact, so ranks and kernels can be, too.
"""

from dataclasses import dataclass


class DoesNotApplyError(Exception):
    """The realization is not defined for this complex."""


@dataclass(frozen=True)
class Matrix:
    """B = diag(rows)^-1/2 N diag(columns)^1/2 with N given by its entries {(i, j): integer}."""

    rows: list
    columns: list
    entries: dict

    @property
    def shape(self):
        return len(self.rows), len(self.columns)

    def flat(self):
        """The pattern N, row after row."""
        n, m = self.shape
        table = [0] * (n * m)
        for (i, j), value in self.entries.items():
            table[i * m + j] = value
        return table

    def restricted(self):
        """Without rows and columns of zeros, which change no positive singular value."""
        keep = [sorted({at[axis] for at in self.entries}) for axis in (0, 1)]
        place = [{old: new for new, old in enumerate(kept)} for kept in keep]
        entries = {(place[0][i], place[1][j]): v for (i, j), v in self.entries.items()}
        return Matrix([self.rows[i] for i in keep[0]], [self.columns[j] for j in keep[1]], entries)


@dataclass(frozen=True)
class Plain:
    """A complex as plain data: `cells[k]` for k from 1 up, `weights` {rank: list of numbers}."""

    n: int
    cells: dict
    weights: dict

    @property
    def top(self):
        return max(self.cells, default=0)

    def sets(self, rank):
        if rank == 0:
            return [frozenset([v]) for v in range(self.n)]
        return [frozenset(c) for c in self.cells.get(rank, [])]

    def weight(self, rank):
        count = self.n if rank == 0 else len(self.cells.get(rank, []))
        return list(self.weights.get(rank, [1.0] * count))


def matrices(plain, realization):
    """B_1..B_K of a realization; one matrix without columns where there are no ranks above 0."""
    if not plain.top:
        return [Matrix(plain.weight(0), [], {})]
    if realization == "boundary":
        return hodge(plain, boundaries(plain), [0] * (plain.top + 1))
    patterns, formal = completed(plain)
    if realization == "incidence":
        return hodge(plain, patterns, formal)
    if formal[1]:
        raise DoesNotApplyError("a vertex of a cell is held by no edge inside it")
    patterns = [signed_edges(plain), *patterns[1:]]
    if realization == "mixed":
        return hodge(plain, patterns, formal)
    if realization == "unfolded":
        return unfolded(plain, patterns, formal)
    raise ValueError(realization)


def hodge(plain, patterns, formal):
    """W_{k-1}^-1/2 N_k W_k^1/2, with weight 1 for formal elements."""
    weight = [plain.weight(k) + [1.0] * formal[k] for k in range(plain.top + 1)]
    return [Matrix(weight[k], weight[k + 1], N) for k, N in enumerate(patterns)]


def signed_edges(plain):
    """-1 at the lower end of an edge, 1 at the higher."""
    N = {}
    for j, edge in enumerate(plain.cells.get(1, [])):
        if len(edge) != 2:
            raise DoesNotApplyError("an edge with more than two ends has no signs")
        N[min(edge), j], N[max(edge), j] = -1, 1
    return N


def completed(plain):
    """Containment between adjacent ranks, with a chain of formal elements for skipped ranks.

    A chain is needed where x lies in y, two or more ranks higher, and no cell of a rank between
    lies between them. Formal elements come last in their rank: first those for the nearest ranks.
    """
    top = plain.top
    sets = [plain.sets(k) for k in range(top + 1)]
    N = [
        {(i, j): 1 for i, x in enumerate(sets[k]) for j, y in enumerate(sets[k + 1]) if x < y}
        for k in range(top)
    ]
    formal = [0] * (top + 1)
    for gap in range(2, top + 1):
        for low in range(top + 1 - gap):
            high = low + gap
            between = [z for k in range(low + 1, high) for z in sets[k]]
            for i, x in enumerate(sets[low]):
                for j, y in enumerate(sets[high]):
                    if not x < y or any(x < z < y for z in between):
                        continue
                    at = i
                    for k in range(low + 1, high):
                        new = len(sets[k]) + formal[k]
                        formal[k] += 1
                        N[k - 1][at, new] = 1
                        at = new
                    N[high - 1][at, j] = 1
    return N, formal


def unfolded(plain, patterns, formal):
    """Signed B_1 with the weights of vertices and edges; above it one column per flag.

    A flag is a chain edge < cell < ...; its column has the weight of its last cell.
    """
    edges = Matrix(plain.weight(0), plain.weight(1), patterns[0])
    found, ends = [edges], list(range(len(plain.cells.get(1, []))))
    for k in range(2, plain.top + 1):
        weight = plain.weight(k) + [1.0] * formal[k]
        above = {}
        for i, j in sorted(patterns[k - 1]):
            above.setdefault(i, []).append(j)
        grown = [(row, j) for row, end in enumerate(ends) for j in above.get(end, [])]
        entries = {(row, column): 1 for column, (row, _) in enumerate(grown)}
        found.append(Matrix([1.0] * len(ends), [weight[j] for _, j in grown], entries))
        ends = [j for _, j in grown]
    return found


def boundaries(plain):
    """Signed boundaries: simplices by ascending vertices, polygons by their walk, others spread."""
    found = [signed_edges(plain)]
    for k in range(2, plain.top + 1):
        place = {frozenset(c): i for i, c in enumerate(plain.cells.get(k - 1, []))}
        N = {}
        for j, cell in enumerate(plain.cells.get(k, [])):
            if len(cell) == k + 1:
                members = sorted(cell)
                faces = [(frozenset(members) - {v}, (-1) ** i) for i, v in enumerate(members)]
            elif k == 2:
                steps = zip(cell, (*cell[1:], cell[0]), strict=True)
                faces = [(frozenset((a, b)), 1 if a < b else -1) for a, b in steps]
            else:
                faces = around(plain, k, cell, found[-1])
            for face, sign in faces:
                if face not in place:
                    raise DoesNotApplyError(f"the face {sorted(face)} of {cell} is missing")
                N[place[face], j] = sign
        found.append(N)
    return found


def around(plain, k, cell, below):
    """The faces of a large cell, signed so that they cancel where two of them meet.

    The first face has sign 1, which settles the others when the faces form one closed surface.
    """
    sets = plain.sets(k - 1)
    faces = [i for i, x in enumerate(sets) if x < frozenset(cell)]
    sign, waiting = {faces[0]: 1} if faces else {}, faces[:1]
    while waiting:
        face = waiting.pop()
        for (ridge, at), value in below.items():
            if at != face:
                continue
            for other in faces:
                if other != face and (ridge, other) in below and other not in sign:
                    sign[other] = -sign[face] * value * below[ridge, other]
                    waiting.append(other)
    total = {}
    for (ridge, face), value in below.items():
        if face in sign:
            total[ridge] = total.get(ridge, 0) + sign[face] * value
    if len(sign) != len(faces) or not faces or any(total.values()):
        raise DoesNotApplyError(f"the faces of {cell} do not close")
    return [(sets[i], s) for i, s in sign.items()]
