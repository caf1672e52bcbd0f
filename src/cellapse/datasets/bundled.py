"""The five bundled networks: one JSON file each, read on request.

A file holds the node labels in their order, one group per node, and the edges as pairs (or
triples, with a weight) of node positions; the rest is citation, licence and provenance.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from cellapse._complex.weights import UNWEIGHTED
from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse.datasets._card import Described
from cellapse.datasets._names import unknown_name
from cellapse.datasets.proteins import available_proteins, load_protein

if TYPE_CHECKING:
    import networkx as nx

_NAMES = ("karate", "football", "lesmis", "polbooks", "dolphins")


@dataclass(frozen=True, eq=False)
class Dataset(Described):
    """A network with one group per node and the papers that belong to it.

    Attributes
    ----------
    name, title : str
        The name `load` takes, and the one to print.
    graph : networkx.Graph
        Labels as nodes, in order, with the attribute `group`; edges have `weight` if weighted,
        which counts where it is asked for: `weight="weight"`.
    groups : integer array
        The group of each node as a code 0, 1, ..., aligned with the nodes; read-only.
    group_names : tuple of str or int
        `group_names[code]` is the group as the source writes it.
    weighted : bool
    source, licence, provenance, notes : str
        Citation, licence, where the file was taken from, and what to know before using it.

    Examples
    --------
    >>> club = load("karate")
    >>> club
    Dataset(name='karate', title="Zachary's karate club")
    >>> club.group_names, club.groups[:10].tolist()
    (('Mr. Hi', 'Officer'), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    """

    name: str
    title: str
    graph: nx.Graph = field(repr=False)
    groups: IntArray = field(repr=False)
    group_names: tuple[str | int, ...] = field(repr=False)
    weighted: bool = field(repr=False)
    source: str = field(repr=False)
    licence: str = field(repr=False)
    provenance: str = field(repr=False)
    notes: str = field(repr=False)

    _calls = (("data.graph", "is a networkx graph"), ("data.groups", "are the known groups"))

    def _head(self) -> tuple[str, str]:
        return self.title, self.name

    def _sizes(self) -> list[int]:
        return np.bincount(self.groups).tolist()

    def _facts(self) -> dict[str, Any]:
        import networkx as nx  # as slow to import as all the rest: only when a network is read

        sizes = np.bincount(self.groups)
        rows: dict[str, Any] = {
            "nodes": self.graph.number_of_nodes(),
            "edges": f"{self.graph.number_of_edges()}{', weighted' if self.weighted else ''}",
            "triangles": sum(nx.triangles(self.graph).values()) // 3,
            "groups": f"{sizes.size}, of {sizes.min()} to {sizes.max()} nodes",
            "source": self.source,
            "licence": self.licence,
            "provenance": self.provenance,
            "notes": self.notes,
        }
        return rows


def available() -> tuple[str, ...]:
    """Return name the bundled networks.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> available()
    ('karate', 'football', 'lesmis', 'polbooks', 'dolphins')
    """
    return _NAMES


@overload
def load(name: Literal["karate", "football", "lesmis", "polbooks", "dolphins"]) -> Dataset: ...


@overload
def load(name: str) -> Any: ...  # a Dataset or a Protein: which, only the name says


def load(name: str) -> Any:
    """Read a bundled network or protein.

    Parameters
    ----------
    name : str
        One of `available()`, or of `available_proteins()` in capitals or not.

    Returns
    -------
    Dataset or Protein
        A fresh one at every call, so its graph may be changed freely.

    Raises
    ------
    InputError
        When there is nothing of that name.

    Examples
    --------
    >>> football = load("football")
    >>> football.graph.number_of_edges(), football.groups.size, len(football.group_names)
    (613, 115, 12)
    >>> load("1ubq")
    Protein(name='1UBQ', title='STRUCTURE OF UBIQUITIN REFINED AT 1.8 ANGSTROMS RESOLUTION')
    >>> load("footbal")
    Traceback (most recent call last):
        ...
    cellapse._errors.InputError: no dataset 'footbal'; there are karate, football, lesmis, \
polbooks, dolphins and 50 proteins; did you mean load('football')?
    """
    proteins = available_proteins()
    if isinstance(name, str) and name.upper() in proteins:
        return load_protein(name)
    if not isinstance(name, str) or name not in _NAMES:
        raise InputError(unknown_name("dataset", name, _NAMES, "load", more=proteins))
    file = resources.files("cellapse.datasets") / "networks" / f"{name}.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    nodes, groups, edges = (record.pop(key) for key in ("nodes", "groups", "edges"))

    import networkx as nx

    weighted = len(edges[0]) == 3
    said = {UNWEIGHTED: True} if weighted else {}  # what was measured on it has no weights
    graph = nx.Graph(name=record["title"], **said)
    graph.add_nodes_from(nodes)
    nx.set_node_attributes(graph, dict(zip(nodes, groups, strict=True)), "group")
    add = graph.add_weighted_edges_from if weighted else graph.add_edges_from
    add((nodes[i], nodes[j], *weight) for i, j, *weight in edges)

    group_names, codes = np.unique(groups, return_inverse=True)
    codes.setflags(write=False)
    return Dataset(
        graph=graph,
        groups=codes,
        group_names=tuple(group_names.tolist()),
        weighted=weighted,
        **record,
    )
