"""Variables that begin with a float beyond 32 bits (`best = 1e300`) and that a function only compares, as their bound.

Such a variable may hold an infinity instead: for any float `d` of 32 bits, `d < best` and `d >= best` are the same with both.

>>> import gast
>>> from autograph.options import MISSING
>>> text = '''
... def f(xs, x):
...     best, most, used = 1e300, -1e300, 1e300
...     for i, d in enumerate(xs):
...         if d < best:
...             second, best, k = best, d, i
...         if most < d:
...             most = d
...         used = x + used
...     return k
... '''
>>> sorted(start_values(gast.parse(text), lambda node: MISSING))
['best', 'most', 'second']

| the variable | begins above all | begins below all |
| --- | --- | --- |
| on the left of | `>`, `<=` | `<`, `>=` |
| on the right of | `<`, `>=` | `>`, `<=` |

In any other comparison the two differ where `d` is infinite.
"""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import gast

from autograph.code.nodes import walk

LARGEST = 3.4028234663852886e38  # of the floats of 32 bits
_ABOVE = {gast.Lt: False, gast.GtE: False, gast.Gt: True, gast.LtE: True}
"""By comparison, whether a bound above all stands on the left."""


def start_values(tree: Any, meaning: Callable[[Any], Any]) -> frozenset[str]:
    """Returns the names of such variables; scopes are not distinguished.

    Args:
        meaning: the object that an expression names, or `MISSING`.
    """
    starts: defaultdict[str, set[float]] = defaultdict(set)
    moves: list[tuple[str, str]] = []
    together: defaultdict[int, set[str]] = defaultdict(set)
    for target, value in _bindings(tree):
        together[id(value)].add(target)
        number = start_value(value, meaning)
        if number is not None:
            starts[target].add(number)
        elif isinstance(value, gast.Name):
            moves.append((target, value.id))
    if not starts:
        return frozenset()
    for _ in moves:  # what is moved on, as far as it goes
        for target, value in moves:
            starts[target] |= starts[value]
    reads = Counter(node.id for node in walk(tree) if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Load))
    bounds = Counter(name for name, is_above in _bounds(tree) if {start > 0 for start in starts[name]} == {is_above})
    refused = {name for node in walk(tree) if isinstance(node, gast.Global | gast.Nonlocal) for name in node.names}
    refused |= {node.target.id for node in walk(tree) if isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name)}
    found = {name for name, numbers in starts.items() if len(numbers) == 1} - refused
    while True:
        moved = Counter(value for target, value in moves if target in found)
        kept = {name for name in found if reads[name] == bounds[name] + moved[name]}
        kept -= {name for names in together.values() if not names <= found for name in names}  # `best = other = 1e300`
        if kept == found:
            return frozenset(found)
        found = kept


def start_value(node: Any, meaning: Callable[[Any], Any]) -> float | None:
    """Returns the float beyond 32 bits that an expression is by its form or its name; None for any other one."""
    sign = 1.0
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        node, sign = node.operand, -1.0
    number = meaning(node) if isinstance(node, gast.Name | gast.Attribute) else getattr(node, "value", None)
    if isinstance(node, gast.Attribute) and node.attr == "max" and meaning(node.value) is sys.float_info:
        number = sys.float_info.max
    return sign * number if type(number) is float and LARGEST < abs(number) < math.inf else None


def _bounds(tree: Any) -> Iterator[tuple[str, bool]]:
    """Yields the names that are compared, each with whether it is a bound above all there."""
    for node in walk(tree):
        if isinstance(node, gast.Compare):
            sides = [node.left, *node.comparators]
            for left, sign, right in zip(sides, node.ops, sides[1:]):
                is_left = _ABOVE.get(type(sign))
                if is_left is not None:
                    yield from ((side.id, is_left is (side is left)) for side in (left, right) if isinstance(side, gast.Name))


def _bindings(tree: Any) -> Iterator[tuple[str, Any]]:
    """Yields the names that are bound by `=`, each with its value."""
    for node in walk(tree):
        if isinstance(node, gast.Assign | gast.AnnAssign):
            for target in node.targets if isinstance(node, gast.Assign) else [node.target]:
                yield from pairs(target, node.value)


def pairs(target: Any, value: Any) -> Iterator[tuple[str, Any]]:
    """Yields the names in the target of an assignment, each with its value."""
    if isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple) and len(target.elts) == len(value.elts):
        for part, given in zip(target.elts, value.elts, strict=True):
            yield from pairs(part, given)
    elif isinstance(target, gast.Name):
        yield target.id, value
