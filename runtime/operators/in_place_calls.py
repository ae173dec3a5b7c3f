"""Functions of NumPy that write an array, as statements: `np.copyto(a, v)`, `np.add.at(a, i, v)`, `np.add(x, y, out=a[0])`.

Where nothing is traced, NumPy writes the array itself. Else what it would leave there is computed, and assigned to all elements.

>>> import jax, jax.numpy as jnp
>>> jax.jit(lambda a, v: in_place_call(a, (), np.add.at, [0, 0], v))(jnp.zeros(2), 3.0)
Array([6., 0.], dtype=float32)
>>> jax.jit(lambda a, v: in_place_call(a, (("[", 1),), np.putmask, [True, False], v))(jnp.zeros((2, 2)), 3.0).tolist()
[[0.0, 0.0], [3.0, 0.0]]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from autograph.runtime.operators.item_paths import Step, found_at, set_item_at
from autograph.runtime.sequences import array_items, narrow_integers
from autograph.runtime.tracing import host
from autograph.runtime.tracing.staging import is_jax_array, takes_traced


def in_place_call(base: Any, path: tuple[Step, ...], f: Any, *args: Any, unshared: int | None = None, **keywords: Any) -> Any:
    """`f(base.a[k], ...)` as a statement, which writes its first argument, or `f(..., out=base.a[k])`; returns the new base."""
    x = found_at(base, path)
    call = host.calls.converted(f)
    version = None if isinstance(f, np.ufunc) else _VERSIONS.get(f.__name__)
    if not (is_jax_array(x) or type(x) is np.ndarray) or not takes_traced((x, *args), keywords):
        if version is None:
            call(*args, out=x, **keywords)
        else:
            call(x, *args, **keywords)
        return base
    if version is None:
        where = keywords.pop("where", True) if isinstance(f, np.ufunc) else True
        new = _chosen(x, call(*args, **keywords), where)
        if not isinstance(f, np.ufunc) and jnp.shape(new) != x.shape:
            raise ValueError(f"output array does not match result of {f.__name__}")
    elif f.__name__ == "at":
        new = _at(x, f, call, *args)
    else:
        narrow_integers.check_numbers([*args[_VALUES[f.__name__] :][:1], *keywords.values()], x.dtype)
        new = version(x, *map(_array, args), **keywords)
    del x  # references to the array are counted
    return set_item_at(new, base, path, ..., unshared)


def _array(x: Any) -> Any:
    return jnp.asarray(x) if type(x) in (list, tuple) else x


def _chosen(x: Any, value: Any, where: Any) -> Any:
    if jnp.issubdtype(jnp.result_type(value), jnp.inexact) and not jnp.issubdtype(x.dtype, jnp.inexact):
        value = jnp.broadcast_to(value, x.shape)  # which no integers take, though one number were cut
    return value if where is True else jnp.where(_array(where), value, x)



def _put(x: Any, ind: Any, v: Any, mode: str = "raise") -> Any:
    ind, flat = jnp.ravel(jnp.asarray(ind)), jnp.ravel(x)
    if mode != "raise":
        ind = jnp.clip(ind, 0, flat.size - 1) if mode == "clip" else ind % flat.size
    return array_items.put_item(jnp.resize(jnp.asarray(v), ind.shape), flat, ind).reshape(x.shape)


def _at(x: Any, f: Any, call: Callable[..., Any], indices: Any, *operand: Any) -> Any:
    version = getattr(getattr(jnp, f.__self__.__name__, None), "at", None)
    if version is None or (f.__self__.__name__.startswith("logical_") and x.dtype != bool):
        return call(x, indices, *operand)  # which says so: JAX has no such function, or makes bools of all elements
    indices = tuple(map(_array, indices)) if type(indices) is tuple else _array(indices)
    return version(jnp.asarray(x), indices, *map(_array, operand), inplace=False)


def _elsewhere(name: str) -> Callable[..., Any]:
    """A function of jax.numpy that returns another array."""
    return lambda x, *args, **keywords: getattr(jnp, name)(x, *args, **keywords, inplace=False)


_VERSIONS: dict[str, Callable[..., Any]] = {
    "at": _at,
    "copyto": lambda x, src, casting="same_kind", where=True: _chosen(x, src, where),
    "put": _put,
    "putmask": lambda x, mask, values: jnp.where(mask, jnp.resize(jnp.asarray(values), x.shape), x),
    **{name: _elsewhere(name) for name in ("fill_diagonal", "place", "put_along_axis")},
}

_VALUES = {"copyto": 0, "fill_diagonal": 0, "place": 1, "put": 1, "put_along_axis": 1, "putmask": 1}
"""Behind the array, the place of the argument with what is written there."""
