"""What the converters share: the state of one conversion, visiting, templates.

Two kinds of converters exist. A `StatementConverter` gets each function of the user's once and rearranges its blocks. An
`ExpressionConverter` rewrites single nodes, children first, wherever an expression may become an operator call: not in
decorators and annotations, and not at the level of a class body, whose names no lambda could see.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import gast

from autograph.analyses.loops import IS_COMPOUND, block_places
from autograph.analyses.name_kinds import NameKinds, name_kinds
from autograph.analyses.nativeness import Nativeness, suspends
from autograph.analyses.open_lengths import opens_lengths
from autograph.analyses.operators import callee, is_operator, mark_authors, operands
from autograph.analyses.scopes import COMPREHENSIONS, FUNCTIONS, Scopes
from autograph.analyses.start_values import start_values
from autograph.analyses.static_tests import StaticTests
from autograph.code import templates
from autograph.code.naming import Namer
from autograph.code.nodes import PARTS, ByKind, children, inventory, methods, walk, walk_outside
from autograph.code.trees import dotted
from autograph.options import MISSING, ConversionContext

Node = Any  # gast ships no types
_FRAME_CALLS = frozenset(("locals", "vars", "dir", "eval", "exec"))


_COMPARING = (gast.Compare, gast.BoolOp, gast.While)


class Conversion:
    """What is known about one tree on its way through the converters.

    Args:
        tree: the user's function.
        context: what else is known about it.
    """

    def __init__(self, tree: Node, context: ConversionContext) -> None:
        self.tree = tree
        self.context = context
        self.alias = context.alias
        self.scopes = Scopes(tree, self.alias)
        """The user's scopes, as they were before the first pass."""
        self.functions = self.scopes.functions
        """The user's functions, outer ones first; passes change them in place."""
        self.bound = frozenset[str]().union(*(scope.bound for scope in self.scopes))
        self.resolve = partial(_resolve, self.bound, context)
        """The object that a dotted name means, or `MISSING`; names that the tree binds mean nothing yet."""
        self.static = StaticTests(self.resolve)
        kinds, words = inventory(tree)
        if gast.Lambda in kinds:
            mark_authors(tree)
        options = context.options
        self.kinds = kinds.union([gast.Try] * options.in_try, [gast.Compare] * options.asked)
        """The types of the nodes that the user wrote, also around a call of the function: `Try` where it stands in one, `Compare`
        where its result is compared with `None`."""
        self.may_suspend = not kinds.isdisjoint((gast.Yield, gast.YieldFrom, gast.Await, gast.AsyncFunctionDef))
        self.opens_lengths = opens_lengths(tree, lambda node: type(self.meaning(node)) is int)
        """Whether the function may make an array of unknown length, which functions of jax.numpy do not take."""
        self.has_walrus = gast.NamedExpr in kinds
        self.names = words | context.freevars | {self.alias}
        self.may_be_unbound: dict[Node, set[str]] = {}
        """By function, the variables that some read may find unbound."""
        self.bound_by: dict[Node, set[str]] = {}
        """By `try`, the variables that are surely bound behind it, whatever its branches leave unbound (`Definedness`)."""
        self.optional: dict[Node, set[str]] = {}
        """By function, the variables that may hold `None` or a value when the program runs."""
        self.none_flags: dict[Node, str] = {}
        """By function that may return `None` or a value, the variable that says whether its caller tests which."""
        self.read_none_flags: set[str] = set()
        """Those of these variables that are read."""
        self.return_values: dict[Node, set[str]] = {}
        """By function, the variables that only a `return` reads whose caller may test for `None`."""
        self.flags: set[str] = set()
        """Variables that jumps became."""
        self.transient: set[str] = set()
        """Temporaries that are never read where the statement that sets them did not run just before."""
        self.outcomes: set[str] = set()
        """Temporaries that hold `None` or a value."""
        self.tests: list[Node] = []
        """Tests that functions of ours return."""
        self.region_functions: set[Node] = set()
        """Functions that converters made; all others are the user's."""
        self.loops: list[Node] = []
        """Loops that have more fields than the grammar's."""
        self.shared: dict[Node, set[str]] = {}
        """By function, the parameters whose elements it writes."""
        self._namers: dict[Node, Namer] = {}
        self._nativeness: dict[Node, Nativeness] = {}
        self._sees_frame: dict[Node, bool] = {}
        self._names_frame = not self.names.isdisjoint(_FRAME_CALLS)
        self.name_kinds = name_kinds(tree) if not kinds.isdisjoint(_COMPARING) else NameKinds()
        """Which names the user's source uses as numbers, or binds to containers."""
        may_start = gast.Compare in kinds and not any(map(self.sees_frame, self.functions))
        self.start_values = start_values(tree, self.meaning) if may_start else frozenset[str]()
        """Variables that begin with a float beyond 32 bits and are only compared."""

    def meaning(self, node: Node) -> Any:
        """Returns the object that an expression names, or `MISSING`."""
        name = dotted(node)
        return MISSING if name is None else self.resolve(name)

    def namer(self, function: Node) -> Namer:
        """Returns the namer of fresh variables for a function of the user."""
        return self._namers.setdefault(function, Namer(self.names))

    def nativeness(self, function: Node) -> Nativeness:
        """Tells which statements of a function stay native: decided once, before jumps are lowered, and kept up by that pass."""
        if function not in self._nativeness:
            self._nativeness[function] = Nativeness(function, self.static, may_suspend=self.may_suspend)
        return self._nativeness[function]

    def sees_frame(self, function: Node) -> bool:
        """Whether a function looks at its own frame (`locals()`, `eval("x")`, ...): its statements stay where they are."""
        if not self._names_frame:
            return False
        known = self._sees_frame.get(function)
        if known is None:
            known = self._sees_frame[function] = any(self._is_frame_call(node) for node in own_nodes(function))
        return known

    def _is_frame_call(self, node: Node) -> bool:
        if not isinstance(node, gast.Call):
            return False
        func = callee(node, self.alias)
        if self.static.is_builtin(func, locals, vars, dir):
            return not node.args
        return self.static.is_builtin(func, eval, exec) and len(node.args) < 2 and not node.keywords


