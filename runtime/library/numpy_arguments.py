"""Arguments that functions of NumPy take and those of jax.numpy do not: lists for arrays, keywords, numbers of decimals.

A call is tried as it stands. Only where jax.numpy raises is it looked at: so what both take costs nothing.

| argument | what becomes of it |
| --- | --- |
| a list where an array is meant | an array |
| `order=`, `subok=`, `like=None`, `device="cpu"` of a function whose result they do not change | dropped |
| `kind=` of `sort`, `argsort`, `isin` | dropped: the sort of JAX is stable |
| `casting=` that NumPy accepts there, `correction=` of `nanstd` and `nanvar` | dropped; `ddof=` |
| `dtype=` of a ufunc | the operands are converted |
| a negative number of decimals for integers, `triu` of one axis | computed here |

What is left is refused by name, unless NumPy raises as well.

>>> call_numpy(np.sort, jnp.sort, "sort", ([2, 1],), {"kind": "stable"})
Array([1, 2], dtype=int32)
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.analyses.numpy_writes import PLACES_OF_OUT
from autograph.runtime.library import numpy_outputs, rounding
from autograph.runtime.library.numpy_trials import (
    lacks,
    numpy_returns,
    refuse_if_lacking,
    with_refusal,
)
from autograph.runtime.sequences import counted_range
from autograph.runtime.tracing import stacked_rows
from autograph.runtime.tracing.staging import holds_traced

SEQUENCES = frozenset(
    "array asarray asanyarray stack concatenate concat hstack vstack dstack column_stack row_stack block "
    "broadcast_arrays meshgrid select choose einsum einsum_path lexsort ix_ linalg.multi_dot piecewise histogramdd".split()
)
"""Functions of numpy that take a sequence of arrays as such; other functions take a list for an array."""

_NO_ARRAYS = frozenset(
    "axes axis dims dtype indices_or_sections newshape optimize pad_width range reps s shape shift source destination".split()
)
"""Parameters of functions of numpy that take a list as such."""

_LISTS = (list, tuple, range, counted_range.range)
"""What NumPy takes for an array, and functions of jax.numpy do not."""

_LAYOUT = frozenset(
    "copy array asarray asanyarray ascontiguousarray asfortranarray astype zeros_like ones_like full_like empty_like".split()
)
"""Functions whose `order` is that of the numbers in memory, which an array of JAX does not tell."""

_OF_LISTS = frozenset("all any clip dot max mean min prod repeat searchsorted std sum take var".split())
"""Methods that take a list for an array: of numbers, of places, or of what counts."""

_FLAT = frozenset(("ravel", "flatten", "reshape"))
_UNUSED = {
    "subok": (True, False),
    "like": (None,),
    "device": (None, "cpu"),
    "where": (True,),
    "casting": ("same_kind",),
}
"""Keywords, and the values with which they change nothing."""


def call_numpy(fn: Any, found: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Returns what NumPy's function `fn` returns, by a function of jax.numpy.

    Args:
        name: the name of `fn` below `numpy`.
    """
    if name in _ORDERED:
        _check_order(f"numpy.{name}", *args[:1])
    try:
        return found(*args, **kwargs)
    except Exception as error:
        other = _adapted(fn, found, name, args, kwargs)
        if other is None:
            refuse_if_lacking(fn, f"numpy.{name}", args, kwargs, error)
            raise
    call, places, keywords = other
    return with_refusal(lambda: call(*places, **keywords), fn, f"numpy.{name}", args, kwargs)


def call_method(f: Any, name: str, x: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Returns what a method `f`, bound to the traced array `x`, returns in NumPy."""
    if name in _ORDERED:
        _check_order(f"ndarray.{name}", x)
    start = PLACES_OF_OUT.get(name, slice(99, 99)).start - 1
    if numpy_outputs.has_outputs(args, kwargs, slice(start, start + 1)):
        call = functools.partial(call_method, f, name, x)
        return numpy_outputs.call_with_outputs(f"ndarray.{name}", call, args, kwargs, slice(start, start + 1))
    try:
        return f(*args, **kwargs)
    except Exception as error:
        fn = getattr(np.ndarray, name)
        left = {key: value for key, value in kwargs.items() if not _is_idle(fn, name, key, value, (x, *args), kwargs)}
        if name in _OF_LISTS:
            other, left = tuple(map(_listed, args)), {key: _listed(value) for key, value in left.items()}
        else:
            other = () if name == "copy" or (name in _FLAT and args in (("A",), ("K",)) and x.ndim < 2) else args
        found = _VERSIONS.get(f"ndarray.{name}") or _VERSIONS.get(name)
        version = f if found is None else functools.partial(found, x)
        if version is f and _is_same(left, kwargs) and len(other) == len(args) and all(map(operator.is_, other, args)):
            refuse_if_lacking(fn, f"ndarray.{name}", (x, *args), kwargs, error)
            raise
    return with_refusal(lambda: version(*other, **left), fn, f"ndarray.{name}", (x, *args), kwargs)


_ORDERED = frozenset(("argmax", "argmin", "nanargmax", "nanargmin"))


def _check_order(name: str, *given: Any) -> None:
    """Refuses what JAX refuses only when it compiles the program, with no line of the user's."""
    if any(map(np.iscomplexobj, given)):
        raise lacks(name, "complex numbers have no order")


def _listed(x: Any) -> Any:
    return _array(x) if type(x) in _LISTS else x


def _adapted(
    fn: Any, found: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]] | None:
    """A call that says the same to jax.numpy; None where there is none."""
    left = {key: value for key, value in kwargs.items() if not _is_idle(fn, name, key, value, args, kwargs)}
    if name in ("nanstd", "nanvar") and "correction" in left:
        left["ddof"] = left.pop("correction")
    if isinstance(fn, np.ufunc) and "dtype" in left and numpy_returns(fn, args, kwargs):
        return functools.partial(_in_dtype, fn, found, left.pop("dtype")), args, left
    version = _VERSIONS.get(name, found)
    arrays = _with_arrays(found, name, args, left)
    if arrays is not None:
        return version, arrays.args, arrays.kwargs
    return None if version is found and _is_same(left, kwargs) else (version, args, left)


