r"""Kron reduction: an operator on some of its vertices, once the others have relaxed.

    S_F = S_FF - S_FE S_EE^-1 S_EF,     x^T S_F x = min u^T S u  over  u_F = x.

(Dörfler and Bullo, Kron reduction of graphs with applications to electrical networks, 2013.) Of a
collapsed operator that is the Schur complement of the whole graded Laplacian onto F. Resistances
between kept vertices stay what they are, eigenvalues interlace with those of S, and 0 <= S_F <=
S_FF. Nothing dense is made unless it is asked for:

    S_F x = (S u)_F,                     u = (x, -S_EE^-1 S_EF x),
    S_F x = b     from     S u = (b, 0),
    (S_F - s D)^-1     is the block of F of     (S - s P_F D P_F^T)^-1.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components

from cellapse._linalg.factor import can_complement, expands, schur_complement
from cellapse._linalg.operators import Operator
from cellapse._shared.align import align_numbers, unpack
from cellapse._shared.arrays import FloatArray, IntArray, csr_from_entries, row_sum
from cellapse._shared.card import Card
from cellapse._shared.checks import at_least_zero
from cellapse._shared.memory import Fitting
from cellapse._shared.scaling import homogeneous
from cellapse.reduction.eliminated import Eliminated
from cellapse.tasks.kernels import KernelOperator

_ROUNDING = 1e-12  # of the largest entry: one that is none
_RESTRICTED = 1e-12  # relative error of what is restricted
_BY_COMPLEMENT = 20_000  # kept vertices, 3 GB: beyond, PARDISO's dense block is not asked for


class ReducedOperator(Operator):
    """The Schur complement of an operator onto some of its vertices; made by `reduce`.

    A scipy LinearOperator with a spectrum, as every operator: `R @ x`, `R.toarray()`.

    Attributes
    ----------
    of : Operator
        What was reduced.
    vertices : (k,) array
        Where the kept vertices stand among `of.labels`.
    component : (k,) array
        In which component of that each of them is.
    missed : (m,) array
        Where those stand whose component has no kept vertex: they have no effect.
    labels : tuple
        Of the kept vertices.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> R = cl.reduce(cl.graph_laplacian(nx.path_graph("abcd")), ["a", "d"])
    >>> R.toarray().round(3).tolist(), R.labels
    ([[0.333, -0.333], [-0.333, 0.333]], ('a', 'd'))
    """

    def __init__(self, of: Operator, vertices: IntArray, chosen: str) -> None:
        super().__init__(len(vertices), tuple(of.labels[i] for i in vertices.tolist()))
        self.of, self.vertices, self._chosen = of, vertices, chosen
        self.onto, self.definite = of.onto, of.definite
        component = components_of(of)
        self.component = component[vertices]
        held = np.isin(component, self.component)
        self.missed = np.flatnonzero(~held)
        held[vertices] = False
        self._others = np.flatnonzero(held)
        self.A = sparse.csr_array(of.A[vertices][:, vertices])

    def __reduce__(self) -> tuple[Any, ...]:  # factors cannot be copied
        return ReducedOperator, (self.of, self.vertices, self._chosen)

    def __repr__(self) -> str:
        return f"<ReducedOperator on {self.shape[0]} of {self.of.shape[0]} cells of {self.of!r}>"

    def _card(self) -> Card:
        rows = [("of", repr(self.of)), ("kept", f"{self._chosen}, of {self.of.shape[0]:,}")]
        if len(self.missed):
            rows += [("missed", f"{len(self.missed):,} in components of which none is kept")]
        if len(self._others):
            rows += [("eliminated", f"{len(self._others):,} by {self.eliminated.method}")]
        calls = (*self._calls(), ("R.complete(x)", "gives the values of all vertices"))
        return Card(repr(self), tuple(rows), self._picture, calls)

    @cached_property
    def eliminated(self) -> Eliminated:
        """How the other vertices are eliminated."""
        return Eliminated(self.of, self._others)

    @cached_property
    def kernel(self) -> sparse.csr_array | None:  # type: ignore[override]
        """A basis of its kernel: that of the whole, on the kept vertices."""
        if self.of.kernel is None:
            return None
        rows = sparse.csr_array(self.of.kernel)[self.vertices]
        columns = sparse.csc_array(rows)[:, np.unique(rows.nonzero()[1])]
        if (np.diff(rows.indptr) <= 1).all():  # columns of disjoint support
            length = np.sqrt(np.asarray(columns.multiply(columns).sum(axis=0)).ravel())
            return sparse.csr_array(columns @ sparse.diags_array(1.0 / length))
        return sparse.csr_array(linalg.orth(columns.toarray()))

    @Fitting("the values of all vertices", "take fewer columns at a time")
    def complete(self, x: ArrayLike) -> FloatArray:
        """Return the values of all vertices that minimize the energy, given those of the kept.

        In the order of `of.labels`; a vertex whose component has no kept one gets 0.
        """
        values = align_numbers(x, self.labels, "the signal", cells=self.onto > 0)
        return homogeneous(lambda x: self._complete(x, 0.0), values)

    def _complete(self, x: FloatArray, energy: float) -> FloatArray:
        u = np.zeros((self.of.shape[0], *x.shape[1:]))
        u[self.vertices] = x
        if len(self._others):
            b = self.of.apply(u, 0.1 * energy)[self._others]
            u[self._others] = self.eliminated.values(-b, x, energy)
        return u

    @Fitting("right-hand sides on the kept vertices", "take fewer columns at a time")
    def restrict(self, b: ArrayLike) -> FloatArray:
        """Return what has the effect of `b` on kept vertices: the transpose of `complete`.

        `R.solve(R.restrict(b))` are the values of the solution of S u = b on them, up to those
        that S maps to zero.
        """
        values = align_numbers(b, self.of.labels, "the right-hand side", cells=self.onto > 0)
        return homogeneous(self._restrict, values)

    def _restrict(self, b: FloatArray) -> FloatArray:
        if not len(self._others):
            return b[self.vertices]
        u = np.zeros(b.shape)
        u[self._others] = self.eliminated.solve(b[self._others], _RESTRICTED)
        return b[self.vertices] - self.of.apply(u, 1e-12)[self.vertices]

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        # An error e of u moves S_F x by P_F S e, whose length is at most |S|^(1/2) times the energy
        # of e.
        energy = 0.5 * error / np.sqrt(row_sum(self.of.A) or 1.0)
        return self.of.apply(self._complete(x, energy), 0.5 * error)[self.vertices]

    @Fitting("a solution", "take fewer right-hand sides at a time")
    def solve(self, b: Any, shift: float = 0.0, *, rtol: float = 1e-10) -> Any:
        """Solve (S_F + shift I) x = b, as for every operator.

        Without a shift that of S u = (b, 0), on the kept vertices.
        """
        if at_least_zero("shift", shift):
            return super().solve(b, shift, rtol=rtol)
        rhs, pack = unpack(b, self, "the right-hand side")
        padded = np.zeros((self.of.shape[0], *rhs.shape[1:]))
        padded[self.vertices] = self._off_kernel(rhs)
        x = self.of.solve(padded, rtol=rtol)[self.vertices]
        return pack(self._off_kernel(x))

    def _off_kernel(self, x: FloatArray) -> FloatArray:
        return x if self.kernel is None else x - self.kernel @ (self.kernel.T @ x)

    def shifted_system(self, shift: float, mass: FloatArray) -> tuple[sparse.csr_array, int] | None:
        if self.of.matrix is None:
            return None
        n, order = len(self.vertices), np.concatenate([self.vertices, self._others])
        system = self.of.matrix[order][:, order]
        at = np.arange(n)
        shifts = csr_from_entries(at, at, -shift * mass, (len(order), len(order)))
        return sparse.csr_array(system + shifts), 0

    def safe_shift(self, mass: FloatArray) -> float:
        return -1e-6 * (row_sum(self.A) or 1.0) / float(mass.max())

    def _dense(self, error: float) -> FloatArray:
        M = self.of.matrix
        if M is None or not len(self._others) or not self._can_complement(M):
            return super()._dense(error)
        order, k = np.concatenate([self.vertices, self._others]), len(self.vertices)
        upper = sparse.triu(M[order][:, order], format="coo")
        at = np.arange(len(order))  # PARDISO wants an entry for all of the diagonal
        rows, columns = np.concatenate([upper.row, at]), np.concatenate([upper.col, at])
        values = np.concatenate([upper.data, np.zeros(len(order))])
        complement = schur_complement(csr_from_entries(rows, columns, values, upper.shape), k)[0]
        return (complement + complement.T) / 2

    def tocsr(self) -> sparse.csr_array:
        """Return it as a sparse matrix, of the entries that are not rounding."""
        S = self.toarray()
        return sparse.csr_array(np.where(abs(S) > _ROUNDING * abs(S).max(), S, 0.0))

    def _can_complement(self, M: sparse.csr_array) -> bool:
        few = 64 < self.shape[0] <= _BY_COMPLEMENT
        return few and can_complement() and not expands(M)


def graph_of(S: Operator) -> sparse.csr_array:
    """Return the matrix whose pattern says which vertices are neighbours."""
    if isinstance(S, KernelOperator):
        return graph_of(S.of)
    return S.A if S.matrix is None else S.matrix


def components_of(S: Operator) -> IntArray:
    """Return the component of every vertex."""
    if isinstance(S, KernelOperator):  # whose A is the identity
        return components_of(S.of)
    if isinstance(S, ReducedOperator):  # what is eliminated joins vertices that A does not
        return S.component
    return np.asarray(connected_components(graph_of(S), directed=False)[1])
