"""What the passes about elements and attributes share: targets as a base and a path, names that are bound anew.

`o.a[i]` is the base `o` and the path `(('.', 'a'), ('[', i))`. A name that is bound anew keeps its owner: where it is not the
function's own variable, the function will declare it (`ElementAssignments` writes the declarations).
"""

from __future__ import annotations

import builtins

import gast

from autograph.analyses.operators import parameter_nodes
from autograph.code import locations
from autograph.converters import builders
from autograph.converters.base import Node, StatementConverter
from autograph.converters.declarations import declare_outer


class ElementTargets(StatementConverter):
    """Writes a target as a base and a path, and an assignment that gives the base a new value where it is a name."""

    def convert_function(self, function: Node) -> None:
        self.outer = self.scope.globals | self.scope.nonlocals
        self.parameters = {name.id for name in parameter_nodes(function.args)}
        super().convert_function(function)
        declare_outer(function, "Nonlocal", self.scope.nonlocals)
        declare_outer(function, "Global", self.scope.globals)

    def path(self, node: Node) -> tuple[Node, Node]:
        """`base.a[k]` as its base and the steps from there."""
        steps: list[Node] = []
        while isinstance(node, gast.Attribute | gast.Subscript):
            if isinstance(node, gast.Attribute):
                step = [gast.Constant(".", None), gast.Constant(self.mangled(node.attr), None)]
            else:
                step = [gast.Constant("[", None), self.index(node.slice)]
            steps.append(gast.Tuple(step, gast.Load()))
            node = node.value
        return node, gast.Tuple(steps[::-1], gast.Load())

    def rebind(self, base: Node, path: Node, call: Node, *, at: Node) -> Node:
        """Returns a name whose element changes may get a new value; an object whose attribute changes stays itself."""
        return self.bind(base.id, call, at=at) if changes_name(base, path) else self.run(call)

    def bind(self, name: str, value: Node, *, at: Node) -> Node:
        """`name = value`, with a declaration where the name belongs to a scope outside."""
        if name not in self.scope.locals and name not in self.outer:
            around, scope = False, self.scope.parent
            while scope is not None and not around:
                around, scope = not scope.is_class and name in scope.locals, scope.parent
            is_free = around or self.mangled(name) in self.conversion.context.freevars
            (self.scope.nonlocals if is_free else self.scope.globals).add(name)
            self.outer = self.scope.globals | self.scope.nonlocals
        if name in self.parameters:
            self.conversion.shared.setdefault(self.function, set()).add(name)
        return builders.assign(name, value, at=at)

    def index(self, node: Node) -> Node:
        """Returns the index of a subscript as an argument."""
        return builders.index_argument(node, self.conversion.resolve("slice") is builtins.slice, self.alias)

    def mangled(self, attribute: str) -> str:
        """Returns the name of a private attribute as the compiler has it."""
        if not attribute.startswith("__") or attribute.endswith("__"):
            return attribute
        name = self.class_name()
        return attribute if not name else f"_{name}{attribute}"

    def class_name(self) -> str:
        scope = self.scope.parent
        while scope is not None:
            if scope.is_class:
                return str(scope.node.name).lstrip("_")
            scope = scope.parent
        return (self.conversion.context.class_name or "").lstrip("_")

    def operator(self, text: str, arguments: list[Node], *, at: Node) -> Node:
        return builders.operator(self.alias, text, arguments, at=at)

    def run(self, call: Node) -> Node:
        return locations.place(gast.Expr(call), locations.position(call))


def changes_name(base: Node, path: Node) -> bool:
    """Whether a write to an element of what a path leads to may give the name at its root a new value."""
    return isinstance(base, gast.Name) and (not path.elts or path.elts[0].elts[0].value == "[")
