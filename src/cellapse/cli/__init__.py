"""The command line: verbs over the library, one file per theme.

Exit codes: 0 done, 1 a bug, 2 wrong input, 3 a library is missing, 4 too large or no convergence,
130 interrupted. The order of imports is that of the verbs in --help.
"""

from cellapse.cli import analyze, demo, tasks, trust, operators, info, lift, reproduce  # noqa: F401, I001
from cellapse.cli.app import main

__all__ = ["main"]
