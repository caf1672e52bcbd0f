"""The errors a user can cause. Every message says what was given, what is needed, and a remedy."""


class CellapseError(Exception):
    """Base of every error that cellapse raises on purpose."""


class InputError(CellapseError, ValueError):
    """An argument, a cell or a matrix that cannot be used as given."""


class SizeError(CellapseError, MemoryError):
    """A result that would not fit into memory; the message carries the figure."""


class ConvergenceError(CellapseError, RuntimeError):
    """An iteration that did not reach its tolerance; the message carries the residual."""


class MissingExtraError(CellapseError, ImportError):
    """A library that is not installed; the message names the extra that brings it."""


class CellapseWarning(UserWarning):
    """The result is what was asked for, but it may not mean what the user hopes."""
