"""`python -m cellapse`: the command line where the `cellapse` script is not on the path."""

from cellapse.cli import main

main()
