"""What the explorer computes when a slider moves: collapse, spectrum, embedding, clusters."""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from cellapse._collapse.chain import Chain
from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.realizations import REALIZATIONS, as_realization
from cellapse._collapse.weights import check_eps
from cellapse._complex.complex import Complex
from cellapse._errors import CellapseError, CellapseWarning, InputError
from cellapse._linalg.eigen.davidson import Davidson
from cellapse._linalg.eigen.dense import Dense
from cellapse._linalg.eigen.lanczos import Lanczos
from cellapse._linalg.eigen.shift_invert import ShiftInvert
from cellapse._linalg.eigen.spectrum import EigenSolver, Spectrum
from cellapse._linalg.levels import expands
from cellapse._linalg.operators import Operator
from cellapse._operators.baselines import graph_laplacian
from cellapse._shared.checks import whole_number
from cellapse.plot.layout import neighbourhood
from cellapse.report.colourings import word_colouring
from cellapse.report.content import NETWORK, drawn_edges, network, numbers
from cellapse.tasks.clustering import cut_mass, group_rows

_DENSE = 400  # up to this many vertices the whole matrix is quicker than Lanczos
_FAR = 0.1  # second eigenvalue of the graph Laplacian from which Lanczos is quick
_DRAWN = 1e-6  # accuracy of what is only drawn
_VECTORS = 30  # the slider's last place
_ZEROS = 50  # eigenvectors that only tell components apart, computed on top of those asked for
_RANGES = {"eps": (1e-12, 1e6), "beta": (0.0, 1e6), "gamma": (0.0, 1.0)}
_ANSWERS = 200  # answers remembered, so that a slider moved back is there at once


@dataclass(frozen=True)
class Settings:
    """Where the sliders stand.

    `gamma` is a share of the largest coupling that is sure to be positive semi-definite, and `beta`
    the weight of the cells above the edges.
    """

    realization: str = "renormalized"
    eps: float = 1e-4
    gamma: float = REALIZATIONS["renormalized"].usual_share
    beta: float = REALIZATIONS["renormalized"].usual_beta
    vectors: int = 8
    clusters: int = 2

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


