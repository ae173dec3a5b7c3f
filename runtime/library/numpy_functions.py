"""`math`, `cmath` and `numpy` functions called with traced arguments.

`numpy.f` becomes `jax.numpy.f` (submodules too); what it makes of Python's numbers is NumPy's, so not weakly typed.
`math.f` becomes the operation that computes it, on scalars, with results that promote as Python's numbers do (weakly
typed). Called with values that are known, every function is itself.

NB where `math` raises for a number outside its domain (`math.sqrt(-1)`), a traced value gives what IEEE arithmetic
gives (NaN or an infinity), unless a handler would catch what Python raises there (`arithmetic_errors`).

>>> import jax, math
>>> float(jax.jit(counterpart(math.hypot))(3.0, 4.0)), counterpart(math.hypot)(3.0, 4.0)
(5.0, 5.0)
>>> jax.jit(lambda x: counterpart(np.array)([x, 2.0]))(1.0)
Array([1., 2.], dtype=float32)
"""

from __future__ import annotations

import cmath
import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.analyses import numpy_writes
from autograph.analyses.argument_writes import WRITERS
from autograph.errors import StagingError
from autograph.jax_internals import is_tracing
from autograph.runtime.heap import array_views, constants, journal
from autograph.runtime.library import (
    arithmetic_errors,
    bounded_calls,
    numpy_arguments,
    numpy_outputs,
    numpy_ufuncs,
    numpy_versions,
)
from autograph.runtime.library.builtin_functions import BUILTINS
from autograph.runtime.library.math_functions import CMATH, MATH
from autograph.runtime.sequences import counted_range, narrow_integers, ranges
from autograph.runtime.sequences.bounded_functions import MAKERS, computed
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.sequences.bounded_makers import SIZED
from autograph.runtime.tracing import context, stacked_rows
from autograph.runtime.tracing.array_types import type_of
from autograph.runtime.tracing.known import functions as known_functions
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import holds_traced, is_tracer, takes_traced
from autograph.runtime.values.bounded_array import BoundedArray

_SLIDING = frozenset(("convolve", "correlate", "polymul"))
"""Functions of numpy that give integers for integers; those of jax.numpy give floats."""

_VIEWS = frozenset(("broadcast_to", "diagonal", "linalg.diagonal", "unstack"))
"""Functions of numpy that give views of their first argument, which the operations of JAX's do not tell."""

_VIEWS_OF_EACH = frozenset(("atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays"))
"""Functions of numpy that give a view of each of their arguments."""

_COPIES = frozenset(
    "append apply_along_axis around block column_stack concat concatenate dstack hstack meshgrid pad repeat resize roll round "
    "row_stack stack take tile vstack".split()
)
"""Functions of numpy that make a copy where those of jax.numpy may return the array that they were given; so do all ufuncs."""

_OF_ARRAYS = frozenset(
    "around array_split diff flip hsplit imag moveaxis permute_dims real repeat reshape rollaxis round split squeeze swapaxes "
    "transpose unstack vsplit".split()
)
"""Functions of numpy that leave an array of JAX to its own methods, so that what is weakly typed stays so."""

_KEYWORDS = {("clip", "a"): "arr", ("clip", "a_min"): "min", ("clip", "a_max"): "max"}
"""Keywords that jax.numpy spells otherwise."""

_FORGIVING = frozenset(("array_equal", "array_equiv"))
"""Functions of numpy that take whatever no array can be made of for unequal, also where an error of ours says why."""

_WITHOUT_NAMESAKE: dict[str, Callable[..., Any]] = {
    "asanyarray": jnp.asarray,
    "ascontiguousarray": lambda a, dtype=None: jnp.atleast_1d(jnp.asarray(a, dtype)),
    "asfortranarray": lambda a, dtype=None: jnp.atleast_1d(jnp.asarray(a, dtype)),
    "common_type": lambda *arrays: np.common_type(*(np.empty(0, x.dtype) for x in arrays)),
}
"""Functions of numpy that do for an array of JAX what functions of other names do, or tell what is known of it."""


def counterpart(fn: Any) -> Callable[..., Any] | None:
    """What does the same as `fn` on traced values too: of Python, `math`, `cmath` or `numpy`; None for other functions."""
    try:
        found = _counterparts().get(fn)
    except TypeError:  # unhashable, so none of them
        return None
    if found is not None and context.progress.level is not None and known_functions.is_function(fn):
        return known_functions.or_else(fn, found)
    return found


