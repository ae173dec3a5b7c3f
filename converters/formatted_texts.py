"""f-strings and `'...' % x` go through the runtime, which knows when a text shows a traced value.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x, n):
...     s = f'{x:.2f} of {len(n)!r}' + 'and %s' % n
...     print(f'{x} of {n}')
...     return s
... ''', FormattedTexts))
def f(x, n):
    s = ag__.text(ag__.formatted(x, '.2f'), ' of ', ag__.formatted(len(n), '', 'r')) + ag__.percent('and %s', n)
    print(f'{x} of {n}')
    return s

Each field is evaluated and formatted before the next one is, as in Python. What is only printed stays as it is written.
"""

from __future__ import annotations

import builtins
from typing import Any

import gast

from autograph.analyses.operators import callee, is_operator
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node


class FormattedTexts(ExpressionConverter):
    """Writes operators for f-strings and for `%` on texts."""

    def visit_JoinedStr(self, node: Node) -> Any:
        if all(isinstance(part, gast.Constant) for part in node.values):
            return node
        values = [part for part in node.values if not isinstance(part, gast.Constant) or part.value]
        parts = [part if isinstance(part, gast.Constant) else self.field(part) for part in values]
        made = builders.operator(self.alias, "text", parts, at=node)
        made.as_written = node
        return made

    def field(self, value: Node) -> Node:
        """`{value!r:spec}` as a call."""
        conversion = chr(value.conversion) if value.conversion > 0 else ""
        spec = value.format_spec or gast.Constant("", None)
        if isinstance(spec, gast.JoinedStr):
            spec = gast.Constant("".join(part.value for part in spec.values), None)
        arguments = [value.value]
        if conversion or not isinstance(spec, gast.Constant) or spec.value:
            arguments.append(spec)
        if conversion:
            arguments.append(gast.Constant(conversion, None))
        return builders.operator(self.alias, "formatted", arguments, at=value.value)

    def visit_BinOp(self, node: Node) -> Any:
        left = node.left
        is_text = isinstance(left, gast.Constant) and isinstance(left.value, str)
        if not isinstance(node.op, gast.Mod) or not is_text:
            return node
        return builders.operator(self.alias, "percent", [left, node.right], at=node)

    def visit_Call(self, node: Node) -> Any:
        if any(is_operator(item, self.alias) and item.func.attr == "text" for item in node.args):
            if self.conversion.static.is_builtin(callee(node, self.alias), builtins.print):
                node.args = [_as_written(item) for item in node.args]
        return node


def _as_written(node: Node) -> Node:
    """The f-string that an operator stands for, also in the specifications of its fields."""
    written = getattr(node, "as_written", None)
    if written is None:
        return node
    for part in written.values:
        if isinstance(part, gast.FormattedValue) and part.format_spec is not None:
            part.format_spec = _as_written(part.format_spec)
    return written
