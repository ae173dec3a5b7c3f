"""Strings with traced values in them: in the message of a check they are put together when it fails, with the values it has then.

f-strings, `%`, `str.format`, `str`, `repr`, `+` and `join` make them. Elsewhere such a
string can be shown and not be read (`traced_strings`).

>>> import jax
>>> f_string("x is ", formatted(1.5, ".2f"), " and ", formatted("y", "", "r"))
"x is 1.50 and 'y'"
>>> made = []
>>> shape = jax.eval_shape(lambda x: made.append(open_message(f_string("x is ", formatted(x, ".2f")))[1]), 1.5)
>>> made[0]([2.5])
'x is 2.50'
>>> shape = jax.eval_shape(lambda x: made.append(open_message(percent("x is %.1f", x) + " of " + repr_of([x, 1]))[1]), 1.5)
>>> made[1]([2.5, 2.5])
'x is 2.5 of [2.5, 1]'
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from autograph.errors import StagingError
from autograph.jax_internals import is_tracing
from autograph.runtime.checks import templates
from autograph.runtime.checks.traced_strings import TracedString, as_shown, is_of_traced, line, shows_traced, unreadable
from autograph.runtime.tracing import facts, sizes
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values import choices, order_reads
from autograph.runtime.values.kinds import Opened, is_written, open_any, open_container

_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda x: x, "s": str, "r": repr, "a": ascii}


class _Fields:
    """The parts of a string, which the trace keeps: strings outlive it, in the user's logs."""

    __slots__ = ("__weakref__", "parts")

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts


class FormattedString(TracedString):
    """A string with traced values in it. Shown, it says what Python would have said while tracing."""

    __slots__ = ("_fields",)
    _fields: weakref.ref[_Fields]

    @classmethod
    def of(cls, parts: tuple[Any, ...]) -> FormattedString:
        """The string of these parts."""
        made = cls("".join(part if isinstance(part, str) else _CONVERSIONS[part[2] or "s"](part[0]) for part in parts))
        fields = _Fields(parts)
        facts.keep(fields)
        made._fields = weakref.ref(fields)
        return made

    @property
    def parts(self) -> tuple[Any, ...]:
        """The strings, and the fields with their values; all of it one string when the trace is over."""
        fields = self._fields()
        return (TracedString(str.__str__(self)),) if fields is None else fields.parts

    @property
    def has_formats(self) -> bool:  # type: ignore[override]  # of a string with fields it is computed
        """See `TracedString`."""
        return any(not isinstance(part, str) and part[1] and not part[2] for part in self.parts)

    def __add__(self, other: str) -> Any:
        return f_string(self, other) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: str) -> Any:
        return f_string(other, self)


def _formatted(value: Any, spec: str, conversion: str) -> str:
    if not spec and (conversion or type(value).__format__ is object.__format__):
        return _CONVERSIONS[conversion or "s"](value)  # which a method of the user's may make of traced values
    return format(_CONVERSIONS[conversion](value), spec)


def formatted(value: Any, spec: str = "", conversion: str = "") -> Any:
    """A replacement field of an f-string: its string, or a part of `FormattedString` where the value is traced."""
    if isinstance(spec, TracedString):
        raise unreadable()
    if type(value) is choices.Choice or type(spec) is choices.Choice:
        return choices.each_apart(formatted, value, spec, conversion)
    if isinstance(value, BaseException) and open_message(value.args)[0]:
        value, conversion = _of_exception(value, conversion)
    if isinstance(value, TracedString) and not spec and conversion in ("", "s"):
        return value
    order_reads.check_inside(value)
    if not is_tracing():
        return _formatted(value, spec, conversion)
    traced, like = open_message(value, open_container)
    if not traced:
        made = _formatted(value, spec, conversion)  # by methods of the user's, which may return a `FormattedString`
        made = TracedString(made) if shows_traced(value) else as_shown(made)
        if type(made) is not TracedString:
            return made
        traced, like = open_message(value)
        if not traced:
            return made
    return like(traced), spec, conversion  # as it is now


