"""Files with the name of a table that hold something else: refused by what they begin with."""

from __future__ import annotations

import re

from cellapse._errors import InputError
from cellapse.io.graph6 import is_graph6
from cellapse.io.metis import is_metis

# How a file of another format begins -> its name for `format=`.
_BEGINNINGS = {
    r"\*(vertices|network|nodes|edges|arcs)\b": "pajek",
    r"%%matrixmarket\b": "matrix market",
    r"(creator\b[^\n]*\s)?(version\b[^\n]*\s)?graph\s*\[": "gml",
    r"(/\*.*?\*/\s*)?(strict\s+)?(di)?graph\b[^\n{]*\{": "dot",
    r"p\s+(edge|col|sp)\s+[0-9]": "dimacs",
    r"dl\s+((n|nr|nc|nm|format)\s*=|data\s*:)": "ucinet",
    r"(node|edge)def>": "gdf",
    r"(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<gexf\b": "gexf",
    r"(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<vtkfile\b": "vtu",
    r"<\?xml|<graphml\b": "graphml",
    r"\{\s*\"": "json",
    r">>(graph|sparse)6<<": "graph6",
    r"# vtk datafile": "vtk",
    r"\$meshformat\b": "msh",
    r"ply\s*\n\s*format\b": "ply",
    r"(c|n|st|4)*off\s+[0-9]+\s+[0-9]+": "off",
    r"solid\b[^\n]*\n\s*facet\s+normal\b": "stl",
    r"v(\s+-?[0-9.][0-9.e+-]*){3,7}\s*\n\s*(v|vn|vt|f|l)\s": "obj",
    r"header\s{4}|remark\s+[0-9]+\s|cryst1\s+[0-9.]+\s+[0-9]": "pdb",
    r"(atom|hetatm)\s+1\s+\S+\s+\S+\s": "pdb",
    r"data_\w*\s+(#\s+)?(loop_|_)": "mmcif",
    r"@<tripos>": "mol2",
    r"([^\n]*\n){1,3}[^\n]*\bv[23]000\b": "sdf",
    r"\S*(\(=o\)|\[c@@?h?\])\S*(\s|\Z)": "smiles",
}
_NO_TABLE = {
    r"<!doctype html|<html\b": "a page of the web",
    r"leda\.graph\b": "a LEDA graph, which networkx.read_leda reads",
    r"\u26fe gt": "a graph of graph-tool, which writes .graphml, too",
    r"\([^\n]*\)[^\n()]*;\s*\Z": "a tree in the Newick format",
    r"<[^\s<>]+>\s+<[^\s<>]+>\s+[<\"_][^\n]*\.\s*\n": "triples of RDF",
}
_BEGINNING = 2000  # letters; those of another format show far sooner
_COMMENTS = re.compile(r"(?:\s*(?:#|%|//|c\b)[^\n]*\n)*\s*")  # c: of DIMACS
_NEIGHBOURS = re.compile(r"[^\s,;:\"]+:(?:\s.*)?")


def refuse_other_formats(text: str) -> None:
    """Raise if a text is plainly no table of rows and columns.

    >>> refuse_other_formats("*Vertices 2")
    Traceback (most recent call last):
    cellapse._errors.InputError: begins as files of the format 'pajek' do; pass format='pajek'
    """
    found = _beginning(text)
    if found is not None and found[0]:
        raise InputError(f"begins as files of the format {found[1]!r} do; pass format={found[1]!r}")
    if found is not None:
        raise InputError(f"holds {found[1]}, and no table; write one edge a line, such as: a b")
    below = _below_comments(text)
    lines = [line.strip() for line in below.splitlines()[:20] if line.strip()]
    if re.match(r"[\[(]\s*[\[(]", below) or (lines and all(map(_is_tuple, lines))):
        raise InputError("holds lists or tuples of Python; write one edge a line, such as: a b")
    if lines and all(map(_NEIGHBOURS.fullmatch, lines)):
        raise InputError(
            "has a colon behind the first word of every line, as lists of neighbours have; pass "
            "format='adjlist'"
        )


def other_format(text: str) -> str | None:
    """Return what a text is by how it begins, in words, or None where it may be a table.

    >>> other_format("*Vertices 2"), other_format("node,label")
    ("a file of the format 'pajek'", None)
    """
    found = _beginning(text)
    if found is None:
        return None
    return f"a file of the format {found[1]!r}" if found[0] else found[1]


def _beginning(text: str) -> tuple[bool, str] | None:
    """Return a format with a reader and its name, or what else a text is by how it begins."""
    for head in (text[:_BEGINNING].lstrip().lower(), _below_comments(text)):
        for pattern, name in _BEGINNINGS.items():
            if re.match(pattern, head, re.DOTALL):
                return True, name
        for pattern, what in _NO_TABLE.items():
            if re.match(pattern, head):
                return False, what
    return None


def _below_comments(text: str) -> str:
    start = _COMMENTS.match(text)
    at = start.end() if start else 0  # nothing at all is a match, too
    return text[at : at + _BEGINNING].lower()


def refuse_codes(text: str) -> None:
    r"""Raise if a text of numbers or words is a graph of METIS or graph6 throughout.

    >>> refuse_codes("3 2\n2\n1 3\n2\n")
    Traceback (most recent call last):
    cellapse._errors.InputError: is a graph of the format 'metis', the numbers of ... agree ...
    """
    if is_metis(text):
        raise InputError(
            "is a graph of the format 'metis', the numbers of its lines and words agree with the "
            "first line; pass format='metis', or header=False if all lines are edges"
        )
    if is_graph6(text):
        raise InputError(
            "holds graphs of the format 'graph6', one a line; keep one, and pass format='graph6'"
        )


def _is_tuple(line: str) -> bool:
    return line[0] in "([{" and "," in line and line.rstrip(",")[-1:] in (")", "]", "}")
