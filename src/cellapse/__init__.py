"""Collapse the higher-order cells of a complex onto its vertices.

>>> import networkx as nx
>>> import cellapse as cl
>>> K = cl.clique_complex(nx.karate_club_graph())
>>> S = cl.collapse(K, eps=1e-4)
>>> float(S.spectrum(3).values[0])
0.0
"""

import lazy_loader

from cellapse._version import __version__ as __version__

# `__init__.pyi` lists the public names. Each is imported when it is first asked for, so that
# `import cellapse` takes no time and a user waits only for what is used.
__getattr__, _, _names = lazy_loader.attach_stub(__name__, __file__)

# Public modules that `from cellapse import *` leaves alone, as they may need an extra.
_MODULES = (
    "analysis",
    "estimators",
    "experiments",
    "io",
    "plot",
    "report",
    "scale",
    "scverse",
    "temporal",
    "torch",
)
__all__ = [name for name in _names if name not in _MODULES]


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(_names)
