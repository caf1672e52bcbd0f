"""Numbers of any size as arguments: the result is finite, or an error of ours says what fits.

Every number of every call of `public_calls` is made very small, very large, infinite and missing,
so that a new function is asked by being listed there.
"""

from collections.abc import Mapping

import networkx as nx
import numpy as np
import pytest
from everyday import everyday
from public_calls import ALL, arguments_of
from test_weights_count import HEAVY, numbers, places, result, weighted

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


# ---------------------------------------------------------------- every number of every call

FACTORS = (1e-300, 1e-156, 1e154, 1e300)
NO_NUMBERS = (float("nan"), float("inf"), float("-inf"))
KEPT = "kept as it is, and nothing computes with it"
LINEAR = "what is not known in a signal is not known in its product, as of a matrix of NumPy"
SQUARES = "a square of the signal, which may be beyond all numbers"
KNOWN = "NaN says that it is not known"
MAY_BE_INFINITE = {
    **dict.fromkeys(
        ["Operator.energy(u)", "dirichlet_energy(signal)", "cell_influence(at)"], SQUARES
    ),
    "choose_strength(signal)": SQUARES,
}
MAY_BE_MISSING = {
    **dict.fromkeys([f"Complex.{n}(attributes)" for n in ("from_cells", "from_arrays")], KEPT),
    **dict.fromkeys(["TemporalComplex.from_cells(attributes)", "Spectra.table(fill)"], KEPT),
    "Complex.with_attributes(attributes)": KEPT,
    **dict.fromkeys([f"Operator.{n}(x)" for n in ("matvec", "rmatvec")], LINEAR),
    **dict.fromkeys([f"Operator.{n}(X)" for n in ("matmat", "rmatmat")], LINEAR),
    **dict.fromkeys(["gaussian_process(known)", "CollapsedGPRegressor(y)"], KNOWN),
}


def times(value, factor):
    """The numbers in it times a factor; None where there are no fractions."""
    return replaced(value, lambda x: factor * x)


def with_one(value, entry):
    """The numbers in it, one of which is another."""

    def put(x):
        x = x.copy()
        x.flat[min(1, x.size - 1)] = entry
        return x

    return replaced(value, put)


def replaced(value, change):
    if isinstance(value, float):
        return float(change(np.array(value)))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return change(value)
    if isinstance(value, list | tuple) and value and all(isinstance(v, float) for v in value):
        return change(np.array(value)).tolist()
    if isinstance(value, Mapping):
        made = {k: replaced(v, change) for k, v in value.items()}
        if any(v is not None for v in made.values()):
            return {k: value[k] if v is None else v for k, v in made.items()}
    return None


def arguments_with_numbers():
    for name in ALL:
        for key, value in arguments_of(name).items():
            if times(value, 1.0) is not None:
                yield name, key


ARGUMENTS = list(arguments_with_numbers())


def numbers_of(name, key, change, by):
    """The numbers of a call with a changed argument; None where it is refused."""
    function, arguments = ALL[name]()
    with np.errstate(all="ignore"):
        arguments[key] = change(arguments[key], by)
    try:
        return np.concatenate([np.empty(0), *numbers(function(**arguments))])
    except cl.CellapseError:
        return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "key"),
    everyday(ARGUMENTS, [a for a in ARGUMENTS if a[1] != "rtol" and "plot" not in a[0]]),
)
def test_every_number_of_every_call(name, key):
    named = f"{name}({key})"
    for factor in FACTORS:
        found = numbers_of(name, key, times, factor)
        if found is not None:
            assert not np.isnan(found).any(), factor
            assert named in MAY_BE_INFINITE or np.isfinite(found).all(), factor
    for entry in NO_NUMBERS:
        found = numbers_of(name, key, with_one, entry)
        assert found is None or named in MAY_BE_MISSING, entry


def test_nothing_that_may_be_is_gone():
    assert {*MAY_BE_INFINITE, *MAY_BE_MISSING} <= {f"{name}({key})" for name, key in ARGUMENTS}


PLACES = list(places())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "key"), everyday(PLACES, PLACES[::4]))
def test_weights_in_any_unit(name, key):
    for unit in (1e-90, 1e-30, 1e-9, 1e9, 1e30, 1e55):
        try:
            found = result(name, key, weighted(np.array(list(HEAVY.values())) * unit))
        except cl.CellapseError:
            continue
        assert np.isfinite(found).all(), unit
