"""Elements of what a path leads to: `o.a[i] = v`, `m[:, j].sort()`, `d[k][1:] += v`, `np.copyto(m[0], v)`.

The base and the steps of a path are evaluated once. Where the innermost target is an array of JAX, the new array is written
where the old one was found, and so on outwards until something changed in place. A copy that NumPy makes on the way is the end:
`m[[0, 1]][0] = v` changes nothing.

>>> import jax.numpy as jnp
>>> set_item_at(5.0, jnp.zeros((2, 2)), (("[", 1),), 0).tolist()
[[0.0, 0.0], [5.0, 0.0]]
>>> set_item_at(5.0, jnp.zeros((2, 2)), (("[", [1, 0]),), 0).tolist()
[[0.0, 0.0], [0.0, 0.0]]
>>> in_place_method(jnp.array([[1, 5], [3, 4]]), (("[", (slice(None), 1)),), "sort").tolist()
[[1, 4], [3, 5]]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.heap import array_versions, constants
from autograph.runtime.operators import attributes, augmented
from autograph.runtime.operators.items import (
    aug_item,
    get_item,
    get_view,
    is_traced_index,
    set_item,
    update_of,
    writable,
)
from autograph.runtime.sequences import array_items, array_writes, bounded_items, index_lists, traced_index
from autograph.runtime.tracing import host
from autograph.runtime.tracing.class_lookup import python_method, static_lookup
from autograph.runtime.tracing.staging import is_jax_array, is_traced, takes_traced
from autograph.runtime.values import choices
from autograph.runtime.values.bounded_array import BoundedArray

Step = tuple[str, Any]


def set_item_at(value: Any, base: Any, path: tuple[Step, ...], i: Any, unshared: int | None = None) -> Any:
    """`base.a[k][i] = value`, `path` being `(('.', 'a'), ('[', k))`; returns the new base.

    Where the innermost target is an array of JAX, the new array is written where the old one was found, and so on
    outwards until something changed in place.
    """
    if type(base) is np.ndarray:
        at_traced = is_traced_index(i) or any(is_traced(key) for _, key in path)
        base = writable(base, unshared, is_traced(value), at_traced)
    owners, keys = _owners(base, path, i)
    if is_jax_array(owners[-1]):
        i = choices.as_index(i)
    if keys:
        traced_index.put_in_grid(owners[-1], keys, value)
        return base
    if not path:
        return set_item(value, base, i, unshared)
    if type(owners[-1]) is np.ndarray and _keeps(owners[-2], *path[-1]):
        augmented.make_traceable(owners, is_traced(value) or is_traced_index(i))
    put = array_items.put_item if _is_row(owners, -1) else set_item
    return _write_back(owners, path, put(value, owners[-1], i), unshared)


def aug_item_at(
    base: Any, path: tuple[Step, ...], i: Any, symbol: str, value: Callable[[], Any], unshared: int | None = None
) -> Any:
    """`base.a[k][i] <symbol> value()`; returns the new base."""
    if type(base) is np.ndarray:
        found = _follow(base, path)[-1]
        new = augmented.iop(symbol, get_item(found, i), value())
        return set_item_at(new, base, path, i, unshared)
    owners, keys = _owners(base, path, i)
    if is_jax_array(owners[-1]):
        i = choices.as_index(i)
    if keys:
        rows = traced_index.rows_of(owners[-1], len(keys))  # Python has found the list before it evaluates the value
        traced_index.put_in_grid(rows, keys, augmented.iop(symbol, functools.reduce(get_item, keys, rows), value()))
        return base
    if type(owners[-1]) is np.ndarray and path and _keeps(owners[-2], *path[-1]):
        given = value()
        augmented.make_traceable(owners, is_traced(given) or is_traced_index(i))
        return _write_back(owners, path, aug_item(owners[-1], i, symbol, lambda: given), unshared)
    update = update_of if _is_row(owners, -1) else aug_item
    return _write_back(owners, path, update(owners[-1], i, symbol, value), unshared)


def _keeps(owner: Any, kind: str, key: Any) -> bool:
    """Whether an object gives, and takes, by this step what it keeps itself: no property and no method of the user's does."""
    if kind == ".":
        return key in getattr(owner, "__dict__", ()) and not hasattr(static_lookup(type(owner), key), "__set__")
    return isinstance(owner, (list, dict)) and python_method(type(owner), "__setitem__") is None


def _is_row(owners: list[Any], place: int) -> bool:
    """Whether an array was found in an array, which is written next."""
    place %= len(owners)
    return place > 0 and is_jax_array(owners[place]) and is_jax_array(owners[place - 1])


def _owners(base: Any, path: tuple[Step, ...], i: Any) -> tuple[list[Any], list[Any]]:
    """The objects that the steps of a path lead to.

    Returns:
        with them the keys that are left where a traced one picks a list in a list: then they lead to the outer one only.
    """
    first = next((n for n, (kind, key) in enumerate(path) if kind == "[" and is_traced(key)), len(path))
    owners = _follow(base, path[:first])
    if first < len(path):
        steps = [*path[first:], ("[", i)]
        keys = [key for kind, key in steps if kind == "[" and (is_traced(key) or type(key) is int)]
        if len(keys) == len(steps) and traced_index.is_grid(owners[-1], len(keys)):
            return owners, keys
        owners += _follow(owners[-1], path[first:])[1:]
    return owners, []


def found_at(base: Any, path: tuple[Step, ...]) -> Any:
    """`base.a[k]`."""
    return _follow(base, path)[-1]


