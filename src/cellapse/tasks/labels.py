r"""A few known labels, spread over the vertices.

With Y the indicators of the known labels, one column per class, and a the strength,

    F = (I + a S)^-1 Y

is large where many short ways of S lead to the labels of a class; its rows, scaled to sum 1, are
the probabilities. Leaving out the label of vertex i changes its own row to

    F_i - H_ii Y_i,     H = (I + a S)^-1,

exactly, so that every strength can be judged by the labels that are known: the strength with the
largest mean logarithm of the probability of the label left out is taken.
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
from cellapse._shared.align import align, one_column
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import generator, number
from cellapse._shared.memory import Fitting, require_memory
from cellapse._shared.pictures import bars
from cellapse._shared.tables import to_frame
from cellapse.tasks.filters import upper_bound
from cellapse.tasks.smoothing import relaxed

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
    strength : float
        a.
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
    strength: float
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
            ("strength", f"{self.strength:.4g}" + (" (chosen)" if len(self.strengths) else "")),
        )
        calls = (
            ("spread.predicted()", "is the class of every vertex, in the order of spread.labels"),
            ("spread.to_frame()", "is a table of probabilities"),
        )
        title = f"Spread of {len(self.classes)} classes over {len(self.labels):,} vertices"
        return Card(title, rows, lambda: bars(found), calls)

    @property
    def numbers(self) -> IntArray:
        """The place of every vertex's class in `classes`."""
        return np.argmax(self.probabilities, axis=1)

    def predicted(self) -> list[Any]:
        """The most probable class of every vertex; a given label is kept."""
        return [self.classes[c] for c in self.numbers.tolist()]

    def as_dict(self) -> dict[Hashable, Any]:
        """Class by vertex label."""
        return dict(zip(self.labels, self.predicted(), strict=True))

    def to_frame(self) -> Any:
        """A pandas DataFrame of probabilities, indexed by label, one column per class."""
        return to_frame(self.probabilities, self.labels, self.classes)


@Fitting("a probability of every class at every vertex", "give fewer classes")
def spread_labels(
    operator: Any,
    known: Any,
    *,
    strength: float | str = "auto",
    rng: int | np.random.Generator = 0,
) -> Spread:
    """Spread a few known labels over all vertices.

    On networks with random extra edges the renormalized collapse spreads them better than the graph
    Laplacian: `cellapse reproduce spread` has the figures.

    P = (I + a S)^-1 Y, rows scaled to sum 1, with Y the indicators of the given labels.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    known : {vertex: class}, or one class per vertex with -1 or None where it is not known
        A Series goes by its index, like a mapping: vertices that it does not name are not known.
    strength : float or "auto"
        a above 0, or chosen by leaving out the known labels one by one.
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
    >>> spread_labels(S, {0: "left", 7: "right"}, strength=1.0).predicted()
    ['left', 'left', 'left', 'left', 'right', 'right', 'right', 'right']
    """
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
    tested = tested[Y.sum(axis=0)[numbers[tested]] > 1]  # the last of a class tells nothing
    if isinstance(strength, str):
        if strength != "auto":
            raise InputError(f'strength={strength!r}; give a number above 0, or "auto"')
        grid = _STRENGTHS / max(upper_bound(S), 1e-300)
        grid = grid if len(tested) and len(classes) > 1 else grid[[len(grid) // 2]]
    else:
        grid = np.array([number("strength", strength, "a number above 0", lambda a: a > 0)])
    best, scores = 0, np.full(len(grid), np.nan)
    F, hits = np.empty(0), np.empty(0, dtype=np.bool_)
    for i, a in enumerate(grid.tolist()):
        probabilities, right, found = _spread(S, Y, tested, a)
        scores[i] = np.log(right).mean() if len(tested) else np.nan
        if i == 0 or scores[i] > scores[best]:  # only the best is kept: all take much memory
            best, F, hits = i, probabilities, found
    F[given] = Y[given]
    accuracy = float(hits.mean()) if len(tested) else None
    chosen = isinstance(strength, str) and len(grid) > 1
    tries = grid if chosen else np.empty(0)
    scores = scores if chosen else np.empty(0)
    a = float(grid[best])
    return Spread(classes, F, numbers >= 0, a, tries, scores, accuracy, S.labels)


def _spread(
    S: Operator, Y: FloatArray, tested: IntArray, a: float
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Probabilities of all vertices; of each label left out its own, and whether it is largest."""
    units = np.zeros((len(Y), len(tested)))
    units[tested, np.arange(len(tested))] = 1.0
    solved = _relaxed(S, np.hstack([Y, units]), a)
    F, H = solved[:, : Y.shape[1]], solved[:, Y.shape[1] :]
    own = H[tested, np.arange(len(tested))]
    shares = Y.sum(axis=0) / Y.sum()
    left = _probabilities(F[tested] - own[:, None] * Y[tested], shares)
    right = (left * Y[tested]).sum(axis=1)
    return _probabilities(F, shares), np.maximum(right, _LEAST), right >= left.max(axis=1)


def _relaxed(S: Operator, B: FloatArray, a: float) -> FloatArray:
    """(I + a S)^-1 B, in which the kernel of S has no part: it stays as it is."""
    fixed = np.zeros_like(B) if S.kernel is None else S.kernel @ (S.kernel.T @ B)
    rest = B - fixed
    rest[:, np.linalg.norm(rest, axis=0) <= 1e-13 * np.linalg.norm(B, axis=0)] = 0.0
    return fixed + relaxed(S, rest, a)


def _probabilities(F: FloatArray, shares: FloatArray) -> FloatArray:
    """Rows that sum to 1; where no label is in reach, the shares of the classes."""
    F = np.maximum(F, 0.0)  # operators with entries above zero off the diagonal may go below
    total = F.sum(axis=1, keepdims=True)
    reached = total > 1e-12
    return np.where(reached, F / np.where(reached, total, 1.0), shares)


def _numbered(labels: Any, S: Operator) -> tuple[list[Any], IntArray]:
    """The classes, and the number of every vertex's class or -1."""
    n = S.shape[0]
    labels = one_column(labels)
    values = _listed(align(labels, S.labels, "known", cells=S.onto > 0, partial=True), n)
    given = [v for v in values if not _missing(v)]
    if not given:
        raise InputError("no vertex has a label: all are -1 or None; give some, or use cluster")
    try:
        classes = list(dict.fromkeys(given))
    except TypeError:
        raise InputError(f"classes like {given[0]!r:.80}; give numbers or words") from None
    with suppress(TypeError, ValueError):  # words and numbers stay as they come
        classes = sorted(classes)
    number_of = {c: k for k, c in enumerate(classes)}
    return classes, np.array([-1 if _missing(v) else number_of[v] for v in values])


def _listed(labels: Any, n: int) -> list[Any]:
    try:
        values = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    except (TypeError, ValueError) as error:
        raise InputError(f"labels cannot be read ({error}); give one class per vertex") from None
    if isinstance(labels, str | bytes) or not isinstance(values, list) or len(values) != n:
        size = len(values) if isinstance(values, list) else values
        raise InputError(
            f"labels: {size!r:.80}; give one for each of the {n} vertices, with -1 where it is "
            "not known, or {vertex: class}"
        )
    return values


def _missing(value: Any) -> bool:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return True
    return isinstance(value, int | float) and not isinstance(value, bool) and value == -1
