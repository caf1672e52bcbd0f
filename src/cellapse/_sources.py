"""Whatever a user has, as a complex: the one place where graphs, points and names are lifted.

    a graph, an adjacency     its cliques up to rank 2
    points                    joined to their 10 nearest neighbours, and the cliques of that
    a hypergraph, a complex   its own cells
    a name                    a bundled network or protein, or else a file

`collapse`, the baselines, tasks, `analyze` and the command line all come here.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from cellapse import datasets
from cellapse._complex.adjacency import is_adjacency
from cellapse._complex.complex import Complex
from cellapse._complex.simple import SIMPLE, Rules
from cellapse._complex.weights import AUTO, weighted_by
from cellapse._errors import InputError
from cellapse._shared.checks import own_csr
from cellapse._shared.notes import warn_user
from cellapse.interop._listed import is_edges_with_data
from cellapse.interop.reading import as_complex
from cellapse.io import Understood, read
from cellapse.lifts import clique_complex
from cellapse.lifts.points import nearest_neighbour_complex

MAX_RANK = 2  # of the cliques that become cells
HYPERGRAPHS = {"scenes": datasets.load_scenes}  # those that are bundled
NEIGHBOURS = 10  # of a point
_WEIGHTS = ("weights", "value", "count")  # what a column may be called that could be weights


@dataclass(frozen=True, eq=False)
class Source:
    """A complex with a title, what is known of it, and the known group of every vertex."""

    title: str
    complex: Complex
    groups: tuple[Any, ...] | None = None
    card: str = ""
    reading: Understood | None = None  # of a file: how it was understood


def source_of(given: Any, weight: str | None = AUTO) -> Source:
    """Return whatever was given, lifted where it has no cells of its own; the metadata say how.

    `weight` is that of `as_complex`.

    >>> source_of([("a", "b"), ("b", "c"), ("a", "c")]).complex
    Complex(n_cells=(3, 3, 1), lift='cliques up to rank 2 of list')
    """
    if isinstance(given, Complex):
        K = as_complex(given, weight=weight)
        return Source(str(K.metadata.get("name", "A complex")), K)
    if isinstance(given, str | os.PathLike):
        return _named(os.fspath(given), weight)
    if sparse.issparse(given) and given.shape[0] != given.shape[-1]:
        raise InputError(
            f"one sparse matrix of shape {given.shape}: an adjacency is square, and B_1 goes into "
            "a list, [B_1]"
        )
    _refuse_operators(given)
    if is_points(given):
        x = np.asarray(given)
        k = min(NEIGHBOURS, max(len(x) - 1, 1))
        K = nearest_neighbour_complex(x, k, MAX_RANK, weight=weight)
        return Source(
            f"{len(x):,} points",
            _said(K, f"cliques up to rank {MAX_RANK} of the {k} nearest neighbours of points"),
        )
    K, kind = as_complex(given, weight=weight), _kind(given)
    if weight == AUTO:
        warn_of_weights(K)
    return Source(str(K.metadata.get("name", "") or "A complex"), _lifted_from(K, kind))


def _refuse_operators(given: Any) -> None:
    """A symmetric matrix with negative entries, such as a Laplacian, is no adjacency."""
    dense = isinstance(given, np.ndarray) and given.ndim == 2 and given.dtype.kind in "if"
    if not sparse.issparse(given) and not dense:
        return
    n = given.shape[0]
    if given.ndim != 2 or given.shape != (n, n) or (n < 3 and not sparse.issparse(given)):
        return
    M = own_csr(given, "the matrix")
    if (M.data < 0).any() and not abs(M - M.T).nnz:
        raise InputError(
            f"a symmetric matrix of shape {given.shape} with negative entries: an operator, it "
            "seems, such as a Laplacian; tasks take it as it is, a complex is made of the adjacency"
        )


def complex_from(given: Any, weight: str | None = AUTO) -> Complex:
    """Return the complex alone."""
    return source_of(given, weight).complex


def named_complex(name: Any, weight: str | None, rules: Rules) -> Complex:
    """The bundled network of that name, or the file; with its vertices and edges at least."""
    if isinstance(name, bytes):
        raise InputError(f"{name!r:.80} is a name in bytes; give a string")
    name = os.fspath(name)
    source = _bundled(name, 1, weight)
    if source is None and not exists(name):
        raise InputError(unknown(name, "dataset", bundled_names()))
    if source is None:
        given = {} if rules == SIMPLE else vars(rules)
        return read(name, weight=weight, **given)
    if rules != SIMPLE:
        raise InputError(
            f"directed, loops and repeats are for files, and {name} is bundled; leave them out"
        )
    return source.complex


def lifted(K: Complex, max_rank: int = MAX_RANK) -> Complex:
    """Return a graph with its cliques; whatever has cells of its own keeps them."""
    return clique_complex(K, max_rank) if K.max_rank == 1 and max_rank > 1 else K


def bundled_names() -> tuple[str, ...]:
    """Return the bundled networks, hypergraphs and proteins."""
    return (*datasets.available(), *HYPERGRAPHS, *datasets.available_proteins())


def bundled(name: str, max_rank: int = MAX_RANK, weight: str | None = None) -> Source | None:
    """Return the bundled data of that name, if there is any, and for all but networks no such file.

    Networks have no weights unless they are asked for: what was measured on them has none.
    """
    if name in datasets.available():
        data = datasets.load(name)
        K = clique_complex(data.graph, max_rank, weight=weight)
        groups = tuple(data.group_names[g] for g in data.groups)
        return Source(data.title, K, groups, data.card())
    if exists(name):
        return None
    if name in HYPERGRAPHS:
        hypergraph = HYPERGRAPHS[name]()
        groups = tuple(hypergraph.group_names[g] for g in hypergraph.groups)
        K = hypergraph.complex(multiplicity="weight")
        return Source(hypergraph.title, K, groups, hypergraph.card())
    return load_protein(name) if name.upper() in datasets.available_proteins() else None


def load_protein(name: str) -> Source:
    """Return a bundled protein or a structure file, with DSSP where it can be computed."""
    from cellapse.lifts.proteins import backbone_coordinates, protein_complex, secondary_structure

    attributes: dict[str, Any]
    if exists(name):
        try:
            K, dssp = protein_complex(name), secondary_structure(name)
            backbone = backbone_coordinates(name)
        except InputError as error:
            said = str(error)
            raise InputError(said if said.startswith(name) else f"{name}: {said}") from None
        title, card, attributes = Path(name).name, "", dict(K.attributes[0])
    elif name.upper() not in datasets.available_proteins():
        raise InputError(unknown(name, "protein", datasets.available_proteins()))
    else:
        protein = datasets.load_protein(name.upper())
        K, dssp = protein.complex(), protein.dssp
        title, card = f"{protein.title.title()} ({protein.name})", protein.card()
        attributes = {"residue": protein.residues, "position": protein.coordinates[:, 1]}
        backbone = protein.coordinates
    words = {"H": "helix", "E": "strand", "C": "coil"}
    attributes |= {
        "dssp": [words.get(str(d), "unknown") for d in dssp],
        "backbone": backbone.reshape(len(backbone), 12),
    }
    bare = replace(K, attributes=tuple({} for _ in K.cells), metadata={})
    return Source(title, bare.with_attributes({0: attributes}), None, card)


def unused_weights(K: Complex) -> str | None:
    """Return the attribute of the edges that looks like weights, where nothing uses it."""
    if K.max_rank < 1 or K.weights[1] is not None or len(K.attributes) < 2:
        return None
    for name, column in K.attributes[1].items():
        numeric = column.ndim == 1 and np.issubdtype(column.dtype, np.number)
        if numeric and name.lower() in _WEIGHTS and len(column) and (column != column[0]).any():
            return name
    return None


def is_points(given: Any) -> bool:
    """Return whether this is a table of coordinates: fractions, and no square symmetric matrix."""
    if isinstance(given, list | tuple) and given and isinstance(given[0], list | tuple):
        if is_edges_with_data(list(given)):
            return False
        flat = [v for row in given if isinstance(row, list | tuple) for v in row]
        if not any(isinstance(v, float) for v in flat):
            return False
        try:
            given = np.asarray(given)
        except ValueError:
            return False
    if not isinstance(given, np.ndarray) or given.ndim != 2 or is_adjacency(given):
        return False
    if not np.issubdtype(given.dtype, np.floating):
        return False
    if _is_one_sided(given):
        raise InputError(
            f"a square array of shape {given.shape} that is not symmetric: an adjacency with "
            "directions, or points; pass scipy.sparse.csr_array((M + M.T) / 2) for the first (or "
            "M + M.T of one triangle), and lifts.nearest_neighbour_complex(points, n_neighbors) "
            "for the second"
        )
    if given.size and np.isin(given, (-1.0, 0.0, 1.0)).all():
        raise InputError(
            f"an array of shape {given.shape} that holds only -1, 0 and 1: a matrix B_1 goes into "
            "a list, [B_1], and points into lifts.nearest_neighbour_complex(points, n_neighbors)"
        )
    ends = given[:, :2]
    if given.shape[1] in (2, 3) and given.size and (ends >= 0).all() and (ends % 1 == 0).all():
        weighted = given.shape[1] == 3
        edges = "[(int(u), int(v), w) for u, v, w in array]" if weighted else "array.astype(int)"
        raise InputError(
            f"an array of shape {given.shape} with whole numbers in two columns: edges"
            f"{' with their weights' if weighted else ''}, or points; pass {edges} for edges, and "
            "points into lifts.nearest_neighbour_complex(points, k)"
        )
    return True


def _is_one_sided(given: Any) -> bool:
    """Return whether an array looks like an adjacency with directions, and not like points."""
    n = len(given)
    if given.shape != (n, n) or n < 3 or not (given >= 0).all():
        return False
    return not given.diagonal().any() or bool((given == 0).mean() > 0.5)


def exists(name: str) -> bool:
    """Return whether there is such a file; a name that no file can have is none."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def unknown(name: str, kind: str, known: Sequence[str]) -> str:
    """Return what to say of a name that is neither a file nor bundled."""
    close = difflib.get_close_matches(name, known, n=1)
    close = close or difflib.get_close_matches(name.upper(), known, n=1)
    remedy = f"did you mean {close[0]}?" if close else "see `cellapse datasets` for what is bundled"
    return f"no file and no bundled {kind} {name!r:.200}; {remedy}"


