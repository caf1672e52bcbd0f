"""Verbs that describe and convert: info, datasets, convert."""

from __future__ import annotations

import textwrap

import numpy as np
from rich.markup import escape

from cellapse import datasets
from cellapse._complex.complex import Complex
from cellapse._complex.counts import cells_in_words
from cellapse._sources import HYPERGRAPHS
from cellapse.cli.app import app
from cellapse.cli.options import GraphChoice, NetworkChoice, Target, grouped
from cellapse.cli.output import AsJson, Out, Quiet
from cellapse.cli.progress import working
from cellapse.cli.words import in_words
from cellapse.io import Understood, write


@app.command("datasets")
@grouped
def list_datasets(*, out: Out) -> None:
    """List the bundled networks, hypergraphs and proteins.

    \b
    cellapse datasets
    cellapse datasets --json
    """
    rows = []
    for name in datasets.available():
        d = datasets.load(name)
        counts = (len(d.graph), d.graph.number_of_edges(), len(d.group_names))
        rows.append((name, "network", *counts, d.title))
    for name, load in HYPERGRAPHS.items():
        h = load()
        counts = (len(h.nodes), len(h.hyperedges), len(h.group_names))
        rows.append((name, "hypergraph", *counts, h.title))
    proteins = datasets.available_proteins()
    heads = ("name", "kind", "nodes", "edges", "groups", "title")
    if not out.as_json and out.file is None:
        out.table(dict(zip(heads, zip(*rows, strict=True), strict=True)), {})
        listed = textwrap.fill(", ".join(proteins), 78)
        out.say(f"\nand {len(proteins)} protein backbones, for `cellapse protein`:\n{listed}")
        return
    for name in proteins:
        p = datasets.load_protein(name)
        K = p.complex()
        rows.append((name, "protein", K.n_vertices, K.n_cells[1], 0, p.title))
    out.table(dict(zip(heads, zip(*rows, strict=True), strict=True)), {})


@app.command()
@grouped
def info(*, data: NetworkChoice, out: Out) -> None:
    """Say what a network is: cells, components, where it comes from.

    \b
    cellapse info football
    cellapse info network.gml --json
    """
    with working("reading", "counting", quiet=out.silent) as step:
        step("reading")
        source = data.load()
        step("counting")
        K = source.complex
        component = np.bincount(K.components())
        degree = np.bincount(K.cells[1].indices, minlength=K.n_vertices) if K.max_rank else [0]
    facts = {
        "title": source.title,
        **_understood(source.reading),
        "cells": list(K.n_cells),
        **({} if K.hyperedges is None else {"hyperedges": len(K.hyperedges)}),
        "components": len(component),
        "largest component": int(component.max()),
        "mean degree": round(float(np.mean(degree)), 3),
        "Euler characteristic": K.euler_characteristic(),
        "simplicial": K.is_simplicial,
        "weighted ranks": [k for k, w in enumerate(K.weights) if w is not None],
        "attributes": sorted({name for columns in K.attributes for name in columns}),
    }
    words = {"cells": cells_in_words(K, "nodes"), "attributes": _attributes(K) or "none"}
    if not facts.get("understood", True):  # nothing had to be decided
        words["understood"] = ""
    out.facts(facts, words)
    if source.reading is not None and out.file is None:
        out.say("\n" + escape(_how_to_say_otherwise(source.reading)))
    if source.card and out.file is None:
        out.say("\n" + escape(source.card))


def _attributes(K: Complex) -> str:
    """Return what is known of the nodes, the edges and other cells."""
    of = {0: "nodes", 1: "edges"}
    return ", ".join(
        f"{name} (of {of.get(k, f'cells of rank {k}')})"
        for k, columns in enumerate(K.attributes)
        for name in columns
    )


def _understood(reading: Understood | None) -> dict[str, object]:
    """Return what was understood of a file."""
    if reading is None:
        return {}
    left_out = {"left out": [in_words(text) for text in reading.losses]} if reading.losses else {}
    return {"format": reading.format, "understood": [*map(in_words, reading.facts)], **left_out}


def _how_to_say_otherwise(reading: Understood) -> str:
    named = [n for n in reading.options if n != "header"]
    words = [f"--{name}" for name in named] + ["--header"] * ("header" in reading.options)
    return f"To say otherwise: {', '.join(words)}; see cellapse info --help."


@app.command()
@grouped
def convert(
    *, data: GraphChoice, target: Target, as_json: AsJson = False, quiet: Quiet = False
) -> None:
    """Write a network in another format, as it is.

    \b
    cellapse convert karate karate.graphml
    cellapse convert mesh.off mesh.json
    """
    K = data.load().complex
    write(K, target)
    Out(None, as_json, quiet).written(target, K)
