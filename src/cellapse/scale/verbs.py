"""The verbs of cellapse-scale: spectrum, cluster, embed, smooth, trust, info."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from cellapse._collapse.realizations import DEFAULT
from cellapse._errors import InputError, extra
from cellapse._shared.arrays import FloatArray
from cellapse.scale.collapsed import DistributedOperator, collapse
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.exchange import together
from cellapse.scale.libraries import MPI
from cellapse.scale.output import Parts, as_json
from cellapse.scale.tasks import cluster, edge_trust, embed

Network = Annotated[str, typer.Argument(help="Edges as a .npy or .parquet file, vertices from 0.")]
Operator = Annotated[str, typer.Option("--operator", help="renormalized, screened or unfolded.")]
Eps = Annotated[float, typer.Option(help="Regularization of a collapse.")]
Beta = Annotated[float | None, typer.Option(help="Weight of the adjacency of a collapse.")]
Gamma = Annotated[str | None, typer.Option(help="Coupling: a number, bound, or regularized.")]
Format = Annotated[str, typer.Option("--format", help="Of the parts: csv or parquet.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on standard output, nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Count = Annotated[int, typer.Option("-k", help="How many.")]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]


app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

MaxRank = Annotated[
    int, typer.Option(help="Lift a graph to its cliques up to this rank, at most 3.")
]
Weight = Annotated[
    str | None, typer.Option(help="Column of the Parquet file, or a .npy file, with weights.")
]
Vertices = Annotated[
    int | None, typer.Option(help="Number of vertices; by default up to the largest in the file.")
]
Hyper = Annotated[
    bool, typer.Option("--hyperedges", help="Rows are: number of a hyperedge, vertex.")
]
Names = Annotated[
    bool, typer.Option("--labels", help="Vertices are words or numbers of any size, not from 0.")
]
Share = Annotated[
    str,
    typer.Option("--partition", help="How ranks share vertices: auto, given or scotch."),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder for one part per rank.")
]
Checkpoint = Annotated[
    Path | None, typer.Option(help="A .npy file to go on from, written anew every few steps.")
]


@app.callback()
def cellapse_scale() -> None:
    """Collapse networks that one machine cannot hold: mpirun -n 8 cellapse-scale VERB ..."""


@app.command()
def spectrum(
    network: Network, k: Count = 10, operator: Operator = DEFAULT, eps: Eps = 1e-4,
    beta: Beta = None, gamma: Gamma = None, max_rank: MaxRank = 2, weight: Weight = None,
    n_vertices: Vertices = None, hyperedges: Hyper = False,
    labels: Names = False, partition: Share = "auto", output: Output = None,
    format_: Format = "csv", checkpoint: Checkpoint = None, as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """The smallest eigenvalues; with -o also the eigenvectors."""
    run = _Run(as_json, quiet, output, format_)
    D = run.read(network, max_rank, weight, n_vertices, hyperedges, labels, partition)
    S = run.collapse(D, operator, eps, beta, gamma, checkpoint)
    spectrum = S.spectrum(k, checkpoint=checkpoint)
    columns = {f"u{i + 1}": u for i, u in enumerate(spectrum.vectors.T)}
    facts = {
        "values": spectrum.values,
        "residuals": spectrum.residuals,
        "n_zeros": spectrum.n_zeros,
        "steps": spectrum.steps,
        "solver": spectrum.solver,
    }
    run.finish(D, columns, {"operator": repr(S), **facts})
    run.say("index  value          residual")
    for i, (value, residual) in enumerate(zip(spectrum.values, spectrum.residuals, strict=True)):
        run.say(f"{i + 1:5d}  {value:<13.8g}  {residual:.1e}")
    run.say(spectrum.solver)


@app.command("cluster")
def cluster_nodes(
    network: Network, k: Count = 2, operator: Operator = DEFAULT, eps: Eps = 1e-4,
    beta: Beta = None, gamma: Gamma = None, max_rank: MaxRank = 2, weight: Weight = None,
    n_vertices: Vertices = None, hyperedges: Hyper = False,
    labels: Names = False, partition: Share = "auto", output: Output = None,
    format_: Format = "csv", as_json: AsJson = False, quiet: Quiet = False, seed: Seed = 0,
) -> None:  # fmt: skip
    """Group the nodes by the normalized cut of an operator."""
    run = _Run(as_json, quiet, output, format_)
    D = run.read(network, max_rank, weight, n_vertices, hyperedges, labels, partition)
    S = run.collapse(D, operator, eps, beta, gamma)
    numbers = cluster(S, k, rng=seed)
    sizes = D.comm.allreduce(np.bincount(numbers, minlength=k))
    run.finish(D, {"cluster": numbers}, {"operator": repr(S), "sizes": sizes})
    run.say(f"{len(sizes)} clusters of {', '.join(map(str, sizes.tolist()))} nodes")


@app.command("embed")
def embed_nodes(
    network: Network, k: Count = 8, operator: Operator = DEFAULT, eps: Eps = 1e-4,
    beta: Beta = None, gamma: Gamma = None, max_rank: MaxRank = 2, weight: Weight = None,
    n_vertices: Vertices = None, hyperedges: Hyper = False,
    labels: Names = False, partition: Share = "auto", output: Output = None,
    format_: Format = "csv", as_json: AsJson = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Coordinates of the nodes: the first eigenvectors."""
    run = _Run(as_json, quiet, output, format_)
    D = run.read(network, max_rank, weight, n_vertices, hyperedges, labels, partition)
    S = run.collapse(D, operator, eps, beta, gamma)
    columns, spectrum = embed(S, k)
    facts = {"operator": repr(S), "values": spectrum.values[1:]}
    run.finish(D, {f"x{i + 1}": x for i, x in enumerate(columns.T)}, facts)


