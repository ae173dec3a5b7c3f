"""A read that may find its variable unbound goes through `ag__.read`, which explains what left it unbound.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     if x:
...         y = 1
...     return y + x
... ''', UnboundReads))
def f(x):
    if x:
        y = 1
    return ag__.read(lambda: y) + x

Inside the function of a statement Python itself would raise `NameError`, for there the variable is free. Decided on the
user's own control flow, so before jumps become flags: what a flag guards is provably bound only here.

Closures and comprehensions read such a variable by `ag__.read_free`:

>>> print(show('''
... def f(x):
...     if x:
...         y = 1
...     return lambda: y
... ''', UnboundReads))
def f(x):
    if x:
        y = 1
    return lambda: ag__.read_free(lambda: y)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

from autograph.analyses.definedness import Definedness
from autograph.analyses.loops import blocks
from autograph.analyses.nativeness import Nativeness
from autograph.analyses.operators import is_operator
from autograph.analyses.scopes import COMPREHENSIONS
from autograph.code import locations
from autograph.code.nodes import children, walk
from autograph.converters import builders
from autograph.converters.base import Conversion, Node, StatementConverter, own_nodes

_TRIES = (gast.Try, gast.TryStar)


class UnboundReads(StatementConverter):
    """Finds the reads that no assignment surely precedes, and wraps them."""

    def __init__(self, conversion: Conversion) -> None:
        super().__init__(conversion)
        self.free_reads: set[Node] = set()
        """Reads of variables of functions around, outer functions being converted first."""

    def convert_function(self, function: Node) -> None:
        self.reads, self.updates = set[Node](), dict[Node, list[str]]()
        if not self.conversion.sees_frame(function):
            self.find(function)
        if self.reads or self.free_reads:
            for statement in function.body:
                self.wrap(statement)
        if self.updates:
            function.body = self.block(function.body)

    def find(self, function: Node) -> None:
        """Finds the reads that matter."""
        native = self.conversion.nativeness(function)
        found = Definedness(function, self.scope, native.holds, self.alias, moves=native.lowers_jumps)
        self.reads, self.updates = found.reads, found.updates
        self.conversion.bound_by.update(found.bound_by)
        names = {node.id for node in self.reads}.union(*self.updates.values())
        # A closure's reads are not followed, so a captured variable counts as one that may be read unbound.
        captured = found.captured
        if captured:
            captured &= found.staged.union(*map(self.staged_outside, self.conversion.functions))
            self.find_free(function.body, captured, False)
        names |= captured
        self.conversion.may_be_unbound[function] = names
        if names and not self.conversion.kinds.isdisjoint(_TRIES):
            self.find_behind_raises(own_nodes(function), names, found.bound_by)

    def find_behind_raises(self, nodes: list[Node], names: set[str], bound_by: dict[Node, set[str]]) -> None:
        """Finds the reads of what a `try` may leave unbound.

        A `raise` on a traced condition becomes a flag. What it skips is then unbound also where the flag proves that it is bound.
        """
        left: set[str] = set()
        for node in nodes:
            if isinstance(node, _TRIES):
                bound = {
                    item.id for item in walk(node) if isinstance(item, gast.Name) and isinstance(item.ctx, gast.Store)
                }
                left |= bound & names - bound_by.get(node, set())
        for node in nodes if left else ():
            if isinstance(node, gast.Name) and node.id in left and isinstance(node.ctx, gast.Load):
                self.reads.add(node)
            elif isinstance(node, gast.AugAssign) and isinstance(node.target, gast.Name) and node.target.id in left:
                self.updates[node] = [node.target.id]

    def staged_outside(self, function: Node) -> set[str]:
        """Returns the variables of functions around that functional statements of a function bind."""
        names = self.conversion.scopes.of(function).nonlocals
        return names & _bound_functionally(function.body, self.conversion.nativeness(function)) if names else set()

    def find_free(self, nodes: Iterable[Node], names: set[str], inside: bool) -> None:
        """Finds the reads of these names in the scopes inside."""
        for node in nodes:
            if isinstance(node, gast.Name):
                if inside and node.id in names and isinstance(node.ctx, gast.Load):
                    self.free_reads.add(node)
            elif is_operator(node, self.alias) and node.func.attr == "touch":
                continue  # names a variable, does not read it
            elif node in self.conversion.scopes:
                scope = self.conversion.scopes.of(node)
                around, within = around_and_within(node)
                self.find_free(around, names, inside)
                taken = names & scope.free - scope.bound if scope.is_class else names & scope.free
                if taken:
                    self.find_free(within, taken, True)
            else:
                self.find_free(children(node), names, inside)

    def wrap(self, node: Node) -> Node:
        """Wraps the reads below a node."""
        if isinstance(node, gast.Name):
            if node in self.free_reads:
                return builders.operator(self.alias, "read_free", [builders.thunk(node, at=node)], at=node)
            return self.read(node) if node in self.reads else node
        if isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef):  # its body is visited by itself
            parts: list[Node] = [node.args, *node.decorator_list]
        else:
            parts = [node]
        for part in parts:
            for name, value in vars(part).items():
                if type(value) is list:
                    value[:] = [self.wrap(item) if isinstance(item, gast.AST) else item for item in value]
                elif isinstance(value, gast.AST):
                    setattr(part, name, self.wrap(value))
        return node

    def read(self, node: Node) -> Node:
        return builders.operator(self.alias, "read", [builders.thunk(node, at=node)], at=node)

    def visit_Delete(self, node: Node) -> Any:
        reads = [
            locations.place(gast.Expr(self.read(self.expression(name, at=node))), locations.header(node))
            for name in self.updates.get(node, ())
        ]
        return [*reads, node]

    visit_AugAssign = visit_Delete


def _bound_functionally(statements: list[Node], native: Nativeness) -> set[str]:
    """Returns what functional statements of a block bind, and those that follow a jump, which may move into one."""
    found: set[str] = set()
    moves = False
    for node in statements:
        inner = blocks(node)
        if moves or (inner and not native.holds(node)):
            found.update(
                item.id for item in walk(node) if isinstance(item, gast.Name) and type(item.ctx) is not gast.Load
            )
        else:
            found.update(*(_bound_functionally(block, native) for block in inner))
        moves = moves or bool(native.lowered(node))
    return found


def around_and_within(node: Node) -> tuple[list[Node], list[Node]]:
    """Returns the parts of a node that makes a scope: those that the scope around evaluates, and the others."""
    if isinstance(node, COMPREHENSIONS):
        around = [node.generators[0].iter]
        parts = [part for item in (node, *node.generators) for part in children(item)]
        return around, [part for part in parts if part not in around and part not in node.generators]
    if isinstance(node, gast.ClassDef):
        around = [*node.decorator_list, *node.bases, *node.keywords]
    else:
        around = [*getattr(node, "decorator_list", ()), node.args]
    return around, [part for part in children(node) if part not in around]
