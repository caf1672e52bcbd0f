"""What is given is left as it is, and what it is stored like does not matter."""

import dataclasses
import inspect
import sys
import warnings

import networkx as nx
import numpy as np
import pytest
from public_calls import (
    ALL,
    CALLS,
    ELSEWHERE,
    RESULTS,
    TORCH_CALLS,
    arguments_of,
    public_names,
)
from scipy import sparse

import cellapse as cl


def test_every_public_name_is_called():
    """A new public function needs an entry in `public_calls`."""
    known = {name.rpartition(".")[2] if name[0].islower() else name for name in ALL}
    missing = {
        f"{module}.{name}"
        for module, name, _ in public_names()
        if name not in known | RESULTS | ELSEWHERE
    }
    assert not missing


SOLVERS = ("Dense", "ShiftInvert", "Davidson", "Lanczos", "Auto")
REALIZATIONS = ("Realization", "Unfolded", "Boundary", "Unsigned", "Mixed", "Screened")
OF_A_REALIZATION = (
    *("matrices", "chain", "caution", "weigh", "eliminate", "limit", "split", "ceiling", "stacks"),
    *("edge_numbers", "slopes", "in_rounds"),
)
INSIDE = {  # methods that one part of the package calls on another
    *("Operator.apply", "CollapsedOperator.apply", "CollapsedOperator.norm_bound"),
    *("CollapsedOperator.shifted_system", "CollapsedOperator.safe_shift", "KernelOperator.apply"),
    *(f"ReducedOperator.{method}" for method in ("apply", "shifted_system", "safe_shift")),
    *("Surfaces.stacks", "CG.prepare", "Direct.prepare", "Auto.plan"),
    *(f"{solver}.{method}" for solver in SOLVERS for method in ("find", "find_more", "search")),
    *("Settings.check", "Settings.alone", "Protein.complex", "Protein.from_backbone"),
    *("Cora.complex", "LabelledHypergraph.complex"),
    *("Weights.choose", "Weights.with_eps", "Incidence.given", "Incidence.of"),
    *(f"{name}.{method}" for name in REALIZATIONS for method in OF_A_REALIZATION),
}


def test_every_public_method_is_called():
    missing = set()
    for module, _, found in public_names():
        if not inspect.isclass(found) or module == "cellapse.torch" or issubclass(found, Exception):
            continue
        if module == "cellapse.estimators" or hasattr(found, "fit"):
            continue  # scikit-learn's checks call all of theirs
        for name, member in vars(found).items():
            if name.startswith("_") or not callable(getattr(found, name)):
                continue
            if inspect.isfunction(member) or isinstance(member, classmethod | staticmethod):
                takes = len(
                    inspect.signature(
                        member.__func__ if hasattr(member, "__func__") else member
                    ).parameters
                )
                if takes > 1:  # one without arguments cannot harm any
                    missing.add(f"{found.__name__}.{name}")
    assert not missing - set(ALL) - INSIDE


def fingerprint(given):
    """Everything that a user could see of an argument, and its bytes."""
    if isinstance(given, np.ndarray):
        return (given.dtype.str, given.shape, given.strides, given.flags.writeable, given.tobytes())
    if sparse.issparse(given):
        parts = {k: v for k, v in vars(given).items() if isinstance(v, np.ndarray)}
        coords = vars(given).get("coords", ())
        return given.format, given.shape, fingerprint(parts), fingerprint(list(coords))
    if isinstance(given, nx.Graph):
        return repr((given.graph, dict(given.nodes(data=True)), list(given.edges(data=True))))
    if isinstance(given, dict):
        return [(repr(k), fingerprint(v)) for k, v in given.items()]
    if isinstance(given, list | tuple):
        return type(given), [fingerprint(v) for v in given]
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(given, torch.Tensor):
        given = given.detach()
        return fingerprint((given if given.layout == torch.strided else given.to_dense()).numpy())
    if hasattr(given, "to_dict") and hasattr(given, "edge_index"):  # PyG
        return fingerprint(dict(given.to_dict()))
    if isinstance(given, cl.Operator):
        return fingerprint(given.A), fingerprint(given.labels)
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        names = [f.name for f in dataclasses.fields(given) if not f.name.startswith("_")]
        return [(name, fingerprint(getattr(given, name))) for name in names]
    return repr(given) if isinstance(given, int | float | str | range | None) else None


