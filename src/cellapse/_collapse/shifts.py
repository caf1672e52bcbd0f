r"""Shifted systems of a ladder: what eigensolvers factorize.

    | A - c I - shift D   c^{1/2} I |
    | c^{1/2} I           -K        |      with A = beta B B^T

has (T - shift D)^-1 as the first block of its inverse, and as many negative eigenvalues as
T - shift D besides those of -K.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from cellapse._collapse.ladder import Ladder
from cellapse._linalg.factor import Direct
from cellapse._shared.arrays import FloatArray

_UNIT = 2.0**-53


def shifted(ladder: Ladder, shift: float, mass: FloatArray) -> tuple[Any, int] | None:
    """The matrix, and how many negative eigenvalues belong to its second block."""
    n, c, relaxation = ladder.n, ladder.c, ladder.relaxation
    eye = sparse.eye_array(n)
    H = ladder.A - c * eye - shift * sparse.diags_array(mass)
    if c == 0.0:
        return H, 0
    if not relaxation.exact:
        return None
    rest: Any
    link: Any
    if relaxation.raised.reduced is not None:
        rest = -(eye + relaxation.raised.reduced[0])
        link = np.sqrt(c) * eye
    else:
        rest = relaxation.raised.joint()
        link = sparse.csr_array(np.sqrt(c / ladder.beta) * eye)
        link = sparse.hstack([link, sparse.csr_array((n, rest.shape[0] - n))])
    # K is at least I, unless the weights are beyond their bounds.
    negative = n if ladder.definite else Direct().prepare(rest).n_negative()
    if negative is None:
        return None
    return sparse.block_array([[H, link], [link.T, rest]]), negative


def safe_shift(ladder: Ladder, mass: FloatArray) -> float:
    """A shift below the spectrum that keeps both blocks definite."""
    definite = ladder.kernel is not None and ladder.kernel.shape[1] == 0
    near = 1e-6 * (ladder.norm or 1.0)
    return -max((0.05 if definite else 1.05) * ladder.c, near) / float(mass.min())


def rounding(ladder: Ladder) -> float:
    """How far rounding of K, whose entries reach 1 / eps, may move the eigenvalues of T."""
    diagonal = ladder.relaxation.diagonal
    light = float(ladder.M.diagonal().min(initial=np.inf)) if diagonal else ladder.eps
    return 2 * _UNIT * ladder.c * ladder.norm / light if light > 0 else np.inf
