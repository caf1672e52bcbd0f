"""The errors a user can cause. Every message says what was given, what is needed, and a remedy."""

from collections.abc import Iterator
from contextlib import contextmanager


class CellapseError(Exception):
    """Base of every error that cellapse raises on purpose."""


class InputError(CellapseError, ValueError):
    """An argument, a cell or a matrix that cannot be used as given."""


class PositionError(InputError, IndexError):
    """A position past the end, which also ends a loop over positions."""


class SizeError(CellapseError, MemoryError):
    """A result that would not fit into memory; the message carries the figure."""


class ConvergenceError(CellapseError, RuntimeError):
    """An iteration that did not reach its tolerance; the message carries the residual."""


class MissingExtraError(CellapseError, ImportError):
    """A library that is not installed; the message names the extra that brings it."""


class CellapseWarning(UserWarning):
    """The result is what was asked for, but it may not mean what the user hopes."""


@contextmanager
def extra(library: str, name: str) -> Iterator[None]:
    """Turn a failing import into an error that names the extra to install."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(
            f"{library} is not installed ({error}); pip install 'cellapse[{name}]', or {library}"
        ) from None
