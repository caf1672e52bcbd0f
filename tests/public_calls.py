"""One call of everything public, with arguments made anew each time.

`CALLS` maps a public name to a function that gives a callable and its arguments by name. The tests
of `test_inputs.py` walk the public modules and fail for a name that is neither here nor in
`RESULTS` (classes that functions make).
"""

import importlib
import inspect
import tempfile
from copy import deepcopy
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import networkx as nx
import numpy as np
from io_seeds import DATA
from scipy import sparse

import cellapse as cl
from cellapse import datasets, interop, io, lifts, tasks, theory

MODULES = (
    "cellapse",
    "cellapse.tasks",
    "cellapse.reduction",
    "cellapse.weights",
    "cellapse.lifts",
    "cellapse.io",
    "cellapse.interop",
    "cellapse.datasets",
    "cellapse.theory",
    "cellapse.batch",
    "cellapse.plot",
    "cellapse.report",
    "cellapse.estimators",
    "cellapse.analysis",
    "cellapse.temporal",
    "cellapse.torch",
    "cellapse.scverse",
)

# Nobody calls these: they are what functions give, words, errors, or the inside of a module.
RESULTS = {
    *("Analysis", "Blueprint", "BLOCK_MODELS", "Check", "Choice", "Clusters", "CollapsedOperator"),
    *("Complex", "LabelledHypergraph", "Cora", "Cut", "Dataset", "DifferentiableOperator"),
    *(
        "Doubt",
        "EdgeTrust",
        "GaussianProcess",
        "KernelOperator",
        "Influence",
        "Reliability",
        "Spread",
        "Verdict",
        "ReportView",
    ),
    *("Embedding", "FORMATS", "Incidence", "Operator", "Protein", "Report", "Signature"),
    *(
        "Spectra",
        "Spectrum",
        "Strength",
        "Surfaces",
        "Settings",
        "Understood",
        "Weights",
        "Realization",
    ),
    *(
        "Changes",
        "HermitianOperator",
        "Moment",
        "Pyramid",
        "ReducedOperator",
        "SparseReduction",
        "TemporalComplex",
        "Timeline",
        "Window",
        "cores",
        "solve_all",
    ),
    *("CellapseError", "CellapseWarning", "ConvergenceError", "InputError"),
    *("MissingExtraError", "SizeError", "batch", "datasets", "interop", "lifts", "reduction"),
    *("tasks", "theory", "weights"),
}
# These ask the network or a file of many megabytes; their own tests know how.
ELSEWHERE = {
    "fetch_pdb",
    "load_contacts",
    "load_cora",
    "load_mantra",
    "molecule_complexes",
    "load_timed_contacts",
}

EDGES = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5), (5, 6)]
WEIGHTS = [1.0, 2.0, 1.0, 0.5, 1.0, 2.0, 1.0, 4.0]
N = 7


def graph():
    G = nx.Graph(name="two triangles and a tail")
    G.add_nodes_from((i, {"age": 30 + i}) for i in range(N))
    G.add_edges_from((u, v, {"weight": w}) for (u, v), w in zip(EDGES, WEIGHTS, strict=True))
    return G


def adjacency():
    """With a stored zero, and rows that are not in order."""
    A = nx.to_scipy_sparse_array(graph(), weight="weight").tolil()
    A = sparse.csr_array(A)
    rows, columns = A.nonzero()
    data = np.asarray(A[rows, columns]).ravel()
    rows, columns, data = np.r_[rows, 0, 6], np.r_[columns, 6, 0], np.r_[data, 0.0, 0.0]
    order = np.lexsort((-columns, rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=N))])
    return sparse.csr_array((data[order], columns[order], indptr), shape=(N, N))


def matrices():
    return list(cl.boundary_matrices(cl.clique_complex(graph(), weight=None)))  # of exact numbers


def K():
    return cl.clique_complex(graph(), weight="weight")


def unweighted():
    return cl.clique_complex(graph(), weight=None)


def S():
    return cl.collapse(K())


def laplacian():
    return cl.graph_laplacian(K()).A.copy()


def contacts():
    """The edges of the graph, one after the other."""
    return cl.TemporalComplex.from_arrays(N, np.array(EDGES), np.arange(8.0), np.arange(8.0) + 3)


def moments():
    return list(cl.collapse_over_time(contacts(), 2.0, k=2))


def skipping():
    return cl.Complex.from_cells({1: [(0, 1), (1, 2)], 2: [(0, 1, 2), (2, 3, 4)]})


def direct_relations(source):
    return [J.toarray() for J in cl.reduction.direct_relations(source).values()]


def live():
    return cl.temporal.LiveOperator(cl.Complex.from_arrays(N, {1: np.array(EDGES)}))


def live_matrix(**given):
    return cl.temporal.LiveOperator(**given).operator()


def changes():
    return cl.temporal.find_changes(moments(), distance="edges", around=2)


def timeline():
    from cellapse import report

    return report.show_timeline(moments())


def timeline_page(moments, title):
    from cellapse import report

    return report.show_timeline(moments, title).html()


def written_timeline(timeline, changes):
    from cellapse import report

    report.write_timeline(timeline, folder() / "time.html", changes=changes)


def followed(source, **more):
    return [(m.groups, m.values) for m in cl.collapse_over_time(source, **more)]


