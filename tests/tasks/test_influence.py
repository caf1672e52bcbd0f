"""Which cells matter: by hand, and against finite differences for every cell."""

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse import lifts, tasks


def weighted(K, seed=0):
    """The same cells with weights of about 1."""
    rng = np.random.default_rng(seed)
    weights = {k: rng.uniform(0.5, 2.0, K.n_cells[k]) for k in range(1, K.max_rank + 1)}
    return K.with_attributes({}, weights)


def result(S, of, at):
    if of == "eigenvalue":
        return S.spectrum(at + 1).values[at]
    if of == "energy":
        return cl.tasks.dirichlet_energy(S, at)
    return float(np.asarray(cl.effective_resistance(S, [at]))[0])


STEP = 1e-5


def moved(K, S, rank, cell):
    """The operator with the weight of one cell a step higher, and a step lower."""
    for sign in (1, -1):
        w = {
            k: (np.ones(n) if K.weights[k] is None else K.weights[k].copy())
            for k, n in enumerate(K.n_cells)
            if k
        }
        w[rank][cell] += sign * STEP
        yield cl.collapse(
            K.with_attributes({}, w),
            S.realization,
            beta=S.beta.tolist(),
            eps=S.eps,
            gamma=cl.Unchecked(S.gamma.tolist()),
        )


