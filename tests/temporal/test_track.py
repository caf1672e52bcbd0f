"""The verb that follows a network, and its page."""

import csv
import json
from itertools import combinations

import pytest
from browser import keep, opened, until

import cellapse as cl
from cellapse import report, temporal


@pytest.fixture
def contacts(tmp_path):
    """Two groups of eight that meet every hour; at six o'clock half of each changes sides."""
    before = range(8), range(8, 16)
    after = range(4, 12), [*range(4), *range(12, 16)]
    rows = ["time,source,target"]
    for hour in range(12):
        for part in after if hour >= 6 else before:
            pairs = combinations(part, 2)
            rows += [f"2024-01-01 {hour:02d}:10,p{u},p{v}" for u, v in pairs]
        rows.append(f"2024-01-01 {hour:02d}:20,p0,p15")
    file = tmp_path / "contacts.csv"
    file.write_text("\n".join(rows))
    return file


def test_tables_and_report(run, contacts, tmp_path):
    out = tmp_path / "out"
    code, said, err = run("track", contacts, "--width", "1h", "-k", "2", "-o", out)
    assert (code, err) == (0, "")
    assert "changes at 2024-01-01 06:00:00" in said
    rows = list(csv.DictReader((out / "windows.csv").open()))
    assert [row["start"][11:13] for row in rows] == [f"{h:02d}" for h in range(12)]
    assert {row["groups"] for row in rows} == {"2"}
    assert float(rows[6]["change by groups"]) > 0.3 > float(rows[5]["change by groups"])
    groups = list(csv.DictReader((out / "groups.csv").open()))
    assert len(groups) == 12 * 16
    first = {row["node"]: row["group"] for row in groups if row["start"].endswith("00:00:00")}
    assert len({first[f"p{i}"] for i in range(8)}) == 1 != len(set(first.values()))
    assert (out / "report.html").stat().st_size > 10_000


def test_edges_with_their_trust(run, contacts, tmp_path):
    out = tmp_path / "out"
    assert run("track", contacts, "--width", "1h", "-k", "2", "--edges", "-o", out)[0] == 0
    rows = list(csv.DictReader((out / "edges.csv").open()))
    assert len(rows) == 6 * (2 * 28 + 1) + 6 * 2 * 28  # that pair is in one group later
    first = [row for row in rows if row["start"].endswith("00:00:00")]
    least = min(first, key=lambda row: float(row["trust"]))
    assert (least["source"], least["target"], float(least["trust"])) == ("p0", "p15", 0.0)
    code, _, err = run("track", contacts, "--width", "1h", "--edges")
    assert code == 2
    assert "-o" in err


def test_json_and_nothing_else(run, contacts):
    code, said, _ = run("track", contacts, "--width", "3h", "--step", "1h", "--json")
    found = json.loads(said)
    assert code == 0
    assert len(found["start"]) == len(found["edges"]) == 14
    assert found["changes"] == []


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--width", "soon"), "--width"),
        (("--width", "0"), "--width"),
        (("--width", "-1h"), "--width"),
        (("--width", "1h", "--step", "0"), "--step"),
        (("--width", "1h", "--time", "nothing"), "nothing"),
        (("--width", "1h", "--end", "nothing"), "nothing"),
        (("--width", "1h", "--operator", "nothing"), "nothing"),
        (("--width", "1h", "-k", "99"), "99"),
        (("--width", "0.000001s"), "--width"),
    ],
)
def test_what_is_wrong_is_said(run, contacts, arguments, word):
    code, said, err = run("track", contacts, *arguments)
    assert (code, said) == (2, "")
    assert word in err or word.removeprefix("--") in err


def test_a_file_without_times(run, tmp_path):
    file = tmp_path / "net.csv"
    file.write_text("source,target\na,b\n")
    assert run("track", file, "--width", "1h")[0] == 2


def test_the_page_goes_through_the_windows(contacts, tmp_path):
    T = cl.as_temporal(contacts)
    moments = list(cl.collapse_over_time(T, "1h", n_clusters=2))
    timeline = report.show_timeline(moments, "<b>half</b> & half")
    changes = temporal.find_changes(moments)
    file = report.write_timeline(timeline, tmp_path / "time.html", changes=changes)
    with opened(file.as_uri()) as page:
        until(page, lambda: page.locator("#network circle").count() == 16)
        assert page.inner_text("h1") == "<b>half</b> & half"
        assert page.inner_text("#when").startswith("2024-01-01 00:00 to")
        place = page.locator("#network circle").nth(3).get_attribute("cx")
        colour = page.locator("#network circle").nth(0).get_attribute("fill")
        page.keyboard.press("ArrowRight")
        assert page.inner_text("#when").startswith("2024-01-01 01:00 to")
        assert page.locator("#network circle").nth(3).get_attribute("cx") == place
        assert page.locator("#network circle").nth(0).get_attribute("fill") == colour
        page.keyboard.press("End")
        assert page.inner_text("#when").startswith("2024-01-01 11:00 to")
        assert page.locator("#change .change").count() == 1
        assert page.locator("#alluvial rect").count() == 24
        page.keyboard.press(" ")  # from the start again
        until(page, lambda: page.inner_text("#when").startswith("2024-01-01 02"))
        page.click("#play")
        keep(page, "timeline")
    assert "<iframe" in timeline._repr_html_()


def test_the_page_says_found_only_of_what_was_tested(contacts):
    timeline = report.show_timeline(cl.collapse_over_time(cl.as_temporal(contacts), "1h"))
    assert "permutation test." not in timeline.html()
    assert "not tested" in timeline.html()


@pytest.mark.parametrize(
    "call",
    [
        lambda: report.show_timeline([]),
        lambda: report.show_timeline(3),
        lambda: report.show_timeline([1]),
        lambda: report.write_timeline("timeline", "x.html"),
    ],
)
def test_what_makes_no_page_is_refused(call):
    with pytest.raises(cl.CellapseError):
        call()
