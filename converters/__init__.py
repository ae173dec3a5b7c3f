"""The passes, in their order, each with the reason for its place.

`convert` takes a function as the user wrote it and returns the staged body (docs/architecture.md has its shape).
"""

from __future__ import annotations

from typing import Any

from autograph import switches
from autograph.analyses.loops import as_in_grammar
from autograph.converters import checks
from autograph.converters.argument_writes import ArgumentWrites
from autograph.converters.asserts import Asserts
from autograph.converters.base import Conversion, Converter
from autograph.converters.bool_arithmetic import BoolArithmetic
from autograph.converters.calls import Calls
from autograph.converters.caught_operations import CaughtOperations
from autograph.converters.caught_statements import CaughtStatements
from autograph.converters.comparisons import Comparisons
from autograph.converters.comprehensions import Comprehensions
from autograph.converters.conditional_expressions import ConditionalExpressions
from autograph.converters.context_managers import ContextManagers
from autograph.converters.control_flow import ControlFlow
from autograph.converters.declarations import Declarations, HoistDeclarations
from autograph.converters.directives import Directives
from autograph.converters.element_assignments import ElementAssignments
from autograph.converters.first_bindings import FirstBindings
from autograph.converters.formatted_texts import FormattedTexts
from autograph.converters.handlers import Handlers
from autograph.converters.jumps import Jumps
from autograph.converters.key_orders import KeyOrders
from autograph.converters.logical_expressions import LogicalExpressions
from autograph.converters.match_statements import MatchStatements
from autograph.converters.named_generators import NamedGenerators
from autograph.converters.named_operands import NamedOperands
from autograph.converters.optional_values import OptionalValues
from autograph.converters.outer_writes import OuterWrites
from autograph.converters.powers import Powers
from autograph.converters.subscripts import Subscripts
from autograph.converters.super_calls import SuperCalls
from autograph.converters.unbound_reads import UnboundReads
from autograph.options import ConversionContext


class Expressions(
    Asserts,
    ContextManagers,
    Handlers,
    BoolArithmetic,
    Comparisons,
    Comprehensions,
    ConditionalExpressions,
    FormattedTexts,
    KeyOrders,
    LogicalExpressions,
    Powers,
    Subscripts,
    Calls,
):
    """Those that rewrite one node each, in one walk: children first, so their order hardly matters.

    One after the other, `Comparisons` would go before those that ask whether a test is static.
    """


CONVERTERS: tuple[type[Converter], ...] = (
    HoistDeclarations,  # first: declarations inside statements would move with them
    MatchStatements,  # before anything counts `if`s: cases become some
    CaughtStatements,  # before anything counts `raise`s
    NamedGenerators,  # before operations are taken out of calls, and out of generators
    CaughtOperations,  # sees the `try`s that statements became, and makes `raise`s
    Directives,  # while each directive still stands in its own loop
    ArgumentWrites,  # before element assignments, which declare the names that it binds
    ElementAssignments,  # before analyses of names: `x[i] = v` binds `x`
    OuterWrites,  # sees the assignments that element assignments became
    OptionalValues,  # before anything asks which tests are known: `x is None` may not be
    UnboundReads,  # on the user's own jumps: a flag hides what it guards
    FirstBindings,  # sees the reads that those made
    Jumps,  # before control flow, whose bodies no jump can leave
    ControlFlow,  # before expressions: an operand's lambda would look to it like a closure that captures
    Expressions,  # needs to know what became a function of a statement
    NamedOperands,  # when every operand is the lambda of an operator
    SuperCalls,  # when everything that moves has moved
    Declarations,  # last: only now is it known which scope binds what
)

STRICT = switches.is_on("AUTOGRAPH_DEBUG")
"""Check the tree after every pass; tests do so too."""


def convert(tree: Any, context: ConversionContext, *, strict: bool | None = None) -> Any:
    """The staged body of a function.

    Args:
        tree: a gast `FunctionDef`, `AsyncFunctionDef` or `Lambda`, with positions in the user's file; it is changed.
        context: what else is known about the function.
        strict: whether to check the tree after every pass; `STRICT` by default.
    Returns:
        the tree; its attribute `made` holds the names of the functions in it that converters made, and nobody else.
    """
    conversion = Conversion(tree, context)
    for converter in CONVERTERS:
        if converter.only_for and conversion.kinds.isdisjoint(converter.only_for):
            continue
        tree = converter(conversion).convert(tree)
        if STRICT if strict is None else strict:
            checks.check(tree, converter.__name__, removes=converter.removes)
    for loop in conversion.loops:
        as_in_grammar(loop)
    tree.made = frozenset(made.name for made in conversion.region_functions)
    if STRICT if strict is None else strict:
        checks.check_result(tree)
    return tree
