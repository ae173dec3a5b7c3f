"""`while` loops: Python's own while the test is known, one `lax.while_loop` from the turn on at which it is traced.

>>> import jax
>>> from autograph.runtime.conditionals import if_exp
>>> def collatz(n):
...     steps = 0
...     def loop_body():
...         nonlocal n, steps
...         n = if_exp(n % 2 == 0, lambda: n // 2, lambda: 3 * n + 1)
...         steps = steps + 1
...     while_loop(lambda: n != 1, loop_body, lambda: (n, steps))
...     return steps
>>> collatz(6), int(jax.jit(collatz)(6))
(8, 8)

The body is traced with fresh tracers in its variables (see `carries`), then the test; `while` is bound on the two jaxprs.
A test that writes to variables or to the heap (`while (n := f(n)) > 0`) is moved to the end of the body, and its truth
value is carried.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax

from autograph import errors, telling
from autograph.jax_internals import current_trace, drop_equations, equation_mark, is_tracing, new_var
from autograph.runtime import checks, growth, held_iterators, journal, reached, recursion, reverse, rotated_loops, views
from autograph.runtime.carries import Carry, Retry
from autograph.runtime.carry_memory import Memory, remembering
from autograph.runtime.carry_refusals import refuse
from autograph.runtime.constants import trace_piece
from autograph.runtime.grown_lists import alone
from autograph.runtime.hidden_variables import Checked, Hidden, tell
from autograph.runtime.joining import Mismatch
from autograph.runtime.loop_exits import Loop, folded
from autograph.runtime.primitives import Traced, bind_cond, bind_scan, bind_while, predicate
from autograph.runtime.raising_turns import TurnRaises, stage_first_turn
from autograph.runtime.reached_loops import Reached, with_alive
from autograph.runtime.returned_values import note_unread, recomputed
from autograph.runtime.staging import is_traced
from autograph.runtime.state import StateLike, Variable, variables_of
from autograph.runtime.trial_turns import (
    ATTEMPTS,
    goes_on,
    stage_from_here,
    staged_until_a_check_fails,
    try_turns,
    with_optional,
)
from autograph.runtime.truth import decider
from autograph.runtime.writes import Written


def while_loop(
    test: Callable[[], Any],
    body: Callable[[], Any],
    state: StateLike = None,
    *,
    options: dict[str, Any] | None = None,
    lists: StateLike = None,
    optional: Sequence[str] = (),
    asked: bool = False,
    returned: Sequence[str] = (),
) -> None:
    """Runs `body()` while `test()`; staged as `lax.while_loop` from the turn on at which the test is traced.

    Args:
        test: the loop test; evaluated before each turn, as in Python.
        body: one turn.
        state: the variables that change and that the next turn or the rest of the function reads.
        options: what `set_loop_options` said.
        lists: the lists that may grow in the body, where the options say how often it runs at most.
        optional: names in `state` of variables that may hold `None` or a value (`optional_values`).
        asked: whether what the user's function returns may be either as well (`optional_results`); `returned` are the names
            in `state` of the variables that keep it.
    Raises:
        StagingError: a variable cannot be carried (shape, structure or kind changes from turn to turn).
    """
    if not is_tracing():
        while test():
            body()
        return
    with remembering((body.__code__, "while")) as memory:
        memory.options = options or {}
        memory.lists = variables_of(lists)
        _run(test, body, variables_of(state, (*optional, *returned) if asked else optional), memory)


def _run(test: Callable[[], Any], body: Callable[[], Any], variables: list[Variable], memory: Memory) -> None:
    def stage() -> None:
        stage_while(test, body, variables, True, (None, None), memory=memory, surely=True)

    first, done = True, 0
    start, before = equation_mark(), reached.passed()
    truth = goes_on(test)
    while not is_traced(truth):
        if not truth:
            return
        if first:
            first = False
            if telling.level > 2:
                telling.tell_statement(3, body, "while: its test is known, so turns run in Python while tracing")
            if memory.from_start and stage_from_here(stage, memory):
                return
            refused = None
            known_alone = alone(memory.lists)
            try:
                truth, done = try_turns(body, test, variables, memory, (body, test))
            except errors.StagingError as error:
                if not memory.lists:
                    raise
                refused = error
            if refused is not None:  # a list that grows under a traced condition, say
                memory.alone = known_alone  # the frames of the error refer to the lists now
                if stage_from_here(stage, memory):
                    return
                raise refused
            if done:
                start = None  # what the test recorded stays
                continue
            if stage_from_here(stage, memory):
                return
        known = reached.passed()
        body()
        done += 1
        start, before = equation_mark(), reached.passed()
        truth = goes_on(test)
        if before is not known and before.is_of_checks() and truth is True:
            if staged_until_a_check_fails(stage, test, done, memory):
                return
    evaluated = (start, equation_mark())
    passed = reached.passed()
    reached.learn(before)  # the loop may drop what the test recorded
    with_optional(lambda: stage_while(test, body, variables, truth, evaluated, memory=memory, passed=passed), variables)


def stage_while(
    test: Callable[[], Any],
    body: Callable[[], Any],
    variables: Sequence[Variable],
    truth: Any,
    evaluated: tuple[Any, Any],
    where: Callable[..., Any] | None = None,
    memory: Memory | None = None,
    surely: bool = False,
    passed: reached.Passed | None = None,
) -> None:
    """Stages a loop whose first test gave the traced value `truth`, recorded between the two marks `evaluated`.

    `surely`: the loop has at least one turn; `passed`: what is known of the checks up to that test.
    """
    reverse.install()
    where = where or body

    def stage(ready: Callable[[], bool]) -> None:
        _stage(test, body, variables, truth, evaluated, where, known, surely, passed, ready)

    with remembering((where.__code__, "while"), memory) as known:
        growth.staged(stage, known, variables)


def _stage(
    test: Callable[[], Any],
    body: Callable[[], Any],
    variables: Sequence[Variable],
    truth: Any,
    evaluated: tuple[Any, Any],
    where: Callable[..., Any],
    memory: Memory,
    surely: bool,
    passed: reached.Passed | None,
    ready: Callable[[], bool],
) -> None:
    users = (where, test)
    try:
        carry = Carry(variables, memory)
        carry.test = functools.partial(_trace_test, test)
        turn = trace_turn(carry, body, (), users, has_test=True)
        if turn is None:
            return
        check = _trace_test(test, carry)
        # XLA may drop the checks of a test whose turns it can count.
        is_pure = check is not None and not (check.jaxpr.effects and (surely or is_traced(truth)))
        if not is_pure:
            if passed is not None:
                reached.learn(passed)
            hidden = Hidden("the loop test", predicate(truth) if is_traced(truth) else lax.full((), bool(truth), bool))
            carry = Carry([*variables, hidden], memory)

            def rotated() -> None:
                body()
                again = decider(test())
                hidden.set(predicate(again) if is_traced(again) else lax.full((), bool(again), bool))

            turn = trace_turn(carry, rotated, (), users, has_test=True)
            if turn is None:
                return
            check = _trace_test(hidden.get, carry)
        assert check is not None
        if not ready():
            return
        if is_pure:
            drop_equations(*evaluated)
        merged = _bind_while(carry, check, turn, surely)
    except Mismatch as differ:
        raise refuse(differ, where, "loop", memory.options) from None
    except TurnRaises as ends:
        stage_first_turn(ends.error, truth if is_traced(truth) else test(), body, variables)
        return
    if telling.level > 1:
        names = ", ".join(v.name for v in variables if v.name.isidentifier()) or "nothing by name"
        telling.tell_statement(2, where, f"loop: staged as lax.while_loop, which carries {names}")
    views.note(merged, where)


_TRUTH = jax.typeof(np.bool_(True))


def trace_turn(
    carry: Carry,
    run: Callable[..., None],
    extra: Sequence[Any] = (),
    functions: Sequence[Callable[..., Any]] = (),
    has_test: bool = False,
) -> Traced | None:
    """Traces the loop body until its carry is a fixed point.

    Args:
        run: one turn; gets a tracer for each of `extra`, abstract values of what the turn reads besides the carry.
        functions: the user's functions that `run` calls.
        has_test: whether a test ends the loop: under `vmap` lanes for which it is false run along.
    Returns:
        a piece whose inputs are all leaves of the carry, then `extra`, then the truth of the test where there is one (see
        `reached_loops`); its outputs are the leaves that change, then the leaves first bound in the loop. None when the
        body of an enclosing loop will be traced again anyway: then the variables hold values of the right types and
        nothing is left to do (see `carry_memory`).
    Raises:
        TurnRaises: the turn ends in an exception of the program, on whatever path it goes.
    """
    memory = carry.memory
    body = functions[0] if functions else None
    carry.functions = functions
    raised = False
    checked = Checked(carry)

    def attempt(*tracers: Any) -> list[Any]:
        count = len(carry.leaves)
        finished = Finished()
        carry.trace, memory.attempt = current_trace(), carry
        nonlocal raised
        path = (tracers[-1], True) if has_test else None
        opened = journal.Piece(carry.variables, path, is_loop=True, run=body)
        with recursion.refused(body, recursion.LOOP), opened as piece:
            carry.fill(tracers[:count], piece)
            piece.holders = carry.holders
            carry.suppose_test(tracers[:count])
            checked.begin()
            try:
                with held_iterators.held_back(carry.variables, *functions):
                    run(*tracers[count : count + len(extra)])
            except Exception as error:
                raised = error is piece.raised or checks.is_event(error)
                raise
            if checked.end():
                raise Retry
            return carry.collect(piece, finished)

    for _ in range(ATTEMPTS):
        start = equation_mark()
        raised = False
        carry.begin()
        avals = [jax.typeof(x) for x in carry.operands]
        try:
            return Traced(*trace_piece(attempt, [*avals, *extra, *[_TRUTH] * has_test], "loop_body"))
        except Retry:
            drop_equations(start, equation_mark())
            if carry.suppose():
                return None
        except Exception as error:
            if not memory.must_repeat:
                if raised:
                    drop_equations(start, equation_mark())
                    raise TurnRaises(error) from None
                if not isinstance(error, Mismatch):
                    checks.refuse_to_handle(error)
                raise
            drop_equations(start, equation_mark())  # it may come from what was only supposed
        finally:
            carry.trace = memory.attempt = None
    raise AssertionError("the carry of a loop did not reach a fixed point")


class Finished:
    """The results of one traced piece, as `newborns` and `carries` read them."""

    def __init__(self) -> None:
        self.value: Any = None
        self.values: list[Any] = []
        self.written: list[Written] = []


def _trace_test(test: Callable[[], Any], carry: Carry) -> Traced | None:
    """The loop test as a piece over all leaves of the carry; None when it writes to variables or to the heap."""
    pure = True

    def piece_of_test(*tracers: Any) -> list[Any]:
        nonlocal pure
        with journal.Piece(carry.variables, is_loop=True) as piece:
            filled = carry.fill_apart(tracers, piece)
            with held_iterators.held_back(carry.variables, test):
                truth = decider(test())
            carry.note_shown(tracers, truth)
            values, written = piece.collect()
        pure = all(a is b for a, b in zip(values, filled)) and carry.untouched(written, filled)
        return [predicate(truth) if is_traced(truth) else lax.full((), bool(truth), bool)]

    traced = Traced(*trace_piece(piece_of_test, [jax.typeof(x) for x in carry.operands], _name(carry)))
    return traced if pure else None


def _name(carry: Carry) -> str:
    """The name of the test: it tells our loops from the user's own, and how many states a gradient may keep."""
    return reverse.tag(carry.memory.options.get("checkpoints"))