def _of_exception(error: BaseException, conversion: str) -> tuple[Any, str]:
    """What the message of an exception is made of, and its conversion: of its arguments, among which are strings."""
    kind, args = type(error), error.args
    shown, is_one = (args[0] if len(args) == 1 else args), len(args) == 1
    if conversion == "r" and kind.__repr__ is BaseException.__repr__:
        around = ("(", ")") if is_one else ("", "")
        return f_string(kind.__name__, around[0], formatted(shown, "", "r"), around[1]), "s"
    if conversion in ("", "s") and kind.__str__ in (BaseException.__str__, KeyError.__str__):
        return shown, "r" if is_one and kind.__str__ is KeyError.__str__ else "s"
    return error, conversion


def f_string(*parts: Any) -> str:
    """An f-string: strings, and what `formatted` makes of its fields. A string that the program chooses is a field among others."""
    if any(type(part) is choices.Choice for part in parts):
        if not any(type(part) in (tuple, FormattedString) for part in parts):
            return choices.each_apart(f_string, *parts)
        parts = tuple((part, "", "s") if type(part) is choices.Choice else part for part in parts)
    parts = tuple(inner for part in parts for inner in (part.parts if type(part) is FormattedString else (part,)))
    if all(isinstance(part, str) for part in parts):
        joined = "".join(parts)
        return TracedString(joined) if any(isinstance(part, TracedString) for part in parts) else joined
    return FormattedString.of(parts)


_PARTS = "parts of a string"


def opened_string(value: Any) -> Any:
    """A string with traced values as a tuple of its parts, which leave branches and loops as the values of any tuple do.

    A list in it is one of the string's own, and no object of the program: its items are parts.
    """
    if type(value) is not FormattedString:
        return value
    fields = [[part] if isinstance(part, str) else [*_parts_of_string(*part)] for part in value.parts]
    opened = ([part] if None in inside else inside for part, inside in zip(value.parts, fields, strict=True))
    return _PARTS, *(part for inside in opened for part in inside)


def closed_string(value: Any) -> Any:
    """The string of which `opened_string` made a tuple; any other value as it is."""
    if type(value) is not tuple or value[:1] != (_PARTS,):
        return value
    return f_string(*(part if isinstance(part, str) else formatted(*part) for part in value[1:]))


def percent(template: str, values: Any) -> Any:
    """`template % values`, also where `template` is a number."""
    if type(values) is choices.Choice:
        return choices.each_apart(percent, template, values)
    if type(values) is tuple and any(type(value) is choices.Choice for value in values) and not shows_traced(values):
        return choices.each_apart(lambda *values: percent(template, values), *values)
    if type(template) is not str:
        return template % values
    order_reads.check_inside(values)
    if not shows_traced(values) and not isinstance(made := as_shown(template % values), TracedString):
        return made
    fields = templates.of_percent(template, values)
    if fields is not None:
        return _filled(fields)
    try:
        return TracedString(template % values)
    except TypeError:
        raise unreadable(line()) from None


def format_of(x: Any, spec: str = "", /) -> Any:
    """`format(x, spec)`."""
    return f_string(formatted(x, spec))


def string_of_value(*args: Any, **kwargs: Any) -> Any:
    """`str(x)`."""
    return f_string(formatted(args[0], "", "s")) if len(args) == 1 and not kwargs else as_shown(str(*args, **kwargs))


def repr_of(x: Any, /) -> str:
    """`repr(x)`."""
    return f_string(formatted(x, "", "r"))


def string_method(f: Any) -> Any:
    """`string.format` and `string.join`, which tell when traced values are shown; any other method as it is."""
    if f.__name__ == "format":

        def of_fields(*args: Any, **kwargs: Any) -> Any:
            if not shows_traced((args, kwargs)) and not isinstance(made := as_shown(f(*args, **kwargs)), TracedString):
                return made
            return _filled(templates.of_format(f.__self__, args, kwargs))

        return of_fields
    if f.__name__ == "join":

        def joined(strings: Any, /) -> Any:
            strings = list(strings)
            if not any(isinstance(x, TracedString) for x in strings):
                if any(type(x) is choices.Choice for x in strings):
                    return choices.each_apart(lambda *strings: joined(strings), *strings)
                return f(strings)
            return f_string(*[part for x in strings for part in (f.__self__, x)][1:])

        return joined
    return f


