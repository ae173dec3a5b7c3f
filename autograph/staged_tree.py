"""From a function's node to its staged tree: there and back through gast, with the converters between.

Only the function's own node makes the way: gast there and back costs several times what parsing costs.
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Iterator
from types import CodeType
from typing import Any

from autograph import errors
from autograph.names import Namespace
from autograph.options import ConversionContext, ConversionOptions
from autograph.source import Source
from autograph.trees import changed


def staged_tree(found: Source, namespace: Namespace, options: ConversionOptions) -> tuple[Any, str]:
    """The staged `ast` node of a function, and the name that stands for the runtime in it."""
    alias = _fresh("ag__", found.code)
    context = ConversionContext(
        filename=found.filename,
        lines=found.lines,
        name=found.code.co_qualname,
        freevars=frozenset(found.code.co_freevars),
        class_name=found.class_name,
        resolve=namespace.resolve,
        options=options,
        alias=alias,
    )
    return convert_tree(found.node, context), alias


def convert_tree(node: Any, context: ConversionContext) -> Any:
    """The staged `ast` node for a function's node.

    What is evaluated outside the function (decorators, defaults, annotations) stays as it is; decorators are left out.
    """
    import gast

    from autograph import converters

    bare = changed(node.args, defaults=[], kw_defaults=[None] * len(node.args.kwonlyargs))
    outside: dict[str, Any] = {"args": node.args}
    if isinstance(node, ast.Lambda):
        body = changed(node, args=bare)
    else:
        outside["returns"] = node.returns
        body = changed(node, args=bare, returns=None, decorator_list=[])
    try:
        with deep_recursion():
            tree = gast.gast_to_ast(converters.convert(gast.ast_to_gast(body), context))
    except (errors.AutoGraphError, MemoryError):
        raise
    except Exception as error:
        raise errors.ConversionError(
            f"the conversion of `{context.name}` failed: {type(error).__name__}: {error}",
            at=(context.filename, node.lineno),
            why="this is a defect of the library",
            instead="leave the function as it is with `@ag.do_not_convert`, and report it",
        ) from error
    return changed(tree, **outside)


def _fresh(name: str, code: CodeType) -> str:
    """`name`, with a number when the function, or one inside it, uses it already."""
    used: set[str] = set()
    stack = [code]
    while stack:
        part = stack.pop()
        used.update(part.co_names, part.co_varnames, part.co_freevars, part.co_cellvars)
        stack.extend(constant for constant in part.co_consts if isinstance(constant, CodeType))
    return next(name + end for end in ("", *map(str, range(2, len(used) + 3))) if name + end not in used)


@contextlib.contextmanager
def deep_recursion() -> Iterator[None]:
    """Room for expressions as deep as Python's compiler takes them: tree walks need several frames a level."""
    limit = sys.getrecursionlimit()
    needed = 20_000
    if limit >= needed:
        yield
        return
    sys.setrecursionlimit(needed)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
