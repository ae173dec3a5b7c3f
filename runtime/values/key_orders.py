"""Dicts whose order of keys depends on a traced value: two of other orders became one in a branch or a loop.

`d = {"x": 1, "y": 2} if p else {"y": 3, "x": 4}` is one dict in the program, with a chosen number under each key. What no program
can hold is which key comes first. JAX sorts the keys of every dict that it maps, so this is what happens to the parameters of most
training loops, and nearly nobody reads it: `d["x"]`, `len`, `==` and all of `jax.tree` give one answer for every order. So the dict
is a plain one, the trace keeps a note of it (`mark`), and what reads its order is refused by name. Whatever is built like it
(`kinds.open_container`) is marked as well, and so is its copy; a dict that is written anew has its own order.

>>> d = {'x': 1, 'y': 2}
>>> has_unknown_order(mark(d, 'd')), has_unknown_order({'x': 1, 'y': 2}), len(views(d, 'items'))
(True, False, 2)
>>> list(views(d, 'values'))
Traceback (most recent call last):
    ...
autograph.errors.StagingError: the order of the keys of 'd' is read
  ...
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
from typing import Any

from autograph.runtime.tracing.context import PerThread
from autograph.runtime.tracing.facts import keep, kept
from autograph.runtime.tracing.refusals import names_held, quoted, refusal

UNKNOWN = "the order of the keys is not known"
"""Stands in the structure of a marked dict, which so is another one than that of any dict with an order."""


class _Mark:
    """A marked dict, and how the user writes it."""

    __slots__ = ("__weakref__", "dict", "path")

    def __init__(self, d: dict[Any, Any], path: str) -> None:
        self.dict = d
        self.path = path


_marks: PerThread[dict[int, weakref.ref[_Mark]]] = PerThread(dict)  # by the id of the dict


def mark(d: dict[Any, Any], path: str) -> dict[Any, Any]:
    """Notes that the order of the keys of `d` is not known; returns `d`."""
    if len(d) > 1:
        found = _Mark(d, path)
        keep(found)
        _marks.value[id(d)] = weakref.ref(found)
    return d


def builder(keys: list[Any], path: str) -> Callable[[list[Any]], Any]:
    """What builds a marked dict of these keys from its values."""
    return lambda values: mark(dict(zip(keys, values)), path)


def like(value: Any, opened: Any) -> Any:
    """What `value` holds, opened, with what builds another such: a marked dict if it is one. `opened` may come from a copy."""
    found = _mark_of(value)
    if found is None or opened is None or opened[1][1:2] == (UNKNOWN,):
        return opened
    children, (kind, *keys), steps, _ = opened
    return children, (kind, UNKNOWN, *keys), steps, builder(keys, found.path)


def keys_of(structure: Any) -> list[Any]:
    """The keys of a dict in its structure (`kinds.open_container`)."""
    return [key for key in structure[1:] if key is not UNKNOWN]


def any_unknown() -> bool:
    """Whether there may be a marked dict."""
    if not _marks.value:
        return False
    kept.still_open()
    _marks.value = {key: ref for key, ref in _marks.value.items() if ref() is not None}
    return bool(_marks.value)


def holders_of_marked() -> list[Any]:
    """What refers to dicts only because they are marked: for those who count references."""
    return [found for ref in _marks.value.values() if (found := ref()) is not None]


def _mark_of(x: Any) -> _Mark | None:
    if not _marks.value or type(x) is not dict:
        return None
    ref = _marks.value.get(id(x))
    found = None if ref is None else ref()
    return found if found is not None and found.dict is x and len(x) > 1 and any_unknown() else None


def has_unknown_order(x: Any) -> bool:
    """Whether `x` is a dict whose order of keys is not known."""
    return _mark_of(x) is not None


def path_of(x: Any) -> str:
    """How the user writes a marked dict, also that of a view; empty for anything else."""
    found = _mark_of(x.mapping_ if issubclass(type(x), VIEWS) else x)
    return "" if found is None else found.path


def check_order(x: Any) -> None:
    """Refuses to read the order of `x`, where it is a marked dict or a view of one."""
    if _marks.value:
        d = x.mapping_ if issubclass(type(x), VIEWS) else x
        if has_unknown_order(d):
            raise _refusal(d)


def _refusal(d: dict[Any, Any]) -> Exception:
    path = path_of(d)
    if path.startswith("the "):  # value of an expression
        path = next(iter(names_held(d)), path)
    return refusal(
        f"the order of the keys of {quoted(path)} is read",
        why="a branch or a loop leaves its keys in one order or another, which is only known when the program runs",
        instead="read it in an order of your own (`for k in sorted(d)`), or write its keys in one order everywhere: in sorted "
        "order, as all of JAX does (`{'b': ..., 'w': ...}`)",
        page="order-of-keys",
    )


# --- views of a marked dict: their length and what is in them is known ---


class _View:
    """What the views of a marked dict have in common: Python's own view, which refuses to be iterated over."""

    __slots__ = ("mapping_", "view")

    def __init__(self, d: dict[Any, Any], name: str) -> None:
        self.mapping_ = d
        self.view = getattr(d, name)()

    def __len__(self) -> int:
        return len(self.mapping_)

    def __contains__(self, x: Any) -> bool:
        return x in self.view

    def __iter__(self) -> Iterator[Any]:
        check_order(self)
        return iter(self.view)

    def __reversed__(self) -> Iterator[Any]:
        check_order(self)
        return reversed(self.view)

    def __repr__(self) -> str:
        check_order(self)
        return repr(self.view)


def _of_set(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        return getattr(self.view, name)(plain_view(other))

    return method


_SETS = "__eq__ __ne__ __and__ __or__ __sub__ __xor__ __rand__ __ror__ __rsub__ __rxor__ __lt__ __le__ __gt__ __ge__ isdisjoint"
_OF_SETS = {"__slots__": (), **{name: _of_set(name) for name in _SETS.split()}}
VIEWS: tuple[Any, ...] = (
    type("dict_keys", (_View,), _OF_SETS),
    type("dict_items", (_View,), _OF_SETS),
    type("dict_values", (_View,), {"__slots__": ()}),
)
for _abstract, _kind in zip((KeysView, ItemsView, ValuesView), VIEWS, strict=True):
    _abstract.register(_kind)
_BY_NAME = dict(zip(("keys", "items", "values"), VIEWS, strict=True))


def views(d: dict[Any, Any], name: str) -> Any:
    """`d.keys()`, `d.items()` or `d.values()` of a marked dict."""
    return _BY_NAME[name](d, name)


def plain_view(x: Any) -> Any:
    """Python's own view instead of one of those, for what reads no order."""
    return x.view if issubclass(type(x), VIEWS) else x
