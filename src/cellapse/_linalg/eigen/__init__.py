"""Eigenpairs with their evidence.

In the order of reading: `problem` is what a solver works on, `solver` what it has to do; `dense`,
`krylov` and `davidson` are the solvers, `auto` chooses among them, and `spectrum` makes their
result one to be trusted, by its `evidence`.
"""
