"""Check the built site: every link within it leads somewhere, and no page loads from elsewhere.

python tools/check_site.py build/docs
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself; a link that the reader clicks may lead anywhere.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
SILENT = {"canonical", "search", "next", "prev", "index", "genindex", "author", "copyright"}


class Page(HTMLParser):
    """The links, names and loaded files of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.names: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if LOADED.get(tag) in given and given.get("rel") not in SILENT:
            self.loaded.add(given[LOADED[tag]])


def written(site: Path) -> list[Path]:
    """The pages, without the theme's own pieces of pages."""
    return [p for p in sorted(site.rglob("*.html")) if "_static" not in p.relative_to(site).parts]


def problems(site: Path) -> list[str]:
    """A line for every broken link and for everything that is loaded from elsewhere."""
    pages = {p: Page(p.read_text(encoding="utf-8")) for p in written(site)}
    wrong = [f"{p}: loads {url}" for p in pages for url in pages[p].loaded if _far(url)]
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        for url in re.findall(r"(?:url\(|@import )['\"]?([^)'\"]+)", text):
            wrong += [f"{style}: loads {url}"] if _far(url) else []
    for path, page in pages.items():
        for link in page.links | page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                wrong.append(f"{path}: {link} does not exist")
            elif target in pages and unquote(parts.fragment) not in pages[target].names | {""}:
                wrong.append(f"{path}: {link} has no such place")
    return wrong


def _far(url: str) -> bool:
    return urlsplit(url).scheme in ("http", "https") or url.startswith("//")


if __name__ == "__main__":
    site = Path(sys.argv[1]).resolve()
    wrong = problems(site)
    print("\n".join(wrong), file=sys.stderr)
    print(f"{len(written(site))} pages, {len(wrong)} problems")
    sys.exit(bool(wrong))
