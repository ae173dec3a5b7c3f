"""Groups of variables that decide one another in a loop, and the numbers that Python computes of each group.

>>> from autograph.runtime.carry.slots import Leaf
>>> from autograph.runtime.tracing.array_types import type_of
>>> from autograph.runtime.tracing.known.number import opened
>>> loop, n = Level(5), Leaf((0,), "n", 27, type_of(27))
>>> n.known = opened(27, None, loop)
>>> pending = [Pending(n, None, n.known // 2, (0,), "n")]
>>> [group] = groups_of(pending, {}, {id(n.known): n})
>>> [series] = outcomes_of(loop, group)
>>> series.row.values.tolist(), series.last
([27, 13, 6, 3, 1], 0)
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

from autograph.runtime.carry.slots import Leaf
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known import emission, evaluation, limits, recurrences
from autograph.runtime.tracing.known.evaluation import NotKnown, Row, TooMany
from autograph.runtime.tracing.known.levels import Level, position_in
from autograph.runtime.tracing.known.number import (
    KnownTracer,
    bounded,
    is_open_number,
    kind_of,
    made,
    of_kind,
    open_variables,
    runs_in,
    stepping,
)
from autograph.runtime.tracing.known.step_functions import ends_of, outline


class Bounds(NamedTuple):
    """Describes an int or a bool with too many numbers to hold: the loop carries it, if the program's integers hold them.

    Attributes:
        low, high: the least and the greatest number.
        outline: describes the computation of the next number (`step_functions.outline`). An attempt that shows another is refused.
    """

    low: int
    high: int
    outline: Any


class Series(NamedTuple):
    """The numbers that a variable holds in the iterations of a loop.

    Attributes:
        init: its number before the loop.
        row: its number at the beginning of each iteration; where there are too many, the int by which it grows, its `Bounds`, or
            the error that says so; or one known number of a loop around.
        last: its number behind the loop, or a row over the iterations of the loops around.
    """

    init: Any
    row: Any
    last: Any

    def number(self, level: Level, init: Any, tracer: Any) -> Any:
        """Returns the known number of an iteration.

        Args:
            init: the number before the loop; that of another attempt has other values in the program.
            tracer: of the variable, if the loop carries it.
        """
        if type(self.row) is int:
            return stepping(init, self.row, level)
        if type(self.row) is Bounds:
            return bounded(init, self.row[:2], tracer, level)
        return made(self.row, level) if type(self.row) is Row else init


class Pending(NamedTuple):
    """A leaf that an iteration left a known number in, and the arguments of the comparison that is put off."""

    leaf: Leaf
    template: Any
    out: Any
    key: tuple[Any, ...]
    path: str


class Group(NamedTuple):
    """Variables that are computed together: those that an equal set of variables decides.

    Attributes:
        results: their leaves.
        leaves, nexts: of all variables in the set, the results first, and what an iteration leaves in each.
    """

    results: list[Pending]
    leaves: list[Leaf]
    nexts: list[Any]


def groups_of(pending: list[Pending], staying: dict[int, Leaf], opens: dict[int, Leaf]) -> list[Group]:
    """Divides the open leaves by the variables that decide them."""
    of = {id(p.leaf.known): p for p in pending if is_open_number(p.leaf.known)}
    direct: dict[int, set[int]] = {key: open_variables(p.out).keys() & opens.keys() for key, p in of.items()}
    sets: dict[frozenset[int], list[int]] = {}
    for key in of:
        needed, found = {key}, [key]
        while found:
            more = direct.get(found.pop(), set()) - needed
            needed |= more
            found += more
        sets.setdefault(frozenset(needed), []).append(key)
    groups = []
    for together, keys in sets.items():
        every = [*keys, *(key for key in of if key in together and key not in keys)]
        unchanged = [staying[key] for key in staying if key in together]
        leaves, nexts = [of[key].leaf for key in every], [of[key].out for key in every]
        groups.append(Group([of[key] for key in keys], leaves + unchanged, nexts + [leaf.known for leaf in unchanged]))
    return groups


def outcomes_of(level: Level, group: Group) -> Sequence[Any]:
    """Returns the `Series` of each result; or its function and operands, for a loop around; or None where the loop carries it."""
    variables, step = [leaf.known for leaf in group.leaves], _growth(group)
    if step is not None and is_open_number(group.leaves[0].init):
        return [(operator.add, (group.leaves[0].init, _total(level, step)))]
    try:
        after = [recurrences.until_the_end(level, *both) for both in zip(variables, group.nexts, strict=True)]
        group = group._replace(nexts=after)
        own = set(map(id, variables))
        around = {key: x for out in group.nexts for key, x in open_variables(out).items() if key not in own}
        if around or any(is_open_number(leaf.init) for leaf in group.leaves):
            return _folds(level, group, variables, around)
        inits = _starts(group)
        if any(init is None for init in inits):  # there are too many iterations around
            raise TooMany(f"there are more than {evaluation.MOST_CELLS:,} iterations")
        rows, lasts = recurrences.run_ahead(level, variables, inits, group.nexts)
    except NotKnown as reason:
        if type(reason) is not TooMany:
            return _given_up(level, group, reason)
        if step is not None:
            init = group.leaves[0].init
            return [Series(init, step, after_growth(level, init, step))]
        return (_given_up if level.is_lenient else _ends)(level, group, reason)
    return [Series(leaf.init, row, last) for leaf, row, last in zip(group.leaves, rows, lasts, strict=True)]


def _start(leaf: Leaf) -> Any:
    """Returns what a variable holds before a loop, of the class that it has in the iterations: an int may become a float."""
    is_same = kind_of(leaf.init) is kind_of(leaf.known)
    return leaf.init if is_same else of_kind(kind_of(leaf.known), leaf.init)


def _starts(group: Group) -> list[Any]:
    """Returns the numbers before a loop, rows over the loops around, and None where there are too many."""
    return [x.row if type(x) is KnownTracer else x for x in map(_start, group.leaves)]


def _ends(level: Level, group: Group, reason: TooMany) -> Sequence[Any]:
    """Returns the `Series` of numbers that are too many to hold them all: those behind the loop, and their bounds.

    Raises:
        StagingError: they take too long, or loops around decide them that have not ended.
    """
    inits = _starts(group)
    if any(init is None for init in inits):
        return _given_up(level, group, reason)
    try:
        lasts, bounds = ends_of(level, [leaf.known for leaf in group.leaves], inits, group.nexts, runs_in)
    except NotKnown as why:
        return _given_up(level, group, why if type(why) is TooMany else reason)
    held = [
        Bounds(*both, outline(out, {id(one.known): one.key for one in group.leaves}))
        if leaf.known.kind in (int, bool) and emission.fits_program(both)
        else reason
        for leaf, out, both in zip(group.leaves, group.nexts, bounds, strict=True)
    ]
    return [Series(leaf.init, row, last) for leaf, row, last in zip(group.leaves, held, lasts, strict=True)]


def after_growth(level: Level, init: Any, step: int) -> Any:
    """Returns what a variable that grows evenly holds behind a loop: a number, or a row over the iterations of loops around."""
    last = init + _total(level, step)
    return last.row if type(last) is KnownTracer and last.row is not None else last


def _total(level: Level, step: int) -> Any:
    """Returns by how much a variable that grows evenly has grown behind a loop: an int, or a known number of the loops around."""
    return step * level.length if level.lengths is None else made(Row(step * level.lengths, int), level.parent)


def _given_up(level: Level, group: Group, reason: NotKnown) -> list[Any]:
    """Has the loop carry the results, where it is not tried, and not too long.

    Raises:
        StagingError: it is.
    """
    if type(reason) is TooMany and not level.is_lenient:
        raise too_many_of_group(group, reason) from None
    if progress.is_tried:
        raise limits.needs_number(_what(group, reason)) from None
    return [None] * len(group.results)


def too_many_of_group(group: Group, reason: TooMany) -> Exception:
    """Makes the error for a group of variables whose numbers are too many."""
    kinds = [kind_of(leaf.known) for leaf in group.leaves]
    kind = next((kind for kind in (float, int) if kind in kinds), bool)
    return limits.too_many(_what(group, reason), limits.by_array(kind))


def _what(group: Group, reason: NotKnown) -> str:
    return f"{group.results[0].path!r} is not known in each iteration: {reason}"


def _growth(group: Group) -> int | None:
    """Returns by how much the only variable of a group grows in each iteration; None where it does not grow evenly."""
    return recurrences.growth(group.leaves[0].known, group.nexts[0]) if len(group.leaves) == 1 else None


def _folds(level: Level, group: Group, variables: list[Any], around: dict[int, Any]) -> list[Any]:
    """Returns the functions, with their operands, that give variables behind a loop which depend on open numbers of one around."""
    alone, depths = recurrences.loops_around(level, group.nexts)
    around = around | {id(x): x for x in alone}
    chain = level.chain()
    inits = [*map(_start, group.leaves), *around.values(), *(position_in(chain[depth]) for depth in depths)]
    every, nexts = [*variables, *around.values()], [*group.nexts, *around.values()]
    return [(recurrences.Fold(level, every, nexts, which, depths), inits) for which in range(len(group.results))]
