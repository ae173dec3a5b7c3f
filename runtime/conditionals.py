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
when types are joined; each side adds its own conversions, and `cond` is bound on the two jaxprs. So each arm's Python
code runs once, and the cost is linear in the depth of nesting. What the arms write to variables and to the heap is undone
after each arm, and the joined values are written once, after the `cond`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import Any

from autograph import errors
from autograph.jax_internals import trace_piece
from autograph.runtime import checks, iterators, journal, views
from autograph.runtime.joining import (
    Join,
    Mismatch,
    Node,
    Same,
    Template,
    fill,
    is_ordinary,
    open_container,
    open_object,
)
from autograph.runtime.journal import attribute_names
from autograph.runtime.newborns import made_inside, owned, reaches_object
from autograph.runtime.primitives import Traced, bind_cond, predicate
from autograph.runtime.refusals import quoted
from autograph.runtime.staging import is_array_like, is_traced
from autograph.runtime.state import UNSET, StateLike, Undefined, Variable, cells_of, raise_undefined, variables_of
from autograph.runtime.truth import decider
from autograph.runtime.types import convert, placeholder, type_of

VALUE = "the returned value"  # in the paths of mismatches


def nothing() -> None:
    """An empty arm."""


def if_stmt(
    test: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    state: StateLike = None,
    *,
    exits: Sequence[str] = (),
    unbound: Sequence[str] = (),
    dead: Sequence[str] = (),
) -> Any:
    """Runs `body()` if `test` else `orelse()`; staged as `lax.cond` when `test` is traced.

    Args:
        test: the value tested; any Python value, or a traced scalar (numbers count as `!= 0`).
        body, orelse: functions of no argument; what they return is joined and returned.
        state: the variables that the arms assign and that live on, as `lambda: (x, y)` or a `State`.
        exits: names in `state` of jump flags, which the converter made.
        unbound: names in `state` that a later read may find unbound. Where only one arm binds such a variable, reading it
            raises; any other variable is read only where it is bound (behind a flag, say), and keeps the value it has.
        dead: variables that nobody reads afterwards. What the arms change in an object that only these know is forgotten
            where it cannot be joined.
    Returns:
        what the arm returned; joined leaf by leaf (promotion as JAX does, weak types included) when staged.
    Raises:
        StagingError: the arms leave values that no single result can be (shapes, structures, static values).
    """
    test = decider(test)
    if not is_traced(test):
        return body() if test else orelse()
    return _stage(predicate(test), body, orelse, variables_of(state), exits, "if", unbound, dead)


def if_exp(
    test: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    state: StateLike = None,
    *,
    unbound: Sequence[str] = (),
) -> Any:
    """The value of `body()` if `test` else `orelse()`; the other one is not evaluated. Staged as `if_stmt`."""
    test = decider(test)
    if not is_traced(test):
        return body() if test else orelse()
    return staged_value("conditional expression", predicate(test), body, orelse, state, unbound)


def staged_value(
    what: str,
    pred: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    state: StateLike = None,
    unbound: Sequence[str] = (),
) -> Any:
    """The value of `body()` where the traced `pred` holds, else of `orelse()`; `what` it is, for messages."""
    return _stage(pred, body, orelse, variables_of(state), (), what, unbound)


def stage_turn(pred: Any, turn: Callable[[], Any], variables: list[Variable]) -> None:
    """Runs `turn()` if the traced `pred`: one turn of an unrolled loop that may have ended.

    A variable that only the turn binds keeps the turn's value, as in any staged loop.
    """
    _stage(pred, turn, nothing, variables, (), "loop")


_DEEPEST = 64  # nested runs of one arm that are taken for endless recursion
_DEEP = 10  # the same, once Python's own stack is full


