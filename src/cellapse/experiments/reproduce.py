"""Run tables, with progress, and write the report."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from multiprocessing import get_context
from pathlib import Path

from cellapse._checks import whole_number
from cellapse._errors import InputError
from cellapse.datasets._names import unknown_name
from cellapse.experiments import (
    blocks,
    compression,
    contacts,
    denoising,
    mantra,
    networks,
    proteins,
    robustness,
    runtime,
    search,
    sweep,
)
from cellapse.experiments.page import page
from cellapse.experiments.runner import Run, perform_all, write_whole
from cellapse.experiments.table import Experiment, Table

# In the order of the report. Table 6, encodings in graph networks, needs the torch extra; an
# experiment that has it is added here, and nowhere else.
_EXPERIMENTS = (
    denoising,
    proteins,
    blocks,
    networks,
    mantra,
    sweep,
    runtime,
    compression,
    robustness,
    contacts,
    search,
)
TABLES: dict[str, Experiment] = {m.EXPERIMENT.name: m.EXPERIMENT for m in _EXPERIMENTS}


def reproduce(
    tables: Sequence[str] | None = None,
    quick: bool = True,
    folder: str | Path = ".",
    workers: int = 1,
) -> Path:
    """Run the paper's tables and write `results/` and `report.html`.

    Results are kept run by run; started again, only what is missing is computed, and a full run
    takes over what a quick one has done.

    Parameters
    ----------
    tables : names, optional
        Keys of `TABLES`; all by default.
    quick : bool
        Fewer repetitions, ten minutes in all; otherwise hours.
    folder : path
        Where both are written.
    workers : int
        Processes at once; with more than one, a script needs its `if __name__ == "__main__"`.

    Returns
    -------
    Path
        Of the report.

    Examples
    --------
    >>> sorted(TABLES)[:4]
    ['blocks', 'compression', 'contacts', 'denoising']
    """
    names = list(TABLES) if tables is None else list(tables)
    for name in names:
        if name not in TABLES:
            raise InputError(unknown_name("table", name, tuple(TABLES), "reproduce"))
    workers = whole_number("workers", workers, 1)
    folder = Path(folder)
    finished = run_tables([TABLES[n] for n in names], quick, folder / "results", workers)
    report = folder / "report.html"
    write_whole(report, page(finished, quick))
    return report


def run_tables(
    experiments: Sequence[Experiment], quick: bool, folder: Path, workers: int
) -> list[Table]:
    """Compute what is missing, with a line of progress for every table, and summarize."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    pool = None
    if workers > 1:
        # Fresh processes: a fork would copy the thread that draws the progress.
        pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    tables = []
    with pool or nullcontext(), Progress(*columns, console=Console(stderr=True)) as progress:
        for experiment in experiments:
            runs = [Run(experiment.name, experiment.run, a) for a in experiment.arguments(quick)]
            bar = progress.add_task(f"{experiment.name:<12}", total=len(runs))
            done = {}
            for run, result in perform_all(runs, folder, pool):
                done[run.file(folder)] = result
                progress.advance(bar)
            if runs:
                # In the order of the arguments, whoever finished first.
                ordered = [(run.arguments, done[run.file(folder)]) for run in runs]
                tables.append(experiment.summarize(ordered))
    return tables
