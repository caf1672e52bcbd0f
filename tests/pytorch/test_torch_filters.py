"""Filters by Chebyshev polynomials against eigenvectors, and layers made of them."""

import networkx as nx
import numpy as np
import pytest
from scipy import linalg

import cellapse as cl

torch = pytest.importorskip("torch", reason="filters with gradients need the extra torch")

from torch.autograd import gradcheck  # noqa: E402

from cellapse.torch import (  # noqa: E402
    Collapse,
    CollapsedConv,
    GraphTransformer,
    heat,
    heat_kernel_signature,
    spectral_filter,
)

REALIZATIONS = ("unfolded", "incidence", "screened")
RNG = np.random.default_rng(0)


def karate():
    return cl.clique_complex(nx.karate_club_graph(), weight=None)


@pytest.mark.parametrize("realization", REALIZATIONS)
def test_heat_is_the_matrix_exponential(realization):
    S = cl.collapse(karate(), realization=realization)
    op = Collapse(karate(), realization=realization).operator()
    x = RNG.standard_normal((34, 2))
    for time in (0.0, 0.3, 20.0):
        given = heat(op, torch.from_numpy(x), time).detach().numpy()
        np.testing.assert_allclose(given, linalg.expm(-time * S.toarray()) @ x, atol=1e-7)


@pytest.mark.parametrize("realization", REALIZATIONS)
def test_signature_is_the_sum_over_eigenvectors(realization):
    times = [0.1, 1.0, 8.0]
    spectrum = cl.collapse(karate(), realization=realization).spectrum()
    expected = spectrum.vectors**2 @ np.exp(-np.outer(spectrum.values, times))
    op = Collapse(karate(), realization=realization).operator()
    given = heat_kernel_signature(op, times).detach().numpy()
    np.testing.assert_allclose(given, expected, atol=1e-7)


def test_a_filter_of_the_resolvent_equals_solve():
    op = Collapse(karate(), realization="unfolded").operator()
    x = torch.from_numpy(RNG.standard_normal(34))
    given = spectral_filter(op, x, lambda values: 1 / (1 + 0.4 * values), rtol=1e-11)
    torch.testing.assert_close(given, op.solve(x, 0.4), atol=1e-9, rtol=0)


