"""One rule for every argument with one entry per vertex or cell, in every public function.

What has labels (Series, frames, mappings, results of cellapse) goes by them; missing, unknown and
repeated labels are refused by name; arrays and lists go by position. Masked entries, and dates,
text and gaps where numbers are needed, are refused. `TABLE` has a row for every such argument, and
the last tests fail for a public function with one that is not listed.
"""

import inspect
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from everyday import everyday
from public_calls import RESULTS, public_names

import cellapse as cl
from cellapse import io, lifts, tasks

LABELS = ("d", "a", "f", "c", "b", "g", "e")  # neither sorted nor numbers
EDGES = [("d", "a"), ("a", "f"), ("d", "f"), ("f", "c"), ("c", "b"), ("b", "g"), ("c", "g")]
EDGES = [*EDGES, ("g", "e")]
CELLS = {0: LABELS, 1: EDGES, 2: [("d", "a", "f"), ("c", "b", "g")]}
POSITIONS = np.array([[0, 0], [1, 3], [4, 1], [5, 5], [7, 2], [8, 8], [9, 4.0]])
NUMBERS = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 7.0, 2.5])
COLUMNS = np.stack([NUMBERS, NUMBERS[::-1] ** 2], axis=1)
GROUPS = np.array([0, 0, 0, 1, 1, 2, 1])
LENGTHS = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
HYPEREDGES = {"u": ["d", "a", "f"], "v": ["f", "c"], "w": ["c", "b", "g"]}


def K():
    return cl.Complex.from_cells(CELLS)


def S():
    return cl.collapse(K(), "renormalized")


def L():
    return cl.graph_laplacian(K())


def R():
    """Without one vertex that hangs on the others."""
    return cl.reduce(cl.graph_laplacian([*EDGES, ("e", "z"), ("z", "d")]), list(LABELS))


def P():
    return cl.reduction.Pyramid((R().of, R()))


def fewer():
    return cl.reduce(L(), list(LABELS[:3]))


def on_edges():
    return cl.hodge_laplacian(K(), 1)


def numbers_of_cells():
    place = {v: i for i, v in enumerate(LABELS)}
    return {k: [[place[v] for v in cell] for cell in CELLS[k]] for k in (1, 2)}


def drawn(ax):
    """Where the vertices of a drawing are, and their colours; the axes are closed."""
    from matplotlib import pyplot

    marks = [c for c in ax.collections if type(c).__name__ == "PathCollection"]
    lines = [np.asarray(line.get_ydata()) for line in ax.lines]
    found = [np.asarray(m.get_offsets()) for m in marks], [m.get_array() for m in marks], lines
    pyplot.close(ax.figure)
    return found


def plotted(function, /, **arguments):
    from cellapse import plot

    return drawn(getattr(plot, function)(**arguments))


def written(values, folder):
    io.write({"age": values}, folder / "ages.json", on=K())
    return (folder / "ages.json").read_text()


def analysed(values):
    from cellapse.analysis import analyze

    return analyze(K(), 2, groups=values, quick=True).groups


@dataclass(frozen=True)
class Row:
    """How to call a function with one argument, what that takes, and whether it comes back."""

    call: Callable[..., Any]
    values: Any = None
    takes: str = "numbers"  # see REFUSED
    labels: tuple[Any, ...] = LABELS
    back: bool = False  # whether the result is a signal itself

    @property
    def given(self):
        return NUMBERS if self.values is None else self.values


def spectrum(values):
    return S().spectrum(3, values).values


def at_rank(k):
    return lambda v: K().with_attributes({k: {"size": v}}).attributes[k]["size"]


def weighted(v):
    return cl.Complex.from_cells(CELLS, weights={1: v}).weights[1]


def from_arrays(**more):
    return cl.Complex.from_arrays(7, numbers_of_cells(), LABELS, **more)


