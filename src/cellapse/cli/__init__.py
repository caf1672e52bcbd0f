"""The command line: verbs over the library, one file per theme, listed in `verbs`.

Exit codes: 0 done, 1 a bug, 2 wrong input, 3 a library is missing, 4 too large or no convergence,
130 interrupted.
"""

from cellapse.cli.app import main

__all__ = ["main"]