ADDED_TO = ("Timeline.add", "self")  # the one object that is made piece by piece


def call(name):
    pytest.importorskip("torch_geometric") if name in TORCH_CALLS else None
    return ALL[name]()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ALL)
def test_no_argument_is_changed(name):
    function, arguments = call(name)
    if name == "to_hypernetx":  # which the oldest networkx is too old for
        pytest.importorskip("hypernetx")
    kept = {k: v for k, v in arguments.items() if (name, k) != ADDED_TO}
    before = {k: fingerprint(v) for k, v in kept.items()}
    function(**arguments)
    after = {k: fingerprint(v) for k, v in kept.items()}
    assert after == before


# ---------------------------------------------------------------- how arrays are stored


def strided(a):
    spread = np.zeros(tuple(2 * n for n in a.shape), a.dtype)
    spread[tuple(slice(None, None, 2) for _ in a.shape)] = a
    return spread[tuple(slice(None, None, 2) for _ in a.shape)]


def read_only(a):
    copy = a.copy()
    copy.flags.writeable = False
    return copy


def reversed_rows(a):
    return np.ascontiguousarray(a[::-1])[::-1]


def integers(a):
    return a.astype(np.int32) if (a == np.round(a)).all() else a


FORMS = {
    "float32": lambda a: a.astype(np.float32),
    "integers": integers,
    "strided": strided,
    "negative strides": reversed_rows,
    "Fortran": np.asfortranarray,
    "read-only": read_only,
    "big-endian": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "list": lambda a: a.tolist(),
    "objects": lambda a: a.astype(object),
}
INTEGER_FORMS = {
    name: FORMS[name]
    for name in ("strided", "negative strides", "Fortran", "read-only", "big-endian")
} | {
    "int32": lambda a: a.astype(np.int32),
    "uint8": lambda a: a.astype(np.uint8),
}


def sparse_read_only(M):
    copy = M.copy()
    for part in (copy.data, copy.indices, copy.indptr):
        part.flags.writeable = False
    return copy


SPARSE_FORMS = {
    "float32": lambda M: M.astype(np.float32),
    "integers": lambda M: M.astype(np.int64) if (M.data == np.round(M.data)).all() else M,
    "64-bit indices": lambda M: sparse.csr_array(
        (M.data, M.indices.astype(np.int64), M.indptr.astype(np.int64)), shape=M.shape
    ),
    "read-only": sparse_read_only,
    "csc": lambda M: sparse.csc_array(M),
    "coo": lambda M: sparse.coo_array(M),
    "lil": lambda M: sparse.lil_array(M),
    "dok": lambda M: sparse.dok_array(M),
    "a matrix": lambda M: sparse.csr_matrix(M),
    "entries twice": lambda M: sparse.csr_array(
        (np.repeat(M.data / 2, 2), np.repeat(M.indices, 2), 2 * M.indptr), shape=M.shape
    ),
}


def changed(given, forms, name):
    """The argument with every array in it stored in another form."""
    if isinstance(given, np.ndarray) and given.dtype.kind in "iuf":
        table = FORMS if given.dtype.kind == "f" else INTEGER_FORMS
        return table[name](given) if forms is not SPARSE_FORMS and name in table else given
    if sparse.issparse(given):
        return forms[name](given) if forms is SPARSE_FORMS else given
    if isinstance(given, dict):
        made = {k: changed(v, forms, name) for k, v in given.items()}
        return given if all(made[k] is v for k, v in given.items()) else made
    if isinstance(given, list | tuple):
        made = type(given)(changed(v, forms, name) for v in given)
        return given if all(a is b for a, b in zip(made, given, strict=True)) else made
    return given


