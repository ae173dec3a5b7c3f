"""`for` loops: Python's own over Python iterables; `lax.scan` or `lax.while_loop` over traced arrays and staged ranges.

>>> import jax, jax.numpy as jnp
>>> def total(xs):
...     s = 0.0
...     def loop_body(x):
...         nonlocal s
...         s = s + x
...     for_loop(xs, loop_body, lambda: (s,))
...     return s
>>> total([1.0, 2.0]), float(jax.jit(total)(jnp.array([1.0, 2.0])))
(3.0, 3.0)
>>> [str(e.primitive) for e in jax.make_jaxpr(total)(jnp.ones(5)).eqns]
['scan']

| iterable | no jump flags | with jump flags (`test`) |
| --- | --- | --- |
| Python's | Python iterates | Python iterates until a flag is traced; then a `while` (over a `range`) or one `cond` per item |
| traced array, range of known length | `scan` (differentiable in reverse) | `while` with an index: it stops when the flag is set |
| range of traced length | `while` | `while` |

Where the first turn gives a variable its kind (`best = None` before the loop), that turn runs alone and the others are staged.
A loop over a traced array whose body cannot be a scan (the carry changes shape, a list grows) is unrolled, which is always
faithful, with one warning that says why.
"""

from __future__ import annotations

import dis
import functools
import itertools
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec

from autograph import errors, telling
from autograph.jax_internals import drop_equations, equation_mark, is_tracing
from autograph.runtime import array_elements, bounds, conditionals, iterables, iterators, views
from autograph.runtime.carries import Carry, refuse
from autograph.runtime.carry_memory import Memory, remembering
from autograph.runtime.grown_lists import alone
from autograph.runtime.iteration import Items, items_of, range_items
from autograph.runtime.joining import Mismatch
from autograph.runtime.loops import (
    CANNOT_STAGE,
    Hidden,
    bind_scan_turn,
    stage_from_here,
    stage_while,
    trace_turn,
    try_turns,
)
from autograph.runtime.math_functions import exact_integers
from autograph.runtime.primitives import predicate
from autograph.runtime.refusals import a
from autograph.runtime.staging import is_traced
from autograph.runtime.state import StateLike, Variable, variables_of


class UnrolledLoopWarning(errors.AutoGraphWarning):
    """A loop over a traced array was unrolled because its body cannot be staged."""


def for_loop(
    iterable: Any,
    body: Callable[[Any], Any],
    state: StateLike = None,
    *,
    test: Callable[[], Any] | None = None,
    appends: StateLike = None,
    last: bool = False,
    options: dict[str, Any] | None = None,
) -> None:
    """Runs `body(item)` for the items of `iterable`.

    Args:
        iterable: anything that Python iterates; a traced array or a range of traced numbers is staged.
        body: one turn; assigns the loop target itself when that lives on.
        state: the variables that change and that the next turn or the rest of the function reads.
        test: whether the loop goes on (jump flags); asked after each turn, before the next item is taken.
        appends: names that the body uses for nothing but `name.append(value)`, as `lambda: (name,)`. Where such a list is
            known under no other name, what is appended becomes a stacked output of the `scan`.
        last: whether `iterable` comes from a variable that nobody reads again.
        options: what `set_loop_options` said.
    Raises:
        StagingError: a variable cannot be carried.
    """
    if type(iterable) is iterables.Filter and not iterable.begun:
        for_loop(iterable.iterable, _Filtered(iterable.fn, body, state), state, test=test, options=options)
        iterable.exhaust()
        return
    items = items_of(iterable)
    if items is None:
        if telling.level > 2:
            telling.tell_statement(3, body, f"for: runs in Python while tracing, over {a(type(iterable).__name__)}")
        if test is None:
            for item in iterable:
                body(item)
        else:
            shared = iterators.is_native(iterable) and (
                sys.getrefcount(iterable) > _ALONE + last or iterators.takes_from_shared(iterable)
            )
            _iterate(iterable, body, state, test, shared)
        return
    if items.is_static and items.length == 0:
        return
    _stage_or_unroll(items, body, state, test, appends, options)
    if isinstance(iterable, Iterator) and hasattr(iterable, "exhaust"):
        iterable.exhaust()


