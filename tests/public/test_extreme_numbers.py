"""Numbers of any size as arguments: the result is finite, or an error of ours says what fits."""

import networkx as nx
import numpy as np
import pytest

import cellapse as cl
from cellapse import lifts, tasks

K = cl.clique_complex(nx.karate_club_graph())
S, L = cl.collapse(K), cl.graph_laplacian(K)
SIGNAL = np.cos(np.arange(34.0))
HYPEREDGES = [["a", "b", "c"], ["c", "d"]]
SIZES = [0.0, 1e-320, 1e-300, 1e-160, 1e-60, 1e60, 1e160, 1e300, 1.7e308]


def unfolded(**given):
    return cl.collapse(K, "unfolded", **given).toarray()


TABLE = {
    "heat_kernel_signature(times)": lambda v: cl.heat_kernel_signature(S, [v]),
    "wave_kernel_signature(energies)": lambda v: cl.wave_kernel_signature(S, [v]),
    "wave_kernel_signature(sigma)": lambda v: cl.wave_kernel_signature(S, sigma=v),
    "smooth(strength)": lambda v: cl.smooth(S, SIGNAL, strength=v),
    "smooth(strength) by heat": lambda v: cl.smooth(S, SIGNAL, strength=v, method="heat"),
    "diffuse(times)": lambda v: tasks.diffuse(S, SIGNAL, [v])[0],
    "choose_strength(strengths)": lambda v: (
        tasks.choose_strength(S, SIGNAL, strengths=[v, 2.0]).strength
    ),
    "band_pass(low, high)": lambda v: tasks.spectral_filter(
        S, SIGNAL, tasks.band_pass(v, 2.0 * v, 1.0)
    ),
    "band_pass(width)": lambda v: tasks.spectral_filter(S, SIGNAL, tasks.band_pass(1.0, 2.0, v)),
    "spread_labels(strength)": lambda v: (
        cl.spread_labels(S, {0: "a", 33: "b"}, method="regularized", strength=v).probabilities
    ),
    "effective_resistance(rtol)": lambda v: cl.effective_resistance(L, [(0, 1)], rtol=v),
    "solve(shift)": lambda v: S.solve(SIGNAL - SIGNAL.mean(), v),
    "count_below(value)": lambda v: S.count_below(v),
    "spectrum(mass)": lambda v: S.spectrum(3, np.full(34, v)).values,
    "cluster(mass)": lambda v: cl.cluster(S, 2, mass=np.full(34, v)).spectrum.values,
    "embed(mass)": lambda v: cl.embed(S, 2, mass=np.full(34, v)).values,
    "fiedler(mass)": lambda v: tasks.fiedler(S, mass=np.full(34, v)).value,
    "motif_laplacian(floor)": lambda v: cl.motif_laplacian(K, v).toarray(),
    "multiorder_laplacian(weights)": lambda v: cl.multiorder_laplacian(K, [v, 1.0]).toarray(),
    "collapse(beta)": lambda v: cl.collapse(K, beta=v).toarray(),
    "collapse(eps)": lambda v: cl.collapse(K, eps=v).toarray(),
    "unfolded(beta)": lambda v: unfolded(beta=v),
    "unfolded(gamma)": lambda v: unfolded(gamma=v),
    "unfolded(eps)": lambda v: unfolded(eps=v),
    "CG(rtol)": lambda v: unfolded(solver=cl.CG(rtol=v)),
    "Screened(theta)": lambda v: cl.collapse(K, cl.Screened(theta=v)).toarray(),
    "a multiple": lambda v: cl.as_operator(v * L).spectrum(3).values,
    "an adjacency": lambda v: cl.collapse(
        np.array([[0.0, v, 1.0], [v, 0.0, 1.0], [1.0, 1.0, 0.0]])
    ).toarray(),
    "hypergraph_complex(weights)": lambda v: cl.zhou_laplacian(
        cl.hypergraph_complex(HYPEREDGES, weights=[v, 1.0])
    ).toarray(),
    "rips_complex(max_distance)": lambda v: lifts.rips_complex(np.eye(3), v).n_cells,
    "likely_false(false_share)": lambda v: cl.likely_false(K, false_share=v).missed,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TABLE)
def test_finite_or_an_error_of_ours(name):
    wrong = {}
    for size in SIZES:
        try:
            result = np.asarray(TABLE[name](size), dtype=float)
        except cl.CellapseError:
            continue
        if not np.isfinite(result).all():
            wrong[size] = result
    assert not wrong


def test_what_the_error_of_a_small_rtol_advises():
    with pytest.raises(cl.SizeError, match="larger rtol"):
        cl.effective_resistance(L, [(0, 1)], rtol=1e-30)
    assert cl.effective_resistance(L, [(0, 1)]) > 0
