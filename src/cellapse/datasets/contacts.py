"""Contact hypergraphs with known groups, read from the package hypergraphx if it is installed.

Who met whom, face to face, measured by sensors of the SocioPatterns project: in a French workplace
with its departments, and in a French high school with its classes.
"""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from cellapse._errors import InputError, MissingExtraError
from cellapse.datasets._names import unknown_name
from cellapse.datasets.hypergraphs import LabelledHypergraph

_MOST_BYTES = 100_000_000
_FILES = {"workplace": "workplace/workplace.json", "highschool": "hs/hs.json"}
_RAW = {"workplace": "workplace/workplace.dat", "highschool": "hs/High-School_data_2013.csv"}
_PAPERS = {
    "workplace": (
        "Contacts in a workplace",
        "M. Genois et al., Data on face-to-face contacts in an office building suggest a low-cost "
        "vaccination strategy based on community linkers, Netw. Sci. 3, 326-347 (2015).",
        "Groups are departments.",
    ),
    "highschool": (
        "Contacts in a high school",
        "R. Mastrandrea, J. Fournet and A. Barrat, Contact patterns in a high school, PLoS ONE 10, "
        "e0136497 (2015).",
        "Groups are classes.",
    ),
}


def load_contacts(name: str, path: str | Path | None = None) -> LabelledHypergraph:
    """Read a contact hypergraph with its groups.

    Parameters
    ----------
    name : {"workplace", "highschool"}
    path : str or Path, optional
        The file of that name in hypergraphx, `workplace.json` or `hs.json`; by default it is looked
        for in the installed package.

    Returns
    -------
    LabelledHypergraph

    Raises
    ------
    MissingExtraError
        When hypergraphx is not installed and no path is given.

    Examples
    --------
    >>> import cellapse as cl
    >>> cl.datasets.load_contacts("highschool").complex().n_vertices  # doctest: +SKIP
    327
    """
    if name not in _FILES:
        raise InputError(unknown_name("contact hypergraph", name, tuple(_FILES), "load_contacts"))
    file = _installed(_FILES[name]) if path is None else Path(path)
    nodes, hyperedges, classes = _parse(file)
    group_names, codes = np.unique(classes, return_inverse=True)
    codes.setflags(write=False)
    title, source, notes = _PAPERS[name]
    return LabelledHypergraph(
        name=name,
        title=title,
        nodes=nodes,
        hyperedges=hyperedges,
        groups=codes,
        group_names=tuple(group_names.tolist()),
        source=source,
        licence="Not bundled with cellapse: see sociopatterns.org and the licence of hypergraphx.",
        provenance=f"Python package hypergraphx, tests/test_data/{_FILES[name]}",
        notes=notes + " Hyperedges are sets of people who were all in contact at the same time.",
    )


def raw_contacts(name: str) -> Path:
    """Return the file with the time of every contact: lines of t, i, j and the groups of both."""
    return _installed(_RAW[name])


def _installed(name: str) -> Path:
    try:
        package = metadata.distribution("hypergraphx")
    except metadata.PackageNotFoundError:
        raise MissingExtraError(
            "hypergraphx is not installed, and its data is read from there; "
            "pip install hypergraphx, or give the path of its file"
        ) from None
    file = Path(str(package.locate_file(f"tests/test_data/{name}")))
    if not file.exists():
        raise InputError(
            f"hypergraphx {package.version} comes without {name}; install version 1.8.0, "
            "or give the path of the file"
        )
    return file


def _parse(file: Path) -> tuple[tuple[Any, ...], tuple[tuple[Any, ...], ...], list[str]]:
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise InputError(f"{file} is larger than {_MOST_BYTES:,} bytes; give the right file")
        records = json.loads(file.read_text(encoding="utf-8"))
        people = {r["idx"]: str(r["metadata"]["class"]) for r in records if r.get("type") == "node"}
        met = tuple(tuple(r["interaction"]) for r in records if r.get("type") == "edge")
    except OSError as error:
        raise InputError(f"cannot read {file} ({error}); give the path of the file") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{file} is no hypergraph of hypergraphx with a class for every node ({error!r})"
        ) from None
    if not people or any(v not in people for edge in met for v in edge):
        raise InputError(f"{file} has no nodes, or hyperedges with unknown ones; check the file")
    return tuple(people), met, list(people.values())