def _stage_or_unroll(
    items: Items,
    body: Callable[[Any], Any],
    state: StateLike,
    test: Callable[[], Any] | None,
    appends: StateLike,
    options: dict[str, Any] | None,
    before: Exception | None = None,
) -> None:
    """A staged loop; or the first turn by itself and the others staged; or, where there are arrays, no staged loop.

    `before`: why the whole loop cannot be staged, where these are the turns after the first.
    """
    start = equation_mark()
    first_alone = items.is_static and before is None and test is None and items.length > 2
    try:
        stage_for(items, body, variables_of(state), test, variables_of(appends), options=options, begins=True)
        return
    except CANNOT_STAGE as error:
        if not first_alone and not (items.is_static and items.arrays):
            raise before or error from None
        reason = before or error.with_traceback(None)  # its frames hold values
        reason.__context__ = None
    drop_equations(start, equation_mark())
    if first_alone:
        body(items.make(0, items.slices(0)))
        _stage_or_unroll(items.after_first(), body, state, test, appends, options, before=reason)
    else:
        _iterate(_unrolled(items), body, state, test)
        _warn(body, reason)


class _Filtered:
    """A loop body for the items that `filter(fn, items)` lets through."""

    def __init__(self, fn: Callable[[Any], Any] | None, body: Callable[[Any], Any], state: StateLike) -> None:
        self.fn = fn
        self.body = body
        self.state = state
        self.__code__ = body.__code__  # the place of the loop, for messages

    def __call__(self, item: Any) -> None:
        passes = item if self.fn is None else self.fn(item)
        turn = conditionals.in_place_of(self.body, lambda: self.body(item))
        conditionals.if_stmt(passes, turn, conditionals.nothing, self.state)


def stage_for(
    items: Items,
    body: Callable[[Any], Any],
    variables: list[Variable],
    test: Callable[[], Any] | None,
    appends: Sequence[Variable] = (),
    memory: Memory | None = None,
    options: dict[str, Any] | None = None,
    begins: bool = False,
) -> None:
    """One `scan`, or one `while` when the length is traced or a jump can end the loop.

    `begins`: no jump can have ended the loop yet.
    """
    if items.is_static and test is None:
        _stage_scan(items, body, variables, appends, options)
    else:
        _stage_counted_while(items, body, variables, test, memory, options, begins)


def _stage_scan(
    items: Items,
    body: Callable[[Any], Any],
    variables: list[Variable],
    appends: Sequence[Variable],
    options: dict[str, Any] | None,
) -> None:
    counter = Hidden("the loop counter", 0)
    counts = items.counts and _reads_item(body)
    own = [*variables, counter] if counts else variables

    def turn(*slices: Any) -> None:
        k = bounds.declare(counter.value, 0, items.length - 1)
        body(items.make(k, slices))
        if counts:
            counter.value = k + 1

    avals = [_row(array) for array in items.arrays]
    with remembering((body.__code__, "for")) as memory:
        memory.options = options or {}
        carry = Carry(own, memory)
        carry.growing = alone(appends)
        try:
            traced = trace_turn(carry, turn, avals, functions=(body,))
        except Mismatch as differ:
            raise refuse(differ, body, "loop") from None
        if traced is None:
            return
        merged = bind_scan_turn(carry, traced, items.arrays, items.length, items.backwards)
    if telling.level > 1:
        telling.tell_statement(2, body, f"for: staged as lax.scan of {items.length} turns")
    views.note(merged, body)


def _reads_item(body: Callable[[Any], Any]) -> bool:
    """Whether a loop body looks at its item (`for _ in ag.range(n)` does not)."""
    code = body.__code__
    if type(body) is not FunctionType or code.co_argcount != 1 or code.co_varnames[0] in code.co_cellvars:
        return True
    item = code.co_varnames[0]
    return any(
        step.opname.startswith("LOAD_FAST") and (step.argval == item or item in _names(step.argval))
        for step in dis.get_instructions(code)
    )


