"""`convert`, `jit`, `to_code`, `to_graph`, `do_not_convert` and the switch for debugging."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType, TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

import jax

from autograph.code.library import is_library
from autograph.code.names import Namespace
from autograph.conversion import callables, exchanges, pipeline
from autograph.conversion.staged_tree import building_trees
from autograph.errors import ConversionError, boundary
from autograph.jax_dispatch import jit_is_disabled
from autograph.options import ConversionOptions
from autograph.runtime.tracing.families import JITTED

if TYPE_CHECKING:
    from autograph.jitted import Jit, Jitted, Method

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F")


@overload
def convert(fn: F, *, recursive: bool = ...) -> F: ...
@overload
def convert(fn: None = ..., *, recursive: bool = ...) -> Callable[[F], F]: ...
@boundary
def convert(fn: Any = None, *, recursive: bool = True) -> Any:
    """Makes a function whose control flow works on traced values, under any JAX transform.

    Where nothing is traced the result is the function itself: same answers, exceptions, speed, `inspect` data. The same
    function gives the same result object each time. What is called is converted too, lazily; library code is not.

    >>> import jax
    >>> import autograph as ag
    >>> @ag.convert
    ... def collatz(n):
    ...     steps = 0
    ...     while n != 1:
    ...         n = n // 2 if n % 2 == 0 else 3 * n + 1
    ...         steps = steps + 1
    ...     return steps
    >>> collatz(27), int(jax.jit(collatz)(27))
    (111, 111)

    Args:
        fn: a function, lambda, method, static or class method, property, partial, jitted function or callable object
            (a model: it is returned, with the methods of its class converted in place);
            left out when options are given to the decorator.
        recursive: *static*; whether the functions that it calls are converted.
    Raises:
        SourceError: when the source is missing or is not what runs.
        ConversionError: for a class, or a function that a transform of JAX already holds.
    """
    options = ConversionOptions(recursive=recursive)

    def each(function: FunctionType) -> FunctionType:
        return pipeline.convert_function(function, options, explicit=True)

    return each_callable(each) if fn is None else callables.convert_inside(fn, each)


def each_callable(each: Callable[[FunctionType], Any]) -> Callable[[Any], Any]:
    """Returns a decorator that applies `each` to the function in what it decorates."""
    return boundary(lambda fn: callables.convert_inside(fn, each))


@overload
def jit(fn: Method, **jit_options: Any) -> Method: ...
@overload
def jit(fn: Callable[P, R], **jit_options: Any) -> Jitted[P, R]: ...
@overload
def jit(fn: None = ..., **jit_options: Any) -> Jit: ...
@boundary
def jit(fn: Any = None, **jit_options: Any) -> Any:
    """`jax.jit(ag.convert(fn), **jit_options)`: the `jax.jit` object itself, so calls cost what its calls cost.

    >>> import jax
    >>> import autograph as ag
    >>> @ag.jit
    ... def sign(x):
    ...     if x > 0:
    ...         return 1
    ...     elif x < 0:
    ...         return -1
    ...     return 0
    >>> int(sign(-2.5)), type(sign) is type(jax.jit(abs))
    (-1, True)

    Args:
        fn: as for `convert`; static and class methods stay what they are around the jitted function. What `nnx.jit` made stays
            that, and writes to the caller's models.
        jit_options: all options of `jax.jit`.
    """

    def inside(function: FunctionType) -> FunctionType:
        return pipeline.convert_function(function, explicit=True)

    def each(function: FunctionType) -> Any:
        return jitted(inside(function))

    def jitted(converted: Any) -> Any:
        if callables.is_of_nnx(converted, jit_options):
            return converted
        made = jax.jit(converted, **jit_options)
        exchanges.note_jitted(converted, made)
        return made

    @boundary
    def decorate(callee: Any) -> Any:
        if isinstance(callee, staticmethod | classmethod | property):
            return callables.convert_inside(callee, each)
        return jitted(callables.convert_inside(callee, inside, as_method=True))

    return decorate if fn is None else decorate(fn)


@boundary
def to_code(fn: Callable[..., Any], *, recursive: bool = True) -> str:
    """Returns the converted source of a function: what runs under a trace. Decorators are not shown.

    The source is valid Python once the name in its first line is imported.
    """
    found = function_in(fn)
    unit = pipeline.unit_of(found, ConversionOptions(recursive=recursive))
    with building_trees():
        tree, alias = unit.staged_tree(Namespace.of(found, unit.source))
        return f"# {alias} is autograph.runtime\n{ast.unparse(tree)}\n"


@boundary
def to_graph(fn: Callable[P, R], *, recursive: bool = True) -> Callable[P, R]:
    """Returns the converted function; the name that TensorFlow's users look for. The same as `convert(fn)`."""
    return convert(fn, recursive=recursive)


