"""What a class defines, read without running code of the user's: no `__getattr__`, no descriptor, no metaclass takes part.

>>> class Loud:
...     def __getattribute__(self, name): raise RuntimeError(name)
...     def __len__(self): return 3
>>> static_lookup(Loud, "__len__").__name__, static_lookup(Loud, "__iter__")
('__len__', None)
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from types import FunctionType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

R = TypeVar("R")
MRO = type.__dict__["__mro__"].__get__
DICT = type.__dict__["__dict__"].__get__
"""The bases and the names of a class, without asking its metaclass."""
_MISSING: Any = object()


def once_per_class(find: Callable[[type], R]) -> Callable[[type], R]:
    """A function that finds something out about a class: once, and remembered as long as the class lives.

    >>> name = once_per_class(lambda kind: print("looked at") or kind.__name__)
    >>> name(int), name(int)
    looked at
    ('int', 'int')
    """
    known: weakref.WeakKeyDictionary[type, R] = weakref.WeakKeyDictionary()

    @functools.wraps(find)
    def found(kind: type) -> R:
        try:
            return known[kind]
        except KeyError:
            result = known[kind] = find(kind)
            return result

    return found


def static_lookup(kind: type, name: str, missing: Any = None) -> Any:
    """What a class or the first of its bases that has it defines as `name`; `missing` where nobody does."""
    for base in MRO(kind):
        found = DICT(base).get(name, _MISSING)
        if found is not _MISSING:
            return found
    return missing


def python_method(kind: type, name: str) -> FunctionType | None:
    """The special method `name` of a class where it is a Python function; None where it is native code or missing."""
    found = static_lookup(kind, name)
    return found if type(found) is FunctionType else None


def classes_of(kinds: Any) -> list[Any]:
    """The classes that a second argument of `isinstance` consists of."""
    is_union = get_origin(kinds) in (Union, UnionType)
    if not is_union and not isinstance(kinds, tuple):
        return [kinds]
    return [kind for part in (get_args(kinds) if is_union else kinds) for kind in classes_of(part)]
