"""Running a Python file as `__main__` with all its own functions converted.

The file is compiled with a call of `autograph.convert` around each outermost function at its definition, below the
decorators that the author wrote. Positions stay the author's, so tracebacks and breakpoints are those of `python FILE`.
"""

import ast
import os
import sys
import traceback
import types
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from typing import Any

from autograph.api import convert
from autograph.code.source import quietly
from autograph.errors import trim
from autograph.modules.module_conversion import ParsedModule

# A constant that no program contains; it becomes the function `convert` once the code exists, so that the script's
# namespace has no name of ours.
_MARK = "\0autograph.convert"
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it


def run_script(filename: str, arguments: Sequence[str]) -> int:
    """Runs the file and returns its exit code.

    `sys.argv`, `sys.path[0]`, `__name__` and `__file__` are what `python FILE ARGUMENTS` makes them.

    Raises:
        OSError: it cannot be read.
        InvalidSource: it is no Python.
        SystemExit: the script's own.
    """
    path = os.path.abspath(filename)
    with open(path, "rb") as file:
        code = compile_script(ParsedModule.read(file.read(), filename), path)
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=path, __cached__=None, __builtins__=sys.modules["builtins"], __annotations__={})
    main.__loader__ = SourceFileLoader("__main__", path)
    sys.modules["__main__"] = main
    sys.argv = [filename, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    try:
        exec(code, main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        _report(trim(error))
        return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _report(error: BaseException) -> None:
    """Shows an uncaught exception as the interpreter does."""
    hook: Any = sys.excepthook
    try:
        hook(type(error), error, error.__traceback__)
    except BaseException:  # a hook of the script's own that fails, as the interpreter handles it
        traceback.print_exc()


def compile_script(module: ParsedModule, path: str) -> types.CodeType:
    """The code of a module in which every outermost function is converted at its definition."""
    compile(module.text.text, path, "exec", dont_inherit=True)  # for its warnings; the next one is silent
    lambdas: set[int] = set()
    for target in module.targets:
        if isinstance(target.node, ast.Lambda):
            lambdas.add(id(target.node))
        else:
            mark = ast.copy_location(ast.Constant(_MARK), target.node)
            mark.end_lineno, mark.end_col_offset = mark.lineno, mark.col_offset
            target.node.decorator_list.append(mark)
    tree = _Lambdas(lambdas).visit(module.text.tree)
    return _with_convert(quietly(compile, tree, path, "exec", 0, True))


class _Lambdas(ast.NodeTransformer):
    """Puts a call of the mark around each of the given lambdas."""

    def __init__(self, chosen: set[int]) -> None:
        self.chosen = chosen

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        if id(node) not in self.chosen:
            return node
        return ast.copy_location(ast.Call(ast.copy_location(ast.Constant(_MARK), node), [node], []), node)


def _with_convert(code: types.CodeType) -> types.CodeType:
    constants = tuple(
        _with_convert(constant) if isinstance(constant, types.CodeType) else convert if constant == _MARK else constant
        for constant in code.co_consts
    )
    return code.replace(co_consts=constants)
