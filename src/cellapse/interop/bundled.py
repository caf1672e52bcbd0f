"""What `cellapse.datasets` loads: a network is its graph, anything else the complex it makes."""

from __future__ import annotations

import inspect
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._complex.weights import weighted_by
from cellapse._errors import InputError
from cellapse.interop import networkx
from cellapse.interop._build import Wanted


def read(data: Any, wanted: Wanted) -> Complex:
    """A `Dataset`, a `LabelledHypergraph`, a `Protein` or a `Cora`; one of `Surfaces`."""
    kind = type(data).__name__
    if hasattr(data, "graph"):
        return networkx.read(data.graph, wanted)
    wanted.check_ranked(f"a {kind}")
    asked = inspect.signature(data.complex).parameters.values()
    if any(one.default is one.empty for one in asked):
        raise InputError(f"{kind} are many complexes; give one of them, as .complex(0) makes it")
    return weighted_by(data.complex(), wanted.weight)
