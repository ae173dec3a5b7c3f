"""Variables that a loop or a branch binds first, where another one may read them: a flag says whether they are bound.

>>> from autograph.converters.showing import show
>>> from autograph.converters.unbound_reads import UnboundReads
>>> print(show('''
... def f(n, x):
...     for i in range(n):
...         if i == 1:
...             s = x
...         else:
...             s = s + x
... ''', UnboundReads, FirstBindings))
def f(n, x):
    s_is_bound = False
    for i in range(n):
        if i == 1:
            s = x
            s_is_bound = True
        else:
            s = ag__.read(lambda: s, s_is_bound) + x
            s_is_bound = True

In a staged loop such a variable is carried, so that it holds something from the first iteration on: what tells is the flag, which
is a variable like any other, known or traced. Other variables that a loop binds first have none. So in branches:

>>> print(show('''
... def f(x):
...     if x > 0:
...         y = x
...     if x > 1:
...         return y
... ''', UnboundReads, FirstBindings))
def f(x):
    y_is_bound = False
    if x > 0:
        y = x
        y_is_bound = True
    if x > 1:
        return ag__.read(lambda: y, y_is_bound)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses.loops import blocks
from autograph.analyses.operators import is_operator
from autograph.analyses.scopes import COMPREHENSIONS, FUNCTIONS
from autograph.code import locations
from autograph.code.nodes import children, names_bound, walk
from autograph.converters import builders
from autograph.converters.base import Node, StatementConverter, own_nodes

_LOOPS = (gast.For, gast.While)


class FirstBindings(StatementConverter):
    """Gives each such variable its flag, and sets the flag where the variable is bound."""

    def convert_function(self, function: Node) -> None:
        names = self.conversion.may_be_unbound.get(function)
        if not names or type(function.body) is not list:
            return
        reads = [node for node in own_nodes(function) if self.is_read(node)]
        if not reads:
            return
        self.native = self.conversion.nativeness(function)
        found = self.first_bound(function.body) & self.scope.locals & set(map(_name_of, reads))
        found -= _bound_otherwise(function)
        if not found:
            return
        self.flags = {name: self.namer.fresh(f"{name}_is_bound") for name in sorted(found)}
        for read in reads:
            name = _name_of(read)
            if name in found:
                read.args.append(locations.place(builders.name(self.flags[name]), locations.position(read)))
        captured = set[str]().union(*(child.free for child in self.scope.children))
        self.conversion.may_be_unbound[function] = names - (found - captured)  # their flags tell where they are bound
        function.body = self.block(function.body)
        first = function.body[0]
        at = int(isinstance(first, gast.Expr) and isinstance(first.value, gast.Constant) and len(function.body) > 1)
        begins = [self.flag(name, False, function.body[at]) for name in self.flags]
        function.body[at:at] = begins

    def is_read(self, node: Node) -> bool:
        return is_operator(node, self.alias) and node.func.attr == "read"

    def first_bound(self, statements: list[Node], after: frozenset[str] = frozenset()) -> set[str]:
        """Returns the variables that staged statements of a block bind, and that are read where they may be unbound.

        A loop must read them as well. A branch may bind them for a later one; not if they are read right behind, whatever happens
        (`after`: behind this block): on one of its paths that is an error, which is raised while the program is traced.
        """
        found: set[str] = set()
        for place, node in enumerate(statements):
            if isinstance(node, _LOOPS) and not self.native.holds(node):
                nodes = list(walk(node))
                read = {_name_of(item) for item in nodes if self.is_read(item)}
                found |= read & {item.id for item in nodes if _is_store(item)}
            elif isinstance(node, gast.If):
                behind = self.read_next(statements[place + 1 :], after)
                if not self.native.holds(node):
                    found |= {item.id for item in walk(node) if _is_store(item)} - behind
                found.update(*(self.first_bound(block, behind) - behind for block in blocks(node)))
                continue
            found.update(*(self.first_bound(block) for block in blocks(node)))
        return found

    def read_next(self, statements: list[Node], after: frozenset[str]) -> frozenset[str]:
        """Returns the variables that these statements read whatever happens, before the first that is compound or a jump."""
        found: set[str] = set()
        for node in statements:
            if blocks(node) or isinstance(node, gast.Break | gast.Continue):
                return frozenset(found)
            pending = [node]
            while pending:
                item = pending.pop()
                if self.is_read(item):
                    found.add(_name_of(item))
                elif not isinstance(item, (gast.IfExp, gast.BoolOp, *FUNCTIONS, *COMPREHENSIONS)):
                    pending += children(item)
            if isinstance(node, gast.Return | gast.Raise):
                return frozenset(found)
        return frozenset(found | after)

    def flag(self, name: str, value: bool, at: Node) -> Node:
        return self.statements(f"{self.flags[name]} = {value}", at=at)[0]

    def bound_by(self, targets: list[Node], at: Node) -> list[Node]:
        names = {item.id for target in targets for item in walk(target) if _is_store(item)}
        return [self.flag(name, True, at) for name in sorted(names & self.flags.keys())]

    def visit_Assign(self, node: Node) -> Any:
        return [node, *self.bound_by(node.targets, node)]

    def visit_AugAssign(self, node: Node) -> Any:
        return [node, *self.bound_by([node.target], node)]

    def visit_AnnAssign(self, node: Node) -> Any:
        return [node, *(self.bound_by([node.target], node) if node.value is not None else ())]

    def visit_For(self, node: Node) -> Any:
        node = self.inside(node)
        node.body[:0] = self.bound_by([node.target], node.body[0])
        return node

    visit_AsyncFor = visit_For

    def visit_With(self, node: Node) -> Any:
        node = self.inside(node)
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
        node.body[:0] = self.bound_by(targets, node.body[0])
        return node

    visit_AsyncWith = visit_With


def _name_of(read: Node) -> str:
    """Returns the variable that `ag__.read(lambda: y)` reads."""
    return read.args[0].body.id


def _is_store(node: Node) -> bool:
    return isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)


def _bound_otherwise(function: Node) -> set[str]:
    """Returns the names that something else than an assignment, a `for` or a `with` binds or unbinds."""
    found: set[str] = set()
    for node in walk(function):
        if isinstance(node, gast.NamedExpr):
            found.add(node.target.id)
        elif isinstance(node, gast.Delete):
            found.update(item.id for item in walk(node) if isinstance(item, gast.Name))
        elif isinstance(node, gast.Nonlocal):
            found.update(node.names)
        elif isinstance(node, gast.ExceptHandler) and node.name is not None:
            found.add(node.name.id)
        else:
            found.update(names_bound(node))
    return found
