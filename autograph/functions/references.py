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

import contextlib
from collections.abc import Iterator

from autograph.jax_internals import is_tracing, maps_lanes, notes_of, open_traces, records_region, traced_for
from autograph.runtime.checks.runtime_checks import note_reference
from autograph.runtime.tracing.refusals import refusal


def is_recorded() -> bool:
    """Whether JAX records a program, which runs later."""
    return is_tracing() and any(notes_of(trace) is not None for trace in open_traces())


_NOT_MAPPED = frozenset(
    ("autograph", "cond", "switch", "while_cond", "while_body", "fori_loop", "closure_convert")  # the last for a solver's loop
)
_TAKES_REFERENCES = _NOT_MAPPED | {
    "jit",
    "pjit",
    "scan",
    "checkpoint / remat",
    "custom_vjp fun",
    "custom_vjp fwd",
    "custom_vjp bwd",
    "checkify",
    "make_jaxpr",
    "linear_transpose",
    None,
}
"""What JAX traces functions for, with references in them: what is not listed fails in JAX, or was not tried."""


def check_use(name: str, is_write: bool = False) -> None:
    """Refuses the use of a variable in the program that is recorded.

    Raises:
        StagingError: the program has a check; or it stands in a branch or loop under `vmap`, or is written in one under `jax.grad`,
            or in what `jax.checkpoint` runs again; or in a function of a transform that takes no references.
    """
    note_reference(name)
    traces = open_traces()
    kinds = list(map(traced_for, traces))
    if other := [kind for kind in kinds if kind not in _TAKES_REFERENCES]:
        raise refusal(
            f"{name} is used in a function that JAX traces for `{other[0]}`",
            why="JAX takes no reference to an array there",
            instead="give the function the value as an argument (`value = v.value` before), or compile the outermost function "
            "with `ag.function`",
            page="variable-in-a-function-of-jax",
        )
    if is_write and "checkpoint / remat" in kinds:
        raise refusal(
            f"{name} is written in a function under `jax.checkpoint`",
            why="a derivative runs it twice, and so would the write",
            instead="return the value from that function, and assign it outside",
            page="variable-under-checkpoint",
        )
    if any(map(maps_lanes, traces)) and not _NOT_MAPPED.isdisjoint(kinds):
        raise refusal(
            f"{name} is used in a branch or a loop under `vmap`",
            why="JAX maps no `cond` and no `while` loop with a reference in it",
            instead="read it before the statement (`value = v.value`), or compile the outermost function with `ag.function`",
            page="variable-in-a-branch-under-vmap",
        )
    if list(filter(None, kinds)) == ["while_cond"]:
        raise refusal(
            f"{name} is used in the condition of a `lax.while_loop` that runs at once",
            why="JAX gives such a loop each reference once, and its body may use the variable too",
            instead="compile the function around the loop (`ag.jit`, `jax.jit`)",
            page="variable-in-a-condition-at-once",
        )
    is_differentiated = any(type(trace).__name__ in ("JVPTrace", "LinearizeTrace") for trace in traces)
    if is_write and is_differentiated and any(map(records_region, traces)):
        raise refusal(
            f"{name} is written in a branch or a loop under `jax.grad`",
            why="JAX differentiates no branch or loop that writes a reference",
            instead="return the value from the function, and assign it outside, or compile the outermost function with "
            "`ag.function`",
            page="variable-in-a-branch-under-grad",
        )


@contextlib.contextmanager
def held_by_jax(name: str) -> Iterator[None]:
    """Names the variable of a reference that is used outside of programs, where JAX has deleted its array.

    Raises:
        StagingError: a program that used the variable has failed.
    """
    try:
        yield
    except RuntimeError as error:
        if "deleted" not in str(error):
            raise
        raise refusal(
            f"{name} has lost its value: a compiled function that used it failed",
            why="JAX deletes what its references hold where a program fails",
            instead="compile the outermost function with `ag.function`, where a call that fails changes nothing, or make a new "
            "variable, and compile anew what uses it",
            page="variable-that-was-lost",
        ) from error

