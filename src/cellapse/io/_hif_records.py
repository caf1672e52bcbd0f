"""The records of an HIF document, each as the format has it.

What `hif_schema.json` refuses is refused here as well, a hundred times as quickly and with words
that say what to do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from importlib.resources import files
from itertools import chain
from typing import Any

from cellapse._errors import InputError
from cellapse._shared.notes import fact

Record = dict[str, Any]

SECTIONS = {
    "nodes": {"node", "weight", "attrs"},
    "edges": {"edge", "weight", "attrs"},
    "incidences": {"edge", "node", "weight", "direction", "attrs"},
}


def hif_schema() -> dict[str, Any]:
    """Return the schema of HIF files, for validators of JSON Schema (draft 2020-12).

    Returns
    -------
    dict

    Examples
    --------
    >>> hif_schema()["required"]
    ['incidences']
    """
    text = files("cellapse.io").joinpath("hif_schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def section(document: dict[str, Any], name: str) -> tuple[list[Record], list[list[Hashable]]]:
    """The records of a section, all of them as HIF has them, and the edges and nodes they name."""
    listed = document.get(name, None if name == "incidences" else [])
    if not isinstance(listed, list):
        raise InputError(f"has no list of {name}, but {listed!r:.40}; HIF has a list there")
    names = [_names(listed, kind) for kind in ("edge", "node") if kind in SECTIONS[name]]
    members = set(chain.from_iterable(listed))
    unknown = members - SECTIONS[name]
    if unknown:
        raise InputError(f"has {min(unknown)!r} among its {name}; HIF has that in attrs only")
    for member, fits, needed in _VALUES:
        if member not in members:
            continue
        bad = [r for r in listed if member in r and not fits(r[member])]
        if bad:
            raise InputError(f"{str(bad[0])[:80]} has {member} {bad[0][member]!r:.40}; {needed}")
    return listed, names


_VALUES: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("attrs", lambda value: type(value) is dict, "HIF has an object there"),
    ("weight", lambda value: type(value) in (int, float), "HIF has a number there"),
    ("direction", lambda value: value in ("head", "tail"), 'HIF has "head" or "tail" there'),
)


def records_of(document: dict[str, Any], kind: str) -> dict[Hashable, Record]:
    """Return the listed nodes or edges by their names, in the order of the file."""
    listed, (names,) = section(document, f"{kind}s")
    records = dict(zip(names, listed, strict=True))
    if len(records) == len(listed):
        return records
    fact(f"{len(listed) - len(records):,} {kind}s are listed again; what is said last counts")
    merged: dict[Hashable, Record] = {}
    for name, record in zip(names, listed, strict=True):
        before = merged.get(name, {})
        attrs = {**before.get("attrs", {}), **record.get("attrs", {})}
        merged[name] = {**before, **record, **({"attrs": attrs} if attrs else {})}
    return merged


def _names(listed: list[Any], kind: str) -> list[Hashable]:
    """Return what every record says of its node or edge: a string or an integer."""
    names = [record.get(kind) if type(record) is dict else None for record in listed]
    if not set(map(type, names)) <= {str, int}:  # JSON makes these types, or true
        bad = next(r for r, v in zip(listed, names, strict=True) if type(v) not in (str, int))
        raise InputError(
            f"has {str(bad)[:80]} where HIF has an object with {kind!r}, a string or integer"
        )
    return names
