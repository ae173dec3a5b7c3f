"""Python lists, tuples and ranges at a traced index.

>>> import jax
>>> def f(i):
...     xs = [1, 2, 3]
...     put_at(xs, i, 9)
...     return xs, get_at((4, 5, 6), i), get_from_range(range(10, 40, 10), i)
>>> values, item, number = jax.jit(f)(-1)
>>> [int(v) for v in values], int(item), int(number)
([1, 2, 9], 6, 30)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.checks import runtime_checks
from autograph.runtime.checks.guards import guard_index
from autograph.runtime.heap import journal
from autograph.runtime.sequences import short_circuit
from autograph.runtime.sequences.comparison import matches, may_be_traced
from autograph.runtime.sequences.selection import choose, differ, select_item, sort
from autograph.runtime.tracing import host, integer_ranges
from autograph.runtime.tracing.array_types import is_integer
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known.limits import needs_number
from autograph.runtime.tracing.known.number import KnownTracer, lifted
from autograph.runtime.tracing.refusals import refusal
from autograph.runtime.tracing.staging import is_array_like, is_traced, is_tracer
from autograph.runtime.values.merge import describe


def position_from_start(index: Any, size: int, what: str, decides: bool = True) -> Any:
    """A traced index counted from the start; the compiled program fails where it is out of range.

    Args:
        decides: whether a value depends on the index. The check is part of such a value; where there is none it stands alone.
    Raises:
        TypeError: the index is not an integer scalar, in Python's words.
        IndexError: there is no element at all.
    """
    index = integer_index(index, what)
    error = IndexError(f"{what} index out of range")
    if size == 0:
        raise error
    if integer_ranges.is_inside(index, size):
        return index
    index = lax.select(index < 0, index + size, index)
    return _demanded(index, (index >= 0) & (index < size), error, decides)


def _demanded(index: Any, ok: Any, error: Exception, decides: bool) -> Any:
    if decides:
        return guard_index(index, ok, error)
    runtime_checks.demand(ok, error)
    return index


def integer_index(index: Any, what: str) -> Any:
    """A traced index in the type of Python's integers; raises `TypeError` in Python's words where it is none."""
    if not is_integer(index):
        raise TypeError(f"{what} indices must be integers or slices, not {jax.typeof(index).str_short()}")
    return lax.convert_element_type(index, jnp.result_type(int))


def get_at(items: Any, index: Any) -> Any:
    """`items[index]`."""
    kind = type(items).__name__
    if progress.is_tried and type(index) is KnownTracer and not all(map(is_tracer, items)):
        raise needs_number("it chooses from a list that does not hold arrays alone")
    return select_item(items, position_from_start(index, len(items), kind, differ(items)), f"an index into a {kind}")


def place_of(items: list[Any], index: Any) -> Any:
    """A traced index into a list, checked for good: that which `items[index] += value` reads, and then writes."""
    found = position_from_start(index, len(items), "list", differ(items))
    return integer_ranges.declare_range(found, 0, len(items) - 1)


def get_from_range(numbers: range, index: Any) -> Any:
    """`numbers[index]`, by arithmetic."""
    k = position_from_start(index, len(numbers), "range object")
    return convert_weak(numbers.start + k * numbers.step, jnp.result_type(int))


def put_at(items: list[Any], index: Any, value: Any) -> None:
    """`items[index] = value`: every element becomes the value or itself."""
    if progress.is_tried and type(index) is KnownTracer:
        raise needs_number("an element of a list is written at it")
    k = position_from_start(index, len(items), "list assignment", _changes(items, value))
    items[:] = [choose(k == n, value, old, "a list written at a traced index") for n, old in enumerate(items)]


def _changes(items: Sequence[Any], value: Any, depth: int = 1) -> bool:
    """Whether a list depends on where the value is put in it, or in lists inside."""
    if depth > 1:
        return any(_changes(row, value, depth - 1) for row in items)
    return any(differ((value, old)) for old in items)


def is_grid(items: Any, depth: int) -> bool:
    """Whether `items` are lists in a list or tuple, to that depth, and those of one level equally long."""
    if depth == 1:
        return type(items) is list
    if type(items) not in (list, tuple) or len({len(row) for row in items if type(row) in (list, tuple)}) != 1:
        return False
    return all(is_grid(row, depth - 1) for row in items)


def rows_of(items: Any, depth: int) -> Any:
    """The innermost lists of a grid as they are found now, in copies of what is around them."""
    return items if depth == 1 else type(items)([rows_of(row, depth - 1) for row in items])


def put_in_grid(items: Any, keys: Sequence[Any], value: Any, hit: Any = True) -> None:
    """`items[i][j] = value` with traced keys among others: each element that it may be becomes the value or itself.

    Args:
        hit: whether `items` is the list that Python would have found; traced or True.
    """
    key, *rest = keys
    if progress.is_tried and type(key) is KnownTracer:
        raise needs_number("an element of a list is written at it")
    name = type(items).__name__ if rest else "list assignment"
    k = position_from_start(key, len(items), name, _changes(items, value, len(keys))) if is_traced(key) else key
    for n in range(len(items)) if is_traced(key) else (key,):
        here = hit if not is_traced(key) else k == n if hit is True else (k == n) & hit
        if rest:
            put_in_grid(items[n], rest, value, here)
        else:
            journal.touch_container(items)
            items[n] = choose(here, value, items[n], "a list written at a traced index")


def pop(items: list[Any], index: Any, what: str = "pop") -> Any:
    """`items.pop(index)`, or `del items[index]`, by which Python calls it: the elements behind the index move up."""
    if progress.is_tried and type(index) is KnownTracer:
        raise needs_number("an element of a list is taken out at it")
    k = position_from_start(index, len(items), what, False)  # the list gets shorter, whether or not its elements are read
    found = select_item(items, k, "an index into a list")
    items[:] = [
        choose(n >= k, after, old, "a list popped at a traced index")
        for n, (old, after) in enumerate(zip(items, items[1:], strict=False))
    ]
    return found


def list_insert(f: Any, *args: Any) -> Any:
    """`items.insert(index, value)`, which `f` is: an index out of range means an end, as in Python."""
    if len(args) != 2 or not is_traced(args[0]):
        return f(*args)
    items, (index, value) = f.__self__, args
    size = len(items)
    k = integer_index(index, "insert")
    k = jnp.clip(lax.select(k < 0, k + size, k), 0, size)  # -1 stands before the last element
    what = "a list inserted into at a traced index"
    # Element n of the result: the old n before the new one, the old n - 1 behind it.
    before, behind = [*items, value], [value, *items]
    pairs = enumerate(zip(before, behind, strict=True))
    items[:] = [choose(n < k, a, choose(n == k, value, b, what), what) for n, (a, b) in pairs]


def list_pop(f: Any, *args: Any) -> Any:
    """`items.pop(index)`, which `f` is."""
    return pop(f.__self__, *args) if len(args) == 1 and is_traced(args[0]) else f(*args)


def list_sort(f: Any, /, *args: Any, key: Any = None, reverse: Any = False) -> Any:
    """`items.sort()`, which `f` is."""
    items = f.__self__
    if args or (key is None and not any(map(may_be_traced, items))):
        return f(*args, **({} if key is None else {"key": key}), reverse=reverse)
    items[:] = sort(items, key=None if key is None else host.calls.converted(key), reverse=reverse)


def count_items(items: Sequence[Any], value: Any) -> Any:
    """`items.count(value)` of a list, tuple or deque."""
    return sum(matches(item, value) for item in items)


def index_of(items: Sequence[Any], value: Any, name: str = "index", decides: bool = True) -> Any:
    """`items.index(value)`; the compiled program fails where the value is missing (`decides` as in `position_from_start`)."""
    found: Any = False
    position: Any = 0
    for n, equal in reversed(list(enumerate(_matching(items, value)))):
        if is_traced(equal):
            found, position = choose(equal, (True, n), (found, position), "list.index()")
        elif equal:
            found, position = True, n
    kind = "tuple" if isinstance(items, tuple) else "list"
    text = "the value is not in deque" if isinstance(items, deque) else f"{kind}.{name}(x): x not in {kind}"
    if not is_traced(found):
        if not found:
            raise ValueError(text)
        return position
    return _demanded(jnp.asarray(position), found, ValueError(text), decides)


def _matching(items: Sequence[Any], value: Any) -> list[Any]:
    """Which of `items` are equal to `value`, as far as Python would compare."""
    found: Any = False
    equal: list[Any] = []
    for item in items:
        if is_traced(found) and not is_array_like(item):
            equal.append(short_circuit.evaluated(partial(matches, item, value), found, False, "list.index()"))
        else:
            equal.append(matches(item, value))
        if is_traced(equal[-1]):
            found = jnp.logical_or(found, equal[-1])
        elif equal[-1]:
            break
    return equal


def remove(items: list[Any], value: Any) -> None:
    """`items.remove(value)`."""
    k = index_of(items, value, "remove", False)
    if is_traced(k):
        pop(items, k)
    else:
        del items[k]


def _by_equality(version: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Makes the version of a bound method, which it is given, from a function of the items and a value."""
    return lambda f, /, *args: (
        version(f.__self__, args[0]) if len(args) == 1 and any(map(may_be_traced, (*args, *f.__self__))) else f(*args)
    )


