r"""Coordinates of the vertices from the first eigenvectors S u = lambda D u.

The kernel says which component a vertex is in and nothing else, so its vectors (one a component)
are left out. What is arbitrary about eigenvectors is fixed as far as the values allow:

* the sign, by comparing the sorted entries of u and of -u: the first that differ decide. Only a
  vector with the same entries as its negative is left; there the first of its largest entries is
  made positive.
* the basis of a repeated eigenvalue, by diagonalizing in it a function of the vertices that does
  not depend on their order (their share in the eigenspace and their degree). Only what a symmetry
  of the complex makes alike is left.

So permuting the vertices permutes the rows, except in these two cases, and in an eigenspace that
is cut off by the last column.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cellapse._as_operator import as_operator
from cellapse._checks import whole_number
from cellapse._errors import InputError
from cellapse.operator import Operator
from cellapse.spectrum import Spectrum
from cellapse.tasks._signals import to_frame
from cellapse.tasks.cluster import cut_mass

FloatArray = NDArray[np.float64]

_GUARD = 8  # eigenpairs beyond those asked for, so that repeated eigenvalues are seen whole
_SAME = 1e-8  # relative to the largest eigenvalue: what counts as repeated, or as zero


@dataclass(frozen=True, eq=False)
class Embedding:
    """Coordinates of the vertices; `np.asarray(embedding)` is the array of them.

    Attributes
    ----------
    coordinates : (n, k) array
    values : (k,) array
        The eigenvalue of each column, 0 for a column of padding.
    n_modes : int
        Columns that are eigenvectors; those after them are padding.
    n_trivial : int
        Vectors of the kernel that were left out: one for each component.
    labels : sequence
        What the rows are.
    """

    coordinates: FloatArray = field(repr=False)
    values: FloatArray
    n_modes: int
    n_trivial: int
    labels: Sequence[Hashable] = field(repr=False)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.coordinates, dtype=dtype)

    def __len__(self) -> int:
        return len(self.coordinates)

    def to_frame(self) -> Any:
        """A pandas DataFrame with columns u1, u2, ..., indexed by label."""
        names = [f"u{i + 1}" for i in range(self.coordinates.shape[1])]
        return to_frame(self.coordinates, self.labels, names)


def embed(operator: Any, k: int, *, mass: str | ArrayLike | None = None) -> Embedding:
    """The first `k` eigenvectors that are not constant on components: a Laplacian eigenmap.

    The coordinates say where a vertex is within its component, not in which one it is.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    k : int
        At most the number of vertices less the number of components.
    mass : None, "diagonal", "degree" or n positive numbers
        D of S u = lambda D u; the columns have u^T D u = 1.

    Returns
    -------
    Embedding

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> path = embed(cl.graph_laplacian(cl.clique_complex(nx.path_graph(4))), 2)
    >>> path.coordinates[:, 0].round(3).tolist(), path.values.round(3).tolist()
    ([0.653, 0.271, -0.271, -0.653], [0.586, 2.0])
    """
    S = as_operator(operator)
    k = whole_number("k", k, 1, S.shape[0])
    found = _modes(S, k, mass)
    if found.n_modes < k:
        raise InputError(
            f"k={k}, but {S.shape[0]} vertices in {found.n_trivial} components have only "
            f"{found.n_modes} vectors that are not constant on components; lower k, or use "
            "positional_encoding, which fills up with zeros"
        )
    return found


def positional_encoding(operator: Any, k: int, *, mass: str | ArrayLike | None = None) -> Embedding:
    """Always exactly `k` columns for a neural network: eigenvectors, and zeros when there are less.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    k : int
    mass : None, "diagonal", "degree" or n positive numbers
        D of S u = lambda D u.

    Returns
    -------
    Embedding

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(3)))
    >>> np.asarray(positional_encoding(L, 4))[0].round(2).tolist()
    [0.71, -0.41, 0.0, 0.0]
    """
    S = as_operator(operator)
    k = whole_number("k", k, 1)
    found = _modes(S, k, mass)
    missing = k - found.n_modes
    return Embedding(
        np.pad(found.coordinates, ((0, 0), (0, missing))),
        np.pad(found.values, (0, missing)),
        found.n_modes,
        found.n_trivial,
        found.labels,
    )


def _modes(S: Operator, k: int, mass: str | ArrayLike | None) -> Embedding:
    n = S.shape[0]
    if n == 0:
        return Embedding(np.zeros((0, 0)), np.zeros(0), 0, 0, S.labels)
    D = cut_mass(S, mass)
    known = 0 if S.kernel is None else S.kernel.shape[1]
    zeros = known
    while True:  # a kernel that is not known in advance may be larger than thought
        spectrum = S.spectrum(min(n, zeros + k + _GUARD), D)
        zeros = n_trivial(S, spectrum, D)
        if len(spectrum) >= min(n, zeros + k):
            break
    degree = S.A.diagonal() / (np.ones(n) if D is None else D)
    values, vectors = first_modes(spectrum.values, spectrum.vectors, zeros, k, degree, D)
    return Embedding(vectors, values, len(values), zeros, S.labels)


def first_modes(
    values: FloatArray,
    vectors: FloatArray,
    n_zeros: int,
    k: int,
    degree: FloatArray,
    D: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """At most `k` eigenpairs after the first `n_zeros`, with all that is arbitrary in them fixed.

    Ascending values and vectors as columns, some more than asked for where there are; `degree` is
    that of the vertices.
    """
    seen = slice(n_zeros, n_zeros + k + _GUARD)
    values = values[seen]
    vectors = _canonical_bases(values, vectors[:, seen], D, degree)
    return values[:k], fix_signs(vectors[:, :k])


def n_trivial(S: Operator, spectrum: Spectrum, D: FloatArray | None = None) -> int:
    """How many of the first eigenvalues are zero."""
    if spectrum.n_zeros is not None:
        return min(spectrum.n_zeros, len(spectrum))
    return int((spectrum.values <= _SAME * _size(S, D)).sum())


def _size(S: Operator, D: FloatArray | None) -> float:
    rows = abs(S.A).sum(axis=1)
    return float((rows if D is None else rows / D).max(initial=0.0))


def _canonical_bases(
    values: FloatArray, vectors: FloatArray, D: FloatArray | None, degree: FloatArray
) -> FloatArray:
    """Turn the basis of every repeated eigenvalue to the axes of a function of the vertices."""
    same = np.diff(values) <= _SAME * max(float(values.max(initial=0.0)), 1e-300)
    start = np.flatnonzero(np.r_[True, ~same])
    vectors = vectors.copy()
    for i, j in zip(start, np.r_[start[1:], len(values)], strict=True):
        if j - i > 1:
            V = vectors[:, i:j] if D is None else np.sqrt(D)[:, None] * vectors[:, i:j]
            share = (V**2).sum(axis=1)
            function = share + degree / max(float(abs(degree).max()), 1e-300)
            _, rotation = np.linalg.eigh(V.T @ (function[:, None] * V))
            vectors[:, i:j] = vectors[:, i:j] @ rotation
    return vectors


def fix_signs(vectors: FloatArray) -> FloatArray:
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
    return vectors * np.where(sign == 0, 1.0, sign)
