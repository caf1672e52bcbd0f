r"""Graphs whose edges have a direction: the magnetic Laplacian, Hermitian instead of symmetric.

    H = D - W * exp(i theta),   W = (A + A^T) / 2,   theta_uv = 2 pi q (A_uv - A_vu) / (A_uv + A_vu)

with D the row sums of W. Of a Hermitian H = X + iY the real matrix

    | X  -Y |
    | Y   X |

has every eigenvalue twice, and (Re u, Im u) as an eigenvector for each u of H. So the solvers of
real operators, with their evidence, serve it as well.

Fanuel, Alaiz, Suykens, Magnetic eigenmaps for community detection in directed networks (2017);
Zhang et al., MagNet (2021).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse import csgraph

from cellapse._errors import InputError
from cellapse._linalg.eigen.problem import EigenSolver
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import SparseOperator
from cellapse._operators.arcs import adjacency_of
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import number, one_of, whole_number
from cellapse._shared.labelled import LabelledOperator
from cellapse._shared.pictures import grid

_SAME = 1e-9  # a turn that is none but for rounding
_FEW = 1e-2  # a direction of the complex span that so little of the real vectors has is rounding


class HermitianOperator(Shown, LabelledOperator):
    """A Hermitian, positive semi-definite sparse matrix with labels and a spectrum.

    Tasks need a real operator; `spectrum(k).vectors` are what to embed or to group the vertices by.

    Attributes
    ----------
    labels : sequence
        What the rows are called.
    kernel : scipy.sparse.csc_array
        Orthonormal columns that span what it maps to zero.
    matrix : scipy.sparse.csr_array
        Of complex numbers.
    real : Operator
        The real symmetric matrix of twice the size, with every eigenvalue twice.

    Examples
    --------
    >>> H = magnetic_laplacian([[0.0, 1.0], [1.0, 0.0]])  # arcs both ways turn nothing
    >>> isinstance(H, HermitianOperator), H.spectrum(1).values.tolist()
    (True, [0.0])
    """

    def __init__(self, matrix: Any, labels: Sequence[Hashable], kernel: Any, name: str) -> None:
        self.matrix = sparse.csr_array(matrix).astype(np.complex128)
        self.labels, self.kernel, self.name = labels, kernel, name
        super().__init__(self.matrix.dtype, self.matrix.shape)
        X, Y = self.matrix.real, self.matrix.imag
        parts = [(part, v) for part in ("real", "imaginary") for v in labels]
        block = sparse.block_array([[X, -Y], [Y, X]], format="csr")
        P = sparse.block_array([[kernel.real, -kernel.imag], [kernel.imag, kernel.real]])
        self.real = SparseOperator(block, parts, sparse.csr_array(P), f"{name}, real form")

    def __repr__(self) -> str:
        return f"<{self.name} operator on {self.shape[0]} cells, {self.matrix.nnz} entries>"

    def _card(self) -> Card:
        rows = (("size", f"{self.shape[0]:,} cells"), ("entries", "complex numbers, Hermitian"))
        calls = (("H.spectrum(k)", "gives the smallest eigenpairs, with complex vectors"),)
        return Card(repr(self), rows, self._picture, calls)

    def _picture(self) -> str:
        rows, columns = self.matrix.nonzero()
        return grid(rows, columns, self.shape[0])

    def _matvec(self, x: Any) -> NDArray[Any]:
        return self.matrix @ x

    def _matmat(self, X: Any) -> NDArray[Any]:
        return self.matrix @ X

    def _adjoint(self) -> HermitianOperator:
        return self

    def toarray(self) -> NDArray[np.complex128]:
        """Return the operator as a dense array."""
        return self.matrix.toarray()

    def spectrum(
        self,
        k: int | None = None,
        mass: str | None = None,
        *,
        rtol: float = 1e-10,
        solver: EigenSolver | None = None,
    ) -> Spectrum:
        """Return the `k` smallest eigenpairs of H u = lambda D u (all of them by default).

        Parameters
        ----------
        k : int, optional
        mass : None or "diagonal"
            D: the identity, or the diagonal of H.
        rtol, solver
            As for `Operator.spectrum`, which finds those of the real form.

        Returns
        -------
        Spectrum
            The vectors are complex, with u^* D u = 1; the entry of largest size is positive.
        """
        n = self.shape[0]
        k = n if k is None else whole_number("k", k, 1, n)
        if mass is not None:
            one_of("mass", mass, ("diagonal",))
        found = self.real.spectrum(2 * k, mass, rtol=rtol, solver=solver)
        D = np.ones(n) if mass is None else np.asarray(self.real._mass(mass))[:n]
        values, vectors = self._pairs(found.vectors, D, k)
        values[: self.kernel.shape[1]] = 0.0
        residuals = np.linalg.norm(self.matrix @ vectors - D[:, None] * vectors * values, axis=0)
        zeros = None if found.n_zeros is None else found.n_zeros // 2
        return Spectrum(
            values=values,
            vectors=vectors,
            residuals=residuals,
            norm=found.norm,
            n_zeros=zeros,
            certified=found.certified,
            labels=self.labels,
            solver=found.solver,
        )

    def _pairs(self, real: Any, D: Any, k: int) -> tuple[Any, Any]:
        """Return the eigenpairs in the complex span of the eigenvectors of the real form."""
        n, root = self.shape[0], np.sqrt(D)[:, None]
        span, size, _ = linalg.svd(root * (real[:n] + 1j * real[n:]), full_matrices=False)
        span = span[:, size > _FEW] / root
        values, turned = linalg.eigh(span.conj().T @ (self.matrix @ span))
        vectors = span @ turned[:, :k]
        largest = vectors[
            np.argmax(abs(vectors) >= abs(vectors).max(axis=0) * (1 - 1e-6), axis=0),
            np.arange(vectors.shape[1]),
        ]
        return values[:k], vectors * (abs(largest) / largest)


def magnetic_laplacian(
    graph: Any, q: float = 0.25, weight: str | None = "weight"
) -> HermitianOperator:
    """Return the magnetic Laplacian H = D - W * exp(i theta) of a graph with directions.

    W = (A + A^T) / 2 and theta_uv = 2 pi q (A_uv - A_vu) / (A_uv + A_vu): an arc turns the phase by
    2 pi q, arcs both ways of the same weight do not.

    Parameters
    ----------
    graph : networkx.DiGraph, or square matrix of no negative entries
        A_uv is the weight of the arc from u to v. A graph without directions has arcs both ways.
    q : float
        The charge: 0 forgets directions and gives the Laplacian of W, 1/4 makes an arc and its
        reverse opposite, and 1/m fits cycles of m arcs.
    weight : str or None
        The attribute of a networkx graph that holds weights, 1 where there is none; None leaves
        them out.

    Returns
    -------
    HermitianOperator

    Examples
    --------
    >>> H = magnetic_laplacian([[0.0, 1.0], [0.0, 0.0]], q=0.25)
    >>> H.toarray().imag.round(3).tolist()
    [[0.0, -0.5], [0.5, 0.0]]
    >>> H.spectrum().values.round(6).tolist()
    [0.0, 1.0]
    """
    q = number("q", q, "a finite number", lambda _: True)
    labels, A = adjacency_of(graph, weight)
    if (A.data < 0).any():
        raise InputError(
            "an arc of negative weight, and a phase has no sign; take signed_laplacian for signs"
        )
    W = sparse.csr_array((A + A.T) / 2)
    flow = sparse.csr_array(A - A.T)
    W.sort_indices()
    u, v = W.nonzero()
    share = np.asarray(flow[u, v]).ravel() / (2.0 * W.data) if W.nnz else np.empty(0)
    phased = sparse.csr_array((W.data * np.exp(2j * np.pi * q * share), (u, v)), shape=W.shape)
    degrees = sparse.diags_array(np.asarray(W.sum(axis=1)).ravel())
    name = f"magnetic Laplacian, q={q:g},"
    return HermitianOperator(degrees - phased, labels, _flat(u, v, share, q, W.shape[0]), name)


def _flat(u: IntArray, v: IntArray, share: FloatArray, q: float, n: int) -> sparse.csc_array:
    """Return the kernel: x_u = exp(i theta_uv) x_v, on components where turns add up."""
    joined = sparse.csr_array((np.arange(1, len(u) + 1), (u, v)), shape=(n, n))
    count, component = csgraph.connected_components(joined, directed=False)
    first = np.unique(component, return_index=True)[1]
    rooted = sparse.block_array([[joined, None], [None, sparse.csr_array((1, 1))]], format="lil")
    rooted[n, first] = 1  # one more vertex, in front of all components
    order, before = csgraph.breadth_first_order(rooted.tocsr(), n)
    turns = np.zeros(n)
    for w in order[1:].tolist():
        if before[w] != n:
            turns[w] = turns[before[w]] - share[joined[before[w], w] - 1]
    left = share - (turns[u] - turns[v])
    wrong = abs(np.exp(2j * np.pi * q * left) - 1.0) > _SAME
    flat = np.ones(count, dtype=bool)
    flat[component[u[wrong]]] = False
    kept = np.flatnonzero(flat[component])
    size = np.bincount(component)[component[kept]]
    x = np.exp(2j * np.pi * q * turns[kept]) / np.sqrt(size)
    places = kept, (np.cumsum(flat) - 1)[component[kept]]
    return sparse.csc_array((x, places), shape=(n, int(flat.sum())))
