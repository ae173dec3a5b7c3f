"""Whether anything else refers to an object, by CPython's reference counts: the one place that reads them.

>>> def taken(items):
...     return other_references(items)  # `items` is an argument of the library's function
>>> held = [1]
>>> taken([1]), taken(held) > 0, references_outside([[1]], 0), references_outside([held], 0)
(0, True, 0, 1)

Up to Python 3.13 every variable and every argument counts. Since 3.14 an argument may be borrowed from the variable that
it was loaded from: then neither the argument nor its load counts, and a variable of the caller cannot be distinguished from none.
There the frames are searched for it. A borrowed reference always has a variable behind it that counts, so an object that
only tables and results hold is counted exactly everywhere.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any


def references_outside(table: Any, key: Any) -> int:
    """How many references there are to `table[key]` besides that of the table; the caller holds none."""
    return sys.getrefcount(table[key]) - _IN_TABLE


def other_references(x: Any, calls: int = 1) -> int:
    """How many references there are to an argument of a function of ours besides those of our own calls; at least one is
    counted where there are any.

    Args:
        x: the argument. Each of the calls hands it on by its parameter, as an argument of its own, and has no function inside
            that refers to the parameter: a cell would count.
        calls: how many functions of ours hold it, from the one that the user's code calls to the one that counts here.
    """
    if not _BORROWS:
        return sys.getrefcount(x) - _ALONE - calls
    frame = sys._getframe(calls + 1)
    names = _variables(frame, x)
    if not names:  # so our first parameter owns a reference of its own
        return sys.getrefcount(x) - _ALONE
    found = max(len(names), sys.getrefcount(x) - _ALONE + 1)
    if not names.isdisjoint(frame.f_code.co_varnames[: _parameters(frame)]):  # borrowed, maybe: whose is it?
        for outer in outward(frame.f_back):
            found += len(_variables(outer, x))
    return found


def outward(frame: FrameType | None) -> Iterator[FrameType]:
    """A running frame, the one that called it, and so on."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def value_of_name(frame: FrameType, name: str) -> Any:
    """What a name stands for in a running frame, or None."""
    spaces = locals_of(frame), frame.f_globals, vars(builtins)
    return next((space[name] for space in spaces if name in space), None)


def locals_of(frame: FrameType) -> dict[str, Any]:
    """The variables of a running frame, by name, in a dict of the caller's own.

    Up to Python 3.12 a frame keeps the dict that `f_locals` makes, and with it what its variables held when it was read:
    every one of those values would count one reference too many for as long as the function runs. So that dict is emptied,
    unless it is a namespace itself (of a module or a class), or the user's code has it from `locals()`.

    >>> def counted(x):
    ...     before = sys.getrefcount(x)
    ...     return locals_of(sys._getframe())["x"] is x, sys.getrefcount(x) - before
    >>> counted([1])
    (True, 0)
    """
    values = frame.f_locals
    found = dict(values)
    is_of_function = frame.f_code.co_flags & _OPTIMIZED
    if is_of_function and type(values) is dict and sys.getrefcount(values) <= _KEPT_BY_FRAME:
        values.clear()
    return found


_OPTIMIZED = 1  # CO_OPTIMIZED: variables stand in the frame, and `f_locals` is a copy
_KEPT_BY_FRAME = 3  # references to that copy: the frame's, that of our variable, and that of an argument


def _variables(frame: FrameType, x: Any) -> set[str]:
    """The variables of a frame that are `x`, except for those in cells, from which nothing is borrowed."""
    code = frame.f_code
    values = frame.f_locals
    return {name for name in code.co_varnames if name not in code.co_cellvars and values.get(name, frame) is x}


def _parameters(frame: FrameType) -> int:
    code = frame.f_code
    return code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)


def _measured() -> tuple[int, int, bool]:
    """What is reported of an argument that nobody refers to, less the reference of its function; of an element of a table
    that nobody else refers to; and whether the load of an argument leaves its count as it is.
    """

    def count(x: Any) -> int:
        return sys.getrefcount(x)

    def hand_on(x: Any) -> int:
        return count(x)

    table = [[0]]
    borrows = hand_on([0]) == count([0])
    return count([0]), sys.getrefcount(table[0]), borrows


_ALONE, _IN_TABLE, _BORROWS = _measured()
