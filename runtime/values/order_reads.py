"""What reads the order of a dict's keys in converted code, and what does not, where that order is not known (`key_orders`).

Loops and comprehensions check what they run over; here are calls of what is not converted, and what converters write for
`*d`, `**d`, `{**d}`, `a, b = d` and `d | e`. While no dict is marked, each costs one test of an empty table.

| called with such a dict | is |
| --- | --- |
| `d.keys()`, `d.values()`, `d.items()` | a view that refuses to be iterated over |
| `dict(d)`, `d.copy()`, `copy.copy(d)`, `{**d, ...}`, `d \\| e` | such a dict again |
| `len`; `set`, `sorted` of its keys or items; `any`, `all` of its values | answered |
| other functions of Python, its standard library and NumPy; strings | refused |
| JAX's functions, those of installed packages | called: trees have sorted keys |

>>> ordered([1, 2]), union({'a': 1}, {'b': 2}), display(({'a': 1},), ('b', 2))
([1, 2], {'a': 1, 'b': 2}, {'a': 1, 'b': 2})
"""

from __future__ import annotations

import copy
import functools
import operator
import sys
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, FunctionType, ModuleType, SimpleNamespace
from typing import Any, cast

from autograph.code.container_effects import of_method
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.families import BOUND_METHODS, CONTAINERS, UNBOUND_METHODS
from autograph.runtime.values import key_orders
from autograph.runtime.values.kinds import open_any

_SHOW = frozenset({"repr", "str", "ascii", "format", "dumps", "dump", "pformat", "deepcopy", "asdict", "astuple"})
# Functions that read no order, or keep what they are given; iterators' own functions count who else refers to them.
_OPEN = (
    len, isinstance, issubclass, type, id, bool, callable, print, hash, getattr, hasattr, setattr, any, all, next, super, cast,
    vars, functools.partial, SimpleNamespace,
)  # fmt: skip
_OF_FRAMES = frozenset({"exec", "eval", "dir", "locals", "globals"})  # no frame may stand between them and their caller
_OPEN_MODULES = frozenset(
    {"_operator", "dataclasses", "contextlib", "warnings", "_warnings", "logging", "weakref", "gc", "sys", "time"}
)
_OF_KEYS = (set, frozenset, sorted)


def ordered(x: Any) -> Any:
    """`x`, whose elements are about to be taken in their order: `*x`, `**x`, `a, b = x`.

    Raises:
        StagingError: it is a dict whose order of keys is not known.
    """
    key_orders.check_order(x)
    return x


def union(x: Any, y: Any) -> Any:
    """`x | y`."""
    if not key_orders.any_unknown():
        return x | y
    return _marked_like((x, y), key_orders.plain_view(x) | key_orders.plain_view(y))


def display(*items: tuple[Any, ...]) -> dict[Any, Any]:
    """`{k: v, **d}`, of a pair for each `k: v` and a tuple of one for each `**d`."""
    made: dict[Any, Any] = {}
    for item in items:
        if len(item) == 1:
            made = {**made, **item[0]}
        else:
            made[item[0]] = item[1]
    return _marked_like([item[0] for item in items if len(item) == 1], made) if key_orders.any_unknown() else made


def _marked_like(sources: Iterable[Any], made: Any) -> Any:
    """`made`, marked if what it was made of is."""
    path = next((path for path in map(key_orders.path_of, sources) if path), "")
    return key_orders.mark(made, path) if path and type(made) is dict else made


def added(x: Any, value: Any) -> None:
    """Says that `value` is about to be added to `x` in its order (`x |= value`, `x += value`, `x.update(value)`)."""
    if type(value) is dict and issubclass(type(x), (dict, set, frozenset)) and value.keys() <= set(x):
        return
    if not issubclass(type(x), (set, frozenset)):
        key_orders.check_order(value)


def check_orders_before(f: Any, found: Any) -> Any:
    """`found`, which stands for the callee `f`, where there may be dicts of unknown order: its arguments are checked."""
    kind = type(f)
    if (
        kind in BOUND_METHODS
        and type(f.__self__) is not ModuleType
        and f.__self__ is not None
    ):
        return _method(f.__self__, f.__name__, found)
    if kind in UNBOUND_METHODS:
        return lambda x, /, *args, **kwargs: _method(x, f.__name__, functools.partial(found, x))(*args, **kwargs)
    if f is dict or f is copy.copy or f is operator.or_:
        return lambda *args, **kwargs: _marked_like(args, found(*map(key_orders.plain_view, args), **kwargs))
    if any(f is known for known in _OF_KEYS):
        return functools.partial(_of_keys, found)
    if any(f is known for known in _OPEN) or not _is_of_python(f) or f.__name__ in _OF_FRAMES:
        return _of_plain(found) if f is bool or f is len else found
    return functools.partial(_checked_call, f.__name__ in _SHOW, found)


def _is_of_python(f: Any) -> bool:
    """Whether a function or class is Python's own, of the standard library or NumPy's."""
    if type(f) not in (FunctionType, BuiltinFunctionType, type) and type(f).__module__ != "numpy":
        return False
    module = getattr(f, "__module__", None)
    if module in _OPEN_MODULES:
        return module == "dataclasses" and f.__name__ in _SHOW
    package = module.partition(".")[0] if type(module) is str else "builtins"
    if package == "numpy" or package in sys.stdlib_module_names:
        return True
    if not isinstance(f, type) or not issubclass(f, (*CONTAINERS, str)):
        return False
    return not any(type(static_lookup(f, name)) is FunctionType for name in ("__init__", "__new__"))


def _method(owner: Any, name: str, found: Any) -> Any:
    """A method of C code."""
    effect = of_method(owner if issubclass(type(owner), type) else type(owner), name)
    if key_orders.has_unknown_order(owner):
        if name in ("keys", "values", "items"):
            return lambda: key_orders.views(owner, name)
        if effect.reads_order:
            key_orders.check_order(owner)
    if name in ("join", "format", "writelines"):
        return functools.partial(_checked_call, name in _SHOW, found)
    if name in ("copy", "__or__", "__ror__"):  # they make another dict, in this one's order
        return lambda *args: _marked_like((owner, *args), found(*args))
    if not effect.adds:
        return found

    def call(*args: Any, **kwargs: Any) -> Any:
        for x in args if not effect.stores or type(args[0]) is slice else ():
            added(owner, x)
        return found(*args, **kwargs)

    return call


def _of_plain(found: Any) -> Callable[..., Any]:
    return lambda *args, **kwargs: found(*map(key_orders.plain_view, args), **kwargs)


def _of_keys(found: Any, /, *args: Any, **kwargs: Any) -> Any:
    """`set`, `frozenset` and `sorted` of keys or items: no two of them are equal, as values may be, so none could change places."""
    for x in args:
        if kwargs.get("key") is not None or issubclass(type(x), key_orders.VIEWS[2]):
            key_orders.check_order(x)
    return found(*map(key_orders.plain_view, args), **kwargs)


def _checked_call(shows: bool, found: Any, /, *args: Any, **kwargs: Any) -> Any:
    for x in (*args, *kwargs.values()):
        check_inside(x) if shows else key_orders.check_order(x)
    return found(*args, **kwargs)


def check_inside(x: Any, depth: int = 4) -> None:
    """Refuses to show all of `x`, in a string or a file, where a marked dict is in it."""
    if not key_orders.any_unknown():
        return
    key_orders.check_order(x)
    opened = open_any(x) if depth else None
    for part in opened[0] if opened is not None else ():
        check_inside(part, depth - 1)
