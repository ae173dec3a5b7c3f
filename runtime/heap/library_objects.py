"""Objects whose class, or a base of it, is Python code of a library: their methods write without announcing it.

>>> from collections import ChainMap, UserDict
>>> has_library_methods(UserDict), has_library_methods(dict), has_library_methods(type("Own", (UserDict,), {"__module__": "mine"}))
(True, False, True)
>>> chain = ChainMap({}, {"a": [1]})
>>> [part for part in changeable_parts(chain) if part is not chain]
[[{}, {'a': [1]}], {}, {'a': [1]}, [1]]
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from autograph.code.library import ARRAY_PACKAGES, HEAP_TYPE, is_library_class, package_of
from autograph.jax_internals import open_traces, trace_of_state
from autograph.runtime.tracing.class_lookup import once_per_class
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.families import ARRAYS, COLLECTIONS, CONTAINERS
from autograph.runtime.values.locations import AttributeLocation, attribute_names, attribute_values
from autograph.runtime.values.reachability import walk_objects

# Packages whose objects are values: nothing in them changes, or what changes is a matter of JAX.
_VALUES = ARRAY_PACKAGES.union({"autograph", "builtins", "typing", "enum", "abc", "types", "fractions"})
_MOST = 10_000


@once_per_class
def has_library_methods(kind: type) -> bool:
    """Whether a class has methods that a library wrote in Python and that may write to its objects."""
    return any(map(_is_of_library, kind.__mro__[:-1]))


def _is_of_library(base: type) -> bool:
    package = package_of(base)
    return bool(package and base.__flags__ & HEAP_TYPE and package not in _VALUES and is_library_class(base))


def changeable_parts(obj: Any) -> list[Any]:
    """The object and all that can be reached from it through attributes and containers and that may change."""
    found = walk_objects([obj], inside, lambda x: isinstance(x, CONTAINERS) or has_library_methods(type(x)), _MOST)
    return [x for x in found if not isinstance(x, tuple | frozenset)]


def inside(x: Any) -> Iterable[Any]:
    """What a container or an object holds."""
    if isinstance(x, dict):
        return dict.values(x)
    return x if isinstance(x, COLLECTIONS) else () if isinstance(x, ARRAYS) else attribute_values(x)


ON_FIRST_USE = (
    "where a package makes something on first use, call it once before the statement "
    "(before the compiled function, if it makes arrays)"
)
OF_LIBRARY = (
    f"{ON_FIRST_USE}, or behind it, on what is chosen there; what it counts or notes for you, keep in a variable of your own"
)
"""The remedy where branches or iterations leave different values in the state of a package."""
TRACE_STATE = "_trace_state"
"""The attribute in which `nnx.Variable` notes the trace in which it was made: it refuses writes in another one."""


def is_write_in_another_trace(error: BaseException) -> bool:
    """Whether an exception is that by which `nnx.Variable` refuses a write in another trace than the one it was made in."""
    return type(error).__name__ == "TraceContextError" and type(error).__module__ == "flax.errors"


def enter_trace(variable: Any, touch: Callable[[AttributeLocation, bool], None]) -> None:
    """Makes a variable one of the trace in progress, where only regions lie between that and the trace that it was made in.

    What is written in a region is joined when it is over; the journal, to which `touch` announces it, puts the note of the trace
    back. A variable that notes no trace stays as it is.
    """
    place = AttributeLocation(variable, TRACE_STATE)
    if TRACE_STATE not in attribute_names(variable):
        return
    touch(place, True)
    state = place.get()
    own = trace_of_state(getattr(state, "_jax_trace", None))
    regions = [trace() for region in progress.regions for trace in (region.trace, *region.branches)]
    traces = open_traces()[:-1]  # innermost first; the last one evaluates
    between = list(itertools.takewhile(lambda trace: trace is not own, traces))
    if 0 < len(between) < len(traces) and all(any(trace is one for one in regions) for trace in between):
        place.set(type(state)())
