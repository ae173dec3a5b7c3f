"""Methods of arrays that NumPy defines otherwise than JAX: they change the array, make a copy of it, or a view.

| method | here |
| --- | --- |
| `sort`, `fill` but as a statement (`item_paths.in_place_method`) | a new array; reading the array under its name is refused |
| `flatten`, `astype`, `repeat`, `round`, `clip`, `take` | never the array itself, nor a view of it |
| `diagonal`, `view`, and `squeeze`, `reshape` to no axes | a view, which the operations of JAX do not tell |

>>> import jax
>>> from autograph.runtime.heap.array_views import bases
>>> def f(m):
...     found = [numpy_method(m.flatten)(), numpy_method(m.diagonal)(), numpy_method(m[:1, 0].squeeze)()]
...     print([any(base is m for base in bases(x)) for x in found])
>>> _ = jax.eval_shape(f, jax.numpy.zeros((2, 2)))
[False, True, True]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax

from autograph.runtime.heap import array_versions, array_views
from autograph.runtime.sequences import array_items


def numpy_method(f: Any) -> Any:
    """A method bound to an array, as NumPy defines it; `f` itself where JAX defines the same."""
    version = VERSIONS.get(f.__func__)
    return f if version is None else functools.partial(version, f)


def fill_array(x: Any, value: Any, /) -> None:
    """`x.fill(value)`, which JAX does not have."""
    array_versions.record(x, array_items.put_item(value, array_versions.current(x), ...), array_versions.METHOD)


def positive(x: Any) -> Any:
    """`+x`, of which NumPy makes a copy and JAX the array itself."""
    return array_views.copied(+x, (x,))


def _sort(f: Any, /, *args: Any, **keywords: Any) -> Any:
    new = array_items.sort_items(f.__self__, *args, **keywords)
    array_versions.record(f.__self__, new, array_versions.METHOD)
    return new


def _copy(f: Any, /, *args: Any, **keywords: Any) -> Any:
    found = f(*args, **keywords)
    return found if keywords.get("copy") is False else array_views.copied(found, (f.__self__,))


def _look(f: Any, /, *args: Any, **keywords: Any) -> Any:
    found = f(*args, **keywords)
    array_views.note_choice(found, (f.__self__,))
    return found


def _diagonal(f: Any, /, *args: Any, **keywords: Any) -> Any:
    found = _look(f, *args, **keywords)
    array_views.note_read_only(found)
    return found


def _reshaped(f: Any, /, *args: Any, **keywords: Any) -> Any:
    return array_views.view_without_axes(f(*args, **keywords), f.__self__)


_METHODS: dict[str, Callable[..., Any]] = {
    "sort": _sort,
    "diagonal": _diagonal,
    "view": _look,
    **dict.fromkeys(("flatten", "astype", "repeat", "round", "clip", "take"), _copy),
    **dict.fromkeys(("squeeze", "reshape"), _reshaped),
}
VERSIONS: dict[Any, Callable[..., Any]] = {
    f: version for name, version in _METHODS.items() if (f := vars(jax.core.Tracer).get(name)) is not None
}
"""What stands for a method of a traced array, by the function of JAX's class."""
