"""What every symmetric operator promises (`_linalg.symmetric`), beside dense NumPy oracles.

S = S^T,  S P = 0,  S <= A,  A - c <= S off the kernel,  products within their error, and a shifted
system whose inverse begins with (S - shift D)^-1 and whose inertia counts eigenvalues.
"""

import pickle
from functools import cache

import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse
from toys import small_world

import cellapse as cl
from cellapse._linalg.eigen.inertia import count_below, shift_inverse
from cellapse._linalg.eigen.problem import LowerBound, eigenproblem, lower_bound
from cellapse._linalg.operators import SparseOperator

pytestmark = pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")


def triangles():
    """Two components, triangles that share edges, a pending edge and a vertex alone."""
    edges = [(0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (3, 4), (5, 6), (6, 7), (5, 7)]
    graph = nx.Graph(edges)
    graph.add_node(8)
    return cl.clique_complex(graph)


def weighted():
    graph = nx.triangular_lattice_graph(4, 6)
    for i, edge in enumerate(sorted(graph.edges)):
        graph.edges[edge]["weight"] = 10.0 ** (i % 5 - 2)
    return cl.clique_complex(graph)


MATRIX = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 2.0], [0.0, 0.0, 1.0]])  # no kernel at all
MAKE = {
    "matrix": lambda: SparseOperator(MATRIX @ MATRIX.T, range(3)),
    "graph laplacian": lambda: cl.graph_laplacian(triangles()),
    "multiorder": lambda: cl.multiorder_laplacian(weighted()),
    "lower bound": lambda: lower_bound(operator("unfolded").deficit, 10.0 ** np.linspace(-1, 1, 9)),
    **{
        name: lambda name=name: cl.collapse(triangles(), name, eps=1e-3)
        for name in ("unfolded", "boundary", "incidence", "mixed", "screened", "renormalized")
    },
    "weighted": lambda: cl.collapse(weighted(), "unfolded", eps=1e-2),
    "weighted mixed": lambda: cl.collapse(weighted(), "mixed", eps=1e-2),
    "weak coupling": lambda: cl.collapse(triangles(), "unfolded", gamma=0.3, eps=1e-3),
    "no coupling": lambda: cl.collapse(triangles(), "unfolded", gamma=0.0, eps=1e-3),
    "regularized": lambda: cl.collapse(triangles(), "unfolded", gamma="regularized", eps=0.1),
    "other beta": lambda: cl.collapse(triangles(), "mixed", beta=[3.0, 0.5], eps=1e-3),
    "no vertices": lambda: cl.collapse([MATRIX], eps=0.1),
    "onto edges": lambda: cl.collapse(triangles(), "boundary", eps=1e-3, onto=1),
    "onto triangles": lambda: cl.collapse(triangles(), "mixed", eps=1e-3, onto=2),
    "factored": lambda: cl.collapse(weighted(), "mixed", eps=1e-2, solver=cl.Direct()),
    "algorithm one": lambda: cl.collapse(weighted(), "mixed", eps=1e-2, solver=cl.CG()),
    "expander": lambda: cl.collapse(
        cl.clique_complex(nx.random_regular_graph(8, 320, seed=0)), "unfolded"
    ),
    "big cliques": lambda: cl.collapse(cl.clique_complex(nx.complete_graph(14)), "mixed", eps=1e-3),
}
NAMES = list(MAKE)
COLLAPSED = [
    n for n in NAMES if n not in ("matrix", "graph laplacian", "multiorder", "lower bound")
]


@cache
def operator(name):
    return MAKE[name]()


@cache
def truth(name):
    """S as an array, from the blocks of the graded Laplacian alone where it is a collapse."""
    S = operator(name)
    if isinstance(S, LowerBound):
        of, mass = operator("unfolded"), 10.0 ** np.linspace(-1, 1, 9)
        L, c = of.deficit.base.A.toarray(), of.deficit.c / of.deficit.scale
        values, vectors = np.linalg.eigh(L)
        off = vectors[:, values > 1e-9]
        M = L - c * off @ off.T
        return M / np.sqrt(np.outer(mass, mass))
    if not isinstance(S, cl.CollapsedOperator):
        return S.A.toarray()
    A, X, C = (block.toarray() for block in S.split())
    return A - X @ np.linalg.solve(C + S.eps * np.eye(len(C)), X.T)


def size(S):
    return S.norm_bound()


def masses(n):
    return {"one": np.ones(n), "wide": 10.0 ** np.linspace(-1.0, 1.0, n)}


