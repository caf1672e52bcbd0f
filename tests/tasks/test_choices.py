"""What tasks choose where nothing is said, and the limits that their pages name."""

import inspect
import sys
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse import tasks
from cellapse._linalg.operators import SparseOperator
from cellapse.tasks import _against_decoys, clustering, filters, signatures, smoothing
from cellapse.tasks.clustering import Clusters
from cellapse.tasks.selection import FAMILY, family_member
from cellapse.tasks.verdict import Varies, _Again, gap_in_words, judge

K = cl.clique_complex(nx.lollipop_graph(4, 2))
L = cl.graph_laplacian(K)
X = np.arange(6.0)
# What numbers a task takes where nothing is said, and what it can be called with.
DEFAULTS = {
    cl.cluster: ({}, (L, 2)),
    cl.suggest_n_clusters: ({"max_clusters": 20}, (L,)),
    cl.effective_resistance: ({}, (L,)),
    tasks.effective_conductance: ({}, (L,)),
    tasks.kirchhoff_index: ({}, (L,)),
    tasks.resistance_centrality: ({}, (L,)),
    cl.heat_kernel_signature: ({"n_probes": 256}, (L,)),
    cl.wave_kernel_signature: ({"n_energies": 16}, (L,)),
    cl.smooth: ({"strength": 1.0}, (L, X)),
    tasks.choose_strength: ({}, (L, X)),
    tasks.spectral_filter: ({"rtol": 1e-8}, (L, X, np.cos)),
    tasks.spread_labels: ({}, (L, {0: 1, 5: 2})),
    tasks.likely_false: ({"level": 0.05}, (K,)),
    tasks.verdict: ({}, (K, 2)),
    tasks.choose_operator: ({}, (K, 2)),
    tasks.cell_influence: ({"at": 1}, (cl.collapse(K, "renormalized"),)),
    tasks.rank_reliability: ({"dimension": 4}, (K,)),
}


@pytest.mark.parametrize("task", DEFAULTS, ids=lambda f: f.__name__)
def test_what_a_task_takes_where_nothing_is_said(task):
    """A seed is 0, so that results repeat; other numbers are those of the pages."""
    wanted, arguments = DEFAULTS[task]
    given = {name: p.default for name, p in inspect.signature(task).parameters.items()}
    numbers = {name: value for name, value in given.items() if isinstance(value, int | float)}
    assert numbers == wanted | ({"rng": 0} if "rng" in given else {})
    assert task(*arguments) is not None


# Clusters


def of_size(n, matrix=None):
    return SimpleNamespace(matrix=matrix, labels=range(n), shape=(n, n))


@pytest.mark.parametrize(("n", "mass"), [(3_000, "diagonal"), (3_001, "degree")])
def test_the_diagonal_of_up_to_three_thousand_vertices_is_taken(n, mass):
    assert clustering._resolved(of_size(n), "auto") == mass
    assert clustering._resolved(of_size(n, matrix=1), "auto") == "diagonal"


def test_the_diagonal_of_up_to_ten_thousand_vertices_is_given():
    asked = SimpleNamespace(**vars(of_size(10_000)), _mass=lambda mass: mass)
    assert clustering.cut_mass(asked, "diagonal") == "diagonal"
    with pytest.raises(cl.SizeError, match="10,001 products"):
        clustering.cut_mass(of_size(10_001), "diagonal")


def test_the_number_of_clusters_is_that_before_the_largest_gap():
    """Up to twenty of the first 21 eigenvalues; the gap after the first is no number of them."""
    for values, k in (([0.0, 0.1, 5.0, 6.0], 2), ([0.0, 4.0, 5.0, 8.0], 3), ([0.0, 4.0], 1)):
        spectrum = SimpleNamespace(values=np.array(values))
        assert clustering._before_the_gap(spectrum) == k
    rings = cl.graph_laplacian(nx.disjoint_union_all([nx.cycle_graph(3)] * 30))
    assert cl.suggest_n_clusters(rings, max_clusters=31) == 30
    found = cl.cluster(cl.graph_laplacian(nx.path_graph(60)))
    assert len(found.gaps) == 20
    assert cl.suggest_n_clusters(nx.path_graph(9), max_clusters=1) == 1
    with pytest.raises(cl.InputError, match="max_clusters"):
        cl.suggest_n_clusters(nx.path_graph(9), max_clusters=0)


