"""The experiments with networks, at a size that takes seconds."""

import json
import sys
from importlib import import_module

import pytest

import cellapse as cl

pytest.importorskip("torch_geometric", reason="networks need the extra torch")

from cellapse.experiments.protocol.runner import Run
from cellapse.experiments.tables import (
    learned_collapse,
    message_passing_cost,
    node_classification,
)

SMALL = {
    message_passing_cost: {"n": 60, "degree": 8, "channels": 4, "seed": 0},
    learned_collapse: {"task": "denoising", "seed": 0, "steps": 3},
    node_classification: {
        "task": "contacts",
        "network": "GCN",
        "split": "residues",
        "n_proteins": 4,
        "seed": 0,
        "epochs": 3,
    },
}


@pytest.mark.parametrize("module", SMALL, ids=lambda m: m.__name__.split(".")[-1])
def test_a_run_gives_figures_that_make_a_table(module, tmp_path):
    arguments = SMALL[module]
    experiment = module.EXPERIMENT
    result = json.loads(json.dumps(experiment.run(**arguments)))
    table = experiment.summarize([(arguments, result)])
    assert table.rows
    assert table.details[0].rows
    every = [
        Run(experiment.name, experiment.run, a).file(tmp_path) for a in module.arguments(False)
    ]
    assert len(set(every)) == len(every) >= len(module.arguments(True))


def test_without_torch_the_report_says_what_is_left_out(tmp_path, monkeypatch):
    reproduce = import_module("cellapse.experiments.main")
    monkeypatch.setattr(reproduce, "find_spec", lambda name: None)
    kept = reproduce._installed()
    torch_tables = {module.EXPERIMENT.name for module in SMALL}
    torch_tables |= {"mantra-networks", "gcn", "molecules"}
    assert set(reproduce.TABLES) - set(kept) == torch_tables
    monkeypatch.setattr(reproduce, "_installed", lambda: ["compression"])
    html = reproduce.reproduce(folder=tmp_path, quick=True, n_jobs=1).read_text(encoding="utf-8")
    assert "not installed" in html
    assert "message-passing-cost" in html
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(cl.MissingExtraError, match="torch"):
        reproduce.reproduce(["message-passing-cost"], folder=tmp_path, quick=True, n_jobs=1)


def test_a_learned_filter_is_repeatable():
    first, second = (learned_collapse.run("denoising", 1, 2) for _ in range(2))
    assert first == second


@pytest.mark.slow
def test_learned_weights_beat_the_fixed_operator_in_denoising():
    error = learned_collapse.run("denoising", 0, 60)["error"]
    for model in learned_collapse.MODELS:
        assert error[f"{model}, weights"] < error[f"{model}, strength"]


@pytest.mark.slow
def test_encodings_tell_residues_apart():
    found = node_classification.run("secondary structure", "GCN", "proteins", 20, 0, 40)
    assert found["accuracy"]["HKS of S, unfolded"] > found["majority"] + 0.2
