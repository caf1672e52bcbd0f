"""Operators small enough to see through, for tests of what is done with them."""

import numpy as np
from scipy import sparse

from cellapse._linalg.symmetric import Shortcuts, SymmetricOperator


class Toy(SymmetricOperator):
    """A diagonal operator that remembers which errors it was allowed."""

    definite = True

    def __init__(self, values, kernel=None, **shortcuts):
        super().__init__(len(values), range(len(values)))
        self.A = sparse.csr_array(sparse.diags_array(np.asarray(values, dtype=float)))
        self.kernel, self._shortcuts, self.errors = kernel, Shortcuts(**shortcuts), []

    def apply(self, x, error=0.0):
        self.errors.append(error)
        return self.A @ x

    @property
    def shortcuts(self):
        return self._shortcuts
