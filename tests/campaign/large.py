"""The truth of graphs too large for dense algebra: products, and closed forms of some spectra."""

from functools import cached_property
from itertools import product as pairs
from math import comb

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from . import spectra
from .dense import after, shares


def laplacian_spectrum(family, graph, degree):
    """All eigenvalues of the graph Laplacian where a formula is known, or None."""
    n = graph.number_of_nodes()
    if family == "path":
        return 2.0 - 2.0 * np.cos(np.pi * np.arange(n) / n)
    if family == "star":
        return np.array([0.0, *[1.0] * (n - 2), n])
    if family == "hypercube":
        d = n.bit_length() - 1
        return np.repeat(2.0 * np.arange(d + 1), [comb(d, i) for i in range(d + 1)])
    if family == "torus":
        a, b = (1 + max(v[i] for v in graph) for i in (0, 1))
        one = [2.0 - 2.0 * np.cos(2.0 * np.pi * np.arange(m) / m) for m in (a, b)]
        return np.sort(np.array([x + y for x, y in pairs(*one)]))
    if family == "copies" and (degree == 2).all():  # of a cycle of 100
        return np.sort(np.tile(2.0 - 2.0 * np.cos(2.0 * np.pi * np.arange(100) / 100), n // 100))
    return None


class LargeTruth:
    """S = A - c (I - K^-1) by products, for the default weights; everything above is diagonal."""

    def __init__(self, family, graph, data, realization, eps, regularized):
        self.n, self.eps = data.n, eps
        B = data.incidence()
        self.L = sparse.csr_array(B @ B.T)
        degree = self.L.diagonal()
        self.norm, self.bound, self.size = self._norm(), 2.0 * degree.max(), self._norm()
        self.closed = laplacian_spectrum(family, graph, degree)
        self.diagonals = {"degree": spectra.usual(degree, degree > 0)}
        self.kernel = data.kernel()
        if realization in ("graph", "screened", "renormalized"):
            share = np.ones(len(data.edges))
            if realization != "graph":
                share = shares(data, realization == "renormalized", eps)
            self.M = sparse.csr_array(B @ sparse.diags_array(share) @ B.T)
            self.c = None
            if self.closed is not None and len(set(share.tolist())) > 1:
                self.closed = None
            elif self.closed is not None and len(share):
                self.closed = self.closed * share[0]
            return
        s = self._gap(family)
        self.c = s + (eps if regularized else 0.0)
        d = data.around if realization == "unfolded" else np.zeros(len(data.edges))
        mass = eps + after(d, d[d > 0].min(initial=np.inf), eps, regularized)
        self.K = sparse.csr_array(sparse.eye_array(self.n) + B @ sparse.diags_array(1 / mass) @ B.T)
        if self.closed is not None:
            x = np.where(self.closed < 1e-12, 0.0, self.closed)
            self.closed = np.sort(x - self.c * x / (x + eps))

    def _norm(self):
        start = np.cos(np.arange(self.n))
        return float(eigsh(self.L, k=1, v0=start, return_eigenvectors=False, tol=1e-4)[0])

    def _gap(self, family):
        if self.closed is not None:
            return float(self.closed[self.closed > 1e-12].min())
        P, n = self.kernel, self.n

        def off(x):
            return x - P @ (P.T @ x)

        start = off(np.cos(np.arange(n) * 1.7))
        if family == "barbell":  # next to zero, but quick to factorize
            solve = splu((self.L + 1e-7 * sparse.eye_array(n)).tocsc()).solve
            operator = LinearOperator((n, n), matvec=lambda x: off(solve(off(x.ravel()))))
        else:
            top = self.bound
            operator = LinearOperator(
                (n, n), matvec=lambda x: top * off(x.ravel()) - off(self.L @ off(x.ravel()))
            )
        _, v = eigsh(operator, k=1, which="LA", v0=start, ncv=60, tol=1e-13)
        v = off(v[:, 0])
        return float(v @ (self.L @ v) / (v @ v))

    def product(self, U):
        """S U."""
        if self.c is None:
            return self.M @ U
        return self.L @ U - self.c * (U - np.column_stack([self._inverse(u) for u in U.T]))

    def _inverse(self, x):
        """K^-1 x by conjugate gradients; as K >= I, what is left bounds the error."""
        fixed = self.kernel @ (self.kernel.T @ x)
        x = x - fixed
        v, r = np.zeros_like(x), x.copy()
        scale = 1.0 / self.K.diagonal()
        z = scale * r
        p, rz = z.copy(), r @ z
        for _ in range(3000):
            if np.linalg.norm(r) <= 1e-13 * np.linalg.norm(x) or rz == 0.0:
                break
            q = self.K @ p
            step = rz / (p @ q)
            v, r = v + step * p, r - step * q
            z = scale * r
            rz, before = r @ z, rz
            p = z + rz / before * p
        if np.linalg.norm(x - self.K @ v) > 1e-12 * np.linalg.norm(x):
            v = self._factor.solve(x)
            v = v + self._factor.solve(x - self.K @ v)
        return fixed + v - self.kernel @ (self.kernel.T @ v)

    @cached_property
    def _factor(self):
        return splu(self.K.tocsc())

    def values(self, mass_name):
        degree = self.diagonals["degree"]
        if self.closed is None or mass_name not in (None, "degree"):
            return None
        if mass_name is None:
            return self.closed
        return self.closed / degree[0] if (degree == degree[0]).all() else None

    def scales(self, mass):
        if (mass == 1.0).all():
            return self.norm, self.bound
        return 2.0, float((abs(self.L).sum(axis=1) / mass).max())
