"""Seeds and groups in several processes until the minutes are over; counts, and what is wrong."""

import argparse
import itertools
import json
import multiprocessing
import platform
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from . import complexes, zoo
from .book import Book

RESULT = Path(__file__).parents[2] / "benchmarks" / "results" / "campaign.json"
_CHUNK = 25  # complexes of one task
_SAVE = 20.0  # seconds between two times that the figures are written: little is lost by an end


def arguments(given=None):
    parser = argparse.ArgumentParser(prog="campaign", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--part", choices=("complexes", "zoo", "both"), default="both")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--append", action="store_true", help="add to the figures of earlier runs")
    parser.add_argument(
        "--again", action="store_true", help="only run again what was wrong in earlier runs"
    )
    parser.add_argument(
        "--join", nargs="*", default=[], type=Path, help="only add up the figures of these files"
    )
    parser.add_argument("--only", default="", help="only groups of the zoo whose name contains it")
    parser.add_argument("--output", type=Path, default=RESULT)
    return parser.parse_args(given)


def tasks(options, first_seed, done):
    """Groups of the zoo that are left and chunks of seeds, in turn."""
    todo = [g for g in zoo.groups() if options.only in " ".join(g) and list(g) not in done]
    groups = iter(todo if options.part != "complexes" else [])
    seeds = itertools.count(first_seed, _CHUNK) if options.part != "zoo" else iter(())
    for group, seed in itertools.zip_longest(groups, seeds):
        if group is not None:
            yield group
        if seed is not None:
            yield seed


def work(task, zoo_seed, deadline):
    """One task: its book, the seed after its last one, and the group when it is finished."""
    book, begun = Book(), time.monotonic()
    if isinstance(task, int):
        for seed in range(task, task + _CHUNK):
            if time.monotonic() < deadline:
                complexes.run_seed(seed, book)
        return book, task + _CHUNK, []
    zoo.run_group(task, zoo_seed, book, deadline)
    if time.monotonic() >= deadline:  # not all of it: it is run again, and counted then
        return book if book.wrong else Book(), 0, []
    print(f"{time.monotonic() - begun:7.1f} s  {' '.join(task)}", flush=True)
    return book, 0, [list(task)]


def campaign(options, first_seed, done):
    """Run it, and give out what every task says as soon as it is there."""
    deadline = time.monotonic() + 60.0 * options.minutes
    context = multiprocessing.get_context("fork")
    todo, running = tasks(options, first_seed, done), set()
    with ProcessPoolExecutor(options.workers, mp_context=context) as pool:
        while True:
            free = options.workers - len(running) if time.monotonic() < deadline else 0
            running |= {
                pool.submit(work, task, options.seed, deadline)
                for task in itertools.islice(todo, free)
            }
            if not running:
                return
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for one in ended:
                yield one.result()


def again(book, seed):
    """Run the seeds and groups of all violations again; those that are right now are mended."""
    for source in sorted({s for sources in book.sources.values() for s in sources}):
        new, (kind, name) = Book(), source.split(" ", 1)
        if kind == "seed":
            complexes.run_seed(int(name), new)
        else:
            zoo.run_group(tuple(name.split(" | ")), seed, new)
        print(f"{source}: {'wrong' if new.wrong else 'right'}", flush=True)
        if not new.wrong:
            book.mend(source)


def report(book, minutes):
    """What a person reads."""
    total = sum(book.checks.values())
    print(
        f"{book.complexes:,} complexes, {book.groups} groups of the zoo, {total:,} checks "
        f"in {minutes:.1f} minutes"
    )
    print("\nworst error that passed, by check and realization or graph")
    for key, error in sorted(book.worst.items()):
        if error > 0:
            print(f"  {key:50} {error:.1e}")
    for title, counts in (
        ("within what the condition of the problem allows", book.excused),
        ("declined: the library says that it cannot", book.declined),
    ):
        print(f"\n{title}: {sum(counts.values())}")
        for key, count in sorted(counts.items()):
            print(f"  {count:6} {key}")
    print(f"\nviolations: {sum(book.wrong.values())}, mended: {sum(book.mended.values())}")
    for key, count in sorted(book.wrong.items()):
        print(f"  {count:6} {key}")
    for key, kept in sorted(book.shown.items()):
        for one in kept[:1]:
            print(f"\n--- {key}: {one['problem']}\n{one['reproducer']}")


def main(given=None):
    options = arguments(given)
    old = _earlier([options.output] if options.append or options.again else options.join)
    if options.again:
        again(old.book, options.seed)
    elif not options.join:
        _go_on(options, old)
    old.write(options.output)
    return 1 if old.book.wrong else 0


@dataclass
class Figures:
    """What all runs together have done."""

    book: Book = field(default_factory=Book)
    minutes: float = 0.0
    runs: int = 0
    seeds: list = field(default_factory=list)
    done: list = field(default_factory=list)

    def write(self, path):
        result = {
            "minutes": round(self.minutes, 1),
            "runs": self.runs,
            "seeds": self.seeds,
            "versions": {
                "python": platform.python_version(),
                **{name: version(name) for name in ("cellapse", "numpy", "scipy", "networkx")},
                "python-flint": version("python-flint"),
            },
            **self.book.as_dict(),
            "groups_in_the_zoo": len(zoo.groups()),
            "groups_done": self.done,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(".part")
        aside.write_text(json.dumps(result, indent=1) + "\n")
        aside.replace(path)


def _earlier(paths):
    """The figures of these files, added up."""
    figures = Figures()
    for path in paths:
        old = json.loads(path.read_text()) if path.exists() else None
        if old is not None:
            figures.book.add(Book.from_dict(old))
            figures.minutes += old["minutes"]
            figures.runs += old["runs"]
            figures.seeds = _joined(figures.seeds + old["seeds"])
            figures.done += [g for g in old["groups_done"] if g not in figures.done]
    return figures


def _go_on(options, figures):
    """One more run, whose figures are added and written while it runs."""
    first = last = figures.seeds[-1][1] if figures.seeds else options.seed
    start, before, new = time.monotonic(), figures.minutes, Book()
    earlier, saved = figures.seeds, start
    figures.runs += 1
    for book, seed, groups in campaign(options, first, list(figures.done)):
        new.add(book)
        figures.book.add(book)
        last, figures.done = max(last, seed), figures.done + groups
        figures.seeds = _joined([*earlier, [first, last]])
        figures.minutes = before + (time.monotonic() - start) / 60.0
        if time.monotonic() > saved + _SAVE:
            figures.write(options.output)
            saved = time.monotonic()
    report(new, figures.minutes - before)


def _joined(ranges):
    """Ranges of seeds, those that touch as one; one of the zoo alone has none."""
    found = []
    for first, stop in ranges:
        if found and found[-1][1] == first:
            found[-1][1] = stop
        elif first < stop:
            found.append([first, stop])
    return found
