"""The carry of a staged loop: which values change from iteration to iteration, their types, and the fixed point of both.

A loop body is traced with its variables filled by fresh tracers. What comes out is compared with what went in:

| out of the body | means |
| --- | --- |
| the very tracer that went in | invariant: closed over, not carried |
| a value of a joinable type | carried, in the joined type |
| a container of the same structure | its leaves are carried |
| the same object, or an equal static value | passes through |
| a value in a variable that was unbound | carried from a placeholder: no iteration reads it before it is assigned |
| a written attribute, list, dict, global, cell | one more slot |
| anything else | refused by name |

The body is traced once when the first guess holds. An attempt that shows a guess to be wrong notes what it saw, and is repeated:

| the attempt shows | noted in `assumptions` as |
| --- | --- |
| a leaf of a wider type than was carried in | `type` |
| a number that each iteration leaves as it was, or that one changes after all | `static` |
| `None` where a value was carried in, or the other way round | `optional` |
| an unbound variable that some iterations skip, an attribute that was the class's | `initial` |
| a proxy that is changed in place; another list, value or object in a variable | `in_place` |
| that a variable to be returned holds another container than before the loop | `kept` |
| a dict whose keys come in another order | `unordered` |
| an integer less than it began, where something was built on the opposite | `disproved`, and `least` of the loop test |
| an array instead of Python's bool, where something was built on the bool | `doubtful` |
| a write to a location that is not carried | `written` |
| elements of a bounded list of a wider type | `before_attempt`: the list gets them |
| the first check (`loop_variables.Checked`) | `makes_checks` |
| an inner loop that leaves the search to this one | `must_repeat` |

Types only grow and each of the others changes once or twice, so this ends. The guesses of inner loops are remembered while an outer
loop searches its fixed point, and where only types move an inner loop leaves the search to the outer one (`assumptions`).

Containers: a list stays the object that it is, and its contents are carried; any other container is replaced by one of
tracers during the iteration, its proxy. Which objects a variable may hold after the loop is noted in `loop_aliases`.

>>> import jax
>>> from autograph.runtime.operators.while_loops import while_loop
>>> def halved(n):
...     x, traced = 1, []  # an integer, until an iteration divides it
...     def loop_body():
...         nonlocal n, x
...         traced.append(str(x.dtype))
...         n, x = n - 1, x / 2
...     while_loop(lambda: n > 0, loop_body, lambda: (n, x))
...     print("traced with", *traced)
...     return x
>>> jax.jit(halved)(3).item()
traced with int32 float32
0.125
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import Any

from autograph.jax_internals import variable_of
from autograph.runtime.carry import induction, known_variables
from autograph.runtime.carry.assumptions import LoopAssumptions
from autograph.runtime.carry.comparison import Comparison, is_plain
from autograph.runtime.carry.layout import Layout, traced_like
from autograph.runtime.carry.loop_arrays import LoopArrays
from autograph.runtime.carry.messages import CHANGED_AND_REPLACED, KNOWN, UNKNOWN
from autograph.runtime.carry.scan_outputs import Grown
from autograph.runtime.carry.slots import CarrySlot, Leaf, built_by, filled_in, is_location
from autograph.runtime.heap import journal, library_notes
from autograph.runtime.heap.array_views import note_without_axes
from autograph.runtime.heap.escape import ANOTHER, Made, known_to, made_inside, owned
from autograph.runtime.tracing import dead_results, integer_ranges, number_kinds
from autograph.runtime.tracing.array_types import convert_to, join_types, of_type
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known.levels import Level
from autograph.runtime.tracing.predicates import hold_facts, shown_by
from autograph.runtime.tracing.python_bools import is_doubtful, is_of_python, join, note_bool, note_join
from autograph.runtime.tracing.variables import Variable, is_unbound
from autograph.runtime.values.locations import ContentsLocation, same_contents
from autograph.runtime.values.merge import Mismatch, Node, fill
from autograph.runtime.values.optional import Maybe
from autograph.runtime.values.writes import Written

_MOST_DISCOVERIES = 20  # attempts that find written locations; more: each iteration writes another object


class Retry(Exception):
    """The guess about the carry was wrong and has been corrected."""


class Carry(Layout):
    """The carry of one loop while its fixed point is searched."""

    def __init__(self, variables: Sequence[Variable], assumptions: LoopAssumptions) -> None:
        super().__init__(variables, assumptions)
        self.forwarded: dict[Any, Any] = {}
        self.first_bound: list[Leaf] = []
        self.placeholders: list[Any] = []
        self.growing, self._replaced = set[int](), list[int]()
        self.lists: Sequence[Variable] = ()  # the variables that hold lists which grow
        self._discoveries = 0  # attempts that found written locations
        self.grown = Grown()
        self.functions: Sequence[Callable[..., Any]] = ()  # the user's, which an iteration runs
        self.dead: list[Any] = []  # of what changes: a condition, and its value where nobody reads it
        self.trace: Any = None
        self.checks = progress.checks  # before the loop
        self.test: Callable[[Carry], Any] | None = None  # gives the loop test as a region over the leaves
        self.arrays = LoopArrays()
        self.shown: dict[bool, list[tuple[int, bool]]] = {}  # by its truth, the leaves whose value it implies
        self.only_types = False  # whether the last attempt failed for no other reason than a type that moved
        self.raised = False  # whether the last attempt ended in an exception of the program
        self.level: Level | None = None  # of the attempt, where the number of iterations is known
        self.pending = list[Any]()  # the leaves that an iteration left known numbers in (`variable_groups.Pending`)
        self.has_known = False  # whether a leaf holds a known number in the iteration
        self.counter: Any = None  # a variable that counts them, which is carried where it is needed
        self.on_settled: Callable[[], None] | None = None  # called where no guess was wrong; numbers are not settled

    def begin(self) -> None:
        """Begins an attempt: forgets what belongs to the last one, does what that required, lays out the carry as known so far."""
        self.assumptions.position, self.assumptions.is_loop = 0, True
        self.assumptions.must_repeat = self.only_types = self.raised = False
        self.assumptions.carried = self.locations
        of = self.assumptions
        self.level = Level(of.iterations, of.lengths, of.is_lenient) if isinstance(of.iterations, int) else None
        self.assumptions.appended.clear()
        self.first_bound, self.grown, self._replaced = [], Grown(), []
        while self.assumptions.before_attempt:
            self.assumptions.before_attempt.pop()()
        self.lay_out()

    def count(self) -> None:
        """Has the iterations counted from the next attempt on."""
        self.assumptions.counts = True
        if self.counter is not None and all(variable is not self.counter for variable in self.variables):
            self.variables.append(self.counter)

    def fill(self, tracers: Sequence[Any], region: journal.Region) -> None:
        """Puts the tracers of a region into the variables and locations."""
        tracers = known_variables.numbers_for(self, tracers)
        for leaf, tracer in zip(self.leaves, tracers):
            leaf.tracer = tracer
            note_without_axes(tracer, leaf.init)
            if is_of_python(leaf.init) or is_doubtful(leaf.init):
                leaf.noted = note_bool(tracer, not self.assumptions.slots[leaf.key].doubtful and not is_doubtful(leaf.init))
            if leaf.type.weak and leaf.begins_otherwise:
                number_kinds.note_kinds(tracer, number_kinds.kinds_of(leaf.init) | number_kinds.kinds_of(tracer))
        induction.assume_ranges(self.leaves, self.assumptions)
        for slot, value in zip(self.slots, self.fill_apart(tracers, region)):
            slot.value = value
        region.touched.clear()
        region.note_sizes()

    def assume_test(self, tracers: Sequence[Any]) -> None:
        """In an iteration the test holds, which may imply that a variable is not `None`."""
        if self.test is not None and any(type(slot.init) is Maybe for slot in self.slots):
            self.test(self)
            hold_facts((tracers[index], value) for index, value in self.shown.get(True, ()))

    def note_shown(self, tracers: Sequence[Any], truth: Any) -> None:
        """Notes what the test, traced with these for the leaves, implies for some of them."""
        indices = {id(x): index for index, x in enumerate(tracers)}
        for value in (True, False):
            self.shown[value] = [(indices[id(x)], known) for x, known in shown_by(truth, value) if id(x) in indices]

    def fill_apart(self, tracers: Sequence[Any], region: journal.Region) -> list[Any]:
        """Like `fill`, for a region beside the body's (the loop test); returns the values of all slots."""
        for leaf, tracer in zip(self.leaves, tracers):
            if leaf.assumed is not None and self.trace is None:
                integer_ranges.assume_least(tracer, leaf.assumed.least)
        values = list(tracers)
        filled = []
        for slot in self.slots:
            value = filled_in(slot.template, values)
            if is_location(slot.variable):
                region.touch(slot.variable)
            slot.variable.set(value)
            filled.append(value)
        return filled

    def untouched(self, written: Sequence[Written], filled: Sequence[Any]) -> bool:
        """Whether the locations still hold what `fill_apart` put there, and no other one was written."""
        known = {p.variable.key: value for p, value in zip(self.slots, filled) if is_location(p.variable)}
        built = {id(b) for p, value in zip(self.slots, filled) for b in built_by(p.template, value)}
        for w in written:
            if w.location.key in known:
                if not same_contents(known[w.location.key], w.after):
                    return False
            elif id(w.location.obj) in built or not made_inside([w.location.obj], (), (list(written),)):
                return False
        return True

    def collect(self, region: journal.Region, finished: Any) -> list[Any]:
        """Ends an attempt: compares what the iteration left with what it began with.

        Args:
            region: that of the iteration; its values and writes are taken out of it.
            finished: gets both, so that nothing else refers to what the iteration made.
        Returns:
            the outputs of the body's region: the leaves that change, those first bound, the rows that lists grow by.
        Raises:
            Retry: a guess was wrong and has been corrected.
            Mismatch: what the iteration leaves cannot be carried.
        """
        finished.values, finished.written = region.collect()
        self.forwarded.update(region.forwarded)
        for slot in self.slots:
            self.aliases.note_proxies(slot.key, slot.template, slot.value)
        self._settle(finished)
        self.aliases.contents = {
            id(w.location.obj): w.after for w in finished.written if isinstance(w.location, ContentsLocation)
        }
        kinds = self.assumptions.known_kinds()
        unbound = [index for index in range(len(self.variables)) if is_unbound(self.slots[index].value)]
        outlive = [*self.grown.appended(), *(finished.values[index] for index in unbound)]
        made = Made(outlive, finished, self.slots)
        del outlive  # references to what it holds are counted below
        self.grown.open(made, self.aliases, self.level)
        moved = self._compare_all(finished, region.skipped, made)
        test = None if self.test is None else partial(self.test, self)
        wrong = not induction.holds(self.leaves, self.assumptions, test)
        if self._replaced:
            self._open_objects(finished, region)
        if moved:
            self.only_types = kinds == self.assumptions.known_kinds()
            raise Retry
        if self.assumptions.must_repeat or wrong or self._doubts():
            raise Retry
        if self.on_settled is not None:
            self.on_settled()
        if (one := self.grown.unknown) is not None:
            raise Mismatch(one.location.name, one.before, one.after, UNKNOWN, one.location)
        self.aliases.close(finished, [p.value for p in self.slots])
        for slot in self.slots:
            if self.aliases.changed(slot.key, region.touched):  # a proxy is a copy
                self._must_stay(slot)
        changed = [leaf for leaf in (*self.leaves, *self.first_bound) if not leaf.invariant]
        outs = [convert_to(leaf.out, leaf.type) for leaf in changed]
        for leaf in changed:
            leaf.is_of_python = join(leaf.out, *(() if leaf.init is None else (leaf.init,)))
        notes = [dead_results.dead_where(leaf.out) for leaf in changed]
        self.dead = [note and (variable_of(note[0]), note[1]) for note in notes]
        outs += self.grown.leaves
        self.arrays.collect(region.arrays, self.leaves, self.first_bound, self.grown.leaves)
        self._release()
        return outs

    def _doubts(self) -> bool:
        """Whether the trace relied on a bool being Python's, while an iteration replaces it by an array."""
        used = [leaf for leaf in self.leaves if leaf.noted is not None and leaf.noted.is_used]
        found = [leaf for leaf in used if leaf.out is not None and not is_of_python(leaf.out)]
        for leaf in found:
            self.assumptions.slots[leaf.key].doubtful = True
        return bool(found)

    def repeats_outer(self) -> bool:
        """Whether the enclosing loop carries a leaf whose type moved: its attempt is repeated then, and this loop's is not.

        The variables get values of the types known so far instead, with which the enclosing attempt goes on.
        """
        outer = self.assumptions.outer
        if outer is None or outer.attempt is None or not journal.only_branches_within(outer.attempt.trace):
            return False  # a trace in between may be kept: of a function under `jit`, say
        if not self.only_types or self.locations or self.first_bound or self.grown or self.forwarded:
            return False
        if any(type(slot.template) is Node for slot in self.slots):
            return False
        kinds = [self._kind(leaf) for leaf in self.leaves]
        assumed = {
            p.key: self.assumptions.slots[p.key] for p in self.slots[: len(self.variables)] if is_unbound(p.init)
        }
        initial = {key: of.initial() for key, of in assumed.items() if of.initial is not None}  # they need a value
        if not all(map(is_plain, initial.values())) or not self._moves(outer.attempt, kinds, initial):
            return False
        repeated_for = self.assumptions.known_types(), set(initial)
        if self.assumptions.repeated_for == repeated_for:
            return False  # the enclosing loop has begun again for it before
        self.assumptions.repeated_for = repeated_for
        values = [leaf.init if leaf.invariant else of_type(kind) for leaf, kind in zip(self.leaves, kinds)]
        for leaf, value in zip(self.leaves, values):
            if not leaf.invariant:
                note_join(value, leaf.out, leaf.init)
        for slot in self.slots:
            if slot.key in initial:
                journal.note_skipped(slot.variable.name)
                slot.variable.set(traced_like(initial[slot.key]))
            else:
                slot.variable.set(fill(slot.template, values))
        outer.must_repeat = True
        return True

    def _kind(self, leaf: Leaf) -> Any:
        """The type of a leaf as known after this attempt."""
        known = self.assumptions.slots[leaf.key].type or leaf.type
        return join_types(leaf.type, known) if known.shape == leaf.type.shape else known

    def _moves(self, outer: Carry, kinds: Sequence[Any], initial: Container[Any]) -> bool:
        """Whether the enclosing loop's attempt carries a leaf whose type moved as well."""
        carried_in = {id(leaf.tracer) for leaf in outer.leaves}
        if any(id(leaf.init) in carried_in for leaf, kind in zip(self.leaves, kinds) if kind != leaf.type):
            return True
        unbound = {id(_cell(slot)) for slot in outer.slots if is_unbound(slot.init)}
        return any(id(_cell(slot)) in unbound for slot in self.slots if slot.key in initial)

    def _settle(self, finished: Any) -> None:
        """Finds written locations that are not carried yet; gives back to what the iteration made what was written there."""
        known = {p.variable.key for p in self.slots if is_location(p.variable)}
        fresh = [w for w in finished.written if w.location.key not in known and not self._takes(w)]
        if not fresh:
            return
        self._note_in_place(fresh)
        inputs = [p.value for p in self.slots]
        allocated = made_inside([w.location.obj for w in fresh], (finished,), (inputs,), of_libraries=True)
        found = [w for w in fresh if id(w.location.obj) not in allocated]
        if found:
            library_notes.refuse_in_loop(found)
            self._discoveries += 1
            if self._discoveries > _MOST_DISCOVERIES:
                last = found[-1]
                raise Mismatch(last.location.name, last.before, last.after, ANOTHER, last.location)
            self.locations.update((w.location.key, w.location) for w in found)
            self.assumptions.written.update((w.location.key, None) for w in found)
            raise Retry
        for w in fresh:
            w.location.set(w.after)

    def _open_objects(self, finished: Any, region: journal.Region) -> None:
        """Carries the attributes of an object that each iteration replaces by another one of its class, if it has no other name.

        Raises:
            Mismatch: another name refers to the object from before the loop, or to the new one.
        """
        indices, self._replaced = self._replaced, []
        objects = [*(self.slots[i].init for i in indices), *(finished.values[i] for i in indices)]
        ours = owned(objects, (finished,), self.variables, (region.entry, self.aliases.outs, *self.holders()))
        for i, old, new in zip(indices, objects[: len(indices)], objects[len(indices) :], strict=True):
            if id(old) not in ours or id(new) not in ours:
                raise Mismatch(self.variables[i].name, old, new, KNOWN)
            self.assumptions.slots[(i,)].in_place = False

    def _takes(self, written: Written) -> bool:
        """Whether an iteration did nothing but append to a list that nothing else can read (see `scan_outputs`)."""
        return written.location.key in self.growing and self.grown.takes(written)

    def _compare_all(self, finished: Any, skipped: set[str], made: Made) -> bool:
        """Compares each slot with what the iteration left in it, keeps the results' templates; whether a guess was wrong."""
        written = {w.location.key: w for w in finished.written}
        comparison = Comparison(self, skipped, partial(known_to, self.functions), made)
        for slot, out in zip(self.slots, [*finished.values, *([None] * len(self.locations))]):
            if is_location(slot.variable):
                one = written.get(slot.variable.key)
                out, note = (one.after, one.note) if one else (slot.init, "")
            try:
                slot.result = comparison.compare(slot.template, slot.value, out, slot.init, slot.key, slot.variable.name)
            except Mismatch as differ:
                differ.place = slot.variable
                if is_location(slot.variable) and not differ.instead:
                    differ.instead = library_notes.describe_difference(differ, slot.variable, note, (slot.init, out))
                raise
        self.first_bound, self._replaced, self.pending = comparison.first_bound, comparison.replaced, comparison.pending
        if self.has_known and self.on_settled is None and known_variables.settle(self, comparison):
            comparison.moved = True
        return comparison.moved

    def _release(self) -> None:
        """Forgets the values of the trace that ends now."""
        for leaf in (*self.leaves, *self.first_bound):
            leaf.tracer = leaf.out = leaf.known = None
        for slot in self.slots:
            slot.value = None
        self.pending = []
        self.grown.release()

    def _note_in_place(self, fresh: list[Written]) -> None:
        """A container that this attempt made for a variable was written to: the variable's own object must be used."""
        written = {id(w.location.obj) for w in fresh}
        for slot in self.slots:
            if any(id(built) in written for built in built_by(slot.template, slot.value)):
                self._must_stay(slot)

    def _must_stay(self, slot: CarrySlot) -> None:
        """The containers of `slot` are changed in place, so they must be the objects that they are."""
        assumed = self.assumptions.slots[slot.key]
        if assumed.in_place is not None:
            raise Mismatch(slot.variable.name, slot.init, slot.value, CHANGED_AND_REPLACED, slot.variable)
        assumed.in_place = True
        raise Retry

    def holders(self) -> list[Any]:
        """The objects by which the carry refers to the values of variables."""
        return [*self.slots, *(p.template for p in self.slots), *(p.result for p in self.slots)]

    def carried(self) -> list[int]:
        """The numbers of the leaves that change."""
        return [i for i, leaf in enumerate(self.leaves) if not leaf.invariant]


def _cell(slot: CarrySlot) -> Any:
    """What identifies a variable in the carries of two loops: its closure cell, or the location itself."""
    return getattr(slot.variable, "cell", slot.variable)
