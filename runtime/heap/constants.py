"""NumPy arrays that a program which is being traced has as constants, and writes to them.

JAX knows a constant by the identity of the array. After `y = x + a`, a write to the NumPy array `a` is not seen by what is
traced later (`x + a` again), or is even seen by what was traced before, where the constant shares the memory of the array.
So such an array is not written any more: the variable gets a copy where nothing else has the array; else the write is refused.

>>> import jax, numpy as np
>>> def f(x):
...     a = b = np.zeros(2, np.float32)
...     first = x + a
...     a = apart(a, unshared=1)
...     a[0] = 5
...     return a is b, first, x + a
>>> jax.jit(f)(1.0)[1:]
(Array([1., 1.], dtype=float32), Array([6., 1.], dtype=float32))
"""

from __future__ import annotations

import functools
import gc
import operator
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from numpy.lib.array_utils import byte_bounds

from autograph import jax_internals
from autograph.runtime.tracing.facts import TraceNotes
from autograph.runtime.tracing.families import BUFFERS, memory_of
from autograph.runtime.tracing.refusals import names_held, quoted, refusal


def is_unshared(x: Any, axes: int | None) -> bool:
    """Whether an array has no more axes than the source shows one to have to which nothing refers but one variable."""
    return bool(axes) and x.ndim <= axes


def apart(x: np.ndarray[Any, Any], unshared: int | None) -> np.ndarray[Any, Any]:
    """A NumPy array that is about to be written: `x`, or a copy where `x` is a constant of the program and nothing else has it.

    Args:
        unshared: the number of axes up to which `x` is known to nothing but the variable that is bound anew.
    """
    is_own = is_unshared(x, unshared) and x.base is None and jax_internals.is_tracing()
    return x.copy() if is_own and (not _IS_SEEN or _read(x) is not None) else x


def holders_of_constants() -> list[Any]:
    """Returns what refers to the NumPy arrays that the open traces have as constants, where JAX keeps these alive: before 0.9.2."""
    if _IS_SEEN:
        return []
    tables = [getattr(trace.frame, "constvar_to_val", {}) for trace in jax_internals.open_traces() if hasattr(trace, "frame")]
    return [*tables, *(value for table in tables for value in table.values() if hasattr(value, "original"))]


def note_alone(x: np.ndarray[Any, Any]) -> None:
    """Notes that one variable, attribute or container alone refers to an array, and now takes an array of JAX instead of it."""
    _alone.notes.append((jax_internals.outermost_trace(), weakref.ref(x)))


def was_alone(x: np.ndarray[Any, Any]) -> bool:
    """Whether that was noted in the open trace: what undoes the write, to trace it again, is all that refers to `x` besides."""
    return any(reference() is x for _, reference in _alone.still_open())


_alone: TraceNotes[Any] = TraceNotes()


def check_constant(x: Any, index: Any = ...) -> None:
    """Refuses a write to a NumPy array, or bytes, of which the program has memory as a constant.

    Args:
        index: what is written of `x`.
    Raises:
        StagingError: names the variable.
    """
    if issubclass(type(x), BUFFERS) and jax_internals.is_tracing():  # `isinstance` would read an object's `__class__`
        array = x if isinstance(x, np.ndarray) else x.base if isinstance(x, np.flatiter) else np.asarray(memoryview(x))
        read = _read(array)
        if read is not None and _read(_part(array, index)) is not None:
            raise _refusal(x, array, read)


def why_shared(x: np.ndarray[Any, Any]) -> str:
    """Why an array cannot become another object, for the message of an error.

    >>> why_shared(np.zeros(3)[1:])
    'it is a view of another array'
    """
    if x.dtype.kind not in "biufc":
        return f"JAX has no arrays of {x.dtype}"
    if x.base is not None:
        return f"it is a view of {_quoted_name(x.base) or 'another array'}"
    names = names_held(x)
    if names[1:]:
        return f"{quoted(names[0])} and {quoted(names[1])} are the same array"
    if names:
        return f"the function's source does not show that only {quoted(names[0])} refers to it"
    return "a list, a dict or an object has it, and no variable of its own"


