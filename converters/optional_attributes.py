"""Attributes that may be `None` or a number: a function tests `self.count is None`, and sets it to a number.

>>> from autograph.converters.optional_values import OptionalValues
>>> from autograph.converters.showing import show
>>> print(show('''
... def step(self, late):
...     if late:
...         if self.count is None:
...             ag__.set_attr(0, self, 'count')
...         ag__.set_attr(self.count + 1, self, 'count')
... ''', OptionalValues))
def step(self, late):
    if late:
        if ag__.is_none(ag__.maybe_attr(self, 'count')):
            ag__.set_attr(0, self, 'count')
        ag__.set_attr(ag__.some(ag__.maybe_attr(self, 'count'), 'self.count') + 1, self, 'count')

Any other code finds such an attribute missing where it may be `None`, and is refused (`is_read_untested`).
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses.operators import is_operator
from autograph.code import locations
from autograph.converters import builders


def attribute_of(node: Any) -> tuple[str, str]:
    """Returns the names of an attribute of a variable, `x.a`; of anything else two that are none."""
    is_one = isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name)
    return (node.value.id, node.attr) if is_one else ("", "")


def number_attributes(nodes: list[Any], alias: str) -> set[tuple[str, str]]:
    """Returns the attributes that these nodes compare with `None`, and set to a number."""
    comparisons = [node for node in nodes if isinstance(node, gast.Compare) and isinstance(node.comparators[0], gast.Constant)]
    compared = {attribute_of(node.left) for node in comparisons if node.comparators[0].value is None}
    writes = [node.args for node in nodes if is_operator(node, alias) and node.func.attr == "set_attr"]
    numbers = [args for args in writes if isinstance(args[0], gast.Constant) and type(args[0].value) in (int, float)]
    return compared & {(obj.id, name.value) for _, obj, name in numbers if isinstance(obj, gast.Name)}


def read_optional(node: Any, alias: str) -> Any:
    """Returns a variable, or `maybe_attr(x, 'a')` for an attribute `x.a`."""
    if isinstance(node, gast.Name):
        return node
    text = locations.place(gast.Constant(node.attr, None), locations.position(node))
    return builders.operator(alias, "maybe_attr", [node.value, text], at=node)