def test_what_no_component_of_the_kernel_holds_stays_together():
    """Three edges, each with a zero, and a triangle without one: by mass 6 against 2 + 2 + 2."""
    graph = nx.disjoint_union_all([nx.complete_graph(2)] * 3 + [nx.complete_graph(3)])
    with pytest.warns(cl.CellapseWarning, match="3 .* 2 "):
        found = cl.cluster(cl.signless_laplacian(graph), 2).numbers
    assert found.tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.filterwarnings("error")
def test_one_cluster_and_one_for_each_component_need_no_warning(k):
    graph = nx.disjoint_union_all([nx.complete_graph(3)] * 3)
    assert cl.cluster(cl.graph_laplacian(graph), k).numbers.max() == k - 1
    vectors = cl.graph_laplacian(graph).spectrum(k).vectors
    again = clustering.group_rows(cl.graph_laplacian(graph), vectors, None, k, 0)
    assert again.max() == k - 1


def test_every_operator_to_choose_from_is_what_its_name_says():
    K = cl.clique_complex(nx.complete_graph(5), 3)
    for name in FAMILY[1:]:
        kind, theta2, beta = name.replace(",", "").split()
        wanted = cl.collapse(
            K, kind, gamma=float(theta2) ** 0.5, beta=(1.0, float(beta), float(beta))
        )
        np.testing.assert_allclose(family_member(K, name).toarray(), wanted.toarray())
    assert FAMILY == (
        "laplacian", "screened .5, 1", "screened .9, 1", "renormalized .8, 2",
        "renormalized .8, 5", "renormalized .9, 2", "renormalized .9, 5", "renormalized .95, 2",
        "renormalized .95, 5",
    )  # fmt: skip


# Verdicts


@pytest.mark.parametrize(
    ("gaps", "k", "words"),
    [
        ([9.0, 0.1, 0.5, 0.41], 3, "but not clearly: after 4 it is 0.41"),
        ([9.0, 0.1, 0.5, 0.4], 3, "largest of the first 5 (0.5)"),
        ([9.0, 0.45, 0.1, 0.5], 4, "but not clearly: after 2 it is 0.45"),
        ([9.0, 0.1, 0.2, 0.45, 0.5], 5, "but not clearly: after 4 it is 0.45"),
        ([9.0, 0.5], 2, "largest of the first 3 (0.5)"),
        ([9.0], 2, "too few vertices for a gap"),
        (None, 2, "as asked for"),
    ],
)
def test_why_so_many_clusters(gaps, k, words):
    """Clear is a gap of more than 1.25 times the next; that after the first does not count."""
    gaps = None if gaps is None else np.array(gaps)
    found = gap_in_words(Clusters(np.arange(k), range(k), None, None, gaps))
    assert found.endswith(words)


@pytest.mark.parametrize(("n", "drawn"), [(3000, True), (3001, False)])
def test_up_to_three_thousand_vertices_networks_are_drawn_again(monkeypatch, n, drawn):
    K = cl.Complex.from_arrays(n, {1: [[0, 1], [1, 2]]})
    numbers = np.zeros(n, dtype=int)
    numbers[2:] = 1
    clusters = Clusters(numbers, K.labels, None)
    again = _Again((0.5, 0.25), 0.125, Varies(0.1, 0.01, 0.01))
    monkeypatch.setattr(sys.modules["cellapse.tasks.verdict"], "_again", lambda *given: again)
    found = judge(K, clusters, clusters, "")
    known = (found.mine.stability, found.plain.stability, found.chance)
    assert known == ((0.5, 0.25, 0.125) if drawn else (None, None, None))
    assert found.forest
    assert found.n_clusters == 2
    one = Clusters(np.zeros(n, dtype=int), K.labels, None)
    assert judge(K, one, one, "").chance is None


# Labels


