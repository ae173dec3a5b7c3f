"""What a staged loop leaves: the results of its primitive go into the variables and the locations on the heap.

Results are the leaves that change, then those first bound in the loop; all others hold what they held before.

>>> import autograph as ag
>>> def f(n):
...     counts, total = [0], 0
...     for i in ag.range(n):
...         counts[0] += 1
...         total += i
...     return counts, total
>>> counts, total = ag.jit(f)(4)
>>> int(counts[0]), int(total)
(4, 6)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.runtime.carry import known_variables
from autograph.runtime.carry.fixed_point import Carry
from autograph.runtime.carry.layout import start_of_first_bound
from autograph.runtime.carry.loop_aliases import LoopAliases
from autograph.runtime.carry.messages import NO_ITERATION
from autograph.runtime.carry.slots import is_location
from autograph.runtime.heap import class_fallback, journal, returned_arrays
from autograph.runtime.tracing import integer_ranges, number_kinds
from autograph.runtime.tracing.predicates import hold_facts
from autograph.runtime.tracing.python_bools import note_bool
from autograph.runtime.tracing.variables import UNSET
from autograph.runtime.values.locations import AttributeLocation, GlobalLocation
from autograph.runtime.values.merge import Merged, Mismatch, fill
from autograph.runtime.values.optional import settled


def make_placeholders(carry: Carry, iteration: Any) -> None:
    """Makes the initial values of the variables first bound in the loop; an iteration of the loop around may bind none.

    `iteration`: the traced one. A number that it leaves in such a variable is there from the beginning.
    """
    for leaf in carry.first_bound:
        journal.note_skipped(leaf.path)
    outs = iteration.jaxpr.outvars[len(carry.carried()) :]
    carry.placeholders = [start_of_first_bound(leaf.type, out) for leaf, out in zip(carry.first_bound, outs)]


def write_results(
    carry: Carry, results: Sequence[Any], surely: bool, inputs: Sequence[Any], built: dict[int, Any] | None = None
) -> list[Merged]:
    """Writes the loop's results to variables and locations.

    Args:
        results: the changing leaves, then those first bound in the loop.
        surely: whether the loop has at least one iteration.
        inputs: what the loop reads.
        built: containers that are there already, by the node of their slot.
    Returns:
        the containers that were built, which stand for one of several.
    """
    values, carried = [leaf.init for leaf in carry.leaves], carry.carried()
    changing = [*(carry.leaves[index] for index in carried), *carry.first_bound]
    for leaf, result in zip(changing, results):
        if leaf.is_of_python is not None:
            note_bool(result, leaf.is_of_python)
        if not surely and leaf.type.weak and leaf.begins_otherwise:
            number_kinds.note_kinds(result, number_kinds.kinds_of(leaf.init) | number_kinds.kinds_of(result))
    for index, result in zip(carried, results):
        leaf = carry.leaves[index]
        values[index] = known_variables.behind(leaf, result)
        if (assumed := leaf.assumed) is not None:
            integer_ranges.assume_least(result, assumed.least)
    hold_facts((values[index], value) for index, value in carry.shown.get(False, ()))
    first_bound = list(results[len(carried) :])
    carry.arrays.land(carry.leaves, values, first_bound, surely)
    # Slots of those first bound count from the end: Slot(-1) is the first.
    table = values + first_bound[::-1]
    left = [("" if is_location(s.variable) else s.variable.name, s.result) for s in carry.slots]
    returned = returned_arrays.own_slots(left, table, [*results, *inputs])
    for location in carry.forwarded.values():
        journal.touch_location(location)
    built = {} if built is None else built
    for slot in carry.slots:
        value = settled(fill(slot.result, table, built))
        if is_location(slot.variable):
            known = isinstance(slot.variable, AttributeLocation | GlobalLocation)
            if known and slot.init is UNSET and value is not UNSET and not surely:
                raise Mismatch(slot.variable.name, UNSET, value, NO_ITERATION, slot.variable)
            if isinstance(slot.variable, AttributeLocation) and not surely and slot.variable.get() is UNSET:
                class_fallback.note_fallback(slot.variable.obj, slot.variable.attribute, carry.functions[0])
            journal.touch_location(slot.variable)
        slot.variable.set(value)
    returned_arrays.note_returned(carry.variables, [table[k] for k in returned])
    merged = carry.aliases.merged(built, surely)
    # Whoever counts references must not find ours.
    carry.slots.clear()
    carry.aliases = LoopAliases()
    return merged
