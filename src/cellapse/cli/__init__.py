"""The command line: verbs over the library, one file a theme.

Exit codes: 0 done, 1 a bug, 2 wrong input, 3 a library is missing, 4 too large or no convergence.
"""

from cellapse.cli import describe, operators, study, tables, tasks  # noqa: F401
from cellapse.cli.app import main

__all__ = ["main"]
