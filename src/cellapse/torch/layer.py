r"""`Collapse`: the collapsed effective operator as a layer with learnable weights.

    S = A - X (C + eps I)^-1 X^T

Its parameters are unconstrained, and S is positive semi-definite whatever their values:

    beta = exp(log_beta),  eps = exp(log_eps),  weight of a cell = its own * exp(log_weight),
    gamma = r(gamma_share) * the largest gamma allowed,

where r folds the real line into [0, 1], and the largest gamma is the bound of `thm:psd` or, for
gamma="regularized" and numbers, that of the regularized operator (see `bounds`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from cellapse._collapse.collapsed import CollapsedOperator, matrices_or_complex
from cellapse._collapse.collapsed import collapse as numpy_collapse
from cellapse._collapse.realizations import DEFAULT, Realization
from cellapse._collapse.weights import Unchecked
from cellapse._complex.complex import Complex
from cellapse._complex.labels import steady
from cellapse._errors import InputError
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse._shared.checks import listed, whole_number
from cellapse.torch.assembly import Assembly
from cellapse.torch.blueprint import Blueprint, blueprint
from cellapse.torch.collapsed import (
    BlockOperator,
    DifferentiableOperator,
    EdgewiseOperator,
    Values,
)
from cellapse.torch.structure import Structure
from cellapse.torch.weights import Logs, folded, largest_gamma, least_sigma


class Collapse(nn.Module):
    """The collapse of one complex, or of a batch of them, with gradients for every weight.

    Parameters
    ----------
    source : whatever `cellapse.collapse` takes, or list of Complex
        Several complexes form one block-diagonal operator.
    realization, beta, gamma, eps
        As for `cellapse.collapse`: where learning starts. Numbers for gamma fit one complex only.
    learn_weights : sequence of int
        The ranks whose cells get a learnable weight each.
    solver : Direct() or CG(...), optional
        `Direct()`, the default, factorizes on the CPU, wherever the tensors are; `CG(...)` iterates
        on their device.

    Attributes
    ----------
    log_beta, gamma_share, log_eps : parameters
    log_weights : parameters by rank, as text: `log_weights["1"]`

    Examples
    --------
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> layer = Collapse(K, realization="screened", learn_weights=[2])
    >>> x = torch.tensor([1.0, 0.0, -1.0])
    >>> layer(x)
    tensor([ 1.6500,  0.0000, -1.6500], grad_fn=...)
    >>> layer(x).square().sum().backward()
    >>> layer.log_weights["2"].grad.round(decimals=3)
    tensor([4.4550], dtype=torch.float64)
    """

    def __init__(
        self,
        source: Any,
        *,
        realization: str | Realization = DEFAULT,
        beta: float | Sequence[float] | None = None,
        gamma: Any = None,
        eps: float = 1e-4,
        learn_weights: Sequence[int] = (),
        solver: Direct | CG | None = None,
    ) -> None:
        super().__init__()
        if isinstance(gamma, Unchecked):
            raise InputError("Unchecked(gamma): learning stays within the bound; give gamma itself")
        if solver is not None and not isinstance(solver, Direct | CG):
            raise InputError(f"solver={solver!r}; give Direct() or CG(rtol=...)")
        several = isinstance(source, list | tuple) and any(isinstance(s, Complex) for s in source)
        self._sources = [matrices_or_complex(s) for s in (source if several else [source])]
        plans = [
            blueprint(s, realization=realization, beta=beta, gamma=gamma, eps=eps)
            for s in self._sources
        ]
        self._plans = plans
        self.realization = plans[0].realization
        self._asked = realization  # matrices have none of their own to ask for
        self.solver = solver or Direct()
        self._assembly = Assembly(Structure(plans))
        self.log_weights = nn.ParameterDict()
        self._begin(max(plans, key=lambda b: len(b.beta)), gamma)
        self._add_weights(learn_weights)

    def _begin(self, first: Blueprint, gamma: Any) -> None:
        """Parameters at the weights that were given; `first` has all ranks."""
        named = gamma is None or isinstance(gamma, str)
        edgewise = self.realization.edgewise
        if len(self._plans) > 1 and not named and not edgewise:
            raise InputError(
                f"gamma={gamma!r} for {len(self._plans)} complexes, whose bounds differ; "
                'give "bound" or "regularized"'
            )
        # What gamma is a share of: the bound, or all that eps pays for.
        self._plain_bound = named and gamma != "regularized" and not edgewise
        self.log_beta = nn.Parameter(torch.from_numpy(np.log(first.beta)))
        self.log_eps = nn.Parameter(torch.tensor(np.log(first.eps), dtype=torch.float64))
        self.gamma_share = nn.Parameter(torch.ones(len(first.gamma), dtype=torch.float64))
        if edgewise or not named:
            limit = self._largest_gamma(self._assembly.structure)[:, 0].detach()
            share = torch.from_numpy(first.gamma) / limit.where(limit > 0, 1.0)
            self.gamma_share.data.copy_(share.clamp(max=1.0))

    def __repr__(self) -> str:
        return f"Collapse({self.extra_repr()})"  # its tensors are nobody's business

    def extra_repr(self) -> str:
        structure = self._assembly.structure
        many = f", {structure.n_complexes} complexes" if structure.n_complexes > 1 else ""
        learned = "".join(f", weights of rank {k}" for k in self.log_weights)
        n_cells = tuple(len(structure.real(k)) for k in range(len(structure.n_cells)))
        return f"{self.realization}, {n_cells=}{many}{learned}"

    @property
    def beta(self) -> Tensor:
        """Adjacency weights beta_1..beta_K."""
        return self.log_beta.double().exp()

    @property
    def eps(self) -> Tensor:
        """Regularization."""
        return self.log_eps.double().exp()

    @property
    def gamma(self) -> Tensor:
        """Coupling weights, one row per rank and one column per complex (screened: theta)."""
        structure = self._assembly.structure
        return self._gamma(structure, self._logs(structure))

    def weights(self, rank: int) -> Tensor:
        """Return by how much learning has multiplied the weight of each cell of a rank."""
        structure = self._assembly.structure
        rank = whole_number("rank", rank, 0, len(structure.n_cells) - 1)
        if str(rank) in self.log_weights:
            return self.log_weights[str(rank)].exp()
        return self.log_eps.new_ones(len(structure.real(rank)))

    def blueprint(self, source: Any) -> Blueprint:
        """Prepare another complex for `operator(blueprints)`; small, and can be stored."""
        return blueprint(source, realization=self._asked)

    def operator(self, blueprints: Sequence[Blueprint] | None = None) -> DifferentiableOperator:
        """S at the present parameters; factorized once, however often it is applied.

        Parameters
        ----------
        blueprints : sequence of Blueprint, optional
            Other complexes than those given at the start, to share its beta, gamma and eps.
        """
        assembly = self._assembly
        if blueprints is not None:
            assembly = self._assembly_of(blueprints)
        structure = assembly.structure
        logs = self._logs(structure) if blueprints is None else [None] * len(structure.n_cells)
        gamma = self._gamma(structure, logs)
        now = Values(self.beta, gamma, self.eps, *structure.weighted(logs))
        if self.realization.edgewise:
            return EdgewiseOperator(assembly, now, self.solver)
        return BlockOperator(assembly, now, self.solver)

    def forward(self, x: Tensor, blueprints: Sequence[Blueprint] | None = None) -> Tensor:
        """S x, for one signal or many columns."""
        return self.operator(blueprints) @ x

    def solve(
        self, b: Tensor, strength: float | Tensor, blueprints: Sequence[Blueprint] | None = None
    ) -> Tensor:
        """Return the solution x of (I + strength S) x = b: b smoothed."""
        return self.operator(blueprints).solve(b, strength)

    def to_numpy(self) -> list[CollapsedOperator]:
        """Return what was learned, as operators of `cellapse.collapse`: one for each complex."""
        gamma, beta = self.gamma.detach().cpu().numpy(), self.beta.detach().cpu().numpy()
        return [
            numpy_collapse(
                _reweighted(source, self._factors(i)),
                self._asked,
                beta=beta[: len(plan.beta)].tolist(),
                gamma=gamma[: len(plan.gamma), i],
                eps=float(self.eps.detach()),
            )
            for i, (source, plan) in enumerate(zip(self._sources, self._plans, strict=True))
        ]

    def tighten(self) -> None:
        """Make the bound on gamma exact again, for the weights learned so far; gamma may grow."""
        structure = self._assembly.structure
        with torch.no_grad():
            kept = least_sigma(structure, self._logs(structure)) / structure.sigma
            for i, S in enumerate(self.to_numpy()):
                exact = torch.from_numpy(S.sigma).to(structure.sigma)
                finite = torch.isfinite(exact)
                structure.sigma[: len(exact), i][finite] = (exact / kept[: len(exact), i])[finite]

    def _add_weights(self, ranks: Sequence[int]) -> None:
        structure = self._assembly.structure
        for rank in listed(steady(ranks), "learn_weights"):
            whole_number("a rank of learn_weights", rank, 0, len(structure.n_cells) - 1)
            zeros = torch.zeros(len(structure.real(rank)), dtype=torch.float64)
            self.log_weights[str(rank)] = nn.Parameter(zeros)

    def _logs(self, structure: Structure) -> list[Tensor | None]:
        """Logarithms of the learned factors by rank; formal elements keep their weight."""
        logs: list[Tensor | None] = [None] * len(structure.n_cells)
        for name, log in self.log_weights.items():
            rank, values = int(name), log.double()
            padded = values.new_zeros(structure.n_cells[rank])
            logs[rank] = padded.index_copy(0, structure.real(rank), values)
        return logs

    def _factors(self, i: int) -> dict[int, np.ndarray]:
        """By how much the weights of complex i have been multiplied, for learned ranks."""
        structure, factors = self._assembly.structure, {}
        for name, log in self.log_weights.items():
            mine = structure.owner(int(name))[structure.real(int(name))] == i
            factors[int(name)] = log[mine].detach().double().exp().cpu().numpy()
        return factors

    def _gamma(self, structure: Structure, logs: Logs) -> Tensor:
        share = self.gamma_share.double()[: len(structure.sigma), None]
        return folded(share) * self._largest_gamma(structure, logs)

    def _largest_gamma(self, structure: Structure, logs: Logs = ()) -> Tensor:
        return largest_gamma(structure, logs, self.beta, None if self._plain_bound else self.eps)

    def _assembly_of(self, blueprints: Sequence[Blueprint]) -> Assembly:
        structure = Structure(blueprints)
        if structure.realization != self.realization or self.log_weights:
            raise InputError(
                f"{structure.realization} complexes for a {self.realization} layer"
                f"{' with weights of its own cells' if self.log_weights else ''}; prepare them "
                "with its method blueprint, and leave out learn_weights"
            )
        if len(structure.upper) >= len(self.log_beta):
            raise InputError(
                f"cells of rank {len(structure.upper) + 1} for a layer of ranks up to "
                f"{len(self.log_beta)}; make the layer with a complex that has all ranks"
            )
        return Assembly(structure).to(self.log_beta.device)


def _reweighted(source: Any, factors: dict[int, np.ndarray]) -> Any:
    """Return the source with the weights of its cells multiplied."""
    if not factors:
        return source
    if not isinstance(source, Complex):
        raise InputError(
            "learned weights of cells go back to numpy with a Complex only; make one, or scale "
            "the matrices with weights(rank)"
        )
    weights = {
        k: np.asarray(1.0 if w is None else w) * factors.get(k, np.ones(source.n_cells[k]))
        for k, w in enumerate(source.weights)
    }
    return replace(source, weights=tuple(weights.values()))