def windowed(**arguments):
    """The cells of all windows of these contacts."""

    def counts(self, **given):
        return [w.complex.n_cells for w in self.windows(**given)]

    def made():
        called, given = on(counts, **arguments)()
        return called, {"self": contacts(), **given}

    return made


def mesh():
    return lifts.mesh_complex([[0, 0], [4, 0], [4, 3], [0, 3.0]], [[0, 1, 2], [0, 2, 3]])


def molecule():
    return cl.Complex.from_cells({1: [(0, 1), (1, 2)]}, attributes={1: {"order": [2.0, 1.0]}})


def reduced():
    return cl.reduce(S(), [0, 3, 6])


def pyramids():
    return cl.reduction.pyramid(S(), [3])


def lift_cliques(graph):
    return cl.clique_complex(graph, 2)


def signal():
    return np.array([3.0, 1.0, 2.0, 5.0, 4.0, 0.0, 2.0])


def signals():
    return np.stack([signal(), signal()[::-1]], axis=1)


def points():
    grid = np.array([[0, 0], [4, 0], [0, 4], [5, 5], [9, 4], [4, 9], [9, 9], [12, 7], [7, 12.0]])
    return grid


def groups():
    return np.array([0, 0, 0, 1, 1, 1, 1])


def backbone():
    return datasets.load_protein("1PDO").coordinates[:12].copy()


_FOLDERS = tempfile.TemporaryDirectory(prefix="cellapse-")  # gone when the tests are


def folder():
    return Path(tempfile.mkdtemp(dir=_FOLDERS.name))


def stored():
    path = folder() / "network.json"
    io.write(K(), path)
    return path


def copied(make):
    """A maker of copies, for what takes long to compute: each is as good as made anew."""
    once = cache(make)

    def copy():
        return deepcopy(once())

    return copy


@copied
def analysis():
    from cellapse.analysis import analyze

    return analyze(K(), 2)


@copied
def doubt():
    return tasks.likely_false(K())


def on(function, /, **arguments):
    """A call with these arguments, made by calling those that are functions."""

    def made():
        return function, {
            k: v() if inspect.isfunction(v) and v.__module__ == __name__ else v
            for k, v in arguments.items()
        }

    return made


def method(make, name, /, **arguments):
    """A call of a method, on an object made anew."""

    def made():
        owner = make()
        called, given = on(lambda self, **more: getattr(self, name)(**more), **arguments)()
        return called, {"self": owner, **given}

    return made


def plotted_by(make, /, **arguments):
    """A call of `plot` on an object made anew; axes are no result to compare."""

    def plot(self, **given):
        self.plot(**given)

    def made():
        owner = make()
        called, given = on(plot, **arguments)()
        return called, {"self": owner, **given}

    return made


def estimator(cls, /, **parameters):
    def fitted(X, y, **more):
        model = cls(**more)
        model.fit(X, y)
        return model.labels_ if hasattr(model, "labels_") else model.fit_transform(X)

    return on(
        fitted, X=points, y=None, n_neighbors=4, operator="screened", max_rank=2, **parameters
    )


def labelled(X, y, **more):
    model = cl.CollapsedLabelSpreading(**more).fit(X, y)
    return model.transduction_, model.predict_proba(X)


def partly_known():
    return np.where(np.arange(7) % 2 == 0, signal(), np.nan)


def regressed(X, y, **more):
    model = cl.CollapsedGPRegressor(**more).fit(X, y)
    return model.predict(X, return_std=True)


def smoother(X, y, **more):
    model = cl.SignalSmoother(**more).fit(X, y)
    return model.smoothed_, model.predict(X)


def precomputed(X, **more):
    return cl.CollapsedSpectralClustering(affinity="precomputed", **more).fit(X).labels_


def plotted(name, /, **arguments):
    def plot(**given):
        from cellapse import plot

        getattr(plot, name)(**given)

    return on(plot, **arguments)


def reported(analysis, remarks):
    from cellapse import report

    report.write_report(analysis, folder() / "report.html", remarks=remarks)


def torch_call(name, /, **arguments):
    def call(**given):
        import cellapse.torch as ours

        return getattr(ours, name)(**given)

    return on(call, **arguments)


def differentiable():
    from cellapse.torch import Collapse

    return Collapse(K()).operator()


def tensor():
    import torch

    return torch.from_numpy(signals())


def data():
    return interop.to_pyg(K())


def featured():
    import torch

    graph = data()
    graph.x = torch.arange(float(graph.num_nodes))[:, None] % 3
    return graph


def signed_graph():
    G = nx.Graph(K().cell_labels(1))
    nx.set_edge_attributes(G, {e: (-1.0) ** i for i, e in enumerate(G.edges)}, "weight")
    return G


def torch_layer(x, **more):
    from cellapse.torch import Collapse

    return Collapse(**more)(x).detach().numpy()


def convolved(name):
    def call(x, operator, **more):
        import torch

        import cellapse.torch as ours

        torch.manual_seed(0)
        return getattr(ours, name)(**more).double()(x, operator).detach().numpy()

    return call


def transformed(name):
    def call(data, **more):
        import cellapse.torch as ours

        made = getattr(ours, name)(**more)(data)
        return made.x if more["attr_name"] is None else made[more["attr_name"]]

    return call


