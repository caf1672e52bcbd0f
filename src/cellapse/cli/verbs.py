"""The verbs, in the order of `cellapse --help`: where each lives, and what it does in one line.

A verb is loaded when it is called, so that a user waits only for the one that is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from typer.core import TyperGroup
from typer.main import get_group


class Verb(NamedTuple):
    """The module of `cellapse.cli` that has it, and its line in the list: that of its docstring."""

    module: str
    line: str


VERBS = {
    "analyze": Verb("analyze", "The main job: collapse, cluster, compare, write a report."),
    "protein": Verb("analyze", "The same for a protein, shown in three dimensions."),
    "explore": Verb("analyze", "Open a page with sliders for spectrum and clusters."),
    "demo": Verb("demo", "What the collapse is good for, on a network with false edges."),
    "cluster": Verb("tasks", "Group the nodes by the normalized cut of an operator."),
    "embed": Verb("tasks", "Coordinates of the nodes: the first eigenvectors."),
    "encode": Verb("tasks", "Positional encodings of the nodes for a neural network."),
    "hks": Verb("tasks", "Heat-kernel signatures of the nodes."),
    "smooth": Verb("tasks", "Smooth a signal on the nodes."),
    "resistance": Verb("tasks", "Effective resistance: how badly nodes are connected."),
    "trust": Verb("trust", "How far each edge can be trusted; which are probably false."),
    "label": Verb("trust", "Spread a few known labels over all nodes."),
    "track": Verb("track", "Follow a network over time: groups, trust, changes."),
    "collapse": Verb("operators", "Collapse a network and check the paper's statements on it."),
    "reduce": Verb("reduction", "Reduce an operator to a few nodes; resistances stay."),
    "spectrum": Verb("operators", "Print the smallest eigenvalues, beside the graph Laplacian's."),
    "compare": Verb("operators", "All operators side by side: low spectrum, clusters, time."),
    "datasets": Verb("info", "List the bundled networks, hypergraphs and proteins."),
    "info": Verb("info", "Say what a network is: cells, components, where it comes from."),
    "convert": Verb("info", "Write a network in another format, as it is."),
    "lift": Verb("lift", "Lift a graph or points to a complex and write that."),
    "reproduce": Verb("reproduce", "Run the tables of the paper, by its protocol and a fair one."),
    "bench": Verb("reproduce", "Time every operator on a network, beside the graph Laplacian."),
}


class Verbs(TyperGroup):
    """The group of all verbs."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the verb itself: its module adds it to the program."""
        if cmd_name not in self.commands:
            # For a verb that is none, all are loaded: one of them may be what was meant.
            verbs = [VERBS[cmd_name]] if cmd_name in VERBS else VERBS.values()
            for verb in verbs:
                program = import_module(f"cellapse.cli.{verb.module}").app
            self.commands.update(get_group(program).commands)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list in --help, for which nothing has to be loaded."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, verb.line) for name, verb in VERBS.items()])
