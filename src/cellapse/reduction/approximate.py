r"""A sparse graph whose energy is within a factor of that of a Kron reduction.

    (1 - f) x^T S_F x  <=  x^T R x  <=  (1 + f) x^T S_F x

Approximate elimination (Kyng and Sachdeva, Approximate Gaussian elimination for Laplacians, 2016),
in rounds of walks (`walks`). An edge is as many copies as it matters to values on F,

    c_e = w_e (rho R_e^F + rho' R_e),    sum of w_e R_e^F = |F| - 1,   sum of w_e R_e = n - 1,

R_e the resistance between its ends, R_e^F what of it is left where only values that are harmonic
off F count; edges that are less than one copy are drawn by chance. Resistances do not change while
vertices are eliminated, so that one sketch gives all of them, in all rounds (Spielman and
Srivastava, Graph sparsification by effective resistances, 2011): differences of rows of Y, random
with covariance L^+, and of the values of Y that are harmonic off F.

The factor that is reached is measured, by Lanczos steps with S_F^+ R; where it falls short, more
copies are taken.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components

from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.kernel import Projector
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray, diagonal_matrix
from cellapse._shared.card import Card
from cellapse.reduction.eliminated import Eliminated
from cellapse.reduction.reduced import ReducedOperator
from cellapse.reduction.walks import Edges, can_leave, one_round, thinned

_COPIES = 1.5  # rho f^2 / log |F|: with these the factor f is reached on most graphs
_ALL_COPIES = 5.0  # rho' f
_MOST = 4.0  # times as many copies in the next attempt
_ATTEMPTS = 5
_SKETCH = 32  # numbers per vertex: resistances within a quarter
_ROUGH, _FINE = 1e-2, 1e-6  # relative errors of solutions: of the sketch, of the measurement
_ROUNDING = 1e-12  # of the diagonal: what is left of a row is nothing
_LEAST_STEPS, _MOST_STEPS = 20, 80
_KNOWN = 0.1  # of the distance from 1: how well its ends are measured
_ROWS = 2**18  # edges handled at once


class SparseReduction(SparseOperator):
    """A sparse graph within a factor of a reduction; made by `reduce` with `sparse`.

    Attributes
    ----------
    exact : ReducedOperator
        What it stands for.
    lower, upper : float
        x^T R x is at least and at most so many times the energy of the exact one, as measured.
    matrix : scipy.sparse.csr_array
    labels : tuple
        Of the kept vertices.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(nx.grid_2d_graph(30, 30))
    >>> R = cl.reduce(L, 200, sparse=0.3)
    >>> 0.7 <= R.lower <= R.upper <= 1.3, R.matrix.nnz < 0.2 * 200**2
    (True, True)
    """

    def __init__(
        self, exact: ReducedOperator, matrix: sparse.csr_array, lower: float, upper: float
    ) -> None:
        super().__init__(matrix, exact.labels, exact.kernel, "sparse reduction", exact.definite)
        self.exact, self.lower, self.upper, self.onto = exact, lower, upper, exact.onto

    def __repr__(self) -> str:
        return f"<SparseReduction on {self.shape[0]} of {self.exact.of.shape[0]} cells>"

    def _card(self) -> Card:
        k = self.shape[0]
        edges = (self.matrix.nnz - int((self.matrix.diagonal() != 0).sum())) // 2
        rows = (
            ("of", repr(self.exact.of)),
            ("edges", f"{edges:,}; the exact one has up to {k * (k - 1) // 2:,}"),
            ("energy", f"{self.lower:.3f} to {self.upper:.3f} times the exact one, measured"),
        )
        calls = (*self._calls(), ("R.exact", "is the exact reduction"))
        return Card(repr(self), rows, self._picture, calls)


def approximate(R: ReducedOperator, factor: float, rng: np.random.Generator) -> SparseReduction:
    """Make a sparse graph whose energy is within a factor of that of a reduction."""
    network = _Network(R)
    sketch = _Sketch(network, rng)
    rho = _COPIES * np.log(R.shape[0] + 1.0) / factor**2
    more = _ALL_COPIES / factor
    best = np.inf
    for _ in range(_ATTEMPTS):
        edges = _sampled(network, sketch.rows(rho, more), rng)
        lower, upper = _measured(network, edges, rng)
        reached = max(1.0 - lower, upper - 1.0)
        if reached <= factor:
            return SparseReduction(R, network.scaled_back(edges), lower, upper)
        best = min(best, reached)
        grow = float(np.clip((reached / factor) ** 2, 1.3, _MOST))
        rho, more = grow * rho, np.sqrt(grow) * more
    raise ConvergenceError(
        f"a sparse graph within {best:.2g} of the reduction was found, not within sparse={factor:g}"
        "; give a larger sparse, or leave it out for the exact reduction"
    )


class _Network:
    """The graph of an operator, what is more on its diagonal as edges to one ground vertex.

    An operator that is a graph up to a scale of its vertices, such as a normalized Laplacian, is
    scaled: T S T with T v = the kernel is a graph, and reductions are scaled alike.
    """

    def __init__(self, R: ReducedOperator) -> None:
        S = R.of
        if S.matrix is None:
            raise InputError(
                f"sparse= needs a sparse matrix, and {S!r:.80} is none; collapse by the "
                'realization "renormalized" or "screened", or leave sparse out'
            )
        self.kept, self.n = R.vertices, S.shape[0]
        self.scale = _positive_kernel(S)
        T = diagonal_matrix(self.scale)
        M = sparse.csr_array(T @ S.matrix @ T)
        diagonal = M.diagonal()
        self.excess = _excess(S, M, diagonal)
        upper = sparse.triu(M, 1, format="coo")
        within = np.ones(self.n, dtype=bool)
        within[R.missed] = False
        held = (upper.data < 0.0) & within[upper.row]
        edges = upper.row[held].astype(np.int64), upper.col[held].astype(np.int64)
        self.edges = Edges(*edges, -upper.data[held])
        self.excess[~within] = 0.0
        self.left = within.copy()
        self.left[self.kept] = False
        self.operator = SparseOperator(M, S.labels)
        # Of a component without a way to the ground its first kept vertex is ground.
        component = connected_components(self.edges.adjacency(self.n, self.edges.weight))[1]
        grounded = np.bincount(component, self.excess) > 0.0
        own = component[self.kept]
        floating = np.flatnonzero(~grounded[own])
        _, first, numbers = np.unique(own[floating], return_index=True, return_inverse=True)
        self._solved = within
        self._solved[self.kept[floating[first]]] = False
        values = 1.0 / np.sqrt(np.bincount(numbers)[numbers])
        shape = len(own), len(first)
        #: Orthonormal indicators of components without ground, on the kept vertices.
        self.kernel = sparse.csr_array((values, (floating, numbers)), shape=shape)

    @cached_property
    def inverse(self) -> _Inverse:
        """L^+ up to the kernel of L."""
        return _Inverse(self.operator, np.flatnonzero(self._solved))

    def with_ground(self) -> Edges:
        """All edges, with those to the ground vertex n."""
        at = np.flatnonzero(self.excess)
        ground = np.full(len(at), self.n)
        i, j, weight = self.edges
        return Edges(
            np.concatenate([i, at]),
            np.concatenate([j, ground]),
            np.concatenate([weight, self.excess[at]]),
        )

    def matrix(self, edges: Edges) -> sparse.csr_array:
        """The Laplacian of edges between kept vertices and the ground, without its row."""
        k = len(self.kept)
        number = np.full(self.n + 1, k)
        number[self.kept] = np.arange(k)
        W = Edges(number[edges.i], number[edges.j], edges.weight)
        adjacency = W.adjacency(k + 1, W.weight)
        laplacian = diagonal_matrix(adjacency.sum(axis=1)) - adjacency
        return sparse.csr_array(laplacian[:k][:, :k])

    def scaled_back(self, edges: Edges) -> sparse.csr_array:
        """The matrix, in the unit of the operator."""
        T = diagonal_matrix(1.0 / self.scale[self.kept])
        return sparse.csr_array(T @ self.matrix(edges) @ T)


def _positive_kernel(S: Operator) -> FloatArray:
    """The kernel, where it is known and of one sign, with a largest value of 1; else ones."""
    scale = np.ones(S.shape[0])
    if S.kernel is None or not S.kernel.nnz:
        return scale
    kernel = abs(sparse.csc_array(S.kernel))
    largest = np.maximum(kernel.max(axis=0).toarray().ravel(), 1e-300)
    values = np.asarray((kernel @ diagonal_matrix(1.0 / largest)).max(axis=1).toarray()).ravel()
    return np.where(values > 0.0, values, scale)


def _excess(S: Operator, M: sparse.csr_array, diagonal: FloatArray) -> FloatArray:
    """Return what the diagonal of a graph is more than its weights; anything else is refused."""
    off = M.data.max(initial=0.0, where=_off_diagonal(M))
    if off > _ROUNDING * diagonal.max(initial=0.0):
        raise InputError(
            f"sparse= samples the edges of a graph, and {S!r:.80} has entries off its diagonal of "
            f"up to {off:.3g}, which are negative weights; leave sparse out for the exact "
            "reduction, or collapse by a realization that is a graph"
        )
    sums = M.sum(axis=1)
    if (sums < -1e-9 * diagonal).any():
        raise InputError(
            f"sparse= samples the edges of a graph, and the diagonal of {S!r:.80} is smaller than "
            "the sum of the other entries; leave sparse out for the exact reduction"
        )
    return np.where(sums > _ROUNDING * diagonal, sums, 0.0)


def _off_diagonal(M: sparse.csr_array) -> BoolArray:
    return np.repeat(np.arange(M.shape[0]), np.diff(M.indptr)) != M.indices


class _Inverse:
    """Solutions with the block of some vertices, zero at all others."""

    def __init__(self, S: Operator, vertices: IntArray) -> None:
        self._vertices = vertices
        self._block = Eliminated(S, vertices) if len(vertices) else None

    def __call__(self, b: FloatArray, rtol: float) -> FloatArray:
        x = np.zeros_like(b)
        if self._block is not None:
            x[self._vertices] = self._block.solve(b[self._vertices], rtol)
        return x


class _Sketch:
    """Random rows whose differences are as long as resistances are large, for every vertex."""

    def __init__(self, network: _Network, rng: np.random.Generator) -> None:
        n, S = network.n, network.operator
        i, j, weight = network.with_ground()
        places = np.arange(len(weight))
        signs = np.concatenate([np.sqrt(weight), -np.sqrt(weight)])
        ends = np.concatenate([i, j]), np.concatenate([places, places])
        B = sparse.csr_array((signs, ends), shape=(n + 1, len(weight)))[:n]
        drawn = rng.choice([-1.0, 1.0], (len(weight), _SKETCH)) / np.sqrt(_SKETCH)
        left = np.flatnonzero(network.left)
        self._all = network.inverse(B @ drawn, _ROUGH)
        self._harmonic = self._all.copy()
        self._harmonic[left] = 0.0
        self._harmonic -= _Inverse(S, left)(S.A @ self._harmonic, _ROUGH)

    def rows(self, rho: float, more: float) -> FloatArray:
        """Rows whose squared distances are rho R^F + more R; those of the ground are zero."""
        off = np.sqrt(more) * (self._all - self._harmonic)
        rows = np.sqrt(rho + more) * self._harmonic + off
        return np.concatenate([rows, np.zeros((1, _SKETCH))])


def _sampled(network: _Network, rows: FloatArray, rng: np.random.Generator) -> Edges:
    """Eliminate all vertices that are not kept, in rounds."""

    def copies(edges: Edges) -> FloatArray:
        found = np.empty(len(edges.weight))
        for start in range(0, len(found), _ROWS):
            part = slice(start, start + _ROWS)
            apart = rows[edges.i[part]] - rows[edges.j[part]]
            found[part] = edges.weight[part] * np.einsum("ij,ij->i", apart, apart)
        return found

    edges, left = network.with_ground(), np.append(network.left, False)
    while left.any():
        leaving = can_leave(edges, left, rng)
        edges = one_round(edges, leaving, copies, rng)
        edges = thinned(edges, copies(edges), rng)
        left &= ~leaving
    return edges if network.left.any() else thinned(edges, copies(edges), rng)


def _measured(network: _Network, edges: Edges, rng: np.random.Generator) -> tuple[float, float]:
    """The least and the largest x^T R x / x^T S_F x, by Lanczos steps with S_F^+ R.

    They are taken in the inner product of R, and orthogonalized in full; residuals are added.
    """
    if not _equally_connected(network, edges):
        return 0.0, np.inf
    M, kept, kernel = network.matrix(edges), network.kept, Projector(network.kernel)
    k = len(kept)

    def times(b: FloatArray) -> FloatArray:
        full = np.zeros((network.n, 1))
        full[kept, 0] = b
        return network.inverse(full, _FINE)[kept, 0]

    v = kernel.off(rng.standard_normal(k))
    basis, images = np.empty((0, k)), np.empty((0, k))
    along: list[float] = []
    across: list[float] = []
    length = float(np.sqrt(max(v @ (M @ v), 0.0)))
    lower = upper = 1.0
    for step in range(min(_MOST_STEPS, k - network.kernel.shape[1])):
        v = v / length
        image = M @ v
        basis, images = np.vstack([basis, v]), np.vstack([images, image])
        v = kernel.off(times(image))
        along.append(float(v @ image))
        for _ in range(2):
            v = kernel.off(v - (images @ v) @ basis)
        length = float(np.sqrt(max(v @ (M @ v), 0.0)))
        values, vectors = linalg.eigh_tridiagonal(along, across)
        rest = length * abs(vectors[-1, [0, -1]])
        lower, upper = float(values[0] - rest[0]), float(values[-1] + rest[1])
        known = rest.max() <= _KNOWN * max(1.0 - values[0], values[-1] - 1.0)
        if length <= _FINE or (known and step >= _LEAST_STEPS):
            break
        across.append(length)
    return lower, upper


def _equally_connected(network: _Network, edges: Edges) -> bool:
    """Return whether kept vertices are joined with each other and the ground as before."""
    n = network.n + 1
    kept = np.append(network.kept, network.n)
    counts = []
    for given in (network.with_ground(), edges):
        component = connected_components(given.adjacency(n, given.weight))[1]
        counts.append(len(np.unique(component[kept])))
    return counts[0] == counts[1]