def _names(argument: Any) -> tuple[Any, ...]:
    """What an instruction loads that loads two variables (Python 3.13)."""
    return argument if isinstance(argument, tuple) else ()


def _row(array: Any) -> Any:
    aval = jax.typeof(array)
    changes: dict[str, Any] = {"shape": aval.shape[1:], "weak_type": getattr(aval, "weak_type", False)}
    sharding = getattr(aval, "sharding", None)
    spec = tuple(getattr(sharding, "spec", ()))
    if sharding is not None and spec:
        if spec[0] is not None:
            raise errors.StagingError(
                f"a loop runs over the axis of an array that is sharded over {spec[0]!r}",
                why="every device holds the items of some turns only",
                instead="jax.sharding.reshard(x, jax.P(None, ...)) before the loop",
            )
        changes["sharding"] = sharding.update(spec=PartitionSpec(*spec[1:]))
    return aval.update(**changes)


def _stage_counted_while(
    items: Items,
    body: Callable[[Any], Any],
    variables: list[Variable],
    test: Callable[[], Any] | None,
    memory: Memory | None,
    options: dict[str, Any] | None,
    begins: bool,
) -> None:
    if items.walk is not None:
        start, step, test_of_items, known = items.walk
        counter, is_inside = Hidden("the loop counter", start), test_of_items()
    else:
        length = items.length
        counter, step = Hidden("the loop counter", 0), 1
        last = length - 1 if items.is_static else jnp.iinfo(jnp.result_type(int)).max - 1

        def is_inside(k: Any) -> Any:
            return k < length

        def known(k: Any) -> Any:
            return bounds.declare(k, 0, last)

    def going_on() -> Any:
        inside = is_inside(counter.value)
        if test is None:
            return inside
        truth = test()
        if is_traced(truth):
            return lax.bitwise_and(inside, predicate(truth))
        return inside if truth else False

    def turn() -> None:
        k = known(counter.value)
        if items.walk is not None:
            body(k)
        else:
            at = length - 1 - k if items.backwards else k
            body(items.make(k, [array_elements.read(array, at) for array in items.arrays]))
        counter.value = k + step

    stage_while(
        going_on,
        turn,
        [*variables, counter],
        True,
        (None, None),
        body,
        memory,
        options,
        surely=begins and items.is_static,
    )


def _iterate(
    iterable: Any, body: Callable[[Any], Any], state: StateLike, test: Callable[[], Any] | None, shared: bool = False
) -> None:
    """Python's loop; once a jump flag is traced, what remains is staged.

    `shared`: somebody else may ask the iterator for what the loop leaves.
    """
    if test is None:
        for item in iterable:
            body(item)
        return
    if type(iterable) is range and len(iterable) > 1 and is_tracing():
        variables = variables_of(state)
        with remembering((body.__code__, "for")) as memory:
            numbers = _first_numbers(iterable, body, variables, test, memory)
        if numbers is None:
            return
        iterable = numbers
    iterator = iter(iterable)
    done = 0
    for item in iterator:
        body(item)
        done += 1
        truth = test()
        if is_traced(truth):
            if shared:
                raise _refuse_shared(body)
            _stage_rest(iterable, iterator, done, body, variables_of(state), test, truth)
            return
        if not truth:
            return


def _first_numbers(
    numbers: range, body: Callable[[Any], Any], variables: list[Variable], test: Callable[[], Any], memory: Memory
) -> range | None:
    """Runs the first turns, or the whole loop staged; returns what is left to do, None if nothing is."""

    def stage() -> None:
        _stage_range(numbers, body, variables, test, memory, begins=True)

    if memory.from_start and stage_from_here(stage, memory):
        return None
    items = iter(numbers)
    truth, done = try_turns(lambda: body(next(items)), test, variables, memory, (body, test), len(numbers))
    if not done:
        return None if stage_from_here(stage, memory) else numbers
    rest = numbers[done:]
    if is_traced(truth):
        _stage_rest(rest, iter(rest), 0, body, variables, test, truth)
        return None
    return rest if truth else None


