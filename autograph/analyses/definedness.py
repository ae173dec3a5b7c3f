"""Which reads of a variable may find it unbound.

A forward walk over the function as the user wrote it: after every statement, the variables that are bound on each way
there. Loops may take no iteration, a `try` may be left anywhere, `del` and the end of an `except ... as n` unbind. Only what
matters for staging is reported: reads inside functional statements, and of variables that functional statements bind.
Scopes inside (closures, comprehensions) count by what they capture while it may be unbound.

>>> import gast
>>> from autograph.analyses.scopes import Scopes
>>> function = gast.parse('''
... def f(c):
...     if c:
...         y = 1
...     else:
...         z = 2
...         y = 3
...     return y + z
... ''').body[0]
>>> found = Definedness(function, Scopes(function, "ag__").of(function), lambda node: False, "ag__")
>>> sorted(node.id for node in found.reads)
['z']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from autograph.analyses.bits import ALL, Bits
from autograph.analyses.effects import Effects
from autograph.analyses.loops import IS_COMPOUND, statements_inside
from autograph.analyses.operators import immediate, is_operator, operands, parameter_nodes
from autograph.analyses.scopes import Scope
from autograph.code.nodes import PARTS, methods, walk

_JUMPS = (gast.Break, gast.Continue)


class Definedness:
    """Reads and deletes of one function that may find their variable unbound.

    Args:
        function: a `def` with its jumps in place.
        scope: its scope.
        is_native: whether a statement stays a Python statement.
        alias: the name of the runtime.
        moves: whether statements may move into functional ones later: then every read counts.
    """

    def __init__(
        self, function: Any, scope: Scope, is_native: Callable[[Any], bool], alias: str, *, moves: bool = False
    ) -> None:
        self._bits = Bits()
        self._locals = self._bits.mask(scope.locals)
        self._is_native = is_native
        self._alias = alias
        self._effects = Effects(alias)
        self._depth = int(moves)
        self._staged = 0  # what functional statements bind
        self._found: list[
            tuple[Any, Any, bool]
        ] = []  # name, statement that unbinds it or None, inside a functional one
        self._breaks: list[int] = []
        self._lost = self._unbinding(function)
        self._free = {child.node: self._bits.mask(child.free) for child in scope.children}
        self._captured = 0  # what scopes inside take from here that may be unbound
        self._tries: list[Any] = []
        self._bound_by: dict[Any, int] = {}
        self._bound_by_tests = 0  # what operands of `and`, `or` bind
        self._doubted = 0
        before = self._bits.mask(item.id for item in parameter_nodes(function.args))
        self._block(function.body, before)
        # A staged test keeps no value for a variable that is also read where the test does not show that it is bound.
        self._doubted = self._bound_by_tests & self._bits.mask(node.id for node, _, _ in self._found)
        if self._doubted:
            self._found.clear()
            self._block(function.body, before)

    @property
    def reads(self) -> set[Any]:
        """The `Name` nodes of such reads."""
        return {node for node, statement, inside in self._found if statement is None and self._matters(node, inside)}

    @property
    def updates(self) -> dict[Any, list[str]]:
        """For a `del` or an augmented assignment: the names that it may find unbound."""
        found: dict[Any, list[str]] = {}
        for node, statement, inside in self._found:
            if statement is not None and self._matters(node, inside):
                found.setdefault(statement, []).append(node.id)
        return found

    @property
    def captured(self) -> set[str]:
        """Variables that closures, comprehensions and class bodies may find unbound, staged or not."""
        return set(self._bits.names(self._captured & self._locals))

    @property
    def staged(self) -> set[str]:
        """Variables that functional statements bind."""
        return set(self._bits.names(self._staged))

    @property
    def bound_by(self) -> dict[Any, set[str]]:
        """For a `try` that no other one encloses: the variables that are bound behind it, and never read unbound within.

        Whether a way through it leaves one of them unbound can be seen nowhere: no jump within the function leads around what
        binds it.
        """
        seen = self._captured | self._lost
        return {node: set(self._bits.names(mask & ~seen)) for node, mask in self._bound_by.items()}

    def _matters(self, node: Any, inside: bool) -> bool:
        return inside or bool(self._bits.mask([node.id]) & self._staged)

    def _unbinding(self, function: Any) -> int:
        """Returns all names that the function unbinds anywhere."""
        names: list[str] = []
        for node in statements_inside(function.body):
            if isinstance(node, gast.Delete):
                names.extend(item.id for item in walk(node) if isinstance(item, gast.Name))
            names.extend(item.name.id for item in getattr(node, "handlers", ()) if item.name is not None)
        return self._bits.mask(names)

    # --- statements: what is bound before gives what is bound after ---

    def _block(self, statements: list[Any], bound: int) -> int:
        for node in statements:
            bound = self._statement(node, bound)
        return bound

    def _statement(self, node: Any, bound: int) -> int:
        visit = _STATEMENTS[type(node)]
        if not IS_COMPOUND[type(node)]:
            return visit(self, node, bound)
        staged = not self._is_native(node)
        self._depth += staged
        bound = visit(self, node, bound)
        self._depth -= staged
        return bound

    def _simple(self, node: Any, bound: int) -> int:
        if isinstance(node, gast.AugAssign):
            if isinstance(node.target, gast.Name):
                self._read(node.target, bound, node)
            bound = self._evaluate([node.target, node.value], bound)
        elif isinstance(node, gast.Delete):
            for target in node.targets:
                if isinstance(target, gast.Name):
                    self._read(target, bound, node)
            return bound & ~self._write(node)
        elif isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef):
            parts = node.decorator_list + (
                [*node.bases, *node.keywords] if isinstance(node, gast.ClassDef) else immediate(node.args)
            )
            bound = self._evaluate(parts, bound)
            self._capture(node, bound | self._write(node))
        else:
            bound = self._evaluate(node, bound)
        return bound | self._write(node)

    def _capture(self, node: Any, bound: int) -> None:
        """Takes note of what a scope inside may find unbound when it runs: now, or at any time later."""
        self._captured |= self._free[node] & (~bound | self._lost)

    def _write(self, node: Any) -> int:
        mask = self._bits.mask(self._effects.of(node).kills)
        if self._depth:
            self._staged |= mask
        return mask

    def _visit_Return(self, node: Any, bound: int) -> int:
        self._evaluate(node.value, bound)
        return ALL

    def _visit_Raise(self, node: Any, bound: int) -> int:
        self._evaluate([node.exc, node.cause], bound)
        return ALL

    def _visit_Break(self, node: Any, bound: int) -> int:
        self._breaks[-1] &= bound
        return ALL

    def _visit_Continue(self, node: Any, bound: int) -> int:
        return ALL

    def _visit_If(self, node: Any, bound: int) -> int:
        bound = self._evaluate(node.test, bound)
        true, false = self._branches(node.test, bound)
        return self._block(node.body, true) & self._block(node.orelse, false)

    def _visit_While(self, node: Any, bound: int) -> int:
        bound &= ~self._lost
        self._breaks.append(ALL)
        bound = self._evaluate(node.test, bound)
        true, false = self._branches(node.test, bound)
        self._block(node.body, true)
        forever = isinstance(node.test, gast.Constant) and bool(node.test.value)
        broken = self._breaks.pop()
        return broken & (ALL if forever else self._block(node.orelse, false))

    def _visit_For(self, node: Any, bound: int) -> int:
        bound = self._evaluate(node.iter, bound) & ~self._lost
        self._breaks.append(ALL)
        self._block(node.body, bound | self._write(node.target))
        broken = self._breaks.pop()
        return broken & self._block(node.orelse, bound)

    _visit_AsyncFor = _visit_For

    def _visit_With(self, node: Any, bound: int) -> int:
        for item in node.items:
            bound = self._evaluate(item.context_expr, bound)
            if item.optional_vars is not None:
                bound = self._evaluate(item.optional_vars, bound) | self._write(item.optional_vars)
        return self._block(node.body, bound)

    _visit_AsyncWith = _visit_With

    def _visit_Try(self, node: Any, bound: int) -> int:
        before = len(self._found)
        self._tries.append(node)
        after = self._try(node, bound)
        self._tries.pop()
        if not self._tries and not any(isinstance(item, _JUMPS) for item in walk(node)):
            unbound = self._bits.mask(item.id for item, _, _ in self._found[before:])
            self._bound_by[node] = after & self._locals & ~unbound
        return after

    def _try(self, node: Any, bound: int) -> int:
        caught = bound & ~self._lost
        after = self._block(node.orelse, self._block(node.body, bound))
        for handler in node.handlers:
            state = self._evaluate(handler.type, caught)
            if handler.name is not None:
                name = self._bits.mask([handler.name.id])
                if self._depth:
                    self._staged |= name
                after &= ~name & self._block(handler.body, state | name)
            else:
                after &= self._block(handler.body, state)
        if not node.finalbody:
            return after
        final = self._block(node.finalbody, caught)
        return final if final == ALL else (after & ~self._lost) | final

    _visit_TryStar = _visit_Try

    def _visit_Match(self, node: Any, bound: int) -> int:
        bound = after = self._evaluate(node.subject, bound)
        for case in node.cases:
            inside = self._evaluate(case.pattern, bound) | self._write(case.pattern)
            after &= self._block(case.body, self._evaluate(case.guard, inside))
        return after

    # --- expressions ---

    def _branches(self, test: Any, bound: int) -> tuple[int, int]:
        """Returns what is bound where a test holds and where it does not: names bound by walrus in operands of `and`, `or`."""
        if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
            true, false = self._branches(test.operand, bound)
            return false, true
        if isinstance(test, gast.BoolOp):
            every = bound
            for value in test.values:
                every |= self._bits.mask(self._effects.of(value).kills)
            self._bound_by_tests |= every & ~bound
            every = bound | (every & ~self._doubted)
            return (every, bound) if isinstance(test.op, gast.And) else (bound, every)
        return bound, bound

    def _read(self, node: Any, bound: int, statement: Any = None) -> None:
        name = self._bits.mask([node.id])
        if name & self._locals & ~bound:
            self._found.append((node, statement, self._depth > 0))

    def _evaluate(self, node: Any, bound: int) -> int:
        """Visits an expression in the order in which it is evaluated; gives what is bound after it."""
        return _EVALUATE[type(node)](self, node, bound)

    def _parts(self, node: Any, bound: int) -> int:
        for name in PARTS[type(node)]:
            value = getattr(node, name, None)
            if value is not None:
                bound = _EVALUATE[type(value)](self, value, bound)
        return bound

    def _evaluate_list(self, nodes: list[Any], bound: int) -> int:
        for node in nodes:
            bound = _EVALUATE[type(node)](self, node, bound)
        return bound

    def _evaluate_Name(self, node: Any, bound: int) -> int:
        if type(node.ctx) is gast.Load:
            self._read(node, bound)
        return bound

    def _evaluate_NamedExpr(self, node: Any, bound: int) -> int:
        return self._evaluate(node.value, bound) | self._write(node.target)

    def _evaluate_Lambda(self, node: Any, bound: int) -> int:
        bound = self._evaluate(immediate(node.args), bound)
        self._capture(node, bound)
        return bound

    def _evaluate_Assign(self, node: Any, bound: int) -> int:
        return self._evaluate([node.value, *node.targets], bound)

    def _evaluate_comprehension_scope(self, node: Any, bound: int) -> int:
        bound = self._evaluate(node.generators[0].iter, bound)
        self._capture(node, bound)
        return bound

    _evaluate_ListComp = _evaluate_SetComp = _evaluate_DictComp = _evaluate_GeneratorExp = _evaluate_comprehension_scope

    def _evaluate_Call(self, node: Any, bound: int) -> int:
        if not is_operator(node, self._alias):
            return self._parts(node, bound)
        inside = operands(node)
        for item in [*node.args, *(keyword.value for keyword in node.keywords)]:
            if item in inside:
                self._operand(item.body, bound)
            else:
                bound = self._evaluate(item, bound)
        return bound

    def _conditional(self, node: Any, bound: int) -> int:
        """Visits operands that may not be evaluated: they become lambdas, in which an unbound variable is not Python's
        error either.
        """
        if isinstance(node, gast.IfExp):
            bound = self._evaluate(node.test, bound)
            true, false = self._branches(node.test, bound)
            return self._operand(node.body, true) & self._operand(node.orelse, false)
        if isinstance(node, gast.Compare):
            bound = inside = self._evaluate([node.left, node.comparators[0]], bound)
            for value in node.comparators[1:]:
                inside = self._operand(value, inside)
            return bound
        bound = inside = self._evaluate(node.values[0], bound)
        for previous, value in zip(node.values, node.values[1:], strict=False):
            true, false = self._branches(previous, inside)
            inside = self._operand(value, true if isinstance(node.op, gast.And) else false)
        return bound

    _evaluate_BoolOp = _evaluate_IfExp = _evaluate_Compare = _conditional

    def _operand(self, node: Any, bound: int) -> int:
        self._depth += 1
        bound = self._evaluate(node, bound)
        self._depth -= 1
        return bound


_STATEMENTS = methods(Definedness, "_visit_", Definedness._simple)
_EVALUATE = methods(Definedness, "_evaluate_", Definedness._parts)
