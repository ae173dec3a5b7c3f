"""f-strings and `'...' % x` go through the runtime, which knows when a string shows a traced value.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x, n):
...     s = f'{x:.2f} of {len(n)!r}' + 'and %s' % n
...     print(f'{x} of {n}')
...     return s
... ''', FormattedStrings))
def f(x, n):
    s = ag__.f_string(ag__.formatted(x, '.2f'), ' of ', ag__.formatted(len(n), '', 'r')) + ag__.percent('and %s', n)
    print(f'{x} of {n}')
    return s

Each field is evaluated and formatted before the next one is, as in Python. An f-string that is only printed stays as it is written.

`%` is one of strings in a `print` and in the message of a `raise` or an `assert`, whatever stands on its left; elsewhere where that
is a string by its form, or a name that is bound to one, and in front of a tuple or a dict.

>>> print(show('''
... def f(x, n, template):
...     mine = 'loss %s'
...     if template % n > 0:
...         raise ValueError(template % x)
...     return mine % x, template % (x, n)
... ''', FormattedStrings))
def f(x, n, template):
    mine = 'loss %s'
    if template % n > 0:
        raise ValueError(ag__.percent(template, x))
    return (ag__.percent(mine, x), ag__.percent(template, (x, n)))
"""

from __future__ import annotations

import builtins
import functools
from typing import Any

import gast

from autograph.analyses.operators import callee
from autograph.code.nodes import walk
from autograph.converters import builders
from autograph.converters.base import ExpressionConverter, Node


class FormattedStrings(ExpressionConverter):
    """Writes operators for f-strings and for `%` on strings."""

    def visit_JoinedStr(self, node: Node) -> Any:
        if all(isinstance(part, gast.Constant) for part in node.values):
            return node
        values = [part for part in node.values if not isinstance(part, gast.Constant) or part.value]
        parts = [part if isinstance(part, gast.Constant) else self.field(part) for part in values]
        made = builders.operator(self.alias, "f_string", parts, at=node)
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
        if not _is_percent(node):
            return node
        return self.percent(node) if isinstance(node.right, gast.Tuple | gast.Dict) or self.is_string(node.left) else node

    def percent(self, node: Node) -> Node:
        """`left % right` as a call, which is good for numbers too; any other expression as it is."""
        return builders.operator(self.alias, "percent", [node.left, node.right], at=node) if _is_percent(node) else node

    def is_string(self, node: Node) -> bool:
        """Whether an expression may well be a string: by its form, by what the name means, or by what it is bound to."""
        if isinstance(node, gast.BinOp):
            return isinstance(node.op, gast.Add) and (self.is_string(node.left) or self.is_string(node.right))
        if isinstance(node, gast.Name) and node.id in self.conversion.bound:
            return node.id in self.string_names
        return _is_written_out(node) or type(self.conversion.meaning(node)) is str

    @functools.cached_property
    def string_names(self) -> set[str]:
        """The variables that some statement binds to a string which is written out."""
        bindings = [node for node in walk(self.conversion.tree) if isinstance(node, gast.Assign)]
        targets = [target for node in bindings if _is_written_out(node.value) for target in node.targets]
        return {target.id for target in targets if isinstance(target, gast.Name)}

    def visit_Raise(self, node: Node) -> Any:
        if isinstance(node.exc, gast.Call):
            node.exc.args = [self.percent(item) for item in node.exc.args]
        return node

    def visit_Assert(self, node: Node) -> Any:
        node.msg = self.percent(node.msg)
        return node

    def visit_Call(self, node: Node) -> Any:
        if self.conversion.static.is_builtin(callee(node, self.alias), builtins.print):
            node.args = [self.percent(_as_written(item)) for item in node.args]
        return node


def _is_percent(node: Node) -> bool:
    return isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mod)


def _is_written_out(node: Node) -> bool:
    """Whether an expression is a string by its form; so is the operator of an f-string."""
    return hasattr(node, "as_written") or (isinstance(node, gast.Constant) and isinstance(node.value, str))


def _as_written(node: Node) -> Node:
    """Returns the f-string that an operator stands for, also in the specifications of its fields."""
    written = getattr(node, "as_written", None)
    if written is None:
        return node
    for part in written.values:
        if isinstance(part, gast.FormattedValue) and part.format_spec is not None:
            part.format_spec = _as_written(part.format_spec)
    return written
