"""Does `likely_false` keep its promise? Stated and true probabilities, over networks.

On bundled and generated networks with 30 % false edges of three kinds, and their share given, edges
are sorted by the probability of being false that is stated for them. Beside the mean of what is
stated stands the share that is false, a mean over networks in which edges are pooled; what is
stated is a bound for the worst of three kinds, so it should not be below. Then the share of the
real edges that is kept.

    python -m benchmarks.calibration [--seeds 1]
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from typing import Any

import numpy as np

import cellapse as cl
from benchmarks.timing import save
from cellapse.experiments.protocol.noise import NETWORKS, draw, true_edges, with_false_edges

KINDS = ("uniform", "degree", "near")
PERCENT = 30
BINS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)


def stated(name: str, kind: str, seed: int) -> tuple[Any, Any] | None:
    """Return the probabilities stated for all edges, and which are false; None where silent."""
    A, _ = draw(name, seed)
    K = cl.clique_complex(with_false_edges(A, PERCENT, kind, seed))
    false = ~true_edges(A, K.cells[1].as_array())
    doubt = cl.tasks.likely_false(K, false_share=float(false.mean()), rng=seed)
    return None if doubt.probability is None else (doubt.probability, false)


def row(kind: str, seeds: int) -> dict[str, Any]:
    """Return one kind of false edges: stated and true by bin, and the real edges kept."""
    found = [stated(name, kind, seed) for seed in range(seeds) for name in NETWORKS]
    heard = [f for f in found if f is not None]
    said, false = (np.concatenate(parts) for parts in zip(*heard, strict=True))
    result: dict[str, Any] = {"false edges": kind, "silent": len(found) - len(heard)}
    for low, high in itertools.pairwise(BINS):
        at = (said >= low) & ((said < high) | (high == 1.0))
        text = f"{said[at].mean():.3f}, {false[at].mean():.3f}" if at.any() else ""
        result[f"{low:g} to {high:g}: stated, true"] = text
    kept = np.mean([(p[~f] <= 0.5).mean() for p, f in heard])
    gone = np.mean([(p[f] > 0.5).mean() for p, f in heard])
    return result | {"real edges kept": float(kept), "false edges doubted": float(gone)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    seeds = parser.parse_args().seeds
    warnings.simplefilter("ignore", cl.CellapseWarning)
    save("calibration", [row(kind, seeds) for kind in KINDS])


if __name__ == "__main__":
    main()
