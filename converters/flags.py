"""The assignments to a flag, which say that control jumps out of a functional statement.

>>> import gast
>>> block = gast.parse("if c:\\n    continue_ = True\\nelse:\\n    x = 1").body
>>> sets_flag(block[0].body[0], "continue_")
True
>>> [node] = without_flag(block, "continue_", [gast.Pass()])
>>> [type(kept).__name__ for kept in node.body + node.orelse]
['Pass', 'Assign']
"""

from __future__ import annotations

import copy

import gast

from autograph.analyses.loops import blocks
from autograph.converters.base import Node

Flags = frozenset[str]
NONE: Flags = frozenset()


def sets_flag(node: Node, flag: str) -> bool:
    """Whether a statement assigns to the flag."""
    return isinstance(node, gast.Assign) and isinstance(node.targets[0], gast.Name) and node.targets[0].id == flag


def without_flag(statements: list[Node], flag: str, empty: list[Node]) -> list[Node]:
    """A block without the assignments to a flag; `empty` stands where nothing is left."""
    result = []
    for node in statements:
        if sets_flag(node, flag):
            continue
        for owner in [node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())]:
            if blocks(node):
                for name in ("body", "orelse", "finalbody"):
                    if inner := getattr(owner, name, None):
                        left = without_flag(inner, flag, empty)
                        setattr(owner, name, left or (copy.deepcopy(empty) if name == "body" else []))
        result.append(node)
    return result
