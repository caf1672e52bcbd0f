"""Lifts: from graphs, hypergraphs, points and meshes to complexes."""

from cellapse._shared.names import showing
from cellapse.lifts.cliques import clique_complex
from cellapse.lifts.cycles import cycle_complex
from cellapse.lifts.graphs import lift, maximal_clique_complex, neighbourhood_complex
from cellapse.lifts.hyperedges import hypergraph_complex
from cellapse.lifts.meshes import mesh_complex
from cellapse.lifts.molecules import molecule_complex
from cellapse.lifts.points import alpha_complex, nearest_neighbour_complex, rips_complex
from cellapse.lifts.proteins import protein_complex, secondary_structure

__all__ = [
    "alpha_complex",
    "clique_complex",
    "cycle_complex",
    "hypergraph_complex",
    "lift",
    "maximal_clique_complex",
    "mesh_complex",
    "molecule_complex",
    "nearest_neighbour_complex",
    "neighbourhood_complex",
    "protein_complex",
    "rips_complex",
    "secondary_structure",
]
__dir__ = showing(__all__)
