"""The collapse: realizations, weights, elimination, and the operator they make."""
