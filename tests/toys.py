"""Operators small enough to see through, for tests of what is done with them."""

import networkx as nx
import numpy as np
from scipy import sparse

import cellapse as cl
from cellapse._linalg.symmetric import SymmetricOperator


def karate():
    """Zachary's karate club without its weights."""
    graph = nx.karate_club_graph()
    for *_, data in graph.edges(data=True):
        data.clear()
    return graph


class Toy(SymmetricOperator):
    """A diagonal operator that remembers which errors it was allowed; attributes as given."""

    definite = True

    def __init__(self, values, kernel=None, **attributes):
        super().__init__(len(values), range(len(values)))
        self.A = sparse.csr_array(sparse.diags_array(np.asarray(values, dtype=float)))
        self.kernel, self.errors = kernel, []
        for name, value in attributes.items():
            assert hasattr(self, name)
            setattr(self, name, value)

    def apply(self, x, error=0.0):
        self.errors.append(error)
        return self.A @ x


def small_world(n=800, seed=0):
    """A ring with triangles, and a tenth of its edges rewired: heavy groups, light ties.

    Drawn by a hash of our own (that of SplitMix), so that no library decides which.
    """
    i, d = (part.ravel() for part in np.meshgrid(np.arange(n), np.arange(1, 6), indexing="ij"))
    drawn = (5 * i + d + 1_000_003 * seed).astype(np.uint64)
    for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        drawn = (drawn ^ (drawn >> np.uint64(30))) * np.uint64(factor)
        drawn = drawn ^ (drawn >> np.uint64(27))
    drawn = (drawn >> np.uint64(24)).astype(np.int64)
    other = np.where(drawn % 10 == 0, drawn // 10 % n, (i + d) % n)
    return cl.clique_complex(np.column_stack([i, other])[i != other])
