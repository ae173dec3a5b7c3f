"""The variables whose objects a block may change in place, as far as it shows: `out.append(x)`, `d[k] = v`, `o.a.b += 1`.

>>> import gast
>>> sorted(mutated(gast.parse('''
... out.append(x)
... rows[0].extend(out)
... d = ag__.set_item(1, d, 'k')
... ag__.aug_attr(o.inner, 'a', '+=', lambda: 1)
... y = len(x)
... ''').body, "ag__"))
['d', 'o', 'out', 'rows']
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses.operators import is_operator
from autograph.code.nodes import walk

# Which argument of an operator is the object that it writes to.
_OPERATORS = {
    "set_item": 1, "set_item_at": 1, "set_attr": 1,
    "aug_item": 0, "aug_item_at": 0, "aug_attr": 0, "del_attr": 0, "del_item": 0,
    "in_place_method": 0, "in_place_call": 0,
}  # fmt: skip


def mutated(block: list[Any], alias: str) -> set[str]:
    """Returns the variables at the root of what a block may change in place, by assignment or by a method."""
    found = set()
    for node in walk(*block):
        if not isinstance(node, gast.Call):
            continue
        if is_operator(node, alias):
            position = _OPERATORS.get(node.func.attr)
            target = None if position is None else node.args[position]
        else:
            target = node.func.value if isinstance(node.func, gast.Attribute) else None
        while isinstance(target, gast.Attribute | gast.Subscript):
            target = target.value
        if target is not None and is_operator(target, alias) and target.func.attr == "some":
            target = target.args[0]
        if isinstance(target, gast.Name):
            found.add(target.id)
    return found
