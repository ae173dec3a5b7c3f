"""Sizes that are not known while the program is traced: those of `jax.export.symbolic_shape`, and what is computed of them.

Such a size is a number to JAX wherever a shape needs one, and an integer of the program where a value does. What JAX can tell of
two sizes is known (`n + 1 > n`); any other comparison is traced where converted code makes it. JAX raises there, or says of two
sizes that may be equal that they are not.

>>> import jax
>>> [n] = jax.export.symbolic_shape("n")
>>> compare_sizes(n + 1, ">", n), compare_sizes(n, "==", 0), compare_sizes(2, "<", 3)
(True, False, True)
>>> largest(n, 1), smallest(n, 5)
(n, min(n, 5))
>>> def f(x):
...     return compare_sizes(x.shape[0], "==", 4)
>>> exported = jax.export.export(jax.jit(f))(jax.ShapeDtypeStruct((n,), "float32"))
>>> [bool(exported.call(jax.numpy.ones(k))) for k in (1, 4)]
[False, True]
"""

from __future__ import annotations

import functools
import gc
import operator
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, cast

import jax.numpy as jnp

from autograph.code.library import is_library_file
from autograph.code.registry import Role, known
from autograph.errors import is_of_jax, is_ours
from autograph.jax_internals import SIZE, InconclusiveDimensionOperation, is_tracing
from autograph.runtime.tracing.facts import Facts
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.sharing import outward
from autograph.runtime.tracing.staging import is_array_like, is_traced

_OPERATORS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def is_size(x: Any) -> bool:
    """Whether `x` is a size that is not known."""
    return type(x) is SIZE


def are_sizes(*numbers: Any) -> bool:
    """Whether numbers are such sizes and Python's integers, and not all of them integers."""
    kinds = set(map(type, numbers))
    return SIZE in kinds and kinds <= {SIZE, int}


def is_unknown(x: Any) -> bool:
    """Whether `x` is a traced value or such a size."""
    return type(x) is SIZE or is_traced(x)


def traced(x: Any) -> Any:
    """A size as a traced integer, of the type of Python's integers; anything else unchanged."""
    return _traced_sizes.note(jnp.asarray(x), x) if type(x) is SIZE else x


def size_of(x: Any) -> Any:
    """The size that a traced integer is, where `traced` made it; else None."""
    return _traced_sizes.of(x)


def traced_index(i: Any) -> Any:
    """An index with traced integers instead of such sizes: JAX takes them in slices alone."""
    return tuple(map(traced, i)) if type(i) is tuple else traced(i)


_traced_sizes: Facts[Any] = Facts()


def compare_sizes(left: Any, symbol: str, right: Any) -> Any:
    """`left <symbol> right`: a bool where it is known, a traced one where only the program knows a size."""
    if not (is_array_like(left) and is_array_like(right)):
        return symbol == "!=" if symbol in ("==", "!=") else _OPERATORS[symbol](traced(left), traced(right))
    if are_sizes(left, right):
        try:
            return _known(left, symbol, right)
        except InconclusiveDimensionOperation:
            pass
    return _OPERATORS[symbol](traced(left), traced(right))


def _known(left: Any, symbol: str, right: Any) -> bool:
    """A comparison by what JAX knows of the sizes; raises what JAX does where that is not enough."""
    if symbol in ("==", "!="):
        return (left > right or left < right) is (symbol == "!=")
    return cast(bool, _OPERATORS[symbol](left, right))


def is_known(left: Any, symbol: str, right: Any) -> bool:
    """Whether `left <symbol> right` is known to hold, of two sizes or numbers."""
    try:
        return _known(left, symbol, right)
    except InconclusiveDimensionOperation:
        return False


def smallest(x: Any, y: Any) -> Any:
    """The smaller one of two sizes or numbers, as a size."""
    return min(x, y) if type(x) is not SIZE and type(y) is not SIZE else x.min(y) if type(x) is SIZE else y.rmin(x)


def largest(x: Any, y: Any) -> Any:
    """The larger one."""
    return max(x, y) if type(x) is not SIZE and type(y) is not SIZE else x.max(y) if type(x) is SIZE else y.rmax(x)


def is_converted(frame: FrameType) -> bool:
    """Whether a frame runs converted code, of this process or of a converted file."""
    found = known(frame.f_code)
    if found is not None:
        return found.role is Role.STAGED
    return "ag__" in frame.f_globals and frame.f_globals["ag__"] is sys.modules.get("autograph.runtime")


def drop_exceptions() -> None:
    """Before references are counted: drops what JAX has caught where it met such sizes, which keeps all running frames.

    NB its exceptions refer to themselves (`type_error = e`), so that only the garbage collector finds them.
    """
    if _met:
        _met.clear()
        gc.collect(1)


_met: set[str] = set()
"""Whether sizes were compared since exceptions were dropped: JAX does so wherever it meets any."""


def _watched(symbol: str, native: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    @functools.wraps(native)
    def compared(self: Any, other: Any) -> Any:
        _met.add(symbol)
        if is_tracing() and is_converted(sys._getframe(1)):
            return compare_sizes(self, symbol, other)
        return native(self, other)

    return compared


def _hashed(native: Callable[[Any], int]) -> Callable[[Any], int]:
    @functools.wraps(native)
    def hashed(self: Any) -> int:
        seen.add("hash")
        if is_tracing() and (frame := _asking(sys._getframe(1))) is not None and is_converted(frame):
            raise refusal(
                f"a set or dict would hold or look for {self}, a size that is not known while the program is traced",
                why="it tells values apart by their hashes, and JAX's hash of such a size is that of no number",
                instead="compare the size (`value if n == 4 else other`), or hold it in a list",
                page="size-as-a-key",
            )
        return native(self)

    return hashed


seen: set[str] = set()
"""Whether there were ever such sizes: JAX hashes each one that it meets."""


def call_apart(f: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Calls what finds a program or a result by its arguments: who asks for their hashes is not the user's code then."""
    return f(*args, **kwargs)


_FOR_THE_USER = frozenset({"native_methods.py", "items.py", "comparison.py", "traced_keys.py"})
"""The files of ours that do for the user's code what it would do itself: `s.add(n)`, `d[n] = x`, `hash(n)`."""


def _asking(frame: FrameType | None) -> FrameType | None:
    """The frame that asks for a hash, perhaps by way of a library; None where it is JAX's or ours."""
    for one in outward(frame):
        filename = one.f_code.co_filename
        if is_ours(filename) and os.path.basename(filename) in _FOR_THE_USER:
            continue
        if is_of_jax(one.f_code) or is_ours(filename):
            return None
        if not is_library_file(filename):
            return one
    return None


def _install() -> None:
    """Has converted code compare sizes by `compare_sizes`, and everybody else as JAX does; nor are they hashed there.

    A comparison is no call in converted code, since most are of numbers: an operator would cost every program what few need. So
    the class of sizes looks at who compares. NB `docs/what_it_changes.md` says so.
    """
    for symbol, function in _OPERATORS.items():
        name = f"__{function.__name__}__"
        setattr(SIZE, name, _watched(symbol, getattr(SIZE, name)))
    SIZE.__hash__ = _hashed(SIZE.__hash__)


_install()
