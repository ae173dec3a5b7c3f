"""`if`, `while` and `for` become operator calls over local functions.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x, n):
...     s = 0
...     while n > 0:
...         if n == x:
...             s = s + n
...         n = n - 1
...     return s
... ''', ControlFlow))
def f(x, n):
    s = 0
    def loop_body():
        nonlocal n, s
        def if_body():
            nonlocal s
            s = s + n
        ag__.if_stmt(n == x, if_body, ag__.nothing, lambda: (s,))
        n = n - 1
    ag__.while_loop(lambda: n > 0, loop_body, lambda: (n, s), dead=('n',))
    return s

A variable that a body assigns stays a variable of the user's function: the body declares it `nonlocal`. Only a variable of
which no value enters or leaves the body (it is not in `Liveness.state`) is a local of the body. The lambda at the end is
never called: its closure cells are the variables of the statement's state. Earlier passes have lowered all jumps but a
`return` at the end of every branch of an `if`; then the operator's result is returned.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses.appends import RESIZING, appended_only, resized, shortened
from autograph.analyses.liveness import Liveness
from autograph.analyses.mutations import mutated
from autograph.analyses.operators import parameter_nodes
from autograph.analyses.scopes import Scopes
from autograph.code import locations
from autograph.converters import builders
from autograph.converters.base import Node, StatementConverter
from autograph.converters.declarations import after_docstring
from autograph.converters.outer_writes import announcements


class ControlFlow(StatementConverter):
    """Writes operators for `if`, `while` and `for`, and the local functions that hold their bodies and tests."""

    def convert(self, tree: Node) -> Node:
        self.scopes = self.conversion.scopes
        if len(self.scopes) > 1:  # what closures capture may have changed
            self.scopes = Scopes(tree, self.alias)
        return super().convert(tree)

    def convert_function(self, function: Node) -> None:
        if self.conversion.sees_frame(function) or function not in self.scopes:  # or in code that no path reaches
            return
        self.native = self.conversion.nativeness(function)
        scope = self.scopes.of(function)
        flags = self.conversion.flags | self.conversion.return_values.get(function, set())
        self.liveness = Liveness(
            function, scope, self.alias, self.conversion.transient, flags, self.conversion.shared.get(function, ())
        )
        self.outer = scope.globals | scope.nonlocals
        self.optional = self.conversion.optional.get(function, set())
        self.appends = "append" in self.conversion.names or {gast.AugAssign, gast.List} <= self.conversion.kinds
        self.locals = self.namer.child()
        self.may_be_unbound = self.conversion.may_be_unbound.get(function, set()).difference(
            item.id for item in parameter_nodes(function.args)
        )
        self.none_flag = self.conversion.none_flags.get(function, "")
        function.body = self.block(function.body)
        if self.none_flag in self.conversion.read_none_flags:
            self.bind_none_flag(function)

    # --- statements ---

    def visit_If(self, node: Node) -> Any:
        """Converts an `if`. By keyword the operator gets the names of variables of the state of which something is known.

        * `exits`: the flags that jumps became; for each the variables that nobody reads once it is set.
        * `unbound`: a later read may find it unbound.
        * `dead`: nobody reads it afterwards; also variables outside of the state whose objects a branch changes in place.
        * `enclosed`: only closures that the branches make read it afterwards.
        """
        if self.native.holds(node):
            return self.inside(node)
        state = self.liveness.state(node)
        body, if_body = self.region_function("if_body", node.body, state, at=node)
        orelse, else_body = self.region_function("else_body", node.orelse, state, at=node)
        flags = [item for item in state if item in self.conversion.flags]
        unbound = [item for item in state if item in self.may_be_unbound and item not in flags]
        returns = self.liveness.returns(node)
        enclosed = [item for item in self.liveness.enclosed(node) if item in state]
        written = [*state, *(self.changed(node) if returns or flags else ())]
        dead = [item for item in self.liveness.ending(written, node) if item not in flags]
        exits = {flag: self.liveness.dead_on_exit(flag, written, node) for flag in flags}
        call = self.call(
            "if_stmt",
            [node.test, if_body, else_body],
            state,
            at=node,
            exits=builders.table(exits, at=node) if exits else None,
            unbound=builders.strings(unbound, at=node) if unbound else None,
            dead=builders.strings(dead, at=node) if dead else None,
            enclosed=builders.strings(enclosed, at=node) if enclosed else None,
            asked=self.caller_checks_none(node) if returns else None,
        )
        if returns:
            statement = locations.place(gast.Return(call), locations.header(node))
        else:
            statement = builders.statement(call, at=node)
        return [*body, *orelse, statement]

    def changed(self, node: Node) -> set[str]:
        """Returns the variables whose objects the blocks of a statement change in place."""
        return mutated([*node.body, *node.orelse], self.alias) & self.scopes.of(self.function).locals

    def visit_While(self, node: Node) -> Any:
        if self.native.holds(node):
            return self.inside(node)
        state = self.liveness.state(node)
        if writes := self.liveness.writes(node.test):
            self.conversion.tests.append(node.test)
            decision = [*announcements(writes & self.outer, self.alias, at=node.test), gast.Return(node.test)]
            test, loop_test = self.define("loop_test", [], writes, state, decision, at=node)
        else:
            test, loop_test = [], builders.thunk(node.test, at=node.test)
        body, loop_body = self.region_function("loop_body", node.body, state, at=node)
        call = self.call(
            "while_loop",
            [loop_test, loop_body],
            state,
            at=node,
            appends=self.appended([*node.body, node.test], at=node),
            dead=self.dead(state, node),
            **self.options(node),
        )
        return [*test, *body, builders.statement(call, at=node)]

    def visit_For(self, node: Node) -> Any:
        if self.native.holds(node):
            return self.inside(node)
        state = self.liveness.state(node)
        target, statements = node.target, node.body
        if isinstance(target, gast.Name) and target.id not in state and target.id not in self.outer:
            parameter, is_unread = target.id, self.liveness.ends_with(target.id, node)
        else:
            is_unread = False
            parameter = self.namer.fresh("item")
            unpack = gast.Assign([target], builders.name(parameter), None)
            self.liveness.note(locations.place(unpack, locations.header(node)))
            statements = [unpack, *(item for item in statements if not isinstance(item, gast.Pass))]
        body, loop_body = self.region_function("loop_body", statements, state, at=node, parameters=[parameter])
        test = getattr(node, "extra_test", None)
        call = self.call(
            "for_loop",
            [node.iter, loop_body],
            state,
            at=node,
            test=None if test is None else builders.thunk(test, at=node),
            last=gast.Constant(True, None) if test is not None and self._is_last_use(node) else None,
            appends=self.appended(node.body, at=node),
            item=gast.Constant(False, None) if is_unread else None,
            dead=self.dead(state, node),
            **self.options(node),
        )
        return [*body, builders.statement(call, at=node)]

    def dead(self, state: list[str], loop: Node) -> Node | None:
        """Returns the variables that nobody reads after a loop, also those whose objects it changes in place."""
        dead = self.liveness.ending([*state, *self.changed(loop)], loop)
        unread = [item for item in dead if item not in self.conversion.flags]
        return builders.strings(unread, at=loop) if unread else None

    def options(self, loop: Node) -> dict[str, Node]:
        """Returns the keywords `options` and `lists` of a loop's operator.

        `options` is what `set_loop_options` was given. `lists` are lists of the function's own: with options those whose length
        the loop may change, without options those that a loop of unknown length only makes shorter.
        """
        given = getattr(loop, "options", None)
        every_iteration = [*loop.body, *([loop.test] if isinstance(loop, gast.While) else ())]
        if given is not None:
            found = resized(every_iteration, self.alias)
        elif self.conversion.names.isdisjoint(RESIZING):
            found = []
        elif isinstance(loop, gast.While) or getattr(loop, "extra_test", None) is not None:
            found = shortened(every_iteration, self.alias)
        else:
            found = []
        own = self.scopes.of(self.function).locals if found else ()
        lists = [name for name in found if name in own]
        made = {"lists": builders.state(lists, at=loop)} if lists else {}
        return made if given is None else {"options": given} | made

    def _is_last_use(self, loop: Node) -> bool:
        """Whether the iterable is a variable that nobody reads again."""
        name = loop.iter.id if isinstance(loop.iter, gast.Name) else None
        return name is not None and name not in self.outer and self.liveness.ends_with(name, loop)

    def appended(self, body: list[Node], *, at: Node) -> Node | None:
        """Returns the function's own lists with which a body does nothing but append."""
        lists = [name for name in appended_only(body) if name not in self.outer] if self.appends else []
        return builders.state(lists, at=at) if lists else None

    def visit_Try(self, node: Node) -> Any:
        outside = self.may_be_unbound
        self.may_be_unbound = outside - self.conversion.bound_by.get(node, set())
        made = self.inside(node)
        self.may_be_unbound = outside
        return made

    visit_TryStar = visit_Try

    # --- regions ---

    def region_function(
        self, base: str, statements: list[Node], state: list[str], *, at: Node, parameters: Any = ()
    ) -> tuple[list[Node], Node]:
        """Returns a local function with these statements, and the expression that names it."""
        if not parameters and all(isinstance(node, gast.Pass) for node in statements):
            return [], self.expression("ag__.nothing", at=at)
        assigned = self.liveness.names(statements) - set(parameters)
        outer, self.locals = self.locals, self.namer.child()
        body = self.block(statements)
        self.locals = outer
        return self.define(base, parameters, assigned, state, body, at=at)

    def define(
        self, base: str, parameters: Any, assigned: Any, state: list[str], body: list[Node], *, at: Node
    ) -> tuple[list[Node], Node]:
        """Returns a `def` that declares what it shares with the user's function."""
        shared = [item for item in state if item in assigned]
        outside = sorted(self.scopes.of(self.function).globals & set(assigned))
        text = self.locals.fresh(base)
        made = builders.local_function(text, parameters, shared, outside, body, at=at)
        self.conversion.region_functions.add(made)
        return [made], builders.name(text, at)

    def call(self, text: str, arguments: list[Node], state: list[str], *, at: Node, **keywords: Node | None) -> Node:
        """Returns a call of an operator, with the state when there is one; keywords without a value are left out."""
        if state:
            arguments = [*arguments, builders.state(state, at=at)]
        optional = [item for item in state if item in self.optional]
        keywords["optional"] = builders.strings(optional, at=at) if optional else None
        returned = [item for item in state if item in self.conversion.return_values.get(self.function, ())]
        if returned and (flag := self.caller_checks_none(at)) is not None:
            keywords |= {"asked": flag, "returned": builders.strings(returned, at=at)}
        given = {key: value for key, value in keywords.items() if value is not None}
        return builders.operator(self.alias, text, arguments, at=at, **given)

    # --- functions that return `None` or a value ---

    def caller_checks_none(self, at: Node) -> Node | None:
        """Whether the caller tests the result for `None`; None where that does not matter."""
        if not self.none_flag:
            return None
        self.conversion.read_none_flags.add(self.none_flag)
        return builders.name(self.none_flag, at)

    def bind_none_flag(self, function: Node) -> None:
        """Begins a function with what says whether its caller tests the result for `None`."""
        start = after_docstring(function)
        at = function.body[start]
        asked = builders.operator(self.alias, "asked_for_none", [], at=at)
        function.body.insert(start, builders.assign(self.none_flag, asked, at=at))