@overload
def do_not_convert(fn: F) -> F: ...
@overload
def do_not_convert(fn: None = ...) -> Callable[[F], F]: ...
def do_not_convert(fn: Any = None) -> Any:
    """Leaves a function, method or class as it is where converted code calls it. Returns what it is given.

    An explicit `ag.convert` of the same function wins. A class is left with all its own methods.
    """
    if fn is None:
        return do_not_convert
    inside: Any = getattr(fn, "__wrapped__", fn) if type(fn) is JITTED else fn
    for function in [inside] if type(inside) is FunctionType else _functions_of(inside):  # also one of a library's: `jax.vmap(f)`
        pipeline.leave(function)
    return fn


def _functions_of(target: Any) -> list[FunctionType]:
    if isinstance(target, type):
        return [function for value in vars(target).values() for function in _functions_of(value)]
    found: list[FunctionType] = []

    def each(function: FunctionType) -> FunctionType:
        found.append(function)
        return function

    try:
        callables.convert_inside(target, each)
    except ConversionError:
        pass
    if not found and is_library(target) and hasattr(target, "__wrapped__"):
        return _functions_of(target.__wrapped__)  # that of an `ag.function`
    return found


def function_in(fn: Any) -> FunctionType:
    """Returns the Python function inside a callable: a method, a partial, a jitted function, a callable object.

    Raises:
        ConversionError: when there is none.
    """
    found = _functions_of(fn)
    if isinstance(fn, type) or not found:
        callables.convert_inside(fn, lambda function: function)  # says why
        text = f"there is no Python function in {fn!r}"
        raise ConversionError(text, instead="pass a Python function", page="no-python-function")
    return found[0]


class _Switch:
    """What `run_functions_eagerly` returns: in a `with` statement, the earlier setting comes back at the end."""

    def __init__(self, before: bool) -> None:
        self._before = before

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None) -> None:
        _set_eager(self._before)


_eager = False
_disabled_before = False


def run_functions_eagerly(flag: bool) -> _Switch:
    """Whether compiled functions run as plain Python, for debugging: `print`, breakpoints and values work.

    It is JAX's own switch `jax_disable_jit`, so it holds for every `jax.jit` function of the process from the next call
    on, also for those that are already traced; while it is off it costs nothing. Also for `with`:

    >>> import autograph as ag
    >>> with ag.run_functions_eagerly(True):
    ...     ag.functions_run_eagerly()
    True
    >>> ag.functions_run_eagerly()
    False
    """
    before = _eager
    _set_eager(flag)
    return _Switch(before)


def _set_eager(flag: bool) -> None:
    global _eager, _disabled_before
    if flag and not _eager:
        _disabled_before = jit_is_disabled()
        jax.config.update("jax_disable_jit", True)
    elif _eager and not flag:
        jax.config.update("jax_disable_jit", _disabled_before)
    _eager = bool(flag)


def functions_run_eagerly() -> bool:
    """Whether `run_functions_eagerly(True)` holds."""
    return _eager