def _is_same(left: dict[str, Any], kwargs: dict[str, Any]) -> bool:
    return left.keys() == kwargs.keys() and all(left[key] is kwargs[key] for key in kwargs)


def _is_idle(fn: Any, name: str, key: str, value: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a keyword changes nothing in the result."""
    if key == "order":
        is_of_flat = value == "A" or (value == "K" and name != "reshape")
        is_idle = is_of_flat and name in _FLAT and bool(args) and np.ndim(args[0]) < 2
        return is_idle or name in _LAYOUT or isinstance(fn, np.ufunc)
    if key == "kind":
        return name in ("sort", "argsort") or (name == "isin" and value in (None, "sort", "table"))
    if key == "casting" and value != "same_kind":
        return numpy_returns(fn, args, kwargs)
    return any(value is one or value == one for one in _UNUSED.get(key, ()) if type(value) is type(one))


def _in_dtype(fn: np.ufunc, found: Callable[..., Any], dtype: Any, /, *args: Any, **kwargs: Any) -> Any:
    """A ufunc that computes in a dtype; one that gives bools takes it for that of its result."""
    kind = jax.dtypes.canonicalize_dtype(np.dtype(dtype))
    if kind.kind == "b" and fn.nin == 2:
        return found(*args, **kwargs)
    return found(*(lax.convert_element_type(x, kind) for x in args), **kwargs)


def _round(a: Any, decimals: int = 0, out: None = None) -> Any:
    is_integer = jnp.issubdtype(jnp.asarray(a).dtype, jnp.integer)
    return rounding.round_to(a, decimals) if is_integer else jnp.round(a, decimals)


def _triangle(found: Callable[..., Any], /, m: Any, k: int = 0) -> Any:
    m = jnp.asarray(m)
    return found(jnp.broadcast_to(m, (len(m), len(m))) if m.ndim == 1 else m, k)


def _choose(a: Any, choices: Any, out: None = None, mode: str = "raise") -> Any:
    if not holds_traced(a):
        np.asarray(a).choose(np.zeros(len(choices)), mode=cast(Any, mode))  # raises for a choice that there is not
        a, mode = np.asarray(a), "clip" if mode == "raise" else mode
    return jnp.choose(a, choices, mode=mode)


def _compress(x: Any, condition: Any, axis: Any = None, out: None = None) -> Any:
    if holds_traced(condition):
        return x.compress(condition, axis)
    places = np.flatnonzero(condition)
    np.empty(x.size if axis is None else x.shape[axis])[places]  # raises for one that there is not
    return x.ravel()[places] if axis is None else jnp.take(x, places, axis)


_VERSIONS: dict[str, Callable[..., Any]] = {
    "round": _round,
    "around": _round,
    "triu": functools.partial(_triangle, jnp.triu),
    "tril": functools.partial(_triangle, jnp.tril),
    "choose": _choose,
    "ndarray.compress": _compress,
}
"""What computes where jax.numpy raises, by the names in NumPy."""

METHODS = {
    f: name
    for name in (
        "all any argmax argmin argsort argpartition astype byteswap choose clip compress conj copy cumprod cumsum dot flatten "
        "max mean min nonzero prod ptp ravel repeat reshape round searchsorted squeeze std sum swapaxes take to_device trace "
        "transpose var view"
    ).split()
    if (f := vars(jax.core.Tracer).get(name)) is not None
}
"""The methods of traced arrays, each with its name."""


def _with_arrays(
    found: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> inspect.BoundArguments | None:
    """The arguments with arrays for the lists among them, those that name axes and the like aside; None where there are none."""
    try:
        bound = inspect.signature(found).bind(*args, **kwargs)
    except (TypeError, ValueError):  # wrong ones; a function without a signature
        return None
    changed = False
    for key, value in bound.arguments.items():
        many = bound.signature.parameters[key].kind is inspect.Parameter.VAR_POSITIONAL
        if type(value) not in _LISTS or key in _NO_ARRAYS:
            continue
        if type(value) in (list, tuple) and (many or name in SEQUENCES):
            new = type(value)(_array(x) if type(x) in _LISTS else x for x in value)
            changed = changed or any(map(operator.is_not, new, value))
        else:
            new, changed = _array(value if key != "obj" or len(value) else np.zeros(0, int)), True
        bound.arguments[key] = new
    return bound if changed else None


def _array(x: Any) -> Any:
    """The array that a list or tuple stands for; a known one (the places that `np.delete` leaves out) stays known."""
    if holds_traced(x):
        return stacked_rows.array_of_rows(x)
    with jax.ensure_compile_time_eval():
        return jnp.asarray(x)
