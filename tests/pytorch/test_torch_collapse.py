"""The differentiable collapse: equal to the numpy one, with gradients that differences confirm."""

import copy
import io
import pickle
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from everyday import everyday
from hypothesis import given, settings
from oracles import is_psd
from strategies import REALIZATIONS, operators, punctured, rebuilt

import cellapse as cl

torch = pytest.importorskip("torch", reason="the differentiable collapse needs the extra torch")

from torch.autograd import gradcheck  # noqa: E402
from torch.func import functional_call  # noqa: E402

from cellapse.torch import Collapse  # noqa: E402

CASES = [*REALIZATIONS, cl.Screened(rounds=3)]
RNG = np.random.default_rng(0)


def small(max_rank=3):
    """A complex with faces, with edges that close none and with weights."""
    K = punctured(cl.clique_complex(nx.gnp_random_graph(7, 0.7, seed=4), max_rank), 3)
    return rebuilt(K, weights={1: RNG.uniform(0.5, 2.0, K.n_cells[1])})


def signal(n, d=2):
    return torch.from_numpy(RNG.standard_normal((n, d)))


def layer_like(S, **options):
    """The layer with the weights of an operator."""
    return Collapse(
        S.source, realization=S.realization, beta=S.beta, gamma=S.gamma, eps=S.eps, **options
    )


@given(S=operators(realizations=REALIZATIONS[:-1]))
def test_equals_the_numpy_operator(S):
    x = signal(S.shape[0])
    given = (layer_like(S)(x)).detach().numpy()
    assert np.abs(given - S @ x.numpy()).max() <= 1e-10 * max(abs(S.A).sum(axis=1).max(), 1.0)


@given(S=operators(realizations=("screened",), gamma=("bound",)))
@settings(max_examples=20)
def test_screened_equals_the_numpy_operator_for_any_renormalization(S):
    for rounds in (0, 1, 4):
        options = {"realization": cl.Screened(rounds=rounds), "beta": S.beta, "gamma": 0.9}
        expected = cl.collapse(S.source, **options).toarray()
        given = Collapse(S.source, **options).operator().dense().detach().numpy()
        np.testing.assert_allclose(given, expected, atol=1e-12 * max(abs(expected).max(), 1.0))


@pytest.mark.parametrize(
    ("eps", "solver"),
    [(1e-8, cl.Direct()), (1e-4, cl.Direct()), (1.0, cl.Direct()), (1e-4, cl.CG(rtol=1e-13))],
)
@pytest.mark.parametrize("realization", CASES, ids=str)
def test_solve_inverts_the_shifted_operator(realization, eps, solver):
    K = small()
    options = {"realization": realization, "eps": eps}
    S, b = cl.collapse(K, **options).toarray(), signal(7)
    layer = Collapse(K, **options, solver=solver)
    for strength in (0.2, 30.0):  # below and above the point where pivots are needed
        expected = np.linalg.solve(np.eye(7) + strength * S, b.numpy())
        given = layer.solve(b, strength).detach().numpy()
        np.testing.assert_allclose(given, expected, atol=1e-10)


@pytest.mark.parametrize("clique", [2, 3])
def test_solve_survives_a_pivot_that_vanishes(clique):
    """1 / strength = c: the block of an isolated vertex is zero; at c / 2 that of an edge is."""
    K = cl.clique_complex(nx.disjoint_union(nx.complete_graph(clique), nx.empty_graph(1)))
    layer, n = Collapse(K, realization="unfolded"), clique + 1
    c = float((layer.gamma[0, 0] ** 2 / layer.beta[0]).detach())
    for share in (1.0, 1.0 + 1e-14, 1.0 - 1e-14, 2.0, 1e4):
        b = signal(n)
        inverse = np.linalg.inv(np.eye(n) + share / c * cl.collapse(K, "unfolded").toarray())
        given = layer.solve(b, share / c).detach().numpy()
        np.testing.assert_allclose(given, inverse @ b.numpy(), atol=1e-10)