@app.command("smooth")
def smooth_signal(
    network: Network,
    signal: Annotated[str, typer.Option(help="degree, a .npy, or a .parquet file: node, value.")],
    strength: Annotated[float, typer.Option(help="How much.")],
    operator: Operator = DEFAULT, eps: Eps = 1e-4, beta: Beta = None, gamma: Gamma = None,
    max_rank: MaxRank = 2, weight: Weight = None, n_vertices: Vertices = None,
    hyperedges: Hyper = False,
    labels: Names = False, partition: Share = "auto", output: Output = None,
    format_: Format = "csv",
    as_json: AsJson = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Smooth a signal on the nodes: (I + strength S)^-1 times the signal."""
    run = _Run(as_json, quiet, output, format_)
    D = run.read(network, max_rank, weight, n_vertices, hyperedges, labels, partition)
    values = read_signal(D, signal)
    S = run.collapse(D, operator, eps, beta, gamma)
    columns = {"value": values, "smooth": S.smooth(values, strength)}
    run.finish(D, columns, {"operator": repr(S), "strength": strength})


@app.command("trust")
def trust_edges(
    network: Network, max_rank: MaxRank = 2, n_vertices: Vertices = None,
    hyperedges: Hyper = False, labels: Names = False, partition: Share = "auto",
    output: Output = None,
    format_: Format = "csv", as_json: AsJson = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """How far each edge can be trusted, by the cells that hold it."""
    run = _Run(as_json, quiet, output, format_)
    D = run.read(network, max_rank, None, n_vertices, hyperedges, labels, partition)
    trust = edge_trust(D)
    n_edges = D.edges.ranges.total
    total = D.comm.allreduce(float(trust.values.sum()))
    facts = {
        "edges": n_edges,
        "in no cell": 1.0 - trust.held,
        "mean trust": total / max(n_edges, 1),
    }
    run.write(trust.columns(), n_edges, facts)
    run.say(f"{n_edges:,} edges, {100 * facts['in no cell']:.1f} % of them in no cell: trust 0")
    run.say(f"mean trust {facts['mean trust']:.3f}")


@app.command()
def info(
    network: Network, max_rank: MaxRank = 2, weight: Weight = None, n_vertices: Vertices = None,
    hyperedges: Hyper = False, labels: Names = False, partition: Share = "auto",
    as_json: AsJson = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Say what a network is: cells, components, how it lies on the ranks."""
    run = _Run(as_json, quiet, None, "csv")
    D = run.read(network, max_rank, weight, n_vertices, hyperedges, labels, partition)
    facts = {
        **{f"cells of rank {k}": n for k, n in enumerate(D.n_cells)},
        "components": D.n_components,
        "mean degree": round(2.0 * D.n_cells[1] / max(D.n_vertices, 1), 3),
        "expands": D.expands,
        "ranks": D.comm.size,
        "vertices": D.partition,
        "most edges on a rank": int(D.comm.allreduce(D.edges.count, MPI.MAX)),
    }
    run.finish(D, {}, facts)
    for name, value in facts.items():
        run.say(f"{name:<22}{value}")


class _Run:
    """What the verbs share: how a run speaks, reads and writes."""

    def __init__(self, as_json: bool, quiet: bool, output: Path | None, kind: str) -> None:
        self._json, self._silent = as_json, quiet or as_json
        self._parts = Parts(MPI.COMM_WORLD, output, kind)
        self._folder = output

    def say(self, text: str) -> None:
        if not self._silent and MPI.COMM_WORLD.rank == 0:
            print(text, flush=True)

    def read(
        self,
        network: str,
        max_rank: int,
        weight: str | None,
        n: int | None,
        hyper: bool,
        named: bool,
        partition: str,
    ) -> DistributedComplex:
        if named and (hyper or n is not None):
            raise InputError("--labels with --hyperedges or --n-vertices; leave out one of them")
        if named:
            return DistributedComplex.from_labelled_edges(
                network, weights=weight, max_rank=max_rank, partition=partition
            )
        if hyper:
            return DistributedComplex.from_hyperedges(
                network, n_vertices=n, weights=weight, partition=partition
            )
        return DistributedComplex.from_edges(
            network, n_vertices=n, weights=weight, max_rank=max_rank, partition=partition
        )

    def collapse(
        self,
        D: DistributedComplex,
        operator: str,
        eps: float,
        beta: float | None,
        gamma: str | None,
        checkpoint: Path | None = None,
    ) -> DistributedOperator:
        coupling: Any = gamma
        if gamma not in (None, "bound", "regularized"):
            try:
                coupling = float(str(gamma))
            except ValueError:
                raise InputError(f"--gamma {gamma}; give a number, bound or regularized") from None
        return collapse(
            D, operator, beta=beta, gamma=coupling, eps=eps, checkpoint=checkpoint,
            progress=not self._silent,
        )  # fmt: skip

    def finish(self, D: DistributedComplex, columns: dict[str, Any], facts: dict[str, Any]) -> None:
        """Write a row per node and say so, or JSON."""
        self.write({"node": D.labels, **columns} if columns else {}, D.n_vertices, facts)

    def write(self, columns: dict[str, Any], rows: int, facts: dict[str, Any]) -> None:
        """Write the parts, of so many rows in all, and say so, or JSON."""
        comm = MPI.COMM_WORLD
        if columns:
            self._parts.write(columns)
            self._parts.summary(facts)
        if self._json and comm.rank == 0:
            print(json.dumps(as_json(facts)), flush=True)
        if columns and self._folder is not None:
            self.say(f"Wrote {self._folder}: {rows:,} rows in {comm.size} parts.")


def read_signal(D: DistributedComplex, source: str) -> FloatArray:
    """Return the degree, a .npy file with one value per vertex, or a .parquet file: node, value."""
    if source == "degree":
        return D.edges.degree.astype(np.float64)
    if source.endswith(".parquet"):
        return _by_node(D, Path(source))
    if not source.endswith(".npy"):
        raise InputError(f"--signal {source}; give degree, a .npy or a .parquet file")
    with together(D.comm):
        try:
            values = np.load(source, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise InputError(
                f"{source}: no complete .npy file of numbers is there; write it again"
            ) from None
        if values.shape != (D.n_vertices,):
            raise InputError(
                f"{source} has shape {values.shape}; give one value for each of "
                f"{D.n_vertices} vertices"
            )
        files = D.numbering.files
        mine = np.array(values[files.low : files.high], dtype=np.float64)
    return D.numbering.from_files(mine)


def _by_node(D: DistributedComplex, path: Path) -> FloatArray:
    with together(D.comm):
        node, value = _rows(path, D.comm)
        wrong = node[(node < 0) | (node >= D.n_vertices)]
        if len(wrong):
            raise InputError(
                f"{path}: vertex {wrong[0]} is unknown; vertices are 0 to {D.n_vertices - 1}"
            )
    node = D.numbering.numbers(node)
    route = D.vertices.route(node)
    values = np.full(D.vertices.count, np.nan)
    values[route.send(node) - D.vertices.low] = route.send(value)
    missing = D.numbering.given_here[np.isnan(values)]
    first = int(missing.min(initial=D.n_vertices))
    first = D.comm.allreduce(first, MPI.MIN)
    if first < D.n_vertices:
        raise InputError(f"{path}: vertex {first} has no value; give one to every vertex")
    return values


def _rows(path: Path, comm: Any) -> tuple[Any, FloatArray]:
    with extra("pyarrow", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    try:
        file = pq.ParquetFile(path)
        groups = range(comm.rank, file.num_row_groups, comm.size)
        table = file.read_row_groups(list(groups), columns=file.schema_arrow.names[:2])
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: not a complete Parquet file ({error})") from None
    node, value = (table.column(i).to_numpy() for i in (0, 1))
    return node.astype(np.int64), value.astype(np.float64)
