"""Functions of the standard library, written in C or for known values, called with traced ones: `bisect`, `heapq`, `functools`.

Where an argument is traced, or a list among them holds a traced value, the same algorithm runs in plain Python, converted
(`algorithms`). With values that are known, every function is itself.

>>> import bisect, heapq, jax
>>> def f(x):
...     heap = [3.0, x]
...     counterpart(heapq.heapify, heapq.heapify)(heap)
...     return heap, counterpart(bisect.bisect_left, bisect.bisect_left)([1.0, 2.0, 3.0], x)
>>> [[float(item) for item in jax.jit(f)(2.5)[0]], int(jax.jit(f)(2.5)[1])]
[[2.5, 3.0], 2]
"""

from __future__ import annotations

import bisect
import functools
import heapq
from collections.abc import Callable
from typing import Any

from autograph import errors
from autograph.code import library
from autograph.jax_internals import is_tracing
from autograph.runtime.library import algorithms, statistics_functions
from autograph.runtime.operators import optional_results
from autograph.runtime.sequences import counted_range, iterables
from autograph.runtime.sequences.comparison import may_be_traced
from autograph.runtime.sequences.ranges import first_number
from autograph.runtime.tracing import host
from autograph.runtime.tracing.refusals import user_line

_PLAIN: dict[Any, Callable[..., Any]] = {
    getattr(module, name): getattr(algorithms, name)
    for module in (bisect, heapq)
    for name in vars(module)
    if name[0] != "_" and hasattr(algorithms, name)
}


def plain(algorithm: Any, none_checked: bool = False) -> Callable[..., Any]:
    """A function of `algorithms`, converted; what it cannot do is said of the user's line.

    `none_checked`: the result is tested for `None` (`optional_results`).
    """
    library.claim(algorithms.__file__)
    staged = host.conversion.staged(algorithm)
    if none_checked:
        staged = optional_results.asking(staged)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return staged(*args, **kwargs)
        except errors.StagingError as error:
            _relocate(error)
            raise

    return call


def _relocate(error: errors.StagingError) -> None:
    within, at = error.location, errors.Location.of(user_line())
    if within is not None and at is not None and within.filename == algorithms.__file__:
        old, new = (place.text().replace("\n", "\n  ") for place in (within, at))
        error.args = (str(error.args[0]).replace(old, new, 1),)
        error.location = at


def counterpart(f: Any, itself: Callable[..., Any]) -> Callable[..., Any] | None:
    """What does the same as `f` on traced values, and `itself` on others; None for other functions."""
    if f is functools.reduce:
        return functools.partial(_reduce, itself)
    algorithm = _PLAIN.get(f)
    if algorithm is None:
        return statistics_functions.counterpart(f)

    def call(*args: Any, **kwargs: Any) -> Any:
        if is_tracing() and any(map(may_be_traced, (*args, *kwargs.values()))):
            return plain(algorithm)(*args, **kwargs)
        return itself(*args, **kwargs)

    return call


_MISSING: Any = object()


def _reduce(itself: Callable[..., Any], function: Any, iterable: Any, initial: Any = _MISSING, /) -> Any:
    """Over traced arrays and ranges one loop."""
    if not iterables.is_staged_iterable(iterable) or type(iterable) in iterables.STAGED:
        return itself(function, iterable, *(() if initial is _MISSING else (initial,)))
    if initial is not _MISSING:
        return plain(algorithms.reduce)(function, iterable, initial)
    if type(iterable) is counted_range.range:
        rest = counted_range.range(iterable.start + iterable.step, iterable.stop, iterable.step)
        return plain(algorithms.reduce)(
            function, rest, first_number(iterable, "reduce() of empty iterable with no initial value")
        )
    if not len(iterable):
        return itself(function, iterable)
    return plain(algorithms.reduce)(function, iterable[1:], iterable[0])
