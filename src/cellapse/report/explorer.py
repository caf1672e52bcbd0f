"""What the explorer computes when a slider moves: collapse, spectrum, embedding, clusters."""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from cellapse._collapse.chain import Chain
from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.realizations import REALIZATIONS, as_realization
from cellapse._collapse.weights import check_eps
from cellapse._complex.complex import Complex
from cellapse._errors import CellapseError, CellapseWarning, InputError
from cellapse._linalg.eigen.problem import Dense
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import Operator
from cellapse._operators.baselines import graph_laplacian
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import whole_number
from cellapse._shared.threads import one_thread
from cellapse.plot.layout import neighbourhood
from cellapse.report.colourings import clusters_colouring, group_codes, word_colouring
from cellapse.report.content import NETWORK, drawn_edges, network, numbers
from cellapse.report.recipes import Origin, recipes
from cellapse.report.settings import Settings
from cellapse.tasks.clustering import clustering_accuracy, cut_mass, group_rows

_DENSE = 400  # up to this many vertices the whole matrix comes at once
_DRAWN = 1e-6  # accuracy of what is only drawn
_VECTORS = 30  # the slider's last place
_ZEROS = 50  # eigenvectors that only separate components, computed on top of those asked for
# Vertices up to which a realization answers while somebody waits: incidence takes 5 to 7 s of
# processor time for 5,000 vertices and 31 s for 10,000, all others at most 8 s for 10,000.
_WAITED_FOR = {"incidence": 5000}
_ANSWERS = 200  # answers remembered, so that a slider moved back is there at once


