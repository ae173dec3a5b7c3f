"""Calls of functions of NumPy and JAX with arrays of unknown length, and of functions that make such arrays.

A function of a library would take what stands behind the elements for more elements, so it is refused by name, unless
`sequences.bounded_functions` has it. JAX's control flow takes such an array, which is a pytree.

>>> import jax, autograph as ag
>>> ag.jit(lambda x, k: jnp.sum(x[:k]))(jnp.arange(4), 3)
Array(3, dtype=int32)
>>> try:
...     ag.jit(lambda x, k: np.fft.fft(x[:k]))(jnp.arange(4.0), 3)
... except ag.StagingError as error:
...     print(error.what)
fft() is not possible with an array whose length is only known when the program runs
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.runtime.library import element_loops
from autograph.runtime.sequences import iteration_space, lists_of_arrays
from autograph.runtime.sequences.bounded_functions import CALLS, computed
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.sequences.bounded_makers import SIZED
from autograph.runtime.sequences.iterables import is_staged_iterable
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.bounded_array import BoundedArray, refused

_TAKES_PYTREES = frozenset("cond switch while_loop fori_loop scan callback print breakpoint stop_gradient".split())
"""Functions of JAX that hand a pytree to functions, or to nobody who computes with it."""


def of_jax(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of jax.numpy that also takes bounded arrays; `name` is NumPy's."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        return computed(name, args, kwargs) if progress.has_bounded and takes_bounded(args, kwargs) else fn(*args, **kwargs)

    return call


def takes_bounded(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call gets a bounded array, or a list or tuple that holds one."""
    return any(map(_holds_bounded, args)) or any(map(_holds_bounded, kwargs.values()))


def _is_bounded(x: Any) -> bool:
    return type(x) is BoundedArray


def _holds_bounded(x: Any) -> bool:
    if type(x) is dict:
        return any(map(_holds_bounded, x.values()))
    if type(x) is BoundedList:
        return x.is_traced() and not x.least_length()
    return type(x) is BoundedArray or (type(x) in (list, tuple) and any(map(_holds_bounded, x)))


@functools.cache
def functions_of_jax() -> dict[Any, Callable[..., Any]]:
    """Returns the functions of jax.numpy that there are for bounded arrays, with those that take either."""
    names = [*CALLS, *(name for name, fn in vars(np).items() if isinstance(fn, np.ufunc))]
    found = {fn: of_jax(name, fn) for name in names if (fn := getattr(jnp, name, None)) is not None}
    return {**found, jnp.linalg.norm: of_jax("norm", jnp.linalg.norm)}


OF_TREES = frozenset(
    fn
    for module in (jax.tree, jax.tree_util, jax.flatten_util)
    for name, fn in vars(module).items()
    if type(fn) is FunctionType and not name.removeprefix("tree_").startswith(("register", "unflatten", "structure"))
)
"""Functions of JAX that compute with what pytrees hold."""


def of_leaves(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of pytrees that refuses those with a bounded array: it would take the buffer for the elements."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if progress.has_bounded and any(map(_is_bounded, jax.tree.leaves((args, kwargs), is_leaf=_is_bounded))):
            raise refused(f"{name}()")
        return fn(*args, **kwargs)

    return call


def library_before(f: Any, found: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `found`, which stands for a callee `f`; of another function of JAX, calls with a bounded array are refused."""
    module, name = str(getattr(f, "__module__", None)), getattr(f, "__name__", "")
    if not module.startswith("jax") or name in _TAKES_PYTREES or f in functions_of_jax():
        return found

    def call(*args: Any, **kwargs: Any) -> Any:
        if takes_bounded(args, kwargs):
            raise refused(f"{name}()")
        return found(*args, **kwargs)

    return call


def list_before(found: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `list`, for which `found` stands, that also takes what has a traced number of items, at most as many as are known."""

    def call(*args: Any) -> Any:
        if len(args) != 1:
            return found(*args)
        (items,) = args
        if type(items) is BoundedArray:
            return lists_of_arrays.list_of_array(items)
        if type(items) is BoundedList and items.is_traced():
            return items.copy()
        if is_staged_iterable(items) and iteration_space.has_bound(items):
            return element_loops.collected(lambda items: [item for item in items], items)
        return found(items)

    return call


def of_size(name: str, fn: Callable[..., Any], is_numpy: bool) -> Callable[..., Any]:
    """Returns a function of NumPy or of jax.numpy that makes an array of a size, which may be traced if it is bounded."""
    make, parameters = SIZED[name]

    def call(*args: Any, **kwargs: Any) -> Any:
        for parameter, place in parameters.items():
            n: Any = args[place] if place is not None and place < len(args) else kwargs.get(parameter)
            if is_traced(n) or (type(n) in (list, tuple) and any(map(is_traced, n))):
                break
        else:
            return fn(*args, **kwargs)
        if takes_bounded(args, kwargs) or any(kwargs.get(place) is not None for place in _PLACES):
            return fn(*args, **kwargs)
        kwargs = {key: value for key, value in kwargs.items() if key not in _PLACES}
        if is_numpy and name == "arange" and len(args) < 4 and kwargs.get("dtype") is None:
            kwargs["dtype"] = int
        made = make(*args, **kwargs)
        if type(made) is not BoundedArray:
            return fn(*args, **kwargs) if made is None else made
        return BoundedArray(lax.convert_element_type(made.data, made.dtype), made.rows) if is_numpy else made

    return call


_PLACES = ("device", "out_sharding", "like")
"""Parameters that say where an array is to be."""


def maker(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of NumPy or of jax.numpy whose result is of unknown length where its first argument is traced."""
    count = 2 if name in ("compress", "extract") else 1

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) == count and not kwargs and is_traced(args[0]):
            return computed(name, args, {})
        return fn(*args, **kwargs)

    return call
