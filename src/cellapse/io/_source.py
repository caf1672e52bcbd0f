"""The bytes of a file, unpacked if need be, and never more of them than memory can take."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

from cellapse._errors import InputError, SizeError
from cellapse._shared.memory import available_memory, readable

_CHUNK = 1 << 20
# Text seldom packs more than 20-fold; what unpacks 200-fold to this size was made to do harm.
_SUSPICIOUS_BYTES, _SUSPICIOUS_RATIO = 100_000_000, 200


def load(path: Path, growth: int) -> bytes:
    """The content of a file or of a gzip, refused when `growth` times its size is too much.

    `growth` is how much memory a reader takes for a byte of its file.
    """
    limit = available_memory() // (2 * growth)
    try:
        if not path.is_file():
            what = "a folder" if path.is_dir() else "no file"
            raise InputError(f"there is {what} of that name; give the path of a file")
        size = path.stat().st_size
        data = b"" if size > limit else path.read_bytes()
    except (OSError, ValueError) as error:  # a ValueError: zero bytes in the name
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be read ({reason}); check its name and permissions") from None
    if size > limit:
        raise _too_large(f"has {readable(size)}", limit)
    return _unpack(data, limit) if data[:2] == b"\x1f\x8b" else data


def plausible_size(packed: int) -> int:
    """The most bytes that so many packed bytes may stand for."""
    return max(_SUSPICIOUS_BYTES, _SUSPICIOUS_RATIO * packed)


def _unpack(packed: bytes, limit: int) -> bytes:
    chunks, size = [], 0
    limit = min(limit, plausible_size(len(packed)))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            while chunk := file.read(_CHUNK):
                chunks.append(chunk)
                size += len(chunk)
                if size > limit:
                    raise _too_large(f"of {readable(len(packed))} unpacks to more", limit)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"is not a complete gzip file ({error}); pack it again") from None
    return b"".join(chunks)


def _too_large(given: str, limit: int) -> SizeError:
    return SizeError(
        f"the file {given}, and at most {readable(limit)} are read here; "
        "thin it out, or build the complex in parts with Complex.from_arrays"
    )


def as_text(data: bytes) -> str:
    """The bytes as UTF-8 text; anything else is refused."""
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
