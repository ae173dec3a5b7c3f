"""Writes to variables of outside are announced: `ag__.touch(lambda: g)` stands before them.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x):
...     global g
...     g = x
... ''', OuterWrites))
def f(x):
    global g
    ag__.touch(lambda: g)
    g = x

The lambda names the cell or the global; while a branch is staged, the runtime takes note of it and undoes the write. A
write by walrus in the test of a loop is announced by the function that becomes the test (`ControlFlow`), one in an operand
by the function that becomes the operand (`NamedOperands`).
"""

from __future__ import annotations

import gast

from autograph.analyses.effects import Effects
from autograph.analyses.loops import blocks, header_expressions
from autograph.code import locations
from autograph.converters import builders
from autograph.converters.base import Node, StatementConverter


class OuterWrites(StatementConverter):
    """Writes the announcement in front of statements that assign such a variable."""

    def convert_function(self, function: Node) -> None:
        self.outer = self.scope.globals | self.scope.nonlocals
        self.effects = Effects(self.alias)
        if self.outer:
            super().convert_function(function)

    def block(self, statements: list[Node]) -> list[Node]:
        result: list[Node] = []
        for node in statements:
            result.extend(announcements(self.writes(node), self.alias, at=node))
            result.append(self.inside(node))
        return result

    def writes(self, node: Node) -> set[str]:
        """Returns the names of outside that a statement writes itself, not the statements in its blocks."""
        if not blocks(node):
            return self.effects.of(node).writes & self.outer
        names = self.effects.of(header_expressions(node)).writes
        names |= {handler.name.id for handler in getattr(node, "handlers", ()) if handler.name is not None}
        return names & self.outer


def announcements(names: set[str], alias: str, *, at: Node) -> list[Node]:
    """`ag__.touch(lambda: name)` for each name."""
    spot = locations.header(at)
    return [
        locations.place(
            gast.Expr(builders.operator(alias, "touch", [builders.thunk(builders.name(item), at=at)], at=at)), spot
        )
        for item in sorted(names)
    ]
