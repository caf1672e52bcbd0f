r"""Coordinates of the vertices from the first eigenvectors S u = lambda D u.

The kernel says which component a vertex is in and nothing else. An encoding leaves it out; an
embedding leaves out only what is constant on all vertices, so that components stay apart. What is
arbitrary about eigenvectors is fixed as far as the values allow:

* the sign, by comparing the sorted entries of u and of -u: the first that differ decide. Only a
  vector with the same entries as its negative is left; there the first of its largest entries is
  made positive.
* the basis of a repeated eigenvalue, by diagonalizing in it a function of the vertices that does
  not depend on their order (their share in the eigenspace, and the degrees around them). Only
  what this function cannot distinguish, most often because of a symmetry of the complex, is left.

So permuting the vertices permutes the rows, except in these two cases, and in an eigenspace that
is cut off by the last column.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from cellapse._errors import InputError
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown, few
from cellapse._shared.checks import whole_number
from cellapse._shared.memory import Fitting, require_memory
from cellapse._shared.pictures import points
from cellapse._shared.tables import to_frame
from cellapse.tasks.clustering import Mass, cut_mass

_GUARD = 8  # eigenpairs beyond those asked for, so that repeated eigenvalues are seen whole
_ROUNDS = 8  # how far around a vertex the degrees are looked at
_SAME = 1e-8  # relative to the largest eigenvalue: what counts as repeated, or as zero


@dataclass(frozen=True, eq=False, repr=False)
class Embedding(Shown):
    """Coordinates of the vertices; `np.asarray(embedding)` is the array of them.

    Attributes
    ----------
    coordinates : (n, k) array
    values : (k,) array
        The eigenvalue of each column, 0 for a column of padding.
    n_modes : int
        Columns that are eigenvectors; those after them are padding.
    n_trivial : int
        Vectors of the kernel that were left out: one for each component, or the constant alone.
    labels : sequence
        What the rows are.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> embedding = cl.embed(cl.collapse(K), 3)
    >>> embedding.coordinates.shape, embedding.n_modes
    ((34, 3), 3)
    """

    coordinates: FloatArray = field(repr=False)
    values: FloatArray
    n_modes: int
    n_trivial: int
    labels: Sequence[Hashable] = field(repr=False)

    def _card(self) -> Card:
        rows = (
            ("eigenvalues", few(self.values.tolist())),
            ("left out", f"{self.n_trivial:,} of the kernel"),
            (
                "first row",
                f"{self.labels[0]!r:.40}: {few(self.coordinates[0].tolist(), 4)}"
                if len(self)
                else "none",
            ),
        )
        calls = (
            ("np.asarray(embedding)", "is the array, in the order of embedding.labels"),
            ("embedding.to_frame()", "is a table with a row per vertex"),
        )
        n, k = self.coordinates.shape
        padded = f", {k - self.n_modes} of them zeros" if self.n_modes < k else ""
        title = f"Embedding of {n:,} vertices in {k} columns{padded}"
        return Card(title, rows, lambda: points(self.values), calls)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.coordinates, dtype=dtype)

    def __len__(self) -> int:
        return len(self.coordinates)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with columns u1, u2, ..., indexed by label."""
        names = [f"u{i + 1}" for i in range(self.coordinates.shape[1])]
        return to_frame(self.coordinates, self.labels, names)


@Fitting("the embedding", "lower k")
def embed(operator: Any, k: int, *, mass: Mass = "auto") -> Embedding:
    """Return the first `k` eigenvectors after the constant: a Laplacian eigenmap.

    With several components the first columns, of eigenvalue 0, say which one a vertex is in, as
    in scikit-learn's SpectralEmbedding; those after them say where in it.

    Columns are eigenvectors of S u = lambda D u, in the order of lambda, without the constant.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    k : int
        Less than the number of vertices.
    mass : "auto", "diagonal", "degree", n numbers or None
        D of S u = lambda D u, as in `cluster`: the diagonal of S by default, so that no column is
        one badly connected vertex alone; None is the identity. The columns have u^T D u = 1.

    Returns
    -------
    Embedding

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(4)))
    >>> path, plain = embed(L, 2), embed(L, 2, mass=None)
    >>> path.coordinates[:, 0].round(3).tolist(), path.values.round(3).tolist()
    ([0.577, 0.289, -0.289, -0.577], [0.5, 1.5])
    >>> plain.coordinates[:, 0].round(3).tolist(), plain.values.round(3).tolist()
    ([0.653, 0.271, -0.271, -0.653], [0.586, 2.0])
    """
    S = as_operator(operator)
    k = whole_number("k", k, 1, S.shape[0])
    modes = _modes(S, k, mass, _without_constant)
    if modes.n_modes < k:
        raise InputError(
            f"k={k}, but {S.shape[0]} vertices have only {modes.n_modes} vectors besides the "
            "constant; lower k, or use positional_encoding, which fills up with zeros"
        )
    return modes


@Fitting("the encoding", "lower k")
def positional_encoding(operator: Any, k: int, *, mass: Mass = "auto") -> Embedding:
    """Return exactly `k` columns for a neural network: eigenvectors, and zeros beyond them.

    What is constant on components is left out, so that a complex is encoded like its parts.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    k : int
    mass : "auto", "diagonal", "degree", n numbers or None
        D of S u = lambda D u, as in `cluster`: the diagonal of S by default, so that no column is
        one badly connected vertex alone; None is the identity. The columns have u^T D u = 1.

    Returns
    -------
    Embedding

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(3)))
    >>> np.asarray(positional_encoding(L, 4))[0].round(2).tolist()
    [0.71, 0.5, 0.0, 0.0]
    """
    S = as_operator(operator)
    k = whole_number("k", k, 1)
    require_memory(16.0 * k * S.shape[0], f"an encoding of {S.shape[0]:,} vertices", "lower k")
    modes = _modes(S, k, mass, lambda kernel, D: kernel[:, :0])
    missing = k - modes.n_modes
    return Embedding(
        np.pad(modes.coordinates, ((0, 0), (0, missing))),
        np.pad(modes.values, (0, missing)),
        modes.n_modes,
        modes.n_trivial,
        modes.labels,
    )


