"""What the collapse does to eigenvalues and conductances, measured on the five networks.

The paper proves lambda_k(S) <= lambda_k(A) and that conductances never grow. How much they shrink
is another matter: at the bound the whole change is at most the smallest positive eigenvalue of A.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cellapse._collapse.collapsed import collapse
from cellapse._complex.complex import Complex
from cellapse._linalg.operators import Operator
from cellapse._operators.baselines import graph_laplacian
from cellapse._operators.names import make_operator
from cellapse.datasets.bundled import available, load
from cellapse.experiments.protocol.operators import mixed_collapse
from cellapse.experiments.protocol.pictures import lines
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.table import Experiment, Results, Row, Table
from cellapse.lifts import clique_complex
from cellapse.tasks.resistance import conductances

OPERATORS: dict[str, Callable[[Complex], Operator]] = {
    "mixed": mixed_collapse,
    "unfolded": lambda K: collapse(K, "unfolded"),
    "renormalized": lambda K: make_operator(K, "renormalized"),
}


def arguments(quick: bool) -> list[Arguments]:
    return [{"network": n} for n in available()]


def run(network: str) -> Result:
    """Return eigenvalues and the loss of conductance on one network."""
    K = clique_complex(load(network).graph)
    L = graph_laplacian(K)
    plain = conductances(L)
    result: Result = {"laplacian": {"values": L.spectrum().values.tolist()}}
    for name, operator in OPERATORS.items():
        S = operator(K)
        kept = conductances(S) / plain
        result[name] = {
            "values": S.spectrum().values.tolist(),
            "kept": {"median": float(np.median(kept)), "largest": float(kept.max())},
            "change": float(np.linalg.norm(S.toarray() - L.toarray(), 2) / plain_norm(L)),
        }
    return result


def plain_norm(L: Operator) -> float:
    """Return the largest eigenvalue."""
    return float(np.linalg.norm(L.toarray(), 2))


def summarize(results: Results) -> Table:
    rows, pictures = [], []
    for a, r in results:
        title = load(a["network"]).title
        L = np.array(r["laplacian"]["values"])
        S = np.array(r["mixed"]["values"])
        grows = max(0.0, *(float((np.array(r[n]["values"]) - L).max()) for n in OPERATORS))
        holds = grows < 1e-9 and all(r[n]["kept"]["largest"] < 1 + 1e-9 for n in OPERATORS)
        rows.append(
            Row(
                title,
                "proved: eigenvalues and conductances never grow",
                f"S mixed: lambda_2 {L[1]:.3f} to {S[1]:.3f}\nmedian conductance kept "
                f"{100 * r['mixed']['kept']['median']:.0f} %",
                "\n".join(
                    f"{n}: change {100 * r[n]['change']:.1f} % of |A|, conductance kept "
                    f"{100 * r[n]['kept']['median']:.0f} %"
                    for n in OPERATORS
                ),
                f"{'Both hold here' if holds else 'NOT so here'} (eigenvalues grow by at most "
                f"{grows:.1g}). At the bound the change is small beside A and falls on its "
                "smallest eigenvalues; the renormalized form changes all.",
            )
        )
        curves = {"L": L.tolist()} | {n: r[n]["values"] for n in OPERATORS}
        pictures.append(lines(f"Eigenvalues, {title}", curves, "k", ""))
    return Table(
        "Eigenvalue compression and conductance",
        "The paper's propositions on five networks, and how large the effect is.",
        tuple(rows),
        (),
        tuple(pictures),
    )


EXPERIMENT = Experiment("compression", arguments, run, summarize)
