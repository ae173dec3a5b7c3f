"""Assignments to elements and attributes become operator calls; an array element assigned gives the name a new array.

>>> from autograph.converters.showing import show
>>> print(show('''
... def f(x, i, o):
...     x[i] = 1
...     o.a[i][2:] = 2
...     x[i] += 3
...     made = []
...     made += [x]
...     x[i], o.n = o.n, x[0]
...     del x[i]
...     x[:, i].sort()
... ''', ElementAssignments))
def f(x, i, o):
    x = ag__.set_item(1, x, i)
    ag__.set_item_at(2, o, (('.', 'a'), ('[', i)), slice(2, None))
    x = ag__.aug_item(x, i, '+=', lambda: 3)
    made = []
    made.append(x)
    item, item_1 = (o.n, x[0])
    x = ag__.set_item(item, x, i)
    ag__.set_attr(item_1, o, 'n')
    ag__.del_item(x, i)
    x = ag__.in_place_method(x, (('[', (slice(None, None), i)),), 'sort')

Python evaluates the value first, then object and index of each target in turn; so do the calls, and targets in a tuple are
assigned one after the other from temporaries. `x` is bound anew, so it keeps its owner: where it is not the function's own
variable, the function declares it. Early, because the analyses must see that `x` is assigned.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analyses import appends, numbers, numpy_writes, unshared_arrays
from autograph.analyses.argument_writes import IN_PLACE
from autograph.analyses.effects import Effects
from autograph.analyses.loops import statements_inside
from autograph.analyses.nativeness import suspends
from autograph.code import locations
from autograph.code.nodes import SIGNS
from autograph.converters import builders
from autograph.converters.base import Node
from autograph.converters.element_targets import ElementTargets, changes_name


class ElementAssignments(ElementTargets):
    """Writes an operator for each assignment, update and `del` of an element or attribute."""

    def convert_function(self, function: Node) -> None:
        any_update = gast.AugAssign in self.conversion.kinds
        self.numbers = numbers.number_names(function, self.conversion) if any_update else frozenset[str]()
        extended = any_update and gast.List in self.conversion.kinds and any(map(_extends, statements_inside(function.body)))
        self.lists = appends.lists(function) if extended else frozenset[str]()
        self.effects = Effects(self.alias)
        self.unshared = self.find_unshared(function)
        super().convert_function(function)

    def find_unshared(self, function: Node) -> dict[str, int] | None:
        """Returns the NumPy arrays that may become JAX arrays when they are written with a traced value; None if there is none."""
        conversion = self.conversion
        if conversion.names.isdisjoint(unshared_arrays.MAKERS) or conversion.kinds.isdisjoint(_WRITING):
            return None
        return unshared_arrays.unshared(function, conversion.meaning)

    def write(self, text: str, base: Node | None, arguments: list[Node], *, at: Node) -> Node:
        """Returns the call of an operator that writes an array, or an element, and returns the new value of `base`."""
        keywords = {}
        if self.unshared is not None and base is not None:
            keywords["unshared"] = gast.Constant(self.unshared.get(base.id, 0), None)
        return builders.operator(self.alias, text, arguments, at=at, **keywords)

    def write_at(self, text: str, base: Node, path: Node, arguments: list[Node], *, at: Node) -> Node:
        """Returns the statement that writes an element of what a path leads to."""
        if changes_name(base, path):
            return self.rebind(base, path, self.write(text, base, arguments, at=at), at=at)
        return self.run(self.operator(text, arguments, at=at))

    # --- statements ---

    def visit_Assign(self, node: Node) -> Any:
        if not any(_is_element(target) for target in node.targets):
            return node
        if len(node.targets) == 1:
            return self.assign(node.targets[0], node.value, at=node)
        value = self.namer.fresh("value")
        stores = (self.assign(target, builders.name(value, node), at=node) for target in node.targets)
        return [builders.assign(value, node.value, at=node), *(store for each in stores for store in each)]

    def visit_AnnAssign(self, node: Node) -> Any:
        return node if node.value is None else self.assign(node.target, node.value, at=node)

    def visit_AugAssign(self, node: Node) -> Any:
        target = node.target
        operator = gast.Constant(SIGNS[type(node.op).__name__] + "=", None)
        if isinstance(target, gast.Name):
            if target.id in self.numbers:
                return node
            if target.id in self.lists and _extends(node) and not isinstance(node.value.elts[0], gast.Starred):
                return self.append(target, node.value.elts[0], at=node)
            value = self.write("iop", target, [operator, builders.name(target.id), node.value], at=node)
            return builders.assign(target.id, value, at=node)
        if self.conversion.may_suspend and suspends(node):
            return node
        value = builders.thunk(node.value, at=node.value)
        if isinstance(target, gast.Attribute):
            attribute = gast.Constant(self.mangled(target.attr), None)
            return self.run(self.operator("aug_attr", [target.value, attribute, operator, value], at=node))
        base, path = self.path(target.value)
        if path.elts or not isinstance(base, gast.Name):
            arguments = [base, path, self.index(target.slice), operator, value]
            return self.write_at("aug_item_at", base, path, arguments, at=node)
        call = self.write("aug_item", base, [base, self.index(target.slice), operator, value], at=node)
        return self.bind(base.id, call, at=node)

    def append(self, target: Node, item: Node, *, at: Node) -> Node:
        """`out.append(item)` for `out += [item]`."""
        method = gast.Attribute(builders.name(target.id, at), "append", gast.Load())
        return self.run(locations.place(gast.Call(method, [item], []), locations.position(at)))

    def visit_Expr(self, node: Node) -> Any:
        """`a.sort()`, `m[:, j].fill(v)` and `np.copyto(a, v)`: a variable's array is another one afterwards."""
        call = node.value
        if not isinstance(call, gast.Call):
            return node
        func, operator, target = call.func, "in_place_method", None
        if isinstance(func, gast.Attribute) and func.attr in IN_PLACE and not any(k.arg == "key" for k in call.keywords):
            target, func = func.value, gast.Constant(func.attr, None)  # only lists sort by a key
        elif (target := numpy_writes.statement_target(call, self.conversion.meaning)) is not None:
            operator = "in_place_call"
        if target is None:
            return node
        base, path = self.path(target)
        is_bound = changes_name(base, path)
        arguments = [base, path, func, *(arg for arg in call.args if arg is not target)]
        if operator == "in_place_call" and numpy_writes.is_method(call, self.conversion.meaning):
            arguments[2:3] = [gast.Constant(func.attr, None), func.value]
        made = self.write(operator, base if is_bound else None, arguments, at=node)
        made.keywords += [keyword for keyword in call.keywords if keyword.arg != "out"]
        return self.bind(base.id, made, at=node) if is_bound else self.run(made)

    def visit_Delete(self, node: Node) -> Any:
        if not any(_is_element(target) for target in node.targets):
            return node
        return [made for target in node.targets for made in self.delete(target, at=node)]

    def visit_For(self, node: Node) -> Any:
        target = node.target
        if _is_element(target) or (isinstance(target, gast.Name) and target.id in self.outer):
            item = self.namer.fresh("item")
            node.body = [*self.assign(target, builders.name(item, target), at=target), *self.block(node.body)]
            node.orelse = self.block(node.orelse)
            node.target = locations.place(gast.Name(item, gast.Store(), None, None), locations.position(target))
            return node
        return self.inside(node)

    visit_AsyncFor = visit_For

    def visit_With(self, node: Node) -> Any:
        for index, item in enumerate(node.items):
            target = item.optional_vars
            if target is not None and _is_element(target):
                name = self.namer.fresh("item")
                body = self.assign(target, builders.name(name, target), at=target)
                item.optional_vars = locations.place(
                    gast.Name(name, gast.Store(), None, None), locations.position(target)
                )
                if index + 1 < len(node.items):  # the later items may use the target
                    inner = type(node)(node.items[index + 1 :], node.body, None)
                    body.extend(self.block([locations.place(inner, locations.position(node))]))
                    node.items = node.items[: index + 1]
                else:
                    body.extend(self.block(node.body))
                node.body = body
                return node
        return self.inside(node)

    visit_AsyncWith = visit_With

    # --- targets ---

    def assign(self, target: Node, value: Node, *, at: Node) -> list[Node]:
        """Returns the statements for `target = value`."""
        if not _is_element(target):
            return [locations.place(gast.Assign([target], value, None), locations.header(at))]
        if isinstance(target, gast.Attribute):
            attribute = gast.Constant(self.mangled(target.attr), None)
            return [self.run(self.operator("set_attr", [value, target.value, attribute], at=at))]
        if isinstance(target, gast.Subscript):
            base, path = self.path(target.value)
            if path.elts or not isinstance(base, gast.Name):
                arguments = [value, base, path, self.index(target.slice)]
                return [self.write_at("set_item_at", base, path, arguments, at=at)]
            call = self.write("set_item", base, [value, base, self.index(target.slice)], at=at)
            return [self.bind(base.id, call, at=at)]
        return self.unpack(target, value, at=at)

    def unpack(self, target: Node, value: Node, *, at: Node) -> list[Node]:
        """Assigns to a tuple target: temporaries first, then the targets one by one, as Python stores them."""
        names: list[Node] = []
        stores: list[Node] = []
        for item in target.elts:
            starred = isinstance(item, gast.Starred)
            inner = item.value if starred else item
            temporary = self.namer.fresh("item")
            name = gast.Name(temporary, gast.Store(), None, None)
            names.append(gast.Starred(name, gast.Store()) if starred else name)
            stores.extend(self.assign(inner, builders.name(temporary, at), at=at))
        pattern = locations.place(gast.Tuple(names, gast.Store()), locations.position(target))
        return [locations.place(gast.Assign([pattern], value, None), locations.header(at)), *stores]

    def delete(self, target: Node, *, at: Node) -> list[Node]:
        if isinstance(target, gast.Tuple | gast.List):
            return [made for item in target.elts for made in self.delete(item, at=at)]
        if isinstance(target, gast.Attribute):
            attribute = gast.Constant(self.mangled(target.attr), None)
            return [self.run(self.operator("del_attr", [target.value, attribute], at=at))]
        if isinstance(target, gast.Subscript):
            return [self.run(self.operator("del_item", [target.value, self.index(target.slice)], at=at))]
        return [locations.place(gast.Delete([target]), locations.header(at))]


_WRITING = (gast.Subscript, gast.AugAssign, gast.Expr)


def _extends(node: Node) -> bool:
    """Whether a statement is `name += [item]`."""
    return isinstance(node, gast.AugAssign) and isinstance(node.value, gast.List) and len(node.value.elts) == 1


def _is_element(target: Node) -> bool:
    """Whether an assignment to `target` assigns to an element or an attribute."""
    if isinstance(target, gast.Tuple | gast.List):
        return any(_is_element(item) for item in target.elts)
    if isinstance(target, gast.Starred):
        return _is_element(target.value)
    return isinstance(target, gast.Attribute | gast.Subscript)
