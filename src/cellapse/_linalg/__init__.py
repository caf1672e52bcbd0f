"""Linear algebra that knows nothing of complexes: kernels, factors, iterations, operators."""
