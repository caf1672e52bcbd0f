"""XML as a stream of elements; document types and entities, which can grow, are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from xml.parsers import expat

from cellapse._errors import InputError

_UNKNOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # to XML


def parse_xml(
    data: bytes,
    start: Callable[[str, Mapping[str, str]], None],
    end: Callable[[str], None],
    text: Callable[[str], Any],
) -> None:
    """Call `start`, `end` and `text` for what a document has; names are without their prefix."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartElementHandler = lambda tag, given: start(tag.rpartition(":")[2], given)
    parser.EndElementHandler = lambda tag: end(tag.rpartition(":")[2])
    parser.CharacterDataHandler = text
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"is not well-formed XML ({error}); it may be cut off") from None


def _refuse(*_: Any) -> None:
    raise InputError("declares a document type, which it does not need; remove <!DOCTYPE ...>")


def need(given: Mapping[str, str], key: str, name: str) -> str:
    """Return an attribute that an element must have."""
    if key not in given:
        raise InputError(f"has a <{name}> without {key}=...; give it one")
    return given[key]


def check_characters(text: str) -> None:
    """Raise if a text to be written holds what XML cannot."""
    if _UNKNOWN.search(text):
        raise InputError("a label or attribute holds control characters, which XML cannot hold")
