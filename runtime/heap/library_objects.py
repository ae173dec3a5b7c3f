"""Objects whose class, or a base of it, is Python code of a library: their methods write without announcing it.

>>> from collections import ChainMap, UserDict
>>> has_library_methods(UserDict), has_library_methods(dict), has_library_methods(type("Own", (UserDict,), {"__module__": "mine"}))
(True, False, True)
>>> chain = ChainMap({}, {"a": [1]})
>>> [part for part in parts(chain) if part is not chain]
[[{}, {'a': [1]}], {}, {'a': [1]}, [1]]
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterable
from typing import Any

from autograph.code.library import is_library_class, package_of
from autograph.runtime.values.locations import attribute_values
from autograph.runtime.values.reachability import walk

# Packages whose objects are values: nothing in them changes, or what changes is a matter of JAX.
_VALUES = frozenset({"jax", "jaxlib", "numpy", "autograph", "builtins", "typing", "enum", "abc", "types", "fractions"})
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made by a class statement
_SEQUENCES = (list, tuple, set, frozenset, deque)
_MOST = 10_000

_known: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def has_library_methods(kind: type) -> bool:
    """Whether a class has methods that a library wrote in Python and that may write to its objects."""
    answer = _known.get(kind)
    if answer is None:
        answer = _known[kind] = any(map(_is_of_library, kind.__mro__[:-1]))
    return answer


def _is_of_library(base: type) -> bool:
    package = package_of(base)
    return bool(package and base.__flags__ & _HEAP_TYPE and package not in _VALUES and is_library_class(base))


def parts(obj: Any) -> list[Any]:
    """The object and all that can be reached from it through attributes and containers and that may change."""
    found = walk([obj], _inside, lambda x: isinstance(x, (dict, *_SEQUENCES)) or has_library_methods(type(x)), _MOST)
    return [x for x in found if not isinstance(x, tuple | frozenset)]


def _inside(x: Any) -> Iterable[Any]:
    if isinstance(x, dict):
        return dict.values(x)
    return x if isinstance(x, _SEQUENCES) else attribute_values(x)