NUMBERS_OF_EDGES = range(len(EDGES))
HALF = lambda x: 0.5 * x  # noqa: E731
BY_LABEL = pd.Series(GROUPS, LABELS)
EDGE_LABELS = tuple(EDGES)
TABLE = {
    "SymmetricOperator.energy(u)": Row(lambda v: S().energy(v), takes="complex"),
    "SymmetricOperator.energy(u) on edges": Row(
        lambda v: on_edges().energy(v), LENGTHS, "complex", EDGE_LABELS
    ),
    "LabelledOperator.__matmul__(x)": Row(lambda v: S() @ v, takes="operand", back=True),
    "LabelledOperator.__matmul__(x) on edges": Row(
        lambda v: on_edges() @ v, LENGTHS, "operand", EDGE_LABELS, back=True
    ),
    "LabelledOperator.__matmul__(x) of a sum": Row(
        lambda v: (2 * S() + L() / 3 - S() @ S()) @ v, takes="operand", back=True
    ),
    "LabelledOperator.__matmul__(x) of one that changes": Row(
        lambda v: cl.temporal.LiveOperator(K()) @ v, takes="operand", back=True
    ),
    "LabelledOperator.rmatvec(x)": Row(lambda v: S().rmatvec(v), takes="operand", back=True),
    "LabelledOperator.rmatmat(X) of a product": Row(
        lambda v: (S() @ L()).rmatmat(v), COLUMNS, "operand", back=True
    ),
    "LabelledOperator.dot(x)": Row(lambda v: S().dot(v), takes="operand", back=True),
    "LabelledOperator.matvec(x)": Row(lambda v: S().matvec(v), takes="operand", back=True),
    "LabelledOperator.matmat(X)": Row(lambda v: S().matmat(v), COLUMNS, "operand", back=True),
    "Operator.solve(b)": Row(lambda v: S().solve(v, 0.5), back=True),
    "Operator.solve(b) of columns": Row(lambda v: L().solve(v, 0.5), COLUMNS, back=True),
    "Operator.spectrum(mass)": Row(spectrum),
    "Operator.count_below(mass)": Row(lambda v: S().count_below(0.3, v)),
    "CollapsedOperator.complete(u)": Row(lambda v: cl.collapse(K(), "unfolded").complete(v)[1]),
    "ReducedOperator.complete(x)": Row(lambda v: R().complete(v)),
    "ReducedOperator.restrict(b)": Row(lambda v: fewer().restrict(v)),
    "Pyramid.interpolate(x)": Row(lambda v: P().interpolate(v)),
    "Pyramid.restrict(b)": Row(lambda v: cl.reduction.Pyramid((L(), fewer())).restrict(v)),
    "ReducedOperator.solve(b)": Row(lambda v: R().solve(v, 0.5), back=True),
    "cluster(mass)": Row(lambda v: cl.cluster(S(), 2, mass=v).spectrum.values),
    "embed(mass)": Row(lambda v: cl.embed(S(), 2, mass=v).values),
    "positional_encoding(mass)": Row(lambda v: cl.positional_encoding(S(), 2, mass=v).values),
    "suggest_n_clusters(mass)": Row(lambda v: cl.suggest_n_clusters(S(), mass=v)),
    "fiedler(mass)": Row(lambda v: tasks.fiedler(S(), mass=v).value),
    "cheeger_constant(mass)": Row(lambda v: tasks.cheeger_constant(S(), mass=v).conductance),
    "sweep_cut(mass)": Row(lambda v: tasks.sweep_cut(S(), mass=v).conductance),
    "sweep_cut(scores)": Row(lambda v: tasks.sweep_cut(S(), v).inside),
    "smooth(signal)": Row(lambda v: cl.smooth(S(), v), back=True),
    "smooth(signal) of columns": Row(lambda v: cl.smooth(S(), v), COLUMNS, back=True),
    "smooth(signal) on edges": Row(
        lambda v: cl.smooth(on_edges(), v), LENGTHS, labels=EDGE_LABELS, back=True
    ),
    "diffuse(signal)": Row(lambda v: tasks.diffuse(S(), v, [0.5])[0], back=True),
    "choose_strength(signal)": Row(
        lambda v: tasks.choose_strength(S(), v, strengths=[0.5, 1.0, 2.0]).scores
    ),
    "spectral_filter(signal)": Row(lambda v: tasks.spectral_filter(S(), v, HALF), back=True),
    "dirichlet_energy(signal)": Row(lambda v: tasks.dirichlet_energy(S(), v)),
    "total_variation(signal)": Row(lambda v: tasks.total_variation(S(), v)),
    "cell_influence(at)": Row(lambda v: tasks.cell_influence(S(), "energy", v).by_rank[1]),
    "edge_trust(confidence)": Row(
        lambda v: cl.edge_trust(K(), evidence="cells", confidence=v).values,
        LENGTHS / 10,
        labels=EDGE_LABELS,
    ),
    "modularity(clusters)": Row(lambda v: tasks.modularity(K(), v), GROUPS, "whole numbers"),
    "clustering_accuracy(clusters)": Row(
        lambda v: cl.clustering_accuracy(v, BY_LABEL), GROUPS, "groups"
    ),
    "clustering_accuracy(groups)": Row(
        lambda v: cl.clustering_accuracy(BY_LABEL, v), GROUPS, "groups"
    ),
    "spread_labels(known)": Row(
        lambda v: tasks.spread_labels(S(), v).probabilities, GROUPS - 1, "known"
    ),
    "gaussian_process(known)": Row(
        lambda v: cl.gaussian_process(S(), v, length=1.0, noise=0.1).mean, NUMBERS, "known"
    ),
    "analyze(groups)": Row(analysed, GROUPS, "groups"),
    "Complex.plot(values)": Row(lambda v: drawn(K().plot(v, positions=POSITIONS)), takes="groups"),
    "Complex.plot(values) of groups": Row(
        lambda v: drawn(K().plot(v, positions=POSITIONS)), GROUPS, "groups"
    ),
    "Complex.plot(positions)": Row(lambda v: drawn(K().plot(positions=v)), POSITIONS),
    "plot_complex(values)": Row(
        lambda v: plotted("plot_complex", source=K(), values=v, positions=POSITIONS),
        GROUPS,
        "groups",
    ),
    "plot_complex(positions)": Row(
        lambda v: plotted("plot_complex", source=K(), values=GROUPS, positions=v), POSITIONS
    ),
    "plot_embedding(values)": Row(
        lambda v: plotted("plot_embedding", operator=S(), values=v), GROUPS, "groups"
    ),
    "plot_embedding(mass)": Row(lambda v: plotted("plot_embedding", operator=S(), mass=v)),
    "plot_signatures(groups)": Row(
        lambda v: plotted("plot_signatures", operator=S(), groups=v, times=[0.5, 2.0]),
        GROUPS,
        "groups",
    ),
    "write(obj)": Row(written, takes="anything"),
    "Complex.from_cells(attributes)": Row(
        lambda v: cl.Complex.from_cells(CELLS, attributes={0: {"age": v}}).attributes[0]["age"],
        takes="anything",
    ),
    "Complex.from_cells(attributes) of rank 2": Row(
        lambda v: cl.Complex.from_cells(CELLS, attributes={2: {"age": v}}).attributes[2]["age"],
        NUMBERS[:2],
        "anything",
        tuple(CELLS[2]),
    ),
    "Complex.from_cells(weights)": Row(weighted, LENGTHS, labels=EDGE_LABELS),
    "Complex.from_cells(weights) of vertices": Row(
        lambda v: cl.Complex.from_cells(CELLS, weights={0: v}).weights[0]
    ),
    "Complex.from_arrays(attributes)": Row(
        lambda v: from_arrays(attributes={0: {"age": v}}).attributes[0]["age"], takes="anything"
    ),
    "Complex.from_arrays(weights)": Row(
        lambda v: from_arrays(weights={1: v}).weights[1], LENGTHS, labels=EDGE_LABELS
    ),
    "Complex.with_cells(weights)": Row(
        lambda v: cl.Complex.from_cells({0: LABELS}).with_cells({1: EDGES}, {1: v}).weights[1],
        LENGTHS,
        labels=EDGE_LABELS,
    ),
    "TemporalComplex.from_cells(attributes)": Row(
        lambda v: cl.TemporalComplex.from_cells(
            EDGES, NUMBERS_OF_EDGES, vertices=LABELS, attributes={"age": v}
        ).attributes["age"],
        takes="anything",
    ),
    "Complex.with_attributes(attributes)": Row(at_rank(0), takes="anything"),
    "Complex.with_attributes(attributes) of edges": Row(
        at_rank(1), LENGTHS, "anything", EDGE_LABELS
    ),
    "Complex.with_attributes(weights)": Row(
        lambda v: K().with_attributes({}, {1: v}).weights[1], LENGTHS, labels=EDGE_LABELS
    ),
    "hypergraph_complex(weights)": Row(
        lambda v: cl.hypergraph_complex(HYPEREDGES, weights=v).weights[2],
        NUMBERS[:3],
        labels=tuple(HYPEREDGES),
    ),
    "hypergraph_complex(weights) of hyperedges without names": Row(
        lambda v: cl.hypergraph_complex(list(HYPEREDGES.values()), weights=v).weights[1],
        NUMBERS[:3],
        labels=tuple(map(tuple, HYPEREDGES.values())),
    ),
}

