"""What a program that is not of `ag.function` may do with a variable, by way of JAX's mutable reference to its array.

JAX reads and writes references in compiled functions, branches and loops. Where it cannot, or does something else than Python,
the use is refused, with the variable's name.

>>> import autograph as ag
>>> total = ag.Variable(0.0, name="total")
>>> @ag.jit
... def add(x):
...     assert x > 0
...     return total.assign_add(x).value
>>> try: add(1.0)
... except ag.StagingError as error: print(str(error).splitlines()[0])
total is used in a program with a check
"""

from __future__ import annotations

from typing import Any

from autograph.jax_internals import is_tracing, maps_lanes, notes_of, open_traces, records_region, traced_for
from autograph.runtime.checks.runtime_checks import note_reference
from autograph.runtime.tracing.refusals import refusal


def is_recorded() -> bool:
    """Whether JAX records a program, which runs later."""
    return is_tracing() and any(notes_of(trace) is not None for trace in open_traces())


def check_use(name: str, is_write: bool = False) -> None:
    """Refuses the use of a variable in the program that is recorded.

    Raises:
        StagingError: the program has a check; or it stands in a branch or loop under `vmap`, or is written in one under `jax.grad`,
            or in what `jax.checkpoint` runs again.
    """
    note_reference(name)
    traces = open_traces()
    if is_write and any("checkpoint" in str(traced_for(trace)) for trace in traces):
        raise refusal(
            f"{name} is written in a function under `jax.checkpoint`",
            why="a derivative runs it twice, and so would the write",
            instead="return the value from that function, and assign it outside",
        )
    is_in_region = any(map(records_region, traces))
    if is_in_region and any(map(maps_lanes, traces)):
        raise refusal(
            f"{name} is used in a branch or a loop under `vmap`",
            why="JAX maps no `cond` and no `while` loop with a reference in it",
            instead="read it before the statement (`value = v.value`), or compile the outermost function with `ag.function`",
        )
    if is_write and is_in_region and any(map(_is_derivative, traces)):
        raise refusal(
            f"{name} is written in a branch or a loop under `jax.grad`",
            why="JAX differentiates no branch or loop that writes a reference",
            instead="return the value from the function, and assign it outside, or compile the outermost function with "
            "`ag.function`",
        )


def _is_derivative(trace: Any) -> bool:
    return type(trace).__name__ in ("JVPTrace", "LinearizeTrace")