def test_eleven_strengths_two_to_a_decade_and_one_where_nothing_can_be_judged():
    L = cl.graph_laplacian(nx.cycle_graph(6))  # |L| has row sums of 4
    spread = tasks.spread_labels(L, {0: "a", 1: "a", 3: "b", 4: "b"}, method="regularized")
    np.testing.assert_allclose(spread.strengths, 10.0 ** np.arange(-0.5, 5.0, 0.5) / 4)
    for few in ({0: "a", 3: "b"}, {0: "a", 1: "a"}):
        single = tasks.spread_labels(L, few, method="regularized")
        assert single.strength == pytest.approx(100 / 4)  # the one in the middle
        assert len(single.strengths) == len(single.scores) == 0


def test_a_label_in_the_wrong_place_is_not_everything():
    """Left out in a component of another class its probability is 0, and counts as 1e-6."""
    L = cl.graph_laplacian(nx.Graph([(0, 1), (2, 3)]))
    known = {0: "a", 1: "a", 2: "a", 3: "b"}
    spread = tasks.spread_labels(L, known, method="regularized")
    assert spread.scores == pytest.approx(np.full(11, np.log(1e-6) / 3))
    assert spread.accuracy == pytest.approx(2 / 3)


def test_labels_spread_by_an_operator_without_a_kernel():
    S = SparseOperator(np.array([[2.0, -1.0], [-1.0, 2.0]]), ("a", "b"))
    for method in ("poisson", "harmonic", "regularized"):
        spread = tasks.spread_labels(S, {"a": 1}, method=method)
        assert spread.probabilities.tolist() == [[1.0], [1.0]]


def test_words_and_numbers_that_are_not_known():
    L = cl.graph_laplacian(nx.path_graph(4))
    for none in (None, -1, -1.0, np.nan):
        assert tasks.spread_labels(L, [True, none, none, False]).given.tolist() == [1, 0, 0, 1]
    mixed = tasks.spread_labels(L, ["b", None, 1, "a"])
    assert mixed.classes == ["b", 1, "a"]  # no order, so as they come
    assert tasks.spread_labels(L, [2, None, 1, 0]).classes == [0, 1, 2]


# Smoothing and filters


def test_up_to_five_hundred_vertices_the_score_is_exact():
    """No random probes there; above, sixteen of them next to the signal."""
    y = np.random.default_rng(0).standard_normal(501)
    for n, exact in ((500, True), (501, False)):
        L = cl.graph_laplacian(nx.path_graph(n))
        one, two = (tasks.choose_strength(L, y[:n], strengths=[1.0], rng=r).scores for r in (0, 1))
        assert (one[0] == two[0]) == exact
        assert one == pytest.approx(two, rel=0.05)


def test_sixteen_probes_and_eighty_nodes(monkeypatch):
    monkeypatch.setattr(smoothing, "DENSE", 0)
    L = cl.graph_laplacian(nx.path_graph(5))
    Y = np.ones((5, 3))
    nodes, of_signal, of_trace = smoothing._quadratures(L, Y, np.random.default_rng(0))
    assert nodes.shape == of_signal.shape == of_trace.shape == (80 * (3 + 16),)
    assert of_signal.sum() == pytest.approx(15.0)  # y^T y of all columns
    assert of_trace.sum() == pytest.approx(5.0)  # tr I
    assert (of_signal * nodes).sum() == pytest.approx(0.0, abs=1e-9)  # ones have no energy


def test_a_quadrature_is_exact_once_all_vectors_are_found():
    M = np.diag([0.0, 1.0, 3.0]) + 0.5 * np.ones((3, 3))
    S = SparseOperator(sparse.csr_array(M), range(3), None, "given")
    X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, -1.0], [0.0, 0.0, 0.5]])
    nodes, weights = smoothing._lanczos_quadrature(S, X)
    for f in (np.exp, np.sqrt, lambda v: v**3):
        values, V = np.linalg.eigh(M)
        wanted = np.diag(X.T @ V @ np.diag(f(values)) @ V.T @ X)
        np.testing.assert_allclose((f(nodes) * weights).sum(axis=0), wanted, rtol=1e-10)


