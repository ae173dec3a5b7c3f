"""Calls in the author's body that lead to functions which need rewriting; every other call stays as it is.

| call | becomes | where |
| --- | --- | --- |
| `jax.grad(loss)(w)` | `jax.grad(<converted>(loss))(w)` | the name is a library function that calls functions |
| `fill(x)` | `(<routes>[fill] if <type>(fill) is <function> else fill)(x)` | `fill`, or what it calls, needs it |

Names are resolved at conversion time. A function that is defined further down in the module is found in its text. What
cannot be resolved runs as plain Python, where JAX's own error is loud.
"""

from __future__ import annotations

import ast
import opcode
from types import CodeType, FunctionType
from typing import Any, Protocol

from autograph.library import is_library
from autograph.linking import Constants
from autograph.names import Namespace, attribute
from autograph.options import MISSING
from autograph.registry import known
from autograph.source import Source
from autograph.trees import at, changed, dotted


class _Scope(Protocol):
    source: Source
    namespace: Namespace

    def resolve(self, dotted: str) -> Any: ...


# Library functions whose arguments are functions even where nothing is known about the argument's name.
TRANSFORMS = frozenset(
    """jit grad value_and_grad vmap pmap jvp vjp linearize jacfwd jacrev jacobian hessian checkpoint remat eval_shape
    make_jaxpr named_call custom_jvp custom_vjp custom_gradient shard_map linear_transpose closure_convert cond switch
    scan while_loop fori_loop associative_scan custom_root custom_linear_solve vectorize piecewise apply_along_axis
    apply_over_axes fromfunction minimize filter_jit filter_grad filter_value_and_grad filter_vmap filter_jvp filter_vjp
    filter_checkpoint filter_eval_shape""".split()
)
_STORES = frozenset(opcode.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE") if name in opcode.opmap)


def rewritten(node: ast.Call, scope: _Scope, constants: Constants) -> ast.Call:
    """The call, or the one that takes its place."""
    name = dotted(node.func)
    callee = MISSING if name is None else scope.resolve(name)
    if callee is MISSING and isinstance(node.func, ast.Name):
        callee = _defined_below(node.func.id, scope)
    if callee is MISSING:
        return node
    if isinstance(callee, CodeType) or type(callee) is FunctionType:
        if _is_plain(callee):
            return _routed(node, constants) if needs_rewriting(callee, scope.namespace.globals) else node
    return _with_functions(node, callee, scope, constants)


def is_marked(node: Any, scope: _Scope) -> bool:
    """Whether a nested definition is decorated with `do_not_convert`."""
    if not node.decorator_list:
        return False
    from autograph.api import do_not_convert

    names = (dotted(decorator) for decorator in node.decorator_list)
    return any(name is not None and scope.resolve(name) is do_not_convert for name in names)


# --- functions handed to library code ---


def _with_functions(node: ast.Call, callee: Any, scope: _Scope, constants: Constants) -> ast.Call:
    from autograph.runtime.function_arguments import argument, takes_functions

    if not is_library(callee) or not takes_functions(callee):
        return node
    anything = getattr(callee, "__name__", None) in TRANSFORMS

    def wrapped(value: Any) -> Any:
        if isinstance(value, ast.List | ast.Tuple):
            elements = [wrapped(element) for element in value.elts]
            same = all(new is old for new, old in zip(elements, value.elts, strict=True))
            return value if same else changed(value, elts=elements)
        if not isinstance(value, ast.Name | ast.Attribute | ast.Call):
            return value
        name = dotted(value)
        found = MISSING if name is None else scope.resolve(name)
        if found is MISSING if anything else type(found) is not FunctionType:
            if not anything:
                return value
        elif found is not MISSING and (type(found) is not FunctionType or is_library(found)):
            return value
        return at(value, ast.Call(constants.expression(argument, value), [value], []))

    args = [wrapped(value) for value in node.args]
    keywords = [changed(keyword, value=wrapped(keyword.value)) if keyword.arg else keyword for keyword in node.keywords]
    return changed(node, args=args, keywords=keywords)


# --- calls of functions that need rewriting ---


class Routes(dict[FunctionType, Any]):
    """The converted functions of module-level functions, found without a call; those live as long as the process."""

    def __missing__(self, fn: FunctionType) -> Any:
        from autograph import pipeline

        converted = pipeline.convert_function(fn)
        if fn.__closure__ is None:
            self[fn] = converted
        return converted


_ROUTES = Routes()


def _routed(node: ast.Call, constants: Constants) -> ast.Call:
    f = node.func
    kind = at(f, ast.Call(constants.expression(type, f), [f], []))
    test = at(f, ast.Compare(kind, [ast.Is()], [constants.expression(FunctionType, f)]))
    route = at(f, ast.Subscript(constants.expression(_ROUTES, f), f, ast.Load()))
    return changed(node, func=at(f, ast.IfExp(test, route, f)))


def _is_plain(callee: Any) -> bool:
    """Whether a callee is a function of the user's that has no body of ours yet."""
    from autograph import pipeline

    if isinstance(callee, CodeType):
        return True
    return not is_library(callee) and known(callee.__code__) is None and callee not in pipeline.UNCONVERTED


def _defined_below(name: str, scope: _Scope) -> Any:
    """The code of a module-level function that the module has not defined yet, or `MISSING`."""
    code = scope.source.code
    if name in code.co_varnames or name in code.co_cellvars or name in code.co_freevars:
        return MISSING
    if name in scope.namespace.globals or name == code.co_name:
        return MISSING
    return scope.source.file.plain_function(name) or MISSING


def needs_rewriting(callee: FunctionType | CodeType, module_globals: dict[str, Any]) -> bool:
    """Whether a function, or one that it names, assigns elements or hands functions to JAX's transforms.

    Judged by bytecode and names, without parsing; a false alarm costs a dictionary look-up per call.
    """
    code = callee if isinstance(callee, CodeType) else callee.__code__
    pending = [(code, module_globals if isinstance(callee, CodeType) else callee.__globals__)]
    seen: set[int] = set()
    while pending:
        code, space = pending.pop()
        if id(code) in seen:
            continue
        seen.add(id(code))
        if not _STORES.isdisjoint(code.co_code[::2]):
            return True
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                pending.append((constant, space))
        for name in code.co_names:
            value = space.get(name, MISSING)
            found = [value, *(attribute(value, other) for other in code.co_names)]
            for item in found:
                if type(item) is FunctionType:
                    if is_library(item):
                        if _is_transform(item):
                            return True
                    elif _is_plain(item):
                        pending.append((item.__code__, item.__globals__))
                elif item is not MISSING and _is_transform(item):
                    return True
    return False


def _is_transform(item: Any) -> bool:
    from autograph.runtime.function_arguments import takes_functions

    return callable(item) and is_library(item) and takes_functions(item) and getattr(item, "__name__", "") in TRANSFORMS
