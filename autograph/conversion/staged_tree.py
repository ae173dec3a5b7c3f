"""From a function's node to its staged tree: there and back through gast, with the converters between.

Only the function's own node makes the way: gast there and back costs several times what parsing costs.
"""

from __future__ import annotations

import ast
import contextlib
import gc
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Any

from autograph import errors
from autograph.analyses import argument_writes
from autograph.code.names import Namespace
from autograph.code.source import Source
from autograph.code.stack_room import room
from autograph.code.trees import changed
from autograph.options import ConversionContext, ConversionOptions

DEPTH = 20_000
"""Frames that walks over trees may need."""


def staged_tree(
    found: Source, namespace: Namespace, options: ConversionOptions, runtime: Any = None
) -> tuple[Any, str]:
    """Returns the staged `ast` node of a function, and the name that stands for the runtime in it.

    Args:
        found: where the function stands.
        namespace: what its names mean.
        options: see `ConversionOptions`.
        runtime: a constant to put instead of that name.
    """
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
        writers=argument_writes.lookup(found.filename, lambda: argument_writes.of_source(found.file)),
    )
    return convert_tree(found.node, context, {} if runtime is None else {alias: runtime}), alias


def convert_tree(node: Any, context: ConversionContext, constants: Mapping[str, Any] | None = None) -> Any:
    """Returns the staged `ast` node for a function's node.

    What is evaluated outside the function (decorators, defaults, annotations) stays as it is; decorators are left out.

    Args:
        node: the function's node in the tree of its file; it is not changed.
        context: what else is known about the function.
        constants: names that become these constants where they are read.
    """
    from autograph import converters
    from autograph.code import translation

    bare = changed(node.args, defaults=[], kw_defaults=[None] * len(node.args.kwonlyargs))
    outside: dict[str, Any] = {"args": node.args}
    if isinstance(node, ast.Lambda):
        body = changed(node, args=bare)
    else:
        outside["returns"] = node.returns
        body = changed(node, args=bare, returns=None, decorator_list=[])
    try:
        with building_trees():
            tree = translation.to_ast(converters.apply_passes(translation.to_gast(body), context), constants)
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
def building_trees() -> Iterator[None]:
    """Gives conversion what it needs of the interpreter.

    Room for expressions as deep as Python's compiler takes them: tree walks need several frames a level. And no garbage
    collection: a tree is many objects that live until the end, and each time some hundreds more of them exist the
    collector looks at all, and at whatever else is in memory; that was a third of the time.
    """
    collects = gc.isenabled()
    if collects:
        gc.disable()
    try:
        with room(DEPTH):
            yield
    finally:
        if collects:
            gc.enable()