def _close_invariants(piece: Traced, carry: Carry, extra: int = 0) -> tuple[list[Any], list[Any], list[Any]]:
    """Constants and inputs of a piece once leaves that never change are closed over: (constvars, consts, invars)."""
    carried = set(carry.carried())
    used = {v for eqn in piece.jaxpr.eqns for v in eqn.invars if hasattr(v, "aval") and not hasattr(v, "val")}
    used |= {v for v in piece.jaxpr.outvars if not hasattr(v, "val")}
    constvars, consts = list(piece.jaxpr.constvars), list(piece.consts)
    invars: list[Any] = []
    for i, (var, operand) in enumerate(zip(piece.jaxpr.invars, carry.operands)):
        if i in carried:
            invars.append(var)
        elif var in used:
            constvars.append(var)
            consts.append(operand)
    invars += [new_var(jax.typeof(x)) for x in carry.placeholders]
    if extra:
        invars += piece.jaxpr.invars[-extra:]
    return constvars, consts, invars


def _born(carry: Carry, turn: Traced) -> list[Any]:
    """What a turn leaves in the variables that are first bound in the loop."""
    first = len(carry.carried())
    return turn.jaxpr.outvars[first : first + len(carry.born)]


def _bind_while(carry: Carry, check: Traced, turn: Traced, surely: bool) -> list[views.Merged]:
    carry.make_placeholders(_born(carry, turn))
    carry.arrays.check(carry, (check, turn))
    closed, alive, here = [], None, Reached.here()
    for piece in (check, turn):
        constvars, consts, invars = _close_invariants(piece, carry)
        if piece is turn:
            alive = here.alive_in(turn.jaxpr, turn.jaxpr.invars[-1])
            if alive is not None:
                constvars.append(turn.jaxpr.invars[-1])
                consts.append(alive)
        closed.append(piece.with_consts(constvars, consts, invars, list(piece.jaxpr.outvars)))
    init = [*(carry.operands[i] for i in carry.carried()), *carry.placeholders]
    written = Loop(closed[0], closed[1], init, carry.unread, alive=alive)
    name = _name(carry)
    loop = folded(recomputed(written), bind_cond, name)

    def bind(test: Traced, body: Traced, init: Sequence[Any]) -> list[Any]:
        asked = here.test(test)
        return bind_while(asked, body if alive is None else with_alive(body, alive, asked), init)

    results = loop.finish(rotated_loops.bind(loop, bind, bind_cond, name))
    note_unread(written, results)
    merged = carry.write(results, surely)
    tell(carry, results)
    return merged


def bind_scan_turn(carry: Carry, turn: Traced, xs: Sequence[Any], length: int, reverse: bool) -> list[views.Merged]:
    """Binds `scan` on a traced turn whose extra inputs are the slices of `xs`, and writes the results."""
    carry.make_placeholders(_born(carry, turn))
    carry.arrays.check(carry, (turn,), () if reverse else xs, xs if reverse else ())
    constvars, consts, invars = _close_invariants(turn, carry, len(xs))
    piece = turn.with_consts(constvars, consts, invars, list(turn.jaxpr.outvars))
    init = [*(carry.operands[i] for i in carry.carried()), *carry.placeholders]
    unroll = carry.memory.options.get("unroll") or 1
    results = bind_scan(piece, init, xs, length, reverse, length if unroll is True else unroll)
    turns = range(length)
    rows, built = carry.grown.write(results[len(init) :], turns[::-1] if reverse else turns, carry.flows)
    merged = rows + carry.write(results[: len(init)], True, built)
    tell(carry, results)
    return merged
