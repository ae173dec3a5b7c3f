"""Families of types that the runtime tells apart, each defined once: numbers, arrays, containers, what C code made.

Tuples are for `issubclass`. Sets are for the exact type: a class derived from one of these may have methods of the user's.

>>> issubclass(np.float32, ARRAYS), issubclass(np.float32, BUFFERS), bool in NUMBERS
(True, False, True)
"""

from __future__ import annotations

import functools
from array import array
from collections import deque
from types import BuiltinFunctionType, MethodDescriptorType, MethodWrapperType, WrapperDescriptorType
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

NUMBERS = (bool, int, float, complex)
JAX_ARRAYS = (Tracer, jax.Array)
ARRAYS = (*JAX_ARRAYS, np.ndarray, np.generic)
COLLECTIONS = (list, tuple, set, frozenset, deque)
"""What is iterated over for all that it holds."""
CONTAINERS = (dict, *COLLECTIONS)
MUTABLE_CONTAINERS = (list, dict, set, deque)
VIEWS = (np.flatiter, memoryview)
BUFFERS = (np.ndarray, *VIEWS, bytearray, array)
"""What has numbers or bytes that can be written, in memory of its own or of another object; no traced value can be in it."""
WRITABLE = (*MUTABLE_CONTAINERS, *BUFFERS)

SCALARS: frozenset[type] = frozenset({*NUMBERS, str, bytes, type(None)})
LEAVES = SCALARS | {np.dtype, range, slice}
"""What is compared by its value, and leads to nothing else."""
LEAF_KINDS = LEAVES | {type}
BUILTIN_VALUES = SCALARS | {list, tuple, dict, set, frozenset, range, np.ndarray}
"""What has no method of the user's, and is no iterator."""

BOUND_METHODS = (BuiltinFunctionType, MethodWrapperType)
"""Methods of C code bound to an object; its functions have the first of these types too."""
UNBOUND_METHODS = (MethodDescriptorType, WrapperDescriptorType)
JITTED: type = type(jax.jit(len))
"""The class of what `jax.jit` returns."""
CACHED: Any = type(functools.cache(len))


def memory_of(x: Any) -> Any:
    """What holds the elements of which `x` is a view by its class, if it is one."""
    return x.base if type(x) is np.flatiter else x.obj if type(x) is memoryview else x
