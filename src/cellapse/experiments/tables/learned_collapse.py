"""Whether beta, gamma, eps and weights of edges that are learned beat the fixed operator.

Two tasks for the filter (I + s S)^-1. Denoising: signals of one family on a geometric graph with
shortcuts; the filter is learned on eight of them and measured on others. Labels: a fifth of the
people of a contact hypergraph, or of the papers of Cora, have a known group; the filter spreads it
to the others, learned by hiding half of those known. "weights" learn one number for each edge,
"numbers" a handful; the graph Laplacian gets the same. Needs the extra `torch`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._complex.complex import Complex
from cellapse._errors import InputError, MissingExtraError, extra
from cellapse.datasets.contacts import load_contacts
from cellapse.datasets.cora import load_cora
from cellapse.datasets.generators import add_shortcuts, geometric_graph
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure, compare
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table, pick
from cellapse.lifts import clique_complex

# The realization of each model; the graph Laplacian is a screened one without any coupling.
MODELS = {"laplacian": "screened", "screened": "screened", "unfolded": "unfolded"}
LEARNED = ("strength", "numbers", "weights")
_LABELS = ("workplace", "highschool", "cora")


def arguments(quick: bool) -> list[Arguments]:
    """Leave out labels where the packages that bring the data are not installed."""
    tasks = ["denoising"]
    for name in _LABELS[: 1 if quick else None]:  # the larger ones take long
        with suppress(MissingExtraError, InputError):
            _labelled(name)
            tasks.append(name)
    seeds = range(2 if quick else 10)
    return [{"task": task, "seed": seed, "steps": 100} for task in tasks for seed in seeds]


def run(task: str, seed: int, steps: int) -> Result:
    """The error on what was not shown, for every model and every set of learned parameters."""
    learn = _denoising if task == "denoising" else _labels
    errors = {f"{m}, {w}": learn(task, m, w, seed, steps) for m in MODELS for w in LEARNED}
    return {"error": errors}


def _filter(K: Complex, model: str, learned: str) -> tuple[Any, Any, list[Any]]:
    """Return a layer, the logarithm of its strength, and the parameters that are learned."""
    with extra("torch", "torch"):
        import torch

    from cellapse.torch import Collapse

    ranks = [1] if learned == "weights" else []
    layer = Collapse(K, realization=MODELS[model], eps=1e-2, learn_weights=ranks)
    if model == "laplacian":
        layer.gamma_share.data.zero_()  # theta = 0: the graph Laplacian
        layer.gamma_share.requires_grad_(False)
    strength = torch.nn.Parameter(torch.zeros((), dtype=torch.float64))
    chosen = [strength] if learned == "strength" else [strength, *layer.parameters()]
    for p in layer.parameters():
        p.requires_grad_(learned != "strength" and p.requires_grad)
    return layer, strength, [p for p in chosen if p.requires_grad]


def _denoising(task: str, model: str, learned: str, seed: int, steps: int) -> float:
    import torch

    rng = np.random.default_rng(seed)
    points, A = geometric_graph(200, 0.12, rng)
    K = clique_complex(add_shortcuts(A, 100, rng))
    phase = rng.uniform(0, 2 * np.pi, (2, 28))
    waves = np.sin(3 * points[:, :1] + phase[0]) + np.cos(3 * points[:, 1:] + phase[1])
    clean = torch.from_numpy(waves)
    noisy = clean + 0.5 * torch.from_numpy(rng.standard_normal(clean.shape))
    layer, strength, parameters = _filter(K, model, learned)
    optimizer = torch.optim.Adam(parameters, lr=0.05)
    for _ in range(steps):
        optimizer.zero_grad()
        smooth = layer.solve(noisy[:, :8], strength.exp())
        (smooth - clean[:, :8]).square().mean().backward()
        optimizer.step()
    with torch.no_grad():
        smooth = layer.solve(noisy[:, 8:], strength.exp())
        return float((smooth - clean[:, 8:]).square().mean())


def _labelled(name: str) -> tuple[Complex, NDArray[Any]]:
    """Return a complex, and the group of each vertex."""
    data = load_cora() if name == "cora" else load_contacts(name)
    return data.complex(), data.groups


def _labels(task: str, model: str, learned: str, seed: int, steps: int) -> float:
    import torch

    rng = np.random.default_rng(seed)
    K, codes = _labelled(task)
    groups = torch.from_numpy(np.unique(codes, return_inverse=True)[1])
    order = rng.permutation(len(groups))
    known, rest = order[: len(order) // 5], order[len(order) // 5 :]
    onehot = torch.nn.functional.one_hot(groups).double()
    layer, strength, parameters = _filter(K, model, learned)
    strength.data.fill_(2.0)  # labels have to travel
    optimizer = torch.optim.Adam(parameters, lr=0.05)

    def spread(shown: Any) -> Any:
        given = torch.zeros_like(onehot)
        given[shown] = onehot[shown]
        score = layer.solve(given, strength.exp()).clamp_min(1e-9)
        return (score / score.sum(1, keepdim=True)).log()

    for _ in range(steps):
        shown, hidden = np.array_split(rng.permutation(known), 2)
        optimizer.zero_grad()
        loss: Any = torch.nn.functional.nll_loss(spread(shown)[hidden], groups[hidden])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        return float((spread(known)[rest].argmax(1) != groups[rest]).double().mean())


def summarize(results: Results) -> Table:
    rows, details = [], []
    for task in {a["task"]: None for a, _ in results}:
        runs = [r["error"] for r in pick(results, task=task)]
        names = [f"{m}, {w}" for m in MODELS for w in LEARNED]
        error = {n: [f[n] for f in runs] for n in names}
        best = names[int(np.argmin([np.mean(error[n]) for n in names]))]
        same = compare(error["screened, weights"], error["laplacian, weights"])
        gain = compare(error["screened, numbers"], error["screened, strength"])
        words = {"higher_is_better": False}
        rows.append(
            Row(
                task,
                "not in the paper",
                f"fixed: L {Figure.of(error['laplacian, strength'])}, "
                f"screened {Figure.of(error['screened, strength'])}",
                f"best: {best} {Figure.of(error[best])}",
                f"With one weight per edge, {same.sentence('screened', 'the graph', **words)}; "
                f"{gain.sentence('screened with learned numbers', 'the fixed one', **words)}.",
            )
        )
        details += [(task, n, str(Figure.of(error[n]))) for n in names]
    return Table(
        "Learned operators",
        "Mean squared error of denoising, share of wrong labels; spread over seeds. The strength "
        "is learned everywhere.",
        tuple(rows),
        (Detail("All models", ("task", "operator, what is learned", "error"), tuple(details)),),
    )


EXPERIMENT = Experiment("learned-collapse", arguments, run, summarize, extra="torch")
