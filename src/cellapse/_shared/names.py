"""What completion shows of a module: its public names, not what was imported to make them."""

from collections.abc import Callable, Iterable


def showing(names: Iterable[str]) -> Callable[[], list[str]]:
    """Return a `__dir__` of a module that lists these names.

    >>> showing(["b", "a"])()
    ['a', 'b']
    """
    return lambda: sorted(names)