def all_transformed(graphs, transform, **more):
    import cellapse.torch as ours

    return [g["pe"] for g in ours.transform_all(graphs, transform, **more)]


def encoder():
    from cellapse.torch import AddCollapsedPE

    return AddCollapsedPE(2, "pe")


def data_list():
    return [data(), data()]


def cells_of_tissue():
    """An AnnData of the vertices."""
    import anndata
    import pandas

    known = pandas.DataFrame({"known": ["a", None, None, "b", None, None, "b"]}, list("tuvwxyz"))
    adata = anndata.AnnData(signals(), obs=known)
    adata.obsp["mine"] = sparse.csr_matrix(adjacency())
    adata.layers["counts"] = signals() + 1.0
    return adata


def annotated(name):
    """Everything that a function of `scverse` writes."""

    def call(adata, obsp, **more):
        from cellapse import scverse

        made = getattr(scverse, name)(adata, obsp=obsp, key_added="new", copy=True, **more)
        found = {**made.obsm, **made.layers, **made.obs, **made.obsp}
        return {key: value for key, value in found.items() if "new" in key}

    return call


def written(obj, path, on):
    io.write(obj, path, on=on)
    return path.read_text() if isinstance(path, Path) else None


MASS = {"mass": lambda: np.array([1.0, 2.0, 1.0, 2.0, 1.0, 4.0, 1.0])}
CALLS = {
    # complexes and matrices
    "Complex.from_cells": on(
        cl.Complex.from_cells,
        cells=lambda: {
            0: list("abcd"),
            1: [("a", "b"), ("b", "c"), ("a", "c")],
            2: [["a", "b", "c"]],
        },
        weights=lambda: {1: np.array([1.0, 2.0, 3.0])},
        attributes=lambda: {0: {"age": np.arange(4.0)}},
        metadata=lambda: {"name": "four"},
    ),
    "Complex.from_arrays": on(
        cl.Complex.from_arrays,
        n_vertices=N,
        cells=lambda: {1: np.array(EDGES), 2: (np.array([0, 3, 6]), np.array([2, 1, 0, 3, 4, 5]))},
        labels=lambda: list("abcdefg"),
        weights=lambda: {1: np.array(WEIGHTS)},
        attributes=lambda: {1: {"length": np.array(WEIGHTS)}},
        metadata=None,
    ),
    "Complex.cell_labels": method(K, "cell_labels", rank=1),
    "Complex.cell_label": method(K, "cell_label", rank=1, i=2),
    "Complex.components": method(K, "components"),
    "Complex.skeleton": method(K, "skeleton", rank=1),
    "TemporalComplex.from_cells": on(
        cl.TemporalComplex.from_cells,
        cells=lambda: [("a", "b"), ("b", "c"), ("a", "b")],
        times=lambda: np.array([0.0, 1.0, 5.0]),
        ends=lambda: np.array([2.0, 1.0, 6.0]),
        weights=lambda: np.array([1.0, 2.0, 3.0]),
        vertices=lambda: list("abcd"),
        attributes=lambda: {"age": np.arange(4.0)},
        metadata=lambda: {"name": "four"},
    ),
    "TemporalComplex.from_arrays": on(
        cl.TemporalComplex.from_arrays,
        n_vertices=N,
        cells=lambda: np.array(EDGES),
        times=lambda: np.arange(8.0),
        ends=None,
        labels=lambda: list("abcdefg"),
        weights=lambda: np.array(WEIGHTS),
        attributes=None,
        metadata=None,
    ),
    "TemporalComplex.between": method(contacts, "between", start=1.0, end=4.0, max_rank=2),
    "TemporalComplex.windows": windowed(width=3.0, step=2.0, max_rank=2),
    "collapse_over_time": on(
        followed,
        source=contacts,
        width=4.0,
        step=2.0,
        operator="screened",
        eps=None,
        n_clusters=2,
        k=3,
        max_rank=2,
        rng=0,
    ),
    "find_changes": on(
        cl.temporal.find_changes, moments=moments, distance="edges", around=2, level=0.5, rng=0
    ),
    "Changes.to_frame": method(changes, "to_frame"),
    "Changes.to_words": method(changes, "to_words"),
    "show_timeline": on(timeline_page, moments=moments, title="meetings"),
    "write_timeline": on(written_timeline, timeline=timeline, changes=changes),
    "Timeline.add": method(timeline, "add", moment=lambda: moments()[0]),
    "Timeline.html": method(timeline, "html", changes=changes),
    "LiveOperator": on(live_matrix, source=unweighted, eps=0.5),
    "direct_relations": on(direct_relations, source=skipping),
    "collapse_direct": on(
        cl.reduction.collapse_direct, source=skipping, beta=2.0, gamma=0.5, eps=0.1
    ),
    "LiveOperator.add": method(live, "add", first=0, second=6),
    "LiveOperator.remove": method(live, "remove", first=0, second=1),
    "LiveOperator.trust": method(live, "trust", first=0, second=1),
    "LiveOperator.operator": method(live, "operator"),
    "Moment.to_frame": method(lambda: moments()[0], "to_frame"),
    "Moment.row": method(lambda: moments()[0], "row"),
    "moving_triangles": on(
        cl.temporal.moving_triangles,
        n=20,
        n_windows=3,
        moves=(1,),
        n_groups=2,
        degree=4.0,
        meeting=3,
        rng=0,
    ),
    "as_temporal": on(
        cl.as_temporal,
        source=lambda: np.column_stack([EDGES, np.arange(8)]),
        time=None,
        end=None,
        weight=None,
        columns=None,
        directed="ignore",
        unit=None,
    ),
    "Complex.subcomplex": method(K, "subcomplex", vertices=lambda: [0, 1, 2]),
    "Complex.with_cells": method(
        K,
        "with_cells",
        cells=lambda: {1: [(0, 6)], 2: [[4, 5, 6]]},
        weights=lambda: {1: np.array([2.0])},
    ),
    "Complex.without_cells": method(K, "without_cells", cells=lambda: {1: [(0, 1)]}),
    "Complex.with_attributes": method(
        K,
        "with_attributes",
        attributes=lambda: {0: {"score": signal()}},
        weights=lambda: {1: np.array(WEIGHTS)},
    ),
    "Complex.plot": plotted_by(K, values=signal, positions=None, ax=None),
    "Complex.euler_characteristic": method(K, "euler_characteristic"),
    "Complex.betti_numbers": method(K, "betti_numbers"),
    "Incidence.from_matrices": on(cl.Incidence.from_matrices, matrices=matrices),
    "Incidence.labels": method(lambda: cl.incidence_matrices(K()), "labels", rank=1),
    "as_complex": on(interop.as_complex, source=adjacency, weight="w", ranks=None),
    "as_operator": on(cl.as_operator, source=laplacian),
    "boundary_matrices": on(cl.boundary_matrices, source=K),
    "incidence_matrices": on(cl.incidence_matrices, source=K),
    "mixed_matrices": on(cl.mixed_matrices, source=K),
    "unfolded_matrices": on(cl.unfolded_matrices, source=K),
    "is_chain_complex": on(cl.is_chain_complex, matrices=matrices),
    "graded_laplacian": on(
        cl.graded_laplacian,
        matrices=matrices,
        beta=lambda: np.array([1.0, 2.0]),
        gamma=lambda: np.array([0.25, 0.5]),
    ),
    "GradedLaplacian.block": method(lambda: cl.graded_laplacian(matrices()), "block", i=0, j=1),
    "GradedLaplacian.split": method(lambda: cl.graded_laplacian(matrices()), "split", onto=1),
    # lifts
    "clique_complex": on(
        lifts.clique_complex, graph=adjacency, max_rank=2, weight="w", cliques_as_rank2=False
    ),
    "cycle_complex": on(
        lifts.cycle_complex, graph=graph, cycles="minimum", max_length=6, weight="weight"
    ),
    "hypergraph_complex": on(
        lifts.hypergraph_complex,
        hyperedges=lambda: [["a", "b", "c"], ["c", "d"], ["b", "c", "d"]],
        vertices=lambda: list("dcba"),
        weights=lambda: np.array([1.0, 2.0, 3.0]),
        multiplicity="merge",
    ),
    "lift": on(lifts.lift, graph=graph, cells=lambda: max_cliques, weight="weight"),
    "maximal_clique_complex": on(
        lifts.maximal_clique_complex, graph=lambda: np.array(EDGES), weight=None
    ),
    "neighbourhood_complex": on(
        lifts.neighbourhood_complex, graph=lambda: list(EDGES), hops=1, weight=None
    ),
    "mesh_complex": on(
        lifts.mesh_complex,
        vertices=points,
        faces=lambda: np.array([[0, 1, 3], [0, 3, 2]]),
        segments=lambda: np.array([[3, 4]]),
    ),
    "nearest_neighbour_complex": on(
        lifts.nearest_neighbour_complex, points=points, n_neighbors=2, max_rank=2
    ),
    "rips_complex": on(lifts.rips_complex, points=points, max_distance=6.0, max_rank=2),
    "alpha_complex": on(lifts.alpha_complex, points=points, max_radius=6.0),
    "molecule_complex": on(cl.molecule_complex, source="c1ccccc1C"),
    "protein_complex": on(
        cl.protein_complex,
        source=DATA / "1ubq.pdb.gz",
        edges=lambda: ["backbone", "hbond"],
        cells="cliques",
        min_separation=3,
    ),
    "secondary_structure": on(cl.secondary_structure, source=DATA / "1ubq.pdb.gz"),
    # operators
    "collapse": on(
        cl.collapse,
        source=K,
        realization="unfolded",
        beta=lambda: np.array([1.0, 2.0]),
        gamma=lambda: np.array([0.25, 0.5]),
        eps=0.5,
        onto=0,
        solver=None,
    ),
    "collapse of matrices": on(cl.collapse, source=matrices, eps=0.5),
    "CollapsedOperator.complete": method(S, "complete", u=signal),
    "matern_kernel": on(cl.matern_kernel, operator=S, nu=2.0, length=0.5),
    "diffusion_kernel": on(cl.diffusion_kernel, operator=S, time=0.5),
    "gaussian_process": on(
        cl.gaussian_process,
        operator=S,
        known=partly_known,
        kernel="matern",
        nu=1.5,
        length=1.0,
        noise=0.1,
        n_eigenpairs=5,
    ),
    "CollapsedGPRegressor": on(
        regressed, X=points, y=lambda: np.arange(9.0), kernel="matern", nu=1.5, n_neighbors=4
    ),
    "cotangent": on(cl.weights.cotangent, source=mesh, least=0.1),
    "hodge_star": on(cl.weights.hodge_star, source=mesh, least=0.1),
    "intrinsic_delaunay": on(cl.weights.intrinsic_delaunay, source=mesh),
    "distances": on(cl.weights.distances, source=mesh, kernel="gaussian", scale=2.0, n_neighbors=3),
    "bonds": on(cl.weights.bonds, source=molecule, by="order"),
    "confidences": on(
        cl.weights.confidences, source=molecule, name="order", largest=3.0, kind="evidence"
    ),
    "counts": on(cl.weights.counts, source=molecule, name="order", kind="logarithm"),
    "reduce": on(cl.reduce, operator=S, keep=lambda: [0, 3, 6], rule=None, sparse=0.5, rng=0),
    "pyramid": on(
        cl.reduction.pyramid, operator=S, levels=lambda: [5, 2], rule=None, sparse=0.5, rng=0
    ),
    "Pyramid.interpolate": method(pyramids, "interpolate", x=lambda: signal()[:3], depth=-1),
    "Pyramid.restrict": method(pyramids, "restrict", b=signal, depth=-1),
    "ReducedOperator.restrict": method(reduced, "restrict", b=signal),
    "ReducedOperator.complete": method(reduced, "complete", x=lambda: signal()[:3]),
    "ReducedOperator.solve": method(reduced, "solve", b=lambda: signal()[:3], shift=0.5, rtol=1e-8),
    "CollapsedOperator.split": method(S, "split"),
    "CollapsedOperator.reweighted": method(
        lambda: cl.collapse(K(), "unfolded"),
        "reweighted",
        beta=lambda: np.array([1.0, 2.0]),
        gamma=lambda: np.array([0.25, 0.5]),
        eps=0.5,
    ),
    "Operator.plot": plotted_by(S, k=5, ax=None),
    "Spectrum.plot": plotted_by(lambda: S().spectrum(3), ax=None),
    "Clusters.plot": plotted_by(lambda: cl.cluster(S(), 3), ax=None),
    "Operator.energy": method(S, "energy", u=signal),
    "Operator.toarray": method(S, "toarray"),
    "Operator.diagonal": method(S, "diagonal"),
    "Operator.matvec": method(S, "matvec", x=signal),
    "Operator.matmat": method(S, "matmat", X=signals),
    "Operator.rmatvec": method(S, "rmatvec", x=signal),
    "Operator.rmatmat": method(S, "rmatmat", X=signals),
    "Operator.solve": method(S, "solve", b=signals, shift=0.5, rtol=1e-12),
    "Operator.count_below": method(S, "count_below", value=0.4, **MASS),
    "Operator.spectrum": method(
        S,
        "spectrum",
        k=3,
        which="smallest",
        rtol=1e-10,
        solver=lambda: cl.Dense(),
        certify=True,
        **MASS,
    ),
    "Auto.select": method(cl.Auto, "select", operator=S, k=3),
    "graph_laplacian": on(cl.graph_laplacian, source=K),
    "signless_laplacian": on(cl.signless_laplacian, source=K),
    "multiorder_laplacian": on(
        cl.multiorder_laplacian, source=K, weights=lambda: np.array([1.0, 2.0])
    ),
    "motif_laplacian": on(cl.motif_laplacian, source=K, floor=0.5),
    "projection_laplacian": on(cl.projection_laplacian, source=K, weights="size"),
    "signed_laplacian": on(cl.signed_laplacian, graph=signed_graph, weight="weight"),
    "signed_boundaries": on(cl.signed_boundaries, graph=signed_graph, max_rank=2, weight="weight"),
    "HermitianOperator.spectrum": method(
        lambda: cl.magnetic_laplacian(signed_graph(), weight=None), "spectrum", k=2, mass=None
    ),
    "magnetic_laplacian": on(cl.magnetic_laplacian, graph=signed_graph, q=0.1, weight=None),
    "zhou_laplacian": on(cl.zhou_laplacian, source=K, ranks=lambda: [1, 2]),
    "hodge_laplacian": on(cl.hodge_laplacian, source=K, rank=1),
    "normalized_hodge_laplacian": on(cl.normalized_hodge_laplacian, source=unweighted, rank=1),
    "persistent_laplacian": on(
        cl.persistent_laplacian, source=unweighted, inside=lambda: unweighted().skeleton(1), rank=1
    ),
    "dirac_operator": on(cl.dirac_operator, source=K),
    "make_operator": on(cl.make_operator, source=K, operator="laplacian"),
    "operator_names": on(cl.operator_names),
    "spectra": on(
        cl.batch.spectra,
        complexes=lambda: [K(), K()],
        operator="unfolded",
        beta=lambda: np.array([1.0, 2.0]),
        gamma=lambda: np.array([0.25, 0.5]),
        eps=lambda: np.array([0.5, 1.0]),
        k=3,
        vectors=True,
        n_jobs=1,
        progress=False,
    ),
    "Spectra.table": method(lambda: cl.batch.spectra([K()]), "table", fill=0.0),
    # solvers
    "CG": on(cl.CG, rtol=1e-8, max_steps=100),
    "Direct": on(cl.Direct, factorization="superlu"),
    "Auto": on(cl.Auto),
    "Dense": on(cl.Dense),
    "ShiftInvert": on(cl.ShiftInvert, factorization=cl.Direct()),
    "Davidson": on(cl.Davidson, factorization=cl.Direct(), max_steps=150),
    "Lanczos": on(cl.Lanczos, n_basis=20),
    "Unfolded": on(cl.Unfolded),
    "Boundary": on(cl.Boundary),
    "Unsigned": on(cl.Unsigned),
    "Mixed": on(cl.Mixed),
    "Screened": on(cl.Screened, theta=0.5, rounds=2),
    "Spectrum.first": method(lambda: S().spectrum(3), "first", k=2),
    "Unchecked": on(
        lambda K, gamma: cl.collapse(K, "unfolded", gamma=cl.Unchecked(gamma)),
        K=K,
        gamma=lambda: [0.5, 0.25],
    ),
    # tasks
    "band_pass": on(tasks.band_pass, low=0.5, high=2.0, width=0.25),
    "cell_influence": on(tasks.cell_influence, operator=S, of="energy", at=signal),
    "Influence.strongest": method(lambda: tasks.cell_influence(S()), "strongest", count=2),
    "choose_operator": on(tasks.choose_operator, source=K, n_clusters=2, rng=0),
    "choose_strength": on(
        tasks.choose_strength,
        operator=laplacian,
        signal=signal,
        method="tikhonov",
        strengths=lambda: np.array([0.5, 1.0, 2.0]),
        rng=0,
    ),
    "cluster": on(
        tasks.cluster,
        operator=laplacian,
        n_clusters=2,
        n_eigenpairs=None,
        assign_labels="kmeans",
        rng=0,
        **MASS,
    ),
    "clustering_accuracy": on(tasks.clustering_accuracy, clusters=groups, groups=groups),
    "diffuse": on(
        tasks.diffuse, operator=laplacian, signal=signals, times=lambda: np.array([0.5, 1.0])
    ),
    "dirichlet_energy": on(tasks.dirichlet_energy, operator=laplacian, signal=signal),
    "edge_trust": on(
        tasks.edge_trust,
        source=K,
        evidence="cells",
        decoys="mixed",
        confidence=None,
        rng=0,
    ),
    "trusted_laplacian": on(
        tasks.trusted_laplacian, source=K, evidence="cells", decoys="mixed", rng=0
    ),
    "likely_false": on(
        tasks.likely_false,
        source=K,
        level=0.2,
        false_share=0.1,
        evidence="cells",
        decoys="degree",
        lift=lambda: lift_cliques,
        rng=0,
    ),
    "Doubt.knowing": method(doubt, "knowing", false_share=0.3),
    "verdict": on(tasks.verdict, source=K, n_clusters=2, rng=0),
    "EdgeTrust.lowest": method(lambda: tasks.edge_trust(K()), "lowest", count=2),
    "effective_conductance": on(
        tasks.effective_conductance,
        operator=laplacian,
        pairs=lambda: np.array([[0, 6], [1, 2]]),
        rtol=None,
        rng=0,
    ),
    "effective_resistance": on(
        tasks.effective_resistance,
        operator=laplacian,
        pairs=lambda: [(0, 6), (1, 2)],
        rtol=None,
        rng=0,
    ),
    "embed": on(tasks.embed, operator=laplacian, k=2, **MASS),
    "cheeger_constant": on(tasks.cheeger_constant, operator=laplacian, **MASS),
    "fiedler": on(tasks.fiedler, operator=laplacian, **MASS),
    "heat_kernel_signature": on(
        tasks.heat_kernel_signature,
        operator=laplacian,
        times=lambda: np.array([0.5, 1.0]),
        scale="raw",
        n_probes=8,
        rng=0,
    ),
    "kirchhoff_index": on(tasks.kirchhoff_index, operator=laplacian, rtol=None, rng=0),
    "modularity": on(tasks.modularity, source=K, clusters=groups),
    "positional_encoding": on(tasks.positional_encoding, operator=laplacian, k=3, **MASS),
    "rank_reliability": on(tasks.rank_reliability, source=K, dimension=2, rng=0),
    "resistance_centrality": on(tasks.resistance_centrality, operator=laplacian, rtol=None, rng=0),
    "smooth": on(tasks.smooth, operator=laplacian, signal=signals, method="tikhonov", strength=0.5),
    "spectral_filter": on(
        tasks.spectral_filter,
        operator=laplacian,
        signal=signals,
        response=lambda: np.cos,
        rtol=1e-8,
    ),
    "spread_labels": on(
        tasks.spread_labels,
        operator=laplacian,
        known=lambda: {0: 0, 6: 0, 4: 1, 5: 1},
        method="poisson",
        strength="auto",
        rng=0,
    ),
    "suggest_n_clusters": on(tasks.suggest_n_clusters, operator=laplacian, max_clusters=4, **MASS),
    "sweep_cut": on(tasks.sweep_cut, operator=laplacian, scores=signal, **MASS),
    "total_variation": on(tasks.total_variation, operator=laplacian, signal=signals),
    "wave_kernel_signature": on(
        tasks.wave_kernel_signature,
        operator=laplacian,
        energies=lambda: np.array([-1.0, 0.0, 1.0]),
        n_energies=4,
        sigma=0.5,
        scale="raw",
    ),
    "Clusters.as_dict": method(lambda: cl.cluster(S(), 2), "as_dict"),
    "Clusters.to_frame": method(lambda: cl.cluster(S(), 2), "to_frame"),
    "Embedding.to_frame": method(lambda: cl.embed(S(), 2), "to_frame"),
    "Signature.to_frame": method(lambda: cl.heat_kernel_signature(S()), "to_frame"),
    "Cut.members": method(lambda: tasks.sweep_cut(S()), "members"),
    # theory
    **{
        name: on(getattr(theory, name), operator=S)
        for name in (
            *("check", "psd_condition", "loewner_bounds", "eigenvalue_compression"),
            *("conductance_reduction", "cheeger_upper_bound", "regularization_error"),
            *("regularization_bound", "block_diagonalization", "cells_matter"),
            *("cheeger_lower_bound", "unaffected_signals"),
        )
    },
    "Report.__getitem__": method(lambda: theory.check(S()), "__getitem__", name="cells_matter"),
    # files and libraries
    "read": on(io.read, path=stored, format="json", weight="weight"),
    "understand": on(io.understand, source=stored),
    "write": on(written, obj=K, path=lambda: folder() / "network.json", on=None),
    "hif_schema": on(io.hif_schema),
    "to_gudhi": on(interop.to_gudhi, K=K, filtration="filtration"),
    "to_hypergraphx": on(interop.to_hypergraphx, K=K),
    "to_hypernetx": on(interop.to_hypernetx, K=K, weight="weight"),
    "to_networkx": on(interop.to_networkx, K=K, weight="weight"),
    "to_pandas": on(interop.to_pandas, K=K, weight="weight"),
    "to_pyg": on(interop.to_pyg, K=K),
    "to_igraph": on(interop.to_igraph, K=K, weight="weight"),
    "to_torch": on(interop.to_torch, K=K, layout="coo"),
    "to_scipy": on(interop.to_scipy, K=K, container="array"),
    "to_toponetx": on(interop.to_toponetx, K=K, kind="combinatorial", weight="weight"),
    "to_xgi": on(interop.to_xgi, K=K, kind="hypergraph", weight="weight"),
    # datasets
    "add_shortcuts": on(datasets.add_shortcuts, adjacency=adjacency, m=2, rng=0),
    "available": on(datasets.available),
    "available_proteins": on(datasets.available_proteins),
    "backbone_complex": on(
        datasets.backbone_complex,
        coordinates=backbone,
        labels=lambda: list("abcdefghijkl"),
        edges=lambda: ["backbone", "hbond"],
        max_rank=2,
        min_separation=3,
        cutoff=3.5,
    ),
    "block_model": on(
        datasets.block_model, sizes=lambda: np.array([4, 3]), inside=1.0, across=0.25, rng=0
    ),
    "paper_block_model": on(datasets.paper_block_model, name="Base", rng=0),
    "enumerate_surfaces": on(
        lambda n_vertices: len(list(datasets.enumerate_surfaces(n_vertices))), n_vertices=5
    ),
    "geometric_graph": on(datasets.geometric_graph, n=8, radius=0.75, rng=0, tries=100),
    "load": on(lambda name: datasets.load(name).groups, name="karate"),
    "load_protein": on(lambda name: datasets.load_protein(name).coordinates, name="1PDO"),
    "load_scenes": on(lambda: datasets.load_scenes().groups),
    "triangulated_surfaces": on(datasets.triangulated_surfaces, max_vertices=5),
    "Surfaces.complex": method(lambda: datasets.triangulated_surfaces(5), "complex", i=0),
    "Surfaces.select": method(
        lambda: datasets.triangulated_surfaces(5), "select", which=lambda: np.array([1, 0])
    ),
    # reports
    "analyze": on(
        lambda **given: __import__("cellapse.analysis").analysis.analyze(**given).shares,
        source=K,
        n_clusters=2,
        rng=0,
        operator="screened",
        n_eigenpairs=5,
        quick=False,
        title="A complex",
        groups=groups,
    ),
    "explore": on(
        lambda **given: cl.report.explore(**given).height,
        source=K,
        groups=lambda: list(range(K().n_vertices)),
        height=700,
    ),
    "show_report": on(
        lambda **given: cl.report.show_report(**given).height, analysis=analysis, height=700
    ),
    "Analysis.least_trusted": method(analysis, "least_trusted", count=3),
    "Analysis.write_nodes": method(analysis, "write_nodes", path=lambda: folder() / "nodes.csv"),
    "plot_changes": plotted("plot_changes", changes=changes, ax=None),
    "plot_groups": plotted("plot_groups", moments=moments, ax=None),
    "plot_clusters": plotted("plot_clusters", clusters=lambda: cl.cluster(S(), 2), ax=None),
    "plot_trust": plotted("plot_trust", trust=lambda: cl.edge_trust(K()), ax=None),
    "plot_complex": plotted(
        "plot_complex", source=K, values=signal, positions=None, rng=0, ax=None
    ),
    "plot_compression": plotted("plot_compression", operator=S, k=5, ax=None),
    "plot_embedding": plotted("plot_embedding", operator=S, values=signal, ax=None, **MASS),
    "plot_signatures": plotted(
        "plot_signatures", operator=S, groups=groups, times=lambda: np.array([0.5, 1.0]), ax=None
    ),
    "plot_spectrum": plotted("plot_spectrum", operators=S, k=5, ax=None),
    "write_report": on(reported, analysis=analysis, remarks=lambda: ["a remark"]),
    # estimators
    "CollapsedSpectralClustering": estimator(
        cl.CollapsedSpectralClustering, n_clusters=2, assign_labels="kmeans", random_state=0
    ),
    "a precomputed graph": on(precomputed, X=adjacency, n_clusters=2),
    "CollapsedSpectralEmbedding": estimator(cl.CollapsedSpectralEmbedding, n_components=2),
    "HeatKernelSignature": estimator(
        cl.HeatKernelSignature, times=lambda: np.array([0.5, 1.0]), scale="raw"
    ),
    "WaveKernelSignature": estimator(cl.WaveKernelSignature, n_energies=4, scale="raw"),
    "CollapsedLabelSpreading": on(
        labelled,
        X=points,
        y=lambda: np.array([0, 0, 0, 1, 1, 0, 1, 1, 0]),
        method="poisson",
        strength="auto",
        n_neighbors=4,
        operator="screened",
        max_rank=2,
    ),
    "SignalSmoother": on(
        smoother,
        X=points,
        y=lambda: np.arange(9.0),
        strength=0.5,
        method="tikhonov",
        n_neighbors=4,
        operator="screened",
        max_rank=2,
    ),
}
TORCH_CALLS = {
    "Collapse": on(
        torch_layer,
        x=tensor,
        source=K,
        realization="unfolded",
        beta=lambda: [1.0, 2.0],
        gamma="bound",
        eps=0.5,
        learn_weights=lambda: [1],
        solver=None,
    ),
    "blueprint": torch_call("blueprint", source=K, realization="unfolded", beta=1.0, gamma=None),
    "data_to_complex": torch_call(
        "data_to_complex", data=data, lift="clique", max_rank=2, weight=None
    ),
    "heat": torch_call("heat", operator=differentiable, signal=tensor, time=0.5, rtol=1e-8),
    "torch.heat_kernel_signature": torch_call(
        "heat_kernel_signature", operator=differentiable, times=lambda: [0.5, 1.0], rtol=1e-8
    ),
    "torch.spectral_filter": torch_call(
        "spectral_filter",
        operator=differentiable,
        signal=tensor,
        response=lambda: exponential,
        rtol=1e-8,
    ),
    "DifferentiableOperator.solve": method(differentiable, "solve", b=tensor, strength=0.5),
    "CollapsedConv": on(
        convolved("CollapsedConv"),
        x=tensor,
        operator=differentiable,
        in_channels=2,
        out_channels=3,
        filter="polynomial",
        order=3,
    ),
    "GraphTransformer": on(
        convolved("GraphTransformer"),
        x=tensor,
        operator=differentiable,
        channels=2,
        heads=1,
        dropout=0.0,
    ),
    "AddCollapsedPE": on(
        transformed("AddCollapsedPE"),
        data=data,
        k=2,
        attr_name="pe",
        lift="clique",
        max_rank=2,
        weight=None,
        operator="unfolded",
        eps=0.5,
    ),
    "AddHeatKernelSignature": on(
        transformed("AddHeatKernelSignature"),
        data=data,
        times=lambda: [0.5, 1.0],
        attr_name="pe",
        lift="clique",
        max_rank=2,
        eps=0.5,
    ),
    "TrustEdges": on(
        transformed("TrustEdges"),
        data=data,
        drop=0.1,
        weight=True,
        attr_name="edge_weight",
        evidence="cells",
    ),
    "SpreadTrust": on(transformed("SpreadTrust"), data=featured, strength=0.5, attr_name="x"),
    "transform_all": on(
        all_transformed, graphs=data_list, transform=encoder, n_jobs=1, progress=False
    ),
}
SCVERSE_CALLS = {
    f"scverse.{name}": on(annotated(name), adata=cells_of_tissue, obsp="mine", **given)
    for name, given in {
        "collapse": {},
        "trust": {},
        "cluster": {"n_clusters": 2, "operator": "laplacian", "rng": 0},
        "embed": {"k": 2, "operator": "laplacian"},
        "smooth": {"layer": "counts", "strength": 0.5, "operator": "laplacian"},
        "spread_labels": {"labels": "known", "operator": "laplacian"},
    }.items()
}
ALL = {**CALLS, **TORCH_CALLS, **(SCVERSE_CALLS if find_spec("anndata") else {})}


@cache
def arguments_of(name):
    """The arguments of a call to look at, made once; to call it, make them anew: `ALL[name]()`."""
    return ALL[name]()[1]


def max_cliques(G):
    return [c for c in nx.find_cliques(G) if len(c) > 2]


def exponential(x):
    import torch

    return torch.exp(-x)


def public_names():
    """(module, name, object) of everything public: `__all__`, or what a module defines itself."""
    for module_name in MODULES:
        try:
            module = importlib.import_module(module_name)
        except ImportError:  # an extra that is not installed
            continue
        names = getattr(module, "__all__", None) or [
            name
            for name, found in vars(module).items()
            if not name.startswith("_") and getattr(found, "__module__", None) == module_name
        ]
        for name in names:
            yield module_name, name, getattr(module, name)
