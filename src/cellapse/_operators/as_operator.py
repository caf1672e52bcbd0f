"""Whatever stands for a symmetric operator, as an `Operator`, checked where others would go wrong.

Tasks take a collapsed operator, a baseline, a sparse or dense matrix, a labelled pandas frame or a
scipy LinearOperator; and whatever can be lifted to a complex (a graph, an adjacency, a hypergraph,
points, the name of a file), which is collapsed, as on the command line.

Of a matrix from outside the kernel is not known; it is found where it is plain to see: on each
component the constants (a Laplacian) or the roots of the degrees (a normalized one).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator

from cellapse._collapse.collapsed import collapse
from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import InputError
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._linalg.sigma import largest_eigenpair
from cellapse._shared.arrays import FloatArray, csr_from_entries, row_sum
from cellapse._shared.checks import own_csr
from cellapse._shared.labelled import Combined, LabelledOperator

_ROUNDING = 1e-8  # relative to the norm: asymmetry and negative eigenvalues that are forgiven
_DENSE = 1000  # up to this size eigenvalues are computed from the dense matrix


def as_operator(source: Any, make: Callable[[Complex], Operator] = collapse) -> Operator:
    """Make an `Operator` of a positive semi-definite matrix, or of whatever can be lifted.

    Parameters
    ----------
    source : Operator, scipy sparse matrix, 2-D array, pandas DataFrame or scipy LinearOperator
        The rows of a frame are labelled by its index, where that equals its columns. Anything else
        is what `collapse` takes: a complex, a graph, a symmetric matrix of no negative entries with
        a zero diagonal, points, a name.
    make : function of a complex
        What makes an operator of the latter; by default its collapse, which is renormalized.

    Returns
    -------
    Operator

    Examples
    --------
    >>> L = as_operator([[1.0, -1.0], [-1.0, 1.0]])
    >>> L.kernel.toarray().ravel().round(3).tolist()
    [0.707, 0.707]
    >>> as_operator([[0.0, 1.0], [1.0, 0.0]])
    <CollapsedOperator renormalized on 2 vertices: n_cells=(2, 1, 0), eps=0.0001; \