def _endless(code: CodeType) -> errors.StagingError:
    names = [name for name in code.co_qualname.split(".") if name != "<locals>"]
    name = names[-2] if len(names) > 1 else names[-1]
    return errors.StagingError(
        f"'{name}' calls itself under a traced condition",
        at=code,
        why="both arms become part of the program, also the one that recurs, so building it would never end",
        instead="write a loop, or let a Python value (a static argument) end the recursion",
    )


class _Arm:
    """What one arm left behind."""

    def __init__(self, run: Callable[[], Any], variables: list[Variable], path: Any) -> None:
        self.raised: BaseException | None = None
        self.value: Any = None
        code = getattr(run, "__code__", None)
        if code is not None and journal.nested(code) >= _DEEPEST:
            raise _endless(code)
        with journal.Piece(variables, path, code=code) as piece:
            try:
                with iterators.held_back(variables, run) as original:
                    self.value = original(run())
            except BaseException as error:
                if type(error) is RecursionError and code is not None and journal.nested(code) >= _DEEP:
                    raise _endless(code) from None
                if error is not piece.raised and not checks.is_event(error):
                    raise
                self.raised = error
                if error is not piece.raised or not piece.fails:
                    checks.stage_failure(error)
            self.values, self.written = piece.collect()
        if self.raised is not None:
            self.written = []  # nobody gets to see them
        self.forwarded = piece.forwarded

    def forget(self) -> None:
        """Forgets the values of the arm."""
        self.value, self.values, self.written = None, [], []


