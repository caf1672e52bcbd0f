"""Texts written by hand, read as files of a format."""

from pathlib import Path
from tempfile import TemporaryDirectory

import cellapse as cl


def understood(name, text, **options):
    """What `cellapse.io.understand` makes of a text or bytes as a file; weights as attributes."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return cl.io.understand(path, format=name, **{"weight": None, **options})
