"""Element assignment on JAX arrays where nothing is traced: `x[i] = v` works as it does under `jit`.

JAX arrays cannot be changed, so `x` gets a new array; any other container is written by Python itself, in line:

    if <type>(x) is <Array>:
        x = <set>(v, x, i)
    else:
        x[i] = v

`x` keeps its scope: a global or a variable of an enclosing function is declared. Another name of the same array does
not see the change. The test may come before the value only where evaluating the value cannot rebind `x`; otherwise the
container is chosen in the target itself, and the new array is fetched afterwards. Containers that are no plain names
(`self.a[i] = v`, `a[j][i] = v`) are held in a variable for the length of the statement.

Names that only ever hold lists, dicts and sets that the function makes itself are left alone.
"""

from __future__ import annotations

import ast
import opcode
from typing import Any, Protocol

import jax

from autograph import runtime
from autograph.code.linking import Constants
from autograph.code.nodes import SIGNS, names_bound
from autograph.code.source import Source
from autograph.code.trees import at, changed
from autograph.jax_internals import ARRAY_TYPE
from autograph.runtime.tracing.context import PerThread

STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)
STORES = frozenset(opcode.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE") if name in opcode.opmap)
_MAY_REBIND = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


class _Scope(Protocol):
    source: Source
    native: frozenset[str]

    def rebinds(self, name: str) -> None: ...

    def is_fast(self, name: str) -> bool: ...


def rewrite_statement(node: Any, scope: _Scope, constants: Constants) -> Any:
    """Returns the statement, or the statements that take its place."""
    return _Rewriting(scope, constants).statement(node)


class _Rewriting:
    def __init__(self, scope: _Scope, constants: Constants) -> None:
        self.scope = scope
        self.constants = constants
        self.held = 0

    def statement(self, node: Any) -> Any:
        if isinstance(node, ast.AugAssign):
            return self._augmented(node) if self._concerns(node.target) else node
        if isinstance(node, ast.Assign):
            return self._assigned(node) if any(map(self._concerns, node.targets)) else node
        if isinstance(node, ast.AnnAssign):
            target: Any = node.target
            return self._element(node, target, node.value) if node.value and self._concerns(target) else node
        if isinstance(node, ast.For | ast.AsyncFor):
            if self._concerns(node.target):
                name, stores = self._caught(node.target)
                return changed(node, target=name, body=[*stores, *node.body])
        else:
            items, before = [], []
            for item in node.items:
                if item.optional_vars is not None and self._concerns(item.optional_vars):
                    name, stores = self._caught(item.optional_vars)
                    item = changed(item, optional_vars=name)
                    before += stores
                items.append(item)
            if before:
                return changed(node, items=items, body=[*before, *node.body])
        return node

    def _concerns(self, target: Any) -> bool:
        """Whether a target holds an element of something that may be an array."""
        if isinstance(target, ast.Tuple | ast.List):
            return any(map(self._concerns, target.elts))
        if isinstance(target, ast.Starred):
            return self._concerns(target.value)
        if not isinstance(target, ast.Subscript) or not _is_path(target.value):
            return False
        return not (isinstance(target.value, ast.Name) and target.value.id in self.scope.native)

    # Targets with several parts: unpack into fresh names, then store from left to right, as Python does.

    def _assigned(self, node: ast.Assign) -> list[Any]:
        (target, *others) = node.targets
        if others:
            name = self._fresh(node)
            return [at(node, ast.Assign([name], node.value)), *self._stored([(name, t) for t in node.targets])]
        if isinstance(target, ast.Subscript):
            return self._element(node, target, node.value)
        unpacked, stores = self._caught(target)
        return [at(node, ast.Assign([unpacked], node.value)), *stores]

    def _caught(self, target: Any) -> tuple[Any, list[Any]]:
        """Returns a target of fresh names instead of one that concerns us, and the statements that store from them."""
        if isinstance(target, ast.Subscript):
            name = self._fresh(target)
            return name, self._stored([(name, target)])
        pairs = [(self._fresh(e), e.value if isinstance(e, ast.Starred) else e) for e in target.elts]
        caught: list[Any] = [
            at(e, ast.Starred(name, ast.Store())) if isinstance(e, ast.Starred) else name
            for (name, _), e in zip(pairs, target.elts, strict=True)
        ]
        return at(target, ast.Tuple(caught, ast.Store())), self._stored(pairs)

    def _stored(self, pairs: list[tuple[ast.Name, Any]]) -> list[Any]:
        statements: list[Any] = []
        for name, target in pairs:
            new = self.statement(at(target, ast.Assign([target], _load(name))))
            statements += new if type(new) is list else [new]
        return [*statements, _delete(name for name, _ in pairs)]

    # One element.

    def _element(self, node: Any, target: ast.Subscript, value: Any) -> list[Any]:
        container: Any = target.value
        if not isinstance(container, ast.Name):
            held = self._fresh(container)
            choice = self._choice(container, at(container, ast.NamedExpr(held, container)), _load(held))
            store = at(node, ast.Assign([changed(target, value=choice)], value))
            fetched = at(container, ast.Assign([_stored_to(container)], self._call(take_array, [_load(held)], container)))
            after = self.statement(fetched)
            update = at(container, ast.If(self._test(_load(held)), after if type(after) is list else [after], []))
            return [store, update, _delete([held])]
        self.scope.rebinds(container.id)
        below = value.lineno != node.lineno  # line events: the value comes first
        if not below and not _rebound_by(value, container.id, self.scope.is_fast(container.id)):
            call = self._call(put_element, [value, _load(container), self._index(target.slice)], node)
            new = at(node, ast.Assign([_stored_to(container)], call))
            return [at(node, ast.If(self._test(container), [new], [at(node, ast.Assign([target], value))]))]
        choice = self._choice(container, container, container)
        store = at(node, ast.Assign([changed(target, value=choice)], value))
        new = at(node, ast.Assign([_stored_to(container)], self._call(take_array, [_load(container)], node)))
        return [store, at(node, ast.If(self._test(container), [new], []))]

    def _augmented(self, node: ast.AugAssign) -> list[Any]:
        target: Any = node.target
        container = target.value
        symbol = at(node, ast.Constant(SIGNS[type(node.op).__name__] + "="))
        if isinstance(container, ast.Name):
            self.scope.rebinds(container.id)
            call = self._call(augment, [_load(container), self._index(target.slice), symbol, node.value], node)
            new = at(node, ast.Assign([_stored_to(container)], call))
            return [at(node, ast.If(self._test(container), [new], [node]))]
        held = self._fresh(container)
        call = self._call(augment, [_load(held), self._index(target.slice), symbol, node.value], node)
        after = self.statement(at(node, ast.Assign([_stored_to(container)], call)))
        native = changed(node, target=changed(target, value=_load(held)))
        test = self._test(at(container, ast.NamedExpr(held, container)))
        return [at(node, ast.If(test, after if type(after) is list else [after], [native])), _delete([held])]

    # Regions.

    def _test(self, container: Any) -> ast.expr:
        """Whether a container is a JAX array."""
        if ARRAY_TYPE is None:
            return self._call(isinstance, [container, self.constants.expression(jax.Array, container)], container)
        kind = self._call(type, [container], container)
        return at(container, ast.Compare(kind, [ast.Is()], [self.constants.expression(ARRAY_TYPE, container)]))

    def _choice(self, place: Any, first: Any, again: Any) -> ast.expr:
        return at(place, ast.IfExp(self._test(first), self._call(Slot, [again], place), again))

    def _index(self, index: Any) -> Any:
        """Returns an index as an expression: `a:b` is `slice(a, b, None)`, also inside a tuple."""
        if isinstance(index, ast.Slice):
            none = at(index, ast.Constant(None))
            parts = [none if part is None else part for part in (index.lower, index.upper, index.step)]
            return self._call(slice, parts, index)
        if isinstance(index, ast.Tuple):
            return changed(index, elts=[self._index(element) for element in index.elts])
        return index

    def _call(self, function: Any, arguments: list[Any], place: Any) -> ast.expr:
        return at(place, ast.Call(self.constants.expression(function, place), arguments, []))

    def _fresh(self, place: Any) -> ast.Name:
        """Returns a variable of ours: deleted again by the end of the statement."""
        code = self.scope.source.code
        while True:
            self.held += 1
            name = f"ag__{self.held}"
            if name not in {*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars}:
                return at(place, ast.Name(name, ast.Store()))


def _is_path(node: Any) -> bool:
    """Whether a container may be evaluated again: names, attributes, elements by plain indices."""
    if isinstance(node, ast.Attribute):
        return _is_path(node.value)
    if isinstance(node, ast.Subscript):
        return _is_path(node.value) and not any(isinstance(part, _MAY_REBIND) for part in ast.walk(node.slice))
    return isinstance(node, ast.Name)


def _rebound_by(value: Any, name: str, fast: bool) -> bool:
    """Whether evaluating a value may rebind a name: by a walrus, or where other functions see the name by any call."""
    return any(
        part.target.id == name if isinstance(part, ast.NamedExpr) else not fast and isinstance(part, _MAY_REBIND)
        for part in ast.walk(value)
    )


def _load(name: Any) -> Any:
    return changed(name, ctx=ast.Load())


def _stored_to(container: Any) -> Any:
    return changed(container, ctx=ast.Store())


def _delete(names: Any) -> ast.Delete:
    targets: list[Any] = [changed(name, ctx=ast.Del()) for name in {name.id: name for name in names}.values()]
    return at(targets[-1], ast.Delete(targets))


def native_names(source: Source) -> frozenset[str]:
    """Returns the names of a function that can only hold lists, dicts and sets that it makes itself: never arrays."""
    code = source.code
    arguments = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    candidates = set(code.co_varnames[arguments:]) - set(code.co_cellvars)
    if not candidates or isinstance(source.node, ast.Lambda) or STORES.isdisjoint(code.co_code[::2]):
        return frozenset()
    stores: dict[str, int] = {}
    made: dict[str, int] = {}
    for node in (part for statement in source.node.body for part in ast.walk(statement)):
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                stores[node.id] = stores.get(node.id, 0) + 1
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) == 1 and isinstance(targets[0], ast.Name) and isinstance(node.value, _DISPLAYS):
                made[targets[0].id] = made.get(targets[0].id, 0) + 1
        else:
            candidates.difference_update(names_bound(node))
    return frozenset(name for name in candidates if made.get(name, 0) == stores.get(name, 0) > 0)


_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)


# --- what author's code calls for element assignment on JAX arrays ---


class Slot:
    """Stands for an array as the container of an element assignment.

    >>> x = jax.numpy.zeros(2)
    >>> Slot(x)[0] = 5
    >>> take_array(x).tolist(), take_array(x).tolist()
    ([5.0, 0.0], [0.0, 0.0])
    """

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    def __setitem__(self, index: Any, value: Any) -> None:
        _written.value = self.array, put_element(value, self.array, index)


_written: PerThread[tuple[Any, Any] | None] = PerThread(lambda: None)  # an array, and what took its place


def take_array(array: Any) -> Any:
    """Returns the array that took the place of `array` in the assignment before; `array` where there was none."""
    pair, _written.value = _written.value, None
    return pair[1] if pair is not None and pair[0] is array else array


def put_element(value: Any, array: Any, index: Any) -> Any:
    """Returns the array with an element replaced; with anything else written by Python (the variable may have been rebound)."""
    return runtime.set_item(value, array, index)


def augment(array: Any, index: Any, symbol: str, value: Any) -> Any:
    """Returns the array with `array[index] <symbol> value` done."""
    return put_element(runtime.iop(symbol, array[index], value), array, index)
