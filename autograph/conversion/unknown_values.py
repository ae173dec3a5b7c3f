"""JAX's own errors about values that are not known, said in the user's terms: which expression, where, what to do.

Code that stays Python's own (a library, a function without source, `hash`, a format string) may ask a traced value for
its truth or its number. JAX raises for that, and its message knows neither the line nor the expression. Where such an
error leaves a converted function, the exception at hand becomes a `StagingError` as well: it keeps its identity, its
traceback and its place in JAX's family, so that handlers for either still match.

>>> import jax, autograph as ag
>>> @ag.jit
... def f(n):
...     return bin(n).count("1")
>>> try:
...     f(3)
... except jax.errors.TracerIntegerConversionError as error:
...     print(isinstance(error, ag.StagingError), str(error).splitlines()[0])
True `bin(n)` needs a traced value as a Python integer
"""

from __future__ import annotations

import functools
import inspect
import linecache
import re
from collections.abc import Iterator
from itertools import islice
from types import CodeType, TracebackType
from typing import Any, NamedTuple, cast

import jax

from autograph.code.registry import known
from autograph.conversion import kept_statements, library_code
from autograph.errors import Location, StagingError, message, shown_name
from autograph.jax_internals import InconclusiveDimensionOperation
from autograph.runtime.checks.shown_values import debug_print
from autograph.runtime.checks.tracing_errors import Explained, is_of_tracing
from autograph.runtime.heap.library_objects import is_write_in_another_trace
from autograph.runtime.tracing import host
from autograph.runtime.values.locations import is_read_untested

_KNOWN_LATER = "this part of the program is Python's own, and the value is known only when the compiled program runs"
_STATIC = f"or {library_code.STATIC}"


class _Kind(NamedTuple):
    error: type[Exception]
    what: str
    why: str
    instead: str
    text: str = ""  # a pattern for the message, where the error has no class of its own
    page: str = "value-that-python-asks-for"

    def fits(self, exc: BaseException) -> bool:
        return isinstance(exc, self.error) and (not self.text or bool(re.match(self.text, str(exc))))