cliques up to rank 2 of an adjacency>
    """
    if isinstance(source, Operator):
        if not source.definite:
            raise InputError(
                f"{source!r} may have negative eigenvalues, but tasks need a positive "
                "semi-definite operator; use a Laplacian, or gamma within its bound"
            )
        return source
    if isinstance(source, LinearOperator):
        matrix = _sparse(source)
        if matrix is None:
            return MatrixFreeOperator(source)
        made = _from_matrix(matrix, source.labels, make)
        made.onto = source.onto
        return made
    pandas = sys.modules.get("pandas")  # whoever holds a frame has imported pandas already
    if pandas is not None and isinstance(source, pandas.DataFrame):
        if len(source) and source.index.equals(source.columns) and source.index.is_unique:
            return _from_matrix(source.to_numpy(), tuple(source.index), make)
        if set(source.index) == set(source.columns):
            raise InputError(
                "a frame whose index differs from its columns, or repeats a label; "
                "give a square frame with the same labels in the same order on both sides"
            )
    if _is_matrix(source):
        return _from_matrix(source, None, make)
    return make(to_complex(source))


def _sparse(source: LinearOperator) -> sparse.csr_array | None:
    """Return a sum or multiple of operators as a matrix, where all of them are."""
    with suppress(InputError):
        return source.tocsr() if isinstance(source, Combined) else None
    return None


class MatrixFreeOperator(Operator):
    """A scipy LinearOperator, of someone else or a sum of operators: known by its products only.

    In the place of A stands a multiple of the identity that bounds it from above.
    """

    def __init__(self, source: LinearOperator) -> None:
        n = _side(source.shape)
        labelled = isinstance(source, LabelledOperator)  # a sum or multiple of operators
        super().__init__(n, source.labels if labelled else range(n))
        self._source, self.onto = source, source.onto if labelled else 0
        x, y = np.random.default_rng(0).standard_normal((2, n))  # any two signals
        try:
            images = np.column_stack([source @ x, source @ y]) if n else np.zeros((0, 2))
        except Exception as error:  # of a function that is not ours
            raise InputError(f"the operator cannot be applied to {n} numbers ({error})") from error
        if np.iscomplexobj(images) or not np.isfinite(images).all():
            raise InputError("the operator gives complex, NaN or infinite values; it must be real")
        size = float(np.linalg.norm(images) * np.sqrt(max(n, 1)))
        if abs(y @ images[:, 0] - x @ images[:, 1]) > _ROUNDING * size:
            raise InputError(
                "the operator is not symmetric: x^T (M y) and y^T (M x) differ; "
                "pass (M + M.T) / 2 if that is what you mean"
            )
        self.kernel = None
        self.A = sparse.csr_array((n, n))
        low, high = self._ends()
        if low < -_ROUNDING * high:
            raise _indefinite(low)
        self.A = sparse.csr_array(high * sparse.eye_array(n))

    def __repr__(self) -> str:
        return f"<LinearOperator on {self.shape[0]} cells>"

    def _picture(self) -> str:
        return ""  # its entries are not known

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return np.asarray(self._source @ x, dtype=np.float64)

    def _ends(self) -> tuple[float, float]:
        """Return the smallest eigenvalue, roughly, and an upper bound of the largest."""
        n = self.shape[0]
        top, vector = largest_eigenpair(self.apply, n, tol=1e-3)  # its residual is added
        left = float(np.linalg.norm(self.apply(vector) - top * vector))
        high = 1.01 * (abs(top) + left)
        low = -largest_eigenpair(lambda x: -self.apply(x), n, tol=1e-3, scale=high)[0]
        return low, high

    def _mass(self, mass: str | ArrayLike | None) -> FloatArray | None:
        if isinstance(mass, str) and mass == "degree":
            raise InputError(
                'mass="degree", but a LinearOperator has no degrees; use "diagonal", None or '
                "give numbers"
            )
        return super()._mass(mass)


def _is_matrix(source: Any) -> bool:
    """Return whether this is to be read as one matrix: square, and no list of two edges."""
    if sparse.issparse(source):
        return True
    if isinstance(source, list | tuple):
        n = len(source)
        rows = [row for row in source if isinstance(row, list | tuple) and len(row) == n]
        pairs = n == 2 and all(isinstance(row, tuple) for row in rows)
        return 0 < n == len(rows) and not pairs
    if not isinstance(source, np.ndarray) or source.ndim != 2 or len(set(source.shape)) > 1:
        return False
    edges = len(source) == 2 and source.dtype.kind in "iu" and source[0, 1] != source[1, 0]
    return not edges


def _from_matrix(
    source: Any, labels: Sequence[Hashable] | None, make: Callable[[Complex], Operator]
) -> Operator:
    M = own_csr(source, "the matrix")
    n = _side(M.shape)
    norm = row_sum(M)
    skew = abs(M - M.T)
    if skew.nnz and skew.max() > _ROUNDING * norm:
        raise InputError(
            f"the matrix is not symmetric: entries differ by up to {skew.max():.3g}; "
            "pass (M + M.T) / 2 if that is what you mean"
        )
    M = sparse.csr_array((M + M.T) / 2)
    M.eliminate_zeros()
    if M.nnz and not M.diagonal().any() and (M.data >= 0).all():  # an adjacency
        K = to_complex(M)
        return make(K if labels is None else replace(K, labels=labels))
    low = _lowest(M)
    if low < -_ROUNDING * norm:
        raise _indefinite(low)
    return SparseOperator(M, range(n) if labels is None else labels, _kernel(M, norm), "matrix")


def _side(shape: tuple[int, ...]) -> int:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError(f"an operator of shape {shape}; it must be square")
    return int(shape[0])


def _indefinite(low: float) -> InputError:
    return InputError(
        f"the matrix has an eigenvalue of about {low:.3g}, but tasks need a positive "
        "semi-definite operator; pass a Laplacian, or an adjacency without self-loops"
    )


def _lowest(M: sparse.csr_array) -> float:
    """Return an upper bound of the smallest eigenvalue, below zero where that is clear."""
    n = M.shape[0]
    diagonal = M.diagonal()
    others = abs(M).sum(axis=1) - abs(diagonal)
    gershgorin = float((diagonal - others).min(initial=0.0))
    if gershgorin >= -1e-12 * row_sum(M):
        return 0.0  # diagonally dominant
    if n <= _DENSE:
        return float(linalg.eigvalsh(M.toarray())[0])
    return -largest_eigenpair(lambda x: -(M @ x), n, tol=1e-3, scale=row_sum(M))[0]


def _kernel(M: sparse.csr_array, norm: float) -> sparse.csr_array | None:
    """One vector for each component where a plain candidate is mapped to zero on all of them.

    With no entry above zero off the diagonal a component has at most one such vector, so that
    these are all (Perron and Frobenius).
    """
    n = M.shape[0]
    off = M - sparse.diags_array(M.diagonal())
    if off.data.max(initial=0.0) > 1e-12 * norm:
        return None
    count, component = connected_components(M, directed=False)
    roots = np.sqrt(np.maximum(np.diff(sparse.csr_array(off != 0).indptr), 1))
    for x in (np.ones(n), roots):
        if (abs(M @ x) <= 1e-12 * (abs(M) @ x)).all():
            size = np.sqrt(np.bincount(component, weights=x**2, minlength=count))
            return csr_from_entries(np.arange(n), component, x / size[component], (n, count))
    return None
