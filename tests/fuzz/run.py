"""Read many odd files, in processes that may die, and count what must not happen."""

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from tests.fuzz import draw
from tests.fuzz.formats import FORMATS
from tests.fuzz.networks import NETWORKS
from tests.fuzz.structures import STRUCTURES

SECONDS, BYTES = 10.0, 2_000_000_000
BATCH = 200  # files per process
GENERATORS = FORMATS + NETWORKS + STRUCTURES
WRITTEN = ("gml", "gexf", "mtx", "json", "npz", "graphml", "csv", "hyperedges", "off")


def make(seed, only=""):
    """The name and the bytes of a file; the same seed, the same file."""
    rng = random.Random(seed)
    rng.calm = rng.random() < 0.4  # most of it as it should be, so that readers come far
    extension, data = rng.choice([g for g in GENERATORS if only in ("", g.__name__)])(rng)
    return f"{seed}.{extension}", draw.damaged(rng, data)


def attempt(seed, folder, only):
    """What became of one file: "read", "refused", or an exception of another kind."""
    import cellapse as cl

    name, data = make(seed, only)
    path = folder / name
    path.write_bytes(data)
    try:
        K = cl.read(path)
        with contextlib.suppress(cl.CellapseError):
            cl.write(K, folder / f"out.{random.Random(seed).choice(WRITTEN)}")
        return "read"
    except cl.CellapseError:
        return "refused"
    except Exception as error:
        return f"raw {type(error).__name__}: {error}"[:200]
    finally:
        path.unlink()


def batch(seeds, report, only):
    """Read files one after the other, saying what became of each; ends when one took too much."""
    import resource

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            report({"begun": seed})
            signal.setitimer(signal.ITIMER_PROF, SECONDS)  # its signal ends the process
            outcome = attempt(seed, Path(folder), only)
            signal.setitimer(signal.ITIMER_PROF, 0)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            report({"seed": seed, "outcome": outcome, "peak": peak})
            if peak > BYTES:
                return


def in_child(seeds, only):
    """The reports of a batch in a process of its own, and how that ended."""
    source, sink = os.pipe()
    child = os.fork()
    if not child:
        os.close(source)
        with os.fdopen(sink, "w", buffering=1) as pipe:
            batch(seeds, lambda fact: pipe.write(json.dumps(fact) + "\n"), only)
        os._exit(0)
    os.close(sink)
    with os.fdopen(source) as pipe:
        facts = [json.loads(line) for line in pipe]
    return facts, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(first, count, only=""):
    """Counts of outcomes, and the seeds of those that must not be."""
    counts, bad, todo, peak = Counter(), [], list(range(first, first + count)), 0
    while todo:
        facts, code = in_child(todo[:BATCH], only)
        done = [fact for fact in facts if "seed" in fact]
        for fact in done:
            counts[fact["outcome"].partition(" ")[0]] += 1
            peak = max(peak, fact["peak"])
            if fact["outcome"].startswith("raw"):
                bad.append((fact["seed"], fact["outcome"]))
            if fact["peak"] > BYTES:
                counts["memory"] += 1
                bad.append((fact["seed"], f"{fact['peak'] / 1e9:.1f} GB"))
        last = len(done)
        if code != 0 and facts:
            what = "time" if code == -signal.SIGPROF else "crash"
            counts[what] += 1
            bad.append((facts[-1].get("begun"), f"{what}: ended by signal {-code}"))
            last += 1
        todo = todo[max(last, 1) :]
    return counts, bad, peak


def main():
    """Run, say what was found, and fail if anything was."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    names = sorted({g.__name__ for g in GENERATORS})
    parser.add_argument("--only", default="", choices=["", *names], help="one format")
    given = parser.parse_args()
    import cellapse as cl

    cl.molecule_complex("CC")  # loads RDKit once, not in every process
    begun = time.time()
    counts, bad, peak = run(given.seed * 10_000_000, given.files, given.only)
    print(f"{given.files:,} files in {time.time() - begun:.0f} s, at most {peak / 1e9:.2f} GB")
    kinds = ("read", "refused", "raw", "crash", "memory", "time")
    print(", ".join(f"{kind}: {counts[kind]:,}" for kind in kinds))
    for seed, what in bad[:50]:
        print(f"  {make(seed, given.only)[0]}  {what}")
    sys.exit(bool(bad))
