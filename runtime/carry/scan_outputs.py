"""Lists to which each iteration of a counted loop appends: stacked outputs of a `scan`, not a carry.

>>> from autograph.runtime.tracing.variables import variables_of
>>> def f(two):
...     xs = [1]
...     ys = xs if two else None
...     return len(alone(variables_of(lambda: (xs,))))
>>> f(two=False), f(two=True)
(1, 0)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, final

from jax import lax

from autograph.runtime.carry.conditional_appends import AppendedIf, iterations_with
from autograph.runtime.carry.loop_aliases import LoopAliases
from autograph.runtime.checks.traced_strings import TracedString
from autograph.runtime.heap import journal, outliving
from autograph.runtime.heap.escape import Made
from autograph.runtime.sequences.bounded_list import BoundedList
from autograph.runtime.tracing import context, sharing, sizes, stacked_rows
from autograph.runtime.tracing.array_types import placeholder, type_of
from autograph.runtime.tracing.families import NUMBERS
from autograph.runtime.tracing.known.levels import Level, column_of
from autograph.runtime.tracing.known.limits import needs_number
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.staging import is_array_like
from autograph.runtime.tracing.variables import UNSET, CellVariable, Variable
from autograph.runtime.values.kinds import is_value, open_container
from autograph.runtime.values.locations import CellLocation, ContentsLocation
from autograph.runtime.values.merge import Merged, Mismatch, Node, Same, Slot, Template, fill
from autograph.runtime.values.writes import Written


class Grown:
    """The lists to which each iteration of one loop appends the same number of values of the same types.

    An object that an iteration makes and appends is built anew for each iteration, with the contents that it had when the
    iteration was over: an object that several of the appended values lead to stays one object. Anything else is one object that all
    iterations append.

    Attributes:
        leaves: the values of the trace that become outputs of the `scan`.
        masks: of those of them that some iterations append only, by their number: in which (`conditional_appends`).
        unknown: the list of which that is not known in each iteration.
    """

    def __init__(self) -> None:
        self.leaves: list[Any] = []
        self.masks: dict[int, Any] = {}
        self.unknown: Written | None = None
        self._known: list[KnownTracer] = []
        self._written: list[tuple[Written, list[Any]]] = []
        self._lists: list[tuple[ContentsLocation, list[Any], list[tuple[Template | _Rows, Any]]]] = []
        self._nodes: dict[int, Template | None] = {}

    def __bool__(self) -> bool:
        return bool(self._written or self._lists)

    def takes(self, written: Written) -> bool:
        """Notes what an iteration wrote to such a list; False where it did more than append."""
        before, after = written.before, written.after
        if len(after) < len(before) or any(x is not y for x, y in zip(before, after)):
            return False
        added = range(len(before), len(after))
        tests = [after[k].test if type(after[k]) is AppendedIf else None for k in added]
        for k in added:
            after[k] = after[k].value if type(after[k]) is AppendedIf else after[k]
        self._written.append((written, tests))
        return True

    def appended(self) -> list[Any]:
        """What the iteration appended."""
        return [value for w, _ in self._written for value in w.after[len(w.before) :]]

    def open(self, made: Made, aliases: LoopAliases, level: Level | None) -> None:
        """Opens the appended objects, which hold their contents of the end of the iteration now."""
        for w, tests in self._written:
            name, templates = w.location.name, list[tuple[Template | _Rows, Any]]()
            added = w.after[len(w.before) :]
            for x, test in zip(added, tests, strict=True) if level is None else _with_rows_together(added, tests):
                count, mask = len(self.leaves), None if test is None else iterations_with(test, level)
                if type(x) is _Rows:
                    self.leaves.append(x.array)
                    templates.append((_Rows(count), mask))
                    continue
                templates.append((self._open(x, made, aliases, (w.location.key, name), name), mask))
                if mask is not None:
                    self.masks |= dict.fromkeys(range(count, len(self.leaves)), mask)
                elif test is not None:
                    self.unknown = w
            self._lists.append((w.location, w.before, templates))
        self._written, self._nodes = [], {}

    def _open(self, value: Any, made: Made, aliases: LoopAliases, key: tuple[Any, ...], path: str) -> Template:
        if is_array_like(value) and type(value) not in NUMBERS:
            if type(value) is KnownTracer and value.row is not None:
                self._known.append(value)
                return Slot(-len(self._known))
            self.leaves.append(value)
            return Slot(len(self.leaves) - 1)
        opened = open_container(value) if is_value(value) else made.open(value, path)
        if opened is None:
            if context.progress.is_tried and isinstance(value, FunctionType | TracedString):
                raise needs_number("a function or a string that each iteration makes is kept")
            return Same(value)
        if id(value) not in self._nodes:
            self._nodes[id(value)] = None
            array = stacked_rows.cut_from(value) if type(value) is list else None
            if array is not None:  # the rows of a loop inside, say
                opened = [array], list, [""], lambda made: stacked_rows.rows(made[0])
            parts = zip(opened[0], opened[2], strict=True)
            node = Node(opened[3], [self._open(x, made, aliases, (*key, len(self._nodes)), path + s) for x, s in parts])
            self._nodes[id(value)] = node
            if not is_value(value):
                aliases.appends((*key, id(node)), value, node, path)
        known = self._nodes[id(value)]
        if known is None:
            raise Mismatch(path, UNSET, value, "it contains itself")
        return known

    def release(self) -> None:
        """Forgets the values of the trace that ends now."""
        self.leaves = []

    def write(
        self, stacked: Sequence[Any], length: Any, reverse: bool, aliases: LoopAliases, variables: Sequence[Variable]
    ) -> tuple[list[Merged], dict[int, Any]]:
        """Appends the values of all iterations, in the order in which they ran.

        Returns:
            the containers that were built and may stand for another one, and those that the last iteration appended and
            the loop leaves elsewhere as well, by the node of that slot.
        """
        if not self._lists:
            return [], {}
        if sizes.is_size(length):
            self._write_open(stacked, length, reverse, variables)
            return [], {}
        iterations: Sequence[int] = range(length)[::-1] if reverse else range(length)
        single = self._only_template()
        columns: list[Any] = [() if type(single) is _Rows else stacked_rows.rows(ys) for ys in stacked]
        for k, mask in self.masks.items():
            left = iter(columns[k])
            columns[k] = [next(left) if is_there else None for is_there in mask][:: -1 if reverse else 1]
        columns += [
            column_of(x, length)[:: -1 if reverse else 1] for x in reversed(self._known)
        ]  # Slot(-1) is the first
        merged: list[Merged] = []
        built: dict[int, Any] = {}
        appended: list[list[Any]] = [[] for _ in self._lists]
        if type(single) is _Rows:
            ys = lax.rev(stacked[single.array], (0,)) if reverse else stacked[single.array]
            appended[0] += stacked_rows.rows(lax.collapse(ys, 0, 2))
            iterations = ()
        elif type(single) is Slot:  # thousands of iterations may append one number each
            appended[0] += map(columns[single.index].__getitem__, iterations)
            iterations = ()
        for index, iteration in enumerate(iterations):
            row, built = [column[iteration] for column in columns], {} if index else dict(aliases.first)
            for values, (_, _, templates) in zip(appended, self._lists, strict=True):
                for x in (x for x, mask in templates if mask is None or mask[index]):
                    values += stacked_rows.rows(row[x.array]) if type(x) is _Rows else [fill(x, row, built)]
            merged += aliases.merged_of_iteration(built)
        for values, (location, before, _) in zip(appended, self._lists, strict=True):
            journal.touch_location(location)
            location.set(before + values)
        return merged, aliases.left_elsewhere(built)

    def _write_open(self, stacked: Sequence[Any], length: Any, reverse: bool, variables: Sequence[Variable]) -> None:
        """`write` where the number of iterations is a size that is not known: the variables get lists of that length."""
        stacked = [lax.rev(ys, (0,)) if reverse else ys for ys in stacked]
        for location, before, templates in self._lists:
            leaves = [placeholder(kind._replace(shape=kind.shape[1:], weak=False)) for kind in map(type_of, stacked)]
            if len(templates) != 1:
                raise Mismatch(location.name, before, before, "an iteration appends more than one element")
            grown = BoundedList.of(before)
            template = templates[0][0]
            assert type(template) is not _Rows  # of counted loops only
            grown.extend_by(fill(template, leaves), dict(zip(map(id, leaves), stacked, strict=True)), length)
            for variable in variables:
                if variable.get() is location.obj:
                    if isinstance(variable, CellVariable):
                        journal.touch_location(CellLocation(variable.name, variable.cell))
                    variable.set(grown)

    def _only_template(self) -> Any:
        """Finds what is appended, where each iteration appends one value of the trace, or rows, to one list and nothing else."""
        pairs = [pair for _, _, templates in self._lists for pair in templates]
        is_one = len(pairs) == 1 and pairs[0][1] is None and (type(pairs[0][0]) is _Rows or type(pairs[0][0]) is Slot)
        return pairs[0][0] if is_one else None


@final
@dataclass(slots=True)
class _Rows:
    """All the rows of an array, or of the output of this number, appended one after the other."""

    array: Any


def _with_rows_together(elements: list[Any], tests: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Pairs appended elements with their tests; where they are the rows of a loop inside, these together."""
    k = 0
    while k < len(elements):
        count = stacked_rows.count_of(elements[k])
        array = stacked_rows.cut_from(elements[k : k + count]) if count > 1 else None
        if array is None or any(test is not None for test in tests[k : k + count]):
            count = 1
        yield (elements[k] if count == 1 else _Rows(array)), tests[k]
        k += count


def alone(lists: Sequence[Variable]) -> set[int]:
    """The ids of those of the variables' values that are lists which nothing but the variable refers to."""
    sizes.drop_exceptions()
    found: set[int] = set()
    for variable in lists:
        held = [variable.get()]
        if type(held[0]) is list and sharing.references_outside(held, 0) - _noted(held[0]) == 1:
            found.add(id(held[0]))
    return found


def _noted(container: list[Any]) -> int:
    """How many references to a list the notes of writes hold."""
    regions = context.open_regions()
    return outliving.references(container) + sum(id(container) in region.entries for region in regions)
