"""The structure of arguments and results as JSON, and the arrays in it.

| value | tree |
| --- | --- |
| an array | `"*"` |
| a number, a string, `None`: a literal | `{"literal": 3}` |
| a float that JSON has not, a complex number | `{"float": "nan"}`, `{"complex": ["0x0.0p+0", "inf"]}` |
| a list | `{"list": [tree, ...]}` |
| a tuple, a named tuple | `{"tuple": [tree, ...]}` |
| a dict, in its own order | `{"dict": [[key, tree], ...]}` |
| an array of unknown length | `{"bounded": ["*", tree, ...]}`: its buffer; for each axis the length, None where it is known |

Nothing else has a meaning in a process that knows neither the user's classes nor this library.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np

from autograph.errors import AutoGraphError
from autograph.runtime.values.bounded_array import BoundedArray
from autograph.runtime.values.rows import Chosen, Span
from autograph.saved.entries import Tree
from autograph.tensor_specs import TensorSpec

ARRAY = "*"


def split(value: Any, name: str = "the value", *, numbers: bool = True) -> tuple[Tree, list[Any]]:
    """Returns the tree of a value, and the arrays in it (or tracers, or descriptions of arrays), in order.

    >>> split({"w": np.ones(2), "mode": "same", "shape": (2,)})
    ({'dict': [['w', '*'], ['mode', {'literal': 'same'}], ['shape', {'tuple': [{'literal': 2}]}]]}, [array([1., 1.])])

    Args:
        value: numbers, strings, None, arrays, and lists, tuples and dicts of these.
        name: what a message calls the value.
        numbers: whether numbers are literals; they are among the arrays otherwise.
    Raises:
        AutoGraphError: for objects of other classes.
    """
    leaves: list[Any] = []
    return _split(value, name, leaves, numbers), leaves


def _split(value: Any, name: str, leaves: list[Any], numbers: bool) -> Tree:
    if is_saved_array(value) or not numbers and type(value) in (bool, int, float, complex):
        leaves.append(value)
        return ARRAY
    if is_stored_literal(value):
        return literal_tree(value)
    if type(value) is BoundedArray:
        return {"bounded": [_split(part, name, leaves, False) for part in _at_front(value)]}
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [_split(item, f"{name}[{i}]", leaves, numbers) for i, item in enumerate(value)]}
    if isinstance(value, dict):
        items = [[_key(key, name), _split(item, f"{name}[{key!r}]", leaves, numbers)] for key, item in value.items()]
        return {"dict": items}
    raise AutoGraphError(
        f"{name} is an object of class {type(value).__qualname__}, which a saved file cannot hold",
        why="the file is loaded where nobody knows the class: it holds arrays, numbers, strings, None, and lists, tuples and dicts",
        instead="save a function that has the object in it (`functools.partial(f, model)`, and `ag.function` of that where it has "
        "variables), or use a dict of its arrays",
    )


def replaced(value: Any, arrays: Iterator[Any]) -> Any:
    """Returns a value with other arrays in the places of its own; its containers keep their classes.

    >>> replaced({"w": np.ones(2), "shape": [2, None]}, iter("x"))
    {'w': 'x', 'shape': [2, None]}
    """
    if is_saved_array(value):
        return next(arrays)
    if type(value) is BoundedArray:
        return _like(value, next(arrays), [None if rows is None else next(arrays) for rows in value.rows])
    if isinstance(value, tuple | list):
        items = [replaced(item, arrays) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        changed = copy.copy(value)
        changed.update({key: replaced(item, arrays) for key, item in value.items()})
        return changed
    return value


def _at_front(x: BoundedArray) -> list[Any]:
    """Returns the buffer of an array, with its elements at the front, and for each axis its length; None where that is known."""
    x = x if isinstance(x.data, jax.ShapeDtypeStruct) else x.compact()
    lengths = (None if rows is None else rows.length for rows in x.rows)
    return [x.data, *(jax.numpy.asarray(n) if type(n) is int else n for n in lengths)]


def _like(x: BoundedArray, buffer: Any, lengths: Sequence[Any]) -> BoundedArray:
    """Returns an array of unknown length with rows of the same kinds as another one has, of what `_at_front` returns."""

    def rows(one: Any, n: Any) -> Any:
        return Span(0, n, one.size) if type(one) is Span else Chosen(jax.numpy.arange(one.size) < n, n)

    found = (None if one is None else rows(one, n) for one, n in zip(x.rows, lengths, strict=True))
    return BoundedArray(buffer, tuple(found))


def program_leaves(value: Any) -> list[Any]:
    """Returns the arrays of a value as a program takes them, in order: those of unknown length with what tells their elements.

    >>> [x.shape for x in program_leaves({"y": BoundedArray.of(np.ones(3), np.int32(2)), "x": [np.ones(5), None]})]
    [(3,), (), (), (5,)]
    """
    if type(value) is BoundedArray:
        return [jax.numpy.asarray(leaf) for leaf in jax.tree.leaves(value)]
    if is_saved_array(value):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else ()
    return [leaf for item in items for leaf in program_leaves(item)]


def is_saved_array(value: Any) -> bool:
    """Whether a value is an array of the program: of JAX, of NumPy, or a description of one."""
    return isinstance(value, jax.Array | np.ndarray | np.generic | jax.ShapeDtypeStruct | TensorSpec)


def is_stored_literal(value: Any) -> bool:
    """Whether a value is stored as it is."""
    return value is None or type(value) in (bool, int, float, complex, str)


def literal_tree(value: Any) -> Tree:
    """Returns the tree of a number, a string or None.

    >>> literal_tree(0.5), literal_tree(float("inf")), literal_tree(1j)
    ({'literal': 0.5}, {'float': 'inf'}, {'complex': ['0x0.0p+0', '0x1.0000000000000p+0']})
    """
    if type(value) is complex:
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if type(value) is float and not math.isfinite(value):
        return {"float": value.hex()}
    return {"literal": value}


def _key(key: Any, name: str) -> Any:
    if type(key) in (bool, int, str) or key is None:
        return key
    raise AutoGraphError(
        f"{name} is a dict with the key {key!r}, which a saved file cannot hold",
        why="its keys are strings, integers, truth values and None",
        instead="name the items by strings, or hand over a list or a tuple",
    )