@pytest.mark.parametrize("name", NAMES)
def test_products_are_those_of_a_symmetric_matrix(name):
    S, dense = operator(name), truth(name)
    by_products = S.apply(np.eye(len(dense)))
    np.testing.assert_allclose(by_products, dense, atol=1e-9 * size(S))
    np.testing.assert_allclose(by_products, by_products.T, atol=1e-11 * size(S))
    np.testing.assert_allclose(S.toarray(), dense, atol=1e-9 * size(S))
    np.testing.assert_allclose(S.diagonal(), dense.diagonal(), atol=1e-9 * size(S))
    assert (S.matrix is None) or abs(S.matrix.toarray() - dense).max() <= 1e-12 * size(S)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("error", [0.0, 1e-8, 1e-3])
def test_products_are_within_their_error(name, error):
    S, dense = operator(name), truth(name)
    x = np.cos(np.outer(np.arange(len(dense)), [1.0, 2.0, 3.0])) * [1.0, 1e-3, 10.0]
    allowed = np.maximum(error, 1e-10 * size(S) * np.linalg.norm(x, axis=0))
    assert (np.linalg.norm(S.apply(x, error) - dense @ x, axis=0) <= allowed).all()
    assert np.linalg.norm(S.apply(x[:, 0], error) - dense @ x[:, 0]) <= allowed[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_is_orthonormal_and_goes_to_zero(name):
    S = operator(name)
    if S.kernel is None:
        return
    P = S.kernel.toarray()
    np.testing.assert_allclose(P.T @ P, np.eye(P.shape[1]), atol=1e-12)
    assert abs(S.apply(P)).max(initial=0.0) <= 1e-12 * size(S)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_at_most_a_and_at_least_zero_where_it_says_so(name):
    S, dense = operator(name), truth(name)
    A = S.A.toarray()
    if not isinstance(S, LowerBound):  # whose sparse part is another matrix
        assert linalg.eigvalsh(A - dense)[0] >= -1e-10 * size(S)
    if S.definite:
        assert linalg.eigvalsh(dense)[0] >= -1e-10 * size(S)


@pytest.mark.parametrize("name", NAMES)
def test_the_bound_of_the_norm_holds_with_masses(name):
    S, dense = operator(name), truth(name)
    above = dense if isinstance(S, LowerBound) else S.A.toarray()
    for mass in masses(len(dense)).values():
        largest = linalg.eigh(above, np.diag(mass), eigvals_only=True)[-1]
        assert largest <= S.norm_bound(mass) * (1 + 1e-12)
        assert S.norm_bound(mass) > 0.0


@pytest.mark.parametrize("name", NAMES)
def test_the_deficit_says_how_far_below_a_it_is(name):
    S, dense = operator(name), truth(name)
    if S.deficit is None:
        return
    base, scale, c = S.deficit.base, S.deficit.scale, S.deficit.c
    A = scale * base.A.toarray()
    np.testing.assert_allclose(A, S.A.toarray(), atol=1e-12 * size(S))
    if not np.isfinite(c):
        return
    off = linalg.null_space(np.zeros((1, len(A))) if S.kernel is None else S.kernel.toarray().T)
    lower = off.T @ (dense - A) @ off + c * np.eye(off.shape[1])
    assert linalg.eigvalsh(lower)[0] >= -1e-10 * size(S)
    if S.deficit.lower_is_definite:
        assert linalg.eigvalsh(off.T @ A @ off)[0] >= c - 1e-10 * size(S)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["one", "wide"])
def test_the_shifted_system_is_inverted_and_counts(name, kind):
    S, dense = operator(name), truth(name)
    n = len(dense)
    mass = masses(n)[kind]
    values = linalg.eigh(dense, np.diag(mass), eigvals_only=True)
    gap = int(np.argmax(np.diff(values)))
    for shift in (-0.3 * size(S), float(values[gap : gap + 2].mean())):
        system = S.shifted_system(shift, mass)
        if system is None:
            assert S.count_below(shift, mass) is None if hasattr(S, "count_below") else True
            continue
        M, others = system[0].toarray(), system[1]
        inverse = np.linalg.inv(dense - shift * np.diag(mass))
        np.testing.assert_allclose(
            np.linalg.inv(M)[:n, :n], inverse, atol=1e-6 * abs(inverse).max()
        )
        assert (np.linalg.eigvalsh(M) < 0).sum() - others == (values < shift).sum()
        assert count_below(S, shift, mass) in (int((values < shift).sum()), None)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["one", "wide"])
def test_the_safe_shift_is_below_the_spectrum(name, kind):
    S, dense = operator(name), truth(name)
    mass = masses(len(dense))[kind]
    pair = shift_inverse(S, mass, cl.Direct())
    if pair is None or not S.definite:
        return
    shift, solve = pair
    shifted = dense - shift * np.diag(mass)
    assert linalg.eigvalsh(shifted)[0] > 0.0
    x = shifted @ np.cos(np.outer(np.arange(len(dense)), [1.0, 2.0]))
    left = np.linalg.norm(shifted @ solve(x) - x, axis=0)
    assert (left <= 1e-6 * np.linalg.norm(x, axis=0)).all()


