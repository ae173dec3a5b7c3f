"""Context managers that may suppress an exception which leaves their `with`.

Looked at is what a manager can do, by its source, never what it does: `__exit__` of C code suppresses nothing, one in Python where
it may return something true, a generator where it handles exceptions; either may where there is no source.

>>> import contextlib
>>> def closing():
...     try:
...         yield
...     finally:
...         pass
>>> may_suppress(closing), may_suppress(contextlib.suppress.__exit__)
(False, True)
"""

from __future__ import annotations

import ast
import inspect
from types import FunctionType
from typing import Any

from autograph.code import source
from autograph.code.registry import known
from autograph.errors import SourceError


def may_suppress(leave: Any) -> bool:
    """Whether an exception that a `with` leaves with may end there: `leave` is its `__exit__`, or the generator function."""
    if not isinstance(leave, FunctionType):
        return False
    entry = known(leave.__code__)
    try:
        node = (source.find(leave) if entry is None or entry.unit is None else entry.unit.source).node
    except SourceError:
        return True
    handles = _handles if inspect.isgeneratorfunction(leave) else _answers
    return isinstance(node, ast.Lambda) or any(map(handles, ast.walk(node)))


def _handles(node: ast.AST) -> bool:
    is_suppress = (isinstance(node, ast.Name) and node.id == "suppress") or (
        isinstance(node, ast.Attribute) and node.attr == "suppress"
    )
    return is_suppress or isinstance(node, ast.ExceptHandler | ast.YieldFrom)


def _answers(node: ast.AST) -> bool:
    if not isinstance(node, ast.Return) or node.value is None:
        return False
    return not isinstance(node.value, ast.Constant) or node.value.value not in (None, False)