def _resolve(bound: frozenset[str], context: ConversionContext, name: str) -> Any:
    return MISSING if name.partition(".")[0] in bound else context.resolve(name)


def own_nodes(function: Node) -> list[Node]:
    """Returns the nodes that a function's own frame runs: those below its body and not inside another function."""
    body = function.body if type(function.body) is list else [function.body]
    return list(walk_outside(FUNCTIONS, *body))


class Converter:
    """One pass. `removes` names the node types that must be gone after it."""

    removes: ClassVar[tuple[type, ...]] = ()

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion
        self.alias = conversion.alias

    def convert(self, tree: Node) -> Node:
        raise NotImplementedError

    def expression(self, text: str, *, at: Node, **holes: Any) -> Node:
        """Makes an expression from a template."""
        return templates.expression(self._aliased(text), at=at, **holes)

    def statements(self, text: str, *, at: Node, **holes: Any) -> list[Node]:
        """Makes statements from a template."""
        return templates.statements(self._aliased(text), at=at, **holes)

    def _aliased(self, text: str) -> str:
        return text if self.alias == "ag__" else text.replace("ag__.", self.alias + ".")


class StatementConverter(Converter):
    """A pass over the blocks of each function of the user's."""

    _visits: ClassVar[ByKind]

    def __init_subclass__(cls) -> None:
        cls._visits = methods(cls, "visit_", cls.inside)

    def convert(self, tree: Node) -> Node:
        for function in self.conversion.functions:
            self.function = function
            self.scope = self.conversion.scopes.of(function)
            self.namer = self.conversion.namer(function)
            self.convert_function(function)
        return tree

    def convert_function(self, function: Node) -> None:
        function.body = self.block(function.body)

    def block(self, statements: list[Node]) -> list[Node]:
        """Returns the statements that take the place of these."""
        result: list[Node] = []
        for node in statements:
            made = self._visits[type(node)](self, node)
            if type(made) is list:
                result.extend(made)
            elif made is not None:
                result.append(made)
        return result

    def inside(self, node: Node) -> Node:
        """Converts the blocks of a compound statement; functions and classes are left alone."""
        if not IS_COMPOUND[type(node)]:
            return node
        for owner, name, statements in block_places(node):
            setattr(owner, name, self.block(statements) or self.statements("pass", at=statements[0]))
        return node


