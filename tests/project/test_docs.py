"""The examples on the pages in docs/ run, one after the other on each page."""

import gzip
import re
from pathlib import Path

import networkx as nx
import pytest
from io_seeds import DATA

PAGES = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_run_and_print_what_is_shown(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    nx.write_gml(nx.les_miserables_graph(), "network.gml")
    Path("1ubq.pdb").write_bytes(gzip.decompress((DATA / "1ubq.pdb.gz").read_bytes()))
    names = {}
    # What stands right behind an example, in a block of no language, is what it prints.
    example = r"```python\n(.*?)```(?:\n\n```(?:text)?\n(.*?)```)?"
    for code, shown in re.findall(example, page.read_text(), re.S):
        capsys.readouterr()
        exec(compile(code, str(page), "exec"), names)
        if shown:
            assert capsys.readouterr().out == shown


def test_every_page_has_its_place_in_the_site():
    """Listed in a table of contents, as `make docs` asks, which checks the pages themselves."""
    listed = {
        name
        for page in PAGES
        for tree in re.findall(r"```{toctree}\n(.*?)```", page.read_text(), re.S)
        for name in re.findall(r"^([a-z_]+)$", tree, re.M)
    }
    assert {page.stem for page in PAGES} - {"index"} <= listed


def test_the_table_of_formats_is_the_one_that_the_registry_gives():
    from benchmarks.tables import FILES, MARKS, formats

    text = FILES.read_text(encoding="utf-8")
    start, end = (text.index(mark) for mark in MARKS)
    assert text[start + len(MARKS[0]) : end].strip() == formats(), "python -m benchmarks.tables"
