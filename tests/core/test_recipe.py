"""The recipes of CONTRIBUTING with toys: a new realization, eigensolver and inverse."""

from dataclasses import dataclass
from typing import ClassVar

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse._collapse import elimination
from cellapse._collapse.inverse import Inverse
from cellapse._collapse.realizations import REALIZATIONS
from cellapse._linalg.eigen.problem import EigenSolver
from cellapse.cli.app import app
from cellapse.report.explorer import Explorer, Settings

typer_testing = pytest.importorskip("typer.testing")


@dataclass(frozen=True)
class Halved(cl.Realization):
    """Containment with every entry halved."""

    summary: ClassVar[str] = "A toy: which cells contain which, at half the weight."

    @property
    def name(self):
        return "halved"

    def matrices(self, K):
        B = cl.incidence_matrices(K)
        return cl.Incidence(tuple(0.5 * M for M in B), self.name, K, B.n_formal)


@pytest.fixture
def halved(monkeypatch):
    monkeypatch.setitem(REALIZATIONS, "halved", Halved())
    return cl.clique_complex(nx.karate_club_graph(), weight=None)


def by_definition(K, eps=1e-4):
    """S from the formula of the paper."""
    B1, B2 = (0.5 * M.toarray() for M in cl.incidence_matrices(K))
    s1, s2 = (np.linalg.svd(M, compute_uv=False) for M in (B1, B2))
    g0, g1 = (s[s > 1e-9].min() for s in (s1, s2))
    X = np.hstack([-g0 * B1, np.zeros((len(B1), B2.shape[1]))])
    C = np.block([[B1.T @ B1 + B2 @ B2.T, -g1 * B2], [-g1 * B2.T, B2.T @ B2]])
    return B1 @ B1.T - X @ np.linalg.solve(C + eps * np.eye(len(C)), X.T)


def test_in_collapse_by_name_and_as_an_object(halved):
    expected = by_definition(halved)
    for given in ("halved", Halved()):
        S = cl.collapse(halved, given)
        np.testing.assert_allclose(S.toarray(), expected, atol=1e-9)
        assert repr(S).startswith("<CollapsedOperator halved on 34 vertices")
        assert "A toy" in str(S)


def test_in_batches_and_checks(halved):
    expected = np.linalg.eigvalsh(by_definition(halved))
    found = cl.batch.spectra([halved, halved], operator="halved")
    np.testing.assert_allclose(found.values[1], expected, atol=1e-9)
    assert cl.theory.check(cl.collapse(halved, "halved")).holds


def test_on_the_command_line(halved, tmp_path):
    out = tmp_path / "labels.csv"
    words = ["cluster", "karate", "-k", "2", "--operator", "halved", "-o", str(out)]
    run = typer_testing.CliRunner().invoke(app, words)
    assert run.exit_code == 0, run.output
    assert len(out.read_text().splitlines()) == 35


def test_in_the_explorer(halved):
    explorer = Explorer(halved)
    assert explorer.start()["realizations"]["halved"]["hint"].startswith("A toy")
    answer = explorer.answer(Settings("halved", gamma=1.0, beta=1.0, clusters=2))
    values = cl.collapse(halved, "halved").spectrum(8, answer["mass"]).values
    np.testing.assert_allclose(answer["values"], values, atol=1e-5)


def test_in_an_estimator(halved):
    A = nx.to_scipy_sparse_array(nx.karate_club_graph(), weight=None)
    model = cl.CollapsedSpectralClustering(2, affinity="precomputed", operator="halved")
    assert set(model.fit_predict(A)) == {0, 1}


def test_in_a_layer_that_learns(halved):
    torch = pytest.importorskip("torch", reason="layers need the extra torch")
    from cellapse.torch import Collapse

    layer = Collapse(halved, realization="halved")
    S = layer.operator().dense().detach().numpy()
    np.testing.assert_allclose(S, by_definition(halved), atol=1e-9)
    layer(torch.ones(34)).sum().backward()
    assert layer.log_beta.grad is not None


# An eigensolver: how to find the smallest eigenpairs; all else comes with `spectrum`


@dataclass(frozen=True)
class Whole(EigenSolver):
    """All eigenpairs by NumPy, with what is known moved to the other end; it claims nothing."""

    def find(self, problem):
        known = problem.onto_kernel.add_to(problem.dense(), 2.0 * problem.norm)
        known += 2.0 * problem.norm * problem.deflated @ problem.deflated.T
        values, vectors = np.linalg.eigh(known)
        return values[: problem.k], vectors[:, : problem.k]


@pytest.mark.parametrize("mass", [None, "degree"])
def test_an_eigensolver_finds_and_the_evidence_comes_with_spectrum(mass):
    """Also with three components, whose zeros are not among what it finds."""
    graph = nx.disjoint_union(nx.karate_club_graph(), nx.disjoint_union(*[nx.cycle_graph(5)] * 2))
    S = cl.collapse(cl.clique_complex(graph, weight=None))
    found, usual = (S.spectrum(8, mass, solver=one) for one in (Whole(), cl.Dense()))
    np.testing.assert_allclose(found.values, usual.values, atol=1e-9 * found.norm)
    assert (found.values[:3] == 0.0).all()
    assert found.certified is None  # nothing counted: it was searched whether any is missing
    assert found.residuals.max() < 1e-8 * found.norm
    assert found.solver == Whole()


# An inverse: how K^-1 is applied; the laws of `test_inverse.py` are those of all


class Plain(Inverse):
    """K as it is written down, and its inverse by LAPACK."""

    method = "as it is written"

    def dense(self, error=0.0):
        level = self.level
        B, M = level.B.toarray(), level.M.toarray()
        K = np.eye(level.n) + level.beta * B @ np.linalg.solve(M, B.T)
        return np.eye(level.n) - np.linalg.inv(K)

    def apply(self, x, error=0.0):
        return self.dense() @ x, 1e-12 * self.level.size(x)


@pytest.mark.parametrize("realization", ["unfolded", "mixed", "incidence"])
def test_an_inverse_is_all_that_elimination_needs(realization, monkeypatch):
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    x = np.linspace(-1.0, 1.0, 34)
    usual = cl.collapse(K, realization, eps=1e-2)
    expected = usual.toarray(), usual @ x, usual.complete(x), usual.spectrum(4).values
    monkeypatch.setattr(elimination, "inverse_of", lambda level, solver=None: Plain(level))
    S = cl.collapse(K, realization, eps=1e-2)
    near = {"atol": 1e-9 * S.norm_bound()}
    np.testing.assert_allclose(S.toarray(), expected[0], **near)
    np.testing.assert_allclose(S @ x, expected[1], **near)
    for rank, values in S.complete(x).items():
        np.testing.assert_allclose(values, expected[2][rank], atol=1e-7)
    np.testing.assert_allclose(S.spectrum(4).values, expected[3], **near)
    assert "as it is written" in str(S)