@pytest.mark.parametrize("name", NAMES)
def test_eigenvalues_are_counted_as_by_lapack(name):
    S, dense = operator(name), truth(name)
    for mass in masses(len(dense)).values():
        values = linalg.eigh(dense, np.diag(mass), eigvals_only=True)
        for i in (1, len(values) // 2, len(values) - 2):
            if values[i + 1] - values[i] > 1e-6 * values[-1]:
                count = count_below(S, float(values[i : i + 2].mean()), mass)
                assert count in (i + 1, None)


def test_what_can_be_counted_is():
    counted = [
        n for n in NAMES if count_below(operator(n), 0.5, np.ones(operator(n).shape[0])) is not None
    ]
    assert {"matrix", "lower bound", "unfolded", "mixed", "screened", "onto triangles"} <= set(
        counted
    )


@pytest.mark.parametrize("graph", [nx.random_regular_graph(8, 600, seed=0), None])
def test_an_approximation_of_s_is_closer_than_a(graph):
    K = small_world(1300) if graph is None else cl.clique_complex(graph)
    S, factored = cl.collapse(K, "unfolded"), cl.collapse(K, "unfolded", solver=cl.Direct())
    assert S.iterative
    assert not factored.iterative
    dense = factored.toarray()
    values, vectors = linalg.eigh(dense, subset_by_index=(1, 4))
    bent = vectors + 1e-3 * np.cos(np.outer(np.arange(len(dense)), range(4)))
    x = np.linalg.qr(bent)[0]
    assert factored.approximation(1.0) is None
    assert (S.approximation(1.0) is None) == (graph is not None)
    assert (S.pair(x) is None) == (graph is not None)
    if graph is None:  # heavy edges aggregate vertices
        u, image = S.pair(x)
        np.testing.assert_allclose(image, dense @ u, atol=1e-9 * size(S))
        assert (np.linalg.norm(u - x, axis=0) <= 0.1).all()
        about = S.approximation(size(S))(x.astype(np.float32, order="C"))
        far = np.linalg.norm((S.A - values.mean() * sparse.eye_array(len(dense))) @ x, axis=0)
        assert (np.linalg.norm(size(S) * about - x * values, axis=0) < far).all()


@pytest.mark.parametrize("name", COLLAPSED)
def test_it_can_be_copied(name):
    S = operator(name)
    S.spectrum(1)
    again = pickle.loads(pickle.dumps(S))
    x = np.cos(np.arange(S.shape[0]))
    np.testing.assert_allclose(again.apply(x), S.apply(x), atol=1e-9 * size(S))


def test_a_lower_bound_by_hand():
    """An edge with masses 1 and 4, and c = 1: [1 - 1 + 1/2, -1 + 1/2; ., 1/2] scaled."""
    A = sparse.csr_array([[1.0, -1.0], [-1.0, 1.0]])
    kernel = sparse.csr_array(np.full((2, 1), 0.5**0.5))
    low = LowerBound(A, kernel, 1.0, np.array([1.0, 4.0]))
    np.testing.assert_allclose(low.apply(np.eye(2)), [[0.5, -0.25], [-0.25, 0.125]])
    np.testing.assert_allclose(low.kernel.toarray().ravel(), [0.2**0.5, 0.8**0.5])
    assert low.norm_bound() == 2.0
    assert [count_below(low, v, np.ones(2)) for v in (0.6, 0.7)] == [1, 2]


def test_a_lower_bound_is_below_s_and_only_made_where_it_helps():
    S = cl.collapse(cl.clique_complex(nx.random_geometric_graph(200, 0.14, seed=3)), "unfolded")
    mass = S.A.diagonal() + (S.A.diagonal() == 0)
    low = lower_bound(S.deficit, mass)
    scaled = S.toarray() / np.sqrt(np.outer(mass, mass))
    difference = scaled - S.deficit.scale * low.apply(np.eye(200))
    assert linalg.eigvalsh(difference)[0] >= -1e-12 * low.norm_bound()
    assert eigenproblem(S, 5).base.problem.operator is S.deficit.base  # one mass for all
    assert isinstance(eigenproblem(S, 5, mass).base.problem.operator, LowerBound)
    assert eigenproblem(S, 5, mass, largest=True).base is None
    for other in ("no coupling", "screened", "regularized", "no vertices", "algorithm one"):
        deficit = operator(other).deficit
        assert deficit is None or lower_bound(deficit, np.ones(operator(other).shape[0])) is None