def _stage_range(
    numbers: range,
    body: Callable[[Any], Any],
    variables: list[Variable],
    test: Callable[[], Any],
    memory: Memory | None = None,
    begins: bool = False,
) -> None:
    # Where it is not staged it is unrolled, and there the numbers are Python's.
    with exact_integers():
        stage_for(
            range_items(numbers.start, numbers.stop, numbers.step), body, variables, test, memory=memory, begins=begins
        )


def _is_endless(iterator: Any) -> bool:
    if isinstance(iterator, itertools.repeat):
        try:
            iterator.__length_hint__()
        except TypeError:
            return True
        return False
    return isinstance(iterator, (itertools.count, itertools.cycle))


def _stage_rest(
    iterable: Any,
    iterator: Any,
    done: int,
    body: Callable[[Any], Any],
    variables: list[Variable],
    test: Callable[[], Any],
    truth: Any,
) -> None:
    if type(iterable) is range:
        rest = iterable[done:]
        if not rest or stage_from_here(lambda: _stage_range(rest, body, variables, test), Memory()):
            return
    if _is_endless(iterator):
        raise errors.StagingError(
            "this loop over an endless iterator ends on a traced condition",
            at=body,
            why="the iterator lives in Python and cannot be advanced by the compiled program",
            instead="count in a variable of your own with `while True:`",
        )
    item = None
    take = functools.partial(next, iterator, _END)

    def turn() -> None:
        nonlocal item
        item = take()  # in the turn, since a generator may write
        if item is not _END:
            body(item)

    while item is not _END:
        conditionals.stage_turn(predicate(truth), conditionals.in_place_of(body, turn), variables)
        truth = test()
        if not is_traced(truth):
            if truth:
                _iterate(iterator, body, _as_state(variables), test)
            return


def _refuse_shared(body: Callable[..., Any]) -> errors.StagingError:
    return errors.StagingError(
        "this loop leaves an iterator that is used elsewhere on a traced condition",
        at=body,
        why="how many items the loop takes is only known when the program runs, and the iterator lives in Python",
        instead="loop over a list of the items (`items = list(iterator)`) and index it afterwards",
    )


def _alone() -> int:
    """What `sys.getrefcount` reports in `for_loop` for an iterator that only its argument refers to."""

    def count(iterable: Any, body: Any) -> int:
        return sys.getrefcount(iterable)

    return count(iter(()), None)


_ALONE = _alone()
_END: Any = object()


def _as_state(variables: list[Variable]) -> Any:
    from autograph.runtime.state import State

    def set_state(values: tuple[Any, ...]) -> None:
        for variable, value in zip(variables, values):
            variable.set(value)

    return State([v.name for v in variables], lambda: tuple(v.get() for v in variables), set_state)


def _unrolled(items: Items) -> Iterator[Any]:
    for k in range(items.length):
        yield items.make(k, items.slices(k))


def _warn(body: Callable[..., Any], reason: Exception) -> None:
    where = errors.Location.of(body)
    sides, instead = (reason.sides, reason.instead) if isinstance(reason, errors.AutoGraphError) else (None, _SAME)
    text = errors.message(
        "this loop is unrolled: its body cannot be staged",
        at=where,
        why=str(reason).strip().split("\n")[0],
        sides=sides,
        instead=f"where compile time matters, {instead or _SAME}",
    )
    if where is None:
        warnings.warn(text, UnrolledLoopWarning, stacklevel=4)
    else:
        warnings.warn_explicit(text, UnrolledLoopWarning, where.filename, where.lineno, registry=_warned)


_warned: dict[Any, Any] = {}  # what is said of a loop is said once, however often the statements around it are traced
_SAME = "keep the shape and kind of every variable the same from turn to turn"
