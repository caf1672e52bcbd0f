"""Table 3: normalized cuts on the paper's eight stochastic block models."""

from __future__ import annotations

import numpy as np

from cellapse.datasets.generators import BLOCK_MODELS, paper_block_model
from cellapse.experiments.protocol.cuts import (
    SHORT,
    accuracies,
    fair_detail,
    fair_scores,
    fair_text,
    fair_verdict,
    fiedler_accuracy,
    paper_complex,
    paper_operators,
)
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure
from cellapse.experiments.protocol.table import Experiment, Results, Row, Table, pick
from cellapse.lifts import clique_complex

# eps and beta of S, weights of orders 1 and 2 of the multiorder Laplacian
CHOSEN = {
    "Base": ((0.1, 0.5), (5.0, 0.1)),
    "Den": ((1e-6, 0.5), (0.1, 0.1)),
    "+N": ((1e-6, 0.5), (0.1, 0.1)),
    "Plt": ((1.0, 2.0), (0.1, 0.1)),
    "SD": ((1.0, 0.5), (0.1, 1.0)),
    "LS": ((1e-6, 0.5), (1.0, 5.0)),
    "Uneq": ((0.5, 2.0), (5.0, 5.0)),
    "Br": ((1e-6, 0.5), (0.1, 0.1)),
}
PAPER = {
    "laplacian": (0.58, 0.96, 0.70, 0.96, 0.74, 0.77, 0.92, 1.0),
    "multiorder": (0.61, 0.90, 0.73, 0.65, 0.70, 0.82, 0.91, 0.98),
    "mixed": (0.61, 0.98, 0.84, 0.96, 0.74, 0.78, 0.98, 1.0),
}


def arguments(quick: bool) -> list[Arguments]:
    return [{"model": m, "seed": s} for s in range(6 if quick else 30) for m in BLOCK_MODELS]


def run(model: str, seed: int) -> Result:
    """Return both protocols on one draw."""
    A, groups = paper_block_model(model, seed)
    (eps, beta), orders = CHOSEN[model]
    paper = paper_operators(paper_complex(A), eps, beta, orders)
    return {
        "paper": {n: fiedler_accuracy(M, groups, seed) for n, M in paper.items()},
        "fair": fair_scores(clique_complex(A), groups, seed),
    }


def summarize(results: Results) -> Table:
    rows = []
    for i, model in enumerate(BLOCK_MODELS):
        here = {n: [r["paper"][n] for r in pick(results, model=model)] for _, n in SHORT}
        rows.append(
            Row(
                model,
                "\n".join(f"{short} {PAPER[n][i]:.2f}" for short, n in SHORT),
                "\n".join(f"{short} {Figure.of(here[n])}" for short, n in SHORT),
                fair_text(results, model=model),
                fair_verdict(results, "seed", model=model),
            )
        )
    here = {n: [r["paper"][n] for _, r in results] for _, n in SHORT}
    rows.append(
        Row(
            "mean of eight",
            "\n".join(f"{short} {np.mean(PAPER[n]):.2f}" for short, n in SHORT),
            "\n".join(f"{short} {np.mean(here[n]):.3f}" for short, n in SHORT),
            "\n".join(
                f"{n} {np.mean(accuracies(results, n)):.3f}"
                for n in ("laplacian", "mixed", "unfolded", "screened", "renormalized", "motif")
            ),
            fair_verdict(results, "seed"),
        )
    )
    return Table(
        "Table 3: normalized cuts on stochastic block models",
        "One vector cannot separate four blocks; with as many vectors as blocks most of these "
        "models are solved by every operator.",
        tuple(rows),
        (fair_detail(results, "model"),),
    )


EXPERIMENT = Experiment("blocks", arguments, run, summarize)
