"""A function of `ag.function` with its first argument, as Python's bound methods: what an object gives for a method of its class.

>>> import autograph as ag
>>> class Counter:
...     @ag.function
...     def step(self, x):
...         return x + 1
>>> counter = Counter()
>>> counter.step == counter.step, counter.step == Counter().step, {counter.step: 1}[counter.step]
(True, False, 1)
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MethodType
from typing import TYPE_CHECKING, Any

from autograph import errors
from autograph.functions import saving
from autograph.functions.arguments import Bound, Parameters
from autograph.functions.concrete import ConcreteFunction

if TYPE_CHECKING:
    from autograph.functions.function import Function


class BoundFunction:
    """A function of `ag.function` with its first argument: a method, or a model."""

    def __init__(self, function: Function, instance: Any) -> None:
        self.__func__, self.__self__ = function, instance

    @property
    def __wrapped__(self) -> MethodType:
        return MethodType(self.__func__.python_function, self.__self__)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]  # a property: each function has its own
        return self.__func__.__doc__

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Calls the function, with the object as its first argument."""
        try:
            return self.__func__(self.__self__, *args, **kwargs)
        except BaseException as error:
            errors.trim(error)
            raise

    @errors.boundary
    def get_concrete_function(self, /, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Works as `Function.get_concrete_function`; the concrete function is called without the object."""
        return self.__func__.get_concrete_function(self.__self__, *args, **kwargs).of(self.__self__)

    def __saved_entries__(self, platforms: Sequence[str]) -> list[Any]:
        """Returns what `ag.save` writes: an entry for each program of this object, whose arrays are constants there."""
        programs = self._programs()
        if not programs and self.__func__._signature:
            self.get_concrete_function()
            programs = self._programs()
        return saving.saved(programs, platforms, [self.__self__])

    def _programs(self) -> list[Any]:
        """Returns the programs of this object."""
        own = Parameters(lambda self: None).flatten((self.__self__,)).key()[1:]
        return [p for _, p in self.__func__._programs if p.bound.key()[1 : len(own) + 1] == own]

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "__func__"), name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundFunction) and self.__self__ is other.__self__ and self.__func__ is other.__func__

    def __hash__(self) -> int:
        return hash((id(self.__self__), self.__func__))

    def __reduce__(self) -> tuple[Any, ...]:
        return BoundFunction, (self.__func__, self.__self__)

    def __repr__(self) -> str:
        return f"<bound {self.__func__!r} of {self.__self__!r:.60}>"


class ClassFunction(classmethod):
    """A class method whose other methods get the class too: since Python 3.13 a class method binds no descriptors."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        function: Any = self.__func__
        return function.__get__(type(instance) if owner is None else owner)


def class_of_method(bound: Bound, function: Any) -> type | None:
    """Returns the class of which `function` is a class method, where the first argument is that class or one below it.

    Since Python 3.13 a class method calls what it wraps with the class, and binds no descriptor.
    """
    first = None if not bound.leaves or bound.leaves[0].is_input else bound.leaves[0].value.get()
    for base in first.__mro__ if isinstance(first, type) else ():
        member = vars(base).get(function.__name__)
        if isinstance(member, classmethod) and member.__func__ is function:
            return base
    return None
