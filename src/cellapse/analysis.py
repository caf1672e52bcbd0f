"""The main job in one go: lift, collapse, spectrum, clusters, and what the cells changed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from cellapse import theory
from cellapse._analysis import Analysis, zeros_among
from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.realizations import DEFAULT, Default, Realization
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._operators.baselines import graph_laplacian, projection_laplacian
from cellapse._operators.hyperedges import is_hypergraph
from cellapse._operators.names import check_operator, make_operator
from cellapse._shared.align import align_groups
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import flag, whole_number, word
from cellapse._shared.memory import Fitting
from cellapse._shared.names import showing
from cellapse._sources import Source, source_of
from cellapse.tasks.clustering import MOST_CLUSTERS, Clusters, cluster, clusters_by, cut_mass
from cellapse.tasks.false_edges import Doubt, likely_false
from cellapse.tasks.influence import Influence, cell_influence
from cellapse.tasks.trust import edge_trust
from cellapse.tasks.verdict import gap_in_words, judge

__all__ = ["Analysis", "analyze"]
__dir__ = showing([*__all__, "STEPS"])

_ALL = 1000  # up to this many vertices all eigenpairs are computed
_SOME = 30
_DRAWN = 3  # eigenvectors beyond the zeros: a picture has three dimensions
_ZEROS = 100  # components beyond the first for which eigenpairs are added
_EDGES = 200_000  # beyond, decoys take too long: `likely_false` by itself has the time

# The steps of `analyze`.
STEPS = ("collapse", "spectra", "clusters", "verdict", "edges", "checks")


@Fitting("the analysis", "analyze a smaller network")
def analyze(
    source: Any,
    n_clusters: int | None = None,
    rng: int = 0,
    *,
    operator: str | Realization | Callable[[Complex], Operator] = DEFAULT,
    n_eigenpairs: int | None = None,
    quick: bool = False,
    title: str | None = None,
    groups: Any = None,
    on_step: Callable[[str], object] = lambda step: None,
) -> Analysis:
    """Collapse a complex, take its spectrum and clusters, and compare with the graph Laplacian.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
        A graph, an adjacency, a hypergraph, points, the name of a file or of a bundled network.
    n_clusters : int, optional
        By default the number of known groups, or the number before the largest gap between
        eigenvalues.
    rng : seed
    operator : name, Realization or function
        S: what `make_operator` takes, or a function that makes it of a complex. Where it is left
        out, the clusters without cells are used where they are clearly better; of an operator
        that was asked for, its own are.
    n_eigenpairs : int, optional
        How many are computed, at least as many as clusters; by default all of up to 1,000
        vertices, and some 30 beyond.
    quick : bool
        Leave out what takes long: most eigenpairs, the statements of the theory, random pairs.
    title : str
        What the report calls the complex; by default what its source is called.
    groups : one value per vertex, in their order or a Series or mapping by label, optional
        Known groups, to compare the clusters with; bundled networks bring theirs.
    on_step : function, optional
        Called with the name of every step of `STEPS` as it begins.

    Returns
    -------
    Analysis

    Examples
    --------
    >>> import networkx as nx
    >>> from cellapse.lifts import clique_complex
    >>> analysis = analyze(clique_complex(nx.barbell_graph(5, 0)))
    >>> analysis.least_trusted(1)[0][0]
    ('4', '5')
    >>> analysis.verdict.sentences()[0]
    'The cells make no difference here: S and L find the same clusters.'
    """
    read, title = source_of(source), None if title is None else word("title", title)
    K, known = read.complex, _known_groups(read, groups)
    make, quick = _maker(operator), flag("quick", quick)
    several = _eigenpairs(K, n_eigenpairs, quick)
    on_step("collapse")
    S, L = make(K), graph_laplacian(K)
    n_clusters, why = _number_of_clusters(K, n_clusters, known)
    on_step("spectra")
    D = cut_mass(S, "auto")
    spectra, cut = _spectra(S, L, several, n_clusters, D)
    on_step("clusters")
    mine = clusters_by(S, cut, D, n_clusters, rng)
    n_clusters = int(mine.numbers.max()) + 1 if n_clusters is None else n_clusters
    clusters, projection = (mine, cluster(L, n_clusters, rng=rng)), _projection(K, n_clusters, rng)
    on_step("verdict")
    plain = clusters[1] if projection is None else projection
    verdict = judge(K, mine, plain, why or gap_in_words(mine), rng, make)
    on_step("edges")
    trust, doubt = edge_trust(K), None if quick else _doubt(K, rng)
    on_step("checks")
    several = max(several, n_clusters)
    spectra = spectra[0].first(several), spectra[1].first(several)
    checks = theory.Report(repr(S), ()) if quick else _checks(S, spectra)
    found = (verdict, trust, doubt, _influence(S, spectra[0]), not isinstance(operator, Default))
    title, shares = title or read.title, _shares(S, len(trust))
    return Analysis(
        title, K, known, S, L, spectra, cut, clusters, shares, checks, projection, *found
    )


def _number_of_clusters(
    K: Complex, asked: int | None, groups: tuple[Any, ...] | None
) -> tuple[int | None, str]:
    """Return the number of clusters and why it is that, where it is known before any eigenvalue."""
    if asked is not None:
        return whole_number("n_clusters", asked, 1, K.n_vertices), "as asked for"
    if groups is not None:
        return len({str(g) for g in groups}), "as many as known groups"
    return None, ""


def _spectra(
    S: Operator, L: Operator, several: int, n_clusters: int | None, D: FloatArray | None
) -> tuple[tuple[Spectrum, Spectrum], Spectrum]:
    """Return all eigenpairs that are asked for: of S and of L, and those of S u = lambda D u."""
    n = S.shape[0]
    clusters = min(MOST_CLUSTERS + 1, n) if n_clusters is None else n_clusters
    spectra = S.spectrum(max(several, clusters)), L.spectrum(max(several, clusters))
    drawn = zeros_among(spectra[0]) + _DRAWN
    return spectra, S.spectrum(min(max(clusters, drawn), n), D)


def _checks(S: Operator, spectra: tuple[Spectrum, Spectrum]) -> theory.Report:
    """Return the statements of the theory, which are about collapsed operators."""
    collapsed = isinstance(S, CollapsedOperator)
    return theory.check(S, spectra) if collapsed else theory.Report(repr(S), ())


def _projection(K: Complex, n_clusters: int, rng: int) -> Clusters | None:
    """Of a hypergraph: the fair comparison, in which large hyperedges do not drown all others."""
    return cluster(projection_laplacian(K), n_clusters, rng=rng) if is_hypergraph(K) else None


def _maker(operator: Any) -> Callable[[Complex], Operator]:
    """Return what makes S of a complex."""
    if callable(operator) and not isinstance(operator, type | LinearOperator):
        return lambda K: as_operator(operator(K))
    return partial(make_operator, operator=check_operator(operator))


def _shares(S: Operator, edges: int) -> FloatArray:
    shares = S.shares if isinstance(S, CollapsedOperator) else None
    return np.ones(edges) if shares is None else shares


def _eigenpairs(K: Complex, wanted: int | None, quick: bool) -> int:
    """Return how many eigenpairs are computed: all of a small complex, enough of a large one."""
    n = K.n_vertices
    if wanted is not None:
        return whole_number("n_eigenpairs", wanted, min(2, n), n)
    zeros = min(int(K.components().max()), _ZEROS)  # besides the first, which is always there
    return n if n <= _ALL and not quick else min(n, _SOME + zeros)


def _known_groups(source: Source, groups: Any) -> tuple[Any, ...] | None:
    """Return the groups that were given, or else those that come with the source."""
    if groups is None:
        return source.groups
    return tuple(align_groups(groups, source.complex.labels, "groups").tolist())


def _doubt(K: Complex, rng: int) -> Doubt | None:
    """Return which edges look like random pairs, where the cells are cliques and not too many."""
    if K.max_rank and K.n_cells[1] > _EDGES:
        return None
    try:
        # The trust that the report shows.
        return likely_false(K, evidence="cells", decoys="degree", rng=rng)
    except InputError:  # hyperedges and cells of other lifts: a random pair closes no known cell
        return None


def _influence(S: Operator, spectrum: Spectrum) -> Influence | None:
    """Of the cells on the first positive eigenvalue: its eigenvector u has the energy u^T S u."""
    if not isinstance(S, CollapsedOperator) or not S.realization.diagonal:
        return None
    positive = np.flatnonzero(spectrum.values > 1e-9 * max(float(spectrum.values[-1]), 1e-300))
    return cell_influence(S, "energy", spectrum.vectors[:, positive[0] if len(positive) else 0])
