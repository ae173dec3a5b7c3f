"""Who iterates: whether an `IndexError` or a `StopIteration` that leaves a running method would be the end of an iteration.

Python iterates an object that has `__getitem__` and no `__iter__` by asking for the items 0, 1, 2, ... until an
`IndexError` says that there are no more.

>>> class Squares:
...     def __getitem__(self, k):
...         print(k, takes_items())
...         if k == 1:
...             raise IndexError
>>> for square in Squares():
...     pass
0 True
1 True
>>> Squares()[0]
0 False
"""

from __future__ import annotations

import dis
import sys
from types import FrameType

from autograph.errors import is_ours
from autograph.runtime.tracing.class_lookup import static_lookup
from autograph.runtime.tracing.sharing import locals_of, outward

_VARARGS = 0x4
_TAKING = frozenset(
    "FOR_ITER UNPACK_SEQUENCE UNPACK_EX CONTAINS_OP LIST_EXTEND SET_UPDATE PRECALL CALL CALL_KW CALL_FUNCTION_EX".split()
)


def steps() -> bool:
    """Whether one of the running functions is the `__next__` or `__anext__` of an iterator, which ends by an exception."""
    return any(frame.f_code.co_name in ("__next__", "__anext__") for frame in outward(sys._getframe()))


def takes_items() -> bool:
    """Whether one of the running functions is a `__getitem__` that an iteration asks for the next item."""
    for frame in outward(sys._getframe()):
        caller = frame.f_back
        # Of two parameters or more: a branch or body of one of its statements bears its name.
        if frame.f_code.co_name == "__getitem__" and (frame.f_code.co_argcount > 1 or frame.f_code.co_flags & _VARARGS):
            if caller is not None and _takes(caller) and _is_sequence(frame):
                return True
    return False


def _takes(caller: FrameType) -> bool:
    code = caller.f_code
    if code.co_name in ("enter", "_call", "enter_outermost", "get_item") and is_ours(code.co_filename):
        return False
    # Where Python itself calls a function written in Python, as in `x.__getitem__(k)`, the code names it.
    return dis.opname[code.co_code[caller.f_lasti]] in _TAKING and "__getitem__" not in code.co_names


def _is_sequence(frame: FrameType) -> bool:
    first = frame.f_code.co_varnames[:1]
    return bool(first) and static_lookup(type(locals_of(frame).get(first[0])), "__iter__") is None
