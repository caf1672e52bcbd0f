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

from cellapse._collapse.build import CollapsedOperator, ScreenedOperator, collapse
from cellapse._collapse.graded import psd_bound
from cellapse._collapse.model import REALIZATIONS
from cellapse._complex.complex import Complex
from cellapse._errors import CellapseError, CellapseWarning, InputError
from cellapse._linalg.direct import expands
from cellapse._linalg.eigen.solvers import Davidson, Dense, EigenSolver, Lanczos, ShiftInvert
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import Operator
from cellapse._operators.baselines import graph_laplacian
from cellapse._operators.names import describe_operator
from cellapse._shared.checks import whole_number
from cellapse.report.colourings import word_colouring
from cellapse.report.content import NETWORK, drawn_edges, network, numbers
from cellapse.report.layout import neighbourhood
from cellapse.tasks.clustering import cut_mass, group_rows

_DENSE = 400  # up to this many vertices the whole matrix is quicker than Lanczos
_FAR = 0.1  # second eigenvalue of the graph Laplacian from which Lanczos is quick
_DRAWN = 1e-6  # accuracy of what is only drawn
_VECTORS = 30  # the slider's last place
_ZEROS = 50  # eigenvectors that only tell components apart, computed on top of those asked for
_ANSWERS = 200  # answers remembered, so that a slider moved back is there at once


@dataclass(frozen=True)
class Settings:
    """Where the sliders stand.

    `gamma` is a share of the largest coupling that is sure to be positive semi-definite.
    """

    realization: str = "screened"
    eps: float = 1e-4
    gamma: float = 0.95
    beta: float = 1.0
    renormalize: int = 5
    vectors: int = 8
    clusters: int = 2

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Settings:
        """Settings out of the words of an address; whatever does not fit is an InputError."""
        fields = asdict(cls())
        for name, word in given.items():
            if name not in fields:
                raise InputError(f"no setting {name!r}; there are {', '.join(fields)}")
            kind = type(fields[name])
            try:
                fields[name] = kind(word)
            except ValueError:
                raise InputError(f"{name}={word!r}; give a {kind.__name__}") from None
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
        self._prepared: dict[str, tuple[CollapsedOperator, list[Any]]] = {}
        self._last: tuple[Settings, CollapsedOperator, Spectrum] | None = None
        self._answers: OrderedDict[Settings, dict[str, Any]] = OrderedDict()
        self._groups = groups

    def start(self) -> dict[str, Any]:
        """What the page draws once: the network, the labels, the known groups."""
        K, near = self.complex, self._near
        begin = replace(Settings(), clusters=self._usual_clusters())
        self.answer(begin)  # the first answer is the slow one, for what it imports
        S = self._collapsed(begin)
        assert isinstance(S, ScreenedOperator)
        known = [] if self._groups is None else word_colouring("Known groups", self._groups, near)
        return {
            "title": self.title,
            "labels": [str(K.labels[i]) for i in near.tolist()],
            "network": network(K, near, S.shares, np.arange(len(near)), 0),
            "groups": known,
            "realizations": {name: describe_operator(name) for name in REALIZATIONS},
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
        k = min(whole_number("vectors", settings.vectors, 1) + zeros, n)
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
        name, beta = settings.realization, settings.beta
        if not 0.0 <= settings.gamma <= 1.0:
            raise InputError(f"gamma={settings.gamma}; give a share of the bound, from 0 to 1")
        if name == "screened":
            weights = (1.0, *[beta] * (self.complex.max_rank - 1))
            return collapse(
                self.complex,
                realization=name,
                beta=weights if self.complex.max_rank else None,
                gamma=float(np.sqrt(settings.gamma)),
                eps=settings.eps,
                renormalize=settings.renormalize,
            )
        self.prepare(name)
        self._warn(name)
        S = self._prepared[name][0]
        bound = psd_bound(np.full(len(S.sigma), beta), S.sigma)
        return S.reweighted(beta, (settings.gamma * bound).tolist(), settings.eps)

    def prepare(self, realization: str) -> None:
        """Make the matrices of a realization, which no slider changes."""
        if realization not in self._prepared:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always", CellapseWarning)
                made = collapse(self.complex, realization=realization)
            self._prepared[realization] = made, said

    def _warn(self, realization: str) -> None:
        """Say again what was said when the realization was prepared."""
        for warning in self._prepared[realization][1] if realization in self._prepared else ():
            warnings.warn_explicit(warning.message, warning.category, __file__, 0)

    def _shares(self, S: CollapsedOperator) -> list[float] | None:
        """What the drawn edges keep, where the operator says so."""
        if not isinstance(S, ScreenedOperator):
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
    if S.matrix is not None:
        solver = Lanczos() if expands(S.A) else ShiftInvert()
    elif isinstance(S, CollapsedOperator) and S.realization in ("incidence", "mixed"):
        solver = None  # whatever the library picks: a product costs a solve with all cells
    elif far > _FAR or S.kernel is None or not S.kernel.shape[1]:
        solver = Lanczos()
    elif not expands(S.A):
        solver = Davidson()
    return S.spectrum(k, "degree", tol=_DRAWN, solver=solver)