_KINDS = (
    _Kind(
        jax.errors.TracerBoolConversionError,
        "asks whether a traced value is true",
        _KNOWN_LATER,
        instead=f"ask in an `if`, a loop or a conditional expression of a converted function, use jax.numpy, {_STATIC}",
    ),
    _Kind(
        jax.errors.TracerIntegerConversionError,
        "needs a traced value as a Python integer",
        _KNOWN_LATER,
        instead=f"use an array and jax.numpy, a `for` loop over `range(n)`, {_STATIC}",
    ),
    _Kind(
        jax.errors.TracerArrayConversionError,
        "needs the numbers of a traced value",
        _KNOWN_LATER,
        instead=f"write it with jax.numpy, call it through jax.pure_callback, {_STATIC}",
    ),
    _Kind(
        jax.errors.NonConcreteBooleanIndexError,
        "selects by a traced mask, so the number of elements is not known",
        "every array of a compiled program has a known shape",
        instead="keep every element and mask it: `jnp.where(mask, x, neutral)`, or give `size=` to jnp.nonzero",
    ),
    _Kind(
        IndexError,
        "has a traced length",
        "every array of a compiled program has a known shape",
        instead="mask: `jnp.where(jnp.arange(len(x)) < n, x, 0)`",
        text="Slice entries must be static integers|Array slice indices must have static start",
    ),
    _Kind(
        TypeError,
        "makes an array of a traced size",
        "every array of a compiled program has a known shape",
        instead=f"say how long it is at most, `np.ones(min(n, 100))`, {_STATIC}",
        text="Shapes must be 1D sequences of concrete values of integer type",
    ),
    _Kind(
        TypeError,
        "takes an array whose length is only known when the program runs",
        "a function of JAX takes arrays of known shape",
        instead="write it by NumPy's name (`np.sum(y)`), or put it into an array of known length: `z[:k] = y`",
        text=r".*got <class '[\w.]*BoundedArray'>|.*BoundedArray.* is not a valid JAX type",
        page="array-of-unknown-length",
    ),
    _Kind(
        TypeError,
        "needs the hash of a traced value",
        "sets, the keys of dicts and caches find a value by its number, which is known only when the program runs",
        instead="use a list or an array and compare (`x in values`), or an `if` chain over the known keys",
        text=r".*unhashable type: '\w*Tracer'",
    ),
    _Kind(
        TypeError,
        "names a function by something other than a known string",
        "the function is named while the program is traced, and what the program chooses is known only when it runs",
        instead="leave the decorator away there, or name the function by a string that is known",
        text=r"__(qual)?name__ must be set to a string object",
        page="name-of-a-function",
    ),
    _Kind(
        TypeError,
        "repeats a sequence a traced number of times",
        "a list of a compiled program has a known length",
        instead=f"use an array of the largest length, {_STATIC}",
        text=r"unsupported operand type\(s\) for \*=?: ('list'|'tuple') and '\w*Tracer'|"
        r"unsupported operand type\(s\) for \*=?: '\w*Tracer' and ('list'|'tuple')",
    ),
    _Kind(
        TypeError,
        "takes a traced value and a list",
        "a list beside an array becomes an array, as in NumPy; beside a single number it does not",
        instead="make an array of it: `jnp.asarray(xs)`",
        text=r"unsupported operand type\(s\) for [^*%]*: ('list'|'tuple') and '\w*Tracer'|"
        r"unsupported operand type\(s\) for [^*%]*: '\w*Tracer' and ('list'|'tuple')",
    ),
    _Kind(
        TypeError,
        "needs the exact fraction of a traced value",
        _KNOWN_LATER,
        instead=f"compute it with jax.numpy (`jnp.mean(jnp.stack(xs))`), {_STATIC}",
        text=r"can't convert type '\w*Tracer' to numerator/denominator",
    ),
    _Kind(
        TypeError,
        "raises a traced integer to a negative power, which is a float in Python",
        "an integer of a compiled program stays one",
        instead="start from floats, `x.astype(float) ** n`",
        text="Integers cannot be raised to negative powers",
    ),
    _Kind(
        TypeError,
        "subtracts or negates traced bools",
        "JAX's bools are not integers; only a comparison of Python numbers that stands in this line counts as a Python bool",
        instead="make a number of the bool: `int(x)`, or `x.astype(int)` of an array",
        text="(neg|sub) does not accept dtype bool",
        page="difference-of-bools",
    ),
    _Kind(
        AttributeError,
        "asks a traced value for what an array of JAX does not have",
        "a traced value is a JAX array, also where the argument is a number of Python's or an array of NumPy's",
        instead=f"write it with operators and jax.numpy, {_STATIC}",
        text=r"\w*Tracer has no attribute '?(numerator|denominator|as_integer_ratio|partition|put|resize|setfield|getfield|setflags"
        r"|tobytes|tofile|dumps?|strides|flags|base|data|ctypes|device)'?$",
    ),
    _Kind(
        NotImplementedError,
        "asks a traced value for an iterator of NumPy's over its elements",
        "an array of JAX has none",
        instead="make a flat array, `x.ravel()`, whose elements have the same order",
        text=r"JAX Arrays do not implement the arr\.flat property",
    ),
    _Kind(
        OverflowError,
        "meets a Python integer that no integer of the program can hold",
        "integers of a compiled program have 32 bits, or 64 where `jax_enable_x64` is set",
        instead="`jax.config.update('jax_enable_x64', True)`, or beside a float write that integer `n` as one, `float(n)`",
        text=r"Python int -?\d+ too large to convert to |An overflow was encountered while parsing an argument",
        page="range-beyond-integers",
    ),
    _Kind(
        InconclusiveDimensionOperation,
        "needs a size that is known while the program is traced",
        "it is one of `jax.export.symbolic_shape`, and differs from call to call",
        instead="say what is known of it (`jax.export.symbolic_shape('n', constraints=['n >= 4'])`), compute with "
        "`jnp.asarray(n)`, or export for a size that is known",
    ),
    _Kind(
        jax.errors.ConcretizationTypeError,
        "needs a value that is known while the program is traced",
        _KNOWN_LATER,
        instead=f"use jax.numpy and arrays of a known size (mask what is too much), {_STATIC.removeprefix('or ')}, or do it with "
        "what the compiled program returns",
    ),
    _Kind(
        jax.errors.UnexpectedTracerError,
        "uses a value of a staged statement or function that has ended",
        "something kept it that the statement cannot see: a cache, a library's object, a function that is not converted",
        instead="pass the value on in variables, attributes or containers of converted functions",
        page="",
    ),
)


