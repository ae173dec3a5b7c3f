"""Choosing among Python values by traced numbers: `min`, `max`, `sorted`, and a list read at a traced index.

>>> import jax
>>> def f(x):
...     k = x.astype(int)
...     return extreme('min', [3.0, x, 2.0]), sort([3.0, x, 2.0], reverse=True), select_item([10, 20, 30], k, 'xs')
>>> low, high, item = jax.jit(f)(1.0)
>>> float(low), [float(v) for v in high], int(item)
(1.0, [3.0, 2.0, 1.0], 20)
"""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.jax_internals import convert_weak
from autograph.runtime.heap import aliases, array_views
from autograph.runtime.jaxprs.binding import predicate
from autograph.runtime.sequences import comparison
from autograph.runtime.tracing import integer_ranges, sizes
from autograph.runtime.tracing.array_types import TypesDiffer, convert_to, join_types, type_of
from autograph.runtime.tracing.families import MUTABLE_CONTAINERS
from autograph.runtime.tracing.refusals import refusal, remedy_of_choice, user_line
from autograph.runtime.tracing.staging import is_array_like, is_traced
from autograph.runtime.values import choices
from autograph.runtime.values.callables import is_callable_option
from autograph.runtime.values.kinds import IMMUTABLE, is_value, open_container, same_static
from autograph.runtime.values.locations import AttributeLocation, attribute_names
from autograph.runtime.values.merge import Join, Merged, Mismatch, describe, fill

_MISSING: Any = object()


def choose(test: Any, new: Any, old: Any, what: str) -> Any:
    """`new if test else old` for two values that exist already: one `select` for each number that differs."""
    join = Join()
    _refuse_copies(new, old, what)
    try:
        template = join.add(new, old, what)
    except Mismatch as differ:
        raise refusal(
            f"{what} chooses between {differ.left} and {differ.right} by a traced comparison",
            why=differ.why,
            instead=differ.instead
            or "make the candidates agree in shape and structure",
            page="choice-between-shapes",
        ) from None
    pairs = zip(join.left, join.right, join.types, strict=True)
    built: dict[int, Any] = {}
    chosen = fill(template, [_select(test, convert_to(a, t), convert_to(b, t)) for a, b, t in pairs], built)
    aliases.note_merged(join.merged(built), user_line())
    return chosen


def _refuse_copies(new: Any, old: Any, what: str) -> None:
    """Refuses two different mutable objects: the result would be a copy, and writes into it would be lost."""
    if new is old or is_array_like(new) or is_array_like(old):
        return
    opened = open_container(new), open_container(old)
    if opened[0] is None or opened[1] is None:
        return
    if not (is_value(new) and is_value(old)):
        raise refusal(
            f"{what} chooses between {describe(new)} and {describe(old)} by a traced comparison",
            why="it would be a copy of one of two objects, and writes into it would be lost",
            instead="choose an index first and read the object where it is needed, or use tuples or arrays",
            page="choice-between-objects",
        )
    for a, b in zip(opened[0][0], opened[1][0], strict=False):
        _refuse_copies(a, b, what)


def _select(test: Any, new: Any, old: Any) -> Any:
    chosen_of = new, old
    new, old = jnp.asarray(new), jnp.asarray(old)
    if not new.shape:
        return lax.select(test, new, old)
    chosen = lax.select(lax.broadcast(test, new.shape), new, old)
    array_views.note_choice(chosen, chosen_of)
    return chosen


_OF_CMP = type(functools.cmp_to_key(operator.sub)(0))
"""The class of what `functools.cmp_to_key(f)` returns, an object of C code."""


def extreme(name: str, *args: Any, key: Callable[[Any], Any] | None = None, default: Any = _MISSING) -> Any:
    """`min(...)` (`name` is 'min') or `max(...)`, item by item as Python does it.

    The first of equals is returned, also by derivatives; a comparison with NaN is false, so a NaN that does not come
    first is passed over.
    """
    native = builtins.min if name == "min" else builtins.max
    kwargs = {} if default is _MISSING else {"default": default}
    if len(args) != 1:
        if not args or kwargs:
            return native(*args, key=key, **kwargs)
        items: Any = args
    else:
        items = args[0]
        is_vector = is_traced(items) and len(jax.typeof(items).shape) == 1
        if key is None and is_vector and items.shape[0] and not jnp.iscomplexobj(items):
            return extreme_of_vector(name, items)
    best = best_key = _MISSING
    for item in items:
        item_key = item if key is None else key(item)
        if best is _MISSING:
            best, best_key = item, item_key
            continue
        if key is None and sizes.are_sizes(item, best):
            best = best_key = (sizes.smallest if name == "min" else sizes.largest)(best, item)
            continue
        better = comparison.compare_values(item_key, "<" if name == "min" else ">", best_key)
        if is_traced(better):
            if type(item_key) is _OF_CMP:
                _columns([item_key], name)
            test = predicate(better)
            old, best = best, choose(test, item, best, f"{name}()")
            if key is None:
                integer_ranges.declare_extreme(name, best, item, old)
            best_key = best if key is None else choose(test, item_key, best_key, f"the key of {name}()")
        elif better:
            best, best_key = item, item_key
    return native((), key=key, **kwargs) if best is _MISSING else best


