"""The operators and methods of bounded arrays, and what NumPy's functions ask of an array of another class.

>>> import jax
>>> y = BoundedArray.of(jax.numpy.arange(4), 3)
>>> 10 - y * 2, y[::-1], np.sort(-y)
(BoundedArray([10,  8,  6], dtype=int32), BoundedArray([2, 1, 0], dtype=int32), BoundedArray([-2, -1,  0], dtype=int32))
>>> y > 1, y.sum()
(BoundedArray([False, False,  True], dtype=bool), Array(3, dtype=int32))
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.errors import StagingError
from autograph.runtime.checks.guards import guard_index
from autograph.runtime.heap import array_versions
from autograph.runtime.sequences import selection
from autograph.runtime.sequences.bounded_functions import METHODS, OF_ARRAYS, computed
from autograph.runtime.sequences.bounded_items import read_rows
from autograph.runtime.sequences.bounded_operands import elementwise, product
from autograph.runtime.sequences.lists_of_arrays import list_of_array
from autograph.runtime.values.bounded_array import BoundedArray, refused

_BINARY: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "add": ("add", operator.add),
    "sub": ("subtract", operator.sub),
    "mul": ("multiply", operator.mul),
    "truediv": ("divide", operator.truediv),
    "floordiv": ("floor_divide", operator.floordiv),
    "mod": ("remainder", operator.mod),
    "pow": ("power", operator.pow),
    "and": ("bitwise_and", operator.and_),
    "or": ("bitwise_or", operator.or_),
    "xor": ("bitwise_xor", operator.xor),
    "lshift": ("left_shift", operator.lshift),
    "rshift": ("right_shift", operator.rshift),
    "lt": ("less", operator.lt),
    "le": ("less_equal", operator.le),
    "gt": ("greater", operator.gt),
    "ge": ("greater_equal", operator.ge),
    "eq": ("equal", operator.eq),
    "ne": ("not_equal", operator.ne),
}
"""The special methods, with NumPy's names of the functions and Python's operators."""

_COMPARISONS = frozenset("lt le gt ge eq ne".split())


def _binary(name: str, fn: Callable[[Any, Any], Any], swap: bool) -> Callable[[Any, Any], Any]:
    if swap:
        return lambda self, other: elementwise(name, fn, other, self)
    return lambda self, other: elementwise(name, fn, self, other)


def _unary(name: str, fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda self: elementwise(name, fn, self)


def _attribute(self: BoundedArray, name: str) -> Any:
    """Returns a method that NumPy's arrays have; any of them where the length is known."""
    if name.startswith("_") or not hasattr(np.ndarray, name):
        raise AttributeError(f"'BoundedArray' object has no attribute {name!r}")
    if name == "tolist":
        return functools.partial(list_of_array, self, of_python=True)
    if name in METHODS:
        return functools.partial(_method_call, name, self)
    if not self.is_traced():
        array = self.known(name)
        array.flags.writeable = False  # a copy, which `y.sort()` would change in vain
        return getattr(array, name)
    raise refused(f"{name}()")


def _method_call(name: str, self: BoundedArray, *args: Any, **kwargs: Any) -> Any:
    return computed(name, (self, *args), kwargs, OF_ARRAYS)


def _ufunc(self: BoundedArray, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
    return _numpys(name, getattr(ufunc, method), inputs, kwargs)


def _function(self: BoundedArray, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    name = func.__name__
    is_known = any(func is getattr(module, name, None) for module in (np, np.linalg))
    return _numpys(name if is_known else f"{func.__module__}.{name}", func, args, kwargs)


def _numpys(name: str, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Returns a function of NumPy; where all lengths are known, and it is not written for others, NumPy's own of the elements."""
    try:
        return computed(name, args, kwargs)
    except StagingError:
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves((args, kwargs))):
            raise
    args, kwargs = jax.tree.map(lambda x: np.asarray(x) if type(x) is BoundedArray else x, (args, kwargs), is_leaf=_is_bounded)
    return fn(*args, **kwargs)


def _is_bounded(x: Any) -> bool:
    return type(x) is BoundedArray


def _reduced(self: BoundedArray, name: str) -> Any:
    """Returns what Python's function of that name returns: of `sum`, `any`, `all`, `min`, `max`."""
    if name not in ("min", "max"):
        return computed(name, (self,), {"axis": 0} if name == "sum" else {})
    if not self.data.shape[0]:
        raise ValueError(f"{name}() arg is an empty sequence")
    array = self.compact()
    length = jnp.asarray(array.shape[0])
    length = guard_index(length, length > 0, ValueError(f"{name}() arg is an empty sequence"))
    elements = jnp.where(jnp.arange(array.data.shape[0]) < length, array.data, array.data[0])
    return selection.extreme_of_vector(name, elements)


_METHODS: dict[str, Callable[..., Any]] = {
    **{f"__{method}__": _binary(name, fn, swap=False) for method, (name, fn) in _BINARY.items()},
    **{f"__r{method}__": _binary(name, fn, swap=True) for method, (name, fn) in _BINARY.items() if method not in _COMPARISONS},
    "__neg__": _unary("negative", operator.neg),
    "__pos__": _unary("positive", operator.pos),
    "__abs__": _unary("absolute", operator.abs),
    "__invert__": _unary("invert", operator.invert),
    "__matmul__": product,
    "__rmatmul__": lambda self, other: product(other, self),
    "__divmod__": lambda self, other: computed("divmod", (self, other), {}),
    "__rdivmod__": lambda self, other: computed("divmod", (other, self), {}),
    "__getitem__": read_rows,
    "__getattr__": _attribute,
    "__array_ufunc__": _ufunc,
    "__array_function__": _function,
    "reduced": _reduced,
}
for _name, _method in _METHODS.items():
    setattr(BoundedArray, _name, _method)  # its own file cannot import these, since they make bounded arrays


def updated(x: BoundedArray, new: BoundedArray) -> BoundedArray:
    """Returns the array that takes the place of one which is written, under its name: under others the old one may not be read."""
    array_versions.record(x.data, new.data, array_versions.UPDATE)
    return new