def numbers(found):
    """A result as a flat list of arrays, to compare two of them."""
    if isinstance(found, cl.Operator):
        return [found.toarray()]
    if sparse.issparse(found):
        return [found.toarray()]
    if isinstance(found, np.ndarray):
        if found.dtype == object:
            return [
                np.array([v if isinstance(v, int | float) else 0 for v in found.ravel()], float)
            ]
        return [found if found.dtype.kind in "biufc" else np.zeros(found.shape)]
    if isinstance(found, int | float | np.number):
        return [np.asarray(found, dtype=float)]
    if isinstance(found, dict):
        return [a for v in found.values() for a in numbers(v)]
    if isinstance(found, list | tuple):
        return [a for v in found for a in numbers(v)]
    if dataclasses.is_dataclass(found):
        return [a for f in dataclasses.fields(found) for a in numbers(getattr(found, f.name))]
    if hasattr(found, "detach"):
        return [found.detach().numpy()]
    return []


def has_arrays(arguments, kind):
    found = []

    def look(v):
        if isinstance(v, np.ndarray) and v.dtype.kind in "iuf" and kind == "dense":
            found.append(v)
        if sparse.issparse(v) and kind == "sparse":
            found.append(v)
        for w in v.values() if isinstance(v, dict) else v if isinstance(v, list | tuple) else ():
            look(w)

    look({k: v for k, v in arguments.items() if k != "self"})
    return bool(found)


WITH_ARRAYS = {
    kind: [name for name in CALLS if has_arrays(arguments_of(name), kind)]
    for kind in ("dense", "sparse")
}


def forms_agree(name, forms):
    function, arguments = call(name)
    expected = numbers(function(**arguments))
    for form in forms:
        function, arguments = call(name)
        given = {k: v if k == "self" else changed(v, forms, form) for k, v in arguments.items()}
        if all(given[k] is v for k, v in arguments.items()):
            continue  # has no such form
        before = {k: fingerprint(v) for k, v in given.items()}
        found = numbers(function(**given))
        assert {k: fingerprint(v) for k, v in given.items()} == before, form
        assert len(found) == len(expected), form
        tol = 1e-4 if form == "float32" and name in ROUNDED else 1e-9
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=tol, atol=tol, err_msg=form)


ROUNDED = {"protein_complex", "secondary_structure", "backbone_complex"}  # of three decimals


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WITH_ARRAYS["dense"])
def test_dense_arrays_of_any_kind(name):
    forms_agree(name, FORMS | INTEGER_FORMS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WITH_ARRAYS["sparse"])
def test_sparse_matrices_of_any_kind(name):
    forms_agree(name, SPARSE_FORMS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted({*WITH_ARRAYS["dense"], *WITH_ARRAYS["sparse"]}))
def test_complex_arrays_are_answered_or_refused(name):
    """Never cut down to their real part: S is applied to them, or they are refused in words."""
    function, arguments = call(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        for key, value in arguments.items():
            for a in (value,) if key != "self" else ():
                is_array = isinstance(a, np.ndarray) and a.dtype.kind == "f"
                if not is_array and not sparse.issparse(a):
                    continue
                given = call(name)[1] | {key: a * (1 + 1j)}
                try:
                    found = numbers(function(**given))
                except cl.CellapseError:
                    continue
                assert all(np.iscomplexobj(f) for f in found) or "energy" in name


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_arcs_by_rows_and_by_columns_are_the_same_arcs(form):
    arcs = sparse.coo_array(([5.0, 2.0, 3.0, 0.0], ([0, 1, 2, 2], [1, 0, 0, 1])), shape=(3, 3))
    K = cl.as_complex(arcs.asformat(form), weight="w", directed="ignore", repeats="first")
    assert K.cells[1].as_array().tolist() == [[0, 1], [0, 2]]
    assert K.weights[1].tolist() == [5.0, 3.0]  # that above the diagonal comes first


@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.parametrize("function", [cl.collapse, cl.graph_laplacian, cl.edge_trust, cl.verdict])
def test_edges_as_loadtxt_reads_them_are_no_points(function, columns):
    rows = np.array([[0, 1, 0.5], [1, 2, 2.0], [2, 0, 1.0], [2, 3, 4.0]])[:, :columns]
    for given in (rows, rows.tolist(), rows.astype(np.float32)):
        with pytest.raises(cl.InputError, match="edges"):
            function(given)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float16, np.float32, np.longdouble])
def test_adjacencies_of_any_kind_of_numbers(kind):
    A = 200.0 * nx.to_numpy_array(nx.karate_club_graph(), weight=None)
    assert (cl.graph_laplacian(A.astype(kind)).A != cl.graph_laplacian(A).A).nnz == 0
