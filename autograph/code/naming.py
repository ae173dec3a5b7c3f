"""Fresh names that cannot collide with a user's.

A name tells its role and ends in a number only on collision:

>>> names = Namer({"x", "if_body"})
>>> names.fresh("if_body"), names.fresh("if_body"), names.fresh("break_"), names.fresh("break_")
('if_body_1', 'if_body_2', 'break_', 'break_1')

Functions made for statements are local to the scope that they are made in, so a nested scope may start again; variables
belong to the whole function of the user and may not. `child` gives a nested scope that shares the reserved names:

>>> names.child().fresh("if_body")
'if_body_1'
"""

from __future__ import annotations

from collections.abc import Iterable


class Namer:
    """Hands out names that are not reserved, each once.

    Args:
        reserved: the names that the user's code mentions; shared with children, never changed.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self.reserved = reserved if isinstance(reserved, frozenset) else frozenset(reserved)
        self._count: dict[str, int] = {}

    def fresh(self, base: str) -> str:
        """`base`, or `base` with the first number that makes it new."""
        number = self._count.get(base, 0)
        joint = "" if base.endswith("_") else "_"
        name = base if number == 0 else f"{base}{joint}{number}"
        while name in self.reserved:
            number += 1
            name = f"{base}{joint}{number}"
        self._count[base] = number + 1
        return name

    def child(self) -> Namer:
        """Returns a namer for a nested scope."""
        return Namer(self.reserved)