# Public arguments that look alike, and why they are none of these.
FROM_SKLEARN = "estimators go by position, as scikit-learn does: tested below"
NAMES_THEM = "what the vertices are called, or where they are: it makes the labels, tested below"
TENSORS = "a tensor, and nothing with labels: tested below"
INSIDE = "one part of the package calls it on another, with what is aligned"
COME_AGAIN = "cells may come again, at another time: by position"
ELSEWHERE = {
    "TemporalComplex.from_cells(weights)": COME_AGAIN,
    "TemporalComplex.from_cells(times)": COME_AGAIN,
    "TemporalComplex.from_cells(ends)": COME_AGAIN,
    "TemporalComplex.from_arrays(weights)": COME_AGAIN,
    "TemporalComplex.from_arrays(attributes)": "as those of from_cells",
    "TemporalComplex.from_arrays(labels)": "labels themselves",
    **{
        f"{name}.{method}": FROM_SKLEARN
        for name, methods in {
            "CollapsedLabelSpreading": (
                *("fit(X)", "fit(y)", "score(X)", "score(y)"),
                *("predict(X)", "predict_proba(X)"),
            ),
            "CollapsedSpectralClustering": ("fit(X)", "fit(y)"),
            "Features": (
                "fit(X)",
                "fit(y)",
                "fit_transform(X)",
                "fit_transform(y)",
                "transform(X)",
            ),
            "SignalSmoother": ("fit(X)", "fit(y)", "predict(X)"),
            "CollapsedGPRegressor": ("fit(X)", "fit(y)", "predict(X)"),
            "Regressor": ("score(X)", "score(y)"),
        }.items()
        for method in methods
    },
    "Complex.from_arrays(labels)": NAMES_THEM,
    "explore(groups)": "that of analyze, on a page that waits for a reader",
    "hypergraph_complex(vertices)": NAMES_THEM,
    "mesh_complex(vertices)": NAMES_THEM,
    **{f"{n}_complex(points)": NAMES_THEM for n in ("alpha", "rips", "nearest_neighbour")},
    "Protein.from_backbone(residues)": NAMES_THEM,
    "Protein.from_backbone(coordinates)": NAMES_THEM,
    "backbone_complex(coordinates)": NAMES_THEM,
    "backbone_complex(labels)": NAMES_THEM,
    **dict.fromkeys(
        [
            *("Collapse.forward(x)", "Collapse.solve(b)", "CollapsedConv.forward(x)"),
            *("DifferentiableOperator.columns(x)", "DifferentiableOperator.solve(b)"),
            *("DifferentiableOperator.largest(values)", "GraphTransformer.forward(x)"),
            *("heat(signal)", "spectral_filter(signal)"),
        ],
        TENSORS,
    ),
    **dict.fromkeys(
        [
            *("SymmetricOperator.apply(x)", "SymmetricOperator.pair(x)"),
            *("SymmetricOperator.norm_bound(mass)", "SymmetricOperator.shifted_system(mass)"),
            "SymmetricOperator.safe_shift(mass)",
            *("ReducedOperator.apply(x)", "ReducedOperator.shifted_system(mass)"),
            *("ReducedOperator.safe_shift(mass)", "KernelOperator.apply(x)"),
            "SparseOperator.apply(x)",
            *("AddCollapsedPE.of_pairs(values)", "AddHeatKernelSignature.of_pairs(values)"),
            *("Realization.slopes(x)", "Screened.slopes(x)", "Unfolded.slopes(x)"),
        ],
        INSIDE,
    ),
    "HermitianOperator(labels)": "labels themselves",
    "HermitianOperator.spectrum(mass)": "a name",
    "multiorder_laplacian(weights)": "a number for each rank",
    "projection_laplacian(weights)": "a name",
    "AddCollapsedPE(mass)": "a name, for all graphs",
    "plot_clusters(clusters)": "Clusters alone",
    "effective_resistance(pairs)": "pairs of labels",
    "effective_conductance(pairs)": "pairs of labels",
}