@functools.cache
def _counterparts() -> dict[Any, Callable[..., Any]]:
    table: dict[Any, Callable[..., Any]] = {}
    for module, known in ((math, MATH), (cmath, CMATH)):
        for name, fn in vars(module).items():
            if callable(fn) and not name.startswith("_"):
                table[fn] = functools.partial(_of_math, fn, f"{module.__name__}.{name}", known.get(name))
    for path, module in (("", np), ("linalg.", np.linalg), ("fft.", np.fft)):
        for name, fn in vars(module).items():
            is_exception = isinstance(fn, type) and issubclass(fn, BaseException)
            if callable(fn) and not name.startswith("_") and not is_exception:
                table.setdefault(fn, _of_numpy(fn, path + _own_name(fn, module, name)))
    for name, fn in vars(np.random).items():
        if callable(fn) and not name.startswith("_") and not isinstance(fn, type):
            table[fn] = functools.partial(_of_random, fn, name)
    for builtin in (bytes, object, abs):
        table.pop(builtin, None)
    table |= bounded_calls.functions_of_jax()
    table[np.iterable] = lambda y: type(y) in (BoundedArray, counted_range.range) or np.iterable(y)
    for module in (np, jnp):
        table[module.size] = functools.partial(_size, table.get(module.size, module.size))
        for name in SIZED:
            fn = getattr(module, name)
            table[fn] = bounded_calls.of_size(name, table.get(fn, fn), module is np)
        table[module.arange] = functools.partial(_arange, table[module.arange])
    for name in MAKERS:
        for module in (np, jnp):
            fn = getattr(module, name)
            table[fn] = bounded_calls.maker(name, table.get(fn, fn))
    return table | BUILTINS | stacked_rows.COUNTERPARTS


def _size(fn: Callable[..., Any], /, a: Any, *args: Any, **kwargs: Any) -> Any:
    """`np.size`, for which the `size` of a list whose length is not known, its length, is the one that an array has."""
    return fn(a.whole_axis() if type(a) is BoundedList and a.is_traced() else a, *args, **kwargs)


