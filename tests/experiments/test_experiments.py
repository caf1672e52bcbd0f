"""The paper's tables at reduced size: figures within their spread, runs that survive a kill."""

import json
import os
import signal
import subprocess
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import cellapse as cl
from cellapse.experiments import TABLES, reproduce
from cellapse.experiments.protocol.candidates import CANDIDATES, weighted
from cellapse.experiments.protocol.chains import by_class, chains
from cellapse.experiments.protocol.cuts import fair_verdict
from cellapse.experiments.protocol.operators import FAIR, WORDS, mixed_collapse
from cellapse.experiments.protocol.page import page
from cellapse.experiments.protocol.pictures import lines, strips
from cellapse.experiments.protocol.runner import (
    Run,
    code_of,
    finished,
    perform,
    perform_all,
    write_whole,
)
from cellapse.experiments.protocol.scores import Figure, compare, scores
from cellapse.experiments.protocol.table import Row, Table
from cellapse.experiments.tables import (
    blocks,
    compression,
    contacts,
    denoising,
    mantra,
    networks,
    proteins,
    robustness,
    runtime,
    search,
    sweep,
    teaser,
    unseen,
)


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        yield


def results(experiment, arguments):
    return [(a, experiment.run(**a)) for a in arguments]


def mean(values):
    return float(np.mean(list(values)))


# Scores


def test_scores_of_a_perfect_and_of_a_useless_clustering():
    known = [0, 0, 0, 1, 1, 2]
    perfect = scores([2, 2, 2, 0, 0, 1], known)
    assert all(v == pytest.approx(1.0) for v in perfect.values())
    useless = scores([0] * 6, known)
    assert useless["accuracy"] == 0.5
    assert useless["balanced"] == pytest.approx(1 / 3)
    assert useless["ari"] == pytest.approx(0.0)


def test_balanced_accuracy_weighs_groups_not_vertices():
    known = [0] * 8 + [1] * 2
    found = [0] * 8 + [0, 1]
    assert scores(found, known)["accuracy"] == 0.9
    assert scores(found, known)["balanced"] == pytest.approx(0.75)


def test_figure_and_comparison_by_hand():
    assert str(Figure.of([0.5])) == "0.500"
    assert str(Figure.of([0.4, 0.6])) == "0.500 ± 0.141"
    difference = compare([1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5.5])
    assert difference.difference == pytest.approx(5.5 / 6)
    assert difference.p_value == pytest.approx(1 / 32)  # all six on one side
    assert "is better" in difference.sentence("a", "b")
    assert "is worse" in difference.sentence("a", "b", higher_is_better=False)
    assert "not differ significantly" in compare([1.0, 2.0], [2.0, 1.0]).sentence("a", "b")


def test_repetitions_within_a_unit_are_no_new_evidence():
    fair = {name: {"accuracy": 0.5} for name in FAIR}
    better = {**fair, "renormalized": {"accuracy": 0.6}}
    found = [({"network": n, "seed": s}, {"fair": better}) for n in "ab" for s in range(50)]
    assert "not differ significantly" in fair_verdict(found, "network")
    assert "renormalized is better" in fair_verdict(found, "seed")


# Operators


def test_dense_mixed_collapse_is_the_operator_of_the_engine():
    graph = cl.datasets.load("karate").graph
    for K in (
        cl.clique_complex(graph),
        cl.clique_complex(graph, 3, cliques_as_rank2=True),
        cl.clique_complex(graph, 1),
        cl.clique_complex(cl.datasets.load("dolphins").graph),  # more edges than triangles
        cl.clique_complex(cl.datasets.load("polbooks").graph),  # more triangles than edges
    ):
        for eps, beta in ((1e-4, 1.0), (0.5, 10.0)):
            weights = (beta, 1.0)[: K.max_rank]
            S = cl.collapse(K, realization="mixed", eps=eps, beta=weights)
            assert np.allclose(mixed_collapse(K, eps, beta).toarray(), S.toarray(), atol=1e-8)


def test_every_operator_has_words_and_is_positive_semidefinite():
    assert set(WORDS) == set(FAIR)
    K = cl.clique_complex(cl.datasets.load("karate").graph)
    for operator in FAIR.values():
        assert operator(K).spectrum().values[0] > -1e-9


# The paper's figures, within their spread, at reduced size


