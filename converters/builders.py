"""The nodes that every lowered statement is made of: local functions, state, references to both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import gast

from autograph.analyses.operators import is_arithmetic
from autograph.code import locations

_LOAD, _STORE, _PARAM = gast.Load(), gast.Store(), gast.Param()


def _made(kind: Any, at: locations.Position, /, **fields: Any) -> Any:
    """Returns a node at a position. Most nodes are made here, and gast's constructors take several times as long."""
    fields["lineno"], fields["col_offset"], fields["end_lineno"], fields["end_col_offset"] = at
    node = kind.__new__(kind)
    node.__dict__ = fields
    return node


def _variable(text: str, context: Any, at: locations.Position) -> Any:
    return _made(gast.Name, at, id=text, ctx=context, annotation=None, type_comment=None)


def _thunk(body: Any, at: locations.Position) -> Any:
    return _made(gast.Lambda, at, args=no_arguments(), body=body)


def name(text: str, at: Any = None) -> Any:
    """Returns a read of a variable; `at`: the node in whose header it stands."""
    made = gast.Name(text, gast.Load(), None, None)
    return made if at is None else locations.place(made, locations.header(at))


def no_arguments() -> Any:
    """Returns an empty parameter list."""
    made = gast.arguments.__new__(gast.arguments)
    made.__dict__ = dict(args=[], posonlyargs=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[])
    return made


def local_function(
    function: str, parameters: Iterable[str], shared: Sequence[str], outside: Sequence[str], body: list[Any], *, at: Any
) -> Any:
    """`def function(parameters):` with `nonlocal shared`, `global outside`, placed at the header of `at`."""
    spot = locations.header(at)
    arguments = no_arguments()
    arguments.args = [_variable(item, _PARAM, spot) for item in parameters]
    kinds = ((gast.Nonlocal, shared), (gast.Global, outside))
    declared = [_made(kind, spot, names=list(names)) for kind, names in kinds if names]
    statements = [*declared, *(locations.place(body, spot) or [_made(gast.Pass, spot)])]
    return _made(
        gast.FunctionDef, spot, name=function, args=arguments, body=statements, decorator_list=[], returns=None,
        type_comment=None, type_params=[],
    )  # fmt: skip


def thunk(body: Any, *, at: Any) -> Any:
    """`lambda: body`."""
    spot = locations.header(at)
    return _thunk(locations.place(body, spot), spot)


def state(names: Sequence[str], *, at: Any) -> Any:
    """`lambda: (a, b)`: never called; its closure cells are the variables."""
    spot = locations.header(at)
    return _thunk(_made(gast.Tuple, spot, elts=[_variable(item, _LOAD, spot) for item in names], ctx=_LOAD), spot)


def operator(alias: str, function: str, arguments: list[Any], *, at: Any, **keywords: Any) -> Any:
    """`ag__.function(arguments, keywords)`."""
    spot = locations.header(at)
    func = _made(gast.Attribute, spot, value=_variable(alias, _LOAD, spot), attr=function, ctx=_LOAD)
    named = [_made(gast.keyword, spot, arg=key, value=locations.place(value, spot)) for key, value in keywords.items()]
    return _made(gast.Call, spot, func=func, args=locations.place(arguments, spot), keywords=named)


def conditional(alias: str, function: str, left: Any, right: Any, *, at: Any, test: bool) -> Any:
    """`left and right` or `left or right`; with `test`, their truth."""
    keywords = {"test": gast.Constant(True, None)} if test else {}
    return operator(alias, function, [left, thunk(right, at=right)], at=at, **keywords, **lazy(right, alias))


def lazy(right: Any, alias: str) -> dict[str, Any]:
    """Returns the keyword of `and_`, `or_` and `compare` where evaluating the last operand may fail or be noticed."""
    return {} if is_arithmetic(right, alias) else {"lazy": gast.Constant(True, None)}


def statement(call: Any, *, at: Any) -> Any:
    """Returns the statement `call`."""
    spot = locations.header(at)
    return _made(gast.Expr, spot, value=locations.place(call, spot))


def strings(values: Iterable[str], *, at: Any) -> Any:
    """Returns a tuple of strings."""
    spot = locations.header(at)
    return _made(
        gast.Tuple, spot, elts=[_made(gast.Constant, spot, value=item, kind=None) for item in values], ctx=_LOAD
    )


def table(values: Mapping[str, Iterable[str]], *, at: Any) -> Any:
    """Returns a dict of strings and tuples of strings."""
    keys = [_made(gast.Constant, locations.header(at), value=key, kind=None) for key in values]
    return _made(gast.Dict, locations.header(at), keys=keys, values=[strings(value, at=at) for value in values.values()])


def assign(target: str, value: Any, *, at: Any) -> Any:
    """`target = value`."""
    spot = locations.header(at)
    targets = [_variable(target, _STORE, spot)]
    return _made(gast.Assign, spot, targets=targets, value=locations.place(value, spot), type_comment=None)


def index_argument(node: Any, has_slice: bool, alias: str) -> Any:
    """Returns the index of a subscript as an argument of a call; `has_slice`: whether `slice` means Python's."""
    if isinstance(node, gast.Slice):
        given = [gast.Constant(None, None) if part is None else part for part in (node.lower, node.upper, node.step)]
        if node.step is None:
            given.pop()
        func = name("slice") if has_slice else gast.Attribute(name(alias), "slice", gast.Load())
        return locations.place(gast.Call(func, given, []), locations.position(node))
    if isinstance(node, gast.Tuple):
        node.elts = [index_argument(item, has_slice, alias) for item in node.elts]
    return node