_UNTESTED = _Kind(
    AttributeError,
    "reads an attribute that may be None",
    "whether it is None is only known when the program runs, and only functions read it that test it and set it to a number",
    instead="use a number instead of None, and a flag of your own that says whether it counts",
    text=".",
    page="none-before-a-loop",
)
_FORMAT = r"unsupported format string passed to \w*Tracer\.__format__"
_DIGITS = _Kind(TypeError, "", "", instead="", text=_FORMAT, page="string-of-a-traced-value")
_OF_NUMBERS = (jax.errors.TracerBoolConversionError, jax.errors.TracerIntegerConversionError)
_OF_VALUES = (*_OF_NUMBERS, jax.errors.TracerArrayConversionError, jax.errors.ConcretizationTypeError)
_SUSPENDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class _Place(NamedTuple):
    code: CodeType
    lineno: int
    col: int | None
    end_col: int | None
    is_called_by_others: bool = True

    @property
    def has_source(self) -> bool:
        name = self.code.co_filename
        return name != "<string>" and bool(linecache.getline(name, self.lineno).strip())


def explain_error(exc: BaseException, function: CodeType) -> BaseException:
    """Makes an error about an unknown value one of ours too; leaves every other exception as it is.

    Args:
        function: the code of the function that it leaves, where the traceback says no more.
    Returns:
        the exception; another one of its class instead of Python's own, whose class cannot be exchanged.
    """
    if isinstance(exc, StagingError):
        return exc
    if is_write_in_another_trace(exc):
        _say_of_models(exc)
        return exc
    kind = next((kind for kind in (*_KINDS, _DIGITS) if kind.fits(exc)), None) or _other(exc)
    if kind is None:
        return exc
    places = list(_places(exc.__traceback__)) or [_Place(function, function.co_firstlineno, None, None)]
    place = next((place for place in reversed(places) if place.has_source), places[-1])
    at = Location.of_bytes(place.code.co_filename, place.lineno, place.col, place.end_col)
    text = f"{at.segment() or f'`{place.code.co_name}`'} {kind.what}"
    why, unconverted, instead, sides, page = kind.why, places[-1].code, kind.instead, None, kind.page
    if known(unconverted) is not None:
        suspends, kept, where = bool(unconverted.co_flags & _SUSPENDS), None, (place.code.co_filename, place.lineno)
        if kind.error in _OF_NUMBERS:
            name = place.code.co_name
            kept = kept_statements.why_suspended(*where, name) if suspends else kept_statements.why_kept(*where)
        if kept is not None:
            text, sides, why, instead, page = kept.what or text, kept.sides, kept.why, kept.instead, kept.page
        elif not suspends and kind.error in (*_OF_NUMBERS, jax.errors.ConcretizationTypeError):
            asks_truth = kind.error is jax.errors.TracerBoolConversionError
            if (found := library_code.conversion_advice(exc, at.segment() or "", unconverted, asks_truth)) is not None:
                why, instead = found
    else:
        why, instead = _unconverted(places, kind)
    if kind is _DIGITS:
        text, why = (
            f"{at.segment() or 'a format'} asks for the digits of a traced value",
            "the string is made while the program is traced",
        )
        instead = (
            f"write `{debug_print(at.line) or 'jax.debug.print(...)'}`, which shows the values when the program runs"
        )
    said = message(text, at=at, sides=sides, why=why, instead=instead, page=page)
    if isinstance(exc, jax.errors.UnexpectedTracerError):
        said += f"\n{exc}"  # where the value was made, as far as JAX knows
    if exc.__context__ is not None and is_of_tracing(exc.__context__):
        exc.__suppress_context__ = True  # library code tried another way before
    exc.args = (Explained(said),)
    if kind.text:  # one of Python's own classes
        exc = _again(exc)
    else:
        exc.__class__ = _both(cast(Any, type(exc)))
    if isinstance(exc, StagingError):
        exc.location = at
    return exc


def _say_of_models(exc: BaseException) -> None:
    """Notes on Flax's refusal of a write, once, what the model has to be."""
    if not hasattr(exc, "__notes__"):
        place = next(reversed(list(_places(exc.__traceback__))), None)
        exc.add_note(
            message(
                "raised where a model is written that comes from outside of the function that JAX traces",
                at=place and Location(place.code.co_filename, place.lineno),
                why="JAX gives back what a function returns, so the model would hold values of a trace that has ended",
                instead="make the model an argument of the compiled function, `nnx.jit(ag.convert(f))`, and of NNX's transforms "
                "in it (`nnx.grad`); or merge it there, `nnx.merge(graph, state)`, and return `nnx.state(model)`",
            )
        )


