"""Arrays beside a list, and narrow integers (`uint8`, `int16`, ...) beside a Python int that their type cannot hold: as in NumPy.

JAX refuses the list, of which NumPy makes an array. It casts the Python int first, and compares `b < 300` of a `uint8` array as
`b < 44`. NumPy compares exactly, and raises in arithmetic.

| the Python int | comparisons | arithmetic |
| --- | --- | --- |
| known, beyond the type | decided: all numbers of the type are on one side | `OverflowError`, as NumPy |
| traced | with the nearest number of the type, and a test of where the int lies | JAX's: it wraps around (`docs/limits.md`) |
| anything else | JAX's | JAX's |

An operator is no call in converted code, so JAX's tracers look at who operates, as sizes do (`tracing.sizes`): everybody else gets
JAX's answer. Where neither operand is a narrow integer or a list they make no other call than JAX's own.

>>> import jax
>>> from autograph.api import convert
>>> f = jax.jit(convert(lambda b, n: (b < 300, b == n)))
>>> [x.tolist() for x in f(np.uint8([3, 44]), 300)], [x.tolist() for x in f(np.uint8([3, 44]), 44)]
([[True, True], [False, False]], [[True, True], [False, True]])
>>> try:
...     jax.jit(convert(lambda b: b + 300))(np.uint8([3]))
... except OverflowError as error:
...     str(error).splitlines()[0]
'Python integer 300 out of bounds for uint8'
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer

from autograph.errors import is_ours
from autograph.jax_internals import ARRAY_TYPE
from autograph.runtime.sequences.large_integers import COMPARISONS, MIRRORED, beside_large, decided_comparison
from autograph.runtime.tracing import integer_ranges, sizes
from autograph.runtime.tracing.array_types import python_type
from autograph.runtime.tracing.families import NUMBERS
from autograph.runtime.tracing.staging import is_array_like, is_tracer

Limits = tuple[int, int]

_LIMITS: dict[Any, Limits] = {
    np.dtype(kind): (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)
}
limits_of: Callable[[Any], Limits | None] = _LIMITS.get
"""The least and the greatest number of a type of integers; None of any other type."""

_METHODS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_ARITHMETIC = "add sub mul floordiv mod divmod pow and or xor lshift rshift truediv matmul".split()
_OF_ANY_INT = frozenset(("_truediv", "_rtruediv", "_matmul", "_rmatmul"))  # NumPy computes in floats, or takes no number
_FOR_THE_USER = frozenset(
    f"{name}.py"
    for name in "arithmetic_errors builtin_functions choices comparison constants emission function_arguments "
    "generator_arguments inplace_operators math_functions membership native_methods number numpy_versions opaque_calls "
    "order_reads powers python_bools repeated_lists traced_index".split()
)
"""The files of ours that operate for the user's code."""


def out_of_bounds(n: int, dtype: Any) -> OverflowError:
    """Makes NumPy's error for a Python int that a type cannot hold."""
    if -(2**63) <= n < 2**63:
        return OverflowError(f"Python integer {n} out of bounds for {np.dtype(dtype).name}")
    return OverflowError("Python int too large to convert to C long")


def is_beyond(n: int, dtype: Any) -> bool:
    """Whether a type of integers cannot hold a Python int."""
    limits = limits_of(dtype)
    return limits is not None and not limits[0] <= n <= limits[1]


def is_refused(n: int, dtype: Any) -> bool:
    """Whether NumPy refuses arithmetic of an array beside a Python int; where JAX itself refuses an int, it says so better."""
    if not is_beyond(n, dtype):
        return False
    default = np.dtype(jnp.result_type(int))
    return dtype.itemsize < default.itemsize or _LIMITS[default][0] <= n <= _LIMITS[default][1]


