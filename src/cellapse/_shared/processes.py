"""Processes that work for this one and must not outlive it."""

from __future__ import annotations

import os
import threading
from multiprocessing import parent_process


def end_with_parent() -> None:
    """Called in a process started by `multiprocessing`: it ends with the one that started it.

    Also when that one is killed and cannot say so.
    """
    threading.Thread(target=_wait_and_end, daemon=True).start()


def _wait_and_end() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