def _follow(base: Any, path: tuple[Step, ...]) -> list[Any]:
    owners = [base]
    for kind, key in path:
        if kind == "." and key == "flat" and is_jax_array(owners[-1]):
            raise attributes.no_part_of_array(key)
        is_view = type(key) is tuple and any(part is ... for part in key)
        owners.append(getattr(owners[-1], key) if kind == "." else (get_view if is_view else get_item)(owners[-1], key))
    return owners


def _write_back(owners: list[Any], path: tuple[Step, ...], new: Any, unshared: int | None = None) -> Any:
    for place in range(len(path) - 1, -1, -1):
        (kind, key), owner, old = path[place], owners[place], owners[place + 1]
        if new is old:
            return owners[0]
        if kind == ".":
            if is_jax_array(owner):
                raise attributes.no_part_of_array(key)
            attributes.set_attr(new, owner, key)
            new = owner
        else:
            if issubclass(type(owner), tuple) or (is_jax_array(owner) and index_lists.copies(key)):
                return owners[0]  # who reads the array in a tuple is refused; a copy is nobody's
            is_row = _is_row(owners, place)
            new = (
                array_items.put_item(new, owner, key)
                if is_row
                else set_item(new, owner, key, None if place else unshared)
            )
    return new


def latest_at(base: Any, path: tuple[Step, ...]) -> Any:
    """Writes to `base.a[k]`, which was handed to a call, the array that the call left; returns the new base."""
    owners = _follow(base, path)
    if any(issubclass(type(owner), tuple) for owner in owners):
        return base  # whoever reads it is refused
    return _write_back(owners, path, array_versions.latest(owners[-1]))


def in_place_method(
    base: Any, path: tuple[Step, ...], method: str, *args: Any, unshared: int | None = None, **keywords: Any
) -> Any:
    """`base.a[k].sort()`, or `fill`, as a statement; returns the new base."""
    is_fill = method == "fill" and len(args) == 1 and not keywords
    if type(base) is np.ndarray:
        by_traced = is_fill and not path and is_traced(args[0])
        base = writable(base, unshared, by_traced, any(is_traced(key) for _, key in path))
    owners = _follow(base, path)
    x = owners[-1]
    if is_fill and (is_jax_array(x) or type(x) in (np.ndarray, BoundedArray)):
        del owners, x  # references to `x` are counted
        return _assigned(args[0], base, path, unshared)
    if type(x) is BoundedArray and method == "sort":
        return _assigned(host.calls.converted(np.sort)(x, *args, **keywords), base, path, unshared)
    if not is_jax_array(x):
        host.calls.converted(getattr(x, method))(*args, **keywords)
        return base
    new = array_items.sort_items(x, *args, **keywords)
    if not _is_row(owners, -1):
        is_own = not path and constants.is_unshared(x, unshared)
        array_versions.record(x, new, array_versions.ELEMENT, unshared=is_own)
    return _write_back(owners, path, new, unshared)


def _assigned(value: Any, base: Any, path: tuple[Step, ...], unshared: int | None) -> Any:
    """Assigns to all of `base.a[k]`; a part of unknown length is written in the array that it is a view of."""
    if path and path[-1][0] == "[" and bounded_items.is_open_index(key := path[-1][1]) and not index_lists.copies(key):
        return set_item_at(value, base, path[:-1], key, unshared)
    return set_item_at(value, base, path, ..., unshared)


# --- functions of NumPy that write an array: `np.copyto(a, v)`, `np.add.at(a, i, v)`, `np.add(x, y, out=a[0])` ---


def in_place_call(base: Any, path: tuple[Step, ...], f: Any, *args: Any, unshared: int | None = None, **keywords: Any) -> Any:
    """Runs `f(base.a[k], ...)` as a statement, which writes its first argument, or `f(..., out=base.a[k])`; returns the new base.

    Where nothing is traced, NumPy writes the array itself. Else what it would leave there is computed, and assigned to all of it.

    Args:
        f: the function; the name of a method of the first of the `args`.

    >>> import jax, jax.numpy as jnp
    >>> jax.jit(lambda a, v: in_place_call(a, (), np.add.at, [0, 0], v))(jnp.zeros(2), 3.0)
    Array([6., 0.], dtype=float32)
    >>> jax.jit(lambda a, v: in_place_call(a, (("[", 1),), np.putmask, [True, False], v))(jnp.zeros((2, 2)), 3.0).tolist()
    [[0.0, 0.0], [3.0, 0.0]]
    """
    if not path:
        base = array_versions.latest(base)
    x = found_at(base, path)
    name = f if type(f) is str else f.__name__
    if type(f) is str:
        owner, *args = args  # type: ignore[assignment]  # a list serves as well
        f = getattr(owner, f)
        if not (is_jax_array(owner) or type(owner) in (np.ndarray, BoundedArray)):
            host.calls.converted(f)(*args, out=x, **keywords)
            return base
        del owner
    given = (x, getattr(f, "__self__", None), *args)
    is_staged = takes_traced(given, keywords) or any(type(value) is BoundedArray for value in (*given, *keywords.values()))
    if not is_staged or not (is_jax_array(x) or type(x) in (np.ndarray, BoundedArray)):
        call = host.calls.converted(f)
        call(x, *args, **keywords) if name in array_writes.WRITE_FIRST else call(*args, out=x, **keywords)
        return base
    new = array_writes.contents_after(name, f, x, tuple(args), keywords)
    del x, f, args, keywords, given  # references to the array are counted
    if type(base) is np.ndarray and not path:
        base = writable(base, unshared, is_traced(new) or type(new) is BoundedArray, False)
    return _assigned(new, base, path, unshared)
