"""Entries of the Protein Data Bank, downloaded on request, checked and kept."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path

from cellapse._errors import InputError

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
        When the id is none, there is no connection, or the checksum differs.
    """
    if not isinstance(name, str) or not re.fullmatch(r"[0-9][A-Za-z0-9]{3}", name):
        raise InputError(f"{name!r} is no PDB id; give four characters, a digit first, like '1LYZ'")
    folder = _cache_folder() if cache is None else Path(cache)
    file = folder / f"{name.upper()}.cif.gz"
    note = file.with_suffix(".sha256")
    if not file.exists():
        content = _download(f"{archive}/{file.name}", name)
        _check(content, sha256, f"the file downloaded for {name}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            _write(note, hashlib.sha256(content).hexdigest().encode())
            _write(file, content)
        except OSError as error:
            raise InputError(f"cannot write to {folder} ({error}); give another cache") from None
    noted = note.read_text(encoding="ascii").strip() if note.exists() else None
    _check(file.read_bytes(), sha256 or noted, str(file))
    return file


def _download(url: str, name: str) -> bytes:
    import urllib.error  # slow to import, and rarely needed
    import urllib.request

    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            content: bytes = answer.read(_MOST_BYTES + 1)
    except urllib.error.HTTPError as error:
        raise InputError(f"{url}: {error}; check the id {name!r}") from None
    except (OSError, ValueError) as error:  # URLError and timeouts are OSErrors
        raise InputError(
            f"cannot download {url} ({error}); check the connection, take a bundled protein "
            "(available_proteins()), or read a file you have"
        ) from None
    if len(content) > _MOST_BYTES:
        raise InputError(f"{url} is larger than {_MOST_BYTES:,} bytes; read it from a file instead")
    return content


def _check(content: bytes, sha256: str | None, what: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if sha256 is not None and found != sha256.lower():
        raise InputError(
            f"{what} has the checksum {found}, not {sha256}; delete it and fetch it again, or "
            "check the checksum"
        )


def _write(path: Path, content: bytes) -> None:
    """All or nothing: a file half written is never seen under its name."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".partial-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cellapse"