@pytest.mark.parametrize(("method", "power"), [("tikhonov", 1), ("heat", 1), ("wiener", 2)])
def test_sixty_one_strengths_four_to_a_decade(method, power):
    L = cl.graph_laplacian(nx.cycle_graph(8))  # |L| has row sums of 4
    chosen = tasks.choose_strength(L, np.arange(8.0), method=method)
    np.testing.assert_allclose(
        chosen.strengths * 4.0**power, 10.0 ** np.linspace(-4, 11, 61), rtol=1e-9
    )
    assert chosen.strength == chosen.strengths[np.argmin(chosen.scores)]


def test_a_signal_that_no_smoother_changes_has_the_score_of_its_trace():
    zero = SparseOperator(sparse.csr_array((3, 3)), range(3), None, "given")
    assert tasks.choose_strength(zero, np.ones(3), strengths=[1.0]).scores.tolist() == [np.inf]


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_the_upper_bound_is_in_the_unit_of_the_operator(unit):
    """4 for a cycle, whose |L| has equal row sums; a star of 3 has 4, and row sums up to 6."""
    for graph, largest in ((nx.cycle_graph(7), 4.0), (nx.star_graph(3), 4.0)):
        L = cl.graph_laplacian(graph).A
        S = SparseOperator(unit * L, range(len(graph)), None, "given")
        assert unit * largest <= filters.upper_bound(S) * (1 + 1e-12)
        assert filters.upper_bound(S) <= 1.01 * unit * largest
    assert filters.upper_bound(SparseOperator(sparse.csr_array((2, 2)), (0, 1), None, "0")) == 1.0


def test_at_most_so_many_chebyshev_terms():
    """cos(c x) on [0, 1] needs c / 2 terms and some; a quarter of 16,384 has to be idle."""
    assert 12_000 < len(filters.expansion(lambda x: np.cos(24_000 * x), 1.0, 1e-8)) < 12_288
    with pytest.raises(cl.ConvergenceError, match="16384"):
        filters.expansion(lambda x: np.cos(25_000 * x), 1.0, 1e-8)


class Careless(SparseOperator):
    """Products as wrong as they may be."""

    def apply(self, x, error=0.0):
        wrong = np.random.default_rng(len(self.given)).standard_normal(x.shape)
        self.given.append(error)
        return self.A @ x + error * wrong / np.linalg.norm(wrong, axis=0)


@pytest.mark.parametrize("error", [1e-3, 1e-6])
def test_products_as_wrong_as_allowed_keep_the_error_that_was_asked_for(monkeypatch, error):
    monkeypatch.setattr(filters, "DENSE", 0)
    L = cl.graph_laplacian(nx.random_regular_graph(4, 60, seed=0))
    x = np.random.default_rng(1).standard_normal((60, 2))
    for h, least in ((lambda v: np.exp(-v), 1.0), (lambda v: 1e-3 * np.cos(v), 1e-3)):
        S = Careless(L.A, L.labels, None, "careless")
        S.given = []
        found = filters.apply_responses(S, x, [h], error)[0]
        values, V = np.linalg.eigh(L.A.toarray())
        truth = V @ (h(values)[:, None] * (V.T @ x))
        size = np.linalg.norm(x, axis=0)
        assert (np.linalg.norm(found - truth, axis=0) <= error * least * size).all()
        # No product is more exact than it has to be by orders of magnitude.
        assert max(S.given) > 1e-3 * error * least * size.min()


def test_the_largest_factor_is_that_of_the_weakest_response():
    """3 T_1 + 4 T_2 is 7 at one end, and 6 T_3 is 6 there; nothing is above the largest factor."""
    both = [np.array([0.0, 3.0, 4.0]), np.array([0.0, 0.0, 0.0, 6.0])]
    assert filters._largest(both[:1]) == pytest.approx(7.0)
    assert filters._largest(both) == pytest.approx(6.0)
    assert filters._largest([np.array([-2.0])]) == pytest.approx(2.0)
    places = np.linspace(-1.0, 1.0, 10_001)
    for c in np.random.default_rng(0).standard_normal((20, 9)):
        most = np.abs(np.polynomial.chebyshev.chebval(places, c)).max()
        assert 0.7 * most < filters._largest([c]) <= most * (1 + 1e-6)


# Signatures


