"""What to write instead of a line that shows a traced value while the program is traced.

>>> debug_print('print(f"loss {loss:.3f} of {n!r:>3}")')
"jax.debug.print('loss {:.3f} of {:>3}', loss, n)"
>>> debug_print('print("loss", loss, "%d%%" % n)'), debug_print('print("n: " + str(n))')
("jax.debug.print('loss {} {}%', loss, n)", "jax.debug.print('n: {}', n)")
"""

from __future__ import annotations

import ast
import re
from string import Formatter
from typing import Any, TypeGuard

_PERCENT = re.compile(r"%(%|[+ 0]?[0-9.]*[diuoxXeEfFgG]|s)")
_NO_STATEMENT = re.compile(r"^(?:else\s*:\s*|el(?=if\b))")
"""What begins a line of an `if` so that the line is none of its own."""


class _Unknown(Exception):
    """The line shows something in a way that has no counterpart."""


def debug_print(line: str) -> str:
    """The call that shows when the program runs what a line shows; empty where the line is not plain enough."""
    try:
        tree = ast.parse(_NO_STATEMENT.sub("", line.strip()))
        shown: list[Any] = [node.args for node in ast.walk(tree) if _is_call(node, "print")]
        shown = shown or [[node] for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)][:1]
        if len(shown) != 1:
            return ""
        parts = [_parts(node) for node in shown[0]]
    except (SyntaxError, ValueError, _Unknown):
        return ""
    values = [value for _, inside in parts for value in inside]
    return f"jax.debug.print({', '.join([repr(' '.join(text for text, _ in parts)), *values])})" if values else ""


def _is_call(node: Any, name: str) -> TypeGuard[ast.Call]:
    is_named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    return is_named and not node.keywords


def _parts(node: Any) -> tuple[str, list[str]]:
    """The string that an expression shows, with fields in it, and the expressions of the fields."""
    if isinstance(node, ast.Constant):
        return _escaped(str(node.value)), []
    if isinstance(node, ast.JoinedStr):
        fields = [_field(part) if isinstance(part, ast.FormattedValue) else _parts(part) for part in node.values]
        return "".join(text for text, _ in fields), [value for _, inside in fields for value in inside]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and (_is_string(node.left) or _is_string(node.right)):
        (text, values), (more, others) = _parts(node.left), _parts(node.right)
        return text + more, values + others
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_string(node.left):
        given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return _filled(_PERCENT.sub(_field_of_percent, _escaped(_constant(node.left))), given)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_string(node.func.value):
        return _filled(_constant(node.func.value) if node.func.attr == "format" and not node.keywords else "", node.args)
    if (_is_call(node, "str") or _is_call(node, "repr")) and len(node.args) == 1:
        return "{}", [ast.unparse(node.args[0])]
    if isinstance(node, ast.Starred):
        raise _Unknown
    return "{}", [ast.unparse(node)]


def _is_string(node: Any) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _field(part: ast.FormattedValue) -> tuple[str, list[str]]:
    spec = "" if part.format_spec is None else f":{_constant(part.format_spec)}"
    return f"{{{spec}}}", [ast.unparse(part.value)]  # `!r` too, which for an array of JAX is no number


def _field_of_percent(found: re.Match[str]) -> str:
    """The field of `str.format` for one of `%`."""
    if found[0] == "%%":
        return "%"
    spec = found[1].rstrip("dius")  # what `{}` does by itself
    return f"{{:{spec}}}" if spec else "{}"


def _filled(text: str, values: list[Any]) -> tuple[str, list[str]]:
    """A string whose fields are filled one after the other."""
    fields = [(name, spec, conversion) for _, name, spec, conversion in Formatter().parse(text) if name is not None]
    if len(fields) != len(values) or any(name or conversion or "{" in (spec or "") for name, spec, conversion in fields):
        raise _Unknown
    if any(isinstance(value, ast.Starred) for value in values):
        raise _Unknown
    return text, [ast.unparse(value) for value in values]


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _constant(text: ast.expr) -> str:
    """What a string without fields says."""
    if any(isinstance(part, ast.FormattedValue) for part in ast.walk(text)):
        raise _Unknown
    return "".join(str(part.value) for part in ast.walk(text) if isinstance(part, ast.Constant))