def shuffled(values, labels):
    order = np.random.default_rng(5).permutation(len(labels))
    assert (order != np.arange(len(labels))).any()
    return np.asarray(values)[order], [labels[i] for i in order]


def pandas_of(values, labels):
    """A Series, or a frame where there are columns; cells are single labels."""
    index = pd.Index(list(labels), tupleize_cols=False)
    make = pd.Series if np.ndim(values) == 1 else pd.DataFrame
    return make(np.asarray(values), index)


def mapping_of(values, labels):
    return dict(zip(labels, np.asarray(values).tolist(), strict=True))


def turned(labels):
    """Cells with their vertices in another order."""
    return [label[::-1] if isinstance(label, tuple) else label for label in labels]


def several_levels(values, labels):
    index = list(labels)
    same = len({len(v) for v in index if isinstance(v, tuple)}) == 1
    return pandas_of(values, index).set_axis(pd.MultiIndex.from_tuples(index)) if same else None


# What says the same as an array in the order of the labels.
SAME = {
    "a list": lambda v, labels: np.asarray(v).tolist(),
    "a tuple": lambda v, labels: tuple(np.asarray(v).tolist()),
    "a dict": mapping_of,
    "a dict in another order": lambda v, labels: mapping_of(*shuffled(v, labels)),
    "a Series": pandas_of,
    "a Series in another order": lambda v, labels: pandas_of(*shuffled(v, labels)),
    "a Series, cells turned": lambda v, labels: pandas_of(*shuffled(v, turned(labels))),
    "a Series with several levels": lambda v, labels: several_levels(*shuffled(v, turned(labels))),
    "the values of a Series": lambda v, labels: pd.DataFrame(v).to_numpy().reshape(np.shape(v)),
    "the values of a dict": lambda v, labels: list(mapping_of(v, labels).values()),
    "a masked array without a masked entry": lambda v, labels: np.ma.masked_array(v, mask=False),
    "a frame of one column": lambda v, labels: (
        pd.DataFrame({"it": pandas_of(*shuffled(v, labels))}) if np.ndim(v) == 1 else None
    ),
    "an array of objects": lambda v, labels: np.asarray(v).astype(object),
    "a Series of a nullable type": lambda v, labels: pandas_of(
        *shuffled(v, labels)
    ).convert_dtypes(),
}


def with_one(values, labels, entry):
    made = np.asarray(values).astype(object)
    made[1] = entry
    return pandas_of(made, labels)


def relabelled(labels, at, new):
    made = list(labels)
    made[at] = new
    return made


def unknown(labels):
    return ("nobody", "at all") if isinstance(labels[0], tuple) else "nobody"


def every(values, entries):
    made = np.broadcast_to(np.asarray(entries)[: len(values), None], (len(values), 2))
    return made[:, 0] if np.ndim(values) == 1 else made


COLUMN_BY_COLUMN = (
    *("dirichlet_energy", "total_variation"),
    *("CollapsedOperator.complete", "ReducedOperator.complete", "ReducedOperator.restrict"),
    *("Pyramid.interpolate", "Pyramid.restrict"),
)
# What is refused everywhere, with a label that has to be named.
REFUSED = {
    "a Series without a label": lambda v, n: (pandas_of(v[:-1], n[:-1]), n[-1]),
    "a dict without a label": lambda v, n: (mapping_of(v[1:], n[1:]), n[0]),
    "a Series with an unknown label": lambda v, n: (
        pandas_of(v, relabelled(n, 1, unknown(n))),
        unknown(n),
    ),
    "a dict with an unknown label": lambda v, n: (
        mapping_of(v, relabelled(n, 1, unknown(n))),
        unknown(n),
    ),
    "a Series with one more label": lambda v, n: (
        pandas_of([*v, v[0]], [*n, unknown(n)]),
        unknown(n),
    ),
    "a Series with a repeated label": lambda v, n: (pandas_of(v, relabelled(n, 0, n[1])), n[1]),
    "a Series with a label more than once": lambda v, n: (pandas_of([*v, v[0]], [*n, n[1]]), n[1]),
    "a Series with the default index": lambda v, n: (pandas_of(v, range(len(n))), ""),
    "a masked array": lambda v, n: (
        np.ma.masked_array(v, mask=(np.arange(np.size(v)) == 1).reshape(np.shape(v))),
        "",
    ),
    "an array that is too short": lambda v, n: (np.asarray(v)[:-1], ""),
    "one number": lambda v, n: (3.5, ""),
    "a set, which has no order": lambda v, n: (set(np.asarray(v).ravel().tolist()), ""),
}
# What depends on what is taken: refused by these.
NO_GAPS = {"numbers", "complex", "whole numbers", "groups"}
NO_WORDS = {"numbers", "complex", "operand", "whole numbers"}
CONTENT = {
    "dates": (lambda v, n: every(v, pd.date_range("2020-01-01", periods=9).to_numpy()), NO_WORDS),
    "dates with a zone": (
        lambda v, n: every(v, pd.date_range("2020", periods=9, tz="UTC").astype(object)),
        NO_WORDS,
    ),
    "times": (lambda v, n: every(v, np.arange(9).astype("m8[s]")), NO_WORDS),
    "words": (lambda v, n: every(v, list("abcdefghi")), NO_WORDS - {"whole numbers"}),
    "numbers as words": (
        lambda v, n: every(v, list("123456789")),
        NO_WORDS - {"whole numbers"},
    ),
    "None": (lambda v, n: with_one(v, n, None), NO_GAPS | NO_WORDS),
    "NaN": (lambda v, n: with_one(v, n, float("nan")), NO_GAPS),
    "NA": (lambda v, n: with_one(v, n, pd.NA), NO_GAPS),
    "complex numbers": (lambda v, n: np.asarray(v) * (1 + 1j), {"numbers", "whole numbers"}),
}


