"""Arithmetic in a `try` whose handlers catch what it raises: a test and a `raise` in front of the operation.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(total, n):
...     try:
...         return g(total) / n
...     except ZeroDivisionError:
...         return 0
... ''', CaughtOperations))
def f(total, n):
    try:
        operand = g(total)
        if ag__.failed('ZeroDivisionError', '/', (operand, n)):
            raise ag__.failure('ZeroDivisionError', '/', (operand, n))
        return operand / n
    except ZeroDivisionError:
        return 0

A compiled division raises nothing, so the handler would never run. The `raise` is a jump to it like any other (`caught_raises`).

From a lambda, a comprehension, a generator, a function inside or a function that is called (one that is converted once more for
that, `ConversionOptions.in_try`), nothing can jump there: the operation finds its handlers at run time. In a `try` of such a
function's own the operation jumps where the handlers there catch all that it may raise.

>>> print(show('''
... def f(xs, n):
...     try:
...         return [x / n for x in xs]
...     except ZeroDivisionError:
...         return []
... ''', CaughtOperations))
def f(xs, n):
    try:
        return [ag__.binary('/', x, n) for x in xs]
    except ZeroDivisionError:
        return []
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast

from autograph.analyses.fallible import OPERATORS, caught_by
from autograph.analyses.loops import IS_COMPOUND, blocks
from autograph.analyses.nativeness import holds_function, suspends
from autograph.analyses.scopes import FUNCTIONS
from autograph.code import locations
from autograph.code.nodes import PARTS, walk
from autograph.converters import builders
from autograph.converters.base import Node, StatementConverter
from autograph.converters.lifting import Lifting, get_part, is_safe, put_part

_NONE: frozenset[str] = frozenset()
_LATER = (gast.Lambda, gast.GeneratorExp)


class CaughtOperations(StatementConverter):
    """Writes the test and the `raise` in front of statements in such a `try`, or wraps operands where it cannot."""

    def convert(self, tree: Node) -> Node:
        conversion = self.conversion
        self._kinds = self._own = _NONE
        self._dynamic = conversion.context.options.in_try
        if not self._dynamic and not self._catches(tree):
            return tree
        if not conversion.functions:  # a lambda
            tree.body = self._wrapped(tree.body)
            return tree
        return super().convert(tree)

    def convert_function(self, function: Node) -> None:
        outer = self._dynamic
        self._dynamic = outer or function is not self.conversion.functions[0]
        self._can_lift = not (
            self.conversion.sees_frame(function) or (self.conversion.may_suspend and any(map(suspends, function.body)))
        )
        super().convert_function(function)
        self._dynamic = outer

    def _catches(self, tree: Node) -> bool:
        """Whether a `try` somewhere in the tree may catch what arithmetic raises."""
        return any(self._caught_by(node) for node in walk(tree) if isinstance(node, gast.Try | gast.TryStar))

    def _caught_by(self, node: Node) -> frozenset[str]:
        return caught_by(node, self.conversion.meaning)

    # --- statements ---

    def block(self, statements: list[Node]) -> list[Node]:
        result: list[Node] = []
        for node in statements:
            if isinstance(node, gast.Try | gast.TryStar):
                result.append(self._try(node))
            elif self._own:
                result.extend(self._lifted(node))
            else:
                self._wrap(node)
                result.append(self.inside(node))
        return result

    @contextmanager
    def _within(self, kinds: frozenset[str], own: frozenset[str], dynamic: bool) -> Iterator[None]:
        """Enters a block: handlers may catch `kinds`, a jump leads to those for `own`; `dynamic`: the source may not
        show all of them.
        """
        outer = self._kinds, self._own, self._dynamic
        self._kinds, self._own, self._dynamic = kinds, own, dynamic
        try:
            yield
        finally:
            self._kinds, self._own, self._dynamic = outer

    def _try(self, node: Node) -> Node:
        caught = self._caught_by(node)
        kinds = self._kinds | caught
        lifts = self._can_lift and isinstance(node, gast.Try) and not any(map(holds_function, node.handlers))
        with self._within(kinds, self._own | caught if lifts else _NONE, self._dynamic or (bool(kinds) and not lifts)):
            node.body = self.block(node.body)
        for owner, name in [*((handler, "body") for handler in node.handlers), (node, "orelse")]:
            setattr(owner, name, self.block(getattr(owner, name)))
        with self._within(self._kinds, _NONE, self._dynamic or bool(self._kinds)):
            node.finalbody = self.block(node.finalbody)
        return node

    def _lifted(self, node: Node) -> list[Node]:
        """Converts a statement in the body of a `try`, and makes what goes in front."""
        lifting = Lifting(self, self._own, self.namer, whole=self._dynamic)
        if isinstance(node, gast.While):
            return self._while(node, lifting)
        if isinstance(node, gast.AugAssign):
            self._augmented(node, lifting)
        else:
            slots = _expressions(node)
            for slot in slots:
                value = self._wrapped(get_part(slot), True, lifting)
                put_part(slot, lifting.test(value) if isinstance(node, gast.If) else lifting.value(value))
            if not isinstance(node, (*FUNCTIONS, gast.ClassDef)):
                for slot in _headers(node):
                    if slot not in slots:
                        put_part(slot, self._wrapped(get_part(slot)))
        return [*lifting.front, self.inside(node)]

    def _while(self, node: Node, lifting: Lifting) -> list[Node]:
        node.test = self._wrapped(node.test, True, lifting)
        if lifting.concerns(node.test) and node.orelse:
            node.test = self._wrapped(node.test)
        elif lifting.concerns(node.test):
            test = lifting.test(node.test)
            stop = self.statements("if not $test:\n    break", at=node.test, test=test)
            node.test = locations.place(gast.Constant(True, None), locations.position(node.test))
            node.body = [*lifting.front, *stop, *self.block(node.body)]
            return [node]
        return [self.inside(node)]

    def _augmented(self, node: Node, lifting: Lifting) -> None:
        """`x /= y`: the test reads the value of `x` once more."""
        node.value = self._wrapped(node.value, True, lifting)
        what = OPERATORS.get(type(node.op))
        before = self._target_value(node.target, lifting) if what is not None else None
        node.value = lifting.value(node.value)
        if what is None or before is None or is_safe(what, before, node.value):
            return
        operation = lifting.operation(
            locations.place(gast.BinOp(before, node.op, node.value), locations.position(node))
        )
        if operation is not None:
            node.value = lifting.saved(node.value)
            lifting.check(operation, [lifting.saved(before), node.value], node)
        elif self._dynamic:
            node.value = self._operand(what, before, node.value, node)

    def _operand(self, what: str, before: Node, value: Node, at: Node) -> Node:
        """Makes the right operand of `x /= y`, which finds its handlers when it is evaluated."""
        return builders.operator(self.alias, "operand", [gast.Constant(what, None), before, value], at=at)

    def _target_value(self, target: Node, lifting: Lifting | None) -> Node | None:
        """Returns the value that an augmented assignment starts from, as an expression; None for a slice."""
        if isinstance(target, gast.Subscript) and any(isinstance(item, gast.Slice) for item in walk(target.slice)):
            return None
        if lifting is not None:
            self._fix_place(target, lifting)
        elif any(isinstance(item, gast.Call | gast.NamedExpr) for item in walk(target)):
            return None
        value = copy.deepcopy(target)
        value.ctx = gast.Load()
        return value

    def _fix_place(self, target: Node, lifting: Lifting) -> None:
        """Evaluates once what leads to a target. The path itself stays: a row of an array is written through the array."""
        if not isinstance(target, gast.Subscript | gast.Attribute):
            return
        if not isinstance(target.value, gast.Name | gast.Subscript | gast.Attribute):
            target.value = lifting.saved(target.value)
            self.scope.bound.add(getattr(target.value, "id", ""))
        self._fix_place(target.value, lifting)
        if isinstance(target, gast.Subscript):
            lifting.save((target, "slice", None))

    # --- operations that find their handlers when they run ---

    def _wrap(self, node: Node) -> None:
        """Wraps the operations of a statement that nothing is put in front of."""
        if isinstance(node, (*FUNCTIONS, gast.ClassDef)):
            return
        if IS_COMPOUND[type(node)]:
            for slot in _headers(node):
                put_part(slot, self._wrapped(get_part(slot), later=not self._dynamic))
            return
        if isinstance(node, gast.AugAssign) and self._dynamic:
            what = OPERATORS.get(type(node.op))
            before = self._target_value(node.target, None) if what is not None else None
            if what is not None and before is not None and not is_safe(what, before, node.value):
                node.value = self._operand(what, before, self._wrapped(node.value), node)
                return
        for slot in _headers(node):
            put_part(slot, self._wrapped(get_part(slot), later=not self._dynamic))

    def _wrapped(self, node: Node, later: bool = False, lifting: Lifting | None = None) -> Node:
        """Makes operations find their handlers at run time; `later`: only those that run later, or that `lifting` leaves."""
        if later and isinstance(node, (*_LATER, gast.ListComp, gast.SetComp, gast.DictComp)):
            if isinstance(node, gast.Lambda):
                node.body = self._wrapped(node.body)
                return node
            first = node.generators[0].iter
            node.generators[0].iter = locations.place(gast.Constant(None, None), locations.position(first))
            if self._kinds or isinstance(node, gast.GeneratorExp):
                self._wrap_children(node, False)
            else:
                self._wrap_children(node, True)
            node.generators[0].iter = self._wrapped(first, later, lifting)
            return node
        self._wrap_children(node, later, lifting)
        if isinstance(node, gast.BinOp):
            what = OPERATORS.get(type(node.op))
            dynamic = not later or (lifting is not None and lifting.whole and lifting.operation(node) is None)
            if dynamic and what is not None and not is_safe(what, node.left, node.right):
                arguments = [gast.Constant(what, None), node.left, node.right]
                return builders.operator(self.alias, "binary", arguments, at=node)
        return node

    def _wrap_children(self, node: Node, later: bool, lifting: Lifting | None = None) -> None:
        for name in PARTS[type(node)]:
            value = getattr(node, name, None)
            if type(value) is list:
                value[:] = [item if item is None else self._wrapped(item, later, lifting) for item in value]
            elif isinstance(value, gast.AST):
                setattr(node, name, self._wrapped(value, later, lifting))


def _headers(node: Node) -> list[tuple[Any, str, int | None]]:
    """Returns the places of a statement's expressions that stand outside its blocks."""
    inside = [item for block in blocks(node) for item in block]
    found: list[tuple[Any, str, int | None]] = []
    if isinstance(node, gast.With | gast.AsyncWith):
        return [(item, "context_expr", None) for item in node.items]
    for name in PARTS[type(node)]:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [
                (node, name, i) for i, item in enumerate(value) if isinstance(item, gast.expr) and item not in inside
            ]
        elif isinstance(value, gast.expr):
            found.append((node, name, None))
    return found


def _expressions(node: Node) -> list[tuple[Any, str, int | None]]:
    """Returns the expressions that are evaluated once, before anything else that the statement does, in their order."""
    if isinstance(node, gast.With):
        return [(node.items[0], "context_expr", None)]
    if isinstance(node, (*FUNCTIONS, gast.ClassDef, gast.Delete)):
        return []
    names = {"Assert": ("test",), "For": ("iter",), "If": ("test",), "Raise": ("exc", "cause")}
    wanted = names.get(type(node).__name__, ("value",))
    return [(node, name, None) for name in wanted if isinstance(getattr(node, name, None), gast.expr)]
