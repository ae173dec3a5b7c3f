"""The passes that rewrite one expression or small statement each, as one pass that walks the tree once."""

from __future__ import annotations

from autograph.converters.asserts import Asserts
from autograph.converters.bool_arithmetic import BoolArithmetic
from autograph.converters.calls import Calls
from autograph.converters.comparisons import Comparisons
from autograph.converters.comprehensions import Comprehensions
from autograph.converters.conditional_expressions import ConditionalExpressions
from autograph.converters.context_managers import ContextManagers
from autograph.converters.formatted_strings import FormattedStrings
from autograph.converters.handlers import Handlers
from autograph.converters.key_orders import KeyOrders
from autograph.converters.logical_expressions import LogicalExpressions
from autograph.converters.powers import Powers
from autograph.converters.repeated_lists import RepeatedLists
from autograph.converters.start_values import StartValues
from autograph.converters.subscripts import Subscripts


class Expressions(
    FormattedStrings,
    Asserts,
    ContextManagers,
    Handlers,
    BoolArithmetic,
    Comparisons,
    Comprehensions,
    ConditionalExpressions,
    KeyOrders,
    LogicalExpressions,
    Powers,
    RepeatedLists,
    StartValues,
    Subscripts,
    Calls,
):
    """Children first, so their order hardly matters.

    One after the other, `Comparisons` would go before those that look whether a test is static.
    """