def check_numbers(value: Any, dtype: Any) -> None:
    """Raises NumPy's error for a Python int, or a list with one, that an array of integers cannot hold."""
    if type(value) in (list, tuple):
        for part in value:
            check_numbers(part, dtype)
    elif type(value) is int and is_refused(value, dtype):
        raise out_of_bounds(value, dtype)


def clamped(n: Any, dtype: Any) -> Any:
    """The number of a type that is nearest to a traced integer, in the integer's own type."""
    (low, high), (least, greatest) = _LIMITS[dtype], _LIMITS[n.dtype]
    return lax.clamp(n.dtype.type(max(low, least)), n, n.dtype.type(min(high, greatest)))


def checked_operands(fn: np.ufunc, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the operands of a NumPy function, one of them a Python int; raises NumPy's error for an int that is too large."""
    dtypes = [x.dtype for x in args if issubclass(type(x), Tracer) and not x.aval.weak_type]
    refused = [x for x in args if type(x) is int and any(is_refused(x, dtype) for dtype in dtypes)]
    if not refused or fn in _COMPARING:
        return args
    if fn in _LOGICAL:
        return tuple(bool(x) if type(x) is int else x for x in args)
    try:
        fn(*(x if type(x) is int else np.zeros(1, x.dtype) for x in args))
    except OverflowError:
        raise out_of_bounds(refused[0], dtypes[0]) from None
    return args


_COMPARING = frozenset((np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal))
_LOGICAL = frozenset((np.logical_and, np.logical_or, np.logical_xor))


def compared(symbol: str, x: Any, n: Any) -> Any:
    """`x <symbol> n` of a narrow integer and a traced Python int; `NotImplemented` where JAX's answer is right."""
    dtype = x.dtype
    (low, high), bounds = _LIMITS[dtype], integer_ranges.range_of(n) or _LIMITS[n.dtype]
    if low <= bounds[0] and bounds[1] <= high:
        return NotImplemented
    near = clamped(n, dtype)
    found = COMPARISONS[symbol](x, lax.convert_element_type(near, dtype))
    if symbol in ("==", "!="):
        return found & (n == near) if symbol == "==" else found | (n != near)
    # The nearest number stands for an int beyond it where they compare alike: `x < near` is false of the least, as `x < n`.
    outside = beyond(n, dtype)[symbol in (">", "<=")]
    if outside is False:
        return found
    return found | outside if symbol in ("<", ">") else found & ~outside


def beyond(n: Any, dtype: Any) -> tuple[Any, Any]:
    """Whether a traced integer is above all numbers of a type, and whether it is below; False where it cannot be."""
    (low, high), (least, greatest) = _LIMITS[dtype], _LIMITS[n.dtype]
    return greatest > high and n > high, least < low and n < low


def _is_for_the_user(frame: FrameType) -> bool:
    filename = frame.f_code.co_filename
    if is_ours(filename):
        return os.path.basename(filename) in _FOR_THE_USER
    return sizes.is_converted(frame)


def array_of_list(xs: Any) -> Any:
    """The array that NumPy makes of a list or tuple beside an array; `xs` itself where it holds something that is no number."""
    if not _has_numbers_alone(xs):
        return xs
    found = jnp.asarray(xs)
    return lax.convert_element_type(found, found.dtype)  # strongly typed, also of Python numbers


def _has_numbers_alone(xs: Any) -> bool:
    return all(_has_numbers_alone(x) if type(x) in _LISTS else is_array_like(x) for x in xs)


_LISTS = frozenset((list, tuple))


def _comparison(symbol: str, native: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Makes the method of tracers for a comparison. Without a narrow integer it calls what JAX's own method calls, and no more."""
    forwarded, mirrored, is_order = f"_{_METHODS[symbol]}", MIRRORED.get(symbol, symbol), symbol in MIRRORED

    @functools.wraps(native)
    def compare(self: Any, other: Any) -> Any:
        aval, kind = self.aval, type(other)
        weak, dtype = getattr(aval, "weak_type", None), getattr(aval, "dtype", None)
        if kind is int:
            if not 0 <= other <= 127 and not weak and (limits := limits_of(dtype)) is not None:
                if not limits[0] <= other <= limits[1] and _is_for_the_user(sys._getframe(1)):
                    return decided_comparison(symbol, self, other > 0)
        elif kind in _LISTS:
            if self.ndim and _is_for_the_user(sys._getframe(1)):
                other = array_of_list(other)
        elif issubclass(kind, _HAVE_TYPES):
            theirs = getattr(other, "aval", other)
            if weak is not getattr(theirs, "weak_type", False) and dtype is not theirs.dtype:
                if limits_of(dtype) and limits_of(theirs.dtype) and _is_for_the_user(sys._getframe(1)):
                    found = compared(mirrored, other, self) if weak else compared(symbol, self, other)
                    if found is not NotImplemented:
                        return found
        if (
            weak
            and is_order
            and (dtype in _COMPLEX or getattr(getattr(other, "aval", None), "dtype", None) in _COMPLEX)
        ):
            _check_order(symbol, self, other)
        try:
            return getattr(aval, forwarded)(self, other)
        except OverflowError:
            return _beside_large(forwarded, self, other, sys._getframe(1))

    return compare


_HAVE_TYPES = (Tracer, np.ndarray, np.integer) if ARRAY_TYPE is None else (Tracer, np.ndarray, np.integer, ARRAY_TYPE)
_COMPLEX = frozenset((np.dtype(np.complex64), np.dtype(np.complex128)))


def _check_order(symbol: str, x: Any, y: Any) -> None:
    """Raises Python's error for an order of numbers of its own of which one is complex; NumPy's have an order."""
    names = [_name_of_number(n) for n in (x, y)]
    if all(names) and _is_for_the_user(sys._getframe(2)):
        raise TypeError(f"'{symbol}' not supported between instances of '{names[0]}' and '{names[1]}'")


def _name_of_number(n: Any) -> str | None:
    """Returns the name of the type of a Python number, known or traced."""
    if type(n) in NUMBERS:
        return type(n).__name__
    return str(python_type(n.dtype).__name__) if is_tracer(n) and n.aval.weak_type else None


def _arithmetic(forwarded: str, native: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the method of tracers for an arithmetic operator."""
    checked = None if forwarded in _OF_ANY_INT else int

    @functools.wraps(native)
    def operate(self: Any, other: Any, *more: Any) -> Any:
        aval = self.aval
        if type(other) in _LISTS and self.ndim and _is_for_the_user(sys._getframe(1)):
            other = array_of_list(other)
        elif type(other) is checked and not 0 <= other <= 127 and not getattr(aval, "weak_type", True):
            limits = limits_of(aval.dtype)
            if limits is not None and not limits[0] <= other <= limits[1]:
                if is_refused(other, aval.dtype) and _is_for_the_user(sys._getframe(1)):
                    raise out_of_bounds(other, aval.dtype)
        try:
            return getattr(aval, forwarded)(self, other, *more)
        except OverflowError:
            return _beside_large(forwarded, self, other, sys._getframe(1))

    return operate


def _beside_large(forwarded: str, x: Any, n: Any, frame: FrameType) -> Any:
    """Computes what JAX has just refused: one operand is an int beyond its own."""
    found = beside_large(forwarded[1:], x, n) if type(n) is int and _is_for_the_user(frame) else NotImplemented
    if found is NotImplemented:
        raise
    return found


def _install() -> None:
    """Has tracers ask who operates. NB `docs/what_it_changes.md` says so."""
    for symbol, name in _METHODS.items():
        method = f"__{name}__"
        setattr(Tracer, method, _comparison(symbol, getattr(Tracer, method)))
    for name in (*_ARITHMETIC, *(f"r{name}" for name in _ARITHMETIC)):
        method = f"__{name}__"
        setattr(Tracer, method, _arithmetic(f"_{name}", getattr(Tracer, method)))


_install()
