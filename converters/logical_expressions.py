"""`and`, `or` and `not` become `ag__.and_`, `ag__.or_`, `ag__.not_`.

>>> from autograph.converters.showing import show
>>> print(show("def f(a, b, c): return a and not b and c", LogicalExpressions))
def f(a, b, c):
    return ag__.and_(a, lambda: ag__.and_(ag__.not_(b), lambda: c))

Operands after the first are lambdas, so they are evaluated only when Python evaluates them. Operands that are static
together stay as they are (`x is None or isinstance(x, int)`).

`and` and `or` give one of their operands, of which a test reads the truth and no more. Where it is only known when the
program runs which one, an object or a list and a bool cannot become one value; their truths can:

>>> print(show("def f(a, b): return 1 if a and b > 0 else 2", LogicalExpressions))
def f(a, b):
    return 1 if ag__.and_(a, lambda: b > 0, test=True) else 2
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses.name_kinds import is_bool_expression
from autograph.analyses.operators import TRUTHS, callee, is_operator, variable
from autograph.code.nodes import walk
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node

LONGEST_CHAIN = 8  # operands that nest to the right; more are halved, for Python's compiler recurses
_TESTING = (gast.If, gast.While, gast.IfExp, gast.Assert)
_TESTING_OPERATORS = frozenset(
    {"if_stmt", "while_loop", "if_exp", "assert_", "comp_test", "comp_where", "comp_kept", "comp_counted"}
)


class LogicalExpressions(ExpressionConverter):
    """Makes functions of right operands; a test says of its parts that only their truth counts."""

    def convert(self, tree: Node) -> Node:
        self.tests: set[Node] = set()
        if not self.conversion.kinds.isdisjoint((gast.BoolOp, gast.While, gast.Match)):
            for node in walk(tree):
                self.find_tests(node)
            for test in self.conversion.tests:
                self.is_test(test)
        return super().convert(tree)

    def find_tests(self, node: Node) -> None:
        """Takes note of the tests that are parts of a node."""
        if isinstance(node, _TESTING):
            self.is_test(node.test)
        elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            self.is_test(node.operand)
        elif isinstance(node, gast.comprehension):
            for test in node.ifs:
                self.is_test(test)
        elif is_operator(node, self.alias):
            if node.func.attr in _TESTING_OPERATORS:
                self.is_test(node.args[0])
            for keyword in node.keywords:
                if keyword.arg == "test":
                    self.is_test(keyword.value)
        elif isinstance(node, gast.Call) and len(node.args) == 1 and isinstance(node.args[0], gast.BoolOp):
            if self.conversion.static.is_builtin(callee(node, self.alias), bool):
                self.is_test(node.args[0])

    def is_test(self, node: Node) -> None:
        """Takes note of `and` and `or` in a test, where the value of an operand may be something else than its truth."""
        if isinstance(node, gast.Lambda):
            node = node.body
        if isinstance(node, gast.BoolOp):
            if not all(map(self.is_truth, node.values)):
                self.tests.add(node)
            for value in node.values:
                self.is_test(value)

    def is_truth(self, node: Node) -> bool:
        """Whether an expression is one bool by its form or by its name; a comparison may be an array with one."""
        node = variable(node, self.alias)
        if isinstance(node, gast.Name):
            return node.id in self.conversion.flags
        if isinstance(node, gast.BoolOp):
            return all(map(self.is_truth, node.values))
        if isinstance(node, gast.Compare):
            return len(node.ops) == 1 and isinstance(node.ops[0], gast.Is | gast.IsNot | gast.In | gast.NotIn)
        return is_bool_expression(node) or (is_operator(node, self.alias) and node.func.attr in TRUTHS)

    def visit_BoolOp(self, node: Node) -> Any:
        if self.conversion.static.holds(node) or not self.may_be_operand(*node.values[1:]):
            return node
        return self.chain("and_" if isinstance(node.op, gast.And) else "or_", node.values, node, node in self.tests)

    def chain(self, text: str, values: list[Node], at: Node, test: bool) -> Node:
        """Returns a right-nested chain of calls; both operators are associative."""
        if len(values) == 1:
            return values[0]
        cut = 1 if len(values) <= LONGEST_CHAIN else len(values) // 2
        left, right = self.chain(text, values[:cut], at, test), self.chain(text, values[cut:], at, test)
        return builders.conditional(self.alias, text, left, right, at=at, test=test)

    def visit_UnaryOp(self, node: Node) -> Any:
        if not isinstance(node.op, gast.Not) or self.conversion.static.holds(node.operand):
            return node
        return builders.operator(self.alias, "not_", [node.operand], at=node)