@pytest.mark.parametrize(("n", "route"), [(2000, "all"), (2001, "some")])
def test_up_to_two_thousand_vertices_all_eigenpairs_are_used(monkeypatch, n, route):
    """Above, 256 random probes for heat, and the 200 smallest for waves."""
    L = cl.graph_laplacian(nx.path_graph(n))
    seen = []

    class EnoughError(Exception):
        pass

    def stop(what):
        seen.append(what)
        raise EnoughError

    monkeypatch.setattr(signatures, "_all", lambda S: stop("all"))
    monkeypatch.setattr(signatures, "_by_probes", lambda S, t, probes, rng: stop(probes))
    monkeypatch.setattr(SparseOperator, "spectrum", lambda S, k=None, mass=None: stop(k))
    for task in (cl.heat_kernel_signature, cl.wave_kernel_signature):
        with pytest.raises(EnoughError):
            task(L)
    assert seen == (["all", "all"] if route == "all" else [256, 200])


def test_probes_are_drawn_in_blocks_and_their_mean_is_taken(monkeypatch):
    monkeypatch.setattr(signatures, "_FULL", 0)
    zero = SparseOperator(sparse.csr_array((2, 2)), range(2), None, "given")
    for n_probes in (2, 33, 4000):
        found = cl.heat_kernel_signature(zero, [0.0, 1.0], n_probes=n_probes)
        assert found.error == pytest.approx((2 / n_probes) ** 0.5)
        assert (abs(found.features - 1.0) < 5 * found.error).all()  # exp(0) = 1
    with pytest.raises(cl.InputError, match="n_probes"):
        cl.heat_kernel_signature(zero, [1.0], n_probes=1)


def test_waves_by_default_go_from_the_smallest_to_the_largest_in_bands_of_seven_steps():
    L = cl.graph_laplacian(nx.path_graph(6))
    values = L.spectrum().values
    found = cl.wave_kernel_signature(L, n_energies=5)
    np.testing.assert_allclose(found.at, np.linspace(np.log(values[1]), np.log(values[-1]), 5))
    step = found.at[1] - found.at[0]
    again = cl.wave_kernel_signature(L, found.at, sigma=7 * step)
    np.testing.assert_allclose(again.features, found.features, rtol=1e-12)
    one = cl.wave_kernel_signature(L, n_energies=1)
    wide = cl.wave_kernel_signature(L, one.at, sigma=7 * (np.log(values[-1]) - np.log(values[1])))
    np.testing.assert_allclose(one.features, wide.features, rtol=1e-12)
    assert found.error == 0.0
    assert np.isnan(cl.wave_kernel_signature(L.spectrum(5)).error)


def test_of_a_spectrum_without_a_count_zeros_are_told_by_their_size():
    L = cl.graph_laplacian(nx.path_graph(4))
    for first, n_zeros in ((1e-9, 1), (1e-7, 0)):
        spectrum = SimpleNamespace(values=np.array([first, 0.5, 1.0]), n_zeros=None)
        assert signatures._zeros(spectrum) == n_zeros
    assert signatures._zeros(L.spectrum(3)) == 1


# Doubt


def test_where_nothing_can_be_said_every_share_is_the_worst():
    found = tasks.likely_false(cl.clique_complex(nx.path_graph(9)))
    assert (found.separation, found.missed, found.caught) == (0.5, 1.0, 0.0)
    assert (found.largest_share, found.wrong, found.false_share) == (1.0, None, None)
    assert found.first_break_even()[0] == 1.0
    assert len(found.decoys) == 0
    assert found.knowing(0.1) is found


@pytest.mark.parametrize(("above", "said"), [(0.519, False), (0.52, True)])
def test_edges_have_to_be_two_standard_errors_above_random_pairs(monkeypatch, above, said):
    monkeypatch.setattr(_against_decoys, "separation", lambda values, decoys: (above, 0.01))
    found = tasks.likely_false(
        cl.clique_complex(nx.karate_club_graph(), weight=None),
        level=0.5,
        evidence="cells",
        decoys="degree",
    )
    assert (not found.reason) == said
    assert found.separation == above
    assert len(found.decoys) == 400
