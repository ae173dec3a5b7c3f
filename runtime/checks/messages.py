"""f-strings with traced values in them: in the message of a check they are put together when it fails, with the values it has then.

Elsewhere such a text can be shown and not be read (`texts`).

>>> import jax
>>> text("x is ", formatted(1.5, ".2f"), " and ", formatted("y", "", "r"))
"x is 1.50 and 'y'"
>>> made = []
>>> shape = jax.eval_shape(lambda x: made.append(opened(text("x is ", formatted(x, ".2f")))[1]), 1.5)
>>> made[0]([2.5])
'x is 2.50'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.jax_internals import is_tracing
from autograph.runtime.checks.texts import TextOfTraced, as_shown, unreadable
from autograph.runtime.tracing import sizes
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values import order_reads
from autograph.runtime.values.kinds import Opened, is_written, open_any, open_container

_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda x: x, "s": str, "r": repr, "a": ascii}


class Text(TextOfTraced):
    """A text with traced values in it. Shown, it says what Python would have said while tracing."""

    __slots__ = ("parts",)
    parts: tuple[Any, ...]


def _formatted(value: Any, spec: str, conversion: str) -> str:
    return format(_CONVERSIONS[conversion](value), spec)


def formatted(value: Any, spec: str = "", conversion: str = "") -> Any:
    """A replacement field of an f-string: its text, or itself where the value is traced."""
    if isinstance(spec, TextOfTraced):
        raise unreadable()
    order_reads.check_inside(value)
    holds_traced = bool(opened(value, open_container)[0]) if is_tracing() else False
    if holds_traced:
        return value, spec, conversion
    made = _formatted(value, spec, conversion)
    return TextOfTraced(made) if isinstance(value, TextOfTraced) else as_shown(made)


def text(*parts: Any) -> str:
    """An f-string: texts, and what `formatted` makes of its fields."""
    if all(isinstance(part, str) for part in parts):
        joined = "".join(parts)
        return TextOfTraced(joined) if any(isinstance(part, TextOfTraced) for part in parts) else joined
    made = Text("".join(part if isinstance(part, str) else str(part[0]) for part in parts))
    made.parts = tuple(str.__str__(part) if isinstance(part, str) else part for part in parts)
    return made


def pieces(error: BaseException) -> tuple[Any, ...] | None:
    """The message of an exception as texts and, for each traced value in it, its number, its format and its conversion.

    The numbers are those of `opened`. None where the message is not put together so.
    """
    kind, args = type(error), error.args
    if kind.__str__ not in (BaseException.__str__, KeyError.__str__) or len(args) != 1 or hasattr(error, "__notes__"):
        return None
    if is_traced(sizes.traced(args[0])):
        return ((0, "", "s" if kind.__str__ is BaseException.__str__ else "r"),)
    if type(args[0]) is not Text or kind.__str__ is not BaseException.__str__:
        return None
    found: list[Any] = []
    for part in args[0].parts:
        if not isinstance(part, str) and not is_traced(sizes.traced(part[0])):
            return None
        found.append(part if isinstance(part, str) else (sum(type(x) is tuple for x in found), *part[1:]))
    return tuple(found)


Made = Callable[[Sequence[Any]], Any]


def opened(value: Any, parts: Callable[[Any], Opened | None] = open_any) -> tuple[list[Any], Made]:
    """The traced values that a value holds, also in texts, and what makes one like it from others in their place.

    Args:
        parts: opens a container, or an object as well.
    """
    traced: list[Any] = []
    return traced, _opened(value, traced, frozenset(), parts)


def _opened(value: Any, traced: list[Any], around: frozenset[int], parts: Callable[[Any], Opened | None]) -> Made:
    before = len(traced)
    value = sizes.traced(value)
    if is_traced(value):
        traced.append(value)
        return lambda found: found[before]
    if type(value) is Text:
        fields = [
            (part, None) if isinstance(part, str) else (part[1:], _opened(part[0], traced, around, parts))
            for part in value.parts
        ]
        return lambda found: "".join(
            _formatted(make(found), *part) if make is not None else part for part, make in fields
        )
    if id(value) in around or isinstance(value, str):  # a container that holds itself
        return lambda found: value
    inside, build = _parts(value, parts)
    made = [_opened(x, traced, around | {id(value)}, parts) for x in inside]
    if len(traced) == before and not (
        inside and is_written(type(value))
    ):  # an object loses what the region wrote to it
        return lambda found: value
    return lambda found: build([make(found) for make in made])


def _parts(value: Any, parts: Callable[[Any], Opened | None]) -> tuple[Sequence[Any], Callable[[list[Any]], Any]]:
    kind = type(value)
    if kind is list or kind is tuple:
        return value, kind
    if kind is dict:  # whose keys nobody sorts or shows
        keys = list(value)
        return list(value.values()), lambda values: dict(zip(keys, values, strict=True))
    found = parts(value)
    return ((), lambda values: value) if found is None else (found[0], found[3])
