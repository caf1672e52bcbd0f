"""What `tools/check_reproduction.py` accepts, and what it finds wrong."""

import importlib.util
from pathlib import Path

import pytest

from cellapse.experiments.tables import blocks, denoising, networks

TOOL = Path(__file__).parents[2] / "tools" / "check_reproduction.py"
specification = importlib.util.spec_from_file_location("check_reproduction", TOOL)
check = importlib.util.module_from_spec(specification)
specification.loader.exec_module(check)


def as_published(shift=0.0):
    """Results of the five networks that meet the paper's figures, or ours, but for a shift."""
    results = []
    for network, paper in networks.PAPER.items():
        figures = {
            name: check.OURS.get(("networks", f"{name}, {network}"), figure) + shift
            for name, figure in paper.items()
        }
        results += [({"network": network, "seed": seed}, {"paper": figures}) for seed in (0, 1)]
    return results


def test_what_is_published_is_found():
    assert check.differences("networks", as_published()) == (15, [])
    assert check.differences("networks", as_published(0.02)) == (15, [])


def test_what_differs_is_named():
    count, wrong = check.differences("networks", as_published(0.05))
    assert (count, len(wrong)) == (15, 15)
    assert "mixed, karate" in "".join(wrong)


def test_a_mean_may_differ_by_its_spread():
    strict = [({"model": "Base"}, {"paper": dict.fromkeys(blocks.PAPER, 0.70)})]
    loose = [({"model": "Base"}, {"paper": dict.fromkeys(blocks.PAPER, x)}) for x in (0.5, 0.9)]
    others = [
        ({"model": m}, {"paper": {n: check.OURS.get(("blocks", f"{n}, {m}"), p[i]) for n, p in
         blocks.PAPER.items()}}) for i, m in enumerate(blocks.CHOSEN) if m != "Base"
    ]  # fmt: skip
    assert len(check.differences("blocks", strict + others)[1]) == 3
    assert check.differences("blocks", loose + others)[1] == []


def test_nothing_passes_for_nan():
    errors = {n: [float("nan")] for n in denoising.PAPER}
    results = [({"shortcuts": m, "seed": 0}, {"errors": errors}) for m in denoising.SHORTCUTS]
    assert len(check.differences("denoising", results)[1]) == 12


def test_missing_runs_are_said(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(check, "_installed", lambda: ["compression", "networks"])
    assert check.main(tmp_path) == 1
    said = capsys.readouterr().out
    assert "compression: 5 of 5 runs are missing" in said
    assert "report.html" in said


@pytest.mark.parametrize("name", check.COMPARED)
def test_every_figure_of_ours_belongs_to_a_table_that_is_compared(name):
    assert {table for table, _ in check.OURS} <= set(check.COMPARED)
    assert name in check.TABLES
