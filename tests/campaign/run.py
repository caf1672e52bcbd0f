"""Seeds and groups in several processes until the minutes are over; counts, and what is wrong."""

import argparse
import json
import multiprocessing
import platform
import time
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from pathlib import Path

from . import complexes, zoo
from .book import Book

RESULT = Path(__file__).parents[2] / "benchmarks" / "results" / "campaign.json"
_CHUNK = 25  # complexes of one task


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


def work(options, number, first_seed, done, deadline):
    """What one worker does until the deadline: its share of the groups, complexes in between."""
    book, finished = Book(), []
    todo = [g for g in zoo.groups() if options.only in " ".join(g) and list(g) not in done]
    todo = todo[number :: options.workers] if options.part != "complexes" else []
    chunk = first_seed // _CHUNK + number
    while time.monotonic() < deadline:
        if todo:
            group, begun = todo.pop(0), time.monotonic()
            zoo.run_group(group, options.seed, book, deadline)
            if time.monotonic() < deadline:
                finished.append(list(group))
                print(f"{time.monotonic() - begun:7.1f} s  {' '.join(group)}", flush=True)
        elif options.part == "zoo":
            break
        if options.part != "zoo":
            for seed in range(chunk * _CHUNK, (chunk + 1) * _CHUNK):
                if time.monotonic() < deadline:
                    complexes.run_seed(seed, book)
            chunk += options.workers
    return book, chunk * _CHUNK, finished


def campaign(options, first_seed, done):
    """Run it: the book, the seed after the last, and the groups that were finished."""
    deadline = time.monotonic() + 60.0 * options.minutes
    book, last, finished = Book(), first_seed, []
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(options.workers, mp_context=context) as pool:
        parts = [
            pool.submit(work, options, i, first_seed, done, deadline)
            for i in range(options.workers)
        ]
        for part in parts:
            one, seed, groups = part.result()
            book.add(one)
            last, finished = max(last, seed), finished + groups
    return book, last, finished


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
    start, book, minutes, runs, seeds, done = time.monotonic(), Book(), 0.0, 1, [], []
    for path in [options.output] if options.append or options.again else options.join:
        old = json.loads(path.read_text()) if path.exists() else None
        if old is not None:
            book.add(Book.from_dict(old))
            minutes, runs = minutes + old["minutes"], runs + old["runs"]
            earlier = [[old["first_seed"], old["next_seed"]]] if "first_seed" in old else []
            seeds = _joined(seeds + old.get("seeds", earlier))
            done += [g for g in old["groups_done"] if g not in done]
    if options.again or options.join:
        runs -= 1
    if options.again:
        again(book, options.seed)
    elif not options.join:
        first = seeds[-1][1] if seeds else options.seed
        new, last, finished = campaign(options, first, done)
        took = (time.monotonic() - start) / 60.0
        report(new, took)
        book.add(new)
        minutes, done, seeds = minutes + took, done + finished, _joined([*seeds, [first, last]])
    result = {
        "minutes": round(minutes, 1),
        "runs": runs,
        "seeds": seeds,
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("cellapse", "numpy", "scipy", "networkx")},
            "python-flint": version("python-flint"),
        },
        **book.as_dict(),
        "groups_in_the_zoo": len(zoo.groups()),
        "groups_done": done,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=1) + "\n")
    return 1 if book.wrong else 0


def _joined(ranges):
    """Ranges of seeds, those that touch as one; one of the zoo alone has none."""
    found = []
    for first, stop in ranges:
        if found and found[-1][1] == first:
            found[-1][1] = stop
        elif first < stop:
            found.append([first, stop])
    return found
