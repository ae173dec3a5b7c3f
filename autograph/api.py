"""`convert`, `jit`, `to_code`, `to_graph`, `do_not_convert` and the switch for debugging."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import FunctionType, TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

import jax

from autograph.code.library import is_library
from autograph.code.linking import parameters
from autograph.code.names import Namespace
from autograph.code.registry import Role, known
from autograph.conversion import callables, exchanges, pipeline
from autograph.conversion.staged_tree import building_trees
from autograph.errors import ConversionError, boundary
from autograph.jax_dispatch import jit_is_disabled
from autograph.options import DEFAULT, ConversionOptions
from autograph.runtime.tracing.families import JITTED

if TYPE_CHECKING:
    from autograph.jitted import Jit, Jitted, Method

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F")


@overload
def convert(fn: F, *, recursive: bool = ..., bounds: Mapping[str, int] | None = ...) -> F: ...
@overload
def convert(fn: None = ..., *, recursive: bool = ..., bounds: Mapping[str, int] | None = ...) -> Callable[[F], F]: ...
@boundary
def convert(fn: Any = None, *, recursive: bool = True, bounds: Mapping[str, int] | None = None) -> Any:
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
        bounds: *static*; by parameter, the greatest integer that it may be, so that there can be arrays of that size:
            `{"n": 100}`; `"xs.n"` is an attribute or item of one. A greater one fails, by name, in plain Python too.
    Raises:
        SourceError: when the source is missing or is not what runs.
        ConversionError: for a class, or a function that a transform of JAX already holds.
        ValueError: there is no parameter of the name of a bound.
    """
    options = ConversionOptions(recursive=recursive)

    @boundary
    def decorate(fn: Any) -> Any:
        return _converted(fn, options, bounds)

    return decorate if fn is None else decorate(fn)


def _converted(fn: Any, options: ConversionOptions, bounds: Mapping[str, int] | None, as_method: bool = False) -> Any:
    """Returns the callable with the function in it converted, which checks the bounds of its arguments."""
    found: list[FunctionType] = []

    def each(function: FunctionType) -> FunctionType:
        found.append(function)
        stated = _stated(bounds, function) if bounds else ()
        if stated and (entry := known(function.__code__)) is not None and entry.role is Role.STAGED:
            raise ConversionError(
                f"`{function.__name__}` has `bounds=`, and stands in a function that is traced",
                instead="say the bound in the function: `n = ag.at_most(n, 100)`",
                page="array-of-a-traced-size",
            )
        return pipeline.convert_function(function, replace(options, bounds=stated), explicit=True)

    made = callables.convert_inside(fn, each, as_method)
    if bounds and not found:
        raise ConversionError(
            f"`bounds=` is for a function of yours, and `{getattr(fn, '__name__', type(fn).__name__)}` is one of a library",
            instead="give it to the function inside: `jax.vmap(ag.convert(f, bounds={'n': 100}))`",
            page="array-of-a-traced-size",
        )
    return made


def _stated(bounds: Mapping[str, int], function: FunctionType) -> tuple[tuple[str, int], ...]:
    """Returns the bounds that are stated for parameters of a function."""
    names = parameters(function.__code__)
    for key in bounds:
        if key.partition(".")[0] not in names:
            raise ValueError(f"there is no parameter {key!r} to have a bound: there are {', '.join(names)}")
    return tuple((key, operator.index(most)) for key, most in bounds.items())


def each_callable(each: Callable[[FunctionType], Any]) -> Callable[[Any], Any]:
    """Returns a decorator that applies `each` to the function in what it decorates."""
    return boundary(lambda fn: callables.convert_inside(fn, each))


@overload
def jit(fn: Method, *, bounds: Mapping[str, int] | None = ..., **jit_options: Any) -> Method: ...
@overload
def jit(fn: Callable[P, R], *, bounds: Mapping[str, int] | None = ..., **jit_options: Any) -> Jitted[P, R]: ...
@overload
def jit(fn: None = ..., *, bounds: Mapping[str, int] | None = ..., **jit_options: Any) -> Jit: ...
@boundary
def jit(fn: Any = None, *, bounds: Mapping[str, int] | None = None, **jit_options: Any) -> Any:
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

    An array whose size is an argument needs a bound of it: room is made before the program runs.

    >>> import numpy as np
    >>> squares = ag.jit(lambda n: np.arange(n) ** 2, bounds={"n": 100})
    >>> squares(4)
    BoundedArray([0, 1, 4, 9], dtype=int32)

    Args:
        fn: as for `convert`; static and class methods stay what they are around the jitted function. What `nnx.jit` made stays
            that, and writes to the caller's models.
        bounds: *static*; as for `convert`.
        jit_options: all options of `jax.jit`.
    """

    def inside(callee: Any) -> Any:
        return _converted(callee, DEFAULT, bounds, as_method=True)

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
        return jitted(inside(callee))

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