def _named(name: str | bytes, weight: str | None) -> Source:
    if isinstance(name, bytes):
        raise InputError(f"{name!r:.80} is a name in bytes; give a string")
    source = _bundled(name, MAX_RANK, weight)
    if source is not None:
        return replace(source, complex=_said(source.complex, f"bundled {name}"))
    if not exists(name):
        raise InputError(unknown(name, "dataset", bundled_names()))
    K = read(name, weight=weight)
    if weight == AUTO:
        warn_of_weights(K)
    return Source(Path(name).name, _lifted_from(K, Path(name).name))


def _bundled(name: str, max_rank: int, weight: str | None) -> Source | None:
    """Return the bundled data of that name, with the weights asked for."""
    source = bundled(name, max_rank, None if weight == AUTO else weight)
    if source is None or weight == AUTO or name in datasets.available():
        return source
    return replace(source, complex=weighted_by(source.complex, weight))


def _kind(given: Any) -> str:
    """Return what was given, in words."""
    if sparse.issparse(given) or is_adjacency(given):
        return "an adjacency"
    library = type(given).__module__.partition(".")[0]
    return type(given).__name__ if library == "builtins" else f"{library}.{type(given).__name__}"


def _lifted_from(K: Complex, kind: str) -> Complex:
    made = lifted(K)
    how = f"cliques up to rank {MAX_RANK} of" if made is not K else "cells of"
    return _said(made, f"{how} {kind}")


def _said(K: Complex, how: str) -> Complex:
    return replace(K, metadata={**K.metadata, "lift": how})


def warn_of_weights(K: Complex) -> None:
    """Say so where the edges have weights that nobody asked for."""
    name = unused_weights(K)
    if name is not None:
        warn_user(
            f'the edges have an attribute "{name}" that is not used; '
            f'clique_complex(..., weight="{name}") takes it as weights'
        )