def test_gradients_also_where_eigenvalues_meet():
    """A complete graph has one eigenvalue four times: eigenvectors have no derivative there."""
    K, x = cl.clique_complex(nx.complete_graph(5)), torch.from_numpy(RNG.standard_normal((5, 2)))
    layer = Collapse(K, realization="unfolded", eps=0.1, learn_weights=[1, 2])
    layer.gamma_share.data.mul_(0.0)  # the bound has a kink where all weights are equal

    def run(time, log_beta, *weights):
        values = {"log_beta": log_beta}
        values |= {f"log_weights.{k + 1}": w for k, w in enumerate(weights)}

        class Filtered(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = layer

            def forward(self, time):
                op = self.inner.operator()
                return heat(op, x, time).sum() + heat_kernel_signature(op, [0.5]).square().sum()

        named = {f"inner.{n}": v for n, v in values.items()}
        return torch.func.functional_call(Filtered(), named, (time,))

    time = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    values = [layer.log_beta, layer.log_weights["1"], layer.log_weights["2"]]
    assert gradcheck(run, (time, *[v.detach().clone().requires_grad_() for v in values]))


def test_without_edges_nothing_moves():
    op = Collapse(cl.clique_complex(nx.empty_graph(3)), realization="unfolded").operator()
    x = torch.tensor([1.0, 2.0, 3.0])
    torch.testing.assert_close(heat(op, x, 2.0), x)
    torch.testing.assert_close(op.solve(x, 2.0), x)
    torch.testing.assert_close(heat_kernel_signature(op, [1.0]), torch.ones(3, 1).double())


def test_bad_times_and_rough_functions_are_refused():
    op, x = Collapse(karate(), realization="unfolded").operator(), torch.ones(34)
    with pytest.raises(cl.InputError, match="0"):
        heat(op, x, -1.0)
    with pytest.raises(cl.InputError, match="tol"):
        heat(op, x, 1.0, rtol=2.0)
    with pytest.raises(cl.ConvergenceError, match="smoother"):
        spectral_filter(op, x, lambda values: (values > 1.0).double())


@pytest.mark.parametrize("filter_", ["polynomial", "resolvent"])
def test_convolution_by_hand(filter_):
    K, x = karate(), torch.from_numpy(RNG.standard_normal((34, 3)))
    op = Collapse(K, realization="unfolded").operator()
    conv = CollapsedConv(3, 2, filter=filter_, order=3).double()
    S = op.dense()
    if filter_ == "polynomial":
        T = 2 * S / op.norm - torch.eye(34)
        terms = [x, T @ x, 2 * T @ T @ x - x]
    else:
        terms = [x, torch.linalg.solve(torch.eye(34) + S, x)]
    expected = torch.cat(terms, 1) @ conv.linear.weight.T + conv.linear.bias
    torch.testing.assert_close(conv(x, op), expected)


def test_attention_by_hand():
    x = torch.from_numpy(RNG.standard_normal((34, 4)))
    op, block = (
        Collapse(karate(), realization="unfolded").operator(),
        GraphTransformer(4, heads=2).double(),
    )
    with torch.no_grad():
        block.bias.copy_(torch.tensor([0.5, 3.0]))
    q, k, v = block.qkv(block.norms[0](x)).split(4, dim=1)
    S = op.dense() / op.dense().diagonal().max()
    heads = []
    for h, part in enumerate((slice(0, 2), slice(2, 4))):
        scores = q[:, part] @ k[:, part].T / 2**0.5 - block.bias[h] * S
        heads.append(torch.softmax(scores, 1) @ v[:, part])
    y = x + block.out(torch.cat(heads, 1))
    torch.testing.assert_close(block(x, op), y + block.mlp(block.norms[1](y)))


@pytest.mark.parametrize(
    "layer",
    [CollapsedConv(4, 4), CollapsedConv(4, 4, filter="resolvent"), GraphTransformer(4, heads=2)],
)
def test_layers_follow_the_order_of_the_vertices_and_keep_complexes_apart(layer):
    graph = nx.karate_club_graph()
    order = RNG.permutation(34)
    moved = nx.relabel_nodes(graph, {v: i for i, v in enumerate(order)})
    shuffled = nx.empty_graph(34)
    shuffled.add_edges_from(moved.edges)
    K, L = cl.clique_complex(graph, weight=None), cl.clique_complex(shuffled)
    x = torch.from_numpy(RNG.standard_normal((34, 4))).float()
    alone = layer(x, Collapse(K, realization="unfolded").operator())
    permuted = layer(x[order], Collapse(L, realization="unfolded").operator())
    torch.testing.assert_close(permuted, alone[order], atol=1e-5, rtol=1e-4)
    hubs = cl.clique_complex(nx.complete_graph(40))  # with a norm of its own
    batch = torch.cat([x, torch.ones(40, 4)])
    both = layer(batch, Collapse([K, hubs], realization="unfolded").operator())
    torch.testing.assert_close(both[:34], alone, atol=1e-5, rtol=1e-4)


def test_bad_layers_are_refused():
    with pytest.raises(cl.InputError, match="polynomial"):
        CollapsedConv(2, 2, filter="other")
    with pytest.raises(cl.InputError, match="heads"):
        GraphTransformer(5, heads=2)
    with pytest.raises(cl.InputError, match="heads"):
        GraphTransformer(4, heads=0)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda c: heat(c, torch.ones(34), 1.0), "collapse.operator"),
        (lambda c: CollapsedConv(2, 2)(torch.ones(34, 2), c), "collapse.operator"),
        (lambda c: heat_kernel_signature(c.operator(), 1.0), "times"),
        (lambda c: heat(c.operator(), torch.ones(34).long(), 1.0), "floating"),
        (lambda c: heat(c.operator(), torch.ones(3), 1.0), "vertex"),
        (lambda c: spectral_filter(c.operator(), torch.ones(34), lambda v: 1.0), "tensor"),
        (lambda c: spectral_filter(c.operator(), torch.ones(34), lambda v: v.sum()), "tensor"),
        (
            lambda c: spectral_filter(c.operator(), torch.ones(34), lambda v: (v - 99).log()),
            "finite",
        ),
        (lambda c: CollapsedConv(1, 2)(torch.ones(34), c.operator()), "channels"),
        (lambda c: GraphTransformer(4, 2)(torch.ones(3, 4), c.operator()), "vertex"),
    ],
)
def test_bad_use_is_named(use, message):
    with pytest.raises(cl.InputError, match=message):
        use(Collapse(karate(), realization="unfolded"))


@pytest.mark.parametrize("times", [[0.5, 2.0], np.array([0.5, 2.0]), torch.tensor([0.5, 2.0])])
def test_times_of_any_kind(times):
    op = Collapse(karate(), realization="unfolded").operator()
    expected = heat_kernel_signature(op, (0.5, 2.0))
    torch.testing.assert_close(heat_kernel_signature(op, times), expected)
