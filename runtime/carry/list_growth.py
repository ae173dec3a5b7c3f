"""Lists that grow in a loop of unknown length, where the program says how often it iterates at most.

`ag.set_loop_options(maximum_iterations=N)` in the loop, and nothing else refers to the list: then the variable holds a
`BoundedList` from the loop on. What the elements are and how many an iteration can append is found by tracing the loop, which is
done again with what was found until nothing is new.

A loop that only takes elements off a list (`x = stack.pop()`) says nothing: there is room for what the list begins with.

>>> import jax, jax.numpy as jnp
>>> from autograph.runtime.operators.while_loops import while_loop
>>> def digits(n):
...     found = []
...     def loop_body():
...         nonlocal n
...         found.append(n % 10)
...         n = n // 10
...     while_loop(lambda: n > 0, loop_body, lambda: (n,), options={"maximum_iterations": 10}, lists=lambda: (found,))
...     return found
>>> digits(123), jax.jit(digits)(123)
([3, 2, 1], BoundedList([3, 2, 1]))
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from autograph import errors
from autograph.jax_internals import drop_equations, equation_mark
from autograph.runtime.carry.assumptions import LoopAssumptions, innermost_staged
from autograph.runtime.carry.given_room import Roomy, given_room
from autograph.runtime.carry.scan_outputs import alone
from autograph.runtime.heap import journal
from autograph.runtime.sequences import counted_range
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.sequences.loop_items import MOST_BOUNDED
from autograph.runtime.tracing.array_types import of_type
from autograph.runtime.tracing.refusals import CANNOT_STAGE, refusal
from autograph.runtime.tracing.variables import CellVariable, Variable
from autograph.runtime.values.element_types import Elements
from autograph.runtime.values.locations import CellLocation

_ATTEMPTS = 100


class Growth:
    """What is assumed of one list in one loop.

    Attributes:
        elements: what its elements have in common, as far as seen.
        room: how many elements the loop can append.
        is_settled: whether the attempt that is being traced has shown nothing new.
        is_promised: whether the user says how often a loop iterates, which the program checks.
    """

    def __init__(self, name: str, assumptions: LoopAssumptions, xs: BoundedList, most: int) -> None:
        self.name = name
        self.key = object()  # two lists may have had the variable one after the other
        self.assumptions = assumptions
        self.xs = xs
        self.before = xs.copy()
        self.elements = self.known = xs.elements
        self.room = most
        self.is_settled = True
        self.is_promised = "maximum_iterations" in assumptions.options
        self.too_long = (
            f"the list {name!r} has more elements than its loop can append in maximum_iterations={most} iterations"
        )

    def begin(self) -> BoundedList:
        """The list as the loop finds it, with room for what is known that it appends."""
        self.known, self.is_settled = self.elements, True
        if self.elements is not None:
            self.xs.widen(self.elements, self.before.capacity + self.room)
        self.xs.growth = self
        return self.xs

    def end(self) -> None:
        """The loop is staged; the program fails where the list has outgrown its room."""
        size = self.xs.checked_size()
        journal.touch_attribute(self.xs, "size")
        self.xs.size = size
        self.xs.growth = None

    def admits(self, elements: Elements, new: int) -> bool:
        """Notes that values of these types are put into the list, `new` of them at its end."""
        if self.elements is not None:
            elements = self.elements.joined(elements)
        self.elements = elements
        if self.known is None or self.known.types != elements.types:
            self.is_settled = False
        if new:
            # No loop is being traced yet while the test of this one appends for the first time.
            assumptions = innermost_staged() or self.assumptions
            assumptions.appended[self.key] = assumptions.appended.get(self.key, 0) + new
        return self.is_settled

    def any_element(self) -> Any:
        """Some element, in an attempt that is going to be repeated."""
        assert self.elements is not None
        return self.elements.make([of_type(kind) for kind in self.elements.types])

    def any_column(self) -> Any:
        """An array of some elements, in an attempt that is going to be repeated."""
        assert self.elements is not None
        return jnp.zeros((1, *self.elements.types[0].shape), self.elements.types[0].dtype)

    def finish(self) -> bool:
        """Sums up how many elements the whole loop can append; whether nothing was new."""
        needed, is_promised = self._appended(self.assumptions), _is_promised(self.assumptions)
        if needed > self.room or is_promised != self.is_promised:
            self.room, self.is_promised, self.is_settled = max(needed, self.room), is_promised, False
        return self.is_settled

    def _appended(self, assumptions: LoopAssumptions) -> int:
        iteration = assumptions.appended.get(self.key, 0) + sum(map(self._appended, assumptions.inner.values()))
        most = most_iterations(assumptions, self.xs) if assumptions.is_loop else 1
        if iteration and (most is None or (iteration * most > MOST_BOUNDED and not self.is_promised)):
            raise refusal(
                f"the list {self.name!r} grows in a loop of unknown length",
                why="how much room it needs must be known while the program is traced",
                instead="say how often this loop iterates at most too: `ag.set_loop_options(maximum_iterations=N)`",
                page="list-grows-in-a-loop-inside",
            )
        return iteration * (most or 0)


def stage_roomy(
    stage: Callable[[Callable[[], bool]], None],
    assumptions: LoopAssumptions,
    variables: Sequence[Variable],
    functions: Sequence[Callable[..., Any]],
    grown: Sequence[Roomy] = (),
) -> None:
    """Runs `stage(ready)`, which stages a loop; again with room in a list, where it is refused and its iterations are bounded.

    Args:
        functions: those of the loop, whose variables lead to the list.
        grown: the lists that get room at once.
    """
    while True:
        start = equation_mark()
        try:
            if grown:
                _with_room(stage, assumptions, variables, grown, most_iterations(assumptions) or 0)
            else:
                stage(lambda: True)
            return
        except errors.StagingError as error:
            assumptions.carried = {}  # who refers to the list, counts
            found = None if most_iterations(assumptions) is None else given_room(error, functions, start)
            if found is None or any(one.xs is found.xs for one in grown):
                raise
        assumptions.clear()
        assumptions.gives_room = True
        grown = [*grown, found]


def stage_growing(
    stage: Callable[[Callable[[], bool]], None],
    assumptions: LoopAssumptions,
    variables: Sequence[Variable],
    functions: Sequence[Callable[..., Any]],
) -> None:
    """Runs `stage(ready)`, which stages a loop unless `ready()` says that it has to be traced again.

    Args:
        assumptions: about the loop; with the variables that may hold lists which grow in it.
        variables: the state of the loop.
        functions: those of the loop.
    """
    most = assumptions.options.get("maximum_iterations")
    if most is not None:
        most = assumptions.iterations = min(
            operator.index(most), most if assumptions.iterations is None else assumptions.iterations
        )
    mine = alone(assumptions.lists) if assumptions.alone is None else assumptions.alone
    assumptions.alone = None
    growing = [v for v in assumptions.lists if id(v.get()) in mine]
    if most is not None:
        growing += [v for v in assumptions.lists if type(v.get()) is BoundedList and not v.get().growth]
    if growing and most is None:
        _as_it_is(stage, assumptions, variables, growing)
    else:
        stage_roomy(stage, assumptions, variables, functions, [_in_variable(variable) for variable in growing])


def _as_it_is(
    stage: Callable[[Callable[[], bool]], None],
    assumptions: LoopAssumptions,
    variables: Sequence[Variable],
    shrinking: Sequence[Variable],
) -> None:
    """Stages a loop that only makes lists shorter: where they cannot be carried as they are, with room for what they begin with."""
    entry = [variable.get() for variable in variables]
    start = equation_mark()
    try:
        stage(lambda: True)
        return
    except CANNOT_STAGE as error:
        refused = error.with_traceback(None)  # its frames hold the lists
        refused.__context__ = None
    drop_equations(start, equation_mark())
    for variable, value in zip(variables, entry, strict=True):
        variable.set(value)
    assumptions.clear()
    try:
        _with_room(stage, assumptions, variables, [_in_variable(variable) for variable in shrinking], 0)
    except CANNOT_STAGE:
        raise refused from None


def _with_room(
    stage: Callable[[Callable[[], bool]], None],
    assumptions: LoopAssumptions,
    variables: Sequence[Variable],
    growing: Sequence[Roomy],
    most: int,
) -> None:
    entry = [variable.get() for variable in variables]
    found = [Growth(one.name, assumptions, one.xs, most) for one in growing]

    def restore() -> None:
        for variable, value in zip(variables, entry, strict=True):
            variable.set(value)
        for one in reversed(growing):
            one.put_back()

    for _ in range(_ATTEMPTS):
        start = equation_mark()
        for one, growth in zip(growing, found, strict=True):
            one.put()
            growth.begin()
        try:
            stage(lambda: all([growth.finish() for growth in found]))
        except Exception:
            if all(growth.is_settled for growth in found):
                restore()
                raise
        else:
            if all(growth.is_settled for growth in found):
                break
        drop_equations(start, equation_mark())
        restore()
    else:
        raise AssertionError("what a list holds did not settle")
    for growth in found:
        growth.end()


def as_it_grows(xs: list[Any] | range, lists: Sequence[Variable], others: int) -> Any:
    """What a loop runs over in which lists grow: the list that it makes longer, as one of traced length; a range, to be staged.

    `others`: how many references to the list there are besides the loop's.
    """
    if type(xs) is range:
        return counted_range.range.of_builtin(xs.start, xs.stop, xs.step)
    for variable in lists:
        if variable.get() is xs and others == 1:
            made = _as_bounded(xs)
            _set(variable, made)
            return made
    return xs


def _is_promised(assumptions: LoopAssumptions) -> bool:
    return "maximum_iterations" in assumptions.options or any(map(_is_promised, assumptions.inner.values()))


def most_iterations(assumptions: LoopAssumptions, xs: Any = None) -> int | None:
    """Returns how often a loop iterates at most that makes a list longer; None where nothing says so."""
    bound = assumptions.bound
    if type(bound) is BoundedList:
        bound = None if bound is xs else bound.capacity
    known = [n for n in (assumptions.iterations, bound) if type(n) is int]
    most = min(known, default=None)
    is_too_many = most is not None and most > MOST_BOUNDED and "maximum_iterations" not in assumptions.options
    return None if is_too_many else most


def _in_variable(variable: Variable) -> Roomy:
    assert isinstance(variable, CellVariable)
    value = variable.get()
    return Roomy(variable.name, _as_bounded(value), value, [CellLocation(variable.name, variable.cell)])


def _as_bounded(value: Any) -> BoundedList:
    return value if type(value) is BoundedList else BoundedList.of(value)


def _set(variable: Variable, value: Any) -> None:
    if value is variable.get():
        return
    if isinstance(variable, CellVariable):
        journal.touch_location(CellLocation(variable.name, variable.cell))
    variable.set(value)