def test_denoising_figures_of_the_paper():
    found = results(denoising, [{"shortcuts": m, "seed": s} for s in range(3) for m in (0, 200)])
    for i, m in ((0, 0), (3, 200)):
        for name in ("laplacian", "mixed"):
            ours = mean(r["errors"][name][0] for a, r in found if a["shortcuts"] == m)
            assert abs(ours - denoising.PAPER[name][i]) < 0.015
    # what the paper does not show: tuned, the reweighted forms are ahead of S
    worst = [r for a, r in found if a["shortcuts"] == 200]
    tuned = {n: min(np.mean([r["errors"][n] for r in worst], axis=0)) for n in FAIR}
    assert tuned["renormalized"] < tuned["mixed"] < tuned["laplacian"]
    assert abs(tuned["mixed"] - tuned["face-free"]) < 0.005


def test_cross_validation_comes_close_to_the_best_strength():
    found = results(denoising, [{"shortcuts": 0, "seed": s} for s in range(2)])
    chosen = denoising.cross_validated(found, 0, ["laplacian"])
    best = [min(r["errors"]["laplacian"]) for _, r in found]
    assert mean(chosen) < 1.5 * mean(best)


@pytest.mark.parametrize(
    "network",
    ["karate", *(pytest.param(n, marks=pytest.mark.slow) for n in ("football", "polbooks"))],
)
def test_network_figures_of_the_paper(network):
    r = networks.run(network, 0)
    for name in ("laplacian", "mixed"):
        assert abs(r["paper"][name] - networks.PAPER[network][name]) < 0.05
    wanted = {"karate": 0.941, "football": 0.913, "polbooks": 0.829}
    assert r["fair"]["laplacian"]["accuracy"] == pytest.approx(wanted[network], abs=0.002)
    screened = {"karate": 0.971, "football": 0.913, "polbooks": 0.848}
    assert r["fair"]["screened"]["accuracy"] == pytest.approx(screened[network], abs=0.011)


def test_block_figures_of_the_paper():
    models = ("Plt", "Br")
    found = results(blocks, [{"model": m, "seed": s} for m in models for s in range(2)])
    paper = mean(blocks.PAPER["laplacian"][list(blocks.CHOSEN).index(m)] for m in models)
    assert abs(mean(r["paper"]["laplacian"] for _, r in found) - paper) < 0.1
    # with k eigenvectors all but solved, by L as well
    assert mean(r["fair"]["laplacian"]["accuracy"] for _, r in found) > 0.98


def test_sweep_figures_of_the_paper():
    found = [r for _, r in results(sweep, [{"ratio": 0.05, "seed": s} for s in range(4)])]
    _, S, inside = sweep.PAPER[0.05]
    assert abs(mean(r["paper"]["mixed"] for r in found) - S) < 0.15
    assert abs(100 * mean(r["inside"] for r in found) - inside) < 4
    assert mean(r["fair"]["laplacian"]["accuracy"] for r in found) > 0.97


def test_protein_figures_of_the_paper():
    names = cl.datasets.available_proteins()[::9]
    found = [r["scores"] for _, r in results(proteins, [{"protein": n, "seed": 0} for n in names])]
    assert abs(mean(r[proteins.BACKBONE]["accuracy"] for r in found) - 0.469) < 0.06
    S = mean(r["mixed"]["accuracy"] for r in found)
    assert abs(S - 0.709) < 0.06
    # the same edges, no collapse
    assert abs(S - mean(r["laplacian"]["accuracy"] for r in found)) < 0.01


def test_surface_figures_of_the_paper():
    r = mantra.run(1500, 0)
    assert abs(r["accuracy"]["laplacian"]["b1"] - 0.92) < 0.04
    assert abs(r["accuracy"]["S unsigned"]["b1"] - 0.95) < 0.04
    assert r["accuracy"]["cell counts"]["b1"] > 0.9
    assert r["distinct"]["S unsigned"] == 1500 > r["distinct"]["laplacian"]


def test_every_surface_has_a_spectrum_of_its_own_under_unsigned_s_but_not_under_l():
    features = mantra.all_features(cl.datasets.triangulated_surfaces(9))
    distinct = {n: len(np.unique(X.round(6), axis=0)) for n, X in features.items()}
    assert distinct["S unsigned"] == 712 > distinct["laplacian"]


