"""Finds an `if` without `else` whose tests cover every case: `x > 0`, then `x <= 0`.

Numbers are less, equal or greater. Only a `nan` is none of these.

>>> def read(*tests): return [gast.parse(f"if {test}: pass").body[0] for test in tests]
>>> is_covering(read("n > 0", "n == 0", "0 > n")), is_covering(read("n > 0", "n < 0"))
(True, False)
"""

from __future__ import annotations

from typing import Any

import gast

Node = Any
_ORDERS = {gast.Lt: "<", gast.LtE: "<=", gast.Gt: ">", gast.GtE: ">=", gast.Eq: "=", gast.NotEq: "<>"}
_FLIPPED = str.maketrans("<>", "><")


def chain_at_end(block: list[Node]) -> list[Node]:
    """Returns the `if`s without `else` at the end of a block, and their `elif`s; an empty list where the last one has an `else`."""
    chain: list[Node] = []
    for node in reversed(block):
        parts = [node]
        while isinstance(parts[-1], gast.If) and len(parts[-1].orelse) == 1:
            parts.append(parts[-1].orelse[0])
        if not isinstance(parts[-1], gast.If) or parts[-1].orelse:
            break
        chain[:0] = parts
    return chain


def is_covering(chain: list[Node]) -> bool:
    """Whether one of these tests holds for any number: by the last of them, which compare the same two operands."""
    return any(_covers([node.test for node in chain[start:]]) for start in range(len(chain)))


def _covers(tests: list[Node]) -> bool:
    found: set[str] = set()
    pair: tuple[str, ...] = ()
    for test in tests:
        if not (isinstance(test, gast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _ORDERS):
            return False
        orders = _ORDERS[type(test.ops[0])]
        sides = tuple(map(gast.dump, (test.left, test.comparators[0])))
        pair = pair or sides
        if sides != pair:
            if sides[::-1] != pair:
                return False
            orders = orders.translate(_FLIPPED)
        found |= set(orders)
    return found == set("<=>")
