"""What methods and functions of C code and of libraries do to what they are given, which they announce to nobody.

Each name stands here once, with all that is known of it. A method of a container that is not named changes its object, unless what
never changes has it too; one of an array or of a view of memory does not. Of iterators their own module says which methods advance
them.

>>> of_method(list, "append").writes, of_method(list, "index").writes, of_method(np.ndarray, "sum").writes
(True, False, False)
"""

from __future__ import annotations

import io
import random
import sys
import threading
import weakref
from concurrent.futures import Executor
from contextvars import ContextVar
from queue import SimpleQueue
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from autograph.code.library import ARRAY_PACKAGES
from autograph.runtime.tracing.families import CACHED, VIEWS


class Effect(NamedTuple):
    """What a method does with its object."""

    writes: bool = True
    removes: bool = False  # takes something out of it
    searches: bool = False  # looks in it for the first argument
    reads_order: bool = False  # gives or shows what is in it, in its order
    adds: bool = False  # takes in what is in its arguments, in their order


_READS, _WRITES = Effect(writes=False), Effect()
_ROWS = {
    _READS: " ".join(name for kind in (tuple, frozenset, bytes, MappingProxyType) for name in dir(kind)),  # of which none changes
    Effect(writes=False, searches=True): "index count get __contains__ __getitem__",
    Effect(writes=False, reads_order=True): "__iter__ __reversed__ __repr__ __str__ __format__",
    Effect(searches=True): "setdefault add",
    Effect(adds=True): "extend extendleft update fromkeys join format writelines __init__ __ior__",
    Effect(removes=True): "clear difference_update intersection_update symmetric_difference_update move_to_end __delitem__ "
    "__isub__ __iand__ __ixor__",
    Effect(removes=True, searches=True): "pop remove discard",
    Effect(removes=True, reads_order=True): "popitem",
}
_METHODS = {name: effect for effect, names in _ROWS.items() for name in names.split()}
_ARRAYS = (np.ndarray, *VIEWS)
_ARRAY_WRITERS = frozenset(
    "fill put itemset setfield partition resize sort byteswap setflags __setitem__ __delitem__ __setstate__ __iadd__ __isub__ "
    "__imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __imatmul__ __ilshift__ __irshift__ __iand__ __ixor__ __ior__".split()
)


def of_method(kind: type, name: str) -> Effect:
    """What a method of C code does with an object of a class, if that is a container, an array or a string."""
    if issubclass(kind, _ARRAYS):
        return _WRITES if name in _ARRAY_WRITERS else _READS
    return _METHODS[name] if name in _METHODS else _WRITES


CHANGING: dict[type, tuple[str, ...]] = {
    ContextVar: ("set", "reset"),
    SimpleQueue: ("put", "get", "put_nowait", "get_nowait"),
    threading.Thread: ("start",),
    Executor: ("submit", "map"),
    CACHED: ("cache_clear",),
}
"""Methods that change what cannot be put back, whoever made it."""
READING = frozenset(
    {"digest", "hexdigest", "copy", "getvalue", "get", "keys", "values", "items", "find", "findall", "findtext"}
)
"""Methods that change no object of C code."""
DRAWING = (random.Random, np.random.RandomState, np.random.Generator)
"""Classes of which each method changes the object."""
CHANGEABLE = (io.StringIO, io.BytesIO, weakref.finalize)
"""Classes with a state, in modules that are named next."""
WITHOUT_STATE = frozenset(
    "builtins re datetime decimal zoneinfo time types functools itertools operator collections array io random"
    " contextvars queue weakref typing struct unicodedata numpy jax jaxlib ml_dtypes optree".split()
)
"""Modules of C code whose objects never change, have rules of their own, or only lead out of the program."""

FILLING = frozenset("pack_into readinto readinto1 recv_into recvfrom_into".split())
"""Methods that write to their first argument."""
READING_PACKAGES = ARRAY_PACKAGES.union("math cmath builtins itertools functools typing types".split())
"""Packages whose functions never change a list, dict or set that they are given."""
FRESH_PACKAGES = sys.stdlib_module_names - {"contextvars", "importlib", "pickle", "copyreg", "queue", "threading"}
"""Packages of the standard library whose functions return what they are given, or something new; among them those that ask for
the frame of their caller."""