def test_stacked_spectra_are_those_of_single_surfaces():
    surfaces = cl.datasets.triangulated_surfaces(8)
    features = mantra.all_features(surfaces)
    operators = {
        "laplacian": cl.graph_laplacian,
        "signless": cl.signless_laplacian,
        "multiorder": cl.multiorder_laplacian,
        "S unsigned": lambda K: cl.collapse(K, realization="incidence"),
    }
    for i in range(0, len(surfaces), 7):
        K = surfaces.complex(i)
        for name, operator in operators.items():
            single = np.linalg.eigvalsh(operator(K).toarray())
            assert np.allclose(features[name][i, : K.n_vertices], single, atol=1e-7)


def test_robustness_renormalized_holds_out_longer_than_l():
    cases = [
        {"network": n, "noise": 60, "seed": s} for n in ("karate", "polbooks") for s in range(3)
    ]
    found = [r["fair"] for _, r in results(robustness, cases)]
    gain = mean(r["renormalized"]["accuracy"] - r["laplacian"]["accuracy"] for r in found)
    assert 0.01 < gain < 0.15


def test_eigenvalues_and_conductances_never_grow():
    for _, r in results(compression, [{"network": n} for n in ("karate", "dolphins")]):
        L = np.array(r["laplacian"]["values"])
        for name in compression.OPERATORS:
            assert (np.array(r[name]["values"]) <= L + 1e-9).all()
            assert r[name]["kept"]["largest"] <= 1 + 1e-9


def test_conductance_of_a_triangle_by_hand():
    K = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]]})
    assert np.allclose(compression.conductances(cl.graph_laplacian(K)), 1.5)


def test_paper_method_finds_the_same_and_stops_at_its_limit():
    r = runtime.run([100, 300, 60], limit=600, seed=0)
    assert r["residual"] < 1e-8
    assert r["direct"] > 0
    S = cl.collapse(runtime.complex_like(100, 300, 60, 0), realization="mixed", eps=1e-2)
    assert r["difference"] < 1e-6
    assert runtime.papers_method(S, direct=False, limit=0.0) == (None, None)


def test_a_factorization_that_would_take_too_long_is_not_begun(monkeypatch):
    S = cl.collapse(runtime.complex_like(800, 4434, 741, 0), realization="mixed", eps=1e-2)
    monkeypatch.setattr(runtime, "splu", lambda matrix: pytest.fail("begun"))
    assert runtime.papers_method(S, direct=True, limit=1.0) == (None, None)


def test_complex_like_has_about_the_wanted_counts():
    K = runtime.complex_like(400, 1650, 296, 0)
    _, edges, triangles = K.n_cells
    assert K.components().max() == 0
    assert abs(edges - 1650) < 150
    assert abs(triangles - 296) < 60


def test_modes_of_elements_and_of_noise_by_hand():
    dssp = np.array(list("H" * 12 + "E" * 9 + "C" * 7 + "H" * 10))
    groups = proteins.elements(dssp)
    assert np.bincount(groups).tolist() == [12, 9, 7, 10]
    rng = np.random.default_rng(0)
    level = rng.standard_normal((4, 3))[groups]
    assert teaser.between(level, groups) == pytest.approx(1.0)
    assert teaser.excess(level, dssp) > 0.2
    noise = [teaser.excess(rng.standard_normal((38, 3)), dssp) for _ in range(50)]
    assert abs(mean(noise)) < 0.03


def test_colours_do_not_depend_on_signs_and_order_of_modes():
    X = teaser.modes(cl.graph_laplacian(cl.datasets.load_protein("1UBQ").complex()))
    turned = X[:, ::-1] * np.where(np.arange(X.shape[1]) % 2, 1.0, -1.0)
    first, second = teaser.colours([X, turned])
    assert first == second


def test_a_chain_is_drawn_once_a_panel_with_the_colours_of_its_classes():
    protein = cl.datasets.load_protein("1UBQ")
    drawn = chains("<a>", protein, {"<one>": by_class(protein), "two": by_class(protein)})
    assert drawn.count("<path") == 2 * len(protein)
    assert drawn.count("#c23b3b") == 2 * (protein.dssp == "H").sum()
    assert "<a>" not in drawn
    assert "<one>" not in drawn


