"""Tests in front of operations that may raise: what an expression evaluates before them goes into variables.

Used by `caught_operations`, which shows the result. The order of evaluation stays; operands that are names or constants stay where
they are. What is evaluated on a condition (`a and 1 / b`, `1 / b if t else 0`) becomes an `if`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import gast

from autograph.analyses.fallible import BY_RESULT, CALLS, KINDS, OPERATORS
from autograph.code import locations
from autograph.code.nodes import PARTS, children
from autograph.code.trees import dotted
from autograph.converters import builders
from autograph.converters.base import Converter, Node


class Operation(NamedTuple):
    """An operation that may raise: its name in `fallible`, the classes that handlers may catch, where its operands are."""

    what: str
    kinds: tuple[str, ...]
    operands: list[tuple[Any, str, int | None]]


class Lifting:
    """The expressions of one statement in the body of a `try`.

    Args:
        converter: the pass.
        kinds: the names of the classes that the handlers around may catch.
        namer: of the function.
        whole: only operations all of whose exceptions they may catch.
    """

    def __init__(self, converter: Converter, kinds: frozenset[str], namer: Any, whole: bool = False) -> None:
        self.converter = converter
        self.kinds = kinds
        self.namer = namer
        self.whole = whole
        self.front: list[Node] = []
        """The statements that go in front."""

    # --- what may raise ---

    def operation(self, node: Node) -> Operation | None:
        """Returns what a node does that may raise what is caught; None for most."""
        if isinstance(node, gast.BinOp):
            what = OPERATORS.get(type(node.op))
            if what is None or is_safe(what, node.left, node.right):
                return None
            slots: list[tuple[Any, str, int | None]] = [(node, "left", None), (node, "right", None)]
        elif isinstance(node, gast.Call) and not node.keywords:
            meaning = self.converter.conversion.meaning(node.func)
            what = CALLS.get(meaning) if type(meaning).__hash__ is not None else None
            if what is None or not node.args or any(isinstance(item, gast.Starred) for item in node.args):
                return None
            if what == "next" and not _is_search(node):
                return None
            if what in ("int", "round", "pow") and len(node.args) > (2 if what == "pow" else 1):
                return None
            if _is_constant(node.args[0], str, bytes):  # `int("x")` is Python's alone
                return None
            slots = [(node, "args", index) for index in range(len(node.args))]
        else:
            return None
        possible = KINDS[what]
        if what == "**" and (_is_least(node.right, 0) or (_is_least(node.left, 0) and node.left.value > 0)):
            possible = ("OverflowError",)
        kinds = tuple(kind for kind in possible if kind in self.kinds)
        return Operation(what, kinds, slots) if kinds and (kinds == possible or not self.whole) else None

    def concerns(self, *nodes: Node | None) -> bool:
        """Whether an operation that may raise is evaluated where these expressions are."""
        pending = [node for node in nodes if node is not None]
        while pending:
            node = pending.pop()
            if isinstance(node, gast.Lambda):
                continue
            if isinstance(node, gast.ListComp | gast.SetComp | gast.DictComp | gast.GeneratorExp):
                pending.append(node.generators[0].iter)
                continue
            if self.operation(node) is not None:
                return True
            pending.extend(children(node))
        return False

    # --- expressions ---

    def value(self, node: Node) -> Node:
        """Returns an expression of the same value, with the tests in front."""
        if not self.concerns(node):
            return node
        if isinstance(node, gast.BoolOp):
            return self._logical(node, self.value, None)
        if isinstance(node, gast.IfExp) and self.concerns(node.body, node.orelse):
            return self._conditional(node)
        if isinstance(node, gast.Compare) and self.concerns(*node.comparators[1:]):
            return self.value(self._chain(node))
        self._children(node)
        operation = self.operation(node)
        return node if operation is None else self._tested(node, operation)

    def test(self, node: Node) -> Node:
        """Does the same where only the truth of the expression matters."""
        if self.concerns(node):
            if isinstance(node, gast.BoolOp):
                return self._logical(node, self.test, isinstance(node.op, gast.Or))
            if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
                node.operand = self.test(node.operand)
                return node
            if isinstance(node, gast.Compare) and self.concerns(*node.comparators[1:]):
                return self.test(self._chain(node))
        return self.value(node)

    def apart(self, make: Callable[[], Node], name: str, at: Node) -> list[Node]:
        """Returns a block that evaluates an expression and keeps it in a variable."""
        outer, self.front = self.front, []
        value = make()
        block, self.front = [*self.front, builders.assign(name, value, at=at)], outer
        return block

    def saved(self, node: Node) -> Node:
        """Returns a name or constant for an expression that is evaluated now."""
        if isinstance(node, gast.Name | gast.Constant):
            return node
        name = self.namer.fresh("operand")
        self.front.append(builders.assign(name, node, at=node))
        return locations.place(builders.name(name), locations.position(node))

    def check(self, operation: Operation, arguments: list[Node], at: Node, result: Node | None = None) -> None:
        """Puts a test of the operation in front, and the `raise` behind it."""
        for kind in operation.kinds:
            found = [] if result is None else [copy.deepcopy(result)]
            self.front += self.converter.statements(
                f"if ag__.failed('{kind}', '{operation.what}', ($args,), $result):\n"
                f"    raise ag__.failure('{kind}', '{operation.what}', ($again,))",
                at=at,
                args=[copy.deepcopy(item) for item in arguments],
                again=[copy.deepcopy(item) for item in arguments],
                result=found,
            )

    def _tested(self, node: Node, operation: Operation) -> Node:
        if operation.what == "next":
            return self._found(node)
        arguments = []
        for slot in operation.operands:
            saved = self.saved(get_part(slot))
            put_part(slot, saved)
            arguments.append(saved)
        if isinstance(node, gast.Call):
            node.func = builders.operator(self.converter.alias, "attempt", [node.func], at=node.func)
        if operation.what in BY_RESULT:
            node = self.saved(node)
            self.check(operation, arguments, node, node)
        else:
            self.check(operation, arguments, node)
        return node

    def _found(self, node: Node) -> Node:
        """`next(e for x in xs if t)`: `None` where there is no item, which are tuples of one, so that none of them is `None`."""
        conversion = self.converter.conversion
        name = self.namer.fresh("found")
        conversion.outcomes.add(name)
        conversion.kinds.add(gast.If)
        [generator] = node.args
        generator.elt = locations.place(gast.Tuple([generator.elt], gast.Load()), locations.position(generator.elt))
        node.args.append(locations.place(gast.Constant(None, None), locations.position(node)))
        self.front.append(builders.assign(name, node, at=node))
        self.front += self.converter.statements(f"if {name} is None:\n    raise StopIteration", at=node)
        return self.converter.expression(f"{name}[0]", at=node)

    def _children(self, node: Node) -> None:
        slots = _slots(node)
        last = max((i for i, slot in enumerate(slots) if self.concerns(get_part(slot))), default=-1)
        for index, slot in enumerate(slots[: last + 1]):
            put_part(slot, self.value(get_part(slot)))
            if index < last:
                self.save(slot)

    def save(self, slot: tuple[Any, str, int | None]) -> None:
        """Replaces an expression, or the parts that are expressions, by names or constants that are evaluated now."""
        node = get_part(slot)
        if isinstance(node, gast.Slice):
            for name in ("lower", "upper", "step"):
                if getattr(node, name) is not None:
                    setattr(node, name, self.saved(getattr(node, name)))
        elif isinstance(node, gast.Tuple) and any(isinstance(item, gast.Slice) for item in node.elts):
            for index in range(len(node.elts)):
                self.save((node, "elts", index))
        elif isinstance(node, gast.Starred | gast.keyword | gast.FormattedValue):
            node.value = self.saved(node.value)
        else:
            put_part(slot, self.saved(node))

    def _logical(self, node: Node, lift: Callable[[Node], Node], decided: bool | None) -> Node:
        """`a and b`, where `b` may raise; `decided`: what the truth is once `a` decides, where only that matters."""
        first, *rest = node.values
        if not self.concerns(*rest):
            node.values[0] = lift(first)
            return node
        last = rest[0] if len(rest) == 1 else locations.place(gast.BoolOp(node.op, rest), locations.position(node))
        name = self.namer.fresh("operand")
        left = lift(first)
        otherwise: list[Node] = []
        if decided is None:
            self.front.append(builders.assign(name, left, at=node))
            left = builders.name(name)
        else:
            otherwise = [builders.assign(name, gast.Constant(decided, None), at=node)]
        block = self.apart(lambda: lift(last), name, last)
        if isinstance(node.op, gast.Or):
            left = gast.UnaryOp(gast.Not(), left)
        return self._either(locations.place(left, locations.position(first)), block, otherwise, name, node)

    def _conditional(self, node: Node) -> Node:
        test = self.test(node.test)
        name = self.namer.fresh("operand")
        body = self.apart(lambda: self.value(node.body), name, node.body)
        orelse = self.apart(lambda: self.value(node.orelse), name, node.orelse)
        return self._either(test, body, orelse, name, node)

    def _either(self, test: Node, body: list[Node], orelse: list[Node], name: str, at: Node) -> Node:
        self.front.append(locations.place(gast.If(test, body, orelse), locations.position(at)))
        return locations.place(builders.name(name), locations.position(at))

    def _chain(self, node: Node) -> Node:
        """`a < b < c` as `a < b and b < c`."""
        left = self.saved(self.value(node.left))
        middle = self.saved(self.value(node.comparators[0]))
        first = gast.Compare(left, node.ops[:1], [middle])
        rest = gast.Compare(copy.deepcopy(middle), node.ops[1:], node.comparators[1:])
        return locations.place(gast.BoolOp(gast.And(), [first, rest]), locations.position(node))


def _is_search(call: Node) -> bool:
    """Whether it is the `next` of a generator with a filter: what other iterators have left is known."""
    generator = call.args[0]
    return len(call.args) == 1 and isinstance(generator, gast.GeneratorExp) and bool(generator.generators[-1].ifs)


def is_safe(what: str, left: Node, right: Node) -> bool:
    """Whether an operator raises nothing for these operands, by their form."""
    if what == "%" and (isinstance(left, gast.JoinedStr) or _is_constant(left, str, bytes)):
        return True
    return (
        _is_least(right, 0) and right.value > 0 if what != "**" else _is_constant(right, int) and right.value in (0, 1)
    )


def _is_least(node: Node, least: int) -> bool:
    return _is_constant(node, int, float) and node.value >= least


def _is_constant(node: Node, *kinds: type) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, kinds)


def get_part(slot: tuple[Any, str, int | None]) -> Node:
    """Returns the node in a field, or in a place of a list in a field."""
    owner, name, index = slot
    return getattr(owner, name) if index is None else getattr(owner, name)[index]


def put_part(slot: tuple[Any, str, int | None], node: Node) -> None:
    """Puts a node there."""
    owner, name, index = slot
    if index is None:
        setattr(owner, name, node)
    else:
        getattr(owner, name)[index] = node


def _slots(node: Node) -> list[tuple[Any, str, int | None]]:
    """Returns where the operands of a node are, in the order of evaluation."""
    if isinstance(node, gast.Dict):
        pairs = [(node, name, i) for i in range(len(node.values)) for name in ("keys", "values")]
        return [slot for slot in pairs if get_part(slot) is not None]
    found: list[tuple[Any, str, int | None]] = []
    if isinstance(node, gast.ListComp | gast.SetComp | gast.DictComp | gast.GeneratorExp):
        return [(node.generators[0], "iter", None)]
    for name in PARTS[type(node)]:
        value = getattr(node, name, None)
        if isinstance(node, gast.Call) and name == "func":
            if dotted(value) is None:
                found.append((value, "value", None) if isinstance(value, gast.Attribute) else (node, name, None))
        elif isinstance(node, gast.NamedExpr) and name == "target":
            continue
        elif type(value) is list:
            found += [(node, name, index) for index, item in enumerate(value) if item is not None]
        elif isinstance(value, gast.AST):
            found.append((node, name, None))
    return found