class _Plan:
    """The joined results of two arms."""

    def __init__(
        self,
        body: _Arm,
        orelse: _Arm,
        variables: list[Variable],
        exits: Sequence[str],
        where: Callable[[], Any],
        unbound: Sequence[str],
        dying: list[Variable],
    ) -> None:
        self.where = where
        self._dying = dying
        self.unbound = unbound
        self.body = body
        self.orelse = orelse
        self.join = Join()
        self._variables = variables
        self._rebuilt: list[Any] = []
        self._born = self._revive()
        for contents, arm in zip(self.join.contents_of, (body, orelse), strict=True):
            contents.update(self._changed(arm))
        names = [v.name for v in variables]
        self.exits = exits
        self._dead = [self._is_dead(arm, names, False) for arm in (body, orelse)]
        self._returned = [self._is_dead(arm, names, True) for arm in (body, orelse)]
        self._find_objects()
        self._find_containers()
        for value in (body.value, orelse.value):
            if type(value) is Undefined:
                raise_undefined(value)
        self.value = self._one(VALUE, body.value, orelse.value)
        self.variables = [self._one(n, a, b) for n, a, b in zip(names, body.values, orelse.values)]
        self.locations = self._locations()
        dead = [[x is _DEAD for x in side] for side in (self.join.right, self.join.left)]
        self.unread = [None if no is yes else yes for no, yes in zip(*dead, strict=True)]

    def close(self) -> None:
        """Says of each container that was joined what it may stand for; what the arms made is a token from now on."""
        nodes = self.join.nodes
        found = [[root for source in sources for root in views.roots_of(source)] for sources, _, _ in nodes.values()]
        if not found:
            return
        tables = (*(sources for sources, _, _ in nodes.values()), *found)
        every = [root for roots in found for root in roots]
        self._rebuilt = [root for root in every if id(root) in self.join.born]
        made = made_inside(every, (self.body, self.orelse), tables) | self.join.born | self.join.owned
        tokens = {key: views.Token() for key in made}
        for (key, (_, node, path)), roots in zip(list(nodes.items()), found, strict=True):
            nodes[key] = (tuple(tokens.get(id(root), root) for root in roots), node, path)

    def release(self, arm: _Arm, values: list[Any]) -> None:
        """Forgets the values of an arm, whose trace ends now."""
        arm.forget()
        values.clear()
        for obj in self._rebuilt:  # they get their attributes back when the results are known
            for name in attribute_names(obj):
                journal.AttributeLocation(obj, name).set(None)
        self._rebuilt = []
        if self.body.raised is None or self.orelse.raised is None:
            arm.raised = None  # its frames hold values too

    def _revive(self) -> set[int] | None:
        """Puts back what the arms wrote into objects of their own, which leave as part of the results; their ids."""
        arms = (self.body, self.orelse)
        owners = [w.location.obj for arm in arms for w in arm.written]
        if not owners:
            return None
        born = made_inside(owners, arms)
        for arm in arms:
            for w in arm.written:
                if id(w.location.obj) in born:
                    w.location.set(w.after)
                    if isinstance(w.location, journal.AttributeLocation):
                        self.join.born.add(id(w.location.obj))
        return born

    def _find_objects(self) -> None:
        """Notes which ordinary objects among the results nobody else knows: two of them join attribute by attribute."""
        arms = (self.body, self.orelse)
        pairs = zip((arms[0].value, *arms[0].values), (arms[1].value, *arms[1].values))
        objects = [x for a, b in pairs if a is not b and type(a) is type(b) and is_ordinary(a) for x in (a, b)]
        if objects:
            del pairs  # it refers to the values, and references are counted next
            self.join.born |= made_inside(objects, arms)
            changed = set()  # what an arm wrote to an older object that it leaves is undone by now
            for arm in arms:
                left = {id(x) for x in (arm.value, *arm.values)}
                changed |= {id(w.location.obj) for w in arm.written} & left
            self.join.owned |= owned(objects, arms, self._variables) - self.join.born - changed

    def _find_containers(self) -> None:
        """Notes which containers among the results the arms made: one that only one arm leaves is rebuilt outside of it.

        It is asked here, while no frame of the join holds a reference to them.
        """
        arms = (self.body, self.orelse)
        if self._born is None and any(_holds_container(x) for arm in arms for x in (arm.value, *arm.values)):
            self._born = made_inside([], arms)

    def _changed(self, arm: _Arm) -> Iterator[tuple[int, Any]]:
        """What containers hold at the end of the arm that were there before it, and are undone by now."""
        for w in arm.written:
            obj = w.location.obj
            if isinstance(w.location, journal.ContentsLocation) and id(obj) not in (self._born or ()):
                yield id(obj), w.after

    def _is_born(self, container: Any) -> bool:
        return self._born is not None and id(container) in self._born

    def _is_dead(self, arm: _Arm, names: list[str], only_return: bool) -> bool:
        if arm.raised is not None:
            return True
        return any(
            value is True
            for name, value in zip(names, arm.values)
            if name in self.exits and (not only_return or name.startswith("return_"))
        )

    def _one(
        self, name: str, left: Any, right: Any, join: Callable[[Any, Any, str], Template] | None = None
    ) -> Template:
        left_unset, right_unset = _unset(left), _unset(right)
        if left_unset and right_unset:
            return Same(left if left is not UNSET else right)
        if left_unset or right_unset:
            if name not in self.unbound or self._dead[0 if left_unset else 1]:
                if name in self.unbound:
                    journal.note_skipped(name)  # what an earlier turn left is read then
                return self._alone(right if left_unset else left, left_unset, name)
            missing = left if left_unset else right
            return Same(missing if type(missing) is Undefined else Undefined(name, self._reason(name, left_unset)))
        if self.body.raised is not None or self.orelse.raised is not None:
            return self._alone(right if self.body.raised is not None else left, self.body.raised is not None, name)
        mark = self.join.mark()
        try:
            return (join or self.join.add)(left, right, name)
        except Mismatch:
            if self._returned[0] == self._returned[1]:
                raise
            self.join.reset(mark)
            return self._alone(right if self._returned[0] else left, self._returned[0], name)

    def _alone(self, value: Any, is_right: bool, path: str) -> Template:
        """The template of a value that only one arm has; the other arm never gets to where it is read."""
        if is_array_like(value):
            if not is_traced(value):
                return Same(value)
            left, right = (_DEAD, value) if is_right else (value, _DEAD)
            return self.join.output(left, right, type_of(value))
        opened = open_object(value) if id(value) in self.join.born else open_container(value)
        if opened is None or not (isinstance(value, tuple) or id(value) in self.join.born or self._is_born(value)):
            return Same(value)
        key = (id(value), 0)
        if key not in self.join.nodes:
            steps = zip(opened[0], opened[2], strict=True)
            children = [self._alone(child, is_right, path + step) for child, step in steps]
            template = Same(value) if all(type(c) is Same for c in children) else Node(opened[3], children)
            self.join.nodes[key] = ((value,), template, path)
        found = self.join.nodes[key][1]
        assert found is not None
        return found

    def _reason(self, name: str, missing_in_body: bool) -> str:
        side = "true" if missing_in_body else "false"
        return errors.message(
            f"variable '{name}' has no value when the test of this `if` is {side}",
            at=errors.Location.of(self.where),
            why="the test is traced, so both arms are part of the program and both must leave a value",
            instead=f"assign '{name}' before the `if`, or in both arms",
        )

    def _locations(self) -> list[tuple[Any, Template]]:
        merged: dict[Any, tuple[Any, list[Any]]] = {}
        for side, arm in enumerate((self.body, self.orelse)):
            for w in arm.written:
                if self._born is None or id(w.location.obj) not in self._born:
                    entry = merged.setdefault(w.location.key, (w.location, [w.before, w.before]))
                    entry[1][side] = w.after
        found = []
        for location, (left, right) in merged.values():
            if isinstance(location, journal.AttributeLocation):  # Python falls back to the class
                left, right = (location.of_class() if x is UNSET else x for x in (left, right))
            mark = self.join.mark()
            try:
                if _unset(left) != _unset(right) and not any(self._dead):
                    raise Mismatch(location.name, left, right, "it exists on one path only")
                found.append((location, self._one(location.name, left, right, self._how(location))))
            except Mismatch:
                if not self._is_dying(location):
                    raise
                self.join.reset(mark)
        return found

    def _is_dying(self, location: Any) -> bool:
        """Whether only variables that nobody reads again know the object, and nothing that leaves the statement."""
        if not self._dying or location.obj is None:
            return False
        arms = (self.body, self.orelse)
        dying = {v.name for v in self._dying}
        leaving = [arm.value for arm in arms]
        leaving += [x for arm in arms for v, x in zip(self._variables, arm.values) if v.name not in dying]
        leaving += [w.after for arm in arms for w in arm.written if w.location.obj is not location.obj]
        if reaches_object(leaving, location.obj):
            return False
        leaving.clear()
        objects = [location.obj, *(v.get() for v in self._dying)]
        return id(location.obj) in owned(objects, arms, self._dying, self.variables)

    def _how(self, location: Any) -> Callable[[Any, Any, str], Template] | None:
        return self.join.contents if isinstance(location, journal.ContentsLocation) else None