def test_cells_with_weights_of_their_own_are_among_the_candidates():
    K = cl.clique_complex(cl.datasets.load("karate").graph)
    plain = CANDIDATES["screened .9, 1"](K).toarray()
    for by in ("degree", "overlap"):
        S = CANDIDATES[f"screened .9, 1, cells by {by}"](K)
        assert abs(S.toarray() - plain).max() > 0.01
        assert S.spectrum().values[0] > -1e-9
    # Two triangles that share an edge, and a tail at one end of it.
    kite = cl.clique_complex([(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (0, 4)])
    assert np.allclose(weighted(kite, "degree").weights[2], 2.4 / (4 * 3 * 2) ** (1 / 3))
    shares = np.array([2 / 5, 1 / 5, 1 / 4])  # of both ends' neighbours, the ends themselves too
    assert np.allclose(weighted(kite, "overlap").weights[2], shares.prod() ** (1 / 3))
    no_triangles = cl.clique_complex([(0, 1), (1, 2)])
    CANDIDATES["screened .9, 1, cells by overlap"](no_triangles)


def test_the_choice_without_labels_holds_up_on_unseen_tasks():
    tasks = ("caves 0.45", "unequal 0.06")
    found = results(unseen, [{"task": t, "seed": s} for t in tasks for s in range(2)])
    scored = {n: mean(r["accuracy"][n] for _, r in found) for n in unseen.METHODS}
    assert scored[unseen.CHOSEN] > scored["laplacian"] - 0.02
    assert scored[unseen.CHOSEN] > 0.85
    table = unseen.summarize(found)
    assert [row[0] for row in table.details[0].rows] == list(tasks)
    assert f"{unseen.CHOSEN} {scored[unseen.CHOSEN]:.3f}" in table.rows[0].fair


def test_noise_is_a_share_of_the_edges(monkeypatch):
    asked = []

    def spy(A, more, seed):
        asked.append(more)
        return A

    monkeypatch.setattr(robustness, "add_shortcuts", spy)
    robustness.run("karate", 50, 0)
    assert asked == [39]  # of 78


def test_a_grid_is_searched_by_labels_or_by_modularity():
    points = [[0.9, 0.1], [0.7, 0.4], [0.8, 0.2]]  # accuracy, modularity
    found = [({"network": "karate"}, {"grid": {"mixed": points}})]
    assert networks.chosen(found, "mixed", 0, network="karate") == [0.9]
    assert networks.chosen(found, "mixed", 1, network="karate") == [0.7]


def test_choices_and_wins_of_the_search_by_hand():
    def result(best):
        return {
            "candidates": {
                name: {"accuracy": 0.9 if name == best else 0.89, "modularity": i, "gap": -i}
                for i, name in enumerate(CANDIDATES)
            }
        }

    names = list(CANDIDATES)
    found = [({"task": "a"}, result(names[0])), ({"task": "b"}, result(names[-1]))]
    assert search.chosen_by(found, "modularity") == [0.89, 0.9]
    assert search.chosen_by(found, "gap") == [0.9, 0.89]
    assert search.chosen_by(found, "accuracy") == [0.9, 0.9]
    table = search.summarize(found)
    wins = {row[0]: row[2] for row in table.details[0].rows}
    assert (wins[names[0]], wins[names[1]], wins[names[-1]]) == ("1", "0", "1")
    assert table.rows[0].meaning.count("not differ significantly") == 3


@pytest.mark.slow
def test_graph_networks_need_the_degrees():
    pytest.importorskip("torch_geometric", reason="GCN and GAT need the extra torch")
    from cellapse.experiments.tables import mantra_networks

    few = {"n_surfaces": 1000, "epochs": 60, "seed": 0}
    blind, seeing = (mantra_networks.run("GCN", f, **few) for f in ("random", "degree"))
    assert blind["accuracy"]["b1"] < blind["majority"]["b1"] + 0.15
    assert seeing["accuracy"]["b1"] > 0.75
    few["epochs"] = 1
    found = [
        ({**few, "network": n, "features": f}, mantra_networks.run(n, f, **few))
        for n in mantra_networks.NETWORKS
        for f in mantra_networks.FEATURES
    ]
    assert [row.label for row in mantra_networks.summarize(found).rows] == ["GCN", "GAT"]


def test_contacts_run_where_the_data_is(monkeypatch):
    def missing(name):
        raise cl.MissingExtraError("none")

    if contacts.arguments(True):
        found = contacts.run("workplace", 1)["fair"][0]
        assert found["laplacian"]["accuracy"] > 0.6
        cases = [
            ({"hypergraph": n, "starts": 1}, {"fair": [found]}) for n in ("workplace", "highschool")
        ]
        gain = found["mixed"]["accuracy"] - found["projection"]["accuracy"]
        assert f"mixed {gain:+.3f}" in contacts.summarize(cases).rows[0].meaning
    monkeypatch.setattr(contacts, "load_contacts", missing)
    assert contacts.arguments(True) == []


# Summaries


@pytest.mark.parametrize(
    ("experiment", "cases"),
    [
        (denoising, [{"shortcuts": m, "seed": s} for m in denoising.SHORTCUTS for s in (0, 1)]),
        (networks, [{"network": n, "seed": 0} for n in cl.datasets.available()]),
        (blocks, [{"model": m, "seed": 0} for m in blocks.CHOSEN]),
        (sweep, [{"ratio": r, "seed": 0} for r in sweep.PAPER]),
        (
            robustness,
            [
                {"network": n, "noise": m, "seed": 0}
                for n in cl.datasets.available()
                for m in robustness.NOISE
            ],
        ),
        (mantra, [{"n_surfaces": 400, "seed": 0}]),
        (proteins, [{"protein": n, "seed": 0} for n in ("1UBQ", "1HEL")]),
        (teaser, [{"protein": n} for n in ("1UBQ", "1HEL")]),
        (compression, [{"network": "karate"}]),
        (search, [{"task": t, "seed": 0} for t in ("karate 50 %", "Base", "q/p .3")]),
    ],
)
@pytest.mark.slow
def test_summaries_have_four_columns(experiment, cases):
    table = experiment.EXPERIMENT.summarize(results(experiment, cases))
    assert table.rows
    for row in table.rows:
        assert all((row.label, row.paper, row.here, row.fair, row.meaning))
    for detail in table.details:
        assert all(len(row) == len(detail.head) for row in detail.rows)
    assert all(picture.startswith(("<svg", "<figure><svg")) for picture in table.pictures)


def test_pictures_escape_what_they_show():
    for svg in (lines("<a>", {"<b>": [1, 2]}, "x", "y"), strips("<a>", {"<b>": [0, 0, 1]})):
        assert "<a>" not in svg
        assert "&lt;b&gt;" in svg


def test_the_page_escapes_what_it_shows_and_gives_every_figure_a_line():
    row = Row("<r>", "L 0.1\nS 0.2 ± 0.1", "<here>", "<fair>", "<meaning>")
    html = page([Table("<title>", "<about>", (row,))], quick=True)
    for word in ("r", "here", "fair", "meaning", "about"):
        assert f"<{word}>" not in html
        assert f"&lt;{word}&gt;" in html
    assert "<div>L 0.1</div><div>S 0.2&nbsp;±&nbsp;0.1</div>" in html


def test_every_table_lists_runs_with_plain_arguments():
    for experiment in TABLES.values():
        quick, full = experiment.arguments(True), experiment.arguments(False)
        assert len(full) >= len(quick)
        for a in quick:
            assert json.loads(json.dumps(a)) == a
        files = {Run("t", experiment.run, a).file(Path()) for a in full}
        assert len(files) == len(full)


# Runs that can be interrupted


def double(x):
    return {"twice": 2 * x}


def test_a_finished_run_is_not_repeated(tmp_path):
    calls = []

    def counted(x):
        calls.append(x)
        return {"twice": 2 * x}

    runs = [Run("t", counted, {"x": x}) for x in range(3)]
    for _ in range(2):
        assert sorted(r["twice"] for _, r in perform_all(runs, tmp_path)) == [0, 2, 4]
    assert calls == [0, 1, 2]


def test_two_processes_give_the_same(tmp_path):
    runs = [Run("t", double, {"x": x}) for x in range(4)]
    with ProcessPoolExecutor(2) as pool:
        assert sorted(r["twice"] for _, r in perform_all(runs, tmp_path, pool)) == [0, 2, 4, 6]
    assert all(finished(run, tmp_path) is not None for run in runs)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"result": {}}'])
