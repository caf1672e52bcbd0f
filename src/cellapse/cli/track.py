"""The verb for networks that change over time: track."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from cellapse._collapse.realizations import USUAL
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError
from cellapse._operators.names import operator_names
from cellapse._shared.files import make_folder, write_whole
from cellapse._shared.tables import csv_text
from cellapse.cli.app import app
from cellapse.cli.options import Eps, MaxRank, Seed, complete_operator, grouped
from cellapse.cli.output import AsJson, Out, Quiet
from cellapse.cli.progress import working
from cellapse.cli.reading import Columns, Directed, Header, Sep, _columns
from cellapse.report.timeline import Timeline, write_timeline
from cellapse.temporal.changes import Changes, find_changes
from cellapse.temporal.complex import TemporalComplex
from cellapse.temporal.moments import Moment, collapse_over_time
from cellapse.temporal.sources import as_temporal

File = Annotated[
    str,
    typer.Argument(
        help="A table with a column of times (CSV, SNAP), KONECT's, or timestamped simplices.",
        show_default=False,
    ),
]

Followed = Annotated[
    str,
    typer.Option(
        help=f"One of {', '.join(operator_names())}.",
        autocompletion=complete_operator,
        show_default=USUAL,
    ),
]


@dataclass(frozen=True)
class TimesChoice:
    """Which table, and which of its columns say what."""

    network: File
    time: Annotated[
        str | None, typer.Option(help="The column of times, where it has no usual name.")
    ] = None
    end: Annotated[str, typer.Option(help="The column of ends; none for no ends.")] = AUTO
    weight: Annotated[str, typer.Option(help="The column of weights; none for no weights.")] = AUTO
    unit: Annotated[
        str | None,
        typer.Option(
            help="Of times that are numbers and count from 1970: s, ms, h, d.", show_default=False
        ),
    ] = None
    columns: Columns = None
    sep: Sep = None
    header: Header = None
    directed: Directed = "refuse"

    def load(self) -> TemporalComplex:
        """Read the network."""
        return as_temporal(
            self.network,
            time=self.time,
            end=None if self.end == "none" else self.end,
            weight=None if self.weight == "none" else self.weight,
            columns=_columns(self.columns),
            sep=None if self.sep is None else self.sep.replace("\\t", "\t"),
            header=self.header,
            directed=self.directed,
            unit=self.unit,
        )


@app.command()
@grouped
def track(
    *,
    width: Annotated[str, typer.Option(help="How long a window is, such as 20s, 10min, 1h, 2d.")],
    step: Annotated[
        str | None, typer.Option(help="From one window to the next; as long as one if left out.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the tables and report.html.")
    ] = None,
    clusters: Annotated[
        int | None,
        typer.Option("--clusters", "-k", help="Number of groups; by the gap if left out."),
    ] = None,
    operator: Followed = USUAL,
    eps: Eps = None,
    max_rank: MaxRank = 2,
    edges: Annotated[
        bool, typer.Option("--edges", help="Write edges.csv, too: one row an edge and window.")
    ] = False,
    choice: TimesChoice,
    as_json: AsJson = False,
    quiet: Quiet = False,
    seed: Seed = 0,
) -> None:
    """Follow a network over time: groups, trust, changes.

    With -o it writes windows.csv, one row a window; groups.csv, one row a node and window; and
    report.html, with a slider through the windows, which needs nothing but a browser. With
    --edges also edges.csv, the weight and the trust of every edge in every window.

    \b
    cellapse track contacts.csv --width 1h --step 10min -o out
    cellapse track contacts.csv --width 2h -k 2 --json
    """
    if edges and output is None:
        raise InputError("--edges writes a file; name its folder with -o")
    out = Out(None, as_json, quiet)
    with working("reading", "following", quiet=out.silent) as stage:
        stage("reading")
        T = choice.load()
        stage("following")
        options: dict[str, Any] = {"operator": operator, "eps": eps, "n_clusters": clusters}
        moments = collapse_over_time(T, width, step, max_rank=max_rank, rng=seed, **options)
        folder = None if output is None else make_folder(output)
        timeline = None if folder is None else Timeline(T, Path(choice.network).name)
        notes = Notes(timeline, edges, [], [], [])
        changes = find_changes(notes.passing(moments))
    _tell(out, notes, changes, folder, operator)


@dataclass
class Notes:
    """What is kept of the windows while they pass."""

    timeline: Timeline | None
    with_edges: bool
    rows: list[dict[str, Any]]
    groups: list[tuple[Any, ...]]
    edges: list[tuple[Any, ...]]

    def passing(self, moments: Iterator[Moment]) -> Iterator[Moment]:
        """Yield the moments as they are, once their rows are kept."""
        for moment in moments:
            self.rows.append({k: _rounded(v) for k, v in moment.row().items()})
            if self.timeline is not None:
                self.timeline.add(moment)
                start, labels = self.rows[-1]["start"], moment.window.source.labels
                pairs = zip(labels, moment.groups.tolist(), strict=True)
                self.groups += [(start, v, g) for v, g in pairs if g >= 0]
                if self.with_edges:
                    self.edges += [(start, *row) for row in _edges(moment)]
            yield moment


def _edges(moment: Moment) -> Iterator[tuple[Any, ...]]:
    """Both ends of every edge, its weight in the operator, and its trust where that is known."""
    labels = moment.window.source.labels
    trust = [""] * len(moment.weights) if moment.trust is None else moment.trust.tolist()
    for (u, v), w, t in zip(
        moment.window.ends.tolist(), moment.weights.tolist(), trust, strict=True
    ):
        yield labels[u], labels[v], _rounded(w), _rounded(t)


def _rounded(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _tell(out: Out, notes: Notes, changes: Changes, folder: Path | None, operator: str) -> None:
    found = [str(t) for t in changes.to_words()]
    out.say(
        f"{len(notes.rows):,} windows, {operator}; "
        + (f"changes at {', '.join(found)}" if found else "no change found")
    )
    if folder is not None and notes.timeline is not None:
        columns = list(notes.rows[0])
        write_whole(
            folder / "windows.csv", csv_text([columns, *(list(r.values()) for r in notes.rows)])
        )
        write_whole(folder / "groups.csv", csv_text([["start", "node", "group"], *notes.groups]))
        write_timeline(notes.timeline, folder / "report.html", changes=changes)
        also = ""
        if notes.with_edges:
            head = ["start", "source", "target", "weight", "trust"]
            write_whole(folder / "edges.csv", csv_text([head, *notes.edges]))
            also = " edges.csv,"
        out.say(f"Wrote {escape(str(folder))}: windows.csv, groups.csv,{also} report.html.")
    table = {name: [row[name] for row in notes.rows] for name in notes.rows[0]}
    if folder is None or out.as_json:
        out.table(table, {"operator": operator, "changes": found})
