"""Run tables, with progress, and write the report."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from cellapse._errors import InputError
from cellapse._shared.checks import whole_number
from cellapse._shared.files import make_folder, write_whole
from cellapse._shared.processes import end_with_parent
from cellapse._shared.progress import progress as shown
from cellapse.datasets._names import unknown_name
from cellapse.experiments.protocol.page import page
from cellapse.experiments.protocol.runner import Run, finished, perform_all, quietly_on_one_thread
from cellapse.experiments.protocol.table import Experiment, Table
from cellapse.experiments.tables import (
    blocks,
    cheeger,
    compression,
    contacts,
    denoising,
    gcn,
    learned_collapse,
    linkage,
    mantra,
    mantra_networks,
    message_passing_cost,
    molecules,
    networks,
    node_classification,
    proteins,
    robustness,
    runtime,
    search,
    sizes,
    spread,
    sweep,
    teaser,
    trust,
    unseen,
)

# In the order of the report.
_EXPERIMENTS = (
    teaser,
    denoising,
    proteins,
    blocks,
    networks,
    mantra,
    mantra_networks,
    sweep,
    runtime,
    compression,
    cheeger,
    robustness,
    trust,
    linkage,
    sizes,
    spread,
    contacts,
    search,
    unseen,
    node_classification,
    gcn,
    learned_collapse,
    message_passing_cost,
    molecules,
)
TABLES: dict[str, Experiment] = {m.EXPERIMENT.name: m.EXPERIMENT for m in _EXPERIMENTS}


def reproduce(
    tables: Sequence[str] | None = None,
    quick: bool = False,
    folder: str | Path = ".",
    n_jobs: int | None = None,
    progress: bool | None = None,
    client: Any = None,
) -> Path:
    """Run the paper's tables and write `results/` and `report.html`.

    Results are kept run by run; started again, only what is missing is computed, and a full run
    takes over what a quick one has done.

    Parameters
    ----------
    tables : names, optional
        Keys of `TABLES`; by default all whose extra is installed.
    quick : bool
        Fewer repetitions, minutes in all; otherwise hours.
    folder : path
        Where both are written.
    n_jobs : int, optional
        Processes at once, by default one: a script that asks for more needs its
        `if __name__ == "__main__"`. The command line takes one for each core.
    progress : bool, optional
        Say how far it is: by default only on a terminal.
    client : dask.distributed.Client, optional
        Runs go to its workers, and again to another one where a worker is lost; the results are
        those of one machine, and are kept here.

    Returns
    -------
    Path
        Of the report.

    Examples
    --------
    >>> sorted(TABLES)[:4]
    ['blocks', 'cheeger', 'compression', 'contacts']
    """
    names = _installed() if tables is None else list(tables)
    for name in names:
        if name not in TABLES:
            raise InputError(unknown_name("table", name, tuple(TABLES), "reproduce"))
    jobs = 1 if n_jobs is None else whole_number("n_jobs", n_jobs, 1)
    if client is not None and n_jobs is not None:
        raise InputError(f"n_jobs={n_jobs} with a client, whose workers count; leave it out")
    folder = Path(folder)
    experiments = [TABLES[name] for name in names]
    performed = run_tables(experiments, quick, folder / "results", jobs, progress, client)
    report = folder / "report.html"
    left_out = [] if tables is not None else [name for name in TABLES if name not in names]
    make_folder(folder)
    write_whole(report, page(performed, quick, left_out))
    return report


def _installed() -> list[str]:
    """Return the tables that can be run here."""
    torch = find_spec("torch") is not None and find_spec("torch_geometric") is not None
    return [name for name, experiment in TABLES.items() if torch or experiment.extra != "torch"]


def run_tables(
    experiments: Sequence[Experiment],
    quick: bool,
    folder: Path,
    n_jobs: int,
    progress: bool | None,
    client: Any = None,
) -> list[Table]:
    """Compute what is missing, saying how far it is, and summarize."""
    pool = None
    if n_jobs > 1:  # fresh processes: a fork would copy locks that other threads hold
        spawn = get_context("spawn")
        pool = ProcessPoolExecutor(n_jobs, mp_context=spawn, initializer=_begin_worker)
    tables = []
    with pool or nullcontext():
        for i, experiment in enumerate(experiments):
            runs = [Run(experiment.name, experiment.run, a) for a in experiment.arguments(quick)]
            what = f"{experiment.name} (table {i + 1} of {len(experiments)})"
            done = {run.file(folder): known for run in runs if (known := finished(run, folder))}
            missing = [run for run in runs if run.file(folder) not in done]
            computed = perform_all(missing, folder, pool, client)
            performed = shown(computed, len(missing), what, progress)
            done |= {run.file(folder): result for run, result in performed}
            if runs:
                # In the order of the arguments, whoever finished first.
                ordered = [(run.arguments, done[run.file(folder)]) for run in runs]
                with quietly_on_one_thread():
                    tables.append(experiment.summarize(ordered))
    return tables


def _begin_worker() -> None:
    """Keep PyTorch, imported later, to one thread per process: the processes share the cores."""
    os.environ["OMP_NUM_THREADS"] = "1"
    end_with_parent()
