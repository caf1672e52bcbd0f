"""Where the sliders stand, as the Python and the command that give the same clusters."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any

from cellapse import datasets
from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.realizations import REALIZATIONS
from cellapse._complex.weights import AUTO
from cellapse.report.settings import Settings


@dataclass(frozen=True)
class Origin:
    """How the complex is written in Python, and as arguments of the command line if it came so."""

    python: str = "K"
    command: str = ""

    @classmethod
    def of(cls, network: str, max_rank: int = 2, weight: str = AUTO) -> Origin:
        """Of a bundled name or a file with the options of the command line.

        >>> Origin.of("network.gml", weight="w").python
        'cl.clique_complex(cl.read("network.gml", weight="w"))'
        >>> Origin.of("karate", 3).command
        'karate --max-rank 3'
        """
        if network == "-":  # what came through a pipe is gone
            return cls()
        words, name = [network], json.dumps(network)
        words += [] if max_rank == 2 else ["--max-rank", str(max_rank)]
        words += [] if weight == AUTO else ["--weight", weight]
        if len(words) == 1:
            return cls(name, shlex.join(words))
        rank = "" if max_rank == 2 else f", {max_rank}"
        named = "None" if weight == "none" else json.dumps(weight)
        more = "" if weight == AUTO else f", weight={named}"
        if network in datasets.available():
            graph = f"cl.datasets.load({name}).graph"
            return cls(f"cl.clique_complex({graph}{rank}{more})", shlex.join(words))
        return cls(f"cl.clique_complex(cl.read({name}{more}){rank})", shlex.join(words))


def recipes(origin: Origin, S: CollapsedOperator, at: Settings, mass: str) -> dict[str, str]:
    """Return the code and the command; usual weights are left out, as both have them by default."""
    name, usual, clusters = at.realization, at.usual, at.clusters
    eps = "" if S.eps == 1e-4 else f", eps={S.eps!r}"
    beta, gamma = S.beta.tolist(), S.gamma.tolist()
    single = name in REALIZATIONS and REALIZATIONS[name].edgewise  # one gamma, theta
    weights = "" if usual else f", beta={beta}, gamma={gamma[0] if single else gamma}"
    python = "\n".join(
        [
            "import cellapse as cl",
            "",
            f'S = cl.collapse({origin.python}, "{name}"{weights}{eps})',
            f'clusters = cl.cluster(S, {clusters}, mass="{mass}")',
        ]
    )
    settings: list[Any] = [] if S.eps == 1e-4 else ["--eps", S.eps]
    if not usual:
        settings += ["--beta", _listed(beta), "--gamma", _listed(gamma[:1] if single else gamma)]
    options = ["-k", clusters, "--operator", name, *settings, "--mass", mass]
    command = f"cellapse cluster {origin.command} {shlex.join(map(str, options))}"
    return {"python": python, "command": command if origin.command else ""}


def _listed(values: list[float]) -> str:
    return ",".join(f"{v!r}" for v in values)