def extreme_of_vector(name: str, x: Any) -> Any:
    """Of a vector: its first extreme element (a plain reduction would share the derivative among equals)."""
    aval = jax.typeof(x)
    if not jnp.issubdtype(aval.dtype, jnp.inexact):
        found = jnp.min(x) if name == "min" else jnp.max(x)
        return convert_weak(found, aval.dtype) if aval.weak_type else found
    if jnp.issubdtype(aval.dtype, jnp.complexfloating):
        raise TypeError(f"'{'<' if name == 'min' else '>'}' not supported between instances of 'complex' and 'complex'")
    worst, arg = (jnp.inf, lax.argmin) if name == "min" else (-jnp.inf, lax.argmax)
    nan = jnp.isnan(x)
    index = arg(jnp.where(nan, jnp.asarray(worst, aval.dtype), x), 0, jnp.int32)
    index = jnp.where(nan[0], 0, index)
    return lax.dynamic_index_in_dim(x, index, keepdims=False)


def sort(iterable: Any, /, *, key: Callable[[Any], Any] | None = None, reverse: Any = False) -> list[Any]:
    """`sorted(iterable, key=key, reverse=reverse)`: stable, and Python's own where no comparison reads a traced value.

    Traced keys are numbers or tuples of numbers. NaNs come last (first when reversed), where Python leaves them in no
    defined order.
    """
    items = list(iterable)
    keys = items if key is None else [key(item) for item in items]
    order = _known_order(keys, reverse)
    if order is not None:
        return [items[i] for i in order]
    columns = _columns(keys)
    if len(keys) > 1 and any(map(jnp.iscomplexobj, columns)):
        comparison.compare_values(keys[1], "<", keys[0])  # complex Python numbers have no order
    if reverse:
        # Python keeps the order of equals also when it reverses: sort the reversed items, then reverse the result.
        index = len(items) - 1 - jnp.lexsort([c[::-1] for c in reversed(columns)])[::-1]
    else:
        index = jnp.lexsort(list(reversed(columns)))
    stacked = _Stacked(items, "sorted()")
    taken = stacked.at(index)
    return [stacked.rebuild(stacked.shared([leaf[i] for leaf in taken])) for i in range(len(items))]


def _known_order(keys: list[Any], reverse: Any) -> list[int] | None:
    """The positions of the keys in their order; None where a traced value decides about it."""
    is_traced = any(map(comparison.may_be_traced, keys))
    compared = list(map(_Key, keys)) if is_traced else keys
    try:
        return builtins.sorted(range(len(keys)), key=compared.__getitem__, reverse=reverse)
    except comparison.Undecided:
        return None