class Explorer:
    """A complex together with what does not change when a slider moves.

    >>> K = Complex.from_arrays(4, {1: [[0, 1], [1, 2], [0, 2], [2, 3]], 2: [[0, 1, 2]]})
    >>> answer = Explorer(K).answer(Settings(clusters=2, vectors=3))
    >>> len(answer["values"]), len(answer["clusters"])
    (3, 4)
    """

    def __init__(
        self, K: Complex, title: str = "A complex", groups: Sequence[Any] | None = None
    ) -> None:
        self.complex, self.title = K, title
        self._near = neighbourhood(K, NETWORK)
        self._lines = drawn_edges(K, self._near, 0)
        self._plain = graph_laplacian(K)
        self._plain_values: list[float] = []
        self._prepared: dict[str, tuple[Chain, list[Any]]] = {}
        self._last: tuple[Settings, CollapsedOperator, Spectrum] | None = None
        self._answers: OrderedDict[Settings, dict[str, Any]] = OrderedDict()
        self._groups = groups

    def start(self) -> dict[str, Any]:
        """What the page draws once: the network, the labels, the known groups."""
        K, near = self.complex, self._near
        begin = replace(Settings(), clusters=self._usual_clusters())
        self.answer(begin)  # the first answer is the slow one, for what it imports
        shares = self._collapsed(begin).shares
        assert shares is not None  # the first realization is a reweighted A
        known = [] if self._groups is None else word_colouring("Known groups", self._groups, near)
        return {
            "title": self.title,
            "labels": [str(K.labels[i]) for i in near.tolist()],
            "network": network(K, near, shares, np.arange(len(near)), 0),
            "groups": known,
            "realizations": {
                name: {"hint": r.summary, "gamma": r.usual_share, "beta": r.usual_beta}
                for name, r in REALIZATIONS.items()
            },
            "settings": asdict(begin),
            "most": min(_VECTORS, K.n_vertices),
        }

    def answer(self, settings: Settings) -> dict[str, Any]:
        """Spectrum, embedding and clusters for one setting, or the error it leads to."""
        begun = time.perf_counter()
        if settings in self._answers:
            self._answers.move_to_end(settings)
            return self._answers[settings] | {"seconds": time.perf_counter() - begun}
        try:
            # One thread: two that share a busy machine wait for each other longer than they work.
            with threadpool_limits(1), warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always", CellapseWarning)
                computed = self._compute(settings)
        except CellapseError as error:
            return {"error": str(error)}
        told = [str(w.message) for w in said if issubclass(w.category, CellapseWarning)]
        answer = computed | {"warnings": list(dict.fromkeys(told))}
        self._answers[settings] = answer
        if len(self._answers) > _ANSWERS:
            self._answers.popitem(last=False)
        return answer | {"seconds": time.perf_counter() - begun}

    def _compute(self, settings: Settings) -> dict[str, Any]:
        n = self.complex.n_vertices
        zeros = min(int(self.complex.components().max()), _ZEROS)
        k = min(whole_number("vectors", settings.vectors, 1, _VECTORS) + zeros, n)
        count = whole_number("clusters", settings.clusters, 1, min(n, 100))
        plain = self._plain_spectrum(k)
        S, spectrum = self._spectrum(settings, max(k, count), float(plain[1]) if k > 1 else 0.0)
        D = cut_mass(S, "degree")
        flat = int((spectrum.values <= 1e-9 * spectrum.values[-1]).sum())
        first = min(max(flat, 1), zeros + 1)
        groups = group_rows(spectrum.vectors[:, :count], D, count, 0)
        return {
            "values": numbers(spectrum.values[:k]),
            "plain": plain,
            "vectors": [numbers(row) for row in spectrum.vectors[self._near, first:k]],
            "first": first + 1,
            "clusters": groups[self._near].tolist(),
            "sizes": np.bincount(groups).tolist(),
            "shares": self._shares(S),
            "residual": float(spectrum.residuals.max()),
        }

    def _spectrum(
        self, settings: Settings, count: int, far: float
    ) -> tuple[CollapsedOperator, Spectrum]:
        """The operator and its first eigenpairs; both are at hand when only their number changes.

        A few more are computed than asked for, since that slider moves one by one.
        """
        key = replace(settings, vectors=1, clusters=1)
        if self._last is None or self._last[0] != key:
            S = self._collapsed(settings)
        else:
            S = self._last[1]
            self._warn(settings.realization)
        if self._last is None or self._last[1] is not S or len(self._last[2]) < count:
            several = min(4 * -(-count // 4), self.complex.n_vertices)
            self._last = key, S, _spectrum(S, several, far)
        return S, self._last[2]

    def _plain_spectrum(self, k: int) -> list[float]:
        """The first eigenvalues of the graph Laplacian, which no slider changes."""
        if len(self._plain_values) < k:
            most = min(max(k, _VECTORS), self.complex.n_vertices)
            self._plain_values = numbers(_spectrum(self._plain, most, 0.0).values)
        return self._plain_values[:k]

    def _collapsed(self, settings: Settings) -> CollapsedOperator:
        if not 0.0 <= settings.gamma <= 1.0:
            raise InputError(f"gamma={settings.gamma}; give a share of the bound, from 0 to 1")
        realization = as_realization(settings.realization)
        self.prepare(settings.realization)
        self._warn(settings.realization)
        chain = self._prepared[settings.realization][0]
        beta, eps = (1.0, *[settings.beta] * len(chain.upper)), check_eps(settings.eps)
        bound = realization.weigh(chain, beta, 0.0, eps).bound
        share = settings.gamma * np.where(np.isfinite(bound), bound, 0.0)
        return CollapsedOperator(realization, chain, realization.weigh(chain, beta, share, eps))

    def prepare(self, name: str) -> None:
        """Make the matrices of a realization, which no slider changes."""
        if name not in self._prepared:
            realization = as_realization(name)
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always", CellapseWarning)
                chain = realization.chain(self.complex)
                caution = realization.caution(chain)
                if caution is not None:
                    warnings.warn(caution, CellapseWarning, stacklevel=2)
            self._prepared[name] = chain, said

    def _warn(self, realization: str) -> None:
        """Say again what was said when the realization was prepared."""
        for warning in self._prepared[realization][1] if realization in self._prepared else ():
            warnings.warn_explicit(warning.message, warning.category, __file__, 0)

    def _shares(self, S: CollapsedOperator) -> list[float] | None:
        """What the drawn edges keep, where the operator says so."""
        if S.shares is None:
            return None
        return [round(float(s), 3) for s in S.shares[self._lines]]

    def _usual_clusters(self) -> int:
        if self._groups is None:
            return min(4, self.complex.n_vertices)
        return len({str(g) for g in self._groups})


def _spectrum(S: Operator, k: int, far: float) -> Spectrum:
    """The first eigenpairs by what is quickest for a thousand vertices, accurate enough to draw.

    `far` is the second eigenvalue of the graph Laplacian: Lanczos needs it to be far from 0.
    """
    if S.shape[0] <= _DENSE:
        return S.spectrum(k, "degree", solver=Dense())
    solver: EigenSolver | None = None
    if S.shortcuts.matrix is not None:
        solver = Lanczos() if expands(S.A) else ShiftInvert()
    elif S.shortcuts.slow:
        solver = None  # whatever the library picks: a product costs a solve with all cells
    elif far > _FAR or S.kernel is None or not S.kernel.shape[1]:
        solver = Lanczos()
    elif not expands(S.A):
        solver = Davidson()
    return S.spectrum(k, "degree", tol=_DRAWN, solver=solver)
