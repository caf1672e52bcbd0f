"""A scipy LinearOperator whose rows have labels, by which it is applied: (a S + b T) x.

What scipy makes of such operators (sums, multiples, products) keeps the labels.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, matrix_power

from cellapse._errors import InputError
from cellapse._shared.align import align, way_back
from cellapse._shared.checks import numbers
from cellapse._shared.devices import as_given, as_numpy, is_tensor
from cellapse._shared.memory import Fitting


class LabelledOperator(LinearOperator):
    """An operator from and to the cells of one rank.

    Attributes
    ----------
    labels : sequence
        What its rows are, in the user's order.
    onto : int
        The rank of the cells that its rows are.
    """

    labels: Sequence[Hashable]
    onto: int = 0

    def _operand(self, x: Any, method: str = "@") -> tuple[Any, Callable[[Any], Any]]:
        """Return what the operator can be applied to, one row for each cell, and the way back."""
        name, given = "what S is applied to", x.toarray() if sparse.issparse(x) else x
        values = numbers(align(given, self.labels, name, cells=self.onto > 0), name)
        if values.ndim not in (1, 2) or len(values) != self.shape[1]:
            raise InputError(
                f"an operator on {self.shape[1]} cells times an array of shape {values.shape}; "
                "give one row for each cell"
            )
        one_wanted, one = method.endswith("vec"), values.shape[1:] in ((), (1,))
        if (one_wanted and not one) or (method.endswith("mat") and values.ndim == 1):
            wanted = "one column" if one_wanted else "columns"
            raise InputError(f"{method} of shape {values.shape}; give {wanted}, or use S @ x")
        return values, way_back(x, self, name)

    def matvec(self, x: Any) -> Any:
        """S x for one signal, real or complex."""
        values, pack = self._operand(x, "matvec")
        return pack(super().matvec(values))

    def rmatvec(self, x: Any) -> Any:
        """S^H x for one signal, real or complex."""
        values, pack = self._operand(x, "rmatvec")
        return pack(super().rmatvec(values))

    def matmat(self, X: Any) -> Any:
        """S X for signals as columns, real or complex."""
        values, pack = self._operand(X, "matmat")
        return pack(super().matmat(values))

    def rmatmat(self, X: Any) -> Any:
        """S^H X for signals as columns, real or complex."""
        values, pack = self._operand(X, "rmatmat")
        return pack(super().rmatmat(values))

    @Fitting("S @ x", "take fewer columns at a time")
    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, LinearOperator):
            return self._labelled(super().dot(x), operator.matmul, x)
        values, pack = self._operand(x)
        return pack(super().dot(values))

    def dot(self, x: Any) -> Any:
        """S x for one signal or for columns; a Series or DataFrame keeps its index."""
        return self * x if np.isscalar(x) else self @ x

    def __mul__(self, x: Any) -> Any:
        made = super().dot(x) if np.isscalar(x) else self @ x
        return self._labelled(made, operator.mul, x) if np.isscalar(x) else made

    def __rmul__(self, x: Any) -> Any:
        """A multiple, or x S for signals as rows."""
        made = super().__rmul__(as_numpy(x, "what S is applied to"))
        return as_given(x)(made) if is_tensor(x) else self._labelled(made, operator.mul, x)

    def __add__(self, other: Any) -> Any:
        return self._labelled(super().__add__(other), operator.add, other)

    def __neg__(self) -> Any:
        return self._labelled(super().__neg__(), operator.neg)

    def __pow__(self, power: Any) -> Any:
        return self._labelled(super().__pow__(power), matrix_power, power)

    def __truediv__(self, number: Any) -> Any:
        return self._labelled(super().__truediv__(number), operator.truediv, number)

    def _labelled(self, made: Any, how: Callable[..., Any], *others: Any) -> Any:
        """Return what scipy made of this operator and another, with their labels."""
        if not isinstance(made, LinearOperator):
            return made
        other = others[0] if others else None
        if isinstance(other, LabelledOperator) and list(other.labels) != list(self.labels):
            raise InputError(
                "two operators whose rows have other labels, or the same in another order; make "
                "both of one complex"
            )
        return Combined(made, how, (self, *others))


class Combined(LabelledOperator):
    """What scipy made of labelled operators."""

    def __init__(
        self, made: LinearOperator, how: Callable[..., Any], parts: tuple[Any, ...]
    ) -> None:
        super().__init__(made.dtype, made.shape)
        self._made, self.labels, self.onto = made, parts[0].labels, parts[0].onto
        self._how, self._parts = how, parts

    def tocsr(self) -> sparse.csr_array:
        """Return the operator as a sparse matrix, where all that it is made of are."""
        return sparse.csr_array(self._how(*map(_matrix, self._parts)))

    def _matvec(self, x: Any) -> Any:
        return self._made.matvec(x)

    def _matmat(self, X: Any) -> Any:
        return self._made.matmat(X)

    def _adjoint(self) -> LabelledOperator:
        return Combined(self._made.H, _adjoint, (self,))

    def _transpose(self) -> LabelledOperator:
        return Combined(self._made.T, operator.attrgetter("T"), (self,))


def _adjoint(matrix: sparse.csr_array) -> Any:
    return matrix.conj().T


def _matrix(part: Any) -> Any:
    """Return an operator as a sparse matrix, and a number as it is."""
    if not isinstance(part, LinearOperator):
        return part
    if not hasattr(part, "tocsr"):
        raise InputError(f"a {type(part).__name__} is no sparse matrix; S @ x applies the operator")
    return part.tocsr()
