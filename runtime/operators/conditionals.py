"""`if` statements and conditional expressions: Python's own when the test is known, one `lax.cond` when it is traced.

>>> import jax
>>> def f(x):
...     y = 0.0
...     def if_body():
...         nonlocal y
...         y = x * 2
...     def else_body():
...         nonlocal y
...         y = x - 1
...     if_stmt(x > 0, if_body, else_body, lambda: (y,))
...     return y
>>> float(f(3.0)), float(jax.jit(f)(3.0)), float(jax.jit(f)(-3.0))
(6.0, 6.0, -4.0)
>>> [str(e.primitive) for e in jax.make_jaxpr(f)(3.0).eqns]
['gt', 'convert_element_type', 'cond']

How a traced `if` is staged: `orelse` is traced; inside its open trace `body` is traced, so that both results are known
when types are joined; each side adds its own conversions, and `cond` is bound on the two jaxprs. So each branch's Python
code runs once, and the cost is linear in the depth of nesting. What the branches write to variables and to the heap is undone
after each branch, and the joined values are written once, after the `cond`.
"""

from __future__ import annotations

import functools
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from autograph import errors, verbosity
from autograph.runtime.carry.given_room import note_resized, with_room
from autograph.runtime.checks import check_groups
from autograph.runtime.heap import aliases, journal, library_notes, outside, path_conditions, returned_arrays
from autograph.runtime.heap.constants import trace_region
from autograph.runtime.jaxprs.binding import Traced, bind_cond, predicate
from autograph.runtime.jaxprs.loop import Conditional
from autograph.runtime.jaxprs.passes import bind_conditional
from autograph.runtime.operators.branch_result import BranchResult
from autograph.runtime.operators.branches import ONE_PATH, BranchInfo, MergedBranches
from autograph.runtime.tracing import dead_results, number_kinds, predicates, python_bools
from autograph.runtime.tracing.context import progress
from autograph.runtime.tracing.known import number
from autograph.runtime.tracing.refusals import (
    GROWS,
    GROWS_AS_A_LIST,
    ONE_NAME,
    RETURNED,
    VALUE,
    quoted,
    remedy_of_none,
)
from autograph.runtime.tracing.staging import is_traced
from autograph.runtime.tracing.statement_names import named
from autograph.runtime.tracing.truth import truth_value
from autograph.runtime.tracing.variables import Enclosed, StateLike, Variable, cells_of, variables_of
from autograph.runtime.values import choices
from autograph.runtime.values.locations import ContentsLocation
from autograph.runtime.values.merge import Merged, Mismatch, fill


def nothing() -> None:
    """An empty branch."""


def if_stmt(
    test: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    state: StateLike = None,
    *,
    exits: Mapping[str, Sequence[str]] | None = None,
    unbound: Sequence[str] = (),
    dead: Sequence[str] = (),
    enclosed: Sequence[str] = (),
    optional: Sequence[str] = (),
    asked: bool = False,
    returned: Sequence[str] = (),
) -> Any:
    """Runs `body()` if `test` else `orelse()`; staged as `lax.cond` when `test` is traced.

    Args:
        test: the value tested; any Python value, or a traced scalar (numbers count as `!= 0`).
        body, orelse: functions of no argument; what they return is joined and returned.
        state: the variables that the branches assign and that live on, as `lambda: (x, y)` or a `State`.
        exits: names in `state` of jump flags, which the converter made. For each the names in `state` of variables that nobody
            reads once it is set: a branch that sets it need not leave in them what the other one leaves.
        unbound: names in `state` that a later read may find unbound. Where only one branch binds such a variable, reading it
            raises; any other variable is read only where it is bound (behind a flag, say), and keeps the value it has.
        optional: names in `state` of variables that may hold `None` or a value (`optional`).
        asked: whether the user's function may return `None` or a value, because its caller tests which (`optional_results`);
            `returned` are the names in `state` of the variables that keep it.
        dead: variables that nobody reads afterwards. Those in `state` are not joined: the staged statement leaves them
            unbound. What the branches change in an object that only these know is forgotten where it cannot be joined.
        enclosed: names in `state` that nobody reads afterwards but closures which the branches make.
    Returns:
        what the branch returned; joined leaf by leaf (promotion as JAX does, weak types included) when staged.
    Raises:
        StagingError: the branches leave values that no single result can be (shapes, structures, static values).
    """
    test = truth_value(test)
    if not is_traced(test):
        if verbosity.level > 2:
            test = _known("if", test, body, orelse)
        return body() if test else orelse()
    test = predicate(test)
    if (truth := path_conditions.known_truth(test)) is not None:
        return body() if truth else orelse()
    variables = variables_of(state, (*optional, *returned) if asked else optional)
    info = BranchInfo("if", exits or {}, unbound, dead, enclosed, asked)
    return _stage(test, body, orelse, variables, info)


