"""What a called function wrote into an array that it was handed: the caller's variable takes the array that it left.

>>> from autograph.analyses.argument_writes import ModuleWriters
>>> from autograph.converters.showing import show
>>> print(show('''
... def f(a, i, o):
...     swap(a, i, 0)
...     n = swap(o.items[i], i, j=0)
... ''', ArgumentWrites, writers=ModuleWriters("def swap(v, i, j): v[i], v[j] = v[j], v[i]")))
def f(a, i, o):
    swap(a, i, 0)
    a = ag__.latest(a)
    n = swap(o.items[i], i, j=0)
    ag__.latest_at(o, (('.', 'items'), ('[', i)))

NumPy changes the array itself; here an assignment to an element gives the callee's own variable a new one. Which functions write
elements of a parameter is known by their source (`analyses.argument_writes`); where it is not, the caller's variable holds an array
that no operation takes any more, and says so (`runtime.array_versions`). A NumPy array that only the variable has becomes an array
of JAX before the call, where that may write a traced value. Before `ElementAssignments`, which declares what is bound.
"""

from __future__ import annotations

import copy
from collections.abc import Set as AbstractSet
from types import FunctionType
from typing import Any

import gast

from autograph.analyses import argument_writes, numpy_writes, unshared_arrays
from autograph.analyses.scopes import COMPREHENSIONS
from autograph.code.library import is_library
from autograph.code.nodes import walk, walk_outside
from autograph.converters import builders
from autograph.converters.base import Node
from autograph.converters.element_targets import ElementTargets
from autograph.options import MISSING

_EVALUATES_LATER = (gast.Lambda, *COMPREHENSIONS, gast.IfExp, gast.BoolOp)  # or not at all


