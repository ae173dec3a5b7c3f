"""`str(x)` and `repr(x)` of a traced value: a text to show, and for nothing else.

While a program is traced nobody knows the digits of its values. `print(str(x))` and messages show what JAX says of the
tracer; a program that asks the text for its length, its characters or whether it equals another one would get an answer
about JAX's words, so it is refused.

>>> import jax, autograph as ag
>>> def f(n):
...     print("n is " + str(n) if isinstance(n, int) else type("n is " + str(n)).__name__)
...     return len(str(n))
>>> ag.convert(f)(125)
n is 125
3
>>> try:
...     ag.jit(f)(125)
... except ag.StagingError as error:
...     print(str(error).splitlines()[0])
TextOfTraced
the text of a traced value is read
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.runtime.refusals import refusal
from autograph.runtime.staging import is_traced

_CONTAINERS = (list, tuple, dict, set, frozenset)


class TextOfTraced(str):
    """What stands for the text of a traced value."""

    __slots__ = ()

    def __add__(self, other: str) -> TextOfTraced:
        return TextOfTraced(str.__add__(self, other))

    def __radd__(self, other: str) -> TextOfTraced:
        return TextOfTraced(str.__add__(other, self))

    def __rmod__(self, other: str) -> TextOfTraced:
        return TextOfTraced(str.__mod__(other, self))

    __hash__ = str.__hash__


def _refused(name: str) -> Callable[..., Any]:
    def method(self: str, *args: Any, **kwargs: Any) -> Any:
        raise unreadable()

    method.__name__ = name
    return method


def unreadable() -> Exception:
    """The refusal for whatever asks what the text says."""
    return refusal(
        "the text of a traced value is read",
        why="its digits are only known when the compiled program runs",
        instead="compute with the number itself (`n // 10`, `n % 10`), or show values with `jax.debug.print`",
    )


_SHOWING = frozenset(
    "__add__ __radd__ __mod__ __rmod__ __hash__ __str__ __repr__ __format__ __getattribute__ __class__ __new__ __doc__ "
    "__getnewargs__ __sizeof__ encode format translate maketrans".split()
)
for _name in [name for name in vars(str) if name not in _SHOWING]:
    setattr(TextOfTraced, _name, _refused(_name))


def check(args: tuple[Any, ...]) -> None:
    """Refuses to read a number from the text of a traced value."""
    if args and type(args[0]) is TextOfTraced:
        raise unreadable()


def _holds_traced(x: Any) -> bool:
    if type(x) in _CONTAINERS:
        return any(map(_holds_traced, x.values() if type(x) is dict else x))
    return is_traced(x)


def text_of(*args: Any, **kwargs: Any) -> Any:
    """`str(x)`."""
    text = str(*args, **kwargs)
    return TextOfTraced(text) if len(args) == 1 and not kwargs and _holds_traced(args[0]) else text


def repr_of(x: Any, /) -> str:
    """`repr(x)`."""
    text = repr(x)
    return TextOfTraced(text) if _holds_traced(x) else text