def normal(found, labels):
    """A result as arrays in the order of the labels."""
    if isinstance(found, pd.Series | pd.DataFrame):
        places = {frozenset(v) if isinstance(v, tuple) else v: i for i, v in enumerate(found.index)}
        order = [places[frozenset(v) if isinstance(v, tuple) else v] for v in labels]
        return [found.to_numpy()[order]]
    if isinstance(found, list | tuple) and not isinstance(found, np.ndarray):
        return [a for v in found for a in normal(v, labels)]
    return [] if found is None else [np.asarray(found)]


def run(row, values, folder):
    more = {"folder": folder} if "folder" in inspect.signature(row.call).parameters else {}
    return row.call(values, **more)


def the_same(row, found, expected):
    a, b = normal(found, row.labels), normal(expected, row.labels)
    assert len(a) == len(b)
    for x, y in zip(a, b, strict=True):
        if x.dtype.kind in "fc" or y.dtype.kind in "fc":
            np.testing.assert_allclose(np.asarray(x, float), np.asarray(y, float), atol=1e-9)
        else:
            assert np.asarray(x).tolist() == np.asarray(y).tolist()


def one_of(n, kinds):
    """Every argument with every kind, of which one of n runs every day, in turns."""
    pairs = [(name, kind) for name in TABLE for kind in kinds]
    turns = [i + j for i, _ in enumerate(TABLE) for j, _ in enumerate(kinds)]
    quick = {pair for pair, turn in zip(pairs, turns, strict=True) if turn % n == 0}
    return everyday(pairs, quick)


@cache
def by_position(name):
    with TemporaryDirectory() as folder:
        return run(TABLE[name], np.asarray(TABLE[name].given), Path(folder))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "kind"), one_of(3, SAME))
def test_by_label_or_by_position(name, kind, tmp_path):
    row = TABLE[name]
    given = SAME[kind](row.given, row.labels)
    if given is None:
        pytest.skip("cells of several sizes make no index with levels, nor columns one")
    if kind == "a frame of one column" and (
        row.back or row.takes == "anything" or name.partition("(")[0] in COLUMN_BY_COLUMN
    ):
        pytest.skip("what is made of columns has columns")
    if kind == "a Series with several levels" and not isinstance(row.labels[0], tuple):
        pytest.skip("vertices have one name each")
    found = run(row, given, tmp_path)
    the_same(row, found, by_position(name))
    if row.back and isinstance(given, pd.Series | pd.DataFrame):
        assert type(found) is type(given)
        assert found.index.equals(given.index)
        assert getattr(found, "name", 0) == getattr(given, "name", 0)
    elif row.back:
        assert type(found) is np.ndarray


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "kind"), one_of(2, REFUSED))
def test_labels_that_do_not_fit_are_named(name, kind, tmp_path):
    row = TABLE[name]
    if row.takes == "known" and "without a label" in kind:
        pytest.skip("the others are not known")
    if name in ("cell_influence(at)", "LabelledOperator.dot(x)") and kind == "one number":
        pytest.skip("means something else")
    given, label = REFUSED[kind](row.given, row.labels)
    with pytest.raises(cl.InputError) as caught:
        run(row, given, tmp_path)
    assert str(label) in str(caught.value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "kind"), one_of(2, CONTENT))
def test_only_numbers_where_numbers_are_needed(name, kind, tmp_path):
    row = TABLE[name]
    make, refused_by = CONTENT[kind]
    given = make(row.given, row.labels)
    if row.takes in refused_by:
        with pytest.raises(cl.InputError):
            run(row, given, tmp_path)
        return
    try:
        run(row, given, tmp_path)
    except cl.CellapseError:  # a file of dates, for instance
        assert row.takes in ("anything", "groups", "known", "operand")


