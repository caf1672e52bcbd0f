"""In and out: the objects of other libraries as complexes, and complexes as their objects."""

from cellapse._shared.names import showing
from cellapse.interop.gudhi import to_gudhi
from cellapse.interop.hypergraphx import to_hypergraphx
from cellapse.interop.hypernetx import to_hypernetx
from cellapse.interop.igraph import to_igraph
from cellapse.interop.matrices import to_torch
from cellapse.interop.networkx import to_networkx
from cellapse.interop.pandas import to_pandas
from cellapse.interop.plain import to_scipy
from cellapse.interop.pyg import to_pyg
from cellapse.interop.reading import as_complex
from cellapse.interop.toponetx import to_toponetx
from cellapse.interop.xgi import to_xgi

__all__ = [
    "as_complex",
    "to_gudhi",
    "to_hypergraphx",
    "to_hypernetx",
    "to_igraph",
    "to_networkx",
    "to_pandas",
    "to_pyg",
    "to_scipy",
    "to_toponetx",
    "to_torch",
    "to_xgi",
]
__dir__ = showing(__all__)
