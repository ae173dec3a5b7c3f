"""Recognising calls of our own operators in a tree that is half converted.

>>> import gast
>>> call = gast.parse("ag__.read(lambda: y)", mode="eval").body
>>> is_operator(call, "ag__"), [lambda_.body.id for lambda_ in operands(call)]
(True, ['y'])
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.code.nodes import children, walk


def is_operator(node: Any, alias: str) -> bool:
    """Whether `node` is `ag__.something(...)`."""
    if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Attribute):
        return False
    return isinstance(node.func.value, gast.Name) and node.func.value.id == alias


_CALLERS = frozenset({"attempt", "converted", "asking", "fold", "taken"})


def callee(call: gast.Call, alias: str) -> Any:
    """Returns what a call calls: `f`, also in `ag__.converted(f)(x)` and its like."""
    func = call.func
    return func.args[0] if is_operator(func, alias) and func.func.attr in _CALLERS else func


_READS = frozenset({"some", "read", "read_free"})


def variable(node: Any, alias: str) -> Any:
    """Returns the variable that an expression reads, also as `ag__.some(x, 'x')` or `ag__.read(lambda: x)`; else itself.

    >>> node = gast.parse("ag__.some(ag__.read(lambda: y), 'y')", mode="eval").body
    >>> variable(node, "ag__").id
    'y'
    """
    while is_operator(node, alias) and node.func.attr in _READS:
        node = node.args[0]
        node = node.body if isinstance(node, gast.Lambda) else node
    return node


def operands(call: gast.Call) -> list[gast.Lambda]:
    """Returns the lambdas without parameters that a converter made arguments of an operator: it calls them before it returns.

    So their bodies belong to the scope around the call: what they read is read there and then, not captured. A lambda of
    the author's is a value like any other, as in `ag__.set_attr(lambda: y, x, 'a')`.
    """
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return [
        item
        for item in arguments
        if isinstance(item, gast.Lambda) and not is_authors(item) and not parameter_nodes(item.args)
    ]


def mark_authors(tree: Any) -> None:
    """Takes note of the lambdas in a tree as the author's; copies of a node keep what was noted."""
    for node in walk(tree):
        if type(node) is gast.Lambda:
            node.is_authors = True


def is_authors(node: Any) -> bool:
    """Whether the author wrote a lambda, and no converter."""
    return hasattr(node, "is_authors")


def parameter_nodes(arguments: gast.arguments) -> list[gast.Name]:
    """Returns all parameters, in the order of `co_varnames`."""
    named = [*(arguments.posonlyargs or ()), *(arguments.args or ()), *(arguments.kwonlyargs or ())]
    return named + [item for item in (arguments.vararg, arguments.kwarg) if item is not None]


def immediate(arguments: gast.arguments) -> list[Any]:
    """Returns what a `def` or `lambda` evaluates when it is executed: defaults and annotations."""
    defaults = [*(arguments.defaults or ()), *(item for item in arguments.kw_defaults or () if item is not None)]
    return defaults + [item.annotation for item in parameter_nodes(arguments) if item.annotation is not None]


ARITHMETIC = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "and_", "or_", "not_", "compare"})
"""Cost and fail no more than arithmetic."""
TRUTHS = frozenset({"not_", "in_", "not_in", "is_", "is_not", "is_none"})
"""Return one bool."""
_SIGNS = (gast.Add, gast.Sub, gast.Mult, gast.USub, gast.Eq, gast.NotEq, gast.Lt, gast.LtE, gast.Gt, gast.GtE)


def is_arithmetic(node: Any, alias: str) -> bool:
    """Whether an expression adds, subtracts, multiplies and compares names and constants, and combines truths.

    Of numbers that cannot fail. Division, powers and indexing are left out: they can fail on Python numbers, and have no
    derivative everywhere.

    >>> texts = "0 < x", "ag__.eq(x, -y * 2)", "ag__.and_(x, lambda: y)", "1 / x", "d['a']", "f(x)", "x is None"
    >>> [is_arithmetic(gast.parse(text, mode="eval").body, "ag__") for text in texts]
    [True, True, True, False, False, False, False]
    """
    if isinstance(node, gast.Compare):
        parts, is_known = [node.left, *node.comparators], all(isinstance(sign, _SIGNS) for sign in node.ops)
    elif isinstance(node, gast.BinOp | gast.UnaryOp):
        parts, is_known = [*children(node)], isinstance(node.op, _SIGNS)
    elif is_operator(node, alias):
        parts = [item.body if isinstance(item, gast.Lambda) else item for item in node.args]
        is_known = node.func.attr in ARITHMETIC and {keyword.arg for keyword in node.keywords} <= {"test"}
    else:
        return isinstance(node, gast.Name | gast.Constant)
    return is_known and all(is_arithmetic(part, alias) for part in parts)
