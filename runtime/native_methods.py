"""Methods and functions written in C: those that write are announced to the journal before they run.

While no piece is staged nothing needs to be said, and the method itself is called.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime import journal, lists, numeric_modules, selection
from autograph.runtime.refusals import refusal
from autograph.runtime.staging import is_traced

_CONTAINERS = (list, dict, set, bytearray, collections.deque, np.ndarray)
_READERS = frozenset(
    "index count copy get keys values items union intersection difference symmetric_difference issubset issuperset isdisjoint "
    "__len__ __getitem__ __contains__ __iter__ __eq__ __ne__ __repr__ __str__ __reversed__ __lt__ __le__ __gt__ __ge__ __hash__ "
    "__format__ __getattribute__ __class__ __reduce__ __reduce_ex__ __sizeof__ __dir__".split()
)
_ATTRIBUTE_WRITERS = frozenset({"__setattr__", "__delattr__"})
