"""The warning on a function that is traced again and again: which argument keeps changing, and what to write.

>>> from autograph.functions.arguments import Parameters
>>> import numpy as np
>>> bounds = [Parameters(lambda x, n: x).bind((np.ones(2), n), {}) for n in range(5)]
>>> print(advice(bounds))
'n' was 0, 1, 2, ...: pass an array (`jnp.asarray(n)`), so that its value is an input of the program
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from autograph import errors
from autograph.functions.arguments import Bound, Leaf, container_contents
from autograph.runtime.tracing.refusals import user_line

MANY = 6
"""The number of traces after which a function warns."""


class Watch:
    """Warns once of a function that is traced again and again, also where its programs go with the objects that they were made for.

    Args:
        opens_sizes: whether the function opens sizes that change, where it can.
    """

    def __init__(self, *, opens_sizes: bool) -> None:
        self._bounds: list[Bound] | None = []
        self._opens_sizes = opens_sizes

    def note(self, name: str, bound: Bound) -> None:
        """Notes a trace of the function of that name for these arguments."""
        if self._bounds is None:
            return
        self._bounds.append(bound)
        if len(self._bounds) > MANY:
            bounds, self._bounds = self._bounds, None
            filename, lineno = user_line() or (__file__, 0)
            text = f"{name}() was traced {len(bounds)} times; {advice(bounds, self._opens_sizes)}"
            warnings.warn_explicit(text, errors.AutoGraphWarning, errors.shown_name(filename), lineno)

    def forget(self, bounds: Sequence[Bound]) -> None:
        """Drops traces that count no more."""
        if self._bounds is not None:
            self._bounds = [one for one in self._bounds if not any(one is other for other in bounds)]


def advice(bounds: Sequence[Bound], opens_sizes: bool = False) -> str:
    """Returns the argument in which the traces differ most, what it was, and the cure.

    >>> from autograph.functions.arguments import Parameters
    >>> parameters = Parameters(lambda x, options: x)
    >>> print(advice([parameters.bind((1.0, {f"key{n}": 1.0}), {}) for n in range(5)]))
    'options' had ['key0'], ['key1'], ['key2'], ...: pass containers with the same keys and of one length, or an array
    """
    rows = [{leaf.name: leaf for leaf in bound.leaves} for bound in bounds]
    found = [_of_structure(rows, name) for name in dict.fromkeys(itertools.chain.from_iterable(bound.names for bound in bounds))]
    found += [_of_leaf(rows, name, opens_sizes) for name in dict.fromkeys(itertools.chain.from_iterable(rows))]
    most = max(found, key=lambda one: len(one.seen))
    shown = list(most.seen.values())
    return f"'{most.name}' {most.verb} {', '.join(shown[:3])}{', ...' if len(shown) > 3 else ''}: {most.cure}"


class _Difference(NamedTuple):
    """What one argument, or a part of one, was in the traces: the strings by what tells them apart."""

    name: str
    verb: str
    seen: Mapping[Any, str]
    cure: str


def _of_structure(rows: Sequence[Mapping[str, Leaf]], parameter: str) -> _Difference:
    paths = [tuple(leaf.path for leaf in row.values() if leaf.parameter == parameter) for row in rows]
    seen = {one: f"{' '.join(one) or 'nothing':.40}" for one in paths}
    return _Difference(parameter, "had", seen, "pass containers with the same keys and of one length, or an array")


def _of_leaf(rows: Sequence[Mapping[str, Leaf]], name: str, opens_sizes: bool) -> _Difference:
    leaves = [row[name] for row in rows if name in row]
    return _Difference(name, "was", dict(map(_shown, leaves)), _cure(name, leaves, opens_sizes))


def _shown(leaf: Leaf) -> tuple[Any, str]:
    """Returns its key, and its string."""
    if leaf.is_input:
        text = f"{leaf.value.dtype}[{','.join(map(str, leaf.value.shape))}]"
        return text, text
    value = leaf.value.get()
    if value is None and leaf.value.is_identity:  # the object is gone, and another may have its number
        return id(leaf.value), f"a {leaf.value.key[0].__name__} that is gone"
    return leaf.value.key, f"{value!r:.40}"


def _cure(name: str, leaves: Sequence[Leaf], opens_sizes: bool) -> str:
    if any(leaf.is_input for leaf in leaves):
        shapes = {leaf.value.shape for leaf in leaves if leaf.is_input}
        if len(set(map(len, shapes))) > 1:
            return "pass arrays of one number of axes, or give each its own function"
        if len(shapes) > 1 and opens_sizes:
            return "pad it to one of a few sizes: what the function does depends on its size"
        if len(shapes) > 1:
            return "give the function `reduce_retracing=True`, or an `input_signature` with None for the size that changes"
        return "pass arrays of one dtype"
    values: list[Any] = [leaf.value.get() for leaf in leaves]
    if any(isinstance(value, bool | int | float | complex) for value in values):
        return f"pass an array (`jnp.asarray({name})`), so that its value is an input of the program"
    if any(container_contents(value) is not None for value in values):
        return "pass what changes as arrays: a program is made for what it holds"
    if all(isinstance(value, str | bytes) for value in values):
        return "pass one of a few strings, and make others outside of the function: a program is made for each"
    return "pass the same object each time, or give its class `__eq__` and `__hash__`: a program is made for each object"
