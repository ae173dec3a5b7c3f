"""Variables of a loop that are computed from known numbers alone: a counter, `t += dt`. They are not part of the compiled loop.

A variable that holds a Python number before the loop is an open number (`KnownTracer`) in the iteration. The end of the iteration
shows what the variable was computed from:

| the iteration leaves in the variable | then |
| --- | --- |
| a number, computed from known numbers and from such variables | Python computes it for all iterations (`recurrences`) |
| the same, and the program was given the variable | the iteration is traced once more, with its numbers known |
| a traced value | the loop carries it; the trace is the same as if the variable had not been open |

After the loop, a variable that Python computed holds a Python number again.

>>> import jax, jax.numpy as jnp, autograph as ag
>>> @jax.jit
... @ag.convert
... def f(x):
...     count, t = 0, 0.0
...     for i in ag.range(1000):
...         x = x + t
...         count, t = count + (i % 3 == 0), t + 0.1
...     return x, jnp.zeros(count), t
>>> x, zeros, t = f(0.0)
>>> len(zeros), float(t)
(334, 100.0)
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph import verbosity
from autograph.runtime.carry import known_kinds
from autograph.runtime.carry.slots import Leaf
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known import emission, limits, recurrences
from autograph.runtime.tracing.known.evaluation import NotKnown, Row, TooMany, may_be_known, row_of
from autograph.runtime.tracing.known.levels import Level, position_in
from autograph.runtime.tracing.known.limits import needs_number
from autograph.runtime.tracing.known.number import (
    KnownTracer,
    is_open_number,
    kind_of,
    made,
    of_numpy,
    open_variables,
    opened,
    standing_for,
    stepping,
    value_of,
)


class Series(NamedTuple):
    """The numbers that a variable holds in the iterations of a loop.

    Attributes:
        init: its number before the loop.
        row: its number at the beginning of each iteration; or the int by which it grows, where there are too many; or one known
            number of a loop around.
        last: its number behind the loop, or a row over the iterations of the loops around.
    """

    init: Any
    row: Any
    last: Any

    def number(self, level: Level) -> Any:
        """Returns the known number of an iteration."""
        if type(self.row) is int:
            return stepping(self.init, self.row, level)
        return made(self.row, level) if type(self.row) is Row else self.row


class Pending(NamedTuple):
    """A leaf that an iteration left a known number in, and the arguments of the comparison that is put off."""

    leaf: Leaf
    template: Any
    out: Any
    key: tuple[Any, ...]
    path: str


def numbers_for(carry: Any, tracers: Sequence[Any]) -> list[Any]:
    """Returns the values of an iteration for the leaves of a carry: their tracers, or known numbers instead."""
    found, may_be = list(tracers), carry.assumptions.is_counted and not carry.assumptions.is_traced
    carry.has_known = False
    for index, leaf in enumerate(carry.leaves):
        leaf.known = None
        kind = type(leaf.init)
        if not may_be or not (kind is KnownTracer or may_be_known(kind)):
            continue
        assumed = carry.assumptions.slots[leaf.key]
        if assumed.becomes_numpys:
            leaf.init = of_numpy(leaf.init)
        elif kind is float and not leaf.type.weak:
            continue
        if not _is_alike(leaf):
            continue
        series = assumed.series
        if series is False or assumed.doubtful:
            continue
        if series is not None and _same(series.init, leaf.init):
            leaf.known = series.number(carry.level)
        else:
            init = leaf.init
            if type(init) is int and leaf.type.dtype.kind == "f":  # the loop carries a float
                init = float(init)
            leaf.known = opened(init, tracers[index], carry.level)
        found[index], carry.has_known = leaf.known, True
    return found


def _is_alike(leaf: Leaf) -> bool:
    """Whether the loop carries a number as its class says, or a float instead of an int."""
    type_, kind = leaf.type, type(leaf.init)
    kind = leaf.init.kind if kind is KnownTracer else kind
    if type_.shape or leaf.path.startswith("the loop "):
        return False
    is_alike = type_.dtype == emission.aval_of(kind).dtype
    if issubclass(kind, np.generic):
        return is_alike and not type_.weak
    becomes_float = type(leaf.init) is int and type_.dtype == emission.aval_of(float).dtype
    return bool((is_alike or becomes_float) and (type_.weak or kind is bool))


def may_stay(out: Any) -> bool:
    """Whether a leaf that may be known was left a number that may be."""
    return type(out) is KnownTracer or may_be_known(type(out))


def settle(carry: Any, comparison: Any) -> bool:
    """Finds which of the leaves that hold a known number after an iteration are known; whether it must be traced again."""
    may_be = [leaf for leaf in carry.leaves if leaf.known is not None]
    outs = [leaf.out for leaf in (*carry.leaves, *comparison.first_bound)]
    for x in (*outs, *carry.grown.leaves):
        if type(x) is KnownTracer:
            value_of(x)  # the results of the iteration are values of the program
    pending: list[Pending] = comparison.pending
    if not (pending or carry.level.impossible or any(leaf.invariant for leaf in may_be)):
        return False
    carried: list[tuple[Pending, Any]] = []
    opens = {id(leaf.known): leaf for leaf in carry.leaves if is_open_number(leaf.known)}
    staying = {key: leaf for key, leaf in opens.items() if leaf.invariant and all(p.leaf is not leaf for p in pending)}
    while True:
        settled = staying.keys() | {id(p.leaf.known) for p in pending}
        stays = [not open_variables(p.out).keys() & opens.keys() - settled for p in pending]
        for p, known in zip(pending, stays, strict=True):
            if not known:
                _demote(carry, comparison, p)
        if all(stays):
            break
        pending = [p for p, known in zip(pending, stays, strict=True) if known]
    if changed := known_kinds.becoming_numpys(carry, pending):
        for p in changed:
            _demote(carry, comparison, p)
        return True
    computed: list[tuple[Group, Sequence[Series]]] = []
    for group in _groups(pending, staying, opens):
        found = _outcomes(carry.level, group)
        if type(found[0]) is Series:
            computed.append((group, found))
        else:
            carried += zip(group.results, found, strict=True)
    for p, fold in carried:
        _demote(carry, comparison, p)
        p.leaf.fold = fold
    # Only now it is known which numbers the program was given.
    moved = any(leaf.known.is_used and not is_open_number(leaf.init) for leaf in staying.values())
    moved = moved or any(leaf.known.is_used for group, _ in computed for leaf in group.leaves if leaf.known is not None)
    for group, found in computed:
        for p, series in zip(group.results, found, strict=False):
            p.leaf.init = _behind(series.last, carry.level)
            if moved:
                carry.assumptions.slots[p.leaf.key].series = series
    for p in pending:
        if p.leaf.known is not None and not is_open_number(p.leaf.known):
            moved = not _goes_on(carry, p) or moved
    if moved:
        _repeat(carry, staying.values())
    left = opens.keys() - staying.keys() - {id(p.leaf.known) for group, _ in computed for p in group.results}
    if any(open_variables(x).keys() & left for x in carry.level.impossible):
        if progress.is_tried:
            raise needs_number("the program has no form of a number")
        carry.assumptions.is_traced = moved = True  # so that the reason comes out
    if verbosity.level > 1:
        carry.level.names += [p.leaf.path for p in pending if p.leaf.known is not None]
    return moved


def _repeat(carry: Any, staying: Iterable[Leaf]) -> None:
    """Prepares the attempt in which the numbers of the variables are known: also of those that no iteration changes."""
    carry.count()
    for leaf in carry.leaves:
        assumed = carry.assumptions.slots[leaf.key]
        if kind_of(leaf.init) is float and assumed.type is not None and not assumed.type.weak:
            assumed.becomes_numpys = True  # loops inside may have carried it, which count their iterations now
    for leaf in staying:
        assumed = carry.assumptions.slots[leaf.key]
        if type(leaf.init) is not KnownTracer:
            assumed.static = True
        else:
            row = leaf.init.row or leaf.init
            assumed.series = Series(leaf.init, row, row)


def _behind(last: Any, level: Level) -> Any:
    """Returns a number behind a loop, which may be a row over the iterations of the loops around."""
    return made(last, level.parent) if type(last) is Row else last


class Group(NamedTuple):
    """Variables that are computed together: those that an equal set of variables decides.

    Attributes:
        results: their leaves.
        leaves, nexts: of all variables in the set, the results first, and what an iteration leaves in each.
    """

    results: list[Pending]
    leaves: list[Leaf]
    nexts: list[Any]


def _groups(pending: list[Pending], staying: dict[int, Leaf], opens: dict[int, Leaf]) -> list[Group]:
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


def _outcomes(level: Level, group: Group) -> Sequence[Any]:
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
        inits = [leaf.init.row if type(leaf.init) is KnownTracer else leaf.init for leaf in group.leaves]
        rows, lasts = recurrences.run_ahead(level, variables, inits, group.nexts)
    except NotKnown as reason:
        if type(reason) is TooMany and step is not None:
            init = group.leaves[0].init
            last = init + _total(level, step)
            return [Series(init, step, last.row if type(last) is KnownTracer and last.row is not None else last)]
        return _given_up(level, group, reason)
    return [Series(leaf.init, row, last) for leaf, row, last in zip(group.leaves, rows, lasts, strict=True)]


def _total(level: Level, step: int) -> Any:
    """Returns by how much a variable that grows evenly has grown behind a loop: an int, or a known number of the loops around."""
    return step * level.length if level.lengths is None else made(Row(step * level.lengths, int), level.parent)


def _given_up(level: Level, group: Group, reason: NotKnown) -> list[Any]:
    """Has the loop carry the results, where it is not tried, and not too long."""
    what = f"{group.results[0].path!r} is not known in each iteration: {reason}"
    if type(reason) is TooMany and not level.is_lenient:
        kinds = [kind_of(leaf.known) for leaf in group.leaves]
        kind = next((kind for kind in (float, int) if kind in kinds), bool)
        raise limits.too_many(what, limits.by_array(kind)) from None
    if progress.is_tried:
        raise needs_number(what) from None
    return [None] * len(group.results)


def _growth(group: Group) -> int | None:
    """Returns by how much the only variable of a group grows in each iteration; None where it does not grow evenly."""
    return recurrences.growth(group.leaves[0].known, group.nexts[0]) if len(group.leaves) == 1 else None


def _folds(level: Level, group: Group, variables: list[Any], around: dict[int, Any]) -> list[Any]:
    """Returns the functions, with their operands, that give variables behind a loop which depend on open numbers of one around."""
    alone, depths = recurrences.loops_around(level, group.nexts)
    around = around | {id(x): x for x in alone}
    chain = level.chain()
    inits = [*(leaf.init for leaf in group.leaves), *around.values(), *(position_in(chain[depth]) for depth in depths)]
    every, nexts = [*variables, *around.values()], [*group.nexts, *around.values()]
    return [(recurrences.Fold(level, every, nexts, which, depths), inits) for which in range(len(group.results))]


def behind(fold: tuple[Any, Any], result: Any) -> Any:
    """Returns the open number that stands for the result of a loop, which a loop around may know, by its function and operands."""
    return standing_for(result, *fold)


def _demote(carry: Any, comparison: Any, p: Pending) -> None:
    """Carries a leaf like any other."""
    if not is_open_number(p.leaf.known):
        carry.assumptions.slots[p.leaf.key].series = False
        comparison.moved = True
    p.leaf.known, p.leaf.invariant = None, False
    value_of(p.out)
    comparison.carry_leaf(p.template, p.out, p.key, p.path)


def _goes_on(carry: Any, p: Pending) -> bool:
    """Whether an iteration, traced with the numbers of a leaf, leaves in it those of the next one."""
    assumed = carry.assumptions.slots[p.leaf.key]
    series: Series = assumed.series
    if open_variables(p.out) or not _follows(series, p.leaf.known, p.out, carry.level):
        if progress.is_tried:
            raise needs_number(f"{p.path} is not known in each iteration")
        assumed.series = False
        return False
    p.leaf.init = _behind(series.last, carry.level)
    return True


def _follows(series: Series, known: Any, out: Any, level: Level) -> bool:
    if type(series.row) is int:
        return recurrences.growth(known, out) == series.row
    after, last = (row_of([x], ()) if may_be_known(type(x)) else x for x in (out, series.last))
    after = after.row if type(after) is KnownTracer else after
    if after is None or not after.kind is series.row.kind is last.kind:
        return False
    shapes = [series.row.values.shape, after.values.shape, (1, *last.values.shape), (level.length, *[1] * level.depth)]
    shape = np.broadcast_shapes(*shapes, np.shape(level.inside))
    ends, starts = (np.broadcast_to(row.values, shape) for row in (after, series.row))
    if level.inside is not None:
        ends = np.where(level.inside, ends, starts)
    return _equal(ends[:-1], starts[1:]) and _equal(ends[-1:], np.broadcast_to(last.values, (1, *shape[1:])))


def last_number(carry: Any, out: Any) -> Any:
    """Returns the last number that iterations leave in a variable that they bind first; `NotImplemented` where it is not known."""
    if not carry.assumptions.is_counted or carry.level is None or not may_be_known(kind_of(out)):
        return NotImplemented
    if type(out) is not KnownTracer:
        return out
    if out.row is None:
        return NotImplemented
    if carry.level.lengths is not None and carry.level.lengths.min() < 1:
        return NotImplemented
    values = out.row.values
    return made(Row(carry.level.last(values), out.kind), carry.level.parent) if values.ndim > carry.level.depth else out


def _equal(a: Any, b: Any) -> bool:
    """Whether two arrays hold the same numbers, also in sign and where they are no numbers."""
    if a.dtype.kind == "f" and b.dtype.kind == "f":
        return a.tobytes() == b.tobytes()
    return bool((a == b).all())


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if type(a) is KnownTracer and type(b) is KnownTracer:
        if a.row is None or b.row is None or a.kind is not b.kind or a.row.values.shape != b.row.values.shape:
            return False
        return _equal(a.row.values, b.row.values)
    return type(a) is type(b) and type(a) is not KnownTracer and repr(a) == repr(b)
