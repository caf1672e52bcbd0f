"""AnnData: the neighbour graph of its cells, under the key of `obsp` where scanpy keeps it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError
from cellapse._shared.notes import fact
from cellapse.interop._build import Wanted
from cellapse.interop.matrices import labelled_adjacency

CONNECTIVITIES = "connectivities"


def read(adata: Any, wanted: Wanted) -> Complex:
    """Read the graph of `obsp[weight]`, by default of `obsp["connectivities"]`, and its weights."""
    wanted.check_ranked("an AnnData")
    named = isinstance(wanted.weight, str) and wanted.weight != AUTO
    matrix = neighbour_graph(adata, str(wanted.weight) if named else CONNECTIVITIES)
    if named:  # the values of that matrix
        wanted = replace(wanted, weight=AUTO)
    names = list(adata.obs_names)
    if len(set(names)) < len(names):
        fact("several cells have the same name, so that all go by their position")
        names = list(range(len(names)))
    return labelled_adjacency(sparse.csr_array(matrix), names, wanted, {}, {})


def neighbour_graph(adata: Any, key: str) -> Any:
    """Return the matrix under a key of `obsp`."""
    keys = [] if not hasattr(adata, "obsp") else list(adata.obsp)
    if key not in keys:
        there = f"obsp has {', '.join(map(repr, keys))}" if keys else "obsp is empty"
        raise InputError(
            f"an AnnData without obsp[{key!r}] ({there}); make the graph with "
            "sc.pp.neighbors(adata), or name another key"
        )
    return adata.obsp[key]
