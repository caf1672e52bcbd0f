"""Every kind of file that the package writes: a name, and how to write its old or new content."""

from functools import cache
from pathlib import Path

import networkx as nx
import numpy as np

import cellapse as cl
from cellapse.analysis import analyze
from cellapse.cli.output import write_columns
from cellapse.report.page import write_report

SIZES = {"old": 12, "new": 20}


@cache
def graph(version):
    return cl.as_complex(nx.circulant_graph(SIZES[version], [1, 2]))


@cache
def mesh(version):
    n = SIZES[version]
    points = np.arange(3.0 * n).reshape(n, 3)
    return cl.lifts.mesh_complex(points, [[i, i + 1, i + 2] for i in range(n - 2)])


@cache
def analysis(version):
    return analyze(cl.clique_complex(nx.barbell_graph(SIZES[version], 0)), 2)


def result(version):
    return {"value": np.arange(float(SIZES[version]))}


def columns(version):
    return {"node": list(range(SIZES[version])), "x": [0.5] * SIZES[version]}


def writes(K):
    return lambda path, version: cl.write(K(version), path)


def writes_result(path, version):
    cl.write(result(version), path, on=graph(version))


WRITERS = {
    **{f"graph.{e}": writes(graph) for e in ("json", "npz", "graphml", "csv", "tsv", "json.gz")},
    **{f"result.{e}": writes_result for e in ("csv", "json", "npz", "graphml")},
    "graph.hyperedges": writes(graph),
    "mesh.off": writes(mesh),
    "report.html": lambda path, version: write_report(analysis(version), path),
    "nodes.csv": lambda path, version: analysis(version).write_nodes(path),
    **{
        f"columns.{e}": lambda path, version: write_columns(columns(version), path)
        for e in ("csv", "json", "npz")
    },
}


def contents(name, folder):
    """What the file holds after a whole write of the old and of the new version."""
    data = {}
    for version in SIZES:
        path = Path(folder) / f"{version}-{name}"
        WRITERS[name](path, version)
        data[version] = path.read_bytes()
    return data


__all__ = ["SIZES", "WRITERS", "contents"]
