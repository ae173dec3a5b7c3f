"""A function that returns `None` or a value, where its caller tests which: `def find(xs, t): ...` that falls off its end.

Whether the result is `None` may be known only when the program runs. Then it is a `Maybe`, as a variable is
(`optional`), and no code may get one that does not test it. So a function leaves one only where it is called through
`asking`, as converters write for a result that goes to a variable, or to a test, that is compared with `None`. It finds
out by `asked_for_none`, its first statement; for any other caller the two results are refused. The same holds for `d.get(key)`
of a dict at a traced key, without a default.

>>> import jax
>>> from autograph import convert
>>> def find(xs, t):
...     for i in range(len(xs)):
...         if xs[i] == t:
...             return i
>>> def place(xs, t):
...     i = find(xs, t)
...     return -1 if i is None else i
>>> f = jax.jit(convert(place))
>>> xs = jax.numpy.array([3, 4, 8])
>>> int(f(xs, 8)), int(f(xs, 5))
(2, -1)
"""

from __future__ import annotations

import functools
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from autograph.jax_internals import is_tracing
from autograph.runtime.heap import journal
from autograph.runtime.operators.logical import and_, not_
from autograph.runtime.tracing import context, host
from autograph.runtime.values import optional


def is_some(x: Any) -> Any:
    """The truth of a variable that may be `None`, as a test asks for it: a traced bool where that is not known."""
    if type(x) is not optional.Maybe:
        return x
    value = x.value
    return and_(not_(optional.is_none(x)), lambda: value, test=True)


def uncovered(asked: bool, name: str) -> None:
    """Fails where a function ends since none of the tests holds of which one holds for any numbers: for `nan`.

    Python returns `None` there, as it does here to a caller that tests the result for it, or while Python runs.
    """
    region = context.innermost()
    if not asked and region is not None and region.path is not None:
        raise journal.mark_raised(TypeError(f"{name}() ends without a value: none of its tests holds for nan"))


def asked_for_none() -> bool:
    """Whether the caller of the function that begins tests its result for `None`."""
    made, context.progress.caller_tests_none = context.progress.caller_tests_none, False
    return made


def _answers(function: Any) -> bool:
    return type(function) is FunctionType and asked_for_none.__name__ in function.__code__.co_names


def asking(f: Any, asked: bool = True) -> Any:
    """The callable that stands for `f` where the result is tested for `None`.

    Args:
        asked: false where the result is returned, and the caller of that function does not test it.
    """
    found = host.calls.converted(f)
    if not asked or not is_tracing():
        return found
    if type(f) is functools.partial:
        return functools.partial(asking(f.func), *f.args, **f.keywords)
    function = found.__func__ if type(found) is MethodType else found
    if hasattr(type(f), "get_concrete_function"):  # of `ag.function`: its body is a part of the program
        function = host.calls.converted(f.python_function)
    elif type(function) is FunctionType and not _answers(function):
        function = host.conversion.asked(function)
        found = MethodType(function, found.__self__) if type(found) is MethodType else function
    if not _answers(function) and not (type(f) is BuiltinFunctionType and f.__name__ == "get" and isinstance(f.__self__, dict)):
        return found

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        context.progress.caller_tests_none = True
        try:
            return found(*args, **kwargs)
        finally:
            context.progress.caller_tests_none = False  # where the arguments did not fit

    return call
