"""The passes, in their order, each with the reason for its place.

`apply_passes` takes a function as the user wrote it and returns the staged body (docs/architecture.md has its shape).
"""

from __future__ import annotations

from typing import Any

import gast

from autograph import first_use, switches
from autograph.analyses.loops import as_in_grammar
from autograph.converters.base import Conversion, Converter
from autograph.options import ConversionContext

_LOOPS = (gast.While, gast.For)
_STATEMENTS = (*_LOOPS, gast.If, gast.Match)
_TRIES = (gast.Try, gast.TryStar, gast.With)

CONVERTERS: dict[str, tuple[type, ...]] = {
    "declarations:HoistDeclarations": (gast.Global, gast.Nonlocal, gast.AnnAssign),  # first: they would move with statements
    "match_statements:MatchStatements": (gast.Match,),  # before anything counts `if`s: cases become some
    "caught_statements:CaughtStatements": (gast.Assert, gast.With),  # before anything counts `raise`s
    "named_generators:NamedGenerators": (gast.GeneratorExp,),  # before operations are taken out of calls, and out of generators
    "caught_operations:CaughtOperations": _TRIES,  # sees the `try`s that statements became, and makes `raise`s
    "directives:Directives": _LOOPS,  # while each directive still stands in its own loop
    "argument_writes:ArgumentWrites": (gast.Call,),  # before analyses of names, as the next one
    "element_assignments:ElementAssignments": (gast.Subscript, gast.Attribute, gast.AugAssign),  # `x[i] = v` binds `x`
    "outer_writes:OuterWrites": (),  # sees the assignments that element assignments became
    "optional_values:OptionalValues": (*_STATEMENTS, gast.IfExp, gast.BoolOp, gast.Compare, gast.Attribute),  # before tests count
    "unbound_reads:UnboundReads": (),  # on the user's own jumps: a flag hides what it guards
    "first_bindings:FirstBindings": _STATEMENTS,  # sees the reads that those made
    "jumps:Jumps": (),  # before control flow, whose bodies no jump can leave
    "control_flow:ControlFlow": (),  # before expressions: an operand's lambda would look to it like a closure that captures
    "expressions:Expressions": (),  # needs to know what became a function of a statement
    "named_operands:NamedOperands": (gast.NamedExpr,),  # when every operand is the lambda of an operator
    "super_calls:SuperCalls": (gast.Call,),  # when everything that moves has moved
    "declarations:Declarations": (),  # last: only now is it known which scope binds what
}
"""The class of each pass, by the place where it is found when it is first needed. What follows are the nodes of which the user
must have written one for the pass to have anything to do; none: there may always be something."""

STRICT = switches.is_on("AUTOGRAPH_DEBUG")
"""Check the tree after every pass; tests do so too."""


def find_pass(place: str) -> type[Converter]:
    """Returns the class of a pass."""
    return first_use.find(f"autograph.converters.{place}")


def apply_passes(tree: Any, context: ConversionContext, *, strict: bool | None = None) -> Any:
    """Makes the staged body of a function.

    Args:
        tree: a gast `FunctionDef`, `AsyncFunctionDef` or `Lambda`, with positions in the user's file; it is changed.
        context: what else is known about the function.
        strict: whether to check the tree after every pass; `STRICT` by default.
    Returns:
        the tree; its attribute `made` holds the names of the functions in it that converters made, and nobody else.
    """
    conversion = Conversion(tree, context)
    checks = first_use.find("autograph.converters.checks") if (STRICT if strict is None else strict) else None
    for place, only_for in CONVERTERS.items():
        if only_for and conversion.kinds.isdisjoint(only_for):
            continue
        converter = find_pass(place)
        tree = converter(conversion).convert(tree)
        if checks:
            checks.check_tree(tree, converter.__name__, removes=converter.removes)
    for loop in conversion.loops:
        as_in_grammar(loop)
    tree.made = frozenset(made.name for made in conversion.region_functions)
    if checks:
        checks.check_result(tree, conversion.alias)
    return tree
