"""The flags that jumps became: which jump a flag stands for, where it is taken, where it is tested.

>>> import gast
>>> taken, guard = gast.parse("break_2 = True\\nif not return_: pass").body
>>> jump_of_assignment(taken, {"break_2"}), jump_of_guard(guard.test, {"return_"}), jump_of("raised")
('break_', 'return_', None)
>>> block = gast.parse("if c:\\n    continue_ = True\\nelse:\\n    x = 1").body
>>> sets_flag(block[0].body[0], "continue_")
True
>>> [node] = without_flag(block, "continue_", [gast.Pass()])
>>> [type(kept).__name__ for kept in node.body + node.orelse]
['Pass', 'Assign']
"""

from __future__ import annotations

import copy
from collections.abc import Collection
from typing import Any

import gast

from autograph.analyses.loops import IS_COMPOUND, block_places

JUMPS = "return_", "break_", "continue_"
Flags = frozenset[str]
NONE: Flags = frozenset()


def jump_of(flag: str) -> str | None:
    """Returns the jump that a flag stands for, by its name, which may end in a number; None for a `raise`."""
    return next((jump for jump in JUMPS if flag.startswith(jump)), None)


def jump_of_assignment(node: gast.Assign, flags: Collection[str]) -> str | None:
    """Returns the jump that a statement `return_ = True` takes."""
    [target, *more] = node.targets
    if more or not isinstance(target, gast.Name) or target.id not in flags:
        return None
    return jump_of(target.id) if isinstance(node.value, gast.Constant) and node.value.value is True else None


def jump_of_guard(test: Any, flags: Collection[str]) -> str | None:
    """Returns the jump that is not under way where a test `not return_` holds."""
    if (
        not isinstance(test, gast.UnaryOp)
        or not isinstance(test.op, gast.Not)
        or not isinstance(test.operand, gast.Name)
    ):
        return None
    return jump_of(test.operand.id) if test.operand.id in flags else None


def sets_flag(node: Any, flag: str) -> bool:
    """Whether a statement assigns to the flag."""
    return isinstance(node, gast.Assign) and isinstance(node.targets[0], gast.Name) and node.targets[0].id == flag


def without_flag(statements: list[Any], flag: str, empty: list[Any]) -> list[Any]:
    """Returns a block without the assignments to a flag; `empty` stands where nothing is left."""
    result = []
    for node in statements:
        if sets_flag(node, flag):
            continue
        for owner, name, inner in block_places(node) if IS_COMPOUND[type(node)] else ():
            left = without_flag(inner, flag, empty)
            setattr(owner, name, left or (copy.deepcopy(empty) if name == "body" else []))
        result.append(node)
    return result
