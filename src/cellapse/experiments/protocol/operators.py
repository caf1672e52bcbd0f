"""The operators that every fair table compares, on the same complex, by one name each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from cellapse._collapse.collapsed import collapse
from cellapse._collapse.realizations import Mixed
from cellapse._complex.complex import Complex
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._operators.names import describe_operator, make_operator, operator_names


def mixed_collapse(K: Complex, eps: float = 1e-4, beta: float = 1.0) -> Operator:
    """Return the paper's operator with signed edges and unsigned faces, by dense matrices.

    With thousands of faces on a hundred vertices nothing is gained from their being sparse.
    """
    stacks = Mixed().stacks([K], (beta, 1.0)[: K.max_rank], None)
    ((T,),), *_ = stacks.collapsed(eps)
    kernel = None if stacks.kernel is None else stacks.kernel.csr
    return SparseOperator(T, K.labels, kernel, "mixed collapse")


_NAMED = ("laplacian", "multiorder", "motif", "unfolded", "screened", "renormalized")
FAIR: dict[str, Callable[[Complex], Operator]] = {
    **{name: partial(make_operator, operator=name) for name in _NAMED[:3]},
    "face-free": lambda K: collapse(K.skeleton(1), "unfolded"),
    "mixed": mixed_collapse,
    **{name: partial(make_operator, operator=name) for name in _NAMED[3:]},
}

WORDS = {
    "face-free": "The collapse of vertices and edges alone.",
    **{name: describe_operator(name) for name in FAIR if name in operator_names()},
}
