"""Verbs that give something to every node: cluster, embed, encode, hks, smooth, resistance."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.fair import without_cells
from cellapse._sources import Source
from cellapse.cli.app import app
from cellapse.cli.options import Column, Groups, OfNetworkChoice, OperatorChoice, Seed, grouped
from cellapse.cli.output import Out
from cellapse.cli.sources import values_of, with_groups
from cellapse.io._numbers import number
from cellapse.tasks.clustering import Clusters, cluster, clustering_accuracy
from cellapse.tasks.embedding import embed, positional_encoding
from cellapse.tasks.resistance import effective_resistance
from cellapse.tasks.signatures import heat_kernel_signature
from cellapse.tasks.smoothing import choose_strength, smooth
from cellapse.tasks.verdict import Verdict, gap_in_words, judge

Vectors = Annotated[int, typer.Option("-k", help="How many columns.")]
Coordinates = Annotated[
    int | None,
    typer.Option("-k", help="How many columns; 8 if left out, or one less than there are nodes."),
]

_NO_CELLS = ("laplacian", "signless", "projection")  # of these there is no asking what cells change


@app.command("cluster")
@grouped
def cluster_nodes(
    *,
    count: Annotated[
        int | None,
        typer.Option("-k", help="Number of clusters; by default of known groups, or by the gap."),
    ] = None,
    mass: Annotated[
        str,
        typer.Option(help="Of the cut: diagonal (of S), degree, or auto, which is cheap."),
    ] = "auto",
    groups: Groups = None,
    column: Column = None,
    choice: OperatorChoice,
    out: Out,
    seed: Seed = 0,
) -> None:
    """Group the nodes by the normalized cut of an operator.

    Says first whether the cells matter, and whether these may be no groups. Without --operator the
    clusters of the graph Laplacian are taken where those of the collapse are clearly worse.

    \b
    cellapse cluster karate -k 2 -o labels.csv
    cellapse cluster scenes --operator reliable
    cellapse cluster network.gml --json
    """
    with choice.prepared(out.silent) as (source, S):
        source = with_groups(source, groups, column)
        known = None if source.groups is None else [str(g) for g in source.groups]
        why = "as asked for" if count is not None else ""
        if count is None and known is not None:
            count, why = len(set(known)), "as many as known groups"
        S, clusters, said = _judged(source.complex, S, choice, count, why, seed, mass)
    out.say(escape(_in_words(said, choice)))
    out.operator(S)
    _clusters(out, S, clusters, known, {"verdict": said.as_dict()})


def _clusters(
    out: Out, S: Operator, clusters: Clusters, known: list[str] | None, facts: dict[str, Any]
) -> None:
    sizes = np.bincount(clusters.numbers)
    clusters_are = "1 cluster" if len(sizes) == 1 else f"{len(sizes)} clusters"
    nodes = "node" if len(S.labels) == 1 else "nodes"
    out.say(f"{clusters_are} of {', '.join(map(str, sizes.tolist()))} {nodes}")
    facts = {"operator": repr(S), "sizes": sizes, **facts}
    if known is not None:
        facts["accuracy"] = clustering_accuracy(clusters, known)
        out.say(f"{100 * facts['accuracy']:.1f} % of the nodes agree with the known groups")
    out.table({"node": S.labels, "cluster": clusters.numbers}, facts)


def _in_words(said: Verdict, choice: OperatorChoice) -> str:
    words = said.sentences()[choice.name in _NO_CELLS :]
    if said.use_plain and choice.untouched:
        words.append(f"So these are of {said.best.operator}; --operator renormalized asks for S.")
    return "\n".join(words)


def _judged(
    K: Complex,
    S: Operator,
    choice: OperatorChoice,
    count: int | None,
    why: str,
    seed: int,
    mass: str,
) -> tuple[Operator, Clusters, Verdict]:
    """Return the operator and clusters to use, and the verdict on them."""
    mine = cluster(S, count, mass=mass, rng=seed)
    plain = without_cells(K)
    other = cluster(plain, int(mine.numbers.max()) + 1, rng=seed)
    name = "S" if isinstance(S, CollapsedOperator) else choice.name
    said = judge(K, mine, other, why or gap_in_words(mine), seed, choice.make, name)
    return (plain, other, said) if said.use_plain and choice.untouched else (S, mine, said)


@app.command("embed")
@grouped
def embed_nodes(
    *,
    k: Coordinates = None,
    choice: OperatorChoice,
    out: Out,
) -> None:
    """Coordinates of the nodes: the first eigenvectors.

    \b
    cellapse embed karate -k 3 -o places.csv
    """
    with choice.prepared(out.silent) as (source, S):
        embedding = embed(S, max(1, min(8, S.shape[0] - 1)) if k is None else k)
    _columns(out, source, S, "x", np.asarray(embedding))


@app.command()
@grouped
def encode(
    *,
    k: Vectors = 8,
    choice: OperatorChoice,
    out: Out,
) -> None:
    """Positional encodings of the nodes for a neural network.

    Always k columns, and the same at every call.

    \b
    cellapse encode karate -k 8 -o encodings.npz
    """
    with choice.prepared(out.silent) as (source, S):
        encoding = positional_encoding(S, k)
    _columns(out, source, S, "pe", np.asarray(encoding))


@app.command()
@grouped
def hks(
    *,
    times: Annotated[
        str | None, typer.Option(help="Times, like 0.1,1,10; 16 from 0.1 to 24 if left out.")
    ] = None,
    scale: Annotated[str, typer.Option(help="raw, log or logz.")] = "raw",
    choice: OperatorChoice,
    out: Out,
    seed: Seed = 0,
) -> None:
    """Heat-kernel signatures of the nodes.

    How much of the heat put on a node is still there after some time.

    \b
    cellapse hks karate --times 0.1,1,10
    cellapse hks 1HEL --scale logz -o signatures.csv
    """
    wanted = None if times is None else _numbers("--times", times)
    with choice.prepared(out.silent) as (source, S):
        signature = heat_kernel_signature(S, wanted, scale=scale, rng=seed)
    names = [f"t={t:.4g}" for t in signature.at]
    columns = dict(zip(names, signature.features.T, strict=True))
    out.operator(S)
    facts = {"operator": repr(S), "times": signature.at, "error": signature.error}
    out.table({"node": source.complex.labels, **columns}, facts)


@app.command("smooth")
@grouped
def smooth_signal(
    *,
    signal: Annotated[
        str,
        typer.Option(help="A numeric attribute of the nodes, degree, or a table: node,value."),
    ],
    column: Column = None,
    strength: Annotated[
        float | None, typer.Option(help="How much; chosen by cross-validation if left out.")
    ] = None,
    choice: OperatorChoice,
    out: Out,
    seed: Seed = 0,
) -> None:
    """Smooth a signal on the nodes.

    (I + strength S)^-1 times the signal.

    \b
    cellapse smooth karate --signal degree --strength 0.5
    cellapse smooth network.gml --signal measured.csv -o smooth.csv
    """
    with choice.prepared(out.silent) as (source, S):
        values = values_of(source.complex, signal, column)
        how, chosen = "given", strength
        if chosen is None:
            picked = choose_strength(S, values, rng=seed)
            how, chosen = "chosen by cross-validation", picked.strength
            if chosen == picked.strengths.max():
                how += "; it takes the signal for noise around its mean, so better give --strength"
        smoothed = smooth(S, values, strength=chosen)
    out.operator(S)
    out.say(f"strength {chosen:.4g}, {how}")
    columns = {"node": source.complex.labels, "value": values, "smooth": smoothed}
    out.table(columns, {"operator": repr(S), "strength": chosen})


@app.command()
@grouped
def resistance(
    *,
    pairs: Annotated[
        list[str] | None,
        typer.Option(
            "--pair", help="Two nodes, like 0,33; may be repeated. All edges if left out."
        ),
    ] = None,
    choice: OfNetworkChoice,
    out: Out,
    seed: Seed = 0,
) -> None:
    """Effective resistance: how badly nodes are connected.

    All ways between them count, an edge as a resistor of conductance 1 or its weight. It is
    infinite (null in JSON) between components. --operator asks for that of a collapse.

    \b
    cellapse resistance karate --pair 0,33 --pair 0,1
    cellapse resistance karate -o resistance.csv
    """
    with choice.prepared(out.silent) as (source, S):
        K = source.complex
        wanted = [K.cell_label(1, e) for e in range(K.n_cells[1])] if not pairs else None
        if pairs:
            by_word = {str(label): label for label in K.labels}
            wanted = [_pair(word, by_word) for word in pairs]
        resistances = effective_resistance(S, wanted, rng=seed)
    assert wanted is not None
    first, second = zip(*wanted, strict=True) if wanted else ((), ())
    columns = {"from": first, "to": second, "resistance": np.asarray(resistances)}
    out.operator(S)
    out.table(columns, {"operator": repr(S)})


def _pair(word: str, by_word: dict[str, Any]) -> tuple[Any, Any]:
    """Return the two nodes on both sides of a comma; names may have commas, too."""
    commas = [i for i, letter in enumerate(word) if letter == ","]
    pairs = [(word[:i].strip(), word[i + 1 :].strip()) for i in commas]
    known = [pair for pair in pairs if by_word.keys() >= set(pair)]
    if len(known) == 1:
        return by_word[known[0][0]], by_word[known[0][1]]
    if not pairs or known:
        raise InputError(f"--pair {word}; give two nodes with a comma between them")
    end = next((end for end in pairs[0] if end not in by_word), pairs[0][1])
    there = ", ".join(map(repr, islice(by_word, 5)))
    raise InputError(f"--pair {word}: no node {end!r}; there are {there}, ...")


def _numbers(option: str, words: str) -> list[float]:
    try:
        return [number(word.strip(), option) for word in words.split(",")]
    except InputError:
        raise InputError(f"{option} {words}; give numbers with commas between them") from None


def _columns(out: Out, source: Source, S: Operator, letter: str, values: Any) -> None:
    columns = {f"{letter}{i + 1}": column for i, column in enumerate(values.T)}
    out.operator(S)
    out.table({"node": source.complex.labels, **columns}, {"operator": repr(S)})
