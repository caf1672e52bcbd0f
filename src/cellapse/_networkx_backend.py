"""What networkx asks when it is imported: which of its functions `cellapse` computes.

It imports nothing, so that `import networkx` takes no longer; the functions are in
`interop/networkx_backend.py`.
"""

from __future__ import annotations

from typing import Any

FUNCTIONS = {
    "algebraic_connectivity": "The eigenvalue by shift-invert or Davidson, and counted.",
    "current_flow_betweenness_centrality": "All rows of the flow matrix at once.",
    "current_flow_closeness_centrality": "From the diagonal of the pseudo-inverse.",
    "edge_current_flow_betweenness_centrality": "All rows of the flow matrix at once.",
    "effective_graph_resistance": "From the trace of the pseudo-inverse.",
    "fiedler_vector": "The eigenvector by shift-invert or Davidson; its sign is fixed.",
    "resistance_distance": "One Cholesky factorization; one pair by a sparse solve.",
    "spectral_ordering": "By the Fiedler vector of every component.",
}


def get_info() -> dict[str, Any]:
    """Return what networkx shows of the backend."""
    return {
        "backend_name": "cellapse",
        "project": "cellapse",
        "package": "cellapse",
        "short_summary": "Resistances, current-flow centralities and Fiedler vectors.",
        "functions": {name: {"additional_docs": said} for name, said in FUNCTIONS.items()},
    }
