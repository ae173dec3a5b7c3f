"""Elements: `x[i]`, `x[i:i + k]`, `x[i] = v`, `x[i] += v`, `del x[i]`, on lists, dicts, arrays, the user's containers.

| `x` | read at a traced index | write |
| --- | --- | --- |
| JAX array | the nearest element | a new array, bound to the same name |
| NumPy array | as a JAX array | in place; of a traced value or at a traced index: refused |
| list, tuple, range | the elements stacked | in place; at a traced index each becomes `v if k == i else x[k]` |
| dict | refused: keys are looked up by hash | in place |
| user's class | its `__getitem__`, `__setitem__`, `__delitem__`, converted | the same |

Negative traced indices count from the end. A traced index out of the range of a Python sequence makes the compiled
program fail. On arrays it cannot: reads take the nearest element in range, writes do nothing, as JAX's arrays do
everywhere; a known index out of range of a write raises `IndexError`.

NB JAX arrays are values: `y = x` before `x[0] = 1` keeps the old array in `y`, which may not be read then (`array_versions`).

>>> import jax, jax.numpy as jnp
>>> def f(i):
...     x = jnp.zeros(3)
...     x = set_item(5.0, x, i)
...     return get_item([10, 20, 30], i), x
>>> jax.jit(f)(-1)
(Array(30, dtype=int32, weak_type=True), Array([0., 0., 5.], dtype=float32))
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.code.library import is_library
from autograph.runtime.checks import traced_strings
from autograph.runtime.heap import array_versions, array_views, constants, iterated_containers, journal
from autograph.runtime.operators import augmented
from autograph.runtime.sequences import (
    array_items,
    array_writes,
    bounded_items,
    bounded_operators,
    comparison,
    index_lists,
    joined_arrays,
    traced_index,
    traced_keys,
)
from autograph.runtime.sequences.inplace_operators import combined
from autograph.runtime.tracing import context, host, sizes
from autograph.runtime.tracing.class_lookup import python_method
from autograph.runtime.tracing.known import lookups
from autograph.runtime.tracing.known.limits import needs_number
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.refusals import a, refusal
from autograph.runtime.tracing.staging import is_jax_array, is_traced, is_tracer
from autograph.runtime.values import choices, order_reads
from autograph.runtime.values.bounded_array import BoundedArray
from autograph.runtime.values.locations import GlobalLocation
from autograph.runtime.values.merge import describe


def get_item(x: Any, i: Any) -> Any:
    """`x[i]`."""
    if type(i) is choices.Choice:
        return choices.each_apart(get_item, x, i)
    if context.progress.has_choices and type(i) is tuple and any(type(part) is choices.Choice for part in i):
        return choices.each_apart(lambda *parts: get_item(x, parts), *i)
    if context.progress.level is not None and (found := lookups.number_at(x, i, _read_at)) is not NotImplemented:
        return found
    read = _READS.get(type(x))
    if read is not None:
        return read(x, i)
    return _item_of_array(x, i) if is_jax_array(x) else _item_of_object(x, i)


def _item_of_sequence(x: Any, i: Any) -> Any:
    if type(i) is slice and bounded_items.is_open_index(i):
        raise traced_index.slice_of_sequence(x)
    return traced_index.get_at(x, sizes.traced(i)) if sizes.is_unknown(i) else x[i]



def _item_of_array(x: Any, i: Any) -> Any:
    i = sizes.traced_index(i)
    if bounded_items.is_open_index(i):
        return bounded_items.read_rows(x, i)
    return array_items.read_item(x, i) if is_traced_index(i) or index_lists.has_list(i) else x[i]


def _item_of_numpys(x: Any, i: Any) -> Any:
    traced_strings.check_shows_no_traced((i,))
    if bounded_items.is_open_index(i):
        array_views.note_view(buffer := jnp.asarray(x), x)
        return bounded_items.read_rows(buffer, i)
    if not is_traced_index(i):
        return x[i]
    found = jnp.asarray(x)[index_lists.as_arrays(x, i)]
    if not index_lists.copies(i):
        array_views.note_view(found, x)
    return found


def _item_of_dict(x: Any, i: Any) -> Any:
    traced_strings.check_shows_no_traced((i,))
    if not is_traced_index(i):
        comparison.check_search(i, x)
        if issubclass(type(x), defaultdict) and i not in x:
            journal.touch_container(x)
        return x[i]
    if context.progress.is_tried and type(i) is KnownTracer:
        raise needs_number("it is a key of a dict")
    if traced_keys.may_have_key(x, i):
        return traced_keys.get_value(x, i)
    raise _not_by_traced(type(x), "read")


def _item_of_object(x: Any, i: Any) -> Any:
    """`x[i]`, by the method of its class where that is a Python function; else as of the class that it inherits from."""
    traced_strings.check_shows_no_traced((i,))
    kind = type(x)
    if kind.__module__.startswith("jax."):  # `x.at`
        i = sizes.traced_index(i)
    at_traced = is_traced_index(i)
    if not (at_traced and issubclass(kind, np.ndarray)) and (method := python_method(kind, "__getitem__")) is not None:
        return host.calls.staged(method)(x, i)
    if (base := next((base for base in _READS if issubclass(kind, base)), None)) is not None:
        return _READS[base](x, i)
    if at_traced and issubclass(kind, (str, bytes)):
        raise needs_number("it is an index of a string") if context.progress.is_tried else _not_by_traced(kind, "read")
    return x[i]


_READS: dict[type, Callable[[Any, Any], Any]] = {
    list: _item_of_sequence,
    tuple: _item_of_sequence,
    dict: _item_of_dict,
    np.ndarray: _item_of_numpys,
    BoundedArray: bounded_items.read_rows,
    range: lambda x, i: traced_index.get_from_range(x, i) if is_traced(i) else x[i],
    **dict.fromkeys(joined_arrays.JOINING, joined_arrays.join_arrays),
}


def _read_at(x: Any, i: Any) -> Any:
    """Reads an element of numbers at a traced index."""
    if type(x) is dict:
        return traced_keys.get_value(x, i) if traced_keys.may_have_key(x, i) else x[i]
    return jnp.asarray(x)[i] if type(x) is np.ndarray else traced_index.get_at(x, i)


def get_view(x: Any, i: Any) -> Any:
    """`x[..., i]`: a view of an array, in NumPy also where it has no axes; `x[None, i]`, which JAX makes of a number."""
    found = array_views.view_without_axes(get_item(x, i), x)
    if any(part is None for part in i) and not index_lists.copies(i):
        array_views.note_choice(found, [x])
    return found


def _not_by_traced(kind: type, what: str) -> Exception:
    if issubclass(kind, dict):
        return refusal(
            f"{a(kind.__name__)} cannot be {what} at a traced key",
            why="which keys it has would depend on the program, or its class decides what it does with a key that it does not have",
            instead="use a dict that has all keys (`dict.fromkeys(range(n), 0)`), an array, or a static argument",
            page="container-at-a-traced-key",
        )
    return refusal(
        f"{a(kind.__name__)} cannot be {what} at a traced index",
        why="the value is not known while the program is traced",
        instead="use a list of the letters (`list(text)`), an array, or a static argument",
        page="container-at-a-traced-key",
    )


def is_traced_index(i: Any) -> bool:
    if type(i) is tuple:
        return any(map(is_traced, i)) or bounded_items.is_open_index(i) or index_lists.has_traced_item(i)
    return is_traced(i) or bounded_items.is_open_index(i) or index_lists.has_traced_item(i)


def get_slice(x: Any, start: Any, length: Any) -> Any:
    """`x[start:start + length]`; of an array, with a traced start and a known length, a `dynamic_slice`.

    Raises:
        StagingError: `x` is a Python sequence.
    """
    if not is_traced(start) and not is_traced(length):
        return get_item(x, slice(start, start + length))
    is_array = type(x) is BoundedArray or is_jax_array(x) or issubclass(type(x), np.ndarray)
    if is_array and (is_traced(length) or type(x) is BoundedArray):
        return get_item(x, slice(start, start + length))
    if not is_array:
        raise traced_index.slice_of_sequence(x)
    original, x = x, jnp.asarray(x)
    size = x.shape[0]
    if not isinstance(length, (int, np.integer)) or length < 0 or length > size:
        raise refusal(
            f"a slice of {length} elements at a traced start, of {describe(x)}",
            why="its length would depend on the start",
            instead=f"take a known number of elements, from 0 to {size}",
            page="slice-too-long",
        )
    found = traced_index.checked_slice(x, start, int(length))
    array_views.note_view(found, original)
    return found


def set_item(value: Any, x: Any, i: Any, unshared: int | None = None) -> Any:
    """`x[i] = value`; returns `x`, or the new array where `x` is an array of JAX, or becomes one.

    Args:
        unshared: the number of axes up to which a NumPy array `x` is known to nothing but the variable that is bound anew, as
            the source shows; None where no variable is.

    Raises:
        IndexError: a known index is out of range.
        StagingError: the array's dtype cannot hold the value (an int array and a float: cast it yourself), a NumPy
            array would have to hold a traced value, a list cannot be written at a traced index.
    """
    kind = type(x)
    write = _WRITES.get(kind)
    if write is None and (kind is np.ndarray or is_jax_array(x)):
        i = choices.as_index(i)
        if kind is np.ndarray:
            x = writable(x, unshared, is_traced(value) or type(value) is BoundedArray, is_traced_index(i))
        if is_jax_array(x):
            return _after_write(value, x, i, unshared)
    elif kind is BoundedArray:
        return bounded_operators.updated(x, bounded_items.put_rows(value, x, i))
    elif type(i) is choices.Choice:
        choices.for_each_option(i, functools.partial(set_item, value, x))
        return x
    (write or _set_in_object)(value, x, i)
    return x


def _after_write(value: Any, x: Any, i: Any, unshared: int | None) -> Any:
    """Returns the array of JAX that takes the place of another one of which an element is written."""
    i = sizes.traced_index(i)
    if not x.ndim:
        array_views.check_writable(x)
    if array_versions.is_superseded(x):
        return array_versions.written_over(
            value, x, i, lambda x: _put(value, x, i), lambda x: array_items.possible_reads(x, i)
        )
    new = _put(value, x, i)
    array_versions.record(x, new, array_versions.ELEMENT, i, unshared=constants.is_unshared(x, unshared))
    return new


def _put(value: Any, x: Any, i: Any) -> Any:
    return (bounded_items.put_rows if bounded_items.needs_rows(value, x, i) else array_items.put_item)(value, x, i)


def _set_in_list(value: Any, x: list[Any], i: Any) -> None:
    journal.touch_container(x, i)
    if sizes.is_unknown(i):
        traced_index.put_at(x, sizes.traced(i), value)
    else:
        x[i] = order_reads.ordered(value) if type(i) is slice else value


def _set_in_dict(value: Any, x: dict[Any, Any], i: Any) -> None:
    traced_strings.check_shows_no_traced((i,))
    _announce(x, i)
    if not is_traced_index(i):
        comparison.check_search(i, x)
        x[i] = value
        return
    if context.progress.is_tried:
        raise needs_number("a key of a dict is written")
    if not traced_keys.may_have_key(x, i):
        raise _not_by_traced(type(x), "written")
    traced_keys.put_value(x, i, value)


def _set_in_object(value: Any, x: Any, i: Any) -> None:
    """`x[i] = value`, by the method of its class where that is a Python function; else as of the class that it inherits from."""
    traced_strings.check_shows_no_traced((i,))
    if (method := python_method(type(x), "__setitem__")) is not None:
        journal.touch_container(x)
        host.calls.staged(method)(x, i, value)
    elif (base := next((base for base in _WRITES if issubclass(type(x), base)), None)) is not None:
        _WRITES[base](value, x, i)
    else:
        journal.touch_container(x, i)
        x[i] = order_reads.ordered(value) if type(i) is slice else value


_WRITES: dict[type, Callable[[Any, Any, Any], None]] = {list: _set_in_list, dict: _set_in_dict}


def writable(x: np.ndarray[Any, Any], unshared: int | None, by_traced: bool, at_traced: bool) -> Any:
    """Prepares a NumPy array for a write: makes it an array of JAX where a traced value or a staged statement needs one."""
    is_staged = by_traced or at_traced or context.active()
    x = augmented.traceable(x, unshared, 3) if is_staged else constants.apart(x, unshared)
    if (by_traced or at_traced) and type(x) is np.ndarray:
        raise refusal(
            f"a NumPy array cannot be written {'with a traced value' if by_traced else 'at a traced index'}",
            why=f"it holds numbers, a traced value is not known yet, and {constants.why_shared(x)}",
            instead="start from a JAX array: `x = jnp.asarray(x)`",
            page="numpy-array-written",
        )
    return x


def aug_item(x: Any, i: Any, symbol: str, value: Callable[[], Any], unshared: int | None = None) -> Any:
    """`x[i] <symbol> value()`; returns `x`, or the new array."""
    if is_jax_array(x):
        i = choices.as_index(i)
        new = update_of(x, i, symbol, value)
        array_versions.record(x, new, array_versions.ELEMENT, i, unshared=constants.is_unshared(x, unshared))
        return new
    if type(x) is BoundedArray:
        return set_item(combined(symbol, bounded_items.read_rows(x, i), value()), x, i)
    if type(x) is not np.ndarray:
        return _aug_in_container(x, i, symbol, value)
    i = choices.as_index(i)
    old = get_item(x, i)
    if type(old) is np.ndarray:  # a row is a view of `x`, all of which becomes an array of JAX
        del old  # references to `x` are counted
        given = value()
        x = writable(x, unshared, is_traced(given), is_traced_index(i))
        if is_jax_array(x):
            return aug_item(x, i, symbol, lambda: given, unshared)
        new = augmented.iop(symbol, get_item(x, i), given)
    else:
        new = augmented.iop(symbol, old, value())
        x = writable(x, unshared, is_traced(new), is_traced_index(i))
    return set_item(new, x, i, unshared)


def _aug_in_container(x: Any, i: Any, symbol: str, value: Callable[[], Any]) -> Any:
    size = len(x) if type(x) is list and is_traced(i) else None
    place = i if size is None else traced_index.place_of(x, i)
    old = get_item(x, place)
    if type(old) is np.ndarray:
        found, given = [old], value()
        del old
        augmented.make_traceable(found, is_traced(given))
        old, value = found.pop(), lambda: given
    if is_tracer(old) and (method := python_method(type(x), "__setitem__")) is not None and is_library(method):
        new = combined(symbol, old, value())
        set_item(new, x, i)  # a library may look at what it holds before it takes another array
        array_versions.record(old, new, array_versions.UPDATE)
        return x
    return set_item(augmented.iop(symbol, old, value()), x, i if size is None or len(x) != size else place)


def update_of(x: Any, i: Any, symbol: str, value: Callable[[], Any]) -> Any:
    """Returns the array after `x[i] <symbol> value()`, of which nobody is told."""
    if not x.ndim:
        array_views.check_writable(x)
    if bounded_items.is_open_index(i):
        operand = value()
        if bounded_items.needs_rows(operand, x, i):
            return bounded_items.put_rows(combined(symbol, bounded_items.read_rows(x, i), operand), x, i)
        return array_items.update(x, i, symbol, operand)
    array_items.check_bounds(x, i)
    new = combined(symbol, get_item(x, i), value())
    if is_tracer(new) and new.ndim and new.dtype != x.dtype:
        array_writes.check_cast(new.dtype, x.dtype)
    return _put(new, x, i)


def _announce(x: Any, i: Any) -> None:
    """Tells the journal that `x[i]` is written or deleted; `globals()['n']` is one variable, not all that the module has."""
    if type(x) is dict and type(i) is str and "__builtins__" in x:
        journal.touch_location(GlobalLocation(x, i))
    else:
        journal.touch_container(x, i)


def del_item(x: Any, i: Any) -> None:
    """`del x[i]`."""
    if type(i) is choices.Choice:
        choices.for_each_option(i, lambda key: del_item(x, key))
        return
    method = python_method(type(x), "__delitem__")
    if method is not None:
        journal.touch_container(x)
        host.calls.staged(method)(x, i)
        return
    iterated_containers.check_iterated(x, "__delitem__")
    _announce(x, i)
    if issubclass(type(x), list) and is_traced(i):
        traced_index.pop(x, i, "list assignment")
    else:
        del x[i]
