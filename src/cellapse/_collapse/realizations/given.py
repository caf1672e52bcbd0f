"""Matrices of another library, as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cellapse._collapse.realizations.base import Realization
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._matrices.incidence import Incidence


@dataclass(frozen=True)
class Given(Realization):
    """The matrices B_1, ..., B_K that were given, whatever they stand for."""

    summary: ClassVar[str] = "Matrices as they were given."

    @property
    def name(self) -> str:
        return "given"

    def matrices(self, K: Complex) -> Incidence:
        raise InputError(
            'realization="given" stands for matrices, and a Complex was given; choose "unfolded"'
        )
