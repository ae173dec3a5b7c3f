"""Directives about single loops; in plain Python they do nothing.

>>> [i for i in range(2, 6)]
[2, 3, 4, 5]
"""

from __future__ import annotations

from autograph.runtime.sequences.counted_range import range as range


def set_loop_options(
    *, maximum_iterations: int | None = None, unroll: int | bool | None = None, checkpoints: int | None = None
) -> None:
    """Says something about the loop in whose body it stands; call it as the first statement of the body.

    Args:
        maximum_iterations: *static*; a number of iterations that the loop never exceeds. It does not end the loop. Lists may
            then grow in a loop of unknown length; each becomes a `BoundedList`.
        unroll: *static*; how many iterations of a loop that becomes a `scan` become one iteration of it; `True` for all. Of a loop
            over Python numbers, also of a `while` whose test they decide, `True` makes a copy of the body for each iteration, and
            `False` one loop of the program, or an error that says why not.
        checkpoints: *static*; how many states of a loop that becomes a `while` its gradient keeps; fewer take less memory
            and more time.
    """