class Explorer:
    """A complex together with what does not change when a slider moves.

    >>> K = Complex.from_arrays(4, {1: [[0, 1], [1, 2], [0, 2], [2, 3]], 2: [[0, 1, 2]]})
    >>> answer = Explorer(K).answer(Settings(clusters=2, vectors=3))
    >>> len(answer["values"]), len(answer["clusters"]["values"])
    (3, 4)
    """

    def __init__(
        self,
        K: Complex,
        title: str = "A complex",
        groups: Sequence[Any] | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.complex, self.title = K, title
        self._origin = Origin() if origin is None else origin
        self._near = neighbourhood(K, NETWORK)
        self._lines = drawn_edges(K, self._near, 0)
        self._zeros = min(
            int(K.components().max(initial=0)), _ZEROS
        )  # eigenvalues 0 beyond the first
        self._plain = graph_laplacian(K)
        self._plain_known: Spectrum | None = None
        self._plain_clusters: dict[int, IntArray] = {}
        self._prepared: dict[str, tuple[Chain, list[Any]]] = {}
        self._last: tuple[Settings, CollapsedOperator, Spectrum] | None = None
        self._answers: OrderedDict[Settings, dict[str, Any]] = OrderedDict()
        self._groups = None if groups is None else [str(g) for g in groups]
        codes = None if self._groups is None else group_codes(self._groups)
        self._reference = codes  # what colours are fixed by; without groups the first clusters

    def __getstate__(self) -> dict[str, Any]:
        """Return what goes to another process: not the matrices, which it makes anew."""
        return self.__dict__ | {"_prepared": {}, "_last": None}

    @property
    def drawn(self) -> IntArray:
        """The vertices that are drawn: all of them where these are not too many."""
        return self._near

    @property
    def begin(self) -> Settings:
        """Where the sliders stand at first."""
        return replace(Settings(), clusters=self._usual_clusters())

    def start(self) -> dict[str, Any]:
        """Return what the page draws once: the network, the labels, the known groups."""
        K, near = self.complex, self._near
        begin = self.begin
        self.answer(begin)  # the first answer is the slow one, for what it imports
        shares = self.operator(begin).shares
        assert shares is not None  # the first realization is a reweighted A
        known = [] if self._groups is None else word_colouring("Known groups", self._groups, near)
        return {
            "title": self.title,
            "labels": [str(K.labels[i]) for i in near.tolist()],
            "network": network(K, near, shares, np.arange(len(near)), 0),
            "groups": known,
            "details": _details(K, near, self._groups),
            "from_command": bool(self._origin.command),
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
            with (
                one_thread(),
                warnings.catch_warnings(record=True) as said,
            ):
                warnings.simplefilter("always", CellapseWarning)
                computed = self._compute(settings)
        except CellapseError as error:
            return {"error": str(error)}
        words = [str(w.message) for w in said if issubclass(w.category, CellapseWarning)]
        answer = computed | {"warnings": list(dict.fromkeys(words))}
        self._answers[settings] = answer
        if len(self._answers) > _ANSWERS:
            self._answers.popitem(last=False)
        return answer | {"seconds": time.perf_counter() - begun}

    def _compute(self, settings: Settings) -> dict[str, Any]:
        n = self.complex.n_vertices
        if n > _WAITED_FOR.get(settings.realization, n):
            raise InputError(
                f"{settings.realization} takes too long for {n:,} vertices, and is answered here "
                f"up to {_WAITED_FOR[settings.realization]:,}; choose another realization, such as "
                "renormalized or unfolded"
            )
        zeros = self._zeros
        k = min(whole_number("vectors", settings.vectors, 1, _VECTORS) + zeros, n)
        count = whole_number("clusters", settings.clusters, 1, min(n, 100))
        plain = self._plain_spectrum(max(k, count))
        S, spectrum = self._spectrum(settings, max(k, count))
        flat = int((spectrum.values <= 1e-9 * spectrum.values[-1]).sum())
        first = min(max(flat, 1), zeros + 1)
        return {
            "values": numbers(spectrum.values[:k]),
            "plain": numbers(plain.values[:k]),
            "vectors": numbers(spectrum.vectors[self._near, first:k]),
            "first": first + 1,
            **self._clusters(S, spectrum, plain, count),
            "mass": cut_by(S),
            "shares": self._shares(S),
            "residual": float(spectrum.residuals.max()),
            "recipes": recipes(self._origin, S, settings, cut_by(S)),
        }

    def _clusters(
        self, S: CollapsedOperator, spectrum: Spectrum, plain: Spectrum, count: int
    ) -> dict[str, Any]:
        """The clusters of S and of L, in colours that no slider changes, and how right they are."""
        mine = group_rows(S, spectrum.vectors, cut_mass(S, cut_by(S)), count)
        if count not in self._plain_clusters:  # no slider but that of the clusters changes them
            D = cut_mass(self._plain, "degree")
            self._plain_clusters[count] = group_rows(self._plain, plain.vectors, D, count)
        theirs = self._plain_clusters[count]
        if self._reference is None:
            self._reference = mine
        pair = {"clusters": mine, "plain_clusters": theirs}
        coloured = {
            key: clusters_colouring(name, pair[key], self._near, self._reference)
            for key, name in (("clusters", "Clusters of S"), ("plain_clusters", "Clusters of L"))
        }
        known = self._groups
        return {
            **coloured,
            "sizes": np.bincount(mine).tolist(),
            "plain_sizes": np.bincount(theirs).tolist(),
            "same": clustering_accuracy(mine, theirs),
            "accuracy": None
            if known is None
            else [clustering_accuracy(c, known) for c in (mine, theirs)],
            "nodes": {key: numbers.tolist() for key, numbers in pair.items()},
        }

    def table(self, settings: Settings) -> dict[str, list[Any]]:
        """Return a row per vertex: its label, clusters and known group, as columns."""
        answer = self.answer(settings)
        if "error" in answer:
            raise InputError(answer["error"])
        columns: dict[str, list[Any]] = {
            "node": [str(v) for v in self.complex.labels],
            "cluster": answer["nodes"]["clusters"],
            "cluster_graph_laplacian": answer["nodes"]["plain_clusters"],
        }
        return columns if self._groups is None else columns | {"known_group": self._groups}

    def _spectrum(self, settings: Settings, count: int) -> tuple[CollapsedOperator, Spectrum]:
        """The operator and its first eigenpairs; both are kept when only their number changes.

        A few more are computed than asked for, since that slider moves one by one.
        """
        key = replace(settings, vectors=1, clusters=1)
        if self._last is None or self._last[0] != key:
            S = self.operator(settings)
        else:
            S = self._last[1]
            self._warn(settings.realization)
        if self._last is None or self._last[1] is not S or len(self._last[2]) < count:
            several = min(4 * -(-count // 4), self.complex.n_vertices)
            self._last = key, S, _spectrum(S, several)
        return S, self._last[2]

    def _plain_spectrum(self, k: int) -> Spectrum:
        """Return the first eigenpairs of the graph Laplacian, which no slider changes."""
        if self._plain_known is None or len(self._plain_known) < k:
            most = min(max(k, _VECTORS), self.complex.n_vertices)
            self._plain_known = _spectrum(self._plain, most)
        return self._plain_known

    def operator(self, settings: Settings) -> CollapsedOperator:
        """Return the collapse for one setting."""
        if not 0.0 <= settings.gamma <= 1.0:
            raise InputError(f"gamma={settings.gamma}; give a share of the bound, from 0 to 1")
        realization = as_realization(settings.realization)
        self.prepare(settings.realization)
        self._warn(settings.realization)
        chain = self._prepared[settings.realization][0]
        beta, eps = (1.0, *[settings.beta] * len(chain.above)), check_eps(settings.eps)
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
        """Return what the drawn edges keep, where the operator says so."""
        if S.shares is None:
            return None
        return [round(float(s), 3) for s in S.shares[self._lines]]

    def _usual_clusters(self) -> int:
        if self._groups is None:
            return min(4, self.complex.n_vertices)
        return len(set(self._groups))


def _spectrum(S: Operator, k: int) -> Spectrum:
    """Return the first eigenpairs; of many vertices accurate enough to draw."""
    if S.shape[0] <= _DENSE:
        return S.spectrum(k, cut_by(S), solver=Dense())
    return S.spectrum(k, cut_by(S), rtol=_DRAWN, certify=False)


def cut_by(S: Operator) -> str:
    """Return the masses of the cut: the diagonal of S, as in a report, where it comes at once."""
    cheap = S.matrix is not None or S.shape[0] <= _DENSE
    return "diagonal" if cheap else "degree"


def _details(K: Complex, near: IntArray, groups: list[str] | None) -> dict[str, list[Any]]:
    """Return what is known of the drawn vertices, one value each, by name."""
    degree = np.bincount(K.cells[1].indices, minlength=K.n_vertices) if K.max_rank else None
    known: dict[str, list[Any]] = {} if groups is None else {"known group": groups}
    if degree is not None:
        known["edges"] = degree.tolist()
    for rank, cells in enumerate(K.cells[2:], start=2):
        known[f"cells of rank {rank}"] = np.bincount(cells.indices, minlength=K.n_vertices).tolist()
    for name, column in (K.attributes[0] if K.attributes else {}).items():
        words = [str(v)[:60] for v in column.tolist()] if column.ndim == 1 else None
        if words is not None and words != groups:
            known[str(name)] = words
    return {name: [values[i] for i in near.tolist()] for name, values in known.items()}
