r"""A few known labels, spread over the vertices.

By Poisson learning, harmonic functions or (I + a S)^-1 (the equations stand in `_spreading`), every
vertex gets probabilities of the classes. Labels that are left out one by one say how many of them
are found again, and choose the strength a: the one with the largest mean logarithm of the
probability of the label left out is taken.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._shared.align import align, is_missing, one_column, plain
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import generator, number, one_of
from cellapse._shared.memory import Fitting, require_memory
from cellapse._shared.notes import warn_user
from cellapse._shared.pictures import bars
from cellapse._shared.tables import to_frame
from cellapse.tasks._spreading import Found, harmonic, poisson, regularized
from cellapse.tasks.filters import upper_bound

METHODS = ("poisson", "harmonic", "regularized")

_STRENGTHS = np.logspace(-0.5, 4.5, 11)  # over an upper bound of S
_LEFT_OUT = 200  # labels that are left out in turn; of more, a sample
_ENTRIES = 4_000_000  # of the columns for them: on large networks, fewer are left out
_FEWEST = 20
_COPIES = 8.0  # of the columns, while they are solved for
_LEAST = 1e-6  # probability, so that one label in the wrong place is not everything


@dataclass(frozen=True, eq=False, repr=False)
class Spread(Shown):
    """A class for every vertex, with probabilities.

    Attributes
    ----------
    classes : list
        The classes, in order where they have one.
    probabilities : (n, k) array
        One row per vertex; 1 for a label that was given.
    given : (n,) boolean array
        The vertices whose label was given.
    method : str
        How they were spread.
    strength : float or None
        a of the method "regularized"; the others have none.
    strengths, scores : arrays
        What was tried, and the mean log probability of a label left out; empty if not chosen.
    accuracy : float or None
        The share of labels that are found again when left out; None if none could be.
    labels : sequence
        What the vertices are called.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> spread = cl.tasks.spread_labels(cl.collapse(K, "renormalized"), {0: "Hi", 33: "Officer"})
    >>> spread.probabilities.shape
    (34, 2)
    """

    classes: list[Any]
    probabilities: FloatArray = field(repr=False)
    given: NDArray[np.bool_] = field(repr=False)
    method: str
    strength: float | None
    strengths: FloatArray = field(repr=False)
    scores: FloatArray = field(repr=False)
    accuracy: float | None
    labels: Sequence[Hashable] = field(repr=False)

    def _card(self) -> Card:
        found = np.bincount(self.numbers, minlength=len(self.classes)).tolist()
        classes = zip(self.classes[:8], found[:8], strict=True)
        again = "not known" if self.accuracy is None else f"{self.accuracy:.0%} of those left out"
        rows = (
            ("classes", ", ".join(f"{c!r:.30}: {n:,}" for c, n in classes)),
            ("given", f"{int(self.given.sum()):,} vertices"),
            ("found again", again),
            ("method", self.method),
            ("strength", self._strength()),
        )
        calls = (
            ("spread.predicted()", "is the class of every vertex, in the order of spread.labels"),
            ("spread.to_frame()", "is a table of probabilities"),
        )
        title = f"Spread of {len(self.classes)} classes over {len(self.labels):,} vertices"
        return Card(title, tuple(r for r in rows if r[1]), lambda: bars(found), calls)

    def _strength(self) -> str:
        if self.strength is None:
            return ""
        return f"{self.strength:.4g}" + (" (chosen)" if len(self.strengths) else "")

    @property
    def numbers(self) -> IntArray:
        """The place of every vertex's class in `classes`."""
        return np.argmax(self.probabilities, axis=1)

    def predicted(self) -> list[Any]:
        """Return the most probable class of every vertex; a given label is kept."""
        return [self.classes[c] for c in self.numbers.tolist()]

    def as_dict(self) -> dict[Hashable, Any]:
        """Class by vertex label."""
        return dict(zip(self.labels, self.predicted(), strict=True))

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of probabilities, indexed by label, one column per class."""
        return to_frame(self.probabilities, self.labels, self.classes)


@Fitting("a probability of every class at every vertex", "give fewer classes")
def spread_labels(
    operator: Any,
    known: Any,
    *,
    method: str = "poisson",
    strength: float | str = "auto",
    rng: int | np.random.Generator = 0,
) -> Spread:
    """Spread a few known labels over all vertices.

    On networks with random extra edges the renormalized collapse spreads them better than the graph
    Laplacian: `cellapse reproduce spread` has the figures, of all methods and their rivals.

    Poisson learning: S U = sum of e_j (y_j - y)^T. Harmonic functions: S F = 0 off the labels.
    Regularized: F = (I + a S)^-1 Y, with Y the indicators of the given labels.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    known : {vertex: class}, or one class per vertex with -1 or None where it is not known
        A Series goes by its index, like a mapping: vertices that it does not name are not known.
    method : {"poisson", "harmonic", "regularized"}
        Poisson learning (Calder et al. 2020) or harmonic functions (Zhu et al. 2003), both with
        class masses: summed over the vertices without a label, all classes weigh the same. Or
        (I + a S)^-1 Y, without: the one for nearly singular operators, such as "unfolded" and
        "boundary" at the bound of gamma. A component that has labels of one class gets that class;
        without any its vertices get the shares of the classes among the labels.
    strength : float or "auto"
        a above 0, or chosen by leaving out the known labels one by one. Only for "regularized".
    rng : seed or numpy Generator
        For the sample of labels to leave out, where there are more than 200 (above 20,000 vertices
        fewer, at least 20).

    Returns
    -------
    Spread

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.barbell_graph(4, 0)), "renormalized")
    >>> spread_labels(S, {0: "left", 7: "right"}).predicted()
    ['left', 'left', 'left', 'left', 'right', 'right', 'right', 'right']
    """
    one_of("method", method, METHODS)
    if not (isinstance(strength, str) and strength == "auto"):
        strength = _strength(strength, method)
    S = as_operator(operator)
    classes, numbers = _numbered(known, S)
    generate = generator(rng)
    given = np.flatnonzero(numbers >= 0)
    most = max(_FEWEST, min(_LEFT_OUT, _ENTRIES // S.shape[0]))
    size = _COPIES * 8.0 * S.shape[0] * (len(classes) + min(len(given), most))
    require_memory(size, f"{len(classes):,} classes at {S.shape[0]:,} vertices", "give fewer")
    Y = np.zeros((S.shape[0], len(classes)))
    Y[given, numbers[given]] = 1.0
    tested = given if len(given) <= most else generate.choice(given, most, replace=False)
    # The last label of a class cannot be found again; that of an only class always is.
    tested = tested[(Y.sum(axis=0)[numbers[tested]] > 1) & (len(classes) > 1)]
    a, tries, scores = None, np.empty(0), np.empty(0)
    if method == "regularized":
        grid = np.array([strength])
        if strength == "auto":
            grid = _STRENGTHS / max(upper_bound(S), 1e-300)
            grid = grid if len(tested) else grid[[len(grid) // 2]]
        a, found, scored = _best(S, Y, tested, grid)
        if len(grid) > 1:
            tries, scores = grid, scored
    else:
        found = (poisson if method == "poisson" else harmonic)(S, Y, tested)
    F, left = found
    F[given] = Y[given]
    accuracy = None
    if len(tested):
        accuracy = float(np.mean(left.argmax(axis=1) == numbers[tested]))
    return Spread(classes, F, numbers >= 0, method, a, tries, scores, accuracy, S.labels)


def _strength(strength: Any, method: str) -> float:
    if isinstance(strength, str):
        raise InputError(f'strength={strength!r}; give a number above 0, or "auto"')
    value = number("strength", strength, "a number above 0", lambda a: a > 0)
    if method != "regularized":
        raise InputError(
            f'strength={value:g} with method="{method}", which has none; leave it out, or give '
            'method="regularized"'
        )
    return value


def _best(
    S: Operator, Y: FloatArray, tested: IntArray, grid: FloatArray
) -> tuple[float, Found, FloatArray]:
    """Return the strength with the best score, what it finds, and the score of each."""
    best, scores = 0, np.full(len(grid), np.nan)
    for i, a in enumerate(grid.tolist()):
        found = regularized(S, Y, tested, a)
        if len(tested):
            right = (found.left_out * Y[tested]).sum(axis=1)
            scores[i] = np.log(np.maximum(right, _LEAST)).mean()
        if i == 0 or scores[i] > scores[best]:  # only the best is kept: all take much memory
            best, kept = i, found
    return float(grid[best]), kept, scores


def _numbered(labels: Any, S: Operator) -> tuple[list[Any], IntArray]:
    """Return the classes, and the number of every vertex's class or -1."""
    n = S.shape[0]
    labels = one_column(labels)
    values = _listed(align(labels, S.labels, "known", cells=S.onto > 0, partial=True), n)
    given = [v for v in values if not _missing(v)]
    if not given:
        raise InputError("no vertex has a label: all are -1 or None; give some, or use cluster")
    if any(isinstance(v, str) and v == "-1" for v in given):
        raise InputError(
            "a class is called '-1', as NumPy makes of -1 in an array of words; write None where "
            "a label is not known, or leave the vertex out"
        )
    try:
        classes = list(dict.fromkeys(given))
    except TypeError:
        raise InputError(f"classes like {given[0]!r:.80}; give numbers or words") from None
    with suppress(TypeError, ValueError):  # words and numbers stay as they come
        classes = sorted(classes)
    if len(classes) == 1:
        warn_user(
            f"every label that is given is {classes[0]!r:.80}, so every vertex gets it; give "
            "labels of another class as well"
        )
    number_of = {c: k for k, c in enumerate(classes)}
    return classes, np.array([-1 if _missing(v) else number_of[v] for v in values])


def _listed(labels: Any, n: int) -> list[Any]:
    if isinstance(labels, str | bytes):
        raise InputError(
            f"known={labels!r:.80} is one word; give {{vertex: class}} or one class per vertex; of "
            "an AnnData, scverse.spread_labels takes the name of a column"
        )
    if isinstance(labels, set | frozenset):
        raise InputError("known is a set, which has no order; give {vertex: class}, or a list")
    try:
        values = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    except (TypeError, ValueError) as error:
        raise InputError(f"labels cannot be read ({error}); give one class per vertex") from None
    if not isinstance(values, list) or len(values) != n:
        size = len(values) if isinstance(values, list) else values
        raise InputError(
            f"labels: {size!r:.80}; give one for each of the {n} vertices, with -1 where it is "
            "not known, or {vertex: class}"
        )
    return [plain(v) for v in values]


def _missing(value: Any) -> bool:
    if is_missing(value):
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and value == -1
