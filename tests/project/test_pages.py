"""Guide pages are written for a reader: short sentences, few figures in prose, code that fits.

Counted is prose alone, without code, tables, formulas and the targets of links. Scikit-learn's user
guide has one to three figures per hundred words and 17 to 23 words a sentence.
"""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOT_A_GUIDE = {  # evidence and the pages of contributors are about figures
    *("benchmarks", "changelog", "contributing", "goals", "testing", "paper_tables", "releasing"),
    *("evidence", "evidence_clusters", "evidence_false_edges", "evidence_few_labels"),
    *("evidence_learning", "evidence_scale", "evidence_over_time"),
    *("evidence_metric_weights", "evidence_reduction"),
}
GUIDE = sorted(page for page in DOCS.glob("*.md") if page.stem not in NOT_A_GUIDE)
FIGURES, WORDS, LONGEST, WIDEST = 2.5, 22, 40, 80

# What people type into the search of the site, and the page that they look for.
SEARCHED = {
    "community detection": "clusters",
    "label propagation": "few_labels",
    "semi-supervised learning": "few_labels",
    "link prediction": "false_edges",
    "edge filtering": "false_edges",
    "graph denoising": "smoothing",
    "effective resistance": "resistance",
    "spectral embedding": "embeddings",
    "Kron reduction": "reduction",
    "temporal networks": "over_time",
    "Gaussian processes": "gaussian_processes",
    "GPU": "glossary",
}


def prose(page: Path) -> list[str]:
    """The sentences of a page."""
    text = re.sub(r"(?ms)^(`{3,}|:{3,}).*?^\1|^\$\$.*?^\$\$", "\n\n", page.read_text("utf-8"))
    lines = [line for line in text.split("\n") if not re.match(r"\s*[|#:{]| {4}|!\[", line)]
    text = re.sub(r"(?m)^\s*(\*|\d\.) ", "\n\n", "\n".join(lines))  # an item is on its own
    text = re.sub(r"`[^`]*`|\$[^$]*\$", "Code", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text)]
    return [
        s for block in blocks for s in re.split(r"(?<=[.!?:])[*)\"]* +(?=\W*[A-Z0-9])", block) if s
    ]


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_a_guide_page_reads_easily(page):
    sentences = [s.split() for s in prose(page)]
    words = sum(map(len, sentences))
    figures = sum(bool(re.search(r"\d", word)) for s in sentences for word in s)
    assert figures <= max(3, FIGURES * words / 100)
    assert words <= WORDS * max(len(sentences), 1)
    longest = max(sentences, key=len, default=[])
    assert len(longest) <= LONGEST, " ".join(longest)


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_code_fits_without_scrolling(page):
    blocks = re.findall(r"(?ms)^```(\w*)\n(.*?)^```$", page.read_text("utf-8"))
    code = [
        line for name, block in blocks if name not in ("", "text") for line in block.split("\n")
    ]
    assert max(map(len, code), default=0) <= WIDEST, max(code, key=len)


@pytest.mark.parametrize(("words", "page"), SEARCHED.items())
def test_a_search_finds_the_page(words, page):
    """In its title first, as the search of the site ranks titles highest."""
    text = (DOCS / f"{page}.md").read_text("utf-8")
    assert words.lower() in text.lower()
    titles = {p.stem: p.read_text("utf-8").split("\n")[0].lower() for p in GUIDE}
    named = [stem for stem, title in titles.items() if words.lower() in title]
    assert named in ([page], [])
