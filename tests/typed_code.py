"""Whether a program types what a message names in code: `x[i] = v` is typed by `ys[n - 1] = 2 * a`.

Names in lower case stand for any expression, and so do `...` and numbers; what Python or an import knows by its name is meant as it
is written. Arguments that a call of the message lacks may follow.

>>> is_typed("x[i] = v", "ys[n - 1] = 2 * a"), is_typed("if r is None:", "if f(x) is None:\\n    y = 1")
(True, True)
>>> is_typed("jnp.where(mask, x, neutral)", "y = jnp.where(x > 0, x, 0)"), is_typed("d.get(key, 0)", "d.get('a')")
(True, False)
"""

from __future__ import annotations

import ast
import builtins
import functools
import keyword
import re
from collections.abc import Iterator

MODULES = frozenset({"ag", "jax", "jnp", "np", "copy", "functools", "math", "nnx", "nn"})
_MEANT = MODULES | frozenset(vars(builtins)) | {"inf"}
_ATTRIBUTES = frozenset({"v", "x", "method"})
_HOLES = re.compile(r"^[a-z_][a-z_0-9]*$|^[A-Z]$")


def is_typed(code: str, program: str) -> bool:
    """Whether a program has a part of the form of `code`."""
    if keyword.iskeyword(code) or code.startswith("@") or not re.search(r"\w", code):  # `if`, `==`
        return re.search(rf"(?<!\w){re.escape(code)}(?!\w)", program) is not None
    if code == "jax.numpy":
        return "jnp" in program or code in program
    if len(code) == 1:  # a name in what was said before
        return True
    if code.isidentifier() or re.fullmatch(r"\w+=\w*", code):  # an option, a name
        return re.search(rf"\b{re.escape(code)}", program) is not None
    return any(_fits(_pattern(code), node) for node in _nodes(program))


@functools.lru_cache(maxsize=16)
def _nodes(program: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(program)))


def _pattern(code: str) -> ast.AST:
    """The tree of a part of code; a header gets a body, and an option (`inplace=False`) a call."""
    for text in (code, f"{code} pass", f"{code}: pass", f"x{code}"):
        try:
            [statement] = ast.parse(text).body
        except SyntaxError:
            continue
        if isinstance(statement, ast.For):
            return statement.iter
        return statement.value if isinstance(statement, ast.Expr) or _is_binding(statement) else statement
    raise AssertionError(f"no code: {code}")


def _is_binding(statement: ast.stmt) -> bool:
    """Whether a statement gives a value a name, which a program may do without."""
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)


def _fits(wanted: object, found: object) -> bool:
    if isinstance(wanted, ast.Constant) and (wanted.value is ... or type(wanted.value) in (int, float, str)):
        return isinstance(found, ast.expr)
    if isinstance(wanted, ast.Name) and wanted.id not in _MEANT and _HOLES.match(wanted.id):
        return isinstance(found, ast.expr)
    if (name := _known_name(wanted)) and name == getattr(found, "attr", getattr(found, "id", "")):
        return True  # by whatever name its module was imported
    if isinstance(wanted, ast.Call) and isinstance(found, ast.Call):
        return _fits(wanted.func, found.func) and _are_given(wanted, found)
    if type(wanted) is not type(found):
        return False
    if isinstance(wanted, list) and isinstance(found, list):
        return len(wanted) == len(found) and all(map(_fits, wanted, found))
    if not isinstance(wanted, ast.AST):
        return wanted == found or (isinstance(wanted, str) and wanted in _ATTRIBUTES)
    return all(_fits(part, getattr(found, name)) for name, part in _parts(wanted))


def _known_name(node: object) -> str:
    """The name of what stands in a module, or in a class of Python's: `where` for `jnp.where`."""
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    is_known = isinstance(root, ast.Name) and root.id in _MEANT
    return node.attr if isinstance(node, ast.Attribute) and is_known else ""


def _are_given(wanted: ast.Call, found: ast.Call) -> bool:
    """Whether a call has the arguments of another one."""
    if any(isinstance(part, ast.Constant) and part.value is ... for part in wanted.args):
        return True
    keywords = {item.arg: item.value for item in found.keywords}
    named = all(item.arg in keywords and _fits(item.value, keywords[item.arg]) for item in wanted.keywords)
    return named and len(wanted.args) <= len(found.args) and all(map(_fits, wanted.args, found.args))


def _parts(node: ast.AST) -> Iterator[tuple[str, object]]:
    for name, value in ast.iter_fields(node):
        is_body = isinstance(node, ast.stmt) and name in ("body", "orelse", "type_comment")
        if not is_body and name not in ("ctx", "kind"):
            yield name, value
