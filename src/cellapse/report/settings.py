"""Where the sliders of the explorer stand, and what an address may set them to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from cellapse._collapse.realizations import DEFAULT, REALIZATIONS, as_realization
from cellapse._errors import InputError

_RANGES = {"eps": (1e-12, 1e6), "beta": (0.0, 1e6), "gamma": (0.0, 1.0)}


@dataclass(frozen=True)
class Settings:
    """Where the sliders stand.

    `gamma` is a share of the largest coupling that is sure to be positive semi-definite, and `beta`
    the weight of the cells above the edges.
    """

    realization: str = str(DEFAULT)  # a word, nothing more: hosts of widgets write it as JSON
    eps: float = 1e-4
    gamma: float = REALIZATIONS[DEFAULT].usual_share
    beta: float = REALIZATIONS[DEFAULT].usual_beta
    vectors: int = 8
    clusters: int = 2

    def __post_init__(self) -> None:
        """Twelve digits: a page rounds, and what it asks for first is known already."""
        for name in _RANGES:
            object.__setattr__(self, name, float(f"{getattr(self, name):.12g}"))

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Settings:
        """Settings out of the words of an address; whatever does not fit is an InputError."""
        fields = asdict(cls())
        for name, word in given.items():
            if name not in fields:
                raise InputError(f"no setting {name!r:.60}; there are {', '.join(fields)}")
            kind = type(fields[name])
            try:
                fields[name] = kind(word)
            except (ValueError, OverflowError):
                raise InputError(f"{name}={word!r:.60}; give a {kind.__name__}") from None
        for name, (low, high) in _RANGES.items():
            if not low <= fields[name] <= high:
                raise InputError(f"{name}={fields[name]}; give a number from {low:g} to {high:g}")
        return cls(**fields)

    @property
    def usual(self) -> bool:
        """Whether the weights are those that the realization has by default."""
        chosen = as_realization(self.realization)
        pairs = ((self.gamma, chosen.usual_share), (self.beta, chosen.usual_beta))
        return all(math.isclose(a, b, rel_tol=1e-9) for a, b in pairs)  # a slider rounds
