"""Algorithms of the standard library and of the language in plain Python, converted as the user's functions are.

They run where a value is traced (see `standard_library` and `generator_arguments`), so they do step by step what Python
does: `heapq` leaves the same list, `next` takes the same item. Nothing here knows of tracing.

>>> heap = [5, 1, 4]
>>> heapify(heap); heappush(heap, 0); heappop(heap), heap, bisect_right([1, 3, 3], 3)
(0, [1, 5, 4], 3)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import lt
from typing import Any

# --- bisect ---


def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """`bisect.bisect_left`."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        mid = (lo + end) // 2
        item = a[mid] if key is None else key(a[mid])
        if lt(item, x):
            lo = mid + 1
        else:
            end = mid
    return lo


def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """`bisect.bisect_right`."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        mid = (lo + end) // 2
        item = a[mid] if key is None else key(a[mid])
        if lt(x, item):
            end = mid
        else:
            lo = mid + 1
    return lo


def insort_left(a: list[Any], x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """`bisect.insort_left`."""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a: list[Any], x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> None:
    """`bisect.insort_right`."""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


# --- heapq ---


def heappush(heap: list[Any], item: Any) -> None:
    """`heapq.heappush`."""
    heap.append(item)
    _toward_root(heap, 0, len(heap) - 1)


def heappop(heap: list[Any]) -> Any:
    """`heapq.heappop`."""
    last = heap.pop()
    return heapreplace(heap, last) if heap else last


def heapreplace(heap: list[Any], item: Any) -> Any:
    """`heapq.heapreplace`."""
    smallest = heap[0]
    heap[0] = item
    _toward_leaf(heap, 0)
    return smallest


def heappushpop(heap: list[Any], item: Any) -> Any:
    """`heapq.heappushpop`."""
    if heap and lt(heap[0], item):
        item, heap[0] = heap[0], item
        _toward_leaf(heap, 0)
    return item


def heapify(heap: list[Any]) -> None:
    """`heapq.heapify`."""
    for position in reversed(range(len(heap) // 2)):
        _toward_leaf(heap, position)


def _toward_root(heap: list[Any], start: Any, position: Any) -> None:
    item = heap[position]
    while position > start:
        above = (position - 1) >> 1
        parent = heap[above]
        if not lt(item, parent):
            break
        heap[position] = parent
        position = above
    heap[position] = item


def _toward_leaf(heap: list[Any], position: Any) -> None:
    start, end = position, len(heap)
    item = heap[position]
    child = 2 * position + 1
    while child < end:
        if child + 1 < end and not lt(heap[child], heap[child + 1]):
            child = child + 1
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = item
    _toward_root(heap, start, position)


def nsmallest(n: int, iterable: Iterable[Any], key: Any = None) -> list[Any]:
    """`heapq.nsmallest`."""
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: int, iterable: Iterable[Any], key: Any = None) -> list[Any]:
    """`heapq.nlargest`."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


# --- functools ---


def reduce(function: Callable[[Any, Any], Any], items: Iterable[Any], initial: Any) -> Any:
    """`functools.reduce` with an initial value."""
    total = initial
    for item in items:
        total = function(total, item)
    return total


# --- generator expressions; `make` makes one over the items that it is given ---


class Each:
    """A loop over the items of a clause; `parts(item)` gives elements, and loops and filters behind it."""

    def __init__(self, make: Any, items: Any) -> None:
        self.make, self.items = make, items

    def parts(self, item: Any) -> Any:
        return self.make((item,), _Parts) if self.make.__defaults__ else self.make((item,))


class Where:
    """A filter; `inside()` gives what stands behind it, as above."""

    def __init__(self, test: Any, inside: Any) -> None:
        self.test, self.inside = test, inside


class _Parts:
    """Has a generator give its loops and filters for elements."""

    may_filter = False

    @staticmethod
    def each(make: Any, items: Any) -> Any:
        return (Each(make, items),)

    @staticmethod
    def where(test: Any, inside: Any) -> Any:
        return (Where(test, inside),)


def any_among(parts: Any) -> bool:
    """`any` of elements, and of the elements of loops and filters among them."""
    for part in parts:
        if isinstance(part, Each):
            for item in part.items:
                if any_among(part.parts(item)):
                    return True
        elif isinstance(part, Where):
            if part.test:
                if any_among(part.inside()):
                    return True
        elif part:
            return True
    return False


def all_among(parts: Any) -> bool:
    """`all`, of the same."""
    for part in parts:
        if isinstance(part, Each):
            for item in part.items:
                if not all_among(part.parts(item)):
                    return False
        elif isinstance(part, Where):
            if part.test:
                if not all_among(part.inside()):
                    return False
        elif not part:
            return False
    return True


def extreme_or_none(is_better: Any, make: Any, items: Any) -> Any:
    """`min(make(items), default=None)`, or `max`; `make` gives pairs of a test and a function of the element, here and below."""
    best = None
    for item in items:
        for test, element in make((item,)):
            if test:
                value = element()
                if best is None or is_better(value, best):
                    best = value
    return best


def extreme_among(is_better: Any, make: Any, items: Any) -> Any:
    """Finds the same where there are loops and filters among the pairs; the first element counts whatever stands for it before."""
    found, best = _best_among(is_better, (Each(make, items),), False, 0)
    if found:
        return best
    return None


def _best_among(is_better: Any, parts: Any, found: Any, best: Any) -> Any:
    for part in parts:
        if isinstance(part, Each):
            for item in part.items:
                found, best = _best_among(is_better, part.parts(item), found, best)
        elif isinstance(part, Where):
            if part.test:
                found, best = _best_among(is_better, part.inside(), found, best)
        else:
            test, element = part
            if test:
                value = element()
                if not found or is_better(value, best):
                    found, best = True, value
    return found, best


def extreme_of(search: Any, is_better: Any, make: Any, items: Any, message: str) -> Any:
    """`min` or `max` of items of which there is one."""
    best = search(is_better, make, items)
    if best is None:
        raise ValueError(message)
    return best


def extreme_or(search: Any, is_better: Any, make: Any, items: Any, default: Any) -> Any:
    """`min` or `max` of items, or `default` where there is none."""
    best = search(is_better, make, items)
    if best is None:
        return default
    return best


def first_of(make: Any, held: Any, default: Any) -> Any:
    """`next(make(items), default)`; `held.take()` gives the items, here and below: nothing else of ours may refer to them."""
    for item in held.take():
        for test, element in make((item,)):
            if test:
                return element()
    return default


def first_or_none(make: Any, held: Any) -> Any:
    """`next(make(items), None)`."""
    for item in held.take():
        for test, element in make((item,)):
            if test:
                return element()
    return None


def first_one(make: Any, held: Any) -> Any:
    """`next(make(items))`."""
    for item in held.take():
        for test, element in make((item,)):
            if test:
                return element()
    raise StopIteration
