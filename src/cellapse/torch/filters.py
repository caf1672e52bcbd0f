r"""Spectral filters f(S) x with gradients, without eigenvectors.

Eigenvectors have no derivative where eigenvalues meet, and in symmetric complexes they meet all the
time. Functions of S do not mind: with T_j the Chebyshev polynomials and S' = 2 S / norm - I,

    f(S) x = sum_j a_j T_j(S') x,    a_j from f at Chebyshev nodes of [0, norm],

one application of S a term; heat kernels need about sqrt(time * norm) terms. The norm, an upper
bound of the spectrum, only scales the expansion and counts as a constant for gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from cellapse._errors import ConvergenceError, InputError
from cellapse._shared.checks import share
from cellapse.torch.collapsed import DifferentiableOperator, as_float64, checked_operator

_MAX_TERMS = 4096
_COLUMNS = 256  # of the identity, handled at once


def spectral_filter(
    operator: DifferentiableOperator,
    signal: Tensor,
    response: Callable[[Tensor], Tensor],
    *,
    rtol: float = 1e-8,
) -> Tensor:
    """Return a smooth function of S, applied to a signal.

    y = f(S) x, by a Chebyshev expansion of f.

    Parameters
    ----------
    operator : DifferentiableOperator
    signal : (n,) or (n, d) tensor
    response : callable
        From a tensor of eigenvalues to a tensor of the same shape; may hold learnable parameters.
    rtol : float
        Size of the terms that are left out, relative to the largest.

    Returns
    -------
    tensor of the shape of the signal

    Examples
    --------
    >>> from cellapse import Complex
    >>> from cellapse.torch import Collapse
    >>> edge = Collapse(Complex.from_arrays(2, {1: [[0, 1]]}), realization="screened").operator()
    >>> x = torch.tensor([1.0, -1.0])  # an eigenvector, of eigenvalue 0.2
    >>> spectral_filter(edge, x, lambda values: 1 / (1 + values)).detach().round(decimals=3)
    tensor([ 0.8330, -0.8330])
    """
    columns = checked_operator(operator).columns(signal)
    a = _coefficients(lambda values: _same_shape(response(values), values)[None], operator, rtol)[0]
    terms = zip(a, chebyshev(operator, columns, len(a), operator.norm), strict=True)
    filtered = sum((c * T for c, T in terms), torch.zeros_like(columns))
    return filtered.reshape(signal.shape).to(signal.dtype)


def heat(
    operator: DifferentiableOperator, signal: Tensor, time: float | Tensor, *, rtol: float = 1e-8
) -> Tensor:
    """Return the signal after heat has flowed for a while.

    x(t) = exp(-t S) x, with t the time.

    Parameters
    ----------
    operator : DifferentiableOperator
    signal : (n,) or (n, d) tensor
    time : float or tensor
        May be learned.
    rtol : float
        Size of the terms that are left out, relative to the largest.

    Returns
    -------
    tensor of the shape of the signal

    Examples
    --------
    >>> from cellapse import Complex
    >>> from cellapse.torch import Collapse
    >>> edge = Collapse(Complex.from_arrays(2, {1: [[0, 1]]}), realization="screened").operator()
    >>> heat(edge, torch.tensor([1.0, 0.0]), 1.0).detach().round(decimals=2)
    tensor([0.9100, 0.0900])
    """
    t = _times(operator, [time])[0]
    return spectral_filter(operator, signal, lambda values: torch.exp(-t * values), rtol=rtol)


def heat_kernel_signature(
    operator: DifferentiableOperator, times: Sequence[float] | Tensor, *, rtol: float = 1e-8
) -> Tensor:
    """Return the diagonals of exp(-t S), one column a time: how much heat stays at each vertex.

    Takes n applications of S a term, in blocks of columns: for graphs of up to some thousand
    vertices.

    h_t(v) = (exp(-t S))_vv.

    Parameters
    ----------
    operator : DifferentiableOperator
    times : numbers or tensor
        May be learned.
    rtol : float
        Size of the terms that are left out, relative to the largest.

    Returns
    -------
    (n, len(times)) float64 tensor

    Examples
    --------
    >>> from cellapse import Complex
    >>> from cellapse.torch import Collapse
    >>> edge = Collapse(Complex.from_arrays(2, {1: [[0, 1]]}), realization="screened").operator()
    >>> heat_kernel_signature(edge, [1.0]).detach().round(decimals=2).ravel()
    tensor([0.9100, 0.9100], dtype=torch.float64)
    """
    t = _times(operator, times)
    n = operator.shape[0]
    a = _coefficients(lambda values: torch.exp(-t[:, None] * values), operator, rtol)
    blocks = []
    eye = torch.eye(n, dtype=t.dtype, device=t.device)
    for columns in torch.split(eye, _COLUMNS, dim=1):
        diagonals = [
            (T * columns).sum(0) for T in chebyshev(operator, columns, a.shape[1], operator.norm)
        ]
        blocks.append(torch.stack(diagonals, 1) @ a.T)
    return torch.cat(blocks) if blocks else t.new_zeros(0, len(t))


def _same_shape(image: Any, values: Tensor) -> Tensor:
    if not isinstance(image, Tensor) or image.shape != values.shape:
        raise InputError(
            f"the response gave {image!r} for {len(values)} eigenvalues; it has to give a tensor "
            "of as many numbers"
        )
    return image


def _times(operator: DifferentiableOperator, times: Sequence[float | Tensor] | Tensor) -> Tensor:
    device = checked_operator(operator).owner.device
    if isinstance(times, list | tuple) and times:  # of numbers and tensors, which may be learned
        each = [as_float64(one, "times", device) for one in times]
        if any(one.ndim for one in each):
            raise InputError(f"times {times!r}; give finite numbers of at least 0")
        t = torch.stack(each)
    else:
        t = as_float64(times, "times", device)
    if t.ndim != 1 or not len(t) or not bool((torch.isfinite(t) & (t >= 0)).all()):
        raise InputError(f"times {times!r}; give finite numbers of at least 0")
    return t


def _coefficients(
    function: Callable[[Tensor], Tensor], operator: DifferentiableOperator, rtol: float
) -> Tensor:
    """Chebyshev coefficients of several functions (rows) on [0, norm], as many as needed.

    More and more nodes until the last quarter of the terms is negligible; differentiable in
    whatever the function holds.
    """
    rtol = share("rtol", rtol)
    norm, n_nodes = operator.norm, 16
    while n_nodes <= _MAX_TERMS:
        order = torch.arange(n_nodes, dtype=torch.float64, device=operator.owner.device)
        angle = (order + 0.5) * torch.pi / n_nodes
        values = function((torch.cos(angle) + 1.0) * norm / 2.0)
        if not bool(torch.isfinite(values).all()):
            raise InputError(f"the function is not finite on the spectrum, [0, {norm:.3g}]")
        a = 2.0 / n_nodes * values @ torch.cos(angle[:, None] * order)
        a = torch.cat([a[:, :1] / 2.0, a[:, 1:]], 1)
        size = a.detach().abs().amax(0)
        large = torch.nonzero(size > rtol * size.max())[:, 0]
        n_terms = int(large[-1]) + 1 if len(large) else 1
        if n_terms <= 3 * n_nodes // 4:
            return a[:, :n_terms]
        n_nodes *= 2
    raise ConvergenceError(
        f"a filter on [0, {norm:.3g}] needs more than {_MAX_TERMS} terms for rtol={rtol:g}; raise "
        "rtol, shorten the time, or use a smoother function"
    )


def chebyshev(
    operator: DifferentiableOperator, x: Tensor, count: int, norm: float | Tensor
) -> Iterator[Tensor]:
    """T_0(S') x, T_1(S') x, ... with S' = 2 S / norm - I: `count` terms.

    The norm is one number, or one at each vertex, the same within a complex.
    """
    size = torch.as_tensor(norm, dtype=x.dtype, device=x.device).reshape(-1, 1)
    scale = torch.where(size > 0, 2.0 / size, 0.0)
    last, T = x, x
    for j in range(count):
        if j:
            step = scale * (operator @ T) - T
            last, T = T, step if j == 1 else 2.0 * step - last
        yield T