GRAPH = nx.random_geometric_graph(16, 0.5, seed=3)
COMPLEXES = {
    "cliques": cl.clique_complex(GRAPH, 3),
    "weighted": weighted(cl.clique_complex(GRAPH, 3)),
    "cycles": weighted(lifts.cycle_complex(nx.grid_2d_graph(3, 4)), 1),
    "hypergraph": cl.hypergraph_complex(
        [(0, 1, 2, 3), (2, 3, 4), (4, 5, 6, 7), (0, 7), (1, 5, 6), (8, 9, 3), (9, 4)],
        multiplicity="weight",
    ),
}
REALIZATIONS = ["screened", "renormalized", cl.Screened(rounds=2), "unfolded"]


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
@pytest.mark.parametrize("realization", REALIZATIONS, ids=str)
@pytest.mark.parametrize("name", COMPLEXES)
def test_it_is_the_limit_of_finite_differences(name, realization):
    K = COMPLEXES[name]
    S = cl.collapse(K, realization, eps=0.05)
    asked = {
        "eigenvalue": 2,
        "energy": np.random.default_rng(5).standard_normal(K.n_vertices),
        "resistance": (K.labels[0], K.labels[-1]),
    }
    assert set(asked) == set(tasks.influence.OF)
    influences = {of: tasks.cell_influence(S, of, at) for of, at in asked.items()}
    for of, influence in influences.items():
        assert influence.value == pytest.approx(result(S, of, asked[of]), rel=1e-8)
        sizes = {rank: len(found) for rank, found in influence.by_rank.items()}
        assert sizes == {rank: K.n_cells[rank] for rank in range(1, K.max_rank + 1)}
    for rank in range(1, K.max_rank + 1):
        for cell in range(0, K.n_cells[rank], max(1, K.n_cells[rank] // 4)):
            higher, lower = moved(K, S, rank, cell)
            for of, at in asked.items():
                wanted = (result(higher, of, at) - result(lower, of, at)) / (2 * STEP)
                found = influences[of].by_rank[rank][cell]
                assert found == pytest.approx(wanted, rel=2e-5, abs=2e-8), (of, rank, cell)


def test_a_triangle_screened_by_hand():
    """f = 1 - t / (2 + e), three edges: x = (1, 0, 0) has energy 2 f; df/dw = t / (2 + e)^2."""
    K = cl.Complex.from_cells({1: [(0, 1), (1, 2), (0, 2)], 2: [(0, 1, 2)]})
    S = cl.collapse(K, "screened", eps=0.5)
    influence = tasks.cell_influence(S, "energy", [1.0, 0.0, 0.0])
    f = 1 - 0.9 / 2.5
    assert influence.value == pytest.approx(2 * f)
    np.testing.assert_allclose(influence.by_rank[1], [f, 0, f], atol=1e-12)
    np.testing.assert_allclose(influence.by_rank[2], [2 * 0.9 / 2.5**2])
    assert influence.strongest(1)[0][:2] == (1, (0, 1))
    frame = influence.to_frame()
    assert frame.columns.tolist() == ["rank", "cell", "influence"]
    assert len(frame) == 4


def test_more_weight_never_raises_a_resistance():
    """S grows with every weight of a screened cell: Rayleigh's monotonicity."""
    S = cl.collapse(cl.clique_complex(nx.karate_club_graph(), weight=None), "screened")
    influence = tasks.cell_influence(S, "resistance", (0, 33))
    assert all((found <= 1e-12).all() for found in influence.by_rank.values())


def test_zero_stays_zero_and_repeated_values_are_refused():
    S = cl.collapse(cl.clique_complex(nx.complete_graph(5)), "renormalized")
    assert not tasks.cell_influence(S, "eigenvalue", 0).by_rank[2].any()
    with pytest.raises(cl.InputError, match="repeated"):
        tasks.cell_influence(S)


@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_what_is_refused_says_why():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    with pytest.raises(cl.InputError, match="known"):
        tasks.cell_influence(cl.collapse(K, "incidence"))
    with pytest.raises(cl.InputError, match="onto=0"):
        tasks.cell_influence(cl.collapse(K, "unfolded", onto=1))
    with pytest.raises(cl.InputError, match="collapse a Complex"):
        tasks.cell_influence(cl.collapse(list(cl.boundary_matrices(K)), "unfolded"))
    with pytest.raises(cl.InputError, match="collapsed"):
        tasks.cell_influence(cl.graph_laplacian(K))
    with pytest.raises(cl.InputError, match="eps"):
        tasks.cell_influence(cl.collapse(K, "unfolded", eps=0.0))
    S = cl.collapse(K, "unfolded")
    for of, at in (
        ("cut", 1),
        ("eigenvalue", 34),
        ("eigenvalue", "a"),
        ("energy", [1.0]),
        ("energy", np.ones((34, 2))),
        ("resistance", (0, "nobody")),
        ("resistance", 3),
        ("resistance", (0, 1, 2)),
    ):
        with pytest.raises(cl.InputError):
            tasks.cell_influence(S, of, at)
    apart = cl.clique_complex(nx.disjoint_union(nx.complete_graph(3), nx.complete_graph(3)))
    with pytest.raises(cl.InputError, match="components"):
        tasks.cell_influence(cl.collapse(apart, "unfolded"), "resistance", (0, 5))


@pytest.mark.parametrize("realization", ["screened", "unfolded"])
def test_no_cells_above_the_edges(realization):
    S = cl.collapse(cl.clique_complex(nx.path_graph(4), 1), realization)
    influence = tasks.cell_influence(S, "resistance", (0, 3))
    assert list(influence.by_rank) == [1]
    lonely = cl.collapse(cl.Complex.from_arrays(3, {}), "screened")
    assert tasks.cell_influence(lonely, "energy", [1.0, 2.0, 3.0]).by_rank == {}


@pytest.mark.parametrize(("apart", "simple"), [(1e-6, True), (1e-8, False)])
@pytest.mark.parametrize("at", [2, 3])
def test_eigenvalues_that_are_nearly_repeated_are_refused(apart, simple, at):
    """Two edges of weight 1 and 1 + apart, of eigenvalues 2 f and 2 f (1 + apart)."""
    K = cl.Complex.from_arrays(4, {1: [[0, 1], [2, 3]]}, weights={1: [1.0, 1.0 + apart]})
    S = cl.collapse(K, "screened")
    if not simple:
        with pytest.raises(cl.InputError, match="repeated"):
            tasks.cell_influence(S, "eigenvalue", at)
        return
    found = tasks.cell_influence(S, "eigenvalue", at)
    share = float(S.shares[0])
    wanted = [2 * share, 0.0] if at == 2 else [0.0, 2 * share]
    np.testing.assert_allclose(found.by_rank[1], wanted, atol=1e-6)
    assert found.value == pytest.approx(2 * share * (1 + apart * (at - 2)), rel=1e-9)


def test_an_eigenvalue_of_zero_does_not_move():
    K = cl.Complex.from_arrays(4, {1: [[0, 1], [2, 3]]})
    for at in (0, 1):
        found = tasks.cell_influence(cl.collapse(K, "screened"), "eigenvalue", at)
        assert found.value == 0.0
        assert found.by_rank[1].tolist() == [0.0, 0.0]
    small = cl.Complex.from_arrays(2, {1: [[0, 1]]}, weights={1: [1e-9]})  # small is not zero
    assert tasks.cell_influence(cl.collapse(small, "screened")).value > 0


def test_the_ten_cells_that_matter_most():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    influence = tasks.cell_influence(cl.collapse(K, "renormalized"), "resistance", (0, 33))
    strongest = influence.strongest()
    assert len(strongest) == 10
    sizes = [abs(value) for _, _, value in influence.strongest(10_000)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 78 + 45
    assert influence.strongest(0) == []
    rank, cell, value = strongest[0]
    place = K.cell_labels(rank).index(cell)
    assert influence.by_rank[rank][place] == value
