"""A spectrum judged by the true matrix: values, vectors, residuals, and every promise made."""

import numpy as np


def scale_of(A, mass):
    """||D^-1/2 A D^-1/2|| and the bound of it that the library's tolerance refers to."""
    root = np.sqrt(mass)
    scaled = A / root / root[:, None]
    norm = float(np.linalg.norm(scaled, 2)) if scaled.size else 0.0
    return norm or 1.0, float((np.abs(A).sum(axis=1) / mass).max(initial=0.0)) or 1.0


def true_values(S, mass):
    root = np.sqrt(mass)
    scaled = S / root / root[:, None]
    return np.linalg.eigvalsh((scaled + scaled.T) / 2) if len(S) else np.zeros(0)


def judge(found, product, mass, norm, bound, *, size, values=None, tol=1e-10):
    """Yield (check, error): what the true operator says of the eigenpairs found.

    `product` multiplies by the true S, `norm` is ||D^-1/2 A D^-1/2||, `bound` at least as much,
    `size` ||A||; `values` are the true eigenvalues wanted, in ascending order, where known.
    """
    U, got = found.vectors, found.values
    root = np.sqrt(mass)
    if values is not None:
        yield "values", float(np.abs(got - values).max(initial=0.0)) / norm
    left = product(U) - mass[:, None] * U * got
    yield "vectors", float(np.abs(U.T @ (mass[:, None] * U) - np.eye(len(got))).max(initial=0.0))
    scaled = np.linalg.norm(left / root[:, None], axis=0)
    rounding = 1e-13 * bound
    yield "residual kept", float((scaled / (1.05 * tol * bound + rounding)).max(initial=0.0))
    over = np.linalg.norm(left, axis=0) - 2.0 * found.residuals
    length = np.maximum(np.linalg.norm(U, axis=0), 1e-300)
    yield "residual claimed", float((over / (size * length)).max(initial=0.0))
    if found.n_zeros:
        zeros = got[: min(found.n_zeros, len(got))]
        yield "zeros", float(np.sum(zeros != 0.0))
