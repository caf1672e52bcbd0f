"""Files with the name of a table that hold something else: refused by what they begin with."""

from __future__ import annotations

import re

from cellapse._errors import InputError

# How a file of another format begins -> its name for `format=`.
_BEGINNINGS = {
    r"\*(vertices|network|nodes|edges|arcs)\b": "pajek",
    r"%%matrixmarket\b": "matrix market",
    r"(creator\b[^\n]*\s)?graph\s*\[": "gml",
    r"(strict\s+)?(di)?graph\b[^\n{]*\{": "dot",
    r"(c\b[^\n]*\n)*p\s+(edge|col|sp)\s+[0-9]": "dimacs",
    r"dl\s+n\s*=": "ucinet",
    r"nodedef>": "gdf",
    r"<\?xml|<graphml\b": "graphml",
    r"<gexf\b": "gexf",
    r"\{\s*\"": "json",
    r">>(graph|sparse)6<<": "graph6",
}
_NO_TABLE = {
    r"<!doctype html|<html\b": "a page of the web",
    r"@<tripos>": "a molecule",
}


def refuse_other_formats(text: str) -> None:
    """Raise if a text is plainly no table of rows and columns.

    >>> refuse_other_formats("*Vertices 2")
    Traceback (most recent call last):
    cellapse._errors.InputError: begins as files of the format 'pajek' do; pass format='pajek'
    """
    head = text[:2000].lstrip().lower()
    for pattern, name in _BEGINNINGS.items():
        if re.match(pattern, head):
            raise InputError(f"begins as files of the format {name!r} do; pass format={name!r}")
    for pattern, what in _NO_TABLE.items():
        if re.match(pattern, head):
            raise InputError(f"holds {what}, and no table; write one edge a line, such as: a b")
    lines = [line.strip() for line in head.splitlines()[:20] if line.strip()]
    if re.match(r"\[\s*[\[(]", head) or (lines and all(map(_is_tuple, lines))):
        raise InputError("holds lists or tuples of Python; write one edge a line, such as: a b")


def _is_tuple(line: str) -> bool:
    return line[0] in "([{" and "," in line and line.rstrip(",")[-1:] in (")", "]", "}")
