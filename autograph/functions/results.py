"""What a function returns: arrays, which programs compute, and values that are known without running them.

>>> returned = escape.Finished()
>>> returned.value = {"unit": "m", "double": np.float32(4), "big": 2**40}
>>> results = Results("f", returned, ())
>>> results.arrays
[Array(4., dtype=float32)]
>>> results.output([8])
{'big': 1099511627776, 'double': 8, 'unit': 'm'}
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from autograph.conversion.returned_values import without_order
from autograph.errors import Location
from autograph.functions.arguments import PLAIN, Leaf, flattened, is_input_leaf, is_iterator
from autograph.functions.variables import Variable
from autograph.jax_internals import TRACE_STATE
from autograph.runtime.checks.traced_strings import is_of_traced
from autograph.runtime.heap import escape, outliving, outside
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.tracing.refusals import a, refusal, user_line
from autograph.runtime.tracing.sizes import is_size
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.values.bounded_array import BoundedArray
from autograph.runtime.values.choices import Choice, Options, described
from autograph.runtime.values.optional import Maybe

_NEVER_CHANGE = (FunctionType, partial, slice)
"""Types of objects that are as good as new ones, though they are compared by identity."""

_HIDDEN = {
    slice: ("start", "stop", "step"),
    jax.ShapeDtypeStruct: ("shape",),
    partial: ("args", "keywords"),
    FunctionType: ("__defaults__", "__kwdefaults__", "__closure__"),
}
"""What objects of C code hold, of a JAX class that is looked through nowhere else, and of functions what is their own."""


class _Argument:
    """A leaf of the arguments that is a result too: each call returns its own."""

    def __init__(self, number: int, leaf: Leaf) -> None:
        self.number, self.get = number, leaf.value.get

    def of(self, values: Sequence[Any] | None) -> Any:
        """Returns the leaf among a value for each parameter, or that for which the program was made."""
        return self.get() if values is None else flattened(tuple(values))[0][self.number]


class Results:
    """The results of one trace of a function.

    Args:
        name: that of the function.
        returned: holds what it returned, as nothing else does but what the function has it from.
        leaves: those of its arguments.
    Attributes:
        arrays: what the program computes, in order; last, where that is not known, whether all of it is `None`.
        may_be_none: whether it is not known.
        is_open: whether an array of unknown length is among them: a call returns its elements alone.
        choices: the options of the leaves of which each call finds out which one it is, by place (`runtime.values.choices`).
    Raises:
        StagingError: a leaf is an object that the function makes at each call, and a call of the program does not.
    """

    def __init__(self, name: str, returned: escape.Finished, leaves: Sequence[Leaf]) -> None:
        self.may_be_none = isinstance(returned.value, Maybe)
        self._name, absent = name, []
        if self.may_be_none:
            absent, returned.value = [returned.value.absent], returned.value.value
        try:
            found, self._tree = jax.tree_util.tree_flatten(returned.value, is_iterator)
        except ValueError:
            raise without_order(name, Location.of(user_line())) from None
        self.is_open = _has_bounded(self._tree)
        self.choices = {place: leaf.choice_options for place, leaf in enumerate(found) if type(leaf) is Choice}
        arrays = [_as_array(leaf) for leaf in found]
        self.arrays = [x for x in arrays if x is not None] + absent
        others = [x for x, array in zip(found, arrays, strict=True) if array is None]
        del found
        _refuse_unknown(name, self._tree, others)
        arguments = {id(leaf.value.get()): _Argument(n, leaf) for n, leaf in enumerate(leaves) if not leaf.is_input}
        _refuse_made(name, [x for x in others if id(x) not in arguments], returned, others)
        rest = iter(others)
        self._known: list[tuple[int, Any]] = []
        for place in (place for place, array in enumerate(arrays) if array is None):
            leaf = next(rest)
            self._known.append((place, leaf if type(leaf) in PLAIN else arguments.get(id(leaf), leaf)))

    @property
    def known(self) -> bool:
        """Whether a call has more to find out than arrays: some leaves are none, or one of several, or the result may be `None`."""
        return bool(self._known or self.choices) or self.may_be_none

    def output(self, arrays: Sequence[Any], values: Sequence[Any] | None = None) -> Any:
        """Returns the results in the function's structure; for a call, with `values` as its arguments."""
        leaves = list(arrays)
        if self.may_be_none and self._is_none(leaves.pop()):
            return None
        for place, leaf in self._known:
            leaves.insert(place, leaf.of(values) if type(leaf) is _Argument else leaf)
        for place, options in self.choices.items():
            leaves[place] = self._chosen(options, leaves[place])
        found = jax.tree_util.tree_unflatten(self._tree, leaves)
        return jax.tree.map(_trimmed, found, is_leaf=_is_bounded) if self.is_open and values is not None else found

    def _chosen(self, options: Options, number: Any) -> Any:
        """Returns what a call has chosen; for an abstract number all of it."""
        if is_traced(number):
            raise refusal(
                f"{self._name}() returns a choice between strings or functions, which only the running program knows",
                why="it is called while another program is traced, and Python cannot tell there which of them it is",
                instead="return a number in its place",
                page="choice-between-strings",
            )
        return OneOf(tuple(options.values())) if isinstance(number, jax.ShapeDtypeStruct) else options[int(number)]

    def _is_none(self, absent: Any) -> bool:
        """Whether a call has returned `None`; false for abstract values, which are those of the other result."""
        if is_traced(absent):
            raise refusal(
                f"{self._name}() returns None or a value, which only the running program knows",
                why="it is called while another program is traced, and Python cannot tell there which of them it is",
                instead="return a number instead of None, or a flag beside the value",
                page="none-or-a-value",
            )
        return not isinstance(absent, jax.ShapeDtypeStruct) and bool(absent)


