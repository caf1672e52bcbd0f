"""What a user's type checker is to know: run by mypy, not by Python."""

from pathlib import Path
from typing import assert_type

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import cellapse as cl

Floats = NDArray[np.float64]


def used() -> None:
    K = cl.clique_complex(nx.karate_club_graph())
    n: int = len(K)
    for u, v in K.edges:
        print(u, v, u in K)
    for vertex in K:
        print(vertex)

    S = cl.collapse(K)
    for (u, v), t in cl.edge_trust(K).lowest(3):
        print(u, v, f"{t:.2f}")

    edges = [("a", "b"), ("b", "c")]
    cl.graph_laplacian(edges)
    cl.projection_laplacian([{"a", "b", "c"}])
    assert_type(cl.make_operator(edges, "laplacian"), cl.Operator)
    cl.tasks.likely_false(edges)
    cl.tasks.verdict(edges, rng=1)
    cl.tasks.modularity(edges, [0, 0, 1])
    cl.theory.check(edges)

    assert_type(cl.smooth(S, np.ones(n), strength=0.2), Floats)
    assert_type(cl.smooth(S, [1.0] * n), Floats)
    assert_type(cl.tasks.diffuse(S, np.ones(n), [1.0]), list[Floats])
    assert_type(cl.tasks.spectral_filter(S, np.ones(n), np.cos), Floats)
    assert_type(cl.cluster(S, 2).as_dict()[0], int)
    assert_type(cl.embed(S, 2).coordinates, Floats)
    assert_type(S.spectrum(3).values, Floats)
    assert_type(cl.heat_kernel_signature(S, [0.1]).features, Floats)
    assert_type(cl.effective_resistance(S, [(0, 1)]), Floats)
    assert_type(cl.read("network.csv"), cl.Complex)
    assert_type(cl.datasets.load("karate"), cl.datasets.Dataset)
    assert_type(cl.datasets.load_protein("1UBQ"), cl.datasets.Protein)

    R = cl.reduce(S, [0, 33])
    assert_type(R.complete([1.0, 2.0]), Floats)
    assert_type(R.spectrum(2).values, Floats)
    assert_type(cl.matern_kernel(edges).diagonal(), Floats)
    assert_type(cl.diffusion_kernel(S, 2.0).toarray(), Floats)
    assert_type(cl.gaussian_process(S, {0: 1.0, 33: 2.0}).mean, Floats)
    assert_type(cl.tasks.sweep_cut(edges).conductance, float)
    assert_type(cl.tasks.cheeger_constant(edges).conductance, float)
    weighted = K.with_attributes(None, cl.weights.distances(K))
    assert_type(weighted, cl.Complex)
    T = cl.TemporalComplex.from_cells(edges, ["2024-01-31", "2024-02-01"], weights=[1, 2])
    for window in T.windows("1h"):
        assert_type(window.complex, cl.Complex)
    for moment in cl.collapse_over_time(T, "1d", n_clusters=2):
        assert_type(moment.values, Floats)
    moments = list(cl.collapse_over_time(cl.as_temporal("contacts.csv"), 3600))
    print(cl.temporal.find_changes(moments).to_words())
    cl.scverse.smooth(None, strength=2.0)

    analysis = cl.analysis.analyze(K, 2)
    assert_type(cl.analyze(K, 2), cl.analysis.Analysis)
    cl.report.write_report(analysis, "report.html")
    cl.plot.plot_complex(K, cl.cluster(S, 2))
    cl.io.write(K, "network.json")
    assert_type(cl.experiments.reproduce(["networks"], quick=True), Path)
    cl.estimators.CollapsedLabelSpreading(operator=cl.Screened(rounds=3), n_neighbors=5)
    encode = cl.torch.AddCollapsedPE(8, operator="laplacian")
    print(cl.scale.__name__, encode)
