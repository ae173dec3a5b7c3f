"""Elements that a loop appends in some iterations, and Python knows in which: `if i % 100 == 0: losses.append(loss)`.

What one branch of an `if` on a known test appends is kept with its test until the iteration is over. The `scan` then carries an
array with one row for each element of the list; an iteration that appends nothing writes to one row more, which is dropped.

>>> import jax, jax.numpy as jnp, autograph as ag
>>> def sums(x):
...     total, found = 0.0, []
...     for i in range(len(x)):
...         total += x[i]
...         if i % 20 == 19:
...             found.append(total)
...     return found
>>> [float(n) for n in ag.jit(sums)(jnp.ones(100))]
[20.0, 40.0, 60.0, 80.0, 100.0]
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from autograph.jax_internals import trace_region
from autograph.runtime.carry.assumptions import innermost_staged
from autograph.runtime.heap import journal
from autograph.runtime.jaxprs.binding import Traced
from autograph.runtime.tracing.known.levels import Level
from autograph.runtime.tracing.known.number import KnownTracer, is_open_number, lifted, value_of
from autograph.runtime.values.locations import ContentsLocation
from autograph.runtime.values.merge import Join, Mismatch, Node, Template


class AppendedIf:
    """An element of a list that is there in the iterations in which a known number is true."""

    __slots__ = ("test", "value")

    def __init__(self, test: Any, value: Any) -> None:
        self.test, self.value = test, value


class ListContents:
    """Joins what the branches of an `if` leave in a list; in other containers, as `Join.contents` does.

    Attributes:
        join: of the branches.
        location, before: the contents of a container, and what they were before the `if`.
        test: of the `if`.
        alone: makes the template of a value that one branch leaves: of the value, whether that is the second one, and its path.
    """

    def __init__(
        self, join: Join, location: ContentsLocation, before: Any, test: Any, alone: Callable[[Any, bool, str], Template]
    ) -> None:
        self.join, self.location, self.before, self.test, self.alone = join, location, before, test, alone

    def __call__(self, left: Any, right: Any, path: str) -> Template:
        """Returns the template of the contents; raises `Mismatch`."""
        mark = self.join.mark()
        try:
            return self.join.contents(left, right, path)
        except Mismatch:
            if type(self.test) is not KnownTracer or not self._grows(left, right):
                raise
            self.join.reset(mark)
            tests, children = [], []
            for side, is_right in ((left, False), (right, True)):
                test = lifted(operator.not_, self.test) if is_right else self.test
                for element in side[len(self.before) :]:
                    inner = type(element) is AppendedIf
                    tests.append(lifted(operator.and_, test, element.test) if inner else test)
                    children.append(self.alone(element.value if inner else element, is_right, path))
            if any(test is NotImplemented for test in tests):
                raise
        before = list(self.before)
        return Node(lambda made: [*before, *map(AppendedIf, tests, made)], children)

    def _grows(self, *sides: Any) -> bool:
        """Whether both branches append to a list to which the loop around does nothing but append."""
        assumptions = innermost_staged()
        carry = None if assumptions is None else assumptions.attempt
        if carry is None or not carry.assumptions.is_counted or self.location.key not in carry.growing:
            return False
        count = len(self.before)
        are_longer = all(len(side) >= count and all(map(operator.is_, side, self.before)) for side in sides)
        return are_longer and journal.only_branches_within(carry.trace, self.join.traces)


def iterations_with(test: Any, level: Level | None) -> Any:
    """Finds the iterations of a loop in which a known number is true: an array of bools; None where they are not known yet."""
    if is_open_number(test):
        value_of(test)  # so that the iteration is traced once more, with its numbers known
        return None
    if level is not None and level.lengths is None and type(test) is bool:  # two tests that exclude each other
        return np.full(level.length, test)
    if level is None or type(test) is bool or test.row is None:
        return None  # there are too many
    values = test.row.values
    if values.ndim <= level.depth or values.size != values.shape[0]:
        return None  # a loop around decides as well
    return values.reshape(-1)


def with_rows(
    region: Traced, init: Sequence[Any], xs: Sequence[Any], masks: dict[int, Any], reverse: bool
) -> tuple[Traced, list[Any], list[Any]]:
    """Gives the region of a `scan` arrays to which it writes some of its outputs, in the iterations that masks say.

    Args:
        masks: by the number of the output, those behind the carry counted from 0.
    Returns:
        the region, with these arrays behind its carry and without these outputs; what the carry begins with; the inputs.
    """
    count, outs = len(init), [v.aval for v in region.jaxpr.outvars]
    chosen = sorted(masks)
    arrays, places = [], []
    for k in chosen:
        mask, aval = masks[k], outs[count + k]
        rows = int(mask.sum())
        place = np.where(mask, np.cumsum(mask) - 1, rows).astype(np.int32)
        arrays.append(jnp.zeros((rows + 1, *aval.shape), aval.dtype))
        places.append(jnp.asarray(place[::-1] if reverse else place))

    def iteration(*args: Any) -> list[Any]:
        carry, held, slices = args[:count], args[count : count + len(chosen)], args[count + len(chosen) :]
        found = region.call(*carry, *slices[: len(xs)])
        new = [
            lax.dynamic_update_index_in_dim(array, found[count + k], place, 0)
            for k, array, place in zip(chosen, held, slices[len(xs) :], strict=True)
        ]
        return [*found[:count], *new, *(y for k, y in enumerate(found[count:]) if k not in masks)]

    inputs = [v.aval for v in region.jaxpr.invars]
    held = [jax.typeof(array) for array in arrays]
    slices = [*inputs[count:], *(jax.typeof(place[0]) for place in places)]
    made = Traced(*trace_region(iteration, [*inputs[:count], *held, *slices], "loop_body"))
    return made, [*init, *arrays], [*xs, *places]


def outputs_of(results: Sequence[Any], masks: dict[int, Any]) -> list[Any]:
    """Returns the stacked outputs of a `scan` to which `with_rows` gave arrays, of its results behind the carry, in their order."""
    held, others = list(results[: len(masks)]), iter(results[len(masks) :])
    arrays = dict(zip(sorted(masks), held, strict=True))
    return [arrays[k][:-1] if k in masks else next(others) for k in range(len(results))]
