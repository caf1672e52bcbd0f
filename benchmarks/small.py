"""What has to be quick because it is small: starting, and one small graph at a time.

Milliseconds of the processor, the least of several runs: of a process of its own that imports the
package (which loads its parts at their first use) or prints the help of the command line, and of
the spectrum of one random graph, by `collapse(K).spectrum()` and as one of a thousand in
`batch.spectra`.

    python -m benchmarks.small
"""

from __future__ import annotations

import resource
import subprocess
import sys

import networkx as nx

import cellapse as cl
from benchmarks.timing import save, seconds
from cellapse import batch

STARTS = {
    "import cellapse": ["-c", "import cellapse"],
    "from cellapse import collapse, clique_complex": [
        "-c",
        "from cellapse import collapse, clique_complex",
    ],
    "cellapse --help": ["-m", "cellapse", "-h"],
}


def process_seconds(words: list[str]) -> float:
    """Processor seconds of a process of its own, the best of five after a first one."""
    taken = []
    for _ in range(6):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(sum(after[:2]) - sum(before[:2]))
    return min(taken[1:])


def main() -> None:
    rows = [{"work": name, "ms": 1e3 * process_seconds(words)} for name, words in STARTS.items()]
    for n in (12, 20, 34):
        graphs = [nx.gnp_random_graph(n, 0.3, seed=s) for s in range(1000)]
        complexes = [cl.clique_complex(graph) for graph in graphs]
        one = complexes[0]
        alone = seconds(lambda one=one: cl.collapse(one, "unfolded").spectrum(), repeats=50)
        rows.append({"work": f"one graph of {n} vertices", "ms": 1e3 * alone})
        together = seconds(
            lambda all_=complexes: batch.spectra(all_, operator="unfolded", n_jobs=1)
        )
        rows.append({"work": f"one of a thousand of {n} vertices", "ms": together})
    save("small", rows)


if __name__ == "__main__":
    main()