list_count, list_index, list_remove = map(_by_equality, (count_items, index_of, remove))


def checked_slice(x: Any, start: Any, length: int) -> Any:
    """Takes `x[start:start + length]` of an array; the program fails where Python would find fewer elements than `length`.

    Raises:
        StagingError: in the attempt to stage a loop over plain numbers, if Python finds fewer in one of its iterations.
    """
    size = x.shape[0]
    if (begin := lifted(partial(_first_of_slice, size, length), start)) is not NotImplemented:
        start = begin
    start = integer_index(start, "slice")
    if integer_ranges.is_inside(start, size - length + 1):
        return lax.dynamic_slice_in_dim(x, start, length, allow_negative_indices=False)
    begin = lax.select(start < 0, start + size, start)
    error = IndexError(f"a slice of {length} elements does not lie within the {size} elements of the array")
    # From -k to 0 is empty in Python, so a negative start must leave a negative stop, or stand before it.
    fits = (begin >= 0) & (begin + length <= size) & ((start >= 0) | (start + length < 0) | (length == 0))
    return lax.dynamic_slice_in_dim(x, guard_index(begin, fits, error), length)


def _first_of_slice(size: int, length: int, start: int) -> int:
    places = range(size)[start : start + length]
    if len(places) < length:
        raise IndexError("the slice is shorter")
    return places.start


def slice_of_sequence(x: Any) -> Exception:
    """Makes the error for a slice of a list or a tuple whose bounds are traced."""
    return refusal(
        f"a slice of {describe(x)} has traced bounds",
        why="a list of a compiled program has a known length",
        instead="slice an array: `np.array(xs)[a:b]`",
        page="slice-of-unknown-length",
    )
