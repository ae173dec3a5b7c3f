"""The iterables and the `if`s of comprehensions, which stay Python's own.

A comprehension builds a container, so it takes its elements one by one: over a traced array it is unrolled.

>>> [x * 2 for x in comp_iter([1, 2, 3]) if comp_test(x > 1)]
[4, 6]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autograph.runtime.jaxprs.binding import predicate
from autograph.runtime.operators.conditionals import staged_value
from autograph.runtime.sequences import counted_range, iteration_space
from autograph.runtime.sequences.iterables import Filter
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.truth import truth_value
from autograph.runtime.values import key_orders

FILTERED = "comprehension-filter"
_LOOP = "append in a `for` loop"
_BOUND = "show how large it is at most (`n = min(n, 100)`)"


_PLAIN, _TRUTHS = frozenset((list, tuple, range)), frozenset((bool, int))


def comp_iter(iterable: Any) -> Any:
    """The iterable of a `for` clause.

    Raises:
        StagingError: the number of elements is traced (`range(n)`), or the order of a dict's keys is not known.
    """
    if type(iterable) in _PLAIN:
        return iterable
    key_orders.check_order(iterable)
    if iteration_space.is_open_iterable(iterable):
        is_range = type(iterable) is counted_range.range
        raise refusal(
            f"a comprehension over {'a range with traced bounds' if is_range else 'an axis of unknown size'} has no known length",
            why="a container holds a known number of elements",
            instead=f"range over the largest number and mask (`value if i < n else 0`), or {_BOUND}"
            if is_range
            else "write a `for` loop that appends to a list, or `jax.vmap(f)(xs)`",
            page="comprehension-range",
        )
    return iterable


def comp_test(test: Any) -> Any:
    """The truth of an `if` clause.

    Raises:
        StagingError: the test is traced.
    """
    test = truth_value(test)
    if not is_traced(test):
        return test
    raise _filter_refusal()


def _filter_refusal() -> Exception:
    return refusal(
        "a comprehension filters by a traced test",
        why="the test is not known while the program is traced, so neither is the number of elements",
        instead=f"keep every element and mask it (`value if test else 0`), or {_LOOP}",
        page=FILTERED,
    )


def comp_where(test: Any, part: Callable[[], Iterable[Any]], to: Any = None) -> Iterable[Any]:
    """Returns the elements behind an `if` clause, if its test holds; `to` takes them, where the clause is a branch of the program.

    >>> [e for x in [1, -2, 3] for e in comp_where(x > 0, lambda: (x,))]
    [1, 3]
    """
    if type(test) not in _TRUTHS:
        test = truth_value(test)
        if is_traced(test) and (to is None or not (to.may_filter or type(test) is KnownTracer)):
            raise _filter_refusal()
    if to is None:
        return part() if test else ()
    return to.where(test, part)


def comp_each(make: Callable[..., Iterable[Any]], iterable: Any, to: Any = None) -> Iterable[Any]:
    """Returns the elements behind a second `for` clause; `to` takes them, where the clause is a loop of the program."""
    return make(comp_iter(iterable)) if to is None else to.each(make, iterable)


def comp_kept(test: Any, element: Callable[[], Any], passed: Any, to: Any = None) -> Iterable[Any]:
    """The element that a filter keeps, or none; one that counts as `passed` where a traced test does not hold; `to`: see above.

    >>> sum(item for x in [1, -2, 3] for item in comp_kept(x > 0, lambda: x, 0))
    4
    """
    if not is_traced(test):
        return (element(),) if test else ()
    if to is not None and (to.may_filter or type(test) is KnownTracer):
        return comp_where(test, lambda: (element(),), to)
    return (staged_value("filter", predicate(test), element, lambda: passed),)


def kept(items: Any, passed: Any) -> Any:
    """The items of what `filter` gives, if it is that: `passed` instead of one that a traced test may leave out."""
    if type(items) is not Filter or items.is_started:
        return items
    test, inside = items.fn or (lambda item: item), items.iterable
    items.exhaust()

    def element(x: Any) -> Callable[[], Any]:
        return lambda: x

    return (item for x in inside for item in comp_kept(truth_value(test(x)), element(x), passed))


def comp_counted(test: Any, element: Callable[[], Any]) -> Iterable[Any]:
    """A one where a filter keeps an element, which is evaluated; a traced 1 or 0 where the test is traced.

    >>> comp_len([item for x in [1, -2, 3] for item in comp_counted(x > 0, lambda: x)])
    2
    """

    def counted() -> int:
        element()
        return 1

    return comp_kept(test, counted, 0)


def comp_len(counts: list[Any]) -> Any:
    """How many elements a filter has kept."""
    return sum(counts)
