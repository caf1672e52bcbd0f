"""The paper's first figure: residues coloured by the leading modes of S and of L.

The leading eigenvectors, each divided by the root of its eigenvalue, are laid on one another
(Procrustes) and reduced to three common principal components, the red, green and blue of a residue.
The paper's S holds the secondary structure elements as cells, which are the labels; the fair panels
have hydrogen bonds instead, and L has them too.

A picture proves nothing by itself, so the share of the modes' variance that lies between elements
is measured, less what the same elements have when they are shifted along the chain.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cellapse._collapse.collapsed import collapse
from cellapse._linalg.operators import Operator
from cellapse._operators.baselines import graph_laplacian
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.datasets.proteins import Protein, available_proteins, load_protein
from cellapse.experiments.protocol.chains import CLASSES, Panel, by_class, chains
from cellapse.experiments.protocol.operators import mixed_collapse
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure, compare
from cellapse.experiments.protocol.table import Experiment, Results, Row, Table
from cellapse.experiments.tables.proteins import elements, with_elements

MODES = 12
SHOWN = "1RB8"  # of the bundled ones nearest in size to the paper's 1A0C, which no package holds
BACKBONE, LEAK = "L, backbone", "S, cells from the labels"
SAME, FAIR = "L, hydrogen bonds", "S, hydrogen bonds"
OPERATORS: dict[str, Callable[[Protein], Operator]] = {
    BACKBONE: lambda p: graph_laplacian(p.complex(edges="backbone")),
    LEAK: lambda p: collapse(with_elements(p.complex(edges="backbone"), p.dssp), "unfolded"),
    SAME: lambda p: graph_laplacian(p.complex()),
    FAIR: lambda p: mixed_collapse(p.complex()),
}


def arguments(quick: bool) -> list[Arguments]:
    names = available_proteins()
    return [{"protein": n} for n in (names[1::2] if quick else names)]


def run(protein: str) -> Result:
    """Return how far the modes of every operator follow the elements of one protein."""
    data = load_protein(protein)
    return {"excess": {n: excess(modes(f(data)), data.dssp) for n, f in OPERATORS.items()}}


def modes(operator: Operator, k: int = MODES) -> FloatArray:
    """Return the first eigenvectors with positive eigenvalues, over the roots of these."""
    spectrum = operator.spectrum()
    kept = np.flatnonzero(spectrum.values > 1e-9)[:k]
    return spectrum.vectors[:, kept] / np.sqrt(spectrum.values[kept])


def between(X: FloatArray, groups: IntArray) -> float:
    """Return the share of the variance of the rows that lies between groups."""
    X = X - X.mean(axis=0)
    sums = np.zeros((groups.max() + 1, X.shape[1]))
    np.add.at(sums, groups, X)
    size = np.bincount(groups, minlength=len(sums))[:, None]
    return float((sums**2 / np.maximum(size, 1)).sum() / (X**2).sum())


def excess(X: FloatArray, dssp: NDArray[np.str_]) -> float:
    """Return the share between elements, less its mean over all shifts of them along the chain."""
    groups = elements(dssp)
    shifted = [between(X, np.roll(groups, s)) for s in range(5, len(groups) - 4)]
    return between(X, groups) - float(np.mean(shifted))


def colours(embeddings: list[FloatArray]) -> list[list[str]]:
    """Three common principal components of modes that were turned onto the first, as colours."""
    from scipy.linalg import orthogonal_procrustes

    first = embeddings[0] / np.linalg.norm(embeddings[0])
    turned = [first]
    for X in embeddings[1:]:
        X = X / np.linalg.norm(X)
        turned.append(X @ orthogonal_procrustes(X, first)[0])
    both = np.concatenate(turned)
    both = both - both.mean(axis=0)
    top = both @ np.linalg.svd(both, full_matrices=False)[2][:3].T
    low, high = np.quantile(top, (0.03, 0.97), axis=0)
    rgb = np.rint(40 + 190 * np.clip((top - low) / (high - low), 0, 1)).astype(int)
    return [[f"#{r:02x}{g:02x}{b:02x}" for r, g, b in part] for part in np.split(rgb, len(turned))]


def summarize(results: Results) -> Table:
    score = {n: [r["excess"][n] for _, r in results] for n in OPERATORS}
    figures = {n: Figure.of(values) for n, values in score.items()}
    bare = compare(score[LEAK], score[BACKBONE])
    fair = compare(score[FAIR], score[SAME])
    row = Row(
        "modes that follow helices and strands",
        "a picture of one protein, no figure",
        f"{BACKBONE} {figures[BACKBONE]}\n{LEAK} {figures[LEAK]} (label leakage)",
        f"{SAME} {figures[SAME]}\n{FAIR} {figures[FAIR]}",
        f"{bare.sentence('S with cells from the labels', 'L of the backbone')}; on the same edges "
        f"and without labels, {fair.sentence('S', 'L')}. The smallest eigenvalue of a chain "
        "is tiny, and by it the bound on gamma leaves S almost nothing to change.",
    )
    return Table(
        "Figure 1: modes of a protein",
        f"{len(results)} proteins. The figures are shares of the variance of the first {MODES} "
        "modes that lie between secondary structure elements, less the same for elements shifted "
        "along the chain: zero means that the modes do not know where elements begin and end.",
        (row,),
        (),
        (picture(load_protein(SHOWN)),),
    )


def picture(protein: Protein) -> str:
    """Return the protein, once for every operator."""
    operators = {n: f(protein) for n, f in OPERATORS.items()}
    painted = dict(zip(operators, colours([modes(M) for M in operators.values()]), strict=True))
    links, largest = _couplings(operators[LEAK], operators[BACKBONE], protein)
    panels = {
        "helix red, sheet blue": by_class(protein),
        BACKBONE: Panel(painted[BACKBONE]),
        LEAK: Panel(painted[LEAK]),
        f"couplings that S adds, at most {largest:.1g}": Panel(["#d5d5d5"] * len(protein), links),
        SAME: Panel(painted[SAME]),
        FAIR: Panel(painted[FAIR]),
    }
    title = (
        f"{protein.name}, {len(protein)} residues, coloured by three common components of the "
        "modes. An edge of the backbone couples with 1."
    )
    return chains(title, protein, panels)


def _couplings(
    S: Operator, L: Operator, protein: Protein, n: int = 800
) -> tuple[list[tuple[int, int, str]], float]:
    """The strongest couplings of S that L does not have, by class, and the largest of them."""
    added = np.abs(np.triu(np.where(L.toarray() == 0, S.toarray(), 0.0), 1))
    order = np.argsort(-added, axis=None)[:n]
    pairs = zip(*np.unravel_index(order, added.shape), strict=True)
    links = [(int(i), int(j), CLASSES[str(protein.dssp[i])]) for i, j in pairs]
    return links, float(added.max())


EXPERIMENT = Experiment("teaser", arguments, run, summarize)