def test_a_broken_file_is_computed_again(tmp_path, content):
    run = Run("t", double, {"x": 1})
    perform(run, tmp_path)
    run.file(tmp_path).write_text(content)
    assert finished(run, tmp_path) is None
    assert list(perform_all([run], tmp_path)) == [(run, {"twice": 2})]


def test_a_file_of_other_arguments_or_older_code_is_not_taken(tmp_path):
    run = Run("t", double, {"x": 1})
    perform(run, tmp_path)
    record = json.loads(run.file(tmp_path).read_text())
    for change in ({"arguments": {"x": 2}}, {"code": "0.0.1-older"}):
        assert finished(run, tmp_path) is not None
        changed = json.dumps({**record, **change})
        run.file(tmp_path).write_text(changed)
        assert finished(run, tmp_path) is None
        run.file(tmp_path).write_text(json.dumps(record))


def test_results_go_out_of_date_with_the_files_that_a_run_imports(monkeypatch):
    from cellapse.experiments.protocol import runner

    def code():
        code_of.cache_clear()
        return code_of(search.run)

    before, read = code(), Path.read_bytes
    assert code() == before
    for name, changes in (("candidates.py", True), ("search.py", True), ("sweep.py", False)):
        monkeypatch.setattr(
            runner.Path,
            "read_bytes",
            lambda path, name=name: read(path) + (b"#" if path.name == name else b""),
        )
        assert (code() != before) == changes
    monkeypatch.undo()
    code()