def _unconverted(places: list[_Place], kind: _Kind) -> tuple[str, str]:
    """Returns why a function of the user is not converted, and what to write instead."""
    code = places[-1].code
    name = f"`{code.co_qualname.rpartition('.<locals>.')[2]}`"
    if not places[-1].has_source:
        why = f"{name} is not converted, since Python kept no source of it, and runs as plain Python"
        return why, "define it in a file or in a cell, where its source can be found"
    if any(f.__code__ is code for f in host.conversion.UNCONVERTED):
        return (
            f"{name} is marked with `ag.do_not_convert`, and runs as plain Python",
            f"drop the mark, or {kind.instead}",
        )
    called = next(place.code for place in reversed(places) if place.is_called_by_others)
    if known(called) is not None or kind.error not in _OF_VALUES:
        return f"{name} is not converted, since library code calls it, and runs as plain Python", kind.instead
    name = f"`{called.co_qualname.rpartition('.<locals>.')[2]}`"
    at = f"{shown_name(called.co_filename)}:{called.co_firstlineno}"
    why = f"library code calls {name}, which is not converted and runs as plain Python"
    if called.co_name == "<lambda>":
        return why, f"write `ag.convert(lambda ...)` at {at}"
    is_decorated = linecache.getline(called.co_filename, called.co_firstlineno).lstrip().startswith("@")
    return why, f"put `@ag.convert` on {name} at {at}{', below what decorates it' if is_decorated else ''}"


def _again(exc: BaseException) -> BaseException:
    """Returns an exception that is one of ours as well, with the same message and traceback; itself where there is none
    of its class.
    """
    try:
        kind = StagingError if issubclass(StagingError, type(exc)) else _both(cast(Any, type(exc)))
        made: BaseException = kind.__new__(kind, *exc.args)
    except TypeError:  # a class of another layout, or one that lets nobody derive from it
        return exc
    made.args = exc.args
    made.__cause__, made.__context__, made.__suppress_context__ = exc.__cause__, exc.__context__, True
    return made.with_traceback(exc.__traceback__)


_WANTS_A_NUMBER = re.compile(r"scalar index|cannot be interpreted as an ")


def _other(exc: BaseException) -> _Kind | None:
    """Returns what to say of a Python exception that only a traced value brings about."""
    if isinstance(exc, AttributeError):
        return _UNTESTED if is_read_untested(exc) else None
    if not is_of_tracing(exc) or type(next(iter(exc.args), None)) is Explained:
        return None
    said = str(exc).partition("\n")[0]
    why = f"what is called runs as plain Python, and says: {said}"
    if _WANTS_A_NUMBER.search(said):  # each version of Python and JAX has other words for it
        why = "what is called is plain Python and needs the number while tracing; JAX knows it only at run time"
    instead = (
        f"use an array and jax.numpy, {_STATIC.removeprefix('or ')}, or let the running program call it: "
        "`jax.debug.callback` for what it does, `jax.pure_callback` for its value"
    )
    page = _Kind._field_defaults["page"]
    if "ChoiceTracer" in said:  # the first choice of a program may be made while the arguments are evaluated
        instead = "bind the string or the function that the program chooses to a variable in a statement before, and hand over that"
        page = "choice-made-in-a-call"
    return _Kind(Exception, "cannot take a traced value", why, instead=instead, text=re.escape(said), page=page)


@functools.cache
def _both(kind: Any) -> Any:
    names = {"__module__": StagingError.__module__, "__qualname__": StagingError.__qualname__, "__doc__": kind.__doc__}
    return type(StagingError.__name__, (kind, StagingError), names)


def _places(traceback: TracebackType | None) -> Iterator[_Place]:
    """Yields where the user's own frames stand in a traceback."""
    caller_is_users = False
    while traceback is not None:
        code = traceback.tb_frame.f_code
        is_users = library_code.is_users(code)
        if is_users:
            position = next(islice(code.co_positions(), traceback.tb_lasti // 2, None), (None,) * 4)
            line, end_line, col, end_col = position
            one_line = line == end_line == traceback.tb_lineno
            span = (col, end_col) if one_line else (None, None)
            yield _Place(code, traceback.tb_lineno, *span, is_called_by_others=not caller_is_users)
        caller_is_users = is_users
        traceback = traceback.tb_next
