"""Eigenpairs with their evidence.

In the order of reading: `problem` is what a solver works on, `solver` the contract and the dense
one; `krylov` and `davidson` are the others, `auto` chooses among them, and `spectrum` makes their
result one to be trusted.
"""
