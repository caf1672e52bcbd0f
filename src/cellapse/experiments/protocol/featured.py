"""Networks whose vertices have features and groups: what graph networks learn from.

    cora        papers that cite each other, the words of a paper, its subject
    movies      movies with a director or an actor in common, the keywords of a plot, its genre
    football    teams that play each other, no features but the team itself, its conference

The first two are read from the package graphdatascience, and left out where it is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

import networkx as nx
import numpy as np
from scipy import sparse

from cellapse._errors import InputError, MissingExtraError, extra
from cellapse._shared.arrays import IntArray
from cellapse.datasets.bundled import load
from cellapse.datasets.cora import load_cora, resources
from cellapse.datasets.generators import join


@dataclass(frozen=True, eq=False)
class Featured:
    """A graph, a row of features for each vertex, its group, and how many are shown."""

    A: sparse.csr_array
    features: sparse.csr_array
    groups: IntArray
    per_class: int  # to learn from
    n_validation: int
    n_test: int


def cora() -> Featured:
    data = load_cora()
    n = len(data.papers)
    A = join(sparse.csr_array((n, n)), data.complex(1).cells[1].as_array(2))
    words = sparse.csr_array(data.words.astype(np.float64))
    return Featured(A, words, np.asarray(data.groups), 20, 500, 1000)


def movies() -> Featured:
    folder = resources("imdb")
    with extra("pyarrow", "parquet"):
        from pyarrow import parquet
    table = parquet.read_table(folder / "imdb_movies_with_genre.parquet.gzip")
    number, genre = (table[name].to_numpy() for name in ("nodeId", "genre"))
    words = sparse.csr_array(np.array(table["plot_keywords"].to_pylist(), dtype=np.float64))
    order = np.argsort(number)
    n, shared = len(number), sparse.csr_array((len(number), len(number)))
    for people in ("acted", "directed"):
        links = parquet.read_table(folder / f"imdb_{people}_in.parquet.gzip")
        ends = [links[f"{end}NodeId"].to_numpy() for end in ("source", "target")]
        at = order[np.minimum(np.searchsorted(number, ends[1], sorter=order), n - 1)]
        known = number[at] == ends[1]
        who = np.unique(ends[0][known], return_inverse=True)[1]
        in_it = sparse.csr_array((np.ones(len(who)), (at[known], who)), shape=(n, who.max() + 1))
        shared = shared + in_it @ in_it.T
    pairs = np.argwhere(sparse.triu(shared, 1).toarray() > 0)
    A = join(sparse.csr_array((n, n)), pairs)
    return Featured(A, words, np.unique(genre, return_inverse=True)[1], 20, 500, 1000)


def football() -> Featured:
    data = load("football")
    A = sparse.csr_array(nx.to_scipy_sparse_array(data.graph, weight=None, dtype=float))
    n = A.shape[0]
    return Featured(A, sparse.csr_array(sparse.eye_array(n)), np.asarray(data.groups), 3, 30, n)


NETWORKS: dict[str, Callable[[], Featured]] = {
    "cora": cora,
    "movies": movies,
    "football": football,
}


@cache
def featured(name: str) -> Featured:
    """Read one of them, once."""
    return NETWORKS[name]()


def installed() -> list[str]:
    """Return the names of those whose data are installed."""
    names = []
    for name in NETWORKS:
        with suppress(MissingExtraError, InputError):
            featured(name)
            names.append(name)
    return names
