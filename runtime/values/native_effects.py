"""What methods and functions of C code and of libraries do to what they are given, which they announce to nobody.

The methods of containers have a table of their own (`autograph/code/container_effects.py`), and those that advance iterators stand
beside these (`runtime/heap/iterators.py`).

>>> "digest" in READING, "set" in CHANGING[ContextVar]
(True, True)
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

import numpy as np

from autograph.code.library import ARRAY_PACKAGES
from autograph.runtime.tracing.families import CACHED

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
