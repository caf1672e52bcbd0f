"""The one place that writes files: aside, flushed, then renamed.

Whoever reads the name finds the old file or the new one, whole, also when the disk is full or the
program is killed in between. What a killed program leaves behind begins with `.cellapse-` and goes
when the same file is written again an hour later.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from cellapse._errors import InputError
from cellapse._shared.checks import file_path

_LEFT_BEHIND = 3600.0  # seconds after which a half-written file has no writer any more


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Write a file so that its name never stands for half of it; text is UTF-8.

    >>> import tempfile
    >>> file = write_whole(Path(tempfile.mkdtemp()) / "a.txt", "whole")
    >>> file.read_text(), [f.name for f in file.parent.iterdir()]
    ('whole', ['a.txt'])
    """
    file = file_path(path)
    data = as_bytes(content) if isinstance(content, str) else content
    with replacing(file) as opened:
        opened.write(data)
    return file


def as_bytes(text: str) -> bytes:
    """Return the text in UTF-8; half a character, as broken JSON can bring one in, is refused."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        around = text[max(error.start - 20, 0) : error.end + 20]
        raise InputError(
            f"{around!r} holds half of a character, which text files cannot hold; replace it in "
            "the label or attribute, or write a complex to .npz"
        ) from None


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write to; it takes the place of `path` when the block ends without error."""
    file = file_path(path)
    with _in_words(file):
        target = Path(os.path.realpath(file))  # of a link, what it points to is replaced
        mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):  # a device or a pipe has no content to lose
        with _in_words(file), target.open("wb") as stream:
            yield stream
        return
    with _in_words(file):
        _sweep(target)
        aside = target.with_name(f"{_prefix(target)}{secrets.token_hex(4)}")
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        with _in_words(file), os.fdopen(handle, "wb") as opened:
            if mode is not None:
                _like_before(aside, target)
            yield opened
            opened.flush()
            os.fsync(opened.fileno())
        with _in_words(file):
            os.replace(aside, target)
            _flush_folder(target.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
        raise


def make_folder(path: str | os.PathLike[str]) -> Path:
    """The folder, made with those above it if it is not there; refused where nobody may write."""
    folder = file_path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, "it may not be written to")
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot write to {folder} ({_reason(error)}); choose another folder"
        ) from None
    return folder


_BINARY = getattr(os, "O_BINARY", 0)  # Windows would change line ends


def _mode(target: Path) -> int | None:
    """Kind and permissions of what is there, or None; what may not be changed is refused."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "the file there may not be changed")
    return mode


def _like_before(aside: Path, target: Path) -> None:
    """Permissions and, where that is allowed, owner of the file that is about to be replaced."""
    before = target.stat()
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(aside, before.st_uid, before.st_gid)
    os.chmod(aside, stat.S_IMODE(before.st_mode))


def _prefix(target: Path) -> str:
    """Short, since the name itself may be as long as names can be; the same for the same file."""
    return f".cellapse-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:12]}-"


def _sweep(target: Path) -> None:
    """Remove what killed writers of the same file have left."""
    for left in target.parent.glob(f"{_prefix(target)}*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _LEFT_BEHIND:
                left.unlink()


def _flush_folder(folder: Path) -> None:
    """Make the new name last a loss of power, where folders can be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def _in_words(file: Path) -> Iterator[None]:
    """Yield what goes wrong with a file, as an InputError that says what to do."""
    try:
        yield
    except BrokenPipeError:  # the reader has left, which is for the command line to say
        raise
    except (OSError, ValueError) as error:  # a ValueError: zero bytes, or halves of characters
        if isinstance(error, InputError):
            raise
        full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        remedy = "make room; what was there before is unchanged" if full else "choose another place"
        raise InputError(f"{shown(file)}: cannot be written ({_reason(error)}); {remedy}") from None


def shown(path: Path) -> str:
    r"""Return a path as a message has it: as it is, unless it is very long or cannot be printed.

    >>> shown(Path("a.csv")), shown(Path("a\0b"))
    ('a.csv', "'a\\x00b'")
    """
    text = str(path)
    text = text if text.isprintable() else repr(text)
    return text if len(text) <= 300 else f"{text[:140]}...{text[-140:]}"


def _reason(error: Exception) -> str:
    """Return the words of the system, without a path that is said already."""
    return str(getattr(error, "strerror", None) or error)
