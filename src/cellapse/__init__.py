"""Collapse the higher-order cells of a complex onto its vertices.

>>> import networkx as nx
>>> import cellapse as cl
>>> K = cl.clique_complex(nx.karate_club_graph())
>>> S = cl.collapse(K, eps=1e-4)
>>> float(S.spectrum(3).values[0])
0.0
"""

from cellapse import datasets, theory
from cellapse._errors import (
    CellapseError,
    CellapseWarning,
    ConvergenceError,
    InputError,
    MissingExtraError,
    SizeError,
)
from cellapse.baselines import (
    dirac_operator,
    graph_laplacian,
    hodge_laplacian,
    motif_laplacian,
    multiorder_laplacian,
    signless_laplacian,
    zhou_laplacian,
)
from cellapse.collapse import CollapsedOperator, collapse
from cellapse.complex import Complex
from cellapse.eigensolvers import LOBPCG, Davidson, Dense, Lanczos, ShiftInvert
from cellapse.graded import Unchecked, graded_laplacian
from cellapse.incidence import (
    Incidence,
    boundary_matrices,
    incidence_matrices,
    is_chain_complex,
    mixed_matrices,
    unfolded_matrices,
)
from cellapse.io import read, write
from cellapse.lifts import clique_complex, hypergraph_complex
from cellapse.molecules import molecule_complex, molecule_complexes
from cellapse.operator import Operator
from cellapse.proteins import protein_complex, secondary_structure
from cellapse.solvers import CG, Direct
from cellapse.spectrum import Auto, Spectrum
from cellapse.tasks.cluster import Clusters, cluster, clustering_accuracy, suggest_n_clusters

__version__ = "0.1.0"

__all__ = [
    "CG",
    "LOBPCG",
    "Auto",
    "CellapseError",
    "CellapseWarning",
    "Clusters",
    "CollapsedOperator",
    "Complex",
    "ConvergenceError",
    "Davidson",
    "Dense",
    "Direct",
    "Incidence",
    "InputError",
    "Lanczos",
    "MissingExtraError",
    "Operator",
    "ShiftInvert",
    "SizeError",
    "Spectrum",
    "Unchecked",
    "boundary_matrices",
    "clique_complex",
    "cluster",
    "clustering_accuracy",
    "collapse",
    "datasets",
    "dirac_operator",
    "graded_laplacian",
    "graph_laplacian",
    "hodge_laplacian",
    "hypergraph_complex",
    "incidence_matrices",
    "is_chain_complex",
    "mixed_matrices",
    "molecule_complex",
    "molecule_complexes",
    "motif_laplacian",
    "multiorder_laplacian",
    "protein_complex",
    "read",
    "secondary_structure",
    "signless_laplacian",
    "suggest_n_clusters",
    "theory",
    "unfolded_matrices",
    "write",
    "zhou_laplacian",
]