class ExpressionConverter(Converter):
    """A pass over expressions: `visit_X` gets a node whose children are converted and returns what takes its place.

    Converters that do not mind in which order they go become one pass, with one walk, by inheritance: `class Both(First,
    Second)`. A node that both visit goes through them in this order.
    """

    _plans: ClassVar[ByKind]

    def __init_subclass__(cls) -> None:
        cls._plans = ByKind(cls._plan)

    @classmethod
    def _plan(cls, kind: type) -> tuple[Any, tuple[Any, ...]] | None:
        """Returns how to go below a node of this type and what then rewrites it; None where there is nothing to do."""
        name = "visit_" + kind.__name__
        rewrites = tuple(base.__dict__[name] for base in cls.__mro__ if name in base.__dict__)
        descend = getattr(cls, "_scope_" + kind.__name__, cls._children if PARTS[kind] else None)
        return (descend, rewrites) if descend or rewrites else None

    def convert(self, tree: Node) -> Node:
        self._class_level = False
        self.in_expression_scope = False
        """Inside a lambda or comprehension of the user's: no statement can be put in front."""
        self.keeps_frame = False
        """Inside a function that looks at its own frame."""
        self.moved = 0
        """How many functions of ours stand between here and the user's function, `self.function`."""
        for function in self.conversion.functions or [tree]:
            self.function = function
            self.keeps_frame = self.conversion.sees_frame(function)
            if type(function.body) is list:
                self._list(function.body)
            else:
                self.in_expression_scope = True
                function.body = self.visit(function.body)
        return tree

    def visit(self, node: Node) -> Node:
        """Converts the children, then the node itself."""
        kind = type(node)
        if kind is gast.Name or (plan := self._plans[kind]) is None:
            return node
        descend, rewrites = plan
        if descend is not None:
            descend(self, node)
        if not self._class_level:
            for rewrite in rewrites:
                if type(node) is kind:
                    node = rewrite(self, node)
        return node

    def _children(self, node: Node) -> None:
        for name in PARTS[type(node)]:
            value = getattr(node, name, None)
            if type(value) is list:
                self._list(value)
            elif isinstance(value, gast.AST):
                made = self.visit(value)
                if made is not value:
                    setattr(node, name, made)

    def _list(self, values: list[Node]) -> None:
        for index, value in enumerate(values):
            if isinstance(value, gast.AST):
                values[index] = self.visit(value)

    def _scope_FunctionDef(self, node: Node) -> None:
        if node in self.conversion.region_functions:
            self.moved += 1
            self._list(node.body)
            self.moved -= 1
        else:
            self._list(node.args.defaults)
            self._list(node.args.kw_defaults)

    _scope_AsyncFunctionDef = _scope_FunctionDef

    def _scope_ClassDef(self, node: Node) -> None:
        outer, self._class_level = self._class_level, True
        self._list(node.body)
        self._class_level = outer

    def _scope_Lambda(self, node: Node) -> None:
        self._list(node.args.defaults)
        self._list(node.args.kw_defaults)
        outer = self._class_level, self.in_expression_scope, self.keeps_frame, self.moved
        self._class_level, self.in_expression_scope, self.keeps_frame, self.moved = False, True, False, 0
        node.body = self.visit(node.body)
        self._class_level, self.in_expression_scope, self.keeps_frame, self.moved = outer

    def _scope_Call(self, node: Node) -> None:
        if not is_operator(node, self.alias):
            self._children(node)
            return
        own = operands(node)
        self.moved += 1
        for item in own:
            item.body = self.visit(item.body)  # in the scope around the call, since the operator calls it at once
        self.moved -= 1
        for index, item in enumerate(node.args):
            if item not in own:
                node.args[index] = self.visit(item)
        for keyword in node.keywords:
            if keyword.value not in own:
                keyword.value = self.visit(keyword.value)

    def _scope_comprehension_scope(self, node: Node) -> None:
        outer, self.in_expression_scope = self.in_expression_scope, True
        self._children(node)
        self.in_expression_scope = outer

    _scope_ListComp = _scope_SetComp = _scope_DictComp = _scope_GeneratorExp = _scope_comprehension_scope

    def _scope_AnnAssign(self, node: Node) -> None:
        node.target = self.visit(node.target)
        if node.value is not None:
            node.value = self.visit(node.value)

    def may_be_operand(self, *nodes: Node) -> bool:
        """Whether expressions can move into a lambda: they do not suspend or look at the frame, and bind only where a
        statement in front can take the binding over."""
        if self.keeps_frame and any(self.conversion._is_frame_call(item) for node in nodes for item in walk(node)):
            return False
        if self.conversion.may_suspend and suspends(list(nodes)):
            return False
        return not (self.in_expression_scope and self.conversion.has_walrus and any(binds(node) for node in nodes))


def binds(node: Node) -> bool:
    """Whether evaluating an expression binds a name of the scope around it by a walrus."""
    pending = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, gast.NamedExpr):
            return True
        if isinstance(item, gast.Lambda):
            pending.extend((*item.args.defaults, *(value for value in item.args.kw_defaults if value is not None)))
        else:
            pending.extend(children(item))
    return False


__all__ = ["COMPREHENSIONS", "Conversion", "Converter", "ExpressionConverter", "Node", "StatementConverter", "binds"]