class _Dead:
    """Stands for the output of an arm that never gets to where it is read."""


_DEAD = _Dead()


def _holds_container(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_holds_container, value))
    return not is_array_like(value) and open_container(value) is not None


def _unset(value: Any) -> bool:
    return value is UNSET or type(value) is Undefined


def _side(values: list[Any], join: Join) -> list[Any]:
    return [placeholder(kind) if x is _DEAD else convert(x, kind) for x, kind in zip(values, join.types)]


def _stage(
    pred: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    variables: list[Variable],
    exits: Sequence[str],
    what: str,
    unbound: Sequence[str] = (),
    dead: Sequence[str] = (),
) -> Any:
    plan: _Plan | None = None
    true_arm: Traced | None = None

    def trace_orelse() -> list[Any]:
        nonlocal true_arm
        other = _Arm(orelse, variables, (pred, False))

        def trace_body() -> list[Any]:
            nonlocal plan
            arm = _Arm(body, variables, (pred, True))
            plan = _make_plan(arm, other, variables, exits, what, body, orelse, unbound, dead)
            plan.close()
            outs = _side(plan.join.left, plan.join)
            plan.release(arm, plan.join.left)
            return outs

        true_arm = Traced(*trace_piece(trace_body, (), getattr(body, "__name__", "if_body")))
        assert plan is not None
        outs = _side(plan.join.right, plan.join)
        plan.release(other, plan.join.right)
        return outs

    false_arm = Traced(*trace_piece(trace_orelse, (), getattr(orelse, "__name__", "else_body")))
    assert plan is not None and true_arm is not None
    if plan.body.raised is not None and plan.orelse.raised is not None:
        bind_cond(pred, false_arm, true_arm)
        raise journal.mark_raised(plan.body.raised, fails=True)
    value, merged = _land(plan, pred, false_arm, true_arm, variables)
    plan = None  # from now on nothing of the statement's own refers to the containers of the arms
    views.note(merged, _where(body, orelse))
    return value


