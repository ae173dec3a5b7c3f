"""Which syntax node a code object was compiled from, and whether two code objects are the same.

A `def` is found by its name and first line, a lambda by the columns of its instructions.

>>> space = {}
>>> text = "a, b = (lambda x: x + 1), (lambda x: x + 1)"
>>> exec(compile(text, "<two>", "exec"), space)
>>> places = by_place(scopes_below(ast.parse(text), ()))
>>> [matching(fn.__code__, places)[0].col_offset for fn in (space["a"], space["b"])]
[8, 27]
"""

from __future__ import annotations
import __future__

import ast
import warnings
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any

from autograph.code.nodes import children

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Scope = FunctionNode | ast.ClassDef | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
Chain = tuple[Scope, ...]
Places = dict[tuple[str, int], list[tuple[FunctionNode, Chain]]]

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
CO_ITERABLE_COROUTINE = 0x100
# `nested_scopes` shares its bit with CO_NESTED.
FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    if _name != "nested_scopes":
        FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag


def quietly(function: Any, *args: Any) -> Any:
    """Calls the compiler without its warnings: Python gave them when the user's file was imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args)


def first_line(node: ast.AST) -> int:
    """Returns the first line of a statement as the compiler counts it: decorators belong to a `def`."""
    decorators = getattr(node, "decorator_list", None)
    return min(decorators[0].lineno, node.lineno) if decorators else node.lineno  # type: ignore[attr-defined]


def scopes_below(root: ast.AST, chain: Chain) -> Iterator[tuple[FunctionNode, Chain]]:
    """Yields every function in a tree with the scopes around it; `chain` are those around `root`.

    Decorators, defaults, annotations and base classes belong to the scope around a definition, and so does the first
    iterable of a comprehension.
    """
    stack: list[tuple[ast.AST, Chain]] = [(root, chain)]
    while stack:
        node, around = stack.pop()
        kind = type(node)
        if kind not in _SCOPES:
            stack.extend([(child, around) for child in children(node)])
            continue
        scope: Any = node
        inside = (*around, scope)
        if isinstance(scope, _FUNCTIONS):
            yield scope, around
        if isinstance(scope, COMPREHENSIONS):
            first = scope.generators[0]
            within = [part for part in children(scope) if part is not first]
            within += [part for part in children(first) if part is not first.iter]
            outside = [first.iter]
        else:
            within = [scope.body] if kind is ast.Lambda else scope.body
            names = {id(part) for part in within}
            outside = [part for part in children(scope) if id(part) not in names]
        stack.extend([(part, inside) for part in within])
        stack.extend([(part, around) for part in outside])


_SCOPES = frozenset({*_FUNCTIONS, *COMPREHENSIONS, ast.ClassDef})


def by_place(entries: Iterable[tuple[FunctionNode, Chain]]) -> Places:
    """Returns functions by their names and first lines."""
    table: Places = {}
    for node, chain in entries:
        name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        table.setdefault((name, first_line(node)), []).append((node, chain))
    return table


def matching(code: CodeType, table: Places) -> tuple[FunctionNode, Chain] | None:
    """Returns the node that a code object was compiled from."""
    candidates = table.get((code.co_name, code.co_firstlineno), [])
    if not candidates or not isinstance(candidates[0][0], ast.Lambda):
        return candidates[0] if candidates else None
    span = _span(code)
    if span is None:
        return next((entry for entry in candidates if _same_alone(entry[0], code)), None)
    start, end = span
    found: tuple[FunctionNode, Chain] | None = None
    for entry in candidates:
        body: Any = entry[0].body
        if (body.lineno, body.col_offset) <= start and end <= (body.end_lineno, body.end_col_offset):
            # the innermost of nested lambdas starts last
            if found is None or (body.lineno, body.col_offset) > (found[0].body.lineno, found[0].body.col_offset):  # type: ignore[union-attr]
                found = entry
    return found


def _span(code: CodeType) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Returns the first and last position of a lambda's instructions; None for a lambda that only returns a constant."""
    starts, ends = [], []
    for line, end_line, column, end_column in code.co_positions():
        # Instructions that prepare the frame have no position, or an empty one at the start of the line. So has the
        # return of a constant on Python 3.12.
        if line is not None and end_line is not None and column is not None and end_column:
            starts.append((line, column))
            ends.append((end_line, end_column))
    return (min(starts), max(ends)) if starts else None


def _same_alone(node: Any, code: CodeType) -> bool:
    """Whether a lambda compiles to the same instructions and constants: then it does not matter which one it is."""
    alone = quietly(compile, ast.Expression(node), code.co_filename, "eval", code.co_flags & FUTURE_FLAGS, True)
    made = next(constant for constant in alone.co_consts if isinstance(constant, CodeType))
    return made.co_code == code.co_code and _same_constant(made.co_consts, code.co_consts)


def codes_in(root: CodeType) -> Iterator[CodeType]:
    """Yields the code objects in the constants of a code object, at any depth, without itself."""
    stack = [root]
    while stack:
        for constant in stack.pop().co_consts:
            if isinstance(constant, CodeType):
                yield constant
                stack.append(constant)


_LAYOUT = (
    "co_name",
    "co_qualname",
    "co_firstlineno",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_freevars",
)
_BODY = ("co_names", "co_varnames", "co_cellvars", "co_code", "co_linetable", "co_exceptiontable")


def same_code(a: CodeType, b: CodeType) -> bool:
    """Whether two code objects are the same except for the file name, and for what `array_types.coroutine` marks."""
    same = all(getattr(a, name) == getattr(b, name) for name in _LAYOUT + _BODY)
    return same and (a.co_flags ^ b.co_flags) & ~CO_ITERABLE_COROUTINE == 0 and _same_constant(a.co_consts, b.co_consts)


def _same_constant(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, CodeType):
        return same_code(a, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same_constant, a, b))
    if isinstance(a, (float, complex)):
        return repr(a) == repr(b)  # NaN, -0.0
    return bool(a == b)


def same_but_for_pytest(code: CodeType, candidate: CodeType) -> bool:
    """Whether `code` is `candidate` with its `assert` statements rewritten by pytest.

    The rewritten code cannot be compiled again from the source; signature, free variables and the lines that hold code
    must agree.
    """
    if not any("@pytest_ar" in c.co_names for c in (code, *codes_in(code))):
        return False
    lines = [{line for *_, line in c.co_lines() if line is not None} for c in (code, candidate)]
    return lines[0] == lines[1] and all(getattr(code, name) == getattr(candidate, name) for name in _LAYOUT)
