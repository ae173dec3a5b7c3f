"""The flags that jumps became: which jump a flag stands for, where it is taken, where it is asked for.

>>> import gast
>>> taken, guard = gast.parse("break_2 = True\\nif not return_: pass").body
>>> jump_of_assignment(taken, {"break_2"}), jump_of_guard(guard.test, {"return_"}), jump_of("raised")
('break_', 'return_', None)
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import gast

JUMPS = "return_", "break_", "continue_"


def jump_of(flag: str) -> str | None:
    """The jump that a flag stands for, by its name, which may end in a number; None for a `raise`."""
    return next((jump for jump in JUMPS if flag.startswith(jump)), None)


def jump_of_assignment(node: gast.Assign, flags: Collection[str]) -> str | None:
    """The jump that a statement `return_ = True` takes."""
    [target, *more] = node.targets
    if more or not isinstance(target, gast.Name) or target.id not in flags:
        return None
    return jump_of(target.id) if isinstance(node.value, gast.Constant) and node.value.value is True else None


def jump_of_guard(test: Any, flags: Collection[str]) -> str | None:
    """The jump that is not under way where a test `not return_` holds."""
    if (
        not isinstance(test, gast.UnaryOp)
        or not isinstance(test.op, gast.Not)
        or not isinstance(test.operand, gast.Name)
    ):
        return None
    return jump_of(test.operand.id) if test.operand.id in flags else None
