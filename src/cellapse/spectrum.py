r"""Eigenpairs S u = lambda D u of a symmetric operator, smallest first, with evidence.

The kernel, where it is known, is not computed but removed before and put back after: S + tau P P^T
for dense matrices, projection for Lanczos. Krylov methods miss repeated zeros otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from cellapse._checks import whole_number
from cellapse._errors import ConvergenceError

FloatArray = NDArray[np.float64]

_DENSE = 1200  # up to this many vertices the dense way is the quicker one


class Symmetric(Protocol):
    """What `eigenpairs` needs of an operator."""

    @property
    def shape(self) -> tuple[int, int]: ...

    kernel: sparse.csr_array | None
    definite: bool
    A: sparse.csr_array

    def __matmul__(self, x: Any) -> Any: ...
    def toarray(self) -> FloatArray: ...
    def shift_inverse(
        self, mass: FloatArray
    ) -> tuple[float, Callable[[FloatArray], FloatArray]] | None: ...


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues in ascending order with their vectors and what is left of the equation.

    Attributes
    ----------
    values : (k,) array
    vectors : (n, k) array
        Columns with u^T D u = 1; the entry of largest size is positive.
    residuals : (k,) array
        Norms ||S u - lambda D u||.
    n_zeros : int or None
        Dimension of the kernel where it is known in advance; those values are exactly 0.
    labels : sequence
        What the rows of `vectors` are.
    method : str
        How it was computed.
    """

    values: FloatArray
    vectors: FloatArray = field(repr=False)
    residuals: FloatArray = field(repr=False)
    n_zeros: int | None
    labels: Sequence[Hashable] = field(repr=False)
    method: str

    def __len__(self) -> int:
        return len(self.values)


def eigenpairs(
    operator: Symmetric, k: int | None, mass: FloatArray | None, labels: Sequence[Hashable]
) -> Spectrum:
    """The `k` smallest eigenpairs (all, by default) of S u = lambda D u with D = diag(mass)."""
    n = operator.shape[0]
    k = n if k is None else whole_number("k", k, 1, n)
    root = np.ones(n) if mass is None else np.sqrt(mass)
    zeros = operator.kernel if operator.definite else None  # negative ones come before zeros
    P = None if zeros is None else _normalized(sparse.diags_array(root) @ zeros)
    quick = operator.definite and n > _DENSE and k <= n // 4
    inverse = operator.shift_inverse(root**2) if quick else None
    if inverse is None:
        values, vectors = _dense(operator.toarray(), root, P, k)
        method = "dense"
    else:
        values, vectors = _shift_invert(n, inverse, root, P, k)
        method = "shift-invert"
    vectors = _fix_signs(vectors / root[:, None])
    image = operator @ vectors
    weighted = root[:, None] ** 2 * vectors
    values = np.einsum("ij,ij->j", vectors, image)
    n_zeros = None if P is None else int(P.shape[1])
    values[: n_zeros or 0] = 0.0
    rounding = 1e-13 * float((abs(operator.A).sum(axis=1) / root**2).max())
    values[(values < 0) & (values > -rounding)] = 0.0
    order = np.argsort(values, kind="stable")
    residuals = np.linalg.norm(image - weighted * values, axis=0)
    return Spectrum(values[order], vectors[:, order], residuals[order], n_zeros, labels, method)


def _dense(
    S: FloatArray, root: FloatArray, P: sparse.csr_array | None, k: int
) -> tuple[FloatArray, FloatArray]:
    n = len(S)
    S = S / root / root[:, None]
    p = 0 if P is None else P.shape[1]
    if P is not None and p:
        lift = 2.0 * float(np.abs(S).sum(axis=1).max()) + 1.0
        S = S + lift * (P @ P.T).toarray()
    wanted = max(k - p, 0)
    if wanted == 0:
        assert P is not None
        return np.zeros(k), P[:, :k].toarray()
    values, vectors = linalg.eigh(S, subset_by_index=(0, min(wanted, n) - 1))
    return _with_kernel(values, vectors, P)


def _shift_invert(
    n: int,
    inverse: tuple[float, Callable[[FloatArray], FloatArray]],
    root: FloatArray,
    P: sparse.csr_array | None,
    k: int,
) -> tuple[FloatArray, FloatArray]:
    shift, solve = inverse
    p = 0 if P is None else P.shape[1]
    if P is not None and p >= k:
        return np.zeros(k), P[:, :k].toarray()

    def project(x: FloatArray) -> FloatArray:
        return x if P is None else x - P @ (P.T @ x)

    def apply(x: FloatArray) -> FloatArray:
        return project(root * solve(root * project(x.ravel())))

    start = project(np.random.default_rng(0).standard_normal(n))
    operator = LinearOperator((n, n), matvec=apply, dtype=np.float64)
    try:
        mu, vectors = eigsh(operator, k=k - p, which="LA", v0=start)
    except ArpackNoConvergence as error:
        raise ConvergenceError(
            f"{len(error.eigenvalues)} of {k - p} eigenpairs converged; ask for fewer, or raise eps"
        ) from None
    order = np.argsort(-mu)
    return _with_kernel(shift + 1.0 / mu[order], project(vectors[:, order]), P)


def _with_kernel(
    values: FloatArray, vectors: FloatArray, P: sparse.csr_array | None
) -> tuple[FloatArray, FloatArray]:
    if P is None or not P.shape[1]:
        return values, vectors
    return np.concatenate([np.zeros(P.shape[1]), values]), np.hstack([P.toarray(), vectors])


def _normalized(P: Any) -> sparse.csr_array:
    norms = np.sqrt(np.asarray(P.multiply(P).sum(axis=0)).ravel())
    return sparse.csr_array(P @ sparse.diags_array(1.0 / norms))


def _fix_signs(vectors: FloatArray) -> FloatArray:
    """Make the entry of largest size positive; among ties the first decides."""
    size = np.abs(vectors)
    first = np.argmax(size >= size.max(axis=0) * (1 - 1e-6), axis=0)
    sign = np.sign(vectors[first, np.arange(vectors.shape[1])])
    return vectors * np.where(sign == 0, 1.0, sign)