def test_what_is_made_of_operators_has_their_labels():
    mixed, A = 2 * S() + L() / 3, 2 * S().toarray() + L().toarray() / 3
    np.testing.assert_allclose(mixed @ NUMBERS, A @ NUMBERS)
    np.testing.assert_allclose((S() @ L()).T @ NUMBERS, L().toarray() @ (S() @ NUMBERS))
    assert cl.as_operator(mixed).labels == LABELS
    clusters, frame = cl.cluster(mixed, 2), pd.DataFrame(A, LABELS, LABELS)
    assert clusters.as_dict() == cl.cluster(frame, 2).as_dict()
    other = cl.graph_laplacian(cl.Complex.from_cells({**CELLS, 0: LABELS[::-1]}))
    for call in (lambda: S() + other, lambda: S() - other, lambda: S() @ other):
        with pytest.raises(cl.InputError, match="order"):
            call()


def test_the_remedy_for_a_default_index_works():
    ages = pd.Series(NUMBERS)
    with pytest.raises(cl.InputError, match=r"values\.to_numpy\(\)"):
        S().energy(ages)
    assert S().energy(ages.to_numpy()) == S().energy(NUMBERS)
    with pytest.raises(cl.InputError, match=r"list\(values\.values\(\)\)"):
        S().energy(dict(enumerate(NUMBERS)))
    assert S().energy(list(dict(enumerate(NUMBERS)).values())) == S().energy(NUMBERS)


def test_dates_as_numbers_of_days():
    days = pd.Series(pd.date_range("2020-01-01", periods=7), index=LABELS)
    with pytest.raises(cl.InputError, match="timedelta64"):
        cl.smooth(S(), days)
    numbers = (days - days.min()) / np.timedelta64(1, "D")
    the_same(Row(None), cl.smooth(S(), numbers), cl.smooth(S(), np.arange(7.0)))


# ---------------------------------------------------------------- results of cellapse have labels


def test_clusters_of_another_order_go_by_label():
    again = cl.Complex.from_cells({**CELLS, 0: LABELS[::-1]})
    clusters = cl.cluster(cl.graph_laplacian(again), 2)
    values = np.array([clusters.as_dict()[v] for v in LABELS])
    assert tasks.modularity(K(), clusters) == tasks.modularity(K(), values)
    assert cl.clustering_accuracy(clusters, pd.Series(values, LABELS)) == 1.0
    the_same(Row(None), drawn(K().plot(clusters)), drawn(K().plot(values)))


def test_accuracy_of_two_arrays_is_by_position_and_of_two_series_by_label():
    first, second = pd.Series([0, 0, 1], list("abc")), pd.Series([1, 0, 0], list("cab"))
    assert cl.clustering_accuracy(first, second) == 1.0
    assert cl.clustering_accuracy(first.to_numpy(), second.to_numpy()) == pytest.approx(2 / 3)
    assert cl.clustering_accuracy(dict(first), second) == 1.0
    assert cl.clustering_accuracy([0, "x", None is None], ["p", 1, 2.5]) == 1.0
    with pytest.raises(cl.InputError, match="'a'"):
        cl.clustering_accuracy(first.set_axis(list("aab")), second.set_axis(list("aab")))


def test_clusters_are_called_by_numbers_or_words():
    expected = tasks.modularity(K(), GROUPS)
    words = np.array(["red", "blue", "green"])[GROUPS]
    order = np.random.default_rng(1).permutation(len(LABELS))
    called = pd.Series(words, LABELS).iloc[order]
    for clusters in (words, words.tolist(), called, called.astype("category"), dict(called)):
        assert tasks.modularity(K(), clusters) == pytest.approx(expected)
    for wrong in (GROUPS - 1, GROUPS + 0.5, [None, *words[1:]]):
        with pytest.raises(cl.InputError):
            tasks.modularity(K(), wrong)


def test_attributes_of_a_frame():
    table = pd.DataFrame({"age": NUMBERS, "town": list("xyzxyzx")}, index=LABELS)
    known = K().with_attributes({0: table.sample(frac=1, random_state=0)}).attributes[0]
    assert known["age"].tolist() == NUMBERS.tolist()
    assert "".join(known["town"]) == "xyzxyzx"


def test_a_frame_is_written_by_its_columns(tmp_path):
    table = pd.DataFrame({"age": NUMBERS, "town": list("xyzxyzx")}, index=LABELS)
    io.write(table.sample(frac=1, random_state=0), tmp_path / "a.csv", on=K())
    io.write({"age": NUMBERS, "town": list("xyzxyzx")}, tmp_path / "b.csv", on=K())
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text()
    io.write(table["age"], tmp_path / "c.csv")  # its index says whose they are
    assert (tmp_path / "c.csv").read_text().startswith("node,age\nd,3")


def test_views_of_networkx_go_by_their_vertices():
    G = nx.path_graph(4)
    G.add_edge(1, 3)
    G = nx.relabel_nodes(G, {0: 2, 1: 0, 2: 3, 3: 1})
    nx.set_node_attributes(G, {v: v**2 for v in G}, "age")
    nx.set_edge_attributes(G, {(u, v): u + 4 * v for u, v in G.edges}, "length")
    L = cl.graph_laplacian(G)
    degrees = np.array([G.degree[v] for v in L.labels])
    ages = np.array([v**2 for v in L.labels])
    assert (L @ G.degree).tolist() == (L @ degrees).tolist()
    assert (L @ G.degree()).tolist() == (L @ degrees).tolist()
    assert (L @ G.nodes(data="age")).tolist() == (L @ ages).tolist()
    K_ = cl.as_complex(G).with_attributes({1: {"size": G.edges(data="length")}})
    assert K_.attributes[1]["size"].tolist() == [G.edges[e]["length"] for e in K_.cell_labels(1)]