def check_constants_after(f: Any, *owner: Any) -> Callable[..., Any]:
    """A function of C code or of a library that may write to arrays that it is given: refused where it has written a constant.

    Raises:
        StagingError: names the variable; the array is put back.
    """

    @functools.wraps(f, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        given = map(memory_of, (*owner, *args, *kwargs.values()))
        found = [(x, x.copy(), read) for x in given if isinstance(x, np.ndarray) and (read := _read(x)) is not None]
        result = f(*args, **kwargs)
        for x, before, read in found:
            if x.tobytes() != before.tobytes():
                x[...] = before
                raise _refusal(x, x, read)
        return result

    return call


def _part(x: np.ndarray[Any, Any], index: Any) -> np.ndarray[Any, Any]:
    """The part of `x` that an index made of numbers and slices picks; `x` for another index."""
    steps = index if type(index) is tuple else (index,)
    if type(x) is not np.ndarray or not all(isinstance(step, (int, np.integer, slice)) for step in steps):
        return x
    try:
        return x[(*steps, ...)]
    except IndexError:  # which the write raises
        return x


def _read(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """An array that the program has as a constant and that shares elements with `x`; `x` itself if that is one."""
    found = None
    for read in _all_read(x):
        if read is x:
            return x
        if found is None and np.may_share_memory(read, x) and _shares(read, x):
            found = read
    return found


def _shares(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> bool:
    try:
        return np.shares_memory(x, y, max_work=1000)  # type: ignore[arg-type]  # the stub knows two of the numbers
    except np.exceptions.TooHardError:
        return True


def _all_read(x: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The NumPy arrays that programs have as constants, as long as those live; none where `x` surely lies apart from all."""
    if not _IS_SEEN:
        frames = [getattr(trace, "frame", None) for trace in jax_internals.open_traces()]
        values = [value for frame in frames for value in getattr(frame, "constvar_to_val", {}).copy().values()]
        past = [array() for _, array in _of_regions.still_open()]
        arrays = [*(getattr(value, "original", value) for value in values), *past]
        return [one for one in arrays if isinstance(one, np.ndarray)]
    tables = _tables()
    references = gc.get_referents(*tables) if tables else gc.get_objects()
    extent = _extent
    if len(references) != len(extent.references) or any(map(operator.is_not, references, extent.references)):
        extent = _Extent(references)
    return extent.arrays() if extent.meets(x) else []


class _Extent:
    """The memory that constants have; a program that writes an array a thousand times looks at each constant once."""

    def __init__(self, references: list[Any]) -> None:
        global _extent
        self.references = references
        bounds = [byte_bounds(x) for x in self.arrays()]
        self.first, self.behind = np.array(bounds, np.uintp).reshape(-1, 2).T
        _extent = self

    def arrays(self) -> list[np.ndarray[Any, Any]]:
        arrays = [reference() for reference in self.references if type(reference) is weakref.ref]
        return [x for x in arrays if isinstance(x, np.ndarray)]

    def meets(self, x: np.ndarray[Any, Any]) -> bool:
        """Whether some of it may be memory of `x`."""
        first, behind = byte_bounds(x)
        return bool(((self.first < behind) & (first < self.behind)).any())


_extent = _Extent([])


@functools.cache
def _tables() -> list[Any]:
    """Since JAX 0.9.2 a table leads from NumPy arrays to constants, and has weak references to both.

    A constant without numbers of its own keeps the array alive whose memory it shares.
    """
    return [x for x in gc.get_objects() if type(x).__name__ == "WeakKeyWeakValueCache"]


_of_regions: TraceNotes[weakref.ref[Any]] = TraceNotes()  # their constants, before JAX 0.9.2


def _trace_region(region: Callable[..., Sequence[Any]], in_avals: Sequence[Any], name: str) -> tuple[Any, list[Any]]:
    def run(*args: Any) -> Sequence[Any]:
        results = region(*args)
        constants = jax_internals.open_traces()[0].frame.constvar_to_val.values()
        values = [*results, *(getattr(constant, "original", constant) for constant in constants)]
        trace = jax_internals.outermost_trace()  # the constants count as long as that around the region is open
        _of_regions.notes += [(trace, weakref.ref(value)) for value in values if isinstance(value, np.ndarray)]
        return results

    return jax_internals.trace_region(run, in_avals, name)


_IS_SEEN = jax.__version_info__ >= (0, 9, 2)
"""Whether each constant is found; before, one that only a function under a `jax.jit` of its own reads is not."""

trace_region = jax_internals.trace_region if _IS_SEEN else _trace_region
"""`jax_internals.trace_region`; what the region has as constants is known as long as the trace around it is open."""


def _refusal(x: Any, written: np.ndarray[Any, Any], read: np.ndarray[Any, Any]) -> Exception:
    name, other = _quoted_name(x) or _quoted_name(written) or "a NumPy array", _quoted_name(read)
    what = "it" if read is written else f"{other}, which shares its elements" if other else "a part or a view of it"
    return refusal(
        f"{name} is written after the compiled program has read {what}",
        why="what was read is a constant of the program, which would not see the write",
        instead="let the program read a copy (`y = x + a.copy()`), or start from a JAX array: `a = jnp.asarray(a)`",
        page="numpy-array-written-after-a-read",
    )


def _quoted_name(x: Any) -> str:
    """A variable that holds `x`, in quotes."""
    return next(map(quoted, names_held(x)), "")
