"""Hypergraphs with known groups, and the one that is bundled: the scenes of Les Miserables."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._shared.arrays import IntArray
from cellapse.datasets._card import Described
from cellapse.datasets.bundled import load
from cellapse.lifts import hypergraph_complex


@dataclass(frozen=True, eq=False)
class LabelledHypergraph(Described):
    """Nodes, the sets of nodes that met, and a group for every node.

    Attributes
    ----------
    name, title : str
    nodes : tuple
        In the order of the file.
    hyperedges : tuple of tuples of nodes
        One may come several times.
    groups : integer array
        The group of each node as a code 0, 1, ...; read-only.
    group_names : tuple of str
    source, licence, provenance, notes : str

    Examples
    --------
    >>> import cellapse as cl
    >>> data = cl.datasets.load_scenes()
    >>> data.hyperedges[0], data.complex()
    (('Napoleon', 'Myriel'), Complex(n_cells=(77, 254, 60)))
    """

    name: str
    title: str
    nodes: tuple[Any, ...] = field(repr=False)
    hyperedges: tuple[tuple[Any, ...], ...] = field(repr=False)
    groups: IntArray = field(repr=False)
    group_names: tuple[str | int, ...] = field(repr=False)
    source: str = field(repr=False)
    licence: str = field(repr=False)
    provenance: str = field(repr=False)
    notes: str = field(repr=False)

    def complex(self, multiplicity: str = "merge") -> Complex:
        """Return pairs within hyperedges as edges, larger hyperedges as cells of rank 2.

        `multiplicity="weight"` counts how often each of them was given, as `hypergraph_complex`
        does.
        """
        return hypergraph_complex(self.hyperedges, vertices=self.nodes, multiplicity=multiplicity)

    _calls = (("data.complex()", "is its complex"), ("data.groups", "are the known groups"))

    def _head(self) -> tuple[str, str]:
        return self.title, self.name

    def _sizes(self) -> list[int]:
        return np.bincount(self.groups).tolist()

    def _facts(self) -> dict[str, Any]:
        sizes = np.bincount([len(e) for e in self.hyperedges])
        members = np.bincount(self.groups)
        rows: dict[str, Any] = {
            "nodes": len(self.nodes),
            "hyperedges": f"{len(self.hyperedges):,}, "
            + ", ".join(f"{m:,} of {s} nodes" for s, m in enumerate(sizes.tolist()) if m),
            "groups": f"{members.size}, of {members.min()} to {members.max()} nodes",
            "source": self.source,
            "licence": self.licence,
            "provenance": self.provenance,
            "notes": self.notes,
        }
        return rows


def load_scenes() -> LabelledHypergraph:
    """Return the scenes of Les Miserables: who of Victor Hugo's characters is in a scene together.

    A scene of two and more characters is a hyperedge, in the order of the novel. Nodes and groups
    are those of the network "lesmis", whose weights count the scenes that two characters share.

    Returns
    -------
    LabelledHypergraph

    Examples
    --------
    >>> scenes = load_scenes()
    >>> len(scenes.nodes), len(scenes.hyperedges)
    (77, 297)
    """
    file = resources.files("cellapse.datasets") / "networks" / "scenes.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    graph = load("lesmis")
    nodes = tuple(graph.graph)
    scenes = tuple(tuple(nodes[i] for i in scene) for scene in record.pop("scenes"))
    return LabelledHypergraph(
        nodes=nodes, hyperedges=scenes, groups=graph.groups, group_names=graph.group_names, **record
    )
