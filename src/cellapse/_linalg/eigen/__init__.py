"""Eigenpairs with their evidence, one file a solver.

In the order of reading: `problem` is what a solver works on, `evidence` why its result can be
trusted, `spectrum` what all solvers have in common; `dense`, `lanczos`, `shift_invert` and
`davidson` are the solvers, and `auto` chooses among them.
"""
