"""Generator expressions that `sum`, `any`, `all`, `min`, `max` and `next` take, where Python's own way to take them fails.

Over a range of traced bounds or an axis of unknown size no generator can run, and a traced filter leaves an unknown number of
items. What takes one value of them needs none: it is a loop, as `algorithms` has it.

>>> import jax
>>> def f(n):
...     squares = fold(sum, lambda items: (i * i for i in items), builtin_functions.builtin(range)(n))()
...     first = taken(next, lambda items: ((i * i > n, lambda: i) for i in items), [1, 2, 3, 4])(-1)
...     return squares, first
>>> [int(x) for x in jax.jit(f)(5)], f(5)
([30, 3], (30, 3))
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator
from typing import Any

from autograph.jax_internals import is_tracing
from autograph.runtime.library import algorithms, builtin_functions
from autograph.runtime.library.element_loops import staged_total
from autograph.runtime.library.standard_library import convert_algorithm
from autograph.runtime.operators import long_loops
from autograph.runtime.operators.comprehensions import comp_iter
from autograph.runtime.sequences import iteration_space
from autograph.runtime.tracing import host
from autograph.runtime.tracing.refusals import message_of_failure

Make = Callable[..., Iterator[Any]]
_FOLDS = {builtins.any: algorithms.any_among, builtins.all: algorithms.all_among}
_IS_BETTER = {builtins.min: operator.lt, builtins.max: operator.gt}


def fold(f: Any, make: Make, iterable: Any) -> Callable[..., Any]:
    """What `sum`, `any` or `all` is where it takes the generator `make(iterable)`; called with the other arguments."""
    folded = builtin_functions.builtin(f)
    if is_tracing() and _is_loop(make, iterable):
        if f is not builtins.sum:
            return lambda: convert_algorithm(_FOLDS[f])((algorithms.Each(make, iterable),))

        def total(start: Any = 0) -> Any:
            staged = staged_total(make, iterable, start)
            return staged[0] if staged else folded(make(comp_iter(iterable)), start)

        return total
    held = _Held(comp_iter(iterable))
    # A call with `*start` keeps its arguments in a tuple, and `any` counts who else refers to the generator.
    return lambda *start: folded(make(held.take()), *start) if start else folded(make(held.take()))


def _is_loop(make: Make, iterable: Any) -> bool:
    is_open = iteration_space.is_open_iterable(iterable) or iteration_space.has_bound(iterable)
    return is_open or long_loops.is_long(iterable, make)


def taken(f: Any, make: Make, iterable: Any, asked: bool = False) -> Callable[..., Any]:
    """What `min`, `max` or `next` is where it takes `e for x in iterable if t`; called with the other arguments.

    Args:
        make: gives pairs `(t, lambda: e)`.
        asked: whether the result is tested for `None` (`optional_results`).
    """
    if not is_tracing():
        return lambda *args, **kwargs: f((element() for test, element in make(iterable) if test), *args, **kwargs)
    held = _Held(iterable)
    if f is next:
        return lambda *default: _next(make, held, asked, *default)
    return lambda **kwargs: _extreme(f, make, held.take(), **kwargs)


class _Held:
    """An iterable that is handed on to who takes its items, so that nobody else seems to know it."""

    __slots__ = ("_iterable",)

    def __init__(self, iterable: Any) -> None:
        self._iterable = iterable

    def take(self) -> Any:
        """The iterable, once."""
        iterable = self._iterable
        del self._iterable
        return iterable


_MISSING: Any = object()


def _next(make: Make, held: _Held, none_checked: bool, default: Any = _MISSING) -> Any:
    if default is _MISSING:
        return convert_algorithm(algorithms.first_one)(make, held)
    if default is None:
        return convert_algorithm(algorithms.first_or_none, none_checked)(make, held)
    return convert_algorithm(algorithms.first_of)(make, held, default)


def filtering(test: Any) -> Make:
    """What `taken` makes a generator with that takes `filter(test, iterable)`.

    >>> taken(next, filtering(lambda x: x > 2), [1, 2, 3])()
    3
    """
    passes = host.calls.converted(test) if test is not None else lambda item: item
    return lambda items: ((passes(item), lambda item=item: item) for item in items)


def _extreme(f: Any, make: Make, iterable: Any, **default: Any) -> Any:
    has_loops = make.__defaults__ and _is_loop(make, iterable)
    search = convert_algorithm(algorithms.extreme_among if has_loops else algorithms.extreme_or_none, none_checked=True)
    is_better = _IS_BETTER[f]
    if default:
        return convert_algorithm(algorithms.extreme_or)(search, is_better, make, iterable, default["default"])
    return convert_algorithm(algorithms.extreme_of)(search, is_better, make, iterable, message_of_failure(f, ()))
