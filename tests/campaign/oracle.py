"""The collapsed operator by its definition, S = A - X (C + eps I)^-1 X^T, to at least 25 digits.

The blocks of the graded Laplacian are formed as they stand in balls of many digits, and the system
is solved in them; where the enclosure is too wide, with twice the digits. For eps = 0 the limit is
taken at an eps so small that what is left of it, at most eps ||C^+ X^T||^2, is far below rounding.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from flint import arb, arb_mat

from . import exact

_TIGHT = 1e-25  # of ||A||: how wide an enclosure may be


@dataclass
class Truth:
    """One collapse: matrices as in `chains`, weights as numbers or names, and the rank kept."""

    chain: list
    beta: list
    gamma: object = "bound"  # "bound", "regularized" or numbers
    eps: float = 0.0
    onto: int = 0
    factor: float = 1.0  # by which gamma is multiplied, to see how much depends on its last digit
    _kept: dict = field(default_factory=dict, repr=False)

    def sigmas(self, bits):
        """sigma_min+ of every matrix, None for those without entries."""
        if bits not in self._kept:
            with exact.precision(bits):
                self._kept[bits] = [exact.smallest_singular_value(M) for M in self.chain]
        return self._kept[bits]

    def gammas(self, bits):
        """gamma_0..gamma_{K-1} in balls."""
        with exact.precision(bits):
            if not isinstance(self.gamma, str):
                return [arb(g) * arb(self.factor) for g in self.gamma]
            found = []
            for b, sigma in zip(self.beta, self.sigmas(bits), strict=True):
                square = 0 if sigma is None else (arb(b) * sigma) ** 2
                if self.gamma == "regularized" and sigma is not None:
                    square += arb(b) * arb(self.eps)
                found.append(arb(square).sqrt() * arb(self.factor))
            return found

    def block(self, B, gamma, i, j):
        """The block of L* between ranks i and j, or None for zero."""
        if abs(i - j) == 1:
            low = min(i, j)
            block = B[low] * (-gamma[low])
            return block if i < j else block.transpose()
        if i != j:
            return None
        size = B[i - 1].ncols() if i else B[0].nrows()
        total = arb_mat(size, size)
        if i > 0:
            total = total + B[i - 1].transpose() * B[i - 1] * arb(self.beta[i - 1])
        if i < len(B):
            total = total + B[i] * B[i].transpose() * arb(self.beta[i])
        return total

    def solved(self, bits):
        """A, S and Z = (C + eps)^-1 X^T in balls of so many bits; also the size of each rank."""
        with exact.precision(bits):
            B = [exact.balls(M) for M in self.chain]
            sizes = [B[0].nrows(), *(M.ncols() for M in B)]
            gamma = self.gammas(bits)
            others = [k for k in range(len(sizes)) if k != self.onto]
            A = self.block(B, gamma, self.onto, self.onto)
            total = sum(sizes[k] for k in others)
            if not total or not sizes[self.onto]:
                return A, A, arb_mat(total, sizes[self.onto]), sizes
            C, X = arb_mat(total, total), arb_mat(sizes[self.onto], total)
            starts = dict(
                zip(others, np.cumsum([0] + [sizes[k] for k in others]).tolist(), strict=False)
            )
            for i in others:
                _put(X, self.block(B, gamma, self.onto, i), 0, starts[i])
                for j in others:
                    _put(C, self.block(B, gamma, i, j), starts[i], starts[j])
            eps = arb(self.eps)
            if self.eps == 0:
                eps = max((abs(x).mid() for x in C.entries()), default=arb(1)) + arb(2) ** -400
                eps = eps * arb(2) ** (-bits // 3)
            # Plain elimination in balls loses all digits where C is singular.
            Z = (C + exact.identity(total, eps)).solve(X.transpose(), algorithm="precond")
            return A, A - X * Z, Z, sizes

    @cached_property
    def enclosed(self):
        """`solved`, with as many bits as it takes."""
        bits = 288 if self.eps else 900
        while bits <= 20000:
            try:
                A, S, Z, sizes = self.solved(bits)
            except ZeroDivisionError:  # not proved to be regular with so few digits
                bits *= 2
                continue
            norm = max((abs(float(x)) for x in A.entries()), default=0.0) or 1.0
            if exact.radius(S) <= _TIGHT * norm:
                return A, S, Z, sizes
            bits *= 2
        raise ArithmeticError("the oracle cannot enclose this operator")

    @cached_property
    def S(self):
        """The operator, rounded to doubles."""
        return exact.floats(self.enclosed[1])

    @cached_property
    def A(self):
        return exact.floats(self.enclosed[0])

    @cached_property
    def norm(self):
        """||A||, the natural scale of everything; 1 for an operator that is zero."""
        return (float(np.linalg.norm(self.A, 2)) if self.A.size else 0.0) or 1.0

    @cached_property
    def values(self):
        return np.linalg.eigvalsh((self.S + self.S.T) / 2) if len(self.S) else np.zeros(0)

    @cached_property
    def kernel(self):
        """Vectors that S is sure to map to zero: those that no matrix of the kept rank sees."""
        sides = []
        if self.onto < len(self.chain):
            sides.append(self.chain[self.onto])
        if self.onto > 0:
            sides.append(exact.transposed(self.chain[self.onto - 1]))
        with exact.precision(288):
            if len(sides) == 1:
                return exact.floats(exact.left_kernel(sides[0]))
        return np.zeros((len(self.S), 0))

    def completion(self, u):
        """z* = -(C + eps)^-1 X^T u, rank by rank."""
        _, _, Z, sizes = self.enclosed
        z, start, found = -exact.floats(Z) @ u, 0, {}
        for rank, size in enumerate(sizes):
            if rank != self.onto:
                found[rank] = z[start : start + size]
                start += size
        return found

    def resistance(self, i, j):
        """b^T S^+ b for b = e_i - e_j in balls, or inf where b is not in the range of S.

        None where S is singular beyond its known kernel, or nearly so.
        """
        Z, n = self.kernel, len(self.S)
        free = np.sum(np.abs(self.values) < 1e-9 * self.norm)
        if free != Z.shape[1]:
            return None
        b = np.zeros(n)
        b[i], b[j] = 1.0, -1.0
        if np.abs(Z.T @ b).max(initial=0.0) > 1e-9 * np.abs(Z).max(initial=1.0):
            return float("inf")
        fill = arb_mat(Z.shape[0], Z.shape[1], Z.ravel().tolist()) if Z.size else None
        with exact.precision(288):
            S = self.enclosed[1]
            if fill is not None:
                S = S + exact.projector(fill) * arb(self.norm)
            x = S.solve(arb_mat(n, 1, b.tolist()))
            return float((x[i, 0] - x[j, 0]).mid())


def _put(target, block, row, column):
    if block is None:
        return
    for i in range(block.nrows()):
        for j in range(block.ncols()):
            target[row + i, column + j] = block[i, j]
