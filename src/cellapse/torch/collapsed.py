r"""The collapsed operator at one setting of its parameters: apply and solve, with gradients.

Everything is computed in float64 and handed back in the dtype of the input: masses as small as eps
beside cells of weight one leave few digits to float32.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import torch
from torch import Tensor

from cellapse._errors import InputError
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse._shared.card import Card, Shown, few
from cellapse._shared.pictures import bars
from cellapse.torch.assembly import Assembly
from cellapse.torch.realizations import edge_numbers
from cellapse.torch.system import System


class Values(NamedTuple):
    """What the parameters of a layer come to."""

    beta: Tensor
    gamma: Tensor
    eps: Tensor
    edges: Tensor  # the entries of B_1
    upper: list[Tensor]  # and of the matrices above it


class DifferentiableOperator(Shown):
    """S on the vertices of all complexes; made by `Collapse.operator`.

    `op @ x` and `op.solve(b, strength)` share one factorization, also in the backward pass: make
    the operator once per step and use it as often as needed.

    Attributes
    ----------
    shape : (n, n)
    norms : (n_complexes,) tensor
        An upper bound of the largest eigenvalue of each complex.
    norm : float
        The largest of them.
    owner : (n,) tensor
        Which of the complexes each vertex belongs to.

    Examples
    --------
    >>> from cellapse import Complex
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> from cellapse.torch import Collapse
    >>> op = Collapse(K).operator()
    >>> op.shape, (op @ torch.ones(3, dtype=torch.float64)).abs().max().item() < 1e-9
    ((3, 3), True)
    """

    def __init__(self, assembly: Assembly, beta: Tensor, edges: Tensor) -> None:
        self._assembly, self._beta, self._edges = assembly, beta, edges
        self.shape = (assembly.n, assembly.n)
        self.owner = assembly.structure.owner(0)

    def __repr__(self) -> str:
        structure = self._assembly.structure
        return f"<{type(self).__name__} {structure.realization} on {self.shape[0]} vertices>"

    def _card(self) -> Card:
        norms = self.norms.detach().tolist()
        rows = (("complexes", f"{len(norms):,}"), ("norms", few(norms)))
        calls = (
            ("op @ x", "applies it, with gradients"),
            ("op.solve(b, strength)", "solves with it, with gradients"),
        )
        return Card(repr(self).strip("<>"), rows, lambda: bars(norms), calls)

    def __matmul__(self, x: Tensor) -> Tensor:
        columns = self.columns(x)
        return self._apply(columns).reshape(x.shape).to(x.dtype)

    def solve(self, b: Tensor, strength: float | Tensor) -> Tensor:
        """Return the solution x of (I + strength S) x = b."""
        s = as_float64(strength, "strength", self._edges.device)
        if s.ndim or (not s.is_meta and not bool(s > 0)):
            raise InputError(f"strength={strength!r}; give one positive number")
        return self._solve(self.columns(b), s).reshape(b.shape).to(b.dtype)

    def dense(self) -> Tensor:
        """Return S as a dense float64 matrix."""
        return self @ torch.eye(self.shape[0], dtype=torch.float64, device=self._edges.device)

    def columns(self, x: Tensor) -> Tensor:
        """Signals of the vertices as columns of float64, checked."""
        if not isinstance(x, Tensor):
            raise InputError(
                f"a {type(x).__name__}; give a torch tensor with a row for each vertex"
            )
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[0]:
            raise InputError(
                f"a tensor of shape {tuple(x.shape)} for an operator on {self.shape[0]} vertices; "
                "give one row for each vertex"
            )
        if not x.is_floating_point():
            raise InputError(f"a tensor of {x.dtype}; give floating point numbers: x.float()")
        return x.double().reshape(x.shape[0], -1)

    @cached_property
    def norms(self) -> Tensor:
        B, values = self._assembly.structure.edges, self._edges.detach().abs()
        ones = values.new_ones(self.shape[0], 1)
        rows = B.matmul(values, B.rmatmul(values, ones))[:, 0]
        return self._beta[0].detach() * self.largest(rows)

    @property
    def norm(self) -> float:
        return float(self.norms.max())

    def largest(self, values: Tensor) -> Tensor:
        """Return the largest of the values (at least 0) at the vertices of each complex."""
        largest = values.new_zeros(self._assembly.structure.n_complexes)
        return largest.scatter_reduce(0, self.owner, values, "amax")

    def _apply(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _solve(self, b: Tensor, s: Tensor) -> Tensor:
        raise NotImplementedError


def as_float64(value: Any, name: str, device: torch.device) -> Tensor:
    """Return numbers, or a tensor that may be learned, as a tensor of float64."""
    try:
        return torch.as_tensor(value, dtype=torch.float64, device=device)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise InputError(f"{name}={value!r:.80} cannot be read as numbers ({error})") from None


def checked_operator(operator: Any) -> DifferentiableOperator:
    """Return the operator itself; whoever gives the layer learns what to give."""
    if not isinstance(operator, DifferentiableOperator):
        raise InputError(
            f"a {type(operator).__name__} as operator; make one with `collapse.operator()`"
        )
    return operator


class BlockOperator(DifferentiableOperator):
    """S = beta B B^T - c (I - K^-1): every realization that is not edgewise."""

    def __init__(self, assembly: Assembly, now: Values, solver: Direct | CG) -> None:
        super().__init__(assembly, now.beta, now.edges)
        structure, (beta, gamma, eps, edges, upper) = assembly.structure, now
        mass = edge_numbers(structure, upper, beta, gamma, eps)
        if mass is None:
            mass = eps.expand(structure.n_cells[1]) if structure.diagonal else eps
        self._gamma, self._solver = gamma, solver
        self._entries = assembly.entries_to_apply(edges, upper, mass, beta, gamma)

    @cached_property
    def _system(self) -> System:
        pattern = self._assembly.apply_pattern
        return System(pattern, pattern.gather(self._entries), self._solver)

    def _apply(self, x: Tensor) -> Tensor:
        B, n = self._assembly.structure.edges, self.shape[0]
        A_x = self._beta[0] * B.matmul(self._edges, B.rmatmul(self._edges, x))
        head = -x / self._beta[0]
        rest = x.new_zeros(self._assembly.n_inner, x.shape[1])
        v = self._system.solve(torch.cat([head, rest]))[:n]
        c = (self._gamma[0] ** 2 / self._beta[0])[self.owner]
        return A_x - c[:, None] * (x - v)

    def _solve(self, b: Tensor, s: Tensor) -> Tensor:
        assembly, n = self._assembly, self.shape[0]
        entries = assembly.entries_to_solve(self._edges, self._entries, self._beta, self._gamma, s)
        pattern = assembly.solve_pattern
        c = self._gamma[0] ** 2 / self._beta[0]
        # Past this strength the first block is indefinite, though the whole is as regular as ever.
        pivot = not b.is_meta and bool((s * c >= 0.99).any())
        system = System(pattern, pattern.gather(entries), self._solver, pivot)
        rest = b.new_zeros(n + assembly.n_inner, b.shape[1])
        return system.solve(torch.cat([b / s, rest]))[:n]


class EdgewiseOperator(DifferentiableOperator):
    """S = beta B diag(shares) B^T."""

    def __init__(self, assembly: Assembly, now: Values, solver: Direct | CG) -> None:
        super().__init__(assembly, now.beta, now.edges)
        self._solver = solver
        shares = edge_numbers(assembly.structure, now.upper, now.beta, now.gamma, now.eps)
        assert shares is not None
        self.shares = shares

    def _apply(self, x: Tensor) -> Tensor:
        B = self._assembly.structure.edges
        flow = (self._beta[0] * self.shares)[:, None] * B.rmatmul(self._edges, x)
        return B.matmul(self._edges, flow)

    def _solve(self, b: Tensor, s: Tensor) -> Tensor:
        assembly, pairs = self._assembly, self._assembly.edge_pairs
        B = assembly.structure.edges
        share = (self._beta[0] * self.shares)[B.columns][pairs.first]
        pattern = assembly.solve_pattern
        ones = b.new_ones(self.shape[0])
        values = pattern.gather([ones, s * share * pairs.products(self._edges)])
        return System(pattern, values, self._solver).solve(b)
