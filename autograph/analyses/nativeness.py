"""Which compound statements stay Python statements.

`try`, `with` and `match` always do. An `if` or `while` with a static test does, and so does any statement that holds
`yield` or `await`, which no local function can take over. Two rules follow from jumps:

* a jump that must leave a native loop, a `finally` or a generator cannot be a flag, so the statements that it leaves on
  its way are native too (a traced test there is refused, see `kept_statements`); nor can a `return` before an `await`;
* a `while` with a static test that is left from inside a functional statement (`while True: if c: break`) is functional,
  and so is one that no jump leaves (`while True: queue.pop()`).

A `raise` inside a `try` that has handlers counts as a jump out of that `try`'s body: there it can become a flag, like `break`.

>>> import gast
>>> function = gast.parse('''
... def f(x, n):
...     if x is None:
...         x = 0
...     while True:
...         if n > x:
...             break
...     for i in range(3):
...         if i > n:
...             yield i
... ''').body[0]
>>> native = Nativeness(function, StaticTests(lambda name: None))
>>> [native.holds(statement) for statement in function.body]
[True, False, True]
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses.loops import LOOPS, blocks, header_expressions
from autograph.analyses.scopes import FUNCTIONS
from autograph.analyses.static_tests import StaticTests
from autograph.code.nodes import walk, walk_outside

Kinds = frozenset[str]
NO_JUMP: Kinds = frozenset()
_JUMPS = {gast.Return: "return", gast.Break: "break", gast.Continue: "continue"}
_MAY_BE_FUNCTIONAL = (gast.If, gast.While, gast.For)
_RAISE = frozenset(("raise",))
_ENDS = frozenset(("break", "return", "raise"))
_LOOP_JUMPS = frozenset(("break", "continue"))
_YIELDS = (gast.Yield, gast.YieldFrom)
_SUSPENDING = (*_YIELDS, gast.Await, gast.AsyncFor, gast.AsyncWith)


def suspends(node: Any, by: tuple[type, ...] = _SUSPENDING) -> bool:
    """Whether running `node` may suspend the function that it stands in."""
    return any(
        isinstance(item, by) or (isinstance(item, gast.comprehension) and item.is_async and by is _SUSPENDING)
        for item in walk_outside(FUNCTIONS, *(node if type(node) is list else [node]))
    )


def holds_function(node: Any) -> bool:
    """Whether a function with statements or a class is made in `node`; such a statement stands in one place only."""
    return any(isinstance(item, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef) for item in walk(node))


class Nativeness:
    """The native statements of one function.

    Args:
        function: a `def`, its body not yet functional.
        static: decides on tests.
        may_suspend: whether there is any `yield` or `await` to look for.
    """

    def __init__(self, function: Any, static: StaticTests, *, may_suspend: bool = True) -> None:
        self._static = static
        self._may_suspend = may_suspend
        self._suspending: dict[Any, bool] = {}
        self._escapes: dict[Any, Kinds] = {}
        self._lowered: dict[Any, Kinds] = {}  # jumps that leave through a functional statement
        self._native_only: dict[Any, Kinds] = {}  # jumps out of a `finally`, which no flag can express
        self._kept: set[Any] = set()  # loops with such a jump inside
        self._native: set[Any] = set()
        self._forced: dict[Any, Kinds] = {}  # by `try`, the kinds of jumps that cannot become flags there
        self._may_catch = not (may_suspend and any(map(suspends, function.body)))
        suspending = [self._summarise(statement, False) for statement in function.body]
        self.is_generator = any(suspending) and suspends(function.body, _YIELDS)
        until = len(suspending)
        while until and not (self.is_generator or suspending[until - 1]):
            until -= 1
        self._decide(function.body[:until], NO_JUMP | {"return"})
        self._decide(function.body[until:], NO_JUMP)

    def holds(self, statement: Any) -> bool:
        """Whether a statement stays a Python statement; simple statements do."""
        return not isinstance(statement, _MAY_BE_FUNCTIONAL) or statement in self._native

    def escapes(self, statement: Any) -> Kinds:
        """Returns the kinds of jumps inside a statement that lead out of it."""
        return self._escapes.get(statement, NO_JUMP)

    def lowered(self, statement: Any) -> Kinds:
        """Returns the kinds of jumps that leave a statement from inside a functional statement, or from itself if it is one."""
        return self._lowered.get(statement, NO_JUMP)

    def suspends(self, statement: Any) -> bool:
        """Whether running a statement may suspend the function."""
        return self._suspending.get(statement, False)

    @property
    def lowers_jumps(self) -> bool:
        """Whether lowering jumps may move statements into functional ones."""
        return any(self._lowered.values())

    def catches(self, statement: Any) -> bool:
        """Whether a `try` catches what functional statements in its body raise, with flags that say so."""
        return (
            isinstance(statement, gast.Try)
            and bool(statement.handlers)
            and self._is_staged(statement.body)
            and not self.escapes(statement) & self._forced[statement]
        )

    def raises(self, statement: Any) -> bool:
        """Whether a `raise` stands in the body of a `try`, where one around it has handlers."""
        return "raise" in self._union(self._escapes, [statement.body], False)

    def breaks(self, loop: Any) -> bool:
        """Whether a loop holds a `break` of its own."""
        return "break" in self._union(self._escapes, [loop.body], False)

    def add(self, node: Any) -> None:
        """Takes note of a new functional `if`, or of a new jump."""
        kind = _JUMPS.get(type(node))
        self._escapes[node] = frozenset((kind,)) if kind else self._union(self._escapes, blocks(node), False)
        if not kind:
            self._lowered[node] = self._escapes[node]

    def add_tree(self, statement: Any, caught: bool) -> None:
        """Takes note of a new statement with all that is in it; `caught`: it stands in a `try` with handlers."""
        self._summarise(statement, caught)
        self._decide([statement], NO_JUMP)

    def discard(self, loop: Any) -> None:
        """Makes a native loop functional."""
        self._native.discard(loop)

    def _summarise(self, node: Any, caught: bool) -> bool:
        """Fills the tables for a statement; returns whether it suspends. `caught`: a `try` around it has handlers."""
        if type(node) in _JUMPS:
            self._escapes[node] = frozenset((_JUMPS[type(node)],))
        elif caught and type(node) is gast.Raise:
            self._escapes[node] = _RAISE
        inner = blocks(node)
        if not inner or isinstance(node, gast.ClassDef):
            self._suspending[node] = result = self._may_suspend and suspends(node)
            return result
        result = self._may_suspend and (isinstance(node, _SUSPENDING) or any(map(suspends, header_expressions(node))))
        catches = type(node) is gast.Try and bool(node.handlers)
        copies = catches and self._may_catch and not any(map(holds_function, node.handlers))
        if isinstance(node, gast.AsyncWith | gast.TryStar):
            caught = False  # they see what passes them
        for index, block in enumerate(inner):
            watched = (copies and index == 0) or (
                caught and not (catches and index == 0) and block is not getattr(node, "finalbody", None)
            )
            for statement in block:
                result |= self._summarise(statement, watched)
        is_loop = isinstance(node, LOOPS)
        tables = (self._escapes, self._lowered, self._native_only)
        escapes, lowered, native_only = (self._union(table, inner, is_loop) for table in tables)
        if isinstance(node, gast.Try | gast.TryStar):
            native_only |= self._union(self._escapes, [node.finalbody], False)
        if catches:
            escapes, lowered = self._caught(node, inner, escapes, lowered, caught)
        if is_loop and any(self._union(self._native_only, [block], False) for block in inner):
            self._kept.add(node)
            native_only |= escapes
        if not result and not native_only and node not in self._kept:
            if isinstance(node, gast.If) and not self._static.holds(node.test):
                lowered = escapes
            elif isinstance(node, gast.For) or (isinstance(node, gast.While) and not self._stays(node)):
                lowered = escapes
        self._escapes[node], self._lowered[node], self._native_only[node] = escapes, lowered, native_only
        self._suspending[node] = result
        return result

    def _caught(
        self, node: Any, inner: list[list[Any]], escapes: Kinds, lowered: Kinds, caught: bool
    ) -> tuple[Kinds, Kinds]:
        """Returns what leaves a `try` with handlers, and from where."""
        staged = self._is_staged(node.body)
        if not caught:
            escapes -= _RAISE  # what is raised in the body may match no handler
        # A functional `if` with the handlers in it follows, and what the body does after a flag becomes functional too.
        return escapes, escapes if staged else lowered

    def _is_staged(self, body: list[Any]) -> bool:
        """Whether a `raise` in the body of a `try` may stand in a functional statement, or come to stand in one."""
        return bool(self._union(self._lowered, [body], False)) and "raise" in self._union(self._escapes, [body], False)

    def _union(self, table: dict[Any, Kinds], inner: list[list[Any]], is_loop: bool) -> Kinds:
        found = NO_JUMP
        for index, block in enumerate(inner):
            for statement in block:
                kinds = table.get(statement, NO_JUMP)
                found |= kinds - _LOOP_JUMPS if is_loop and index == 0 else kinds
        return found

    def _stays(self, loop: Any) -> bool:
        """Whether a `while` may be native: a static test, and no functional statement inside leaves it.

        After a `continue` in a functional statement the rest of the body becomes functional too, with the jumps in it. Where
        it may be that nothing but an exception ends the loop, that may be a check of the compiled program: it is functional too.
        """
        if not self._static.holds(loop.test):
            return False
        if isinstance(loop.test, gast.Constant) and loop.test.value:
            if not self._union(self._escapes, [loop.body], False) & _ENDS or any(map(self._checks, walk(*loop.body))):
                return False
        lowered = self._union(self._lowered, [loop.body], False) | self._union(self._lowered, [loop.orelse], False)
        if lowered & {"continue", "raise"}:
            lowered |= self._union(self._escapes, [loop.body], False)
        return not lowered & {"break", "return", "raise"}

    def _checks(self, node: Any) -> bool:
        """Whether a statement raises where a test that is not static says so."""
        if not isinstance(node, gast.If | gast.Assert) or self._static.holds(node.test):
            return False
        return isinstance(node, gast.Assert) or any(isinstance(inner, gast.Raise) for inner in walk(node))

    def _bound_to_python(self, node: Any) -> bool:
        """Whether a statement suspends, or holds a jump that no flag can express."""
        return self._suspending[node] or bool(self._native_only[node]) or node in self._kept

    def _decide(self, statements: list[Any], forced: Kinds) -> None:
        """`forced`: the kinds of jumps that cannot become flags here."""
        for node in statements:
            inner = blocks(node)
            if not inner:
                continue
            native = True
            if isinstance(node, gast.Try):
                self._forced[node] = forced
            if isinstance(node, _MAY_BE_FUNCTIONAL):
                native = bool(self._bound_to_python(node) or self._escapes[node] & forced) or (
                    self._static.holds(node.test)
                    if isinstance(node, gast.If)
                    else isinstance(node, gast.While) and self._stays(node)
                )
            if native:
                self._native.add(node)
            is_loop = isinstance(node, LOOPS)
            must = native and is_loop and not (isinstance(node, gast.While) and self._stays(node))
            must = must or (is_loop and self._bound_to_python(node))
            for index, block in enumerate(inner):
                if is_loop and index == 0:
                    self._decide(block, forced | {"return"} | _LOOP_JUMPS if must else forced - _LOOP_JUMPS)
                elif block is getattr(node, "finalbody", None):
                    self._decide(block, forced | {"return"} | _LOOP_JUMPS)
                else:
                    self._decide(block, forced)
            if native and not self.catches(node):
                self._lowered[node] = self._union(self._lowered, inner, is_loop)
