"""What the two branches of a traced `if` leave behind, and the one result that both become.

Each branch runs in a journal's region of its own (`branch_result`): its Python code runs once, and all that it wrote is
undone. `MergedBranches` then finds, for the value, each variable and each written location, the template of what stands
there afterwards:

| the branches leave | means |
| --- | --- |
| the same object | it stays |
| numbers or arrays of a joinable type | one output of the `cond` |
| containers of one structure, objects that nobody else knows | one built of outputs, with a note of the objects that it may be |
| a value in one branch only, where the other raised, returned or leaves it dead | that value, with a placeholder beside it |
| anything else | refused by name (`Mismatch`) |

>>> import jax
>>> from autograph.runtime.operators.conditionals import if_stmt
>>> def f(p, x):
...     a, b, c = x, "static", {"k": x}
...     def if_body():
...         nonlocal a, c
...         a, c = x + 1.5, {"k": 0}
...     if_stmt(p, if_body, lambda: None, lambda: (a, b, c))
...     return a, b, c
>>> kept = []
>>> program = jax.make_jaxpr(lambda p, x: kept.append(f(p, x)))(True, 2)
>>> [str(v.aval.dtype) for v in program.eqns[-1].outvars]  # of one `cond`, in the types that join: `a`, and what `c` holds
['float32', 'int32']
>>> kept[0][1]
'static'
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from autograph import errors
from autograph.runtime.carry.conditional_appends import ListContents
from autograph.runtime.heap import aliases, class_fallback, journal, library_notes
from autograph.runtime.heap.array_outcomes import JoinedArrays
from autograph.runtime.heap.escape import made_inside, owned, reaches_object
from autograph.runtime.heap.library_objects import has_library_methods
from autograph.runtime.operators.branch_result import BranchResult
from autograph.runtime.sequences import bounded_list_merge
from autograph.runtime.tracing import python_bools
from autograph.runtime.tracing.array_types import convert_to, placeholder, type_of
from autograph.runtime.tracing.known import branch_numbers
from autograph.runtime.tracing.known.number import KnownTracer
from autograph.runtime.tracing.refusals import RETURNED, VALUE
from autograph.runtime.tracing.staging import is_array_like, is_traced
from autograph.runtime.tracing.variables import (
    UNSET,
    Enclosed,
    Undefined,
    Variable,
    cells_of,
    is_unbound,
    raise_undefined,
)
from autograph.runtime.values.key_orders import has_unknown_order
from autograph.runtime.values.kinds import differing_objects, holds_container, is_value, open_container, open_object
from autograph.runtime.values.locations import AttributeLocation, ContentsLocation, attribute_names, may_hold_none
from autograph.runtime.values.merge import Join, Mismatch, Node, Same, Template
from autograph.runtime.values.optional import Maybe, settled, split_optional
from autograph.runtime.values.writes import in_one_way

ONE_PATH = "it exists on one path only"
_READ = False, False


class BranchInfo(NamedTuple):
    """What is known of an `if` before it runs.

    Attributes:
        what: the statement or expression, for messages.
        none_checked: whether the caller of the user's function tests its result for `None`.
        exits, unbound, dead, enclosed: names of variables; see `if_stmt`.
        ended: names of variables that nobody reads where `orelse` is the end of a loop.
    """

    what: str
    exits: Mapping[str, Sequence[str]] = MappingProxyType({})
    unbound: Sequence[str] = ()
    dead: Sequence[str] = ()
    enclosed: Sequence[str] = ()
    none_checked: bool = False
    ended: Sequence[str] = ()


class MergedBranches:
    """The joined results of two branches."""

    def __init__(
        self,
        body: BranchResult,
        orelse: BranchResult,
        variables: list[Variable],
        info: BranchInfo,
        where: Callable[[], Any],
        enclosed: Enclosed | None,
    ) -> None:
        self.info = info
        self.where = where
        self._enclosed = enclosed
        self.body, self.orelse = body, orelse
        self.goes_on = body.raised is None, orelse.raised is None
        is_known, traces = type(body.test) is KnownTracer, [t() for t in (*body.traces, *orelse.traces)]
        self.join = Join(traces, branch_numbers.chooser(body.test, traces[-1]) if is_known else None)
        self._variables = variables
        self._rebuilt: list[Any] = []
        self.join.changed = {id(w.location.obj) for branch in (body, orelse) for w in branch.written}
        self._fresh = self._revive()
        for contents, branch in zip(self.join.contents_of, (body, orelse), strict=True):
            changed = (w for w in branch.written if isinstance(w.location, ContentsLocation))  # undone by now
            contents.update((id(w.location.obj), w.after) for w in changed if id(w.location.obj) not in (self._fresh or ()))
        names = [v.name for v in variables]
        taken = [self._exits_taken(branch, names) for branch in (body, orelse)]
        self._dead = [branch.raised is not None or bool(flags) for branch, flags in zip((body, orelse), taken)]
        self._unread = [{*info.dead, *(n for flag in flags for n in info.exits[flag])} for flags in taken]
        self._unread[1].update(info.ended)
        self._find_objects()
        self._find_containers()
        for value in (body.value, orelse.value):
            if type(value) is Undefined:
                raise_undefined(value)
        self.value = self._one(VALUE, body.value, orelse.value, optional=info.none_checked)
        self.variables = [
            self._one(v.name, a, b, dead=[v.name in unread for unread in self._unread], optional=v.is_optional)
            for v, a, b in zip(variables, body.values, orelse.values)
        ]
        self.locations = self._locations()
        pairs = zip(self.join.left, self.join.right, strict=True)
        self.bools = [python_bools.join(*(x for x in pair if type(x) is not _Dead)) for pair in pairs]
        sides = [[x is _DEAD for x in side] for side in (self.join.right, self.join.left)]
        self.arrays = JoinedArrays(body.arrays, orelse.arrays, self.join.left, self.join.right)
        self.dead = [None if no is yes else yes for no, yes in zip(*sides, strict=True)]

    def close(self) -> None:
        """Notes for each joined container which objects it may be; tokens stand for those that the branches made."""
        nodes = self.join.nodes
        found = [[root for source in sources for root in aliases.roots_of(source)] for sources, _, _ in nodes.values()]
        if not found:
            return
        tables = (*(sources for sources, _, _ in nodes.values()), *found)
        every = [root for roots in found for root in roots]
        self._rebuilt = [root for root in every if id(root) in self.join.made]
        made = made_inside(every, (self.body, self.orelse), tables, of_libraries=True)
        made |= self.join.made | self.join.owned
        tokens = {key: aliases.Token() for key in made}
        for (key, (_, node, path)), roots in zip(list(nodes.items()), found, strict=True):
            nodes[key] = (tuple(tokens.get(id(root), root) for root in roots), node, path)

    def release(self, branch: BranchResult, values: list[Any]) -> None:
        """Forgets the values of a branch, whose trace ends now."""
        branch.forget()
        values.clear()
        self.join.contents_of[branch is self.orelse].clear()
        for obj in self._rebuilt:  # they get their attributes back when the results are known
            for name in attribute_names(obj):
                AttributeLocation(obj, name).set(None)
        self._rebuilt = []
        if self.body.raised is None or self.orelse.raised is None:
            if branch.raised is not None:
                branch.raised.__traceback__ = None  # its frames hold values, and it stands in one of them
            branch.raised = None

    def _revive(self) -> set[int] | None:
        """Puts back what the branches wrote into objects of their own, which leave as part of the results; their ids."""
        branches = (self.body, self.orelse)
        owners = [w.location.obj for branch in branches for w in branch.written]
        if not owners:
            return None
        made = made_inside(owners, branches, of_libraries=True)
        for branch in branches:
            for w in branch.written:
                if id(w.location.obj) in made:
                    w.location.set(w.after)
                    if isinstance(w.location, AttributeLocation):
                        self.join.made.add(id(w.location.obj))
        return made

    def _find_objects(self) -> None:
        """Notes which ordinary objects among the results have no other name: two of them join attribute by attribute."""
        branches = (self.body, self.orelse)
        objects = differing_objects(*((branch.value, *branch.values) for branch in branches))
        if objects:  # references are counted next, and nothing else of ours refers to them
            made = made_inside(objects, branches)
            self.join.made |= made & {id(obj) for obj in objects}  # not the containers beside them
            changed = set()  # what a branch wrote to an older object that it leaves is undone by now
            for branch in branches:
                left = {id(x) for x in (branch.value, *branch.values)}
                changed |= {id(w.location.obj) for w in branch.written} & left
            self.join.owned |= owned(objects, branches, self._variables) - self.join.made - changed

    def _find_containers(self) -> None:
        """Notes which containers among the results the branches made: one that only one branch leaves is rebuilt outside of it.

        It is counted here, while no frame of the join holds a reference to them.
        """
        branches = (self.body, self.orelse)
        if self._fresh is None and any(
            holds_container(x) for branch in branches for x in (branch.value, *branch.values)
        ):
            self._fresh = made_inside([], branches)

    def _exits_taken(self, branch: BranchResult, names: list[str]) -> list[str]:
        """The flags of the jumps in which a branch surely ends."""
        return [name for name, value in zip(names, branch.values) if value is True and name in self.info.exits]

    def _one(
        self,
        name: str,
        left: Any,
        right: Any,
        join: Callable[[Any, Any, str], Template] | None = None,
        dead: Sequence[bool] = _READ,
        optional: bool = False,
    ) -> Template:
        """The joined value of one variable or location.

        Args:
            dead: in which of the two branches nobody reads it afterwards, since a jump ends the branch.
            optional: it may hold `None` or a value.
        """
        left_unset, right_unset = is_unbound(left), is_unbound(right)
        if left_unset and right_unset:
            return Same(left if left is not UNSET else right)
        if left_unset or right_unset:
            if name not in self.info.unbound or self._dead[0 if left_unset else 1]:
                if not name.startswith(RETURNED):
                    journal.note_skipped(name)  # what an earlier iteration left is read then
                return self._alone(right if left_unset else left, left_unset, name)
            missing = left if left_unset else right
            return Same(missing if type(missing) is Undefined else Undefined(name, self._reason(name, left_unset)))
        if self.body.raised is not None or self.orelse.raised is not None:
            if left is right:
                return Same(left)
            is_right = self.body.raised is not None
            return self._alone(right if is_right else left, is_right, name, is_snapshot=join is not None)
        if optional and left is not right and any(x is None or type(x) is Maybe for x in (left, right)):
            join = self._maybe
            if dead[0] != dead[1]:
                return self._alone(right if dead[0] else left, dead[0], name)
        mark = self.join.mark()
        try:
            return (join or self.join.add)(left, right, name)
        except Mismatch:
            if not any(dead):
                if self._enclosed is None or join is not None or not self._enclosed.is_dead(name):
                    raise
                self.join.reset(mark)
                return Same(UNSET)
            self.join.reset(mark)
            return self._alone(right if dead[0] else left, dead[0], name)

    def _maybe(self, left: Any, right: Any, path: str) -> Template:
        """The template of what is `None` on one side, or may be."""
        (no_left, left), (no_right, right) = map(split_optional, (left, right))
        flag = self.join.add(no_left, no_right, f"{path} is None")
        if left is None or right is None:
            value = self._alone(right if left is None else left, left is None, path, _ABSENT)
        else:
            value = self.join.add(left, right, path)
        return Node(lambda made: settled(Maybe(*made)), [flag, value])

    def _alone(
        self, value: Any, is_right: bool, path: str, instead: _Dead | None = None, is_snapshot: bool = False
    ) -> Template:
        """The template of a value that only one branch has, with `instead` in the other, which never gets to where it is read.

        `is_snapshot`: of what a container holds, and no object of the program's.
        """
        if is_array_like(value):
            if not is_traced(value) or type(value) is KnownTracer:
                return Same(branch_numbers.outside(value, self.join.traces[-1]))
            left, right = (instead or _DEAD, value) if is_right else (value, instead or _DEAD)
            return self.join.output(left, right, type_of(value))
        opened = open_object(value) if id(value) in self.join.made else open_container(value)
        if opened is None or not (
            is_snapshot or is_value(value) or id(value) in self.join.made or id(value) in (self._fresh or ())
        ):
            return Same(value)
        key = (id(value), 0)
        if not is_snapshot and key in self.join.nodes:
            found = self.join.nodes[key][1]
            assert found is not None
            return found
        steps = zip(opened[0], opened[2], strict=True)
        children = [self._alone(child, is_right, path + step, instead) for child, step in steps]
        is_again = id(value) in self.join.made or has_unknown_order(value)  # whose attributes are let go; whose note is
        is_static = not is_again and all(type(c) is Same for c in children)
        template = Same(value) if is_static else Node(opened[3], children)
        if not is_snapshot:
            self.join.nodes[key] = ((value,), template, path)
        return template

    def _reason(self, name: str, missing_in_body: bool) -> str:
        return errors.message(
            f"variable '{name}' has no value when the test of this `if` is {'true' if missing_in_body else 'false'}",
            at=errors.Location.of(self.where),
            why="the test is traced, so both branches are part of the program and both must leave a value",
            instead=f"assign '{name}' before the `if`, or in both branches",
            page="unbound-variable",
        )

    def _locations(self) -> list[tuple[Any, Template]]:
        in_one_way(self.body.written, self.orelse.written)
        merged: dict[Any, tuple[Any, list[Any], Any]] = {}
        both = [*self.body.written, *self.orelse.written]
        self.of_libraries = {w.location.key: w.note for w in both if w.by_library}
        counts = {w.location.key for w in both if library_notes.is_count(w)}
        for side, branch in enumerate((self.body, self.orelse)):
            for w in branch.written:
                if self._fresh is None or id(w.location.obj) not in self._fresh:
                    entry = merged.setdefault(w.location.key, (w.location, [w.before, w.before], w.before))
                    entry[1][side] = w.after
        found: list[tuple[Any, Template]] = []
        for location, (left, right), before in merged.values():
            reached = (right if self._dead[0] else left), (left if self._dead[1] else right)
            if location.key in counts:
                found.append((location, Same(library_notes.joined(*reached))))
                continue
            if (used := library_notes.used_up(location, *reached)) is not UNSET:
                found.append((location, Same(used)))
                continue
            if isinstance(location, AttributeLocation) and (left is UNSET) != (right is UNSET):
                left, right = self._or_of_class(location, left, right, merged)
            mark = self.join.mark()
            is_whole = isinstance(location, ContentsLocation)
            of_list = ListContents(self.join, location, before, self.body.test, self._alone) if is_whole else None
            how = of_list or bounded_list_merge.how(location, self.join, _DEAD)
            try:
                if is_unbound(left) != is_unbound(right) and not any(self._dead):
                    raise Mismatch(location.name, left, right, ONE_PATH)
                found.append((location, self._one(location.name, left, right, how, optional=may_hold_none(location, left, right))))
            except Mismatch as differ:
                dying = [self._is_dying(location, unread) for unread in self._unread]
                self.join.reset(mark)
                if dying[0] != dying[1]:
                    is_right, alone = dying[0], right if dying[0] else left
                    found.append((location, self._alone(alone, is_right, location.name, is_snapshot=how is not None)))
                elif not dying[0]:
                    differ.place = location
                    if location.key in self.of_libraries and self._is_librarys(location.obj):
                        note = self.of_libraries[location.key]
                        differ.instead = library_notes.describe_difference(differ, location, note, (left, right))
                        differ.instead = differ.instead or library_notes.of_framework()
                    raise
        return found

    def _is_librarys(self, obj: Any) -> bool:
        """Whether what a library wrote to an object is its own state: of a class of its own, or one that no variable holds."""
        functions = (getattr(branch.run, "__wrapped__", branch.run) for branch in (self.body, self.orelse))
        is_named = any(variable.get() is obj for function in functions for variable in cells_of(function))
        return has_library_methods(type(obj)) or not is_named

    def _or_of_class(
        self, location: AttributeLocation, left: Any, right: Any, merged: dict[Any, Any]
    ) -> tuple[Any, Any]:
        """What reading an attribute gives after either branch: Python falls back to the class."""
        value = location.of_class()
        if value is UNSET:
            return left, right
        class_fallback.note_fallback(location.obj, location.attribute, self.where)
        for other, _, _ in merged.values():
            if isinstance(other, AttributeLocation) and other.attribute == location.attribute:
                class_fallback.check_object(other.obj, location.obj, location.attribute, self.where)
        return (value, right) if left is UNSET else (left, value)

    def outputs(self, values: list[Any]) -> list[Any]:
        """What one branch gives the `cond`: its values in the joined types."""
        return [placeholder(t) if type(x) is _Dead else convert_to(x, t) for x, t in zip(values, self.join.types)]

    def _is_dying(self, location: Any, unread: Collection[str]) -> bool:
        """Whether only variables that nobody reads again know the object, and nothing that leaves the statement."""
        branches = (self.body, self.orelse)
        functions = [getattr(branch.run, "__wrapped__", branch.run) for branch in branches] if unread else []
        variables = [v for run in functions for v in cells_of(run) if v.name in unread]
        if not variables or location.obj is None:
            return False
        dying = {v.name for v in variables}
        leaving = [branch.value for branch in branches]
        leaving += [x for branch in branches for v, x in zip(self._variables, branch.values) if v.name not in dying]
        leaving += [w.after for branch in branches for w in branch.written if w.location.obj is not location.obj]
        if reaches_object(leaving, location.obj):
            return False
        leaving.clear()
        objects = [location.obj, *(v.get() for v in variables)]
        return id(location.obj) in owned(objects, branches, variables, self.variables)


class _Dead:
    """Stands for the output of a branch that never gets to where it is read."""


_DEAD = _Dead()
_ABSENT = _Dead()
"""The same for an output that is read only where its variable is not `None`: a loop may not keep an old value in its place."""
