"""The verb reduce: onto a few nodes."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from scipy.sparse import triu

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse.cli.app import app
from cellapse.cli.options import OperatorChoice, Seed, grouped
from cellapse.cli.output import Out
from cellapse.reduction import SparseReduction, reduce
from cellapse.reduction.keep import RULES


@app.command("reduce")
@grouped
def reduce_network(
    *,
    keep: Annotated[
        str, typer.Option(help="How many nodes are kept, or their names with commas between.")
    ],
    rule: Annotated[
        str | None,
        typer.Option(help=f"Of a number: {', '.join(RULES)}; coarsest if left out."),
    ] = None,
    sparse: Annotated[
        float | None,
        typer.Option(help="A factor, such as 0.2: a sparse graph whose energy is within it."),
    ] = None,
    seed: Seed = 0,
    choice: OperatorChoice,
    out: Out,
) -> None:
    """Reduce an operator to a few nodes; resistances stay.

    -o writes the entries of the reduced operator on and above the diagonal as rows i, j, value.

    \b
    cellapse reduce football --keep 20
    cellapse reduce network.gml --keep 10 --rule degree -o reduced.csv
    cellapse reduce network.gml --keep 25 --sparse 0.2 -o reduced.csv
    """
    with choice.prepared(out.silent) as (source, S):
        named = None if keep.strip().isdigit() else _named(keep, source.complex)
        R = reduce(S, int(keep) if named is None else named, rule=rule, sparse=sparse, rng=seed)
        exact = R.exact if isinstance(R, SparseReduction) else R
        M = triu(R.tocsr(), format="coo")
    out.card(R)
    rows, columns = ([R.labels[v] for v in at.tolist()] for at in (M.row, M.col))
    facts: dict[str, Any] = {
        "operator": repr(S),
        "kept": list(R.labels),
        "missed": len(exact.missed),
    }
    if isinstance(R, SparseReduction):
        facts |= {"lower": R.lower, "upper": R.upper}
    out.table({"i": rows, "j": columns, "value": M.data}, facts)


def _named(words: str, K: Complex) -> list[object]:
    """Return the labels that are written like this."""
    written = {str(v): v for v in K.labels}
    names = [word.strip() for word in words.split(",") if word.strip()]
    unknown = [name for name in names if name not in written]
    if unknown:
        raise InputError(
            f"--keep names {unknown[0]!r:.60}, which is none of the {K.n_vertices:,} nodes; give "
            "a number, or names of nodes with commas between"
        )
    return [written[name] for name in names]
