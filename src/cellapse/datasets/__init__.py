"""Data to try things on, with where it comes from and under which licence.

Networks and hypergraphs with groups, triangulated surfaces, proteins, citations, and random graphs.
"""

from cellapse._shared.names import showing
from cellapse.datasets.bundled import Dataset, available, load
from cellapse.datasets.contacts import load_contacts
from cellapse.datasets.cora import Cora, load_cora
from cellapse.datasets.download import fetch_pdb
from cellapse.datasets.enumeration import enumerate_surfaces
from cellapse.datasets.generators import (
    BLOCK_MODELS,
    add_shortcuts,
    block_model,
    geometric_graph,
    paper_block_model,
)
from cellapse.datasets.hypergraphs import LabelledHypergraph, load_scenes
from cellapse.datasets.mantra import load_mantra
from cellapse.datasets.proteins import Protein, available_proteins, backbone_complex, load_protein
from cellapse.datasets.surfaces import Surfaces, triangulated_surfaces

__all__ = [
    "BLOCK_MODELS",
    "Cora",
    "Dataset",
    "LabelledHypergraph",
    "Protein",
    "Surfaces",
    "add_shortcuts",
    "available",
    "available_proteins",
    "backbone_complex",
    "block_model",
    "enumerate_surfaces",
    "fetch_pdb",
    "geometric_graph",
    "load",
    "load_contacts",
    "load_cora",
    "load_mantra",
    "load_protein",
    "load_scenes",
    "paper_block_model",
    "triangulated_surfaces",
]
__dir__ = showing(__all__)
