"""A spectrum judged by the true matrix: values, vectors, residuals, and every promise made."""

import numpy as np

from .book import TOLERANCES


def scale_of(A, mass):
    """||D^-1/2 A D^-1/2|| and the bound of it that the library's tolerance refers to."""
    root = np.sqrt(mass)
    scaled = A / root / root[:, None]
    norm = float(np.linalg.norm(scaled, 2)) if scaled.size else 0.0
    return norm or 1.0, float((np.abs(A).sum(axis=1) / mass).max(initial=0.0)) or 1.0


def usual(diagonal, held):
    """The masses of a diagonal; a vertex without edges has the mean of the others."""
    mean = float(np.sum(diagonal[held])) / held.sum() if held.any() else 1.0
    return np.where(held, diagonal, mean)


def true_values(S, mass):
    root = np.sqrt(mass)
    scaled = S / root / root[:, None]
    return np.linalg.eigvalsh((scaled + scaled.T) / 2) if len(S) else np.zeros(0)


def blur(name, mass, size, norm):
    """What rounding S leaves open, relative to the norm of the pencil, where masses are small.

    The diagonal of S is itself only known relative to ||A||, to the 1e-12 that the library takes
    without refining a product.
    """
    least = float(mass.min(initial=1.0))
    return size / least * (1e-12 if name == "diagonal" else 1e-13 / norm)


def judge(found, product, mass, norm, bound, *, size, values=None, tol=1e-10, blurred=0.0):
    """Yield (check, error, tolerance): what the true operator says of the eigenpairs found.

    `product` multiplies by the true S, `norm` is ||D^-1/2 A D^-1/2||, `bound` at least as much,
    `size` ||A||; `values` are the true eigenvalues wanted, in ascending order, where known.
    """
    U, got = found.vectors, found.values
    root = np.sqrt(mass)
    if values is not None and len(got) != len(values):
        yield "values", float("inf"), TOLERANCES["values"]  # not as many as were asked for
    elif values is not None:
        off = float(np.abs(got - values).max(initial=0.0)) / norm
        yield "values", off, TOLERANCES["values"] + blurred
    left = product(U) - mass[:, None] * U * got
    off = float(np.abs(U.T @ (mass[:, None] * U) - np.eye(len(got))).max(initial=0.0))
    yield "vectors", off, TOLERANCES["vectors"] + blurred
    scaled = np.linalg.norm(left / root[:, None], axis=0)
    promise = (1.05 * tol + 1e-13 + blurred) * bound
    yield "residual kept", float((scaled / promise).max(initial=0.0)), TOLERANCES["residual kept"]
    over = np.linalg.norm(left, axis=0) - 2.0 * found.residuals
    length = np.maximum(np.linalg.norm(U, axis=0), 1e-300)
    off = float((over / (size * length)).max(initial=0.0))
    yield "residual claimed", off, TOLERANCES["residual claimed"] + blurred
    if found.n_zeros:
        missing = min(found.n_zeros, len(got)) - int(np.sum(got == 0.0))
        yield "zeros", float(max(missing, 0)), TOLERANCES["zeros"]
