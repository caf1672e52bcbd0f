"""Entries of the Protein Data Bank, downloaded on request, checked and kept."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import zlib
from pathlib import Path
from typing import Any

from cellapse._errors import InputError
from cellapse._shared.checks import file_path
from cellapse._shared.files import make_folder, write_whole

_ARCHIVE = "https://files.rcsb.org/download"
_MOST_BYTES = 200_000_000
_SECONDS = 60


def fetch_pdb(
    name: str,
    *,
    sha256: str | None = None,
    cache: str | Path | None = None,
    archive: str = _ARCHIVE,
) -> Path:
    """Download an entry of the Protein Data Bank once; afterwards it is read from the cache.

    Parameters
    ----------
    name : str
        A PDB id such as "1LYZ".
    sha256 : str, optional
        Checksum the file must have; without it, the one noted at the first download is used, so
        that a file which changed on the disk is noticed.
    cache : path, optional
        Folder for the files; by default `cellapse` in `XDG_CACHE_HOME` or `~/.cache`.
    archive : str
        Where `<id>.cif.gz` is found.

    Returns
    -------
    Path
        Of the compressed mmCIF file.

    Raises
    ------
    InputError
        When the id is none, there is no connection, what comes is cut off or no packed mmCIF
        file, or the checksum differs. Nothing of it is kept then.

    Examples
    --------
    >>> import cellapse as cl
    >>> cl.protein_complex(cl.datasets.fetch_pdb("1LYZ"))  # doctest: +SKIP
    """
    if not isinstance(name, str) or not re.fullmatch(r"[0-9][A-Za-z0-9]{3}", name):
        raise InputError(f"{name!r} is no PDB id; give four characters, a digit first, like '1LYZ'")
    folder = _cache_folder() if cache is None else file_path(cache)
    file = folder / f"{name.upper()}.cif.gz"
    note = file.with_suffix(".sha256")
    kept = _kept(file, note, sha256)
    if kept is not None:
        return kept
    content = _download(f"{archive}/{file.name}", name)
    _check(content, sha256, f"the file downloaded for {name}")
    _check_entry(content, f"{archive}/{file.name}")
    make_folder(folder)
    write_whole(note, hashlib.sha256(content).hexdigest())
    return write_whole(file, content)


def _kept(file: Path, note: Path, sha256: str | None) -> Path | None:
    """Return the file of an earlier download, if it is there and what it was then."""
    try:
        if not file.exists():
            return None
        noted = note.read_text(encoding="ascii").strip() if note.exists() else None
        content = file.read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {file} ({error}); give another cache") from None
    _check(content, sha256 or noted, str(file))
    return file


def _download(url: str, name: str) -> bytes:
    import urllib.error  # slow to import, and rarely needed
    import urllib.request
    from http.client import HTTPException

    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            content: bytes = answer.read(_MOST_BYTES + 1)
            headers = answer.headers
    except urllib.error.HTTPError as error:
        raise InputError(f"{url}: {error}; check the id {name!r}") from None
    # URLError and timeouts are OSErrors; a connection that ends early is an HTTPException.
    except (OSError, ValueError, HTTPException) as error:
        raise InputError(
            f"cannot download {url} ({str(error) or type(error).__name__}); check the connection, "
            "take a bundled protein (available_proteins()), or read a file you have"
        ) from None
    if len(content) > _MOST_BYTES:
        raise InputError(f"{url} is larger than {_MOST_BYTES:,} bytes; read it from a file instead")
    _check_headers(headers, len(content), url)
    return content


def _check_headers(headers: Any, length: int, url: str) -> None:
    """Check that an answer has the length that the server says, and is no page."""
    promised = headers.get("Content-Length")
    if promised is not None and promised.strip().isdigit() and int(promised) != length:
        raise InputError(
            f"{url}: {length:,} bytes came and {int(promised):,} were promised, so the download "
            "was cut off; nothing is kept, fetch it again"
        )
    kind = str(headers.get("Content-Type") or "").partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml", "application/json"):
        raise InputError(
            f"{url}: a {kind} page came instead of the file, as from a network with a login; "
            "nothing is kept, check the connection"
        )


def _check_entry(content: bytes, url: str) -> None:
    """A whole gzip (checked by its own checksum) of a file that begins as mmCIF does."""
    try:
        with gzip.open(io.BytesIO(content)) as file:
            start, size = file.read(1 << 16), 0
            while chunk := file.read(1 << 20):
                size += len(chunk)
                if size > 50 * _MOST_BYTES:
                    raise InputError(f"{url} unpacks to more than an entry can be; nothing is kept")
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{url}: what came is no complete gzip file ({error}); nothing is kept, fetch it again"
        ) from None
    if not re.match(rb"(?:\s|#[^\n]*\n)*data_", start):
        raise InputError(
            f"{url}: what came is no mmCIF file, but begins {start[:40]!r}; nothing is kept"
        )


def _check(content: bytes, sha256: str | None, what: str) -> None:
    checksum = hashlib.sha256(content).hexdigest()
    if sha256 is not None and checksum != sha256.lower():
        raise InputError(
            f"{what} has the checksum {checksum}, not {sha256}; delete it and fetch it again, or "
            "check the checksum"
        )


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cellapse"
