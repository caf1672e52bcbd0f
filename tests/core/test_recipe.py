"""A new realization by the recipe of CONTRIBUTING: one class, one line in the registry."""

from dataclasses import dataclass
from typing import ClassVar

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse._collapse.realizations import REALIZATIONS
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