def test_progress_names_the_table_and_is_shown_when_asked_for(tmp_path, monkeypatch):
    module = sys.modules["cellapse.experiments.main"]
    said = []

    def spy(steps, total, what, show):
        said.append((total, what, show))
        return steps

    monkeypatch.setattr(module, "shown", spy)
    reproduce(["compression"], folder=tmp_path, progress=True, quick=True, n_jobs=1)
    assert said == [(5, "compression (table 1 of 1)", True)]
    next((tmp_path / "results" / "compression").glob("*.json")).unlink()
    reproduce(["compression"], folder=tmp_path, quick=True, n_jobs=1)
    assert said[1:] == [(1, "compression (table 1 of 1)", None)]  # the time left is of what is left


def test_names_of_files_stay_within_the_folder(tmp_path):
    run = Run("t", double, {"x": "../../etc/passwd"})
    assert run.file(tmp_path).parent == tmp_path / "t"


def test_writing_leaves_nothing_half_done(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    write_whole(path, "first")

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, "second")
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]
    assert path.read_text() == "first"


KILLED = """
import sys
from pathlib import Path
from cellapse.experiments.protocol.runner import Run, perform_all

def slow(x):
    print("computed", flush=True)
    if x == 6:
        sys.stdin.read()  # until killed; the second time there is nothing to read
    return {"x": x}

runs = [Run("t", slow, {"x": x}) for x in range(40)]
for _ in perform_all(runs, Path(sys.argv[1])):
    print("one", flush=True)
"""


def test_a_killed_process_loses_nothing(tmp_path):
    (tmp_path / "script.py").write_text(KILLED)
    command = [sys.executable, str(tmp_path / "script.py"), str(tmp_path / "out")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        for _ in range(13):  # two lines a run, and one of the run that is never finished
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "out" / "t").glob("*.json")}
    assert len(before) == 6
    again = subprocess.run(command, input="", capture_output=True, text=True, check=True)
    assert again.stdout.count("one") == 40
    assert again.stdout.count("computed") == 40 - len(before)
    after = list((tmp_path / "out" / "t").glob("*.json"))
    assert sorted(json.loads(p.read_text())["result"]["x"] for p in after) == list(range(40))
    assert all(p.stat().st_mtime_ns == t for p, t in before.items())


def test_reproduce_writes_results_and_a_report(tmp_path, capfd, monkeypatch):
    report = reproduce(["compression"], folder=tmp_path, quick=True, n_jobs=1)
    html = report.read_text(encoding="utf-8")
    assert len(list((tmp_path / "results" / "compression").glob("*.json"))) == 5
    for part in ("The paper", "Its protocol here", "A fair protocol", "What it means", "karate"):
        assert part in html
    assert "http" not in html.replace("http-equiv", "")
    assert "<script" not in html
    assert capfd.readouterr().err == ""  # no terminal, not asked for

    def refused(*_):
        raise AssertionError("computed anew")

    monkeypatch.setattr("cellapse.experiments.protocol.runner.perform", refused)
    again = reproduce(["compression"], folder=tmp_path, quick=True, n_jobs=1).read_text(
        encoding="utf-8"
    )
    assert again == html


@pytest.mark.parametrize(
    "change", [{"tables": ["denoise"]}, {"n_jobs": 0}, {"tables": [3]}, {"n_jobs": True}]
)
def test_reproduce_refuses_what_it_does_not_know(tmp_path, change):
    with pytest.raises(cl.InputError):
        reproduce(**{"folder": tmp_path, "quick": True, "n_jobs": 1, **change})


def test_reproduce_says_when_a_folder_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(cl.InputError, match="write"):
        reproduce(["compression"], folder=tmp_path / "file", quick=True, n_jobs=1)


def test_experiments_are_imported_only_on_request():
    code = "import cellapse, sys; print('cellapse.experiments' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert answer.stdout.strip() == "False"
