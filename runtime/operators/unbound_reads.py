"""Reading a variable that may be unbound: Python's `UnboundLocalError`, or a check of the compiled program.

>>> def f(known):
...     if known:
...         x = 1
...     return read(lambda: x)
>>> f(True)
1
>>> f(False)
Traceback (most recent call last):
  ...
UnboundLocalError: cannot access local variable 'x' where it is not associated with a value
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph.runtime.checks import runtime_checks
from autograph.runtime.heap import journal
from autograph.runtime.heap.unset_reads import is_read
from autograph.runtime.tracing.variables import Undefined, raise_undefined


def read(variable: Callable[[], Any], is_bound: Any = True) -> Any:
    """The value of a variable that may be unbound; written `read(lambda: y)`.

    Args:
        is_bound: whether some iteration has bound it: a loop carries the variable, so that it always holds something. Where
            that is traced, the compiled program checks it.
    Raises:
        UnboundLocalError: as Python does, or `UndefinedVariableError` (one of its kind) that explains
            which path of which staged statement leaves the variable unbound.
    """
    assert isinstance(variable, FunctionType)
    if variable.__closure__ is None:
        return variable()
    if is_bound is not True:
        _check(variable, is_bound)
    try:
        value = variable.__closure__[0].cell_contents
    except ValueError:
        raise _not_bound(variable) from None
    if type(value) is Undefined:
        raise_undefined(value)
    return value


def _check(variable: FunctionType, is_bound: Any) -> None:
    """Where a variable may be unbound, an iteration of the loops around reads what an earlier one left."""
    name = variable.__code__.co_freevars[0]
    if is_bound is False:
        error: Any = _not_bound(variable)
        error.has_flag = True  # a handler may stand between it and the branch (`branches`)
        raise error
    journal.note_skipped(name)
    journal.note_skipped(is_read(name))
    runtime_checks.demand(is_bound, _not_bound(variable))


def _not_bound(variable: FunctionType) -> UnboundLocalError:
    name = variable.__code__.co_freevars[0]
    return UnboundLocalError(
        f"cannot access local variable '{name}' where it is not associated with a value", name=name
    )
