"""Every table of the paper, by its own protocol and by a fair one.

`reproduce()` writes `results/` (one JSON file per run; interrupted, it goes on where it was) and
`report.html` with four columns a table: the paper's figure, its protocol here, a fair protocol, and
what it means.
"""

from cellapse._shared.names import showing
from cellapse.experiments.main import TABLES, reproduce

__all__ = ["TABLES", "reproduce"]
__dir__ = showing(__all__)
