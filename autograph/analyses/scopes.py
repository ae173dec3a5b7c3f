"""Scopes: which function owns a name, and which names closures capture.

The rules are those of the compiler's symbol table: a walrus in a comprehension binds in the function around it, the
names of a class body are invisible to its methods, `global` and `nonlocal` hold for a whole function.

>>> import gast
>>> tree = gast.parse('''
... def f(x):
...     y = [(z := a) for a in x]
...     def g():
...         nonlocal y
...         y = x
...     return lambda: g
... ''').body[0]
>>> scope = Scopes(tree, "ag__").of(tree)
>>> sorted(scope.locals), sorted(scope.captured)
(['g', 'x', 'y', 'z'], ['g', 'x', 'y'])
"""

from __future__ import annotations

import weakref
from functools import cached_property
from typing import Any

import gast

from autograph.analyses.operators import immediate, is_operator, operands, parameter_nodes
from autograph.code.nodes import PARTS, methods, names_bound

FUNCTIONS = (gast.FunctionDef, gast.AsyncFunctionDef, gast.Lambda)
COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)


class Scope:
    """The names of one function, lambda, comprehension or class body.

    Args:
        node: the node that makes the scope.
        parent: the scope around it.
    """

    def __init__(self, node: Any, parent: Scope | None) -> None:
        self.node = node
        # Weak: a tree that is not part of a cycle is freed when its conversion ends, without the garbage collector.
        self._parent = weakref.ref(parent) if parent is not None else None
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.reads: set[str] = set()
        self.children: list[Scope] = []
        if parent is not None:
            parent.children.append(self)

    @property
    def parent(self) -> Scope | None:
        """The scope around it."""
        return self._parent() if self._parent is not None else None

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, gast.ClassDef)

    @cached_property
    def locals(self) -> frozenset[str]:
        """Names that this scope owns."""
        return frozenset(self.bound - self.globals - self.nonlocals)

    @cached_property
    def free(self) -> frozenset[str]:
        """Names that this scope or one inside it takes from around it."""
        own = self.reads | self.nonlocals
        if not self.is_class:
            own -= self.locals
        inner: set[str] = set()
        for child in self.children:
            inner |= child.free
        if not self.is_class:
            inner -= self.locals
        return frozenset((own | inner) - self.globals)

    @cached_property
    def deferred(self) -> frozenset[str]:
        """Names from around this scope that code inside it may read or write later than where it stands."""
        if isinstance(self.node, (*FUNCTIONS, gast.GeneratorExp)):
            return self.free
        inner: set[str] = set()
        for child in self.children:
            inner |= child.deferred
        return frozenset(inner if self.is_class else inner - self.locals)

    @cached_property
    def captured(self) -> frozenset[str]:
        """Own names, and those declared `nonlocal` here, that closures made here refer to."""
        inner: set[str] = set()
        for child in self.children:
            inner |= child.deferred
        return frozenset(inner & (self.locals | self.nonlocals))