def _has_bounded(tree: Any) -> bool:
    """Whether a structure has an array or a list of unknown length."""
    return (tree.node_data() or (None,))[0] in _OF_UNKNOWN_LENGTH or any(map(_has_bounded, tree.children()))


_OF_UNKNOWN_LENGTH = BoundedArray, BoundedList


def _is_bounded(x: Any) -> bool:
    return type(x) in _OF_UNKNOWN_LENGTH


def _trimmed(x: Any) -> Any:
    """Returns an array or a list of the elements, once the program has run; other values unchanged."""
    if not _is_bounded(x) or any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(x)):
        return x
    if type(x) is BoundedList:
        return list(x)
    is_key = jnp.issubdtype(x.dtype, jax.dtypes.extended)  # which NumPy has not
    return x if is_key else jnp.asarray(x.known("returning it"))


@dataclass(frozen=True)
class OneOf:
    """A string or enum member among the results of a program, which chooses it at each call."""

    options: tuple[Any, ...]

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.options))


def _refuse_unknown(name: str, tree: Any, others: Sequence[Any]) -> None:
    """Refuses what only a call knows where it is no leaf of the results: in the static part of a pytree, in an object."""
    nodes: list[Any] = [tree]
    inside: list[tuple[Any, Any]] = [(type(x), x) for x in others]
    for node in nodes:
        nodes += node.children()
        inside.append(node.node_data() or (None, ()))
    seen = set[int]()
    for kind, part in inside:
        if id(part) in seen:
            continue
        seen.add(id(part))
        if is_size(part) or type(part) is Choice:
            shown = f"{part}, an open size" if is_size(part) else described(part)
            raise refusal(
                f"{name}() returns {a(kind.__name__)} that holds {shown}",
                why="which one it is, only a call knows, and all of the results but their leaves is made once",
                instead="return it as a value beside the others",
                page="string-in-a-returned-object",
            )
        held = [] if callable(part) else [child for _, child in outside.leads(part)]
        held += [getattr(part, part_name) for part_name in _HIDDEN.get(type(part), ())]
        inside += [(kind, child) for child in held]


def _as_array(leaf: Any) -> Any:
    """Returns a leaf as an array of the program; None for one that is known: a string, an object, a number that no array holds."""
    if isinstance(leaf, Variable):
        return leaf.value
    if type(leaf) is Choice:
        return jnp.asarray(leaf.choice_number)
    if is_input_leaf(leaf) or is_size(leaf) or type(leaf) in (bool, int, float, complex) and _fits(leaf):
        return jnp.asarray(leaf)
    return None


def _fits(number: complex) -> bool:
    if isinstance(number, bool):
        return True
    dtype = jax.dtypes.canonicalize_dtype(type(number))
    if isinstance(number, int):
        return bool(np.iinfo(dtype).min <= number <= np.iinfo(dtype).max)
    parts = (number.real, number.imag)
    return all(not math.isfinite(part) or abs(part) <= float(np.finfo(dtype).max) for part in parts)


def _refuse_made(name: str, values: list[Any], returned: escape.Finished, leaves: list[Any]) -> None:
    """Refuses values that a call of the program would not make: with traced values in them, advanced, or changed by the caller."""
    if any(map(is_of_traced, values)):
        raise refusal(
            f"{name}() returns a string that shows a traced value",
            why="the body is run while the function is traced, and what there is to show is known when its program runs",
            instead="return the value, and make the string from what the call returns",
            page="object-that-a-function-makes",
        )
    ours = escape.made_inside(values, [returned], (leaves,))
    for value in values:
        kind = type(value)
        is_fresh = id(value) in ours
        if is_fresh and (is_iterator(value) or isinstance(value, (Awaitable, AsyncIterator)) or _may_change(kind)):
            break
        if any(trace is TRACE_STATE.value for trace in outliving.traces_in([value])):
            break
    else:
        return
    raise refusal(
        f"{name}() returns {a(kind.__qualname__.rpartition('.')[2])} object that it makes",
        why="the body runs once for each program, so every call would return that one object, with values of the trace",
        instead="return what it holds in a tuple, list or dict, or make its class a pytree (`jax.tree_util.register_dataclass`)",
        page="object-that-a-function-makes",
    )


def _may_change(kind: type) -> bool:
    return kind.__hash__ in (None, object.__hash__) and kind not in _NEVER_CHANGE