def _modes(
    S: Operator,
    k: int,
    mass: Mass,
    kept: Callable[[FloatArray, FloatArray | None], FloatArray],
) -> Embedding:
    """Return the first k modes; `kept` says what of the kernel is among them."""
    n = S.shape[0]
    if n == 0:
        return Embedding(np.zeros((0, 0)), np.zeros(0), 0, 0, S.labels)
    D = cut_mass(S, mass)
    zeros = 0 if S.kernel is None else S.kernel.shape[1]
    while True:  # a kernel that is not known in advance may be larger than thought
        spectrum = S.spectrum(min(n, zeros + k + _GUARD), D)
        zeros = n_trivial(S, spectrum, D)
        if len(spectrum) >= min(n, zeros + k):
            break
    first = kept(spectrum.vectors[:, :zeros], D)
    values = np.r_[np.zeros(first.shape[1]), spectrum.values[zeros:]]
    vectors = np.hstack([first, spectrum.vectors[:, zeros:]])
    values, vectors = first_modes(values, vectors, k, lambda: surroundings(S.A, D), D)
    return Embedding(vectors, values, len(values), zeros - first.shape[1], S.labels)


def first_modes(
    values: FloatArray,
    vectors: FloatArray,
    k: int,
    around: Callable[[], FloatArray],
    D: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """At most `k` of the eigenpairs given, with all that is arbitrary in them fixed.

    Ascending values and vectors as columns, some more than asked for where there are; `around`
    gives the numbers of `surroundings`, where a repeated eigenvalue needs them.
    """
    values, vectors = values[: k + _GUARD], vectors[:, : k + _GUARD]
    vectors = _canonical_bases(values, vectors, D, around)
    return values[:k], permutable_signs(vectors[:, :k])


def _without_constant(kernel: FloatArray, D: FloatArray | None) -> FloatArray:
    """Return a basis of the kernel without the vector in it that is closest to the constant."""
    constant = kernel.sum(axis=0) if D is None else kernel.T @ D
    if np.linalg.norm(constant) <= 1e-8 * np.sqrt(len(kernel)):
        return kernel  # as for two colours of a bipartite graph
    return kernel @ linalg.qr(constant[:, None])[0][:, 1:]


def n_trivial(S: Operator, spectrum: Spectrum, D: FloatArray | None = None) -> int:
    """Return how many of the first eigenvalues are zero."""
    if spectrum.n_zeros is not None:
        return min(spectrum.n_zeros, len(spectrum))
    return int((spectrum.values <= _SAME * operator_size(S, D)).sum())


def operator_size(S: Operator, D: FloatArray | None = None) -> float:
    """Return an upper bound of the largest eigenvalue, that of A."""
    rows = abs(S.A).sum(axis=1)
    return float((rows if D is None else rows / D).max(initial=0.0))


def surroundings(A: sparse.csr_array, D: FloatArray | None = None) -> FloatArray:
    """Return a number for each vertex from the degrees near it: different where these are."""
    degree = A.diagonal() if D is None else A.diagonal() / D
    size = abs(A)
    x = degree / max(float(degree.max()), 1e-300)
    for _ in range(_ROUNDS):
        y = size @ np.sqrt(x)  # not linear: else what averages out would be lost
        x = y / max(float(y.max()), 1e-300)
    return x


def _canonical_bases(
    values: FloatArray,
    vectors: FloatArray,
    D: FloatArray | None,
    around: Callable[[], FloatArray],
) -> FloatArray:
    """Turn the basis of every repeated eigenvalue to the axes of a function of the vertices."""
    same = np.diff(values) <= _SAME * max(float(values.max(initial=0.0)), 1e-300)
    if not same.any():
        return vectors
    start = np.flatnonzero(np.r_[True, ~same])
    vectors, near = vectors.copy(), around()
    for i, j in zip(start, np.r_[start[1:], len(values)], strict=True):
        if j - i > 1:  # one vector has nothing to turn to
            V = vectors[:, i:j] if D is None else np.sqrt(D)[:, None] * vectors[:, i:j]
            function = (V**2).sum(axis=1) + near
            _, rotation = np.linalg.eigh(V.T @ (function[:, None] * V))
            vectors[:, i:j] = vectors[:, i:j] @ rotation
    return vectors


def permutable_signs(vectors: FloatArray) -> FloatArray:
    """Choose between u and -u by their sorted entries, see the top of this file."""
    if not vectors.size:
        return vectors
    ascending = np.sort(vectors, axis=0)
    difference = ascending[::-1] + ascending  # sorted u less sorted -u, the largest entries first
    size = np.abs(vectors).max(axis=0)
    clear = np.abs(difference) > 1e-6 * size
    columns = np.arange(vectors.shape[1])
    decides = difference[np.argmax(clear, axis=0), columns]
    first = np.argmax(np.abs(vectors) >= (1 - 1e-6) * size, axis=0)
    sign = np.sign(np.where(clear.any(axis=0), decides, vectors[first, columns]))
    return vectors * np.where(sign == 0, 1.0, sign)  # only zeros have no sign
