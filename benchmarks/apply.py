"""Applying the operator to 16 vectors, and forming it as a dense array.

Side by side with the formula as it stands: S = A - X (C + eps I)^-1 X^T, by a sparse factorization
of C + eps I (the paper's direct variant) and, for the 16 vectors, by conjugate gradients.

    python -m benchmarks.apply [--sizes 1000 2000 4000]
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import cg, splu

import cellapse as cl
from benchmarks.scale import delaunay
from benchmarks.timing import save, seconds


def row(n: int, realization: str, eps: float = 1e-4) -> dict[str, Any]:
    """The matrices are given on both sides, the factorizations included."""
    K = delaunay(n)
    x = np.random.default_rng(0).standard_normal((n, 16))
    A, X, C = cl.collapse(K, realization=realization, eps=eps).split()
    regularized = sparse.csc_array(C + eps * sparse.eye_array(C.shape[0]))
    fresh = [cl.collapse(K, realization=realization, eps=eps) for _ in range(5)]

    def by_iterations() -> np.ndarray:
        y = X.T @ x
        z = np.stack([cg(regularized, y[:, j], rtol=1e-10)[0] for j in range(16)], axis=1)
        return A @ x - X @ z

    def by_factor(columns: np.ndarray) -> np.ndarray:
        return A @ columns - X @ splu(regularized).solve(X.T @ columns)

    difference = abs(fresh.pop() @ x - by_factor(x)).max()
    apply = seconds(lambda: fresh.pop() @ x)  # the first product of an operator factorizes
    form = seconds(lambda: fresh.pop().toarray(), repeats=1)
    return {
        "n_cells": str(K.n_cells),
        "realization": realization,
        "16 vectors [s]": apply,
        "by cg / ours": seconds(by_iterations, repeats=1) / apply,
        "by splu(C) / ours": seconds(lambda: by_factor(x), repeats=1) / apply,
        "dense [s]": form,
        "dense by splu(C) / ours": seconds(lambda: by_factor(np.eye(n)), repeats=1) / form,
        "difference": float(difference),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 2000, 4000])
    warnings.simplefilter("ignore", cl.CellapseWarning)
    sizes = parser.parse_args().sizes
    save("apply", [row(n, realization) for n in sizes for realization in ("unfolded", "mixed")])


if __name__ == "__main__":
    main()