def _arange(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`np.arange`, also between numbers of a loop that are as far apart in each iteration: `np.arange(i, i + 3)`."""
    if 2 <= len(args) <= 3 and any(type(x) is KnownTracer for x in args) and kwargs.keys() <= {"dtype"}:
        numbers = ranges.array_between(*args)
        if numbers is not None:
            return numbers if kwargs.get("dtype") is None else numbers.astype(kwargs["dtype"])
    return fn(*args, **kwargs)


def _own_name(fn: Any, module: Any, name: str) -> str:
    """The name that a function gives itself: `transpose` has another one besides, which asks for more in jax.numpy."""
    own = getattr(fn, "__name__", name)
    return own if getattr(module, own, None) is fn else name


def _of_math(fn: Any, name: str, staged: Callable[..., Any] | None, /, *args: Any, **kwargs: Any) -> Any:
    if not takes_traced(args, kwargs):
        return fn(*args, **kwargs)
    if staged is None:
        raise refusal(
            f"{name}() has no traced counterpart",
            why="its argument is not known while the program is traced",
            instead="compute it from a Python value (a static argument), or write it with jax.numpy",
            page="math-function-without-counterpart",
        )
    result = staged(*args, **kwargs)
    return arithmetic_errors.check_call(name, result, args) if arithmetic_errors.may_fail(name) else result


def _of_numpy(fn: Any, name: str) -> Callable[..., Any]:
    may_fail, version = arithmetic_errors.may_fail(f"numpy.{name}"), numpy_versions.VERSIONS.get(name)
    outputs, is_ufunc = _outputs(fn, name), isinstance(fn, np.ufunc)

    def call(*args: Any, **kwargs: Any) -> Any:
        if context.progress.has_bounded and bounded_calls.takes_bounded(args, kwargs):
            if numpy_outputs.has_outputs(args, kwargs, outputs):
                return numpy_outputs.call_with_outputs(f"numpy.{name}", call, args, kwargs, outputs, is_ufunc=is_ufunc)
            return computed(name.rpartition(".")[2], args, kwargs)
        if not takes_traced(args, kwargs):
            if context.active() or is_tracing():
                touch_written(fn, name, args, kwargs)
            if name in _FORGIVING:
                _check_arrays((*args, *kwargs.values()))
            return fn(*args, **kwargs)
        found = version or functools.reduce(
            lambda owner, part: getattr(owner, part, None), name.split("."), cast(Any, jnp)
        )
        found = found or _WITHOUT_NAMESAKE.get(name)
        is_kept = name == "nan_to_num" and not kwargs.get("copy", args[1] if args[1:] else True)
        if is_kept and args and is_tracer(args[0]):
            return numpy_outputs.write_first("nan_to_num", *args, **kwargs)
        if name in WRITERS or is_kept:
            raise refusal(
                f"numpy.{name}() changes an array in place",
                why="an argument is traced, and arrays of a compiled program are values",
                instead="write the elements (`x[i] = v`, `x[:] = v`, `x[mask] = v`)"
                if found is None
                else "write the elements (`x[i] = v`), or use the array that jax.numpy returns "
                f"(`x = jnp.{name}(...)`, with `inplace=False` where it asks for that)",
                page="numpy-in-place",
            )
        if found is None:
            raise _without_counterpart(f"numpy.{name}")
        if numpy_outputs.has_outputs(args, kwargs, outputs):
            return numpy_outputs.call_with_outputs(f"numpy.{name}", call, args, kwargs, outputs, is_ufunc=is_ufunc)
        kwargs = {_KEYWORDS.get((name, k), k): v for k, v in kwargs.items()}
        if name not in numpy_arguments.SEQUENCES:
            args = tuple(stacked_rows.array_of_rows(x) if type(x) in (list, tuple) and holds_traced(x) else x for x in args)
        if isinstance(fn, np.ufunc):
            args = tuple(strong(x) if _is_array(x) else x for x in args)
            for x in args:
                if type(x) is int and not 0 <= x <= 127:
                    args = narrow_integers.checked_operands(fn, args)
                    break
        result = numpy_arguments.call_numpy(fn, stacked_rows.COUNTERPARTS.get(found, found), name, args, kwargs)
        if name in _SLIDING:
            result = _whole(result, [x for x in (*args[:2], *kwargs.values()) if type(x) is not str])
        if name not in _OF_ARRAYS or not (args and _is_array(args[0])):
            result = jax.tree.map(strong, result)
        result = _shared(fn, name, result, args, kwargs)
        return arithmetic_errors.check_call(f"numpy.{name}", result, args) if may_fail else result

    return call


def ufunc_method(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Computes what a method of a ufunc returns for traced arguments (`np.hypot.outer(a, b)`)."""
    name = f.__self__.__name__
    found = getattr(jnp, name, None)
    if found is None:
        raise _without_counterpart(f"numpy.{name}.{f.__name__}")
    return strong(numpy_ufuncs.ufunc_result(f, found, args, kwargs))


def _without_counterpart(name: str) -> Exception:
    return refusal(
        f"{name}() has no counterpart in jax.numpy",
        why="its argument is traced, and NumPy computes on known values only",
        instead="write it with jax.numpy, or call it through jax.pure_callback",
        page="numpy-function-without-counterpart",
    )


def _shared(fn: Any, name: str, result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result, with a note of what it shares elements with in NumPy where the operations of JAX do not tell."""
    if isinstance(fn, np.ufunc) or name in _COPIES or (name == "reshape" and kwargs.get("copy")):
        given = jax.tree.leaves((args, kwargs))
        given += [result] if args and type(args[0]) is list else []  # of which the elements may be rows
        return jax.tree.map(lambda x: array_views.copied(x, given), result)
    if name in _VIEWS or (name == "einsum" and _is_view(args)) or (name == "diag" and args and jnp.ndim(args[0]) == 2):
        for view in jax.tree.leaves(result):
            array_views.note_choice(view, args)
            if name not in ("einsum", "unstack") and view is not args[0]:
                array_views.note_read_only(view)
    elif name in _VIEWS_OF_EACH:
        for view, x in zip(jax.tree.leaves(result), args, strict=False):
            array_views.note_choice(view, [x])
    elif name in ("squeeze", "reshape") and args:
        array_views.view_without_axes(result, args[0])
    return result


def _is_view(args: tuple[Any, ...]) -> bool:
    """Whether an `einsum` is a view of its operand: of one, and it sums nothing."""
    if len(args) != 2 or type(args[0]) is not str:
        return False
    given, arrow, left = args[0].replace(" ", "").partition("->")
    return set(given) == set(left) if arrow else len(set(given)) == len(given)


def _check_arrays(values: Iterable[Any]) -> None:
    """Raises what `np.asarray` raises of ours: a list of a length that is not known yet."""
    for x in values:
        try:
            np.asarray(x)
        except StagingError:
            raise
        except Exception:
            continue  # as in NumPy


def strong(x: Any) -> Any:
    """What NumPy makes of a Python number: a scalar or an array, which is not weakly typed."""
    return lax.convert_element_type(x, x.dtype) if is_tracer(x) and type_of(x).weak else x


def _whole(x: Any, operands: list[Any]) -> Any:
    """A result in floats in the type of its operands, where these are integers or bools."""
    kind = jnp.result_type(*map(jnp.asarray, operands))
    if jnp.issubdtype(kind, jnp.inexact):
        return x
    return x.astype(int).astype(kind)  # by way of a wide type, so that a narrow one wraps around


def _is_array(x: Any) -> bool:
    return is_tracer(x) and bool(jax.typeof(x).shape)


def _outputs(fn: Any, name: str) -> slice:
    return slice(fn.nin, None) if isinstance(fn, np.ufunc) else numpy_writes.PLACES_OF_OUT.get(name, slice(99, 99))


def touch_written(fn: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Announces the arguments that a function of numpy writes to, a method of an array, or one of a ufunc."""
    found = [*out] if isinstance(out := kwargs.get("out"), tuple) else [out]
    if name in WRITERS or name == "at":
        found += [*args[:1], *(kwargs.get(key) for key in ("dst", "arr", "a"))]
    found += args[_outputs(fn, name)]
    for array in found:
        journal.touch_container(array)


def _of_random(fn: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    if takes_traced(args, kwargs):
        raise refusal(
            f"numpy.random.{name}() is called with a traced argument",
            why="NumPy draws once, while the program is traced",
            instead="draw with jax.random and a key",
            page="numpy-random",
        )
    return (constants.check_constants_after(fn) if is_tracing() else fn)(*args, **kwargs)
