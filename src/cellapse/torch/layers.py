"""Layers of graph networks on a collapsed operator; plain torch, for one or many complexes.

Both take the operator as an argument: `op = collapse.operator()` once per step, then every layer
uses its factorization.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from cellapse._errors import InputError
from cellapse._shared.checks import number, one_of, whole_number
from cellapse.torch.collapsed import DifferentiableOperator, checked_operator
from cellapse.torch.filters import chebyshev


class CollapsedConv(nn.Module):
    """A convolution by a filter of S.

    Polynomial: sum_j T_j(2 S / norm - I) x W_j. Resolvent: x W_0 + (I + s S)^-1 x W_1, which
    reaches as far as the strength s, a parameter, says.

    Parameters
    ----------
    in_channels, out_channels : int
    filter : {"polynomial", "resolvent"}
    order : int
        Number of terms of the polynomial.
    bias : bool

    Examples
    --------
    >>> from cellapse import Complex
    >>> from cellapse.torch import Collapse
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> conv = CollapsedConv(4, 2, filter="resolvent")
    >>> conv(torch.ones(3, 4), Collapse(K).operator()).shape
    torch.Size([3, 2])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        filter: str = "polynomial",
        order: int = 3,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.filter = one_of("filter", filter, ("polynomial", "resolvent"))
        self.order = whole_number("order", order, 1, 10**4) if filter == "polynomial" else 2
        in_channels = whole_number("in_channels", in_channels, 1, 10**6)
        out_channels = whole_number("out_channels", out_channels, 1, 10**6)
        self.in_channels = in_channels
        self.linear = nn.Linear(self.order * in_channels, out_channels, bias)
        self.log_strength = nn.Parameter(torch.zeros(())) if filter == "resolvent" else None

    def extra_repr(self) -> str:
        return f"{self.filter}, order={self.order}"

    def forward(self, x: Tensor, operator: DifferentiableOperator) -> Tensor:
        """Return features of the vertices, filtered and mixed."""
        columns = _features(x, operator, self.in_channels)
        if self.log_strength is None:
            norm = operator.norms[operator.owner]  # of its own complex: batches change nothing
            terms = [T.to(x.dtype) for T in chebyshev(operator, columns, self.order, norm)]
        else:
            terms = [x, operator.solve(x, self.log_strength.exp())]
        return self.linear(torch.cat(terms, dim=1))


class GraphTransformer(nn.Module):
    """A transformer block whose attention knows S: softmax(Q K^T / sqrt(d) - a_h S').

    S' is S over the largest diagonal entry of the complex, a_h a learnable number for each head;
    vertices of different complexes do not attend to each other. Quadratic in the vertices.

    Parameters
    ----------
    channels : int
        A multiple of `heads`.
    heads : int
    dropout : float

    Examples
    --------
    >>> from cellapse import Complex
    >>> from cellapse.torch import Collapse
    >>> op = Collapse(Complex.from_arrays(3, {1: [[0, 1], [1, 2]]})).operator()
    >>> GraphTransformer(8, heads=2)(torch.ones(3, 8), op).shape
    torch.Size([3, 8])
    """

    def __init__(self, channels: int, heads: int = 4, dropout: float = 0.0) -> None:
        super().__init__()
        channels = whole_number("channels", channels, 1, 10**5)
        dropout = number("dropout", dropout, "a number from 0 to 1", lambda x: 0 <= x <= 1)
        if channels % whole_number("heads", heads, 1):
            raise InputError(f"channels={channels} for heads={heads}; give a multiple of heads")
        self.heads, self.channels = heads, channels
        self.qkv = nn.Linear(channels, 3 * channels)
        self.out = nn.Linear(channels, channels)
        self.bias = nn.Parameter(torch.ones(heads))
        self.norms = nn.ModuleList([nn.LayerNorm(channels), nn.LayerNorm(channels)])
        self.mlp = nn.Sequential(
            nn.Linear(channels, 2 * channels), nn.GELU(), nn.Linear(2 * channels, channels)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, operator: DifferentiableOperator) -> Tensor:
        """Return features after attention and a small network, each with a residual."""
        _features(x, operator, self.channels)
        S = operator.dense()
        largest = operator.largest(S.diagonal()).clamp_min(1e-12)[operator.owner]
        S = (S / largest[:, None]).to(x.dtype)
        separate = operator.owner[:, None] != operator.owner[None, :]
        bias = (-self.bias[:, None, None] * S).masked_fill(separate, -torch.inf)
        q, k, v = self.qkv(self.norms[0](x)).view(len(x), 3, self.heads, -1).permute(1, 2, 0, 3)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = x + self.dropout(self.out(mixed.transpose(0, 1).reshape(x.shape)))
        return x + self.dropout(self.mlp(self.norms[1](x)))


def _features(x: Tensor, operator: DifferentiableOperator, channels: int) -> Tensor:
    """Return the features in float64; anything but one row for each vertex is refused."""
    columns = checked_operator(operator).columns(x)
    if x.ndim != 2 or x.shape[1] != channels:
        raise InputError(
            f"features of shape {tuple(x.shape)}; give (vertices, channels), here {channels} of "
            "them"
        )
    return columns