@pytest.mark.parametrize("realization", REALIZATIONS[:-1])
def test_the_bound_holds_whatever_the_weights(realization):
    K = small()
    layer = Collapse(K, realization=realization, learn_weights=range(K.max_rank + 1))
    for _ in range(3):
        with torch.no_grad():
            for log in layer.log_weights.values():
                log.copy_(torch.from_numpy(RNG.standard_normal(len(log))))
        S = layer.to_numpy()[0]  # which refuses what lies beyond
        assert (layer.gamma[:, 0].detach().numpy() <= S.bound * (1 + 1e-9)).all()
    with torch.no_grad():  # and is exact where all cells of a rank grow or shrink alike
        for rank, log in layer.log_weights.items():
            log.fill_(1.0 - int(rank))
    S, finite = layer.to_numpy()[0], np.isfinite(layer.to_numpy()[0].bound)
    np.testing.assert_allclose(layer.gamma[:, 0].detach()[finite], S.bound[finite], rtol=1e-8)


def gradients_hold(layer, x, strength, **options):
    """Whether differences confirm the gradients of both ways, in x, strength and all parameters."""
    with torch.no_grad():  # away from ties between weights, where a bound has a kink
        layer.gamma_share.mul_(0.8)
        for log in layer.log_weights.values():
            log.copy_(0.3 * torch.from_numpy(RNG.standard_normal(len(log))))
    names = [name for name, _ in layer.named_parameters()]
    values = [p.detach().clone().requires_grad_() for _, p in layer.named_parameters()]

    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = layer

        def forward(self, x, strength):
            op = self.inner.operator()
            return torch.cat([op @ x, op.solve(x, strength)])

    def run(x, strength, *values):
        renamed = {f"inner.{n}": v for n, v in zip(names, values, strict=True)}
        return functional_call(Both(), renamed, (x, strength))

    strength = torch.tensor(strength, dtype=torch.float64, requires_grad=True)
    return gradcheck(run, (x.requires_grad_(), strength, *values), **options)


@pytest.mark.parametrize("gamma", everyday((None, "regularized"), quick=("regularized",)))
@pytest.mark.parametrize("realization", CASES, ids=str)
def test_gradcheck_of_every_parameter(realization, gamma):
    options = {"realization": realization, "gamma": gamma, "eps": 0.02}
    layer = Collapse(small(2), **options, learn_weights=(0, 1, 2))
    names = {"log_beta", "gamma_share", "log_eps", *(f"log_weights.{k}" for k in range(3))}
    assert {name for name, _ in layer.named_parameters()} == names
    # Entry by entry for one strength, along random directions for the other: five times as quick.
    assert gradients_hold(layer, signal(7, 1), 1.3, fast_mode=gamma is not None)


@pytest.mark.parametrize("solver", everyday((cl.Direct(), cl.CG(rtol=1e-13)), quick=(cl.Direct(),)))
@pytest.mark.parametrize("realization", CASES, ids=str)
def test_gradcheck_of_a_batch_with_three_ranks_and_a_strength_that_needs_pivots(
    realization, solver
):
    batch = [small(), cl.clique_complex(nx.path_graph(3), 1), cl.clique_complex(nx.empty_graph(1))]
    options = {"realization": realization, "eps": 0.02, "solver": solver}
    layer = Collapse(batch, **options, learn_weights=range(4))
    assert layer.log_weights["3"].numel()
    assert gradients_hold(layer, signal(11, 1), 30.0, fast_mode=True)


def test_gradcheck_where_gamma_starts_at_numbers():
    K = small(2)
    layer = Collapse(
        K,
        realization="unfolded",
        gamma=0.5 * cl.collapse(K, "unfolded").bound,
        eps=0.02,
        learn_weights=(1, 2),
    )
    assert gradients_hold(layer, signal(7, 1), 1.3, fast_mode=True)


