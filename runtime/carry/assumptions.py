"""What is assumed of the carry of a loop: what its iterations, traced so far, have shown.

An outer loop traces its body again when a type moves or a written location is found; the loops inside should not have
to find out again what they carry. What they assume is kept by the position at which the loop is met, and not longer:
a Python value in a closure can change an answer without changing a type.

An inner loop may see that a type moves which the outer one carries in, or learn what a variable holds that is unbound before
both: then the outer body will be traced again whatever comes. So the inner loop does not search on. It leaves values of the
types that it has seen so far, and the attempt of the outer loop, which `must_repeat`, goes on to see what else moves. Thus where
only types move loops nested to any depth are traced twice, not as often as they are deep. Any other correction is searched by the
loop that finds it, and once more by the loops around it where these carry what it found.

All that is assumed of a carry slot stands under one key: the number of a variable or the key of a location, and the steps from
there. Keys of locations are made of `id`s. They are kept only as long as all loops around carry the location too: an object
that an iteration makes is another one in the next attempt, and may have the address of one that is gone.

>>> loop = LoopAssumptions(LoopAssumptions())
>>> loop.slots[0,].static = True  # of the first variable
>>> loop.slots["a list that is gone", "[0]"].least = 4
>>> loop.known_locations([object()]), list(loop.slots)
({}, [(0,)])
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from autograph.runtime.tracing.array_types import ArrayType
from autograph.runtime.tracing.context import PerThread
from autograph.runtime.tracing.variables import Variable
from autograph.runtime.values.choices import Options
from autograph.runtime.values.row_forms import Form


@dataclass(slots=True)
class SlotAssumptions:
    """What is assumed of one carry slot, or of a part of what it holds.

    Attributes:
        type: the type of a leaf.
        static: whether a number stays the Python number that it is.
        in_place: whether a container stays the object that it is (True) or is replaced by another one (False).
        optional: makes a value for a variable that holds `None` in some iterations.
        options: the strings or enum members of which it holds one or another (`values.choices`).
        rows: the form of an array whose length differs from iteration to iteration (`values.row_forms`).
        searches: how many attempts have found more of them, or a longer array.
        initial: makes the value of a variable before its first iteration: it is unbound there, and some iterations skip it.
        disproved: whether iterations make an integer less than it begins.
        least: what the loop test says of such an integer: it is no less.
        doubtful: whether a bool is Python's in some iterations and an array in others.
        unordered: whether a dict comes out of an iteration with its keys in another order (`key_orders`).
        series: the numbers that it has in the iterations (`variable_groups.Series`); False: it is carried as others are.
        becomes_numpys: whether a Python float counts as a NumPy one.
        kept: whether a container in such a value is older than the loop: it is the same object in every iteration.
    """

    type: ArrayType | None = None
    static: bool | None = None
    in_place: bool | None = None
    optional: Callable[[], Any] | None = None
    options: Options | None = None
    rows: Form | None = None
    searches: int = 0
    initial: Callable[[], Any] | None = None
    disproved: bool = False
    least: int | None = None
    doubtful: bool = False
    kept: bool = False
    unordered: bool = False
    series: Any = None
    becomes_numpys: bool | None = None


class LoopAssumptions:
    """What is assumed of one loop, and of the loops inside it.

    Attributes:
        variables: how many variables the loop has.
        slots: what is assumed of the carry slots, by key.
        before_attempt: what is done before the next attempt, outside of its trace.
        before_failure: what is done, in the inverse order, where the loop turns out not to be staged.
        written: keys of the locations that the loop writes.
        carried: the locations of the attempt that is being traced, by key; those of the loops inside may be among them.
        inner: the assumptions about the loops inside, by position and code.
        attempt: the carry of the attempt that is being traced, None outside.
        repeated_for: the types, and the variables with an `initial` value, for which the enclosing loop was last traced again.
        must_repeat: whether the attempt serves only to see more, and is repeated whatever it shows.
        from_start: whether the loop, whose first test is known, was found to be better staged from its first iteration.
        options: what `set_loop_options` said of the loop.
        lists: variables that may hold lists which grow in the loop (see `list_growth`).
        alone: ids of those of the lists to which nothing but the variable refers, where that was counted before.
        iterations: how often the loop iterates at most, where that is known.
        bound: the same where facts about its numbers say so; or a list that has no more elements.
        lengths: how often it iterates in each iteration of the loops around, where these are known numbers (`known.levels`).
        is_counted: whether the loop does not end before.
        is_lenient: see `known.levels.Level`.
        is_rest: whether an iteration ran by itself before.
        counts: whether the iterations are counted though the items do not need it.
        is_traced: whether no variable may be known in each iteration.
        is_loop: whether its body was traced; else it was only tried in another way, as a loop of its own.
        gives_room: whether a list has room in the loop, so that it is not unrolled for another one.
        makes_checks: whether an iteration makes checks (`loop_variables.Checked`).
        mixes_floats: see `known.levels.Level`.
        known: what the variables held that were not traced, when the loop was last found to have no end of its own (`peeling`).
        appended: how many elements one iteration appends to a list, by its key; without the loops inside.
    """

    def __init__(self, outer: LoopAssumptions | None = None) -> None:
        self.options: dict[str, Any] = {}
        self.lists: Sequence[Variable] = ()
        self.alone: set[int] | None = None
        self.iterations: int | None = None
        self.bound: Any = None
        self.lengths: Any = None
        self.is_counted = self.is_lenient = self.is_rest = False
        self.appended: dict[Any, int] = {}
        self.outer = outer
        self.variables = 0
        self.slots: defaultdict[Any, SlotAssumptions] = defaultdict(SlotAssumptions)
        self.before_attempt: list[Callable[[], None]] = []
        self.before_failure: list[Callable[[], None]] = []
        self.written: dict[Any, None] = {}
        self.carried: dict[Any, Any] = {}
        self.inner: dict[Any, LoopAssumptions] = {}
        self.position = 0
        self.attempt: Any = None
        self.repeated_for: Any = None
        self.must_repeat = False
        self.from_start = False
        self.counts = self.is_traced = self.gives_room = self.is_loop = False
        self.makes_checks = self.mixes_floats = False
        self.known: list[Any] | None = None

    def undo_attempts(self) -> None:
        """Undoes what was done before attempts, where the loop turns out not to be staged."""
        self.before_attempt.clear()
        while self.before_failure:
            self.before_failure.pop()()

    def forget(self) -> None:
        """Drops what an iteration that ran on other values has shown of the loops inside, but not how to run them."""
        for assumptions in self.inner.values():
            assumptions.clear()

    def clear(self) -> None:
        """Drops what was shown, also of the loops inside."""
        for table in (self.slots, self.written, self.appended):
            table.clear()
        self.is_traced = False
        self.forget()

    def forget_types(self) -> None:
        """Drops the types of leaves: the iterations are counted from now on, and numbers that had to be carried may be known."""
        for assumed in self.slots.values():
            assumed.type = None

    def known_locations(self, variables: Sequence[Any]) -> dict[Any, Any]:
        """The locations that this loop was seen to write; drops what belongs to objects that are gone."""
        alive = self.outer.carried if self.outer is not None else {}
        self.variables = len(variables)
        self._forget_locations(alive)
        return {key: alive[key] for key in self.written}

    def _forget_locations(self, alive: Container[Any]) -> None:
        """Drops what is assumed of all locations but these, also in the loops inside, which may carry them as well."""
        self.written = {key: None for key in self.written if key in alive}
        for key in [key for key in self.slots if key[0] not in alive and key[0] not in range(self.variables)]:
            del self.slots[key]
        for assumptions in self.inner.values():
            assumptions._forget_locations(alive)

    def known_types(self) -> dict[Any, ArrayType]:
        """The types of the leaves, as far as they are known, by key."""
        return {key: assumed.type for key, assumed in self.slots.items() if assumed.type is not None}

    def known_kinds(self) -> dict[Any, tuple[Any, ...]]:
        """Collects, by key, which numbers are static or NumPy's, which containers stay the same objects, and forms of arrays."""
        found = {key: (of.static, of.in_place, of.becomes_numpys, of.rows) for key, of in self.slots.items()}
        return {key: kinds for key, kinds in found.items() if any(kind is not None for kind in kinds)}


