"""Which variables closures refer to that may have been made when control comes to a statement.

A closure reads a variable when it is called, so from its making on the variable is live, whatever the paths say; before that
it is not.

>>> import gast
>>> from autograph.analyses.scopes import Scopes
>>> function = gast.parse('''
... def f(x, y):
...     if x:
...         return lambda: y
...     y = 2
...     z = lambda: x
...     return z
... ''').body[0]
>>> bits = Bits()
>>> closures = Closures(function, Scopes(function, "ag__").of(function), bits)
>>> [bits.names(closures.before(node)) for node in function.body]
[[], [], [], ['x']]
>>> bits.names(closures.made_in(function.body[0]))
['y']
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses.bits import Bits
from autograph.analyses.loops import blocks
from autograph.analyses.scopes import Scope
from autograph.code.nodes import children, walk


class Closures:
    """The closures of one function.

    Args:
        function: a `def`; its closures are the scopes directly inside it that refer to its variables later.
        scope: its scope.
        bits: the numbers of names.
    """

    def __init__(self, function: Any, scope: Scope, bits: Bits) -> None:
        names = scope.captured - scope.nonlocals
        found = ((child.node, child.deferred & names) for child in scope.children) if names else ()
        self._made: dict[Any, int] = {}
        self._before: dict[Any, int] = {}
        self._after: dict[Any, int] = {}
        self.anywhere = 0
        """Variables of closures that stand outside the statements: nothing is known of when these are made."""
        made = [(node, bits.mask(captured)) for node, captured in found if captured]
        if made:
            around = {child: node for node in walk(*function.body) for child in children(node)}
            own = {*function.body}
            for node, captured in made:
                if node not in around and node not in own:
                    self.anywhere |= captured
                while node is not None:
                    self._made[node] = self._made.get(node, 0) | captured
                    node = around.get(node)
            self._follow(function.body, 0)

    def made_in(self, *nodes: Any) -> int:
        """Returns the variables of the closures that are made in some parts of the function."""
        made = 0
        if self._made:
            for node in nodes:
                made |= self._made.get(node, 0)
        return made

    def before(self, statement: Any) -> int:
        """Returns the variables of the closures that may have been made in front of a statement."""
        return self._before.get(statement, 0)

    def after(self, statement: Any) -> int:
        """Returns the variables of the closures that may have been made when a statement is over, also by a `return` in it."""
        return self._after.get(statement, 0)

    def _follow(self, statements: list[Any], made: int) -> int:
        """Returns what may have been made at the end of a block that begins with `made`; nothing where control never gets there."""
        for node in statements:
            self._before[node] = made
            self._after[node] = made | self.made_in(node)
            if isinstance(node, gast.If):
                made |= self.made_in(node.test)
                made = self._follow(node.body, made) | self._follow(node.orelse, made)
            else:
                made = self._after[node]  # in an earlier iteration of a loop, or in front of what a handler handles
                for block in blocks(node):
                    self._follow(block, made)
        return 0 if statements and isinstance(statements[-1], gast.Return | gast.Raise) else made