def test_where_all_weights_are_equal_the_bound_shares_its_gradient_among_them():
    """Scaling all weights of the edges by t scales sigma by t^1/2: the shares add up to 1/2."""
    layer = Collapse(small(), realization="unfolded", learn_weights=[1])
    (grad,) = torch.autograd.grad(layer.gamma[0, 0].log(), layer.log_weights["1"])
    torch.testing.assert_close(grad, torch.full_like(grad, 0.5 / len(grad)))


def test_gradients_of_conjugate_gradients_equal_those_of_the_factorization():
    K, x = small(2), signal(7)
    for realization in REALIZATIONS:
        found = []
        for solver in (cl.Direct(), cl.CG(rtol=1e-13)):
            layer = Collapse(K, realization=realization, eps=0.01, learn_weights=[1], solver=solver)
            (layer(x).square().sum() + layer.solve(x, 0.5).square().sum()).backward()
            found.append(torch.cat([p.grad.reshape(-1) for p in layer.parameters()]))
        torch.testing.assert_close(*found, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("realization", CASES, ids=str)
def test_a_batch_is_block_diagonal(realization):
    complexes = [
        small(),
        cl.clique_complex(nx.path_graph(4), 1),
        cl.clique_complex(nx.empty_graph(2)),
        cl.clique_complex(nx.complete_graph(4), 2),
    ]
    options = {"realization": realization}
    layer = Collapse(complexes, **options)
    x = signal(sum(K.n_vertices for K in complexes))
    whole, solved, start = layer(x), layer.solve(x, 2.0), 0
    for K in complexes:
        own, part = cl.collapse(K, **options), slice(start, start + K.n_vertices)
        start += K.n_vertices
        np.testing.assert_allclose(whole[part].detach(), own @ x[part].numpy(), atol=1e-12)
        inverse = np.linalg.inv(np.eye(K.n_vertices) + 2.0 * own.toarray())
        np.testing.assert_allclose(solved[part].detach(), inverse @ x[part].numpy(), atol=1e-12)


def test_other_complexes_share_the_parameters():
    layer = Collapse(small(), realization="unfolded", eps=0.01)
    with torch.no_grad():
        layer.log_beta.add_(0.3)
        layer.gamma_share.mul_(0.7)
    other = cl.clique_complex(nx.cycle_graph(5))
    op = layer.operator([layer.blueprint(other), layer.blueprint(other)])
    bound = cl.collapse(other, "unfolded", eps=0.01, beta=layer.beta[:2].tolist()).gamma
    expected = cl.collapse(
        other, "unfolded", eps=0.01, beta=layer.beta[:2].tolist(), gamma=0.7 * bound
    )
    np.testing.assert_allclose(op.dense()[5:, 5:].detach(), expected.toarray(), atol=1e-12)
    assert op.owner.tolist() == [0] * 5 + [1] * 5


@given(S=operators(gamma=("bound", "regularized")))
@settings(max_examples=25)
def test_positive_semidefinite_whatever_the_parameters(S):
    for gamma in ("bound", "regularized"):
        layer = Collapse(
            S.source, realization=S.realization, gamma=gamma, eps=0.01,
            learn_weights=range(S.source.max_rank + 1),
        )  # fmt: skip
        with torch.no_grad():
            for p in layer.parameters():
                p.add_(2.0 * torch.from_numpy(RNG.standard_normal(tuple(p.shape))))
        op = layer.operator()
        assert is_psd(op.dense().detach().numpy(), scale=max(op.norm, 1e-300))


@pytest.mark.parametrize("realization", CASES, ids=str)
def test_what_was_learned_goes_back_to_numpy_and_the_bound_can_be_tightened(realization):
    K = small()
    layer = Collapse([K, K], realization=realization, learn_weights=range(K.max_rank + 1))
    with torch.no_grad():
        for p in layer.parameters():
            p.add_(0.3 * torch.from_numpy(RNG.standard_normal(tuple(p.shape))))
    for tightened in (False, True):
        if tightened:
            before = layer.gamma
            layer.tighten()
            assert (layer.gamma >= before * (1 - 1e-9)).all()
        dense = layer.operator().dense().detach().numpy()
        for i, S in enumerate(layer.to_numpy()):
            part = slice(7 * i, 7 * i + 7)
            np.testing.assert_allclose(dense[part, part], S.toarray(), atol=1e-10)
            if tightened and not S.realization.edgewise and realization != "boundary":
                share = layer.gamma[:, i].detach().numpy() / S.bound
                finite = np.isfinite(S.bound)
                assert np.allclose(share[finite], _folded(layer.gamma_share)[finite], rtol=1e-6)


def _folded(share):
    t = np.abs(share.detach().numpy()) % 2
    return np.where(t <= 1, t, 2 - t)


def test_float32_in_float32_out_and_one_column_stays_one():
    layer, x = Collapse(small(), realization="unfolded"), signal(7, 1)[:, 0]
    y = layer(x.float())
    assert y.dtype == torch.float32
    assert y.shape == (7,)
    torch.testing.assert_close(y, layer(x).float(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("realization", CASES, ids=str)
def test_in_float32_what_was_learned_still_goes_back_to_numpy(realization):
    """Parameters are rounded then, matrices and bounds are not."""
    gamma = None if realization == "screened" else "regularized"
    options = {"realization": realization, "gamma": gamma}
    K = small()
    layer = Collapse(K, **options, learn_weights=[1]).float()
    x = signal(7).float()
    layer.solve(x, 0.7).square().sum().backward()
    assert {p.grad.dtype for p in layer.parameters()} == {torch.float32}
    dense = layer.operator().dense().detach().numpy()
    np.testing.assert_allclose(dense, layer.to_numpy()[0].toarray(), atol=1e-10)
    same = Collapse(K, **options, learn_weights=[1]).operator().dense()
    np.testing.assert_allclose(dense, same.detach().numpy(), atol=1e-5)


def test_a_layer_is_saved_loaded_and_copied_with_its_tightened_bound():
    K = small()
    layer = Collapse(K, realization="unfolded", learn_weights=[1, 2])
    with torch.no_grad():
        for p in layer.parameters():
            p.add_(0.3 * torch.from_numpy(RNG.standard_normal(tuple(p.shape))))
    layer.tighten()
    expected = layer.operator().dense()
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    loaded = Collapse(K, realization="unfolded", learn_weights=[1, 2])
    loaded.load_state_dict(torch.load(file))
    for twin in (loaded, copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        torch.testing.assert_close(twin.operator().dense(), expected, rtol=1e-13, atol=1e-13)
    assert K.n_cells == pickle.loads(pickle.dumps(layer.blueprint(K))).n_cells
    ranks = "weights of rank 1, weights of rank 2"
    assert repr(layer) == f"Collapse(unfolded, n_cells={K.n_cells}, {ranks})"
    assert repr(layer.operator()) == "<BlockOperator unfolded on 7 vertices>"


def test_gradients_only_where_they_are_asked_for():
    layer, x = (
        Collapse(small(), realization="unfolded", learn_weights=[1]),
        signal(7).requires_grad_(),
    )
    with torch.no_grad():
        assert not layer(x).requires_grad
    with torch.inference_mode():
        assert not layer.solve(x.detach(), 0.5).requires_grad
    y = layer.solve(x, 0.5).sum()
    y.backward(retain_graph=True)
    first = x.grad.clone()
    y.backward()
    torch.testing.assert_close(x.grad, 2 * first)
    layer.zero_grad()
    fixed = layer.requires_grad_(False)
    fixed.solve(x, 0.5).sum().backward()
    torch.testing.assert_close(x.grad, 3 * first)
    assert all(p.grad is None for p in layer.parameters())


@pytest.mark.parametrize("realization", REALIZATIONS)
def test_training_lowers_a_loss_through_every_parameter(realization):
    """A signal smoothed by another operator of the same family is matched better and better."""
    K, x = small(2), signal(7, 3)
    target = Collapse(K, realization=realization, eps=0.3, beta=2.0).solve(x, 1.0).detach()
    layer = Collapse(K, realization=realization, eps=0.01, learn_weights=(1, 2))
    start = {n: p.detach().clone() for n, p in layer.named_parameters()}
    optimizer, losses = torch.optim.Adam(layer.parameters(), lr=0.05), []
    for _ in range(60):
        optimizer.zero_grad()
        loss = (layer.solve(x, 1.0) - target).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.1 * losses[0]
    moved = {n for n, p in layer.named_parameters() if not torch.equal(p, start[n])}
    expected = set(start) - ({"log_weights.2"} if realization == "boundary" else set())
    assert moved == expected


def test_second_derivatives_are_refused_with_a_reason():
    layer, x = Collapse(small(), realization="unfolded"), signal(7).requires_grad_()
    (first,) = torch.autograd.grad(layer(x).square().sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


def test_the_factorization_is_made_once(monkeypatch):
    calls = []
    prepare = cl.Direct.prepare
    monkeypatch.setattr(cl.Direct, "prepare", lambda self, M: calls.append(1) or prepare(self, M))
    op, x = Collapse(small(), realization="unfolded").operator(), signal(7)
    calls.clear()
    (op @ (op @ x)).square().sum().backward()
    assert len(calls) == 1


def test_meta_tensors_pass_through():
    for realization in REALIZATIONS:
        layer = Collapse(small(), realization=realization).to("meta")
        x = torch.empty(7, 2, device="meta")
        assert layer(x).shape == (7, 2)
        assert layer.solve(x, 0.5).device.type == "meta"


@pytest.mark.slow
def test_compiled_it_gives_the_same():
    """With a break of the graph at the factorization; the eager backend needs no C++ compiler."""
    layer, x = Collapse(small(), realization="unfolded", learn_weights=[1]), signal(7)
    compiled = torch.compile(layer, backend="eager")
    torch.testing.assert_close(compiled(x), layer(x))
    compiled(x).square().sum().backward()
    assert layer.log_weights["1"].grad.abs().max() > 0


def test_matrices_of_other_libraries():
    K = cl.clique_complex(nx.complete_graph(4), 2)
    B, x = list(cl.incidence_matrices(K)), signal(4)
    given = Collapse(B)(x).detach().numpy()
    np.testing.assert_allclose(given, cl.collapse(B) @ x.numpy(), atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eps": 0.0}, "positive"),
        ({"beta": 0.0, "gamma": 0.0}, "positive"),
        ({"gamma": 100.0}, "PSD"),
        ({"gamma": cl.Unchecked(2.0)}, "within"),
        ({"learn_weights": [9]}, "learn_weights"),
        ({"learn_weights": 1}, "learn_weights.*1"),
        ({"solver": "cg"}, "Direct"),
        ({"realization": "other"}, "choose"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(cl.InputError, match=message):
        Collapse(small(), **options)


def test_bad_tensors_are_named():
    op = Collapse(small(), realization="unfolded").operator()
    with pytest.raises(cl.InputError, match="row"):
        op @ torch.ones(3)
    with pytest.raises(cl.InputError, match="float"):
        op @ torch.ones(7, dtype=torch.int64)
    with pytest.raises(cl.InputError, match="tensor"):
        op @ np.ones(7)
    for strength in (0.0, -1.0, float("nan")):
        with pytest.raises(cl.InputError, match="positive"):
            op.solve(torch.ones(7), strength)


def test_complexes_that_do_not_fit_are_refused():
    K = small()
    with pytest.raises(cl.InputError, match="to_undirected"):
        Collapse(nx.DiGraph([(0, 1)]), realization="unfolded")
    graph = Collapse(nx.path_graph(3), realization="unfolded")(torch.ones(3, dtype=torch.float64))
    assert abs(graph).max() < 1e-12  # lifted to its cliques
    with pytest.raises(cl.InputError, match="bounds"):
        Collapse([K, K], realization="unfolded", gamma=0.01)
    layer = Collapse(cl.clique_complex(nx.path_graph(3), 1), realization="unfolded")
    with pytest.raises(cl.InputError, match="1"):
        layer.operator([layer.blueprint(K)])
    weighted = Collapse(K, realization="unfolded", learn_weights=[1])
    with pytest.raises(cl.InputError, match="learn_weights"):
        weighted.operator([weighted.blueprint(K)])
    with pytest.raises(cl.InputError, match="screened"):
        layer.operator([Collapse(K, realization="screened").blueprint(K)])
    with pytest.raises(cl.InputError, match="complex"):
        layer.operator([])


@pytest.mark.parametrize("rtol", [1e-4, 1e-7, 1e-10])
@pytest.mark.parametrize("realization", ["unfolded", "screened"])
def test_conjugate_gradients_are_as_accurate_as_asked(realization, rtol):
    K, x = cl.clique_complex(nx.random_geometric_graph(120, 0.18, seed=0)), signal(120)
    exact = Collapse(K, realization=realization).solve(x, 3.0)
    given = Collapse(K, realization=realization, solver=cl.CG(rtol=rtol)).solve(x, 3.0)
    error = float(((given - exact).norm() / exact.norm()).detach())
    assert 1e-3 * rtol < error < 10 * rtol


def test_conjugate_gradients_that_stop_early_say_so():
    with pytest.raises(cl.ConvergenceError, match="short"):
        Collapse(small(), realization="unfolded", solver=cl.CG(rtol=1e-12, max_steps=2))(signal(7))


def test_importing_cellapse_does_not_import_torch():
    import subprocess
    import sys

    code = "import sys, cellapse; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("realization", ["renormalized", "screened", "unfolded", "mixed"])
def test_a_layer_takes_complexes_of_fewer_ranks(realization):
    layer = Collapse(cl.clique_complex(nx.complete_graph(5), max_rank=3), realization=realization)
    for K in (cl.clique_complex(nx.wheel_graph(6)), cl.clique_complex(nx.complete_graph(3))):
        x = torch.eye(K.n_vertices, dtype=torch.float64)
        expected = cl.collapse(K, realization).toarray()
        result = layer(x, [layer.blueprint(K)]).detach().numpy()
        np.testing.assert_allclose(result, expected, atol=1e-9)


def test_gradients_stay_finite_where_an_edge_is_in_no_cell_and_gamma_at_its_bound():
    """There b^2 d - c^2 is rounding and counts as zero, but still depends on gamma and beta."""
    K = cl.clique_complex(nx.lollipop_graph(3, 2))
    x = torch.arange(5.0, dtype=torch.float64)
    for realization in ("unfolded", "renormalized", "screened"):
        layer = Collapse(K, realization=realization, eps=0.1)
        layer(x).square().sum().backward()
        for name, parameter in layer.named_parameters():
            # Shares are folded at 1: what counts is the slope below.
            high, low, energies = 0.0 if name == "gamma_share" else 1e-7, -1e-7, []
            for step in (high, low):
                with torch.no_grad():
                    parameter += step
                    energies.append(float(layer(x).square().sum()))
                    parameter -= step
            slope = (energies[0] - energies[1]) / (high - low)
            total = float(parameter.grad.sum())
            assert total == pytest.approx(slope, rel=1e-4, abs=1e-5), (realization, name)


@pytest.mark.parametrize("realization", ["unfolded", "incidence", "mixed", "screened"])
def test_formal_elements_are_not_counted(realization):
    edges = list(combinations(range(4), 2))
    K = cl.Complex.from_arrays(4, {1: edges, 3: [[0, 1, 2, 3]]})
    S, layer = cl.collapse(K, realization), Collapse(K, realization=realization)
    assert "n_cells=(4, 6, 0, 1)" in repr(layer)
    x = np.arange(4.0)
    np.testing.assert_allclose(layer(torch.from_numpy(x)).detach().numpy(), S @ x, atol=1e-11)