_of_innermost: PerThread[LoopAssumptions | None] = PerThread(lambda: None)  # of the loops whose body is traced


def locations_carried() -> list[Any]:
    """Returns the locations that the loops carry whose bodies are being traced."""
    found, assumptions = list[Any](), _of_innermost.value
    while assumptions is not None:
        found += [assumptions.carried, *assumptions.carried.values()]
        assumptions = assumptions.outer
    return found


def innermost_staged() -> LoopAssumptions | None:
    """Of the innermost loop whose body is being traced."""
    assumptions = _of_innermost.value
    while assumptions is not None and assumptions.attempt is None:
        assumptions = assumptions.outer
    return assumptions


@contextmanager
def assuming(
    key: Any, options: dict[str, Any] | None = None, lists: Sequence[Variable] = ()
) -> Iterator[LoopAssumptions]:
    """Assumptions about the loop `key`, met at this position of the enclosing loop's attempt; see there for the rest."""
    outer = _of_innermost.value
    if outer is None:
        assumptions = LoopAssumptions()
    else:
        outer.position += 1
        assumptions = outer.inner.setdefault((outer.position, key), LoopAssumptions(outer))
    assumptions.options, assumptions.lists, assumptions.position = options or {}, lists, 0
    _of_innermost.value = assumptions
    try:
        yield assumptions
    finally:
        _of_innermost.value = outer
        assumptions.carried = {}  # who refers to an object, counts
        assumptions.lists, assumptions.before_failure = (), []
