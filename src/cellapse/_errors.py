"""The errors a user can cause. Every message says what was given, what is needed, and a remedy."""

from collections.abc import Iterator
from contextlib import contextmanager

_LONGEST = 2000  # characters of a message; one that quotes a file could have millions


class CellapseError(Exception):
    """Base of every error that cellapse raises on purpose.

    Examples
    --------
    >>> import cellapse as cl
    >>> try:
    ...     cl.datasets.load("nothing")
    ... except cl.CellapseError as error:
    ...     print(str(error)[:20])
    no dataset 'nothing'
    """

    def __str__(self) -> str:
        text = super().__str__()
        if len(text) <= _LONGEST:
            return text
        return f"{text[: _LONGEST - 500]} ... {text[-495:]}"


class InputError(CellapseError, ValueError):
    """An argument, a cell or a matrix that cannot be used as given.

    Examples
    --------
    >>> import cellapse as cl
    >>> issubclass(cl.InputError, cl.CellapseError) and issubclass(cl.InputError, ValueError)
    True
    """


class PositionError(InputError, IndexError):
    """A position past the end, which also ends a loop over positions."""


class SizeError(CellapseError, MemoryError):
    """A result that would not fit into memory; the message carries the figure.

    Examples
    --------
    >>> import cellapse as cl
    >>> issubclass(cl.SizeError, cl.CellapseError) and issubclass(cl.SizeError, MemoryError)
    True
    """


class ConvergenceError(CellapseError, RuntimeError):
    """An iteration that did not reach its tolerance; the message carries the residual.

    Examples
    --------
    >>> import cellapse as cl
    >>> issubclass(cl.ConvergenceError, cl.CellapseError)
    True
    """


class MissingExtraError(CellapseError, ImportError):
    """A library that is not installed; the message names the extra that brings it.

    Examples
    --------
    >>> import cellapse as cl
    >>> issubclass(cl.MissingExtraError, ImportError)
    True
    """


class CellapseWarning(UserWarning):
    """The result is what was asked for, but it may not mean what the user hopes.

    Examples
    --------
    >>> import warnings, cellapse as cl
    >>> warnings.filterwarnings("ignore", category=cl.CellapseWarning)  # doctest: +SKIP
    """


@contextmanager
def extra(library: str, name: str) -> Iterator[None]:
    """Turn a failing import into an error that names the extra to install."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(
            f"{library} is not installed ({error}); pip install 'cellapse[{name}]', or {library}"
        ) from None
