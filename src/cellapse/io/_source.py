"""The bytes of a file, unpacked if need be, and the memory that reading them may take.

Reading takes at most the larger of 1 GB and 500 times the size of the file, 2,000 times that of a
gzip (or what the caller allows), and never more than there is. Everything draws on it before it
allocates: the bytes themselves, what they unpack to, what a reader makes of them, tables and cells.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from cellapse._errors import CellapseError, InputError, SizeError
from cellapse._shared.checks import whole_number
from cellapse._shared.files import shown
from cellapse._shared.memory import (
    available_memory,
    draw_memory,
    memory_budget,
    readable,
    require_memory,
)

_CHUNK = 1 << 20  # bytes read at once
_POINTER = b"version https://git-lfs"
_FLOOR, _MULTIPLE, _MULTIPLE_PACKED = 1_000_000_000, 500, 2000
_REMEDY = "thin it out, or build the complex in parts with Complex.from_arrays"


@contextmanager
def reading(
    name: str,
    size: int,
    max_memory: int | None = None,
    *,
    packed: bool = False,
    free: float = 0.0,
) -> Iterator[None]:
    """Yield the budget for a file of that size; every error within is said of that name.

    `free` is the memory there is, where that has just been asked.
    """
    limit = max(_FLOOR, (_MULTIPLE_PACKED if packed else _MULTIPLE) * size)
    if max_memory is not None:
        limit = whole_number("max_memory", max_memory, 1)
    try:
        with memory_budget(limit, free):
            yield
    except CellapseError as error:
        raise type(error)(f"{name}: {error}") from None
    except RecursionError:
        raise InputError(f"{name}: is nested too deeply; flatten it") from None
    except MemoryError:
        raise SizeError(f"{name}: does not fit into memory; {_REMEDY}") from None


@contextmanager
def reading_file(path: Path, growth: int, max_memory: int | None = None) -> Iterator[bytes]:
    """Yield the content of a file or of a gzip, with the budget for whatever is made of it.

    `growth` is how much memory a reader takes for a byte of its file.
    """
    name = shown(path)
    with reading(name, 0, max_memory):  # the floor holds for small ones
        free = available_memory()  # takes as long as reading a megabyte, so once
        data = raw_bytes(path, growth, free)
    with reading(name, len(data), max_memory, packed=is_packed(data), free=free - len(data)):
        if data.startswith(_POINTER):
            raise InputError("is a pointer of Git LFS in place of the file; run `git lfs pull`")
        yield unpacked(data, growth)


def raw_bytes(path: Path, growth: int, free: int) -> bytes:
    """Return the content of a file as it is, unless so much free memory is too little for it."""
    try:
        refuse_no_file(path)
        limit = _most(growth, free)
        if path.stat().st_size > limit:
            raise _too_much(limit)
        return path.read_bytes()
    except (OSError, ValueError) as error:  # a ValueError: zero bytes in the name
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be read ({reason}); check its name and permissions") from None


def refuse_no_file(path: Path) -> None:
    """Raise where nothing of that name is a file: folders, pipes and devices have no size."""
    if path.is_file():
        return
    what = "there is no file of that name"
    if path.exists():
        what = "there is a folder of that name" if path.is_dir() else "it is a pipe or a device"
    raise InputError(f"{what}; give the path of a file")


def stream_bytes(stream: BinaryIO, growth: int) -> bytes:
    """Return all that a stream has, refused as soon as reading it would take too much memory."""
    limit = _most(growth, available_memory())
    chunks, size = [], 0
    while chunk := stream.read(_CHUNK):
        size += len(chunk)
        if size > limit:
            raise _too_much(limit)
        chunks.append(chunk)
    return b"".join(chunks)


def _most(growth: int, free: int) -> int:
    """Return the most bytes that are read here."""
    return free // (2 * growth)


def _too_much(limit: int) -> SizeError:
    return SizeError(f"has more than the {readable(limit)} that are read here; {_REMEDY}")


def is_packed(data: bytes) -> bool:
    """Return whether it is a gzip."""
    return data[:2] == b"\x1f\x8b"


def unpacked(data: bytes, growth: int) -> bytes:
    """The data, of a gzip what is in it, with the memory that a reader needs for it set aside."""
    if is_packed(data):
        data = _unpack(data, growth)
    draw_memory(float(growth) * len(data), f"reading {readable(len(data))}", _REMEDY)
    return data


def _unpack(packed: bytes, growth: int) -> bytes:
    chunks, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            while chunk := file.read(_CHUNK):
                size += len(chunk)
                # Asked at every step, so that a bomb is found out before it has gone off.
                what = f"unpacking {readable(len(packed))} to {readable(size)} and more"
                require_memory(float(growth) * size, what, _REMEDY)
                chunks.append(chunk)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"is not a complete gzip file ({error}); pack it again") from None
    return b"".join(chunks)


def as_text(data: bytes) -> str:
    """Return the bytes as UTF-8 text; anything else is refused."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} is no UTF-8 text; save it as UTF-8, or check that the extension "
            "says what the file is"
        ) from None
    if "\0" in text:
        raise InputError("holds zero bytes, so it is not text; check its extension")
    return text
