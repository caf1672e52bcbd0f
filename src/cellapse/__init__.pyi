# The public names and where they come from: `__init__` imports each when it is first asked for.

from . import analysis as analysis
from . import batch, datasets, interop, lifts, reduction, tasks, theory, weights
from . import estimators as estimators
from . import experiments as experiments
from . import io as io
from . import plot as plot
from . import report as report
from . import scale as scale
from . import scverse as scverse
from . import temporal as temporal
from . import torch as torch
from ._collapse.collapsed import CollapsedOperator, collapse
from ._collapse.graded import graded_laplacian
from ._collapse.realizations import (
    Boundary,
    Mixed,
    Realization,
    Screened,
    Unfolded,
    Unsigned,
)
from ._collapse.weights import Unchecked, Weights
from ._complex.complex import Complex
from ._errors import (
    CellapseError,
    CellapseWarning,
    ConvergenceError,
    InputError,
    MissingExtraError,
    SizeError,
)
from ._linalg.cg import CG
from ._linalg.eigen.auto import Auto
from ._linalg.eigen.davidson import Davidson
from ._linalg.eigen.krylov import Lanczos, ShiftInvert
from ._linalg.eigen.problem import Dense
from ._linalg.eigen.spectrum import Spectrum
from ._linalg.factor import Direct
from ._linalg.operators import Operator
from ._matrices.incidence import Incidence, is_chain_complex
from ._matrices.matrices import (
    boundary_matrices,
    incidence_matrices,
    mixed_matrices,
    unfolded_matrices,
)
from ._operators.as_operator import as_operator
from ._operators.baselines import (
    graph_laplacian,
    motif_laplacian,
    multiorder_laplacian,
    projection_laplacian,
    signless_laplacian,
    zhou_laplacian,
)
from ._operators.homological import (
    dirac_operator,
    hodge_laplacian,
    normalized_hodge_laplacian,
    persistent_laplacian,
)
from ._operators.magnetic import HermitianOperator, magnetic_laplacian
from ._operators.names import make_operator, operator_names
from ._operators.signed import signed_boundaries, signed_laplacian
from .analysis import analyze
from .estimators import (
    CollapsedGPRegressor,
    CollapsedLabelSpreading,
    CollapsedSpectralClustering,
    CollapsedSpectralEmbedding,
    HeatKernelSignature,
    SignalSmoother,
    WaveKernelSignature,
)
from .interop.reading import as_complex
from .io import read, write
from .io.molecules import molecule_complexes
from .lifts import clique_complex, hypergraph_complex
from .lifts.molecules import molecule_complex
from .lifts.proteins import protein_complex, secondary_structure
from .reduction import reduce
from .tasks import (
    cluster,
    clustering_accuracy,
    diffusion_kernel,
    edge_trust,
    effective_resistance,
    embed,
    gaussian_process,
    heat_kernel_signature,
    likely_false,
    matern_kernel,
    positional_encoding,
    smooth,
    spread_labels,
    suggest_n_clusters,
    verdict,
    wave_kernel_signature,
)
from .temporal import TemporalComplex, as_temporal, collapse_over_time

__all__ = [
    "CG",
    "Auto",
    "Boundary",
    "CellapseError",
    "CellapseWarning",
    "CollapsedGPRegressor",
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
    "HermitianOperator",
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
    "TemporalComplex",
    "Unchecked",
    "Unfolded",
    "Unsigned",
    "WaveKernelSignature",
    "Weights",
    "analyze",
    "as_complex",
    "as_operator",
    "as_temporal",
    "batch",
    "boundary_matrices",
    "clique_complex",
    "cluster",
    "clustering_accuracy",
    "collapse",
    "collapse_over_time",
    "datasets",
    "diffusion_kernel",
    "dirac_operator",
    "edge_trust",
    "effective_resistance",
    "embed",
    "gaussian_process",
    "graded_laplacian",
    "graph_laplacian",
    "heat_kernel_signature",
    "hodge_laplacian",
    "hypergraph_complex",
    "incidence_matrices",
    "interop",
    "is_chain_complex",
    "lifts",
    "likely_false",
    "magnetic_laplacian",
    "make_operator",
    "matern_kernel",
    "mixed_matrices",
    "molecule_complex",
    "molecule_complexes",
    "motif_laplacian",
    "multiorder_laplacian",
    "normalized_hodge_laplacian",
    "operator_names",
    "persistent_laplacian",
    "positional_encoding",
    "projection_laplacian",
    "protein_complex",
    "read",
    "reduce",
    "reduction",
    "secondary_structure",
    "signed_boundaries",
    "signed_laplacian",
    "signless_laplacian",
    "smooth",
    "spread_labels",
    "suggest_n_clusters",
    "tasks",
    "theory",
    "unfolded_matrices",
    "verdict",
    "wave_kernel_signature",
    "weights",
    "write",
    "zhou_laplacian",
]
