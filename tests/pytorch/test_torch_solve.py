"""`Collapse` against 40 digits: whatever eps and strength, right to rounding or refused.

Rounding is a share of |A| in S and of 1 + strength |A| in I + strength S.
"""

from functools import cache

import networkx as nx
import numpy as np
import pytest
from oracles import contained, flags, simplicial_boundary

import cellapse as cl

torch = pytest.importorskip("torch", reason="the differentiable collapse needs the extra torch")
mpmath = pytest.importorskip("mpmath", reason="the reference needs mpmath, which torch brings")

from cellapse.torch import Collapse  # noqa: E402
from cellapse.torch.refinement import Refined  # noqa: E402

REALIZATIONS = ("unfolded", "boundary", "incidence", "mixed")
STRENGTHS = (1e-3, 1.0, 1e3, 1e6)


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(40):
        yield


@cache
def holed():
    """A cycle that is a hole next to a clique, and a vertex of its own."""
    graph = nx.disjoint_union_all([nx.cycle_graph(5), nx.complete_graph(4), nx.empty_graph(1)])
    return cl.clique_complex(graph, max_rank=2)


def matrices(K, realization):
    if realization == "unfolded":
        return [simplicial_boundary(K, 1), *flags(K)]
    signed = {"boundary": K.max_rank, "incidence": 0, "mixed": 1}[realization]
    return [
        simplicial_boundary(K, k) if k <= signed else contained(K, k - 1, k)
        for k in range(1, K.max_rank + 1)
    ]


def exact(values):
    return np.vectorize(lambda v: mpmath.mpf(float(v)), otypes=[object])(values)


def exact_operator(B, layer):
    """The Schur complement of the graded Laplacian at the parameters of the layer."""
    beta, gamma = exact(layer.beta.tolist()), exact(layer.gamma[:, 0].tolist())
    n, start = len(B[0]), np.cumsum([0, len(B[0]), *(M.shape[1] for M in B)])
    L = exact(np.zeros((start[-1], start[-1])))
    for k, M in enumerate(B):  # whole numbers, so that their products are exact
        low, high = slice(start[k], start[k + 1]), slice(start[k + 1], start[k + 2])
        L[low, low] += beta[k] * (M @ M.T)
        L[high, high] += beta[k] * (M.T @ M)
        L[low, high] -= gamma[k] * M
        L[high, low] -= gamma[k] * M.T
    L[range(n, len(L)), range(n, len(L))] += mpmath.mpf(layer.eps.item())
    for last in range(len(L) - 1, n - 1, -1):  # one cell after the other
        near = np.flatnonzero(L[:last, last])
        L[np.ix_(near, near)] -= np.outer(L[near, last], L[last, near]) / L[last, last]
    return L[:n, :n]


def exact_solution(S, b, strength):
    M = mpmath.matrix((exact(np.eye(len(S))) + mpmath.mpf(strength) * S).tolist())
    return np.array(list(mpmath.lu_solve(M, mpmath.matrix(list(b)))), dtype=object)


def assert_right(given, expected, size):
    error = np.abs((exact(given) - expected).astype(float)).max()
    assert error <= 1e-14 * size * np.abs(expected.astype(float)).max()


def column(values):
    return torch.tensor(np.asarray(values, dtype=float))


@pytest.mark.parametrize(
    ("eps", "beta", "gamma"),
    [
        (1e-12, 30.0, None),
        (1e-12, 1.0, "regularized"),
        (1e-10, 1.0, None),
        (1e-8, 30.0, "regularized"),
        (1e-4, 1.0, None),
        (1.0, 30.0, "regularized"),
    ],
)
@pytest.mark.parametrize("realization", REALIZATIONS)
def test_right_at_any_eps_and_strength(realization, eps, beta, gamma):
    K, rng = holed(), np.random.default_rng(0)
    layer = Collapse(K, realization=realization, gamma=gamma, eps=eps, beta=beta)
    B, b = matrices(K, realization), rng.standard_normal(10)
    S, norm = exact_operator(B, layer), beta * np.linalg.norm(B[0], 2) ** 2
    applied = exact(layer(column(b)).detach()) - S @ exact(b)
    assert np.abs(applied.astype(float)).max() <= 1e-14 * norm * np.abs(b).max()
    op = layer.operator()
    for strength in STRENGTHS:
        x = exact_solution(S, exact(b), strength)
        assert_right(op.solve(column(b), strength).detach(), x, 1 + strength * norm)


