"""What evaluating an expression, or running a simple statement, reads and writes in the scope it stands in.

>>> import gast
>>> effects = Effects("ag__").of(gast.parse("x[i] = a and (y := b)").body[0])
>>> [sorted(part) for part in (effects.reads, effects.writes, effects.kills)]
[['a', 'b', 'i', 'x'], ['y'], []]

A *write* may happen; a *kill* is a write that happens on every way through. Code inside nested functions is not run here,
so it has no effects here: what it refers to is captured (`Scopes`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gast

from autograph.analyses.operators import immediate, is_operator, operands
from autograph.code.nodes import PARTS, methods, names_bound, walk


class Names(NamedTuple):
    """The names that something reads, may write, and certainly writes."""

    reads: set[str]
    writes: set[str]
    kills: set[str]


class Effects:
    """Computes effects; one per function, for it holds nothing but the name of the runtime."""

    def __init__(self, alias: str) -> None:
        self.alias = alias

    def of(self, *nodes: Any) -> Names:
        """Returns the effects of expressions or simple statements, in this order."""
        names = Names(set(), set(), set())
        for node in nodes:
            self._visit(node, names, True)
        return names

    def _visit(self, node: Any, names: Names, certain: bool) -> None:
        _VISITS[type(node)](self, node, names, certain)

    def _visit_list(self, nodes: list[Any], names: Names, certain: bool) -> None:
        for node in nodes:
            _VISITS[type(node)](self, node, names, certain)

    def _parts(self, node: Any, names: Names, certain: bool) -> None:
        for name in PARTS[type(node)]:
            value = getattr(node, name, None)
            if value is not None:
                _VISITS[type(value)](self, value, names, certain)

    def _read(self, name: str, names: Names) -> None:
        if name not in names.kills:  # parts are visited in the order in which they are evaluated
            names.reads.add(name)

    def _write(self, name: str, names: Names, certain: bool) -> None:
        names.writes.add(name)
        if certain:
            names.kills.add(name)

    def _visit_Name(self, node: Any, names: Names, certain: bool) -> None:
        context = type(node.ctx)
        if context is not gast.Store:
            self._read(node.id, names)
        if context is not gast.Load:
            self._write(node.id, names, certain)

    def _visit_NamedExpr(self, node: Any, names: Names, certain: bool) -> None:
        self._visit([node.value, node.target], names, certain)

    def _visit_Assign(self, node: Any, names: Names, certain: bool) -> None:
        self._visit([node.value, *node.targets], names, certain)

    def _visit_AugAssign(self, node: Any, names: Names, certain: bool) -> None:
        if isinstance(node.target, gast.Name):
            self._read(node.target.id, names)
            self._visit([node.value, node.target], names, certain)
        else:
            self._visit([node.target, node.value], names, certain)

    def _visit_Dict(self, node: Any, names: Names, certain: bool) -> None:
        for key, value in zip(node.keys, node.values, strict=True):
            self._visit([key, value] if key is not None else value, names, certain)

    def _visit_AnnAssign(self, node: Any, names: Names, certain: bool) -> None:
        if node.value is not None:
            self._visit([node.value, node.target], names, certain)
        elif not isinstance(node.target, gast.Name):
            self._visit(node.target, names, certain)

    # --- parts that may not be evaluated ---

    def _visit_Assert(self, node: Any, names: Names, certain: bool) -> None:
        self._visit(node.test, names, certain)
        if node.msg is not None:
            self._visit(node.msg, names, False)

    def _visit_BoolOp(self, node: Any, names: Names, certain: bool) -> None:
        self._visit(node.values[0], names, certain)
        self._visit(node.values[1:], names, False)

    def _visit_IfExp(self, node: Any, names: Names, certain: bool) -> None:
        self._visit(node.test, names, certain)
        self._visit([node.body, node.orelse], names, False)

    def _visit_Compare(self, node: Any, names: Names, certain: bool) -> None:
        self._visit([node.left, node.comparators[0]], names, certain)
        self._visit(node.comparators[1:], names, False)

    def _visit_Call(self, node: Any, names: Names, certain: bool) -> None:
        if not is_operator(node, self.alias):
            self._parts(node, names, certain)
            return
        inside = operands(node)
        for item in [node.func, *node.args, *(keyword.value for keyword in node.keywords)]:
            if item in inside:
                self._visit(item.body, names, False)
            else:
                self._visit(item, names, certain)

    # --- scopes ---

    def _visit_FunctionDef(self, node: Any, names: Names, certain: bool) -> None:
        self._visit([*node.decorator_list, *immediate(node.args), node.returns], names, certain)
        self._write(node.name, names, certain)

    _visit_AsyncFunctionDef = _visit_FunctionDef

    def _visit_Lambda(self, node: Any, names: Names, certain: bool) -> None:
        self._visit(immediate(node.args), names, certain)

    def _visit_ClassDef(self, node: Any, names: Names, certain: bool) -> None:
        self._visit([*node.decorator_list, *node.bases, *node.keywords], names, certain)
        inside = Names(set(), set(), set())
        self._visit(node.body, inside, False)
        names.reads.update(inside.reads)
        for item in walk(node):
            if isinstance(item, gast.Nonlocal):
                names.writes.update(inside.writes.intersection(item.names))
        self._write(node.name, names, certain)

    def _visit_comprehension_scope(self, node: Any, names: Names, certain: bool) -> None:
        first = node.generators[0]
        self._visit(first.iter, names, certain)
        inside, targets = Names(set(), set(), set()), Names(set(), set(), set())
        for index, generator in enumerate(node.generators):
            self._visit(generator.target, targets, False)
            if index:
                self._visit(generator.iter, inside, False)
            self._visit(generator.ifs, inside, False)
        self._visit([node.key, node.value] if isinstance(node, gast.DictComp) else node.elt, inside, False)
        names.reads.update((inside.reads | targets.reads) - targets.writes - names.kills)
        names.writes.update(inside.writes)

    _visit_ListComp = _visit_SetComp = _visit_DictComp = _visit_GeneratorExp = _visit_comprehension_scope

    # --- imports; and patterns: names are bound where the whole matches, so the case that follows may rely on them ---

    def _visit_alias(self, node: Any, names: Names, certain: bool) -> None:
        self._parts(node, names, certain)
        for name in names_bound(node):
            self._write(name, names, certain)

    _visit_MatchAs = _visit_MatchStar = _visit_MatchMapping = _visit_alias


_VISITS = methods(Effects, "_visit_", Effects._parts)
