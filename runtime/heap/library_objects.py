"""Objects whose class, or a base of it, is Python code of a library: their methods write without telling the journal.

>>> from collections import ChainMap, UserDict
>>> is_foreign(UserDict), is_foreign(dict), is_foreign(type("Own", (UserDict,), {"__module__": "mine"}))
(True, False, True)
>>> chain = ChainMap({}, {"a": [1]})
>>> [part for part in parts(chain) if part is not chain]
[[{}, {'a': [1]}], {'a': [1]}, [1], {}]
"""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from autograph.code.library import is_library_class
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.values.locations import attribute_values

# Packages whose objects are values: nothing in them changes, or what changes is a matter of JAX.
_VALUES = frozenset({"jax", "jaxlib", "numpy", "autograph", "builtins", "typing", "enum", "abc", "types", "fractions"})
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made by a class statement
_SEQUENCES = (list, tuple, set, frozenset, deque)
_MOST = 10_000

_known: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()


def is_foreign(kind: type) -> bool:
    """Whether a class has methods that a library wrote in Python and that may write to its objects."""
    answer = _known.get(kind)
    if answer is None:
        answer = _known[kind] = any(map(_is_of_library, kind.__mro__[:-1]))
    return answer


def _is_of_library(base: type) -> bool:
    module = base.__module__
    if not base.__flags__ & _HEAP_TYPE or not isinstance(module, str) or module.partition(".")[0] in _VALUES:
        return False
    return is_library_class(base) and static_lookup(base, "__module__") is not None


def parts(obj: Any) -> list[Any]:
    """The object and all that can be reached from it through attributes and containers and that may change."""
    found: list[Any] = []
    seen: set[int] = set()
    pending = [obj]
    while pending and len(found) < _MOST:
        part = pending.pop()
        kind = type(part)
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, dict):
            found.append(part)
            pending.extend(dict.values(part))
        elif isinstance(part, _SEQUENCES):
            if not isinstance(part, tuple | frozenset):
                found.append(part)
            pending.extend(part)
        elif is_foreign(kind):
            found.append(part)
            pending.extend(attribute_values(part))
    return found