@pytest.mark.parametrize("solver", [cl.Direct(), cl.CG()])
def test_right_for_shares_of_edges(solver):
    K, b = holed(), np.random.default_rng(0).standard_normal(10)
    op = Collapse(K, realization=cl.Screened(rounds=3), eps=1e-12, solver=solver).operator()
    B = exact(simplicial_boundary(K, 1))
    S, accuracy = (B * exact(op.shares.detach())) @ B.T, 1.0 if solver == cl.Direct() else 100.0
    for strength in STRENGTHS:
        x = exact_solution(S, exact(b), strength)
        given = op.solve(column(b), strength).detach()
        assert_right(given, x, accuracy * (1 + 4 * strength))


@pytest.mark.parametrize("solver", [cl.Direct(), cl.CG(rtol=1e-14)])
@pytest.mark.parametrize("eps", [1e-12, 1e-2])
@pytest.mark.parametrize("realization", REALIZATIONS)
def test_gradients_are_right_as_well(realization, eps, solver):
    """Of w . x by b: (I + s S)^-1 w =: y; by s: - y . S x = y . (x - b) / s.

    The last form is how it is computed: an error in x or y counts 1 / s times.
    """
    K, rng = holed(), np.random.default_rng(1)
    layer = Collapse(K, realization=realization, eps=eps, solver=solver)
    B, b, w = matrices(K, realization), rng.standard_normal(10), rng.standard_normal(10)
    S, norm = exact_operator(B, layer), np.linalg.norm(B[0], 2) ** 2
    for strength in STRENGTHS[:3]:
        size = 1 + strength * norm
        given, s = column(b).requires_grad_(), column(strength).requires_grad_()
        (layer.solve(given, s) @ column(w)).backward()
        x, y = (exact_solution(S, exact(v), strength) for v in (b, w))
        assert_right(given.grad, y, 10 * size)
        by_strength = -(y @ (S @ x))
        bound = float(np.abs(y).sum() * (np.abs(x).max() + np.abs(b).max())) / strength
        assert abs(float(mpmath.mpf(float(s.grad)) - by_strength)) <= 1e-13 * size * bound


def test_a_factorization_that_is_far_off_is_replaced(monkeypatch):
    """With 1 / eps in its entries the first is; refinement alone went 210 times astray."""
    used, refine = [], Refined._refine

    def watched(self, rhs):
        z, left = refine(self, rhs)
        used.append((len(self._ways), left))
        return z, left

    monkeypatch.setattr(Refined, "_refine", watched)
    op = Collapse(holed(), realization="boundary", eps=1e-12, beta=30.0).operator()
    b = torch.linspace(0, 1, 10, dtype=torch.float64).requires_grad_()
    op.solve(b, 1e3).sum().backward()
    ways, left = zip(*used, strict=True)
    assert ways == (2, 1, 1)  # and not tried again in the backward pass
    assert left[0] > 1e-14 >= max(left[1:])


def test_what_has_no_answer_is_refused_in_words():
    cycle, b = cl.clique_complex(nx.cycle_graph(5)), torch.ones(5).double()
    b[0] = 2.0
    for realization in REALIZATIONS:
        for solver in (cl.Direct(), cl.CG()):
            layer = Collapse(cycle, realization=realization, gamma="regularized", solver=solver)
            with torch.no_grad():
                layer.log_eps.fill_(1e4)
            with pytest.raises(cl.ConvergenceError, match="overflowed"):
                layer.solve(b, 1.0)
    layer = Collapse(cycle, realization="boundary")
    with torch.no_grad():
        layer.log_eps.fill_(-1e4)  # eps = 0: flows around the cycle cost nothing
    with pytest.raises(cl.ConvergenceError, match="eps"):
        layer.solve(b, 1.0)


@pytest.mark.parametrize("solver", [cl.Direct(), cl.CG()])
def test_a_column_that_is_not_finite_spoils_no_other(solver):
    layer = Collapse(holed(), realization="unfolded", solver=solver)
    b = torch.ones(10, 3).double()
    b[4, 1] = torch.inf
    x = layer.solve(b, 2.0)
    assert torch.isnan(x[:, 1]).all()
    torch.testing.assert_close(x[:, [0, 2]], layer.solve(b[:, [0, 2]], 2.0))


def test_conjugate_gradients_look_at_the_residual_itself():
    """The one that is carried along falls without end; the true one stops at rounding."""
    K = holed()
    b = torch.linspace(0, 1, 10, dtype=torch.float64)
    for realization in REALIZATIONS:
        for strength in STRENGTHS:
            options = {"realization": realization, "eps": 1e-9}
            direct = Collapse(K, **options).solve(b, strength)
            given = Collapse(K, **options, solver=cl.CG(rtol=1e-15)).solve(b, strength)
            assert (given - direct).abs().max() <= 1e-13 * (1 + 10 * strength)