def _filled(fields: Iterable[Any]) -> str:
    """The string made of strings and fields; a format may have fields as well."""
    return f_string(*(part if isinstance(part, str) else formatted(part[0], _filled(part[1]), part[2]) for part in fields))


def check_message(args: Sequence[Any], at: Any) -> None:
    """Refuses the arguments of an exception that show a traced value in a string which others made while tracing."""
    parts = [part for x in args for part in (x.parts if type(x) is FormattedString else (x,))]
    choices_in = [part for part in (x[0] if type(x) is tuple and x else x for x in parts) if type(part) is choices.Choice]
    options = [x for choice in choices_in for x in choice.choice_options.values() if type(x) is not FormattedString]
    if any(map(is_of_traced, [*parts, *options])):
        raise StagingError(
            "the message contains a string that shows a traced value",
            at=at,
            why="what made the string runs as plain Python, while the program is traced, and the digits are known when it runs",
            instead="make the string with an f-string, `%` or `str.format`, where the exception is raised",
            page="string-of-a-traced-value",
        )


def message_parts(error: BaseException, traced: Sequence[Any]) -> tuple[Any, ...] | None:
    """The message and the notes of an exception as strings and, for each traced value, its number, its format and its conversion.

    Args:
        error: the exception.
        traced: the values by their numbers.
    Returns:
        None where the message and the notes are not put together so.
    """
    kind, args = type(error), error.args
    if kind.__str__ not in (BaseException.__str__, KeyError.__str__):
        return None
    shown = args[0] if len(args) == 1 else args
    notes = getattr(error, "__notes__", ())
    parts_of_notes = (part for note in notes for part in ("\n", *_parts_of_string(note, "", "s")))
    found = [*_parts_of_string(shown if args else "", "", "s"), *parts_of_notes]
    numbers = {id(value): number for number, value in enumerate(traced)}
    if any(part is None or not isinstance(part, str) and id(part[0]) not in numbers for part in found):
        return None
    return tuple(part if isinstance(part, str) else (numbers[id(part[0])], *part[1:]) for part in found)


def _parts_of_string(value: Any, spec: str, conversion: str) -> Iterator[Any]:
    """A field as strings and fields of single traced values; None stands for one that cannot be."""
    value = sizes.traced(value)
    kind, is_plain = type(value), not spec and conversion != "a"
    if kind is FormattedString and is_plain and conversion != "r":
        for part in value.parts:
            yield from (part,) if isinstance(part, str) else _parts_of_string(*part)
    elif is_traced(value) or type(value) is choices.Choice:
        yield value, spec, conversion
    elif not open_message(value)[0]:
        yield _formatted(value, spec, conversion)
    elif is_plain and kind in (list, tuple, dict):
        opening, closing = ("[", "]") if kind is list else ("(", ")") if kind is tuple else ("{", "}")
        yield opening
        items: Any = value.values() if kind is dict else value
        for number, item in enumerate(items):
            yield ", " if number else ""
            yield f"{list(value)[number]!r}: " if kind is dict else ""
            yield from _parts_of_string(item, "", "r")
        yield f",{closing}" if kind is tuple and len(value) == 1 else closing
    else:
        yield None


Made = Callable[[Sequence[Any]], Any]


def open_message(value: Any, parts: Callable[[Any], Opened | None] = open_any) -> tuple[list[Any], Made]:
    """The traced values that a value holds, also in strings, and what makes one like it from others in their place.

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
    if type(value) is choices.Choice and all(isinstance(option, str) for option in value.choice_options.values()):
        options = value.choice_options
        traced.append(value.choice_number)
        return lambda found: choices.choice_of(options, found[before])
    if type(value) is FormattedString:
        fields = [
            (part, None) if isinstance(part, str) else (part[1:], _opened(part[0], traced, around, parts))
            for part in value.parts
        ]
        end = len(traced)

        def filled(found: Sequence[Any]) -> str:
            if any(map(is_traced, found[before:end])):
                return value
            return "".join(_formatted(make(found), *part) if make is not None else part for part, make in fields)

        return filled
    if id(value) in around or issubclass(type(value), str):  # a container that holds itself
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