class Scopes:
    """The scopes of a tree.

    Args:
        tree: a function.
        alias: the name of the runtime; lambdas that are operands of an operator make no scope of their own.
    """

    def __init__(self, tree: Any, alias: str) -> None:
        self.alias = alias
        self._scopes: dict[Any, Scope] = {}
        self._function(tree, None)

    def of(self, node: Any) -> Scope:
        """Returns the scope that a function, lambda, comprehension or class makes."""
        return self._scopes[node]

    def __contains__(self, node: Any) -> bool:
        return node in self._scopes

    @property
    def functions(self) -> list[Any]:
        """The functions with statements, outer ones first."""
        return [node for node in self._scopes if isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef)]

    def __len__(self) -> int:
        return len(self._scopes)

    def __iter__(self) -> Any:
        return iter(self._scopes.values())

    # --- building ---

    def _open(self, node: Any, parent: Scope | None) -> Scope:
        scope = self._scopes[node] = Scope(node, parent)
        return scope

    def _function(self, node: Any, parent: Scope | None) -> None:
        scope = self._open(node, parent)
        scope.bound.update(item.id for item in parameter_nodes(node.args))
        for item in getattr(node, "type_params", None) or ():
            scope.bound.add(item.name)
            for value in (getattr(item, "bound", None), getattr(item, "default_value", None)):
                if value is not None:
                    self._visit(value, scope)
        for child in node.body if type(node.body) is list else [node.body]:
            self._visit(child, scope)

    def _visit(self, node: Any, scope: Scope) -> None:
        _VISITS[type(node)](self, node, scope)

    def _visit_list(self, nodes: list[Any], scope: Scope) -> None:
        for node in nodes:
            _VISITS[type(node)](self, node, scope)

    def _parts(self, node: Any, scope: Scope) -> None:
        for name in PARTS[type(node)]:
            value = getattr(node, name, None)
            if value is not None:
                _VISITS[type(value)](self, value, scope)

    def _visit_Name(self, node: Any, scope: Scope) -> None:
        if type(node.ctx) is gast.Load:
            scope.reads.add(node.id)
        else:
            scope.bound.add(node.id)

    def _visit_NamedExpr(self, node: Any, scope: Scope) -> None:
        self._visit(node.value, scope)
        owner = scope
        while isinstance(owner.node, COMPREHENSIONS) and owner.parent is not None:
            owner.reads.add(node.target.id)  # a comprehension writes it as a closure would
            owner = owner.parent
        owner.bound.add(node.target.id)

    def _visit_FunctionDef(self, node: Any, scope: Scope) -> None:
        scope.bound.add(node.name)
        self._visit([*node.decorator_list, *immediate(node.args), *([node.returns] if node.returns else ())], scope)
        self._function(node, scope)

    _visit_AsyncFunctionDef = _visit_FunctionDef

    def _visit_Lambda(self, node: Any, scope: Scope) -> None:
        self._visit(immediate(node.args), scope)
        self._function(node, scope)

    def _visit_Call(self, node: Any, scope: Scope) -> None:
        if not is_operator(node, self.alias):
            self._parts(node, scope)
            return
        inside = operands(node)
        for item in [node.func, *node.args, *(keyword.value for keyword in node.keywords)]:
            self._visit(item.body if item in inside else item, scope)

    def _visit_ClassDef(self, node: Any, scope: Scope) -> None:
        scope.bound.add(node.name)
        self._visit([*node.decorator_list, *node.bases, *node.keywords], scope)
        inner = self._open(node, scope)
        self._visit(node.body, inner)

    def _visit_comprehension_scope(self, node: Any, scope: Scope) -> None:
        first = node.generators[0]
        self._visit(first.iter, scope)
        inner = self._open(node, scope)
        for index, generator in enumerate(node.generators):
            self._visit(generator.target, inner)
            if index:
                self._visit(generator.iter, inner)
            self._visit(generator.ifs, inner)
        elements = [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]
        self._visit(elements, inner)

    _visit_ListComp = _visit_SetComp = _visit_DictComp = _visit_GeneratorExp = _visit_comprehension_scope

    def _visit_Global(self, node: Any, scope: Scope) -> None:
        scope.globals.update(node.names)

    def _visit_Nonlocal(self, node: Any, scope: Scope) -> None:
        scope.nonlocals.update(node.names)

    def _visit_alias(self, node: Any, scope: Scope) -> None:
        self._parts(node, scope)
        scope.bound.update(names_bound(node))

    _visit_MatchAs = _visit_MatchStar = _visit_MatchMapping = _visit_alias

    def _visit_AnnAssign(self, node: Any, scope: Scope) -> None:
        self._visit([node.annotation, *([node.value] if node.value else ())], scope)
        self._visit(node.target, scope)


_VISITS = methods(Scopes, "_visit_", Scopes._parts)
