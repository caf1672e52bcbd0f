"""Linear algebra in rigorous balls of many digits, and exactly where only integers are needed."""

import numpy as np
from flint import arb, arb_mat, ctx, fmpz_mat


class precision:  # noqa: N801 - reads like a statement: `with precision(300):`
    """So many bits inside a `with` block."""

    def __init__(self, bits):
        self.bits = bits

    def __enter__(self):
        self.before, ctx.prec = ctx.prec, self.bits

    def __exit__(self, *_):
        ctx.prec = self.before


def integers(matrix):
    """The pattern of a matrix as integers."""
    n, m = matrix.shape
    return fmpz_mat(n, m, matrix.flat()) if n and m else fmpz_mat(n, m)


def balls(matrix):
    """B = rows^-1/2 N columns^1/2 in balls."""
    n, m = matrix.shape
    B = arb_mat(n, m)
    left = [1 / arb(w).sqrt() for w in matrix.rows]
    right = [arb(w).sqrt() for w in matrix.columns]
    for (i, j), value in matrix.entries.items():
        B[i, j] = value * left[i] * right[j]
    return B


def left_kernel(matrix):
    """A basis of the kernel of B^T as columns of balls, from the exact one of N^T.

    B^T x = 0 is N^T rows^-1/2 x = 0.
    """
    n = matrix.shape[0]
    if not matrix.shape[1]:
        return arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    basis, nullity = integers(matrix).transpose().nullspace()
    root = [arb(w).sqrt() for w in matrix.rows]
    Z = arb_mat(n, nullity)
    for i in range(n):
        for j in range(nullity):
            Z[i, j] = basis[i, j] * root[i]
    return Z


def nullity(matrix):
    """The dimension of the kernel of B^T, exactly."""
    n, m = matrix.shape
    return n - (integers(matrix).rank() if n and m else 0)


def projector(Z):
    """The orthogonal projector on the span of independent columns."""
    Q = Z.transpose()
    return Z * (Q * Z).solve(Q) if Z.ncols() else arb_mat(Z.nrows(), Z.nrows())


def identity(n, value=1):
    """A multiple of the identity."""
    eye = arb_mat(n, n)
    for i in range(n):
        eye[i, i] = arb(value)
    return eye


def floats(matrix):
    """The midpoints, rounded to doubles."""
    shape = (matrix.nrows(), matrix.ncols())
    return np.array([float(x.mid()) for x in matrix.entries()], dtype=float).reshape(shape)


def radius(matrix):
    """How far an entry can be from its midpoint."""
    return max((float(x.rad()) for x in matrix.entries()), default=0.0)


def smallest_singular_value(matrix):
    """sigma_min+ to about the working precision, or None for a matrix without entries.

    With the exact kernel filled up, G = B B^T has an inverse, whose largest eigenvalue LAPACK finds
    to full relative accuracy; inverse iteration goes on from there.
    """
    matrix = matrix.restricted()
    if not matrix.entries:
        return None
    lengths = {}
    if len({j for _, j in matrix.entries}) == len(matrix.entries):  # orthogonal rows
        for (i, j), value in matrix.entries.items():
            size = value * value * arb(matrix.columns[j]) / arb(matrix.rows[i])
            lengths[i] = lengths.get(i, 0) + size
        return min(lengths.values(), key=float).sqrt()
    if matrix.shape[0] > matrix.shape[1]:
        matrix = transposed(matrix)
    B = balls(matrix)
    G = (B * B.transpose()).mid()
    trace = G.trace()
    filled = G + projector(left_kernel(matrix)) * trace
    near = floats(filled.solve(identity(G.nrows())) * trace)
    values, vectors = np.linalg.eigh((near + near.T) / 2)
    x = arb_mat(G.nrows(), 1, vectors[:, -1].tolist())
    value, goal = rayleigh(filled, x), arb(2) ** (-(ctx.prec * 3) // 4)
    # The shift stays where LAPACK put it: one that follows x may end at another eigenvalue.
    shift = (trace / arb(float(values[-1])) * arb("0.99999999")).mid()
    solver = (filled - identity(G.nrows(), shift)).inv().mid()
    for _ in range(60):
        x = (solver * x).mid()
        x = (x * (1 / max(abs(e) for e in x.entries()).mid())).mid()
        before, value = value, rayleigh(filled, x)
        if abs(value - before) < goal * value:
            break
    return value.sqrt().mid()


def rayleigh(M, x):
    """x^T M x / x^T x, its midpoint."""
    return ((x.transpose() * M * x)[0, 0] / (x.transpose() * x)[0, 0]).mid()


def transposed(matrix):
    """B^T in the same form: its rows have the weights 1 / columns."""
    entries = {(j, i): v for (i, j), v in matrix.entries.items()}
    return type(matrix)(inverses(matrix.columns), inverses(matrix.rows), entries)


def inverses(weights):
    """1 / w as balls, so that nothing is rounded to doubles on the way."""
    return [1 / arb(w) for w in weights]
