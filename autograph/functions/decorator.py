"""`ag.function`, the decorator: its types and its page for readers.

>>> import autograph as ag
>>> @ag.function
... def relu(x):
...     if x > 0:
...         return x
...     return 0
>>> relu
<ag.function relu(x): 0 traces>
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, overload

from autograph import api
from autograph.errors import boundary
from autograph.functions import function as made
from autograph.functions.concrete import ConcreteFunction
from autograph.jitted import Method, Unbound

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S")
Q = ParamSpec("Q")
T = TypeVar("T")


class CompiledFunction(Protocol[P, R_co]):
    """What `ag.function` returns, with the function's own signature."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Calls the function."""

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the program for arguments of one kind."""

    def pretty_printed_concrete_signatures(self) -> str:
        """Returns each program's name, parameters, results and captures."""

    @property
    def concrete_functions(self) -> tuple[ConcreteFunction, ...]:
        """A concrete function for each program."""

    @property
    def tracing_count(self) -> int:
        """How many programs were traced."""

    # A class method, a method, and what binds nothing: the function read from its class, a static method.
    @overload
    def __get__(
        self: Unbound[type[S], Q, T], instance: object, owner: type[S] | None = None, /
    ) -> CompiledFunction[Q, T]: ...
    @overload
    def __get__(self: Unbound[S, Q, T], instance: S, owner: type | None = None, /) -> CompiledFunction[Q, T]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None, /) -> CompiledFunction[P, R_co]: ...


class Decorator(Protocol):
    """`ag.function` with options."""

    def __call__(self, fn: Callable[P, R], /) -> CompiledFunction[P, R]:
        """Decorates."""


@overload
def function(
    fn: Method,
    *,
    input_signature: Sequence[Any] | None = ...,
    autograph: bool = ...,
    reduce_retracing: bool = ...,
    checks: Literal[True, False, "deferred"] = ...,
    bounds: Mapping[str, int] | None = ...,
    **jit_options: Any,
) -> Method: ...
@overload
def function(
    fn: Callable[P, R],
    *,
    input_signature: Sequence[Any] | None = ...,
    autograph: bool = ...,
    reduce_retracing: bool = ...,
    checks: Literal[True, False, "deferred"] = ...,
    bounds: Mapping[str, int] | None = ...,
    **jit_options: Any,
) -> CompiledFunction[P, R]: ...
@overload
def function(
    fn: None = ...,
    *,
    input_signature: Sequence[Any] | None = ...,
    autograph: bool = ...,
    reduce_retracing: bool = ...,
    checks: Literal[True, False, "deferred"] = ...,
    bounds: Mapping[str, int] | None = ...,
    **jit_options: Any,
) -> Decorator: ...
@boundary
def function(
    fn: Any = None,
    *,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    reduce_retracing: bool = False,
    checks: Literal[True, False, "deferred"] = True,
    bounds: Mapping[str, int] | None = None,
    **jit_options: Any,
) -> Any:
    """Compiles a function for each kind of input that it is called with, as `tf.function` does.

    Arrays are traced: one program for each dtype and shape. Every other value among the arguments (numbers, strings, None, lists
    of them, objects) is a Python value in the function, and a program is made for it: `f(2)` and `f(3)` are two traces,
    `f(jnp.array(2))` and `f(jnp.array(3))` one. Objects are the same where they are equal, those without a hash where they are
    identical.

    A failed `assert` or a `raise` of the program raises the user's own exception at the call.

    >>> import jax.numpy as jnp
    >>> import autograph as ag
    >>> @ag.function
    ... def root(x, steps=3):
    ...     if x < 0:
    ...         raise ValueError("negative")
    ...     guess = x
    ...     for _ in range(steps):
    ...         guess = (guess + x / guess) / 2
    ...     return guess
    >>> float(root(jnp.float32(4.0), steps=9)), root.tracing_count
    (2.0, 1)

    Args:
        fn: a function, method, static or class method, partial, callable object or model.
        input_signature: *static*; an `ag.TensorSpec`, or a pytree of them, for each of the first parameters, that of a
            method's object left out. One program serves all sizes where it has None; arguments that do not fit raise an error that
            is a `ValueError` and a `TypeError`.
        autograph: *static*; whether the function is converted.
        reduce_retracing: *static*; whether a size that changes between calls becomes an open one, traced once.
        checks: *static*; `"deferred"` raises what failed with the next call, which waits for nothing; `False` leaves checks out.
        bounds: *static*; by parameter, the greatest integer that it may be, so that there can be arrays of that size: `{"n": 100}`.
        jit_options: those of `jax.jit`: `donate_argnums`, `in_shardings`, `out_shardings`, `device`, `compiler_options`, ...
    Returns:
        A callable with the function's signature, and `get_concrete_function`, `concrete_functions`, `tracing_count` and
        `pretty_printed_concrete_signatures()`.
    """
    settings = made.Settings(input_signature, reduce_retracing, autograph, checks, jit_options)
    if bounds and not autograph:
        raise ValueError("`bounds=` is for a function that is converted: leave out `autograph=False`")

    @boundary
    def decorate(fn: Any) -> Any:
        return made.make(api.convert(fn, bounds=bounds) if bounds else fn, settings)

    return decorate if fn is None else decorate(fn)