class _Key:
    """A key that Python's sort compares as long as no traced value decides."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Key) -> bool:
        return comparison.precedes(self.value, other.value)


def _columns(keys: list[Any], what: str = "sorted") -> list[Any]:
    rows = [k if type(k) is tuple else (k,) for k in keys]
    for row in rows:
        for k in row:
            if not is_array_like(k) or len(row) != len(rows[0]):
                raise refusal(
                    f"{what}() cannot order by a traced key that holds {describe(k)}",
                    why="traced keys are ordered by one `lax.sort` of numbers",
                    instead="give a key that returns a number or a tuple of numbers, always of one length",
                    page="sort-key",
                )
            if is_traced(k):
                predicate(k)  # a key that is no scalar is refused as Python does: its truth value is ambiguous
    return [jnp.stack([jnp.reshape(k, ()) for k in column]) for column in zip(*rows, strict=True)]


def select_item(items: Sequence[Any], index: Any, what: str) -> Any:
    """`items[index]` with a traced index in range; the items are numbers or arrays of one shape, or containers of such.

    A container or pytree that is picked may be any of the items: it can be read, and `aliases` refuses what would change one of
    them.
    """
    stacked = _Stacked(items, what, shares=True)
    found = stacked.rebuild(stacked.shared(stacked.at(index)))
    aliases.note_merged(stacked.merged, user_line())
    return found


def differ(items: Sequence[Any]) -> bool:
    """Whether `select_item` gives another value for another index, as far as is known: XLA computes no index that tells nothing.

    >>> differ([50, 50]), differ([50, 51]), differ([(1, [2]), (1, [2])])
    (False, True, False)
    """
    first = items[0] if items else None
    return not all(x is first or _is_same(x, first) for x in items)


def _is_same(x: Any, y: Any) -> bool:
    if is_array_like(x) and is_array_like(y):
        is_number = not any(is_traced(z) or jnp.shape(z) or jnp.issubdtype(jnp.result_type(z), jax.dtypes.extended) for z in (x, y))
        if not is_number:
            return False
        a, b = np.asarray(x), np.asarray(y)  # which JAX would compare in the program
        return bool(a == b) or bool(a != a and b != b)
    if same_static(x, y):
        return True
    first, second = open_container(x), open_container(y)
    if first is None or second is None or first[1] != second[1]:
        return False
    return all(a is b or _is_same(a, b) for a, b in zip(first[0], second[0], strict=True))


def _is_made_of_its_parts(x: Any, opened: Any) -> bool:
    """Whether what a pytree class makes of the parts of an object has the attributes of that object, and no others."""
    if isinstance(x, MUTABLE_CONTAINERS):
        return False  # a `defaultdict` is written by who reads it
    again = opened[3](opened[0])
    held, holds = ({name: AttributeLocation(one, name).get() for name in attribute_names(one)} for one in (x, again))
    return bool(held) and held.keys() == holds.keys() and all(value is holds[name] for name, value in held.items())


class _Stacked:
    """Items of one structure, as one array per leaf."""

    def __init__(self, items: Sequence[Any], what: str, shares: bool = False) -> None:
        self.what = what
        self.shares = shares
        self.merged: list[Merged] = []
        self.leaves: list[Any] = []
        self.columns: list[list[Any]] = []
        self.rebuild = self._add(list(items))

    def at(self, index: Any) -> list[Any]:
        """The leaves at an index, or at each of a vector of indices."""
        return [jnp.take(leaf, index, axis=0, mode="clip") for leaf in self.leaves]

    def shared(self, found: list[Any]) -> list[Any]:
        """The leaves of one of the items, whose arrays are those that the items hold."""
        for leaf, column in zip(found, self.columns, strict=True):
            array_views.note_choice(leaf, column)
        return found

    def _add(self, items: list[Any]) -> Callable[[list[Any]], Any]:
        first = items[0]
        if all(map(is_array_like, items)):
            position = len(self.leaves)
            self.leaves.append(self._stack(items))
            self.columns.append(items)
            return lambda leaves: leaves[position]
        if all(x is first or same_static(x, first) for x in items):
            return lambda leaves: first
        if (options := choices.options_of(*items)) is not None:
            numbers = self._add([choices.number_of(x) for x in items])
            return lambda leaves: choices.choice_of(options, numbers(leaves))
        if all(type(x) is str or is_callable_option(x) for x in items):
            raise self._refusal(choices.OF_ONE_CLASS, choices.REMEDY)
        opened = [open_container(x) for x in items]
        if any(o is None for o in opened):
            odd = next((x for x, o in zip(items, opened, strict=True) if o is None and not is_array_like(x)), first)
            instead = remedy_of_choice(items[0], items[1], False) if len(items) > 1 else ""
            raise self._refusal(f"{describe(odd)} is neither a number nor an array", instead)
        kind = type(first)
        is_whole = kind in (list, dict) or all(map(_is_made_of_its_parts, items, opened))
        if not issubclass(kind, tuple) and not (self.shares and is_whole):
            raise self._refusal(f"a {kind.__name__} would be copied, and writes into the copy would be lost")
        if any(o[1] != opened[0][1] for o in opened):  # type: ignore[index]
            raise self._refusal("the items differ in structure")
        children = [self._add(list(column)) for column in zip(*(o[0] for o in opened), strict=True)]  # type: ignore[index]
        build = opened[0][3]  # type: ignore[index]

        def rebuilt(leaves: list[Any]) -> Any:
            container = build([child(leaves) for child in children])
            if not isinstance(container, IMMUTABLE):
                self.merged.append(Merged(container, items, self.what))
            return container

        return rebuilt

    def _stack(self, items: list[Any]) -> Any:
        kinds = set(map(type, items))
        if len(kinds) == 1 and kinds <= {int, float, complex}:
            # Thousands of Python numbers are one constant, not thousands of operations; still weakly typed.
            dtype = jnp.result_type(next(iter(kinds)))
            try:
                return convert_weak(jnp.asarray(np.asarray(items, dtype)), dtype)
            except OverflowError as error:
                raise self._refusal(str(error)) from None
        joined = type_of(items[0])
        for x in items[1:]:
            try:
                joined = join_types(joined, type_of(x))
            except TypesDiffer as differ:
                raise self._refusal(f"{describe(items[0])} and {describe(x)}: {differ}") from None
        return jnp.stack([convert_to(x, joined) for x in items])

    def _refusal(self, why: str, instead: str = "") -> Exception:
        return refusal(
            f"{self.what} picks by a traced value among items that are not numbers or arrays of one shape",
            why=why,
            instead=instead or "use an array (`jnp.stack`), an `if` chain, or a Python int",
            page="item-that-is-no-number",
        )
