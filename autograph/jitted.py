"""The types of what `ag.jit` returns: the function's own signature, and the methods that `jax.jit` adds.

They are for type checkers alone: what is returned is the object of `jax.jit`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar, overload

import jax

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)
T_co = TypeVar("T_co", covariant=True)
Q = ParamSpec("Q")
T = TypeVar("T")
Method = TypeVar("Method", bound="staticmethod[..., Any] | classmethod[Any, ..., Any]")


class Unbound(Protocol[S_contra, Q, T_co]):
    """A function with a first parameter, to which an object is bound."""

    def __call__(self, first: S_contra, /, *args: Q.args, **kwargs: Q.kwargs) -> T_co:
        """Calls the function."""


class Jitted(Protocol[P, R_co]):
    """A function under `jax.jit`. In a class it binds its object as functions do."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Runs the compiled program; compiles it first for arguments of new types."""

    def lower(self, *args: P.args, **kwargs: P.kwargs) -> jax.stages.Lowered:
        """Returns the program for these arguments in the compiler's language."""

    def trace(self, *args: P.args, **kwargs: P.kwargs) -> jax.stages.Traced:
        """Returns the program for these arguments as a jaxpr."""

    def eval_shape(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Returns the shapes and types of the results, in the structure of the results."""

    def clear_cache(self) -> None:
        """Forgets the compiled programs."""

    # A class method, a method, and what binds nothing: the function read from its class, a static method.
    @overload
    def __get__(self: Unbound[type[S], Q, T], instance: object, owner: type[S] | None = None, /) -> Callable[Q, T]: ...
    @overload
    def __get__(self: Unbound[S, Q, T], instance: S, owner: type | None = None, /) -> Callable[Q, T]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None, /) -> Jitted[P, R_co]: ...


class Jit(Protocol):
    """`ag.jit` with options: the decorator."""

    @overload
    def __call__(self, fn: Method, /) -> Method: ...  # type: ignore[overload-overlap]  # the first that fits
    @overload
    def __call__(self, fn: Callable[P, T], /) -> Jitted[P, T]: ...