def if_exp(
    test: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    state: StateLike = None,
    *,
    unbound: Sequence[str] = (),
) -> Any:
    """The value of `body()` if `test` else `orelse()`; the other one is not evaluated. Staged as `if_stmt`."""
    test = truth_value(test)
    if not is_traced(test):
        if verbosity.level > 2:
            test = _known("conditional expression", test, body, orelse)
        return body() if test else orelse()
    test = predicate(test)
    if (truth := path_conditions.known_truth(test)) is not None:
        return body() if truth else orelse()
    return staged_value("conditional expression", test, body, orelse, state, unbound)


def either(asked: bool, test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    """`if_exp`, the whole of a lambda that may return `None` or a value; `asked`: its caller tests which."""
    return if_stmt(test, body, orelse, asked=True) if asked else if_exp(test, body, orelse)


def staged_value(
    what: str,
    pred: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    state: StateLike = None,
    unbound: Sequence[str] = (),
) -> Any:
    """The value of `body()` where the traced `pred` holds, else of `orelse()`; `what` it is, for messages."""
    return _stage(pred, body, orelse, variables_of(state), BranchInfo(what, unbound=unbound))


def stage_iteration(
    truth: Any,
    iteration: Callable[[], Any],
    variables: list[Variable],
    where: Callable[..., Any],
    dead: Sequence[str] = (),
    is_repeated: bool = True,
) -> None:
    """Runs `iteration()` if the traced `truth`: one iteration of an unrolled loop, at `where`, that may have ended.

    A variable that only the iteration binds keeps the iteration's value, as in any staged loop. So do variables of another
    kind, among those that nobody reads after the loop (`dead`). `is_repeated`: whether it may be traced more than once.
    """
    stage = _stage if is_repeated else _staged
    stage(predicate(truth), in_place_of(where, iteration), nothing, variables, BranchInfo("loop", ended=dead))


def _stage(pred: Any, body: Callable[[], Any], orelse: Callable[[], Any], *rest: Any) -> Any:
    return with_room(functools.partial(_staged, pred, body, orelse, *rest), (body, orelse))


def _staged(
    pred: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    variables: list[Variable],
    info: BranchInfo,
) -> Any:
    within = Enclosed(variables, info.enclosed) if info.enclosed else None
    plan: MergedBranches | None = None
    true_branch: Traced | None = None
    shown, shows = list[predicates.Shown](), functools.partial(predicates.facts_of, pred)
    checked = path_conditions.Left(progress.checks)

    def trace_orelse() -> list[Any]:
        nonlocal true_branch, checked
        other = BranchResult(orelse, variables, (pred, False), dead=info.dead)
        checked = checked.with_this_branch()

        def trace_body() -> list[Any]:
            nonlocal plan, checked
            branch = BranchResult(body, variables, (pred, True), other, info.dead)
            checked = checked.with_this_branch()
            # Nothing names the pairs: who refers to a list that a branch leaves, counts.
            shown.extend(map(shows, (branch.value, *branch.values), (other.value, *other.values)))
            plan = _merged(branch, other, variables, info, within)
            plan.close()
            outs = plan.outputs(plan.join.left)
            plan.release(branch, plan.join.left)
            return outs + checked.results()

        true_branch = Traced(*trace_region(trace_body, (), getattr(body, "__name__", "if_body")))
        assert plan is not None
        outs = plan.outputs(plan.join.right)
        plan.release(other, plan.join.right)
        return outs + checked.results()

    false_branch = Traced(*trace_region(trace_orelse, (), getattr(orelse, "__name__", "else_body")))
    assert plan is not None and true_branch is not None
    if plan.body.raised is not None and plan.orelse.raised is not None:
        bind_cond(pred, false_branch, true_branch)
        raise journal.mark_raised(plan.body.raised, fails=True)
    value, merged = _land(plan, pred, false_branch, true_branch, variables, checked)
    if plan.goes_on != (True, True):
        predicates.hold_facts(predicates.shown_by(pred, plan.goes_on[0]))
        path_conditions.survived(pred, plan.goes_on[0])
    for facts, result in zip(shown, [value, *(v.get() for v in variables)], strict=True):
        predicates.note_truth(result, facts)
    if verbosity.level > 1:
        verbosity.tell_statement(2, _where(body, orelse), f"{info.what}: staged as {_AS}, since its test is traced")
    plan = None  # from now on nothing of the statement's own refers to the containers of the branches
    if info.what not in ("if", "loop"):
        merged = [m._replace(path=m.path.replace(VALUE, f"the value of the {info.what}", 1)) for m in merged]
    aliases.note_merged(merged, _where(body, orelse))
    return value


_WORDS = {"`and`": "and", "`or`": "or", "loop": "for"}
_AS = "lax.cond, or as selects where its branches are cheap"


def _known(what: str, test: Any, body: Callable[[], Any], orelse: Callable[[], Any]) -> bool:
    """The truth of a known test, which the log names; a test of the user's is evaluated once."""
    truth = bool(test)
    verbosity.tell_statement(3, _where(body, orelse), f"{what}: decided while tracing, its test is {truth}")
    return truth


def _land(
    plan: MergedBranches,
    pred: Any,
    false_branch: Traced,
    true_branch: Traced,
    variables: list[Variable],
    checked: path_conditions.Left,
) -> tuple[Any, list[Merged]]:
    """Binds `cond`, writes the joined values; returns the statement's value and the containers that were merged."""
    results: list[Any] = []
    if plan.join.types or checked.tells or false_branch.jaxpr.effects or true_branch.jaxpr.effects:
        dead_in = [*plan.dead, *[None] * checked.tells]
        with named(_WORDS.get(plan.info.what, "if"), _where(plan.body.run, plan.orelse.run)):
            if dead_in or not check_groups.added_to_a_group(pred, false_branch, true_branch):
                results = bind_conditional(Conditional(pred, false_branch, true_branch, journal.in_loop(), dead_in))
        checked.take(results)
        for result, branch, known in zip(results, plan.dead, plan.bools, strict=True):
            if branch is not None:
                dead_results.note_dead(result, number.value_of(pred), branch)
            if known is not None:
                python_bools.note_bool(result, known)
    for place, kinds in plan.join.mixed.items():
        number_kinds.note_kinds(results[place], kinds)
    for place, chosen in plan.join.open.items():
        results[place] = number.stand_for(results[place], chosen)
    plan.arrays.land(results, pred)
    left = [*zip((v.name for v in variables), plan.variables), ("", plan.value), *(("", t) for _, t in plan.locations)]
    own = list(results)
    returned = returned_arrays.own_slots(left, own, [*results, *false_branch.consts, *true_branch.consts])
    for location in (plan.body.forwarded | plan.orelse.forwarded).values():
        journal.touch_location(location)
    built: dict[int, Any] = {}
    for variable, template in zip(variables, plan.variables, strict=True):
        variable.set(fill(template, own, built))
    for location, template in plan.locations:
        journal.touch_location(location, location.key in plan.of_libraries, plan.of_libraries.get(location.key, ""))
        location.set(fill(template, own, built))
    value = fill(plan.value, own, built)
    returned_arrays.note_returned(variables, [own[k] for k in returned])
    return value, plan.join.merged(built)


def _merged(
    body: BranchResult, orelse: BranchResult, variables: list[Variable], info: BranchInfo, within: Enclosed | None
) -> MergedBranches:
    """The one result of both branches.

    Raises:
        StagingError: they leave values that no single result can be.
    """
    place, what = _where(body.run, orelse.run), info.what
    try:
        return MergedBranches(body, orelse, variables, info, place, within)
    except Mismatch as differ:
        where = errors.Location.of(place)
        sides = "when the test is true", "when it is false"
        if what == "if" and where is not None and where.line.startswith("return"):
            # The rest of the function is the other branch.
            what, sides = "return", ("when it is taken", "when it is not")
        elif what == "loop":
            sides = "when it goes on", "when it has ended"
        users: Any = getattr(body.run, "__wrapped__", body.run)
        holders = [*cells_of(users), *cells_of(orelse.run), *variables]
        assert isinstance(place, FunctionType)
        name, is_outside = outside.name_path(differ, holders, place)
        instead, page = _remedy(what, differ, is_outside)
        error = errors.StagingError(
            _difference(what, name),
            at=where,
            sides=dict(zip(sides, (differ.left, differ.right), strict=True)),
            why=f"{differ.why}, and one compiled program must serve both",
            instead=instead,
            page=page,
        )
        note_resized(error, differ)
        raise error from None


def _remedy(what: str, differ: Mismatch, is_outside: bool) -> tuple[str, str]:
    """Returns what to type, and the page that shows it.

    Args:
        is_outside: whether the place is a global, or in an object that the module of the function holds.
    """
    found = differ.instead or differ.read_before
    if found:
        return found, library_notes.page_of(found, _page(what, differ))
    if is_outside:
        return outside.WRITE_OUTSIDE, "state-outside-of-the-trace"
    sides = differ.left, differ.right
    if differ.why == ONE_PATH:
        return "write it in both branches, or before the statement", "attribute-on-one-path"
    holder = getattr(differ.place, "obj", None) if isinstance(differ.place, ContentsLocation) else None
    if isinstance(holder, dict) and "structures" in differ.why:
        return "write the same keys in both branches, or before the statement", "two-kinds"
    is_of_list = type(holder) is list
    if is_of_list and what == "if" and "structures" in differ.why:
        instead = f"append in both branches, a neutral value in one of them; or {ONE_NAME}, and in a loop of unknown length {GROWS}"
        return instead, "list-that-one-branch-changes"
    if is_of_list and what == "loop":
        return f"preallocate an array (x[n] = ...), or {ONE_NAME}", "list-grows-in-a-loop"
    if type(holder) is deque and "structures" in differ.why:
        return GROWS_AS_A_LIST, "list-grows-in-a-loop"
    if "None" in sides:
        if what in ("if", "return") and differ.path.startswith((VALUE, RETURNED)):
            instead = "return one kind of value on every path, or test the result of the call (`r = f(x)`, `if r is None:`)"
            return instead, "path-without-return"
        instead = remedy_of_none(*sides) or "use a number instead of None, and a flag of your own that says whether it counts"
        return instead, "none-before-a-loop"
    instead = (
        "make both branches leave a value of one shape, dtype and structure, or test a Python value "
        "(a static argument), so that only one branch is used"
    )
    return instead, _page(what, differ)


def _page(what: str, differ: Mismatch) -> str:
    """Returns the page of a difference that no remedy tells apart from others."""
    if what == "return":
        return "return-inside-a-loop"
    if what in ("`and`", "`or`"):
        return "operands-of-two-shapes"
    if differ.why == choices.OF_ONE_CLASS:
        return "choice-between-strings"
    if "kinds" in differ.why and differ.left.endswith(" object") and differ.right.endswith(" object"):
        return "two-objects"
    if "structures" in differ.why or _CONTAINER.search(f"{differ.left} {differ.right}"):
        return "two-kinds"
    is_static = any(word in differ.why for word in ("kinds", "the value", "objects"))
    return "static-values-differ" if is_static else "two-shapes"


_CONTAINER = re.compile(r" of \d+ \(| with keys |\bempty ")


def _difference(what: str, path: str) -> str:
    if what == "return":
        return f"this `return` and the rest of the function leave different values in {quoted(path)}"
    if what == "loop":
        return f"the loop leaves different values in {quoted(path)}"
    sides = "operands" if what in ("`and`", "`or`") else "branches"
    if what == "if" or not path.startswith(VALUE):
        return f"the two {sides} of the {what} leave different values in {quoted(path)}"
    part = path.removeprefix(VALUE)
    return f"the two {sides} of the {what} have different values" + (f" at {part}" if part else "")


def _where(body: Callable[[], Any], orelse: Callable[[], Any]) -> Callable[[], Any]:
    """The branch whose position stands for the statement: the user's one."""
    places = [getattr(branch, "__wrapped__", branch) for branch in (body, orelse)]
    return next((place for place in places if not errors.is_ours(place.__code__.co_filename)), body)


def in_place_of(body: Callable[..., Any], run: Callable[[], Any]) -> Callable[[], Any]:
    """`run`, a branch of our own, which stands where the user's `body` stands."""
    run.__wrapped__ = body  # type: ignore[attr-defined]  # any function takes attributes; `Callable` does not say so
    return run
