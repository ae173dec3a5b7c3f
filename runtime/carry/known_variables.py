"""Variables of a loop that are computed from known numbers alone: a counter, `t += dt`. They are not part of the compiled loop.

A variable that holds a Python number before the loop is an open number (`KnownTracer`) in the iteration. The end of the iteration
shows what the variable was computed from:

| the iteration leaves in the variable | then |
| --- | --- |
| a number, computed from known numbers and from such variables | Python computes it for all iterations (`recurrences`) |
| the same, and the program was given the variable | the iteration is traced once more, with its numbers known |
| the same, but too many to hold them all | the loop carries an int within bounds that Python has computed (`variable_groups`) |
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

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from autograph import verbosity
from autograph.runtime.carry import known_kinds
from autograph.runtime.carry.slots import Leaf
from autograph.runtime.carry.variable_groups import (
    Bounds,
    Group,
    Pending,
    Series,
    after_growth,
    groups_of,
    outcomes_of,
    too_many_of_group,
)
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known import emission, limits, recurrences
from autograph.runtime.tracing.known.evaluation import Row, TooMany, may_be_known, row_of
from autograph.runtime.tracing.known.levels import Level
from autograph.runtime.tracing.known.number import (
    KnownTracer,
    bounds_of,
    is_open_number,
    kind_of,
    made,
    of_kind,
    open_variables,
    opened,
    standing_for,
    value_of,
)
from autograph.runtime.tracing.known.step_functions import outline


def numbers_for(carry: Any, tracers: Sequence[Any]) -> list[Any]:
    """Returns the values of an iteration for the leaves of a carry: their tracers, or known numbers instead."""
    found, may_be = list(tracers), carry.assumptions.is_counted and not carry.assumptions.is_traced
    carry.has_known = False
    if may_be:
        carry.level.mixes_floats = carry.assumptions.mixes_floats
    for index, leaf in enumerate(carry.leaves):
        leaf.known, leaf.before = None, leaf.init
        kind = type(leaf.init)
        if not may_be or not (kind is KnownTracer or may_be_known(kind)):
            continue
        assumed = carry.assumptions.slots[leaf.key]
        if assumed.becomes_numpys:
            leaf.init = of_kind(np.float64, leaf.init)
        elif kind is float and not leaf.type.weak:
            continue
        if not _is_alike(leaf):
            continue
        series = assumed.series
        if series is False or assumed.doubtful:
            continue
        if series is not None and _same(series.init, leaf.init):
            leaf.known = series.number(carry.level, leaf.init, tracers[index])
        else:
            init = leaf.init
            if kind_of(init) is int and leaf.type.dtype.kind == "f":  # the loop carries a float
                init = of_kind(float, init)
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
    becomes_float = kind is int and type_.dtype == emission.aval_of(float).dtype
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
    pending = _of_known_alone(carry, comparison, pending, staying, opens)
    changed = known_kinds.new_kinds(carry, pending)
    is_mixed = carry.level.mixes_floats and not carry.assumptions.mixes_floats
    if changed or is_mixed:
        carry.assumptions.mixes_floats = carry.level.mixes_floats
        for p in changed:
            _demote(carry, comparison, p)
        return True
    computed: list[tuple[Group, Sequence[Series]]] = []
    for group in groups_of(pending, staying, opens):
        found = outcomes_of(carry.level, group)
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
        is_used = any(leaf.known is not None and leaf.known.is_used for leaf in group.leaves)
        for p, series in zip(group.results, found, strict=False):
            p.leaf.init = _behind(series.last, carry.level)
            if isinstance(series.row, TooMany) and p.leaf.known.is_used:
                raise too_many_of_group(group, series.row)
            if moved and (is_used or not isinstance(series.row, Bounds | TooMany)):  # what nobody uses is not carried
                carry.assumptions.slots[p.leaf.key].series = series
    for p in pending:
        if p.leaf.known is not None and not is_open_number(p.leaf.known):
            moved = not _goes_on(carry, comparison, p) or moved
    if moved:
        _repeat(carry, staying.values())
    left = opens.keys() - staying.keys() - {id(p.leaf.known) for group, _ in computed for p in group.results}
    if any(open_variables(x).keys() & left for x in carry.level.impossible):
        if progress.is_tried:
            raise limits.needs_number("the program has no form of a number")
        carry.assumptions.is_traced = moved = True  # so that the reason comes out
    if verbosity.level > 1:
        carry.level.names += [p.leaf.path for p in pending if p.leaf.known is not None]
    changing = {id(p.leaf) for p in pending}
    for leaf in may_be:
        if leaf.invariant and id(leaf) not in changing:
            leaf.init = leaf.before  # Python's, also where it was taken for NumPy's
    return moved


def _of_known_alone(
    carry: Any, comparison: Any, pending: list[Pending], staying: dict[int, Leaf], opens: dict[int, Leaf]
) -> list[Pending]:
    """Returns those leaves which known numbers alone feed; the others are carried."""
    while True:
        settled = staying.keys() | {id(p.leaf.known) for p in pending}
        stays = [not open_variables(p.out).keys() & opens.keys() - settled for p in pending]
        for p, known in zip(pending, stays, strict=True):
            if not known:
                _demote(carry, comparison, p)
        if all(stays):
            return pending
        pending = [p for p, known in zip(pending, stays, strict=True) if known]


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


def behind(leaf: Leaf, result: Any) -> Any:
    """Returns what stands for the result of a loop: the number that is known, or an open number, which a loop around may know."""
    if leaf.fold is None:
        return result if leaf.last is None else leaf.last
    return standing_for(result, *leaf.fold)


def _demote(carry: Any, comparison: Any, p: Pending) -> None:
    """Carries a leaf like any other."""
    if not is_open_number(p.leaf.known):
        carry.assumptions.slots[p.leaf.key].series = False
        comparison.moved = True
    p.leaf.known, p.leaf.invariant = None, False
    value_of(p.out)
    comparison.carry_leaf(p.template, p.out, p.key, p.path)


def _goes_on(carry: Any, comparison: Any, p: Pending) -> bool:
    """Whether an iteration, traced with the numbers of a leaf, leaves in it those of the next one."""
    assumed = carry.assumptions.slots[p.leaf.key]
    series: Series = assumed.series
    if type(series.row) is Bounds and not open_variables(p.out):
        names = {id(leaf.known): leaf.key for leaf in carry.leaves}
        if not emission.fits_program(bounds_of(p.out)) or outline(p.out, names) != series.row.outline:
            raise limits.too_many(f"{p.path!r} is not known in each iteration", limits.by_array(p.leaf.known.kind))
        value_of(p.out)
        comparison.carry_leaf(p.template, p.out, p.key, p.path)
        p.leaf.last = _behind(series.last, carry.level)
        return True
    if open_variables(p.out):  # a loop around decides it, which was seen to write an attribute, say, only after that
        assumed.series = None
        return False
    if not _follows(series, p.leaf.known, p.out, carry.level):
        if progress.is_tried:
            raise limits.needs_number(f"{p.path} is not known in each iteration")
        assumed.series = False
        return False
    # What has no row is a number of one attempt, with its values in the program.
    last = after_growth(carry.level, p.leaf.init, series.row) if type(series.row) is int else series.last
    p.leaf.init = _behind(last, carry.level)
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