def _land(
    plan: _Plan, pred: Any, false_arm: Traced, true_arm: Traced, variables: list[Variable]
) -> tuple[Any, list[views.Merged]]:
    """Binds `cond`, writes the joined values; returns the statement's value and the containers that were merged."""
    results: list[Any] = []
    if plan.join.types or false_arm.jaxpr.effects or true_arm.jaxpr.effects:
        results = bind_cond(pred, false_arm, true_arm, journal.in_loop(), plan.unread)
    for location in (plan.body.forwarded | plan.orelse.forwarded).values():
        journal.touch_location(location)
    built: dict[int, Any] = {}
    for variable, template in zip(variables, plan.variables, strict=True):
        variable.set(fill(template, results, built))
    for location, template in plan.locations:
        journal.touch_location(location)
        location.set(fill(template, results, built))
    value = fill(plan.value, results, built)
    return value, plan.join.merged(built)


def _make_plan(
    arm: _Arm,
    other: _Arm,
    variables: list[Variable],
    exits: Sequence[str],
    what: str,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    unbound: Sequence[str],
    dead: Sequence[str],
) -> _Plan:
    dying = [v for run in (body, orelse) for v in cells_of(run) if v.name in dead] if dead else []
    try:
        return _Plan(arm, other, variables, exits, _where(body, orelse), unbound, dying)
    except Mismatch as differ:
        raise errors.StagingError(
            _difference(what, differ.path),
            at=_where(body, orelse),
            sides={"when the test is true": differ.left, "when it is false": differ.right},
            why=f"{differ.why}, and one compiled program must serve both",
            instead="make both arms leave a value of one shape, dtype and structure, or test a Python value "
            "(a static argument), so that only one arm is used",
        ) from None


def _difference(what: str, path: str) -> str:
    if what in ("if", "loop"):
        return f"the two arms of the {what} leave different values in {quoted(path)}"
    sides = "operands" if what in ("`and`", "`or`") else "arms"
    if not path.startswith(VALUE):
        return f"the two {sides} of the {what} leave different values in {quoted(path)}"
    part = path.removeprefix(VALUE)
    return f"the two {sides} of the {what} have different values" + (f" at {part}" if part else "")


def _where(body: Callable[[], Any], orelse: Callable[[], Any]) -> Callable[[], Any]:
    """The arm whose position stands for the statement: the user's one."""
    places = [getattr(arm, "__wrapped__", arm) for arm in (body, orelse)]
    return next((place for place in places if not errors.is_ours(place.__code__.co_filename)), body)


def in_place_of(body: Callable[..., Any], run: Callable[[], Any]) -> Callable[[], Any]:
    """`run`, an arm of our own, which stands where the user's `body` stands."""
    run.__wrapped__ = body  # type: ignore[attr-defined]  # any function takes attributes; `Callable` does not say so
    return run
