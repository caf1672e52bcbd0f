r"""Kernels of Gaussian processes on vertices, as operators.

    Matern       K = (I + length^2 / (2 nu) S)^-nu
    diffusion    K = exp(-time S),                     the limit nu -> oo with time = length^2 / 2

(Borovitskiy et al., Matern Gaussian processes on graphs, 2021; Kondor and Lafferty, Diffusion
kernels on graphs, 2002.) Their largest eigenvalue is at most 1; the mean variance of a vertex is
`K.diagonal().mean()`. Products go by `nu` sparse solves, where that is a whole number and S a
sparse matrix that can be cut, and by Chebyshev polynomials of S otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._errors import InputError
from cellapse._linalg.factor import Solve, best_direct, expands
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card
from cellapse._shared.checks import at_least_zero, number
from cellapse.tasks.filters import DENSE, apply_responses

_RTOL = 1e-11  # of products where no error is allowed for


@dataclass(frozen=True)
class Matern:
    """x -> (1 + length^2 / (2 nu) x)^-nu, for eigenvalues x of an operator."""

    nu: float
    length: float

    def __post_init__(self) -> None:
        if not isfinite(self.shift):
            raise InputError(
                f"nu={self.nu:g} and length={self.length:g}: length^2 / (2 nu) is beyond all "
                "numbers; give a larger nu or a smaller length"
            )

    @property
    def shift(self) -> float:
        """length^2 / (2 nu)."""
        return self.length * (self.length / (2.0 * self.nu))

    @property
    def solves(self) -> int:
        """How many solutions with I + shift S make a product; 0 where none do."""
        return int(self.nu) if self.nu == int(self.nu) else 0

    def __call__(self, x: FloatArray) -> FloatArray:
        """Return the eigenvalues of the kernel."""
        return np.asarray((1.0 + self.shift * np.maximum(x, 0.0)) ** -self.nu)

    def __str__(self) -> str:
        return f"Matern kernel (nu {self.nu:g}, length {self.length:g})"


@dataclass(frozen=True)
class Diffusion:
    """x -> exp(-time x), for eigenvalues x of an operator."""

    time: float
    shift = 0.0
    solves = 0

    def __call__(self, x: FloatArray) -> FloatArray:
        """Return the eigenvalues of the kernel."""
        with np.errstate(over="ignore"):
            return np.exp(-self.time * np.maximum(x, 0.0))

    def __str__(self) -> str:
        return f"diffusion kernel (time {self.time:g})"


class KernelOperator(Operator):
    """A kernel of a Gaussian process; made by `matern_kernel` and `diffusion_kernel`.

    Attributes
    ----------
    of : Operator
        S.
    response : function
        From eigenvalues of S to those of the kernel, from 0 to 1.
    method : str
        How it is applied, in words.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.matern_kernel(cl.graph_laplacian(nx.path_graph(3)), nu=1, length=2**0.5)
    >>> K.toarray()[0].round(3).tolist()
    [0.625, 0.25, 0.125]
    """

    def __init__(self, of: Operator, response: Matern | Diffusion) -> None:
        n = of.shape[0]
        super().__init__(n, of.labels)
        self.of, self.response, self.onto = of, response, of.onto
        self.A: sparse.csr_array = sparse.eye_array(n, format="csr")
        self.kernel = sparse.csr_array((n, 0))
        M = of.matrix
        self._solver: list[Solve] = []
        self.method = "all eigenpairs" if n <= DENSE else "Chebyshev polynomials"
        if n > DENSE and M is not None and response.solves and not expands(M):
            system = sparse.eye_array(n) + response.shift * M
            self._solver = [best_direct(n).prepare(system)] * response.solves
            self.method = f"{response.solves} sparse solves"

    def __reduce__(self) -> tuple[Any, ...]:  # factors cannot be copied
        return KernelOperator, (self.of, self.response)

    def __repr__(self) -> str:
        return f"<{self.response} on {self.shape[0]} cells of {self.of!r}>"

    def _card(self) -> Card:
        rows = (("of", repr(self.of)), ("products", f"by {self.method}"))
        calls = (("K @ x", "is a product"), ("K.diagonal()", "is the variance of every vertex"))
        return Card(repr(self), rows, self._picture, calls)

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        if self._solver:
            for solve in self._solver:
                x = solve(x)
            return x
        size = float(np.linalg.norm(x, axis=0).max(initial=0.0))
        rtol = min(max(error / size, _RTOL), 0.1) if size else _RTOL
        return apply_responses(self.of, x, [self.response], rtol)[0]


def matern_kernel(operator: Any, nu: float = 1.5, length: float = 1.0) -> KernelOperator:
    """Make the Matern kernel of a Gaussian process on the vertices.

    K = (I + length^2 / (2 nu) S)^-nu: values vary over distances of about `length`, in the unit of
    one over the root of an eigenvalue of S, and the smoother the larger `nu`.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network
    nu : float
        Smoothness, above 0; whole numbers go by sparse solves.
    length : float
        At least 0.

    Returns
    -------
    KernelOperator
        Symmetric, with eigenvalues from 0 to 1: `K @ x`, `K.diagonal()`, `K.toarray()`.

    Examples
    --------
    >>> K = matern_kernel([[1.0, -1.0], [-1.0, 1.0]], nu=1, length=1.0)
    >>> K.toarray().tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    S = as_operator(operator)
    nu = number("nu", nu, "a number above 0", lambda x: x > 0)
    length = at_least_zero("length", length)
    return KernelOperator(S, Matern(nu, length))


def diffusion_kernel(operator: Any, time: float = 1.0) -> KernelOperator:
    """Make the diffusion kernel of a Gaussian process on the vertices (heat kernel).

    K = exp(-time S).

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network
    time : float
        At least 0; length^2 / 2 of a Matern kernel of the same length.

    Returns
    -------
    KernelOperator

    Examples
    --------
    >>> diffusion_kernel([[1.0, -1.0], [-1.0, 1.0]], 1.0).toarray().round(3).tolist()
    [[0.568, 0.432], [0.432, 0.568]]
    """
    S = as_operator(operator)
    return KernelOperator(S, Diffusion(at_least_zero("time", time)))
