"""A list of traced length that the two branches of a statement leave with different room, or with elements of different types.

>>> import autograph as ag
>>> @ag.jit
... def digits(n, more):
...     out = []
...     while n > 0:
...         ag.set_loop_options(maximum_iterations=10)
...         out.append(n % 10)
...         n = n // 10
...     if more > 0:
...         out.append(more + 0.5)
...     return out
>>> digits(12, 3), digits(12, 0)
(BoundedList([2.0, 1.0, 3.5]), BoundedList([2.0, 1.0]))
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.tracing.array_types import ArrayType, TypesDiffer, join_types, type_of
from autograph.runtime.values.element_types import Elements
from autograph.runtime.values.locations import AttributeLocation
from autograph.runtime.values.merge import Join, Mismatch, Node, Same, Template


def how(location: Any, join: Join, absent: Any) -> Callable[[Any, Any, str], Template] | None:
    """How the two values of a location join that belongs to such a list; None for any other.

    Args:
        absent: stands for the output of a branch that has none.
    """
    if not isinstance(location, AttributeLocation) or type(location.obj) is not BoundedList:
        return None
    if location.attribute == "elements":
        return _elements
    return partial(_columns, join, absent) if location.attribute == "columns" else None


def _elements(left: Elements | None, right: Elements | None, path: str) -> Template:
    if left is None or right is None:
        return Same(left or right)
    try:
        return Same(left.joined(right))
    except TypesDiffer as differ:
        raise Mismatch(path, str(left), str(right), str(differ)) from None


def _columns(join: Join, absent: Any, left: tuple[Any, ...], right: tuple[Any, ...], path: str) -> Template:
    count = max(len(left), len(right))
    pairs = zip(left or (absent,) * count, right or (absent,) * count, strict=True)
    return Node(tuple, [_column(join, absent, *pair, path) for pair in pairs])


def _column(join: Join, absent: Any, left: Any, right: Any, path: str) -> Template:
    kinds = [type_of(x) for x in (left, right) if x is not absent]
    rows = max(kind.shape[0] for kind in kinds)
    even = [kind._replace(shape=(rows, *kind.shape[1:])) for kind in kinds]
    try:
        kind: ArrayType = join_types(even[0], even[-1])
    except TypesDiffer as differ:
        raise Mismatch(path, str(kinds[0]), str(kinds[-1]), str(differ)) from None
    return join.output(left, right, kind)
