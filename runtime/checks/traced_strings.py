"""`str(x)` and `repr(x)` of a traced value: a string to show, and for nothing else.

While a program is traced nobody knows the digits of its values. `print(str(x))` and messages show what JAX says of the
tracer; a program that reads its length, its characters or whether it equals another one would get an answer
about JAX's words, so it is refused.

>>> import jax, autograph as ag
>>> def f(n):
...     print(type("n is " + str(n)).__name__ if isinstance(n, jax.Array) else "n is " + str(n))
...     return len(str(n))
>>> ag.convert(f)(125)
n is 125
3
>>> try:
...     ag.jit(f)(125)
... except ag.StagingError as error:
...     print(str(error).splitlines()[0])
FormattedString
a string that shows a traced value is read
"""

from __future__ import annotations

import functools
import linecache
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

from autograph import errors
from autograph.jax_internals import is_tracing
from autograph.runtime.checks.shown_values import debug_print
from autograph.runtime.tracing import context, sizes
from autograph.runtime.tracing.families import CONTAINERS
from autograph.runtime.tracing.known.limits import needs_number
from autograph.runtime.tracing.refusals import refusal, user_line


class TracedString(str):
    """A string that shows a traced value.

    Attributes:
        has_formats: whether a traced value in it has a format, which only its digits could follow.
    """

    __slots__ = ()
    has_formats = False

    def __add__(self, other: str) -> TracedString:
        return TracedString(str.__add__(self, other))

    def __radd__(self, other: str) -> TracedString:
        return TracedString(str.__add__(other, self))

    def __rmod__(self, other: str) -> TracedString:
        return TracedString(str.__mod__(other, self))

    def __mod__(self, values: Any) -> TracedString:
        return TracedString(str.__mod__(self, values))

    def format(self, *args: Any, **kwargs: Any) -> TracedString:
        return TracedString(str.format(self, *args, **kwargs))


def _refused(name: str) -> Callable[..., Any]:
    def method(self: str, *args: Any, **kwargs: Any) -> Any:
        raise unreadable()

    method.__name__ = name
    return method


def unreadable(line: str = "") -> Exception:
    """The refusal for whatever reads the string; `line`: the one that needs digits in it."""
    typed = debug_print(line)
    return refusal(
        "a string that shows a traced value is read",
        why="its digits are only known when the compiled program runs",
        instead=f"write `{typed}`, which shows the values when the program runs"
        if typed
        else "compute with the number itself (`n // 10`, `n % 10`), or show values with `jax.debug.print`",
        page="string-of-a-traced-value",
    )


def line() -> str:
    """The user's line that runs."""
    return linecache.getline(*at) if (at := user_line()) is not None else ""


_SHOWING = frozenset(
    "__add__ __radd__ __mod__ __rmod__ __str__ __repr__ __format__ __getattribute__ __class__ __new__ __doc__ "
    "__getnewargs__ __sizeof__ format maketrans".split()
)
for _name in [name for name in vars(str) if name not in _SHOWING]:
    setattr(TracedString, _name, _refused(_name))


def check_shows_no_traced(args: tuple[Any, ...]) -> None:
    """Refuses to read a number from a string that shows a traced value, or to look something up by it."""
    if args and isinstance(args[0], TracedString):
        raise unreadable()


def shows_traced(x: Any) -> bool:
    """Whether a value is traced, or a string that shows one, or a container in which there is one."""
    if type(x) in CONTAINERS:
        return any(map(shows_traced, x.values() if type(x) is dict else x))
    return sizes.is_unknown(x) or isinstance(x, TracedString)


_SHOWN = re.compile(r"Tracer[(<](~?\w+[\[<]|aval=|primal=|one of )|Traced<")


def as_shown(text: str) -> str:
    """A string that may show a traced value which an object holds."""
    return TracedString(text) if type(text) is str and is_tracing() and _SHOWN.search(text) else text


def check_written(values: tuple[Any, ...], file: Any) -> None:
    """Refuses to write a string that shows a traced value to a file, which keeps it: only what is shown at once may have it."""
    if file not in (None, sys.stdout, sys.stderr) and (shows_traced(values) or any(map(is_of_traced, values))):
        raise refusal(
            "a string that shows a traced value is written to a file",
            why="it is written while the program is traced, and its digits are only known when the compiled program runs",
            instead="return the value, and write what the compiled program returns, or write it when the program runs: "
            "`jax.debug.callback(write, x)`",
            page="string-of-a-traced-value",
        )


def is_of_traced(value: Any) -> bool:
    """Whether a value is a string that shows a traced value, whoever made it."""
    return isinstance(value, str) and isinstance(as_shown(value), TracedString)


def warn(message: Any, category: Any = None, stacklevel: int = 1, *args: Any, **kwargs: Any) -> None:
    """`warnings.warn`, which remembers the strings that it has shown."""
    shown = str.__str__(message) if isinstance(message, TracedString) else message
    warnings.warn(shown, category, stacklevel + 1, *args, **kwargs)


_PRINTED = (
    "`print` shows a traced value while the program is traced, in both branches of an `if` and once for a loop; "
    "`%s` prints when the program runs"
)


@functools.cache  # once in a process
def _tell_of_printing() -> None:
    if (at := user_line()) is not None:
        typed = debug_print(line()) or "jax.debug.print('{}', x)"
        warnings.warn_explicit(_PRINTED % typed, errors.AutoGraphWarning, errors.shown_name(at[0]), at[1])


def show_printed(show: Callable[..., None], /, *args: Any, **kwargs: Any) -> None:
    """Calls `print`, and says once that branches and iterations print while they are traced.

    >>> import jax
    >>> jax.make_jaxpr(lambda x: show_printed(print, "x is", x))(1.0).eqns
    x is JitTracer(~float32[])
    []
    """
    if context.progress.is_tried:
        raise needs_number("`print` shows it in each iteration")
    check_written(args, kwargs.get("file"))
    if any(isinstance(x, TracedString) and x.has_formats for x in args):
        typed = debug_print(line())
        raise refusal(
            "`print(...)` asks for the digits of a traced value",
            why="the string is made while the program is traced",
            instead=f"write `{typed if '{:' in typed else 'ag.print(...)'}`, which shows the values when the program runs",
            page="string-of-a-traced-value",
        )
    show(*args, **kwargs)
    strings = [x for x in args if isinstance(x, str)]
    if context.innermost() and (shows_traced(args) or any(str.__contains__(x, "Tracer(") for x in strings)):
        _tell_of_printing()


_NUMBER = re.compile(r"%(\(.*?\))?[-+ #0]*(\d+|\*)?(\.(\d+|\*))?[diouxXeEfFgGc]")


def log(f: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Calls a function or method of `logging`, which shows a traced value as `%s` does where its digits are needed.

    >>> import logging, sys, jax
    >>> handler = logging.StreamHandler(sys.stdout)
    >>> logger = logging.Logger("example")
    >>> logger.addHandler(handler)
    >>> _ = jax.eval_shape(lambda x: log(logger.info, "loss %.2f", x), 1.0)
    loss JitTracer(~float32[]) (traced: `jax.debug.print` shows the number when the program runs)
    """
    kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
    at = next((k for k, x in enumerate(args) if isinstance(x, str)), None)
    if at is None or not shows_traced(args[at + 1 :]):
        return f(*args, **kwargs)
    shown = _NUMBER.sub(r"%\1s", args[at])
    if shown != args[at]:
        shown += " (traced: `jax.debug.print` shows the number when the program runs)"
    return f(*args[:at], shown, *args[at + 1 :], **kwargs)
