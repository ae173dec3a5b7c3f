"""What passes make of a part of code, as source: for examples, tests and debugging.

>>> from autograph.converters.logical_expressions import LogicalExpressions
>>> from autograph.converters.logical_expressions import LogicalExpressions
>>> from autograph.converters.showing import show
>>> print(show("def f(a, b): return a and b", LogicalExpressions))
def f(a, b):
    return ag__.and_(a, lambda: b)
"""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Mapping
from typing import Any

import gast

from autograph.analyses.argument_writes import ModuleWriters
from autograph.analyses.loops import as_in_grammar
from autograph.converters import checks
from autograph.converters.base import Conversion, Converter
from autograph.options import MISSING, ConversionContext


def show(
    source: str, *passes: type[Converter], names: Mapping[str, Any] | None = None, writers: ModuleWriters | None = None
) -> str:
    """Returns the source of the first function of `source` after the passes, without blank lines.

    Args:
        source: a module; its first statement is the function.
        passes: run in the order given.
        names: what names of outside mean, besides builtins.
        writers: the functions that write elements of their parameters.
    """
    context = context_for(source, names or {}, writers=lambda filename, name: writers.named(name) if writers else ())
    tree = gast.ast_to_gast(ast.parse(textwrap.dedent(source))).body[0]
    conversion = Conversion(tree, context)
    for item in passes:
        tree = item(conversion).convert(tree)
        checks.check_tree(tree, item.__name__, removes=item.removes)
    for loop in conversion.loops:
        as_in_grammar(loop)
    return source_of_tree(tree)


def source_of_tree(tree: Any) -> str:
    """Returns the source of a gast tree, without blank lines."""
    lines = ast.unparse(gast.gast_to_ast(tree)).splitlines()
    return "\n".join(line for line in lines if line.strip())


def context_for(source: str, names: Mapping[str, Any], **facts: Any) -> ConversionContext:
    """Returns a context for a part of source: `names` and builtins are what its names mean."""

    def resolve(dotted: str) -> Any:
        first, *rest = dotted.split(".")
        meaning = names.get(first, getattr(builtins, first, MISSING))
        for part in rest:
            meaning = getattr(meaning, part, MISSING)
        return meaning

    given = {"freevars": frozenset[str](), "class_name": None, **facts}
    return ConversionContext("<text>", tuple(source.splitlines()), "f", resolve=resolve, **given)