class ArgumentWrites(ElementTargets):
    """Writes `a = ag__.latest(a)` behind statements that hand `a` to such a function."""

    def convert_function(self, function: Node) -> None:
        conversion = self.conversion
        may_make = not conversion.names.isdisjoint(unshared_arrays.MAKERS)
        self.made = (unshared_arrays.unshared(function, conversion.meaning) if may_make else None) or {}
        if may_make:
            self.lend_new(function)
        super().convert_function(function)

    def convert(self, tree: Node) -> Node:
        calls = (node for node in walk(tree) if isinstance(node, gast.Call))
        return super().convert(tree) if any(map(self.handed, calls)) else tree

    def visit_Expr(self, node: Node) -> Any:
        """`swap(a, i, j)`; a statement that is a call of NumPy becomes an operator (`ElementAssignments`)."""
        call = node.value
        if isinstance(call, gast.Call) and numpy_writes.statement_target(call, self.conversion.meaning) is not None:
            parts = gast.Tuple([*call.args, *(keyword.value for keyword in call.keywords)], gast.Load())
            return self.with_refreshed(node, parts)
        return self.with_refreshed(node, call)

    def visit_Assign(self, node: Node) -> Any:
        bound = {name.id for target in node.targets for name in _names(target)}
        if all(isinstance(target, gast.Name) for target in node.targets):
            return self.with_refreshed(node, node.value, bound)
        return self.hoisted(
            node, "value", [p for p in self.written(node.value) if not (isinstance(p, gast.Name) and p.id in bound)]
        )

    def visit_AugAssign(self, node: Node) -> Any:
        return self.with_refreshed(node, node.value)

    def visit_AnnAssign(self, node: Node) -> Any:
        return node if node.value is None else self.with_refreshed(node, node.value)

    def visit_Return(self, node: Node) -> Any:
        places = self.written(node.value) if node.value is not None else []
        return self.hoisted(node, "value", [p for p in places if not isinstance(p, gast.Name) or p.id in self.outer])

    def visit_If(self, node: Node) -> Any:
        self.inside(node)
        return self.hoisted(node, "test", self.written(node.test))

    def hoisted(self, node: Node, part: str, places: list[Node]) -> Any:
        """Puts a statement that evaluates a part of it in front, and then what that wrote."""
        if not places:
            lent = self.lent(getattr(node, part), at=node) if getattr(node, part) is not None else []
            return [*lent, node] if lent else node
        name = self.namer.fresh(part)
        value = getattr(node, part)
        first = builders.assign(name, value, at=node)
        setattr(node, part, builders.name(name, node))
        return [*self.lent(value, at=node), first, *self.refreshed(places, set(), at=node), node]

    def with_refreshed(self, node: Node, value: Node, targets: AbstractSet[str] = frozenset()) -> Any:
        """Puts what a call in a statement wrote after it; not for the variables that it binds itself."""
        places = self.written(value)
        return [*self.lent(value, at=node), node, *self.refreshed(places, targets, at=node)] if places else node

    def lent(self, value: Node, *, at: Node) -> list[Node]:
        """Returns the statements that make JAX arrays of the NumPy arrays which a call in a statement writes."""
        found: list[Node] = []
        for call in walk_outside((gast.Lambda, *COMPREHENSIONS), value) if self.made else ():
            for array in self.handed(call) if isinstance(call, gast.Call) else ():
                if isinstance(array, gast.Name) and array.id in self.made:
                    axes = gast.Constant(self.made[array.id], None)
                    lent = self.operator("lent", [builders.name(array.id), _others(call, array), axes], at=at)
                    found.append(self.bind(array.id, lent, at=at))
        return found

    def lend_new(self, function: Node) -> None:
        """Makes a JAX array of the NumPy array in `np.add(a, b, out=np.zeros(3))`, which nothing else refers to."""
        meaning, axes = self.conversion.meaning, unshared_arrays.MOST_AXES
        for call in [node for node in walk(*function.body) if isinstance(node, gast.Call)]:
            for keyword in call.keywords:
                new = keyword.value
                if keyword.arg == "out" and unshared_arrays.makes(new, meaning) and numpy_writes.arrays_written(call, meaning):
                    arguments = [new, _others(call, new), gast.Constant(axes, None)]
                    keyword.value = self.operator("lent", arguments, at=new)

    def refreshed(self, places: list[Node], targets: AbstractSet[str], *, at: Node) -> list[Node]:
        """Returns the statements that give each variable or attribute the array that is there now."""
        made: dict[str, Node] = {}
        for place in places:
            if isinstance(place, gast.Name):
                if place.id not in targets:
                    axes = {"unshared": gast.Constant(self.made[place.id], None)} if place.id in self.made else {}
                    call = builders.operator(self.alias, "latest", [builders.name(place.id)], at=at, **axes)
                    made.setdefault(place.id, self.bind(place.id, call, at=at))
            else:
                base, path = self.path(copy.deepcopy(place))
                if base.id not in targets:
                    call = self.operator("latest_at", [builders.name(base.id), path], at=at)
                    made.setdefault(gast.dump(place), self.rebind(base, path, call, at=at))
        return list(made.values())

    def written(self, node: Node) -> list[Node]:
        """Returns the variables and attributes in an expression that are handed to a function which writes their elements."""
        calls = (part for part in walk_outside((gast.Lambda, *COMPREHENSIONS), node) if isinstance(part, gast.Call))
        return [arg for call in calls for arg in self.handed(call) if self.is_place(arg)]

    def handed(self, call: Node) -> list[Node]:
        func = call.func
        if not isinstance(func, gast.Name | gast.Attribute):
            return []
        meaning = self.conversion.meaning(func)
        if written := numpy_writes.arrays_written(call, self.conversion.meaning):
            return written
        filename, name = None, func.id if isinstance(func, gast.Name) else func.attr
        if meaning is not MISSING:
            if type(meaning) is not FunctionType or is_library(meaning):
                return []  # library code is not converted: there such a write is JAX's own TypeError
            filename, name = meaning.__code__.co_filename, meaning.__code__.co_name  # the name of its `def`
        return argument_writes.arguments(
            call, self.conversion.context.writers(filename, name), isinstance(func, gast.Attribute)
        )

    def is_place(self, node: Node) -> bool:
        """Whether a node is a variable, or an attribute or an element of one that can be evaluated again."""
        while isinstance(node, gast.Attribute | gast.Subscript):
            if isinstance(node, gast.Subscript) and not isinstance(node.slice, gast.Name | gast.Constant):
                return False
            node = node.value
        return isinstance(node, gast.Name)


def _others(call: Node, array: Node) -> Node:
    """Returns the variables that a call reads, without the array that it writes."""
    given = [one for one in (*call.args, *(keyword.value for keyword in call.keywords)) if one is not array]
    parts = [part for one in given for part in walk_outside(_EVALUATES_LATER, one)]
    read = [part for part in parts if isinstance(part, gast.Name) and isinstance(part.ctx, gast.Load)]
    bound = {part.target.id for part in parts if isinstance(part, gast.NamedExpr)}
    names = {name.id: None for name in read if name.id not in (getattr(array, "id", ""), *bound)}
    return gast.Tuple([builders.name(name) for name in names], gast.Load())


def _names(target: Node) -> list[Node]:
    if isinstance(target, gast.Tuple | gast.List):
        return [name for item in target.elts for name in _names(item)]
    return [target] if isinstance(target, gast.Name) else []
