"""Attributes of an object that one of its parts answers."""

from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Of(Generic[T]):
    """An attribute or method that a part of the object has under the same name.

    >>> class Car:
    ...     wheels = Of[int]("frame")
    ...     frame = type("Frame", (), {"wheels": 4})
    >>> Car().wheels
    4
    """

    def __init__(self, part: str, doc: str | None = None) -> None:
        self._part, self.__doc__ = part, doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name
        inherited = (vars(base)[name] for base in owner.__mro__[1:] if name in vars(base))
        self.__doc__ = self.__doc__ or getattr(next(inherited, None), "__doc__", None)

    def __get__(self, instance: Any, owner: type | None = None) -> T:
        if instance is None:
            return self  # type: ignore[return-value]
        found: T = getattr(getattr(instance, self._part), self._name)
        return found
