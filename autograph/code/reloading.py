"""Which definition of a file a function was compiled from that `%autoreload 2` of IPython 9 put instead of an older one.

IPython compiles no file then, but what `ast.unparse` makes of each definition that was edited: a function alone, its decorators
dropped or not; a method in a class of another name; a class alone. So comments are gone, and lines begin at 1. A definition of
the file that compiles to equal code in the same way is the one, and the functions in it stand in the same order in both sources.

>>> text = "# helps\\n\\n\\ndef helper(x):\\n    # of x\\n    return lambda: x\\n"
>>> space = {}
>>> exec(compile(ast.unparse(ast.parse(text)), "<reloaded>", "exec"), space)
>>> helper, tree = space["helper"], ast.parse(text)
>>> [(code.co_firstlineno, node_of(code, tree, "helper").lineno) for code in (helper.__code__, helper(1).__code__)]
[(1, 4), (2, 6)]
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from types import CodeType

from autograph.code.code_places import (
    FUTURE_FLAGS,
    FunctionNode,
    by_place,
    codes_in,
    matching,
    quietly,
    same_code,
    scopes_below,
)

_CLASS = "__autoreload_class__"
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def node_of(code: CodeType, tree: ast.Module, qualname: str) -> FunctionNode | None:
    """Returns the function of a file that a code object was compiled from, in the way of IPython.

    Args:
        qualname: what the function that runs the code says; it tells methods of two classes apart whose sources are the same.
    """
    for definition in _definitions(code.co_qualname.split("."), tree, qualname):
        for module in _modules(definition, code):
            root = quietly(compile, module, code.co_filename, "exec", code.co_flags & FUTURE_FLAGS, True)
            if any(same_code(code, candidate) for candidate in codes_in(root)):
                return _counterpart(code, module, definition)
    return None


def _definitions(path: list[str], tree: ast.Module, qualname: str) -> list[_Definition]:
    """Returns the definitions that IPython may have compiled alone to get code of this name; those of the function's
    own name first.
    """
    found: list[tuple[bool, _Definition]] = []
    classes: set[ast.ClassDef] = set()
    for node, chain in scopes_below(tree, ()):
        around = [scope for scope in chain if isinstance(scope, ast.ClassDef)]
        classes.update(around)
        if not isinstance(node, ast.Lambda) and len(around) == len(chain):
            if node.name == (path[1] if path[0] == _CLASS else path[0]):
                found.append((".".join([*(scope.name for scope in around), node.name]) != qualname, node))
    found += [(True, scope) for scope in classes if scope.name == path[0]]
    return [definition for _, definition in sorted(found, key=lambda item: item[0])]


def _modules(definition: _Definition, code: CodeType) -> Iterator[ast.Module]:
    """Yields the modules, of this definition alone, that IPython may have compiled."""
    text = textwrap.dedent(ast.unparse(definition))
    if code.co_qualname.startswith(_CLASS):
        text = f"class {_CLASS}:\n" + textwrap.indent(text, "    ")
    yield quietly(ast.parse, text)
    if definition.decorator_list:
        module: ast.Module = quietly(ast.parse, text)
        _without_decorators(module.body[0])
        yield module


def _without_decorators(node: ast.AST) -> None:
    assert isinstance(node, _Definition)
    node.decorator_list = []


def _counterpart(code: CodeType, module: ast.Module, definition: _Definition) -> FunctionNode | None:
    """Returns the node of the file that stands where the code's does in what was compiled."""
    there, here = list(scopes_below(module, ())), list(scopes_below(definition, ()))
    inside = {id(part) for decorator in definition.decorator_list for part in ast.walk(decorator)}
    if len(there) != len(here):  # its decorators were dropped
        here = [entry for entry in here if id(entry[0]) not in inside]
    found = matching(code, by_place(there))
    if found is None or len(there) != len(here):
        return None
    return here[[node for node, _ in there].index(found[0])][0]