def test_trust_of_edges_is_an_attribute_of_them():
    trust = cl.edge_trust(K())
    turned_ = cl.Complex.from_cells({0: LABELS, 1: turned(EDGES[::-1])})
    known = turned_.with_attributes({1: {"trust": trust}}).attributes[1]["trust"]
    assert known.tolist() == trust.values[::-1].tolist()


def test_what_comes_out_in_the_order_of_what_was_given_takes_no_set():
    with pytest.raises(cl.InputError, match="order"):
        cl.effective_resistance(L(), {("d", "a"), ("f", "e"), ("b", "e")})
    with pytest.raises(cl.InputError, match="order"):
        cl.Complex.from_arrays(7, numbers_of_cells(), set(LABELS))
    with pytest.raises(cl.InputError, match="order"):
        cl.TemporalComplex.from_cells({("d", "a"), ("f", "e")}, [1, 2])
    assert cl.reduce(L(), set("fad")).labels == ("a", "d", "f")


def test_vertices_that_are_pairs_are_not_sets():
    """(0, 1) and (1, 0) are two vertices of a grid."""
    grid = cl.graph_laplacian(cl.clique_complex(nx.grid_2d_graph(3, 3)))
    x = np.arange(9.0) ** 2
    series = pandas_of(*shuffled(x, grid.labels))
    assert grid.energy(series) == pytest.approx(grid.energy(x))
    with pytest.raises(cl.InputError):
        grid.energy(series.set_axis(pd.Index(turned(series.index), tupleize_cols=False))[:8])


# ---------------------------------------------------------------- what makes the labels


@pytest.mark.parametrize(
    "lift",
    [
        lambda p: lifts.nearest_neighbour_complex(p, 2),
        lambda p: lifts.rips_complex(p, 6.0),
        lambda p: lifts.alpha_complex(p),
    ],
)
def test_points_are_called_as_their_rows(lift):
    table = pandas_of(POSITIONS, LABELS)
    assert tuple(lift(table).labels) == LABELS
    assert tuple(lift(dict(zip(LABELS, POSITIONS, strict=True))).labels) == LABELS
    assert lift(pd.DataFrame(POSITIONS)).labels == range(7)
    numbered = lift(table.set_axis([4, 2, 6, 0, 1, 3, 5]))
    assert cl.graph_laplacian(numbered).energy(pd.Series(NUMBERS, [4, 2, 6, 0, 1, 3, 5])) == (
        cl.graph_laplacian(lift(POSITIONS)).energy(NUMBERS)
    )


