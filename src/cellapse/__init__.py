"""Collapse the higher-order cells of a complex onto its vertices.

>>> import networkx as nx
>>> import cellapse as cl
>>> K = cl.clique_complex(nx.karate_club_graph())
>>> S = cl.collapse(K, eps=1e-4)
>>> float(S.spectrum(3).values[0])
0.0
"""

from typing import TYPE_CHECKING, Any

from cellapse import batch, datasets, interop, lifts, tasks, theory
from cellapse._collapse.build import collapse
from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.graded import graded_laplacian
from cellapse._collapse.realizations import (
    Boundary,
    Mixed,
    Realization,
    Screened,
    Unfolded,
    Unsigned,
)
from cellapse._collapse.weights import Unchecked, Weights
from cellapse._complex.complex import Complex
from cellapse._errors import (
    CellapseError,
    CellapseWarning,
    ConvergenceError,
    InputError,
    MissingExtraError,
    SizeError,
)
from cellapse._linalg.cg import CG
from cellapse._linalg.direct import Direct
from cellapse._linalg.eigen.auto import Auto
from cellapse._linalg.eigen.davidson import Davidson
from cellapse._linalg.eigen.dense import Dense
from cellapse._linalg.eigen.lanczos import Lanczos
from cellapse._linalg.eigen.lobpcg import LOBPCG
from cellapse._linalg.eigen.shift_invert import ShiftInvert
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import Operator
from cellapse._matrices.incidence import Incidence, is_chain_complex
from cellapse._matrices.kinds import (
    boundary_matrices,
    incidence_matrices,
    mixed_matrices,
    unfolded_matrices,
)
from cellapse._operators.as_operator import as_operator
from cellapse._operators.baselines import (
    graph_laplacian,
    motif_laplacian,
    multiorder_laplacian,
    projection_laplacian,
    signless_laplacian,
    zhou_laplacian,
)
from cellapse._operators.homological import dirac_operator, hodge_laplacian
from cellapse._version import __version__ as __version__
from cellapse.analysis import analyze
from cellapse.interop.reading import as_complex
from cellapse.io import read, write
from cellapse.io.molecules import molecule_complexes
from cellapse.lifts import clique_complex, hypergraph_complex
from cellapse.lifts.molecules import molecule_complex
from cellapse.lifts.proteins import protein_complex, secondary_structure
from cellapse.tasks import (
    cluster,
    clustering_accuracy,
    edge_trust,
    effective_resistance,
    embed,
    heat_kernel_signature,
    positional_encoding,
    smooth,
    suggest_n_clusters,
    wave_kernel_signature,
)

if TYPE_CHECKING:
    from cellapse.estimators import (
        CollapsedLabelSpreading,
        CollapsedSpectralClustering,
        CollapsedSpectralEmbedding,
        HeatKernelSignature,
        SignalSmoother,
        WaveKernelSignature,
    )

# scikit-learn is slow to import: its classes are made when they are first asked for.
_ESTIMATORS = (
    "CollapsedLabelSpreading",
    "CollapsedSpectralClustering",
    "CollapsedSpectralEmbedding",
    "HeatKernelSignature",
    "SignalSmoother",
    "WaveKernelSignature",
)

__all__ = [
    "CG",
    "LOBPCG",
    "Auto",
    "Boundary",
    "CellapseError",
    "CellapseWarning",
    "CollapsedLabelSpreading",
    "CollapsedOperator",
    "CollapsedSpectralClustering",
    "CollapsedSpectralEmbedding",
    "Complex",
    "ConvergenceError",
    "Davidson",
    "Dense",
    "Direct",
    "HeatKernelSignature",
    "Incidence",
    "InputError",
    "Lanczos",
    "MissingExtraError",
    "Mixed",
    "Operator",
    "Realization",
    "Screened",
    "ShiftInvert",
    "SignalSmoother",
    "SizeError",
    "Spectrum",
    "Unchecked",
    "Unfolded",
    "Unsigned",
    "WaveKernelSignature",
    "Weights",
    "analyze",
    "as_complex",
    "as_operator",
    "batch",
    "boundary_matrices",
    "clique_complex",
    "cluster",
    "clustering_accuracy",
    "collapse",
    "datasets",
    "dirac_operator",
    "edge_trust",
    "effective_resistance",
    "embed",
    "graded_laplacian",
    "graph_laplacian",
    "heat_kernel_signature",
    "hodge_laplacian",
    "hypergraph_complex",
    "incidence_matrices",
    "interop",
    "is_chain_complex",
    "lifts",
    "mixed_matrices",
    "molecule_complex",
    "molecule_complexes",
    "motif_laplacian",
    "multiorder_laplacian",
    "positional_encoding",
    "projection_laplacian",
    "protein_complex",
    "read",
    "secondary_structure",
    "signless_laplacian",
    "smooth",
    "suggest_n_clusters",
    "tasks",
    "theory",
    "unfolded_matrices",
    "wave_kernel_signature",
    "write",
    "zhou_laplacian",
]


# Loaded when they are first asked for: `import cellapse` stays light.
_LATER = ("analysis", "estimators", "experiments", "io", "plot", "report", "scale", "torch")


def __dir__() -> list[str]:
    """The public names, without what was only imported to make them."""
    return sorted({*__all__, *_LATER})


def __getattr__(name: str) -> Any:
    if name in _ESTIMATORS:
        from cellapse import estimators

        return getattr(estimators, name)
    if name in _LATER:
        from importlib import import_module

        return import_module(f"cellapse.{name}")
    raise AttributeError(f"module 'cellapse' has no attribute {name!r}")
