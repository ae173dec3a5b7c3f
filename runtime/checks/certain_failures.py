"""A trace that ends by an exception, though the program may raise another one before: the program is to say which.

>>> import jax
>>> def f(n):
...     if n < 0:
...         raise KeyError("negative")
...     raise NotImplementedError
>>> from autograph.api import convert
>>> program = jax.jit(convert(f)).lower(1)  # no exception: which one it is depends on `n`

So it is where the exception shows traced values, and `ag.function` raises it with those of the run.

Only where `jax.jit` or `ag.function` called the function itself, or `jax.vmap` of it: nobody sees its result then. Any other
caller could go on with a result that there is not. So there the exception comes out, as where no check was staged before it.
"""

from __future__ import annotations

from types import FrameType

from autograph.jax_internals import current_trace, is_of_current_trace, maps_lanes, open_traces, records_jitted
from autograph.runtime.checks import runtime_checks
from autograph.runtime.checks.failures import FailedCheck
from autograph.runtime.checks.tracing_errors import is_of_users_raise
from autograph.runtime.heap import outliving
from autograph.runtime.tracing.context import progress


def is_left_to_the_program(error: Exception, checks: int, caller: FrameType | None) -> bool:
    """Whether the program itself raises `error`, which ends the outermost converted function, or what comes before it.

    Args:
        checks: how many had been staged before that function began.
        caller: the frame from which it was called.
    """
    is_first = progress.checks == checks
    if not runtime_checks.are_enabled() or is_first and not progress.raises_values:
        return False
    ended, _ = outliving.ending_traces(caller)
    if not ended or ended != open_traces()[:-1] or not records_jitted(ended[-1]):
        return False
    if not all(maps_lanes(trace) or records_jitted(trace) for trace in ended):
        return False
    failing, trace = progress.failing or (None, None)
    if failing is error and trace is current_trace():
        return True
    if not (runtime_checks.is_event_of_branch(error) or is_of_users_raise(error)):
        return False
    _, shown = FailedCheck.of(error, None)
    if not all(map(is_of_current_trace, shown)) or is_first and not shown:
        return False
    runtime_checks.stage_failure(error)
    return True