def test_positions_of_a_mesh_go_by_the_numbers_that_its_faces_use():
    corners = pd.DataFrame([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    turned_ = lifts.mesh_complex(corners.loc[[2, 0, 1]], [[0, 1, 2]])
    assert turned_.attributes[0]["position"].tolist() == corners.to_numpy().tolist()
    with pytest.raises(cl.InputError, match="'a'"):
        lifts.mesh_complex(corners.set_axis(list("abd")), [("a", "b", "c")])
    named = lifts.mesh_complex(corners.set_axis(list("cab")), [("a", "b", "c")], [("a", "c")])
    assert tuple(named.labels) == ("c", "a", "b")
    assert named.n_cells == (3, 3, 1)
    assert named.attributes[0]["position"].tolist() == corners.to_numpy().tolist()


@pytest.mark.parametrize("faces", [[[0, 1, 2]], np.array([[0, 1, 2]]), pd.DataFrame([[0, 1, 2]])])
@pytest.mark.parametrize("call", [cl.as_complex, lambda mesh: lifts.mesh_complex(*mesh)])
def test_a_mesh_of_a_frame_and_faces(call, faces):
    corners = pd.DataFrame([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    for table in (corners, corners.loc[[2, 0, 1]], corners.to_numpy()):
        K = call((table, faces))
        assert K.n_cells == (3, 3, 1)
        assert K.attributes[0]["position"].tolist() == corners.to_numpy().tolist()
    with pytest.raises(cl.InputError):  # two tables of edges are two graphs
        cl.as_complex((pd.DataFrame([[0, 1]]), pd.DataFrame([[1, 2]])))


# ---------------------------------------------------------------- by position elsewhere


def points_and_classes():
    index = [f"row {i}" for i in range(12)]
    X = pd.DataFrame(np.random.default_rng(0).random((12, 2)), index=index)
    return X, pd.Series([0, 1] + [-1] * 10, index=index)


@pytest.mark.parametrize(
    "estimator", [cl.CollapsedLabelSpreading, cl.SignalSmoother, cl.CollapsedGPRegressor]
)
def test_estimators_refuse_values_of_other_rows(estimator):
    X, y = points_and_classes()
    model = estimator(n_neighbors=4)
    if estimator is cl.CollapsedGPRegressor:  # which knows gaps
        y = pd.Series(np.where(np.arange(12) == 3, np.nan, np.arange(12.0)), X.index)
    for wrong in (y[::-1], y.reset_index(drop=True), y.set_axis(range(1, 13))):
        with pytest.raises(cl.InputError, match="to_numpy"):
            model.fit(X, wrong)
        with pytest.raises(cl.InputError):
            model.fit(X.to_numpy(), np.ma.masked_array(y, mask=y == 1))
        with pytest.raises(cl.InputError):
            model.fit(X, y.to_numpy()).score(X, wrong)
    expected = estimator(n_neighbors=4).fit(X.to_numpy(), y.to_numpy()).predict(X.to_numpy())
    for right in (y, y[::-1].loc[X.index], y.to_numpy(), y.tolist()):
        assert model.fit(X, right).predict(X).tolist() == expected.tolist()


def test_estimators_refuse_dates_masks_and_turned_adjacencies():
    model = cl.CollapsedSpectralClustering(2, n_neighbors=4)
    X, _ = points_and_classes()
    days = pd.date_range("2020-01-01", periods=12)
    for wrong in (
        X.assign(day=days),
        days.to_numpy()[:, None],
        np.ma.masked_less(X.to_numpy(), 0.5),
    ):
        with pytest.raises(cl.InputError):
            model.fit(wrong)
    A = nx.to_pandas_adjacency(nx.star_graph(5))
    model.set_params(affinity="precomputed").fit(A)
    with pytest.raises(cl.InputError, match=r"X\[X\.index\]"):
        model.fit(A[A.columns[::-1]])


def test_layers_take_tensors_alone():
    torch = pytest.importorskip("torch")
    import cellapse.torch as ours

    layer = ours.Collapse(K())
    S_, one = layer.operator(), pd.Series(NUMBERS, LABELS)
    conv = ours.CollapsedConv(1, 1).double()
    calls = [
        *(layer, lambda x: layer.solve(x, 1.0), lambda x: S_ @ x, lambda x: S_.solve(x, 1.0)),
        *(S_.columns, lambda x: ours.heat(S_, x, 1.0), lambda x: conv(x, S_)),
        lambda x: ours.spectral_filter(S_, x, torch.cos),
    ]
    for call in calls:
        with pytest.raises(cl.InputError):
            call(one)


# ---------------------------------------------------------------- everything is in the table

_NAMES = {
    *("signal", "signals", "scores", "mass", "clusters", "known", "groups", "values", "positions"),
    *("attributes", "weights", "b", "u", "x", "X", "y", "at", "labels", "obj", "points"),
    *("coordinates", "residues", "colours", "ages", "heights"),
}
_SAID = re.compile(
    r"per (?:vertex|cell|edge|hyperedge)|\bn (?:positive )?numbers"
    r"|one (?:\w+ )*(?:number|value|class|weight|word)s? (?:from \S+ to \S+ )?for (?:each|every)"
    r"|for (?:each|every) vertex|array of n\b|Series|\(n, 2\) array|\(n, d\) array"
)


def per_vertex_parameters(found):
    """`function(parameter)` of all that look like one entry per vertex or cell."""
    names, seen = set(), set()
    for module, name, thing in found:
        if inspect.isclass(thing):
            if issubclass(thing, Exception):
                continue
            functions = [getattr(thing, n) for n in dir(thing) if not n.startswith("_")]
            functions += [] if name in RESULTS else [thing]
        else:
            functions = [thing]
        for function in functions:
            inner = getattr(function, "__func__", function)
            home = getattr(inner, "__module__", None) or ""
            if not callable(inner) or not (home.startswith("cellapse") or home == module):
                continue
            key = (home, inner.__qualname__)
            if key in seen:
                continue
            seen.add(key)
            for parameter in inspect.signature(inner).parameters.values():
                if looks_alike(inner, parameter):
                    names.add(f"{inner.__qualname__}({parameter.name})")
    return names


def looks_alike(function, parameter):
    if str(parameter.annotation) in ("Weights", "str", "int", "float", "bool"):
        return False
    doc = inspect.getdoc(function) or ""
    said = re.search(
        rf"^(?:\w+, )*{parameter.name}(?:, \w+)* : (.*(?:\n    .*)*)", doc, re.MULTILINE
    )
    return parameter.name in _NAMES or bool(said and _SAID.search(said.group(1)))


def listed():
    return {name.partition(") ")[0].rstrip(")") + ")" for name in TABLE}


def test_every_argument_of_this_kind_is_in_the_table():
    """A new one needs a row in `TABLE`, or a reason in `ELSEWHERE`."""
    assert not per_vertex_parameters(public_names()) - listed() - set(ELSEWHERE)


def test_nothing_in_the_table_is_gone():
    public = defaultdict(list)
    for found in map(inner, everything()):
        public[getattr(found, "__qualname__", None)].append(found)
    for name in listed() | set(ELSEWHERE):
        function, parameter = name.rstrip(")").split("(")
        assert any(parameter in inspect.signature(f).parameters for f in public[function]), name


def inner(function):
    return getattr(function, "__func__", function)


def everything():
    for _, _, thing in public_names():
        yield thing
        if inspect.isclass(thing):
            yield from (getattr(thing, n) for n in dir(thing) if callable(getattr(thing, n)))


def test_a_new_function_is_found():
    def by_name(operator, signal): ...

    def by_what_is_said(operator, temperature):
        """Do something.

        Parameters
        ----------
        operator : Operator
        temperature : one number for each vertex
        """

    found = [(__name__, "by_name", by_name), (__name__, "by_what_is_said", by_what_is_said)]
    assert {name.rpartition(".")[2] for name in per_vertex_parameters(found)} == {
        "by_name(signal)",
        "by_what_is_said(temperature)",
    }
